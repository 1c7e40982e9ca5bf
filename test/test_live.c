/* test_live.c — what may change while a simulation runs: settings, things moved by hand, grabs, another def; and
 * looking into its contacts. On the CPU, and with the code of devices on the host. SPDX-License-Identifier: Apache-2.0
 */
#include "harness.h"

#include "backend/device.h"
#include "contact_scene.h"

/* Runs a claim, a function of the backend, for all of them. */
#define CLAIM(claim)                                                                                                   \
    static void claim(prc_backend_kind kind);                                                                          \
    TEST(cpu_##claim)                                                                                                  \
    {                                                                                                                  \
        claim(PRC_BACKEND_CPU);                                                                                        \
    }                                                                                                                  \
    TEST(device_on_host_##claim)                                                                                       \
    {                                                                                                                  \
        NEED(PRC_BACKEND_DEVICE_ON_HOST);                                                                              \
        claim(PRC_BACKEND_DEVICE_ON_HOST);                                                                             \
    }                                                                                                                  \
    TEST(cuda_##claim)                                                                                                 \
    {                                                                                                                  \
        NEED(PRC_BACKEND_CUDA);                                                                                        \
        claim(PRC_BACKEND_CUDA);                                                                                       \
    }                                                                                                                  \
    static void claim(prc_backend_kind kind)

#define NEED(kind)                                                                                                     \
    do {                                                                                                               \
        prc_device_info info_;                                                                                         \
        prc_error error_;                                                                                              \
        if (prc_device_find((kind), &info_, &error_))                                                                  \
            SKIP(error_.message);                                                                                      \
    } while (0)

static scene *live_scene(prc_backend_kind kind)
{
    scene *s = scene_new();
    s->def.backend = kind;
    return s;
}

static int corner_of(const prc_mesh *mesh, int sx, int sz)
{
    int best = 0;
    for (int i = 1; i < mesh->vertex_count; i++) {
        const double *a = mesh->positions + 3 * i, *b = mesh->positions + 3 * best;
        if (sx * a[0] + sz * a[2] > sx * b[0] + sz * b[2])
            best = i;
    }
    return best;
}

static void place_of(const scene *s, int vertex, double out[3])
{
    memcpy(out, prc_sim_positions(s->sim) + 3 * vertex, 3 * sizeof *out);
}

static double distance_of(const double a[3], const double b[3])
{
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

/* --- settings --- */

CLAIM(changed_gravity_gives_the_free_fall_of_that_gravity_from_then_on)
{
    const double moon[3] = {0.5, -1.62, 0}, h = 4e-3;
    scene *s = live_scene(kind);
    lay_sheet(s, 4, 0.2, 0, 1);
    CHECK(scene_start(s));
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    const double y = mean_of(s, prc_sim_positions(s->sim), 0, 1), v = mean_of(s, prc_sim_velocities(s->sim), 0, 1),
                 x = mean_of(s, prc_sim_positions(s->sim), 0, 0);
    CHECK_NEAR(v, -9.81 * 10 * h, 1e-5);
    CHECK(prc_sim_set_gravity(s->sim, moon, &s->error) == PRC_OK);
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    /* implicit Euler: v_n = v + n h g, x_n = x + n h v + n (n + 1)/2 h² g */
    CHECK_NEAR(mean_of(s, prc_sim_velocities(s->sim), 0, 1), v + 10 * h * moon[1], 1e-5);
    CHECK_NEAR(mean_of(s, prc_sim_positions(s->sim), 0, 1), y + 10 * h * v + 55 * h * h * moon[1], 1e-6);
    CHECK_NEAR(mean_of(s, prc_sim_positions(s->sim), 0, 0), x + 55 * h * h * moon[0], 1e-6);
    CHECK(s->unconverged == 0);
    scene_free(s);
}

CLAIM(a_changed_step_goes_as_far_in_time_and_falls_as_it_should)
{
    const double h = 4e-3, half = 2e-3;
    scene *s = live_scene(kind);
    lay_sheet(s, 4, 0.2, 0, 1);
    CHECK(scene_start(s) && scene_step(s) && scene_step(s));
    const double y = mean_of(s, prc_sim_positions(s->sim), 0, 1);
    CHECK(prc_sim_set_step(s->sim, half, &s->error) == PRC_OK && prc_sim_step_length(s->sim) == half);
    for (int k = 0; k < 5; k++)
        CHECK(scene_step(s));
    CHECK_NEAR(prc_sim_time(s->sim), 2 * h + 5 * half, 1e-12);
    CHECK_NEAR(mean_of(s, prc_sim_positions(s->sim), 0, 1), y - 9.81 * (5 * half * 2 * h + 15 * half * half), 1e-6);
    scene_free(s);
}

TEST(bdf2_stays_of_the_second_order_over_a_change_of_the_step)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.time.integrator = PRC_INTEGRATOR_BDF2;
    s->def.solver.tolerance = 1e-9;
    lay_sheet(s, 3, 0.2, 0, 0);
    CHECK(scene_start(s));
    double errors[2];
    for (int fine = 0; fine < 2; fine++) { /* a fall, with the step halved on the way */
        const double h = fine ? 1e-3 : 2e-3;
        CHECK(prc_sim_set_state(s->sim, s->mesh[0].positions, NULL, &s->error) == PRC_OK);
        prc_sim_destroy(s->sim);
        s->def.time.step = h;
        CHECK(scene_start(s));
        for (int k = 0; k < (fine ? 100 : 50); k++)
            CHECK(scene_step(s));
        CHECK(prc_sim_set_step(s->sim, h / 2, &s->error) == PRC_OK);
        for (int k = 0; k < (fine ? 200 : 100); k++)
            CHECK(scene_step(s));
        errors[fine] = fabs(mean_of(s, prc_sim_positions(s->sim), 0, 1) + 0.5 * 9.81 * 0.2 * 0.2);
    }
    CHECK(errors[0] < 5e-5 && errors[1] < 0.3 * errors[0]);
    scene_free(s);
}

CLAIM(wind_that_is_turned_on_carries_cloth_along)
{
    const double wind[3] = {0, 0, 3}, none[3] = {0, 0, 0};
    scene *s = live_scene(kind);
    s->def.gravity[1] = 0;
    s->def.air.density = 1.2;
    s->def.air.drag = 1;
    add_sheet(s, 4, 0.2, along_x, 90, 0, 0, 0); /* upright, facing z */
    CHECK(scene_start(s));
    for (int k = 0; k < 3; k++)
        CHECK(scene_step(s));
    CHECK_NEAR(mean_of(s, prc_sim_velocities(s->sim), 0, 2), 0, 1e-6);
    CHECK(prc_sim_set_wind(s->sim, wind, &s->error) == PRC_OK && prc_sim_air(s->sim).wind[2] == 3);
    for (int k = 0; k < 50; k++)
        CHECK(scene_step(s));
    const double blown = mean_of(s, prc_sim_velocities(s->sim), 0, 2);
    CHECK(blown > 1 && blown < 3);
    CHECK(prc_sim_set_wind(s->sim, none, &s->error) == PRC_OK);
    for (int k = 0; k < 20; k++)
        CHECK(scene_step(s));
    CHECK(mean_of(s, prc_sim_velocities(s->sim), 0, 2) < 0.8 * blown);
    scene_free(s);
}

/* A sheet that lies on a plane under gravity at 15 degrees: tan 15° = 0.268. */
static scene *slope(prc_backend_kind kind, double friction)
{
    scene *s = live_scene(kind);
    add_plane(s, 0);
    lay_sheet(s, 5, 0.2, 0, 1.8e-3);
    s->def.gravity[0] = 9.81 * sin(15 * acos(-1.0) / 180);
    s->def.gravity[1] = -9.81 * cos(15 * acos(-1.0) / 180);
    s->def.contact.friction = friction;
    return s;
}

CLAIM(less_friction_lets_a_sheet_slide_that_was_held)
{
    const double angle = 15 * acos(-1.0) / 180, mu = 0.1;
    scene *s = slope(kind, 0.6);
    CHECK(scene_start(s));
    for (int k = 0; k < 60; k++)
        CHECK(scene_step(s));
    CHECK(mean_of(s, prc_sim_velocities(s->sim), 0, 0) < 2e-3);
    CHECK(prc_sim_set_friction(s->sim, -1, mu, &s->error) == PRC_OK && prc_sim_friction(s->sim, 0) == mu);
    const double from = prc_sim_time(s->sim), v = mean_of(s, prc_sim_velocities(s->sim), 0, 0);
    for (int k = 0; k < 30; k++)
        CHECK(scene_step(s) && scene_safe(s));
    const double gained = (mean_of(s, prc_sim_velocities(s->sim), 0, 0) - v) / (prc_sim_time(s->sim) - from);
    CHECK_NEAR(gained, 9.81 * (sin(angle) - mu * cos(angle)), 0.05 * gained);
    /* … and that of the collider alone counts where it has one */
    CHECK(prc_sim_set_collider_friction(s->sim, 0, 0, &s->error) == PRC_OK);
    const double w = mean_of(s, prc_sim_velocities(s->sim), 0, 0), then = prc_sim_time(s->sim);
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    CHECK_NEAR((mean_of(s, prc_sim_velocities(s->sim), 0, 0) - w) / (prc_sim_time(s->sim) - then), 9.81 * sin(angle),
               0.02 * 9.81 * sin(angle));
    scene_free(s);
}

TEST(settings_that_make_no_sense_are_refused_and_change_nothing)
{
    const double bad[3] = {0, NAN, 0};
    scene *s = slope(PRC_BACKEND_CPU, 0.5);
    CHECK(scene_start(s));
    prc_air_def air = prc_sim_air(s->sim);
    double gravity[3];
    air.density = -1;
    CHECK(prc_sim_set_gravity(s->sim, bad, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_wind(s->sim, bad, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_air(s->sim, &air, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_step(s->sim, 0, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_friction(s->sim, 0, -0.5, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_friction(s->sim, 7, 0.5, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_collider_friction(s->sim, 1, 0.5, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_move_collider(s->sim, -1, NULL, &s->error) == PRC_ERROR_INPUT);
    CHECK(prc_sim_move_obstacle(s->sim, 0, NULL, &s->error) == PRC_ERROR_INPUT);
    prc_pose_key pose = {.degrees = 10};
    CHECK(prc_sim_move_collider(s->sim, 0, &pose, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "axis"));
    prc_sim_gravity(s->sim, gravity);
    CHECK(gravity[1] == s->def.gravity[1] && prc_sim_step_length(s->sim) == s->def.time.step);
    CHECK(prc_sim_friction(s->sim, 0) == 0.5 && prc_sim_air(s->sim).density >= 0);
    CHECK(scene_run_safely(s, 2));
    scene_free(s);
}

/* --- by hand --- */

CLAIM(a_collider_moved_by_hand_pushes_cloth_along_and_never_enters_it)
{
    prc_pose_key pose = {.axis = {0, 1, 0}};
    double turn[9], shift[3];
    scene *s = live_scene(kind);
    add_collider(s, PRC_SHAPE_SPHERE)->radius = 0.05;
    s->collider[0].center[0] = -0.1;
    add_sheet(s, 8, 0.3, along_x, 90, 0, 0, 0);
    prc_mesh_transform(&s->mesh[0], along_y, 90, 1, (const double[3]){0, 0, 0}); /* facing x */
    add_pin(s, 0, 0.149);
    CHECK(scene_start(s));
    for (int k = 0; k < 40; k++) {
        pose.translate[0] = fmin(0.005 * (k + 1), 0.15);
        pose.degrees = 2 * k;
        CHECK(prc_sim_move_collider(s->sim, 0, &pose, &s->error) == PRC_OK);
        CHECK(scene_run_safely(s, 1));
    }
    prc_sim_collider_pose(s->sim, 0, turn, shift);
    CHECK_NEAR(turn[0] * -0.1 + shift[0], 0.05, 0.02); /* the middle: it may lag */
    CHECK(mean_of(s, prc_sim_positions(s->sim), 0, 0) > 0.02);
    CHECK(prc_sim_move_collider(s->sim, 0, NULL, &s->error) == PRC_OK); /* back to where the def has it */
    CHECK(scene_run_safely(s, 2));
    prc_sim_collider_pose(s->sim, 0, turn, shift);
    CHECK_NEAR(shift[0], 0, 1e-12);
    scene_free(s);
}

TEST(a_collider_that_is_pressed_on_pinched_cloth_waits_and_tells)
{
    prc_pose_key pose = {.translate = {0, -0.05, 0}};
    scene *s = scene_new();
    add_plane(s, 0);
    lay_sheet(s, 6, 0.2, 0, 1.8e-3);
    add_collider(s, PRC_SHAPE_BOX)->center[1] = 0.03;
    s->collider[1].size[0] = s->collider[1].size[2] = 0.1;
    s->collider[1].size[1] = 0.04;
    CHECK(scene_start(s));
    CHECK(prc_sim_move_collider(s->sim, 1, &pose, &s->error) == PRC_OK);
    CHECK(scene_run_safely(s, 5));
    CHECK(s->report.largest_lag > 0.03 && s->report.lag_collider == 1);
    scene_free(s);
}

/* --- grabs --- */

CLAIM(a_dragged_corner_comes_to_its_target_and_nothing_crosses)
{
    scene *s = live_scene(kind);
    add_plane(s, 0);
    lay_sheet(s, 8, 0.2, 0, 2.2e-3);
    s->def.contact.friction = 0.3;
    CHECK(scene_start(s));
    const int corner = corner_of(&s->mesh[0], 1, 1), other = corner_of(&s->mesh[0], -1, -1);
    double at[3], away[3], now[3], force;
    place_of(s, corner, at);
    place_of(s, other, away);
    prc_grab_def grab = prc_grab_def_default();
    int held = -1;
    grab.vertex[0] = corner;
    memcpy(grab.target, at, sizeof at);
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK && held == 0);
    for (int k = 0; k < 60; k++) { /* up, and over to the opposite corner: folds the sheet on itself */
        const double t = fmin(1, (k + 1) / 50.0), lift = 0.06 * sin(acos(-1.0) * t) + 0.008;
        double target[3];
        for (int c = 0; c < 3; c++)
            target[c] = at[c] + 0.7 * t * (away[c] - at[c]) + (c == 1 ? lift : 0);
        CHECK(prc_sim_grab_move(s->sim, held, target, &s->error) == PRC_OK);
        CHECK(scene_run_safely(s, 1));
        if (k == 59) {
            CHECK(prc_sim_grab_read(s->sim, held, now, &force));
            CHECK(distance_of(now, target) < 2e-3 && force > 0);
        }
    }
    place_of(s, corner, away);
    CHECK(distance_of(now, away) < 1e-12);
    prc_sim_grab_end(s->sim, held);
    prc_sim_grab_end(s->sim, held); /* once more does nothing */
    CHECK(!prc_sim_grab_read(s->sim, held, now, &force));
    CHECK(prc_sim_grab_move(s->sim, held, at, &s->error) == PRC_ERROR_INPUT);
    CHECK(scene_run_safely(s, 20));
    place_of(s, corner, now);
    CHECK(distance_of(now, away) > 5e-3); /* it is free */
    scene_free(s);
}

CLAIM(cloth_that_is_dragged_through_a_wall_and_other_cloth_stays_in_front_of_them)
{
    scene *s = live_scene(kind);
    s->def.gravity[1] = 0;
    prc_collider_def *wall = add_collider(s, PRC_SHAPE_PLANE); /* collider where x > 0.1 */
    wall->center[0] = 0.1;
    wall->axis[0] = -1;
    wall->axis[1] = wall->axis[2] = 0;
    for (int k = 0; k < 2; k++) {
        add_sheet(s, 7, 0.2, along_x, 90, 0, 0, 0);
        prc_mesh_transform(&s->mesh[k], along_y, 90, 1, (const double[3]){k ? 0.03 : -0.02, k ? 0.004 : 0, 0.003 * k});
    }
    CHECK(scene_start(s));
    prc_grab_def grab = prc_grab_def_default(); /* in the middle of the first, to far behind both */
    const int *corner = s->mesh[0].triangles + 3 * (s->mesh[0].triangle_count / 2);
    int held;
    for (int p = 0; p < 3; p++) {
        grab.vertex[p] = corner[p];
        grab.weight[p] = 1.0 / 3;
    }
    grab.target[0] = 0.5;
    grab.limit = 2;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK);
    double force = 0, furthest = 0;
    for (int k = 0; k < 60; k++) {
        CHECK(scene_run_safely(s, 1));
        CHECK(prc_sim_grab_read(s->sim, held, NULL, &force) && force <= 2 + 1e-9);
    }
    const double *x = prc_sim_positions(s->sim);
    for (int i = 0; i < prc_sim_vertex_count(s->sim); i++)
        furthest = fmax(furthest, x[3 * i]);
    CHECK(furthest < 0.1 - KEPT * 1.5e-3 && furthest > 0.09);
    CHECK(force > 1.99); /* it pulls as hard as it may */
    scene_free(s);
}

TEST(a_grab_with_a_limit_pulls_a_free_sheet_with_just_that_force)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.gravity[1] = 0;
    s->def.solver.tolerance = 1e-8;
    lay_sheet(s, 4, 0.2, 0, 0);
    CHECK(scene_start(s));
    prc_grab_def grab = prc_grab_def_default();
    int held;
    grab.vertex[0] = 12;
    grab.target[1] = 100;
    grab.limit = 0.03;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK);
    double mass = 0;
    for (int k = 0; k < 25; k++) {
        CHECK(scene_step(s));
        mass += prc_sim_masses(s->sim)[k];
    }
    CHECK_NEAR(s->report.momentum[1], 25 * 4e-3 * 0.03, 1e-6);
    CHECK_NEAR(mass, 0.04 * 0.2, 1e-9);
    scene_free(s);
}

TEST(grabs_that_make_no_sense_are_refused)
{
    scene *s = scene_new();
    lay_sheet(s, 4, 0.2, 0, 0);
    CHECK(scene_start(s));
    int held;
    const prc_grab_def good = prc_grab_def_default();
    prc_grab_def grab = good;
    grab.body = 1;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "grab.body"));
    grab = good;
    grab.vertex[0] = 25;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "grab.vertex"));
    grab = good;
    grab.weight[0] = 0.5;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "grab.weight"));
    grab.weight[1] = 0.5;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "twice"));
    grab = good;
    grab.target[2] = INFINITY;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_ERROR_INPUT);
    for (int k = 0; k < PRC_GRABS; k++)
        CHECK(prc_sim_grab(s->sim, &good, &held, &s->error) == PRC_OK && held == k);
    CHECK(prc_sim_grab(s->sim, &good, &held, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "end one"));
    prc_sim_grab_end(s->sim, 3);
    CHECK(prc_sim_grab(s->sim, &good, &held, &s->error) == PRC_OK && held == 3);
    CHECK(scene_step(s));
    scene_free(s);
}

