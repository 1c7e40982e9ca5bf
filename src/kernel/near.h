/* kernel/near.h — whether a pair of primitives is close, in double precision: what the broad phase goes by in the end.
 *
 * A pair has four vertices x; the first side_a of them (1: a point, 2: an edge) are side A, the others side B. What the
 * single-precision filter (filter.h) has not settled is decided here, on the CPU and on a device alike.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_NEAR_H
#define PRC_KERNEL_NEAR_H

#include "kernel/distance.h"
#include "kernel/portable.h"

/* Unlike fmin and fmax these become single instructions; there are no NaNs here. */
PRC_INLINE double prc_near_lower(double a, double b)
{
    return a < b ? a : b;
}

PRC_INLINE double prc_near_higher(double a, double b)
{
    return a > b ? a : b;
}

/* The sum of the largest radii (m) of each side. */
PRC_FUNCTION double prc_near_reach(const double radius[4], int side_a)
{
    double a = 0, b = 0;
    for (int i = 0; i < 4; i++) {
        a = i < side_a ? prc_near_higher(a, radius[i]) : a;
        b = i < side_a ? b : prc_near_higher(b, radius[i]);
    }
    return a + b;
}

/* Whether the distance is below that. */
PRC_FUNCTION int prc_near_closer(const double x[4][3], const double radius[4], int side_a)
{
    return prc_distance_pair(side_a, x).distance < prc_near_reach(radius, side_a);
}

/* Whether the boxes of the two sides, swept by p in the frame that moves with the pair, come within the separation (m).
 * Motion that the pair has in common brings nothing closer; without it boxes of fast cloth would all overlap. */
PRC_FUNCTION int prc_near_swept(const double x[4][3], const double p[4][3], int side_a, double separation)
{
    double square = 0, size = 0;
    for (int c = 0; c < 3; c++) {
        double common = 0, low_a = DBL_MAX, low_b = DBL_MAX, high_a = -DBL_MAX, high_b = -DBL_MAX;
        for (int i = 0; i < 4; i++)
            common += 0.5 * p[i][c] / (i < side_a ? side_a : 4 - side_a);
        for (int i = 0; i < 4; i++) {
            const double from = x[i][c], to = from + (p[i][c] - common);
            const double lower = prc_near_lower(from, to), higher = prc_near_higher(from, to);
            low_a = i < side_a ? prc_near_lower(low_a, lower) : low_a;
            high_a = i < side_a ? prc_near_higher(high_a, higher) : high_a;
            low_b = i < side_a ? low_b : prc_near_lower(low_b, lower);
            high_b = i < side_a ? high_b : prc_near_higher(high_b, higher);
            size = prc_near_higher(size, prc_near_higher(fabs(from), fabs(p[i][c])));
        }
        const double gap = prc_near_higher(0, prc_near_higher(low_a - high_b, low_b - high_a));
        square += gap * gap;
    }
    const double reach = separation * (1 + 1e-12) + 16 * DBL_EPSILON * size;
    return square <= reach * reach;
}

/* Range of the vertex's way along one axis, from a to b, in single precision rounded outwards; `size` bounds all that
 * was added up to get a and b. */
PRC_INLINE void prc_near_range(double a, double b, double size, float *low, float *high)
{
    const double margin = size * (2 * (double)FLT_EPSILON) + (double)FLT_MIN;
    *low = (float)((a < b ? a : b) - margin);
    *high = (float)((a < b ? b : a) + margin);
}

#endif
