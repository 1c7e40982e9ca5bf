/* step/forces.c — springs, seams and pressure as parts of a step's objective: what evaluate.c, begin.c and the report
 * ask of them. SPDX-License-Identifier: Apache-2.0 */
#include "step/forces.h"
#include "step/evaluate.h"
#include "step/place.h"
#include "step/sim.h"

#include "backend/rows.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/small.h"

#include <math.h>
#include <string.h>

prc_result prc_forces_create(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    prc_result result = prc_springs_create(&sim->springs, def, &sim->model, error);
    return result == PRC_OK ? prc_cells_create(&sim->cells, def, &sim->model, sim->view.threads, error) : result;
}

/* The rows of springs as a device has them (backend/rows.h), in memory of the host. */
typedef struct spring_rows {
    prc_device_rows rows;
    size_t four, size; /* bytes of four REAL numbers, and of all of them */
} spring_rows;

static void spring_rows_release(spring_rows *of)
{
    prc_free(of->rows.v);
    prc_free(of->rows.w);
    prc_free(of->rows.f);
    prc_free(of->rows.exact);
}

/* False: out of memory. */
static bool spring_rows_make(spring_rows *of, const prc_sim *sim)
{
    const prc_spring_set *set = &sim->springs;
    const size_t count = (size_t)set->count;
    prc_device_rows *rows = &of->rows;
    of->four = 4 * sim->model.backend->real_size;
    of->size = 3 * of->four * count;
    *rows = (prc_device_rows){.most = set->count,
                              .single = sim->model.backend->precision == PRC_PRECISION_SINGLE,
                              .v = PRC_NEW(prc_four_ints, count),
                              .w = PRC_NEW(char, of->size),
                              .f = PRC_NEW(prc_four_doubles, count),
                              .exact = PRC_NEW(prc_four_doubles, count)};
    if (!rows->v || !rows->w || !rows->f || !rows->exact) {
        spring_rows_release(of);
        return false;
    }
    rows->k = (char *)rows->w + of->four * count;
    for (int k = 0; k < set->count; k++) {
        const prc_active *a = &set->rows.rows[k];
        prc_row_store(rows, k, a);
        rows->exact[k] = (prc_four_doubles){a->w[0], a->count > 1 ? a->w[1] : 0, a->count > 2 ? a->w[2] : 0,
                                            a->count > 3 ? a->w[3] : 0};
    }
    return true;
}

/* Failure leaves the rows that the device had. */
static bool adopt_springs(prc_sim *sim, prc_site *site)
{
    prc_spring_set *set = &sim->springs;
    const size_t count = (size_t)set->count, vertices = (size_t)sim->model.vertex_count;
    spring_rows here;
    prc_device_rows *rows = PRC_NEW(prc_device_rows, 1), there;
    if (!rows || !spring_rows_make(&here, sim)) {
        prc_free(rows);
        return false;
    }
    const int *first = prc_site_memory(sim, site, set->rows.of_start, (vertices + 1) * sizeof(int));
    there = (prc_device_rows){.most = set->count, .single = here.rows.single, .first = first, .after = first + 1};
    there.count = prc_site_memory(sim, site, &set->count, sizeof(int));
    there.of = prc_site_memory(sim, site, set->rows.of, 4 * count * sizeof(int)); /* room for all that can be */
    there.v = prc_site_memory(sim, site, here.rows.v, count * sizeof *there.v);
    there.w = prc_site_memory(sim, site, here.rows.w, here.size);
    there.f = prc_site_memory(sim, site, here.rows.f, count * sizeof *there.f);
    there.exact = prc_site_memory(sim, site, here.rows.exact, count * sizeof *there.exact);
    there.force = prc_site_memory(sim, site, NULL, 2 * here.four * count);
    prc_spring *springs = prc_site_memory(sim, site, set->springs, count * sizeof *set->springs);
    spring_rows_release(&here);
    if (!first || !there.count || !there.of || !there.v || !there.w || !there.f || !there.exact || !there.force ||
        !springs) {
        prc_free(rows);
        return false;
    }
    there.k = (char *)there.w + here.four * count;
    there.of_w = (char *)there.force + here.four * count;
    *rows = there;
    prc_free(set->rows.device);
    set->rows.device = rows;
    set->device = springs;
    return true;
}

