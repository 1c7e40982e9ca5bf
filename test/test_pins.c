/* test_pins.c — motions of pins: where they put vertices, against positions that are worked out by hand; animations;
 * what contact does to them; keys from CSV files. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include "base/memory.h"
#include "io/keys_file.h"

#include <percale/percale.h>

#include <stdlib.h>
#include <unistd.h>

#define PI 3.14159265358979323846
#define STEP 0.01

/* A sheet of 3 × 3 vertices that is pinned as a whole; without gravity nothing but its pins moves it. */
typedef struct sheet {
    prc_mesh mesh;
    prc_body_def body;
    prc_pin_def pin;
    int list[9];
    prc_sim_def def;
    prc_sim *sim;
    prc_error error;
} sheet;

static sheet *sheet_new(void)
{
    sheet *s = calloc(1, sizeof *s);
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 2;
    prc_mesh_grid(&s->mesh, &grid, NULL);
    s->body = prc_body_def_default();
    s->body.mesh = &s->mesh;
    s->pin = prc_pin_def_default();
    s->pin.vertices = s->list;
    s->pin.vertex_count = 9;
    for (int k = 0; k < 9; k++)
        s->list[k] = k;
    s->def = prc_sim_def_default();
    s->def.bodies = &s->body;
    s->def.body_count = 1;
    s->def.pins = &s->pin;
    s->def.pin_count = 1;
    s->def.gravity[1] = 0;
    s->def.time.step = STEP;
    s->def.threads = 1;
    return s;
}

static bool sheet_run(sheet *s, int steps)
{
    if (!s->sim)
        s->sim = prc_sim_create(&s->def, &s->error);
    for (int k = 0; s->sim && k < steps; k++)
        if (prc_sim_step(s->sim, NULL, &s->error) != PRC_OK)
            return false;
    return s->sim != NULL;
}

static void sheet_free(sheet *s)
{
    prc_sim_destroy(s->sim);
    prc_mesh_release(&s->mesh);
    free(s);
}

static double off(const double *a, double x, double y, double z)
{
    return fmax(fabs(a[0] - x), fmax(fabs(a[1] - y), fabs(a[2] - z)));
}

/* --- rigid motions --- */

TEST(a_screw_turns_and_advances_by_its_pitch)
{
    sheet *s = sheet_new();
    s->pin.motion.axis[1] = 0;
    s->pin.motion.axis[2] = 3;
    s->pin.motion.center[0] = 0.2;
    s->pin.motion.degrees_per_second = 90;
    s->pin.motion.pitch = 0.4;
    CHECK(sheet_run(s, 50)); /* an eighth of a turn */
    const double *x = prc_sim_positions(s->sim), c = cos(PI / 4), sine = sin(PI / 4);
    for (int i = 0; i < 9; i++) {
        const double *at = s->mesh.positions + 3 * (size_t)i;
        CHECK(off(x + 3 * (size_t)i, 0.2 + c * (at[0] - 0.2) - sine * at[1], sine * (at[0] - 0.2) + c * at[1], 0.05) <
              1e-13);
    }
    sheet_free(s);
}

TEST(smooth_keys_pass_quarters_of_their_way_where_the_cubic_says)
{
    sheet *s = sheet_new();
    const prc_pose_key keys[2] = {{.time = 0}, {.time = 0.4, .translate = {1, 0, -2}}};
    s->pin.motion.keys = keys;
    s->pin.motion.key_count = 2;
    s->pin.motion.ease = PRC_EASE_SMOOTH;
    static const double at[4] = {0.15625, 0.5, 0.84375, 1}; /* 3s² − 2s³ at the quarters */
    for (int q = 0; q < 4; q++) {
        CHECK(sheet_run(s, 10));
        CHECK(off(prc_sim_positions(s->sim) + 12, at[q], 0, -2 * at[q]) < 1e-13);
    }
    CHECK(sheet_run(s, 5));
    CHECK(off(prc_sim_positions(s->sim) + 12, 1, 0, -2) < 1e-13);
    sheet_free(s);
}

TEST(a_motion_starts_from_where_the_vertices_are_when_the_pin_takes_hold)
{
    sheet *s = sheet_new();
    const prc_pose_key keys[3] = {{.time = 0, .translate = {9, 0, 0}},
                                  {.time = 0.1, .translate = {10, 0, 0}, .axis = {0, 0, 1}, .degrees = 90},
                                  {.time = 0.2, .translate = {12, 0, 0}, .axis = {0, 0, 1}, .degrees = 180}};
    s->body.velocity[1] = 1;
    s->pin.from = 0.05;
    s->pin.motion.keys = keys;
    s->pin.motion.key_count = 3;
    CHECK(sheet_run(s, 5)); /* free flight until then */
    CHECK(off(prc_sim_positions(s->sim) + 12, 0, 0.05, 0) < 1e-12);
    CHECK(sheet_run(s, 5)); /* since 0.05 s: half a metre, and 45 degrees about the center, which is the origin */
    CHECK(off(prc_sim_positions(s->sim) + 12, 0.5 - 0.05 * sin(PI / 4), 0.05 * cos(PI / 4), 0) < 1e-12);
    CHECK(sheet_run(s, 10));
    CHECK(off(prc_sim_positions(s->sim) + 12, 2.5 - 0.05 * sin(3 * PI / 4), 0.05 * cos(3 * PI / 4), 0) < 1e-12);
    sheet_free(s);
}

