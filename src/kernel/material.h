/* kernel/material.h — membrane energies Ψ(l1, l2), their stresses P = dΨ/dl and tangents H = d²Ψ/dl².
 *
 * Bases A_n and B_n: Xu et al., "Reformulating hyperelastic materials with peridynamic modeling", Eq. 15–17. The
 * incompressible models are plane stress: l3 = 1/(l1 l2). Every energy is built from one-dimensional functions; those
 * that grow without bound under compression are continued as a parabola below PRC_STRETCH_FLOOR, so that energies stay
 * finite and twice differentiable when a ring collapses. docs/theory.md, section 3.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_MATERIAL_H
#define PRC_KERNEL_MATERIAL_H

#include "kernel/lane.h"
#include "kernel/law.h"

typedef struct prc_stress {
    prc_lane energy; /* Ψ */
    prc_lane p1, p2; /* dΨ/dl1, dΨ/dl2 */
    prc_lane h11, h22, h12;
} prc_stress;

/* A one-dimensional function with two derivatives. */
typedef struct prc_jet {
    prc_lane f, d, dd;
} prc_jet;

/* Continues a jet taken at u = max(s, floor) to s by its parabola. */
PRC_INLINE prc_jet prc_jet_continue(prc_jet j, prc_lane beyond)
{
    prc_jet k;
    k.f = j.f + beyond * (j.d + R(0.5) * j.dd * beyond);
    k.d = j.d + j.dd * beyond;
    k.dd = j.dd;
    return k;
}

PRC_INLINE prc_lane prc_power_int(prc_lane s, int n)
{
    prc_lane p = prc_splat(R(1));
    for (int k = 0; k < n; k++)
        p = p * s;
    return p;
}

PRC_INLINE prc_jet prc_basis_a(prc_lane s, int n)
{
    prc_lane u = prc_max(s, prc_splat(R(PRC_STRETCH_FLOOR)));
    prc_lane inverse = R(1) / u;
    prc_lane up = prc_power_int(u, n), down = prc_power_int(inverse, n);
    prc_jet j;
    if (n == 1)
        j.f = R(0.5) * (u * u - R(1)) - prc_log(u);
    else
        j.f = ((up * u - R(1)) / R(n + 1) + (down * u - R(1)) / R(n - 1)) / R(n);
    j.d = (up - down) / R(n);
    j.dd = (up + down) * inverse;
    return prc_jet_continue(j, s - u);
}

PRC_INLINE prc_jet prc_basis_b(prc_lane s, int n)
{
    prc_lane low = prc_power_int(s, n - 1);
    prc_lane up = low * s;
    prc_jet j;
    j.f = R(2) / R(n) * ((up * s - R(1)) / R(n + 1) - s + R(1));
    j.d = R(2) / R(n) * (up - R(1));
    j.dd = R(2) * low;
    return j;
}

/* s^exponent, continued below the floor; any real exponent. */
PRC_INLINE prc_jet prc_power(prc_lane s, prc_real exponent)
{
    prc_lane u = prc_max(s, prc_splat(R(PRC_STRETCH_FLOOR)));
    prc_lane inverse = R(1) / u;
    prc_jet j;
    j.f = prc_exp(exponent * prc_log(u));
    j.d = exponent * j.f * inverse;
    j.dd = (exponent - R(1)) * j.d * inverse;
    return prc_jet_continue(j, s - u);
}

/* s^-2, continued below the floor. */
PRC_INLINE prc_jet prc_inverse_square(prc_lane s)
{
    prc_lane u = prc_max(s, prc_splat(R(PRC_STRETCH_FLOOR)));
    prc_lane inverse = R(1) / u;
    prc_jet j;
    j.f = inverse * inverse;
    j.d = R(-2) * j.f * inverse;
    j.dd = R(6) * j.f * j.f;
    return prc_jet_continue(j, s - u);
}

PRC_INLINE prc_jet prc_log_jet(prc_lane s)
{
    prc_lane u = prc_max(s, prc_splat(R(PRC_STRETCH_FLOOR)));
    prc_jet j;
    j.f = prc_log(u);
    j.d = R(1) / u;
    j.dd = -j.d * j.d;
    return prc_jet_continue(j, s - u);
}

