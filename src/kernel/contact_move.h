/* kernel/contact_move.h — how contacts bound moves: certify one pair, or cut one vertex.
 *
 * A pair is certified for a common straight move if the plane that divides it at the start still does at the end (the
 * separation along a fixed normal is linear in time for every vertex, so it divides all the way), or if additive CCD
 * says so. Vertices of pairs that are not certified become static: each then moves inside its own half-spaces alone,
 * which keeps every pair apart whatever the others do. Positions are tested as rounded. docs/theory.md, section 10.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_MOVE_H
#define PRC_KERNEL_CONTACT_MOVE_H

#include "kernel/accd.h"
#include "kernel/contact.h"

#define PRC_MOVE_SWEEPS 3 /* projections onto the half-spaces of a vertex */

/* --- one vertex among its own half-spaces --- */

/* A collider is alone with a vertex: a plane stands for it if it is convex. */
PRC_INLINE bool prc_contact_behind_plane(const prc_contact_view *view, const prc_contact *k, double margin,
                                         const double from[3], const double to[3])
{
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    return prc_shape_is_convex(&view->colliders[k->collider].shape) && prc_dot3(k->n, d) >= -margin;
}

/* … else, or where the plane says no, a trace. */
PRC_FUNCTION bool prc_contact_clear_of_collider(const prc_contact_view *view, const prc_contact *k, double margin,
                                                const double from[3], const double to[3])
{
    return prc_contact_behind_plane(view, k, margin, from, to) ||
           prc_collider_time(&view->colliders[k->collider], from, to, k->xi_hard) >= 1;
}

PRC_INLINE bool prc_contact_is_curved(const prc_contact_view *view, const prc_contact *k)
{
    return k->collider >= 0 && !prc_shape_is_convex(&view->colliders[k->collider].shape);
}

/* +1 on side A, −1 on side B. */
PRC_INLINE double prc_contact_side(const prc_contact *k, int place)
{
    return place < k->side_a ? 1 : -1;
}

PRC_FUNCTION void prc_vertex_project(const prc_contact_view *view, int vertex, double p[3])
{
    for (int sweep = 0; sweep < PRC_MOVE_SWEEPS; sweep++) {
        bool changed = false;
        for (int e = view->of_start[vertex]; e < view->of_start[vertex + 1]; e++) {
            const int index = view->of[e] / 4, place = view->of[e] % 4;
            prc_contact room;
            const prc_contact *k = prc_contact_open(view, index, PRC_SLICE_KIND | PRC_SLICE_PLANE, &room);
            if (!k->pushes) /* what is prescribed waits for its like, it does not slide around it */
                continue;
            const double side = prc_contact_side(k, place);
            const double over = side * prc_dot3(k->n, p) + prc_contact_margin(view, index, place);
            if (over >= 0)
                continue;
            for (int c = 0; c < 3; c++)
                p[c] -= over * side * k->n[c] * (1 + 4 * DBL_EPSILON);
            changed = true;
        }
        if (!changed)
            break;
    }
}

/* The largest part of p inside all half-spaces and the ball. */
PRC_FUNCTION double prc_vertex_admissible(const prc_contact_view *view, int vertex, const double from[3],
                                          const double p[3])
{
    double t = 1, o[3];
    for (int e = view->of_start[vertex]; e < view->of_start[vertex + 1]; e++) {
        const int index = view->of[e] / 4, place = view->of[e] % 4;
        prc_contact room;
        const prc_contact *k =
            prc_contact_open(view, index, PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE, &room);
        if (prc_contact_is_curved(view, k)) { /* no half-space: as far as its trace goes */
            const double to[3] = {from[0] + t * p[0], from[1] + t * p[1], from[2] + t * p[2]};
            const double part = prc_collider_time(&view->colliders[k->collider], from, to, k->xi_hard);
            t *= part < 1 ? part * (1 - 1e-9) : 1; /* less than that, so that rounding does not spoil it */
            continue;
        }
        const double towards = -prc_contact_side(k, place) * prc_dot3(k->n, p);
        const double margin = prc_contact_margin(view, index, place);
        if (towards > 0 && margin < towards * t)
            t = margin / towards;
    }
    for (int c = 0; c < 3; c++)
        o[c] = from[c] - view->anchor[(long)c * view->stride + vertex];
    const double pp = prc_dot3(p, p), op = prc_dot3(o, p),
                 room = view->ball[vertex] * view->ball[vertex] - prc_dot3(o, o);
    if (pp > 0) {
        const double reach = room > 0 ? (sqrt(op * op + pp * room) - op) / pp * (1 - 8 * DBL_EPSILON) : 0;
        t = prc_smaller(t, prc_larger(0, reach));
    }
    return t;
}