TEST(the_steady_part_begins_with_the_pin_or_later_and_ends_by_itself)
{
    sheet *s = sheet_new();
    s->pin.from = 0.1;
    s->pin.motion.velocity[0] = 2;
    s->pin.motion.from = 0.2;
    s->pin.motion.until = 0.3;
    CHECK(sheet_run(s, 20));
    CHECK(off(prc_sim_positions(s->sim) + 12, 0, 0, 0) < 1e-13);
    CHECK(sheet_run(s, 5));
    CHECK(off(prc_sim_positions(s->sim) + 12, 0.1, 0, 0) < 1e-13);
    CHECK(sheet_run(s, 10));
    CHECK(off(prc_sim_positions(s->sim) + 12, 0.2, 0, 0) < 1e-13);
    sheet_free(s);
}

TEST(a_pin_from_before_the_start_does_not_jump)
{
    sheet *s = sheet_new();
    s->pin.from = -5;
    s->pin.motion.velocity[0] = 1;
    CHECK(sheet_run(s, 1));
    CHECK(off(prc_sim_positions(s->sim) + 12, STEP, 0, 0) < 1e-15);
    sheet_free(s);
}

/* --- animations --- */

/* Lifts each vertex by time × its number, wherever it was. */
static void lift(void *context, double time, double *positions)
{
    ++*(int *)context;
    for (int k = 0; k < 9; k++)
        positions[3 * k + 2] += time * k;
}

static void go_nowhere(void *context, double time, double *positions)
{
    (void)context;
    if (time > 0.025)
        positions[4] = NAN;
}

TEST(an_animation_moves_each_vertex_and_the_motion_comes_after_it)
{
    sheet *s = sheet_new();
    int calls = 0;
    s->pin.animate = lift;
    s->pin.animate_context = &calls;
    s->pin.motion.axis[0] = 1;
    s->pin.motion.axis[1] = 0;
    s->pin.motion.degrees_per_second = 900; /* a quarter turn about x: y to z, z to −y */
    CHECK(sheet_run(s, 10));
    CHECK(calls == 10);
    for (int k = 0; k < 9; k++) {
        const double *at = s->mesh.positions + 3 * (size_t)k;
        CHECK(off(prc_sim_positions(s->sim) + 3 * (size_t)k, at[0], -0.1 * k, at[1]) < 1e-13);
    }
    sheet_free(s);
}

TEST(an_animation_that_is_not_finite_ends_the_step_and_keeps_the_state)
{
    sheet *s = sheet_new();
    s->pin.animate = go_nowhere;
    CHECK(sheet_run(s, 2));
    CHECK(!sheet_run(s, 1) && s->error.code == PRC_ERROR_STATE);
    CHECK_TEXT(s->error.message, "pins[0]: at 0.03 s its animation or motion gives positions that are not finite");
    CHECK_NEAR(prc_sim_time(s->sim), 0.02, 1e-12);
    CHECK(off(prc_sim_positions(s->sim) + 12, 0, 0, 0) < 1e-15);
    sheet_free(s);
}

/* --- with contact --- */

/* A pinned sheet is screwed down onto a floor, by keys: it has to wait there, and catches up when the keys go back. */
static void press(int threads, double *x, double *lag, double *late)
{
    static const prc_pose_key keys[3] = {
        {.time = 0}, {.time = 0.1, .translate = {0, 0, -0.05}, .axis = {0, 0, 1}, .degrees = 20}, {.time = 0.2}};
    sheet *s = sheet_new();
    prc_collider_def floor = prc_collider_def_default();
    floor.shape = PRC_SHAPE_PLANE;
    floor.axis[1] = 0;
    floor.axis[2] = 1;
    floor.center[2] = -0.03;
    s->def.colliders = &floor;
    s->def.collider_count = 1;
    s->def.contact.enabled = true;
    s->def.contact.thickness = 4e-3;
    s->def.threads = threads;
    s->pin.motion.keys = keys;
    s->pin.motion.key_count = 3;
    *lag = *late = INFINITY;
    s->sim = prc_sim_create(&s->def, &s->error);
    prc_step_report report = {0};
    for (int k = 0; s->sim && k < 20; k++) {
        if (prc_sim_step(s->sim, &report, &s->error) != PRC_OK)
            break;
        if (k == 9)
            *lag = report.largest_lag;
    }
    *late = report.largest_lag;
    if (s->sim)
        memcpy(x, prc_sim_positions(s->sim), 27 * sizeof *x);
    sheet_free(s);
}

