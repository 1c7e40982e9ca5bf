/* app/cli/plot_script.c — see plot_script.h.
 *
 * A panel is a list of curves, a curve a column of steps.csv or a sum of several. One run has a colour per curve;
 * several have a colour per run and a dash per curve. Long tables are reduced to at most MOST_POINTS points, depending
 * on the quantity: the largest residual, the mean time. Reading data and running gnuplot are in plot.c.
 * SPDX-License-Identifier: Apache-2.0 */
#include "plot_script.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define MOST_POINTS 1500
#define MOST_SOLVES 200 /* curves of convergence */
#define MOST_TERMS 10
#define MOST_CURVES 96 /* in one picture */

typedef enum gather { GATHER_LAST, GATHER_MEAN, GATHER_MOST, GATHER_LEAST } gather;

typedef struct curve {
    const char *panel;
    const char *column; /* of steps.csv, or one of the sums below */
    const char *title;
    gather how;
    double scale;
    bool wanted; /* also where it is 0 throughout */
    bool alone;  /* in its panel, which has its name */
} curve;

static const curve curves[] = {
    {"energies", "total", "total", GATHER_LAST, 1, true, false},
    {"energies", "energy_elastic", "elastic", GATHER_LAST, 1, true, false},
    {"energies", "energy_kinetic", "kinetic", GATHER_LAST, 1, true, false},
    {"energies", "energy_potential", "potential", GATHER_LAST, 1, false, false},
    {"energies", "energy_springs", "springs", GATHER_LAST, 1, false, false},
    {"energies", "energy_pressure", "pressure", GATHER_LAST, 1, false, false},
    {"residuals", "residual", "residual", GATHER_MOST, 1, false, false},
    {"residuals", "decrement", "Newton decrement", GATHER_MOST, 1, false, false},
    {"residuals", "unconverged", "did not converge", GATHER_MOST, 1, false, false},
    {"iterations", "inner_iterations", "inner (linear)", GATHER_MEAN, 1, false, false},
    {"iterations", "iterations", "outer", GATHER_MEAN, 1, false, false},
    {"contacts", "contact_pairs", "close pairs", GATHER_MOST, 1, false, false},
    {"contacts", "active_contacts", "pushing pairs", GATHER_MOST, 1, false, false},
    {"gaps", "smallest_gap", "smallest gap", GATHER_LEAST, 1e3, false, false},
    {"gaps", "largest_lag", "largest lag", GATHER_MOST, 1e3, false, false},
    {"timings", "seconds_gradient", "gradient", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_setup", "setup", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_linear", "linear solves", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_broad", "broad phase", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_ccd", "collision (CCD)", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_bounds", "safe moves", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds_contact_forces", "contact forces", GATHER_MEAN, 1e3, false, false},
    {"timings", "rest", "rest", GATHER_MEAN, 1e3, false, false},
    {"timings", "seconds", "whole step", GATHER_MEAN, 1e3, true, false},
};
#define CURVES (sizeof curves / sizeof *curves)

/* Sums of columns. */
static const struct {
    const char *name, *column;
    double weight;
} sums[] = {
    {"total", "energy_elastic", 1},         {"total", "energy_kinetic", 1},  {"total", "energy_potential", 1},
    {"total", "energy_springs", 1},         {"total", "energy_pressure", 1}, {"rest", "seconds", 1},
    {"rest", "seconds_gradient", -1},       {"rest", "seconds_setup", -1},   {"rest", "seconds_linear", -1},
    {"rest", "seconds_broad", -1},          {"rest", "seconds_ccd", -1},     {"rest", "seconds_bounds", -1},
    {"rest", "seconds_contact_forces", -1}, {"unconverged", "residual", 1},
};
#define SUMS (sizeof sums / sizeof *sums)

typedef struct panel {
    const char *name, *title, *axis;
    const char *settings; /* what gnuplot is told besides */
    bool positive;        /* only what is greater than 0 can be shown */
} panel;

static const panel panels[] = {
    {"energies", "Energies", "energy, J", "", false},
    {"residuals", "Residual after each step", "velocity, m/s", "set logscale y; set format y '10^{%T}'", true},
    {"iterations", "Iterations of each step", "number", "set logscale y; set yrange [0.8:*]", true},
    {"contacts", "Contacts", "number", "set yrange [0:*]", false},
    {"gaps", "Gaps and lags", "distance, mm", "set yrange [0:*]", false},
    {"timings", "Time of each step", "wall clock, ms", "set yrange [0:*]", false},
    {"convergence", "Convergence inside the steps", "residual, m/s", "set logscale y; set format y '10^{%T}'", true},
};
#define PANELS (sizeof panels / sizeof *panels)

