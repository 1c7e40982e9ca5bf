/* io/checkpoint.c — see checkpoint.h.
 *
 * A file is a header of 32 bytes, records (name, size, bytes, padding to 8) and a checksum. One table describes the
 * records for writing and reading. Numbers have 8 bytes in the byte order of the machine, like the state: a checkpoint
 * can only be read on the kind of machine that wrote it, and the mark in the header refuses others.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#define HEADER 32
#define RECORD 24 /* name and size of a record */
#define NAME 16
#define ENDING 8     /* the checksum */
#define PATH_ROOM 32 /* more than the longest name of ours, with a slash */
#define MARK 0x01020304u

static const char magic[8] = {'P', 'R', 'C', 'C', 'H', 'K', 'P', 'T'};

/* ---- the checksum ---- */

/* Polynomial of ECMA-182, reflected, as in xz. */
static void fill_table(unsigned long long table[256])
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned long long crc = i;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ 0xC96C5795D7870F42ull : crc >> 1;
        table[i] = crc;
    }
}

unsigned long long prc_crc64(unsigned long long crc, const void *data, size_t size)
{
    unsigned long long table[256];
    fill_table(table); /* each time: nothing beside the megabytes of a state, and no lock is needed */
    const unsigned char *bytes = data;
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
        crc = table[(crc ^ bytes[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
}

/* ---- what the records are ---- */

typedef enum kind { TEXT, TEXTS, NUMBER, BYTES } kind;

static const struct {
    char name[NAME];
    kind kind;
    size_t offset, size_offset;
} records[] = {
#define AT(field) offsetof(prc_checkpoint, field)
    {"version", TEXT, AT(version), 0},
    {"scene", TEXT, AT(scene), 0},
    {"override", TEXTS, AT(overrides), AT(override_count)},
    {"settings", TEXT, AT(settings), 0},
    {"folder", TEXT, AT(folder), 0},
    {"report", TEXT, AT(report), 0},
    {"trace", TEXT, AT(trace), 0},
    {"spare_folder", TEXT, AT(spare_folder), 0},
    {"until", NUMBER, AT(until), 0},
    {"verify", NUMBER, AT(verify), 0},
    {"spare", NUMBER, AT(spare), 0},
    {"step", NUMBER, AT(step), 0},
    {"time", NUMBER, AT(time), 0},
    {"frame_due", NUMBER, AT(frame_due), 0},
    {"frames", NUMBER, AT(frames), 0},
    {"steps_bytes", NUMBER, AT(steps_bytes), 0},
    {"trace_bytes", NUMBER, AT(trace_bytes), 0},
    {"steps_rows", TEXT, AT(steps_rows), 0},
    {"trace_rows", TEXT, AT(trace_rows), 0},
    {"frames_data", BYTES, AT(frames_data), AT(frames_size)},
    {"fingerprint", NUMBER, AT(fingerprint), 0},
    {"totals", BYTES, AT(totals), AT(totals_size)},
    {"state", BYTES, AT(state), AT(state_size)},
#undef AT
};

#define RECORDS (sizeof records / sizeof *records)

_Static_assert(sizeof(double) == 8 && sizeof(long long) == 8, "numbers of a checkpoint have 8 bytes");

static size_t padded(size_t size)
{
    return (size + 7) / 8 * 8;
}

/* ---- writing ---- */

typedef struct writer {
    prc_file *file; /* NULL: only counts */
    unsigned long long size, crc;
} writer;

static void put(writer *w, const void *data, size_t size)
{
    w->size += size;
    if (!w->file)
        return;
    prc_file_write(w->file, data, size);
    w->crc = prc_crc64(w->crc, data, size);
}

static void put_record(writer *w, const char name[NAME], const void *data, size_t size)
{
    static const char zeros[8];
    const unsigned long long bytes = size;
    put(w, name, NAME);
    put(w, &bytes, sizeof bytes);
    put(w, data, size);
    put(w, zeros, padded(size) - size);
}

static void put_records(writer *w, const prc_checkpoint *c)
{
    for (size_t r = 0; r < RECORDS; r++) {
        const char *field = (const char *)c + records[r].offset;
        const char *bytes = NULL;
        size_t size = 0;
        if (records[r].kind == TEXT || records[r].kind == BYTES)
            memcpy(&bytes, field, sizeof bytes);
        if (records[r].kind == BYTES)
            memcpy(&size, (const char *)c + records[r].size_offset, sizeof size);
        if (records[r].kind == TEXTS)
            for (int k = 0; k < c->override_count; k++)
                put_record(w, records[r].name, c->overrides[k], strlen(c->overrides[k]) + 1);
        else if (records[r].kind == NUMBER)
            put_record(w, records[r].name, field, 8);
        else if (records[r].kind == TEXT)
            put_record(w, records[r].name, bytes ? bytes : "", bytes ? strlen(bytes) + 1 : 1);
        else
            put_record(w, records[r].name, bytes, size);
    }
}

prc_result prc_checkpoint_write(const char *path, const prc_checkpoint *c, prc_error *error)
{
    writer count = {0}, w = {0};
    put_records(&count, c);
    w.file = prc_file_open(path, error);
    if (!w.file)
        return error ? error->code : PRC_ERROR_IO;
    const unsigned version = PRC_CHECKPOINT_FORMAT, mark = MARK;
    const unsigned long long size = HEADER + count.size + ENDING, zero = 0;
    put(&w, magic, sizeof magic);
    put(&w, &version, sizeof version);
    put(&w, &mark, sizeof mark);
    put(&w, &size, sizeof size);
    put(&w, &zero, sizeof zero);
    put_records(&w, c);
    const unsigned long long crc = w.crc;
    put(&w, &crc, sizeof crc);
    return prc_file_commit(w.file, error);
}

/* ---- reading ---- */

static prc_result check_header(const char *path, const char *file, size_t size, prc_error *error)
{
    unsigned version, mark;
    unsigned long long expected, crc;
    if (size < sizeof magic || memcmp(file, magic, sizeof magic) != 0)
        return prc_fail(error, PRC_ERROR_IO, "%s: is not a percale checkpoint", path);
    if (size < HEADER + ENDING)
        return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: it ends after %zu bytes, inside its header", path, size);
    memcpy(&version, file + 8, sizeof version);
    memcpy(&mark, file + 12, sizeof mark);
    memcpy(&expected, file + 16, sizeof expected);
    memcpy(&crc, file + size - ENDING, sizeof crc);
    /* The checksum first, where the file is whole: else a damaged number would be taken for one of another version. */
    const bool intact = prc_crc64(0, file, size - ENDING) == crc;
    if (intact && mark != MARK)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: was written on a machine with another byte order", path);
    if (intact && version != PRC_CHECKPOINT_FORMAT)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: has version %u of the checkpoint format; this percale (%s) reads version %d", path,
                        version, PRC_VERSION, PRC_CHECKPOINT_FORMAT);
    if (expected != size)
        return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: it has %zu bytes; its header says %llu", path, size,
                        expected);
    if (!intact)
        return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: its checksum does not match its contents", path);
    return PRC_OK;
}

/* Takes a record over into the checkpoint; a text for what is wrong with it, or NULL. */
static const char *take_record(prc_checkpoint *c, size_t r, const char *bytes, size_t size)
{
    char *field = (char *)c + records[r].offset;
    const bool text = records[r].kind == TEXT || records[r].kind == TEXTS;
    if (text && (!size || memchr(bytes, '\0', size) != bytes + size - 1))
        return "is not a text";
    if (records[r].kind == NUMBER && size != 8)
        return "is not a number";
    if (records[r].kind == NUMBER)
        memcpy(field, bytes, 8);
    else if (records[r].kind == TEXTS)
        c->overrides[c->override_count++] = bytes;
    else
        memcpy(field, &bytes, sizeof bytes);
    if (records[r].kind == BYTES)
        memcpy((char *)c + records[r].size_offset, &size, sizeof size);
    return NULL;
}

/* The records come in any order, each once; overrides as often as there are some. */
static prc_result take_records(const char *path, prc_checkpoint *c, size_t size, prc_error *error)
{
    bool taken[RECORDS] = {false};
    const size_t end = size - ENDING;
    for (size_t at = HEADER; at < end;) {
        char name[NAME + 1] = "";
        unsigned long long bytes;
        if (end - at < RECORD)
            return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: a record is truncated", path);
        memcpy(name, c->file + at, NAME);
        memcpy(&bytes, c->file + at + NAME, sizeof bytes);
        at += RECORD;
        if (bytes > end - at || padded((size_t)bytes) > end - at)
            return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: record '%s' is longer than the file", path, name);
        size_t r = 0;
        while (r < RECORDS && strcmp(name, records[r].name) != 0)
            r++;
        const char *wrong = r == RECORDS                           ? "is not known"
                            : taken[r] && records[r].kind != TEXTS ? "is duplicated"
                                                                   : take_record(c, r, c->file + at, (size_t)bytes);
        if (wrong)
            return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: record '%s' %s", path, name, wrong);
        taken[r] = true;
        at += padded((size_t)bytes);
    }
    for (size_t r = 0; r < RECORDS; r++)
        if (!taken[r] && records[r].kind != TEXTS)
            return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: there is no record '%s'", path, records[r].name);
    return PRC_OK;
}

/* Numbers that a program indexes and seeks with. */
static prc_result check_numbers(const char *path, const prc_checkpoint *c, prc_error *error)
{
    const struct {
        const char *name;
        long long value;
    } numbers[] = {
        {"step", c->step}, {"frames", c->frames}, {"steps_bytes", c->steps_bytes}, {"trace_bytes", c->trace_bytes}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].value < 0 || (k < 2 && numbers[k].value > 2000000000))
            return prc_fail(error, PRC_ERROR_IO, "%s: is damaged: %s is %lld", path, numbers[k].name, numbers[k].value);
    return PRC_OK;
}

