/* test_physics.c — whole simulations at small size: pins, forces, air, damping, rest shapes, several bodies, odd
 * meshes. The large comparisons with known answers are in evidence/. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/memory.h"

#include <percale/percale.h>

#include <stdlib.h>
#include <string.h>

#define MOST 2000

/* A scene of up to two bodies with everything it points to. */
typedef struct scene {
    prc_mesh mesh[2];
    prc_body_def body[2];
    prc_pin_def pin[2];
    prc_force_def force[2];
    prc_sim_def def;
    prc_sim *sim;
    prc_error error;
} scene;

static prc_mesh grid(int along, int across, double length, double width, prc_grid_pattern pattern)
{
    prc_mesh mesh = {0};
    prc_grid_def def = prc_grid_def_default();
    def.size[0] = length;
    def.size[1] = width;
    def.cells[0] = along;
    def.cells[1] = across;
    def.pattern = pattern;
    prc_mesh_grid(&mesh, &def, NULL);
    return mesh;
}

/* One irregular sheet of 1 m, no gravity, tight tolerance. */
static scene *scene_new(int cells)
{
    scene *s = calloc(1, sizeof *s);
    s->mesh[0] = grid(cells, cells, 1, 1, PRC_GRID_IRREGULAR);
    for (int k = 0; k < 2; k++) {
        s->body[k] = prc_body_def_default();
        s->body[k].mesh = &s->mesh[k];
        s->body[k].material.bending = 1e-3;
        s->pin[k] = prc_pin_def_default();
        s->force[k] = prc_force_def_default();
    }
    s->def = prc_sim_def_default();
    s->def.bodies = s->body;
    s->def.body_count = 1;
    s->def.pins = s->pin;
    s->def.forces = s->force;
    s->def.gravity[0] = s->def.gravity[1] = s->def.gravity[2] = 0;
    s->def.time.step = 0.01;
    s->def.solver.tolerance = 1e-9;
    s->def.solver.inner_tolerance = 0.01;
    s->def.threads = 1;
    return s;
}

static bool scene_start(scene *s)
{
    prc_sim_destroy(s->sim);
    s->sim = prc_sim_create(&s->def, &s->error);
    return s->sim != NULL;
}

static bool scene_run(scene *s, int steps)
{
    for (int k = 0; k < steps; k++) {
        prc_step_report report;
        if (prc_sim_step(s->sim, &report, &s->error) != PRC_OK || !report.converged)
            return false;
    }
    return true;
}

static void scene_free(scene *s)
{
    prc_sim_destroy(s->sim);
    prc_mesh_release(&s->mesh[0]);
    prc_mesh_release(&s->mesh[1]);
    free(s);
}

/* Vertices with x at `at`; returns how many. */
static int column(const prc_mesh *mesh, double at, int *list)
{
    int count = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (fabs(mesh->positions[3 * i] - at) < 1e-9)
            list[count++] = i;
    return count;
}

