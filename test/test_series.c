/* test/test_series.c — files that grow frame by frame, and what is read back from them. Whether other programs read the
 * VTKHDF file is shown by test_results.sh. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/memory.h"
#include "harness.h"
#include <percale/mesh.h>

#include "io/file.h"
#include "io/hdf5.h"
#include "io/obj_write.h"
#include "io/pc2.h"
#include "io/pc2_series.h"
#include "io/vtkhdf.h"

static char folder[] = "/tmp/percale-series-XXXXXX";
static prc_error error;

static const char *path_to(const char *name)
{
    static char path[100];
    static bool made;
    if (!made)
        made = mkdtemp(folder) != NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* ---- VTKHDF ---- */

enum { POINTS = 7 };
static const int triangles[] = {0, 1, 2, 1, 3, 2}, edges[] = {4, 5}, body[POINTS] = {0, 0, 0, 0, 1, 1, 2};

static prc_vtkhdf_def small(void)
{
    return (prc_vtkhdf_def){.vertex_count = POINTS,
                            .triangle_count = 2,
                            .edge_count = 1,
                            .triangles = triangles,
                            .edges = edges,
                            .body = body,
                            .fields = {{"velocity", 3, 0}, {"gap", 1, 2}},
                            .field_count = 2};
}

static prc_result add(prc_vtkhdf *file, int frame)
{
    double positions[3 * POINTS], pairs[2 * POINTS];
    for (int i = 0; i < 3 * POINTS; i++)
        positions[i] = frame + 0.125 * i;
    for (int i = 0; i < 2 * POINTS; i++)
        pairs[i] = 1000 * frame + i;
    const double *values[] = {positions, pairs + 1};
    return prc_vtkhdf_add(file, 0.5 * frame, positions, values, &error);
}

/* Frames [from, end) into a file, closed. */
static bool write_frames(const char *path, int from, int end)
{
    const prc_vtkhdf_def def = small();
    prc_vtkhdf *file = prc_vtkhdf_open(path, &def, from, &error);
    if (!file)
        return false;
    bool good = true;
    for (int k = from < 0 ? 0 : from; k < end && good; k++)
        good = add(file, k) == PRC_OK;
    return prc_vtkhdf_close(file, &error) == PRC_OK && good;
}

static bool is_hdf5(const char *path)
{
    char *data;
    size_t size;
    if (prc_file_read(path, &data, &size, &error))
        return false;
    const bool good = size > PRC_HDF5_SUPERBLOCK && !memcmp(data, "\x89HDF\r\n\x1a\n", 8);
    prc_free(data);
    return good;
}

TEST(a_vtkhdf_file_appears_with_its_first_frame)
{
    const char *path = path_to("first.vtkhdf");
    const prc_vtkhdf_def def = small();
    prc_vtkhdf *file = prc_vtkhdf_open(path, &def, -1, &error);
    CHECK(file != NULL);
    CHECK(access(path, F_OK) != 0);
    CHECK(add(file, 0) == PRC_OK);
    CHECK(is_hdf5(path) && prc_vtkhdf_described(file) == 1);
    CHECK(prc_vtkhdf_close(file, &error) == PRC_OK);
    CHECK(unlink(path) == 0);
}

TEST(a_vtkhdf_file_without_frames_leaves_nothing)
{
    const char *path = path_to("none.vtkhdf");
    const prc_vtkhdf_def def = small();
    prc_vtkhdf *file = prc_vtkhdf_open(path, &def, -1, &error);
    CHECK(file != NULL && prc_vtkhdf_close(file, &error) == PRC_OK);
    CHECK(access(path, F_OK) != 0 && access(path_to("none.vtkhdf.tmp"), F_OK) != 0);
}

