/* check/convex.c — see convex.h.
 *
 * The signed distance of a convex collider is a convex function: on a piece of a triangle it is nowhere below its
 * tangent at the centroid of the piece, whose minimum is at a corner. Pieces for which this bound is not sufficient are
 * halved. Through rounding, the tangent is that of a nearby point, so its error is no larger than that of the distance
 * itself. For triangles over an edge or a tip of the collider, no tangent is better than the plane of the triangle
 * itself, so this is tried first. SPDX-License-Identifier: Apache-2.0 */
#include "check/convex.h"

#include <math.h>
#include <string.h>

#define MOST_DEPTH 64
#define MOST_PIECES 20000 /* to decide */
#define MOST_REFINED 2000 /* to know a depth or a distance better */

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* ---- distances ---- */

/* The length of d, and its direction; that of `otherwise` where it has none. */
static double length_of(const double *d, int count, const double *otherwise, double *direction)
{
    double length = count == 2 ? hypot(d[0], d[1]) : hypot(hypot(d[0], d[1]), d[2]);
    for (int k = 0; k < count; k++)
        direction[k] = length > 0 ? d[k] / length : otherwise[k];
    return length;
}

static double box_distance(const double half[3], const double q[3], double gradient[3])
{
    double over[3], nothing[3] = {0, 1, 0};
    int most = 0, outside = 0;
    for (int k = 0; k < 3; k++) {
        over[k] = fabs(q[k]) - half[k];
        outside += over[k] > 0;
        most = over[k] > over[most] ? k : most;
    }
    if (!outside) {
        memset(gradient, 0, 3 * sizeof *gradient);
        gradient[most] = q[most] < 0 ? -1 : 1;
        return over[most];
    }
    double beyond[3];
    for (int k = 0; k < 3; k++)
        beyond[k] = over[k] > 0 ? copysign(over[k], q[k]) : 0;
    return length_of(beyond, 3, nothing, gradient);
}

static double capsule_distance(const prc_check_collider *s, const double q[3], double gradient[3])
{
    const double along = fmin(fmax(q[1], -s->half_length), s->half_length);
    const double d[3] = {q[0], q[1] - along, q[2]}, any[3] = {1, 0, 0};
    return length_of(d, 3, any, gradient) - s->radius;
}

/* Cylinder and cone in a half-plane through the axis: p = (r, y) against the trapezoid below the side from (base, −h)
 * to (top, h). Outside, the foot is on an end, on the side, or a corner between them. */
static double frustum_distance(double base, double top, double h, const double p[2], double gradient[2])
{
    const double length = hypot(top - base, 2 * h);
    const double side[2] = {length > 0 ? (top - base) / length : 0, length > 0 ? 2 * h / length : 1};
    const double normal[2] = {side[1], -side[0]}, from_base[2] = {p[0] - base, p[1] + h};
    const double out = from_base[0] * normal[0] + from_base[1] * normal[1];
    const double along = from_base[0] * side[0] + from_base[1] * side[1];
    const double below = -h - p[1], above = p[1] - h, end = fmax(below, above);
    const bool inside = out <= 0 && end <= 0, at_end = end > 0 && p[0] <= (below > above ? base : top);
    if (at_end || (inside && end >= out)) {
        gradient[0] = 0;
        gradient[1] = below > above ? -1 : 1;
        return end;
    }
    if (inside || (out > 0 && along > 0 && along < length)) {
        memcpy(gradient, normal, 2 * sizeof *gradient);
        return out;
    }
    const double from_top[2] = {p[0] - top, p[1] - h};
    const bool at_top = hypot(from_top[0], from_top[1]) < hypot(from_base[0], from_base[1]);
    return length_of(at_top ? from_top : from_base, 2, normal, gradient);
}

static double revolved_distance(const prc_check_collider *s, const double q[3], double gradient[3])
{
    const double across[2] = {q[0], q[2]}, any[2] = {1, 0};
    double direction[2], flat[2];
    const double p[2] = {length_of(across, 2, any, direction), q[1]};
    const double top = s->kind == PRC_SHAPE_CONE ? s->radius_top : s->radius;
    const double distance = frustum_distance(s->radius, top, s->half_length, p, flat);
    gradient[0] = flat[0] * direction[0];
    gradient[1] = flat[1];
    gradient[2] = flat[0] * direction[1];
    return distance;
}

