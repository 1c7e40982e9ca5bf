/* percale/ccd.h — when two primitives that move along straight lines come too close.
 *
 * A pair is four points: the point and the three corners of the triangle, or the two ends of one edge and the two of
 * the other. Each moves straight from its start (time 0) to its end (time 1), all at the same pace. Lengths are in
 * metres, but any unit will do. Points may coincide, triangles be flat, edges parallel or of no length.
 *
 * Guarantee: where the answer is no, the distance of the two stays above `separation` from time 0 to 1; where it is
 * yes, it does from 0 to *time inclusive. Rounding is accounted for: no contact is missed. The price is that some
 * answers are yes where the two only come near: a tenth of the gap at the start (distance less separation) is kept on
 * the way, so a motion that leaves less of it counts as contact, as does a pair that is not farther apart than the
 * separation by more than rounding (24 × 2^-52 × the size of the pair). The guarantee is about the exact line between
 * the given numbers: positions rounded after start + time·(end − start) are off by their own rounding.
 *
 * In C before C23 compilers may ask for a cast where an array is not const: (const double (*)[3])start.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_CCD_H
#define PERCALE_CCD_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the point start[0] → end[0] and the triangle of points 1, 2, 3 come as close as `separation` (≥ 0; a negative
 * one counts as 0). *time (may be NULL) receives the time up to which the motion is safe: 1 if the answer is no; else
 * less than 1, and 0 only if they are that close at the start, or a number is not finite. */
bool prc_ccd_point_triangle(const double start[4][3], const double end[4][3], double separation, double *time);

/* The same for the edge of points 0, 1 and the edge of points 2, 3. */
bool prc_ccd_edge_edge(const double start[4][3], const double end[4][3], double separation, double *time);

#ifdef __cplusplus
}
#endif

#endif
