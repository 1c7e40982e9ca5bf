/* percale/sim.h — scene definition and simulation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_SIM_H
#define PERCALE_SIM_H

#include <percale/contact.h>
#include <percale/forces.h>
#include <percale/material.h>
#include <percale/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum prc_rest {
    PRC_REST_MESH,    /* the rest shape is `rest_mesh`, or `mesh` if that is NULL; it may be curved */
    PRC_REST_TEXTURE, /* the flat pattern in the texture coordinates of the mesh */
} prc_rest;

/* How F and the force state are computed from the bonds of a vertex (docs/theory.md, section 2). */
typedef enum prc_discretisation {
    PRC_DISCRETISATION_AVERAGED,      /* area-averaged triangle gradients: passes the patch test */
    PRC_DISCRETISATION_LEAST_SQUARES, /* K^-1 x: for comparison */
    PRC_DISCRETISATION_PAPER,         /* least-squares F, isotropic force state, as printed: for comparison */
} prc_discretisation;

/* What a body is made of. */
typedef enum prc_body_kind {
    PRC_BODY_MEMBRANE,
    PRC_BODY_PARTICLES, /* a ball at every vertex of the mesh, whose triangles count for nothing */
} prc_body_kind;

/* The balls of a body of particles. They do not turn: a particle is a point with mass that keeps others at a distance.
 */
typedef struct prc_particle_def {
    double radius;  /* m; with contact they have it for half of their thickness */
    double density; /* of what the ball is made of, kg/m³ */
} prc_particle_def;

typedef struct prc_body_def {
    const char *name; /* for messages; may be NULL */
    prc_body_kind kind;
    const prc_mesh *mesh;      /* the shape at time 0; of particles it may have no triangles */
    prc_particle_def particle; /* of particles; rest, discretisation and materials are then not used */
    prc_rest rest;
    const prc_mesh *rest_mesh; /* the same triangles at rest, or NULL */
    prc_discretisation discretisation;
    prc_material_def material;
    /* Other materials for groups of vertices: vertex_material[i] = 0 for `material`, k for materials[k − 1]; NULL for
     * none. */
    const prc_material_def *materials;
    int material_count;
    const int *vertex_material;
    double velocity[3];            /* of the whole body at time 0, m/s */
    const double *vertex_velocity; /* 3 per vertex, m/s, added to `velocity`; or NULL */
    /* Used with contact. Two bodies use the mean of their thicknesses, and the geometric mean of their friction. */
    double contact_thickness; /* m; 0: contact.thickness */
    double friction;          /* Coulomb coefficient; negative: contact.friction */
} prc_body_def;

/* The defaults of the table `body` in docs/scene.md; `mesh` must be set. */
prc_body_def prc_body_def_default(void);

/* Vertices with prescribed positions from time `from` until time `until`. The motion starts from where the vertices are
 * when the pin takes hold: its steady part begins then, or at motion.from if that is later, about the center as given;
 * of its keys only the change since then counts. Where pins overlap, the later one applies. */
typedef struct prc_pin_def {
    int body;
    const int *vertices;
    int vertex_count;
    prc_motion_def motion; /* default: none, the vertices stay in place */
    /* Called with the positions of the vertices when the pin took hold, 3 numbers each; overwrites them with the
     * positions at `time`, to which `motion` is then applied. The same time and positions must give the same result.
     * NULL: they stay in place. Must remain callable for the life of the simulation. */
    void (*animate)(void *context, double time, double *positions);
    void *animate_context;
    double from, until; /* s; a negative `from` counts as 0 */
} prc_pin_def;

/* The defaults of the table `pin` in docs/scene.md; `body` and `vertices` must be set. */
prc_pin_def prc_pin_def_default(void);

/* A force on a group of vertices, distributed by area; a dead load (its direction does not follow the surface). */
typedef struct prc_force_def {
    int body;
    const int *vertices; /* NULL: the whole body */
    int vertex_count;
    double force[3]; /* total, N */
    double from, until;
} prc_force_def;

/* The defaults of the table `force` in docs/scene.md; `force` must be set. */
prc_force_def prc_force_def_default(void);

