/* test/test_colliders.c — colliders as distances: every shape against points sampled from its surface, gradients
 * against differences, bounds against random pairs; poses; fields of meshes against analytic colliders, their files and
 * refusals. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "revolve.h"

#include "collider/collider.h"
#include "collider/sdf.h"
#include "contact/contact.h"
#include "io/sdf_file.h"

#include <percale/percale.h>

#include <float.h>
#include <stdlib.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- shapes --- */

/* Askew in every way. `variant` 1: a truncated cone that is wider at the top. */
static prc_collider make_collider(prc_shape_kind shape, int variant)
{
    prc_collider_def def = prc_collider_def_default();
    def.shape = shape;
    def.center[0] = 0.3;
    def.center[1] = -0.2;
    def.center[2] = 0.1;
    def.axis[0] = 1;
    def.axis[1] = 2;
    def.axis[2] = -0.5;
    def.radius = 0.4;
    def.radius_top = variant == 1 ? 0.6 : variant == 2 ? 0.25 : 0;
    def.length = 0.9;
    def.size[0] = 0.5;
    def.size[1] = 0.9;
    def.size[2] = 1.3;
    def.rotate.axis[2] = 0.7;
    def.rotate.degrees = 35;
    return prc_collider_at(&def, NULL, 0, 0);
}

/* Point of the surface in the collider's own frame: u and v from 0 to 1, on one of 3 parts (6 of a box). */
static void surface_point(const prc_shape *s, int part, double u, double v, double q[3])
{
    const double sign = part == 0 ? -1 : 1, top = s->kind == PRC_SHAPE_CONE ? s->radius_top : s->radius;
    double y = sign * s->half_length, r = (part == 0 ? s->radius : top) * v;
    if (s->kind == PRC_SHAPE_BOX) {
        const int c = part / 2, d = (c + 1) % 3, e = (c + 2) % 3;
        q[c] = (part % 2 ? 1 : -1) * s->half_size[c];
        q[d] = (2 * u - 1) * s->half_size[d];
        q[e] = (2 * v - 1) * s->half_size[e];
        return;
    }
    if (s->kind == PRC_SHAPE_PLANE) {
        y = 0;
        r = 4 * v;
    } else if (s->kind == PRC_SHAPE_SPHERE) {
        y = s->radius * cos(PI * v);
        r = s->radius * sin(PI * v);
    } else if (part == 1) {
        y = (2 * v - 1) * s->half_length;
        r = s->radius + v * (top - s->radius);
    } else if (s->kind == PRC_SHAPE_CAPSULE) {
        y = sign * (s->half_length + s->radius * cos(PI / 2 * v));
        r = s->radius * sin(PI / 2 * v);
    }
    q[0] = r * cos(2 * PI * u);
    q[1] = y;
    q[2] = r * sin(2 * PI * u);
}

static double sampled_distance(const prc_collider *s, const double x[3])
{
    const int n = 160, parts = s->shape.kind == PRC_SHAPE_BOX ? 6 : 3;
    double least = INFINITY;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i <= n; i++)
            for (int k = 0; k <= n; k++) {
                double q[3], p[3];
                surface_point(&s->shape, part, (double)i / n, (double)k / n, q);
                prc_pose_apply(&s->now, q, p);
                const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
                least = fmin(least, dot(d, d));
            }
    return sqrt(least);
}

/* Runs over every shape, and the cone in three forms. */
static bool next_collider(int *k, prc_collider *s)
{
    if (*k > PRC_SHAPE_CONE + 2)
        return false;
    *s = *k <= PRC_SHAPE_CONE ? make_collider((prc_shape_kind)*k, 0)
                              : make_collider(PRC_SHAPE_CONE, *k - PRC_SHAPE_CONE);
    ++*k;
    return true;
}

TEST(collider_distances_are_those_of_sampled_surfaces)
{
    unsigned seed = 11;
    prc_collider s;
    for (int shape = 0; next_collider(&shape, &s);) {
        int inside = 0;
        for (int k = 0; k < 30; k++) {
            double x[3], n[3];
            for (int c = 0; c < 3; c++)
                x[c] = s.now.shift[c] + (k < 14 ? 0.2 : 1) * noise(&seed);
            const double measured = prc_collider_distance(&s, x, n), sampled = sampled_distance(&s, x);
            CHECK(fabs(measured) <= sampled + 1e-12);
            /* samples are within 0.03 of each other (plane: its rings), which shows less the farther away */
            CHECK_NEAR(fabs(measured), sampled, fmin(0.03, 0.03 * 0.03 / (fabs(measured) + 1e-9)) + 1e-9);
            inside += measured < 0;
        }
        CHECK(inside >= 4);
    }
}

