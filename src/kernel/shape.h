/* kernel/shape.h — colliders as signed distances, each in a frame of its own.
 *
 * The frame has its origin in the middle of the collider and its y axis along the axis of a shape that has one. Where a
 * collider is, and how it moves, is kernel/collider.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_SHAPE_H
#define PRC_KERNEL_SHAPE_H

#include <percale/contact.h>

#include "kernel/sdf.h"
#include "kernel/small.h"

typedef struct prc_shape {
    prc_shape_kind kind;
    double radius, radius_top, half_length, half_size[3];
    const prc_sdf *field; /* of a mesh, or NULL */
} prc_shape;

PRC_INLINE bool prc_shape_is_convex(const prc_shape *shape)
{
    return shape->kind != PRC_SHAPE_MESH;
}

/* Whether cloth meets the surface of it, as that of an obstacle, and not its distance (but at a start). */
PRC_INLINE bool prc_shape_is_shell(const prc_shape *shape)
{
    return shape->kind == PRC_SHAPE_MESH;
}

PRC_INLINE bool prc_shape_has_axis(prc_shape_kind kind)
{
    return kind != PRC_SHAPE_BOX && kind != PRC_SHAPE_MESH;
}

PRC_INLINE double prc_shape_lipschitz(const prc_shape *shape)
{
    return shape->kind == PRC_SHAPE_MESH ? shape->field->lipschitz : 1;
}

/* Distance of the farthest point from the origin; of a plane, which has none, 1 m. */
PRC_FUNCTION double prc_shape_extent(const prc_shape *s)
{
    const double *size = s->kind == PRC_SHAPE_MESH ? s->field->half_size : s->half_size;
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        return 1;
    case PRC_SHAPE_CAPSULE:
        return s->half_length + s->radius;
    case PRC_SHAPE_CYLINDER:
        return hypot(s->half_length, s->radius);
    case PRC_SHAPE_CONE:
        return hypot(s->half_length, fmax(s->radius, s->radius_top));
    case PRC_SHAPE_SPHERE:
        return s->radius;
    default:
        return sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
    }
}

/* Distance to a point, given the vector from it; any normal serves at the point itself. */
PRC_FUNCTION double prc_shape_from_point(const double d[3], double normal[3])
{
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int c = 0; c < 3; c++)
        normal[c] = length > 0 ? d[c] / length : c == 1;
    return length;
}

PRC_FUNCTION double prc_shape_box_distance(const prc_shape *s, const double d[3], double normal[3])
{
    double outside[3], inside = -HUGE_VAL;
    int nearest = 0;
    for (int c = 0; c < 3; c++) {
        const double over = fabs(d[c]) - s->half_size[c];
        outside[c] = over > 0 ? copysign(over, d[c]) : 0;
        if (over > inside) {
            inside = over;
            nearest = c;
        }
    }
    if (inside > 0)
        return prc_shape_from_point(outside, normal);
    for (int c = 0; c < 3; c++)
        normal[c] = c != nearest ? 0 : d[c] < 0 ? -1 : 1;
    return inside;
}

/* --- colliders of revolution: a convex outline in the half-plane (r, y), r from the axis --- */

typedef struct prc_flat {
    double r, y;
} prc_flat;

PRC_INLINE prc_flat prc_flat_make(double r, double y)
{
    const prc_flat p = {r, y};
    return p;
}

/* If p is nearer to the edge from a to b than *best, its distance and the direction from it. The outline runs
 * counter-clockwise, so what is nearest to the middle of an edge lies across it, to the right. */
