/* backend/cuda/contact.cu — see contact.h: making the device's contact set, finding contacts, their geometry.
 *
 * A detection: balls and radii; pairs that are close (detect.h) and are contacts, at once, or after a prediction, which
 * needs all close ones, apart; which vertices and triangles are contacts of which colliders; where each goes, by a
 * scan, which keeps the CPU's order; the contacts; the list of each vertex. The host waits for the number of pairs,
 * and, unless that is all, for that of contacts. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the CPU's part of the contact set includes */

#include "backend/cuda/contact.h"

#include "base/clock.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>

PRC_DEVICE_BEGIN

/* --- making and releasing --- */

void prc_device_index_release(prc_device *d, prc_device_index *index)
{
    prc_release(d, &index->start);
    prc_release(d, &index->of);
    prc_release(d, &index->key);
}

/* The next `count` numbers of the block of all arrays, with what the host has in them. */
static double *take(prc_device *d, double **next, const double *from, size_t count)
{
    double *at = *next;
    *next += count;
    if (from)
        prc_copy_in(d, at, from, count * sizeof *at);
    return at;
}

/* The arrays of the view that are per vertex. */
static bool make_vertices(prc_contact_set *set, prc_device_contacts *c)
{
    prc_device *d = c->device;
    prc_contact_view *view = &c->view;
    const prc_contact_view host = prc_contact_see(set);
    const size_t n = (size_t)host.stride, vertices = (size_t)host.vertex_count;
    if (!prc_reserve(d, &c->numbers, 15 * n) || !prc_reserve(d, &c->integers, 3 * n) || !prc_reserve(d, &c->motion, n))
        return false;
    prc_fill(d, c->numbers.data, 0, 15 * n * sizeof(double));
    prc_fill(d, c->integers.data, 0, 3 * n * sizeof(int));
    double *next = c->numbers.data;
    view->half = take(d, &next, host.half, n);
    view->half_d_hat = take(d, &next, host.half_d_hat, n);
    view->rest = take(d, &next, host.rest, 3 * n);
    view->stiffness = take(d, &next, host.stiffness, n);
    view->adapted = take(d, &next, host.adapted, n);
    view->pressure = take(d, &next, host.pressure, n);
    view->gap = take(d, &next, host.gap, n);
    view->radius = take(d, &next, host.radius, n);
    view->ball = take(d, &next, host.ball, n);
    view->anchor = take(d, &next, host.anchor, 3 * n);
    view->area = next; /* the model's has no padding */
    prc_copy_in(d, next, host.area, vertices * sizeof(double));
    const size_t parts = (size_t)set->mixed_count * (size_t)host.elastic_count;
    if (!prc_reserve(d, &c->pushed_part, parts + 1))
        return false;
    prc_copy_in(d, c->pushed_part.data, host.pushed_part, parts * sizeof(float));
    view->pushed_part = c->pushed_part.data;
    view->body_of = c->integers.data;
    prc_copy_in(d, c->integers.data, host.body_of, vertices * sizeof(int));
    view->held = c->integers.data + n;
    view->marked = c->integers.data + 2 * n;
    view->motion = c->motion.data;
    prc_copy_in(d, c->motion.data, host.motion, vertices);
    if (!prc_reserve(d, &c->triangles, 3 * (size_t)host.triangle_count + 1))
        return false;
    prc_copy_in(d, c->triangles.data, host.triangles, (size_t)host.triangle_count * sizeof *host.triangles);
    view->triangles = (const int(*)[3])c->triangles.data;
    view->triangle_count = host.triangle_count;
    return true;
}

static bool make_bodies(prc_contact_set *set, prc_device_contacts *c)
{
    prc_device *d = c->device;
    const size_t bodies = (size_t)set->bodies.count, pairs = (size_t)set->bodies.pair_count;
    if (!prc_reserve(d, &c->body_friction, bodies) || !prc_reserve(d, &c->body_pairs, pairs + 1))
        return false;
    prc_copy_in(d, c->body_friction.data, set->bodies.friction, bodies * sizeof(double));
    prc_copy_in(d, c->body_pairs.data, set->bodies.pairs, pairs * sizeof(prc_contact_pair_def));
    c->view.body_friction = c->body_friction.data;
    c->view.pair_of_bodies = c->body_pairs.data;
    return true;
}

