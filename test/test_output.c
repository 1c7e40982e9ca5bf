/* test/test_output.c — the output of a run, its writer between threads: frames whole, in order and never lost.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "harness.h"
#include "io/file.h"
#include "io/ply.h"
#include "output.h"

static char folder[] = "/tmp/percale-output-XXXXXX", room[60];
static prc_mesh mesh;
static prc_body_def body;
static prc_sim_def def;
static prc_sim *sim;
static prc_error error;
static prc_output output;

static bool begin(int formats)
{
    static int serial;
    if (!serial && !mkdtemp(folder))
        return false;
    snprintf(room, sizeof room, "%s/%d", folder, serial++);
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 6;
    if (prc_mesh_grid(&mesh, &grid, &error))
        return false;
    body = prc_body_def_default();
    body.mesh = &mesh;
    body.name = "sheet";
    def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.threads = 2;
    def.output.formats = formats;
    def.output.stress = def.output.curvature = def.output.energy = true;
    sim = prc_sim_create(&def, &error);
    return sim != NULL;
}

/* Takes steps, each with a frame; how many frames were taken over. */
static int run(int steps)
{
    for (int k = 0; k < steps; k++) {
        prc_step_report report = {0};
        if (prc_output_frame(&output, sim, &error))
            return k;
        if (prc_sim_step(sim, &report, &error))
            return -1;
        prc_output_step(&output, k + 1, &report);
    }
    return steps;
}

static bool same_files(const char *a, const char *b)
{
    char *first, *second;
    size_t size, other;
    if (prc_file_read(a, &first, &size, &error) || prc_file_read(b, &second, &other, &error))
        return false;
    const bool same = size == other && !memcmp(first, second, size);
    prc_free(first);
    prc_free(second);
    return same;
}

static const char *file_in(const char *where, const char *name)
{
    static char paths[2][200];
    static int turn;
    turn = !turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", where, name);
    return paths[turn];
}

TEST(frames_come_out_in_order_and_whole)
{
    CHECK(begin(PRC_FORMAT_PLY | PRC_FORMAT_OBJ | PRC_FORMAT_PC2 | PRC_FORMAT_VTKHDF));
    CHECK(prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK);
    CHECK(run(20) == 20);
    prc_output_mark mark;
    CHECK(prc_output_flush(&output, &mark, &error) == PRC_OK);
    CHECK(mark.frames == 20 && mark.whole && !mark.frames_data && output.seconds_writer > 0);
    prc_frames_kind kinds[PRC_FRAMES_KINDS];
    CHECK(prc_frames_list(&output.frames, 20, kinds) == 4);
    CHECK(!strcmp(kinds[1].last, "frame_00019.obj") && !strcmp(kinds[3].first, "body_00_sheet.pc2"));
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    double before = INFINITY;
    for (int k = 0; k < 20; k++) { /* it falls */
        char name[40];
        prc_mesh frame;
        snprintf(name, sizeof name, "frame_%05d.ply", k);
        CHECK(prc_mesh_read(&frame, file_in(room, name), &error) == PRC_OK);
        const double height = frame.positions[1];
        prc_mesh_release(&frame);
        CHECK(height < before);
        before = height;
    }
}

TEST(double_precision_frames_hold_every_bit)
{
    CHECK(begin(PRC_FORMAT_PLY));
    def.output.precision = PRC_PRECISION_DOUBLE;
    CHECK(prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK);
    prc_step_report report = {0};
    CHECK(prc_sim_step(sim, &report, &error) == PRC_OK);
    CHECK(prc_output_frame(&output, sim, &error) == PRC_OK && prc_output_close(&output, &error) == PRC_OK);
    prc_mesh frame;
    CHECK(prc_mesh_read(&frame, file_in(room, "frame_00000.ply"), &error) == PRC_OK);
    const bool same = !memcmp(frame.positions, prc_sim_positions(sim), 3 * (size_t)mesh.vertex_count * sizeof(double));
    prc_mesh_release(&frame);
    CHECK(same);
}

/* A folder in the way of a frame: it and those behind it cannot be written. They are in the mark, and a run that goes
 * on from there ends with the same files as one that never failed. */
