/* kernel/pose.h — rigid poses: where a frame is, and how it is turned.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_POSE_H
#define PRC_KERNEL_POSE_H

#include "kernel/portable.h"

#include <math.h>

/* x(t) = turn x + shift */
typedef struct prc_pose {
    double turn[3][3]; /* a rotation matrix */
    double shift[3];   /* m */
} prc_pose;

/* Rotation by |r| radians about r. */
PRC_FUNCTION void prc_rotation_matrix(const double r[3], double out[3][3])
{
    const double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double a[3] = {1, 0, 0};
    for (int c = 0; angle > 0 && c < 3; c++)
        a[c] = r[c] / angle;
    const double cosine = cos(angle), sine = sin(angle);
    const double cross[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = (i == j) * cosine + sine * cross[i][j] + (1 - cosine) * a[i] * a[j];
}

PRC_FUNCTION void prc_pose_apply(const prc_pose *pose, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = pose->turn[i][0] * x[0] + pose->turn[i][1] * x[1] + pose->turn[i][2] * x[2] + pose->shift[i];
}

/* Where x is in the frame of the pose. */
PRC_FUNCTION void prc_pose_undo(const prc_pose *pose, const double x[3], double out[3])
{
    const double d[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
    for (int c = 0; c < 3; c++)
        out[c] = pose->turn[0][c] * d[0] + pose->turn[1][c] * d[1] + pose->turn[2][c] * d[2];
}

/* One turn after another: a b. */
PRC_FUNCTION void prc_rotation_multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

#endif
