/* contact/search.inl — the search for pairs: the body of search.c and search_avx2.c.
 *
 * Queries go in groups of eight, the leaves of their own tree: the group's box finds the leaves of the other tree, each
 * box in those that is near the group's is held against the eight, and the pairs that come out run through the filter
 * (filter.h), several at a time. Only pairs that the filter leaves open are computed in double precision. Two edges
 * meet once, from the leaf that comes first. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "contact/search.h"
#include "kernel/filter.h"
#include "kernel/near.h"

#include <limits.h>

#define BATCH 256 /* candidates that go through the filter together */

/* --- pairs in double precision --- */

static bool decide_exactly(const prc_search *j, int query, int partner)
{
    int v[4];
    double x[4][3], p[4][3], radius[4];
    const int side_a = j->kind == PRC_POINT_TRIANGLE ? 1 : 2;
    prc_search_vertices(j, query, partner, v);
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) {
            x[i][c] = j->x[(long)c * j->stride + v[i]];
            p[i][c] = j->p ? j->p[(long)c * j->stride + v[i]] : 0;
        }
    if (j->p)
        return prc_near_swept((const double(*)[3])x, (const double(*)[3])p, side_a, j->separation);
    for (int i = 0; i < 4; i++)
        radius[i] = j->radius[v[i]];
    return prc_near_closer((const double(*)[3])x, radius, side_a);
}

/* --- pairs by the filter --- */

/* Candidates on their way through the filter: pairs of primitives, with room for what one byte of hits adds. */
typedef struct batch {
    int query[BATCH + 2 * PRC_WIDE], partner[BATCH + 2 * PRC_WIDE];
    int count;
    long candidates, exact;
} batch;

/* One vertex each of PRC_LANE primitives. */
PRC_WIDE_INLINE prc_wide3 corner(const float (*local)[4], const int *vertices, int arity, int place,
                                 const int *primitive, prc_wide *radius)
{
    int v[PRC_LANE];
    prc_wide column[4];
    for (int k = 0; k < PRC_LANE; k++)
        v[k] = vertices ? vertices[(long)arity * primitive[k] + place] : primitive[k];
    prc_wide_columns(local, v, column);
    *radius = prc_wide_max(*radius, column[3]);
    return (prc_wide3){column[0], column[1], column[2]};
}

PRC_WIDE_INLINE prc_verdict judge(const prc_search *j, int kind, const int *query, const int *partner)
{
    const float(*local)[4] = (const float(*)[4])j->d->local;
    const int *vertices = j->target->vertices;
    const prc_wide doubt = prc_wide_all(j->d->doubt);
    prc_wide radius_a = prc_wide_all(0), radius_b = radius_a;
    prc_wide3 a[2], b[3];
    if (kind == PRC_POINT_TRIANGLE) {
        a[0] = corner(local, NULL, 1, 0, query, &radius_a);
        for (int i = 0; i < 3; i++)
            b[i] = corner(local, vertices, 3, i, partner, &radius_b);
        return prc_filter_point_triangle(a[0], b, radius_a + radius_b, doubt);
    }
    for (int i = 0; i < 2; i++) {
        a[i] = corner(local, vertices, 2, i, query, &radius_a);
        b[i] = corner(local, vertices, 2, i, partner, &radius_b);
    }
    return prc_filter_edge_edge(a, b, radius_a + radius_b, doubt);
}

static bool make_room(prc_found *found, int more)
{
    if (more <= found->capacity - found->count)
        return true;
    if (found->count > INT_MAX / 4)
        return false;
    const int capacity = (found->count + more) * 2;
    int(*grown)[2];
#pragma omp critical(prc_detect_memory) /* the user's allocator need not be safe for threads */
    grown = prc_grow(found->pair, (size_t)found->count, (size_t)capacity, sizeof *grown);
    if (!grown)
        return false;
    found->pair = grown;
    found->capacity = capacity;
    return true;
}

/* Which of the `doubtful` of PRC_LANE candidates are pairs. */
static unsigned decide(const prc_search *j, const int *query, const int *partner, unsigned doubtful)
{
    unsigned close = 0;
    for (; doubtful; doubtful &= doubtful - 1) {
        const int k = __builtin_ctz(doubtful), q = query[k], p = partner[k];
        if (decide_exactly(j, q, p))
            close |= 1u << k;
    }
    return close;
}

