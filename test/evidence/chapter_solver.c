/* evidence/chapter_solver.c — the machine around the physics: solvers agree, bits agree, single precision, recovery.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include "backend/backend.h"
#include "step/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A sheet held at two corners, falling. */
typedef struct hanging {
    prc_mesh mesh;
    prc_body_def body;
    prc_pin_def pin;
    int corners[2];
    prc_sim_def scene;
    int count;
} hanging;

static void hanging_open(hanging *h, int cells, double offset)
{
    const double axis[3] = {1, 0, 0}, shift[3] = {offset, -0.7 * offset, 0.4 * offset};
    h->mesh = ev_grid(1, 1, cells, cells, PRC_GRID_IRREGULAR, 8);
    h->count = 3 * h->mesh.vertex_count;
    h->pin = prc_pin_def_default();
    h->pin.vertices = h->corners;
    h->pin.vertex_count = 2;
    for (int i = 0; i < h->mesh.vertex_count; i++)
        for (int side = 0; side < 2; side++)
            if (hypot(h->mesh.positions[3 * i] - (side ? 0.5 : -0.5), h->mesh.positions[3 * i + 1] - 0.5) < 1e-9)
                h->corners[side] = i;
    prc_mesh_transform(&h->mesh, axis, 0, 1, shift);
    h->body = prc_body_def_default();
    h->body.mesh = &h->mesh;
    h->body.material.bending = 1e-4;
    h->scene = ev_sim_def(&h->body);
    h->scene.gravity[2] = -9.81;
    h->scene.pins = &h->pin;
    h->scene.pin_count = 1;
    h->scene.time.step = 4e-3;
}

static double *hanging_run(hanging *h, int steps, bool *converged)
{
    prc_sim *sim = ev_sim(&h->scene);
    double *x = EV_NEW(double, h->count);
    *converged = true;
    for (int k = 0; k < steps; k++) {
        prc_step_report r;
        ev_step(sim, &r);
        *converged &= r.converged;
    }
    memcpy(x, prc_sim_positions(sim), sizeof(double) * (size_t)h->count);
    prc_sim_destroy(sim);
    return x;
}

void ev_chapter_solvers(void)
{
    static const char *const names[] = {"newton", "ncg", "anderson", "chebyshev", "jacobi", "sissm"};
    hanging h;
    bool converged;
    hanging_open(&h, 10, 0);
    h.scene.solver.max_iterations = 20000;
    h.scene.solver.tolerance = 1e-10;
    h.scene.solver.inner_tolerance = 1e-3;
    double *reference = hanging_run(&h, 10, &converged), *x;
    h.scene.solver.tolerance = 1e-8;
    for (int method = PRC_METHOD_NEWTON; method <= PRC_METHOD_SISSM; method++)
        for (int levels = 0; levels < (method == PRC_METHOD_NEWTON ? 2 : 1); levels++) {
            char claim[120];
            h.scene.solver.method = (prc_method)method;
            h.scene.solver.preconditioner = levels ? PRC_PRECONDITIONER_MULTILEVEL : PRC_PRECONDITIONER_JACOBI;
            x = hanging_run(&h, 10, &converged);
            double error = ev_largest_difference(x, reference, h.count);
            snprintf(claim, sizeof claim, "%s%s: minimiser after 10 steps against newton at 1e-10, m%s", names[method],
                     levels ? " (multilevel)" : "", converged ? "" : " (a step not converged)");
            ev_row(claim, 0, error, converged ? error : INFINITY, 1e-6);
            free(x);
        }
    free(reference);
    prc_mesh_release(&h.mesh);
}

static void same_bits_row(const char *claim, const double *a, const double *b, int count)
{
    int different = 0;
    for (int k = 0; k < count; k++)
        different += memcmp(a + k, b + k, sizeof *a) != 0;
    ev_row(claim, 0, different, different, 0);
}

/* One thread against two and three, both precisions; large enough for the threads to be used. */
static void thread_rows(void)
{
    char claim[120];
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        hanging h;
        bool converged;
        hanging_open(&h, ev_quick ? 64 : 90, 0);
        h.scene.precision = (prc_precision)precision;
        h.scene.solver.tolerance = 1e-4;
        h.scene.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
        double *one = hanging_run(&h, 3, &converged);
        for (int threads = 2; threads <= 3; threads++) {
            h.scene.threads = threads;
            double *more = hanging_run(&h, 3, &converged);
            snprintf(claim, sizeof claim, "1 and %d threads, %s, %d vertices: numbers with different bits", threads,
                     precision == PRC_PRECISION_DOUBLE ? "double" : "single", h.mesh.vertex_count);
            same_bits_row(claim, one, more, h.count);
            free(more);
        }
        free(one);
        prc_mesh_release(&h.mesh);
    }
}

/* Energy, gradient and product of one disturbed sheet by every set of kernels this machine can run. The kernels of a
 * simulation are swapped in place: all of them share one memory layout. */
