/* backend/cuda/device.cu — the device that is a GPU: one stream for its work and one for parcels, a pool of memory,
 * pinned memory for copies, and CUB for scans and sorts.
 *
 * Memory comes from a pool in the order of the stream, so growing waits for nothing. Small copies to the device go
 * through a ring of pinned memory and do not wait either. Sums have an order of their own, which depends on the count
 * alone, and so do not come from CUB. SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/ledger.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <math.h>
#include <stdio.h>

PRC_DEVICE_BEGIN

/* The ring: pieces of it are filled one after the other, and one is used again when the device has read it. */
#define PIECE_COUNT 16
#define FEW_BYTES 1024 /* up to so many are told, not copied */
#define LOOKS 20000    /* at memory, before the driver is asked */
#define PIECE_BYTES ((size_t)256 << 10)
#define TOLD_AT (PIECE_BYTES * (PIECE_COUNT + 1)) /* one more, for copies out; then what a kernel has told */
#define NOTE_AT (TOLD_AT + 64)                    /* in a line of its own: prc_device_note */
#define PINNED_BYTES (NOTE_AT + 64)
/* Launches that are timed before their times are collected. */
#define TIMED_COUNT 1024
/* Cooperative kernels whose number of blocks is remembered. */
#define KERNEL_COUNT 64

struct timed {
    cudaEvent_t begin, end;
    int entry;
};

struct prc_device {
    const prc_device_table *table; /* first: backend/device.c looks here */
    prc_ledger ledger;
    int ordinal, processors;
    size_t memory; /* bytes of the whole device */
    cudaStream_t stream;
    cudaMemPool_t pool; /* NULL where the device has none */

    char *pinned;
    bool overlaps;    /* prc_device_overlaps */
    uint64_t telling; /* the last that a kernel was asked to tell: tell_kernel */
    uint64_t noted;   /* notes that have been given out: prc_note_begin */
    cudaEvent_t piece_read[PIECE_COUNT];
    bool piece_pending[PIECE_COUNT];
    int piece;
    size_t piece_used;

    prc_buffer<char> scratch;     /* of scans and sorts */
    prc_buffer<double> partial;   /* of sums */
    prc_buffer<unsigned> arrived; /* … and how many blocks have theirs */
    prc_buffer<uint64_t> places;  /* of cooperative kernels: the last meeting, and the flags */

    struct {
        const void *kernel;
        int blocks;
    } resident[KERNEL_COUNT];
    int resident_count;

    cudaStream_t beside;      /* parcels go out on it; made with the first of them */
    cudaEvent_t staged, left; /* the staging memory holds a parcel; it may be written again */
    bool flying;              /* a parcel may be under way */
    uint64_t sent, landed;    /* parcels; `landed` is seen by other threads, and may say too few */
    prc_buffer<char> staging; /* of the parcel that is being filled or goes out */

    timed *times;
    int time_count, event_count;
    bool timing; /* between begin and end of a launch that is timed */
};

/* ---- errors ---- */

bool prc_device_failed(const prc_device *d)
{
    return d->ledger.error.code != PRC_OK;
}

void prc_device_fail(prc_device *d, prc_result code, const char *message)
{
    if (!prc_device_failed(d))
        prc_fail(&d->ledger.error, code, "%s", message);
}

/* `why`: what was asked for. Only who asked for memory alone can be forgiven: nothing else was left undone. */
static void out_of_memory(prc_device *d, const char *why, bool can_forgive)
{
    size_t unused = 0, total = 0;
    cudaMemGetInfo(&unused, &total);
    cudaGetLastError();
    d->ledger.can_forgive = can_forgive;
    prc_fail(&d->ledger.error, PRC_ERROR_MEMORY,
             "the GPU is out of memory: %s, percale uses %.3g GB, %.3g of %.3g GB are free; use precision: single, a "
             "smaller scene, or backend: cpu",
             why, (double)d->ledger.counts.memory * 1e-9, (double)unused * 1e-9, (double)total * 1e-9);
}

