/* step/begin.c — sets up the objective of a step: docs/theory.md, section 5.
 *
 * The unknown is the displacement u over the step. x_t stays in double and enters the kernels only as bonds, rounded
 * once; so single precision does not lose accuracy away from the origin. SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define THREADS num_threads(sim->view.threads) if (sim->view.vertex_count > 3000)

/* Gravity and the forces that act now, per mass. */
static void gather_forces(prc_sim *sim, double end)
{
    const prc_model *m = &sim->model;
    const int n = sim->view.padded_count;
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < m->vertex_count; i++)
            sim->acceleration[(long)c * n + i] = sim->def.gravity[c];
    for (int f = 0; f < sim->load_count; f++) {
        const prc_load_case *load = &sim->loads[f];
        const double slack = 1e-9 * sim->def.time.step; /* times are sums of steps */
        if (end <= load->from + slack || end > load->until + slack)
            continue;
        for (int k = 0; k < load->vertex_count; k++) {
            const int i = load->vertices[k];
            for (int c = 0; c < 3; c++)
                sim->acceleration[(long)c * n + i] += load->force[c] * m->area[i] / (load->area * m->mass[i]);
        }
    }
}

/* A number per vertex of the step that begins. */
typedef struct step_columns {
    double *weight, *target, *guess, *base, *free;
} step_columns;

/* Where vertex i would go without elastic forces, and the first guess. */
static void begin_vertex(const prc_sim *sim, const step_columns *s, int i)
{
    const prc_view *v = &sim->view;
    const long n = v->padded_count;
    const double *x = v->field[PRC_FIELD_position], *velocity = v->field[PRC_FIELD_velocity];
    const double *x_before = v->field[PRC_FIELD_position_before], *v_before = v->field[PRC_FIELD_velocity_before];
    const bool second = sim->second_order;
    const double h = sim->step, full = sim->length, mass = sim->model.mass[i], drag = sim->model.mass_damping[i];
    const double inertia = mass / (h * h), damp = mass * drag / h;
    double gained = 0, square = 0;
    for (int c = 0; c < 3; c++) {
        const long k = c * n + i;
        gained += (velocity[k] - v_before[k]) * sim->acceleration[k];
        square += sim->acceleration[k] * sim->acceleration[k];
    }
    /* How much of the dead force the vertex really followed of late: 1 in free flight, 0 at rest. */
    double follow = square > 0 ? gained / (sim->since_before * square) : 0;
    follow = follow < 0 ? 0 : follow > 1 ? 1 : follow;
    for (int c = 0; c < 3; c++) {
        const long k = c * n + i;
        double base = second ? (x[k] - x_before[k]) / 3 : 0;
        double speed = second ? (4 * velocity[k] - v_before[k]) / 3 : velocity[k];
        double goal = base + h * speed + h * h * sim->acceleration[k];
        s->base[k] = base;
        s->target[k] = (inertia * goal + damp * base) / (inertia + damp);
        s->guess[k] = full * velocity[k] + follow * full * full * sim->acceleration[k];
    }
    s->weight[i] = inertia + damp;
}

static void begin_pins(prc_sim *sim, const step_columns *s)
{
    const long n = sim->view.padded_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    double *prescribed = sim->view.field[PRC_FIELD_prescribed];
    for (int p = 0; p < sim->pin_count; p++) {
        const prc_pin *pin = &sim->pins[p];
        for (int k = 0; pin->holds && k < pin->vertex_count; k++) {
            const int i = pin->vertices[k];
            s->free[i] = 0;
            for (int c = 0; c < 3; c++) {
                s->guess[c * n + i] = pin->target[3 * k + c] - x[c * n + i];
                prescribed[c * n + i] = pin->target[3 * k + c];
            }
        }
    }
}

/* Obstacles take no part in the objective; a weight of 1 keeps their diagonal blocks regular. */
static void begin_obstacles(prc_sim *sim, const step_columns *s)
{
    const long n = sim->view.padded_count, first = sim->model.elastic_count;
    const double *x = sim->view.field[PRC_FIELD_position];
    double *prescribed = sim->view.field[PRC_FIELD_prescribed];
    for (long i = first; i < sim->view.vertex_count; i++) {
        s->weight[i] = 1;
        for (int c = 0; c < 3; c++) {
            prescribed[c * n + i] = sim->obstacle_target[3 * (i - first) + c];
            s->guess[c * n + i] = prescribed[c * n + i] - x[c * n + i];
        }
    }
}

