/* mesh/check.c — says whether a mesh can be simulated, and if not, why.
 *
 * The checks run from the plain to the subtle, because each relies on those before it: counts, finite numbers, indices,
 * degenerate triangles, duplicates, edges, isolated vertices, pinched vertices. Each is linear in the size of the mesh
 * (duplicates sort the triangles around a vertex). Leaves out self-intersection, which is a matter of contact.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "mesh/topology.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#define SMALLEST_AREA 1e-12 /* of the squared longest edge; below, shape derivatives lose all their digits */

typedef struct checker {
    const prc_mesh *mesh;
    prc_error *error;
    int *start, *list; /* triangles around each vertex */
    void *table;       /* per vertex, for whichever check runs */
    void *scratch;     /* per triangle around one vertex, likewise */
} checker;

static prc_result check_counts(const prc_mesh *mesh, prc_error *error)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: counts are negative (%d vertices, %d triangles)",
                        mesh->vertex_count, mesh->triangle_count);
    if (!mesh->vertex_count || !mesh->triangle_count)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "mesh: is empty (%d vertices, %d triangles); at least one triangle is needed",
                        mesh->vertex_count, mesh->triangle_count);
    if (!mesh->positions || !mesh->triangles)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: %s missing",
                        mesh->positions ? "triangles are" : "positions are");
    if (3LL * mesh->triangle_count + mesh->vertex_count >= INT_MAX)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: %d vertices and %d triangles are more than percale can number",
                        mesh->vertex_count, mesh->triangle_count);
    return PRC_OK;
}

static prc_result check_finite(const double *values, int width, const char *what, const prc_mesh *mesh,
                               prc_error *error)
{
    int first = -1, count = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        bool finite = true;
        for (int k = 0; k < width; k++)
            finite = finite && isfinite(values[(size_t)width * (size_t)i + (size_t)k]);
        if (!finite && !count++)
            first = i;
    }
    if (!count)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_INPUT, "mesh: vertex %d has a %s that is not finite (%d such in all)", first, what,
                    count);
}

static prc_result check_indices(const prc_mesh *mesh, prc_error *error)
{
    int first = -1, count = 0;
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        if ((mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count) && !count++)
            first = k;
    if (!count)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_INPUT,
                    "mesh: triangle %d uses vertex %d, but vertices run from 0 to %d (%d such corners in all)",
                    first / 3, mesh->triangles[first], mesh->vertex_count - 1, count);
}

static bool is_flat(const prc_mesh *mesh, const int *corner)
{
    double edge[3][3], largest = 0;
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 3; k++) {
            edge[e][k] = mesh->positions[3 * (size_t)corner[(e + 1) % 3] + (size_t)k] -
                         mesh->positions[3 * (size_t)corner[e] + (size_t)k];
            largest = fmax(largest, fabs(edge[e][k]));
        }
    if (!(largest > 0) || !isfinite(largest))
        return true;

    /* In units of the largest component, so that no square over- or underflows. */
    double longest = 0;
    for (int e = 0; e < 3; e++) {
        double squared = 0;
        for (int k = 0; k < 3; k++) {
            edge[e][k] /= largest;
            squared += edge[e][k] * edge[e][k];
        }
        longest = fmax(longest, squared);
    }
    const double *a = edge[0], *b = edge[1];
    double n[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    return 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) < SMALLEST_AREA * longest;
}

static prc_result check_degenerate(const prc_mesh *mesh, prc_error *error)
{
    int first = -1, count = 0;
    bool repeats = false;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles + 3 * t;
        bool repeated = corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0];
        if ((repeated || is_flat(mesh, corner)) && !count++) {
            first = t;
            repeats = repeated;
        }
    }
    if (!count)
        return PRC_OK;
    const int *corner = mesh->triangles + 3 * first;
    return prc_fail(error, PRC_ERROR_INPUT,
                    "mesh: triangle %d (vertices %d, %d, %d) is degenerate: %s (%d such in all)", first, corner[0],
                    corner[1], corner[2], repeats ? "it has a vertex twice" : "it has no area", count);
}

typedef struct triangle_key {
    int middle, largest, triangle; /* the two larger vertices in order */
} triangle_key;

static int compare_keys(const void *left, const void *right)
{
    const triangle_key *a = left, *b = right;
    if (a->middle != b->middle)
        return a->middle < b->middle ? -1 : 1;
    if (a->largest != b->largest)
        return a->largest < b->largest ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

/* Duplicates meet at their smallest vertex. */
static prc_result check_duplicates(const checker *c)
{
    triangle_key *keys = c->scratch;
    int first = INT_MAX, original = -1, count = 0;
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        int key_count = 0;
        for (int k = c->start[i]; k < c->start[i + 1]; k++) {
            int a, b;
            prc_triangle_others(c->mesh->triangles + 3 * c->list[k], i, &a, &b);
            if (a > i && b > i)
                keys[key_count++] = (triangle_key){a < b ? a : b, a < b ? b : a, c->list[k]};
        }
        if (key_count > 1)
            qsort(keys, (size_t)key_count, sizeof *keys, compare_keys);
        for (int k = 1; k < key_count; k++) {
            if (keys[k].middle != keys[k - 1].middle || keys[k].largest != keys[k - 1].largest)
                continue;
            count++;
            if (keys[k].triangle < first) {
                first = keys[k].triangle;
                original = keys[k - 1].triangle;
            }
        }
    }
    if (!count)
        return PRC_OK;
    return prc_fail(c->error, PRC_ERROR_INPUT,
                    "mesh: triangle %d has the same vertices as triangle %d (%d duplicates in all)", first, original,
                    count);
}

