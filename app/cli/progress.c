/* app/cli/progress.c — see progress.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

#define BAR 16 /* so that the line fits 80 columns */

prc_progress prc_progress_begin(bool quiet)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    prc_progress progress = {.quiet = quiet, .started = prc_cli_seconds()};
    progress.terminal = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    progress.colour = progress.terminal && !(no_colour && no_colour[0]);
    progress.shown = progress.started;
    return progress;
}

const char *prc_progress_colour(const prc_progress *progress, const char *name)
{
    if (!progress->colour)
        return "";
    if (!strcmp(name, "bold"))
        return "\033[1m";
    if (!strcmp(name, "good"))
        return "\033[32m";
    if (!strcmp(name, "bad"))
        return "\033[33m";
    return "\033[0m";
}

const char *prc_progress_duration(double seconds, char text[40])
{
    int whole = seconds < 1e9 ? (int)(seconds + 0.5) : 1000000000;
    if (seconds < 0.9995)
        snprintf(text, 40, "%.3g ms", 1e3 * seconds);
    else if (seconds < 99.5)
        snprintf(text, 40, "%.3g s", seconds);
    else if (whole < 3600)
        snprintf(text, 40, "%d min %d s", whole / 60, whole % 60);
    else
        snprintf(text, 40, "%d h %d min", whole / 3600, whole / 60 % 60);
    return text;
}

static void print_bar(const prc_progress *progress, double done)
{
    char filled[BAR + 1], empty[BAR + 1];
    int cells = (int)(done * BAR);
    memset(filled, '#', sizeof filled);
    memset(empty, '-', sizeof empty);
    filled[cells] = '\0';
    empty[BAR - cells] = '\0';
    printf("\r[%s%s%s%s]", prc_progress_colour(progress, "good"), filled, prc_progress_colour(progress, ""), empty);
}

void prc_progress_show(prc_progress *progress, int step, int steps, int frames, const prc_step_report *report)
{
    double now = prc_cli_seconds(), interval = progress->terminal ? 0.1 : 5;
    if (progress->quiet || now - progress->shown < interval)
        return;
    progress->shown = now;
    double done = (double)step / steps, left = (now - progress->started) * (steps - step) / (step - progress->first);
    char text[40];
    if (progress->terminal)
        print_bar(progress, done);
    printf("%s%3.0f %%  frame %d  %.3f s  %s left  %d iterations  %.1e m/s%s%s", progress->terminal ? " " : "",
           100 * done, frames, report->time, prc_progress_duration(left, text), report->iterations, report->residual,
           report->converged ? "" : "  not converged", progress->terminal ? "\033[K" : "\n");
    fflush(stdout);
}

void prc_progress_end(prc_progress *progress)
{
    if (!progress->quiet && progress->terminal)
        printf("\r\033[K");
    fflush(stdout);
}
