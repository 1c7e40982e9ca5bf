/* contact/move.c — moves that are safe: certify, or cut.
 *
 * A pair is certified for a common straight move if the plane that divides it at the start still does at the end (the
 * separation along a fixed normal is linear in time for every vertex, so it divides all the way), or if additive CCD
 * says so. Vertices of pairs that are not certified become static: each then moves inside its own half-spaces alone,
 * which keeps every pair apart whatever the others do. Positions are tested as rounded. docs/theory.md, section 10.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/contact_move.h"
#include "kernel/zones.h"

#include "base/clock.h"
#include "base/error.h"

#include <string.h>

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

/* Marks the vertices of pairs that are not certified; returns whether there were any new ones. */
static bool mark_uncertified(prc_contact_set *set, const double *y, const double *out)
{
    const prc_contact_view view = prc_contact_see(set);
    bool any = false;
    memset(set->marked, 0, (size_t)set->stride * sizeof *set->marked);
#pragma omp parallel for schedule(static) THREADS(set->contact_count) reduction(|| : any)
    for (int k = 0; k < set->contact_count; k++) {
        int v[4], count;
        const enum prc_contact_answer answer = prc_contact_answer_to(&view, k, y, out, v, &count);
        if (answer == PRC_ANSWER_FINE || (answer == PRC_ANSWER_DOUBTFUL && !prc_contact_objects(&view, k, y, out)))
            continue;
        any = true;
        for (int p = 0; p < count; p++) {
#pragma omp atomic write
            set->marked[v[p]] = 1;
        }
    }
    return any;
}

int prc_contact_move(prc_contact_set *set, const double *y, const double *p, double *out)
{
    if (set->table)
        return set->table->move(set, y, p, out);
    const int n = set->model->vertex_count;
    const double start = prc_seconds();
    const prc_contact_view view = prc_contact_see(set);
    for (int i = 0; i < n; i++)
        prc_vertex_move(&view, i, y, p, out);
    do {
        prc_contact_rigids_hold(set, y, p, out);
        for (int i = 0; i < n; i++)
            if (set->marked[i] && !set->held[i]) {
                set->held[i] = 1;
                prc_vertex_move_static(&view, i, y, p, out);
            }
    } while (mark_uncertified(set, y, out));
    int cuts = 0;
    for (int i = 0; i < n; i++)
        cuts += prc_vertex_was_cut(&view, i, y, p, out);
    set->cuts += cuts;
    set->seconds_bounds += prc_seconds() - start;
    return cuts;
}

int prc_contact_move_inside(prc_contact_set *set, const double *y, const double *p, double *out)
{
    return !set->table && prc_contact_leaves(set, y, p) ? -1 : prc_contact_move(set, y, p, out);
}

/* --- prediction --- */

static prc_zones see_zones(const prc_contact_set *set)
{
    return prc_zones_in(set->stride, set->zone_integers, set->zone_bits, set->time, set->time + set->stride);
}

/* Lowers next[v] of the vertices of pairs that would collide; returns how many pairs did. */
static int check_swept(prc_contact_set *set, const double *x, const double *end, const prc_pairs *pairs, int side_a,
                       int round)
{
    const prc_contact_view view = prc_contact_see(set);
    const prc_zones zones = see_zones(set);
    int failed = 0;
    double *next = set->time + 2 * set->stride;
    for (int k = 0; k < pairs->count; k++) {
        const int *v = pairs->v[k];
        if (!prc_predict_is_new(&view, v))
            continue;
        const double time = prc_pair_swept_time(&view, v, side_a, x, end);
        if (time >= 1)
            continue;
        failed++;
        prc_zone_fail(&zones, v);
        for (int p = 0; p < 4; p++)
            next[v[p]] = prc_smaller(next[v[p]], round < PRC_PREDICT_GENTLE ? time : 0);
    }
    return failed;
}

/* The same of triangles and colliders, which rest. */
static int check_faces(prc_contact_set *set, const double *x, const double *end, int round)
{
    const prc_contact_view view = prc_contact_see(set);
    int failed = 0;
    const prc_zones zones = see_zones(set);
    double *room = set->time + 3 * (size_t)set->stride;
    for (int t = 0; t < view.triangle_count; t++) {
        const int *v = view.triangles[t];
        double time = 1;
        if (view.marked[v[0]] || view.marked[v[1]] || view.marked[v[2]])
            for (int s = 0; s < view.collider_count; s++)
                time = prc_smaller(time, prc_face_swept_time(&view, v, s, x, end));
        if (time >= 1)
            continue;
        failed++;
        prc_zone_fail_face(&zones, v);
        for (int p = 0; p < 3; p++)
            room[v[p]] = prc_smaller(room[v[p]], round < PRC_PREDICT_GENTLE ? time : 0);
    }
    return failed;
}

