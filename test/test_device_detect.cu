/* test/test_device_detect.cu — pairs found on a device are those that the CPU finds, entry for entry. Compiled for the
 * device on the host, and for a GPU where there is nvcc. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the headers of the CPU's detection include */

#include "backend/cuda/detect.h"

#include "harness.h"
#include "kernel/hilbert.h"
#include "one_device.h"
#include "surfaces.h"

/* A scene on a device. */
struct twin {
    prc_device *d;
    prc_device_detector detector;
    prc_device_pairs pairs;
    prc_buffer<double> x, p, radius;
};

static bool twin_start(twin *t, prc_device *d, const scene *s)
{
    prc_error error;
    *t = twin();
    t->d = d;
    const size_t n = (size_t)s->stride;
    return prc_device_detector_create(d, &t->detector, &s->surface, &error) == PRC_OK && prc_reserve(d, &t->x, 3 * n) &&
           prc_reserve(d, &t->p, 3 * n) && prc_reserve(d, &t->radius, n);
}

static void twin_free(twin *t)
{
    prc_device_detector_release(t->d, &t->detector);
    prc_device_pairs_release(t->d, &t->pairs);
    prc_release(t->d, &t->x);
    prc_release(t->d, &t->p);
    prc_release(t->d, &t->radius);
}

static void upload(twin *t, const scene *s)
{
    const size_t n = (size_t)s->stride;
    prc_copy_in(t->d, t->x.data, s->x, 3 * n * sizeof(double));
    prc_copy_in(t->d, t->p.data, s->p, 3 * n * sizeof(double));
    prc_copy_in(t->d, t->radius.data, s->radius, n * sizeof(double));
}

static bool same_list(prc_device *d, const prc_buffer<prc_device_pair> &list, int count, const prc_pairs *expected)
{
    if (count != expected->count)
        return false;
    if (count == 0)
        return true;
    const size_t bytes = sizeof(prc_device_pair) * (size_t)count;
    void *got = malloc(bytes);
    prc_copy_out(d, got, list.data, bytes);
    const bool same = memcmp(got, expected->v, bytes) == 0;
    free(got);
    return same;
}

static bool same_pairs(twin *t, const prc_pair_list *expected)
{
    return same_list(t->d, t->pairs.point_triangle, t->pairs.point_triangle_count, &expected->point_triangle) &&
           same_list(t->d, t->pairs.edge_edge, t->pairs.edge_edge_count, &expected->edge_edge);
}

/* Both detect, and find the same. */
static bool agrees(twin *t, scene *s)
{
    prc_error error;
    upload(t, s);
    if (prc_device_detect(t->d, &t->detector, t->x.data, s->stride, t->radius.data, &t->pairs, &error)) {
        printf("    %s\n", error.message);
        return false;
    }
    return detect(s, 1) && same_pairs(t, &s->pairs);
}

static bool agrees_swept(twin *t, scene *s, double separation)
{
    prc_error error;
    upload(t, s);
    return !prc_device_detect_swept(t->d, &t->detector, t->x.data, t->p.data, s->stride, separation, &t->pairs,
                                    &error) &&
           !prc_detect_swept(&s->detector, s->x, s->p, s->stride, separation, 1, &s->pairs, &error) &&
           same_pairs(t, &s->pairs);
}

TEST(neighbours_on_the_curve_are_neighbours_in_space)
{
    int at[512][3];
    for (int cell = 0; cell < 512; cell++) {
        const uint64_t place = prc_hilbert_place((uint32_t)cell & 7, (uint32_t)cell >> 3 & 7, (uint32_t)cell >> 6, 3);
        CHECK(place < 512);
        at[place][0] = cell & 7;
        at[place][1] = cell >> 3 & 7;
        at[place][2] = cell >> 6;
    }
    for (int k = 1; k < 512; k++)
        CHECK(abs(at[k][0] - at[k - 1][0]) + abs(at[k][1] - at[k - 1][1]) + abs(at[k][2] - at[k - 1][2]) == 1);
}

