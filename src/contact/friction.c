/* contact/friction.c — friction that a solve keeps frozen.
 *
 * Either normal force and direction are those of the iterate, or, as in incremental potential contact, they are frozen
 * over a solve: the rows are copied from the contacts that push, and stay when these change or go.
 * docs/theory.md, section 10.6. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/small.h"
#include "kernel/barrier.h"

#include <math.h>
#include <string.h>

/* The limit of a contact at the last geometry, N; 0 where it does not push. */
static double limit_of(const prc_contact *k)
{
    const double gap = k->distance - k->xi;
    return gap < k->d_hat ? -k->friction * k->share * k->kappa * prc_barrier_at(gap, k->d_hat).slope : 0;
}

prc_result prc_contact_freeze_friction(prc_contact_set *set, prc_error *error)
{
    if (set->table)
        return set->table->freeze_friction(set, error);
    int count = 0;
    for (int k = 0; k < set->contact_count; k++)
        count += limit_of(&set->contacts[k]) > 0;
    if (count > set->lagged_capacity) {
        prc_free(set->lagged);
        set->lagged_count = 0;
        set->lagged_capacity = count + count / 2;
        set->lagged = PRC_NEW(prc_lagged, set->lagged_capacity);
        if (!set->lagged) {
            set->lagged_capacity = 0;
            return PRC_FAIL_MEMORY(error);
        }
    }
    set->lagged_count = 0;
    for (int k = 0; k < set->contact_count; k++) {
        const prc_contact *contact = &set->contacts[k];
        const double limit = limit_of(contact);
        if (!(limit > 0))
            continue;
        prc_lagged *row = &set->lagged[set->lagged_count++];
        memcpy(row->v, contact->v, sizeof row->v);
        memcpy(row->w, contact->w, sizeof row->w);
        memcpy(row->n, contact->n, sizeof row->n);
        row->count = contact->count;
        row->solid = contact->solid;
        row->distance = contact->distance;
        row->limit = limit;
    }
    return prc_contact_reserve_active(set) ? PRC_OK : PRC_FAIL_MEMORY(error);
}