TEST(keyed_pins_wait_for_contact_and_catch_up_with_the_same_bits_on_two_threads)
{
    double x[2][27], lag, late;
    for (int t = 0; t < 2; t++) {
        press(t + 1, x[t], &lag, &late);
        CHECK(lag > 0.02 && lag < 0.03);
        CHECK(late < 1e-12);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

/* --- CSV --- */

static prc_error error;

/* Reads keys from a file of this text; −1 on failure. */
static int keys_of(const char *text, size_t size, prc_pose_key keys[8])
{
    char path[] = "/tmp/percale_keys_XXXXXX";
    const int file = mkstemp(path);
    const bool written = file >= 0 && write(file, text, size) == (ssize_t)size;
    prc_pose_key *read = NULL;
    int count = -1;
    const bool good = written && prc_keys_read(path, &read, &count, &error) == PRC_OK;
    if (file >= 0)
        close(file);
    unlink(path);
    for (int k = 0; good && k < count && k < 8; k++)
        keys[k] = read[k];
    prc_free(read);
    return good ? count : -1;
}

TEST(keys_are_read_by_position_or_by_name)
{
    static const char *const same[] = {
        "0,1,2,3\n0.5,4,5,6\n",
        "time,x,y,z\n0,1,2,3\n0.5,4,5,6",
        "# a comment\n\n  TIME; Z; Y; X \r\n0;3;2;1\r\n\r\n.5;6;5;4\r\n",
        "\xEF\xBB\xBFtime x y z\n0 1 2 3\n5e-1\t4  5 6\n",
    };
    for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
        prc_pose_key keys[8];
        CHECK(keys_of(same[k], strlen(same[k]), keys) == 2);
        CHECK(keys[0].time == 0 && keys[0].translate[0] == 1 && keys[0].translate[2] == 3 && keys[0].degrees == 0);
        CHECK(keys[1].time == 0.5 && keys[1].translate[0] == 4 && keys[1].translate[1] == 5);
    }
    prc_pose_key keys[8];
    const char *turns = "degrees,axis_x,axis_y,axis_z,time,x,y,z\n90,0,1,0,2,7,8,9\n";
    CHECK(keys_of(turns, strlen(turns), keys) == 1);
    CHECK(keys[0].degrees == 90 && keys[0].axis[1] == 1 && keys[0].time == 2 && keys[0].translate[2] == 9);
}

TEST(malformed_keys_are_refused_with_their_line)
{
    static const struct {
        const char *text, *message; /* after the name of the file */
    } cases[] = {
        {"", ": has no keys; expected lines of time, x, y, z"},
        {"time,x,y,z\n", ": has no keys; expected lines of time, x, y, z"},
        {"0,1,2\n",
         ":1: found 3 numbers; expected time, x, y, z, optionally followed by axis_x, axis_y, axis_z, degrees"},
        {"0,1,2,3\n1,2,3\n", ":2: found 3 numbers; expected 4, as in the previous lines"},
        {"0,1,2,3\n1,2,3,4,5\n", ":2: found 5 numbers; expected 4, as in the previous lines"},
        {"0,1,2,3\n\n1,2,three,4\n", ":3: found 'three'; expected a finite number"},
        {"0,1,2,nan\n", ":1: found 'nan'; expected a finite number"},
        {"0,1,2,1e999\n", ":1: found '1e999'; expected a finite number"},
        {"0,1,2,3,\n", ":1: found ''; expected a finite number"},
        {"0,,2,3\n", ":1: found ''; expected a finite number"},
        {",0,1,2\n",
         ":1: found ''; expected names of columns (time, x, y, z, axis_x, axis_y, axis_z, degrees) or numbers"},
        {"time,x,y,zed\n", ":1: found 'zed'; expected names of columns"},
        {"time,x,y,x\n", ":1: the column x is given twice"},
        {"time,x,y\n", ":1: the column z is missing"},
        {"time,x,y,z,degrees\n", ":1: the column axis_x is missing; expected time, x, y, z and either all or none of "
                                 "axis_x, axis_y, axis_z, degrees"},
        {"1,0,0,0\n1,0,0,0\n", ":2: time 1 s does not come after 1 s; keys must be in order of time"},
        {"0,0,0,0,0,0,0,90\n", ":1: 90 degrees about the axis [0, 0, 0], which has no direction"},
    };
    prc_pose_key keys[8];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        CHECK(keys_of(cases[k].text, strlen(cases[k].text), keys) == -1 && error.code == PRC_ERROR_INPUT);
        const char *tail = strstr(error.message, "percale_keys_");
        CHECK(tail != NULL);
        CHECK_TEXT(tail + strlen("percale_keys_XXXXXX"), cases[k].message);
        CHECK(strncmp(tail + strlen("percale_keys_XXXXXX"), cases[k].message, strlen(cases[k].message)) == 0);
    }
    CHECK(keys_of("0,0\0,0,0\n", 9, keys) == -1);
    CHECK_TEXT(error.message, "is not a text file; expected a table of numbers");
    prc_pose_key *none;
    int count;
    CHECK(prc_keys_read("/nowhere/keys.csv", &none, &count, &error) == PRC_ERROR_IO && !none);
    CHECK_TEXT(error.message, "/nowhere/keys.csv: cannot be opened");
}

TEST_MAIN()
