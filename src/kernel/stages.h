/* kernel/stages.h — the lines of the algorithm, each for one pack of vertices, in gather form.
 *
 * Energy of a ring (docs/theory.md, Eq. 2.6): with F = Σ y_ij b_ij^T, n its normal, r_ij = y_ij − F x_ij, z_ij =
 * n·y_ij, E_i = a_i [ Ψ(F) + (c/2) Σ q |r_tangential|² ] + ½ |K (z − z⁰)|²,   with sqrt(a_i D) inside K A stage first
 * writes what ring i does to each of its bonds (bond_t); the next sums over the bonds that end at i.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_STAGES_H
#define PRC_KERNEL_STAGES_H

#include "kernel/membrane.h"

#define FIELD(name) ((prc_real *)v->field[PRC_FIELD_##name])
#define FIELD_INT(name) ((const int *)v->field[PRC_FIELD_##name])
#define FIELD_DOUBLE(name) ((double *)v->field[PRC_FIELD_##name])
#define ARGUMENT(k) ((prc_real *)v->argument[k])

/* Where the ring of a pack lies. */
typedef struct prc_ring {
    int vertex;     /* first vertex of the pack */
    int first, end; /* bond index of the first and past the last row, for that vertex */
} prc_ring;

PRC_INLINE prc_ring prc_ring_at(const prc_view *v, int pack)
{
    const int *row_start = FIELD_INT(row_start);
    prc_ring ring;
    ring.vertex = pack * PRC_LANES;
    int block = ring.vertex / PRC_BLOCK, lane = ring.vertex % PRC_BLOCK;
    ring.first = row_start[block] * PRC_BLOCK + lane;
    ring.end = row_start[block + 1] * PRC_BLOCK + lane;
    return ring;
}

PRC_INLINE prc_vec3 prc_vertex_load(const prc_view *v, const prc_real *field, int vertex)
{
    return prc_vec3_make(prc_load(field + vertex), prc_load(field + v->padded_count + vertex),
                         prc_load(field + 2 * v->padded_count + vertex));
}
PRC_INLINE void prc_vertex_store(const prc_view *v, prc_real *field, int vertex, prc_vec3 a)
{
    prc_store(field + vertex, a.x);
    prc_store(field + v->padded_count + vertex, a.y);
    prc_store(field + 2 * v->padded_count + vertex, a.z);
}
PRC_INLINE prc_vec3 prc_vertex_gather(const prc_view *v, const prc_real *field, prc_lane_index j)
{
    return prc_vec3_make(prc_gather(field, j), prc_gather(field + v->padded_count, j),
                         prc_gather(field + 2 * v->padded_count, j));
}
PRC_INLINE prc_vec3 prc_bond_load(const prc_view *v, const prc_real *field, int bond)
{
    return prc_vec3_make(prc_load(field + bond), prc_load(field + v->bond_count + bond),
                         prc_load(field + 2 * (long)v->bond_count + bond));
}
PRC_INLINE void prc_bond_store(const prc_view *v, prc_real *field, int bond, prc_vec3 a)
{
    prc_store(field + bond, a.x);
    prc_store(field + v->bond_count + bond, a.y);
    prc_store(field + 2 * (long)v->bond_count + bond, a.z);
}
PRC_INLINE prc_vec3 prc_bond_gather(const prc_view *v, const prc_real *field, prc_lane_index bond)
{
    return prc_vec3_make(prc_gather(field, bond), prc_gather(field + v->bond_count, bond),
                         prc_gather(field + 2 * (long)v->bond_count, bond));
}

/* Writes w_ij − w_i (+ base_ij) into bond_t for every bond and returns Σ of it times b_ij^T. */
PRC_INLINE prc_mat32 prc_ring_gather(const prc_view *v, prc_ring ring, const prc_real *w, const prc_real *base,
                                     const prc_real *b)
{
    prc_vec3 wi = prc_vertex_load(v, w, ring.vertex);
    prc_mat32 f;
    f.a = f.b = prc_vec3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane_index j = prc_load_index(FIELD_INT(bond_vertex) + e);
        prc_vec3 y = prc_sub(prc_vertex_gather(v, w, j), wi);
        if (base)
            y = prc_add(y, prc_bond_load(v, base, e));
        prc_bond_store(v, FIELD(bond_t), e, y);
        f.a = prc_add_scaled(f.a, prc_load(b + e), y);
        f.b = prc_add_scaled(f.b, prc_load(b + v->bond_count + e), y);
    }
    return f;
}

/* κ = K z of the bonds in bond_t, with z = n·y − slope·x. */
PRC_INLINE prc_vec3 prc_ring_curvature(const prc_view *v, prc_ring ring, prc_vec3 n, prc_lane slope_x, prc_lane slope_y)
{
    const prc_real *x = FIELD(bond_x), *k = FIELD(bond_k);
    prc_vec3 curvature = prc_vec3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane z = prc_dot(n, prc_bond_load(v, FIELD(bond_t), e)) - slope_x * prc_load(x + e) -
                     slope_y * prc_load(x + v->bond_count + e);
        curvature = prc_add(curvature, prc_scale(z, prc_bond_load(v, k, e)));
    }
    return curvature;
}

