/* check/check.h — verifies that surfaces do not intersect, with code that the solver does not use.
 *
 * The checker exists to find the solver's mistakes, so it shares nothing with it: it has its own predicates, distances
 * and hierarchy, and includes only src/base and the public headers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_CHECK_H
#define PRC_CHECK_CHECK_H

#include <percale/base.h>

/* Coordinates (m) smaller than this in magnitude are read as zero, larger ones than the other are refused: between
 * them exact arithmetic in doubles neither under- nor overflows. A 32-bit float is never as small. */
#define PRC_CHECK_SMALLEST 0x1p-280
#define PRC_CHECK_LARGEST 0x1p300

typedef struct prc_check_options {
    const bool *obstacle; /* per vertex, or NULL. A pair whose vertices are all obstacles' is left out */
    bool skip_distances;
    int most_listed; /* crossings that are described; all are counted */
    int threads;     /* that look for crossings; 0: one. The result does not depend on it */
} prc_check_options;

/* 10 crossings listed, no obstacles, distances measured. */
prc_check_options prc_check_options_default(void);

typedef struct prc_check_crossing {
    int edge[2], triangle[3]; /* vertices */
    double point[3];          /* where, m, rounded */
} prc_check_crossing;

/* The nearest pair: vertex a[0] and triangle b, or edge a and edge b[0..1]. */
typedef struct prc_check_nearest {
    bool found;              /* false: there is no pair, or distances were skipped */
    double distance;         /* m */
    int a_count, a[2];       /* 1 or 2 vertices */
    int b_count, b[3];       /* 3 or 2 vertices */
    double on_a[3], on_b[3]; /* the points that have this distance, m */
} prc_check_nearest;

typedef struct prc_check_result {
    long long pairs;          /* edge–triangle pairs whose boxes meet: those that were tested exactly */
    long long crossings;      /* of them, those that have a point in common */
    long long triangle_pairs; /* triangles that cross: two are one pair, by however many of their edges they do */
    int degenerate;           /* triangles without area: tested as the edge or point they are */
    int listed_count;
    prc_check_crossing *listed; /* the first ones, in order of edges (smaller vertex first), then triangles */
    /* Over all point–triangle and edge–edge pairs that share no vertex. Where there are crossings this is not 0: an
     * edge may pass through the middle of a triangle far from any vertex or other edge. */
    prc_check_nearest nearest;
} prc_check_result;

/* Tests every edge against every triangle with which it shares no vertex, exactly: touching counts as crossing.
 * positions: 3 per vertex, m, all bodies together. triangles: 3 vertices each; a triangle that repeats a vertex stands
 * for an edge or a point. On failure *result is zeroed; else it is released with prc_check_result_release. */
prc_result prc_check_surfaces(const double *positions, int vertex_count, const int *triangles, int triangle_count,
                              const prc_check_options *options, prc_check_result *result, prc_error *error);
void prc_check_result_release(prc_check_result *result);

#endif
