/* contact/surface.h — what can touch: the vertices, edges and triangles of all bodies in one numbering.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_SURFACE_H
#define PRC_CONTACT_SURFACE_H

#include "kernel/motion.h"

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_surface {
    int vertex_count;
    int triangle_count;
    int edge_count;
    int bare_count;        /* so many of the triangles, the last ones, are edges and points: prc_surface_add_bare */
    int (*triangle)[3];    /* as given */
    int (*edge)[2];        /* every edge once, smaller vertex first, sorted */
    unsigned char *motion; /* prc_motion per vertex: says which pairs are contacts */
    int *triangle_start, *triangle_of; /* CSR: the triangles of each vertex, ascending */
    int *edge_start, *edge_of;         /* … and its edges */
} prc_surface;

/* Fills *surface, released with prc_surface_release. `segments` are edges that belong to no triangle (needles,
 * threads), two vertices each; they may be NULL when segment_count is 0. `motion`: prc_motion. Everything is copied.
 * PRC_ERROR_INPUT where an index is out of range or a primitive has the same vertex twice; failure leaves *surface
 * zeroed. */
prc_result prc_surface_build(prc_surface *surface, int vertex_count, const int *triangles, int triangle_count,
                             const int *segments, int segment_count, const unsigned char *motion, prc_error *error);
/* After that: lets points meet what belongs to no triangle, in the search for points and triangles. Every segment
 * becomes a triangle that names its second vertex twice, every vertex without an edge one that names it three times.
 * Failure (memory) leaves a surface that can only be released. */
prc_result prc_surface_add_bare(prc_surface *surface, const int *segments, int segment_count, prc_error *error);
void prc_surface_release(prc_surface *surface);

#ifdef __cplusplus
}
#endif

#endif