/* A surface, edges or points with prescribed motion that cloth collides with as with other cloth (the same contact
 * pairs, thickness and friction). Nothing can push an obstacle; where cloth is caught it waits, and catches up later
 * (see `largest_lag`). Needs contact. The mesh may be open, non-manifold, and may intersect itself or other obstacles.
 * A triangle that names a vertex twice counts as an edge. A vertex in no triangle and no segment is a point. There are
 * two kinds of contact pairs: edge against edge, and point against triangle. So points do not collide with points or
 * edges. */
typedef struct prc_obstacle_def {
    const char *name;     /* for messages; may be NULL */
    const prc_mesh *mesh; /* may have no triangles */
    const int *segments;  /* edges without triangles (needles, polylines), 2 vertices each; or NULL */
    int segment_count;
    prc_motion_def motion;
    /* Writes the positions of all vertices at `time`, 3 numbers each, to which `motion` is then applied; the same time
     * must give the same positions. NULL: the positions of the mesh. Must remain callable for the life of the
     * simulation. */
    void (*animate)(void *context, double time, double *positions);
    void *animate_context;
    double contact_thickness; /* m; 0: contact.thickness */
    double friction;          /* Coulomb coefficient; negative: contact.friction */
} prc_obstacle_def;

/* The defaults of the table `obstacle` in docs/scene.md; `mesh` must be set. */
prc_obstacle_def prc_obstacle_def_default(void);

/* Quadratic drag along the normal, ½ density drag |w| (w·n) n per area, where w is the wind relative to the cloth. */
typedef struct prc_air_def {
    double density; /* kg/m³; 0 for none */
    double drag;    /* coefficient */
    double wind[3]; /* m/s */
    prc_gust_def gusts;
} prc_air_def;

/* Velocity of the air (wind and gusts) at a point (m) and time (s), m/s. */
void prc_air_velocity(const prc_air_def *air, const double x[3], double time, double velocity[3]);

typedef enum prc_integrator {
    PRC_INTEGRATOR_EULER, /* implicit Euler: first order, with numerical damping */
    PRC_INTEGRATOR_BDF2,  /* second order, little numerical damping */
} prc_integrator;

typedef struct prc_time_def {
    double step;     /* s */
    double duration; /* s; used by programs, not by prc_sim_step */
    double frames_per_second;
    prc_integrator integrator;
} prc_time_def;

typedef enum prc_method {
    PRC_METHOD_NEWTON,    /* Gauss–Newton, PCG with a multilevel preconditioner: the default */
    PRC_METHOD_NCG,       /* nonlinear conjugate gradients */
    PRC_METHOD_ANDERSON,  /* majorant Jacobi with Anderson acceleration */
    PRC_METHOD_CHEBYSHEV, /* majorant Jacobi with Chebyshev acceleration */
    PRC_METHOD_JACOBI,    /* majorant Jacobi */
    PRC_METHOD_SISSM,     /* the semi-implicit successive substitution of the projective peridynamics paper */
} prc_method;

typedef enum prc_precision { PRC_PRECISION_SINGLE, PRC_PRECISION_DOUBLE } prc_precision;

/* Where a simulation is computed. */
typedef enum prc_backend_kind {
    /* A GPU if there is one and the scene is large enough to gain by it, else the CPU; the environment variable
     * PERCALE_BACKEND (cpu, cuda) overrides the choice. */
    PRC_BACKEND_AUTO,
    PRC_BACKEND_CPU,
    PRC_BACKEND_CUDA,           /* the GPU; an error if it cannot be used */
    PRC_BACKEND_DEVICE_ON_HOST, /* the GPU code run on the CPU: for tests, if the library was built with it */
} prc_backend_kind;

typedef enum prc_preconditioner {
    PRC_PRECONDITIONER_AUTO,       /* multilevel where linear solves are long */
    PRC_PRECONDITIONER_JACOBI,     /* 3×3 diagonal blocks */
    PRC_PRECONDITIONER_MULTILEVEL, /* the same, with smooth overlapping coarse functions */
} prc_preconditioner;

