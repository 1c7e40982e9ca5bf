/* test/test_contact_bodies.c — thickness and friction per body and per pair of bodies; pressure and gap of vertices.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"
#include "contact_scene.h"
#include "harness.h"

/* Smallest distance by the checker, −1 where surfaces cross; pairs within body `body` do not count. */
static double nearest_but(scene *s, int body)
{
    static bool leave[3000];
    int count = 0;
    for (int b = 0; b < s->def.body_count; b++)
        for (int i = 0; i < s->mesh[b].vertex_count; i++)
            leave[count++] = b == body;
    double distance;
    return crossings_but(s, leave, &distance) == 0 ? distance : -1;
}

static double nearest(scene *s)
{
    double distance;
    return crossings_now(s, &distance) == 0 ? distance : -1;
}

/* --- thickness --- */

TEST(bodies_stay_apart_by_the_mean_of_their_thicknesses)
{
    scene s;
    scene_init(&s);
    add_plane(&s, 0);
    prc_body_def *thick = lay_sheet(&s, 5, 0.3, 0, 3.5e-3), *thin = lay_sheet(&s, 5, 0.28, 20, 8.5e-3);
    thick->contact_thickness = 6e-3;
    thin->contact_thickness = 2e-3;
    thick->material.mass_damping = thin->material.mass_damping = 10;
    CHECK(scene_start(&s));
    for (int k = 0; k < 150; k++)
        CHECK(prc_sim_step(s.sim, &s.report, &s.error) == PRC_OK);
    const double *x = prc_sim_positions(s.sim);
    const double low = mean_of(&s, x, 0, 1), high = mean_of(&s, x, 1, 1), d_hat = (6e-3 + 2e-3) / 2 / 3;
    CHECK(low > 3e-3 && low < 3e-3 + 2e-3);
    CHECK(high - low > 4e-3 && high - low < 4e-3 + d_hat);
    CHECK(nearest(&s) > 4e-3 && s.report.smallest_gap > 0);
    scene_end(&s);
}

TEST(bodies_of_different_thickness_never_cross_when_thrown_at_each_other)
{
    const double speeds[3] = {2, 50, 1000};
    for (int c = 0; c < 6; c++) {
        scene s;
        scene_init(&s);
        s.def.precision = c % 2 ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        s.def.gravity[1] = 0;
        s.def.contact.stiffness = c / 2 == 1 ? 1e-12 : 0;
        scene_hurry(&s, 8);
        lay_sheet(&s, 6, 0.4, 0, 0)->contact_thickness = 8e-3;
        lay_sheet(&s, 5, 0.3, 25, 0.02)->contact_thickness = 1e-3;
        s.body[1].velocity[1] = -speeds[c / 2];
        CHECK(scene_start(&s));
        for (int k = 0; k < 6; k++) {
            CHECK(prc_sim_step(s.sim, &s.report, &s.error) == PRC_OK);
            CHECK(nearest_but(&s, 1) > 0.79 * 4.5e-3);
            CHECK(nearest(&s) > 0.79 * 1e-3); /* the thin one may crumple */
        }
        CHECK(mean_of(&s, prc_sim_velocities(s.sim), 1, 1) > -0.9999 * speeds[c / 2]); /* they did meet */
        scene_end(&s);
    }
}

TEST(a_start_too_close_for_thick_bodies_is_refused)
{
    scene s;
    scene_init(&s);
    lay_sheet(&s, 3, 0.3, 0, 0);
    lay_sheet(&s, 3, 0.3, 20, 4e-3);
    CHECK(scene_start(&s));
    prc_sim_destroy(s.sim);
    s.body[0].contact_thickness = 9e-3;
    s.sim = prc_sim_create(&s.def, &s.error);
    CHECK(!s.sim);
    CHECK_TEXT(s.error.message, "too close");
    scene_end(&s);
}

