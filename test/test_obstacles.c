/* test/test_obstacles.c — surfaces, needles and points that move as told: cloth rests on them, is carried and pinched
 * by them, and never passes. Every state is judged by src/check, which shares no code with the solver.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <percale/percale.h>

#include "base/memory.h"
#include "check/check.h"

#include <stdlib.h>

/* --- scenes: one sheet, some obstacles --- */

#define MOST_OBSTACLES 3

typedef struct scene {
    prc_mesh sheet, shape[MOST_OBSTACLES];
    prc_body_def body;
    prc_obstacle_def obstacle[MOST_OBSTACLES];
    prc_sim_def def;
    prc_sim *sim;
    prc_step_report report;
    prc_error error;
    int *shapes, shape_count; /* everything, as the checker takes it */
    bool *fixed;
} scene;

/* A square in the x–z plane at a height, turned a little about the vertical: no vertex lies over another. */
static void lay(prc_mesh *mesh, double size, int cells, double height, double turn)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = size;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_ALTERNATING;
    prc_mesh_grid(mesh, &grid, NULL);
    prc_mesh_transform(mesh, (double[3]){1, 0, 0}, -90, 1, (double[3]){0, height, 0});
    prc_mesh_transform(mesh, (double[3]){0, 1, 0}, turn, 1, (double[3]){0.003, 0, 0.002});
}

static scene *scene_new(double size, int cells, double height)
{
    scene *s = calloc(1, sizeof *s);
    lay(&s->sheet, size, cells, height, 7);
    s->body = prc_body_def_default();
    s->body.mesh = &s->sheet;
    s->def = prc_sim_def_default();
    s->def.bodies = &s->body;
    s->def.body_count = 1;
    s->def.obstacles = s->obstacle;
    s->def.threads = 1;
    s->def.time.step = 4e-3;
    s->def.contact.enabled = true;
    s->def.contact.thickness = 2e-3;
    return s;
}

static prc_obstacle_def *add_obstacle(scene *s)
{
    const int k = s->def.obstacle_count++;
    s->obstacle[k] = prc_obstacle_def_default();
    s->obstacle[k].mesh = &s->shape[k];
    return &s->obstacle[k];
}

static prc_obstacle_def *add_plate(scene *s, double size, int cells, double height)
{
    lay(&s->shape[s->def.obstacle_count], size, cells, height, 0);
    return add_obstacle(s);
}

/* Points that are no part of anything; `positions` stay the caller's. */
static prc_obstacle_def *add_points(scene *s, double *positions, int count)
{
    s->shape[s->def.obstacle_count] = (prc_mesh){.vertex_count = count, .positions = positions};
    return add_obstacle(s);
}

static void list_shape(scene *s, int a, int b, int c)
{
    int *to = s->shapes + 3 * (size_t)s->shape_count++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static bool scene_start(scene *s)
{
    s->sim = prc_sim_create(&s->def, &s->error);
    if (!s->sim)
        return false;
    int count = s->sheet.triangle_count;
    for (int o = 0; o < s->def.obstacle_count; o++)
        count += s->shape[o].triangle_count + s->obstacle[o].segment_count + s->shape[o].vertex_count;
    s->shapes = malloc(sizeof(int) * 3 * (size_t)count);
    s->fixed = calloc((size_t)prc_sim_vertex_count(s->sim), sizeof *s->fixed);
    for (int t = 0; t < s->sheet.triangle_count; t++)
        list_shape(s, s->sheet.triangles[3 * t], s->sheet.triangles[3 * t + 1], s->sheet.triangles[3 * t + 2]);
    for (int o = 0; o < s->def.obstacle_count; o++) {
        const int first = prc_sim_body_first_vertex(s->sim, 1 + o), *t = s->shape[o].triangles;
        const int *e = s->obstacle[o].segments;
        for (int k = 0; k < s->shape[o].triangle_count; k++, t += 3)
            list_shape(s, first + t[0], first + t[1], first + t[2]);
        for (int k = 0; k < s->obstacle[o].segment_count; k++, e += 2)
            list_shape(s, first + e[0], first + e[1], first + e[1]);
        for (int i = 0; i < s->shape[o].vertex_count; i++) {
            s->fixed[first + i] = true;
            list_shape(s, first + i, first + i, first + i);
        }
    }
    return true;
}

static void scene_free(scene *s)
{
    prc_sim_destroy(s->sim);
    prc_mesh_release(&s->sheet);
    for (int o = 0; o < MOST_OBSTACLES; o++)
        if (s->shape[o].triangle_count)
            prc_mesh_release(&s->shape[o]);
    free(s->shapes);
    free(s->fixed);
    free(s);
}

static bool scene_step(scene *s)
{
    return prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK;
}

/* By the independent checker; −1 when it fails. */
static long long crossings_now(scene *s)
{
    prc_check_options options = prc_check_options_default();
    prc_check_result found;
    options.obstacle = s->fixed;
    options.skip_distances = true;
    prc_result result = prc_check_surfaces(prc_sim_positions(s->sim), prc_sim_vertex_count(s->sim), s->shapes,
                                           s->shape_count, &options, &found, &s->error);
    const long long crossings = result == PRC_OK ? found.crossings : -1;
    prc_check_result_release(&found);
    return crossings;
}

static bool scene_safe(scene *s)
{
    return crossings_now(s) == 0;
}

static bool run_safely(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!scene_step(s) || !scene_safe(s))
            return false;
    return true;
}

