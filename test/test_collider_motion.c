/* test/test_collider_motion.c — cloth and colliders that turn, that follow keys, that are hollow: nothing enters,
 * friction carries along, what is caught between colliders makes them wait. SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"
#include "revolve.h"

/* A square sheet across y at `height`, and one collider. */
static scene *sheet_at(int cells, double size, double height)
{
    scene *s = scene_new();
    add_sheet(s, cells, size, along_y, 0, 0, height, 0);
    s->def.collider_count = 1;
    return s;
}

/* Steps, and judges: no vertex (with meshes: no point) nearer to a collider than promised, no crossing of the sheet
 * with itself. */
static bool step_outside(scene *s)
{
    if (!scene_step(s))
        return false;
    const double nearest = nearest_collider(s) / (s->def.contact.thickness / 2);
    const long long crossings = crossings_now(s, NULL);
    if (nearest >= KEPT && crossings == 0)
        return true;
    printf("    at %g s: %.4g half thicknesses, %lld crossings\n", prc_sim_time(s->sim), nearest, crossings);
    return false;
}

/* Mean angular velocity about the y axis, radians per second. */
static double angular_speed(scene *s)
{
    const double *x = prc_sim_positions(s->sim), *v = prc_sim_velocities(s->sim), *m = prc_sim_masses(s->sim);
    double momentum = 0, inertia = 0;
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        momentum += m[i] * (x[3 * i + 2] * v[3 * i] - x[3 * i] * v[3 * i + 2]);
        inertia += m[i] * (x[3 * i] * x[3 * i] + x[3 * i + 2] * x[3 * i + 2]);
    }
    return momentum / inertia;
}

/* --- speed --- */

/* A sheet shot at 1000 m/s against a collider that spins at ten turns a second, about an axis askew. */
static bool shoot(scene *s)
{
    s->body[0].velocity[1] = -1000;
    s->body[0].velocity[0] = 30;
    s->def.time.step = 1e-3;
    s->collider[0].motion.axis[0] = 0.3;
    s->collider[0].motion.degrees_per_second = 3600;
    s->collider[0].motion.velocity[1] = 5;
    scene_hurry(s, 20);
    bool safe = scene_start(s);
    for (int k = 0; safe && k < 15; k++)
        safe = step_outside(s);
    return safe;
}

TEST(a_sheet_shot_at_a_spinning_box_never_enters)
{
    scene *s = sheet_at(6, 0.4, 0.6);
    s->collider[0].shape = PRC_SHAPE_BOX;
    s->collider[0].size[0] = 0.3;
    s->collider[0].size[1] = 0.1;
    s->collider[0].rotate.degrees = 20;
    CHECK(shoot(s));
    scene_free(s);
}

TEST(a_sheet_shot_at_a_spinning_cone_never_enters)
{
    scene *s = sheet_at(6, 0.4, 0.6);
    s->collider[0].shape = PRC_SHAPE_CONE;
    s->collider[0].length = 0.7;
    CHECK(shoot(s));
    scene_free(s);
}

TEST(a_sheet_shot_into_a_spinning_bowl_never_enters)
{
    scene *s = sheet_at(6, 0.3, 0.6);
    prc_mesh bowl = make_bowl(12);
    s->collider[0].shape = PRC_SHAPE_MESH;
    s->collider[0].mesh = &bowl;
    s->collider[0].resolution = 32;
    CHECK(shoot(s));
    free_revolved(&bowl);
    scene_free(s);
}

/* Thin plates are passed in a thousandth of a step: only the way tells. */
TEST(a_sheet_shot_at_a_spinning_plate_stays_on_its_side)
{
    scene *s = sheet_at(6, 0.4, 0.6);
    s->body[0].velocity[1] = -1000;
    s->def.time.step = 1e-3;
    s->collider[0].shape = PRC_SHAPE_BOX;
    s->collider[0].size[0] = s->collider[0].size[2] = 40;
    s->collider[0].size[1] = 1e-3;
    s->collider[0].motion.degrees_per_second = 3600;
    CHECK(scene_start(s));
    for (int k = 0; k < 20; k++)
        CHECK(step_outside(s));
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        CHECK(prc_sim_positions(s->sim)[3 * i + 1] > 0);
    scene_free(s);
}