TEST(what_is_pinned_for_good_does_not_soften_or_stiffen_the_barrier)
{
    double kappa[2];
    for (int c = 0; c < 2; c++) {
        scene s;
        scene_init(&s);
        lay_sheet(&s, 4, 0.3, 0, 0)->material.density = c ? 1e-6 : 100;
        lay_sheet(&s, 3, 0.2, 20, 3.5e-3);
        add_pin(&s, 0, -INFINITY);
        CHECK(scene_start(&s));
        const prc_contact_set *set = &s.sim->contact;
        CHECK(set->contact_count > 10);
        kappa[c] = INFINITY;
        for (int k = 0; k < set->contact_count; k++)
            kappa[c] = fmin(kappa[c], set->contacts[k].kappa);
        scene_end(&s);
    }
    CHECK(isfinite(kappa[0]) && kappa[0] == kappa[1]);
}

/* --- friction --- */

TEST(friction_of_two_bodies_is_their_geometric_mean_unless_the_pair_says_otherwise)
{
    prc_body_def body[4] = {prc_body_def_default(), prc_body_def_default(), prc_body_def_default(),
                            prc_body_def_default()};
    const prc_contact_pair_def pairs[4] = {
        {{2, 0}, 0.7}, {{1, 1}, 0.05}, {{0, 3}, 0.3}, {{3, 0}, 0.2} /* the later one holds */};
    prc_sim_def def = prc_sim_def_default();
    const prc_obstacle_def obstacle = prc_obstacle_def_default();
    def.bodies = body;
    def.body_count = 4;
    def.obstacles = &obstacle;
    def.obstacle_count = 1;
    def.contact.friction = 0.25;
    body[0].friction = 0.4;
    body[1].friction = 0.9;
    body[3].friction = 0;
    def.contact.pairs = pairs;
    def.contact.pair_count = 4;
    prc_contact_bodies b;
    CHECK(prc_contact_bodies_create(&b, &def, 5, NULL) == PRC_OK);
    CHECK(b.pair_count == 3);
    CHECK_NEAR(prc_contact_bodies_friction(&b, 0, 1), 0.6, 1e-15);
    CHECK(prc_contact_bodies_friction(&b, 1, 0) == prc_contact_bodies_friction(&b, 0, 1));
    CHECK(prc_contact_bodies_friction(&b, 0, 0) == 0.4 && prc_contact_bodies_friction(&b, 2, 2) == 0.25);
    CHECK(prc_contact_bodies_friction(&b, 0, 2) == 0.7 && prc_contact_bodies_friction(&b, 2, 0) == 0.7);
    CHECK(prc_contact_bodies_friction(&b, 1, 1) == 0.05 && prc_contact_bodies_friction(&b, 1, 3) == 0);
    CHECK(prc_contact_bodies_friction(&b, 0, 3) == 0.2);
    CHECK(prc_contact_bodies_friction(&b, 4, 4) == 0.25); /* the obstacle */
    prc_contact_bodies_release(&b);
}

/* Along-slope speed after 0.2 s of a patch on a slope of tan = 0.5: on a plane, or on a body that is held. */
static double slide(scene *s, bool on_body)
{
    s->def.time.step = 2e-3;
    s->def.solver.tolerance = 1e-5;
    s->def.gravity[0] = 9.81 * 0.5 / sqrt(1.25);
    s->def.gravity[1] = -9.81 / sqrt(1.25);
    if (on_body) {
        lay_sheet(s, 6, 0.5, 0, -1.9e-3);
        add_pin(s, 0, -INFINITY);
    } else {
        add_plane(s, 0);
    }
    prc_body_def *patch = lay_sheet(s, 3, 0.15, 10, on_body ? 1.6e-3 : 2e-3);
    patch->material.stretch = 1e4;
    patch->material.bending = 1e-2;
    patch->friction = s->body[1].friction;
    double v = NAN;
    if (scene_start(s)) {
        for (int k = 0; k < 100; k++)
            if (prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK)
                return NAN;
        v = mean_of(s, prc_sim_velocities(s->sim), on_body, 0);
    }
    scene_end(s);
    return v;
}

