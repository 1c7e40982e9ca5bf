/* backend/cuda/device.h — what code for a device is written with: memory, loops over items, sums, scans, sorts.
 *
 * The files src/backend/cuda/ *.cu are compiled twice: by nvcc for a GPU, and by the C++ compiler, with
 * PRC_DEVICE_ON_HOST, for the CPU, where a launch is a loop and memory is memory. So they can be tested, and searched
 * for races, on any machine. They launch nothing by themselves:
 *
 *     prc_each(d, "name", n, [=] PRC_DEVICE(int i) { out[i] = in[i] + 1; });
 *
 * One prc_device belongs to one simulation. Its work is on one stream: in order, and asynchronous. The first error
 * stays; after it nothing is done any more, and prc_copy_out gives zeros, so that code needs to look at
 * prc_device_status only where it would believe a number.
 *
 * Everything here is in a namespace of the build, and so is whatever has a prc_device or prc_buffer among its
 * parameters; other functions and types that several files share belong between PRC_DEVICE_BEGIN and PRC_DEVICE_END,
 * and tables that C reaches get their name from PRC_DEVICE_TABLE. The two builds can then be in one library.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_DEVICE_H
#define PRC_BACKEND_CUDA_DEVICE_H

#include "backend/device.h"
#include "base/error.h"
#include "kernel/portable.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* PRC_DEVICE_TABLE(prc_contact_) is prc_contact_cuda or prc_contact_on_host, PRC_DEVICE_TABLE_OF(prc_backend_, _float)
 * is prc_backend_cuda_float or prc_backend_on_host_float. */