static void no_room(prc_device *d, double bytes)
{
    char why[60];
    snprintf(why, sizeof why, "%.3g GB more were requested", bytes * 1e-9);
    out_of_memory(d, why, true);
}

/* Notes the first failure of a call. Errors of kernels show up in later calls, hence the name of the last launch. */
static bool good(prc_device *d, cudaError_t result, const char *doing)
{
    if (result == cudaSuccess)
        return true;
    cudaGetLastError(); /* so that it is not found again */
    if (prc_device_failed(d))
        return false;
    if (result == cudaErrorMemoryAllocation) { /* also the code of a kernel wants memory, when it is first launched */
        char why[60];
        snprintf(why, sizeof why, "it could not %.40s", doing);
        out_of_memory(d, why, false);
        return false;
    }
    const bool refused = result == cudaErrorLaunchOutOfResources || result == cudaErrorInvalidConfiguration ||
                         result == cudaErrorInvalidValue || result == cudaErrorCooperativeLaunchTooLarge ||
                         result == cudaErrorNoKernelImageForDevice;
    prc_fail(&d->ledger.error, PRC_ERROR_DEVICE,
             refused ? "the GPU could not %s (last launch: \"%s\"): %s; use backend: cpu, and please report this"
                     : "the GPU failed to %s (last launch: \"%s\"): %s; its data are lost: continue from the last "
                       "checkpoint, with backend: cpu if this happens again",
             doing, d->ledger.last ? d->ledger.last : "none", cudaGetErrorString(result));
    return false;
}

static bool enter(prc_device *d)
{
    return !prc_device_failed(d) && good(d, cudaSetDevice(d->ordinal), "be selected");
}

bool prc_device_forgive(prc_device *d)
{
    if (!prc_device_failed(d))
        return true;
    if (!d->ledger.can_forgive)
        return false;
    d->ledger.error.code = PRC_OK;
    d->ledger.can_forgive = false;
    return true;
}

void prc_wait(prc_device *d)
{
    if (prc_device_failed(
            d)) { /* what was asked for before goes on where the device is whole: into the host's memory */
        cudaSetDevice(d->ordinal);
        cudaStreamSynchronize(d->stream);
        if (d->flying)
            cudaStreamSynchronize(d->beside);
        cudaGetLastError();
        return;
    }
    if (!enter(d))
        return;
    d->ledger.counts.waits++;
    good(d, cudaStreamSynchronize(d->stream), "finish its work");
}

prc_result prc_device_status(prc_device *d, prc_error *error)
{
    prc_wait(d);
    if (d->flying && !prc_device_failed(d) && good(d, cudaStreamSynchronize(d->beside), "copy a parcel out"))
        __atomic_store_n(&d->landed, d->sent, __ATOMIC_RELEASE);
    d->flying = false;
    if (prc_device_failed(d) && error)
        *error = d->ledger.error;
    return d->ledger.error.code;
}

/* ---- memory ---- */

void prc_device_too_large(prc_device *d, size_t count, size_t size)
{
    if (!prc_device_failed(d))
        no_room(d, (double)count * (double)size);
}

void *prc_device_allocate(prc_device *d, size_t bytes)
{
    if (!enter(d))
        return NULL;
    void *memory = NULL;
    cudaError_t result = cudaErrorMemoryAllocation;
    if (bytes <= d->memory)
        result = d->pool ? cudaMallocFromPoolAsync(&memory, bytes ? bytes : 1, d->pool, d->stream)
                         : cudaMalloc(&memory, bytes ? bytes : 1);
    if (result == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        no_room(d, (double)bytes);
        return NULL;
    }
    if (!good(d, result, "give memory"))
        return NULL;
    d->ledger.counts.memory += bytes;
    return memory;
}

void prc_device_free(prc_device *d, void *memory, size_t bytes)
{
    /* Also after an error: what is left of the device takes it back. */
    d->ledger.counts.memory -= bytes;
    cudaSetDevice(d->ordinal);
    good(d, d->pool ? cudaFreeAsync(memory, d->stream) : cudaFree(memory), "free memory");
}

/* ---- launches and times ---- */

