/* step/contact.c — Gauss–Newton over elasticity, barrier and friction together, always safe.
 *
 *   predict   the free motion, as far as continuous collision detection allows
 *   repeat    pairs, planes and forces at y; p from a model of the objective (contact_model.c); move y by p, certified
 *             or cut; halve while the slope has turned up, go on where most of it is left
 *   until     decrement or residual is below the tolerance, nothing was cut, and everything prescribed has arrived, or
 *             does not get on any more
 *
 * Positions y are double and are what is accepted; the displacement that the elastic stages see is rounded from them.
 * docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "step/contact_step.h"
#include "step/evaluate.h"
#include "step/shells.h"
#include "step/sim.h"
#include "step/solve.h"

#include <math.h>
#include <string.h>

#define MOST_HALVINGS 6
#define TURN_ALLOWED 0.8
#define STALL_AFTER 40
#define PROGRESS_EVERY 16 /* iterations after which it is asked whether the rest can be enough, */
#define PATIENCE 4        /* … that is, so many times the rest, at the rate of the last ones */
#define LONGEST_MOVE 0.3  /* in edge lengths */
#define SLOPE_LEFT 0.5    /* share of the slope still going down at the end of a move that makes it worth going on */
#define MOST_LENGTHENED 8.0
#define WAITS 1e-9 /* m: with a way left that is longer, all of it together, something prescribed has not arrived */
#define BLOCKED_AFTER                                                                                                  \
    2                 /* iterations in which nothing prescribed has made a notable part of the way that it has left    \
                       */
#define ASK_LESS 0.25 /* part of what was asked of things prescribed that is asked next where they are held up, */
#define PUSHED_THROUGH 0.1 /* … which is where they made less than this part of it, and what is free went astray */
#define LONGEST_PRESCRIBED                                                                                             \
    2.0                    /* in thickness and d_hat: balls for all the way of what waits would hold countless pairs */
#define LONGEST_SECOND 2.0 /* … of such a move that goes on, in longest moves: pairs grow with the square of it */
#define STALE_REACH 2.0    /* pairs found for moves so many times as long as they are now are found anew, */
#define CROWDED_PAIRS 64 /* … where there are more per vertex; and moves become shorter: edges are no measure then */
#define ARRIVED 1e-12    /* m: what is left is rounding */

/* Gradient and tangent of everything at positions y; geometry of the contacts too. */
static void evaluate(prc_sim *sim, double *y, enum prc_field gradient)
{
    void *const *field = sim->view.field;
    prc_run(sim, PRC_STAGE_displace, y, field[PRC_FIELD_u], NULL, NULL);
    if (sim->model.backend->gradient_with_contact && sim->springs.count == 0 && sim->cells.count == 0) {
        sim->view.linearise = sim->view.want_stretch = 1;
        prc_run(sim, PRC_STAGE_elastic, field[PRC_FIELD_u], field[PRC_FIELD_model_gradient], NULL, NULL);
        prc_contact_evaluate(&sim->contact, y, prc_field_position(&sim->view), sim->step);
        sim->model.backend->gradient_with_contact(&sim->view, &sim->contact.active, field[PRC_FIELD_u],
                                                  field[PRC_FIELD_model_gradient], field[gradient]);
        return;
    }
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_model_gradient, true);
    prc_contact_evaluate(&sim->contact, y, prc_field_position(&sim->view), sim->step);
    const double start = prc_seconds();
    sim->model.backend->contact_gradient(&sim->view, &sim->contact.active, field[PRC_FIELD_model_gradient],
                                         field[gradient]);
    sim->contact.seconds_forces += prc_seconds() - start;
}

static void shorten_moves(prc_sim *sim)
{
    sim->view.number[0] = sim->contact.longest_move;
    prc_run(sim, PRC_STAGE_limit_moves, sim->contact_work.moves, NULL, NULL, NULL);
}

void prc_contact_limit_moves(prc_sim *sim)
{
    sim->view.argument[0] = sim->contact_work.moves;
    prc_run_largest(sim, PRC_STAGE_move_squares, 1, PRC_SLOT_LONGEST);
    shorten_moves(sim);
}

