/* kernel/thin.h — numbers of few bits, for linear systems that are read from memory at its speed: part of
 * kernel/ring.h.
 *
 * The linear solver of a device sees bonds so in scenes that are not small. It solves to a few digits, and the
 * gradient, which says what the solution is, has none of this. In double precision bonds stay what they are.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_THIN_H
#define PRC_KERNEL_THIN_H

#include "kernel/membrane.h"

#if PRC_REAL_FLOAT

#ifndef __CUDA_ARCH__
#include <string.h>
#endif

PRC_INLINE float prc_float_from_bits(unsigned bits)
{
#ifdef __CUDA_ARCH__
    return __uint_as_float(bits);
#else
    float a;
    memcpy(&a, &bits, sizeof a);
    return a;
#endif
}
PRC_INLINE unsigned prc_float_bits(float a)
{
#ifdef __CUDA_ARCH__
    return __float_as_uint(a);
#else
    unsigned bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
#endif
}

/* A whole number less than 2^23 is in the last bits of 2^23 and it: so nothing has to be converted, which is slow on a
 * GPU. */
#define PRC_THIN_BASE 8388608.0f
#define PRC_THIN_BASE_BITS 0x4b000000u

/* bond_f, bond_x and bond_k as seven numbers of 16 bits, in units of what a ring has at most, / 32767: 16 bytes instead
 * of 28. The product stays symmetric and positive, since every ring has the same numbers on both sides of its tangent.
 */
typedef struct prc_thin {
    unsigned f, x, k, k2; /* two numbers each, the first in the lower half; k2 has one */
} __attribute__((aligned(16))) prc_thin;

#define PRC_THIN_MOST 32767
#define PRC_THIN_ZERO (PRC_THIN_MOST + 1)

PRC_INLINE unsigned prc_thin_of(prc_real a, prc_real unit)
{
    const prc_real units = unit > R(0) ? a / unit : R(0);
    return (unsigned)(PRC_THIN_ZERO + (int)(units < R(0) ? units - R(0.5) : units + R(0.5)));
}

PRC_INLINE prc_real prc_thin_number(unsigned bits)
{
    return prc_float_from_bits(PRC_THIN_BASE_BITS | bits) - (PRC_THIN_BASE + PRC_THIN_ZERO);
}

PRC_INLINE prc_real prc_thin_half(unsigned two, int second)
{
    return prc_thin_number(second ? two >> 16 : two & 0xffffu);
}

/* What a bond pushes: three numbers of 18 bits in units of a power of two, which suits the largest, and its exponent.
 * 8 bytes instead of the 16 of a vector of four, and within 8e-6 of the largest. A rounding like any other: the product
 * is symmetric to that. */
typedef struct prc_thin_push {
    unsigned low, high; /* x, y, z from the lowest bit on, then the exponent of the unit */
} __attribute__((aligned(8))) prc_thin_push;

#define PRC_PUSH_BITS 18
#define PRC_PUSH_MASK ((1u << PRC_PUSH_BITS) - 1)
#define PRC_PUSH_ZERO (1 << (PRC_PUSH_BITS - 1))
/* A little more than a power of two, so that the largest is not rounded to one too many. */
#define PRC_PUSH_MORE ((float)PRC_PUSH_ZERO / (PRC_PUSH_ZERO - 1))
#define PRC_PUSH_LEAST (PRC_PUSH_BITS - 1) /* exponent of a float whose unit is the least that there is */
#define PRC_PUSH_NOT_FINITE 255u

PRC_INLINE unsigned prc_thin_push_number(prc_real a, prc_real per_unit)
{
    return prc_float_bits(a * per_unit + (PRC_THIN_BASE + PRC_PUSH_ZERO)) & PRC_PUSH_MASK;
}

PRC_INLINE prc_thin_push prc_thin_push_of(prc_vec3 t)
{
    const unsigned x = prc_float_bits(t.x) << 1, y = prc_float_bits(t.y) << 1,
                   z = prc_float_bits(t.z) << 1; /* without sign */
    const unsigned larger = x > y ? x : y, most = (larger > z ? larger : z) >> 24;
    const unsigned exponent = most > PRC_PUSH_LEAST ? most : PRC_PUSH_LEAST;
    const unsigned unit = exponent == PRC_PUSH_NOT_FINITE ? exponent : exponent + 1 - PRC_PUSH_LEAST;
    const prc_real per_unit = prc_float_from_bits((253u + PRC_PUSH_LEAST - exponent) << 23) * (1 / PRC_PUSH_MORE);
    const unsigned second = prc_thin_push_number(t.y, per_unit);
    prc_thin_push push;
    push.low = prc_thin_push_number(t.x, per_unit) | second << PRC_PUSH_BITS;
    push.high = second >> (32 - PRC_PUSH_BITS) | prc_thin_push_number(t.z, per_unit) << (2 * PRC_PUSH_BITS - 32) |
                unit << (3 * PRC_PUSH_BITS - 32);
    return push;
}

PRC_INLINE prc_real prc_thin_push_from(unsigned bits, prc_real unit)
{
    return unit * (prc_float_from_bits(PRC_THIN_BASE_BITS | (bits & PRC_PUSH_MASK)) - (PRC_THIN_BASE + PRC_PUSH_ZERO));
}

PRC_INLINE prc_vec3 prc_thin_push_get(prc_thin_push push)
{
    const prc_real unit = prc_float_from_bits(push.high >> (3 * PRC_PUSH_BITS - 32) << 23) * PRC_PUSH_MORE;
    const unsigned second = push.low >> PRC_PUSH_BITS | push.high << (32 - PRC_PUSH_BITS);
    return prc_vec3_make(prc_thin_push_from(push.low, unit), prc_thin_push_from(second, unit),
                         prc_thin_push_from(push.high >> (2 * PRC_PUSH_BITS - 32), unit));
}

#endif

#endif
