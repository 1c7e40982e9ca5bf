/* backend/rows.h — the rows of a prc_active_set as they lie on a device.
 *
 * Compact, in the order of the CPU's. The product with them is in the inner loop of the conjugate gradients: what it
 * needs is in the working precision, in vectors of four numbers, and what a vertex gathers from a row is one of them.
 * How many rows there are is known to the device alone; the host launches over `most`. The rows of a vertex are a list
 * in a room that is as long as all of its contacts: making it anew needs no scan. Rows are also made where the working
 * precision is not known when it is compiled: hence `single`, and pointers without a type.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_ROWS_H
#define PRC_BACKEND_ROWS_H

#include "backend/backend.h"
#include "kernel/portable.h"
#include "kernel/row.h"

/* All pointers are to the device. Passed by value to kernels. */
typedef struct prc_device_rows {
    const int *count;         /* one number: the rows there are */
    int most;                 /* … at most */
    int single;               /* REAL is float */
    prc_four_ints *v;         /* a place that a row does not have is its first vertex again, with weight 0 */
    void *w, *k;              /* prc_row_numbers in REAL: 4 and 8 per row */
    prc_four_doubles *f;      /* force; the last number means nothing */
    prc_four_doubles *exact;  /* weights of springs, not rounded; NULL for contacts */
    void *force;              /* work space of products: 4 REAL per row */
    const int *first, *after; /* per vertex: its part of `of` */
    const int *of;            /* 4 row + place, ascending for each vertex */
    void *of_w;               /* work space of products: a REAL per entry of `of` */
} prc_device_rows;

/* Four numbers, in the precision of the rows. */
PRC_INLINE void prc_rows_put(const prc_device_rows *rows, void *to, long at, const double *a)
{
    if (rows->single) {
        prc_four_floats f;
        f.x = (float)a[0];
        f.y = (float)a[1];
        f.z = (float)a[2];
        f.w = (float)a[3];
        ((prc_four_floats *)to)[at] = f;
    } else {
        prc_four_doubles d;
        d.x = a[0];
        d.y = a[1];
        d.z = a[2];
        d.w = a[3];
        ((prc_four_doubles *)to)[at] = d;
    }
}

PRC_INLINE void prc_row_store(const prc_device_rows *rows, int row, const prc_active *a)
{
    double number[PRC_ROW_NUMBERS];
    prc_four_ints v;
    prc_four_doubles f;
    prc_row_numbers(a, number);
    prc_rows_put(rows, rows->w, row, number);
    prc_rows_put(rows, rows->k, 2L * row, number + 4);
    prc_rows_put(rows, rows->k, 2L * row + 1, number + 8);
    v.x = a->v[0];
    v.y = a->count > 1 ? a->v[1] : a->v[0];
    v.z = a->count > 2 ? a->v[2] : a->v[0];
    v.w = a->count > 3 ? a->v[3] : a->v[0];
    rows->v[row] = v;
    f.x = a->f[0];
    f.y = a->f[1];
    f.z = a->f[2];
    f.w = 0;
    rows->f[row] = f;
}

#endif
