/* contact/exempt.h — pairs that the guarantee leaves out: those that crossed at the start and have not come apart
 * since.
 *
 * A set of pairs, found by their vertices. The contact set asks it for every pair it finds; who is in it is decided by
 * step/exempt.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_EXEMPT_H
#define PRC_CONTACT_EXEMPT_H

#include "contact/detect.h"
#include "kernel/exempt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed before first use. Pairs stand in the order in which they came. */
typedef struct prc_exempt_set {
    prc_exempt_pair *pairs;
    int count, capacity;
    int *slots; /* hash table: 1 + index of a pair, or 0 */
    int slot_count;
} prc_exempt_set;

prc_exempt_view prc_exempt_see(const prc_exempt_set *set);

/* False when out of memory; the set is as it was then. */
bool prc_exempt_add(prc_exempt_set *set, const int v[4], int side_a);
bool prc_exempt_add_collider(prc_exempt_set *set, int vertex, int collider);
bool prc_exempt_add_face(prc_exempt_set *set, const int v[3], int collider);
/* From all of a collider's surface: body `shell`. */
bool prc_exempt_add_shell(prc_exempt_set *set, int vertex, int shell);
bool prc_exempt_has(const prc_exempt_set *set, const int v[4], int side_a);
bool prc_exempt_has_collider(const prc_exempt_set *set, int vertex, int collider);
/* Into an empty set. */
bool prc_exempt_copy(prc_exempt_set *set, const prc_exempt_set *from);
void prc_exempt_release(prc_exempt_set *set);

#ifdef __cplusplus
}
#endif

#endif
