/* step/contact_step.h — what contact.c shares with other files: where a step starts from, moves, and what lags behind.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_CONTACT_STEP_H
#define PRC_STEP_CONTACT_STEP_H

#include "step/sim.h"

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

#endif
