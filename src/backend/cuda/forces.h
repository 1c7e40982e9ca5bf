/* backend/cuda/forces.h — forces of contacts and springs on the device: part of stages.cu. Rows first, then every
 * vertex gathers from its rows. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_FORCES_H
#define PRC_CUDA_FORCES_H

#define AT_ONCE 4 /* rows of a vertex whose numbers are asked for together */

/* Σ w force over the rows of vertex i, 0 where it is not free. `force` is 3 × stride. */
DEVICE_INLINE prc_vec3 rows_gather(const prc_view *v, const prc_device_rows *rows, const double *force, int i)
{
    const double free = (double)((const prc_real *)v->field[PRC_FIELD_free])[i];
    double sum[3] = {0, 0, 0};
    const int end = free != 0 ? rows->after[i] : rows->first[i]; /* lists of what is pinned may be long */
    for (int k = rows->first[i]; k < end; k += AT_ONCE) {
        double w[AT_ONCE], f[AT_ONCE][3];
        for (int q = 0; q < AT_ONCE; q++) { /* all loads are under way before the first is waited for */
            const int entry = rows->of[k + q < end ? k + q : k], row = entry / 4;
            w[q] = k + q < end ? *prc_row_number(rows, PRC_ROW_W + entry % 4, row) : 0;
            for (int c = 0; c < 3; c++)
                f[q][c] = force[c * rows->stride + row];
        }
        for (int q = 0; q < AT_ONCE && k + q < end; q++)
            for (int c = 0; c < 3; c++)
                sum[c] += w[q] * f[q][c];
    }
    return prc_vec3_make((prc_real)(sum[0] * free), (prc_real)(sum[1] * free), (prc_real)(sum[2] * free));
}

/* Force with which a row answers z + beta p, or z where there is no p. */
DEVICE_INLINE void row_answer(const prc_view *v, const prc_device_rows *rows, int row, const prc_real *z,
                              const prc_real *p, prc_real beta)
{
    const prc_active a = prc_row_load(rows, row);
    double s[3], force[3];
    prc_row_span_step(&a, z, p, beta, v->padded_count, s);
    prc_row_answer(&a, s, force);
    for (int c = 0; c < 3; c++)
        rows->force[c * rows->stride + row] = force[c];
}

static void gather_rows(const prc_view *v, const prc_device_rows *all, const double *force, const prc_real *in,
                        prc_real *out)
{
    const prc_view view = *v;
    const prc_device_rows rows = *all;
    prc_each(device_of(v), "rows_gather", v->vertex_count, [=] PRC_DEVICE(int i) {
        const prc_vec3 f = rows_gather(&view, &rows, force, i);
        prc_store3(out, view.padded_count, i, prc_add(prc_load3(in, view.padded_count, i), f));
    });
}

static void contact_gradient(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    const prc_device_rows *rows = (const prc_device_rows *)set->device;
    if (rows && rows->most > 0)
        gather_rows(v, rows, prc_row_number(rows, PRC_ROW_F, 0), (const prc_real *)in, (prc_real *)out);
    else if (in != out)
        prc_copy_within(device_of(v), out, in, 3 * sizeof(prc_real) * (size_t)v->padded_count);
}

static void gradient_with_contact(const prc_view *v, const prc_active_set *set, const void *u, void *in, void *out)
{
    const prc_device_rows *of_set = (const prc_device_rows *)set->device;
    prc_view view = *v;
    view.argument[0] = (void *)u;
    view.argument[1] = in;
    if (!of_set || of_set->most == 0) {
        run(&view, PRC_STAGE_gradient);
        contact_gradient(v, set, in, out);
        return;
    }
    const prc_device_rows rows = *of_set;
    const prc_real *own = (const prc_real *)in;
    prc_real *to = (prc_real *)out;
    prc_each(device_of(v), "gradient, rows", v->padded_count, [=] PRC_DEVICE(int i) {
        prc_stage_gradient(&view, i);
        if (i >= view.vertex_count)
            return;
        const prc_vec3 f = rows_gather(&view, &rows, prc_row_number(&rows, PRC_ROW_F, 0), i);
        prc_store3(to, view.padded_count, i, prc_add(prc_load3(own, view.padded_count, i), f));
    });
}

static void contact_product(const prc_view *v, const prc_active_set *set, const void *in, void *out)
{
    if (!set->device || ((const prc_device_rows *)set->device)->most == 0)
        return;
    const prc_view view = *v;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    const prc_real *p = (const prc_real *)in;
    prc_each(device_of(v), "rows_answer", rows.most, [=] PRC_DEVICE(int r) {
        if (r < *rows.count)
            row_answer(&view, &rows, r, p, NULL, R(0));
    });
    gather_rows(v, &rows, rows.force, (const prc_real *)out, (prc_real *)out);
}

/* Adds the blocks of the rows of vertex i to its own. */
DEVICE_INLINE void add_blocks(const prc_view *v, const prc_device_rows *rows, int i)
{
    prc_real *d = (prc_real *)v->field[PRC_FIELD_own_d], sum[6];
    const long n = v->padded_count;
    if (i >= v->vertex_count || rows->first[i] == rows->after[i] ||
        ((const prc_real *)v->field[PRC_FIELD_free])[i] == R(0)) /* its inverse is 0 */
        return;
    for (int q = 0; q < 6; q++) /* not in memory: a store in the loop would make each load wait for it */
        sum[q] = d[q * n + i];
    for (int k = rows->first[i]; k < rows->after[i]; k++) {
        const prc_active a = prc_row_load(rows, rows->of[k] / 4);
        double block[6];
        prc_row_block(&a, *prc_row_number(rows, PRC_ROW_W + rows->of[k] % 4, rows->of[k] / 4),
                      v->diagonal_kind == PRC_DIAGONAL_EXACT, block);
        for (int q = 0; q < 6; q++)
            sum[q] += (prc_real)block[q];
    }
    for (int q = 0; q < 6; q++)
        d[q * n + i] = sum[q];
}

static void contact_diagonal(const prc_view *v, const prc_active_set *set, bool finish)
{
    if (!set->device || ((const prc_device_rows *)set->device)->most == 0) {
        if (finish)
            run(v, PRC_STAGE_diagonal);
        return;
    }
    const prc_view view = *v;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    prc_each(device_of(v), "rows_diagonal", v->padded_count, [=] PRC_DEVICE(int i) {
        add_blocks(&view, &rows, i);
        if (finish)
            prc_stage_diagonal(&view, i); /* of the vertex's own sum, and of bonds, which no row changes */
    });
}

/* For rows that the host knows the number of: `spans` is the host's. */
static void row_spans(const prc_view *v, const prc_active_set *set, const void *in, double (*spans)[3])
{
    if (!set->device || set->count == 0)
        return;
    const prc_device_rows rows = *(const prc_device_rows *)set->device;
    const prc_real *p = (const prc_real *)in;
    const long n = v->padded_count;
    prc_each(device_of(v), "rows_span", set->count, [=] PRC_DEVICE(int r) {
        const prc_active a = prc_row_load(&rows, r);
        prc_row_span(&a, p, n, rows.force + 3 * (long)r);
    });
    prc_copy_out(device_of(v), spans, rows.force, sizeof *spans * (size_t)set->count);
}

#endif
