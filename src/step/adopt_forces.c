/* step/adopt_forces.c — springs and volumes as a device has them: copies of what is constant, and room for the rest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/forces.h"

#include "backend/rows.h"
#include "base/error.h"
#include "base/memory.h"
#include "step/evaluate.h"
#include "step/place.h"

#include <string.h>

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

bool prc_forces_adopt_springs(prc_sim *sim, prc_site *site)
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

prc_result prc_forces_send_springs(prc_sim *sim, prc_error *error)
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

bool prc_forces_adopt(prc_sim *sim, prc_site *site)
{
    return (sim->springs.count == 0 || prc_forces_adopt_springs(sim, site)) &&
           (sim->cells.count == 0 || adopt_cells(sim, site));
}
