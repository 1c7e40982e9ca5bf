/* constraint/motion.c — see motion.h.
 *
 * Rotations between keys are interpolated as rotation vectors, component by component: several turns about one axis
 * stay several turns, and half a turn is not ambiguous. SPDX-License-Identifier: Apache-2.0 */
#include "constraint/motion.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

/* A vector of this length along the axis; none where the axis has no direction. */
static void along(const double axis[3], double length, double out[3])
{
    const double whole = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int c = 0; c < 3; c++)
        out[c] = whole > 0 ? axis[c] / whole * length : 0;
}

static void rotation_vector(const double axis[3], double degrees, double out[3])
{
    along(axis, degrees * RADIANS, out);
}

/* Turn and translation between keys. */
static void between_keys(const prc_motion_def *m, double time, double turn[3], double translate[3])
{
    memset(turn, 0, 3 * sizeof *turn);
    memset(translate, 0, 3 * sizeof *translate);
    if (m->key_count == 0)
        return;
    int next = 0; /* the first key after `time` */
    for (int high = m->key_count; next < high;) {
        const int middle = next + (high - next) / 2;
        if (m->keys[middle].time <= time)
            next = middle + 1;
        else
            high = middle;
    }
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

/* `elapsed` seconds of steady motion, then the turn and translation of the keys. Without a turn the center has no part
 * in it, not even by rounding. */
static prc_pose compose(const prc_motion_def *m, double elapsed, double turn[3][3], const double translate[3])
{
    double steady[3], r[3][3], advance[3];
    rotation_vector(m->axis, m->degrees_per_second * elapsed, steady);
    prc_rotation_matrix(steady, r);
    along(m->axis, m->pitch * (m->degrees_per_second * elapsed / 360), advance);
    prc_pose pose;
    for (int i = 0; i < 3; i++) {
        pose.shift[i] = m->velocity[i] * elapsed + advance[i] + translate[i];
        for (int j = 0; j < 3; j++) {
            pose.turn[i][j] = turn[i][0] * r[0][j] + turn[i][1] * r[1][j] + turn[i][2] * r[2][j];
            pose.shift[i] += ((i == j) - pose.turn[i][j]) * m->center[j];
        }
    }
    return pose;
}

static double within(double time, double low, double high)
{
    return time > high ? high : time < low ? low : time;
}

prc_pose prc_motion_pose(const prc_motion_def *m, double time)
{
    double turn[3], translate[3], k[3][3];
    between_keys(m, time, turn, translate);
    prc_rotation_matrix(turn, k);
    return compose(m, within(time, m->from, m->until) - m->from, k, translate);
}

prc_pose prc_motion_pose_since(const prc_motion_def *m, double origin, double time)
{
    const double from = m->from > origin ? m->from : origin;
    double turn[2][3], translate[2][3], k[2][3][3], change[3][3], moved[3];
    for (int e = 0; e < 2; e++) {
        between_keys(m, e ? time : origin, turn[e], translate[e]);
        prc_rotation_matrix(turn[e], k[e]);
    }
    const bool same = memcmp(turn[0], turn[1], sizeof turn[0]) == 0;
    for (int i = 0; i < 3; i++) {
        moved[i] = translate[1][i] - translate[0][i];
        for (int j = 0; j < 3; j++) /* from the pose at the origin to that at `time`; exact where they are the same */
            change[i][j] = same ? i == j : k[1][i][0] * k[0][j][0] + k[1][i][1] * k[0][j][1] + k[1][i][2] * k[0][j][2];
    }
    const double end = within(time, from, m->until);
    return compose(m, end > from ? end - from : 0, change, moved);
}
