/* collider/shape.c — see shape.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/shape.h"
#include "constraint/motion.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

prc_solid prc_solid_at(const prc_collider_def *def, double start, double end, double default_friction)
{
    prc_solid s = {.shape = def->shape, .radius = def->radius, .half_length = def->length / 2};
    const double length = sqrt(dot(def->axis, def->axis));
    const prc_pose before = prc_motion_pose(&def->motion, start), after = prc_motion_pose(&def->motion, end);
    double was[3];
    prc_pose_apply(&before, def->center, was);
    prc_pose_apply(&after, def->center, s.center);
    for (int c = 0; c < 3; c++) {
        s.axis[c] = def->axis[c] / length;
        s.half_size[c] = def->size[c] / 2;
        s.move[c] = s.center[c] - was[c];
    }
    s.friction = def->friction < 0 ? default_friction : def->friction;
    return s;
}

/* Distance to a point, given the vector from it; any normal serves at the point itself. */
static double from_point(const double d[3], const double fallback[3], double normal[3])
{
    const double length = sqrt(dot(d, d));
    for (int c = 0; c < 3; c++)
        normal[c] = length > 0 ? d[c] / length : fallback[c];
    return length;
}

static double box_distance(const prc_solid *s, const double d[3], double normal[3])
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
        return from_point(outside, s->axis, normal);
    memset(normal, 0, 3 * sizeof *normal);
    normal[nearest] = d[nearest] < 0 ? -1 : 1;
    return inside;
}

static double cylinder_distance(const prc_solid *s, const double d[3], double along, double normal[3])
{
    double radial[3], unit[3];
    for (int c = 0; c < 3; c++)
        radial[c] = d[c] - along * s->axis[c];
    const double side[3] = {s->axis[1], s->axis[2], s->axis[0]}; /* any direction serves on the axis itself */
    const double from_axis = from_point(radial, side, unit);
    const double over = from_axis - s->radius, beyond = fabs(along) - s->half_length, sign = along < 0 ? -1 : 1;
    if (over > 0 && beyond > 0) {
        double v[3];
        for (int c = 0; c < 3; c++)
            v[c] = over * unit[c] + beyond * sign * s->axis[c];
        return from_point(v, unit, normal);
    }
    for (int c = 0; c < 3; c++)
        normal[c] = over > beyond ? unit[c] : sign * s->axis[c];
    return over > beyond ? over : beyond;
}

double prc_solid_distance(const prc_solid *s, const double x[3], double normal[3])
{
    double d[3] = {x[0] - s->center[0], x[1] - s->center[1], x[2] - s->center[2]};
    const double along = dot(d, s->axis);
    switch (s->shape) {
    case PRC_SHAPE_PLANE:
        memcpy(normal, s->axis, 3 * sizeof *normal);
        return along;
    case PRC_SHAPE_CAPSULE: {
        const double at = clamp(along, -s->half_length, s->half_length);
        for (int c = 0; c < 3; c++)
            d[c] -= at * s->axis[c];
        return from_point(d, s->axis, normal) - s->radius;
    }
    case PRC_SHAPE_CYLINDER:
        return cylinder_distance(s, d, along, normal);
    case PRC_SHAPE_BOX:
        return box_distance(s, d, normal);
    default:
        return from_point(d, s->axis, normal) - s->radius;
    }
}
