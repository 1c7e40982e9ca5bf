/* kernel/collider.h — a collider in the world: a shape, where it is, and where it goes in the step in progress; and how
 * far a vertex or a collider may go without touching the other.
 *
 * In a step a collider goes from a pose to another one: its middle straight, its frame about a fixed axis, both in
 * proportion to the share of the step that is done. The pose at share 1 is exactly the one aimed at.
 *
 * Both ways are traced alike: at distance phi from a collider whose distance grows by at most L per way, (phi − xi) / L
 * is free in every direction; go a part of that, measure again, add up. This asks nothing of the shape, and what a
 * trace has passed is safe whatever any other vertex does. A trace ends where less than a part of the first gap is
 * left, so a gap never closes; and it does not go below a small part of the thickness, from where the way out is still
 * found in a few steps. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_COLLIDER_H
#define PRC_KERNEL_COLLIDER_H

#include "kernel/pose.h"
#include "kernel/shape.h"

#include <float.h>

/* What triangles are to a collider. Vertices are guarded, and pushed, always. */
typedef enum prc_collider_faces {
    PRC_FACES_NONE,    /* nothing: a plane is as far from a triangle as from its corners; meshes */
    PRC_FACES_GUARDED, /* kept out; but as large as it is against them, pushing their corners is enough */
    PRC_FACES_MIXED,   /* … for some; others are pushed: prc_face_is_pushed */
    PRC_FACES_PUSHED   /* … all are */
} prc_collider_faces;

/* Plain data: a device has copies of it, in which `field` points to a copy too. */
typedef struct prc_collider {
    prc_shape shape;
    prc_collider_faces faces;
    int mixed; /* of those with PRC_FACES_MIXED which one */
    double friction;
    prc_pose now;            /* own frame to the world */
    prc_pose from, to;       /* of the step in progress */
    double move[3], spin[3]; /* … from one to the other: of the middle, m; axis × radians */
} prc_collider;

#define PRC_TRACE_STEPS 64
#define PRC_TRACE_FLOOR 1e-6 /* in thicknesses */

/* --- where it is --- */

/* The pose when a share of the step is done. */
PRC_FUNCTION prc_pose prc_collider_pose(const prc_collider *s, double share)
{
    if (share >= 1)
        return s->to;
    prc_pose pose = s->from;
    double turned[3][3];
    const double part[3] = {share * s->spin[0], share * s->spin[1], share * s->spin[2]};
    for (int c = 0; c < 3; c++)
        pose.shift[c] += share * s->move[c];
    if (prc_dot3(part, part) > 0) {
        prc_rotation_matrix(part, turned);
        prc_rotation_multiply((const double(*)[3])turned, s->from.turn, pose.turn);
    }
    return pose;
}

/* Signed distance of a point (negative inside) and, where not NULL, its direction of growth; see prc_shape_distance. */
PRC_FUNCTION double prc_collider_distance_in(const prc_collider *s, const prc_pose *pose, const double x[3],
                                             double *normal)
{
    double q[3], n[3];
    prc_pose_undo(pose, x, q);
    const double distance = prc_shape_distance(&s->shape, q, normal ? n : NULL);
    for (int c = 0; normal && c < 3; c++)
        normal[c] = prc_dot3(pose->turn[c], n);
    return distance;
}

PRC_FUNCTION double prc_collider_distance(const prc_collider *s, const double x[3], double *normal)
{
    return prc_collider_distance_in(s, &s->now, x, normal);
}

/* --- where it goes --- */

PRC_INLINE bool prc_collider_rests(const prc_collider *s)
{
    return prc_dot3(s->move, s->move) == 0 && prc_dot3(s->spin, s->spin) == 0;
}

PRC_FUNCTION double prc_collider_cross_length(const double *a, const double *b)
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return sqrt(prc_dot3(c, c));
}

/* Bound of the way, per share of the step, that the collider makes against a point near x, as far as it can change
 * their distance: turning about an axis of symmetry cannot. Holds from `pose` until `ahead` more is done, for points
 * within `slack` of x.
 *
 * Seen from the collider, a point x moves with −(v + w × r), r from the middle; r itself grows by v. With an axis a of
 * symmetry the part of w along a does not count, and w·a stays the same as a turns with w. A plane does not see what
 * goes along it either, but for its own tilt. */
