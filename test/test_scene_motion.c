/* test/test_scene_motion.c — motions in scene files: keys from CSV files, pins that follow an animation.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <percale/percale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "io/pc2.h"
#include "scene/scene.h"

static prc_scene_errors errors;
static char folder[] = "/tmp/percale_motion_XXXXXX", scene_path[100];

static bool make_folder(void)
{
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    if (!mkdtemp(folder))
        return false;
    snprintf(scene_path, sizeof scene_path, "%s/s.yaml", folder);
    return true;
}

static void remove_folder(void)
{
    static const char *const names[] = {"k.csv", "a.pc2", "f_0.obj", "f_1.obj", "part/k.csv", "part/p.yaml"};
    char path[120];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/part", folder);
    rmdir(path);
    rmdir(folder);
}

static bool write_text(const char *name, const char *text)
{
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    return file && fputs(text, file) >= 0 && fclose(file) == 0;
}

static prc_scene *parse(const char *text)
{
    return prc_scene_parse(text, strlen(text), scene_path, NULL, 0, &errors);
}

/* Steps of a hundredth of a second; the positions afterwards, or NULL. */
static prc_sim *run(const prc_scene *scene, int steps)
{
    prc_error error;
    prc_sim *sim = prc_sim_create(prc_scene_sim_def(scene), &error);
    for (int k = 0; sim && k < steps; k++)
        if (prc_sim_step(sim, NULL, &error) != PRC_OK) {
            prc_sim_destroy(sim);
            return NULL;
        }
    return sim;
}

static double off(const double *a, double x, double y, double z)
{
    return fmax(fabs(a[0] - x), fmax(fabs(a[1] - y), fabs(a[2] - z)));
}

#define SHEET                                                                                                          \
    "percale: 1\ntime: {step: 0.01}\ngravity: [0, 0, 0]\nbodies:\n"                                                    \
    "  - mesh: {grid: {size: [2, 2], cells: [2, 2]}}\n"

/* ---- keys ---- */

TEST(keys_of_pins_colliders_and_obstacles_come_from_files)
{
    CHECK(make_folder() && write_text("k.csv", "time,x,y,z\n0, 0,0,0\n0.1, 1,2,3\n"));
    prc_scene *scene = parse(SHEET "    pins: [{select: all, motion: {keys: k.csv, ease: smooth}}]\n"
                                   "colliders: [{shape: sphere, center: [0, 0, 9], motion: {keys: k.csv}}]\n"
                                   "obstacles: [{points: [[0, 0, 5]], motion: {keys: k.csv}}]\n"
                                   "contact: {enabled: true}\n");
    CHECK(scene != NULL);
    const prc_sim_def *def = prc_scene_sim_def(scene);
    CHECK(def->pins[0].motion.key_count == 2 && def->pins[0].motion.keys[1].translate[2] == 3);
    CHECK(def->colliders[0].motion.key_count == 2 && def->obstacles[0].motion.keys[1].translate[1] == 2);
    prc_sim *sim = run(scene, 5);
    CHECK(sim != NULL);
    CHECK(off(prc_sim_positions(sim) + 12, 0.5, 1, 1.5) < 1e-12);
    CHECK(off(prc_sim_positions(sim) + 27, 0.5, 1, 6.5) < 1e-12);
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
    remove_folder();
}

TEST(a_file_of_keys_stands_beside_the_file_that_names_it)
{
    char path[120];
    CHECK(make_folder());
    snprintf(path, sizeof path, "%s/part", folder);
    CHECK(mkdir(path, 0700) == 0);
    CHECK(write_text("part/k.csv", "0 7 8 9\n"));
    CHECK(write_text("part/p.yaml", "percale: 1\ncolliders: [{motion: {keys: k.csv}}]\n"));
    prc_scene *scene = parse("include: part/p.yaml\ncontact: {enabled: true}\n" SHEET);
    CHECK(scene != NULL);
    CHECK(prc_scene_sim_def(scene)->colliders[0].motion.keys[0].translate[2] == 9);
    prc_scene_destroy(scene);
    remove_folder();
}

