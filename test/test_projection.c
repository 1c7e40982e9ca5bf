/* test/test_projection.c — contact by projection: as safe as the barrier, near its answers, and honest about the rest.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "check/check.h"
#include "step/sim.h"

typedef struct scene {
    prc_mesh mesh[2];
    prc_body_def body[2];
    prc_collider_def plane;
    prc_sim_def def;
    prc_sim *sim;
    prc_step_report report;
    prc_error error;
    int iterations, inner, unconverged;
    double residual; /* largest */
} scene;

static void scene_init(scene *s, prc_contact_method method)
{
    memset(s, 0, sizeof *s);
    for (int b = 0; b < 2; b++) {
        s->body[b] = prc_body_def_default();
        s->body[b].mesh = &s->mesh[b];
    }
    s->plane = prc_collider_def_default();
    s->plane.shape = PRC_SHAPE_PLANE;
    s->def = prc_sim_def_default();
    s->def.bodies = s->body;
    s->def.colliders = &s->plane;
    s->def.contact.enabled = true;
    s->def.contact.method = method;
    s->def.contact.thickness = 3e-3;
    s->def.time.step = 4e-3;
    s->def.threads = 1;
}

static prc_body_def *add_sheet(scene *s, int cells, double size, double degrees, double height)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = size;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_ALTERNATING;
    prc_mesh *mesh = &s->mesh[s->def.body_count];
    prc_mesh_grid(mesh, &grid, NULL);
    prc_mesh_transform(mesh, (const double[3]){1, 0, 0}, -90, 1, (const double[3]){0, 0, 0});
    prc_mesh_transform(mesh, (const double[3]){0, 1, 0}, degrees, 1, (const double[3]){0.003, height, 0.007});
    return &s->body[s->def.body_count++];
}

static void scene_end(scene *s)
{
    prc_sim_destroy(s->sim);
    for (int b = 0; b < 2; b++)
        prc_mesh_release(&s->mesh[b]);
}

/* No crossing, and nothing below the hard thickness. */
static bool scene_safe(const scene *s)
{
    static int triangles[6000];
    int count = 0, first = 0;
    for (int b = 0; b < s->def.body_count; b++) {
        for (int k = 0; k < 3 * s->mesh[b].triangle_count; k++)
            triangles[count++] = first + s->mesh[b].triangles[k];
        first += s->mesh[b].vertex_count;
    }
    prc_check_result found;
    prc_check_options options = prc_check_options_default();
    const double *x = prc_sim_positions(s->sim);
    if (prc_check_surfaces(x, first, triangles, count / 3, &options, &found, NULL) != PRC_OK)
        return false;
    bool safe = found.crossings == 0;
    safe = safe && (!found.nearest.found || found.nearest.distance > 0.79 * s->def.contact.thickness);
    for (int i = 0; s->def.collider_count && i < first; i++)
        safe = safe && x[3 * i + 1] > 0.79 * s->def.contact.thickness / 2;
    prc_check_result_release(&found);
    return safe;
}

static bool scene_run(scene *s, int steps)
{
    if (!s->sim && !(s->sim = prc_sim_create(&s->def, &s->error)))
        return false;
    for (int k = 0; k < steps; k++) {
        if (prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK || !scene_safe(s))
            return false;
        s->iterations += s->report.iterations;
        s->inner += s->report.inner_iterations;
        s->unconverged += !s->report.converged;
        s->residual = fmax(s->residual, s->report.residual);
    }
    return true;
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
    const int first = prc_sim_body_first_vertex(s->sim, body), count = prc_sim_body_vertex_count(s->sim, body);
    const double *x = prc_sim_positions(s->sim);
    double sum = 0;
    for (int i = first; i < first + count; i++)
        sum += x[3 * i + 1];
    return sum / count;
}

TEST(projection_never_lets_sheets_cross_in_an_impact)
{
    const double speeds[3] = {2, 50, 1000};
    for (int c = 0; c < 6; c++) {
        scene s;
        scene_init(&s, PRC_CONTACT_PROJECTION);
        s.def.precision = c % 2 ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        s.def.gravity[1] = 0;
        s.def.solver.max_iterations = 10;
        add_sheet(&s, 6, 0.4, 0, 0);
        add_sheet(&s, 5, 0.3, 25, 0.01)->velocity[1] = -speeds[c / 2];
        CHECK(scene_run(&s, 5));
        CHECK(lowest(&s, 1) > lowest(&s, 0)); /* the thrown one has not gone past */
        scene_end(&s);
    }
}

TEST(projection_holds_resting_layers_apart)
{
    scene s;
    scene_init(&s, PRC_CONTACT_PROJECTION);
    s.def.collider_count = 1;
    s.def.solver.tolerance = 1e-3; /* thousands of local iterations else */
    add_sheet(&s, 4, 0.3, 0, 2.2e-3)->material.mass_damping = 10;
    add_sheet(&s, 3, 0.2, 20, 5.8e-3)->material.mass_damping = 10;
    CHECK(scene_run(&s, 15));
    CHECK(s.report.active_contacts > 20 && s.unconverged == 0);
    scene_end(&s);
}

/* A patch at rest on a plane: height over it, m. */
static double resting_height(scene *s, prc_contact_method method)
{
    scene_init(s, method);
    s->def.collider_count = 1;
    add_sheet(s, 5, 0.3, 0, 2e-3)->material.mass_damping = 10;
    return scene_run(s, 200) ? mean_height(s, 0) : NAN;
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

TEST(projection_gives_way_to_a_moving_solid_and_keeps_pins)
{
    scene s;
    prc_pin_def pin = prc_pin_def_default();
    const int corners[2] = {0, 4};
    scene_init(&s, PRC_CONTACT_PROJECTION);
    s.def.gravity[1] = 0;
    s.def.collider_count = 1;
    s.def.solver.tolerance = 1e-3;
    s.plane.motion.velocity[1] = 1;
    s.plane.motion.until = 0.04;
    add_sheet(&s, 4, 0.3, 0, 0.01);
    pin.vertices = corners;
    pin.vertex_count = 2;
    pin.motion = PRC_MOTION_VELOCITY;
    pin.velocity[1] = 1.2;
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
        scene_init(&s, PRC_CONTACT_PROJECTION);
        s.def.threads = 1 + 2 * t;
        s.def.solver.max_iterations = 2;
        s.def.collider_count = 1;
        add_sheet(&s, 12, 0.3, 0, 2.2e-3)->velocity[1] = -1;
        add_sheet(&s, 12, 0.28, 20, 6e-3)->velocity[1] = -2;
        CHECK(scene_run(&s, 2));
        memcpy(x[t], prc_sim_positions(s.sim) + 300, sizeof x[t]);
        scene_end(&s);
    }
    CHECK(memcmp(x[0], x[1], sizeof x[0]) == 0);
}

TEST(projection_with_friction_is_refused)
{
    scene s;
    scene_init(&s, PRC_CONTACT_PROJECTION);
    add_sheet(&s, 3, 0.3, 0, 0.1);
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
