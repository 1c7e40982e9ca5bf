/* step/contact.c — Gauss–Newton over elasticity, barrier and friction together, always safe.
 *
 *   predict   the free motion, as far as continuous collision detection allows
 *   repeat    pairs, planes and forces at y; solve H p = −g; move y by p, certified or cut; halve while the slope has
 *             turned up
 *   until     the decrement is below the tolerance, nothing was cut, and everything prescribed has arrived
 *
 * Positions y are double and are what is accepted; the displacement that the elastic stages see is rounded from them.
 * docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define MOST_HALVINGS 6
#define TURN_ALLOWED 0.8
#define STALL_AFTER 40
#define LONGEST_MOVE 0.3 /* in edge lengths */

/* The work vectors, 3 × padded each. */
static double *positions(const prc_sim *sim)
{
    return sim->contact_work;
}
static double *trial(const prc_sim *sim)
{
    return sim->contact_work + 3 * (size_t)sim->view.padded_count;
}
static double *moves(const prc_sim *sim)
{
    return sim->contact_work + 6 * (size_t)sim->view.padded_count;
}
static double *guess(const prc_sim *sim)
{
    return sim->contact_work + 9 * (size_t)sim->view.padded_count;
}

const double *prc_contact_positions(const prc_sim *sim)
{
    return positions(sim);
}

/* Gradient and tangent of everything at positions y; geometry of the contacts too. */
static void evaluate(prc_sim *sim, const double *y, enum prc_field gradient)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    double *u = sim->scratch;
    for (size_t k = 0; k < n; k++)
        u[k] = y[k] - x[k];
    sim->model.backend->upload(sim->view.field[PRC_FIELD_u], u, n);
    prc_evaluate(sim, PRC_FIELD_u, gradient, true);
    prc_contact_geometry(&sim->contact, y);
    prc_contact_forces(&sim->contact, y, x, sim->step);
    const double start = prc_seconds();
    sim->model.backend->contact_gradient(&sim->view, &sim->contact.active, sim->view.field[gradient]);
    sim->contact.seconds_forces += prc_seconds() - start;
}

/* Blocks of elasticity, inertia and contact, inverted. */
static void diagonal(prc_sim *sim)
{
    const double start = prc_seconds();
    sim->view.diagonal_kind = PRC_DIAGONAL_EXACT;
    sim->model.backend->run(&sim->view, PRC_STAGE_diagonal_bonds);
    sim->model.backend->contact_diagonal(&sim->view, &sim->contact.active);
    sim->model.backend->run(&sim->view, PRC_STAGE_diagonal);
    sim->report.seconds_setup += prc_seconds() - start;
}

/* Shortens all free moves alike until none is longer than a part of an edge: long ones are wrong anyway, and make long
 * lists of pairs. */
static void limit_moves(const prc_sim *sim, double *p, const double *free)
{
    const size_t n = (size_t)sim->view.padded_count;
    const double most_allowed = LONGEST_MOVE * sim->contact.edge_length;
    double most = 0;
    for (size_t i = 0; i < (size_t)sim->view.vertex_count; i++) {
        const double square = p[i] * p[i] + p[n + i] * p[n + i] + p[2 * n + i] * p[2 * n + i];
        most = free[i] != 0 && square > most ? square : most;
    }
    most = sqrt(most);
    for (size_t k = 0; most > most_allowed && k < 3 * n; k++)
        if (free[k % n] != 0)
            p[k] *= most_allowed / most;
}

/* The correction of free vertices and the way left of pinned ones, in double. Returns how far pinned vertices lag. */
static double collect_moves(prc_sim *sim)
{
    const prc_view *v = &sim->view;
    const size_t n = (size_t)v->padded_count;
    double *p = moves(sim), *free = sim->scratch, lag = 0;
    const double *y = positions(sim), *x = v->field[PRC_FIELD_position], *wanted = guess(sim);
    sim->model.backend->download(p, v->field[PRC_FIELD_correction], 3 * n);
    sim->model.backend->download(free, v->field[PRC_FIELD_free], n);
    for (size_t i = 0; i < (size_t)v->vertex_count; i++) {
        if (free[i] != 0)
            continue;
        double square = 0;
        for (size_t c = 0; c < 3; c++) {
            p[c * n + i] = x[c * n + i] + wanted[c * n + i] - y[c * n + i];
            square += p[c * n + i] * p[c * n + i];
        }
        lag = fmax(lag, sqrt(square));
    }
    limit_moves(sim, p, free);
    return lag;
}

/* Σ g·(to − from), with the gradient in a field. */
static double slope_along(prc_sim *sim, enum prc_field gradient, const double *from, const double *to)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *g = sim->scratch, sum = 0;
    sim->model.backend->download(g, sim->view.field[gradient], n);
    for (size_t k = 0; k < n; k++)
        sum += g[k] * (to[k] - from[k]);
    return sum;
}

