/* kernel/wide.h — several single-precision numbers at once, for box tests and the distance filter.
 *
 * As many as a register holds, PRC_LANE; eights (PRC_WIDE: the slots of a tree's node) are taken in that many turns.
 * With PRC_LANE 1, for code of devices, it is a plain number. Every operation is elementwise and exactly rounded, so
 * all machines decide alike. One type of eight for all machines was rejected: without AVX gcc 12 takes its comparisons
 * apart, number by number. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_WIDE_H
#define PRC_KERNEL_WIDE_H

#include "kernel/portable.h"

#include <stdint.h>

#define PRC_WIDE 8
#ifndef PRC_LANE /* search_avx2.c sets it */
#if defined(__AVX2__)
#define PRC_LANE 8
#else
#define PRC_LANE 4
#endif
#endif
#define PRC_WIDE_INLINE PRC_INLINE

#if PRC_LANE == 1

#include <math.h>

typedef float prc_wide;
typedef int32_t prc_wide_int;

PRC_WIDE_INLINE prc_wide prc_wide_all(float a)
{
    return a;
}

PRC_WIDE_INLINE prc_wide prc_wide_select(prc_wide_int m, prc_wide a, prc_wide b)
{
    return m ? a : b;
}

PRC_WIDE_INLINE prc_wide prc_wide_min(prc_wide a, prc_wide b)
{
    return a < b ? a : b;
}

PRC_WIDE_INLINE prc_wide prc_wide_max(prc_wide a, prc_wide b)
{
    return a > b ? a : b;
}

/* The largest of a, b and 0; one instruction each on a GPU. */
PRC_WIDE_INLINE prc_wide prc_wide_gap(prc_wide a, prc_wide b)
{
    return fmaxf(fmaxf(a, b), 0.0f);
}

PRC_WIDE_INLINE unsigned prc_wide_bits(prc_wide_int m)
{
    return m != 0;
}

#else /* vector registers */

#if defined(__SSE2__)
#include <immintrin.h>
#endif

typedef float prc_wide __attribute__((vector_size(PRC_LANE * sizeof(float)), may_alias));
typedef int32_t prc_wide_int __attribute__((vector_size(PRC_LANE * sizeof(int32_t)), may_alias));

PRC_WIDE_INLINE prc_wide prc_wide_all(float a)
{
    const prc_wide zero = {0};
    return zero + a;
}

PRC_WIDE_INLINE prc_wide_int prc_wide_all_int(int a)
{
    const prc_wide_int zero = {0};
    return zero + a;
}

/* From memory aligned to the type. */
PRC_WIDE_INLINE prc_wide prc_wide_load(const float *a)
{
    return *(const prc_wide *)a;
}

PRC_WIDE_INLINE prc_wide_int prc_wide_load_int(const int32_t *a)
{
    return *(const prc_wide_int *)a;
}

PRC_WIDE_INLINE prc_wide prc_wide_select(prc_wide_int m, prc_wide a, prc_wide b)
{
    return (prc_wide)((m & (prc_wide_int)a) | (~m & (prc_wide_int)b));
}

/* As the instructions of the same name: b where the two do not compare. */
PRC_WIDE_INLINE prc_wide prc_wide_min(prc_wide a, prc_wide b)
{
#if PRC_LANE == 8
    return (prc_wide)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (prc_wide)_mm_min_ps((__m128)a, (__m128)b);
#else
    return prc_wide_select(a < b, a, b);
#endif
}

PRC_WIDE_INLINE prc_wide prc_wide_max(prc_wide a, prc_wide b)
{
#if PRC_LANE == 8
    return (prc_wide)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__SSE2__)
    return (prc_wide)_mm_max_ps((__m128)a, (__m128)b);
#else
    return prc_wide_select(a > b, a, b);
#endif
}

PRC_WIDE_INLINE prc_wide prc_wide_gap(prc_wide a, prc_wide b)
{
    return prc_wide_max(prc_wide_max(a, b), prc_wide_all(0));
}

/* Four numbers, a row of memory aligned to it. */
typedef float prc_quad __attribute__((vector_size(16), may_alias));

/* Column c of the PRC_LANE rows row[index[k]] becomes column[c], four columns. */
PRC_WIDE_INLINE void prc_wide_columns(const float (*row)[4], const int *index, prc_wide column[4])
{
    prc_quad t[PRC_LANE / 4][4];
    for (int k = 0; k < PRC_LANE; k += 4) {
        const prc_quad a = *(const prc_quad *)row[index[k]], b = *(const prc_quad *)row[index[k + 1]];
        const prc_quad c = *(const prc_quad *)row[index[k + 2]], d = *(const prc_quad *)row[index[k + 3]];
        const prc_quad ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab2 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        const prc_quad cd = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        t[k / 4][0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
        t[k / 4][1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
        t[k / 4][2] = __builtin_shufflevector(ab2, cd2, 0, 1, 4, 5);
        t[k / 4][3] = __builtin_shufflevector(ab2, cd2, 2, 3, 6, 7);
    }
    for (int c = 0; c < 4; c++)
#if PRC_LANE == 8
        column[c] = __builtin_shufflevector(t[0][c], t[1][c], 0, 1, 2, 3, 4, 5, 6, 7);
#else
        column[c] = t[0][c];
#endif
}

/* to[k] = from[place[k]] for eight numbers; `from` is aligned to 32 bytes. */
PRC_WIDE_INLINE void prc_wide_pick(int32_t *to, const int32_t *from, const unsigned char place[PRC_WIDE])
{
#if PRC_LANE == 8
    const __m256i index = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)place));
    const __m256i row = _mm256_load_si256((const __m256i *)(const void *)from);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(row, index));
#else
    for (int k = 0; k < PRC_WIDE; k++)
        to[k] = from[place[k]];
#endif
}

/* One bit per number: set where the comparison m held. */
PRC_WIDE_INLINE unsigned prc_wide_bits(prc_wide_int m)
{
#if PRC_LANE == 8
    return (unsigned)_mm256_movemask_ps((__m256)m);
#elif defined(__SSE2__)
    return (unsigned)_mm_movemask_ps((__m128)m);
#else
    unsigned bits = 0;
    for (int k = 0; k < PRC_LANE; k++)
        bits |= (unsigned)(m[k] & 1) << k;
    return bits;
#endif
}

#endif

PRC_WIDE_INLINE prc_wide prc_wide_clamp(prc_wide a)
{
    return prc_wide_min(prc_wide_max(a, prc_wide_all(0)), prc_wide_all(1));
}

#endif
