/* bench/gpu.c — `percale bench gpu`: what steps cost on a GPU, and where the time goes.
 *
 * Each scene of gpu_scenes.c is brought to where contact is what it is about; then every step of a window is timed, by
 * the wall clock: a step ends with numbers that the host reads, so nothing is left under way. Beside the times stand
 * what was reached (residual, steps that did not converge) and what the independent checker says of the surfaces,
 * before, within and after the window. A second, short window is timed kernel by kernel, which costs some time itself.
 * The floor is the time in which the counted bytes would move at the speed of a copy measured in the same run. Runs on
 * the CPU too, for comparison. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "backend/device.h"
#include "base/error.h"
#include "check/check.h"
#include "cloth.h"
#include "gpu_scenes.h"
#include "report.h"
#include "step/sim.h"

#define PROFILED 50 /* steps of the window that is timed kernel by kernel, at most */
#define SHOWN 24    /* kernels of a profile that are printed; all are written */
#define CELLS 1000  /* of a side of the cloth whose kernels are measured */
#define REPEATS 40  /* … so often between two looks at the clock */

static const char help[] =
    "percale bench gpu [options]    measure whole steps on a GPU\n"
    "\n"
    "  --scene NAME       skirt, dress, cloths, tube, block, elastic or all (default: all but block)\n"
    "  --scale S          edges per length against full size; vertices go with its square (default: 1)\n"
    "  --before N         steps before the window (default: the scene's)\n"
    "  --steps N          steps of the window (default: the scene's)\n"
    "  --checks N         how often surfaces are checked for intersections, the end included (default: 3)\n"
    "  --backend NAME     cuda, cpu, device_on_host or auto (default: cuda)\n"
    "  --tolerance V      m/s (default: the scene's)\n"
    "  --against-cpu N    N steps from the end of the window on, there and on the CPU\n"
    "  --no-profile       leave out the window that is timed kernel by kernel\n"
    "  --quick            scale 0.1 and short windows\n"
    "  --threads N        of the CPU (default: all processors)\n"
    "  --json FILE        where the figures go (default: bench_gpu.json)\n"
    "\n"
    "Prints a table per scene, then the bars, which are those of full size on a GPU; the exit status is 1 if one is "
    "missed.\n";

typedef struct bench {
    prc_bench base;
    const char *scene;
    prc_gpu_options options;
    int before, steps, checks, against; /* before, steps: −1 for the scene's */
    bool profile;
    double making; /* of the scene, s */
    double copy;   /* bytes per second read and written by a copy, where the simulations run; 0 before it is measured */
    struct {
        const char *name;
        double measured, bound;
        bool sound; /* converged in every step, without an intersection */
    } bars[8];
    int bar_count;
    double share[2]; /* gradient and product: of the speed of a copy; 0 where they were not measured */
} bench;

static bool has_bars(const bench *b)
{
    return b->options.backend == PRC_BACKEND_CUDA && b->options.scale == 1;
}

/* --- options --- */

static bool parse_backend(const char *name, prc_backend_kind *kind)
{
    static const char *const names[] = {"auto", "cpu", "cuda", "device_on_host"};
    for (int k = 0; k < 4; k++)
        if (!strcmp(name, names[k])) {
            *kind = (prc_backend_kind)k;
            return true;
        }
    return false;
}

static bool parse_count(const char *text, int *count)
{
    char *end;
    const long value = strtol(text, &end, 10);
    *count = (int)value;
    return end != text && !*end && value >= 0 && value <= 1000000;
}

static bool parse_positive(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && *value > 0 && isfinite(*value);
}

static int option(prc_bench *base, int count, char **argv)
{
    bench *b = (bench *)base;
    if (!strcmp(argv[0], "--no-profile")) {
        b->profile = false;
        return 1;
    }
    if (count < 2)
        return 0;
    bool known = false;
    if (!strcmp(argv[0], "--scene")) {
        b->scene = argv[1];
        known = prc_gpu_scene_find(b->scene) || !strcmp(b->scene, "elastic") || !strcmp(b->scene, "all");
    } else if (!strcmp(argv[0], "--scale"))
        known = parse_positive(argv[1], &b->options.scale);
    else if (!strcmp(argv[0], "--tolerance"))
        known = parse_positive(argv[1], &b->options.tolerance);
    else if (!strcmp(argv[0], "--before"))
        known = parse_count(argv[1], &b->before);
    else if (!strcmp(argv[0], "--steps"))
        known = parse_count(argv[1], &b->steps) && b->steps > 0;
    else if (!strcmp(argv[0], "--checks"))
        known = parse_count(argv[1], &b->checks);
    else if (!strcmp(argv[0], "--against-cpu"))
        known = parse_count(argv[1], &b->against);
    else if (!strcmp(argv[0], "--backend"))
        known = parse_backend(argv[1], &b->options.backend);
    return known ? 2 : 0;
}

