/* check/check.c — see check.h.
 *
 * Crossings: each edge queries a bounding-volume hierarchy for triangles whose box overlaps its own; predicates.c
 * decides. The smallest distance: each vertex queries triangles, and each edge edges, no farther away than the smallest
 * distance found so far, which is soon the mesh size or less; this uses one thread, in a fixed order. The search for
 * crossings is parallel over ranges of edges, and results are merged in the order of edges. Leaves out pairs that share
 * a vertex: two triangles around a vertex that cross do so along a line that ends at an edge opposite to it, which is
 * tested.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/check.h"

#include "base/error.h"
#include "base/memory.h"
#include "check/distance.h"
#include "check/predicates.h"
#include "check/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangles or edges, with boxes and a hierarchy. */
typedef struct primitives {
    int count, size; /* vertices of each: 3 or 2 */
    const int *vertices;
    prc_check_box *boxes;
    unsigned char *kin; /* of all their vertices, where it is the same for all; else 0 */
    prc_check_tree tree;
} primitives;

typedef struct checker {
    double *positions;
    int vertex_count;
    const bool *obstacle;
    int *edge_vertices;
    int *first_owner, *owners; /* triangles of edge e: owners[first_owner[e] … first_owner[e + 1]) */
    primitives triangles, edges;
    /* what a visit needs: the primitive that asks, and what was found */
    int asking, most_listed, listed_capacity;
    uint64_t *triangle_pairs; /* of every crossing, smaller triangle in the upper half; with repetitions */
    size_t pair_count, pair_capacity;
    double reach; /* m² */
    bool out_of_memory;
    int threads;
    prc_check_result *result;
} checker;

#define RUN 4096 /* edges in a row that one thread asks for */

prc_check_options prc_check_options_default(void)
{
    return (prc_check_options){.most_listed = 10};
}

static const double *at(const checker *c, int vertex)
{
    return c->positions + 3 * (size_t)vertex;
}

static bool shares_vertex(const int *a, int a_count, const int *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int k = 0; k < b_count; k++)
            if (a[i] == b[k])
                return true;
    return false;
}

/* ---- taking the input ---- */

static prc_result take_positions(checker *c, const double *positions, prc_error *error)
{
    c->positions = PRC_NEW(double, 3 * (size_t)c->vertex_count);
    if (!c->positions)
        return PRC_FAIL_MEMORY(error);
    for (size_t i = 0; i < 3 * (size_t)c->vertex_count; i++) {
        if (!(fabs(positions[i]) <= PRC_CHECK_LARGEST))
            return prc_fail(error, PRC_ERROR_INPUT, "vertex %zu: found the coordinate %g; expected a finite length",
                            i / 3, positions[i]);
        c->positions[i] = fabs(positions[i]) < PRC_CHECK_SMALLEST ? 0 : positions[i];
    }
    return PRC_OK;
}

static prc_result check_triangles(const checker *c, prc_error *error)
{
    for (size_t i = 0; i < 3 * (size_t)c->triangles.count; i++) {
        int vertex = c->triangles.vertices[i];
        if (vertex < 0 || vertex >= c->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %zu: found vertex %d; vertices run from 0 to %d", i / 3,
                            vertex, c->vertex_count - 1);
    }
    return PRC_OK;
}

/* A side of a triangle: the vertices of an edge, smaller first, and the triangle. */
typedef struct side {
    int edge[2], triangle;
} side;

