/* evidence/chapter_motion.c — motion: momentum, energy, order of accuracy in the time step.
 *
 * The reference of the order is the same semi-discrete system, M x'' = −∇E(x), integrated here by the classical
 * Runge–Kutta method with steps so small that its own error does not show.
 * SPDX-License-Identifier: Apache-2.0 */
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A free, flying, spinning, vibrating sheet. */
typedef struct flight {
    prc_mesh mesh;
    prc_body_def body;
    double *velocity;
    int count;
} flight;

static void flight_open(flight *f, int cells, double size)
{
    f->mesh = ev_grid(1, 1, cells, cells, PRC_GRID_IRREGULAR, 6);
    f->count = 3 * f->mesh.vertex_count;
    f->velocity = EV_NEW(double, f->count);
    for (int i = 0; i < f->mesh.vertex_count; i++) {
        const double *x = f->mesh.positions + 3 * i;
        f->velocity[3 * i] = size * (0.3 - 2 * x[1]);
        f->velocity[3 * i + 1] = size * (0.2 + 2 * x[0] - 0.5 * sin(EV_PI * x[1]));
        f->velocity[3 * i + 2] = size * (-0.4 + 0.6 * cos(EV_PI * x[0]) * cos(EV_PI * x[1]) + x[0] * x[1]);
    }
    f->body = prc_body_def_default();
    f->body.mesh = &f->mesh;
    f->body.material.stretch = 20;
    f->body.material.bending = 1e-2;
    f->body.vertex_velocity = f->velocity;
}

static void flight_close(flight *f)
{
    free(f->velocity);
    prc_mesh_release(&f->mesh);
}

static void add_momentum(prc_sim *sim, double linear[3], double angular[3], double *size)
{
    const int n = prc_sim_vertex_count(sim);
    const double *m = prc_sim_masses(sim), *x = prc_sim_positions(sim), *v = prc_sim_velocities(sim);
    for (int c = 0; c < 3; c++)
        linear[c] = angular[c] = 0;
    *size = 0;
    for (int i = 0; i < n; i++)
        for (int c = 0; c < 3; c++) {
            linear[c] += m[i] * v[3 * i + c];
            angular[c] += m[i] * (x[3 * i + (c + 1) % 3] * v[3 * i + (c + 2) % 3] -
                                  x[3 * i + (c + 2) % 3] * v[3 * i + (c + 1) % 3]);
            *size += m[i] * fabs(v[3 * i + c]);
        }
}

/* Steps; returns the largest change of momentum, relative; and for implicit Euler the largest Σ m x₁ × (v₁ − v₀), which
 * vanishes exactly when the elastic forces have no torque at the new positions. */
static double momentum_drift(prc_integrator integrator, prc_precision precision, double *torque)
{
    flight f;
    flight_open(&f, 12, 1);
    prc_sim_def scene = ev_sim_def(&f.body);
    scene.time.step = 5e-3;
    scene.time.integrator = integrator;
    scene.precision = precision;
    scene.solver.tolerance = precision == PRC_PRECISION_DOUBLE ? 1e-11 : 1e-6;
    scene.solver.inner_tolerance = 1e-3;
    prc_sim *sim = ev_sim(&scene);
    const double *m = prc_sim_masses(sim);
    double first[3], now[3], angular[3], size, worst = 0, *before = EV_NEW(double, f.count);
    add_momentum(sim, first, angular, &size);
    *torque = 0;
    for (int step = 0; step < 100; step++) {
        memcpy(before, prc_sim_velocities(sim), sizeof(double) * (size_t)f.count);
        ev_step(sim, NULL);
        double now_size, turn[3] = {0}, arms = 0;
        add_momentum(sim, now, angular, &now_size);
        worst = fmax(worst, ev_largest_difference(first, now, 3) / size);
        const double *x = prc_sim_positions(sim), *v = prc_sim_velocities(sim);
        for (int k = 0; k < f.count; k++) {
            int i = k / 3, a = 3 * i + (k + 1) % 3, b = 3 * i + (k + 2) % 3;
            turn[k % 3] += m[i] * (x[a] * (v[b] - before[b]) - x[b] * (v[a] - before[a]));
            arms += m[i] * (fabs(x[a] * v[b]) + fabs(x[b] * v[a]));
        }
        *torque = fmax(*torque, ev_largest(turn, 3) / arms);
    }
    free(before);
    prc_sim_destroy(sim);
    flight_close(&f);
    return worst;
}

