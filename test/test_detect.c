/* test/test_detect.c — the pairs that detection finds are those that trying all of them finds, in the same order.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "harness.h"
#include "kernel/distance.h"
#include "surfaces.h"

/* --- trying all pairs --- */

static bool admissible(const scene *s, const int v[4], int side_a)
{
    int meets = 0;
    for (int i = 0; i < 4; i++)
        meets |= prc_motion_meets(s->motion[v[i]]);
    for (int i = 0; i < side_a; i++)
        for (int k = side_a; k < 4; k++)
            if (v[i] == v[k])
                return false;
    return meets == PRC_MEETS_ALL;
}

static double pair_distance(const scene *s, const double *x, const int v[4], int side_a)
{
    double corners[4][3];
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            corners[i][c] = x[c * s->stride + v[i]];
    return side_a == 1 ? prc_distance_point_triangle((const double(*)[3])corners).distance
                       : prc_distance_edge_edge((const double(*)[3])corners).distance;
}

static bool closer(const scene *s, const int v[4], int side_a)
{
    double reach[2] = {0, 0};
    for (int i = 0; i < 4; i++)
        reach[i >= side_a] = fmax(reach[i >= side_a], s->radius[v[i]]);
    return admissible(s, v, side_a) && pair_distance(s, s->x, v, side_a) < reach[0] + reach[1];
}

/* Calls visit for every pair in the order of the lists. */
static void all_pairs(scene *s, void (*visit)(scene *, const int v[4], int side_a, void *), void *context)
{
    for (int i = 0; i < s->vertex_count; i++)
        for (int t = 0; t < s->triangle_count; t++) {
            const int *corner = s->triangle + 3 * t, v[4] = {i, corner[0], corner[1], corner[2]};
            visit(s, v, 1, context);
        }
    for (int i = 0; i < s->surface.edge_count; i++)
        for (int k = i + 1; k < s->surface.edge_count; k++) {
            const int *a = s->surface.edge[i], *b = s->surface.edge[k], v[4] = {a[0], a[1], b[0], b[1]};
            visit(s, v, 2, context);
        }
}

typedef struct comparison {
    int at[2];
    bool same;
} comparison;

static void compare_next(scene *s, const int v[4], int side_a, void *context)
{
    comparison *c = context;
    if (!closer(s, v, side_a))
        return;
    const prc_pairs *list = side_a == 1 ? &s->pairs.point_triangle : &s->pairs.edge_edge;
    const int at = c->at[side_a - 1]++;
    c->same = c->same && at < list->count && !memcmp(list->v[at], v, sizeof list->v[at]);
}

static bool equals_all_pairs(scene *s)
{
    comparison c = {{0, 0}, true};
    all_pairs(s, compare_next, &c);
    return c.same && c.at[0] == s->pairs.point_triangle.count && c.at[1] == s->pairs.edge_edge.count;
}

/* --- claims about prc_detect --- */

TEST(random_soups_give_all_pairs_and_no_other)
{
    const double flatness[] = {1, 1e-2, 1e-6, 0}, offset[] = {0, 1, 10, 100};
    int found[2] = {0, 0};
    seed = 1;
    for (int i = 0; i < 16; i++) {
        scene s;
        make_soup(&s, 90, i % 2 ? 0.3 : 0.05, flatness[i / 4], offset[i % 4]);
        random_radii(&s, i % 3 ? 0.08 : 0.01);
        for (int k = 0; k < s.vertex_count; k++)
            s.motion[k] = i % 2 ? PRC_MOTION_FREE : (unsigned char)(4 * uniform());
        CHECK(scene_start(&s) && detect(&s, 1));
        CHECK(equals_all_pairs(&s));
        found[0] += s.pairs.point_triangle.count;
        found[1] += s.pairs.edge_edge.count;
        scene_free(&s);
    }
    CHECK(found[0] > 1000 && found[1] > 1000);
}

TEST(sheets_and_folds_give_all_pairs_and_no_other)
{
    seed = 2;
    for (int i = 0; i < 12; i++) {
        scene s;
        make_sheets(&s, 9, 1 + i % 3, 0.01, 0.003, i % 2);
        shake(&s, s.x, i < 4 ? 0 : 1e-3);
        random_radii(&s, 0.004);
        for (int k = 0; i >= 8 && k < s.vertex_count / 2; k++)
            s.motion[k] = 0;
        CHECK(scene_start(&s) && detect(&s, 2));
        CHECK(s.pairs.point_triangle.count > 0 && equals_all_pairs(&s));
        scene_free(&s);
    }
}

static bool count_and_sum(void *context, const int v[4], int side_a)
{
    long *seen = context; /* how many of each kind, and a sum that tells which */
    const long sum = v[0] + 31L * v[1] + 977L * v[2] + 30011L * v[3];
#pragma omp atomic
    seen[side_a - 1]++;
#pragma omp atomic
    seen[2] += sum * sum;
    return true;
}

