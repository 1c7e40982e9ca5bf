/* kernel/air.h — how the air moves: wind, and gusts, a smooth random field of time and place. docs/theory.md,
 * section 11.4.
 *
 * Value noise: random numbers at the points of a lattice in time (and space), and between them their mean with smooth
 * weights w, divided by sqrt(Σ w²). That makes the variance the same everywhere, not only on the lattice, so that the
 * strength is the rms of each component in time as in space. The numbers are hashes of the lattice point, in whole
 * numbers: every machine has the same wind, and any time and place can be asked for without a history. In space the
 * lattice travels with the mean wind (frozen turbulence, Taylor 1938). Several scales at once, as real wind has, are
 * left out. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_AIR_H
#define PRC_KERNEL_AIR_H

#include <percale/sim.h>

#include "kernel/portable.h"

#include <math.h>
#include <stdint.h>

#define PRC_GUST_FARTHEST 1e15 /* lattice points: beyond, neighbours could not be told apart */

/* The finaliser of splitmix64: every bit of the result depends on every bit of h. */
PRC_FUNCTION uint64_t prc_gust_mix(uint64_t h)
{
    h ^= h >> 30;
    h *= 0xbf58476d1ce4e5b9u;
    h ^= h >> 27;
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 31;
}

/* Even between −sqrt(3) and sqrt(3): mean 0, variance 1. */
PRC_FUNCTION double prc_gust_number(uint64_t h)
{
    return ((double)(h >> 11) * 0x1p-52 - 1) * 1.7320508075688772;
}

/* Rises from 0 to 1 with two continuous derivatives. */
PRC_FUNCTION double prc_gust_smooth(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

/* Velocity of the gusts alone at a place and time, m/s. */
PRC_FUNCTION void prc_gust_at(const prc_air_def *air, const double x[3], double time, double velocity[3])
{
    const prc_gust_def *gust = &air->gusts;
    const int axes = gust->length > 0 ? 4 : 1;
    int64_t cell[4];
    double share[4], sum[3] = {0, 0, 0}, squares = 0;
    velocity[0] = velocity[1] = velocity[2] = 0;
    if (!(gust->strength > 0))
        return;
    for (int a = 0; a < axes; a++) {
        const double at = a == 0 ? time / gust->period : (x[a - 1] - air->wind[a - 1] * time) / gust->length;
        if (!(fabs(at) < PRC_GUST_FARTHEST))
            return;
        cell[a] = (int64_t)floor(at);
        share[a] = prc_gust_smooth(at - floor(at));
    }
    for (int corner = 0; corner < 1 << axes; corner++) {
        uint64_t h = prc_gust_mix((uint64_t)gust->seed + 0x9e3779b97f4a7c15u);
        double weight = 1;
        for (int a = 0; a < axes; a++) {
            const int next = corner >> a & 1;
            weight *= next ? share[a] : 1 - share[a];
            h = prc_gust_mix(h + (uint64_t)(cell[a] + next) * 0x9e3779b97f4a7c15u);
        }
        for (int c = 0; c < 3; c++)
            sum[c] += weight * prc_gust_number(prc_gust_mix(h + (uint64_t)c));
        squares += weight * weight;
    }
    for (int c = 0; c < 3; c++)
        velocity[c] = gust->strength * sum[c] / sqrt(squares);
}

/* As prc_air_velocity, which is for users of the library. */
PRC_FUNCTION void prc_air_flow(const prc_air_def *air, const double x[3], double time, double velocity[3])
{
    prc_gust_at(air, x, time, velocity);
    for (int c = 0; c < 3; c++)
        velocity[c] += air->wind[c];
}

#endif
