/* kernel/contact_geometry.h — where the two sides of a contact are closest, and the plane that divides them: pairs, a
 * vertex and a collider, a triangle and a collider. docs/theory.md, sections 10.1, 10.3 and 10.10. Part of
 * kernel/contact.h. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_CONTACT_GEOMETRY_H
#define PRC_KERNEL_CONTACT_GEOMETRY_H

/* How far apart a pair is at y. */
PRC_FUNCTION double prc_pair_distance(const double *y, int stride, const int v[4], int side_a)
{
    double x[4][3];
    for (int p = 0; p < 4; p++)
        prc_take3(y, stride, v[p], x[p]);
    return prc_distance_pair(side_a, (const double(*)[3])x).distance;
}

/* The dividing plane of a pair, and how far each vertex may move towards it (docs/theory.md, Eq. 10.3). */
PRC_FUNCTION void prc_contact_divide(prc_contact *k, const double x[4][3])
{
    double s[4], low = INFINITY, high = -INFINITY, extent = 0;
    for (int p = 0; p < 4; p++) {
        const double d[3] = {x[p][0] - x[3][0], x[p][1] - x[3][1], x[p][2] - x[3][2]};
        s[p] = prc_dot3(k->n, d);
        for (int c = 0; c < 3; c++)
            extent = prc_larger(extent, fabs(x[p][c]));
        if (p < k->side_a)
            low = prc_smaller(low, s[p]);
        else
            high = prc_larger(high, s[p]);
    }
    const double rounding = 16 * DBL_EPSILON * extent;
    k->sep = low - high;
    for (int p = 0; p < 4; p++) {
        const double slack = p < k->side_a ? s[p] - low : high - s[p];
        k->margin[p] = prc_larger(0, slack + PRC_PLANE_KEPT / 2 * (k->sep - k->xi_hard) - rounding);
    }
}

/* Closest points of edges jump from one end to the other as they pass through parallel. There the pair fades out, so
 * that forces stay continuous; the ends of the edges are points of other pairs. */
PRC_FUNCTION double prc_pair_parallel_share(const double x[4][3])
{
    double a[3], b[3];
    for (int c = 0; c < 3; c++) {
        a[c] = x[1][c] - x[0][c];
        b[c] = x[3][c] - x[2][c];
    }
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double lengths = prc_dot3(a, a) * prc_dot3(b, b);
    /* in squares of a sine */
    const double s = lengths > 0 ? prc_dot3(cross, cross) / (PRC_CONTACT_PARALLEL * lengths) : 0;
    return s < 1 ? s * (2 - s) : 1;
}

/* A vertex that stands in several places has its weight in the first of them. */
PRC_INLINE void prc_contact_gather_weights(prc_contact *k)
{
    if (k->v[2] != k->v[3])
        return;
    k->w[2] += k->w[3];
    k->w[3] = 0;
    if (k->v[1] != k->v[2])
        return;
    k->w[1] += k->w[2];
    k->w[2] = 0;
}

/* Closest points of a pair at the positions of its vertices. */
PRC_FUNCTION void prc_contact_closest(prc_contact *k, const double x[4][3])
{
    const prc_closest at = prc_distance_pair(k->side_a, x);
    k->exact = true;
    k->share = k->side_a == 2 ? prc_pair_parallel_share(x) : 1;
    k->has_plane = at.distance > 0;
    for (int p = 0; p < 4; p++)
        k->w[p] = at.w[p];
    prc_contact_gather_weights(k);
    k->distance = at.distance;
    for (int c = 0; c < 3; c++)
        k->n[c] = at.distance > 0 ? at.r[c] / at.distance : 0;
    prc_contact_divide(k, x);
}

PRC_FUNCTION void prc_contact_locate_collider(const prc_contact_view *view, prc_contact *k, const double x[3])
{
    k->distance = k->sep = prc_collider_distance(&view->colliders[k->collider], x, k->n);
    const double extent = prc_larger(fabs(x[0]), prc_larger(fabs(x[1]), fabs(x[2])));
    k->margin[0] = prc_larger(0, PRC_PLANE_KEPT * (k->sep - k->xi_hard) - 16 * DBL_EPSILON * extent);
    k->exact = true;
}

