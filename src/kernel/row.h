/* kernel/row.h — a contact or a spring as the linear solver sees it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ROW_H
#define PRC_KERNEL_ROW_H

#include "kernel/portable.h"

/* Force f, stiffness k_n n n^T + k_t I − u u^T between its two sides; positive semidefinite. */
typedef struct prc_active {
    int v[4], count;
    double w[4], n[3], u[3], f[3], k_n, k_t;
} prc_active;

/* Four numbers that lie side by side: a GPU moves them at once. */
typedef struct prc_four_ints {
    int x, y, z, w;
} __attribute__((aligned(16))) prc_four_ints;
typedef struct prc_four_floats {
    float x, y, z, w;
} __attribute__((aligned(16))) prc_four_floats;
typedef struct prc_four_doubles {
    double x, y, z, w;
} __attribute__((aligned(16))) prc_four_doubles;

/* What products need of a row, before it is rounded to the working precision: four weights, then stiffness. The first
 * weight is the sum of all, and that of the first vertex is what the others leave of it: a move that is the same for
 * all vertices of a contact between surfaces, whose weights sum up to 0, is none to the row, however weights are
 * rounded. */
#define PRC_ROW_NUMBERS 12

PRC_INLINE void prc_row_numbers(const prc_active *a, double out[PRC_ROW_NUMBERS])
{
    out[0] = a->w[0];
    for (int p = 1; p < 4; p++) {
        out[p] = p < a->count ? a->w[p] : 0;
        out[0] += out[p];
    }
    for (int c = 0; c < 3; c++) {
        out[4 + c] = a->n[c];
        out[8 + c] = a->u[c];
    }
    out[7] = a->k_n;
    out[11] = a->k_t;
}

#endif
