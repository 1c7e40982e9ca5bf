/* backend/cuda/rigid.cu — obstacles that wait as a whole, on the device: contact/rigid.h.
 *
 * The host says where they are to go and hears in the end how far they have come; in between their shares live here.
 * One thread per obstacle has little to do, and one per vertex the rest; a least part and marks are the same in any
 * order. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the CPU's part of the contact set includes */

#include "backend/cuda/contact.h"

#include "base/memory.h"
#include "kernel/contact_move.h"

PRC_DEVICE_BEGIN

bool prc_device_rigids_create(prc_contact_set *set, prc_device_contacts *c)
{
    prc_device *d = c->device;
    const size_t count = (size_t)set->rigids.count,
                 vertices = (size_t)(set->model->vertex_count - set->model->elastic_count);
    if (count == 0)
        return true;
    c->rigids_home = PRC_NEW(prc_rigid, count);
    if (!c->rigids_home)
        prc_device_fail(d, PRC_ERROR_MEMORY, "out of memory");
    if (!c->rigids_home || !prc_reserve(d, &c->rigids, count) || !prc_reserve(d, &c->own, 3 * vertices + 1))
        return false;
    prc_copy_in(d, c->own.data, set->rigids.own, 3 * vertices * sizeof(double));
    c->view.rigids = c->rigids.data;
    c->view.rigid_count = set->rigids.count;
    c->view.first_obstacle = set->rigids.first_body;
    c->view.own = c->own.data;
    prc_device_rigids_send(set);
    return !prc_device_failed(d);
}

void prc_device_rigids_send(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    if (set->rigids.count > 0)
        prc_copy_in(c->device, c->rigids.data, set->rigids.of, (size_t)set->rigids.count * sizeof(prc_rigid));
    c->rigids_move = set->rigids.move;
}

static PRC_DEVICE void clear_work(prc_rigid *r)
{
    r->least = prc_bits_of(1);
    r->marked = r->failed = r->held = 0;
}

void prc_device_rigids_ask(prc_contact_set *set, double longest, double part, const double *y, double *p)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    const int first = view.elastic_count;
    prc_each(c->device, "rigid: ask", view.rigid_count, [=] PRC_DEVICE(int k) {
        prc_rigid *r = &view.rigids[k];
        clear_work(r);
        if (part > 0)
            prc_rigid_ask_less(r, part);
        else
            prc_rigid_ask(r, longest);
    });
    prc_each(c->device, "rigid: moves", view.vertex_count - first,
             [=] PRC_DEVICE(int i) { prc_rigid_put_move(&view, first + i, y, p); });
}

void prc_device_rigids_accept(prc_contact_set *set, bool settle)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    if (!settle) {
        prc_each(c->device, "rigid: accept", view.rigid_count, [=] PRC_DEVICE(int k) {
            view.rigids[k].share = view.rigids[k].asked = view.rigids[k].trial;
            clear_work(&view.rigids[k]);
        });
        return;
    }
    prc_copy_out(c->device, c->rigids_home, c->rigids.data, (size_t)set->rigids.count * sizeof *c->rigids_home);
    for (int k = 0; !prc_device_failed(c->device) && k < set->rigids.count; k++)
        set->rigids.of[k].share = c->rigids_home[k].share;
}

/* One that has a vertex which is marked, from which all have to be held that are not. */
static PRC_DEVICE prc_rigid *to_be_held(const prc_contact_view &view, int i)
{
    prc_rigid *r = prc_rigid_of(&view, i);
    return r && r->marked == 1 && !r->held ? r : NULL;
}

/* All threads together: each obstacle with a vertex that is marked yields, or goes as far as all of its vertices may go
 * on their own sides; see contact/rigid.c. */
