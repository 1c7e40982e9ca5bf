/* percale/ccd.h — continuous collision detection: when two primitives on straight paths come too close.
 *
 * A pair is four points: the point and the three corners of the triangle, or the two ends of one edge and the two of
 * the other. Each moves along a straight line at constant speed, from its start (time 0) to its end (time 1). Lengths
 * are in metres, but any unit will do. Points may coincide, triangles may be flat, edges may be parallel or of zero
 * length.
 *
 * Guarantee: if the result is false, the distance of the two stays above `separation` from time 0 to 1; if it is true,
 * it does from 0 to *time inclusive. Rounding is accounted for: no contact is missed. In return, some near misses are
 * reported as contact: the test keeps a tenth of the initial gap (distance minus separation), so a motion that leaves
 * less counts as contact. So does a pair whose distance exceeds the separation by no more than rounding (24 × 2^-52 ×
 * the size of the pair). The guarantee holds for the exact line between the given numbers; positions computed as start
 * + time·(end − start) have a rounding error of their own.
 *
 * Before C23, compilers may require a cast if an array is not const: (const double (*)[3])start.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_CCD_H
#define PERCALE_CCD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tests whether the point start[0] → end[0] and the triangle of points 1, 2, 3 come as close as `separation` (≥ 0; a
 * negative value counts as 0). *time (may be NULL) receives the time up to which the motion is safe: 1 if the result is
 * false; else less than 1, and 0 only if they are that close at the start, or a number is not finite. */
bool prc_ccd_point_triangle(const double start[4][3], const double end[4][3], double separation, double *time);

/* The same for the edge of points 0, 1 and the edge of points 2, 3. */
bool prc_ccd_edge_edge(const double start[4][3], const double end[4][3], double separation, double *time);

#ifdef __cplusplus
}
#endif

#endif
