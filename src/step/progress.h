/* step/progress.h — what the solvers without a linear solve share: guarded moves, and when to stop.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_PROGRESS_H
#define PRC_STEP_PROGRESS_H

#include "step/sim.h"

typedef struct prc_progress {
    double best;    /* smallest residual so far */
    int since_best; /* iterations since then */
} prc_progress;

/* Reports and traces the state in u and gradient; false when the step has converged, stalled or used up its iterations.
 * Call it before the first iteration and after each one. */
bool prc_progress_go_on(prc_sim *sim, prc_progress *progress);

/* Moves u by the correction if the slope along it, −decrease before, does not turn up by more than it went down.
 * True: u and gradient are the new ones (and the tangent with `linearise`); false: they are the old ones. */
bool prc_move_try(prc_sim *sim, double decrease, bool linearise);
/* The same, and halves the correction until that holds; false: no length would do, which only rounding can cause. */
bool prc_move(prc_sim *sim, double decrease, bool linearise);

/* Ends a step in which no move was left: the last evaluation is again that of u. */
void prc_progress_stall(prc_sim *sim);

#endif
