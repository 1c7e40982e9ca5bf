/* check/predicates.h — orientation and intersection, decided without rounding.
 *
 * Every answer here is that of exact arithmetic on the given doubles. For that, coordinates must be multiples of 2^-340
 * (every double of magnitude at least 2^-287 is, and zero) and below 2^300, so that no product of three of them under-
 * or overflows; prc_check_surfaces ensures this.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_PREDICATES_H
#define PRC_CHECK_PREDICATES_H

#include <stdbool.h>

/* Sign (−1, 0, 1) of (a − d)·((b − d) × (c − d)): 0 exactly where the four points lie in a plane. */
int prc_exact_orient3d(const double *a, const double *b, const double *c, const double *d);

/* Sign of the area of a b c, seen along coordinate axis 0, 1 or 2. The arguments are points in space. */
int prc_exact_orient2d(const double *a, const double *b, const double *c, int axis);

/* Whether the three points lie on a line, or in a point. */
bool prc_exact_collinear(const double *a, const double *b, const double *c);

/* Whether the closed edges p q and a b have a point in common. */
bool prc_exact_edge_meets_edge(const double *p, const double *q, const double *a, const double *b);

/* Whether the closed edge p q and the closed triangle a b c have a point in common: touching counts. Either may be
 * degenerate; it is then the edge or point that is left of it. */
bool prc_exact_edge_meets_triangle(const double *p, const double *q, const double *a, const double *b, const double *c);

#endif
