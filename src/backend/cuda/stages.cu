/* backend/cuda/stages.cu — the backend of a device: stages as kernels of one thread per vertex, sums, copies, and the
 * parts of the linear solver.
 *
 * Compiled once per precision (PRC_REAL_FLOAT = 0, 1), for a GPU and for the device on the host. Everything physical is
 * in src/kernel. Kernels write what belongs to their own item, and sums have a fixed order: two runs give the same
 * bits, and where no function of libm is involved they are those of the CPU. The coarse matrices are set up on the host
 * (level_assemble, dense_invert). SPDX-License-Identifier: Apache-2.0 */
/* Bonds of a ring in registers: nearly all rings of good meshes. Doubles take two registers each. */
#define PRC_KEPT (PRC_REAL_FLOAT ? 8 : 6)

#include "backend/backend.h"
#include "backend/cuda/device.h"
#include "backend/rows.h"
#include "backend/sparse.h"
#include "kernel/row_apply.h"
#include "kernel/stages.h"

#include <math.h>
#include <string.h>

#ifdef PRC_DEVICE_ON_HOST
#define DEVICE_NAME "device on the host"
#define DEVICE_INLINE static inline
#else
#define DEVICE_NAME "cuda"
#define DEVICE_INLINE static __device__ __forceinline__
#endif

static prc_device *device_of(const prc_view *v)
{
    return (prc_device *)v->device;
}

/* --- stages --- */

/* Blocks of a kernel that a multiprocessor must have room for: what bounds its registers. */
static constexpr int resident_of(enum prc_stage stage)
{
    return PRC_REAL_FLOAT && (stage == PRC_STAGE_elastic || stage == PRC_STAGE_product_bonds) ? 3 : 1;
}

/* The item of thread i of a kernel that gathers what rings have left: it begins where they ended, which the cache still
 * has. Threads that run together stay together. */
PRC_INLINE int item_backwards(const prc_view *v, int i)
{
    const int whole = v->padded_count / 32 * 32;
    return i < whole ? whole - 1 - i : i;
}

static constexpr bool is_gather(enum prc_stage stage)
{
    return stage == PRC_STAGE_gradient || stage == PRC_STAGE_elastic_gradient || stage == PRC_STAGE_product ||
           stage == PRC_STAGE_elastic_product;
}

#define PACK_FUNCTION(name) prc_stage_##name
#define VERTEX_FUNCTION(name) prc_stage_##name
#define BLOCK_FUNCTION(name) prc_stage_##name##_lane

#define PRC_STAGE(name, items, meaning)                                                                                \
    static void loop_##name(const prc_view *v)                                                                         \
    {                                                                                                                  \
        const prc_view view = *v;                                                                                      \
        const bool backwards = is_gather(PRC_STAGE_##name);                                                            \
        prc_each<resident_of(PRC_STAGE_##name)>(device_of(v), #name, v->padded_count, [=] PRC_DEVICE(int i) {          \
            items##_FUNCTION(name)(&view, backwards ? item_backwards(&view, i) : i);                                   \
        });                                                                                                            \
    }
#include "kernel/stages.inl"
#undef PRC_STAGE

/* Kernels of their own for the usual law, and where no tangent is wanted: they need far fewer registers, so more of
 * their threads wait for memory at once. */
template <int law, int linearise> static void run_elastic(const prc_view *v)
{
    const prc_view view = *v;
    prc_each<PRC_REAL_FLOAT ? 4 : 2>(device_of(v), linearise ? "elastic" : "elastic alone", v->padded_count,
                                     [=] PRC_DEVICE(int i) {
                                         prc_view part = view;
                                         part.common_law = law;
                                         part.linearise = linearise;
                                         prc_stage_elastic(&part, i);
                                     });
}

static void elastic(const prc_view *v)
{
    if (v->common_law == PRC_LAW_A3)
        v->linearise ? run_elastic<PRC_LAW_A3, 1>(v) : run_elastic<PRC_LAW_A3, 0>(v);
    else
        v->linearise ? loop_elastic(v) : run_elastic<-1, 0>(v);
}

static void run(const prc_view *v, enum prc_stage stage)
{
    static void (*const loops[])(const prc_view *) = {
#define PRC_STAGE(name, items, meaning) loop_##name,
#include "kernel/stages.inl"
#undef PRC_STAGE
    };
    if (stage == PRC_STAGE_elastic)
        elastic(v);
    else
        loops[stage](v);
}

/* --- sums --- */

/* slot = Σ term(i) over all vertices. */
template <class F> static void sum_terms(const prc_view *v, const char *name, int slot, F term)
{
    double *to = v->slot + slot;
    const long n = v->padded_count;
    prc_together(
        device_of(v), name,
        [=] PRC_DEVICE(const prc_grid &grid) {
            double mine = 0, all;
            grid.each(n, [&](int i) { mine += term(i); });
            grid.sum(&mine, 1, &all);
            if (grid.first())
                *to = all;
        },
        n);
}

