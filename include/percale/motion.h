/* percale/motion.h — rigid motions of things that are not simulated.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_MOTION_H
#define PERCALE_MOTION_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A turn about a point that its owner names. */
typedef struct prc_rotate_def {
    double axis[3];
    double degrees;
} prc_rotate_def;

/* Where a thing is at one moment, against where it was put: turned about the motion's center, then moved. */
typedef struct prc_pose_key {
    double time;         /* s */
    double translate[3]; /* m */
    double axis[3];      /* of the turn; may be zero where degrees is */
    double degrees;      /* more than a turn is more than a turn */
} prc_pose_key;

typedef enum prc_ease {
    PRC_EASE_LINEAR, /* at constant speed from key to key */
    PRC_EASE_SMOOTH, /* comes to rest at every key */
} prc_ease;

/* A steady part (velocity and rotation, between `from` and `until`) and a part given by keys; either may be absent.
 * x(t) = c + K(t) R(t) (x − c) + v s + k(t), with s the time since `from`, R the steady rotation, K and k the turn and
 * translation between keys; before the first key and after the last they stay. A rotation with a pitch is a screw: it
 * adds that way along the axis per turn to v. */
typedef struct prc_motion_def {
    double velocity[3]; /* m/s */
    double axis[3];     /* of the rotation */
    double center[3];   /* a point on the axis, that moves along, m */
    double degrees_per_second;
    double pitch;             /* m along the axis per turn */
    const prc_pose_key *keys; /* in the order of time */
    int key_count;
    prc_ease ease;
    double from, until; /* s: when the steady part begins and ends */
} prc_motion_def;

#ifdef __cplusplus
}
#endif
#endif
