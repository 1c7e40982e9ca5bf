/* test/test_checkpoint.c — checkpoints: what comes back, and everything that must not.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "harness.h"
#include "io/checkpoint.h"
#include "io/csv.h"
#include "io/file.h"

/* ---- a room for files ---- */

static char room[64];

static void enter_room(void)
{
    snprintf(room, sizeof room, "/tmp/percale-checkpoint-XXXXXX");
    if (!mkdtemp(room))
        room[0] = '\0';
}

static const char *in_room(const char *name)
{
    static char path[4][200];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", room, name);
    return path[turn];
}

static void leave_room(void)
{
    static const char *const names[] = {"c", PRC_CHECKPOINT_NAME, PRC_CHECKPOINT_PREVIOUS, PRC_CHECKPOINT_NEXT,
                                        "t.csv"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        unlink(in_room(names[k]));
    rmdir(room);
}

static void put_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file && size)
        fwrite(bytes, 1, size, file);
    if (file)
        fclose(file);
}

static prc_checkpoint sample(void)
{
    static const char *overrides[] = {"time.step=0.002", "bodies[0].material.stretch=900"};
    static const char totals[] = {1, 0, 2, 0, 3}, state[] = {9, 8, 7, 0, 6, 5, 4, 3, 2, 1, 0};
    return (prc_checkpoint){.version = PRC_VERSION,
                            .scene = "/home/ann/cloth.yaml",
                            .overrides = overrides,
                            .override_count = 2,
                            .settings = "time.step: 0.002\nprecision: double\n",
                            .folder = "/home/ann/out",
                            .report = "",
                            .trace = "/tmp/t.csv",
                            .spare_folder = "",
                            .until = INFINITY,
                            .verify = 1,
                            .step = 37,
                            .time = 0.074,
                            .frames = 5,
                            .steps_bytes = 1234,
                            .trace_bytes = 99,
                            .steps_rows = "38,0.076\n",
                            .trace_rows = "",
                            .fingerprint = 0xfedcba9876543210ull,
                            .totals = totals,
                            .totals_size = sizeof totals,
                            .state = state,
                            .state_size = sizeof state};
}

/* The error of reading `size` bytes as a checkpoint; "" when they are taken. */
static const char *read_bytes(const char *bytes, size_t size)
{
    static prc_error error;
    prc_checkpoint c;
    error.message[0] = '\0';
    put_bytes(in_room("c"), bytes, size);
    if (!prc_checkpoint_read(in_room("c"), &c, &error))
        prc_checkpoint_release(&c);
    return error.message;
}

/* With a checksum that fits again. */
static void seal(char *bytes, size_t size)
{
    const unsigned long long crc = prc_crc64(0, bytes, size - 8);
    memcpy(bytes + size - 8, &crc, 8);
}

static char *written(size_t *size)
{
    prc_checkpoint c = sample();
    char *bytes = NULL;
    prc_error error;
    *size = 0;
    if (prc_checkpoint_write(in_room("c"), &c, &error) || prc_file_read(in_room("c"), &bytes, size, &error))
        printf("    %s\n", error.message);
    return bytes;
}

/* ---- claims ---- */

TEST(the_checksum_is_that_of_xz)
{
    CHECK(prc_crc64(0, "123456789", 9) == 0x995DC9BBDF1939FAull);
    CHECK(prc_crc64(prc_crc64(0, "1234", 4), "56789", 5) == 0x995DC9BBDF1939FAull);
    CHECK(prc_crc64(0, "", 0) == 0);
}