PRC_INLINE void prc_stage_bonds_begin(const prc_view *v, int block)
{
    const int *row_start = FIELD_INT(row_start), *neighbour = FIELD_INT(bond_vertex);
    for (int k = 0; k < 3; k++) {
        const double *x = FIELD_DOUBLE(position) + (long)k * v->padded_count, *own = x + block * PRC_BLOCK;
        prc_real *y = FIELD(bond_y) + (long)k * v->bond_count;
        for (int row = row_start[block]; row < row_start[block + 1]; row++)
            for (int lane = 0; lane < PRC_BLOCK; lane++) {
                const int e = row * PRC_BLOCK + lane;
                y[e] = (prc_real)(x[neighbour[e]] - own[lane]);
            }
    }
}

/* F at u = 0. */
PRC_INLINE prc_mat32 prc_ring_start(const prc_view *v, prc_ring ring)
{
    prc_mat32 f;
    f.a = f.b = prc_vec3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_vec3 y = prc_bond_load(v, FIELD(bond_y), e);
        prc_bond_store(v, FIELD(bond_t), e, y);
        f.a = prc_add_scaled(f.a, prc_load(FIELD(bond_b) + e), y);
        f.b = prc_add_scaled(f.b, prc_load(FIELD(bond_b) + v->bond_count + e), y);
    }
    return f;
}

PRC_INLINE void prc_stage_rates_begin(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_shape s = prc_shape_of(prc_ring_start(v, ring));
    prc_sym2 e = prc_green_strain(&s);
    prc_lane zero = prc_splat(R(0));
    prc_vertex_store(v, FIELD(strain_before), ring.vertex, prc_vec3_make(e.xx, e.yy, e.xy));
    prc_vertex_store(v, FIELD(curvature_before), ring.vertex, prc_ring_curvature(v, ring, s.normal, zero, zero));
}

PRC_INLINE void prc_stage_air_begin(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_shape s = prc_shape_of(prc_ring_start(v, ring));
    prc_vertex_store(v, FIELD(air_normal), ring.vertex, s.normal);
}

/* Rayleigh-type damping: the linear law applied to the strain rate (E − E_t)/h. Returns its potential per area. */
PRC_INLINE prc_lane prc_response_damp(const prc_view *v, int vertex, const prc_shape *s, prc_response *out)
{
    prc_lane_index row = prc_load_index(FIELD_INT(law) + vertex) * PRC_LAW_SIZE + PRC_LAW_LINEAR;
    prc_lane c[4];
    for (int k = 0; k < 4; k++)
        c[k] = prc_gather(FIELD(law_row) + k, row);
    prc_lane rate = prc_load(FIELD(damping) + vertex) * (prc_real)v->inverse_h;
    for (int k = 0; k < 4; k++)
        c[k] = c[k] * rate;
    prc_vec3 before = prc_vertex_load(v, FIELD(strain_before), vertex);
    prc_sym2 e = prc_green_strain(s);
    prc_lane e11 = e.xx - before.x, e22 = e.yy - before.y, e12 = e.xy - before.z;
    prc_lane s11 = c[0] * e11 + c[2] * e22, s22 = c[2] * e11 + c[1] * e22, s12 = R(2) * c[3] * e12;
    out->stress.xx += s11;
    out->stress.yy += s22;
    out->stress.xy += s12;
    if (v->linearise)
        prc_tangent_add_linear(out, prc_right_stretch(s), c[0], c[1], c[2], c[3]);
    return R(0.5) * (s11 * e11 + s22 * e22) + s12 * e12;
}

PRC_INLINE void prc_tangent_store(const prc_view *v, int vertex, prc_mat32 f, const prc_shape *s,
                                  const prc_response *out)
{
    prc_lane a = prc_load(FIELD(area) + vertex);
    prc_sym2 inverse = prc_sym2_spectral(R(1) / s->l1, R(1) / s->l2, s->cosine, s->sine);
    prc_mat32 rotation = prc_mat32_times(f, inverse);
    prc_vertex_store(v, FIELD(rotation), vertex, rotation.a);
    prc_vertex_store(v, FIELD(rotation) + 3 * v->padded_count, vertex, rotation.b);
    prc_vertex_store(v, FIELD(normal), vertex, s->normal);
    for (int k = 0; k < 10; k++)
        prc_store(FIELD(tangent) + (long)k * v->padded_count + vertex, a * out->t[k]);
    prc_vertex_store(v, FIELD(tangent_normal), vertex, prc_vec3_make(a * out->n.xx, a * out->n.xy, a * out->n.yy));
}

/* Bending and stabilisation. Leaves w_ij in bond_t, adds to the stress Q what they do through F and n, returns the
 * energy; adds the potential of damped bending to *damped. */