static void mean_velocity(scene *s, double mean[3])
{
    const double *v = prc_sim_velocities(s->sim);
    const int n = s->sheet.vertex_count;
    memset(mean, 0, 3 * sizeof *mean);
    for (int i = 0; i < 3 * n; i++)
        mean[i % 3] += v[i] / n;
}

/* The lowest point of the sheet within a distance of a vertical line. */
static double lowest_near(scene *s, double x, double z, double distance)
{
    const double *p = prc_sim_positions(s->sim);
    double lowest = INFINITY;
    for (int i = 0; i < s->sheet.vertex_count; i++, p += 3)
        if (hypot(p[0] - x, p[2] - z) < distance)
            lowest = fmin(lowest, p[1]);
    return lowest;
}

/* --- resting and being carried --- */

TEST(cloth_rests_on_an_obstacle_as_on_a_body_that_is_pinned_for_good)
{
    scene *a = scene_new(0.2, 8, 0.006), *b = scene_new(0.2, 8, 0.006);
    a->def.solver.tolerance = b->def.solver.tolerance = 1e-6; /* they take different ways to the same end */
    add_plate(a, 0.4, 5, 0);
    prc_mesh floor;
    lay(&floor, 0.4, 5, 0, 0);
    prc_body_def bodies[2] = {b->body, b->body};
    bodies[1].mesh = &floor;
    int all[36];
    for (int i = 0; i < 36; i++)
        all[i] = i;
    prc_pin_def pin = prc_pin_def_default();
    pin.body = 1;
    pin.vertices = all;
    pin.vertex_count = floor.vertex_count;
    b->def.bodies = bodies;
    b->def.body_count = 2;
    b->def.pins = &pin;
    b->def.pin_count = 1;
    CHECK(floor.vertex_count == 36 && scene_start(a));
    b->sim = prc_sim_create(&b->def, &b->error);
    CHECK(b->sim != NULL);
    for (int k = 0; k < 50; k++) {
        CHECK(scene_step(a) && scene_safe(a));
        CHECK(prc_sim_step(b->sim, NULL, NULL) == PRC_OK);
    }
    const double *x = prc_sim_positions(a->sim), *y = prc_sim_positions(b->sim);
    for (int i = 0; i < 3 * a->sheet.vertex_count; i++)
        CHECK_NEAR(x[i], y[i], 2e-5);
    CHECK(a->report.active_contacts > 0 && x[1] > 1.6e-3 && x[1] < 3e-3);
    prc_mesh_release(&floor);
    scene_free(a);
    scene_free(b);
}

