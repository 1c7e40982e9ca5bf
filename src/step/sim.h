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

/* What is known of the coarse matrices. */
typedef struct prc_coarse {
    bool ready; /* they have been made */
    int usual;  /* iterations of the first linear solve with them */
    int excess; /* … and how many more all later ones took together */
} prc_coarse;

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

/* What getters give, in the caller's order, until the next call of the same one. */
typedef struct prc_handed_out {
    double *positions, *velocities, *masses, *stretches, *pressures, *gaps;
    /* allocated when first asked for: step/measure.c, step/contacts.c */
    double *areas, *stresses, *curvatures, *energies, *residuals, *bounds;
    prc_contact_point *contacts;
    int contact_capacity;
} prc_handed_out;

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
    prc_coarse coarse;          /* … and their matrices */
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
    prc_handed_out out;
    double *hessian;     /* 3 per bond: the curvature fit without the stiffness of bending; made for out.curvatures */
    bool residual_known; /* the state is the end of a step, and the solver's gradient that of it */
    bool grabbed[PRC_GRABS];
    double asked_tolerance; /* solver.tolerance of the def */
};

/* What may take long looks whether the caller wants to interrupt it; or no longer does. */
void prc_sim_heed(prc_sim *sim, bool interrupt);
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

#endif