static double distance(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* --- pins --- */

TEST(fixed_pins_do_not_move_by_a_bit)
{
    scene *s = scene_new(6);
    int list[MOST];
    s->pin[0].vertices = list;
    s->pin[0].vertex_count = column(&s->mesh[0], -0.5, list);
    s->def.pin_count = 1;
    s->def.gravity[2] = -9.81;
    CHECK(scene_start(s) && scene_run(s, 10));
    const double *x = prc_sim_positions(s->sim);
    for (int k = 0; k < s->pin[0].vertex_count; k++)
        CHECK(memcmp(x + 3 * list[k], s->mesh[0].positions + 3 * list[k], 3 * sizeof *x) == 0);
    CHECK(x[3 * (s->mesh[0].vertex_count - 1) + 2] < -0.01);
    scene_free(s);
}

TEST(pins_with_a_velocity_are_exactly_where_they_should_be_after_each_step)
{
    scene *s = scene_new(6);
    int list[MOST];
    const double velocity[3] = {0.3, -0.2, 0.7};
    s->pin[0].vertices = list;
    s->pin[0].vertex_count = column(&s->mesh[0], 0.5, list);
    memcpy(s->pin[0].motion.velocity, velocity, sizeof velocity);
    s->def.pin_count = 1;
    CHECK(scene_start(s));
    for (int step = 0; step < 10; step++) {
        CHECK(scene_run(s, 1));
        const double *x = prc_sim_positions(s->sim), t = prc_sim_time(s->sim);
        for (int k = 0; k < s->pin[0].vertex_count; k++)
            for (int c = 0; c < 3; c++)
                CHECK(x[3 * list[k] + c] == s->mesh[0].positions[3 * list[k] + c] + velocity[c] * t);
    }
    scene_free(s);
}

TEST(rotating_pins_are_on_their_circle)
{
    scene *s = scene_new(4);
    int list[MOST];
    s->pin[0].vertices = list;
    s->pin[0].vertex_count = column(&s->mesh[0], 0.5, list);
    s->pin[0].motion.axis[1] = 0;
    s->pin[0].motion.axis[2] = 2;
    s->pin[0].motion.center[0] = 0.1;
    s->pin[0].motion.degrees_per_second = 90;
    s->def.pin_count = 1;
    CHECK(scene_start(s) && scene_run(s, 50));
    const double *x = prc_sim_positions(s->sim), angle = 90 * 0.5 * 3.14159265358979323846 / 180;
    for (int k = 0; k < s->pin[0].vertex_count; k++) {
        const double *at = s->mesh[0].positions + 3 * list[k];
        CHECK_NEAR(x[3 * list[k]], 0.1 + cos(angle) * (at[0] - 0.1) - sin(angle) * at[1], 1e-13);
        CHECK_NEAR(x[3 * list[k] + 1], sin(angle) * (at[0] - 0.1) + cos(angle) * at[1], 1e-13);
        CHECK_NEAR(x[3 * list[k] + 2], 0, 1e-13);
    }
    scene_free(s);
}

TEST(a_pin_holds_from_its_time_until_its_time)
{
    scene *s = scene_new(4);
    int list[MOST];
    s->pin[0].vertices = list;
    s->pin[0].vertex_count = s->mesh[0].vertex_count;
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        list[i] = i;
    s->pin[0].from = 0.05;
    s->pin[0].until = 0.1;
    s->def.pin_count = 1;
    s->def.gravity[2] = -10;
    CHECK(scene_start(s) && scene_run(s, 5));
    double held = prc_sim_positions(s->sim)[2];
    CHECK_NEAR(held, -10 * 1e-4 * 15, 1e-9); /* five free steps of implicit Euler: g h² (1 + … + 5) */
    CHECK(scene_run(s, 5));
    CHECK(prc_sim_positions(s->sim)[2] == held);
    CHECK(scene_run(s, 1));
    CHECK(prc_sim_positions(s->sim)[2] < held);
    scene_free(s);
}

TEST(where_pins_overlap_the_later_one_holds)
{
    scene *s = scene_new(4);
    int list[MOST];
    for (int k = 0; k < 2; k++) {
        s->pin[k].vertices = list;
        s->pin[k].vertex_count = column(&s->mesh[0], 0.5, list);
    }
    s->pin[1].motion.velocity[2] = 1;
    s->def.pin_count = 2;
    CHECK(scene_start(s) && scene_run(s, 3));
    CHECK_NEAR(prc_sim_positions(s->sim)[3 * list[0] + 2], 0.03, 1e-15);
    scene_free(s);
}

/* --- forces, air, damping --- */

TEST(a_force_on_a_group_gives_the_body_its_impulse_and_nothing_before_or_after)
{
    scene *s = scene_new(6);
    int list[MOST];
    const double force[3] = {0.02, -0.01, 0.05};
    s->force[0].vertices = list;
    s->force[0].vertex_count = column(&s->mesh[0], -0.5, list);
    memcpy(s->force[0].force, force, sizeof force);
    s->force[0].from = 0.03;
    s->force[0].until = 0.08;
    s->def.force_count = 1;
    CHECK(scene_start(s));
    prc_step_report report;
    for (int step = 1; step <= 12; step++) {
        CHECK(prc_sim_step(s->sim, &report, NULL) == PRC_OK);
        double acting = step < 4 ? 0 : step > 8 ? 0.05 : 0.01 * (step - 3);
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(report.momentum[c], force[c] * acting, 1e-9);
    }
    scene_free(s);
}

/* 300 times 1 ms is a little more than 0.3 s: the step that ends there is still before the force. */
TEST(a_force_begins_after_the_step_that_ends_when_it_does)
{
    scene *s = scene_new(2);
    s->def.time.step = 1e-3;
    s->force[0].force[0] = 1;
    s->force[0].from = 0.3;
    s->def.force_count = 1;
    CHECK(scene_start(s));
    for (int k = 1; k <= 301; k++) {
        prc_step_report report;
        CHECK(prc_sim_step(s->sim, &report, &s->error) == PRC_OK);
        CHECK((report.momentum[0] > 1e-9) == (k > 300));
    }
    scene_free(s);
}

TEST(a_flat_sheet_falls_at_the_speed_where_drag_balances_weight)
{
    scene *s = scene_new(4);
    s->def.gravity[2] = -9.81;
    s->def.air.density = 1.2;
    s->def.air.drag = 1.3;
    CHECK(scene_start(s) && scene_run(s, 300));
    const double speed = sqrt(2 * s->body[0].material.density * 9.81 / (1.2 * 1.3));
    const double *v = prc_sim_velocities(s->sim);
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        CHECK_NEAR(v[3 * i + 2], -speed, 1e-6);
    scene_free(s);
}

TEST(wind_along_the_sheet_does_not_push_it_and_wind_across_does)
{
    scene *s = scene_new(4);
    s->def.air.density = 1.2;
    s->def.air.wind[0] = 5;
    CHECK(scene_start(s) && scene_run(s, 5));
    CHECK_NEAR(prc_sim_velocities(s->sim)[0], 0, 1e-12);
    s->def.air.wind[2] = 5;
    CHECK(scene_start(s) && scene_run(s, 5));
    CHECK(prc_sim_velocities(s->sim)[2] > 0.1);
    scene_free(s);
}

TEST(mass_damping_slows_a_flying_sheet_at_its_rate)
{
    scene *s = scene_new(4);
    s->body[0].material.mass_damping = 2;
    s->body[0].velocity[0] = 3;
    s->def.time.step = 1e-3;
    CHECK(scene_start(s) && scene_run(s, 500));
    CHECK_NEAR(prc_sim_velocities(s->sim)[0], 3 * pow(1 + 2e-3, -500), 1e-9);
    CHECK_NEAR(prc_sim_velocities(s->sim)[0], 3 * exp(-1), 2e-3);
    scene_free(s);
}

/* Energy after half a second of a sheet that starts with the given spin and stretching speed. */
static double energy_after(double damping, double spin, double pulse, double *start)
{
    *start = NAN;
    scene *s = scene_new(5);
    double velocity[3 * 36];
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        const double *x = s->mesh[0].positions + 3 * i;
        velocity[3 * i] = -spin * x[1] + pulse * x[0];
        velocity[3 * i + 1] = spin * x[0] - pulse * x[1];
        velocity[3 * i + 2] = 0;
    }
    s->body[0].vertex_velocity = velocity;
    s->body[0].material.damping = damping;
    s->body[0].material.stretch = 20; /* slow enough for the time step not to damp by itself */
    s->def.time.step = 2e-3;
    s->def.time.integrator = PRC_INTEGRATOR_BDF2;
    double energy = NAN;
    if (scene_start(s)) {
        prc_step_report report = {0};
        const double *m = prc_sim_masses(s->sim);
        *start = 0;
        for (int k = 0; k < 3 * s->mesh[0].vertex_count; k++)
            *start += 0.5 * m[k / 3] * velocity[k] * velocity[k];
        for (int k = 0; k < 250; k++)
            prc_sim_step(s->sim, &report, NULL);
        energy = report.energy_kinetic + report.energy_elastic;
    }
    scene_free(s);
    return energy;
}