/* Moves y along the collected moves, safely, and halves them while the slope has turned up. */
static prc_result move(prc_sim *sim, int *halvings, int *cuts, prc_error *error)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *y = positions(sim), *p = moves(sim), *to = trial(sim);
    for (*halvings = 0;; (*halvings)++) {
        bool stale = *halvings > 0; /* the geometry is that of the last trial */
        if (prc_contact_leaves(&sim->contact, y, p)) {
            prc_result result = prc_contact_detect(&sim->contact, y, p, error);
            if (result != PRC_OK)
                return result;
            stale = true;
        }
        if (stale)
            prc_contact_geometry(&sim->contact, y);
        *cuts = prc_contact_move(&sim->contact, y, p, to);
        const double before = slope_along(sim, PRC_FIELD_gradient, y, to);
        evaluate(sim, to, PRC_FIELD_trial_gradient);
        const double after = slope_along(sim, PRC_FIELD_trial_gradient, y, to);
        if (after <= TURN_ALLOWED * fabs(before) || *halvings == MOST_HALVINGS)
            break;
        for (size_t k = 0; k < n; k++)
            p[k] /= 2;
    }
    memcpy(y, to, n * sizeof *y);
    prc_copy(sim, PRC_FIELD_trial_gradient, PRC_FIELD_gradient);
    return PRC_OK;
}

/* Where pinned vertices have to go, unrounded. */
static void aim_pins(prc_sim *sim)
{
    const size_t n = (size_t)sim->view.padded_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    for (int p = 0; p < sim->pin_count; p++)
        for (int k = 0; sim->pins[p].holds && k < sim->pins[p].vertex_count; k++) {
            const size_t i = (size_t)sim->pins[p].vertices[k];
            double target[3];
            prc_pin_target(&sim->pins[p], k, sim->time + sim->def.time.step, target);
            for (size_t c = 0; c < 3; c++)
                guess(sim)[c * n + i] = target[c] - x[c * n + i];
        }
}

/* Prediction: the guess of the step, as far as it is safe. */
static prc_result predict(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const size_t n = 3 * (size_t)sim->view.padded_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    set->detections = set->cuts = 0;
    set->seconds_broad = set->seconds_ccd = set->seconds_bounds = set->seconds_forces = 0;
    for (int s = 0; s < set->solid_count; s++) {
        prc_solid *solid = &set->solids[s];
        const double where[3] = {solid->center[0], solid->center[1], solid->center[2]}; /* it may lag from before */
        *solid = prc_solid_at(&sim->colliders[s], sim->time, sim->time + sim->def.time.step, sim->def.contact.friction);
        for (int c = 0; c < 3; c++) { /* from there it moves on as the cloth makes way */
            solid->move[c] = solid->center[c] - where[c];
            solid->center[c] = where[c];
        }
        set->solid_done[s] = 0;
    }
    sim->model.backend->download(guess(sim), sim->view.field[PRC_FIELD_u], n);
    aim_pins(sim);
    prc_result result = prc_contact_predict(set, x, guess(sim), positions(sim), error);
    if (result != PRC_OK)
        return result;
    prc_contact_move_solids(set, positions(sim));
    return prc_contact_detect(set, positions(sim), NULL, error);
}

static double solid_lag(const prc_contact_set *set)
{
    double lag = 0;
    for (int s = 0; s < set->solid_count; s++) {
        const double *m = set->solids[s].move;
        lag = fmax(lag, (1 - set->solid_done[s]) * sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]));
    }
    return lag;
}

static void report(prc_sim *sim)
{
    prc_step_report *r = &sim->report;
    const prc_contact_set *set = &sim->contact;
    r->residual = prc_residual(sim, PRC_FIELD_gradient);
    r->energy_elastic = prc_energy_elastic(sim);
    r->contact_pairs = set->contact_count;
    r->active_contacts = set->active.count;
    r->detections = set->detections;
    r->cuts = set->cuts;
    r->smallest_gap = set->smallest_gap;
    r->seconds_broad = set->seconds_broad;
    r->seconds_ccd = set->seconds_ccd;
    r->seconds_bounds = set->seconds_bounds;
    r->seconds_contact_forces = set->seconds_forces;
}

prc_result prc_solve_contact(prc_sim *sim, prc_error *error)
{
    prc_step_report *r = &sim->report;
    prc_contact_set *set = &sim->contact;
    const prc_solver_def *def = &sim->def.solver;
    double best = INFINITY;
    int since_best = 0;
    prc_result result = predict(sim, error);
    if (result != PRC_OK)
        return result;
    evaluate(sim, positions(sim), PRC_FIELD_gradient);
    r->stop = "max_iterations";
    while (r->iterations < def->max_iterations) {
        diagonal(sim);
        const bool multilevel = set->active.count == 0 && prc_multilevel_refresh(sim);
        const double decrease = prc_solve_linear(sim, multilevel, def->inner_tolerance, 0);
        const double pin_lag = collect_moves(sim);
        int halvings, cuts;
        result = move(sim, &halvings, &cuts, error);
        if (result != PRC_OK)
            return result;
        r->iterations++;
        r->halvings += halvings;
        r->decrement = sqrt(fmax(decrease, 0) / sim->free_mass);
        if (solid_lag(set) > 0) { /* solids move on: forces and planes anew */
            prc_contact_move_solids(set, positions(sim));
            evaluate(sim, positions(sim), PRC_FIELD_gradient);
        }
        r->largest_lag = fmax(pin_lag, solid_lag(set));
        if (r->decrement < def->tolerance && halvings == 0 && cuts == 0 && solid_lag(set) < 1e-12) {
            r->converged = true;
            r->stop = "converged";
            break;
        }
        since_best = r->decrement < best ? 0 : since_best + 1;
        best = fmin(best, r->decrement);
        if (since_best >= STALL_AFTER || !isfinite(r->decrement)) {
            r->stop = "stalled";
            break;
        }
    }
    prc_contact_geometry(set, positions(sim));
    prc_contact_adapt(set);
    report(sim);
    return PRC_OK;
}
