/* collider/sdf_build.c — builds the distance field of a closed mesh.
 *
 * Layer by layer of the grid: the distance of each node within the band is the smallest over the triangles near it; its
 * sign is that of the winding number, counted along lines of nodes parallel to x. A line that meets an edge or a vertex
 * is shifted symbolically, by less than any number, and sides are decided in exact arithmetic, so every line enters a
 * closed mesh as often as it leaves it. Rejected: signs from the normal at the nearest point, which fail where a mesh
 * intersects itself. Layers are independent of each other, so results are bitwise the same for any number of threads.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "check/predicates.h"
#include "collider/sdf.h"
#include "kernel/distance.h"
#include "mesh/mend.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 6.4e7 /* 256 MB */
#define RIM 4            /* cells around the mesh, at least */
#define LARGEST 1e15     /* m, or anything: what exact arithmetic surely takes */

/* --- what is asked of the mesh --- */

typedef struct directed {
    int low, high; /* vertices of an edge */
    int balance;   /* +1 from low to high, −1 back */
} directed;

static int compare_edges(const void *a, const void *b)
{
    const directed *p = a, *q = b;
    return p->low != q->low ? (p->low < q->low ? -1 : 1) : p->high < q->high ? -1 : p->high > q->high;
}

static prc_result check_numbers(const prc_mesh *mesh, prc_error *error)
{
    if (!mesh || mesh->vertex_count < 4 || mesh->triangle_count < 4 || !mesh->positions || !mesh->triangles)
        return prc_fail(error, PRC_ERROR_INPUT, "mesh: missing or empty; expected a closed mesh");
    if (prc_mesh_fits(mesh, error))
        return PRC_ERROR_INPUT;
    for (int i = 0; i < 3 * mesh->vertex_count; i++)
        if (!(fabs(mesh->positions[i]) < LARGEST))
            return prc_fail(error, PRC_ERROR_INPUT,
                            "mesh: vertex %d is not finite, or farther from the origin than %g m", i / 3, LARGEST);
    for (int k = 0; k < 3 * mesh->triangle_count; k++)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "mesh: triangle %d has vertex %d; there are 0 to %d", k / 3,
                            mesh->triangles[k], mesh->vertex_count - 1);
    return PRC_OK;
}

/* Every edge has to be passed as often in one direction as in the other. */
static prc_result check_closed(const prc_mesh *mesh, prc_error *error)
{
    const size_t count = 3 * (size_t)mesh->triangle_count;
    directed *edges = PRC_NEW(directed, count);
    if (!edges)
        return PRC_FAIL_MEMORY(error);
    for (size_t k = 0; k < count; k++) {
        const int a = mesh->triangles[k], b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        edges[k] = a < b ? (directed){a, b, 1} : (directed){b, a, a == b ? 0 : -1};
    }
    qsort(edges, count, sizeof *edges, compare_edges);
    const directed *first = NULL;
    int open = 0;
    bool odd = false;
    for (size_t k = 0, next; k < count; k = next) {
        int balance = 0;
        for (next = k; next < count && compare_edges(&edges[k], &edges[next]) == 0; next++)
            balance += edges[next].balance;
        if (balance != 0 && !open++) {
            first = &edges[k];
            odd = (next - k) % 2 != 0;
        }
    }
    prc_result result = PRC_OK;
    if (first)
        result = prc_fail(
            error, PRC_ERROR_INPUT,
            odd ? "mesh: is not closed at edge %d–%d (%d such edges); a collider needs a surface without holes"
                : "mesh: the triangles at edge %d–%d have opposite orientations (%d such edges); flip one of them",
            first->low, first->high, open);
    prc_free(edges);
    return result;
}

static prc_result check_volume(const prc_mesh *mesh, prc_error *error)
{
    const double *o = mesh->positions;
    double volume = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        double a[3][3];
        for (int p = 0; p < 3; p++)
            prc_distance_difference(mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)p], o, a[p]);
        for (int c = 0; c < 3; c++)
            volume += a[0][c] * (a[1][(c + 1) % 3] * a[2][(c + 2) % 3] - a[1][(c + 2) % 3] * a[2][(c + 1) % 3]) / 6;
    }
    if (!(volume > 0))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "mesh: encloses %.3g m³; its triangles must be counter-clockwise seen from outside", volume);
    return PRC_OK;
}

