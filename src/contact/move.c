/* contact/move.c — moves that are safe: certify, or cut.
 *
 * A pair is certified for a common straight move if the plane that divides it at the start still does at the end (the
 * separation along a fixed normal is linear in time for every vertex, so it divides all the way), or if additive CCD
 * says so. Vertices of pairs that are not certified become static: each then moves inside its own half-spaces alone,
 * which keeps every pair apart whatever the others do. Positions are tested as rounded. docs/theory.md, section 10.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/small.h"

#include "base/clock.h"
#include "base/error.h"
#include "kernel/accd.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ACCD_KEEP 0.1   /* share of the gap that a time of impact leaves */
#define SWEEPS 3        /* projections onto the half-spaces of a vertex */
#define GENTLE_ROUNDS 3 /* of the prediction, in which failing vertices keep their time of impact; then they stay */
#define MOST_ROUNDS 12  /* … after which nothing moves */

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

static void store(double *x, int stride, int vertex, const double in[3])
{
    for (int c = 0; c < 3; c++)
        x[(long)c * stride + vertex] = in[c];
}

/* --- one vertex among its own half-spaces --- */

/* A solid is alone with a vertex: a plane stands for it if it is convex; else, or where the plane says no, a trace. */
static bool clear_of_solid(const prc_contact_set *set, const prc_contact *k, const double from[3], const double to[3])
{
    const prc_solid *solid = &set->solids[k->solid];
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    if (prc_shape_is_convex(&solid->shape) && prc_dot3(k->n, d) >= -k->margin[0])
        return true;
    return prc_solid_time(solid, from, to, k->xi_hard) >= 1;
}

static bool is_curved(const prc_contact_set *set, const prc_contact *k)
{
    return k->solid >= 0 && !prc_shape_is_convex(&set->solids[k->solid].shape);
}

/* +1 on side A, −1 on side B. */
static double side(const prc_contact *k, int place)
{
    return place < k->side_a ? 1 : -1;
}

static void project(const prc_contact_set *set, int vertex, double p[3])
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool changed = false;
        for (int e = set->of_start[vertex]; e < set->of_start[vertex + 1]; e++) {
            const prc_contact *k = &set->contacts[set->of[e] / 4];
            const int place = set->of[e] % 4;
            const double over = side(k, place) * prc_dot3(k->n, p) + k->margin[place];
            if (over >= 0)
                continue;
            for (int c = 0; c < 3; c++)
                p[c] -= over * side(k, place) * k->n[c] * (1 + 4 * DBL_EPSILON);
            changed = true;
        }
        if (!changed)
            break;
    }
}

/* The largest part of p inside all half-spaces and the ball. */
static double admissible(const prc_contact_set *set, int vertex, const double from[3], const double p[3])
{
    double t = 1, o[3];
    for (int e = set->of_start[vertex]; e < set->of_start[vertex + 1]; e++) {
        const prc_contact *k = &set->contacts[set->of[e] / 4];
        if (is_curved(set, k)) { /* no half-space: as far as its trace goes */
            const double to[3] = {from[0] + t * p[0], from[1] + t * p[1], from[2] + t * p[2]};
            const double part = prc_solid_time(&set->solids[k->solid], from, to, k->xi_hard);
            t *= part < 1 ? part * (1 - 1e-9) : 1; /* less than that, so that rounding does not spoil it */
            continue;
        }
        const double towards = -side(k, set->of[e] % 4) * prc_dot3(k->n, p);
        if (towards > 0 && k->margin[set->of[e] % 4] < towards * t)
            t = k->margin[set->of[e] % 4] / towards;
    }
    for (int c = 0; c < 3; c++)
        o[c] = from[c] - set->anchor[(long)c * set->stride + vertex];
    const double pp = prc_dot3(p, p), op = prc_dot3(o, p),
                 room = set->ball[vertex] * set->ball[vertex] - prc_dot3(o, o);
    if (pp > 0) {
        const double reach = room > 0 ? (sqrt(op * op + pp * room) - op) / pp * (1 - 8 * DBL_EPSILON) : 0;
        t = prc_smaller(t, prc_larger(0, reach));
    }
    return t;
}

