/* app/cli/log.h — the log of a run for programs: one JSON object per line; docs/formats.md describes them.
 *
 * All functions accept NULL for no log. A line is complete when the next one begins. prc_log_close reports write
 * errors; the run continues.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_LOG_H
#define PRC_CLI_LOG_H

#include <percale/percale.h>

#include "report.h"

typedef struct prc_log prc_log;

/* "-" is standard output. With `append` an existing file is kept and grows: for runs that are resumed. NULL and a
 * message on failure. */
prc_log *prc_log_open(const char *path, bool append, prc_error *error);
prc_result prc_log_close(prc_log *log, prc_error *error);

/* `first_step` is the last step that had been taken before: 0 for a new run. */
void prc_log_start(prc_log *log, const char *scene, const char *folder, const prc_sim_def *def, const prc_sim *sim,
                   int first_step, int steps);
void prc_log_step(prc_log *log, int step, const prc_step_report *report);
void prc_log_frame(prc_log *log, int frame, double time);
void prc_log_checkpoint(prc_log *log, const char *folder, int step, double time);
void prc_log_warning(prc_log *log, const char *message);
/* `status` is the exit status. */
void prc_log_end(prc_log *log, int status, const prc_run_totals *totals);

#endif
