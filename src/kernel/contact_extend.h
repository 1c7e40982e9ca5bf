/* kernel/contact_extend.h — contacts that are added when a few vertices leave their balls: one pair at a time.
 *
 * What a list of contacts promises, about any pair that is not in it: at the anchors its sides are farther apart than
 * the range of its barrier and the largest ball of each side (prc_pair_can_be_felt); so it is out of range as long as
 * all its vertices are in their balls. Anchors need not be of one time. When vertices leave, their anchors and balls
 * are made anew, and nobody else's: the promise still holds for every pair without one of them, and is renewed, at the
 * anchors as they are then, for every pair that has one. Where the others are at that moment does not enter: it is
 * their anchors and balls that bound what they will do. Pairs of the list stay, whether they are still needed or not.
 * The same of a vertex and a collider. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_EXTEND_H
#define PRC_KERNEL_CONTACT_EXTEND_H

#include "kernel/contact.h"

#define PRC_EXTEND_MOST 4096
#define PRC_EXTEND_CROWDED 64 /* contacts per vertex */

/* How many vertices may leave; where there are more of them, all pairs are found anew. */
PRC_INLINE int prc_extend_most(int vertex_count)
{
    const int most = vertex_count / 16 > 256 ? vertex_count / 16 : 256;
    return most < PRC_EXTEND_MOST ? most : PRC_EXTEND_MOST;
}

/* Whether lists of vertices are too long to look a contact up in: then, too, all pairs are found anew. */
PRC_INLINE bool prc_extend_is_crowded(int contact_count, int vertex_count)
{
    return contact_count > PRC_EXTEND_CROWDED * (long)vertex_count;
}

/* A contact to be added. Their order is that of their keys, of which no two are equal. */
typedef struct prc_fresh {
    uint64_t key;
    int v[4];   /* against a collider: the vertex, the collider, and nothing; or three vertices and the collider */
    int side_a; /* … 0; or 3 and more, as in a prc_contact */
    int vertex; /* one of its vertices that left */
} prc_fresh;

/* Whether a vertex leaves its ball by the move p from y (2), or would soon, if it went on like that (1): these are
 * found anew as well, if there is room for all of them, so that the next move need not do it. */
PRC_INLINE int prc_contact_leaving(const prc_contact_view *view, int i, const double *y, const double *p)
{
    double square = 0, further = 0;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + i;
        const double d = y[k] + p[k] - view->anchor[k], ahead = d + PRC_CONTACT_AHEAD * p[k];
        square += d * d;
        further += ahead * ahead;
    }
    const double ball = view->ball[i];
    return square > ball * ball ? 2 : further > ball * ball;
}

/* Pairs of points and triangles (side_a 1), then of edges, each by the numbers of their primitives; then colliders with
 * vertices (0), then with triangles (3), of which `second` is three times the number, and which contact it is. */
PRC_INLINE uint64_t prc_fresh_key(int side_a, int first, int second)
{
    const uint64_t kind = side_a == 0 ? 2 : side_a >= 3 ? 3 : (uint64_t)side_a - 1;
    return kind << 62 | (uint64_t)first << 31 | (uint64_t)second;
}

/* In the same order, in fewer bits: numbers have `field` bits. */
PRC_INLINE uint64_t prc_fresh_pack(uint64_t key, int field)
{
    const uint64_t first = key >> 31 & 0x7fffffff, second = key & 0x7fffffff;
    return key >> 62 << 2 * field | first << field | second;
}

/* Whether a contact is that of four vertices, or of a vertex (side_a 0) or a triangle (3 and more) and a collider. */
PRC_INLINE bool prc_contact_is_of(const prc_contact_view *view, int number, const int v[4], int side_a)
{
    prc_contact room;
    const prc_contact *k = prc_contact_open(view, number, PRC_SLICE_VERTICES | PRC_SLICE_KIND, &room);
    if (side_a == 0)
        return (k->collider == v[1]) & (k->count == 1);
    if (side_a >= 3)
        return (k->collider == v[3]) & (k->side_a == side_a) & (k->v[0] == v[0]) & (k->v[1] == v[1]) &
               (k->v[2] == v[2]);
    return (k->collider < 0) & (k->side_a == side_a) & (k->v[0] == v[0]) & (k->v[1] == v[1]) & (k->v[2] == v[2]) &
           (k->v[3] == v[3]);
}

#define PRC_LISTED_AT_ONCE 4 /* so that a device waits for several together */

