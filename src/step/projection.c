/* step/projection.c — contact as the projective peridynamics paper does it (its section 6, Algorithm 2), for
 * comparison.
 *
 *   global   a Gauss–Newton step of elasticity and inertia alone, from z to y
 *   local    z towards y: gradient descent on ½|z − y|² + Σ B(f(d) − ξ), with the step bound (53)
 *   repeat   from z, until it comes to rest
 *
 * B is the barrier, f the rescaled distance (51). What is not as printed: every move goes through the same safe mover
 * as elsewhere, in the place of clamping at times of impact, which does not keep surfaces apart; pairs are pairs of
 * primitives, not of triangles; the global step is Gauss–Newton. There is no friction, as in the paper. The barrier's
 * push is a displacement, whatever the masses: its counterpart in forces, H push, does not keep momentum where they
 * differ. docs/theory.md, section 10.9. SPDX-License-Identifier: Apache-2.0 */
#include "step/contact_step.h"
#include "step/evaluate.h"
#include "step/linear.h"
#include "step/sim.h"
#include "step/solve.h"

#include "kernel/barrier.h"
#include "kernel/small.h"

#include <math.h>
#include <string.h>

#define SEPARATION 0.1       /* ε: multiplier of the minimal separation; … */
#define SEPARATION_RANGE 0.3 /* … at most this share of d_hat, so that a push is left there */
#define WEIGHT 1.0           /* μ */
#define LOCAL_MOST 100       /* local iterations of one global one */
#define LOCAL_SHARE 0.1      /* of the tolerance: accuracy of the local step and of the linear solve */
#define STALL_AFTER 30

/* The vectors of the iteration, 3 × padded each. */
typedef struct projection {
    double *z;             /* positions, always safe */
    double *trial, *moves; /* work space of a move */
    double *y;             /* where the global step wants to be */
    double *push;          /* of the barrier, m */
    double *before;        /* z at the start of the iteration */
    double *free;          /* 0 where pinned */
    double *rate;          /* λ where a contact acts on the vertex; 1 elsewhere: such go to y at once */
    int cuts;              /* of the last move */
} projection;

/* Where a pair is closer than (1 + 2ε) ξ its distance counts as more: never less than (1 + ε) ξ. */
static double rescaled_gap(const prc_contact *k, double epsilon)
{
    const double d = k->distance, xi = k->xi;
    if (d <= xi)
        return epsilon * xi;
    return d > (1 + 2 * epsilon) * xi ? d - xi : (d - xi) * (d - xi) / (4 * epsilon * xi) + epsilon * xi;
}

static double separation_of(const prc_contact *k)
{
    return prc_smaller(SEPARATION, SEPARATION_RANGE * k->d_hat / k->xi);
}

/* How far the barrier wants to push a pair apart, m. */
static double push_of(const prc_contact *k)
{
    return -WEIGHT * prc_barrier_at(rescaled_gap(k, separation_of(k)), k->d_hat).slope;
}

/* The barrier's part of the descent direction (49) at the geometry of z, and the bound (53) of its step. */
static void find_push(const prc_contact_set *set, projection *v)
{
    double most_weight = 0, most_push = 0, least_step = INFINITY, reach = 0;
    for (int i = 0; i < set->model->vertex_count; i++) {
        double sum[3] = {0, 0, 0}, weight = 0;
        for (int e = set->of_start[i]; e < set->of_start[i + 1]; e++) {
            const prc_contact *k = &set->contacts[set->of[e] / 4];
            if (k->distance - k->xi >= k->d_hat || !k->pushes)
                continue;
            const double w = k->w[set->of[e] % 4], push = w * push_of(k), epsilon = separation_of(k);
            for (int c = 0; c < 3; c++)
                sum[c] += push * k->n[c];
            weight += fabs(w);
            most_push = prc_larger(most_push, -prc_barrier_at(epsilon * k->xi, k->d_hat).slope);
            least_step = prc_smaller(least_step, epsilon * k->xi);
            reach = prc_larger(reach, k->d_hat);
        }
        for (int c = 0; c < 3; c++)
            v->push[(long)c * set->stride + i] = sum[c];
        v->rate[i] = weight > 0 ? 0 : 1;
        most_weight = prc_larger(most_weight, weight);
    }
    const double lambda = prc_smaller(1, least_step / (WEIGHT * most_weight * most_push + reach));
    for (int i = 0; i < set->model->vertex_count; i++)
        v->rate[i] = v->rate[i] > 0 ? 1 : lambda;
}