static bool count_to_ten(void *context, const int v[4], int side_a)
{
    (void)v;
    (void)side_a;
    return ++*(long *)context < 10;
}

TEST(whoever_has_seen_enough_pairs_is_shown_no_more)
{
    scene s;
    long seen = 0;
    prc_error error;
    seed = 5;
    make_soup(&s, 900, 0.3, 0.2, 0);
    random_radii(&s, 0.05);
    CHECK(scene_start(&s));
    CHECK(prc_detect_each(&s.detector, s.x, s.stride, s.radius, 1, count_to_ten, &seen, &error) == PRC_OK);
    CHECK(seen == 10 || seen == 11); /* 11: the one that ends points and triangles is followed by edges */
    scene_free(&s);
}

TEST(pairs_that_are_only_shown_are_those_of_the_lists)
{
    for (int threads = 1; threads <= 3; threads++) {
        scene s;
        seed = 5;
        make_soup(&s, 900, 0.3, 0.2, 0);
        random_radii(&s, 0.05);
        CHECK(scene_start(&s) && detect(&s, 1));
        long seen[3] = {0}, listed[3] = {0};
        prc_error error;
        CHECK(prc_detect_each(&s.detector, s.x, s.stride, s.radius, threads, count_and_sum, seen, &error) == PRC_OK);
        for (int k = 0; k < s.pairs.point_triangle.count; k++)
            count_and_sum(listed, s.pairs.point_triangle.v[k], 1);
        for (int k = 0; k < s.pairs.edge_edge.count; k++)
            count_and_sum(listed, s.pairs.edge_edge.v[k], 2);
        CHECK(listed[0] > 1000 && listed[1] > 1000 && !memcmp(seen, listed, sizeof seen));
        scene_free(&s);
    }
}

TEST(distances_that_equal_the_reach_are_left_out)
{
    scene s;
    make_sheets(&s, 6, 2, 0.5, 0.25, false);
    for (int i = 0; i < s.vertex_count; i++)
        s.radius[i] = 0.125;
    CHECK(scene_start(&s) && detect(&s, 1));
    CHECK(s.pairs.point_triangle.count == 0 && s.pairs.edge_edge.count == 0);
    s.radius[0] = 0.125 + 1e-15;
    CHECK(detect(&s, 1));
    CHECK(s.pairs.point_triangle.count > 0 && s.pairs.edge_edge.count > 0 && equals_all_pairs(&s));
    scene_free(&s);
}

TEST(few_pairs_need_double_precision)
{
    scene s;
    seed = 3;
    make_sheets(&s, 30, 2, 0.01, 0.003, true);
    shake(&s, s.x, 1e-3);
    random_radii(&s, 0.004);
    CHECK(scene_start(&s) && detect(&s, 1));
    CHECK(s.detector.candidates > 10000);
    CHECK(s.detector.exact * 50 < s.detector.candidates);
    scene_free(&s);
}

TEST(obstacles_alone_give_no_pairs)
{
    scene s;
    seed = 4;
    make_soup(&s, 100, 0.3, 1, 0);
    random_radii(&s, 0.1);
    memset(s.motion, 0, (size_t)s.vertex_count);
    CHECK(scene_start(&s) && detect(&s, 1));
    CHECK(s.pairs.point_triangle.count == 0 && s.pairs.edge_edge.count == 0);
    CHECK(s.detector.candidates == 0);
    scene_free(&s);
}

static bool same_pairs(const prc_pairs *a, const prc_pairs *b)
{
    return a->count == b->count && (a->count == 0 || !memcmp(a->v, b->v, sizeof *a->v * (size_t)a->count));
}

TEST(order_is_the_same_for_any_number_of_threads)
{
    scene s;
    seed = 5;
    make_sheets(&s, 40, 2, 0.01, 0.003, true);
    shake(&s, s.x, 1e-3);
    random_radii(&s, 0.004);
    CHECK(scene_start(&s) && detect(&s, 1));
    prc_pair_list alone = s.pairs;
    for (int threads = 2; threads <= 5; threads++) {
        s.pairs = (prc_pair_list){0};
        CHECK(detect(&s, threads));
        CHECK(same_pairs(&alone.point_triangle, &s.pairs.point_triangle));
        CHECK(same_pairs(&alone.edge_edge, &s.pairs.edge_edge));
        prc_pair_list_release(&s.pairs);
    }
    prc_pair_list_release(&alone);
    scene_free(&s);
}

