/* test/test_rigid.c — rigid obstacles wait as a whole: whatever is in their way, they keep their shape, and say how far
 * they are behind. Animated ones wait vertex by vertex. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <percale/percale.h>

#include "check/check.h"

#include <stdlib.h>

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

/* A square sheet across z, pinned at its rim, and an obstacle in front of it. */
typedef struct scene {
    prc_mesh sheet, shape;
    prc_body_def body;
    prc_obstacle_def obstacle;
    prc_pin_def pin;
    int rim[400];
    prc_sim_def def;
    prc_sim *sim;
    prc_step_report report;
    prc_error error;
    bool *is_obstacle;
    int *shapes, shape_count;
} scene;

static prc_mesh grid(double width, double height, int columns, int rows)
{
    prc_mesh mesh;
    prc_grid_def def = prc_grid_def_default();
    def.size[0] = width;
    def.size[1] = height;
    def.cells[0] = columns;
    def.cells[1] = rows;
    prc_mesh_grid(&mesh, &def, NULL);
    return mesh;
}

static scene *scene_new(prc_backend_kind kind, int cells)
{
    scene *s = calloc(1, sizeof *s);
    s->sheet = grid(0.2, 0.2, cells, cells);
    s->body = prc_body_def_default();
    s->body.mesh = &s->sheet;
    s->pin = prc_pin_def_default();
    s->pin.vertices = s->rim;
    for (int i = 0; i < s->sheet.vertex_count; i++)
        if (fmax(fabs(s->sheet.positions[3 * i]), fabs(s->sheet.positions[3 * i + 1])) > 0.0999)
            s->rim[s->pin.vertex_count++] = i;
    s->obstacle = prc_obstacle_def_default();
    s->obstacle.mesh = &s->shape;
    s->def = prc_sim_def_default();
    s->def.bodies = &s->body;
    s->def.body_count = 1;
    s->def.pins = &s->pin;
    s->def.pin_count = 1;
    s->def.obstacles = &s->obstacle;
    s->def.obstacle_count = 1;
    s->def.threads = 1;
    s->def.backend = kind;
    s->def.time.step = 4e-3;
    s->def.gravity[0] = s->def.gravity[1] = s->def.gravity[2] = 0;
    s->def.contact.enabled = true;
    s->def.contact.thickness = 3e-3;
    s->def.solver.max_iterations = kind == PRC_BACKEND_CPU ? 12 : 4; /* a device on the host is slow */
    s->def.solver.max_substeps = 1;
    return s;
}

/* A blade that stands across the sheet, a little askew, and comes down on it. */
static scene *blade_new(prc_backend_kind kind)
{
    scene *s = scene_new(kind, 6);
    s->shape = grid(0.12, 0.06, 4, 2);
    prc_mesh_transform(&s->shape, (double[3]){1, 0, 0}, 90, 1, (double[3]){0.004, 0.003, 0.038});
    prc_mesh_transform(&s->shape, (double[3]){0, 1, 0.3}, 4, 1, (double[3]){0, 0, 0});
    s->obstacle.motion.velocity[2] = -6;
    s->obstacle.motion.axis[0] = 0;
    s->obstacle.motion.axis[1] = 1;
    s->obstacle.motion.degrees_per_second = 200;
    return s;
}

static bool scene_start(scene *s)
{
    s->sim = prc_sim_create(&s->def, &s->error);
    if (!s->sim)
        return false;
    const int triangles = s->sheet.triangle_count + s->shape.triangle_count, first = s->sheet.vertex_count;
    s->shapes = malloc(sizeof(int) * 3 * (size_t)triangles);
    s->is_obstacle = calloc((size_t)prc_sim_vertex_count(s->sim), sizeof *s->is_obstacle);
    for (int k = 0; k < 3 * s->sheet.triangle_count; k++)
        s->shapes[k] = s->sheet.triangles[k];
    for (int k = 0; k < 3 * s->shape.triangle_count; k++)
        s->shapes[3 * s->sheet.triangle_count + k] = first + s->shape.triangles[k];
    for (int i = first; i < prc_sim_vertex_count(s->sim); i++)
        s->is_obstacle[i] = true;
    s->shape_count = triangles;
    return true;
}

static void scene_free(scene *s)
{
    prc_sim_destroy(s->sim);
    prc_mesh_release(&s->sheet);
    prc_mesh_release(&s->shape);
    free(s->shapes);
    free(s->is_obstacle);
    free(s);
}