/* Whether the rounded position is really inside. */
PRC_FUNCTION bool prc_vertex_inside(const prc_contact_view *view, int vertex, const double from[3], const double to[3])
{
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    double o[3];
    for (int e = view->of_start[vertex]; e < view->of_start[vertex + 1]; e++) {
        const int index = view->of[e] / 4, place = view->of[e] % 4;
        prc_contact room;
        const prc_contact *k =
            prc_contact_open(view, index, PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE, &room);
        const double margin = prc_contact_margin(view, index, place);
        if (prc_contact_is_curved(view, k) ? !prc_contact_clear_of_collider(view, k, margin, from, to)
                                           : prc_contact_side(k, place) * prc_dot3(k->n, d) < -margin)
            return false;
    }
    for (int c = 0; c < 3; c++)
        o[c] = to[c] - view->anchor[(long)c * view->stride + vertex];
    return prc_dot3(o, o) <= view->ball[vertex] * view->ball[vertex];
}

PRC_INLINE bool prc_vertex_in_ball(const prc_contact_view *view, int vertex, const double *out)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + vertex;
        square += (out[k] - view->anchor[k]) * (out[k] - view->anchor[k]);
    }
    return square <= view->ball[vertex] * view->ball[vertex];
}

/* The free move of a vertex, or that of its obstacle; it is marked where it leaves its ball. */
PRC_INLINE void prc_vertex_move(const prc_contact_view *view, int vertex, const double *y, const double *step,
                                double *out)
{
    const bool placed = prc_rigid_place(view, vertex, y, out);
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + vertex;
        out[k] = placed ? out[k] : y[k] + step[k];
    }
    view->held[vertex] = 0;
    view->marked[vertex] = !prc_vertex_in_ball(view, vertex, out);
}

/* The move of a vertex inside its own half-spaces. */
PRC_FUNCTION void prc_vertex_move_static(const prc_contact_view *view, int vertex, const double *y, const double *step,
                                         double *out)
{
    double from[3], p[3], to[3];
    prc_take3(y, view->stride, vertex, from);
    prc_take3(step, view->stride, vertex, p);
    if (vertex < view->elastic_count) /* an obstacle keeps to its way: sliding along cloth would take it around */
        prc_vertex_project(view, vertex, p);
    const double t = prc_vertex_admissible(view, vertex, from, p);
    for (int c = 0; c < 3; c++)
        to[c] = from[c] + t * p[c];
    const bool inside = prc_vertex_inside(view, vertex, from, to);
    for (int c = 0; c < 3; c++)
        out[(long)c * view->stride + vertex] = inside ? to[c] : from[c];
}

/* Whether a vertex was cut short. */
PRC_INLINE bool prc_vertex_was_cut(const prc_contact_view *view, int vertex, const double *y, const double *step,
                                   const double *out)
{
    const prc_rigid *whole = prc_rigid_of(view, vertex);
    if (whole) /* at rest what is left of its way is rounding, and is not made */
        return whole->trial < whole->asked;
    double missing = 0, wanted = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + vertex;
        const double d = y[k] + step[k] - out[k];
        missing += d * d;
        wanted += step[k] * step[k];
    }
    return missing > 1e-12 * wanted;
}

/* --- pairs --- */