TEST(stiffness_damping_ends_a_vibration)
{
    double start, without = energy_after(0, 0, 0.5, &start), with = energy_after(0.02, 0, 0.5, &start);
    CHECK(without > 0.2 * start);
    CHECK(with < 1e-4 * start);
}

TEST(stiffness_damping_leaves_rigid_rotation_alone)
{
    double start, without = energy_after(0, 0.5, 0, &start), with = energy_after(0.02, 0.5, 0, &start);
    CHECK(without > 0.98 * start);
    CHECK_NEAR(with / start, without / start, 5e-3);
}

/* --- rest shapes, materials, bodies --- */

TEST(texture_coordinates_are_the_rest_shape_where_asked)
{
    scene *s = scene_new(5);
    double texture[2 * 36], gradient[3 * 36], shrunk[3 * 36], energy;
    prc_mesh patterned = s->mesh[0];
    for (int i = 0; i < patterned.vertex_count; i++)
        for (int c = 0; c < 2; c++)
            texture[2 * i + c] = 0.8 * patterned.positions[3 * i + c];
    patterned.texture = texture;
    s->body[0].mesh = &patterned;
    s->body[0].rest = PRC_REST_TEXTURE;
    CHECK(scene_start(s));
    const double *stretch = prc_sim_stretches(s->sim);
    for (int k = 0; k < 2 * patterned.vertex_count; k++)
        CHECK_NEAR(stretch[k], 1.25, 1e-12);
    for (int k = 0; k < 3 * patterned.vertex_count; k++)
        shrunk[k] = 0.8 * patterned.positions[k];
    CHECK(prc_sim_elastic(s->sim, shrunk, &energy, gradient, NULL) == PRC_OK);
    CHECK_NEAR(energy, 0, 1e-12);
    scene_free(s);
}

