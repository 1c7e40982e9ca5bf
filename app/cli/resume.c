/* app/cli/resume.c — `percale resume`: continues from the checkpoint of a folder, with results bitwise the same as
 * those of a run that was never interrupted. Anything that would change them is refused.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "job.h"
#include "settings.h"

/* ---- the checkpoint ---- */

static int find_checkpoint(prc_job *j)
{
    prc_error error;
    char warning[600], path[PRC_CLI_PATH + 40];
    const char *folder = j->options.what;
    if (strlen(folder) >= PRC_CLI_PATH) {
        fprintf(stderr, "percale: %s: the path is too long\n", folder);
        return PRC_EXIT_INPUT;
    }
    if (prc_lock_take(&j->lock, folder, &error))
        return prc_job_fail(j, &error, PRC_EXIT_INPUT);
    if (prc_checkpoint_find(folder, &j->from, warning, &error)) {
        snprintf(path, sizeof path, "%s/%s", folder, PRC_CHECKPOINT_NAME);
        prc_job_fail(j, &error, PRC_EXIT_INPUT);
        if (access(path, F_OK))
            fprintf(stderr, "percale: there is no checkpoint in this folder: no run was started here, or it ended "
                            "before its first checkpoint; start one with 'percale run'\n");
        return PRC_EXIT_INPUT;
    }
    if (warning[0])
        fprintf(stderr, "percale: %s\n", warning);
    if (!strcmp(j->from.version, prc_version()))
        return PRC_EXIT_OK;
    fprintf(stderr,
            "percale: %s/%s: was written by percale %s, but this is percale %s; resume a run with the version that "
            "started it\n",
            folder, PRC_CHECKPOINT_NAME, j->from.version, prc_version());
    return PRC_EXIT_INPUT;
}

/* A folder may have been moved: the one that was named is meant. A checkpoint in a spare folder belongs to the output
 * elsewhere. */
static int find_paths(prc_job *j)
{
    prc_error error;
    const prc_checkpoint *c = &j->from;
    if (!j->options.folder)
        j->options.folder = c->spare ? c->folder : j->options.what;
    prc_result result = prc_job_path(j->folder, j->options.folder, &error);
    if (!result)
        result = prc_job_path(j->scene_path, j->options.scene ? j->options.scene : c->scene, &error);
    if (!result)
        result = prc_job_path(j->report, c->report[0] ? c->report : NULL, &error);
    if (!result)
        result = prc_job_path(j->trace, c->trace[0] ? c->trace : NULL, &error);
    if (!result)
        result = prc_job_path(j->spare,
                              j->options.spare     ? j->options.spare
                              : c->spare_folder[0] ? c->spare_folder
                                                   : NULL,
                              &error);
    j->verify = c->verify;
    return result ? prc_job_fail(j, &error, PRC_EXIT_INPUT) : PRC_EXIT_OK;
}

/* ---- is it the same run? ---- */

static int refuse(const prc_job *j, const char *difference)
{
    fprintf(stderr,
            "percale: %s/%s: the scene %s has changed: %s\npercale: restore the scene to resume the run, or start a "
            "new run of the changed scene with 'percale run'\n",
            j->options.what, PRC_CHECKPOINT_NAME, j->scene_path, difference);
    return PRC_EXIT_INPUT;
}

static int compare_settings(const prc_job *j)
{
    char difference[600];
    if (prc_settings_differ(j->from.settings, j->settings, difference, sizeof difference))
        return refuse(j, difference);
    return PRC_EXIT_OK;
}

static int compare_sim(const prc_job *j)
{
    char difference[300];
    const unsigned long long is = prc_sim_fingerprint(j->sim);
    if (is == j->from.fingerprint)
        return PRC_EXIT_OK;
    snprintf(difference, sizeof difference,
             "its settings are the same, but a mesh, selection, motion, load or a file that it uses differs "
             "(fingerprint was %016llx, is %016llx)",
             j->from.fingerprint, is);
    return refuse(j, difference);
}

static bool is_over(const prc_job *j)
{
    return j->from.step >= j->steps && !j->from.frame_due && !j->from.frames_size;
}

static int tell_over(const prc_job *j)
{
    if (!j->options.quiet)
        fprintf(prc_run_options_stream(&j->options),
                "%s: nothing to do: the run has reached %.6g s in %lld steps; --until SECONDS extends it\n",
                j->options.what, j->from.time, j->from.step);
    return PRC_EXIT_OK;
}

