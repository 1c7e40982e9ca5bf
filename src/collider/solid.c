/* collider/solid.c — see solid.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/solid.h"

#include "collider/sdf.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double cross_length(const double *a, const double *b)
{
    const double c[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return sqrt(dot(c, c));
}

static void multiply(const double a[3][3], const double b[3][3], double out[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* --- poses --- */

/* A frame whose y axis is `axis`; the other two serve as they come. */
static void frame_along(const double axis[3], double out[3][3])
{
    const double length = sqrt(dot(axis, axis));
    const double a[3] = {axis[0] / length, axis[1] / length, axis[2] / length};
    const double help[3] = {0, fabs(a[2]) > 0.9, fabs(a[2]) <= 0.9};
    double x[3] = {a[1] * help[2] - a[2] * help[1], a[2] * help[0] - a[0] * help[2], a[0] * help[1] - a[1] * help[0]};
    const double across = sqrt(dot(x, x));
    for (int c = 0; c < 3; c++)
        x[c] /= across;
    for (int c = 0; c < 3; c++) {
        out[c][0] = x[c];
        out[c][1] = a[c];
        out[c][2] = x[(c + 1) % 3] * a[(c + 2) % 3] - x[(c + 2) % 3] * a[(c + 1) % 3];
    }
}

static bool has_axis(prc_shape_kind kind)
{
    return kind != PRC_SHAPE_BOX && kind != PRC_SHAPE_MESH;
}

/* Where the motion of the collider puts its own frame. */
static prc_pose pose_at(const prc_collider_def *def, const prc_sdf *field, double time)
{
    const prc_pose moved = prc_motion_pose(&def->motion, time);
    double r[3] = {0, 0, 0}, turned[3][3], frame[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, own[3][3], middle[3];
    const double length = sqrt(dot(def->rotate.axis, def->rotate.axis));
    for (int c = 0; def->rotate.degrees != 0 && c < 3; c++)
        r[c] = def->rotate.axis[c] / length * def->rotate.degrees * RADIANS;
    prc_rotation_matrix(r, turned);
    if (has_axis(def->shape))
        frame_along(def->axis, frame);
    multiply((const double(*)[3])turned, (const double(*)[3])frame, own);
    for (int c = 0; c < 3; c++)
        middle[c] = def->center[c] + (field ? dot(own[c], field->middle) : 0);
    prc_pose pose = moved;
    multiply(moved.turn, (const double(*)[3])own, pose.turn);
    prc_pose_apply(&moved, middle, pose.shift);
    return pose;
}

/* The rotation vector of a rotation matrix, of at most half a turn; by way of the quaternion whose largest component is
 * found without cancellation, so it is accurate everywhere. */
static void rotation_vector(const double m[3][3], double out[3])
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
    const double sign = q[0] < 0 ? -1 : 1, sine = sqrt(dot(q + 1, q + 1)), angle = 2 * atan2(sine, fabs(q[0]));
    for (int c = 0; c < 3; c++)
        out[c] = sine > 0 ? sign * q[c + 1] / sine * angle : 0;
}

prc_solid prc_solid_at(const prc_collider_def *def, const prc_sdf *field, double time, double default_friction)
{
    prc_solid s = {.shape = {.kind = def->shape,
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

void prc_solid_aim(prc_solid *s, const prc_collider_def *def, double time)
{
    double turn[3][3];
    s->from = s->now;
    s->to = pose_at(def, s->shape.field, time);
    for (int i = 0; i < 3; i++) {
        s->move[i] = s->to.shift[i] - s->from.shift[i];
        for (int j = 0; j < 3; j++)
            turn[i][j] = dot(s->to.turn[i], s->from.turn[j]);
    }
    memset(s->spin, 0, sizeof s->spin);
    if (memcmp(s->to.turn, s->from.turn, sizeof s->to.turn) != 0)
        rotation_vector((const double(*)[3])turn, s->spin);
}

prc_pose prc_solid_pose(const prc_solid *s, double share)
{
    if (share >= 1)
        return s->to;
    prc_pose pose = s->from;
    double turned[3][3];
    const double part[3] = {share * s->spin[0], share * s->spin[1], share * s->spin[2]};
    for (int c = 0; c < 3; c++)
        pose.shift[c] += share * s->move[c];
    if (dot(part, part) > 0) {
        prc_rotation_matrix(part, turned);
        multiply((const double(*)[3])turned, s->from.turn, pose.turn);
    }
    return pose;
}

/* --- distances --- */

double prc_solid_distance_in(const prc_solid *s, const prc_pose *pose, const double x[3], double normal[3])
{
    const double d[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
    double q[3], n[3];
    for (int c = 0; c < 3; c++)
        q[c] = pose->turn[0][c] * d[0] + pose->turn[1][c] * d[1] + pose->turn[2][c] * d[2];
    const double distance = prc_shape_distance(&s->shape, q, normal ? n : NULL);
    for (int c = 0; normal && c < 3; c++)
        normal[c] = dot(pose->turn[c], n);
    return distance;
}

double prc_solid_distance(const prc_solid *s, const double x[3], double normal[3])
{
    return prc_solid_distance_in(s, &s->now, x, normal);
}

/* Seen from the solid, a point x moves with −(v + w × r), r from the middle; r itself grows by v. With an axis a of
 * symmetry the part of w along a does not count, and w·a stays the same as a turns with w. A plane does not see what
 * goes along it either, but for its own tilt. */
double prc_solid_speed(const prc_solid *s, const prc_pose *pose, const double x[3], double ahead, double slack)
{
    const double *v = s->move, *w = s->spin, speed = sqrt(dot(v, v)), more = ahead * speed + slack;
    const double r[3] = {x[0] - pose->shift[0], x[1] - pose->shift[1], x[2] - pose->shift[2]};
    const double turning = cross_length(w, r) + sqrt(dot(w, w)) * more;
    if (s->shape.kind == PRC_SHAPE_SPHERE)
        return speed;
    if (!has_axis(s->shape.kind))
        return speed + turning;
    const double axis[3] = {pose->turn[0][1], pose->turn[1][1], pose->turn[2][1]}, tilt = cross_length(w, axis);
    const double tilting = tilt * (sqrt(dot(r, r)) + more);
    if (s->shape.kind == PRC_SHAPE_PLANE)
        return fabs(dot(v, axis)) + speed * tilt * ahead + tilting;
    return speed + (turning < tilting ? turning : tilting);
}

void prc_solid_displacement(const prc_solid *s, const double x[3], double out[3])
{
    const double d[3] = {x[0] - s->now.shift[0], x[1] - s->now.shift[1], x[2] - s->now.shift[2]};
    double q[3], before[3];
    for (int c = 0; c < 3; c++)
        out[c] = s->now.shift[c] - s->from.shift[c];
    if (dot(s->spin, s->spin) == 0)
        return;
    for (int c = 0; c < 3; c++)
        q[c] = s->now.turn[0][c] * d[0] + s->now.turn[1][c] * d[1] + s->now.turn[2][c] * d[2];
    prc_pose_apply(&s->from, q, before);
    for (int c = 0; c < 3; c++)
        out[c] = x[c] - before[c];
}

double prc_solid_lag(const prc_solid *s, double done)
{
    const double left = done < 1 ? 1 - done : 0;
    return left * (sqrt(dot(s->move, s->move)) + sqrt(dot(s->spin, s->spin)) * prc_shape_extent(&s->shape));
}