/* Within one body thickness and barrier have little more room than a share of the distance at rest
 * (prc_pair_can_be_felt): the search leaves out what cannot come so close. */
static bool make_rest(const prc_contact_set *set, prc_device_contacts *c)
{
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    if (!prc_reserve(d, &c->rest, (size_t)view.vertex_count + 1))
        return false;
    prc_quad4 *at = c->rest.data;
    const double most = 1 - PRC_CONTACT_ROOM; /* of the range can be lost */
    prc_each(d, "contacts: rest", view.vertex_count, [=] PRC_DEVICE(int i) {
        double x[3];
        prc_take3(view.rest, view.stride, i, x);
        at[i] = {(float)(PRC_CONTACT_REST_SHARE * x[0]), (float)(PRC_CONTACT_REST_SHARE * x[1]),
                 (float)(PRC_CONTACT_REST_SHARE * x[2]), (float)(most * (view.half[i] + view.half_d_hat[i]))};
    });
    c->detector.rest.at = at;
    c->detector.rest.body = set->bodies.count > 1 ? view.body_of : NULL;
    return true;
}

/* What is as long as the vertices, whatever is in contact. */
static bool make_work(prc_device_contacts *c)
{
    prc_device *d = c->device;
    const size_t n = (size_t)c->view.stride;
    return prc_reserve(d, &c->counts, 3 * PRC_COUNT_COUNT) && prc_reserve(d, &c->largest, 1) &&
           prc_reserve(d, &c->row_ends, 2 * n) && prc_reserve(d, &c->last, 3 * n) && prc_reserve(d, &c->way, n) &&
           prc_reserve(d, &c->packed, 2 * n) && prc_reserve(d, &c->no_starts, n + 1) &&
           prc_reserve(d, &c->of_lagged.start, n + 1);
}

static void destroy(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    if (!c)
        return;
    prc_device *d = c->device;
    prc_release(d, &c->numbers);
    prc_release(d, &c->integers);
    prc_release(d, &c->motion);
    prc_release(d, &c->triangles);
    prc_release(d, &c->body_friction);
    prc_release(d, &c->body_pairs);
    prc_device_detector_release(d, &c->detector);
    prc_release(d, &c->rest);
    prc_release(d, &c->pushed_part);
    prc_device_pairs_release(d, &c->found);
    prc_device_prediction_release(d, &c->prediction);
    prc_device_colliders_release(d, &c->colliders);
    prc_release(d, &c->rigids);
    prc_free(c->rigids_home);
    prc_release(d, &c->own);
    prc_release(d, &c->exempt_pairs);
    prc_release(d, &c->exempt_slots);
    prc_release(d, &c->slices);
    prc_release(d, &c->far);
    prc_release(d, &c->last);
    prc_release(d, &c->way);
    prc_release(d, &c->packed);
    prc_release(d, &c->lagged);
    prc_release(d, &c->no_starts);
    prc_device_index_release(d, &c->of_contacts);
    prc_device_index_release(d, &c->of_lagged);
    prc_device_extension_release(d, &c->extension);
    prc_release(d, &c->shift);
    prc_release(d, &c->shift_step);
    prc_release(d, &c->column);
    prc_release(d, &c->felt);
    prc_release(d, &c->row_of);
    prc_release(d, &c->felt_words);
    prc_release(d, &c->row_vertices);
    prc_release(d, &c->row_ends);
    prc_release(d, &c->row_list);
    prc_release(d, &c->row_numbers);
    prc_release(d, &c->row_force);
    prc_release(d, &c->near);
    prc_release(d, &c->doubtful);
    prc_release(d, &c->chosen);
    prc_release(d, &c->place);
    prc_release(d, &c->counts);
    prc_release(d, &c->largest);
    prc_free(c);
    set->device = NULL;
    set->active.device = NULL;
    set->table = NULL;
}

static void forget_contacts(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    set->contact_count = set->pair_count = set->active.count = c->view.contact_count = c->rows.most = 0;
    set->active_known = false;
    c->view.far = NULL;
    c->view.of_start = c->no_starts.data; /* also where there will be no memory for others */
}

