/* kernel/membrane.h — one ring: deformation, stress response, tangent.
 *
 * F (3×2, columns f1 f2) is the deformation gradient of a vertex in the tangent plane of its rest shape. No angle is
 * ever formed: the double angle of the principal directions, (cos, sin), is enough. docs/theory.md, sections 2–4.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_MEMBRANE_H
#define PRC_KERNEL_MEMBRANE_H

#include "kernel/material.h"
#include "kernel/view.h"

typedef struct prc_vec3 {
    prc_lane x, y, z;
} prc_vec3;

PRC_INLINE prc_vec3 prc_vec3_make(prc_lane x, prc_lane y, prc_lane z)
{
    prc_vec3 a;
    a.x = x;
    a.y = y;
    a.z = z;
    return a;
}
PRC_INLINE prc_vec3 prc_vec3_zero(void)
{
    prc_lane zero = prc_splat(R(0));
    return prc_vec3_make(zero, zero, zero);
}
PRC_INLINE prc_vec3 prc_add(prc_vec3 a, prc_vec3 b)
{
    return prc_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
PRC_INLINE prc_vec3 prc_sub(prc_vec3 a, prc_vec3 b)
{
    return prc_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
PRC_INLINE prc_vec3 prc_scale(prc_lane s, prc_vec3 a)
{
    return prc_vec3_make(s * a.x, s * a.y, s * a.z);
}
/* a + s b */
PRC_INLINE prc_vec3 prc_add_scaled(prc_vec3 a, prc_lane s, prc_vec3 b)
{
    return prc_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
PRC_INLINE prc_lane prc_dot(prc_vec3 a, prc_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
PRC_INLINE prc_vec3 prc_cross(prc_vec3 a, prc_vec3 b)
{
    return prc_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* A 3×2 matrix by columns. */
typedef struct prc_mat32 {
    prc_vec3 a, b;
} prc_mat32;

/* A symmetric 2×2 matrix. */
typedef struct prc_sym2 {
    prc_lane xx, xy, yy;
} prc_sym2;

/* mean I + difference (cos, sin; sin, −cos): the symmetric matrix with eigenvalues mean ± difference along the
 * principal directions. */
PRC_INLINE prc_sym2 prc_sym2_spectral(prc_lane first, prc_lane second, prc_lane cosine, prc_lane sine)
{
    prc_lane mean = R(0.5) * (first + second), difference = R(0.5) * (first - second);
    prc_sym2 s;
    s.xx = mean + difference * cosine;
    s.yy = mean - difference * cosine;
    s.xy = difference * sine;
    return s;
}

/* The same matrix with negative eigenvalues set to zero. */
PRC_INLINE prc_sym2 prc_sym2_positive(prc_sym2 s)
{
    const prc_real tiny = PRC_REAL_FLOAT ? R(1e-30) : R(1e-200);
    prc_lane mean = R(0.5) * (s.xx + s.yy), d = R(0.5) * (s.xx - s.yy);
    prc_lane r = prc_sqrt(d * d + s.xy * s.xy);
    prc_lane safe = prc_max(r, prc_splat(tiny));
    prc_lane zero = prc_splat(R(0));
    return prc_sym2_spectral(prc_max(mean + r, zero), prc_max(mean - r, zero), d / safe, s.xy / safe);
}

PRC_INLINE prc_mat32 prc_mat32_times(prc_mat32 f, prc_sym2 s)
{
    prc_mat32 p;
    p.a = prc_add_scaled(prc_scale(s.xx, f.a), s.xy, f.b);
    p.b = prc_add_scaled(prc_scale(s.xy, f.a), s.yy, f.b);
    return p;
}

/* F taken apart. */
typedef struct prc_deformation {
    prc_sym2 metric;       /* C = F^T F */
    prc_lane area;         /* J = |f1 × f2| */
    prc_vec3 normal;       /* n */
    prc_lane l1, l2;       /* principal stretches, l1 ≥ l2 */
    prc_lane cosine, sine; /* of twice the angle of the first principal direction */
} prc_deformation;

PRC_INLINE prc_deformation prc_deformation_of(prc_mat32 f)
{
    /* A collapsed ring keeps a small second stretch, so that nothing divides by zero. */
    const prc_real smallest = PRC_REAL_FLOAT ? R(1e-5) : R(1e-9);
    prc_deformation s;
    s.metric.xx = prc_dot(f.a, f.a);
    s.metric.xy = prc_dot(f.a, f.b);
    s.metric.yy = prc_dot(f.b, f.b);
    prc_lane mean = R(0.5) * (s.metric.xx + s.metric.yy), d = R(0.5) * (s.metric.xx - s.metric.yy);
    prc_lane r = prc_sqrt(d * d + s.metric.xy * s.metric.xy);
    prc_vec3 cross = prc_cross(f.a, f.b);
    s.area = prc_sqrt(prc_dot(cross, cross));
    s.normal = prc_scale(R(1) / prc_max(s.area, prc_splat(smallest * smallest)), cross);
    s.l1 = prc_max(prc_sqrt(mean + r), prc_splat(smallest));
    s.l2 = prc_max(s.area / s.l1, prc_splat(smallest));
    prc_mask round = r > R(1e-30);
    prc_lane safe = prc_select(round, r, prc_splat(R(1)));
    s.cosine = prc_select(round, d / safe, prc_splat(R(1)));
    s.sine = prc_select(round, s.metric.xy / safe, prc_splat(R(0)));
    return s;
}

/* What the material answers: energy, second Piola–Kirchhoff stress S (P = F S), and the positive semidefinite tangent:
 * T acts on R^T dF (11, 12, 21, 22), N on n^T dF. */
typedef struct prc_response {
    prc_lane energy;
    prc_sym2 stress;
    prc_lane t[10];
    prc_sym2 n;
} prc_response;

enum { T_11_11, T_11_12, T_11_21, T_11_22, T_12_12, T_12_21, T_12_22, T_21_21, T_21_22, T_22_22 };

/* Isotropic tangent with the principal directions frozen: stretch block projected to be positive, flip and twist and
 * normal stiffness clamped at zero (docs/theory.md, Eq. 4.2). */
PRC_INLINE void prc_tangent_isotropic(prc_response *out, const prc_deformation *s, const prc_stress *w)
{
    prc_lane zero = prc_splat(R(0));
    const prc_real near = PRC_REAL_FLOAT ? R(1e-3) : R(1e-5);
    prc_lane gap = s->l1 - s->l2;
    prc_mask apart = gap > near;
    prc_lane flip = prc_select(apart, (w->p1 - w->p2) / prc_select(apart, gap, prc_splat(R(1))),
                               R(0.5) * (w->h11 + w->h22) - w->h12);
    flip = prc_max(flip, zero);
    prc_lane twist = prc_max((w->p1 + w->p2) / (s->l1 + s->l2), zero);
    prc_sym2 h;
    h.xx = w->h11;
    h.xy = w->h12;
    h.yy = w->h22;
    h = prc_sym2_positive(h);

    /* Principal components of the symmetric part of R^T dF as rows over (G11, G22, G12 + G21). */
    prc_lane cc = R(0.5) * (R(1) + s->cosine), ss = R(0.5) * (R(1) - s->cosine), cs = R(0.5) * s->sine;
    prc_lane p[3], q[3], r[3];
    p[0] = cc, p[1] = ss, p[2] = cs;
    q[0] = ss, q[1] = cc, q[2] = -cs;
    r[0] = -cs, r[1] = cs, r[2] = R(0.5) * s->cosine;
    prc_lane m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
            m[i][j] = h.xx * p[i] * p[j] + h.yy * q[i] * q[j] + h.xy * (p[i] * q[j] + q[i] * p[j]) +
                      R(2) * flip * r[i] * r[j];
    out->t[T_11_11] = m[0][0];
    out->t[T_11_12] = out->t[T_11_21] = m[0][2];
    out->t[T_11_22] = m[0][1];
    out->t[T_12_12] = out->t[T_21_21] = m[2][2] + R(0.5) * twist;
    out->t[T_12_21] = m[2][2] - R(0.5) * twist;
    out->t[T_12_22] = out->t[T_21_22] = m[1][2];
    out->t[T_22_22] = m[1][1];
    out->n = prc_sym2_spectral(prc_max(w->p1 / s->l1, zero), prc_max(w->p2 / s->l2, zero), s->cosine, s->sine);
}

/* Adds the tangent of ½ E:C:E with the strain E = ½(F^T F − I) linearised about U, the right stretch. */
PRC_INLINE void prc_tangent_add_linear(prc_response *out, prc_sym2 u, prc_lane c11, prc_lane c22, prc_lane c12,
                                       prc_lane c66)
{
    prc_lane zero = prc_splat(R(0));
    prc_lane e1[4], e2[4], e3[4];
    e1[0] = u.xx, e1[1] = zero, e1[2] = u.xy, e1[3] = zero;
    e2[0] = zero, e2[1] = u.xy, e2[2] = zero, e2[3] = u.yy;
    e3[0] = u.xy, e3[1] = u.xx, e3[2] = u.yy, e3[3] = u.xy;
    int k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, k++)
            out->t[k] +=
                c11 * e1[i] * e1[j] + c22 * e2[i] * e2[j] + c12 * (e1[i] * e2[j] + e2[i] * e1[j]) + c66 * e3[i] * e3[j];
}

PRC_INLINE prc_sym2 prc_right_stretch(const prc_deformation *s)
{
    return prc_sym2_spectral(s->l1, s->l2, s->cosine, s->sine);
}

PRC_INLINE prc_sym2 prc_green_strain(const prc_deformation *s)
{
    prc_sym2 e;
    e.xx = R(0.5) * (s->metric.xx - R(1));
    e.yy = R(0.5) * (s->metric.yy - R(1));
    e.xy = R(0.5) * s->metric.xy;
    return e;
}

/* S = C:E of the linear law, and its energy. */
PRC_INLINE prc_sym2 prc_linear_stress(const prc_real *c, prc_sym2 e, prc_lane *energy)
{
    prc_sym2 s;
    s.xx = c[0] * e.xx + c[2] * e.yy;
    s.yy = c[2] * e.xx + c[1] * e.yy;
    s.xy = R(2) * c[3] * e.xy;
    *energy = R(0.5) * (s.xx * e.xx + s.yy * e.yy) + s.xy * e.xy;
    return s;
}

PRC_INLINE void prc_respond_orthotropic(prc_response *out, const prc_deformation *s, const prc_real *law, int linearise)
{
    const prc_real *c = law + PRC_LAW_LINEAR;
    out->stress = prc_linear_stress(c, prc_green_strain(s), &out->energy);
    if (!linearise)
        return;
    for (int k = 0; k < 10; k++)
        out->t[k] = prc_splat(R(0));
    prc_tangent_add_linear(out, prc_right_stretch(s), prc_splat(c[0]), prc_splat(c[1]), prc_splat(c[2]),
                           prc_splat(c[3]));
    prc_sym2 tension = prc_sym2_positive(out->stress);
    out->t[T_11_11] += tension.xx;
    out->t[T_11_12] += tension.xy;
    out->t[T_12_12] += tension.yy;
    out->t[T_21_21] += tension.xx;
    out->t[T_21_22] += tension.xy;
    out->t[T_22_22] += tension.yy;
    out->n = tension;
}

PRC_INLINE void prc_respond_one(prc_response *out, const prc_deformation *s, int kind, const prc_real *law,
                                int linearise)
{
    if (kind == PRC_LAW_ORTHOTROPIC) {
        prc_respond_orthotropic(out, s, law, linearise);
        return;
    }
    prc_stress w = prc_material_stress(kind, law, s->l1, s->l2);
    out->energy = w.energy;
    out->stress = prc_sym2_spectral(w.p1 / s->l1, w.p2 / s->l2, s->cosine, s->sine);
    if (linearise)
        prc_tangent_isotropic(out, s, &w);
}

#if PRC_LANES > 1
PRC_INLINE void prc_response_blend(prc_response *out, prc_mask m, const prc_response *a)
{
    out->energy = prc_select(m, a->energy, out->energy);
    out->stress.xx = prc_select(m, a->stress.xx, out->stress.xx);
    out->stress.xy = prc_select(m, a->stress.xy, out->stress.xy);
    out->stress.yy = prc_select(m, a->stress.yy, out->stress.yy);
    for (int k = 0; k < 10; k++)
        out->t[k] = prc_select(m, a->t[k], out->t[k]);
    out->n.xx = prc_select(m, a->n.xx, out->n.xx);
    out->n.xy = prc_select(m, a->n.xy, out->n.xy);
    out->n.yy = prc_select(m, a->n.yy, out->n.yy);
}
#endif

/* The response of every vertex of a pack to its own material, `kind` that of the first. Nearly always all lanes share
 * one; where they do not, each material present is evaluated for all lanes and blended in. */
PRC_INLINE prc_response prc_respond(const int *laws, int kind, int mixed, const int *kinds, const prc_real *rows,
                                    const prc_deformation *s, int linearise)
{
    prc_response out;
    prc_lane zero = prc_splat(R(0));
    for (int k = 0; k < 10; k++)
        out.t[k] = zero;
    out.n.xx = out.n.xy = out.n.yy = zero;
    prc_respond_one(&out, s, kind, rows + (long)laws[0] * PRC_LAW_SIZE, linearise);
    (void)kinds, (void)mixed;
#if PRC_LANES > 1
    for (int lane = 1; mixed && lane < PRC_LANES; lane++) {
        int seen = 0;
        for (int k = 0; k < lane; k++)
            seen |= laws[k] == laws[lane];
        if (seen)
            continue;
        prc_response other = out;
        prc_mask here;
        for (int k = 0; k < PRC_LANES; k++)
            here[k] = laws[k] == laws[lane] ? -1 : 0;
        prc_respond_one(&other, s, kinds[laws[lane]], rows + (long)laws[lane] * PRC_LAW_SIZE, linearise);
        prc_response_blend(&out, here, &other);
    }
#endif
    return out;
}

#endif
