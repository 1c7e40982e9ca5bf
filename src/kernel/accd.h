/* kernel/accd.h — additive continuous collision detection: how far four points can move straight on.
 *
 * Li, Kaufman, Jiang, "Codimensional incremental potential contact" (2021), section 5: advance by a step that provably
 * leaves a share of the gap, measure again, add up. The step here is not gap/speed but what a dividing plane across the
 * closest points allows. Seen along a fixed normal, the gap between a point of A and a point of B is a straight line in
 * time: the plane is good until the first of these lines meets the wanted gap. This is never shorter than the step of
 * the paper; common and sliding motions cost nothing, a head-on approach takes one step. Where the pair turns, fixed
 * planes are good for short steps only; then a plane that turns from the normal at t to the one at a later time is
 * tried: along it, gaps are parabolas, and not below the least of their three Bézier coefficients.
 *
 * The answer does not rest on the accuracy of the distance: any normals, no longer than 1, whose planes separate are a
 * proof. What is rounded are differences of the points, their dot products with the normals, and sums of these:
 * together less than 16 DBL_EPSILON × size (the largest distance from the last point, at start and end); 24 are taken
 * off every gap. The position in space and a motion that the four points share do not enter. docs/theory.md,
 * section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ACCD_H
#define PRC_KERNEL_ACCD_H

#include "kernel/distance.h"

#include <stdbool.h>

#define PRC_ACCD_KEEP 0.1      /* share of the gap at the start that is kept */
#define PRC_ACCD_ITERATIONS 64 /* then the time reached so far is returned */
#define PRC_ACCD_ERROR (24 * DBL_EPSILON)

/* The motion seen from the last point. */
typedef struct prc_accd {
    double start[4][3], end[4][3];
    double error; /* of a gap, m */
    int side_a;   /* number of points on side A: 1 or 2 */

    /* Of a pair that is no farther apart than xi at the start: it is free all the same if the plane there keeps as much
     * to the end, but for `slack`, and no less than `least` (m). By prc_accd_make no pair is. */
    double slack, least;
} prc_accd;

/* Heights of the points along a normal at start and end, m. */
typedef struct prc_accd_plane {
    double from[4], to[4];
    int valid;
} prc_accd_plane;

PRC_FUNCTION prc_accd prc_accd_make(const double start[4][3], const double end[4][3], int side_a)
{
    prc_accd m;
    double largest = 0;
    for (int k = 0; k < 4; k++) {
        prc_distance_difference(start[k], start[3], m.start[k]);
        prc_distance_difference(end[k], end[3], m.end[k]);
        const double from = prc_distance_dot(m.start[k], m.start[k]), to = prc_distance_dot(m.end[k], m.end[k]);
        largest = from > largest ? from : largest;
        largest = to > largest ? to : largest;
    }
    m.error = PRC_ACCD_ERROR * sqrt(largest);
    m.side_a = side_a;
    m.slack = 0;
    m.least = HUGE_VAL;
    return m;
}

/* All i on side A and j on side B; every place is a constant. */
#define PRC_ACCD_EACH(m, i, j)                                                                                         \
    PRC_UNROLL for (int i = 0; i < 2; i++)                                                                             \
        PRC_UNROLL for (int j = 1; j < 4; j++) if (i < (m)->side_a && j >= (m)->side_a)

/* The plane across the closest points at time t. */
PRC_FUNCTION prc_accd_plane prc_accd_turn(const prc_accd *m, double t)
{
    double x[4][3];
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3; c++)
            x[k][c] = (1 - t) * m->start[k][c] + t * m->end[k][c];
    const prc_closest closest = prc_distance_pair(m->side_a, (const double(*)[3])x);
    /* Beyond these the square has lost digits, and the normal its length. */
    prc_accd_plane plane;
    plane.valid = closest.distance > 1e-140 && closest.distance < 1e140;
    double n[3] = {0, 0, 0};
    for (int c = 0; c < 3 && plane.valid; c++)
        n[c] = closest.r[c] / closest.distance;
    for (int k = 0; k < 4; k++) {
        plane.from[k] = prc_distance_dot(n, m->start[k]);
        plane.to[k] = prc_distance_dot(n, m->end[k]);
    }
    return plane;
}

/* Height of point i above point j at time t. */
PRC_FUNCTION double prc_accd_gap(const prc_accd_plane *plane, int i, int j, double t)
{
    return (1 - t) * (plane->from[i] - plane->from[j]) + t * (plane->to[i] - plane->to[j]);
}

/* By how much the plane keeps the sides apart at time t. */
PRC_FUNCTION double prc_accd_separation(const prc_accd *m, const prc_accd_plane *plane, double t)
{
    double least = HUGE_VAL;
    PRC_ACCD_EACH(m, i, j)
    {
        const double gap = prc_accd_gap(plane, i, j, t);
        least = least < gap ? least : gap;
    }
    return least;
}

