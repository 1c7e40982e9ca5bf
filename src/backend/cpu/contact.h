/* backend/cpu/contact.h — forces of contacts and springs on the CPU: part of cpu.c. Rows first, then every vertex
 * gathers from its rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CPU_CONTACT_H
#define PRC_CPU_CONTACT_H

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

static void contact_gradient(const prc_view *v, const prc_active_set *set, void *gradient)
{
    for (int r = 0; r < set->count; r++)
        for (int c = 0; c < 3; c++)
            set->force[r][c] = set->rows[r].f[c];
    contact_gather(v, set, gradient);
}

/* What `in` does to the vector between the two sides of a row. */
PRC_INLINE void row_span(const prc_active *a, const prc_real *in, long n, double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int k = 0; k < a->count; k++)
        for (int c = 0; c < 3; c++)
            s[c] += a->w[k] * (double)in[c * n + a->v[k]];
}

static void row_spans(const prc_view *v, const prc_active_set *set, const void *in, double (*spans)[3])
{
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++)
        row_span(&set->rows[r], in, v->padded_count, spans[r]);
}

static void contact_product(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_real *p = in;
    const long n = v->padded_count;
#pragma omp parallel for schedule(static) THREADS(set->count)
    for (int r = 0; r < set->count; r++) {
        const prc_active *a = &set->rows[r];
        double s[3];
        row_span(a, p, n, s);
        const double along = a->k_n * (a->n[0] * s[0] + a->n[1] * s[1] + a->n[2] * s[2]);
        const double slip = a->k_u * (a->u[0] * s[0] + a->u[1] * s[1] + a->u[2] * s[2]);
        for (int c = 0; c < 3; c++)
            set->force[r][c] = along * a->n[c] + a->k_t * s[c] + slip * a->u[c];
    }
    contact_gather(v, set, out);
}

/* Twice w w^T is at most the diagonal of |w| Σ |w|. */
PRC_INLINE double row_majorant(const prc_active *a, double w)
{
    double sum = 0;
    for (int k = 0; k < a->count; k++)
        sum += fabs(a->w[k]);
    return fabs(w) * sum / 2;
}

static void contact_diagonal(const prc_view *v, const prc_active_set *set)
{
    prc_real *d = v->field[PRC_FIELD_own_d];
    const long n = v->padded_count;
    static const int at[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->vertex_count; i++)
        for (int k = set->of_start[i]; k < set->of_start[i + 1]; k++) {
            const prc_active *a = &set->rows[set->of[k] / 4];
            const double w = a->w[set->of[k] % 4];
            const double square = v->diagonal_kind == PRC_DIAGONAL_EXACT ? w * w : row_majorant(a, w);
            for (int q = 0; q < 6; q++) {
                const int r = at[q][0], c = at[q][1];
                const double block = a->k_n * a->n[r] * a->n[c] + a->k_u * a->u[r] * a->u[c] + (r == c ? a->k_t : 0);
                d[q * n + i] += (prc_real)(square * block);
            }
        }
}

#endif
