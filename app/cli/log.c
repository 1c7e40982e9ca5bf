/* app/cli/log.c — see log.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli.h"
#include "io/json.h"

struct prc_log {
    FILE *stream;
    prc_file *file;
    double opened; /* wall clock, s */
};

prc_log *prc_log_open(const char *path, bool append, prc_error *error)
{
    const bool standard = !strcmp(path, "-");
    prc_log *log = PRC_NEW(prc_log, 1);
    if (!log) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    log->opened = prc_cli_seconds();
    log->stream = standard ? stdout : fopen(path, append ? "ab" : "wb");
    if (!log->stream)
        prc_fail(error, PRC_ERROR_IO, "%s: cannot write the log: %s", path, strerror(errno));
    else
        log->file = prc_file_stream(log->stream, standard ? "standard output" : path, error);
    if (log->file)
        return log;
    if (log->stream && !standard)
        fclose(log->stream);
    prc_free(log);
    return NULL;
}

prc_result prc_log_close(prc_log *log, prc_error *error)
{
    if (!log)
        return PRC_OK;
    prc_result result = prc_file_commit(log->file, error);
    if (log->stream != stdout && fclose(log->stream) && !result)
        result = prc_fail(error, PRC_ERROR_IO, "cannot write the log: %s", strerror(errno));
    prc_free(log);
    return result;
}

static prc_json begin(prc_log *log, const char *event)
{
    prc_json json = prc_json_begin_line(log->file);
    prc_json_text(&json, "event", event);
    prc_json_real(&json, "wall", prc_cli_seconds() - log->opened);
    return json;
}

static void end(prc_log *log, prc_json *json)
{
    prc_json_end(json);
    prc_file_flush(log->file);
}

void prc_log_start(prc_log *log, const char *scene, const char *folder, const prc_sim_def *def, const prc_sim *sim,
                   int first_step, int steps)
{
    if (!log)
        return;
    char date[40];
    const time_t now = time(NULL);
    struct tm utc;
    if (!gmtime_r(&now, &utc) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc))
        date[0] = '\0';
    prc_json json = begin(log, "start");
    prc_json_text(&json, "percale", prc_version());
    prc_json_text(&json, "date", date);
    prc_json_text(&json, "scene", scene);
    prc_json_text(&json, "output", folder);
    prc_json_text(&json, "backend", prc_sim_backend(sim));
    prc_json_int(&json, "vertices", prc_sim_vertex_count(sim));
    prc_json_int(&json, "bodies", def->body_count);
    prc_json_int(&json, "first_step", first_step);
    prc_json_int(&json, "steps", steps);
    prc_json_real(&json, "step_length", def->time.step);
    prc_json_real(&json, "duration", def->time.duration);
    prc_json_real(&json, "tolerance", prc_sim_tolerance(sim));
    end(log, &json);
}

void prc_log_step(prc_log *log, int step, const prc_step_report *report)
{
    if (!log)
        return;
    prc_json json = begin(log, "step");
    prc_json_int(&json, "step", step);
    prc_json_real(&json, "time", report->time);
    prc_json_bool(&json, "converged", report->converged);
    prc_json_text(&json, "stop", report->stop);
    prc_json_real(&json, "residual", report->residual);
    prc_json_int(&json, "iterations", report->iterations);
    prc_json_int(&json, "inner_iterations", report->inner_iterations);
    prc_json_int(&json, "contacts", report->active_contacts);
    prc_json_real(&json, "smallest_gap", report->smallest_gap);
    prc_json_real(&json, "largest_lag", report->largest_lag);
    prc_json_real(&json, "smallest_stretch", report->smallest_stretch);
    prc_json_real(&json, "largest_stretch", report->largest_stretch);
    prc_json_real(&json, "energy_elastic", report->energy_elastic);
    prc_json_real(&json, "energy_kinetic", report->energy_kinetic);
    prc_json_real(&json, "energy_potential", report->energy_potential);
    prc_json_real(&json, "seconds", report->seconds);
    end(log, &json);
}

void prc_log_frame(prc_log *log, int frame, double time)
{
    if (!log)
        return;
    prc_json json = begin(log, "frame");
    prc_json_int(&json, "frame", frame);
    prc_json_real(&json, "time", time);
    end(log, &json);
}

void prc_log_checkpoint(prc_log *log, const char *folder, int step, double time)
{
    if (!log)
        return;
    prc_json json = begin(log, "checkpoint");
    prc_json_text(&json, "folder", folder);
    prc_json_int(&json, "step", step);
    prc_json_real(&json, "time", time);
    end(log, &json);
}

void prc_log_warning(prc_log *log, const char *message)
{
    if (!log)
        return;
    prc_json json = begin(log, "warning");
    prc_json_text(&json, "message", message);
    end(log, &json);
}

void prc_log_end(prc_log *log, int status, const prc_run_totals *totals)
{
    if (!log)
        return;
    prc_json json = begin(log, "end");
    prc_json_text(&json, "end", totals->end);
    prc_json_int(&json, "status", status);
    prc_json_int(&json, "steps", totals->steps);
    prc_json_int(&json, "frames", totals->frames);
    prc_json_real(&json, "time", totals->time);
    prc_json_int(&json, "steps_not_converged", totals->unconverged);
    prc_json_text(&json, "failure", totals->failure);
    prc_json_real(&json, "seconds_steps", totals->seconds_steps);
    prc_json_real(&json, "seconds_writing", totals->seconds_writing);
    end(log, &json);
}
