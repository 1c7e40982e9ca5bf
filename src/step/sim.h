/* step/sim.h — a running simulation: the model, its state, and the work space of the solvers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_SIM_H
#define PRC_STEP_SIM_H

#include <percale/live.h>

#include "base/clock.h"
#include "base/interrupt.h"
#include "constraint/obstacle.h"
#include "constraint/pin.h"
#include "contact/contact.h"
#include "force/cell.h"
#include "force/spring.h"
#include "model/hierarchy.h"
#include "model/model.h"
#include "step/work.h"

/* A dead force, spread over its vertices by area. */
typedef struct prc_load_case {
    int vertex_count;
    int *vertices; /* internal */
    double area;   /* of all of them */
    double force[3], from, until;
} prc_load_case;

/* The coarse levels where the fields are. */
typedef struct prc_applied_levels {
    const prc_level *level;
    int level_count;
    void *dense_inverse;
    int dense_leading;
} prc_applied_levels;

/* The state at the beginning of a step: step/state.c. */
typedef struct prc_snapshot {
    char *bytes;           /* NULL where steps are not taken again */
    prc_exempt_set exempt; /* of contact */
} prc_snapshot;

/* The coarse matrices as they were at the beginning of a step: step/state.c. A copy is made when they are about to be
 * made anew, which is seldom. */
typedef struct prc_coarse_before {
    char *bytes; /* NULL where nobody interrupts steps */
    bool taken;  /* in the step in progress */
    int usual, excess;
} prc_coarse_before;

/* What step/begin.c has put where the fields are, so that it is put again only when it changes. */
typedef struct prc_frame {
    bool known; /* false: all of it has to be put */
    double gravity[3];
    bool *acts;              /* per load */
    bool *holds;             /* per pin */
    double *pin_target;      /* 3 per vertex of all pins */
    double *obstacle_target; /* 3 per vertex of all obstacles */
} prc_frame;

/* A saved state. */
typedef struct prc_saved_state {
    char *bytes;
    size_t size;
    double at;   /* when, by the clock, s */
    double time; /* of the state, s */
} prc_saved_state;

/* A motion that a pose given by hand has taken the place of, or not. */
typedef struct prc_hand {
    prc_motion_def own; /* as the def has it */
    prc_pose_key pose;
    bool holds;
} prc_hand;

/* The surface of a collider that is a mesh: step/shells.c. */
typedef struct prc_shell {
    prc_mesh mesh; /* in the own frame of the collider */
    int collider;
    int body;     /* of the model, after those that callers see */
    double doubt; /* m: what its field shows to be farther from it is */
} prc_shell;

/* What differs between the places where a simulation can be: host and device. */
typedef struct prc_site {
    const prc_backend *backend;
    prc_view view; /* fields, slots and the device alone */
    prc_applied_levels applied;
    prc_contact_vectors contact_work;
    void *history;
    const prc_contact_table *contact;
} prc_site;

/* What the host has of a state: positions and velocities, and of contact stiffnesses, pressures and gaps. */
#define PRC_MIRRORS 5

/* A simulation that has moved to a device: step/adopt.c. */
typedef struct prc_adopted {
    prc_site host, device;
    prc_level level[PRC_LEVELS]; /* with the device's arrays */
    void **owned;                /* memory of the device */
    int owned_count;
    double *spare[PRC_MIRRORS]; /* where a state arrives, before it takes the place of the last one */
} prc_adopted;

struct prc_sim {
    prc_model model;       /* its view holds the host's fields: all there are, or mirrors of the device's */
    prc_view view;         /* the fields where the simulation runs, with the switches of the current stage */
    bool stale;            /* the mirrors are of an earlier state: step/adopt.c */
    prc_saved_state kept;  /* a state to fall back to when a device is lost */
    prc_backend_kind kind; /* where it runs, never AUTO: step/place.c */
    void *device;          /* NULL on the CPU */
    char place[200];       /* kernels and device, for people */
    prc_sim_def def;       /* without bodies, pins and forces: those are below */
    prc_pin *pins;
    int pin_count;
    prc_load_case *loads;
    int load_count;

