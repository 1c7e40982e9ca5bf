/* backend/cuda/linear_phases.h — the conjugate gradients of linear.h, each phase a kernel of its own: part of
 * stages.cu.
 *
 * Where there is enough to do for all threads that a device holds at once, what counts is how many of them wait for
 * memory: those of the one cooperative kernel all have the registers of its largest phase, and so are a quarter of what
 * there could be. The host launches some iterations and then looks; what is launched in vain does nothing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_LINEAR_PHASES_H
#define PRC_CUDA_LINEAR_PHASES_H

#define LARGE 100000 /* vertices from which on this is faster */
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
        [=] PRC_DEVICE(int i, double *sums) { sums[0] += start_item(&task, count_rows(&task), i); }, finish);
    if (coarse)
        coarse_phases(task, job, finish);
}

/* p_next = z + beta p_before (z where there is none): rings, and rows. */
static void ring_phase(const linear_task &task, const prc_real *before, prc_real *next)
{
    const double *slot = task.view.slot;
    const int n = task.view.padded_count;
    const long most = (long)task.rows[CONTACTS].most + task.rows[SPRINGS].most;
    prc_each(device_of(&task.view), "cg: rings", n, [=] PRC_DEVICE(int i) {
        if (slot[PRC_SLOT_GOES_ON] != 0)
            ring_item(&task, before, next, (prc_real)slot[PRC_SLOT_BETA], i);
    });
    prc_each(device_of(&task.view), "cg: rows", most, [=] PRC_DEVICE(int r) {
        const row_counts rows = count_rows(&task);
        if (slot[PRC_SLOT_GOES_ON] != 0 && r < rows.contacts + rows.springs)
            row_item(&task, rows.contacts, (prc_real)slot[PRC_SLOT_BETA], r);
    });
}

/* q = H p, and alpha. Begins where the rings ended, which the cache still has. */
static void product_phase(const linear_task &task, const prc_real *direction)
{
    double *slot = task.view.slot;
    prc_each_summed<1>(
        device_of(&task.view), "cg: product", task.view.padded_count,
        [=] PRC_DEVICE(int i, double *sums) {
            if (slot[PRC_SLOT_GOES_ON] != 0)
                sums[0] += product_item(&task, count_rows(&task), direction, item_backwards(&task.view, i));
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
                sums[0] += advance_item(&task, count_rows(&task), direction, (prc_real)slot[PRC_SLOT_ALPHA], i);
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
    prc_each_summed<3>(
        d, "cg: end", v->padded_count,
        [=] PRC_DEVICE(int i, double *sums) { leave_item(&task, count_rows(&task), i, sums); },
        [=] PRC_DEVICE(const double *sums) { leave_sums(&task, sums); });
}

#endif