void prc_contact_pin_moves(prc_sim *sim, double longest)
{
    sim->view.number[0] = longest;
    prc_run(sim, PRC_STAGE_pin_moves, sim->contact_work.moves, sim->contact_work.positions, sim->contact_work.guess,
            NULL);
    prc_contact_rigids_ask(&sim->contact, longest, sim->contact_work.positions, sim->contact_work.moves);
}

/* How far something prescribed goes at most in one iteration. */
static double longest_prescribed(const prc_contact_set *set)
{
    return fmax(LONGEST_MOVE * set->edge_length,
                LONGEST_PRESCRIBED * (set->bodies.largest_thickness + set->bodies.largest_d_hat));
}

/* What is known of a move from y to `to` when it has been evaluated there. */
typedef struct move_end {
    double slope_from, slope_to; /* of the objective along the move, J */
    double residual;             /* m/s */
    double way;                  /* that things prescribed still have to go, root of the sum of squares, m */
    bool advanced;               /* some of them has got on */
} move_end;

static bool is_usable(const move_end *end)
{
    return isfinite(end->slope_to) && isfinite(end->residual);
}

static move_end find_end(prc_sim *sim, double *from, double *to)
{
    prc_view *v = &sim->view;
    double sums[6];
    void *const arguments[] = {v->field[PRC_FIELD_gradient], v->field[PRC_FIELD_trial_gradient], from, to,
                               sim->contact_work.guess};
    memcpy(v->argument, arguments, sizeof arguments);
    prc_run_sums(sim, PRC_STAGE_slopes, 5, PRC_SLOT_SLOPE_FROM);
    sim->model.backend->read(v, PRC_SLOT_SLOPE_FROM, 6, sums);
    if (sim->contact.table && !sim->contact.active_known) {
        sim->contact.active.count = (int)sums[5];
        sim->contact.active_known = true;
    }
    sim->prescribed_lag = sums[3] > ARRIVED * ARRIVED;
    return (move_end){sums[0], sums[1], sim->step * sqrt(sums[2] / sim->free_mass), sqrt(sums[3]), sums[4] > 0};
}

/* Where pairs are too many, the next moves are to be shorter; and longer again where they are not. */
static void adapt_longest_move(prc_contact_set *set)
{
    const double most = LONGEST_MOVE * set->edge_length, least = prc_contact_least_ball_of(set);
    const bool crowded = set->contact_count > CROWDED_PAIRS * (long)set->model->vertex_count;
    set->longest_move =
        crowded ? fmax(0.5 * set->longest_move, fmin(least, most)) : fmin(1.5 * set->longest_move, most);
}

/* Moves y by the collected moves to the trial, as far as is safe, with pairs found anew where the balls are too small
 * for it: those of the vertices that leave theirs, which is enough but for rounding, then all. */
static prc_result move_to_trial(prc_sim *sim, double longest, int *cuts, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    double *y = sim->contact_work.positions, *p = sim->contact_work.moves, *to = sim->contact_work.trial;
    /* One long move has left balls, and pairs, that all moves after it would pay for. */
    const bool stale =
        set->reach > STALE_REACH * longest && set->contact_count > CROWDED_PAIRS * (long)set->model->vertex_count;
    if (stale) {
        const prc_result result = prc_contact_detect(set, y, p, error);
        if (result != PRC_OK)
            return result;
        set->reach = longest;
    }
    *cuts = prc_contact_move_inside(set, y, p, to);
    for (int look = 0; *cuts < 0; look++) {
        set->reach = fmax(look == 0 ? set->reach : 0, longest);
        if (look == 2)
            return prc_fail(error, PRC_ERROR_STATE,
                            "a vertex moves too far for the search for contact pairs; the state before the step is "
                            "kept. Are positions far larger than the thickness?");
        const prc_result result =
            look == 0 ? prc_contact_extend(set, y, p, error) : prc_contact_detect(set, y, p, error);
        if (result != PRC_OK)
            return result;
        adapt_longest_move(set);
        *cuts = prc_contact_move_inside(set, y, p, to);
    }
    return PRC_OK;
}

/* Makes a trial along the collected moves, safely; where `guarded`, halves them while the slope has turned up. Moves to
 * where forces are not finite are halved too; what is left of them in the end may be no good: see is_usable. */
