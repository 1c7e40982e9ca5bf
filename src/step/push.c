/* step/push.c — opens gaps that are too small at the start, moving as little as possible.
 *
 *   repeat    pairs at x; each that is too close asks its free vertices, by their weights, to open it to the thickness;
 *             a vertex makes the mean of what it is asked for; a safe move
 *   until     all gaps are open, or nothing gets better
 *
 * The moves are those of contact/move.c, so they cannot make an intersection: for a pair that is too close the distance
 * not to be passed is a little below the present one. Geometry only, no masses and no elasticity: the way is at most
 * about a thickness. Velocities stay. docs/theory.md, section 10.11. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/small.h"
#include "step/start.h"

#include <math.h>
#include <string.h>

#define MOST_ROUNDS 400
#define PATIENCE 12     /* rounds without progress */
#define PROGRESS 0.995  /* what is left of the lack after a round that got on */
#define AIM 0.2         /* of d_hat beyond the thickness: where the barrier is soft, so that nothing jumps at first */
#define KEEP 0.9        /* of the distance of a pair that is too close is never passed */
#define LONGEST_WAY 2.0 /* in thicknesses, where pairs are exempt */
#define LEAST_SHARE 0.1 /* of free vertices in a pair; less would make them jump */

/* Vertices that may be moved: neither an obstacle's, nor pinned in the next step, nor part of an exempt pair. */
static void mark_free(prc_sim *sim, unsigned char *free)
{
    const prc_exempt_set *exempt = &sim->contact.exempt;
    const double end = sim->time + sim->def.time.step;
    for (int i = 0; i < sim->model.vertex_count; i++)
        free[i] = i < sim->model.elastic_count;
    for (int p = 0; p < sim->pin_count; p++)
        for (int k = 0; k < sim->pins[p].vertex_count; k++)
            if (end > sim->pins[p].def.from && sim->time < sim->pins[p].def.until)
                free[sim->pins[p].vertices[k]] = 0;
    for (int k = 0; k < exempt->count; k++)
        for (int p = 0; p < prc_exempt_vertices(&exempt->pairs[k]); p++)
            free[exempt->pairs[k].v[p]] = 0;
}

/* By how much pairs are too close, in thicknesses, over all that could be opened. */
static double lack(const prc_contact_set *set)
{
    double sum = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        if (contact->pushes && prc_contact_bound(contact) < contact->xi)
            sum += 1 - prc_contact_bound(contact) / contact->xi;
    }
    return sum;
}

/* How far the pair has to be opened, per weight of a vertex; 0 for one that is open, or too deep inside a collider to
 * say which way is out. */
static double push_of(const prc_contact *k, const unsigned char *free)
{
    if (prc_contact_bound(k) >= k->xi || (k->collider >= 0 ? k->distance < -k->xi : !k->has_plane))
        return 0;
    double share = 0;
    for (int p = 0; p < k->count; p++)
        share += free[k->v[p]] ? k->w[p] * k->w[p] : 0;
    return share > 0 ? (k->xi + AIM * k->d_hat - prc_contact_bound(k)) / prc_larger(share, LEAST_SHARE) : 0;
}

/* What vertex i is asked for on the average, weighted by how much each pair depends on it; kept inside its ball. */
static void push_vertex(const prc_contact_set *set, const unsigned char *free, int i, double *p)
{
    double sum[3] = {0, 0, 0}, weight = 0;
    for (int e = set->of_start[i]; free[i] && e < set->of_start[i + 1]; e++) {
        const prc_contact *k = &set->contacts[set->of[e] / 4];
        const double w = k->w[set->of[e] % 4], push = push_of(k, free);
        weight += push > 0 ? fabs(w) : 0;
        for (int c = 0; c < 3; c++)
            sum[c] += fabs(w) * w * push * k->n[c];
    }
    const double length = sqrt(prc_dot3(sum, sum)), most = 0.99 * set->ball[i] * weight;
    for (int c = 0; c < 3; c++)
        p[(long)c * set->stride + i] = weight > 0 ? sum[c] / weight * (length > most ? most / length : 1) : 0;
}

