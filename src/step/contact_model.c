/* step/contact_model.c — the direction of an iteration with contact: the minimum of a model of the step's objective.
 *
 * Elasticity and inertia are quadratic in the model, barrier and friction are not linearised, only the gaps are
 * (contact/response.c). A contact is cheap to evaluate against a gap that is known, a whole evaluation is not: surfaces
 * that are about to touch, and barriers that are about to stiffen, are found out here instead of by trial and halving.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/contact_step.h"
#include "step/evaluate.h"
#include "step/linear.h"
#include "step/sim.h"

#include <math.h>

#define ENOUGH_LINEAR 0.3 /* linear solves stop at this share of the step's tolerance */
#define ENOUGH 0.3        /* a round whose decrement is this share of the first is the last */
#define MILD 0.2 /* … and so is one at whose end this share of the slope is wrong: contacts were linear enough */

/* Whether no contact pushes, for the coarse levels do not know of any. A device is waited for once in a step at most:
 * what the model has shifted is taken to be felt. */
static bool nothing_is_felt(prc_sim *sim, int round)
{
    prc_contact_set *set = &sim->contact;
    if (set->table && set->contact_count + set->lagged_count > 0 && (round > 0 || sim->prescribed_lag))
        return false;
    return prc_contact_active_count(set) == 0;
}

double prc_contact_direction(prc_sim *sim, const double *y, double *p, double *step, int most_rounds, double *longest)
{
    prc_contact_set *set = &sim->contact;
    const prc_backend *backend = sim->model.backend;
    prc_view *v = &sim->view;
    double first = 0;
    *longest = 0;
    if (sim->prescribed_lag) { /* the model begins where pins and obstacles will be */
        const double whole = 1;
        prc_run(sim, PRC_STAGE_clear, step, NULL, NULL, NULL);
        prc_put(sim, &v->slot[PRC_SLOT_PART], &whole, sizeof whole);
        prc_contact_aim(set, y, prc_field_position(v), step, p);
        prc_contact_shift(set, v->slot);
    }
    prc_diagonal_sum(sim, PRC_DIAGONAL_EXACT);
    for (int round = 0; round < most_rounds && !prc_interrupt_ask(&sim->interrupt); round++) {
        /* That of the last evaluation, as long as the model is there where it was made. */
        const enum prc_gradient_state state = round > 0             ? PRC_GRADIENT_AFTER_PART
                                              : sim->prescribed_lag ? PRC_GRADIENT_ELSEWHERE
                                                                    : PRC_GRADIENT_THERE;
        const enum prc_field gradient = state == PRC_GRADIENT_THERE ? PRC_FIELD_gradient : PRC_FIELD_trial_gradient;
        const bool multilevel =
            sim->hierarchy.level_count > 0 && nothing_is_felt(sim, round) && prc_multilevel_refresh(sim);
        prc_solve_linear(sim, gradient, multilevel, sim->def.solver.inner_tolerance,
                         ENOUGH_LINEAR * sim->def.solver.tolerance, step, state);
        if (prc_interrupt_came(&sim->interrupt))
            break;
        prc_contact_search(set, y, prc_field_position(v), p, step, v->slot);
        v->argument[0] = p;
        v->argument[1] = step;
        prc_run_largest(sim, PRC_STAGE_add_part, 1, PRC_SLOT_LONGEST);
        double found[PRC_SLOT_LONGEST + 1];
        backend->read(v, 0, PRC_SLOT_LONGEST + 1, found);
        *longest = sqrt(found[PRC_SLOT_LONGEST]);
        if (!isfinite(*longest))
            return NAN;
        prc_solve_linear_account(sim, multilevel, (int)found[PRC_SLOT_INNER]);
        const double decrease = found[PRC_SLOT_DECREASE];
        if (round == 0)
            first = decrease;
        if (decrease <= ENOUGH * ENOUGH * first || found[PRC_SLOT_SURPRISE] < MILD || set->contact_count == 0)
            break;
        prc_contact_shift(set, v->slot);
        if (!set->table && set->active.count == 0) /* a device would have to be waited for */
            break;
    }
    return first;
}
