/* collider/sdf.c — reading a field of distances: interpolation, and what may be relied upon.
 *
 * Nodes hold distances cut to ± band. The band is no wider than the rim around the mesh, so all nodes of the rim hold
 * exactly +band, and outside of the grid the field goes on as band + distance to the grid: continuous, and a lower
 * bound of the distance to the solid.
 *
 * Inside a cell the trilinear interpolant has a gradient whose components are affine along each axis, hence a length
 * that is convex along each axis and largest at a corner. There it consists of the differences along the three edges.
 * So the largest such length over all cells with a point that is not inside the solid bounds the growth of the field
 * exactly, and phi / lipschitz is a way that is free in every direction. Cells wholly inside, where distances have
 * ridges, do not count: a way that starts outside meets phi = 0 before it gets there.
 * SPDX-License-Identifier: Apache-2.0 */
#include "collider/sdf.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

size_t prc_sdf_node_count(const prc_sdf *f)
{
    return (size_t)f->nodes[0] * (size_t)f->nodes[1] * (size_t)f->nodes[2];
}

static double value_at(const prc_sdf *f, int i, int j, int k)
{
    return (double)f->value[((size_t)k * (size_t)f->nodes[1] + (size_t)j) * (size_t)f->nodes[0] + (size_t)i];
}

/* Trilinear interpolation at a point of the grid. */
static double interpolate(const prc_sdf *f, const double x[3], double gradient[3])
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
                v[k][j][i] = value_at(f, at[0] + i, at[1] + j, at[2] + k);
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

double prc_sdf_distance(const prc_sdf *f, const double x[3], double gradient[3])
{
    double beyond[3], square = 0;
    for (int c = 0; c < 3; c++) {
        const double low = f->origin[c], high = low + f->cell * (f->nodes[c] - 1);
        beyond[c] = x[c] < low ? x[c] - low : x[c] > high ? x[c] - high : 0;
        square += beyond[c] * beyond[c];
    }
    if (!(square > 0))
        return interpolate(f, x, gradient);
    const double length = sqrt(square);
    for (int c = 0; gradient && c < 3; c++)
        gradient[c] = beyond[c] / length;
    return f->band + length;
}

void prc_sdf_normal(const prc_sdf *f, const double x[3], double normal[3])
{
    double at[3] = {x[0], x[1], x[2]}, square = 0;
    for (int c = 0; c < 3; c++) {
        at[c] = x[c] + f->cell;
        const double more = prc_sdf_distance(f, at, NULL);
        at[c] = x[c] - f->cell;
        normal[c] = more - prc_sdf_distance(f, at, NULL);
        at[c] = x[c];
        square += normal[c] * normal[c];
    }
    const double length = sqrt(square);
    for (int c = 0; c < 3; c++) /* beyond the band any direction serves: nothing acts there */
        normal[c] = length > 0 ? normal[c] / length : c == 1;
}

/* Largest squared length of the gradient at the corners of a cell, in cells; 0 where all of it is inside. */
static double steepest(const prc_sdf *f, int i, int j, int k)
{
    double v[2][2][2], high = -INFINITY, most = 0;
    for (int n = 0; n < 8; n++) {
        const double value = value_at(f, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
        v[n >> 2][n >> 1 & 1][n & 1] = value;
        high = fmax(high, value);
    }
    if (high < 0)
        return 0;
    for (int n = 0; n < 8; n++) {
        const int a = n & 1, b = n >> 1 & 1, c = n >> 2;
        const double d[3] = {v[c][b][1] - v[c][b][0], v[c][1][a] - v[c][0][a], v[1][b][a] - v[0][b][a]};
        most = fmax(most, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
    return most;
}

void prc_sdf_measure(prc_sdf *f)
{
    double most = 0;
    for (int k = 0; k + 1 < f->nodes[2]; k++)
        for (int j = 0; j + 1 < f->nodes[1]; j++)
            for (int i = 0; i + 1 < f->nodes[0]; i++)
                most = fmax(most, steepest(f, i, j, k));
    f->lipschitz = fmax(1, sqrt(most) / f->cell) * (1 + 1e-9); /* 1 outside of the grid; the rest is rounding */
}

double prc_sdf_band(const prc_sdf *f)
{
    return f->band;
}

double prc_sdf_lipschitz(const prc_sdf *f)
{
    return f->lipschitz;
}

double prc_sdf_margin(const prc_sim_def *def)
{
    double thickness = def->contact.thickness;
    for (int b = 0; b < def->body_count; b++)
        thickness = def->bodies[b].contact_thickness > thickness ? def->bodies[b].contact_thickness : thickness;
    return 4 * (thickness + (def->contact.d_hat > 0 ? def->contact.d_hat : thickness / 3));
}

uint64_t prc_sdf_hash(uint64_t hash, const void *data, size_t size)
{
    const char *bytes = data;
    for (size_t i = 0; i + sizeof(uint32_t) <= size; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

uint64_t prc_sdf_key(const prc_mesh *mesh, int resolution, double margin)
{
    const int counts[3] = {mesh->vertex_count, mesh->triangle_count, resolution};
    uint64_t key = prc_sdf_hash(PRC_SDF_HASH, counts, sizeof counts);
    key = prc_sdf_hash(key, &margin, sizeof margin);
    key = prc_sdf_hash(key, mesh->positions, sizeof(double) * 3 * (size_t)mesh->vertex_count);
    return prc_sdf_hash(key, mesh->triangles, sizeof(int) * 3 * (size_t)mesh->triangle_count);
}

prc_sdf *prc_sdf_copy(const prc_sdf *from, prc_error *error)
{
    prc_sdf *f = PRC_NEW(prc_sdf, 1);
    if (f) {
        *f = *from;
        f->value = PRC_NEW(float, prc_sdf_node_count(from));
    }
    if (!f || !f->value) {
        prc_sdf_destroy(f);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    memcpy(f->value, from->value, sizeof(float) * prc_sdf_node_count(from));
    return f;
}

void prc_sdf_destroy(prc_sdf *f)
{
    if (!f)
        return;
    prc_free(f->value);
    prc_free(f);
}
