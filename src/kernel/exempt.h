/* kernel/exempt.h — looking up a pair among those that the guarantee leaves out: see contact/exempt.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_EXEMPT_H
#define PRC_KERNEL_EXEMPT_H

#include "kernel/portable.h"

#include <stdbool.h>
#include <stdint.h>

/* A point and a triangle (side_a 1), two edges (2), the vertex v[0] and a collider (0; v[1] is the collider, or −1 less
 * the body that is its surface), or a triangle and a collider (3; v[3] is the collider). */
typedef struct prc_exempt_pair {
    int v[4]; /* in one order of all that mean the same */
    int side_a;
} prc_exempt_pair;

/* A hash table that is never full. */
typedef struct prc_exempt_view {
    const prc_exempt_pair *pairs;
    const int *slots; /* 1 + index of a pair, or 0 */
    int count, slot_count;
} prc_exempt_view;

/* How many vertices it has. */
PRC_INLINE int prc_exempt_vertices(const prc_exempt_pair *pair)
{
    return pair->side_a == 0 ? 1 : pair->side_a == 3 ? 3 : 4;
}

PRC_INLINE void prc_exempt_sort_two(int *a, int *b)
{
    if (*a > *b) {
        const int larger = *a;
        *a = *b;
        *b = larger;
    }
}

/* The same pair always as the same numbers: corners and ends sorted, the edge with the smaller vertex first. */
PRC_FUNCTION prc_exempt_pair prc_exempt_canonical(const int v[4], int side_a)
{
    prc_exempt_pair pair = {{v[0], v[1], v[2], v[3]}, side_a};
    int *p = pair.v;
    if (side_a == 3) {
        prc_exempt_sort_two(&p[0], &p[1]);
        prc_exempt_sort_two(&p[1], &p[2]);
        prc_exempt_sort_two(&p[0], &p[1]);
    } else if (side_a == 1) {
        prc_exempt_sort_two(&p[1], &p[2]);
        prc_exempt_sort_two(&p[2], &p[3]);
        prc_exempt_sort_two(&p[1], &p[2]);
    } else if (side_a == 2) {
        prc_exempt_sort_two(&p[0], &p[1]);
        prc_exempt_sort_two(&p[2], &p[3]);
        if (p[0] > p[2]) { /* they share no vertex */
            prc_exempt_sort_two(&p[0], &p[2]);
            const int first = p[1];
            p[1] = p[3];
            p[3] = first;
        }
    }
    return pair;
}

PRC_FUNCTION prc_exempt_pair prc_exempt_with_collider(int vertex, int collider)
{
    const prc_exempt_pair pair = {{vertex, collider, -1, -1}, 0};
    return pair;
}

/* The slot where a pair is, or would be. */
PRC_FUNCTION int prc_exempt_find(const prc_exempt_view *set, const prc_exempt_pair *pair)
{
    uint64_t hash = (uint64_t)pair->side_a;
    for (int k = 0; k < 4; k++)
        hash = (hash ^ (uint32_t)pair->v[k]) * 0x9E3779B97F4A7C15u;
    int slot = (int)(hash >> 33) & (set->slot_count - 1);
    while (set->slots[slot]) {
        const prc_exempt_pair *at = &set->pairs[set->slots[slot] - 1];
        if (at->v[0] == pair->v[0] && at->v[1] == pair->v[1] && at->v[2] == pair->v[2] && at->v[3] == pair->v[3] &&
            at->side_a == pair->side_a)
            break;
        slot = (slot + 1) & (set->slot_count - 1);
    }
    return slot;
}

PRC_INLINE bool prc_exempt_view_has(const prc_exempt_view *set, const int v[4], int side_a)
{
    if (set->count == 0)
        return false;
    const prc_exempt_pair pair = prc_exempt_canonical(v, side_a);
    return set->slots[prc_exempt_find(set, &pair)] != 0;
}

PRC_INLINE bool prc_exempt_view_has_face(const prc_exempt_view *set, const int v[3], int collider)
{
    const int pair[4] = {v[0], v[1], v[2], collider};
    return prc_exempt_view_has(set, pair, 3);
}

PRC_INLINE bool prc_exempt_view_has_collider(const prc_exempt_view *set, int vertex, int collider)
{
    if (set->count == 0)
        return false;
    const prc_exempt_pair pair = prc_exempt_with_collider(vertex, collider);
    return set->slots[prc_exempt_find(set, &pair)] != 0;
}

/* The same of the surface of one: body `shell`. */
PRC_INLINE bool prc_exempt_view_has_shell(const prc_exempt_view *set, int vertex, int shell)
{
    return prc_exempt_view_has_collider(set, vertex, -1 - shell);
}

#endif
