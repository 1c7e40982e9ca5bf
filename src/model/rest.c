/* model/rest.c — see rest.h.
 *
 * The weights b_ij are area-averaged gradients of the triangles around the vertex, so F is exact for every affine
 * motion on any mesh (docs/theory.md, Eq. 2.1). On a curved rest shape everything is projected onto a tangent plane,
 * whose normal is iterated until the rest shape has no slope against it. The curvature fit uses the remainder of a
 * quadratic after subtracting the part seen by F (Eq. 2.4); boundary vertices have one too.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/rest.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define NORMAL_ITERATIONS 60
#define FIT_RIDGE 1e-4 /* keeps the fit of small rings (corners, valence 4) solvable */

static double dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static bool normalise3(double *a)
{
    double length = sqrt(dot3(a, a));
    if (!(length > 1e-300))
        return false;
    for (int k = 0; k < 3; k++)
        a[k] /= length;
    return true;
}

/* Work space for one ring. */
typedef struct ring_work {
    int size;
    double area;
    double normal[3], axis[2][3]; /* tangent frame: axis[0] along warp */
    double *bond;                 /* 3 per neighbour: rest bond in space */
    double *gradient;             /* 3 per neighbour: averaged hat gradient in space */
} ring_work;

/* Bonds, averaged gradients, area and mean normal of vertex i. */
static void ring_collect(ring_work *w, const prc_topology *t, const prc_mesh *mesh, const double *x, int i)
{
    const int *ring = t->ring + t->ring_start[i];
    w->size = t->ring_start[i + 1] - t->ring_start[i];
    w->area = 0;
    memset(w->normal, 0, sizeof w->normal);
    memset(w->gradient, 0, sizeof(double) * 3 * (size_t)w->size);
    for (int j = 0; j < w->size; j++)
        for (int k = 0; k < 3; k++)
            w->bond[3 * j + k] = x[3 * ring[j] + k] - x[3 * i + k];
    for (int s = t->fan_start[i]; s < t->fan_start[i + 1]; s++) {
        int p, q, jp = 0, jq = 0;
        prc_triangle_others(mesh->triangles + 3 * t->fan[s], i, &p, &q);
        for (int j = 0; j < w->size; j++) {
            jp = ring[j] == p ? j : jp;
            jq = ring[j] == q ? j : jq;
        }
        double n[3], along[3];
        const double *to_p = w->bond + 3 * jp, *to_q = w->bond + 3 * jq;
        cross3(to_p, to_q, n);
        double twice = sqrt(dot3(n, n));
        w->area += twice / 6;
        for (int k = 0; k < 3; k++) {
            w->normal[k] += n[k];
            n[k] /= twice;
        }
        /* (A/3) ∇φ = n × opposite edge / 6 */
        double minus_q[3] = {-to_q[0], -to_q[1], -to_q[2]};
        cross3(n, minus_q, along);
        for (int k = 0; k < 3; k++)
            w->gradient[3 * jp + k] += along[k] / 6;
        cross3(n, to_p, along);
        for (int k = 0; k < 3; k++)
            w->gradient[3 * jq + k] += along[k] / 6;
    }
    for (int j = 0; j < 3 * w->size; j++)
        w->gradient[j] /= w->area;
    normalise3(w->normal);
}

static void frame_make(ring_work *w, const double *warp)
{
    const double *candidates[] = {warp, (const double[]){0, 1, 0}, (const double[]){1, 0, 0},
                                  (const double[]){0, 0, 1}};
    for (int c = 0; c < 4; c++) {
        double along = dot3(candidates[c], w->normal), size = sqrt(dot3(candidates[c], candidates[c]));
        for (int k = 0; k < 3; k++)
            w->axis[0][k] = candidates[c][k] - along * w->normal[k];
        if (sqrt(dot3(w->axis[0], w->axis[0])) > 1e-3 * size && normalise3(w->axis[0]))
            break;
    }
    cross3(w->normal, w->axis[0], w->axis[1]);
}

static bool invert2(const double m[4], double inverse[4])
{
    double d = m[0] * m[3] - m[1] * m[2];
    if (!(fabs(d) > 1e-14 * (m[0] * m[0] + m[1] * m[1] + m[2] * m[2] + m[3] * m[3])))
        return false;
    inverse[0] = m[3] / d;
    inverse[1] = -m[1] / d;
    inverse[2] = -m[2] / d;
    inverse[3] = m[0] / d;
    return true;
}