TEST(points_carry_a_sheet)
{
    double points[48];
    for (int k = 0; k < 16; k++) {
        points[3 * k] = 0.06 * (k % 4) - 0.09;
        points[3 * k + 1] = 0;
        points[3 * k + 2] = 0.06 * floor(k / 4.0) - 0.09;
    }
    scene *s = scene_new(0.24, 12, 0.01);
    s->body.material.bending = 1e-4;
    add_points(s, points, 16);
    CHECK(scene_start(s));
    CHECK(run_safely(s, 75)); /* 0.3 s: 0.44 m of free fall */
    double v[3];
    mean_velocity(s, v);
    CHECK(fabs(v[1]) < 0.1);
    for (int k = 0; k < 16; k++)
        CHECK(lowest_near(s, points[3 * k], points[3 * k + 2], 0.02) > -0.02);
    scene_free(s);
}

/* Mean angular velocity of the sheet about the vertical through the origin. */
static double turning(scene *s)
{
    const double *x = prc_sim_positions(s->sim), *v = prc_sim_velocities(s->sim);
    double moment = 0, inertia = 0;
    for (int i = 0; i < s->sheet.vertex_count; i++, x += 3, v += 3) {
        moment += x[2] * v[0] - x[0] * v[2];
        inertia += x[0] * x[0] + x[2] * x[2];
    }
    return moment / inertia;
}

TEST(an_obstacle_that_moves_carries_cloth_along_by_friction)
{
    for (int turns = 0; turns < 2; turns++)
        for (int sticky = 0; sticky < 2; sticky++) {
            scene *s = scene_new(0.15, 6, 3e-3);
            prc_obstacle_def *plate = add_plate(s, 0.5, 4, 0);
            s->def.contact.friction = sticky ? 0.6 : 0;
            if (turns)
                plate->motion.degrees_per_second = 90;
            else
                plate->motion.velocity[0] = 0.3;
            CHECK(scene_start(s) && run_safely(s, 60));
            double v[3];
            mean_velocity(s, v);
            const double moved = turns ? turning(s) / 1.5707963 : v[0] / 0.3;
            CHECK_NEAR(moved, sticky, 0.05);
            scene_free(s);
        }
}

TEST(cloth_gets_out_of_the_way_of_an_obstacle_without_making_it_wait)
{
    /* The plate comes at 3 m/s, 12 mm per step: a dozen thicknesses of what the barrier reaches over. */
    scene *s = scene_new(0.2, 12, 0.01);
    add_plate(s, 0.3, 8, 0)->motion.velocity[1] = 3;
    CHECK(scene_start(s));
    int most = 0;
    double waited = 0;
    for (int k = 0; k < 12; k++) {
        CHECK(scene_step(s) && scene_safe(s) && s->report.converged && s->report.retries == 0);
        most = s->report.iterations > most ? s->report.iterations : most;
        waited = fmax(waited, s->report.largest_lag);
    }
    printf("    at most %d iterations, waited %g m\n", most, waited);
    CHECK(most <= 60 && waited == 0); /* 81 where the model does not know what is prescribed */
    scene_free(s);
}

TEST(an_obstacle_has_thickness_and_friction_of_its_own)
{
    for (int sticky = 0; sticky < 2; sticky++) {
        scene *s = scene_new(0.15, 6, 6e-3);
        prc_obstacle_def *plate = add_plate(s, 0.5, 4, 0);
        plate->contact_thickness = 6e-3; /* with the sheet's 2 mm: 4 mm apart */
        plate->friction = sticky ? 0.9 : 0;
        plate->motion.velocity[0] = 0.2;
        s->def.contact.friction = 0.4; /* of the sheet: together sqrt(0.36) */
        CHECK(scene_start(s) && run_safely(s, 60));
        double v[3];
        mean_velocity(s, v);
        CHECK_NEAR(v[0], sticky ? 0.2 : 0, 0.01);
        for (int i = 0; i < s->sheet.vertex_count; i++)
            CHECK(prc_sim_positions(s->sim)[3 * i + 1] > 3.2e-3 && prc_sim_positions(s->sim)[3 * i + 1] < 6e-3);
        scene_free(s);
    }
}