PRC_INLINE prc_lane prc_ring_bend(const prc_view *v, prc_ring ring, prc_mat32 f, const prc_shape *s, prc_mat32 *q,
                                  prc_lane *damped)
{
    const prc_real *x = FIELD(bond_x);
    prc_real *t = FIELD(bond_t);
    prc_lane zero = prc_splat(R(0)), half = prc_splat(R(0.5));
    prc_lane cq = prc_load(FIELD(stabilise) + ring.vertex);
    prc_lane left = prc_load(FIELD(stabilise_normal) + ring.vertex);
    prc_vec3 curvature = prc_ring_curvature(v, ring, s->normal, zero, zero);
    prc_vec3 bent = prc_sub(curvature, prc_vertex_load(v, FIELD(curvature_rest), ring.vertex));
    prc_lane energy = half * prc_dot(bent, bent);
    if (v->has_damping) {
        prc_lane rate = prc_load(FIELD(damping) + ring.vertex) * (prc_real)v->inverse_h;
        prc_vec3 moved = prc_sub(curvature, prc_vertex_load(v, FIELD(curvature_before), ring.vertex));
        *damped += half * rate * prc_dot(moved, moved);
        bent = prc_add_scaled(bent, rate, moved);
    }
    prc_vec3 moment = prc_vec3_zero(); /* g_n = Σ μ y */
    prc_lane away = zero;
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_vec3 y = prc_bond_load(v, t, e);
        prc_lane x0 = prc_load(x + e), x1 = prc_load(x + v->bond_count + e);
        prc_lane z = prc_dot(s->normal, y);
        prc_vec3 r = prc_sub(y, prc_add_scaled(prc_scale(x0, f.a), x1, f.b));
        prc_lane bend = prc_dot(bent, prc_bond_load(v, FIELD(bond_k), e));
        prc_lane normal_part = cq * (left - R(1)) * z; /* takes the normal part of the stabilisation out again */
        prc_lane mu = bend + normal_part;
        away += prc_dot(r, r) + (left - R(1)) * z * z;
        moment = prc_add_scaled(moment, mu, y);
        prc_vec3 pull = prc_scale(cq, r);
        q->a = prc_add_scaled(q->a, -x0, pull);
        q->b = prc_add_scaled(q->b, -x1, pull);
        prc_bond_store(v, t, e, prc_add_scaled(pull, mu, s->normal));
    }
    energy += half * cq * away;
    /* The normal turns with F: Q −= (g_n·g^a) n e_a^T, with g^a the dual basis of f1, f2. */
    const prc_real smallest = PRC_REAL_FLOAT ? R(1e-12) : R(1e-24);
    prc_lane determinant = prc_max(s->area * s->area, prc_splat(smallest));
    prc_lane m0 = prc_dot(moment, f.a), m1 = prc_dot(moment, f.b);
    prc_lane g0 = (s->metric.yy * m0 - s->metric.xy * m1) / determinant;
    prc_lane g1 = (s->metric.xx * m1 - s->metric.xy * m0) / determinant;
    q->a = prc_add_scaled(q->a, -g0, s->normal);
    q->b = prc_add_scaled(q->b, -g1, s->normal);
    return energy;
}

/* t_ij = Q b_ij + w_ij for every bond (w_ij is in bond_t), and their sum. */
PRC_INLINE void prc_ring_scatter(const prc_view *v, prc_ring ring, prc_mat32 q)
{
    const prc_real *b = FIELD(bond_f);
    prc_vec3 own = prc_vec3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_vec3 t = prc_bond_load(v, FIELD(bond_t), e);
        t = prc_add_scaled(t, prc_load(b + e), q.a);
        t = prc_add_scaled(t, prc_load(b + v->bond_count + e), q.b);
        prc_bond_store(v, FIELD(bond_t), e, t);
        own = prc_add(own, t);
    }
    prc_vertex_store(v, FIELD(own), ring.vertex, own);
}

PRC_INLINE void prc_stage_elastic(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_mat32 f = prc_ring_gather(v, ring, ARGUMENT(0), FIELD(bond_y), FIELD(bond_b));
    prc_shape s = prc_shape_of(f);
    prc_response out = prc_respond(FIELD_INT(law) + ring.vertex, FIELD_INT(block_mixed)[ring.vertex / PRC_BLOCK],
                                   FIELD_INT(law_kind), FIELD(law_row), &s, v->linearise);
    prc_lane a = prc_load(FIELD(area) + ring.vertex), damped = prc_splat(R(0));
    if (v->has_damping)
        damped = a * prc_response_damp(v, ring.vertex, &s, &out);
    out.stress.xx *= a;
    out.stress.xy *= a;
    out.stress.yy *= a;
    prc_mat32 q = prc_mat32_times(f, out.stress);
    prc_lane bending = prc_ring_bend(v, ring, f, &s, &q, &damped);
    prc_ring_scatter(v, ring, q);
    prc_store(FIELD(energy) + ring.vertex, a * out.energy + bending);
    if (v->has_damping)
        prc_store(FIELD(energy_damping) + ring.vertex, damped);
    if (v->linearise)
        prc_tangent_store(v, ring.vertex, f, &s, &out);
    if (v->want_stretch) {
        prc_store(FIELD(stretch) + ring.vertex, s.l1);
        prc_store(FIELD(stretch) + v->padded_count + ring.vertex, s.l2);
    }
}

/* Principal values of the Cauchy stress R^T σ R = U S U / J of the membrane: force per deformed length. Damping,
 * bending and stabilisation have no part in it. */
PRC_INLINE void prc_stage_stress(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_shape s = prc_shape_of(prc_ring_start(v, ring));
    prc_response out = prc_respond(FIELD_INT(law) + ring.vertex, FIELD_INT(block_mixed)[ring.vertex / PRC_BLOCK],
                                   FIELD_INT(law_kind), FIELD(law_row), &s, 0);
    prc_sym2 u = prc_right_stretch(&s);
    prc_lane xx = out.stress.xx * u.xx + out.stress.xy * u.xy, xy = out.stress.xx * u.xy + out.stress.xy * u.yy;
    prc_lane yx = out.stress.xy * u.xx + out.stress.yy * u.xy, yy = out.stress.xy * u.xy + out.stress.yy * u.yy;
    prc_lane inverse = R(1) / (s.l1 * s.l2);
    prc_lane first = inverse * (u.xx * xx + u.xy * yx), second = inverse * (u.xy * xy + u.yy * yy);
    prc_lane shear = inverse * (u.xx * xy + u.xy * yy);
    prc_lane mean = R(0.5) * (first + second), d = R(0.5) * (first - second);
    prc_lane r = prc_sqrt(d * d + shear * shear);
    prc_store(FIELD(stress) + ring.vertex, mean + r);
    prc_store(FIELD(stress) + v->padded_count + ring.vertex, mean - r);
}

