/* contact/contact.c — see contact.h: which pairs there are, their geometry, their forces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/zones.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ELASTIC_SHARE 0.03
#define WEIGHT_SHARE 10.0 /* the barrier carries this many times the weight of a vertex at full range */

_Static_assert(offsetof(prc_contact, count) == sizeof(int[4]) && offsetof(prc_active, count) == sizeof(int[4]),
               "prc_contact_index reads v and count");

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

/* Stiffness of the barrier at each vertex: enough for inertia, weight and a share of the elasticity. */
static void base_stiffness(prc_contact_set *set, const prc_sim_def *def)
{
    const prc_model *m = set->model;
    const int *law_of = prc_field_law(&m->view);
    const double g = sqrt(prc_dot3(def->gravity, def->gravity)), h = def->time.step;
    for (int i = 0; i < m->vertex_count; i++) {
        const double *c = m->laws[law_of[i]].row + PRC_LAW_LINEAR;
        double weights = 0;
        for (int e = m->graph.ring_start[i]; e < m->graph.ring_start[i + 1]; e++)
            weights += m->graph.b[2 * e] * m->graph.b[2 * e] + m->graph.b[2 * e + 1] * m->graph.b[2 * e + 1];
        const double elastic = 2.0 / 3.0 * (c[0] + c[3]) * m->area[i] * weights;
        const double wanted =
            m->mass[i] / (h * h) + ELASTIC_SHARE * elastic + WEIGHT_SHARE * m->mass[i] * g / (2 * set->half_d_hat[i]);
        set->stiffness[i] = set->adapted[i] = set->def.stiffness > 0 ? set->def.stiffness : wanted;
    }
    for (int i = m->elastic_count; i < m->vertex_count; i++) /* a pair takes the smallest: that of what can move */
        set->stiffness[i] = set->adapted[i] = INFINITY;
}

double prc_contact_hardening(const prc_contact_set *set, int i)
{
    const double factor = set->adapted[i] / set->stiffness[i];
    return isfinite(factor) ? factor : 1;
}

void prc_contact_restiffen(prc_contact_set *set, const prc_sim_def *def)
{
    double *factor = set->time; /* work space of the prediction */
    for (int i = 0; i < set->model->elastic_count; i++)
        factor[i] = prc_contact_hardening(set, i);
    base_stiffness(set, def);
    for (int i = 0; i < set->model->elastic_count; i++)
        set->adapted[i] *= factor[i];
}

static bool allocate(prc_contact_set *set, int vertices)
{
    const size_t n = (size_t)set->stride;
    set->half = PRC_NEW(double, n);
    set->half_d_hat = PRC_NEW(double, n);
    set->pressure = PRC_NEW(double, n);
    set->gap = PRC_NEW(double, n);
    set->rest = PRC_NEW(double, 3 * n);
    set->stiffness = PRC_NEW(double, n);
    set->adapted = PRC_NEW(double, n);
    set->radius = PRC_NEW(double, n);
    set->ball = PRC_NEW(double, n);
    set->anchor = PRC_NEW(double, 3 * n);
    set->held = PRC_NEW(int, n);
    set->marked = PRC_NEW(int, n);
    set->left = PRC_NEW(int, prc_extend_most(vertices));
    set->time = PRC_NEW(double, 4 * n);
    set->zone_integers = PRC_NEW(int, PRC_ZONE_INTEGERS *n);
    set->zone_bits = PRC_NEW(uint64_t, PRC_ZONE_BITS * n);
    set->sweep = PRC_NEW(double, 3 * n);
    set->of_start = PRC_NEW(int, vertices + 1);
    set->active.of_start = PRC_NEW(int, vertices + 1);
    set->colliders = PRC_NEW(prc_collider, set->collider_count);
    set->collider_done = PRC_NEW(double, 2 * (size_t)set->collider_count);
    return set->half && set->half_d_hat && set->pressure && set->gap && set->rest && set->stiffness && set->adapted &&
           set->radius && set->ball && set->anchor && set->held && set->marked && set->left && set->time &&
           set->zone_integers && set->zone_bits && set->sweep && set->of_start && set->active.of_start &&
           set->colliders && set->collider_done;
}