TEST(another_mesh_is_the_rest_shape_where_given)
{
    scene *s = scene_new(5);
    double energy, bent;
    prc_mesh curved = {0};
    CHECK(prc_mesh_copy(&curved, &s->mesh[0], NULL) == PRC_OK);
    for (int i = 0; i < curved.vertex_count; i++) {
        double x = curved.positions[3 * i];
        curved.positions[3 * i] = 0.5 * sin(x / 0.5);
        curved.positions[3 * i + 2] = 0.5 * cos(x / 0.5);
    }
    s->body[0].rest_mesh = &curved;
    CHECK(scene_start(s));
    CHECK(prc_sim_elastic(s->sim, curved.positions, &energy, NULL, NULL) == PRC_OK);
    CHECK(prc_sim_elastic(s->sim, s->mesh[0].positions, &bent, NULL, NULL) == PRC_OK);
    CHECK_NEAR(energy, 0, 1e-12);
    CHECK(bent > 1e-4);
    prc_mesh_release(&curved);
    scene_free(s);
}

TEST(two_bodies_move_as_each_does_alone)
{
    static double alone[2][MOST];
    int first = 0;
    scene *s = scene_new(5);
    s->mesh[1] = grid(4, 7, 0.6, 1, PRC_GRID_REGULAR);
    s->body[1].material.model = PRC_MODEL_NEO_HOOKEAN_2D;
    s->body[1].velocity[2] = 1;
    s->def.gravity[1] = -9.81;
    s->def.solver.tolerance = 1e-11;
    s->def.solver.max_iterations = 500;
    for (int b = 0; b < 2; b++) {
        int corner = 0;
        scene *one = scene_new(2);
        one->def = s->def;
        one->def.bodies = &s->body[b];
        one->pin[0].vertices = &corner;
        one->pin[0].vertex_count = 1;
        one->def.pins = one->pin;
        one->def.pin_count = 1;
        CHECK(scene_start(one) && scene_run(one, 10));
        const int count = 3 * s->mesh[b].vertex_count;
        memcpy(alone[b], prc_sim_positions(one->sim), sizeof(double) * (size_t)count);
        scene_free(one);
    }
    int corner = 0;
    for (int b = 0; b < 2; b++) {
        s->pin[b].body = b;
        s->pin[b].vertices = &corner;
        s->pin[b].vertex_count = 1;
    }
    s->def.body_count = s->def.pin_count = 2;
    CHECK(scene_start(s) && scene_run(s, 10));
    for (int b = 0; b < 2; b++, first += s->mesh[0].vertex_count) {
        CHECK(prc_sim_body_first_vertex(s->sim, b) == first);
        CHECK(distance(prc_sim_positions(s->sim) + 3 * first, alone[b], 3 * s->mesh[b].vertex_count) < 1e-10);
    }
    scene_free(s);
}

