/* check/predicates.c — see predicates.h.
 *
 * Follows J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates" (1997): a
 * sum of doubles that do not overlap (an expansion) holds a number exactly, and the sign of its largest term is the
 * sign of the number. A rounded determinant is used if its error bound allows, else the expansion. Leaves out
 * Shewchuk's intermediate stages: the exact stage is rare, and simple code is easier to trust in a checker. Relies on
 * round-to-nearest and on -ffp-contract=off.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/predicates.h"

#include <math.h>

#define HALF_ULP 0x1p-53

/* ---- expansions ---- */

/* A difference has 2 terms, the product of two differences 8, a 2×2 minor 16, its product with a difference 64, and
 * three of those make a 3×3 determinant. */
#define MOST_TERMS 192

typedef struct expansion {
    int count;
    double terms[MOST_TERMS]; /* not overlapping, smallest first, none zero */
} expansion;

/* a + b = sum + error, exactly. */
static double two_sum(double a, double b, double *error)
{
    double sum = a + b, b_part = sum - a, a_part = sum - b_part;
    *error = (a - a_part) + (b - b_part);
    return sum;
}

/* a = high + low, each of at most 26 bits, so that products of such halves are exact (Dekker). */
static void split(double a, double *high, double *low)
{
    double scaled = 134217729.0 * a; /* 2^27 + 1 */
    *high = scaled - (scaled - a);
    *low = a - *high;
}

/* a b = product + error, exactly. */
static double two_product(double a, double b, double *error)
{
    double product = a * b, a_high, a_low, b_high, b_low;
    split(a, &a_high, &a_low);
    split(b, &b_high, &b_low);
    *error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    return product;
}

static void add_term(expansion *e, double term)
{
    int count = 0;
    for (int i = 0; i < e->count; i++) {
        double error;
        term = two_sum(term, e->terms[i], &error);
        if (error != 0)
            e->terms[count++] = error;
    }
    if (term != 0)
        e->terms[count++] = term;
    e->count = count;
}

static expansion difference(double a, double b)
{
    expansion e;
    double error, rounded = two_sum(a, -b, &error);
    e.count = 0;
    add_term(&e, error);
    add_term(&e, rounded);
    return e;
}

/* sum += sign · a · b. Every partial product is added as it comes: more work than merging, and nothing to get wrong. */
static void add_product(expansion *sum, double sign, const expansion *a, const expansion *b)
{
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++) {
            double error, rounded = two_product(sign * a->terms[i], b->terms[j], &error);
            add_term(sum, error);
            add_term(sum, rounded);
        }
}

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

static int sign_of_expansion(const expansion *e)
{
    return e->count ? sign_of(e->terms[e->count - 1]) : 0;
}

/* ---- orientation ---- */

static int orient3d_exact(const double *a, const double *b, const double *c, const double *d)
{
    const double *corner[3] = {a, b, c};
    expansion side[3][3], volume;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            side[i][k] = difference(corner[i][k], d[k]);
    volume.count = 0;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        expansion minor;
        minor.count = 0;
        add_product(&minor, 1, &side[1][u], &side[2][v]);
        add_product(&minor, -1, &side[1][v], &side[2][u]);
        add_product(&volume, 1, &side[0][k], &minor);
    }
    return sign_of_expansion(&volume);
}

int prc_exact_orient3d(const double *a, const double *b, const double *c, const double *d)
{
    double volume = 0, magnitude = 0;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        double plus = (b[u] - d[u]) * (c[v] - d[v]), minus = (b[v] - d[v]) * (c[u] - d[u]), side = a[k] - d[k];
        volume += side * (plus - minus);
        magnitude += fabs(side) * (fabs(plus) + fabs(minus));
    }
    /* The relative error is below 7 half ulps of the magnitude and a little; 8 leave room. */
    if (fabs(volume) > 8 * HALF_ULP * magnitude)
        return sign_of(volume);
    return magnitude > 0 ? orient3d_exact(a, b, c, d) : 0;
}

int prc_exact_orient2d(const double *a, const double *b, const double *c, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double plus = (a[u] - c[u]) * (b[v] - c[v]), minus = (a[v] - c[v]) * (b[u] - c[u]);
    double area = plus - minus;
    if (fabs(area) > 4 * HALF_ULP * (fabs(plus) + fabs(minus)))
        return sign_of(area);
    expansion au = difference(a[u], c[u]), av = difference(a[v], c[v]);
    expansion bu = difference(b[u], c[u]), bv = difference(b[v], c[v]), sum;
    sum.count = 0;
    add_product(&sum, 1, &au, &bv);
    add_product(&sum, -1, &av, &bu);
    return sign_of_expansion(&sum);
}