/* A bar that sweeps round at ten turns a second takes along or pushes off what it meets. */
TEST(a_rotating_bar_sweeps_cloth_and_never_passes_it)
{
    PLAIN_BUILD_ONLY("other colliders that turn are above");
    scene *s = sheet_at(10, 0.3, 0.01);
    s->def.gravity[1] = 0;
    s->collider[0].shape = PRC_SHAPE_BOX;
    s->collider[0].size[0] = 2;
    s->collider[0].size[1] = s->collider[0].size[2] = 0.02;
    s->collider[0].center[1] = -0.1;
    s->collider[0].motion.axis[0] = 0;
    s->collider[0].motion.axis[1] = 0;
    s->collider[0].motion.axis[2] = 1;
    s->collider[0].motion.center[0] = 0.6;
    s->collider[0].motion.center[1] = -0.1;
    s->collider[0].motion.degrees_per_second = -3600;
    s->def.time.step = 2e-3;
    scene_hurry(s, 30);
    CHECK(scene_start(s));
    for (int k = 0; k < 60; k++)
        CHECK(step_outside(s));
    printf("    %.4f kg m/s\n", s->report.momentum[1]);
    CHECK(s->report.momentum[1] > 0.01);
    scene_free(s);
}

/* --- friction --- */

static double dragged(double friction)
{
    scene *s = sheet_at(10, 0.3, 0.3025);
    s->collider[0].radius = 0.3;
    s->collider[0].friction = friction;
    s->collider[0].motion.degrees_per_second = 90;
    double speed = NAN;
    bool safe = scene_start(s);
    for (int k = 0; safe && k < 150; k++)
        safe = step_outside(s);
    if (safe)
        speed = angular_speed(s);
    printf("    friction %g: %.4f rad/s of %.4f, %d steps not converged, lag %.3g\n", friction, speed,
           90 * 3.14159265 / 180, s->unconverged, s->report.largest_lag);
    scene_free(s);
    return speed;
}

TEST(cloth_on_a_rotating_sphere_is_dragged_along)
{
    CHECK_NEAR(dragged(0.5), 1.5708, 0.08);
}

TEST(cloth_on_a_rotating_sphere_without_friction_stays)
{
    CHECK_NEAR(dragged(0), 0, 0.02);
}

TEST(cloth_on_a_turntable_turns_with_it)
{
    scene *s = sheet_at(6, 0.2, 0.0525);
    s->collider[0].shape = PRC_SHAPE_BOX;
    s->collider[0].size[1] = 0.1;
    s->collider[0].friction = 0.5;
    s->collider[0].motion.degrees_per_second = 120;
    CHECK(scene_start(s));
    for (int k = 0; k < 100; k++)
        CHECK(step_outside(s));
    CHECK_NEAR(angular_speed(s), 2.0944, 0.02);
    CHECK(s->report.largest_lag == 0);
    scene_free(s);
}

/* --- hollow colliders --- */

TEST(cloth_dropped_into_a_bowl_rests_there_and_never_enters)
{
    scene *s = sheet_at(10, 0.3, -0.2);
    prc_mesh bowl = make_bowl(24);
    s->collider[0].shape = PRC_SHAPE_MESH;
    s->collider[0].mesh = &bowl;
    s->collider[0].resolution = 48;
    s->collider[0].friction = 0.3;
    s->def.time.step = 8e-3;
    CHECK(scene_start(s));
    for (int k = 0; k < 200; k++)
        CHECK(step_outside(s));
    const double *x = prc_sim_positions(s->sim);
    double low = INFINITY, mass = 0;
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        low = fmin(low, x[3 * i + 1]);
        mass += prc_sim_masses(s->sim)[i];
        CHECK(hypot(x[3 * i], x[3 * i + 2]) < 0.4 && x[3 * i + 1] < 0);
    }
    const double speed = sqrt(2 * s->report.energy_kinetic / mass);
    printf("    lowest %.4f, rms speed %.3g m/s, %d steps not converged\n", low, speed, s->unconverged);
    CHECK(low < -0.37);
    CHECK(speed < 1e-3);
    free_revolved(&bowl);
    scene_free(s);
}