/* A grabbed, pushed, blown and slowed sheet: everything at once. */
static bool busy_life(scene *s, int threads)
{
    const double wind[3] = {0.5, 0, 1}, gravity[3] = {0, -5, 0};
    prc_grab_def grab = prc_grab_def_default();
    prc_pose_key pose = {.translate = {0, 0.01, 0}};
    int held;
    s->def.threads = threads;
    add_collider(s, PRC_SHAPE_SPHERE)->radius = 0.05;
    lay_sheet(s, 10, 0.2, 20, 0.053);
    scene_hurry(s, 20);
    s->def.contact.friction = 0.4;
    s->def.air.density = 1.2;
    s->def.air.drag = 1;
    if (!scene_start(s))
        return false;
    for (int k = 0; k < 30; k++) {
        grab.target[0] = 0.1 + 0.002 * k;
        grab.target[1] = 0.05 + 0.001 * k;
        bool ok = true;
        if (k == 3)
            ok = prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK;
        if (k > 3)
            ok = prc_sim_grab_move(s->sim, held, grab.target, &s->error) == PRC_OK;
        if (k == 8)
            ok = prc_sim_set_wind(s->sim, wind, &s->error) == PRC_OK;
        if (k == 12)
            ok = prc_sim_set_gravity(s->sim, gravity, &s->error) == PRC_OK;
        if (k == 16)
            ok = prc_sim_set_step(s->sim, 3e-3, &s->error) == PRC_OK;
        if (k == 20)
            ok = prc_sim_move_collider(s->sim, 0, &pose, &s->error) == PRC_OK;
        if (!ok || !scene_run_safely(s, 1))
            return false;
    }
    return true;
}