prc_result prc_sdf_check_mesh(const prc_mesh *mesh, prc_error *error)
{
    prc_result result = check_numbers(mesh, error);
    if (result == PRC_OK)
        result = check_closed(mesh, error);
    return result == PRC_OK ? check_volume(mesh, error) : result;
}

/* --- the grid --- */

/* The box around a mesh; returns its longest side. */
static double find_box(const prc_mesh *mesh, double low[3], double high[3])
{
    double longest = 0;
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
    }
    for (int i = 0; i < 3 * mesh->vertex_count; i++) {
        low[i % 3] = fmin(low[i % 3], mesh->positions[i]);
        high[i % 3] = fmax(high[i % 3], mesh->positions[i]);
    }
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, high[c] - low[c]);
    return longest;
}

double prc_sdf_longest_side(const prc_mesh *mesh)
{
    double low[3], high[3];
    return find_box(mesh, low, high);
}

prc_sdf *prc_sdf_lay_out(const prc_mesh *mesh, int resolution, double margin, prc_error *error)
{
    if (prc_sdf_check_mesh(mesh, error))
        return NULL;
    if (resolution < 1 || !(margin >= 0)) {
        prc_fail(error, PRC_ERROR_INPUT, "resolution: %d cells with a margin of %g m are not allowed", resolution,
                 margin);
        return NULL;
    }
    prc_sdf *f = PRC_NEW(prc_sdf, 1);
    if (!f) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    double low[3], high[3];
    f->cell = find_box(mesh, low, high) / resolution;
    const double rim = fmax(RIM, ceil(margin / f->cell));
    double nodes = 1, along[3];
    for (int c = 0; c < 3; c++) {
        along[c] = ceil((high[c] - low[c]) / f->cell) + 1 + 2 * rim;
        nodes *= along[c];
    }
    if (!(nodes <= MOST_NODES)) {
        prc_fail(error, PRC_ERROR_INPUT,
                 "resolution: %d cells along the longest side (%.3g m each, %.0f around the mesh) make %.3g million "
                 "nodes; at most %.0f million are allowed",
                 resolution, f->cell, rim, nodes / 1e6, MOST_NODES / 1e6);
        prc_free(f);
        return NULL;
    }
    for (int c = 0; c < 3; c++) {
        f->nodes[c] = (int)along[c];
        f->middle[c] = (low[c] + high[c]) / 2;
        f->half_size[c] = (high[c] - low[c]) / 2;
        f->origin[c] = low[c] - rim * f->cell;
    }
    f->band = (double)(float)(rim * f->cell * (1 - 1e-6)); /* a little less, lest rounding put the rim inside */
    f->key = prc_sdf_key(mesh, resolution, margin);
    f->value = PRC_NEW(float, prc_sdf_node_count(f));
    if (!f->value) {
        prc_free(f);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    return f;
}

/* --- which triangles a layer sees --- */

typedef struct layers {
    size_t *start; /* per layer of nodes along z, and one more */
    int *triangle; /* whose band reaches the layer, in their own order */
} layers;

/* First and last node of an axis within `reach` of the span. */
static void node_range(const prc_sdf *f, int axis, double low, double high, double reach, int range[2])
{
    const double first = ceil((low - reach - f->origin[axis]) / f->cell),
                 last = floor((high + reach - f->origin[axis]) / f->cell);
    range[0] = first > 0 ? (int)first : 0;
    range[1] = last < f->nodes[axis] - 1 ? (int)last : f->nodes[axis] - 1;
}

static void triangle_corners(const prc_mesh *mesh, int t, const double *corner[3])
{
    for (int p = 0; p < 3; p++)
        corner[p] = mesh->positions + 3 * (size_t)mesh->triangles[3 * (size_t)t + (size_t)p];
}

static void span(const double *const corner[3], int axis, double *low, double *high)
{
    *low = fmin(corner[0][axis], fmin(corner[1][axis], corner[2][axis]));
    *high = fmax(corner[0][axis], fmax(corner[1][axis], corner[2][axis]));
}

static bool sort_into_layers(const prc_sdf *f, const prc_mesh *mesh, layers *l)
{
    l->start = PRC_NEW(size_t, (size_t)f->nodes[2] + 2);
    l->triangle = NULL;
    if (!l->start)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (int t = 0; t < mesh->triangle_count; t++) {
            const double *corner[3];
            double low, high;
            int range[2];
            triangle_corners(mesh, t, corner);
            span(corner, 2, &low, &high);
            node_range(f, 2, low, high, f->band, range);
            for (int k = range[0]; k <= range[1]; k++) {
                if (pass == 0)
                    l->start[k + 2]++;
                else
                    l->triangle[l->start[k + 1]++] = t;
            }
        }
        if (pass == 1)
            break;
        for (int k = 0; k <= f->nodes[2]; k++)
            l->start[k + 1] += l->start[k];
        l->triangle = PRC_NEW(int, l->start[f->nodes[2] + 1]);
        if (!l->triangle)
            return false;
    }
    return true;
}

