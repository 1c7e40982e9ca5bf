/* step/linear.h — linear solves and their preconditioner: linear.c, multilevel.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_LINEAR_H
#define PRC_STEP_LINEAR_H

#include "step/sim.h"

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

/* --- multilevel.c --- */

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
