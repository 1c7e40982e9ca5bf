/* mesh/check.c — finds all problems that prevent a mesh from being simulated.
 *
 * The checks go from simple to subtle, because each relies on the previous ones: counts, finite numbers, indices,
 * degenerate triangles, duplicates, edges, isolated vertices, pinched vertices. Each is linear in the size of the mesh
 * (duplicates sort the triangles around a vertex). Leaves out self-intersection, which contact examines.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "mesh/mend.h"
#include "mesh/topology.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST_AREA 1e-12 /* of the squared longest edge; below, shape derivatives lose all their digits */
#define MOST_LISTED 10000   /* of a kind */
#define MOST_PLACES 3       /* that a message names */

typedef struct checker {
    const prc_mesh *mesh;
    prc_error *error;
    prc_mesh_problems *found;
    int capacity;
    bool full;         /* out of memory for the list */
    int *start, *list; /* triangles around each vertex */
    void *table;       /* per vertex, for whichever check runs */
    void *scratch;     /* per triangle around one vertex, likewise */
} checker;

static void add(checker *c, prc_mesh_problem problem)
{
    prc_mesh_problems *found = c->found;
    if (found->counts[problem.kind]++ >= MOST_LISTED || c->full)
        return;
    if (found->count == c->capacity) {
        const int capacity = c->capacity ? 2 * c->capacity : 16;
        prc_mesh_problem *grown = prc_grow(found->items, (size_t)found->count, (size_t)capacity, sizeof *grown);
        if (!grown) {
            c->full = true;
            return;
        }
        found->items = grown;
        c->capacity = capacity;
    }
    found->items[found->count++] = problem;
}

static void add_vertex(checker *c, prc_mesh_fault kind, int vertex)
{
    add(c, (prc_mesh_problem){kind, -1, {vertex, -1, -1}, -1});
}

static void add_triangle(checker *c, prc_mesh_fault kind, int triangle, int other)
{
    const int *v = c->mesh->triangles + 3 * (size_t)triangle;
    add(c, (prc_mesh_problem){kind, triangle, {v[0], v[1], v[2]}, other});
}

/* ---- numbers ---- */

static prc_result check_counts(const prc_mesh *mesh, prc_error *error)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: counts are negative (%d vertices, %d triangles)",
                        mesh->vertex_count, mesh->triangle_count);
    if (!mesh->vertex_count || !mesh->triangle_count)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "mesh: is empty (%d vertices, %d triangles); expected at least one triangle",
                        mesh->vertex_count, mesh->triangle_count);
    if (!mesh->positions || !mesh->triangles)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: %s missing",
                        mesh->positions ? "triangles are" : "positions are");
    return prc_mesh_fits(mesh, error);
}

static bool is_finite(const double *values, int width, int vertex)
{
    for (int k = 0; values && k < width; k++)
        if (!isfinite(values[(size_t)width * (size_t)vertex + (size_t)k]))
            return false;
    return true;
}

static void check_numbers(checker *c)
{
    const prc_mesh *mesh = c->mesh;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!is_finite(mesh->positions, 3, i) || !is_finite(mesh->texture, 2, i))
            add_vertex(c, PRC_FAULT_VALUE, i);
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
            add(c, (prc_mesh_problem){PRC_FAULT_INDEX, k / 3, {mesh->triangles[k], -1, -1}, -1});
}

/* ---- triangles ---- */

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

static void check_degenerate(checker *c)
{
    for (int t = 0; t < c->mesh->triangle_count; t++) {
        const int *corner = c->mesh->triangles + 3 * t;
        if (corner[0] == corner[1] || corner[1] == corner[2] || corner[2] == corner[0])
            add_triangle(c, PRC_FAULT_REPEATED, t, -1);
        else if (is_flat(c->mesh, corner))
            add_triangle(c, PRC_FAULT_FLAT, t, -1);
    }
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
static void check_duplicates(checker *c)
{
    triangle_key *keys = c->scratch;
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
        for (int k = 1; k < key_count; k++)
            if (keys[k].middle == keys[k - 1].middle && keys[k].largest == keys[k - 1].largest)
                add_triangle(c, PRC_FAULT_DUPLICATE, keys[k].triangle, keys[k - 1].triangle);
    }
}

/* ---- edges and vertices ---- */

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

/* Judges the edge once: afterwards its stamp no longer matches. */
static void judge_edge(checker *c, edge_use *table, int vertex, int other)
{
    edge_use *use = &table[other];
    if (other < vertex || use->stamp != vertex)
        return;
    use->stamp = -1;
    const int total = use->out + use->in;
    if (total > 2)
        add(c, (prc_mesh_problem){PRC_FAULT_CROWDED, -1, {vertex, other, -1}, total});
    else if (use->out == 2 || use->in == 2)
        add(c, (prc_mesh_problem){PRC_FAULT_TURNED, -1, {vertex, other, -1}, -1});
}

