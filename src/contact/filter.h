/* contact/filter.h — which pairs are surely closer than their reach, and which surely are not.
 *
 * Single precision. The clamped weights give two points of the primitives, so their distance |r| is not below the true
 * one; the plane across r keeps the sides apart by sep, which is not above it. Both hold however badly the weights are
 * rounded: nearly parallel edges and slivers end in the doubt between the two and are decided elsewhere, exactly.
 * Follows Ericson, Real-Time Collision Detection, 5.1.8–5.1.9, for the weights.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_FILTER_H
#define PRC_CONTACT_FILTER_H

#include "contact/wide.h"

typedef struct prc_wide3 {
    prc_wide x, y, z;
} prc_wide3;

/* A bit per pair. */
typedef struct prc_verdict {
    unsigned closer, farther;
} prc_verdict;

PRC_WIDE_INLINE prc_wide3 prc_wide3_sub(prc_wide3 a, prc_wide3 b)
{
    return (prc_wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* a − s b */
PRC_WIDE_INLINE prc_wide3 prc_wide3_less(prc_wide3 a, prc_wide s, prc_wide3 b)
{
    return (prc_wide3){a.x - s * b.x, a.y - s * b.y, a.z - s * b.z};
}

PRC_WIDE_INLINE prc_wide prc_wide3_dot(prc_wide3 a, prc_wide3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* a / b where b > 0, else 0. */
PRC_WIDE_INLINE prc_wide prc_wide_ratio(prc_wide a, prc_wide b)
{
    const prc_wide_int positive = b > prc_wide_all(0);
    return prc_wide_select(positive, a / prc_wide_select(positive, b, prc_wide_all(1)), prc_wide_all(0));
}

/* `sep` is r · (the width of the gap across r). The factors cover the rounding of squares and of the reach, `doubt`
 * that of the positions. */
PRC_WIDE_INLINE prc_verdict prc_filter_judge(prc_wide3 r, prc_wide sep, prc_wide reach, float doubt)
{
    const prc_wide zero = prc_wide_all(0), square = prc_wide3_dot(r, r);
    const prc_wide inner = prc_wide_max(reach * prc_wide_all(0.999998f) - prc_wide_all(doubt), zero);
    const prc_wide outer = reach * prc_wide_all(1.000002f) + prc_wide_all(doubt);
    prc_verdict verdict;
    verdict.closer = prc_wide_bits(square < inner * inner);
    verdict.farther = prc_wide_bits((sep > zero) & (sep * sep > outer * outer * square));
    return verdict;
}

/* The segment from a to a + e and the point a + d: the vector from the closest point to that point. */
PRC_WIDE_INLINE prc_wide3 prc_filter_segment(prc_wide3 e, prc_wide3 d)
{
    return prc_wide3_less(d, prc_wide_clamp(prc_wide_ratio(prc_wide3_dot(d, e), prc_wide3_dot(e, e))), e);
}

PRC_WIDE_INLINE prc_wide3 prc_filter_shorter(prc_wide3 a, prc_wide3 b)
{
    const prc_wide_int m = prc_wide3_dot(a, a) < prc_wide3_dot(b, b);
    return (prc_wide3){prc_wide_select(m, a.x, b.x), prc_wide_select(m, a.y, b.y), prc_wide_select(m, a.z, b.z)};
}

/* The point p and the triangle t. */
PRC_WIDE_INLINE prc_verdict prc_filter_point_triangle(prc_wide3 p, const prc_wide3 t[3], prc_wide reach, float doubt)
{
    const prc_wide zero = prc_wide_all(0), one = prc_wide_all(1);
    const prc_wide3 e1 = prc_wide3_sub(t[1], t[0]), e2 = prc_wide3_sub(t[2], t[0]), e3 = prc_wide3_sub(t[2], t[1]);
    const prc_wide3 d0 = prc_wide3_sub(p, t[0]), d1 = prc_wide3_sub(p, t[1]), d2 = prc_wide3_sub(p, t[2]);
    const prc_wide a11 = prc_wide3_dot(e1, e1), a12 = prc_wide3_dot(e1, e2), a22 = prc_wide3_dot(e2, e2);
    const prc_wide b1 = prc_wide3_dot(d0, e1), b2 = prc_wide3_dot(d0, e2);
    const prc_wide det = a11 * a22 - a12 * a12;
    const prc_wide v = prc_wide_ratio(a22 * b1 - a12 * b2, det), w = prc_wide_ratio(a11 * b2 - a12 * b1, det);
    const prc_wide v_in = prc_wide_clamp(v), w_in = prc_wide_max(prc_wide_min(w, one - v_in), zero);

    prc_wide3 r = prc_wide3_less(prc_wide3_less(d0, v_in, e1), w_in, e2);
    r = prc_filter_shorter(r, prc_filter_segment(e1, d0));
    r = prc_filter_shorter(r, prc_filter_segment(e2, d0));
    r = prc_filter_shorter(r, prc_filter_segment(e3, d1));
    const prc_wide sep = prc_wide_min(prc_wide3_dot(r, d0), prc_wide_min(prc_wide3_dot(r, d1), prc_wide3_dot(r, d2)));
    return prc_filter_judge(r, sep, reach, doubt);
}

/* The edges from a[0] to a[1] and from b[0] to b[1]. */
PRC_WIDE_INLINE prc_verdict prc_filter_edge_edge(const prc_wide3 a[2], const prc_wide3 b[2], prc_wide reach,
                                                 float doubt)
{
    const prc_wide3 e1 = prc_wide3_sub(a[1], a[0]), e2 = prc_wide3_sub(b[1], b[0]), d = prc_wide3_sub(a[0], b[0]);
    const prc_wide a11 = prc_wide3_dot(e1, e1), a12 = prc_wide3_dot(e1, e2), a22 = prc_wide3_dot(e2, e2);
    const prc_wide b1 = prc_wide3_dot(e1, d), b2 = prc_wide3_dot(e2, d);
    prc_wide s = prc_wide_clamp(prc_wide_ratio(a12 * b2 - b1 * a22, a11 * a22 - a12 * a12));
    const prc_wide t = prc_wide_clamp(prc_wide_ratio(a12 * s + b2, a22));
    s = prc_wide_clamp(prc_wide_ratio(a12 * t - b1, a11)); /* changes s only where t was clamped */

    const prc_wide3 r = prc_wide3_less(prc_wide3_less(d, -s, e1), t, e2);
    const prc_wide zero = prc_wide_all(0);
    const prc_wide lowest_a = prc_wide3_dot(r, d) + prc_wide_min(prc_wide3_dot(r, e1), zero);
    const prc_wide sep = lowest_a - prc_wide_max(prc_wide3_dot(r, e2), zero);
    return prc_filter_judge(r, sep, reach, doubt);
}

#endif