/* What all bonds that end or start at the vertices of a pack do to them. */
PRC_INLINE prc_vec3 prc_ring_sum(const prc_view *v, prc_ring ring)
{
    prc_vec3 sum = prc_scale(prc_splat(R(-1)), prc_vertex_load(v, FIELD(own), ring.vertex));
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane_index reverse = prc_load_index(FIELD_INT(bond_reverse) + e);
        sum = prc_add(sum, prc_bond_gather(v, FIELD(bond_t), reverse));
    }
    return sum;
}

PRC_INLINE void prc_stage_elastic_gradient(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_vertex_store(v, ARGUMENT(1), ring.vertex, prc_ring_sum(v, ring));
}

PRC_INLINE void prc_stage_gradient(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_vec3 g = prc_ring_sum(v, ring);
    prc_vec3 u = prc_vertex_load(v, ARGUMENT(0), ring.vertex);
    prc_vec3 target = prc_vertex_load(v, FIELD(target), ring.vertex);
    g = prc_add_scaled(g, prc_load(FIELD(weight) + ring.vertex), prc_sub(u, target));
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), ring.vertex);
        prc_lane slip = prc_dot(n, u) - prc_load(FIELD(air_wind) + ring.vertex);
        g = prc_add_scaled(g, prc_load(FIELD(air_weight) + ring.vertex) * slip, n);
    }
    prc_vertex_store(v, ARGUMENT(1), ring.vertex, prc_scale(prc_load(FIELD(free) + ring.vertex), g));
}

/* a_i (T : R^T dF) rotated back, plus the normal part. */
PRC_INLINE prc_mat32 prc_tangent_apply(const prc_view *v, int vertex, prc_mat32 df, prc_vec3 n)
{
    prc_vec3 r1 = prc_vertex_load(v, FIELD(rotation), vertex);
    prc_vec3 r2 = prc_vertex_load(v, FIELD(rotation) + 3 * v->padded_count, vertex);
    prc_lane g[4], p[4], t[4][4];
    g[0] = prc_dot(r1, df.a);
    g[1] = prc_dot(r1, df.b);
    g[2] = prc_dot(r2, df.a);
    g[3] = prc_dot(r2, df.b);
    int k = 0;
    for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, k++)
            t[i][j] = t[j][i] = prc_load(FIELD(tangent) + (long)k * v->padded_count + vertex);
    for (int i = 0; i < 4; i++)
        p[i] = t[i][0] * g[0] + t[i][1] * g[1] + t[i][2] * g[2] + t[i][3] * g[3];
    prc_vec3 m = prc_vertex_load(v, FIELD(tangent_normal), vertex);
    prc_lane s1 = prc_dot(n, df.a), s2 = prc_dot(n, df.b);
    prc_mat32 q;
    q.a = prc_add_scaled(prc_add_scaled(prc_scale(p[0], r1), p[2], r2), m.x * s1 + m.y * s2, n);
    q.b = prc_add_scaled(prc_add_scaled(prc_scale(p[1], r1), p[3], r2), m.y * s1 + m.z * s2, n);
    return q;
}

PRC_INLINE void prc_stage_product_bonds(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    const prc_real *x = FIELD(bond_x);
    prc_real *t = FIELD(bond_t);
    prc_vec3 n = prc_vertex_load(v, FIELD(normal), ring.vertex);
    prc_mat32 df = prc_ring_gather(v, ring, ARGUMENT(0), (const prc_real *)0, FIELD(bond_f));
    prc_mat32 q = prc_tangent_apply(v, ring.vertex, df, n);
    prc_vec3 bent = prc_ring_curvature(v, ring, n, prc_dot(n, df.a), prc_dot(n, df.b));
    if (v->has_damping) {
        prc_lane rate = prc_load(FIELD(damping) + ring.vertex) * (prc_real)v->inverse_h;
        bent = prc_add_scaled(bent, rate, bent);
    }
    prc_lane cq = prc_load(FIELD(stabilise) + ring.vertex);
    prc_lane drop = R(1) - prc_load(FIELD(stabilise_normal) + ring.vertex);
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane x0 = prc_load(x + e), x1 = prc_load(x + v->bond_count + e);
        prc_vec3 dr = prc_sub(prc_bond_load(v, t, e), prc_add_scaled(prc_scale(x0, df.a), x1, df.b));
        prc_lane along = prc_dot(bent, prc_bond_load(v, FIELD(bond_k), e)) - cq * drop * prc_dot(n, dr);
        prc_vec3 w = prc_add_scaled(prc_scale(cq, dr), along, n);
        q.a = prc_add_scaled(q.a, -x0, w);
        q.b = prc_add_scaled(q.b, -x1, w);
        prc_bond_store(v, t, e, w);
    }
    prc_ring_scatter(v, ring, q);
}

PRC_INLINE void prc_stage_elastic_product(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_vertex_store(v, ARGUMENT(1), ring.vertex, prc_ring_sum(v, ring));
}