/* Frames that were cut off give their places to those that come instead: the file does not grow by them. */
TEST(a_vtkhdf_file_goes_on_where_it_is_told)
{
    char path[100];
    struct stat before, after;
    snprintf(path, sizeof path, "%s", path_to("on.vtkhdf"));
    CHECK(write_frames(path, -1, 300) && stat(path, &before) == 0);
    for (int k = 0; k < 20; k++)
        CHECK(write_frames(path, 100 + k, 300));
    CHECK(stat(path, &after) == 0);
    CHECK(after.st_size <= before.st_size + before.st_size / 4);
    CHECK(!write_frames(path, 301, 302));
    CHECK_TEXT(error.message, "it contains 300 frames, expected at least 301");
    CHECK(unlink(path) == 0);
}

TEST(a_vtkhdf_file_of_something_else_is_not_gone_on_with)
{
    char path[100];
    snprintf(path, sizeof path, "%s", path_to("other.vtkhdf"));
    CHECK(!write_frames(path, 3, 4));
    CHECK_TEXT(error.message, "cannot be continued: No such file");
    CHECK(write_frames(path, -1, 5));
    prc_vtkhdf_def def = small();
    def.fields[0].name = "speed";
    CHECK(!prc_vtkhdf_open(path, &def, 3, &error));
    CHECK_TEXT(error.message, "it contains another mesh, or other fields");
    prc_file *file = prc_file_open(path, &error);
    CHECK(file != NULL);
    for (int k = 0; k < 100; k++)
        prc_file_printf(file, "not at all a file of percale\n");
    CHECK(prc_file_commit(file, &error) == PRC_OK);
    CHECK(!write_frames(path, 3, 4));
    CHECK_TEXT(error.message, "percale did not write this file");
    CHECK(unlink(path) == 0);
}

/* The note that it goes on from is damaged at every place in turn. */
TEST(a_damaged_vtkhdf_file_is_refused_or_gone_on_with_but_never_trusted)
{
    char path[100];
    snprintf(path, sizeof path, "%s", path_to("damaged.vtkhdf"));
    CHECK(write_frames(path, -1, 5));
    char *data;
    size_t size;
    CHECK(prc_file_read(path, &data, &size, &error) == PRC_OK);
    for (size_t at = PRC_HDF5_SUPERBLOCK; at < PRC_HDF5_SUPERBLOCK + 96; at++)
        for (int value = 0; value < 256; value += 85) {
            prc_file *file = prc_file_open(path, &error);
            const char byte = data[at];
            data[at] = (char)value;
            prc_file_write(file, data, value == 85 ? size / 2 : size);
            data[at] = byte;
            CHECK(prc_file_commit(file, &error) == PRC_OK);
            write_frames(path, 3, 5);
        }
    prc_free(data);
    CHECK(unlink(path) == 0);
}

/* A limit on the size of files stands for a disk that fills up: whatever its size, the frames before can be read. */
TEST(a_frame_that_has_no_room_leaves_those_before_it)
{
    char path[100];
    struct rlimit before, limit;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, SIG_IGN);
    snprintf(path, sizeof path, "%s", path_to("room.vtkhdf"));
    for (rlim_t size = 200000; size < 500000; size += 7777) {
        const prc_vtkhdf_def def = small();
        limit = (struct rlimit){size, before.rlim_max};
        prc_vtkhdf *file = prc_vtkhdf_open(path, &def, -1, &error);
        CHECK(file != NULL && setrlimit(RLIMIT_FSIZE, &limit) == 0);
        int frames = 0;
        while (frames < 5000 && add(file, frames) == PRC_OK)
            frames++;
        const bool flushed = prc_vtkhdf_flush(file, NULL) == PRC_OK;
        const int described = prc_vtkhdf_described(file);
        prc_vtkhdf_close(file, NULL);
        CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
        CHECK(frames > 0 && frames < 5000 && flushed && described == frames);
        CHECK(write_frames(path, frames, frames + 1));
    }
    CHECK(unlink(path) == 0);
}