/* What a program does if a step does not converge, even with retries. */
typedef enum prc_unconverged {
    PRC_UNCONVERGED_STOP,
    PRC_UNCONVERGED_GO_ON,
} prc_unconverged;

typedef struct prc_solver_def {
    prc_method method;
    double tolerance;   /* m/s: a step has converged when its remaining error, as a velocity, is below this; 0: chosen,
                           see prc_sim_tolerance */
    int max_iterations; /* maximum outer iterations of a step; reaching it is reported */
    int max_inner;      /* newton: maximum PCG iterations of one linear solve */
    double inner_tolerance;
    int inner_sweeps; /* sissm: Jacobi sweeps per linearisation (the paper's m) */
    int anderson_window;
    double chebyshev_radius; /* spectral radius estimate */
    prc_preconditioner preconditioner;
    int max_substeps; /* a step that does not converge is retried in halves, up to this many sub-steps; 1: no retries */
    prc_unconverged unconverged; /* used by programs, not by prc_sim_step */
} prc_solver_def;

/* File formats of a run; a set is a bitwise or. */
typedef enum prc_format {
    PRC_FORMAT_PLY = 1,    /* a file per frame */
    PRC_FORMAT_VTKHDF = 2, /* one file of all frames, for ParaView */
    PRC_FORMAT_OBJ = 4,    /* a file per frame */
    PRC_FORMAT_PC2 = 8,    /* a file of positions per body, for Blender */
} prc_format;

/* Files to write, data in frames besides positions, velocities and stretches, and checkpoints; used by programs, not by
 * prc_sim_step. */
typedef struct prc_output_def {
    int formats;             /* a set of prc_format */
    prc_precision precision; /* of the numbers in frames */
    bool stress, curvature, energy;
    bool pressure; /* of contact, per vertex */
    bool gap;
    bool residual;
    int checkpoint_steps;      /* steps between checkpoints; 0: none by steps */
    double checkpoint_minutes; /* wall-clock minutes between checkpoints; 0: none by time */
} prc_output_def;

/* The camera of rendered pictures; used by programs, not by prc_sim_step. If eye and target are the same point, the
 * program chooses a view of the whole scene. */
typedef struct prc_camera_def {
    double eye[3], target[3]; /* m */
    double up[3];             /* direction that points up in the picture; all 0: opposite to gravity */
    double field_of_view;     /* vertical angle of view, degrees */
} prc_camera_def;

typedef struct prc_sim_def {
    int cookie; /* set by prc_sim_def_default; detects a def that was not initialized by it */
    double gravity[3];
    prc_time_def time;
    prc_solver_def solver;
    prc_air_def air;
    prc_precision precision;
    prc_backend_kind backend;
    int threads; /* 0: all processors */
    const prc_body_def *bodies;
    int body_count;
    const prc_pin_def *pins;
    int pin_count;
    const prc_force_def *forces;
    int force_count;
    const prc_spring_def *springs; /* including stitches of seams */
    int spring_count;
    const prc_pressure_def *pressures;
    int pressure_count;
    prc_contact_def contact;
    prc_output_def output;
    prc_camera_def camera;
    const prc_collider_def *colliders;
    int collider_count;
    const prc_obstacle_def *obstacles;
    int obstacle_count;
} prc_sim_def;

/* The defaults of a scene in docs/scene.md; `bodies` must be set. */
prc_sim_def prc_sim_def_default(void);

/* Result of a step. Energies are in joules; the residual is the velocity that the unbalanced forces would give in one
 * step, as a mass-weighted rms: an upper bound of the remaining error. Inner iterations are those of linear solves, and
 * of the local steps of contact.method projection. If a step was taken in sub-steps, counts and seconds are sums over
 * all attempts, failed ones included; residual and decrement are the largest of the accepted sub-steps. */