TEST(collider_distances_are_negative_inside_only)
{
    prc_collider s;
    for (int shape = 0; next_collider(&shape, &s);)
        for (int part = 0; part < 3; part++)
            for (int k = 0; k < 60; k++) {
                double q[3], x[3], n[3], m[3];
                if (s.shape.kind == PRC_SHAPE_CONE && s.shape.radius_top == 0 && part == 2)
                    continue; /* a tip, not a face */
                surface_point(&s.shape, part, 0.1 + 0.013 * k, 0.9 - 0.013 * k, q);
                prc_pose_apply(&s.now, q, x);
                CHECK_NEAR(prc_collider_distance(&s, x, n), 0, 1e-12);
                for (int c = 0; c < 3; c++)
                    x[c] += 1e-3 * n[c];
                CHECK_NEAR(prc_collider_distance(&s, x, m), 1e-3, 1e-12);
                for (int c = 0; c < 3; c++)
                    x[c] -= 2e-3 * n[c];
                CHECK(prc_collider_distance(&s, x, m) < -0.9e-3);
            }
}

TEST(collider_normals_are_unit_gradients)
{
    unsigned seed = 5;
    prc_collider s;
    for (int shape = 0; next_collider(&shape, &s);)
        for (int k = 0; k < 200; k++) {
            double x[3], n[3], m[3];
            for (int c = 0; c < 3; c++)
                x[c] = s.now.shift[c] + noise(&seed);
            prc_collider_distance(&s, x, n);
            CHECK_NEAR(dot(n, n), 1, 1e-12);
            for (int c = 0; c < 3; c++) {
                const double at = x[c], e = 1e-7;
                x[c] = at + e;
                const double more = prc_collider_distance(&s, x, m);
                x[c] = at - e;
                CHECK_NEAR((more - prc_collider_distance(&s, x, m)) / (2 * e), n[c], 1e-5);
                x[c] = at;
            }
        }
}

TEST(collider_distances_are_1_lipschitz_and_convex)
{
    unsigned seed = 3;
    prc_collider s;
    for (int shape = 0; next_collider(&shape, &s);)
        for (int k = 0; k < 5000; k++) {
            double x[3], y[3], d[3], n[3], m[3];
            for (int c = 0; c < 3; c++) {
                x[c] = s.now.shift[c] + 1.2 * noise(&seed);
                y[c] = x[c] + (k % 2 ? 1 : 0.02) * noise(&seed);
                d[c] = y[c] - x[c];
            }
            const double at_x = prc_collider_distance(&s, x, n), at_y = prc_collider_distance(&s, y, m);
            CHECK(fabs(at_x - at_y) <= sqrt(dot(d, d)) + 1e-12);
            CHECK(at_y >= at_x + dot(n, d) - 1e-12);
        }
}

TEST(a_point_on_the_axis_or_in_the_middle_has_a_distance_and_a_unit_normal)
{
    prc_collider s;
    for (int shape = 0; next_collider(&shape, &s);)
        for (double y = -1; y <= 1; y += 0.125) {
            double x[3], n[3];
            prc_pose_apply(&s.now, (const double[3]){0, y, 0}, x);
            CHECK(isfinite(prc_collider_distance(&s, x, n)));
            CHECK_NEAR(dot(n, n), 1, 1e-12);
        }
}

/* --- motion --- */

