/* contact/surface.c — see surface.h. The unique edges come from a stable counting sort of all triangle sides, first by
 * the larger vertex and then by the smaller, so their order depends on nothing but the numbering.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/surface.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <string.h>

static prc_result check_indices(const char *what, const int *index, int count, int arity, int vertex_count,
                                prc_error *error)
{
    for (int i = 0; i < count; i++) {
        const int *v = index + (long)arity * i;
        for (int k = 0; k < arity; k++) {
            if (v[k] < 0 || v[k] >= vertex_count)
                return prc_fail(error, PRC_ERROR_INPUT, "%s %d: vertex %d does not exist, there are %d", what, i, v[k],
                                vertex_count);
            for (int j = 0; j < k; j++)
                if (v[j] == v[k])
                    return prc_fail(error, PRC_ERROR_INPUT, "%s %d: vertex %d is used twice; remove the primitive",
                                    what, i, v[k]);
        }
    }
    return PRC_OK;
}

/* Sorts `from` into `to` by vertex `key` (0 or 1) of the edges; `start` holds vertex_count + 1. */
static void sort_edges(int (*to)[2], int (*from)[2], int count, int key, int *start, int vertex_count)
{
    memset(start, 0, sizeof(int) * ((size_t)vertex_count + 1));
    for (int e = 0; e < count; e++)
        start[from[e][key] + 1]++;
    for (int v = 0; v < vertex_count; v++)
        start[v + 1] += start[v];
    for (int e = 0; e < count; e++)
        memcpy(to[start[from[e][key]]++], from[e], sizeof *to);
}

static void put_edge(int (*sides)[2], int *count, int a, int b)
{
    sides[*count][0] = a < b ? a : b;
    sides[*count][1] = a < b ? b : a;
    ++*count;
}