/* ---- going on ---- */

static int restore(prc_job *j)
{
    prc_error error;
    const prc_checkpoint *c = &j->from;
    const double building = j->totals.seconds_building;
    if (c->totals_size != sizeof j->totals) {
        fprintf(stderr, "percale: %s/%s: was written by another build of percale %s\n", j->options.what,
                PRC_CHECKPOINT_NAME, prc_version());
        return PRC_EXIT_INPUT;
    }
    if (prc_sim_restore(j->sim, c->state, c->state_size, &error))
        return prc_job_fail(j, &error, PRC_EXIT_INPUT);
    j->start = prc_sim_start(j->sim);
    memcpy(&j->totals, c->totals, sizeof j->totals);
    j->totals.end = j->totals.failure = NULL;
    j->totals.seconds_building += building;
    j->seconds_before = j->totals.seconds_total;
    j->step = j->saved_step = (int)c->step;
    j->frame_due = c->frame_due;
    j->framed_step = -1;
    return PRC_EXIT_OK;
}

/* The state moves from the spare folder into that of the output. */
static int move_in(prc_job *j)
{
    static const char *const names[] = {PRC_CHECKPOINT_NAME, PRC_CHECKPOINT_PREVIOUS};
    char path[PRC_CLI_PATH + 40];
    const int status = prc_job_save(j, false);
    for (size_t k = 0; !status && k < sizeof names / sizeof *names; k++) {
        snprintf(path, sizeof path, "%s/%s", j->options.what, names[k]);
        unlink(path);
    }
    return status;
}

/* Someone may have moved frames away on purpose, so it is no reason to stop; but they are not written again. */
static void tell_missing(const prc_job *j)
{
    char names[120];
    const int missing = prc_frames_missing(&j->output.frames, names);
    if (missing)
        fprintf(stderr, "percale: %s: %d %s missing that the checkpoint needs: %s; only a new run can write %s again\n",
                j->output.folder, missing, missing == 1 ? "frame is" : "frames are", names,
                missing == 1 ? "it" : "them");
}

static int open_output(prc_job *j)
{
    prc_error error;
    const prc_checkpoint *c = &j->from;
    const prc_output_mark mark = {.frames = (int)c->frames,
                                  .steps_bytes = c->steps_bytes,
                                  .trace_bytes = c->trace_bytes,
                                  .steps_rows = c->steps_rows,
                                  .trace_rows = c->trace_rows,
                                  .frames_data = c->frames_data,
                                  .frames_size = c->frames_size};
    const bool elsewhere = strcmp(j->options.folder, j->options.what) != 0;
    prc_result result = PRC_OK;
    if (elsewhere)
        result = prc_output_prepare(j->options.folder, &error);
    if (!result && elsewhere)
        result = prc_lock_take(&j->lock, j->options.folder, &error);
    if (!result)
        result = prc_job_open_log(j, &error);
    if (!result)
        result = prc_output_open(&j->output, j->options.folder, j->trace[0] ? j->trace : NULL, &j->def, &mark, &error);
    if (result)
        return prc_job_fail(j, &error, PRC_EXIT_WRITE);
    tell_missing(j);
    if (!c->spare || !elsewhere)
        return PRC_EXIT_OK;
    const int status = move_in(j);
    if (status)
        prc_output_close(&j->output, NULL);
    return status;
}

int prc_cli_resume(int argc, char **argv)
{
    prc_job *j = prc_job_create();
    int status = j ? prc_run_options_read(&j->options, argc, argv) : PRC_EXIT_INPUT;
    if (!status)
        status = find_checkpoint(j);
    if (!status)
        status = find_paths(j);
    if (!status)
        status = prc_job_read(j);
    if (!status)
        status = compare_settings(j);
    const bool over = !status && is_over(j);
    if (over)
        status = tell_over(j);
    if (!status && !over)
        status = prc_job_build(j);
    if (!status && !over)
        status = compare_sim(j);
    if (!status && !over)
        status = restore(j);
    if (!status && !over)
        status = open_output(j);
    if (!status && !over)
        status = prc_job_run(j);
    prc_job_destroy(j);
    return status;
}