TEST(colliders_move_between_from_and_until_only)
{
    prc_collider_def def = prc_collider_def_default();
    def.motion.velocity[0] = 2;
    def.motion.from = 1;
    def.motion.until = 1.5;
    prc_collider s = prc_collider_at(&def, NULL, 0, 0.3);
    CHECK(s.friction == 0.3);
    prc_collider_aim(&s, &def, 0.5);
    CHECK(s.move[0] == 0 && s.to.shift[0] == 0);
    prc_collider_aim(&s, &def, 1.1);
    CHECK_NEAR(s.move[0], 0.2, 1e-12);
    CHECK_NEAR(prc_collider_pose(&s, 0.5).shift[0], 0.1, 1e-12);
    CHECK_NEAR(prc_collider_lag(&s, 0.75), 0.05, 1e-12);
    s.now = prc_collider_pose(&s, 0.5); /* held up half way: the rest is made up for */
    prc_collider_aim(&s, &def, 3);
    CHECK_NEAR(s.move[0], 0.9, 1e-12);
    CHECK_NEAR(prc_collider_pose(&s, 1).shift[0], 1, 1e-12);
    def.friction = 0.1;
    CHECK(prc_collider_at(&def, NULL, 1, 0.3).friction == 0.1);
}

TEST(a_turning_collider_ends_exactly_in_the_pose_aimed_at)
{
    unsigned seed = 9;
    for (int k = 0; k < 200; k++) {
        prc_collider_def def = prc_collider_def_default();
        def.shape = PRC_SHAPE_BOX;
        def.rotate.degrees = 180 * noise(&seed);
        for (int c = 0; c < 3; c++) {
            def.motion.axis[c] = noise(&seed);
            def.motion.center[c] = noise(&seed);
            def.motion.velocity[c] = noise(&seed);
        }
        def.motion.degrees_per_second = k == 0 ? 180 : k == 1 ? 1e-7 : 179.9 * noise(&seed);
        prc_collider s = prc_collider_at(&def, NULL, 0, 0);
        const prc_collider there = prc_collider_at(&def, NULL, 1, 0);
        prc_collider_aim(&s, &def, 1);
        CHECK_NEAR(sqrt(dot(s.spin, s.spin)), fabs(def.motion.degrees_per_second) * PI / 180, 1e-12);
        CHECK(memcmp(&s.to, &there.now, sizeof s.to) == 0);
        const prc_pose end = prc_collider_pose(&s, 1), near = prc_collider_pose(&s, 1 - 1e-15);
        CHECK(memcmp(&end, &there.now, sizeof end) == 0);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(near.turn[i / 3][i % 3], end.turn[i / 3][i % 3], 1e-13);
    }
}

TEST(a_point_sees_a_moving_collider_no_faster_than_its_bound)
{
    unsigned seed = 21;
    for (int k = 0; k < 4000; k++) {
        prc_collider_def def = prc_collider_def_default();
        def.shape = (prc_shape_kind)(k % (PRC_SHAPE_CONE + 1));
        def.radius_top = 0.2;
        double x[3], n[3];
        for (int c = 0; c < 3; c++) {
            def.axis[c] = noise(&seed);
            def.motion.axis[c] = k % 7 == 0 ? def.axis[c] : noise(&seed);
            def.motion.velocity[c] = (k / 7 % 3) * noise(&seed);
            x[c] = 2 * noise(&seed);
        }
        def.motion.degrees_per_second = 170 * noise(&seed);
        prc_collider s = prc_collider_at(&def, NULL, 0, 0);
        prc_collider_aim(&s, &def, 1);
        const double share = 0.45 * (1 + noise(&seed)), ahead = (1 - share) * 0.5 * (1 + noise(&seed));
        const prc_pose a = prc_collider_pose(&s, share), b = prc_collider_pose(&s, share + ahead);
        const double change = prc_collider_distance_in(&s, &b, x, n) - prc_collider_distance_in(&s, &a, x, n);
        CHECK(fabs(change) <= ahead * prc_collider_speed(&s, &a, x, ahead, 0) + 1e-12);
    }
}

TEST(turning_about_an_axis_of_symmetry_takes_no_room)
{
    prc_collider_def def = prc_collider_def_default();
    const prc_shape_kind round[] = {PRC_SHAPE_PLANE, PRC_SHAPE_SPHERE, PRC_SHAPE_CAPSULE, PRC_SHAPE_CYLINDER,
                                    PRC_SHAPE_CONE};
    def.motion.degrees_per_second = 100;
    for (int k = 0; k < 5; k++) {
        def.shape = round[k];
        prc_collider s = prc_collider_at(&def, NULL, 0, 0);
        prc_collider_aim(&s, &def, 1);
        CHECK(prc_collider_speed(&s, &s.now, (const double[3]){0.3, 1, 2}, 1, 0.1) < 1e-12);
    }
    def.shape = PRC_SHAPE_BOX;
    prc_collider s = prc_collider_at(&def, NULL, 0, 0);
    prc_collider_aim(&s, &def, 1);
    CHECK(prc_collider_speed(&s, &s.now, (const double[3]){0.3, 1, 2}, 1, 0) > 3);
}

