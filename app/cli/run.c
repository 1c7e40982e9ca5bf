/* app/cli/run.c — `percale run`: reads a scene, writes frames, table of steps, report and checkpoints. The loop is also
 * that of `percale resume`. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "job.h"
#include "settings.h"
#include "step/place.h"
#include "step/sim.h"
#include "stop.h"
#include "survey.h"

/* ---- the job ---- */

prc_job *prc_job_create(void)
{
    prc_job *j = calloc(1, sizeof *j);
    if (!j) {
        fprintf(stderr, "percale: out of memory\n");
        return NULL;
    }
    prc_stop_ignore_limits();
    j->began = j->saved = prc_cli_seconds();
    j->until = INFINITY;
    j->lock = PRC_LOCK_NONE;
    return j;
}

void prc_job_destroy(prc_job *j)
{
    if (!j)
        return;
    prc_sim_destroy(j->sim);
    prc_scene_destroy(j->scene);
    prc_checkpoint_release(&j->from);
    prc_free(j->settings);
    free(j->overrides);
    free(j->state);
    prc_log_close(j->log, NULL);
    prc_lock_release(&j->lock);
    prc_run_options_release(&j->options);
    free(j);
}

double prc_job_seconds(const prc_job *j)
{
    return j->seconds_before + (j->progress.started > 0 ? prc_cli_seconds() - j->progress.started : 0);
}

int prc_job_fail(prc_job *j, const prc_error *error, int status)
{
    prc_progress_end(&j->progress);
    fprintf(stderr, "percale: %s\n", error->message);
    snprintf(j->failure, sizeof j->failure, "%s", error->message);
    j->totals.failure = j->failure;
    return status;
}

prc_result prc_job_path(char path[PRC_CLI_PATH], const char *name, prc_error *error)
{
    path[0] = '\0';
    if (!name)
        return PRC_OK;
    if (name[0] != '/' && !getcwd(path, PRC_CLI_PATH))
        return prc_fail(error, PRC_ERROR_IO, "cannot determine the current folder: %s", strerror(errno));
    const size_t length = strlen(path);
    const int room = (int)(PRC_CLI_PATH - length);
    if (snprintf(path + length, (size_t)room, "%s%s", length ? "/" : "", name) >= room)
        return prc_fail(error, PRC_ERROR_IO, "%s: the path is too long", name);
    return PRC_OK;
}

/* All overrides: those of the run that is resumed, then those of this command line. */
static bool join_overrides(prc_job *j)
{
    const int before = j->from.override_count, here = j->options.override_count;
    j->overrides = calloc((size_t)before + (size_t)here + 1, sizeof *j->overrides);
    if (!j->overrides)
        return false;
    for (int k = 0; k < before; k++)
        j->overrides[k] = j->from.overrides[k];
    for (int k = 0; k < here; k++)
        j->overrides[before + k] = j->options.overrides[k];
    j->override_count = before + here;
    return true;
}

/* Messages name the file as the user did. */
int prc_job_read(prc_job *j)
{
    const char *path = j->from.file ? j->scene_path : j->options.what;
    prc_scene_errors *errors = calloc(1, sizeof *errors);
    if (!errors || !join_overrides(j)) {
        free(errors);
        fprintf(stderr, "percale: out of memory\n");
        return PRC_EXIT_INPUT;
    }
    j->scene = prc_scene_read(path, j->overrides, j->override_count, errors);
    if (!j->scene) {
        prc_cli_scene_errors(errors);
        prc_cli_mesh_problems(errors, j->options.folder, NULL);
    }
    free(errors);
    if (!j->scene)
        return PRC_EXIT_INPUT;
    j->def = *prc_scene_sim_def(j->scene);
    /* A run may end early; one that is resumed may also go on after its time. */
    if (j->from.file)
        j->until = isfinite(j->options.until) ? j->options.until : j->from.until;
    else if (isfinite(j->options.until))
        j->until = fmin(j->options.until, j->def.time.duration);
    if (isfinite(j->until))
        j->def.time.duration = j->until;
    const double steps = ceil(j->def.time.duration / j->def.time.step - 1e-6);
    if (steps > 1e9) {
        fprintf(stderr, "percale: %.3g steps are too many; expected a larger time.step or a shorter time.duration\n",
                steps);
        return PRC_EXIT_INPUT;
    }
    j->steps = (int)steps;
    j->frame_period = fmax(1 / j->def.time.frames_per_second, j->def.time.step);
    prc_error error;
    if (prc_survey_check_memory(&j->def, &error))
        return prc_job_fail(j, &error, PRC_EXIT_INPUT);
    j->settings = prc_settings_text(&j->def);
    if (!j->settings)
        fprintf(stderr, "percale: out of memory\n");
    return j->settings ? PRC_EXIT_OK : PRC_EXIT_INPUT;
}