TEST(random_soups_give_the_pairs_of_the_cpu)
{
    DEVICE(d);
    const double flatness[] = {1, 1e-2, 1e-6, 0}, offset[] = {0, 1, 10, 100};
    int found[2] = {0, 0};
    seed = 1;
    for (int i = 0; i < 16; i++) {
        scene s;
        twin t;
        make_soup(&s, 60 + 20 * i, i % 2 ? 0.3 : 0.05, flatness[i / 4], offset[i % 4]);
        random_radii(&s, i % 3 ? 0.08 : 0.01);
        for (int k = 0; k < s.vertex_count; k++)
            s.motion[k] = i % 2 ? (unsigned char)PRC_MOTION_FREE : (unsigned char)(4 * uniform());
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        CHECK(agrees(&t, &s));
        found[0] += s.pairs.point_triangle.count;
        found[1] += s.pairs.edge_edge.count;
        twin_free(&t);
        scene_free(&s);
    }
    CHECK(found[0] > 1000 && found[1] > 1000);
    prc_device_destroy(d);
}

TEST(sheets_folds_and_obstacles_give_the_pairs_of_the_cpu)
{
    DEVICE(d);
    seed = 2;
    for (int i = 0; i < 12; i++) {
        scene s;
        twin t;
        make_sheets(&s, i == 11 ? 60 : 9 + i, 1 + i % 3, 0.01, 0.003, i % 2);
        shake(&s, s.x, i < 4 ? 0 : 1e-3);
        random_radii(&s, 0.004);
        for (int k = 0; i >= 8 && k < s.vertex_count / 2; k++)
            s.motion[k] = 0;
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        CHECK(agrees(&t, &s) && s.pairs.point_triangle.count > 0);
        twin_free(&t);
        scene_free(&s);
    }
    prc_device_destroy(d);
}

TEST(huge_and_tiny_sizes_give_the_pairs_of_the_cpu)
{
    DEVICE(d);
    const double scale[] = {1e-30, 1e-22, 1e-17, 1e-9, 1e6, 1e12, 1e30}, offset[] = {0, 1e3, 1e6};
    seed = 3;
    for (int i = 0; i < 21; i++) {
        scene s;
        twin t;
        make_soup(&s, 80, 0.2, 1, 0);
        random_radii(&s, 0.08);
        for (int k = 0; k < 3 * s.stride; k++)
            s.x[k] = scale[i % 7] * (offset[i / 7] + s.x[k]);
        for (int k = 0; k < s.vertex_count; k++)
            s.radius[k] *= scale[i % 7];
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        CHECK(agrees(&t, &s) && s.pairs.point_triangle.count > 50);
        twin_free(&t);
        scene_free(&s);
    }
    prc_device_destroy(d);
}

