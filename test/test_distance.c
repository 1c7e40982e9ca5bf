/* test/test_distance.c — closest points against proofs, a search, and symmetry.
 *
 * The proof of a distance needs nothing of the code under test: weights in range give points of the two sides, so the
 * distance is at most |Σ w x|; a plane that keeps the sides apart by s shows that it is at least s. Both are formed
 * here in long double. SPDX-License-Identifier: Apache-2.0 */
#include "kernel/distance.h"

#include "harness.h"
#include "pairs.h"

typedef struct proof {
    double lower, upper; /* of the distance */
    double size;         /* largest distance from the last point */
    bool weights;        /* in range, and their sums right */
} proof;

static proof prove(const double x[4][3], const prc_closest *c, int side_a)
{
    proof p = {0, 0, pair_size(x), true};
    long double sum[2] = {0, 0}, v[3] = {0, 0, 0}, high = -HUGE_VALL, low = HUGE_VALL;
    for (int k = 0; k < 4; k++) {
        const double w = k < side_a ? c->w[k] : -c->w[k];
        p.weights = p.weights && w >= -4 * DBL_EPSILON && w <= 1 + 4 * DBL_EPSILON;
        sum[k >= side_a] += w;
        long double height = 0;
        for (int i = 0; i < 3; i++) {
            v[i] += (long double)c->w[k] * ((long double)x[k][i] - x[3][i]);
            height += (long double)c->r[i] * ((long double)x[k][i] - x[3][i]);
        }
        if (k < side_a)
            low = height < low ? height : low;
        else
            high = height > high ? height : high;
    }
    p.weights = p.weights && fabsl(sum[0] - 1) <= 4 * DBL_EPSILON && fabsl(sum[1] - 1) <= 4 * DBL_EPSILON;
    const long double length =
        sqrtl((long double)c->r[0] * c->r[0] + (long double)c->r[1] * c->r[1] + (long double)c->r[2] * c->r[2]);
    p.upper = (double)sqrtl(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    p.lower = length > 0 ? (double)((low - high) / length) : 0;
    return p;
}

static prc_closest closest(const double x[4][3], int side_a)
{
    return side_a == 1 ? prc_distance_point_triangle(x) : prc_distance_edge_edge(x);
}

/* Smallest distance by a golden-section search over the first parameter, which is convex, and the exact minimum over
 * the second; good to about 1e-9 of the size. */
static long double along(const double x[4][3], int side_a, long double s)
{
    long double q[3], e[3], qe = 0, ee = 0, d = 0;
    for (int i = 0; i < 3; i++) {
        const long double a = x[0][i], b = x[1][i], c = x[2][i], f = x[3][i];
        q[i] = side_a == 1 ? a - b - s * (c - b) : a + s * (b - a) - c;
        e[i] = side_a == 1 ? (1 - s) * (f - b) : f - c;
        qe += q[i] * e[i];
        ee += e[i] * e[i];
    }
    const long double t = ee > 0 ? fminl(1, fmaxl(0, qe / ee)) : 0;
    for (int i = 0; i < 3; i++)
        d += (q[i] - t * e[i]) * (q[i] - t * e[i]);
    return d;
}

static double searched(const double x[4][3], int side_a)
{
    const long double golden = 0.61803398874989484820L;
    long double from = 0, to = 1, s = 1 - golden, t = golden, ds = along(x, side_a, s), dt = along(x, side_a, t);
    for (int k = 0; k < 90; k++) {
        if (ds < dt) {
            to = t;
            t = s;
            dt = ds;
            s = to - golden * (to - from);
            ds = along(x, side_a, s);
        } else {
            from = s;
            s = t;
            ds = dt;
            t = from + golden * (to - from);
            dt = along(x, side_a, t);
        }
    }
    return (double)sqrtl(fminl(fminl(ds, dt), fminl(along(x, side_a, 0), along(x, side_a, 1))));
}

/* Runs `count` pairs of a family; the first that is not proved to rounding is printed. On slivers two edges may be
 * equally near within rounding, and the plane of the one cut a corner of the other: rare, and bounded. */
static bool proved(enum pair_family family, int side_a, double scale, int count)
{
    const bool ties = family == PAIR_SLIVER || family == PAIR_NEAR_SLIVER || family == PAIR_SHORT;
    uint64_t state = 1 + (uint64_t)family;
    int tied = 0;
    for (int n = 0; n < count; n++) {
        double x[4][3];
        pair_make(&state, family, side_a, scale, x);
        const prc_closest c = closest(POINTS(x), side_a);
        const proof p = prove(POINTS(x), &c, side_a);
        /* A distance that is rounding itself has no direction, so no plane either. */
        const double unit = DBL_EPSILON * p.size, miss = c.distance <= 8 * unit ? 0 : c.distance - p.lower;
        tied += miss > 8 * unit;
        if (!(p.weights && miss <= (ties ? 2e4 : 8) * unit && fabs(p.upper - c.distance) <= 48 * unit)) {
            printf("    family %d, sides %d, case %d: d %.17g in [%.17g, %.17g], size %g, weights %g %g %g %g\n",
                   (int)family, side_a, n, c.distance, p.lower, p.upper, p.size, c.w[0], c.w[1], c.w[2], c.w[3]);
            pair_print(POINTS(x));
            return false;
        }
    }
    return tied <= 4 + count / 2000;
}

TEST(every_distance_is_proved_by_points_and_a_plane)
{
    for (int family = 0; family < PAIR_FAMILIES; family++)
        for (int side_a = 1; side_a <= 2; side_a++)
            CHECK(proved((enum pair_family)family, side_a, 1, 40000));
}

TEST(every_distance_is_proved_at_tiny_and_huge_scales)
{
    for (int family = 0; family < PAIR_FAMILIES; family++)
        for (int side_a = 1; side_a <= 2; side_a++) {
            CHECK(proved((enum pair_family)family, side_a, 1e-100, 4000));
            CHECK(proved((enum pair_family)family, side_a, 1e-9, 4000));
            CHECK(proved((enum pair_family)family, side_a, 1e100, 4000));
        }
}

TEST(distances_equal_those_of_a_search)
{
    for (int family = 0; family < PAIR_FAMILIES; family++)
        for (int side_a = 1; side_a <= 2; side_a++) {
            uint64_t state = 77 + (uint64_t)family;
            for (int n = 0; n < 1000; n++) {
                double x[4][3];
                pair_make(&state, (enum pair_family)family, side_a, 1, x);
                CHECK_NEAR(closest(POINTS(x), side_a).distance, searched(POINTS(x), side_a),
                           3e-9 * pair_size(POINTS(x)));
            }
        }
}

TEST(weights_and_r_belong_together)
{
    uint64_t state = 9;
    for (int n = 0; n < 20000; n++)
        for (int side_a = 1; side_a <= 2; side_a++) {
            double x[4][3];
            pair_make(&state, (enum pair_family)(n % PAIR_FAMILIES), side_a, 1, x);
            const prc_closest c = closest(POINTS(x), side_a);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(c.w[0] * x[0][i] + c.w[1] * x[1][i] + c.w[2] * x[2][i] + c.w[3] * x[3][i], c.r[i], 2e-14);
            CHECK_NEAR(sqrt(c.r[0] * c.r[0] + c.r[1] * c.r[1] + c.r[2] * c.r[2]), c.distance, 1e-15 * c.distance);
        }
}

TEST(plain_cases_have_their_plain_answers)
{
    static const double above[4][3] = {{0.25, 0.25, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const prc_closest a = prc_distance_point_triangle(above);
    CHECK_NEAR(a.distance, 2, 1e-15);
    CHECK_NEAR(a.w[1], -0.5, 1e-15);
    CHECK_NEAR(a.r[2], 2, 1e-15);
    static const double corner[4][3] = {{-3, -4, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const prc_closest b = prc_distance_point_triangle(corner);
    CHECK(b.distance == 5 && b.w[1] == -1 && b.w[2] == 0 && b.w[3] == 0);
    static const double crossed[4][3] = {{-1, 0, 0.5}, {1, 0, 0.5}, {0, -1, 0}, {0, 3, 0}};
    const prc_closest c = prc_distance_edge_edge(crossed);
    CHECK_NEAR(c.distance, 0.5, 1e-15);
    CHECK_NEAR(c.w[0], 0.5, 1e-15);
    CHECK_NEAR(c.w[3], -0.25, 1e-15);
    CHECK_NEAR(c.r[2], 0.5, 1e-15);
    static const double parallel[4][3] = {{0, 0, 0}, {1, 0, 0}, {2, 1, 0}, {3, 1, 0}};
    CHECK_NEAR(prc_distance_edge_edge(parallel).distance, sqrt(2), 1e-15);
    static const double points[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 5}, {1, 2, 5}};
    CHECK(prc_distance_edge_edge(points).distance == 2 && prc_distance_point_triangle(points).distance == 0);
}

TEST(distances_do_not_depend_on_the_order_of_the_points)
{
    static const int orders[2][4][4] = {{{0, 2, 3, 1}, {0, 3, 1, 2}, {0, 2, 1, 3}, {0, 1, 3, 2}},
                                        {{1, 0, 2, 3}, {0, 1, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}}};
    uint64_t state = 3;
    for (int n = 0; n < 20000; n++)
        for (int side_a = 1; side_a <= 2; side_a++) {
            double x[4][3], y[4][3];
            pair_make(&state, (enum pair_family)(n % PAIR_FAMILIES), side_a, 1, x);
            const double distance = closest(POINTS(x), side_a).distance;
            for (int o = 0; o < 4; o++) {
                for (int k = 0; k < 4; k++)
                    memcpy(y[k], x[orders[side_a - 1][o][k]], sizeof y[k]);
                CHECK_NEAR(closest(POINTS(y), side_a).distance, distance, 64 * DBL_EPSILON * pair_size(POINTS(x)));
            }
        }
}

TEST(distances_do_not_depend_on_rotation_and_place)
{
    uint64_t state = 4;
    for (int n = 0; n < 20000; n++)
        for (int side_a = 1; side_a <= 2; side_a++) {
            double x[4][3], y[4][3];
            pair_make(&state, (enum pair_family)(n % PAIR_FAMILIES), side_a, 1, x);
            const double angle = 6 * pair_random(&state), c = cos(angle), s = sin(angle);
            for (int k = 0; k < 4; k++) {
                y[k][0] = 10 + c * x[k][2] - s * x[k][0];
                y[k][1] = -20 + s * x[k][2] + c * x[k][0];
                y[k][2] = 30 + x[k][1];
            }
            CHECK_NEAR(closest(POINTS(y), side_a).distance, closest(POINTS(x), side_a).distance,
                       200 * DBL_EPSILON * 30);
        }
}

TEST_MAIN()