/* --- one layer --- */

/* Distances of the nodes near one triangle. */
static void lower_distances(const prc_sdf *f, const double *const corner[3], int k, double *nearest)
{
    int range[2][2];
    double low[3], high[3];
    for (int c = 0; c < 3; c++)
        span(corner, c, &low[c], &high[c]);
    for (int c = 0; c < 2; c++)
        node_range(f, c, low[c], high[c], f->band, range[c]);
    double x[4][3];
    x[0][2] = f->origin[2] + k * f->cell;
    for (int p = 0; p < 3; p++)
        memcpy(x[p + 1], corner[p], sizeof x[p + 1]);
    for (int j = range[1][0]; j <= range[1][1]; j++)
        for (int i = range[0][0]; i <= range[0][1]; i++) {
            double *best = &nearest[(size_t)j * (size_t)f->nodes[0] + (size_t)i], box = 0;
            x[0][0] = f->origin[0] + i * f->cell;
            x[0][1] = f->origin[1] + j * f->cell;
            for (int c = 0; c < 3; c++) {
                const double out = fmax(0, fmax(low[c] - x[0][c], x[0][c] - high[c]));
                box += out * out;
            }
            if (box < *best * *best)
                *best = fmin(*best, prc_distance_point_triangle((const double(*)[3])x).distance);
        }
}

/* Side of p of the line a b, seen along x; on it, that of p moved by (e, e²) in y and z, e → 0. */
static int side_of(const double *a, const double *b, const double p[3])
{
    const int exact = prc_exact_orient2d(a, b, p, 0);
    if (exact != 0)
        return exact;
    return a[2] != b[2] ? (b[2] < a[2] ? 1 : -1) : (b[1] > a[1]) - (b[1] < a[1]);
}

/* Where a line along x meets a triangle that it is known to meet. */
static double crossing(const double *const corner[3], const double p[3])
{
    double w[3], sum = 0, x = 0, low, high;
    for (int e = 0; e < 3; e++) {
        const double *a = corner[(e + 1) % 3], *b = corner[(e + 2) % 3];
        w[e] = fabs((b[1] - a[1]) * (p[2] - a[2]) - (b[2] - a[2]) * (p[1] - a[1]));
        sum += w[e];
    }
    for (int e = 0; e < 3; e++)
        x += (sum > 0 ? w[e] / sum : 1.0 / 3) * corner[e][0];
    span(corner, 0, &low, &high);
    return fmin(high, fmax(low, x));
}

