/* test/test_prescribed.c — what is pinned or moved as told keeps apart from its like too: pins that would meet wait, on
 * either side of the gap, and a step in which they do is solved. Every state is judged by src/check.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <percale/percale.h>

#include "check/check.h"

#include <stdlib.h>

/* The same on the CPU and on a device that the host plays. */
#define ON_BOTH(claim)                                                                                                 \
    static void claim(prc_backend_kind kind);                                                                          \
    TEST(cpu_##claim)                                                                                                  \
    {                                                                                                                  \
        claim(PRC_BACKEND_CPU);                                                                                        \
    }                                                                                                                  \
    TEST(device_on_host_##claim)                                                                                       \
    {                                                                                                                  \
        claim(PRC_BACKEND_DEVICE_ON_HOST);                                                                             \
    }                                                                                                                  \
    static void claim(prc_backend_kind kind)

#define MOST 3
#define THICKNESS 3e-3
#define WAIT (THICKNESS + THICKNESS / 6) /* half of d_hat, which is a third of the thickness */

/* Square sheets on top of each other, of which all vertices are pinned; obstacles beside them. */
typedef struct scene {
    prc_mesh mesh[MOST], shape[MOST];
    prc_body_def body[MOST];
    prc_obstacle_def obstacle[MOST];
    prc_pin_def pin[MOST];
    int *all;
    prc_sim_def def;
    prc_sim *sim;
    prc_step_report report;
    prc_error error;
    int *shapes, shape_count;
    bool *is_obstacle;
} scene;

static void lay(prc_mesh *mesh, double size, int cells, double height, double turn)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = size;
    grid.cells[0] = grid.cells[1] = cells;
    prc_mesh_grid(mesh, &grid, NULL);
    prc_mesh_transform(mesh, (double[3]){0, 0, 1}, turn, 1, (double[3]){0, 0, height});
}

static scene *scene_new(prc_backend_kind kind)
{
    scene *s = calloc(1, sizeof *s);
    s->def = prc_sim_def_default();
    s->def.bodies = s->body;
    s->def.obstacles = s->obstacle;
    s->def.pins = s->pin;
    s->def.threads = 1;
    s->def.backend = kind;
    s->def.time.step = 5e-3;
    s->def.contact.enabled = true;
    s->def.contact.thickness = THICKNESS;
    s->all = malloc(sizeof(int) * 1000);
    for (int i = 0; i < 1000; i++)
        s->all[i] = i;
    return s;
}

/* A sheet, pinned altogether. */
static prc_pin_def *add_sheet(scene *s, double size, int cells, double height, double turn, double velocity)
{
    const int b = s->def.body_count++;
    lay(&s->mesh[b], size, cells, height, turn);
    s->body[b] = prc_body_def_default();
    s->body[b].mesh = &s->mesh[b];
    prc_pin_def *pin = &s->pin[s->def.pin_count++];
    *pin = prc_pin_def_default();
    pin->body = b;
    pin->vertices = s->all;
    pin->vertex_count = s->mesh[b].vertex_count;
    pin->motion.velocity[2] = velocity;
    return pin;
}

static prc_obstacle_def *add_plate(scene *s, double size, int cells, double height, double velocity)
{
    const int o = s->def.obstacle_count++;
    lay(&s->shape[o], size, cells, height, 3);
    s->obstacle[o] = prc_obstacle_def_default();
    s->obstacle[o].mesh = &s->shape[o];
    s->obstacle[o].motion.velocity[2] = velocity;
    return &s->obstacle[o];
}

static void list_shapes(scene *s, const prc_mesh *mesh, int body)
{
    const int first = prc_sim_body_first_vertex(s->sim, body);
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        s->shapes[3 * s->shape_count + k] = first + mesh->triangles[k];
    s->shape_count += mesh->triangle_count;
    for (int i = 0; i < mesh->vertex_count; i++)
        s->is_obstacle[first + i] = body >= s->def.body_count;
}

static bool scene_start(scene *s)
{
    s->sim = prc_sim_create(&s->def, &s->error);
    if (!s->sim)
        return false;
    s->shapes = malloc(sizeof(int) * 3 * 10000);
    s->is_obstacle = calloc((size_t)prc_sim_vertex_count(s->sim), sizeof *s->is_obstacle);
    for (int b = 0; b < s->def.body_count; b++)
        list_shapes(s, &s->mesh[b], b);
    for (int o = 0; o < s->def.obstacle_count; o++)
        list_shapes(s, &s->shape[o], s->def.body_count + o);
    return true;
}

static void scene_free(scene *s)
{
    prc_sim_destroy(s->sim);
    for (int k = 0; k < MOST; k++) {
        prc_mesh_release(&s->mesh[k]);
        prc_mesh_release(&s->shape[k]);
    }
    free(s->all);
    free(s->shapes);
    free(s->is_obstacle);
    free(s);
}

/* By the independent checker: crossings, and the smallest distance. */
static long long judge(scene *s, double *distance)
{
    prc_check_options options = prc_check_options_default();
    prc_check_result found;
    options.obstacle = s->is_obstacle;
    if (prc_check_surfaces(prc_sim_positions(s->sim), prc_sim_vertex_count(s->sim), s->shapes, s->shape_count, &options,
                           &found, &s->error) != PRC_OK)
        return -1;
    const long long crossings = found.crossings;
    *distance = found.nearest.found ? found.nearest.distance : INFINITY;
    prc_check_result_release(&found);
    return crossings;
}

static bool step(scene *s)
{
    return prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK;
}

/* --- waiting --- */

ON_BOTH(sheets_pinned_altogether_stop_before_they_meet)
{
    const double speed[] = {0.1, 1, 20};
    const int steps = kind == PRC_BACKEND_CPU ? 30 : 12;
    for (int k = 0; k < (kind == PRC_BACKEND_CPU ? 3 : 1); k++) {
        scene *s = scene_new(kind);
        add_sheet(s, 0.1, 2, 0, 0, speed[k]);
        add_sheet(s, 0.1, 2, 4e-3, 11, -speed[k]);
        CHECK(scene_start(s));
        double distance = 0;
        int iterations = 0;
        for (int i = 0; i < steps; i++) {
            CHECK(step(s) && judge(s, &distance) == 0);
            CHECK(distance >= WAIT && s->report.converged && s->report.active_contacts == 0);
            iterations += s->report.iterations;
        }
        CHECK(strcmp(s->report.stop, "blocked") == 0 && s->report.lag_body >= 0 && s->report.lag_vertex >= 0);
        /* together they lag by what would have taken them through each other, each about by half of it */
        const double through = 2 * speed[k] * s->report.time - (4e-3 - WAIT);
        CHECK_NEAR(s->report.largest_lag, through / 2, 0.1 * through / 2 + 1e-4);
        CHECK(distance < 1.1 * WAIT && iterations <= 3 * steps);
        scene_free(s);
    }
}

/* Pinned at their rims, and pushed through each other: where the rim of one presses on the other close to its rim, what
 * is free has a long lever, and no force that holds it. So pins must wait while there is room. */
ON_BOTH(sheets_pinned_at_their_rims_wait_where_what_is_free_still_has_room)
{
    const double speed[] = {0.1, 1};
    for (int k = 0; k < (kind == PRC_BACKEND_CPU ? 8 : 1); k++) {
        const int cells = k & 2 ? 6 : 2, steps = kind == PRC_BACKEND_CPU ? 40 : 6;
        const double v = kind == PRC_BACKEND_CPU ? speed[k & 1] : 1, height = v * 0.06;
        scene *s = scene_new(kind);
        s->def.gravity[0] = s->def.gravity[1] = s->def.gravity[2] = 0;
        add_sheet(s, 1, cells, 0, 0, v);
        add_sheet(s, 1, cells, height, 0, -v);
        if (k & 4)
            prc_mesh_transform(&s->mesh[1], (double[3]){0, 0, 1}, 0, 1, (double[3]){0.03, 0.02, 0});
        int rim[24] = {0}, count = 0;
        for (int i = 0; i < s->mesh[0].vertex_count; i++)
            if (fmax(fabs(s->mesh[0].positions[3 * i]), fabs(s->mesh[0].positions[3 * i + 1])) > 0.499)
                rim[count++] = i;
        memcpy(s->all, rim, sizeof *rim * (size_t)count);
        s->pin[0].vertex_count = s->pin[1].vertex_count = count;
        CHECK(scene_start(s));
        double distance;
        for (int i = 0; i < steps; i++)
            CHECK(step(s) && judge(s, &distance) == 0 && distance >= 0.8 * THICKNESS && s->report.converged);
        if (kind == PRC_BACKEND_CPU)
            CHECK(!strcmp(s->report.stop, "blocked") &&
                  s->report.largest_lag > 0.5 * (v * s->report.time - height / 2));
        scene_free(s);
    }
}

/* Layers that are pinned nearer to each other than that, as waistbands are, still turn together. */
ON_BOTH(pinned_layers_that_begin_near_to_each_other_move_on_together)
{
    scene *s = scene_new(kind);
    const double turn = 400; /* degrees per second, 2 in a step */
    for (int b = 0; b < 2; b++) {
        prc_pin_def *pin = add_sheet(s, 0.1, 3, b * THICKNESS, 11 * b, 0);
        pin->motion.axis[1] = 1;
        pin->motion.degrees_per_second = turn;
        pin->motion.velocity[0] = 0.4;
    }
    CHECK(scene_start(s));
    double distance;
    for (int i = 0; i < 20; i++) {
        CHECK(step(s) && judge(s, &distance) == 0 && s->report.converged && s->report.largest_lag == 0);
        CHECK_NEAR(distance, THICKNESS, 1e-12);
    }
    scene_free(s);
}

ON_BOTH(a_pinned_sheet_waits_for_one_that_rests_and_catches_up)
{
    static const prc_pose_key keys[3] = {{.time = 0}, {.time = 0.05, .translate = {0, 0, -0.02}}, {.time = 0.1}};
    scene *s = scene_new(kind);
    add_sheet(s, 0.1, 2, 0, 0, 0);
    prc_pin_def *pin = add_sheet(s, 0.1, 2, 8e-3, 11, 0);
    pin->motion.keys = keys;
    pin->motion.key_count = 3;
    CHECK(scene_start(s));
    double distance, most = 0;
    for (int i = 0; i < 20; i++) {
        CHECK(step(s) && judge(s, &distance) == 0 && distance >= WAIT && s->report.converged);
        if (s->report.largest_lag > most) {
            most = s->report.largest_lag;
            CHECK(s->report.lag_body == 1);
        }
    }
    CHECK(most > 0.0154 && most < 0.016 && s->report.largest_lag == 0);
    scene_free(s);
}

ON_BOTH(a_pinned_sheet_and_an_obstacle_wait_for_each_other)
{
    scene *s = scene_new(kind);
    add_sheet(s, 0.1, 2, 0, 0, 0); /* cannot give way */
    add_plate(s, 0.1, 2, 8e-3, -1);
    CHECK(scene_start(s));
    double distance;
    for (int i = 0; i < 10; i++)
        CHECK(step(s) && judge(s, &distance) == 0 && distance >= WAIT && s->report.converged);
    CHECK(s->report.lag_body == 1);
    CHECK_NEAR(s->report.largest_lag, 0.05 - (8e-3 - WAIT), 0.2 * THICKNESS);
    scene_free(s);
}

/* A pair that can get no nearer takes no part in the motion of others: neither while it waits, where only rounding is
 * left of its way, nor where it began between where pins wait and what makes them near. */
ON_BOTH(waiting_does_not_cost_more_the_longer_it_lasts)
{
    const int cells = kind == PRC_BACKEND_CPU ? 4 : 2; /* a device on the host is slow */
    scene *s = scene_new(kind);
    add_sheet(s, 0.2, cells, 0, 0, 0.1);
    add_sheet(s, 0.2, cells, 0.01, 0, -0.07);
    CHECK(scene_start(s));
    double distance;
    for (int i = 0; i < 30; i++)
        CHECK(step(s) && s->report.converged && (i < 10 || (s->report.detections <= 3 && s->report.iterations <= 3)));
    CHECK(judge(s, &distance) == 0 && distance >= WAIT * (1 - 1e-12) && !strcmp(s->report.stop, "blocked"));
    scene_free(s);
}

ON_BOTH(what_is_prescribed_at_any_distance_costs_nothing_at_rest_and_moves_on_together)
{
    for (int k = kind == PRC_BACKEND_CPU ? 0 : 2; k < 4; k++) {
        const double gap = THICKNESS * (1 + (0.35 + 0.05 * k) / 3), velocity = k == 3 ? 0.3 : 0; /* in d_hat */
        scene *s = scene_new(kind);
        add_sheet(s, 0.2, 4, 0, 0, 0)->motion.velocity[0] = velocity;
        add_sheet(s, 0.2, 4, gap, 7, 0)->motion.velocity[0] = velocity;
        add_plate(s, 0.1, 2, -gap, 0)->motion.velocity[0] = velocity;
        CHECK(scene_start(s));
        double distance;
        for (int i = 0; i < (kind == PRC_BACKEND_CPU ? 5 : 2); i++) {
            CHECK(step(s) && s->report.converged && s->report.detections <= 2 && s->report.largest_lag == 0);
            CHECK(judge(s, &distance) == 0);
            CHECK_NEAR(distance, gap, 1e-12);
        }
        scene_free(s);
    }
}

/* What was near from the beginning is so for a simulation that is made anew of it. */
TEST(what_began_near_may_be_as_near_after_a_remake)
{
    scene *s = scene_new(PRC_BACKEND_CPU);
    add_sheet(s, 0.1, 3, 0, 0, 0)->motion.velocity[2] = -0.1;
    add_sheet(s, 0.1, 3, THICKNESS, 11, 0)->motion.velocity[2] = -0.1;
    CHECK(scene_start(s) && step(s));
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK);
    double distance;
    for (int i = 0; i < 5; i++) {
        CHECK(step(s) && s->report.converged && s->report.largest_lag == 0 && s->report.detections <= 2);
        CHECK(judge(s, &distance) == 0);
        CHECK_NEAR(distance, THICKNESS, 1e-12);
    }
    scene_free(s);
}