static bool step(scene *s)
{
    return prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK;
}

static bool is_safe(scene *s)
{
    prc_check_options options = prc_check_options_default();
    prc_check_result found;
    options.obstacle = s->is_obstacle;
    options.skip_distances = true;
    const prc_result result = prc_check_surfaces(prc_sim_positions(s->sim), prc_sim_vertex_count(s->sim), s->shapes,
                                                 s->shape_count, &options, &found, &s->error);
    const bool safe = result == PRC_OK && found.crossings == 0;
    prc_check_result_release(&found);
    return safe;
}

/* By how much distances between vertices of the obstacle differ from those of its mesh, at most, m. */
static double bent(scene *s)
{
    const double *x = prc_sim_positions(s->sim) + 3 * s->sheet.vertex_count, *a = s->shape.positions;
    double most = 0;
    for (int i = 0; i < s->shape.vertex_count; i++)
        for (int j = 0; j < i; j++) {
            double now = 0, before = 0;
            for (int c = 0; c < 3; c++) {
                now += pow(x[3 * i + c] - x[3 * j + c], 2);
                before += pow(a[3 * i + c] - a[3 * j + c], 2);
            }
            most = fmax(most, fabs(sqrt(now) - sqrt(before)));
        }
    return most;
}

/* --- as a whole --- */

ON_BOTH(a_blade_pushed_on_a_taut_sheet_keeps_its_shape_and_says_how_far_it_is_behind)
{
    scene *s = blade_new(kind);
    CHECK(scene_start(s));
    double most = 0;
    for (int k = 0; k < (kind == PRC_BACKEND_CPU ? 25 : 3); k++) {
        CHECK(step(s) && is_safe(s));
        CHECK(bent(s) < 1e-12);
        most = fmax(most, s->report.largest_lag);
        CHECK(s->report.largest_lag == 0 || (s->report.lag_body == 1 && s->report.lag_vertex >= 0));
    }
    CHECK(most > 1e-3);
    scene_free(s);
}

/* A plate over a sheet that cannot give way, which meets it at one of its ends. */
static scene *plate_new(prc_backend_kind kind)
{
    scene *s = scene_new(kind, 2);
    s->def.solver.max_iterations = 12;
    s->pin.vertex_count = s->sheet.vertex_count; /* all of the sheet */
    for (int i = 0; i < s->sheet.vertex_count; i++)
        s->rim[i] = i;
    s->shape = grid(0.5, 0.04, 10, 2);
    prc_mesh_transform(&s->shape, (double[3]){0, 0, 1}, 0, 1, (double[3]){0.29, 0.01, 6e-3});
    return s;
}

ON_BOTH(a_plate_that_is_stopped_at_one_end_stops_altogether)
{
    scene *s = plate_new(kind);
    s->obstacle.motion.velocity[2] = -0.5;
    CHECK(scene_start(s));
    for (int k = 0; k < 6; k++)
        CHECK(step(s) && is_safe(s) && s->report.converged && bent(s) < 1e-12);
    CHECK(!strcmp(s->report.stop, "blocked"));
    const double *x = prc_sim_positions(s->sim) + 3 * s->sheet.vertex_count;
    for (int i = 0; i < s->shape.vertex_count; i++)
        CHECK(x[3 * i + 2] > 3.5e-3 && x[3 * i + 2] < 3.9e-3); /* half of d_hat beyond the thickness */
    CHECK_NEAR(s->report.largest_lag, 0.5 * s->report.time - (6e-3 - 3.5e-3), 0.6e-3);
    scene_free(s);
}

static void sink(void *context, double time, double *positions)
{
    const scene *s = context;
    for (int i = 0; i < s->shape.vertex_count; i++)
        positions[3 * i + 2] = s->shape.positions[3 * i + 2] - 0.5 * time;
}

ON_BOTH(an_animated_obstacle_waits_vertex_by_vertex)
{
    scene *s = plate_new(kind);
    s->obstacle.animate = sink;
    s->obstacle.animate_context = s;
    CHECK(scene_start(s));
    for (int k = 0; k < 6; k++)
        CHECK(step(s) && is_safe(s));
    const double *x = prc_sim_positions(s->sim) + 3 * s->sheet.vertex_count;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s->shape.vertex_count; i++) {
        low = fmin(low, x[3 * i + 2]);
        high = fmax(high, x[3 * i + 2]);
    }
    CHECK(high > 0.8 * 3e-3);                            /* near the sheet */
    CHECK_NEAR(low, 6e-3 - 0.5 * s->report.time, 1e-12); /* beside it */
    scene_free(s);
}