PRC_INLINE void prc_stage_product(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_vec3 h = prc_ring_sum(v, ring);
    prc_vec3 p = prc_vertex_load(v, ARGUMENT(0), ring.vertex);
    h = prc_add_scaled(h, prc_load(FIELD(weight) + ring.vertex), p);
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), ring.vertex);
        h = prc_add_scaled(h, prc_load(FIELD(air_weight) + ring.vertex) * prc_dot(n, p), n);
    }
    prc_vertex_store(v, ARGUMENT(1), ring.vertex, prc_scale(prc_load(FIELD(free) + ring.vertex), h));
}

/* A symmetric 3×3 block. */
typedef struct prc_sym3 {
    prc_lane xx, xy, xz, yy, yz, zz;
} prc_sym3;

PRC_INLINE prc_sym3 prc_sym3_zero(void)
{
    prc_sym3 s;
    s.xx = s.xy = s.xz = s.yy = s.yz = s.zz = prc_splat(R(0));
    return s;
}
PRC_INLINE prc_sym3 prc_sym3_add(prc_sym3 a, prc_sym3 b)
{
    a.xx += b.xx, a.xy += b.xy, a.xz += b.xz, a.yy += b.yy, a.yz += b.yz, a.zz += b.zz;
    return a;
}
/* s + k (a b^T + b a^T)/2 */
PRC_INLINE prc_sym3 prc_sym3_add_outer(prc_sym3 s, prc_lane k, prc_vec3 a, prc_vec3 b)
{
    prc_lane half = R(0.5) * k;
    s.xx += k * a.x * b.x;
    s.yy += k * a.y * b.y;
    s.zz += k * a.z * b.z;
    s.xy += half * (a.x * b.y + a.y * b.x);
    s.xz += half * (a.x * b.z + a.z * b.x);
    s.yz += half * (a.y * b.z + a.z * b.y);
    return s;
}
PRC_INLINE prc_sym3 prc_sym3_add_scaled(prc_sym3 a, prc_lane k, prc_sym3 b)
{
    a.xx += k * b.xx, a.xy += k * b.xy, a.xz += k * b.xz, a.yy += k * b.yy, a.yz += k * b.yz, a.zz += k * b.zz;
    return a;
}
PRC_INLINE prc_sym3 prc_sym3_add_unit(prc_sym3 s, prc_lane k)
{
    s.xx += k;
    s.yy += k;
    s.zz += k;
    return s;
}
PRC_INLINE void prc_sym3_store(prc_real *field, long stride, int at, prc_sym3 s)
{
    prc_store(field + at, s.xx);
    prc_store(field + stride + at, s.xy);
    prc_store(field + 2 * stride + at, s.xz);
    prc_store(field + 3 * stride + at, s.yy);
    prc_store(field + 4 * stride + at, s.yz);
    prc_store(field + 5 * stride + at, s.zz);
}
PRC_INLINE prc_sym3 prc_sym3_load(const prc_real *field, long stride, int at)
{
    prc_sym3 s;
    s.xx = prc_load(field + at);
    s.xy = prc_load(field + stride + at);
    s.xz = prc_load(field + 2 * stride + at);
    s.yy = prc_load(field + 3 * stride + at);
    s.yz = prc_load(field + 4 * stride + at);
    s.zz = prc_load(field + 5 * stride + at);
    return s;
}
PRC_INLINE prc_sym3 prc_sym3_gather(const prc_real *field, long stride, prc_lane_index at)
{
    prc_sym3 s;
    s.xx = prc_gather(field, at);
    s.xy = prc_gather(field + stride, at);
    s.xz = prc_gather(field + 2 * stride, at);
    s.yy = prc_gather(field + 3 * stride, at);
    s.yz = prc_gather(field + 4 * stride, at);
    s.zz = prc_gather(field + 5 * stride, at);
    return s;
}
PRC_INLINE prc_vec3 prc_sym3_times(prc_sym3 s, prc_vec3 a)
{
    return prc_vec3_make(s.xx * a.x + s.xy * a.y + s.xz * a.z, s.xy * a.x + s.yy * a.y + s.yz * a.z,
                         s.xz * a.x + s.yz * a.y + s.zz * a.z);
}
PRC_INLINE prc_sym3 prc_sym3_inverse(prc_sym3 s)
{
    prc_sym3 c;
    c.xx = s.yy * s.zz - s.yz * s.yz;
    c.xy = s.xz * s.yz - s.xy * s.zz;
    c.xz = s.xy * s.yz - s.xz * s.yy;
    c.yy = s.xx * s.zz - s.xz * s.xz;
    c.yz = s.xy * s.xz - s.xx * s.yz;
    c.zz = s.xx * s.yy - s.xy * s.xy;
    prc_lane d = R(1) / (s.xx * c.xx + s.xy * c.xy + s.xz * c.xz);
    c.xx *= d, c.xy *= d, c.xz *= d, c.yy *= d, c.yz *= d, c.zz *= d;
    return c;
}

/* What the diagonal stages need of a vertex, loaded once. */
typedef struct prc_stencil {
    prc_vec3 r1, r2, n;
    prc_lane t[10];
    prc_vec3 m;                  /* a N */
    prc_lane cq, left;           /* stabilisation, share left along the normal */
    prc_lane bend_scale;         /* 1 + damping rate */
    prc_sym3 p11, p22, p12, pnn; /* r1 r1^T, r2 r2^T, r1 r2^T + r2 r1^T, n n^T */
} prc_stencil;