static prc_result build_edges(prc_surface *surface, const int *segments, int segment_count, prc_error *error)
{
    const int count = 3 * surface->triangle_count + segment_count;
    int(*sides)[2] = prc_alloc((size_t)count, sizeof *sides);
    int *start = PRC_NEW(int, (size_t)surface->vertex_count + 1);
    surface->edge = prc_alloc((size_t)count, sizeof *surface->edge);
    if (!sides || !start || !surface->edge) {
        prc_free(sides);
        prc_free(start);
        return PRC_FAIL_MEMORY(error);
    }
    int filled = 0;
    for (int t = 0; t < surface->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            put_edge(sides, &filled, surface->triangle[t][k], surface->triangle[t][(k + 1) % 3]);
    for (int s = 0; s < segment_count; s++)
        put_edge(sides, &filled, segments[2 * s], segments[2 * s + 1]);
    sort_edges(surface->edge, sides, count, 1, start, surface->vertex_count);
    sort_edges(sides, surface->edge, count, 0, start, surface->vertex_count);
    for (int e = 0; e < count; e++)
        if (e == 0 || sides[e][0] != sides[e - 1][0] || sides[e][1] != sides[e - 1][1])
            memcpy(surface->edge[surface->edge_count++], sides[e], sizeof *sides);
    prc_free(sides);
    prc_free(start);
    return PRC_OK;
}

/* CSR of the primitives of each vertex; one that names a vertex several times, one after the other, is there once. */
static bool list_of_vertices(const int *vertices, int count, int arity, int vertex_count, int **start, int **of)
{
    int *first = *start = PRC_NEW(int, (size_t)vertex_count + 2),
        *entry = *of = PRC_NEW(int, (size_t)arity *(size_t)count);
    if (!first || !entry)
        return false;
    if (!vertices) /* there are none */
        return true;
    for (long k = 0; k < (long)arity * count; k++)
        first[vertices[k] + 2] += k % arity == 0 || vertices[k] != vertices[k - 1];
    for (int v = 0; v < vertex_count; v++)
        first[v + 2] += first[v + 1];
    for (int i = 0; i < count; i++) {
        const int *of_one = vertices + (long)arity * i;
        for (int k = 0; k < arity; k++)
            if (k == 0 || of_one[k] != of_one[k - 1])
                entry[first[of_one[k] + 1]++] = i; /* in the end the starts, one place earlier */
    }
    return true;
}

prc_result prc_surface_build(prc_surface *surface, int vertex_count, const int *triangles, int triangle_count,
                             const int *segments, int segment_count, const unsigned char *motion, prc_error *error)
{
    *surface = (prc_surface){0};
    if (triangle_count > (INT_MAX - segment_count) / 3)
        return prc_fail(error, PRC_ERROR_INPUT, "%d triangles are too many for one scene", triangle_count);
    prc_result result = check_indices("triangle", triangles, triangle_count, 3, vertex_count, error);
    if (!result)
        result = check_indices("segment", segments, segment_count, 2, vertex_count, error);
    if (result)
        return result;

    surface->vertex_count = vertex_count;
    surface->triangle_count = triangle_count;
    surface->triangle = prc_alloc((size_t)triangle_count, sizeof *surface->triangle);
    surface->motion = PRC_NEW(unsigned char, vertex_count);
    if (!surface->triangle || !surface->motion)
        result = PRC_FAIL_MEMORY(error);
    else {
        if (triangle_count)
            memcpy(surface->triangle, triangles, sizeof *surface->triangle * (size_t)triangle_count);
        if (vertex_count)
            memcpy(surface->motion, motion, (size_t)vertex_count);
        result = build_edges(surface, segments, segment_count, error);
    }
    if (!result && (!list_of_vertices((const int *)surface->triangle, triangle_count, 3, vertex_count,
                                      &surface->triangle_start, &surface->triangle_of) ||
                    !list_of_vertices((const int *)surface->edge, surface->edge_count, 2, vertex_count,
                                      &surface->edge_start, &surface->edge_of)))
        result = PRC_FAIL_MEMORY(error);
    if (result)
        prc_surface_release(surface);
    return result;
}

prc_result prc_surface_add_bare(prc_surface *s, const int *segments, int segment_count, prc_error *error)
{
    int count = segment_count;
    for (int i = 0; i < s->vertex_count; i++)
        count += s->edge_start[i] == s->edge_start[i + 1];
    if (count > INT_MAX / 3 - s->triangle_count)
        return prc_fail(error, PRC_ERROR_INPUT, "%d edges and points are too many for one scene", count);
    const size_t before = (size_t)s->triangle_count;
    int(*all)[3] = prc_grow(s->triangle, before, before + (size_t)count, sizeof *all);
    if (!all)
        return PRC_FAIL_MEMORY(error);
    s->triangle = all;
    all += s->triangle_count;
    for (int e = 0; e < segment_count; e++, all++) {
        (*all)[0] = segments[2L * e];
        (*all)[1] = (*all)[2] = segments[2L * e + 1];
    }
    for (int i = 0; i < s->vertex_count; i++)
        if (s->edge_start[i] == s->edge_start[i + 1]) {
            (*all)[0] = (*all)[1] = (*all)[2] = i;
            all++;
        }
    s->bare_count = count;
    s->triangle_count += count;
    prc_free(s->triangle_start);
    prc_free(s->triangle_of);
    return list_of_vertices((const int *)s->triangle, s->triangle_count, 3, s->vertex_count, &s->triangle_start,
                            &s->triangle_of)
               ? PRC_OK
               : PRC_FAIL_MEMORY(error);
}

void prc_surface_release(prc_surface *surface)
{
    prc_free(surface->triangle);
    prc_free(surface->edge);
    prc_free(surface->motion);
    prc_free(surface->triangle_start);
    prc_free(surface->triangle_of);
    prc_free(surface->edge_start);
    prc_free(surface->edge_of);
    *surface = (prc_surface){0};
}
