/* kernel/barrier.h — the contact law: a barrier in the gap, and smoothed Coulomb friction.
 *
 * Barrier b(g) = −(g − d)² ln(g/d) for 0 < g < d = d_hat (incremental potential contact), continued as a parabola below
 * a fiftieth of d_hat, so that it stays finite: the dividing planes, not the barrier, keep surfaces apart. Friction is
 * Coulomb's law with the corner at rest rounded off over a slip of eps = eps_v h, lagged in the normal force.
 * docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_BARRIER_H
#define PRC_KERNEL_BARRIER_H

#include "kernel/portable.h"

#include <math.h>

#define PRC_BARRIER_FLOOR 0.02
#define PRC_BARRIER_LEAST 1e-30 /* m: a range below it is none, so that no square underflows */

typedef struct prc_barrier {
    double energy, slope, curvature; /* per stiffness: m², m, 1 */
} prc_barrier;

/* The barrier, continued as a parabola below `share` of d_hat. */
PRC_FUNCTION prc_barrier prc_barrier_from(double gap, double d_hat, double share)
{
    prc_barrier b = {0, 0, 0};
    if (!(gap < d_hat) || !(d_hat >= PRC_BARRIER_LEAST))
        return b;
    const double floor = share * d_hat, g = gap < floor ? floor : gap, q = g - d_hat, l = log(g / d_hat);
    b.energy = -q * q * l;
    b.slope = -2 * q * l - q * q / g;
    b.curvature = -2 * l - 4 * q / g + q * q / (g * g);
    if (gap < floor) {
        const double t = gap - floor;
        b.energy += b.slope * t + 0.5 * b.curvature * t * t;
        b.slope += b.curvature * t;
    }
    return b;
}

PRC_INLINE prc_barrier prc_barrier_at(double gap, double d_hat)
{
    return prc_barrier_from(gap, d_hat, PRC_BARRIER_FLOOR);
}

/* Friction per normal force for a slip of length u: potential, slope/u, and derivative of the slope. */
typedef struct prc_friction {
    double potential, secant, tangent;
} prc_friction;

PRC_FUNCTION prc_friction prc_friction_at(double u, double eps)
{
    prc_friction f;
    if (u >= eps) {
        f.potential = u;
        f.secant = 1 / u;
        f.tangent = 0;
    } else {
        f.potential = u * u / eps - u * u * u / (3 * eps * eps) + eps / 3;
        f.secant = (2 - u / eps) / eps;
        f.tangent = 2 / eps - 2 * u / (eps * eps);
    }
    return f;
}

#endif