TEST(groups_of_vertices_have_the_material_they_were_given)
{
    scene *s = scene_new(2);
    prc_mesh_release(&s->mesh[0]);
    s->mesh[0] = grid(20, 4, 1, 0.2, PRC_GRID_REGULAR);
    int group[21 * 5], ends[MOST], count;
    prc_material_def stiff = s->body[0].material;
    s->body[0].material.model = stiff.model = PRC_MODEL_B1;
    s->body[0].material.stretch = 100;
    stiff.stretch = 400;
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        group[i] = s->mesh[0].positions[3 * i] > 0;
    s->body[0].materials = &stiff;
    s->body[0].material_count = 1;
    s->body[0].vertex_material = group;
    s->body[0].material.mass_damping = stiff.mass_damping = 20;
    count = column(&s->mesh[0], -0.5, ends);
    count += column(&s->mesh[0], 0.5, ends + count);
    s->pin[0].vertices = ends;
    s->pin[0].vertex_count = count;
    s->def.pin_count = 1;
    s->mesh[1] = s->mesh[0]; /* the flat strip is the rest shape of one that is pulled by 10 % */
    CHECK(prc_mesh_copy(&s->mesh[0], &s->mesh[1], NULL) == PRC_OK);
    s->body[0].rest_mesh = &s->mesh[1];
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        s->mesh[0].positions[3 * i] *= 1.1;
    CHECK(scene_start(s) && scene_run(s, 100));
    const double *stretch = prc_sim_stretches(s->sim);
    double strain[2] = {0, 0}; /* sums over equal numbers of vertices away from the seam, where the strain alternates */
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        double x = fabs(s->mesh[1].positions[3 * i]);
        strain[group[i]] += x > 0.29 && x < 0.46 ? stretch[2 * i] - 1 : 0;
    }
    CHECK_NEAR(strain[0] / strain[1], 4, 0.02);
    scene_free(s);
}

TEST(the_numbering_of_the_vertices_does_not_matter)
{
    scene *s = scene_new(6);
    const int n = s->mesh[0].vertex_count;
    int order[49], corner[2] = {0, 6};
    prc_mesh *shuffled = &s->mesh[1];
    CHECK(prc_mesh_copy(shuffled, &s->mesh[0], NULL) == PRC_OK);
    for (int i = 0; i < n; i++)
        order[i] = (i * 17 + 5) % n; /* 17 and 49 have no common factor */
    for (int i = 0; i < n; i++)
        memcpy(shuffled->positions + 3 * order[i], s->mesh[0].positions + 3 * i, 3 * sizeof(double));
    for (int k = 0; k < 3 * shuffled->triangle_count; k++)
        shuffled->triangles[k] = order[s->mesh[0].triangles[k]];
    s->pin[0].vertices = corner;
    s->pin[0].vertex_count = 2;
    s->def.pin_count = 1;
    s->def.gravity[2] = -9.81;
    s->def.solver.tolerance = 1e-12;
    s->def.solver.max_iterations = 500;
    CHECK(scene_start(s));
    for (int k = 0; k < 20; k++)
        CHECK(prc_sim_step(s->sim, NULL, NULL) == PRC_OK);
    double x[3 * 49];
    memcpy(x, prc_sim_positions(s->sim), sizeof x);
    corner[0] = order[0];
    corner[1] = order[6];
    s->body[0].mesh = shuffled;
    CHECK(scene_start(s));
    for (int k = 0; k < 20; k++)
        CHECK(prc_sim_step(s->sim, NULL, NULL) == PRC_OK);
    for (int i = 0; i < n; i++)
        CHECK(distance(prc_sim_positions(s->sim) + 3 * order[i], x + 3 * i, 3) < 1e-10);
    scene_free(s);
}

