/* step/evaluate.h — what all solvers share: the objective, its gradient and its tangent.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_EVALUATE_H
#define PRC_STEP_EVALUATE_H

#include "step/sim.h"

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

#endif
