/* test/test_faces.c — triangles against colliders: planes, closest points, ways and shares against dense sampling; and
 * cloth that meets colliders far smaller than its cells, at rest, moving and turning.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

#include "kernel/contact_move.h"

#include <float.h>

static const prc_shape_kind KINDS[] = {PRC_SHAPE_SPHERE, PRC_SHAPE_CAPSULE, PRC_SHAPE_CYLINDER, PRC_SHAPE_BOX,
                                       PRC_SHAPE_CONE};
#define KIND_COUNT 5

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

static double range(unsigned *state, double low, double high)
{
    return low * pow(high / low, 0.5 + 0.5 * noise(state));
}

/* A collider askew, with sizes over two decades; at times flat or pointed. */
static prc_collider random_collider(prc_shape_kind kind, unsigned *seed)
{
    prc_collider_def def = prc_collider_def_default();
    def.shape = kind;
    def.radius = range(seed, 0.01, 1);
    def.radius_top = noise(seed) > 0 ? 0 : range(seed, 0.01, 1);
    def.length = range(seed, 0.02, 2);
    for (int c = 0; c < 3; c++) {
        def.center[c] = noise(seed);
        def.axis[c] = noise(seed);
        def.size[c] = range(seed, 0.02, 2);
        def.rotate.axis[c] = noise(seed);
    }
    def.rotate.degrees = noise(seed) > 0.5 ? 0 : 180 * noise(seed);
    return prc_collider_at(&def, NULL, 0, 0);
}

/* A triangle of a size of its own near the surface; every third one exactly level in the frame of the collider. */
static void random_triangle(const prc_collider *s, unsigned *seed, double y[3][3])
{
    const double size = range(seed, 0.01, 1), way = prc_shape_extent(&s->shape);
    const bool level = noise(seed) > 0.33;
    double middle[3], q[3];
    for (int c = 0; c < 3; c++)
        middle[c] = 1.5 * way * noise(seed);
    for (int k = 0; k < 3; k++) {
        for (int c = 0; c < 3; c++)
            q[c] = middle[c] + (level && c == 1 ? 0 : size * noise(seed));
        prc_pose_apply(&s->now, q, y[k]);
    }
}

#define SAMPLES 40

/* The least distance over points of the triangle: no less than that of the triangle. */
static double sampled_distance(const prc_collider *s, const prc_pose *pose, const double y[3][3])
{
    double least = INFINITY;
    for (int i = 0; i <= SAMPLES; i++)
        for (int j = 0; i + j <= SAMPLES; j++) {
            double x[3];
            for (int c = 0; c < 3; c++)
                x[c] = (i * y[0][c] + j * y[1][c] + (SAMPLES - i - j) * y[2][c]) / SAMPLES;
            least = fmin(least, prc_collider_distance_in(s, pose, x, NULL));
        }
    return least;
}

static double longest_side(const double y[3][3])
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = y[k][c] - y[(k + 1) % 3][c];
        most = fmax(most, sqrt(prc_dot3(d, d)));
    }
    return most;
}

static const double third[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3};

/* --- one triangle, one collider --- */

TEST(planes_of_triangles_and_colliders_never_exceed_the_distance_and_nearly_reach_it)
{
    unsigned seed = 7;
    int apart = 0;
    for (int trial = 0; trial < 4000; trial++) {
        const prc_collider s = random_collider(KINDS[trial % KIND_COUNT], &seed);
        double y[3][3];
        random_triangle(&s, &seed, y);
        const double tau = 1e-8, sampled = sampled_distance(&s, &s.now, (const double(*)[3])y);
        const prc_facing f = prc_facing_find(&s, &s.now, (const double(*)[3])y, tau, third);
        CHECK(f.phi <= 0 || f.sep <= sampled + 1e-12);
        if (f.sep > 0) { /* sampling errs by at most a cell of it, the smoothing by a known amount */
            const double cell = longest_side((const double(*)[3])y) / SAMPLES;
            CHECK(sampled - f.sep <= cell + tau / f.phi);
            CHECK(f.phi <= f.distance + 1e-15 && f.distance <= f.sep + tau / (3 * f.phi) + 1e-9);
            apart++;
        } else
            CHECK(sampled <= longest_side((const double(*)[3])y) / SAMPLES);
        CHECK(fabs(f.w[0] + f.w[1] + f.w[2] - 1) < 1e-12 && fmin(f.w[0], fmin(f.w[1], f.w[2])) >= -1e-12);
    }
    printf("    %d of 4000 apart\n", apart);
    CHECK(apart > 1500 && apart < 3900);
}

