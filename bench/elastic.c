/* bench/elastic.c — `percale bench elastic`: how fast the elastic solver is on this machine.
 *
 * Three tables, printed and written as JSON: the kernels (gradient, product) against the copy bandwidth measured in the
 * same run; whole converged steps of the default solver over mesh sizes and time steps; iterations that each method
 * needs for an energy error of 1e-4. Then the bars that the project holds itself to. Times are the best of several
 * repetitions (kernels) or means (steps); on a shared machine only ratios within one run mean much.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cloth.h"
#include "report.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/sim.h"

static const char help[] =
    "percale bench elastic [options]    measure the elastic solver on this machine\n\n  --quick            small "
    "meshes, few repetitions: one minute\n  --threads N        threads of the many-thread columns (default: all "
    "processors)\n  --json FILE        output file (default: bench.json)\n\nPrints kernels, steps and iteration "
    "counts, then the performance targets; the exit status is 1 if one is missed.\n";

typedef struct bench {
    prc_bench base;
    double copy[2];        /* bytes per second read and written by a copy with one thread and with all */
    double gradient[2][2]; /* seconds per vertex at the size of the bar: [precision][one thread, all] */
    double step_cost[2];   /* seconds per vertex of a converged step at 1e-2: small and large cloth */
} bench;

/* --- kernels --- */

static double time_gradient(prc_sim *sim, int repeats)
{
    double best = INFINITY;
    for (int k = 0; k < repeats; k++) {
        double start = prc_seconds();
        prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, false);
        best = fmin(best, prc_seconds() - start);
    }
    return best;
}

static double time_product(prc_sim *sim, int repeats)
{
    double best = INFINITY;
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    for (int k = 0; k < repeats; k++) {
        double start = prc_seconds();
        prc_product(sim, PRC_FIELD_gradient, PRC_FIELD_product);
        best = fmin(best, prc_seconds() - start);
    }
    return best;
}

static void kernel_row(bench *b, const char *kernel, const prc_sim *sim, const prc_bench_cloth *cloth, double seconds,
                       double bytes)
{
    const double vertices = sim->model.vertex_count, rate = bytes / seconds, share = rate / b->copy[cloth->threads > 1];
    const char *precision = cloth->precision == PRC_PRECISION_SINGLE ? "single" : "double";
    printf("  %-9s %4d² %-7s %2d %9.3f %9.1f %9.1f %8.1f %7.0f %%\n", kernel, cloth->cells, precision, cloth->threads,
           1e3 * seconds, 1e9 * seconds / vertices, 1e-6 * vertices / seconds, 1e-9 * rate, 100 * share);
    prc_json_object(&b->base.json, NULL);
    prc_json_text(&b->base.json, "kernel", kernel);
    prc_json_int(&b->base.json, "cells", cloth->cells);
    prc_json_text(&b->base.json, "precision", precision);
    prc_json_int(&b->base.json, "threads", cloth->threads);
    prc_json_real(&b->base.json, "seconds", seconds);
    prc_json_real(&b->base.json, "vertices_per_second", vertices / seconds);
    prc_json_real(&b->base.json, "bytes_counted", bytes);
    prc_json_real(&b->base.json, "share_of_copy_bandwidth", share);
    prc_json_end(&b->base.json);
}