TEST(large_motion_rebuilds_and_the_pairs_stay_right)
{
    scene s;
    seed = 6;
    make_soup(&s, 120, 0.1, 1, 0);
    random_radii(&s, 0.05);
    CHECK(scene_start(&s) && detect(&s, 1));
    CHECK(s.detector.triangle.builds == 1 && s.detector.edge.builds == 1);
    for (int t = 0; t < s.triangle_count; t++) /* neighbours part: each triangle goes its own way */
        for (int c = 0; c < 3; c++) {
            const double move = 3 * uniform() - 1.5;
            for (int k = 0; k < 3; k++)
                s.x[c * s.stride + 3 * t + k] += move;
        }
    CHECK(detect(&s, 2) && equals_all_pairs(&s));
    CHECK(s.detector.triangle.builds == 2 && s.detector.point.builds == 2 && s.detector.edge.builds == 2);
    for (int i = 0; i < s.vertex_count; i++) /* refitted only: the triangles themselves are now as large as all */
        set(&s, i, 0.5 * uniform(), 0.5 * uniform(), 0.5 * uniform());
    CHECK(detect(&s, 2) && equals_all_pairs(&s));
    CHECK(s.detector.triangle.builds == 2);
    scene_free(&s);
}

TEST(second_detection_allocates_nothing)
{
    scene s;
    seed = 7;
    make_sheets(&s, 30, 2, 0.01, 0.003, true);
    random_radii(&s, 0.004);
    CHECK(scene_start(&s) && detect(&s, 2));
    const size_t before = prc_alloc_count();
    for (int i = 0; i < 3; i++) {
        shake(&s, s.x, 1e-5);
        CHECK(detect(&s, 2));
    }
    CHECK(prc_alloc_count() == before);
    scene_free(&s);
}

TEST(degenerate_input_is_no_exception)
{
    scene s;
    make_sheets(&s, 5, 2, 0, 0, false); /* all in one point */
    CHECK(scene_start(&s) && detect(&s, 1));
    CHECK(s.pairs.point_triangle.count == 0); /* 0 < 0 does not hold */
    for (int i = 0; i < s.vertex_count; i++)
        s.radius[i] = 1e-9;
    CHECK(detect(&s, 2) && s.pairs.point_triangle.count > 1000 && equals_all_pairs(&s));
    scene_free(&s);

    make_sheets(&s, 1, 1, 1, 0, false);
    s.triangle_count = 0;
    CHECK(scene_start(&s) && detect(&s, 1) && s.pairs.point_triangle.count == 0 && s.pairs.edge_edge.count == 0);
    scene_free(&s);

    scene_make(&s, 0, 0);
    CHECK(scene_start(&s) && detect(&s, 1) && s.pairs.point_triangle.count == 0 && s.pairs.edge_edge.count == 0);
    scene_free(&s);
}

TEST(a_reach_that_overflows_single_precision_finds_all_pairs_and_nothing_that_is_not_there)
{
    scene s;
    make_sheets(&s, 5, 2, 0.1, 0.1, false);
    for (int i = 0; i < s.vertex_count; i++)
        s.radius[i] = 1e73;
    CHECK(scene_start(&s) && detect(&s, 2) && s.pairs.point_triangle.count > 1000 && equals_all_pairs(&s));
    scene_free(&s);
}

/* --- claims about prc_detect_swept --- */

static bool listed(const prc_pairs *list, const int v[4])
{
    for (int i = 0; i < list->count; i++)
        if (!memcmp(list->v[i], v, sizeof list->v[i]))
            return true;
    return false;
}

typedef struct sweep {
    double separation;
    int close, missed;
} sweep;

static void sample_way(scene *s, const int v[4], int side_a, void *context)
{
    sweep *w = context;
    double corners[4][3];
    if (!admissible(s, v, side_a))
        return;
    for (int step = 0; step <= 8; step++) {
        for (int i = 0; i < 4; i++)
            for (int c = 0; c < 3; c++)
                corners[i][c] = s->x[c * s->stride + v[i]] + step / 8.0 * s->p[c * s->stride + v[i]];
        const double d = side_a == 1 ? prc_distance_point_triangle((const double(*)[3])corners).distance
                                     : prc_distance_edge_edge((const double(*)[3])corners).distance;
        if (d <= w->separation) {
            w->close++;
            w->missed += !listed(side_a == 1 ? &s->pairs.point_triangle : &s->pairs.edge_edge, v);
            return;
        }
    }
}

TEST(swept_pairs_include_all_that_come_close_on_the_way)
{
    int close = 0;
    seed = 8;
    for (int i = 0; i < 4; i++) {
        scene s;
        prc_error error;
        sweep w = {i % 2 ? 0.05 : 0.005, 0, 0};
        make_soup(&s, 60, 0.2, i < 2 ? 1 : 0, i);
        shake(&s, s.p, 0.3);
        for (int k = 0; k < s.vertex_count; k++) {
            s.motion[k] = uniform() < 0.7;
            s.p[k] += 5;
        }
        CHECK(scene_start(&s));
        CHECK(!prc_detect_swept(&s.detector, s.x, s.p, s.stride, w.separation, 2, &s.pairs, &error));
        all_pairs(&s, sample_way, &w);
        CHECK(w.missed == 0);
        close += w.close;
        scene_free(&s);
    }
    CHECK(close > 100);
}

