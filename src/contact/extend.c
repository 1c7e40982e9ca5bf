/* contact/extend.c — contacts of a few vertices found anew, and added to those that there are: kernel/contact_extend.h
 * says why that is enough. What they may be close to comes from the trees of a detection, fitted to the anchors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/clock.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FRESH (1 << 24) /* contacts: balls as large as the scene have all there are */

typedef struct search {
    prc_contact_set *set;
    prc_contact_view view;
    bool full; /* out of memory */
} search;

/* --- what is fresh --- */

/* False where there is no room, or all would have to be found anew in the end for want of it. */
static bool grow(prc_contact_set *set)
{
    if (set->fresh_capacity > MOST_FRESH)
        return false;
    const int capacity = 2 * set->fresh_capacity + 1024;
    prc_fresh *fresh = prc_grow(set->fresh, (size_t)set->fresh_count, (size_t)capacity, sizeof *fresh);
    if (!fresh)
        return false;
    set->fresh = fresh;
    int(*added)[2] = prc_grow(set->added, 0, 4 * (size_t)capacity, sizeof *added);
    if (!added)
        return false;
    set->added = added;
    set->fresh_capacity = capacity;
    return true;
}

static void add(search *s, const prc_fresh *fresh)
{
#pragma omp critical(prc_extend_add) /* rare */
    {
        prc_contact_set *set = s->set;
        if (set->fresh_count == set->fresh_capacity && !s->full)
            s->full = !grow(set);
        if (!s->full)
            set->fresh[set->fresh_count++] = *fresh;
    }
}

/* The first of a primitive's vertices that left shows it: others would do so again. */
static void look_at(void *context, int vertex, int count, int own, int other)
{
    search *s = context;
    const prc_surface *surface = &s->set->surface;
    const int *left = s->set->marked;
    prc_fresh fresh = {.vertex = vertex};
    bool suits;
    if (count == 1)
        suits = prc_extend_point(&s->view, own, other, surface->triangle[other], &fresh);
    else if (count == 3)
        suits = prc_extend_owner(left, surface->triangle[own], 3) == vertex && !left[other] &&
                prc_extend_point(&s->view, other, own, surface->triangle[own], &fresh);
    else
        suits = prc_extend_owner(left, surface->edge[own], 2) == vertex &&
                prc_extend_edge(&s->view, left, own, surface->edge[own], other, surface->edge[other], &fresh);
    if (suits && prc_pair_is_fresh(&s->view, &fresh))
        add(s, &fresh);
}

static void look_at_colliders(search *s, int count)
{
    for (int k = 0; k < count; k++)
        for (int collider = 0; collider < s->view.collider_count; collider++) {
            const int i = s->set->left[k];
            const prc_fresh fresh = {.key = prc_fresh_key(0, collider, i), .v = {i, collider, -1, -1}, .vertex = i};
            if (i < s->view.elastic_count && prc_collider_is_fresh(&s->view, &fresh))
                add(s, &fresh);
        }
}

/* Triangles of a vertex that left; the first of those that left shows them. */
static void look_at_faces(search *s, int count)
{
    const prc_surface *surface = &s->set->surface;
    for (int k = 0; k < count; k++)
        for (int e = surface->triangle_start[s->set->left[k]]; e < surface->triangle_start[s->set->left[k] + 1]; e++) {
            const int i = s->set->left[k], t = surface->triangle_of[e], *corner = surface->triangle[t];
            if (prc_extend_owner(s->set->marked, corner, 3) != i)
                continue;
            for (int collider = 0; collider < s->view.collider_count; collider++) {
                const int contacts = prc_face_contacts(&s->view, corner, collider);
                for (int which = 0; which < contacts; which++) {
                    prc_fresh fresh = {.vertex = i};
                    prc_extend_face(&fresh, t, corner, collider, which);
                    if (prc_face_is_fresh(&s->view, &fresh))
                        add(s, &fresh);
                }
            }
        }
}

static int compare(const void *a, const void *b)
{
    const uint64_t first = ((const prc_fresh *)a)->key, second = ((const prc_fresh *)b)->key;
    return (first > second) - (first < second);
}

/* --- behind the others --- */

