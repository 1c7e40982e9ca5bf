/* test/test_projection.c — contact by projection: as safe as the barrier, near its answers, and honest about the rest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

static void begin(scene *s, prc_contact_method method)
{
    scene_init(s);
    s->def.contact.method = method;
}

static bool run(scene *s, int steps)
{
    return scene_start(s) && scene_run_safely(s, steps);
}

static double lowest(const scene *s, int body)
{
    const int first = prc_sim_body_first_vertex(s->sim, body), count = prc_sim_body_vertex_count(s->sim, body);
    const double *x = prc_sim_positions(s->sim);
    double least = INFINITY;
    for (int i = first; i < first + count; i++)
        least = fmin(least, x[3 * i + 1]);
    return least;
}

static double mean_height(const scene *s, int body)
{
    return mean_of(s, prc_sim_positions(s->sim), body, 1);
}

TEST(projection_never_lets_sheets_cross_in_an_impact)
{
    const double speeds[3] = {2, 50, 1000};
    for (int c = 0; c < 6; c++) {
        scene s;
        begin(&s, PRC_CONTACT_PROJECTION);
        s.def.precision = c % 2 ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        s.def.gravity[1] = 0;
        s.def.solver.max_iterations = 10;
        s.def.solver.max_substeps = 1;
        lay_sheet(&s, 6, 0.4, 0, 0);
        lay_sheet(&s, 5, 0.3, 25, 0.01)->velocity[1] = -speeds[c / 2];
        CHECK(run(&s, 5));
        CHECK(lowest(&s, 1) > lowest(&s, 0)); /* the thrown one has not gone past */
        scene_end(&s);
    }
}

TEST(projection_holds_resting_layers_apart)
{
    scene s;
    begin(&s, PRC_CONTACT_PROJECTION);
    add_plane(&s, 0);
    s.def.solver.tolerance = 1e-3; /* thousands of local iterations else */
    lay_sheet(&s, 4, 0.3, 0, 2.2e-3)->material.mass_damping = 10;
    lay_sheet(&s, 3, 0.2, 20, 5.8e-3)->material.mass_damping = 10;
    CHECK(run(&s, 15));
    CHECK(s.report.active_contacts > 20 && s.unconverged == 0);
    scene_end(&s);
}

/* A patch at rest on a plane: height over it, m. */
static double resting_height(scene *s, prc_contact_method method)
{
    begin(s, method);
    add_plane(s, 0);
    lay_sheet(s, 5, 0.3, 0, 2e-3)->material.mass_damping = 10;
    return run(s, 200) ? mean_height(s, 0) : NAN;
}

TEST(projection_rests_where_the_barrier_does_and_converges)
{
    scene s, t;
    const double d_hat = 1e-3, barrier = resting_height(&s, PRC_CONTACT_BARRIER);
    const double projection = resting_height(&t, PRC_CONTACT_PROJECTION);
    CHECK_NEAR(projection, barrier, 0.3 * d_hat);
    CHECK(t.report.converged && t.unconverged < 20 && t.report.residual < 1e-3);
    const double *pressure = prc_sim_contact_pressure(t.sim), *mass = prc_sim_masses(t.sim);
    double force = 0, weight = 0;
    for (int i = 0; i < prc_sim_vertex_count(t.sim); i++) {
        force += pressure[i] * mass[i] / t.body[0].material.density;
        weight += 9.81 * mass[i];
    }
    CHECK_NEAR(force, weight, 0.02 * weight);
    scene_end(&s);
    scene_end(&t);
}

TEST(projection_gives_way_to_a_moving_collider_and_keeps_pins)
{
    scene s;
    prc_pin_def pin = prc_pin_def_default();
    const int corners[2] = {0, 4};
    begin(&s, PRC_CONTACT_PROJECTION);
    s.def.gravity[1] = 0;
    add_plane(&s, 0);
    s.def.solver.tolerance = 1e-3;
    s.collider[0].motion.velocity[1] = 1;
    s.collider[0].motion.until = 0.04;
    lay_sheet(&s, 4, 0.3, 0, 0.01);
    pin.vertices = corners;
    pin.vertex_count = 2;
    pin.motion.velocity[1] = 1.2;
    s.def.pins = &pin;
    s.def.pin_count = 1;
    s.sim = prc_sim_create(&s.def, &s.error);
    CHECK(s.sim);
    for (int k = 0; k < 15; k++) {
        CHECK(prc_sim_step(s.sim, &s.report, &s.error) == PRC_OK);
        CHECK(s.report.largest_lag < 1e-4);
        const double at = fmin(0.04, prc_sim_time(s.sim)), *x = prc_sim_positions(s.sim);
        for (int i = 0; i < prc_sim_vertex_count(s.sim); i++)
            CHECK(x[3 * i + 1] > at + 0.79 * s.def.contact.thickness / 2 - s.report.largest_lag);
        CHECK_NEAR(x[3 * corners[1] + 1], 0.01 + 1.2 * prc_sim_time(s.sim), 1e-4);
    }
    CHECK(mean_height(&s, 0) > 0.04);
    scene_end(&s);
}

TEST(projection_gives_the_same_bits_for_any_number_of_threads)
{
    double x[2][3];
    for (int t = 0; t < 2; t++) {
        scene s;
        begin(&s, PRC_CONTACT_PROJECTION);
        s.def.threads = 1 + 2 * t;
        s.def.solver.max_iterations = 2;
        s.def.solver.max_substeps = 1;
        add_plane(&s, 0);
        lay_sheet(&s, 12, 0.3, 0, 2.2e-3)->velocity[1] = -1;
        lay_sheet(&s, 12, 0.28, 20, 6e-3)->velocity[1] = -2;
        CHECK(run(&s, 2));
        memcpy(x[t], prc_sim_positions(s.sim) + 300, sizeof x[t]);
        scene_end(&s);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

TEST(projection_with_friction_is_refused)
{
    scene s;
    begin(&s, PRC_CONTACT_PROJECTION);
    lay_sheet(&s, 3, 0.3, 0, 0.1);
    s.body[0].friction = 0.2;
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "bodies[0].friction: contact.method projection has no friction");
    s.body[0].friction = -1;
    s.def.contact.friction = 0.1;
    CHECK(!prc_sim_create(&s.def, &s.error));
    CHECK_TEXT(s.error.message, "contact.friction");
    scene_end(&s);
}

TEST_MAIN()
