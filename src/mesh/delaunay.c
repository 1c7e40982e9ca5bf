/* mesh/delaunay.c — Lawson's flip algorithm (C. L. Lawson, "Software for C1 surface interpolation", 1977).
 *
 * Half-edge h = 3 t + c runs from corner c of triangle t to the next corner; `twin` is the half-edge on the other side,
 * -1 on the boundary. A first-in-first-out queue holds the edges that may need a flip; a flip queues the four edges
 * around it. Ends because each flip lowers the surface lifted to the paraboloid z = x² + y²: the tolerance is four
 * digits above rounding, so every flip really lowers it. Leaves out points outside the mesh, constraints and exact
 * arithmetic: near-cocircular quadrilaterals keep whichever diagonal they have.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/delaunay.h"

#include "base/error.h"
#include "base/memory.h"
#include "mesh/topology.h"

#include <math.h>

#define TOLERANCE 1e-12

typedef struct flipper {
    const double *positions;
    int *triangles;
    int *twin;             /* per half-edge */
    int *queue;            /* a circle of `capacity` half-edges, each in it at most once: see `queued` */
    unsigned char *queued; /* per half-edge */
    int capacity, head, count;
} flipper;

static int next_in_triangle(int h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static int previous_in_triangle(int h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

/* Around vertex i, the half-edge i → j and the half-edge j → i of another triangle are twins. */
static prc_result build_twins(const prc_mesh *mesh, int *twin, prc_error *error)
{
    int *start = PRC_NEW(int, (size_t)mesh->vertex_count + 1);
    int *list = PRC_NEW(int, 3 * (size_t)mesh->triangle_count);
    int *leaving = PRC_NEW(int, mesh->vertex_count); /* half-edge i → j, valid where its origin is i */
    prc_result result = start && list && leaving ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result) {
        prc_incidence_build(mesh, start, list);
        for (int i = 0; i < mesh->vertex_count; i++) {
            for (int k = start[i]; k < start[i + 1]; k++)
                for (int h = 3 * list[k]; h < 3 * list[k] + 3; h++)
                    if (mesh->triangles[h] == i)
                        leaving[mesh->triangles[next_in_triangle(h)]] = h;
            for (int k = start[i]; k < start[i + 1]; k++)
                for (int h = 3 * list[k]; h < 3 * list[k] + 3; h++) {
                    if (mesh->triangles[next_in_triangle(h)] != i)
                        continue;
                    int origin = mesh->triangles[h], candidate = leaving[origin];
                    bool valid =
                        mesh->triangles[candidate] == i && mesh->triangles[next_in_triangle(candidate)] == origin;
                    twin[h] = valid ? candidate : -1;
                }
        }
    }
    prc_free(start);
    prc_free(list);
    prc_free(leaving);
    return result;
}

/* Twice the signed area of the triangle a b c. */
static double doubled_area(const double *x, int a, int b, int c)
{
    const double *p = x + 3 * (size_t)a, *q = x + 3 * (size_t)b, *r = x + 3 * (size_t)c;
    return (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
}

/* Cosine and sine of the angle at `apex` from `from` to `to`, both times the product of the two lengths. */
static double angle_at(const double *x, int apex, int from, int to, double *cosine, double *sine)
{
    const double *o = x + 3 * (size_t)apex, *p = x + 3 * (size_t)from, *q = x + 3 * (size_t)to;
    double u[2] = {p[0] - o[0], p[1] - o[1]}, v[2] = {q[0] - o[0], q[1] - o[1]};
    *cosine = u[0] * v[0] + u[1] * v[1];
    *sine = u[0] * v[1] - u[1] * v[0];
    return sqrt((u[0] * u[0] + u[1] * u[1]) * (v[0] * v[0] + v[1] * v[1]));
}

/* Edge a → b with apex c on its left and d on its right wants a flip where the angles at c and d exceed a half turn
 * together. In exact numbers the quadrilateral is convex then; rounding must not turn a triangle over all the same. */
static bool wants_flip(const double *x, int a, int b, int c, int d)
{
    double cos_c, sin_c, cos_d, sin_d;
    double scale = angle_at(x, c, a, b, &cos_c, &sin_c) * angle_at(x, d, b, a, &cos_d, &sin_d);
    if (!(sin_c * cos_d + cos_c * sin_d < -TOLERANCE * scale))
        return false;
    return doubled_area(x, c, a, d) > 0 && doubled_area(x, d, b, c) > 0;
}

static void enqueue(flipper *f, int h)
{
    if (f->twin[h] < 0 || f->queued[h])
        return;
    f->queued[h] = 1;
    f->queue[(int)(((long long)f->head + f->count++) % f->capacity)] = h;
}

static int dequeue(flipper *f)
{
    int h = f->queue[f->head];
    f->head = f->head + 1 == f->capacity ? 0 : f->head + 1;
    f->count--;
    f->queued[h] = 0;
    return h;
}

static void join(flipper *f, int h, int other)
{
    f->twin[h] = other;
    if (other >= 0)
        f->twin[other] = h;
}

/* Triangles a b c and b a d become a d c and b c d, in the same two slots. A slot that waits in the queue then stands
 * for another edge; testing that one is harmless, and the four outer edges are queued anew under their new slots. */
static void flip(flipper *f, int h)
{
    int g = f->twin[h];
    int h1 = next_in_triangle(h), h2 = previous_in_triangle(h);
    int g1 = next_in_triangle(g), g2 = previous_in_triangle(g);
    int bc = f->twin[h1], ad = f->twin[g1];

    /* h: a → d, h1: d → c, h2: c → a as before; g: b → c, g1: c → d, g2: d → b as before. */
    int c = f->triangles[h2], d = f->triangles[g2];
    f->triangles[h1] = d;
    f->triangles[g1] = c;
    join(f, h, ad);
    join(f, g, bc);
    join(f, h1, g1);
    enqueue(f, h);
    enqueue(f, h2);
    enqueue(f, g);
    enqueue(f, g2);
}

static void flip_all(flipper *f)
{
    for (int h = 0; h < f->capacity; h++)
        if (f->twin[h] > h)
            enqueue(f, h);
    while (f->count) {
        int h = dequeue(f), g = f->twin[h];
        if (g < 0)
            continue;
        int c = f->triangles[previous_in_triangle(h)], d = f->triangles[previous_in_triangle(g)];
        if (wants_flip(f->positions, f->triangles[h], f->triangles[g], c, d))
            flip(f, h);
    }
}

prc_result prc_mesh_flip_to_delaunay(prc_mesh *mesh, prc_error *error)
{
    size_t corners = 3 * (size_t)mesh->triangle_count;
    flipper f = {.positions = mesh->positions, .triangles = mesh->triangles, .capacity = 3 * mesh->triangle_count};
    f.twin = PRC_NEW(int, corners);
    f.queue = PRC_NEW(int, corners);
    f.queued = PRC_NEW(unsigned char, corners);
    prc_result result = f.twin && f.queue && f.queued ? build_twins(mesh, f.twin, error) : PRC_FAIL_MEMORY(error);
    if (!result)
        flip_all(&f);
    prc_free(f.twin);
    prc_free(f.queue);
    prc_free(f.queued);
    return result;
}