/* The mean edge, and the shortest ones at vertices, which on a mesh of slender triangles are how far neighbours are.
 * Particles have their diameter. */
static void measure_edges(prc_contact_set *set)
{
    const prc_model *m = set->model;
    const int *start = m->graph.ring_start, n = m->elastic_count, edges = start[n] + n - m->ring_count;
    const double *length = m->graph.length;
    double shortest = 0;
    int vertices = 0;
    for (int i = 0; i < n; i++) {
        double least = INFINITY;
        for (int e = start[i]; e < start[i + 1]; e++) {
            set->edge_length += length[e] / edges;
            least = fmin(least, length[e]);
        }
        if (i >= m->ring_count) {
            least = 2 * set->half[i];
            set->edge_length += least / edges;
        }
        shortest += least < INFINITY ? least : 0;
        vertices += least < INFINITY;
    }
    set->short_edge = vertices > 0 ? fmin(set->edge_length, 2 * shortest / vertices) : set->edge_length;
}

/* Where there are particles, edges and points that belong to nothing larger have to be found as well. */
static prc_result build_surface(prc_contact_set *set, const unsigned char *motion, prc_error *error)
{
    const prc_model *m = set->model;
    prc_result result = prc_surface_build(&set->surface, m->vertex_count, m->triangles, m->triangle_count, m->segments,
                                          m->segment_count, motion, error);
    if (result == PRC_OK && m->ring_count < m->elastic_count)
        result = prc_surface_add_bare(&set->surface, m->segments, m->segment_count, error);
    return result;
}

prc_result prc_contact_create(prc_contact_set *set, const prc_sim_def *def, const prc_model *model,
                              const unsigned char *motion, int threads, prc_error *error)
{
    memset(set, 0, sizeof *set);
    set->def = def->contact;
    set->def.pairs = NULL; /* the caller's; `bodies` has them */
    set->model = model;
    set->stride = model->view.padded_count;
    set->threads = threads;
    set->collider_count = def->collider_count;
    prc_result result = allocate(set, model->vertex_count) ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = prc_contact_bodies_create(&set->bodies, def, model->body_count, error);
    if (result == PRC_OK)
        result = prc_rigids_create(&set->rigids, model, error);
    if (result == PRC_OK)
        result = build_surface(set, motion, error);
    if (result == PRC_OK)
        result = prc_detector_create(&set->detector, &set->surface, error);
    if (result != PRC_OK) {
        prc_contact_release(set);
        return result;
    }
    for (int i = 0; i < model->vertex_count; i++) {
        set->half[i] = set->bodies.thickness[model->body_of[i]] / 2;
        set->half_d_hat[i] = set->bodies.d_hat[model->body_of[i]] / 2;
    }
    result = prc_contact_take_rest(set, def, error);
    if (result != PRC_OK) {
        prc_contact_release(set);
        return result;
    }
    measure_edges(set);
    base_stiffness(set, def);
    return PRC_OK;
}

void prc_contact_release(prc_contact_set *set)
{
    if (set->table)
        set->table->destroy(set);
    prc_detector_release(&set->detector);
    prc_surface_release(&set->surface);
    prc_pair_list_release(&set->found);
    prc_contact_bodies_release(&set->bodies);
    prc_rigids_release(&set->rigids);
    prc_free(set->half);
    prc_free(set->half_d_hat);
    prc_free(set->pressure);
    prc_free(set->gap);
    prc_exempt_release(&set->exempt);
    prc_free(set->rest);
    prc_free(set->pushed_part);
    prc_free(set->stiffness);
    prc_free(set->adapted);
    prc_free(set->radius);
    prc_free(set->ball);
    prc_free(set->anchor);
    prc_free(set->held);
    prc_free(set->marked);
    prc_free(set->left);
    prc_free(set->fresh);
    prc_free(set->added);
    prc_free(set->time);
    prc_free(set->zone_integers);
    prc_free(set->zone_bits);
    prc_free(set->sweep);
    prc_free(set->of_start);
    prc_free(set->of);
    prc_free(set->colliders);
    prc_free(set->collider_done);
    prc_free(set->contacts);
    prc_free(set->lagged);
    prc_free(set->active.rows);
    prc_free(set->active.force);
    prc_free(set->active.of_start);
    prc_free(set->active.of);
    prc_free(set->shift);
    prc_free(set->shift_step);
    memset(set, 0, sizeof *set);
}

