/* contact/contact.c — see contact.h: which pairs there are, their geometry, their forces.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/contact.h"
#include "kernel/small.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/distance.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BALL 0.25      /* smallest free ball in d_hat: larger ones cost pairs, smaller ones detections */
#define AHEAD 2.0      /* … and in lengths of the move that is about to be made */
#define REST_SHARE 0.8 /* of the rest distance that thickness and barrier may fill within one body */
#define ELASTIC_SHARE 0.03
#define WEIGHT_SHARE 10.0 /* the barrier carries this many times the weight of a vertex at full range */
#define CROWDED 0.1       /* a gap below this share of d_hat makes the barrier stiffer */
#define RELAX 0.98
#define STIFFEST 1e6  /* times what it was at first: where there is no way out, more would only overflow in the end */
#define PARALLEL 0.01 /* square of the sine between two edges below which their pair fades out */
#define FAR 1.1       /* in ranges of the barrier: beyond it a pair keeps its plane */

#define THREADS(count) num_threads(set->threads) if ((count) > 2000)

/* Stiffness of the barrier at each vertex: enough for inertia, weight and a share of the elasticity. */
static void base_stiffness(prc_contact_set *set, const prc_sim_def *def)
{
    const prc_model *m = set->model;
    const int *law_of = m->view.field[PRC_FIELD_law];
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
    set->held = PRC_NEW(unsigned char, n);
    set->marked = PRC_NEW(unsigned char, n);
    set->time = PRC_NEW(double, 2 * n);
    set->sweep = PRC_NEW(double, 3 * n);
    set->of_start = PRC_NEW(int, vertices + 1);
    set->active.of_start = PRC_NEW(int, vertices + 1);
    set->solids = PRC_NEW(prc_solid, set->solid_count);
    set->solid_done = PRC_NEW(double, set->solid_count);
    return set->half && set->half_d_hat && set->pressure && set->gap && set->rest && set->stiffness && set->adapted &&
           set->radius && set->ball && set->anchor && set->held && set->marked && set->time && set->sweep &&
           set->of_start && set->active.of_start && set->solids && set->solid_done;
}

prc_result prc_contact_create(prc_contact_set *set, const prc_sim_def *def, const prc_model *model,
                              const unsigned char *moves_freely, int threads, prc_error *error)
{
    memset(set, 0, sizeof *set);
    set->def = def->contact;
    set->def.pairs = NULL; /* the caller's; `bodies` has them */
    set->model = model;
    set->stride = model->view.padded_count;
    set->threads = threads;
    set->solid_count = def->collider_count;
    prc_result result = allocate(set, model->vertex_count) ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (result == PRC_OK)
        result = prc_contact_bodies_create(&set->bodies, def, model->body_count, error);
    if (result == PRC_OK)
        result = prc_surface_build(&set->surface, model->vertex_count, model->triangles, model->triangle_count,
                                   model->segments, model->segment_count, moves_freely, error);
    if (result == PRC_OK)
        result = prc_detector_create(&set->detector, &set->surface, error);
    if (result != PRC_OK) {
        prc_contact_release(set);
        return result;
    }
    for (int i = 0; i < model->vertex_count; i++) {
        set->half[i] = set->bodies.thickness[model->body_of[i]] / 2;
        set->half_d_hat[i] = set->bodies.d_hat[model->body_of[i]] / 2;
        for (int c = 0; c < 3; c++)
            set->rest[(long)c * set->stride + i] = model->rest_positions[3 * i + c];
    }
    const int bonds = model->graph.ring_start[model->vertex_count];
    for (int e = 0; e < bonds; e++)
        set->edge_length += model->graph.length[e] / bonds;
    base_stiffness(set, def);
    return PRC_OK;
}

