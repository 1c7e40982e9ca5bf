/* step/forces.c — springs, seams and pressure as parts of a step's objective: what evaluate.c, begin.c and the report
 * ask of them. SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

#include "kernel/small.h"

#include <math.h>

prc_result prc_forces_create(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    prc_result result = prc_springs_create(&sim->springs, def, &sim->model, error);
    return result == PRC_OK ? prc_cells_create(&sim->cells, def, &sim->model, sim->view.threads, error) : result;
}

void prc_forces_release(prc_sim *sim)
{
    prc_springs_release(&sim->springs);
    prc_cells_release(&sim->cells);
}

void prc_forces_begin(prc_sim *sim)
{
    const prc_view *v = &sim->model.view;
    if (sim->springs.count > 0)
        prc_sim_fetch(sim);
    prc_springs_begin(&sim->springs, v->field[PRC_FIELD_position], v->padded_count, sim->end, sim->length);
    for (int c = 0; c < sim->cells.count; c++)
        prc_cell_begin(&sim->cells.cells[c], sim->end, sim->length);
}

void prc_forces_gradient(prc_sim *sim, enum prc_field u, enum prc_field gradient)
{
    const prc_view *v = &sim->view;
    prc_spring_set *springs = &sim->springs;
    if (springs->count > 0) {
        sim->model.backend->row_spans(v, &springs->rows, v->field[u], springs->span);
        prc_springs_evaluate(springs, sim->length);
        sim->model.backend->contact_gradient(v, &springs->rows, v->field[gradient]);
    }
    if (sim->cells.count > 0) {
        sim->model.backend->download(&sim->view, sim->cells.moves, v->field[u], 3 * (size_t)v->padded_count);
        prc_sim_fetch(sim);
        prc_cells_evaluate(&sim->cells, sim->model.view.field[PRC_FIELD_position], sim->cells.moves, v->padded_count);
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

double prc_forces_energy(const prc_sim *sim)
{
    double energy = sim->springs.energy;
    for (int c = 0; c < sim->cells.count; c++)
        energy += sim->cells.cells[c].energy;
    return energy;
}

void prc_sim_spring(const prc_sim *sim, int k, double *distance, double *tension)
{
    const prc_spring *s = &sim->springs.springs[k];
    double span[3];
    prc_sim_fetch(sim);
    prc_spring_span(&sim->springs, k, sim->model.view.field[PRC_FIELD_position], sim->view.padded_count, span);
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
    const double *x = sim->model.view.field[PRC_FIELD_position];
    const double at = prc_cell_volume(&sim->cells, k, x, sim->view.padded_count), step = sim->def.time.step;
    prc_cell cell = sim->cells.cells[k];
    double energy, stiffness;
    prc_cell_begin(&cell, sim->time > 0 ? sim->time : step, step); /* as in the step before, or in the first */
    if (volume)
        *volume = at;
    if (pressure)
        *pressure = prc_cell_pressure(&cell, at, &energy, &stiffness);
}

void prc_forces_report(prc_sim *sim)
{
    for (int c = 0; c < sim->cells.count; c++) {
        double energy, stiffness;
        prc_sim_fetch(sim);
        const double volume =
            prc_cell_volume(&sim->cells, c, sim->model.view.field[PRC_FIELD_position], sim->view.padded_count);
        prc_cell_pressure(&sim->cells.cells[c], volume, &energy, &stiffness);
        sim->report.energy_pressure += energy;
    }
    for (int k = 0; k < sim->springs.count; k++) {
        const prc_spring *s = &sim->springs.springs[k];
        double distance, tension;
        prc_sim_spring(sim, k, &distance, &tension);
        if (s->stiffness > 0)
            sim->report.energy_springs += 0.5 * tension * tension / s->stiffness;
        if (s->seam)
            sim->report.largest_seam_gap = fmax(sim->report.largest_seam_gap, distance - s->length);
    }
}