void prc_device_contacts_forget(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    forget_contacts(set);
    set->lagged_count = c->view.lagged_count = 0;
    prc_fill(c->device, c->of_lagged.start.data, 0, ((size_t)c->view.vertex_count + 1) * sizeof(int));
}

bool prc_device_contacts_fetch(prc_contact_set *set, prc_contact *out)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    prc_buffer<prc_contact> structs = {NULL, 0};
    if (!prc_reserve(c->device, &structs, (size_t)view.contact_count + 1))
        return false;
    prc_contact *to = structs.data;
    const double *last = c->last.data;
    prc_each(c->device, "contacts: fetch", view.contact_count, [=] PRC_DEVICE(int k) {
        prc_contact_open(&view, k, PRC_SLICE_ALL, &to[k]);
        if (view.far && view.far[k] > 0)
            prc_contact_locate(&view, &to[k], last);
    });
    prc_copy_out(c->device, out, to, (size_t)view.contact_count * sizeof *out);
    prc_release(c->device, &structs);
    return !prc_device_failed(c->device);
}

static prc_result create(prc_contact_set *set, void *device, prc_error *error)
{
    prc_device_contacts *c = PRC_NEW(prc_device_contacts, 1);
    if (!c)
        return PRC_FAIL_MEMORY(error);
    prc_device *d = c->device = (prc_device *)device;
    set->table = &PRC_DEVICE_TABLE(prc_contact_);
    set->device = c;
    set->active.device = &c->rows;
    c->many = PRC_MANY_CONTACTS;
    c->measured = true;
    const prc_contact_view host = prc_contact_see(set);
    c->view.vertex_count = host.vertex_count;
    c->view.elastic_count = host.elastic_count;
    c->view.ring_count = host.ring_count;
    c->view.stride = host.stride;
    c->view.body_pair_count = host.body_pair_count;
    c->view.largest_d_hat = host.largest_d_hat;
    c->view.edge_length = host.edge_length;
    c->view.short_edge = host.short_edge;
    c->view.collider_count = host.collider_count;
    c->view.guards_faces = host.guards_faces;
    c->view.friction_lags = host.friction_lags;
    prc_result result = prc_device_colliders_create(d, &c->colliders, set->colliders, set->collider_count, error);
    c->view.colliders = c->colliders.colliders.data;
    if (result == PRC_OK)
        result = prc_device_detector_create(d, &c->detector, &set->surface, error);
    if (result == PRC_OK &&
        (!make_vertices(set, c) || !make_bodies(set, c) || !make_rest(set, c) || !make_work(c) ||
         !prc_device_rigids_create(set, c) || !prc_device_extension_create(d, &c->extension, &set->surface)))
        result = prc_device_status(d, error);
    if (result == PRC_OK) {
        c->view.colliders = c->colliders.colliders.data;
        prc_fill(d, c->no_starts.data, 0, ((size_t)c->view.vertex_count + 1) * sizeof(int));
        prc_fill(d, c->counts.data, 0, 3 * PRC_COUNT_COUNT * sizeof(int));
        prc_device_contacts_forget(set);
        if (!prc_device_contacts_reserve_rows(set))
            result = prc_device_status(d, error);
    }
    if (result != PRC_OK)
        destroy(set);
    return result;
}

/* --- what the host has --- */

/* Pressures and gaps are for those who ask: they are made when they are fetched, which is before contacts are found
 * anew, or then. */
static void measure_vertices(prc_device_contacts *c)
{
    const prc_contact_view view = c->view;
    if (!c->measured)
        prc_each(c->device, "contacts: measure", view.vertex_count,
                 [=] PRC_DEVICE(int i) { prc_contact_measure_vertex(&view, i); });
    c->measured = true;
}

static void fetch(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    measure_vertices(c);
    const size_t bytes = (size_t)c->view.stride * sizeof(double);
    prc_copy_out_later(c->device, set->adapted, c->view.adapted, bytes);
    prc_copy_out_later(c->device, set->pressure, c->view.pressure, bytes);
    prc_copy_out_later(c->device, set->gap, c->view.gap, bytes);
}

