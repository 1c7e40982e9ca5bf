/* percale/sim.h — a scene, and its motion step by step.
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
    PRC_REST_MESH,    /* the rest shape is `rest_mesh`, or `mesh` where that is NULL; it may be curved */
    PRC_REST_TEXTURE, /* the flat pattern in the texture coordinates of the mesh */
} prc_rest;

/* How F and the force state are made from the bonds of a vertex (docs/theory.md, section 2). */
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

/* The balls of a body of particles. They do not turn: a particle is a point with mass that keeps others at a distance. */
typedef struct prc_particle_def {
    double radius;  /* m; with contact they have it for half of their thickness */
    double density; /* of what the ball is made of, kg/m³ */
} prc_particle_def;

typedef struct prc_body_def {
    const char *name;     /* for messages; may be NULL */
    prc_body_kind kind;
    const prc_mesh *mesh; /* the shape at time 0; of particles it may have no triangles */
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
    /* With contact. For two bodies the mean of their thicknesses counts; their friction is the geometric mean. */
    double contact_thickness; /* m; 0: that of contact */
    double friction;          /* Coulomb's coefficient; negative: that of contact */
} prc_body_def;

/* The defaults of the table `body` in docs/scene.md; `mesh` is to be set. */
prc_body_def prc_body_def_default(void);

/* Vertices whose position is prescribed from time `from` until time `until`. Everything starts from where the vertices
 * are when the pin takes hold: the steady part of the motion begins then, or at motion.from where that is later, about
 * the center as given, and of the keys only the change since then counts. Where pins overlap, the later one holds. */
typedef struct prc_pin_def {
    int body;
    const int *vertices;
    int vertex_count;
    prc_motion_def motion; /* by default none: the vertices stay */
    /* Called with where each vertex was when the pin took hold, 3 numbers each; writes there where it has to be at
     * `time`, before `motion` moves it. The same time and positions must give the same result. NULL: they stay. Must be
     * callable as long as the simulation. */
    void (*animate)(void *context, double time, double *positions);
    void *animate_context;
    double from, until; /* s; a `from` before 0 is as 0 */
} prc_pin_def;

/* The defaults of the table `pin` in docs/scene.md; `body` and `vertices` are to be set. */
prc_pin_def prc_pin_def_default(void);

/* A force on a group of vertices, shared out by area; dead (its direction does not follow the surface). */
typedef struct prc_force_def {
    int body;
    const int *vertices; /* NULL: the whole body */
    int vertex_count;
    double force[3]; /* total, N */
    double from, until;
} prc_force_def;

/* The defaults of the table `force` in docs/scene.md; `force` is to be set. */
prc_force_def prc_force_def_default(void);

/* A surface, edges or points that cloth collides with as with other cloth (the same pairs, thickness and friction), and
 * that go where they are told. Nothing pushes them; where cloth is caught they wait, and catch up (see `largest_lag`).
 * Needs contact. The mesh may be anything: open, not manifold, crossing itself or other obstacles. A triangle that
 * names a vertex twice counts as an edge. A vertex in no triangle and no segment is a point. Points, and edges without
 * triangles, do not touch the like: only edges meet edges, and only triangles are met by points. */
typedef struct prc_obstacle_def {
    const char *name;     /* for messages; may be NULL */
    const prc_mesh *mesh; /* may have no triangles */
    const int *segments;  /* edges without triangles (needles, polylines), 2 vertices each; or NULL */
    int segment_count;
    prc_motion_def motion;
    /* Writes where all vertices are at `time`, 3 numbers each, before `motion` moves them; the same time must give the
     * same positions. NULL: they are those of the mesh. Must be callable as long as the simulation. */
    void (*animate)(void *context, double time, double *positions);
    void *animate_context;
    double contact_thickness; /* m; 0: that of contact */
    double friction;          /* Coulomb's coefficient; negative: that of contact */
} prc_obstacle_def;

/* The defaults of the table `obstacle` in docs/scene.md; `mesh` is to be set. */
prc_obstacle_def prc_obstacle_def_default(void);