void ev_chapter_momentum(void)
{
    double torque, drift = momentum_drift(PRC_INTEGRATOR_EULER, PRC_PRECISION_DOUBLE, &torque);
    ev_row("free flight, implicit Euler, 100 steps: change of momentum / momentum", 0, drift, drift, 1e-8);
    ev_row("free flight, implicit Euler: sum m x1 x (v1 - v0) / angular momentum", 0, torque, torque, 1e-8);
    drift = momentum_drift(PRC_INTEGRATOR_BDF2, PRC_PRECISION_DOUBLE, &torque);
    ev_row("free flight, BDF2, 100 steps: change of momentum / momentum", 0, drift, drift, 1e-8);
    drift = momentum_drift(PRC_INTEGRATOR_EULER, PRC_PRECISION_SINGLE, &torque);
    ev_row("free flight, implicit Euler, single precision: change of momentum / momentum", 0, drift, drift, 1e-5);
}

/* --- energy --- */

/* Total energy after `duration` over that at the start; `most` is the largest on the way. */
static double energy_kept(prc_integrator integrator, double step, double duration, double *most, FILE *plot)
{
    flight f;
    flight_open(&f, 8, 0.5);
    prc_sim_def scene = ev_sim_def(&f.body);
    scene.time.step = step;
    scene.time.integrator = integrator;
    scene.solver.tolerance = 1e-8;
    prc_sim *sim = ev_sim(&scene);
    const double *m = prc_sim_masses(sim);
    double start = 0, total = 0;
    for (int k = 0; k < f.count; k++)
        start += 0.5 * m[k / 3] * f.velocity[k] * f.velocity[k];
    *most = 0;
    const int steps = (int)lround(duration / step), every = steps / 200 > 0 ? steps / 200 : 1;
    for (int k = 1; k <= steps; k++) {
        prc_step_report r;
        ev_step(sim, &r);
        total = (r.energy_kinetic + r.energy_elastic) / start;
        *most = fmax(*most, total);
        if (plot && k % every == 0)
            fprintf(plot, "%.5f %.6f\n", r.time, total);
    }
    if (plot)
        fprintf(plot, "\n\n");
    prc_sim_destroy(sim);
    flight_close(&f);
    return total;
}

void ev_chapter_energy(void)
{
    FILE *plot = ev_plot_open("energy.dat", "time, energy / start: BDF2 1 ms, Euler 1 ms, BDF2 4 ms, Euler 4 ms");
    double most, kept = energy_kept(PRC_INTEGRATOR_BDF2, 1e-3, 1, &most, plot);
    ev_row("free vibration, BDF2, 1 ms, 1 s: energy kept", 1, kept, kept - 1, 0.02);
    ev_row("free vibration, BDF2, 1 ms: largest energy on the way / energy at the start", 1, most, fmax(0, most - 1),
           1e-3);
    kept = energy_kept(PRC_INTEGRATOR_EULER, 1e-3, 1, &most, plot);
    ev_row_note("free vibration, implicit Euler, 1 ms, 1 s: energy kept", 1, kept, kept - 1);
    ev_row("free vibration, implicit Euler, 1 ms: energy never above the start", 1, most, fmax(0, most - 1), 1e-9);
    kept = energy_kept(PRC_INTEGRATOR_BDF2, 4e-3, 1, &most, plot);
    ev_row_note("free vibration, BDF2, 4 ms, 1 s: energy kept", 1, kept, kept - 1);
    kept = energy_kept(PRC_INTEGRATOR_EULER, 4e-3, 1, &most, plot);
    ev_row_note("free vibration, implicit Euler, 4 ms, 1 s: energy kept", 1, kept, kept - 1);
    ev_plot_close(plot);
}

/* --- order --- */

