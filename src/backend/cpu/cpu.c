/* backend/cpu/cpu.c — the CPU backend: stages as OpenMP loops, sums in a fixed order.
 *
 * Compiled once per precision (PRC_REAL_FLOAT = 0, 1) and instruction set (PRC_ISA = baseline, avx2, avx512); only the
 * name of the table differs. -ffp-contract=off everywhere: a fused multiply-add would round differently from one
 * instruction set to the next.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"
#include "backend/sparse.h"
#include "kernel/stages.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* Below this many vertices waking a second thread costs more than it saves. */
#define PARALLEL_FROM 3000
/* Vertices whose products are summed in one go; part of the definition of a sum, so never a matter of tuning by
 * machine. */
#define CHUNK 1024

#define THREADS(count) num_threads(v->threads) if ((count) >= PARALLEL_FROM && v->threads > 1)

#define PACK_COUNT (v->padded_count / PRC_LANES)
#define BLOCK_COUNT v->block_count
#define VERTEX_COUNT v->padded_count

#define PRC_STAGE(name, items, meaning)                                                                                \
    static void loop_##name(const prc_view *v)                                                                         \
    {                                                                                                                  \
        _Pragma("omp parallel for schedule(static) THREADS(v->vertex_count)") for (int i = 0; i < items##_COUNT; i++)  \
            prc_stage_##name(v, i);                                                                                    \
    }
#include "kernel/stages.inl"
#undef PRC_STAGE

static void run(const prc_view *v, enum prc_stage stage)
{
    static void (*const loops[])(const prc_view *) = {
#define PRC_STAGE(name, items, meaning) loop_##name,
#include "kernel/stages.inl"
#undef PRC_STAGE
    };
    loops[stage](v);
}

/* The sum of one chunk: PRC_BLOCK running sums, folded at the end, so that every vector width adds in the same order.
 */
static double chunk_dot(const prc_view *v, const prc_real *a, const prc_real *b, const prc_real *weight, int first,
                        int end)
{
    double sums[PRC_BLOCK] = {0};
    const long n = v->padded_count;
    for (int i = first; i < end; i += PRC_BLOCK)
        for (int k = 0; k < PRC_BLOCK; k++) {
            prc_real d = a[i + k] * b[i + k] + a[n + i + k] * b[n + i + k] + a[2 * n + i + k] * b[2 * n + i + k];
            sums[k] += (double)(weight ? d * weight[i + k] : d);
        }
    double sum = 0;
    for (int k = 0; k < PRC_BLOCK; k++)
        sum += sums[k];
    return sum;
}

static double chunk_sum(const prc_real *a, int first, int end)
{
    double sums[PRC_BLOCK] = {0};
    for (int i = first; i < end; i += PRC_BLOCK)
        for (int k = 0; k < PRC_BLOCK; k++)
            sums[k] += (double)a[i + k];
    double sum = 0;
    for (int k = 0; k < PRC_BLOCK; k++)
        sum += sums[k];
    return sum;
}

/* Chunks are summed a fixed number at a time, and those sums one after the other. */
#define CHUNKS_AT_ONCE 64

#define SUM_OF_CHUNKS(chunk)                                                                                           \
    double total = 0;                                                                                                  \
    const int chunks = (v->padded_count + CHUNK - 1) / CHUNK;                                                          \
    for (int start = 0; start < chunks; start += CHUNKS_AT_ONCE) {                                                     \
        double sums[CHUNKS_AT_ONCE];                                                                                   \
        const int count = chunks - start < CHUNKS_AT_ONCE ? chunks - start : CHUNKS_AT_ONCE;                           \
        _Pragma("omp parallel for schedule(static) THREADS(v->vertex_count / 4)") for (int c = 0; c < count; c++)      \
        {                                                                                                              \
            int first = (start + c) * CHUNK, end = first + CHUNK;                                                      \
            if (end > v->padded_count)                                                                                 \
                end = v->padded_count;                                                                                 \
            sums[c] = (chunk);                                                                                         \
        }                                                                                                              \
        for (int c = 0; c < count; c++)                                                                                \
            total += sums[c];                                                                                          \
    }                                                                                                                  \
    return total;

static double dot(const prc_view *v, const void *a, const void *b, const void *weight)
{
    SUM_OF_CHUNKS(chunk_dot(v, a, b, weight, first, end))
}

static double sum(const prc_view *v, const void *a)
{
    SUM_OF_CHUNKS(chunk_sum(a, first, end))
}

static double largest(const prc_view *v, const void *a)
{
    const prc_real *x = a;
    const long n = v->padded_count;
    double most = 0;
    for (long i = 0; i < n; i++) {
        double square = (double)x[i] * (double)x[i] + (double)x[n + i] * (double)x[n + i] +
                        (double)x[2 * n + i] * (double)x[2 * n + i];
        if (!(square <= 1e300))
            return (double)NAN;
        most = square > most ? square : most;
    }
    return sqrt(most);
}

static double chunk_column(const double *a, int first, int end)
{
    double sums[PRC_BLOCK] = {0};
    for (int i = first; i < end; i += PRC_BLOCK)
        for (int k = 0; k < PRC_BLOCK; k++)
            sums[k] += a[i + k];
    double sum = 0;
    for (int k = 0; k < PRC_BLOCK; k++)
        sum += sums[k];
    return sum;
}

static double column_sum(const prc_view *v, const double *a)
{
    SUM_OF_CHUNKS(chunk_column(a, first, end))
}

static void sum_columns(const prc_view *v, const double *columns, int count, int slot)
{
    for (int k = 0; k < count; k++)
        v->slot[slot + k] = column_sum(v, columns + (long)k * v->padded_count);
}

static void largest_columns(const prc_view *v, const double *columns, int count, int slot)
{
    for (int k = 0; k < count; k++) {
        const double *a = columns + (long)k * v->padded_count;
        double most = a[0];
        for (int i = 1; i < v->padded_count; i++)
            most = a[i] > most || a[i] != a[i] ? a[i] : most;
        v->slot[slot + k] = most;
    }
}

static void sum_to_slot(const prc_view *v, const void *a, int slot)
{
    v->slot[slot] = sum(v, a);
}

static void read_slots(const prc_view *v, int slot, int count, double *out)
{
    for (int k = 0; k < count; k++)
        out[k] = v->slot[slot + k];
}

static void upload(const prc_view *v, void *real, const double *from, size_t count)
{
    (void)v;
    prc_real *to = real;
    for (size_t i = 0; i < count; i++)
        to[i] = (prc_real)from[i];
}

static void download(const prc_view *v, double *to, const void *real, size_t count)
{
    (void)v;
    const prc_real *from = real;
    for (size_t i = 0; i < count; i++)
        to[i] = (double)from[i];
}

static void sparse(const prc_view *v, const prc_sparse *s, const void *x, void *y, int y_stride, bool add)
{
    prc_real *out = y;
    const int entries = s->row_start[s->padded_count / PRC_BLOCK];
#pragma omp parallel for schedule(static) THREADS(entries * 2)
    for (int row = 0; row < s->padded_count; row += PRC_LANES) {
        prc_vec3 a = prc_sparse_pack(s, x, row);
        if (add)
            a = prc_add(a, prc_load3(out, y_stride, row));
        prc_store3(out, y_stride, row, a);
    }
}

static void level_smooth(const prc_view *v, const prc_level *level)
{
    (void)v;
    for (int i = 0; i < level->padded_count; i += PRC_LANES)
        prc_store3(level->x, level->padded_count, i, prc_level_smooth_pack(level, i));
}

static void level_finish(const prc_view *v, const prc_sparse *prolongation, const void *x, const void *r, void *z)
{
#pragma omp parallel for schedule(static) THREADS(v->vertex_count)
    for (int i = 0; i < v->padded_count; i += PRC_LANES)
        prc_store3(z, v->padded_count, i, prc_level_finish_pack(v, prolongation, x, r, i));
}

/* Rows are independent; each is summed in PRC_BLOCK running sums. Row component·node_count + node; the columns of a
 * component are padded as the vector is. */
static void dense(const prc_view *v, const void *matrix, int leading, const prc_level *level)
{
    const prc_real *a = matrix;
    const prc_real *b = level->b;
    prc_real *x = level->x;
    const int rows = 3 * level->node_count, stride = level->padded_count;
#pragma omp parallel for schedule(static) THREADS(rows * 8)
    for (int i = 0; i < rows; i++) {
        prc_real sums[PRC_BLOCK] = {0};
        for (int component = 0; component < 3; component++) {
            const prc_real *row = a + (long)i * leading + (long)component * stride,
                           *from = b + (long)component * stride;
            for (int j = 0; j < stride; j += PRC_BLOCK)
                for (int k = 0; k < PRC_BLOCK; k++)
                    sums[k] += row[j + k] * from[j + k];
        }
        prc_real total = 0;
        for (int k = 0; k < PRC_BLOCK; k++)
            total += sums[k];
        x[(i / level->node_count) * stride + i % level->node_count] = total;
    }
}

#include "backend/cpu/cells.h"
#include "backend/cpu/coarse.h"
#include "backend/cpu/contact.h"

#define JOIN4(a, b, c, d) a##b##c##d
#define NAME(a, b, c, d) JOIN4(a, b, c, d)
#define TEXT_OF(a) #a
#define TEXT(a) TEXT_OF(a)
#if PRC_REAL_FLOAT
#define PRECISION float
#else
#define PRECISION double
#endif

#define TABLE NAME(prc_backend_cpu_, PRECISION, _, PRC_ISA)

extern const prc_backend TABLE;
const prc_backend TABLE = {
    .name = "cpu " TEXT(PRECISION) " " TEXT(PRC_ISA),
    .precision = PRC_REAL_FLOAT ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE,
    .real_size = sizeof(prc_real),
    .run = run,
    .dot = dot,
    .sum = sum,
    .largest = largest,
    .sum_columns = sum_columns,
    .largest_columns = largest_columns,
    .sum_to_slot = sum_to_slot,
    .read = read_slots,
    .upload = upload,
    .download = download,
    .sparse = sparse,
    .level_smooth = level_smooth,
    .level_finish = level_finish,
    .level_assemble = level_assemble,
    .tangent_size = sizeof(ring_tangent),
    .contact_gradient = contact_gradient,
    .contact_product = contact_product,
    .contact_diagonal = contact_diagonal,
    .contact_inverse = contact_inverse,
    .row_spans = row_spans,
    .cell_gradient = cell_gradient,
    .cell_product = cell_product,
    .cell_diagonal = cell_diagonal,
    .dense_invert = dense_invert,
    .dense = dense,
};
