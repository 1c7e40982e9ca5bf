/* mesh/topology.h — adjacency: the triangles and the neighbours around every vertex, in order.
 *
 * Both lists run counter-clockwise as seen from the front, so that consecutive ring neighbours span the triangles of
 * the fan: triangle fan[k] of vertex i has the corners i, ring[k], ring[k + 1] (around the corner for closed fans). On
 * the boundary the ring starts and ends with the two boundary edges and is one longer than the fan; a closed ring
 * starts at its smallest neighbour. Leaves out non-manifold meshes: prc_mesh_check finds their problems.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_TOPOLOGY_H
#define PRC_MESH_TOPOLOGY_H

#include <percale/mesh.h>

typedef struct prc_topology {
    int vertex_count;
    int triangle_count;
    int *ring_start;         /* vertex_count + 1 */
    int *ring;               /* neighbours of vertex i: ring[ring_start[i]] to ring[ring_start[i + 1] - 1], each once */
    int *fan_start;          /* vertex_count + 1 */
    int *fan;                /* triangles around vertex i, from fan[fan_start[i]], in the same order */
    unsigned char *boundary; /* per vertex: 1 on the boundary, 0 inside */
} prc_topology;

/* Fills *topology, released with prc_topology_release. Expects a mesh that passed prc_mesh_check; any other gives
 * PRC_ERROR_INPUT. Failure leaves *topology zeroed. */
prc_result prc_topology_build(prc_topology *topology, const prc_mesh *mesh, prc_error *error);
void prc_topology_release(prc_topology *topology);

/* The triangles around each vertex by increasing index: those of vertex i are list[start[i]] to list[start[i + 1] - 1].
 * `start` holds vertex_count + 1, `list` 3 triangle_count; all indices must be in range. */
void prc_incidence_build(const prc_mesh *mesh, int *start, int *list);

/* What is known about a neighbour while one fan is put in order; see topology.c. */
typedef struct prc_fan_step {
    int leaves_stamp;  /* vertex around which `triangle` was set */
    int arrives_stamp; /* vertex around which some triangle arrives here */
    int triangle;      /* the triangle that leaves this neighbour */
} prc_fan_step;

/* Orders the `count` triangles around `vertex` in place, writes their ring (count + 1 slots) and says whether the fan
 * is open. Returns the ring's length, or 0 where the triangles do not form one fan. `table` holds one entry per vertex
 * of the mesh, set up by prc_fan_reset before the first fan; no fan may be ordered twice with it. */
int prc_fan_order(prc_fan_step *table, const prc_mesh *mesh, int vertex, int *fan, int count, int *ring, bool *open);
void prc_fan_reset(prc_fan_step *table, int vertex_count);

/* The two other corners of a triangle that has `vertex` as a corner, in counter-clockwise order. */
static inline void prc_triangle_others(const int *triangle, int vertex, int *next, int *previous)
{
    int corner = triangle[0] == vertex ? 0 : triangle[1] == vertex ? 1 : 2;
    *next = triangle[(corner + 1) % 3];
    *previous = triangle[(corner + 2) % 3];
}

#endif
