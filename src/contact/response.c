/* contact/response.c — forces of contacts: at the positions of the last geometry, and as a model about them.
 *
 * The model keeps normals and closest points and lets the gap follow a move linearly; barrier and friction stay what
 * they are. It knows what a linearisation at one point does not: that a barrier which is not felt yet will be, and that
 * one that is felt stiffens. docs/theory.md, section 10. SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/clock.h"
#include "kernel/contact_response.h"

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

/* Rows of all contacts that are felt at the present shifts, then of friction that is lagged. */
static void gather_rows(prc_contact_set *set)
{
    prc_active_set *active = &set->active;
    const prc_contact_view view = prc_contact_see(set);
    active->count = 0;
    for (int k = 0; k < set->contact_count; k++)
        if (prc_contact_is_felt(&view, k))
            prc_contact_row(&view, k, &active->rows[active->count++]);
    for (int k = 0; k < set->lagged_count; k++)
        prc_lagged_row(&view, k, &active->rows[active->count++]);
    prc_contact_index(active->rows, sizeof *active->rows, active->count, set->model->vertex_count, active->of_start,
                      active->of);
}

void prc_contact_forces(prc_contact_set *set, const double *y, const double *x, double h)
{
    if (set->table) {
        set->table->forces(set, y, x, h);
        return;
    }
    const double start = prc_seconds();
    set->friction_eps = set->def.eps_v * h;
    const prc_contact_view view = prc_contact_see(set);
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count + set->lagged_count; k++)
        prc_contact_restart(&view, k, y, x);
    gather_rows(set);
    set->seconds_forces += prc_seconds() - start;
}

void prc_contact_evaluate(prc_contact_set *set, const double *y, const double *x, double h)
{
    if (set->table) {
        set->table->evaluate(set, y, x, h);
        return;
    }
    prc_contact_geometry(set, y);
    prc_contact_forces(set, y, x, h);
}

void prc_contact_aim(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step)
{
    if (set->table) {
        set->table->aim(set, y, x, made, step);
        return;
    }
    const double start = prc_seconds();
    const prc_contact_view view = prc_contact_see(set);
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count + set->lagged_count; k++)
        prc_contact_aim_one(&view, k, y, x, made, step);
    set->seconds_forces += prc_seconds() - start;
}

double prc_contact_slope(const prc_contact_set *set, double t)
{
    const prc_contact_view view = prc_contact_see(set);
    double sum = 0;
    for (int k = 0; k < set->contact_count + set->lagged_count; k++)
        sum += prc_contact_work(&view, k, t);
    return sum;
}

void prc_contact_search(prc_contact_set *set, const double *y, const double *x, const double *made, const double *step,
                        double *slot)
{
    if (set->table) {
        set->table->search(set, y, x, made, step, slot);
        return;
    }
    prc_contact_aim(set, y, x, made, step);
    const double start = prc_seconds();
    prc_part_search search = prc_part_begin(slot[PRC_SLOT_SLOPE], slot[PRC_SLOT_CURVATURE], prc_contact_slope(set, 0),
                                            prc_contact_slope(set, 1));
    while (!search.found) {
        const double t = prc_part_next(&search);
        prc_part_tell(&search, t, prc_contact_slope(set, t));
    }
    slot[PRC_SLOT_PART] = search.part;
    slot[PRC_SLOT_SURPRISE] = search.surprise;
    set->seconds_forces += prc_seconds() - start;
}

int prc_contact_active_count(prc_contact_set *set)
{
    return set->table ? set->table->active_count(set) : set->active.count;
}

void prc_contact_shift(prc_contact_set *set, const double *slot)
{
    if (set->table) {
        set->table->shift(set, slot);
        return;
    }
    const prc_contact_view view = prc_contact_see(set);
    for (int k = 0; k < set->contact_count + set->lagged_count; k++)
        prc_contact_shift_one(&view, k, slot[PRC_SLOT_PART]);
    gather_rows(set);
}
