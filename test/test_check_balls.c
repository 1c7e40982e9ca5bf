/* test/test_check_balls.c — the checker of balls, held against every pair, and against what has been moved too near on
 * purpose. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "check/balls.h"
#include "check/distance.h"
#include "limited_memory.h"

#include <percale/percale.h>
#include <stdint.h>

enum { MANY = 400, SHAPES = 150 };

static uint64_t sequence = 11;
static double positions[3 * MANY], radii[MANY], thickness[MANY];
static bool obstacle[MANY];
static int shapes[3 * SHAPES];
static prc_error error;

/* In [0, 1). */
static double next_real(void)
{
    sequence = sequence * 6364136223846793005u + 1442695040888963407u;
    return (double)(sequence >> 11) * 0x1p-53;
}

static int below(int count)
{
    return (int)(next_real() * count);
}

/* The first half are balls of any size, the others corners of triangles, edges and points; a quarter are obstacles'. */
static void scatter(double side)
{
    for (int i = 0; i < MANY; i++) {
        for (int c = 0; c < 3; c++)
            positions[3 * i + c] = side * (next_real() - 0.5);
        radii[i] = i < MANY / 2 ? 0.01 + 0.05 * next_real() * next_real() : 0;
        thickness[i] = i < MANY / 2 ? 0 : i % 3 ? 0.02 : 0.004;
        obstacle[i] = i % 4 == 0;
    }
    for (int s = 0; s < SHAPES; s++) {
        const int a = MANY / 2 + below(MANY / 2), b = MANY / 2 + below(MANY / 2), c = MANY / 2 + below(MANY / 2);
        shapes[3 * s] = a;
        shapes[3 * s + 1] = s % 5 == 0 ? a : b;
        shapes[3 * s + 2] = s % 5 == 0 ? a : s % 5 == 1 ? b : c;
        for (int k = 1; k < 3; k++) /* not across the whole room */
            for (int i = 0; i < 3; i++)
                positions[3 * shapes[3 * s + k] + i] =
                    positions[3 * a + i] + 0.3 * (positions[3 * shapes[3 * s + k] + i] - positions[3 * a + i]);
    }
}

static prc_check_balls_options all_of_them(void)
{
    prc_check_balls_options how = prc_check_balls_options_default();
    how.most_listed = 1000000;
    how.thickness = thickness;
    return how;
}

typedef struct count {
    long long balls, shapes;
    double deepest, gap;
} count;

static void add(count *n, long long *kind, double distance, double both)
{
    const double depth = 0.8 * both - distance;
    *kind += depth > 0;
    n->deepest = fmax(n->deepest, depth);
    n->gap = depth > 0 ? n->gap : fmin(n->gap, distance - both);
}

/* Every ball against everything. */
static count by_force(const bool *left_out)
{
    count n = {.gap = INFINITY};
    double on_a[3], on_b[3];
    for (int i = 0; i < MANY; i++)
        for (int j = i + 1; j < MANY && radii[i] > 0; j++) {
            if (!(radii[j] > 0) || (left_out && left_out[i] && left_out[j]))
                continue;
            const double *x = positions + 3 * i, *y = positions + 3 * j;
            add(&n, &n.balls, hypot(hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]), radii[i] + radii[j]);
        }
    for (int i = 0; i < MANY; i++)
        for (int s = 0; s < SHAPES && radii[i] > 0; s++) {
            const int *v = shapes + 3 * s;
            if (left_out && left_out[i] && left_out[v[0]] && left_out[v[1]] && left_out[v[2]])
                continue;
            const double squared = prc_check_distance_point_triangle(
                positions + 3 * i, positions + 3 * v[0], positions + 3 * v[1], positions + 3 * v[2], on_a, on_b);
            add(&n, &n.shapes, sqrt(squared), radii[i] + thickness[v[0]] / 2);
        }
    return n;
}

TEST(balls_that_overlap_are_those_that_every_pair_shows)
{
    int seen = 0, clean = 0;
    for (int round = 0; round < 40; round++) {
        scatter(0.5 + 0.1 * round * round / 4);
        prc_check_balls_options how = all_of_them();
        how.obstacle = round % 2 ? obstacle : NULL;
        const count expected = by_force(how.obstacle);
        prc_check_balls_result found;
        CHECK(prc_check_balls(positions, radii, MANY, shapes, SHAPES, NULL, 0, &how, &found, &error) == PRC_OK);
        long long kinds[2] = {0, 0};
        for (int k = 0; k < found.listed_count; k++) {
            kinds[found.listed[k].with == PRC_CHECK_SHAPE]++;
            CHECK(!k || found.listed[k].depth <= found.listed[k - 1].depth);
        }
        CHECK(found.balls == MANY / 2 && found.overlaps == found.listed_count);
        CHECK(kinds[0] == expected.balls && kinds[1] == expected.shapes);
        CHECK(!found.listed_count || fabs(found.listed[0].depth - expected.deepest) < 1e-15);
        CHECK(found.nearest_found == isfinite(expected.gap));
        CHECK_NEAR(found.nearest.distance - found.nearest.thickness, expected.gap, 1e-14);
        seen += found.listed_count;
        clean += !found.listed_count;
        prc_check_balls_result_release(&found);
    }
    CHECK(seen > 500 && clean > 0); /* of both there were enough */
}