double prc_check_collider_distance(const prc_check_collider *s, const double q[3], double gradient[3])
{
    static const double up[3] = {0, 1, 0};
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        memcpy(gradient, up, sizeof up);
        return q[1];
    case PRC_SHAPE_SPHERE:
        return length_of(q, 3, up, gradient) - s->radius;
    case PRC_SHAPE_CAPSULE:
        return capsule_distance(s, q, gradient);
    case PRC_SHAPE_BOX:
        return box_distance(s->half_size, q, gradient);
    default:
        return revolved_distance(s, q, gradient);
    }
}

double prc_check_collider_support(const prc_check_collider *s, const double n[3])
{
    const double across = hypot(n[0], n[2]), high = s->half_length * fabs(n[1]);
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        return across > 0 || n[1] < 0 ? INFINITY : 0;
    case PRC_SHAPE_SPHERE:
        return s->radius * hypot(across, n[1]);
    case PRC_SHAPE_CAPSULE:
        return high + s->radius * hypot(across, n[1]);
    case PRC_SHAPE_BOX:
        return s->half_size[0] * fabs(n[0]) + s->half_size[1] * fabs(n[1]) + s->half_size[2] * fabs(n[2]);
    case PRC_SHAPE_CYLINDER:
        return high + s->radius * across;
    default:
        return fmax(s->radius * across - s->half_length * n[1], s->radius_top * across + s->half_length * n[1]);
    }
}

void prc_check_collider_half_box(const prc_check_collider *s, double half[3])
{
    for (int k = 0; k < 3; k++) {
        double n[3] = {0, 0, 0}, opposite[3] = {0, 0, 0};
        n[k] = 1;
        opposite[k] = -1;
        half[k] = fmax(prc_check_collider_support(s, n), prc_check_collider_support(s, opposite));
    }
}

/* ---- triangles ---- */

typedef struct search {
    const prc_check_collider *collider;
    prc_check_judgement best;
    double error, reach;
    bool refines;
    int pieces, most_pieces;
    bool complete; /* no piece was given up */
} search;

static double offer(search *s, const double q[3], double gradient[3])
{
    const double distance = prc_check_collider_distance(s->collider, q, gradient);
    if (distance < s->best.least) {
        s->best.least = distance;
        memcpy(s->best.point, q, sizeof s->best.point);
    }
    return distance;
}

/* A piece on which the distance is nowhere below this tells nothing new. */
static double enough(const search *s)
{
    if (!s->refines)
        return -s->error;
    if (s->best.least < -s->error)
        return 1.01 * s->best.least;
    return fmax(-s->error, fmin(s->reach, 0.999 * s->best.least));
}

static void descend(search *s, const double corner[3][3], int depth);

/* Halves a piece across its longest side (quarters would make ever more of the same needle), and goes on with both; the
 * one down the slope first. */
