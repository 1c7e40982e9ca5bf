/* test/test_check.c — the checker: exact predicates, crossings and smallest distances against slower, plainer answers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "check/check.h"
#include "check/distance.h"
#include "check/predicates.h"

#include <percale/percale.h>
#include <stdlib.h>
#include <unistd.h>

__extension__ typedef __int128 wide; /* exact for products of three 40-bit numbers */

/* A fixed sequence of numbers from 0 to below `limit`. */
static uint64_t sequence = 1;

static int next_number(int limit)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (int)((sequence >> 33) % (uint64_t)limit);
}

static double next_real(void)
{
    return next_number(1 << 30) * 0x1p-30;
}

/* ---- exact answers in integers ---- */

typedef struct point {
    long long x[3];
} point;

static void to_doubles(const point *p, double *x)
{
    for (int k = 0; k < 3; k++)
        x[k] = (double)p->x[k];
}

static int sign_of(wide value)
{
    return (value > 0) - (value < 0);
}

static int orient_in_integers(const point *a, const point *b, const point *c, const point *d)
{
    wide volume = 0;
    for (int k = 0; k < 3; k++) {
        int u = (k + 1) % 3, v = (k + 2) % 3;
        volume += (wide)(a->x[k] - d->x[k]) *
                  ((wide)(b->x[u] - d->x[u]) * (c->x[v] - d->x[v]) - (wide)(b->x[v] - d->x[v]) * (c->x[u] - d->x[u]));
    }
    return sign_of(volume);
}

static int orient_in_doubles(const point p[4])
{
    double x[4][3];
    for (int i = 0; i < 4; i++)
        to_doubles(&p[i], x[i]);
    return prc_exact_orient3d(x[0], x[1], x[2], x[3]);
}

static point cross_product(const point *a, const point *b)
{
    point n;
    for (int k = 0; k < 3; k++)
        n.x[k] = a->x[(k + 1) % 3] * b->x[(k + 2) % 3] - a->x[(k + 2) % 3] * b->x[(k + 1) % 3];
    return n;
}

/* Whether the first two of five points and the other three lie strictly apart along an axis. */
static bool axis_separates(const point p[5], const point *axis)
{
    long long low[2] = {0}, high[2] = {0};
    for (int i = 0; i < 5; i++) {
        int side = i >= 2;
        long long s = p[i].x[0] * axis->x[0] + p[i].x[1] * axis->x[1] + p[i].x[2] * axis->x[2];
        low[side] = i == 0 || i == 2 || s < low[side] ? s : low[side];
        high[side] = i == 0 || i == 2 || s > high[side] ? s : high[side];
    }
    return high[0] < low[1] || high[1] < low[0];
}

/* Disjoint convex sets are separated along the normal of a face of their difference, whatever its dimension: along
 * w, u × v or (u × v) × w, for u, v, w among the differences of the points. */
static bool meets_in_integers(const point p[5])
{
    point sides[10];
    int count = 0;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < i; j++, count++)
            for (int k = 0; k < 3; k++)
                sides[count].x[k] = p[i].x[k] - p[j].x[k];
    for (int u = 0; u < 10; u++) {
        if (axis_separates(p, &sides[u]))
            return false;
        for (int v = 0; v < u; v++) {
            point n = cross_product(&sides[u], &sides[v]);
            if (axis_separates(p, &n))
                return false;
            for (int w = 0; w < 10; w++) {
                point m = cross_product(&n, &sides[w]);
                if (axis_separates(p, &m))
                    return false;
            }
        }
    }
    return true;
}

static bool meets_in_doubles(const point p[5])
{
    double x[5][3];
    for (int i = 0; i < 5; i++)
        to_doubles(&p[i], x[i]);
    return prc_exact_edge_meets_triangle(x[0], x[1], x[2], x[3], x[4]);
}

/* ---- predicates ---- */

TEST(orientation_is_exact_on_every_tetrahedron_of_a_small_grid)
{
    int zeros = 0;
    for (int code = 0; code < 27 * 27 * 27 * 27; code++) {
        point p[4];
        for (int i = 0, rest = code; i < 4; i++)
            for (int k = 0; k < 3; k++, rest /= 3)
                p[i].x[k] = rest % 3;
        int expected = orient_in_integers(&p[0], &p[1], &p[2], &p[3]);
        zeros += !expected;
        if (orient_in_doubles(p) != expected)
            CHECK(orient_in_doubles(p) == expected);
    }
    CHECK(zeros > 1000);
}

