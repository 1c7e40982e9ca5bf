/* kernel/ring.h — a ring and its bonds: where they lie, and what the ring does to them. Part of kernel/stages.h.
 *
 * What a ring finds for each of its bonds is kept in bond_t until the next turn over them: there it is in the cache of
 * a CPU, but a GPU, whose cache thousands of rings share, would send it to memory and back. With PRC_KEPT = n > 0 rings
 * of up to n bonds keep it in registers. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_RING_H
#define PRC_KERNEL_RING_H

#include "kernel/membrane.h"

#ifndef PRC_KEPT
#define PRC_KEPT 0
#endif
#if PRC_KEPT
#include "kernel/row_apply.h"
#include "kernel/thin.h"
#endif

#define FIELD(name) ((prc_real *)v->field[PRC_FIELD_##name])
#define FIELD_INT(name) ((const int *)v->field[PRC_FIELD_##name])
#define FIELD_DOUBLE(name) ((double *)v->field[PRC_FIELD_##name])
#define ARGUMENT(k) ((prc_real *)v->argument[k])
#define NO_FIELD ((const prc_real *)0)

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

/* bond_t. A GPU gathers it bond by bond from all over its memory, in pieces of 32 bytes: there the numbers of a bond
 * lie side by side, with a fourth that means nothing. */
#if PRC_KEPT
PRC_INLINE prc_vec3 prc_push_load(const prc_view *v, int bond)
{
    const prc_quad t = ((const prc_quad *)v->field[PRC_FIELD_bond_t])[bond];
    return prc_vec3_make(t.x, t.y, t.z);
}
PRC_INLINE void prc_push_store(const prc_view *v, int bond, prc_vec3 t)
{
    ((prc_quad *)v->field[PRC_FIELD_bond_t])[bond] = prc_quad_make(t.x, t.y, t.z, R(0));
}
PRC_INLINE prc_vec3 prc_push_gather(const prc_view *v, int bond)
{
    return prc_push_load(v, bond);
}
#else
PRC_INLINE prc_vec3 prc_push_load(const prc_view *v, int bond)
{
    return prc_bond_load(v, FIELD(bond_t), bond);
}
PRC_INLINE void prc_push_store(const prc_view *v, int bond, prc_vec3 t)
{
    prc_bond_store(v, FIELD(bond_t), bond, t);
}
PRC_INLINE prc_vec3 prc_push_gather(const prc_view *v, prc_lane_index bond)
{
    return prc_bond_gather(v, FIELD(bond_t), bond);
}
#endif

/* Rayleigh-type damping: the linear law applied to the strain rate (E − E_t)/h. Returns its potential per area. */
PRC_INLINE prc_lane prc_response_damp(const prc_view *v, int vertex, const prc_deformation *s, prc_response *out)
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