/* Of a triangle and a collider: two contacts beside the one that pushes, without a plane or a force of their own. As
 * the triangle tilts, what is closest moves over it, which resists tilting: docs/theory.md, Eq. (10.12). */
PRC_INLINE bool prc_contact_rocks(const prc_contact *k)
{
    return k->side_a > 3;
}

/* A triangle and a collider, and not one of those two. */
PRC_INLINE bool prc_contact_is_face(const prc_contact *k)
{
    return k->collider >= 0 && k->side_a == 3;
}

/* Smoothing of the closest point of a triangle, m². */
PRC_INLINE double prc_contact_tau(const prc_contact *k)
{
    return PRC_FACE_SMOOTH * prc_smaller(k->d_hat, k->xi) * k->xi;
}

/* How far the corners of a triangle may move towards its plane: the collider rests meanwhile. */
PRC_FUNCTION void prc_contact_divide_face(const prc_collider *collider, prc_contact *k, const double x[4][3])
{
    const double rounding = 2 * prc_facing_rounding(collider, &collider->now, x);
    double s[3], low = INFINITY;
    for (int p = 0; p < 3; p++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = x[p][c] - collider->now.shift[c];
        s[p] = prc_dot3(k->n, d);
        low = prc_smaller(low, s[p]);
    }
    k->sep = low - prc_collider_support(collider, &collider->now, k->n);
    for (int p = 0; p < 3; p++)
        k->margin[p] = prc_larger(0, s[p] - low + PRC_PLANE_KEPT * (k->sep - k->xi_hard) - rounding);
}

/* Weights of the rocking row (0 or 1) of a triangle: with the stiffness of the contact, the square root of what (10.12)
 * has beside the part across. False where it is not worth having. */
PRC_FUNCTION bool prc_contact_rock(prc_contact *k, const prc_facing *f, int row)
{
    const double slope = -prc_barrier_at(f->distance - k->xi, k->d_hat).slope, *m = f->matrix;
    const double size = f->phi * sqrt(prc_larger(0, slope) / f->distance), det = m[0] * m[2] - m[1] * m[1];
    double l[2] = {0, 0}; /* column `row` of the root of the inverse matrix, by corners 1 and 2 */
    int held = -1, corners = 0;
    for (int p = 0; p < 3; p++) {
        held = f->w[p] > 0 ? held : p;
        corners += f->w[p] > 0;
    }
    if (corners == 3 && det > 0) {
        l[0] = row == 0 ? sqrt(m[2] / det) : 0;
        l[1] = row == 0 ? -m[1] / sqrt(m[2] * det) : 1 / sqrt(m[2]);
    } else if (corners == 2 && row == 0) { /* along the edge across corner `held` */
        const double along = held == 0 ? m[0] - 2 * m[1] + m[2] : held == 1 ? m[2] : m[0];
        l[0] = held == 1 ? 0 : 1 / sqrt(along);
        l[1] = held == 2 ? 0 : held == 0 ? -l[0] : 1 / sqrt(along);
    }
    k->w[0] = -size * (l[0] + l[1]);
    k->w[1] = size * l[0];
    k->w[2] = size * l[1];
    return k->w[0] * k->w[0] + k->w[1] * k->w[1] + k->w[2] * k->w[2] > PRC_FACE_ROCKS;
}

/* What is known of a triangle and a collider, at the positions of its vertices. */
PRC_INLINE prc_facing prc_contact_find_face(const prc_contact_view *view, const prc_contact *k, const double x[4][3])
{
    const prc_collider *collider = &view->colliders[k->collider];
    const bool again = k->exact && !prc_contact_rocks(k);
    const double start[3] = {again ? k->w[0] : 1.0 / 3, again ? k->w[1] : 1.0 / 3, again ? k->w[2] : 1.0 / 3};
    double y[3][3]; /* a copy, so that what is not called with it can stay in registers */
    for (int p = 0; p < 3; p++)
        for (int c = 0; c < 3; c++)
            y[p][c] = x[p][c];
    prc_facing f = prc_facing_find(collider, &collider->now, (const double(*)[3])y, prc_contact_tau(k), start);
    prc_facing_tighten(collider, &collider->now, (const double(*)[3])y, prc_contact_tau(k), k->xi_hard, &f);
    return f;
}

