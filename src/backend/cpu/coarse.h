/* backend/cpu/coarse.h — set-up of the coarse levels on the CPU: part of cpu.c, so that it is compiled for every instruction set.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_COARSE_H
#define PRC_CPU_COARSE_H

#define TOUCH_MOST 64 /* coarse functions handled at once; longer lists are cut into pieces */

/* The tangent of one ring in plain numbers. */
typedef struct ring_tangent {
    prc_real t[4][4], n[3], r1[3], r2[3], m[3], weight, bend;
} ring_tangent;

static ring_tangent ring_tangent_load(const prc_view *v, int i)
{
    const long n = v->padded_count;
    const prc_real *tangent = v->field[PRC_FIELD_tangent], *rotation = v->field[PRC_FIELD_rotation];
    const prc_real *normal = v->field[PRC_FIELD_normal], *stretch = v->field[PRC_FIELD_tangent_normal];
    ring_tangent s;
    int k = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++, k++)
            s.t[a][b] = s.t[b][a] = tangent[k * n + i];
    for (int c = 0; c < 3; c++) {
        s.r1[c] = rotation[c * n + i];
        s.r2[c] = rotation[(3 + c) * n + i];
        s.n[c] = normal[c * n + i];
        s.m[c] = stretch[c * n + i];
    }
    s.weight = ((const prc_real *)v->field[PRC_FIELD_weight])[i];
    s.bend = R(1);
    if (v->has_damping)
        s.bend += ((const prc_real *)v->field[PRC_FIELD_damping])[i] * (prc_real)v->inverse_h;
    return s;
}

/* Blocks between coarse function `mine` of a ring and `count` others: out[9][TOUCH_MOST]. */
static void ring_blocks(const ring_tangent *s, const prc_real *mine, const prc_real *others, int count,
                        prc_real out[9][TOUCH_MOST])
{
    prc_real y[2][4]; /* T applied to the slope of `mine` in direction a of the rotation */
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < 4; k++)
            y[a][k] = s->t[2 * a][k] * mine[1] + s->t[2 * a + 1][k] * mine[2];
    const prc_real slope0 = s->m[0] * mine[1] + s->m[1] * mine[2], slope1 = s->m[1] * mine[1] + s->m[2] * mine[2];
    for (int k = 0; k < count; k++) {
        const prc_real *o = others + PRC_SEEN * k;
        const prc_real e11 = y[0][0] * o[1] + y[0][1] * o[2], e12 = y[0][2] * o[1] + y[0][3] * o[2];
        const prc_real e21 = y[1][0] * o[1] + y[1][1] * o[2], e22 = y[1][2] * o[1] + y[1][3] * o[2];
        const prc_real along = slope0 * o[1] + slope1 * o[2] +
                               s->bend * (mine[3] * o[3] + mine[4] * o[4] + mine[5] * o[5]);
        const prc_real inertia = s->weight * mine[0] * o[0];
        for (int a = 0; a < 3; a++) {
            const prc_real c1 = s->r1[a] * e11 + s->r2[a] * e21, c2 = s->r1[a] * e12 + s->r2[a] * e22;
            const prc_real c3 = s->n[a] * along;
            for (int b = 0; b < 3; b++)
                out[3 * a + b][k] = c1 * s->r1[b] + c2 * s->r2[b] + c3 * s->n[b] + (a == b ? inertia : R(0));
        }
    }
}

/* Adds what ring i gives to row c, columns ≥ c. `position` maps columns to entries of the row. */
static void row_add_ring(const prc_view *v, const prc_level *level, int c, int i, const int *touch_start,
                         const int *touch_column, const prc_real *seen, const int *position)
{
    prc_real out[9][TOUCH_MOST], others[TOUCH_MOST * PRC_SEEN];
    int entry[TOUCH_MOST], count = 0;
    const prc_real *mine = seen;
    for (int k = touch_start[i]; k < touch_start[i + 1]; k++)
        if (touch_column[k] == c)
            mine = seen + (long)PRC_SEEN * k;
    const ring_tangent s = ring_tangent_load(v, i);
    for (int k = touch_start[i]; k < touch_start[i + 1]; k++) {
        if (touch_column[k] >= c) {
            entry[count] = position[touch_column[k]];
            for (int q = 0; q < PRC_SEEN; q++)
                others[PRC_SEEN * count + q] = seen[(long)PRC_SEEN * k + q];
            count++;
        }
        if (count == TOUCH_MOST || (count > 0 && k + 1 == touch_start[i + 1])) {
            ring_blocks(&s, mine, others, count, out);
            for (int q = 0; q < count; q++)
                for (int a = 0; a < 9; a++)
                    level->block[9L * entry[q] + a] += (double)out[a][q];
            count = 0;
        }
    }
}

