/* backend/cuda/predict.cu — see predict.h.
 *
 * As on the CPU: colliders first, then swept detections, each with rounds in which the vertices of pairs that would
 * collide are held back. Nearly always the first round finds nothing, and then the host waits twice: for the number of
 * pairs, and for that of those that failed. Most pairs are free by the first plane that is tried; those that are not
 * are looked at closely together, since a warp waits for the slowest of its pairs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/predict.h"

#include "base/clock.h"
#include "kernel/contact_move.h"

#define PRC_ZONE_FUNCTION static inline PRC_DEVICE
#define PRC_ZONE_READ(from) prc_atomic_read(from)
#define PRC_ZONE_MIN(to, value) prc_atomic_min(to, value)
#define PRC_ZONE_LEAST_BITS(to, value) prc_atomic_min(to, value)
#define PRC_ZONE_OR(to, value) prc_atomic_or(to, value)
#include "kernel/zones.h"

PRC_DEVICE_BEGIN

#define CLOSE_LOOKS 65536 /* threads for doubtful pairs: more than can run at once */

enum round_counts { ROUND_FAILED, ROUND_DOUBTFUL, ROUND_JOINED, ROUND_COUNTS };

void prc_device_prediction_release(prc_device *d, prc_device_prediction *w)
{
    prc_release(d, &w->time);
    prc_release(d, &w->next);
    prc_release(d, &w->room);
    prc_release(d, &w->share);
    prc_release(d, &w->zone_integers);
    prc_release(d, &w->zone_bits);
    prc_release(d, &w->sweep);
    prc_release(d, &w->doubtful);
    prc_release(d, &w->counts);
}

static bool reserve(prc_device *d, prc_device_prediction *w, const prc_contact_view *view)
{
    const size_t stride = (size_t)view->stride;
    return prc_reserve(d, &w->time, stride) && prc_reserve(d, &w->next, stride) && prc_reserve(d, &w->room, stride) &&
           prc_reserve(d, &w->share, stride) && prc_reserve(d, &w->zone_integers, PRC_ZONE_INTEGERS * stride) &&
           prc_reserve(d, &w->zone_bits, PRC_ZONE_BITS * stride) && prc_reserve(d, &w->sweep, 3 * stride) &&
           prc_reserve(d, &w->counts, ROUND_COUNTS);
}

static prc_zones see_zones(prc_device_prediction *w, const prc_contact_view *view)
{
    return prc_zones_in(view->stride, w->zone_integers.data, w->zone_bits.data, w->time.data, w->share.data);
}

/* Where the colliders let the vertices go. */
static void place(prc_device *d, prc_device_prediction *w, const prc_contact_view *of, const double *x, const double *p,
                  double *out)
{
    const prc_contact_view view = *of;
    double *time = w->time.data, *sweep = w->sweep.data;
    uint64_t *next = w->next.data, *room = w->room.data;
    int *counts = w->counts.data;
    const uint64_t one = prc_bits_of(1);
    const prc_zones zones = see_zones(w, of);
    prc_each(d, "predict: colliders", view.vertex_count, [=] PRC_DEVICE(int i) {
        prc_zone_begin(&view, &zones, i);
        time[i] = prc_predict_colliders(&view, i, x, p);
        prc_predict_place(&view, i, x, p, time[i], out, sweep);
        prc_predict_begin(&view, i, true);
        next[i] = room[i] = one;
        if (i == 0)
            counts[ROUND_FAILED] = counts[ROUND_DOUBTFUL] = 0;
    });
}

/* What zones have in common, after a round, or (`again`) after they have grown. */
static void describe_zones(prc_device *d, prc_device_prediction *w, const prc_contact_view *of, const double *x,
                           const double *p, bool again)
{
    const prc_contact_view view = *of;
    const prc_zones zones = see_zones(w, of);
    uint64_t *next = w->next.data, *room = w->room.data;
    int *counts = w->counts.data;
    const uint64_t one = prc_bits_of(1);
    prc_each(d, "predict: hold back", view.vertex_count, [=] PRC_DEVICE(int i) {
        if (!again)
            prc_zone_hold_back(&view, &zones, i, prc_double_of(next[i]), prc_double_of(room[i]));
        prc_zone_clear(&zones, i);
        next[i] = room[i] = one;
        if (i == 0)
            counts[ROUND_FAILED] = counts[ROUND_DOUBTFUL] = counts[ROUND_JOINED] = 0;
    });
    prc_each(d, "predict: zones", view.vertex_count, [=] PRC_DEVICE(int i) { prc_zone_describe(&zones, i, p); });
    prc_each(d, "predict: limits", view.vertex_count,
             [=] PRC_DEVICE(int i) { prc_zone_limit(&view, &zones, i, x, p); });
}