PRC_INLINE void prc_tangent_store(const prc_view *v, int vertex, prc_lane a, prc_mat32 f, const prc_deformation *s,
                                  const prc_response *out)
{
    prc_sym2 inverse = prc_sym2_spectral(R(1) / s->l1, R(1) / s->l2, s->cosine, s->sine);
    prc_mat32 rotation = prc_mat32_times(f, inverse);
    prc_vertex_store(v, FIELD(rotation), vertex, rotation.a);
    prc_vertex_store(v, FIELD(rotation) + 3 * v->padded_count, vertex, rotation.b);
    prc_vertex_store(v, FIELD(normal), vertex, s->normal);
    for (int k = 0; k < 10; k++)
        prc_store(FIELD(tangent) + (long)k * v->padded_count + vertex, a * out->t[k]);
    prc_vertex_store(v, FIELD(tangent_normal), vertex, prc_vec3_make(a * out->n.xx, a * out->n.xy, a * out->n.yy));
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

/* The constants of a vertex that the elastic stage needs, asked for before it has to wait for anything. */
typedef struct prc_own {
    prc_lane area, stabilise, stabilise_normal;
    prc_vec3 curvature;
    int kind, mixed; /* of the law of the first vertex, and whether others of the pack have another */
} prc_own;

PRC_INLINE prc_own prc_own_load(const prc_view *v, int vertex)
{
    prc_own its;
    its.kind = v->common_law >= 0 ? v->common_law : FIELD_INT(law_kind)[FIELD_INT(law)[vertex]];
    its.mixed = FIELD_INT(block_mixed)[vertex / PRC_BLOCK];
    its.area = prc_load(FIELD(area) + vertex);
    its.stabilise = prc_load(FIELD(stabilise) + vertex);
    its.stabilise_normal = prc_load(FIELD(stabilise_normal) + vertex);
    its.curvature = prc_vertex_load(v, FIELD(curvature_rest), vertex);
    return its;
}

/* In memory. */
#define RING(name) prc_ring_##name
#define RING_TYPE const prc_ring
#define RING_EACH(e, k) for (int e = ring->first; e < ring->end; e += PRC_BLOCK)
#define RING_GET(e, k) prc_push_load(v, e)
#define RING_PUT(e, k, a) prc_push_store(v, e, a)
#define RING_DONE
#include "kernel/ring.inl"

#if PRC_KEPT

/* In registers: loops of constant length without branches, so that a thread asks for all it needs before it waits for
 * anything, and writes no memory before all is read. */
#define SIX_EACH(e, k) PRC_UNROLL for (int k = 0, e = ring->first; k < 6; k++, e += PRC_BLOCK)
#define SIX_DONE(store) SIX_EACH(e, k) store(v, e, ring->y[k]);

/* Rings of six bonds, most of those of good meshes. */
typedef struct prc_six {
    int vertex, first;
    prc_vec3 y[6];
} prc_six;

#define RING(name) prc_six_##name
#define RING_TYPE prc_six
#define RING_EACH(e, k) SIX_EACH(e, k)
#define RING_GET(e, k) ring->y[k]
#define RING_PUT(e, k, a) ring->y[k] = (a)
#define RING_DONE SIX_DONE(prc_push_store)
#include "kernel/ring.inl"

/* … that hold constants of their bonds as well, for the elastic stage: no load is moved over the branches of the law,
 * so a thread would have to wait for memory once more behind them. */
typedef struct prc_held {
    int vertex, first;
    prc_vec3 y[6];
    prc_lane x[6][2];
    prc_vec3 k[6];
} prc_held;

PRC_INLINE void prc_held_fetch(const prc_view *v, prc_held *ring)
{
    SIX_EACH(e, k)
    {
        ring->x[k][0] = prc_load(FIELD(bond_x) + e);
        ring->x[k][1] = prc_load(FIELD(bond_x) + v->bond_count + e);
        ring->k[k] = prc_bond_load(v, FIELD(bond_k), e);
    }
}

#define RING(name) prc_held_##name
#define RING_TYPE prc_held
#define RING_EACH(e, k) SIX_EACH(e, k)
#define RING_GET(e, k) ring->y[k]
#define RING_PUT(e, k, a) ring->y[k] = (a)
#define RING_B(b, e, k, c) prc_load((b) + (c)*v->bond_count + e)
#define RING_X(e, k, c) ring->x[k][c]
#define RING_K(e, k) ring->k[k]
#define RING_FETCH prc_held_fetch(v, ring);
#define RING_DONE SIX_DONE(prc_push_store)
#include "kernel/ring.inl"

/* Rings of up to PRC_KEPT bonds. */
typedef struct prc_kept {
    int vertex, first, end;
    prc_vec3 y[PRC_KEPT];
} prc_kept;

PRC_INLINE prc_vec3 prc_live(int live, prc_vec3 a)
{
    return prc_vec3_make(live ? a.x : R(0), live ? a.y : R(0), live ? a.z : R(0));
}

#define KEPT_LIVE(k) (ring->first + (k)*PRC_BLOCK < ring->end)
/* The last bond again where there is none. */
#define KEPT_EACH(e, k)                                                                                                \
    PRC_UNROLL for (int k = 0, e = ring->first; k < PRC_KEPT; k++, e += e + PRC_BLOCK < ring->end ? PRC_BLOCK : 0)
#define KEPT_DONE(store)                                                                                               \
    KEPT_EACH(e, k)                                                                                                    \
    {                                                                                                                  \
        if (KEPT_LIVE(k))                                                                                              \
            store(v, e, ring->y[k]);                                                                                   \
    }

#define RING(name) prc_kept_##name
#define RING_TYPE prc_kept
#define RING_EACH(e, k) KEPT_EACH(e, k)
#define RING_LIVE3(k, a) prc_live(KEPT_LIVE(k), a)
#define RING_GET(e, k) ring->y[k]
#define RING_PUT(e, k, a) ring->y[k] = (a)
#define RING_B(b, e, k, c) (KEPT_LIVE(k) ? prc_load((b) + (c)*v->bond_count + e) : R(0))
#define RING_X(e, k, c) (KEPT_LIVE(k) ? prc_load(FIELD(bond_x) + (c)*v->bond_count + e) : R(0))
#define RING_K(e, k) prc_live(KEPT_LIVE(k), prc_bond_load(v, FIELD(bond_k), e))
#define RING_FETCH
#define RING_DONE KEPT_DONE(prc_push_store)
#include "kernel/ring.inl"

#if PRC_REAL_FLOAT

PRC_INLINE prc_real prc_thin_largest(prc_real most, prc_real a)
{
    a = a < R(0) ? -a : a;
    return a > most ? a : most;
}

/* bond_thin and thin_unit of a ring. */
PRC_INLINE void prc_stage_thin(const prc_view *v, int pack)
{
    const prc_ring ring = prc_ring_at(v, pack);
    const long n = v->bond_count;
    const prc_real *f = FIELD(bond_f), *x = FIELD(bond_x), *k = FIELD(bond_k);
    prc_vec3 most = prc_vec3_zero();
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        for (int c = 0; c < 2; c++) {
            most.x = prc_thin_largest(most.x, f[c * n + e]);
            most.y = prc_thin_largest(most.y, x[c * n + e]);
        }
        for (int c = 0; c < 3; c++)
            most.z = prc_thin_largest(most.z, k[c * n + e]);
    }
    const prc_vec3 unit = prc_scale(R(1) / PRC_THIN_MOST, most);
    prc_vertex_store(v, FIELD(thin_unit), ring.vertex, unit);
    for (int e = ring.first; e < ring.end; e += PRC_BLOCK) {
        prc_thin thin;
        thin.f = prc_thin_of(f[e], unit.x) | prc_thin_of(f[n + e], unit.x) << 16;
        thin.x = prc_thin_of(x[e], unit.y) | prc_thin_of(x[n + e], unit.y) << 16;
        thin.k = prc_thin_of(k[e], unit.z) | prc_thin_of(k[n + e], unit.z) << 16;
        thin.k2 = prc_thin_of(k[2 * n + e], unit.z);
        ((prc_thin *)v->field[PRC_FIELD_bond_thin])[e] = thin;
    }
}