ON_BOTH(one_that_waited_catches_up_and_is_where_its_motion_says)
{
    static const prc_pose_key keys[3] = {
        {.time = 0}, {.time = 0.02, .translate = {0, 0, -0.04}, .axis = {0, 1, 0}, .degrees = 10}, {.time = 0.05}};
    scene *s = blade_new(kind);
    s->pin.vertex_count = s->sheet.vertex_count;
    for (int i = 0; i < s->sheet.vertex_count; i++)
        s->rim[i] = i;
    memset(&s->obstacle.motion, 0, sizeof s->obstacle.motion);
    s->obstacle.motion = prc_obstacle_def_default().motion;
    s->obstacle.motion.keys = keys;
    s->obstacle.motion.key_count = 3;
    CHECK(scene_start(s));
    double most = 0;
    for (int k = 0; k < 13; k++) {
        CHECK(step(s) && is_safe(s) && bent(s) < 1e-12);
        most = fmax(most, s->report.largest_lag);
    }
    CHECK(most > 0.02 && s->report.largest_lag == 0);
    const double *x = prc_sim_positions(s->sim) + 3 * s->sheet.vertex_count;
    for (int i = 0; i < 3 * s->shape.vertex_count; i++)
        CHECK_NEAR(x[i], s->shape.positions[i], 1e-12);
    scene_free(s);
}

/* --- the same again --- */

static void copy_positions(scene *s, double *x)
{
    memcpy(x, prc_sim_positions(s->sim), sizeof(double) * 3 * (size_t)prc_sim_vertex_count(s->sim));
}

ON_BOTH(a_state_that_is_saved_while_one_waits_goes_on_with_the_same_bits)
{
    double x[2][3 * 100];
    scene *s = blade_new(kind), *t = blade_new(kind);
    const int before = kind == PRC_BACKEND_CPU ? 10 : 3, after = kind == PRC_BACKEND_CPU ? 6 : 1;
    CHECK(scene_start(s) && scene_start(t) && prc_sim_vertex_count(s->sim) <= 100);
    for (int k = 0; k < before; k++)
        CHECK(step(s));
    CHECK(s->report.largest_lag > 0);
    const size_t size = prc_sim_saved_size(s->sim);
    void *bytes = malloc(size);
    prc_sim_save(s->sim, bytes);
    CHECK(prc_sim_restore(t->sim, bytes, size, &t->error) == PRC_OK);
    free(bytes);
    for (int k = 0; k < after; k++)
        CHECK(step(s) && step(t));
    copy_positions(s, x[0]);
    copy_positions(t, x[1]);
    CHECK(memcmp(x[0], x[1], sizeof(double) * 3 * (size_t)prc_sim_vertex_count(s->sim)) == 0);
    scene_free(s);
    scene_free(t);
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    double x[3][3 * 100];
    for (int t = 0; t < 3; t++) {
        scene *s = blade_new(PRC_BACKEND_CPU);
        s->def.threads = t + 1;
        CHECK(scene_start(s));
        for (int k = 0; k < 3; k++)
            CHECK(step(s));
        copy_positions(s, x[t]);
        CHECK(memcmp(x[t], x[0], sizeof(double) * 3 * (size_t)prc_sim_vertex_count(s->sim)) == 0);
        scene_free(s);
    }
}

/* --- one that yields --- */

/* Throws a sheet about, so that the prediction gives up, and all moves are left to the iterations. */
static void toss(void *context, double time, double *at)
{
    unsigned state = *(unsigned *)context;
    (void)time;
    for (int i = 0; i < 27; i++) {
        state = state * 1664525u + 1013904223u;
        at[i] += 0.24 * ((state >> 8) / 16777216.0 - 0.5);
    }
}

/* A needle turns by about half a turn in one step and ends with its tip where it was. The middle of an obstacle goes
 * straight while its frame turns, so the tip makes a loop of 3.5 mm. Its other end meets the upright sheet; when the
 * needle yields for that, its tip is somewhere on its loop, far from the straight way of length 0 that was searched,
 * and the level sheet is there. */