TEST(a_life_full_of_changes_has_the_same_bits_on_one_and_two_threads)
{
    scene *s[2];
    for (int k = 0; k < 2; k++) {
        s[k] = scene_new();
        CHECK(busy_life(s[k], k + 1));
    }
    const size_t bytes = 3 * sizeof(double) * (size_t)prc_sim_vertex_count(s[0]->sim);
    CHECK(memcmp(prc_sim_positions(s[0]->sim), prc_sim_positions(s[1]->sim), bytes) == 0);
    CHECK(memcmp(prc_sim_velocities(s[0]->sim), prc_sim_velocities(s[1]->sim), bytes) == 0);
    scene_free(s[0]);
    scene_free(s[1]);
}

/* --- another def --- */

CLAIM(a_remade_simulation_goes_on_from_where_it_was_with_the_new_material)
{
    scene *s = live_scene(kind);
    add_sheet(s, 6, 0.2, along_x, 90, 0, 0, 0);
    add_pin(s, 0, 0.099);
    s->body[0].material.stretch = 5;
    s->body[0].material.mass_damping = 10;
    CHECK(scene_start(s));
    for (int k = 0; k < 200; k++)
        CHECK(scene_step(s));
    prc_grab_def grab = prc_grab_def_default();
    int held;
    grab.stiffness = 1e-3;
    CHECK(prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK);
    const double soft = mean_of(s, prc_sim_positions(s->sim), 0, 1), time = prc_sim_time(s->sim);
    s->body[0].material.stretch = 50;
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK);
    CHECK(prc_sim_time(s->sim) == time && mean_of(s, prc_sim_positions(s->sim), 0, 1) == soft);
    CHECK(prc_sim_grab_read(s->sim, held, NULL, NULL));
    prc_sim_grab_end(s->sim, held);
    for (int k = 0; k < 200; k++)
        CHECK(scene_step(s));
    /* it sags a tenth as far */
    const double stiff = mean_of(s, prc_sim_positions(s->sim), 0, 1);
    CHECK(soft < -1e-3 && stiff < 0);
    CHECK_NEAR(stiff / soft, 0.1, 0.02);
    scene_free(s);
}

