/* percale/live.h — changing a simulation while it runs, and looking into its contacts.
 *
 * All of it is for between two steps, on every backend, and holds from the next step on. What is set here is the
 * caller's: it is no part of a saved state, and a state that is restored is gone on with under what is set now. The
 * guarantee is that of every step: nothing set here lets surfaces pass through each other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_LIVE_H
#define PERCALE_LIVE_H

#include <percale/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- settings; a value that makes no sense, NULL for instance, is refused (PRC_ERROR_INPUT) and changes nothing --- */

prc_result prc_sim_set_gravity(prc_sim *sim, const double gravity[3], prc_error *error); /* m/s² */
prc_result prc_sim_set_air(prc_sim *sim, const prc_air_def *air, prc_error *error); /* wind, density, drag, gusts */
prc_result prc_sim_set_wind(prc_sim *sim, const double wind[3], prc_error *error);  /* m/s: of the air, its wind */
/* Length of the steps to come, s. The first of them is implicit Euler, whatever time.integrator. */
prc_result prc_sim_set_step(prc_sim *sim, double step, prc_error *error);
/* Coulomb's coefficient of a body or, counted after the bodies, an obstacle; −1 for `body`: of all that had none of
 * their own in the def, and still have none. Needs contact. Pairs of the def (contact.pairs) keep theirs. */
prc_result prc_sim_set_friction(prc_sim *sim, int body, double friction, prc_error *error);
/* … of a collider; negative: that of the body that touches it. */
prc_result prc_sim_set_collider_friction(prc_sim *sim, int collider, double friction, prc_error *error);

/* The settings as they are now. */
void prc_sim_gravity(const prc_sim *sim, double gravity[3]);
prc_air_def prc_sim_air(const prc_sim *sim);
double prc_sim_step_length(const prc_sim *sim);
double prc_sim_friction(const prc_sim *sim, int body); /* 0 without contact, and of a body that there is not */

/* Everything else, materials above all: exchanges the simulation for one that is made from another def, which differs
 * from the one *sim was made from in numbers only (the same meshes in the same places, pins, colliders, obstacles and
 * springs; contact enabled or not as before). Time, positions, velocities, pins, colliders, poses given by hand and
 * grabs go over; settings are those of the def. On failure *sim is left as it was; else the old one has been destroyed.
 * A state that is too close for a larger contact thickness, or for a collider of another size, is treated by
 * contact.start. A pin that has no motion any more holds its vertices where they are. */
prc_result prc_sim_remake(prc_sim **sim, const prc_sim_def *def, prc_error *error);

/* --- colliders and obstacles, moved by hand --- */

/* From the next step on the collider is to be at `pose`, against where its def puts it without its motion: turned about
 * its center, then moved (the time of the key means nothing). It goes there in one step and then stays; where cloth is
 * in the way it goes as far as that lets it, and on in the next steps: `largest_lag` tells. A far jump is a blow: give
 * it in parts. NULL: its own motion has it again. Needs contact. */
prc_result prc_sim_move_collider(prc_sim *sim, int collider, const prc_pose_key *pose, prc_error *error);
/* The same of an obstacle (0: the first), turned about the center of its motion. An animation goes on. */
prc_result prc_sim_move_obstacle(prc_sim *sim, int obstacle, const prc_pose_key *pose, prc_error *error);
/* Where a collider is now: x = turn x0 + shift takes a point of it from where its def puts it without its motion; turn
 * by rows. */
void prc_sim_collider_pose(const prc_sim *sim, int collider, double turn[9], double shift[3]);
int prc_sim_collider_count(const prc_sim *sim); /* 0 without contact */

/* --- dragging --- */

#define PRC_GRABS 16 /* most at a time */

/* A soft pin: a spring from a point of a body to a place. It is a force like any other, so contact comes first. */
typedef struct prc_grab_def {
    int body;
    int vertex[3];    /* of the body; all different where their weights are not 0 */
    double weight[3]; /* the point is Σ weight × vertex; they add up to 1. By default the first vertex alone */
    double target[3]; /* m */
    double stiffness; /* N/m; 0: as stiff as the cloth there is against stretching */
    double damping;   /* N s/m */
    double limit;     /* it never pulls harder than this, N; 0: no limit */
} prc_grab_def;

/* A grab of vertex 0 of body 0, as stiff as the cloth, without a limit; `target` is to be set. */
prc_grab_def prc_grab_def_default(void);

/* Takes hold; *grab is the number for the functions below until it is let go. The first one in a life of a simulation
 * allocates. */
prc_result prc_sim_grab(prc_sim *sim, const prc_grab_def *def, int *grab, prc_error *error);
prc_result prc_sim_grab_move(prc_sim *sim, int grab, const double target[3], prc_error *error);
void prc_sim_grab_end(prc_sim *sim, int grab); /* does nothing where it has ended already */
/* Where the point is that is held (m) and how hard it is pulled, damping left out (N); either may be NULL. False where
 * there is no such grab. */
bool prc_sim_grab_read(prc_sim *sim, int grab, double point[3], double *force);

/* --- contacts --- */

/* Two surfaces that push each other apart, or a surface and a collider. */
typedef struct prc_contact_point {
    double point[3];                   /* on side A, m */
    double normal[3];                  /* from B to A, unit */
    double gap;                        /* distance less thickness, m */
    double force[3];                   /* on side A: along the normal, and friction, N */
    int body[2];                       /* of sides A and B; −1 for a collider */
    int collider;                      /* −1 for none */
    int a_count, b_count, vertices[4]; /* of the whole simulation: 1 and 3, 2 and 2; with a collider 1, 2 or 3 and 0 */
} prc_contact_point;

/* The contacts of the state as the next step finds them, computed by the call; *points is valid until the next call
 * with this sim. None without contact. Steps are the same, to the bit, whether this is called or not. */
prc_result prc_sim_contacts(prc_sim *sim, const prc_contact_point **points, int *count, prc_error *error);
/* One number per vertex, m, in the caller's order: all vertices may move this far at once, in any direction, and no two
 * surfaces touch. Without contact INFINITY. Computed by the call; NULL when out of memory. */
const double *prc_sim_safe_bounds(prc_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
