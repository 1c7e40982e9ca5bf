/* step/sissm.c
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/progress.h"

#include <math.h>
#include <stdlib.h>
static double knob(const char*n,double d){const char*s=getenv(n);return s?atof(s):d;}

/* direction = `inner_sweeps` Jacobi sweeps of (weight + Laplacian) d = −g, from 0. */
static void solve_linear(prc_sim *sim)
{
    const prc_backend *backend = sim->model.backend;
    prc_view *v = &sim->view;
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    for (int sweep = 1; sweep < sim->def.solver.inner_sweeps; sweep++) {
        v->argument[0] = v->field[PRC_FIELD_direction];
        v->argument[1] = v->field[PRC_FIELD_product];
        backend->run(v, PRC_STAGE_laplacian);
        prc_combine(sim, -1, PRC_FIELD_gradient, -1, PRC_FIELD_product, PRC_FIELD_residual);
        prc_precondition(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        prc_combine(sim, 1, PRC_FIELD_direction, 1, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    }
    sim->report.inner_iterations += sim->def.solver.inner_sweeps;
}

/* Moves by the shortened steps; where those together would not descend, by the unshortened ones. */
static bool iterate(prc_sim *sim)
{
    prc_view *v = &sim->view;
    prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
    solve_linear(sim);
    if (knob("ALPHA", 1)) {
    v->argument[0] = v->field[PRC_FIELD_u];
    v->argument[1] = v->field[PRC_FIELD_direction];
    v->argument[2] = v->field[PRC_FIELD_correction];
    sim->model.backend->run(v, PRC_STAGE_shorten);
    double decrease = -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction);
    if (decrease > 0 && prc_move_try(sim, decrease, true))
        return true;
    sim->report.halvings++;
    }
    prc_copy(sim, PRC_FIELD_direction, PRC_FIELD_correction);
    return prc_move(sim, -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction), true);
}

void prc_solve_sissm(prc_sim *sim)
{
    prc_progress progress;
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    while (prc_progress_go_on(sim, &progress)) {
        if (!iterate(sim)) {
            prc_progress_stall(sim);
            break;
        }
        sim->report.iterations++;
    }
}