prc_result prc_checkpoint_read(const char *path, prc_checkpoint *c, prc_error *error)
{
    size_t size;
    *c = (prc_checkpoint){0};
    prc_result result = prc_file_read(path, &c->file, &size, error);
    if (!result)
        result = check_header(path, c->file, size, error);
    if (!result && !(c->overrides = PRC_NEW(const char *, size / RECORD))) /* as many as could be in it */
        result = PRC_FAIL_MEMORY(error);
    if (!result)
        result = take_records(path, c, size, error);
    if (!result)
        result = check_numbers(path, c, error);
    if (result)
        prc_checkpoint_release(c);
    return result;
}

void prc_checkpoint_release(prc_checkpoint *c)
{
    prc_free(c->file);
    prc_free(c->overrides);
    *c = (prc_checkpoint){0};
}

/* ---- the two checkpoints of a folder ---- */

static char *name_file(const char *folder, const char *name)
{
    char *path = prc_alloc(strlen(folder) + PATH_ROOM, 1);
    if (path)
        snprintf(path, strlen(folder) + PATH_ROOM, "%s/%s", folder, name);
    return path;
}

/* So that the new names last through a power cut, as the bytes do. Where folders cannot be synced nothing is lost but
 * that. */
static void sync_folder(const char *folder)
{
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    fsync(descriptor);
    close(descriptor);
}