PRC_INLINE prc_stencil prc_stencil_load(const prc_view *v, int vertex)
{
    prc_stencil s;
    s.r1 = prc_vertex_load(v, FIELD(rotation), vertex);
    s.r2 = prc_vertex_load(v, FIELD(rotation) + 3 * v->padded_count, vertex);
    s.n = prc_vertex_load(v, FIELD(normal), vertex);
    for (int k = 0; k < 10; k++)
        s.t[k] = prc_load(FIELD(tangent) + (long)k * v->padded_count + vertex);
    s.m = prc_vertex_load(v, FIELD(tangent_normal), vertex);
    s.cq = prc_load(FIELD(stabilise) + vertex);
    s.left = prc_load(FIELD(stabilise_normal) + vertex);
    s.bend_scale = prc_splat(R(1));
    if (v->has_damping)
        s.bend_scale += prc_load(FIELD(damping) + vertex) * (prc_real)v->inverse_h;
    prc_lane one = prc_splat(R(1));
    s.p11 = prc_sym3_add_outer(prc_sym3_zero(), one, s.r1, s.r1);
    s.p22 = prc_sym3_add_outer(prc_sym3_zero(), one, s.r2, s.r2);
    s.p12 = prc_sym3_add_outer(prc_sym3_zero(), one + one, s.r1, s.r2);
    s.pnn = prc_sym3_add_outer(prc_sym3_zero(), one, s.n, s.n);
    return s;
}

/* The diagonal block that the stencil gives a vertex of weight (b0, b1), residual sum ss and squared curvature kk. */
PRC_INLINE prc_sym3 prc_stencil_block(const prc_stencil *s, prc_lane b0, prc_lane b1, prc_lane ss, prc_lane kk)
{
    prc_lane xx = b0 * b0, xy = b0 * b1, yy = b1 * b1;
    prc_lane e11 = s->t[T_11_11] * xx + R(2) * s->t[T_11_12] * xy + s->t[T_12_12] * yy;
    prc_lane e22 = s->t[T_21_21] * xx + R(2) * s->t[T_21_22] * xy + s->t[T_22_22] * yy;
    prc_lane e12 = s->t[T_11_21] * xx + (s->t[T_11_22] + s->t[T_12_21]) * xy + s->t[T_12_22] * yy;
    prc_lane stiff = s->cq * ss;
    prc_lane normal = s->m.x * xx + R(2) * s->m.y * xy + s->m.z * yy + s->bend_scale * kk + (s->left - R(1)) * stiff;
    prc_sym3 d = prc_sym3_zero();
    d = prc_sym3_add_scaled(d, e11, s->p11);
    d = prc_sym3_add_scaled(d, e22, s->p22);
    d = prc_sym3_add_scaled(d, e12, s->p12);
    d = prc_sym3_add_scaled(d, normal, s->pnn);
    return prc_sym3_add_unit(d, stiff);
}

/* Tangential and normal bounds of the stencil's stiffness, per bond (docs/theory.md, Eq. 5.3). */
typedef struct prc_majorant {
    prc_lane tangential, normal;
} prc_majorant;

PRC_INLINE prc_lane prc_absolute(prc_lane a)
{
    return prc_max(a, -a);
}

PRC_INLINE prc_majorant prc_stencil_majorant(const prc_view *v, int vertex, const prc_stencil *s)
{
    static const int row[4][4] = {{T_11_11, T_11_12, T_11_21, T_11_22},
                                  {T_11_12, T_12_12, T_12_21, T_12_22},
                                  {T_11_21, T_12_21, T_21_21, T_21_22},
                                  {T_11_22, T_12_22, T_21_22, T_22_22}};
    prc_lane largest = prc_splat(R(0));
    for (int i = 0; i < 4; i++) {
        prc_lane sum = prc_absolute(s->t[row[i][0]]) + prc_absolute(s->t[row[i][1]]) + prc_absolute(s->t[row[i][2]]) +
                       prc_absolute(s->t[row[i][3]]);
        largest = prc_max(largest, sum);
    }
    prc_lane q = prc_load(FIELD(ring_q) + vertex);
    prc_lane normal = prc_max(s->m.x + prc_absolute(s->m.y), s->m.z + prc_absolute(s->m.y));
    normal = prc_max(normal, R(0.025) * largest);
    prc_majorant m;
    m.tangential = prc_max(largest, normal) * q;
    m.normal = normal * q + s->left * s->cq;
    return m;
}

PRC_INLINE prc_sym3 prc_majorant_block(prc_majorant m, prc_vec3 n, prc_lane extra_normal)
{
    prc_sym3 d = prc_sym3_add_unit(prc_sym3_zero(), m.tangential);
    return prc_sym3_add_outer(d, m.normal + extra_normal - m.tangential, n, n);
}