PRC_INLINE void prc_thin_push_store(const prc_view *v, int bond, prc_vec3 t)
{
    ((prc_thin_push *)v->field[PRC_FIELD_thin_push])[bond] = prc_thin_push_of(t);
}
PRC_INLINE prc_vec3 prc_thin_push_load(const prc_view *v, int bond)
{
    return prc_thin_push_get(((const prc_thin_push *)v->field[PRC_FIELD_thin_push])[bond]);
}

#define THIN_AT(e) ((const prc_thin *)v->field[PRC_FIELD_bond_thin])[e]
#define THIN_B(b, e, k, c) ((void)(b), ring->unit.x * prc_thin_half(ring->thin[k].f, c))
#define THIN_X(e, k, c) (ring->unit.y * prc_thin_half(ring->thin[k].x, c))
#define THIN_K(e, k)                                                                                                   \
    prc_scale(ring->unit.z, prc_vec3_make(prc_thin_half(ring->thin[k].k, 0), prc_thin_half(ring->thin[k].k, 1),        \
                                          prc_thin_number(ring->thin[k].k2)))

/* Rings of six bonds that have them thin: for the product alone, whose weights are those of the forces. */
typedef struct prc_thin_six {
    int vertex, first;
    prc_vec3 unit, y[6];
    prc_thin thin[6];
} prc_thin_six;

