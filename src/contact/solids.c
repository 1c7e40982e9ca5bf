/* contact/solids.c — solids that move: as far as no vertex and no triangle is in the way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/contact_move.h"

bool prc_contact_move_solids(prc_contact_set *set, const double *y)
{
    if (set->table)
        return set->table->move_solids(set, y);
    const prc_contact_view view = prc_contact_see(set);
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
        const int faces = prc_solid_rests(solid) || solid->faces == PRC_FACES_NONE ? 0 : view.triangle_count;
#pragma omp parallel for schedule(static) num_threads(set->threads) if (faces > 2000) reduction(min : share)
        for (int t = 0; t < faces; t++)
            share = prc_smaller(share, prc_face_share(&view, view.triangles[t], s, y, done));
        set->solid_done[s] = share;
        solid->now = prc_solid_pose(solid, share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}
