/* contact/friction.c — friction that a solve keeps frozen.
 *
 * Either normal force and direction are those of the iterate, or, as in incremental potential contact, they are frozen
 * over a solve: the rows are copied from the contacts that push, and stay when these change or go.
 * docs/theory.md, section 10.6. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/contact_response.h"

prc_result prc_contact_freeze_friction(prc_contact_set *set, prc_error *error)
{
    if (set->table)
        return set->table->freeze_friction(set, error);
    int count = 0;
    for (int k = 0; k < set->contact_count; k++)
        count += prc_contact_friction_limit(&set->contacts[k]) > 0;
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
        if (prc_contact_friction_limit(contact) > 0)
            prc_lagged_begin(&set->lagged[set->lagged_count++], contact);
    }
    return prc_contact_reserve_active(set) ? PRC_OK : PRC_FAIL_MEMORY(error);
}
