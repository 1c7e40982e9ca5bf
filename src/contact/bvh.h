/* contact/bvh.h — a tree of boxes, eight wide, over points, edges or triangles.
 *
 * The tree is implicit: the primitives are put into an order in which neighbours in space lie together, node i of level
 * 0 holds primitives 8i to 8i + 7 of that order, node i of level l + 1 the nodes 8i to 8i + 7 of level l. The order
 * comes from repeated median splits along the longest side and is made anew only when the boxes have grown slack; in
 * between only the boxes are refitted, level by level. What a search finds does not depend on the order, only how fast.
 * Rejected: Morton codes (quicker to sort, but their jumps across the curve's folds make the boxes of eight long), and
 * a binary tree (three times the levels, and no eight tests at once). SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_BVH_H
#define PRC_CONTACT_BVH_H

#include "kernel/filter.h"
#include "kernel/motion.h"

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRC_BVH_LEVELS 11 /* 8^11 exceeds every int */

/* Box of a vertex, in single precision rounded outwards: every coordinate of its path lies in [low, high]. */
typedef struct prc_bound {
    float low[4];  /* x, y, z, −radius (so that minima of `low` give the largest radius) */
    float high[4]; /* x, y, z, 0 */
} prc_bound;

/* Eight boxes side by side; those of empty slots are empty (low = +inf, high = −inf). */
typedef struct prc_boxes {
    float low[3][PRC_WIDE] __attribute__((aligned(32)));
    float high[3][PRC_WIDE], radius[PRC_WIDE];
} prc_boxes;

/* Eight primitives side by side, constant between builds. Empty slots and missing vertices are −1. */
typedef struct prc_leaf {
    int32_t primitive[PRC_WIDE] __attribute__((aligned(32)));
    int32_t vertex[3][PRC_WIDE];
} prc_leaf;

typedef struct prc_bvh {
    const int *vertices; /* `arity` per primitive, the caller's; NULL where primitive i is vertex i itself */
    int arity;
    int count; /* of primitives */
    int level_count;
    int level_start[PRC_BVH_LEVELS + 1]; /* first node of a level; the root is the last node */
    prc_boxes *node;
    unsigned char *meets[2]; /* per node: bit k of meets[b] set where slot k has bit b of prc_motion_meets */
    prc_leaf *leaf;          /* per node of level 0 */
    double slack_built;      /* box area of the nodes of level 0 over that of the primitives, after the last build */
    int builds;
} prc_bvh;

/* Makes room for `count` primitives; nothing else allocates. Released with prc_bvh_release, also after a failure. */
prc_result prc_bvh_create(prc_bvh *bvh, const int *vertices, int arity, int count, prc_error *error);
void prc_bvh_release(prc_bvh *bvh);

/* Refits all boxes to `bound` (one per vertex), after a new build where `rebuild` asks for it, where there was none
 * yet, or where the boxes have grown slack; returns whether it was built. `scratch` holds count prc_bvh_key. Points
 * have no area to compare with, so their tree never asks for a build by itself. */
typedef struct prc_bvh_key {
    float centre[3];
    int primitive;
} prc_bvh_key;
bool prc_bvh_update(prc_bvh *bvh, const prc_bound *bound, const unsigned char *motion, bool rebuild,
                    prc_bvh_key *scratch, int threads);

/* Box of slot k of a node, as a box to search with. */
typedef struct prc_query {
    float low[3], high[3], radius;
} prc_query;

PRC_WIDE_INLINE prc_query prc_bvh_slot(const prc_boxes *boxes, int k)
{
    prc_query q;
    for (int c = 0; c < 3; c++) {
        q.low[c] = boxes->low[c][k];
        q.high[c] = boxes->high[c][k];
    }
    q.radius = boxes->radius[k];
    return q;
}

#if PRC_LANE > 1 /* one lane: code for devices, which may see the structs of the CPU */
/* Which of the eight boxes come as close to q as the sum of the radii; never misses one. */
PRC_WIDE_INLINE unsigned prc_bvh_near(const prc_boxes *boxes, const prc_query *q)
{
    const prc_wide3 q_low = {prc_wide_all(q->low[0]), prc_wide_all(q->low[1]), prc_wide_all(q->low[2])};
    const prc_wide3 q_high = {prc_wide_all(q->high[0]), prc_wide_all(q->high[1]), prc_wide_all(q->high[2])};
    unsigned near = 0;
    for (int k = 0; k < PRC_WIDE; k += PRC_LANE) {
        const prc_wide3 low = {prc_wide_load(boxes->low[0] + k), prc_wide_load(boxes->low[1] + k),
                               prc_wide_load(boxes->low[2] + k)};
        const prc_wide3 high = {prc_wide_load(boxes->high[0] + k), prc_wide_load(boxes->high[1] + k),
                                prc_wide_load(boxes->high[2] + k)};
        const prc_wide_int m =
            prc_filter_boxes(low, high, prc_wide_load(boxes->radius + k), q_low, q_high, prc_wide_all(q->radius));
        near |= prc_wide_bits(m) << k;
    }
    return near;
}
#endif

/* Writes the nodes of level 0, from `first_leaf` on, that may hold primitives near q to `leaves`, which has room for
 * all of them; returns how many. Left out is what has not all of the bits `missing` (of prc_motion_meets). */
int prc_bvh_search(const prc_bvh *bvh, const prc_query *q, int first_leaf, int missing, int *leaves);

/* The slots of a node that have all of those bits. */
static inline unsigned prc_bvh_meeting(const prc_bvh *bvh, int node, int missing)
{
    return (missing & 1 ? bvh->meets[0][node] : 255u) & (missing & 2 ? bvh->meets[1][node] : 255u);
}

/* What the slots of a node have together, and so do not miss. */
static inline int prc_bvh_meets(const prc_bvh *bvh, int node)
{
    return (bvh->meets[0][node] != 0) | (bvh->meets[1][node] != 0) << 1;
}

static inline int prc_bvh_leaf_count(const prc_bvh *bvh)
{
    return bvh->level_start[1];
}

/* Box around node `leaf` of level 0. */
static inline prc_query prc_bvh_leaf_box(const prc_bvh *bvh, int leaf)
{
    return prc_bvh_slot(&bvh->node[bvh->level_start[1] + leaf / PRC_WIDE], leaf % PRC_WIDE);
}

#ifdef __cplusplus
}
#endif

#endif