static void kernel_rows(void)
{
    char claim[160];
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        hanging h;
        hanging_open(&h, 20, 0);
        h.scene.precision = (prc_precision)precision;
        prc_sim *sim = ev_sim(&h.scene);
        double *x = EV_NEW(double, h.count), *results[2] = {EV_NEW(double, 2 * h.count), EV_NEW(double, 2 * h.count)};
        for (int k = 0; k < h.count; k++)
            x[k] = 1.05 * h.mesh.positions[k] + 0.01 * ev_random();
        const prc_backend *chosen = sim->model.backend, *other;
        for (int k = 0; (other = prc_backend_at((prc_precision)precision, k)) != NULL; k++) {
            double *to = results[k > 0];
            sim->model.backend = other;
            ev_energy(sim, x, NULL, to);
            ev_product(sim, x, h.mesh.positions, to + h.count);
            snprintf(claim, sizeof claim, "%s against %s: gradient and product, numbers with different bits",
                     other->name, chosen->name);
            if (k > 0)
                same_bits_row(claim, results[0], results[1], 2 * h.count);
        }
        sim->model.backend = chosen;
        prc_sim_destroy(sim);
        free(x);
        free(results[0]);
        free(results[1]);
        prc_mesh_release(&h.mesh);
    }
}

void ev_chapter_bits(void)
{
    thread_rows();
    kernel_rows();
}

void ev_chapter_precision(void)
{
    static const double offsets[] = {0, 10};
    double *at_origin = NULL;
    for (int k = 0; k < 2; k++) {
        hanging h;
        bool converged;
        char claim[120];
        hanging_open(&h, 20, offsets[k]);
        h.scene.solver.tolerance = 1e-8;
        double *exact = hanging_run(&h, 50, &converged);
        h.scene.solver.tolerance = 1e-5;
        h.scene.precision = PRC_PRECISION_SINGLE;
        double *rounded = hanging_run(&h, 50, &converged);
        double error = ev_largest_difference(exact, rounded, h.count);
        snprintf(claim, sizeof claim, "single against double, hanging sheet of 1 m after 0.2 s, %g m away: largest, m",
                 offsets[k]);
        ev_row(claim, 0, error, error, 2e-5);
        if (at_origin) {
            const double shift[3] = {offsets[k], -0.7 * offsets[k], 0.4 * offsets[k]};
            for (int i = 0; i < h.count; i++)
                rounded[i] -= shift[i % 3];
            error = ev_largest_difference(at_origin, rounded, h.count);
            ev_row("single precision, 10 m away against at the origin: largest, m", 0, error, error, 2e-5);
        }
        free(exact);
        free(at_origin);
        at_origin = rounded;
        prc_mesh_release(&h.mesh);
    }
    free(at_origin);
}

/* Every vertex thrown half an edge off its place, in and out of the plane; the sheet, left alone, comes back. */
void ev_chapter_noise(void)
{
    for (int irregular = 0; irregular < 2; irregular++) {
        const int cells = 12;
        prc_mesh mesh = ev_grid(1, 1, cells, cells, irregular ? PRC_GRID_IRREGULAR : PRC_GRID_REGULAR, 9);
        prc_body_def body = prc_body_def_default();
        body.mesh = &mesh;
        body.material.bending = 1e-3;
        prc_sim_def scene = ev_sim_def(&body);
        prc_sim *sim = ev_sim(&scene);
        double *x = EV_NEW(double, 3 * mesh.vertex_count), before, after;
        for (int i = 0; i < mesh.vertex_count; i++) {
            double way[3] = {2 * ev_random() - 1, 2 * ev_random() - 1, 2 * ev_random() - 1};
            double length = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) + 1e-12;
            for (int c = 0; c < 3; c++)
                x[3 * i + c] = mesh.positions[3 * i + c] + 0.5 / cells * way[c] / length;
        }
        ev_energy(sim, x, &before, NULL);
        ev_relax(&scene, x, 2e-3, 1e-9);
        ev_energy(sim, x, &after, NULL);
        char claim[120];
        snprintf(claim, sizeof claim, "noise of half an edge, %s: energy left / energy of the noise",
                 irregular ? "irregular" : "regular");
        ev_row(claim, 0, after / before, after / before, 1e-9);
        double worst = 0;
        for (int t = 0; t < mesh.triangle_count; t++)
            for (int e = 0; e < 3; e++) {
                const int a = mesh.triangles[3 * t + e], b = mesh.triangles[3 * t + (e + 1) % 3];
                double now = 0, rest = 0;
                for (int c = 0; c < 3; c++) {
                    now += (x[3 * a + c] - x[3 * b + c]) * (x[3 * a + c] - x[3 * b + c]);
                    rest += (mesh.positions[3 * a + c] - mesh.positions[3 * b + c]) *
                            (mesh.positions[3 * a + c] - mesh.positions[3 * b + c]);
                }
                worst = fmax(worst, fabs(sqrt(now / rest) - 1));
            }
        snprintf(claim, sizeof claim, "noise of half an edge, %s: largest change of an edge that is left",
                 irregular ? "irregular" : "regular");
        ev_row(claim, 0, worst, worst, 1e-4);
        prc_sim_destroy(sim);
        free(x);
        prc_mesh_release(&mesh);
    }
}
