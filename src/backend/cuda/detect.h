/* backend/cuda/detect.h — which primitives are close, found on a device: the twin of contact/detect.h.
 *
 * The same pairs, in the same order, as the CPU finds: first by the first primitive, then by the second. How:
 *
 *   fit      boxes of vertices and of all levels of both trees (tree.h)                      1 cooperative kernel
 *   search   a warp goes through a tree for some points or edges that are neighbours; what   1 kernel
 *            the filter cannot exclude goes to each one's own column of `column`, of `rows` entries
 *   decide   doubtful pairs in double precision; what the caller wants to keep               1 kernel
 *   scan     where the pairs of each first primitive go                                      1 scan
 *   write    the pairs, sorted by counting who is smaller                                    1 kernel
 *   read     the counts                                                                      1 wait
 *
 * A query with more than `rows` hits claims room in `crowd`, looks again, and from there on has a thread per hit. Where
 * that room or the lists are too small they grow, and what needs them is done again: nothing is lost.
 *
 * Bytes that must move, for n points, 2n triangles and 3n edges, with h hits of which k are pairs (a vertex's data are
 * read by about six primitives and come from a cache then), swept in brackets:
 *   fit      n (24 + 8 + 1 [+ 24]) in, n (32 + 16 [+ 16]) out, 5n (16 + 32) leaves in and boxes out
 *   search   5n (32 + 16) boxes and leaves, n (32 + 16 [+ 16]) of points in; 8h out, 4n × 12 counts
 *   decide   8h in, 4k out; 4n × 12 counts in and out; 96 [192] + 32 for each doubtful pair
 *   scan     2 × 4 × 4n
 *   write    8h in, 16k out, about 8k vertices of partners in, 4n × 8
 * A build, now and then: keys n × 24 + 12n vertices in, 6n × 12 out; a sort of 6n keys of 47 bits (six passes over
 * 12 bytes, in and out); leaves 6n × (4 + 16).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_DETECT_H
#define PRC_BACKEND_CUDA_DETECT_H

#include "backend/cuda/device.h"
#include "backend/cuda/tree.h"
#include "kernel/near.h"

PRC_DEVICE_BEGIN

/* Point, then the triangle; or one edge, then an edge of larger number. */
struct alignas(16) prc_device_pair {
    int v[4];
};

/* Zeroed before first use, grown as needed, released with prc_device_pairs_release. */
struct prc_device_pairs {
    prc_buffer<prc_device_pair> point_triangle, edge_edge;
    int point_triangle_count, edge_edge_count;
};

/* A hit of a query that has many of them. */
struct alignas(8) prc_crowded {
    int query;   /* place in the order of queries */
    int partner; /* as in prc_detect_view.column */
};

/* Numbers of a detection that the host reads, all at once. */
struct prc_detect_counts {
    int point_triangle, edge_edge;
    int listed;     /* hits of queries that are not crowded */
    uint64_t crowd; /* entries that were claimed */
    double area[2][2];
};

/* What makes pairs within one body uninteresting that are close at rest: whoever sets it wants those pairs only that
 * come closer than the sum of the radii, or the separation, less as much as 2 w is more than the distance of both sides
 * at these positions. And of a sweep no pairs that a plane is seen to keep so far apart. */
struct prc_detect_rest {
    const prc_quad4 *at; /* per vertex, m; NULL: nothing is known */
    const int *body;     /* per vertex; NULL: there is one */
};

struct prc_device_detector {
    prc_device_trees trees;
    prc_detect_rest rest;
    int queries;                          /* points, then edges, each in the order of their tree */
    int rows;                             /* hits of a query that have room in `column` */
    prc_buffer<int> column, hits, tested; /* per query: hits; how many; candidates that the filter has seen */
    prc_buffer<int> kept, start;          /* per point, then per edge, by number: pairs; where they start */
    prc_buffer<int> list;                 /* as prc_detect_view.list */
    prc_buffer<prc_crowded> crowd;
    prc_buffer<prc_detect_counts> counts; /* one */
    prc_buffer<double> part;              /* work space of prc_device_detector_candidates */
};

/* What the kernels of one detection see. */
struct prc_detect_view {
    prc_tree_view tree[2]; /* triangles, edges */
    int points, queries, rows, crowd_room, stride;
    const int *point, *triangle_of, *edge_of;
    const prc_tree_box *bound;
    const prc_quad4 *local, *way;
    const prc_tree_frame *frame;
    const double *x, *p, *radius;
    double separation;
    prc_detect_rest rest;
    int *column; /* entry k of query q at rows q + k: the partner's number, or its complement where it is doubtful;
                    after `decide` −1 where there is no pair */
    int *list; /* where in `column` the hits of queries are that are not crowded, in any order: some queries have many,
                  and a thread for each hit shares them evenly */
    int *hits, *tested, *kept, *start;
    prc_crowded *crowd;
    prc_detect_counts *counts;
};

/* Makes a detector for `surface`, whose data are copied. Released with prc_device_detector_release, also after a
 * failure. */
prc_result prc_device_detector_create(prc_device *d, prc_device_detector *detector, const prc_surface *surface,
                                      prc_error *error);
void prc_device_detector_release(prc_device *d, prc_device_detector *detector);
void prc_device_pairs_release(prc_device *d, prc_device_pairs *pairs);

/* prc_detect: all pairs with distance < r_A + r_B, where r_A and r_B are the largest radii (m, ≥ 0) of each side's
 * vertices. x: component c of vertex i is x[c stride + i]; x and radius are on the device. */
prc_result prc_device_detect(prc_device *d, prc_device_detector *detector, const double *x, int stride,
                             const double *radius, prc_device_pairs *pairs, prc_error *error);

/* prc_detect_swept: all pairs that could come within `separation` (m, ≥ 0) on the straight ways from x to x + p; and
 * some more. */