PRC_INLINE void prc_stage_diagonal_bonds(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_stencil s = prc_stencil_load(v, ring.vertex);
    const prc_real *b = FIELD(bond_f);
    if (v->diagonal_kind == PRC_DIAGONAL_EXACT) {
        for (int e = ring.first; e < ring.end; e += PRC_BLOCK)
            prc_sym3_store(FIELD(bond_d), v->bond_count, e,
                           prc_stencil_block(&s, prc_load(b + e), prc_load(b + v->bond_count + e),
                                             prc_load(FIELD(bond_ss) + e), prc_load(FIELD(bond_kk) + e)));
        prc_lane b0 = prc_load(FIELD(center_b) + ring.vertex);
        prc_lane b1 = prc_load(FIELD(center_b) + v->padded_count + ring.vertex);
        prc_sym3_store(FIELD(own_d), v->padded_count, ring.vertex,
                       prc_stencil_block(&s, b0, b1, prc_load(FIELD(center_ss) + ring.vertex),
                                         prc_load(FIELD(center_kk) + ring.vertex)));
        return;
    }
    prc_majorant m = prc_stencil_majorant(v, ring.vertex, &s);
    prc_sym3 own = prc_sym3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        /* Padding bonds point at the vertex itself and must weigh nothing. */
        prc_lane real_bond = prc_select(prc_load(FIELD(bond_rows) + e) >= R(0), prc_splat(R(1)), prc_splat(R(0)));
        prc_lane rows = prc_max(prc_load(FIELD(bond_rows) + e), prc_splat(R(0)));
        prc_majorant bond;
        bond.tangential = m.tangential * real_bond;
        bond.normal = m.normal * real_bond;
        prc_sym3 d = prc_majorant_block(bond, s.n, R(2) * s.bend_scale * rows);
        prc_sym3_store(FIELD(bond_d), v->bond_count, e, d);
        own = prc_sym3_add(own, d);
    }
    prc_sym3_store(FIELD(own_d), v->padded_count, ring.vertex, own);
}

PRC_INLINE void prc_stage_diagonal(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_sym3 d = prc_sym3_load(FIELD(own_d), v->padded_count, ring.vertex);
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane_index reverse = prc_load_index(FIELD_INT(bond_reverse) + e);
        d = prc_sym3_add(d, prc_sym3_gather(FIELD(bond_d), v->bond_count, reverse));
    }
    prc_lane free = prc_load(FIELD(free) + ring.vertex);
    d = prc_sym3_add_unit(d, prc_load(FIELD(weight) + ring.vertex));
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), ring.vertex);
        d = prc_sym3_add_outer(d, prc_load(FIELD(air_weight) + ring.vertex), n, n);
    }
    prc_sym3 inverse = prc_sym3_inverse(d);
    inverse.xx *= free, inverse.xy *= free, inverse.xz *= free;
    inverse.yy *= free, inverse.yz *= free, inverse.zz *= free;
    prc_sym3_store(FIELD(inverse), v->padded_count, ring.vertex, inverse);
}

/* The linear system of the successive substitution: every bond a spring with the block that the majorant diagonal has
 * for it (bond_d holds the blocks of both ends). */
PRC_INLINE void prc_stage_laplacian(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_vec3 wi = prc_vertex_load(v, ARGUMENT(0), ring.vertex);
    prc_vec3 sum = prc_scale(prc_load(FIELD(weight) + ring.vertex), wi);
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane_index j = prc_load_index(FIELD_INT(bond_vertex) + e);
        prc_lane_index reverse = prc_load_index(FIELD_INT(bond_reverse) + e);
        prc_sym3 a = prc_sym3_add(prc_sym3_load(FIELD(bond_d), v->bond_count, e),
                                  prc_sym3_gather(FIELD(bond_d), v->bond_count, reverse));
        sum = prc_add(sum, prc_sym3_times(a, prc_sub(wi, prc_vertex_gather(v, ARGUMENT(0), j))));
    }
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), ring.vertex);
        sum = prc_add_scaled(sum, prc_load(FIELD(air_weight) + ring.vertex) * prc_dot(n, wi), n);
    }
    prc_vertex_store(v, ARGUMENT(1), ring.vertex, prc_scale(prc_load(FIELD(free) + ring.vertex), sum));
}

PRC_INLINE void prc_stage_precondition(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_sym3 d = prc_sym3_load(FIELD(inverse), v->padded_count, i);
    prc_vertex_store(v, ARGUMENT(1), i, prc_sym3_times(d, prc_vertex_load(v, ARGUMENT(0), i)));
}

PRC_INLINE void prc_stage_copy(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_vertex_store(v, ARGUMENT(1), i, prc_vertex_load(v, ARGUMENT(0), i));
}

PRC_INLINE void prc_stage_combine(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_vec3 a = prc_scale(prc_splat((prc_real)v->number[0]), prc_vertex_load(v, ARGUMENT(0), i));
    prc_vec3 b = prc_vertex_load(v, ARGUMENT(1), i);
    prc_vertex_store(v, ARGUMENT(2), i, prc_add_scaled(a, prc_splat((prc_real)v->number[1]), b));
}

PRC_INLINE void prc_stage_cg_step(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_lane alpha = prc_splat((prc_real)v->number[0]);
    prc_vec3 p = prc_vertex_load(v, FIELD(direction), i), q = prc_vertex_load(v, FIELD(product), i);
    prc_vec3 x = prc_add_scaled(prc_vertex_load(v, FIELD(correction), i), alpha, p);
    prc_vec3 r = prc_add_scaled(prc_vertex_load(v, FIELD(residual), i), -alpha, q);
    prc_vertex_store(v, FIELD(correction), i, x);
    prc_vertex_store(v, FIELD(residual), i, r);
    prc_sym3 d = prc_sym3_load(FIELD(inverse), v->padded_count, i);
    prc_vertex_store(v, FIELD(preconditioned), i, prc_sym3_times(d, r));
}

/* Step length of each vertex for the successive substitution (step/sissm.c): α = 2 f_i / (−∂f_i/∂u_i · d), at most 1,
 * with f_i the vertex's own share of the objective. */