/* Points of a plane that miss it by one unit in 2^37, where rounded determinants have no correct digit left. */
TEST(orientation_is_exact_next_to_a_plane)
{
    int counts[3] = {0};
    for (int trial = 0; trial < 100000; trial++) {
        point p[4];
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                p[i].x[k] = ((long long)next_number(1 << 18) << 18) + next_number(1 << 18);
        int s = next_number(16), t = next_number(16);
        for (int k = 0; k < 3; k++)
            p[3].x[k] = p[0].x[k] + (s * (p[1].x[k] - p[0].x[k]) + t * (p[2].x[k] - p[0].x[k])) / 8 +
                        (trial % 2 ? next_number(3) - 1 : 0);
        int expected = orient_in_integers(&p[0], &p[1], &p[2], &p[3]);
        counts[expected + 1]++;
        if (orient_in_doubles(p) != expected)
            CHECK(orient_in_doubles(p) == expected);
    }
    CHECK(counts[0] > 1000 && counts[1] > 100 && counts[2] > 1000);
}

/* Numbers of very different size, whose differences do not fit a double: d = a + b − c would be in the plane, with a
 * last bit more it is not. */
TEST(orientation_is_exact_over_a_wide_range_of_numbers)
{
    double a[3] = {0x1p60, 0, 0}, b[3] = {0, 0x1p-60, 0}, c[3] = {1, 0x1p-200, 0}, d[3] = {3, 7, 0};
    CHECK(prc_exact_orient3d(a, b, c, d) == 0);
    d[2] = 0x1p-280;
    int above = prc_exact_orient3d(a, b, c, d);
    d[2] = -0x1p-280;
    CHECK(above != 0 && prc_exact_orient3d(a, b, c, d) == -above);
    double e[3] = {1, 1, 1}, f[3] = {2, 2, 2 + 0x1p-51}, g[3] = {0x1p-100, 0x1p-100, 0x1p-100};
    CHECK(!prc_exact_collinear(e, f, g));
    f[2] = 2;
    CHECK(prc_exact_collinear(e, f, g));
}

TEST(orientation_changes_sign_when_points_are_swapped)
{
    for (int trial = 0; trial < 20000; trial++) {
        double x[4][3];
        for (int i = 0; i < 4; i++)
            for (int k = 0; k < 3; k++)
                x[i][k] = ldexp(next_real() - 0.5, next_number(80) - 40);
        int sign = prc_exact_orient3d(x[0], x[1], x[2], x[3]);
        CHECK(prc_exact_orient3d(x[1], x[0], x[2], x[3]) == -sign);
        CHECK(prc_exact_orient3d(x[3], x[1], x[2], x[0]) == -sign);
        CHECK(prc_exact_orient3d(x[1], x[2], x[0], x[3]) == sign);
    }
}

/* 5 points on a grid of the given numbers of places along x, y, z: all of them, degenerate ones included. */
static int disagreements(int nx, int ny, int nz, int *meeting)
{
    int size[3] = {nx, ny, nz}, places = nx * ny * nz, wrong = 0;
    long long total = (long long)places * places * places * places * places;
    *meeting = 0;
    for (long long code = 0; code < total; code++) {
        point p[5];
        long long rest = code;
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 3; k++) {
                p[i].x[k] = rest % size[k];
                rest /= size[k];
            }
        bool expected = meets_in_integers(p);
        *meeting += expected;
        wrong += meets_in_doubles(p) != expected;
    }
    return wrong;
}

TEST(edges_meet_triangles_as_they_should_in_every_configuration_of_small_grids)
{
    int meeting;
    CHECK(disagreements(2, 2, 2, &meeting) == 0 && meeting > 1000);
    CHECK(disagreements(3, 3, 1, &meeting) == 0 && meeting > 1000);
    CHECK(disagreements(1, 3, 2, &meeting) == 0 && meeting > 1000);
    CHECK(disagreements(1, 1, 5, &meeting) == 0 && meeting > 1000);
}