/* --- a window of steps --- */

typedef struct window {
    int steps, converged;
    double *seconds; /* of each step, in the end in increasing order */
    double mean;
    double residual, decrement;                                                    /* largest, m/s */
    double iterations, inner, detections, halvings, cuts, substeps, pairs, active; /* per step */
    int checked;
    long long crossings;
    double smallest_gap; /* m */
} window;

static double quantile(const window *w, double q)
{
    const int k = (int)ceil(q * w->steps) - 1;
    return w->seconds[k < 0 ? 0 : k];
}

static int compare_seconds(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void add_step(window *w, const prc_step_report *r, double seconds)
{
    w->seconds[w->steps++] = seconds;
    w->mean += seconds;
    w->converged += r->converged;
    w->residual = fmax(w->residual, r->residual);
    w->decrement = fmax(w->decrement, r->decrement);
    w->iterations += r->iterations;
    w->inner += r->inner_iterations;
    w->detections += r->detections;
    w->halvings += r->halvings;
    w->cuts += r->cuts;
    w->substeps += r->substeps;
    w->pairs += r->contact_pairs;
    w->active += r->active_contacts;
    w->smallest_gap = fmin(w->smallest_gap, r->smallest_gap);
}

static void finish_window(window *w)
{
    double *sums[] = {&w->mean, &w->iterations, &w->inner, &w->detections, &w->halvings,
                      &w->cuts, &w->substeps,   &w->pairs, &w->active};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        *sums[k] /= w->steps;
    qsort(w->seconds, (size_t)w->steps, sizeof *w->seconds, compare_seconds);
}

/* What the independent checker finds in the surfaces as they are. */
static prc_result check(prc_gpu_run *run, window *w, prc_error *error)
{
    bool *obstacle = calloc((size_t)run->vertex_count, sizeof *obstacle);
    if (!obstacle)
        return PRC_FAIL_MEMORY(error);
    for (int i = run->elastic_count; i < run->vertex_count; i++)
        obstacle[i] = true;
    prc_check_options options = prc_check_options_default();
    options.obstacle = obstacle;
    options.skip_distances = true;
    options.threads = run->sim->view.threads;
    prc_check_result result;
    const prc_result status = prc_check_surfaces(prc_sim_positions(run->sim), run->vertex_count, run->triangles,
                                                 run->triangle_count, &options, &result, error);
    if (status == PRC_OK) {
        w->checked++;
        w->crossings += result.crossings;
        prc_check_result_release(&result);
    }
    free(obstacle);
    return status;
}

static prc_result step_on(prc_gpu_run *run, int count, prc_error *error)
{
    prc_result result = PRC_OK;
    for (int k = 0; k < count && result == PRC_OK; k++)
        result = prc_sim_step(run->sim, NULL, error);
    return result;
}

/* Makes and times `count` steps, and checks surfaces `checks` times on the way, the last time at the end. */
static prc_result measure_window(prc_gpu_run *run, int count, int checks, window *w, prc_error *error)
{
    *w = (window){.seconds = malloc(sizeof(double) * (size_t)count), .smallest_gap = INFINITY};
    if (!w->seconds)
        return PRC_FAIL_MEMORY(error);
    prc_result result = PRC_OK;
    for (int k = 0; k < count && result == PRC_OK; k++) {
        prc_step_report r;
        const double start = prc_seconds();
        result = prc_sim_step(run->sim, &r, error);
        if (result != PRC_OK)
            break;
        add_step(w, &r, prc_seconds() - start);
        if ((long long)(k + 1) * checks / count > (long long)k * checks / count)
            result = check(run, w, error);
    }
    if (result == PRC_OK)
        finish_window(w);
    return result;
}

/* --- the floor --- */

/* Bytes that a step must move at least: one gradient per outer iteration, one product and the vectors per inner one,
 * and every contact read and written twice per outer iteration (its geometry, then its move). */
static double step_bytes(const prc_sim *sim, const window *w)
{
    return w->iterations * (prc_bench_gradient_bytes(sim) + w->pairs * 4.0 * sizeof(prc_contact)) +
           w->inner * (prc_bench_product_bytes(sim) + prc_bench_vector_bytes(sim));
}

/* --- tables --- */

static void print_window(const bench *b, const prc_gpu_run *run, const window *w)
{
    const double floor = step_bytes(run->sim, w) / b->copy;
    printf("  ms per step       mean %.3f  median %.3f  95 %% %.3f  smallest %.3f  largest %.3f\n", 1e3 * w->mean,
           1e3 * quantile(w, 0.5), 1e3 * quantile(w, 0.95), 1e3 * w->seconds[0], 1e3 * w->seconds[w->steps - 1]);
    printf("  reached           %d of %d steps converged, residual at most %.1e m/s, decrement %.1e\n", w->converged,
           w->steps, w->residual, w->decrement);
    printf("  surfaces          %lld intersections in %d states checked, smallest gap %.3g m\n", w->crossings,
           w->checked, w->smallest_gap);
    printf("  per step          %.2f outer, %.1f inner, %.2f detections, %.2f halvings, %.2f cuts, %.2f sub-steps\n",
           w->iterations, w->inner, w->detections, w->halvings, w->cuts, w->substeps);
    printf("  contact           %.0f pairs, %.0f active\n", w->pairs, w->active);
    printf("  floor by bytes    %.3f ms (%.1f MB per step): the step takes %.1f times that\n", 1e3 * floor,
           1e-6 * step_bytes(run->sim, w), w->mean / floor);
}

static void write_window(bench *b, const prc_gpu_run *run, const window *w)
{
    prc_json *json = &b->base.json;
    prc_json_int(json, "steps", w->steps);
    prc_json_int(json, "unconverged_steps", w->steps - w->converged);
    prc_json_real(json, "seconds_mean", w->mean);
    prc_json_real(json, "seconds_median", quantile(w, 0.5));
    prc_json_real(json, "seconds_95", quantile(w, 0.95));
    prc_json_real(json, "seconds_smallest", w->seconds[0]);
    prc_json_real(json, "seconds_largest", w->seconds[w->steps - 1]);
    prc_json_real(json, "largest_residual", w->residual);
    prc_json_real(json, "largest_decrement", w->decrement);
    prc_json_int(json, "states_checked", w->checked);
    prc_json_int(json, "intersections", w->crossings);
    prc_json_real(json, "smallest_gap", w->smallest_gap);
    prc_json_real(json, "iterations", w->iterations);
    prc_json_real(json, "inner_iterations", w->inner);
    prc_json_real(json, "detections", w->detections);
    prc_json_real(json, "halvings", w->halvings);
    prc_json_real(json, "cuts", w->cuts);
    prc_json_real(json, "substeps", w->substeps);
    prc_json_real(json, "contact_pairs", w->pairs);
    prc_json_real(json, "active_contacts", w->active);
    prc_json_real(json, "bytes_counted", step_bytes(run->sim, w));
    prc_json_real(json, "seconds_floor", step_bytes(run->sim, w) / b->copy);
}

/* Kernel by kernel, over steps of their own. */
static prc_result profile(bench *b, prc_gpu_run *run, int steps, prc_error *error)
{
    void *device = run->sim->device;
    if (!b->profile || !device)
        return PRC_OK;
    const prc_device_counts before = prc_device_count(device);
    prc_device_profile(device, true);
    const double start = prc_seconds();
    prc_result result = step_on(run, steps, error);
    const double wall = prc_seconds() - start;
    prc_device_profile(device, false);
    const prc_device_counts after = prc_device_count(device);
    double all = 0;
    prc_device_time t;
    for (int k = 0; prc_device_profile_next(device, k, &t); k++)
        all += t.seconds;
    const double launches = (double)(after.launches - before.launches) / steps,
                 waits = (double)(after.waits - before.waits) / steps;
    printf(
        "  kernel by kernel  %.3f ms per step in kernels, %.3f by the clock while timed; %.0f launches, %.1f waits\n",
        1e3 * all / steps, 1e3 * wall / steps, launches, waits);
    prc_json *json = &b->base.json;
    prc_json_real(json, "profile_seconds_kernels", all / steps);
    prc_json_real(json, "profile_seconds_wall", wall / steps);
    prc_json_real(json, "launches", launches);
    prc_json_real(json, "waits", waits);
    prc_json_array(json, "profile");
    for (int k = 0; prc_device_profile_next(device, k, &t); k++) {
        const double calls = (double)t.calls / steps, seconds = t.seconds / steps;
        if (k < SHOWN)
            printf("    %-28s %8.1f calls %9.1f µs  %5.1f %%  %7.2f µs each\n", t.name, calls, 1e6 * seconds,
                   100 * t.seconds / all, 1e6 * t.seconds / (double)t.calls);
        prc_json_object(json, NULL);
        prc_json_text(json, "kernel", t.name);
        prc_json_real(json, "calls", calls);
        prc_json_real(json, "seconds", seconds);
        prc_json_real(json, "share", t.seconds / all);
        prc_json_end(json);
    }
    prc_json_end(json);
    return result;
}

/* The same steps from the same state on the CPU, with all threads. */
static prc_result against_cpu(bench *b, const prc_gpu_scene *scene, prc_gpu_run *run, prc_error *error)
{
    if (b->against == 0)
        return PRC_OK;
    prc_gpu_options options = b->options;
    options.backend = PRC_BACKEND_CPU;
    const size_t size = prc_sim_saved_size(run->sim);
    char *state = malloc(size);
    prc_gpu_run other = {0};
    window here = {0}, there = {0};
    prc_result result = state ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (result == PRC_OK) {
        prc_sim_save(run->sim, state);
        result = prc_gpu_scene_create(scene, &options, &other, error);
    }
    if (result == PRC_OK)
        result = prc_sim_restore(other.sim, state, size, error);
    if (result == PRC_OK)
        result = measure_window(run, b->against, 0, &here, error);
    if (result == PRC_OK)
        result = measure_window(&other, b->against, 0, &there, error);
    if (result == PRC_OK) {
        const double *x = prc_sim_positions(run->sim), *y = prc_sim_positions(other.sim);
        double apart = 0;
        for (size_t k = 0; k < 3 * (size_t)run->vertex_count; k++)
            apart = fmax(apart, fabs(x[k] - y[k]));
        printf("  against the CPU   %.2f ms there, %.1f ms with %s and %d threads: %.1f times; %.1e m apart after %d "
               "steps\n",
               1e3 * here.mean, 1e3 * there.mean, prc_sim_backend(other.sim), other.sim->view.threads,
               there.mean / here.mean, apart, b->against);
        prc_json_object(&b->base.json, "against_cpu");
        prc_json_text(&b->base.json, "cpu", prc_sim_backend(other.sim));
        prc_json_int(&b->base.json, "threads", other.sim->view.threads);
        prc_json_int(&b->base.json, "steps", b->against);
        prc_json_real(&b->base.json, "seconds", here.mean);
        prc_json_real(&b->base.json, "seconds_cpu", there.mean);
        prc_json_real(&b->base.json, "apart", apart);
        prc_json_end(&b->base.json);
    }
    free(here.seconds);
    free(there.seconds);
    free(state);
    prc_gpu_scene_release(&other);
    return result;
}

static size_t device_memory(const prc_sim *sim)
{
    return sim->device ? prc_device_count(sim->device).memory : 0;
}

/* Returns the bytes that a device counts as held after it although they were given back. */
static size_t need_copy_bandwidth(bench *b, prc_sim *sim)
{
    if (b->copy > 0)
        return 0;
    const size_t before = device_memory(sim);
    b->copy = prc_bench_sim_copy_bandwidth(sim);
    printf("Copy (read + write) where it runs, %s: %.0f GB/s\n", prc_sim_backend(sim), 1e-9 * b->copy);
    return device_memory(sim) - before;
}

/* The most that this process has had so far, bytes. */
static double host_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static prc_result measure_run(bench *b, const prc_gpu_scene *scene, prc_gpu_run *run, prc_error *error)
{
    const double h = run->sim->def.time.step, shorter = b->base.quick ? 0.1 : 1;
    const int before = b->before >= 0 ? b->before : (int)lround(shorter * scene->before / h);
    const int steps = b->steps > 0 ? b->steps : (int)fmax(1, round(shorter * scene->measured / h));
    const size_t given_back = need_copy_bandwidth(b, run->sim);
    printf("\n%s: %s; %d vertices (%d of cloth), %d triangles; h = %g s, tolerance %g m/s; %s\n", scene->name,
           scene->title, run->vertex_count, run->elastic_count, run->triangle_count, h, prc_sim_tolerance(run->sim),
           prc_sim_backend(run->sim));
    const double memory = host_memory();
    printf("  made in           %.1f s, with at most %.2f GB of the host's memory\n", b->making, 1e-9 * memory);
    fflush(stdout);
    window w = {0};
    prc_result result = step_on(run, before, error);
    if (result == PRC_OK)
        result = measure_window(run, steps, b->checks, &w, error);
    if (result == PRC_OK) {
        prc_json *json = &b->base.json;
        print_window(b, run, &w);
        prc_json_object(json, NULL);
        prc_json_text(json, "scene", scene->name);
        prc_json_text(json, "backend", prc_sim_backend(run->sim));
        prc_json_int(json, "vertices", run->vertex_count);
        prc_json_int(json, "triangles", run->triangle_count);
        prc_json_real(json, "step", h);
        prc_json_real(json, "tolerance", prc_sim_tolerance(run->sim));
        prc_json_int(json, "steps_before", before);
        prc_json_real(json, "seconds_making", b->making);
        prc_json_real(json, "host_memory_making", memory);
        write_window(b, run, &w);
        if (run->sim->device) {
            const double held = (double)(device_memory(run->sim) - given_back);
            printf("  memory            %.3f GB of the device's, %.2f kB per vertex\n", 1e-9 * held,
                   1e-3 * held / run->vertex_count);
            prc_json_real(json, "device_memory", held);
        }
        result = profile(b, run, steps < PROFILED ? steps : PROFILED, error);
        if (result == PRC_OK)
            result = against_cpu(b, scene, run, error);
        prc_json_end(json);
    }
    if (result == PRC_OK && scene->bar > 0 && has_bars(b)) {
        b->bars[b->bar_count].name = scene->name;
        b->bars[b->bar_count].measured = w.mean;
        b->bars[b->bar_count].bound = scene->bar;
        b->bars[b->bar_count++].sound = w.converged == w.steps && w.crossings == 0;
    }
    free(w.seconds);
    return result;
}

static prc_result measure_scene(bench *b, const prc_gpu_scene *scene, prc_error *error)
{
    prc_gpu_run run;
    const double start = prc_seconds();
    prc_result result = prc_gpu_scene_create(scene, &b->options, &run, error);
    b->making = prc_seconds() - start;
    if (result == PRC_OK)
        result = measure_run(b, scene, &run, error);
    prc_gpu_scene_release(&run);
    return result;
}

/* --- elastic kernels --- */

/* Seconds per call, the best of some rows of calls. */
static double time_calls(prc_sim *sim, bool product, int repeats)
{
    const prc_backend *backend = sim->model.backend;
    double best = INFINITY, slot;
    for (int row = 0; row < 6; row++) {
        backend->read(&sim->view, 0, 1, &slot);
        const double start = prc_seconds();
        for (int k = 0; k < repeats; k++) {
            if (product)
                prc_product(sim, PRC_FIELD_gradient, PRC_FIELD_product);
            else
                prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, false);
        }
        backend->read(&sim->view, 0, 1, &slot);
        best = fmin(best, (prc_seconds() - start) / repeats);
    }
    return best;
}

