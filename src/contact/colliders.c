/* contact/colliders.c — colliders that move: as far as no vertex and no triangle is in the way.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/contact_move.h"

bool prc_contact_move_colliders(prc_contact_set *set, const double *y)
{
    if (set->table)
        return set->table->move_colliders(set, y);
    const prc_contact_view view = prc_contact_see(set);
    bool arrived = true;
    for (int s = 0; s < set->collider_count; s++) {
        prc_collider *collider = &set->colliders[s];
        const double done = set->collider_done[s];
        if (done >= 1)
            continue;
        double share = 1;
        const int asked = prc_collider_rests(collider) ? 0 : set->model->elastic_count;
#pragma omp parallel for schedule(static) num_threads(set->threads) if (asked > 2000) reduction(min : share)
        for (int i = 0; i < asked; i++) {
            double x[3];
            if (prc_exempt_has_collider(&set->exempt, i, s))
                continue;
            prc_take3(y, set->stride, i, x);
            share = prc_smaller(share, prc_collider_share(collider, x, done, PRC_HARD_SHARE * set->half[i]));
        }
        const int faces = prc_collider_rests(collider) || collider->faces == PRC_FACES_NONE ? 0 : view.triangle_count;
#pragma omp parallel for schedule(static) num_threads(set->threads) if (faces > 2000) reduction(min : share)
        for (int t = 0; t < faces; t++)
            share = prc_smaller(share, prc_face_share(&view, view.triangles[t], s, y, done));
        set->collider_done[s] = share;
        collider->now = prc_collider_pose(collider, share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}