/* Pins that rest are not looked at among each other, so they may not pull back through their like what a new state has
 * put elsewhere: it stays there. */
ON_BOTH(pins_that_rest_hold_what_is_set_where_it_is_set)
{
    scene *s = scene_new(kind);
    add_sheet(s, 0.2, 4, 0, 0, 0);
    add_sheet(s, 0.16, 4, 0.02, 0, 0);
    CHECK(scene_start(s) && step(s));
    const int n = prc_sim_vertex_count(s->sim);
    double *x = malloc(sizeof *x * 3 * (size_t)n), distance;
    memcpy(x, prc_sim_positions(s->sim), sizeof *x * 3 * (size_t)n);
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        x[3 * i + 2] = 0.04;
    CHECK(prc_sim_set_state(s->sim, x, NULL, &s->error) == PRC_OK);
    for (int i = 0; i < 3; i++)
        CHECK(step(s) && judge(s, &distance) == 0);
    CHECK(memcmp(prc_sim_positions(s->sim), x, sizeof *x * 3 * (size_t)n) == 0);
    /* Nor those that a remake leaves without their motion. */
    s->pin[1].motion.velocity[2] = 0.5;
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK && step(s) && step(s));
    s->pin[1].motion.velocity[2] = 0;
    memcpy(x, prc_sim_positions(s->sim), sizeof *x * 3 * (size_t)n);
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK && step(s) && judge(s, &distance) == 0);
    CHECK(memcmp(prc_sim_positions(s->sim), x, sizeof *x * 3 * (size_t)n) == 0);
    free(x);
    scene_free(s);
}