static prc_result try_moves(prc_sim *sim, bool guarded, double longest, int *halvings, int *cuts, move_end *end,
                            prc_error *error)
{
    double *y = sim->contact_work.positions, *p = sim->contact_work.moves, *to = sim->contact_work.trial;
    for (*halvings = 0;; (*halvings)++) {
        if (prc_interrupt_ask_often(&sim->interrupt))
            return prc_interrupt_fail(error);
        prc_result result = move_to_trial(sim, longest, cuts, error);
        if (result != PRC_OK)
            return result;
        evaluate(sim, to, PRC_FIELD_trial_gradient);
        *end = find_end(sim, y, to);
        const bool good = is_usable(end) && (!guarded || end->slope_to <= TURN_ALLOWED * fabs(end->slope_from));
        if (good || *halvings == MOST_HALVINGS)
            return PRC_OK;
        longest *= 0.5;
        sim->view.number[0] = 0.5;
        prc_run(sim, PRC_STAGE_scale_moves, p, NULL, NULL, NULL);
        prc_contact_rigids_ask_less(&sim->contact, 1, y, p); /* not halved: what gives way needs a push */
        prc_contact_geometry(&sim->contact, y);              /* it is that of the trial */
    }
}

/* The trial becomes y. */
static void accept_trial(prc_sim *sim)
{
    void **field = sim->view.field, *gradient = field[PRC_FIELD_gradient];
    field[PRC_FIELD_gradient] = field[PRC_FIELD_trial_gradient];
    field[PRC_FIELD_trial_gradient] = gradient;
    prc_contact_vectors *work = &sim->contact_work;
    double *positions = work->positions;
    work->positions = work->trial;
    work->trial = positions;
    prc_contact_rigids_accept(&sim->contact);
}

/* One move, and a second along it where most of the slope is left: the Gauss–Newton matrix is too stiff along buckling
 * modes. A move below the tolerance is taken as it is: its slopes are rounding. *stuck: none could be made, y stays. */
static prc_result move(prc_sim *sim, double longest, int *halvings, int *cuts, move_end *end, bool *stuck,
                       prc_error *error)
{
    const bool guarded = !(sim->report.decrement < sim->def.solver.tolerance);
    prc_result result = try_moves(sim, guarded, longest, halvings, cuts, end, error);
    *stuck = result == PRC_OK && !is_usable(end);
    if (*stuck)
        evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
    if (result != PRC_OK || *stuck)
        return result;
    const bool go_on = guarded && *halvings == 0 && *cuts == 0 && -end->slope_to > SLOPE_LEFT * fabs(end->slope_from);
    const bool advanced = end->advanced;
    if (go_on) {
        const double most = longest > 0 ? LONGEST_SECOND * sim->contact.longest_move / longest : INFINITY;
        const double wanted = fmin(1 / fmax(1 - end->slope_to / end->slope_from, 1e-3), MOST_LENGTHENED) - 1;
        sim->view.number[0] = fmin(wanted, most);
        longest *= sim->view.number[0];
        prc_run(sim, PRC_STAGE_lengthen_move, sim->contact_work.moves, sim->contact_work.positions,
                sim->contact_work.trial, NULL);
    }
    accept_trial(sim);
    if (!go_on)
        return PRC_OK;
    move_end further = {0};
    result = try_moves(sim, guarded, longest, halvings, cuts, &further, error);
    if (result != PRC_OK)
        return result;
    if (is_usable(&further)) {
        accept_trial(sim);
        *end = further;
        end->advanced = end->advanced || advanced; /* what is prescribed does not move in this one */
    } else
        evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
    return PRC_OK;
}

/* Lagged friction begins with the contacts of the start of the step. */
static prc_result freeze_start(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const double *x = prc_field_position(&sim->view);
    if (set->def.friction_lag == 0)
        return PRC_OK;
    prc_result result = prc_contact_detect(set, x, NULL, error);
    return result == PRC_OK ? prc_contact_freeze_friction(set, error) : result;
}

/* Friction of the solve just made, for the next one. */
static prc_result freeze_again(prc_sim *sim, prc_error *error)
{
    prc_result result = prc_contact_freeze_friction(&sim->contact, error);
    if (result == PRC_OK)
        evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
    return result;
}