/* Adds the times of what was launched to the ledger; waits. */
static void collect_times(prc_device *d)
{
    if (!d->time_count)
        return;
    prc_wait(d);
    for (int k = 0; k < d->time_count && !prc_device_failed(d); k++) {
        float milliseconds = 0;
        if (good(d, cudaEventElapsedTime(&milliseconds, d->times[k].begin, d->times[k].end), "tell times"))
            prc_ledger_add(&d->ledger, d->times[k].entry, milliseconds * 1e-3);
    }
    d->time_count = 0;
}

static void time_begin(prc_device *d, const char *name)
{
    if (d->time_count == TIMED_COUNT)
        collect_times(d);
    timed *t = &d->times[d->time_count];
    if (d->time_count == d->event_count) {
        if (!good(d, cudaEventCreate(&t->begin), "measure times") ||
            !good(d, cudaEventCreate(&t->end), "measure times"))
            return;
        d->event_count++;
    }
    t->entry = prc_ledger_entry(&d->ledger, name);
    d->timing = good(d, cudaEventRecord(t->begin, d->stream), "measure times");
}

bool prc_launch_begin(prc_device *d, const char *name)
{
    if (!enter(d))
        return false;
    if (!prc_ledger_launch(&d->ledger, name))
        return false;
    if (d->ledger.profiling)
        time_begin(d, name);
    return !prc_device_failed(d);
}

void prc_launch_end(prc_device *d)
{
    good(d, cudaGetLastError(), "launch a kernel");
    if (d->timing && good(d, cudaEventRecord(d->times[d->time_count].end, d->stream), "measure times"))
        d->time_count++;
    d->timing = false;
}

cudaStream_t prc_device_stream(prc_device *d)
{
    return d->stream;
}

bool prc_device_overlaps(const prc_device *d)
{
    return d->overlaps;
}

static int resident_blocks(prc_device *d, const void *kernel)
{
    for (int k = 0; k < d->resident_count; k++)
        if (d->resident[k].kernel == kernel)
            return d->resident[k].blocks;
    int blocks = 0;
    if (!good(d, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, PRC_TOGETHER_THREADS, 0),
              "compute the number of blocks"))
        return 0;
    blocks = (blocks > 2 ? 2 : blocks) * d->processors;
    if (d->resident_count < KERNEL_COUNT) {
        d->resident[d->resident_count].kernel = kernel;
        d->resident[d->resident_count++].blocks = blocks;
    }
    return blocks;
}

/* Words before the flags: the last meeting, in a line of memory of its own. */
#define PLACES_START 16

/* New flags are of no meeting, and meetings are counted from there. */
static bool reserve_places(prc_device *d, size_t blocks)
{
    const size_t needed = PLACES_START + 4 * PRC_GRID_SUMS * blocks;
    if (needed <= d->places.capacity)
        return true;
    if (!prc_reserve(d, &d->places, needed))
        return false;
    return good(d, cudaMemsetAsync(d->places.data, 0, sizeof(uint64_t) * d->places.capacity, d->stream), "fill memory");
}

int prc_together_blocks(prc_device *d, const void *kernel, long items, prc_grid *grid)
{
    int blocks = resident_blocks(d, kernel);
    const long needed = (items + PRC_TOGETHER_THREADS - 1) / PRC_TOGETHER_THREADS;
    if (items > 0 && needed < blocks)
        blocks = (int)needed;
    if (!prc_device_failed(d) && blocks == 0)
        good(d, cudaErrorCooperativeLaunchTooLarge, "launch a cooperative kernel");
    if (blocks == 0 || !reserve_places(d, (size_t)blocks))
        return 0;
    grid->last = (unsigned *)d->places.data;
    grid->places = d->places.data + PLACES_START;
    grid->meeting = 0;
    return blocks;
}

/* ---- copies ---- */

