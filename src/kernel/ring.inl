/* kernel/ring.inl — what one ring does to its bonds: a template, included by kernel/ring.h.
 *
 * Every function goes over the bonds more than once, and what it found for each, y, has to be kept in between. Where
 * that is, is the difference between the versions:
 *
 *   RING(name)          name of the function, RING_TYPE the ring it works on
 *   RING_EACH(e, k)     the loop over its bonds, e where the bond is, k its number in the ring
 *   RING_GET, RING_PUT  y of bond e, the k-th
 *   RING_DONE           leaves y in bond_t, where it is not yet there
 *
 * and, unless a version says otherwise:
 *
 *   RING_LIVE3(k, a)    the vector a of bond k, or 0 where the ring has no such bond: loops of constant length meet
 *                       those. They weigh nothing then, as the padding of short rings does
 *   RING_B, RING_X, RING_K  constants of a bond, 0 likewise: a component of b, which is bond_b or bond_f, of bond_x, and
 *                       bond_k; RING_FETCH asks for them, where a ring holds them
 *   RING_PUSHED(e)      what RING_DONE left of bond e
 *
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef RING_LIVE3
#define RING_LIVE3(k, a) (a)
#endif
#ifndef RING_FETCH
#define RING_FETCH
#define RING_B(b, e, k, c) prc_load((b) + (c)*v->bond_count + e)
#define RING_X(e, k, c) prc_load(FIELD(bond_x) + (c)*v->bond_count + e)
#define RING_K(e, k) prc_bond_load(v, FIELD(bond_k), e)
#endif
#ifndef RING_PUSHED
#define RING_PUSHED(e) prc_push_gather(v, e)
#endif

/* With w = z, or z + beta p where there is a p: y = w_ij − w_i (+ base_ij); returns Σ of it times b_ij^T, and w_i. */
PRC_INLINE prc_mat32 RING(gather)(const prc_view *v, RING_TYPE *ring, const prc_real *z, const prc_real *p,
                                  prc_real beta, const prc_real *base, const prc_real *b, prc_vec3 *own)
{
    RING_FETCH
    prc_vec3 wi = prc_vertex_load(v, z, ring->vertex);
    if (p)
        wi = prc_add_scaled(wi, prc_splat(beta), prc_vertex_load(v, p, ring->vertex));
    prc_mat32 f;
    f.a = f.b = prc_vec3_zero();
    RING_EACH(e, k)
    {
        prc_lane_index j = prc_load_index(FIELD_INT(bond_vertex) + e);
        prc_vec3 w = prc_vertex_gather(v, z, j);
        if (p)
            w = prc_add_scaled(w, prc_splat(beta), prc_vertex_gather(v, p, j));
        prc_vec3 moved = prc_sub(w, wi);
        if (base)
            moved = prc_add(moved, prc_bond_load(v, base, e));
        const prc_vec3 y = RING_LIVE3(k, moved);
        RING_PUT(e, k, y);
        f.a = prc_add_scaled(f.a, RING_B(b, e, k, 0), y);
        f.b = prc_add_scaled(f.b, RING_B(b, e, k, 1), y);
    }
    *own = wi;
    return f;
}

/* F at u = 0. */
PRC_INLINE prc_mat32 RING(start)(const prc_view *v, RING_TYPE *ring)
{
    RING_FETCH
    prc_mat32 f;
    f.a = f.b = prc_vec3_zero();
    RING_EACH(e, k)
    {
        prc_vec3 y = RING_LIVE3(k, prc_bond_load(v, FIELD(bond_y), e));
        RING_PUT(e, k, y);
        f.a = prc_add_scaled(f.a, RING_B(FIELD(bond_b), e, k, 0), y);
        f.b = prc_add_scaled(f.b, RING_B(FIELD(bond_b), e, k, 1), y);
    }
    return f;
}

/* κ = K z, with z = n·y − slope·x. */
PRC_INLINE prc_vec3 RING(curvature)(const prc_view *v, RING_TYPE *ring, prc_vec3 n, prc_lane slope_x, prc_lane slope_y)
{
    (void)v;
    prc_vec3 curvature = prc_vec3_zero();
    RING_EACH(e, k)
    {
        prc_lane x0 = RING_X(e, k, 0), x1 = RING_X(e, k, 1);
        prc_lane z = prc_dot(n, RING_GET(e, k)) - slope_x * x0 - slope_y * x1;
        curvature = prc_add(curvature, prc_scale(z, RING_K(e, k)));
    }
    return curvature;
}

/* Bending and stabilisation. y becomes w_ij; adds to the stress Q what they do through F and n, returns the energy;
 * adds the potential of damped bending to *damped. */
