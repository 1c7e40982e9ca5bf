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
#include "base/memory.h"
#include "check/check.h"
#include "cloth.h"
#include "gpu_scenes.h"
#include "io/colliders.h"
#include "io/file.h"
#include "report.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/sim.h"

#define PROFILED 50 /* steps of the window that is timed kernel by kernel, at most */
#define SHOWN 24    /* kernels of a profile that are printed; all are written */
#define CELLS 1000  /* of a side of the cloth whose kernels are measured */
#define REPEATS 40  /* … so often between two looks at the clock */
#define THRESHOLD_STEPS 30

static const char help[] =
    "percale bench gpu [options]    measure whole steps on a GPU\n\n  --scene NAME       skirt, dress, cloths, tube, "
    "block, elastic or all (default: all but block); or threshold:\n                     a cloth over a ball in "
    "several sizes, on the GPU and on the CPU\n  --scale S          edges per length relative to full size; vertices "
    "scale with its square (default: 1)\n  --before N         steps before the measured window (default: that of the "
    "scene)\n  --save FILE        write the state at the start of the window\n  --from FILE        start the window "
    "from such a state, of the same scene and scale, from any backend\n  --steps N          steps of the window "
    "(default: that of the scene)\n  --checks N         number of checks for intersections, the last at the end "
    "(default: 3)\n  --backend NAME     cuda, cpu, device_on_host or auto (default: cuda)\n  --tolerance V      m/s "
    "(default: that of the scene)\n  --against-cpu N    N steps from the end of the window, on the GPU and on the CPU; "
    "for all scenes:\n                     percale bench gpu --against-cpu 3 --steps 3 --checks 1 --no-profile\n  "
    "--frames HOW       time every step of the window with a frame: asked (wait for it) or packed (as in a run)\n  "
    "--no-profile       skip the window in which each kernel is timed\n  --quick            scale 0.1 and short "
    "windows\n  --threads N        CPU threads (default: all processors)\n  --json FILE        output file (default: "
    "bench_gpu.json)\n\nPrints a table per scene, then the performance targets, which are for full size on a GPU; the "
    "exit status is 1 if\none is missed.\n";

/* The same steps here and on the CPU. */
typedef struct comparison {
    const char *name; /* of the scene */
    char cpu[100];
    int vertices;                               /* of cloth */
    double seconds, seconds_cpu, pairs, active; /* per step */
    double apart;                               /* of vertices in the end, m */
    bool sound;                                 /* all steps converged */
} comparison;

typedef struct bench {
    prc_bench base;
    const char *scene, *save, *from;
    prc_gpu_options options;
    int before, steps, checks, against; /* before, steps: −1 for the scene's */
    bool profile;
    prc_frames_how frames;
    double making; /* of the scene, s */
    double copy;   /* bytes per second read and written by a copy, where the simulations run; 0 before it is measured */
    struct {
        const char *name;
        double measured, bound;
        bool sound; /* converged in every step, without an intersection */
    } bars[8];
    int bar_count;
    comparison compared[8];
    int compared_count;
    double share[3]; /* of the kernels, of the speed of a copy; 0 where they were not measured */
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
        known = prc_gpu_scene_find(b->scene) || !strcmp(b->scene, "elastic") || !strcmp(b->scene, "threshold") ||
                !strcmp(b->scene, "all");
    } else if (!strcmp(argv[0], "--scale"))
        known = parse_positive(argv[1], &b->options.scale);
    else if (!strcmp(argv[0], "--tolerance"))
        known = parse_positive(argv[1], &b->options.tolerance);
    else if (!strcmp(argv[0], "--before"))
        known = parse_count(argv[1], &b->before);
    else if (!strcmp(argv[0], "--save") || !strcmp(argv[0], "--from")) {
        *(argv[0][2] == 's' ? &b->save : &b->from) = argv[1];
        known = true;
    } else if (!strcmp(argv[0], "--steps"))
        known = parse_count(argv[1], &b->steps) && b->steps > 0;
    else if (!strcmp(argv[0], "--checks"))
        known = parse_count(argv[1], &b->checks);
    else if (!strcmp(argv[0], "--against-cpu"))
        known = parse_count(argv[1], &b->against);
    else if (!strcmp(argv[0], "--frames")) {
        b->frames = !strcmp(argv[1], "packed") ? PRC_FRAMES_PACKED : PRC_FRAMES_ASKED;
        known = b->frames == PRC_FRAMES_PACKED || !strcmp(argv[1], "asked");
    } else if (!strcmp(argv[0], "--backend"))
        known = parse_backend(argv[1], &b->options.backend);
    return known ? 2 : 0;
}