/* Tangent bonds x and weights b in the current frame. */
static bool weights_averaged(const ring_work *w, double *x, double *b)
{
    double g[4] = {0}, inverse[4];
    for (int j = 0; j < w->size; j++) {
        double c[2] = {dot3(w->gradient + 3 * j, w->axis[0]), dot3(w->gradient + 3 * j, w->axis[1])};
        for (int k = 0; k < 2; k++)
            x[2 * j + k] = dot3(w->bond + 3 * j, w->axis[k]);
        for (int r = 0; r < 2; r++)
            for (int s = 0; s < 2; s++)
                g[2 * r + s] += x[2 * j + r] * c[s];
        b[2 * j] = c[0];
        b[2 * j + 1] = c[1];
    }
    if (!invert2(g, inverse)) /* b = G^-T c, so that Σ x b^T = I */
        return false;
    for (int j = 0; j < w->size; j++) {
        double c0 = b[2 * j], c1 = b[2 * j + 1];
        b[2 * j] = inverse[0] * c0 + inverse[2] * c1;
        b[2 * j + 1] = inverse[1] * c0 + inverse[3] * c1;
    }
    return true;
}

static bool weights_least_squares(const ring_work *w, double *x, double *b)
{
    double g[4] = {0}, inverse[4];
    for (int j = 0; j < w->size; j++) {
        for (int k = 0; k < 2; k++)
            x[2 * j + k] = dot3(w->bond + 3 * j, w->axis[k]);
        for (int r = 0; r < 2; r++)
            for (int s = 0; s < 2; s++)
                g[2 * r + s] += x[2 * j + r] * x[2 * j + s];
    }
    if (!invert2(g, inverse))
        return false;
    for (int j = 0; j < w->size; j++)
        for (int k = 0; k < 2; k++)
            b[2 * j + k] = inverse[2 * k] * x[2 * j] + inverse[2 * k + 1] * x[2 * j + 1];
    return true;
}

/* Turns the tangent plane until F of the rest shape has no component along its normal. */
static bool settle(ring_work *w, const double *warp, prc_discretisation discretisation, double *x, double *b)
{
    for (int iteration = 0; iteration < NORMAL_ITERATIONS; iteration++) {
        frame_make(w, warp);
        if (!(discretisation == PRC_DISCRETISATION_AVERAGED ? weights_averaged(w, x, b)
                                                            : weights_least_squares(w, x, b)))
            return false;
        double f[2][3] = {{0}}, n[3];
        for (int j = 0; j < w->size; j++)
            for (int a = 0; a < 2; a++)
                for (int k = 0; k < 3; k++)
                    f[a][k] += w->bond[3 * j + k] * b[2 * j + a];
        cross3(f[0], f[1], n);
        if (!normalise3(n))
            return false;
        double turn = 0;
        for (int k = 0; k < 3; k++)
            turn = fmax(turn, fabs(n[k] - w->normal[k]));
        if (turn < 1e-15)
            break;
        memcpy(w->normal, n, sizeof n);
    }
    return true;
}

static void invert3(const double m[9], double inverse[9])
{
    double c00 = m[4] * m[8] - m[5] * m[7], c01 = m[5] * m[6] - m[3] * m[8], c02 = m[3] * m[7] - m[4] * m[6];
    double d = m[0] * c00 + m[1] * c01 + m[2] * c02;
    double cofactors[9] = {c00, m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                           c01, m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                           c02, m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3]};
    for (int k = 0; k < 9; k++)
        inverse[k] = cofactors[k] / d;
}

void prc_rest_hessian(int size, const double *x, const double *b, double *hessian)
{
    double mean = 0, seen[3][2] = {{0}}, normal[9] = {FIT_RIDGE, 0, 0, 0, FIT_RIDGE, 0, 0, 0, FIT_RIDGE}, inverse[9];
    double *phi = hessian; /* first the basis, then what is made of it */
    for (int j = 0; j < size; j++)
        mean += (x[2 * j] * x[2 * j] + x[2 * j + 1] * x[2 * j + 1]) / size;
    for (int j = 0; j < size; j++) {
        double s = x[2 * j], t = x[2 * j + 1];
        double value[3] = {0.5 * s * s / mean, s * t / mean, 0.5 * t * t / mean};
        for (int p = 0; p < 3; p++) {
            phi[3 * j + p] = value[p];
            for (int a = 0; a < 2; a++)
                seen[p][a] += value[p] * b[2 * j + a];
        }
    }
    for (int j = 0; j < size; j++)
        for (int p = 0; p < 3; p++)
            phi[3 * j + p] -= seen[p][0] * x[2 * j] + seen[p][1] * x[2 * j + 1];
    for (int j = 0; j < size; j++)
        for (int p = 0; p < 3; p++)
            for (int r = 0; r < 3; r++)
                normal[3 * p + r] += phi[3 * j + p] * phi[3 * j + r];
    invert3(normal, inverse);
    for (int j = 0; j < size; j++) {
        double h[3];
        for (int p = 0; p < 3; p++)
            h[p] =
                inverse[3 * p] * phi[3 * j] + inverse[3 * p + 1] * phi[3 * j + 1] + inverse[3 * p + 2] * phi[3 * j + 2];
        for (int p = 0; p < 3; p++)
            hessian[3 * j + p] = h[p] / mean;
    }
}

