/* contact/detect.h — which primitives are close: all point–triangle and edge–edge pairs within their radii.
 *
 * Pairs that share a vertex and pairs without a free vertex are left out, nothing else is. The lists come in the order
 * of the first primitive, then of the second, whatever the number of threads and whatever was detected before.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_DETECT_H
#define PRC_CONTACT_DETECT_H

#include "base/interrupt.h"
#include "contact/bvh.h"
#include "contact/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_pairs {
    int (*v)[4]; /* point, then the triangle; or one edge, then an edge of larger index */
    int count;
    int capacity;
} prc_pairs;

/* Zeroed before first use, grown as needed, released with prc_pair_list_release. */
typedef struct prc_pair_list {
    prc_pairs point_triangle;
    prc_pairs edge_edge;
} prc_pair_list;

/* What one chunk of queries found: pairs of primitives, in no particular order. */
typedef struct prc_found {
    int (*pair)[2];
    int count, capacity;
} prc_found;

typedef struct prc_detector {
    const prc_surface *surface; /* the caller's, constant */
    prc_bvh point, triangle, edge;
    prc_bound *bound;  /* per vertex */
    float (*local)[4]; /* per vertex: position from `origin`, m, and radius, in single precision */
    double origin[3];
    float doubt;                    /* single-precision distances are trusted up to this, m */
    prc_bvh_key *key;               /* scratch of the trees */
    prc_found *found;               /* per chunk of queries: points first, then edges */
    int chunk_count[2];             /* of points, of edges */
    int *start[2];                  /* per point, per edge: where its pairs start in the list */
    int *partner, partner_capacity; /* the second primitives, sorted by the first */
    int *leaves;                    /* per thread: what a search finds */
    int threads;                    /* for which there is room in `leaves` */
    prc_interrupt *interrupt;       /* asked in the midst of a search; or NULL */
    unsigned char places[256][8];   /* of the bits set in a byte */
    unsigned char place_count[256];

    /* of the last detection */
    long candidates; /* pairs whose boxes were close */
    long exact;      /* of those, decided in double precision */
} prc_detector;

/* Makes a detector for `surface`, which must stay; released with prc_detector_release, also after a failure. */
prc_result prc_detector_create(prc_detector *detector, const prc_surface *surface, prc_error *error);
void prc_detector_release(prc_detector *detector);
void prc_pair_list_release(prc_pair_list *pairs);

/* All pairs with distance < r_A + r_B, where r_A and r_B are the largest radii (m, ≥ 0) of each side's vertices.
 * Component c of vertex i is x[c stride + i], finite, m. Failure (memory) leaves lists that must not be used. */
prc_result prc_detect(prc_detector *detector, const double *x, int stride, const double *radius, int threads,
                      prc_pair_list *pairs, prc_error *error);

/* Is shown a pair; from any thread, in any order. False: it need not be shown many more. */
typedef bool prc_pair_visit(void *context, const int v[4], int side_a);

/* Shows the pairs of prc_detect one by one, without a list: takes no memory for them. */
prc_result prc_detect_each(prc_detector *detector, const double *x, int stride, const double *radius, int threads,
                           prc_pair_visit *visit, void *context, prc_error *error);

/* Is shown a primitive of a vertex (`count` 1: the point, 2: an edge, 3: a triangle) and another that it may be close
 * to: a triangle, an edge, a point; both by number. From any thread, in any order. */
typedef void prc_near_visit(void *context, int vertex, int count, int own, int other);

/* Shows what prc_detect would find of the points, edges and triangles of some vertices, and more: all whose boxes are
 * close, also those that share a vertex; primitives of several of the vertices once for each, and both ways. */
prc_result prc_detect_around(prc_detector *detector, const double *x, int stride, const double *radius, int threads,
                             const int *vertices, int count, prc_near_visit *visit, void *context, prc_error *error);

/* All pairs that could come within `separation` (m, ≥ 0) on the straight ways from x to x + p; and some more: those
 * whose boxes do, swept in the frame of the mean displacement of all vertices and in that of the pair. */
prc_result prc_detect_swept(prc_detector *detector, const double *x, const double *p, int stride, double separation,
                            int threads, prc_pair_list *pairs, prc_error *error);

#ifdef __cplusplus
}
#endif

#endif
