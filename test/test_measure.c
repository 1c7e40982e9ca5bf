/* test/test_measure.c — what a state tells per vertex: stresses, curvatures, energies, against answers on paper.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/memory.h"

#include <percale/percale.h>

#include <stdlib.h>

static prc_mesh mesh;
static prc_body_def body;
static prc_sim_def def;
static prc_sim *sim;
static prc_error error;

static void begin(void)
{
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    sim = NULL;
    body = prc_body_def_default();
    body.mesh = &mesh;
    def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.threads = 2;
}

static bool make_pattern(int cells, prc_grid_pattern pattern)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = pattern;
    return prc_mesh_grid(&mesh, &grid, &error) == PRC_OK;
}

static bool make_grid(int cells)
{
    return make_pattern(cells, PRC_GRID_IRREGULAR);
}

static bool start(void)
{
    sim = prc_sim_create(&def, &error);
    return sim != NULL;
}

/* Moves every vertex to F X, turned in space. */
static bool deform(double f11, double f12, double f21, double f22)
{
    double *x = calloc(3 * (size_t)mesh.vertex_count, sizeof *x);
    const double c = cos(0.7), s = sin(0.7);
    for (int i = 0; x && i < mesh.vertex_count; i++) {
        const double *from = mesh.positions + 3L * i;
        const double a = f11 * from[0] + f12 * from[1], b = f21 * from[0] + f22 * from[1];
        x[3 * i] = c * a;
        x[3 * i + 1] = b;
        x[3 * i + 2] = s * a;
    }
    bool good = x && prc_sim_set_state(sim, x, NULL, &error) == PRC_OK;
    free(x);
    return good;
}

/* Whether all pairs of values are these, relative to `scale`. */
static bool all_are(const double *values, double first, double second, double scale)
{
    for (int i = 0; values && i < mesh.vertex_count; i++)
        if (!(fabs(values[2 * i] - first) <= scale && fabs(values[2 * i + 1] - second) <= scale)) {
            printf("    vertex %d: %.12g %.12g, expected %.12g %.12g\n", i, values[2 * i], values[2 * i + 1], first,
                   second);
            return false;
        }
    return values != NULL;
}

TEST(a_sheet_pulled_two_ways_has_the_stress_of_the_law_per_deformed_length)
{
    begin();
    body.material.model = PRC_MODEL_A3; /* nominal stress s (l³ − l⁻³)/3 */
    body.material.stretch = 600;
    CHECK(make_grid(8) && start() && deform(1.25, 0, 0, 0.9));
    const double p1 = 600 * (pow(1.25, 3) - pow(1.25, -3)) / 3, p2 = 600 * (pow(0.9, 3) - pow(0.9, -3)) / 3;
    CHECK(all_are(prc_sim_stresses(sim), p1 / 0.9, p2 / 1.25, 1e-9));
    CHECK(deform(1.1, 0, 0, 1.1));
    const double both = 600 * (pow(1.1, 3) - pow(1.1, -3)) / 3 / 1.1;
    CHECK(all_are(prc_sim_stresses(sim), both, both, 1e-9));
    CHECK(deform(1, 0, 0, 1));
    CHECK(all_are(prc_sim_stresses(sim), 0, 0, 1e-9));
}

TEST(single_precision_gives_the_same_stress_to_its_rounding)
{
    begin();
    def.precision = PRC_PRECISION_SINGLE;
    body.material.model = PRC_MODEL_A3;
    body.material.stretch = 600;
    CHECK(make_grid(8) && start() && deform(1.25, 0, 0, 0.9));
    CHECK(all_are(prc_sim_stresses(sim), 200 * (pow(1.25, 3) - pow(1.25, -3)) / 0.9,
                  200 * (pow(0.9, 3) - pow(0.9, -3)) / 1.25, 2e-2));
}

