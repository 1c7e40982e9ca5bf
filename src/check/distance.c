/* check/distance.c — see distance.h.
 *
 * The minimum over all boundary cases, and over the interior case if its parameters are inside. Testing all cases
 * instead of walking the Voronoi regions costs a little more, but has no branch that rounding could misdirect.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/distance.h"

#include <math.h>

typedef struct nearest {
    double squared;
    double *on_first, *on_second;
} nearest;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *result)
{
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        result[k] = a[u] * b[v] - a[v] * b[u];
    }
}

static void subtract(const double *a, const double *b, double *result)
{
    for (int k = 0; k < 3; k++)
        result[k] = a[k] - b[k];
}

static void offer(nearest *n, const double *first, const double *second)
{
    double r[3];
    subtract(first, second, r);
    double squared = dot(r, r);
    if (!(squared < n->squared))
        return;
    n->squared = squared;
    for (int k = 0; k < 3; k++) {
        n->on_first[k] = first[k];
        n->on_second[k] = second[k];
    }
}

/* The point of the edge a b that is nearest to p. */
static void foot_on_edge(const double *p, const double *a, const double *b, double *foot)
{
    double side[3], from[3];
    subtract(b, a, side);
    subtract(p, a, from);
    double length = dot(side, side), t = length > 0 ? dot(from, side) / length : 0;
    t = fmin(fmax(t, 0), 1);
    for (int k = 0; k < 3; k++)
        foot[k] = t < 0.5 ? a[k] + t * side[k] : b[k] - (1 - t) * side[k];
}

static void offer_point_edge(nearest *n, const double *p, const double *a, const double *b)
{
    double foot[3];
    foot_on_edge(p, a, b, foot);
    offer(n, p, foot);
}

static void offer_edge_point(nearest *n, const double *a, const double *b, const double *p)
{
    double foot[3];
    foot_on_edge(p, a, b, foot);
    offer(n, foot, p);
}

double prc_check_distance_point_triangle(const double *p, const double *a, const double *b, const double *c,
                                         double on_first[3], double on_second[3])
{
    nearest n = {INFINITY, on_first, on_second};
    offer_point_edge(&n, p, a, b);
    offer_point_edge(&n, p, b, c);
    offer_point_edge(&n, p, c, a);
    double u[3], v[3], w[3], normal[3], along[3], foot[3];
    subtract(b, a, u);
    subtract(c, a, v);
    subtract(p, a, w);
    cross(u, v, normal);
    double area = dot(normal, normal);
    if (!(area > 0))
        return n.squared;
    cross(w, v, along);
    double beta = dot(along, normal) / area;
    cross(u, w, along);
    double gamma = dot(along, normal) / area;
    if (beta > 0 && gamma > 0 && beta + gamma < 1) {
        for (int k = 0; k < 3; k++)
            foot[k] = a[k] + beta * u[k] + gamma * v[k];
        offer(&n, p, foot);
    }
    return n.squared;
}

double prc_check_distance_edge_edge(const double *p, const double *q, const double *a, const double *b,
                                    double on_first[3], double on_second[3])
{
    nearest n = {INFINITY, on_first, on_second};
    offer_point_edge(&n, p, a, b);
    offer_point_edge(&n, q, a, b);
    offer_edge_point(&n, p, q, a);
    offer_edge_point(&n, p, q, b);
    double u[3], v[3], w[3], normal[3], along[3], first[3], second[3];
    subtract(q, p, u);
    subtract(b, a, v);
    subtract(a, p, w);
    cross(u, v, normal);
    double area = dot(normal, normal);
    if (!(area > 0))
        return n.squared;
    cross(w, v, along);
    double s = dot(along, normal) / area;
    cross(w, u, along);
    double t = dot(along, normal) / area;
    if (s > 0 && s < 1 && t > 0 && t < 1) {
        for (int k = 0; k < 3; k++) {
            first[k] = p[k] + s * u[k];
            second[k] = a[k] + t * v[k];
        }
        offer(&n, first, second);
    }
    return n.squared;
}