TEST(a_remake_that_fails_leaves_the_simulation_as_it_was)
{
    scene *s = scene_new();
    lay_sheet(s, 4, 0.2, 0, 0);
    lay_sheet(s, 4, 0.2, 0, 0.004);
    CHECK(scene_start(s) && scene_step(s));
    prc_sim *before = s->sim;
    s->body[0].material.density = -1;
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_ERROR_INPUT && s->sim == before);
    s->body[0].material.density = 0.2;
    s->def.contact.thickness = 0.006; /* more than there is room for */
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_ERROR_INPUT && s->sim == before);
    s->def.contact.thickness = 0.003;
    s->def.body_count = 1;
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_ERROR_INPUT && s->sim == before);
    CHECK(strstr(s->error.message, "meshes"));
    s->def.body_count = 2;
    CHECK(scene_run_safely(s, 2));
    scene_free(s);
}

/* What is inside a collider of another size is a bad start. */
CLAIM(a_remake_with_a_larger_collider_is_treated_as_a_start)
{
    for (int shape = 0; shape < 5; shape++) {
        scene *s = live_scene(kind);
        prc_collider_def *c =
            add_collider(s, (const prc_shape_kind[]){PRC_SHAPE_SPHERE, PRC_SHAPE_CAPSULE, PRC_SHAPE_CYLINDER,
                                                     PRC_SHAPE_CONE, PRC_SHAPE_BOX}[shape]);
        c->radius = c->radius_top = 0.05;
        c->length = 0.1;
        c->size[0] = c->size[1] = c->size[2] = 0.1;
        c->axis[0] = c->axis[1] = 0;
        c->axis[2] = 1;
        c->center[1] = -0.053;
        lay_sheet(s, 8, 0.3, 0, 0);
        add_pin(s, 0, -1);
        CHECK(scene_start(s) && scene_step(s));
        prc_sim *before = s->sim;
        c->radius = c->radius_top = 0.07;
        c->size[1] = 0.14;
        CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_ERROR_INPUT && s->sim == before);
        CHECK(strstr(s->error.message, "start"));
        c->radius = c->radius_top = 0.04;
        c->size[1] = 0.08;
        CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK && scene_run_safely(s, 2));
        scene_free(s);
    }
}

