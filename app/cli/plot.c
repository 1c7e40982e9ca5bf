/* app/cli/plot.c — `percale plot`: energies, residuals, iterations, contacts and times of runs as pictures.
 *
 * gnuplot draws them. It reads a script from its standard input (plot_script.c) that contains all data and no file
 * name, and writes the picture to its standard output, so no file name is ever part of a command. Leaves out
 * interactive plots.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "plot_script.h"

#define MOST_RUNS 32
#define MOST_SHOWN 24
#define PATH_SIZE 1100

extern char **environ;

typedef struct job {
    const char *paths[MOST_RUNS]; /* as given */
    char *names;                  /* --names, cut at its commas */
    char *what;                   /* --what, the same */
    const char *output, *format, *script, *trace;
    bool quiet;
    prc_plot plot;
    prc_plot_run runs[MOST_RUNS];
    const char *shown[MOST_SHOWN];
    int shown_count;
} job;

/* ---- options ---- */

/* "0.2..0.8", "0.2..", "..0.8". */
static bool read_range(const char *text, double *from, double *to)
{
    const char *dots = strstr(text, "..");
    char *end;
    if (!dots)
        return false;
    if (dots > text) {
        /* "0.2..0.8": a number would take the first dot along. */
        char number[64];
        if (dots - text >= (long)sizeof number)
            return false;
        snprintf(number, sizeof number, "%.*s", (int)(dots - text), text);
        *from = strtod(number, &end);
        if (end == number || *end)
            return false;
    }
    if (dots[2]) {
        *to = strtod(dots + 2, &end);
        if (*end)
            return false;
    }
    return *from < *to;
}

static bool read_size(const char *text, int *width, int *height)
{
    char *end;
    const long w = strtol(text, &end, 10);
    const long h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
    *width = (int)w;
    *height = (int)h;
    return !*end && w >= 100 && h >= 100 && w <= 10000 && h <= 10000;
}

static bool is_format(const char *name)
{
    return !strcmp(name, "svg") || !strcmp(name, "png") || !strcmp(name, "pdf");
}

/* An option with a value; false where the value makes no sense. */
static bool take_value(job *j, const char *name, const char *value, bool *known)
{
    *known = true;
    if (!strcmp(name, "--time"))
        return read_range(value, &j->plot.from, &j->plot.to);
    if (!strcmp(name, "--size"))
        return read_size(value, &j->plot.width, &j->plot.height);
    if (!strcmp(name, "--what") || !strcmp(name, "--names")) {
        char **list = !strcmp(name, "--what") ? &j->what : &j->names;
        prc_free(*list);
        return (*list = prc_string_copy(value)) != NULL;
    }
    if (!strcmp(name, "--format")) {
        j->format = value;
        return is_format(value);
    }
    if (!strcmp(name, "-o") || !strcmp(name, "--output"))
        j->output = value;
    else if (!strcmp(name, "--script"))
        j->script = value;
    else if (!strcmp(name, "--trace"))
        j->trace = value;
    else
        *known = false;
    return true;
}

static int read_options(job *j, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (j->plot.run_count == MOST_RUNS)
                return prc_cli_usage("plot", "at most %d runs can be compared", MOST_RUNS);
            j->paths[j->plot.run_count++] = argv[i];
        } else if (!strcmp(argv[i], "--quiet")) {
            j->quiet = true;
        } else {
            bool known;
            const char *value = i + 1 < argc ? argv[i + 1] : "";
            const bool good = take_value(j, argv[i], value, &known);
            if (!known)
                return prc_cli_usage("plot", "unknown option '%s'", argv[i]);
            if (!value[0])
                return prc_cli_usage("plot", "'%s' needs a value", argv[i]);
            if (!good)
                return prc_cli_usage("plot", "'%s %s': invalid value", argv[i], value);
            i++;
        }
    }
    if (j->plot.run_count == 0)
        return prc_cli_usage("plot", "no run given; for example: percale plot out/");
    if (j->trace && j->plot.run_count > 1)
        return prc_cli_usage("plot", "'--trace' is for one run; for several runs, trace.csv in each folder is used");
    return PRC_EXIT_OK;
}

/* ---- reading ---- */

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* The trace of a run: the one that was named, or trace.csv beside the table of steps. */
static prc_result read_trace(job *j, prc_plot_run *run, const char *folder, prc_error *error)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/trace.csv", folder);
    const char *from = j->trace ? j->trace : folder[0] && access(path, R_OK) == 0 ? path : NULL;
    if (!from)
        return PRC_OK;
    prc_result result = prc_csv_table_read(&run->trace, from, error);
    if (!result &&
        (prc_csv_table_find(&run->trace, "iteration") < 0 || prc_csv_table_find(&run->trace, "residual") < 0))
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: is not a trace; 'percale run --trace FILE' writes one", from);
    return result;
}