typedef struct prc_step_report {
    double time;      /* at the end of the step, s */
    bool converged;   /* false: a limit was reached, or the solver made no further progress; see `stop` */
    const char *stop; /* "converged", "blocked", "max_iterations", "stalled", "not finite", "failed", "stopped"; of the
                         first sub-step that is not converged. "blocked": everything is at rest, but a prescribed motion
                         still waits */
    int substeps;     /* number of sub-steps of the step; 1: not divided */
    int retries;      /* attempts that were given up and retried in halves */
    double residual;  /* m/s, true force residual */
    double decrement; /* m/s, Newton decrement (newton only; otherwise equal to residual) */
    int iterations;   /* outer */
    int inner_iterations;
    int halvings;                                            /* step halvings by the line search */
    double energy_elastic, energy_kinetic, energy_potential; /* potential: gravity and dead forces */
    double energy_springs;                                   /* of springs and seams */
    double energy_pressure;                                  /* relative to the volume at time 0 */
    double largest_seam_gap; /* largest distance between the ends of a stitch, minus its closed length, m */
    double largest_stretch, smallest_stretch;
    double largest_speed; /* of a vertex, m/s */
    /* with contact */
    int contact_pairs, active_contacts;
    int detections;           /* broad-phase searches for all pairs */
    int extensions;           /* searches for the pairs of a few vertices that moved far */
    int cuts;                 /* vertices whose moves were shortened to stay safe, summed over iterations */
    double smallest_gap;      /* distance minus thickness, m */
    double largest_lag;       /* distance of a pinned vertex, obstacle or collider from its prescribed position, m; for
                                 a collider that rotates an upper bound: path of its centre plus angle times extent */
    int lag_body, lag_vertex; /* its body (or obstacle, see prc_sim_body_count) and vertex; −1: none */
    int lag_collider;         /* or its collider; −1: none */
    int exempt_pairs;         /* pairs still left out of the guarantee, after a start with crossings */
    int exempt_crossings;     /* edges that still pass through triangles because of them */
    double momentum[3];       /* kg m/s */
    double angular_momentum[3]; /* about the origin, kg m²/s */
    double seconds;             /* wall clock */
    double seconds_gradient, seconds_product, seconds_preconditioner, seconds_setup;
    double seconds_linear; /* linear solves: products, preconditioner and other work */
    double seconds_broad;  /* contact: broad phase */
    double seconds_ccd;    /* contact: continuous collision detection of the predicted motion */
    double seconds_bounds; /* contact: making pairs, their geometry, checking and shortening moves */
    double seconds_contact_forces;
} prc_step_report;

/* An edge that passes through a triangle at the start. Vertices are those of the whole simulation: number v of body b
 * is prc_sim_body_first_vertex + v. */
typedef struct prc_start_crossing {
    int edge[2], triangle[3];
    int edge_body, triangle_body;
    double point[3]; /* intersection point, m, rounded */
} prc_start_crossing;

/* Two primitives that are closer than allowed: a_count vertices of side A, then b_count of side B. Counts 1 and 3 mean
 * a vertex and a triangle; 2 and 2 two edges; 1, 2 or 3 and 0 a vertex, edge or triangle and a collider. An edge or
 * triangle that intersects the surface of a collider is also listed here, at distance 0. */
typedef struct prc_start_close {
    int a_count, b_count, vertices[4];
    int body[2];               /* of both sides; −1 for a collider */
    int collider;              /* −1 for none */
    double on[2][3];           /* the closest points, m */
    double distance, smallest; /* their distance, and the distance that it must exceed, m */
} prc_start_close;

/* All intersections and distances that are too small at the start. */
typedef struct prc_start_report {
    int crossing_count, close_count;
    prc_start_crossing *crossings;
    prc_start_close *close;
    double *positions; /* of all vertices as examined, 3 each, m */
    /* Pairs that intersect or are too close, and of which every vertex is pinned or an obstacle's, at least one pinned:
     * nothing can open them, so they are exempt for good whatever contact.start is, and not in the lists above. */
    int prescribed_pairs;
} prc_start_report;

/* Examines the start of a simulation with contact enabled, whatever its contact.start. A bad start is not a failure of
 * this function; on failure *report is zeroed. Release it with prc_start_report_release. */