/* --- odd meshes --- */

static void swing(scene *s, const int *pinned, int count)
{
    s->pin[0].vertices = pinned;
    s->pin[0].vertex_count = count;
    s->def.pin_count = count > 0;
    s->def.gravity[2] = -9.81;
}

TEST(a_fan_of_40_triangles_swings_without_tearing)
{
    scene *s = scene_new(2);
    double positions[3 * 41] = {0};
    int triangles[3 * 40], pinned[2] = {1, 2};
    prc_mesh fan = {.vertex_count = 41, .triangle_count = 40, .positions = positions, .triangles = triangles};
    for (int k = 0; k < 40; k++) {
        positions[3 * (k + 1)] = cos(k * 3.14159265358979323846 / 20);
        positions[3 * (k + 1) + 1] = sin(k * 3.14159265358979323846 / 20);
        triangles[3 * k] = 0;
        triangles[3 * k + 1] = 1 + k;
        triangles[3 * k + 2] = 1 + (k + 1) % 40;
    }
    s->body[0].mesh = &fan;
    swing(s, pinned, 2);
    CHECK(scene_start(s) && scene_run(s, 50));
    const double *stretch = prc_sim_stretches(s->sim);
    for (int k = 0; k < 2 * fan.vertex_count; k++)
        CHECK(stretch[k] > 0.5 && stretch[k] < 1.5);
    scene_free(s);
}

TEST(a_single_triangle_swings_on_its_corner)
{
    scene *s = scene_new(2);
    double positions[9] = {0, 0, 0, 1, 0, 0, 0.5, 0.8, 0};
    int triangles[3] = {0, 1, 2}, pinned = 0;
    prc_mesh triangle = {.vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = triangles};
    s->body[0].mesh = &triangle;
    swing(s, &pinned, 1);
    CHECK(scene_start(s) && scene_run(s, 100));
    const double *x = prc_sim_positions(s->sim);
    CHECK_NEAR(sqrt(x[3] * x[3] + x[4] * x[4] + x[5] * x[5]), 1, 0.05);
    scene_free(s);
}

TEST(a_closed_sphere_in_free_fall_keeps_its_shape)
{
    scene *s = scene_new(2);
    prc_mesh_release(&s->mesh[0]);
    CHECK(prc_mesh_sphere(&s->mesh[0], 0.5, 2, NULL) == PRC_OK);
    swing(s, NULL, 0);
    CHECK(scene_start(s) && scene_run(s, 20));
    const double *x = prc_sim_positions(s->sim), fallen = 9.81 * 1e-4 * 210; /* g h² (1 + … + 20) */
    for (int i = 0; i < s->mesh[0].vertex_count; i++)
        for (int c = 0; c < 3; c++)
            CHECK_NEAR(x[3 * i + c], s->mesh[0].positions[3 * i + c] - (c == 2 ? fallen : 0), 1e-9);
    scene_free(s);
}

/* --- the interface --- */

TEST(no_step_allocates)
{
    for (int method = PRC_METHOD_NEWTON; method <= PRC_METHOD_SISSM; method++)
        for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
            scene *s = scene_new(12);
            s->def.solver.method = (prc_method)method;
            s->def.solver.tolerance = 1e-4;
            s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
            s->def.precision = (prc_precision)precision;
            s->def.air.density = 1.2;
            s->def.gravity[2] = -9.81;
            s->body[0].material.damping = 1e-3;
            CHECK(scene_start(s));
            CHECK(prc_sim_step(s->sim, NULL, NULL) == PRC_OK);
            const size_t before = prc_alloc_count();
            for (int k = 0; k < 5; k++)
                CHECK(prc_sim_step(s->sim, NULL, NULL) == PRC_OK);
            prc_sim_positions(s->sim);
            prc_sim_stretches(s->sim);
            CHECK(prc_alloc_count() == before);
            scene_free(s);
        }
}