#define RING(name) prc_thin_six_##name
#define RING_TYPE prc_thin_six
#define RING_EACH(e, k) SIX_EACH(e, k)
#define RING_GET(e, k) ring->y[k]
#define RING_PUT(e, k, a) ring->y[k] = (a)
#define RING_B(b, e, k, c) THIN_B(b, e, k, c)
#define RING_X(e, k, c) THIN_X(e, k, c)
#define RING_K(e, k) THIN_K(e, k)
#define RING_FETCH                                                                                                     \
    ring->unit = prc_vertex_load(v, FIELD(thin_unit), ring->vertex);                                                   \
    SIX_EACH(e, k) ring->thin[k] = THIN_AT(e);
#define RING_DONE SIX_DONE(prc_thin_push_store)
#define RING_PUSHED(e) prc_thin_push_load(v, e)
#include "kernel/ring.inl"

/* … and rings of up to PRC_KEPT bonds. */
typedef struct prc_thin_kept {
    int vertex, first, end;
    prc_vec3 unit, y[PRC_KEPT];
    prc_thin thin[PRC_KEPT];
} prc_thin_kept;

PRC_INLINE prc_thin prc_thin_live(int live, prc_thin a)
{
    const unsigned nothing = PRC_THIN_ZERO | (unsigned)PRC_THIN_ZERO << 16;
    const prc_thin none = {nothing, nothing, nothing, PRC_THIN_ZERO};
    return live ? a : none;
}

#define RING(name) prc_thin_kept_##name
#define RING_TYPE prc_thin_kept
#define RING_EACH(e, k) KEPT_EACH(e, k)
#define RING_LIVE3(k, a) prc_live(KEPT_LIVE(k), a)
#define RING_GET(e, k) ring->y[k]
#define RING_PUT(e, k, a) ring->y[k] = (a)
#define RING_B(b, e, k, c) THIN_B(b, e, k, c)
#define RING_X(e, k, c) THIN_X(e, k, c)
#define RING_K(e, k) THIN_K(e, k)
#define RING_FETCH                                                                                                     \
    ring->unit = prc_vertex_load(v, FIELD(thin_unit), ring->vertex);                                                   \
    KEPT_EACH(e, k) ring->thin[k] = prc_thin_live(KEPT_LIVE(k), THIN_AT(e));
#define RING_DONE KEPT_DONE(prc_thin_push_store)
#define RING_PUSHED(e) prc_thin_push_load(v, e)
#include "kernel/ring.inl"

/* … and larger ones, whose constants stay what they are. */
#define RING(name) prc_thin_ring_##name
#define RING_TYPE const prc_ring
#define RING_EACH(e, k) for (int e = ring->first; e < ring->end; e += PRC_BLOCK)
#define RING_GET(e, k) prc_push_load(v, e)
#define RING_PUT(e, k, a) prc_push_store(v, e, a)
#define RING_DONE RING_EACH(e, k) prc_thin_push_store(v, e, prc_push_load(v, e));
#define RING_PUSHED(e) prc_thin_push_load(v, e)
#include "kernel/ring.inl"

#else

/* In double precision bonds stay what they are. */
PRC_INLINE void prc_stage_thin(const prc_view *v, int pack)
{
    (void)v;
    (void)pack;
}
typedef prc_six prc_thin_six;
typedef prc_kept prc_thin_kept;
#define prc_thin_six_product_step prc_six_product_step
#define prc_thin_kept_product_step prc_kept_product_step
#define prc_thin_ring_product_step prc_ring_product_step
#define prc_thin_six_sum prc_six_sum
#define prc_thin_kept_sum prc_kept_sum
#define prc_thin_ring_sum prc_ring_sum