TEST(the_displacement_of_a_touched_point_is_that_of_the_collider_there)
{
    prc_collider_def def = prc_collider_def_default();
    def.motion.degrees_per_second = 90;
    def.motion.velocity[1] = 0.5;
    prc_collider s = prc_collider_at(&def, NULL, 0, 0);
    prc_collider_aim(&s, &def, 1);
    s.now = prc_collider_pose(&s, 1);
    double d[3]; /* (0, 0, −0.5) was (0.5, −0.5, 0) a quarter turn ago … moved up by 0.5 since */
    prc_collider_displacement(&s, (const double[3]){0, 0, -0.5}, d);
    CHECK_NEAR(d[0], -0.5, 1e-12);
    CHECK_NEAR(d[1], 0.5, 1e-12);
    CHECK_NEAR(d[2], -0.5, 1e-12);
}

/* --- fields --- */

TEST(the_field_of_a_sphere_mesh_is_that_of_a_sphere_within_a_cell)
{
    prc_mesh mesh;
    CHECK(prc_mesh_sphere(&mesh, 0.5, 4, NULL) == PRC_OK);
    prc_sdf *f = prc_sdf_build(&mesh, 40, 0, 1, NULL);
    prc_mesh_release(&mesh);
    CHECK(f);
    unsigned seed = 1;
    double worst = 0;
    int inside = 0;
    for (int k = 0; k < 20000; k++) {
        const double x[3] = {0.7 * noise(&seed), 0.7 * noise(&seed), 0.7 * noise(&seed)};
        const double exact = sqrt(dot(x, x)) - 0.5, measured = prc_sdf_distance(f, x, NULL);
        inside += measured < 0;
        if (fabs(exact) < 0.9 * f->band)
            worst = fmax(worst, fabs(measured - exact));
        else
            CHECK(measured * exact > 0 && fabs(measured) > 0.8 * f->band);
        CHECK((measured < 0) == (exact < 0) || fabs(exact) < 0.1 * f->cell);
    }
    printf("    worst %.3g cells, L = %.4f\n", worst / f->cell, f->lipschitz);
    CHECK(worst < 0.15 * f->cell);
    CHECK(inside > 2000);
    CHECK(f->lipschitz < 1.1);
    prc_sdf_destroy(f);
}

TEST(a_field_grows_by_no_more_than_its_bound_and_its_gradient_is_the_difference)
{
    prc_mesh mesh = make_bowl(40);
    prc_sdf *f = prc_sdf_build(&mesh, 30, 0, 1, NULL);
    free_revolved(&mesh);
    CHECK(f);
    unsigned seed = 2;
    double steepest = 0;
    for (int k = 0; k < 100000; k++) {
        double x[3], y[3], g[3], square = 0;
        for (int c = 0; c < 3; c++) {
            x[c] = 0.9 * noise(&seed);
            y[c] = x[c] + (k % 2 ? 0.5 : 0.01) * noise(&seed);
            square += (y[c] - x[c]) * (y[c] - x[c]);
        }
        const double at_x = prc_sdf_distance(f, x, g), at_y = prc_sdf_distance(f, y, NULL);
        if (at_x > 0 && at_y > 0)
            steepest = fmax(steepest, fabs(at_x - at_y) / sqrt(square));
        if (at_x > 0) /* the ball of that size holds no point of the collider */
            CHECK(at_y >= at_x - f->lipschitz * sqrt(square) - 1e-12);
        for (int c = 0; c < 3; c++) {
            double z[3] = {x[0], x[1], x[2]};
            const double e = 1e-6;
            z[c] = x[c] + e;
            const double more = prc_sdf_distance(f, z, NULL);
            z[c] = x[c] - e;
            const double slope = (more - prc_sdf_distance(f, z, NULL)) / (2 * e);
            const double in_cell = fmod(fabs((x[c] - f->origin[c]) / f->cell), 1);
            if (in_cell > 1e-3 && in_cell < 1 - 1e-3 && fabs(x[0]) < 0.5 && fabs(x[1]) < 0.4 && fabs(x[2]) < 0.5)
                CHECK_NEAR(slope, g[c], 1e-6);
        }
    }
    printf("    steepest %.4f of at most %.4f\n", steepest, f->lipschitz);
    CHECK(steepest <= f->lipschitz && f->lipschitz < 1.5);
    prc_sdf_destroy(f);
}

