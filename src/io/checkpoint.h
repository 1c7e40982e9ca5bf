/* io/checkpoint.h — a run saved in one file, to be resumed: docs/formats.md describes it.
 *
 * A checkpoint is written completely or not at all and has a checksum over every byte, so that a damaged, truncated or
 * swapped file is refused and never resumed from. A folder keeps the newest and the previous checkpoint. State and
 * totals are opaque here: they are bytes of the engine and of the program, of one version of percale.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CHECKPOINT_H
#define PRC_IO_CHECKPOINT_H

#include <percale/base.h>

#define PRC_CHECKPOINT_FORMAT 1
#define PRC_CHECKPOINT_NAME "checkpoint.prc"
#define PRC_CHECKPOINT_PREVIOUS "checkpoint.previous.prc"
#define PRC_CHECKPOINT_NEXT "checkpoint.next.prc" /* while one takes the place of the other */

/* Texts are "" where there is none. */
typedef struct prc_checkpoint {
    const char *version; /* of the percale that wrote it */
    const char *scene;   /* absolute path */
    const char **overrides;
    int override_count;
    const char *settings;     /* as they were resolved, "key: value" lines */
    const char *folder;       /* of the output, absolute path */
    const char *report;       /* where the report goes, if not into the folder */
    const char *trace;        /* or "" */
    const char *spare_folder; /* for the state when the output cannot be written to, or "" */
    double until;             /* simulated time that was asked for, s; infinite: that of the scene */
    long long verify;         /* every state is checked */
    long long spare;          /* was written elsewhere, because `folder` could not be written to */
    long long step;           /* that the state is after, from 0 */
    double time;              /* simulated, s */
    long long frame_due;      /* the frame of this state is not written yet */
    long long frames;         /* in the folder */
    long long steps_bytes;    /* of steps.csv that belong to this state */
    long long trace_bytes;    /* of the trace */
    const char *steps_rows;   /* text that belongs after steps_bytes and could not be written */
    const char *trace_rows;
    const void
        *frames_data; /* frames that come after `frames` and could not be written, in the layout of the program */
    size_t frames_size;
    unsigned long long fingerprint; /* of the simulation */
    const void *totals;             /* of the run, in the layout of the program */
    size_t totals_size;
    const void *state; /* of the simulation, see prc_sim_save */
    size_t state_size;
    char *file; /* owned, after reading: all of the above points into it; else NULL */
} prc_checkpoint;

prc_result prc_checkpoint_write(const char *path, const prc_checkpoint *checkpoint, prc_error *error);
/* PRC_ERROR_IO: cannot be read. PRC_ERROR_INPUT: is damaged, of another version, or none at all; the message says
 * which. On failure nothing is to be released. */
prc_result prc_checkpoint_read(const char *path, prc_checkpoint *checkpoint, prc_error *error);
void prc_checkpoint_release(prc_checkpoint *checkpoint);

/* Writes the checkpoint of a folder; the one before it stays as PRC_CHECKPOINT_PREVIOUS. With `first` what is there
 * belongs to another run, and goes. A failure leaves the folder as it was. */
prc_result prc_checkpoint_keep(const char *folder, const prc_checkpoint *checkpoint, bool first, prc_error *error);
/* Reads the newest checkpoint of a folder or, where that is damaged, the one before it, which takes its place then;
 * `warning` (else "") says so. */
prc_result prc_checkpoint_find(const char *folder, prc_checkpoint *checkpoint, char warning[600], prc_error *error);

/* CRC-64/XZ: start with 0, go on with what the last part gave. */
unsigned long long prc_crc64(unsigned long long crc, const void *data, size_t size);

#endif
