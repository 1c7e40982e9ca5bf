/* kernel/sdf.h — reading a field of distances: interpolation, and what may be relied upon.
 *
 * Nodes hold distances cut to ± band. The band is no wider than the rim around the mesh, so all nodes of the rim hold
 * exactly +band, and outside of the grid the field goes on as band + distance to the grid: continuous, and a lower
 * bound of the distance to the collider. How fields are made is collider/sdf_build.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_SDF_H
#define PRC_KERNEL_SDF_H

#include <percale/sdf.h>

#include "kernel/portable.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>

struct prc_sdf {
    int nodes[3]; /* along x, y, z; x fastest in `value` */
    double origin[3], cell;
    double middle[3], half_size[3]; /* of the mesh */
    double band;                    /* all nodes of the rim hold it exactly */
    double lipschitz;
    uint64_t key; /* of mesh, resolution and margin */
    float *value; /* distances, cut to ± band, m */
};

PRC_INLINE double prc_sdf_value(const prc_sdf *f, int i, int j, int k)
{
    return (double)f->value[((size_t)k * (size_t)f->nodes[1] + (size_t)j) * (size_t)f->nodes[0] + (size_t)i];
}

/* Trilinear interpolation at a point of the grid. */
PRC_FUNCTION double prc_sdf_interpolate(const prc_sdf *f, const double x[3], double *gradient)
{
    int at[3];
    double t[3], v[2][2][2], yz[2][2], z[2];
    for (int c = 0; c < 3; c++) {
        const double u = (x[c] - f->origin[c]) / f->cell;
        const int last = f->nodes[c] - 2, cell = (int)u;
        at[c] = cell < 0 ? 0 : cell > last ? last : cell;
        t[c] = u - at[c];
    }
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            for (int i = 0; i < 2; i++)
                v[k][j][i] = prc_sdf_value(f, at[0] + i, at[1] + j, at[2] + k);
            yz[k][j] = v[k][j][0] + t[0] * (v[k][j][1] - v[k][j][0]);
        }
    for (int k = 0; k < 2; k++)
        z[k] = yz[k][0] + t[1] * (yz[k][1] - yz[k][0]);
    if (gradient) {
        double dx[2];
        for (int k = 0; k < 2; k++) {
            const double low = v[k][0][1] - v[k][0][0], high = v[k][1][1] - v[k][1][0];
            dx[k] = low + t[1] * (high - low);
        }
        const double dy[2] = {yz[0][1] - yz[0][0], yz[1][1] - yz[1][0]};
        gradient[0] = (dx[0] + t[2] * (dx[1] - dx[0])) / f->cell;
        gradient[1] = (dy[0] + t[2] * (dy[1] - dy[0])) / f->cell;
        gradient[2] = (z[1] - z[0]) / f->cell;
    }
    return z[0] + t[2] * (z[1] - z[0]);
}

/* As prc_sdf_distance, which is for users of the library. */
PRC_FUNCTION double prc_sdf_at(const prc_sdf *f, const double x[3], double *gradient)
{
    double beyond[3], square = 0;
    for (int c = 0; c < 3; c++) {
        const double low = f->origin[c], high = low + f->cell * (f->nodes[c] - 1);
        beyond[c] = x[c] < low ? x[c] - low : x[c] > high ? x[c] - high : 0;
        square += beyond[c] * beyond[c];
    }
    if (!(square > 0))
        return prc_sdf_interpolate(f, x, gradient);
    const double length = sqrt(square);
    for (int c = 0; gradient && c < 3; c++)
        gradient[c] = beyond[c] / length;
    return f->band + length;
}

/* Direction of steepest ascent, smoothed over two cells so that it does not jump from cell to cell: a unit vector. */
PRC_FUNCTION void prc_sdf_normal(const prc_sdf *f, const double x[3], double normal[3])
{
    double at[3] = {x[0], x[1], x[2]}, square = 0;
    for (int c = 0; c < 3; c++) {
        at[c] = x[c] + f->cell;
        const double more = prc_sdf_at(f, at, NULL);
        at[c] = x[c] - f->cell;
        normal[c] = more - prc_sdf_at(f, at, NULL);
        at[c] = x[c];
        square += normal[c] * normal[c];
    }
    const double length = sqrt(square);
    for (int c = 0; c < 3; c++) /* beyond the band any direction serves: nothing acts there but a push at the start */
        normal[c] = length > 0 ? normal[c] / length : c == 1;
}

#endif
