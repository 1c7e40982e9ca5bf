/* constraint/motion.h — where a rigid motion has taken things by a given time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONSTRAINT_MOTION_H
#define PRC_CONSTRAINT_MOTION_H

#include <percale/motion.h>

/* x(t) = turn x + shift */
typedef struct prc_pose {
    double turn[3][3]; /* a rotation matrix */
    double shift[3];   /* m */
} prc_pose;

prc_pose prc_motion_pose(const prc_motion_def *motion, double time);
/* How far it has come since `origin`, where it was nowhere else yet: the steady part begins then at the earliest, about
 * the center as given, and of the keys only the change since then counts. */
prc_pose prc_motion_pose_since(const prc_motion_def *motion, double origin, double time);
void prc_pose_apply(const prc_pose *pose, const double x[3], double out[3]);
/* Rotation by |r| radians about r. */
void prc_rotation_matrix(const double r[3], double out[3][3]);

#endif
