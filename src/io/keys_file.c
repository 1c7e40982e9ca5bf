/* io/keys_file.c — see keys_file.h.
 *
 * Leaves out quoted cells and decimal commas: exporters of motions write plain numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/keys_file.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS 8
#define FOUND 40 /* at most so many bytes of a faulty cell are quoted */

static const char *const names[COLUMNS] = {"time", "x", "y", "z", "axis_x", "axis_y", "axis_z", "degrees"};

typedef struct reader {
    const char *path;
    prc_error *error;
    int line;
    int columns;         /* cells of a line; 0 before the first */
    int column[COLUMNS]; /* what each cell is: an index into names */
    prc_pose_key *keys;
    int count, capacity;
} reader;

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r");
}

/* The cell at *at and its length; moves on to the next. False at the end of the line. */
static bool next_cell(const char **at, const char **cell, int *length)
{
    *cell = skip_blanks(*at);
    if (!**cell)
        return false;
    *length = (int)strcspn(*cell, " \t\r,;");
    *at = skip_blanks(*cell + *length);
    if (**at == ',' || **at == ';') {
        ++*at;
        if (!*skip_blanks(*at))
            --*at; /* a last comma opens an empty cell, which is a fault */
    }
    return true;
}

static prc_result fail_cell(const reader *r, const char *cell, int length, const char *expected)
{
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: found '%.*s'; expected %s", r->path, r->line,
                    length < FOUND ? length : FOUND, cell, expected);
}

static bool is_number(const char *cell, int length, double *value)
{
    char *end;
    *value = strtod(cell, &end);
    return length > 0 && end == cell + length;
}

/* The first line, where it is one of names. */
static prc_result read_names(reader *r, const char *at)
{
    const char *cell;
    int length, given = 0;
    while (next_cell(&at, &cell, &length)) {
        int k = 0;
        while (k < COLUMNS && (strncasecmp(cell, names[k], (size_t)length) != 0 || names[k][length] != '\0'))
            k++;
        if (k == COLUMNS)
            return fail_cell(r, cell, length,
                             "names of columns (time, x, y, z, axis_x, axis_y, axis_z, degrees) or numbers");
        if (given >> k & 1)
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: the column %s is given twice", r->path, r->line,
                            names[k]);
        given |= 1 << k;
        r->column[r->columns++] = k;
    }
    for (int k = 0; k < COLUMNS; k++) {
        const bool needed = k < 4 || given >> 4; /* an axis goes with its degrees */
        if (needed && !(given >> k & 1))
            return prc_fail(r->error, PRC_ERROR_INPUT,
                            "%s:%d: the column %s is missing; expected time, x, y, z and "
                            "either all or none of axis_x, axis_y, axis_z, degrees",
                            r->path, r->line, names[k]);
    }
    return PRC_OK;
}

static prc_result store(reader *r, const double values[COLUMNS])
{
    if (r->count == r->capacity) {
        const int capacity = r->capacity ? 2 * r->capacity : 64;
        prc_pose_key *grown =
            r->capacity < INT_MAX / 2 ? prc_grow(r->keys, (size_t)r->count, (size_t)capacity, sizeof *grown) : NULL;
        if (!grown)
            return PRC_FAIL_MEMORY(r->error);
        r->keys = grown;
        r->capacity = capacity;
    }
    const prc_pose_key key = {
        values[0], {values[1], values[2], values[3]}, {values[4], values[5], values[6]}, values[7]};
    if (key.degrees != 0 && key.axis[0] == 0 && key.axis[1] == 0 && key.axis[2] == 0)
        return prc_fail(r->error, PRC_ERROR_INPUT,
                        "%s:%d: %.10g degrees about the axis [0, 0, 0], which has no direction", r->path, r->line,
                        key.degrees);
    if (r->count > 0 && !(key.time > r->keys[r->count - 1].time))
        return prc_fail(r->error, PRC_ERROR_INPUT,
                        "%s:%d: time %.10g s does not come after %.10g s; keys must be in order of time", r->path,
                        r->line, key.time, r->keys[r->count - 1].time);
    r->keys[r->count++] = key;
    return PRC_OK;
}

static prc_result read_row(reader *r, const char *at)
{
    double values[COLUMNS] = {0};
    const char *cell;
    int length, cells = 0;
    for (; next_cell(&at, &cell, &length); cells++) {
        double value;
        if (!is_number(cell, length, &value) || !isfinite(value))
            return fail_cell(r, cell, length, "a finite number");
        if (cells < (r->columns ? r->columns : COLUMNS))
            values[r->columns ? r->column[cells] : cells] = value;
    }
    if (r->columns == 0) {
        if (cells != 4 && cells != COLUMNS)
            return prc_fail(r->error, PRC_ERROR_INPUT,
                            "%s:%d: found %d numbers; expected time, x, y, z, optionally followed by axis_x, axis_y, "
                            "axis_z, degrees",
                            r->path, r->line, cells);
        r->columns = cells;
        for (int k = 0; k < cells; k++)
            r->column[k] = k;
    } else if (cells != r->columns) {
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: found %d numbers; expected %d, as in the previous lines",
                        r->path, r->line, cells, r->columns);
    }
    return store(r, values);
}

static prc_result read_line(reader *r, const char *line)
{
    const char *cell, *at = line;
    int length;
    double value;
    if (*skip_blanks(line) == '#' || !next_cell(&at, &cell, &length))
        return PRC_OK;
    const bool first = r->columns == 0;
    if (first && !is_number(cell, length, &value))
        return read_names(r, line);
    return read_row(r, line);
}

static prc_result read_lines(reader *r, char *text, size_t size)
{
    prc_result result = PRC_OK;
    char *end = text + size;
    if (memchr(text, '\0', size))
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: is not a text file; expected a table of numbers", r->path);
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) /* the mark that spreadsheets put before UTF-8 */
        text += 3;
    while (!result && text < end) {
        char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop)
            *stop = '\0';
        r->line++;
        result = read_line(r, text);
        text = stop ? stop + 1 : end;
    }
    if (!result && r->count == 0)
        result = prc_fail(r->error, PRC_ERROR_INPUT, "%s: has no keys; expected lines of time, x, y, z", r->path);
    return result;
}

prc_result prc_keys_read(const char *path, prc_pose_key **keys, int *count, prc_error *error)
{
    char *text;
    size_t size;
    *keys = NULL;
    *count = 0;
    prc_result result = prc_file_read(path, &text, &size, error);
    if (result)
        return result;
    reader r = {.path = path, .error = error};
    /* Numbers have decimal points in every locale. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = plain ? uselocale(plain) : (locale_t)0;
    result = plain ? read_lines(&r, text, size) : PRC_FAIL_MEMORY(error);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    prc_free(text);
    if (result) {
        prc_free(r.keys);
        return result;
    }
    *keys = r.keys;
    *count = r.count;
    return PRC_OK;
}
