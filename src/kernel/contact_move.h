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

/* A solid is alone with a vertex: a plane stands for it if it is convex; else, or where the plane says no, a trace. */
PRC_FUNCTION bool prc_contact_clear_of_solid(const prc_contact_view *view, const prc_contact *k, const double from[3],
                                             const double to[3])
{
    const prc_solid *solid = &view->solids[k->solid];
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    if (prc_shape_is_convex(&solid->shape) && prc_dot3(k->n, d) >= -k->margin[0])
        return true;
    return prc_solid_time(solid, from, to, k->xi_hard) >= 1;
}

PRC_INLINE bool prc_contact_is_curved(const prc_contact_view *view, const prc_contact *k)
{
    return k->solid >= 0 && !prc_shape_is_convex(&view->solids[k->solid].shape);
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
            const prc_contact *k = &view->contacts[view->of[e] / 4];
            const int place = view->of[e] % 4;
            const double side = prc_contact_side(k, place), over = side * prc_dot3(k->n, p) + k->margin[place];
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
        const prc_contact *k = &view->contacts[view->of[e] / 4];
        if (prc_contact_is_curved(view, k)) { /* no half-space: as far as its trace goes */
            const double to[3] = {from[0] + t * p[0], from[1] + t * p[1], from[2] + t * p[2]};
            const double part = prc_solid_time(&view->solids[k->solid], from, to, k->xi_hard);
            t *= part < 1 ? part * (1 - 1e-9) : 1; /* less than that, so that rounding does not spoil it */
            continue;
        }
        const int place = view->of[e] % 4;
        const double towards = -prc_contact_side(k, place) * prc_dot3(k->n, p);
        if (towards > 0 && k->margin[place] < towards * t)
            t = k->margin[place] / towards;
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
        const prc_contact *k = &view->contacts[view->of[e] / 4];
        const int place = view->of[e] % 4;
        if (prc_contact_is_curved(view, k) ? !prc_contact_clear_of_solid(view, k, from, to)
                                           : prc_contact_side(k, place) * prc_dot3(k->n, d) < -k->margin[place])
            return false;
    }
    for (int c = 0; c < 3; c++)
        o[c] = to[c] - view->anchor[(long)c * view->stride + vertex];
    return prc_dot3(o, o) <= view->ball[vertex] * view->ball[vertex];
}

/* The free move of a vertex; it is marked where it leaves its ball. */
PRC_INLINE void prc_vertex_move(const prc_contact_view *view, int vertex, const double *y, const double *step,
                                double *out)
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + vertex;
        out[k] = y[k] + step[k];
        square += (out[k] - view->anchor[k]) * (out[k] - view->anchor[k]);
    }
    view->held[vertex] = 0;
    view->marked[vertex] = square > view->ball[vertex] * view->ball[vertex];
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

/* Separation of the sides along the frozen normal at positions x. */
PRC_FUNCTION double prc_contact_separation(const prc_contact *k, const double x[4][3])
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
PRC_FUNCTION double prc_pair_advance(int side_a, const double from[4][3], const double to[4][3], double xi)
{
    const prc_accd motion = prc_accd_make(from, to, side_a);
    return prc_accd_advance(&motion, xi, PRC_ACCD_KEEP);
}

PRC_FUNCTION bool prc_contact_certified(const prc_contact_view *view, const prc_contact *k, const double *y,
                                        const double *out)
{
    double from[4][3] = {{0}}, to[4][3] = {{0}}, extent = 0;
    for (int p = 0; p < k->count; p++) {
        prc_take3(y, view->stride, k->v[p], from[p]);
        prc_take3(out, view->stride, k->v[p], to[p]);
        for (int c = 0; c < 3; c++)
            extent = prc_larger(extent, prc_larger(fabs(from[p][c]), fabs(to[p][c])));
    }
    const double rounding = 16 * DBL_EPSILON * extent, left = k->xi_hard + (1 - PRC_PLANE_KEPT) * (k->sep - k->xi_hard);
    if (k->solid >= 0)
        return prc_contact_clear_of_solid(view, k, from[0], to[0]);
    const double after = prc_contact_separation(k, (const double(*)[3])to);
    if (k->sep >= k->xi_hard && (after >= left + rounding || after >= k->sep))
        return true;
    if (!(k->sep > k->xi_hard))
        return false;
    return prc_pair_advance(k->side_a, (const double(*)[3])from, (const double(*)[3])to, left) >= 1;
}

/* Whether a contact asks its vertices to stay on their sides: it is not certified, and not all of them do already. */
PRC_FUNCTION bool prc_contact_objects(const prc_contact_view *view, const prc_contact *k, const double *y,
                                      const double *out)
{
    bool all_held = true;
    for (int p = 0; p < k->count; p++)
        all_held = all_held && view->held[k->v[p]];
    return !all_held && !prc_contact_certified(view, k, y, out);
}

/* --- the prediction --- */

#define PRC_PREDICT_GAP 0.3  /* a pair that would collide stops at this gap, in d_hat */
#define PRC_PREDICT_PART 0.5 /* … or, where it has less from the beginning, after this part of the time that it has */

/* Time up to which a pair that was found is to move straight from x to `end`, whatever has not been detected about it:
 * 1 where it does not collide. Else less than it could: the end of that time is deep in the barrier, and the first
 * iterations of a step would do nothing but come back from there. */
PRC_FUNCTION double prc_pair_swept_time(const prc_contact_view *view, const int v[4], int side_a, const double *x,
                                        const double *end)
{
    double from[4][3], to[4][3], time = 1;
    for (int p = 0; p < 4; p++) {
        prc_take3(x, view->stride, v[p], from[p]);
        prc_take3(end, view->stride, v[p], to[p]);
    }
    const double xi = view->half[v[0]] + view->half[v[3]], d_hat = view->half_d_hat[v[0]] + view->half_d_hat[v[3]];
    /* First with all of the thickness, whatever the rest shape leaves of it: that is enough for nearly all pairs. */
    double room = 1, kept = PRC_HARD_SHARE * xi;
    for (int attempt = 0; attempt < 3; attempt++) {
        const double here = prc_pair_advance(side_a, (const double(*)[3])from, (const double(*)[3])to, kept);
        if (attempt < 2 && here >= 1)
            return 1;
        time = prc_smaller(time, attempt == 0 ? 1 : here);
        if (attempt == 0) {
            room = prc_pair_room(view, v, side_a, xi + d_hat);
            kept = PRC_HARD_SHARE * xi * room;
        } else if (attempt == 1) {
            kept = xi * room + PRC_PREDICT_GAP * (d_hat * room);
            if (prc_pair_closest(side_a, (const double(*)[3])from).distance <= kept)
                return PRC_PREDICT_PART * time;
        }
    }
    return time;
}

#endif
