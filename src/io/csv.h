/* io/csv.h — tables of numbers, written row by row, that can be read while they grow.
 *
 * Unlike a prc_file, a table appears at once and keeps its rows if the program is killed: a partial log is better than
 * none. It can be truncated to an earlier length and continued. Write errors are kept until queried; then the file ends
 * with a complete part, and the rest is still in memory as text. Numbers have decimal points in every locale.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CSV_H
#define PRC_IO_CSV_H

#include <percale/base.h>

typedef struct prc_csv prc_csv;

/* Starts a table and writes its header line as given; NULL and a message when it cannot. */
prc_csv *prc_csv_open(const char *path, const char *header, prc_error *error);
/* Goes on with a table that was at least `bytes` long: what comes after them is cut off, then `rows` is added,
 * the text of whole rows (NULL for none). With 0 bytes a table is started. */
prc_csv *prc_csv_continue(const char *path, const char *header, long long bytes, const char *rows, prc_error *error);
void prc_csv_real(prc_csv *csv, double value); /* an empty cell where it is not finite */
void prc_csv_int(prc_csv *csv, long long value);
void prc_csv_text(prc_csv *csv, const char *text); /* quoted where it must be */
void prc_csv_end_row(prc_csv *csv);
/* Hands the rows so far to the system. */
void prc_csv_flush(prc_csv *csv);
/* Whether everything so far could be written, as far as is known. */
prc_result prc_csv_check(const prc_csv *csv, prc_error *error);
/* Flushes, down to the disk; says whether everything was written. */
prc_result prc_csv_sync(prc_csv *csv, prc_error *error);
long long prc_csv_bytes(const prc_csv *csv);  /* of the file */
long long prc_csv_length(const prc_csv *csv); /* … when all rows so far are in it */
const char *prc_csv_pending(prc_csv *csv);    /* text that is not in the file; valid until the next call */
/* Takes back the rows after a length that the table had; what is no file, a pipe for instance, keeps them. */
void prc_csv_cut(prc_csv *csv, long long length);
/* Closes and releases the table; says whether everything was written. Closing NULL does nothing. */
prc_result prc_csv_close(prc_csv *csv, prc_error *error);

#endif