void prc_contact_release(prc_contact_set *set)
{
    prc_detector_release(&set->detector);
    prc_surface_release(&set->surface);
    prc_pair_list_release(&set->found);
    prc_contact_bodies_release(&set->bodies);
    prc_free(set->half);
    prc_free(set->half_d_hat);
    prc_free(set->pressure);
    prc_free(set->gap);
    prc_exempt_release(&set->exempt);
    prc_free(set->rest);
    prc_free(set->stiffness);
    prc_free(set->adapted);
    prc_free(set->radius);
    prc_free(set->ball);
    prc_free(set->anchor);
    prc_free(set->held);
    prc_free(set->marked);
    prc_free(set->time);
    prc_free(set->sweep);
    prc_free(set->of_start);
    prc_free(set->of);
    prc_free(set->solids);
    prc_free(set->solid_done);
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

/* --- detection --- */

static prc_closest closest(const prc_contact *k, const double x[4][3])
{
    return k->side_a == 1 ? prc_distance_point_triangle(x) : prc_distance_edge_edge(x);
}

/* Within one body thickness and barrier must fit between things that are close at rest. */
static void scale_to_rest(const prc_contact_set *set, prc_contact *k)
{
    const int *body = set->model->body_of;
    double x[4][3] = {{0}};
    for (int p = 0; p < 4; p++) {
        if (body[k->v[p]] != body[k->v[0]])
            return;
        prc_take3(set->rest, set->stride, k->v[p], x[p]);
    }
    const double room = REST_SHARE * closest(k, (const double(*)[3])x).distance / (k->xi + k->d_hat);
    if (room < 1) {
        k->xi *= room;
        k->xi_hard *= room;
        k->d_hat *= room;
    }
}

/* A pair with the thickness of its bodies. */
static void begin_pair(const prc_contact_set *set, prc_contact *k, const int v[4], int side_a)
{
    memset(k, 0, sizeof *k);
    memcpy(k->v, v, sizeof k->v);
    k->count = 4;
    k->side_a = side_a;
    k->solid = -1;
    k->xi = set->half[v[0]] + set->half[v[3]]; /* the first and the last are on different sides */
    k->xi_hard = PRC_HARD_SHARE * k->xi;
    k->d_hat = set->half_d_hat[v[0]] + set->half_d_hat[v[3]];
    k->friction = prc_contact_bodies_friction(&set->bodies, set->model->body_of[v[0]], set->model->body_of[v[3]]);
    k->kappa = INFINITY;
    for (int p = 0; p < 4; p++) /* what is pinned for good takes any force: its mass and stiffness mean nothing */
        if (set->surface.moves_freely[v[p]])
            k->kappa = prc_smaller(k->kappa, set->adapted[v[p]]);
}

double prc_contact_hard_thickness(const prc_contact_set *set, const int v[4], int side_a)
{
    prc_contact k;
    begin_pair(set, &k, v, side_a);
    scale_to_rest(set, &k);
    return k.xi_hard;
}

double prc_contact_distance(const prc_contact_set *set, const double *y, const int v[4], int side_a)
{
    double x[4][3];
    for (int p = 0; p < 4; p++)
        prc_take3(y, set->stride, v[p], x[p]);
    const prc_closest at = side_a == 1 ? prc_distance_point_triangle((const double(*)[3])x)
                                       : prc_distance_edge_edge((const double(*)[3])x);
    return at.distance;
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
        prc_free(set->of);
        set->of = PRC_NEW(int, 4 * (size_t)set->contact_capacity);
        set->of_capacity = 4 * set->contact_capacity;
    }
    return set->of && prc_contact_reserve_active(set);
}

