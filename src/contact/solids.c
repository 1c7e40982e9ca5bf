/* contact/solids.c — solids that move: as far as no vertex is in the way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/small.h"

bool prc_contact_move_solids(prc_contact_set *set, const double *y)
{
    if (set->table)
        return set->table->move_solids(set, y);
    bool arrived = true;
    for (int s = 0; s < set->solid_count; s++) {
        prc_solid *solid = &set->solids[s];
        const double done = set->solid_done[s];
        if (done >= 1)
            continue;
        double share = 1;
        const int asked = prc_solid_rests(solid) ? 0 : set->model->elastic_count;
#pragma omp parallel for schedule(static) num_threads(set->threads) if (asked > 2000) reduction(min : share)
        for (int i = 0; i < asked; i++) {
            double x[3];
            if (prc_exempt_has_solid(&set->exempt, i, s))
                continue;
            prc_take3(y, set->stride, i, x);
            share = prc_smaller(share, prc_solid_share(solid, x, done, PRC_HARD_SHARE * set->half[i]));
        }
        set->solid_done[s] = share;
        solid->now = prc_solid_pose(solid, share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}