/* Moves z by the collected moves as far as is safe; its geometry is found anew. */
static prc_result move_safely(prc_sim *sim, projection *v, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    if (prc_contact_leaves(set, v->z, v->moves)) {
        prc_result result = prc_contact_detect(set, v->z, v->moves, error);
        if (result != PRC_OK)
            return result;
    }
    v->cuts = prc_contact_move(set, v->z, v->moves, v->trial);
    prc_contact_rigids_accept(set);
    memcpy(v->z, v->trial, 3 * sizeof *v->z * (size_t)set->stride);
    prc_contact_geometry(set, v->z);
    return PRC_OK;
}

/* The local step: z comes as near to y as the barrier lets it. *settled: within its budget. */
static prc_result project(prc_sim *sim, projection *v, bool *settled, prc_error *error)
{
    const size_t n = (size_t)sim->view.padded_count;
    const double enough = LOCAL_SHARE * sim->def.solver.tolerance * sim->step;
    prc_result result = move_safely(sim, v, error);
    *settled = false;
    for (int m = 0; result == PRC_OK && m < LOCAL_MOST && !*settled; m++) {
        if (prc_interrupt_ask_often(&sim->interrupt))
            return prc_interrupt_fail(error);
        double most = 0;
        find_push(&sim->contact, v);
        for (size_t i = 0; i < (size_t)sim->view.vertex_count; i++) {
            double square = 0;
            for (size_t k = i; k < 3 * n; k += n) {
                const double g = v->free[i] != 0 ? v->y[k] - v->z[k] + v->push[k] : 0;
                v->moves[k] = v->rate[i] * g;
                square += g * g;
            }
            most = prc_larger(most, square);
        }
        *settled = sqrt(most) < enough;
        if (!*settled) {
            result = move_safely(sim, v, error);
            sim->report.inner_iterations++;
        }
    }
    return result;
}

/* Gradient and tangent of elasticity and inertia at z. */
static void evaluate(prc_sim *sim, const projection *v)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    const double *x = prc_field_position(&sim->view);
    for (size_t k = 0; k < n; k++)
        v->moves[k] = v->z[k] - x[k];
    sim->model.backend->upload(&sim->view, sim->view.field[PRC_FIELD_u], v->moves, n);
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
}

/* What free vertices moved in this iteration, as a velocity, rms by mass. */
static double change_of(const prc_sim *sim, const projection *v)
{
    const size_t n = (size_t)sim->view.padded_count;
    double sum = 0;
    for (size_t i = 0; i < (size_t)sim->view.vertex_count; i++)
        for (size_t k = i; v->free[i] != 0 && k < 3 * n; k += n)
            sum += sim->model.mass[i] * (v->z[k] - v->before[k]) * (v->z[k] - v->before[k]);
    return sqrt(sum / sim->free_mass) / sim->step;
}

/* The same at z of the last iteration, where forces at the present one are not finite. */
static void go_back(prc_sim *sim, projection *v)
{
    memcpy(v->z, v->before, 3 * sizeof *v->z * (size_t)sim->view.padded_count);
    prc_contact_rigids_go_back(&sim->contact);
    prc_contact_geometry(&sim->contact, v->z);
    evaluate(sim, v);
}

/* One global and one local step. The local one starts where y has moved to since the last one, z with it: from y anew,
 * as printed, all that was won would be lost again. *stuck: there is none that is finite, z stays. */
static prc_result iterate(prc_sim *sim, projection *v, bool *settled, bool *stuck, prc_error *error)
{
    const prc_view *view = &sim->view;
    const size_t n = (size_t)view->padded_count;
    prc_diagonal_sum(sim, PRC_DIAGONAL_EXACT);
    const bool multilevel = prc_multilevel_refresh(sim);
    prc_solve_linear(sim, PRC_FIELD_gradient, multilevel, 0, LOCAL_SHARE * sim->def.solver.tolerance, NULL,
                     PRC_GRADIENT_THERE);
    *stuck = !prc_decrease_is_true(sim, prc_solve_linear_read(sim, multilevel));
    if (*stuck)
        return PRC_OK;
    prc_contact_pin_moves(sim, INFINITY);
    sim->model.backend->download(&sim->view, v->push, view->field[PRC_FIELD_correction], 3 * n);
    for (size_t k = 0; k < 3 * n; k++)
        v->moves[k] += v->push[k];
    prc_contact_limit_moves(sim);
    sim->model.backend->download(&sim->view, v->free, view->field[PRC_FIELD_free], n);
    memcpy(v->before, v->z, 3 * n * sizeof *v->z);
    prc_contact_rigids_keep(&sim->contact);
    for (size_t k = 0; k < 3 * n; k++) {
        const double y = v->z[k] + v->moves[k];
        if (sim->report.iterations > 0)
            v->moves[k] = v->free[k % n] != 0 ? y - v->y[k] : v->moves[k];
        v->y[k] = y;
    }
    prc_result result = project(sim, v, settled, error);
    if (result != PRC_OK)
        return result;
    evaluate(sim, v);
    *stuck = !isfinite(prc_residual(sim, PRC_FIELD_gradient));
    if (*stuck)
        go_back(sim, v);
    return PRC_OK;
}

