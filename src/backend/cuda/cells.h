/* backend/cuda/cells.h — pressure inside volumes on the device: part of stages.cu. A cell couples all its vertices by
 * one number, its volume, a sum in a fixed order; then every vertex takes its share. Cells follow each other, so that a
 * vertex may belong to several. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_CELLS_H
#define PRC_CUDA_CELLS_H

/* One cell: its part of all arrays. */
struct cell_part {
    int count;
    const int *vertex, *triangles, *fan_start, *fan;
    double *y, *slope, *summand;
    double *volume, *force, *stiffness, *energy; /* one number each */
};

static cell_part part_of(const prc_cells *cells, int c)
{
    const prc_cells_there *there = (const prc_cells_there *)cells->device;
    const long first = there->start[c], corner = 3L * there->triangle_start[c];
    cell_part part;
    part.count = there->start[c + 1] - there->start[c];
    part.vertex = there->vertex + first;
    part.triangles = there->triangles + corner;
    part.fan_start = there->fan_start + first + c;
    part.fan = there->fan + corner;
    part.y = there->y + 3 * first;
    part.slope = there->slope + 3 * first;
    part.summand = there->summand + first;
    part.volume = there->volume + c;
    part.force = there->force + c;
    part.stiffness = there->stiffness + c;
    part.energy = there->energy + c;
    return part;
}

/* volume = sum of the summands. */
static void cell_sum(const prc_view *v, const cell_part *part)
{
    prc_sum(device_of(v), part->summand, part->count, part->count, 1, part->volume);
}

static void cell_evaluate(const prc_view *v, const prc_cells *cells, int c, const prc_cell_law *law, const void *u)
{
    const cell_part part = part_of(cells, c);
    const prc_cell_law held = *law;
    const double *x = (const double *)v->field[PRC_FIELD_position];
    const prc_real *moves = (const prc_real *)u;
    const long n = v->padded_count;
    prc_each(device_of(v), "cell_positions", part.count, [=] PRC_DEVICE(int i) {
        for (int k = 0; k < 3; k++) {
            const long at = k * n + part.vertex[i];
            part.y[3L * i + k] = x[at] - x[k * n + part.vertex[0]] + (moves ? (double)moves[at] : 0);
        }
    });
    prc_each(device_of(v), "cell_slopes", part.count, [=] PRC_DEVICE(int i) {
        prc_cell_slope(part.triangles, part.fan_start, part.fan, part.y, i, part.slope + 3L * i);
        part.summand[i] = prc_dot3(part.y + 3L * i, part.slope + 3L * i);
    });
    cell_sum(v, &part);
    prc_each(device_of(v), "cell_pressure", 1, [=] PRC_DEVICE(int) {
        *part.force = -prc_cell_pressure_at(&held, *part.volume / 3, part.energy, part.stiffness);
    });
}

/* out += factor × slope on the free vertices of a cell, with the factor where it lies; times *times, where given. */
static void cell_add(const prc_view *v, const cell_part *cell, const double *factor, const double *times, prc_real *out)
{
    const cell_part part = *cell;
    const prc_real *free = (const prc_real *)v->field[PRC_FIELD_free];
    const long n = v->padded_count;
    prc_each(device_of(v), "cell_add", part.count, [=] PRC_DEVICE(int e) {
        const int i = part.vertex[e];
        const double by = times ? *factor * *times : *factor;
        for (int k = 0; k < 3; k++)
            out[k * n + i] += (prc_real)(by * part.slope[3L * e + k] * (double)free[i]);
    });
}

static void cell_gradient(const prc_view *v, const prc_cells *cells, void *gradient)
{
    for (int c = 0; c < cells->count; c++) {
        const cell_part part = part_of(cells, c);
        cell_add(v, &part, part.force, NULL, (prc_real *)gradient);
    }
}

static void cell_product(const prc_view *v, const prc_cells *cells, const void *in, void *out)
{
    const prc_real *p = (const prc_real *)in;
    const long n = v->padded_count;
    for (int c = 0; c < cells->count; c++) {
        const cell_part part = part_of(cells, c);
        prc_each(device_of(v), "cell_dot", part.count, [=] PRC_DEVICE(int e) {
            const int i = part.vertex[e];
            const double *s = part.slope + 3L * e;
            part.summand[e] = s[0] * (double)p[i] + s[1] * (double)p[n + i] + s[2] * (double)p[2 * n + i];
        });
        cell_sum(v, &part);
        cell_add(v, &part, part.stiffness, part.volume, (prc_real *)out);
    }
}

static void cell_diagonal(const prc_view *v, const prc_cells *cells)
{
    prc_real *d = (prc_real *)v->field[PRC_FIELD_own_d];
    const long n = v->padded_count;
    for (int c = 0; c < cells->count; c++) {
        const cell_part part = part_of(cells, c);
        prc_each(device_of(v), "cell_diagonal", part.count, [=] PRC_DEVICE(int e) {
            const double *s = part.slope + 3L * e;
            int q = 0;
            for (int r = 0; r < 3; r++)
                for (int k = r; k < 3; k++, q++)
                    d[q * n + part.vertex[e]] += (prc_real)(*part.stiffness * s[r] * s[k]);
        });
    }
}

#endif