/* Distance to the exact bowl. */
static double bowl_distance(const double x[3])
{
    const double r = hypot(x[0], x[2]), angle = atan2(r, -x[1]), from = hypot(r, x[1]);
    const bool below = angle < PI / 2;
    if (below)
        return fabs(from - 0.45) < 0.05 ? fmax(fabs(from - 0.45) - 0.05, x[1]) : fabs(from - 0.45) - 0.05;
    return hypot(x[1], fmax(0, fabs(r - 0.45) - 0.05));
}

TEST(a_hollow_collider_has_a_hollow_field)
{
    prc_mesh mesh = make_bowl(96);
    prc_sdf *f = prc_sdf_build(&mesh, 64, 0, 2, NULL);
    free_revolved(&mesh);
    CHECK(f);
    unsigned seed = 4;
    int inside = 0;
    for (int k = 0; k < 40000; k++) {
        double x[3] = {0.7 * noise(&seed), 0.7 * noise(&seed), 0.7 * noise(&seed)}, n[3];
        const double exact = bowl_distance(x), measured = prc_sdf_distance(f, x, NULL);
        if (hypot(x[0], x[2]) < 0.05)
            continue;           /* the pole is cut off */
        if (measured > f->band) /* outside of the grid: a lower bound */
            CHECK(measured <= exact + f->cell);
        else
            CHECK_NEAR(measured, fmin(exact, f->band), f->cell);
        inside += measured < 0;
        prc_sdf_normal(f, x, n);
        CHECK_NEAR(dot(n, n), 1, 1e-12);
    }
    CHECK(inside > 1000);
    CHECK(prc_sdf_distance(f, (const double[3]){0, -0.05, 0}, NULL) >= f->band * 0.999);
    prc_sdf_destroy(f);
}

TEST(a_field_has_the_same_bits_for_any_number_of_threads)
{
    prc_mesh mesh = make_bowl(24);
    prc_sdf *one = prc_sdf_build(&mesh, 24, 0, 1, NULL), *three = prc_sdf_build(&mesh, 24, 0, 3, NULL);
    free_revolved(&mesh);
    CHECK(one && three);
    CHECK(memcmp(one->value, three->value, sizeof(float) * prc_sdf_node_count(one)) == 0);
    prc_sdf_destroy(one);
    prc_sdf_destroy(three);
}