typedef struct edge_use {
    int stamp;   /* the vertex around which the counts are valid */
    int out, in; /* triangles that run from that vertex to this one, and back */
} edge_use;

static void note_edge(edge_use *table, int vertex, int other, bool out)
{
    if (other < vertex)
        return;
    if (table[other].stamp != vertex)
        table[other] = (edge_use){vertex, 0, 0};
    if (out)
        table[other].out++;
    else
        table[other].in++;
}

typedef struct edge_faults {
    int crowded[3], crowded_count; /* first edge and its triangles */
    int turned[2], turned_count;
} edge_faults;

/* Judges the edge once: afterwards its stamp no longer matches. */
static void judge_edge(edge_use *table, int vertex, int other, edge_faults *faults)
{
    edge_use *use = &table[other];
    if (other < vertex || use->stamp != vertex)
        return;
    use->stamp = -1;
    int total = use->out + use->in;
    if (total > 2) {
        if (!faults->crowded_count++) {
            faults->crowded[0] = vertex;
            faults->crowded[1] = other;
            faults->crowded[2] = total;
        }
    } else if (use->out == 2 || use->in == 2) {
        if (!faults->turned_count++) {
            faults->turned[0] = vertex;
            faults->turned[1] = other;
        }
    }
}

static prc_result check_edges(const checker *c)
{
    edge_use *table = c->table;
    edge_faults faults = {{0}, 0, {0}, 0};
    for (int i = 0; i < c->mesh->vertex_count; i++)
        table[i].stamp = -1;
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        int next, previous;
        for (int k = c->start[i]; k < c->start[i + 1]; k++) {
            prc_triangle_others(c->mesh->triangles + 3 * c->list[k], i, &next, &previous);
            note_edge(table, i, next, true);
            note_edge(table, i, previous, false);
        }
        for (int k = c->start[i]; k < c->start[i + 1]; k++) {
            prc_triangle_others(c->mesh->triangles + 3 * c->list[k], i, &next, &previous);
            judge_edge(table, i, next, &faults);
            judge_edge(table, i, previous, &faults);
        }
    }
    if (faults.crowded_count)
        return prc_fail(c->error, PRC_ERROR_INPUT,
                        "mesh: edge %d-%d is in %d triangles; at most 2 may share one (%d such edges in all)",
                        faults.crowded[0], faults.crowded[1], faults.crowded[2], faults.crowded_count);
    if (faults.turned_count)
        return prc_fail(c->error, PRC_ERROR_INPUT,
                        "mesh: the two triangles at edge %d-%d face opposite sides (%d such edges in all); orient the "
                        "mesh consistently",
                        faults.turned[0], faults.turned[1], faults.turned_count);
    return PRC_OK;
}

static prc_result check_isolated(const checker *c)
{
    int first = -1, count = 0;
    for (int i = 0; i < c->mesh->vertex_count; i++)
        if (c->start[i] == c->start[i + 1] && !count++)
            first = i;
    if (!count)
        return PRC_OK;
    return prc_fail(c->error, PRC_ERROR_INPUT, "mesh: vertex %d belongs to no triangle (%d such in all)", first, count);
}

static prc_result check_pinched(const checker *c)
{
    int first = -1, count = 0;
    prc_fan_reset(c->table, c->mesh->vertex_count);
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        bool open;
        int *fan = c->list + c->start[i];
        if (!prc_fan_order(c->table, c->mesh, i, fan, c->start[i + 1] - c->start[i], c->scratch, &open) && !count++)
            first = i;
    }
    if (!count)
        return PRC_OK;
    return prc_fail(
        c->error, PRC_ERROR_INPUT,
        "mesh: vertex %d is pinched between separate fans of triangles (%d such in all); split it, one vertex per fan",
        first, count);
}

static prc_result check_connections(checker *c)
{
    prc_incidence_build(c->mesh, c->start, c->list);
    int most = 0;
    for (int i = 0; i < c->mesh->vertex_count; i++)
        if (c->start[i + 1] - c->start[i] > most)
            most = c->start[i + 1] - c->start[i];
    c->scratch = PRC_NEW(triangle_key, most + 1); /* also large enough for a ring of most + 1 ints */
    if (!c->scratch)
        return PRC_FAIL_MEMORY(c->error);

    prc_result result = check_duplicates(c);
    if (!result)
        result = check_edges(c);
    if (!result)
        result = check_isolated(c);
    if (!result)
        result = check_pinched(c);
    return result;
}

prc_result prc_mesh_check(const prc_mesh *mesh, prc_error *error)
{
    prc_result result = check_counts(mesh, error);
    if (!result)
        result = check_finite(mesh->positions, 3, "position", mesh, error);
    if (!result && mesh->texture)
        result = check_finite(mesh->texture, 2, "texture coordinate", mesh, error);
    if (!result)
        result = check_indices(mesh, error);
    if (!result)
        result = check_degenerate(mesh, error);
    if (result)
        return result;

    size_t vertices = (size_t)mesh->vertex_count;
    size_t entry = sizeof(edge_use) > sizeof(prc_fan_step) ? sizeof(edge_use) : sizeof(prc_fan_step);
    checker c = {.mesh = mesh, .error = error};
    c.start = PRC_NEW(int, vertices + 1);
    c.list = PRC_NEW(int, 3 * (size_t)mesh->triangle_count);
    c.table = prc_alloc(vertices, entry);
    result = c.start && c.list && c.table ? check_connections(&c) : PRC_FAIL_MEMORY(error);
    prc_free(c.start);
    prc_free(c.list);
    prc_free(c.table);
    prc_free(c.scratch);
    return result;
}
