/* backend/cpu/coarse.h — set-up of the coarse levels on the CPU: part of cpu.c, so that it is compiled for every
 * instruction set. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_COARSE_H
#define PRC_CPU_COARSE_H

/* The tangent of one ring, ready to meet pairs of coarse functions: T, N and inertia, and the six 3×3 patterns that a
 * block is made of (each 9 numbers, filled up to PRC_BLOCK). */
typedef struct ring_tangent {
    prc_real t[4][4], m[3], weight, bend;
    _Alignas(64) prc_real pattern[6][PRC_BLOCK]; /* loaded as vectors */
} ring_tangent;

static void ring_tangent_load(ring_tangent *s, const prc_view *v, int i)
{
    const long n = v->padded_count;
    const prc_real *tangent = v->field[PRC_FIELD_tangent], *rotation = v->field[PRC_FIELD_rotation];
    const prc_real *normal = v->field[PRC_FIELD_normal], *stretch = v->field[PRC_FIELD_tangent_normal];
    int k = 0;
    for (int a = 0; a < 4; a++)
        for (int b = a; b < 4; b++, k++)
            s->t[a][b] = s->t[b][a] = tangent[k * n + i];
    for (int c = 0; c < 3; c++)
        s->m[c] = stretch[c * n + i];
    s->weight = ((const prc_real *)v->field[PRC_FIELD_weight])[i];
    s->bend = R(1);
    if (v->has_damping)
        s->bend += ((const prc_real *)v->field[PRC_FIELD_damping])[i] * (prc_real)v->inverse_h;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const prc_real r1a = rotation[a * n + i], r2a = rotation[(3 + a) * n + i], na = normal[a * n + i];
            const prc_real r1b = rotation[b * n + i], r2b = rotation[(3 + b) * n + i], nb = normal[b * n + i];
            const prc_real all[6] = {r1a * r1b, r1a * r2b, r2a * r1b, r2a * r2b, na * nb, R(a == b)};
            for (int q = 0; q < 6; q++)
                s->pattern[q][3 * a + b] = all[q];
        }
    for (int q = 0; q < 6; q++)
        for (int c = 9; c < PRC_BLOCK; c++)
            s->pattern[q][c] = R(0);
}

/* How much of each pattern lies between function `mine` (PRC_SEEN numbers) and PRC_BLOCK others side by side. */
static void ring_coefficients(const ring_tangent *s, const prc_real mine[PRC_SEEN], const prc_real *others,
                              prc_real coefficient[6][PRC_BLOCK])
{
    prc_real y[2][4]; /* T applied to the slope of `mine` in direction a of the rotation */
    for (int a = 0; a < 2; a++)
        for (int k = 0; k < 4; k++)
            y[a][k] = s->t[2 * a][k] * mine[1] + s->t[2 * a + 1][k] * mine[2];
    const prc_real slope0 = s->m[0] * mine[1] + s->m[1] * mine[2], slope1 = s->m[1] * mine[1] + s->m[2] * mine[2];
    const prc_real inertia = s->weight * mine[0];
    const prc_real bend[3] = {s->bend * mine[3], s->bend * mine[4], s->bend * mine[5]};
    for (int k = 0; k < PRC_BLOCK; k += PRC_LANES) {
        prc_lane o[PRC_SEEN];
        for (int q = 0; q < PRC_SEEN; q++)
            o[q] = prc_load(others + q * PRC_BLOCK + k);
        prc_store(&coefficient[0][k], y[0][0] * o[1] + y[0][1] * o[2]);
        prc_store(&coefficient[1][k], y[0][2] * o[1] + y[0][3] * o[2]);
        prc_store(&coefficient[2][k], y[1][0] * o[1] + y[1][1] * o[2]);
        prc_store(&coefficient[3][k], y[1][2] * o[1] + y[1][3] * o[2]);
        prc_store(&coefficient[4][k], slope0 * o[1] + slope1 * o[2] + bend[0] * o[3] + bend[1] * o[4] + bend[2] * o[5]);
        prc_store(&coefficient[5][k], inertia * o[0]);
    }
}

/* block += Σ coefficient × pattern, PRC_BLOCK numbers. */
static void block_add(prc_real *block, const ring_tangent *s, prc_real coefficient[6][PRC_BLOCK], int k)
{
    for (int c = 0; c < PRC_BLOCK; c += PRC_LANES) {
        prc_lane sum = prc_load(block + c);
        for (int q = 0; q < 6; q++)
            sum += coefficient[q][k] * prc_load(&s->pattern[q][c]);
        prc_store(block + c, sum);
    }
}

/* Adds what ring i gives to the row of its function `slot`, columns from the diagonal on. `position` maps columns to
 * entries of the row. */
static void row_add_ring(const prc_assembly *as, prc_real *row, int i, int slot, const ring_tangent *s,
                         const int *position)
{
    _Alignas(64) prc_real coefficient[6][PRC_BLOCK];
    prc_real mine[PRC_SEEN];
    const int first = as->touch_start[i], end = as->touch_start[i + 1];
    const prc_real *seen = (const prc_real *)as->seen + (long)as->seen_start[i] * PRC_SEEN * PRC_BLOCK;
    for (int q = 0; q < PRC_SEEN; q++)
        mine[q] = seen[(slot / PRC_BLOCK * PRC_SEEN + q) * PRC_BLOCK + slot % PRC_BLOCK];
    /* The functions of a ring are sorted: those from `slot` on are the columns from c on. */
    for (int group = slot / PRC_BLOCK * PRC_BLOCK; group < end - first; group += PRC_BLOCK) {
        ring_coefficients(s, mine, seen + (long)group * PRC_SEEN, coefficient);
        const int from = slot > group ? slot : group,
                  past = end - first < group + PRC_BLOCK ? end - first : group + PRC_BLOCK;
        for (int o = from; o < past; o++)
            block_add(row + (long)PRC_BLOCK * position[as->touch_column[first + o]], s, coefficient, o - group);
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

static void level_assemble(const prc_view *v, const prc_level *level, const prc_assembly *as)
{
    ring_tangent *tangents = as->tangent;
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++)
        ring_tangent_load(&tangents[i], v, i);
#pragma omp parallel for schedule(dynamic, 16) THREADS(v->vertex_count)
    for (int c = 0; c < level->node_count; c++) {
        int *position = level->position + (long)omp_get_thread_num() * level->node_count;
        const int first = level->row_start[c], count = level->row_start[c + 1] - first;
        prc_real *row = (prc_real *)as->row + (long)omp_get_thread_num() * PRC_BLOCK * as->longest_row;
        for (int k = 0; k < count; k++)
            position[level->column[first + k]] = k;
        for (long k = 0; k < (long)PRC_BLOCK * count; k++)
            row[k] = R(0);
        for (int k = as->reach_start[c]; k < as->reach_start[c + 1]; k++)
            row_add_ring(as, row, as->reach[k], as->reach_slot[k], &tangents[as->reach[k]], position);
        for (int k = 0; k < count; k++)
            for (int a = 0; a < 9; a++)
                level->block[9L * (first + k) + a] = (double)row[(long)PRC_BLOCK * k + a];
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
