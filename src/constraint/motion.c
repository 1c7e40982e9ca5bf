/* constraint/motion.c — see motion.h.
 *
 * Turns between keys are interpolated as rotation vectors, component by component: several turns about one axis stay
 * several turns, and nothing is ambiguous at half a turn. SPDX-License-Identifier: Apache-2.0 */
#include "constraint/motion.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

void prc_rotation_matrix(const double r[3], double out[3][3])
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

void prc_pose_apply(const prc_pose *pose, const double x[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = pose->turn[i][0] * x[0] + pose->turn[i][1] * x[1] + pose->turn[i][2] * x[2] + pose->shift[i];
}

/* axis × angle; nothing where the axis has no direction. */
static void rotation_vector(const double axis[3], double degrees, double out[3])
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int c = 0; c < 3; c++)
        out[c] = length > 0 ? axis[c] / length * degrees * RADIANS : 0;
}

/* Turn and translation between keys. */
static void between_keys(const prc_motion_def *m, double time, double turn[3], double translate[3])
{
    memset(turn, 0, 3 * sizeof *turn);
    memset(translate, 0, 3 * sizeof *translate);
    if (m->key_count == 0)
        return;
    int next = 0;
    while (next < m->key_count && m->keys[next].time <= time)
        next++;
    const prc_pose_key *b = &m->keys[next < m->key_count ? next : m->key_count - 1];
    const prc_pose_key *a = next > 0 ? &m->keys[next - 1] : b;
    double s = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0, from[3], to[3];
    if (m->ease == PRC_EASE_SMOOTH)
        s = s * s * (3 - 2 * s);
    rotation_vector(a->axis, a->degrees, from);
    rotation_vector(b->axis, b->degrees, to);
    for (int c = 0; c < 3; c++) {
        turn[c] = from[c] + s * (to[c] - from[c]);
        translate[c] = a->translate[c] + s * (b->translate[c] - a->translate[c]);
    }
}

prc_pose prc_motion_pose(const prc_motion_def *m, double time)
{
    const double elapsed = (time < m->from ? m->from : time > m->until ? m->until : time) - m->from;
    double steady[3], turn[3], translate[3], r[3][3], k[3][3];
    rotation_vector(m->axis, m->degrees_per_second * elapsed, steady);
    between_keys(m, time, turn, translate);
    prc_rotation_matrix(steady, r);
    prc_rotation_matrix(turn, k);
    prc_pose pose;
    for (int i = 0; i < 3; i++) {
        pose.shift[i] = m->center[i] + m->velocity[i] * elapsed + translate[i];
        for (int j = 0; j < 3; j++) {
            pose.turn[i][j] = k[i][0] * r[0][j] + k[i][1] * r[1][j] + k[i][2] * r[2][j];
            pose.shift[i] -= pose.turn[i][j] * m->center[j];
        }
    }
    return pose;
}
