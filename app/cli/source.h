/* app/cli/source.h — frames from files: a mesh, the folder of a run, numbered files, a vertex cache.
 *
 * Every source is a list of frames that are read one at a time. Leaves out frames.vtkhdf, which is for other programs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_SOURCE_H
#define PRC_CLI_SOURCE_H

#include <percale/percale.h>

#include "io/numbered.h"
#include "io/ply.h"
#include "io/vertex_cache.h"

#define PRC_SOURCE_PATH 1100

typedef enum prc_source_kind {
    PRC_SOURCE_MESH,     /* one mesh file */
    PRC_SOURCE_FOLDER,   /* frame_00000.ply … of a run; .obj where there are no PLY files */
    PRC_SOURCE_NUMBERED, /* walk_%04d.obj */
    PRC_SOURCE_CACHE     /* PC2 or MDD, with the mesh that it moves */
} prc_source_kind;

typedef struct prc_source_def {
    const char *path;
    const char *mesh; /* that a vertex cache moves, or NULL */
    prc_mesh_file_def file;
    int first, last; /* numbers of frames, both included */
    int every;       /* of these each so many-th, from the first on; 0 is 1 */
    double rate;     /* frames per second, whatever the files say; 0: as they say, or 25 */
} prc_source_def;

typedef struct prc_source {
    prc_source_def def;
    prc_source_kind kind;
    const char *ending;  /* of the frames of a folder */
    int *numbers, count; /* of the frames, in increasing order */
    prc_numbered pattern;
    prc_mesh still; /* of a vertex cache */
    prc_vertex_cache cache;
} prc_source;

typedef struct prc_source_frame {
    prc_mesh mesh;
    prc_ply_extra extra; /* what a PLY file says besides; nothing where the mesh was changed (file.mend and so on) */
    prc_mesh_report report;
    char path[PRC_SOURCE_PATH];
} prc_source_frame;

/* Finds the frames, at least one. A failure leaves nothing to release. */
prc_result prc_source_open(prc_source *source, const prc_source_def *def, prc_error *error);
void prc_source_release(prc_source *source);

/* Frame k of `count`. Failure leaves the frame empty, with its path. */
prc_result prc_source_read(const prc_source *source, int k, prc_source_frame *frame, prc_error *error);
void prc_source_frame_release(prc_source_frame *frame);

/* When each frame is shown, s, increasing, and how many frames there are per second where all are taken. */
void prc_source_times(const prc_source *source, double *times, double *rate);

#endif