/* Drag: ½ ρ C a |w| (w·n) n with w the wind relative to the cloth; |w| and n are those of x_t. */
static void begin_air(prc_sim *sim, const step_columns *s, double end)
{
    prc_view *v = &sim->view;
    const prc_air_def *air = &sim->def.air;
    v->has_air = air->density > 0 && air->drag > 0;
    if (!v->has_air)
        return;
    const prc_backend *backend = sim->model.backend;
    backend->run(v, PRC_STAGE_air_begin);
    const long n = v->padded_count;
    const double h = sim->step, *x = v->field[PRC_FIELD_position], *velocity = v->field[PRC_FIELD_velocity];
    double *normal = s->free + n, *weight = normal + 3 * n, *wind = weight + n; /* free columns of the scratch */
    backend->download(&sim->view, normal, v->field[PRC_FIELD_air_normal], 3 * (size_t)n);
#pragma omp parallel for schedule(static) THREADS
    for (int i = 0; i < sim->model.elastic_count; i++) {
        double square = 0, flow[3];
        wind[i] = 0;
        prc_air_velocity(air, (const double[3]){x[i], x[n + i], x[2 * n + i]}, end, flow);
        for (int c = 0; c < 3; c++) {
            double w = flow[c] - velocity[c * n + i];
            square += w * w;
            wind[i] += normal[c * n + i] * (h * flow[c] + s->base[c * n + i]);
        }
        weight[i] = 0.5 * air->density * air->drag * sim->model.area[i] * sqrt(square) / h;
    }
    backend->upload(&sim->view, v->field[PRC_FIELD_air_weight], weight, (size_t)n);
    backend->upload(&sim->view, v->field[PRC_FIELD_air_wind], wind, (size_t)n);
}

void prc_step_aim_part(prc_sim *sim, int k, int parts)
{
    const double whole = sim->def.time.step;
    sim->length = whole / parts;
    sim->end = sim->whole_start + (k + 1 == parts ? whole : (k + 1) * sim->length); /* the same end with any parts */
    sim->since_before = k == 0 ? whole : k * sim->length;
}

void prc_step_aim(prc_sim *sim)
{
    sim->whole_start = sim->time;
    prc_step_aim_part(sim, 0, 1);
}

void prc_step_begin(prc_sim *sim)
{
    prc_view *v = &sim->view;
    const prc_backend *backend = sim->model.backend;
    const size_t n = (size_t)v->padded_count;
    const double end = sim->end;
    step_columns s = {sim->scratch, sim->scratch + n, sim->scratch + 4 * n, sim->scratch + 7 * n,
                      sim->scratch + 10 * n};
    memset(sim->scratch, 0, sizeof(double) * 16 * n);

    /* A part of a step is implicit Euler: BDF2 wants a step before of the same length. As long as parts are the
     * exception the order stays 2: like the first step of all, each adds an error of the second order once. */
    sim->second_order =
        sim->def.time.integrator == PRC_INTEGRATOR_BDF2 && sim->has_history && sim->length == sim->def.time.step;
    sim->step = sim->second_order ? sim->length * (2.0 / 3.0) : sim->length;
    v->inverse_h = 1 / sim->length;
    gather_forces(sim, end);
#pragma omp parallel for schedule(static) THREADS
    for (int i = 0; i < sim->model.elastic_count; i++) {
        s.free[i] = 1;
        begin_vertex(sim, &s, i);
    }
    begin_obstacles(sim, &s);
    for (size_t i = (size_t)v->vertex_count; i < n; i++)
        s.weight[i] = 1;
    begin_pins(sim, &s);
    sim->free_mass = 0;
    for (int i = 0; i < v->vertex_count; i++)
        sim->free_mass += s.free[i] * sim->model.mass[i];
    if (!(sim->free_mass > 0)) /* all pinned: anything to divide by */
        sim->free_mass = sim->model.total_mass;

    backend->upload(&sim->view, v->field[PRC_FIELD_weight], s.weight, n);
    backend->upload(&sim->view, v->field[PRC_FIELD_target], s.target, 3 * n);
    backend->upload(&sim->view, v->field[PRC_FIELD_u], s.guess, 3 * n);
    backend->upload(&sim->view, v->field[PRC_FIELD_free], s.free, n);
    backend->run(v, PRC_STAGE_bonds_begin);
    begin_air(sim, &s, end);
    prc_forces_begin(sim);
    if (v->has_damping)
        backend->run(v, PRC_STAGE_rates_begin);
}