const char *const prc_plot_panels[] = {"energies", "residuals", "iterations",  "contacts",
                                       "gaps",     "timings",   "convergence", NULL};

/* By Okabe and Ito: told apart by those who do not see all colours too. */
static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                      "#e69f00", "#56b4e9", "#8c6d31", "#000000"};
#define COLOURS (sizeof colours / sizeof *colours)

static const panel *find_panel(const char *name)
{
    for (size_t p = 0; p < PANELS; p++)
        if (!strcmp(panels[p].name, name))
            return &panels[p];
    return NULL;
}

/* ---- values ---- */

/* Where the values of a curve come from in one table. */
typedef struct source {
    int column[MOST_TERMS];
    double weight[MOST_TERMS];
    int count, converged; /* the column; −1: all steps count */
    double scale;
} source;

static source find_source(const prc_csv_table *table, const curve *c)
{
    source s = {.converged = -1, .scale = c->scale};
    for (size_t k = 0; k < SUMS; k++) {
        const int column = strcmp(sums[k].name, c->column) ? -1 : prc_csv_table_find(table, sums[k].column);
        if (column >= 0 && s.count < MOST_TERMS) {
            s.column[s.count] = column;
            s.weight[s.count++] = sums[k].weight;
        }
    }
    const int column = prc_csv_table_find(table, c->column);
    if (s.count == 0 && column >= 0) {
        s.column[s.count] = column;
        s.weight[s.count++] = 1;
    }
    if (!strcmp(c->column, "unconverged"))
        s.converged = prc_csv_table_find(table, "converged");
    return s;
}

static double value_at(const prc_csv_table *table, const source *s, int row)
{
    double sum = s->count > 0 && !(s->converged >= 0 && prc_csv_table_at(table, row, s->converged) != 0) ? 0 : NAN;
    for (int k = 0; k < s->count; k++)
        sum += s->weight[k] * prc_csv_table_at(table, row, s->column[k]);
    return s->scale * sum;
}

/* The rows from `first` to before `last`, as one value; NaN where there is none. */
static double gathered(const prc_csv_table *table, const source *s, gather how, int first, int last)
{
    double value = NAN, sum = 0;
    int count = 0;
    for (int row = first; row < last; row++) {
        const double here = value_at(table, s, row);
        if (!isfinite(here))
            continue;
        sum += here;
        count++;
        value = how == GATHER_MOST ? fmax(value, here) : how == GATHER_LEAST ? fmin(value, here) : here;
    }
    return how == GATHER_MEAN && count > 0 ? sum / count : value;
}

static bool has_values(const prc_plot_run *run, const curve *c)
{
    const panel *p = find_panel(c->panel);
    const source s = find_source(&run->steps, c);
    for (int row = 0; row < run->steps.rows; row++) {
        const double value = value_at(&run->steps, &s, row);
        if (isfinite(value) && (p && p->positive ? value > 0 : c->wanted || value != 0))
            return true;
    }
    return false;
}

static bool any_has(const prc_plot *plot, const curve *c)
{
    for (int r = 0; r < plot->run_count; r++)
        if (has_values(&plot->runs[r], c))
            return true;
    return false;
}

/* ---- panels ---- */

/* A column by itself. */
static curve curve_of_column(const char *column)
{
    return (curve){column, column, column, GATHER_LAST, 1, true, true};
}

bool prc_plot_knows(const prc_plot *plot, const char *name)
{
    bool known = find_panel(name) != NULL;
    for (int r = 0; r < plot->run_count; r++)
        known |= prc_csv_table_find(&plot->runs[r].steps, name) >= 0;
    return known;
}

bool prc_plot_has(const prc_plot *plot, const char *name)
{
    bool has = false;
    const curve column = curve_of_column(name);
    for (size_t c = 0; c < CURVES; c++)
        has |= !strcmp(curves[c].panel, name) && any_has(plot, &curves[c]);
    for (int r = 0; !strcmp(name, "convergence") && r < plot->run_count; r++)
        has |= plot->runs[r].trace.rows > 0;
    return has || (!find_panel(name) && any_has(plot, &column));
}

/* What is drawn: the curves of all panels, one after the other. */
typedef struct drawing {
    const prc_plot *plot;
    prc_file *file;
    curve list[MOST_CURVES];
    int count;
} drawing;

