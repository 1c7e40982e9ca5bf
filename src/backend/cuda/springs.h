/* backend/cuda/springs.h — springs on the device: part of stages.cu. A step's share of each is found where the
 * positions are, and their rows go where contacts' rows are read (rows.h). SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_SPRINGS_H
#define PRC_CUDA_SPRINGS_H

/* Where the spring is, without forces. */
DEVICE_INLINE prc_active spring_row(const prc_device_rows *rows, int r)
{
    const prc_four_ints v = rows->v[r];
    const prc_four_doubles w = rows->exact[r];
    const prc_active a = {{v.x, v.y, v.z, v.w}, 4, {w.x, w.y, w.z, w.w}, {}, {}, {}, 0, 0};
    return a;
}

/* What moves of the vertices, REAL, add to its span. */
DEVICE_INLINE void spring_span(const prc_active *a, const prc_real *moves, long n, double span[3])
{
    for (int c = 0; c < 3; c++) {
        span[c] = 0;
        for (int p = 0; p < 4 && moves; p++)
            span[c] += a->w[p] * (double)moves[c * n + a->v[p]];
    }
}

static void spring_begin(const prc_view *v, const prc_active_set *set, prc_spring *springs, double end, double step)
{
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    const double *x = (const double *)v->field[PRC_FIELD_position];
    const long n = v->padded_count;
    prc_each(device_of(v), "spring_begin", set->count, [=] PRC_DEVICE(int r) {
        const prc_active a = spring_row(&rows, r);
        prc_spring_begin(&springs[r], &a, x, n, end, step);
    });
}

static void spring_evaluate(const prc_view *v, const prc_active_set *set, prc_spring *springs, const void *u,
                            double step)
{
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    const prc_real *moves = (const prc_real *)u;
    const long n = v->padded_count;
    prc_each(device_of(v), "spring_evaluate", set->count, [=] PRC_DEVICE(int r) {
        prc_active a = spring_row(&rows, r);
        double span[3];
        spring_span(&a, moves, n, span);
        prc_spring_evaluate(&springs[r], span, step, &a);
        prc_row_store(&rows, r, &a);
    });
}

#endif