TEST(settings_that_overflow_leave_no_trace_once_they_are_back)
{
    scene *s = scene_new();
    add_plane(s, 0);
    lay_sheet(s, 6, 0.2, 0, 0.002);
    CHECK(scene_start(s) && scene_run_safely(s, 3));
    const double much[3] = {0, -1e160, 0}, usual[3] = {0, -9.81, 0};
    CHECK(prc_sim_set_gravity(s->sim, much, &s->error) == PRC_OK);
    CHECK(prc_sim_set_gravity(s->sim, usual, &s->error) == PRC_OK);
    CHECK(prc_sim_set_step(s->sim, 1e-200, &s->error) == PRC_OK);
    CHECK(prc_sim_set_step(s->sim, 4e-3, &s->error) == PRC_OK);
    CHECK(scene_run_safely(s, 3) && s->unconverged == 0);
    scene_free(s);
}

/* --- contacts --- */

CLAIM(contacts_carry_the_weight_of_what_lies_on_them)
{
    const prc_contact_point *points;
    int count;
    double up = 0, along = 0;
    scene *s = slope(kind, 0.6);
    s->body[0].material.mass_damping = 5;
    CHECK(scene_start(s));
    for (int k = 0; k < 150; k++)
        CHECK(scene_step(s));
    CHECK(prc_sim_contacts(s->sim, &points, &count, &s->error) == PRC_OK && count >= 36);
    CHECK(count == s->report.active_contacts);
    const double *x = prc_sim_positions(s->sim), weight = 0.04 * 0.2;
    for (int k = 0; k < count; k++) {
        const prc_contact_point *p = &points[k];
        CHECK(p->collider == 0 && p->body[0] == 0 && p->body[1] == -1 && p->a_count == 1 && p->b_count == 0);
        CHECK(p->normal[1] > 0.999 && p->gap > 0);
        CHECK_NEAR(p->point[1], x[3 * p->vertices[0] + 1], 1e-12);
        CHECK_NEAR(p->gap, p->point[1] - 1.5e-3, 1e-12);
        up += p->force[1];
        along += p->force[0];
    }
    CHECK_NEAR(up, -s->def.gravity[1] * weight, 0.02 * up);
    CHECK_NEAR(along, -s->def.gravity[0] * weight, 0.05 * up);
    scene_free(s);
}

