/* backend/cuda/contact_response.cu — forces of contacts on the device, at the last geometry and as a model about it.
 *
 * Rows are compact, though few contacts are felt: the product with them runs over and over, they are made anew rarely.
 * A scan over all contacts says where each row goes, and the list of each vertex is picked from that of its contacts,
 * in the same order. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the CPU's part of the contact set includes */

#include "backend/cuda/contact.h"

#include "base/clock.h"
#include "kernel/contact_response.h"

PRC_DEVICE_BEGIN

bool prc_device_contacts_reserve_rows(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const size_t items = (size_t)set->contact_count + (size_t)set->lagged_count;
    const int single = set->model->backend->precision == PRC_PRECISION_SINGLE;
    const size_t four = (single ? 1 : 2) * items; /* REAL numbers per item, in units of the buffer */
    if (!prc_reserve(d, &c->shift, 3 * items + 1) || !prc_reserve(d, &c->shift_step, 3 * items + 1) ||
        !prc_reserve(d, &c->felt, items + 1) || !prc_reserve(d, &c->row_of, items + 1) ||
        !prc_reserve(d, &c->row_vertices, items + 1) || !prc_reserve(d, &c->row_list, 4 * items + 1) ||
        !prc_reserve(d, &c->row_force, items + 1) || !prc_reserve(d, &c->row_numbers, 5 * four + 1))
        return false;
    c->view.shift = (double(*)[3])c->shift.data;
    c->view.shift_step = (double(*)[3])c->shift_step.data;
    c->view.lagged = c->lagged.data;
    c->view.contact_count = set->contact_count;
    c->view.lagged_count = set->lagged_count;
    prc_device_rows *rows = &c->rows;
    rows->count = c->row_of.data + items; /* the total of the scan */
    rows->most = (int)items;
    rows->single = single;
    rows->v = c->row_vertices.data;
    rows->f = c->row_force.data;
    rows->w = c->row_numbers.data;
    rows->k = c->row_numbers.data + four;
    rows->force = c->row_numbers.data + 3 * four;
    rows->of_w = c->row_numbers.data + 4 * four;
    rows->first = c->row_ends.data;
    rows->after = c->row_ends.data + c->view.stride;
    rows->of = c->row_list.data;
    prc_fill(d, c->row_of.data + items, 0, sizeof(int)); /* no rows until there are forces */
    prc_fill(d, c->row_ends.data, 0, 2 * (size_t)c->view.stride * sizeof(int));
    return true;
}

#define AT_ONCE 8 /* entries of a list that are looked at together */

/* The rows of vertex i: of its contacts that are felt, then of its lagged frictions. */
static PRC_DEVICE void list_rows(const prc_contact_view &view, const int *lagged_start, const int *lagged_of,
                                 const int *felt, const int *row_of, int i, int *first, int *after, int *list)
{
    int next = view.of_start[i] + lagged_start[i];
    first[i] = next;
    if (view.moves_freely[i]) { /* nothing is asked of the others, and an obstacle's lists may be long */
        const int end = view.of_start[i + 1];
        for (int e = view.of_start[i]; e < end; e += AT_ONCE) { /* all loads first: they need not wait for a store */
            int entry[AT_ONCE], row[AT_ONCE];
            for (int k = 0; k < AT_ONCE; k++)
                entry[k] = e + k < end ? view.of[e + k] : -1;
            for (int k = 0; k < AT_ONCE; k++)
                row[k] = entry[k] >= 0 && felt[entry[k] / 4] ? row_of[entry[k] / 4] : -1;
            for (int k = 0; k < AT_ONCE; k++)
                if (row[k] >= 0)
                    list[next++] = 4 * row[k] + entry[k] % 4;
        }
        for (int e = lagged_start[i]; e < lagged_start[i + 1]; e++)
            list[next++] = 4 * row_of[view.contact_count + lagged_of[e] / 4] + lagged_of[e] % 4;
    }
    after[i] = next;
}

