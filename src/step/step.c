/* step/step.c — one step, on one page.
 *
 *   1. begin     where inertia, forces, pins and obstacles want the vertices to be; bonds of x_t
 *   2. solve     minimise  ½ |u − target|²_M/h² + elastic energy + damping + drag  over the displacement u
 *   3. accept    x += u, v; or, if that is not finite, nothing
 *   4. report
 *
 * Where 2 does not converge, nothing is accepted, and both halves of the step are taken instead, each by the same rule,
 * down to time.step / solver.max_substeps. What does not converge even there is accepted all the same, unless it is not
 * finite: with contact it is as safe as any other state. The rest of such a step is taken in the shortest parts at
 * once, and with contact with few iterations: it has not converged anyway, and is to end soon. Halving only what failed
 * costs less than to take the whole step again in more and more parts. Nothing of this costs anything as long as steps
 * converge.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/forces.h"
#include "step/frame.h"
#include "step/place.h"
#include "step/shells.h"
#include "step/sim.h"
#include "step/solve.h"
#include "step/start.h"
#include "step/state.h"

#include <math.h>
#include <string.h>

#define FEW_ITERATIONS 12

static void solve_without_contact(prc_sim *sim)
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

static prc_result solve(prc_sim *sim, prc_error *error)
{
    if (!sim->def.contact.enabled)
        solve_without_contact(sim);
    else if (sim->def.contact.method == PRC_CONTACT_PROJECTION)
        return prc_solve_projection(sim, error);
    else
        return prc_solve_contact(sim, error);
    return prc_interrupt_came(&sim->interrupt) ? prc_interrupt_fail(error) : PRC_OK;
}

/* With contact the residual alone tells: it is that of the positions to be accepted. */
static bool is_finite(const prc_sim *sim)
{
    return isfinite(sim->report.residual) &&
           (sim->def.contact.enabled ||
            isfinite(sim->model.backend->largest(&sim->view, sim->view.field[PRC_FIELD_u])));
}

/* Counts and seconds of all tries of a step, and what its accepted parts have in common. */
typedef struct tally {
    prc_step_report sum;
    const char *stop; /* of the first accepted part that had not converged */
    double residual, decrement;
    bool saved; /* the snapshot is that of the beginning of the step */
} tally;

/* What step/report.inl says of a member and the tries of a step. */
#define ADD_SUM(name) sum->name += r->name;
#define ADD_TALLY(name)
#define ADD_LAST(name)
#define PUT_SUM(name) r->name = sum->name;
#define PUT_TALLY(name) r->name = sum->name;
#define PUT_LAST(name)

static void add_try(tally *t, const prc_step_report *r)
{
    prc_step_report *sum = &t->sum;
#define PRC_REPORT(name, type, tries, unit, meaning) ADD_##tries(name)
#include "step/report.inl"
}

static void put_sums(prc_step_report *r, const tally *t)
{
    const prc_step_report *sum = &t->sum;
#define PRC_REPORT(name, type, tries, unit, meaning) PUT_##tries(name)
#include "step/report.inl"
}

static void put_result(prc_step_report *r, const tally *t)
{
    r->converged = !t->stop;
    r->stop = t->stop ? t->stop : r->stop;
    r->residual = t->residual;
    r->decrement = t->decrement;
}

/* Part k of `parts` of the step: begun and solved, not accepted. */
static prc_result try_part(prc_sim *sim, int k, int parts, prc_error *error)
{
    memset(&sim->report, 0, sizeof sim->report);
    sim->report.lag_body = sim->report.lag_vertex = sim->report.lag_collider = -1;
    sim->report.stop = "failed";
    prc_step_aim_part(sim, k, parts);
    prc_step_mark(sim);
    if (prc_interrupt_ask(&sim->interrupt))
        return prc_interrupt_fail(error);
    prc_result result = prc_obstacles_aim(sim, sim->end, error);
    if (result == PRC_OK)
        result = prc_pins_aim(sim, sim->end, error);
    if (result != PRC_OK)
        return result;
    prc_step_begin(sim);
    result = solve(sim, error);
    return result == PRC_OK ? prc_sim_status(sim, error) : result;
}

