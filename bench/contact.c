/* bench/contact.c — `percale bench contact`: what steps with contact cost, part by part.
 *
 * Cloths of several sizes are thrown over a ball, and stacks of several layers. Each is brought into contact by steps
 * to a loose tolerance; then a window of steps to the default one is measured. The cloth whose cost with contact is
 * held against that without is measured twice over the same window: as it is, and from the same state without contact
 * and ball, where the vertices that touch the ball are pinned instead. In full also a whole drape of a simulated
 * second. Times are processor time; parts are shares of the wall clock of the steps, which come to the same with one
 * thread. Leaves out obstacles that are meshes, and solvers other than the default. SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cloth.h"
#include "report.h"
#include "step/sim.h"

#define LOOSE 1e-2 /* m/s: on the way to the window */
#define LOOSE_ITERATIONS 15
#define BEFORE_SIZES 20  /* steps before the window: the skirt hangs halfway down */
#define BEFORE_STACKS 24 /* … the stack is draped */
#define MEASURED 6

static const char help[] =
    "percale bench contact [options]    measure steps with contact on this machine\n\n  --quick            small "
    "meshes, no whole drape: half a minute; targets are those of the smaller sizes\n  --threads N        default: 1; "
    "with more, times are sums over threads\n  --json FILE        output file (default: bench_contact.json)\n\nPrints "
    "the time of each part of a step, then the performance targets; the exit status is 1 if one is missed. The\nfull "
    "benchmark takes some minutes.\n";

typedef struct bench {
    prc_bench base;
    double with, without;  /* contact: seconds per step of the middle size */
    double cost[2];        /* seconds per vertex and step: smallest and largest cloth */
    double broad;          /* largest share of the broad phase in any row */
    double layer_outer[2]; /* outer iterations per step of the last two stacks */
    double drape_cpu;      /* seconds of the whole drape; 0 where it is not measured */
} bench;

/* --- rows --- */

static void head(const char *title)
{
    printf("%s\n"
           "                 outer  inner detect active  ms/step  µs/vertex  broad  ccd bounds forces linear grad setup"
           "   not converged\n",
           title);
}

static void row(bench *b, const char *name, const prc_bench_steps *t, int vertices)
{
    const double n = t->steps, share = 100 / t->seconds;
    printf("  %-14s %5.1f %6.0f %6.1f %6.0f %8.1f %10.2f %5.0f %4.0f %6.0f %6.0f %6.0f %4.0f %4.0f %%   %d of %d\n",
           name, t->iterations / n, t->inner / n, t->detections / n, t->active / n, 1e3 * t->cpu / n,
           1e6 * t->cpu / n / vertices, share * t->broad, share * t->ccd, share * t->bounds, share * t->forces,
           share * t->linear, share * t->gradient, share * t->setup, t->unconverged, t->steps);
    b->broad = fmax(b->broad, t->broad / t->seconds);
    prc_json *json = &b->base.json;
    prc_json_object(json, NULL);
    prc_json_text(json, "name", name);
    prc_json_int(json, "vertices", vertices);
    prc_json_int(json, "steps", t->steps);
    prc_json_int(json, "unconverged_steps", t->unconverged);
    prc_json_real(json, "iterations", t->iterations / n);
    prc_json_real(json, "inner_iterations", t->inner / n);
    prc_json_real(json, "halvings", t->halvings / n);
    prc_json_real(json, "detections", t->detections / n);
    prc_json_real(json, "active_contacts", t->active / n);
    prc_json_real(json, "cuts", t->cuts / n);
    prc_json_real(json, "cpu_seconds_per_step", t->cpu / n);
    prc_json_real(json, "wall_seconds_per_step", t->seconds / n);
    prc_json_real(json, "share_broad", t->broad / t->seconds);
    prc_json_real(json, "share_ccd", t->ccd / t->seconds);
    prc_json_real(json, "share_bounds", t->bounds / t->seconds);
    prc_json_real(json, "share_forces", t->forces / t->seconds);
    prc_json_real(json, "share_linear", t->linear / t->seconds);
    prc_json_real(json, "share_product", t->product / t->seconds);
    prc_json_real(json, "share_gradient", t->gradient / t->seconds);
    prc_json_real(json, "share_setup", t->setup / t->seconds);
    prc_json_end(json);
}