/* By vertex, then by entry. */
static int compare_added(const void *a, const void *b)
{
    const int *x = a, *y = b, at = x[0] == y[0];
    return (x[at] > y[at]) - (x[at] < y[at]);
}

/* Contacts from `first` on join the lists of their vertices, at the end of each. */
static void index_added(prc_contact_set *set, int first)
{
    const int n = set->model->vertex_count;
    int(*added)[2] = set->added, count = 0;
    for (int k = first; k < set->contact_count; k++)
        for (int p = 0; p < set->contacts[k].count; p++) {
            added[count][0] = set->contacts[k].v[p];
            added[count++][1] = 4 * k + p;
        }
    qsort(added, (size_t)count, sizeof *added, compare_added);
    int *start = set->of_start, *of = set->of, end = start[n];
    for (int j = count - 1; j >= 0; j--) { /* from the end: what comes behind an entry moves by those before it */
        const int at = start[added[j][0] + 1];
        memmove(of + at + j + 1, of + at, sizeof *of * (size_t)(end - at));
        of[at + j] = added[j][1];
        end = at;
    }
    for (int i = 0, j = 0; i < n; i++) {
        while (j < count && added[j][0] == i)
            j++;
        start[i + 1] += j;
    }
}

static bool append(prc_contact_set *set, const double *y)
{
    const int first = set->contact_count;
    if (set->fresh_count == 0)
        return true;
    if (set->fresh_count >= INT_MAX / 8 - first || !prc_contact_reserve(set, first + set->fresh_count))
        return false;
    qsort(set->fresh, (size_t)set->fresh_count, sizeof *set->fresh, compare);
    const prc_contact_view view = prc_contact_see(set);
    for (int k = 0; k < set->fresh_count; k++) {
        prc_contact *contact = &set->contacts[set->contact_count++];
        prc_fresh_make(&view, contact, &set->fresh[k], y);
        set->smallest_gap = prc_smaller(set->smallest_gap, prc_contact_bound(contact) - contact->xi);
    }
    index_added(set, first);
    return true;
}

/* --- both together --- */

/* Lists and marks the vertices that leave, and those that soon will where there is room for all of them; −1 where they
 * are too many. */
static int find_left(prc_contact_set *set, const prc_contact_view *view, const double *y, const double *p)
{
    const int most = prc_extend_most(view->vertex_count);
    int count = 0, leaving[3] = {0, 0, 0};
    for (int i = 0; i < view->vertex_count; i++)
        leaving[set->marked[i] = prc_contact_leaving(view, i, y, p)]++;
    if (leaving[2] > most)
        return -1;
    const int least = leaving[1] + leaving[2] > most ? 2 : 1;
    for (int i = 0; i < view->vertex_count; i++) {
        set->marked[i] = set->marked[i] >= least;
        if (set->marked[i])
            set->left[count++] = i;
    }
    return leaving[2] > 0 ? count : 0;
}

/* False: all pairs are to be found anew. */
static bool extend(prc_contact_set *set, const double *y, const double *p)
{
    search s = {.set = set, .view = prc_contact_see(set)};
    const int count = find_left(set, &s.view, y, p);
    if (count <= 0)
        return count == 0;
    for (int k = 0; k < count; k++)
        prc_contact_anchor(&s.view, set->left[k], y, p);
    set->fresh_count = 0;
    const double start = prc_seconds();
    const prc_result result = prc_detect_around(&set->detector, set->anchor, set->stride, set->radius, set->threads,
                                                set->left, count, look_at, &s, NULL);
    look_at_colliders(&s, count);
    look_at_faces(&s, count);
    const double found = prc_seconds();
    set->seconds_broad += found - start;
    const bool added = result == PRC_OK && !s.full && append(set, y);
    set->seconds_bounds += prc_seconds() - found;
    return added;
}

prc_result prc_contact_extend(prc_contact_set *set, const double *y, const double *p, prc_error *error)
{
    if (prc_extend_is_crowded(set->contact_count, set->model->vertex_count) ||
        !(set->table ? set->table->extend(set, y, p) : extend(set, y, p)))
        return prc_contact_detect(set, y, p, error);
    set->extensions++;
    return PRC_OK;
}