TEST(velocities_masses_and_stretches_of_obstacles_are_those_of_things_that_are_moved)
{
    scene *s = scene_new(0.1, 3, 0.05);
    prc_obstacle_def *plate = add_plate(s, 0.1, 3, 0);
    plate->motion.velocity[2] = -2;
    CHECK(scene_start(s) && scene_step(s));
    CHECK(prc_sim_body_count(s->sim) == 2 && prc_sim_vertex_count(s->sim) == 32);
    CHECK(!prc_sim_body_is_obstacle(s->sim, 0) && prc_sim_body_is_obstacle(s->sim, 1));
    CHECK(prc_sim_body_first_vertex(s->sim, 1) == 16 && prc_sim_body_vertex_count(s->sim, 1) == 16);
    for (int i = 16; i < 32; i++) {
        CHECK_NEAR(prc_sim_velocities(s->sim)[3 * i + 2], -2, 1e-12);
        CHECK_NEAR(prc_sim_positions(s->sim)[3 * i + 2], s->shape[0].positions[3 * (i - 16) + 2] - 8e-3, 1e-15);
        CHECK(prc_sim_masses(s->sim)[i] == 0);
        CHECK(prc_sim_stretches(s->sim)[2 * i] == 1 && prc_sim_stretches(s->sim)[2 * i + 1] == 1);
    }
    CHECK(s->report.largest_lag == 0 && s->report.lag_body == -1 && s->report.lag_collider == -1);
    scene_free(s);
}

/* --- needles --- */

/* A needle pushes on with cloth that cannot keep up: the barrier stiffens step by step, but not beyond all numbers. */
TEST(cloth_that_is_caught_for_long_stays_finite)
{
    double points[6] = {0.001, -0.01, 0.002, 0.002, -0.1, 0.002};
    const int segment[2] = {0, 1};
    scene *s = scene_new(0.1, 2, 0);
    prc_obstacle_def *needle = add_points(s, points, 2);
    needle->segments = segment;
    needle->segment_count = 1;
    needle->motion.velocity[1] = 50;
    s->def.solver.max_iterations = 2;
    s->def.solver.max_substeps = 1;
    CHECK(scene_start(s));
    for (int k = 0; k < 1500; k++)
        CHECK(scene_step(s) && (k % 100 || scene_safe(s)));
    scene_free(s);
}

TEST(a_needle_at_50_m_per_s_never_goes_through)
{
    double points[9] = {0.011, -0.02, 0.007, 0.012, -0.1, 0.008, 0.01, -0.2, 0.006};
    const int segments[4] = {0, 1, 1, 2};
    for (int precision = 0; precision < 2; precision++) {
        scene *s = scene_new(0.2, 8, 0);
        prc_obstacle_def *needle = add_points(s, points, 3);
        s->def.precision = (prc_precision)precision;
        needle->segments = segments;
        needle->segment_count = 2;
        needle->motion.velocity[1] = 50;
        s->def.time.step = 2e-3; /* 10 cm in a step */
        s->def.solver.max_substeps = 2;
        CHECK(scene_start(s));
        double farthest = 0;
        for (int k = 0; k < 8; k++) {
            CHECK(scene_step(s) && scene_safe(s));
            const double *tip = prc_sim_positions(s->sim) + 3 * s->sheet.vertex_count;
            /* The triangle over the tip has a vertex that is not below it, whatever the rest of the sheet does. */
            const double *x = prc_sim_positions(s->sim);
            double highest = -INFINITY;
            for (int i = 0; i < s->sheet.vertex_count; i++)
                highest = fmax(highest, x[3 * i + 1]);
            CHECK(highest > tip[1] - 1e-3);
            CHECK_NEAR(tip[0], points[0], 1e-12); /* nor did it slide around */
            CHECK_NEAR(tip[2], points[2], 1e-12);
            farthest = fmax(farthest, tip[1]);
        }
        CHECK(farthest > 0.03); /* and it does get somewhere, with the sheet on it */
        scene_free(s);
    }
}

TEST(a_start_across_a_needle_is_refused_by_name)
{
    double points[6] = {0.011, 0.05, 0.007, 0.012, -0.05, 0.008};
    const int segment[2] = {0, 1};
    scene *s = scene_new(0.1, 4, 0);
    prc_obstacle_def *needle = add_points(s, points, 2);
    needle->segments = segment;
    needle->segment_count = 1;
    needle->name = "needle";
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "edge 0–1 of obstacles[0] 'needle' and triangle");
    CHECK_TEXT(s->error.message, "of bodies[0]");
    points[1] = 1e-4; /* above, but too close */
    points[4] = 0.05;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "of obstacles[0] 'needle'");
    scene_free(s);
}

