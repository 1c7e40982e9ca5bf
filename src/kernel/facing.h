/* kernel/facing.h — a triangle and a convex collider: how close they are, which plane divides them, how far each may
 * go.
 *
 * Both are convex, so a plane can stand for their distance: with unit normal n, s(n) = min n·y − h(n) over the corners
 * y never exceeds it, h being the support function of the collider. Any n certifies itself; where it comes from does
 * not matter. It comes from the point of the triangle at which
 *
 *     phi(Σ λ y)² / 2 + tau Σ (λ − 1/3)² / 2      (phi: distance from the collider)
 *
 * is least. Without the second term that point jumps where a face lies on a face; with it, it moves continuously, and
 * so do forces. The square root of twice the minimum is the smoothed distance: by at most tau / (3 phi) more than s(n).
 * docs/theory.md, section 10.10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_FACING_H
#define PRC_KERNEL_FACING_H

#include "kernel/collider.h"
#include "kernel/distance.h"

#define PRC_FACET_LOOKS 64     /* at the distance, at most */
#define PRC_FACET_ENOUGH 1e-10 /* decrease, in tau, that is not worth another */
#define PRC_FACET_HALVINGS 50
#define PRC_FACET_STEPS 64 /* planes along a way, at most */

/* A triangle in the frame of a collider. */
typedef struct prc_facet {
    const prc_shape *shape;
    double corner[3][3];
    double side[2][3]; /* from corner 0 to the others */
    double tau;        /* m² */
} prc_facet;

/* A point of it: weights of the corners, distance and its gradient; then gradient and matrix, by the weights of corners
 * 1 and 2, of what is to be least. */
typedef struct prc_facet_point {
    double w[3], phi, n[3];
    double slope[2], matrix[3]; /* 00, 01, 11 */
} prc_facet_point;

/* What is known of the two together, in the world. */
typedef struct prc_facing {
    double w[3];      /* of the corners: the point of the triangle that is closest, smoothed */
    double n[3];      /* from the collider to it, unit */
    double phi;       /* distance of that point, m; not more than 0: they meet */
    double distance;  /* smoothed, m */
    double sep;       /* s(n), m */
    double matrix[3]; /* of prc_facet_point */
} prc_facing;

/* --- the collider --- */

/* max n·q over the shape, in its own frame. */
PRC_FUNCTION double prc_shape_support(const prc_shape *s, const double n[3])
{
    const double across = sqrt(n[0] * n[0] + n[2] * n[2]), length = sqrt(prc_dot3(n, n));
    switch (s->kind) {
    case PRC_SHAPE_CAPSULE:
        return s->half_length * fabs(n[1]) + s->radius * length;
    case PRC_SHAPE_CYLINDER:
        return s->half_length * fabs(n[1]) + s->radius * across;
    case PRC_SHAPE_CONE:
        return prc_larger(s->radius * across - s->half_length * n[1], s->radius_top * across + s->half_length * n[1]);
    case PRC_SHAPE_BOX:
        return s->half_size[0] * fabs(n[0]) + s->half_size[1] * fabs(n[1]) + s->half_size[2] * fabs(n[2]);
    default:
        return s->radius * length;
    }
}

/* The same in the world, from the middle of the collider: n as it is there. */
PRC_FUNCTION double prc_collider_support(const prc_collider *collider, const prc_pose *pose, const double n[3])
{
    double m[3];
    for (int c = 0; c < 3; c++)
        m[c] = pose->turn[0][c] * n[0] + pose->turn[1][c] * n[1] + pose->turn[2][c] * n[2];
    return prc_shape_support(&collider->shape, m);
}

/* phi times its second derivatives at q, applied to the sides of a triangle: 00, 01, 11. They need not be exact: a
 * better matrix means fewer steps. */
