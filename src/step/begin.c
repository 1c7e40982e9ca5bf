/* step/begin.c — sets up the objective of a step: docs/theory.md, section 5.
 *
 * The unknown is the displacement u over the step. x_t stays in double and enters the kernels only as bonds, rounded
 * once; so single precision does not lose accuracy away from the origin. SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/place.h"
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

prc_result prc_frame_create(prc_sim *sim, prc_error *error)
{
    prc_frame *frame = &sim->frame;
    size_t pinned = 0;
    for (int p = 0; p < sim->pin_count; p++)
        pinned += (size_t)sim->pins[p].vertex_count;
    frame->acts = PRC_NEW(bool, sim->load_count);
    frame->holds = PRC_NEW(bool, sim->pin_count);
    frame->pin_target = PRC_NEW(double, 3 * pinned);
    frame->obstacle_target = PRC_NEW(double, 3 * (size_t)(sim->model.vertex_count - sim->model.elastic_count));
    return frame->acts && frame->holds && frame->pin_target && frame->obstacle_target ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_frame_release(prc_frame *frame)
{
    prc_free(frame->acts);
    prc_free(frame->holds);
    prc_free(frame->pin_target);
    prc_free(frame->obstacle_target);
}

static void add_load(const prc_sim *sim, const prc_load_case *load, double *acceleration)
{
    const prc_model *m = &sim->model;
    for (int k = 0; k < load->vertex_count; k++) {
        const int i = load->vertices[k];
        for (long c = 0; c < 3; c++)
            acceleration[c * sim->view.padded_count + i] += load->force[c] * m->area[i] / (load->area * m->mass[i]);
    }
}

/* Gravity and the forces that act now, per mass. */
static void put_forces(prc_sim *sim)
{
    const double slack = 1e-9 * sim->def.time.step; /* times are sums of steps */
    bool changed = !sim->frame.known || memcmp(sim->frame.gravity, sim->def.gravity, sizeof sim->def.gravity) != 0;
    memcpy(sim->frame.gravity, sim->def.gravity, sizeof sim->def.gravity);
    for (int f = 0; f < sim->load_count; f++) {
        const bool acts = sim->end > sim->loads[f].from + slack && sim->end <= sim->loads[f].until + slack;
        changed |= acts != sim->frame.acts[f];
        sim->frame.acts[f] = acts;
    }
    if (!changed)
        return;
    double *acceleration = prc_field_acceleration(&sim->model.view);
    for (long c = 0; c < 3; c++)
        for (int i = 0; i < sim->model.vertex_count; i++)
            acceleration[c * sim->view.padded_count + i] = sim->def.gravity[c];
    for (int f = 0; f < sim->load_count; f++)
        if (sim->frame.acts[f])
            add_load(sim, &sim->loads[f], acceleration);
    prc_sim_send_field(sim, PRC_FIELD_acceleration);
}

/* Who is pinned, and what the others weigh together. */
static void put_pinned(prc_sim *sim)
{
    const prc_model *m = &sim->model;
    int *pinned = prc_field_pinned(&m->view);
    bool changed = !sim->frame.known;
    for (int p = 0; p < sim->pin_count; p++) {
        changed |= sim->pins[p].holds != sim->frame.holds[p];
        sim->frame.holds[p] = sim->pins[p].holds;
    }
    if (!changed)
        return;
    memset(pinned, 0, (size_t)sim->view.padded_count * sizeof *pinned);
    for (int p = 0; p < sim->pin_count; p++)
        for (int k = 0; sim->pins[p].holds && k < sim->pins[p].vertex_count; k++)
            pinned[sim->pins[p].vertices[k]] = 1;
    sim->free_mass = 0;
    for (int i = 0; i < m->elastic_count; i++)
        sim->free_mass += pinned[i] ? 0 : m->mass[i];
    if (!(sim->free_mass > 0)) /* all pinned: anything to divide by */
        sim->free_mass = m->total_mass;
    prc_sim_send_field(sim, PRC_FIELD_pinned);
}

