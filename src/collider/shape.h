/* collider/shape.h — solids as signed distances.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_SHAPE_H
#define PRC_COLLIDER_SHAPE_H

#include <percale/contact.h>

/* A collider at one moment. */
typedef struct prc_solid {
    prc_shape_kind shape;
    double center[3], axis[3] /* unit */, radius, half_length, half_size[3];
    double friction; /* negative: that of whatever touches it */
    double move[3];  /* over the step in progress, m */
} prc_solid;

prc_solid prc_solid_at(const prc_collider_def *def, double start, double end, double default_friction);

/* Signed distance of a point (negative inside) and its gradient, a unit vector. Exact outside, so 1-Lipschitz: a point
 * may move by its distance in any direction without entering. */
double prc_solid_distance(const prc_solid *solid, const double x[3], double normal[3]);

#endif