/* Neighbours that would be torn away join; says whether there were any. */
static bool grow_zones(prc_device *d, prc_device_prediction *w, const prc_contact_view *of,
                       const prc_device_detector *detector, const double *p)
{
    const prc_contact_view view = *of;
    const prc_zones zones = see_zones(w, of);
    const int *edge = detector->trees.edge_of.data;
    int *counts = w->counts.data, joined = 1, before = 0, ring = 0;
    for (; ring < PRC_ZONE_RINGS; ring++) {
        prc_each(d, "predict: edges", detector->trees.edge_count, [=] PRC_DEVICE(int e) {
            if (prc_zone_meet(&view, &zones, edge[2 * (size_t)e], edge[2 * (size_t)e + 1], p))
                prc_atomic_add(&counts[ROUND_JOINED], 1);
        });
        prc_copy_out(d, &joined, counts + ROUND_JOINED, sizeof joined);
        if (joined == before || prc_device_failed(d))
            break;
        before = joined;
        prc_each(d, "predict: join", view.vertex_count, [=] PRC_DEVICE(int i) { prc_zone_join(&zones, i); });
    }
    return ring > 0;
}

/* Where the round before lets them go, and what their zones have in common. */
static void hold_back(prc_device *d, prc_device_prediction *w, const prc_contact_view *of,
                      const prc_device_detector *detector, const double *x, const double *p, double *out)
{
    const prc_contact_view view = *of;
    const prc_zones zones = see_zones(w, of);
    double *sweep = w->sweep.data;
    describe_zones(d, w, of, x, p, false);
    if (grow_zones(d, w, of, detector, p))
        describe_zones(d, w, of, x, p, true);
    uint64_t *next = w->next.data;
    const uint64_t one = prc_bits_of(1);
    if (view.rigid_count > 0) {
        const int first = view.elastic_count;
        prc_each(d, "predict: rigid parts", view.vertex_count - first, [=] PRC_DEVICE(int i) {
            next[first + i] = prc_bits_of(prc_zone_rigid_part(&view, &zones, first + i));
        });
        prc_device_rigids_hold_back(d, of, next);
    }
    prc_each(d, "predict: place", view.vertex_count, [=] PRC_DEVICE(int i) {
        prc_zone_place(&view, &zones, i, x, p, out, sweep);
        next[i] = one;
    });
}

/* Pair k of all that were found: its vertices, and how many are on side A. */
static PRC_DEVICE prc_device_pair pair_of(const prc_device_pair *points, const prc_device_pair *edges, int point_count,
                                          int k, int *side_a)
{
    *side_a = k < point_count ? 1 : 2;
    return k < point_count ? points[k] : edges[k - point_count];
}

/* Which pairs would collide; their vertices have less time then. The least is the same in any order. */
static void check_pairs(prc_device *d, prc_device_prediction *w, const prc_contact_view *of,
                        const prc_device_pairs *found, const double *x, const double *end)
{
    const prc_contact_view view = *of;
    const prc_device_pair *points = found->point_triangle.data, *edges = found->edge_edge.data;
    const int point_count = found->point_triangle_count, pairs = point_count + found->edge_edge_count;
    if (!prc_reserve(d, &w->doubtful, (size_t)pairs))
        return;
    const prc_zones zones = see_zones(w, of);
    uint64_t *next = w->next.data;
    int *doubtful = w->doubtful.data, *counts = w->counts.data;
    const int round = w->rounds;
    const int warps = (pairs + PRC_WARP - 1) / PRC_WARP;
    prc_each_warp<int, 16>(d, "predict: pairs", warps, [=] PRC_DEVICE(const prc_warp &warp, int &place, int i) {
        const unsigned some = warp.ballot([&](int lane) {
            const int k = PRC_WARP * i + lane;
            if (k >= pairs)
                return false;
            int side_a;
            const prc_device_pair pair = pair_of(points, edges, point_count, k, &side_a);
            return prc_predict_is_new(&view, pair.v) && !prc_pair_is_exempt(&view, pair.v, side_a) &&
                   !prc_pair_sweeps_freely(&view, pair.v, side_a, x, end);
        });
        if (!some)
            return;
        warp.each([&](int lane) {
            if (lane == 0)
                place = prc_atomic_add(&counts[ROUND_DOUBTFUL], prc_bit_count(some));
        });
        warp.each([&](int lane) {
            if (some >> lane & 1)
                doubtful[place + prc_bit_count(some & ((1u << lane) - 1))] = PRC_WARP * i + lane;
        });
    });
    const int looks = pairs < CLOSE_LOOKS ? pairs : CLOSE_LOOKS;
    prc_each(d, "predict: close look", looks, [=] PRC_DEVICE(int i) {
        for (int e = i; e < counts[ROUND_DOUBTFUL]; e += looks) {
            int side_a;
            const prc_device_pair pair = pair_of(points, edges, point_count, doubtful[e], &side_a);
            const double time = prc_pair_swept_time(&view, pair.v, side_a, x, end);
            if (time >= 1)
                continue;
            prc_atomic_add(&counts[ROUND_FAILED], 1);
            prc_zone_fail(&zones, pair.v);
            const uint64_t bits = prc_bits_of(round < PRC_PREDICT_GENTLE ? time : 0);
            for (int q = 0; q < 4; q++)
                prc_atomic_min(&next[pair.v[q]], bits);
        }
    });
}