/* Where pins want their vertices; where two have the same one, the last says. Before put_pinned. */
static void put_pin_targets(prc_sim *sim)
{
    double *last = sim->frame.pin_target;
    bool changed = !sim->frame.known;
    for (int p = 0; p < sim->pin_count; p++) {
        const prc_pin *pin = &sim->pins[p];
        const size_t bytes = 3 * (size_t)pin->vertex_count * sizeof *last;
        changed |= pin->holds != sim->frame.holds[p];
        if (pin->holds && (changed || memcmp(last, pin->target, bytes) != 0)) {
            memcpy(last, pin->target, bytes);
            changed = true;
        }
        last += 3L * pin->vertex_count;
    }
    for (int p = 0; p < sim->pin_count && changed; p++)
        if (sim->pins[p].holds)
            prc_put_some(sim, PRC_FIELD_prescribed, sim->pins[p].vertices, sim->pins[p].target,
                         sim->pins[p].vertex_count);
}

static void put_obstacle_targets(prc_sim *sim)
{
    const long n = sim->view.padded_count, first = sim->model.elastic_count;
    const size_t count = (size_t)(sim->model.vertex_count - first), bytes = 3 * count * sizeof(double);
    if (count == 0 || (sim->frame.known && memcmp(sim->frame.obstacle_target, sim->obstacle_target, bytes) == 0))
        return;
    memcpy(sim->frame.obstacle_target, sim->obstacle_target, bytes);
    double *columns = sim->work.columns, *prescribed = prc_field_prescribed(&sim->view);
    for (size_t k = 0; k < 3 * count; k++)
        columns[k % 3 * count + k / 3] = sim->obstacle_target[k];
    for (long c = 0; c < 3; c++)
        prc_put(sim, prescribed + c * n + first, columns + (size_t)c * count, count * sizeof *columns);
}

static void begin_air(prc_sim *sim)
{
    prc_view *v = &sim->view;
    v->air = sim->def.air;
    v->has_air = v->air.density > 0 && v->air.drag > 0;
    if (!v->has_air)
        return;
    sim->model.backend->run(v, PRC_STAGE_air_begin);
    v->number[0] = sim->step;
    v->number[1] = sim->end;
    v->number[2] = sim->second_order;
    sim->model.backend->run(v, PRC_STAGE_air);
}

void prc_step_aim_part(prc_sim *sim, int k, int parts)
{
    const double whole = sim->def.time.step;
    sim->length = whole / parts;
    sim->end = sim->whole_start + (k + 1 == parts ? whole : (k + 1) * sim->length); /* the same end with any parts */
    sim->since_before = k == 0 ? sim->step_before : k * sim->length;
}

void prc_step_aim(prc_sim *sim)
{
    sim->whole_start = sim->time;
    prc_step_aim_part(sim, 0, 1);
}

/* Weights and aims of all vertices, and as a first guess the way of a free flight of this length (s). */
static void begin_vertices(prc_sim *sim, double length)
{
    prc_view *v = &sim->view;
    v->number[0] = sim->step;
    v->number[1] = length;
    v->number[2] = sim->since_before;
    v->number[3] = sim->second_order;
    v->number[4] = sim->def.contact.enabled;
    sim->model.backend->run(v, PRC_STAGE_begin);
}

void prc_step_begin_still(prc_sim *sim)
{
    begin_vertices(sim, 0);
    begin_air(sim); /* which adds to the weights of particles */
}

void prc_step_begin(prc_sim *sim)
{
    prc_view *v = &sim->view;
    const prc_backend *backend = sim->model.backend;
    /* A part of a step is implicit Euler: BDF2 wants a step before of the same length. As long as parts are the
     * exception the order stays 2: like the first step of all, each adds an error of the second order once. */
    sim->second_order = sim->def.time.integrator == PRC_INTEGRATOR_BDF2 && sim->has_history &&
                        sim->length == sim->def.time.step && sim->length == sim->step_before;
    sim->step = sim->second_order ? sim->length * (2.0 / 3.0) : sim->length;
    v->inverse_h = 1 / sim->length;
    put_forces(sim);
    put_pin_targets(sim);
    put_pinned(sim);
    put_obstacle_targets(sim);
    sim->frame.known = true;
    begin_vertices(sim, sim->length);
    backend->run(v, PRC_STAGE_bonds_begin);
    begin_air(sim);
    prc_forces_begin(sim);
    if (v->has_damping)
        backend->run(v, PRC_STAGE_rates_begin);
}
