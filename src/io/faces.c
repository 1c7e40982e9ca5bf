/* io/faces.c — see faces.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/faces.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <math.h>

#define MOST_CORNERS 1024 /* of a polygon that is cut by ears, which takes the square of their number */
#define STRAIGHT 1e-7     /* sine of the angle between two sides that count as one straight line */

/* ---- the list ---- */

static prc_result grow(prc_faces *f, int **list, int count, int capacity)
{
    int *grown = prc_grow(*list, (size_t)count, (size_t)capacity, sizeof(int));
    if (!grown)
        return PRC_FAIL_MEMORY(f->error);
    *list = grown;
    return PRC_OK;
}

prc_result prc_faces_corner(prc_faces *f, int vertex, int second)
{
    if (f->corner_count == f->corner_capacity) {
        if (f->corner_capacity > INT_MAX / 4)
            return prc_fail(f->error, PRC_ERROR_INPUT, "%s: too many face corners", f->path);
        const int capacity = f->corner_capacity ? 2 * f->corner_capacity : 4096;
        prc_result result = grow(f, &f->corners, f->corner_count, capacity);
        if (!result)
            result = grow(f, &f->second, f->corner_count, capacity);
        if (result)
            return result;
        f->corner_capacity = capacity;
    }
    f->corners[f->corner_count] = vertex;
    f->second[f->corner_count++] = second;
    return PRC_OK;
}

prc_result prc_faces_end(prc_faces *f)
{
    if (f->count == f->capacity) {
        const int capacity = f->capacity ? 2 * f->capacity : 1024;
        prc_result result = grow(f, &f->ends, f->count, capacity);
        if (result)
            return result;
        f->capacity = capacity;
    }
    f->ends[f->count++] = f->corner_count;
    return PRC_OK;
}

prc_result prc_faces_triangle(prc_faces *f, int a, int b, int c)
{
    const int v[3] = {a, b, c};
    prc_result result = PRC_OK;
    for (int k = 0; k < 3 && !result; k++)
        result = prc_faces_corner(f, v[k], -1);
    return result ? result : prc_faces_end(f);
}

void prc_faces_release(prc_faces *f)
{
    prc_free(f->corners);
    prc_free(f->second);
    prc_free(f->ends);
    *f = (prc_faces){0};
}

/* ---- the plane of a polygon ---- */

typedef struct polygon {
    int count;
    const int *corners;
    double (*flat)[2];   /* in the plane, counter-clockwise */
    int *before, *after; /* the ring of what is left */
    double *quality;     /* of the ear at a corner; not positive: no ear */
} polygon;

/* Newell's normal, and the two axes in which the polygon runs counter-clockwise; false where it has no area. */
static bool find_axes(const double *positions, const int *corners, int count, int axes[2])
{
    double n[3] = {0, 0, 0};
    const double *origin = positions + 3 * (size_t)corners[0];
    for (int i = 0; i < count; i++) {
        const double *p = positions + 3 * (size_t)corners[i], *q = positions + 3 * (size_t)corners[(i + 1) % count];
        for (int k = 0; k < 3; k++) {
            const int u = (k + 1) % 3, v = (k + 2) % 3;
            n[k] += (p[u] - origin[u]) * (q[v] - origin[v]) - (q[u] - origin[u]) * (p[v] - origin[v]);
        }
    }
    int drop = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(n[k]) > fabs(n[drop]))
            drop = k;
    axes[0] = n[drop] > 0 ? (drop + 1) % 3 : (drop + 2) % 3;
    axes[1] = n[drop] > 0 ? (drop + 2) % 3 : (drop + 1) % 3;
    return n[drop] != 0 && isfinite(n[drop]);
}

static double cross(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

static bool is_strictly_convex(const double *positions, const int *corners, int count, const int axes[2])
{
    for (int i = 0; i < count; i++) {
        double p[3][2], length = 1;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 2; c++)
                p[k][c] = positions[3 * (size_t)corners[(i + k) % count] + (size_t)axes[c]];
        for (int k = 0; k < 2; k++)
            length *= hypot(p[k + 1][0] - p[k][0], p[k + 1][1] - p[k][1]);
        if (!(cross(p[0], p[1], p[2]) > STRAIGHT * length))
            return false;
    }
    return true;
}

/* ---- ears ---- */

static bool same_point(const double a[2], const double b[2])
{
    return a[0] == b[0] && a[1] == b[1];
}

static bool is_reflex(const polygon *p, int i)
{
    return !(cross(p->flat[p->before[i]], p->flat[i], p->flat[p->after[i]]) > 0);
}

/* Whether a reflex corner lies in the triangle of corner i; only those can, if any does. Corners in the same place as
 * one of the triangle's are no obstacle: polygons with holes run along a cut twice. */
static bool is_blocked(const polygon *p, int i)
{
    const double *a = p->flat[p->before[i]], *b = p->flat[i], *c = p->flat[p->after[i]];
    for (int j = p->after[p->after[i]]; j != p->before[i]; j = p->after[j]) {
        const double *q = p->flat[j];
        if (same_point(q, a) || same_point(q, b) || same_point(q, c))
            continue;
        if (cross(a, b, q) >= 0 && cross(b, c, q) >= 0 && cross(c, a, q) >= 0 && is_reflex(p, j))
            return true;
    }
    return false;
}