static int compare_numbers(const int *a, const int *b, int count)
{
    for (int k = 0; k < count; k++)
        if (a[k] != b[k])
            return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Sorts `from` into `to` by one vertex of the edges, keeping the order of equal ones; `start` has room for vertex_count
 * + 1 numbers. */
static void sort_sides(const checker *c, const side *from, size_t count, int vertex, size_t *start, side *to)
{
    memset(start, 0, ((size_t)c->vertex_count + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++)
        start[from[i].edge[vertex] + 1]++;
    for (int i = 0; i < c->vertex_count; i++)
        start[i + 1] += start[i];
    for (size_t i = 0; i < count; i++)
        to[start[from[i].edge[vertex]]++] = from[i];
}

/* In the order of edges, then of triangles. */
static size_t collect_sides(const checker *c, side *sides, side *other, size_t *start)
{
    size_t count = 0;
    for (int t = 0; t < c->triangles.count; t++)
        for (int k = 0; k < 3; k++) {
            const int *corner = c->triangles.vertices + 3 * (size_t)t;
            int a = corner[k], b = corner[(k + 1) % 3];
            if (a != b)
                sides[count++] = (side){{a < b ? a : b, a < b ? b : a}, t};
        }
    sort_sides(c, sides, count, 1, start, other);
    sort_sides(c, other, count, 0, start, sides);
    return count;
}

/* Every edge once, sorted, and the triangles it belongs to. */
static prc_result collect_edges(checker *c, prc_error *error)
{
    size_t most = 3 * (size_t)c->triangles.count;
    side *sides = PRC_NEW(side, most), *other = PRC_NEW(side, most);
    size_t *start = PRC_NEW(size_t, (size_t)c->vertex_count + 1);
    c->edge_vertices = PRC_NEW(int, 2 * most);
    c->first_owner = PRC_NEW(int, most + 1);
    c->owners = PRC_NEW(int, most);
    const bool enough = sides && other && start && c->edge_vertices && c->first_owner && c->owners;
    size_t count = enough ? collect_sides(c, sides, other, start) : 0, edges = 0;
    prc_free(other);
    prc_free(start);
    if (!enough) {
        prc_free(sides);
        return PRC_FAIL_MEMORY(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!i || compare_numbers(sides[i].edge, sides[i - 1].edge, 2)) {
            memcpy(c->edge_vertices + 2 * edges, sides[i].edge, sizeof sides[i].edge);
            c->first_owner[edges++] = (int)i;
        }
        c->owners[i] = sides[i].triangle;
    }
    c->first_owner[edges] = (int)count;
    c->edges = (primitives){.count = (int)edges, .size = 2, .vertices = c->edge_vertices};
    prc_free(sides);
    return PRC_OK;
}

/* Pairs of obstacles alone are left out. */
static unsigned char kin_of(const checker *c, int vertex)
{
    return c->obstacle && c->obstacle[vertex] ? 1 : 0;
}

static prc_result prepare(checker *c, primitives *p, bool with_tree, prc_error *error)
{
    p->boxes = PRC_NEW(prc_check_box, p->count);
    p->kin = PRC_NEW(unsigned char, p->count);
    if (!p->boxes || !p->kin)
        return PRC_FAIL_MEMORY(error);
#pragma omp parallel for schedule(static) num_threads(c->threads)
    for (int i = 0; i < p->count; i++) {
        const int *vertices = p->vertices + (size_t)p->size * (size_t)i;
        p->boxes[i] = prc_check_box_around(c->positions, vertices, p->size);
        p->kin[i] = kin_of(c, vertices[0]);
        for (int k = 1; k < p->size; k++)
            p->kin[i] = p->kin[i] == kin_of(c, vertices[k]) ? p->kin[i] : 0;
    }
    return with_tree ? prc_check_tree_build(&p->tree, p->boxes, p->kin, p->count, c->threads, error) : PRC_OK;
}

static void release_primitives(primitives *p)
{
    prc_check_tree_release(&p->tree);
    prc_free(p->boxes);
    prc_free(p->kin);
}

/* ---- crossings ---- */

/* A point to show: where the edge meets the plane of the triangle, or, within that plane, the middle of where the
 * boxes meet. */
static void locate(const checker *c, prc_check_crossing *crossing)
{
    const double *p = at(c, crossing->edge[0]), *q = at(c, crossing->edge[1]), *a = at(c, crossing->triangle[0]);
    const double *b = at(c, crossing->triangle[1]), *d = at(c, crossing->triangle[2]);
    double height[2] = {0, 0};
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        double normal = (b[u] - a[u]) * (d[v] - a[v]) - (b[v] - a[v]) * (d[u] - a[u]);
        height[0] += normal * (p[k] - a[k]);
        height[1] += normal * (q[k] - a[k]);
    }
    double total = fabs(height[0]) + fabs(height[1]), t = total > 0 ? fabs(height[0]) / total : 0;
    for (int k = 0; k < 3; k++) {
        double low = fmax(fmin(p[k], q[k]), fmin(a[k], fmin(b[k], d[k])));
        double high = fmin(fmax(p[k], q[k]), fmax(a[k], fmax(b[k], d[k])));
        crossing->point[k] = total > 0 ? p[k] + t * (q[k] - p[k]) : 0.5 * low + 0.5 * high;
    }
}

/* prc_grow, from any thread: the user's allocator need not be safe for them. */
static void *grow(checker *c, void *memory, size_t old_count, size_t new_count, size_t size)
{
    void *grown;
#pragma omp critical(prc_check_memory)
    grown = prc_grow(memory, old_count, new_count, size);
    c->out_of_memory = !grown;
    return grown;
}

static void list_crossing(checker *c, const prc_check_crossing *crossing)
{
    prc_check_result *r = c->result;
    if (r->listed_count == c->listed_capacity) {
        size_t old = (size_t)c->listed_capacity, wanted = old ? 2 * old : 16;
        prc_check_crossing *grown = grow(c, r->listed, old, wanted, sizeof *grown);
        if (!grown)
            return;
        r->listed = grown;
        c->listed_capacity = (int)wanted;
    }
    r->listed[r->listed_count++] = *crossing;
}

static void note_triangle_pair(checker *c, uint64_t pair)
{
    if (c->pair_count == c->pair_capacity) {
        size_t wanted = c->pair_capacity ? 2 * c->pair_capacity : 64;
        uint64_t *grown = grow(c, c->triangle_pairs, c->pair_capacity, wanted, sizeof *grown);
        if (!grown)
            return;
        c->triangle_pairs = grown;
        c->pair_capacity = wanted;
    }
    c->triangle_pairs[c->pair_count++] = pair;
}

/* Notes the triangles of the asking edge as crossing the given one. */
static void note_triangle_pairs(checker *c, int triangle)
{
    for (int i = c->first_owner[c->asking]; i < c->first_owner[c->asking + 1]; i++) {
        uint64_t a = (uint64_t)c->owners[i], b = (uint64_t)triangle;
        note_triangle_pair(c, a < b ? a << 32 | b : b << 32 | a);
    }
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static void count_triangle_pairs(checker *c)
{
    if (c->pair_count)
        qsort(c->triangle_pairs, c->pair_count, sizeof *c->triangle_pairs, compare_pairs);
    for (size_t i = 0; i < c->pair_count; i++)
        c->result->triangle_pairs += !i || c->triangle_pairs[i] != c->triangle_pairs[i - 1];
}

static void visit_crossing(void *context, int item)
{
    checker *c = context;
    const int *e = c->edges.vertices + 2 * (size_t)c->asking, *t = c->triangles.vertices + 3 * (size_t)item;
    if (c->out_of_memory || shares_vertex(e, 2, t, 3))
        return;
    c->result->pairs++;
    if (!prc_exact_edge_meets_triangle(at(c, e[0]), at(c, e[1]), at(c, t[0]), at(c, t[1]), at(c, t[2])))
        return;
    c->result->crossings++;
    note_triangle_pairs(c, item);
    if (c->most_listed > c->result->listed_count) {
        prc_check_crossing crossing = {.edge = {e[0], e[1]}, .triangle = {t[0], t[1], t[2]}};
        locate(c, &crossing);
        list_crossing(c, &crossing);
    }
}

/* What the edges from `first` on cross, into a checker of their own. */
static void ask_run(const checker *c, int first, checker *part, prc_check_result *result)
{
    *part = *c;
    *result = (prc_check_result){0};
    part->result = result;
    part->reach = 0;
    for (part->asking = first; part->asking < first + RUN && part->asking < c->edges.count && !part->out_of_memory;
         part->asking++)
        prc_check_tree_query(&c->triangles.tree, &c->edges.boxes[part->asking], c->edges.kin[part->asking],
                             &part->reach, visit_crossing, part);
}

/* Adds what a run found; runs come in order. */
static void take_run(checker *c, checker *part)
{
    const prc_check_result *found = part->result;
    c->out_of_memory = c->out_of_memory || part->out_of_memory;
    c->result->pairs += found->pairs;
    c->result->crossings += found->crossings;
    for (size_t i = 0; i < part->pair_count && !c->out_of_memory; i++)
        note_triangle_pair(c, part->triangle_pairs[i]);
    for (int i = 0; i < found->listed_count && c->most_listed > c->result->listed_count && !c->out_of_memory; i++)
        list_crossing(c, &found->listed[i]);
#pragma omp critical(prc_check_memory)
    {
        prc_free(part->triangle_pairs);
        prc_free(found->listed);
    }
}

static void find_crossings(checker *c)
{
    const int runs = (c->edges.count + RUN - 1) / RUN;
    const checker empty = *c; /* that has found nothing yet */
#pragma omp parallel for schedule(dynamic, 1) ordered num_threads(c->threads)
    for (int run = 0; run < runs; run++) {
        checker part;
        prc_check_result result;
        ask_run(&empty, run * RUN, &part, &result);
#pragma omp ordered
        take_run(c, &part);
    }
}

static void count_degenerate(checker *c)
{
    int degenerate = 0;
#pragma omp parallel for schedule(static) num_threads(c->threads) reduction(+ : degenerate)
    for (int i = 0; i < c->triangles.count; i++) {
        const int *t = c->triangles.vertices + 3 * (size_t)i;
        degenerate += prc_exact_collinear(at(c, t[0]), at(c, t[1]), at(c, t[2]));
    }
    c->result->degenerate = degenerate;
}

/* ---- the smallest distance ---- */

static void keep_nearer(checker *c, double squared, const int *a, int a_count, const int *b, int b_count,
                        const double *on_a, const double *on_b)
{
    prc_check_nearest *n = &c->result->nearest;
    if (n->found && !(squared < c->reach))
        return;
    *n = (prc_check_nearest){.found = true, .distance = sqrt(squared), .a_count = a_count, .b_count = b_count};
    memcpy(n->a, a, (size_t)a_count * sizeof *a);
    memcpy(n->b, b, (size_t)b_count * sizeof *b);
    memcpy(n->on_a, on_a, sizeof n->on_a);
    memcpy(n->on_b, on_b, sizeof n->on_b);
    c->reach = squared;
}

static void visit_triangle(void *context, int item)
{
    checker *c = context;
    const int *t = c->triangles.vertices + 3 * (size_t)item;
    if (shares_vertex(&c->asking, 1, t, 3))
        return;
    double on_a[3], on_b[3];
    double squared =
        prc_check_distance_point_triangle(at(c, c->asking), at(c, t[0]), at(c, t[1]), at(c, t[2]), on_a, on_b);
    keep_nearer(c, squared, &c->asking, 1, t, 3, on_a, on_b);
}

static void visit_edge(void *context, int item)
{
    checker *c = context;
    const int *e = c->edges.vertices + 2 * (size_t)c->asking, *f = c->edges.vertices + 2 * (size_t)item;
    if (item <= c->asking || shares_vertex(e, 2, f, 2)) /* the first of two edges asks */
        return;
    double on_a[3], on_b[3];
    double squared = prc_check_distance_edge_edge(at(c, e[0]), at(c, e[1]), at(c, f[0]), at(c, f[1]), on_a, on_b);
    keep_nearer(c, squared, e, 2, f, 2, on_a, on_b);
}

static prc_result find_nearest(checker *c, prc_error *error)
{
    bool *used = PRC_NEW(bool, c->vertex_count);
    if (!used)
        return PRC_FAIL_MEMORY(error);
    for (size_t i = 0; i < 3 * (size_t)c->triangles.count; i++)
        used[c->triangles.vertices[i]] = true;
    c->reach = INFINITY;
    for (c->asking = 0; c->asking < c->vertex_count && c->reach > 0; c->asking++) {
        if (!used[c->asking])
            continue;
        prc_check_box box = prc_check_box_around(c->positions, &c->asking, 1);
        prc_check_tree_query(&c->triangles.tree, &box, kin_of(c, c->asking), &c->reach, visit_triangle, c);
    }
    for (c->asking = 0; c->asking < c->edges.count && c->reach > 0; c->asking++)
        prc_check_tree_query(&c->edges.tree, &c->edges.boxes[c->asking], c->edges.kin[c->asking], &c->reach, visit_edge,
                             c);
    prc_free(used);
    return PRC_OK;
}

/* ---- all of it ---- */

static int compare_crossings(const void *a, const void *b)
{
    const prc_check_crossing *x = a, *y = b;
    int order = compare_numbers(x->edge, y->edge, 2);
    return order ? order : compare_numbers(x->triangle, y->triangle, 3);
}

static prc_result check_all(checker *c, const double *positions, const prc_check_options *options, prc_error *error)
{
    prc_result result = take_positions(c, positions, error);
    if (!result)
        result = check_triangles(c, error);
    if (!result)
        result = collect_edges(c, error);
    if (!result)
        result = prepare(c, &c->triangles, true, error);
    if (!result)
        result = prepare(c, &c->edges, !options->skip_distances, error);
    if (result)
        return result;
    count_degenerate(c);
    find_crossings(c);
    if (c->out_of_memory)
        return PRC_FAIL_MEMORY(error);
    count_triangle_pairs(c);
    if (c->result->listed_count)
        qsort(c->result->listed, (size_t)c->result->listed_count, sizeof *c->result->listed, compare_crossings);
    return options->skip_distances ? PRC_OK : find_nearest(c, error);
}

prc_result prc_check_surfaces(const double *positions, int vertex_count, const int *triangles, int triangle_count,
                              const prc_check_options *options, prc_check_result *result, prc_error *error)
{
    *result = (prc_check_result){0};
    if (vertex_count < 0 || triangle_count < 0 || (vertex_count && !positions) || (triangle_count && !triangles) ||
        triangle_count > INT32_MAX / 6)
        return prc_fail(error, PRC_ERROR_INPUT, "found %d vertices and %d triangles; expected arrays of these sizes",
                        vertex_count, triangle_count);
    checker c = {.vertex_count = vertex_count,
                 .obstacle = options->obstacle,
                 .triangles = {.count = triangle_count, .size = 3, .vertices = triangles},
                 .most_listed = options->most_listed,
                 .threads = options->threads > 0 ? options->threads : 1,
                 .result = result};
    prc_result code = check_all(&c, positions, options, error);
    if (code)
        prc_check_result_release(result);
    release_primitives(&c.triangles);
    release_primitives(&c.edges);
    prc_free(c.edge_vertices);
    prc_free(c.first_owner);
    prc_free(c.owners);
    prc_free(c.triangle_pairs);
    prc_free(c.positions);
    return code;
}

void prc_check_result_release(prc_check_result *result)
{
    prc_free(result->listed);
    *result = (prc_check_result){0};
}
