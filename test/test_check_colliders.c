/* test/test_check_colliders.c — the checker against colliders, held against separating axes, exact distances of
 * triangles and dense sampling that are written here. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "check/collider.h"
#include "limited_memory.h"

#include <percale/percale.h>
#include <stdint.h>

static uint64_t sequence = 7;

/* In [0, 1). */
static double next_real(void)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (double)(sequence >> 11) * 0x1p-53;
}

static double between(double low, double high)
{
    return low + (high - low) * next_real();
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* ---- colliders and triangles at random ---- */

/* A turn by a random unit quaternion, and a shift. */
static void set_pose(prc_check_collider *s, double reach)
{
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = between(-1, 1);
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++)
        q[k] /= sqrt(length);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                               {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                               {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(s->turn, turn, sizeof turn);
    for (int c = 0; c < 3; c++)
        s->shift[c] = between(-reach, reach);
}

static prc_check_collider upright(prc_shape_kind kind)
{
    return (prc_check_collider){.kind = kind, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

static prc_check_collider some_collider(prc_shape_kind kind)
{
    prc_check_collider s = upright(kind);
    s.radius = between(0.02, 0.5);
    s.radius_top = next_real() < 0.3 ? 0 : between(0.02, 0.5);
    s.half_length = between(0.01, 0.5);
    for (int c = 0; c < 3; c++)
        s.half_size[c] = between(0.01, 0.5);
    set_pose(&s, 1);
    return s;
}

static void to_world(const prc_check_collider *s, const double q[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = dot(s->turn[c], q) + s->shift[c];
}

static void to_own(const prc_check_collider *s, const double x[3], double q[3])
{
    for (int c = 0; c < 3; c++)
        q[c] = s->turn[0][c] * (x[0] - s->shift[0]) + s->turn[1][c] * (x[1] - s->shift[1]) +
               s->turn[2][c] * (x[2] - s->shift[2]);
}

/* Of any size from a centimetre to a metre, about a point near the collider; some are needles, some edges. */
static void some_triangle(const prc_check_collider *s, double x[9])
{
    const double size = pow(10, between(-2, 0));
    double q[3], middle[3] = {between(-0.5, 0.5), between(-0.5, 0.5), between(-0.5, 0.5)};
    const double narrow = next_real() < 0.2 ? 1e-4 : 1;
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++)
            q[c] = middle[c] + size * between(-1, 1) * (c == 1 ? narrow : 1);
        to_world(s, q, x + 3L * k);
    }
    if (next_real() < 0.1)
        for (int c = 0; c < 3; c++)
            x[6 + c] = x[3 + c];
}

/* ---- answers by other means ---- */

/* Whether a point of the own frame is deeper inside than a margin (negative: or outside by less than it). Written from
 * what each shape is, without distances where it can be. */
static bool is_in(const prc_check_collider *s, const double q[3], double margin)
{
    const double r = sqrt(q[0] * q[0] + q[2] * q[2]), h = s->half_length - margin;
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        return q[1] < -margin;
    case PRC_SHAPE_SPHERE:
        return sqrt(dot(q, q)) < s->radius - margin;
    case PRC_SHAPE_CAPSULE: {
        const double beyond = fmax(fabs(q[1]) - s->half_length, 0);
        return sqrt(r * r + beyond * beyond) < s->radius - margin;
    }
    case PRC_SHAPE_CYLINDER:
        return r < s->radius - margin && fabs(q[1]) < h;
    case PRC_SHAPE_BOX:
        return fabs(q[0]) < s->half_size[0] - margin && fabs(q[1]) < s->half_size[1] - margin &&
               fabs(q[2]) < s->half_size[2] - margin;
    default: {
        const double t = (q[1] / s->half_length + 1) / 2, wide = s->radius + t * (s->radius_top - s->radius);
        const double slope = (s->radius_top - s->radius) / (2 * s->half_length);
        return r < wide - margin * sqrt(1 + slope * slope) && fabs(q[1]) < h;
    }
    }
}

#define GRID 60

static bool samples_meet(const prc_check_collider *s, const double x[9], double margin)
{
    double corner[3][3];
    for (int k = 0; k < 3; k++)
        to_own(s, x + 3L * k, corner[k]);
    for (int a = 0; a <= GRID; a++)
        for (int b = 0; b <= GRID - a; b++) {
            double q[3];
            for (int c = 0; c < 3; c++)
                q[c] = (a * corner[0][c] + b * corner[1][c] + (GRID - a - b) * corner[2][c]) / GRID;
            if (is_in(s, q, margin))
                return true;
        }
    return false;
}

/* The least length of a point of the triangle, by Lagrange: over corners, edges and the face, those minima of |Σ λ x|²
 * on the affine hull whose λ are all positive. */
static double least_length(const double x[9])
{
    double best = INFINITY;
    for (int k = 0; k < 3; k++) {
        const double *a = x + 3L * k, *b = x + 3L * ((k + 1) % 3);
        const double e[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, t = -dot(a, e) / dot(e, e);
        best = fmin(best, sqrt(dot(a, a)));
        const double p[3] = {a[0] + t * e[0], a[1] + t * e[1], a[2] + t * e[2]};
        if (t > 0 && t < 1)
            best = fmin(best, sqrt(dot(p, p)));
    }
    /* Gram's matrix of two sides */
    double u[3], v[3];
    for (int c = 0; c < 3; c++) {
        u[c] = x[3 + c] - x[c];
        v[c] = x[6 + c] - x[c];
    }
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), determinant = uu * vv - uv * uv;
    const double s = (-dot(x, u) * vv + dot(x, v) * uv) / determinant;
    const double t = (-dot(x, v) * uu + dot(x, u) * uv) / determinant;
    if (determinant > 1e-12 * uu * vv && s > 0 && t > 0 && s + t < 1) {
        double n[3];
        cross(u, v, n);
        best = fmin(best, fabs(dot(n, x)) / sqrt(dot(n, n)));
    }
    return best;
}

/* The largest gap of a triangle and a box along any of their thirteen axes; they meet where it is negative. */
static double gap_of_axes(const prc_check_collider *s, const double x[9])
{
    double corner[3][3], side[3][3], axis[13][3] = {{0}}, largest = -INFINITY;
    for (int k = 0; k < 3; k++)
        to_own(s, x + 3L * k, corner[k]);
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++)
            side[k][c] = corner[(k + 1) % 3][c] - corner[k][c];
    for (int k = 0; k < 3; k++) {
        axis[k][k] = 1;
        for (int c = 0; c < 3; c++)
            cross(axis[k], side[c], axis[3 + 3 * k + c]);
    }
    cross(side[0], side[1], axis[12]);
    for (int a = 0; a < 13; a++) {
        const double length = sqrt(dot(axis[a], axis[a]));
        if (!(length > 1e-9))
            continue;
        double low = INFINITY, high = -INFINITY, reach = 0;
        for (int k = 0; k < 3; k++) {
            low = fmin(low, dot(axis[a], corner[k]) / length);
            high = fmax(high, dot(axis[a], corner[k]) / length);
            reach += s->half_size[k] * fabs(axis[a][k]) / length;
        }
        largest = fmax(largest, fmax(low - reach, -high - reach));
    }
    return largest;
}

/* ---- asking the checker ---- */

static const int one[3] = {0, 1, 2};

static prc_check_collider_result ask(const prc_check_collider *colliders, int collider_count, const double *x,
                                     int vertex_count, const int *triangles, int triangle_count)
{
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result r;
    prc_error error;
    if (prc_check_colliders(x, vertex_count, triangles, triangle_count, colliders, collider_count, &how, &r, &error)) {
        printf("    %s\n", error.message);
        r.meetings = -1;
    }
    return r;
}

static long long count_of(const prc_check_collider *collider, const double *x, const int *triangle)
{
    prc_check_collider_result r = ask(collider, 1, x, 3, triangle, 1);
    const long long count = r.meetings;
    prc_check_collider_result_release(&r);
    return count;
}

/* ---- claims ---- */

TEST(spheres_agree_with_exact_distances)
{
    int met = 0;
    for (int trial = 0; trial < 20000; trial++) {
        prc_check_collider s = some_collider(PRC_SHAPE_SPHERE);
        double x[9], own[9];
        some_triangle(&s, x);
        for (int k = 0; k < 3; k++)
            to_own(&s, x + 3L * k, own + 3L * k);
        const double distance = least_length(own) - s.radius;
        prc_check_collider_result r = ask(&s, 1, x, 3, one, 1);
        const double found = r.listed_count ? -r.listed[0].depth : -r.nearest.depth;
        const long long count = r.meetings;
        prc_check_collider_result_release(&r);
        CHECK(count == (distance < 0));
        CHECK(found >= distance - 1e-12 && found <= distance + 0.011 * fabs(distance) + 1e-12);
        met += distance < 0;
    }
    CHECK(met > 4000 && met < 16000);
}

TEST(boxes_agree_with_separating_axes)
{
    int met = 0;
    for (int trial = 0; trial < 20000; trial++) {
        prc_check_collider s = some_collider(PRC_SHAPE_BOX);
        double x[9];
        some_triangle(&s, x);
        const double gap = gap_of_axes(&s, x);
        CHECK(count_of(&s, x, one) == (gap < 0));
        met += gap < 0;
    }
    CHECK(met > 4000 && met < 16000);
}

/* What is said to meet shows a point of the triangle that is inside; what is said to be apart has none of many. */
TEST(no_shape_contradicts_dense_sampling)
{
    int met = 0, apart = 0;
    for (int trial = 0; trial < 3000; trial++)
        for (int kind = PRC_SHAPE_PLANE; kind <= PRC_SHAPE_CONE; kind++) {
            prc_check_collider s = some_collider((prc_shape_kind)kind);
            double x[9], q[3], own[9];
            some_triangle(&s, x);
            prc_check_collider_result r = ask(&s, 1, x, 3, one, 1);
            const prc_check_meeting m = r.listed_count ? r.listed[0] : r.nearest;
            const long long count = r.meetings;
            prc_check_collider_result_release(&r);
            CHECK(!m.undecided);
            to_own(&s, m.point, q);
            for (int k = 0; k < 3; k++) /* the point lies on the triangle */
                for (int c = 0; c < 3; c++)
                    own[3 * k + c] = x[3 * k + c] - m.point[c];
            CHECK(least_length(own) < 1e-9);
            if (count) {
                CHECK(is_in(&s, q, 0) && is_in(&s, q, 0.999 * m.depth) && !is_in(&s, q, 1.001 * m.depth + 1e-12));
                CHECK(!samples_meet(&s, x, 1.011 * m.depth));
                met++;
            } else {
                CHECK(!samples_meet(&s, x, 0) && !is_in(&s, q, 0));
                apart++;
            }
        }
    CHECK(met > 4000 && apart > 4000);
}

/* Nothing is nearer by more than a tenth of a percent. */
TEST(the_smallest_distance_agrees_with_sampling)
{
    for (int trial = 0; trial < 500; trial++)
        for (int kind = PRC_SHAPE_SPHERE; kind <= PRC_SHAPE_CAPSULE; kind++) {
            prc_check_collider s = some_collider((prc_shape_kind)kind);
            double x[9];
            some_triangle(&s, x);
            prc_check_collider_result r = ask(&s, 1, x, 3, one, 1);
            const double distance = r.nearest_found ? -r.nearest.depth : -1;
            prc_check_collider_result_release(&r);
            CHECK(distance < 0 || !samples_meet(&s, x, -0.998 * distance));
        }
}

/* Corners on the floor of a table's rim are outside; the face between them is not. */
TEST(a_rim_between_vertices_is_seen)
{
    prc_check_collider table = upright(PRC_SHAPE_CYLINDER);
    table.radius = 0.4;
    table.half_length = 0.01;
    const double x[9] = {0.41, -0.02, -0.05, 0.41, -0.02, 0.05, 0.3, 0.012, 0};
    for (int k = 0; k < 3; k++)
        CHECK(!is_in(&table, x + 3L * k, 0));
    prc_check_collider_result r = ask(&table, 1, x, 3, one, 1);
    CHECK(r.meetings == 1 && r.of_collider[0] == 1 && !r.undecided && r.listed_count == 1);
    CHECK(r.listed[0].depth > 0.001 && r.listed[0].depth < 0.02 && is_in(&table, r.listed[0].point, 0));
    prc_check_collider_result_release(&r);
}

TEST(rods_needles_edges_and_points_are_seen)
{
    prc_check_collider rod = upright(PRC_SHAPE_CAPSULE), tip = upright(PRC_SHAPE_CONE),
                       ball = upright(PRC_SHAPE_SPHERE);
    rod.radius = 1e-4;
    rod.half_length = 1;
    tip.radius = 0.1;
    tip.half_length = 0.5;
    tip.shift[1] = -0.5 + 1e-5; /* 10 µm through the plane y = 0 */
    ball.radius = 0.01;
    const double x[9] = {-0.4, 0, -0.31, 0.5, 0, -0.27, 0.02, 0, 0.44};
    CHECK(count_of(&rod, x, one) == 1);
    CHECK(count_of(&tip, x, one) == 1);
    CHECK(count_of(&ball, x, one) == 1);
    tip.shift[1] = -0.5 - 1e-9;
    CHECK(count_of(&tip, x, one) == 0);
    const double line[9] = {-1, 0.009, 0, 1, 0.009, 0.001, 0.003, 0.004, 0.005};
    const int edge[3] = {0, 1, 1}, point[3] = {2, 2, 2}, other[3] = {0, 0, 0};
    CHECK(count_of(&ball, line, edge) == 1);
    CHECK(count_of(&ball, line, point) == 1);
    CHECK(count_of(&ball, line, other) == 0);
}

/* Whatever lies flush on a face, an edge or a tip is not inside, and that is found at once. */
TEST(touching_is_not_meeting)
{
    prc_check_collider box = upright(PRC_SHAPE_BOX), disc = upright(PRC_SHAPE_CYLINDER),
                       plane = upright(PRC_SHAPE_PLANE);
    for (int c = 0; c < 3; c++)
        box.half_size[c] = 0.25;
    disc.radius = disc.half_length = 0.25;
    const double flush[9] = {-0.9, 0.25, -0.8, 0.9, 0.25, -0.7, 0.1, 0.25, 0.9};
    const double over_edge[9] = {-0.5, 1, 0.3, -0.5, 1, -0.3, 1, -0.5, 0.1}; /* x + y = 0.5 */
    const double floor[9] = {-0.9, 0, -0.8, 0.9, 0, -0.7, 0.1, 0, 0.9};
    CHECK(count_of(&box, flush, one) == 0 && count_of(&disc, flush, one) == 0 && count_of(&plane, floor, one) == 0);
    CHECK(count_of(&box, over_edge, one) == 0 && count_of(&disc, over_edge, one) == 0);
    for (int c = 0; c < 3; c++)
        box.half_size[c] += 1e-13;
    disc.half_length += 1e-13;
    plane.shift[1] = 1e-13;
    CHECK(count_of(&box, flush, one) == 1 && count_of(&disc, flush, one) == 1 && count_of(&plane, floor, one) == 1);
    CHECK(count_of(&box, over_edge, one) == 1);
}

TEST(positions_that_were_floats_may_be_off_by_their_rounding)
{
    prc_check_collider plane = upright(PRC_SHAPE_PLANE);
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result r;
    how.rounding = 0x1p-24;
    for (int deep = 0; deep < 2; deep++) {
        const double y = deep ? -1e-6 : -1e-7, x[9] = {-1, y, -1, 1, y, -1, 0, y, 1};
        CHECK(!prc_check_colliders(x, 3, one, 1, &plane, 1, &how, &r, NULL));
        CHECK(r.meetings == deep);
        prc_check_collider_result_release(&r);
    }
}

/* ---- meshes ---- */

static const int box_triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                      2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};