    uint64_t fingerprint; /* of all that is constant: step/fingerprint.c */
    prc_spring_set springs;
    prc_cell_set cells;

    double time;
    bool has_history;   /* position_before and velocity_before hold the step before */
    double step_before; /* … which was this long as a whole, s */

    /* of the step in progress, or of the part of it that is: all below speaks of that */
    double whole_start;  /* when the whole step began, s */
    double end;          /* when this one ends, s */
    double length;       /* s: time.step, or a part of it */
    int most_iterations; /* of a try: solver.max_iterations, or fewer where the step will not converge anyway */
    double since_before; /* time since position_before and velocity_before, s */
    bool prescribed_lag; /* with contact: something prescribed is not yet where it should be */
    bool second_order;   /* it uses them: BDF2 */
    double step;         /* effective step of the integrator: length, or 2/3 of it for BDF2 */
    double free_mass;    /* of the vertices that are not pinned, kg */
    prc_snapshot snapshot;

    prc_hierarchy hierarchy;    /* coarse levels; empty where they would not pay */
    prc_applied_levels applied; /* … as they are applied: those of the hierarchy, or copies on the device */
    bool coarse_ready;          /* their matrices have been made */
    int coarse_usual;           /* iterations of the first linear solve with them */
    int coarse_excess;          /* … and how many more all later ones took together */
    unsigned char *pinned;      /* … for these pins, internal order */
    unsigned char *pinned_now;
    void *history; /* REAL: past steps of the Anderson method */

    prc_contact_set contact; /* where contact is enabled */
    prc_start_outcome start; /* what contact.start did */
    char **body_names;       /* of bodies and obstacles: copies, NULL for those without */
    prc_collider_def *colliders;
    int collider_count;
    prc_sdf **fields; /* per collider, where it is a mesh */
    prc_shell *shells;
    int shell_count;
    prc_obstacle_def *shell_defs; /* while the sim is made: the obstacles of the def, and the shells; or NULL */
    prc_obstacle *obstacles;
    int obstacle_count; /* with shells, which come last */
    prc_hand *collider_hand, *obstacle_hand;
    double *obstacle_target;          /* 3 per vertex of all obstacles: where they have to be at the end of the step */
    bool *obstacle;                   /* per vertex: may intersect its like */
    prc_collider *colliders_before;   /* as they were when the step in progress began: it may be given up */
    prc_contact_vectors contact_work; /* where contact is enabled */

    prc_adopted adopted; /* where there is a device */

    bool tells_later; /* a solve with contact has left its last numbers in slots, for the report of the step */

    prc_interrupt interrupt;
    prc_coarse_before coarse_before;
    prc_trace_callback trace;
    void *trace_context;
    prc_step_report report; /* of the step in progress */

    prc_frame frame;
    prc_work work;
    double *out_positions, *out_velocities, *out_masses, *out_stretches, *out_pressures,
        *out_gaps; /* in the caller's order */
    /* step/measure.c: allocated when first asked for */
    double *out_areas, *out_stresses, *out_curvatures, *out_energies, *out_residuals;
    bool residual_known; /* the state is the end of a step, and the solver's gradient that of it */
    /* step/contacts.c: the same */
    double *out_bounds;
    prc_contact_point *out_contacts;
    int out_contact_capacity;
    bool grabbed[PRC_GRABS];
    double asked_tolerance; /* solver.tolerance of the def */
    double *hessian;        /* 3 per bond: the curvature fit without the stiffness of bending */
};

/* --- step/begin.c, step/accept.c: the frame of a step --- */

