/* kernel/filter.h — which pairs are surely closer than their reach, and which surely are not.
 *
 * Single precision. The clamped weights give two points of the primitives, so their distance |r| is not below the true
 * one; the plane across r keeps the sides apart by sep, which is not above it. Both hold however badly the weights are
 * rounded: nearly parallel edges and slivers end in the doubt between the two and are decided elsewhere, exactly.
 * Follows Ericson, Real-Time Collision Detection, 5.1.8–5.1.9, for the weights. Besides: which boxes are close, at rest
 * and swept. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_FILTER_H
#define PRC_KERNEL_FILTER_H

#include "kernel/wide.h"

#include <math.h>

/* Doubt about a distance, in the largest coordinate that enters it: a component of r sums about five products of
 * differences of these, each within a few units of 2^-24. And the least doubt (m), above what underflows. */
#define PRC_FILTER_DOUBT (128.0f / (1 << 24))
#define PRC_FILTER_LEAST 1e-18f

typedef struct prc_wide3 {
    prc_wide x, y, z;
} prc_wide3;

/* A bit per pair. */
typedef struct prc_verdict {
    unsigned closer, farther;
} prc_verdict;

PRC_WIDE_INLINE prc_wide3 prc_wide3_sub(prc_wide3 a, prc_wide3 b)
{
    prc_wide3 d;
    d.x = a.x - b.x;
    d.y = a.y - b.y;
    d.z = a.z - b.z;
    return d;
}

