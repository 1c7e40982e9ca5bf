/* backend/sparse.h — products with the sparse and dense matrices of the coarse levels, row by row: the same for every
 * backend. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_SPARSE_H
#define PRC_BACKEND_SPARSE_H

#include "backend/backend.h"
#include "kernel/stages.h"

/* Vectors of 3 components, `stride` apart. */
PRC_INLINE prc_vec3 prc_load3(const prc_real *x, long stride, int i)
{
    return prc_vec3_make(prc_load(x + i), prc_load(x + stride + i), prc_load(x + 2 * stride + i));
}

PRC_INLINE void prc_store3(prc_real *x, long stride, int i, prc_vec3 a)
{
    prc_store(x + i, a.x);
    prc_store(x + stride + i, a.y);
    prc_store(x + 2 * stride + i, a.z);
}

/* One pack of rows of S x. */
PRC_INLINE prc_vec3 prc_sparse_pack(const prc_sparse *s, const prc_real *x, int row)
{
    const int block = row / PRC_BLOCK, lane = row % PRC_BLOCK, stride = s->column_stride;
    const prc_real *weight = (const prc_real *)s->weight;
    prc_vec3 y = prc_vec3_zero();
    for (int k = s->row_start[block]; k < s->row_start[block + 1]; k++) {
        prc_lane_index j = prc_load_index(s->column + (long)k * PRC_BLOCK + lane);
        prc_lane w = prc_load(weight + (long)k * PRC_BLOCK + lane);
        y = prc_add_scaled(y, w,
                           prc_vec3_make(prc_gather(x, j), prc_gather(x + stride, j), prc_gather(x + 2L * stride, j)));
    }
    return y;
}

/* inverse b of a pack of a level. */
PRC_INLINE prc_vec3 prc_level_smooth_pack(const prc_level *level, int i)
{
    const long n = level->padded_count;
    prc_sym3 d = prc_sym3_load((const prc_real *)level->inverse, n, i);
    return prc_sym3_times(d, prc_load3((const prc_real *)level->b, n, i));
}

/* The finest level: inverse r + free P x of a pack. */
PRC_INLINE prc_vec3 prc_level_finish_pack(const prc_view *v, const prc_sparse *prolongation, const prc_real *x,
                                          const prc_real *r, int i)
{
    const long n = v->padded_count;
    const prc_real *inverse = (const prc_real *)v->field[PRC_FIELD_inverse];
    const prc_real *free = (const prc_real *)v->field[PRC_FIELD_free];
    prc_vec3 coarse = prc_scale(prc_load(free + i), prc_sparse_pack(prolongation, x, i));
    prc_vec3 fine = prc_sym3_times(prc_sym3_load(inverse, n, i), prc_load3(r, n, i));
    return prc_add(fine, coarse);
}

#endif
