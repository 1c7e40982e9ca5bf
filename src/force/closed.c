/* force/closed.c — see closed.h.
 *
 * A surface is closed when every edge is run along as often one way as the other. What is left over after the triangles
 * of the bodies are boundary edges a → b. Vertices that stitches join (directly or through others) are of one kind. Two
 * boundary edges whose ends are of the same kinds, in opposite directions, face each other across a seam: two
 * triangles fill the strip between them. Where more than two panels meet, edges between vertices of one kind remain,
 * which a cone over them closes. Stitches to points inside an edge join nothing here.
 * SPDX-License-Identifier: Apache-2.0 */
#include "force/closed.h"

#include "base/error.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct edge {
    int from, to;
} edge;

typedef struct work {
    prc_closed *closed;
    int capacity; /* triangles */
    edge *edges;  /* left over, in the direction in which the surface runs along them */
    int edge_count;
    int *kind; /* per vertex of the model */
} work;

static bool add_triangle(work *w, int a, int b, int c)
{
    if (a == b || b == c || c == a)
        return true;
    if (w->closed->count == w->capacity) {
        const int more = w->capacity + w->capacity / 2 + 64;
        int *triangles = prc_grow(w->closed->triangles, 3 * (size_t)w->capacity, 3 * (size_t)more, sizeof *triangles);
        if (!triangles)
            return false;
        w->closed->triangles = triangles;
        w->capacity = more;
    }
    int *t = w->closed->triangles + 3 * (size_t)w->closed->count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
    return true;
}

static int root_of(int *kind, int i)
{
    while (kind[i] != i)
        i = kind[i] = kind[kind[i]];
    return i;
}

/* The vertex that an end is fastened to, or −1. */
static int end_vertex(const prc_spring_end *end, const prc_model *m)
{
    if (end->body < 0 || (end->at > 0 && end->at < 1))
        return -1;
    return m->internal_of[m->bodies[end->body].first_vertex + end->vertex[end->at > 0]];
}

static void find_kinds(int *kind, const prc_sim_def *def, const prc_model *m)
{
    for (int i = 0; i < m->vertex_count; i++)
        kind[i] = i;
    for (int k = 0; k < def->spring_count; k++) {
        const int a = end_vertex(&def->springs[k].tie, m), b = end_vertex(&def->springs[k].to, m);
        if (!def->springs[k].seam || a < 0 || b < 0)
            continue;
        const int p = root_of(kind, a), q = root_of(kind, b);
        kind[p > q ? p : q] = p > q ? q : p;
    }
    for (int i = 0; i < m->vertex_count; i++)
        kind[i] = root_of(kind, i);
}

/* By the two vertices, whatever the direction; then by direction. */
static int compare_edges(const void *a, const void *b)
{
    const edge *p = a, *q = b;
    const int p0 = p->from < p->to ? p->from : p->to, p1 = p->from < p->to ? p->to : p->from;
    const int q0 = q->from < q->to ? q->from : q->to, q1 = q->from < q->to ? q->to : q->from;
    if (p0 != q0)
        return p0 < q0 ? -1 : 1;
    if (p1 != q1)
        return p1 < q1 ? -1 : 1;
    return (p->from > q->from) - (p->from < q->from);
}

/* Edges that are run along more often one way than the other, as often as they are. */
static bool find_open_edges(work *w)
{
    const size_t count = 3 * (size_t)w->closed->count;
    prc_free(w->edges);
    w->edge_count = 0;
    w->edges = PRC_NEW(edge, count);
    if (!w->edges)
        return false;
    for (size_t k = 0; k < count; k++) {
        const int *t = w->closed->triangles + k / 3 * 3;
        w->edges[k] = (edge){t[k % 3], t[(k + 1) % 3]};
    }
    qsort(w->edges, count, sizeof *w->edges, compare_edges);
    for (size_t k = 0; k < count;) {
        const edge e = w->edges[k];
        const int low = e.from < e.to ? e.from : e.to, high = e.from < e.to ? e.to : e.from;
        int net = 0;
        for (; k < count; k++) {
            const bool forth = w->edges[k].from == low && w->edges[k].to == high;
            if (!forth && !(w->edges[k].from == high && w->edges[k].to == low))
                break;
            net += forth ? 1 : -1;
        }
        for (; net != 0; net += net > 0 ? -1 : 1) /* never more than were read: overwrites what is behind */
            w->edges[w->edge_count++] = net > 0 ? (edge){low, high} : (edge){high, low};
    }
    return true;
}

