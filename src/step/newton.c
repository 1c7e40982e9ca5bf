/* step/newton.c — Gauss–Newton with preconditioned conjugate gradients: the default solver.
 *
 * Each iteration solves H p = −g loosely, moves, and halves the move while the slope along it has turned upwards by
 * more than it went down (docs/theory.md, Eq. 5.5): this test needs only the gradient that the next iteration wants
 * anyway, and works in single precision, where differences of energies do not. The step has converged when the Newton
 * decrement, sqrt(−g·p/M), a velocity, is below the tolerance. SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include <math.h>

#define MOST_HALVINGS 6
#define TURN_ALLOWED 0.8 /* how far the slope may turn up before the move is halved */
#define SECANT_FROM 0.4  /* share of the slope left from which the move is lengthened */
#define SECANT_MOST 8.0
#define LONGER_TRIES 4
#define ENOUGH 0.5     /* linear solves stop at this share of the step's tolerance */
#define STALL_AFTER 12 /* iterations without a smaller decrement: rounding has been reached */

/* correction = H^-1 (−gradient), to the relative preconditioned residual `accuracy`, and no further than the step's
 * tolerance asks for. Returns −g·p. */
static double solve_linear(prc_sim *sim, bool multilevel, double accuracy)
{
    const prc_backend *backend = sim->model.backend;
    prc_view *v = &sim->view;
    const prc_solver_def *def = &sim->def.solver;
    prc_combine(sim, -1, PRC_FIELD_gradient, 0, PRC_FIELD_gradient, PRC_FIELD_residual);
    prc_combine(sim, 0, PRC_FIELD_gradient, 0, PRC_FIELD_gradient, PRC_FIELD_correction);
    if (multilevel)
        prc_multilevel_apply(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    else
        prc_precondition(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    prc_copy(sim, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    double rz = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    const double floor = ENOUGH * def->tolerance;
    const double enough = fmax(rz * accuracy * accuracy, floor * floor * sim->free_mass);
    const int before = sim->report.inner_iterations;
    for (int k = 0; k < def->max_inner && rz > 0; k++) {
        prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
        double curvature = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_product);
        if (!(curvature > 0))
            break; /* only rounding can make a positive definite form vanish */
        v->number[0] = rz / curvature;
        backend->run(v, PRC_STAGE_cg_step);
        sim->report.inner_iterations++;
        if (multilevel)
            prc_multilevel_apply(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        double next = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        if (!(next > enough))
            break;
        prc_combine(sim, 1, PRC_FIELD_preconditioned, next / rz, PRC_FIELD_direction, PRC_FIELD_direction);
        rz = next;
    }
    if (multilevel)
        prc_multilevel_account(sim, sim->report.inner_iterations - before);
    return -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction);
}

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
 * them. Returns the number of halvings. */
static int move(prc_sim *sim, double decrease)
{
    double length = 1, slope = try_length(sim, length);
    int halvings = 0;
    while (!(slope <= TURN_ALLOWED * decrease) && halvings < MOST_HALVINGS) {
        halvings++;
        slope = try_length(sim, length /= 2);
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
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    prc_trace(sim, PRC_FIELD_u, prc_residual(sim, PRC_FIELD_gradient));
    r->stop = "max_iterations";
    while (r->iterations < def->max_iterations) {
        prc_diagonal(sim, PRC_DIAGONAL_EXACT);
        const double accuracy = linear_accuracy(def, before, r->decrement);
        before = r->decrement;
        double decrease = solve_linear(sim, prc_multilevel_refresh(sim), accuracy);
        if (!isfinite(decrease))
            break;
        int halvings = move(sim, decrease);
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