PRC_INLINE void prc_stage_shorten(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_vec3 d = prc_vertex_load(v, ARGUMENT(1), i);
    prc_vec3 away = prc_sub(prc_vertex_load(v, ARGUMENT(0), i), prc_vertex_load(v, FIELD(target), i));
    prc_lane weight = prc_load(FIELD(weight) + i);
    prc_lane share = R(2) * prc_load(FIELD(energy) + i) + weight * prc_dot(away, away);
    prc_lane falls = prc_dot(prc_vertex_load(v, FIELD(own), i), d) - weight * prc_dot(away, d);
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), i);
        prc_lane air = prc_load(FIELD(air_weight) + i);
        prc_lane slip = prc_dot(n, prc_vertex_load(v, ARGUMENT(0), i)) - prc_load(FIELD(air_wind) + i);
        share += air * slip * slip;
        falls -= air * slip * prc_dot(n, d);
    }
    prc_lane alpha = prc_select(falls > share, share / prc_max(falls, share), prc_splat(R(1)));
    prc_vertex_store(v, ARGUMENT(2), i, prc_scale(alpha, d));
}

/* --- moves with contact: positions in double --- */

#define VECTOR(k) ((double *)v->argument[k])

PRC_INLINE int prc_vertex_is_free(const prc_view *v, int i)
{
    return FIELD(free)[i] != R(0);
}

PRC_INLINE void prc_stage_displace(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        ARGUMENT(1)[k] = (prc_real)(VECTOR(0)[k] - FIELD_DOUBLE(position)[k]);
    }
}

PRC_INLINE void prc_stage_widen(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(1)[k] = (double)ARGUMENT(0)[k];
    }
}

/* What is prescribed is not rounded. */
PRC_INLINE void prc_stage_aim(const prc_view *v, int i)
{
    const int moves_freely = prc_vertex_is_free(v, i) || i >= v->vertex_count;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(0)[k] = moves_freely ? (double)FIELD(u)[k] : FIELD_DOUBLE(prescribed)[k] - FIELD_DOUBLE(position)[k];
    }
}

/* What is left of the aim of a vertex that is not free, m. */
PRC_INLINE double prc_way_left(const prc_view *v, const double *aim, const double *y, long k)
{
    return FIELD_DOUBLE(position)[k] + aim[k] - y[k];
}

PRC_INLINE void prc_stage_pin_moves(const prc_view *v, int i)
{
    const int prescribed = !prc_vertex_is_free(v, i) && i < v->vertex_count;
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(0)[k] = prescribed ? prc_way_left(v, VECTOR(2), VECTOR(1), k) : 0;
    }
}

PRC_INLINE void prc_stage_move_squares(const prc_view *v, int i)
{
    const long n = v->padded_count;
    const double *p = VECTOR(0);
    FIELD_DOUBLE(column)
    [i] = prc_vertex_is_free(v, i) ? p[i] * p[i] + p[n + i] * p[n + i] + p[2 * n + i] * p[2 * n + i] : 0;
}

PRC_INLINE void prc_stage_limit_moves(const prc_view *v, int i)
{
    const double most = sqrt(v->slot[PRC_SLOT_LONGEST]);
    if (!(most > v->number[0]) || !prc_vertex_is_free(v, i))
        return;
    for (int c = 0; c < 3; c++)
        VECTOR(0)[(long)c * v->padded_count + i] *= v->number[0] / most;
}

PRC_INLINE void prc_stage_add_part(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(0)[k] += v->slot[PRC_SLOT_PART] * VECTOR(1)[k];
    }
}

PRC_INLINE void prc_stage_combine_part(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_lane part = prc_splat((prc_real)v->slot[PRC_SLOT_PART]);
    prc_vec3 a = prc_vertex_load(v, ARGUMENT(0), i), b = prc_vertex_load(v, ARGUMENT(1), i);
    prc_vertex_store(v, ARGUMENT(2), i, prc_add_scaled(a, part, b));
}

PRC_INLINE void prc_stage_slopes(const prc_view *v, int i)
{
    const long n = v->padded_count;
    double sum[2] = {0, 0};
    for (int c = 0; c < 3; c++) {
        const long k = c * n + i;
        const double way = VECTOR(3)[k] - VECTOR(2)[k];
        sum[0] += (double)ARGUMENT(0)[k] * way;
        sum[1] += (double)ARGUMENT(1)[k] * way;
    }
    FIELD_DOUBLE(column)[i] = sum[0];
    FIELD_DOUBLE(column)[n + i] = sum[1];
}

PRC_INLINE void prc_stage_scale_moves(const prc_view *v, int i)
{
    const double scale = v->number[0] * (prc_vertex_is_free(v, i) ? 1 : v->number[1]);
    for (int c = 0; c < 3; c++)
        VECTOR(0)[(long)c * v->padded_count + i] *= scale;
}

PRC_INLINE void prc_stage_take_move(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(0)[k] = VECTOR(2)[k] - VECTOR(1)[k];
        VECTOR(1)[k] = VECTOR(2)[k];
    }
}

PRC_INLINE void prc_stage_lag(const prc_view *v, int i)
{
    double square = 0;
    for (int c = 0; c < 3 && !prc_vertex_is_free(v, i) && i < v->vertex_count; c++) {
        const double d = prc_way_left(v, VECTOR(1), VECTOR(0), (long)c * v->padded_count + i);
        square += d * d;
    }
    FIELD_DOUBLE(column)[i] = square;
}

#undef VECTOR
#undef FIELD
#undef FIELD_INT
#undef FIELD_DOUBLE
#undef ARGUMENT

#include "kernel/frame.h"

#endif
