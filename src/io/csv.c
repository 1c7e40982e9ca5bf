/* io/csv.c — see csv.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

struct prc_csv {
    FILE *stream;
    char *path;
    locale_t plain; /* the C locale */
    bool row_begun;
    int failure; /* errno of the first write that failed */
};

static void release(prc_csv *csv)
{
    if (csv->plain)
        freelocale(csv->plain);
    prc_free(csv->path);
    prc_free(csv);
}

static void note_failure(prc_csv *csv, bool failed)
{
    if (failed && !csv->failure)
        csv->failure = errno ? errno : EIO;
}

prc_csv *prc_csv_open(const char *path, const char *header, prc_error *error)
{
    prc_csv *csv = PRC_NEW(prc_csv, 1);
    if (csv) {
        csv->path = prc_string_copy(path);
        csv->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    if (!csv || !csv->path || !csv->plain) {
        PRC_FAIL_MEMORY(error);
        if (csv)
            release(csv);
        return NULL;
    }
    csv->stream = fopen(path, "w");
    if (!csv->stream) {
        prc_fail(error, PRC_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
        release(csv);
        return NULL;
    }
    note_failure(csv, fprintf(csv->stream, "%s\n", header) < 0);
    prc_csv_flush(csv);
    return csv;
}

static void begin_cell(prc_csv *csv)
{
    if (csv->row_begun)
        note_failure(csv, fputc(',', csv->stream) == EOF);
    csv->row_begun = true;
}

void prc_csv_real(prc_csv *csv, double value)
{
    begin_cell(csv);
    if (!isfinite(value))
        return;
    locale_t before = uselocale(csv->plain);
    note_failure(csv, fprintf(csv->stream, "%.15g", value) < 0);
    uselocale(before);
}

void prc_csv_int(prc_csv *csv, long long value)
{
    begin_cell(csv);
    note_failure(csv, fprintf(csv->stream, "%lld", value) < 0);
}

void prc_csv_text(prc_csv *csv, const char *text)
{
    begin_cell(csv);
    if (!text[strcspn(text, ",\"\r\n")]) {
        note_failure(csv, fputs(text, csv->stream) == EOF);
        return;
    }
    note_failure(csv, fputc('"', csv->stream) == EOF);
    for (; *text; text++)
        note_failure(csv, (*text == '"' && fputc('"', csv->stream) == EOF) || fputc(*text, csv->stream) == EOF);
    note_failure(csv, fputc('"', csv->stream) == EOF);
}

void prc_csv_end_row(prc_csv *csv)
{
    note_failure(csv, fputc('\n', csv->stream) == EOF);
    csv->row_begun = false;
}

void prc_csv_flush(prc_csv *csv)
{
    note_failure(csv, fflush(csv->stream) != 0);
}

prc_result prc_csv_close(prc_csv *csv, prc_error *error)
{
    if (!csv)
        return PRC_OK;
    note_failure(csv, fclose(csv->stream) != 0);
    prc_result result = PRC_OK;
    if (csv->failure)
        result = prc_file_fail(error, csv->path, "not everything could be written", csv->failure);
    release(csv);
    return result;
}