static bool add_panel(drawing *d, const char *name)
{
    const curve column = curve_of_column(name);
    for (size_t c = 0; c < CURVES && d->count < MOST_CURVES; c++)
        if (!strcmp(curves[c].panel, name) && any_has(d->plot, &curves[c]))
            d->list[d->count++] = curves[c];
    if (!find_panel(name) && d->count < MOST_CURVES)
        d->list[d->count++] = column;
    return d->count < MOST_CURVES;
}

/* A text that gnuplot takes as it is, whatever is in it. */
static void write_text(prc_file *file, const char *text)
{
    prc_file_printf(file, "'");
    for (; *text; text++)
        if (*text == '\'')
            prc_file_printf(file, "''");
        else
            prc_file_printf(file, "%c", (unsigned char)*text < ' ' ? ' ' : *text);
    prc_file_printf(file, "'");
}

/* ---- data ---- */

static void write_steps(const drawing *d, int r)
{
    const prc_csv_table *table = &d->plot->runs[r].steps;
    source sources[MOST_CURVES];
    const int time = prc_csv_table_find(table, "time");
    int first = 0, last = table->rows;
    while (first < last && prc_csv_table_at(table, first, time) < d->plot->from)
        first++;
    while (last > first && prc_csv_table_at(table, last - 1, time) > d->plot->to)
        last--;
    const int group = (last - first + MOST_POINTS - 1) / MOST_POINTS;
    prc_file_printf(d->file, "$run%d << END\n# time [s]", r + 1);
    for (int c = 0; c < d->count; c++) {
        sources[c] = find_source(table, &d->list[c]);
        prc_file_printf(d->file, ", %d: %s%s", c + 2, d->list[c].column, d->list[c].scale > 1 ? " x 1000" : "");
    }
    prc_file_printf(d->file, "\n");
    if (group > 1)
        prc_file_printf(d->file, "# each row stands for %d steps\n", group);
    for (int row = first; row < last; row += group) {
        const int next = row + group < last ? row + group : last;
        prc_file_printf(d->file, "%.10g", prc_csv_table_at(table, next - 1, time));
        for (int c = 0; c < d->count; c++)
            prc_file_printf(d->file, " %.10g", gathered(table, &sources[c], d->list[c].how, row, next));
        prc_file_printf(d->file, "\n");
    }
    prc_file_printf(d->file, "END\n");
}

/* Iteration and residual; a blank line between two solves. Of many solves, some at equal distances. */
static void write_trace(const drawing *d, int r)
{
    const prc_csv_table *table = &d->plot->runs[r].trace;
    const int iteration = prc_csv_table_find(table, "iteration"), residual = prc_csv_table_find(table, "residual");
    int solves = 0;
    for (int row = 0; row < table->rows; row++)
        solves += prc_csv_table_at(table, row, iteration) == 0;
    const int every = solves / MOST_SOLVES + 1;
    prc_file_printf(d->file, "$trace%d << END\n# iteration, residual [m/s]; every solve is a block\n", r + 1);
    int solve = -1;
    for (int row = 0; row < table->rows; row++) {
        const double k = prc_csv_table_at(table, row, iteration);
        solve += k == 0;
        if (solve % every)
            continue;
        prc_file_printf(d->file, "%s%.10g %.10g\n", k == 0 && solve > 0 ? "\n" : "", k,
                        prc_csv_table_at(table, row, residual));
    }
    prc_file_printf(d->file, "END\n");
}

/* ---- drawing ---- */

static void write_comma(const drawing *d, bool *first)
{
    prc_file_printf(d->file, *first ? "plot " : ", \\\n     ");
    *first = false;
}

/* How curve k of a panel is drawn where it has a colour of its own. */
static void write_alone(const drawing *d, int c, int k, bool *first)
{
    const bool points = !strcmp(d->list[c].column, "unconverged");
    const bool whole = !strcmp(d->list[c].column, "total");
    write_comma(d, first);
    prc_file_printf(d->file, "$run1 using 1:%d with ", c + 2);
    if (points)
        prc_file_printf(d->file, "points pt 2 ps 0.7 lc rgb '#d00000' title ");
    else
        prc_file_printf(d->file, "lines lw %s lc rgb '%s' title ", whole ? "2.2" : "1.6",
                        whole ? "#444444" : colours[(size_t)k % COLOURS]);
    write_text(d->file, d->list[c].alone ? "" : d->list[c].title); /* its name is at the axis */
}

