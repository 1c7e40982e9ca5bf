/* app/cli/frames.h — writes the files of frames, in all chosen formats.
 *
 * Frames are written in order, each in all formats before the next. Used by one thread at a time: the writer thread
 * (writer.h), or another while that one is idle.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_FRAMES_H
#define PRC_CLI_FRAMES_H

#include <percale/percale.h>

#include "io/obj_write.h"
#include "io/pc2_series.h"
#include "io/vtkhdf.h"

#define PRC_CLI_PATH 1024

/* What a frame holds, in this order: values per vertex. */
typedef enum prc_frame_part {
    PRC_FRAME_POSITIONS,
    PRC_FRAME_VELOCITIES,
    PRC_FRAME_STRETCHES,
    PRC_FRAME_STRESSES,
    PRC_FRAME_CURVATURES,
    PRC_FRAME_ENERGIES,
    PRC_FRAME_PRESSURES,
    PRC_FRAME_GAPS,
    PRC_FRAME_RESIDUALS,
    PRC_FRAME_PARTS
} prc_frame_part;

/* A frame is one block of doubles: its number, its time, the parts, then where colliders are (colliders.h). */
typedef struct prc_frame_layout {
    size_t offset[PRC_FRAME_PARTS]; /* 0: the part is not there */
    size_t poses;
    size_t count; /* doubles of the block */
} prc_frame_layout;

/* The surfaces of a run, and its colliders: what the frames share. */
typedef struct prc_frame_surface {
    int vertex_count, triangle_count, edge_count;
    const int *triangles, *edges; /* of all bodies and obstacles, with the vertex numbers of the sim */
    const bool *obstacle;         /* per vertex, or NULL */
    const int *body;              /* per vertex: body, and obstacles after them */
    const prc_obj_part *parts;    /* bodies and obstacles, in that order */
    int part_count, body_count;
    const prc_collider_def *colliders;
    int collider_count;
} prc_frame_surface;

typedef struct prc_frames {
    const char *folder; /* of the caller */
    prc_frame_surface surface;
    prc_output_def def;
    prc_frame_layout layout;
    prc_vtkhdf *vtkhdf;
    prc_pc2_series **pc2; /* per part; NULL where there are none */
    char *told;           /* comments about the parts */
    int written;          /* frames that are in all files */
} prc_frames;

prc_frame_layout prc_frame_layout_of(const prc_output_def *def, int vertex_count, int collider_count);

/* Starts the files, or goes on with them after `written` frames. What the surface points to must outlive them. */
prc_result prc_frames_open(prc_frames *frames, const char *folder, const prc_frame_surface *surface,
                           const prc_output_def *def, int written, prc_error *error);
/* Frame `written`; a failure leaves those before it. */
prc_result prc_frames_write(prc_frames *frames, const double *block, prc_error *error);
/* All that was written is on disk and can be read. */
prc_result prc_frames_flush(prc_frames *frames, prc_error *error);
/* How many frames are sure to be there when the files are gone on with. */
int prc_frames_safe(const prc_frames *frames);
prc_result prc_frames_close(prc_frames *frames, prc_error *error);
/* How many files of the frames so far are not there, of formats with a file per frame; `names` says which, first ones
 * first. */
int prc_frames_missing(const prc_frames *frames, char names[120]);

/* Whether a name is that of a frame's file, from number `first` on, or of one that grows with the frames. */
bool prc_frames_is_numbered(const char *name, int first);
bool prc_frames_is_series(const char *name);

/* One kind of file, for those who tell what was written. */
typedef struct prc_frames_kind {
    const char *format;
    char first[96], last[96]; /* names in the folder; the same where it is one file */
} prc_frames_kind;

#define PRC_FRAMES_KINDS 4
/* Returns how many kinds there are after `count` frames. */
int prc_frames_list(const prc_frames *frames, int count, prc_frames_kind kinds[PRC_FRAMES_KINDS]);

#endif
