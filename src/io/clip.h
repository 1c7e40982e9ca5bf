/* io/clip.h — animation files for other programs: all frames of a run in one file.
 *
 * Formats by file extension: GLB (.glb, morph targets), USD (.usda, time samples), MDD (.mdd) and PC2 (.pc2). Frames
 * are added one at a time and kept in an unnamed temporary file beside the target until the end, because these formats
 * begin with a table of contents, or are ordered part by part. So only one frame is in memory. Positions become single
 * precision. The target is written completely or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CLIP_H
#define PRC_IO_CLIP_H

#include "io/obj_write.h"

/* What a clip shows. Everything that it points to must outlive it. */
typedef struct prc_clip_def {
    const prc_obj_part *parts; /* bodies, then obstacles; one after the other, as in an OBJ frame */
    int part_count, body_count;
    const int *triangles; /* 3 vertices each, numbered over all parts, in the order of the parts */
    const int *edges;     /* 2 each */
    int frame_count;
    const double *times; /* per frame, s, increasing */
    double rate;         /* frames per second, > 0 */
    bool no_normals;     /* GLB: viewers shade flat; the file is half as long */
} prc_clip_def;

typedef struct prc_clip prc_clip;

/* Whether the ending of the name is that of a clip. */
bool prc_clip_is_path(const char *path);

prc_clip *prc_clip_open(const char *path, const prc_clip_def *def, prc_error *error);
/* The next frame: 3 numbers per vertex, over all parts. */
prc_result prc_clip_add(prc_clip *clip, const double *positions, prc_error *error);
/* Writes the file, when all frames are there. Both end the clip; abandoning NULL does nothing. */
prc_result prc_clip_finish(prc_clip *clip, prc_error *error);
void prc_clip_abandon(prc_clip *clip);

#endif