/* --- windows --- */

/* A drape after `count` steps to the loose tolerance, ready to be measured. */
static prc_sim *prepare(const prc_bench_drape *drape, int count, prc_error *error)
{
    prc_sim *sim = prc_bench_drape_create(drape, error);
    if (!sim)
        return NULL;
    const prc_solver_def solver = sim->def.solver;
    sim->def.solver.tolerance = LOOSE;
    sim->def.solver.max_iterations = LOOSE_ITERATIONS;
    prc_bench_steps ignored;
    if (prc_bench_step(sim, count, &ignored, error) != PRC_OK) {
        prc_sim_destroy(sim);
        return NULL;
    }
    sim->def.solver = solver;
    return sim;
}

/* The same cloth in the same state and motion, without contact; what touches the ball is pinned. */
static prc_sim *without_contact(prc_bench_drape drape, prc_sim *sim, prc_error *error)
{
    const int n = prc_sim_vertex_count(sim);
    const double *x = prc_sim_positions(sim), reach = drape.radius + drape.thickness / 2 + sim->contact.def.d_hat;
    int *held = malloc(sizeof *held * (size_t)n);
    prc_sim *other = NULL;
    drape.held_count = 0;
    for (int i = 0; held && i < n; i++)
        if (sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) < reach)
            held[drape.held_count++] = i;
    drape.held = held;
    drape.contact = false;
    if (held)
        other = prc_bench_drape_create(&drape, error);
    if (other && prc_sim_set_state(other, x, prc_sim_velocities(sim), error) != PRC_OK) {
        prc_sim_destroy(other);
        other = NULL;
    }
    free(held);
    return other;
}

/* Measures one drape, and its counterpart without contact where `without` is given. */
static bool window(bench *b, const prc_bench_drape *drape, const char *name, int before, int count,
                   prc_bench_steps *with, prc_bench_steps *without, prc_error *error)
{
    prc_sim *sim = prepare(drape, before, error), *other = NULL;
    bool ok = sim && (!without || (other = without_contact(*drape, sim, error)));
    ok = ok && prc_bench_step(sim, count, with, error) == PRC_OK;
    if (ok)
        row(b, name, with, prc_sim_vertex_count(sim));
    if (ok && without) {
        ok = prc_bench_step(other, count, without, error) == PRC_OK;
        if (ok)
            row(b, "  no contact", without, prc_sim_vertex_count(other));
    }
    prc_sim_destroy(other);
    prc_sim_destroy(sim);
    return ok;
}

/* --- tables --- */

static const int full_sizes[] = {50, 100, 200}, quick_sizes[] = {25, 50};
static const int full_stacks[] = {1, 3, 10}, quick_stacks[] = {1, 3};

static bool bench_sizes(bench *b, prc_error *error)
{
    const bool quick = b->base.quick;
    const int *sizes = quick ? quick_sizes : full_sizes, count = quick ? 2 : 3;
    head("Cloth of 1 m thrown over a ball of 0.25 m at 2 m/s (6 steps of 1/240 s, from 0.083 s on)");
    prc_json_array(&b->base.json, "sizes");
    for (int s = 0; s < count; s++) {
        prc_bench_drape drape = prc_bench_drape_default();
        drape.vertices = sizes[s];
        drape.speed = 2;
        drape.threads = b->base.threads;
        prc_bench_steps with, without;
        char name[16];
        snprintf(name, sizeof name, "%d²", sizes[s]);
        const bool compare = s == 1; /* 100², or 50² */
        if (!window(b, &drape, name, BEFORE_SIZES, MEASURED, &with, compare ? &without : NULL, error))
            return false;
        if (compare) {
            b->with = with.cpu / with.steps;
            b->without = without.cpu / without.steps;
        }
        b->cost[s > 0] = with.cpu / with.steps / (sizes[s] * sizes[s]);
    }
    prc_json_end(&b->base.json);
    return true;
}