/* Area over squared sides: 1 for an equilateral triangle, up to a factor. */
static double judge_ear(const polygon *p, int i)
{
    const double *x[3] = {p->flat[p->before[i]], p->flat[i], p->flat[p->after[i]]};
    double sides = 0;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 2; c++)
            sides += (x[(k + 1) % 3][c] - x[k][c]) * (x[(k + 1) % 3][c] - x[k][c]);
    const double area = cross(x[0], x[1], x[2]);
    if (!(area > STRAIGHT * sides) || is_blocked(p, i))
        return 0;
    return area / sides;
}

/* The corner with the best ear; where there is none, the most convex one. */
static int choose_ear(const polygon *p, int first)
{
    int best = first, convex = first;
    double largest = -INFINITY;
    for (int i = p->after[first]; i != first; i = p->after[i])
        if (p->quality[i] > p->quality[best])
            best = i;
    if (p->quality[best] > 0)
        return best;
    int i = first;
    do {
        const double area = cross(p->flat[p->before[i]], p->flat[i], p->flat[p->after[i]]);
        if (area > largest) {
            largest = area;
            convex = i;
        }
        i = p->after[i];
    } while (i != first);
    return convex;
}

static void clip_ears(polygon *p, int *triangle)
{
    for (int i = 0; i < p->count; i++) {
        p->before[i] = (i + p->count - 1) % p->count;
        p->after[i] = (i + 1) % p->count;
    }
    for (int i = 0; i < p->count; i++)
        p->quality[i] = judge_ear(p, i);
    int first = 0;
    for (int left = p->count; left >= 3; left--, triangle += 3) {
        const int ear = left > 3 ? choose_ear(p, first) : first, a = p->before[ear], c = p->after[ear];
        triangle[0] = p->corners[a];
        triangle[1] = p->corners[ear];
        triangle[2] = p->corners[c];
        p->after[a] = c;
        p->before[c] = a;
        first = c;
        if (left > 3) {
            p->quality[a] = judge_ear(p, a);
            p->quality[c] = judge_ear(p, c);
        }
    }
}

static prc_result cut_by_ears(const prc_faces *f, const double *positions, const int *corners, int count,
                              const int axes[2], int *triangle)
{
    polygon p = {.count = count, .corners = corners};
    p.flat = prc_alloc((size_t)count, sizeof *p.flat);
    p.before = PRC_NEW(int, 2 * (size_t)count);
    p.quality = PRC_NEW(double, count);
    const bool good = p.flat && p.before && p.quality;
    if (good) {
        p.after = p.before + count;
        for (int i = 0; i < count; i++)
            for (int c = 0; c < 2; c++)
                p.flat[i][c] = positions[3 * (size_t)corners[i] + (size_t)axes[c]];
        clip_ears(&p, triangle);
    }
    prc_free(p.flat);
    prc_free(p.before);
    prc_free(p.quality);
    return good ? PRC_OK : PRC_FAIL_MEMORY(f->error);
}

static prc_result cut(const prc_faces *f, const double *positions, int face, const int *corners, int count,
                      int *triangle)
{
    int axes[2];
    bool fan = count == 3 || !find_axes(positions, corners, count, axes) ||
               is_strictly_convex(positions, corners, count, axes);
    if (!fan && count > MOST_CORNERS)
        return prc_fail(f->error, PRC_ERROR_INPUT,
                        "%s: face %d has %d corners and is not convex; such faces may have at most %d corners; divide "
                        "it into smaller ones",
                        f->path, face, count, MOST_CORNERS);
    if (!fan)
        return cut_by_ears(f, positions, corners, count, axes, triangle);
    for (int k = 2; k < count; k++, triangle += 3) {
        triangle[0] = corners[0];
        triangle[1] = corners[k - 1];
        triangle[2] = corners[k];
    }
    return PRC_OK;
}

prc_result prc_faces_cut(const prc_faces *f, prc_mesh *mesh)
{
    const size_t count = (size_t)f->corner_count - 2 * (size_t)f->count;
    if (3 * count + (size_t)mesh->vertex_count >= INT_MAX)
        return prc_fail(f->error, PRC_ERROR_INPUT, "%s: too many triangles", f->path);
    mesh->triangles = PRC_NEW(int, 3 * count);
    if (!mesh->triangles)
        return PRC_FAIL_MEMORY(f->error);
    mesh->triangle_count = (int)count;
    int *triangle = mesh->triangles;
    for (int k = 0, start = 0; k < f->count; start = f->ends[k++]) {
        const int corners = f->ends[k] - start;
        prc_result result = cut(f, mesh->positions, k, f->corners + start, corners, triangle);
        if (result)
            return result;
        triangle += 3 * ((size_t)corners - 2);
    }
    return PRC_OK;
}
