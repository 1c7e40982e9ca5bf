/* backend/cuda/launch_cuda.h — launches on a GPU: a thread or a warp per item, and cooperative kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_LAUNCH_CUDA_H
#define PRC_BACKEND_CUDA_LAUNCH_CUDA_H

#include <cuda_runtime.h>

PRC_DEVICE_BEGIN

/* Small blocks: a few thousand items already reach most multiprocessors. */
#define PRC_EACH_THREADS 128
/* Large ones: the fewer blocks, the cheaper a sync of all. But not the largest: threads of one block per multiprocessor
 * have the more registers, the fewer they are, and those of the conjugate gradients need 168. */
#define PRC_TOGETHER_THREADS 384

cudaStream_t prc_device_stream(prc_device *d);
/* Whether a kernel may be launched while the one before it still runs: prc_kernel_begin waits for that. */
bool prc_device_overlaps(const prc_device *d);

/* The first line of every kernel. Its blocks may have come early, to places that the kernel before it no longer needs:
 * here they wait until that has ended, and what it wrote is seen. So launches take no time of their own. */
static inline __device__ void prc_kernel_begin()
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion(); /* the next may come */
#endif
}

template <class... P, class... A>
void prc_launch(prc_device *d, void (*kernel)(P...), unsigned blocks, unsigned threads, const A &...arguments)
{
    cudaLaunchAttribute early;
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = prc_device_stream(d);
    config.attrs = &early;
    config.numAttrs = prc_device_overlaps(d) ? 1 : 0;
    cudaLaunchKernelEx(&config, kernel, P(arguments)...); /* prc_launch_end asks for errors */
}

template <int resident, class F>
__global__ void __launch_bounds__(PRC_EACH_THREADS, resident) prc_each_kernel(long n, F f)
{
    prc_kernel_begin();
    const long i = (long)blockIdx.x * PRC_EACH_THREADS + threadIdx.x;
    if (i < n)
        f((int)i);
}

/* f(i) for all i in [0, n), in parallel, in any order. A multiprocessor has room for `resident` blocks at least: the
 * more, the fewer registers a thread has. */
template <int resident = 1, class F> void prc_each(prc_device *d, const char *name, long n, F f)
{
    if (n <= 0 || !prc_launch_begin(d, name))
        return;
    const unsigned blocks = (unsigned)((n + PRC_EACH_THREADS - 1) / PRC_EACH_THREADS);
    prc_launch(d, prc_each_kernel<resident, F>, blocks, PRC_EACH_THREADS, n, f);
    prc_launch_end(d);
}

/* What every lane of a warp has one of. */
template <class T> struct prc_per_lane {
    T own;
    __device__ T &operator[](int)
    {
        return own;
    }
    __device__ const T &operator[](int) const
    {
        return own;
    }
};

/* 32 threads that go together. Lanes run each(), and what they write is seen by all of them after it; all else is the
 * same in all of them. */
struct prc_warp {
    int lane;

    template <class F> __device__ void each(F f) const
    {
        f(lane);
        __syncwarp();
    }
    /* After it lanes may overwrite what others have read before. */
    __device__ void sync() const
    {
        __syncwarp();
    }
    /* A bit per lane. */
    template <class F> __device__ unsigned ballot(F f) const
    {
        return __ballot_sync(0xffffffffu, f(lane));
    }
    /* NaN does not count. */
    __device__ float least(const prc_per_lane<float> &a) const
    {
        float v = a.own;
        for (int offset = 16; offset > 0; offset /= 2)
            v = fminf(v, __shfl_xor_sync(0xffffffffu, v, offset));
        return v;
    }
    /* Every lane's number becomes the sum of those before it; returns the sum of all. */
    __device__ int scan(prc_per_lane<int> &a) const
    {
        int v = a.own;
        for (int offset = 1; offset < PRC_WARP; offset *= 2) {
            const int before = __shfl_up_sync(0xffffffffu, v, offset);
            v += lane >= offset ? before : 0;
        }
        a.own = v - a.own;
        return __shfl_sync(0xffffffffu, v, PRC_WARP - 1);
    }
    /* Every lane gets the number of lane from(lane). */
    template <class T, class F> __device__ void move(const prc_per_lane<T> &a, prc_per_lane<T> &to, F from) const
    {
        to.own = __shfl_sync(0xffffffffu, a.own, from(lane));
    }
    __device__ int largest(const prc_per_lane<int> &a) const
    {
        int v = a.own;
        for (int offset = 16; offset > 0; offset /= 2) {
            const int other = __shfl_xor_sync(0xffffffffu, v, offset);
            v = other > v ? other : v;
        }
        return v;
    }
};