/* Time up to which a pair may move without coming closer than xi; 1 for all of it. */
PRC_FUNCTION double prc_pair_advance(int side_a, const double from[4][3], const double to[4][3], double xi)
{
    const prc_accd motion = prc_accd_make(from, to, side_a);
    return prc_accd_advance(&motion, xi, PRC_ACCD_KEEP);
}

/* What a move has to leave of the separation, m. */
PRC_INLINE double prc_contact_left(const prc_contact *k)
{
    return k->xi_hard + (1 - PRC_PLANE_KEPT) * (k->sep - k->xi_hard);
}

/* Separation of a triangle and a collider along the normal, at positions x. */
PRC_INLINE double prc_contact_face_separation(const prc_contact_view *view, const prc_contact *k, const double x[4][3])
{
    const prc_collider *collider = &view->colliders[k->collider];
    return prc_facing_separation(collider, &collider->now, x, k->n);
}

/* What a contact says to a move. */
enum prc_contact_answer { PRC_ANSWER_FINE, PRC_ANSWER_OBJECTS, PRC_ANSWER_DOUBTFUL };

/* What is prescribed keeps from its like at least, m: it waits farther off. */
PRC_INLINE double prc_contact_least(const prc_contact *k)
{
    return PRC_HARD_SHARE * k->xi;
}

/* Whether a contact that is no farther apart than its hard thickness, open with kind and plane, may make a move to the
 * separation `to`: where that takes it no nearer. Without this it would object to moves that it has no part in. What
 * waits is at its hard thickness but for rounding, and moves in common must not fail by that. */
PRC_INLINE bool prc_contact_holds(const prc_contact_view *view, int index, const prc_contact *k, double to,
                                  double rounding)
{
    prc_contact room;
    const double least = k->pushes ? 0 : prc_contact_least(prc_contact_open(view, index, PRC_SLICE_RANGE, &room));
    return k->sep > rounding && to >= k->sep - (k->pushes ? 0 : rounding) && to > least + rounding;
}

/* What its plane says, which is nearly always all: contact `index`, k, with its vertices, kind, plane and distance. */
PRC_FUNCTION enum prc_contact_answer prc_contact_plane_answer(const prc_contact_view *view, int index,
                                                              const prc_contact *k, const double from[4][3],
                                                              const double to[4][3])
{
    double extent = 0;
    for (int p = 0; p < 4; p++)
        for (int c = 0; c < 3; c++)
            extent = prc_larger(extent, prc_larger(fabs(from[p][c]), fabs(to[p][c])));
    if (k->collider >= 0 && k->count == 1)
        return prc_contact_behind_plane(view, k, prc_contact_margin(view, index, 0), from[0], to[0])
                   ? PRC_ANSWER_FINE
                   : PRC_ANSWER_DOUBTFUL;
    const double after = k->collider < 0 ? prc_contact_separation(k, to) : prc_contact_face_separation(view, k, to);
    const double rounding =
        k->collider < 0 ? 16 * DBL_EPSILON * extent : prc_facing_way_rounding(&view->colliders[k->collider], from, to);
    if (k->sep >= k->xi_hard && (after >= prc_contact_left(k) + rounding || after >= k->sep))
        return PRC_ANSWER_FINE;
    if (prc_contact_holds(view, index, k, after, rounding))
        return PRC_ANSWER_FINE;
    return k->sep > k->xi_hard ? PRC_ANSWER_DOUBTFUL : PRC_ANSWER_OBJECTS;
}

/* Whether contact `index` asks its vertices to stay on their sides: it is not certified, and not all of them do
 * already. Those vertices are then v, `count` of them. Doubtful: prc_contact_objects knows. */