/* Uncoupled: Ψ = g(l1) + g(l2). */
PRC_INLINE void prc_stress_add_separate(prc_stress *s, prc_real factor, prc_jet a, prc_jet b)
{
    s->energy += factor * (a.f + b.f);
    s->p1 += factor * a.d;
    s->p2 += factor * b.d;
    s->h11 += factor * a.dd;
    s->h22 += factor * b.dd;
}

/* Adds factor·f(I) for an invariant I(l1, l2) with derivatives, f = (value, f', f''). */
PRC_INLINE void prc_stress_add_chain(prc_stress *s, prc_lane f, prc_lane f1, prc_lane f2, const prc_stress *i)
{
    s->energy += f;
    s->p1 += f1 * i->p1;
    s->p2 += f1 * i->p2;
    s->h11 += f1 * i->h11 + f2 * i->p1 * i->p1;
    s->h22 += f1 * i->h22 + f2 * i->p2 * i->p2;
    s->h12 += f1 * i->h12 + f2 * i->p1 * i->p2;
}

PRC_INLINE prc_stress prc_stress_zero(void)
{
    prc_lane zero = prc_splat(R(0));
    prc_stress s;
    s.energy = s.p1 = s.p2 = s.h11 = s.h22 = s.h12 = zero;
    return s;
}

/* a(l1) + a(l2) + b(l1) b(l2) + constant as a "stress" (value, first and second derivatives). */
PRC_INLINE prc_stress prc_invariant(prc_jet a1, prc_jet a2, prc_jet b1, prc_jet b2, prc_real constant)
{
    prc_stress s;
    s.energy = a1.f + a2.f + b1.f * b2.f + constant;
    s.p1 = a1.d + b1.d * b2.f;
    s.p2 = a2.d + b1.f * b2.d;
    s.h11 = a1.dd + b1.dd * b2.f;
    s.h22 = a2.dd + b1.f * b2.dd;
    s.h12 = b1.d * b2.d;
    return s;
}

PRC_INLINE prc_jet prc_square(prc_lane s)
{
    prc_jet j;
    j.f = s * s;
    j.d = R(2) * s;
    j.dd = prc_splat(R(2));
    return j;
}

/* I1 − 3 and I2 − 3 of an incompressible membrane. */
PRC_INLINE prc_stress prc_invariant_i1(prc_lane l1, prc_lane l2)
{
    return prc_invariant(prc_square(l1), prc_square(l2), prc_inverse_square(l1), prc_inverse_square(l2), R(-3));
}
PRC_INLINE prc_stress prc_invariant_i2(prc_lane l1, prc_lane l2)
{
    return prc_invariant(prc_inverse_square(l1), prc_inverse_square(l2), prc_square(l1), prc_square(l2), R(-3));
}

PRC_INLINE prc_stress prc_material_stvk(prc_lane l1, prc_lane l2, prc_real lame, prc_real shear)
{
    prc_stress trace; /* E11 + E22 */
    trace.energy = R(0.5) * (l1 * l1 + l2 * l2) - R(1);
    trace.p1 = l1;
    trace.p2 = l2;
    trace.h11 = trace.h22 = prc_splat(R(1));
    trace.h12 = prc_splat(R(0));
    prc_stress s = prc_stress_zero();
    prc_stress_add_chain(&s, R(0.5) * lame * trace.energy * trace.energy, lame * trace.energy, prc_splat(lame), &trace);
    prc_lane e1 = R(0.5) * (l1 * l1 - R(1)), e2 = R(0.5) * (l2 * l2 - R(1));
    s.energy += shear * (e1 * e1 + e2 * e2);
    s.p1 += R(2) * shear * e1 * l1;
    s.p2 += R(2) * shear * e2 * l2;
    s.h11 += R(2) * shear * (e1 + l1 * l1);
    s.h22 += R(2) * shear * (e2 + l2 * l2);
    return s;
}

PRC_INLINE prc_stress prc_material_corotated(prc_lane l1, prc_lane l2, prc_real lame, prc_real shear)
{
    prc_lane e1 = l1 - R(1), e2 = l2 - R(1), trace = e1 + e2;
    prc_stress s;
    s.energy = shear * (e1 * e1 + e2 * e2) + R(0.5) * lame * trace * trace;
    s.p1 = R(2) * shear * e1 + lame * trace;
    s.p2 = R(2) * shear * e2 + lame * trace;
    s.h11 = s.h22 = prc_splat(R(2) * shear + lame);
    s.h12 = prc_splat(lame);
    return s;
}

