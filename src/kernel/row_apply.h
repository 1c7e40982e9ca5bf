/* kernel/row_apply.h — what contacts and springs do to a vector: one row at a time, in double.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ROW_APPLY_H
#define PRC_KERNEL_ROW_APPLY_H

#include "kernel/lane.h"
#include "kernel/row.h"

/* What z + beta p, or z where there is no p, does to the vector between the two sides of a row. */
PRC_INLINE void prc_row_span_step(const prc_active *a, const prc_real *z, const prc_real *p, prc_real beta, long n,
                                  double s[3])
{
    s[0] = s[1] = s[2] = 0;
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 3 && k < a->count; c++) {
            const long at = c * n + a->v[k];
            s[c] += a->w[k] * (double)(p ? z[at] + beta * p[at] : z[at]);
        }
}

PRC_INLINE void prc_row_span(const prc_active *a, const prc_real *in, long n, double s[3])
{
    prc_row_span_step(a, in, (const prc_real *)0, R(0), n, s);
}

/* Force that the row answers with. */
PRC_INLINE void prc_row_answer(const prc_active *a, const double s[3], double force[3])
{
    const double along = a->k_n * (a->n[0] * s[0] + a->n[1] * s[1] + a->n[2] * s[2]);
    const double slip = a->k_u * (a->u[0] * s[0] + a->u[1] * s[1] + a->u[2] * s[2]);
    for (int c = 0; c < 3; c++)
        force[c] = along * a->n[c] + a->k_t * s[c] + slip * a->u[c];
}

/* Twice w w^T is at most the diagonal of |w| Σ |w|. */
PRC_INLINE double prc_row_majorant(const prc_active *a, double w)
{
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += k < a->count ? fabs(a->w[k]) : 0;
    return fabs(w) * sum / 2;
}

/* The diagonal block that the row gives its vertex of weight w, exact or as majorant: xx xy xz yy yz zz. */
PRC_INLINE void prc_row_block(const prc_active *a, double w, int exact, double block[6])
{
    const double square = exact ? w * w : prc_row_majorant(a, w);
    int q = 0;
    for (int r = 0; r < 3; r++)
        for (int c = r; c < 3; c++, q++)
            block[q] = square * (a->k_n * a->n[r] * a->n[c] + a->k_u * a->u[r] * a->u[c] + (r == c ? a->k_t : 0));
}

#endif