static prc_result read_run(job *j, int r, prc_error *error)
{
    prc_plot_run *run = &j->runs[r];
    char path[PATH_SIZE];
    const bool folder = is_folder(j->paths[r]);
    snprintf(path, sizeof path, folder ? "%s/steps.csv" : "%s", j->paths[r]);
    if (folder && access(path, F_OK) != 0)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s: has no steps.csv, so it is not the folder of a run; 'percale run scene.yaml -o %s' writes one",
            j->paths[r], j->paths[r]);
    prc_result result = prc_csv_table_read(&run->steps, path, error);
    if (!result && prc_csv_table_find(&run->steps, "time") < 0)
        result =
            prc_fail(error, PRC_ERROR_INPUT, "%s: has no column 'time'; expected a steps.csv written by percale", path);
    if (!result && run->steps.rows == 0)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: has no steps yet", path);
    return result ? result : read_trace(j, run, folder ? j->paths[r] : "", error);
}

/* The last part of a path, as long as there is one: "out/a/" is "a". Where two runs would have the same name, paths. */
static void name_runs(job *j)
{
    char *next = j->names;
    for (int r = 0; r < j->plot.run_count; r++) {
        j->runs[r].name = next && next[0] ? next : j->paths[r];
        next = next ? strchr(next, ',') : NULL;
        if (next)
            *next++ = '\0';
    }
}

/* --what, or every panel that has something to show. */
static int choose_panels(job *j)
{
    if (!j->what) {
        for (int p = 0; prc_plot_panels[p]; p++)
            if (prc_plot_has(&j->plot, prc_plot_panels[p]))
                j->shown[j->shown_count++] = prc_plot_panels[p];
        return PRC_EXIT_OK;
    }
    for (char *name = j->what, *next; name; name = next) {
        next = strchr(name, ',');
        if (next)
            *next++ = '\0';
        if (!prc_plot_knows(&j->plot, name)) {
            fprintf(stderr, "percale plot: unknown option '%s'; expected", name);
            for (int p = 0; prc_plot_panels[p]; p++)
                fprintf(stderr, " %s,", prc_plot_panels[p]);
            fprintf(stderr, " or a column of steps.csv\n");
            return PRC_EXIT_USAGE;
        }
        if (j->shown_count == MOST_SHOWN)
            return prc_cli_usage("plot", "at most %d plots at a time", MOST_SHOWN);
        j->shown[j->shown_count++] = name;
    }
    return PRC_EXIT_OK;
}

/* ---- gnuplot ---- */

static prc_result no_gnuplot(int failure, prc_error *error)
{
    if (failure != ENOENT)
        return prc_fail(error, PRC_ERROR_INPUT, "gnuplot cannot be started: %s", strerror(failure));
    return prc_fail(error, PRC_ERROR_INPUT,
                    "gnuplot is not installed; on Debian: 'apt-get install gnuplot-nox'. '--script FILE' writes a "
                    "script with all data, for gnuplot on another machine");
}

/* Runs gnuplot from one file to another; what it complains about goes to a third. */
static prc_result run_gnuplot(FILE *script, FILE *picture, FILE *complaints, prc_error *error)
{
    char name[] = "gnuplot", standard[] = "-";
    char plain[] = {'-', 'd', '\0'}; /* not as the user's own start file says; a text would be taken for our option */
    char *arguments[] = {name, plain, standard, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
    pid_t child;
    const int failure = posix_spawnp(&child, name, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure)
        return no_gnuplot(failure, error);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return PRC_OK;
    char text[400] = "";
    rewind(complaints);
    const size_t length = fread(text, 1, sizeof text - 1, complaints);
    text[length] = '\0';
    return prc_fail(error, PRC_ERROR_INPUT, "gnuplot failed: %s", text[0] ? text : "it gave no reason");
}

static prc_result copy_picture(FILE *picture, const char *path, prc_error *error)
{
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return error->code;
    char bytes[8192];
    size_t size, total = 0;
    rewind(picture);
    while ((size = fread(bytes, 1, sizeof bytes, picture)) > 0) {
        prc_file_write(file, bytes, size);
        total += size;
    }
    if (total > 0)
        return prc_file_commit(file, error);
    prc_file_abandon(file);
    return prc_fail(error, PRC_ERROR_INPUT, "gnuplot has not drawn anything");
}

static prc_result draw(job *j, const char *const *shown, int count, const char *path, prc_error *error)
{
    FILE *files[3] = {tmpfile(), tmpfile(), tmpfile()}; /* script, picture, complaints */
    prc_result result = PRC_OK;
    if (!files[0] || !files[1] || !files[2])
        result = prc_fail(error, PRC_ERROR_IO, "cannot create a temporary file: %s", strerror(errno));
    prc_file *script = result ? NULL : prc_file_stream(files[0], "the script for gnuplot", error);
    if (!result && !script)
        result = error->code;
    if (!result) {
        result = prc_plot_write(script, &j->plot, shown, count, error);
        const prc_result written = prc_file_commit(script, result ? NULL : error);
        result = result ? result : written;
    }
    if (!result) {
        rewind(files[0]);
        lseek(fileno(files[0]), 0, SEEK_SET); /* the place that the child reads from */
        result = run_gnuplot(files[0], files[1], files[2], error);
    }
    if (!result)
        result = copy_picture(files[1], path, error);
    for (int f = 0; f < 3; f++)
        if (files[f])
            fclose(files[f]);
    if (!result && !j->quiet)
        printf("%s\n", path);
    return result;
}

/* ---- output ---- */

/* What comes after the last dot of the last part; "" where there is none. */
static const char *ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    return dot && (!slash || dot > slash) && dot != (slash ? slash + 1 : path) ? dot + 1 : "";
}