TEST(a_bowl_that_is_rocked_by_keys_keeps_cloth_out_of_its_walls)
{
    scene *s = sheet_at(8, 0.5, -0.1);
    prc_mesh bowl = make_bowl(16);
    const prc_pose_key keys[] = {{0.1, {0, 0, 0}, {0, 0, 1}, 0},
                                 {0.2, {0.1, 0, 0}, {0, 0, 1}, 25},
                                 {0.35, {-0.1, 0.1, 0}, {1, 0, 1}, -25},
                                 {0.5, {0, 0, 0}, {0, 0, 1}, 0}};
    s->collider[0].shape = PRC_SHAPE_MESH;
    s->collider[0].mesh = &bowl;
    s->collider[0].resolution = 32;
    s->collider[0].motion.keys = keys;
    s->collider[0].motion.key_count = 4;
    CHECK(scene_start(s));
    for (int k = 0; k < 140; k++)
        CHECK(step_outside(s));
    CHECK(s->report.converged && s->report.cuts == 0); /* what is left of a way at rest, of rounding, is no cut */
    CHECK(s->report.largest_lag < 1e-12);
    CHECK_NEAR(s->sim->contact.colliders[0].now.turn[0][0], 1, 1e-12);
    free_revolved(&bowl);
    scene_free(s);
}

/* --- caught --- */

/* Two blocks meet by their keys with cloth between them, 1 cm farther than there is room, and part again. */
TEST(colliders_that_squeeze_cloth_wait_say_so_and_recover)
{
    scene *s = sheet_at(6, 0.2, 0);
    const prc_pose_key up[] = {{0, {0, 0, 0}, {0, 0, 0}, 0}, {0.1, {0, 0.055, 0}, {0, 1, 0}, 30}, {0.2, {0}, {0}, 0}};
    const prc_pose_key down[] = {{0, {0, 0, 0}, {0, 0, 0}, 0}, {0.1, {0, -0.055, 0}, {0}, 0}, {0.2, {0}, {0}, 0}};
    s->def.collider_count = 2;
    s->def.gravity[1] = 0;
    for (int k = 0; k < 2; k++) {
        s->collider[k].shape = k ? PRC_SHAPE_CYLINDER : PRC_SHAPE_BOX;
        s->collider[k].length = s->collider[k].size[1] = 0.1;
        s->collider[k].center[1] = k ? 0.1 : -0.1;
        s->collider[k].motion.keys = k ? down : up;
        s->collider[k].motion.key_count = 3;
    }
    CHECK(scene_start(s));
    double lag = 0;
    for (int k = 0; k < 55; k++) {
        CHECK(step_outside(s));
        lag = fmax(lag, s->report.largest_lag);
    }
    CHECK(lag > 3e-3);
    CHECK(s->report.largest_lag == 0);
    CHECK_NEAR(s->sim->contact.colliders[0].now.shift[1], -0.1, 1e-12);
    CHECK_NEAR(s->sim->contact.colliders[1].now.shift[1], 0.1, 1e-12);
    scene_free(s);
}

/* --- definitions --- */

static const char *refusal(scene *s)
{
    prc_sim *sim = prc_sim_create(&s->def, &s->error);
    if (sim)
        s->error.message[0] = '\0';
    prc_sim_destroy(sim);
    return s->error.message;
}

TEST(colliders_that_cannot_be_are_refused_with_a_message)
{
    scene *s = sheet_at(2, 0.1, 2);
    prc_mesh bowl = make_bowl(16);
    s->collider[0].shape = PRC_SHAPE_MESH;
    CHECK_TEXT(refusal(s), "colliders[0].mesh: missing");
    s->collider[0].mesh = &bowl;
    bowl.triangle_count--;
    CHECK_TEXT(refusal(s), "colliders[0].mesh: is not closed");
    bowl.triangle_count++;
    s->collider[0].resolution = 2000;
    CHECK_TEXT(refusal(s), "colliders[0].resolution: 2000");
    s->collider[0].resolution = 5000;
    CHECK_TEXT(refusal(s), "colliders[0].resolution: 5000 is not allowed");
    s->collider[0].resolution = 16;
    CHECK_TEXT(refusal(s), "");
    prc_sdf *thin = prc_sdf_build(&bowl, 600, 0, 0, &s->error); /* whose band ends before contact does */
    CHECK(!thin);
    thin = prc_sdf_build(&bowl, 100, 0, 0, &s->error);
    s->collider[0].mesh = NULL;
    s->collider[0].field = thin;
    CHECK_TEXT(refusal(s), "");
    s->def.contact.thickness = 0.1;
    CHECK_TEXT(refusal(s), "larger margin");
    s->collider[0].rotate.degrees = 10;
    s->collider[0].rotate.axis[1] = 0;
    CHECK_TEXT(refusal(s), "colliders[0].rotate.axis");
    prc_sdf_destroy(thin);
    free_revolved(&bowl);
    scene_free(s);
}

TEST_MAIN()