TEST(a_start_across_a_plate_is_refused_by_name)
{
    scene *s = scene_new(0.1, 4, 0);
    add_plate(s, 0.1, 3, 1)->name = "far";
    add_plate(s, 0.1, 3, 0)->name = "plate";
    prc_mesh_transform(&s->shape[1], (double[3]){1, 0, 0}, 80, 1, (double[3]){0, 0.011, 0});
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "contact: the start intersects in ");
    CHECK_TEXT(s->error.message, "of obstacles[1] 'plate'");
    CHECK_TEXT(s->error.message, "of bodies[0]");
    scene_free(s);
}

static void lifted(void *context, double time, double *positions)
{
    const prc_mesh *mesh = context;
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        positions[i] = mesh->positions[i] + (i % 3 == 1 ? 0.5 + time : 0);
}

TEST(what_is_wrong_with_a_start_is_told_where_animation_has_put_obstacles)
{
    scene *s = scene_new(0.1, 4, 0.5);
    prc_obstacle_def *plate = add_plate(s, 0.1, 3, 0);
    plate->animate = lifted;
    plate->animate_context = &s->shape[0];
    prc_mesh_transform(&s->shape[0], (double[3]){1, 0, 0}, 80, 1, (double[3]){0, 0.011, 0});
    prc_start_report r;
    CHECK(prc_start_examine(&s->def, &r, &s->error) == PRC_OK && r.crossing_count > 0);
    const double *x = r.positions + 3 * (size_t)s->sheet.vertex_count;
    for (int i = 0; i < s->shape[0].vertex_count; i++)
        CHECK_NEAR(x[3 * i + 1], s->shape[0].positions[3 * i + 1] + 0.5, 1e-12);
    CHECK(r.crossings[0].edge_body + r.crossings[0].triangle_body == 1);
    prc_start_report_release(&r);
    scene_free(s);
}

/* Down and out of the sheet, and back up: exempt as long as it crosses, guarded from then on. */
static void pull_out(scene *s, double speed)
{
    const prc_pose_key keys[] = {{.time = 0}, {.time = 0.12, .translate = {0, -0.12 * speed, 0}}, {.time = 0.24}};
    s->obstacle[0].motion.keys = keys;
    s->obstacle[0].motion.key_count = 3;
    s->def.contact.start = PRC_START_EXEMPT;
    s->def.gravity[1] = 0;
    int held[64]; /* the border of the sheet, which is turned by 7 degrees */
    prc_pin_def pin = prc_pin_def_default();
    for (int i = 0; i < s->sheet.vertex_count; i++)
        if (hypot(s->sheet.positions[3 * i] - 0.003, s->sheet.positions[3 * i + 2] - 0.002) > 0.0495)
            held[pin.vertex_count++] = i;
    pin.vertices = held;
    s->def.pins = &pin;
    s->def.pin_count = 1;
    CHECK(scene_start(s));
    if (!s->sim)
        return;
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.exempt_crossings > 0 && start.exempt_crossings == crossings_now(s));
    int apart = 0, touched = 0;
    for (int k = 1; k <= 60; k++) {
        CHECK(scene_step(s));
        CHECK(s->report.exempt_crossings == crossings_now(s));
        touched += apart && s->report.active_contacts > 0;
        CHECK(!apart || s->report.exempt_pairs == 0);
        apart = !apart && s->report.exempt_pairs == 0 ? k : apart;
    }
    CHECK(apart > 3 && apart < 30 && touched > 0);
}

TEST(an_obstacle_that_crosses_the_start_is_exempt_until_it_is_out)
{
    scene *s = scene_new(0.1, 6, 0);
    add_plate(s, 0.06, 3, 0);
    prc_mesh_transform(&s->shape[0], (double[3]){1, 0, 0}, 88, 1, (double[3]){0.0007, -0.007, 0.0011});
    pull_out(s, 0.8);
    scene_free(s);
}

TEST(a_needle_through_the_start_is_exempt_until_it_is_out)
{
    double points[6] = {0.011, 0.03, 0.007, 0.012, -0.05, 0.008};
    const int segment[2] = {0, 1};
    scene *s = scene_new(0.1, 6, 0);
    prc_obstacle_def *needle = add_points(s, points, 2);
    needle->segments = segment;
    needle->segment_count = 1;
    pull_out(s, 0.8);
    scene_free(s);
}