/* A place for `bytes` ≤ PIECE_BYTES in the ring; NULL after an error. */
static char *ring_place(prc_device *d, size_t bytes)
{
    if (d->piece_used + bytes > PIECE_BYTES) {
        if (!good(d, cudaEventRecord(d->piece_read[d->piece], d->stream), "copy"))
            return NULL;
        d->piece_pending[d->piece] = true;
        d->piece = (d->piece + 1) % PIECE_COUNT;
        d->piece_used = 0;
        if (d->piece_pending[d->piece] && !good(d, cudaEventSynchronize(d->piece_read[d->piece]), "copy"))
            return NULL;
        d->piece_pending[d->piece] = false;
    }
    char *place = d->pinned + (size_t)d->piece * PIECE_BYTES + d->piece_used;
    d->piece_used += (bytes + 63) / 64 * 64;
    return place;
}

void prc_copy_in(prc_device *d, void *device, const void *host, size_t bytes)
{
    if (!bytes || !prc_launch_begin(d, "copy in"))
        return;
    d->ledger.counts.copies_in++;
    d->ledger.counts.bytes_in += (double)bytes;
    for (size_t done = 0; done < bytes && !prc_device_failed(d);) {
        const size_t part = bytes - done < PIECE_BYTES ? bytes - done : PIECE_BYTES;
        char *place = ring_place(d, part);
        if (!place)
            break;
        memcpy(place, (const char *)host + done, part);
        good(d, cudaMemcpyAsync((char *)device + done, place, part, cudaMemcpyHostToDevice, d->stream), "copy");
        done += part;
    }
    prc_launch_end(d);
}

/* A few numbers: a kernel writes them into the host's memory, and then that it has. */
static __global__ void tell_kernel(const unsigned *from, unsigned words, volatile unsigned *to, volatile uint64_t *told,
                                   uint64_t what)
{
    prc_kernel_begin();
    for (unsigned k = threadIdx.x; k < words; k += blockDim.x)
        to[k] = from[k];
    __threadfence_system();
    __syncthreads();
    if (threadIdx.x == 0)
        *told = what;
}

/* Looking at memory is quicker than asking the driver, which is asked now and then: it alone knows of failures. */
static void await_told(prc_device *d, const volatile uint64_t *told, uint64_t least)
{
    for (long look = 1; *told < least; look++)
        if (look % LOOKS == 0) {
            const cudaError_t state = cudaStreamQuery(d->stream);
            if (state == cudaErrorNotReady)
                continue;
            good(d, state, "finish its work");
            if (*told < least)
                good(d, cudaStreamSynchronize(d->stream), "finish its work");
            return;
        }
    __sync_synchronize(); /* what was told is read after this */
}

volatile uint64_t *prc_device_note(prc_device *d)
{
    return (volatile uint64_t *)(d->pinned + NOTE_AT);
}

uint64_t prc_note_begin(prc_device *d, uint64_t count)
{
    d->noted += count;
    return d->noted - count;
}

bool prc_note_await(prc_device *d, uint64_t least)
{
    if (!prc_device_failed(d))
        await_told(d, prc_device_note(d), least);
    return !prc_device_failed(d);
}

static void copy_out_few(prc_device *d, void *host, const void *device, size_t bytes, char *place)
{
    volatile uint64_t *told = (volatile uint64_t *)(d->pinned + TOLD_AT);
    prc_launch(d, tell_kernel, 1, 32, (const unsigned *)device, (unsigned)(bytes / sizeof(unsigned)),
               (volatile unsigned *)place, told, ++d->telling);
    prc_launch_end(d);
    d->ledger.counts.waits++;
    if (!prc_device_failed(d))
        await_told(d, told, d->telling);
    if (!prc_device_failed(d))
        memcpy(host, place, bytes);
}

void prc_copy_out(prc_device *d, void *host, const void *device, size_t bytes)
{
    if (!bytes)
        return;
    char *place = d->pinned ? d->pinned + PIECE_COUNT * PIECE_BYTES : NULL;
    if (prc_launch_begin(d, "copy out")) {
        d->ledger.counts.copies_out++;
        d->ledger.counts.bytes_out += (double)bytes;
        if (bytes <= FEW_BYTES && bytes % sizeof(unsigned) == 0) {
            copy_out_few(d, host, device, bytes, place);
        } else {
            void *to = bytes <= PIECE_BYTES ? (void *)place : host;
            good(d, cudaMemcpyAsync(to, device, bytes, cudaMemcpyDeviceToHost, d->stream), "copy");
            prc_launch_end(d);
            prc_wait(d);
            if (to != host && !prc_device_failed(d))
                memcpy(host, place, bytes);
        }
    }
    if (prc_device_failed(d))
        memset(host, 0, bytes);
}

