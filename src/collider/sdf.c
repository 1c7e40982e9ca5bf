/* collider/sdf.c — see sdf.h: bounds that hold when a field is sampled.
 *
 * Inside a cell the trilinear interpolant has a gradient whose components are affine along each axis, hence a length
 * that is convex along each axis and largest at a corner. There it consists of the differences along the three edges.
 * So the largest such length over all cells with a point that is not inside the collider bounds the growth of the field
 * exactly, and a path of length phi / lipschitz is free in every direction. Cells wholly inside, where distances have
 * ridges, do not count: a path that starts outside reaches phi = 0 before it gets there.
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

double prc_sdf_distance(const prc_sdf *f, const double x[3], double gradient[3])
{
    return prc_sdf_at(f, x, gradient);
}

/* Largest squared length of the gradient at the corners of a cell, in cells; 0 where all of it is inside. */
static double steepest(const prc_sdf *f, int i, int j, int k)
{
    double v[2][2][2], high = -INFINITY, most = 0;
    for (int n = 0; n < 8; n++) {
        const double value = prc_sdf_value(f, i + (n & 1), j + (n >> 1 & 1), k + (n >> 2));
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

double prc_sdf_margin(const prc_sim_def *def, double longest_side)
{
    double thickness = def->contact.thickness;
    for (int b = 0; b < def->body_count; b++)
        thickness = def->bodies[b].contact_thickness > thickness ? def->bodies[b].contact_thickness : thickness;
    return fmin(4 * (thickness + (def->contact.d_hat > 0 ? def->contact.d_hat : thickness / 3)), longest_side / 2);
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