/* A boundary edge with the kinds of its ends, lower first. */
typedef struct seam_edge {
    int low, high;
    bool forth; /* runs from the lower kind */
    edge at;
} seam_edge;

static int compare_seam_edges(const void *a, const void *b)
{
    const seam_edge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    if (p->forth != q->forth)
        return p->forth ? -1 : 1;
    return compare_edges(&p->at, &q->at);
}

/* Triangles between edges that face each other across a seam. */
static bool fill_strips(work *w)
{
    seam_edge *list = PRC_NEW(seam_edge, w->edge_count);
    bool good = list != NULL;
    for (int k = 0; good && k < w->edge_count; k++) {
        const int a = w->kind[w->edges[k].from], b = w->kind[w->edges[k].to];
        list[k] = (seam_edge){a < b ? a : b, a < b ? b : a, a < b, w->edges[k]};
    }
    if (good)
        qsort(list, (size_t)w->edge_count, sizeof *list, compare_seam_edges);
    for (int k = 0; good && k < w->edge_count;) {
        int back = k, end = k;
        while (end < w->edge_count && list[end].low == list[k].low && list[end].high == list[k].high)
            end++;
        while (back < end && list[back].forth)
            back++;
        for (int p = k, q = back; list[k].low != list[k].high && p < back && q < end; p++, q++) {
            const edge forth = list[p].at, to = list[q].at; /* to.to faces forth.from, to.from faces forth.to */
            good = good && add_triangle(w, forth.to, forth.from, to.to) && add_triangle(w, forth.to, to.to, to.from);
        }
        k = end;
    }
    prc_free(list);
    return good;
}

/* Cones over edges between vertices of one kind; the vertex that the kind is called after is the tip. */
static bool fill_corners(work *w)
{
    for (int k = 0; k < w->edge_count; k++) {
        const edge e = w->edges[k];
        if (w->kind[e.from] == w->kind[e.to] && !add_triangle(w, e.to, e.from, w->kind[e.from]))
            return false;
    }
    return true;
}

/* How many edges the loop has that the first open edge is part of. */
static int loop_length(const work *w)
{
    int length = 1, at = w->edges[0].to;
    for (; at != w->edges[0].from && length <= w->edge_count; length++) {
        int next = -1;
        for (int k = 0; k < w->edge_count && next < 0; k++)
            next = w->edges[k].from == at ? w->edges[k].to : -1;
        at = next;
    }
    return length;
}

static prc_result refuse(const work *w, const prc_sim_def *def, const prc_model *m, const char *where, prc_error *error)
{
    const int vertex = w->edges[0].from, body = m->body_of[vertex];
    const double *x = m->position + 3L * m->caller_of[vertex];
    return prc_fail(error, PRC_ERROR_INPUT,
                    "%s: the surface is open along %d edges, the first loop has %d and passes vertex %d of bodies[%d] "
                    "\"%s\", at (%.4g, %.4g, %.4g); close it, or sew its boundary vertex to vertex (seams). Bodies "
                    "that enclose a volume together must all face outwards",
                    where, w->edge_count, loop_length(w), m->caller_of[vertex] - m->bodies[body].first_vertex, body,
                    def->bodies[body].name ? def->bodies[body].name : "(unnamed)", x[0], x[1], x[2]);
}

static bool collect(work *w, const prc_model *m, const prc_pressure_def *pressure)
{
    for (int t = 0; t < m->triangle_count; t++) {
        const int *v = m->triangles + 3 * (size_t)t;
        for (int k = 0; k < pressure->body_count; k++)
            if (m->body_of[v[0]] == pressure->bodies[k] && !add_triangle(w, v[0], v[1], v[2]))
                return false;
    }
    return true;
}

prc_result prc_closed_build(prc_closed *closed, const prc_sim_def *def, const prc_model *model,
                            const prc_pressure_def *pressure, const char *where, prc_error *error)
{
    memset(closed, 0, sizeof *closed);
    work w = {.closed = closed, .kind = PRC_NEW(int, model->vertex_count)};
    bool good = w.kind && collect(&w, model, pressure) && find_open_edges(&w);
    if (good && w.edge_count > 0) {
        find_kinds(w.kind, def, model);
        good = fill_strips(&w) && find_open_edges(&w) && fill_corners(&w) && find_open_edges(&w);
    }
    prc_result result = good ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (good && w.edge_count > 0)
        result = refuse(&w, def, model, where, error);
    prc_free(w.edges);
    prc_free(w.kind);
    return result;
}

void prc_closed_release(prc_closed *closed)
{
    prc_free(closed->triangles);
    memset(closed, 0, sizeof *closed);
}