prc_result prc_start_examine(const prc_sim_def *def, prc_start_report *report, prc_error *error);
void prc_start_report_release(prc_start_report *report);

/* What contact.start changed in the start, or in the last state that was set. */
typedef struct prc_start_outcome {
    int moved_vertices;   /* by push_apart or exempt, to widen gaps */
    double largest_move;  /* of these vertices, m */
    int exempt_pairs;     /* left out of the guarantee */
    int exempt_crossings; /* edges through triangles */
    int prescribed_pairs; /* exempt pairs of which all vertices are pinned, so that they cannot be separated */
} prc_start_outcome;

/* A simulation: model, state and working memory. Only one thread at a time may use it. */
typedef struct prc_sim prc_sim;

/* Creates a simulation; returns NULL and a message on failure. */
prc_sim *prc_sim_create(const prc_sim_def *def, prc_error *error);
void prc_sim_destroy(prc_sim *sim);

/* What was changed in the start. */
prc_start_outcome prc_sim_start(const prc_sim *sim);

/* Advances by one step. After PRC_ERROR_STATE and PRC_ERROR_STOPPED the state is that before the step. */
prc_result prc_sim_step(prc_sim *sim, prc_step_report *report, prc_error *error);

/* Sets a callback that may interrupt a step. The thread that takes the step calls it at the start of each sub-step,
 * before each solver iteration, and during long operations. If it returns true, the step ends with PRC_ERROR_STOPPED
 * and the state is bitwise the one before the step; the same holds for prc_sim_set_state, which may have to push a
 * start apart. The callback must not use the simulation. On a GPU, work already started is completed first. NULL
 * removes the callback. Fails when out of memory; the previous callback then stays. */
typedef bool (*prc_interrupt_callback)(void *context);
prc_result prc_sim_set_interrupt(prc_sim *sim, prc_interrupt_callback wanted, void *context, prc_error *error);

/* Sets a callback that is called after each solver iteration, for convergence plots. `energy` is the objective of the
 * step; it is NaN with contact, whose solver does not compute it. If a step is taken in sub-steps, each attempt counts
 * iterations from the start. Steps with contact.method projection are not traced. */
typedef void (*prc_trace_callback)(void *context, int iteration, int inner_iterations, double energy, double residual,
                                   double seconds);
void prc_sim_set_trace(prc_sim *sim, prc_trace_callback callback, void *context);

double prc_sim_time(const prc_sim *sim);      /* simulated time so far, s */
double prc_sim_tolerance(const prc_sim *sim); /* in use, m/s */
int prc_sim_vertex_count(const prc_sim *sim); /* of all bodies and obstacles */
/* Here obstacles count as bodies, after all others: obstacle k is body def.body_count + k. They have vertices, but no
 * mass; their velocity is that of the last step, and their stretches are 1. */
int prc_sim_body_count(const prc_sim *sim);
bool prc_sim_body_is_obstacle(const prc_sim *sim, int body);
int prc_sim_body_first_vertex(const prc_sim *sim, int body); /* bodies are stored one after the other */
int prc_sim_body_vertex_count(const prc_sim *sim, int body);

/* 3 per vertex, in the caller's vertex order; valid until the next call with this sim. */
const double *prc_sim_positions(prc_sim *sim);
const double *prc_sim_velocities(prc_sim *sim);
/* kg, one per vertex. */
const double *prc_sim_masses(prc_sim *sim);
/* Principal stretches, 2 per vertex, the larger first; computed by this call. */
const double *prc_sim_stretches(prc_sim *sim);
/* The next five functions compute their result, in the caller's vertex order, and allocate in the first call: NULL when
 * out of memory. All results are 0 for obstacles. */
/* Area of the vertex in the rest shape, m²; one per vertex. */
const double *prc_sim_areas(prc_sim *sim);
/* Principal Cauchy stresses of the membrane, N/m (force per deformed length), 2 per vertex, the larger first. Elastic
 * part only: without damping, bending and stabilisation. */
