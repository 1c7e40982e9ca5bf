/* io/vertex_cache.h — an animated mesh as positions of its vertices, frame by frame: PC2 and MDD files, and numbered
 * meshes.
 *
 * All frames are kept in memory, in single precision: a running simulation no longer depends on files.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_VERTEX_CACHE_H
#define PRC_IO_VERTEX_CACHE_H

#include <percale/base.h>

typedef struct prc_vertex_cache {
    int vertex_count, frame_count;
    float *positions;         /* 3 per vertex and frame, m */
    double frames_per_second; /* 25 */
    double start;             /* when the first frame is shown, s; 0 */
} prc_vertex_cache;

/* `path` names a PC2 or MDD file (.pc2, .mdd), or meshes by a pattern with one %d or %0Nd: "kick_%04d.obj". Their
 * numbers begin at 0 or 1 and end before the first that is missing; all have as many vertices. Failure leaves *cache
 * zeroed. */
prc_result prc_vertex_cache_open(prc_vertex_cache *cache, const char *path, prc_error *error);
void prc_vertex_cache_release(prc_vertex_cache *cache);

/* Positions at `time`, 3 doubles per vertex: linear between frames, still before the first and after the last. */
void prc_vertex_cache_sample(const prc_vertex_cache *cache, double time, double *positions);
/* The same for one vertex. */
void prc_vertex_cache_sample_one(const prc_vertex_cache *cache, int vertex, double time, double position[3]);

#endif
