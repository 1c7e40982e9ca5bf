/* step/prescribed.c — what crosses or is too close at the start though no vertex of it can be moved.
 *
 * Waistbands are pinned upon the figure that they are worn by, frames are pinned where they meet. Nobody could open
 * such pairs, so they are exempt for good, whatever contact.start says, and counted. docs/theory.md, section 10.11.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/start.h"

#include "base/error.h"

static bool is_prescribed(const prc_sim *sim, int vertex)
{
    return !prc_motion_is_free(sim->contact.surface.motion[vertex]);
}

static bool crosses_prescribed(const prc_sim *sim, const prc_check_crossing *c)
{
    bool all = true;
    for (int k = 0; k < 2; k++)
        all = all && is_prescribed(sim, c->edge[k]);
    for (int k = 0; k < 3; k++)
        all = all && is_prescribed(sim, c->triangle[k]);
    return all;
}

/* Obstacles alone may do what they like: without pins there is nothing to look for. */
static bool has_pins(const prc_sim *sim)
{
    for (int i = 0; i < sim->model.elastic_count; i++)
        if (is_prescribed(sim, i))
            return true;
    return false;
}

prc_result prc_start_set_aside(prc_sim *sim, const double *y, prc_check_result *found, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    if (!has_pins(sim))
        return PRC_OK;
    int left = 0, before = set->exempt.count;
    sim->start.exempt_crossings = 0;
    for (int k = 0; k < found->listed_count; k++) {
        prc_check_result one = {.listed = &found->listed[k], .listed_count = 1};
        if (!crosses_prescribed(sim, &found->listed[k]))
            found->listed[left++] = found->listed[k];
        else if (prc_exempt_crossings(&set->exempt, NULL, &one) < 0)
            return PRC_FAIL_MEMORY(error);
        else
            sim->start.exempt_crossings++;
    }
    found->listed_count = left;
    found->crossings = left;
    const prc_result result = prc_contact_exempt_prescribed(set, y, error);
    sim->start.prescribed_pairs += set->exempt.count - before;
    sim->start.exempt_pairs = set->exempt.count;
    return result;
}