#endif

/* Threads of a GPU that run together, 32, have the rings of two blocks. Where only one of the blocks has rings of six,
 * both go by the version for any size at once, instead of one after the other by its own. */
PRC_INLINE int prc_rings_are_six(const prc_view *v, int vertex)
{
    const int *row_start = FIELD_INT(row_start);
    const int first = vertex / (2 * PRC_BLOCK) * 2, end = first + 2 < v->block_count ? first + 2 : v->block_count;
    return row_start[first + 1] - row_start[first] == 6 && row_start[end] - row_start[first] == 12;
}

/* What the version of a function for the size of its ring returns; `type` is that for six bonds, `kept` that for
 * others, `large` that for more than those. */
#define PRC_BY_SIZE(type, kept, large, name, arguments)                                                                \
    const prc_ring any = prc_ring_at(v, pack);                                                                         \
    const int bonds = any.end - any.first;                                                                             \
    if (prc_rings_are_six(v, any.vertex)) {                                                                            \
        prc_##type ring;                                                                                               \
        ring.vertex = any.vertex;                                                                                      \
        ring.first = any.first;                                                                                        \
        return prc_##type##_##name arguments;                                                                          \
    }                                                                                                                  \
    if (bonds > 0 && bonds <= PRC_KEPT * PRC_BLOCK) {                                                                  \
        prc_##kept ring;                                                                                               \
        ring.vertex = any.vertex;                                                                                      \
        ring.first = any.first;                                                                                        \
        ring.end = any.end;                                                                                            \
        return prc_##kept##_##name arguments;                                                                          \
    }                                                                                                                  \
    const prc_ring ring = any;                                                                                         \
    return prc_##large##_##name arguments

#define PRC_RING_STAGE(name, type)                                                                                     \
    PRC_INLINE void prc_stage_##name(const prc_view *v, int pack)                                                      \
    {                                                                                                                  \
        PRC_BY_SIZE(type, kept, ring, name, (v, &ring));                                                               \
    }

PRC_INLINE prc_vec3 prc_bonds_sum(const prc_view *v, int pack)
{
    PRC_BY_SIZE(six, kept, ring, sum, (v, &ring));
}

/* The stage product_bonds for the direction z + beta p, or z where there is no p; returns that of the pack. */
PRC_INLINE prc_vec3 prc_product_step(const prc_view *v, int pack, const prc_real *z, const prc_real *p, prc_real beta)
{
    PRC_BY_SIZE(six, kept, ring, product_step, (v, &ring, z, p, beta));
}

/* The same with thin bonds, and the sum of what they push. */
PRC_INLINE prc_vec3 prc_product_step_thin(const prc_view *v, int pack, const prc_real *z, const prc_real *p,
                                          prc_real beta)
{
    PRC_BY_SIZE(thin_six, thin_kept, thin_ring, product_step, (v, &ring, z, p, beta));
}

PRC_INLINE prc_vec3 prc_bonds_sum_thin(const prc_view *v, int pack)
{
    PRC_BY_SIZE(thin_six, thin_kept, thin_ring, sum, (v, &ring));
}

#else

/* For devices. */
PRC_INLINE void prc_stage_thin(const prc_view *v, int pack)
{
    (void)v;
    (void)pack;
}

/* The stage of that name, which is a function of kernel/ring.inl for every ring. */
#define PRC_RING_STAGE(name, type)                                                                                     \
    PRC_INLINE void prc_stage_##name(const prc_view *v, int pack)                                                      \
    {                                                                                                                  \
        prc_ring ring = prc_ring_at(v, pack);                                                                          \
        prc_ring_##name(v, &ring);                                                                                     \
    }

PRC_INLINE prc_vec3 prc_bonds_sum(const prc_view *v, int pack)
{
    prc_ring ring = prc_ring_at(v, pack);
    return prc_ring_sum(v, &ring);
}

#endif

#endif
