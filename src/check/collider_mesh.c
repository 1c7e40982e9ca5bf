/* check/collider_mesh.c — items against a closed mesh: crossings by exact predicates, then inside or outside.
 *
 * An item that crosses the surface intersects the collider. Connected items that do not cross are all inside or all
 * outside; one ray per connected part decides, by the sum of the orientations of the triangles that it crosses: if the
 * sum is not zero the part is inside, even where closed parts of the mesh overlap.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "check/distance.h"
#include "check/items.h"
#include "check/predicates.h"

#include <math.h>
#include <string.h>

/* The mesh where it is. */
typedef struct posed {
    double *positions;
    int vertex_count, count;
    const int *triangles;
    prc_check_box *boxes;
    unsigned char *kin; /* none has any: the tree wants to know */
    prc_check_tree tree;
    prc_check_box box;
} posed;

static double snapped(double x)
{
    return fabs(x) < PRC_CHECK_SMALLEST ? 0 : x;
}

static prc_result pose(posed *m, const prc_check_collider *s, int threads, prc_error *error)
{
    m->vertex_count = s->mesh_vertex_count;
    m->count = s->mesh_triangle_count;
    m->triangles = s->mesh_triangles;
    m->positions = PRC_NEW(double, 3 * (size_t)m->vertex_count);
    m->boxes = PRC_NEW(prc_check_box, m->count);
    m->kin = PRC_NEW(unsigned char, m->count);
    if (!m->positions || !m->boxes || !m->kin)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < m->vertex_count; i++) {
        const double *q = s->mesh_positions + 3 * (size_t)i;
        for (int c = 0; c < 3; c++)
            m->positions[3 * (size_t)i + (size_t)c] =
                snapped(s->turn[c][0] * q[0] + s->turn[c][1] * q[1] + s->turn[c][2] * q[2] + s->shift[c]);
    }
    for (int i = 0; i < m->count; i++)
        m->boxes[i] = prc_check_box_around(m->positions, m->triangles + 3 * (size_t)i, 3);
    prc_result code = prc_check_tree_build(&m->tree, m->boxes, m->kin, m->count, threads, error);
    if (!code)
        m->box = m->tree.nodes[0].box;
    return code;
}

static void release(posed *m)
{
    prc_check_tree_release(&m->tree);
    prc_free(m->positions);
    prc_free(m->boxes);
    prc_free(m->kin);
}

/* Corners of a triangle: of the mesh, or an item. */
static void corners_of(const double *positions, const int *vertices, double corner[3][3])
{
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            corner[k][c] = snapped(positions[3 * (size_t)vertices[k] + (size_t)c]);
}

/* ---- inside or outside ---- */

typedef struct ray {
    const posed *mesh;
    double from[3], to[3];
    int turns; /* orientations of the triangles passed */
    bool degenerate;
} ray;

static void visit_ray(void *context, int item)
{
    ray *r = context;
    double t[3][3];
    corners_of(r->mesh->positions, r->mesh->triangles + 3 * (size_t)item, t);
    if (prc_exact_collinear(t[0], t[1], t[2]))
        return;
    const int from = prc_exact_orient3d(t[0], t[1], t[2], r->from), to = prc_exact_orient3d(t[0], t[1], t[2], r->to);
    if (from * to > 0)
        return;
    int least = 1, most = -1;
    for (int k = 0; k < 3; k++) {
        const int side = prc_exact_orient3d(r->from, r->to, t[k], t[(k + 1) % 3]);
        least = side < least ? side : least;
        most = side > most ? side : most;
    }
    if (least < 0 && most > 0)
        return;
    if (!from || !to || least * most == 0)
        r->degenerate = true;
    else
        r->turns += from;
}

/* Rays that hit an edge or a corner tell nothing; others are tried. A point for which all do is on the surface, or as
 * good as: inside. */
static bool is_inside(const posed *m, const double x[3])
{
    static const double directions[8][3] = {{1, 0.0123, 0.0271},   {-1, 0.0191, -0.0317},  {0.0233, 1, -0.0157},
                                            {-0.0137, -1, 0.0211}, {0.0297, 0.0173, 1},    {-0.0251, 0.0113, -1},
                                            {0.7071, 0.5311, 0.4}, {-0.4142, 0.617, 0.618}};
    double far = 0;
    for (int c = 0; c < 3; c++) {
        if (x[c] < m->box.low[c] || x[c] > m->box.high[c])
            return false;
        far = fmax(far, 4 * (m->box.high[c] - m->box.low[c]));
    }
    for (int k = 0; k < 8; k++) {
        ray r = {.mesh = m};
        const int ends[2] = {0, 1};
        double both[6];
        const double none = 0;
        for (int c = 0; c < 3; c++) {
            r.from[c] = both[c] = x[c];
            r.to[c] = both[3 + c] = snapped(x[c] + far * directions[k][c]);
        }
        const prc_check_box box = prc_check_box_around(both, ends, 2);
        prc_check_tree_query(&m->tree, &box, false, &none, visit_ray, &r);
        if (!r.degenerate)
            return r.turns != 0;
    }
    return true;
}