/* Rows of all that is marked in `felt`. */
static void make_rows(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    double *told = set->told;
    const prc_contact_view view = c->view;
    const prc_device_rows rows = c->rows;
    const int items = rows.most, *felt = c->felt.data, *row_of = c->row_of.data;
    const int *lagged_start = c->of_lagged.start.data, *lagged_of = c->of_lagged.of.data;
    int *first = c->row_ends.data, *after = first + view.stride, *list = c->row_list.data;
    set->active_known = items == 0;
    set->active.count = 0;
    if (items == 0)
        return;
    prc_scan(d, c->felt.data, c->row_of.data, items);
    prc_each(d, "contacts: rows", (long)items + view.vertex_count, [=] PRC_DEVICE(int k) {
        if (k >= items) {
            list_rows(view, lagged_start, lagged_of, felt, row_of, k - items, first, after, list);
            return;
        }
        if (k == 0 && told)
            told[PRC_SLOT_ACTIVE] = row_of[items];
        if (!felt[k])
            return;
        prc_active row;
        if (k < view.contact_count)
            prc_contact_row(&view, k, &row);
        else
            prc_lagged_row(&view, k - view.contact_count, &row);
        prc_row_store(&rows, row_of[k], &row);
    });
}

/* Forces at y; with `anew` after the geometry there. */
static void find_forces(prc_contact_set *set, const double *y, const double *x, double h, bool anew)
{
    const double start = prc_seconds();
    prc_device_contacts *c = prc_device_contacts_of(set);
    set->friction_eps = c->view.friction_eps = set->def.eps_v * h;
    const prc_contact_view view = c->view;
    int *felt = c->felt.data;
    prc_each(c->device, anew ? "contacts: evaluate" : "contacts: felt", c->rows.most, [=] PRC_DEVICE(int k) {
        if (anew && k < view.contact_count)
            prc_contact_locate(&view, &view.contacts[k], y);
        prc_contact_restart(&view, k, y, x);
        felt[k] = k >= view.contact_count || prc_contact_is_felt(&view, k);
    });
    make_rows(set);
    set->seconds_forces += prc_seconds() - start;
}

void prc_device_contact_forces(prc_contact_set *set, const double *y, const double *x, double h)
{
    find_forces(set, y, x, h, false);
}

void prc_device_contact_evaluate(prc_contact_set *set, const double *y, const double *x, double h)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device_solids_send(c->device, &c->solids, set->solids);
    find_forces(set, y, x, h, true);
}

int prc_device_contact_active_count(prc_contact_set *set)
{
    const prc_device_contacts *c = prc_device_contacts_of(set);
    if (set->active_known)
        return set->active.count;
    set->active.count = 0;
    if (c->rows.most > 0)
        prc_copy_out(c->device, &set->active.count, c->rows.count, sizeof(int));
    set->active_known = true;
    return set->active.count;
}

void prc_device_contact_aim(prc_contact_set *set, const double *y, const double *x, const double *made,
                            const double *step)
{
    const double start = prc_seconds();
    const prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    prc_each(c->device, "contacts: aim", c->rows.most,
             [=] PRC_DEVICE(int k) { prc_contact_aim_one(&view, k, y, x, made, step); });
    set->seconds_forces += prc_seconds() - start;
}

/* Whether an item can do work along its step: the gap of a contact is linear along it. */
static PRC_DEVICE bool does_work(const prc_contact_view &view, int k)
{
    if (k >= view.contact_count)
        return true;
    const prc_contact *contact = &view.contacts[k];
    double end[3];
    for (int a = 0; a < 3; a++)
        end[a] = view.shift[k][a] + view.shift_step[k][a];
    return contact->exact && (prc_contact_gap_after(contact, view.shift[k]) < contact->d_hat ||
                              prc_contact_gap_after(contact, end) < contact->d_hat);
}