/* From where a step starts, which is x plus as much of `way` as is safe, with colliders as far as that lets them. */
static prc_result go_ahead(prc_sim *sim, const double *way, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    for (int s = 0; s < set->collider_count; s++) {
        prc_collider_aim(&set->colliders[s], &sim->colliders[s], sim->end);
        set->collider_done[s] = sim->fields[s] ? 1 : 0; /* a mesh goes with the obstacles: prc_shells_follow */
    }
    set->rigids.move = false;
    for (int o = 0; o < sim->obstacle_count; o++) {
        const prc_pose pose = prc_obstacle_pose(sim, o, sim->end);
        prc_contact_rigid_aim(set, o, &pose);
    }
    const prc_result result =
        prc_contact_predict(set, prc_field_position(&sim->view), way, sim->contact_work.positions, error);
    if (result != PRC_OK)
        return result;
    prc_contact_rigids_accept(set);
    prc_contact_move_colliders(set, sim->contact_work.positions);
    return prc_contact_detect(set, sim->contact_work.positions, NULL, error);
}

prc_result prc_contact_begin(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    set->detections = set->extensions = set->cuts = 0;
    set->reach = 0;
    set->longest_move = LONGEST_MOVE * set->edge_length;
    set->seconds_broad = set->seconds_ccd = set->seconds_bounds = set->seconds_forces = 0;
    prc_result result = freeze_start(sim, error);
    if (result != PRC_OK)
        return result;
    prc_run(sim, PRC_STAGE_aim, sim->contact_work.guess, NULL, NULL, NULL);
    result = go_ahead(sim, sim->contact_work.guess, error);
    sim->prescribed_lag = set->held_back;
    return result;
}

prc_result prc_contact_begin_still(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    if (set->collider_count > 0)
        memcpy(set->colliders, sim->colliders_before, (size_t)set->collider_count * sizeof *set->colliders);
    prc_run(sim, PRC_STAGE_clear, sim->contact_work.part_of_move, NULL, NULL, NULL);
    sim->prescribed_lag = true;
    return go_ahead(sim, sim->contact_work.part_of_move, error);
}

double prc_contact_collider_lag(const prc_contact_set *set)
{
    double lag = 0;
    for (int s = 0; s < set->collider_count; s++)
        lag = fmax(lag, prc_collider_lag(&set->colliders[s], set->collider_done[s]));
    return lag;
}

/* Which vertex it is, where `most` is the square of its way. */
static void name_laggard(prc_sim *sim, double most)
{
    const prc_model *m = &sim->model;
    double *squares = sim->work.columns;
    prc_get(sim, squares, prc_field_column(&sim->view), (size_t)m->vertex_count * sizeof *squares);
    int i = 0;
    while (i + 1 < m->vertex_count && squares[i] < most)
        i++;
    const prc_shell *shell = prc_shell_of_body(sim, m->body_of[i]);
    sim->report.lag_collider = shell ? shell->collider : -1;
    sim->report.lag_body = shell ? -1 : m->body_of[i];
    sim->report.lag_vertex = shell ? -1 : m->caller_of[i] - m->bodies[m->body_of[i]].first_vertex;
}

void prc_contact_report_lag(prc_sim *sim)
{
    prc_step_report *r = &sim->report;
    double square = 0, most;
    if (sim->prescribed_lag) {
        sim->view.argument[0] = sim->contact_work.positions;
        sim->view.argument[1] = sim->contact_work.guess;
        prc_run_largest(sim, PRC_STAGE_lag, 1, PRC_SLOT_LAG);
        sim->model.backend->read(&sim->view, PRC_SLOT_LAG, 1, &square);
    }
    most = fmax(sqrt(square), ARRIVED);
    if (most > ARRIVED)
        name_laggard(sim, square);
    for (int s = 0; s < sim->contact.collider_count; s++) {
        const double lag = prc_collider_lag(&sim->contact.colliders[s], sim->contact.collider_done[s]);
        if (lag > most) {
            most = lag;
            r->lag_collider = s;
            r->lag_body = r->lag_vertex = -1;
        }
    }
    r->largest_lag = most > ARRIVED ? most : 0;
}