/* x'' = −∇E/m by the classical Runge–Kutta method; x and v in and out. */
static void runge_kutta(prc_sim *sim, int count, double *x, double *v, double duration, int steps)
{
    static const double node[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    const double *m = prc_sim_masses(sim);
    const double h = duration / steps;
    double *work = EV_NEW(double, 7 * count), *gradient = work, *at = work + count, *dx = work + 2 * count;
    double *dv = work + 3 * count, *sum_x = work + 4 * count, *sum_v = work + 5 * count, *speed = work + 6 * count;
    for (int step = 0; step < steps; step++) {
        memset(sum_x, 0, sizeof(double) * 2 * (size_t)count);
        for (int stage = 0; stage < 4; stage++) {
            for (int k = 0; k < count; k++) {
                at[k] = x[k] + (stage ? node[stage] * h * dx[k] : 0);
                speed[k] = v[k] + (stage ? node[stage] * h * dv[k] : 0);
            }
            ev_energy(sim, at, NULL, gradient);
            for (int k = 0; k < count; k++) {
                dx[k] = speed[k];
                dv[k] = -gradient[k] / m[k / 3];
                sum_x[k] += weight[stage] * dx[k];
                sum_v[k] += weight[stage] * dv[k];
            }
        }
        for (int k = 0; k < count; k++) {
            x[k] += h * sum_x[k];
            v[k] += h * sum_v[k];
        }
    }
    free(work);
}

/* Root mean square distance from the reference after `duration`. */
static double time_error(const flight *f, prc_integrator integrator, double duration, int steps,
                         const double *reference)
{
    prc_sim_def scene = ev_sim_def(&f->body);
    scene.time.step = duration / steps;
    scene.time.integrator = integrator;
    scene.solver.tolerance = 1e-11;
    scene.solver.inner_tolerance = 1e-2;
    prc_sim *sim = ev_sim(&scene);
    for (int k = 0; k < steps; k++)
        ev_step(sim, NULL);
    const double *x = prc_sim_positions(sim);
    double square = 0;
    for (int k = 0; k < f->count; k++)
        square += (x[k] - reference[k]) * (x[k] - reference[k]);
    prc_sim_destroy(sim);
    return sqrt(square / f->count);
}

void ev_chapter_order(void)
{
    static const char *const names[] = {"implicit Euler", "BDF2"};
    const double duration = 0.2;
    const int finest = ev_quick ? 1280 : 2560;
    flight f;
    flight_open(&f, 5, 0.5);
    f.body.material.stretch = 2;
    prc_sim_def scene = ev_sim_def(&f.body);
    prc_sim *sim = ev_sim(&scene);
    double *x = EV_NEW(double, f.count), *v = EV_NEW(double, f.count), energy;
    memcpy(x, f.mesh.positions, sizeof(double) * (size_t)f.count);
    memcpy(v, f.velocity, sizeof(double) * (size_t)f.count);
    runge_kutta(sim, f.count, x, v, duration, 4000);
    const double *m = prc_sim_masses(sim);
    double before = 0, after = 0;
    for (int k = 0; k < f.count; k++) {
        before += 0.5 * m[k / 3] * f.velocity[k] * f.velocity[k];
        after += 0.5 * m[k / 3] * v[k] * v[k];
    }
    ev_energy(sim, x, &energy, NULL);
    ev_row("the answer itself: Runge-Kutta with the engine's forces keeps the energy", 1, (after + energy) / before,
           (after + energy) / before - 1, 1e-9);
    FILE *plot = ev_plot_open("order.dat", "step, s; rms error, m; one block for implicit Euler, one for BDF2");
    for (int bdf2 = 0; bdf2 < 2; bdf2++) {
        double last = 0, slope = 0;
        for (int steps = 80; steps <= finest; steps *= 2) {
            double error = time_error(&f, bdf2 ? PRC_INTEGRATOR_BDF2 : PRC_INTEGRATOR_EULER, duration, steps, x);
            slope = log2(last / error);
            last = error;
            if (plot)
                fprintf(plot, "%.8f %.6e\n", duration / steps, error);
        }
        if (plot)
            fprintf(plot, "\n\n");
        char claim[120];
        snprintf(claim, sizeof claim, "order of accuracy in the time step, %s", names[bdf2]);
        if (bdf2)
            ev_row_between(claim, slope, 1.8, 2.3);
        else
            ev_row_between(claim, slope, 0.9, 1.15);
    }
    ev_plot_close(plot);
    prc_sim_destroy(sim);
    free(x);
    free(v);
    flight_close(&f);
}