TEST(what_was_written_is_read)
{
    enter_room();
    const prc_checkpoint was = sample();
    prc_checkpoint is;
    prc_error error;
    CHECK(!prc_checkpoint_write(in_room("c"), &was, &error));
    CHECK(!prc_checkpoint_read(in_room("c"), &is, &error));
    CHECK(!strcmp(is.version, was.version) && !strcmp(is.scene, was.scene) && !strcmp(is.settings, was.settings));
    CHECK(!strcmp(is.folder, was.folder) && !strcmp(is.report, "") && !strcmp(is.trace, was.trace));
    CHECK(is.override_count == 2 && !strcmp(is.overrides[1], was.overrides[1]));
    CHECK(isinf(is.until) && is.verify == 1 && is.spare == 0 && is.step == 37 && is.time == was.time);
    CHECK(is.frame_due == 0 && is.frames == 5 && is.steps_bytes == 1234 && is.trace_bytes == 99);
    CHECK(!strcmp(is.steps_rows, was.steps_rows) && !strcmp(is.trace_rows, ""));
    CHECK(is.fingerprint == was.fingerprint);
    CHECK(is.totals_size == was.totals_size && !memcmp(is.totals, was.totals, is.totals_size));
    CHECK(is.state_size == was.state_size && !memcmp(is.state, was.state, is.state_size));
    prc_checkpoint_release(&is);
    leave_room();
}

TEST(nothing_but_the_file_itself_is_left_in_the_folder)
{
    enter_room();
    const prc_checkpoint c = sample();
    prc_error error;
    CHECK(!prc_checkpoint_write(in_room("c"), &c, &error));
    CHECK(unlink(in_room("c")) == 0);
    CHECK(rmdir(room) == 0);
    CHECK(prc_checkpoint_write(in_room("c"), &c, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "cannot be written");
}

TEST(a_flipped_bit_anywhere_is_found)
{
    enter_room();
    size_t size;
    char *bytes = written(&size);
    CHECK(bytes);
    CHECK(!strcmp(read_bytes(bytes, size), ""));
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        const char *message = read_bytes(bytes, size);
        CHECK_TEXT(message, i < 8 ? "is not a percale checkpoint" : "is damaged: ");
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
    }
    prc_free(bytes);
    leave_room();
}

TEST(a_file_cut_anywhere_is_refused)
{
    enter_room();
    size_t size;
    char *bytes = written(&size);
    CHECK(bytes);
    for (size_t length = 0; length < size; length++) {
        const char *message = read_bytes(bytes, length);
        CHECK_TEXT(message, length < 8 ? "is not a percale checkpoint" : "is damaged: ");
    }
    prc_free(bytes);
    leave_room();
}

TEST(each_kind_of_damage_has_its_message)
{
    enter_room();
    size_t size;
    char *bytes = written(&size), *other = malloc(size + 8), expected[300];
    CHECK(bytes && other);
    const char *path = "/c: ";

    memcpy(other, bytes, size);
    snprintf(expected, sizeof expected, "%sis damaged: it ends after 20 bytes, inside its header", path);
    CHECK_TEXT(read_bytes(other, 20), expected);
    snprintf(expected, sizeof expected, "%sis damaged: it has %zu bytes; its header says %zu", path, size - 1, size);
    CHECK_TEXT(read_bytes(other, size - 1), expected);
    other[size - 20] ^= 1;
    snprintf(expected, sizeof expected, "%sis damaged: its checksum does not match its contents", path);
    CHECK_TEXT(read_bytes(other, size), expected);

    memcpy(other, bytes, size);
    other[8] = 7;
    seal(other, size);
    snprintf(expected, sizeof expected, "%shas version 7 of the checkpoint format; this percale (%s) reads version 1",
             path, PRC_VERSION);
    CHECK_TEXT(read_bytes(other, size), expected);

    memcpy(other, bytes, size);
    other[12] = 1;
    other[15] = 4;
    seal(other, size);
    CHECK_TEXT(read_bytes(other, size), "was written on a machine with another byte order");
    CHECK_TEXT(read_bytes("", 0), "is not a percale checkpoint");
    prc_free(bytes);
    free(other);
    leave_room();
}

/* The place of a record in a file. */
static size_t find_record(const char *bytes, size_t size, const char *name)
{
    for (size_t i = 32; i + 24 < size; i += 8)
        if (!strncmp(bytes + i, name, 16))
            return i;
    return 0;
}

