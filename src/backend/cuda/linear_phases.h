/* backend/cuda/linear_phases.h — the conjugate gradients of linear.h, each phase a kernel of its own: part of
 * stages.cu.
 *
 * Where there is enough to do for all threads that a device holds at once, what counts is how many of them wait for
 * memory: those of the one cooperative kernel all have the registers of its largest phase, and so are a quarter of what
 * there could be. The host launches iterations as long as none of those that have ended was the last, and is never more
 * than AHEAD ahead of them; what was launched in vain does nothing.
 * Bonds are thin here (kernel/ring.h): what has this size is read from memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_LINEAR_PHASES_H
#define PRC_CUDA_LINEAR_PHASES_H

#define LARGE 100000   /* vertices from which on this is faster */
#define FEW_ROWS 16384 /* threads for rows, at least */
#define AHEAD 1        /* iterations: the one that runs is time enough to launch the next */

/* What a solve notes (prc_device_note): since its base the iterations that have been made; and ENDED more when it has
 * ended. */
#define ENDED ((uint64_t)1 << 31)

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

/* Nothing is left to do for the solve. */
struct has_ended {
    const double *slot;
    PRC_DEVICE bool operator()() const
    {
        return slot[PRC_SLOT_GOES_ON] == 0;
    }
};

static void start_phase(const linear_task &task, const prc_linear_job *job, uint64_t base)
{
    double *slot = task.view.slot;
    volatile uint64_t *note = prc_device_note(device_of(&task.view));
    const double accuracy = task.accuracy, least = task.enough;
    const int most = task.most;
    const auto finish = [=] PRC_DEVICE(const double *sums) {
        const double relative = sums[0] * accuracy * accuracy;
        slot[PRC_SLOT_LEFT] = sums[0];
        slot[PRC_SLOT_ENOUGH] = relative > least ? relative : least;
        slot[PRC_SLOT_BETA] = slot[PRC_SLOT_INNER] = 0;
        slot[PRC_SLOT_GOES_ON] = most > 0 && sums[0] > 0;
        if (slot[PRC_SLOT_GOES_ON] == 0)
            *note = base + ENDED;
    };
    const bool coarse = task.level_count > 0;
    prc_each_warp_summed<1>(
        device_of(&task.view), "cg: start", warps_of(&task.view),
        [=] PRC_DEVICE(const prc_warp &warp, int w, double *sums) {
            sums[0] += start_some(&task, warp, w, count_rows(&task));
        },
        [=] PRC_DEVICE(const double *sums) {
            if (!coarse)
                finish(sums);
        });
    if (coarse)
        coarse_phases(task, job, finish);
}

/* p_next = z + beta p_before (z where there is none): rows, whose threads wait most, and rings. How many rows there are
 * the host knows about only. */
static void ring_phase(const linear_task &task, const prc_linear_job *job, const prc_real *before, prc_real *next)
{
    const double *slot = task.view.slot;
    const int n = task.view.padded_count;
    long about = 0, most = (long)task.rows[CONTACTS].most + task.rows[SPRINGS].most;
    for (int k = 0; k < 2; k++)
        about += job->rows[k] ? job->rows[k]->count : 0;
    about = about > FEW_ROWS ? about : FEW_ROWS;
    const int threads = (int)((most < about ? most : about) + PRC_WARP - 1) / PRC_WARP * PRC_WARP;
    prc_each<4>(device_of(&task.view), "cg: rings", (long)threads + n, [=] PRC_DEVICE(int i) {
        const row_counts rows = count_rows(&task);
        if (slot[PRC_SLOT_GOES_ON] == 0)
            return;
        const prc_real beta = (prc_real)slot[PRC_SLOT_BETA];
        if (i >= threads)
            ring_item<true>(&task, before, next, beta, i - threads);
        for (int r = i; r < rows.contacts + rows.springs && i < threads; r += threads)
            row_item(&task, rows.contacts, beta, r);
    });
}

/* q = H p, and alpha. Begins where the rings ended, which the cache still has. */
static void product_phase(const linear_task &task, const prc_real *direction, uint64_t made)
{
    double *slot = task.view.slot;
    volatile uint64_t *note = prc_device_note(device_of(&task.view));
    const int last = warps_of(&task.view) - 1;
    prc_each_warp_summed<1, 4>(
        device_of(&task.view), "cg: product", last + 1L,
        [=] PRC_DEVICE(const prc_warp &warp, int w, double *sums) {
            sums[0] += product_some<true>(&task, warp, last - w, count_rows(&task), direction);
        },
        [=] PRC_DEVICE(const double *sums) {
            if (sums[0] > 0) {
                slot[PRC_SLOT_ALPHA] = slot[PRC_SLOT_LEFT] / sums[0];
            } else { /* only rounding can make a positive definite form vanish */
                slot[PRC_SLOT_GOES_ON] = 0;
                *note = made + ENDED;
            }
        },
        has_ended{slot});
}

/* x, r, z, and beta. */
static void advance_phase(const linear_task &task, const prc_linear_job *job, const prc_real *direction, uint64_t made)
{
    double *slot = task.view.slot;
    volatile uint64_t *note = prc_device_note(device_of(&task.view));
    const int most = task.most;
    const bool coarse = task.level_count > 0;
    const auto finish = [=] PRC_DEVICE(const double *sums) {
        if (slot[PRC_SLOT_GOES_ON] != 0) {
            slot[PRC_SLOT_BETA] = sums[0] / slot[PRC_SLOT_LEFT];
            slot[PRC_SLOT_LEFT] = sums[0];
            slot[PRC_SLOT_INNER] += 1;
            slot[PRC_SLOT_GOES_ON] = sums[0] > slot[PRC_SLOT_ENOUGH] && slot[PRC_SLOT_INNER] < most;
        }
        *note = made + (slot[PRC_SLOT_GOES_ON] != 0 ? 0 : ENDED);
    };
    prc_each_summed<1, 4>(
        device_of(&task.view), "cg: advance", task.view.padded_count,
        [=] PRC_DEVICE(int i, double *sums) {
            sums[0] += advance_item(&task, count_rows(&task), direction, (prc_real)slot[PRC_SLOT_ALPHA], i);
        },
        [=] PRC_DEVICE(const double *sums) {
            if (!coarse)
                finish(sums);
        },
        has_ended{slot});
    if (coarse)
        coarse_phases(task, job, finish);
}

static void solve_in_phases(const linear_task &task, const prc_linear_job *job)
{
    const prc_view *v = &task.view;
    prc_device *d = device_of(v);
    prc_real *next = (prc_real *)v->field[PRC_FIELD_direction],
             *before = (prc_real *)v->field[PRC_FIELD_direction_next];
    const volatile uint64_t *note = prc_device_note(d);
    const uint64_t base = prc_note_begin(d, 2 * ENDED);
    start_phase(task, job, base);
    for (int k = 0; k < task.most && *note < base + ENDED; k++) {
        ring_phase(task, job, k > 0 ? before : NULL, next);
        product_phase(task, next, base + (uint64_t)k + 1);
        advance_phase(task, job, next, base + (uint64_t)k + 1);
        prc_real *const swapped = before;
        before = next;
        next = swapped;
        if (k >= AHEAD && !prc_note_await(d, base + (uint64_t)(k - AHEAD) + 1))
            return;
    }
    prc_each_summed<3>(
        d, "cg: end", v->padded_count,
        [=] PRC_DEVICE(int i, double *sums) { leave_item(&task, count_rows(&task), i, sums); },
        [=] PRC_DEVICE(const double *sums) { leave_sums(&task, sums); });
}

#endif
