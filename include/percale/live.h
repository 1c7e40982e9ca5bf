/* percale/live.h — changing a running simulation, and reading its contacts.
 *
 * Call these functions between two steps; they work on every backend and take effect from the next step on. These
 * settings are not part of a saved state: a restored state continues with the current settings. The guarantee of
 * contact holds all the same: no setting lets surfaces pass through each other.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_LIVE_H
#define PERCALE_LIVE_H

#include <percale/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- settings; an invalid value, such as NULL, is refused (PRC_ERROR_INPUT) and changes nothing --- */

prc_result prc_sim_set_gravity(prc_sim *sim, const double gravity[3], prc_error *error); /* m/s² */
prc_result prc_sim_set_air(prc_sim *sim, const prc_air_def *air, prc_error *error); /* wind, density, drag, gusts */
prc_result prc_sim_set_wind(prc_sim *sim, const double wind[3], prc_error *error);  /* m/s: only the wind of the air */
/* Length of the following steps, s. The first of them uses implicit Euler, whatever time.integrator. */
prc_result prc_sim_set_step(prc_sim *sim, double step, prc_error *error);
/* Coulomb coefficient of a body or, counted after the bodies, an obstacle. If `body` is −1: of all bodies and obstacles
 * that have none of their own, neither from the def nor from this function. Needs contact. Does not change
 * contact.pairs. */
prc_result prc_sim_set_friction(prc_sim *sim, int body, double friction, prc_error *error);
/* Coulomb coefficient of a collider; negative: that of the body that touches it. */
prc_result prc_sim_set_collider_friction(prc_sim *sim, int collider, double friction, prc_error *error);

/* The current settings. */
void prc_sim_gravity(const prc_sim *sim, double gravity[3]);
prc_air_def prc_sim_air(const prc_sim *sim);
double prc_sim_step_length(const prc_sim *sim);
double prc_sim_friction(const prc_sim *sim, int body); /* 0 without contact, or if there is no such body */

/* Changes everything else, such as materials: replaces the simulation by one made from another def, which may differ
 * from the original one in numbers only (the same meshes in the same places, pins, colliders, obstacles and springs;
 * contact enabled or disabled as before). Time, positions, velocities, pins, colliders, poses set by hand and grabs are
 * kept; settings are those of the def. On failure *sim is unchanged; otherwise the old simulation is destroyed. If the
 * state is too close for a larger contact thickness or a collider of another size, contact.start decides. A pin that no
 * longer has a motion holds its vertices where they are. */
prc_result prc_sim_remake(prc_sim **sim, const prc_sim_def *def, prc_error *error);

/* --- colliders and obstacles, moved by hand --- */

/* Moves the collider to `pose` in the next step. The pose is relative to the place that its def gives it without its
 * motion: rotated about its center, then translated (the time of the key is ignored). The collider moves there in one
 * step and then stays; if cloth is in the way it moves as far as it can, and on in the next steps: see `largest_lag`. A
 * long move in one step hits cloth hard: divide it into several. NULL: it follows its own motion again. Needs
 * contact. */
prc_result prc_sim_move_collider(prc_sim *sim, int collider, const prc_pose_key *pose, prc_error *error);
/* The same for an obstacle (0: the first), rotated about the center of its motion. Its animation continues. */
prc_result prc_sim_move_obstacle(prc_sim *sim, int obstacle, const prc_pose_key *pose, prc_error *error);
/* The current pose of a collider: x = turn x0 + shift, where x0 is a point of it at the place that its def gives it
 * without its motion; turn is stored by rows. */
void prc_sim_collider_pose(const prc_sim *sim, int collider, double turn[9], double shift[3]);
int prc_sim_collider_count(const prc_sim *sim); /* 0 without contact */

/* --- dragging --- */

#define PRC_GRABS 16 /* maximum number at a time */

/* A soft pin: a spring from a point of a body to a target point. It is an ordinary force, so it cannot overcome
 * contact. */
typedef struct prc_grab_def {
    int body;
    int vertex[3];    /* of the body; those with nonzero weights must differ */
    double weight[3]; /* the point is Σ weight × vertex; weights add up to 1. Default: the first vertex alone */
    double target[3]; /* m */
    double stiffness; /* N/m; 0: the stretching stiffness of the cloth there */
    double damping;   /* N s/m */
    double limit;     /* maximum pull, N; 0: no limit */
} prc_grab_def;

/* Default: vertex 0 of body 0, as stiff as the cloth, without a limit; set `target`. */
prc_grab_def prc_grab_def_default(void);

/* Starts a grab; *grab is its number for the functions below until it ends. The first grab of a simulation allocates
 * memory. */
prc_result prc_sim_grab(prc_sim *sim, const prc_grab_def *def, int *grab, prc_error *error);
prc_result prc_sim_grab_move(prc_sim *sim, int grab, const double target[3], prc_error *error);
void prc_sim_grab_end(prc_sim *sim, int grab); /* does nothing if it has already ended */
/* The position of the grabbed point (m) and the pull on it, without damping (N); either may be NULL. False if there is
 * no such grab. */
bool prc_sim_grab_read(prc_sim *sim, int grab, double point[3], double *force);

/* --- contacts --- */

/* A contact: two surfaces that push each other apart, or a surface and a collider. */
typedef struct prc_contact_point {
    double point[3];  /* on side A, m */
    double normal[3]; /* from B to A, unit */
    double gap;       /* distance minus thickness, m */
    double force[3];  /* on side A: normal force and friction, N */
    int body[2];      /* of sides A and B; −1 for a collider */
    int collider;     /* −1 for none */
    int a_count, b_count,
        vertices[4]; /* numbered in the whole simulation: 1 and 3, 2 and 2; with a collider 1, 2 or 3 and 0 */
} prc_contact_point;

/* Computes the contacts of the current state, as the next step will find them; *points is valid until the next call
 * with this sim. None without contact. The call does not change later steps, not even by rounding. */
prc_result prc_sim_contacts(prc_sim *sim, const prc_contact_point **points, int *count, prc_error *error);
/* Computes one distance per vertex, m, in the caller's order: all vertices may move this far at the same time, in any
 * direction, without any two surfaces touching. INFINITY without contact; NULL when out of memory. */
const double *prc_sim_safe_bounds(prc_sim *sim);

#ifdef __cplusplus
}
#endif
#endif