void prc_device_contact_search(prc_contact_set *set, const double *y, const double *x, const double *made,
                               const double *step, double *slot)
{
    const double start = prc_seconds();
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    const int items = c->rows.most;
    int *mine = c->felt.data; /* free between a shift and the next: here the few that matter, thread by thread */
    prc_together(
        c->device, "contacts: search",
        [=] PRC_DEVICE(const prc_grid &grid) {
            const long threads = grid.threads(), thread = grid.thread();
            long end = thread;
            double work[2] = {0, 0}, slope[2];
            grid.each(items, [&](int k) {
                prc_contact_aim_one(&view, k, y, x, made, step);
                if (!does_work(view, k))
                    return;
                mine[end] = k;
                end += threads;
                work[0] += prc_contact_work(&view, k, 0);
                work[1] += prc_contact_work(&view, k, 1);
            });
            grid.sum(work, 2, slope);
            prc_part_search search = prc_part_begin(slot[PRC_SLOT_SLOPE], slot[PRC_SLOT_CURVATURE], slope[0], slope[1]);
            while (!search.found) {
                const double t = prc_part_next(&search);
                work[0] = 0;
                for (long e = thread; e < end; e += threads)
                    work[0] += prc_contact_work(&view, mine[e], t);
                grid.sum(work, 1, slope);
                prc_part_tell(&search, t, slope[0]);
            }
            if (grid.first()) {
                slot[PRC_SLOT_PART] = search.part;
                slot[PRC_SLOT_SURPRISE] = search.surprise;
            }
        },
        items);
    set->seconds_forces += prc_seconds() - start;
}

void prc_device_contact_shift(prc_contact_set *set, const double *slot)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    int *felt = c->felt.data;
    prc_each(c->device, "contacts: shift", c->rows.most, [=] PRC_DEVICE(int k) {
        prc_contact_shift_one(&view, k, slot[PRC_SLOT_PART]);
        felt[k] = k >= view.contact_count || prc_contact_is_felt(&view, k);
    });
    make_rows(set);
}

/* --- friction that lags --- */

/* Vertices of lagged frictions, four entries each: places that one does not have belong to nobody, past the last. */
static bool index_lagged(prc_device_contacts *c, int count)
{
    const prc_lagged *lagged = c->lagged.data;
    const int nobody = c->view.vertex_count;
    return prc_device_index_make(
        c->device, &c->of_lagged, nobody, 4 * count,
        [=] PRC_DEVICE(int e) { return e % 4 < lagged[e / 4].count ? lagged[e / 4].v[e % 4] : nobody; },
        [=] PRC_DEVICE(int e) { return e; });
}

/* The lagged frictions of the contacts at the last geometry. What takes memory comes first: where there is none, the
 * lists of the vertices stay empty. */
static bool freeze(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    const int contacts = view.contact_count;
    prc_fill(d, c->of_lagged.start.data, 0, ((size_t)view.vertex_count + 1) * sizeof(int));
    if (!prc_reserve(d, &c->chosen, (size_t)contacts) || !prc_reserve(d, &c->place, (size_t)contacts + 1))
        return false;
    int *chosen = c->chosen.data, *place = c->place.data, count = 0;
    prc_each(d, "friction: choose", contacts,
             [=] PRC_DEVICE(int k) { chosen[k] = prc_contact_friction_limit(&view.contacts[k]) > 0; });
    prc_scan(d, chosen, place, contacts);
    prc_copy_out(d, &count, place + contacts, sizeof count);
    if (prc_device_failed(d) || !prc_reserve(d, &c->lagged, (size_t)count + 1))
        return false;
    set->lagged_count = count;
    if (!prc_device_contacts_reserve_rows(set))
        return false;
    prc_lagged *lagged = c->lagged.data;
    prc_each(d, "friction: freeze", contacts, [=] PRC_DEVICE(int k) {
        if (chosen[k])
            prc_lagged_begin(&lagged[place[k]], &view.contacts[k]);
    });
    return index_lagged(c, count);
}

prc_result prc_device_contact_freeze_friction(prc_contact_set *set, prc_error *error)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    set->lagged_count = c->view.lagged_count = 0;
    if (freeze(set))
        return PRC_OK;
    prc_device_contacts_forget(set);
    return prc_device_status(c->device, error);
}

PRC_DEVICE_END