TEST(crowds_find_room_and_lose_nothing)
{
    DEVICE(d);
    scene s;
    twin t;
    make_sheets(&s, 8, 2, 0, 0, false); /* all in one point: every query has far more pairs than a column holds */
    for (int i = 0; i < s.vertex_count; i++)
        s.radius[i] = 1e-9;
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    const int rows = t.detector.rows;
    const size_t room = t.detector.crowd.capacity;
    CHECK(agrees(&t, &s) && (size_t)s.pairs.edge_edge.count > 2 * room);
    CHECK(t.detector.crowd.capacity > room && t.detector.rows > rows);
    for (int i = 0; i < 3; i++)
        CHECK(agrees(&t, &s)); /* with longer columns */
    twin_free(&t);
    scene_free(&s);

    /* A few large triangles among many small ones: some queries are crowded, most are not. */
    seed = 4;
    make_soup(&s, 400, 0.02, 1, 0);
    for (int i = 0; i < 12; i++)
        set(&s, i, 2 * uniform() - 0.5, 2 * uniform() - 0.5, 2 * uniform() - 0.5);
    random_radii(&s, 0.05);
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    CHECK(agrees(&t, &s) && s.pairs.point_triangle.count > 100);
    twin_free(&t);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST(a_reach_that_overflows_single_precision_finds_all_pairs)
{
    DEVICE(d);
    scene s;
    twin t;
    make_sheets(&s, 5, 2, 0.1, 0.1, false);
    for (int i = 0; i < s.vertex_count; i++)
        s.radius[i] = 1e73;
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    CHECK(agrees(&t, &s) && s.pairs.point_triangle.count > 1000);
    twin_free(&t);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST(surfaces_without_free_vertices_or_without_any_give_no_pairs)
{
    DEVICE(d);
    scene s;
    twin t;
    seed = 5;
    make_soup(&s, 100, 0.3, 1, 0);
    random_radii(&s, 0.1);
    memset(s.motion, 0, (size_t)s.vertex_count);
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    CHECK(agrees(&t, &s) && agrees_swept(&t, &s, 0.1) && prc_device_detector_candidates(d, &t.detector) == 0);
    twin_free(&t);
    scene_free(&s);

    make_sheets(&s, 1, 1, 1, 0, false);
    s.triangle_count = 0;
    CHECK(scene_start(&s) && twin_start(&t, d, &s) && agrees(&t, &s) && agrees_swept(&t, &s, 1));
    twin_free(&t);
    scene_free(&s);

    scene_make(&s, 0, 0);
    CHECK(scene_start(&s) && twin_start(&t, d, &s) && agrees(&t, &s) && agrees_swept(&t, &s, 1));
    twin_free(&t);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST(a_detection_waits_once_and_allocates_nothing_after_the_first)
{
    DEVICE(d);
    scene s;
    twin t;
    seed = 6;
    make_sheets(&s, 30, 2, 0.01, 0.003, true);
    random_radii(&s, 0.004);
    CHECK(scene_start(&s) && twin_start(&t, d, &s) && agrees(&t, &s) && agrees_swept(&t, &s, 0.002));
    const prc_device_counts before = prc_device_count(d);
    for (int i = 0; i < 3; i++) {
        prc_error error;
        const prc_device_counts start = prc_device_count(d);
        CHECK(!prc_device_detect(d, &t.detector, t.x.data, s.stride, t.radius.data, &t.pairs, &error));
        const prc_device_counts end = prc_device_count(d);
        CHECK(end.waits - start.waits == 1 && end.copies_out - start.copies_out == 1);
        CHECK(end.launches - start.launches <= 8);
        shake(&s, s.x, 1e-5);
        CHECK(agrees(&t, &s));
    }
    CHECK(prc_device_count(d).memory == before.memory);
    twin_free(&t);
    const size_t left = prc_device_count(d).memory; /* of the device itself: what sums and sorts work with */
    CHECK(left < before.memory && twin_start(&t, d, &s));
    twin_free(&t);
    CHECK(prc_device_count(d).memory == left);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST(large_motion_builds_anew_and_the_pairs_stay_right)
{
    DEVICE(d);
    scene s;
    twin t;
    seed = 7;
    make_soup(&s, 300, 0.1, 1, 0);
    random_radii(&s, 0.05);
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    for (int i = 0; i < 20; i++)
        CHECK(agrees(&t, &s));
    CHECK(t.detector.trees.builds == 1);
    for (int k = 0; k < s.triangle_count; k++) /* neighbours part: each triangle goes its own way */
        for (int c = 0; c < 3; c++) {
            const double move = 3 * uniform() - 1.5;
            for (int i = 0; i < 3; i++)
                s.x[c * s.stride + 3 * k + i] += move;
        }
    for (int i = 0; i < 20; i++)
        CHECK(agrees(&t, &s));
    CHECK(t.detector.trees.builds == 2);
    twin_free(&t);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST(swept_pairs_are_those_of_the_cpu)
{
    DEVICE(d);
    int found = 0;
    seed = 8;
    for (int i = 0; i < 16; i++) {
        scene s;
        twin t;
        if (i % 2)
            make_soup(&s, 100, 0.2, i % 4 < 2 ? 1 : 0, i < 8 ? i : 1e7);
        else
            make_sheets(&s, 12, 2, 0.01, 0.005, i % 4 < 2);
        shake(&s, s.p, i % 2 ? 0.3 : i % 3 ? 0.03 : 0.003);
        for (int k = 0; k < s.vertex_count; k++) {
            s.motion[k] = uniform() < 0.7 ? (unsigned char)PRC_MOTION_FREE : (unsigned char)(4 * uniform());
            s.p[k] += i < 12 ? 5 : 1e4;
        }
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        CHECK(agrees_swept(&t, &s, i % 5 ? 0.01 : 0) && agrees(&t, &s) && agrees_swept(&t, &s, 0.002));
        found += s.pairs.point_triangle.count;
        twin_free(&t);
        scene_free(&s);
    }
    CHECK(found > 1000);
    prc_device_destroy(d);
}

/* Keeps pairs whose first vertex is even. */
struct keep_even {
    int wanted;
    PRC_DEVICE bool operator()(const prc_detect_view &j, const int *v, int side_a, bool doubtful) const
    {
        if (doubtful && !prc_detect_exactly(j, v, side_a))
            return false;
        return v[0] % 2 == 0 && (wanted == 0 || side_a == wanted);
    }
};

static int keep_some(prc_pairs *list, keep_even keep, int side_a)
{
    int kept = 0;
    for (int k = 0; k < list->count; k++)
        if (list->v[k][0] % 2 == 0 && (keep.wanted == 0 || side_a == keep.wanted))
            memmove(list->v[kept++], list->v[k], sizeof list->v[k]);
    list->count = kept;
    return kept;
}

TEST(pairs_that_are_not_wanted_are_not_written)
{
    DEVICE(d);
    seed = 9;
    for (int crowded = 0; crowded < 2; crowded++) {
        scene s;
        twin t;
        prc_error error;
        make_sheets(&s, 12, 2, crowded ? 0 : 0.01, 0.003, false);
        for (int i = 0; i < s.vertex_count; i++)
            s.radius[i] = 0.004;
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        for (int wanted = 0; wanted < 3; wanted++) {
            const keep_even keep = {wanted};
            upload(&t, &s);
            CHECK(!prc_device_detect_each(d, &t.detector, t.x.data, NULL, s.stride, t.radius.data, 0, keep, &t.pairs,
                                          &error));
            CHECK(detect(&s, 1));
            CHECK(keep_some(&s.pairs.point_triangle, keep, 1) + keep_some(&s.pairs.edge_edge, keep, 2) > 0);
            CHECK(same_pairs(&t, &s.pairs));
        }
        twin_free(&t);
        scene_free(&s);
    }
    prc_device_destroy(d);
}

/* The least distance of a pair at so many times of its way, which is p or nothing, m. */
static double least_distance(const scene *s, const double *p, const int *v, int side_a, int times)
{
    double least = INFINITY;
    for (int step = 0; step < times; step++) {
        double x[4][3];
        for (int k = 0; k < 4; k++)
            for (int c = 0; c < 3; c++) {
                const size_t at = (size_t)c * (size_t)s->stride + (size_t)v[k];
                x[k][c] = s->x[at] + (p ? p[at] * step / (times - 1) : 0);
            }
        least = fmin(least, prc_distance_pair(side_a, (const double(*)[3])x).distance);
    }
    return least;
}

/* By how much closer a pair of one body has to come, m. */
static double less_by_rest(const prc_quad4 *rest, const int *body, const int *v, int side_a)
{
    double x[4][3];
    for (int k = 0; k < 4; k++) {
        x[k][0] = rest[v[k]].x;
        x[k][1] = rest[v[k]].y;
        x[k][2] = rest[v[k]].z;
    }
    const double distance = prc_distance_pair(side_a, (const double(*)[3])x).distance;
    return body[v[0]] == body[v[3]] ? fmax(0, 2.0 * rest[v[0]].w - distance) : 0;
}

/* Whether a list of the device is one of the CPU's less pairs that stay apart; counts those. p: of a sweep, else NULL.
 */
static bool leaves_out_some(twin *t, const scene *s, const double *p, double separation, const prc_quad4 *rest,
                            const int *body, int side_a, int *left_out)
{
    const prc_buffer<prc_device_pair> &list = side_a == 1 ? t->pairs.point_triangle : t->pairs.edge_edge;
    const prc_pairs *all = side_a == 1 ? &s->pairs.point_triangle : &s->pairs.edge_edge;
    const int count = side_a == 1 ? t->pairs.point_triangle_count : t->pairs.edge_edge_count;
    prc_device_pair *got = (prc_device_pair *)calloc((size_t)count + 1, sizeof *got);
    bool good = true;
    int at = 0;
    if (count > 0)
        prc_copy_out(t->d, got, list.data, (size_t)count * sizeof *got);
    for (int k = 0; k < all->count; k++) {
        const int *v = all->v[k];
        if (at < count && memcmp(got[at].v, v, sizeof got[at].v) == 0) {
            at++;
            continue;
        }
        double radius[4];
        for (int i = 0; i < 4; i++)
            radius[i] = s->radius[v[i]];
        const double reach = p ? separation : prc_near_reach(radius, side_a);
        good = good && least_distance(s, p, v, side_a, p ? 33 : 1) > reach - less_by_rest(rest, body, v, side_a);
        ++*left_out;
    }
    good = good && at == count;
    free(got);
    return good;
}

TEST(pairs_that_rest_or_a_plane_keeps_apart_are_left_out_where_that_is_asked_for_and_no_others)
{
    DEVICE(d);
    int left_out = 0, found = 0;
    seed = 12;
    for (int i = 0; i < 12; i++) {
        scene s;
        twin t;
        prc_error error;
        if (i % 2)
            make_soup(&s, 100, 0.2, i % 4 < 2 ? 1 : 0, i < 8 ? i : 1e5);
        else
            make_sheets(&s, 12, 2, 0.01, 0.005, i % 4 < 2);
        shake(&s, s.p, i % 3 ? 0.03 : 0.003);
        CHECK(scene_start(&s) && twin_start(&t, d, &s));
        const size_t n = (size_t)s.vertex_count;
        prc_quad4 *rest = (prc_quad4 *)calloc(n, sizeof *rest);
        int *body = (int *)calloc(n, sizeof *body);
        for (size_t k = 0; k < n; k++) {
            rest[k] = {(float)(0.8 * s.x[k] + 0.01 * uniform()), (float)(0.8 * s.x[(size_t)s.stride + k]),
                       (float)(0.8 * s.x[2 * (size_t)s.stride + k]), i % 3 ? 0.02f : 0.002f};
            body[k] = (int)(2 * k / n);
        }
        prc_buffer<prc_quad4> device_rest = {NULL, 0};
        prc_buffer<int> device_body = {NULL, 0};
        CHECK(prc_reserve(d, &device_rest, n) && prc_reserve(d, &device_body, n));
        prc_copy_in(d, device_rest.data, rest, n * sizeof *rest);
        prc_copy_in(d, device_body.data, body, n * sizeof *body);
        t.detector.rest.at = device_rest.data;
        t.detector.rest.body = device_body.data;
        upload(&t, &s);
        for (int swept = 0; swept < 2; swept++) {
            const double *p = swept ? s.p : NULL, separation = 0.02;
            CHECK(!(swept ? prc_device_detect_swept(d, &t.detector, t.x.data, t.p.data, s.stride, separation, &t.pairs,
                                                    &error)
                          : prc_device_detect(d, &t.detector, t.x.data, s.stride, t.radius.data, &t.pairs, &error)));
            CHECK(swept ? !prc_detect_swept(&s.detector, s.x, s.p, s.stride, separation, 1, &s.pairs, &error)
                        : detect(&s, 1));
            CHECK(leaves_out_some(&t, &s, p, separation, rest, body, 1, &left_out));
            CHECK(leaves_out_some(&t, &s, p, separation, rest, body, 2, &left_out));
            found += t.pairs.point_triangle_count + t.pairs.edge_edge_count;
        }
        prc_release(d, &device_rest);
        prc_release(d, &device_body);
        free(rest);
        free(body);
        twin_free(&t);
        scene_free(&s);
    }
    CHECK(left_out > 1000 && found > 1000);
    prc_device_destroy(d);
}

TEST(a_device_that_is_full_is_reported)
{
    DEVICE(d);
    scene s;
    twin t;
    prc_error error;
    seed = 10;
    make_sheets(&s, 8, 1, 0.01, 0, false);
    random_radii(&s, 0.02);
    CHECK(scene_start(&s) && twin_start(&t, d, &s));
    upload(&t, &s);
    t.detector.rows = 64;
    prc_device_fail(d, PRC_ERROR_MEMORY, "the device is full");
    CHECK(prc_device_detect(d, &t.detector, t.x.data, s.stride, t.radius.data, &t.pairs, &error) == PRC_ERROR_MEMORY);
    CHECK_TEXT(error.message, "the device is full");
    CHECK(t.pairs.point_triangle_count == 0);
    twin_free(&t);
    scene_free(&s);
    prc_device_destroy(d);
}

TEST_MAIN()
