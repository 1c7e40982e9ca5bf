/* io/csv_read.c — see csv_read.h. Leaves out texts: a cell that is not a number is NaN, including quoted ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/csv_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

/* Ends the cell that begins here, and returns the next one; NULL after the last of the line, which *at then passes. */
static char *cut_cell(char **at)
{
    char *end = *at;
    bool quoted = false;
    while (*end && *end != '\n' && (quoted || *end != ',')) {
        quoted ^= *end == '"';
        end++;
    }
    const char mark = *end;
    if (mark)
        *end++ = '\0';
    *at = end;
    return mark == ',' ? end : NULL;
}

static int count_cells(const char *line)
{
    int count = 1;
    bool quoted = false;
    for (; *line && *line != '\n'; line++) {
        quoted ^= *line == '"';
        count += !quoted && *line == ',';
    }
    return count;
}

static int count_lines(const char *text)
{
    int count = 0;
    while ((text = strchr(text, '\n'))) {
        text++;
        count++;
    }
    return count;
}

static double number(const char *cell)
{
    char *end;
    const double value = strtod(cell, &end);
    return end == cell || *end ? NAN : value;
}

static prc_result read_rows(prc_csv_table *table, const char *path, char *at, int lines, prc_error *error)
{
    for (int row = 0; row < lines; row++) {
        const int count = count_cells(at);
        if (count != table->columns)
            return prc_fail(error, PRC_ERROR_INPUT, "%s:%d: has %d cells where the header has %d", path, row + 2, count,
                            table->columns);
        double *values = table->values + (size_t)row * (size_t)table->columns;
        for (char *cell = at; cell;) {
            char *next = cut_cell(&at);
            *values++ = number(cell);
            cell = next;
        }
    }
    table->rows = lines;
    return PRC_OK;
}

prc_result prc_csv_table_read(prc_csv_table *table, const char *path, prc_error *error)
{
    size_t size;
    *table = (prc_csv_table){0};
    prc_result result = prc_file_read(path, &table->text, &size, error);
    if (result)
        return result;
    if (strlen(table->text) != size || !strchr(table->text, '\n'))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: is not a table written by percale", path);
    const int lines = count_lines(table->text) - 1;
    table->columns = count_cells(table->text);
    if ((size_t)lines * (size_t)table->columns > size) /* a row is at least as long as it has cells */
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has rows with fewer cells than the %d of its header", path,
                        table->columns);
    table->names = PRC_NEW(const char *, table->columns);
    table->values = prc_alloc((size_t)lines * (size_t)table->columns, sizeof(double));
    if (!table->names || !table->values)
        return PRC_FAIL_MEMORY(error);
    char *at = table->text, *cell = at;
    for (int c = 0; c < table->columns; c++) {
        table->names[c] = cell;
        cell = cut_cell(&at);
    }
    return read_rows(table, path, at, lines, error);
}

void prc_csv_table_release(prc_csv_table *table)
{
    prc_free(table->text);
    prc_free(table->names);
    prc_free(table->values);
    *table = (prc_csv_table){0};
}

int prc_csv_table_find(const prc_csv_table *table, const char *name)
{
    const size_t length = strlen(name);
    for (int c = 0; c < table->columns; c++)
        if (!strncmp(table->names[c], name, length) &&
            (!table->names[c][length] || !strncmp(table->names[c] + length, " [", 2)))
            return c;
    return -1;
}

double prc_csv_table_at(const prc_csv_table *table, int row, int column)
{
    return column < 0 ? NAN : table->values[(size_t)row * (size_t)table->columns + (size_t)column];
}