ON_BOTH(one_that_yields_does_not_leave_what_was_searched)
{
    const double size = 0.1, radius = 4e-3, height = 1e-3, step_length = 4e-3;
    prc_mesh sheets[4] = {{0}};
    prc_body_def bodies[4];
    prc_pin_def pins[4];
    unsigned seeds[4] = {0, 0, 1, 99};
    int all[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    double tips[6] = {0, 0, 0, -2 * radius, 0, 0};
    const int segment[2] = {0, 1};
    scene *s = scene_new(kind, 2);
    for (int b = 0; b < 4; b++) {
        sheets[b] = grid(2 * size, 2 * size, 2, 2);
        prc_mesh_transform(&sheets[b], (double[3]){1, 0, 0}, -90, 1, (double[3]){0, 0, 0});
        bodies[b] = prc_body_def_default();
        bodies[b].mesh = &sheets[b];
        pins[b] = prc_pin_def_default();
        pins[b].body = b;
        pins[b].vertices = all;
        pins[b].vertex_count = 9;
        pins[b].animate = b < 2 ? NULL : toss;
        pins[b].animate_context = &seeds[b];
    }
    prc_mesh_transform(&sheets[0], (double[3]){0, 0, 1}, 0, 1, (double[3]){0.03, height, 0.06});
    prc_mesh_transform(&sheets[1], (double[3]){0, 0, 1}, 90, 1, (double[3]){0.8 * radius, -size + 0.6 * height, 0.055});
    for (int k = 2; k < 4; k++)
        prc_mesh_transform(&sheets[k], (double[3]){0, 1, 0}, 20 * (k - 2), 1, (double[3]){0, 1 + 0.01 * (k - 2), 0});
    s->shape = (prc_mesh){.positions = tips, .vertex_count = 2};
    s->obstacle.segments = segment;
    s->obstacle.segment_count = 1;
    memcpy(s->obstacle.motion.axis, (double[3]){0, 0, -1}, sizeof s->obstacle.motion.axis);
    s->obstacle.motion.degrees_per_second = -170 / step_length;
    s->obstacle.motion.until = step_length;
    s->def.contact.thickness = 2e-4;
    s->def.time.step = step_length;
    s->def.solver = prc_sim_def_default().solver;
    s->def.bodies = bodies;
    s->def.pins = pins;
    s->def.body_count = s->def.pin_count = 4;
    s->sim = prc_sim_create(&s->def, &s->error);
    CHECK(s->sim);
    int shapes[3 * 33], count = 0;
    for (int b = 0; b < 4; b++)
        for (int k = 0; k < 24; k++)
            shapes[count++] = prc_sim_body_first_vertex(s->sim, b) + sheets[b].triangles[k];
    const int needle = prc_sim_body_first_vertex(s->sim, 4);
    memcpy(shapes + count, (int[3]){needle, needle + 1, needle + 1}, 3 * sizeof *shapes);
    for (int k = 0; k < 2; k++) {
        prc_check_options options = prc_check_options_default();
        prc_check_result found;
        CHECK(step(s));
        CHECK(prc_check_surfaces(prc_sim_positions(s->sim), prc_sim_vertex_count(s->sim), shapes, 33, &options, &found,
                                 &s->error) == PRC_OK);
        CHECK(found.crossings == 0);
        prc_check_result_release(&found);
    }
    CHECK(s->report.largest_lag > 0);
    for (int b = 0; b < 4; b++)
        prc_mesh_release(&sheets[b]);
    memset(&s->shape, 0, sizeof s->shape);
    scene_free(s);
}

/* Steps that do not converge are given up and taken in halves: what waits does so from where it was. */
TEST(one_that_waits_is_put_back_when_a_step_is_given_up)
{
    scene *s = blade_new(PRC_BACKEND_CPU);
    s->def.solver.max_substeps = 4;
    CHECK(scene_start(s));
    int retries = 0;
    for (int k = 0; k < 10; k++) {
        CHECK(step(s) && is_safe(s) && bent(s) < 1e-12);
        retries += s->report.retries;
    }
    CHECK(retries > 0);
    scene_free(s);
}

/* Rounding decides how often a plate yields before it stops, so places are not the same to the last digits. */
TEST(a_device_does_the_same)
{
    double x[2][3 * 100];
    for (int d = 0; d < 2; d++) {
        scene *s = plate_new(d ? PRC_BACKEND_DEVICE_ON_HOST : PRC_BACKEND_CPU);
        s->obstacle.motion.velocity[2] = -0.5;
        s->obstacle.motion.axis[0] = 0;
        s->obstacle.motion.axis[1] = 1;
        s->obstacle.motion.degrees_per_second = -40;
        CHECK(scene_start(s));
        for (int k = 0; k < 5; k++)
            CHECK(step(s) && bent(s) < 1e-12);
        CHECK(s->report.largest_lag > 0);
        copy_positions(s, x[d]);
        for (int i = 0; d && i < 3 * prc_sim_vertex_count(s->sim); i++)
            CHECK_NEAR(x[1][i], x[0][i], 2e-6);
        scene_free(s);
    }
}

/* --- positions that are set --- */

TEST(one_that_is_put_elsewhere_goes_on_from_there)
{
    for (int bend = 0; bend < 2; bend++) {
        double x[3 * 100];
        scene *s = blade_new(PRC_BACKEND_CPU);
        CHECK(scene_start(s));
        for (int k = 0; k < 4; k++)
            CHECK(step(s));
        copy_positions(s, x);
        for (int i = s->sheet.vertex_count; i < prc_sim_vertex_count(s->sim); i++) { /* a quarter turn, and up */
            const double a = x[3 * i], b = x[3 * i + 1];
            x[3 * i] = -b;
            x[3 * i + 1] = a;
            x[3 * i + 2] += 0.3 + (bend && i % 2 ? 1e-3 : 0);
        }
        CHECK(prc_sim_set_state(s->sim, x, NULL, &s->error) == PRC_OK);
        CHECK(step(s) && is_safe(s));
        CHECK(bend || bent(s) < 1e-9);
        CHECK(step(s) && is_safe(s));
        scene_free(s);
    }
}

/* A step that was given up leaves nothing of where it was about to go: a start that is opened after it leaves obstacles
 * where they are. */
static bool soon(void *calls)
{
    return ++*(int *)calls > 1;
}

TEST(one_whose_step_was_given_up_does_not_go_on_by_itself)
{
    prc_mesh sheets[2];
    scene *s = scene_new(PRC_BACKEND_CPU, 6);
    prc_body_def bodies[2] = {s->body, s->body};
    for (int b = 0; b < 2; b++) {
        sheets[b] = grid(0.2, 0.2, 6, 6);
        prc_mesh_transform(&sheets[b], (double[3]){1, 0, 0}, 0, 1, (double[3]){0, 0, 0.01 * b});
        bodies[b].mesh = &sheets[b];
    }
    s->def.bodies = bodies;
    s->def.body_count = 2;
    s->def.contact.start = PRC_START_PUSH_APART;
    s->shape = grid(0.1, 0.1, 2, 2);
    prc_mesh_transform(&s->shape, (double[3]){1, 0, 0}, 0, 1, (double[3]){0, 0, -0.006});
    s->obstacle.motion.velocity[0] = 3;
    s->obstacle.motion.velocity[2] = 1;
    s->pin.vertex_count = sheets[0].vertex_count; /* it cannot give way */
    for (int i = 0; i < s->pin.vertex_count; i++)
        s->rim[i] = i;
    int calls = 0;
    CHECK(scene_start(s) && step(s));
    CHECK(prc_sim_set_interrupt(s->sim, soon, &calls, &s->error) == PRC_OK && !step(s));
    CHECK(prc_sim_set_interrupt(s->sim, NULL, NULL, &s->error) == PRC_OK);
    const int n = prc_sim_vertex_count(s->sim), sheet = sheets[0].vertex_count;
    double x[3 * 200];
    CHECK(n <= 200);
    memcpy(x, prc_sim_positions(s->sim), sizeof *x * 3 * (size_t)n);
    for (int i = 0; i < sheet; i++) {
        x[3 * i + 2] += 0.1;
        x[3 * (sheet + i) + 2] = x[3 * i + 2] + 0.0015; /* too close */
    }
    CHECK(prc_sim_set_state(s->sim, x, NULL, &s->error) == PRC_OK);
    const double *now = prc_sim_positions(s->sim);
    CHECK(memcmp(now, x, sizeof *x * 3 * 2 * (size_t)sheet) != 0); /* it was opened */
    CHECK(memcmp(now + 6 * sheet, x + 6 * sheet, sizeof *x * 3 * (size_t)(n - 2 * sheet)) == 0);
    for (int b = 0; b < 2; b++)
        prc_mesh_release(&sheets[b]);
    scene_free(s);
}

TEST_MAIN()