PRC_INLINE prc_lane RING(bend)(const prc_view *v, RING_TYPE *ring, const prc_own *its, prc_mat32 f,
                               const prc_deformation *s, prc_mat32 *q, prc_lane *damped)
{
    prc_lane zero = prc_splat(R(0)), by_half = prc_splat(R(0.5));
    prc_lane cq = its->stabilise, left = its->stabilise_normal;
    prc_vec3 curvature = RING(curvature)(v, ring, s->normal, zero, zero);
    prc_vec3 bent = prc_sub(curvature, its->curvature);
    prc_lane energy = by_half * prc_dot(bent, bent);
    if (v->has_damping) {
        prc_lane rate = prc_load(FIELD(damping) + ring->vertex) * (prc_real)v->inverse_h;
        prc_vec3 moved = prc_sub(curvature, prc_vertex_load(v, FIELD(curvature_before), ring->vertex));
        *damped += by_half * rate * prc_dot(moved, moved);
        bent = prc_add_scaled(bent, rate, moved);
    }
    prc_vec3 moment = prc_vec3_zero(); /* g_n = Σ μ y */
    prc_lane away = zero;
    RING_EACH(e, k)
    {
        prc_vec3 y = RING_GET(e, k);
        prc_lane x0 = RING_X(e, k, 0), x1 = RING_X(e, k, 1);
        prc_lane z = prc_dot(s->normal, y);
        prc_vec3 r = prc_sub(y, prc_add_scaled(prc_scale(x0, f.a), x1, f.b));
        prc_lane bend = prc_dot(bent, RING_K(e, k));
        prc_lane normal_part = cq * (left - R(1)) * z; /* takes the normal part of the stabilisation out again */
        prc_lane mu = bend + normal_part;
        away += prc_dot(r, r) + (left - R(1)) * z * z;
        moment = prc_add_scaled(moment, mu, y);
        prc_vec3 pull = prc_scale(cq, r);
        q->a = prc_add_scaled(q->a, -x0, pull);
        q->b = prc_add_scaled(q->b, -x1, pull);
        RING_PUT(e, k, prc_add_scaled(pull, mu, s->normal));
    }
    energy += by_half * cq * away;
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

/* bond_t: t_ij = Q b_ij + w_ij for every bond (w_ij is y), and their sum. */
PRC_INLINE void RING(scatter)(const prc_view *v, RING_TYPE *ring, prc_mat32 q)
{
    prc_vec3 own = prc_vec3_zero();
    RING_EACH(e, k)
    {
        prc_vec3 t = RING_GET(e, k);
        t = prc_add_scaled(t, RING_B(FIELD(bond_f), e, k, 0), q.a);
        t = prc_add_scaled(t, RING_B(FIELD(bond_f), e, k, 1), q.b);
        RING_PUT(e, k, t);
        own = prc_add(own, t);
    }
    RING_DONE
    prc_vertex_store(v, FIELD(own), ring->vertex, own);
}

PRC_INLINE void RING(elastic)(const prc_view *v, RING_TYPE *ring)
{
    prc_vec3 own;
    const prc_own its = prc_own_load(v, ring->vertex);
    prc_mat32 f = RING(gather)(v, ring, ARGUMENT(0), NO_FIELD, R(0), FIELD(bond_y), FIELD(bond_b), &own);
    prc_deformation s = prc_deformation_of(f);
    prc_response out = prc_respond(FIELD_INT(law) + ring->vertex, its.kind, its.mixed, FIELD_INT(law_kind),
                                   FIELD(law_row), &s, v->linearise);
    prc_lane a = its.area, damped = prc_splat(R(0));
    if (v->has_damping)
        damped = a * prc_response_damp(v, ring->vertex, &s, &out);
    out.stress.xx *= a;
    out.stress.xy *= a;
    out.stress.yy *= a;
    prc_mat32 q = prc_mat32_times(f, out.stress);
    prc_lane bending = RING(bend)(v, ring, &its, f, &s, &q, &damped);
    RING(scatter)(v, ring, q);
    prc_store(FIELD(energy) + ring->vertex, a * out.energy + bending);
    if (v->has_damping)
        prc_store(FIELD(energy_damping) + ring->vertex, damped);
    if (v->linearise)
        prc_tangent_store(v, ring->vertex, a, f, &s, &out);
    if (v->want_stretch) {
        prc_store(FIELD(stretch) + ring->vertex, s.l1);
        prc_store(FIELD(stretch) + v->padded_count + ring->vertex, s.l2);
    }
}

/* bond_t and own of the product with a vector whose differences along the bonds are y, its slope df. */
PRC_INLINE void RING(respond)(const prc_view *v, RING_TYPE *ring, prc_mat32 df)
{
    prc_vec3 n = prc_vertex_load(v, FIELD(normal), ring->vertex);
    prc_mat32 q = prc_tangent_apply(v, ring->vertex, df, n);
    prc_vec3 bent = RING(curvature)(v, ring, n, prc_dot(n, df.a), prc_dot(n, df.b));
    if (v->has_damping) {
        prc_lane rate = prc_load(FIELD(damping) + ring->vertex) * (prc_real)v->inverse_h;
        bent = prc_add_scaled(bent, rate, bent);
    }
    prc_lane cq = prc_load(FIELD(stabilise) + ring->vertex);
    prc_lane drop = R(1) - prc_load(FIELD(stabilise_normal) + ring->vertex);
    RING_EACH(e, k)
    {
        prc_lane x0 = RING_X(e, k, 0), x1 = RING_X(e, k, 1);
        prc_vec3 dr = prc_sub(RING_GET(e, k), prc_add_scaled(prc_scale(x0, df.a), x1, df.b));
        prc_lane along = prc_dot(bent, RING_K(e, k)) - cq * drop * prc_dot(n, dr);
        prc_vec3 w = prc_add_scaled(prc_scale(cq, dr), along, n);
        q.a = prc_add_scaled(q.a, -x0, w);
        q.b = prc_add_scaled(q.b, -x1, w);
        RING_PUT(e, k, w);
    }
    RING(scatter)(v, ring, q);
}

PRC_INLINE void RING(product_bonds)(const prc_view *v, RING_TYPE *ring)
{
    prc_vec3 own;
    RING(respond)(v, ring, RING(gather)(v, ring, ARGUMENT(0), NO_FIELD, R(0), NO_FIELD, FIELD(bond_f), &own));
}

/* The same with w = z + beta p, which is not in memory yet: returns w_i. */
PRC_INLINE prc_vec3 RING(product_step)(const prc_view *v, RING_TYPE *ring, const prc_real *z, const prc_real *p,
                                       prc_real beta)
{
    prc_vec3 own;
    RING(respond)(v, ring, RING(gather)(v, ring, z, p, beta, NO_FIELD, FIELD(bond_f), &own));
    return own;
}

PRC_INLINE void RING(rates_begin)(const prc_view *v, RING_TYPE *ring)
{
    prc_deformation s = prc_deformation_of(RING(start)(v, ring));
    prc_sym2 e = prc_green_strain(&s);
    prc_lane zero = prc_splat(R(0));
    prc_vertex_store(v, FIELD(strain_before), ring->vertex, prc_vec3_make(e.xx, e.yy, e.xy));
    prc_vertex_store(v, FIELD(curvature_before), ring->vertex, RING(curvature)(v, ring, s.normal, zero, zero));
}

PRC_INLINE void RING(air_begin)(const prc_view *v, RING_TYPE *ring)
{
    prc_deformation s = prc_deformation_of(RING(start)(v, ring));
    prc_vertex_store(v, FIELD(air_normal), ring->vertex, s.normal);
}

/* Principal values of the Cauchy stress R^T σ R = U S U / J of the membrane: force per deformed length. Damping,
 * bending and stabilisation have no part in it. */
PRC_INLINE void RING(stress)(const prc_view *v, RING_TYPE *ring)
{
    prc_deformation s = prc_deformation_of(RING(start)(v, ring));
    const prc_own its = prc_own_load(v, ring->vertex);
    prc_response out =
        prc_respond(FIELD_INT(law) + ring->vertex, its.kind, its.mixed, FIELD_INT(law_kind), FIELD(law_row), &s, 0);
    prc_sym2 u = prc_right_stretch(&s);
    prc_lane xx = out.stress.xx * u.xx + out.stress.xy * u.xy, xy = out.stress.xx * u.xy + out.stress.xy * u.yy;
    prc_lane yx = out.stress.xy * u.xx + out.stress.yy * u.xy, yy = out.stress.xy * u.xy + out.stress.yy * u.yy;
    prc_lane inverse = R(1) / (s.l1 * s.l2);
    prc_lane first = inverse * (u.xx * xx + u.xy * yx), second = inverse * (u.xy * xy + u.yy * yy);
    prc_lane shear = inverse * (u.xx * xy + u.xy * yy);
    prc_lane mean = R(0.5) * (first + second), d = R(0.5) * (first - second);
    prc_lane r = prc_sqrt(d * d + shear * shear);
    prc_store(FIELD(stress) + ring->vertex, mean + r);
    prc_store(FIELD(stress) + v->padded_count + ring->vertex, mean - r);
}

/* What all bonds that end or start at the vertices of a pack do to them. */
PRC_INLINE prc_vec3 RING(sum)(const prc_view *v, RING_TYPE *ring)
{
    prc_vec3 sum = prc_scale(prc_splat(R(-1)), prc_vertex_load(v, FIELD(own), ring->vertex));
    RING_EACH(e, k)
    {
        prc_lane_index reverse = prc_load_index(FIELD_INT(bond_reverse) + e);
        sum = prc_add(sum, RING_LIVE3(k, RING_PUSHED(reverse)));
    }
    return sum;
}

#undef RING
#undef RING_TYPE
#undef RING_EACH
#undef RING_LIVE3
#undef RING_GET
#undef RING_PUT
#undef RING_DONE
#undef RING_B
#undef RING_X
#undef RING_K
#undef RING_FETCH
#undef RING_PUSHED