static bool bench_kernels(bench *b, prc_error *error)
{
    static const int sizes[] = {50, 100, 200, 400};
    printf("Kernels (best of many)\n  kernel    cloth  reals  threads   ms  ns/vertex  Mvertex/s    GB/s  of copy\n");
    prc_json_array(&b->base.json, "kernels");
    for (size_t s = 0; s < (b->base.quick ? 3 : 4); s++)
        for (int precision = 0; precision < 2; precision++)
            for (int many = 0; many < 2; many++) {
                prc_bench_cloth cloth = prc_bench_cloth_default();
                cloth.cells = sizes[s];
                cloth.precision = precision ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE;
                cloth.threads = many ? b->base.threads : 1;
                prc_sim *sim = prc_bench_cloth_create(&cloth, error);
                if (!sim)
                    return false;
                prc_sim_step(sim, NULL, NULL); /* warm, and a state that is not flat */
                prc_step_begin(sim);
                const int repeats = 4000000 / (cloth.cells * cloth.cells) / (b->base.quick ? 4 : 1) + 5;
                const double gradient = time_gradient(sim, repeats);
                kernel_row(b, "gradient", sim, &cloth, gradient, prc_bench_gradient_bytes(sim));
                kernel_row(b, "product", sim, &cloth, time_product(sim, repeats), prc_bench_product_bytes(sim));
                prc_sim_destroy(sim);
            }
    prc_json_end(&b->base.json);
    return true;
}

/* The gradient at the size of the bars: both precisions, one thread and all, in turns, so that whatever else the
 * machine does meets all four alike; the best of each. */
static bool bench_ratios(bench *b, prc_error *error)
{
    prc_sim *sims[2][2] = {{NULL}};
    bool ok = true;
    for (int k = 0; ok && k < 4; k++) {
        prc_bench_cloth cloth = prc_bench_cloth_default();
        cloth.cells = 200;
        cloth.precision = k / 2 ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE;
        cloth.threads = k % 2 ? b->base.threads : 1;
        prc_sim *sim = sims[k / 2][k % 2] = prc_bench_cloth_create(&cloth, error);
        b->gradient[k / 2][k % 2] = INFINITY;
        ok = sim && prc_sim_step(sim, NULL, error) == PRC_OK;
        if (ok)
            prc_step_begin(sim);
    }
    for (int repeat = 0; ok && repeat < (b->base.quick ? 60 : 300); repeat++)
        for (int k = 0; k < 4; k++) {
            prc_sim *sim = sims[k / 2][k % 2];
            const double seconds = time_gradient(sim, 4) / sim->model.vertex_count;
            b->gradient[k / 2][k % 2] = fmin(b->gradient[k / 2][k % 2], seconds);
        }
    for (int k = 0; k < 4; k++)
        prc_sim_destroy(sims[k / 2][k % 2]);
    return ok;
}

/* --- whole steps --- */

static void step_row(bench *b, const prc_bench_cloth *cloth, const prc_bench_steps *t, int vertices)
{
    const double n = t->steps;
    const char *precision = cloth->precision == PRC_PRECISION_SINGLE ? "single" : "double";
    printf("  %4d² %7.0e %-7s %6.1f %7.1f %9.2f %9.0f   %4.0f %4.0f %4.0f %4.0f %%  %d\n", cloth->cells, cloth->step,
           precision, t->iterations / n, t->inner / n, 1e3 * t->seconds / n, 1e9 * t->seconds / n / vertices,
           100 * t->gradient / t->seconds, 100 * t->product / t->seconds, 100 * t->preconditioner / t->seconds,
           100 * t->setup / t->seconds, t->unconverged);
    prc_json_object(&b->base.json, NULL);
    prc_json_int(&b->base.json, "cells", cloth->cells);
    prc_json_real(&b->base.json, "step", cloth->step);
    prc_json_text(&b->base.json, "precision", precision);
    prc_json_real(&b->base.json, "iterations", t->iterations / n);
    prc_json_real(&b->base.json, "inner_iterations", t->inner / n);
    prc_json_real(&b->base.json, "seconds_per_step", t->seconds / n);
    prc_json_real(&b->base.json, "seconds_per_iteration", t->seconds / t->iterations);
    prc_json_real(&b->base.json, "vertex_iterations_per_second", (double)vertices * t->inner / t->seconds);
    prc_json_int(&b->base.json, "unconverged_steps", t->unconverged);
    prc_json_end(&b->base.json);
}