/* a_i·b_i, as the CPU rounds it. */
PRC_INLINE double dot_at(const prc_real *a, const prc_real *b, long n, int i)
{
    return (double)(a[i] * b[i] + a[n + i] * b[n + i] + a[2 * n + i] * b[2 * n + i]);
}

static void read_slots(const prc_view *v, int slot, int count, double *out)
{
    prc_copy_out(device_of(v), out, v->slot + slot, sizeof *out * (size_t)count);
}

static double read_return(const prc_view *v)
{
    double value;
    read_slots(v, PRC_SLOT_RETURN, 1, &value);
    return value;
}

static double dot(const prc_view *v, const void *a, const void *b, const void *weight)
{
    const prc_real *x = (const prc_real *)a, *y = (const prc_real *)b, *w = (const prc_real *)weight;
    const long n = v->padded_count;
    if (w)
        sum_terms(v, "dot", PRC_SLOT_RETURN, [=] PRC_DEVICE(int i) {
            return (double)((x[i] * y[i] + x[n + i] * y[n + i] + x[2 * n + i] * y[2 * n + i]) * w[i]);
        });
    else
        sum_terms(v, "dot", PRC_SLOT_RETURN, [=] PRC_DEVICE(int i) { return dot_at(x, y, n, i); });
    return read_return(v);
}

static void sum_to_slot(const prc_view *v, const void *a, int slot)
{
    const prc_real *x = (const prc_real *)a;
    sum_terms(v, "sum of a field", slot, [=] PRC_DEVICE(int i) { return (double)x[i]; });
}

static double sum(const prc_view *v, const void *a)
{
    sum_to_slot(v, a, PRC_SLOT_RETURN);
    return read_return(v);
}

static double largest(const prc_view *v, const void *a)
{
    const prc_real *x = (const prc_real *)a;
    double *square = (double *)v->field[PRC_FIELD_summand];
    const long n = v->padded_count;
    prc_each(device_of(v), "squares", n, [=] PRC_DEVICE(int i) {
        const double s = (double)x[i] * (double)x[i] + (double)x[n + i] * (double)x[n + i] +
                         (double)x[2 * n + i] * (double)x[2 * n + i];
        square[i] = s <= 1e300 ? s : (double)NAN;
    });
    prc_max(device_of(v), square, n, n, 1, v->slot + PRC_SLOT_RETURN);
    return sqrt(read_return(v));
}

static void sum_columns(const prc_view *v, const double *columns, int count, int slot)
{
    prc_sum(device_of(v), columns, v->padded_count, v->padded_count, count, v->slot + slot);
}

static void largest_columns(const prc_view *v, const double *columns, int count, int slot)
{
    prc_max(device_of(v), columns, v->padded_count, v->padded_count, count, v->slot + slot);
}

template <class J, class F> static void run_folded(const prc_view *v, const char *name, int count, int slot, F f)
{
    prc_each_folded<J>(device_of(v), name, v->padded_count, f, (const double *)v->field[PRC_FIELD_column],
                       v->padded_count, count, v->slot + slot);
}