TEST(threads_and_left_out_distances_change_nothing)
{
    enum { BALLS = 9000 };
    double *x = calloc(3 * BALLS, sizeof *x), *r = calloc(BALLS, sizeof *r);
    CHECK(x && r);
    for (int i = 0; i < BALLS; i++) {
        for (int c = 0; c < 3; c++)
            x[3 * i + c] = next_real();
        r[i] = 0.02;
    }
    prc_check_balls_options how = prc_check_balls_options_default();
    prc_check_balls_result found[3];
    how.most_listed = 1000000;
    for (int k = 0; k < 3; k++) {
        how.threads = k ? 4 : 1;
        how.skip_distances = k == 2;
        CHECK(prc_check_balls(x, r, BALLS, NULL, 0, NULL, 0, &how, &found[k], &error) == PRC_OK);
        CHECK(found[k].overlaps > 1000 && found[k].overlaps == found[0].overlaps);
        CHECK(!memcmp(found[k].listed, found[0].listed, (size_t)found[0].listed_count * sizeof *found[0].listed));
        CHECK(found[k].nearest_found == (k < 2));
    }
    CHECK(found[1].pairs == found[0].pairs && !memcmp(&found[1].nearest, &found[0].nearest, sizeof found[0].nearest));
    for (int k = 0; k < 3; k++)
        prc_check_balls_result_release(&found[k]);
    free(x);
    free(r);
}

/* ---- moved on purpose ---- */