static void report(prc_sim *sim, double residual)
{
    prc_step_report *r = &sim->report;
    const prc_contact_set *set = &sim->contact;
    r->residual = residual < INFINITY ? residual : prc_residual(sim, PRC_FIELD_gradient);
    sim->model.backend->sum_to_slot(&sim->view, sim->view.field[PRC_FIELD_energy], PRC_SLOT_ENERGY);
    sim->tells_later = true; /* that, and on a device the gap: prc_report_state reads them */
    r->contact_pairs = set->contact_count;
    r->active_contacts = prc_contact_active_count(&sim->contact) - set->lagged_count;
    r->detections = set->detections;
    r->extensions = set->extensions;
    r->cuts = set->cuts;
    r->smallest_gap = set->smallest_gap;
    r->seconds_broad = set->seconds_broad;
    r->seconds_ccd = set->seconds_ccd;
    r->seconds_bounds = set->seconds_bounds;
    r->seconds_contact_forces = set->seconds_forces;
}

/* The objective's value is not known here, and its moves do not need it: slopes decide. */
static void trace(prc_sim *sim, double residual)
{
    if (sim->trace)
        sim->trace(sim->trace_context, sim->report.iterations, sim->report.inner_iterations, NAN,
                   residual < INFINITY ? residual : prc_residual(sim, PRC_FIELD_gradient), prc_seconds());
}

/* Moves for the next iteration from a model that is found anew at y, and their decrement (m/s). Where the model's
 * rounds overflow, one of them has to do; where even that is not finite, *good is false. *longest is the longest of
 * them, of what is free, m; `prescribed` how far what is not may go. */
static double find_moves(prc_sim *sim, double prescribed, double *longest, bool *good)
{
    double decrease = 0;
    *longest = 0;
    *good = false;
    for (int most_rounds = PRC_MODEL_ROUNDS; most_rounds > 0 && !*good; most_rounds = most_rounds > 1 ? 1 : 0) {
        if (most_rounds == 1) {
            evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
            sim->coarse.ready = false; /* old ones may be to blame */
        }
        prc_contact_pin_moves(sim, prescribed);
        decrease = prc_contact_direction(sim, sim->contact_work.positions, sim->contact_work.moves,
                                         sim->contact_work.part_of_move, most_rounds, longest);
        *good = prc_decrease_is_true(sim, decrease) && isfinite(*longest);
    }
    const double most = sim->contact.longest_move;
    if (*good && *longest > most) {
        shorten_moves(sim);
        /* what cannot give way here and there keeps step with what it pushes */
        prc_contact_rigids_ask_less(&sim->contact, most / *longest, sim->contact_work.positions,
                                    sim->contact_work.moves);
        *longest = most;
    }
    return sqrt(fmax(decrease, 0) / sim->free_mass);
}

/* Forces that are not finite where the prediction has led: the step starts from where the last one ended instead. */
static prc_result start_over(prc_sim *sim, prc_error *error)
{
    const prc_result result = prc_contact_begin_still(sim, error);
    if (result == PRC_OK)
        evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
    return result;
}

/* Colliders move on; whether any has made a notable part of its way, if there are some that have not arrived. */
static bool move_colliders(prc_sim *sim)
{
    prc_contact_set *set = &sim->contact;
    double *before = set->collider_done + set->collider_count;
    bool advanced = false;
    for (int s = 0; s < set->collider_count; s++)
        before[s] = set->collider_done[s];
    prc_contact_move_colliders(set, sim->contact_work.positions);
    for (int s = 0; s < set->collider_count; s++)
        advanced = advanced || set->collider_done[s] - before[s] > PRC_NOTABLE * (1 - before[s]);
    return advanced;
}

/* The least decrement so far, and what it was PROGRESS_EVERY iterations ago. */
typedef struct progress {
    double best, before;
    int since_best;
} progress;

/* Whether to give up: nothing has become better for long, or, from the second time it is asked, only so slowly that the
 * iterations that are left would never be enough. Shorter steps get on sooner than the rest of this one. */