TEST(planes_near_the_hard_thickness_reach_the_distance)
{
    unsigned seed = 13;
    int loose = 0;
    for (int trial = 0; trial < 1500; trial++) {
        const prc_collider s = random_collider(KINDS[trial % KIND_COUNT], &seed);
        double y[3][3];
        random_triangle(&s, &seed, y);
        const double exact = prc_facing_find(&s, &s.now, (const double(*)[3])y, 1e-14, third).sep;
        if (!(exact > 1e-3))
            continue;
        /* as thick as they are far apart, and a little less than that is hard */
        const double floor = 0.999 * exact, tau = PRC_FACE_SMOOTH * exact * exact;
        prc_facing f = prc_facing_find(&s, &s.now, (const double(*)[3])y, tau, third);
        loose += f.sep < floor;
        prc_facing_tighten(&s, &s.now, (const double(*)[3])y, tau, floor, &f);
        CHECK(f.sep > floor && f.sep <= exact * (1 + 1e-9));
    }
    printf("    %d planes of smoothed points kept less\n", loose);
    CHECK(loose > 100);
}

TEST(the_smoothed_distance_has_the_gradient_that_forces_use)
{
    unsigned seed = 3;
    int asked = 0;
    for (int trial = 0; trial < 600; trial++) {
        const prc_collider s = random_collider(KINDS[1 + trial % (KIND_COUNT - 1)], &seed);
        double y[3][3];
        random_triangle(&s, &seed, y);
        const double tau = 1e-5, step = 1e-8;
        const prc_facing f = prc_facing_find(&s, &s.now, (const double(*)[3])y, tau, third);
        if (!(f.phi > 1e-2))
            continue;
        asked++;
        for (int k = 0; k < 3; k++)
            for (int c = 0; c < 3; c++) {
                const double at = y[k][c];
                y[k][c] = at + step;
                const double more = prc_facing_find(&s, &s.now, (const double(*)[3])y, tau, f.w).distance;
                y[k][c] = at - step;
                const double less = prc_facing_find(&s, &s.now, (const double(*)[3])y, tau, f.w).distance;
                y[k][c] = at;
                /* the factor is left out of the rows: both are given here */
                CHECK_NEAR((more - less) / (2 * step), f.phi / f.distance * f.w[k] * f.n[c], 1e-3);
            }
    }
    CHECK(asked > 150);
}

TEST(the_closest_point_moves_continuously_as_a_face_tilts_over_a_face)
{
    prc_collider_def def = prc_collider_def_default();
    def.shape = PRC_SHAPE_BOX;
    def.size[0] = def.size[1] = def.size[2] = 10e-3;
    const prc_collider s = prc_collider_at(&def, NULL, 0, 0);
    const double xi = 1.5e-3, tau = PRC_FACE_SMOOTH * 1e-3 * xi;
    double before = 0, largest = 0;
    for (int k = -500; k <= 500; k++) {
        const double tilt = 1e-5 * k;
        const double y[3][3] = {
            {-20e-3, 7e-3 - 20e-3 * tilt, -15e-3}, {20e-3, 7e-3 + 20e-3 * tilt, -15e-3}, {0, 7e-3, 20e-3}};
        const prc_facing f = prc_facing_find(&s, &s.now, y, tau, third);
        const double x = f.w[0] * y[0][0] + f.w[1] * y[1][0] + f.w[2] * y[2][0];
        if (k > -500)
            largest = fmax(largest, fabs(x - before));
        before = x;
    }
    printf("    at most %.3g mm for 10 µrad\n", 1e3 * largest);
    CHECK(largest < 0.2e-3); /* the exact closest point jumps by 10 mm */
}

TEST(no_way_of_a_triangle_that_was_found_free_leads_through_a_collider)
{
    unsigned seed = 11;
    int all = 0, parts = 0;
    for (int trial = 0; trial < 1500; trial++) {
        const prc_collider s = random_collider(KINDS[trial % KIND_COUNT], &seed);
        double from[3][3], to[3][3];
        random_triangle(&s, &seed, from);
        random_triangle(&s, &seed, to);
        const double floor = 1e-3;
        const double time = prc_facing_time(&s, (const double(*)[3])from, (const double(*)[3])to, floor, 1e-7);
        CHECK(time >= 0 && time <= 1);
        all += time >= 1;
        parts += time > 0 && time < 1;
        for (int k = 0; time > 0 && k <= 50; k++) {
            double y[3][3];
            prc_facing_between((const double(*)[3])from, (const double(*)[3])to, time * k / 50, y);
            CHECK(sampled_distance(&s, &s.now, (const double(*)[3])y) >= floor * (1 - 1e-9));
        }
    }
    printf("    1500 ways: %d free, %d in part\n", all, parts);
    CHECK(all > 100 && parts > 200);
}

