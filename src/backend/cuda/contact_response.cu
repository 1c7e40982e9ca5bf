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

#define CLOSE_LOOKS 32768 /* threads for what is doubtful */

bool prc_device_contacts_reserve_rows(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const size_t items = (size_t)set->contact_count + (size_t)set->lagged_count;
    const int single = set->model->backend->precision == PRC_PRECISION_SINGLE;
    const size_t four = (single ? 1 : 2) * items; /* REAL numbers per item, in units of the buffer */
    if (!prc_reserve(d, &c->shift, 3 * items + 1) || !prc_reserve(d, &c->shift_step, 3 * items + 1) ||
        !prc_reserve(d, &c->felt, items + 1) || !prc_reserve(d, &c->near, items) ||
        !prc_reserve(d, &c->row_of, items + 1) ||
        !prc_reserve(d, &c->felt_words, PRC_NEAR_ROUNDS * (size_t)PRC_NEAR_CHUNKS(items)) ||
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

/* Lanes that go through the list of one vertex, and entries that each looks at together: all loads first, so that none
 * waits for another. Most lists are short, but a kernel lasts as long as the longest. */
#define LIST_LANES 4
#define LIST_ENTRIES 8

/* The rows of the vertices from `i` on, as many as a warp takes: of their contacts that are felt, then of their lagged
 * frictions. Where there are `words`, they say what row_of does, in so little memory that it stays close. */
template <bool worded>
static PRC_DEVICE void list_rows(const prc_contact_view &view, const int *lagged_start, const int *lagged_of,
                                 const int *row_of, const prc_felt_word *words, const prc_warp &warp, int i, int *first,
                                 int *after, int *list)
{
    prc_per_lane<int> vertex, start, length, next;
    warp.each([&](int lane) {
        const int v = i + lane / LIST_LANES < view.vertex_count ? i + lane / LIST_LANES : view.vertex_count - 1;
        vertex[lane] = v;
        start[lane] = view.of_start[v];
        next[lane] = first[v] = start[lane] + lagged_start[v];
        /* nothing is asked of the others, and an obstacle's lists may be long */
        length[lane] = prc_motion_is_free(view.motion[v]) ? view.of_start[v + 1] - start[lane] : 0;
    });
    const int most = warp.largest(length);
    for (int base = 0; base < most; base += LIST_LANES * LIST_ENTRIES) {
        prc_per_lane<int> entry[LIST_ENTRIES], row[LIST_ENTRIES];
        warp.each([&](int lane) {
            PRC_UNROLL
            for (int k = 0; k < LIST_ENTRIES; k++) {
                const int e = base + LIST_LANES * k + lane % LIST_LANES;
                entry[k][lane] = e < length[lane] ? view.of[start[lane] + e] : -1;
            }
            PRC_UNROLL
            for (int k = 0; k < LIST_ENTRIES; k++) {
                const int contact = entry[k][lane] / 4; /* of −1, 0 */
                if (worded) {
                    const prc_felt_word word = words[contact / PRC_WARP];
                    const unsigned bit = 1u << contact % PRC_WARP, before = word.felt & (bit - 1);
                    row[k][lane] = entry[k][lane] >= 0 && word.felt & bit ? word.row + prc_bit_count(before) : -1;
                    continue;
                }
                const int at = row_of[contact], end = row_of[contact + 1];
                row[k][lane] = entry[k][lane] >= 0 && end > at ? at : -1;
            }
        });
        PRC_UNROLL
        for (int k = 0; k < LIST_ENTRIES; k++) {
            const unsigned felt = warp.ballot([&](int lane) { return row[k][lane] >= 0; });
            warp.each([&](int lane) {
                const unsigned own = felt >> lane / LIST_LANES * LIST_LANES & ((1u << LIST_LANES) - 1);
                const int before = prc_bit_count(own & ((1u << lane % LIST_LANES) - 1));
                if (row[k][lane] >= 0)
                    list[next[lane] + before] = 4 * row[k][lane] + entry[k][lane] % 4;
                next[lane] += prc_bit_count(own);
            });
        }
    }
    warp.each([&](int lane) {
        const int v = vertex[lane], from = lagged_start[v],
                  end = prc_motion_is_free(view.motion[v]) ? lagged_start[v + 1] : from;
        for (int e = from + lane % LIST_LANES; e < end; e += LIST_LANES)
            list[next[lane] + e - from] = 4 * row_of[view.contact_count + lagged_of[e] / 4] + lagged_of[e] % 4;
        after[v] = next[lane] + end - from;
    });
}

/* Row of item k, which is felt. */
static PRC_DEVICE void make_row(const prc_contact_view &view, const prc_device_rows &rows, int k, int row)
{
    prc_active a;
    if (k < view.contact_count)
        prc_contact_row(&view, k, &a);
    else
        prc_lagged_row(&view, k - view.contact_count, &a);
    prc_row_store(&rows, row, &a);
}

/* Notes which items from `first` on are felt, of which lanes have the bits; `row` is that of the first of them. */
static PRC_DEVICE void note_felt(const prc_warp &warp, const prc_per_lane<unsigned> &bits, int first, int row,
                                 prc_felt_word *words)
{
    for (int u = 0; u < PRC_NEAR_ROUNDS; u++) {
        const prc_felt_word word = {warp.ballot([&](int lane) { return bits[lane] >> u & 1; }), row};
        warp.each([&](int lane) {
            if (lane == 0)
                words[first / PRC_WARP + u] = word;
        });
        row += prc_bit_count(word.felt);
    }
}

/* Rows of many items, then the lists: two kernels, for one of them waits for memory and the other has much to do, which
 * lanes do together. */
static void make_many_rows(prc_device_contacts *c, double *told)
{
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    const prc_device_rows rows = c->rows;
    const int items = rows.most, *row_of = c->row_of.data, *felt = c->felt.data;
    const int *lagged_start = c->of_lagged.start.data, *lagged_of = c->of_lagged.of.data;
    int *begin = c->row_ends.data, *after = begin + view.stride, *list = c->row_list.data;
    prc_felt_word *words = c->felt_words.data;
    typedef prc_near_list<PRC_NEAR_ROUNDS> near_list;
    prc_each_warp<near_list, 20>(d, "contacts: rows", PRC_NEAR_CHUNKS(items),
                                 [=] PRC_DEVICE(const prc_warp &warp, near_list &some, int i) {
                                     const int first = PRC_NEAR_CHUNK * i, row = row_of[first];
                                     prc_per_lane<unsigned> bits;
                                     warp.each([&](int lane) {
                                         bits[lane] = 0;
                                         PRC_UNROLL
                                         for (int u = 0; u < PRC_NEAR_ROUNDS; u++) {
                                             const int k = first + PRC_WARP * u + lane;
                                             bits[lane] |= (unsigned)(felt[k < items ? k : items] & -(k < items)) << u;
                                         }
                                         if (i == 0 && lane == 0 && told)
                                             told[PRC_SLOT_ACTIVE] = row_of[items];
                                     });
                                     note_felt(warp, bits, first, row, words);
                                     const int count = prc_device_list(warp, some, first, bits);
                                     for (int e = 0; e < count; e += PRC_WARP)
                                         warp.each([&](int lane) {
                                             if (e + lane < count)
                                                 make_row(view, rows, some.item[e + lane], row + e + lane);
                                         });
                                 });
    const int vertices = PRC_WARP / LIST_LANES;
    prc_each_warp<int, 32>(d, "contacts: lists", (view.vertex_count + vertices - 1) / vertices,
                           [=] PRC_DEVICE(const prc_warp &warp, int &, int i) {
                               list_rows<true>(view, lagged_start, lagged_of, row_of, words, warp, vertices * i, begin,
                                               after, list);
                           });
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
    if (view.far) {
        make_many_rows(c, told);
        return;
    }
    const int warps = (items + PRC_WARP - 1) / PRC_WARP, vertices = PRC_WARP / LIST_LANES;
    prc_each_warp<int, 20>(d, "contacts: rows", (long)warps + (view.vertex_count + vertices - 1) / vertices,
                           [=] PRC_DEVICE(const prc_warp &warp, int &, int i) {
                               if (i >= warps) {
                                   list_rows<false>(view, lagged_start, lagged_of, row_of, NULL, warp,
                                                    vertices * (i - warps), first, after, list);
                                   return;
                               }
                               warp.each([&](int lane) {
                                   const int k = PRC_WARP * i + lane;
                                   if (k == 0 && told)
                                       told[PRC_SLOT_ACTIVE] = row_of[items];
                                   if (k < items && felt[k])
                                       make_row(view, rows, k, row_of[k]);
                               });
                           });
}

/* The geometry of item k at y, and whether it is felt there, where it is not a contact with a collider: these are
 * another kernel's, lest all others carry its registers. The first `pairs` are pairs; what was added comes in any
 * order. */
static PRC_DEVICE void renew_item(const prc_contact_view &view, int k, int pairs, const double *y, const double *x,
                                  int *felt)
{
    prc_contact room;
    if (k >= view.contact_count) {
        prc_lagged_restart(&view, k, y, x);
        felt[k] = 1;
    } else if (k < pairs || prc_contact_open(&view, k, PRC_SLICE_KIND, &room)->collider < 0)
        felt[k] = prc_contact_renew(&view, k, true, y, x);
}

/* The same of the contacts with colliders. Rocking rows come with the one that they are behind. */
static void renew_colliders(prc_device_contacts *c, int pairs, const double *y, const double *x)
{
    prc_contact_view view = c->view;
    if (view.far) {
        view.packed_y = c->packed.data;
        view.packed_slip = view.packed_y + view.stride;
    }
    int *felt = c->felt.data;
    prc_each(c->device, "contacts: evaluate colliders", view.contact_count - pairs, [=] PRC_DEVICE(int i) {
        prc_contact room;
        const int k = pairs + i;
        const prc_contact *kind = prc_contact_open(&view, k, PRC_SLICE_KIND, &room);
        if (kind->count == 1)
            felt[k] = prc_contact_renew(&view, k, false, y, x);
        else if (kind->count == 3 && !prc_contact_rocks(kind))
            prc_contact_renew_face(&view, k, y, x, felt);
    });
}

/* The geometry of many contacts at y, and what is felt there: those that are surely still far apart are not looked at.
 */
static void renew_many(prc_device_contacts *c, int pairs, const double *y, const double *x)
{
    prc_contact_view view = c->view;
    prc_four_doubles *packed = c->packed.data, *slip = packed + view.stride;
    view.packed_y = packed;
    view.packed_slip = slip;
    const int items = c->rows.most, looks = PRC_NEAR_LOOKS(items), *near = c->near.data;
    float *way = c->way.data, *far = view.far;
    double *last = c->last.data;
    int *felt = c->felt.data, *count = c->counts.data + PRC_COUNT_NEAR;
    prc_each(c->device, "contacts: ways", view.vertex_count, [=] PRC_DEVICE(int i) {
        double d[3], s[3], size = 0;
        for (int q = 0; q < 3; q++) {
            const long at = (long)q * view.stride + i;
            d[q] = y[at] - last[at];
            s[q] = y[at] - x[at];
            size = prc_larger(size, prc_larger(fabs(y[at]), fabs(last[at])));
            last[at] = y[at];
        }
        way[i] = prc_contact_way_most(d, size);
        packed[i] = prc_device_pack(y, view.stride, i);
        slip[i] = {s[0], s[1], s[2], 0};
        if (i == 0)
            *count = 0;
    });
    prc_device_list_all_near(
        c, "contacts: near", items, count, [] PRC_DEVICE() { return false; },
        [=] PRC_DEVICE(int k, float left) {
            far[k] = 0.999999f * left;
            felt[k] = 0;
        });
    prc_each<4>(c->device, "contacts: evaluate", looks, [=] PRC_DEVICE(int i) {
        for (int e = i; e < *count; e += looks)
            renew_item(view, near[e], pairs, y, x, felt);
    });
}

/* Forces at y; with `anew` after the geometry there. */
static void find_forces(prc_contact_set *set, const double *y, const double *x, double h, bool anew)
{
    const double start = prc_seconds();
    prc_device_contacts *c = prc_device_contacts_of(set);
    set->friction_eps = c->view.friction_eps = set->def.eps_v * h;
    const prc_contact_view view = c->view;
    const int pairs = set->pair_count;
    int *felt = c->felt.data;
    if (anew && view.far)
        renew_many(c, set->pair_count, y, x);
    else if (anew)
        prc_each(c->device, "contacts: evaluate", c->rows.most,
                 [=] PRC_DEVICE(int k) { renew_item(view, k, pairs, y, x, felt); });
    else
        prc_each(c->device, "contacts: felt", c->rows.most, [=] PRC_DEVICE(int k) {
            prc_contact_restart(&view, k, y, x);
            felt[k] = k >= view.contact_count || prc_contact_is_felt(&view, k);
        });
    if (anew && pairs < view.contact_count)
        renew_colliders(c, pairs, y, x);
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
    prc_device_colliders_send(c->device, &c->colliders, set->colliders);
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

/* Whether contact k, which is exact, open but for its margins, and goes on by `ahead`, can do work along its step, and
 * how much at both ends: none where it is not felt at either, since the gap of a contact is linear along it. */
static PRC_DEVICE bool work_ahead(const prc_contact_view &view, int k, const prc_contact *contact,
                                  const double ahead[3], double work[2])
{
    double from[3], end[3];
    for (int c = 0; c < 3; c++) {
        from[c] = view.shift[k][c];
        end[c] = from[c] + ahead[c];
    }
    if (!prc_contact_feels(contact, from) && !prc_contact_feels(contact, end))
        return false;
    work[0] = prc_contact_work_of(&view, contact, from, ahead, 0);
    work[1] = prc_contact_work_of(&view, contact, from, ahead, 1);
    return true;
}

static PRC_DEVICE bool aim_lagged(const prc_contact_view &view, int k, const double *step, double work[2])
{
    prc_lagged_aim(&view, k, step);
    work[0] = prc_lagged_work(&view, k, 0);
    work[1] = prc_lagged_work(&view, k, 1);
    return true;
}

/* Aims item k; as work_ahead. */
static PRC_DEVICE bool aim_item(const prc_contact_view &view, int k, const double *y, const double *x,
                                const double *made, const double *step, double work[2])
{
    prc_contact room;
    double ahead[3];
    work[0] = work[1] = 0;
    if (k >= view.contact_count)
        return aim_lagged(view, k, step, work);
    if (!prc_contact_aim_at(&view, k, y, x, made, step, &room, ahead))
        return false;
    const unsigned slices = PRC_SLICE_PLANE | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE | PRC_SLICE_SLIP | PRC_SLICE_LAW;
    return work_ahead(view, k, prc_contact_open(&view, k, slices, &room), ahead, work);
}

/* The search along the step, by all threads together. `work` are those of this thread's items at both ends; which of
 * them work says `works`. */
static PRC_DEVICE void search_together(const prc_contact_view &view, const prc_grid &grid, int items, const int *works,
                                       double work[2], double *slot)
{
    double slope[2];
    grid.sum(work, 2, slope);
    prc_part_search search = prc_part_begin(slot[PRC_SLOT_SLOPE], slot[PRC_SLOT_CURVATURE], slope[0], slope[1]);
    while (!search.found) {
        const double t = prc_part_next(&search);
        work[0] = 0;
        grid.each(items, [&](int k) { work[0] += works[k] ? prc_contact_work(&view, k, t) : 0; });
        grid.sum(work, 1, slope);
        prc_part_tell(&search, t, slope[0]);
    }
    if (grid.first()) {
        slot[PRC_SLOT_PART] = search.part;
        slot[PRC_SLOT_SURPRISE] = search.surprise;
    }
}

/* Aims item k, if it is exact; else it goes to a list, since few are not that are near, and they take many registers.
 */
static PRC_DEVICE bool aim_near(const prc_contact_view &view, int k, const double *step, int *doubtful, int *doubts,
                                double work[2])
{
    prc_contact room;
    double ahead[3];
    work[0] = work[1] = 0;
    if (k >= view.contact_count)
        return aim_lagged(view, k, step, work);
    const prc_contact *contact = prc_contact_open(&view, k, PRC_SLICE_ALL & ~PRC_SLICE_MARGIN, &room);
    if (!contact->pushes || (!contact->exact && (contact->quiet || prc_contact_rocks(contact))))
        return false;
    if (!contact->exact) {
        doubtful[prc_atomic_add(doubts, 1)] = k;
        return false;
    }
    prc_contact_aim_exactly(&view, k, contact, step, ahead);
    return work_ahead(view, k, contact, ahead, work);
}

/* How far a move takes the vertices at most; and nothing is near or doubtful yet. */
static void find_ways(prc_device_contacts *c, const double *y, const double *made, const double *step, int *count,
                      int *doubts)
{
    const prc_contact_view view = c->view;
    float *way = c->way.data;
    prc_four_doubles *packed = c->packed.data + view.stride;
    prc_each(c->device, "contacts: ways", view.vertex_count, [=] PRC_DEVICE(int i) {
        double d[3], size = 0;
        for (int q = 0; q < 3; q++) {
            const long at = (long)q * view.stride + i;
            d[q] = made[at] + step[at];
            size = prc_larger(size, prc_larger(fabs(y[at]), prc_larger(fabs(made[at]), fabs(step[at]))));
        }
        way[i] = prc_contact_way_most(d, size);
        packed[i] = prc_device_pack(step, view.stride, i);
        if (i == 0)
            *doubts = *count = 0;
    });
}

/* Aims many items: works[k] says whether one can do work, columns how much. Those that are far and stay out of range
 * are not looked at. Many threads aim more of them at a time than those who can wait for each other. */
static void aim_many(prc_device_contacts *c, const double *y, const double *x, const double *made, const double *step,
                     int *works)
{
    const prc_contact_view view = c->view;
    const int items = c->rows.most, looks = PRC_NEAR_LOOKS(items), *near = c->near.data;
    double *column = c->column.data;
    int *doubtful = c->doubtful.data, *doubts = c->counts.data + PRC_COUNT_DOUBTS;
    int *count = c->counts.data + PRC_COUNT_NEAR;
    find_ways(c, y, made, step, count, doubts);
    prc_contact_view quick = view;
    quick.packed_step = c->packed.data + view.stride;
    prc_device_list_all_near(
        c, "contacts: aim, near", items, count, [] PRC_DEVICE() { return false; },
        [=] PRC_DEVICE(int k, float) {
            works[k] = 0;
            column[k] = column[(long)items + k] = 0;
        });
    prc_each<5>(c->device, "contacts: aim", looks, [=] PRC_DEVICE(int i) {
        for (int e = i; e < *count; e += looks) {
            double work[2];
            const int k = near[e];
            works[k] = aim_near(quick, k, step, doubtful, doubts, work);
            column[k] = work[0];
            column[(long)items + k] = work[1];
        }
    });
    prc_each(c->device, "contacts: aim closely", CLOSE_LOOKS, [=] PRC_DEVICE(int i) {
        for (int e = i; e < *doubts; e += CLOSE_LOOKS) {
            double work[2];
            const int k = doubtful[e];
            works[k] = aim_item(view, k, y, x, made, step, work);
            column[k] = work[0];
            column[(long)items + k] = work[1];
        }
    });
}

void prc_device_contact_search(prc_contact_set *set, const double *y, const double *x, const double *made,
                               const double *step, double *slot)
{
    const double start = prc_seconds();
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    const int items = c->rows.most;
    int *works = c->felt.data; /* free between a shift and the next */
    if (view.far && prc_reserve(c->device, &c->column, 2 * (size_t)items) &&
        prc_reserve(c->device, &c->doubtful, (size_t)view.contact_count)) {
        const double *column = c->column.data;
        aim_many(c, y, x, made, step, works);
        prc_together(
            c->device, "contacts: search",
            [=] PRC_DEVICE(const prc_grid &grid) {
                double work[2] = {0, 0};
                grid.each(items, [&](int k) {
                    work[0] += column[k];
                    work[1] += column[(long)items + k];
                });
                search_together(view, grid, items, works, work, slot);
            },
            items);
    } else
        prc_together(
            c->device, "contacts: search",
            [=] PRC_DEVICE(const prc_grid &grid) {
                double work[2] = {0, 0};
                grid.each(items, [&](int k) {
                    double own[2];
                    works[k] = aim_item(view, k, y, x, made, step, own);
                    work[0] += own[0];
                    work[1] += own[1];
                });
                search_together(view, grid, items, works, work, slot);
            },
            4L * items); /* on four times as many multiprocessors: each thread takes long */
    set->seconds_forces += prc_seconds() - start;
}

void prc_device_contact_shift(prc_contact_set *set, const double *slot)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    int *felt = c->felt.data;
    prc_each(c->device, "contacts: shift", c->rows.most, [=] PRC_DEVICE(int k) {
        if (view.far && k < view.contact_count && view.far[k] > 0) {
            felt[k] = 0;
            return;
        }
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
    prc_each(d, "friction: choose", contacts, [=] PRC_DEVICE(int k) {
        prc_contact room;
        const unsigned slices = PRC_SLICE_RANGE | PRC_SLICE_DISTANCE | PRC_SLICE_SLIP | PRC_SLICE_LAW;
        chosen[k] = prc_contact_friction_limit(prc_contact_open(&view, k, slices, &room)) > 0;
    });
    prc_scan(d, chosen, place, contacts);
    prc_copy_out(d, &count, place + contacts, sizeof count);
    if (prc_device_failed(d) || !prc_reserve(d, &c->lagged, (size_t)count + 1))
        return false;
    set->lagged_count = count;
    if (!prc_device_contacts_reserve_rows(set))
        return false;
    prc_lagged *lagged = c->lagged.data;
    prc_each(d, "friction: freeze", contacts, [=] PRC_DEVICE(int k) {
        prc_contact room;
        if (chosen[k])
            prc_lagged_begin(&lagged[place[k]], prc_contact_open(&view, k, PRC_SLICE_ALL, &room));
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
