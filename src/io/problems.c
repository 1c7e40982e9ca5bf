/* io/problems.c — see problems.h.
 *
 * The mesh keeps its vertices; problem primitives have their own vertices, so that their colour does not bleed into
 * others. There are four passes over the problems: to count, for vertices, for faces, for edges.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/problems.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "mesh/topology.h"

#include <string.h>

typedef enum pass { COUNT, VERTICES, FACES, EDGES } pass;

typedef struct writer {
    prc_file *file;
    const prc_mesh *mesh;
    const prc_mesh_problems *problems;
    int *start, *list; /* triangles around each vertex */
    pass pass;
    long long vertices, faces, edges; /* so far in this pass */
} writer;

static const char red[] = "220 30 30", yellow[] = "250 220 40", orange[] = "240 140 20", magenta[] = "220 40 200",
                  blue[] = "40 90 220", violet[] = "130 60 220", grey[] = "190 190 190";

/* A triangle (count 3), a line (2) or a point (1). */
static void put(writer *w, const int *vertices, int count, const char *colour)
{
    for (int k = 0; k < count && w->pass == VERTICES; k++) {
        const double *x = w->mesh->positions + 3 * (size_t)vertices[k];
        prc_file_printf(w->file, "%.9g %.9g %.9g %s\n", x[0], x[1], x[2], colour);
    }
    if (w->pass == FACES && count == 3)
        prc_file_printf(w->file, "3 %lld %lld %lld\n", w->vertices, w->vertices + 1, w->vertices + 2);
    if (w->pass == EDGES && count == 2)
        prc_file_printf(w->file, "%lld %lld\n", w->vertices, w->vertices + 1);
    w->vertices += count;
    w->faces += count == 3;
    w->edges += count == 2;
}

static bool has(const int *triangle, int vertex)
{
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* The triangles at a vertex, or at an edge where `other` is its other end. */
static void put_around(writer *w, int vertex, int other, const char *colour)
{
    for (int k = w->start[vertex]; k < w->start[vertex + 1]; k++) {
        const int *triangle = w->mesh->triangles + 3 * (size_t)w->list[k];
        if (other < 0 || has(triangle, other))
            put(w, triangle, 3, colour);
    }
}

static void put_problem(writer *w, const prc_mesh_problem *p)
{
    switch (p->kind) {
    case PRC_FAULT_CROWDED:
    case PRC_FAULT_TURNED:
        put_around(w, p->vertices[0], p->vertices[1], p->kind == PRC_FAULT_CROWDED ? red : orange);
        put(w, p->vertices, 2, yellow);
        break;
    case PRC_FAULT_DUPLICATE:
        put(w, p->vertices, 3, magenta);
        break;
    case PRC_FAULT_FLAT:
    case PRC_FAULT_REPEATED:
        put(w, p->vertices, 2, magenta);
        put(w, p->vertices + 1, 2, magenta);
        break;
    case PRC_FAULT_PINCHED:
        put_around(w, p->vertices[0], -1, violet);
        break;
    case PRC_FAULT_ISOLATED:
        put(w, p->vertices, 1, blue);
        break;
    default:
        break; /* has no place */
    }
}

static void run(writer *w, pass which)
{
    const prc_mesh *mesh = w->mesh;
    w->pass = which;
    for (int i = 0; i < mesh->vertex_count && which == VERTICES; i++)
        put(w, &i, 1, grey);
    for (int t = 0; t < mesh->triangle_count && which == FACES; t++) {
        const int *v = mesh->triangles + 3 * (size_t)t;
        prc_file_printf(w->file, "3 %d %d %d\n", v[0], v[1], v[2]);
    }
    w->vertices = mesh->vertex_count;
    w->faces = mesh->triangle_count;
    w->edges = 0;
    for (int k = 0; k < w->problems->count; k++)
        put_problem(w, &w->problems->items[k]);
}

static void write_all(writer *w)
{
    run(w, COUNT);
    prc_file_printf(
        w->file,
        "ply\nformat ascii 1.0\ncomment percale, problems of a mesh: yellow edges of too many triangles (red) or with "
        "inconsistent orientation (orange), magenta duplicates and zero area, violet pinched, blue isolated\n");
    prc_file_printf(w->file,
                    "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
                    "property uchar green\nproperty uchar blue\nelement face %lld\n"
                    "property list uchar int vertex_indices\nelement edge %lld\nproperty int vertex1\n"
                    "property int vertex2\nend_header\n",
                    w->vertices, w->faces, w->edges);
    run(w, VERTICES);
    run(w, FACES);
    run(w, EDGES);
}

prc_result prc_problems_write(const char *path, const prc_mesh *mesh, const prc_mesh_problems *problems,
                              prc_error *error)
{
    if (problems->counts[PRC_FAULT_VALUE] || problems->counts[PRC_FAULT_INDEX])
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: cannot show numbers that are not finite or corners that do not exist", path);
    writer w = {.mesh = mesh, .problems = problems};
    w.start = PRC_NEW(int, (size_t)mesh->vertex_count + 1);
    w.list = PRC_NEW(int, 3 * (size_t)mesh->triangle_count);
    prc_result result = w.start && w.list ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result) {
        prc_incidence_build(mesh, w.start, w.list);
        w.file = prc_file_open(path, error);
        result = w.file ? PRC_OK : PRC_ERROR_IO;
    }
    if (!result) {
        write_all(&w);
        result = prc_file_commit(w.file, error);
    }
    prc_free(w.start);
    prc_free(w.list);
    return result;
}