/* The same of triangles and colliders. */
static void check_faces(prc_device *d, prc_device_prediction *w, const prc_contact_view *of, const double *x,
                        const double *end)
{
    const prc_contact_view view = *of;
    const prc_zones zones = see_zones(w, of);
    uint64_t *room = w->room.data;
    int *counts = w->counts.data;
    const int colliders = view.collider_count, round = w->rounds;
    prc_each(d, "predict: faces", view.guards_faces ? view.triangle_count : 0, [=] PRC_DEVICE(int t) {
        const int *v = view.triangles[t];
        double time = 1;
        if (view.marked[v[0]] || view.marked[v[1]] || view.marked[v[2]])
            for (int s = 0; s < colliders; s++)
                time = prc_smaller(time, prc_face_swept_time(&view, v, s, x, end));
        if (time >= 1)
            return;
        prc_atomic_add(&counts[ROUND_FAILED], 1);
        prc_zone_fail_face(&zones, v);
        for (int q = 0; q < 3; q++)
            prc_atomic_min(&room[v[q]], prc_bits_of(round < PRC_PREDICT_GENTLE ? time : 0));
    });
}

/* The pairs that were found, if any, and triangles and colliders unless `faces_are_free` at first, are asked until none
 * of them fails; returns how many rounds were needed for that. */
static int settle(prc_device *d, prc_device_prediction *w, const prc_contact_view *view,
                  const prc_device_detector *detector, const prc_device_pairs *found, bool faces_are_free,
                  const double *x, const double *p, double *out)
{
    int rounds = 0;
    for (; !prc_interrupt_ask_often(w->interrupt) && rounds < PRC_PREDICT_ROUNDS; rounds++, w->rounds++) {
        int failed = 0;
        if (found)
            check_pairs(d, w, view, found, x, out);
        if (!faces_are_free || rounds > 0)
            check_faces(d, w, view, x, out);
        prc_copy_out(d, &failed, w->counts.data + ROUND_FAILED, sizeof failed);
        if (failed == 0 || prc_device_failed(d))
            break;
        hold_back(d, w, view, detector, x, p, out);
    }
    return rounds;
}

prc_result prc_device_predict(prc_device *d, prc_device_prediction *w, const prc_contact_view *of,
                              prc_device_detector *detector, prc_device_pairs *found, double separation,
                              const double *x, const double *p, double *out, prc_error *error)
{
    const prc_contact_view view = *of;
    w->rounds = w->searches = 0;
    w->ahead = false;
    w->seconds_find = 0;
    if (!reserve(d, w, of))
        return prc_device_status(d, error);
    int *counts = w->counts.data;
    place(d, w, of, x, p, out);
    /* Triangles and colliders first, without pairs: what they hold back would need a second search. */
    w->collider_rounds = view.guards_faces ? settle(d, w, of, detector, NULL, false, x, p, out) : 0;
    w->rounds = 0;
    while (!w->ahead && w->searches < PRC_PREDICT_MOST) {
        const bool first = w->searches == 0, faces_are_free = first && w->collider_rounds < PRC_PREDICT_ROUNDS;
        if (!first || w->collider_rounds > 0)
            prc_each(d, "predict: begin", view.vertex_count, [=] PRC_DEVICE(int i) {
                prc_predict_begin(&view, i, first);
                if (i == 0) /* none failed when the pairs before were asked last, but some were doubtful */
                    counts[ROUND_DOUBTFUL] = 0;
            });
        const double start = prc_seconds();
        const prc_result result =
            prc_device_detect_swept(d, detector, x, w->sweep.data, view.stride, separation, found, error);
        w->seconds_find += prc_seconds() - start;
        if (result != PRC_OK)
            return result;
        w->searches++;
        w->ahead =
            settle(d, w, of, detector, found, faces_are_free, x, p, out) == 0 && !prc_interrupt_came(w->interrupt);
        if (prc_interrupt_came(w->interrupt))
            return prc_interrupt_fail(error);
    }
    double *sweep = w->sweep.data;
    if (!w->ahead)
        prc_device_rigids_stay(d, of);
    if (!w->ahead)
        prc_each(d, "predict: stay", view.vertex_count,
                 [=] PRC_DEVICE(int i) { prc_predict_place(&view, i, x, p, 0, out, sweep); });
    return prc_device_failed(d) ? prc_device_status(d, error) : PRC_OK;
}

PRC_DEVICE_END
