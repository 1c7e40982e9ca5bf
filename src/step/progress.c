/* step/progress.c — guarded moves, and when to stop.
 *
 * The guard compares slopes, not energies: along a straight move of a quadratic the objective falls exactly when the
 * slope turns up by less than it went down. It costs nothing, since the next iteration wants that gradient anyway,
 * and it works in single precision, where the difference of two energies is noise long before the solver is done.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/progress.h"
#include "step/evaluate.h"

#include <math.h>

#define TURN_ALLOWED 0.8 /* how far the slope may turn up, as a share of how far it went down */
#define MOST_HALVINGS 20
#define STALL_AFTER 100 /* iterations without a smaller residual: accelerated methods may rise for a while */

bool prc_progress_go_on(prc_sim *sim, prc_progress *progress)
{
    prc_step_report *r = &sim->report;
    r->residual = r->decrement = prc_residual(sim, PRC_FIELD_gradient);
    prc_trace(sim, PRC_FIELD_u, r->residual);
    if (r->iterations == 0 || r->residual < progress->best) {
        progress->best = r->residual;
        progress->since_best = 0;
    } else {
        progress->since_best++;
    }
    r->converged = r->residual < sim->def.solver.tolerance;
    if (r->converged)
        r->stop = "converged";
    else if (prc_interrupt_ask(&sim->interrupt))
        r->stop = "stopped";
    else if (progress->since_best >= STALL_AFTER || !isfinite(r->residual))
        r->stop = "stalled";
    else if (r->iterations >= sim->def.solver.max_iterations)
        r->stop = "max_iterations";
    else
        return true;
    r->energy_elastic = prc_energy_elastic(sim);
    return false;
}

bool prc_move_try(prc_sim *sim, double decrease, bool linearise)
{
    prc_combine(sim, 1, PRC_FIELD_u, 1, PRC_FIELD_correction, PRC_FIELD_trial);
    prc_evaluate(sim, PRC_FIELD_trial, PRC_FIELD_trial_gradient, linearise);
    double slope = prc_inner(sim, PRC_FIELD_trial_gradient, PRC_FIELD_correction);
    if (!(slope <= TURN_ALLOWED * decrease)) /* also when it is not a number */
        return false;
    prc_copy(sim, PRC_FIELD_trial, PRC_FIELD_u);
    prc_copy(sim, PRC_FIELD_trial_gradient, PRC_FIELD_gradient);
    return true;
}

bool prc_move(prc_sim *sim, double decrease, bool linearise)
{
    for (int halvings = 0; halvings <= MOST_HALVINGS && decrease > 0; halvings++) {
        if (prc_move_try(sim, decrease, linearise))
            return true;
        sim->report.halvings++;
        prc_combine(sim, 0.5, PRC_FIELD_correction, 0, PRC_FIELD_correction, PRC_FIELD_correction);
        decrease /= 2;
    }
    return false;
}

void prc_progress_stall(prc_sim *sim)
{
    prc_step_report *r = &sim->report;
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, false);
    r->residual = r->decrement = prc_residual(sim, PRC_FIELD_gradient);
    r->energy_elastic = prc_energy_elastic(sim);
    r->stop = "stalled";
}
