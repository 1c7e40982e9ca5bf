/* test/test_writers.c — the writers of JSON and CSV: what other programs must be able to read.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "harness.h"
#include "io/csv.h"
#include "io/json.h"

static char folder[] = "/tmp/percale-writers-XXXXXX", path[100];
static char *text;

static bool begin(void)
{
    if (!path[0] && !mkdtemp(folder))
        return false;
    snprintf(path, sizeof path, "%s/file", folder);
    return true;
}

/* Reads the file back into `text` and removes it. */
static bool end(void)
{
    size_t size;
    prc_free(text);
    text = NULL;
    bool good = prc_file_read(path, &text, &size, NULL) == PRC_OK;
    unlink(path);
    return good;
}

TEST(json_is_nested_and_separated)
{
    CHECK(begin());
    prc_file *file = prc_file_open(path, NULL);
    CHECK(file != NULL);
    prc_json json = prc_json_begin(file);
    prc_json_int(&json, "a", -3);
    prc_json_array(&json, "b");
    prc_json_real(&json, NULL, 0.5);
    prc_json_bool(&json, NULL, true);
    prc_json_object(&json, NULL);
    prc_json_end(&json);
    prc_json_end(&json);
    prc_json_end(&json);
    CHECK(prc_file_commit(file, NULL) == PRC_OK);
    CHECK(end());
    CHECK(strcmp(text, "{\n  \"a\": -3,\n  \"b\": [\n    0.5,\n    true,\n    {}\n  ]\n}\n") == 0);
}

TEST(json_fits_a_line_and_streams_are_written_as_they_come)
{
    CHECK(begin());
    FILE *stream = fopen(path, "wb");
    CHECK(stream != NULL);
    prc_file *file = prc_file_stream(stream, "a log", NULL);
    CHECK(file != NULL);
    for (int k = 0; k < 2; k++) {
        prc_json json = prc_json_begin_line(file);
        prc_json_int(&json, "a", k);
        prc_json_array(&json, "b");
        prc_json_real(&json, NULL, 0.5);
        prc_json_text(&json, NULL, "x");
        prc_json_end(&json);
        prc_json_end(&json);
    }
    prc_file_flush(file);
    char *early;
    size_t size;
    CHECK(prc_file_read(path, &early, &size, NULL) == PRC_OK);
    CHECK(strcmp(early, "{\"a\": 0, \"b\": [0.5, \"x\"]}\n{\"a\": 1, \"b\": [0.5, \"x\"]}\n") == 0);
    prc_free(early);
    CHECK(prc_file_commit(file, NULL) == PRC_OK);
    CHECK(fclose(stream) == 0);
    CHECK(end());
}

TEST(a_stream_that_is_full_is_told_at_the_end)
{
    FILE *stream = fopen("/dev/full", "wb");
    prc_error error;
    if (!stream)
        return;
    prc_file *file = prc_file_stream(stream, "a log", NULL);
    CHECK(file != NULL);
    prc_file_printf(file, "%d\n", 1);
    CHECK(prc_file_commit(file, &error) == PRC_ERROR_IO);
    CHECK(strstr(error.message, "a log: could not be written: No space left on device") == error.message);
    fclose(stream);
}

TEST(json_escapes_text_and_has_no_infinity)
{
    CHECK(begin());
    prc_file *file = prc_file_open(path, NULL);
    CHECK(file != NULL);
    prc_json json = prc_json_begin(file);
    prc_json_text(&json, "t", "a\"b\\c\n\t²");
    prc_json_text(&json, "n", NULL);
    prc_json_real(&json, "i", INFINITY);
    prc_json_real(&json, "q", NAN);
    prc_json_end(&json);
    CHECK(prc_file_commit(file, NULL) == PRC_OK);
    CHECK(end());
    CHECK_TEXT(text, "\"t\": \"a\\\"b\\\\c\\u000a\\u0009²\"");
    CHECK_TEXT(text, "\"n\": null");
    CHECK_TEXT(text, "\"i\": null");
    CHECK_TEXT(text, "\"q\": null");
}

TEST(csv_rows_can_be_followed_while_they_grow)
{
    CHECK(begin());
    prc_error error;
    prc_csv *csv = prc_csv_open(path, "a,b,c,d", &error);
    CHECK(csv != NULL);
    prc_csv_int(csv, 1);
    prc_csv_real(csv, 0.1);
    prc_csv_text(csv, "plain");
    prc_csv_text(csv, "a \"b\", c");
    prc_csv_end_row(csv);
    prc_csv_real(csv, NAN);
    prc_csv_real(csv, -INFINITY);
    prc_csv_real(csv, 1e-300);
    prc_csv_text(csv, "");
    prc_csv_end_row(csv);
    prc_csv_flush(csv);
    CHECK(end());
    CHECK(strcmp(text, "a,b,c,d\n1,0.1,plain,\"a \"\"b\"\", c\"\n,,1e-300,\n") == 0);
    CHECK(prc_csv_close(csv, &error) == PRC_OK);
}

TEST(csv_says_when_it_could_not_be_written)
{
    prc_error error;
    CHECK(!prc_csv_open("/nowhere/at/all.csv", "a", &error));
    CHECK(error.code == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "/nowhere/at/all.csv: cannot be written");
    if (access("/dev/full", W_OK))
        SKIP("no /dev/full");
    prc_csv *csv = prc_csv_open("/dev/full", "a", &error);
    CHECK(csv != NULL);
    prc_csv_int(csv, 1);
    prc_csv_end_row(csv);
    CHECK(prc_csv_close(csv, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "/dev/full: some data could not be written: No space left on device");
    CHECK(prc_csv_close(NULL, &error) == PRC_OK);
}

int main(int argc, char **argv)
{
    int failed = prc_test_main(argc, argv);
    prc_free(text);
    if (path[0])
        rmdir(folder);
    return failed;
}
