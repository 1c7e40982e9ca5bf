/* backend/cuda/linear.h — preconditioned conjugate gradients in one cooperative kernel: part of stages.cu.
 *
 * The algorithm is that of step/linear.c, with the same tests, but the host only starts it. Between two syncs of all
 * threads an iteration does
 *
 *   1  what every ring and every row of contact does with the direction p = z + beta p_before. A thread makes the
 *      directions of its neighbours by itself, from z and p_before, instead of waiting for them: hence two vectors p in
 *      turn;
 *   2  q = H p, gathered from bonds and rows; p·q
 *   3  x, r, z; r·z
 *
 * and with coarse levels, between r and z, one phase per restriction and prolongation, and one for the dense matrix.
 *
 * Bytes per vertex and iteration in single precision, 6 bonds, each array counted once per phase: 1: bonds 24 + 48 + 48
 * + 72 (vertex, f, x, k), vertices 96 (R, n, T, N, stabilisation), z and p 24, out 96 + 12 + 12 (four numbers per
 * bond); 2: 24 + 96 + 12 + 12 + 8, out 12; 3: 48 + 24, out 36; together 704. A matrix of 3×3 blocks would need one
 * phase less, but has 19 blocks in a row: 760 bytes for the product alone, against 596. A row of contact adds 16 + 16 +
 * 32 (vertices, weights, stiffness), 4 × 32 gathered and 16 written in 1, and for each of its vertices 8 + 16 in 2.
 *
 * The first phase also makes what a solve of the contact model starts from, the last what it wants to know of the
 * correction: no kernel of its own is needed for gradient, preconditioner and slopes.
 * Rejected: the form with one sum per iteration (Chronopoulos and Gear). Where a phase makes the update of its
 * neighbours by itself, an iteration has 2 meetings of all blocks instead of 3, but the last product is in vain, and
 * 5 % more bytes move: large systems, which take most iterations, lose. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_LINEAR_H
#define PRC_CUDA_LINEAR_H

#define THIN_FROM 10000 /* vertices from which on bonds are thin (kernel/ring.h): the fewer, the less it is worth */

/* All that the kernel needs, by value. */
struct linear_task {
    prc_view view;
    prc_device_rows rows[2]; /* of contacts, and of springs; no `count`: none */
    prc_level level[PRC_LEVELS];
    int level_count, dense_leading, most;
    const prc_real *dense_inverse;
    bool renew, goes_on; /* see prc_linear_job */
    prc_real *gradient;
    double accuracy, enough;
    double *step; /* see prc_linear_job; until the end the product of all but contacts with x, where contacts push */
};

#define FIELD(name) ((prc_real *)v->field[PRC_FIELD_##name])

DEVICE_INLINE double real_dot(prc_vec3 a, prc_vec3 b)
{
    return (double)prc_dot(a, b);
}

DEVICE_INLINE prc_vec3 vertex_precondition(const prc_view *v, int i, prc_vec3 r)
{
    return prc_sym3_times(prc_sym3_load(FIELD(inverse), v->padded_count, i), r);
}

/* z and the direction before of a vertex side by side, where rows gather them: one piece of memory per vertex, though
 * the vertices of a row are far apart. Lies in `column`, which has no other use during a solve. */
struct linear_pair {
    prc_quad z, p;
};

DEVICE_INLINE linear_pair *pair_of(const linear_task *t, int i)
{
    return (linear_pair *)t->view.field[PRC_FIELD_column] + i;
}

DEVICE_INLINE prc_quad quad_of(prc_vec3 a)
{
    return prc_quad_make(a.x, a.y, a.z, R(0));
}

enum { CONTACTS, SPRINGS };

DEVICE_INLINE int row_count(const linear_task *t, int set)
{
    return t->rows[set].count ? *t->rows[set].count : 0;
}

DEVICE_INLINE bool has_rows(const linear_task *t)
{
    return row_count(t, CONTACTS) + row_count(t, SPRINGS) > 0;
}

/* Whether contacts, of which there are `count`, push vertex i. */
DEVICE_INLINE bool is_pushed(const linear_task *t, int count, int i)
{
    const prc_device_rows *rows = &t->rows[CONTACTS];
    return count > 0 && i < t->view.vertex_count && rows->first[i] != rows_end(&t->view, rows, i);
}