/* Each with a thickness of its own; the obstacle stays where it is. */
TEST(gaps_to_an_obstacle_are_opened_by_the_cloth_alone)
{
    scene *s = scene_new(0.1, 6, 1e-3);
    add_plate(s, 0.15, 5, 0)->contact_thickness = 6e-3;
    s->def.contact.start = PRC_START_PUSH_APART;
    CHECK(scene_start(s));
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.moved_vertices == s->sheet.vertex_count && start.largest_move > 2.9e-3 && start.largest_move < 4.2e-3);
    const double *x = prc_sim_positions(s->sim), *plate = x + 3 * (size_t)s->sheet.vertex_count;
    CHECK(memcmp(plate, s->shape[0].positions, sizeof(double) * 3 * (size_t)s->shape[0].vertex_count) == 0);
    CHECK(run_safely(s, 5));
    scene_free(s);
}

/* --- being in the way --- */

TEST(a_pinch_of_two_obstacles_yields_is_reported_with_its_place_and_passes)
{
    const prc_pose_key close[4] = {{.time = 0},
                                   {.time = 0.06, .translate = {0, -0.03, 0}},
                                   {.time = 0.1, .translate = {0, -0.03, 0}},
                                   {.time = 0.16}};
    scene *s = scene_new(0.1, 5, 5e-3);
    s->def.solver.max_iterations = 30;
    s->def.solver.max_substeps = 1;
    add_plate(s, 0.2, 3, 0);
    prc_obstacle_def *press = add_plate(s, 0.2, 4, 0.025); /* goes 5 mm below the other */
    press->motion.keys = close;
    press->motion.key_count = 4;
    CHECK(scene_start(s));
    double most = 0;
    for (int k = 0; k < 60; k++) {
        CHECK(scene_step(s) && scene_safe(s));
        if (s->report.largest_lag > most) {
            most = s->report.largest_lag;
            CHECK(s->report.lag_body == 2 && s->report.lag_vertex >= 0 && s->report.lag_collider == -1);
            CHECK(s->report.lag_vertex < s->shape[1].vertex_count);
        }
    }
    CHECK(most > 5e-3 && most < 0.02);
    CHECK(s->report.largest_lag == 0 && s->report.lag_body == -1);
    const double *x = prc_sim_positions(s->sim) + 3 * prc_sim_body_first_vertex(s->sim, 2);
    for (int i = 0; i < 3 * s->shape[1].vertex_count; i++)
        CHECK_NEAR(x[i], s->shape[1].positions[i], 1e-12);
    CHECK(run_safely(s, 40));
    CHECK(s->report.converged && s->report.smallest_stretch > 0.9 && s->report.largest_stretch < 1.1);
    scene_free(s);
}

TEST(a_collider_that_waits_is_told_from_an_obstacle_that_does)
{
    scene *s = scene_new(0.1, 5, 5e-3);
    prc_collider_def press = prc_collider_def_default();
    press.shape = PRC_SHAPE_PLANE;
    press.axis[1] = -1; /* collider above */
    press.center[1] = 0.03;
    press.motion.velocity[1] = -1;
    s->def.solver.max_iterations = 20;
    s->def.solver.max_substeps = 1;
    s->def.colliders = &press;
    s->def.collider_count = 1;
    add_plate(s, 0.2, 3, 0);
    CHECK(scene_start(s) && run_safely(s, 12)); /* the way is free for 25 mm, of 48 */
    CHECK(s->report.largest_lag > 1e-3 && s->report.lag_collider == 0);
    CHECK(s->report.lag_body == -1 && s->report.lag_vertex == -1);
    scene_free(s);
}

/* --- what must not notice --- */