static prc_result accept(prc_sim *sim, tally *t, prc_error *error)
{
    const prc_step_report *r = &sim->report;
    prc_result result = PRC_OK;
    if (sim->def.contact.enabled) {
        prc_shells_follow(sim);
        result = prc_exempt_follow(sim, sim->contact_work.positions, error);
    }
    if (result != PRC_OK)
        return result;
    if (sim->def.contact.enabled && sim->def.contact.method == PRC_CONTACT_BARRIER)
        prc_contact_measure(&sim->contact);
    prc_step_accept(sim);
    t->sum.substeps++;
    t->residual = fmax(t->residual, r->residual);
    t->decrement = fmax(t->decrement, r->decrement);
    if (!r->converged && !t->stop)
        t->stop = r->stop;
    return PRC_OK;
}

static prc_result take_part(prc_sim *sim, int k, int parts, tally *t, prc_error *error);

static prc_result take_halves(prc_sim *sim, int k, int parts, tally *t, prc_error *error)
{
    prc_result result = PRC_OK;
    for (int half = 0; half < 2 && result == PRC_OK; half++)
        result = take_part(sim, 2 * k + half, 2 * parts, t, error);
    return result;
}

/* Takes part k of `parts` of the step, or the halves of it. A failure leaves what has been accepted so far. */
static prc_result take_part(prc_sim *sim, int k, int parts, tally *t, prc_error *error)
{
    const bool may_halve = parts <= sim->def.solver.max_substeps / 2;
    const int most = sim->def.solver.max_iterations;
    if (t->stop && may_halve && sim->def.contact.enabled)
        return take_halves(sim, k, parts, t, error);
    sim->most_iterations = t->stop && most > FEW_ITERATIONS ? FEW_ITERATIONS : most;
    prc_result result = try_part(sim, k, parts, error);
    add_try(t, &sim->report);
    const bool finite = result == PRC_OK && is_finite(sim);
    if (finite && (sim->report.converged || !may_halve)) {
        result = accept(sim, t, error);
        if (result == PRC_OK)
            return PRC_OK;
        sim->report.stop = "failed";
    }
    prc_step_give_up(sim);
    if (result == PRC_OK && may_halve) {
        t->sum.retries++;
        if (!t->saved)
            result = prc_snapshot_take(sim, error);
        t->saved = t->saved || result == PRC_OK;
        return result == PRC_OK ? take_halves(sim, k, parts, t, error) : result;
    }
    sim->report.converged = false;
    if (result != PRC_OK)
        return result;
    sim->report.stop = "not finite";
    return prc_step_fail_not_finite(sim, error);
}

/* The host's part of the state, as it was before a step in one part. */
static void take_back(prc_sim *sim, bool had_history)
{
    prc_step_give_up(sim);
    sim->time = sim->whole_start;
    sim->has_history = had_history;
    sim->report.converged = false;
    sim->report.stop = "failed";
}

/* To the state before a step that is not taken, after its last try was given up; `saved`: parts of it were accepted. */
static void go_back(prc_sim *sim, bool saved)
{
    sim->residual_known = false;                                  /* the solver's gradient is that of the try */
    if (sim->kept.bytes && prc_sim_status(sim, NULL) != PRC_OK) { /* lost, or out of memory */
        prc_sim_fall_back(sim);
        return;
    }
    if (saved)
        prc_snapshot_put_back(sim);
    prc_coarse_before_put_back(sim);
}

prc_result prc_sim_step(prc_sim *sim, prc_step_report *report, prc_error *error)
{
    const double start = prc_seconds();
    const bool had_history = sim->has_history;
    tally t = {.stop = NULL};
    prc_sim_keep_first(sim);
    prc_sim_heed(sim, true);
    prc_coarse_before_begin(sim);
    prc_result result = take_part(sim, 0, 1, &t, error);
    if (result == PRC_OK) {
        prc_report_state(sim); /* before the state is kept: a device that is lost here has not taken the step */
        result = prc_sim_keep(sim, t.sum.substeps == 1, error);
        if (result != PRC_OK) /* the device failed after all was accepted */
            take_back(sim, had_history);
        else
            sim->step_before = sim->def.time.step;
    }
    if (result != PRC_OK)
        go_back(sim, t.saved);
    if (result == PRC_ERROR_STOPPED)
        sim->report.stop = "stopped";
    prc_sim_heed(sim, false);
    prc_step_aim(sim);
    put_sums(&sim->report, &t);
    if (result == PRC_OK)
        put_result(&sim->report, &t);
    if (result != PRC_OK)
        prc_report_state(sim);
    prc_forces_report(sim);
    sim->report.seconds = prc_seconds() - start;
    if (report)
        *report = sim->report;
    return result;
}