TEST(wrong_keys_are_told_with_both_places)
{
    CHECK(make_folder() && write_text("k.csv", "0,0,0,0\n1,2,x,4\n"));
    CHECK(!parse(SHEET "    pins: [{select: all, motion: {keys: k.csv}}]\n"));
    CHECK(errors.count == 1);
    CHECK_TEXT(errors.items[0].message, "s.yaml:6:41: bodies[0].pins[0].motion.keys: /tmp/percale_motion_");
    CHECK_TEXT(errors.items[0].message, "/k.csv:2: found 'x'; expected a finite number");
    CHECK(!parse(SHEET "    pins: [{select: all, motion: {keys: none.csv}}]\n"));
    CHECK_TEXT(errors.items[0].message, "/none.csv: cannot be opened: No such file or directory");
    CHECK(!parse(SHEET "    pins: [{select: all, motion: {keys: {time: 1}}}]\n"));
    CHECK_TEXT(errors.items[0].message,
               "bodies[0].pins[0].motion.keys: found a table; expected a list of tables of pose "
               "keys, or the name of a CSV file");
    CHECK(!parse(SHEET "    pins: [{select: all, motion: {keys: [{time: 1}, {time: 1}]}}]\n"));
    CHECK_TEXT(errors.items[0].message,
               "s.yaml:6:34: bodies[0].pins[0].motion: keys[1].time: 1 s does not come after 1 "
               "s; keys must be in order of time");
    remove_folder();
}

/* ---- following ---- */

/* Two frames of 9 vertices, one per tenth of a second: vertex k stands at (k, 0, 0), and goes to (k, 1, k). */
static bool write_animation(void)
{
    float frames[2][27];
    char path[120];
    prc_error error;
    for (int k = 0; k < 9; k++) {
        const float first[3] = {(float)k, 0, 0}, last[3] = {(float)k, 1, (float)k};
        memcpy(frames[0] + 3 * k, first, sizeof first);
        memcpy(frames[1] + 3 * k, last, sizeof last);
    }
    snprintf(path, sizeof path, "%s/a.pc2", folder);
    return prc_pc2_write(path, frames[0], 9, 2, &error) == PRC_OK;
}

/* Where vertex v of SHEET was: rows of three from (−1, −1). */
static double x_of(int v)
{
    return v % 3 - 1;
}

static double y_of(int v)
{
    return v / 3 - 1; /* NOLINT(bugprone-integer-division) */
}

#define FOLLOW "    pins: [{select: {vertices: [0, 4, 7]}, follow: {file: a.pc2, frames_per_second: 10"

TEST(a_pin_follows_the_vertices_of_an_animation_and_keeps_its_offset)
{
    static const int pinned[3] = {0, 4, 7};
    static const struct {
        const char *more;
        int followed[3];
    } cases[] = {
        {"}}]\n", {0, 4, 7}},                      /* the same numbers */
        {", vertices: [8, 0, 1]}}]\n", {8, 0, 1}}, /* those given */
        {", vertices: [5]}}]\n", {5, 5, 5}},       /* one for all */
        {", by: nearest}}]\n", {0, 0, 0}},         /* (−1, −1), (0, 0) and (0, 1) are nearest to (0, 0) */
        {", by: nearest, place: {translate: [-7, 0, 0]}}}]\n", {6, 7, 7}},
    };
    CHECK(make_folder() && write_animation());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text, SHEET FOLLOW "%s", cases[k].more);
        prc_scene *scene = parse(text);
        CHECK(scene != NULL);
        prc_sim *sim = run(scene, 5);
        CHECK(sim != NULL);
        for (int p = 0; p < 3; p++) {
            const int v = pinned[p];
            CHECK(off(prc_sim_positions(sim) + 3 * (size_t)v, x_of(v), y_of(v) + 0.5, 0.5 * cases[k].followed[p]) <
                  1e-12);
        }
        prc_sim_destroy(sim);
        prc_scene_destroy(scene);
    }
    remove_folder();
}

TEST(following_begins_when_the_pin_takes_hold_and_motion_is_added)
{
    CHECK(make_folder() && write_animation());
    /* The sheet flies 0.8 m along x until 0.05 s, when half of the animation is over: two of the vertices are nearer to
     * vertex 1 at (1, 0.5, 0.5) then than to vertex 0 at (0, 0.5, 0). */
    prc_scene *scene = parse(SHEET "    velocity: [16, 0, 0]\n" FOLLOW
                                   ", by: nearest}, from: 0.05, motion: {velocity: [0, 0, 1]}}]\n");
    CHECK(scene != NULL);
    prc_sim *sim = run(scene, 10);
    CHECK(sim != NULL);
    CHECK(off(prc_sim_positions(sim), -1 + 0.8, -1 + 0.5, 0.05) < 1e-12);          /* follows vertex 0 */
    CHECK(off(prc_sim_positions(sim) + 12, 0.8, 0.5, 0.5 + 0.05) < 1e-12);         /* follows vertex 1 */
    CHECK(off(prc_sim_positions(sim) + 21, 0.8, 1 + 0.5, 0.5 * 1 + 0.05) < 1e-12); /* and so does this one */
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
    remove_folder();
}