/* What follows the residual where there are coarse levels: all but the finest of z = D^-1 r + P_1 (…). */
DEVICE_INLINE void coarse_solve(const linear_task *t, const prc_grid &grid)
{
    const prc_view *v = &t->view;
    const int last = t->level_count - 1;
    const prc_real *from = FIELD(residual);
    for (int l = 0; l <= last; l++) {
        const prc_level *level = &t->level[l];
        grid.sync();
        grid.each(level->padded_count, [&](int row) {
            prc_store3((prc_real *)level->b, level->padded_count, row, prc_sparse_pack(&level->restriction, from, row));
        });
        from = (const prc_real *)level->b;
    }
    grid.sync();
    grid.each(3L * t->level[last].node_count * DENSE_SHARE,
              [&](int item) { dense_item(t->dense_inverse, t->dense_leading, &t->level[last], item); });
    for (int l = last - 1; l >= 0; l--) {
        const prc_level *level = &t->level[l], *below = &t->level[l + 1];
        grid.sync();
        grid.each(level->padded_count, [&](int i) {
            const prc_vec3 coarse = prc_sparse_pack(&below->prolongation, (const prc_real *)below->x, i);
            prc_store3((prc_real *)level->x, level->padded_count, i, prc_add(coarse, prc_level_smooth_pack(level, i)));
        });
    }
    grid.sync();
}

/* The last part of z = M^-1 r where that is more than the blocks, of vertex i; returns its r·z. */
DEVICE_INLINE double finish_item(const linear_task *t, bool rows, int i)
{
    const prc_view *v = &t->view;
    const prc_vec3 z =
        prc_level_finish_pack(v, &t->level[0].prolongation, (const prc_real *)t->level[0].x, FIELD(residual), i);
    prc_vertex_store(v, FIELD(preconditioned), i, z);
    if (rows)
        pair_of(t, i)->z = quad_of(z);
    return real_dot(prc_vertex_load(v, FIELD(residual), i), z);
}

/* z = M^-1 r where that is more than the blocks; returns this thread's part of r·z. */
DEVICE_INLINE double coarse_precondition(const linear_task *t, const prc_grid &grid)
{
    const bool rows = has_rows(t);
    double mine = 0;
    coarse_solve(t, grid);
    grid.each(t->view.padded_count, [&](int i) { mine += finish_item(t, rows, i); });
    return mine;
}

/* The gradient of the contact model, for the vertices of a warp. */
DEVICE_INLINE void linear_gradient(const linear_task *t, const prc_warp &warp, int base, int contacts)
{
    const prc_view *v = &t->view;
    const prc_real part = t->goes_on ? (prc_real)v->slot[PRC_SLOT_PART] : R(0);
    warp.each([&](int lane) {
        const int i = base + lane;
        if (i >= v->padded_count)
            return;
        prc_vec3 g = prc_vertex_load(v, FIELD(model_gradient), i);
        if (t->goes_on) {
            g = prc_add_scaled(g, part, prc_vertex_load(v, FIELD(product), i));
            prc_vertex_store(v, FIELD(model_gradient), i, g);
        }
        prc_vertex_store(v, t->gradient, i, g);
    });
    if (contacts > 0)
        add_forces(v, &t->rows[CONTACTS], warp, base, t->gradient, t->gradient);
}

/* The blocks of the preconditioner for the vertices of a warp, and the weights of rows where they are gathered. */
DEVICE_INLINE void linear_prepare(const linear_task *t, const prc_warp &warp, int base, int contacts, int springs)
{
    const prc_view *v = &t->view;
    prc_per_lane<prc_real> d[6];
    warp.each([&](int lane) {
        const int i = base + lane;
        prc_real own[6] = {0, 0, 0, 0, 0, 0};
        if (i < v->padded_count)
            own_block(v, i, own);
        for (int q = 0; q < 6; q++)
            d[q][lane] = own[q];
        if (springs > 0 && i < v->vertex_count)
            rows_list_weights(v, &t->rows[SPRINGS], i);
        for (int c = 0; c < 3 && t->step && is_pushed(t, contacts, i); c++)
            t->step[c * (long)v->padded_count + i] = 0;
    });
    if (contacts > 0)
        fold_blocks(v, &t->rows[CONTACTS], warp, base, d);
    if (t->renew)
        linear_gradient(t, warp, base, contacts);
    warp.each([&](int lane) {
        prc_real own[6];
        for (int q = 0; q < 6; q++)
            own[q] = d[q][lane];
        if (base + lane < v->padded_count)
            store_inverse(v, base + lane, own);
    });
}