/* Whether the rounded position is really inside. */
static bool inside(const prc_contact_set *set, int vertex, const double from[3], const double to[3])
{
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    double o[3];
    for (int e = set->of_start[vertex]; e < set->of_start[vertex + 1]; e++) {
        const prc_contact *k = &set->contacts[set->of[e] / 4];
        if (is_curved(set, k) ? !clear_of_solid(set, k, from, to)
                              : side(k, set->of[e] % 4) * prc_dot3(k->n, d) < -k->margin[set->of[e] % 4])
            return false;
    }
    for (int c = 0; c < 3; c++)
        o[c] = to[c] - set->anchor[(long)c * set->stride + vertex];
    return prc_dot3(o, o) <= set->ball[vertex] * set->ball[vertex];
}

static void move_static(const prc_contact_set *set, int vertex, const double *y, const double *step, double *out)
{
    double from[3], p[3], to[3];
    prc_take3(y, set->stride, vertex, from);
    prc_take3(step, set->stride, vertex, p);
    if (vertex < set->model->elastic_count) /* an obstacle keeps to its way: sliding along cloth would take it around */
        project(set, vertex, p);
    const double t = admissible(set, vertex, from, p);
    for (int c = 0; c < 3; c++)
        to[c] = from[c] + t * p[c];
    store(out, set->stride, vertex, inside(set, vertex, from, to) ? to : from);
}

/* --- pairs --- */

/* Separation of the sides along the frozen normal at positions x. */
static double separation(const prc_contact *k, const double x[4][3])
{
    double low = INFINITY, high = -INFINITY;
    for (int p = 0; p < 4; p++) {
        const double d[3] = {x[p][0] - x[3][0], x[p][1] - x[3][1], x[p][2] - x[3][2]};
        const double s = prc_dot3(k->n, d);
        if (p < k->side_a)
            low = prc_smaller(low, s);
        else
            high = prc_larger(high, s);
    }
    return low - high;
}

/* Time up to which a pair may move without coming closer than xi; 1 for all of it. */
static double advance(int side_a, const double from[4][3], const double to[4][3], double xi)
{
    return side_a == 1 ? prc_accd_point_triangle(from, to, xi, ACCD_KEEP) : prc_accd_edge_edge(from, to, xi, ACCD_KEEP);
}

static bool certified(const prc_contact_set *set, const prc_contact *k, const double *y, const double *out)
{
    double from[4][3] = {{0}}, to[4][3] = {{0}}, extent = 0;
    for (int p = 0; p < k->count; p++) {
        prc_take3(y, set->stride, k->v[p], from[p]);
        prc_take3(out, set->stride, k->v[p], to[p]);
        for (int c = 0; c < 3; c++)
            extent = prc_larger(extent, prc_larger(fabs(from[p][c]), fabs(to[p][c])));
    }
    const double rounding = 16 * DBL_EPSILON * extent, left = k->xi_hard + (1 - PRC_PLANE_KEPT) * (k->sep - k->xi_hard);
    if (k->solid >= 0)
        return clear_of_solid(set, k, from[0], to[0]);
    const double after = separation(k, (const double(*)[3])to);
    if (k->sep >= k->xi_hard && (after >= left + rounding || after >= k->sep))
        return true;
    if (!(k->sep > k->xi_hard))
        return false;
    return advance(k->side_a, (const double(*)[3])from, (const double(*)[3])to, left) >= 1;
}

/* Marks the vertices of pairs that are not certified; returns whether there were any new ones. */
static bool mark_uncertified(prc_contact_set *set, const double *y, const double *out)
{
    bool any = false;
    memset(set->marked, 0, (size_t)set->stride);
#pragma omp parallel for schedule(static) THREADS(set->contact_count) reduction(|| : any)
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        bool all_held = true;
        for (int p = 0; p < contact->count; p++)
            all_held = all_held && set->held[contact->v[p]];
        if (all_held || certified(set, contact, y, out))
            continue;
        any = true;
        for (int p = 0; p < contact->count; p++) {
#pragma omp atomic write
            set->marked[contact->v[p]] = 1;
        }
    }
    return any;
}

