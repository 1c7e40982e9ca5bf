/* backend/cuda/launch_host.h — launches of a device that is the CPU: plain loops.
 *
 * With OpenMP prc_each is spread over threads, so that a thread sanitizer sees items that touch each other's data.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_LAUNCH_HOST_H
#define PRC_BACKEND_CUDA_LAUNCH_HOST_H

PRC_DEVICE_BEGIN

template <int resident = 1, class F> void prc_each(prc_device *d, const char *name, long n, F f)
{
    if (n <= 0 || !prc_launch_begin(d, name))
        return;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (n >= 64)
#endif
    for (long i = 0; i < n; i++)
        f((int)i);
    prc_launch_end(d);
}

/* What every lane of a warp has one of. */
template <class T> struct prc_per_lane {
    T own[PRC_WARP];
    T &operator[](int lane)
    {
        return own[lane];
    }
    const T &operator[](int lane) const
    {
        return own[lane];
    }
};

/* Lanes in turn. */
struct prc_warp {
    template <class F> void each(F f) const
    {
        for (int lane = 0; lane < PRC_WARP; lane++)
            f(lane);
    }
    void sync() const
    {
    }
    template <class F> unsigned ballot(F f) const
    {
        unsigned bits = 0;
        for (int lane = 0; lane < PRC_WARP; lane++)
            bits |= (unsigned)(f(lane) ? 1 : 0) << lane;
        return bits;
    }
    float least(const prc_per_lane<float> &a) const
    {
        float v = a[0];
        for (int lane = 1; lane < PRC_WARP; lane++)
            v = fminf(v, a[lane]);
        return v;
    }
    int scan(prc_per_lane<int> &a) const
    {
        int sum = 0;
        for (int lane = 0; lane < PRC_WARP; lane++) {
            const int own = a[lane];
            a[lane] = sum;
            sum += own;
        }
        return sum;
    }
    template <class T, class F> void move(const prc_per_lane<T> &a, prc_per_lane<T> &to, F from) const
    {
        const prc_per_lane<T> before = a;
        for (int lane = 0; lane < PRC_WARP; lane++)
            to[lane] = before[from(lane)];
    }
    int largest(const prc_per_lane<int> &a) const
    {
        int v = a[0];
        for (int lane = 1; lane < PRC_WARP; lane++)
            v = a[lane] > v ? a[lane] : v;
        return v;
    }
};

static inline int prc_bit_count(unsigned bits)
{
    return __builtin_popcount(bits);
}
static inline int prc_lowest_bit(unsigned bits)
{
    return __builtin_ctz(bits);
}

template <class Shared, int resident = 32, class F> void prc_each_warp(prc_device *d, const char *name, long n, F f)
{
    prc_each(d, name, n, [=](int i) {
        Shared shared;
        f(prc_warp(), shared, i);
    });
}

/* What one block of a GPU makes of numbers: its threads go through them in strides, then pairs of threads are folded.
 */
template <class J> double prc_block_fold(const double *x, long n, long first, long stride)
{
    double v[PRC_SUM_THREADS];
    for (int t = 0; t < PRC_SUM_THREADS; t++) {
        v[t] = J::nothing();
        for (long i = first + t; i < n; i += stride)
            v[t] = J::join(v[t], x[i]);
    }
    for (int width = PRC_SUM_THREADS / 2; width > 0; width /= 2)
        for (int t = 0; t < width; t++)
            v[t] = J::join(v[t], v[t + width]);
    return v[0];
}

template <class J, class F>
void prc_each_folded(prc_device *d, const char *name, long n, F f, const double *columns, long stride, int count,
                     double *results)
{
    if (count <= 0 || !prc_launch_begin(d, name))
        return;
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (n >= 64)
#endif
    for (long i = 0; i < n; i++)
        f((int)i);
    const int blocks = prc_sum_blocks(n);
    for (int c = 0; c < count; c++) {
        double partial[PRC_SUM_BLOCKS];
        for (int b = 0; b < blocks; b++)
            partial[b] =
                prc_block_fold<J>(columns + c * stride, n, (long)b * PRC_SUM_THREADS, (long)blocks * PRC_SUM_THREADS);
        results[c] = blocks > 1 ? prc_block_fold<J>(partial, blocks, 0, PRC_SUM_THREADS) : partial[0];
    }
    prc_launch_end(d);
}