prc_contact_view prc_contact_see(const prc_contact_set *set)
{
    const prc_model *m = set->model;
    const prc_contact_view view = {
        .vertex_count = m->vertex_count,
        .elastic_count = m->elastic_count,
        .ring_count = m->ring_count,
        .stride = set->stride,
        .body_of = m->body_of,
        .motion = set->surface.motion,
        .half = set->half,
        .half_d_hat = set->half_d_hat,
        .rest = set->rest,
        .area = m->area,
        .pushed_part = set->pushed_part,
        .body_friction = set->bodies.friction,
        .pair_of_bodies = set->bodies.pairs,
        .body_pair_count = set->bodies.pair_count,
        .largest_d_hat = set->bodies.largest_d_hat,
        .edge_length = set->edge_length,
        .short_edge = set->short_edge,
        .stiffness = set->stiffness,
        .adapted = set->adapted,
        .pressure = set->pressure,
        .gap = set->gap,
        .radius = set->radius,
        .ball = set->ball,
        .anchor = set->anchor,
        .held = set->held,
        .marked = set->marked,
        .colliders = set->colliders,
        .collider_count = set->collider_count,
        .guards_faces = set->guards_faces,
        .triangles = (const int(*)[3])set->surface.triangle,
        .triangle_count = set->surface.triangle_count - set->surface.bare_count,
        .fields_stand_in = set->fields_stand_in,
        .exempt = prc_exempt_see(&set->exempt),
        .rigids = set->rigids.of,
        .rigid_count = set->rigids.count,
        .first_obstacle = set->rigids.first_body,
        .own = set->rigids.own,
        .contacts = set->contacts,
        .contact_count = set->contact_count,
        .of_start = set->of_start,
        .of = set->of,
        .lagged = set->lagged,
        .lagged_count = set->lagged_count,
        .shift = set->shift,
        .shift_step = set->shift_step,
        .friction_lags = set->def.friction_lag > 0,
        .friction_eps = set->friction_eps,
    };
    return view;
}

/* --- detection --- */

double prc_contact_hard_thickness(const prc_contact_set *set, const int v[4], int side_a)
{
    const prc_contact_view view = prc_contact_see(set);
    return prc_pair_hard_thickness(&view, v, side_a);
}

double prc_contact_distance(const prc_contact_set *set, const double *y, const int v[4], int side_a)
{
    return prc_pair_distance(y, set->stride, v, side_a);
}

bool prc_contact_face_is_close(const prc_contact_set *set, const double *y, const int v[3], int collider)
{
    const prc_contact_view view = prc_contact_see(set);
    prc_contact k;
    prc_contact_begin_face(&view, &k, v, collider, 0);
    prc_contact_locate(&view, &k, y);
    return prc_contact_is_close(&k);
}

static bool reserve(prc_contact_set *set, int count)
{
    if (count <= set->contact_capacity)
        return true;
    const int larger = count + count / 2 + 64;
    prc_contact *contacts = prc_grow(set->contacts, (size_t)set->contact_count, (size_t)larger, sizeof *contacts);
    if (!contacts)
        return false;
    set->contacts = contacts;
    set->contact_capacity = larger;
    return true;
}

