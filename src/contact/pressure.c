/* contact/pressure.c — what contact does to each vertex: pressure and gap, for writers and for people.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

void prc_contact_measure(prc_contact_set *set)
{
    if (set->table) {
        set->table->measure(set);
        return;
    }
    const prc_contact_view view = prc_contact_see(set);
    for (int i = 0; i < set->model->vertex_count; i++)
        prc_contact_measure_vertex(&view, i);
}