PRC_FUNCTION void prc_shape_near_edge(prc_flat p, prc_flat a, prc_flat b, double *best, prc_flat *normal)
{
    const prc_flat e = {b.r - a.r, b.y - a.y};
    const double ee = e.r * e.r + e.y * e.y, along = ((p.r - a.r) * e.r + (p.y - a.y) * e.y) / ee;
    const double t = along < 0 ? 0 : along > 1 ? 1 : along;
    const prc_flat d = {p.r - a.r - t * e.r, p.y - a.y - t * e.y};
    const double length = sqrt(d.r * d.r + d.y * d.y), size = sqrt(ee); /* hypot takes four times as long */
    if (!(length < *best))
        return;
    *best = length;
    if (t > 0 && t < 1)
        *normal = prc_flat_make(e.y / size, -e.r / size);
    else if (length > 0)
        *normal = prc_flat_make(d.r / length, d.y / length);
}

/* Cylinder and cone: bottom, side and top. Inside, the nearest of the three planes. */
PRC_FUNCTION double prc_shape_trapezoid_distance(const prc_shape *s, double top, prc_flat p, prc_flat *normal)
{
    const double h = s->half_length, slope = s->radius - top, length = sqrt(4 * h * h + slope * slope);
    const prc_flat side = {2 * h / length, slope / length};
    const double below = -h - p.y, above = p.y - h, out = (p.r - s->radius) * side.r + (p.y + h) * side.y;
    *normal = out >= below && out >= above ? side : prc_flat_make(0, below > above ? -1 : 1);
    const double inside = fmax(out, fmax(below, above));
    if (!(inside > 0))
        return inside;
    const prc_flat corner[4] = {{0, -h}, {s->radius, -h}, {top, h}, {0, h}};
    double best = HUGE_VAL;
    prc_shape_near_edge(p, corner[0], corner[1], &best, normal);
    prc_shape_near_edge(p, corner[1], corner[2], &best, normal);
    if (top > 0)
        prc_shape_near_edge(p, corner[2], corner[3], &best, normal);
    return best;
}

PRC_FUNCTION double prc_shape_revolved_distance(const prc_shape *s, const double q[3], double normal[3])
{
    const double r = sqrt(q[0] * q[0] + q[2] * q[2]);
    const prc_flat p = {r, q[1]};
    prc_flat n = {1, 0};
    double distance;
    if (s->kind == PRC_SHAPE_CAPSULE) {
        const prc_flat start = {0, -s->half_length}, end = {0, s->half_length};
        distance = HUGE_VAL;
        prc_shape_near_edge(p, start, end, &distance, &n);
        distance -= s->radius;
    } else {
        distance = prc_shape_trapezoid_distance(s, s->kind == PRC_SHAPE_CONE ? s->radius_top : s->radius, p, &n);
    }
    normal[0] = r > 0 ? n.r * q[0] / r : n.r; /* any direction serves on the axis itself */
    normal[1] = n.y;
    normal[2] = r > 0 ? n.r * q[2] / r : 0;
    return distance;
}

/* --- all of them --- */

/* Signed distance of a point (negative inside) and, where not NULL, its gradient, a unit vector. Exact outside and
 * convex, so that one plane per point stands for the whole collider; but not that of a field, whose normal is smoothed
 * and whose distance grows by at most prc_shape_lipschitz per way. */
PRC_FUNCTION double prc_shape_distance(const prc_shape *s, const double q[3], double *normal)
{
    double unused[3];
    const bool wanted = normal != NULL;
    if (!wanted)
        normal = unused;
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        normal[0] = normal[2] = 0;
        normal[1] = 1;
        return q[1];
    case PRC_SHAPE_CAPSULE:
    case PRC_SHAPE_CYLINDER:
    case PRC_SHAPE_CONE:
        return prc_shape_revolved_distance(s, q, normal);
    case PRC_SHAPE_BOX:
        return prc_shape_box_distance(s, q, normal);
    case PRC_SHAPE_MESH: {
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = q[c] + s->field->middle[c];
        if (wanted) /* it costs six times the distance */
            prc_sdf_normal(s->field, x, normal);
        return prc_sdf_at(s->field, x, NULL);
    }
    default:
        return prc_shape_from_point(q, normal) - s->radius;
    }
}

#endif