/* Adds to the last node that lies before the surface: +1 where a line along +x leaves, −1 where it enters. */
static void count_crossings(const prc_sdf *f, const double *const corner[3], int k, int *turns)
{
    double low, high, p[3] = {0, 0, f->origin[2] + k * f->cell};
    int range[2];
    span(corner, 2, &low, &high);
    if (p[2] < low || p[2] > high)
        return;
    span(corner, 1, &low, &high);
    node_range(f, 1, low, high, f->cell, range); /* a cell more: rounding must not lose one; sides decide */
    for (int j = range[0]; j <= range[1]; j++) {
        p[1] = f->origin[1] + j * f->cell;
        const int s = side_of(corner[0], corner[1], p);
        if (s == 0 || side_of(corner[1], corner[2], p) != s || side_of(corner[2], corner[0], p) != s)
            continue;
        const double x = crossing(corner, p);
        int last = (int)ceil((x - f->origin[0]) / f->cell) - 1;
        last = last < 0 ? 0 : last > f->nodes[0] - 1 ? f->nodes[0] - 1 : last;
        turns[(size_t)j * (size_t)f->nodes[0] + (size_t)last] += s;
    }
}

/* Fills layer k; returns how many of its nodes are inside. */
static long fill_layer(prc_sdf *f, const prc_mesh *mesh, const layers *l, int k, double *nearest, int *turns)
{
    const size_t width = (size_t)f->nodes[0], count = width * (size_t)f->nodes[1];
    float *value = f->value + (size_t)k * count;
    long inside = 0;
    for (size_t n = 0; n < count; n++) {
        nearest[n] = f->band;
        turns[n] = 0;
    }
    for (size_t e = l->start[k]; e < l->start[k + 1]; e++) {
        const double *corner[3];
        triangle_corners(mesh, l->triangle[e], corner);
        lower_distances(f, corner, k, nearest);
        count_crossings(f, corner, k, turns);
    }
    for (size_t j = 0; j < count; j += width) {
        int winding = 0;
        for (size_t n = j + width; n-- > j;) {
            winding += turns[n];
            value[n] = (float)(winding > 0 ? -nearest[n] : nearest[n]);
            inside += winding > 0;
        }
    }
    return inside;
}

static prc_result fill(prc_sdf *f, const prc_mesh *mesh, int threads, long *inside_count, prc_error *error)
{
    const size_t count = (size_t)f->nodes[0] * (size_t)f->nodes[1];
    layers l;
    double *nearest = PRC_NEW(double, count *(size_t)threads);
    int *turns = PRC_NEW(int, count *(size_t)threads);
    long inside = 0;
    const bool room = sort_into_layers(f, mesh, &l) && nearest && turns;
    if (room) {
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(+ : inside)
        for (int k = 0; k < f->nodes[2]; k++) {
            const size_t mine = count * (size_t)omp_get_thread_num();
            inside += fill_layer(f, mesh, &l, k, nearest + mine, turns + mine);
        }
    }
    prc_free(l.start);
    prc_free(l.triangle);
    prc_free(nearest);
    prc_free(turns);
    *inside_count = inside;
    return room ? PRC_OK : PRC_FAIL_MEMORY(error);
}

static prc_sdf *build(const prc_mesh *mesh, int resolution, double margin, int threads, long *inside, prc_error *error)
{
    prc_sdf *f = prc_sdf_lay_out(mesh, resolution, margin, error);
    if (!f)
        return NULL;
    if (fill(f, mesh, threads > 0 ? threads : omp_get_num_procs(), inside, error) != PRC_OK) {
        prc_sdf_destroy(f);
        return NULL;
    }
    prc_sdf_measure(f);
    return f;
}

prc_sdf *prc_sdf_build(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error)
{
    long inside = 0;
    prc_sdf *f = build(mesh, resolution, margin, threads, &inside, error);
    if (!f || inside > 0)
        return f;
    prc_fail(error, PRC_ERROR_INPUT,
             "resolution: cells of %.3g m are too coarse: no grid node is inside the collider; use more cells",
             f->cell);
    prc_sdf_destroy(f);
    return NULL;
}

prc_sdf *prc_sdf_build_thin(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error)
{
    long inside;
    return build(mesh, resolution, margin, threads, &inside, error);
}
