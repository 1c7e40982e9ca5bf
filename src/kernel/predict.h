/* kernel/predict.h — the verified prediction of a step, one vertex at a time: where it is to go, and how far colliders
 * let it. Pairs are kernel/contact_move.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_PREDICT_H
#define PRC_KERNEL_PREDICT_H

#include "kernel/contact.h"

#define PRC_PREDICT_GENTLE                                                                                             \
    3 /* rounds in which failing vertices keep their time of impact; then nothing of their own way */
#define PRC_PREDICT_ROUNDS 16 /* of the same pairs, at most */
#define PRC_PREDICT_MOST 12   /* searches for pairs; then nothing moves */

/* The part of its way from x that colliders leave to vertex i. */
PRC_FUNCTION double prc_predict_colliders_on(const prc_contact_view *view, int i, const double *x, const double way[3])
{
    double from[3], to[3], time = 1;
    if (i >= view->elastic_count)
        return time;
    prc_take3(x, view->stride, i, from);
    for (int c = 0; c < 3; c++)
        to[c] = from[c] + way[c];
    for (int s = 0; s < view->collider_count; s++)
        if (!prc_shape_is_shell(&view->colliders[s].shape) && !prc_exempt_view_has_collider(&view->exempt, i, s))
            time = prc_smaller(time, prc_collider_time(&view->colliders[s], from, to, view->half[i]));
    return time;
}

/* The same of the way p[i]. */
PRC_FUNCTION double prc_predict_colliders(const prc_contact_view *view, int i, const double *x, const double *p)
{
    double way[3];
    prc_take3(p, view->stride, i, way);
    return prc_predict_colliders_on(view, i, x, way);
}

/* Where the part `time` of its way, or that of its obstacle, takes vertex i, and its displacement as rounded. */
PRC_FUNCTION void prc_predict_place(const prc_contact_view *view, int i, const double *x, const double *p, double time,
                                    double *out, double *sweep)
{
    const bool placed = prc_rigid_place(view, i, x, out);
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * view->stride + i;
        out[k] = placed ? out[k] : x[k] + time * p[k];
        sweep[k] = out[k] - x[k];
    }
}

/* Before the pairs of a search are asked: which vertices are on another way than those of the search before knew. */
PRC_INLINE void prc_predict_begin(const prc_contact_view *view, int i, bool first)
{
    view->marked[i] = first || view->held[i];
    view->held[i] = 0;
}

/* Whether a pair has to be asked: it passed when all its vertices were on the ways that they are on now, or it was too
 * far away from the beginning. */
PRC_INLINE bool prc_predict_is_new(const prc_contact_view *view, const int v[4])
{
    return view->marked[v[0]] || view->marked[v[1]] || view->marked[v[2]] || view->marked[v[3]];
}

#endif