TEST(edges_meet_triangles_as_they_should_on_a_larger_grid)
{
    int meeting = 0;
    for (int trial = 0; trial < 50000; trial++) {
        point p[5];
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 3; k++)
                p[i].x[k] = next_number(trial % 2 ? 3 : 7);
        bool expected = meets_in_integers(p);
        meeting += expected;
        if (meets_in_doubles(p) != expected)
            CHECK(meets_in_doubles(p) == expected);
    }
    CHECK(meeting > 1000);
}

TEST(a_last_bit_decides_between_touching_and_not)
{
    double a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, c[3] = {0, 1, 0}, p[3] = {0.25, 0.25, 0}, q[3] = {0.3, 0.3, 1};
    CHECK(prc_exact_edge_meets_triangle(p, q, a, b, c));
    p[2] = 1e-16;
    CHECK(!prc_exact_edge_meets_triangle(p, q, a, b, c));
    p[2] = -1e-16;
    CHECK(prc_exact_edge_meets_triangle(p, q, a, b, c));
    double on[3] = {0.5, 0.5, 0}, below[3] = {0.5, 0.5, -1}; /* through the long side */
    CHECK(prc_exact_edge_meets_triangle(on, below, a, b, c));
    on[0] = below[0] = 0.5 + 0x1p-53;
    CHECK(!prc_exact_edge_meets_triangle(on, below, a, b, c));
}

/* ---- surfaces ---- */

static prc_check_result check(const double *positions, int vertices, const int *triangles, int count,
                              const bool *obstacle)
{
    prc_check_options options = prc_check_options_default();
    prc_check_result result;
    prc_error error;
    options.obstacle = obstacle;
    if (prc_check_surfaces(positions, vertices, triangles, count, &options, &result, &error)) {
        printf("    %s\n", error.message);
        result.crossings = -1;
    }
    prc_check_result_release(&(prc_check_result){.listed = result.listed});
    result.listed = NULL;
    return result;
}

/* The horizontal triangle 0 1 2 and another, 3 4 5. */
static prc_check_result check_two(const double *second)
{
    double x[18] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    static const int triangles[6] = {0, 1, 2, 3, 4, 5};
    memcpy(x + 9, second, 9 * sizeof *x);
    return check(x, 6, triangles, 2, NULL);
}

TEST(two_triangles_cross_touch_and_pass)
{
    double crossing[9] = {1, 1, 1, 1, 1, -1, 9, 9, 1}, corner[9] = {1, 1, 0, 1, 2, 3, 2, 1, 3};
    double inside[9] = {1, 1, 0, 2, 1, 0, 1, 2, 0}, beside[9] = {5, 5, 0, 6, 5, 0, 5, 6, 0};
    double above[9] = {1, 1, 0x1p-60, 2, 1, 0x1p-60, 1, 2, 1};
    prc_check_result r = check_two(crossing);
    CHECK(r.crossings == 2 && r.triangle_pairs == 1); /* one edge each way */
    CHECK(check_two(corner).crossings == 2);          /* both edges at the corner touch */
    r = check_two(inside);
    CHECK(r.crossings == 3 && r.nearest.found && r.nearest.distance == 0);
    r = check_two(beside);
    CHECK(r.crossings == 0);
    CHECK_NEAR(r.nearest.distance, 3 * sqrt(2), 1e-15);
    r = check_two(above);
    CHECK(r.crossings == 0);
    CHECK_NEAR(r.nearest.distance, 0x1p-60, 1e-30);
}

TEST(triangles_that_share_a_vertex_are_told_apart_by_their_other_edges)
{
    static const int triangles[6] = {0, 1, 2, 0, 3, 4};
    double x[15] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, -1};
    CHECK(check(x, 5, triangles, 2, NULL).crossings == 1);
    x[14] = 1.5;
    prc_check_result r = check(x, 5, triangles, 2, NULL);
    CHECK(r.crossings == 0 && r.pairs >= 0);
    CHECK_NEAR(r.nearest.distance, 1, 1e-15);
    CHECK(r.nearest.a_count == 1 && r.nearest.a[0] == 3);
}

TEST(edges_and_points_pass_as_triangles_that_repeat_a_vertex)
{
    double x[15] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, -1, 1, 1, 2};
    static const int needle[6] = {0, 1, 2, 3, 4, 4}, dot[6] = {0, 1, 2, 4, 4, 4};
    prc_check_result r = check(x, 5, needle, 2, NULL);
    CHECK(r.crossings == 1 && r.degenerate == 1);
    r = check(x, 5, dot, 2, NULL);
    CHECK(r.crossings == 0 && r.nearest.distance == 2);
}