TEST(no_collider_goes_through_a_triangle_however_it_turns)
{
    unsigned seed = 5;
    int all = 0, parts = 0;
    for (int trial = 0; trial < 1500; trial++) {
        prc_collider s = random_collider(KINDS[trial % KIND_COUNT], &seed);
        double y[3][3];
        random_triangle(&s, &seed, y);
        for (int c = 0; c < 3; c++) {
            s.move[c] = noise(&seed);
            s.spin[c] = trial % 3 ? 1.5 * noise(&seed) : 0;
        }
        s.to = prc_collider_pose(&s, 1 - 1e-16);
        const double floor = 1e-3, share = prc_facing_share(&s, (const double(*)[3])y, 0, floor, 1e-7);
        CHECK(share >= 0 && share <= 1);
        all += share >= 1;
        parts += share > 0 && share < 1;
        for (int k = 0; share > 0 && k <= 50; k++) {
            const prc_pose pose = prc_collider_pose(&s, share * k / 50 * (1 - 1e-15));
            CHECK(sampled_distance(&s, &pose, (const double(*)[3])y) >= floor * (1 - 1e-9));
        }
    }
    printf("    1500 colliders: %d arrived, %d in part\n", all, parts);
    CHECK(all > 100 && parts > 150);
}

/* --- cloth --- */

/* The least distance of any triangle to any collider, sampled, in half thicknesses. */
static double nearest_face(const scene *s)
{
    const double *x = prc_sim_positions(s->sim);
    double least = INFINITY;
    for (int k = 0; k < s->sim->contact.collider_count; k++)
        for (int t = 0; t < s->triangle_count; t++) {
            double y[3][3];
            for (int p = 0; p < 3; p++)
                memcpy(y[p], x + 3 * s->triangles[3 * t + p], sizeof y[p]);
            const prc_collider *collider = &s->sim->contact.colliders[k];
            least = fmin(least, sampled_distance(collider, &collider->now, (const double(*)[3])y));
        }
    return least / (s->def.contact.thickness / 2);
}

static bool run_outside(scene *s, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (!scene_step(s))
            return false;
        const double nearest = nearest_face(s);
        const long long crossings = crossings_now(s, NULL);
        if (nearest >= KEPT && crossings == 0)
            continue;
        printf("    at %g s: %.4g half thicknesses, %lld crossings\n", prc_sim_time(s->sim), nearest, crossings);
        return false;
    }
    return true;
}

/* A sheet of 2 × 2 cells that falls on a small collider under the middle of a face. */
static scene *sheet_over(prc_shape_kind shape, double size)
{
    scene *s = scene_new();
    add_sheet(s, 2, 0.4, along_y, 0, 0, 0.01 + size, 0)->velocity[1] = -1;
    prc_collider_def *c = add_collider(s, shape);
    c->center[0] = 0.06;
    c->center[2] = 0.13;
    c->radius = size;
    c->radius_top = 0;
    c->length = shape == PRC_SHAPE_CAPSULE ? size / 2 : 2 * size;
    c->size[0] = c->size[1] = c->size[2] = 2 * size;
    return s;
}

TEST(cloth_does_not_fall_through_colliders_smaller_than_a_cell)
{
    for (int k = 0; k < KIND_COUNT; k++)
        for (int fine = 0; fine < 2; fine++) {
            scene *s = sheet_over(KINDS[k], fine ? 1e-4 : 5e-3);
            scene_hurry(s, 40);
            const bool safe = scene_start(s) && run_outside(s, 25);
            const double height = safe ? prc_sim_positions(s->sim)[1] : 0;
            if (!safe)
                printf("    shape %d, size %d\n", (int)KINDS[k], fine);
            scene_free(s);
            CHECK(safe && isfinite(height));
        }
}