/* The step in progress is the one that begins now, as a whole: so it is between steps. */
void prc_step_aim(prc_sim *sim);
/* … or part k of so many equal ones of it. */
void prc_step_aim_part(prc_sim *sim, int k, int parts);
prc_result prc_frame_create(prc_sim *sim, prc_error *error); /* after pins, loads and obstacles */
void prc_frame_release(prc_frame *frame);
void prc_step_begin(prc_sim *sim); /* after prc_obstacles_aim and prc_pins_aim */
/* After that: free vertices are to stay where they are, as a first guess. */
void prc_step_begin_still(prc_sim *sim);
void prc_step_accept(prc_sim *sim);
/* Pins and colliders follow a step before it is accepted: notes where they are, and puts them back there. */
void prc_step_mark(prc_sim *sim);
void prc_step_give_up(prc_sim *sim);
/* step/advice.c: fails with what is not finite in the last part that was tried, and what may help. */
prc_result prc_step_fail_not_finite(prc_sim *sim, prc_error *error);
/* What the report of a step says of the state, but for forces. */
void prc_report_state(prc_sim *sim);

/* What may take long looks whether the caller wants to interrupt it; or no longer does. */
void prc_sim_heed(prc_sim *sim, bool interrupt);

/* --- step/state.c --- */

prc_result prc_snapshot_create(prc_sim *sim, prc_error *error);
void prc_snapshot_release(prc_snapshot *snapshot);
/* The coarse matrices are not in it: they are of no particular step, and may be those of a try that was given up. */
prc_result prc_snapshot_take(prc_sim *sim, prc_error *error);
void prc_snapshot_put_back(prc_sim *sim);
/* The coarse matrices before a step that is given up for good; so that nothing of it is left, to the last bit. */
prc_result prc_coarse_before_create(prc_sim *sim, prc_error *error);
void prc_coarse_before_begin(prc_sim *sim); /* with every step */
void prc_coarse_before_take(prc_sim *sim);  /* before they change */
void prc_coarse_before_put_back(prc_sim *sim);
/* The state of another simulation with as many of everything, but for its coarse matrices. Failure changes nothing. */
prc_result prc_sim_take_over(prc_sim *sim, prc_sim *from, prc_error *error);

/* --- step/place.c: where it is computed --- */

/* Settles sim->kind; an error where what was asked for is not there. */
prc_result prc_place_choose(prc_sim *sim, const prc_sim_def *def, prc_error *error);
/* Moves a whole simulation to its device, if it has one. */
prc_result prc_place_move(prc_sim *sim, prc_error *error);

/* --- step/adopt.c: the host's copy of the state, where the simulation runs on a device; else nothing is to be done ---
 */

/* Takes a simulation that is whole on the host over to a device: fields, coarse levels, contact, springs, volumes. From
 * then on `backend` does its operations, and `contact` those of its contact set. */
prc_result prc_sim_adopt(prc_sim *sim, const prc_backend *backend, const prc_contact_table *contact, void *device,
                         prc_error *error);
/* Gives back all it has there, before the device is destroyed. */
void prc_sim_leave(prc_sim *sim);
/* For what only the host can do: the simulation is there until visit_end, with the state of the mirrors. */
prc_site prc_sim_visit_host(prc_sim *sim);
void prc_sim_visit_end(prc_sim *sim, const prc_site *back);
/* Memory at a site, zero or a copy of the host's `from`, until the simulation leaves it; NULL when there is none. */
void *prc_site_memory(prc_sim *sim, prc_site *site, const void *from, size_t bytes);
/* The first error of the device. Waits for its work. */
prc_result prc_sim_status(const prc_sim *sim, prc_error *error);
/* The state has changed where the simulation runs. */
void prc_sim_changed(prc_sim *sim);
/* Brings it to the host: model.view then holds positions and velocities, now and before, and contact its own. */
void prc_sim_fetch(const prc_sim *sim);
/* The same after a step (`whole`: taken in one part). An error of the device leaves the mirrors at the state before. */
prc_result prc_sim_keep(prc_sim *sim, bool whole, prc_error *error);
/* Before a step: a copy of the state, where none is kept yet and the step may spoil what the host has. */
void prc_sim_keep_first(prc_sim *sim);
/* After the device has failed: the state that was kept last. */
void prc_sim_fall_back(prc_sim *sim);
/* Makes sure that the host holds the state, before it is saved. Where the device has failed meanwhile, with the steps
 * since the state that was kept last: the error, and the simulation is at that state. */
