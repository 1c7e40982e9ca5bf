/* step/forces.c — springs, seams and pressure as parts of a step's objective: what evaluate.c, begin.c and the report
 * ask of them. SPDX-License-Identifier: Apache-2.0 */
#include "step/forces.h"
#include "step/evaluate.h"
#include "step/place.h"
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/small.h"

#include <math.h>

prc_result prc_forces_create(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    prc_result result = prc_springs_create(&sim->springs, def, &sim->model, error);
    return result == PRC_OK ? prc_cells_create(&sim->cells, def, &sim->model, sim->view.threads, error) : result;
}

prc_result prc_forces_grab(prc_sim *sim, int slot, const prc_grab_def *grab, prc_error *error)
{
    prc_spring_set *set = &sim->springs;
    prc_result result = PRC_OK;
    if (set->count == set->own) {
        result = prc_springs_make_room(set, PRC_GRABS, &sim->model, error);
        if (result == PRC_OK && sim->view.device && !prc_forces_adopt_springs(sim, &sim->adopted.device)) {
            set->count = set->rows.count = set->own;
            result = PRC_FAIL_MEMORY(error);
        }
    }
    if (result != PRC_OK)
        return result;
    prc_springs_put(set, set->own + slot, grab, &sim->model);
    return sim->view.device ? prc_forces_send_springs(sim, error) : PRC_OK;
}

void prc_forces_grab_move(prc_sim *sim, int slot, const double target[3])
{
    prc_spring_set *set = &sim->springs;
    prc_spring *spring = &set->springs[set->own + slot];
    for (int c = 0; c < 3; c++)
        spring->anchor[c] = target[c];
    if (sim->view.device)
        prc_put(sim, set->device + set->own + slot, spring, sizeof *spring);
}

void prc_forces_release(prc_sim *sim)
{
    prc_free(sim->springs.rows.device);
    prc_free(sim->cells.rows.device);
    prc_free(sim->cells.triangle_start);
    prc_springs_release(&sim->springs);
    prc_cells_release(&sim->cells);
}

void prc_forces_begin(prc_sim *sim)
{
    const prc_view *v = &sim->view;
    prc_spring_set *springs = &sim->springs;
    if (springs->count > 0 && springs->device)
        sim->model.backend->spring_begin(v, &springs->rows, springs->device, sim->end, sim->length);
    else
        prc_springs_begin(springs, prc_field_position(v), v->padded_count, sim->end, sim->length);
    for (int c = 0; c < sim->cells.count; c++)
        prc_cell_begin(&sim->cells.cells[c], sim->end, sim->length);
}

static void evaluate_springs(prc_sim *sim, const void *u)
{
    prc_spring_set *springs = &sim->springs;
    if (springs->device) {
        sim->model.backend->spring_evaluate(&sim->view, &springs->rows, springs->device, u, sim->length);
        return;
    }
    sim->model.backend->row_spans(&sim->view, &springs->rows, u, springs->span);
    prc_springs_evaluate(springs, sim->length);
}

/* At the displacement `u`, or, on a device, NULL for none. */
static void evaluate_cells(prc_sim *sim, const void *u)
{
    const prc_view *v = &sim->view;
    prc_cell_set *set = &sim->cells;
    if (set->rows.device) {
        for (int c = 0; c < set->count; c++)
            sim->model.backend->cell_evaluate(v, &set->rows, c, &set->cells[c].law, u);
        return;
    }
    sim->model.backend->download(v, set->moves, u, 3 * (size_t)v->padded_count);
    prc_cells_evaluate(set, prc_field_position(v), set->moves, v->padded_count);
}

void prc_forces_gradient(prc_sim *sim, enum prc_field u, enum prc_field gradient)
{
    const prc_view *v = &sim->view;
    if (sim->springs.count > 0) {
        evaluate_springs(sim, v->field[u]);
        sim->model.backend->contact_gradient(v, &sim->springs.rows, v->field[gradient], v->field[gradient]);
    }
    if (sim->cells.count > 0) {
        evaluate_cells(sim, v->field[u]);
        sim->model.backend->cell_gradient(v, &sim->cells.rows, v->field[gradient]);
    }
}