CLAIM(looking_at_contacts_and_bounds_changes_no_bit_of_what_follows)
{
    scene *s[2];
    for (int k = 0; k < 2; k++) {
        s[k] = live_scene(kind);
        s[k]->def.contact.friction = 0.3;
        add_plane(s[k], 0);
        for (int b = 0; b < 2; b++)
            lay_sheet(s[k], 6, 0.2, 25 * b, 0.003 + 0.005 * b)->velocity[1] = -0.5;
        CHECK(scene_start(s[k]));
    }
    for (int step = 0; step < 25; step++) {
        const prc_contact_point *points;
        int count;
        CHECK(prc_sim_contacts(s[1]->sim, &points, &count, &s[1]->error) == PRC_OK);
        CHECK(prc_sim_safe_bounds(s[1]->sim));
        CHECK(scene_step(s[0]) && scene_step(s[1]));
        CHECK(s[0]->report.iterations == s[1]->report.iterations && s[0]->report.detections == s[1]->report.detections);
    }
    CHECK(s[0]->report.active_contacts > 0);
    CHECK(memcmp(prc_sim_positions(s[0]->sim), prc_sim_positions(s[1]->sim),
                 3 * sizeof(double) * (size_t)prc_sim_vertex_count(s[0]->sim)) == 0);
    scene_free(s[0]);
    scene_free(s[1]);
}