/* A cube [0, 1]³ whose faces, edges and corners lie exactly on nodes of its grid: every line along x is degenerate. */
TEST(signs_are_right_where_lines_run_through_edges_and_faces)
{
    double positions[24];
    for (int i = 0; i < 24; i++)
        positions[i] = i / 3 >> i % 3 & 1;
    int triangles[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                         2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const prc_mesh cube = {.vertex_count = 8, .triangle_count = 12, .positions = positions, .triangles = triangles};
    prc_error error;
    prc_sdf *f = prc_sdf_build(&cube, 8, 0, 1, &error);
    CHECK(f);
    for (int i = -3; i <= 11; i++)
        for (int j = -3; j <= 11; j++)
            for (int k = -3; k <= 11; k++) {
                const double x[3] = {i / 8.0, j / 8.0, k / 8.0}, d = prc_sdf_distance(f, x, NULL);
                const bool in = i > 0 && i < 8 && j > 0 && j < 8 && k > 0 && k < 8;
                const bool out = i < 0 || i > 8 || j < 0 || j > 8 || k < 0 || k > 8;
                CHECK(in ? d < -0.1 : out ? d > 0.1 : fabs(d) < 1e-12);
            }
    prc_sdf_destroy(f);
    /* two cubes that overlap are one collider: the second half a side along x */
    double two[48];
    int more[72];
    for (int i = 0; i < 48; i++)
        two[i] = positions[i % 24] + (i >= 24 && i % 3 == 0 ? 0.53 : 0);
    for (int k = 0; k < 72; k++)
        more[k] = triangles[k % 36] + (k < 36 ? 0 : 8);
    const prc_mesh both = {.vertex_count = 16, .triangle_count = 24, .positions = two, .triangles = more};
    f = prc_sdf_build(&both, 30, 0, 1, &error);
    CHECK(f);
    for (double x = 0.07; x < 1.5; x += 0.11)
        CHECK(prc_sdf_distance(f, (const double[3]){x, 0.41, 0.63}, NULL) < -0.02 || fabs(x - 0.53) < 0.03 ||
              fabs(x - 1) < 0.03);
    CHECK(prc_sdf_distance(f, (const double[3]){1.6, 0.4, 0.6}, NULL) > 0.05);
    prc_sdf_destroy(f);
}

/* --- ways --- */

#define XI 2e-3

/* A random collider that moves and turns far in one step; every second one is the bowl. */
static prc_collider random_collider(unsigned *seed, const prc_sdf *bowl, int k)
{
    prc_collider_def def = prc_collider_def_default();
    def.shape = k % 2 ? PRC_SHAPE_MESH : (prc_shape_kind)(k / 2 % (PRC_SHAPE_CONE + 1));
    for (int c = 0; c < 3; c++) {
        def.axis[c] = noise(seed);
        def.size[c] = 0.1 + 0.4 * (1 + noise(seed));
        def.motion.axis[c] = noise(seed);
        def.motion.velocity[c] = noise(seed);
        def.motion.center[c] = 0.3 * noise(seed);
    }
    def.radius = 0.3;
    def.radius_top = k % 3 ? 0 : 0.5;
    def.motion.degrees_per_second = 170 * noise(seed);
    prc_collider s = prc_collider_at(&def, k % 2 ? bowl : NULL, 0, 0);
    prc_collider_aim(&s, &def, 1);
    return s;
}

/* Least distance on the way of a point, or of the collider past it, by dense samples. */
static double least_on_way(const prc_collider *s, const double from[3], const double to[3], double first, double last)
{
    const int n = 400;
    double least = INFINITY;
    for (int k = 0; k <= n; k++) {
        const double t = (double)k / n;
        const prc_pose pose = prc_collider_pose(s, first + t * (last - first));
        const double x[3] = {from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1]),
                             from[2] + t * (to[2] - from[2])};
        least = fmin(least, prc_collider_distance_in(s, &pose, x, NULL));
    }
    return least;
}

TEST(no_way_that_was_found_free_leads_through_a_collider)
{
    prc_mesh mesh = make_bowl(32);
    prc_sdf *bowl = prc_sdf_build(&mesh, 32, 0, 1, NULL);
    free_revolved(&mesh);
    unsigned seed = 77;
    int whole = 0, part = 0, none = 0, tried = 0;
    for (int k = 0; k < 4000; k++) {
        const prc_collider s = random_collider(&seed, bowl, k);
        double from[3], to[3];
        for (int c = 0; c < 3; c++) {
            from[c] = s.now.shift[c] + 0.8 * noise(&seed);
            to[c] = s.now.shift[c] + 0.8 * noise(&seed);
        }
        if (prc_collider_distance(&s, from, NULL) <= XI)
            continue;
        const double t = prc_collider_time(&s, from, to, XI);
        for (int c = 0; c < 3; c++)
            to[c] = from[c] + t * (to[c] - from[c]);
        CHECK(least_on_way(&s, from, to, 0, 0) >= XI);
        whole += t >= 1;
        part += t > 0 && t < 1;
        none += t == 0;
        tried++;
    }
    printf("    %d ways: %d free, %d in part\n", tried, whole, part);
    CHECK(whole > tried / 5 && part > tried / 5 && none < tried / 100);
    prc_sdf_destroy(bowl);
}