/* Adds those of the batch that are pairs to `found` and empties it; false when out of memory. */
PRC_WIDE_INLINE bool flush(const prc_search *j, int kind, batch *b, prc_found *found)
{
    if (!make_room(found, b->count + PRC_WIDE))
        return false;
    for (int i = 0; kind == PRC_EDGE_EDGE && i < b->count; i++) { /* the order of two edges is that of their numbers */
        const int one = b->query[i], other = b->partner[i];
        b->query[i] = one < other ? one : other;
        b->partner[i] = one < other ? other : one;
    }
    for (int i = b->count; i % PRC_LANE; i++) {
        b->query[i] = b->query[0];
        b->partner[i] = b->partner[0];
    }
    for (int i = 0; i < b->count; i += PRC_LANE) {
        const int *query = b->query + i, *partner = b->partner + i, rest = b->count - i;
        const unsigned valid = rest < PRC_LANE ? (1u << rest) - 1 : (1u << PRC_LANE) - 1;
        const prc_verdict verdict = j->p ? (prc_verdict){0, 0} : judge(j, kind, query, partner);
        const unsigned doubtful = valid & ~verdict.closer & ~verdict.farther;
        unsigned close = valid & verdict.closer;
        if (doubtful) {
            close |= decide(j, query, partner, doubtful);
            b->exact += j->d->place_count[doubtful];
        }
        const unsigned char *place = j->d->places[close];
        for (int k = 0; k < PRC_LANE; k++) { /* all, of which the first few count: quicker than to branch */
            found->pair[found->count + k][0] = query[place[k]];
            found->pair[found->count + k][1] = partner[place[k]];
        }
        found->count += j->d->place_count[close];
    }
    b->candidates += b->count;
    b->count = 0;
    return true;
}

/* --- queries --- */

/* Which primitives of a leaf share a vertex with (v[0], …). */
PRC_WIDE_INLINE unsigned sharing(int kind, const prc_leaf *leaf, const prc_wide_int v[3])
{
    unsigned shared = 0;
    for (int k = 0; k < PRC_WIDE; k += PRC_LANE) {
        const prc_wide_int a0 = prc_wide_load_int(leaf->vertex[0] + k), a1 = prc_wide_load_int(leaf->vertex[1] + k);
        prc_wide_int same = (a0 == v[0]) | (a0 == v[1]);
        if (kind == PRC_POINT_TRIANGLE)
            same |= a0 == v[2];
        else
            same |= (a1 == v[0]) | (a1 == v[1]);
        shared |= prc_wide_bits(same) << k;
    }
    return shared;
}

/* Which slots of leaf `group` of the query tree are candidates with slot k of leaf `other` of the target tree. */
PRC_WIDE_INLINE unsigned candidates(const prc_search *j, int kind, int group, int other, int k)
{
    const prc_query box = prc_bvh_slot(&j->target->node[other], k);
    unsigned near = prc_bvh_near(&j->query->node[group], &box);
    const int has = (j->target->meets[0][other] >> k & 1) | (j->target->meets[1][other] >> k & 1) << 1;
    near &= prc_bvh_meeting(j->query, group, PRC_MEETS_ALL & ~has);
    if (kind == PRC_EDGE_EDGE && other == group)
        near &= (1u << k) - 1;
    if (!near)
        return 0;
    prc_wide_int v[3];
    for (int i = 0; i < 3; i++)
        v[i] = prc_wide_all_int(j->target->leaf[other].vertex[i][k]);
    return near & ~sharing(kind, &j->query->leaf[group], v);
}

static void add_to_batch(const prc_search *j, batch *b, int group, unsigned slots, int partner)
{
    /* All eight, of which the first few count: quicker than to branch. */
    prc_wide_pick(b->query + b->count, j->query->leaf[group].primitive, j->d->places[slots]);
    for (int k = 0; k < PRC_WIDE; k++)
        b->partner[b->count + k] = partner;
    b->count += j->d->place_count[slots];
}

/* All pairs of the queries of one chunk; false when out of memory. `kind` is a constant, for each its own code. */
PRC_WIDE_INLINE bool run_chunk(const prc_search *j, int kind, int chunk, prc_found *found, int *leaves,
                               long *candidate_count, long *exact)
{
    batch b;
    b.count = 0;
    b.candidates = b.exact = 0;
    found->count = 0;
    for (int g = chunk * PRC_SEARCH_GROUPS; g < (chunk + 1) * PRC_SEARCH_GROUPS && g < prc_bvh_leaf_count(j->query);
         g++) {
        const prc_query box = prc_bvh_leaf_box(j->query, g);
        const int first = kind == PRC_EDGE_EDGE ? g : 0;
        const int leaf_count =
            prc_bvh_search(j->target, &box, first, PRC_MEETS_ALL & ~prc_bvh_meets(j->query, g), leaves);
        for (int i = 0; i < leaf_count; i++) {
            const int other = leaves[i];
            for (unsigned near = prc_bvh_near(&j->target->node[other], &box); near; near &= near - 1) {
                const int k = __builtin_ctz(near);
                add_to_batch(j, &b, g, candidates(j, kind, g, other, k), j->target->leaf[other].primitive[k]);
                if (b.count >= BATCH && !flush(j, kind, &b, found))
                    return false;
            }
        }
    }
    if (!flush(j, kind, &b, found))
        return false;
    *candidate_count += b.candidates;
    *exact += b.exact;
    return true;
}

bool PRC_SEARCH_NAME(const prc_search *j, int chunk, prc_found *found, int *leaves, long *candidate_count, long *exact)
{
    return j->kind == PRC_POINT_TRIANGLE
               ? run_chunk(j, PRC_POINT_TRIANGLE, chunk, found, leaves, candidate_count, exact)
               : run_chunk(j, PRC_EDGE_EDGE, chunk, found, leaves, candidate_count, exact);
}
