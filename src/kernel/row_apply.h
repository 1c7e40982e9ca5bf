/* kernel/row_apply.h — what contacts and springs do to a vector: one row at a time, in the working precision.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_ROW_APPLY_H
#define PRC_KERNEL_ROW_APPLY_H

#include "kernel/lane.h"
#include "kernel/row.h"

#if PRC_REAL_FLOAT
typedef prc_four_floats prc_quad;
#else
typedef prc_four_doubles prc_quad;
#endif

/* prc_row_numbers, rounded: the sum of all weights and those of places 1 to 3, n and k_n, u and k_t. */
typedef struct prc_row {
    prc_quad w, n, u;
} prc_row;

PRC_INLINE prc_quad prc_quad_make(prc_real x, prc_real y, prc_real z, prc_real w)
{
    prc_quad q;
    q.x = x;
    q.y = y;
    q.z = z;
    q.w = w;
    return q;
}

PRC_INLINE prc_row prc_row_of(const prc_active *a)
{
    double number[PRC_ROW_NUMBERS];
    prc_quad q[3];
    prc_row_numbers(a, number);
    for (int k = 0; k < 3; k++)
        q[k] = prc_quad_make((prc_real)number[4 * k], (prc_real)number[4 * k + 1], (prc_real)number[4 * k + 2],
                             (prc_real)number[4 * k + 3]);
    prc_row row;
    row.w = q[0];
    row.n = q[1];
    row.u = q[2];
    return row;
}

/* Weight of the vertex at a place, from the weights of its row. */
PRC_INLINE prc_real prc_row_weight(prc_quad w, int place)
{
    const prc_real first = w.x - (w.y + w.z + w.w);
    return place == 0 ? first : place == 1 ? w.y : place == 2 ? w.z : w.w;
}

PRC_INLINE prc_real prc_quad_dot(prc_quad a, prc_quad b) /* of the first three */
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/* a + k (b − c) */
PRC_INLINE prc_quad prc_quad_add_difference(prc_quad a, prc_real k, prc_quad b, prc_quad c)
{
    return prc_quad_make(a.x + k * (b.x - c.x), a.y + k * (b.y - c.y), a.z + k * (b.z - c.z), R(0));
}

/* Force with which the row answers moves of its four vertices. */
PRC_INLINE prc_quad prc_row_answer(prc_row row, const prc_quad p[4])
{
    prc_quad s = prc_quad_make(row.w.x * p[0].x, row.w.x * p[0].y, row.w.x * p[0].z, R(0));
    s = prc_quad_add_difference(s, row.w.y, p[1], p[0]);
    s = prc_quad_add_difference(s, row.w.z, p[2], p[0]);
    s = prc_quad_add_difference(s, row.w.w, p[3], p[0]);
    const prc_real along = row.n.w * prc_quad_dot(row.n, s), slip = prc_quad_dot(row.u, s), k_t = row.u.w;
    return prc_quad_make(along * row.n.x + (k_t * s.x - slip * row.u.x), along * row.n.y + (k_t * s.y - slip * row.u.y),
                         along * row.n.z + (k_t * s.z - slip * row.u.z), R(0));
}

PRC_INLINE prc_real prc_real_size(prc_real a)
{
    return a < R(0) ? -a : a;
}

/* Twice w w^T is at most the diagonal of |w| Σ |w|. */
PRC_INLINE prc_real prc_row_majorant(prc_quad w, prc_real own)
{
    const prc_real sum =
        prc_real_size(prc_row_weight(w, 0)) + prc_real_size(w.y) + prc_real_size(w.z) + prc_real_size(w.w);
    return prc_real_size(own) * sum * R(0.5);
}

/* The diagonal block that the row gives the vertex at a place, exact or as majorant: xx xy xz yy yz zz. */
PRC_INLINE void prc_row_block(prc_row row, int place, int exact, prc_real block[6])
{
    const prc_real w = prc_row_weight(row.w, place), square = exact ? w * w : prc_row_majorant(row.w, w);
    const prc_quad n = row.n, u = row.u;
    block[0] = square * (n.w * n.x * n.x - u.x * u.x + u.w);
    block[1] = square * (n.w * n.x * n.y - u.x * u.y);
    block[2] = square * (n.w * n.x * n.z - u.x * u.z);
    block[3] = square * (n.w * n.y * n.y - u.y * u.y + u.w);
    block[4] = square * (n.w * n.y * n.z - u.y * u.z);
    block[5] = square * (n.w * n.z * n.z - u.z * u.z + u.w);
}

/* Inverse of a block, as the stage `diagonal` has it (prc_sym3_inverse). */
PRC_INLINE void prc_block_invert(const prc_real block[6], prc_real free, prc_real inverse[6])
{
    prc_real scale = R(1), d[6];
    if (PRC_REAL_FLOAT) {
        const prc_real first = block[0] > block[3] ? block[0] : block[3], most = first > block[5] ? first : block[5];
        scale = most > R(PRC_BLOCK_LARGE)   ? R(PRC_BLOCK_SHRINK)
                : most < R(PRC_BLOCK_SMALL) ? R(1 / PRC_BLOCK_SHRINK)
                                            : R(1);
    }
    for (int k = 0; k < 6; k++)
        d[k] = scale * block[k];
    const prc_real xx = d[3] * d[5] - d[4] * d[4], xy = d[2] * d[4] - d[1] * d[5], xz = d[1] * d[4] - d[2] * d[3];
    const prc_real by = scale / (d[0] * xx + d[1] * xy + d[2] * xz);
    inverse[0] = xx * by * free;
    inverse[1] = xy * by * free;
    inverse[2] = xz * by * free;
    inverse[3] = (d[0] * d[5] - d[2] * d[2]) * by * free;
    inverse[4] = (d[1] * d[2] - d[0] * d[4]) * by * free;
    inverse[5] = (d[0] * d[3] - d[1] * d[1]) * by * free;
}

#endif
