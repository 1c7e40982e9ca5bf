/* test_motion.c — rigid motions: steady, by keys, and both.
 * SPDX-License-Identifier: Apache-2.0 */
#include "constraint/motion.h"
#include "harness.h"

#include <math.h>
#include <percale/percale.h>

static prc_motion_def still(void)
{
    return prc_collider_def_default().motion;
}

static void at(const prc_motion_def *m, double time, const double x[3], double out[3])
{
    const prc_pose pose = prc_motion_pose(m, time);
    prc_pose_apply(&pose, x, out);
}

static double off(const double a[3], double x, double y, double z)
{
    return fmax(fabs(a[0] - x), fmax(fabs(a[1] - y), fabs(a[2] - z)));
}

TEST(a_default_motion_leaves_everything_in_place)
{
    const prc_motion_def m = still();
    const double x[3] = {1.5, -2, 0.25};
    double y[3];
    at(&m, 7, x, y);
    CHECK(off(y, 1.5, -2, 0.25) == 0);
}

TEST(steady_motion_begins_at_from_and_ends_at_until)
{
    prc_motion_def m = still();
    m.velocity[0] = 2;
    m.from = 1;
    m.until = 3;
    const double x[3] = {0, 1, 0};
    double y[3];
    at(&m, 0.5, x, y);
    CHECK(off(y, 0, 1, 0) < 1e-15);
    at(&m, 2, x, y);
    CHECK(off(y, 2, 1, 0) < 1e-15);
    at(&m, 9, x, y);
    CHECK(off(y, 4, 1, 0) < 1e-15);
}

TEST(a_rotation_turns_about_its_center_by_the_right_hand_rule)
{
    prc_motion_def m = still();
    m.axis[1] = 0;
    m.axis[2] = 5;
    m.center[0] = 1;
    m.degrees_per_second = 90;
    const double x[3] = {2, 0, 3};
    double y[3];
    at(&m, 1, x, y);
    CHECK(off(y, 1, 1, 3) < 1e-14);
}

TEST(keys_hold_before_the_first_and_after_the_last_and_may_turn_more_than_once)
{
    const prc_pose_key keys[2] = {{.time = 1}, {.time = 2, .translate = {0, 4, 0}, .axis = {0, 0, 1}, .degrees = 720}};
    prc_motion_def m = still();
    m.keys = keys;
    m.key_count = 2;
    const double x[3] = {1, 0, 0};
    double y[3];
    at(&m, 0, x, y);
    CHECK(off(y, 1, 0, 0) < 1e-14);
    at(&m, 1.125, x, y);
    CHECK(off(y, 0, 1.5, 0) < 1e-14);
    at(&m, 5, x, y);
    CHECK(off(y, 1, 4, 0) < 1e-14);
    m.ease = PRC_EASE_SMOOTH;
    at(&m, 1.25, x, y);
    CHECK(fabs(y[1] - (4 * 0.15625 + sin(720 * 0.15625 * acos(-1.0) / 180))) < 1e-13);
}

TEST(the_center_moves_along_with_the_velocity)
{
    prc_motion_def m = still();
    m.velocity[0] = 1;
    m.degrees_per_second = 180;
    const double center[3] = {0, 0, 0}, x[3] = {0, 0, 1};
    double y[3];
    at(&m, 1, center, y);
    CHECK(off(y, 1, 0, 0) < 1e-14);
    at(&m, 1, x, y);
    CHECK(off(y, 1, 0, -1) < 1e-14);
}

TEST_MAIN()
