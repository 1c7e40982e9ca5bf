/* app/cli/table.h — a table of numbers as percale writes them: steps.csv of a run, the trace of its iterations.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_TABLE_H
#define PRC_CLI_TABLE_H

#include <percale/base.h>

typedef struct prc_table_file {
    char *text;         /* of the file, cut into cells */
    const char **names; /* of the columns, as in the header: "time [s]" */
    double *values;     /* row after row; NaN for what is empty or no number */
    int columns, rows;
} prc_table_file;

/* Reads a table. A last row that is not whole, as of a run that goes on, is left out. Release also after a failure. */
prc_result prc_table_read(prc_table_file *table, const char *path, prc_error *error);
void prc_table_release(prc_table_file *table);

/* The column of that name, with or without its unit; −1: none. */
int prc_table_find(const prc_table_file *table, const char *name);
double prc_table_at(const prc_table_file *table, int row, int column); /* NaN for column −1 */

#endif
