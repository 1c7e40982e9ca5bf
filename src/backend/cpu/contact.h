/* backend/cpu/contact.h — forces of contacts and springs on the CPU: part of cpu.c. Rows first, then every vertex
 * gathers from its rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_CONTACT_H
#define PRC_CPU_CONTACT_H

#include "kernel/row_apply.h"

/* Adds Σ w f to every free vertex of the set: sums of forces are taken in double. */
static void contact_gradient(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_real *free = v->field[PRC_FIELD_free];
    const long n = v->padded_count;
    prc_real *to = out;
    if (in != out)
        memcpy(out, in, 3 * sizeof(prc_real) * (size_t)v->padded_count);
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++) {
        double sum[3] = {0, 0, 0};
        for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
            const prc_active *a = &set->rows[set->of[k] / 4];
            const double w = (double)prc_row_weight(prc_row_of(a).w, set->of[k] % 4);
            for (int c = 0; c < 3; c++)
                sum[c] += w * a->f[c];
        }
        for (int c = 0; c < 3; c++)
            to[c * n + i] += (prc_real)(sum[c] * (double)free[i]);
    }
}

static void row_spans(const prc_view *v, const prc_active_set *set, const void *in, double (*spans)[3])
{
    const prc_real *p = in;
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++) {
        const prc_active *a = &set->rows[r];
        for (int c = 0; c < 3; c++) {
            spans[r][c] = 0;
            for (int k = 0; k < a->count; k++)
                spans[r][c] += a->w[k] * (double)p[c * n + a->v[k]];
        }
    }
}

static void contact_product(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_real *p = in, *free = v->field[PRC_FIELD_free];
    const long n = v->padded_count;
    prc_real *to = out;
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++) {
        const prc_active *a = &set->rows[r];
        prc_quad at[4];
        for (int k = 0; k < 4; k++) {
            const int j = a->v[k < a->count ? k : 0];
            at[k] = prc_quad_make(p[j], p[n + j], p[2 * n + j], 0);
        }
        const prc_quad force = prc_row_answer(prc_row_of(a), at);
        set->force[r][0] = (double)force.x;
        set->force[r][1] = (double)force.y;
        set->force[r][2] = (double)force.z;
    }
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++) {
        prc_real sum[3] = {0, 0, 0};
        for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
            const prc_real w = prc_row_weight(prc_row_of(&set->rows[set->of[k] / 4]).w, set->of[k] % 4);
            for (int c = 0; c < 3; c++)
                sum[c] += w * (prc_real)set->force[set->of[k] / 4][c];
        }
        for (int c = 0; c < 3; c++)
            to[c * n + i] += sum[c] * free[i];
    }
}

/* Adds the blocks of the rows of vertex i. */
static void add_blocks(const prc_view *v, const prc_active_set *set, int i, prc_real d[6])
{
    for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
        prc_real block[6];
        prc_row_block(prc_row_of(&set->rows[set->of[k] / 4]), set->of[k] % 4, v->diagonal_kind == PRC_DIAGONAL_EXACT,
                      block);
        for (int q = 0; q < 6; q++)
            d[q] += block[q];
    }
}

static void contact_diagonal(const prc_view *v, const prc_active_set *set)
{
    prc_real *own = v->field[PRC_FIELD_own_d];
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++) {
        prc_real d[6];
        for (int q = 0; q < 6; q++)
            d[q] = own[q * n + i];
        add_blocks(v, set, i, d);
        for (int q = 0; q < 6; q++)
            own[q * n + i] = d[q];
    }
}

static void contact_inverse(const prc_view *v, const prc_active_set *set)
{
    const prc_real *own = v->field[PRC_FIELD_own_d], *free = v->field[PRC_FIELD_free];
    prc_real *to = v->field[PRC_FIELD_inverse];
    const long n = v->padded_count;
    run(v, PRC_STAGE_diagonal);
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++) {
        prc_real d[6], inverse[6];
        if (set->of_start[i] == set->of_start[i + 1])
            continue;
        for (int q = 0; q < 6; q++)
            d[q] = own[q * n + i];
        add_blocks(v, set, i, d);
        prc_block_invert(d, free[i], inverse);
        for (int q = 0; q < 6; q++)
            to[q * n + i] = inverse[q];
    }
}

#endif
