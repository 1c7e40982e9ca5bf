/* test/test_cost.c — what a step may cost: it does not depend on who watches, and extremes end soon.
 *
 * Iterations and pairs are counted rather than time, so that nothing here depends on the machine.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

/* Sums and the most of several steps. */
typedef struct cost {
    long iterations, most_iterations, most_pairs, detections;
    int unconverged;
} cost;

/* Takes steps, each of which is judged. */
static bool run(scene *s, int steps, cost *of)
{
    memset(of, 0, sizeof *of);
    for (int k = 0; k < steps; k++) {
        if (!scene_step(s) || !scene_safe(s))
            return false;
        const prc_step_report *r = &s->report;
        of->iterations += r->iterations;
        of->detections += r->detections;
        of->most_iterations = r->iterations > of->most_iterations ? r->iterations : of->most_iterations;
        of->most_pairs = r->contact_pairs > of->most_pairs ? r->contact_pairs : of->most_pairs;
    }
    of->unconverged = s->unconverged;
    return true;
}

static bool similar(long a, long b)
{
    return (double)a <= 1.3 * (double)b && (double)b <= 1.3 * (double)a;
}

/* --- who watches --- */

/* Two sheets that touch at 1.5 m/s, askew; everything flies at a common velocity. */
static bool fly(double speed, int component, cost *of)
{
    scene *s = scene_new();
    memset(s->def.gravity, 0, sizeof s->def.gravity);
    s->def.contact.friction = 0.3;
    add_sheet(s, 11, 0.3, along_y, 0, 0, 0, 0)->velocity[1] = 0.5;
    add_sheet(s, 9, 0.25, along_x, 1, 0.003, 8e-3, 0.007)->velocity[1] = -1;
    for (int b = 0; b < 2; b++)
        s->body[b].velocity[component] += speed;
    const bool ran = scene_start(s) && run(s, 8, of);
    scene_free(s);
    return ran;
}

TEST(a_common_velocity_costs_nothing)
{
    cost at_rest, flying;
    CHECK(fly(0, 1, &at_rest));
    printf("    at rest %ld iterations, %ld pairs\n", at_rest.iterations, at_rest.most_pairs);
    const double speeds[] = {4, -12, 100};
    for (int k = 0; k < 6; k++) {
        CHECK(fly(speeds[k % 3], k / 3, &flying));
        CHECK(similar(flying.iterations, at_rest.iterations) && similar(flying.most_pairs, at_rest.most_pairs));
        CHECK(similar(flying.detections, at_rest.detections));
    }
}

/* A plate that is moved flies along with the sheet that lies on it. */
static bool ride(double speed, cost *of)
{
    prc_mesh plate;
    scene *s = scene_new();
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.25;
    grid.cells[0] = grid.cells[1] = 4;
    prc_mesh_grid(&plate, &grid, &s->error);
    prc_mesh_transform(&plate, along_x, -90, 1, (const double[3]){0, 0, 0});
    prc_obstacle_def obstacle = prc_obstacle_def_default();
    obstacle.mesh = &plate;
    obstacle.motion.velocity[0] = speed;
    s->def.obstacles = &obstacle;
    s->def.obstacle_count = 1;
    prc_body_def *sheet = add_sheet(s, 11, 0.3, along_x, 1, 0.003, 8e-3, 0.007);
    sheet->velocity[0] = speed;
    sheet->velocity[1] = -1;
    const bool ran = scene_start(s) && run(s, 8, of);
    scene_free(s);
    prc_mesh_release(&plate);
    return ran;
}

TEST(a_common_velocity_with_what_is_moved_costs_nothing)
{
    cost at_rest, flying;
    CHECK(ride(0, &at_rest));
    printf("    at rest %ld iterations, %ld pairs\n", at_rest.iterations, at_rest.most_pairs);
    for (int k = 0; k < 3; k++) {
        CHECK(ride(k == 0 ? 4 : k == 1 ? -12 : 100, &flying));
        CHECK(similar(flying.iterations, at_rest.iterations) && similar(flying.most_pairs, at_rest.most_pairs));
    }
}

