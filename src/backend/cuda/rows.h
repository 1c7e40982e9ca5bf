/* backend/cuda/rows.h — the rows of a prc_active_set as they lie on the device.
 *
 * Compact, in the order of the CPU's, each number in an array of its own: the product with them is in the inner loop of
 * the conjugate gradients, and neighbouring threads then read neighbouring numbers. How many rows there are is known to
 * the device alone; the host launches over `most`. The rows of a vertex are a list in a room that is as long as all of
 * its contacts: making it anew needs no scan. Numbers are double as on the CPU, so that sums have the same bits.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_ROWS_H
#define PRC_CUDA_ROWS_H

#include "backend/backend.h"
#include "kernel/portable.h"

/* Which array holds what; a vector takes as many as it has components. */
enum prc_row_number {
    PRC_ROW_W = 0,
    PRC_ROW_N = 4,
    PRC_ROW_U = 7,
    PRC_ROW_KN = 10,
    PRC_ROW_KT = 11,
    PRC_ROW_KU = 12,
    PRC_ROW_F = 13,
    PRC_ROW_NUMBERS = 16
};

/* All pointers are to the device. Passed by value to kernels. */
typedef struct prc_device_rows {
    const int *count;         /* one number: the rows there are */
    int most;                 /* … at most */
    long stride;              /* between the arrays of `number` and the components of `force` */
    int *v;                   /* 4 per row; a place that a row does not have is its first vertex again, with weight 0 */
    double *number;           /* PRC_ROW_NUMBERS × stride */
    double *force;            /* work space of products, 3 × stride */
    const int *first, *after; /* per vertex: its part of `of` */
    const int *of;            /* 4 row + place, ascending for each vertex */
} prc_device_rows;

PRC_INLINE double *prc_row_number(const prc_device_rows *rows, int number, int row)
{
    return rows->number + (long)number * rows->stride + row;
}

/* The row as the functions of kernel headers see it. What is not looked at is not read. */
PRC_INLINE prc_active prc_row_load(const prc_device_rows *rows, int row)
{
    prc_active a;
    a.count = 4;
    for (int p = 0; p < 4; p++) {
        a.v[p] = rows->v[4 * (long)row + p];
        a.w[p] = *prc_row_number(rows, PRC_ROW_W + p, row);
    }
    for (int c = 0; c < 3; c++) {
        a.n[c] = *prc_row_number(rows, PRC_ROW_N + c, row);
        a.u[c] = *prc_row_number(rows, PRC_ROW_U + c, row);
        a.f[c] = *prc_row_number(rows, PRC_ROW_F + c, row);
    }
    a.k_n = *prc_row_number(rows, PRC_ROW_KN, row);
    a.k_t = *prc_row_number(rows, PRC_ROW_KT, row);
    a.k_u = *prc_row_number(rows, PRC_ROW_KU, row);
    return a;
}

PRC_INLINE void prc_row_store(const prc_device_rows *rows, int row, const prc_active *a)
{
    for (int p = 0; p < 4; p++) {
        rows->v[4 * (long)row + p] = p < a->count ? a->v[p] : a->v[0];
        *prc_row_number(rows, PRC_ROW_W + p, row) = p < a->count ? a->w[p] : 0;
    }
    for (int c = 0; c < 3; c++) {
        *prc_row_number(rows, PRC_ROW_N + c, row) = a->n[c];
        *prc_row_number(rows, PRC_ROW_U + c, row) = a->u[c];
        *prc_row_number(rows, PRC_ROW_F + c, row) = a->f[c];
    }
    *prc_row_number(rows, PRC_ROW_KN, row) = a->k_n;
    *prc_row_number(rows, PRC_ROW_KT, row) = a->k_t;
    *prc_row_number(rows, PRC_ROW_KU, row) = a->k_u;
}

#endif