const double *prc_sim_stresses(prc_sim *sim);
/* Mean and Gaussian curvature of the current surface, 1/m and 1/m², 2 per vertex. The mean curvature is half the sum of
 * the principal ones, positive where the surface bends away from its normal: 1/r on a sphere with normals outwards.
 * They come from the fit that bending uses, whatever the bending stiffness. They are too small at a boundary, whose
 * vertices have fewer neighbours, and 0 at a corner with a single triangle. */
const double *prc_sim_curvatures(prc_sim *sim);
/* Elastic energy per rest area, J/m²: stretching, bending and stabilisation. Multiplied by prc_sim_areas and summed, it
 * gives energy_elastic of the report. */
const double *prc_sim_energy_densities(prc_sim *sim);
/* Force left unbalanced at the end of the last step, one value per vertex, as the velocity that it would give the
 * vertex in one step, m/s. Its mass-weighted rms is the `residual` of the report (of the last sub-step, if there are
 * several). 0 if no step has been taken since the state was set, and at pinned vertices. */
const double *prc_sim_residuals(prc_sim *sim);
/* Contact in the current state, one value per vertex, in the caller's vertex order. The pressure is the sum of the
 * magnitudes of the normal forces on the vertex, divided by its area, Pa, without friction; 0 without contact. The gap
 * is distance minus thickness, the smallest of all contacts that push on the vertex, m. Without such contacts it is the
 * largest d_hat of any body, its upper limit; with contact disabled it is INFINITY. */
const double *prc_sim_contact_pressure(prc_sim *sim);
const double *prc_sim_contact_gap(prc_sim *sim);
/* Distance between the ends of spring k of the def (m) and its tension (N; negative: it pushes; 0 while it does not
 * act), without damping. Either pointer may be NULL. */
void prc_sim_spring(const prc_sim *sim, int k, double *distance, double *tension);
/* Volume enclosed by the bodies of pressure k of the def (m³), and pressure inside minus outside (Pa). Either pointer
 * may be NULL. */
void prc_sim_pressure(const prc_sim *sim, int k, double *volume, double *pressure);
/* Sets positions and velocities, 3 numbers per vertex; NULL leaves them unchanged. Discards the BDF2 history. A pin
 * without motion holds its vertices at their new positions; a pin with motion continues its motion. With contact, the
 * positions are treated as a start, according to contact.start; if they are refused, the state is unchanged. */
prc_result prc_sim_set_state(prc_sim *sim, const double *positions, const double *velocities, prc_error *error);

/* Saves and restores everything that later steps depend on. A simulation made from the same def that restores the bytes
 * takes bitwise the same steps as the one that saved them, with any number of threads. Saving does not change the
 * simulation and allocates nothing: `bytes` is memory of the caller, of any alignment, with prc_sim_saved_size bytes;
 * the size may change with each step. The format is that of the machine (byte order, IEEE numbers). Bytes that are
 * damaged, truncated, of the other byte order, of another version or of another simulation are refused
 * (PRC_ERROR_INPUT), and the simulation is unchanged. */
size_t prc_sim_saved_size(const prc_sim *sim);
void prc_sim_save(prc_sim *sim, void *bytes);
prc_result prc_sim_restore(prc_sim *sim, const void *bytes, size_t size, prc_error *error);
/* A hash of all constant data that steps depend on: meshes, materials, pins, forces, colliders, obstacles, time.step,
 * solver, contact. It does not depend on threads, backend, or settings used by programs only. */
unsigned long long prc_sim_fingerprint(const prc_sim *sim);

/* For research: elastic energy (J) at `positions` and, if not NULL, its gradient (N, 3 per vertex); and the
 * Gauss–Newton product H·direction at `positions`, without inertia. Computed in the precision of the sim. */
prc_result prc_sim_elastic(prc_sim *sim, const double *positions, double *energy, double *gradient, prc_error *error);
prc_result prc_sim_elastic_product(prc_sim *sim, const double *positions, const double *direction, double *product,
                                   prc_error *error);

/* The kernels and the device in use: "cpu float avx512", "cuda double, NVIDIA H200" and the like. */
const char *prc_sim_backend(const prc_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
