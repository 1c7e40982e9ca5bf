/* app/cli/plot_script.h — the gnuplot script of `percale plot`, including its data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_PLOT_SCRIPT_H
#define PRC_CLI_PLOT_SCRIPT_H

#include "io/csv_read.h"
#include "io/file.h"

typedef struct prc_plot_run {
    const char *name; /* as people know it */
    prc_csv_table steps;
    prc_csv_table trace; /* of the solver's iterations; without rows where there is none */
} prc_plot_run;

typedef struct prc_plot {
    const prc_plot_run *runs;
    int run_count;
    double from, to;      /* simulated time, s */
    const char *terminal; /* "svg", "png" or "pdf" */
    int width, height;    /* pixels; 0: what suits the panels */
    const char *output;   /* a name for the script to write to; NULL: standard output */
} prc_plot;

/* The names of all panels that are not columns, in the order in which they are drawn; NULL ends them. */
extern const char *const prc_plot_panels[];

/* Whether this is a panel, or a column of one of the tables. */
bool prc_plot_knows(const prc_plot *plot, const char *panel);
/* Whether any run has something to show in it. */
bool prc_plot_has(const prc_plot *plot, const char *panel);
/* Writes a script that draws these panels as one picture. */
prc_result prc_plot_write(prc_file *file, const prc_plot *plot, const char *const *panels, int count, prc_error *error);

#endif
