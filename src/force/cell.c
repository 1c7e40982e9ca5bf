/* force/cell.c — see cell.h, and kernel/cell.h for volumes and pressures.
 *
 * The energy depends on V alone, E'' ≥ 0 and its part of the second derivative of E is kept: E'' (dV/dx)(dV/dx)^T. The
 * other, E' d²V/dx², has eigenvalues of both signs and is left out; it is what turns with the surface, and small
 * against the tension that holds the pressure. SPDX-License-Identifier: Apache-2.0 */
#include "force/cell.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/small.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLACK 1e-9 /* of a step: times are sums of steps */

/* --- set-up --- */

/* Renumbers the triangles of a cell to its own list of vertices, which goes to `vertex`; returns how many there are. */
static int number_vertices(prc_cell *cell, int *own, int vertex_count, int *vertex)
{
    int count = 0;
    for (int i = 0; i < vertex_count; i++)
        own[i] = -1;
    for (int k = 0; k < 3 * cell->surface.count; k++)
        own[cell->surface.triangles[k]] = 0;
    for (int i = 0; i < vertex_count; i++) /* in the order of memory */
        if (own[i] == 0) {
            vertex[count] = i;
            own[i] = count++;
        }
    for (int k = 0; k < 3 * cell->surface.count; k++)
        cell->surface.triangles[k] = own[cell->surface.triangles[k]];
    return count;
}

static bool build_fans(prc_cell *cell, int vertices)
{
    const int corners = 3 * cell->surface.count;
    cell->fan_start = PRC_NEW(int, vertices + 1);
    cell->fan = PRC_NEW(int, corners);
    if (!cell->fan_start || !cell->fan)
        return false;
    for (int k = 0; k < corners; k++)
        cell->fan_start[cell->surface.triangles[k] + 1]++;
    for (int i = 0; i < vertices; i++)
        cell->fan_start[i + 1] += cell->fan_start[i];
    for (int k = corners - 1; k >= 0; k--) /* backwards: fans end up in order, one slot early */
        cell->fan[--cell->fan_start[cell->surface.triangles[k] + 1]] = k;
    for (int i = 0; i < vertices; i++)
        cell->fan_start[i] = cell->fan_start[i + 1];
    cell->fan_start[vertices] = corners;
    return true;
}

static prc_result check_volume(prc_cell *cell, const char *where, prc_error *error)
{
    const double volume = cell->law.start_volume;
    if (volume < 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: the bodies are inside out, with a volume of %.4g m3; their triangles must face outwards: "
                        "reverse the order of their corners",
                        where, volume);
    if (cell->def.volume == 0)
        cell->def.volume = volume;
    if (cell->def.kind == PRC_PRESSURE_GAS && !(cell->def.volume > 0 && volume > 0))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: a gas needs a volume at time 0, but the bodies enclose none; expected more than 0 m3",
                        where);
    return PRC_OK;
}

static prc_result create_one(prc_cell_set *set, int c, const prc_sim_def *def, const prc_model *m, prc_error *error)
{
    prc_cell *cell = &set->cells[c];
    char where[60];
    snprintf(where, sizeof where, "bodies[%d].pressure", def->pressures[c].bodies[0]);
    cell->def = def->pressures[c];
    prc_result result = prc_closed_build(&cell->surface, def, m, &def->pressures[c], where, error);
    cell->def.bodies = NULL;
    if (result != PRC_OK)
        return result;
    int *own = PRC_NEW(int, m->vertex_count), *found = PRC_NEW(int, m->vertex_count);
    const int first = set->rows.start[c], count = own && found ? number_vertices(cell, own, m->vertex_count, found) : 0;
    int *vertex =
        own && found ? prc_grow(set->rows.vertex, (size_t)first, (size_t)first + (size_t)count, sizeof *vertex) : NULL;
    if (vertex) {
        memcpy(vertex + first, found, sizeof *vertex * (size_t)count);
        set->rows.vertex = vertex;
        set->rows.start[c + 1] = first + count;
    }
    const bool good = vertex && build_fans(cell, count);
    prc_free(own);
    prc_free(found);
    return good ? PRC_OK : PRC_FAIL_MEMORY(error);
}

/* The volumes at time 0. */
static prc_result measure_start(prc_cell_set *set, const prc_sim_def *def, const prc_model *m, prc_error *error)
{
    const int stride = m->view.padded_count;
    for (int i = 0; i < m->vertex_count; i++)
        for (int c = 0; c < 3; c++)
            set->moves[(long)c * stride + i] = m->position[3L * m->caller_of[i] + c];
    for (int c = 0; c < set->count; c++) {
        char where[60];
        snprintf(where, sizeof where, "bodies[%d].pressure", def->pressures[c].bodies[0]);
        set->cells[c].law.start_volume = prc_cell_volume(set, c, set->moves, stride);
        if (check_volume(&set->cells[c], where, error))
            return PRC_ERROR_INPUT;
    }
    return PRC_OK;
}

