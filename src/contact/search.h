/* contact/search.h — the search for pairs behind detect.h, one chunk of queries at a time.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_SEARCH_H
#define PRC_CONTACT_SEARCH_H

#include "contact/detect.h"

#include <string.h>

#define PRC_SEARCH_GROUPS 32 /* of eight queries, in a chunk */

enum { PRC_POINT_TRIANGLE, PRC_EDGE_EDGE };

/* One detection of one kind of pairs. */
typedef struct prc_search {
    prc_detector *d;
    int kind;
    const prc_bvh *query, *target;
    prc_found *found; /* per chunk */
    int chunk_count;
    int *start;
    const double *x, *p, *radius; /* p: swept, radius: not */
    int stride;
    double separation;
} prc_search;

/* Fills `found` with the pairs of a chunk and adds to the counts; false when out of memory. `leaves` is this thread's.
 */
typedef bool prc_search_function(const prc_search *search, int chunk, prc_found *found, int *leaves, long *candidates,
                                 long *exact);

/* One source, search.inl; compiled once more for machines with AVX2, without flags for the compiler. */
prc_search_function prc_search_chunk_baseline;
#if defined(__x86_64__) || defined(__i386__)
#define PRC_SEARCH_AVX2
prc_search_function prc_search_chunk_avx2;
#endif

static inline void prc_search_vertices(const prc_search *j, int query, int partner, int v[4])
{
    const prc_surface *s = j->d->surface;
    if (j->kind == PRC_POINT_TRIANGLE) {
        v[0] = query;
        memcpy(v + 1, s->triangle[partner], sizeof s->triangle[0]);
    } else {
        memcpy(v, s->edge[query], sizeof s->edge[0]);
        memcpy(v + 2, s->edge[partner], sizeof s->edge[0]);
    }
}

#endif