bool prc_contact_reserve_active(prc_contact_set *set)
{
    prc_active_set *active = &set->active;
    const int needed = set->contact_capacity + set->lagged_capacity;
    if (needed > set->active_capacity) {
        prc_free(active->rows);
        prc_free(active->force);
        prc_free(active->of);
        prc_free(set->shift);
        prc_free(set->shift_step);
        const size_t count = (size_t)needed;
        active->of = PRC_NEW(int, 4 * count);
        active->rows = PRC_NEW(prc_active, count);
        active->force = prc_alloc(count, sizeof *active->force);
        set->shift = prc_alloc(count, sizeof *set->shift);
        set->shift_step = prc_alloc(count, sizeof *set->shift_step);
        active->count = 0;
        set->active_capacity = needed;
    }
    return active->of && active->rows && active->force && set->shift && set->shift_step;
}

static bool reserve_lists(prc_contact_set *set)
{
    if (4 * set->contact_capacity > set->of_capacity) {
        const size_t kept = (size_t)set->of_start[set->model->vertex_count];
        int *of = prc_grow(set->of, kept, 4 * (size_t)set->contact_capacity, sizeof *of);
        if (!of)
            return false;
        set->of = of;
        set->of_capacity = 4 * set->contact_capacity;
    }
    return prc_contact_reserve_active(set);
}

bool prc_contact_reserve(prc_contact_set *set, int count)
{
    return reserve(set, count) && reserve_lists(set);
}

/* Every vertex and every triangle that could come into the range of a collider. */
static bool add_colliders(prc_contact_set *set, const double *y)
{
    const prc_contact_view view = prc_contact_see(set);
    for (int s = 0; s < set->collider_count; s++)
        for (int i = 0; i < set->model->elastic_count; i++) {
            if (!prc_collider_can_be_felt(&view, i, s, y))
                continue;
            if (!reserve(set, set->contact_count + 1))
                return false;
            prc_contact *k = &set->contacts[set->contact_count++];
            prc_contact_begin_collider(&view, k, i, s);
            prc_contact_locate(&view, k, y);
        }
    for (int s = 0; s < set->collider_count; s++)
        for (int t = 0; set->colliders[s].faces != PRC_FACES_NONE && t < view.triangle_count; t++) {
            const int *v = view.triangles[t];
            if (!prc_face_can_be_felt(&view, v, s, y))
                continue;
            const int contacts = prc_face_contacts(&view, v, s);
            if (!reserve(set, set->contact_count + contacts))
                return false;
            prc_contact *k = &set->contacts[set->contact_count];
            for (int which = 0; which < contacts; which++)
                prc_contact_begin_face(&view, &k[which], v, s, which);
            prc_contact_locate_face(&view, k, y);
            set->contact_count += contacts;
        }
    return true;
}

/* How many triangles a collider would push, and which part of each vertex' triangles these are. */
static int count_pushed(const prc_contact_view *view, int s, float *part)
{
    int count = 0;
    for (int t = 0; t < view->triangle_count; t++) {
        const int *v = view->triangles[t];
        if (v[0] >= view->elastic_count || !prc_face_is_pushed(view, v, s))
            continue;
        count++;
        for (int p = 0; p < 3 && part; p++) /* a vertex has a third of the area of its triangles */
            part[v[p]] += (float)(prc_face_area(view, v) / (3 * view->area[v[p]]));
    }
    for (int i = 0; part && i < view->elastic_count; i++)
        part[i] = fminf(part[i], 1);
    return count;
}

/* A round collider before number s that is as round, or −1: triangles are the same to both. */
static int same_radius(const prc_contact_set *set, int s)
{
    for (int k = 0; k < s; k++) {
        const prc_collider_faces faces = set->colliders[k].faces;
        if ((faces == PRC_FACES_GUARDED || faces == PRC_FACES_MIXED) &&
            set->colliders[k].shape.radius == set->colliders[s].shape.radius)
            return k;
    }
    return -1;
}