/* σ = F S F^T / J with S = C:E, taken apart by hand: the principal directions are not those of the stretches. */
TEST(a_sheared_woven_sheet_has_the_stress_of_its_linear_law)
{
    begin();
    body.material.model = PRC_MODEL_ORTHOTROPIC;
    body.material.stretch_warp = 900;
    body.material.stretch_weft = 300;
    body.material.shear = 80;
    body.material.poisson = 0;
    CHECK(make_grid(6) && start());
    const double f[2][2] = {{1.05, 0.2}, {0, 0.97}};
    CHECK(deform(f[0][0], f[0][1], f[1][0], f[1][1]));
    const double e11 = 0.5 * (f[0][0] * f[0][0] - 1), e22 = 0.5 * (f[0][1] * f[0][1] + f[1][1] * f[1][1] - 1);
    const double e12 = 0.5 * f[0][0] * f[0][1], s[2][2] = {{900 * e11, 160 * e12}, {160 * e12, 300 * e22}};
    double sigma[2][2] = {{0}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 4; k++)
                sigma[i][j] += f[i][k / 2] * s[k / 2][k % 2] * f[j][k % 2] / (f[0][0] * f[1][1]);
    const double mean = (sigma[0][0] + sigma[1][1]) / 2, r = hypot((sigma[0][0] - sigma[1][1]) / 2, sigma[0][1]);
    CHECK(r > 10);
    CHECK(all_are(prc_sim_stresses(sim), mean + r, mean - r, 1e-9));
}

TEST(a_sphere_and_a_cylinder_have_their_curvatures)
{
    begin();
    CHECK(prc_mesh_sphere(&mesh, 0.5, 4, &error) == PRC_OK && start());
    CHECK(all_are(prc_sim_curvatures(sim), 2, 4, 0.02));
    begin();
    CHECK(prc_mesh_cylinder(&mesh, 0.25, 1, 60, 40, &error) == PRC_OK && start());
    CHECK(all_are(prc_sim_curvatures(sim), 2, 0, 0.02));
}

/* A flat sheet, stretched while it is rolled; no bending stiffness at all. */
TEST(curvature_is_that_of_the_deformed_surface_whatever_the_stiffness)
{
    begin();
    body.material.bending = 0;
    CHECK(make_pattern(40, PRC_GRID_REGULAR) && start());
    CHECK(all_are(prc_sim_curvatures(sim), 0, 0, 1e-12));
    double *x = calloc(3 * (size_t)mesh.vertex_count, sizeof *x);
    CHECK(x != NULL);
    const double radius = 0.4, longer = 1.3;
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double angle = longer * mesh.positions[3 * i] / radius;
        x[3 * i] = radius * sin(angle);
        x[3 * i + 1] = 0.8 * mesh.positions[3 * i + 1];
        x[3 * i + 2] = radius * cos(angle);
    }
    const bool set = prc_sim_set_state(sim, x, NULL, &error) == PRC_OK;
    free(x);
    CHECK(set);
    const double *curvatures = prc_sim_curvatures(sim);
    CHECK(curvatures != NULL);
    double mean = 0, gauss = 0;
    int inside = 0; /* rings at the boundary see less: a corner of one triangle is flat */
    for (int i = 0; i < mesh.vertex_count; i++) {
        if (fmax(fabs(mesh.positions[3 * i]), fabs(mesh.positions[3 * i + 1])) > 0.49)
            continue;
        inside++;
        mean += curvatures[2 * i];
        gauss += curvatures[2 * i + 1];
        CHECK_NEAR(curvatures[2 * i], 0.5 / radius, 5e-3);
    }
    CHECK(inside == 39 * 39);
    CHECK_NEAR(mean / inside, 0.5 / radius, 5e-3);
    CHECK_NEAR(gauss / inside, 0, 5e-3);
}

TEST(energy_densities_add_up_to_the_energy_of_the_report)
{
    begin();
    prc_pin_def pin = prc_pin_def_default();
    const int corners[] = {0, 12};
    pin.vertices = corners;
    pin.vertex_count = 2;
    def.pins = &pin;
    def.pin_count = 1;
    body.material.bending = 1e-3;
    body.material.damping = 0.01;
    CHECK(make_grid(12) && start());
    prc_step_report report = {0};
    for (int k = 0; k < 20; k++)
        CHECK(prc_sim_step(sim, &report, &error) == PRC_OK);
    const double *areas = prc_sim_areas(sim), *energies = prc_sim_energy_densities(sim);
    CHECK(areas && energies);
    double area = 0, energy = 0;
    for (int i = 0; i < mesh.vertex_count; i++) {
        CHECK(energies[i] >= 0);
        area += areas[i];
        energy += areas[i] * energies[i];
    }
    CHECK_NEAR(area, 1, 1e-12);
    CHECK(report.energy_elastic > 1e-6);
    CHECK_NEAR(energy, report.energy_elastic, 1e-9 * report.energy_elastic);
}

/* With the mean by mass of their squares, as the report has it, after steps of every kind of solve. */
static double mean_residual(void)
{
    const double *masses = prc_sim_masses(sim), *residuals = prc_sim_residuals(sim);
    double square = 0, mass = 0;
    for (int i = 0; i < mesh.vertex_count && residuals; i++) {
        square += masses[i] * residuals[i] * residuals[i];
        mass += masses[i];
    }
    return sqrt(square / mass);
}