/* What zones have in common; unless `again`, after what the round has left to each vertex. */
static void describe_zones(prc_contact_set *set, const double *x, const double *p, bool again)
{
    const prc_contact_view view = prc_contact_see(set);
    const prc_zones zones = see_zones(set);
    const int n = set->model->vertex_count;
    const double *next = set->time + 2 * set->stride, *room = next + set->stride;
    for (int i = 0; i < n; i++) {
        if (!again)
            prc_zone_hold_back(&view, &zones, i, next[i], room[i]);
        prc_zone_clear(&zones, i);
    }
    for (int i = 0; i < n; i++)
        prc_zone_describe(&zones, i, p);
    for (int i = 0; i < n; i++)
        prc_zone_limit(&view, &zones, i, x, p);
}

/* Neighbours that would be torn away join; says whether there were any. */
static bool grow_zones(prc_contact_set *set, const double *p)
{
    const prc_contact_view view = prc_contact_see(set);
    const prc_zones zones = see_zones(set);
    const prc_surface *s = &set->surface;
    int ring = 0;
    for (bool joined = true; joined && ring < PRC_ZONE_RINGS; ring += joined) {
        joined = false;
        for (int e = 0; e < s->edge_count; e++)
            joined |= prc_zone_meet(&view, &zones, s->edge[e][0], s->edge[e][1], p);
        for (int i = 0; i < view.vertex_count && joined; i++)
            prc_zone_join(&zones, i);
    }
    return ring > 0;
}

/* Where the round before lets the vertices go, and what their zones have in common. */
static void hold_back(prc_contact_set *set, const double *x, const double *p, double *out)
{
    const prc_contact_view view = prc_contact_see(set);
    const prc_zones zones = see_zones(set);
    describe_zones(set, x, p, false);
    if (grow_zones(set, p))
        describe_zones(set, x, p, true);
    double *next = set->time + 2 * set->stride;
    for (int i = view.elastic_count; i < view.vertex_count; i++)
        next[i] = prc_zone_rigid_part(&view, &zones, i);
    prc_contact_rigids_hold_back(set, next);
    for (int i = 0; i < view.vertex_count; i++)
        prc_zone_place(&view, &zones, i, x, p, out, set->sweep);
}

/* The pairs that were found, and triangles and colliders unless `faces_are_free` at first, are asked until none of them
 * fails; returns how many rounds were needed for that. */
static int settle_swept(prc_contact_set *set, const double *x, const double *p, double *out, int round,
                        bool faces_are_free)
{
    const int n = set->model->vertex_count, first = round;
    double *next = set->time + 2 * set->stride, *room = next + set->stride;
    for (; round < first + PRC_PREDICT_ROUNDS && !prc_interrupt_ask_often(set->interrupt); round++) {
        for (int i = 0; i < n; i++)
            next[i] = room[i] = 1;
        const int failed = check_swept(set, x, out, &set->found.point_triangle, 1, round) +
                           check_swept(set, x, out, &set->found.edge_edge, 2, round) +
                           (faces_are_free && round == first ? 0 : check_faces(set, x, out, round));
        if (failed == 0)
            break;
        hold_back(set, x, p, out);
    }
    return round - first;
}

static prc_result follow(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error)
{
    const prc_contact_view view = prc_contact_see(set);
    const prc_zones zones = see_zones(set);
    const int n = set->model->vertex_count;
    int round = 0;
    for (int i = 0; i < n; i++) {
        prc_zone_begin(&view, &zones, i);
        set->time[i] = prc_predict_colliders(&view, i, x, p);
        prc_predict_place(&view, i, x, p, set->time[i], out, set->sweep);
        prc_predict_begin(&view, i, true);
    }
    /* Triangles and colliders first, without pairs: what they hold back would need a second search. */
    set->found.point_triangle.count = set->found.edge_edge.count = 0;
    const int collider_rounds = set->guards_faces ? settle_swept(set, x, p, out, 0, false) : 0;
    for (int search = 0; search < PRC_PREDICT_MOST; search++) {
        for (int i = 0; i < n; i++)
            prc_predict_begin(&view, i, search == 0);
        set->detections++;
        const double start = prc_seconds();
        const prc_result result = prc_detect_swept(&set->detector, x, set->sweep, set->stride, prc_contact_reach(set),
                                                   set->threads, &set->found, error);
        set->seconds_broad += prc_seconds() - start;
        if (result != PRC_OK)
            return result;
        prc_contact_drop_exempt(set, &set->found);
        const int rounds = settle_swept(set, x, p, out, round, search == 0 && collider_rounds < PRC_PREDICT_ROUNDS);
        if (prc_interrupt_came(set->interrupt))
            return prc_interrupt_fail(error);
        round += rounds;
        set->held_back = collider_rounds + round > 0;
        if (rounds == 0) {
            set->found_ahead = true;
            return PRC_OK;
        }
    }
    for (int k = 0; k < set->rigids.count; k++)
        prc_rigid_shorten(&set->rigids.of[k], 0);
    for (int i = 0; i < n; i++)
        prc_predict_place(&view, i, x, p, 0, out, set->sweep);
    return PRC_OK;
}

prc_result prc_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out, prc_error *error)
{
    if (set->table)
        return set->table->predict(set, x, p, out, error);
    const double start = prc_seconds(), broad = set->seconds_broad;
    set->held_back = false;
    const prc_result result = follow(set, x, p, out, error);
    set->seconds_ccd += prc_seconds() - start - (set->seconds_broad - broad);
    return result;
}