prc_result prc_contact_choose_faces(prc_contact_set *set, prc_error *error)
{
    prc_contact_view view = prc_contact_see(set);
    set->mixed_count = 0;
    set->guards_faces = false;
    for (int s = 0; s < set->collider_count; s++) {
        prc_collider *collider = &set->colliders[s];
        const prc_shape_kind kind = collider->shape.kind;
        const bool round = kind == PRC_SHAPE_SPHERE || kind == PRC_SHAPE_CAPSULE;
        collider->mixed = 0;
        collider->faces = kind == PRC_SHAPE_PLANE || kind == PRC_SHAPE_MESH ? PRC_FACES_NONE
                          : round                                           ? PRC_FACES_MIXED
                                                                            : PRC_FACES_PUSHED;
        set->guards_faces = set->guards_faces || collider->faces != PRC_FACES_NONE;
        if (!round)
            continue;
        const int like = same_radius(set, s);
        if (like >= 0) {
            collider->faces = set->colliders[like].faces;
            collider->mixed = set->colliders[like].mixed;
        } else if (count_pushed(&view, s, NULL) == 0)
            collider->faces = PRC_FACES_GUARDED;
        else
            collider->mixed = set->mixed_count++;
    }
    prc_free(set->pushed_part);
    set->pushed_part = PRC_NEW(float, (size_t)set->mixed_count *(size_t)view.elastic_count);
    if (!set->pushed_part)
        return PRC_FAIL_MEMORY(error);
    for (int s = 0; s < set->collider_count; s++)
        if (set->colliders[s].faces == PRC_FACES_MIXED && same_radius(set, s) < 0)
            count_pushed(&view, s, set->pushed_part + (size_t)set->colliders[s].mixed * (size_t)view.elastic_count);
    return PRC_OK;
}

void prc_contact_index(const void *items, size_t size, int count, int vertices, int *start, int *of)
{
    const char *item = items;
    memset(start, 0, sizeof(int) * ((size_t)vertices + 1));
    for (int k = 0; k < count; k++) {
        const int *v = (const int *)(item + (size_t)k * size);
        for (int p = 0; p < v[4]; p++)
            start[v[p] + 1]++;
    }
    for (int i = 0; i < vertices; i++)
        start[i + 1] += start[i];
    const int entries = start[vertices];
    for (int k = count - 1; k >= 0; k--) { /* backwards: lists end up in order, and the starts are right again */
        const int *v = (const int *)(item + (size_t)k * size);
        for (int p = v[4] - 1; p >= 0; p--)
            of[--start[v[p] + 1]] = 4 * k + p;
    }
    for (int i = 0; i < vertices; i++)
        start[i] = start[i + 1];
    start[vertices] = entries;
}

static void find_smallest_gap(prc_contact_set *set)
{
    set->smallest_gap = INFINITY;
    for (int k = 0; k < set->contact_count; k++)
        set->smallest_gap = prc_smaller(set->smallest_gap, prc_contact_bound(&set->contacts[k]) - set->contacts[k].xi);
}

static void drop_distant(prc_contact_set *set, int found)
{
    int kept = 0;
    for (int k = 0; k < found; k++)
        if (set->contacts[k].count > 0) {
            if (kept < k)
                set->contacts[kept] = set->contacts[k];
            kept++;
        }
    set->contact_count = set->pair_count = kept;
}

double prc_contact_least_ball_of(const prc_contact_set *set)
{
    return prc_contact_least_ball(set->bodies.largest_d_hat, set->short_edge);
}

double prc_contact_reach(const prc_contact_set *set)
{
    const double d_hat = set->bodies.largest_d_hat;
    return (set->bodies.largest_thickness + d_hat + 2 * prc_contact_least_ball(d_hat, set->short_edge)) * (1 + 1e-8);
}