typedef struct nearest {
    const posed *mesh;
    const double *point;
    double squared;
} nearest;

static void visit_nearest(void *context, int item)
{
    nearest *n = context;
    double t[3][3], on_first[3], on_second[3];
    corners_of(n->mesh->positions, n->mesh->triangles + 3 * (size_t)item, t);
    n->squared = fmin(n->squared, prc_check_distance_point_triangle(n->point, t[0], t[1], t[2], on_first, on_second));
}

static double distance_of_points(const double a[3], const double b[3])
{
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

#define SPREAD 64 /* vertices of the mesh that are tried first */

/* No farther away than this: so much is known at once. */
static double bound_of_surface(const posed *m, const double x[3])
{
    double bound = INFINITY;
    for (int i = 0; i < m->count; i += m->count / SPREAD + 1)
        bound = fmin(bound, distance_of_points(m->positions + 3 * (size_t)m->triangles[3 * (size_t)i], x));
    return bound;
}

/* `bound`: it is no farther away. */
static double distance_of_surface(const posed *m, const double x[3], double bound)
{
    nearest n = {m, x, bound * bound * (1 + 1e-9)};
    const int only = 0;
    const prc_check_box box = prc_check_box_around(x, &only, 1);
    prc_check_tree_query(&m->tree, &box, false, &n.squared, visit_nearest, &n);
    return sqrt(n.squared);
}

/* ---- crossings, and the smallest distance ---- */

typedef struct asking {
    const posed *mesh;
    double corner[3][3], point[3];
    double reach; /* m², negative once it crosses: nothing else is asked then */
    double squared;
    bool measures, crosses;
} asking;

static bool boxes_meet(const prc_check_box *box, const double corner[3][3])
{
    for (int c = 0; c < 3; c++) {
        const double low = fmin(corner[0][c], fmin(corner[1][c], corner[2][c]));
        const double high = fmax(corner[0][c], fmax(corner[1][c], corner[2][c]));
        if (low > box->high[c] || high < box->low[c])
            return false;
    }
    return true;
}

static bool triangles_meet(const double a[3][3], const double b[3][3])
{
    for (int k = 0; k < 3; k++)
        if (prc_exact_edge_meets_triangle(a[k], a[(k + 1) % 3], b[0], b[1], b[2]) ||
            prc_exact_edge_meets_triangle(b[k], b[(k + 1) % 3], a[0], a[1], a[2]))
            return true;
    return false;
}

static void keep_nearer(asking *a, double squared, const double *point)
{
    if (!(squared < a->squared))
        return;
    a->squared = squared;
    a->reach = fmin(a->reach, squared);
    memcpy(a->point, point, sizeof a->point);
}

static void visit_item(void *context, int item)
{
    asking *a = context;
    double t[3][3], on_a[3], on_b[3];
    if (a->crosses)
        return;
    corners_of(a->mesh->positions, a->mesh->triangles + 3 * (size_t)item, t);
    const double(*own)[3] = (const double(*)[3])a->corner;
    if (boxes_meet(&a->mesh->boxes[item], own) && triangles_meet(own, (const double(*)[3])t)) {
        a->crosses = true;
        a->reach = -1;
    }
    for (int k = 0; a->measures && !a->crosses && k < 3; k++) {
        double squared = prc_check_distance_point_triangle(a->corner[k], t[0], t[1], t[2], on_a, on_b);
        keep_nearer(a, squared, on_a);
        squared = prc_check_distance_point_triangle(t[k], own[0], own[1], own[2], on_a, on_b);
        keep_nearer(a, squared, on_b);
        for (int e = 0; e < 3; e++) {
            squared = prc_check_distance_edge_edge(own[k], own[(k + 1) % 3], t[e], t[(e + 1) % 3], on_a, on_b);
            keep_nearer(a, squared, on_a);
        }
    }
}

static void cross_run(prc_check_items *items, int first, const posed *m)
{
    double reach = items->skip_distances ? 0 : INFINITY;
    for (int i = first; i < first + PRC_CHECK_ITEM_RUN && i < items->count; i++) {
        items->verdict[i] = PRC_CHECK_APART;
        items->least[i] = INFINITY;
        items->looked[i] = !items->skipped[i];
        if (items->skipped[i])
            continue;
        asking a = {.mesh = m, .reach = reach, .squared = INFINITY, .measures = !items->skip_distances};
        corners_of(items->positions, items->vertices + 3 * (size_t)i, a.corner);
        prc_check_tree_query(&m->tree, &items->boxes[i], false, &a.reach, visit_item, &a);
        if (a.crosses) {
            items->verdict[i] = PRC_CHECK_MEETS;
            continue;
        }
        items->least[i] = sqrt(a.squared);
        memcpy(items->points + 3 * (size_t)i, a.point, sizeof a.point);
        reach = fmin(reach, a.squared);
    }
}

/* ---- parts that hang together ---- */

static int root_of(int *parent, int vertex)
{
    while (parent[vertex] != vertex) {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    return vertex;
}

/* Items of parts that are inside meet the collider, too. */
static void find_inside(prc_check_items *items, const posed *m, int *parent, signed char *inside)
{
    for (int i = 0; i < items->vertex_count; i++) {
        parent[i] = i;
        inside[i] = -1;
    }
    for (int i = 0; i < items->count; i++)
        for (int k = 1; k < 3 && !items->skipped[i] && items->verdict[i] == PRC_CHECK_APART; k++) {
            const int *v = items->vertices + 3 * (size_t)i;
            const int a = root_of(parent, v[0]), b = root_of(parent, v[k]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
    for (int i = 0; i < items->count; i++) {
        if (items->skipped[i] || items->verdict[i] != PRC_CHECK_APART)
            continue;
        const int vertex = items->vertices[3 * (size_t)i], root = root_of(parent, vertex);
        if (inside[root] < 0) {
            double x[3];
            for (int c = 0; c < 3; c++)
                x[c] = snapped(items->positions[3 * (size_t)vertex + (size_t)c]);
            inside[root] = is_inside(m, x);
        }
        if (inside[root]) {
            items->verdict[i] = PRC_CHECK_MEETS;
            items->least[i] = 0; /* of those that cross it is not finite */
        }
    }
}

#define SIDES 4 /* a triangle has (SIDES + 1)(SIDES + 2) / 2 points that are looked at */

/* The deepest of some points of an item. From one to the next the distance changes by no more than the way. */
static void find_depth(prc_check_items *items, int item, const posed *m)
{
    double corner[3][3], *point = items->points + 3 * (size_t)item, depth = 0, last = 0, from[3] = {0};
    const bool crosses = !isfinite(items->least[item]);
    bool any = false;
    corners_of(items->positions, items->vertices + 3 * (size_t)item, corner);
    for (int c = 0; c < 3; c++)
        point[c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
    for (int a = 0; a <= SIDES; a++)
        for (int b = 0; b <= SIDES - a; b++) {
            double x[3];
            for (int c = 0; c < 3; c++)
                x[c] = snapped((a * corner[0][c] + b * corner[1][c] + (SIDES - a - b) * corner[2][c]) / SIDES);
            if (crosses && !is_inside(m, x))
                continue;
            last = distance_of_surface(m, x, any ? last + distance_of_points(x, from) : bound_of_surface(m, x));
            memcpy(from, x, sizeof from);
            any = true;
            if (last > depth) {
                depth = last;
                memcpy(point, x, sizeof x);
            }
        }
    items->least[item] = -depth;
}

prc_result prc_check_items_meet_mesh(prc_check_items *items, const prc_check_collider *collider, prc_error *error)
{
    posed m = {0};
    int *parent = PRC_NEW(int, items->vertex_count);
    signed char *inside = PRC_NEW(signed char, items->vertex_count);
    prc_result code = parent && inside ? pose(&m, collider, items->threads, error) : PRC_FAIL_MEMORY(error);
    if (!code) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(items->threads)
        for (int first = 0; first < items->count; first += PRC_CHECK_ITEM_RUN)
            cross_run(items, first, &m);
        find_inside(items, &m, parent, inside);
#pragma omp parallel for schedule(dynamic, 64) num_threads(items->threads)
        for (int i = 0; i < items->count; i++)
            if (items->verdict[i] == PRC_CHECK_MEETS)
                find_depth(items, i, &m);
    }
    release(&m);
    prc_free(parent);
    prc_free(inside);
    return code;
}
