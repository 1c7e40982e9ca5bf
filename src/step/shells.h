/* step/shells.h — the surfaces of colliders that are meshes, which are obstacles hidden from callers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_SHELLS_H
#define PRC_STEP_SHELLS_H

#include "step/sim.h"

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

#endif