TEST(a_sharp_corner_under_one_triangle_carries_it)
{
    scene *s = scene_new();
    add_sheet(s, 1, 0.2, along_y, 0, 0, 0.09, 0);
    prc_collider_def *c = add_collider(s, PRC_SHAPE_BOX);
    c->size[0] = c->size[1] = c->size[2] = 0.1;
    c->center[0] = 0.02;
    c->center[2] = 0.03;
    c->rotate.axis[0] = 1;
    c->rotate.axis[2] = -1;
    c->rotate.degrees = 54.7356;
    CHECK(scene_start(s) && run_outside(s, 40));
    scene_free(s);
}

TEST(a_thin_rod_carries_the_weight_of_cloth_with_coarse_cells)
{
    for (int k = 0; k < 2; k++) {
        scene *s = scene_new();
        add_sheet(s, 6, 0.2, along_y, 0, 0, 5e-3, 0);
        prc_collider_def *c = add_collider(s, k == 0 ? PRC_SHAPE_CAPSULE : PRC_SHAPE_CYLINDER);
        c->radius = 2.5e-3;
        c->length = 0.6;
        c->axis[0] = 0;
        c->axis[1] = 0;
        c->axis[2] = 1;
        c->center[0] = 0.011;
        s->def.contact.friction = 0.8;
        CHECK(scene_start(s) && run_outside(s, 60));
        CHECK(s->unconverged == 0);
        scene_free(s);
    }
}

/* A pinned face that a collider is in the way of was once asked in the prediction, held back by nothing, and not asked
 * again. */
/* Two balls of one size and a smaller one under a jittered sheet whose cells are about as coarse as the large ones
 * bear. */
TEST(round_colliders_push_the_faces_that_are_coarse_against_them_and_corners_the_rest)
{
    scene *s = scene_new();
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.2;
    grid.cells[0] = grid.cells[1] = 12;
    grid.pattern = PRC_GRID_IRREGULAR;
    CHECK(prc_mesh_grid(&s->mesh[s->def.body_count++], &grid, &s->error) == PRC_OK);
    const double radius[3] = {0.18, 0.18, 0.01};
    prc_collider_def balls[3];
    for (int k = 0; k < 3; k++) {
        balls[k] = prc_collider_def_default();
        balls[k].shape = PRC_SHAPE_SPHERE;
        balls[k].radius = radius[k];
        balls[k].center[2] = -1 - k;
    }
    s->def.colliders = balls;
    s->def.collider_count = 3;
    CHECK(scene_start(s));
    const prc_contact_set *set = &s->sim->contact;
    const prc_contact_view view = prc_contact_see(set);
    int pushed = 0, whole = 0, none = 0;
    CHECK(set->colliders[0].faces == PRC_FACES_MIXED && set->colliders[1].mixed == set->colliders[0].mixed);
    CHECK(set->colliders[2].faces == PRC_FACES_MIXED && set->mixed_count == 2);
    for (int t = 0; t < view.triangle_count; t++) {
        const int *v = view.triangles[t];
        pushed += prc_face_is_pushed(&view, v, 0);
        CHECK(prc_face_is_pushed(&view, v, 2) && prc_face_contacts(&view, v, 2) == 3);
        CHECK(prc_face_contacts(&view, v, 0) == (prc_face_is_pushed(&view, v, 0) ? 3 : 1));
    }
    CHECK(pushed > 0 && pushed < view.triangle_count);
    /* vertices and faces share the work: together they push with the whole stiffness of the area */
    double area = 0, shared = 0;
    for (int i = 0; i < view.elastic_count; i++) {
        whole += prc_pushed_part(&view, i, 0) > 1 - 1e-6;
        none += prc_pushed_part(&view, i, 0) == 0;
        CHECK_NEAR(prc_pushed_part(&view, i, 2), 1, 1e-6);
        area += view.area[i];
        shared += view.area[i] * (1 - PRC_FACE_SHARE * prc_pushed_part(&view, i, 0));
    }
    for (int t = 0; t < view.triangle_count; t++)
        if (prc_face_is_pushed(&view, view.triangles[t], 0))
            shared += PRC_FACE_SHARE * prc_face_area(&view, view.triangles[t]);
    CHECK(whole > 0 && none > 0);
    CHECK_NEAR(shared, area, 1e-6 * area);
    scene_free(s);
}