TEST(an_obstacle_that_nothing_touches_changes_nothing_of_the_rest)
{
    scene *a = scene_new(0.3, 10, 0), *b = scene_new(0.3, 10, 0);
    scene *both[2] = {a, b};
    add_plate(b, 2, 6, -3);
    for (int k = 0; k < 2; k++) {
        both[k]->body.velocity[0] = 0.3;
        both[k]->def.gravity[1] = 0;
        both[k]->def.solver.tolerance = 1e-9;
        both[k]->sheet.positions[2] += 0.02; /* so that there is something to relax */
        CHECK(scene_start(both[k]) && run_safely(both[k], 20));
    }
    for (int i = 0; i < 3 * a->sheet.vertex_count; i++)
        CHECK_NEAR(prc_sim_positions(b->sim)[i], prc_sim_positions(a->sim)[i], 1e-12);
    const prc_step_report *p = &a->report, *q = &b->report;
    CHECK(p->energy_elastic >= 0 && p->energy_kinetic > 0);
    CHECK_NEAR(q->energy_elastic, p->energy_elastic, 1e-12 * p->energy_kinetic);
    CHECK_NEAR(q->energy_kinetic, p->energy_kinetic, 1e-12 * p->energy_kinetic);
    CHECK_NEAR(q->momentum[0], 0.3 * 0.3 * 0.3 * 0.2, 5e-5);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(q->momentum[c], p->momentum[c], 1e-12);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(q->angular_momentum[c], p->angular_momentum[c], 1e-12);
    CHECK_NEAR(q->largest_stretch, p->largest_stretch, 1e-10);
    CHECK_NEAR(q->smallest_stretch, p->smallest_stretch, 1e-10);
    CHECK_NEAR(q->residual, p->residual, 1e-9);
    double energy, gradient[3 * (121 + 49)];
    CHECK(prc_sim_elastic(b->sim, prc_sim_positions(b->sim), &energy, gradient, NULL) == PRC_OK);
    for (int i = 3 * 121; i < 3 * (121 + 49); i++)
        CHECK(gradient[i] == 0);
    scene_free(a);
    scene_free(b);
}

TEST(coarse_levels_pass_over_obstacles)
{
    double result[2][3 * 441];
    for (int k = 0; k < 2; k++) {
        scene *s = scene_new(0.3, 20, 0.03);
        s->body.material.damping = 1e-3;
        s->def.air.density = 1.2;
        s->def.solver.tolerance = 1e-7;
        s->def.solver.preconditioner = k ? PRC_PRECONDITIONER_MULTILEVEL : PRC_PRECONDITIONER_JACOBI;
        add_plate(s, 0.5, 7, 0);
        CHECK(scene_start(s) && run_safely(s, 12));
        CHECK(s->report.converged);
        memcpy(result[k], prc_sim_positions(s->sim), sizeof result[k]);
        scene_free(s);
    }
    for (int i = 0; i < 3 * 441; i++)
        CHECK_NEAR(result[1][i], result[0][i], 1e-6);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    double points[6] = {0.02, -0.01, 0.01, 0.02, -0.2, 0.01};
    const int segment[2] = {0, 1};
    for (int precision = 0; precision < 2; precision++) {
        double first[3 * (441 + 51)];
        for (int threads = 1; threads <= 2; threads++) {
            scene *s = scene_new(0.3, 20, 3e-3);
            add_plate(s, 0.5, 6, 0)->motion.degrees_per_second = 45;
            prc_obstacle_def *needle = add_points(s, points, 2);
            needle->segments = segment;
            needle->segment_count = 1;
            needle->motion.velocity[1] = 1;
            s->def.contact.friction = 0.3;
            s->def.threads = threads;
            s->def.precision = (prc_precision)precision;
            CHECK(scene_start(s) && run_safely(s, 12));
            CHECK(prc_sim_vertex_count(s->sim) == 441 + 51);
            if (threads == 1)
                memcpy(first, prc_sim_positions(s->sim), sizeof first);
            CHECK(memcmp(first, prc_sim_positions(s->sim), sizeof first) == 0);
            scene_free(s);
        }
    }
}

TEST(no_step_allocates_once_the_lists_have_grown)
{
    scene *s = scene_new(0.2, 8, 3e-3);
    add_plate(s, 0.4, 4, 0)->motion.velocity[0] = 0.1;
    CHECK(scene_start(s) && run_safely(s, 40));
    const size_t before = prc_alloc_count();
    for (int k = 0; k < 10; k++)
        CHECK(scene_step(s));
    CHECK(prc_alloc_count() == before);
    scene_free(s);
}

