/* contact/exempt.c — see exempt.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/exempt.h"

#include "base/memory.h"

#include <string.h>

prc_exempt_view prc_exempt_see(const prc_exempt_set *set)
{
    const prc_exempt_view view = {set->pairs, set->slots, set->count, set->slot_count};
    return view;
}

/* The slot where a pair is, or would be. */
static int find(const prc_exempt_set *set, const prc_exempt_pair *pair)
{
    const prc_exempt_view view = prc_exempt_see(set);
    return prc_exempt_find(&view, pair);
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
    return add(set, prc_exempt_canonical(v, side_a));
}

bool prc_exempt_add_collider(prc_exempt_set *set, int vertex, int collider)
{
    return add(set, prc_exempt_with_collider(vertex, collider));
}

bool prc_exempt_add_face(prc_exempt_set *set, const int v[3], int collider)
{
    const int pair[4] = {v[0], v[1], v[2], collider};
    return prc_exempt_add(set, pair, 3);
}

bool prc_exempt_add_shell(prc_exempt_set *set, int vertex, int shell)
{
    return add(set, prc_exempt_with_collider(vertex, -1 - shell));
}

bool prc_exempt_has(const prc_exempt_set *set, const int v[4], int side_a)
{
    const prc_exempt_view view = prc_exempt_see(set);
    return prc_exempt_view_has(&view, v, side_a);
}

bool prc_exempt_has_collider(const prc_exempt_set *set, int vertex, int collider)
{
    const prc_exempt_view view = prc_exempt_see(set);
    return prc_exempt_view_has_collider(&view, vertex, collider);
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
