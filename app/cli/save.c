/* app/cli/save.c — saves a run: checkpoints in its folder, or elsewhere if that is full.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "job.h"
#include "step/place.h"
#include "step/sim.h"

/* The bytes of the engine, in memory that is kept for the next time. */
static prc_result take_state(prc_job *j, size_t *size, prc_error *error)
{
    *size = prc_sim_saved_size(j->sim);
    if (*size > j->state_capacity) {
        unsigned char *grown = realloc(j->state, *size + *size / 4);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        j->state = grown;
        j->state_capacity = *size + *size / 4;
    }
    prc_sim_save(j->sim, j->state);
    return PRC_OK;
}

static prc_result write_checkpoint(prc_job *j, const char *folder, const prc_output_mark *mark, bool first, bool spare,
                                   prc_error *error)
{
    size_t size;
    prc_result result = take_state(j, &size, error);
    if (result)
        return result;
    prc_run_totals totals = j->totals;
    totals.end = totals.failure = NULL;
    totals.steps_planned = j->steps;
    totals.seconds_total = prc_job_seconds(j);
    const prc_checkpoint checkpoint = {.version = prc_version(),
                                       .scene = j->scene_path,
                                       .overrides = j->overrides,
                                       .override_count = j->override_count,
                                       .settings = j->settings,
                                       .folder = j->folder,
                                       .report = j->report,
                                       .trace = j->trace,
                                       .spare_folder = j->spare,
                                       .until = j->until,
                                       .verify = j->verify,
                                       .spare = spare,
                                       .step = j->step,
                                       .time = prc_sim_time(j->sim),
                                       .frame_due = j->frame_due,
                                       .frames = mark->frames,
                                       .steps_bytes = mark->steps_bytes,
                                       .trace_bytes = mark->trace_bytes,
                                       .steps_rows = mark->steps_rows,
                                       .trace_rows = mark->trace_rows,
                                       .frames_data = mark->frames_data,
                                       .frames_size = mark->frames_size,
                                       .fingerprint = prc_sim_fingerprint(j->sim),
                                       .totals = &totals,
                                       .totals_size = sizeof totals,
                                       .state = j->state,
                                       .state_size = size};
    return prc_checkpoint_keep(folder, &checkpoint, first, error);
}

static void note_safe(prc_job *j)
{
    j->safe = (prc_job_safe){.time = prc_sim_time(j->sim),
                             .step = j->step,
                             .frames = j->output.frame_count,
                             .frame_due = j->frame_due,
                             .framed = j->framed_step == j->step,
                             .steps_bytes = prc_csv_length(j->output.steps),
                             .trace_bytes = j->output.trace ? prc_csv_length(j->output.trace) : 0,
                             .totals = j->totals};
}

void prc_job_note_safe(prc_job *j)
{
    if (prc_sim_held_time(j->sim) == prc_sim_time(j->sim))
        note_safe(j);
}

void prc_job_stand_back(prc_job *j)
{
    const char *failure = j->totals.failure;
    j->lost = true;
    if (prc_sim_time(j->sim) != j->safe.time) /* the host had the state of now */
        note_safe(j);
    j->step = j->safe.step;
    j->frame_due = j->safe.frame_due;
    j->totals = j->safe.totals;
    j->totals.failure = failure;
}

/* What a run that has lost its device may count on. The frame of the state itself may have been lost on its way, and is
 * due again; one before it that was would be missing for good. */
static prc_result mark_safe(prc_job *j, prc_output_mark *mark, prc_error *error)
{
    const int due = j->safe.frames + j->safe.frame_due;
    const bool own = j->safe.frame_due || j->safe.framed; /* the last one is that of the state */
    if (mark->frames + own < due)
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "frame %d was lost with the device; only an earlier state can compute it again", mark->frames);
    j->frame_due = mark->frames < due;
    *mark = (prc_output_mark){.frames = j->frame_due ? mark->frames : due,
                              .steps_bytes = j->safe.steps_bytes,
                              .trace_bytes = j->safe.trace_bytes,
                              .whole = true};
    return PRC_OK;
}

