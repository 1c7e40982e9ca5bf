/* step/frame.h — how a step begins and ends, whatever solves it: begin.c, accept.c, advice.c, and of sim.c what is
 * prescribed. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_FRAME_H
#define PRC_STEP_FRAME_H

#include "step/sim.h"

/* The step in progress is the one that begins now, as a whole: so it is between steps. */
void prc_step_aim(prc_sim *sim);
/* … or part k of so many equal ones of it. */
void prc_step_aim_part(prc_sim *sim, int k, int parts);

/* Where all obstacles have to be at `time`, into obstacle_target. */
prc_result prc_obstacles_aim(prc_sim *sim, double time, prc_error *error);
/* Which pins hold at the end `time` of the step, and where their vertices have to be then. */
prc_result prc_pins_aim(prc_sim *sim, double time, prc_error *error);
/* Pins that rest hold what a new state has put elsewhere where it is now. */
void prc_sim_pins_stay(prc_sim *sim);

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

#endif
