/* kernel/small.h — small helpers of contact: numbers, 3-vectors, and the two shares that bound every move.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_SMALL_H
#define PRC_KERNEL_SMALL_H

#include "kernel/portable.h"

#define PRC_PLANE_KEPT 0.9 /* γ: share of the room to a dividing plane that a move may use up */
#define PRC_HARD_SHARE 0.8 /* of the thickness: the distance that is never passed; the rest is the barrier's to use */

/* fmin and fmax are calls; these are not, and nothing here is NaN. */
PRC_INLINE double prc_smaller(double a, double b)
{
    return a < b ? a : b;
}

PRC_INLINE double prc_larger(double a, double b)
{
    return a > b ? a : b;
}

PRC_INLINE double prc_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* a[place] of an array that a GPU has in registers. */
PRC_INLINE double prc_pick4(const double a[4], int place)
{
    return place < 2 ? (place == 0 ? a[0] : a[1]) : place == 2 ? a[2] : a[3];
}

/* Positions lie component by component, `stride` apart. */
PRC_INLINE void prc_take3(const double *x, int stride, int vertex, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = x[(long)c * stride + vertex];
}

#endif
