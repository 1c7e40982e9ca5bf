/* backend/cpu/contact.h — forces of contacts and springs on the CPU: part of cpu.c. Rows first, then every vertex
 * gathers from its rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_CONTACT_H
#define PRC_CPU_CONTACT_H

#include "kernel/row_apply.h"

/* Adds Σ w force to every free vertex of the set. */
static void contact_gather(const prc_view *v, const prc_active_set *set, prc_real *out)
{
    const prc_real *free = v->field[PRC_FIELD_free];
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++) {
        double sum[3] = {0, 0, 0};
        for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
            const double w = set->rows[set->of[k] / 4].w[set->of[k] % 4], *f = set->force[set->of[k] / 4];
            for (int c = 0; c < 3; c++)
                sum[c] += w * f[c];
        }
        for (int c = 0; c < 3; c++)
            out[c * n + i] += (prc_real)(sum[c] * (double)free[i]);
    }
}

static void contact_gradient(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    if (in != out)
        memcpy(out, in, 3 * sizeof(prc_real) * (size_t)v->padded_count);
    for (int r = 0; r < set->count; r++)
        for (int c = 0; c < 3; c++)
            set->force[r][c] = set->rows[r].f[c];
    contact_gather(v, set, out);
}

static void row_spans(const prc_view *v, const prc_active_set *set, const void *in, double (*spans)[3])
{
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++)
        prc_row_span(&set->rows[r], in, v->padded_count, spans[r]);
}

static void contact_product(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_real *p = in;
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++) {
        const prc_active *a = &set->rows[r];
        double s[3];
        prc_row_span(a, p, n, s);
        prc_row_answer(a, s, set->force[r]);
    }
    contact_gather(v, set, out);
}

static void contact_diagonal(const prc_view *v, const prc_active_set *set, bool finish)
{
    prc_real *d = v->field[PRC_FIELD_own_d];
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++)
        for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
            const prc_active *a = &set->rows[set->of[k] / 4];
            const double w = a->w[set->of[k] % 4];
            double block[6];
            prc_row_block(a, w, v->diagonal_kind == PRC_DIAGONAL_EXACT, block);
            for (int q = 0; q < 6; q++)
                d[q * n + i] += (prc_real)block[q];
        }
    if (finish)
        run(v, PRC_STAGE_diagonal);
}

#endif