/* The same collider as a mesh; corners in `positions`, 24. */
static prc_check_collider as_mesh(const prc_check_collider *box, double *positions)
{
    for (int i = 0; i < 8; i++)
        for (int c = 0; c < 3; c++)
            positions[3 * i + c] = i >> c & 1 ? box->half_size[c] : -box->half_size[c];
    prc_check_collider s = *box;
    s.kind = PRC_SHAPE_MESH;
    s.mesh_positions = positions;
    s.mesh_vertex_count = 8;
    s.mesh_triangles = box_triangles;
    s.mesh_triangle_count = 12;
    return s;
}

TEST(a_box_and_its_mesh_get_the_same_answers)
{
    int met = 0;
    for (int trial = 0; trial < 5000; trial++) {
        prc_check_collider box = some_collider(PRC_SHAPE_BOX);
        double x[9], corners[24];
        some_triangle(&box, x);
        const prc_check_collider mesh = as_mesh(&box, corners);
        prc_check_collider_result a = ask(&box, 1, x, 3, one, 1), b = ask(&mesh, 1, x, 3, one, 1);
        const bool same = a.meetings == b.meetings;
        const double da = a.nearest.depth, db = b.nearest.depth;
        const double ia = a.listed_count ? a.listed[0].depth : 0, ib = b.listed_count ? b.listed[0].depth : 0;
        prc_check_collider_result_release(&a);
        prc_check_collider_result_release(&b);
        CHECK(same && da <= db + 1e-12 && da >= db - 0.002 * fabs(db) - 1e-12);
        CHECK(ib <= 1.011 * ia + 1e-12); /* a mesh has its depth from a few points only */
        met += ia > 0;
    }
    CHECK(met > 1000 && met < 4000);
}

