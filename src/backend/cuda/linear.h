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
 * + 72 (vertex, f, x, k), vertices 96 (R, n, T, N, stabilisation), z and p 24, out 72 + 12 + 12; 2: 24 + 72 + 12 + 12 +
 * 8, out 12; 3: 48 + 24, out 36; together 656. A matrix of 3×3 blocks would need one phase less, but has 19 blocks in a
 * row: 760 bytes for the product alone, against 548. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_LINEAR_H
#define PRC_CUDA_LINEAR_H

/* All that the kernel needs, by value. */
struct linear_task {
    prc_view view;
    prc_device_rows rows[2];
    prc_level level[PRC_LEVELS];
    int row_sets, level_count, dense_leading, most;
    const prc_real *dense_inverse, *gradient;
    double accuracy, enough;
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

DEVICE_INLINE int row_count(const linear_task *t, int set)
{
    return t->row_sets > set ? *t->rows[set].count : 0;
}

DEVICE_INLINE bool has_rows(const linear_task *t)
{
    return row_count(t, 0) + row_count(t, 1) > 0;
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

/* r = −g, x = 0, z = D^-1 r of vertex i; returns its r·z. */
DEVICE_INLINE double start_item(const linear_task *t, bool rows, int i)
{
    const prc_view *v = &t->view;
    const prc_vec3 r = prc_scale(R(-1), prc_vertex_load(v, t->gradient, i)), z = vertex_precondition(v, i, r);
    prc_vertex_store(v, FIELD(residual), i, r);
    prc_vertex_store(v, FIELD(correction), i, prc_vec3_zero());
    prc_vertex_store(v, FIELD(preconditioned), i, z);
    if (rows) {
        *pair_of(t, i) = {quad_of(z), quad_of(prc_vec3_zero())};
        for (int set = 0; set < t->row_sets && i < v->vertex_count; set++)
            rows_list_weights(v, &t->rows[set], i);
    }
    return real_dot(r, z);
}

/* r = −g, x = 0, z = M^-1 r; returns r·z. */
DEVICE_INLINE double linear_start(const linear_task *t, const prc_grid &grid)
{
    const bool rows = has_rows(t);
    double mine = 0, all;
    grid.each(t->view.padded_count, [&](int i) { mine += start_item(t, rows, i); });
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

/* The direction p of vertex i, and what its ring does with it. */
DEVICE_INLINE void ring_item(const linear_task *t, const prc_real *before, prc_real *next, prc_real beta, int i)
{
    const prc_view *v = &t->view;
    prc_vertex_store(v, next, i, prc_product_step(v, i, FIELD(preconditioned), before, beta));
}

/* q = H p of vertex i; returns its p·q. */
DEVICE_INLINE double product_item(const linear_task *t, const int *row_counts, const prc_real *direction, int i)
{
    const prc_view *v = &t->view;
    const prc_vec3 p = prc_vertex_load(v, direction, i);
    prc_vec3 q = prc_product_at(v, i, p);
    for (int set = 0; set < 2; set++)
        if (row_counts[set] > 0 && i < v->vertex_count)
            q = prc_add(q, rows_gather(v, &t->rows[set], i));
    prc_vertex_store(v, FIELD(product), i, q);
    return real_dot(p, q);
}

/* x += alpha p, r −= alpha q, z = D^-1 r of vertex i; returns its r·z. */
DEVICE_INLINE double advance_item(const linear_task *t, bool rows, const prc_real *direction, prc_real alpha, int i)
{
    const prc_view *v = &t->view;
    const prc_vec3 p = prc_vertex_load(v, direction, i), q = prc_vertex_load(v, FIELD(product), i);
    const prc_vec3 x = prc_add_scaled(prc_vertex_load(v, FIELD(correction), i), alpha, p);
    const prc_vec3 r = prc_add_scaled(prc_vertex_load(v, FIELD(residual), i), -alpha, q);
    const prc_vec3 z = vertex_precondition(v, i, r);
    prc_vertex_store(v, FIELD(correction), i, x);
    prc_vertex_store(v, FIELD(residual), i, r);
    prc_vertex_store(v, FIELD(preconditioned), i, z);
    if (rows)
        *pair_of(t, i) = {quad_of(z), quad_of(p)};
    return real_dot(r, z);
}

/* −g·x of vertex i. */
DEVICE_INLINE double decrease_item(const linear_task *t, int i)
{
    const prc_view *v = &t->view;
    return -real_dot(prc_vertex_load(v, t->gradient, i), prc_vertex_load(v, FIELD(correction), i));
}

/* p_next = z + beta p_before (z where there is none) and q = H p; returns p·q. */
DEVICE_INLINE double linear_multiply(const linear_task *t, const prc_grid &grid, const prc_real *before, prc_real *next,
                                     double beta)
{
    const int n = t->view.padded_count, counts[2] = {row_count(t, 0), row_count(t, 1)};
    grid.each_beside(
        n, (long)counts[0] + counts[1], [&](int i) { ring_item(t, before, next, (prc_real)beta, i); },
        [&](int r) { row_step(t, r < counts[0] ? 0 : 1, r < counts[0] ? r : r - counts[0], (prc_real)beta); });
    grid.sync();
    double mine = 0, all;
    grid.each(n, [&](int i) { mine += product_item(t, counts, next, i); });
    grid.sum(&mine, 1, &all);
    return all;
}

/* x += alpha p, r −= alpha q, z = M^-1 r; returns r·z. */
DEVICE_INLINE double linear_advance(const linear_task *t, const prc_grid &grid, const prc_real *direction, double step)
{
    const bool rows = has_rows(t);
    double mine = 0, all;
    grid.each(t->view.padded_count, [&](int i) { mine += advance_item(t, rows, direction, (prc_real)step, i); });
    if (t->level_count)
        mine = coarse_precondition(t, grid);
    grid.sum(&mine, 1, &all);
    return all;
}

/* The whole solve, in every thread. */
DEVICE_INLINE void linear_solve(const linear_task *t, const prc_grid &grid)
{
    const prc_view *v = &t->view;
    prc_real *next = FIELD(direction), *before = FIELD(direction_next);
    double rz = linear_start(t, grid), beta = 0;
    const double relative = rz * t->accuracy * t->accuracy, enough = relative > t->enough ? relative : t->enough;
    int iterations = 0;
    while (iterations < t->most && rz > 0) {
        const double curvature = linear_multiply(t, grid, iterations > 0 ? before : NULL, next, beta);
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
    double mine = 0, all;
    grid.each(v->padded_count, [&](int i) { mine += decrease_item(t, i); });
    grid.sum(&mine, 1, &all);
    if (grid.first()) {
        v->slot[PRC_SLOT_DECREASE] = all;
        v->slot[PRC_SLOT_INNER] = iterations;
    }
}

/* --- the same, phase by phase --- */

/* Each phase as a kernel of its own. Where there is enough to do for all threads that a device holds at once, what
 * counts is how many of them wait for memory: those of the one kernel above all have the registers of its largest
 * phase, and so are a quarter of what there could be. The host launches some iterations and then looks; what is
 * launched in vain does nothing. */
#define LARGE 60000 /* vertices and rows from which on this is faster */
#define LOOK_AGAIN 4

struct linear_guess {
    int iterations; /* of the solve before */
};

/* What coarse levels add to z, and the end of the phase: finish(r·z). */
template <class G> static void coarse_phases(const linear_task &task, const prc_linear_job *job, G finish)
{
    const prc_view *v = &task.view;
    const int last = task.level_count - 1;
    const void *from = v->field[PRC_FIELD_residual];
    for (int l = 0; l <= last; l++) {
        sparse(v, &job->level[l].restriction, from, job->level[l].b, job->level[l].padded_count, false);
        from = job->level[l].b;
    }
    dense(v, job->dense_inverse, job->dense_leading, &job->level[last]);
    for (int l = last - 1; l >= 0; l--) {
        level_smooth(v, &job->level[l]);
        sparse(v, &job->level[l + 1].prolongation, job->level[l + 1].x, job->level[l].x, job->level[l].padded_count,
               true);
    }
    prc_each_summed<1>(
        device_of(v), "cg: finish", v->padded_count,
        [=] PRC_DEVICE(int i, double *sums) { sums[0] += finish_item(&task, has_rows(&task), i); }, finish);
}

static void start_phase(const linear_task &task, const prc_linear_job *job)
{
    double *slot = task.view.slot;
    const double accuracy = task.accuracy, least = task.enough;
    const int most = task.most;
    const auto finish = [=] PRC_DEVICE(const double *sums) {
        const double relative = sums[0] * accuracy * accuracy;
        slot[PRC_SLOT_LEFT] = sums[0];
        slot[PRC_SLOT_ENOUGH] = relative > least ? relative : least;
        slot[PRC_SLOT_BETA] = slot[PRC_SLOT_INNER] = 0;
        slot[PRC_SLOT_GOES_ON] = most > 0 && sums[0] > 0;
    };
    const bool coarse = task.level_count > 0;
    prc_each_summed<1>(
        device_of(&task.view), "cg: start", task.view.padded_count,
        [=] PRC_DEVICE(int i, double *sums) { sums[0] += start_item(&task, has_rows(&task), i); }, finish);
    if (coarse)
        coarse_phases(task, job, finish);
}

/* p_next = z + beta p_before (z where there is none): rings, and rows. */
static void ring_phase(const linear_task &task, const prc_real *before, prc_real *next)
{
    const double *slot = task.view.slot;
    const int n = task.view.padded_count, first = task.row_sets > 0 ? task.rows[0].most : 0,
              second = task.row_sets > 1 ? task.rows[1].most : 0;
    prc_each(device_of(&task.view), "cg: rings", n, [=] PRC_DEVICE(int i) {
        if (slot[PRC_SLOT_GOES_ON] != 0)
            ring_item(&task, before, next, (prc_real)slot[PRC_SLOT_BETA], i);
    });
    prc_each(device_of(&task.view), "cg: rows", (long)first + second, [=] PRC_DEVICE(int r) {
        const int set = r < first ? 0 : 1, row = r < first ? r : r - first;
        if (slot[PRC_SLOT_GOES_ON] != 0 && row < row_count(&task, set))
            row_step(&task, set, row, (prc_real)slot[PRC_SLOT_BETA]);
    });
}

/* q = H p, and alpha. */
static void product_phase(const linear_task &task, const prc_real *direction)
{
    double *slot = task.view.slot;
    prc_each_summed<1>(
        device_of(&task.view), "cg: product", task.view.padded_count,
        [=] PRC_DEVICE(int i, double *sums) {
            const int counts[2] = {row_count(&task, 0), row_count(&task, 1)};
            if (slot[PRC_SLOT_GOES_ON] != 0)
                sums[0] += product_item(&task, counts, direction, i);
        },
        [=] PRC_DEVICE(const double *sums) {
            if (!(sums[0] > 0))
                slot[PRC_SLOT_GOES_ON] = 0; /* only rounding can make a positive definite form vanish */
            else
                slot[PRC_SLOT_ALPHA] = slot[PRC_SLOT_LEFT] / sums[0];
        });
}

/* x, r, z, and beta. */
static void advance_phase(const linear_task &task, const prc_linear_job *job, const prc_real *direction)
{
    double *slot = task.view.slot;
    const int most = task.most;
    const bool coarse = task.level_count > 0;
    const auto finish = [=] PRC_DEVICE(const double *sums) {
        if (slot[PRC_SLOT_GOES_ON] == 0)
            return;
        slot[PRC_SLOT_BETA] = sums[0] / slot[PRC_SLOT_LEFT];
        slot[PRC_SLOT_LEFT] = sums[0];
        slot[PRC_SLOT_INNER] += 1;
        slot[PRC_SLOT_GOES_ON] = sums[0] > slot[PRC_SLOT_ENOUGH] && slot[PRC_SLOT_INNER] < most;
    };
    prc_each_summed<1>(
        device_of(&task.view), "cg: advance", task.view.padded_count,
        [=] PRC_DEVICE(int i, double *sums) {
            if (slot[PRC_SLOT_GOES_ON] != 0)
                sums[0] += advance_item(&task, has_rows(&task), direction, (prc_real)slot[PRC_SLOT_ALPHA], i);
        },
        [=] PRC_DEVICE(const double *sums) {
            if (!coarse)
                finish(sums);
        });
    if (coarse)
        coarse_phases(task, job, finish);
}

static void solve_in_phases(const linear_task &task, const prc_linear_job *job)
{
    const prc_view *v = &task.view;
    prc_device *d = device_of(v);
    static const char key = 0;
    linear_guess *guess = (linear_guess *)prc_device_keep(d, &key, sizeof(linear_guess), NULL);
    prc_real *next = (prc_real *)v->field[PRC_FIELD_direction],
             *before = (prc_real *)v->field[PRC_FIELD_direction_next];
    double found[PRC_SLOT_GOES_ON + 1];
    if (!guess)
        return;
    start_phase(task, job);
    found[PRC_SLOT_GOES_ON] = task.most > 0;
    for (int k = 0, look = guess->iterations + 1; found[PRC_SLOT_GOES_ON] != 0; k++) {
        ring_phase(task, k > 0 ? before : NULL, next);
        product_phase(task, next);
        advance_phase(task, job, next);
        prc_real *const swapped = before;
        before = next;
        next = swapped;
        if (k + 1 < look)
            continue;
        prc_copy_out(d, found, v->slot, sizeof found);
        if (prc_device_failed(d))
            return;
        guess->iterations = (int)found[PRC_SLOT_INNER];
        look += LOOK_AGAIN;
    }
    double *slot = v->slot;
    prc_each_summed<1>(
        d, "cg: end", v->padded_count, [=] PRC_DEVICE(int i, double *sums) { sums[0] += decrease_item(&task, i); },
        [=] PRC_DEVICE(const double *sums) { slot[PRC_SLOT_DECREASE] = sums[0]; });
}

#undef FIELD

static void solve_linear(const prc_view *v, const prc_linear_job *job)
{
    linear_task task = {};
    task.view = *v;
    for (int k = 0; k < 2; k++)
        if (job->rows[k] && job->rows[k]->device && ((const prc_device_rows *)job->rows[k]->device)->most > 0)
            task.rows[task.row_sets++] = *(const prc_device_rows *)job->rows[k]->device;
    for (int l = 0; l < job->level_count; l++)
        task.level[l] = job->level[l];
    task.level_count = job->level_count;
    task.dense_inverse = (const prc_real *)job->dense_inverse;
    task.dense_leading = job->dense_leading;
    task.most = job->most;
    task.gradient = (const prc_real *)job->gradient;
    task.accuracy = job->accuracy;
    task.enough = job->enough;
    long items = v->padded_count;
    for (int k = 0; k < task.row_sets; k++)
        items += task.rows[k].most;
    if (job->phases > 0 || (job->phases == 0 && items >= LARGE))
        solve_in_phases(task, job);
    else
        prc_together(device_of(v), "solve_linear", [=] PRC_DEVICE(const prc_grid &grid) { linear_solve(&task, grid); });
}

#endif