/* The rows of bending: K = sqrt(a D) chol(C) L, 3 per neighbour. */
static void fit_bending(const ring_work *w, const prc_law *law, const double *x, const double *b, double *k)
{
    prc_rest_hessian(w->size, x, b, k);
    const double nu = law->poisson, scale = sqrt(w->area * law->bending);
    for (int j = 0; j < w->size; j++) {
        const double *h = k + 3L * j;
        const double row[3] = {scale * (h[0] + nu * h[2]), scale * sqrt(2 * (1 - nu)) * h[1],
                               scale * sqrt(1 - nu * nu) * h[2]};
        memcpy(k + 3L * j, row, sizeof row);
    }
}

static bool rest_allocate(prc_rest_shape *rest, const prc_topology *t)
{
    size_t n = (size_t)t->vertex_count, bonds = (size_t)t->ring_start[t->vertex_count];
    rest->area = PRC_NEW(double, n);
    rest->q = PRC_NEW(double, n);
    rest->curvature = PRC_NEW(double, 3 * n);
    rest->x = PRC_NEW(double, 2 * bonds);
    rest->b = PRC_NEW(double, 2 * bonds);
    rest->f = PRC_NEW(double, 2 * bonds);
    rest->k = PRC_NEW(double, 3 * bonds);
    return rest->area && rest->q && rest->curvature && rest->x && rest->b && rest->f && rest->k;
}

/* Everything of vertex i; false where the ring has no tangent plane. */
static bool rest_vertex(prc_rest_shape *rest, ring_work *w, const prc_topology *t, const prc_law *law,
                        prc_discretisation discretisation, int i)
{
    const size_t first = (size_t)t->ring_start[i];
    double *x = rest->x + 2 * first, *b = rest->b + 2 * first, *f = rest->f + 2 * first, *k = rest->k + 3 * first;
    if (!settle(w, law->warp, discretisation, x, b))
        return false;
    double squares = 0;
    for (int j = 0; j < 2 * w->size; j++)
        squares += x[j] * x[j];
    rest->area[i] = w->area;
    rest->q[i] = 2 / squares;
    /* As printed: the shape tensor of the force state is taken for isotropic, K = ½ tr K I. */
    for (int j = 0; j < 2 * w->size; j++)
        f[j] = discretisation == PRC_DISCRETISATION_PAPER ? x[j] * rest->q[i] : b[j];
    fit_bending(w, law, x, b, k);
    for (int j = 0; j < w->size; j++) {
        double z = dot3(w->normal, w->bond + 3 * j);
        for (int p = 0; p < 3; p++)
            rest->curvature[3 * i + p] += k[3 * j + p] * z;
    }
    return true;
}

prc_result prc_rest_build(prc_rest_shape *rest, const prc_topology *topology, const prc_mesh *mesh,
                          const double *positions, const prc_law *laws, const int *law_of,
                          prc_discretisation discretisation, prc_error *error)
{
    memset(rest, 0, sizeof *rest);
    int most = 0;
    for (int i = 0; i < topology->vertex_count; i++) {
        int size = topology->ring_start[i + 1] - topology->ring_start[i];
        most = size > most ? size : most;
    }
    ring_work w = {0};
    w.bond = PRC_NEW(double, 3 * most);
    w.gradient = PRC_NEW(double, 3 * most);
    prc_result result = PRC_OK;
    if (!w.bond || !w.gradient || !rest_allocate(rest, topology))
        result = PRC_FAIL_MEMORY(error);
    for (int i = 0; result == PRC_OK && i < topology->vertex_count; i++) {
        ring_collect(&w, topology, mesh, positions, i);
        if (!rest_vertex(rest, &w, topology, &laws[law_of[i]], discretisation, i))
            result = prc_fail(error, PRC_ERROR_INPUT,
                              "vertex %d: the triangles around it have no tangent plane at rest (area %g m2); "
                              "remove slivers and folded triangles there",
                              i, w.area);
    }
    prc_free(w.bond);
    prc_free(w.gradient);
    if (result != PRC_OK)
        prc_rest_release(rest);
    return result;
}

void prc_rest_release(prc_rest_shape *rest)
{
    prc_free(rest->area);
    prc_free(rest->q);
    prc_free(rest->curvature);
    prc_free(rest->x);
    prc_free(rest->b);
    prc_free(rest->f);
    prc_free(rest->k);
    memset(rest, 0, sizeof *rest);
}