static void send(prc_contact_set *set)
{
    const prc_device_contacts *c = prc_device_contacts_of(set);
    const size_t bytes = (size_t)c->view.stride * sizeof(double);
    prc_copy_in(c->device, (double *)c->view.stiffness, set->stiffness, bytes);
    prc_copy_in(c->device, (double *)c->view.body_friction, set->bodies.friction,
                (size_t)set->bodies.count * sizeof(double));
    prc_copy_in(c->device, c->view.adapted, set->adapted, bytes);
    prc_copy_in(c->device, c->view.pressure, set->pressure, bytes);
    prc_copy_in(c->device, c->view.gap, set->gap, bytes);
}

bool prc_device_contacts_send_world(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    prc_device_colliders_send(d, &c->colliders, set->colliders);
    const prc_exempt_view exempt = prc_exempt_see(&set->exempt);
    c->view.exempt.count = exempt.count;
    if (exempt.count == 0)
        return !prc_device_failed(d);
    if (!prc_reserve(d, &c->exempt_pairs, (size_t)exempt.count) ||
        !prc_reserve(d, &c->exempt_slots, (size_t)exempt.slot_count))
        return false;
    prc_copy_in(d, c->exempt_pairs.data, exempt.pairs, (size_t)exempt.count * sizeof *exempt.pairs);
    prc_copy_in(d, c->exempt_slots.data, exempt.slots, (size_t)exempt.slot_count * sizeof *exempt.slots);
    c->view.exempt.pairs = c->exempt_pairs.data;
    c->view.exempt.slots = c->exempt_slots.data;
    c->view.exempt.slot_count = exempt.slot_count;
    return true;
}

/* --- detection --- */

/* Which of the pairs that are close are contacts. */
struct keep_contacts {
    prc_contact_view view;
    const double *y;

    PRC_DEVICE bool operator()(const int *v, int side_a) const
    {
        return !prc_pair_is_exempt(&view, v, side_a) && prc_pair_is_contact(&view, v, side_a, y);
    }

    /* Of pairs of which it is not sure that they are close: where the detection was at y, with the radii of the view,
     * one distance serves for both. Those of two bodies that are surely close are contacts: radii are ranges and balls,
     * and nothing is scaled to the rest shape. */
    PRC_DEVICE bool operator()(const prc_detect_view &, const int *v, int side_a, bool doubtful) const
    {
        if (!doubtful && view.body_of[v[0]] != view.body_of[v[3]])
            return !prc_pair_is_exempt(&view, v, side_a);
        const double radius[4] = {view.radius[v[0]], view.radius[v[1]], view.radius[v[2]], view.radius[v[3]]};
        const double distance = prc_pair_distance(y, view.stride, v, side_a);
        double room;
        return (!doubtful || distance < prc_near_reach(radius, side_a)) && !prc_pair_is_exempt(&view, v, side_a) &&
               prc_pair_can_be_felt(&view, v, side_a, distance, &room);
    }
};

/* Items of triangles and colliders: by collider, triangle and contact of the two. */
static long face_items(const prc_contact_set *set)
{
    return set->guards_faces ? 3L * (set->surface.triangle_count - set->surface.bare_count) * set->collider_count : 0;
}

struct face_item {
    int collider, which;
    const int *v;
};

static PRC_DEVICE face_item face_at(const prc_contact_view &view, int item)
{
    const int triangle = item / 3 % view.triangle_count;
    return {item / 3 / view.triangle_count, item % 3, view.triangles[triangle]};
}

/* The three items of a triangle and a collider, of which the first one comes here. */
static PRC_DEVICE void choose_face(const prc_contact_view &view, int item, const double *y, int chosen[3])
{
    const face_item at = face_at(view, item);
    const int contacts =
        prc_face_can_be_felt(&view, at.v, at.collider, y) ? prc_face_contacts(&view, at.v, at.collider) : 0;
    for (int which = 0; which < 3; which++)
        chosen[which] = which < contacts;
}

/* Marks what is a contact, and where each goes: of the pairs that were found those from `settled` on, before which all
 * are, of vertices by colliders, and of triangles by colliders. And how many there are. */
