/* io/csv.h — tables of numbers, row by row, that can be followed while they grow.
 *
 * Unlike a prc_file, a table appears at once and keeps its rows when the program is killed: a log is worth more in part
 * than not at all. Write errors are kept until the table is closed. Numbers have decimal points whatever the locale.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CSV_H
#define PRC_IO_CSV_H

#include <percale/base.h>

typedef struct prc_csv prc_csv;

/* Starts a table and writes its header line as given; NULL and a message when it cannot. */
prc_csv *prc_csv_open(const char *path, const char *header, prc_error *error);
void prc_csv_real(prc_csv *csv, double value); /* an empty cell where it is not finite */
void prc_csv_int(prc_csv *csv, long long value);
void prc_csv_text(prc_csv *csv, const char *text); /* quoted where it must be */
void prc_csv_end_row(prc_csv *csv);
/* Hands the rows so far to the system. */
void prc_csv_flush(prc_csv *csv);
/* Closes and releases the table; says whether everything was written. Closing NULL does nothing. */
prc_result prc_csv_close(prc_csv *csv, prc_error *error);

#endif
