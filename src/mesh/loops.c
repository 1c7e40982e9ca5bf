/* mesh/loops.c — see loops.h.
 *
 * A boundary edge belongs to only one triangle: after sorting edges by their two vertices, it has no duplicate. Edges
 * that share a vertex belong to one loop (union-find), whatever their orientation.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/loops.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

#define EQUAL 1e-6 /* relative difference of lengths that rounding may make */

typedef struct loop {
    int first; /* smallest vertex, which stands for the loop */
    double length;
} loop;

static int compare_edges(const void *a, const void *b)
{
    const int *p = a, *q = b;
    const int k = p[0] == q[0];
    return (p[k] > q[k]) - (p[k] < q[k]);
}

/* The vertex that stands for the set of i; the ways there become shorter. */
static int root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/* Boundary edges, at the front of `edges`; returns their number. */
static int keep_boundary(int *edges, int count)
{
    int kept = 0;
    qsort(edges, (size_t)count, 2 * sizeof(int), compare_edges);
    for (int e = 0, next; e < count; e = next) {
        const int *edge = edges + 2 * (size_t)e;
        for (next = e + 1; next < count && compare_edges(edge, edges + 2 * (size_t)next) == 0;)
            next++;
        if (next > e + 1)
            continue;
        edges[2 * (size_t)kept] = edge[0];
        edges[2 * (size_t)kept + 1] = edge[1];
        kept++;
    }
    return kept;
}

/* The boundary edges of a mesh, 2 vertices each, the smaller first; NULL when out of memory. */
static int *boundary_edges(const prc_mesh *mesh, int *count)
{
    const int all = 3 * mesh->triangle_count;
    int *edges = PRC_NEW(int, 2 * (size_t)all);
    for (int e = 0; edges && e < all; e++) {
        const int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        edges[2 * (size_t)e] = a < b ? a : b;
        edges[2 * (size_t)e + 1] = a < b ? b : a;
    }
    *count = edges ? keep_boundary(edges, all) : 0;
    return edges;
}

static double edge_length(const prc_mesh *mesh, const int edge[2])
{
    const double *a = mesh->positions + 3 * (size_t)edge[0], *b = mesh->positions + 3 * (size_t)edge[1];
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static int compare_lengths(const void *a, const void *b)
{
    const loop *p = a, *q = b;
    if (p->length != q->length)
        return p->length > q->length ? -1 : 1;
    return (p->first > q->first) - (p->first < q->first);
}

static int compare_firsts(const void *a, const void *b)
{
    const loop *p = a, *q = b;
    return (p->first > q->first) - (p->first < q->first);
}

static void sort_loops(loop *list, int count)
{
    qsort(list, (size_t)count, sizeof *list, compare_lengths);
    for (int k = 0, next; k < count; k = next) {
        for (next = k + 1; next < count && list[next].length >= (1 - EQUAL) * list[k].length;)
            next++;
        qsort(list + k, (size_t)(next - k), sizeof *list, compare_firsts);
    }
}

/* Numbers the loops of the edges. `parent` holds each vertex by itself, `list` has room for as many loops as edges. */
static void number_loops(const prc_mesh *mesh, const int *edges, int count, int *parent, loop *list,
                         prc_mesh_loops *loops)
{
    for (int e = 0; e < count; e++) {
        const int a = root(parent, edges[2 * (size_t)e]), b = root(parent, edges[2 * (size_t)e + 1]);
        parent[a < b ? b : a] = a < b ? a : b;
    }
    for (int e = 0; e < count; e++) {
        const int first = root(parent, edges[2 * (size_t)e]);
        if (loops->loop_of[first] < 0) {
            loops->loop_of[first] = loops->count;
            list[loops->count++] = (loop){first, 0};
        }
        list[loops->loop_of[first]].length += edge_length(mesh, edges + 2 * (size_t)e);
    }
    sort_loops(list, loops->count);
    for (int k = 0; k < loops->count; k++) {
        loops->loop_of[list[k].first] = k;
        loops->length[k] = list[k].length;
    }
    for (int e = 0; e < 2 * count; e++)
        loops->loop_of[edges[e]] = loops->loop_of[root(parent, edges[e])];
}

prc_result prc_mesh_loops_find(const prc_mesh *mesh, prc_mesh_loops *loops, prc_error *error)
{
    int count;
    int *edges = boundary_edges(mesh, &count), *parent = PRC_NEW(int, mesh->vertex_count);
    loop *list = PRC_NEW(loop, count);
    *loops = (prc_mesh_loops){.loop_of = PRC_NEW(int, mesh->vertex_count), .length = PRC_NEW(double, count)};
    const bool good = edges && parent && list && loops->loop_of && loops->length;
    if (good) {
        for (int i = 0; i < mesh->vertex_count; i++) {
            loops->loop_of[i] = -1;
            parent[i] = i;
        }
        number_loops(mesh, edges, count, parent, list, loops);
    } else {
        prc_mesh_loops_release(loops);
    }
    prc_free(edges);
    prc_free(parent);
    prc_free(list);
    return good ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_mesh_loops_release(prc_mesh_loops *loops)
{
    prc_free(loops->loop_of);
    prc_free(loops->length);
    *loops = (prc_mesh_loops){0};
}