static inline __device__ int prc_bit_count(unsigned bits)
{
    return __popc(bits);
}
/* Of a number that is not 0. */
static inline __device__ int prc_lowest_bit(unsigned bits)
{
    return __ffs((int)bits) - 1;
}

template <class Shared, int resident, class F>
__global__ void __launch_bounds__(PRC_EACH_THREADS, resident *PRC_WARP / PRC_EACH_THREADS)
    prc_each_warp_kernel(long n, F f)
{
    __shared__ Shared shared[PRC_EACH_THREADS / PRC_WARP];
    prc_kernel_begin();
    const int own = threadIdx.x / PRC_WARP;
    const long i = (long)blockIdx.x * (PRC_EACH_THREADS / PRC_WARP) + own;
    const prc_warp warp = {(int)threadIdx.x % PRC_WARP};
    if (i < n)
        f(warp, shared[own], (int)i);
}

/* f(warp, shared, i) for all i in [0, n), by a warp each; `shared` is of the warp, and undefined at first.
 * A multiprocessor has room for `resident` warps at least; the more, the fewer registers a thread has: 64 for 32 of
 * them, 128 for 16. */
template <class Shared, int resident = 32, class F> void prc_each_warp(prc_device *d, const char *name, long n, F f)
{
    if (n <= 0 || !prc_launch_begin(d, name))
        return;
    const int per_block = PRC_EACH_THREADS / PRC_WARP;
    const unsigned blocks = (unsigned)((n + per_block - 1) / per_block);
    prc_launch(d, prc_each_warp_kernel<Shared, resident, F>, blocks, PRC_EACH_THREADS, n, f);
    prc_launch_end(d);
}

/* Of thread 0 alone: pairs of threads are folded, the last ones within a warp. */
template <class J> __device__ double prc_block_fold(double mine)
{
    __shared__ double v[PRC_SUM_THREADS];
    const int t = threadIdx.x;
    __syncthreads(); /* what the fold before left has been read */
    v[t] = mine;
    for (int width = PRC_SUM_THREADS / 2; width >= PRC_WARP; width /= 2) {
        __syncthreads();
        if (t < width)
            v[t] = mine = J::join(mine, v[t + width]);
    }
    if (t < PRC_WARP)
        for (int width = PRC_WARP / 2; width > 0; width /= 2)
            mine = J::join(mine, __shfl_down_sync(0xffffffffu, mine, (unsigned)width));
    return mine;
}

/* Whether all other blocks have been here; what they wrote before is then seen. What a block leaves is there before it
 * says so; only the last one has to look anew at what its cache holds, which would cost the others theirs. */
static inline __device__ bool prc_block_is_last(unsigned *arrived)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        unsigned before;
        asm volatile("atom.add.release.gpu.global.u32 %0, [%1], 1;" : "=r"(before) : "l"(arrived) : "memory");
        last = before == gridDim.x - 1;
        if (last)
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __syncthreads();
    return last;
}

