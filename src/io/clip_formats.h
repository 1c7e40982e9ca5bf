/* io/clip_formats.h — shared by the writers of clips: access to frames part by part.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_CLIP_FORMATS_H
#define PRC_IO_CLIP_FORMATS_H

#include "io/clip.h"
#include "io/file.h"

#include <stdint.h>

struct prc_clip {
    prc_clip_def def;
    char *path;
    int spool; /* descriptor of the frames: floats in the machine's order */
    int vertex_count, added;
    int *first;    /* per part: its first vertex */
    bool *moves;   /* per part: some frame differs from the first */
    float *frame;  /* one frame, as it is added */
    float *before; /* the first frame */
};

/* Positions of a part in a frame; `to` holds 3 floats per vertex of the part. */
prc_result prc_clip_read(const prc_clip *clip, int frame, int part, float *to, prc_error *error);
/* A number in bytes, little endian or not. */
void prc_clip_put32(prc_file *file, uint32_t bits, bool big);
void prc_clip_put_floats(prc_file *file, const float *values, size_t count, bool big);
/* What people call a part: the scene's name as good UTF-8, or "body 0", "obstacle 1". Returns whether it has one. */
#define PRC_CLIP_NAME 100
bool prc_clip_name(const prc_clip *clip, int part, char name[PRC_CLIP_NAME]);
/* Red, green and blue of a part, linear, 0 to 1: obstacles are grey. */
void prc_clip_colour(const prc_clip *clip, int part, double colour[3]);

/* Each writes the whole file; `write` failures are kept by the file. */
typedef prc_result prc_clip_writer(const prc_clip *clip, prc_file *file, prc_error *error);
prc_clip_writer prc_clip_write_glb, prc_clip_write_usda, prc_clip_write_mdd, prc_clip_write_pc2;

#endif
