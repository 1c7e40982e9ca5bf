/* step/descent.c — majorant Jacobi, plain or accelerated by Chebyshev or Anderson.
 *
 * One sweep is u −= D^-1 g with D the majorant diagonal (docs/theory.md, Eq. 5.3). It lowers the objective without a
 * line search, but the number of sweeps grows with the square of the resolution. Acceleration makes that linear:
 *   Chebyshev  move = ω f + (ω − 1) (move before), f = −D^-1 g; ω from an estimate of the spectral radius (Wang 2015)
 *   Anderson   the combination of past sweeps whose f is smallest (Walker and Ni 2011, type II, differences stored)
 * An accelerated move that fails the guard of step/progress.c is dropped: a plain sweep takes its place and the
 * acceleration starts afresh. So the radius may be estimated too large: 0.9999 costs nothing where 0.999 would do.
 * Once the first sweeps are done the diagonal is kept for a while: the same number of sweeps, each 1.6 times
 * cheaper. Kept from the start it would fail the guard while the cloth moves far.
 * Over-relaxed Chebyshev (f scaled by 1.7) was tried: faster on small meshes, fails on large ones.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/progress.h"
#include "step/solve.h"

#include <math.h>
#include <string.h>

#define FRESH_FIRST 32  /* sweeps at the start that each get a fresh diagonal */
#define REFRESH_EVERY 8 /* sweeps for which it is kept after that */
#define MOST_WINDOW 20  /* as the schema allows */
#define RIDGE 1e-8      /* of the small least-squares problem, relative to its trace */

/* Slots of sim->history: `window` differences of f, as many of u + f, and the last f. */
typedef struct anderson {
    int window, count, next; /* differences wanted and held; where the next one goes */
    bool has_before;         /* the last f and the last move are known */
    double gram[MOST_WINDOW][MOST_WINDOW];
} anderson;

typedef struct descent {
    int age;        /* sweeps made with this diagonal, the current one included */
    bool linearise; /* the next sweep wants a fresh one, and for that the tangent at its start */
    double omega;   /* Chebyshev's, of the move before; 0: there was none */
    anderson anderson;
} descent;

static void *slot(const prc_sim *sim, int k)
{
    return (char *)sim->history + sim->model.backend->real_size * 3 * (size_t)sim->view.padded_count * (size_t)k;
}

/* out = a·x + b·y for vectors that are not fields. */
static void combine(prc_sim *sim, double a, void *x, double b, void *y, void *out)
{
    prc_view *v = &sim->view;
    v->number[0] = a;
    v->number[1] = b;
    v->argument[0] = x;
    v->argument[1] = y;
    v->argument[2] = out;
    sim->model.backend->run(v, PRC_STAGE_combine);
}

/* x = A^-1 x by Cholesky, in place; false where A is not positive definite. */
static bool solve_small(int n, double a[MOST_WINDOW][MOST_WINDOW], double *x)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= a[i][k] * a[j][k];
            if (i == j && !(s > 0))
                return false;
            a[i][j] = i == j ? sqrt(s) : s / a[j][j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= a[i][k] * x[k];
        x[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            x[i] -= a[k][i] * x[k];
        x[i] /= a[i][i];
    }
    return true;
}

static void propose_plain(prc_sim *sim)
{
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_correction);
}

/* On entry the correction is the move before. */
static void propose_chebyshev(prc_sim *sim, descent *d)
{
    if (d->omega == 0) {
        d->omega = 1;
        propose_plain(sim);
        return;
    }
    const double square = sim->def.solver.chebyshev_radius * sim->def.solver.chebyshev_radius;
    d->omega = d->omega == 1 ? 2 / (2 - square) : 4 / (4 - square * d->omega);
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    prc_combine(sim, -d->omega, PRC_FIELD_preconditioned, d->omega - 1, PRC_FIELD_correction, PRC_FIELD_correction);
}

/* Takes f = −z and the move that led here into the differences. */
static void anderson_store(prc_sim *sim, anderson *a, void *z, void *move)
{
    void *before = slot(sim, 2 * a->window);
    if (a->has_before) {
        const int c = a->next;
        a->next = (c + 1) % a->window;
        a->count += a->count < a->window;
        combine(sim, -1, z, -1, before, slot(sim, c));
        combine(sim, 1, move, 1, slot(sim, c), slot(sim, a->window + c));
        for (int j = 0; j < a->count; j++)
            a->gram[c][j] = a->gram[j][c] = sim->model.backend->dot(&sim->view, slot(sim, c), slot(sim, j), NULL);
    }
    combine(sim, -1, z, 0, z, before);
    a->has_before = true;
}

/* On entry the correction is the move before. */
static void propose_anderson(prc_sim *sim, anderson *a)
{
    void *z = sim->view.field[PRC_FIELD_preconditioned], *move = sim->view.field[PRC_FIELD_correction];
    double matrix[MOST_WINDOW][MOST_WINDOW], share[MOST_WINDOW], trace = 0;
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    anderson_store(sim, a, z, move);
    for (int j = 0; j < a->count; j++) {
        share[j] = sim->model.backend->dot(&sim->view, slot(sim, j), slot(sim, 2 * a->window), NULL);
        trace += a->gram[j][j];
    }
    memcpy(matrix, a->gram, sizeof matrix);
    for (int j = 0; j < a->count; j++)
        matrix[j][j] += RIDGE * trace;
    prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_correction);
    if (!solve_small(a->count, matrix, share))
        return;
    for (int j = 0; j < a->count; j++)
        combine(sim, 1, move, -share[j], slot(sim, a->window + j), move);
}

/* True when the accelerated move was taken; else the acceleration has been reset. */
static bool move_accelerated(prc_sim *sim, descent *d)
{
    if (sim->def.solver.method == PRC_METHOD_CHEBYSHEV)
        propose_chebyshev(sim, d);
    else
        propose_anderson(sim, &d->anderson);
    double decrease = -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction);
    if (decrease > 0 && prc_move_try(sim, decrease, d->linearise))
        return true;
    sim->report.halvings++;
    d->omega = 1;
    d->anderson.count = d->anderson.next = 0;
    return false;
}

/* A plain sweep: with the diagonal at hand, and if that is old and fails, with a fresh one. */
static bool move_plain(prc_sim *sim, descent *d)
{
    propose_plain(sim);
    double decrease = prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    if (d->age == 1)
        return prc_move(sim, decrease, d->linearise);
    if (decrease > 0 && prc_move_try(sim, decrease, d->linearise))
        return true;
    sim->report.halvings++;
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
    d->age = 1;
    propose_plain(sim);
    return prc_move(sim, prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned), d->linearise);
}

void prc_solve_descent(prc_sim *sim)
{
    prc_progress progress;
    descent d;
    memset(&d, 0, sizeof d);
    d.anderson.window = sim->def.solver.anderson_window;
    d.linearise = true;
    prc_evaluate_first(sim);
    while (prc_progress_go_on(sim, &progress)) {
        if (d.linearise)
            prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
        d.age = d.linearise ? 1 : d.age + 1;
        d.linearise = sim->report.iterations + 1 < FRESH_FIRST || d.age >= REFRESH_EVERY;
        bool moved = sim->def.solver.method != PRC_METHOD_JACOBI && move_accelerated(sim, &d);
        if (!moved && !move_plain(sim, &d)) {
            prc_progress_stall(sim);
            break;
        }
        sim->report.iterations++;
    }
}