static bool choose(prc_device_contacts *c, const double *y, int settled, long faces, int counted[3])
{
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    const prc_device_pair *points = c->found.point_triangle.data, *edges = c->found.edge_edge.data;
    const int point_count = c->found.point_triangle_count, elastic = view.elastic_count;
    const long pairs = (long)point_count + c->found.edge_edge_count,
               vertices = pairs + (long)elastic * view.collider_count, all = vertices + faces;
    counted[PRC_COUNT_PAIRS] = counted[PRC_COUNT_POINTS] = counted[PRC_COUNT_CONTACTS] = settled;
    if (all >= INT_MAX / 4) {
        prc_device_fail(d, PRC_ERROR_MEMORY, "too many contact pairs for a device");
        return false;
    }
    if (all == settled)
        return true;
    if (!prc_reserve(d, &c->chosen, (size_t)all) || !prc_reserve(d, &c->place, (size_t)all + 1))
        return false;
    int *chosen = c->chosen.data, *place = c->place.data, *counts = c->counts.data;
    const keep_contacts keep = {view, y};
    prc_each(d, "contacts: choose", all - settled, [=] PRC_DEVICE(int i) {
        const int k = settled + i, item = k - (int)pairs;
        if (k >= vertices && (k - vertices) % 3 == 0)
            choose_face(view, k - (int)vertices, y, &chosen[i]);
        else if (k >= vertices)
            return;
        else if (k >= pairs)
            chosen[i] = prc_collider_can_be_felt(&view, item % elastic, item / elastic, y);
        else
            chosen[i] = k < point_count ? keep(points[k].v, 1) : keep(edges[k - point_count].v, 2);
    });
    prc_scan(d, chosen, place, (int)all - settled);
    prc_each(d, "contacts: count", 1, [=] PRC_DEVICE(int) {
        counts[PRC_COUNT_PAIRS] = settled + place[pairs - settled];
        counts[PRC_COUNT_POINTS] = settled + place[vertices - settled];
        counts[PRC_COUNT_CONTACTS] = settled + place[all - settled];
    });
    prc_copy_out(d, counted, counts, 3 * sizeof *counts);
    return !prc_device_failed(d);
}

/* The contacts that were chosen, with their geometry. */
static void make_contacts(prc_device_contacts *c, const double *y, int settled, int faces)
{
    prc_contact_view view = c->view;
    view.packed_y = c->packed.data;
    const prc_device_pair *points = c->found.point_triangle.data, *edges = c->found.edge_edge.data;
    const int point_count = c->found.point_triangle_count, elastic = view.elastic_count;
    const int pairs = point_count + c->found.edge_edge_count, vertices = pairs + elastic * view.collider_count,
              all = vertices + faces;
    const int *chosen = c->chosen.data, *place = c->place.data;
    prc_each<4>(c->device, "contacts: make", all, [=] PRC_DEVICE(int k) {
        if (k >= settled && !chosen[k - settled])
            return;
        prc_contact contact;
        if (k >= vertices) {
            const face_item at = face_at(view, k - vertices);
            prc_contact_begin_face(&view, &contact, at.v, at.collider, at.which);
            prc_contact_locate(&view, &contact, y);
        } else if (k >= pairs) {
            const int item = k - pairs;
            prc_contact_begin_collider(&view, &contact, item % elastic, item / elastic);
            prc_contact_locate(&view, &contact, y);
        } else {
            const prc_device_pair pair = k < point_count ? points[k] : edges[k - point_count];
            prc_pair_make(&view, &contact, pair.v, k < point_count ? 1 : 2, y);
        }
        const int to = k < settled ? k : settled + place[k - settled];
        if (!view.far) {
            prc_contact_close(&view, to, PRC_SLICE_ALL, &contact);
            return;
        }
        /* of one that is far nobody reads the rest before it is made anew */
        const unsigned rest = PRC_SLICE_MARGIN | PRC_SLICE_WEIGHTS | PRC_SLICE_SLIP;
        prc_contact_close(&view, to, PRC_SLICE_ALL & ~rest, &contact);
        view.far[to] = prc_contact_beyond(&contact);
        if (!(view.far[to] > 0))
            prc_contact_close(&view, to, rest, &contact);
    });
}