prc_result prc_cells_create(prc_cell_set *set, const prc_sim_def *def, const prc_model *model, int threads,
                            prc_error *error)
{
    memset(set, 0, sizeof *set);
    if (def->pressure_count == 0)
        return PRC_OK;
    set->threads = threads;
    set->cells = PRC_NEW(prc_cell, def->pressure_count);
    set->rows.start = PRC_NEW(int, def->pressure_count + 1);
    set->rows.force = PRC_NEW(double, def->pressure_count);
    set->rows.stiffness = PRC_NEW(double, def->pressure_count);
    if (!set->cells || !set->rows.start || !set->rows.force || !set->rows.stiffness)
        return PRC_FAIL_MEMORY(error);
    for (int c = 0; c < def->pressure_count; c++) {
        set->count = set->rows.count = c + 1;
        prc_result result = create_one(set, c, def, model, error);
        if (result != PRC_OK)
            return result;
    }
    const size_t entries = (size_t)set->rows.start[set->count];
    set->rows.slope = prc_alloc(entries, sizeof *set->rows.slope);
    set->positions = PRC_NEW(double, 3 * entries);
    set->moves = PRC_NEW(double, 3 * (size_t)model->view.padded_count);
    if (!set->rows.slope || !set->positions || !set->moves)
        return PRC_FAIL_MEMORY(error);
    return measure_start(set, def, model, error);
}

void prc_cells_release(prc_cell_set *set)
{
    for (int c = 0; c < set->count; c++) {
        prc_closed_release(&set->cells[c].surface);
        prc_free(set->cells[c].fan_start);
        prc_free(set->cells[c].fan);
    }
    prc_free(set->cells);
    prc_free(set->rows.start);
    prc_free(set->rows.vertex);
    prc_free(set->rows.slope);
    prc_free(set->rows.force);
    prc_free(set->rows.stiffness);
    prc_free(set->positions);
    prc_free(set->moves);
    memset(set, 0, sizeof *set);
}

/* --- a step --- */

void prc_cell_begin(prc_cell *cell, double end, double step)
{
    const prc_pressure_def *def = &cell->def;
    prc_cell_law *law = &cell->law;
    law->is_gas = def->kind == PRC_PRESSURE_GAS;
    law->exponent = def->exponent;
    law->volume = def->volume;
    law->outside = law->content = 0;
    if (!(end > def->from + SLACK * step && end <= def->until + SLACK * step))
        return;
    const double t = def->ramp > 0 ? prc_smaller(1, (end - def->from) / def->ramp) : 1;
    const double share = t * t * (3 - 2 * t);
    if (!law->is_gas) {
        law->content = share * def->over;
        return;
    }
    law->outside = def->outside;
    law->content = (1 - share) * def->outside * prc_cell_power(law->start_volume, def->exponent) +
                   share * (def->outside + def->over) * prc_cell_power(def->volume, def->exponent);
}

double prc_cell_pressure(const prc_cell *cell, double volume, double *energy, double *stiffness)
{
    return prc_cell_pressure_at(&cell->law, volume, energy, stiffness);
}

static void slope_of(const prc_cell *cell, const double *y, int i, double slope[3])
{
    prc_cell_slope(cell->surface.triangles, cell->fan_start, cell->fan, y, i, slope);
}

/* Gathers the positions of a cell's vertices, against its first one at x. */
static const double *gather(const prc_cell_set *set, int c, const double *x, const double *moves, int stride)
{
    const int first = set->rows.start[c], count = set->rows.start[c + 1] - first, *vertex = set->rows.vertex + first;
    double *y = set->positions + 3L * first;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const long at = (long)k * stride + vertex[i];
            y[3 * i + k] = x[at] - x[(long)k * stride + vertex[0]] + (moves ? moves[at] : 0);
        }
    return y;
}

double prc_cell_volume(const prc_cell_set *set, int c, const double *x, int stride)
{
    const double *y = gather(set, c, x, NULL, stride);
    double sum = 0;
    for (int i = 0; i < set->rows.start[c + 1] - set->rows.start[c]; i++) {
        double slope[3];
        slope_of(&set->cells[c], y, i, slope);
        sum += prc_dot3(y + 3L * i, slope);
    }
    return sum / 3;
}

void prc_cells_evaluate(prc_cell_set *set, const double *x, const double *moves, int stride)
{
    for (int c = 0; c < set->count; c++) {
        prc_cell *cell = &set->cells[c];
        const int first = set->rows.start[c], count = set->rows.start[c + 1] - first;
        const double *y = gather(set, c, x, moves, stride);
        double(*slope)[3] = set->rows.slope + first, sum = 0;
#pragma omp parallel for schedule(static) num_threads(set->threads) if (count > 3000)
        for (int i = 0; i < count; i++)
            slope_of(cell, y, i, slope[i]);
        for (int i = 0; i < count; i++)
            sum += prc_dot3(y + 3L * i, slope[i]);
        set->rows.force[c] = -prc_cell_pressure(cell, sum / 3, &cell->energy, &set->rows.stiffness[c]);
    }
}