/* An axis along which the plane of a b c is not seen edge-on, or −1 where the points span no plane. Any such axis
 * serves as well as the one of the largest normal component, since the signs are exact. */
static int viewing_axis(const double *a, const double *b, const double *c)
{
    for (int axis = 0; axis < 3; axis++)
        if (prc_exact_orient2d(a, b, c, axis))
            return axis;
    return -1;
}

bool prc_exact_collinear(const double *a, const double *b, const double *c)
{
    return viewing_axis(a, b, c) < 0;
}

/* ---- in a plane ---- */

/* Whether a point on the line of p q lies on the edge, as seen along an axis. */
static bool is_between(const double *point, const double *p, const double *q, int axis)
{
    for (int k = 1; k <= 2; k++) {
        int u = (axis + k) % 3;
        if (point[u] < fmin(p[u], q[u]) || point[u] > fmax(p[u], q[u]))
            return false;
    }
    return true;
}

static bool edges_meet_in_plane(const double *p, const double *q, const double *a, const double *b, int axis)
{
    int sa = prc_exact_orient2d(p, q, a, axis), sb = prc_exact_orient2d(p, q, b, axis);
    int sp = prc_exact_orient2d(a, b, p, axis), sq = prc_exact_orient2d(a, b, q, axis);
    if (sa != sb && sp != sq)
        return true;
    return (sa == 0 && is_between(a, p, q, axis)) || (sb == 0 && is_between(b, p, q, axis)) ||
           (sp == 0 && is_between(p, a, b, axis)) || (sq == 0 && is_between(q, a, b, axis));
}

static bool edge_meets_triangle_in_plane(const double *p, const double *q, const double *a, const double *b,
                                         const double *c, int axis)
{
    if (edges_meet_in_plane(p, q, a, b, axis) || edges_meet_in_plane(p, q, b, c, axis) ||
        edges_meet_in_plane(p, q, c, a, axis))
        return true;
    int sa = prc_exact_orient2d(p, a, b, axis), sb = prc_exact_orient2d(p, b, c, axis);
    return sa == sb && sb == prc_exact_orient2d(p, c, a, axis); /* none is 0: p is on no side */
}

/* ---- in space ---- */

/* Closed intervals on one line meet where their boxes do. */
static bool boxes_meet(const double *p, const double *q, const double *a, const double *b)
{
    for (int k = 0; k < 3; k++)
        if (fmax(p[k], q[k]) < fmin(a[k], b[k]) || fmax(a[k], b[k]) < fmin(p[k], q[k]))
            return false;
    return true;
}

bool prc_exact_edge_meets_edge(const double *p, const double *q, const double *a, const double *b)
{
    if (!boxes_meet(p, q, a, b) || prc_exact_orient3d(p, q, a, b))
        return false;
    const double *triples[4][3] = {{p, q, a}, {p, q, b}, {a, b, p}, {a, b, q}};
    for (int k = 0; k < 4; k++) {
        int axis = viewing_axis(triples[k][0], triples[k][1], triples[k][2]);
        if (axis >= 0)
            return edges_meet_in_plane(p, q, a, b, axis);
    }
    return true;
}

bool prc_exact_edge_meets_triangle(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    int sp = prc_exact_orient3d(a, b, c, p), sq = prc_exact_orient3d(a, b, c, q);
    if (sp && sp == sq)
        return false;
    if (sp || sq) { /* the line of p q meets the plane in one point */
        int ab = prc_exact_orient3d(p, q, a, b), bc = prc_exact_orient3d(p, q, b, c);
        if (ab * bc < 0)
            return false;
        int ca = prc_exact_orient3d(p, q, c, a);
        return ab * ca >= 0 && bc * ca >= 0;
    }
    int axis = viewing_axis(a, b, c);
    if (axis >= 0)
        return edge_meets_triangle_in_plane(p, q, a, b, c, axis);
    return prc_exact_edge_meets_edge(p, q, a, b) || prc_exact_edge_meets_edge(p, q, b, c) ||
           prc_exact_edge_meets_edge(p, q, c, a);
}
