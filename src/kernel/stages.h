/* kernel/stages.h — the lines of the algorithm, each for one pack of vertices, in gather form.
 *
 * Energy of a ring (docs/theory.md, Eq. 2.6): with F = Σ y_ij b_ij^T, n its normal, r_ij = y_ij − F x_ij, z_ij =
 * n·y_ij, E_i = a_i [ Ψ(F) + (c/2) Σ q |r_tangential|² ] + ½ |K (z − z⁰)|²,   with sqrt(a_i D) inside K A stage first
 * writes what ring i does to each of its bonds (bond_t); the next sums over the bonds that end at i.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_STAGES_H
#define PRC_KERNEL_STAGES_H

#include "kernel/ring.h"

/* Bond e of vertex i. */
PRC_INLINE prc_real prc_bond_begin(const double *x, const int *neighbour, int e, int i)
{
    return (prc_real)(x[neighbour[e]] - x[i]);
}

PRC_INLINE void prc_stage_bonds_begin(const prc_view *v, int block)
{
    const int *row_start = FIELD_INT(row_start), *neighbour = FIELD_INT(bond_vertex);
    for (int k = 0; k < 3; k++) {
        const double *x = FIELD_DOUBLE(position) + (long)k * v->padded_count;
        prc_real *y = FIELD(bond_y) + (long)k * v->bond_count;
        for (int row = row_start[block]; row < row_start[block + 1]; row++)
            for (int lane = 0; lane < PRC_BLOCK; lane++)
                y[row * PRC_BLOCK + lane] =
                    prc_bond_begin(x, neighbour, row * PRC_BLOCK + lane, block * PRC_BLOCK + lane);
    }
}

PRC_INLINE void prc_stage_bonds_begin_lane(const prc_view *v, int i)
{
    const int *row_start = FIELD_INT(row_start), *neighbour = FIELD_INT(bond_vertex);
    const int lane = i % PRC_BLOCK, end = row_start[i / PRC_BLOCK + 1] * PRC_BLOCK + lane;
    for (int e = row_start[i / PRC_BLOCK] * PRC_BLOCK + lane; e < end; e += PRC_BLOCK)
        for (int k = 0; k < 3; k++)
            FIELD(bond_y)
    [(long)k * v->bond_count + e] = prc_bond_begin(FIELD_DOUBLE(position) + (long)k * v->padded_count, neighbour, e, i);
}

PRC_RING_STAGE(rates_begin, six)
PRC_RING_STAGE(air_begin, six)
PRC_RING_STAGE(elastic, held)
PRC_RING_STAGE(stress, six)
PRC_RING_STAGE(product_bonds, six)

PRC_INLINE void prc_stage_elastic_gradient(const prc_view *v, int pack)
{
    prc_vertex_store(v, ARGUMENT(1), pack * PRC_LANES, prc_bonds_sum(v, pack));
}

PRC_INLINE void prc_stage_gradient(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_vec3 g = prc_bonds_sum(v, pack);
    prc_vec3 u = prc_vertex_load(v, ARGUMENT(0), i);
    prc_vec3 target = prc_vertex_load(v, FIELD(target), i);
    g = prc_add_scaled(g, prc_load(FIELD(weight) + i), prc_sub(u, target));
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), i);
        prc_lane slip = prc_dot(n, u) - prc_load(FIELD(air_wind) + i);
        g = prc_add_scaled(g, prc_load(FIELD(air_weight) + i) * slip, n);
    }
    prc_vertex_store(v, ARGUMENT(1), i, prc_scale(prc_load(FIELD(free) + i), g));
}

PRC_INLINE void prc_stage_elastic_product(const prc_view *v, int pack)
{
    prc_vertex_store(v, ARGUMENT(1), pack * PRC_LANES, prc_bonds_sum(v, pack));
}

/* H p of a pack, where p is that of its own vertices and `pushed` what bonds do to them. */
PRC_INLINE prc_vec3 prc_product_at(const prc_view *v, int pack, prc_vec3 pushed, prc_vec3 p)
{
    int i = pack * PRC_LANES;
    prc_vec3 h = prc_add_scaled(pushed, prc_load(FIELD(weight) + i), p);
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), i);
        h = prc_add_scaled(h, prc_load(FIELD(air_weight) + i) * prc_dot(n, p), n);
    }
    return prc_scale(prc_load(FIELD(free) + i), h);
}