/* Entry e: 4 contact + place. */
static PRC_DEVICE int entry_at(int e, int of_pairs, int of_points, int pairs, int points)
{
    if (e < of_pairs)
        return e;
    if (e < of_points)
        return 4 * (pairs + e - of_pairs);
    return 4 * (points + (e - of_points) / 3) + (e - of_points) % 3;
}

/* Contacts of each vertex: four entries of every pair (one that stands in several places has one for each; all but the
 * first have no weight), one of every vertex and collider, three of every triangle and
 * collider, in this order; `points` of them are not those. */
static bool index_contacts(prc_contact_set *set, int points)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const int *v = (const int *)c->slices.data; /* vertices are the first slice */
    const int pairs = set->pair_count, of_pairs = 4 * pairs, of_points = of_pairs + points - pairs;
    const int entries = of_points + 3 * (set->contact_count - points);
    const bool made = prc_device_index_make(
        c->device, &c->of_contacts, c->view.vertex_count, entries,
        [=] PRC_DEVICE(int e) { return v[entry_at(e, of_pairs, of_points, pairs, points)]; },
        [=] PRC_DEVICE(int e) { return entry_at(e, of_pairs, of_points, pairs, points); });
    c->view.of_start = c->of_contacts.start.data;
    c->view.of = c->of_contacts.of.data;
    c->extension.entries = entries;
    return made;
}

/* How many may be added to so many of them before all are found anew: half, of very many an eighth. */
static size_t contacts_to_add(size_t contacts)
{
    const size_t half = contacts / 2, most = contacts / 8 > 262144 ? contacts / 8 : 262144;
    return 8192 + (half < most ? half : most);
}

/* After the pairs are found, all of them contacts, or none that is known to be. */
static bool take_found(prc_contact_set *set, const double *y, bool are_contacts)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const int settled = are_contacts ? c->found.point_triangle_count + c->found.edge_edge_count : 0;
    const long faces = face_items(set);
    int counts[3];
    const bool chosen = choose(c, y, settled, faces, counts);
    const size_t contacts = (size_t)counts[PRC_COUNT_CONTACTS], room = contacts + contacts_to_add(contacts),
                 stride = room / PRC_WARP * PRC_WARP;
    if (!chosen || !prc_reserve(d, &c->slices, PRC_SLICE_COUNT * stride) || !prc_reserve(d, &c->far, stride))
        return false;
    set->pair_count = counts[PRC_COUNT_PAIRS];
    set->contact_count = c->view.contact_count = counts[PRC_COUNT_CONTACTS];
    c->view.slices = c->slices.data;
    c->view.slice_stride = (long)stride;
    c->view.far = set->contact_count >= c->many ? c->far.data : NULL;
    make_contacts(c, y, settled, (int)faces);
    return prc_device_contacts_reserve_rows(set) &&
           index_contacts(set, counts[PRC_COUNT_POINTS]); /* the lists last, which are empty till then */
}

static prc_result detect(prc_contact_set *set, const double *y, const double *p, prc_error *error)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const double start = prc_seconds();
    const bool ahead = set->found_ahead && !p; /* the prediction that ended at y has found them */
    set->found_ahead = false;
    set->detections += !ahead;
    forget_contacts(set);
    set->lagged_count = c->view.lagged_count; /* the set may have been used on the host in between */
    if (!prc_device_contacts_send_world(set))
        return prc_device_status(d, error);
    const prc_contact_view view = c->view;
    double *last = c->last.data;
    prc_four_doubles *packed = c->packed.data;
    prc_each(d, "contacts: balls", view.vertex_count, [=] PRC_DEVICE(int i) {
        prc_contact_anchor(&view, i, y, p);
        packed[i] = prc_device_pack(y, view.stride, i);
        for (int q = 0; q < 3; q++)
            last[(long)q * view.stride + i] = y[(long)q * view.stride + i];
    });
    const keep_contacts keep = {view, y};
    prc_result result =
        ahead ? PRC_OK
              : prc_device_detect_each(d, &c->detector, y, NULL, view.stride, view.radius, 0, keep, &c->found, error);
    const double found = prc_seconds();
    set->seconds_broad += found - start;
    if (result == PRC_OK && !take_found(set, y, !ahead))
        result = prc_device_status(d, error);
    if (result != PRC_OK)
        prc_device_contacts_forget(set);
    set->seconds_bounds += prc_seconds() - found;
    return result;
}