int prc_contact_move(prc_contact_set *set, const double *y, const double *p, double *out)
{
    if (set->table)
        return set->table->move(set, y, p, out);
    const int n = set->model->vertex_count, stride = set->stride;
    const double start = prc_seconds();
    for (int i = 0; i < n; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const long k = (long)c * stride + i;
            out[k] = y[k] + p[k];
            square += (out[k] - set->anchor[k]) * (out[k] - set->anchor[k]);
        }
        set->held[i] = 0;
        set->marked[i] = square > set->ball[i] * set->ball[i];
    }
    do {
        for (int i = 0; i < n; i++)
            if (set->marked[i] && !set->held[i]) {
                set->held[i] = 1;
                move_static(set, i, y, p, out);
            }
    } while (mark_uncertified(set, y, out));
    int cuts = 0;
    for (int i = 0; i < n; i++) {
        double missing = 0, wanted = 0;
        for (int c = 0; c < 3; c++) {
            const long k = (long)c * stride + i;
            const double d = y[k] + p[k] - out[k];
            missing += d * d;
            wanted += p[k] * p[k];
        }
        cuts += missing > 1e-12 * wanted;
    }
    set->cuts += cuts;
    set->seconds_bounds += prc_seconds() - start;
    return cuts;
}

/* --- prediction --- */

/* Lowers time[v] of the vertices of pairs that would collide; returns how many pairs did. */
static int check_swept(prc_contact_set *set, const double *x, const double *end, const prc_pairs *pairs, int side_a,
                       int round)
{
    int failed = 0;
    double *next = set->time + set->stride;
    for (int k = 0; k < pairs->count; k++) {
        const int *v = pairs->v[k];
        double from[4][3] = {{0}}, to[4][3] = {{0}};
        for (int p = 0; p < 4; p++) {
            prc_take3(x, set->stride, v[p], from[p]);
            prc_take3(end, set->stride, v[p], to[p]);
        }
        const double xi = prc_contact_hard_thickness(set, v, side_a);
        const double time = advance(side_a, (const double(*)[3])from, (const double(*)[3])to, xi);
        if (time >= 1)
            continue;
        failed++;
        for (int p = 0; p < 4; p++)
            next[v[p]] = prc_smaller(next[v[p]], round < GENTLE_ROUNDS ? time : 0);
    }
    return failed;
}

static prc_result follow(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error)
{
    const int n = set->model->vertex_count, stride = set->stride;
    double *time = set->time, *next = set->time + stride;
    for (int i = 0; i < n; i++) {
        double from[3], to[3];
        prc_take3(x, stride, i, from);
        for (int c = 0; c < 3; c++)
            to[c] = from[c] + p[(long)c * stride + i];
        time[i] = 1;
        for (int s = 0; s < set->solid_count && i < set->model->elastic_count; s++)
            if (!prc_exempt_has_solid(&set->exempt, i, s))
                time[i] = prc_smaller(time[i], prc_solid_time(&set->solids[s], from, to, set->half[i]));
    }
    for (int round = 0;; round++) {
        for (int i = 0; i < n; i++) {
            next[i] = 1;
            for (int c = 0; c < 3; c++) {
                const long k = (long)c * stride + i;
                out[k] = x[k] + (round > MOST_ROUNDS ? 0 : time[i]) * p[k];
                set->sweep[k] = out[k] - x[k];
            }
        }
        if (round > MOST_ROUNDS)
            return PRC_OK;
        set->detections++;
        const double start = prc_seconds();
        prc_result result = prc_detect_swept(&set->detector, x, set->sweep, stride, set->bodies.largest_thickness,
                                             set->threads, &set->found, error);
        set->seconds_broad += prc_seconds() - start;
        if (result != PRC_OK)
            return result;
        prc_exempt_filter(&set->exempt, &set->found);
        const int failed = check_swept(set, x, out, &set->found.point_triangle, 1, round) +
                           check_swept(set, x, out, &set->found.edge_edge, 2, round);
        if (failed == 0)
            return PRC_OK;
        for (int i = 0; i < n; i++)
            time[i] *= next[i];
    }
}

prc_result prc_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error)
{
    if (set->table)
        return set->table->predict(set, x, p, out, error);
    const double start = prc_seconds(), broad = set->seconds_broad;
    const prc_result result = follow(set, x, p, out, error);
    set->seconds_ccd += prc_seconds() - start - (set->seconds_broad - broad);
    return result;
}