TEST(a_state_that_is_set_is_the_state)
{
    scene *s = scene_new(4);
    double x[3 * 25], v[3 * 25];
    for (int k = 0; k < 75; k++) {
        x[k] = s->mesh[0].positions[k] + 0.01 * sin(k);
        v[k] = cos(k);
    }
    CHECK(scene_start(s) && scene_run(s, 2));
    CHECK(prc_sim_set_state(s->sim, x, v, NULL) == PRC_OK);
    CHECK(memcmp(prc_sim_positions(s->sim), x, sizeof x) == 0);
    CHECK(memcmp(prc_sim_velocities(s->sim), v, sizeof v) == 0);
    v[7] = NAN;
    CHECK(prc_sim_set_state(s->sim, NULL, v, &s->error) == PRC_ERROR_INPUT);
    CHECK_TEXT(s->error.message, "not finite");
    CHECK(prc_sim_velocities(s->sim)[7] == cos(7));
    scene_free(s);
}

TEST(two_steps_in_one_run_equal_two_runs_joined_by_the_state)
{
    scene *s = scene_new(5);
    double x[3 * 36], v[3 * 36];
    s->body[0].velocity[1] = 1;
    s->def.gravity[2] = -9.81;
    CHECK(scene_start(s) && scene_run(s, 4));
    memcpy(x, prc_sim_positions(s->sim), sizeof x);
    memcpy(v, prc_sim_velocities(s->sim), sizeof v);
    CHECK(scene_run(s, 1));
    double once[3 * 36];
    memcpy(once, prc_sim_positions(s->sim), sizeof once);
    CHECK(prc_sim_set_state(s->sim, x, v, NULL) == PRC_OK && scene_run(s, 1));
    CHECK(distance(prc_sim_positions(s->sim), once, 3 * 36) < 1e-10);
    scene_free(s);
}

TEST(a_cap_that_is_hit_is_reported)
{
    scene *s = scene_new(6);
    prc_step_report report;
    int corner = 0;
    swing(s, &corner, 1);
    s->def.solver.max_iterations = 1;
    s->def.solver.max_substeps = 1;
    s->def.solver.tolerance = 1e-14;
    CHECK(scene_start(s));
    CHECK(prc_sim_step(s->sim, &report, NULL) == PRC_OK);
    CHECK(!report.converged && strcmp(report.stop, "max_iterations") == 0);
    CHECK(report.residual > 0 && report.iterations == 1);
    scene_free(s);
}

static int traced;
static void count_trace(void *context, int iteration, int inner, double energy, double residual, double seconds)
{
    (void)inner, (void)seconds;
    double *last = context;
    traced += iteration >= 0 && isfinite(energy) && isfinite(residual);
    *last = energy;
}

TEST(a_trace_sees_every_iteration)
{
    scene *s = scene_new(6);
    prc_step_report report;
    double last = NAN;
    int corner = 0;
    swing(s, &corner, 1);
    CHECK(scene_start(s));
    prc_sim_set_trace(s->sim, count_trace, &last);
    traced = 0;
    CHECK(prc_sim_step(s->sim, &report, NULL) == PRC_OK);
    CHECK(traced >= report.iterations && isfinite(last));
    scene_free(s);
}

TEST(reported_energies_are_those_of_the_state)
{
    scene *s = scene_new(6);
    prc_step_report report;
    int corner = 0;
    double energy, kinetic = 0;
    swing(s, &corner, 1);
    CHECK(scene_start(s) && scene_run(s, 5));
    CHECK(prc_sim_step(s->sim, &report, NULL) == PRC_OK);
    const double *v = prc_sim_velocities(s->sim), *m = prc_sim_masses(s->sim);
    for (int k = 0; k < 3 * s->mesh[0].vertex_count; k++)
        kinetic += 0.5 * m[k / 3] * v[k] * v[k];
    CHECK_NEAR(report.energy_kinetic, kinetic, 1e-12);
    CHECK(prc_sim_elastic(s->sim, prc_sim_positions(s->sim), &energy, NULL, NULL) == PRC_OK);
    CHECK_NEAR(report.energy_elastic, energy, 1e-9 * energy + 1e-12);
    CHECK_NEAR(report.time, 0.06, 1e-12);
    scene_free(s);
}

