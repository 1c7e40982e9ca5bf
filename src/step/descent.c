/* step/descent.c — Jacobi, Chebyshev, Anderson.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
static double knob(const char*n,double d){const char*s=getenv(n);return s?atof(s):d;}

#define MOST_WINDOW 20
#define REFRESH_EVERY ((int)knob("REFRESH", 1))

typedef struct anderson {
    int window, count; /* count: differences kept */
    int next;
    bool has_before; /* the last move is in the history */
    double gram[MOST_WINDOW][MOST_WINDOW];
} anderson;

typedef struct descent {
    int age; /* iterations since the diagonal was made */
    double omega;
    anderson anderson;
} descent;

static void combine_at(prc_sim *sim, double a, void *x, double b, void *y, void *out)
{
    prc_view *v = &sim->view;
    v->number[0] = a;
    v->number[1] = b;
    v->argument[0] = x;
    v->argument[1] = y;
    v->argument[2] = out;
    sim->model.backend->run(v, PRC_STAGE_combine);
}

static void *slot(const prc_sim *sim, int k)
{
    return (char *)sim->history + sim->model.backend->real_size * 3 * (size_t)sim->view.padded_count * (size_t)k;
}

/* x = A^-1 b by Cholesky; false where A is not safely positive definite. */
static bool solve_small(int n, double a[MOST_WINDOW][MOST_WINDOW], double *x)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double s = a[i][j];
            for (int k = 0; k < j; k++)
                s -= a[i][k] * a[j][k];
            if (i == j && !(s > 0))
                return false;
            a[i][j] = i == j ? sqrt(s) : s / a[j][j];
        }
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

static bool propose_chebyshev(prc_sim *sim, descent *d)
{
    const double rho = sim->def.solver.chebyshev_radius;
    const double gam = knob("CHG", 1);
    if (d->omega == 0) { /* restarted: the next move is a plain one */
        d->omega = 1;
        prc_combine(sim, -gam, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_correction);
        return true;
    }
    d->omega = d->omega == 1 ? 2 / (2 - rho * rho) : 4 / (4 - rho * rho * d->omega);
    prc_combine(sim, -gam*d->omega, PRC_FIELD_preconditioned, d->omega - 1, PRC_FIELD_correction, PRC_FIELD_correction);
    return true;
}

static bool propose_anderson(prc_sim *sim, descent *d)
{
    anderson *a = &d->anderson;
    const prc_backend *backend = sim->model.backend;
    prc_view *v = &sim->view;
    void *z = v->field[PRC_FIELD_preconditioned], *step = v->field[PRC_FIELD_correction];
    void *before = slot(sim, 2 * a->window);
    void *w = (int)knob("ANDW",0) ? v->field[PRC_FIELD_mass] : NULL;
    if (a->has_before) {
        const int c = a->next;
        a->next = (a->next + 1) % a->window;
        if (a->count < a->window)
            a->count++;
        combine_at(sim, -1, z, -1, before, slot(sim, c));
        combine_at(sim, 1, step, 1, slot(sim, c), slot(sim, a->window + c));
        for (int j = 0; j < a->count; j++)
            a->gram[c][j] = a->gram[j][c] = backend->dot(v, slot(sim, c), slot(sim, j), w);
    }
    combine_at(sim, -1, z, 0, z, before);
    a->has_before = true;
    combine_at(sim, -1, z, 0, z, step);
    double m[MOST_WINDOW][MOST_WINDOW], x[MOST_WINDOW], trace = 0;
    for (int j = 0; j < a->count; j++) {
        x[j] = backend->dot(v, slot(sim, j), before, w);
        trace += a->gram[j][j];
    }
    memcpy(m, a->gram, sizeof m);
    for (int j = 0; j < a->count; j++)
        m[j][j] += knob("ANDR", 1e-12) * trace;
    if (a->count && solve_small(a->count, m, x))
        for (int j = 0; j < a->count; j++)
            combine_at(sim, 1, step, -x[j], slot(sim, a->window + j), step);
    return true;
}

static void restart(descent *d)
{
    d->omega = 0;
    d->anderson.count = d->anderson.next = 0;
}

static bool iterate(prc_sim *sim, descent *d)
{
    const int every = REFRESH_EVERY;
    const bool linearise = d->age + 1 >= every;
    prc_precondition(sim, PRC_FIELD_gradient, PRC_FIELD_preconditioned);
    if (sim->def.solver.method == PRC_METHOD_CHEBYSHEV)
        propose_chebyshev(sim, d);
    else if (sim->def.solver.method == PRC_METHOD_ANDERSON)
        propose_anderson(sim, d);
    bool moved = false;
    if (sim->def.solver.method != PRC_METHOD_JACOBI) {
        double decrease = -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction);
        moved = decrease > 0 && prc_move_try(sim, decrease, linearise);
        if (!moved) {
            restart(d);
            sim->report.halvings++;
        }
    }
    if (!moved) {
        prc_combine(sim, -1, PRC_FIELD_preconditioned, 0, PRC_FIELD_preconditioned, PRC_FIELD_correction);
        moved = prc_move(sim, -prc_inner(sim, PRC_FIELD_gradient, PRC_FIELD_correction), linearise);
        d->omega = 1;
    }
    if (moved && linearise) {
        prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
        d->age = 0;
    } else
        d->age++;
    return moved;
}

void prc_solve_descent(prc_sim *sim)
{
    descent d;
    memset(&d, 0, sizeof d);
    d.anderson.window = sim->def.solver.anderson_window;
    prc_progress progress;
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    prc_diagonal(sim, PRC_DIAGONAL_MAJORANT);
    while (prc_progress_go_on(sim, &progress)) {
        if (!iterate(sim, &d)) {
            prc_progress_stall(sim);
            break;
        }
        sim->report.iterations++;
    }
}