/* Parts of a whole on top of each other, the uppermost first, and the whole as a line. */
static void write_stack(const drawing *d, int begin, int end, bool *first)
{
    for (int top = end - 2; top >= begin; top--) {
        write_comma(d, first);
        prc_file_printf(d->file, "$run1 using 1:(0");
        for (int c = begin; c <= top; c++)
            prc_file_printf(d->file, "+$%d", c + 2);
        prc_file_printf(d->file, ") with filledcurves y1=0 fs solid 0.75 noborder lc rgb '%s' title ",
                        strcmp(d->list[top].column, "rest") ? colours[(size_t)(top - begin) % COLOURS] : "#bbbbbb");
        write_text(d->file, d->list[top].title);
    }
    write_comma(d, first);
    prc_file_printf(d->file, "$run1 using 1:%d with lines lw 1 lc rgb '#333333' title ", end + 1);
    write_text(d->file, d->list[end - 1].title);
}

/* Of many curves of a panel those that are compared: times only as a whole. */
static bool compared(const curve *c)
{
    return strcmp(c->panel, "timings") != 0 || !strcmp(c->column, "seconds");
}

/* Several runs: a colour each, a dash per curve. */
static void write_compared(const drawing *d, int begin, int end, bool *first)
{
    int shown = 0;
    for (int c = begin; c < end; c++)
        shown += compared(&d->list[c]);
    for (int r = 0; r < d->plot->run_count; r++) {
        int dash = 0;
        for (int c = begin; c < end; c++) {
            if (!compared(&d->list[c]) || !has_values(&d->plot->runs[r], &d->list[c]))
                continue;
            write_comma(d, first);
            prc_file_printf(d->file, "$run%d using 1:%d with ", r + 1, c + 2);
            const char *colour = colours[(size_t)r % COLOURS];
            if (!strcmp(d->list[c].column, "unconverged"))
                prc_file_printf(d->file, "points pt 2 ps 0.7 lc rgb '%s' notitle", colour);
            else
                prc_file_printf(d->file, "lines lw 1.6 dt %d lc rgb '%s' notitle", ++dash, colour);
        }
        write_comma(d, first);
        prc_file_printf(d->file, "NaN with lines lw 2.5 lc rgb '%s' title ", colours[(size_t)r % COLOURS]);
        write_text(d->file, d->plot->runs[r].name);
    }
    for (int c = begin, dash = 0; shown > 1 && c < end; c++) {
        if (!compared(&d->list[c]))
            continue;
        write_comma(d, first);
        if (!strcmp(d->list[c].column, "unconverged"))
            prc_file_printf(d->file, "NaN with points pt 2 ps 0.7 lc rgb '#666666' title ");
        else
            prc_file_printf(d->file, "NaN with lines lw 1.6 dt %d lc rgb '#666666' title ", ++dash);
        write_text(d->file, d->list[c].title);
    }
}

static const char trace_title[] = "one step each";

static void write_convergence(const drawing *d, bool *first)
{
    prc_file_printf(d->file, "set xlabel 'iteration'\n");
    for (int r = 0; r < d->plot->run_count; r++) {
        if (d->plot->runs[r].trace.rows == 0)
            continue;
        write_comma(d, first);
        /* Many thin lines, half transparent: where most steps go is dark. */
        prc_file_printf(d->file, "$trace%d using 1:2 with lines lw 1 lc rgb '#a0%s' notitle", r + 1,
                        colours[(size_t)r % COLOURS] + 1);
        write_comma(d, first);
        prc_file_printf(d->file, "NaN with lines lw 2 lc rgb '%s' title ", colours[(size_t)r % COLOURS]);
        write_text(d->file, d->plot->run_count > 1 ? d->plot->runs[r].name : trace_title);
    }
    prc_file_printf(d->file, "\nset xlabel 'time, s'\n");
}