TEST(any_move_within_the_safe_bounds_is_safe)
{
    scene *s = scene_new();
    add_plane(s, 0);
    for (int b = 0; b < 3; b++)
        lay_sheet(s, 6, 0.2, 25 * b, 0.003 + 0.005 * b)->velocity[1] = -0.5;
    CHECK(scene_start(s));
    uint64_t seed = 1;
    for (int step = 0; step < 20; step++) {
        CHECK(scene_step(s));
        const int count = prc_sim_vertex_count(s->sim);
        double *moved = malloc(3 * sizeof *moved * (size_t)count), *bounds = malloc(sizeof *bounds * (size_t)count);
        memcpy(bounds, prc_sim_safe_bounds(s->sim), sizeof *bounds * (size_t)count);
        memcpy(moved, prc_sim_positions(s->sim), 3 * sizeof *moved * (size_t)count);
        double least = INFINITY;
        for (int i = 0; i < count; i++) {
            double d[3];
            for (int c = 0; c < 3; c++) {
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                d[c] = (double)(seed >> 33) / 1073741824.0 - 1;
            }
            const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            least = fmin(least, bounds[i]);
            for (int c = 0; c < 3; c++)
                moved[3 * i + c] += 0.999 * bounds[i] * d[c] / length;
        }
        prc_check_options options = prc_check_options_default();
        prc_check_result found;
        CHECK(prc_check_surfaces(moved, count, s->triangles, s->triangle_count, &options, &found, &s->error) == PRC_OK);
        const long long crossings = found.crossings;
        prc_check_result_release(&found);
        free(moved);
        free(bounds);
        CHECK(crossings == 0 && least > 0 && least < 1e-2);
    }
    scene_free(s);
}