TEST(single_precision_follows_double_ten_metres_away)
{
    static double x[2][3 * 49];
    for (int p = 0; p < 2; p++) {
        scene *s = scene_new(6);
        const double axis[3] = {1, 0, 0}, shift[3] = {10, -7, 4};
        int corner = 0;
        prc_mesh_transform(&s->mesh[0], axis, 0, 1, shift);
        swing(s, &corner, 1);
        s->def.precision = p ? PRC_PRECISION_DOUBLE : PRC_PRECISION_SINGLE;
        s->def.solver.tolerance = p ? 1e-8 : 1e-5;
        CHECK(scene_start(s));
        for (int k = 0; k < 20; k++)
            CHECK(prc_sim_step(s->sim, NULL, NULL) == PRC_OK);
        memcpy(x[p], prc_sim_positions(s->sim), sizeof x[p]);
        scene_free(s);
    }
    CHECK(distance(x[0], x[1], 3 * 49) < 2e-5);
}

/* --- what is refused --- */

static bool refuses(scene *s, const char *part)
{
    memset(&s->error, 0, sizeof s->error);
    bool started = scene_start(s);
    return !started && s->error.code == PRC_ERROR_INPUT && strstr(s->error.message, part);
}

TEST(a_def_without_its_default_is_refused)
{
    scene *s = scene_new(3);
    s->def.cookie = 0;
    CHECK(!scene_start(s));
    CHECK_TEXT(s->error.message, "prc_sim_def_default");
    scene_free(s);
}

TEST(numbers_that_make_no_sense_are_refused_with_their_name)
{
    scene *s = scene_new(3);
    s->def.time.step = 0;
    CHECK(refuses(s, "time.step"));
    s->def.time.step = 0.01;
    s->def.solver.tolerance = -1;
    CHECK(refuses(s, "solver.tolerance"));
    s->def.solver.tolerance = 1e-4;
    s->def.gravity[1] = NAN;
    CHECK(refuses(s, "gravity"));
    s->def.gravity[1] = 0;
    s->body[0].material.density = -1;
    CHECK(refuses(s, "density"));
    s->body[0].material.density = 0.2;
    s->def.body_count = 0;
    CHECK(refuses(s, "bod"));
    scene_free(s);
}

TEST(pins_and_forces_on_vertices_that_do_not_exist_are_refused)
{
    scene *s = scene_new(3);
    int list = 16;
    s->pin[0].vertices = &list;
    s->pin[0].vertex_count = 1;
    s->def.pin_count = 1;
    CHECK(refuses(s, "pins[0]"));
    s->pin[0].body = 1;
    CHECK(refuses(s, "pins[0].body"));
    s->def.pin_count = 0;
    s->force[0].vertices = &list;
    s->force[0].vertex_count = 1;
    s->def.force_count = 1;
    CHECK(refuses(s, "forces[0]"));
    scene_free(s);
}

TEST(a_pin_that_ends_before_it_starts_is_refused)
{
    scene *s = scene_new(3);
    int list = 0;
    s->pin[0].vertices = &list;
    s->pin[0].vertex_count = 1;
    s->pin[0].from = 2;
    s->pin[0].until = 1;
    s->def.pin_count = 1;
    CHECK(refuses(s, "until"));
    scene_free(s);
}

TEST(a_rest_mesh_of_another_shape_is_refused)
{
    scene *s = scene_new(3);
    s->mesh[1] = grid(2, 2, 1, 1, PRC_GRID_REGULAR);
    s->body[0].rest_mesh = &s->mesh[1];
    CHECK(refuses(s, "rest"));
    s->body[0].rest_mesh = NULL;
    s->body[0].rest = PRC_REST_TEXTURE;
    prc_mesh bare = s->mesh[0];
    bare.texture = NULL;
    s->body[0].mesh = &bare;
    CHECK(refuses(s, "texture"));
    scene_free(s);
}

TEST(a_mesh_that_cannot_be_simulated_is_refused_with_the_name_of_its_body)
{
    scene *s = scene_new(3);
    s->body[0].name = "skirt";
    s->mesh[0].triangles[0] = 99;
    CHECK(refuses(s, "skirt"));
    scene_free(s);
}

TEST_MAIN()