static void check_edges(checker *c)
{
    edge_use *table = c->table;
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
            judge_edge(c, table, i, next);
            judge_edge(c, table, i, previous);
        }
    }
}

static void check_isolated(checker *c)
{
    for (int i = 0; i < c->mesh->vertex_count; i++)
        if (c->start[i] == c->start[i + 1])
            add_vertex(c, PRC_FAULT_ISOLATED, i);
}

static void check_pinched(checker *c)
{
    prc_fan_reset(c->table, c->mesh->vertex_count);
    for (int i = 0; i < c->mesh->vertex_count; i++) {
        bool open;
        int *fan = c->list + c->start[i], count = c->start[i + 1] - c->start[i];
        if (count && !prc_fan_order(c->table, c->mesh, i, fan, count, c->scratch, &open))
            add_vertex(c, PRC_FAULT_PINCHED, i);
    }
}

static prc_result check_connections(checker *c)
{
    const int *counts = c->found->counts;
    prc_incidence_build(c->mesh, c->start, c->list);
    int most = 0;
    for (int i = 0; i < c->mesh->vertex_count; i++)
        if (c->start[i + 1] - c->start[i] > most)
            most = c->start[i + 1] - c->start[i];
    c->scratch = PRC_NEW(triangle_key, most + 1); /* also large enough for a ring of most + 1 ints */
    if (!c->scratch)
        return PRC_FAIL_MEMORY(c->error);
    check_duplicates(c);
    if (!counts[PRC_FAULT_DUPLICATE])
        check_edges(c);
    check_isolated(c);
    if (!counts[PRC_FAULT_DUPLICATE] && !counts[PRC_FAULT_CROWDED] && !counts[PRC_FAULT_TURNED])
        check_pinched(c);
    return PRC_OK;
}

static int compare_problems(const void *left, const void *right)
{
    const prc_mesh_problem *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->triangle != b->triangle)
        return a->triangle < b->triangle ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->vertices[k] != b->vertices[k])
            return a->vertices[k] < b->vertices[k] ? -1 : 1;
    return 0;
}

static prc_result examine(checker *c)
{
    const int *counts = c->found->counts;
    check_numbers(c);
    if (counts[PRC_FAULT_VALUE] || counts[PRC_FAULT_INDEX])
        return PRC_OK;
    check_degenerate(c);
    if (counts[PRC_FAULT_REPEATED])
        return PRC_OK;
    const size_t vertices = (size_t)c->mesh->vertex_count;
    const size_t entry = sizeof(edge_use) > sizeof(prc_fan_step) ? sizeof(edge_use) : sizeof(prc_fan_step);
    c->start = PRC_NEW(int, vertices + 1);
    c->list = PRC_NEW(int, 3 * (size_t)c->mesh->triangle_count);
    c->table = prc_alloc(vertices, entry);
    prc_result result = c->start && c->list && c->table ? check_connections(c) : PRC_FAIL_MEMORY(c->error);
    prc_free(c->start);
    prc_free(c->list);
    prc_free(c->table);
    prc_free(c->scratch);
    return result;
}

prc_result prc_mesh_examine(const prc_mesh *mesh, prc_mesh_problems *problems, prc_error *error)
{
    *problems = (prc_mesh_problems){0};
    prc_result result = check_counts(mesh, error);
    if (result)
        return result;
    checker c = {.mesh = mesh, .error = error, .found = problems};
    result = examine(&c);
    if (!result && c.full)
        result = PRC_FAIL_MEMORY(error);
    if (result)
        prc_mesh_problems_release(problems);
    else if (problems->count)
        qsort(problems->items, (size_t)problems->count, sizeof *problems->items, compare_problems);
    return result;
}

void prc_mesh_problems_release(prc_mesh_problems *problems)
{
    prc_free(problems->items);
    *problems = (prc_mesh_problems){0};
}

/* ---- the message ---- */

typedef struct text {
    char at[400];
    size_t length;
} text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
say(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int added = vsnprintf(t->at + t->length, sizeof t->at - t->length, format, arguments);
    va_end(arguments);
    t->length += added > 0 ? (size_t)added : 0;
    if (t->length >= sizeof t->at)
        t->length = sizeof t->at - 1;
}