/* A rocking row that is not felt. */
PRC_INLINE void prc_contact_rest(prc_contact *k)
{
    k->distance = k->margin[0] = k->margin[1] = k->margin[2] = INFINITY;
    k->exact = false;
}

/* Takes over what was found. Where the two meet there is no plane, and no way is free. */
PRC_FUNCTION void prc_contact_take_face(const prc_contact_view *view, prc_contact *k, const prc_facing *f,
                                        const double x[4][3])
{
    k->has_plane = f->phi > 0;
    for (int c = 0; c < 3; c++)
        k->n[c] = f->n[c];
    if (prc_contact_rocks(k)) {
        prc_contact_rest(k);
        k->sep = f->sep;
        k->exact = f->phi > 0 && f->distance - k->xi < k->d_hat && prc_contact_rock(k, f, k->side_a - 4);
        return;
    }
    k->exact = !k->quiet;
    for (int p = 0; p < 3; p++)
        k->w[p] = f->w[p];
    k->distance = k->exact ? f->distance : f->sep;
    k->sep = f->phi;
    k->margin[0] = k->margin[1] = k->margin[2] = 0;
    if (k->has_plane)
        prc_contact_divide_face(&view->colliders[k->collider], k, x);
}

/* The vector of a vertex: from `packed`, or where there is none, components apart, from `x`. */
PRC_INLINE void prc_contact_vector(const prc_contact_view *view, const prc_four_doubles *packed, const double *x,
                                   int vertex, double out[3])
{
    if (PRC_CONTACT_SLICED && packed) {
        const prc_four_doubles at = packed[vertex];
        out[0] = at.x;
        out[1] = at.y;
        out[2] = at.z;
    } else
        prc_take3(x, view->stride, vertex, out);
}

/* Those of its vertices. A pair always has four places; of those that a contact with a collider does not have, 0. */
PRC_INLINE void prc_contact_take_from(const prc_contact_view *view, const prc_contact *k,
                                      const prc_four_doubles *packed, const double *y, double x[4][3])
{
    PRC_UNROLL
    for (int p = 0; p < 4; p++) {
        x[p][0] = x[p][1] = x[p][2] = 0;
        if (p < k->count || k->collider < 0)
            prc_contact_vector(view, packed, y, k->v[p], x[p]);
    }
}

/* Where its vertices are at y. */
PRC_INLINE void prc_contact_take(const prc_contact_view *view, const prc_contact *k, const double *y, double x[4][3])
{
    prc_contact_take_from(view, k, view->packed_y, y, x);
}

/* Far apart by its plane: that plane still divides, and there is no force. Any unit normal certifies itself. A triangle
 * that is guarded only never has a force: its plane will do until little of what it keeps free is left. */
PRC_INLINE bool prc_contact_look_far(prc_contact *k)
{
    const bool far = k->sep > (k->quiet ? k->xi : PRC_CONTACT_FAR * (k->xi + k->d_hat));
    k->distance = far ? k->sep : k->distance;
    k->exact = k->exact && !far;
    return far;
}

/* Separation of the sides along the normal at positions x. */
PRC_FUNCTION double prc_contact_separation(const prc_contact *k, const double x[4][3])
{
    double low = INFINITY, high = -INFINITY;
    for (int p = 0; p < 4; p++) {
        const double d[3] = {x[p][0] - x[3][0], x[p][1] - x[3][1], x[p][2] - x[3][2]};
        const double s = prc_dot3(k->n, d);
        if (p < k->side_a)
            low = prc_smaller(low, s);
        else
            high = prc_larger(high, s);
    }
    return low - high;
}

/* Where a view says which contacts are far, those that are have an old separation: that at x, of one that is open. */
PRC_INLINE void prc_contact_part(const prc_contact_view *view, prc_contact *k, const double x[4][3])
{
    if (view->far && !k->exact && k->collider < 0)
        k->sep = prc_contact_separation(k, x);
}

/* prc_contact_view.far of a contact that has been looked at; not more than 0 where it has to be looked at again. */
PRC_INLINE float prc_contact_beyond(const prc_contact *k)
{
    const double beyond = k->sep - PRC_CONTACT_FAR * (k->xi + k->d_hat);
    return k->exact || k->collider >= 0 ? -1 : (float)((1 - 1e-6) * beyond);
}