static PRC_DEVICE void hold(const prc_contact_view &view, const prc_grid &grid, const double *y, const double *p,
                            double *out)
{
    const int first = view.elastic_count, vertices = view.vertex_count - first, rigids = view.rigid_count;
    grid.each(vertices, [&](int k) {
        prc_rigid *r = prc_rigid_of(&view, first + k);
        if (r && prc_rigid_moves(r) && view.marked[first + k] && !view.held[first + k])
            prc_atomic_or(&r->marked, 1);
    });
    grid.sync();
    grid.each(rigids, [&](int k) {
        prc_rigid *r = &view.rigids[k];
        if (r->marked != 1 || r->held)
            return;
        if (r->yields++ < PRC_RIGID_YIELDS) {
            prc_rigid_shorten(r, PRC_RIGID_YIELD);
            r->marked = 2;
        } else
            prc_rigid_try(r, r->asked); /* that is what p is */
    });
    grid.sync();
    grid.each(vertices, [&](int k) {
        prc_rigid *r = prc_rigid_of(&view, first + k);
        if (!r || r->marked != 2)
            return;
        prc_rigid_place(&view, first + k, y, out);
        if (!prc_vertex_in_ball(&view, first + k, out))
            prc_atomic_or(&r->failed, 1);
    });
    grid.sync();
    grid.each(rigids, [&](int k) {
        prc_rigid *r = &view.rigids[k];
        if (r->marked == 2 && r->failed) {
            r->marked = 1;
            r->failed = 0;
            prc_rigid_try(r, r->asked);
        }
    });
    grid.sync();
    grid.each(vertices, [&](int k) {
        double from[3], step[3];
        prc_rigid *r = to_be_held(view, first + k);
        if (!r)
            return;
        prc_take3(y, view.stride, first + k, from);
        prc_take3(p, view.stride, first + k, step);
        prc_atomic_min(&r->least, prc_bits_of(prc_vertex_admissible(&view, first + k, from, step)));
    });
    grid.sync();
    for (int h = -1; h <= PRC_RIGID_HALVINGS; h++) {
        grid.each(rigids, [&](int k) {
            prc_rigid *r = &view.rigids[k];
            if (r->marked != 1 || r->held || (h >= 0 && !r->failed))
                return;
            prc_rigid_shorten(r, h < 0 ? prc_double_of(r->least) : h < PRC_RIGID_HALVINGS ? 0.5 : 0);
            r->failed = 0;
        });
        grid.sync();
        grid.each(vertices, [&](int k) {
            double from[3], to[3];
            prc_rigid *r = to_be_held(view, first + k);
            if (!r)
                return;
            prc_rigid_place(&view, first + k, y, out);
            prc_take3(y, view.stride, first + k, from);
            prc_take3(out, view.stride, first + k, to);
            if (!prc_vertex_inside(&view, first + k, from, to))
                prc_atomic_or(&r->failed, 1);
        });
        grid.sync();
    }
}

void prc_device_rigids_hold(prc_device_contacts *c, const double *y, const double *p, double *out, const int *before)
{
    const prc_contact_view view = c->view;
    if (!c->rigids_move)
        return;
    prc_together(
        c->device, "move: rigid",
        [=] PRC_DEVICE(const prc_grid &grid) {
            if (*before)
                hold(view, grid, y, p, out);
        },
        view.vertex_count - view.elastic_count);
}

void prc_device_rigids_held(prc_device_contacts *c)
{
    const prc_contact_view view = c->view;
    if (c->rigids_move)
        prc_each(c->device, "move: rigid held", view.rigid_count, [=] PRC_DEVICE(int k) {
            view.rigids[k].held |= view.rigids[k].marked == 1;
            view.rigids[k].marked &= 1;
        });
}

void prc_device_rigids_hold_back(prc_device *d, const prc_contact_view *of, uint64_t *next)
{
    const prc_contact_view view = *of;
    const int first = view.elastic_count, vertices = view.vertex_count - first, rigids = view.rigid_count;
    if (rigids == 0)
        return;
    prc_together(
        d, "predict: rigid",
        [=] PRC_DEVICE(const prc_grid &grid) {
            grid.each(vertices, [&](int k) {
                prc_rigid *r = prc_rigid_of(&view, first + k);
                if (r && prc_rigid_moves(r))
                    prc_atomic_min(&r->least, next[first + k]);
            });
            grid.sync();
            grid.each(vertices, [&](int k) {
                const prc_rigid *r = prc_rigid_of(&view, first + k);
                if (r && prc_rigid_moves(r))
                    next[first + k] = r->least;
            });
            grid.sync();
            grid.each(rigids, [&](int k) {
                prc_rigid_shorten(&view.rigids[k], prc_double_of(view.rigids[k].least));
                clear_work(&view.rigids[k]);
            });
        },
        vertices);
}

void prc_device_rigids_stay(prc_device *d, const prc_contact_view *of)
{
    const prc_contact_view view = *of;
    prc_each(d, "predict: rigid", view.rigid_count, [=] PRC_DEVICE(int k) { prc_rigid_shorten(&view.rigids[k], 0); });
}

PRC_DEVICE_END