/* A sheet of n × n squares of side 1 in the plane y = 0. */
static void make_sheet(int n, double **x, int **triangles)
{
    *x = malloc(3 * sizeof(double) * (size_t)((n + 1) * (n + 1)));
    *triangles = malloc(6 * sizeof(int) * (size_t)(n * n));
    for (int i = 0; i <= n; i++)
        for (int k = 0; k <= n; k++) {
            double *at = *x + 3L * (i * (n + 1) + k);
            at[0] = (double)k / n - 0.5;
            at[1] = 0;
            at[2] = (double)i / n - 0.5;
        }
    int *t = *triangles;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const int a = i * (n + 1) + k, b = a + n + 1;
            const int two[6] = {a, b, a + 1, a + 1, b, b + 1};
            memcpy(t, two, sizeof two);
            t += 6;
        }
}

TEST(what_is_wholly_inside_a_mesh_is_seen)
{
    prc_check_collider box = upright(PRC_SHAPE_BOX);
    double *x, corners[24];
    int *triangles;
    make_sheet(10, &x, &triangles);
    box.half_size[0] = box.half_size[1] = box.half_size[2] = 1;
    prc_check_collider mesh = as_mesh(&box, corners);
    prc_check_collider_result r = ask(&mesh, 1, x, 121, triangles, 200);
    CHECK(r.meetings == 200 && fabs(r.listed[0].depth - 1) < 1e-9);
    prc_check_collider_result_release(&r);
    mesh.shift[1] = 1.5; /* above it */
    r = ask(&mesh, 1, x, 121, triangles, 200);
    CHECK(r.meetings == 0 && fabs(r.nearest.depth + 0.5) < 1e-12);
    prc_check_collider_result_release(&r);
    /* a part of it: a slab from x = −0.23 to 0.27; the squares from −0.2 to 0.2 are wholly inside */
    box.half_size[0] = 0.25;
    mesh = as_mesh(&box, corners);
    mesh.shift[0] = 0.02;
    r = ask(&mesh, 1, x, 121, triangles, 200);
    CHECK(r.meetings == 6 * 20 && r.listed[0].depth > 0.2 && r.listed[0].depth < 0.25);
    prc_check_collider_result_release(&r);
    free(x);
    free(triangles);
}