prc_result prc_sim_hold(prc_sim *sim, prc_error *error);
/* The time of the state that is left if the device fails now. */
double prc_sim_held_time(const prc_sim *sim);
/* … and back, after the host changed it. */
void prc_sim_send(prc_sim *sim);
void prc_sim_send_field(prc_sim *sim, enum prc_field field);
/* The host's fields with the switches of the simulation, to run stages of model.host on. */
prc_view prc_sim_host_view(const prc_sim *sim);

/* --- step/evaluate.c: what all solvers share --- */

/* Runs a stage on vectors, any of which may be NULL. */
void prc_run(prc_sim *sim, enum prc_stage stage, void *a, void *b, void *c, void *d);
/* Stages that leave columns, on the vectors view.argument; the sums or the largest of the first ones go to slots: see
 * run_columns of the backend for which stages. */
void prc_run_sums(prc_sim *sim, enum prc_stage stage, int count, int slot);
void prc_run_largest(prc_sim *sim, enum prc_stage stage, int count, int slot);
/* Bytes from the host to where the fields are, and back. */
void prc_put(prc_sim *sim, void *to, const void *host, size_t bytes);
void prc_get(prc_sim *sim, void *host, const void *from, size_t bytes);
/* values[3 k + c] to component c of vertex index[k] of a DOUBLE field. */
void prc_put_some(prc_sim *sim, enum prc_field field, const int *index, const double *values, int count);

/* Gradient of the step's objective at displacement `u` (a field); with `linearise` also the tangent there. */
void prc_evaluate(prc_sim *sim, enum prc_field u, enum prc_field gradient, bool linearise);
/* out = H in at the last linearisation. */
void prc_product(prc_sim *sim, enum prc_field in, enum prc_field out);
/* The 3×3 diagonal blocks (`kind`) at the last linearisation, without contacts; the inverse of these with contacts as
 * they are now; and both. */
void prc_diagonal_sum(prc_sim *sim, enum prc_diagonal kind);
void prc_diagonal_invert(prc_sim *sim);
void prc_diagonal(prc_sim *sim, enum prc_diagonal kind);
void prc_precondition(prc_sim *sim, enum prc_field in, enum prc_field out);
void prc_copy(prc_sim *sim, enum prc_field from, enum prc_field to);
/* out = a·x + b·y */
void prc_combine(prc_sim *sim, double a, enum prc_field x, double b, enum prc_field y, enum prc_field out);
double prc_inner(prc_sim *sim, enum prc_field a, enum prc_field b);
/* Velocity that the forces in `gradient` would give in one step, rms by mass, m/s. */
double prc_residual(prc_sim *sim, enum prc_field gradient);
/* Gradient and tangent at the first guess, u; where they are not finite, at one that leaves free vertices where they
 * are, which becomes u. Returns the residual. */
double prc_evaluate_first(prc_sim *sim);
/* Whether a linear solve has succeeded whose −g·p is `decrease`: one that overflows may also give no move at all, and
 * its 0 would pass for convergence. */
bool prc_decrease_is_true(prc_sim *sim, double decrease);
/* Elastic energy of the last evaluation, and the whole objective of the step there. */
double prc_energy_elastic(prc_sim *sim);
double prc_objective(prc_sim *sim, enum prc_field u);
/* Hands an iteration to the trace, where there is one. */
void prc_trace(prc_sim *sim, enum prc_field u, double residual);