/* shear/2 (I1 − 2 − 2 ln J) + lame/2 (J − 1)², with J the area ratio. */
PRC_INLINE prc_stress prc_material_neo_hookean_2d(prc_lane l1, prc_lane l2, prc_real lame, prc_real shear)
{
    prc_stress s = prc_stress_zero();
    prc_stress_add_separate(&s, R(0.5) * shear, prc_square(l1), prc_square(l2));
    prc_stress_add_separate(&s, -shear, prc_log_jet(l1), prc_log_jet(l2));
    s.energy -= shear;
    prc_lane d = l1 * l2 - R(1);
    s.energy += R(0.5) * lame * d * d;
    s.p1 += lame * d * l2;
    s.p2 += lame * d * l1;
    s.h11 += lame * l2 * l2;
    s.h22 += lame * l1 * l1;
    s.h12 += lame * (R(2) * d + R(1));
    return s;
}

PRC_INLINE prc_stress prc_material_mooney(prc_lane l1, prc_lane l2, const prc_real *c)
{
    prc_stress s = prc_stress_zero();
    prc_lane zero = prc_splat(R(0));
    prc_stress i1 = prc_invariant_i1(l1, l2), i2 = prc_invariant_i2(l1, l2);
    prc_stress_add_chain(&s, c[0] * i1.energy, prc_splat(c[0]), zero, &i1);
    prc_stress_add_chain(&s, c[1] * i2.energy, prc_splat(c[1]), zero, &i2);
    return s;
}

PRC_INLINE prc_stress prc_material_yeoh(prc_lane l1, prc_lane l2, const prc_real *c)
{
    prc_stress s = prc_stress_zero();
    prc_stress i = prc_invariant_i1(l1, l2);
    prc_lane x = i.energy;
    prc_stress_add_chain(&s, x * (c[0] + x * (c[1] + x * c[2])), c[0] + x * (R(2) * c[1] + x * R(3) * c[2]),
                         R(2) * c[1] + R(6) * c[2] * x, &i);
    return s;
}

/* shear/(2b) (exp(b (I1 − 3)) − 1); the exponential is continued as a parabola above an exponent of 30, where
 * single precision would overflow. */
PRC_INLINE prc_stress prc_material_fung(prc_lane l1, prc_lane l2, prc_real shear, prc_real b)
{
    prc_stress s = prc_stress_zero();
    prc_stress i = prc_invariant_i1(l1, l2);
    prc_lane q = b * i.energy;
    prc_lane at = prc_min(q, prc_splat(R(30)));
    prc_jet e;
    e.f = e.d = e.dd = prc_exp(at);
    e = prc_jet_continue(e, q - at);
    prc_stress_add_chain(&s, R(0.5) * shear / b * (e.f - R(1)), R(0.5) * shear * e.d, R(0.5) * shear * b * e.dd, &i);
    return s;
}

PRC_INLINE prc_stress prc_material_ogden(prc_lane l1, prc_lane l2, const prc_real *modulus, const prc_real *exponent)
{
    prc_stress s = prc_stress_zero();
    for (int k = 0; k < PRC_LAW_TERMS; k++) {
        if (modulus[k] == R(0))
            continue;
        prc_stress i = prc_invariant(prc_power(l1, exponent[k]), prc_power(l2, exponent[k]),
                                     prc_power(l1, -exponent[k]), prc_power(l2, -exponent[k]), R(-3));
        prc_real factor = modulus[k] / exponent[k];
        prc_stress_add_chain(&s, factor * i.energy, prc_splat(factor), prc_splat(R(0)), &i);
    }
    return s;
}

/* A tabulated nominal stress: cubic Hermite pieces on a uniform grid (value, slope, integral per knot), linear beyond.
 */