void prc_forces_product(prc_sim *sim, enum prc_field in, enum prc_field out)
{
    const prc_view *v = &sim->view;
    if (sim->springs.count > 0)
        sim->model.backend->contact_product(v, &sim->springs.rows, v->field[in], v->field[out]);
    if (sim->cells.count > 0)
        sim->model.backend->cell_product(v, &sim->cells.rows, v->field[in], v->field[out]);
}

void prc_forces_diagonal(prc_sim *sim)
{
    if (sim->springs.count > 0)
        sim->model.backend->contact_diagonal(&sim->view, &sim->springs.rows);
    if (sim->cells.count > 0)
        sim->model.backend->cell_diagonal(&sim->view, &sim->cells.rows);
}

/* Where they are on a device, what it found comes here. */
static void fetch_energies(prc_sim *sim)
{
    prc_spring_set *springs = &sim->springs;
    prc_cell_set *set = &sim->cells;
    if (springs->device)
        prc_get(sim, springs->springs, springs->device, (size_t)springs->count * sizeof *springs->springs);
    if (!set->rows.device)
        return;
    const prc_cells_there *there = set->rows.device;
    double *energy = set->rows.force; /* which the host does not use then */
    prc_get(sim, energy, there->energy, (size_t)set->count * sizeof *energy);
    for (int c = 0; c < set->count; c++)
        set->cells[c].energy = energy[c];
}

double prc_forces_energy(prc_sim *sim)
{
    double energy = 0, pressure = 0;
    fetch_energies(sim);
    for (int k = 0; k < sim->springs.count; k++)
        energy += sim->springs.springs[k].energy;
    for (int c = 0; c < sim->cells.count; c++)
        pressure += sim->cells.cells[c].energy;
    return energy + pressure;
}

void prc_sim_spring(const prc_sim *sim, int k, double *distance, double *tension)
{
    const prc_spring *s = &sim->springs.springs[k];
    double span[3];
    prc_sim_fetch(sim);
    prc_spring_span(&sim->springs, k, prc_field_position(&sim->model.view), sim->view.padded_count, span);
    const double length = sqrt(prc_dot3(span, span));
    const bool acts = sim->time >= s->from && sim->time <= s->until;
    if (distance)
        *distance = length;
    if (tension)
        *tension = acts ? prc_spring_tension(s, length, prc_spring_rest(s, sim->time)) : 0;
}

void prc_sim_pressure(const prc_sim *sim, int k, double *volume, double *pressure)
{
    prc_sim_fetch(sim);
    const double *x = prc_field_position(&sim->model.view);
    const double at = prc_cell_volume(&sim->cells, k, x, sim->view.padded_count), step = sim->def.time.step;
    prc_cell cell = sim->cells.cells[k];
    double energy, stiffness;
    prc_cell_begin(&cell, sim->time > 0 ? sim->time : step, step); /* as in the step before, or in the first */
    if (volume)
        *volume = at;
    if (pressure)
        *pressure = prc_cell_pressure(&cell, at, &energy, &stiffness);
}

static void report_pressure(prc_sim *sim)
{
    const prc_view *v = &sim->model.view;
    prc_cell_set *set = &sim->cells;
    if (set->rows.device) {
        evaluate_cells(sim, NULL);
        fetch_energies(sim);
    }
    for (int c = 0; c < set->count; c++) {
        double energy = set->cells[c].energy, stiffness;
        if (!set->rows.device) {
            const double volume = prc_cell_volume(set, c, prc_field_position(v), v->padded_count);
            prc_cell_pressure(&set->cells[c], volume, &energy, &stiffness);
        }
        sim->report.energy_pressure += energy;
    }
}

void prc_forces_report(prc_sim *sim)
{
    if (sim->cells.count > 0)
        report_pressure(sim);
    for (int k = 0; k < sim->springs.count; k++) {
        const prc_spring *s = &sim->springs.springs[k];
        double distance, tension, stiffness;
        prc_sim_spring(sim, k, &distance, &tension);
        if (tension != 0) /* it acts, and is no slack rope */
            sim->report.energy_springs +=
                prc_spring_law(s, distance - prc_spring_rest(s, sim->time), &tension, &stiffness);
        if (s->seam)
            sim->report.largest_seam_gap = fmax(sim->report.largest_seam_gap, distance - s->length);
    }
}