static bool bench_steps(bench *b, prc_error *error)
{
    static const int sizes[] = {50, 100, 200};
    static const double steps[] = {1e-3, 1e-2};
    printf("\nConverged steps (newton, tolerance 1e-4 m/s, %d threads, mean over a fall of 0.2 s)\n"
           "  cloth     dt  reals    outer   inner   ms/step ns/vertex   grad prod prec setup   not converged\n",
           b->base.threads);
    prc_json_array(&b->base.json, "steps");
    for (int precision = 0; precision < 2; precision++)
        for (size_t d = 0; d < 2; d++)
            for (size_t s = 0; s < 3; s++) {
                prc_bench_cloth cloth = prc_bench_cloth_default();
                cloth.cells = sizes[s];
                cloth.step = steps[d];
                cloth.precision = precision ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE;
                cloth.threads = b->base.threads;
                prc_sim *sim = prc_bench_cloth_create(&cloth, error);
                prc_bench_steps t;
                if (!sim ||
                    prc_bench_step(sim, (int)lround((b->base.quick ? 0.05 : 0.2) / cloth.step), &t, error) != PRC_OK) {
                    prc_sim_destroy(sim);
                    return false;
                }
                step_row(b, &cloth, &t, sim->model.vertex_count);
                if (precision == 0 && d == 1 && s != 1)
                    b->step_cost[s / 2] = t.seconds / t.steps / sim->model.vertex_count;
                prc_sim_destroy(sim);
            }
    prc_json_end(&b->base.json);
    return true;
}

/* --- iterations per method --- */

/* Watches the energy of one step until its error is 1e-4 of the first. */
typedef struct energy_watch {
    double goal; /* 0: remember first and last only */
    double first, last;
    int iterations, inner; /* when the goal was met; −1 before */
} energy_watch;

static void watch(void *context, int iteration, int inner, double energy, double residual, double seconds)
{
    (void)residual;
    (void)seconds;
    energy_watch *w = context;
    if (iteration == 0)
        w->first = energy;
    w->last = energy;
    if (w->iterations < 0 && energy <= w->goal) {
        w->iterations = iteration;
        w->inner = inner;
    }
}

static bool watch_step(const prc_bench_cloth *cloth, energy_watch *w, prc_error *error)
{
    prc_sim *sim = prc_bench_cloth_create(cloth, error);
    if (!sim)
        return false;
    prc_sim_set_trace(sim, watch, w);
    prc_result result = prc_sim_step(sim, NULL, error);
    prc_sim_destroy(sim);
    return result == PRC_OK;
}

static bool method_row(bench *b, prc_bench_cloth cloth, const char *name, prc_error *error)
{
    static const int sizes[] = {20, 50, 100, 200};
    printf("  %-10s %5.0e", name, cloth.step);
    for (size_t s = 0; s < (b->base.quick ? 2 : 4); s++) {
        cloth.cells = sizes[s];
        prc_bench_cloth exact = cloth;
        exact.method = PRC_METHOD_NEWTON;
        exact.tolerance = 1e-9;
        energy_watch reference = {.goal = -INFINITY, .iterations = -1}, w = {.iterations = -1};
        if (!watch_step(&exact, &reference, error))
            return false;
        w.goal = reference.last + 1e-4 * (reference.first - reference.last);
        if (!watch_step(&cloth, &w, error))
            return false;
        char text[32] = ">";
        if (w.iterations >= 0)
            snprintf(text, sizeof text, w.inner > w.iterations ? "%d/%d" : "%d", w.iterations, w.inner);
        else
            snprintf(text, sizeof text, ">%d", cloth.max_iterations);
        printf(" %9s", text);
        fflush(stdout);
        prc_json_object(&b->base.json, NULL);
        prc_json_text(&b->base.json, "method", name);
        prc_json_int(&b->base.json, "cells", cloth.cells);
        prc_json_real(&b->base.json, "step", cloth.step);
        prc_json_int(&b->base.json, "iterations", w.iterations);
        prc_json_int(&b->base.json, "inner_iterations", w.inner);
        prc_json_end(&b->base.json);
    }
    printf("\n");
    return true;
}

