/* backend/cuda/coarse.h — the coarse levels of the preconditioner on the device: part of stages.cu.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_COARSE_H
#define PRC_CUDA_COARSE_H

static void sparse(const prc_view *v, const prc_sparse *s, const void *x, void *y, int y_stride, bool add)
{
    const prc_sparse matrix = *s;
    const prc_real *in = (const prc_real *)x;
    prc_real *out = (prc_real *)y;
    prc_each(device_of(v), "sparse", s->padded_count, [=] PRC_DEVICE(int row) {
        prc_vec3 a = prc_sparse_pack(&matrix, in, row);
        if (add)
            a = prc_add(a, prc_load3(out, y_stride, row));
        prc_store3(out, y_stride, row, a);
    });
}

static void level_smooth(const prc_view *v, const prc_level *l)
{
    const prc_level level = *l;
    prc_each(device_of(v), "level_smooth", l->padded_count, [=] PRC_DEVICE(int i) {
        prc_store3((prc_real *)level.x, level.padded_count, i, prc_level_smooth_pack(&level, i));
    });
}

static void level_finish(const prc_view *v, const prc_sparse *prolongation, const void *x, const void *r, void *z)
{
    const prc_view view = *v;
    const prc_sparse matrix = *prolongation;
    const prc_real *coarse = (const prc_real *)x, *residual = (const prc_real *)r;
    prc_real *out = (prc_real *)z;
    prc_each(device_of(v), "level_finish", v->padded_count, [=] PRC_DEVICE(int i) {
        prc_store3(out, view.padded_count, i, prc_level_finish_pack(&view, &matrix, coarse, residual, i));
    });
}

/* Threads that share a row of the dense matrix, each with one of the running sums of the CPU: they read side by side.
 * On the host there are no threads to share it with. */
#ifdef PRC_DEVICE_ON_HOST
#define DENSE_SHARE 1
#else
#define DENSE_SHARE PRC_BLOCK
#endif

/* Running sum k of row i. */
DEVICE_INLINE prc_real dense_sum(const prc_real *a, int leading, const prc_level *level, int i, int k)
{
    const int stride = level->padded_count;
    const prc_real *b = (const prc_real *)level->b;
    prc_real sum = 0;
    for (int component = 0; component < 3; component++) {
        const prc_real *row = a + (long)i * leading + (long)component * stride, *from = b + (long)component * stride;
        for (int j = k; j < stride; j += PRC_BLOCK)
            sum += row[j] * from[j];
    }
    return sum;
}

/* Item of the dense product: of 3 × node_count × DENSE_SHARE. */
DEVICE_INLINE void dense_item(const prc_real *a, int leading, const prc_level *level, int item)
{
    const int i = item / DENSE_SHARE, at = (i / level->node_count) * level->padded_count + i % level->node_count;
    prc_real total = 0;
#ifdef PRC_DEVICE_ON_HOST
    for (int k = 0; k < PRC_BLOCK; k++)
        total += dense_sum(a, leading, level, i, k);
    ((prc_real *)level->x)[at] = total;
#else
    const int lane = item % PRC_BLOCK, first = (threadIdx.x % 32) / PRC_BLOCK * PRC_BLOCK;
    const prc_real mine = dense_sum(a, leading, level, i, lane);
    for (int k = 0; k < PRC_BLOCK; k++)
        total += __shfl_sync(((1u << PRC_BLOCK) - 1) << first, mine, first + k);
    if (lane == 0)
        ((prc_real *)level->x)[at] = total;
#endif
}

static void dense(const prc_view *v, const void *matrix, int leading, const prc_level *l)
{
    const prc_level level = *l;
    const prc_real *a = (const prc_real *)matrix;
    prc_each(device_of(v), "dense", 3L * l->node_count * DENSE_SHARE,
             [=] PRC_DEVICE(int item) { dense_item(a, leading, &level, item); });
}

#endif
