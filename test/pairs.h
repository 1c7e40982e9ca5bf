/* test/pairs.h — pairs of primitives for tests of distances and collisions, the same in every run: from ordinary to as
 * degenerate as they come. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_PAIRS_H
#define PRC_TEST_PAIRS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* C before C23 does not let an array of arrays become one of const numbers by itself. */
#define POINTS(x) ((const double(*)[3])(x))

/* splitmix64; 0 ≤ number < 1. */
static double pair_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A power of ten between 10^−16 and 1. */
static double pair_small(uint64_t *state)
{
    return pow(10, -16 * pair_random(state));
}

enum pair_family {
    PAIR_RANDOM,
    PAIR_LATTICE, /* corners of a 3 × 3 × 3 lattice: coincident, collinear, coplanar, parallel, touching */
    PAIR_NEAR,    /* sides that nearly touch at a random place, or within an edge, or at a corner */
    PAIR_SLIVER,  /* a triangle that is nearly a line, or nearly parallel edges */
    PAIR_NEAR_SLIVER,
    PAIR_SHORT, /* an edge much shorter than the rest */
    PAIR_FAMILIES
};

static inline void pair_near(uint64_t *state, int side_a, double x[4][3])
{
    double s = pair_random(state), t = pair_random(state);
    const double corner = pair_random(state);
    if (corner < 0.3)
        s = floor(2 * s);
    if (corner > 0.1 && corner < 0.5)
        t = floor(2 * t);
    const double size = pair_small(state), shift = corner > 0.9 ? pair_small(state) : 0;
    for (int i = 0; i < 3; i++) {
        const double noise = size * (pair_random(state) - 0.5);
        if (side_a == 1) {
            x[0][i] = x[1][i] + (1 - t) * s * (x[2][i] - x[1][i]) + (t + shift) * (x[3][i] - x[1][i]) + noise;
        } else {
            const double to = x[2][i] + (t + shift) * (x[3][i] - x[2][i]) + noise - x[0][i] - s * (x[1][i] - x[0][i]);
            x[0][i] += to;
            x[1][i] += to;
        }
    }
}

static inline void pair_sliver(uint64_t *state, int side_a, double x[4][3])
{
    const double size = pair_small(state), s = 3 * pair_random(state) - 1;
    for (int i = 0; i < 3; i++) {
        const double noise = size * (pair_random(state) - 0.5);
        if (side_a == 1)
            x[3][i] = x[1][i] + s * (x[2][i] - x[1][i]) + noise;
        else
            x[3][i] = x[2][i] + s * (x[1][i] - x[0][i]) + noise;
    }
}

static inline void pair_make(uint64_t *state, enum pair_family family, int side_a, double scale, double x[4][3])
{
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] = family == PAIR_LATTICE ? floor(3 * pair_random(state)) : pair_random(state) - 0.5;
    if (family == PAIR_SLIVER || family == PAIR_NEAR_SLIVER)
        pair_sliver(state, side_a, x);
    if (family == PAIR_SHORT) {
        const double size = pair_small(state);
        const int k = 2 + (int)(2 * pair_random(state));
        for (int i = 0; i < 3; i++)
            x[k][i] = x[k - 1][i] + size * (pair_random(state) - 0.5);
    }
    if (family == PAIR_NEAR || family == PAIR_NEAR_SLIVER)
        pair_near(state, side_a, x);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 3; i++)
            x[k][i] *= scale;
}

/* The largest distance from the last point. */
static inline double pair_size(const double x[4][3])
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, sqrt(pow(x[k][0] - x[3][0], 2) + pow(x[k][1] - x[3][1], 2) + pow(x[k][2] - x[3][2], 2)));
    return size;
}

static inline void pair_print(const double x[4][3])
{
    for (int k = 0; k < 4; k++)
        printf("      %.17g %.17g %.17g\n", x[k][0], x[k][1], x[k][2]);
}

#endif
