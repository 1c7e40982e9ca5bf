/* step/step.c — one step, on one page.
 *
 *   1. begin     where inertia, forces, pins and obstacles want the vertices to be; bonds of x_t
 *   2. solve     minimise  ½ |u − target|²_M/h² + elastic energy + damping + drag  over the displacement u
 *   3. accept    x += u, v; or, if that is not finite, nothing
 *   4. report
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

static void solve(prc_sim *sim)
{
    switch (sim->def.solver.method) {
    case PRC_METHOD_NEWTON:
        prc_solve_newton(sim);
        break;
    case PRC_METHOD_NCG:
        prc_solve_ncg(sim);
        break;
    case PRC_METHOD_SISSM:
        prc_solve_sissm(sim);
        break;
    default:
        prc_solve_descent(sim);
    }
}

prc_result prc_sim_step(prc_sim *sim, prc_step_report *report, prc_error *error)
{
    const double start = prc_seconds();
    memset(&sim->report, 0, sizeof sim->report);
    sim->report.lag_body = sim->report.lag_vertex = sim->report.lag_collider = -1;

    prc_result result = prc_obstacles_aim(sim, sim->time + sim->def.time.step, error);
    if (result == PRC_OK)
        result = prc_pins_aim(sim, sim->time + sim->def.time.step, error);
    if (result == PRC_OK)
        prc_step_begin(sim);
    if (result == PRC_OK && sim->def.contact.enabled)
        result = sim->def.contact.method == PRC_CONTACT_PROJECTION ? prc_solve_projection(sim, error)
                                                                   : prc_solve_contact(sim, error);
    else if (result == PRC_OK)
        solve(sim);
    if (result != PRC_OK) {
        sim->report.stop = "failed";
    } else if (isfinite(sim->model.backend->largest(&sim->view, sim->view.field[PRC_FIELD_u])) &&
               isfinite(sim->report.residual)) {
        if (sim->def.contact.enabled)
            result = prc_exempt_follow(sim, prc_contact_positions(sim), error);
        if (result == PRC_OK)
            prc_step_accept(sim);
        else
            sim->report.stop = "failed";
    } else {
        sim->report.stop = "not finite";
        sim->report.converged = false;
        result = prc_fail(error, PRC_ERROR_STATE,
                          "the step from %g s gave positions that are not finite; the state before it is kept. "
                          "Try a smaller time.step, or solver.method: newton",
                          sim->time);
    }
    for (int s = 0; result != PRC_OK && s < sim->contact.solid_count; s++)
        sim->contact.solids[s].now = sim->contact.solids[s].from; /* as the vertices */
    prc_report_state(sim);
    sim->report.seconds = prc_seconds() - start;
    if (report)
        *report = sim->report;
    return result;
}