TEST(swept_pairs_include_a_crossing_between_the_ends)
{
    scene s;
    prc_error error;
    make_sheets(&s, 4, 2, 0.01, 0.005, false);
    for (int i = 0; i < s.vertex_count / 2; i++) /* the lower sheet passes through the upper one */
        s.p[2 * s.stride + i] = 0.1;
    CHECK(scene_start(&s));
    CHECK(!prc_detect_swept(&s.detector, s.x, s.p, s.stride, 0, 1, &s.pairs, &error));
    const int crossing[4] = {0, s.triangle[6 * 16], s.triangle[6 * 16 + 1], s.triangle[6 * 16 + 2]};
    CHECK(listed(&s.pairs.point_triangle, crossing));
    scene_free(&s);
}

TEST(motion_in_common_adds_no_swept_pairs)
{
    scene s;
    prc_error error;
    make_sheets(&s, 20, 2, 0.01, 0.005, false);
    CHECK(scene_start(&s));
    CHECK(!prc_detect_swept(&s.detector, s.x, s.p, s.stride, 1e-3, 1, &s.pairs, &error));
    const int points = s.pairs.point_triangle.count, edges = s.pairs.edge_edge.count;
    for (int i = 0; i < s.vertex_count / 2; i++) /* the two sheets move apart, each as a whole, fast and sideways */
        s.p[i] = 0.5;
    CHECK(!prc_detect_swept(&s.detector, s.x, s.p, s.stride, 1e-3, 1, &s.pairs, &error));
    CHECK(s.pairs.point_triangle.count == points && s.pairs.edge_edge.count == edges);
    scene_free(&s);
}

/* --- claims about surfaces and failures --- */

TEST(edges_are_unique_and_sorted)
{
    const int triangles[] = {2, 1, 0, 3, 1, 2}, segments[] = {4, 0, 1, 2};
    const int expected[][2] = {{0, 1}, {0, 2}, {0, 4}, {1, 2}, {1, 3}, {2, 3}};
    const unsigned char motion[5] = {1, 1, 1, 1, 0};
    prc_surface surface;
    prc_error error;
    CHECK(!prc_surface_build(&surface, 5, triangles, 2, segments, 2, motion, &error));
    CHECK(surface.edge_count == 6 && !memcmp(surface.edge, expected, sizeof expected));
    CHECK(surface.triangle_count == 2 && !surface.motion[4]);
    prc_surface_release(&surface);
}

TEST(wrong_indices_are_named)
{
    const int outside[] = {0, 1, 2, 0, 1, 3}, twice[] = {0, 1, 1};
    const unsigned char motion[3] = {1, 1, 1};
    prc_surface surface;
    prc_error error;
    CHECK(prc_surface_build(&surface, 3, outside, 2, NULL, 0, motion, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 1: vertex 3 does not exist");
    CHECK(prc_surface_build(&surface, 3, twice, 1, NULL, 0, motion, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 0: vertex 1 is used twice");
    CHECK(prc_surface_build(&surface, 3, outside, 1, twice + 1, 1, motion, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "segment 0");
    CHECK(surface.triangle == NULL && surface.edge == NULL);
}

static int allocations_left;

static void *failing_allocate(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void failing_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

TEST(failed_allocations_are_reported_at_every_place)
{
    const prc_allocator failing = {failing_allocate, failing_release, NULL}, standard = {NULL, NULL, NULL};
    prc_result result = PRC_ERROR_MEMORY;
    int tries = 0;
    for (; result && tries < 1000; tries++) {
        scene s;
        prc_error error;
        make_sheets(&s, 12, 2, 0.01, 0.003, true);
        random_radii(&s, 0.004);
        allocations_left = tries;
        prc_set_allocator(failing);
        result = prc_surface_build(&s.surface, s.vertex_count, s.triangle, s.triangle_count, NULL, 0, s.motion, &error);
        if (!result)
            result = prc_detector_create(&s.detector, &s.surface, &error);
        if (!result)
            result = prc_detect(&s.detector, s.x, s.stride, s.radius, 2, &s.pairs, &error);
        CHECK(!result || result == PRC_ERROR_MEMORY);
        CHECK(!result || strstr(error.message, "memory"));
        scene_free(&s);
        prc_set_allocator(standard);
    }
    CHECK(tries > 20 && tries < 1000);
}

TEST_MAIN()