/* How many rows there are now. */
struct row_counts {
    int contacts, springs;
};

DEVICE_INLINE row_counts count_rows(const linear_task *t)
{
    return {row_count(t, CONTACTS), row_count(t, SPRINGS)};
}

/* r = −g, x = 0, z = D^-1 r of the vertices of warp w; returns this thread's part of r·z. */
DEVICE_INLINE double start_some(const linear_task *t, const prc_warp &warp, int w, row_counts rows)
{
    const prc_view *v = &t->view;
    double mine = 0;
    linear_prepare(t, warp, PRC_WARP * w, rows.contacts, rows.springs);
    warp.each([&](int lane) {
        const int i = PRC_WARP * w + lane;
        if (i >= v->padded_count)
            return;
        const prc_vec3 r = prc_scale(R(-1), prc_vertex_load(v, t->gradient, i)), z = vertex_precondition(v, i, r);
        prc_vertex_store(v, FIELD(residual), i, r);
        prc_vertex_store(v, FIELD(correction), i, prc_vec3_zero());
        prc_vertex_store(v, FIELD(preconditioned), i, z);
        if (rows.contacts + rows.springs > 0)
            *pair_of(t, i) = {quad_of(z), quad_of(prc_vec3_zero())};
        mine += real_dot(r, z);
    });
    return mine;
}

/* The same for all, and what coarse levels add; returns r·z. */
DEVICE_INLINE double linear_start(const linear_task *t, const prc_grid &grid)
{
    const row_counts rows = count_rows(t);
    double mine = 0, all;
    grid.each_warp(warps_of(&t->view), [&](const prc_warp &warp, int w) { mine += start_some(t, warp, w, rows); });
    if (t->level_count)
        mine = coarse_precondition(t, grid);
    grid.sum(&mine, 1, &all);
    return all;
}

/* A row answers the direction z + beta p. */
DEVICE_INLINE void row_step(const linear_task *t, int set, int row, prc_real beta)
{
    row_answer(&t->rows[set], row, [&](int j) {
        const linear_pair *at = pair_of(t, j);
        const prc_quad z = at->z, p = at->p;
        return prc_quad_make(z.x + beta * p.x, z.y + beta * p.y, z.z + beta * p.z, R(0));
    });
}

/* The direction z + beta p (z where there is no p) of vertex i, and what its ring does with it: with thin bonds or
 * not. */
template <bool thin>
DEVICE_INLINE void ring_item(const linear_task *t, const prc_real *before, prc_real *next, prc_real beta, int i)
{
    const prc_view *v = &t->view;
    const prc_real *z = FIELD(preconditioned);
    prc_vertex_store(v, next, i,
                     thin ? prc_product_step_thin(v, i, z, before, beta) : prc_product_step(v, i, z, before, beta));
}

/* Row r of contacts and springs. */
DEVICE_INLINE void row_item(const linear_task *t, int contacts, prc_real beta, int r)
{
    if (r < contacts)
        row_step(t, CONTACTS, r, beta);
    else
        row_step(t, SPRINGS, r - contacts, beta);
}