/* Until when, from time t on, the plane keeps the sides apart by `wanted`: more than 1 where it does to the end, t
 * where it does not even now. */
PRC_FUNCTION double prc_accd_until(const prc_accd *m, const prc_accd_plane *plane, double t, double wanted)
{
    double until = 2;
    PRC_ACCD_EACH(m, i, j)
    {
        const double from = plane->from[i] - plane->from[j], to = plane->to[i] - plane->to[j];
        if (from >= wanted && to >= wanted)
            continue;
        if (from == to)
            return t;
        const double crossing = (from - wanted) / (from - to);
        if (to < from)
            until = crossing < until ? crossing : until;
        else if (!(crossing <= t))
            return t;
    }
    return until > t ? until : t;
}

/* Whether the plane that turns from a at time t to b at time u keeps the sides apart by `wanted` in between. */
PRC_FUNCTION int prc_accd_turning(const prc_accd *m, const prc_accd_plane *a, double t, const prc_accd_plane *b,
                                  double u, double wanted)
{
    PRC_ACCD_EACH(m, i, j)
    {
        const double middle = 0.5 * (prc_accd_gap(a, i, j, u) + prc_accd_gap(b, i, j, t));
        if (!(prc_accd_gap(a, i, j, t) >= wanted && middle >= wanted && prc_accd_gap(b, i, j, u) >= wanted))
            return 0;
    }
    return b->valid;
}

/* Whether the plane at the start alone lets both sides make the whole motion, where prc_accd_advance says 1: one
 * measurement, which settles most. What it lets pass for some xi it lets pass for any that is smaller. */
PRC_FUNCTION int prc_accd_is_free(const prc_accd *m, double xi, double keep)
{
    const prc_accd_plane plane = prc_accd_turn(m, 0);
    const double gap = prc_accd_separation(m, &plane, 0) - m->error - xi;
    return plane.valid && gap > 0 && prc_accd_until(m, &plane, 0, xi + keep * gap + m->error) >= 1;
}

/* Whether the plane at the start, which leaves no more than xi, is good enough: see prc_accd. Heights above it are
 * linear in time, so what it keeps at both ends it keeps in between. */
PRC_FUNCTION int prc_accd_holds(const prc_accd *m, const prc_accd_plane *plane)
{
    const double from = prc_accd_separation(m, plane, 0), to = prc_accd_separation(m, plane, 1);
    return plane->valid && from > m->error && to >= from - m->slack && to > m->least + m->error;
}

/* The time, 0 to 1, up to which both sides can move with their distance above xi (m, not negative), with the share
 * `keep` of the gap at the start left: 1 if that is the whole motion, 0 if the distance at the start is not above xi
 * and prc_accd_holds does not help. */
PRC_FUNCTION double prc_accd_advance(const prc_accd *m, double xi, double keep)
{
    prc_accd_plane plane = {{0, 0, 0, 0}, {0, 0, 0, 0}, 0};
    double t = 0, next = 0, fixed = 0, wanted = 0, enough = 0;
    double stretch = 1; /* of the step of a fixed plane, when a turning one is tried */
    int steps = -1;     /* −1: at the start */
    bool shortened = false;
    PRC_ROLLED
    for (;;) { /* planes are made at one place: there is much code in it */
        const prc_accd_plane ahead = prc_accd_turn(m, next);
        if (steps < 0) {
            const double gap = prc_accd_separation(m, &ahead, 0) - m->error - xi;
            if (!(ahead.valid && gap > 0))
                return prc_accd_holds(m, &ahead);
            wanted = xi + keep * gap + m->error;
            enough = wanted + 0.1 * keep * gap;
        } else {
            if (next > fixed && !prc_accd_turning(m, &plane, t, &ahead, next, wanted)) {
                next = fixed;
                stretch = stretch > 8 ? stretch / 8 : 1;
                shortened = true;
                continue;
            }
            if (next > fixed && next >= 1)
                return 1;
            stretch = next > fixed ? 4 * stretch : shortened ? stretch : 8;
            t = next;
            if (!(ahead.valid && prc_accd_separation(m, &ahead, t) > enough))
                return t;
        }
        plane = ahead;
        shortened = false;
        fixed = prc_accd_until(m, &plane, t, wanted);
        if (++steps == PRC_ACCD_ITERATIONS)
            return t;
        if (fixed >= 1)
            return 1;
        if (!(fixed > t))
            return t;
        next = t + stretch * (fixed - t);
        next = next < 1 ? next : 1;
    }
}

PRC_FUNCTION double prc_accd_point_triangle(const double start[4][3], const double end[4][3], double xi, double keep)
{
    const prc_accd m = prc_accd_make(start, end, 1);
    return prc_accd_advance(&m, xi, keep);
}

PRC_FUNCTION double prc_accd_edge_edge(const double start[4][3], const double end[4][3], double xi, double keep)
{
    const prc_accd m = prc_accd_make(start, end, 2);
    return prc_accd_advance(&m, xi, keep);
}

#endif