PRC_FUNCTION enum prc_contact_answer prc_contact_answer_to(const prc_contact_view *view, int index, const double *y,
                                                           const double *out, int v[4], int *count)
{
    double from[4][3], to[4][3];
    prc_contact room,
        *k = prc_contact_open(view, index, PRC_SLICE_VERTICES | PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE,
                              &room);
    bool all_held = true;
    PRC_UNROLL
    for (int p = 0; p < 4; p++) {
        v[p] = k->v[p];
        all_held = all_held && (p >= k->count || view->held[k->v[p]]);
    }
    *count = k->count;
    if (all_held || prc_contact_rocks(k))
        return PRC_ANSWER_FINE;
    prc_contact_take(view, k, y, from);
    prc_contact_take_from(view, k, view->packed_end, out, to);
    prc_contact_part(view, k, (const double(*)[3])from);
    return prc_contact_plane_answer(view, index, k, (const double(*)[3])from, (const double(*)[3])to);
}

/* Whether contact `index`, whose plane leaves it doubtful, objects. */
PRC_FUNCTION bool prc_contact_objects(const prc_contact_view *view, int index, const double *y, const double *out)
{
    double from[4][3], to[4][3];
    prc_contact room,
        *k = prc_contact_open(view, index, PRC_SLICE_VERTICES | PRC_SLICE_KIND | PRC_SLICE_PLANE | PRC_SLICE_DISTANCE,
                              &room);
    prc_contact_take(view, k, y, from);
    prc_contact_take_from(view, k, view->packed_end, out, to);
    prc_contact_part(view, k, (const double(*)[3])from);
    if (k->collider >= 0 && k->count == 1)
        return !(prc_collider_time(&view->colliders[k->collider], from[0], to[0], k->xi_hard) >= 1);
    if (k->collider >= 0) {
        k = prc_contact_open(view, index, PRC_SLICE_RANGE, &room);
        return !(prc_facing_time(&view->colliders[k->collider], (const double(*)[3])from, (const double(*)[3])to,
                                 prc_contact_left(k), prc_contact_tau(k)) >= 1);
    }
    return !(prc_pair_advance(k->side_a, (const double(*)[3])from, (const double(*)[3])to, prc_contact_left(k)) >= 1);
}

/* Share of the step up to which collider s may go, from share `done`, without coming too close to triangle v at y. */
PRC_FUNCTION double prc_face_share(const prc_contact_view *view, const int v[3], int s, const double *y, double done)
{
    const prc_collider *collider = &view->colliders[s];
    double x[3][3], size = 0;
    if (collider->faces == PRC_FACES_NONE || v[0] >= view->elastic_count)
        return 1;
    for (int p = 0; p < 3; p++) {
        prc_take3(y, view->stride, v[p], x[p]);
        const double d[3] = {x[p][0] - x[0][0], x[p][1] - x[0][1], x[p][2] - x[0][2]};
        size = prc_larger(size, prc_dot3(d, d));
    }
    size = sqrt(size);
    prc_contact k;
    prc_contact_begin_face(view, &k, v, s, 0);
    /* far from all of its way, nearly always */
    const double way = (1 - done) * prc_collider_speed(collider, &collider->now, x[0], 1 - done, size);
    const double gap = prc_collider_distance(collider, x[0], NULL) - size - k.xi_hard;
    if (PRC_PLANE_KEPT * gap > way + prc_facing_rounding(collider, &collider->now, (const double(*)[3])x) ||
        prc_exempt_view_has_face(&view->exempt, v, s))
        return 1;
    return prc_facing_share(collider, (const double(*)[3])x, done, k.xi_hard, prc_contact_tau(&k));
}

/* --- the prediction --- */

#define PRC_PREDICT_GAP 0.3  /* a pair that would collide stops at this gap, in d_hat */
#define PRC_PREDICT_PART 0.5 /* … or, where it has less from the beginning, after this part of the time that it has */

/* A pair that was found, as it moves straight from x to `end`. */
PRC_FUNCTION prc_accd prc_pair_motion(const prc_contact_view *view, const int v[4], int side_a, const double *x,
                                      const double *end)
{
    double from[4][3], to[4][3];
    for (int p = 0; p < 4; p++) {
        prc_take3(x, view->stride, v[p], from[p]);
        prc_take3(end, view->stride, v[p], to[p]);
    }
    return prc_accd_make((const double(*)[3])from, (const double(*)[3])to, side_a);
}