#define FOLDED(name, fold)                                                                                             \
    case PRC_STAGE_##name:                                                                                             \
        run_folded<fold>(v, #name, count, slot, [=] PRC_DEVICE(int i) { prc_stage_##name(&view, i); });                \
        break;

static void run_columns(const prc_view *v, enum prc_stage stage, int count, int slot)
{
    const prc_view view = *v;
    switch (stage) {
        FOLDED(widen, prc_fold_sum)
        FOLDED(slopes, prc_fold_sum)
        FOLDED(census, prc_fold_sum)
        FOLDED(add_part, prc_fold_largest)
        FOLDED(move_squares, prc_fold_largest)
        FOLDED(lag, prc_fold_largest)
    default:
        break;
    }
}
#undef FOLDED

/* --- memory --- */

static void *allocate(const prc_view *v, size_t bytes)
{
    void *memory = prc_device_allocate(device_of(v), bytes);
    if (memory)
        prc_fill(device_of(v), memory, 0, bytes);
    return memory;
}

static void release(const prc_view *v, void *memory)
{
    if (memory)
        prc_device_free(device_of(v), memory, 0);
}

static void put(const prc_view *v, void *to, const void *host, size_t bytes)
{
    prc_copy_in(device_of(v), to, host, bytes);
}

static void get(const prc_view *v, void *host, const void *from, size_t bytes)
{
    prc_copy_out(device_of(v), host, from, bytes);
}

static void get_later(const prc_view *v, void *host, const void *from, size_t bytes)
{
    prc_copy_out_later(device_of(v), host, from, bytes);
}

static void pin(const prc_view *v, void *host, size_t bytes)
{
    prc_memory_pin(device_of(v), host, bytes);
}

static void unpin(const prc_view *v, void *host)
{
    prc_memory_unpin(device_of(v), host);
}

static void copy(const prc_view *v, void *to, const void *from, size_t bytes)
{
    prc_copy_within(device_of(v), to, from, bytes);
}

static prc_result status(const prc_view *v, prc_error *error)
{
    return prc_device_status(device_of(v), error);
}

/* Numbers that are converted on the host at a time. */
#define CONVERTED 8192

static void upload(const prc_view *v, void *real, const double *from, size_t count)
{
    prc_real part[CONVERTED], *to = (prc_real *)real;
    for (size_t done = 0; done < count; done += CONVERTED) {
        const size_t size = count - done < CONVERTED ? count - done : CONVERTED;
        for (size_t i = 0; i < size; i++)
            part[i] = (prc_real)from[done + i];
        prc_copy_in(device_of(v), to + done, part, sizeof *part * size);
    }
}

/* In place: the numbers lie at the end of where they go, and none is overwritten before it has been read. */
static void download(const prc_view *v, double *to, const void *real, size_t count)
{
    char *raw = (char *)(to + count) - sizeof(prc_real) * count;
    prc_copy_out(device_of(v), raw, real, sizeof(prc_real) * count);
    for (size_t i = 0; i < count; i++) {
        prc_real a;
        memcpy(&a, raw + sizeof a * i, sizeof a);
        to[i] = (double)a;
    }
}

struct placed {
    double value[3];
    int index;
};
#define PLACED 1024

static void put_some(const prc_view *v, double *to, const int *index, const double *values, int count)
{
    placed part[PLACED], *on_device = (placed *)v->field[PRC_FIELD_summand];
    const long n = v->padded_count;
    const int room = (int)(sizeof(double) * (size_t)n / sizeof(placed)), most = room < PLACED ? room : PLACED;
    for (int done = 0; done < count; done += most) {
        const int size = count - done < most ? count - done : most;
        for (int k = 0; k < size; k++) {
            memcpy(part[k].value, values + 3 * (done + k), sizeof part[k].value);
            part[k].index = index[done + k];
        }
        prc_copy_in(device_of(v), on_device, part, sizeof *part * (size_t)size);
        prc_each(device_of(v), "put some", size, [=] PRC_DEVICE(int k) {
            for (int c = 0; c < 3; c++)
                to[c * n + on_device[k].index] = on_device[k].value[c];
        });
    }
}

#include "backend/cuda/cells.h"
#include "backend/cuda/coarse.h"
#include "backend/cuda/forces.h"
#include "backend/cuda/linear.h"
#include "backend/cuda/springs.h"

/* --- the table --- */

static constexpr prc_backend make_table()
{
    prc_backend t = {};
    t.name = DEVICE_NAME;
    t.precision = PRC_REAL_FLOAT ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
    t.real_size = sizeof(prc_real);
    t.run = run;
    t.dot = dot;
    t.sum = sum;
    t.largest = largest;
    t.upload = upload;
    t.download = download;
    t.sum_columns = sum_columns;
    t.largest_columns = largest_columns;
    t.sum_to_slot = sum_to_slot;
    t.run_columns = run_columns;
    t.gradient_with_contact = gradient_with_contact;
    t.read = read_slots;
    t.allocate = allocate;
    t.release = release;
    t.put = put;
    t.get = get;
    t.get_later = get_later;
    t.pin = pin;
    t.unpin = unpin;
    t.copy = copy;
    t.put_some = put_some;
    t.status = status;
    t.solve_linear = solve_linear;
    t.sparse = sparse;
    t.level_smooth = level_smooth;
    t.level_finish = level_finish;
    t.dense = dense;
    t.contact_gradient = contact_gradient;
    t.contact_product = contact_product;
    t.contact_diagonal = contact_diagonal;
    t.contact_inverse = contact_inverse;
    t.cell_gradient = cell_gradient;
    t.cell_product = cell_product;
    t.cell_diagonal = cell_diagonal;
    t.spring_begin = spring_begin;
    t.spring_evaluate = spring_evaluate;
    t.cell_evaluate = cell_evaluate;
    return t;
}

#if PRC_REAL_FLOAT
#define TABLE PRC_DEVICE_TABLE_OF(prc_backend_, _float)
#else
#define TABLE PRC_DEVICE_TABLE_OF(prc_backend_, _double)
#endif

extern "C" {
extern const prc_backend TABLE;
const prc_backend TABLE = make_table();
}