static const double free_speed = 9.81 * 0.5 / 1.118033988749895 * 0.2;

TEST(a_collider_without_friction_has_that_of_the_body)
{
    scene s;
    scene_init(&s);
    s.body[1].friction = 0.8;
    CHECK_NEAR(slide(&s, false), 0, 2e-3);
    scene_init(&s);
    s.def.contact.friction = 0.6;
    s.body[1].friction = 0;
    CHECK_NEAR(slide(&s, false), free_speed, 0.02 * free_speed);
    scene_init(&s);
    s.collider[0].friction = 0;
    s.body[1].friction = 0.8;
    CHECK_NEAR(slide(&s, false), free_speed, 0.02 * free_speed);
}

TEST(lagged_friction_sticks_and_slides_as_unlagged_friction_does)
{
    double stuck[4], slid[4];
    for (int lag = 0; lag < 4; lag++) {
        scene s;
        scene_init(&s);
        s.def.contact.friction_lag = lag;
        s.def.contact.friction = 0.8;
        stuck[lag] = slide(&s, lag % 2);
        scene_init(&s);
        s.def.contact.friction_lag = lag;
        s.def.contact.friction = 0.3;
        slid[lag] = slide(&s, false);
        CHECK_NEAR(stuck[lag], 0, 1e-3); /* eps_v */
        CHECK_NEAR(slid[lag], free_speed * (0.5 - 0.3) / 0.5, 0.06 * free_speed);
        CHECK_NEAR(slid[lag], slid[0], 0.02 * slid[0]);
    }
}

TEST(a_patch_slides_on_another_body_as_the_pair_says)
{
    scene s;
    scene_init(&s);
    s.pair = (prc_contact_pair_def){{1, 0}, 0.8};
    s.def.contact.pair_count = 1;
    CHECK_NEAR(slide(&s, true), 0, 2e-3);
    scene_init(&s);
    s.def.contact.friction = 0.7;
    s.pair = (prc_contact_pair_def){{0, 1}, 0};
    s.def.contact.pair_count = 1;
    CHECK_NEAR(slide(&s, true), free_speed, 0.03 * free_speed);
    scene_init(&s);
    s.def.contact.friction = 0.9;
    s.body[1].friction = 0.7; /* sqrt(0.9 × 0.7) = 0.79 */
    CHECK_NEAR(slide(&s, true), 0, 2e-3);
}

/* --- pressure and gap --- */

TEST(pressure_of_a_cloth_at_rest_carries_its_weight)
{
    for (int p = 0; p < 2; p++) {
        scene s;
        scene_init(&s);
        s.def.precision = p ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        add_plane(&s, 0);
        lay_sheet(&s, 6, 0.3, 0, 2e-3)->material.mass_damping = 20;
        lay_sheet(&s, 5, 0.2, 20, 5.5e-3)->material.mass_damping = 20;
        CHECK(scene_start(&s));
        for (int k = 0; k < 200; k++)
            CHECK(prc_sim_step(s.sim, &s.report, &s.error) == PRC_OK);
        const double *pressure = prc_sim_contact_pressure(s.sim), *gap = prc_sim_contact_gap(s.sim);
        const double *mass = prc_sim_masses(s.sim), density = s.body[0].material.density, g = 9.81;
        double force[2] = {0, 0}, weight[2] = {0, 0}, least = INFINITY;
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < prc_sim_body_vertex_count(s.sim, b); k++) {
                const int i = prc_sim_body_first_vertex(s.sim, b) + k;
                force[b] += pressure[i] * mass[i] / density;
                weight[b] += mass[i] * g;
                least = fmin(least, gap[i]);
                CHECK(gap[i] > 0 && gap[i] <= 1e-3 && (pressure[i] > 0 || gap[i] == 1e-3));
            }
        CHECK_NEAR(force[1], weight[1], 0.01 * weight[1]);
        CHECK_NEAR(force[0], weight[0] + 2 * weight[1], 0.01 * weight[0]); /* from above, and from below with its own */
        CHECK_NEAR(least, s.report.smallest_gap, 1e-12);
        scene_end(&s);
    }
}

