/* step/forces.h — springs and pressure as parts of the objective: evaluate.c calls them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_FORCES_H
#define PRC_STEP_FORCES_H

#include "step/sim.h"

prc_result prc_forces_create(prc_sim *sim, const prc_sim_def *def, prc_error *error);
void prc_forces_release(prc_sim *sim);
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

/* --- adopt_forces.c --- */

/* Their constant data go to a site; false when there is no room. Of springs a failure leaves the rows that were there.
 */
bool prc_forces_adopt(prc_sim *sim, prc_site *site);
bool prc_forces_adopt_springs(prc_sim *sim, prc_site *site);
/* Springs that were put anew, and all rows: only for grabs, which are rare. */
prc_result prc_forces_send_springs(prc_sim *sim, prc_error *error);

#endif