TEST(a_lone_triangle_has_no_pairs)
{
    static const int triangle[3] = {0, 1, 2};
    double x[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    prc_check_result r = check(x, 3, triangle, 1, NULL);
    CHECK(r.crossings == 0 && r.pairs == 0 && !r.nearest.found);
    CHECK(check(x, 3, triangle, 0, NULL).crossings == 0);
}

/* ---- against every pair ---- */

static bool share(const int *a, int a_count, const int *b, int b_count)
{
    for (int i = 0; i < a_count; i++)
        for (int j = 0; j < b_count; j++)
            if (a[i] == b[j])
                return true;
    return false;
}

static bool all_obstacles(const bool *obstacle, const int *a, int count)
{
    for (int i = 0; i < count; i++)
        if (!obstacle[a[i]])
            return false;
    return true;
}

/* Triangles of few vertices: edges may be shared, so the same edge may come twice. Returns the smallest distance and
 * counts the different edge–triangle pairs that meet. */
static double brute_force(const double *x, const int *triangles, int count, const bool *obstacle, int *crossings)
{
    double least = INFINITY, on[6];
    *crossings = 0;
    for (int s = 0; s < 3 * count; s++) {
        const int *own = triangles + 3 * (s / 3);
        int e[2] = {own[s % 3], own[(s % 3 + 1) % 3]};
        bool fixed = all_obstacles(obstacle, e, 2), seen = false;
        for (int r = 0; r < s; r++) {
            int f[2] = {triangles[r], triangles[3 * (r / 3) + (r % 3 + 1) % 3]};
            seen = seen || (f[0] == e[0] && f[1] == e[1]) || (f[0] == e[1] && f[1] == e[0]);
            if (!share(e, 2, f, 2) && !(fixed && all_obstacles(obstacle, f, 2)))
                least = fmin(least, prc_check_distance_edge_edge(x + 3 * e[0], x + 3 * e[1], x + 3 * f[0], x + 3 * f[1],
                                                                 on, on + 3));
        }
        for (int t = 0; t < count; t++) {
            const int *g = triangles + 3 * t;
            bool fixed_too = all_obstacles(obstacle, g, 3);
            if (!seen && !share(e, 2, g, 3) && !(fixed && fixed_too))
                *crossings +=
                    prc_exact_edge_meets_triangle(x + 3 * e[0], x + 3 * e[1], x + 3 * g[0], x + 3 * g[1], x + 3 * g[2]);
            if (!share(e, 1, g, 3) && !(obstacle[e[0]] && fixed_too))
                least = fmin(least, prc_check_distance_point_triangle(x + 3 * e[0], x + 3 * g[0], x + 3 * g[1],
                                                                      x + 3 * g[2], on, on + 3));
        }
    }
    return sqrt(least);
}

TEST(soups_of_triangles_are_judged_as_by_testing_every_pair)
{
    enum { VERTICES = 240, TRIANGLES = 120 };
    double x[3 * VERTICES] = {0};
    int triangles[3 * TRIANGLES];
    bool obstacle[VERTICES];
    long long total = 0;
    for (int trial = 0; trial < 40; trial++) {
        double size = trial % 4 == 0 ? 0.02 : trial % 4 == 1 ? 0.1 : 0.3;
        for (int i = 0; i < VERTICES; i++) {
            obstacle[i] = trial % 3 == 0 && i % 120 < 60;
            for (int k = 0; k < 3; k++) /* every second soup on a coarse grid: touching and coplanar pairs */
                x[3 * i + k] =
                    trial % 2 ? next_number(8)
                              : (i % 6 ? x[3 * (i - i % 6) + k] : 0) + size * next_real() + (i % 6 ? 0 : next_real());
        }
        for (int t = 0; t < TRIANGLES; t++)
            for (int k = 0; k < 3; k++)
                triangles[3 * t + k] = 6 * (t / 3) + (t % 3 + k * (1 + t % 2)) % 6;
        int expected;
        double least = brute_force(x, triangles, TRIANGLES, obstacle, &expected);
        prc_check_result r = check(x, VERTICES, triangles, TRIANGLES, obstacle);
        CHECK(r.crossings == expected);
        CHECK_NEAR(r.nearest.distance, least, 1e-14);
        total += expected;
    }
    CHECK(total > 1000);
}

/* ---- distances ---- */

TEST(distances_of_slivers_and_parallel_edges_are_true)
{
    double on[6], a[3] = {0, 0, 0}, b[3] = {1, 0, 0}, thin[3] = {0.5, 1e-13, 0}, p[3] = {0.5, 0, 0.25};
    CHECK_NEAR(sqrt(prc_check_distance_point_triangle(p, a, b, thin, on, on + 3)), 0.25, 1e-15);
    CHECK_NEAR(sqrt(prc_check_distance_point_triangle(p, a, b, b, on, on + 3)), 0.25, 1e-15);
    CHECK_NEAR(sqrt(prc_check_distance_point_triangle(p, a, a, a, on, on + 3)), sqrt(0.3125), 1e-15);
    double q[3] = {2.5, 0, 0.25};
    CHECK_NEAR(sqrt(prc_check_distance_edge_edge(a, b, p, q, on, on + 3)), 0.25, 1e-15);
    q[1] = 1e-14;
    CHECK_NEAR(sqrt(prc_check_distance_edge_edge(a, b, p, q, on, on + 3)), 0.25, 1e-15);
    double far[3] = {3, 0, 4};
    CHECK_NEAR(sqrt(prc_check_distance_edge_edge(a, a, far, far, on, on + 3)), 5, 1e-15);
}

/* The least over a fine sampling is never below the answer, and close to it. */
TEST(distances_agree_with_sampling)
{
    enum { FINE = 40 };
    for (int trial = 0; trial < 200; trial++) {
        double x[4][3], on[6], least[2] = {INFINITY, INFINITY};
        for (int i = 0; i < 12; i++)
            x[i / 3][i % 3] = next_real();
        double answer[2] = {prc_check_distance_point_triangle(x[0], x[1], x[2], x[3], on, on + 3),
                            prc_check_distance_edge_edge(x[0], x[1], x[2], x[3], on, on + 3)};
        for (int i = 0; i <= FINE; i++)
            for (int j = 0; j <= FINE; j++) {
                double s = i / (double)FINE, t = j / (double)FINE, sum[2] = {0, 0};
                for (int k = 0; k < 3; k++) {
                    double r = x[1][k] + s * ((1 - t) * x[2][k] + t * x[3][k] - x[1][k]) - x[0][k];
                    sum[0] += r * r;
                    r = x[0][k] + s * (x[1][k] - x[0][k]) - x[2][k] - t * (x[3][k] - x[2][k]);
                    sum[1] += r * r;
                }
                for (int c = 0; c < 2; c++)
                    least[c] = fmin(least[c], sum[c]);
            }
        for (int c = 0; c < 2; c++)
            CHECK(sqrt(answer[c]) <= sqrt(least[c]) + 1e-12 && sqrt(answer[c]) >= sqrt(least[c]) - 0.05);
    }
}

/* ---- cloth ---- */

enum { ACROSS = 5, ROWS = 4, STRIP_VERTICES = ROWS * (ACROSS + 1), STRIP_TRIANGLES = 2 * (ROWS - 1) * ACROSS };

/* A strip folded along a path of four points in the x–z plane whose first and last legs cross at x = 5/3, z = 0. Rows
 * are shifted along y, so that no two edges meet. */
static void make_folded_strip(double *x, int *triangles, const double shift[ROWS])
{
    static const double path[ROWS][2] = {{0, 0}, {3, 0}, {3, 2}, {1, -1}};
    for (int r = 0; r < ROWS; r++)
        for (int j = 0; j <= ACROSS; j++) {
            double *v = x + 3 * (r * (ACROSS + 1) + j);
            v[0] = path[r][0];
            v[1] = j + shift[r];
            v[2] = path[r][1];
        }
    for (int r = 0; r + 1 < ROWS; r++)
        for (int j = 0; j < ACROSS; j++) {
            int at = r * (ACROSS + 1) + j, up = at + ACROSS + 1;
            int corners[6] = {at, up, at + 1, at + 1, up, up + 1};
            memcpy(triangles + 6 * (r * ACROSS + j), corners, sizeof corners);
        }
}

TEST(a_folded_cloth_has_the_crossings_that_it_was_given)
{
    static const double shift[ROWS] = {0, 0.1, 0.2, 0.45}, part[2] = {5.0 / 9, 2.0 / 3};
    double x[3 * STRIP_VERTICES], y[2][2 * ACROSS + 1];
    int triangles[3 * STRIP_TRIANGLES], expected = 0;
    make_folded_strip(x, triangles, shift);
    /* On the line in which the legs cross, edges along the leg stand at j + shift, diagonals (from one further on) in
     * between; those that stand within the other leg cross it. */
    for (int leg = 0; leg < 2; leg++) {
        double from = shift[2 * leg], to = shift[2 * leg + 1];
        for (int j = 0; j <= ACROSS; j++)
            y[leg][2 * j] = j + from + part[leg] * (to - from);
        for (int j = 0; j < ACROSS; j++)
            y[leg][2 * j + 1] = j + 1 + from + part[leg] * (to - from - 1);
    }
    for (int leg = 0; leg < 2; leg++)
        for (int i = 0; i <= 2 * ACROSS; i++)
            expected += y[leg][i] > y[1 - leg][0] && y[leg][i] < y[1 - leg][2 * ACROSS];
    prc_check_result r = check(x, STRIP_VERTICES, triangles, STRIP_TRIANGLES, NULL);
    CHECK(expected == 20 && r.crossings == expected);
}

TEST(a_flat_cloth_is_clean_and_a_large_one_is_quick)
{
    prc_grid_def def = prc_grid_def_default();
    prc_mesh mesh;
    prc_error error;
    def.cells[0] = def.cells[1] = 224;
    def.pattern = PRC_GRID_REGULAR;
    CHECK(prc_mesh_grid(&mesh, &def, &error) == PRC_OK);
    CHECK(mesh.triangle_count > 100000);
    prc_check_result r = check(mesh.positions, mesh.vertex_count, mesh.triangles, mesh.triangle_count, NULL);
    CHECK(r.crossings == 0);
    CHECK(r.pairs < 100LL * mesh.triangle_count);
    CHECK_NEAR(r.nearest.distance, def.size[0] / 224 / sqrt(2), 1e-12);
    prc_mesh_release(&mesh);
}

TEST(crossings_are_the_same_for_any_number_of_threads)
{
    enum { COUNT = 30000 }; /* triangles of a soup: runs of edges for several threads, and a tree that they share */
    double *x = malloc(9 * COUNT * sizeof *x);
    int *triangles = malloc(3 * COUNT * sizeof *triangles);
    uint32_t state = 7;
    for (int i = 0; i < 3 * COUNT; i++) {
        triangles[i] = i;
        for (int c = 0; c < 3; c++) {
            state = state * 1664525u + 1013904223u;
            x[3 * i + c] = (i % 3 ? x[3 * (i - i % 3) + c] + 0.06 * state / 0x1p32 : 1.0 * state / 0x1p32);
        }
    }
    prc_check_result first = {0};
    for (int threads = 0; threads <= 3; threads++) {
        prc_check_options options = prc_check_options_default();
        prc_check_result r;
        prc_error error;
        options.skip_distances = true;
        options.most_listed = 100;
        options.threads = threads;
        CHECK(prc_check_surfaces(x, 3 * COUNT, triangles, COUNT, &options, &r, &error) == PRC_OK);
        if (threads == 0)
            first = r;
        CHECK(r.pairs == first.pairs && r.crossings == first.crossings && r.triangle_pairs == first.triangle_pairs);
        CHECK(r.crossings > 1000 && r.listed_count == 100);
        for (int k = 0; k < r.listed_count; k++)
            CHECK(!memcmp(r.listed[k].edge, first.listed[k].edge, sizeof r.listed[k].edge) &&
                  !memcmp(r.listed[k].triangle, first.listed[k].triangle, sizeof r.listed[k].triangle));
        if (threads > 0)
            prc_check_result_release(&r);
    }
    prc_check_result_release(&first);
    free(x);
    free(triangles);
}

TEST(obstacles_may_cross_each_other_but_not_the_cloth)
{
    double x[27] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, -1, 9, 9, 1, 1, 2, 5, 2, 1, 5, 2, 2, 6};
    static const int triangles[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    bool obstacle[9] = {true, true, true, true, true, true, false, false, false};
    CHECK(check(x, 9, triangles, 3, NULL).crossings == 2);
    prc_check_result r = check(x, 9, triangles, 3, obstacle);
    CHECK(r.crossings == 0 && r.nearest.distance > 3);
    obstacle[5] = false; /* edge 3 4 and triangle 0 1 2 still have no free vertex */
    CHECK(check(x, 9, triangles, 3, obstacle).crossings == 1);
}

TEST(crossings_are_listed_with_their_place)
{
    double x[18] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, -1, 9, 9, 1};
    static const int triangles[6] = {0, 1, 2, 3, 4, 5};
    prc_check_options options = prc_check_options_default();
    prc_check_result r;
    prc_error error;
    options.most_listed = 1;
    options.skip_distances = true;
    CHECK(prc_check_surfaces(x, 6, triangles, 2, &options, &r, &error) == PRC_OK);
    CHECK(r.crossings == 2 && r.listed_count == 1 && !r.nearest.found);
    CHECK(r.listed[0].edge[0] == 1 && r.listed[0].edge[1] == 2 && r.listed[0].triangle[0] == 3);
    CHECK_NEAR(r.listed[0].point[0], 2, 1e-15);
    CHECK_NEAR(r.listed[0].point[1], 2, 1e-15);
    prc_check_result_release(&r);
    CHECK(!r.listed && !r.crossings);
}