/* q = H p of the vertices of warp w, gathered from bonds and rows; returns this thread's part of p·q. */
template <bool thin>
DEVICE_INLINE double product_some(const linear_task *t, const prc_warp &warp, int w, row_counts rows,
                                  const prc_real *direction)
{
    const prc_view *v = &t->view;
    const int base = PRC_WARP * w;
    prc_per_lane<prc_real> q[3];
    double mine = 0;
    warp.each([&](int lane) {
        const int i = base + lane;
        const bool pushed = t->step && is_pushed(t, rows.contacts, i);
        prc_vec3 own = prc_vec3_zero();
        if (i < v->padded_count)
            own = prc_product_at(v, i, thin ? prc_bonds_sum_thin(v, i) : prc_bonds_sum(v, i),
                                 prc_vertex_load(v, direction, i));
        if (rows.springs > 0 && i < v->vertex_count)
            own = prc_add(own, rows_gather(v, &t->rows[SPRINGS], i));
        if (pushed)
            prc_vertex_store(v, FIELD(own), i, own); /* has been read */
        q[0][lane] = own.x;
        q[1][lane] = own.y;
        q[2][lane] = own.z;
    });
    if (rows.contacts > 0)
        fold_answers(v, &t->rows[CONTACTS], warp, base, q);
    warp.each([&](int lane) {
        const int i = base + lane;
        const prc_vec3 all = prc_vec3_make(q[0][lane], q[1][lane], q[2][lane]);
        if (i >= v->padded_count)
            return;
        prc_vertex_store(v, FIELD(product), i, all);
        mine += real_dot(prc_vertex_load(v, direction, i), all);
    });
    return mine;
}

/* p_next = z + beta p_before (z where there is none) and q = H p; returns p·q. */
template <bool thin>
DEVICE_INLINE double linear_multiply(const linear_task *t, const prc_grid &grid, const prc_real *before, prc_real *next,
                                     double beta)
{
    const int n = t->view.padded_count;
    const row_counts rows = count_rows(t);
    grid.each_beside(
        n, (long)rows.contacts + rows.springs, [&](int i) { ring_item<thin>(t, before, next, (prc_real)beta, i); },
        [&](int r) { row_item(t, rows.contacts, (prc_real)beta, r); });
    grid.sync();
    double mine = 0, all;
    grid.each_warp(warps_of(&t->view),
                   [&](const prc_warp &warp, int w) { mine += product_some<thin>(t, warp, w, rows, next); });
    grid.sum(&mine, 1, &all);
    return all;
}

/* Of a vertex that contacts push: the product of all else with x, which the residual does not tell. */
DEVICE_INLINE void advance_product(const linear_task *t, int i, prc_real alpha)
{
    const prc_view *v = &t->view;
    const long n = v->padded_count;
    const prc_vec3 q = prc_vertex_load(v, FIELD(own), i);
    t->step[i] += (double)(alpha * q.x);
    t->step[n + i] += (double)(alpha * q.y);
    t->step[2 * n + i] += (double)(alpha * q.z);
}

/* x += alpha p, r −= alpha q, z = D^-1 r of vertex i; returns its r·z. */
DEVICE_INLINE double advance_item(const linear_task *t, row_counts rows, const prc_real *direction, prc_real alpha,
                                  int i)
{
    const prc_view *v = &t->view;
    const bool pushed = is_pushed(t, rows.contacts, i); /* before the first store: all loads go out together */
    const prc_vec3 p = prc_vertex_load(v, direction, i), q = prc_vertex_load(v, FIELD(product), i);
    const prc_vec3 x = prc_add_scaled(prc_vertex_load(v, FIELD(correction), i), alpha, p);
    const prc_vec3 r = prc_add_scaled(prc_vertex_load(v, FIELD(residual), i), -alpha, q);
    const prc_vec3 z = vertex_precondition(v, i, r);
    prc_vertex_store(v, FIELD(correction), i, x);
    prc_vertex_store(v, FIELD(residual), i, r);
    prc_vertex_store(v, FIELD(preconditioned), i, z);
    if (pushed || rows.springs > 0) /* z and p of what is pinned stay 0 */
        *pair_of(t, i) = {quad_of(z), quad_of(p)};
    if (pushed && t->step)
        advance_product(t, i, alpha);
    return real_dot(r, z);
}

/* advance_item for all; returns r·z. */
DEVICE_INLINE double linear_advance(const linear_task *t, const prc_grid &grid, const prc_real *direction, double step)
{
    const row_counts rows = count_rows(t);
    double mine = 0, all;
    grid.each(t->view.padded_count, [&](int i) { mine += advance_item(t, rows, direction, (prc_real)step, i); });
    if (t->level_count)
        mine = coarse_precondition(t, grid);
    grid.sum(&mine, 1, &all);
    return all;
}

/* The product of all but contacts with x, which is −g − r where no contact pushes; and what the contact model wants to
 * know of the correction: widens it, adds the slopes to sum. */
