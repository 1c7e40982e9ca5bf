/* step/accept.c — takes the displacement over into the state, and describes the state.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include <math.h>
#include <string.h>

/* Pinned vertices are put exactly where their motion says: u was rounded. */
static void place_pins(prc_sim *sim)
{
    const long n = sim->view.padded_count;
    double *x = sim->view.field[PRC_FIELD_position];
    for (int p = 0; p < sim->pin_count; p++)
        for (int k = 0; sim->pins[p].holds && k < sim->pins[p].vertex_count; k++)
            for (int c = 0; c < 3; c++)
                x[c * n + sim->pins[p].vertices[k]] = sim->pins[p].target[3 * k + c];
}

/* Vertices that take no part in the objective have the velocity of the way they made. */
static void obstacle_velocities(prc_sim *sim, const double *from, const double *to, double *velocity)
{
    for (int i = sim->model.elastic_count; i < sim->view.vertex_count; i++)
        for (long c = 0; c < 3; c++) {
            const long k = c * sim->view.padded_count + i;
            velocity[k] = (to[k] - from[k]) / sim->length;
        }
}

void prc_step_accept(prc_sim *sim)
{
    prc_view *v = &sim->view;
    const size_t n = 3 * (size_t)v->padded_count;
    const bool second = sim->second_order, contact = sim->def.contact.enabled;
    const bool first = sim->time == sim->whole_start; /* the step before is a whole one, whatever parts this one has */
    const bool last = sim->end == sim->whole_start + sim->def.time.step;
    const double h = sim->step;
    double *x = v->field[PRC_FIELD_position], *velocity = v->field[PRC_FIELD_velocity];
    double *x_before = v->field[PRC_FIELD_position_before], *v_before = v->field[PRC_FIELD_velocity_before];
    double *u = sim->scratch;
    sim->model.backend->download(&sim->view, u, v->field[PRC_FIELD_u], n);
#pragma omp parallel for schedule(static) num_threads(v->threads) if (v->vertex_count > 3000)
    for (size_t k = 0; k < n; k++) {
        double base = second ? (x[k] - x_before[k]) / 3 : 0;
        double speed = (u[k] - base) / h;
        x_before[k] = first ? x[k] : x_before[k];
        v_before[k] = first ? velocity[k] : v_before[k];
        x[k] = contact ? x[k] : x[k] + u[k];
        velocity[k] = speed;
    }
    if (contact) { /* exactly what was found safe, not x + u, which is rounded */
        const double *y = prc_contact_positions(sim);
        obstacle_velocities(sim, x, y, velocity);
        memcpy(x, y, n * sizeof *x);
        /* Once in a step, however many parts it has: doubled in each, stiffnesses would soon be out of all proportion.
         */
        if (last && sim->def.contact.method == PRC_CONTACT_BARRIER)
            prc_contact_adapt(&sim->contact);
    }
    sim->time = sim->end;
    if (!contact) /* with contact a pinned vertex may lag, and stays where it is safe */
        place_pins(sim);
    sim->has_history = true;
}

void prc_step_mark(prc_sim *sim)
{
    for (int p = 0; p < sim->pin_count; p++)
        sim->pins[p].held = sim->pins[p].holds;
    for (int s = 0; s < sim->contact.solid_count; s++)
        sim->contact.solids[s].from = sim->contact.solids[s].now;
}

void prc_step_give_up(prc_sim *sim)
{
    for (int p = 0; p < sim->pin_count; p++) {
        prc_pin *pin = &sim->pins[p];
        if (pin->holds && !pin->held) /* it takes hold anew */
            memset(pin->anchor, 0, 3 * (size_t)pin->vertex_count * sizeof *pin->anchor);
        pin->holds = pin->held;
    }
    for (int s = 0; s < sim->contact.solid_count; s++)
        sim->contact.solids[s].now = sim->contact.solids[s].from;
}

static void report_stretches(prc_sim *sim)
{
    const prc_view *v = &sim->view;
    double *stretch = sim->scratch;
    double most = 0, least = INFINITY;
    sim->model.backend->download(&sim->view, stretch, v->field[PRC_FIELD_stretch], 2 * (size_t)v->padded_count);
    for (int i = 0; i < sim->model.elastic_count; i++) {
        most = fmax(most, stretch[i]);
        least = fmin(least, stretch[v->padded_count + i]);
    }
    sim->report.largest_stretch = most;
    sim->report.smallest_stretch = least;
}

void prc_report_state(prc_sim *sim)
{
    prc_step_report *r = &sim->report;
    const prc_view *v = &sim->view;
    const long n = v->padded_count;
    const double *x = v->field[PRC_FIELD_position], *velocity = v->field[PRC_FIELD_velocity];
    for (int i = 0; i < v->vertex_count; i++) {
        const double m = sim->model.mass[i];
        const double y[3] = {x[i], x[n + i], x[2 * n + i]}, w[3] = {velocity[i], velocity[n + i], velocity[2 * n + i]};
        r->largest_speed = fmax(r->largest_speed, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
        for (int c = 0; c < 3; c++) {
            r->momentum[c] += m * w[c];
            r->angular_momentum[c] += m * (y[(c + 1) % 3] * w[(c + 2) % 3] - y[(c + 2) % 3] * w[(c + 1) % 3]);
            r->energy_kinetic += 0.5 * m * w[c] * w[c];
            r->energy_potential -= m * sim->acceleration[c * n + i] * y[c];
        }
    }
    r->time = sim->time;
    prc_forces_report(sim);
    report_stretches(sim);
}
