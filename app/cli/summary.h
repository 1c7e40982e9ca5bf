/* app/cli/summary.h — what a person reads before and after a run, in five seconds.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_SUMMARY_H
#define PRC_CLI_SUMMARY_H

#include "progress.h"
#include "report.h"

/* All that is told; what does not apply is NULL, 0 or false. */
typedef struct prc_summary {
    const char *scene, *folder, *report, *trace, *log; /* paths */
    const prc_sim_def *def;
    const prc_sim *sim;
    const prc_run_totals *totals;
    prc_start_outcome start;
    int steps;           /* of the whole run */
    double frame_period; /* s */
    const char *verdict; /* "Finished.", "Stopped by a failed step." */
    bool good;           /* it is what was asked for */
    const char *resume;  /* the command that goes on, or NULL */
    int verified;        /* states that the checker found clean */
    double least_gap;    /* of them, m; negative: there was no pair */
} prc_summary;

/* One line, and what is unusual about the start. */
void prc_summary_begin(const prc_progress *progress, const prc_summary *summary);
/* Steps that did not converge are told even to those who asked for quiet. */
void prc_summary_end(const prc_progress *progress, const prc_summary *summary);

#endif
