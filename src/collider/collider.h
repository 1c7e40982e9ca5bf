/* collider/collider.h — the pose of a collider from its def and motion. The collider itself is in kernel/collider.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_COLLIDER_H
#define PRC_COLLIDER_COLLIDER_H

#include "constraint/motion.h"
#include "kernel/collider.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The collider at `time`, at rest. `field` is that of a mesh, and stays the caller's. */
prc_collider prc_collider_at(const prc_collider_def *def, const prc_sdf *field, double time, double default_friction);
/* Begins a step from where the collider is, which may be behind its motion, to where it should be at `time`. */
void prc_collider_aim(prc_collider *collider, const prc_collider_def *def, double time);

/* The rotation vector of a rotation matrix, of at most half a turn. */
void prc_rotation_vector(const double matrix[3][3], double out[3]);

#ifdef __cplusplus
}
#endif

#endif