TEST(no_collider_goes_through_a_point_however_it_turns)
{
    prc_mesh mesh = make_bowl(32);
    prc_sdf *bowl = prc_sdf_build(&mesh, 32, 0, 1, NULL);
    free_revolved(&mesh);
    unsigned seed = 78;
    int whole = 0, tried = 0;
    for (int k = 0; k < 3000; k++) {
        prc_collider s = random_collider(&seed, bowl, k);
        double x[3], done = 0;
        for (int c = 0; c < 3; c++)
            x[c] = s.now.shift[c] + 0.6 * noise(&seed);
        if (prc_collider_distance(&s, x, NULL) <= XI)
            continue;
        const prc_model model = {.vertex_count = 1, .elastic_count = 1};
        double half = XI / 0.8; /* so that the hard distance to a collider is XI */
        prc_contact_set set = {.model = &model, .stride = 1, .threads = 1, .colliders = &s, .collider_count = 1};
        set.collider_done = &done;
        set.half = &half;
        const bool arrived = prc_contact_move_colliders(&set, x);
        CHECK(arrived == (done >= 1) && done >= 0);
        CHECK(least_on_way(&s, x, x, 0, done) >= XI * (1 - 1e-12));
        CHECK(!arrived || memcmp(&s.now, &s.to, sizeof s.now) == 0);
        whole += arrived;
        tried++;
    }
    printf("    %d of %d arrived\n", whole, tried);
    CHECK(whole > tried / 5 && whole < tried * 9 / 10);
    prc_sdf_destroy(bowl);
}

/* A gap that is nearly used up must not hold a vertex for good. */
TEST(a_vertex_at_the_last_of_its_gap_finds_its_way_out_of_a_hollow)
{
    prc_mesh mesh = make_bowl(48);
    prc_sdf *bowl = prc_sdf_build(&mesh, 48, 0, 1, NULL);
    free_revolved(&mesh);
    prc_collider_def def = prc_collider_def_default();
    def.shape = PRC_SHAPE_MESH;
    const prc_collider s = prc_collider_at(&def, bowl, 0, 0);
    double from[3] = {0.05, -0.3, 0.02}, to[3] = {0.05, -0.6, 0.02};
    for (int k = 0; k < 40; k++) { /* pressed into the bottom again and again */
        const double t = prc_collider_time(&s, from, to, XI);
        for (int c = 0; c < 3; c++)
            from[c] += t * (1 - 1e-9) * (to[c] - from[c]);
        CHECK(prc_collider_distance(&s, from, NULL) > XI);
    }
    CHECK(prc_collider_distance(&s, from, NULL) < XI * 1.001);
    CHECK(prc_collider_time(&s, from, (const double[3]){0.05, -0.2, 0.02}, XI) == 1);
    prc_sdf_destroy(bowl);
}

/* --- refusals --- */

static const char *refusal(const prc_mesh *mesh, int resolution)
{
    static prc_error error;
    error.message[0] = '\0';
    prc_sdf *f = prc_sdf_build(mesh, resolution, 0, 1, &error);
    if (f)
        error.message[0] = '\0';
    prc_sdf_destroy(f);
    return error.message;
}

TEST(meshes_that_enclose_nothing_are_refused_with_a_reason)
{
    prc_mesh mesh;
    CHECK(prc_mesh_sphere(&mesh, 0.5, 1, NULL) == PRC_OK);
    mesh.triangle_count--;
    CHECK_TEXT(refusal(&mesh, 16), "is not closed at edge");
    CHECK_TEXT(refusal(&mesh, 16), "(3 such edges)");
    mesh.triangle_count++;
    int *t = mesh.triangles, swap = t[0];
    t[0] = t[1];
    t[1] = swap;
    CHECK_TEXT(refusal(&mesh, 16), "have opposite orientations");
    t[1] = t[0];
    t[0] = swap;
    CHECK_TEXT(refusal(&mesh, 16), "");
    for (int k = 0; k < mesh.triangle_count; k++) {
        swap = t[3 * k];
        t[3 * k] = t[3 * k + 1];
        t[3 * k + 1] = swap;
    }
    CHECK_TEXT(refusal(&mesh, 16), "counter-clockwise seen from outside");
    t[2] = 5000;
    CHECK_TEXT(refusal(&mesh, 16), "has vertex 5000");
    mesh.positions[7] = NAN;
    CHECK_TEXT(refusal(&mesh, 16), "vertex 2 is not finite");
    prc_mesh_release(&mesh);
    CHECK_TEXT(refusal(&mesh, 16), "missing or empty");
}

TEST(absurd_resolutions_are_refused_with_a_reason)
{
    prc_mesh mesh;
    CHECK(prc_mesh_sphere(&mesh, 0.5, 1, NULL) == PRC_OK);
    CHECK_TEXT(refusal(&mesh, 4000), "million nodes; at most 64 million");
    CHECK_TEXT(refusal(&mesh, 0), "resolution: 0 cells");
    CHECK_TEXT(refusal(&mesh, 1), "too coarse");
    prc_mesh_release(&mesh);
}