TEST(without_contact_there_are_no_contacts_and_no_bounds)
{
    const prc_contact_point *points;
    int count = 7;
    scene *s = scene_new();
    s->def.contact.enabled = false;
    lay_sheet(s, 3, 0.2, 0, 0);
    CHECK(scene_start(s));
    CHECK(prc_sim_contacts(s->sim, &points, &count, &s->error) == PRC_OK && count == 0);
    CHECK(prc_sim_safe_bounds(s->sim)[0] == INFINITY);
    CHECK(prc_sim_set_friction(s->sim, -1, 0.3, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "contact"));
    CHECK(prc_sim_collider_count(s->sim) == 0 && prc_sim_friction(s->sim, 0) == 0);
    scene_free(s);
}

TEST(null_is_refused_and_changes_nothing)
{
    scene *s = scene_new();
    int grab = 0, count;
    double numbers[3] = {0, 0, 0}, *energy = NULL;
    prc_error e;
    lay_sheet(s, 3, 0.3, 0, 0.1);
    CHECK(scene_start(s));
    prc_grab_def def = prc_grab_def_default();
    CHECK(prc_sim_set_gravity(s->sim, NULL, &e) == PRC_ERROR_INPUT);
    CHECK_TEXT(e.message, "gravity: is NULL; nothing was changed");
    CHECK(prc_sim_set_gravity(s->sim, NULL, NULL) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_air(s->sim, NULL, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_set_wind(s->sim, NULL, &e) == PRC_ERROR_INPUT);
    CHECK_TEXT(e.message, "air.wind: is NULL");
    CHECK(prc_sim_grab(s->sim, NULL, &grab, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_grab(s->sim, &def, NULL, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_grab(s->sim, &def, &grab, &e) == PRC_OK);
    CHECK(prc_sim_grab_move(s->sim, grab, NULL, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_remake(&s->sim, NULL, &e) == PRC_ERROR_INPUT && s->sim);
    CHECK(prc_sim_remake(NULL, &s->def, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_restore(s->sim, NULL, 100, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_contacts(s->sim, NULL, &count, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_elastic(s->sim, NULL, energy, NULL, &e) == PRC_ERROR_INPUT);
    CHECK(prc_sim_elastic_product(s->sim, numbers, NULL, numbers, &e) == PRC_ERROR_INPUT);
    CHECK(prc_start_examine(NULL, NULL, &e) == PRC_ERROR_INPUT);
    CHECK(!prc_sim_create(NULL, &e));
    CHECK(prc_sim_friction(s->sim, -1) == 0 && prc_sim_friction(s->sim, 99) == 0);
    prc_sim_gravity(s->sim, numbers);
    CHECK(numbers[1] < -9 && prc_sim_step(s->sim, NULL, &e) == PRC_OK);
    scene_free(s);
}

TEST_MAIN()
