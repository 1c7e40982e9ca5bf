/* app/cli/job.h — a run in progress: shared by the files of `percale run` and `percale resume`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_JOB_H
#define PRC_CLI_JOB_H

#include <stdio.h>

#include "cli.h"
#include "io/checkpoint.h"
#include "lock.h"
#include "log.h"
#include "options.h"
#include "output.h"
#include "progress.h"
#include "report.h"

/* Where a run stood with the state that is left when its device is lost. */
typedef struct prc_job_safe {
    double time; /* of the state, s */
    int step, frames;
    bool frame_due, framed; /* the frame of the state is not handed over yet; it has been */
    long long steps_bytes, trace_bytes;
    prc_run_totals totals;
} prc_job_safe;

typedef struct prc_job {
    prc_run_options options;
    /* What a checkpoint has to know beside the state; absolute paths, "" for none. */
    char scene_path[PRC_CLI_PATH], folder[PRC_CLI_PATH], report[PRC_CLI_PATH], trace[PRC_CLI_PATH], spare[PRC_CLI_PATH];
    const char **overrides; /* all of them; the texts belong to the options and to `from` */
    int override_count;
    double until; /* s; infinite: the scene's duration */
    bool verify;
    char *settings; /* settings.h */

    prc_scene *scene;
    prc_sim_def def;
    prc_sim *sim;
    prc_start_outcome start;
    prc_output output;
    prc_progress progress;
    prc_log *log; /* or NULL */
    prc_run_totals totals;
    int step, steps;     /* done, and of the whole run */
    int first_step;      /* done when this part of the run began */
    double frame_period; /* s */
    bool frame_due;      /* that of the state is not written yet */
    int framed_step;     /* that of the last frame, −1 for none */
    prc_job_safe safe;
    bool lost; /* the device is; the run is where it was safe */

    prc_checkpoint from; /* resume: where it goes on; file is NULL in a new run */
    prc_lock lock;       /* of the folder */
    double began;        /* wall clock, s */
    double saved;        /* wall clock of the last checkpoint, s */
    int saved_step;
    double seconds_before; /* wall clock of earlier parts of the run, s */
    unsigned char *state;  /* room for the bytes of a checkpoint */
    size_t state_capacity;
    char failure[600];
    bool violated, unconverged;
    bool stuck;  /* a step cannot be taken from this state with these settings */
    bool walled; /* stopped by --max-wall */
} prc_job;

/* ---- run.c ---- */

prc_job *prc_job_create(void); /* NULL, with a message, when out of memory */
void prc_job_destroy(prc_job *job);
/* Absolute, "" for NULL. */
prc_result prc_job_path(char path[PRC_CLI_PATH], const char *name, prc_error *error);
/* Reads the scene at scene_path with all overrides; an exit status. */
int prc_job_read(prc_job *job);
/* Builds the simulation; an exit status. */
int prc_job_build(prc_job *job);
/* Opens the log for programs, if one is wanted. */
prc_result prc_job_open_log(prc_job *job, prc_error *error);
/* Steps until the end, then tables, report, checkpoint and summary; an exit status. */
int prc_job_run(prc_job *job);
double prc_job_seconds(const prc_job *job); /* wall clock of the loop, in all parts of the run so far */
int prc_job_fail(prc_job *job, const prc_error *error, int status); /* prints it; returns the status */

/* ---- save.c ---- */

/* Writes a checkpoint of the present state; with `first` in place of one of another run. An exit status. */
int prc_job_save(prc_job *job, bool first);
bool prc_job_save_is_due(const prc_job *job);
/* Notes where the run stands, if its state is held by the host. */
void prc_job_note_safe(prc_job *job);
/* After the device has failed: the run stands where its state does, some steps ago perhaps. */
void prc_job_stand_back(prc_job *job);
/* Whether the spare folder, if there is one, could take the state. */
prc_result prc_job_check_spare(const prc_job *job, prc_error *error);
/* After a file could not be written: saves the state where it can, and says where, and how to go on. */
void prc_job_rescue(prc_job *job);

/* ---- verify.c ---- */

/* Judges the state as the sim holds it, with the independent checker; an exit status. */
int prc_job_verify(prc_job *job);

/* ---- summary.c ---- */

void prc_job_print_start(const prc_job *job);
void prc_job_print_summary(const prc_job *job, const char *report);
/* The command that goes on from a folder, as a shell takes it, and a newline. */
void prc_job_print_command(FILE *stream, const char *folder);
/* "body 0 shirt", "obstacle 1 mannequin". */
void prc_job_name_body(const prc_job *job, int body, char text[80]);

#endif