static prc_result draw_folder(job *j, const char *folder, prc_error *error)
{
    char path[PATH_SIZE];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be created: %s", folder, strerror(errno));
    prc_result result = PRC_OK;
    for (int k = 0; !result && k < j->shown_count; k++) {
        if (snprintf(path, sizeof path, "%s/%s.%s", folder, j->shown[k], j->plot.terminal) >= (int)sizeof path)
            result = prc_fail(error, PRC_ERROR_IO, "%s: the name is too long", folder);
        else
            result = draw(j, &j->shown[k], 1, path, error);
    }
    return result;
}

static prc_result write_script(job *j, const char *picture, prc_error *error)
{
    prc_file *file = prc_file_open(j->script, error);
    if (!file)
        return error->code;
    prc_plot named = j->plot;
    named.output = picture;
    prc_result result = prc_plot_write(file, &named, j->shown, j->shown_count, error);
    if (result) {
        prc_file_abandon(file);
        return result;
    }
    result = prc_file_commit(file, error);
    if (!result && !j->quiet)
        printf("%s: 'gnuplot %s' draws %s\n", j->script, j->script, picture);
    return result;
}

static int write_output(job *j, prc_error *error)
{
    char standard[PATH_SIZE];
    const char *first = j->paths[0], *path = j->output;
    const char *format = j->format ? j->format : "svg";
    if (!path) {
        const bool inside = j->plot.run_count == 1 && is_folder(first);
        const char *slash = inside && first[strlen(first) - 1] != '/' ? "/" : "";
        snprintf(standard, sizeof standard, "%s%splots.%s", inside ? first : "", slash, format);
        path = standard;
    }
    const bool folder = is_folder(path) || !ending(path)[0];
    if (!folder && !is_format(ending(path)))
        return prc_cli_usage("plot", "'%s' does not end in .svg, .png or .pdf", path);
    if (!folder && j->format && strcmp(j->format, ending(path)) != 0)
        return prc_cli_usage("plot", "'%s' and '--format %s' contradict each other", path, j->format);
    j->plot.terminal = folder ? format : ending(path);
    if (j->script) {
        char picture[] = "plots.xyz";
        snprintf(picture, sizeof picture, "plots.%s", format);
        return write_script(j, folder ? picture : path, error) ? -1 : PRC_EXIT_OK;
    }
    return (folder ? draw_folder(j, path, error) : draw(j, j->shown, j->shown_count, path, error)) ? -1 : PRC_EXIT_OK;
}

static int plot(job *j, int argc, char **argv)
{
    prc_error error = {0};
    int status = read_options(j, argc, argv);
    for (int r = 0; !status && r < j->plot.run_count; r++)
        if (read_run(j, r, &error))
            status = -1;
    if (!status) {
        name_runs(j);
        status = choose_panels(j);
    }
    if (!status)
        status = write_output(j, &error);
    if (status >= 0)
        return status;
    fprintf(stderr, "percale plot: %s\n", error.message);
    return error.code == PRC_ERROR_IO && j->shown_count > 0 ? PRC_EXIT_WRITE : PRC_EXIT_INPUT;
}

int prc_cli_plot(int argc, char **argv)
{
    job j = {.plot = {.from = -INFINITY, .to = INFINITY}};
    j.plot.runs = j.runs;
    const int status = plot(&j, argc, argv);
    for (int r = 0; r < MOST_RUNS; r++) {
        prc_csv_table_release(&j.runs[r].steps);
        prc_csv_table_release(&j.runs[r].trace);
    }
    prc_free(j.names);
    prc_free(j.what);
    return status;
}