TEST(a_remake_with_other_pinned_vertices_is_refused)
{
    scene *s = scene_new(PRC_BACKEND_CPU);
    add_sheet(s, 0.2, 4, 0, 0, 0)->vertex_count = 5;
    CHECK(scene_start(s) && step(s));
    s->all[2] = 9;
    CHECK(prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_ERROR_INPUT && strstr(s->error.message, "pins"));
    scene_free(s);
}

ON_BOTH(obstacles_pass_through_each_other)
{
    scene *s = scene_new(kind);
    add_sheet(s, 0.1, 2, 0.5, 0, 0);
    add_plate(s, 0.1, 2, 0, 0);
    add_plate(s, 0.1, 2, 8e-3, -1);
    CHECK(scene_start(s));
    for (int i = 0; i < 10; i++)
        CHECK(step(s) && s->report.largest_lag == 0 && s->report.contact_pairs == 0);
    scene_free(s);
}

/* What is pinned and never moved cannot meet: such pairs are not even looked for, however many they are. */
ON_BOTH(what_rests_for_good_makes_no_pairs)
{
    scene *s = scene_new(kind);
    add_sheet(s, 0.1, 8, 0, 0, 0);
    add_sheet(s, 0.1, 8, 3.5e-3, 0, 0);
    CHECK(scene_start(s));
    CHECK(step(s) && s->report.contact_pairs == 0 && s->report.exempt_pairs == 0);
    scene_free(s);
}

