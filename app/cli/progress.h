/* app/cli/progress.h — progress output of a run: a bar on a terminal, a line now and then elsewhere, or a line per
 * step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_PROGRESS_H
#define PRC_CLI_PROGRESS_H

#include <percale/percale.h>

#include <stdio.h>

typedef struct prc_progress_options {
    bool quiet, verbose;
    double interval; /* between lines where the output is not a terminal, s; 0: 5 s */
    FILE *stream;    /* where everything for people goes but errors; NULL: standard output */
    int first_step;  /* the step that a resumed run has reached, else 0 */
} prc_progress_options;

typedef struct prc_progress {
    prc_progress_options options;
    bool terminal, colour, utf8;
    double started, shown;       /* wall clock, s */
    int shown_step;              /* at that time */
    double past_time, past_step; /* of the last half minute or so, the recent ones weighing more */
} prc_progress;

prc_progress prc_progress_begin(prc_progress_options options);
/* Shows step number `step` of `steps`: on a terminal at most a few times per second. */
void prc_progress_show(prc_progress *progress, int step, int steps, int frames, const prc_step_report *report);
/* Clears the line on a terminal; to be called before anything else is printed. */
void prc_progress_end(prc_progress *progress);

/* The bar for a terminal of that many columns, without colours: at most columns − 1 of them. */
#define PRC_PROGRESS_LINE 400
void prc_progress_line(char line[PRC_PROGRESS_LINE], bool utf8, int columns, int step, int steps, int frames,
                       double seconds_left, const prc_step_report *report);

/* Text in a colour where colours are wanted: codes of "bold", "good", "bad" or, to end it, "". */
const char *prc_progress_colour(const prc_progress *progress, const char *name);

#endif