TEST(residuals_of_vertices_add_up_to_that_of_the_report)
{
    const prc_method methods[] = {PRC_METHOD_NEWTON, PRC_METHOD_JACOBI, PRC_METHOD_NEWTON, PRC_METHOD_NEWTON};
    for (int k = 0; k < 4; k++) {
        begin();
        CHECK(make_grid(8));
        static prc_collider_def ball; /* def, which outlives the test, points to it */
        ball = prc_collider_def_default();
        ball.center[2] = 0.2;
        ball.radius = 0.19;
        def.gravity[1] = 0;
        def.gravity[2] = 9.81;
        def.time.step = 4e-3;
        def.solver.method = methods[k];
        def.solver.max_iterations = k == 1 ? 20 : 100; /* what does not converge has a residual too */
        def.solver.unconverged = PRC_UNCONVERGED_GO_ON;
        def.contact.enabled = k >= 2;
        def.contact.method = k == 3 ? PRC_CONTACT_PROJECTION : PRC_CONTACT_BARRIER;
        def.colliders = &ball;
        def.collider_count = k >= 2;
        CHECK(start());
        CHECK(prc_sim_residuals(sim)[0] == 0);
        prc_step_report report;
        for (int step = 0; step < 12; step++) {
            CHECK(prc_sim_step(sim, &report, &error) == PRC_OK);
            if (report.substeps == 1)
                CHECK_NEAR(mean_residual(), report.residual, 1e-9 * report.residual + 1e-15);
        }
        CHECK(report.residual > 0);
        CHECK(prc_sim_stretches(sim) && prc_sim_energy_densities(sim));
        if (report.substeps == 1) /* other questions in between change nothing */
            CHECK_NEAR(mean_residual(), report.residual, 1e-9 * report.residual + 1e-15);
        CHECK(prc_sim_set_state(sim, NULL, prc_sim_velocities(sim), &error) == PRC_OK);
        CHECK(mean_residual() == 0);
    }
}

TEST(obstacles_have_no_stress_curvature_or_energy)
{
    begin();
    CHECK(make_grid(4));
    prc_mesh floor = {0};
    CHECK(prc_mesh_sphere(&floor, 0.2, 1, &error) == PRC_OK);
    for (int i = 0; i < floor.vertex_count; i++)
        floor.positions[3 * i + 2] -= 1;
    prc_obstacle_def obstacle = prc_obstacle_def_default();
    obstacle.mesh = &floor;
    def.obstacles = &obstacle;
    def.obstacle_count = 1;
    def.contact.enabled = true;
    const bool started = start();
    const int first = mesh.vertex_count, end = first + floor.vertex_count;
    prc_mesh_release(&floor);
    CHECK(started && prc_sim_vertex_count(sim) == end);
    const double *areas = prc_sim_areas(sim), *stresses = prc_sim_stresses(sim);
    const double *curvatures = prc_sim_curvatures(sim), *energies = prc_sim_energy_densities(sim);
    CHECK(areas && stresses && curvatures && energies);
    for (int i = first; i < end; i++) {
        CHECK(areas[i] == 0 && energies[i] == 0);
        for (int k = 2 * i; k < 2 * i + 2; k++)
            CHECK(stresses[k] == 0 && curvatures[k] == 0);
    }
}

/* Asking must not change what comes next. */
TEST(asking_leaves_the_motion_as_it_is)
{
    double first[3 * 81];
    for (int asked = 0; asked < 2; asked++) {
        begin();
        body.velocity[0] = 1;
        body.material.damping = 0.01;
        CHECK(make_grid(8) && start() && mesh.vertex_count == 81 && deform(1.1, 0, 0.1, 0.95));
        prc_step_report report = {0};
        for (int k = 0; k < 5; k++) {
            CHECK(prc_sim_step(sim, &report, &error) == PRC_OK);
            if (asked)
                CHECK(prc_sim_stresses(sim) && prc_sim_curvatures(sim) && prc_sim_energy_densities(sim));
        }
        if (!asked)
            memcpy(first, prc_sim_positions(sim), sizeof first);
        else
            CHECK(memcmp(first, prc_sim_positions(sim), sizeof first) == 0);
    }
}

int main(int argc, char **argv)
{
    int failed = prc_test_main(argc, argv);
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return failed;
}
