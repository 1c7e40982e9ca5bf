/* scene/select.c — selections to lists of vertices.
 *
 * A selection starts from all vertices and every condition that is given takes some away. Positions are those at time
 * 0. SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "mesh/mend.h"
#include "scene/reader.h"
#include "schema/schema.h"

#define REPORT(context, spec, ...)                                                                                     \
    prc_scene_report((context)->log, PRC_ERROR_INPUT, (spec)->mark.origin, (spec)->mark.line, (spec)->mark.column,     \
                     (context)->path, __VA_ARGS__)

/* Keeps what is marked in `wanted`. */
static void intersect(char *kept, const char *wanted, int count)
{
    for (int i = 0; i < count; i++)
        kept[i] = kept[i] && wanted[i];
}

static bool keep_corners(const prc_select_context *context, const prc_select_spec *spec, char *wanted)
{
    if (!context->corners) {
        REPORT(context, spec, "corners exist on grid and strip meshes only; use vertices, nearest, box or boundary");
        return false;
    }
    for (int k = 0; k < spec->corner_count; k++)
        wanted[context->corners[spec->corners[k]]] = 1;
    return true;
}

/* By their numbers in the file, whatever became of them since; of a vertex that was split, all of it. */
static bool keep_vertices(const prc_select_context *context, const prc_select_spec *spec, char *wanted)
{
    const prc_mesh *mesh = context->mesh;
    for (int k = 0; k < spec->vertex_count; k++) {
        const int vertex = prc_mesh_find(mesh, spec->vertices[k]);
        if (vertex < 0 && mesh->numbers && spec->vertices[k] < mesh->numbers[mesh->vertex_count - 1]) {
            REPORT(context, spec, "vertex %d belongs to no triangle of the mesh file and was removed",
                   spec->vertices[k]);
            return false;
        }
        if (vertex < 0) {
            REPORT(context, spec, "there is no vertex %d; the mesh has vertices 0 to %d", spec->vertices[k],
                   prc_mesh_number(mesh, mesh->vertex_count - 1));
            return false;
        }
        wanted[vertex] = 1;
    }
    for (int i = 0; mesh->numbers && i < mesh->vertex_count; i++)
        wanted[i] = wanted[prc_mesh_find(mesh, mesh->numbers[i])];
    return true;
}

static int compare_edges(const void *a, const void *b)
{
    const int *p = a, *q = b;
    int k = p[0] == q[0];
    return (p[k] > q[k]) - (p[k] < q[k]);
}

/* A boundary edge belongs to one triangle: sorted by its two vertices it stands alone. */
static bool keep_boundary(const prc_mesh *mesh, char *wanted)
{
    int count = 3 * mesh->triangle_count;
    int *edges = PRC_NEW(int, 2 * (size_t)count);
    if (!edges)
        return false;
    for (int e = 0; e < count; e++) {
        int a = mesh->triangles[e], b = mesh->triangles[e % 3 == 2 ? e - 2 : e + 1];
        edges[2 * e] = a < b ? a : b;
        edges[2 * e + 1] = a < b ? b : a;
    }
    qsort(edges, (size_t)count, 2 * sizeof(int), compare_edges);
    for (int e = 0; e < count; e++) {
        const int *edge = edges + 2 * (size_t)e;
        bool before = e > 0 && compare_edges(edge, edge - 2) == 0;
        bool after = e + 1 < count && compare_edges(edge, edge + 2) == 0;
        if (!before && !after)
            wanted[edge[0]] = wanted[edge[1]] = 1;
    }
    prc_free(edges);
    return true;
}

/* The faces of the box belong to it, and a placed vertex that should lie on one misses it by rounding: hence the slack.
 */
static void keep_box(const prc_mesh *mesh, const prc_box_spec *box, char *wanted)
{
    double largest = 0;
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        largest = fmax(largest, fabs(mesh->positions[i]));
    double slack = 1e-9 * largest;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double *x = mesh->positions + 3 * (size_t)i;
        wanted[i] = 1;
        for (int c = 0; c < 3; c++)
            wanted[i] = wanted[i] && x[c] >= box->min[c] - slack && x[c] <= box->max[c] + slack;
    }
}

static void keep_nearest(const prc_mesh *mesh, const double point[3], char *wanted)
{
    int best = 0;
    double smallest = DBL_MAX;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const double *x = mesh->positions + 3 * (size_t)i;
        double d = 0;
        for (int c = 0; c < 3; c++)
            d += (x[c] - point[c]) * (x[c] - point[c]);
        if (d < smallest) {
            smallest = d;
            best = i;
        }
    }
    wanted[best] = 1;
}

/* Marks the vertices that meet the condition of one key. */
static bool apply(const prc_select_context *context, const prc_select_spec *spec, const char *key, char *wanted)
{
    if (!strcmp(key, "corners"))
        return keep_corners(context, spec, wanted);
    if (!strcmp(key, "vertices"))
        return keep_vertices(context, spec, wanted);
    if (!strcmp(key, "boundary"))
        return keep_boundary(context->mesh, wanted);
    if (!strcmp(key, "box"))
        keep_box(context->mesh, &spec->box, wanted);
    else if (!strcmp(key, "nearest"))
        keep_nearest(context->mesh, spec->nearest, wanted);
    else
        memset(wanted, 1, (size_t)context->mesh->vertex_count);
    return true;
}

static bool mark_selected(const prc_select_context *context, const prc_select_spec *spec, char *kept, char *wanted)
{
    const prc_table *table = prc_schema_table(PRC_TABLE_select);
    int n = context->mesh->vertex_count, conditions = 0;
    memset(kept, 1, (size_t)n);
    for (int k = 0; k < table->key_count; k++) {
        const char *key = table->keys[k].name;
        bool off = (!strcmp(key, "all") && !spec->all) || (!strcmp(key, "boundary") && !spec->boundary);
        if (!(spec->mark.given >> k & 1u) || off)
            continue;
        conditions++;
        memset(wanted, 0, (size_t)n);
        if (!apply(context, spec, key, wanted))
            return false;
        intersect(kept, wanted, n);
    }
    if (!conditions)
        REPORT(context, spec, "no condition given; expected all, corners, vertices, boundary, box or nearest");
    return conditions > 0;
}

int *prc_scene_select(const prc_select_context *context, const prc_select_spec *spec, int *count)
{
    int n = context->mesh->vertex_count;
    int before = context->log->errors->count;
    char *kept = PRC_NEW(char, n), *wanted = PRC_NEW(char, n);
    int *list = NULL;
    *count = 0;
    if (kept && wanted && mark_selected(context, spec, kept, wanted)) {
        for (int i = 0; i < n; i++)
            *count += kept[i];
        if (!*count)
            REPORT(context, spec, "no vertex meets the conditions");
        else if ((list = PRC_NEW(int, *count)))
            for (int i = 0, at = 0; i < n; i++)
                if (kept[i])
                    list[at++] = i;
    }
    if (!list && context->log->errors->count == before)
        prc_scene_report(context->log, PRC_ERROR_MEMORY, spec->mark.origin, spec->mark.line, spec->mark.column,
                         context->path, "out of memory");
    prc_free(kept);
    prc_free(wanted);
    return list;
}