static bool bench_stacks(bench *b, prc_error *error)
{
    const bool quick = b->base.quick;
    const int *stacks = quick ? quick_stacks : full_stacks, count = quick ? 2 : 3;
    char title[160];
    snprintf(
        title, sizeof title,
        "\nLayers of %d² vertices, 0.6 m, thrown over a ball of 0.2 m at 1 m/s (%d steps of 1/240 s, from %.3f s on)",
        quick ? 16 : 24, MEASURED, BEFORE_STACKS / 240.0);
    head(title);
    prc_json_array(&b->base.json, "stacks");
    for (int s = 0; s < count; s++) {
        prc_bench_drape drape = prc_bench_drape_default();
        drape.vertices = quick ? 16 : 24;
        drape.layers = stacks[s];
        drape.size = 0.6;
        drape.radius = 0.2;
        drape.thickness = 3e-3;
        drape.speed = 1;
        drape.threads = b->base.threads;
        prc_bench_steps steps;
        char name[16];
        snprintf(name, sizeof name, "%d layer%s", stacks[s], stacks[s] > 1 ? "s" : "");
        if (!window(b, &drape, name, BEFORE_STACKS, MEASURED, &steps, NULL, error))
            return false;
        b->layer_outer[0] = b->layer_outer[1];
        /* Iterations to tolerance: a step that stops before has no such number. */
        b->layer_outer[1] = steps.unconverged ? INFINITY : (double)steps.iterations / steps.steps;
    }
    prc_json_end(&b->base.json);
    return true;
}

/* A simulated second at the default tolerance, from just above the ball, at rest. */
static bool bench_drape(bench *b, prc_error *error)
{
    head("\nA whole drape: 90² vertices, from 5 mm above the ball, 1 s simulated");
    prc_json_array(&b->base.json, "drape");
    prc_bench_drape drape = prc_bench_drape_default();
    drape.vertices = 90;
    drape.threads = b->base.threads;
    prc_bench_steps steps;
    if (!window(b, &drape, "90²", 0, 240, &steps, NULL, error))
        return false;
    prc_json_end(&b->base.json);
    b->drape_cpu = steps.cpu;
    return true;
}

static void bars(bench *b)
{
    const bool quick = b->base.quick;
    const int *sizes = quick ? quick_sizes : full_sizes, *stacks = quick ? quick_stacks : full_stacks;
    const int last = quick ? 1 : 2;
    char claim[120];
    prc_bench_bars(&b->base);
    snprintf(claim, sizeof claim, "converged step at %d²: with contact against without", sizes[1]);
    prc_bench_bar(&b->base, claim, b->with / b->without, 6, false);
    snprintf(claim, sizeof claim, "cost per vertex and step: %d² against %d²", sizes[last], sizes[0]);
    prc_bench_bar(&b->base, claim, b->cost[1] / b->cost[0], 2, false);
    prc_bench_bar(&b->base, "broad phase: largest share of the steps in any row", b->broad, 0.35, false);
    snprintf(claim, sizeof claim, "outer iterations: %d layers against %d (inf: not all steps converge)", stacks[last],
             stacks[last - 1]);
    if (!quick) {
        prc_bench_bar(&b->base, claim, b->layer_outer[1] / b->layer_outer[0], 2.5, false);
        prc_bench_bar(&b->base, "8,100 vertices over a ball, 1 s simulated: processor seconds", b->drape_cpu, 90,
                      false);
    }
    prc_json_end(&b->base.json);
}

static bool measure(prc_bench *base, prc_error *error)
{
    bench *b = (bench *)base;
    if (!bench_sizes(b, error) || !bench_stacks(b, error) || (!base->quick && !bench_drape(b, error)))
        return false;
    bars(b);
    return true;
}

int prc_bench_contact(int argc, char **argv)
{
    bench b = {.base = {.threads = 1, .path = "bench_contact.json"}};
    const prc_bench_verb verb = {"contact", help, NULL, measure};
    return prc_bench_run(&b.base, &verb, argc, argv);
}