TEST(faces_that_are_pinned_wait_before_a_collider)
{
    scene *s = scene_new();
    add_sheet(s, 2, 0.4, along_y, 0, 0, 0, 0);
    add_pin(s, 0, -1)->motion.velocity[1] = 20;
    prc_collider_def *c = add_collider(s, PRC_SHAPE_BOX);
    c->size[0] = c->size[1] = c->size[2] = 0.03;
    c->center[0] = 0.06;
    c->center[1] = 0.1;
    c->center[2] = 0.13;
    s->def.time.step = 0.02;
    CHECK(scene_start(s) && run_outside(s, 3));
    CHECK(s->report.largest_lag > 0.5);
    scene_free(s);
}

TEST(a_small_ball_at_a_hundred_metres_per_second_does_not_pass_a_frame)
{
    scene *s = scene_new();
    add_sheet(s, 4, 0.2, along_y, 0, 0, 0, 0);
    add_pin(s, 0, -1)->vertex_count = 5; /* one side */
    prc_collider_def *c = add_collider(s, PRC_SHAPE_SPHERE);
    c->radius = 3e-3;
    c->center[0] = 0.013;
    c->center[1] = -0.05;
    c->center[2] = 0.017;
    c->motion.velocity[1] = 100;
    s->def.time.step = 1e-3;
    scene_hurry(s, 30);
    CHECK(scene_start(s) && run_outside(s, 8));
    scene_free(s);
}

TEST(a_box_that_spins_under_cloth_meets_no_face)
{
    scene *s = scene_new();
    add_sheet(s, 4, 0.4, along_y, 0, 0, 0.09, 0);
    prc_collider_def *c = add_collider(s, PRC_SHAPE_BOX);
    c->size[0] = 0.16;
    c->size[1] = 0.04;
    c->size[2] = 0.02;
    c->motion.axis[0] = 0;
    c->motion.axis[1] = 0;
    c->motion.axis[2] = 1;
    c->motion.degrees_per_second = 720;
    scene_hurry(s, 30);
    CHECK(scene_start(s) && run_outside(s, 60));
    scene_free(s);
}

TEST(a_wheel_that_turns_about_its_own_axis_never_waits)
{
    scene *s = scene_new();
    add_sheet(s, 3, 0.3, along_y, 0, 0, 0.052, 0);
    prc_collider_def *c = add_collider(s, PRC_SHAPE_CYLINDER);
    c->radius = 0.05;
    c->length = 0.03;
    c->axis[0] = 0;
    c->axis[1] = 0;
    c->axis[2] = 1;
    c->motion.axis[0] = 0;
    c->motion.axis[1] = 0;
    c->motion.axis[2] = 1;
    c->motion.degrees_per_second = 3600;
    CHECK(scene_start(s));
    for (int k = 0; k < 20; k++) {
        CHECK(run_outside(s, 1));
        CHECK(s->report.largest_lag == 0);
    }
    scene_free(s);
}

TEST(faces_give_the_same_bits_for_1_and_2_threads)
{
    double hash[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        scene *s = sheet_over(PRC_SHAPE_CONE, 0.02);
        s->def.threads = 1 + k;
        scene_hurry(s, 20);
        CHECK(scene_start(s) && run_outside(s, 12));
        for (int i = 0; i < 3 * prc_sim_vertex_count(s->sim); i++)
            hash[k] += (i + 1) * prc_sim_positions(s->sim)[i];
        scene_free(s);
    }
    CHECK(hash[0] == hash[1]);
}

/* --- starts --- */

TEST(a_face_that_meets_a_collider_at_the_start_is_refused_pushed_or_exempt)
{
    for (int deep = 0; deep < 2; deep++)
        for (int start = PRC_START_REFUSE; start <= PRC_START_EXEMPT; start++) {
            scene *s = sheet_over(PRC_SHAPE_SPHERE, 0.02);
            /* a little too close, or right through the face */
            prc_mesh_transform(&s->mesh[0], along_y, 0, 1, (const double[3]){0, deep ? -0.03 : -0.009, 0});
            s->body[0].velocity[1] = 0;
            s->def.contact.start = start;
            s->sim = prc_sim_create(&s->def, &s->error);
            const bool expected = start == PRC_START_EXEMPT || (start == PRC_START_PUSH_APART && !deep);
            if ((s->sim != NULL) != expected)
                printf("    deep %d, start %d: %s\n", deep, start, s->sim ? "taken" : s->error.message);
            CHECK((s->sim != NULL) == expected);
            if (!s->sim)
                CHECK_TEXT(s->error.message, "collider");
            scene_free(s);
        }
}

TEST_MAIN()