/* A start that was refused is shown in the output folder. */
static void show_bad_start(prc_job *j)
{
    prc_start_report report;
    prc_error error;
    char path[PRC_CLI_PATH];
    if (!j->def.contact.enabled || prc_start_examine(&j->def, &report, &error))
        return;
    if (report.crossing_count + report.close_count > 0) {
        if (prc_output_prepare(j->options.folder, &error) || prc_lock_take(&j->lock, j->options.folder, &error) ||
            prc_output_start(j->options.folder, &report, &j->def, path, &error))
            fprintf(stderr, "percale: the mesh of the start could not be written: %s\n", error.message);
        else
            fprintf(stderr, "percale: %s shows all %d crossings and %d pairs that are too close\n", path,
                    report.crossing_count, report.close_count);
    }
    prc_start_report_release(&report);
}

int prc_job_build(prc_job *j)
{
    prc_error error;
    const double start = prc_cli_seconds();
    j->sim = prc_sim_create(&j->def, &error);
    if (!j->sim) {
        prc_job_fail(j, &error, PRC_EXIT_INPUT);
        if (!j->from.file)
            show_bad_start(j);
        return PRC_EXIT_INPUT;
    }
    j->def.solver.tolerance = prc_sim_tolerance(j->sim); /* the report tells settings as resolved */
    j->start = prc_sim_start(j->sim);
    j->totals = prc_run_totals_begin();
    j->totals.exempt_pairs = j->start.exempt_pairs;
    j->totals.exempt_crossings = j->start.exempt_crossings;
    j->totals.seconds_building = prc_cli_seconds() - start;
    return PRC_EXIT_OK;
}

/* Once the folder is locked: a run that is refused spoils no log of another. */
prc_result prc_job_open_log(prc_job *j, prc_error *error)
{
    if (j->options.log)
        j->log = prc_log_open(j->options.log, j->from.file != NULL, error);
    return j->options.log && !j->log ? PRC_ERROR_IO : PRC_OK;
}

/* ---- the loop ---- */

/* A frame that was lost with its device is no trouble with a file. */
static int fail_output(prc_job *j, const prc_error *error)
{
    return prc_job_fail(j, error, error->code == PRC_ERROR_DEVICE ? PRC_EXIT_STEP : PRC_EXIT_WRITE);
}

static int write_frame(prc_job *j)
{
    prc_error error;
    const double start = prc_cli_seconds();
    prc_result result = prc_output_frame(&j->output, j->sim, &error);
    j->totals.seconds_writing += prc_cli_seconds() - start;
    j->totals.frames = j->output.frame_count;
    j->frame_due = result != PRC_OK;
    if (!result) {
        j->framed_step = j->step;
        prc_log_frame(j->log, j->output.frame_count - 1, prc_sim_time(j->sim));
    }
    return result ? fail_output(j, &error) : PRC_EXIT_OK;
}

/* Frame k belongs to time k·period; a step that reaches it, rounding aside, is followed by the frame. */
static bool frame_is_due(const prc_job *j, double time)
{
    return time + 1e-6 * j->def.time.step >= j->output.frame_count * j->frame_period;
}

/* After all retries: the step is taken as it is, and the run goes on only where that was asked for. */
static int judge_convergence(prc_job *j, const prc_step_report *report)
{
    prc_error told = {.code = PRC_ERROR_STATE};
    if (report->converged || j->def.solver.unconverged == PRC_UNCONVERGED_GO_ON)
        return PRC_EXIT_OK;
    char parts[60] = "";
    if (report->substeps > 1)
        snprintf(parts, sizeof parts, ", not even in %d sub-steps", report->substeps);
    snprintf(told.message, sizeof told.message,
             "step %d, to %.6g s: did not converge (%s; residual %.2g m/s, tolerance %.2g m/s)%s", j->step,
             report->time, report->stop ? report->stop : "unknown", report->residual, prc_sim_tolerance(j->sim), parts);
    j->unconverged = true;
    return prc_job_fail(j, &told, PRC_EXIT_STEP);
}

/* A signal, or the clock: asked by the step in progress. */
static bool is_to_stop(void *context)
{
    const prc_job *j = context;
    return prc_stop_signal() || prc_cli_seconds() - j->began >= j->options.max_wall;
}