/* No less than the length of the move d of a vertex; and, for what is computed from it, more than the rounding of
 * positions of this size. */
PRC_INLINE float prc_contact_way_most(const double d[3], double size)
{
    return (float)((1 + 1e-6) * sqrt(prc_dot3(d, d)) + 1e-13 * size);
}

/* No less than what moves of its vertices, at most `way` each (m), take from the separation of a pair: on whichever
 * side the second vertex is. */
PRC_INLINE float prc_contact_nearer(const float *way, const int v[4])
{
    const float a = way[v[0]], b = way[v[1]], c = way[v[2]], d = way[v[3]];
    const float first = a > b ? a : b, last = c > d ? c : d;
    return 1.000001f * (first + (b > last ? b : last));
}

/* Closest points at the positions of its vertices. */
PRC_INLINE void prc_contact_nearest(const prc_contact_view *view, prc_contact *k, const double x[4][3])
{
    if (k->collider < 0) {
        prc_contact_closest(k, x);
        return;
    }
    const prc_facing f = prc_contact_find_face(view, k, x);
    prc_contact_take_face(view, k, &f, x);
}

/* Whether the old plane of a pair, or of a triangle and a collider, still keeps it far apart. */
PRC_INLINE bool prc_contact_stays_far(const prc_contact_view *view, prc_contact *k, const double x[4][3])
{
    if (!k->has_plane)
        return false;
    if (k->collider < 0)
        prc_contact_divide(k, x);
    else if (!prc_contact_rocks(k))
        prc_contact_divide_face(&view->colliders[k->collider], k, x);
    else
        k->sep = prc_facing_separation(&view->colliders[k->collider], &view->colliders[k->collider].now, x, k->n);
    const bool far = prc_contact_look_far(k);
    if (far && prc_contact_rocks(k))
        prc_contact_rest(k);
    return far;
}

/* Distance, normal and plane at y. */
PRC_FUNCTION void prc_contact_locate(const prc_contact_view *view, prc_contact *k, const double *y)
{
    double x[4][3];
    prc_contact_take(view, k, y, x);
    if (k->collider >= 0 && k->count == 1) {
        prc_contact_locate_collider(view, k, x[0]);
        return;
    }
    if (!prc_contact_stays_far(view, k, (const double(*)[3])x)) /* the old plane will often do */
        prc_contact_nearest(view, k, (const double(*)[3])x);
}

/* The same of a triangle and a collider, and of the rocking rows behind it, which say no more: where one thread has
 * them all. */
PRC_FUNCTION void prc_contact_locate_face(const prc_contact_view *view, prc_contact *k, const double *y)
{
    double x[4][3];
    const int rows = k->quiet ? 1 : 3;
    prc_contact_take(view, k, y, x);
    const bool far = prc_contact_stays_far(view, k, (const double(*)[3])x);
    prc_facing f;
    if (!far) {
        f = prc_contact_find_face(view, k, (const double(*)[3])x);
        prc_contact_take_face(view, k, &f, (const double(*)[3])x);
    }
    for (int row = 1; row < rows; row++)
        if (far)
            prc_contact_rest(&k[row]);
        else
            prc_contact_take_face(view, &k[row], &f, (const double(*)[3])x);
}

/* The same of contact `index`. */
PRC_FUNCTION void prc_contact_relocate(const prc_contact_view *view, int index, const double *y)
{
    prc_contact room, *k = prc_contact_open(view, index, PRC_SLICE_ALL, &room);
    prc_contact_locate(view, k, y);
    prc_contact_close(view, index, PRC_SLICE_GEOMETRY, k);
    if (view->far)
        view->far[index] = prc_contact_beyond(k);
}

/* How far apart its sides are at least, m: of a triangle and a collider by their plane, since their distance is
 * smoothed.
 */
PRC_INLINE double prc_contact_bound(const prc_contact *k)
{
    return prc_contact_is_face(k) ? k->sep : k->distance;
}

/* No farther apart than the hard thickness, at the last geometry; or nobody knows. What is prescribed stops before
 * that, but may begin in between. */
PRC_INLINE bool prc_contact_is_close(const prc_contact *k)
{
    return !(prc_contact_bound(k) > (k->pushes ? k->xi_hard : PRC_HARD_SHARE * k->xi));
}

#endif