/* Copies the upper triangle of blocks to the lower one. */
static void mirror(const prc_level *level)
{
    for (int r = 0; r < level->node_count; r++)
        for (int k = level->row_start[r]; k < level->row_start[r + 1]; k++) {
            const int c = level->column[k];
            if (c >= r)
                continue;
            int low = level->row_start[c], high = level->row_start[c + 1] - 1;
            while (low < high) { /* columns are sorted */
                const int middle = (low + high) / 2;
                if (level->column[middle] < r)
                    low = middle + 1;
                else
                    high = middle;
            }
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    level->block[9L * k + 3 * a + b] = level->block[9L * low + 3 * b + a];
        }
}

static void level_assemble(const prc_view *v, const prc_level *level, const int *touch_start, const int *touch_column,
                           const void *seen, const int *reach_start, const int *reach)
{
#pragma omp parallel for schedule(dynamic, 16) THREADS(v->vertex_count)
    for (int c = 0; c < level->node_count; c++) {
        int *position = level->position + (long)omp_get_thread_num() * level->node_count;
        for (int k = level->row_start[c]; k < level->row_start[c + 1]; k++) {
            position[level->column[k]] = k;
            for (int a = 0; a < 9; a++)
                level->block[9L * k + a] = 0;
        }
        for (int k = reach_start[c]; k < reach_start[c + 1]; k++)
            row_add_ring(v, level, c, reach[k], touch_start, touch_column, seen, position);
    }
    mirror(level);
}

/* --- dense inverse: Gauss–Jordan by panels. Safe without pivoting, the matrix is positive definite. --- */

#define PANEL 32

/* Inverts the leading b×b block of a small array in place. */
static void invert_small(prc_real *d, int b)
{
    for (int p = 0; p < b; p++) {
        const prc_real pivot = R(1) / d[p * PANEL + p];
        d[p * PANEL + p] = R(1);
        for (int j = 0; j < b; j++)
            d[p * PANEL + j] *= pivot;
        for (int i = 0; i < b; i++) {
            if (i == p)
                continue;
            const prc_real factor = d[i * PANEL + p];
            d[i * PANEL + p] = R(0);
            for (int j = 0; j < b; j++)
                d[i * PANEL + j] -= factor * d[p * PANEL + j];
        }
    }
}

/* rows [k, k + b) = D × those rows, with D in their own columns. */
static void scale_panel(prc_real *a, int size, int k, int b, const prc_real *d, int first, int end)
{
    prc_real column[PANEL];
    for (int j = first; j < end; j++) {
        if (j >= k && j < k + b)
            continue;
        for (int p = 0; p < b; p++)
            column[p] = a[(long)(k + p) * size + j];
        for (int p = 0; p < b; p++) {
            prc_real sum = R(0);
            for (int q = 0; q < b; q++)
                sum += d[p * PANEL + q] * column[q];
            a[(long)(k + p) * size + j] = sum;
        }
    }
}

/* row −= its panel columns × panel rows; the panel columns themselves become −(panel columns) D. */
static void eliminate_row(prc_real *a, int size, int k, int b, int i)
{
    prc_real factor[PANEL], *row = a + (long)i * size;
    for (int p = 0; p < b; p++) {
        factor[p] = row[k + p];
        row[k + p] = R(0);
    }
    for (int p = 0; p + 4 <= b; p += 4) {
        const prc_real *r0 = a + (long)(k + p) * size, *r1 = r0 + size, *r2 = r1 + size, *r3 = r2 + size;
        const prc_real f0 = factor[p], f1 = factor[p + 1], f2 = factor[p + 2], f3 = factor[p + 3];
        for (int j = 0; j < size; j++)
            row[j] -= f0 * r0[j] + f1 * r1[j] + f2 * r2[j] + f3 * r3[j];
    }
    for (int p = b / 4 * 4; p < b; p++)
        for (int j = 0; j < size; j++)
            row[j] -= factor[p] * a[(long)(k + p) * size + j];
}

static void dense_invert(const prc_view *v, void *matrix, int size)
{
    prc_real *a = matrix, d[PANEL * PANEL];
    for (int k = 0; k < size; k += PANEL) {
        const int b = size - k < PANEL ? size - k : PANEL;
        for (int p = 0; p < b; p++)
            for (int q = 0; q < b; q++)
                d[p * PANEL + q] = a[(long)(k + p) * size + k + q];
        invert_small(d, b);
        scale_panel(a, size, k, b, d, 0, size);
        for (int p = 0; p < b; p++) /* with D here, eliminate_row makes −(panel columns) D of the panel columns */
            for (int q = 0; q < b; q++)
                a[(long)(k + p) * size + k + q] = d[p * PANEL + q];
#pragma omp parallel for schedule(static) THREADS(size * 8)
        for (int i = 0; i < size; i++)
            if (i < k || i >= k + b)
                eliminate_row(a, size, k, b, i);
    }
}

#endif