/* What the threads of one block of a GPU sum up. */
template <int count, class F> void prc_block_sum(long n, F f, int block, int blocks, double *partial)
{
    double v[PRC_SUM_THREADS][count] = {};
    for (int t = 0; t < PRC_SUM_THREADS; t++)
        for (long i = (long)block * PRC_SUM_THREADS + t; i < n; i += (long)blocks * PRC_SUM_THREADS)
            f((int)i, v[t]);
    for (int width = PRC_SUM_THREADS / 2; width > 0; width /= 2)
        for (int t = 0; t < width; t++)
            for (int c = 0; c < count; c++)
                v[t][c] += v[t + width][c];
    for (int c = 0; c < count; c++)
        partial[c * PRC_SUM_BLOCKS + block] = v[0][c];
}

template <int count, int resident = 1, class F, class G, class I = prc_never>
void prc_each_summed(prc_device *d, const char *name, long n, F f, G finish, I idle = I())
{
    if (!prc_launch_begin(d, name))
        return;
    if (idle()) {
        prc_launch_end(d);
        return;
    }
    const int blocks = prc_sum_blocks(n);
    double partial[count * PRC_SUM_BLOCKS], total[count];
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (n >= 64)
#endif
    for (int b = 0; b < blocks; b++)
        prc_block_sum<count>(n, f, b, blocks, partial);
    for (int c = 0; c < count; c++)
        total[c] = prc_block_fold<prc_fold_sum>(partial + c * PRC_SUM_BLOCKS, blocks, 0, PRC_SUM_THREADS);
    finish((const double *)total);
    prc_launch_end(d);
}

template <int count, int resident = 1, class F, class G, class I = prc_never>
void prc_each_warp_summed(prc_device *d, const char *name, long warps, F f, G finish, I idle = I())
{
    prc_each_summed<count>(
        d, name, warps, [=](int w, double *sums) { f(prc_warp(), w, sums); }, finish, idle);
}

/* All threads of a cooperative launch: here there is one. */
struct prc_grid {
    template <class F> void each(long n, F f) const
    {
        for (long i = 0; i < n; i++)
            f((int)i);
    }
    template <class F, class G> void each_beside(long n, long m, F f, G g) const
    {
        each(n, f);
        each(m, g);
    }
    template <class F> void each_warp(long n, F f) const
    {
        each(n, [&](int i) { f(prc_warp(), i); });
    }
    bool first() const
    {
        return true;
    }
    long thread() const
    {
        return 0;
    }
    long threads() const
    {
        return 1;
    }
    void sync() const
    {
    }
    void sum(const double *mine, int count, double *out) const
    {
        for (int c = 0; c < count; c++)
            out[c] = mine[c];
    }
};

template <class F> void prc_together(prc_device *d, const char *name, F f, long items = 0)
{
    (void)items;
    if (!prc_launch_begin(d, name))
        return;
    prc_grid grid;
    f(grid);
    prc_launch_end(d);
}

static inline void prc_prefetch(const void *at)
{
    __builtin_prefetch(at);
}

/* Integers only; the value before. */
static inline int prc_atomic_read(const int *from)
{
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}
static inline int prc_atomic_add(int *to, int value)
{
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}
static inline uint64_t prc_atomic_add(uint64_t *to, uint64_t value)
{
    return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}
static inline int prc_atomic_or(int *to, int value)
{
    return __atomic_fetch_or(to, value, __ATOMIC_RELAXED);
}
static inline int prc_atomic_max(int *to, int value)
{
    int before = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (before < value &&
           !__atomic_compare_exchange_n(to, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
}
static inline int prc_atomic_min(int *to, int value)
{
    int before = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (before > value &&
           !__atomic_compare_exchange_n(to, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
}
static inline uint64_t prc_atomic_min(uint64_t *to, uint64_t value)
{
    uint64_t before = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (before > value &&
           !__atomic_compare_exchange_n(to, &before, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return before;
}

PRC_DEVICE_END

#endif