/* --- step/forces.c: springs and pressure, as parts of the objective; evaluate.c calls them --- */
prc_result prc_forces_create(prc_sim *sim, const prc_sim_def *def, prc_error *error);
void prc_forces_release(prc_sim *sim);
/* Their constant data go to a site; false when there is no room. */
bool prc_forces_adopt(prc_sim *sim, prc_site *site);
void prc_forces_begin(prc_sim *sim);
/* Adds their gradient at displacement `u`, and keeps their stiffness there. */
void prc_forces_gradient(prc_sim *sim, enum prc_field u, enum prc_field gradient);
void prc_forces_product(prc_sim *sim, enum prc_field in, enum prc_field out);
/* Adds their blocks to own_d. */
void prc_forces_diagonal(prc_sim *sim);
/* Of the last evaluation, J. */
double prc_forces_energy(prc_sim *sim);
/* Their energies at the state, into the report. */
void prc_forces_report(prc_sim *sim);
/* A spring for a grab, or none in its place where that is NULL. */
prc_result prc_forces_grab(prc_sim *sim, int slot, const prc_grab_def *grab, prc_error *error);
void prc_forces_grab_move(prc_sim *sim, int slot, const double target[3]);

/* --- the solvers: each minimises the objective of the step over field u, which holds the first guess --- */
void prc_solve_newton(prc_sim *sim);
void prc_solve_ncg(prc_sim *sim);
void prc_solve_descent(prc_sim *sim); /* jacobi, chebyshev, anderson */
void prc_solve_sissm(prc_sim *sim);
/* newton with contact: takes its own safe moves; leaves the accepted positions in contact_work. */
prc_result prc_solve_contact(prc_sim *sim, prc_error *error);
/* step/projection.c: the same by projection. */
prc_result prc_solve_projection(prc_sim *sim, prc_error *error);
/* Where all obstacles have to be at `time`, into obstacle_target. */
prc_result prc_obstacles_aim(prc_sim *sim, double time, prc_error *error);
/* --- step/shells.c --- */

/* Makes the surfaces of colliders that are meshes, and of the def one that has them as obstacles: until the sim is
 * made. After the colliders. */
prc_result prc_shells_create(prc_sim *sim, const prc_sim_def *def, prc_sim_def *whole, prc_error *error);
void prc_shells_release(prc_sim *sim);
/* The shell that is a body of the model, or NULL. */
const prc_shell *prc_shell_of_body(const prc_sim *sim, int body);
/* Where the motion of an obstacle, or of the collider whose shell it is, puts it. */
prc_pose prc_obstacle_pose(const prc_sim *sim, int obstacle, double time);
/* At the end of a step, before it is accepted: rigid obstacles settle, and colliders are where their shells are. */
void prc_shells_follow(prc_sim *sim);
/* The collider that a contact is with, or −1; and whether its surface is side A. */
int prc_contact_collider(const prc_sim *sim, const prc_contact *contact, bool *on_side_a);
/* Whether a vertex at y is in the shell that is a body of the model, or closer to it than allowed. */
bool prc_shell_holds(const prc_sim *sim, int body, int vertex, const double *y);

/* Which pins hold at the end `time` of the step, and where their vertices have to be then. */
prc_result prc_pins_aim(prc_sim *sim, double time, prc_error *error);
/* Pins that rest hold what a new state has put elsewhere where it is now. */
void prc_sim_pins_stay(prc_sim *sim);
/* step/contact_model.c: adds to p, the moves of pinned vertices, those of the others; `step` is work space. Returns
 * −g·p of the first linear solve, NaN where p is not finite; *longest is the longest free move, m. */
double prc_contact_direction(prc_sim *sim, const double *y, double *p, double *step, int most_rounds, double *longest);
#define PRC_MODEL_ROUNDS 8 /* as a rule */
/* Colliders for the step ahead, and the first guess of the step, as far as it is safe, as positions; pairs there. */
prc_result prc_contact_begin(prc_sim *sim, prc_error *error);
/* After that, where its forces are not finite: everything where the step before left it, to begin there instead. */
prc_result prc_contact_begin_still(prc_sim *sim, prc_error *error);
/* contact_work.moves become the way left of pinned vertices, at most `longest` (m), and 0 for the
 * others. */
void prc_contact_pin_moves(prc_sim *sim, double longest);
/* Shortens all free moves there alike until none is longer than a part of an edge: long ones are wrong anyway, and make
 * long lists of pairs. */