/* Quadratic normal drag, ½ density drag |w| (w·n) n per area with w the wind relative to the cloth. */
typedef struct prc_air_def {
    double density; /* kg/m³; 0 for none */
    double drag;    /* coefficient */
    double wind[3]; /* m/s */
    prc_gust_def gusts;
} prc_air_def;

/* Velocity of the air, wind and gusts, at a place (m) and time (s), m/s. */
void prc_air_velocity(const prc_air_def *air, const double x[3], double time, double velocity[3]);

typedef enum prc_integrator {
    PRC_INTEGRATOR_EULER, /* implicit Euler: first order, damps */
    PRC_INTEGRATOR_BDF2,  /* second order, damps little */
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
    /* A GPU where there is one and the scene is large enough to gain by it, else the CPU; PERCALE_BACKEND in the
     * environment (cpu, cuda) says otherwise. */
    PRC_BACKEND_AUTO,
    PRC_BACKEND_CPU,
    PRC_BACKEND_CUDA,           /* the GPU, or an error that says why not */
    PRC_BACKEND_DEVICE_ON_HOST, /* the code of the GPU run by the CPU: for tests, where the library has it */
} prc_backend_kind;

typedef enum prc_preconditioner {
    PRC_PRECONDITIONER_AUTO,       /* multilevel where solves are long */
    PRC_PRECONDITIONER_JACOBI,     /* 3×3 diagonal blocks */
    PRC_PRECONDITIONER_MULTILEVEL, /* and smooth overlapping coarse functions */
} prc_preconditioner;

/* What a program does after a step that did not converge, retries included. */
typedef enum prc_unconverged {
    PRC_UNCONVERGED_STOP,
    PRC_UNCONVERGED_GO_ON,
} prc_unconverged;

typedef struct prc_solver_def {
    prc_method method;
    double tolerance;   /* m/s: stop when the error left, as a velocity, is below this; 0: prc_sim_tolerance tells */
    int max_iterations; /* outer iterations of a step; reaching it is reported */
    int max_inner;      /* newton: most PCG iterations of one linear solve */
    double inner_tolerance;
    int inner_sweeps; /* sissm: Jacobi sweeps per linearisation (the paper's m) */
    int anderson_window;
    double chebyshev_radius; /* spectral radius estimate */
    prc_preconditioner preconditioner;
    int max_substeps; /* a step that does not converge is taken again in 2, 4, … sub-steps, up to so many; 1: it is not
                       */
    prc_unconverged unconverged; /* used by programs, not by prc_sim_step */
} prc_solver_def;

/* Files of a run; a set is the sum of its members. */
typedef enum prc_format {
    PRC_FORMAT_PLY = 1,    /* a file per frame */
    PRC_FORMAT_VTKHDF = 2, /* one file of all frames, for ParaView */
    PRC_FORMAT_OBJ = 4,    /* a file per frame */
    PRC_FORMAT_PC2 = 8,    /* a file of positions per body, for Blender */
} prc_format;

/* What is written, what frames hold besides positions, velocities and stretches, and how often to save; used by
 * programs, not by prc_sim_step. */
typedef struct prc_output_def {
    int formats;             /* a set of prc_format */
    prc_precision precision; /* of the numbers in frames */
    bool stress, curvature, energy;
    bool pressure; /* of contact, per vertex */
    bool gap;
    bool residual;
    int checkpoint_steps;      /* steps from one checkpoint to the next; 0: none by steps */
    double checkpoint_minutes; /* minutes of wall clock; 0: none by time */
} prc_output_def;

/* Where pictures are taken from; used by programs, not by prc_sim_step. Eye and target in one place: the program finds
 * a place from which all is seen. */
typedef struct prc_camera_def {
    double eye[3], target[3]; /* m */
    double up[3];             /* what is up in the picture; all 0: against gravity */
    double field_of_view;     /* from the lower to the upper edge of the picture, degrees */
} prc_camera_def;

