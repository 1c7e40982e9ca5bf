/* step/contact_model.c — the direction of an iteration with contact: the minimum of a model of the step's objective.
 *
 * Elasticity and inertia are quadratic in the model, barrier and friction are not linearised, only the gaps are
 * (contact/response.c). A contact is cheap to evaluate against a gap that is known, a whole evaluation is not: surfaces
 * that are about to touch, and barriers that are about to stiffen, are found out here instead of by trial and halving.
 * What is prescribed has made its move before the model begins: cloth gets out of the way of an obstacle that way,
 * which else would wait for it. The linear systems are solved no further than the tolerance of the step has use for.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#define MOST_ROUNDS 8
#define ENOUGH 0.3        /* a round whose decrement is this share of the first is the last */
#define ENOUGH_AT_ALL 0.3 /* share of the tolerance below which a linear system is solved */
#define MILD 0.2 /* … and so is one at whose end this share of the slope is wrong: contacts were linear enough */

/* Slopes of elasticity and inertia along the correction, at its start and what they grow by. */
static void find_slopes(prc_sim *sim)
{
    const prc_backend *backend = sim->model.backend;
    const prc_view *v = &sim->view;
    prc_product(sim, PRC_FIELD_correction, PRC_FIELD_product);
    backend->dot_to_slot(v, v->field[PRC_FIELD_model_gradient], v->field[PRC_FIELD_correction], PRC_SLOT_SLOPE);
    backend->dot_to_slot(v, v->field[PRC_FIELD_correction], v->field[PRC_FIELD_product], PRC_SLOT_CURVATURE);
}

/* Contacts as they are when the moves that are prescribed, in p, have been made. `none` is work space. */
static void make_prescribed(prc_sim *sim, const double *y, const double *p, double *none)
{
    prc_view *v = &sim->view;
    const double whole = 1;
    prc_combine(sim, 0, PRC_FIELD_correction, 0, PRC_FIELD_correction, PRC_FIELD_correction);
    prc_run(sim, PRC_STAGE_widen, v->field[PRC_FIELD_correction], none, NULL, NULL);
    prc_put(sim, &v->slot[PRC_SLOT_PART], &whole, sizeof whole);
    prc_contact_aim(&sim->contact, y, v->field[PRC_FIELD_position], none, p);
    prc_contact_shift(&sim->contact, v->slot);
}

double prc_contact_direction(prc_sim *sim, const double *y, double *p, double *step, bool prescribed)
{
    prc_contact_set *set = &sim->contact;
    const prc_backend *backend = sim->model.backend;
    prc_view *v = &sim->view;
    double first = 0;
    if (prescribed && set->contact_count > 0)
        make_prescribed(sim, y, p, step);
    for (int round = 0; round < MOST_ROUNDS; round++) {
        prc_copy(sim, PRC_FIELD_model_gradient, PRC_FIELD_trial_gradient);
        backend->contact_gradient(v, &set->active, v->field[PRC_FIELD_trial_gradient]);
        prc_diagonal(sim, PRC_DIAGONAL_EXACT);
        const bool multilevel =
            sim->hierarchy.level_count > 0 && prc_contact_active_count(set) == 0 && prc_multilevel_refresh(sim);
        prc_solve_linear(sim, PRC_FIELD_trial_gradient, multilevel, sim->def.solver.inner_tolerance,
                         ENOUGH_AT_ALL * sim->def.solver.tolerance);
        prc_run(sim, PRC_STAGE_widen, v->field[PRC_FIELD_correction], step, NULL, NULL);
        prc_contact_aim(set, y, v->field[PRC_FIELD_position], p, step);
        find_slopes(sim);
        prc_contact_search(set, v->slot);
        prc_run(sim, PRC_STAGE_add_part, p, step, NULL, NULL);
        double found[PRC_SLOT_SURPRISE + 1];
        backend->read(v, 0, PRC_SLOT_SURPRISE + 1, found);
        prc_solve_linear_account(sim, multilevel, (int)found[PRC_SLOT_INNER]);
        const double decrease = found[PRC_SLOT_DECREASE];
        if (round == 0)
            first = decrease;
        if (decrease <= ENOUGH * ENOUGH * first || found[PRC_SLOT_SURPRISE] < MILD || set->contact_count == 0)
            break;
        prc_run(sim, PRC_STAGE_combine_part, v->field[PRC_FIELD_model_gradient], v->field[PRC_FIELD_product],
                v->field[PRC_FIELD_model_gradient], NULL);
        prc_contact_shift(set, v->slot);
        if (prc_contact_active_count(set) == 0)
            break;
    }
    return first;
}
