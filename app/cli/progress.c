/* app/cli/progress.c — see progress.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* winsize */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli.h"
#include "quantity.h"

#define REFRESH 0.1 /* s, on a terminal */
#define INTERVAL 5  /* s, elsewhere */
#define MEMORY 30   /* s: how far the estimate of the time left looks back */
#define LEAST_BAR 8 /* columns; a shorter bar is left out */
#define LONGEST_BAR 30
#define NARROW 60 /* columns: below that words matter more than the bar */
#define PIECES 7

/* ---- what the terminal can do ---- */

static bool wants_utf8(void)
{
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int k = 0; k < 3; k++) {
        const char *value = getenv(names[k]);
        if (value && value[0])
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8") || strstr(value, "UTF8");
    }
    return false;
}

static int columns_of(FILE *stream)
{
    struct winsize size;
    if (!ioctl(fileno(stream), TIOCGWINSZ, &size) && size.ws_col > 0)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    const long count = columns ? strtol(columns, NULL, 10) : 0;
    return count > 0 && count < 10000 ? (int)count : 80;
}

prc_progress prc_progress_begin(prc_progress_options options)
{
    const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
    if (!options.stream)
        options.stream = stdout;
    if (!(options.interval > 0))
        options.interval = INTERVAL;
    prc_progress progress = {.options = options, .started = prc_cli_seconds(), .shown_step = options.first_step};
    progress.terminal = isatty(fileno(options.stream)) && term && term[0] && strcmp(term, "dumb") != 0;
    progress.colour = progress.terminal && !(no_colour && no_colour[0]);
    progress.utf8 = wants_utf8();
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

/* ---- the line ---- */

/* Columns that a terminal needs: a byte that continues a UTF-8 character takes no room. */
static int width(const char *text)
{
    int columns = 0;
    for (; *text; text++)
        columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

/* 168 → "2:48 left". */
static void describe_left(char text[60], double seconds)
{
    if (!(seconds < 8.64e6)) {
        snprintf(text, 60, "? left");
        return;
    }
    const int whole = (int)ceil(seconds);
    if (whole < 3600)
        snprintf(text, 60, "%d:%02d left", whole / 60, whole % 60);
    else
        snprintf(text, 60, "%d:%02d:%02d left", whole / 3600, whole / 60 % 60, whole % 60);
}

/* What can be told about the step, in the order of the line; short enough for a bar beside it in 80 columns. */
static void describe(char piece[PIECES][60], int step, int steps, int frames, double seconds_left,
                     const prc_step_report *report)
{
    snprintf(piece[0], 60, "%3.0f%%", floor(100.0 * step / steps));
    snprintf(piece[1], 60, "frame %d", frames);
    snprintf(piece[2], 60, "%.4g s", report->time);
    describe_left(piece[3], seconds_left);
    snprintf(piece[4], 60, "%d it", report->iterations);
    snprintf(piece[5], 60, "%.1e m/s%s", report->residual, report->converged ? "" : " (not converged)");
    piece[6][0] = '\0';
    if (report->contact_pairs || report->active_contacts)
        snprintf(piece[6], 60, "%d contact%s", report->active_contacts, report->active_contacts == 1 ? "" : "s");
}

static void append(char line[PRC_PROGRESS_LINE], const char *more)
{
    const size_t length = strlen(line);
    snprintf(line + length, PRC_PROGRESS_LINE - length, "%s", more);
}

/* With eighths of a column where the terminal has UTF-8. */
static void append_bar(char line[PRC_PROGRESS_LINE], bool utf8, int cells, double done)
{
    static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int eighths = (int)(8 * cells * fmin(fmax(done, 0), 1)), filled = eighths / 8;
    const bool part = utf8 && eighths % 8;
    append(line, utf8 ? "▕" : "[");
    for (int k = 0; k < filled; k++)
        append(line, utf8 ? "█" : "#");
    append(line, part ? parts[eighths % 8] : "");
    for (int k = filled + part; k < cells; k++)
        append(line, utf8 ? " " : "-");
    append(line, utf8 ? "▏ " : "] ");
}

void prc_progress_line(char line[PRC_PROGRESS_LINE], bool utf8, int columns, int step, int steps, int frames,
                       double seconds_left, const prc_step_report *report)
{
    static const int order[PIECES] = {0, 3, 1, 2, 6, 4, 5}; /* what matters most comes first */
    char piece[PIECES][60];
    bool shown[PIECES] = {false};
    const int most = columns - 1 - (columns < NARROW ? 0 : LEAST_BAR + 3);
    int used = 0;
    describe(piece, step, steps, frames, seconds_left, report);
    for (int k = 0; k < PIECES; k++) {
        const int more = width(piece[order[k]]) + (used ? 2 : 0);
        shown[order[k]] = piece[order[k]][0] && used + more <= most;
        used += shown[order[k]] ? more : 0;
    }
    const int room = columns - 1 - used - 3; /* brackets and a space */
    const int cells = room < LONGEST_BAR ? room : LONGEST_BAR;
    line[0] = '\0';
    if (cells >= LEAST_BAR)
        append_bar(line, utf8, cells, (double)step / steps);
    const char *gap = "";
    for (int k = 0; k < PIECES; k++)
        if (shown[k]) {
            append(line, gap);
            append(line, piece[k]);
            gap = "  ";
        }
}

static void print_step(const prc_progress *progress, int step, int steps, const prc_step_report *report)
{
    FILE *to = progress->options.stream;
    char time[PRC_QUANTITY], gap[PRC_QUANTITY];
    fprintf(to, "step %d/%d  %.6g s  %d iteration%s (%d inner)  %.2e m/s  stretch %.4g to %.4g", step, steps,
            report->time, report->iterations, report->iterations == 1 ? "" : "s", report->inner_iterations,
            report->residual, report->smallest_stretch, report->largest_stretch);
    if (report->contact_pairs || report->active_contacts)
        fprintf(to, "  %d contacts, gap %s", report->active_contacts, prc_quantity_length(report->smallest_gap, gap));
    fprintf(to, "  %s", prc_quantity_duration(report->seconds, time));
    if (!report->converged)
        fprintf(to, "  %snot converged: %s%s", prc_progress_colour(progress, "bad"),
                report->stop ? report->stop : "unknown", prc_progress_colour(progress, ""));
    fputc('\n', to);
}

/* Of the steps to come, at the pace of late. */
static double time_left(prc_progress *progress, double now, int step, int steps)
{
    const double past = now - progress->shown, weight = exp(-past / MEMORY);
    progress->past_time = weight * progress->past_time + past;
    progress->past_step = weight * progress->past_step + step - progress->shown_step;
    return progress->past_step > 0 ? (steps - step) * progress->past_time / progress->past_step : NAN;
}

void prc_progress_show(prc_progress *progress, int step, int steps, int frames, const prc_step_report *report)
{
    FILE *to = progress->options.stream;
    if (progress->options.quiet)
        return;
    if (progress->options.verbose) {
        print_step(progress, step, steps, report);
        fflush(to);
        return;
    }
    const double now = prc_cli_seconds();
    if (now - progress->shown < (progress->terminal ? REFRESH : progress->options.interval))
        return;
    const double left = time_left(progress, now, step, steps);
    char line[PRC_PROGRESS_LINE];
    progress->shown = now;
    progress->shown_step = step;
    if (progress->terminal) {
        prc_progress_line(line, progress->utf8, columns_of(to), step, steps, frames, left, report);
        fprintf(to, "\r%s%s%s\033[K", report->converged ? "" : prc_progress_colour(progress, "bad"), line,
                report->converged ? "" : prc_progress_colour(progress, ""));
    } else {
        char piece[PIECES][60];
        describe(piece, step, steps, frames, left, report);
        for (int k = 0; k < PIECES; k++)
            fprintf(to, "%s%s", k && piece[k][0] ? "  " : "", piece[k]);
        fputc('\n', to);
    }
    fflush(to);
}

void prc_progress_end(prc_progress *progress)
{
    if (!progress->options.quiet && !progress->options.verbose && progress->terminal)
        fprintf(progress->options.stream, "\r\033[K");
    fflush(progress->options.stream);
}
