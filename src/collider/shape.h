/* collider/shape.h — solids as signed distances, each in a frame of its own.
 *
 * The frame has its origin in the middle of the solid and its y axis along the axis of a shape that has one. Where a
 * solid is, and how it moves, is solid.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_SHAPE_H
#define PRC_COLLIDER_SHAPE_H

#include <percale/contact.h>

typedef struct prc_shape {
    prc_shape_kind kind;
    double radius, radius_top, half_length, half_size[3];
    const prc_sdf *field; /* of a mesh, or NULL */
} prc_shape;

/* Signed distance of a point (negative inside) and, where not NULL, its gradient, a unit vector. Exact outside and
 * convex, so that one plane per point stands for the whole solid; but not that of a field, whose normal is smoothed and
 * whose distance grows by at most prc_shape_lipschitz per way. */
double prc_shape_distance(const prc_shape *shape, const double q[3], double normal[3]);

static inline bool prc_shape_is_convex(const prc_shape *shape)
{
    return shape->kind != PRC_SHAPE_MESH;
}

static inline double prc_shape_lipschitz(const prc_shape *shape)
{
    return shape->kind == PRC_SHAPE_MESH ? prc_sdf_lipschitz(shape->field) : 1;
}

/* Distance of the farthest point from the origin; of a plane, which has none, 1 m. */
double prc_shape_extent(const prc_shape *shape);

#endif
