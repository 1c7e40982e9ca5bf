/* io/csv_read.h — reads tables of numbers written by io/csv.h: steps.csv of a run, the trace of its iterations.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CSV_READ_H
#define PRC_IO_CSV_READ_H

#include <percale/base.h>

typedef struct prc_csv_table {
    char *text;         /* of the file, cut into cells */
    const char **names; /* of the columns, as in the header: "time [s]" */
    double *values;     /* row after row; NaN for what is empty or no number */
    int columns, rows;
} prc_csv_table;

/* Reads a table. A last row that is not whole, as of a run that goes on, is left out. Release also after a failure. */
prc_result prc_csv_table_read(prc_csv_table *table, const char *path, prc_error *error);
void prc_csv_table_release(prc_csv_table *table);

/* The column of that name, with or without its unit; −1: none. */
int prc_csv_table_find(const prc_csv_table *table, const char *name);
double prc_csv_table_at(const prc_csv_table *table, int row, int column); /* NaN for column −1 */

#endif