TEST(records_that_make_no_sense_are_refused_though_the_checksum_fits)
{
    enter_room();
    size_t size;
    char *bytes = written(&size), *other = malloc(size + 64);
    CHECK(bytes && other);
    static const struct {
        const char *record;
        size_t at;
        const char *set;
        size_t length;
        const char *message;
    } cases[] = {
        {"scene", 0, "scemo", 5, "record 'scemo' is not known"},
        {"scene", 0, "folder", 6, "record 'folder' is duplicated"},
        {"folder", 0, "override", 8, "there is no record 'folder'"},
        {"scene", 16, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "record 'scene' is longer than the file"},
        {"scene", 16, "\xff\xff\xff\x7f\0\0\0", 8, "record 'scene' is longer than the file"},
        {"scene", 26, "\0", 1, "record 'scene' is not a text"},
        {"step", 16, "\x07", 1, "record 'step' is not a number"},
        {"step", 24, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, "step is -1"},
        {"frames", 24, "\0\0\0\0\x01", 5, "frames is 4294967296"},
        {"steps_bytes", 31, "\x80", 1, "steps_bytes is -"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        memcpy(other, bytes, size);
        const size_t at = find_record(other, size, cases[k].record);
        CHECK(at > 0);
        memcpy(other + at + cases[k].at, cases[k].set, cases[k].length);
        seal(other, size);
        CHECK_TEXT(read_bytes(other, size), cases[k].message);
    }
    /* 8 bytes more after the last record, which are too few for one */
    memcpy(other, bytes, size);
    memset(other + size - 8, 0, 16);
    const unsigned long long longer = size + 8;
    memcpy(other + 16, &longer, 8);
    seal(other, size + 8);
    CHECK_TEXT(read_bytes(other, size + 8), "a record is truncated");
    prc_free(bytes);
    free(other);
    leave_room();
}

TEST(a_folder_keeps_the_newest_and_the_one_before)
{
    enter_room();
    prc_checkpoint c = sample(), found;
    prc_error error;
    char warning[600];
    for (c.step = 1; c.step <= 3; c.step++)
        CHECK(!prc_checkpoint_keep(room, &c, c.step == 1, &error));
    CHECK(!prc_checkpoint_find(room, &found, warning, &error));
    CHECK(found.step == 3 && !warning[0]);
    prc_checkpoint_release(&found);
    CHECK(!prc_checkpoint_read(in_room(PRC_CHECKPOINT_PREVIOUS), &found, &error));
    CHECK(found.step == 2);
    prc_checkpoint_release(&found);
    CHECK(access(in_room(PRC_CHECKPOINT_NEXT), F_OK) != 0);

    /* the first of another run leaves nothing of this one */
    c.step = 0;
    CHECK(!prc_checkpoint_keep(room, &c, true, &error));
    CHECK(access(in_room(PRC_CHECKPOINT_PREVIOUS), F_OK) != 0);
    leave_room();
}

TEST(a_damaged_checkpoint_gives_way_to_the_one_before)
{
    enter_room();
    prc_checkpoint c = sample(), found;
    prc_error error;
    char warning[600];
    for (c.step = 1; c.step <= 2; c.step++)
        CHECK(!prc_checkpoint_keep(room, &c, c.step == 1, &error));
    CHECK(truncate(in_room(PRC_CHECKPOINT_NAME), 100) == 0);
    CHECK(!prc_checkpoint_find(room, &found, warning, &error));
    CHECK(found.step == 1);
    CHECK_TEXT(warning, "checkpoint.prc: is damaged: it has 100 bytes");
    CHECK_TEXT(warning, "continuing from the previous checkpoint");
    prc_checkpoint_release(&found);
    /* which is the newest now: the next one does not put the damaged one in its place */
    c.step = 5;
    CHECK(!prc_checkpoint_keep(room, &c, false, &error));
    CHECK(!prc_checkpoint_read(in_room(PRC_CHECKPOINT_PREVIOUS), &found, &error));
    CHECK(found.step == 1);
    prc_checkpoint_release(&found);
    leave_room();
}

TEST(without_a_newest_the_one_before_is_taken_in_silence)
{
    enter_room();
    prc_checkpoint c = sample(), found;
    prc_error error;
    char warning[600];
    for (c.step = 1; c.step <= 2; c.step++)
        CHECK(!prc_checkpoint_keep(room, &c, c.step == 1, &error));
    CHECK(unlink(in_room(PRC_CHECKPOINT_NAME)) == 0);
    CHECK(!prc_checkpoint_find(room, &found, warning, &error));
    CHECK(found.step == 1 && !warning[0]);
    prc_checkpoint_release(&found);
    leave_room();
}

TEST(one_of_another_version_is_not_passed_over_for_an_older_one)
{
    enter_room();
    prc_checkpoint c = sample(), found;
    prc_error error;
    char warning[600], *bytes;
    size_t size;
    for (c.step = 1; c.step <= 2; c.step++)
        CHECK(!prc_checkpoint_keep(room, &c, c.step == 1, &error));
    CHECK(!prc_file_read(in_room(PRC_CHECKPOINT_NAME), &bytes, &size, &error));
    bytes[8] = 2;
    seal(bytes, size);
    put_bytes(in_room(PRC_CHECKPOINT_NAME), bytes, size);
    CHECK(prc_checkpoint_find(room, &found, warning, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "has version 2 of the checkpoint format");
    prc_free(bytes);
    leave_room();
}

TEST(two_damaged_checkpoints_are_refused)
{
    enter_room();
    prc_checkpoint c = sample(), found;
    prc_error error;
    char warning[600];
    for (c.step = 1; c.step <= 2; c.step++)
        CHECK(!prc_checkpoint_keep(room, &c, c.step == 1, &error));
    CHECK(truncate(in_room(PRC_CHECKPOINT_NAME), 100) == 0 && truncate(in_room(PRC_CHECKPOINT_PREVIOUS), 50) == 0);
    CHECK(prc_checkpoint_find(room, &found, warning, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "checkpoint.prc: is damaged");
    unlink(in_room(PRC_CHECKPOINT_NAME));
    unlink(in_room(PRC_CHECKPOINT_PREVIOUS));
    CHECK(prc_checkpoint_find(room, &found, warning, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "cannot be opened: No such file");
    leave_room();
}

/* ---- the program ---- */

/* Runs percale in the room; its errors are in e.txt. */
static int percale(const char *arguments)
{
    char command[600];
    snprintf(command, sizeof command, "cd %s && %s %s >/dev/null 2>e.txt", room, PRC_TEST_PROGRAM, arguments);
    const int status = system(command); /* NOLINT(cert-env33-c): no input of others is in it */
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *errors(void)
{
    static char text[2000];
    FILE *file = fopen(in_room("e.txt"), "rb");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file)
        fclose(file);
    return text;
}

/* Changes a checkpoint of a run and tries to resume it; the exit status. */
static int resume_changed(const char *version, size_t totals_size, unsigned long long fingerprint)
{
    prc_checkpoint c;
    prc_error error;
    if (percale("run s.yaml -o out --overwrite --until 0.01 --quiet") ||
        prc_checkpoint_read(in_room("out/checkpoint.prc"), &c, &error))
        return -1;
    c.version = version ? version : c.version;
    c.totals_size = totals_size ? totals_size : c.totals_size;
    c.fingerprint ^= fingerprint;
    const prc_result result = prc_checkpoint_write(in_room("out/checkpoint.prc"), &c, &error);
    prc_checkpoint_release(&c);
    return result ? -1 : percale("resume out --until 0.02");
}

TEST(a_checkpoint_of_another_percale_or_scene_is_refused)
{
    static const char scene[] =
        "percale: 1\ntime: {step: 0.005, duration: 0.05}\nbodies: [{mesh: {grid: {cells: [2, 2]}}}]\n";
    if (access(PRC_TEST_PROGRAM, X_OK))
        SKIP("the program is not built");
    enter_room();
    put_bytes(in_room("s.yaml"), scene, strlen(scene));
    CHECK(resume_changed(NULL, 0, 0) == 0);
    CHECK(resume_changed("9.8.7", 0, 0) == 1);
    CHECK_TEXT(errors(), "percale: out/checkpoint.prc: was written by percale 9.8.7, but this is percale " PRC_VERSION
                         "; resume a run with the version that started it\n");
    CHECK(resume_changed(NULL, 8, 0) == 1);
    CHECK_TEXT(errors(), "percale: out/checkpoint.prc: was written by another build of percale " PRC_VERSION "\n");
    CHECK(resume_changed(NULL, 0, 1) == 1);
    CHECK_TEXT(errors(), "has changed: its settings are the same, but a mesh, selection, motion, load or a file that "
                         "it uses differs (fingerprint was ");
    char command[200];
    snprintf(command, sizeof command, "rm -r %s", room);
    CHECK(system(command) == 0); /* NOLINT(cert-env33-c) */
}

/* ---- tables that are gone on with ---- */

static void add_row(prc_csv *csv, int number)
{
    prc_csv_int(csv, number);
    prc_csv_real(csv, 0.5 * number);
    prc_csv_end_row(csv);
}

TEST(a_table_is_cut_back_and_gone_on_with)
{
    enter_room();
    prc_error error;
    char *text;
    size_t size;
    prc_csv *csv = prc_csv_open(in_room("t.csv"), "a,b", &error);
    CHECK(csv);
    add_row(csv, 1);
    CHECK(!prc_csv_sync(csv, &error));
    const long long mark = prc_csv_bytes(csv);
    CHECK(!strcmp(prc_csv_pending(csv), ""));
    add_row(csv, 2);
    CHECK(!strcmp(prc_csv_pending(csv), "2,1\n"));
    const long long length = prc_csv_length(csv);
    add_row(csv, 3);
    prc_csv_cut(csv, length); /* what is not in the file yet */
    CHECK(!strcmp(prc_csv_pending(csv), "2,1\n"));
    add_row(csv, 3);
    prc_csv_flush(csv);
    prc_csv_cut(csv, length); /* what is */
    CHECK(prc_csv_bytes(csv) == length && !strcmp(prc_csv_pending(csv), ""));
    prc_csv_cut(csv, mark);
    CHECK(prc_csv_bytes(csv) == mark);
    add_row(csv, 2);
    CHECK(!prc_csv_close(csv, &error));

    csv = prc_csv_continue(in_room("t.csv"), "a,b", mark, "7,7\n", &error);
    CHECK(csv);
    add_row(csv, 3);
    CHECK(!prc_csv_close(csv, &error));
    CHECK(!prc_file_read(in_room("t.csv"), &text, &size, &error));
    CHECK(!strcmp(text, "a,b\n1,0.5\n7,7\n3,1.5\n"));
    prc_free(text);

    CHECK(!prc_csv_continue(in_room("t.csv"), "a,b", 1000, NULL, &error));
    CHECK_TEXT(error.message, "t.csv: has 20 bytes, but had 1000 when the checkpoint was written");
    CHECK(!prc_csv_continue(in_room("t.csv"), "a,c", mark, NULL, &error));
    CHECK_TEXT(error.message, "is not the table that belongs to the checkpoint");
    CHECK(!prc_csv_continue(in_room("t.csv"), "a,b", mark - 1, NULL, &error));
    CHECK_TEXT(error.message, "is not the table that belongs to the checkpoint");
    CHECK(!prc_csv_continue(in_room("missing.csv"), "a,b", mark, NULL, &error));
    CHECK_TEXT(error.message, "missing.csv: cannot be opened for appending");
    leave_room();
}

TEST(what_a_full_disk_does_not_take_is_kept_as_text)
{
    prc_error error;
    if (access("/dev/full", W_OK))
        SKIP("there is no /dev/full");
    prc_csv *csv = prc_csv_open("/dev/full", "a,b", &error);
    CHECK(csv);
    add_row(csv, 1);
    CHECK(prc_csv_sync(csv, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "/dev/full: some data could not be written: No space left on device");
    add_row(csv, 2);
    CHECK(prc_csv_bytes(csv) == 0);
    CHECK(!strcmp(prc_csv_pending(csv), "a,b\n1,0.5\n2,1\n"));
    CHECK(prc_csv_close(csv, &error) == PRC_ERROR_IO);
}

TEST_MAIN()
