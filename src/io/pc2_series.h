/* io/pc2_series.h — a PC2 file that grows sample by sample during a run.
 *
 * A sample is counted in the header after it has been written, so that a killed writer leaves complete samples; a
 * partial sample after them is not counted, and is truncated when the file is continued. For the format see pc2.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_PC2_SERIES_H
#define PRC_IO_PC2_SERIES_H

#include <percale/base.h>

typedef struct prc_pc2_series prc_pc2_series;

/* Starts a file (samples < 0), or goes on with one after its first `samples` samples. NULL and a message when it
 * cannot. */
prc_pc2_series *prc_pc2_series_open(const char *path, int point_count, int samples, prc_error *error);
/* 3 values per point; they become single precision. */
prc_result prc_pc2_series_add(prc_pc2_series *series, const double *positions, prc_error *error);
/* Has the system store what was added. */
prc_result prc_pc2_series_flush(prc_pc2_series *series, prc_error *error);
/* Flushes and releases the series; closing NULL does nothing. */
prc_result prc_pc2_series_close(prc_pc2_series *series, prc_error *error);

#endif
