/* io/start.c — see start.h.
 *
 * Every primitive has its own vertices, so that its colour does not bleed into others. The shapes are gone through four
 * times: to count, for vertices, for faces, for edges. SPDX-License-Identifier: Apache-2.0 */
#include "io/start.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <string.h>

typedef enum pass { COUNT, VERTICES, FACES, EDGES } pass;

typedef struct writer {
    prc_file *file;
    const prc_sim_def *def;
    const prc_start_report *report;
    const bool *touching; /* vertices that are too close to a collider */
    pass pass;
    long long vertices, faces, edges; /* so far in this pass */
} writer;

static const char red[] = "220 30 30", yellow[] = "250 220 40", orange[] = "240 140 20", blue[] = "40 90 220";

static void place(const writer *w, int vertex, double x[3])
{
    memcpy(x, w->report->positions + 3 * (size_t)vertex, 3 * sizeof *x);
}

/* A triangle (count 3) or a line (2). */
static void put(writer *w, const double x[3][3], int count, const char *colour)
{
    for (int k = 0; k < count && w->pass == VERTICES; k++)
        prc_file_printf(w->file, "%.9g %.9g %.9g %s\n", x[k][0], x[k][1], x[k][2], colour);
    if (w->pass == FACES && count == 3)
        prc_file_printf(w->file, "3 %lld %lld %lld\n", w->vertices, w->vertices + 1, w->vertices + 2);
    if (w->pass == EDGES && count == 2)
        prc_file_printf(w->file, "%lld %lld\n", w->vertices, w->vertices + 1);
    w->vertices += count;
    w->faces += count == 3;
    w->edges += count == 2;
}

static void put_primitive(writer *w, const int *vertices, int count, const char *colour)
{
    double x[3][3] = {{0}};
    for (int k = 0; k < count; k++)
        place(w, vertices[k], x[k]);
    put(w, (const double(*)[3])x, count, colour);
}

static void put_edge_towards(writer *w, const int *edge, const double to[3])
{
    double x[3][3];
    place(w, edge[0], x[0]);
    place(w, edge[1], x[1]);
    memcpy(x[2], to, sizeof x[2]);
    put(w, (const double(*)[3])x, 3, orange);
}

static void put_close(writer *w, const prc_start_close *c)
{
    const double way[3][3] = {{c->on[0][0], c->on[0][1], c->on[0][2]}, {c->on[1][0], c->on[1][1], c->on[1][2]}};
    put(w, way, 2, c->collider >= 0 ? blue : orange);
    if (c->b_count == 3)
        put_primitive(w, c->vertices + 1, 3, orange);
    if (c->b_count == 2) {
        put_edge_towards(w, c->vertices, c->on[1]);
        put_edge_towards(w, c->vertices + 2, c->on[0]);
    }
}

/* Triangles with a vertex that is too close to a collider. */
static void put_touching(writer *w)
{
    int first = 0;
    for (int b = 0; b < w->def->body_count; b++) {
        const prc_mesh *mesh = w->def->bodies[b].mesh;
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *corner = mesh->triangles + 3 * (size_t)t;
            const int v[3] = {first + corner[0], first + corner[1], first + corner[2]};
            if (w->touching[v[0]] || w->touching[v[1]] || w->touching[v[2]])
                put_primitive(w, v, 3, blue);
        }
        first += mesh->vertex_count;
    }
}

static void run(writer *w, pass which)
{
    w->pass = which;
    w->vertices = w->faces = w->edges = 0;
    for (int k = 0; k < w->report->crossing_count; k++) {
        put_primitive(w, w->report->crossings[k].triangle, 3, red);
        put_primitive(w, w->report->crossings[k].edge, 2, yellow);
    }
    for (int k = 0; k < w->report->close_count; k++)
        put_close(w, &w->report->close[k]);
    put_touching(w);
}

static void write_header(const writer *w)
{
    prc_file_printf(w->file,
                    "ply\nformat ascii 1.0\ncomment percale, start: %d crossings (red, yellow), %d pairs too close "
                    "(orange; blue: to a collider)\n",
                    w->report->crossing_count, w->report->close_count);
    prc_file_printf(w->file,
                    "element vertex %lld\nproperty float x\nproperty float y\nproperty float z\nproperty uchar red\n"
                    "property uchar green\nproperty uchar blue\nelement face %lld\n"
                    "property list uchar int vertex_indices\nelement edge %lld\nproperty int vertex1\n"
                    "property int vertex2\nend_header\n",
                    w->vertices, w->faces, w->edges);
}

prc_result prc_start_write(const char *path, const prc_start_report *report, const prc_sim_def *def, prc_error *error)
{
    size_t vertices = 0;
    for (int b = 0; b < def->body_count; b++)
        vertices += (size_t)def->bodies[b].mesh->vertex_count;
    bool *touching = PRC_NEW(bool, vertices);
    if (!touching)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < report->close_count; k++)
        for (int p = 0; report->close[k].collider >= 0 && p < report->close[k].a_count; p++)
            touching[report->close[k].vertices[p]] = true;
    writer w = {.def = def, .report = report, .touching = touching};
    w.file = prc_file_open(path, error);
    prc_result result = PRC_ERROR_IO;
    if (w.file) {
        run(&w, COUNT);
        write_header(&w);
        run(&w, VERTICES);
        run(&w, FACES);
        run(&w, EDGES);
        result = prc_file_commit(w.file, error);
    }
    prc_free(touching);
    return result;
}
