/* collider/solid.h — a collider in the world: a shape, where it is, and where it goes in the step in progress.
 *
 * In a step a solid goes from a pose to another one: its middle straight, its frame about a fixed axis, both in
 * proportion to the share of the step that is done. The pose at share 1 is exactly the one aimed at.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_SOLID_H
#define PRC_COLLIDER_SOLID_H

#include "collider/shape.h"
#include "constraint/motion.h"

typedef struct prc_solid {
    prc_shape shape;
    double friction;
    prc_pose now;            /* own frame to the world */
    prc_pose from, to;       /* of the step in progress */
    double move[3], spin[3]; /* … from one to the other: of the middle, m; axis × radians */
} prc_solid;

/* The collider at `time`, at rest. `field` is that of a mesh, and stays the caller's. */
prc_solid prc_solid_at(const prc_collider_def *def, const prc_sdf *field, double time, double default_friction);
/* Begins a step from where the solid is, which may be behind its motion, to where it should be at `time`. */
void prc_solid_aim(prc_solid *solid, const prc_collider_def *def, double time);
/* The pose when a share of the step is done. */
prc_pose prc_solid_pose(const prc_solid *solid, double share);

/* Signed distance of a point (negative inside) and, where not NULL, its direction of growth; see prc_shape_distance. */
double prc_solid_distance(const prc_solid *solid, const double x[3], double normal[3]);
double prc_solid_distance_in(const prc_solid *solid, const prc_pose *pose, const double x[3], double normal[3]);

/* Bound of the way, per share of the step, that the solid makes against a point near x, as far as it can change their
 * distance: turning about an axis of symmetry cannot. Holds from `pose` until `ahead` more is done, for points within
 * `slack` of x. */
double prc_solid_speed(const prc_solid *solid, const prc_pose *pose, const double x[3], double ahead, double slack);
/* How far the point of the solid that is now at x has come in this step. */
void prc_solid_displacement(const prc_solid *solid, const double x[3], double out[3]);
/* How far its farthest point is from where it should be, when a share of the step is done. */
double prc_solid_lag(const prc_solid *solid, double done);

#endif