static int take_step(prc_job *j)
{
    prc_step_report report = {0};
    prc_error error;
    const long long traced = prc_output_trace_length(&j->output);
    j->output.step = j->step + 1;
    const prc_result result = prc_sim_step(j->sim, &report, &error);
    if (result == PRC_ERROR_STOPPED) { /* the run stands where it stood; the loop looks why */
        prc_output_trace_cut(&j->output, traced);
        return PRC_EXIT_OK;
    }
    if (result) {
        const double from = j->totals.time;
        if (prc_sim_status(j->sim, NULL))
            prc_job_stand_back(j);
        else
            j->stuck = error.code == PRC_ERROR_STATE;
        prc_error told = {.code = error.code};
        snprintf(told.message, sizeof told.message, "step %d, from %.6g s: %.440s", j->output.step, from,
                 error.message);
        return prc_job_fail(j, &told, PRC_EXIT_STEP);
    }
    j->step++;
    prc_output_step(&j->output, j->step, &report);
    prc_log_step(j->log, j->step, &report);
    prc_run_totals_add(&j->totals, &report);
    j->frame_due = frame_is_due(j, report.time);
    int status = j->frame_due ? write_frame(j) : PRC_EXIT_OK;
    if (!status && prc_output_check(&j->output, &error))
        status = fail_output(j, &error);
    if (!status)
        prc_job_note_safe(j);
    if (!status && j->verify)
        status = prc_job_verify(j);
    if (!status)
        status = judge_convergence(j, &report);
    prc_progress_show(&j->progress, j->step, j->steps, j->totals.frames, &report);
    return status;
}

static int loop(prc_job *j)
{
    int status = j->frame_due ? write_frame(j) : PRC_EXIT_OK;
    prc_job_note_safe(j);
    if (!status && j->verify && j->totals.verified <= j->step)
        status = prc_job_verify(j);
    while (!status && j->step < j->steps && !prc_stop_signal() && !j->walled) {
        status = take_step(j);
        if (!status && prc_job_save_is_due(j))
            status = prc_job_save(j, false);
        j->walled = j->step < j->steps && !prc_stop_signal() && is_to_stop(j);
    }
    prc_progress_end(&j->progress);
    return status;
}

/* ---- before and after ---- */

/* What the state says about how the run ended. */
static int end_status(prc_job *j, int status)
{
    const bool whole = j->step == j->steps;
    j->totals.end = j->totals.failure ? "failed" : whole ? "finished" : j->walled ? "stopped" : "interrupted";
    if (status || whole)
        return status;
    return prc_stop_signal() ? PRC_EXIT_SIGNAL + prc_stop_signal() : PRC_EXIT_WALL;
}

/* Trouble with output at the end of a run, which may be known already, or come from a device that is. */
static int fail_last(prc_job *j, const prc_error *error, int status)
{
    if (error->code == PRC_ERROR_DEVICE && !j->lost)
        prc_job_stand_back(j);
    if (status == PRC_EXIT_WRITE || (status && error->code == PRC_ERROR_DEVICE))
        return status;
    return fail_output(j, error);
}

/* The checkpoint comes last: a run that was killed before it writes the report once more. What violates the guarantee
 * is not gone on with. */
static int finish(prc_job *j, int status)
{
    char path[PRC_CLI_PATH + 20];
    prc_error error;
    snprintf(path, sizeof path, "%s/report.json", j->output.folder);
    const char *report = j->options.report ? j->options.report : j->report[0] ? j->report : path;
    prc_output_mark mark;
    if (prc_sim_hold(j->sim, &error)) {
        prc_job_stand_back(j);
        status = status ? status : prc_job_fail(j, &error, PRC_EXIT_STEP);
    }
    if (prc_output_flush(&j->output, &mark, &error))
        status = fail_last(j, &error, status);
    if (j->lost && j->totals.frames > mark.frames)
        j->totals.frames = mark.frames;
    j->totals.seconds_total = prc_job_seconds(j);
    status = end_status(j, status);
    const prc_run_facts facts = {.scene = j->from.file ? j->scene_path : j->options.what,
                                 .folder = j->output.folder,
                                 .def = &j->def,
                                 .backend = prc_sim_backend(j->sim),
                                 .status = status,
                                 .frames = &j->output.frames,
                                 .trace = j->trace,
                                 .seconds_writer = j->output.seconds_writer};
    if (prc_run_report_write(report, &facts, &j->totals, &error) && status != PRC_EXIT_WRITE)
        status = prc_job_fail(j, &error, PRC_EXIT_WRITE);
    if (status != PRC_EXIT_WRITE && !j->violated) {
        const int saved = prc_job_save(j, false);
        status = saved ? saved : status;
    }
    if (status == PRC_EXIT_WRITE)
        prc_job_rescue(j);
    else
        prc_job_print_summary(j, report);
    if (prc_output_close(&j->output, &error))
        status = fail_last(j, &error, status);
    prc_log_end(j->log, status, &j->totals);
    if (prc_log_close(j->log, &error))
        status = prc_job_fail(j, &error, PRC_EXIT_WRITE);
    j->log = NULL;
    return status;
}

