/* contact/shells.c — pairs that were found and are no contacts: exempt ones, and while fields stand in for the surfaces
 * of colliders, those with such a surface. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include <string.h>

/* The first and the last vertex of a pair are on different sides; what has no thickness is a shell. */
static bool has_shell(const prc_contact_view *view, const int v[4])
{
    return view->half[v[0]] == 0 || view->half[v[3]] == 0;
}

static void drop(const prc_contact_view *view, prc_pairs *pairs, int side_a)
{
    int kept = 0;
    for (int k = 0; k < pairs->count; k++) {
        const int *v = pairs->v[k];
        if (prc_pair_is_exempt(view, v, side_a) || (view->fields_stand_in && has_shell(view, v)))
            continue;
        memmove(pairs->v[kept++], v, sizeof pairs->v[k]);
    }
    pairs->count = kept;
}

void prc_contact_drop_exempt(const prc_contact_set *set, prc_pair_list *found)
{
    const prc_contact_view view = prc_contact_see(set);
    if (view.exempt.count == 0 && !view.fields_stand_in)
        return;
    drop(&view, &found->point_triangle, 1);
    drop(&view, &found->edge_edge, 2);
}