typedef struct prc_sim_def {
    int cookie; /* set by prc_sim_def_default; catches a def that skipped it */
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
    const prc_spring_def *springs; /* and stitches of seams */
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

/* The defaults of a scene in docs/scene.md; `bodies` are to be set. */
prc_sim_def prc_sim_def_default(void);

/* What a step did. Energies are in joules; the residual is the velocity that the unbalanced forces would give in
 * one step, rms by mass: an upper bound of the error left. Inner iterations are those of linear solves, and of the
 * local steps of contact.method projection. Where a step was taken in sub-steps, counts and seconds are sums over all
 * that was done, tries that were given up included; residual and decrement are the largest of the sub-steps taken. */
typedef struct prc_step_report {
    double time;      /* at the end of the step, s */
    bool converged;   /* false: a cap was hit, or no further progress could be made; see `stop` */
    const char *stop; /* "converged", "blocked", "max_iterations", "stalled", "not finite", "stopped"; of the first
                         sub-step that is not converged. "blocked" is: all is at rest, and something prescribed waits */
    int substeps;     /* in which the step was taken; 1 where it was taken at once */
    int retries;      /* tries that were given up for shorter ones */
    double residual;  /* m/s, true force residual */
    double decrement; /* m/s, Newton decrement (newton only; elsewhere equal to residual) */
    int iterations;   /* outer */
    int inner_iterations;
    int halvings;                                            /* step halvings by the line search */
    double energy_elastic, energy_kinetic, energy_potential; /* potential: gravity and dead forces */
    double energy_springs;                                   /* and of seams */
    double energy_pressure;                                  /* against that at time 0's volume */
    double largest_seam_gap; /* most that two ends of a stitch are farther apart than they will be when closed, m */
    double largest_stretch, smallest_stretch;
    double largest_speed; /* of a vertex, m/s */
    /* with contact */
    int contact_pairs, active_contacts;
    int detections;           /* searches for all pairs */
    int extensions;           /* … for those of a few vertices that went far */
    int cuts;                 /* vertices whose moves were cut short to stay safe, over all iterations */
    double smallest_gap;      /* distance less thickness, m */
    double largest_lag;       /* how far a pinned vertex, obstacle or collider is from where it should be, m; for a
                                 collider that turns an upper bound: way of its middle plus angle times extent */
    int lag_body, lag_vertex; /* where that is: body (or obstacle, see prc_sim_body_count) and its vertex; −1: none */
    int lag_collider;         /* or the collider; −1: none */
    int exempt_pairs;         /* of a start that crossed: pairs that the guarantee still leaves out */
    int exempt_crossings;     /* … edges through triangles that are still there because of them */
    double momentum[3];       /* kg m/s */
    double angular_momentum[3]; /* about the origin, kg m²/s */
    double seconds;             /* wall clock */
    double seconds_gradient, seconds_product, seconds_preconditioner, seconds_setup;
    double seconds_linear; /* linear solves: products, preconditioner and the rest */
    double seconds_broad;  /* contact: search for pairs */
    double seconds_ccd;    /* contact: how far the prediction may go */
    double seconds_bounds; /* contact: pairs made, their geometry and planes, moves certified or cut */
    double seconds_contact_forces;
} prc_step_report;

/* An edge that passes through a triangle at the start. Vertices are those of the whole simulation: number v of body b
 * is prc_sim_body_first_vertex + v. */
typedef struct prc_start_crossing {
    int edge[2], triangle[3];
    int edge_body, triangle_body;
    double point[3]; /* where, m, rounded */
} prc_start_crossing;

/* Two primitives that are closer than allowed: a_count vertices on one side, then b_count on the other; 1 and 3 are a
 * vertex and a triangle, 2 and 2 two edges; 1, 2 or 3 and 0 a vertex, an edge or a triangle and a collider. An edge or
 * a triangle that the surface of a collider passes through is here too, at distance 0. */
typedef struct prc_start_close {
    int a_count, b_count, vertices[4];
    int body[2];               /* of both sides; −1 for a collider */
    int collider;              /* −1 for none */
    double on[2][3];           /* the closest points, m */
    double distance, smallest; /* how far apart they are, and what they must be farther apart than, m */
} prc_start_close;

/* All that is wrong with a start. */
typedef struct prc_start_report {
    int crossing_count, close_count;
    prc_start_crossing *crossings;
    prc_start_close *close;
    double *positions; /* of all vertices as they were looked at, 3 each, m */
} prc_start_report;

/* Looks at the start of a simulation that contact is enabled for, whatever its contact.start. A bad start is not a
 * failure; on failure *report is zeroed. Released with prc_start_report_release. */
prc_result prc_start_examine(const prc_sim_def *def, prc_start_report *report, prc_error *error);
void prc_start_report_release(prc_start_report *report);

/* What contact.start did to the start, or to the last state that was set. */
typedef struct prc_start_outcome {
    int moved_vertices;   /* by push_apart or exempt, to open gaps */
    double largest_move;  /* of them, m */
    int exempt_pairs;     /* left out of the guarantee */
    int exempt_crossings; /* edges through triangles */
    int prescribed_pairs; /* of the exempt pairs those that are pinned altogether: nobody could open them */
} prc_start_outcome;

/* A simulation: model, state and memory to work in. One thread at a time may use it. */
typedef struct prc_sim prc_sim;

/* Builds a simulation; NULL and a message on failure. */
prc_sim *prc_sim_create(const prc_sim_def *def, prc_error *error);
void prc_sim_destroy(prc_sim *sim);

/* How the start was treated. */
prc_start_outcome prc_sim_start(const prc_sim *sim);

/* Advances by one step. PRC_ERROR_STATE and PRC_ERROR_STOPPED leave the state as it was before the step. */
prc_result prc_sim_step(prc_sim *sim, prc_step_report *report, prc_error *error);

/* Asked in every step while set, by the thread that takes it: at the start of each part of a step, before each
 * iteration of the solver, and within what takes long. True: the step is given up (PRC_ERROR_STOPPED), and the state is
 * the one before it, to the last bit; so also for prc_sim_set_state, whose start may have to be pushed apart. It must
 * not touch the simulation. On a device what has been started there is waited for. NULL: nobody is asked. Fails when
 * out of memory; the one before stays then. */
typedef bool (*prc_interrupt_callback)(void *context);
prc_result prc_sim_set_interrupt(prc_sim *sim, prc_interrupt_callback wanted, void *context, prc_error *error);

/* Called after each solver iteration while set: for convergence plots. Energy is that of the step's objective,
 * NaN with contact, whose solver does not need it. Where a step is taken in parts, iterations are counted anew in each
 * try. Steps of contact.method projection are not traced. */
typedef void (*prc_trace_callback)(void *context, int iteration, int inner_iterations, double energy, double residual,
                                   double seconds);
void prc_sim_set_trace(prc_sim *sim, prc_trace_callback callback, void *context);

double prc_sim_time(const prc_sim *sim);      /* simulated so far, s */
double prc_sim_tolerance(const prc_sim *sim); /* in use, m/s */
int prc_sim_vertex_count(const prc_sim *sim); /* of all bodies and obstacles */
/* Obstacles are counted as bodies here, after the others: obstacle k is body def.body_count + k. They have vertices,
 * but no mass; their velocity is that of the last step, their stretches are 1. */
int prc_sim_body_count(const prc_sim *sim);
bool prc_sim_body_is_obstacle(const prc_sim *sim, int body);
int prc_sim_body_first_vertex(const prc_sim *sim, int body); /* bodies follow each other */
int prc_sim_body_vertex_count(const prc_sim *sim, int body);

/* 3 per vertex, in the caller's vertex order; valid until the next call with this sim. */
const double *prc_sim_positions(prc_sim *sim);
const double *prc_sim_velocities(prc_sim *sim);
/* kg, one per vertex. */
const double *prc_sim_masses(prc_sim *sim);
/* Principal stretches, 2 per vertex, larger first; computed by this call. */
const double *prc_sim_stretches(prc_sim *sim);
/* The next five are computed by the call, in the caller's vertex order, and allocate when first called: NULL when out
 * of memory. All are 0 for obstacles. */
/* Area of the vertex in the rest shape, m²; one per vertex. */
const double *prc_sim_areas(prc_sim *sim);
/* Principal Cauchy stresses of the membrane, N/m (force per deformed length), 2 per vertex, larger first. Elastic only:
 * without damping, bending and stabilisation. */
const double *prc_sim_stresses(prc_sim *sim);
/* Mean and Gaussian curvature of the surface as it is, 1/m and 1/m², 2 per vertex. The mean curvature is half the sum
 * of the principal ones, positive where the surface bends away from its normal: 1/r on a sphere with normals outwards.
 * It is the fit that bending uses, whatever the bending stiffness; rings at a boundary see less, and a corner that has
 * a single triangle nothing at all (0). */
const double *prc_sim_curvatures(prc_sim *sim);
/* Elastic energy per rest area, J/m²: stretching, bending and stabilisation. Times prc_sim_areas it adds up to the
 * report's energy_elastic. */
const double *prc_sim_energy_densities(prc_sim *sim);
/* What is left of the balance of forces at the end of the last step, m/s, one per vertex: the velocity that the
 * unbalanced force would give in one step. Its mean square by mass is that of the report's `residual` (of the last
 * sub-step, where there are several). 0 where no step has been taken since the state was set, and where a pin holds. */
const double *prc_sim_residuals(prc_sim *sim);
/* Contact at the state, one per vertex, in the caller's vertex order. Pressure is the sum of the magnitudes of the
 * normal forces on the vertex over its area, Pa, friction left out; 0 without contact. The gap is the smallest distance
 * less thickness of all that pushes on the vertex, m; where nothing does, it is the largest d_hat of any body, the most
 * that it can be, and without contact INFINITY. */
const double *prc_sim_contact_pressure(prc_sim *sim);
const double *prc_sim_contact_gap(prc_sim *sim);
/* Distance of the ends of spring k of the def (m) and its tension there (N; negative: it pushes; 0 where it does not
 * act), damping left out. Either pointer may be NULL. */
void prc_sim_spring(const prc_sim *sim, int k, double *distance, double *tension);
/* Volume inside the bodies of pressure k of the def (m³), and the pressure there, inside less outside (Pa). Either
 * pointer may be NULL. */
void prc_sim_pressure(const prc_sim *sim, int k, double *volume, double *pressure);
/* Overwrites the state; 3 per vertex. NULL leaves that part as it is. Forgets the BDF2 history. A pin without motion
 * holds its vertices where they are put; one with motion goes on with it. With contact the positions are treated as
 * those of a start, by contact.start; refused ones leave the state as it was. */
prc_result prc_sim_set_state(prc_sim *sim, const double *positions, const double *velocities, prc_error *error);

/* All that later steps depend on, as bytes: a simulation made from the same def that restores them takes the same
 * steps, to the last bit and with any number of threads, as the one that saved them. Saving leaves the simulation as it
 * is. The bytes are those of this kind of machine (byte order, IEEE numbers), have any alignment, and need no memory
 * but the caller's: `bytes` has room for prc_sim_saved_size, which may differ after the next step. Bytes that are
 * damaged, cut off, of the other byte order, of another version or of another simulation are refused (PRC_ERROR_INPUT),
 * and the simulation is left as it was. */
size_t prc_sim_saved_size(const prc_sim *sim);
void prc_sim_save(prc_sim *sim, void *bytes);
prc_result prc_sim_restore(prc_sim *sim, const void *bytes, size_t size, prc_error *error);
/* A hash of everything constant that steps depend on: meshes, materials, pins, forces, colliders, obstacles, time.step,
 * solver, contact. Not of threads or backend, and not of what programs alone use. */
unsigned long long prc_sim_fingerprint(const prc_sim *sim);

/* For researchers: elastic energy (J) at `positions`, and, where not NULL, its gradient (N, 3 per vertex) there; and
 * the Gauss–Newton product H·direction at `positions` without inertia. All in the precision of the sim. */
prc_result prc_sim_elastic(prc_sim *sim, const double *positions, double *energy, double *gradient, prc_error *error);
prc_result prc_sim_elastic_product(prc_sim *sim, const double *positions, const double *direction, double *product,
                                   prc_error *error);

/* The name of the kernels in use, and of the device: "cpu float avx512", "cuda double, NVIDIA H200" and the like. */
const char *prc_sim_backend(const prc_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
