/* backend/cuda/launch_cuda.h — launches on a GPU: one thread per item, and cooperative kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_LAUNCH_CUDA_H
#define PRC_BACKEND_CUDA_LAUNCH_CUDA_H

#include <cooperative_groups.h>
#include <cuda_runtime.h>

PRC_DEVICE_BEGIN

/* Small blocks: a few thousand items already reach most multiprocessors. */
#define PRC_EACH_THREADS 128
/* Large ones: the fewer blocks, the cheaper a sync of all. */
#define PRC_TOGETHER_THREADS 512

cudaStream_t prc_device_stream(prc_device *d);

template <class F> __global__ void __launch_bounds__(PRC_EACH_THREADS) prc_each_kernel(long n, F f)
{
    const long i = (long)blockIdx.x * PRC_EACH_THREADS + threadIdx.x;
    if (i < n)
        f((int)i);
}

/* f(i) for all i in [0, n), in parallel, in any order. */
template <class F> void prc_each(prc_device *d, const char *name, long n, F f)
{
    if (n <= 0 || !prc_launch_begin(d, name))
        return;
    const unsigned blocks = (unsigned)((n + PRC_EACH_THREADS - 1) / PRC_EACH_THREADS);
    prc_each_kernel<<<blocks, PRC_EACH_THREADS, 0, prc_device_stream(d)>>>(n, f);
    prc_launch_end(d);
}

/* All threads of a cooperative launch. Every thread calls the members in the same order. */
struct prc_grid {
    double
        *slots; /* two sets in turn, each PRC_GRID_SUMS per block: a second sum may start while some read the first */
    mutable int turn;

    __device__ long thread() const
    {
        return (long)blockIdx.x * PRC_TOGETHER_THREADS + threadIdx.x;
    }
    __device__ long threads() const
    {
        return (long)gridDim.x * PRC_TOGETHER_THREADS;
    }
    __device__ bool first() const
    {
        return thread() == 0;
    }
    /* Every block takes a part of its own, in warps: few items also reach all multiprocessors, and neighbours among
     * them share a cache. */
    template <class F> __device__ void each(long n, F f) const
    {
        const long part = (n + 32L * gridDim.x - 1) / (32L * gridDim.x) * 32;
        const long start = blockIdx.x * part, end = start + part < n ? start + part : n;
        for (long i = start + threadIdx.x; i < end; i += PRC_TOGETHER_THREADS)
            f((int)i);
    }
    /* All that any thread wrote before is seen by all after. */
    __device__ void sync() const
    {
        cooperative_groups::this_grid().sync();
    }
    /* out[c] = Σ mine[c] over all threads, the same bits in every thread; contains a sync. */
    __device__ void sum(const double *mine, int count, double *out) const
    {
        __shared__ double part[PRC_GRID_SUMS][PRC_TOGETHER_THREADS / 32];
        __shared__ double total[PRC_GRID_SUMS];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = PRC_TOGETHER_THREADS / 32;
        double *slot = slots + (size_t)turn * PRC_GRID_SUMS * gridDim.x;
        turn = !turn;

        /* Threads to warps, warps to the block's slot. */
        for (int c = 0; c < count; c++) {
            const double v = warp_sum(mine[c]);
            if (lane == 0)
                part[c][warp] = v;
        }
        __syncthreads();
        for (int c = warp; c < count; c += warps) {
            const double v = warp_sum(lane < warps ? part[c][lane] : 0);
            if (lane == 0)
                slot[(size_t)c * gridDim.x + blockIdx.x] = v;
        }
        sync();

        /* Every block adds up all slots, in the same order. */
        for (int c = warp; c < count; c += warps) {
            double v = 0;
            for (unsigned b = lane; b < gridDim.x; b += 32)
                v += __ldcg(slot + (size_t)c * gridDim.x + b);
            v = warp_sum(v);
            if (lane == 0)
                total[c] = v;
        }
        __syncthreads();
        for (int c = 0; c < count; c++)
            out[c] = total[c];
    }

  private:
    static __device__ double warp_sum(double v)
    {
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffffu, v, offset);
        return v;
    }
};

template <class F> __global__ void __launch_bounds__(PRC_TOGETHER_THREADS) prc_together_kernel(prc_grid grid, F f)
{
    f(grid);
}

/* Blocks of a cooperative launch: as many as can be resident, at most two per multiprocessor, no more than `items`
 * threads need (0: not known). 0 after an error. Also gives the grid its slots. */
int prc_together_blocks(prc_device *d, const void *kernel, long items, prc_grid *grid);

/* f(grid) in every thread of one cooperative kernel. */
template <class F> void prc_together(prc_device *d, const char *name, F f, long items = 0)
{
    if (!prc_launch_begin(d, name))
        return;
    const void *kernel = (const void *)prc_together_kernel<F>;
    prc_grid grid;
    const int blocks = prc_together_blocks(d, kernel, items, &grid);
    if (blocks > 0) {
        void *arguments[] = {&grid, &f};
        cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3(PRC_TOGETHER_THREADS), arguments, 0,
                                    prc_device_stream(d));
    }
    prc_launch_end(d);
}

/* Integers only; the value before. */
static inline __device__ int prc_atomic_add(int *to, int value)
{
    return atomicAdd(to, value);
}
static inline __device__ int prc_atomic_or(int *to, int value)
{
    return atomicOr(to, value);
}
static inline __device__ int prc_atomic_max(int *to, int value)
{
    return atomicMax(to, value);
}
static inline __device__ int prc_atomic_min(int *to, int value)
{
    return atomicMin(to, value);
}
static inline __device__ uint64_t prc_atomic_min(uint64_t *to, uint64_t value)
{
    return atomicMin((unsigned long long *)to, (unsigned long long)value);
}

PRC_DEVICE_END

#endif
