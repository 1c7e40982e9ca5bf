/* app/cli/output.h — the output folder of a run: frames, the table of steps, the trace.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_OUTPUT_H
#define PRC_CLI_OUTPUT_H

#include <percale/percale.h>

#include "frames.h"
#include "io/csv.h"
#include "writer.h"

typedef struct prc_output {
    char folder[PRC_CLI_PATH];
    prc_csv *steps;
    prc_csv *trace;  /* or NULL */
    int frame_count; /* handed over */
    int step;        /* that the trace belongs to, from 1 */
    int *triangles;  /* of all bodies and obstacles, with the vertex numbers of the sim */
    int triangle_count;
    int *edges; /* of obstacles, that belong to no triangle */
    int edge_count;
    bool *obstacle; /* per vertex; NULL where there are no obstacles */
    int *shapes;    /* all of these for the checker: see shapes.h */
    int shape_count;
    int *body;           /* per vertex: its number, obstacles after bodies */
    prc_obj_part *parts; /* bodies and obstacles */
    prc_frames frames;
    prc_writer *writer;
    double seconds_writer; /* that the writer spent on files while the solver went on; set by flush and close */
    double *unwritten;     /* frames that a mark tells */
} prc_output;

/* Where the output of a run stands: what belongs to a state of it. */
typedef struct prc_output_mark {
    int frames;
    long long steps_bytes, trace_bytes;
    const char *steps_rows, *trace_rows; /* text that belongs after them and could not be written; or NULL */
    const void *frames_data;             /* frames that come next and could not be written; or NULL */
    size_t frames_size;
    bool whole; /* all that was handed over is in the files or here */
} prc_output_mark;

/* Makes the folder, or finds out whether it may be written into: it is empty, or holds an earlier run. Changes nothing
 * in it. */
prc_result prc_output_prepare(const char *folder, prc_error *error);
/* Takes the folder over: frames of an earlier run and what shows a refused start are removed. `trace` may be NULL.
 * With `from` the run goes on where the mark says: later frames are removed, the tables are cut back. */
prc_result prc_output_open(prc_output *output, const char *folder, const char *trace, const prc_sim_def *def,
                           const prc_output_mark *from, prc_error *error);
/* Whether everything so far could be written, as far as is known: to be asked after each step. */
prc_result prc_output_check(const prc_output *output, prc_error *error);
/* Everything that was handed over is on disk, and `mark` says where it stands; after a failure, what is on disk and
 * what is not. The rows and frames of the mark are valid until the next call. */
prc_result prc_output_flush(prc_output *output, prc_output_mark *mark, prc_error *error);
/* Writes start.ply, a picture of a bad start, into the folder of a run that did not begin; `path` says where it is. */
prc_result prc_output_start(const char *folder, const prc_start_report *report, const prc_sim_def *def,
                            char path[PRC_CLI_PATH], prc_error *error);
/* Copies the state and leaves it to the writer; waits only where too many frames are still to be written. Tells of
 * frames before it that could not be written: then this one was not taken. */
prc_result prc_output_frame(prc_output *output, prc_sim *sim, prc_error *error);
void prc_output_step(prc_output *output, int step, const prc_step_report *report);
/* A prc_trace_callback; the context is the output. */
void prc_output_trace(void *context, int iteration, int inner_iterations, double energy, double residual,
                      double seconds);
/* How long the trace is, and back to that: after a step that was given up. */
long long prc_output_trace_length(const prc_output *output);
void prc_output_trace_cut(prc_output *output, long long length);
/* Waits for the writer, closes everything and releases it; says whether all was written. */
prc_result prc_output_close(prc_output *output, prc_error *error);

#endif
