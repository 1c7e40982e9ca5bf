/* percale/motion.h — prescribed rigid motions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_MOTION_H
#define PERCALE_MOTION_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rotation; the struct that contains it defines the center. */
typedef struct prc_rotate_def {
    double axis[3];
    double degrees;
} prc_rotate_def;

/* A pose at one time, relative to the original place: rotated about the center of the motion, then translated. */
typedef struct prc_pose_key {
    double time;         /* s */
    double translate[3]; /* m */
    double axis[3];      /* of the rotation; may be zero if degrees is zero */
    double degrees;      /* values above 360 mean several turns */
} prc_pose_key;

typedef enum prc_ease {
    PRC_EASE_LINEAR, /* at constant speed from key to key */
    PRC_EASE_SMOOTH, /* comes to rest at every key */
} prc_ease;

/* A steady part (velocity and rotation, between `from` and `until`) and a part given by keys; either may be absent.
 * x(t) = c + K(t) R(t) (x − c) + v s + k(t), where s is the time since `from`, R the steady rotation, and K and k the
 * rotation and translation interpolated between keys; before the first key and after the last they are constant. A
 * rotation with a pitch is a screw motion: each turn also moves it by the pitch along the axis. */
typedef struct prc_motion_def {
    double velocity[3]; /* m/s */
    double axis[3];     /* of the rotation */
    double center[3];   /* a point on the axis, which moves with the translation, m */
    double degrees_per_second;
    double pitch;             /* distance along the axis per turn, m */
    const prc_pose_key *keys; /* in order of time */
    int key_count;
    prc_ease ease;
    double from, until; /* s: when the steady part begins and ends */
} prc_motion_def;

#ifdef __cplusplus
}
#endif
#endif
