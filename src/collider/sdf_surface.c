/* collider/sdf_surface.c — the surface of a field: where it is zero, as triangles, by marching tetrahedra.
 *
 * Each cell is cut into six tetrahedra along its diagonal from the first node to the last, all cells alike, so that
 * neighbours share edges and the triangles close up. An edge with a node inside (negative) and one that is not has one
 * vertex, where the interpolated field is zero. Rejected: marching cubes, whose table of cases is longer than this file
 * and has cases that do not close. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "collider/sdf.h"

#include <limits.h>
#include <string.h>

#define EDGES 7     /* of a node: to those that differ from it by one in some of x, y, z (bits 0 to 2 of 1 to 7) */
#define HALVINGS 60 /* for where an edge meets the surface */

typedef struct maker {
    const prc_sdf *field;
    prc_mesh *mesh;
    long vertex_capacity, triangle_capacity;
    int *made[2]; /* vertices of the edges of a layer of nodes and of the one above: 1 + number, 0 for none yet */
    bool full;    /* out of memory, or of numbers */
} maker;

/* Room for one more item of `width` elements. */
static void *reserve(maker *m, void *items, long count, long *capacity, size_t element, int width)
{
    if (count < *capacity)
        return items;
    const long more = 2 * *capacity + 1024;
    void *grown = more < INT_MAX / 3 ? prc_grow(items, (size_t)(count * width), (size_t)(more * width), element) : NULL;
    if (grown)
        *capacity = more;
    m->full = m->full || !grown;
    return grown ? grown : items;
}

static void place(const prc_sdf *f, const int node[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = f->origin[c] + node[c] * f->cell;
}

static bool is_inside(const prc_sdf *f, const int node[3])
{
    return prc_sdf_value(f, node[0], node[1], node[2]) < 0;
}

/* Where the field is zero between two nodes on different sides. */
static void find_zero(const prc_sdf *f, const int a[3], const int b[3], double zero[3])
{
    double from[3], to[3], low = 0, high = 1;
    place(f, is_inside(f, a) ? a : b, from);
    place(f, is_inside(f, a) ? b : a, to);
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        for (int c = 0; c < 3; c++)
            zero[c] = from[c] + middle * (to[c] - from[c]);
        if (prc_sdf_at(f, zero, NULL) < 0)
            low = middle;
        else
            high = middle;
    }
    for (int c = 0; c < 3; c++)
        zero[c] = from[c] + high * (to[c] - from[c]);
}

/* The vertex of the edge between two nodes of a cell, the first of which has no coordinate larger than the other's. */
static int vertex_of(maker *m, const int a[3], const int b[3], int layer)
{
    const prc_sdf *f = m->field;
    const int kind = (b[0] - a[0]) | (b[1] - a[1]) << 1 | (b[2] - a[2]) << 2;
    const size_t node = (size_t)a[1] * (size_t)f->nodes[0] + (size_t)a[0];
    int *made = &m->made[a[2] - layer][node * EDGES + (size_t)kind - 1];
    if (*made)
        return *made - 1;
    prc_mesh *mesh = m->mesh;
    mesh->positions = reserve(m, mesh->positions, mesh->vertex_count, &m->vertex_capacity, sizeof(double), 3);
    if (m->full)
        return 0;
    find_zero(f, a, b, mesh->positions + 3 * (size_t)mesh->vertex_count);
    *made = ++mesh->vertex_count;
    return *made - 1;
}

static void add_triangle(maker *m, int a, int b, int c, bool turned)
{
    prc_mesh *mesh = m->mesh;
    mesh->triangles = reserve(m, mesh->triangles, mesh->triangle_count, &m->triangle_capacity, sizeof(int), 3);
    if (m->full)
        return;
    int *t = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
    t[0] = a;
    t[1] = turned ? c : b;
    t[2] = turned ? b : c;
}

/* The part of the surface in a tetrahedron whose corners, as they stand, are right-handed or not. */
static void cut(maker *m, int (*corner)[3], bool right_handed, int layer)
{
    int order[4], inside = 0, count = 0;
    for (int side = 0; side < 2; side++) /* those inside first */
        for (int k = 0; k < 4; k++)
            if (is_inside(m->field, corner[k]) == (side == 0)) {
                order[count++] = k;
                inside += side == 0;
            }
    if (inside == 0 || inside == 4)
        return;
    bool turned = !right_handed;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            turned ^= order[j] > order[i];
    int v[4][4];
    for (int i = 0; i < inside; i++)
        for (int j = inside; j < 4; j++) {
            const int low = order[i] < order[j] ? order[i] : order[j], high = order[i] + order[j] - low;
            v[i][j] = vertex_of(m, corner[low], corner[high], layer);
        }
    if (inside == 1) {
        add_triangle(m, v[0][1], v[0][2], v[0][3], turned);
    } else if (inside == 3) {
        add_triangle(m, v[0][3], v[1][3], v[2][3], turned);
    } else {
        add_triangle(m, v[0][2], v[0][3], v[1][3], turned);
        add_triangle(m, v[0][2], v[1][3], v[1][2], turned);
    }
}

static void march(maker *m, int i, int j, int k)
{
    static const int axes[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    int inside = 0;
    for (int n = 0; n < 8; n++)
        inside += is_inside(m->field, (const int[3]){i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)});
    for (int t = 0; t < 6 && inside > 0 && inside < 8; t++) {
        int corner[4][3] = {{i, j, k}};
        for (int p = 1; p < 4; p++) {
            memcpy(corner[p], corner[p - 1], sizeof corner[p]);
            corner[p][axes[t][p - 1]]++;
        }
        cut(m, corner, t < 3, k);
    }
}

prc_result prc_sdf_surface(prc_mesh *mesh, const prc_sdf *field, prc_error *error)
{
    const size_t edges = EDGES * (size_t)field->nodes[0] * (size_t)field->nodes[1];
    maker m = {.field = field, .mesh = mesh, .made = {PRC_NEW(int, edges), PRC_NEW(int, edges)}};
    memset(mesh, 0, sizeof *mesh);
    m.full = !m.made[0] || !m.made[1];
    for (int k = 0; k + 1 < field->nodes[2] && !m.full; k++) {
        for (int j = 0; j + 1 < field->nodes[1]; j++)
            for (int i = 0; i + 1 < field->nodes[0] && !m.full; i++)
                march(&m, i, j, k);
        int *below = m.made[0];
        m.made[0] = m.made[1];
        m.made[1] = below;
        memset(below, 0, edges * sizeof *below);
    }
    prc_free(m.made[0]);
    prc_free(m.made[1]);
    if (m.full) {
        prc_mesh_release(mesh);
        return PRC_FAIL_MEMORY(error);
    }
    return PRC_OK;
}