static bool is_stalled(const prc_sim *sim, progress *so_far)
{
    const prc_step_report *r = &sim->report;
    so_far->since_best = r->decrement < so_far->best ? 0 : so_far->since_best + 1;
    so_far->best = fmin(so_far->best, r->decrement);
    if (so_far->since_best >= STALL_AFTER || !isfinite(r->decrement))
        return true;
    if (r->iterations % PROGRESS_EVERY > 0)
        return false;
    const double rate = log(so_far->before / so_far->best) / PROGRESS_EVERY; /* infinite at first */
    const double needed = log(so_far->best / sim->def.solver.tolerance);
    so_far->before = so_far->best;
    return needed > rate * PATIENCE * (sim->most_iterations - r->iterations);
}

prc_result prc_solve_contact(prc_sim *sim, prc_error *error)
{
    prc_step_report *r = &sim->report;
    prc_contact_set *set = &sim->contact;
    const prc_solver_def *def = &sim->def.solver;
    double residual = INFINITY; /* of the last evaluation, or not known */
    progress so_far = {INFINITY, INFINITY, 0};
    int solves = 1, waited = 0;
    double ask = longest_prescribed(set), way = INFINITY;
    bool predicted = true, relaxes = false, good, stuck;
    prc_result result = prc_contact_begin(sim, error);
    if (result != PRC_OK)
        return result;
    evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
    trace(sim, residual);
    r->stop = "max_iterations";
    while (r->iterations < sim->most_iterations) {
        /* What does not get on stays for the rest of the step, so that the rest comes to rest: it would take every gap
         * that opens. */
        const bool pauses = waited >= BLOCKED_AFTER;
        int halvings = 0, cuts = 0;
        double longest;
        move_end end = {0};
        r->decrement = find_moves(sim, pauses || relaxes ? 0 : ask, &longest, &good);
        if (prc_interrupt_came(&sim->interrupt))
            return prc_interrupt_fail(error);
        if (!good && predicted && r->iterations == 0) {
            predicted = false;
            result = start_over(sim, error);
            if (result != PRC_OK)
                return result;
            continue;
        }
        stuck = !good;
        if (good)
            result = move(sim, longest, &halvings, &cuts, &end, &stuck, error);
        if (result != PRC_OK)
            return result;
        if (stuck) { /* y is as safe as any other, but not solved */
            r->stop = "stalled";
            residual = INFINITY;
            break;
        }
        residual = end.residual;
        r->iterations++;
        r->halvings += halvings;
        if (prc_contact_collider_lag(set) > 0 && !pauses) { /* colliders move on: forces and planes anew */
            end.advanced = move_colliders(sim) || end.advanced;
            evaluate(sim, sim->contact_work.positions, PRC_FIELD_gradient);
            residual = INFINITY;
        }
        const bool struggles = halvings == MOST_HALVINGS && way - end.way < PUSHED_THROUGH * fmin(ask, way);
        if (!relaxes) {
            waited = end.advanced ? 0 : waited + 1;
            ask = struggles ? ASK_LESS * fmin(ask, end.way) : fmin(ask / ASK_LESS, longest_prescribed(set));
        }
        relaxes = !relaxes && struggles;
        way = end.way;
        trace(sim, residual);
        /* Inertia alone bounds the matrix from below: a small residual bounds the decrement that the next iteration
         * would find. */
        const bool arrived = end.way < WAITS && prc_contact_collider_lag(set) < ARRIVED;
        const bool at_rest = (r->decrement < def->tolerance && halvings == 0) ||
                             (residual < def->tolerance && (waited > 0 || !sim->prescribed_lag));
        if (at_rest && (arrived ? cuts == 0 : waited >= BLOCKED_AFTER)) {
            r->decrement = fmin(r->decrement, residual);
            if (solves++ < set->def.friction_lag) {
                result = freeze_again(sim, error);
                if (result != PRC_OK)
                    return result;
                residual = so_far.best = so_far.before = INFINITY;
                continue;
            }
            r->converged = true;
            r->stop = arrived ? "converged" : "blocked";
            break;
        }
        if (is_stalled(sim, &so_far)) {
            r->stop = "stalled";
            break;
        }
    }
    prc_contact_report_lag(sim);
    report(sim, residual);
    return PRC_OK;
}
