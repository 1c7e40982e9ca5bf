/* kernel/distance.h — closest points of a point and a triangle, and of two edges.
 *
 * Least squares on the plane of the triangle, or on the directions of the two edges, by Gram–Schmidt from the longest
 * edge; where the solution lies outside, the smallest over the edges (or end points), which is exact since the problem
 * is convex. Rejected: the normal equations, which square the condition, and sign tests on products of dot products,
 * which lose slivers and nearly parallel edges. What is left over is made orthogonal to its feature a second time, and
 * where the inside and an edge differ by rounding alone, r is taken from the inside. So the direction of r is good even
 * where the distance is a tiny fraction of the size: the plane across r keeps the two sides apart by the distance less
 * a few DBL_EPSILON × size. (Exception: slivers of which two edges are equally near within rounding, some thousand of
 * these.) Only squares are formed: sizes from 1e-140 to 1e140 are good, shorter edges count as points.
 *
 * In C before C23 an array of arrays that is not const has to be cast: (const double (*)[3])x.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_DISTANCE_H
#define PRC_KERNEL_DISTANCE_H

#include "kernel/portable.h"

#include <float.h>
#include <math.h>

/* Closest points of two sides A and B that have four points x together. */
typedef struct prc_closest {
    double w[4];     /* signed weights: sum 1 on side A, −1 on side B */
    double r[3];     /* Σ w x, from B to A, m */
    double distance; /* |r|, m */
} prc_closest;

/* A length, relative to the size, that is rounding: above the error of r. */
#define PRC_DISTANCE_SLACK (16 * DBL_EPSILON)

PRC_FUNCTION double prc_distance_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

PRC_FUNCTION void prc_distance_difference(const double a[3], const double b[3], double out[3])
{
    out[0] = a[0] - b[0];
    out[1] = a[1] - b[1];
    out[2] = a[2] - b[2];
}

/* a += scale · b */
PRC_FUNCTION void prc_distance_add(double a[3], double scale, const double b[3])
{
    a[0] += scale * b[0];
    a[1] += scale * b[1];
    a[2] += scale * b[2];
}

/* The point p and the edge from a to b: returns the weight of b at the closest point, writes r = p − that point. */
PRC_FUNCTION double prc_distance_point_edge(const double p[3], const double a[3], const double b[3], double r[3])
{
    double e[3];
    prc_distance_difference(b, a, e);
    prc_distance_difference(p, a, r);
    const double ee = prc_distance_dot(e, e);
    if (!(ee >= DBL_MIN))
        return 0;
    const double inverse = 1 / ee;
    double s = prc_distance_dot(r, e) * inverse;
    /* From the nearer end, so that rounding is relative to the distance from it: which side of an end p is on is what
     * decides the direction of r. */
    const int from_b = s > 0.5;
    if (from_b) {
        prc_distance_difference(p, b, r);
        prc_distance_difference(a, b, e);
        s = prc_distance_dot(r, e) * inverse;
    }
    if (!(s > 0))
        return from_b;
    prc_distance_add(r, -s, e);
    prc_distance_add(r, -prc_distance_dot(r, e) * inverse, e);
    return from_b ? 1 - s : s;
}

/* Least squares q ≈ s e + t f, with e not shorter than f. */
typedef struct prc_distance_fit {
    double s, t;
    double r[3];   /* q − s e − t f */
    double slack;  /* square of a length that is rounding */
    int dependent; /* e and f are parallel, or zero: no solution */
} prc_distance_fit;

