/* mesh/topology.c — ordered rings and fans in linear time.
 *
 * Around a vertex, every triangle is a step from its next corner to its previous corner. Two scratch tables over all
 * vertices (which triangle leaves a neighbour, which neighbours are arrived at) turn the unordered triangles into an
 * ordered walk without a search. Entries are valid for one vertex at a time: each carries that vertex as a stamp, so
 * that the tables need not be cleared.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/topology.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/mend.h"

#include <limits.h>

void prc_incidence_build(const prc_mesh *mesh, int *start, int *list)
{
    for (int i = 0; i <= mesh->vertex_count; i++)
        start[i] = 0;
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        start[mesh->triangles[k] + 1]++;
    for (int i = 0; i < mesh->vertex_count; i++)
        start[i + 1] += start[i];

    /* Fill with start[i] as the cursor, which leaves each start at its successor's; then shift back. */
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        list[start[mesh->triangles[k]]++] = k / 3;
    for (int i = mesh->vertex_count; i > 0; i--)
        start[i] = start[i - 1];
    start[0] = 0;
}

static prc_result check_counts(const prc_mesh *mesh, prc_error *error)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0 || prc_mesh_fits(mesh, NULL))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "mesh with %d vertices and %d triangles: counts are too large or negative", mesh->vertex_count,
                        mesh->triangle_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles + 3 * t;
        for (int c = 0; c < 3; c++)
            if (corner[c] < 0 || corner[c] >= mesh->vertex_count)
                return prc_fail(error, PRC_ERROR_INPUT, "triangle %d: vertex index %d is outside 0..%d", t, corner[c],
                                mesh->vertex_count - 1);
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %d uses a vertex twice", t);
    }
    return PRC_OK;
}

static prc_result not_manifold(int vertex, prc_error *error)
{
    return prc_fail(error, PRC_ERROR_INPUT,
                    "the triangles around vertex %d do not form one fan; prc_mesh_check finds the problem", vertex);
}

/* Records the steps around `vertex`. Fails where two triangles leave from, or arrive at, the same neighbour. */
static bool gather_steps(prc_fan_step *table, const prc_mesh *mesh, const int *fan, int count, int vertex)
{
    for (int k = 0; k < count; k++) {
        int from, to;
        prc_triangle_others(mesh->triangles + 3 * fan[k], vertex, &from, &to);
        if (table[from].leaves_stamp == vertex || table[to].arrives_stamp == vertex)
            return false;
        table[from].leaves_stamp = vertex;
        table[from].triangle = fan[k];
        table[to].arrives_stamp = vertex;
    }
    return true;
}

/* The neighbour where the walk starts: the one nothing arrives at, or else the smallest. */
static int find_start(const prc_fan_step *table, const prc_mesh *mesh, const int *fan, int count, int vertex,
                      bool *open)
{
    int smallest = INT_MAX;
    for (int k = 0; k < count; k++) {
        int from, to;
        prc_triangle_others(mesh->triangles + 3 * fan[k], vertex, &from, &to);
        if (table[from].arrives_stamp != vertex) {
            *open = true;
            return from;
        }
        if (from < smallest)
            smallest = from;
    }
    *open = false;
    return smallest;
}

int prc_fan_order(prc_fan_step *table, const prc_mesh *mesh, int vertex, int *fan, int count, int *ring, bool *open)
{
    if (!count || !gather_steps(table, mesh, fan, count, vertex))
        return 0;
    int first = find_start(table, mesh, fan, count, vertex, open);
    int at = first, length = 0;
    while (table[at].leaves_stamp == vertex && length < count) {
        int from, to, triangle = table[at].triangle;
        prc_triangle_others(mesh->triangles + 3 * triangle, vertex, &from, &to);
        fan[length] = triangle;
        ring[length++] = at;
        at = to;
        if (at == first)
            break;
    }
    if (length != count)
        return 0;
    if (*open)
        ring[length++] = at;
    return length;
}

void prc_fan_reset(prc_fan_step *table, int vertex_count)
{
    for (int i = 0; i < vertex_count; i++)
        table[i].leaves_stamp = table[i].arrives_stamp = -1;
}

static prc_result order_all(prc_topology *topology, const prc_mesh *mesh, prc_fan_step *table, prc_error *error)
{
    prc_fan_reset(table, mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        int *fan = topology->fan + topology->fan_start[i];
        int *ring = topology->ring + topology->ring_start[i];
        int count = topology->fan_start[i + 1] - topology->fan_start[i];
        bool open = false;
        int length = prc_fan_order(table, mesh, i, fan, count, ring, &open);
        if (!length)
            return not_manifold(i, error);
        topology->ring_start[i + 1] = topology->ring_start[i] + length;
        topology->boundary[i] = open;
    }
    return PRC_OK;
}

prc_result prc_topology_build(prc_topology *topology, const prc_mesh *mesh, prc_error *error)
{
    *topology = (prc_topology){0};
    prc_result result = check_counts(mesh, error);
    if (result)
        return result;

    size_t vertices = (size_t)mesh->vertex_count, corners = 3 * (size_t)mesh->triangle_count;
    topology->vertex_count = mesh->vertex_count;
    topology->triangle_count = mesh->triangle_count;
    topology->ring_start = PRC_NEW(int, vertices + 1);
    topology->ring = PRC_NEW(int, corners + vertices);
    topology->fan_start = PRC_NEW(int, vertices + 1);
    topology->fan = PRC_NEW(int, corners);
    topology->boundary = PRC_NEW(unsigned char, vertices);
    prc_fan_step *table = PRC_NEW(prc_fan_step, vertices);
    if (!topology->ring_start || !topology->ring || !topology->fan_start || !topology->fan || !topology->boundary ||
        !table) {
        result = PRC_FAIL_MEMORY(error);
    } else {
        prc_incidence_build(mesh, topology->fan_start, topology->fan);
        result = order_all(topology, mesh, table, error);
    }
    prc_free(table);
    if (result)
        prc_topology_release(topology);
    return result;
}

void prc_topology_release(prc_topology *topology)
{
    prc_free(topology->ring_start);
    prc_free(topology->ring);
    prc_free(topology->fan_start);
    prc_free(topology->fan);
    prc_free(topology->boundary);
    *topology = (prc_topology){0};
}
