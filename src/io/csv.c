/* io/csv.c — see csv.h. Rows are buffered in memory: rows that could not be written to disk are not lost.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#define GATHERED 65536 /* bytes after which rows are written unasked */

struct prc_csv {
    int file;
    char *path;
    locale_t plain; /* the C locale */
    bool row_begun;
    char *text; /* gathered, with a zero after it */
    size_t size, capacity;
    long long bytes; /* of the file */
    int failure;     /* errno of the first write that failed */
};

static void release(prc_csv *csv)
{
    if (csv->plain)
        freelocale(csv->plain);
    prc_free(csv->path);
    prc_free(csv->text);
    prc_free(csv);
}

static void note_failure(prc_csv *csv, int failure)
{
    if (!csv->failure)
        csv->failure = failure ? failure : EIO;
}

static void add(prc_csv *csv, const char *text, size_t size)
{
    if (csv->size + size >= csv->capacity) {
        const size_t capacity = 2 * (csv->size + size + GATHERED);
        char *grown = prc_grow(csv->text, csv->capacity, capacity, 1);
        if (!grown) {
            note_failure(csv, ENOMEM);
            return;
        }
        csv->text = grown;
        csv->capacity = capacity;
    }
    memcpy(csv->text + csv->size, text, size);
    csv->size += size;
    csv->text[csv->size] = '\0';
}

/* ---- opening and closing ---- */

static prc_csv *create(const char *path, prc_error *error)
{
    prc_csv *csv = PRC_NEW(prc_csv, 1);
    if (csv) {
        csv->path = prc_string_copy(path);
        csv->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
        csv->capacity = (size_t)2 * GATHERED;
        csv->text = prc_alloc(csv->capacity, 1);
    }
    if (csv && csv->path && csv->plain && csv->text)
        return csv;
    PRC_FAIL_MEMORY(error);
    if (csv)
        release(csv);
    return NULL;
}

prc_csv *prc_csv_open(const char *path, const char *header, prc_error *error)
{
    prc_csv *csv = create(path, error);
    if (!csv)
        return NULL;
    csv->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (csv->file < 0) {
        prc_fail(error, PRC_ERROR_IO, "%s: cannot be written: %s", path, strerror(errno));
        release(csv);
        return NULL;
    }
    add(csv, header, strlen(header));
    add(csv, "\n", 1);
    prc_csv_flush(csv);
    return csv;
}

/* The file must be as long as it was, with the same columns and a row that ends where it is cut. */
static prc_result check_rows(const prc_csv *csv, const char *header, long long bytes, prc_error *error)
{
    const size_t length = strlen(header);
    char last = '\0', *start = PRC_NEW(char, length + 1);
    struct stat status;
    if (!start)
        return PRC_FAIL_MEMORY(error);
    prc_result result = PRC_OK;
    if (fstat(csv->file, &status) || status.st_size < bytes)
        result = prc_fail(
            error, PRC_ERROR_IO,
            "%s: has %lld bytes, but had %lld when the checkpoint was written: it has since been truncated or replaced",
            csv->path, (long long)status.st_size, bytes);
    else if (pread(csv->file, start, length, 0) != (ssize_t)length || strcmp(start, header) != 0 ||
             pread(csv->file, &last, 1, (off_t)bytes - 1) != 1 || last != '\n')
        result = prc_fail(error, PRC_ERROR_IO, "%s: is not the table that belongs to the checkpoint", csv->path);
    prc_free(start);
    return result;
}

prc_csv *prc_csv_continue(const char *path, const char *header, long long bytes, const char *rows, prc_error *error)
{
    struct stat status;
    /* What is no file, a pipe for instance, cannot be cut. */
    const bool anew = bytes == 0 || (stat(path, &status) == 0 && !S_ISREG(status.st_mode));
    prc_csv *csv = anew ? prc_csv_open(path, header, error) : create(path, error);
    if (!csv)
        return NULL;
    prc_result result = PRC_OK;
    if (!anew) {
        csv->file = open(path, O_RDWR | O_CLOEXEC);
        if (csv->file < 0)
            result = prc_fail(error, PRC_ERROR_IO, "%s: cannot be opened for appending: %s", path, strerror(errno));
        if (!result)
            result = check_rows(csv, header, bytes, error);
        if (!result && (ftruncate(csv->file, (off_t)bytes) || lseek(csv->file, 0, SEEK_END) < 0))
            result = prc_fail(error, PRC_ERROR_IO, "%s: cannot be truncated: %s", path, strerror(errno));
        csv->bytes = bytes;
    }
    if (result) {
        if (csv->file >= 0)
            close(csv->file);
        release(csv);
        return NULL;
    }
    if (rows)
        add(csv, rows, strlen(rows));
    prc_csv_flush(csv);
    return csv;
}