DEVICE_INLINE void find_slopes(const linear_task *t, bool pushed, int i, double sum[2])
{
    const prc_view *v = &t->view;
    for (int c = 0; c < 3; c++) {
        const long k = c * (long)v->padded_count + i;
        const prc_real product = pushed ? (prc_real)t->step[k] : -(t->gradient[k] + FIELD(residual)[k]);
        const double x = (double)FIELD(correction)[k];
        FIELD(product)[k] = product;
        t->step[k] = x;
        sum[0] += x * (double)FIELD(model_gradient)[k];
        sum[1] += x * (double)product;
    }
}

/* What the solve leaves of vertex i: terms of three sums. */
DEVICE_INLINE void leave_item(const linear_task *t, row_counts rows, int i, double *sums)
{
    const prc_view *v = &t->view;
    sums[0] -= real_dot(prc_vertex_load(v, t->gradient, i), prc_vertex_load(v, FIELD(correction), i));
    if (t->step)
        find_slopes(t, is_pushed(t, rows.contacts, i), i, sums + 1);
}

/* … and of all. */
DEVICE_INLINE void leave_sums(const linear_task *t, const double *sums)
{
    double *slot = t->view.slot;
    slot[PRC_SLOT_DECREASE] = sums[0];
    if (t->step) {
        slot[PRC_SLOT_SLOPE] = sums[1];
        slot[PRC_SLOT_CURVATURE] = sums[2];
    }
}

/* The whole solve, in every thread. */
template <bool thin> DEVICE_INLINE void linear_solve(const linear_task *t, const prc_grid &grid)
{
    const prc_view *v = &t->view;
    prc_real *next = FIELD(direction), *before = FIELD(direction_next);
    double rz = linear_start(t, grid), beta = 0;
    const double relative = rz * t->accuracy * t->accuracy, enough = relative > t->enough ? relative : t->enough;
    int iterations = 0;
    while (iterations < t->most && rz > 0) {
        const double curvature = linear_multiply<thin>(t, grid, iterations > 0 ? before : NULL, next, beta);
        if (!(curvature > 0))
            break; /* only rounding can make a positive definite form vanish */
        const double reached = linear_advance(t, grid, next, rz / curvature);
        iterations++;
        if (!(reached > enough))
            break;
        beta = reached / rz;
        rz = reached;
        prc_real *const swapped = before;
        before = next;
        next = swapped;
    }
    double mine[3] = {0, 0, 0}, all[3];
    const row_counts rows = count_rows(t);
    grid.each(v->padded_count, [&](int i) { leave_item(t, rows, i, mine); });
    grid.sum(mine, t->step ? 3 : 1, all);
    if (grid.first()) {
        leave_sums(t, all);
        v->slot[PRC_SLOT_INNER] = iterations;
    }
}

#undef FIELD

#include "backend/cuda/linear_phases.h"

static void solve_linear(const prc_view *v, const prc_linear_job *job)
{
    linear_task task = {};
    task.view = *v;
    for (int k = 0; k < 2; k++)
        if (job->rows[k] && job->rows[k]->device && ((const prc_device_rows *)job->rows[k]->device)->most > 0)
            task.rows[k] = *(const prc_device_rows *)job->rows[k]->device;
    for (int l = 0; l < job->level_count; l++)
        task.level[l] = job->level[l];
    task.level_count = job->level_count;
    task.dense_inverse = (const prc_real *)job->dense_inverse;
    task.dense_leading = job->dense_leading;
    task.most = job->most;
    task.renew = job->renew;
    task.goes_on = job->goes_on;
    task.gradient = (prc_real *)job->gradient;
    task.accuracy = job->accuracy;
    task.enough = job->enough;
    task.step = job->step;
    if (job->phases > 0 || (job->phases == 0 && v->vertex_count >= LARGE))
        solve_in_phases(task, job);
    else if (v->vertex_count >= THIN_FROM)
        prc_together(device_of(v), "solve_linear",
                     [=] PRC_DEVICE(const prc_grid &grid) { linear_solve<true>(&task, grid); });
    else
        prc_together(device_of(v), "solve_linear",
                     [=] PRC_DEVICE(const prc_grid &grid) { linear_solve<false>(&task, grid); });
}

#endif