TEST(a_needle_of_a_mesh_under_a_face_is_seen)
{
    prc_check_collider needle = upright(PRC_SHAPE_BOX);
    double corners[24];
    needle.half_size[0] = needle.half_size[2] = 1e-3;
    needle.half_size[1] = 0.1;
    const prc_check_collider mesh = as_mesh(&needle, corners);
    const double x[9] = {-1, 0.05, -1, 1, 0.05, -1, 0.1, 0.05, 1}, y[9] = {-1, 0.11, -1, 1, 0.11, -1, 0.1, 0.11, 1};
    CHECK(count_of(&mesh, x, one) == 1);
    CHECK(count_of(&mesh, y, one) == 0);
}

/* ---- the rest ---- */

TEST(a_large_cloth_is_quick_and_threads_change_nothing)
{
    prc_check_collider colliders[6];
    double *x;
    int *triangles;
    make_sheet(224, &x, &triangles);
    for (int k = 0; k < 6; k++) {
        colliders[k] = some_collider((prc_shape_kind)k);
        colliders[k].shift[0] = colliders[k].shift[2] = 0.1 * k - 0.25;
        colliders[k].shift[1] = k % 2 ? 0.05 : 0.7;
    }
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result a, b;
    const clock_t start = clock();
    how.threads = 1;
    CHECK(!prc_check_colliders(x, 225 * 225, triangles, 2 * 224 * 224, colliders, 6, &how, &a, NULL));
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("    %d triangles and 6 colliders: %lld meetings, %.3f s\n", 2 * 224 * 224, a.meetings, seconds);
    how.threads = 3;
    CHECK(!prc_check_colliders(x, 225 * 225, triangles, 2 * 224 * 224, colliders, 6, &how, &b, NULL));
    CHECK(a.meetings > 1000 && a.meetings == b.meetings && a.pairs == b.pairs && a.listed_count == 10);
    CHECK(!memcmp(a.listed, b.listed, 10 * sizeof *a.listed) && a.nearest.depth == b.nearest.depth);
    CHECK(a.listed[0].depth >= a.listed[9].depth && (TEST_SANITIZED || seconds < 3));
    prc_check_collider_result_release(&a);
    prc_check_collider_result_release(&b);
    free(x);
    free(triangles);
}