PRC_FUNCTION void prc_shape_bend(const prc_shape *s, const double q[3], double phi, const double n[3],
                                 const double side[2][3], double out[3])
{
    const int of[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    out[0] = out[1] = out[2] = 0;
    if (s->kind == PRC_SHAPE_BOX) { /* a sphere, a cylinder or a plane about what is nearest */
        for (int k = 0; k < 3; k++) {
            const double *a = side[of[k][0]], *b = side[of[k][1]];
            for (int c = 0; c < 3; c++)
                out[k] += n[c] != 0 ? a[c] * b[c] : 0;
            out[k] -= prc_dot3(n, a) * prc_dot3(n, b);
        }
        return;
    }
    const double r = sqrt(q[0] * q[0] + q[2] * q[2]), round[3] = {r > 0 ? q[0] / r : 1, 0, r > 0 ? q[2] / r : 0};
    const double out_r = prc_larger(0, n[0] * round[0] + n[2] * round[2]), y = fabs(q[1]) - s->half_length;
    double meridian = 0; /* 1 / radius of curvature along the axis */
    if (s->kind == PRC_SHAPE_CAPSULE)
        meridian = y > 0 ? 1 / (phi + s->radius) : 0;
    else { /* at a rim, where what is nearest is an end of the side */
        const double low = s->radius, high = s->kind == PRC_SHAPE_CONE ? s->radius_top : s->radius;
        const double at_r = r - phi * out_r, at_y = q[1] - phi * n[1], size = 1e-9 * (low + high + s->half_length);
        const bool bottom = fabs(at_y + s->half_length) < size && fabs(at_r - low) < size;
        const bool top = fabs(at_y - s->half_length) < size && fabs(at_r - high) < size;
        meridian = (bottom || top) && phi > 0 ? 1 / phi : 0;
    }
    const double about = r > 0 ? out_r / r : meridian;
    const double along[3] = {-n[1] * round[0], out_r, -n[1] * round[2]}, tangent[3] = {-round[2], 0, round[0]};
    for (int k = 0; k < 3; k++) {
        const double *a = side[of[k][0]], *b = side[of[k][1]];
        out[k] = phi * (about * prc_dot3(tangent, a) * prc_dot3(tangent, b) +
                        meridian * prc_dot3(along, a) * prc_dot3(along, b));
    }
}

/* --- the closest point --- */

PRC_FUNCTION void prc_facet_look(const prc_facet *t, const double w[3], prc_facet_point *at)
{
    double q[3], bend[3], a[2];
    for (int c = 0; c < 3; c++)
        q[c] = t->corner[0][c] + w[1] * t->side[0][c] + w[2] * t->side[1][c];
    at->phi = prc_shape_distance(t->shape, q, at->n);
    for (int k = 0; k < 3; k++)
        at->w[k] = w[k];
    prc_shape_bend(t->shape, q, at->phi, at->n, t->side, bend);
    for (int k = 0; k < 2; k++) {
        a[k] = prc_dot3(at->n, t->side[k]);
        at->slope[k] = at->phi * a[k] + t->tau * (w[1 + k] - w[0]);
    }
    at->matrix[0] = a[0] * a[0] + bend[0] + 2 * t->tau;
    at->matrix[1] = a[0] * a[1] + bend[1] + t->tau;
    at->matrix[2] = a[1] * a[1] + bend[2] + 2 * t->tau;
}

/* The least of slope·d + d·matrix d / 2 along the way from weights `start` (of corners 1 and 2) by `way`; whether it is
 * less than *best. */
PRC_FUNCTION bool prc_facet_along(const prc_facet_point *at, const double start[2], const double way[2], double *best,
                                  double out[3])
{
    const double *m = at->matrix, *g = at->slope, q[2] = {start[0] - at->w[1], start[1] - at->w[2]};
    const double mw[2] = {m[0] * way[0] + m[1] * way[1], m[1] * way[0] + m[2] * way[1]};
    const double slope = g[0] * way[0] + g[1] * way[1] + q[0] * mw[0] + q[1] * mw[1];
    const double bend = way[0] * mw[0] + way[1] * mw[1];
    const double free = bend > 0 ? -slope / bend : slope < 0, t = free < 0 ? 0 : free > 1 ? 1 : free;
    const double z[2] = {q[0] + t * way[0], q[1] + t * way[1]};
    const double value =
        g[0] * z[0] + g[1] * z[1] + 0.5 * (m[0] * z[0] * z[0] + m[2] * z[1] * z[1]) + m[1] * z[0] * z[1];
    if (!(value < *best))
        return false;
    *best = value;
    out[1] = start[0] + t * way[0];
    out[2] = start[1] + t * way[1];
    out[0] = prc_larger(0, 1 - out[1] - out[2]);
    return true;
}

/* Where the quadratic at a point is least over the triangle: inside, else on one of the three edges. */
PRC_FUNCTION void prc_facet_aim(const prc_facet_point *at, double out[3])
{
    const double *m = at->matrix, *g = at->slope, det = m[0] * m[2] - m[1] * m[1];
    const double a = at->w[1] - (m[2] * g[0] - m[1] * g[1]) / det, b = at->w[2] - (m[0] * g[1] - m[1] * g[0]) / det;
    out[0] = 1 - a - b;
    out[1] = a;
    out[2] = b;
    if (det > 0 && a >= 0 && b >= 0 && a + b <= 1)
        return;
    const double corner[3][2] = {{0, 0}, {0, 0}, {1, 0}}, way[3][2] = {{0, 1}, {1, 0}, {-1, 1}};
    double best = INFINITY;
    for (int e = 0; e < 3; e++)
        prc_facet_along(at, corner[e], way[e], &best, out);
}

/* Follows the way from a point to the weights `to` until the slope along it has about vanished: false position. Returns
 * how many looks that took. */
PRC_FUNCTION int prc_facet_go(const prc_facet *t, prc_facet_point *at, const double to[3], double slope, int most)
{
    const prc_facet_point from = *at;
    const double way[2] = {to[1] - from.w[1], to[2] - from.w[2]};
    double low = 0, high = 1, at_low = slope, at_high = 0, part = 1;
    for (int looks = 1;; looks++) {
        double w[3];
        for (int k = 0; k < 3; k++)
            w[k] = from.w[k] + part * (to[k] - from.w[k]);
        prc_facet_look(t, w, at);
        const double now = at->slope[0] * way[0] + at->slope[1] * way[1];
        if (at->phi <= 0 || looks >= most || (looks == 1 ? now <= -0.5 * slope : fabs(now) <= -0.3 * slope))
            return looks;
        if (now > 0) {
            high = part;
            at_high = now;
            at_low *= looks > 1 ? 0.5 : 1;
        } else {
            low = part;
            at_low = now;
            at_high *= 0.5;
        }
        part = low - at_low * (high - low) / (at_high - at_low);
    }
}

/* The closest point, from the weights `start` on. Ends at once where the triangle meets the collider. */
PRC_FUNCTION prc_facet_point prc_facet_closest(const prc_facet *t, const double start[3])
{
    prc_facet_point at;
    prc_facet_look(t, start, &at);
    for (int looks = 1; at.phi > 0 && looks < PRC_FACET_LOOKS;) {
        double to[3];
        prc_facet_aim(&at, to);
        const double slope = at.slope[0] * (to[1] - at.w[1]) + at.slope[1] * (to[2] - at.w[2]);
        if (!(-slope > PRC_FACET_ENOUGH * t->tau))
            break;
        looks += prc_facet_go(t, &at, to, slope, PRC_FACET_LOOKS - looks);
    }
    return at;
}

/* --- planes --- */

/* By how much the plane across n, a vector of the world, keeps them apart. */
PRC_FUNCTION double prc_facing_separation(const prc_collider *collider, const prc_pose *pose, const double y[3][3],
                                          const double n[3])
{
    double low = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double d[3] = {y[k][0] - pose->shift[0], y[k][1] - pose->shift[1], y[k][2] - pose->shift[2]};
        low = prc_smaller(low, prc_dot3(n, d));
    }
    return low - prc_collider_support(collider, pose, n);
}