/* The first of its kind, in a sentence, and how many there are. */
static void say_first(text *t, const prc_mesh *mesh, const prc_mesh_problem *p, int count)
{
    int v[3];
    for (int k = 0; k < 3; k++)
        v[k] =
            p->kind != PRC_FAULT_INDEX && p->vertices[k] >= 0 ? prc_mesh_number(mesh, p->vertices[k]) : p->vertices[k];
    switch (p->kind) {
    case PRC_FAULT_VALUE:
        say(t, "vertex %d has a %s that is not finite (%d in total)", v[0],
            is_finite(mesh->positions, 3, p->vertices[0]) ? "texture coordinate" : "position", count);
        break;
    case PRC_FAULT_INDEX:
        say(t, "triangle %d uses vertex %d, but vertices run from 0 to %d (%d such corners in total)", p->triangle,
            v[0], mesh->vertex_count - 1, count);
        break;
    case PRC_FAULT_REPEATED:
    case PRC_FAULT_FLAT:
        say(t, "triangle %d (vertices %d, %d, %d) is degenerate: %s (%d in total)", p->triangle, v[0], v[1], v[2],
            p->kind == PRC_FAULT_FLAT ? "it has zero area" : "it uses a vertex twice", count);
        break;
    case PRC_FAULT_DUPLICATE:
        say(t, "triangle %d has the same vertices as triangle %d (%d duplicates in total)", p->triangle, p->other,
            count);
        break;
    case PRC_FAULT_CROWDED:
        say(t, "edge %d-%d is shared by %d triangles; at most 2 are allowed (%d such edges in total)", v[0], v[1],
            p->other, count);
        break;
    case PRC_FAULT_TURNED:
        say(t,
            "the two triangles at edge %d-%d face opposite sides (%d such edges in total); orient the mesh "
            "consistently",
            v[0], v[1], count);
        break;
    case PRC_FAULT_ISOLATED:
        say(t, "vertex %d belongs to no triangle (%d in total)", v[0], count);
        break;
    default:
        say(t, "vertex %d is shared by separate fans of triangles (%d in total); split it into one vertex per fan",
            v[0], count);
    }
}

/* Where the first few are. */
static void say_places(text *t, const prc_mesh *mesh, const prc_mesh_problems *problems)
{
    const prc_mesh_fault kind = problems->items[0].kind;
    for (int n = 0; n < problems->count && n < MOST_PLACES && problems->items[n].kind == kind; n++) {
        const prc_mesh_problem *p = &problems->items[n];
        if (p->kind == PRC_FAULT_VALUE || p->kind == PRC_FAULT_INDEX)
            return;
        double middle[3] = {0, 0, 0};
        int count = 0;
        say(t, "%s", n ? ", " : "; at ");
        for (int k = 0; k < 3 && p->vertices[k] >= 0; k++, count++) {
            if (n)
                say(t, "%s%d", k ? "-" : "", prc_mesh_number(mesh, p->vertices[k]));
            for (int x = 0; x < 3; x++)
                middle[x] += mesh->positions[3 * (size_t)p->vertices[k] + (size_t)x];
        }
        say(t, "%s(%.4g, %.4g, %.4g)", n ? " at " : "", middle[0] / count, middle[1] / count, middle[2] / count);
    }
    if (problems->counts[kind] > MOST_PLACES)
        say(t, " …");
}

static void say_others(text *t, const prc_mesh_problems *problems)
{
    static const char *const names[PRC_FAULT_KINDS][2] = {
        {"number that is not finite", "numbers that are not finite"},
        {"corner that does not exist", "corners that do not exist"},
        {"triangle with a vertex twice", "triangles with a vertex twice"},
        {"triangle of zero area", "triangles of zero area"},
        {"duplicate triangle", "duplicate triangles"},
        {"edge shared by more than 2 triangles", "edges shared by more than 2 triangles"},
        {"edge with inconsistent orientation", "edges with inconsistent orientation"},
        {"isolated vertex", "isolated vertices"},
        {"pinched vertex", "pinched vertices"}};
    const char *before = "; besides ";
    for (int kind = problems->items[0].kind + 1; kind < PRC_FAULT_KINDS; kind++)
        if (problems->counts[kind]) {
            say(t, "%s%d %s", before, problems->counts[kind], names[kind][problems->counts[kind] != 1]);
            before = ", ";
        }
}

prc_result prc_mesh_check(const prc_mesh *mesh, prc_error *error)
{
    prc_mesh_problems problems;
    prc_result result = prc_mesh_examine(mesh, &problems, error);
    if (!result && problems.count) {
        text t = {.length = 0};
        say_first(&t, mesh, &problems.items[0], problems.counts[problems.items[0].kind]);
        say_places(&t, mesh, &problems);
        say_others(&t, &problems);
        result = prc_fail(error, PRC_ERROR_INPUT, "mesh: %s", t.at);
    }
    prc_mesh_problems_release(&problems);
    return result;
}
