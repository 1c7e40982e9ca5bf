/* test/test_vertex_cache.c — animated vertices from PC2 files and from numbered meshes, good and damaged ones; and an
 * animated mannequin as an obstacle, where the data is there.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <percale/percale.h>

#include "base/memory.h"
#include "io/pc2.h"
#include "io/vertex_cache.h"

#include <stdlib.h>
#include <unistd.h>

static char folder[200];

static const char *path_to(const char *name)
{
    static char paths[4][500];
    static int turn;
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static const char *const names[] = {"a.pc2", "bad.pc2", "f_0000.obj", "f_0001.obj", "f_0002.obj", "g1.obj", "g2.obj"};

__attribute__((constructor)) static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/percale-test-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        perror(folder);
}

__attribute__((destructor)) static void remove_folder(void)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        remove(path_to(names[k]));
    rmdir(folder);
}

static bool write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    const bool ok = file && fwrite(data, 1, size, file) == size;
    return file && fclose(file) == 0 && ok;
}

/* --- PC2 --- */

static const float two_frames[12] = {0, 1, 2, 3, 4, 5, 10, 11, -12, 13.5f, 14, 15};

TEST(a_pc2_file_comes_back_as_it_was_written)
{
    float *positions;
    int points, samples;
    CHECK(prc_pc2_write(path_to("a.pc2"), two_frames, 2, 2, NULL) == PRC_OK);
    CHECK(prc_pc2_read(path_to("a.pc2"), &positions, &points, &samples, NULL) == PRC_OK);
    CHECK(points == 2 && samples == 2 && memcmp(positions, two_frames, sizeof two_frames) == 0);
    prc_free(positions);
    unsigned char bytes[100];
    FILE *file = fopen(path_to("a.pc2"), "rb");
    CHECK(file != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    CHECK(size == 32 + 48 && memcmp(bytes, "POINTCACHE2\0\1\0\0\0\2\0\0\0\0\0\0\0\0\0\x80\x3f\2\0\0\0", 32) == 0);
}

TEST(damaged_pc2_files_are_refused_with_the_reason)
{
    static const struct {
        int at;
        unsigned char byte;
        int size;
        const char *says;
    } cases[] = {{0, 'X', 80, "this is not a PC2 file"},
                 {12, 2, 80, "found version 2; expected 1"},
                 {16, 0, 80, "0 points and 2 samples"},
                 {28, 0, 80, "2 points and 0 samples"},
                 {28, 3, 80, "the file is truncated or damaged"},
                 {19, 0x7f, 80, "points"},
                 {30, 0x7f, 80, "the file is truncated or damaged"},
                 {11, 0, 79, "47 bytes follow the header"},
                 {11, 0, 81, "49 bytes follow the header"},
                 {11, 0, 31, "this is not a PC2 file"},
                 {35 + 24, 0x7f, 80, "sample 1: point 0 is not finite"},
                 {11, 0, 0, "this is not a PC2 file"}};
    unsigned char good[81] = {0};
    CHECK(prc_pc2_write(path_to("a.pc2"), two_frames, 2, 2, NULL) == PRC_OK);
    FILE *file = fopen(path_to("a.pc2"), "rb");
    CHECK(file != NULL);
    CHECK(fread(good, 1, 80, file) == 80);
    fclose(file);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        unsigned char bytes[81];
        float *positions;
        int points, samples;
        prc_error error;
        memcpy(bytes, good, sizeof bytes);
        bytes[cases[k].at] = cases[k].byte;
        if (cases[k].at == 35 + 24)
            bytes[34 + 24] = 0x80; /* an infinity */
        CHECK(write_file(path_to("bad.pc2"), bytes, (size_t)cases[k].size));
        CHECK(prc_pc2_read(path_to("bad.pc2"), &positions, &points, &samples, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, cases[k].says);
        CHECK(positions == NULL);
    }
    prc_vertex_cache cache;
    prc_error error;
    CHECK(prc_vertex_cache_open(&cache, path_to("missing.pc2"), &error) == PRC_ERROR_IO);
    CHECK(cache.positions == NULL && cache.vertex_count == 0);
}

/* --- caches --- */

TEST(frames_are_joined_by_lines_and_hold_at_the_ends)
{
    prc_vertex_cache cache;
    CHECK(prc_pc2_write(path_to("a.pc2"), two_frames, 2, 2, NULL) == PRC_OK);
    CHECK(prc_vertex_cache_open(&cache, path_to("a.pc2"), NULL) == PRC_OK);
    CHECK(cache.vertex_count == 2 && cache.frame_count == 2 && cache.frames_per_second == 25 && cache.start == 0);
    cache.frames_per_second = 10;
    cache.start = 1;
    double x[6];
    static const double times[] = {-5, 1, 1.05, 1.1, 99}, share[] = {0, 0, 0.5, 1, 1};
    for (int k = 0; k < 5; k++) {
        prc_vertex_cache_sample(&cache, times[k], x);
        for (int c = 0; c < 6; c++)
            CHECK_NEAR(x[c], (double)two_frames[c] * (1 - share[k]) + share[k] * (double)two_frames[6 + c], 1e-12);
    }
    prc_vertex_cache_release(&cache);
}

static bool write_triangle(const char *name, double height, bool extra)
{
    char text[200];
    snprintf(text, sizeof text, "v 0 %g 0\nv 1 %g 0\nv 0 %g 1\n%sf 1 2 3\n", height, height, height,
             extra ? "v 5 5 5\n" : "");
    return write_file(path_to(name), text, strlen(text));
}

TEST(numbered_meshes_are_frames)
{
    prc_vertex_cache cache;
    prc_error error;
    CHECK(write_triangle("f_0000.obj", 0, false) && write_triangle("f_0001.obj", 2, false));
    CHECK(prc_vertex_cache_open(&cache, path_to("f_%04d.obj"), &error) == PRC_OK);
    CHECK(cache.vertex_count == 3 && cache.frame_count == 2);
    double x[9];
    prc_vertex_cache_sample(&cache, 0.01, x);
    CHECK_NEAR(x[1], 0.5, 1e-12);
    prc_vertex_cache_release(&cache);
    CHECK(write_triangle("g1.obj", 0, false) && write_triangle("g2.obj", 1, false)); /* from 1, without zeros */
    CHECK(prc_vertex_cache_open(&cache, path_to("g%d.obj"), &error) == PRC_OK);
    CHECK(cache.frame_count == 2);
    prc_vertex_cache_release(&cache);
    CHECK(write_triangle("f_0002.obj", 0, true));
    CHECK(prc_vertex_cache_open(&cache, path_to("f_%04d.obj"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "f_0002.obj: found 4 vertices; the previous frames have 3");
    CHECK(prc_vertex_cache_open(&cache, path_to("h_%d.obj"), &error) != PRC_OK);
    CHECK_TEXT(error.message, "h_1.obj");
    static const char *const wrong[] = {"f.obj", "f_%s.obj", "f_%04d_%d.obj", "f_%n.obj", "f_%012d.obj", "f_%"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        CHECK(prc_vertex_cache_open(&cache, path_to(wrong[k]), &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, "expected a .pc2 or .mdd file, or a name with one %d");
    }
}

/* --- an animation made by others --- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

static void play(void *context, double time, double *positions)
{
    prc_vertex_cache_sample(context, time, positions);
}

TEST(a_mannequin_that_kicks_is_an_obstacle)
{
    if (access(data_path("garments/mannequin_kick.pc2"), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    prc_mesh body, sheet;
    prc_vertex_cache cache;
    prc_error error;
    CHECK(prc_mesh_read(&body, data_path("garments/mannequin.obj"), &error) == PRC_OK);
    CHECK(prc_vertex_cache_open(&cache, data_path("garments/mannequin_kick.pc2"), &error) == PRC_OK);
    CHECK(cache.vertex_count == body.vertex_count && cache.frame_count == 121);
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 4;
    grid.size[0] = grid.size[1] = 0.3;
    CHECK(prc_mesh_grid(&sheet, &grid, NULL) == PRC_OK);
    prc_mesh_transform(&sheet, (double[3]){1, 0, 0}, -90, 1, (double[3]){0, 3, 0});
    prc_body_def cloth = prc_body_def_default();
    cloth.mesh = &sheet;
    prc_obstacle_def obstacle = prc_obstacle_def_default();
    obstacle.mesh = &body;
    obstacle.animate = play;
    obstacle.animate_context = &cache;
    prc_sim_def def = prc_sim_def_default();
    def.contact.enabled = true;
    def.bodies = &cloth;
    def.obstacles = &obstacle;
    def.body_count = def.obstacle_count = 1;
    def.time.step = 0.02;
    prc_sim *sim = prc_sim_create(&def, &error);
    CHECK_TEXT(sim ? "made" : error.message, "made");
    prc_step_report report = {0};
    for (int k = 0; k < 4; k++)
        CHECK(prc_sim_step(sim, &report, &error) == PRC_OK);
    CHECK(report.largest_lag == 0 && report.smallest_stretch > 0.9);
    const double *x = prc_sim_positions(sim) + 3 * prc_sim_body_first_vertex(sim, 1);
    for (int i = 0; i < 3 * body.vertex_count; i++) /* frame 2, at 25 per second */
        CHECK_NEAR(x[i], (double)cache.positions[6 * body.vertex_count + i], 1e-9);
    prc_sim_destroy(sim);
    prc_vertex_cache_release(&cache);
    prc_mesh_release(&body);
    prc_mesh_release(&sheet);
}

TEST_MAIN()
