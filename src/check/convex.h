/* check/convex.h — a triangle against a convex collider, for the checker alone.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_CONVEX_H
#define PRC_CHECK_CONVEX_H

#include "check/collider.h"
#include "check/tree.h"

/* Signed distance (m, negative inside) of a point of the own frame, and a subgradient of it there: it is convex. */
double prc_check_collider_distance(const prc_check_collider *s, const double q[3], double gradient[3]);
/* The largest n·q over the collider; of a plane INFINITY unless n is its own normal. */
double prc_check_collider_support(const prc_check_collider *s, const double n[3]);
/* Half the sizes of a box about the origin that holds the collider; of a plane INFINITY. */
void prc_check_collider_half_box(const prc_check_collider *s, double half[3]);

typedef enum prc_check_verdict { PRC_CHECK_APART, PRC_CHECK_MEETS, PRC_CHECK_UNDECIDED } prc_check_verdict;

typedef struct prc_check_judgement {
    prc_check_verdict verdict;
    double least;    /* the smallest signed distance found, m */
    double point[3]; /* where, in the own frame */
} prc_check_judgement;

/* Judges a triangle of the own frame, which may be degenerate. error: what rounding may amount to, m. A distance is
 * searched for only where it may be below `reach`. */
prc_check_judgement prc_check_convex(const prc_check_collider *s, const double corner[3][3], double error,
                                     double reach);

#endif
