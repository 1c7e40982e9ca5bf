/* backend/cuda/contact_move.cu — moves that are safe, on the device: certify, or cut.
 *
 * Nearly always no contact objects to the free move: that is two kernels, and the host looks. Only where one does come
 * sweeps: each stops the vertices that are marked and asks every contact again; some are launched before the host looks
 * again, and do nothing after the last that was needed. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the CPU's part of the contact set includes */

#include "backend/cuda/contact.h"

#include "base/clock.h"
#include "kernel/contact_move.h"

PRC_DEVICE_BEGIN

#define SWEEPS_AT_ONCE 3
#define CLOSE_LOOKS 65536 /* threads for doubtful contacts: more than can run at once */

static PRC_DEVICE void mark(const prc_contact_view &view, const int v[4], int count, int *answer)
{
    prc_atomic_or(answer, 1);
    PRC_UNROLL
    for (int q = 0; q < 4; q++)
        if (q < count)
            prc_atomic_or(&view.marked[v[q]], 1);
}

/* Whether to ask at all: `leaves` (of the free move, else NULL) says that a vertex left its ball, and all is in vain;
 * `before` (of a sweep) that none objected in the one before. */
static PRC_DEVICE bool is_idle(const int *leaves, const int *before)
{
    return (leaves && *leaves) || (before && !*before);
}

/* Every contact is asked; those that object mark their vertices. */
static void certify_few(prc_device_contacts *c, const double *y, const double *out, const int *leaves,
                        const int *before, int *answer)
{
    const prc_contact_view view = c->view;
    prc_each(c->device, "move: certify", view.contact_count, [=] PRC_DEVICE(int k) {
        if (is_idle(leaves, before))
            return;
        int v[4], count;
        const enum prc_contact_answer says = prc_contact_answer_to(&view, k, y, out, v, &count);
        if (says == PRC_ANSWER_OBJECTS || (says == PRC_ANSWER_DOUBTFUL && prc_contact_objects(&view, k, y, out)))
            mark(view, v, count, answer);
    });
}

/* The same of many contacts: those that are far and stay so are not asked, and those that are doubtful, which take many
 * registers and long, are asked afterwards. */
static void certify_many(prc_device_contacts *c, const double *y, const double *out, const int *leaves,
                         const int *before, int *answer)
{
    const prc_contact_view view = c->view;
    const int contacts = view.contact_count, looks = PRC_NEAR_LOOKS(contacts), *near = c->near.data;
    int *doubtful = c->doubtful.data, *doubts = answer + PRC_COUNT_DOUBTS, *count = answer + PRC_COUNT_NEAR;
    prc_contact_view quick = view;
    quick.packed_y = c->packed.data;
    quick.packed_end = c->packed.data + view.stride;
    prc_device_list_all_near(
        c, "move: near", contacts, count, [=] PRC_DEVICE() { return is_idle(leaves, before); },
        [] PRC_DEVICE(int, float) {});
    prc_each_warp<int, 20>(
        c->device, "move: certify", looks / PRC_WARP, [=] PRC_DEVICE(const prc_warp &warp, int &place, int i) {
            for (int first = PRC_WARP * i; first < *count; first += looks) {
                const unsigned some = warp.ballot([&](int lane) {
                    int v[4], vertices;
                    if (first + lane >= *count)
                        return false;
                    const enum prc_contact_answer says =
                        prc_contact_answer_to(&quick, near[first + lane], y, out, v, &vertices);
                    if (says == PRC_ANSWER_OBJECTS)
                        mark(quick, v, vertices, answer);
                    return says == PRC_ANSWER_DOUBTFUL;
                });
                if (!some)
                    continue;
                warp.each([&](int lane) {
                    if (lane == 0)
                        place = prc_atomic_add(doubts, prc_bit_count(some));
                });
                warp.each([&](int lane) {
                    if (some >> lane & 1)
                        doubtful[place + prc_bit_count(some & ((1u << lane) - 1))] = near[first + lane];
                });
            }
        });
    prc_each(c->device, "move: doubtful", CLOSE_LOOKS, [=] PRC_DEVICE(int i) {
        for (int e = i; e < *doubts; e += CLOSE_LOOKS) {
            prc_contact room;
            if (!prc_contact_objects(&view, doubtful[e], y, out))
                continue;
            const prc_contact *k = prc_contact_open(&view, doubtful[e], PRC_SLICE_VERTICES | PRC_SLICE_KIND, &room);
            mark(view, k->v, k->count, answer);
        }
    });
}

static void certify(prc_device_contacts *c, const double *y, const double *out, const int *leaves, const int *before,
                    int *answer)
{
    if (!c->view.far || !prc_reserve(c->device, &c->doubtful, (size_t)c->view.contact_count))
        certify_few(c, y, out, leaves, before, answer);
    else
        certify_many(c, y, out, leaves, before, answer);
}

/* What prc_device_list_near wants to know of the move of vertex i from y to `out`, of which a pair may use a share of
 * its separation. */
static PRC_DEVICE float longest_way(const prc_contact_view &view, int i, const double *y, const double *out)
{
    double from[3], to[3], size = 0;
    prc_take3(y, view.stride, i, from);
    prc_take3(out, view.stride, i, to);
    for (int q = 0; q < 3; q++)
        size = prc_larger(size, prc_larger(fabs(from[q]), fabs(to[q])));
    const double d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    return prc_contact_way_most(d, size) * (float)(1.000001 / PRC_PLANE_KEPT);
}

