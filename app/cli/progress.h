/* app/cli/progress.h — what a person sees while a run goes on: one line on a terminal, a line now and then elsewhere.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_PROGRESS_H
#define PRC_CLI_PROGRESS_H

#include <percale/percale.h>

typedef struct prc_progress {
    bool quiet, terminal, colour;
    double started, shown; /* wall clock, s */
    int first;             /* step that was done when it started */
} prc_progress;

prc_progress prc_progress_begin(bool quiet);
/* Shows step number `step` of `steps`, at most a few times per second. */
void prc_progress_show(prc_progress *progress, int step, int steps, int frames, const prc_step_report *report);
/* Clears the line on a terminal. */
void prc_progress_end(prc_progress *progress);

/* Text in a colour where colours are wanted: codes of "bold", "good", "bad" or, to end it, "". */
const char *prc_progress_colour(const prc_progress *progress, const char *name);
/* 0.04 → "40 ms", 75 → "1 min 15 s". */
const char *prc_progress_duration(double seconds, char text[40]);

#endif