/* Whether it is in the list of its vertex that left. */
PRC_FUNCTION bool prc_fresh_is_listed(const prc_contact_view *view, const prc_fresh *fresh)
{
    const int end = view->of_start[fresh->vertex + 1];
    for (int e = view->of_start[fresh->vertex]; e < end; e += PRC_LISTED_AT_ONCE) {
        int number[PRC_LISTED_AT_ONCE];
        bool found = false;
        PRC_UNROLL
        for (int q = 0; q < PRC_LISTED_AT_ONCE; q++)
            number[q] = view->of[e + q < end ? e + q : e] / 4;
        PRC_UNROLL
        for (int q = 0; q < PRC_LISTED_AT_ONCE; q++)
            found |= prc_contact_is_of(view, number[q], fresh->v, fresh->side_a);
        if (found)
            return true;
    }
    return false;
}

/* Whether such a pair is a contact that is not in the list. */
PRC_FUNCTION bool prc_pair_is_fresh(const prc_contact_view *view, const prc_fresh *fresh)
{
    return prc_pair_is_contact(view, fresh->v, fresh->side_a, view->anchor) &&
           !prc_pair_is_exempt(view, fresh->v, fresh->side_a) && !prc_fresh_is_listed(view, fresh);
}

/* The same of such a vertex and a collider. */
PRC_FUNCTION bool prc_collider_is_fresh(const prc_contact_view *view, const prc_fresh *fresh)
{
    return prc_collider_can_be_felt(view, fresh->vertex, fresh->v[1], view->anchor) &&
           !prc_fresh_is_listed(view, fresh);
}

/* Makes contact number `which` of a triangle with a vertex that left and a collider. */
PRC_INLINE void prc_extend_face(prc_fresh *fresh, int triangle, const int corner[3], int collider, int which)
{
    fresh->key = prc_fresh_key(3, collider, 3 * triangle + which);
    fresh->side_a = 3 + which;
    for (int k = 0; k < 3; k++)
        fresh->v[k] = corner[k];
    fresh->v[3] = collider;
}

/* Whether it is a contact that is not in the list. */
PRC_FUNCTION bool prc_face_is_fresh(const prc_contact_view *view, const prc_fresh *fresh)
{
    return prc_face_can_be_felt(view, fresh->v, fresh->v[3], view->anchor) && !prc_fresh_is_listed(view, fresh);
}

/* The contact, with its geometry at y. */
PRC_FUNCTION void prc_fresh_make(const prc_contact_view *view, prc_contact *k, const prc_fresh *fresh, const double *y)
{
    if (fresh->side_a == 1 || fresh->side_a == 2) {
        prc_pair_make(view, k, fresh->v, fresh->side_a, y);
        return;
    }
    if (fresh->side_a >= 3)
        prc_contact_begin_face(view, k, fresh->v, fresh->v[3], fresh->side_a - 3);
    else
        prc_contact_begin_collider(view, k, fresh->v[0], fresh->v[1]);
    prc_contact_locate(view, k, y);
}

/* --- each pair once --- */

/* Of the vertices of a primitive the least that left, or −1. Its pairs are found from there. */
PRC_FUNCTION int prc_extend_owner(const int *left, const int *v, int count)
{
    int owner = -1;
    for (int k = 0; k < count; k++)
        if (left[v[k]] && (owner < 0 || v[k] < owner))
            owner = v[k];
    return owner;
}

/* Whether four vertices can be a pair: none on both sides, and of motions that meet. */
PRC_FUNCTION bool prc_extend_suits(const prc_contact_view *view, const int v[4], int side_a)
{
    int meets = 0;
    bool shared = false;
    for (int p = 0; p < 4; p++) {
        meets |= prc_motion_meets(view->motion[v[p]]);
        for (int q = side_a; p < side_a && q < 4; q++)
            shared |= v[p] == v[q];
    }
    return meets == PRC_MEETS_ALL && !shared;
}

/* Makes the pair of a point and a triangle, one of which has a vertex that left; false where there can be none. */
PRC_INLINE bool prc_extend_point(const prc_contact_view *view, int point, int triangle, const int corner[3],
                                 prc_fresh *fresh)
{
    fresh->key = prc_fresh_key(1, point, triangle);
    fresh->side_a = 1;
    fresh->v[0] = point;
    for (int k = 0; k < 3; k++)
        fresh->v[1 + k] = corner[k];
    return prc_extend_suits(view, fresh->v, 1);
}

/* … of an edge with a vertex that left and another edge; where that has one too, only from the edge with the smaller
 * number. */
PRC_INLINE bool prc_extend_edge(const prc_contact_view *view, const int *left, int edge, const int end[2], int other,
                                const int other_end[2], prc_fresh *fresh)
{
    const bool first = edge < other;
    fresh->key = first ? prc_fresh_key(2, edge, other) : prc_fresh_key(2, other, edge);
    fresh->side_a = 2;
    for (int k = 0; k < 2; k++) {
        fresh->v[k] = first ? end[k] : other_end[k];
        fresh->v[2 + k] = first ? other_end[k] : end[k];
    }
    return (first || prc_extend_owner(left, other_end, 2) < 0) && prc_extend_suits(view, fresh->v, 2);
}

#endif