PRC_FUNCTION double prc_collider_speed(const prc_collider *s, const prc_pose *pose, const double x[3], double ahead,
                                       double slack)
{
    const double *v = s->move, *w = s->spin, speed = sqrt(prc_dot3(v, v)), more = ahead * speed + slack;
    const double r[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
    const double turning = prc_collider_cross_length(w, r) + sqrt(prc_dot3(w, w)) * more;
    if (s->shape.kind == PRC_SHAPE_SPHERE)
        return speed;
    if (!prc_shape_has_axis(s->shape.kind))
        return speed + turning;
    const double axis[3] = {pose->turn[0][1], pose->turn[1][1], pose->turn[2][1]};
    const double tilt = prc_collider_cross_length(w, axis), tilting = tilt * (sqrt(prc_dot3(r, r)) + more);
    if (s->shape.kind == PRC_SHAPE_PLANE)
        return fabs(prc_dot3(v, axis)) + speed * tilt * ahead + tilting;
    return speed + (turning < tilting ? turning : tilting);
}

/* How far the point of the collider that is now at x has come in this step. */
PRC_FUNCTION void prc_collider_displacement(const prc_collider *s, const double x[3], double out[3])
{
    double q[3], before[3];
    for (int c = 0; c < 3; c++)
        out[c] = s->now.shift[c] - s->from.shift[c];
    if (prc_dot3(s->spin, s->spin) == 0)
        return;
    prc_pose_undo(&s->now, x, q);
    prc_pose_apply(&s->from, q, before);
    for (int c = 0; c < 3; c++)
        out[c] = x[c] - before[c];
}

/* A bound of how far its farthest point is from where it should be, when a share of the step is done. */
PRC_FUNCTION double prc_collider_lag(const prc_collider *s, double done)
{
    const double left = done < 1 ? 1 - done : 0;
    return left * (sqrt(prc_dot3(s->move, s->move)) + sqrt(prc_dot3(s->spin, s->spin)) * prc_shape_extent(&s->shape));
}

/* --- traces --- */

/* The gap at which a trace ends: a little less than a straight approach leaves after its first part, which would
 * otherwise be refused by rounding. */
PRC_FUNCTION double prc_collider_kept(double first, double xi)
{
    return prc_larger(0.99 * (1 - PRC_PLANE_KEPT) * first, prc_smaller(first, PRC_TRACE_FLOOR * xi));
}

PRC_FUNCTION double prc_collider_rounding(const double x[3], const prc_pose *pose)
{
    double extent = 0;
    for (int c = 0; c < 3; c++)
        extent = prc_larger(extent, prc_larger(fabs(x[c]), fabs(pose->shift[c])));
    return 32 * DBL_EPSILON * extent;
}

/* Part of the straight way that a point can make without coming closer than `xi` to a collider; 1 for all of it. */
PRC_FUNCTION double prc_collider_time(const prc_collider *collider, const double from[3], const double to[3], double xi)
{
    const bool convex = prc_shape_is_convex(&collider->shape);
    double normal[3] = {0, 0, 0}, *n = convex ? normal : NULL;
    const double p[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double steepness = prc_shape_lipschitz(&collider->shape), way = steepness * sqrt(prc_dot3(p, p));
    const double floor = xi + prc_collider_rounding(from, &collider->now),
                 first = prc_collider_distance(collider, from, n) - floor;
    if (way == 0 || PRC_PLANE_KEPT * first > way)
        return 1;
    if (convex && prc_dot3(normal, p) >= 0) /* its distance is convex */
        return 1;
    if (first <= 0)
        return 0;
    double t = 0, gap = first;
    const double last = prc_collider_kept(first, xi);
    for (int k = 0; k < PRC_TRACE_STEPS; k++) {
        const double next = t + PRC_PLANE_KEPT * gap / way;
        if (next >= 1)
            return 1;
        const double at[3] = {from[0] + next * p[0], from[1] + next * p[1], from[2] + next * p[2]};
        gap = prc_collider_distance(collider, at, n) - floor;
        if (gap < last)
            return t;
        if (convex && prc_dot3(normal, p) >= 0)
            return 1;
        t = next;
    }
    return t;
}

/* Share of the step up to which the collider may go, from share `done`, without coming closer than `xi` to x. */
PRC_FUNCTION double prc_collider_share(const prc_collider *collider, const double x[3], double done, double xi)
{
    const double steepness = prc_shape_lipschitz(&collider->shape),
                 floor = xi + prc_collider_rounding(x, &collider->now);
    prc_pose pose = collider->now;
    const bool straight = prc_shape_is_convex(&collider->shape) && prc_dot3(collider->spin, collider->spin) == 0;
    double n[3], t = done, gap = prc_collider_distance_in(collider, &pose, x, straight ? n : NULL) - floor;
    const double last = prc_collider_kept(gap, xi);
    if (straight && prc_dot3(collider->move, n) <= 0)
        return 1; /* straight away from x */
    for (int k = 0; k < PRC_TRACE_STEPS; k++) {
        const double speed = steepness * prc_collider_speed(collider, &pose, x, 1 - t, 0);
        if (speed == 0 || PRC_PLANE_KEPT * gap >= speed * (1 - t))
            return 1;
        if (gap <= 0)
            return t;
        const double next = t + PRC_PLANE_KEPT * gap / speed;
        pose = prc_collider_pose(collider, next);
        gap = prc_collider_distance_in(collider, &pose, x, NULL) - floor;
        if (gap < last)
            return t;
        t = next;
    }
    return t;
}

#endif
