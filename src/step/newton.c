/* step/newton.c — Gauss–Newton with preconditioned conjugate gradients: the default solver.
 *
 * Each iteration solves H p = −g loosely, moves, and halves the move while the slope along it has turned upwards by
 * more than it went down (docs/theory.md, Eq. 5.5): this test needs only the gradient that the next iteration wants
 * anyway, and works in single precision, where differences of energies do not. The step has converged when the Newton
 * decrement, sqrt(−g·p/M), a velocity, is below the tolerance. SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/linear.h"
#include "step/sim.h"
#include "step/solve.h"

#include <math.h>

#define MOST_HALVINGS 6
#define TURN_ALLOWED 0.8 /* how far the slope may turn up before the move is halved */
#define SECANT_FROM 0.4  /* share of the slope left from which the move is lengthened */
#define SECANT_MOST 8.0
#define LONGER_TRIES 4
#define ENOUGH 0.5     /* linear solves stop at this share of the step's tolerance */
#define STALL_AFTER 12 /* iterations without a smaller decrement: rounding has been reached */

/* Tries u + length × correction, with gradient and tangent there; returns the slope along the correction. */
static double try_length(prc_sim *sim, double length)
{
    prc_combine(sim, 1, PRC_FIELD_u, length, PRC_FIELD_correction, PRC_FIELD_trial);
    prc_evaluate(sim, PRC_FIELD_trial, PRC_FIELD_trial_gradient, true);
    return prc_inner(sim, PRC_FIELD_trial_gradient, PRC_FIELD_correction);
}

/* Goes on along the correction from length 1, where `slope` (negative) is left: by the secant rule outwards, by false
 * position back in where that went past the valley. The slope rises steeply there (bending turns into stretching), so
 * the way back is at least halved. Leaves the trial at the best length found. */
static void lengthen(prc_sim *sim, double decrease, double slope)
{
    double low = 1, low_slope = slope, high = 0, high_slope = 0;
    double next = fmin(1 / fmax(1 + slope / decrease, 1e-3), SECANT_MOST);
    for (int k = 0; k < LONGER_TRIES; k++) {
        const double at = try_length(sim, next);
        if (fabs(at) <= SECANT_FROM * decrease)
            return;
        if (at < 0) {
            low = next;
            low_slope = at;
        } else {
            high = next;
            high_slope = at;
        }
        if (high == 0)
            return; /* still going down at the largest length: enough for one move */
        next = low + (high - low) * fmin(0.5, -low_slope / (high_slope - low_slope));
        next = fmax(next, low + 0.1 * (high - low));
    }
    try_length(sim, low);
}

/* Moves along the correction: halves while the slope has turned up, goes on where most of it is still left. The
 * Gauss–Newton matrix is too stiff along buckling modes, and without the second part the iteration would creep along
 * them. Returns the number of halvings; −1 where forces are finite at no length that was tried, and u stays. */
static int move(prc_sim *sim, double decrease)
{
    double length = 1, slope = try_length(sim, length);
    int halvings = 0;
    while (!(slope <= TURN_ALLOWED * decrease) && halvings < MOST_HALVINGS) {
        halvings++;
        slope = try_length(sim, length /= 2);
    }
    if (!isfinite(slope)) {
        prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
        return -1;
    }
    if (halvings == 0 && -slope > SECANT_FROM * decrease)
        lengthen(sim, decrease, slope);
    prc_copy(sim, PRC_FIELD_trial, PRC_FIELD_u);
    prc_copy(sim, PRC_FIELD_trial_gradient, PRC_FIELD_gradient);
    return halvings;
}

/* How exactly the next linear system is worth solving: the faster the decrement falls, the more (after Eisenstat and
 * Walker). */
static double linear_accuracy(const prc_solver_def *def, double before, double now)
{
    if (!(before > 0))
        return def->inner_tolerance;
    const double fall = now / before;
    return fmin(def->inner_tolerance, fmax(0.1 * fall * fall, 0.03 * def->inner_tolerance));
}

void prc_solve_newton(prc_sim *sim)
{
    prc_step_report *r = &sim->report;
    const prc_solver_def *def = &sim->def.solver;
    double best = INFINITY, before = 0;
    int since_best = 0;
    bool renewed = false;
    prc_trace(sim, PRC_FIELD_u, prc_evaluate_first(sim));
    r->stop = "max_iterations";
    while (r->iterations < def->max_iterations && !prc_interrupt_ask(&sim->interrupt)) {
        prc_diagonal_sum(sim, PRC_DIAGONAL_EXACT);
        const double accuracy = linear_accuracy(def, before, r->decrement);
        before = r->decrement;
        const bool multilevel = prc_multilevel_refresh(sim);
        prc_solve_linear(sim, PRC_FIELD_gradient, multilevel, accuracy, ENOUGH * def->tolerance, NULL,
                         PRC_GRADIENT_THERE);
        const double decrease = prc_solve_linear_read(sim, multilevel);
        if (prc_interrupt_came(&sim->interrupt))
            break;
        const int halvings = prc_decrease_is_true(sim, decrease) ? move(sim, decrease) : -1;
        if (halvings < 0 && multilevel && !renewed) { /* old coarse matrices may be to blame */
            sim->coarse.ready = false;
            renewed = true;
            continue;
        }
        if (halvings < 0) {
            r->stop = "stalled";
            break;
        }
        r->iterations++;
        r->halvings += halvings;
        r->decrement = sqrt(fmax(decrease, 0) / sim->free_mass);
        prc_trace(sim, PRC_FIELD_u, prc_residual(sim, PRC_FIELD_gradient));
        if (r->decrement < def->tolerance && halvings == 0) {
            r->converged = true;
            r->stop = "converged";
            break;
        }
        since_best = r->decrement < best ? 0 : since_best + 1;
        best = fmin(best, r->decrement);
        if (since_best >= STALL_AFTER) {
            r->stop = "stalled";
            break;
        }
    }
    r->residual = prc_residual(sim, PRC_FIELD_gradient);
    r->energy_elastic = prc_energy_elastic(sim);
}