void prc_contact_limit_moves(prc_sim *sim);
/* How far the collider that lags most is behind, m. */
double prc_contact_collider_lag(const prc_contact_set *set);
/* Which prescribed vertex or collider is farthest from where it should be, at contact_work.positions; into the report.
 */
void prc_contact_report_lag(prc_sim *sim);
/* step/start.c: treats a state that intersects or is too close by contact.start; refused ones leave positions that were
 * perhaps moved. */
prc_result prc_start_settle(prc_sim *sim, prc_error *error);
/* … and after that, on a device: pressures and gaps of the state there. */
prc_result prc_start_measure(prc_sim *sim, prc_error *error);
/* step/exempt.c: after a step to `positions`, which pairs are still exempt. Does nothing where none were. */
prc_result prc_exempt_follow(prc_sim *sim, const double *positions, prc_error *error);
/* Whether a bad start allows a triangle (or an edge or vertex, which names vertices twice) to be in a collider still.
 */
bool prc_exempt_excuses(const prc_sim *sim, const int v[3], int collider);
/* step/sim.c: evaluates the elastic stage at u = 0 about `positions` (NULL: the state), without damping, on the host;
 * the state is put back. Returns the view it was done with: field trial is argument[0], trial_gradient argument[1]. */
prc_view prc_sim_evaluate_at(prc_sim *sim, const double *positions);
/* step/sim.c: from the internal order, components apart, to the caller's, interleaved; and the same of a REAL vertex
 * field of the host. */
void prc_sim_to_caller(const prc_sim *sim, const double *from, int components, double *to);
void prc_sim_deliver(prc_sim *sim, enum prc_field field, int components, double *to);
/* step/sim.c: solver.tolerance as asked for, or what the scene as it is now needs. */
double prc_sim_choose_tolerance(const prc_sim *sim);
/* step/sim.c: prc_sim_create without a look at the start. */
prc_sim *prc_sim_create_untreated(const prc_sim_def *def, prc_error *error);

/* --- step/fingerprint.c --- */

/* Of a sim that has been made from the def. */
uint64_t prc_sim_def_fingerprint(const prc_sim *sim, const prc_sim_def *def);

/* --- step/linear.c --- */

/* Whether the gradient of a linear solve has to be made first, of field model_gradient and the forces of contacts, and
 * whether the model has gone the part slot[PART] of the last solve's correction since: model_gradient follows. */
enum prc_gradient_state { PRC_GRADIENT_THERE, PRC_GRADIENT_ELSEWHERE, PRC_GRADIENT_AFTER_PART };

/* correction = H^-1 (−gradient) at the last linearisation and prc_diagonal_sum, to the relative preconditioned residual
 * `accuracy`, or until what is left is below `floor` (m/s). Leaves PRC_SLOT_DECREASE, −g·p, and PRC_SLOT_INNER. Where
 * `step` is not NULL, also what the stage `widen` makes of the correction and its product without contacts. */
void prc_solve_linear(prc_sim *sim, enum prc_field gradient, bool multilevel, double accuracy, double floor,
                      double *step, enum prc_gradient_state state);
/* Reads and accounts for what it left; returns −g·p. Or only accounts, for a caller who read it himself. */
double prc_solve_linear_read(prc_sim *sim, bool multilevel);
void prc_solve_linear_account(prc_sim *sim, bool multilevel, int iterations);

/* --- step/multilevel.c --- */

/* Whether the solver of this simulation should have coarse levels at all. */
bool prc_multilevel_wanted(const prc_sim *sim);
/* Makes the coarse matrices ready; false where there are no coarse levels. */
bool prc_multilevel_refresh(prc_sim *sim);
/* What the host has of them goes where they are applied. */
void prc_multilevel_send(prc_sim *sim);
/* Tells how many iterations a linear solve took: decides when the coarse matrices are due again. */
void prc_multilevel_account(prc_sim *sim, int iterations);
/* out = D^-1 in + Σ coarse corrections. */
void prc_multilevel_apply(prc_sim *sim, enum prc_field in, enum prc_field out);

#endif