/* Rounding of that. */
PRC_FUNCTION double prc_facing_rounding(const prc_collider *collider, const prc_pose *pose, const double y[3][3])
{
    double extent = prc_shape_extent(&collider->shape);
    for (int c = 0; c < 3; c++) {
        extent = prc_larger(extent, fabs(pose->shift[c]));
        for (int k = 0; k < 3; k++)
            extent = prc_larger(extent, fabs(y[k][c]));
    }
    return 32 * DBL_EPSILON * 3 * extent;
}

/* How much of a separation is rounding, on a way. */
PRC_FUNCTION double prc_facing_way_rounding(const prc_collider *collider, const double from[3][3],
                                            const double to[3][3])
{
    return prc_facing_rounding(collider, &collider->now, from) + prc_facing_rounding(collider, &collider->now, to);
}

/* Takes the plane across n, which is in the frame of the collider, if it keeps them farther apart than the one so far.
 */
PRC_FUNCTION void prc_facing_try(const prc_collider *collider, const prc_pose *pose, const double y[3][3],
                                 const double n[3], prc_facing *f)
{
    double world[3];
    const double length = sqrt(prc_dot3(n, n));
    if (!(length > 0))
        return;
    for (int c = 0; c < 3; c++)
        world[c] = prc_dot3(pose->turn[c], n) / length;
    const double sep = prc_facing_separation(collider, pose, y, world);
    if (!(sep > f->sep))
        return;
    f->sep = sep;
    for (int c = 0; c < 3; c++)
        f->n[c] = world[c];
}

