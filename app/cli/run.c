/* app/cli/run.c — `percale run`: scene in, frames, table of steps and report out.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "cli.h"
#include "constraint/pin.h"
#include "log.h"
#include "output.h"
#include "progress.h"
#include "report.h"
#include "summary.h"

typedef struct options {
    const char *scene, *folder, *report, *trace, *log;
    double until;
    bool verify;
    prc_progress_options progress;
    char **overrides; /* owned texts */
    int override_count;
} options;

typedef struct job {
    options options;
    prc_sim_def def;
    prc_sim *sim;
    prc_output output;
    prc_progress progress;
    prc_log *log; /* or NULL */
    prc_run_totals totals;
    int steps;           /* of the whole run */
    double frame_period; /* s */
    char failure[600];
    bool violated;
    int verified;     /* states that the checker found clean */
    double least_gap; /* of them, m; negative: there was no pair */
    bool *obstacle;   /* per vertex: an obstacle's, or pinned for good */
    prc_start_outcome start;
} job;

/* ---- options ---- */

/* Options that stand for a key of the scene become overrides of it: one way to check them, one kind of message. */
static bool add_override(options *o, const char *key, const char *value)
{
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = malloc(size);
    if (!text)
        return false;
    snprintf(text, size, "%s%s%s", key, key[0] ? "=" : "", value);
    o->overrides[o->override_count++] = text;
    return true;
}

/* --fields a,b: output.a and output.b are true. */
static bool add_fields(options *o, const char *list)
{
    bool good = true;
    while (good) {
        const int length = (int)strcspn(list, ",");
        char key[60];
        snprintf(key, sizeof key, "output.%.*s", length, list);
        good = add_override(o, key, "true");
        if (!list[length])
            break;
        list += length + 1;
    }
    return good;
}

