/* kernel/lane.h — one number per vertex, several vertices at once.
 *
 * All physics is written once, on values of type prc_lane. On the CPU a lane value holds PRC_LANES numbers (one
 * per vertex, as wide as the machine's registers) and the compiler's vector arithmetic does the rest; on a GPU, and
 * with PRC_LANES = 1, it is a plain number. Every operation is elementwise and exactly rounded, and the order of sums
 * never depends on the width, so all widths give the same bits.
 *
 * Rejected: letting the compiler vectorise the vertex loop by itself (neither gcc 12 nor clang 14 vectorises a loop
 * whose body holds the loop over the bonds). SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_LANE_H
#define PRC_KERNEL_LANE_H

#include <math.h>
#include <stdint.h>

#include "kernel/portable.h"

#if PRC_REAL_FLOAT
typedef float prc_real;
typedef int32_t prc_bits;
#else
typedef double prc_real;
typedef int64_t prc_bits;
#endif

/* A constant in the working precision. */
#define R(value) ((prc_real)(value))

#ifndef PRC_LANES
#if defined(__CUDACC__)
#define PRC_LANES 1
#elif defined(__AVX512F__)
#define PRC_LANES (64 / (PRC_REAL_FLOAT ? 4 : 8))
#elif defined(__AVX2__)
#define PRC_LANES (32 / (PRC_REAL_FLOAT ? 4 : 8))
#else
#define PRC_LANES (16 / (PRC_REAL_FLOAT ? 4 : 8))
#endif
#endif

#if PRC_LANES == 1

typedef prc_real prc_lane;
typedef int prc_mask;
typedef int prc_lane_index;

PRC_INLINE prc_lane prc_splat(prc_real a)
{
    return a;
}
PRC_INLINE prc_lane prc_load(const prc_real *p)
{
    return *p;
}
PRC_INLINE void prc_store(prc_real *p, prc_lane a)
{
    *p = a;
}
PRC_INLINE prc_lane_index prc_load_index(const int *p)
{
    return *p;
}
PRC_INLINE prc_lane prc_gather(const prc_real *p, prc_lane_index i)
{
    return p[i];
}
PRC_INLINE prc_lane prc_select(prc_mask m, prc_lane a, prc_lane b)
{
    return m ? a : b;
}
PRC_INLINE prc_lane prc_sqrt(prc_lane a)
{
    return PRC_REAL_FLOAT ? (prc_real)sqrtf((float)a) : (prc_real)sqrt((double)a);
}
PRC_INLINE prc_real prc_lane_get(prc_lane a, int lane)
{
    (void)lane;
    return a;
}
#define PRC_EACH_LANE(result, expression, a)                                                                           \
    do {                                                                                                               \
        prc_real x = (a);                                                                                              \
        (result) = (expression);                                                                                       \
    } while (0)

#else /* vector registers */

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef prc_real prc_lane __attribute__((vector_size(PRC_LANES * sizeof(prc_real))));
typedef prc_bits prc_mask __attribute__((vector_size(PRC_LANES * sizeof(prc_real))));
typedef int prc_lane_index __attribute__((vector_size(PRC_LANES * sizeof(int))));
typedef prc_lane prc_lane_in_memory __attribute__((may_alias));
typedef prc_lane_index prc_index_in_memory __attribute__((may_alias));

PRC_INLINE prc_lane prc_splat(prc_real a)
{
    prc_lane zero = {0};
    return zero + a;
}
PRC_INLINE prc_lane prc_load(const prc_real *p)
{
    return *(const prc_lane_in_memory *)p;
}
PRC_INLINE void prc_store(prc_real *p, prc_lane a)
{
    *(prc_lane_in_memory *)p = a;
}
PRC_INLINE prc_lane_index prc_load_index(const int *p)
{
    return *(const prc_index_in_memory *)p;
}
PRC_INLINE prc_lane prc_select(prc_mask m, prc_lane a, prc_lane b)
{
    return (prc_lane)((m & (prc_mask)a) | (~m & (prc_mask)b));
}
PRC_INLINE prc_real prc_lane_get(prc_lane a, int lane)
{
    return a[lane];
}

PRC_INLINE prc_lane prc_gather(const prc_real *p, prc_lane_index i)
{
#if defined(__AVX512F__) && PRC_REAL_FLOAT
    return (prc_lane)_mm512_i32gather_ps((__m512i)i, p, 4);
#elif defined(__AVX512F__)
    return (prc_lane)_mm512_i32gather_pd((__m256i)i, p, 8);
#elif defined(__AVX2__) && PRC_REAL_FLOAT
    return (prc_lane)_mm256_i32gather_ps(p, (__m256i)i, 4);
#elif defined(__AVX2__)
    return (prc_lane)_mm256_i32gather_pd(p, (__m128i)i, 8);
#else
    prc_lane a;
    for (int k = 0; k < PRC_LANES; k++)
        a[k] = p[i[k]];
    return a;
#endif
}

PRC_INLINE prc_lane prc_sqrt(prc_lane a)
{
#if defined(__AVX512F__) && PRC_REAL_FLOAT
    return (prc_lane)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX512F__)
    return (prc_lane)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX2__) && PRC_REAL_FLOAT
    return (prc_lane)_mm256_sqrt_ps((__m256)a);
#elif defined(__AVX2__)
    return (prc_lane)_mm256_sqrt_pd((__m256d)a);
#elif defined(__SSE2__) && PRC_REAL_FLOAT
    return (prc_lane)_mm_sqrt_ps((__m128)a);
#elif defined(__SSE2__)
    return (prc_lane)_mm_sqrt_pd((__m128d)a);
#else
    for (int k = 0; k < PRC_LANES; k++)
        a[k] = PRC_REAL_FLOAT ? (prc_real)sqrtf((float)a[k]) : (prc_real)sqrt((double)a[k]);
    return a;
#endif
}

/* result[lane] = expression in x, with x = a[lane]: for what has no vector form (logarithms, tables). */
#define PRC_EACH_LANE(result, expression, a)                                                                           \
    do {                                                                                                               \
        const prc_lane a_ = (a);                                                                                       \
        for (int k_ = 0; k_ < PRC_LANES; k_++) {                                                                       \
            const prc_real x = a_[k_];                                                                                 \
            (result)[k_] = (expression);                                                                               \
        }                                                                                                              \
    } while (0)

#endif

PRC_INLINE prc_lane prc_max(prc_lane a, prc_lane b)
{
    return prc_select(a > b, a, b);
}
PRC_INLINE prc_lane prc_min(prc_lane a, prc_lane b)
{
    return prc_select(a < b, a, b);
}
PRC_INLINE prc_lane prc_log(prc_lane a)
{
    prc_lane y;
    PRC_EACH_LANE(y, PRC_REAL_FLOAT ? (prc_real)logf((float)x) : (prc_real)log((double)x), a);
    return y;
}
PRC_INLINE prc_lane prc_exp(prc_lane a)
{
    prc_lane y;
    PRC_EACH_LANE(y, PRC_REAL_FLOAT ? (prc_real)expf((float)x) : (prc_real)exp((double)x), a);
    return y;
}

/* Diagonal blocks (N/m) whose inverse is found by way of a scaled one: from where on, and the power of two. */
#define PRC_BLOCK_LARGE 1e9
#define PRC_BLOCK_SMALL 1e-9
#define PRC_BLOCK_SHRINK 0x1p-40

#endif