prc_result prc_contact_detect(prc_contact_set *set, const double *y, const double *p, prc_error *error)
{
    if (set->table)
        return set->table->detect(set, y, p, error);
    const int n = set->model->vertex_count;
    prc_contact_view view = prc_contact_see(set);
    for (int i = 0; i < n; i++)
        prc_contact_anchor(&view, i, y, p);
    const bool ahead = set->found_ahead && !p; /* the prediction that ended at y has found them */
    set->found_ahead = false;
    set->detections += !ahead;
    const double start = prc_seconds();
    prc_result result =
        ahead ? PRC_OK : prc_detect(&set->detector, y, set->stride, set->radius, set->threads, &set->found, error);
    const double found = prc_seconds();
    set->seconds_broad += found - start;
    if (result != PRC_OK)
        return result;
    prc_contact_drop_exempt(set, &set->found);
    const int triangles = set->found.point_triangle.count, edges = set->found.edge_edge.count;
    set->contact_count = 0;
    if (!reserve(set, triangles + edges + 1)) /* never nothing at all: the lists below exist then */
        return PRC_FAIL_MEMORY(error);
    view = prc_contact_see(set);
#pragma omp parallel for schedule(static) THREADS(triangles + edges)
    for (int k = 0; k < triangles + edges; k++) {
        if (k < triangles)
            prc_pair_examine(&view, &set->contacts[k], set->found.point_triangle.v[k], 1, y);
        else
            prc_pair_examine(&view, &set->contacts[k], set->found.edge_edge.v[k - triangles], 2, y);
    }
    drop_distant(set, triangles + edges);
    if (!add_colliders(set, y) || !reserve_lists(set))
        return PRC_FAIL_MEMORY(error);
    find_smallest_gap(set);
    prc_contact_index(set->contacts, sizeof *set->contacts, set->contact_count, n, set->of_start, set->of);
    set->seconds_bounds += prc_seconds() - found;
    return PRC_OK;
}

typedef struct look {
    const prc_contact_view *view;
    const double *y;
    long close, most;
} look;

static bool look_at(void *context, const int v[4], int side_a)
{
    look *l = context;
    prc_contact k;
    long close = 0;
    if (prc_pair_is_exempt(l->view, v, side_a) || prc_motion_is_prescribed(l->view->motion, v))
        return true; /* nobody can move apart what is prescribed: it is set aside */
    prc_pair_examine(l->view, &k, v, side_a, l->y);
    if (k.count > 0 && prc_contact_is_close(&k)) {
#pragma omp atomic capture
        close = ++l->close;
    }
    return close < l->most;
}

/* Pairs that no vertex of can give way; and whether there was no memory for one. */
typedef struct prescribed {
    const prc_contact_view *view;
    const double *y;
    prc_exempt_set close;
    bool full;
    bool *near; /* per body */
} prescribed;

static bool look_at_prescribed(void *context, const int v[4], int side_a)
{
    prescribed *l = context;
    prc_contact k;
    if (!prc_motion_is_prescribed(l->view->motion, v))
        return true;
    prc_pair_examine(l->view, &k, v, side_a, l->y);
    if (k.count > 0 && prc_contact_is_close(&k)) {
#pragma omp critical(prc_detect_memory)
        l->full = l->full || !prc_exempt_add(&l->close, v, side_a);
    }
    if (k.count > 0 && prc_contact_bound(&k) < k.xi + PRC_CONTACT_NEAR * k.d_hat)
        for (int p = 0; p < 4; p++)
#pragma omp atomic write
            l->near[l->view->body_of[v[p]]] = true;
    return true;
}

/* What is prescribed in bodies that are near to others may come as near again. */
static void mark_near(prc_contact_set *set, const bool *near)
{
    for (int i = 0; i < set->model->vertex_count; i++)
        if (!prc_motion_is_free(set->surface.motion[i]) && near[set->model->body_of[i]])
            set->surface.motion[i] |= PRC_MOTION_NEAR;
}

void prc_contact_take_over_near(prc_contact_set *set, const prc_contact_set *from)
{
    for (int i = 0; i < set->model->vertex_count; i++)
        if (!prc_motion_is_free(set->surface.motion[i]) && !prc_motion_is_free(from->surface.motion[i]))
            set->surface.motion[i] |= from->surface.motion[i] & PRC_MOTION_NEAR;
    set->near_known = from->near_known;
}

/* Any order that is the same for any number of threads. */
static int compare_exempt(const void *a, const void *b)
{
    const prc_exempt_pair *x = a, *y = b;
    int order = x->side_a - y->side_a;
    for (int k = 0; k < 4 && order == 0; k++)
        order = (x->v[k] > y->v[k]) - (x->v[k] < y->v[k]);
    return order;
}

