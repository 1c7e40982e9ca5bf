/* step/linear.c — preconditioned conjugate gradients for H p = −g: elasticity, inertia, drag, and the contacts that are
 * active. SPDX-License-Identifier: Apache-2.0 */
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
    if (sim->contact.active.count > 0) {
        const double start = prc_seconds();
        sim->model.backend->contact_product(&sim->view, &sim->contact.active, sim->view.field[PRC_FIELD_direction],
                                            sim->view.field[PRC_FIELD_product]);
        sim->report.seconds_product += prc_seconds() - start;
    }
}

double prc_solve_linear(prc_sim *sim, enum prc_field gradient, bool multilevel, double accuracy, double floor)
{
    const int before = sim->report.inner_iterations;
    const double start = prc_seconds();
    prc_combine(sim, -1, gradient, 0, gradient, PRC_FIELD_residual);
    prc_combine(sim, 0, gradient, 0, gradient, PRC_FIELD_correction);
    precondition(sim, multilevel);
    prc_copy(sim, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    double rz = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    const double enough = fmax(rz * accuracy * accuracy, floor * floor * sim->free_mass);
    for (int k = 0; k < sim->def.solver.max_inner && rz > 0; k++) {
        multiply(sim);
        const double curvature = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_product);
        if (!(curvature > 0))
            break; /* only rounding can make a positive definite form vanish */
        sim->view.number[0] = rz / curvature;
        sim->model.backend->run(&sim->view, PRC_STAGE_cg_step); /* also the block preconditioner */
        sim->report.inner_iterations++;
        if (multilevel)
            precondition(sim, true);
        const double next = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        if (!(next > enough))
            break;
        prc_combine(sim, 1, PRC_FIELD_preconditioned, next / rz, PRC_FIELD_direction, PRC_FIELD_direction);
        rz = next;
    }
    if (multilevel)
        prc_multilevel_account(sim, sim->report.inner_iterations - before);
    sim->report.seconds_linear += prc_seconds() - start;
    return -prc_inner(sim, gradient, PRC_FIELD_correction);
}
