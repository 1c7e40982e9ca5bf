/* collider/shape.c — see shape.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/shape.h"

#include "collider/sdf.h"

#include <math.h>
#include <string.h>

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/* Distance to a point, given the vector from it; any normal serves at the point itself. */
static double from_point(const double d[3], double normal[3])
{
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int c = 0; c < 3; c++)
        normal[c] = length > 0 ? d[c] / length : c == 1;
    return length;
}

static double box_distance(const prc_shape *s, const double d[3], double normal[3])
{
    double outside[3], inside = -INFINITY;
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
        return from_point(outside, normal);
    memset(normal, 0, 3 * sizeof *normal);
    normal[nearest] = d[nearest] < 0 ? -1 : 1;
    return inside;
}

/* --- solids of revolution: a convex outline in the half-plane (r, y), r from the axis --- */

typedef struct flat {
    double r, y;
} flat;

/* If p is nearer to the edge from a to b than *best, its distance and the direction from it. The outline runs
 * counter-clockwise, so what is nearest to the middle of an edge lies across it, to the right. */
static void near_edge(flat p, flat a, flat b, double *best, flat *normal)
{
    const flat e = {b.r - a.r, b.y - a.y};
    const double ee = e.r * e.r + e.y * e.y, t = clamp(((p.r - a.r) * e.r + (p.y - a.y) * e.y) / ee, 0, 1);
    const flat d = {p.r - a.r - t * e.r, p.y - a.y - t * e.y};
    const double length = hypot(d.r, d.y), size = sqrt(ee);
    if (!(length < *best))
        return;
    *best = length;
    if (t > 0 && t < 1)
        *normal = (flat){e.y / size, -e.r / size};
    else if (length > 0)
        *normal = (flat){d.r / length, d.y / length};
}

/* Cylinder and cone: bottom, side and top. Inside, the nearest of the three planes. */
static double trapezoid_distance(const prc_shape *s, double top, flat p, flat *normal)
{
    const double h = s->half_length, slope = s->radius - top, length = hypot(2 * h, slope);
    const flat side = {2 * h / length, slope / length};
    const double below = -h - p.y, above = p.y - h, out = (p.r - s->radius) * side.r + (p.y + h) * side.y;
    *normal = out >= below && out >= above ? side : (flat){0, below > above ? -1 : 1};
    const double inside = fmax(out, fmax(below, above));
    if (!(inside > 0))
        return inside;
    const flat corner[4] = {{0, -h}, {s->radius, -h}, {top, h}, {0, h}};
    double best = INFINITY;
    near_edge(p, corner[0], corner[1], &best, normal);
    near_edge(p, corner[1], corner[2], &best, normal);
    if (top > 0)
        near_edge(p, corner[2], corner[3], &best, normal);
    return best;
}

static double revolved_distance(const prc_shape *s, const double q[3], double normal[3])
{
    const double r = hypot(q[0], q[2]);
    const flat p = {r, q[1]};
    flat n = {1, 0};
    double distance;
    if (s->kind == PRC_SHAPE_CAPSULE) {
        const flat end = {0, s->half_length};
        distance = INFINITY;
        near_edge(p, (flat){0, -s->half_length}, end, &distance, &n);
        distance -= s->radius;
    } else {
        distance = trapezoid_distance(s, s->kind == PRC_SHAPE_CONE ? s->radius_top : s->radius, p, &n);
    }
    normal[0] = r > 0 ? n.r * q[0] / r : n.r; /* any direction serves on the axis itself */
    normal[1] = n.y;
    normal[2] = r > 0 ? n.r * q[2] / r : 0;
    return distance;
}

double prc_shape_distance(const prc_shape *s, const double q[3], double normal[3])
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
        return revolved_distance(s, q, normal);
    case PRC_SHAPE_BOX:
        return box_distance(s, q, normal);
    case PRC_SHAPE_MESH: {
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = q[c] + s->field->middle[c];
        if (wanted) /* it costs six times the distance */
            prc_sdf_normal(s->field, x, normal);
        return prc_sdf_distance(s->field, x, NULL);
    }
    default:
        return from_point(q, normal) - s->radius;
    }
}

double prc_shape_extent(const prc_shape *s)
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