void prc_copy_out_later(prc_device *d, void *host, const void *device, size_t bytes)
{
    if (!bytes || !prc_launch_begin(d, "copy out"))
        return;
    d->ledger.counts.copies_out++;
    d->ledger.counts.bytes_out += (double)bytes;
    good(d, cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, d->stream), "copy");
    prc_launch_end(d);
}

void prc_memory_pin(prc_device *d, void *host, size_t bytes)
{
    if (bytes > 0 && enter(d) && cudaHostRegister(host, bytes, cudaHostRegisterDefault) != cudaSuccess)
        cudaGetLastError();
}

void prc_memory_unpin(prc_device *d, void *host)
{
    cudaSetDevice(d->ordinal);
    if (cudaHostUnregister(host) != cudaSuccess)
        cudaGetLastError();
}

void prc_copy_within(prc_device *d, void *to, const void *from, size_t bytes)
{
    if (!bytes || !prc_launch_begin(d, "copy within"))
        return;
    good(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream), "copy");
    prc_launch_end(d);
}

void prc_fill(prc_device *d, void *to, int byte, size_t bytes)
{
    if (!bytes || !prc_launch_begin(d, "fill"))
        return;
    good(d, cudaMemsetAsync(to, byte, bytes, d->stream), "fill memory");
    prc_launch_end(d);
}

/* ---- scans, sorts, sums ---- */

void prc_scan(prc_device *d, const int *in, int *out, int n)
{
    size_t bytes = 0;
    if (!prc_launch_begin(d, "scan"))
        return;
    good(d, cudaMemsetAsync(out, 0, sizeof *out, d->stream), "fill memory");
    if (n > 0 && good(d, cub::DeviceScan::InclusiveSum(NULL, bytes, in, out + 1, n, d->stream), "scan") &&
        prc_reserve(d, &d->scratch, bytes))
        good(d, cub::DeviceScan::InclusiveSum(d->scratch.data, bytes, in, out + 1, n, d->stream), "scan");
    prc_launch_end(d);
}