/* Pairs that are too close may keep what they have. */
static void lower_hard_thickness(prc_contact_set *set)
{
    for (int k = 0; k < set->contact_count; k++) {
        prc_contact *contact = &set->contacts[k];
        if (prc_contact_is_close(contact))
            contact->xi_hard = prc_contact_bound(contact) - (1 - KEEP) * fabs(prc_contact_bound(contact));
    }
}

static prc_result push_once(prc_sim *sim, double *left, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *x = prc_field_position(&sim->model.view), *p = sim->contact_work.moves, *to = sim->contact_work.guess;
    prc_result result = prc_contact_detect(set, x, NULL, error);
    if (result != PRC_OK)
        return result;
    *left = lack(set);
    if (!(*left > 0))
        return PRC_OK;
    memset(p, 0, n * sizeof *p);
#pragma omp parallel for schedule(static) num_threads(sim->view.threads) if (set->contact_count > 2000)
    for (int i = 0; i < sim->model.vertex_count; i++)
        push_vertex(set, sim->pinned_now, i, p);
    lower_hard_thickness(set);
    prc_contact_geometry(set, x);
    prc_contact_move(set, x, p, to);
    memcpy(x, to, n * sizeof *x);
    return PRC_OK;
}

static double way(const prc_sim *sim, const double *before, int i)
{
    const double *x = prc_field_position(&sim->model.view);
    double d[3];
    for (long c = 0; c < 3; c++)
        d[c] = x[c * sim->view.padded_count + i] - before[c * sim->view.padded_count + i];
    return sqrt(prc_dot3(d, d));
}

/* Beside what crosses, pushing may lead anywhere; there it is better to exempt some more. */
static void hold_strays(prc_sim *sim, const double *before)
{
    for (int i = 0; i < sim->model.vertex_count && sim->contact.exempt.count > 0; i++)
        if (way(sim, before, i) > LONGEST_WAY * 2 * sim->contact.half[i])
            sim->pinned_now[i] = 0;
}

static void measure(prc_sim *sim, const double *before)
{
    for (int i = 0; i < sim->model.vertex_count; i++) {
        const double length = way(sim, before, i);
        sim->start.moved_vertices += length > 0;
        sim->start.largest_move = prc_larger(sim->start.largest_move, length);
    }
}

/* Rounds until all gaps are open, or nothing gets better. */
static prc_result push(prc_sim *sim, const double *before, prc_error *error)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *x = prc_field_position(&sim->model.view), *best = sim->work.push.best,
           *x_of_round = sim->work.push.of_round;
    double least = INFINITY, left = INFINITY;
    memcpy(best, x, n * sizeof *best);
    for (int round = 0, stale = 0; round < MOST_ROUNDS && left > 0 && stale < PATIENCE; round++) {
        memcpy(x_of_round, x, n * sizeof *x);
        if (prc_interrupt_ask(&sim->interrupt))
            return prc_interrupt_fail(error);
        prc_result result = push_once(sim, &left, error);
        if (result != PRC_OK)
            return result;
        hold_strays(sim, before);
        stale = left < PROGRESS * least ? 0 : stale + 1;
        if (left < least) {
            least = left;
            memcpy(best, x_of_round, n * sizeof *best);
        }
    }
    memcpy(x, best, n * sizeof *x); /* not where it got lost */
    return PRC_OK;
}

prc_result prc_start_push(prc_sim *sim, bool meshes, prc_error *error)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *before = sim->contact_work.trial; /* the positions may be those of an earlier state: prc_sim_set_state */
    prc_result result = PRC_OK;
    memcpy(before, prc_field_position(&sim->model.view), n * sizeof *before);
    mark_free(sim, sim->pinned_now);
    if (meshes) { /* pairs with a surface would keep on its inside what is there */
        sim->contact.fields_stand_in = true;
        result = push(sim, before, error);
        sim->contact.fields_stand_in = false;
    }
    if (result == PRC_OK)
        result = push(sim, before, error);
    if (result == PRC_OK)
        measure(sim, before);
    return result;
}