PRC_FUNCTION prc_distance_fit prc_distance_solve(const double q[3], const double e[3], const double f[3])
{
    prc_distance_fit fit;
    fit.s = fit.t = fit.slack = 0;
    fit.dependent = 1;
    for (int c = 0; c < 3; c++)
        fit.r[c] = q[c];
    const double ee = prc_distance_dot(e, e), ff = prc_distance_dot(f, f);
    if (!(ff >= DBL_MIN))
        return fit;

    /* The part h of f across e: twice, for what the first pass leaves is large beside h when e and f are nearly
     * parallel. */
    double h[3] = {f[0], f[1], f[2]};
    const double e_inverse = 1 / ee, first = prc_distance_dot(f, e) * e_inverse;
    prc_distance_add(h, -first, e);
    const double second = prc_distance_dot(h, e) * e_inverse, along = first + second;
    prc_distance_add(h, -second, e);
    const double hh = prc_distance_dot(h, h);
    if (!(hh > 64 * DBL_EPSILON * DBL_EPSILON * ff && hh >= DBL_MIN))
        return fit;

    const double h_inverse = 1 / hh;
    for (int pass = 0; pass < 2; pass++) {
        const double s = prc_distance_dot(fit.r, e) * e_inverse, t = prc_distance_dot(fit.r, h) * h_inverse;
        prc_distance_add(fit.r, -s, e);
        prc_distance_add(fit.r, -t, h);
        fit.s += s - along * t;
        fit.t += t;
    }
    fit.slack = PRC_DISTANCE_SLACK * PRC_DISTANCE_SLACK * (prc_distance_dot(q, q) + ee);
    fit.dependent = 0;
    return fit;
}

/* One of three, by 0, 1 or 2. */
PRC_INLINE double prc_distance_pick(int which, double first, double second, double third)
{
    return which == 0 ? first : which == 1 ? second : third;
}

/* Point `which` of four; a GPU has them in registers. */
PRC_INLINE void prc_distance_point(const double x[4][3], int which, double out[3])
{
    for (int c = 0; c < 3; c++)
#ifdef __CUDA_ARCH__
        out[c] = which < 2 ? (which == 0 ? x[0][c] : x[1][c]) : which == 2 ? x[2][c] : x[3][c];
#else
        out[c] = x[which][c];
#endif
}

/* Takes r and its weights over if it is shorter than what there is. The edge's points are i (weight 1 − s) and j. */
PRC_INLINE void prc_distance_shorter(prc_closest *best, double *square, const double r[3], int point, double sign,
                                     int i, int j, double s)
{
    const double rr = prc_distance_dot(r, r);
    if (!(rr < *square))
        return;
    *square = rr;
    PRC_UNROLL
    for (int k = 0; k < 4; k++)
        best->w[k] = k == point ? sign : k == i ? -sign * (1 - s) : k == j ? -sign * s : 0;
    for (int c = 0; c < 3; c++)
        best->r[c] = sign * r[c];
}

/* The smallest over the edges of the triangle, or over end points and the other edge. A loop that is not unrolled: on a
 * GPU code that is run once or twice takes longer to fetch than to run. */
PRC_INLINE void prc_distance_edges(int side_a, const double x[4][3], prc_closest *best)
{
    double square = HUGE_VAL;
    PRC_ROLLED
    for (int k = 0; k < 2 + side_a; k++) {
        const int point = side_a == 1 ? 0 : k, i = side_a == 1 ? k + 1 : k < 2 ? 2 : 0;
        const int j = side_a == 1 && k == 2 ? 1 : i + 1;
        double p[3], a[3], b[3], r[3];
        prc_distance_point(x, point, p);
        prc_distance_point(x, i, a);
        prc_distance_point(x, j, b);
        const double weight = prc_distance_point_edge(p, a, b, r);
        prc_distance_shorter(best, &square, r, point, point < 2 ? 1 : -1, i, j, weight);
    }
}

/* Least squares on the plane of the triangle: it is turned by `turn` places until its longest edge goes from a to b, c
 * being the corner across it. */