static size_t rounded(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

template <class K> static void sort(prc_device *d, K *keys, int *values, int n, int bits)
{
    if (n <= 1 || !prc_launch_begin(d, "sort"))
        return;
    cub::DoubleBuffer<K> key(keys, NULL);
    cub::DoubleBuffer<int> value(values, NULL);
    size_t bytes = 0;
    const size_t key_bytes = rounded((size_t)n * sizeof(K)), value_bytes = rounded((size_t)n * sizeof(int));
    if (good(d, cub::DeviceRadixSort::SortPairs(NULL, bytes, key, value, n, 0, bits, d->stream), "sort") &&
        prc_reserve(d, &d->scratch, key_bytes + value_bytes + bytes)) {
        key.d_buffers[1] = (K *)d->scratch.data;
        value.d_buffers[1] = (int *)(d->scratch.data + key_bytes);
        good(d,
             cub::DeviceRadixSort::SortPairs(d->scratch.data + key_bytes + value_bytes, bytes, key, value, n, 0, bits,
                                             d->stream),
             "sort");
        if (key.Current() != keys)
            good(d, cudaMemcpyAsync(keys, key.Current(), (size_t)n * sizeof(K), cudaMemcpyDeviceToDevice, d->stream),
                 "sort");
        if (value.Current() != values)
            good(d,
                 cudaMemcpyAsync(values, value.Current(), (size_t)n * sizeof(int), cudaMemcpyDeviceToDevice, d->stream),
                 "sort");
    }
    prc_launch_end(d);
}

void prc_sort(prc_device *d, uint32_t *keys, int *values, int n, int bits)
{
    sort(d, keys, values, n, bits);
}

void prc_sort(prc_device *d, uint64_t *keys, int *values, int n, int bits)
{
    sort(d, keys, values, n, bits);
}

bool prc_fold_room(prc_device *d, size_t numbers, double **partial, unsigned **arrived)
{
    if (!d->arrived.data && prc_reserve(d, &d->arrived, 1))
        prc_fill(d, d->arrived.data, 0, sizeof(unsigned));
    if (!d->arrived.data || !prc_reserve(d, &d->partial, numbers))
        return false;
    *partial = d->partial.data;
    *arrived = d->arrived.data;
    return true;
}

void prc_sum(prc_device *d, const double *columns, long stride, long n, int count, double *results)
{
    prc_each_folded<prc_fold_sum>(
        d, "sum", n, [=] PRC_DEVICE(int) {}, columns, stride, count, results);
}

void prc_max(prc_device *d, const double *columns, long stride, long n, int count, double *results)
{
    prc_each_folded<prc_fold_largest>(
        d, "max", n, [=] PRC_DEVICE(int) {}, columns, stride, count, results);
}

#include "backend/cuda/parcel_cuda.h"

/* ---- what C sees ---- */

static __global__ void probe_kernel()
{
}

static prc_result find_device(prc_device_info *info, prc_error *error)
{
    memset(info, 0, sizeof *info);
    cudaRuntimeGetVersion(&info->runtime);
    if (cudaDriverGetVersion(&info->driver) != cudaSuccess || info->driver == 0)
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "no GPU: there is no NVIDIA driver on this machine; install it, or use backend: cpu");
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (result == cudaErrorInsufficientDriver)
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "no GPU: the NVIDIA driver is too old (it supports CUDA %d.%d, this library needs %d.%d); "
                        "update it, or use backend: cpu",
                        info->driver / 1000, info->driver % 1000 / 10, info->runtime / 1000, info->runtime % 1000 / 10);
    if (result == cudaErrorNoDevice || (result == cudaSuccess && count == 0))
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "no GPU: the NVIDIA driver finds no device (does CUDA_VISIBLE_DEVICES hide it?); use "
                        "backend: cpu");
    if (result != cudaSuccess)
        return prc_fail(error, PRC_ERROR_DEVICE, "no GPU: %s; use backend: cpu", cudaGetErrorString(result));
    return PRC_OK;
}

static prc_result find(prc_device_info *info, prc_error *error)
{
    prc_result found = find_device(info, error);
    if (found)
        return found;
    int ordinal = 0;
    cudaDeviceProp property;
    cudaFuncAttributes attributes;
    cudaError_t result = cudaGetDevice(&ordinal);
    if (result == cudaSuccess)
        result = cudaGetDeviceProperties(&property, ordinal);
    if (result == cudaSuccess) {
        snprintf(info->name, sizeof info->name, "%.127s", property.name);
        info->processors = property.multiProcessorCount;
        info->major = property.major;
        info->minor = property.minor;
        result = cudaFuncGetAttributes(&attributes, (const void *)probe_kernel);
    }
    if (result == cudaSuccess)
        result = cudaMemGetInfo(&info->memory_free, &info->memory);
    cudaGetLastError();
    if (result == cudaErrorNoKernelImageForDevice || result == cudaErrorInvalidDeviceFunction ||
        result == cudaErrorUnsupportedPtxVersion)
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "%s: this library has no code for its compute capability, %d.%d (it is built for 8.0 and "
                        "later; see CMAKE_CUDA_ARCHITECTURES); use backend: cpu",
                        info->name, info->major, info->minor);
    if (result != cudaSuccess)
        return prc_fail(error, PRC_ERROR_DEVICE, "the GPU cannot be used: %s; use backend: cpu",
                        cudaGetErrorString(result));
    return PRC_OK;
}

