/* step/solve.h — the solvers: each minimises the objective of the step over field u, which holds the first guess.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_SOLVE_H
#define PRC_STEP_SOLVE_H

#include "step/sim.h"

void prc_solve_newton(prc_sim *sim);
void prc_solve_ncg(prc_sim *sim);
void prc_solve_descent(prc_sim *sim); /* jacobi, chebyshev, anderson */
void prc_solve_sissm(prc_sim *sim);
/* newton with contact: takes its own safe moves; leaves the accepted positions in contact_work. */
prc_result prc_solve_contact(prc_sim *sim, prc_error *error);
/* step/projection.c: the same by projection. */
prc_result prc_solve_projection(prc_sim *sim, prc_error *error);

#endif