TEST(pressure_and_gap_say_that_nothing_is_near)
{
    scene s;
    scene_init(&s);
    s.def.body_count = 0;
    lay_sheet(&s, 3, 0.3, 0, 0.1);
    add_plane(&s, 0);
    CHECK(scene_start(&s));
    CHECK(prc_sim_contact_pressure(s.sim)[5] == 0 && prc_sim_contact_gap(s.sim)[5] == 1e-3);
    prc_sim_destroy(s.sim);
    s.def.contact.enabled = false;
    s.def.collider_count = 0;
    CHECK(scene_start(&s));
    CHECK(prc_sim_contact_pressure(s.sim)[5] == 0 && isinf(prc_sim_contact_gap(s.sim)[5]));
    scene_end(&s);
}

/* --- refusals --- */

/* Two panels of one body, 30 mm apart, whose texture coordinates are the same, as of mirrored halves. */
static void stack_panels(prc_mesh *mesh, bool beside)
{
    const int cells = 6, side = cells + 1, n = side * side;
    mesh->vertex_count = 2 * n;
    mesh->triangle_count = 4 * cells * cells;
    mesh->positions = PRC_NEW(double, 6 * (size_t)n);
    mesh->texture = PRC_NEW(double, 4 * (size_t)n);
    mesh->triangles = PRC_NEW(int, 12 * (size_t)cells * cells);
    int *triangle = mesh->triangles;
    for (int p = 0, v = 0; p < 2; p++)
        for (int i = 0; i <= cells; i++)
            for (int j = 0; j <= cells; j++, v++) {
                const double x[2] = {0.15 * i / cells, 0.15 * j / cells};
                memcpy(mesh->positions + 3 * v, (double[3]){x[0] + 0.004 * p, 0.03 * p, x[1] + 0.003 * p},
                       3 * sizeof *x);
                mesh->texture[2 * v] = x[0] + (beside ? 0.3 * p : 0);
                mesh->texture[2 * v + 1] = x[1];
                if (i == cells || j == cells)
                    continue;
                memcpy(triangle, (int[6]){v, v + 1, v + side + 1, v, v + side + 1, v + side}, 6 * sizeof *triangle);
                triangle += 6;
            }
}

TEST(panels_that_lie_on_each_other_in_texture_coordinates_keep_their_thickness)
{
    for (int beside = 0; beside < 2; beside++) {
        scene *s = scene_new();
        add_plane(s, -0.01);
        stack_panels(&s->mesh[0], beside);
        s->body[0].rest = PRC_REST_TEXTURE;
        s->def.body_count = 1;
        CHECK(scene_start(s));
        for (int k = 0; k < 40; k++) {
            double distance;
            CHECK(scene_step(s) && crossings_now(s, &distance) == 0 && distance > KEPT * s->def.contact.thickness);
        }
        CHECK(mean_of(s, prc_sim_positions(s->sim), 0, 1) < 0); /* they have met */
        scene_free(s);
    }
}

TEST(pairs_that_make_no_sense_are_refused)
{
    scene s;
    scene_init(&s);
    lay_sheet(&s, 3, 0.3, 0, 0);
    s.def.contact.pair_count = 1;
    s.pair = (prc_contact_pair_def){{0, 1}, 0.5};
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "contact.pairs[0].bodies: 1");
    s.pair = (prc_contact_pair_def){{0, 0}, -0.5};
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "contact.pairs[0].friction");
    s.def.contact.pairs = NULL;
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "contact.pairs: the count is 1");
    s.def.contact.pair_count = 0;
    s.body[0].contact_thickness = -1;
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "bodies[0].contact_thickness");
    scene_end(&s);
}

TEST_MAIN()
