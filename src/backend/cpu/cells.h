/* backend/cpu/cells.h — pressure inside volumes on the CPU: part of cpu.c. A cell couples all its vertices by one
 * number, its volume: products are sums over it in a fixed order, then every vertex takes its share. Cells follow each
 * other, so that a vertex may belong to several. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_CELLS_H
#define PRC_CPU_CELLS_H

/* out += factor × slope on the free vertices of cell c. */
static void cell_add(const prc_view *v, const prc_cells *cells, int c, double factor, prc_real *out)
{
    const prc_real *free = v->field[PRC_FIELD_free];
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(cells->start[c + 1] - cells->start[c])
    for (int e = cells->start[c]; e < cells->start[c + 1]; e++) {
        const int i = cells->vertex[e];
        for (int k = 0; k < 3; k++)
            out[k * n + i] += (prc_real)(factor * cells->slope[e][k] * (double)free[i]);
    }
}

static void cell_gradient(const prc_view *v, const prc_cells *cells, void *gradient)
{
    for (int c = 0; c < cells->count; c++)
        cell_add(v, cells, c, cells->force[c], gradient);
}

static double cell_chunk(const prc_view *v, const prc_cells *cells, const prc_real *in, int first, int end)
{
    const long n = v->padded_count;
    double sum = 0;
    for (int e = first; e < end; e++) {
        const int i = cells->vertex[e];
        const double *s = cells->slope[e];
        sum += s[0] * (double)in[i] + s[1] * (double)in[n + i] + s[2] * (double)in[2 * n + i];
    }
    return sum;
}

/* Σ slope · in over a cell. */
static double cell_dot(const prc_view *v, const prc_cells *cells, int c, const prc_real *in)
{
    const int first = cells->start[c], past = cells->start[c + 1], chunks = (past - first + CHUNK - 1) / CHUNK;
    double total = 0;
    for (int start = 0; start < chunks; start += CHUNKS_AT_ONCE) {
        double sums[CHUNKS_AT_ONCE];
        const int count = chunks - start < CHUNKS_AT_ONCE ? chunks - start : CHUNKS_AT_ONCE;
#pragma omp parallel for schedule(static) THREADS((past - first) / 4)
        for (int k = 0; k < count; k++) {
            const int from = first + (start + k) * CHUNK;
            sums[k] = cell_chunk(v, cells, in, from, from + CHUNK < past ? from + CHUNK : past);
        }
        for (int k = 0; k < count; k++)
            total += sums[k];
    }
    return total;
}

static void cell_product(const prc_view *v, const prc_cells *cells, const void *in, void *out)
{
    for (int c = 0; c < cells->count; c++)
        if (cells->stiffness[c] > 0)
            cell_add(v, cells, c, cells->stiffness[c] * cell_dot(v, cells, c, in), out);
}

static void cell_diagonal(const prc_view *v, const prc_cells *cells)
{
    static const int at[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
    prc_real *d = v->field[PRC_FIELD_own_d];
    const long n = v->padded_count;
    for (int c = 0; c < cells->count; c++)
        for (int e = cells->start[c]; cells->stiffness[c] > 0 && e < cells->start[c + 1]; e++)
            for (int q = 0; q < 6; q++)
                d[q * n + cells->vertex[e]] +=
                    (prc_real)(cells->stiffness[c] * cells->slope[e][at[q][0]] * cells->slope[e][at[q][1]]);
}

#endif