/* The new file is on disk before anything is renamed, and at every moment one of the two names holds a whole one. */
static prc_result rotate(const char *next, const char *current, const char *previous, bool first, prc_error *error)
{
    unlink(previous);
    if (!first && link(current, previous) && errno != ENOENT)
        rename(current, previous); /* no links on this file system */
    if (rename(next, current))
        return prc_fail(error, PRC_ERROR_IO, "%s: could not be written: %s", current, strerror(errno));
    return PRC_OK;
}

prc_result prc_checkpoint_keep(const char *folder, const prc_checkpoint *c, bool first, prc_error *error)
{
    char *next = name_file(folder, PRC_CHECKPOINT_NEXT), *current = name_file(folder, PRC_CHECKPOINT_NAME);
    char *previous = name_file(folder, PRC_CHECKPOINT_PREVIOUS);
    prc_result result = next && current && previous ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result)
        result = prc_checkpoint_write(next, c, error);
    if (!result)
        result = rotate(next, current, previous, first, error);
    if (!result)
        sync_folder(folder);
    prc_free(next);
    prc_free(current);
    prc_free(previous);
    return result;
}

static prc_result find(const char *current, const char *previous, prc_checkpoint *c, char warning[600],
                       prc_error *error)
{
    prc_error newest, before;
    prc_result result = prc_checkpoint_read(current, c, &newest);
    if (!result)
        return PRC_OK;
    const bool missing = access(current, F_OK) != 0;
    /* One of another version is no damage, and the one before it would be of that version too. */
    if (result == PRC_ERROR_IO && !prc_checkpoint_read(previous, c, &before)) {
        if (!missing)
            snprintf(warning, 600, "%s; continuing from the previous checkpoint", newest.message);
        rename(previous, current); /* else a damaged one would take its place with the next checkpoint */
        return PRC_OK;
    }
    return prc_fail(error, newest.code, "%s", newest.message);
}

prc_result prc_checkpoint_find(const char *folder, prc_checkpoint *c, char warning[600], prc_error *error)
{
    char *current = name_file(folder, PRC_CHECKPOINT_NAME), *previous = name_file(folder, PRC_CHECKPOINT_PREVIOUS);
    warning[0] = '\0';
    prc_result result = current && previous ? find(current, previous, c, warning, error) : PRC_FAIL_MEMORY(error);
    prc_free(current);
    prc_free(previous);
    return result;
}
