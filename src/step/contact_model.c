/* step/contact_model.c — the direction of an iteration with contact: the minimum of a model of the step's objective.
 *
 * Elasticity and inertia are quadratic in the model, barrier and friction are not linearised, only the gaps are
 * (contact/response.c). A contact is cheap to evaluate against a gap that is known, a whole evaluation is not: surfaces
 * that are about to touch, and barriers that are about to stiffen, are found out here instead of by trial and halving.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include <math.h>

#define MOST_ROUNDS 8
#define ENOUGH 0.3 /* a round whose decrement is this share of the first is the last */
#define MILD 0.2   /* … and so is one at whose end this share of the slope is wrong: contacts were linear enough */
#define TURN_ALLOWED 0.5 /* share of the slope that may have turned up at the end of a step */
#define SLOPE_FOUND 0.1  /* … and at which the search along it ends */
#define MOST_TRIES 12

/* Where along the step the slope a + b t + contacts(t) has risen to about zero: false position, Illinois variant.
 * `surprise`: slope at the end, as a share of that at the start; 0 if contacts were linear. */
static double search(const prc_contact_set *set, double a, double b, double *surprise)
{
    double low = 0, high = 1, at_low = a + prc_contact_slope(set, 0), at_high = a + b + prc_contact_slope(set, 1);
    const double first = fabs(at_low);
    *surprise = fabs(at_high) / first;
    if (!(at_low < 0) || at_high <= TURN_ALLOWED * first)
        return 1;
    for (int k = 0; k < MOST_TRIES; k++) {
        const double t = low - at_low * (high - low) / (at_high - at_low);
        const double slope = a + b * t + prc_contact_slope(set, t);
        if (fabs(slope) <= SLOPE_FOUND * first)
            return t;
        if (slope < 0) {
            low = t;
            at_low = slope;
            at_high /= 2;
        } else {
            high = t;
            at_high = slope;
            at_low /= 2;
        }
    }
    return low > 0 ? low : high;
}

double prc_contact_direction(prc_sim *sim, const double *y, double *p, double *step)
{
    prc_contact_set *set = &sim->contact;
    const size_t n = 3 * (size_t)sim->view.padded_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    double first = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        prc_copy(sim, PRC_FIELD_model_gradient, PRC_FIELD_trial_gradient);
        sim->model.backend->contact_gradient(&sim->view, &set->active, sim->view.field[PRC_FIELD_trial_gradient]);
        prc_diagonal(sim, PRC_DIAGONAL_EXACT);
        const bool multilevel = set->active.count == 0 && prc_multilevel_refresh(sim);
        const double decrease =
            prc_solve_linear(sim, PRC_FIELD_trial_gradient, multilevel, sim->def.solver.inner_tolerance, 0);
        if (round == 0)
            first = decrease;
        sim->model.backend->download(step, sim->view.field[PRC_FIELD_correction], n);
        prc_contact_aim(set, y, x, p, step);
        prc_product(sim, PRC_FIELD_correction, PRC_FIELD_product);
        double surprise;
        const double start = prc_seconds();
        const double t = search(set, prc_inner(sim, PRC_FIELD_model_gradient, PRC_FIELD_correction),
                                prc_inner(sim, PRC_FIELD_correction, PRC_FIELD_product), &surprise);
        set->seconds_forces += prc_seconds() - start;
        for (size_t k = 0; k < n; k++)
            p[k] += t * step[k];
        if (decrease <= ENOUGH * ENOUGH * first || surprise < MILD || set->contact_count == 0)
            break;
        prc_combine(sim, 1, PRC_FIELD_model_gradient, t, PRC_FIELD_product, PRC_FIELD_model_gradient);
        prc_contact_shift(set, t);
        if (set->active.count == 0)
            break;
    }
    return first;
}