TEST(a_full_disk_is_told_with_what_is_free_there)
{
    const prc_vtkhdf_def def = small();
    const char *device = path_to("full.vtkhdf.tmp"); /* a node, since links are not followed */
    if (mknod(device, S_IFCHR | 0666, makedev(1, 7)) || access(device, W_OK))
        SKIP("no device that is always full can be made here");
    CHECK(!prc_vtkhdf_open(path_to("full.vtkhdf"), &def, -1, &error));
    CHECK(error.code == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "full.vtkhdf: could not be written: No space left on device (");
    CHECK_TEXT(error.message, "MB are free there); free some space, or write to another disk");
}

/* ---- PC2 ---- */

static bool add_samples(const char *path, int from, int end)
{
    prc_pc2_series *series = prc_pc2_series_open(path, 2, from, &error);
    bool good = series != NULL;
    for (int k = from < 0 ? 0 : from; k < end && good; k++) {
        const double positions[6] = {k, k + 0.5, -k, 1, 2, 3};
        good = prc_pc2_series_add(series, positions, &error) == PRC_OK;
    }
    return prc_pc2_series_close(series, &error) == PRC_OK && good;
}

TEST(a_pc2_file_reads_back_as_it_was_written_and_can_go_on)
{
    char path[100];
    float *positions;
    int points, samples;
    snprintf(path, sizeof path, "%s", path_to("a.pc2"));
    CHECK(add_samples(path, -1, 10));
    FILE *file = fopen(path, "ab"); /* a sample that a kill cut short */
    CHECK(file && fputs("half", file) >= 0 && fclose(file) == 0);
    CHECK(prc_pc2_read(path, &positions, &points, &samples, &error) != PRC_OK);
    CHECK(add_samples(path, 7, 20));
    CHECK(prc_pc2_read(path, &positions, &points, &samples, &error) == PRC_OK);
    CHECK(points == 2 && samples == 20);
    for (int k = 0; k < samples; k++)
        CHECK(positions[6 * k] == (float)k && positions[6 * k + 1] == (float)k + 0.5F && positions[6 * k + 5] == 3);
    prc_free(positions);
    CHECK(!add_samples(path, 21, 22));
    CHECK_TEXT(error.message, "expected a PC2 file of 2 points and at least 21 samples");
    CHECK(unlink(path) == 0);
}

/* ---- OBJ ---- */

TEST(an_obj_frame_reads_back_as_it_was_written)
{
    const double positions[] = {0, 0, 0, 1.0 / 3, 0, 0, 0, -1e-7, 12345.678, 5, 5, 5, 6, 5, 5, 5, 6, 5};
    const double texture[] = {0, 0, 1, 0, 0.1, 1};
    const int faces[] = {0, 1, 2, 3, 4, 5};
    const prc_obj_part parts[] = {{"first one", 3, 1, 0, NULL}, {NULL, 3, 1, 0, texture}};
    for (int is_double = 0; is_double < 2; is_double++) {
        const prc_obj_frame frame = {parts, 2, positions, faces, NULL, "a comment", is_double};
        prc_mesh mesh;
        CHECK(prc_obj_write_frame(path_to("a.obj"), &frame, &error) == PRC_OK);
        CHECK(prc_mesh_read(&mesh, path_to("a.obj"), &error) == PRC_OK);
        CHECK(mesh.vertex_count == 6 && mesh.triangle_count == 2);
        for (int k = 0; k < 18; k++)
            CHECK(is_double ? mesh.positions[k] == positions[k] : (float)mesh.positions[k] == (float)positions[k]);
        CHECK(memcmp(mesh.triangles, faces, sizeof faces) == 0);
        prc_mesh_release(&mesh);
    }
    char *text;
    size_t size;
    CHECK(prc_file_read(path_to("a.obj"), &text, &size, &error) == PRC_OK);
    CHECK_TEXT(text, "# a comment\no first_one\nv 0 0 0\n");
    CHECK_TEXT(text, "o body_1\n");
    CHECK_TEXT(text, "f 4/1 5/2 6/3\n");
    prc_free(text);
    CHECK(unlink(path_to("a.obj")) == 0);
}

int main(int argc, char **argv)
{
    int failed = prc_test_main(argc, argv);
    unlink(path_to("full.vtkhdf.tmp"));
    rmdir(folder);
    return failed;
}
