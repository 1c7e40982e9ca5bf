/* step/sissm.c — semi-implicit successive substitution (projective peridynamics for membranes, section 4), corrected.
 *
 * An iteration freezes the stiffness of every bond, does `inner_sweeps` Jacobi sweeps of the linear system
 *   (weight + Σ_j A_ij) d_i − Σ_j A_ij d_j = −g_i        (Eq. 25, for the change d instead of the position)
 * and moves each vertex by α_i d_i (Eq. 31). Even numbers of sweeps are poor at the shortest waves: a sweep flips them.
 *
 * What differs from print, and why:
 *  - A_ij is the majorant block, not κ P⁺/λ: at rest that is s0/3 for A_3 while the true modulus is 2 s0, and the
 *    printed iteration diverges unless mass dominates.
 *  - Eq. 33 takes α_i = E_i / (−∂E_i/∂x_i·d_i), where the linear model of E_i reaches 0. The exact step of a
 *    quadratic with minimum 0 has −∂E·d = 2E, so that rule halves it. Here α_i = 2 f_i / (−∂f_i/∂u_i·d_i), at most 1.
 *  - f_i is the vertex's share of the whole objective, inertia and drag included. With the elastic energy alone
 *    a nearly unstrained cloth could not follow its own inertia: E_i ≈ 0 would hold every other vertex.
 *    By Cauchy–Schwarz α_i = 1 where f_i is quadratic and d_i its own Jacobi step: only what is far from that is cut.
 *  - No rule that looks at one vertex guarantees descent, so the moves must pass the guard of step/progress.c. If they
 *    do not, d itself is tried and halved. It descends after any number m of sweeps: with λ the spectrum of
 *    D^-1 (weight + Laplacian), 0 < λ < 2, the sweeps apply the positive factor 1 − (1 − λ)^m.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/progress.h"
#include "step/solve.h"

/* direction = d after the sweeps, from 0. */
static void solve_linear(prc_sim *sim)
{
    prc_view *v = &sim->view;
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    for (int sweep = 1; sweep < sim->def.solver.inner_sweeps; sweep++) {
        v->argument[0] = v->field[PRC_FIELD_direction];
        v->argument[1] = v->field[PRC_FIELD_product];
        sim->model.backend->run(v, PRC_STAGE_laplacian);
        prc_combine(sim, -1, PRC_FIELD_gradient, -1, PRC_FIELD_product, PRC_FIELD_residual);
        prc_precondition(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
        prc_combine(sim, 1, PRC_FIELD_direction, 1, PRC_FIELD_preconditioned, PRC_FIELD_direction);
    }
    sim->report.inner_iterations += sim->def.solver.inner_sweeps;
}

static bool iterate(prc_sim *sim)
{
    prc_view *v = &sim->view;
    prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
    solve_linear(sim);
    v->argument[0] = v->field[PRC_FIELD_u];
    v->argument[1] = v->field[PRC_FIELD_direction];
    v->argument[2] = v->field[PRC_FIELD_correction];
    sim->model.backend->run(v, PRC_STAGE_shorten);
    double decrease = -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction);
    if (decrease > 0 && prc_move_try(sim, decrease, true))
        return true;
    sim->report.halvings++;
    prc_copy(sim, PRC_FIELD_direction, PRC_FIELD_correction);
    return prc_move(sim, -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction), true);
}

void prc_solve_sissm(prc_sim *sim)
{
    prc_progress progress;
    prc_evaluate_first(sim);
    while (prc_progress_go_on(sim, &progress)) {
        if (!iterate(sim)) {
            prc_progress_stall(sim);
            break;
        }
        sim->report.iterations++;
    }
}