/* The best plane of all, for the few triangles of which the closest point was not found well: a convex function is
 * least on an edge, where its slope along it changes sign, or where its gradient is across the triangle. */
PRC_FUNCTION void prc_facing_search(const prc_collider *collider, const prc_pose *pose, const prc_facet *t,
                                    const double y[3][3], prc_facing *f)
{
    const double *u = t->side[0], *v = t->side[1];
    double across[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    prc_facing_try(collider, pose, y, across, f);
    for (int c = 0; c < 3; c++)
        across[c] = -across[c];
    prc_facing_try(collider, pose, y, across, f);
    for (int e = 0; e < 3; e++) {
        const double *a = t->corner[e], *b = t->corner[(e + 1) % 3], d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        double low[3], high[3], from = 0, to = 1;
        prc_shape_distance(t->shape, a, low);
        prc_shape_distance(t->shape, b, high);
        prc_facing_try(collider, pose, y, low, f);
        prc_facing_try(collider, pose, y, high, f);
        if (prc_dot3(low, d) >= 0 || prc_dot3(high, d) <= 0)
            continue;
        for (int k = 0; k < PRC_FACET_HALVINGS; k++) {
            const double s = 0.5 * (from + to), q[3] = {a[0] + s * d[0], a[1] + s * d[1], a[2] + s * d[2]};
            double n[3];
            prc_shape_distance(t->shape, q, n);
            const bool before = prc_dot3(n, d) < 0;
            from = before ? s : from;
            to = before ? to : s;
            for (int c = 0; c < 3; c++) {
                low[c] = before ? n[c] : low[c];
                high[c] = before ? high[c] : n[c];
            }
        }
        const double fall = prc_dot3(low, d), rise = prc_dot3(high, d), part = fall < rise ? -fall / (rise - fall) : 0;
        for (int c = 0; c < 3; c++)
            low[c] += part * (high[c] - low[c]);
        prc_facing_try(collider, pose, y, low, f);
    }
}

/* A ball: the point of the triangle that is closest to its middle, which never jumps. */
PRC_FUNCTION void prc_facing_ball(const prc_collider *collider, const prc_pose *pose, const double y[3][3],
                                  prc_facing *f)
{
    double x[4][3];
    for (int c = 0; c < 3; c++) {
        x[0][c] = pose->shift[c];
        for (int k = 0; k < 3; k++)
            x[1 + k][c] = y[k][c];
    }
    const prc_closest at = prc_distance_pair(1, (const double(*)[3])x);
    f->phi = f->distance = at.distance - collider->shape.radius;
    const double bend = f->phi / at.distance; /* phi times the curvature of phi */
    for (int k = 0; k < 3; k++) {
        const double *a = y[k < 2 ? 1 : 2], *b = y[k == 0 ? 1 : 2];
        double across_a = 0, across_b = 0, both = 0;
        for (int c = 0; c < 3; c++) {
            across_a -= at.r[c] / at.distance * (a[c] - y[0][c]);
            across_b -= at.r[c] / at.distance * (b[c] - y[0][c]);
            both += (a[c] - y[0][c]) * (b[c] - y[0][c]);
        }
        f->matrix[k] = (1 - bend) * across_a * across_b + bend * both;
        f->w[k] = prc_larger(0, -at.w[1 + k]);
        f->n[k] = at.distance > 0 ? -at.r[k] / at.distance : 0;
    }
    f->sep = at.distance > 0 ? prc_facing_separation(collider, pose, y, f->n) : f->phi;
}

/* The triangle in the frame of the collider. */
PRC_FUNCTION prc_facet prc_facet_make(const prc_collider *collider, const prc_pose *pose, const double y[3][3],
                                      double tau)
{
    prc_facet t;
    t.shape = &collider->shape;
    t.tau = tau;
    for (int k = 0; k < 3; k++)
        prc_pose_undo(pose, y[k], t.corner[k]);
    for (int c = 0; c < 3; c++) {
        t.side[0][c] = t.corner[1][c] - t.corner[0][c];
        t.side[1][c] = t.corner[2][c] - t.corner[0][c];
    }
    return t;
}

/* All about a triangle with corners y and a collider, which is neither a plane nor a mesh, at a pose. `tau`, m²,
 * smooths; `start` are weights to begin with. */
PRC_CALLED prc_facing prc_facing_find(const prc_collider *collider, const prc_pose *pose, const double y[3][3],
                                      double tau, const double start[3])
{
    prc_facing f;
    f.sep = -INFINITY;
    f.matrix[0] = f.matrix[1] = f.matrix[2] = 0;
    if (collider->shape.kind == PRC_SHAPE_SPHERE) {
        prc_facing_ball(collider, pose, y, &f);
        return f;
    }
    const prc_facet t = prc_facet_make(collider, pose, y, tau);
    const prc_facet_point at = prc_facet_closest(&t, start);
    double spread = 0;
    f.phi = at.phi;
    for (int k = 0; k < 3; k++) {
        f.w[k] = at.w[k];
        f.n[k] = prc_dot3(pose->turn[k], at.n);
        f.matrix[k] = at.matrix[k];
        spread += (at.w[k] - 1.0 / 3) * (at.w[k] - 1.0 / 3);
    }
    f.distance = at.phi > 0 ? sqrt(at.phi * at.phi + tau * spread) : at.phi;
    if (!(at.phi > 0)) {
        f.sep = at.phi;
        return f;
    }
    f.sep = prc_facing_separation(collider, pose, y, f.n);
    if (at.phi - f.sep > 0.2 * tau / at.phi)
        prc_facing_search(collider, pose, &t, y, &f);
    return f;
}

/* Takes the best plane where the one found gives away much of what they are apart by beyond `floor`. A plane that keeps
 * less than the floor, though they are farther apart, would let them come closer than that: each move to where its own
 * plane is, and the next one from there with another. */
PRC_CALLED void prc_facing_tighten(const prc_collider *collider, const prc_pose *pose, const double y[3][3], double tau,
                                   double floor, prc_facing *f)
{
    const bool tight = f->sep - floor >= 0.5 * (f->phi - floor);
    if (tight || collider->shape.kind == PRC_SHAPE_SPHERE || !(f->phi > 0))
        return;
    const prc_facet t = prc_facet_make(collider, pose, y, tau);
    prc_facing_search(collider, pose, &t, y, f);
}

/* --- ways --- */

PRC_FUNCTION void prc_facing_between(const double from[3][3], const double to[3][3], double t, double out[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            out[k][c] = from[k][c] + t * (to[k][c] - from[k][c]);
}

/* The part of a straight way of the corners during which planes prove that they stay farther than `floor` from the
 * collider, which rests; 1 for all of it. Along a fixed normal every height is linear in time: a plane is good until
 * the first corner is down at the floor. */
PRC_CALLED double prc_facing_time(const prc_collider *collider, const double from[3][3], const double to[3][3],
                                  double floor, double tau)
{
    const prc_pose *pose = &collider->now;
    const double least = floor + prc_facing_way_rounding(collider, from, to);
    double t = 0, w[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};
    for (int step = 0; step < PRC_FACET_STEPS; step++) {
        double y[3][3], go = 1;
        prc_facing_between(from, to, t, y);
        prc_facing f = prc_facing_find(collider, pose, (const double(*)[3])y, tau, w);
        prc_facing_tighten(collider, pose, (const double(*)[3])y, tau, least, &f);
        if (!(f.sep > least))
            return t;
        const double h = prc_collider_support(collider, pose, f.n) + least;
        for (int k = 0; k < 3; k++) {
            double now = 0, end = 0;
            for (int c = 0; c < 3; c++) {
                now += f.n[c] * (y[k][c] - pose->shift[c]);
                end += f.n[c] * (to[k][c] - pose->shift[c]);
            }
            now -= h;
            end -= h;
            if (end < 0)
                go = prc_smaller(go, now / (now - end));
            w[k] = f.w[k];
        }
        if (go >= 1)
            return 1;
        t += PRC_PLANE_KEPT * go * (1 - t);
    }
    return t;
}

/* Bound of the second derivative, by the share of the step, of the height of any point of the collider along any
 * direction, m. */
PRC_FUNCTION double prc_collider_swing(const prc_collider *s, const prc_pose *pose)
{
    const double axis[3] = {pose->turn[0][1], pose->turn[1][1], pose->turn[2][1]};
    const double turn = prc_dot3(s->spin, s->spin);
    if (s->shape.kind == PRC_SHAPE_SPHERE || turn == 0)
        return 0;
    if (prc_shape_has_axis(s->shape.kind) && prc_collider_cross_length(s->spin, axis) <= 1e-9 * sqrt(turn))
        return 0; /* about its axis of symmetry */
    return turn * prc_shape_extent(&s->shape);
}

/* Share of the step up to which the collider may go, from share `done`, without coming closer than `floor` to a
 * triangle that rests. For a fixed normal the height of the collider over share Δ grows by at most G(Δ) = what it grows
 * by to its end, and what it may swing out in between; G is convex and 0 at 0, so Δ m / G(Δ) keeps to a margin m. */
PRC_CALLED double prc_facing_share(const prc_collider *collider, const double y[3][3], double done, double floor,
                                   double tau)
{
    double t = done, w[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, last = 0;
    for (int step = 0; step < PRC_FACET_STEPS; step++) {
        const prc_pose pose = step == 0 ? collider->now : prc_collider_pose(collider, t), end = collider->to;
        prc_facing f = prc_facing_find(collider, &pose, y, tau, w);
        prc_facing_tighten(collider, &pose, y, tau, floor, &f);
        const double gap = f.sep - floor - 2 * prc_facing_rounding(collider, &pose, y);
        if (step == 0)
            last = prc_collider_kept(gap, floor);
        if (!(gap > last) && step > 0)
            return t;
        if (!(gap > 0))
            return t;
        const double ahead = 1 - t, swing = prc_collider_swing(collider, &pose), margin = PRC_PLANE_KEPT * gap;
        double grows = prc_collider_support(collider, &end, f.n) - prc_collider_support(collider, &pose, f.n);
        for (int c = 0; c < 3; c++) {
            grows += f.n[c] * (end.shift[c] - pose.shift[c]);
            w[c] = f.w[c];
        }
        grows += 0.5 * swing * ahead * ahead;
        if (grows <= margin)
            return 1;
        t += ahead * margin / grows;
    }
    return t;
}

#endif
