/* kernel/cell.h — a volume under pressure: dV/dx of a vertex, and pressure and energy of a volume. docs/theory.md,
 * section 11.3.
 *
 * V = (1/6) Σ a·(b × c) over the triangles of a closed surface, and dV/dx_i = (1/6) Σ (b − a) × (c − a) over those
 * around i: a third of their area vectors. V is of third order in the positions, hence V = (1/3) Σ (x_i − o)·dV/dx_i,
 * with any o; a vertex near the body keeps rounding small. Below a hundredth of the reference volume a gas goes on
 * linearly, so that a trial step that turns a body inside out still has finite forces.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CELL_H
#define PRC_KERNEL_CELL_H

#include "kernel/portable.h"
#include "kernel/small.h"

#include <math.h>

#define PRC_CELL_SMALLEST 0.01 /* of the reference volume: a gas is linear below */

/* What a cell holds in the step in progress: p = content V^−exponent − outside for a gas, else content − outside. */
typedef struct prc_cell_law {
    int is_gas;
    double exponent;
    double volume, start_volume; /* of reference, and at time 0, m³ */
    double outside, content;     /* Pa, and Pa m^(3 exponent) for a gas */
} prc_cell_law;

PRC_INLINE double prc_cell_power(double base, double exponent)
{
    return exponent == 1 ? base : pow(base, exponent);
}

/* −∫ p dV of the gas law from nowhere in particular. */
PRC_FUNCTION double prc_cell_gas_energy(const prc_cell_law *law, double volume)
{
    const double g = law->exponent;
    return law->outside * volume + (g == 1 ? -law->content * log(volume) : law->content * pow(volume, 1 - g) / (g - 1));
}

/* Pressure (Pa), and energy against that at time 0's volume (J). */
PRC_FUNCTION double prc_cell_pressure_at(const prc_cell_law *law, double volume, double *energy, double *stiffness)
{
    *stiffness = 0;
    if (!law->is_gas || law->content == 0) {
        *energy = -law->content * (volume - law->start_volume);
        return law->content - law->outside;
    }
    const double least = PRC_CELL_SMALLEST * prc_smaller(law->volume, law->start_volume);
    const double at = prc_larger(volume, least), beyond = volume - at; /* ≤ 0 */
    const double inside = law->content / prc_cell_power(at, law->exponent), slope = law->exponent * inside / at;
    const double pressure = inside - law->outside;
    *stiffness = slope;
    *energy = prc_cell_gas_energy(law, at) - prc_cell_gas_energy(law, law->start_volume) - pressure * beyond +
              0.5 * slope * beyond * beyond;
    return pressure - slope * beyond;
}

/* dV/dx of vertex i of a cell, whose vertices stand at y: its fan is entries 3 triangle + corner. */
PRC_INLINE void prc_cell_slope(const int *triangles, const int *fan_start, const int *fan, const double *y, int i,
                               double slope[3])
{
    const double *a = y + 3L * i;
    slope[0] = slope[1] = slope[2] = 0;
    for (int f = fan_start[i]; f < fan_start[i + 1]; f++) {
        const int *t = triangles + fan[f] / 3 * 3, corner = fan[f] % 3;
        const double *b = y + 3L * t[(corner + 1) % 3], *c = y + 3L * t[(corner + 2) % 3];
        const double p[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, q[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        for (int k = 0; k < 3; k++) {
            const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            slope[k] += (p[k1] * q[k2] - p[k2] * q[k1]) / 6;
        }
    }
}

#endif