/* --- extremes --- */

/* Two sheets over a plane. */
static scene *two_layers(double gravity, double step)
{
    scene *s = scene_new();
    s->def.gravity[1] = -gravity;
    s->def.time.step = step;
    s->def.contact.friction = 0.3;
    add_plane(s, 0);
    lay_sheet(s, 11, 0.3, 0, 0.01);
    lay_sheet(s, 11, 0.3, 17, 0.016);
    return s;
}

static bool ends_soon(scene *s, int steps, long most_iterations, long most_pairs)
{
    cost of;
    const bool ran = scene_start(s) && run(s, steps, &of);
    if (ran)
        printf("    at most %ld iterations and %ld pairs in a step, %d not converged\n", of.most_iterations,
               of.most_pairs, of.unconverged);
    scene_free(s);
    return ran && of.most_iterations <= most_iterations && of.most_pairs <= most_pairs;
}

TEST(any_gravity_and_any_step_end_soon)
{
    const double gravity[] = {1e5, 1e6}, step[] = {1e-6, 1e-4, 1e-2, 1};
    for (int k = 0; k < 2; k++)
        CHECK(ends_soon(two_layers(gravity[k], 4e-3), 4, 60, 40000));
    for (int k = 0; k < 4; k++)
        CHECK(ends_soon(two_layers(9.81, step[k]), 4, 60, 60000));
}

/* Sheets that meet at 30 m/s: one long move must not leave its pairs to all the others. */
TEST(pairs_of_a_long_move_do_not_stay)
{
    scene *s = scene_new();
    memset(s->def.gravity, 0, sizeof s->def.gravity);
    s->def.contact.friction = 0.3;
    add_sheet(s, 11, 0.3, along_y, 0, 0, 0, 0)->velocity[1] = 15;
    add_sheet(s, 11, 0.3, along_y, 17, 0.003, 6e-3, 0.007)->velocity[1] = -15;
    CHECK(ends_soon(s, 4, 60, 20000));
}

/* What cannot converge is found out, and the rest of the step is short: 4 levels of parts, and 7 with 12 each. */
#define HOPELESS (4 * 100 + 7 * 12)

TEST(a_wire_that_is_hit_at_any_speed_ends_soon)
{
    double points[6] = {-0.3, 0, 0.004, 0.31, 0, 0.013};
    const int segment[2] = {0, 1};
    const double speed[] = {300, 3000};
    for (int k = 0; k < 2; k++) {
        prc_mesh wire = {.vertex_count = 2, .positions = points};
        prc_obstacle_def obstacle = prc_obstacle_def_default();
        obstacle.mesh = &wire;
        obstacle.segments = segment;
        obstacle.segment_count = 1;
        scene *s = scene_new();
        s->def.obstacles = &obstacle;
        s->def.obstacle_count = 1;
        lay_sheet(s, 8, 0.3, 0, 0.01)->velocity[1] = -speed[k];
        CHECK(ends_soon(s, 1, HOPELESS, 20000));
    }
}

TEST(a_sphere_under_any_pressure_ends_soon)
{
    const double over[] = {-20e3, 1e6};
    const int first = 0;
    for (int k = 0; k < 2; k++) {
        scene *s = scene_new();
        prc_mesh_sphere(&s->mesh[s->def.body_count++], 0.1, 1, &s->error);
        prc_pressure_def pressure = prc_pressure_def_default();
        pressure.bodies = &first;
        pressure.body_count = 1;
        pressure.over = over[k];
        s->def.pressures = &pressure;
        s->def.pressure_count = 1;
        CHECK(ends_soon(s, 1, HOPELESS, 20000));
    }
}

TEST(much_friction_under_much_force_ends_soon)
{
    scene *s = two_layers(9.81, 4e-3);
    prc_force_def force = prc_force_def_default();
    force.body = 1;
    force.force[1] = -200;
    s->def.forces = &force;
    s->def.force_count = 1;
    s->def.contact.friction = 5;
    CHECK(ends_soon(s, 1, HOPELESS, 20000));
}

TEST_MAIN()
