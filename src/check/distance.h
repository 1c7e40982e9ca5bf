/* check/distance.h — distances of primitives in double, for the checker alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_DISTANCE_H
#define PRC_CHECK_DISTANCE_H

/* Each returns the squared distance (m²) and the two points that have it, on the first and on the second primitive.
 * The points lie on the primitives up to rounding, so the answer is never below the true distance by more than that,
 * however thin the triangle or parallel the edges. Degenerate primitives are the edge or point that is left. */
double prc_check_distance_point_triangle(const double *p, const double *a, const double *b, const double *c,
                                         double on_first[3], double on_second[3]);
double prc_check_distance_edge_edge(const double *p, const double *q, const double *a, const double *b,
                                    double on_first[3], double on_second[3]);

#endif