/* --- a window of steps --- */

typedef struct window {
    int steps, converged;
    double *seconds; /* of each step, in the end in increasing order */
    double mean;
    double residual, decrement;                                                                /* largest, m/s */
    double iterations, inner, detections, extensions, halvings, cuts, substeps, pairs, active; /* per step */
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
    w->extensions += r->extensions;
    w->halvings += r->halvings;
    w->cuts += r->cuts;
    w->substeps += r->substeps;
    w->pairs += r->contact_pairs;
    w->active += r->active_contacts;
    w->smallest_gap = fmin(w->smallest_gap, r->smallest_gap);
}

static void finish_window(window *w)
{
    double *sums[] = {&w->mean,     &w->iterations, &w->inner,    &w->detections, &w->extensions,
                      &w->halvings, &w->cuts,       &w->substeps, &w->pairs,      &w->active};
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        *sums[k] /= w->steps;
    qsort(w->seconds, (size_t)w->steps, sizeof *w->seconds, compare_seconds);
}

/* What it finds of them in colliders. */
static prc_result check_colliders(prc_gpu_run *run, const bool *obstacle, window *w, prc_error *error)
{
    prc_check_collider_options options = prc_check_collider_options_default();
    prc_result result = PRC_OK;
    options.obstacle = obstacle;
    options.skip_distances = true;
    options.threads = run->sim->view.threads;
    for (int k = 0; k < run->sim->collider_count && !result; k++) {
        prc_check_collider collider;
        prc_check_collider_result found;
        if (!prc_collider_now(&run->sim->colliders[k], run->sim, k, &collider))
            return prc_fail(error, PRC_ERROR_STATE, "colliders[%d] cannot be checked", k);
        result = prc_check_colliders(prc_sim_positions(run->sim), run->vertex_count, run->triangles,
                                     run->triangle_count, &collider, 1, &options, &found, error);
        w->crossings += found.meetings;
        prc_check_collider_result_release(&found);
    }
    return result;
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
    prc_result status = prc_check_surfaces(prc_sim_positions(run->sim), run->vertex_count, run->triangles,
                                           run->triangle_count, &options, &result, error);
    if (status == PRC_OK) {
        w->checked++;
        w->crossings += result.crossings;
        prc_check_result_release(&result);
        status = check_colliders(run, obstacle, w, error);
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
        double seconds = prc_seconds() - start;
        if (run->frames) {
            result = prc_gpu_frames_open(run->frames, error);
            const double taking = prc_seconds();
            prc_gpu_frames_take(run->frames);
            seconds += prc_seconds() - taking;
        }
        add_step(w, &r, seconds);
        if (result != PRC_OK)
            break;
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
    printf("  per step          %.2f outer, %.1f inner, %.2f detections, %.2f extensions, %.2f halvings, %.2f cuts, "
           "%.2f sub-steps\n",
           w->iterations, w->inner, w->detections, w->extensions, w->halvings, w->cuts, w->substeps);
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
    prc_json_real(json, "extensions", w->extensions);
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

/* Some steps from one state on, here and on the CPU with all threads; each takes one before, which is not timed. */
static prc_result compare(const bench *b, const prc_gpu_scene *scene, const prc_gpu_options *options, prc_gpu_run *run,
                          comparison *c, prc_error *error)
{
    prc_gpu_options on_cpu = *options;
    on_cpu.backend = PRC_BACKEND_CPU;
    const size_t size = prc_sim_saved_size(run->sim);
    char *state = malloc(size);
    prc_gpu_run other = {0};
    window here = {0}, there = {0};
    prc_result result = state ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (result == PRC_OK) {
        prc_sim_save(run->sim, state);
        result = prc_gpu_scene_create(scene, &on_cpu, &other, error);
    }
    if (result == PRC_OK)
        result = prc_sim_restore(other.sim, state, size, error);
    if (result == PRC_OK)
        result = step_on(run, 1, error);
    if (result == PRC_OK)
        result = measure_window(run, b->against, 0, &here, error);
    if (result == PRC_OK)
        result = step_on(&other, 1, error);
    if (result == PRC_OK)
        result = measure_window(&other, b->against, 0, &there, error);
    if (result == PRC_OK) {
        const double *x = prc_sim_positions(run->sim), *y = prc_sim_positions(other.sim);
        *c = (comparison){.name = scene->name,
                          .vertices = run->elastic_count,
                          .seconds = here.mean,
                          .seconds_cpu = there.mean,
                          .pairs = here.pairs,
                          .active = here.active,
                          .sound = here.converged + there.converged == 2 * b->against};
        for (size_t k = 0; k < 3 * (size_t)run->vertex_count; k++)
            c->apart = fmax(c->apart, fabs(x[k] - y[k]));
        snprintf(c->cpu, sizeof c->cpu, "%s, %d threads", prc_sim_backend(other.sim), other.sim->view.threads);
    }
    free(here.seconds);
    free(there.seconds);
    free(state);
    prc_gpu_scene_release(&other);
    return result;
}

static void write_comparison(prc_json *json, const char *name, const comparison *c, int steps)
{
    prc_json_object(json, name);
    prc_json_text(json, "cpu", c->cpu);
    prc_json_int(json, "vertices", c->vertices);
    prc_json_int(json, "steps", steps);
    prc_json_real(json, "seconds", c->seconds);
    prc_json_real(json, "seconds_cpu", c->seconds_cpu);
    prc_json_real(json, "apart", c->apart);
    prc_json_end(json);
}

static prc_result against_cpu(bench *b, const prc_gpu_scene *scene, prc_gpu_run *run, prc_error *error)
{
    if (b->against == 0)
        return PRC_OK;
    comparison *c = &b->compared[b->compared_count];
    const prc_result result = compare(b, scene, &b->options, run, c, error);
    if (result != PRC_OK)
        return result;
    b->compared_count++;
    printf("  against the CPU   %.2f ms on the GPU, %.1f ms with %s: %.1f times; %.1e m apart after %d steps\n",
           1e3 * c->seconds, 1e3 * c->seconds_cpu, c->cpu, c->seconds_cpu / c->seconds, c->apart, b->against + 1);
    write_comparison(&b->base.json, "against_cpu", c, b->against);
    return PRC_OK;
}

/* All scenes once more, side by side. */
static void print_compared(const bench *b)
{
    if (b->compared_count < 2)
        return;
    printf("\nAgainst the CPU, %s: means of %d steps from the same state\n", b->compared[0].cpu, b->against);
    printf("  scene     vertices      pairs     CPU, ms    there, ms    times    m apart\n");
    for (int k = 0; k < b->compared_count; k++) {
        const comparison *c = &b->compared[k];
        printf("  %-8s %9d %10.0f %11.1f %12.2f %8.1f    %.1e%s\n", c->name, c->vertices, c->pairs,
               1e3 * c->seconds_cpu, 1e3 * c->seconds, c->seconds_cpu / c->seconds, c->apart,
               c->sound ? "" : "  NOT CONVERGED");
    }
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
    printf("Copy bandwidth (read + write) of the device, %s: %.0f GB/s\n", prc_sim_backend(sim), 1e-9 * b->copy);
    return device_memory(sim) - before;
}

/* The most that this process has had so far, bytes. */
static double host_memory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : 0;
}

static prc_result save_state(const char *path, prc_sim *sim, prc_error *error)
{
    const size_t size = prc_sim_saved_size(sim);
    char *state = malloc(size);
    if (!state)
        return PRC_FAIL_MEMORY(error);
    prc_sim_save(sim, state);
    prc_file *file = prc_file_open(path, error);
    if (file)
        prc_file_write(file, state, size);
    free(state);
    return file ? prc_file_commit(file, error) : PRC_ERROR_IO;
}

/* To where the window begins. */
static prc_result go_to_window(const bench *b, prc_gpu_run *run, int before, prc_error *error)
{
    prc_result result = PRC_OK;
    if (b->from) {
        char *state = NULL;
        size_t size;
        result = prc_file_read(b->from, &state, &size, error);
        if (result == PRC_OK)
            result = prc_sim_restore(run->sim, state, size, error);
        prc_free(state);
    } else
        result = step_on(run, before, error);
    return result == PRC_OK && b->save ? save_state(b->save, run->sim, error) : result;
}

static prc_result measure_run(bench *b, const prc_gpu_scene *scene, prc_gpu_run *run, prc_error *error)
{
    const double h = run->sim->def.time.step, shorter = b->base.quick ? 0.1 : 1;
    const int before = b->from ? 0 : b->before >= 0 ? b->before : (int)lround(shorter * scene->before / h);
    const int steps = b->steps > 0 ? b->steps : (int)fmax(1, round(shorter * scene->measured / h));
    const size_t given_back = need_copy_bandwidth(b, run->sim);
    printf("\n%s: %s; %d vertices (%d of cloth), %d triangles; h = %g s, tolerance %g m/s; %s\n", scene->name,
           scene->title, run->vertex_count, run->elastic_count, run->triangle_count, h, prc_sim_tolerance(run->sim),
           prc_sim_backend(run->sim));
    const double memory = host_memory();
    printf("  built in          %.1f s, with at most %.2f GB of host memory\n", b->making, 1e-9 * memory);
    fflush(stdout);
    window w = {0};
    prc_result result = go_to_window(b, run, before, error);
    if (result == PRC_OK && b->frames && !(run->frames = prc_gpu_frames_create(run->sim, b->frames, error)))
        result = PRC_ERROR_MEMORY;
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
            printf("  memory            %.3f GB on the device, %.2f kB per vertex\n", 1e-9 * held,
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

enum kernel { GRADIENT, TANGENT, PRODUCT };

static void call(prc_sim *sim, enum kernel kernel)
{
    if (kernel == PRODUCT)
        prc_product(sim, PRC_FIELD_gradient, PRC_FIELD_product);
    else
        prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, kernel == TANGENT);
}

/* Seconds per call, the best of some rows of calls. */
static double time_calls(prc_sim *sim, enum kernel kernel, int repeats)
{
    const prc_backend *backend = sim->model.backend;
    double best = INFINITY, slot;
    for (int row = 0; row < 6; row++) {
        backend->read(&sim->view, 0, 1, &slot);
        const double start = prc_seconds();
        for (int k = 0; k < repeats; k++)
            call(sim, kernel);
        backend->read(&sim->view, 0, 1, &slot);
        best = fmin(best, (prc_seconds() - start) / repeats);
    }
    return best;
}

/* Every half, with the time that events take at each launch. */
static void print_halves(bench *b, prc_sim *sim)
{
    prc_device_time t;
    if (!b->profile || !sim->device)
        return;
    prc_device_profile(sim->device, true);
    for (int k = 0; k < REPEATS; k++)
        for (int kernel = GRADIENT; kernel <= PRODUCT; kernel++)
            call(sim, (enum kernel)kernel);
    prc_device_profile(sim->device, false);
    for (int k = 0; prc_device_profile_next(sim->device, k, &t); k++)
        printf("    %-28s %9.1f µs each\n", t.name, 1e6 * t.seconds / (double)t.calls);
}

static void kernel_row(bench *b, prc_sim *sim, enum kernel kernel)
{
    static const char *const names[] = {"gradient", "gradient and tangent", "Hessian-vector product"};
    const char *name = names[kernel];
    const int repeats = b->base.quick ? 3 : REPEATS;
    const double seconds = time_calls(sim, kernel, repeats);
    const double bytes = kernel == GRADIENT  ? prc_bench_gradient_bytes(sim)
                         : kernel == TANGENT ? prc_bench_gradient_bytes(sim) + prc_bench_tangent_bytes(sim)
                                             : prc_bench_product_bytes(sim);
    b->share[kernel] = bytes / seconds / b->copy;
    printf("  %-24s %9.1f µs %8.1f bytes per vertex %8.0f GB/s %6.0f %% of a copy\n", name, 1e6 * seconds,
           bytes / sim->model.vertex_count, 1e-9 * bytes / seconds, 100 * b->share[kernel]);
    prc_json *json = &b->base.json;
    prc_json_object(json, NULL);
    prc_json_text(json, "kernel", name);
    prc_json_int(json, "vertices", sim->model.vertex_count);
    prc_json_int(json, "bonds", sim->view.bond_count);
    prc_json_real(json, "seconds", seconds);
    prc_json_real(json, "bytes_counted", bytes);
    prc_json_real(json, "share_of_copy_bandwidth", b->share[kernel]);
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
        kernel_row(b, sim, GRADIENT);
        kernel_row(b, sim, TANGENT);
        kernel_row(b, sim, PRODUCT);
        print_halves(b, sim);
        prc_json_end(&b->base.json);
    }
    prc_sim_destroy(sim);
    return result;
}

/* --- from which size on a GPU gains --- */

static prc_result compare_size(bench *b, int vertices, prc_error *error)
{
    const prc_gpu_scene *scene = &prc_gpu_drape;
    prc_gpu_options options = b->options;
    options.scale = sqrt(vertices / 10000.0);
    prc_gpu_run run;
    prc_result result = prc_gpu_scene_create(scene, &options, &run, error);
    if (result == PRC_OK)
        result = step_on(&run, b->before >= 0 ? b->before : (int)lround(scene->before / scene->step), error);
    comparison c = {0};
    if (result == PRC_OK)
        result = compare(b, scene, &options, &run, &c, error);
    if (result == PRC_OK) {
        printf("  %8d %10.0f %8.0f %11.2f %12.2f %8.2f%s\n", c.vertices, c.pairs, c.active, 1e3 * c.seconds_cpu,
               1e3 * c.seconds, c.seconds_cpu / c.seconds, c.sound ? "" : "  NOT CONVERGED");
        write_comparison(&b->base.json, NULL, &c, b->against);
    }
    prc_gpu_scene_release(&run);
    return result;
}

static prc_result measure_threshold(bench *b, prc_error *error)
{
    static const int sizes[] = {500, 1000, 2000, 3500, 5000, 7000, 10000, 20000};
    prc_result result = PRC_OK;
    b->against = b->against > 0 ? b->against : THRESHOLD_STEPS;
    printf("threshold: %s, mean of %d steps from the same state, with %d threads on the CPU\n", prc_gpu_drape.title,
           b->against, b->options.threads);
    printf("  vertices      pairs   active     CPU, ms    there, ms    times\n");
    prc_json_array(&b->base.json, "threshold");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes && result == PRC_OK; k++) {
        result = compare_size(b, (int)lround(b->options.scale * b->options.scale * sizes[k]), error);
        fflush(stdout);
    }
    prc_json_end(&b->base.json);
    return result;
}

/* --- all of it --- */

static void put_bars(bench *b)
{
    if (!has_bars(b))
        return;
    prc_bench_bars(&b->base);
    if (b->share[GRADIENT] > 0) {
        prc_bench_bar(&b->base, "gradient, 1M vertices, float: share of the copy bandwidth", b->share[GRADIENT], 0.5,
                      true);
        prc_bench_bar(&b->base, "product, 1M vertices, float: share of the copy bandwidth", b->share[PRODUCT], 0.5,
                      true);
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
    if (b->scene ? all || !strcmp(b->scene, "elastic") : b->against == 0)
        result = measure_elastic(b, error);
    if (b->scene && !strcmp(b->scene, "threshold"))
        result = measure_threshold(b, error);
    prc_json_array(&b->base.json, "scenes");
    for (int k = 0; k < prc_gpu_scene_count && result == PRC_OK; k++)
        if (b->scene ? all || !strcmp(b->scene, prc_gpu_scenes[k].name) : strcmp(prc_gpu_scenes[k].name, "block") != 0)
            result = measure_scene(b, &prc_gpu_scenes[k], error);
    prc_json_end(&b->base.json);
    prc_json_real(&b->base.json, "copy_bytes_per_second", b->copy);
    print_compared(b);
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