TEST(frames_are_placed_and_instances_follow_in_their_own_place)
{
    CHECK(make_folder() && write_animation());
    /* Turned by 90 degrees about x and twice as large: what went along y goes along z, along z along −y. The second
     * instance is turned by 180 degrees about y besides: z is −z. */
    prc_scene *scene = parse(SHEET "    instances: {count: 2, offset: [0, 10, 0], rotate: {axis: [0, 1, 0], degrees: "
                                   "180}}\n" FOLLOW ", place: {rotate: {axis: [1, 0, 0], degrees: 90}, scale: 2}}}]\n");
    CHECK(scene != NULL);
    prc_sim *sim = run(scene, 10);
    CHECK(sim != NULL);
    const double *x = prc_sim_positions(sim);
    CHECK(off(x + 12, 0, -8, 2) < 1e-12);
    CHECK(off(x + 27 + 12, 0, 10 - 8, -2) < 1e-12);
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
    remove_folder();
}

TEST(numbered_meshes_can_be_followed_too)
{
    CHECK(make_folder());
    CHECK(write_text("f_0.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    CHECK(write_text("f_1.obj", "v 0 0 4\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"));
    prc_scene *scene = parse(SHEET "    pins: [{select: {vertices: [0]}, follow: {pattern: f_%d.obj, "
                                   "frames_per_second: 20}}]\n");
    CHECK(scene != NULL);
    prc_sim *sim = run(scene, 3);
    CHECK(sim != NULL);
    CHECK(off(prc_sim_positions(sim), -1, -1, 4 * 0.6) < 1e-12);
    prc_sim_destroy(sim);
    prc_scene_destroy(scene);
    remove_folder();
}

TEST(following_gives_the_same_bits_on_two_threads)
{
    double x[2][27];
    CHECK(make_folder() && write_animation());
    for (int t = 0; t < 2; t++) {
        char text[700];
        snprintf(text, sizeof text, "threads: %d\n" SHEET FOLLOW ", by: nearest}}]\n", t + 1);
        prc_scene *scene = parse(text);
        CHECK(scene != NULL);
        prc_sim *sim = run(scene, 12);
        CHECK(sim != NULL);
        memcpy(x[t], prc_sim_positions(sim), sizeof x[t]);
        prc_sim_destroy(sim);
        prc_scene_destroy(scene);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
    remove_folder();
}

TEST(what_cannot_be_followed_is_told)
{
    static const struct {
        const char *follow, *message;
    } cases[] = {
        {"{file: b.pc2}", "/b.pc2: cannot be opened"},
        {"{}", ".follow: expected one of file and pattern"},
        {"{file: a.pc2, pattern: b_%d.obj}", ".follow: expected one of file and pattern"},
        {"{file: a.pc2, vertices: [9]}", ".follow: vertices: there is no vertex 9; the animation has 0 to 8"},
        {"{file: a.pc2, vertices: [1, 2]}",
         ".follow: vertices: 2 given; expected one for each of the 25 pinned vertices, or a single one"},
        {"{file: a.pc2, vertices: [1], by: nearest}",
         ".follow: by and vertices are both given; expected only one of them"},
        {"{file: a.pc2}",
         ".follow: vertex 9 is pinned, but the animation has vertices 0 to 8; expected an animation of the same "
         "vertices, or by: nearest, or vertices"},
        {"{file: a.pc2, by: nearst}",
         ".follow.by: 'nearst' is unknown; expected one of number, nearest; did you mean 'nearest'?"},
    };
    CHECK(make_folder() && write_animation());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "percale: 1\nbodies: [{mesh: {grid: {cells: [4, 4]}}, pins: [{select: all, follow: %s}]}]\n",
                 cases[k].follow);
        CHECK(!parse(text));
        CHECK(errors.count == 1);
        CHECK_TEXT(errors.items[0].message, "s.yaml:2:");
        CHECK_TEXT(errors.items[0].message, cases[k].message);
    }
    remove_folder();
}

TEST_MAIN()