PRC_INLINE prc_jet prc_table_jet(prc_lane s, const prc_real *table)
{
    const prc_real first = table[0], step = table[1];
    const prc_real *knots = table + 2;
    prc_jet j = {s, s, s};
#if PRC_LANES == 1
    prc_real values[1] = {s}, f[1], d[1], dd[1];
#else
    prc_real values[PRC_LANES], f[PRC_LANES], d[PRC_LANES], dd[PRC_LANES];
    for (int k = 0; k < PRC_LANES; k++)
        values[k] = s[k];
#endif
    for (int k = 0; k < PRC_LANES; k++) {
        prc_real position = (values[k] - first) / step, last = R(PRC_LAW_KNOTS - 1);
        prc_real inside = position < R(0) ? R(0) : position > last ? last : position;
        int cell = inside >= last ? PRC_LAW_KNOTS - 2 : (int)inside;
        prc_real t = inside - R(cell);
        const prc_real *a = knots + 3 * cell, *b = a + 3;
        prc_real p0 = a[0], m0 = a[1] * step, p1 = b[0], m1 = b[1] * step;
        prc_real c2 = R(3) * (p1 - p0) - R(2) * m0 - m1, c3 = R(2) * (p0 - p1) + m0 + m1;
        prc_real stress = p0 + t * (m0 + t * (c2 + t * c3));
        prc_real slope = (m0 + t * (R(2) * c2 + t * R(3) * c3)) / step;
        prc_real energy = a[2] + step * t * (p0 + t * (m0 / R(2) + t * (c2 / R(3) + t * c3 / R(4))));
        prc_real beyond = (position - inside) * step;
        f[k] = energy + beyond * (stress + R(0.5) * slope * beyond);
        d[k] = stress + slope * beyond;
        dd[k] = slope;
    }
#if PRC_LANES == 1
    j.f = f[0], j.d = d[0], j.dd = dd[0];
#else
    for (int k = 0; k < PRC_LANES; k++) {
        j.f[k] = f[k];
        j.d[k] = d[k];
        j.dd[k] = dd[k];
    }
#endif
    return j;
}

PRC_INLINE prc_stress prc_material_sum(prc_lane l1, prc_lane l2, const prc_real *law)
{
    prc_stress s = prc_stress_zero();
    for (int k = 0; k < PRC_LAW_TERMS; k++) {
        prc_real factor = law[PRC_LAW_MODULUS + k];
        int order = (int)law[PRC_LAW_EXPONENT + k]; /* n of A_n, −n of B_n */
        if (factor == R(0))
            continue;
        if (order > 0)
            prc_stress_add_separate(&s, factor, prc_basis_a(l1, order), prc_basis_a(l2, order));
        else
            prc_stress_add_separate(&s, factor, prc_basis_b(l1, -order), prc_basis_b(l2, -order));
    }
    return s;
}

/* The isotropic laws. (The orthotropic one is not a function of l1, l2 alone: kernel/membrane.h.) */
PRC_INLINE prc_stress prc_material_stress(int kind, const prc_real *law, prc_lane l1, prc_lane l2)
{
    const prc_real *modulus = law + PRC_LAW_MODULUS, *exponent = law + PRC_LAW_EXPONENT;
    switch (kind) {
    case PRC_LAW_A3: { /* the default model, spelled out so that the order is a constant */
        prc_stress s = prc_stress_zero();
        prc_stress_add_separate(&s, modulus[0], prc_basis_a(l1, 3), prc_basis_a(l2, 3));
        return s;
    }
    case PRC_LAW_BASES:
        return prc_material_sum(l1, l2, law);
    case PRC_LAW_STVK:
        return prc_material_stvk(l1, l2, modulus[0], modulus[1]);
    case PRC_LAW_COROTATED:
        return prc_material_corotated(l1, l2, modulus[0], modulus[1]);
    case PRC_LAW_NEO_HOOKEAN_2D:
        return prc_material_neo_hookean_2d(l1, l2, modulus[0], modulus[1]);
    case PRC_LAW_MOONEY:
        return prc_material_mooney(l1, l2, modulus);
    case PRC_LAW_YEOH:
        return prc_material_yeoh(l1, l2, modulus);
    case PRC_LAW_FUNG:
        return prc_material_fung(l1, l2, modulus[0], exponent[0]);
    case PRC_LAW_OGDEN:
        return prc_material_ogden(l1, l2, modulus, exponent);
    case PRC_LAW_TABLE: {
        prc_stress s = prc_stress_zero();
        const prc_real *table = law + PRC_LAW_TABLE_START;
        prc_stress_add_separate(&s, R(1), prc_table_jet(l1, table), prc_table_jet(l2, table));
        return s;
    }
    default:
        return prc_stress_zero();
    }
}

#endif