/* --- files --- */

TEST(a_field_survives_its_file_and_a_damaged_file_is_refused)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/percale-field-%ld", (long)getpid());
    prc_mesh mesh = make_bowl(20);
    prc_error error;
    prc_sdf *f = prc_sdf_build(&mesh, 16, 0.01, 1, &error);
    CHECK(f && prc_sdf_save(f, path, &error) == PRC_OK);
    prc_sdf *g = prc_sdf_load(path, &mesh, 16, 0.01, &error);
    CHECK(g && memcmp(f->value, g->value, sizeof(float) * prc_sdf_node_count(f)) == 0);
    CHECK(f->lipschitz == g->lipschitz && f->band == g->band && f->key == g->key);
    prc_sdf_destroy(g);
    CHECK(!prc_sdf_load(path, &mesh, 17, 0.01, &error));
    CHECK_TEXT(error.message, "not the field of this mesh");
    const double was = mesh.positions[4];
    mesh.positions[4] += 1e-9;
    CHECK(!prc_sdf_load(path, &mesh, 16, 0.01, &error));
    mesh.positions[4] = was;
    FILE *file = fopen(path, "r+b");
    fseek(file, 5000, SEEK_SET);
    const int byte = fgetc(file);
    fseek(file, 5000, SEEK_SET);
    fputc(byte ^ 4, file);
    fclose(file);
    CHECK(!prc_sdf_load(path, &mesh, 16, 0.01, &error));
    CHECK_TEXT(error.message, "is damaged");
    CHECK(truncate(path, 4000) == 0 && !prc_sdf_load(path, &mesh, 16, 0.01, &error));
    remove(path);
    CHECK(!prc_sdf_load(path, &mesh, 16, 0.01, &error));
    CHECK(error.code == PRC_ERROR_IO);
    prc_sdf_destroy(f);
    free_revolved(&mesh);
}

TEST(the_cache_is_filled_used_and_mended_and_never_needed)
{
    char folder[64], path[200];
    snprintf(folder, sizeof folder, "/tmp/percale-cache-%ld/below", (long)getpid());
    setenv("PERCALE_CACHE", folder, 1);
    prc_mesh mesh = make_bowl(20);
    prc_error error;
    CHECK(prc_sdf_cache_path(&mesh, 16, 0, path, sizeof path));
    CHECK_TEXT(path, folder);
    CHECK(access(path, R_OK) != 0);
    prc_sdf *f = prc_sdf_cached(&mesh, 16, 0, 1, &error);
    CHECK(f && access(path, R_OK) == 0);
    /* a wrong field with a right sum would be used: so this is what a hit looks like */
    const float was = f->value[100];
    f->value[100] = (float)f->band / 2;
    CHECK(prc_sdf_save(f, path, &error) == PRC_OK);
    prc_sdf *hit = prc_sdf_cached(&mesh, 16, 0, 1, &error);
    CHECK(hit && hit->value[100] == (float)f->band / 2);
    /* damaged: rebuilt, and mended on disk */
    CHECK(truncate(path, 100) == 0);
    prc_sdf *rebuilt = prc_sdf_cached(&mesh, 16, 0, 1, &error), *again = prc_sdf_load(path, &mesh, 16, 0, &error);
    CHECK(rebuilt && rebuilt->value[100] == was && again && again->value[100] == was);
    /* nowhere to write: built all the same */
    setenv("PERCALE_CACHE", "/dev/null/nowhere", 1);
    prc_sdf *without = prc_sdf_cached(&mesh, 16, 0, 1, &error);
    CHECK(without && without->value[100] == was);
    setenv("PERCALE_CACHE", "", 1);
    CHECK(!prc_sdf_cache_path(&mesh, 16, 0, path, sizeof path));
    prc_sdf *fields[] = {f, hit, rebuilt, again, without};
    for (int k = 0; k < 5; k++)
        prc_sdf_destroy(fields[k]);
    setenv("PERCALE_CACHE", folder, 1);
    prc_sdf_cache_path(&mesh, 16, 0, path, sizeof path);
    remove(path);
    rmdir(folder);
    *strrchr(folder, '/') = '\0';
    rmdir(folder);
    free_revolved(&mesh);
}

TEST_MAIN()