int prc_job_save(prc_job *j, bool first)
{
    prc_output_mark mark = {0};
    prc_error error;
    const double start = prc_cli_seconds();
    if (prc_sim_hold(j->sim, &error)) {
        prc_job_stand_back(j);
        return prc_job_fail(j, &error, PRC_EXIT_STEP);
    }
    prc_result result = first ? PRC_OK : prc_output_flush(&j->output, &mark, &error);
    if (j->lost && (!result || result == PRC_ERROR_DEVICE))
        result = mark_safe(j, &mark, &error);
    if (!result)
        result = write_checkpoint(j, j->folder, &mark, first, false, &error);
    j->saved = prc_cli_seconds();
    j->totals.seconds_writing += j->saved - start;
    if (result)
        return prc_job_fail(j, &error, result == PRC_ERROR_DEVICE ? PRC_EXIT_STEP : PRC_EXIT_WRITE);
    j->saved_step = j->step;
    if (!first)
        prc_log_checkpoint(j->log, j->folder, j->step, prc_sim_time(j->sim));
    return PRC_EXIT_OK;
}

bool prc_job_save_is_due(const prc_job *j)
{
    const int steps = j->def.output.checkpoint_steps;
    const double minutes = j->def.output.checkpoint_minutes;
    if (j->step == j->steps) /* the end has its own */
        return false;
    return (steps && j->step % steps == 0) || (minutes > 0 && prc_cli_seconds() - j->saved >= 60 * minutes);
}

/* ---- when the folder cannot be written to ---- */

static bool holds_checkpoint(const char *folder)
{
    char path[PRC_CLI_PATH + 80];
    snprintf(path, sizeof path, "%s/%s", folder, PRC_CHECKPOINT_NAME);
    return access(path, F_OK) == 0;
}

prc_result prc_job_check_spare(const prc_job *j, prc_error *error)
{
    if (!j->spare[0])
        return PRC_OK;
    if (mkdir(j->spare, 0777) && errno != EEXIST)
        return prc_fail(error, PRC_ERROR_IO, "--spare: %s: cannot be created: %s", j->spare, strerror(errno));
    if (access(j->spare, W_OK))
        return prc_fail(error, PRC_ERROR_IO, "--spare: %s: cannot be written to: %s", j->spare, strerror(errno));
    if (holds_checkpoint(j->spare))
        return prc_fail(error, PRC_ERROR_IO,
                        "--spare: %s: already contains a checkpoint; resume it, or choose another folder", j->spare);
    return PRC_OK;
}

/* A folder for the state: the spare one, or one in it where another run came first. `lock`: it looks at the same time.
 */
static prc_result find_room(const prc_job *j, char folder[PRC_CLI_PATH + 40], prc_lock *lock, prc_error *error)
{
    snprintf(folder, PRC_CLI_PATH, "%s", j->spare);
    if (!holds_checkpoint(folder) && !prc_lock_take(lock, folder, NULL) && !holds_checkpoint(folder))
        return PRC_OK;
    for (int k = 1; k < 1000; k++) {
        snprintf(folder, PRC_CLI_PATH + 40, "%s/%d", j->spare, k);
        if (mkdir(folder, 0777) == 0)
            return PRC_OK;
        if (errno != EEXIST)
            break;
    }
    return prc_fail(error, PRC_ERROR_IO, "%s: cannot be created: %s", folder, strerror(errno));
}

/* The folder itself first: what failed may have been another file, or a large one where a small one still goes. */
void prc_job_rescue(prc_job *j)
{
    char folder[PRC_CLI_PATH + 40];
    prc_output_mark mark;
    prc_error error;
    prc_output_flush(&j->output, &mark, NULL); /* fails again, and says what is on disk */
    prc_result result = PRC_ERROR_IO;
    const bool whole = mark.whole && !j->lost; /* else frames are lost that only an earlier state can give again, or the
                                                  state is an earlier one */
    if (whole)
        result = write_checkpoint(j, j->folder, &mark, false, false, &error);
    if (!result) {
        snprintf(folder, sizeof folder, "%s", j->output.folder);
    } else if (whole && j->spare[0]) {
        prc_lock lock = PRC_LOCK_NONE;
        result = find_room(j, folder, &lock, &error);
        if (!result)
            result = write_checkpoint(j, folder, &mark, false, true, &error);
        prc_lock_release(&lock);
        if (result)
            fprintf(stderr, "percale: --spare: %s\n", error.message);
    }
    if (!result) {
        fprintf(stderr, "percale: the state after step %d, at %.6g s, is saved in %s\n", j->step, prc_sim_time(j->sim),
                folder);
    } else {
        fprintf(stderr, "percale: the last checkpoint is that of step %d%s\n", j->saved_step,
                j->spare[0] || !whole ? "" : "; with --spare FOLDER the current state would have been saved elsewhere");
        snprintf(folder, sizeof folder, "%s", j->output.folder);
    }
    fprintf(stderr, "percale: when there is free space again, continue with: ");
    prc_job_print_command(stderr, folder);
}