TEST(bad_input_is_refused_by_name)
{
    double x[9] = {0, 0, 0, 4, 0, 0, 0, 4, 0};
    int triangle[3] = {0, 1, 3};
    prc_check_options options = prc_check_options_default();
    prc_check_result r;
    prc_error error;
    CHECK(prc_check_surfaces(x, 3, triangle, 1, &options, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 0: found vertex 3");
    triangle[2] = 2;
    x[4] = NAN;
    CHECK(prc_check_surfaces(x, 3, triangle, 1, &options, &r, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 1");
    CHECK(prc_check_surfaces(x, 3, NULL, 1, &options, &r, NULL) == PRC_ERROR_INPUT);
}

static int allocations_left;

static void *allocate_some(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

TEST(failed_allocations_are_reported_and_leak_nothing)
{
    double x[18] = {0, 0, 0, 4, 0, 0, 0, 4, 0, 1, 1, 1, 1, 1, -1, 9, 9, 1};
    static const int triangles[6] = {0, 1, 2, 3, 4, 5};
    prc_check_options options = prc_check_options_default();
    prc_check_result r = {0};
    prc_error error;
    prc_result result = PRC_ERROR_MEMORY;
    int limit = 0;
    prc_set_allocator((prc_allocator){allocate_some, release, NULL});
    for (; limit < 100 && result == PRC_ERROR_MEMORY; limit++) {
        allocations_left = limit;
        result = prc_check_surfaces(x, 6, triangles, 2, &options, &r, &error);
    }
    long long crossings = r.crossings;
    prc_check_result_release(&r);
    prc_set_allocator((prc_allocator){NULL, NULL, NULL});
    CHECK(result == PRC_OK && limit > 10 && crossings == 2);
}

/* ---- meshes made by others ---- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

/* Counted by triangles: 496 pairs of the mannequin cross, and 429 more of the dress draped on it. By edges it is 499:
 * 491 pass through the inside of a triangle, and in two places two edges cross exactly, which is four pairs each. */
TEST(real_meshes_have_the_crossings_they_are_known_for)
{
    static const struct {
        const char *name;
        long long crossings, triangle_pairs;
    } files[] = {{"garments/mannequin.obj", 499, 496},
                 {"garments/dress_knife_drape.obj", 1027, 496 + 429},
                 {"garments/dress_knife_stage.obj", 0, 0},
                 {"table1/cloth_v2.obj", 0, 0}};
    if (access(data_path(files[0].name), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        prc_mesh mesh;
        prc_error error;
        CHECK(prc_mesh_read(&mesh, data_path(files[k].name), &error) == PRC_OK);
        prc_check_result r = check(mesh.positions, mesh.vertex_count, mesh.triangles, mesh.triangle_count, NULL);
        prc_mesh_release(&mesh);
        CHECK(r.crossings == files[k].crossings && r.triangle_pairs == files[k].triangle_pairs);
    }
}

TEST_MAIN()