/* Every block leaves what it has; the last to arrive folds that, in the order of blocks. */
template <class J, class F>
__global__ void __launch_bounds__(PRC_SUM_THREADS)
    prc_each_folded_kernel(long n, F f, const double *columns, long stride, int count, double *partial,
                           unsigned *arrived, double *results)
{
    prc_kernel_begin();
    const long first = (long)blockIdx.x * PRC_SUM_THREADS + threadIdx.x, step = (long)gridDim.x * PRC_SUM_THREADS;
    for (long i = first; i < n; i += step)
        f((int)i);
    double *to = gridDim.x > 1 ? partial + blockIdx.x : results;
    for (int c = 0; c < count; c++) {
        double mine = J::nothing();
        for (long i = first; i < n; i += step) /* what this thread has written */
            mine = J::join(mine, columns[c * stride + i]);
        mine = prc_block_fold<J>(mine);
        if (threadIdx.x == 0)
            to[(size_t)c * gridDim.x] = mine;
    }
    if (gridDim.x == 1)
        return;
    if (!prc_block_is_last(arrived))
        return;
    for (int c = 0; c < count; c++) {
        double mine = J::nothing();
        for (unsigned b = threadIdx.x; b < gridDim.x; b += PRC_SUM_THREADS)
            mine = J::join(mine, __ldcg(partial + (size_t)c * gridDim.x + b));
        mine = prc_block_fold<J>(mine);
        if (threadIdx.x == 0)
            results[c] = mine;
    }
    if (threadIdx.x == 0)
        *arrived = 0; /* for the next launch */
}

/* Room for so many partial results, and the counter of blocks, which is 0 between launches; false after an error. */
bool prc_fold_room(prc_device *d, size_t numbers, double **partial, unsigned **arrived);

template <class J, class F>
void prc_each_folded(prc_device *d, const char *name, long n, F f, const double *columns, long stride, int count,
                     double *results)
{
    const unsigned blocks = (unsigned)prc_sum_blocks(n);
    double *partial;
    unsigned *arrived;
    if (count <= 0 || !prc_fold_room(d, (size_t)count * blocks, &partial, &arrived) || !prc_launch_begin(d, name))
        return;
    prc_launch(d, prc_each_folded_kernel<J, F>, blocks, PRC_SUM_THREADS, n, f, columns, stride, count, partial, arrived,
               results);
    prc_launch_end(d);
}

/* The same for sums that are not kept item by item. */
template <int count, int resident, class F, class G, class I>
__global__ void __launch_bounds__(PRC_SUM_THREADS, resident)
    prc_each_summed_kernel(long n, F f, G finish, I idle, double *partial, unsigned *arrived)
{
    prc_kernel_begin();
    if (idle())
        return;
    const long first = (long)blockIdx.x * PRC_SUM_THREADS + threadIdx.x, step = (long)gridDim.x * PRC_SUM_THREADS;
    double mine[count], total[count];
    for (int c = 0; c < count; c++)
        mine[c] = 0;
    for (long i = first; i < n; i += step)
        f((int)i, mine);
    for (int c = 0; c < count; c++) {
        total[c] = prc_block_fold<prc_fold_sum>(mine[c]);
        if (threadIdx.x == 0)
            partial[(size_t)c * gridDim.x + blockIdx.x] = total[c];
    }
    if (!prc_block_is_last(arrived))
        return;
    for (int c = 0; c < count; c++) {
        mine[c] = 0;
        for (unsigned b = threadIdx.x; b < gridDim.x; b += PRC_SUM_THREADS)
            mine[c] += __ldcg(partial + (size_t)c * gridDim.x + b);
        total[c] = prc_block_fold<prc_fold_sum>(mine[c]);
    }
    if (threadIdx.x == 0) {
        finish((const double *)total);
        *arrived = 0; /* for the next launch */
    }
}

/* f(i, sums) for all i in [0, n), which adds its terms to sums[0 … count − 1]; then, once, finish(sums), with those of
 * all, in the order of prc_sum. Nothing of it where idle(). A multiprocessor has room for `resident` blocks at least.
 */