static void kernel_row(bench *b, const prc_sim *sim, bool product, double seconds)
{
    const double bytes = product ? prc_bench_product_bytes(sim) : prc_bench_gradient_bytes(sim);
    const char *name = product ? "Hessian-vector product" : "gradient";
    b->share[product] = bytes / seconds / b->copy;
    printf("  %-24s %9.1f µs %8.1f bytes per vertex %8.0f GB/s %6.0f %% of a copy\n", name, 1e6 * seconds,
           bytes / sim->model.vertex_count, 1e-9 * bytes / seconds, 100 * b->share[product]);
    prc_json *json = &b->base.json;
    prc_json_object(json, NULL);
    prc_json_text(json, "kernel", name);
    prc_json_int(json, "vertices", sim->model.vertex_count);
    prc_json_int(json, "bonds", sim->view.bond_count);
    prc_json_real(json, "seconds", seconds);
    prc_json_real(json, "bytes_counted", bytes);
    prc_json_real(json, "share_of_copy_bandwidth", b->share[product]);
    prc_json_end(json);
}

static prc_result measure_elastic(bench *b, prc_error *error)
{
    prc_bench_cloth cloth = prc_bench_cloth_default();
    cloth.cells = (int)fmax(10, round(CELLS * b->options.scale));
    cloth.precision = PRC_PRECISION_SINGLE;
    cloth.threads = b->base.threads;
    cloth.backend = b->options.backend;
    prc_sim *sim = prc_bench_cloth_create(&cloth, error);
    if (!sim)
        return PRC_ERROR_INPUT;
    prc_result result = prc_sim_step(sim, NULL, error); /* warm, and a state that is not flat */
    if (result == PRC_OK) {
        need_copy_bandwidth(b, sim);
        printf("\nelastic: one evaluation, %d vertices, float; %s\n", sim->model.vertex_count, prc_sim_backend(sim));
        prc_json_array(&b->base.json, "kernels");
        prc_step_begin(sim);
        const int repeats = b->base.quick ? 3 : REPEATS;
        kernel_row(b, sim, false, time_calls(sim, false, repeats));
        prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
        kernel_row(b, sim, true, time_calls(sim, true, repeats));
        prc_json_end(&b->base.json);
    }
    prc_sim_destroy(sim);
    return result;
}