/* a − s b */
PRC_WIDE_INLINE prc_wide3 prc_wide3_less(prc_wide3 a, prc_wide s, prc_wide3 b)
{
    prc_wide3 d;
    d.x = a.x - s * b.x;
    d.y = a.y - s * b.y;
    d.z = a.z - s * b.z;
    return d;
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

/* --- boxes --- */

/* Where boxes come as close to that of q as the sum of the radii; never misses one. The factor covers the rounding of
 * this test, the constant its underflow. */
PRC_WIDE_INLINE prc_wide_int prc_filter_boxes(prc_wide3 low, prc_wide3 high, prc_wide radius, prc_wide3 q_low,
                                              prc_wide3 q_high, prc_wide q_radius)
{
    const prc_wide x = prc_wide_gap(low.x - q_high.x, q_low.x - high.x);
    const prc_wide y = prc_wide_gap(low.y - q_high.y, q_low.y - high.y);
    const prc_wide z = prc_wide_gap(low.z - q_high.z, q_low.z - high.z);
    const prc_wide square = x * x + y * y + z * z, reach = (radius + q_radius) * prc_wide_all(1.000001f);
    /* Where a reach overflows, everything is near, but for what is not there. */
    return (square <= reach * reach + prc_wide_all(1e-37f)) & (low.x <= high.x);
}

/* --- pairs --- */

/* `sep` is r · (the width of the gap across r). The factors cover the rounding of squares and of the reach, `doubt`
 * that of the positions. */
PRC_WIDE_INLINE prc_verdict prc_filter_judge(prc_wide3 r, prc_wide sep, prc_wide reach, prc_wide doubt)
{
    const prc_wide zero = prc_wide_all(0), square = prc_wide3_dot(r, r);
    const prc_wide inner = prc_wide_max(reach * prc_wide_all(0.999998f) - doubt, zero);
    const prc_wide outer = reach * prc_wide_all(1.000002f) + doubt;
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
    prc_wide3 shorter;
    shorter.x = prc_wide_select(m, a.x, b.x);
    shorter.y = prc_wide_select(m, a.y, b.y);
    shorter.z = prc_wide_select(m, a.z, b.z);
    return shorter;
}

/* The vector from about the closest point of the triangle t to the point p. */
PRC_WIDE_INLINE prc_wide3 prc_filter_from_triangle(prc_wide3 p, const prc_wide3 t[3])
{
    const prc_wide zero = prc_wide_all(0), one = prc_wide_all(1);
    const prc_wide3 e1 = prc_wide3_sub(t[1], t[0]), e2 = prc_wide3_sub(t[2], t[0]), e3 = prc_wide3_sub(t[2], t[1]);
    const prc_wide3 d0 = prc_wide3_sub(p, t[0]), d1 = prc_wide3_sub(p, t[1]);
    const prc_wide a11 = prc_wide3_dot(e1, e1), a12 = prc_wide3_dot(e1, e2), a22 = prc_wide3_dot(e2, e2);
    const prc_wide b1 = prc_wide3_dot(d0, e1), b2 = prc_wide3_dot(d0, e2);
    const prc_wide det = a11 * a22 - a12 * a12;
    const prc_wide v = prc_wide_ratio(a22 * b1 - a12 * b2, det), w = prc_wide_ratio(a11 * b2 - a12 * b1, det);
    const prc_wide v_in = prc_wide_clamp(v), w_in = prc_wide_max(prc_wide_min(w, one - v_in), zero);

    prc_wide3 r = prc_wide3_less(prc_wide3_less(d0, v_in, e1), w_in, e2);
    r = prc_filter_shorter(r, prc_filter_segment(e1, d0));
    r = prc_filter_shorter(r, prc_filter_segment(e2, d0));
    return prc_filter_shorter(r, prc_filter_segment(e3, d1));
}

/* The point p and the triangle t. */
PRC_WIDE_INLINE prc_verdict prc_filter_point_triangle(prc_wide3 p, const prc_wide3 t[3], prc_wide reach, prc_wide doubt)
{
    const prc_wide3 r = prc_filter_from_triangle(p, t);
    const prc_wide s0 = prc_wide3_dot(r, prc_wide3_sub(p, t[0])), s1 = prc_wide3_dot(r, prc_wide3_sub(p, t[1]));
    const prc_wide sep = prc_wide_min(s0, prc_wide_min(s1, prc_wide3_dot(r, prc_wide3_sub(p, t[2]))));
    return prc_filter_judge(r, sep, reach, doubt);
}

/* The vector to the edge from a[0] to a[1] from that from b[0] to b[1], between about their closest points. */
PRC_WIDE_INLINE prc_wide3 prc_filter_from_edge(const prc_wide3 a[2], const prc_wide3 b[2])
{
    const prc_wide3 e1 = prc_wide3_sub(a[1], a[0]), e2 = prc_wide3_sub(b[1], b[0]), d = prc_wide3_sub(a[0], b[0]);
    const prc_wide a11 = prc_wide3_dot(e1, e1), a12 = prc_wide3_dot(e1, e2), a22 = prc_wide3_dot(e2, e2);
    const prc_wide b1 = prc_wide3_dot(e1, d), b2 = prc_wide3_dot(e2, d);
    prc_wide s = prc_wide_clamp(prc_wide_ratio(a12 * b2 - b1 * a22, a11 * a22 - a12 * a12));
    const prc_wide t = prc_wide_clamp(prc_wide_ratio(a12 * s + b2, a22));
    s = prc_wide_clamp(prc_wide_ratio(a12 * t - b1, a11)); /* changes s only where t was clamped */
    return prc_wide3_less(prc_wide3_less(d, -s, e1), t, e2);
}

/* The two edges. */
PRC_WIDE_INLINE prc_verdict prc_filter_edge_edge(const prc_wide3 a[2], const prc_wide3 b[2], prc_wide reach,
                                                 prc_wide doubt)
{
    const prc_wide3 r = prc_filter_from_edge(a, b);
    const prc_wide zero = prc_wide_all(0);
    const prc_wide lowest_a =
        prc_wide3_dot(r, prc_wide3_sub(a[0], b[0])) + prc_wide_min(prc_wide3_dot(r, prc_wide3_sub(a[1], a[0])), zero);
    const prc_wide sep = lowest_a - prc_wide_max(prc_wide3_dot(r, prc_wide3_sub(b[1], b[0])), zero);
    return prc_filter_judge(r, sep, reach, doubt);
}

/* --- pairs that move --- */

/* Along one axis: the gap between the ranges of the two sides, swept by p in the frame that moves with the pair. */
PRC_WIDE_INLINE prc_wide prc_filter_swept_gap(const prc_wide x[4], const prc_wide p[4], int side_a)
{
    const prc_wide share_a = prc_wide_all(0.5f / (float)side_a);
    const prc_wide share_b = prc_wide_all(0.5f / (float)(4 - side_a));
    prc_wide common = prc_wide_all(0), low[2], high[2];
    for (int i = 0; i < 4; i++)
        common += p[i] * (i < side_a ? share_a : share_b);
    for (int i = 0; i < 4; i++) {
        const int side = i >= side_a, first = i == 0 || i == side_a;
        const prc_wide to = x[i] + (p[i] - common), least = prc_wide_min(x[i], to), most = prc_wide_max(x[i], to);
        low[side] = first ? least : prc_wide_min(low[side], least);
        high[side] = first ? most : prc_wide_max(high[side], most);
    }
    return prc_wide_gap(low[0] - high[1], low[1] - high[0]);
}

/* The verdict of prc_near_swept (near.h), x and p apart by axis. `size` bounds all of x and p, `far` is what that one
 * allows for the rounding of positions that are not seen from an origin nearby. A common frame of x, and one of p, make
 * no difference. */
PRC_WIDE_INLINE prc_verdict prc_filter_swept(const prc_wide x[3][4], const prc_wide p[3][4], int side_a,
                                             float separation, prc_wide size, float far)
{
    const prc_wide gx = prc_filter_swept_gap(x[0], p[0], side_a), gy = prc_filter_swept_gap(x[1], p[1], side_a);
    const prc_wide gz = prc_filter_swept_gap(x[2], p[2], side_a), square = gx * gx + gy * gy + gz * gz;
    const prc_wide doubt = size * prc_wide_all(PRC_FILTER_DOUBT) + prc_wide_all(far + PRC_FILTER_LEAST);
    const prc_wide inner = prc_wide_max(prc_wide_all(separation * 0.99999f) - doubt, prc_wide_all(0));
    const prc_wide outer = prc_wide_all(separation * 1.00001f) + doubt;
    prc_verdict verdict;
    verdict.closer = prc_wide_bits(square < inner * inner);
    verdict.farther = prc_wide_bits(square > outer * outer);
    return verdict;
}

/* Whether the plane across r, any vector, keeps the four vertices `from` of a pair apart by more than `reach` (m), and
 * also where they are after a straight move by p: then it does all the way. `doubt` as above, of positions and moves.
 */
PRC_WIDE_INLINE unsigned prc_filter_parts(prc_wide3 r, const prc_wide3 from[4], const prc_wide3 p[4], int side_a,
                                          prc_wide reach, prc_wide doubt)
{
    const prc_wide outer = reach * prc_wide_all(1.00001f) + doubt, square = prc_wide3_dot(r, r);
    prc_wide least = prc_wide_all(HUGE_VALF);
    PRC_UNROLL
    for (int pair = 0; pair < 6; pair++) {
        const int i = pair / 3, k = 1 + pair % 3;
        if (i < side_a && k >= side_a) {
            const prc_wide gap = prc_wide3_dot(r, prc_wide3_sub(from[i], from[k]));
            least = prc_wide_min(least, prc_wide_min(gap, gap + prc_wide3_dot(r, prc_wide3_sub(p[i], p[k]))));
        }
    }
    /* of shorter ones squares underflow */
    return prc_wide_bits(square > prc_wide_all(1e-30f)) & prc_wide_bits(least > prc_wide_all(0)) &
           prc_wide_bits(least * least > outer * outer * square);
}

#endif