static void divide(search *s, const double corner[3][3], const double gradient[3], int depth)
{
    double longest = -1, slope = 0, half[2][3][3];
    int from = 0;
    for (int k = 0; k < 3; k++) {
        const double *a = corner[k], *b = corner[(k + 1) % 3], side[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        if (dot(side, side) > longest) {
            longest = dot(side, side);
            slope = dot(gradient, side);
            from = k;
        }
    }
    const int to = (from + 1) % 3;
    memcpy(half[0], corner, sizeof half[0]);
    memcpy(half[1], corner, sizeof half[1]);
    for (int c = 0; c < 3; c++)
        half[0][to][c] = half[1][from][c] = 0.5 * corner[from][c] + 0.5 * corner[to][c];
    const int first = slope < 0;
    descend(s, (const double(*)[3])half[first], depth + 1);
    descend(s, (const double(*)[3])half[!first], depth + 1);
}

static void descend(search *s, const double corner[3][3], int depth)
{
    if (++s->pieces > s->most_pieces || (!s->refines && s->best.least < -s->error)) {
        s->complete = false;
        return;
    }
    double middle[3], gradient[3];
    for (int c = 0; c < 3; c++)
        middle[c] = (corner[0][c] + corner[1][c] + corner[2][c]) / 3;
    double low = INFINITY, at_middle = offer(s, middle, gradient);
    for (int k = 0; k < 3; k++) {
        const double d[3] = {corner[k][0] - middle[0], corner[k][1] - middle[1], corner[k][2] - middle[2]};
        low = fmin(low, at_middle + dot(gradient, d));
    }
    if (low >= enough(s))
        return;
    if (depth == MOST_DEPTH) {
        s->complete = false;
        return;
    }
    divide(s, corner, gradient, depth);
}

/* How far apart the plane of the triangle keeps it and the collider; −INFINITY where it has none. */
static double gap_along_normal(const prc_check_collider *s, const double corner[3][3])
{
    double u[3], v[3], n[3], opposite[3];
    for (int c = 0; c < 3; c++) {
        u[c] = corner[1][c] - corner[0][c];
        v[c] = corner[2][c] - corner[0][c];
    }
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, b = (c + 2) % 3;
        n[c] = u[a] * v[b] - u[b] * v[a];
    }
    const double length = sqrt(dot(n, n));
    if (!(length > 0))
        return -INFINITY;
    double low = INFINITY, high = -INFINITY;
    for (int c = 0; c < 3; c++) {
        n[c] /= length;
        opposite[c] = -n[c];
    }
    for (int k = 0; k < 3; k++) {
        const double height = dot(n, corner[k]);
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return fmax(low - prc_check_collider_support(s, n), -high - prc_check_collider_support(s, opposite));
}

static void look(search *s, const double corner[3][3], bool refines, int most_pieces)
{
    s->refines = refines;
    s->most_pieces = most_pieces;
    s->pieces = 0;
    s->complete = true;
    descend(s, corner, 0);
}

/* The point a + s (b − a). */
static void point_between(const double a[3], const double b[3], double s, double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = (1 - s) * a[c] + s * b[c];
}

static double least_on_line(search *s, const double a[3], const double b[3])
{
    double low = 0, high = 1, least = INFINITY, gradient[3], x[3];
    for (int k = 0; k < 50; k++) {
        point_between(a, b, 0.5 * (low + high), x);
        least = fmin(least, offer(s, x, gradient));
        const double slope = gradient[0] * (b[0] - a[0]) + gradient[1] * (b[1] - a[1]) + gradient[2] * (b[2] - a[2]);
        if (slope > 0)
            high = 0.5 * (low + high);
        else
            low = 0.5 * (low + high);
    }
    return least;
}

/* Valleys along an edge of the collider make very many pieces. The least on lines from one side to a corner is convex,
 * too, from line to line: thirds of the side are left out one after the other. */
static void search_lines(search *s, const double corner[3][3])
{
    double low = 0, high = 1;
    for (int k = 0; k < 60; k++) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        double a[3], b[3];
        point_between(corner[0], corner[1], left, a);
        point_between(corner[0], corner[1], right, b);
        if (least_on_line(s, a, corner[2]) < least_on_line(s, b, corner[2]))
            high = right;
        else
            low = left;
    }
}

static void refine(search *s, const double corner[3][3])
{
    look(s, corner, true, MOST_REFINED);
    if (!s->complete)
        search_lines(s, corner);
}

prc_check_judgement prc_check_convex(const prc_check_collider *s, const double corner[3][3], double error, double reach)
{
    search whole = {.collider = s, .best = {.least = INFINITY}, .error = error, .reach = reach};
    double gradient[3];
    for (int k = 0; k < 3; k++)
        offer(&whole, corner[k], gradient);
    if (s->kind != PRC_SHAPE_PLANE) {
        const double gap = gap_along_normal(s, corner);
        if (!(gap > error))
            look(&whole, corner, false, MOST_PIECES);
        const bool decided = gap > error || whole.best.least < -error || whole.complete;
        whole.best.verdict = decided ? PRC_CHECK_APART : PRC_CHECK_UNDECIDED;
        if (whole.best.least < -error || !(gap > reach))
            refine(&whole, corner);
    }
    if (whole.best.least < -error)
        whole.best.verdict = PRC_CHECK_MEETS;
    return whole.best;
}