/* Every vertex that could come into the range of a solid. */
static bool add_solids(prc_contact_set *set, const double *y)
{
    for (int s = 0; s < set->solid_count; s++)
        for (int i = 0; i < set->model->elastic_count; i++) {
            double x[3];
            prc_take3(y, set->stride, i, x);
            const prc_solid *solid = &set->solids[s];
            const double way = 2 * set->ball[i] + prc_solid_speed(solid, &solid->now, x, 1, set->ball[i]);
            const double reach = set->half[i] + 2 * set->half_d_hat[i] + prc_shape_lipschitz(&solid->shape) * way;
            if (prc_solid_distance(solid, x, NULL) >= reach || prc_exempt_has_solid(&set->exempt, i, s))
                continue;
            if (!reserve(set, set->contact_count + 1))
                return false;
            prc_contact *k = &set->contacts[set->contact_count++];
            memset(k, 0, sizeof *k);
            k->v[0] = i;
            k->count = k->side_a = 1;
            k->solid = s;
            k->w[0] = k->share = 1;
            k->xi = set->half[i];
            k->xi_hard = PRC_HARD_SHARE * k->xi;
            k->d_hat = 2 * set->half_d_hat[i];
            k->kappa = set->adapted[i];
            k->friction =
                set->solids[s].friction >= 0 ? set->solids[s].friction : set->bodies.friction[set->model->body_of[i]];
        }
    return true;
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

/* The dividing plane of a pair, and how far each vertex may move towards it (docs/theory.md, Eq. 10.3). */
static void divide(prc_contact *k, const double x[4][3])
{
    double s[4], low = INFINITY, high = -INFINITY, extent = 0;
    for (int p = 0; p < 4; p++) {
        const double d[3] = {x[p][0] - x[3][0], x[p][1] - x[3][1], x[p][2] - x[3][2]};
        s[p] = prc_dot3(k->n, d);
        for (int c = 0; c < 3; c++)
            extent = prc_larger(extent, fabs(x[p][c]));
        if (p < k->side_a)
            low = prc_smaller(low, s[p]);
        else
            high = prc_larger(high, s[p]);
    }
    const double rounding = 16 * DBL_EPSILON * extent;
    k->sep = low - high;
    for (int p = 0; p < 4; p++) {
        const double slack = p < k->side_a ? s[p] - low : high - s[p];
        k->margin[p] = prc_larger(0, slack + PRC_PLANE_KEPT / 2 * (k->sep - k->xi_hard) - rounding);
    }
}

static void geometry_of(const prc_contact_set *set, prc_contact *k, const double *y)
{
    double x[4][3] = {{0}};
    for (int p = 0; p < k->count; p++)
        prc_take3(y, set->stride, k->v[p], x[p]);
    if (k->solid >= 0) {
        k->distance = k->sep = prc_solid_distance(&set->solids[k->solid], x[0], k->n);
        const double extent = prc_larger(fabs(x[0][0]), prc_larger(fabs(x[0][1]), fabs(x[0][2])));
        k->margin[0] = prc_larger(0, PRC_PLANE_KEPT * (k->sep - k->xi_hard) - 16 * DBL_EPSILON * extent);
        k->exact = true;
        return;
    }
    /* Far apart by the old plane: that plane still divides, and there is no force. Any unit normal certifies itself. */
    if (k->has_plane) {
        divide(k, (const double(*)[3])x);
        if (k->sep > FAR * (k->xi + k->d_hat)) {
            k->distance = k->sep;
            k->exact = false;
            return;
        }
    }
    prc_contact_closest(k, (const double(*)[3])x);
}

/* Closest points of edges jump from one end to the other as they pass through parallel. There the pair fades out, so
 * that forces stay continuous; the ends of the edges are points of other pairs. */
static double parallel_share(const double x[4][3])
{
    double a[3], b[3];
    for (int c = 0; c < 3; c++) {
        a[c] = x[1][c] - x[0][c];
        b[c] = x[3][c] - x[2][c];
    }
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    const double lengths = prc_dot3(a, a) * prc_dot3(b, b);
    const double s = lengths > 0 ? prc_dot3(cross, cross) / (PARALLEL * lengths) : 0; /* in squares of a sine */
    return s < 1 ? s * (2 - s) : 1;
}

void prc_contact_closest(prc_contact *k, const double x[4][3])
{
    const prc_closest at = closest(k, x);
    k->exact = true;
    k->share = k->side_a == 2 ? parallel_share(x) : 1;
    k->has_plane = at.distance > 0;
    memcpy(k->w, at.w, sizeof k->w);
    k->distance = at.distance;
    for (int c = 0; c < 3; c++)
        k->n[c] = at.distance > 0 ? at.r[c] / at.distance : 0;
    divide(k, x);
}

static void find_smallest_gap(prc_contact_set *set)
{
    set->smallest_gap = INFINITY;
    for (int k = 0; k < set->contact_count; k++)
        set->smallest_gap = prc_smaller(set->smallest_gap, set->contacts[k].distance - set->contacts[k].xi);
}

/* Whether a pair can come into the barrier's range within the balls. With a thickness that was scaled to the rest shape
 * that is less than the radii of the search say: most neighbours on a fine mesh cannot. */
static bool can_be_felt(const prc_contact_set *set, const prc_contact *k, double range)
{
    double a = 0, b = 0;
    for (int p = 0; p < 4; p++) {
        double *side = p < k->side_a ? &a : &b;
        *side = prc_larger(*side, set->ball[k->v[p]]);
    }
    return k->distance <= range * (1 + 1e-9) + a + b;
}

/* No less than the distance of the sides at rest: between their vertices. */
static double rest_bound(const prc_contact_set *set, const prc_contact *k)
{
    double least = INFINITY;
    for (int p = 0; p < k->side_a; p++)
        for (int q = k->side_a; q < 4; q++) {
            double square = 0;
            for (int c = 0; c < 3; c++) {
                const double d =
                    set->rest[(long)c * set->stride + k->v[p]] - set->rest[(long)c * set->stride + k->v[q]];
                square += d * d;
            }
            least = prc_smaller(least, square);
        }
    return sqrt(least);
}

/* Makes a pair that was found, with its geometry; its count is 0 where it need not be looked at. */
static void examine(const prc_contact_set *set, prc_contact *k, const int v[4], int side_a, const double *y)
{
    begin_pair(set, k, v, side_a);
    geometry_of(set, k, y);
    const int *body = set->model->body_of;
    bool felt = body[v[0]] != body[v[3]] || can_be_felt(set, k, REST_SHARE * rest_bound(set, k));
    if (felt) {
        scale_to_rest(set, k);
        felt = can_be_felt(set, k, k->xi + k->d_hat);
    }
    if (felt)
        geometry_of(set, k, y); /* planes depend on the thickness */
    else
        k->count = 0;
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

prc_result prc_contact_detect(prc_contact_set *set, const double *y, const double *p, prc_error *error)
{
    if (set->table)
        return set->table->detect(set, y, p, error);
    const int n = set->model->vertex_count;
    for (int i = 0; i < n; i++) {
        double d[3] = {0, 0, 0};
        if (p)
            prc_take3(p, set->stride, i, d);
        set->ball[i] = prc_larger(BALL * 2 * set->half_d_hat[i], AHEAD * sqrt(prc_dot3(d, d)));
        set->radius[i] = (set->half[i] + set->half_d_hat[i]) * (1 + 1e-9) + set->ball[i];
    }
    memcpy(set->anchor, y, sizeof(double) * 3 * (size_t)set->stride);
    set->detections++;
    const double start = prc_seconds();
    prc_result result = prc_detect(&set->detector, y, set->stride, set->radius, set->threads, &set->found, error);
    const double found = prc_seconds();
    set->seconds_broad += found - start;
    if (result != PRC_OK)
        return result;
    prc_exempt_filter(&set->exempt, &set->found);
    const int triangles = set->found.point_triangle.count, edges = set->found.edge_edge.count;
    set->contact_count = 0;
    if (!reserve(set, triangles + edges + 1)) /* never nothing at all: the lists below exist then */
        return PRC_FAIL_MEMORY(error);
#pragma omp parallel for schedule(static) THREADS(triangles + edges)
    for (int k = 0; k < triangles + edges; k++) {
        if (k < triangles)
            examine(set, &set->contacts[k], set->found.point_triangle.v[k], 1, y);
        else
            examine(set, &set->contacts[k], set->found.edge_edge.v[k - triangles], 2, y);
    }
    drop_distant(set, triangles + edges);
    if (!add_solids(set, y) || !reserve_lists(set))
        return PRC_FAIL_MEMORY(error);
    for (int k = set->pair_count; k < set->contact_count; k++)
        geometry_of(set, &set->contacts[k], y);
    find_smallest_gap(set);
    prc_contact_index(set->contacts, sizeof *set->contacts, set->contact_count, n, set->of_start, set->of);
    set->seconds_bounds += prc_seconds() - found;
    return PRC_OK;
}

bool prc_contact_leaves(const prc_contact_set *set, const double *y, const double *p)
{
    if (set->table)
        return set->table->leaves(set, y, p);
    for (int i = 0; i < set->model->vertex_count; i++) {
        double square = 0;
        for (int c = 0; c < 3; c++) {
            const long k = (long)c * set->stride + i;
            const double d = y[k] + p[k] - set->anchor[k];
            square += d * d;
        }
        if (square > set->ball[i] * set->ball[i])
            return true;
    }
    return false;
}

void prc_contact_geometry(prc_contact_set *set, const double *y)
{
    if (set->table) {
        set->table->geometry(set, y);
        return;
    }
    const double start = prc_seconds();
#pragma omp parallel for schedule(static) THREADS(set->contact_count)
    for (int k = 0; k < set->contact_count; k++)
        geometry_of(set, &set->contacts[k], y);
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
    for (int i = 0; i < set->model->vertex_count; i++) {
        bool crowded = false;
        for (int e = set->of_start[i]; e < set->of_start[i + 1]; e++) {
            const prc_contact *k = &set->contacts[set->of[e] / 4];
            crowded |= k->distance - k->xi < CROWDED * k->d_hat;
        }
        set->adapted[i] = crowded ? prc_smaller(2 * set->adapted[i], STIFFEST * set->stiffness[i])
                                  : prc_larger(set->stiffness[i], RELAX * set->adapted[i]);
    }
}
