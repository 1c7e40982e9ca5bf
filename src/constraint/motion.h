/* constraint/motion.h — evaluates prescribed rigid motions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONSTRAINT_MOTION_H
#define PRC_CONSTRAINT_MOTION_H

#include <percale/motion.h>

#include "kernel/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

prc_pose prc_motion_pose(const prc_motion_def *motion, double time);
/* How far it has come since `origin`, where it was nowhere else yet: the steady part begins then at the earliest, about
 * the center as given, and of the keys only the change since then counts. */
prc_pose prc_motion_pose_since(const prc_motion_def *motion, double origin, double time);

#ifdef __cplusplus
}
#endif

#endif
