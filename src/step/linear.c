/* step/linear.c — preconditioned conjugate gradients for H p = −g: elasticity, inertia, drag, and the contacts that are
 * active. A device does all of it by itself; here is what the host does where there is none, and with pressure.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/linear.h"
#include "step/evaluate.h"
#include "step/sim.h"

#include <math.h>

static void precondition(prc_sim *sim, bool multilevel)
{
    if (multilevel)
        prc_multilevel_apply(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    else
        prc_precondition(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
}

static void multiply(prc_sim *sim)
{
    prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
    if (sim->contact.table || sim->contact.active.count > 0) {
        const double start = prc_seconds();
        sim->model.backend->contact_product(&sim->view, &sim->contact.active, sim->view.field[PRC_FIELD_direction],
                                            sim->view.field[PRC_FIELD_product]);
        sim->report.seconds_product += prc_seconds() - start;
    }
}

/* Returns the number of iterations. */
static int iterate(prc_sim *sim, enum prc_field gradient, bool multilevel, double accuracy, double floor)
{
    int iterations = 0;
    prc_combine(sim, -1, gradient, 0, gradient, PRC_FIELD_residual);
    prc_combine(sim, 0, gradient, 0, gradient, PRC_FIELD_correction);
    precondition(sim, multilevel);
    prc_copy(sim, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    double rz = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    const double enough = fmax(rz * accuracy * accuracy, floor * floor * sim->free_mass);
    while (iterations < sim->def.solver.max_inner && rz > 0 && !prc_interrupt_ask_often(&sim->interrupt)) {
        multiply(sim);
        const double curvature = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_product);
        if (!(curvature > 0))
            break; /* only rounding can make a positive definite form vanish */
        sim->view.number[0] = rz / curvature;
        sim->model.backend->run(&sim->view, PRC_STAGE_cg_step); /* also the block preconditioner */
        iterations++;
        if (multilevel)
            precondition(sim, true);
        const double next = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        if (!(next > enough))
            break;
        prc_combine(sim, 1, PRC_FIELD_preconditioned, next / rz, PRC_FIELD_direction, PRC_FIELD_direction);
        rz = next;
    }
    return iterations;
}

/* The gradient of the contact model where it is now. */
static void renew(prc_sim *sim, enum prc_field gradient, enum prc_gradient_state state)
{
    const prc_view *v = &sim->view;
    void *model = v->field[PRC_FIELD_model_gradient];
    if (state == PRC_GRADIENT_AFTER_PART)
        prc_run(sim, PRC_STAGE_combine_part, model, v->field[PRC_FIELD_product], model, NULL);
    if (state != PRC_GRADIENT_THERE)
        sim->model.backend->contact_gradient(v, &sim->contact.active, model, v->field[gradient]);
}

/* Slopes of elasticity, inertia and forces along the correction, for the contact model. */
static void find_slopes(prc_sim *sim, double *step)
{
    prc_product(sim, PRC_FIELD_correction, PRC_FIELD_product);
    sim->view.argument[1] = step;
    prc_run_sums(sim, PRC_STAGE_widen, 2, PRC_SLOT_SLOPE);
}

static void solve_on_device(prc_sim *sim, enum prc_field gradient, bool multilevel, double accuracy, double floor,
                            double *step, enum prc_gradient_state state)
{
    const prc_view *v = &sim->view;
    prc_linear_job job = {
        .gradient = v->field[gradient],
        .renew = state != PRC_GRADIENT_THERE,
        .goes_on = state == PRC_GRADIENT_AFTER_PART,
        .accuracy = accuracy,
        .enough = floor * floor * sim->free_mass,
        .most = sim->def.solver.max_inner,
        .step = step,
        .rows = {sim->contact.table ? &sim->contact.active : NULL, sim->springs.count > 0 ? &sim->springs.rows : NULL}};
    if (multilevel) {
        job.level = sim->applied.level;
        job.level_count = sim->applied.level_count;
        job.dense_inverse = sim->applied.dense_inverse;
        job.dense_leading = sim->applied.dense_leading;
    }
    sim->model.backend->solve_linear(v, &job);
}

void prc_solve_linear(prc_sim *sim, enum prc_field gradient, bool multilevel, double accuracy, double floor,
                      double *step, enum prc_gradient_state state)
{
    const double start = prc_seconds();
    if (sim->model.backend->solve_linear && sim->cells.count == 0) {
        solve_on_device(sim, gradient, multilevel, accuracy, floor, step, state);
    } else {
        renew(sim, gradient, state);
        prc_diagonal_invert(sim);
        const int iterations = iterate(sim, gradient, multilevel, accuracy, floor);
        const double found[2] = {-prc_inner(sim, gradient, PRC_FIELD_correction), iterations};
        prc_put(sim, sim->view.slot, found, sizeof found);
        if (step)
            find_slopes(sim, step);
    }
    sim->report.seconds_linear += prc_seconds() - start;
}

void prc_solve_linear_account(prc_sim *sim, bool multilevel, int iterations)
{
    sim->report.inner_iterations += iterations;
    if (multilevel)
        prc_multilevel_account(sim, iterations);
}

double prc_solve_linear_read(prc_sim *sim, bool multilevel)
{
    double found[2];
    sim->model.backend->read(&sim->view, PRC_SLOT_DECREASE, 2, found);
    prc_solve_linear_account(sim, multilevel, (int)found[1]);
    return found[0];
}