#ifdef PRC_DEVICE_ON_HOST
#define PRC_DEVICE
#define PRC_DEVICE_BEGIN                                                                                               \
    inline namespace prc_build_host                                                                                    \
    {
#define PRC_DEVICE_TABLE(stem) stem##on_host
#define PRC_DEVICE_TABLE_OF(stem, end) stem##on_host##end
#else
#define PRC_DEVICE __device__
#define PRC_DEVICE_BEGIN                                                                                               \
    inline namespace prc_build_cuda                                                                                    \
    {
#define PRC_DEVICE_TABLE(stem) stem##cuda
#define PRC_DEVICE_TABLE_OF(stem, end) stem##cuda##end
#endif
#define PRC_DEVICE_END }

PRC_DEVICE_BEGIN

struct prc_device;

/* Memory of the device. Starts as zeros: {NULL, 0}. */
template <class T> struct prc_buffer {
    T *data;
    size_t capacity;
};

/* Bytes of device memory, contents undefined; NULL after an error, and then the sticky error is set. */
void *prc_device_allocate(prc_device *d, size_t bytes);
void prc_device_free(prc_device *d, void *memory, size_t bytes);
bool prc_device_failed(const prc_device *d); /* does not wait: an error of work under way is not yet known */
void prc_device_too_large(prc_device *d, size_t count, size_t size);

/* The sticky error (after waiting), or PRC_OK. */
prc_result prc_device_status(prc_device *d, prc_error *error);
/* Forgets an error that has left the device whole (out of memory), so that one can go on with less; false if it has
 * not. */
bool prc_device_forgive(prc_device *d);
/* Makes `code` and a message the sticky error, for what is found out on the host (a count beyond int, say). */
void prc_device_fail(prc_device *d, prc_result code, const char *message);

void prc_copy_in(prc_device *d, void *device, const void *host, size_t bytes);  /* `host` may be reused at once */
void prc_copy_out(prc_device *d, void *host, const void *device, size_t bytes); /* waits for everything before it */
/* Does not wait: `host` is filled when the device is next waited for, and after an error perhaps not. Memory of the
 * host that is pinned, until it is unpinned, is filled faster; where it cannot be pinned, nothing is lost. */
void prc_copy_out_later(prc_device *d, void *host, const void *device, size_t bytes);
void prc_memory_pin(prc_device *d, void *host, size_t bytes);
void prc_memory_unpin(prc_device *d, void *host);
void prc_copy_within(prc_device *d, void *to, const void *from, size_t bytes);
void prc_fill(prc_device *d, void *to, int byte, size_t bytes);
void prc_wait(prc_device *d);
/* A number, 0 at first, that kernels raise and the host sees while they go on: to base + 1 … base + count − 1, where
 * base, which prc_note_begin returns, is not less than any that it was raised to before. And waiting until it is
 * `least` or more: false after an error. */
volatile uint64_t *prc_device_note(prc_device *d);
uint64_t prc_note_begin(prc_device *d, uint64_t count);
bool prc_note_await(prc_device *d, uint64_t least);

/* Exclusive sums: out has n + 1 entries, the last is the total. `in` and `out` lie apart. */
void prc_scan(prc_device *d, const int *in, int *out, int n);

/* Ascending by the low `bits` of the keys, stable, in place. */
void prc_sort(prc_device *d, uint32_t *keys, int *values, int n, int bits);
void prc_sort(prc_device *d, uint64_t *keys, int *values, int n, int bits);

/* results[c] = sum, or largest, of columns[c stride + i] over i < n, for c < count. In an order that depends on n
 * alone: the same bits from every device. The sum of nothing is 0, the largest of nothing −INFINITY; NaN if any is. */
void prc_sum(prc_device *d, const double *columns, long stride, long n, int count, double *results);
void prc_max(prc_device *d, const double *columns, long stride, long n, int count, double *results);

/* How prc_sum cuts up its numbers: threads of a block, and blocks, as many as a large GPU has room for at once: they
 * wait for each other in the end. Where items take long, more are better. */
#define PRC_SUM_THREADS 256
#define PRC_SUM_BLOCKS 512
#define PRC_SUM_BLOCKS_SLOW 4096
static inline int prc_sum_blocks(long n, int most = PRC_SUM_BLOCKS)
{
    const long blocks = (n + PRC_SUM_THREADS - 1) / PRC_SUM_THREADS;
    return (int)(blocks > most ? most : blocks < 1 ? 1 : blocks);
}

/* There is always something to do. */
struct prc_never {
    PRC_DEVICE bool operator()() const
    {
        return false;
    }
};

/* What columns are folded to: sums, or the largest (NaN if any is). */
struct prc_fold_sum {
    static PRC_DEVICE double nothing()
    {
        return 0;
    }
    static PRC_DEVICE double join(double a, double b)
    {
        return a + b;
    }
};

struct prc_fold_largest {
    static PRC_DEVICE double nothing()
    {
        return -INFINITY;
    }
    static PRC_DEVICE double join(double a, double b)
    {
        return isnan(a) || a > b ? a : b;
    }
};

/* prc_each_folded<J>(d, name, n, f, columns, stride, count, results): prc_each, by which item i writes entry i of
 * `count` columns, `stride` apart; and the columns, folded with J in the order of prc_sum, in one launch. */

/* Columns that grid.sum takes at most. */
#define PRC_GRID_SUMS 8

/* Bytes from which on a buffer grows by an eighth only: a scene of millions would not fit with half of it unused. */
#define PRC_LARGE_BUFFER ((size_t)64 << 20)

static inline size_t prc_buffer_target(size_t capacity, size_t count, size_t size)
{
    const size_t more = capacity + capacity / (capacity > PRC_LARGE_BUFFER / size ? 8 : 2);
    return more > count ? more : count;
}

/* A new block for a buffer: a part more than before if that fits, else just what is needed. */
template <class T> T *prc_buffer_block(prc_device *d, size_t capacity, size_t count, size_t *got)
{
    *got = prc_buffer_target(capacity, count, sizeof(T));
    if (*got > SIZE_MAX / sizeof(T)) {
        prc_device_too_large(d, count, sizeof(T));
        return NULL;
    }
    T *data = (T *)prc_device_allocate(d, *got * sizeof(T));
    if (!data && *got > count && prc_device_forgive(d)) {
        *got = count;
        data = (T *)prc_device_allocate(d, count * sizeof(T));
    }
    return data;
}

template <class T> void prc_release(prc_device *d, prc_buffer<T> *buffer)
{
    if (buffer->data)
        prc_device_free(d, buffer->data, buffer->capacity * sizeof(T));
    buffer->data = NULL;
    buffer->capacity = 0;
}

/* Room for `count` items; what was there is lost when it has to grow. False: out of memory (and the buffer is empty),
 * or an earlier error. */
template <class T> bool prc_reserve(prc_device *d, prc_buffer<T> *buffer, size_t count)
{
    if (prc_device_failed(d))
        return false;
    if (count <= buffer->capacity)
        return true;
    const size_t before = buffer->capacity;
    prc_release(d, buffer); /* first, so that old and new need not fit side by side */
    buffer->data = prc_buffer_block<T>(d, before, count, &buffer->capacity);
    if (!buffer->data)
        buffer->capacity = 0;
    return buffer->data != NULL;
}

/* The same, and what was there stays, also when it fails. */
template <class T> bool prc_reserve_keep(prc_device *d, prc_buffer<T> *buffer, size_t count)
{
    if (prc_device_failed(d))
        return false;
    if (count <= buffer->capacity)
        return true;
    prc_buffer<T> larger = {NULL, 0};
    larger.data = prc_buffer_block<T>(d, buffer->capacity, count, &larger.capacity);
    if (!larger.data)
        return false;
    if (buffer->data)
        prc_copy_within(d, larger.data, buffer->data, buffer->capacity * sizeof(T));
    prc_release(d, buffer);
    *buffer = larger;
    return true;
}

/* The bits of a double that is not negative have its order: the least of many is found without an order of its own. */
PRC_INLINE uint64_t prc_bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
PRC_INLINE double prc_double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Lanes of a warp: items that are worked on together (prc_each_warp). */
#define PRC_WARP 32

/* Around every launch: false after an error. */
bool prc_launch_begin(prc_device *d, const char *name);
void prc_launch_end(prc_device *d);

PRC_DEVICE_END

#ifdef PRC_DEVICE_ON_HOST
#include "backend/cuda/launch_host.h"
#else
#include "backend/cuda/launch_cuda.h"
#endif

#endif