/* --- meshes and animations of all kinds --- */

TEST(an_obstacle_may_be_any_mesh)
{
    /* Two triangles that cross, one without area, one that names a vertex twice, one that is a point, three on one
     * edge. */
    double points[24] = {-0.1, -0.02, -0.1, 0.1, -0.02, -0.1, 0,   -0.02, 0.1,  -0.1, -0.05, 0,
                         0.1,  0,     0,    0,   0.02,  0.2,  0.2, 0,     -0.1, 0,    -0.02, -0.1};
    int triangles[21] = {0, 1, 2, 3, 4, 5, 0, 7, 1, 0, 6, 6, 1, 1, 1, 0, 1, 5, 0, 1, 3};
    scene *s = scene_new(0.2, 8, 0.03);
    s->shape[0] = (prc_mesh){.vertex_count = 8, .triangle_count = 0, .positions = points, .triangles = triangles};
    add_obstacle(s);
    s->shape[0].triangle_count = 7;
    const bool ok = scene_start(s) && run_safely(s, 60);
    s->shape[0].triangle_count = 0; /* not ours to release */
    CHECK(ok);
    CHECK(lowest_near(s, 0, 0, 0.03) > -0.04);
    scene_free(s);
}

static void wave(void *context, double time, double *positions)
{
    const int *count = context;
    for (int i = 0; i < *count; i++)
        positions[3 * i + 1] = time > 0.039 ? (double)NAN : 0.1 * sin(20 * time) - 0.02;
}

TEST(an_animation_comes_before_the_motion_and_one_that_fails_leaves_the_state)
{
    scene *s = scene_new(0.1, 3, 0.2);
    prc_obstacle_def *plate = add_plate(s, 0.1, 3, -0.02);
    plate->animate = wave;
    plate->animate_context = &s->shape[0].vertex_count;
    plate->motion.keys = &(prc_pose_key){.translate = {0, -0.1, 0}, .axis = {0, 1, 0}, .degrees = 90};
    plate->motion.key_count = 1;
    CHECK(scene_start(s));
    const double *x = prc_sim_positions(s->sim) + 3L * 16;
    CHECK_NEAR(x[1], -0.12, 1e-15);
    CHECK_NEAR(x[0], s->shape[0].positions[2], 1e-15);
    CHECK(run_safely(s, 9));
    x = prc_sim_positions(s->sim) + 3L * 16;
    CHECK_NEAR(x[1], 0.1 * sin(20 * 0.036) - 0.12, 1e-12);
    const double height = prc_sim_positions(s->sim)[1];
    CHECK(prc_sim_step(s->sim, NULL, &s->error) == PRC_ERROR_STATE);
    CHECK_TEXT(s->error.message, "obstacles[0]: at 0.04 s");
    CHECK(prc_sim_positions(s->sim)[1] == height && prc_sim_time(s->sim) < 0.0361);
    scene_free(s);
}

TEST(obstacle_defs_that_make_no_sense_are_refused)
{
    double points[6] = {0, -1, 0, 0, -2, 0};
    const int segment[2] = {0, 2};
    scene *s = scene_new(0.1, 3, 0);
    prc_obstacle_def *o = add_points(s, points, 2);
    o->segments = segment;
    o->segment_count = 1;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].segments[0]: vertex 2; there are vertices 0 to 1");
    o->segments = NULL;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].segments: segment_count is 1, but no matching array is given");
    o->segment_count = 0;
    points[4] = (double)NAN;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].mesh: vertex 1 is not finite");
    points[4] = -2;
    o->contact_thickness = -1;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].contact_thickness: -1 is not allowed");
    o->contact_thickness = 0;
    o->motion.degrees_per_second = 1;
    memset(o->motion.axis, 0, sizeof o->motion.axis);
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].motion.rotation.axis");
    o->motion.degrees_per_second = 0;
    o->mesh = NULL;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles[0].mesh: missing or empty");
    o->mesh = &s->shape[0];
    s->def.contact.enabled = false;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "obstacles: 1 given, but contact.enabled is false");
    s->def.contact.enabled = true;
    CHECK(scene_start(s));
    scene_free(s);
}

TEST_MAIN()