int prc_job_run(prc_job *j)
{
    prc_error error;
    if (j->trace[0])
        prc_sim_set_trace(j->sim, prc_output_trace, &j->output);
    if (prc_sim_set_interrupt(j->sim, is_to_stop, j, &error)) {
        prc_output_close(&j->output, NULL);
        return prc_job_fail(j, &error, PRC_EXIT_INPUT);
    }
    prc_stop_catch(j->options.quiet);
    j->first_step = j->step;
    j->progress = prc_progress_begin((prc_progress_options){.quiet = j->options.quiet,
                                                            .verbose = j->options.verbose,
                                                            .interval = j->options.interval,
                                                            .stream = prc_run_options_stream(&j->options),
                                                            .first_step = j->step});
    prc_job_print_start(j);
    prc_log_start(j->log, j->scene_path, j->output.folder, &j->def, j->sim, j->step, j->steps);
    return finish(j, loop(j));
}

/* Whether a run is over; where it is not, `where` says how far it has come. One of another version or build may be what
 * that could go on with. */
static bool is_over(const prc_checkpoint *run, char where[120])
{
    prc_run_totals totals;
    where[0] = '\0';
    if (run->totals_size != sizeof totals || strcmp(run->version, prc_version()) != 0)
        return false;
    memcpy(&totals, run->totals, sizeof totals);
    snprintf(where, 120, " (at %.6g s, after %lld of %d steps)", run->time, run->step, totals.steps_planned);
    return run->step >= totals.steps_planned && !run->frame_due && !run->frames_size;
}

/* A run that is not over is worth something: it is replaced only where that was asked for. */
static prc_result spare_old_run(const prc_job *j, prc_error *error)
{
    static const char *const names[] = {PRC_CHECKPOINT_NAME, PRC_CHECKPOINT_PREVIOUS};
    char path[PRC_CLI_PATH + 40], where[120] = "";
    prc_checkpoint old;
    prc_result read = PRC_ERROR_IO; /* missing or damaged: nothing can be done with it */
    for (size_t k = 0; read == PRC_ERROR_IO && k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%.*s/%s", PRC_CLI_PATH, j->options.folder, names[k]);
        read = prc_checkpoint_read(path, &old, NULL);
    }
    const bool over = !read && is_over(&old, where);
    if (!read)
        prc_checkpoint_release(&old);
    if (j->options.overwrite || over || read == PRC_ERROR_IO)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_IO,
                    "%s: contains an unfinished run%s; 'percale resume' continues it, --overwrite replaces it, and -o "
                    "chooses another folder",
                    j->options.folder, where);
}

/* The first checkpoint is there before anything of an earlier run in the folder goes: at every moment the folder can be
 * resumed, the old run or the new one. */
static int begin(prc_job *j)
{
    prc_error error;
    prc_result result = prc_job_check_spare(j, &error);
    if (!result)
        result = prc_output_prepare(j->options.folder, &error);
    if (!result)
        result = prc_lock_take(&j->lock, j->options.folder, &error);
    if (!result)
        result = spare_old_run(j, &error);
    if (!result)
        result = prc_job_open_log(j, &error);
    if (result)
        return prc_job_fail(j, &error, PRC_EXIT_WRITE);
    j->frame_due = true;
    j->framed_step = -1;
    const int status = prc_job_save(j, true);
    if (status)
        return status;
    result = prc_output_open(&j->output, j->options.folder, j->options.trace, &j->def, NULL, &error);
    return result ? prc_job_fail(j, &error, PRC_EXIT_WRITE) : PRC_EXIT_OK;
}

static int find_paths(prc_job *j)
{
    prc_error error;
    if (!j->options.folder)
        j->options.folder = "out";
    prc_result result = prc_job_path(j->scene_path, j->options.what, &error);
    if (!result)
        result = prc_job_path(j->folder, j->options.folder, &error);
    if (!result)
        result = prc_job_path(j->report, j->options.report, &error);
    if (!result)
        result = prc_job_path(j->trace, j->options.trace, &error);
    if (!result)
        result = prc_job_path(j->spare, j->options.spare, &error);
    return result ? prc_job_fail(j, &error, PRC_EXIT_INPUT) : PRC_EXIT_OK;
}

int prc_cli_run(int argc, char **argv)
{
    prc_job *j = prc_job_create();
    int status = j ? prc_run_options_read(&j->options, argc, argv) : PRC_EXIT_INPUT;
    if (!status)
        status = find_paths(j);
    if (!status) {
        j->verify = j->options.verify;
        status = prc_job_read(j);
    }
    if (!status)
        status = prc_job_build(j);
    if (!status)
        status = begin(j);
    if (!status)
        status = prc_job_run(j);
    prc_job_destroy(j);
    return status;
}