/* Triangles and fans of all cells, one after the other. */
static bool copy_surfaces(prc_sim *sim, prc_site *site, prc_cells_there *there, int *triangle_start)
{
    const prc_cell_set *set = &sim->cells;
    for (int c = 0; c < set->count; c++)
        triangle_start[c + 1] = triangle_start[c] + set->cells[c].surface.count;
    const size_t corners = 3 * (size_t)triangle_start[set->count], entries = (size_t)set->rows.start[set->count];
    const size_t starts = entries + (size_t)set->count;
    int *triangles = PRC_NEW(int, corners), *fan = PRC_NEW(int, corners), *fan_start = PRC_NEW(int, starts);
    const bool ok = triangles && fan && fan_start;
    for (int c = 0; ok && c < set->count; c++) {
        const prc_cell *cell = &set->cells[c];
        const size_t size = 3 * (size_t)cell->surface.count * sizeof(int);
        const int first = set->rows.start[c], count = set->rows.start[c + 1] - first;
        memcpy(triangles + 3L * triangle_start[c], cell->surface.triangles, size);
        memcpy(fan + 3L * triangle_start[c], cell->fan, size);
        memcpy(fan_start + first + c, cell->fan_start, ((size_t)count + 1) * sizeof(int));
    }
    there->triangles = ok ? prc_site_memory(sim, site, triangles, corners * sizeof(int)) : NULL;
    there->fan = ok ? prc_site_memory(sim, site, fan, corners * sizeof(int)) : NULL;
    there->fan_start = ok ? prc_site_memory(sim, site, fan_start, starts * sizeof(int)) : NULL;
    prc_free(triangles);
    prc_free(fan);
    prc_free(fan_start);
    return there->triangles && there->fan && there->fan_start;
}

static bool adopt_cells(prc_sim *sim, prc_site *site)
{
    prc_cell_set *set = &sim->cells;
    const size_t entries = (size_t)set->rows.start[set->count], count = (size_t)set->count;
    prc_cells_there *there = PRC_NEW(prc_cells_there, 1);
    set->rows.device = there;
    set->triangle_start = PRC_NEW(int, count + 1);
    if (!there || !set->triangle_start)
        return false;
    there->start = set->rows.start;
    there->triangle_start = set->triangle_start;
    there->vertex = prc_site_memory(sim, site, set->rows.vertex, entries * sizeof(int));
    there->y = prc_site_memory(sim, site, NULL, 3 * entries * sizeof(double));
    there->slope = prc_site_memory(sim, site, NULL, 3 * entries * sizeof(double));
    there->summand = prc_site_memory(sim, site, NULL, entries * sizeof(double));
    there->volume = prc_site_memory(sim, site, NULL, count * sizeof(double));
    there->force = prc_site_memory(sim, site, NULL, count * sizeof(double));
    there->stiffness = prc_site_memory(sim, site, NULL, count * sizeof(double));
    there->energy = prc_site_memory(sim, site, NULL, count * sizeof(double));
    return there->vertex && there->y && there->slope && there->summand && there->volume && there->force &&
           there->stiffness && there->energy && copy_surfaces(sim, site, there, set->triangle_start);
}

/* Springs that were put anew, and all rows: only for grabs, which are rare. */
static prc_result send_springs(prc_sim *sim, prc_error *error)
{
    const prc_spring_set *set = &sim->springs;
    const prc_device_rows *there = set->rows.device;
    const size_t count = (size_t)set->count, vertices = (size_t)sim->model.vertex_count;
    spring_rows here;
    if (!spring_rows_make(&here, sim))
        return PRC_FAIL_MEMORY(error);
    prc_put(sim, there->v, here.rows.v, count * sizeof *there->v);
    prc_put(sim, there->w, here.rows.w, here.size);
    prc_put(sim, there->f, here.rows.f, count * sizeof *there->f);
    prc_put(sim, there->exact, here.rows.exact, count * sizeof *there->exact);
    prc_put(sim, (int *)there->first, set->rows.of_start, (vertices + 1) * sizeof(int));
    prc_put(sim, (int *)there->of, set->rows.of, 4 * count * sizeof(int));
    prc_put(sim, set->device, set->springs, count * sizeof *set->springs);
    spring_rows_release(&here);
    return prc_sim_status(sim, error);
}

prc_result prc_forces_grab(prc_sim *sim, int slot, const prc_grab_def *grab, prc_error *error)
{
    prc_spring_set *set = &sim->springs;
    prc_result result = PRC_OK;
    if (set->count == set->own) {
        result = prc_springs_make_room(set, PRC_GRABS, &sim->model, error);
        if (result == PRC_OK && sim->view.device && !adopt_springs(sim, &sim->adopted.device)) {
            set->count = set->rows.count = set->own;
            result = PRC_FAIL_MEMORY(error);
        }
    }
    if (result != PRC_OK)
        return result;
    prc_springs_put(set, set->own + slot, grab, &sim->model);
    return sim->view.device ? send_springs(sim, error) : PRC_OK;
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

bool prc_forces_adopt(prc_sim *sim, prc_site *site)
{
    return (sim->springs.count == 0 || adopt_springs(sim, site)) && (sim->cells.count == 0 || adopt_cells(sim, site));
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
