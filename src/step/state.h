/* step/state.h — what lasts from step to step, kept and put back: state.c, fingerprint.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_STATE_H
#define PRC_STEP_STATE_H

#include "step/sim.h"

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

/* Of a sim that has been made from the def. */
uint64_t prc_sim_def_fingerprint(const prc_sim *sim, const prc_sim_def *def);

#endif