prc_result prc_device_detect_swept(prc_device *d, prc_device_detector *detector, const double *x, const double *p,
                                   int stride, double separation, prc_device_pairs *pairs, prc_error *error);

/* Pairs whose boxes were close in the last detection. Takes two launches and a wait. */
long prc_device_detector_candidates(prc_device *d, prc_device_detector *detector);

/* --- the parts of a detection, for prc_device_detect_each --- */

prc_result prc_detect_begin(prc_device *d, prc_device_detector *detector, const double *x, const double *p, int stride,
                            const double *radius, double separation, prc_detect_view *view, prc_error *error);
prc_result prc_detect_search(prc_device *d, prc_device_detector *detector, prc_detect_view *view, prc_error *error);
/* *again: the search has to be repeated, with more room. */
prc_result prc_detect_finish(prc_device *d, prc_device_detector *detector, const prc_detect_view *view,
                             prc_device_pairs *pairs, bool *again, prc_error *error);

/* The number of query q among points or edges, and how many vertices its side has. */
static inline PRC_DEVICE int prc_detect_number(const prc_detect_view &j, int q, int *side_a)
{
    *side_a = q < j.points ? 1 : 2;
    return (q < j.points ? j.point[q] : j.tree[1].leaf[q - j.points].tag) >> 2;
}

static inline PRC_DEVICE prc_device_pair prc_detect_vertices(const prc_detect_view &j, int side_a, int number,
                                                             int partner)
{
    prc_device_pair pair;
    if (side_a == 1) {
        pair.v[0] = number;
        for (int k = 0; k < 3; k++)
            pair.v[1 + k] = j.triangle_of[3 * (size_t)partner + (size_t)k];
    } else {
        for (int k = 0; k < 2; k++) {
            pair.v[k] = j.edge_of[2 * (size_t)number + (size_t)k];
            pair.v[2 + k] = j.edge_of[2 * (size_t)partner + (size_t)k];
        }
    }
    return pair;
}

/* In double precision. */
static inline PRC_DEVICE bool prc_detect_exactly(const prc_detect_view &j, const int v[4], int side_a)
{
    double x[4][3], p[4][3], radius[4];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            const size_t k = (size_t)c * (size_t)j.stride + (size_t)v[i];
            x[i][c] = j.x[k];
            p[i][c] = j.p ? j.p[k] : 0;
        }
    if (j.p)
        return prc_near_swept(x, p, side_a, j.separation);
    for (int i = 0; i < 4; i++)
        radius[i] = j.radius[v[i]];
    return prc_near_closer(x, radius, side_a);
}

/* Whether an entry is a pair, and one to keep. */
template <class Keep>
PRC_DEVICE bool prc_detect_passes(const prc_detect_view &j, const Keep &keep, int side_a, int number, int entry)
{
    const prc_device_pair pair = prc_detect_vertices(j, side_a, number, entry < 0 ? ~entry : entry);
    return keep(j, pair.v, side_a, entry < 0);
}

/* Hits that there are: those in columns, which `list` has, then those of crowded queries, if there was room for all. */
static inline PRC_DEVICE int prc_detect_hits(const prc_detect_view &j)
{
    return j.counts->listed + (j.counts->crowd <= (uint64_t)j.crowd_room ? (int)j.counts->crowd : 0);
}

/* Where hit e is; and whose, a query. */
static inline PRC_DEVICE int *prc_detect_hit(const prc_detect_view &j, int e, int *query)
{
    const int listed = j.counts->listed;
    if (e >= listed) {
        *query = j.crowd[e - listed].query;
        return &j.crowd[e - listed].partner;
    }
    *query = j.list[e] / j.rows;
    return &j.column[j.list[e]];
}

/* Threads for hits, of which the device alone knows how many there are. */
#define PRC_DECIDE_THREADS 65536

template <class Keep> void prc_detect_decide(prc_device *d, const prc_detect_view &view, const Keep &keep)
{
    const prc_detect_view j = view;
    const Keep keep_it = keep;
    prc_each<4>(d, "detect decide", PRC_DECIDE_THREADS, [=] PRC_DEVICE(int i) {
        const int hits = prc_detect_hits(j);
        for (long e = i; e < hits; e += PRC_DECIDE_THREADS) {
            int query, side_a;
            int *at = prc_detect_hit(j, (int)e, &query);
            const int number = prc_detect_number(j, query, &side_a), entry = *at;
            const bool passes = prc_detect_passes(j, keep_it, side_a, number, entry);
            if (entry < 0 || !passes)
                *at = passes ? ~entry : -1;
            if (passes)
                prc_atomic_add(&j.kept[(side_a == 1 ? 0 : j.points) + number], 1);
        }
    });
}

/* As prc_device_detect, for those pairs only of which keep(view, v, side_a, doubtful) says so: a const device functor,
 * asked once or more for every pair that is close, before it is written. Of those that are doubtful it decides that,
 * too, as prc_detect_exactly does. With p (else NULL): as prc_device_detect_swept. */
template <class Keep>
prc_result prc_device_detect_each(prc_device *d, prc_device_detector *detector, const double *x, const double *p,
                                  int stride, const double *radius, double separation, const Keep &keep,
                                  prc_device_pairs *pairs, prc_error *error)
{
    prc_detect_view view;
    bool again = true;
    prc_result result = prc_detect_begin(d, detector, x, p, stride, radius, separation, &view, error);
    while (result == PRC_OK && again) {
        result = prc_detect_search(d, detector, &view, error);
        if (result != PRC_OK)
            break;
        prc_detect_decide(d, view, keep);
        result = prc_detect_finish(d, detector, &view, pairs, &again, error);
    }
    return result;
}

PRC_DEVICE_END

#endif