template <int count, int resident = 1, int most = PRC_SUM_BLOCKS, class F, class G, class I = prc_never>
void prc_each_summed(prc_device *d, const char *name, long n, F f, G finish, I idle = I())
{
    const unsigned blocks = (unsigned)prc_sum_blocks(n, most);
    double *partial;
    unsigned *arrived;
    if (!prc_fold_room(d, (size_t)count * blocks, &partial, &arrived) || !prc_launch_begin(d, name))
        return;
    prc_launch(d, prc_each_summed_kernel<count, resident, F, G, I>, blocks, PRC_SUM_THREADS, n, f, finish, idle,
               partial, arrived);
    prc_launch_end(d);
}

/* f(warp, w, sums) likewise for all w in [0, warps): every lane has sums of its own. */
template <int count, int resident = 1, class F, class G, class I = prc_never>
void prc_each_warp_summed(prc_device *d, const char *name, long warps, F f, G finish, I idle = I())
{
    prc_each_summed<count, resident, PRC_SUM_BLOCKS_SLOW>(
        d, name, PRC_WARP * warps,
        [=] __device__(int i, double *sums) {
            const prc_warp warp = {i % PRC_WARP};
            f(warp, i / PRC_WARP, sums);
        },
        finish, idle);
}

/* All threads of a cooperative launch. Every thread calls the members in the same order.
 *
 * Threads wait for each other by flags: every block has a place in memory that it alone writes, and looks at those of
 * all others. What is summed travels in the flags. That takes one way through the memory that blocks share, where a
 * counter (as in cooperative_groups) and sums beside it take three; and the conjugate gradients do little else.
 * A flag is the number of the meeting, counted from launch to launch, so that nothing has to be cleared; places are
 * used in turn by odd and even meetings, since a block may be at the next one while others still look at the last.
 * Numbers travel as two halves of 32 bits, each with the flag in one word: a word is never seen half written. */
struct prc_grid {
    unsigned *last;   /* number of the last meeting before this launch */
    uint64_t *places; /* odd and even; each PRC_GRID_SUMS × blocks × 2 words */
    mutable unsigned meeting;

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
    /* f(i) for n items and g(k) for m others, at the same time: every block has its part of both. */
    template <class F, class G> __device__ void each_beside(long n, long m, F f, G g) const
    {
        const long warps = 32L * gridDim.x, part = (n + warps - 1) / warps * 32, other = (m + warps - 1) / warps * 32;
        for (long i = threadIdx.x; i < part + other; i += PRC_TOGETHER_THREADS) {
            const long own = blockIdx.x * part + i, beside = blockIdx.x * other + i - part;
            if (i >= part && beside < m)
                g((int)beside);
            else if (i < part && own < n)
                f((int)own);
        }
    }
    /* f(warp, i), likewise in warps. */
    template <class F> __device__ void each_warp(long n, F f) const
    {
        const prc_warp warp = {(int)threadIdx.x % PRC_WARP};
        const long part = (n + gridDim.x - 1) / gridDim.x;
        const long start = blockIdx.x * part, end = start + part < n ? start + part : n;
        for (long i = start + threadIdx.x / PRC_WARP; i < end; i += WARPS)
            f(warp, (int)i);
    }
    /* All that any thread wrote before is seen by all after. */
    __device__ void sync() const
    {
        meeting++;
        __syncthreads(); /* all of the block have written */
        if (threadIdx.x == 0)
            tell(0, 0);
        for (unsigned b = threadIdx.x; b < gridDim.x; b += PRC_TOGETHER_THREADS)
            hear(0, b);
        if (threadIdx.x < gridDim.x)
            fence(); /* for all threads of the block, by the barrier */
        __syncthreads();
    }
    /* out[c] = Σ mine[c] over all threads, the same bits in every thread; contains a sync. */
    __device__ void sum(const double *mine, int count, double *out) const
    {
        __shared__ double part[PRC_GRID_SUMS][WARPS], total[PRC_GRID_SUMS][WARPS];
        const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        meeting++;

        /* Threads to warps, warps to the block. */
        for (int c = 0; c < count; c++) {
            const double v = warp_sum(mine[c]);
            if (lane == 0)
                part[c][warp] = v;
        }
        __syncthreads();
        for (int c = warp; c < count; c += WARPS) {
            const double v = warp_sum(lane < WARPS ? part[c][lane] : 0);
            if (lane == 0)
                tell(c, v);
        }

        /* Every block adds up all blocks, in the same order. */
        for (int c = 0; c < count; c++) {
            double v = 0;
            for (unsigned b = threadIdx.x; b < gridDim.x; b += PRC_TOGETHER_THREADS)
                v += hear(c, b);
            v = warp_sum(v);
            if (lane == 0)
                total[c][warp] = v;
        }
        if (threadIdx.x < gridDim.x)
            fence(); /* for all threads of the block, by the barrier */
        __syncthreads();
        for (int c = 0; c < count; c++) {
            double v = total[c][0];
            for (int w = 1; w < WARPS; w++)
                v += total[c][w];
            out[c] = v;
        }
    }