TEST(frames_that_could_not_be_written_are_kept_for_later)
{
    const int formats = PRC_FORMAT_PLY | PRC_FORMAT_PC2;
    char whole[60];
    CHECK(begin(formats) && prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK && run(6) == 6);
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    snprintf(whole, sizeof whole, "%s", room);

    CHECK(begin(formats) && prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK);
    char blocked[200];
    snprintf(blocked, sizeof blocked, "%s", file_in(room, "frame_00002.ply"));
    CHECK(mkdir(blocked, 0777) == 0);
    const int taken = run(6); /* 2 and up to 3 more are taken before the failure is known */
    CHECK(taken >= 3 && taken <= 6);
    prc_output_mark mark;
    CHECK(prc_output_flush(&output, &mark, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "frame_00002.ply: cannot be written: it exists and is a directory");
    CHECK(prc_output_frame(&output, sim, &error) == PRC_ERROR_IO);
    CHECK(mark.whole && mark.frames == 2);
    const size_t frame = output.frames.layout.count * sizeof(double);
    CHECK(mark.frames_size == (size_t)(taken - 2) * frame);
    void *kept = malloc(mark.frames_size);
    CHECK(kept != NULL);
    memcpy(kept, mark.frames_data, mark.frames_size);
    mark.frames_data = kept;
    mark.steps_rows = NULL;
    CHECK(prc_output_close(&output, &error) == PRC_ERROR_IO);

    CHECK(rmdir(blocked) == 0);
    prc_result result = prc_output_open(&output, room, NULL, &def, &mark, &error);
    free(kept);
    CHECK(result == PRC_OK && output.frame_count == taken);
    CHECK(run(6 - taken) == 6 - taken);
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    for (int k = 0; k < 6; k++) {
        char name[40];
        snprintf(name, sizeof name, "frame_%05d.ply", k);
        CHECK(same_files(file_in(whole, name), file_in(room, name)));
    }
    CHECK(same_files(file_in(whole, "body_00_sheet.pc2"), file_in(room, "body_00_sheet.pc2")));
    CHECK(same_files(file_in(whole, "body_00_sheet.obj"), file_in(room, "body_00_sheet.obj")));
}

TEST(a_new_run_clears_the_frames_of_the_one_before_and_nothing_else)
{
    CHECK(begin(PRC_FORMAT_PLY | PRC_FORMAT_OBJ | PRC_FORMAT_PC2 | PRC_FORMAT_VTKHDF));
    CHECK(prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK && run(3) == 3);
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    static const char *const kept[] = {"notes.txt", "frame_00001.png", "body_00.txt", "body_0.pc2",
                                       "frames.vtkhdf.old"};
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        FILE *file = fopen(file_in(room, kept[k]), "w");
        CHECK(file && fclose(file) == 0);
    }
    def.output.formats = 0;
    CHECK(prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK);
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    static const char *const gone[] = {"frame_00002.ply", "frame_00000.obj", "frames.vtkhdf", "body_00_sheet.pc2",
                                       "body_00_sheet.obj"};
    for (size_t k = 0; k < sizeof gone / sizeof *gone; k++)
        CHECK(access(file_in(room, gone[k]), F_OK) != 0);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
        CHECK(access(file_in(room, kept[k]), F_OK) == 0);
}

TEST(a_vtkhdf_series_goes_on_from_a_mark)
{
    CHECK(begin(PRC_FORMAT_VTKHDF) && prc_output_open(&output, room, NULL, &def, NULL, &error) == PRC_OK);
    CHECK(run(5) == 5);
    prc_output_mark mark;
    CHECK(prc_output_flush(&output, &mark, &error) == PRC_OK && mark.frames == 5);
    CHECK(run(5) == 5 && prc_output_close(&output, &error) == PRC_OK);
    mark.steps_rows = NULL;
    CHECK(prc_output_open(&output, room, NULL, &def, &mark, &error) == PRC_OK);
    CHECK(prc_vtkhdf_described(output.frames.vtkhdf) == 5 && run(2) == 2);
    CHECK(prc_output_close(&output, &error) == PRC_OK);
    def.output.stress = false;
    CHECK(prc_output_open(&output, room, NULL, &def, &mark, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "frames.vtkhdf: cannot be continued: it contains another mesh, or other fields");
}

/* ---- the report of a step, and its list ---- */

#define TYPE_REAL double
#define TYPE_INT int
#define TYPE_BOOL bool
#define TYPE_TEXT const char *
#define TYPE_VECTOR double *

static const struct {
    const char *name;
    bool typed; /* it is what the list says */
} listed[] = {
#define PRC_REPORT(name, type, tries, unit, meaning)                                                                   \
    {#name, _Generic(((prc_step_report *)0)->name, TYPE_##type : true, default : false)},
#include "step/report.inl"
};
#define LISTED ((int)(sizeof listed / sizeof *listed))

/* The next member of a struct in C, into `name`: a word before a comma, a semicolon or a bracket. NULL at its end. */
static const char *next_member(const char *c, char name[40])
{
    while (*c != '}') {
        int length = 0;
        if (!strncmp(c, "/*", 2)) {
            c = strstr(c, "*/") + 2;
            continue;
        }
        while (c[length] == '_' || (c[length] >= 'a' && c[length] <= 'z'))
            length++;
        if (length && strchr(",;[", c[length])) {
            snprintf(name, 40, "%.*s", length, c);
            return c + length;
        }
        c += length ? length : 1;
    }
    return NULL;
}

TEST(every_member_of_a_step_report_is_in_its_list)
{
    char *text = NULL;
    size_t size;
    char name[40];
    int members = 0;
    CHECK(prc_file_read(PRC_TEST_SOURCE "/include/percale/sim.h", &text, &size, &error) == PRC_OK);
    const char *c = text ? strstr(text, "typedef struct prc_step_report {") : NULL;
    CHECK(c != NULL);
    for (c = c ? strchr(c, '{') : c; c && (c = next_member(c, name)); members++) {
        int k = 0;
        while (k < LISTED && strcmp(listed[k].name, name) != 0)
            k++;
        if (k == LISTED)
            printf("%s is not in step/report.inl\n", name);
        CHECK(k < LISTED && listed[k].typed);
    }
    CHECK(members == LISTED);
    prc_free(text);
}

int main(int argc, char **argv)
{
    char command[100];
    int failed = prc_test_main(argc, argv);
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 99 : failed;
}