/* Time up to which it is to do so, whatever has not been detected about it: 1 where it does not collide. Else less than
 * it could: the end of that time is deep in the barrier, and the first iterations of a step would do nothing but come
 * back from there. */
PRC_FUNCTION double prc_pair_swept_time(const prc_contact_view *view, const int v[4], int side_a, const double *x,
                                        const double *end)
{
    prc_contact k;
    prc_pair_begin(view, &k, v, side_a);
    prc_pair_scale(&k, prc_pair_room(view, v, side_a, k.xi + k.d_hat));
    prc_accd motion = prc_pair_motion(view, v, side_a, x, end);
    motion.least = k.pushes ? 0 : prc_contact_least(&k);
    motion.slack = k.pushes ? 0 : motion.error;
    const double time = prc_accd_advance(&motion, k.xi_hard, PRC_ACCD_KEEP);
    if (time >= 1)
        return 1;
    const double kept = k.xi + PRC_PREDICT_GAP * k.d_hat;
    if (prc_pair_distance(x, view->stride, v, side_a) <= kept)
        return PRC_PREDICT_PART * time;
    return prc_smaller(time, prc_accd_advance(&motion, kept, PRC_ACCD_KEEP));
}

/* The same of triangle v and a collider, at rest where it is now: 1 also where nothing guards the triangle against it.
 */
PRC_FUNCTION double prc_face_swept_time(const prc_contact_view *view, const int v[3], int s, const double *x,
                                        const double *end)
{
    const prc_collider *collider = &view->colliders[s];
    double from[3][3], to[3][3], size = 0, way = 0;
    if (collider->faces == PRC_FACES_NONE || v[0] >= view->elastic_count)
        return 1;
    for (int p = 0; p < 3; p++) {
        prc_take3(x, view->stride, v[p], from[p]);
        prc_take3(end, view->stride, v[p], to[p]);
        double d[3], m[3];
        for (int c = 0; c < 3; c++) {
            d[c] = from[p][c] - from[0][c];
            m[c] = to[p][c] - from[p][c];
        }
        size = prc_larger(size, prc_dot3(d, d));
        way = prc_larger(way, prc_dot3(m, m));
    }
    const double near = (view->half[v[0]] + 2 * view->half_d_hat[v[0]] + sqrt(size) + sqrt(way)) * (1 + 1e-9);
    if (way == 0 || prc_collider_distance(collider, from[0], NULL) > near ||
        prc_exempt_view_has_face(&view->exempt, v, s))
        return 1;
    prc_contact k;
    prc_contact_begin_face(view, &k, v, s, 0);
    const double tau = prc_contact_tau(&k), kept = k.xi + PRC_PREDICT_GAP * k.d_hat;
    const double third[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    const prc_facing facing = prc_facing_find(collider, &collider->now, (const double(*)[3])from, tau, third);
    const double first = facing.sep, floor = k.xi_hard + (1 - PRC_PLANE_KEPT) * prc_larger(0, first - k.xi_hard);
    const double least = floor + prc_facing_way_rounding(collider, (const double(*)[3])from, (const double(*)[3])to);
    if (first > least && prc_facing_separation(collider, &collider->now, (const double(*)[3])to, facing.n) >= least)
        return 1; /* one plane divides them all the way, nearly always */
    const double time = prc_facing_time(collider, (const double(*)[3])from, (const double(*)[3])to, floor, tau);
    if (time >= 1)
        return 1;
    if (first <= kept)
        return PRC_PREDICT_PART * time;
    return prc_smaller(time, prc_facing_time(collider, (const double(*)[3])from, (const double(*)[3])to, kept, tau));
}

/* Whether that is seen to be all of it at once, without the rest shape, which makes nothing thicker. False does not say
 * that it is less. */
PRC_FUNCTION bool prc_pair_sweeps_freely(const prc_contact_view *view, const int v[4], int side_a, const double *x,
                                         const double *end)
{
    const prc_accd motion = prc_pair_motion(view, v, side_a, x, end);
    return prc_accd_is_free(&motion, prc_pair_floor(view, v), PRC_ACCD_KEEP);
}

#endif