static int take_option(options *o, const char *name, const char *value)
{
    static const struct {
        const char *option, *key;
    } keys[] = {{"--set", ""}, {"--threads", "threads"}, {"--precision", "precision"}, {"--solver", "solver.method"}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (!strcmp(name, keys[k].option))
            return add_override(o, keys[k].key, value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    if (!strcmp(name, "--fields"))
        return add_fields(o, value) ? PRC_EXIT_OK : PRC_EXIT_INPUT;
    char *end;
    if (!strcmp(name, "-o") || !strcmp(name, "--output"))
        o->folder = value;
    else if (!strcmp(name, "--report"))
        o->report = value;
    else if (!strcmp(name, "--trace"))
        o->trace = value;
    else if (!strcmp(name, "--log-json")) {
        o->log = value;
        o->progress.stream = strcmp(value, "-") ? stdout : stderr; /* people and programs do not share a stream */
    } else if (!strcmp(name, "--interval")) {
        o->progress.interval = strtod(value, &end);
        if (end == value || *end || !(o->progress.interval > 0))
            return prc_cli_usage("run", "--interval: '%s' is not a time; expected a number of seconds > 0", value);
    } else if (!strcmp(name, "--until")) {
        o->until = strtod(value, &end);
        if (end == value || *end || !(o->until >= 0))
            return prc_cli_usage("run", "--until: '%s' is not a time; expected a number of seconds >= 0", value);
    } else
        return prc_cli_usage("run", "'%s' is not known", name);
    return PRC_EXIT_OK;
}

static int read_options(options *o, int argc, char **argv)
{
    *o = (options){.folder = "out", .until = INFINITY};
    size_t most = 1; /* an override per option, and one per field of --fields */
    for (int i = 0; i < argc; i++, most++)
        for (const char *c = argv[i]; *c; c++)
            most += *c == ',';
    o->overrides = calloc(most, sizeof *o->overrides);
    if (!o->overrides)
        return PRC_EXIT_INPUT;
    for (int i = 1; i < argc; i++) {
        int status = PRC_EXIT_OK;
        if (!strcmp(argv[i], "--quiet"))
            o->progress.quiet = true;
        else if (!strcmp(argv[i], "--verbose"))
            o->progress.verbose = true;
        else if (!strcmp(argv[i], "--verify"))
            o->verify = true;
        else if (argv[i][0] != '-' && !o->scene)
            o->scene = argv[i];
        else if (argv[i][0] != '-')
            status = prc_cli_usage("run", "'%s': one scene at a time; the first was '%s'", argv[i], o->scene);
        else if (i + 1 >= argc)
            status = prc_cli_usage("run", "'%s' is not known, or a value is missing after it", argv[i]);
        else {
            status = take_option(o, argv[i], argv[i + 1]);
            i++;
        }
        if (status)
            return status;
    }
    return o->scene ? PRC_EXIT_OK : prc_cli_usage("run", "which scene?");
}

static void release_options(options *o)
{
    for (int k = 0; k < o->override_count; k++)
        free(o->overrides[k]);
    free(o->overrides);
}

/* ---- the loop ---- */

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

/* The first Ctrl-C asks the loop to end; a second one ends the program. */
static void catch_interrupt(void)
{
    struct sigaction action = {0};
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static int fail(const prc_error *error, int status)
{
    fprintf(stderr, "percale: %s\n", error->message);
    return status;
}

static int write_frame(job *j)
{
    prc_error error;
    double start = prc_cli_seconds();
    prc_result result = prc_output_frame(&j->output, j->sim, &error);
    j->totals.seconds_writing += prc_cli_seconds() - start;
    j->totals.frames = j->output.frame_count;
    if (!result)
        prc_log_frame(j->log, j->output.frame_count - 1, prc_sim_time(j->sim));
    if (result)
        prc_progress_end(&j->progress);
    return result ? fail(&error, PRC_EXIT_WRITE) : PRC_EXIT_OK;
}

/* Frame k belongs to time k·period; a step that reaches it, rounding aside, is followed by the frame. */
static bool frame_is_due(const job *j, double time)
{
    return time + 1e-6 * j->def.time.step >= j->output.frame_count * j->frame_period;
}

/* ---- verification ---- */

/* The body of a vertex, and its number there. */
static void find_vertex(const job *j, int vertex, int *body, int *local)
{
    *body = 0;
    while (*body + 1 < prc_sim_body_count(j->sim) && vertex >= prc_sim_body_first_vertex(j->sim, *body + 1))
        ++*body;
    *local = vertex - prc_sim_body_first_vertex(j->sim, *body);
}

/* "body 0 shirt", "obstacle 1 mannequin". */
static void name_body(const job *j, int body, char text[80])
{
    const bool obstacle = prc_sim_body_is_obstacle(j->sim, body);
    const int index = obstacle ? body - j->def.body_count : body;
    const char *name = obstacle ? j->def.obstacles[index].name : j->def.bodies[index].name;
    snprintf(text, 80, "%s %d%s%.55s", obstacle ? "obstacle" : "body", index, name ? " " : "", name ? name : "");
}

static void describe_crossing(job *j, int step, const prc_check_result *r)
{
    const prc_check_crossing *c = &r->listed[0];
    int body[5], vertex[5];
    for (int k = 0; k < 5; k++)
        find_vertex(j, k < 2 ? c->edge[k] : c->triangle[k - 2], &body[k], &vertex[k]);
    char names[2][80], when[40] = "at the start";
    for (int k = 0; k < 2; k++)
        name_body(j, body[2 * k], names[k]);
    if (step)
        snprintf(when, sizeof when, "after step %d", step);
    char exempt[40] = "";
    if (j->totals.exempt_crossings)
        snprintf(exempt, sizeof exempt, ", %d of them exempt", j->totals.exempt_crossings);
    snprintf(
        j->failure, sizeof j->failure,
        "%s, at %.6g s: %lld intersections%s; edge %d %d of %s meets triangle %d %d %d of %s at (%.6g, %.6g, %.6g)",
        when, prc_sim_time(j->sim), r->crossings, exempt, vertex[0], vertex[1], names[0], vertex[2], vertex[3],
        vertex[4], names[1], c->point[0], c->point[1], c->point[2]);
}

/* Obstacles, and bodies and parts of them that are pinned for good, may intersect each other. */
static int find_obstacles(job *j)
{
    j->obstacle = calloc((size_t)prc_sim_vertex_count(j->sim), sizeof *j->obstacle);
    if (!j->obstacle) {
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    for (int i = 0; j->output.obstacle && i < prc_sim_vertex_count(j->sim); i++)
        j->obstacle[i] = j->output.obstacle[i];
    for (int p = 0; p < j->def.pin_count; p++) {
        const prc_pin_def *pin = &j->def.pins[p];
        for (int k = 0; prc_pin_is_for_good(pin) && k < pin->vertex_count; k++)
            j->obstacle[prc_sim_body_first_vertex(j->sim, pin->body) + pin->vertices[k]] = true;
    }
    return PRC_EXIT_OK;
}

/* Judges the state as the sim holds it, with the independent checker. Crossings of a bad start that the sim says are
 * exempt are no violation; one more than those is. */
static int verify(job *j, int step)
{
    prc_check_options how = prc_check_options_default();
    prc_check_result result;
    prc_error error;
    how.most_listed = 1;
    how.obstacle = j->obstacle;
    if (prc_check_surfaces(prc_sim_positions(j->sim), prc_sim_vertex_count(j->sim), j->output.shapes,
                           j->output.shape_count, &how, &result, &error)) {
        prc_progress_end(&j->progress);
        return fail(&error, PRC_EXIT_STEP);
    }
    j->violated = result.crossings > j->totals.exempt_crossings;
    if (j->violated) {
        describe_crossing(j, step, &result);
        j->totals.failure = j->failure;
        prc_progress_end(&j->progress);
        fprintf(stderr, "percale: %s\n", j->failure);
    } else {
        bool nearer = result.nearest.found && (!j->verified || result.nearest.distance < j->least_gap);
        j->least_gap = nearer ? result.nearest.distance : j->verified ? j->least_gap : -1;
        j->verified++;
    }
    prc_check_result_release(&result);
    return j->violated ? PRC_EXIT_VIOLATION : PRC_EXIT_OK;
}

static int loop(job *j)
{
    int status = write_frame(j);
    if (!status && j->options.verify)
        status = find_obstacles(j);
    if (!status && j->options.verify)
        status = verify(j, 0);
    for (int step = 1; step <= j->steps && !status && !interrupted; step++) {
        prc_step_report report = {0};
        prc_error error;
        j->output.step = step;
        prc_result result = prc_sim_step(j->sim, &report, &error);
        if (result) {
            snprintf(j->failure, sizeof j->failure, "step %d, from %.6g s: %s", step, prc_sim_time(j->sim),
                     error.message);
            j->totals.failure = j->failure;
            prc_progress_end(&j->progress);
            fprintf(stderr, "percale: %s\n", j->failure);
            status = PRC_EXIT_STEP;
            break;
        }
        prc_output_step(&j->output, step, &report);
        prc_log_step(j->log, step, &report);
        prc_run_totals_add(&j->totals, &report);
        if (frame_is_due(j, report.time))
            status = write_frame(j);
        if (!status && j->options.verify)
            status = verify(j, step);
        prc_progress_show(&j->progress, step, j->steps, j->totals.frames, &report);
    }
    j->totals.interrupted = interrupted && j->totals.steps < j->steps;
    prc_progress_end(&j->progress);
    return status;
}

/* ---- before and after ---- */

/* What the summary tells; `report` is the path of report.json. */
static prc_summary summarise(const job *j, const char *report)
{
    const prc_run_totals *t = &j->totals;
    return (prc_summary){.scene = j->options.scene,
                         .folder = j->output.folder,
                         .report = report,
                         .trace = j->options.trace,
                         .log = j->options.log,
                         .def = &j->def,
                         .sim = j->sim,
                         .totals = t,
                         .start = j->start,
                         .steps = j->steps,
                         .frame_period = j->frame_period,
                         .verdict = j->violated      ? "Stopped by an intersection."
                                    : t->failure     ? "Stopped by a failed step."
                                    : t->interrupted ? "Interrupted; files are complete up to here."
                                                     : "Finished.",
                         .good = !t->interrupted && !t->failure,
                         .verified = j->verified,
                         .least_gap = j->least_gap};
}

/* Closes the tables and writes the report, also after a failure: what was computed is kept. */
static int finish(job *j, int status)
{
    char path[PRC_CLI_PATH + 20];
    prc_error error;
    snprintf(path, sizeof path, "%s/report.json", j->output.folder);
    const char *report = j->options.report ? j->options.report : path;
    if (prc_output_close(&j->output, &error))
        status = fail(&error, PRC_EXIT_WRITE);
    if (prc_run_report_write(report, j->options.scene, j->output.folder, &j->def, prc_sim_backend(j->sim), &j->totals,
                             &error))
        status = fail(&error, PRC_EXIT_WRITE);
    if (status != PRC_EXIT_WRITE) {
        const prc_summary summary = summarise(j, report);
        prc_summary_end(&j->progress, &summary);
    }
    status = !status && j->totals.interrupted ? PRC_EXIT_INTERRUPTED : status;
    prc_log_end(j->log,
                j->totals.failure       ? "failed"
                : j->totals.interrupted ? "interrupted"
                                        : "finished",
                status, &j->totals);
    if (prc_log_close(j->log, &error))
        status = fail(&error, PRC_EXIT_WRITE);
    return status;
}

/* A start that was refused is shown in the output folder. */
static void show_bad_start(const job *j)
{
    prc_start_report report;
    prc_error error;
    char path[PRC_CLI_PATH];
    if (!j->def.contact.enabled || prc_start_examine(&j->def, &report, &error))
        return;
    if (report.crossing_count + report.close_count > 0) {
        if (prc_output_start(j->options.folder, &report, &j->def, path, &error))
            fprintf(stderr, "percale: no picture of the start: %s\n", error.message);
        else
            fprintf(stderr, "percale: %s shows all %d crossings and %d pairs that are too close\n", path,
                    report.crossing_count, report.close_count);
    }
    prc_start_report_release(&report);
}

static int run_scene(job *j)
{
    prc_error error;
    double start = prc_cli_seconds();
    j->def.time.duration = fmin(j->def.time.duration, j->options.until);
    double steps = ceil(j->def.time.duration / j->def.time.step - 1e-6);
    if (steps > 1e9) {
        fprintf(stderr, "percale: %.3g steps are too many; expected a larger time.step or a shorter time.duration\n",
                steps);
        return PRC_EXIT_INPUT;
    }
    j->steps = (int)steps;
    j->frame_period = fmax(1 / j->def.time.frames_per_second, j->def.time.step);
    j->sim = prc_sim_create(&j->def, &error);
    if (!j->sim) {
        fail(&error, PRC_EXIT_INPUT);
        show_bad_start(j);
        return PRC_EXIT_INPUT;
    }
    j->def.solver.tolerance = prc_sim_tolerance(j->sim); /* the report tells settings as resolved */
    j->start = prc_sim_start(j->sim);
    j->totals = prc_run_totals_begin();
    j->totals.exempt_pairs = j->start.exempt_pairs;
    j->totals.exempt_crossings = j->start.exempt_crossings;
    j->totals.seconds_building = prc_cli_seconds() - start;
    if (prc_output_open(&j->output, j->options.folder, j->options.trace, &j->def, &error)) {
        prc_sim_destroy(j->sim);
        return fail(&error, PRC_EXIT_WRITE);
    }
    if (j->options.log && !(j->log = prc_log_open(j->options.log, false, &error))) {
        prc_output_close(&j->output, NULL);
        prc_sim_destroy(j->sim);
        return fail(&error, PRC_EXIT_WRITE);
    }
    if (j->options.trace)
        prc_sim_set_trace(j->sim, prc_output_trace, &j->output);
    catch_interrupt();
    j->progress = prc_progress_begin(j->options.progress);
    const prc_summary summary = summarise(j, NULL);
    prc_summary_begin(&j->progress, &summary);
    prc_log_start(j->log, j->options.scene, j->output.folder, &j->def, j->sim, 0, j->steps);
    int status = loop(j);
    j->totals.seconds_total = prc_cli_seconds() - j->progress.started;
    status = finish(j, status);
    prc_sim_destroy(j->sim);
    free(j->obstacle);
    return status;
}

int prc_cli_run(int argc, char **argv)
{
    job *j = calloc(1, sizeof *j);
    prc_scene_errors *errors = calloc(1, sizeof *errors);
    int status = PRC_EXIT_INPUT;
    if (j && errors && !(status = read_options(&j->options, argc, argv))) {
        prc_scene *scene = prc_scene_read(j->options.scene, (const char *const *)j->options.overrides,
                                          j->options.override_count, errors);
        if (scene) {
            j->def = *prc_scene_sim_def(scene);
            status = run_scene(j);
        } else {
            status = prc_cli_scene_errors(errors);
        }
        prc_scene_destroy(scene);
    }
    if (j)
        release_options(&j->options);
    free(errors);
    free(j);
    return status;
}
