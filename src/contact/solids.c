/* contact/solids.c — vertices and solids: how far either may go without touching the other.
 *
 * Both ways are traced alike: at distance phi from a solid whose distance grows by at most L per way, (phi − xi) / L is
 * free in every direction; go a part of that, measure again, add up. This asks nothing of the shape, and what a trace
 * has passed is safe whatever any other vertex does. A trace ends where less than a part of the first gap is left, so a
 * gap never closes; and it does not go below a small part of the thickness, from where the way out is still found in a
 * few steps. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/small.h"

#include <float.h>
#include <math.h>

#define MOST_STEPS 64
#define FLOOR 1e-6 /* in thicknesses */

/* The gap at which a trace ends: a little less than a straight approach leaves after its first part, which would
 * otherwise be refused by rounding. */
static double kept(double first, double xi)
{
    return prc_larger(0.99 * (1 - PRC_PLANE_KEPT) * first, prc_smaller(first, FLOOR * xi));
}

static double rounding_at(const double x[3], const prc_pose *pose)
{
    double extent = 0;
    for (int c = 0; c < 3; c++)
        extent = prc_larger(extent, prc_larger(fabs(x[c]), fabs(pose->shift[c])));
    return 32 * DBL_EPSILON * extent;
}

double prc_solid_time(const prc_solid *solid, const double from[3], const double to[3], double xi)
{
    const bool convex = prc_shape_is_convex(&solid->shape);
    double normal[3] = {0, 0, 0}, *n = convex ? normal : NULL,
           p[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    const double steepness = prc_shape_lipschitz(&solid->shape), way = steepness * sqrt(prc_dot3(p, p));
    const double floor = xi + rounding_at(from, &solid->now), first = prc_solid_distance(solid, from, n) - floor;
    if (way == 0 || PRC_PLANE_KEPT * first > way)
        return 1;
    if (convex && prc_dot3(normal, p) >= 0) /* its distance is convex */
        return 1;
    if (first <= 0)
        return 0;
    double t = 0, gap = first;
    const double last = kept(first, xi);
    for (int k = 0; k < MOST_STEPS; k++) {
        const double next = t + PRC_PLANE_KEPT * gap / way;
        if (next >= 1)
            return 1;
        const double at[3] = {from[0] + next * p[0], from[1] + next * p[1], from[2] + next * p[2]};
        gap = prc_solid_distance(solid, at, n) - floor;
        if (gap < last)
            return t;
        if (convex && prc_dot3(normal, p) >= 0)
            return 1;
        t = next;
    }
    return t;
}

/* Share of the step up to which the solid may go, from share `done`, without coming closer than `xi` to x. */
static double share_for(const prc_solid *solid, const double x[3], double done, double xi)
{
    const double steepness = prc_shape_lipschitz(&solid->shape), floor = xi + rounding_at(x, &solid->now);
    prc_pose pose = solid->now;
    const bool straight = prc_shape_is_convex(&solid->shape) && prc_dot3(solid->spin, solid->spin) == 0;
    double n[3], t = done, gap = prc_solid_distance_in(solid, &pose, x, straight ? n : NULL) - floor;
    const double last = kept(gap, xi);
    if (straight && prc_dot3(solid->move, n) <= 0)
        return 1; /* straight away from x */
    for (int k = 0; k < MOST_STEPS; k++) {
        const double speed = steepness * prc_solid_speed(solid, &pose, x, 1 - t, 0);
        if (speed == 0 || PRC_PLANE_KEPT * gap >= speed * (1 - t))
            return 1;
        if (gap <= 0)
            return t;
        const double next = t + PRC_PLANE_KEPT * gap / speed;
        pose = prc_solid_pose(solid, next);
        gap = prc_solid_distance_in(solid, &pose, x, NULL) - floor;
        if (gap < last)
            return t;
        t = next;
    }
    return t;
}

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
#pragma omp parallel for schedule(static) num_threads(set->threads) if (set->model->elastic_count > 2000)              \
    reduction(min                                                                                                      \
              : share)
        for (int i = 0; i < set->model->elastic_count; i++) {
            double x[3];
            if (prc_exempt_has_solid(&set->exempt, i, s))
                continue;
            prc_take3(y, set->stride, i, x);
            share = prc_smaller(share, share_for(solid, x, done, PRC_HARD_SHARE * set->half[i]));
        }
        set->solid_done[s] = share;
        solid->now = prc_solid_pose(solid, share);
        arrived = arrived && share >= 1;
    }
    return arrived;
}