/* A pool of its own, which keeps what is released until the end. */
static void create_pool(prc_device *d)
{
    int supported = 0;
    cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, d->ordinal);
    if (supported) {
        cudaMemPoolProps properties;
        memset(&properties, 0, sizeof properties);
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location.type = cudaMemLocationTypeDevice;
        properties.location.id = d->ordinal;
        uint64_t keep = UINT64_MAX;
        if (cudaMemPoolCreate(&d->pool, &properties) != cudaSuccess)
            d->pool = NULL;
        else
            cudaMemPoolSetAttribute(d->pool, cudaMemPoolAttrReleaseThreshold, &keep);
    }
    cudaGetLastError();
}

static void destroy(void *device)
{
    prc_device *d = (prc_device *)device;
    cudaSetDevice(d->ordinal);
    if (d->beside)
        cudaStreamSynchronize(d->beside);
    if (d->stream)
        cudaStreamSynchronize(d->stream);
    prc_release(d, &d->staging);
    prc_release(d, &d->scratch);
    prc_release(d, &d->partial);
    prc_release(d, &d->arrived);
    prc_release(d, &d->places);
    for (int k = 0; k < d->event_count; k++) {
        cudaEventDestroy(d->times[k].begin);
        cudaEventDestroy(d->times[k].end);
    }
    for (int k = 0; k < PIECE_COUNT; k++)
        if (d->piece_read[k])
            cudaEventDestroy(d->piece_read[k]);
    if (d->pinned)
        cudaFreeHost(d->pinned);
    if (d->staged)
        cudaEventDestroy(d->staged);
    if (d->left)
        cudaEventDestroy(d->left);
    if (d->beside)
        cudaStreamDestroy(d->beside);
    if (d->stream) {
        cudaStreamSynchronize(d->stream);
        cudaStreamDestroy(d->stream);
    }
    if (d->pool)
        cudaMemPoolDestroy(d->pool);
    cudaGetLastError();
    prc_free(d->times);
    prc_free(d);
}

static void *create(prc_error *error)
{
    prc_device_info info;
    if (find(&info, error))
        return NULL;
    prc_device *d = PRC_NEW(prc_device, 1);
    timed *times = PRC_NEW(timed, TIMED_COUNT);
    if (!d || !times) {
        prc_free(d);
        prc_free(times);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    d->table = &prc_device_cuda;
    d->times = times;
    d->processors = info.processors;
    d->memory = info.memory;
    bool made = good(d, cudaGetDevice(&d->ordinal), "be selected") &&
                good(d, cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "make a stream") &&
                good(d, cudaMallocHost((void **)&d->pinned, PINNED_BYTES), "pin memory for copies");
    if (made)
        memset(d->pinned + TOLD_AT, 0, PINNED_BYTES - TOLD_AT);
    for (int k = 0; k < PIECE_COUNT && made; k++)
        made = good(d, cudaEventCreateWithFlags(&d->piece_read[k], cudaEventDisableTiming), "make an event");
    if (!made) {
        if (error)
            *error = d->ledger.error;
        destroy(d);
        return NULL;
    }
    create_pool(d);
    /* What was compiled for older ones does not wait. */
    cudaFuncAttributes compiled;
    d->overlaps = cudaFuncGetAttributes(&compiled, tell_kernel) == cudaSuccess && compiled.ptxVersion >= 90;
    return d;
}

static prc_result status(void *device, prc_error *error)
{
    return prc_device_status((prc_device *)device, error);
}

static void profile(void *device, bool on)
{
    prc_device *d = (prc_device *)device;
    collect_times(d);
    d->ledger.profiling = on;
}

static bool profile_at(void *device, int k, prc_device_time *time)
{
    prc_device *d = (prc_device *)device;
    collect_times(d);
    return prc_ledger_at(&d->ledger, k, time);
}

static void count(void *device, prc_device_counts *counts)
{
    *counts = ((prc_device *)device)->ledger.counts;
}

static void fail_after(void *device, long launches)
{
    ((prc_device *)device)->ledger.fail_after = launches;
}

PRC_DEVICE_END

extern "C" const prc_device_table prc_device_cuda = {"cuda",         find,       create,      destroy,    status,
                                                     profile,        profile_at, count,       fail_after, parcel_create,
                                                     parcel_destroy, parcel_put, parcel_send, parcel_open};