static prc_check_collider upright(prc_shape_kind kind)
{
    return (prc_check_collider){.kind = kind, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

/* One ball of 10 mm at (x, 0, 0); what is found of it. */
static prc_check_overlap one(double x, const int *shape, double rounding, const prc_check_collider *s, int colliders,
                             int *overlaps)
{
    /* A ball, the ball that is tried, the corners of a triangle, across x. */
    const double points[15] = {0, 0, 0, x, 0, 0, 0, -1, -1, 0, 1, -1, 0, 0, 1};
    const double r[5] = {shape || s ? 0 : 0.015, 0.01, 0, 0, 0}, t[5] = {0, 0, 0.004, 0.004, 0.004};
    prc_check_balls_options how = prc_check_balls_options_default();
    prc_check_balls_result found;
    how.thickness = t;
    how.rounding = rounding;
    *overlaps = -1;
    if (prc_check_balls(points, r, 5, shape, shape ? 1 : 0, s, colliders, &how, &found, &error))
        return (prc_check_overlap){0};
    *overlaps = (int)found.overlaps;
    const prc_check_overlap first = found.listed_count ? found.listed[0] : found.nearest;
    prc_check_balls_result_release(&found);
    return first;
}

TEST(a_nanometre_too_near_is_found_and_one_farther_is_not)
{
    static const int triangle[3] = {2, 3, 4}, edge[3] = {0, 4, 4}, point[3] = {0, 0, 0};
    const int *const given[4] = {NULL, triangle, edge, point};
    for (int k = 0; k < 4; k++) {
        const double both = k == 0 ? 0.025 : k == 1 ? 0.012 : 0.01;
        int overlaps;
        prc_check_overlap o = one(0.8 * both + 1e-9, given[k], 0, NULL, 0, &overlaps);
        CHECK(overlaps == 0 && o.ball == (k ? 1 : 0));
        CHECK_NEAR(o.distance, 0.8 * both + 1e-9, 1e-17);
        o = one(0.8 * both - 1e-9, given[k], 0, NULL, 0, &overlaps);
        CHECK(overlaps == 1 && o.with == (k ? PRC_CHECK_SHAPE : PRC_CHECK_BALL));
        CHECK_NEAR(o.depth, 1e-9, 1e-17);
        CHECK_NEAR(o.thickness, both, 1e-17);
        one(0.8 * both - 1e-9, given[k], 0x1p-24, NULL, 0, &overlaps); /* as a float it may have been farther */
        CHECK(overlaps == 0);
        one(0.8 * both - 1e-7, given[k], 0x1p-24, NULL, 0, &overlaps);
        CHECK(overlaps == 1);
    }
}

TEST(a_ball_keeps_off_every_kind_of_collider)
{
    prc_mesh ball;
    CHECK(prc_mesh_sphere(&ball, 0.3, 3, &error) == PRC_OK);
    for (int kind = PRC_SHAPE_PLANE; kind <= PRC_SHAPE_MESH; kind++) {
        prc_check_collider s = upright((prc_shape_kind)kind);
        s.radius = s.radius_top = 0.3;
        s.half_length = 0.5;
        s.half_size[0] = s.half_size[1] = s.half_size[2] = 0.3;
        s.mesh_positions = ball.positions;
        s.mesh_vertex_count = ball.vertex_count;
        s.mesh_triangles = ball.triangles;
        s.mesh_triangle_count = ball.triangle_count;
        s.shift[0] = kind == PRC_SHAPE_PLANE ? 0 : -0.3;
        if (kind == PRC_SHAPE_PLANE) { /* turned to face along x */
            const double turn[3][3] = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
            memcpy(s.turn, turn, sizeof turn);
        }
        int overlaps;
        double at = 0.008;            /* 0.8 radii */
        if (kind == PRC_SHAPE_MESH) { /* which may have a face there */
            prc_check_overlap o = one(0.02, NULL, 0, &s, 1, &overlaps);
            CHECK(overlaps == 0 && o.with == PRC_CHECK_COLLIDER);
            at += 0.02 - o.distance;
        }
        one(at + 1e-6, NULL, 0, &s, 1, &overlaps);
        CHECK(overlaps == 0);
        prc_check_overlap o = one(at - 1e-6, NULL, 0, &s, 1, &overlaps);
        CHECK(overlaps == 1 && o.with == PRC_CHECK_COLLIDER && o.ball == 1 && o.other == 0);
        CHECK_NEAR(o.depth, 1e-6, kind == PRC_SHAPE_MESH ? 2e-7 : 1e-15);
        CHECK_NEAR(o.distance, 0.008 - 1e-6, kind == PRC_SHAPE_MESH ? 2e-7 : 1e-15);
        o = one(-0.1, NULL, 0, &s, 1, &overlaps); /* inside, deeper than a ball is large */
        CHECK(overlaps == 1);
        CHECK(o.distance < -0.07 && o.distance > -0.101 && o.depth > 0.078);
    }
    prc_mesh_release(&ball);
}

TEST(what_makes_no_sense_is_refused)
{
    double x[6] = {0, 0, 0, 1, 0, 0}, r[2] = {0.1, 0.1}, t[2] = {0, 0};
    int shape[3] = {0, 1, 2};
    prc_check_balls_options how = prc_check_balls_options_default();
    prc_check_balls_result found;
    how.thickness = t;
    CHECK(prc_check_balls(x, r, 2, shape, 1, NULL, 0, &how, &found, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 0: found vertex 2; vertices run from 0 to 1");
    r[1] = NAN;
    CHECK(prc_check_balls(x, r, 2, NULL, 0, NULL, 0, &how, &found, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 1: found the radius nan; expected a finite length");
    r[1] = 0.1;
    t[0] = -1;
    CHECK(prc_check_balls(x, r, 2, NULL, 0, NULL, 0, &how, &found, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 0: found the thickness -1; expected a finite length");
    t[0] = 0;
    x[4] = INFINITY;
    CHECK(prc_check_balls(x, r, 2, NULL, 0, NULL, 0, &how, &found, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 1: found the coordinate inf");
    CHECK(prc_check_balls(NULL, NULL, 2, NULL, 0, NULL, 0, &how, &found, &error) == PRC_ERROR_INPUT);
    CHECK(prc_check_balls(NULL, NULL, 0, NULL, 0, NULL, 0, &how, &found, &error) == PRC_OK);
    CHECK(found.balls == 0 && found.overlaps == 0 && !found.nearest_found);
    prc_check_balls_result_release(&found);
}

TEST(memory_that_runs_out_is_an_error_and_leaves_nothing)
{
    scatter(0.5);
    prc_check_balls_options how = all_of_them();
    prc_check_balls_result found;
    prc_result result = PRC_ERROR_MEMORY;
    int failures = 0;
    for (int limit = 0; result != PRC_OK && limit < 200; limit++) {
        allocations_left = limit;
        prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
        result = prc_check_balls(positions, radii, MANY, shapes, SHAPES, NULL, 0, &how, &found, &error);
        if (result == PRC_OK)
            prc_check_balls_result_release(&found);
        prc_set_allocator((prc_allocator){0});
        CHECK(result == PRC_OK || (result == PRC_ERROR_MEMORY && !found.listed && !found.overlaps));
        failures += result != PRC_OK;
    }
    CHECK(result == PRC_OK && failures > 10);
}

TEST_MAIN()
