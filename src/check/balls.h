/* check/balls.h — verifies that balls keep their distance from each other, from surfaces and from colliders, with code
 * that the solver does not use.
 *
 * Contact lets balls be squeezed a little: they have the thickness r1 + r2, surfaces of thickness t add t/2, colliders
 * nothing, and PRC_CHECK_HARD_SHARE of that is the distance that is never passed. SPDX-License-Identifier: Apache-2.0
 */
#ifndef PRC_CHECK_BALLS_H
#define PRC_CHECK_BALLS_H

#include "check/collider.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PRC_CHECK_HARD_SHARE 0.8

typedef struct prc_check_balls_options {
    const bool *obstacle;    /* per vertex, or NULL. A pair whose vertices are all obstacles' is left out */
    const double *thickness; /* per vertex, m: of the surface that it is part of, as contact has it; NULL: 0 */
    double share;            /* of the thickness of a pair: what is nearer overlaps */
    double rounding;         /* of the positions and radii, relative: 0 for doubles, 2^-24 where they were floats */
    bool skip_distances;
    int most_listed; /* overlaps that are described; all are counted */
    int threads;     /* 0: one. The result does not depend on it */
} prc_check_balls_options;

/* PRC_CHECK_HARD_SHARE, 10 overlaps listed, no obstacles and thickness, no rounding, distances measured. */
prc_check_balls_options prc_check_balls_options_default(void);

typedef enum prc_check_ball_meets { PRC_CHECK_BALL, PRC_CHECK_SHAPE, PRC_CHECK_COLLIDER } prc_check_ball_meets;

/* A ball and what it is too near to, or nearest to. */
typedef struct prc_check_overlap {
    prc_check_ball_meets with;
    int ball;         /* its vertex */
    int other;        /* the vertex of the other ball, which is the larger one; number of the shape or the collider */
    int vertices[3];  /* of the shape; of the other ball thrice the same */
    double distance;  /* from the centre, m; to the other centre, to the shape, or signed to the collider */
    double thickness; /* of the pair, m: balls that only touch have this distance */
    double depth;     /* share · thickness − distance, m: how much nearer than allowed */
    double point[3];  /* on the other: its centre, or the closest point, m */
} prc_check_overlap;

typedef struct prc_check_balls_result {
    int balls;          /* vertices with a radius */
    long long pairs;    /* that were measured; a ball and a collider always are */
    long long overlaps; /* of them, those nearer than allowed by more than rounding */
    int listed_count;
    prc_check_overlap *listed; /* the deepest first, then in order of balls, kinds and others */
    /* The pair of all that do not overlap whose distance less thickness is smallest. */
    bool nearest_found;
    prc_check_overlap nearest;
} prc_check_balls_result;

/* Tests every ball against every other, against shapes of which it is no vertex, and against colliders. positions: 3
 * per vertex, m. radii: per vertex, m; 0 for what is no ball. shapes: 3 vertices each; one that names a vertex twice is
 * an edge, one that names it three times a point. A pair overlaps if its distance, in doubles, is below share ·
 * thickness by more than rounding reaches: 64 ε of the size of coordinates, thickness and collider, and `rounding` of
 * them. On failure *result is zeroed; else it is released with prc_check_balls_result_release. */
prc_result prc_check_balls(const double *positions, const double *radii, int vertex_count, const int *shapes,
                           int shape_count, const prc_check_collider *colliders, int collider_count,
                           const prc_check_balls_options *options, prc_check_balls_result *result, prc_error *error);
void prc_check_balls_result_release(prc_check_balls_result *result);

#ifdef __cplusplus
}
#endif

#endif