prc_result prc_csv_check(const prc_csv *csv, prc_error *error)
{
    if (!csv->failure)
        return PRC_OK;
    return prc_file_fail(error, csv->path, "some data could not be written", csv->failure);
}

prc_result prc_csv_close(prc_csv *csv, prc_error *error)
{
    if (!csv)
        return PRC_OK;
    prc_csv_flush(csv);
    if (close(csv->file) != 0)
        note_failure(csv, errno);
    prc_result result = prc_csv_check(csv, error);
    release(csv);
    return result;
}

/* ---- cells ---- */

static void begin_cell(prc_csv *csv)
{
    if (csv->row_begun)
        add(csv, ",", 1);
    csv->row_begun = true;
}

void prc_csv_real(prc_csv *csv, double value)
{
    char text[40] = "";
    begin_cell(csv);
    if (!isfinite(value))
        return;
    locale_t before = uselocale(csv->plain);
    snprintf(text, sizeof text, "%.15g", value);
    uselocale(before);
    add(csv, text, strlen(text));
}

void prc_csv_int(prc_csv *csv, long long value)
{
    char text[40] = "";
    begin_cell(csv);
    snprintf(text, sizeof text, "%lld", value);
    add(csv, text, strlen(text));
}

void prc_csv_text(prc_csv *csv, const char *text)
{
    begin_cell(csv);
    if (!text[strcspn(text, ",\"\r\n")]) {
        add(csv, text, strlen(text));
        return;
    }
    add(csv, "\"", 1);
    for (; *text; text++) {
        add(csv, "\"", *text == '"');
        add(csv, text, 1);
    }
    add(csv, "\"", 1);
}

void prc_csv_end_row(prc_csv *csv)
{
    add(csv, "\n", 1);
    csv->row_begun = false;
    if (csv->size > GATHERED)
        prc_csv_flush(csv);
}

/* ---- the file ---- */

/* After a failure the file ends where the last good flush left it, and nothing more is tried: rows stay in order. */
void prc_csv_flush(prc_csv *csv)
{
    size_t done = 0;
    while (done < csv->size && !csv->failure) {
        const ssize_t count = write(csv->file, csv->text + done, csv->size - done);
        if (count > 0)
            done += (size_t)count;
        else if (count == 0 || errno != EINTR)
            note_failure(csv, errno);
    }
    if (csv->failure) {
        if (done && ftruncate(csv->file, (off_t)csv->bytes))
            note_failure(csv, errno);
        return;
    }
    csv->bytes += (long long)done;
    csv->size = 0;
    csv->text[0] = '\0';
}

void prc_csv_cut(prc_csv *csv, long long length)
{
    struct stat status;
    if (length < csv->bytes && fstat(csv->file, &status) == 0 && S_ISREG(status.st_mode)) {
        if (ftruncate(csv->file, (off_t)length) || lseek(csv->file, 0, SEEK_END) < 0)
            note_failure(csv, errno);
        else
            csv->bytes = length;
    }
    csv->size = length > csv->bytes ? (size_t)(length - csv->bytes) : 0;
    csv->text[csv->size] = '\0';
}

prc_result prc_csv_sync(prc_csv *csv, prc_error *error)
{
    prc_csv_flush(csv);
    if (!csv->failure && fsync(csv->file) && errno != EINVAL && errno != ENOTSUP) /* pipes cannot */
        note_failure(csv, errno);
    return prc_csv_check(csv, error);
}

long long prc_csv_bytes(const prc_csv *csv)
{
    return csv->bytes;
}

long long prc_csv_length(const prc_csv *csv)
{
    return csv->bytes + (long long)csv->size;
}

const char *prc_csv_pending(prc_csv *csv)
{
    return csv->text;
}