static bool bench_methods(bench *b, prc_error *error)
{
    static const struct {
        prc_method method;
        const char *name;
    } methods[] = {
        {PRC_METHOD_SISSM, "sissm"},       {PRC_METHOD_JACOBI, "jacobi"}, {PRC_METHOD_CHEBYSHEV, "chebyshev"},
        {PRC_METHOD_ANDERSON, "anderson"}, {PRC_METHOD_NCG, "ncg"},       {PRC_METHOD_NEWTON, "newton"},
    };
    printf("\nIterations to an energy error of 1e-4 (cloth pulled by 10 %% along x; newton: outer/inner)\n"
           "  method        dt       20²       50²      100²      200²\n");
    prc_json_array(&b->base.json, "methods");
    for (int d = 0; d < 2; d++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
            prc_bench_cloth cloth = prc_bench_cloth_default();
            cloth.method = methods[m].method;
            cloth.step = d ? 1e-2 : 1e-3;
            cloth.stretch = 1.1;
            cloth.tolerance = 1e-9;
            cloth.threads = b->base.threads;
            cloth.max_iterations = 600;
            if (!method_row(b, cloth, methods[m].name, error))
                return false;
        }
    prc_json_end(&b->base.json);
    return true;
}

/* --- bars --- */

static void bench_bars(bench *b, double share)
{
    prc_bench_bars(&b->base);
    prc_bench_bar(&b->base, "gradient, 200², single, all threads: share of the copy bandwidth", share, 0.25, true);
    if (b->base.threads > 1)
        prc_bench_bar(&b->base, "gradient, 200², single: all threads against one",
                      b->gradient[0][0] / b->gradient[0][1], 1.7, true);
    prc_bench_bar(&b->base, "gradient, 200², all threads: single against double", b->gradient[1][1] / b->gradient[0][1],
                  1.6, true);
    prc_bench_bar(&b->base, "converged step at dt = 1e-2, cost per vertex: 200² against 50²",
                  b->step_cost[1] / b->step_cost[0], 2.5, false);
    prc_json_end(&b->base.json);
}

/* All tables; the share of the copy bandwidth is that of the gradient at 200² in single precision. */
static bool measure(prc_bench *base, prc_error *error)
{
    bench *b = (bench *)base;
    prc_json_text(&b->base.json, "backend", prc_backend_choose(PRC_BACKEND_CPU, PRC_PRECISION_SINGLE)->name);
    b->copy[0] = prc_bench_copy_bandwidth(1);
    b->copy[1] = prc_bench_copy_bandwidth(b->base.threads);
    printf("Copy bandwidth (read + write): %.1f GB/s with 1 thread, %.1f with %d; kernels: %s\n\n", 1e-9 * b->copy[0],
           1e-9 * b->copy[1], b->base.threads, prc_backend_choose(PRC_BACKEND_CPU, PRC_PRECISION_SINGLE)->name);
    prc_json_real(&b->base.json, "copy_bytes_per_second_one_thread", b->copy[0]);
    prc_json_real(&b->base.json, "copy_bytes_per_second", b->copy[1]);
    if (!bench_kernels(b, error) || !bench_ratios(b, error) || !bench_steps(b, error) || !bench_methods(b, error))
        return false;
    prc_bench_cloth cloth = prc_bench_cloth_default();
    cloth.cells = 200;
    cloth.precision = PRC_PRECISION_SINGLE;
    prc_sim *sim = prc_bench_cloth_create(&cloth, error);
    if (!sim)
        return false;
    const double seconds = b->gradient[0][1] * sim->model.vertex_count;
    bench_bars(b, prc_bench_gradient_bytes(sim) / seconds / b->copy[1]);
    prc_sim_destroy(sim);
    return true;
}

int prc_bench_elastic(int argc, char **argv)
{
    bench b = {.base = {.threads = omp_get_num_procs(), .path = "bench.json"}};
    const prc_bench_verb verb = {"elastic", help, NULL, measure};
    return prc_bench_run(&b.base, &verb, argc, argv);
}
