/* contact/exempt.c — see exempt.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/exempt.h"

#include "base/memory.h"

#include <string.h>

static void sort_two(int *a, int *b)
{
    if (*a > *b) {
        const int larger = *a;
        *a = *b;
        *b = larger;
    }
}

/* The same pair always as the same numbers: corners and ends sorted, the edge with the smaller vertex first. */
static prc_exempt_pair canonical(const int v[4], int side_a)
{
    prc_exempt_pair pair = {.side_a = side_a};
    memcpy(pair.v, v, sizeof pair.v);
    int *p = pair.v;
    if (side_a == 1) {
        sort_two(&p[1], &p[2]);
        sort_two(&p[2], &p[3]);
        sort_two(&p[1], &p[2]);
    } else if (side_a == 2) {
        sort_two(&p[0], &p[1]);
        sort_two(&p[2], &p[3]);
        if (p[0] > p[2]) { /* they share no vertex */
            sort_two(&p[0], &p[2]);
            const int first = p[1];
            p[1] = p[3];
            p[3] = first;
        }
    }
    return pair;
}

static prc_exempt_pair with_solid(int vertex, int solid)
{
    return (prc_exempt_pair){.v = {vertex, solid, -1, -1}, .side_a = 0};
}

/* The slot where a pair is, or would be. */
static int find(const prc_exempt_set *set, const prc_exempt_pair *pair)
{
    uint64_t hash = (uint64_t)pair->side_a;
    for (int k = 0; k < 4; k++)
        hash = (hash ^ (uint32_t)pair->v[k]) * 0x9E3779B97F4A7C15u;
    int slot = (int)(hash >> 33) & (set->slot_count - 1);
    while (set->slots[slot] && memcmp(&set->pairs[set->slots[slot] - 1], pair, sizeof *pair) != 0)
        slot = (slot + 1) & (set->slot_count - 1);
    return slot;
}

/* Room for one more pair; the table stays half empty. */
static bool reserve(prc_exempt_set *set)
{
    if (set->count < set->capacity)
        return true;
    const int capacity = set->capacity ? 2 * set->capacity : 64;
    prc_exempt_pair *pairs = prc_grow(set->pairs, (size_t)set->count, (size_t)capacity, sizeof *pairs);
    if (!pairs)
        return false;
    set->pairs = pairs;
    int *slots = PRC_NEW(int, 2 * (size_t)capacity);
    if (!slots)
        return false;
    prc_free(set->slots);
    set->slots = slots;
    set->slot_count = 2 * capacity;
    set->capacity = capacity;
    for (int k = 0; k < set->count; k++)
        slots[find(set, &set->pairs[k])] = k + 1;
    return true;
}

static bool add(prc_exempt_set *set, prc_exempt_pair pair)
{
    if (!reserve(set))
        return false;
    const int slot = find(set, &pair);
    if (!set->slots[slot]) {
        set->pairs[set->count++] = pair;
        set->slots[slot] = set->count;
    }
    return true;
}

bool prc_exempt_add(prc_exempt_set *set, const int v[4], int side_a)
{
    return add(set, canonical(v, side_a));
}

bool prc_exempt_add_solid(prc_exempt_set *set, int vertex, int solid)
{
    return add(set, with_solid(vertex, solid));
}

bool prc_exempt_has(const prc_exempt_set *set, const int v[4], int side_a)
{
    if (set->count == 0)
        return false;
    const prc_exempt_pair pair = canonical(v, side_a);
    return set->slots[find(set, &pair)] != 0;
}

bool prc_exempt_has_solid(const prc_exempt_set *set, int vertex, int solid)
{
    if (set->count == 0)
        return false;
    const prc_exempt_pair pair = with_solid(vertex, solid);
    return set->slots[find(set, &pair)] != 0;
}

static void filter(const prc_exempt_set *set, prc_pairs *pairs, int side_a)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++)
        if (!prc_exempt_has(set, pairs->v[k], side_a)) {
            memmove(pairs->v[kept], pairs->v[k], sizeof pairs->v[k]);
            kept++;
        }
    pairs->count = kept;
}

void prc_exempt_filter(const prc_exempt_set *set, prc_pair_list *found)
{
    if (set->count == 0)
        return;
    filter(set, &found->point_triangle, 1);
    filter(set, &found->edge_edge, 2);
}

bool prc_exempt_copy(prc_exempt_set *set, const prc_exempt_set *from)
{
    for (int k = 0; k < from->count; k++)
        if (!add(set, from->pairs[k])) {
            prc_exempt_release(set);
            return false;
        }
    return true;
}

void prc_exempt_release(prc_exempt_set *set)
{
    prc_free(set->pairs);
    prc_free(set->slots);
    *set = (prc_exempt_set){0};
}