/* Vertices that are marked stay on their sides from now on; then every contact is asked. */
static void sweep(prc_device_contacts *c, const double *y, const double *p, double *out, const int *before, int *answer)
{
    const prc_contact_view view = c->view;
    float *way = c->way.data;
    prc_four_doubles *end = c->packed.data + view.stride;
    prc_device_rigids_hold(c, y, p, out, before);
    prc_each(c->device, "move: sides", view.vertex_count, [=] PRC_DEVICE(int i) {
        if (!*before)
            return;
        const prc_rigid *r = prc_rigid_of(&view, i);
        const bool as_whole = r && r->marked == 1 && !r->held, yields = r && r->marked == 2;
        if ((view.marked[i] || as_whole || yields) && !view.held[i]) {
            view.held[i] = !yields;
            if (!as_whole && !yields)
                prc_vertex_move_static(&view, i, y, p, out);
            way[i] = longest_way(view, i, y, out);
            end[i] = prc_device_pack(out, view.stride, i);
        }
        view.marked[i] = 0;
    });
    prc_device_rigids_held(c);
    certify(c, y, out, NULL, before, answer);
}

/* Sweeps until no contact objects; returns how many vertices were cut short. `counts` says that one did. */
static int cut(prc_device_contacts *c, const double *y, const double *p, double *out, int *counts)
{
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    const int one = 1;
    int answers[PRC_COUNT_COUNT];
    if (view.far) /* the margins of those that were not looked at */
        prc_each(d, "contacts: margins", view.contact_count, [=] PRC_DEVICE(int k) {
            if (view.far[k] > 0)
                prc_contact_relocate(&view, k, y);
        });
    for (bool again = false;; again = true) {
        if (again) {
            prc_fill(d, counts, 0, PRC_COUNT_COUNT * sizeof(int));
            prc_copy_in(d, counts + PRC_COUNT_OBJECTS, &one, sizeof one);
        }
        for (int s = 0; s < SWEEPS_AT_ONCE; s++) {
            int *answer = counts + PRC_COUNT_OBJECTS + s;
            sweep(c, y, p, out, answer, answer + 1);
        }
        prc_each(d, "move: cuts", view.vertex_count, [=] PRC_DEVICE(int i) {
            if (prc_vertex_was_cut(&view, i, y, p, out))
                prc_atomic_add(&counts[PRC_COUNT_CUT], 1);
        });
        prc_copy_out(d, answers, counts, sizeof answers);
        if (prc_device_failed(d) || !answers[PRC_COUNT_OBJECTS + SWEEPS_AT_ONCE])
            return prc_device_failed(d) ? 0 : answers[PRC_COUNT_CUT];
    }
}

int prc_device_contact_move(prc_contact_set *set, const double *y, const double *p, double *out)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const double start = prc_seconds();
    prc_device_colliders_send(d, &c->colliders, set->colliders);
    const prc_contact_view view = c->view;
    /* Two sets of counts in turn: each move clears the other's. */
    int *counts = c->counts.data + PRC_COUNT_COUNT * (1 + c->move_turn), answers[PRC_COUNT_COUNT] = {0};
    int *others = c->counts.data + PRC_COUNT_COUNT * (2 - c->move_turn);
    c->move_turn = 1 - c->move_turn;
    float *way = c->way.data;
    prc_four_doubles *packed = c->packed.data;
    prc_each(d, "move: free", view.vertex_count, [=] PRC_DEVICE(int i) {
        prc_vertex_move(&view, i, y, p, out);
        way[i] = longest_way(view, i, y, out);
        packed[i] = prc_device_pack(y, view.stride, i);
        packed[view.stride + i] = prc_device_pack(out, view.stride, i);
        if (view.marked[i])
            prc_atomic_or(&counts[PRC_COUNT_LEAVES], 1);
        for (int k = 0; i == 0 && k < PRC_COUNT_COUNT; k++)
            others[k] = 0;
    });
    certify(c, y, out, counts + PRC_COUNT_LEAVES, NULL, counts + PRC_COUNT_OBJECTS);
    prc_copy_out(d, answers, counts, sizeof answers);
    int cuts = answers[PRC_COUNT_LEAVES] ? -1 : 0;
    if (cuts == 0 && answers[PRC_COUNT_OBJECTS])
        cuts = cut(c, y, p, out, counts);
    set->cuts += cuts > 0 ? cuts : 0;
    set->seconds_bounds += prc_seconds() - start;
    return cuts;
}

prc_result prc_device_contact_predict(prc_contact_set *set, const double *x, const double *p, double *out,
                                      prc_error *error)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device_prediction *w = &c->prediction;
    const double start = prc_seconds();
    set->found_ahead = false;
    w->interrupt = set->interrupt;
    prc_device_rigids_send(set);
    if (!prc_device_contacts_send_world(set))
        return prc_device_status(c->device, error);
    const prc_result result =
        prc_device_predict(c->device, w, &c->view, &c->detector, &c->found, prc_contact_reach(set), x, p, out, error);
    set->detections += w->searches;
    set->held_back = w->collider_rounds + w->rounds > 0;
    set->found_ahead = result == PRC_OK && w->ahead;
    set->seconds_broad += w->seconds_find;
    set->seconds_ccd += prc_seconds() - start - w->seconds_find;
    return result;
}

bool prc_device_contact_move_colliders(prc_contact_set *set, const double *y)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    if (!prc_device_contacts_send_world(set))
        return false;
    return prc_device_colliders_move(c->device, &c->colliders, &c->view, set->colliders, set->collider_done, y);
}

PRC_DEVICE_END