static void write_panel(const drawing *d, const char *name)
{
    const panel *p = find_panel(name);
    const int column = p ? -1 : prc_csv_table_find(&d->plot->runs[0].steps, name);
    int begin = 0, end;
    while (begin < d->count && strcmp(d->list[begin].panel, name) != 0)
        begin++;
    for (end = begin; end < d->count && !strcmp(d->list[end].panel, name); end++)
        ;
    prc_file_printf(d->file, "\n# ---- %s\nunset logscale; set format; set yrange [*:*]\nset title ", name);
    write_text(d->file, p ? p->title : name);
    prc_file_printf(d->file, " noenhanced\nset ylabel ");
    write_text(d->file, p ? p->axis : column >= 0 ? d->plot->runs[0].steps.names[column] : name);
    prc_file_printf(d->file, " noenhanced\n%s\n", p ? p->settings : "");
    bool first = true;
    if (!prc_plot_has(d->plot, name)) {
        prc_file_printf(d->file,
                        "unset logscale; set format ''; set label 1 'none in this run' at graph 0.5, 0.5 center\n"
                        "plot [0:1][0:1] NaN notitle\nunset label 1\n");
        return;
    }
    if (!strcmp(name, "convergence"))
        write_convergence(d, &first);
    else if (d->plot->run_count > 1)
        write_compared(d, begin, end, &first);
    else if (!strcmp(name, "timings"))
        write_stack(d, begin, end, &first);
    else
        for (int c = begin; c < end; c++)
            write_alone(d, c, c - begin, &first);
    prc_file_printf(d->file, "\n");
}

/* The longest text of a key: room is left for it beside every panel, so that all have the same width. */
static int longest_title(const drawing *d)
{
    size_t longest = 0;
    for (int c = 0; c < d->count; c++)
        if ((d->plot->run_count == 1 || compared(&d->list[c])) && !d->list[c].alone)
            longest = strlen(d->list[c].title) > longest ? strlen(d->list[c].title) : longest;
    for (int r = 0; d->plot->run_count > 1 && r < d->plot->run_count; r++)
        longest = strlen(d->plot->runs[r].name) > longest ? strlen(d->plot->runs[r].name) : longest;
    if (d->plot->run_count == 1 && d->plot->runs[0].trace.rows > 0 && strlen(trace_title) > longest)
        longest = strlen(trace_title);
    return longest > 40 ? 40 : (int)longest;
}

/* Panels of one picture: up to three one below the other, more in two columns. */
static void write_head(const drawing *d, int count)
{
    const prc_plot *plot = d->plot;
    const int columns = count > 3 ? 2 : 1, rows = (count + columns - 1) / columns;
    const int width = plot->width ? plot->width : columns > 1 ? 1500 : 900;
    const int height = plot->height ? plot->height : (count > 1 ? 300 : 450) * rows;
    if (!strcmp(plot->terminal, "png"))
        prc_file_printf(d->file,
                        "set terminal pngcairo enhanced size %d,%d font 'sans,11' fontscale 2 linewidth 2 "
                        "pointscale 2 background 'white'\n",
                        2 * width, 2 * height); /* twice as fine as a screen: for print */
    else if (!strcmp(plot->terminal, "pdf"))
        prc_file_printf(d->file, "set terminal pdfcairo enhanced size %gcm,%gcm font 'sans,9'\n", width * 0.02,
                        height * 0.02);
    else
        prc_file_printf(d->file, "set terminal svg enhanced size %d,%d font 'sans-serif,13' background 'white'\n",
                        width, height);
    if (plot->output) {
        prc_file_printf(d->file, "set output ");
        write_text(d->file, plot->output);
        prc_file_printf(d->file, "\n");
    }
    prc_file_printf(d->file,
                    "set encoding utf8\nset border 3 lw 0.8\nset tics nomirror out scale 0.6\n"
                    "set grid lt 1 lc rgb '#e2e2e2' lw 0.8\nset key at graph 1.02, 1 left top vertical Left reverse "
                    "noenhanced samplen 2\n"
                    "set lmargin 11; set rmargin %d; set tmargin 2.5; set bmargin 3.5\nset xlabel 'time, s'\n",
                    longest_title(d) + 6);
    if (count > 1)
        prc_file_printf(d->file, "set multiplot layout %d,%d\n", rows, columns);
}

prc_result prc_plot_write(prc_file *file, const prc_plot *plot, const char *const *names, int count, prc_error *error)
{
    drawing d = {.plot = plot, .file = file};
    bool traced = false;
    for (int k = 0; k < count; k++) {
        if (!add_panel(&d, names[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "more than %d curves; choose fewer", MOST_CURVES);
        traced |= !strcmp(names[k], "convergence");
    }
    prc_file_printf(file,
                    "# Written by percale plot; edit it and run it with gnuplot. The plots come after the data.\n");
    for (int r = 0; r < plot->run_count; r++) {
        write_steps(&d, r);
        if (traced && plot->runs[r].trace.rows > 0)
            write_trace(&d, r);
    }
    write_head(&d, count);
    for (int k = 0; k < count; k++)
        write_panel(&d, names[k]);
    if (count > 1)
        prc_file_printf(file, "unset multiplot\n");
    return PRC_OK;
}