prc_result prc_contact_exempt_prescribed(prc_contact_set *set, const double *y, prc_error *error)
{
    const prc_contact_view view = prc_contact_see(set);
    const int n = set->model->vertex_count;
    prescribed l = {.view = &view, .y = y, .near = PRC_NEW(bool, set->model->body_count)};
    if (!l.near)
        return PRC_FAIL_MEMORY(error);
#pragma omp parallel for schedule(static) THREADS(n)
    for (int i = 0; i < n; i++)
        prc_contact_anchor(&view, i, y, NULL);
    prc_result result =
        prc_detect_each(&set->detector, y, set->stride, set->radius, set->threads, look_at_prescribed, &l, error);
    if (l.close.count > 0)
        qsort(l.close.pairs, (size_t)l.close.count, sizeof *l.close.pairs, compare_exempt);
    for (int k = 0; k < l.close.count && !l.full; k++)
        l.full = !prc_exempt_add(&set->exempt, l.close.pairs[k].v, l.close.pairs[k].side_a);
    if (!set->near_known)
        mark_near(set, l.near);
    set->near_known = true; /* of the beginning: what comes near later has to wait as it did */
    prc_free(l.near);
    prc_exempt_release(&l.close);
    return result == PRC_OK && l.full ? PRC_FAIL_MEMORY(error) : result;
}

prc_result prc_contact_count_close(prc_contact_set *set, const double *y, long most, long *count, prc_error *error)
{
    const prc_contact_view view = prc_contact_see(set);
    const int n = set->model->vertex_count, elastic = set->model->elastic_count;
#pragma omp parallel for schedule(static) THREADS(n)
    for (int i = 0; i < n; i++)
        prc_contact_anchor(&view, i, y, NULL);
    look l = {&view, y, 0, most};
    const prc_result result =
        prc_detect_each(&set->detector, y, set->stride, set->radius, set->threads, look_at, &l, error);
    long close = l.close;
    for (int s = 0; s < set->collider_count; s++)
#pragma omp parallel for schedule(static) THREADS(elastic) reduction(+ : close)
        for (int i = 0; i < elastic; i++)
            if (prc_collider_can_be_felt(&view, i, s, y)) {
                prc_contact k;
                prc_contact_begin_collider(&view, &k, i, s);
                prc_contact_locate(&view, &k, y);
                close += prc_contact_is_close(&k);
            }
    for (int s = 0; s < set->collider_count; s++)
#pragma omp parallel for schedule(static) THREADS(elastic) reduction(+ : close)
        for (int t = 0; t < view.triangle_count; t++)
            if (prc_face_can_be_felt(&view, view.triangles[t], s, y)) {
                prc_contact k;
                prc_contact_begin_face(&view, &k, view.triangles[t], s, 0);
                prc_contact_locate(&view, &k, y);
                close += prc_contact_is_close(&k);
            }
    *count = close;
    return result;
}

bool prc_contact_leaves(const prc_contact_set *set, const double *y, const double *p)
{
    const prc_contact_view view = prc_contact_see(set);
    for (int i = 0; i < set->model->vertex_count; i++)
        if (prc_contact_leaves_ball(&view, i, y, p))
            return true;
    return false;
}

void prc_contact_geometry(prc_contact_set *set, const double *y)
{
    if (set->table) {
        set->table->geometry(set, y);
        return;
    }
    const double start = prc_seconds();
    const prc_contact_view view = prc_contact_see(set);
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count; k++) {
        prc_contact *contact = &set->contacts[k];
        if (prc_contact_is_face(contact))
            prc_contact_locate_face(&view, contact, y);
        else if (!prc_contact_rocks(contact))
            prc_contact_locate(&view, contact, y);
    }
    find_smallest_gap(set);
    set->seconds_bounds += prc_seconds() - start;
}

/* --- after a step --- */

void prc_contact_adapt(prc_contact_set *set)
{
    if (set->table) {
        set->table->adapt(set);
        return;
    }
    const prc_contact_view view = prc_contact_see(set);
    for (int i = 0; i < set->model->vertex_count; i++)
        prc_contact_adapt_vertex(&view, i);
}