ON_BOTH(cloth_between_pinned_sheets_is_not_crushed)
{
    scene *s = scene_new(kind);
    s->def.solver.max_substeps = 1;
    s->def.solver.max_iterations = 5;
    add_sheet(s, 0.1, 2, 0, 0, 0.3);
    add_sheet(s, 0.1, 2, 8e-3, 11, -0.3);
    add_sheet(s, 0.05, 2, 4e-3, 5, 0);
    s->def.pin_count = 2; /* the one between is free */
    s->def.gravity[0] = s->def.gravity[1] = s->def.gravity[2] = 0;
    CHECK(scene_start(s));
    double distance;
    for (int i = 0; i < (kind == PRC_BACKEND_CPU ? 10 : 4); i++)
        CHECK(step(s) && judge(s, &distance) == 0 && distance >= 0.8 * THICKNESS);
    CHECK(s->report.largest_lag > 0 && s->report.lag_body < 2);
    scene_free(s);
}

/* --- bad starts --- */

ON_BOTH(pinned_things_that_meet_at_the_start_are_exempt_and_start)
{
    scene *s = scene_new(kind);
    add_sheet(s, 0.1, 2, 0, 0, 0)->motion.velocity[0] = 1e-6;     /* they do not rest */
    add_sheet(s, 0.1, 2, 1e-3, 11, 0)->motion.velocity[0] = 1e-6; /* too close to the first */
    add_plate(s, 0.08, 2, 0.5e-3, 0)->motion.velocity[0] = 0;
    prc_mesh_transform(&s->shape[0], (double[3]){1, 0, 0}, 90, 1, (double[3]){0, 0.003, 0.001}); /* through both */
    CHECK(scene_start(s));
    const prc_start_outcome start = prc_sim_start(s->sim);
    CHECK(start.prescribed_pairs > 0 && start.prescribed_pairs == start.exempt_pairs && start.exempt_crossings > 0);
    prc_start_report found; /* whoever looks first hears of them too */
    CHECK(prc_start_examine(&s->def, &found, &s->error) == PRC_OK);
    CHECK(found.prescribed_pairs == start.prescribed_pairs && found.crossing_count == 0 && found.close_count == 0);
    prc_start_report_release(&found);
    double distance;
    for (int i = 0; i < 3; i++) {
        CHECK(step(s) && s->report.largest_lag == 0 && s->report.exempt_pairs == start.exempt_pairs);
        CHECK(judge(s, &distance) == s->report.exempt_crossings);
    }
    scene_free(s);
}

/* --- the same bits --- */

TEST(any_number_of_threads_gives_the_same_bits)
{
    double x[3][200];
    for (int t = 0; t < 3; t++) {
        scene *s = scene_new(PRC_BACKEND_CPU);
        s->def.threads = t + 1;
        add_sheet(s, 0.1, 3, 0, 0, 0.5);
        add_sheet(s, 0.1, 3, 8e-3, 11, -0.5);
        add_plate(s, 0.1, 2, -4e-3, 0.3);
        CHECK(scene_start(s));
        for (int i = 0; i < 8; i++)
            CHECK(step(s));
        CHECK(3 * prc_sim_vertex_count(s->sim) <= 200);
        memcpy(x[t], prc_sim_positions(s->sim), sizeof(double) * 3 * (size_t)prc_sim_vertex_count(s->sim));
        CHECK(t == 0 || memcmp(x[t], x[0], sizeof(double) * 3 * (size_t)prc_sim_vertex_count(s->sim)) == 0);
        scene_free(s);
    }
}

TEST_MAIN()