PRC_INLINE void prc_distance_triangle(const double x[4][3], int *turn, double q[3], double e[3], double f[3])
{
    double longest = -1;
    PRC_UNROLL
    for (int k = 1; k < 4; k++) {
        double edge[3];
        prc_distance_difference(x[k % 3 + 1], x[k], edge);
        const double square = prc_distance_dot(edge, edge);
        if (square > longest) {
            longest = square;
            *turn = k - 1;
        }
    }
    for (int k = 0; k < 3; k++) {
        const double a = prc_distance_pick(*turn, x[1][k], x[2][k], x[3][k]);
        q[k] = x[0][k] - a;
        e[k] = prc_distance_pick(*turn, x[2][k], x[3][k], x[1][k]) - a;
        f[k] = prc_distance_pick(*turn, x[3][k], x[1][k], x[2][k]) - a;
    }
}

/* The same on the directions of two edges: x0 − x2 ≈ −sa a + sb b, the longer edge first, for which they are swapped.
 */
PRC_INLINE void prc_distance_directions(const double x[4][3], int *swap, double q[3], double e[3], double f[3])
{
    double a[3], b[3];
    prc_distance_difference(x[0], x[2], q);
    prc_distance_difference(x[0], x[1], a);
    prc_distance_difference(x[3], x[2], b);
    *swap = prc_distance_dot(a, a) < prc_distance_dot(b, b);
    for (int c = 0; c < 3; c++) {
        e[c] = *swap ? b[c] : a[c];
        f[c] = *swap ? a[c] : b[c];
    }
}

/* Weights at the solution; `turn` is swap for edges. */
PRC_INLINE void prc_distance_weights(int side_a, const prc_distance_fit *fit, int turn, double w[4])
{
    if (side_a == 1) {
        const double a = -(1 - fit->s - fit->t), b = -fit->s, c = -fit->t;
        w[0] = 1;
        w[1] = prc_distance_pick(turn, a, c, b);
        w[2] = prc_distance_pick(turn, b, a, c);
        w[3] = prc_distance_pick(turn, c, b, a);
    } else {
        const double a = turn ? fit->t : fit->s, b = turn ? fit->s : fit->t;
        w[0] = 1 - a;
        w[1] = a;
        w[2] = -(1 - b);
        w[3] = -b;
    }
}

/* Side A are the first side_a points: of a point and a triangle (1), or of two edges (2). Any may coincide. */
PRC_FUNCTION prc_closest prc_distance_pair(int side_a, const double x[4][3])
{
    prc_closest best = {{0, 0, 0, 0}, {0, 0, 0}, 0};
    double q[3], e[3], f[3], d[3];
    int turn = 0;
    if (side_a == 1)
        prc_distance_triangle(x, &turn, q, e, f);
    else
        prc_distance_directions(x, &turn, q, e, f);
    const prc_distance_fit fit = prc_distance_solve(q, e, f);
    const int bounded = side_a == 1 ? fit.s + fit.t <= 1 : fit.s <= 1 && fit.t <= 1;
    const int inside = !fit.dependent && fit.s >= 0 && fit.t >= 0 && bounded;
    if (inside)
        prc_distance_weights(side_a, &fit, turn, best.w);
    else
        prc_distance_edges(side_a, x, &best);

    /* r is that of the fit where it is inside or differs from what there is by rounding alone. */
    prc_distance_difference(fit.r, best.r, d);
    if (inside || (!fit.dependent && prc_distance_dot(d, d) <= fit.slack))
        for (int c = 0; c < 3; c++)
            best.r[c] = fit.r[c];
    best.distance = sqrt(prc_distance_dot(best.r, best.r));
    return best;
}

/* Side A is the point x[0], side B the triangle of x[1], x[2], x[3]; any of them may coincide. */
PRC_FUNCTION prc_closest prc_distance_point_triangle(const double x[4][3])
{
    return prc_distance_pair(1, x);
}

/* Side A is the edge from x[0] to x[1], side B the edge from x[2] to x[3]; any of them may coincide. */
PRC_FUNCTION prc_closest prc_distance_edge_edge(const double x[4][3])
{
    return prc_distance_pair(2, x);
}

#endif
