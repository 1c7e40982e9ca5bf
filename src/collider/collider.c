/* collider/collider.c — see collider.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/collider.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

/* A frame whose y axis is `axis`; the other two serve as they come. */
static void frame_along(const double axis[3], double out[3][3])
{
    const double length = sqrt(prc_dot3(axis, axis));
    const double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    const double help[3] = {0, fabs(a[2]) > 0.9, fabs(a[2]) <= 0.9};
    double x[3] = {a[1] * help[2] - a[2] * help[1], a[2] * help[0] - a[0] * help[2], a[0] * help[1] - a[1] * help[0]};
    const double across = sqrt(prc_dot3(x, x));
    for (int c = 0; c < 3; c++)
        x[c] /= across;
    for (int c = 0; c < 3; c++) {
        out[c][0] = x[c];
        out[c][1] = a[c];
        out[c][2] = x[(c + 1) % 3] * a[(c + 2) % 3] - x[(c + 2) % 3] * a[(c + 1) % 3];
    }
}

/* Where the motion of the collider puts its own frame. */
static prc_pose pose_at(const prc_collider_def *def, const prc_sdf *field, double time)
{
    const prc_pose moved = prc_motion_pose(&def->motion, time);
    double r[3] = {0, 0, 0}, turned[3][3], frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, own[3][3], middle[3];
    const double length = sqrt(prc_dot3(def->rotate.axis, def->rotate.axis));
    for (int c = 0; def->rotate.degrees != 0 && c < 3; c++)
        r[c] = def->rotate.axis[c] / length * def->rotate.degrees * RADIANS;
    prc_rotation_matrix(r, turned);
    if (prc_shape_has_axis(def->shape))
        frame_along(def->axis, frame);
    prc_rotation_multiply((const double(*)[3])turned, (const double(*)[3])frame, own);
    for (int c = 0; c < 3; c++)
        middle[c] = def->center[c] + (field ? prc_dot3(own[c], field->middle) : 0);
    prc_pose pose = moved;
    prc_rotation_multiply(moved.turn, (const double(*)[3])own, pose.turn);
    prc_pose_apply(&moved, middle, pose.shift);
    return pose;
}

/* By way of the quaternion whose largest component is found without cancellation, so it is accurate everywhere. */
void prc_rotation_vector(const double m[3][3], double out[3])
{
    const double trace = m[0][0] + m[1][1] + m[2][2];
    double q[4] = {1 + trace, 1 + 2 * m[0][0] - trace, 1 + 2 * m[1][1] - trace, 1 + 2 * m[2][2] - trace};
    int most = 0;
    for (int k = 1; k < 4; k++)
        most = q[k] > q[most] ? k : most;
    const double w[3] = {m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]}; /* 4 q0 q */
    const double largest = q[most];
    for (int k = 0; k < 3; k++) {
        const int i = most - 1;
        q[k + 1] = most == 0 ? w[k] : k == i ? largest : m[i][k] + m[k][i];
    }
    q[0] = most == 0 ? largest : w[most - 1];
    const double sign = q[0] < 0 ? -1 : 1, sine = sqrt(prc_dot3(q + 1, q + 1)), angle = 2 * atan2(sine, fabs(q[0]));
    for (int c = 0; c < 3; c++)
        out[c] = sine > 0 ? sign * q[c + 1] / sine * angle : 0;
}

prc_collider prc_collider_at(const prc_collider_def *def, const prc_sdf *field, double time, double default_friction)
{
    prc_collider s = {.shape = {.kind = def->shape,
                                .radius = def->radius,
                                .radius_top = def->radius_top,
                                .half_length = def->length / 2,
                                .field = field}};
    for (int c = 0; c < 3; c++)
        s.shape.half_size[c] = def->size[c] / 2;
    s.friction = def->friction < 0 ? default_friction : def->friction;
    s.now = s.from = s.to = pose_at(def, field, time);
    return s;
}

void prc_collider_aim(prc_collider *s, const prc_collider_def *def, double time)
{
    double turn[3][3];
    s->from = s->now;
    s->to = pose_at(def, s->shape.field, time);
    for (int i = 0; i < 3; i++) {
        s->move[i] = s->to.shift[i] - s->from.shift[i];
        for (int j = 0; j < 3; j++)
            turn[i][j] = prc_dot3(s->to.turn[i], s->from.turn[j]);
    }
    memset(s->spin, 0, sizeof s->spin);
    if (memcmp(s->to.turn, s->from.turn, sizeof s->to.turn) != 0)
        prc_rotation_vector((const double(*)[3])turn, s->spin);
}
