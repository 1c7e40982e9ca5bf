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

TEST_MAIN()