PRC_INLINE void prc_stage_product(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_vertex_store(v, ARGUMENT(1), i,
                     prc_product_at(v, pack, prc_bonds_sum(v, pack), prc_vertex_load(v, ARGUMENT(0), i)));
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
    prc_lane each = R(0.5) * k;
    s.xx += k * a.x * b.x;
    s.yy += k * a.y * b.y;
    s.zz += k * a.z * b.z;
    s.xy += each * (a.x * b.y + a.y * b.x);
    s.xz += each * (a.x * b.z + a.z * b.x);
    s.yz += each * (a.y * b.z + a.z * b.y);
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
/* Of a positive definite matrix. The determinant of a large or small one would overflow or vanish in single precision:
 * it is scaled, by a power of two, so that others keep their bits (prc_block_invert does the same). */
PRC_INLINE prc_sym3 prc_sym3_inverse(prc_sym3 s)
{
    prc_sym3 c;
    prc_lane scale = prc_splat(R(1));
    if (PRC_REAL_FLOAT) {
        const prc_lane most = prc_max(s.xx, prc_max(s.yy, s.zz));
        scale = prc_select(most > R(PRC_BLOCK_LARGE), prc_splat(R(PRC_BLOCK_SHRINK)), scale);
        scale = prc_select(most < R(PRC_BLOCK_SMALL), prc_splat(R(1 / PRC_BLOCK_SHRINK)), scale);
        s.xx *= scale, s.xy *= scale, s.xz *= scale, s.yy *= scale, s.yz *= scale, s.zz *= scale;
    }
    c.xx = s.yy * s.zz - s.yz * s.yz;
    c.xy = s.xz * s.yz - s.xy * s.zz;
    c.xz = s.xy * s.yz - s.xz * s.yy;
    c.yy = s.xx * s.zz - s.xz * s.xz;
    c.yz = s.xy * s.xz - s.xx * s.yz;
    c.zz = s.xx * s.yy - s.xy * s.xy;
    prc_lane d = scale / (s.xx * c.xx + s.xy * c.xy + s.xz * c.xz);
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

PRC_INLINE void prc_stage_diagonal_sum(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    prc_sym3 d = prc_sym3_load(FIELD(own_d), v->padded_count, ring.vertex);
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_lane_index reverse = prc_load_index(FIELD_INT(bond_reverse) + e);
        d = prc_sym3_add(d, prc_sym3_gather(FIELD(bond_d), v->bond_count, reverse));
    }
    d = prc_sym3_add_unit(d, prc_load(FIELD(weight) + ring.vertex));
    if (v->has_air) {
        prc_vec3 n = prc_vertex_load(v, FIELD(air_normal), ring.vertex);
        d = prc_sym3_add_outer(d, prc_load(FIELD(air_weight) + ring.vertex), n, n);
    }
    prc_sym3_store(FIELD(own_d), v->padded_count, ring.vertex, d);
}

PRC_INLINE void prc_stage_diagonal(const prc_view *v, int pack)
{
    int i = pack * PRC_LANES;
    prc_lane free = prc_load(FIELD(free) + i);
    prc_sym3 inverse = prc_sym3_inverse(prc_sym3_load(FIELD(own_d), v->padded_count, i));
    inverse.xx *= free, inverse.xy *= free, inverse.xz *= free;
    inverse.yy *= free, inverse.yz *= free, inverse.zz *= free;
    prc_sym3_store(FIELD(inverse), v->padded_count, i, inverse);
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

PRC_INLINE void prc_stage_clear(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++)
        VECTOR(0)[(long)c * v->padded_count + i] = 0;
}

PRC_INLINE void prc_stage_widen(const prc_view *v, int i)
{
    const long n = v->padded_count;
    double slope = 0, curvature = 0;
    for (int c = 0; c < 3; c++) {
        const double p = (double)FIELD(correction)[c * n + i];
        slope += p * (double)FIELD(model_gradient)[c * n + i];
        curvature += p * (double)FIELD(product)[c * n + i];
        VECTOR(1)[c * n + i] = p;
    }
    FIELD_DOUBLE(column)[i] = slope;
    FIELD_DOUBLE(column)[n + i] = curvature;
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
    double way[3], square = 0;
    for (int c = 0; c < 3; c++) {
        way[c] = prescribed ? prc_way_left(v, VECTOR(2), VECTOR(1), (long)c * v->padded_count + i) : 0;
        square += way[c] * way[c];
    }
    const double part = square > v->number[0] * v->number[0] ? v->number[0] / sqrt(square) : 1;
    for (int c = 0; c < 3; c++)
        VECTOR(0)[(long)c * v->padded_count + i] = part * way[c];
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
    prc_stage_move_squares(v, i);
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
    double square = 0, way = 0, before = 0, made = 0;
    for (int c = 0; c < 3; c++) {
        const long k = c * n + i;
        const double g = (double)ARGUMENT(1)[k], left = prc_way_left(v, VECTOR(4), VECTOR(3), k);
        const double had = prc_way_left(v, VECTOR(4), VECTOR(2), k), move = VECTOR(3)[k] - VECTOR(2)[k];
        square += g * g;
        way += left * left;
        before += had * had;
        made += move * move;
    }
    const int prescribed = !prc_vertex_is_free(v, i) && i < v->vertex_count;
    FIELD_DOUBLE(column)[i] = sum[0];
    FIELD_DOUBLE(column)[n + i] = sum[1];
    FIELD_DOUBLE(column)[2 * n + i] = square * (double)FIELD(inverse_mass)[i];
    FIELD_DOUBLE(column)[3 * n + i] = prescribed ? way : 0;
    FIELD_DOUBLE(column)[4 * n + i] = prescribed && made > PRC_NOTABLE * PRC_NOTABLE * before;
}

PRC_INLINE void prc_stage_scale_moves(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++)
        VECTOR(0)[(long)c * v->padded_count + i] *= prc_vertex_is_free(v, i) ? v->number[0] : 1;
}

PRC_INLINE void prc_stage_lengthen_move(const prc_view *v, int i)
{
    for (int c = 0; c < 3; c++) {
        const long k = (long)c * v->padded_count + i;
        VECTOR(0)[k] = prc_vertex_is_free(v, i) ? v->number[0] * (VECTOR(2)[k] - VECTOR(1)[k]) : 0;
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
#undef NO_FIELD

#include "kernel/frame.h"

#endif