/* --- all of it --- */

static void put_bars(bench *b)
{
    if (!has_bars(b))
        return;
    prc_bench_bars(&b->base);
    if (b->share[0] > 0) {
        prc_bench_bar(&b->base, "gradient, 1M vertices, float: share of the copy bandwidth", b->share[0], 0.5, true);
        prc_bench_bar(&b->base, "product, 1M vertices, float: share of the copy bandwidth", b->share[1], 0.5, true);
    }
    for (int k = 0; k < b->bar_count; k++) {
        char claim[80];
        snprintf(claim, sizeof claim, "%s: ms per step, mean", b->bars[k].name);
        prc_bench_bar(&b->base, claim, 1e3 * b->bars[k].measured, 1e3 * b->bars[k].bound, false);
        snprintf(claim, sizeof claim, "%s: every step converged, no intersection", b->bars[k].name);
        prc_bench_bar(&b->base, claim, b->bars[k].sound, 1, true);
    }
    prc_json_end(&b->base.json);
}

static bool measure(prc_bench *base, prc_error *error)
{
    bench *b = (bench *)base;
    prc_result result = PRC_OK;
    b->options.threads = b->base.threads;
    if (b->base.quick && b->options.scale == 1)
        b->options.scale = 0.1;
    prc_json_real(&b->base.json, "scale", b->options.scale);
    const bool all = !b->scene || !strcmp(b->scene, "all");
    if (all || !strcmp(b->scene, "elastic"))
        result = measure_elastic(b, error);
    prc_json_array(&b->base.json, "scenes");
    for (int k = 0; k < prc_gpu_scene_count && result == PRC_OK; k++)
        if (b->scene ? all || !strcmp(b->scene, prc_gpu_scenes[k].name) : strcmp(prc_gpu_scenes[k].name, "block") != 0)
            result = measure_scene(b, &prc_gpu_scenes[k], error);
    prc_json_end(&b->base.json);
    prc_json_real(&b->base.json, "copy_bytes_per_second", b->copy);
    put_bars(b);
    return result == PRC_OK;
}

int prc_bench_gpu(int argc, char **argv)
{
    bench b = {.base = {.threads = omp_get_num_procs(), .path = "bench_gpu.json"},
               .options = prc_gpu_options_default(),
               .before = -1,
               .steps = -1,
               .checks = 3,
               .profile = true};
    b.options.backend = PRC_BACKEND_CUDA;
    const prc_bench_verb verb = {"gpu", help, option, measure};
    return prc_bench_run(&b.base, &verb, argc, argv);
}