    __device__ void begin() const
    {
        meeting = *(volatile unsigned *)last;
    }
    /* Nobody reads `last` any more: all have met, or there was no meeting and it stays as it is. */
    __device__ void end() const
    {
        if (first())
            *(volatile unsigned *)last = meeting;
    }

  private:
    static constexpr int WARPS = PRC_TOGETHER_THREADS / 32;

    static __device__ void fence()
    {
        asm volatile("fence.acq_rel.gpu;" ::: "memory");
    }
    __device__ uint64_t *place(int c, unsigned block) const
    {
        return places + 2 * (((size_t)(meeting & 1) * PRC_GRID_SUMS + (size_t)c) * gridDim.x + block);
    }
    /* Leaves this block's number c of the meeting, after all that the block wrote before. */
    __device__ void tell(int c, double v) const
    {
        const uint64_t bits = (uint64_t)__double_as_longlong(v), flag = (uint64_t)meeting << 32;
        fence();
        asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %2};" ::"l"(place(c, blockIdx.x)),
                     "l"(flag | (bits & 0xffffffffu)), "l"(flag | (bits >> 32))
                     : "memory");
    }
    /* Waits for it from a block. */
    __device__ double hear(int c, unsigned block) const
    {
        const uint64_t *from = place(c, block);
        uint64_t low, high;
        do {
            asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(low), "=l"(high) : "l"(from) : "memory");
        } while ((unsigned)(low >> 32) != meeting || (unsigned)(high >> 32) != meeting);
        return __longlong_as_double((long long)(high << 32 | (low & 0xffffffffu)));
    }
    static __device__ double warp_sum(double v)
    {
        for (int offset = 16; offset > 0; offset /= 2)
            v += __shfl_down_sync(0xffffffffu, v, offset);
        return v;
    }
};

template <class F> __global__ void __launch_bounds__(PRC_TOGETHER_THREADS) prc_together_kernel(prc_grid grid, F f)
{
    grid.begin();
    f(grid);
    grid.end();
}

/* Blocks of a cooperative launch: as many as can be resident, at most two per multiprocessor, no more than `items`
 * threads need (0: not known). 0 after an error. Also gives the grid its places. */
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

/* Asks for a line of memory that will be read soon. */
static inline __device__ void prc_prefetch(const void *at)
{
    asm volatile("prefetch.L1 [%0];" ::"l"(at));
}

/* Integers only; the value before. */
static inline __device__ int prc_atomic_read(const int *from)
{
    return *(const volatile int *)from;
}
static inline __device__ int prc_atomic_add(int *to, int value)
{
    return atomicAdd(to, value);
}
static inline __device__ uint64_t prc_atomic_add(uint64_t *to, uint64_t value)
{
    return atomicAdd((unsigned long long *)to, (unsigned long long)value);
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