static void geometry(prc_contact_set *set, const double *y)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device_colliders_send(c->device, &c->colliders, set->colliders);
    const prc_contact_view view = c->view;
    prc_each(c->device, "contacts: geometry", view.contact_count,
             [=] PRC_DEVICE(int k) { prc_contact_relocate(&view, k, y); });
    if (view.far)
        prc_copy_within(c->device, c->last.data, y, 3 * (size_t)view.stride * sizeof(double));
}

/* --- after a step --- */

static void measure(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const prc_contact_view view = c->view;
    set->smallest_gap = INFINITY;
    if (!prc_reserve(d, &c->column, (size_t)view.contact_count + 1))
        return;
    const double *last = c->last.data;
    double *column = c->column.data, least = 0, *to = set->told ? set->told + PRC_SLOT_GAP : c->largest.data;
    prc_each_folded<prc_fold_largest>(
        d, "contacts: gaps", view.contact_count,
        [=] PRC_DEVICE(int k) {
            prc_contact room,
                *contact = prc_contact_open(&view, k, PRC_SLICE_KIND | PRC_SLICE_RANGE | PRC_SLICE_DISTANCE, &room);
            if (contact->count == 3)
                contact = prc_contact_open(&view, k, PRC_SLICE_PLANE, &room);
            double distance = prc_contact_bound(contact);
            if (view.far && view.far[k] > 0) { /* an old one */
                double x[4][3];
                contact = prc_contact_open(&view, k, PRC_SLICE_VERTICES | PRC_SLICE_KIND | PRC_SLICE_PLANE, contact);
                prc_contact_take(&view, contact, last, x);
                distance = prc_contact_separation(contact, (const double(*)[3])x);
            }
            column[k] = contact->xi - distance;
        },
        column, view.contact_count, 1, to);
    c->measured = false;
    if (set->told) /* whoever reads the slots tells the set */
        return;
    prc_copy_out(d, &least, to, sizeof least);
    set->smallest_gap = -least;
}

/* Few contacts are crowded: where there are many, these mark their vertices, and nobody goes through all lists. */
static void adapt_many(prc_device_contacts *c)
{
    const prc_contact_view view = c->view;
    prc_fill(c->device, view.marked, 0, (size_t)view.vertex_count * sizeof(int));
    prc_each(c->device, "contacts: crowded", view.contact_count, [=] PRC_DEVICE(int k) {
        prc_contact room;
        if (view.far[k] > 0 || !prc_contact_is_crowded(&view, k))
            return;
        const prc_contact *contact = prc_contact_open(&view, k, PRC_SLICE_VERTICES | PRC_SLICE_KIND, &room);
        PRC_UNROLL
        for (int p = 0; p < 4; p++)
            if (p < contact->count)
                prc_atomic_or(&view.marked[contact->v[p]], 1);
    });
    prc_each(c->device, "contacts: adapt", view.vertex_count,
             [=] PRC_DEVICE(int i) { prc_contact_stiffen(&view, i, view.marked[i]); });
}

static void adapt(prc_contact_set *set)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    const prc_contact_view view = c->view;
    if (view.far) {
        adapt_many(c);
        return;
    }
    prc_each(c->device, "contacts: adapt", view.vertex_count,
             [=] PRC_DEVICE(int i) { prc_contact_adapt_vertex(&view, i); });
}

PRC_DEVICE_END

const prc_contact_table PRC_DEVICE_TABLE(prc_contact_) = {
    create,
    destroy,
    fetch,
    send,
    detect,
    prc_device_contact_extend,
    geometry,
    prc_device_contact_forces,
    prc_device_contact_evaluate,
    prc_device_contact_active_count,
    prc_device_contact_aim,
    prc_device_contact_search,
    prc_device_contact_shift,
    prc_device_contact_freeze_friction,
    prc_device_contact_move,
    prc_device_contact_predict,
    prc_device_contact_move_colliders,
    measure,
    adapt,
    prc_device_rigids_ask,
    prc_device_rigids_accept,
};