TEST(obstacles_may_stand_in_colliders)
{
    prc_check_collider ball = upright(PRC_SHAPE_SPHERE);
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result r;
    ball.radius = 0.1;
    const double x[9] = {-1, 0, -1, 1, 0, -1, 0, 0, 1};
    bool obstacle[3] = {true, true, true};
    how.obstacle = obstacle;
    CHECK(!prc_check_colliders(x, 3, one, 1, &ball, 1, &how, &r, NULL) && r.meetings == 0 && !r.nearest_found);
    prc_check_collider_result_release(&r);
    obstacle[1] = false;
    CHECK(!prc_check_colliders(x, 3, one, 1, &ball, 1, &how, &r, NULL) && r.meetings == 1);
    prc_check_collider_result_release(&r);
}

TEST(bad_colliders_are_refused_by_number)
{
    prc_check_collider colliders[2] = {upright(PRC_SHAPE_PLANE), upright(PRC_SHAPE_BOX)};
    prc_check_collider_options how = prc_check_collider_options_default();
    prc_check_collider_result r;
    prc_error error;
    const double x[9] = {0}, bad[9] = {NAN};
    const int beyond[3] = {0, 1, 3};
    colliders[1].half_size[2] = -1;
    CHECK(prc_check_colliders(x, 3, one, 1, colliders, 2, &how, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "collider 1: found invalid sizes");
    colliders[1].half_size[2] = 1;
    colliders[1].turn[0][0] = 1.001;
    CHECK(prc_check_colliders(x, 3, one, 1, colliders, 2, &how, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "collider 1: found a pose");
    colliders[1].kind = PRC_SHAPE_MESH;
    CHECK(prc_check_colliders(x, 3, one, 1, colliders, 2, &how, &r, &error) == PRC_ERROR_INPUT);
    CHECK(prc_check_colliders(bad, 3, one, 1, colliders, 1, &how, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 0");
    CHECK(prc_check_colliders(x, 3, beyond, 1, colliders, 1, &how, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "found vertex 3");
}

TEST(failed_allocations_are_reported_and_leak_nothing)
{
    prc_check_collider box = upright(PRC_SHAPE_BOX);
    double corners[24];
    box.half_size[0] = box.half_size[1] = box.half_size[2] = 1;
    const prc_check_collider colliders[2] = {box, as_mesh(&box, corners)};
    const double x[9] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    int failures = 0;
    for (int limit = 0; limit < 40; limit++) {
        prc_check_collider_options how = prc_check_collider_options_default();
        prc_check_collider_result r;
        prc_error error;
        allocations_left = limit;
        prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
        const prc_result code = prc_check_colliders(x, 3, one, 1, colliders, 2, &how, &r, &error);
        const long long meetings = r.meetings;
        prc_check_collider_result_release(&r);
        prc_set_allocator((prc_allocator){0});
        CHECK(code ? code == PRC_ERROR_MEMORY && !meetings : meetings == 2);
        failures += code != PRC_OK;
    }
    CHECK(failures > 10 && failures < 40);
}

TEST_MAIN()