/* Begins where the prediction leads, or where forces are not finite there, where the last step ended. */
static prc_result begin(prc_sim *sim, projection *v, prc_error *error)
{
    for (int still = 0; still < 2; still++) {
        const prc_result result = still ? prc_contact_begin_still(sim, error) : prc_contact_begin(sim, error);
        if (result != PRC_OK)
            return result;
        sim->contact.active.count = 0; /* the linear solver sees no contact */
        prc_contact_geometry(&sim->contact, v->z);
        evaluate(sim, v);
        if (isfinite(prc_residual(sim, PRC_FIELD_gradient)))
            break;
    }
    return PRC_OK;
}

/* At rest the elastic gradient is H push: what is missing to that is the residual, by the same measure as elsewhere. */
static void finish(prc_sim *sim, projection *v)
{
    prc_contact_set *set = &sim->contact;
    prc_step_report *r = &sim->report;
    const prc_view *view = &sim->view;
    const size_t n = (size_t)view->padded_count;
    find_push(set, v);
    sim->model.backend->download(&sim->view, v->free, view->field[PRC_FIELD_free], n); /* also before an iteration */
    for (size_t k = 0; k < 3 * n; k++)
        v->moves[k] = v->free[k % n] != 0 ? v->push[k] : 0;
    sim->model.backend->upload(&sim->view, view->field[PRC_FIELD_direction], v->moves, 3 * n);
    prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
    prc_combine(sim, 1, PRC_FIELD_gradient, -1, PRC_FIELD_product, PRC_FIELD_residual);
    r->residual = prc_residual(sim, PRC_FIELD_residual);
    prc_contact_measure(set);
    r->active_contacts = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        r->active_contacts += contact->pushes && contact->distance - contact->xi < contact->d_hat;
    }
    sim->model.backend->download(&sim->view, v->moves, view->field[PRC_FIELD_weight], n);
    for (size_t i = 0; i < (size_t)view->vertex_count; i++) { /* the barrier's stiffness plays no part here */
        const double p[3] = {v->push[i], v->push[n + i], v->push[2 * n + i]};
        set->pressure[i] = sim->model.area[i] > 0 ? v->moves[i] * sqrt(prc_dot3(p, p)) / sim->model.area[i] : 0;
    }
    prc_contact_report_lag(sim);
    r->energy_elastic = prc_energy_elastic(sim);
    r->contact_pairs = set->contact_count;
    r->detections = set->detections;
    r->cuts = set->cuts;
    r->smallest_gap = set->smallest_gap;
}

prc_result prc_solve_projection(prc_sim *sim, prc_error *error)
{
    prc_step_report *r = &sim->report;
    prc_contact_set *set = &sim->contact;
    const prc_contact_vectors *moving = &sim->contact_work;
    const struct prc_projection_work *w = &sim->work.projection;
    projection v = {.z = moving->positions,
                    .trial = moving->trial,
                    .moves = moving->moves,
                    .y = w->y,
                    .push = w->push,
                    .before = w->before,
                    .free = w->free,
                    .rate = w->rate};
    double best = INFINITY;
    int since_best = 0;
    prc_result result = begin(sim, &v, error);
    if (result != PRC_OK)
        return result;
    r->stop = "max_iterations";
    while (r->iterations < sim->def.solver.max_iterations) {
        bool settled, stuck;
        if (prc_interrupt_ask(&sim->interrupt))
            return prc_interrupt_fail(error);
        result = iterate(sim, &v, &settled, &stuck, error);
        if (result != PRC_OK)
            return result;
        if (stuck) {
            r->stop = "stalled";
            break;
        }
        r->iterations++;
        r->decrement = change_of(sim, &v);
        const bool arrived = prc_contact_move_colliders(set, v.z);
        prc_contact_geometry(set, v.z);
        r->converged = r->decrement < sim->def.solver.tolerance && settled && v.cuts == 0 && arrived;
        since_best = r->decrement < best ? 0 : since_best + 1;
        best = fmin(best, r->decrement);
        if (r->converged || since_best >= STALL_AFTER) {
            r->stop = r->converged ? "converged" : "stalled";
            break;
        }
    }
    finish(sim, &v);
    return PRC_OK;
}
