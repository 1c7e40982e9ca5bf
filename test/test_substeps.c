/* test/test_substeps.c — steps that do not converge are taken again in parts: when, how, and what they leave behind.
 *
 * A part of a step must be what a shorter step is, to the bit; that is how forces, pins, air, colliders and obstacles
 * are seen to be those of the right moment. SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "forces_scene.h"
#include "harness.h"

#define H 4e-3

/* --- scenes --- */

/* A cloth without contact, with a pin that takes hold and one that lets go within the second half of a step, a force
 * that begins and ends within one, a spring that begins in the second half, air, gusts and damping. */
static scene *cloth(void)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    s->def.solver.tolerance = 1e-7;
    prc_body_def *body = add_sheet(s, 8, 0.5, along_x, 30, 0, 0, 0);
    body->material.damping = 1e-3;
    body->material.mass_damping = 0.1;
    body->velocity[2] = 3;
    prc_pin_def *first = add_pin(s, 0, 0.09);
    first->until = 0.6 * H;
    prc_pin_def *second = add_pin(s, 0, 0.12);
    second->from = 0.6 * H;
    second->motion.velocity[0] = 4;
    static const prc_force_def force = {.force = {3, 0, 2}, .from = 0.1 * H, .until = 0.6 * H};
    s->def.forces = &force;
    s->def.force_count = 1;
    pull_and_blow(s, 0.6 * H);
    return s;
}

/* A sheet between a collider and an obstacle that move and turn. */
static scene *press(prc_obstacle_def *obstacle, prc_mesh *plate)
{
    scene *s = scene_new();
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.15;
    grid.cells[0] = grid.cells[1] = 3;
    prc_mesh_grid(plate, &grid, &s->error);
    prc_mesh_transform(plate, along_x, -90, 1, (const double[3]){0, 0.016, 0});
    *obstacle = prc_obstacle_def_default();
    obstacle->mesh = plate;
    obstacle->motion.velocity[1] = -1;
    obstacle->motion.degrees_per_second = 90;
    s->def.obstacles = obstacle;
    s->def.obstacle_count = 1;
    s->def.contact.friction = 0.3;
    s->def.contact.stiffness = 5000; /* else it is that of the step; no gap is crowded, and adapts it between steps */
    s->def.solver.tolerance = 1e-5;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    lay_sheet(s, 5, 0.3, 10, 0.008)->velocity[1] = -5;
    prc_collider_def *sphere = add_collider(s, PRC_SHAPE_SPHERE);
    sphere->radius = 0.1;
    sphere->center[1] = -0.1;
    sphere->motion.velocity[1] = 1;
    sphere->motion.degrees_per_second = 300;
    return s;
}

/* --- running --- */

static char *saved(prc_sim *sim, size_t *size)
{
    *size = prc_sim_saved_size(sim);
    char *bytes = malloc(*size);
    prc_sim_save(sim, bytes);
    return bytes;
}

/* Takes one step with the smallest cap of iterations with which its parts converge, but not the whole; says whether
 * there is one. The cap is put back. */
static bool step_in_parts(scene *s)
{
    const int cap = s->sim->def.solver.max_iterations;
    size_t size;
    char *bytes = saved(s->sim, &size);
    bool found = false;
    for (int k = 1; k < 100 && !found; k++) {
        s->sim->def.solver.max_iterations = k;
        found = prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK && s->report.substeps > 1 && s->report.converged;
        if (!found)
            prc_sim_restore(s->sim, bytes, size, &s->error);
    }
    s->sim->def.solver.max_iterations = cap;
    free(bytes);
    if (!found)
        printf("    no cap makes the whole fail and its parts converge\n");
    return found;
}

static bool same_state(prc_sim *a, prc_sim *b)
{
    const size_t bytes = 3 * sizeof(double) * (size_t)prc_sim_vertex_count(a);
    return memcmp(prc_sim_positions(a), prc_sim_positions(b), bytes) == 0 &&
           memcmp(prc_sim_velocities(a), prc_sim_velocities(b), bytes) == 0;
}

/* Whether the first step, in halves, is two steps of half the length. (Later ones guess from another step before.) */
static bool halves_are_shorter_steps(scene *s)
{
    prc_sim_def def = s->def;
    s->def.solver.max_substeps = 2;
    def.time.step /= 2;
    prc_sim *other = prc_sim_create(&def, &s->error);
    bool same = other && scene_start(s) && step_in_parts(s);
    for (int half = 0; half < 2; half++)
        same = same && prc_sim_step(other, NULL, &s->error) == PRC_OK;
    same = same && same_state(s->sim, other);
    prc_sim_destroy(other);
    return same;
}

/* --- claims --- */

TEST(a_part_of_a_step_is_a_shorter_step)
{
    scene *s = cloth();
    CHECK(halves_are_shorter_steps(s));
    CHECK(s->report.substeps == 2 && s->report.retries == 1);
    scene_free(s);
}

TEST(a_part_of_a_step_under_pressure_is_a_shorter_step)
{
    scene *s = ball_under(3e4);
    s->def.solver.tolerance = 1e-7;
    CHECK(halves_are_shorter_steps(s));
    scene_free(s);
}

TEST(a_part_of_a_step_with_contact_is_a_shorter_step)
{
    prc_obstacle_def obstacle;
    prc_mesh plate;
    scene *s = press(&obstacle, &plate);
    CHECK(halves_are_shorter_steps(s));
    CHECK(s->report.active_contacts > 0);
    scene_free(s);
    prc_mesh_release(&plate);
}

TEST(times_do_not_depend_on_parts)
{
    scene *s = cloth(), *plain = cloth();
    plain->def.time.step = s->def.time.step = 1e-3 / 3;
    CHECK(scene_start(s) && scene_start(plain));
    bool parts = false;
    for (int k = 0; k < 20; k++) {
        s->sim->def.solver.max_iterations = k % 3 ? 100 : 2;
        CHECK(scene_step(s) && scene_step(plain));
        CHECK(prc_sim_time(s->sim) == prc_sim_time(plain->sim) && s->report.time == plain->report.time);
        parts = parts || s->report.substeps > 1;
    }
    CHECK(parts);
    scene_free(s);
    scene_free(plain);
}

TEST(there_are_no_more_parts_than_allowed)
{
    const int most[] = {1, 2, 5, 8}, taken[] = {1, 2, 4, 8};
    for (int k = 0; k < 4; k++) {
        scene *s = cloth();
        s->def.solver.max_iterations = 1;
        s->def.solver.tolerance = 1e-13;
        s->def.solver.max_substeps = most[k];
        CHECK(scene_start(s) && scene_step(s));
        CHECK(s->report.substeps == taken[k] && s->report.retries == taken[k] - 1);
        CHECK(s->report.iterations == s->report.substeps + s->report.retries); /* sums */
        CHECK(!s->report.converged);
        CHECK_TEXT(s->report.stop, "max_iterations");
        scene_free(s);
    }
}

/* Halving what failed alone: the second half of a step may need parts that the first does not. */
TEST(only_what_fails_is_halved)
{
    scene *s = cloth();
    s->def.forces = &(prc_force_def){.force = {400, 0, 0}, .from = 0.6 * H, .until = 1};
    bool uneven = false;
    for (int cap = 1; cap < 40 && !uneven; cap++) {
        s->def.solver.max_iterations = cap;
        CHECK(scene_start(s) && scene_step(s));
        uneven = s->report.converged && (s->report.substeps == 3 || s->report.substeps == 5);
        prc_sim_destroy(s->sim);
        s->sim = NULL;
    }
    CHECK(uneven);
    scene_free(s);
}

TEST(after_parts_the_step_before_is_a_whole_one)
{
    scene *s = cloth();
    s->def.time.integrator = PRC_INTEGRATOR_BDF2;
    CHECK(scene_start(s) && scene_step(s) && scene_step(s));
    const size_t bytes = 3 * sizeof(double) * (size_t)s->sim->view.padded_count;
    double *x = malloc(bytes), *v = malloc(bytes);
    memcpy(x, s->sim->view.field[PRC_FIELD_position], bytes);
    memcpy(v, s->sim->view.field[PRC_FIELD_velocity], bytes);
    CHECK(step_in_parts(s) && s->sim->has_history);
    CHECK(memcmp(x, s->sim->view.field[PRC_FIELD_position_before], bytes) == 0);
    CHECK(memcmp(v, s->sim->view.field[PRC_FIELD_velocity_before], bytes) == 0);
    CHECK(scene_step(s) && s->report.substeps == 1 && s->sim->second_order);
    free(x);
    free(v);
    scene_free(s);
}

/* Where the corner of a swinging cloth is after 0.08 s, with one step of them all in parts. */
static bool swing(int steps, bool parts, double at[3])
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.solver.tolerance = 1e-11;
    s->def.time.step = 0.08 / steps;
    s->def.time.integrator = PRC_INTEGRATOR_BDF2;
    add_sheet(s, 3, 0.5, along_x, 20, 0, 0, 0)->material.stretch = 50;
    add_pin(s, 0, 0.08);
    bool fine = scene_start(s);
    for (int k = 0; k < steps && fine; k++)
        fine = parts && k == steps / 2 ? step_in_parts(s) : scene_step(s) && s->report.substeps == 1;
    if (fine)
        memcpy(at, prc_sim_positions(s->sim), 3 * sizeof *at);
    scene_free(s);
    return fine;
}

TEST(a_step_in_parts_leaves_bdf2_of_second_order)
{
    double exact[3], error[2];
    CHECK(swing(1280, false, exact));
    for (int k = 0; k < 2; k++) {
        double at[3];
        CHECK(swing(20 << k, true, at));
        error[k] = hypot(hypot(at[0] - exact[0], at[1] - exact[1]), at[2] - exact[2]);
    }
    printf("    error %.3g, with half the step %.3g\n", error[0], error[1]);
    CHECK(error[0] / error[1] > 3.2);
}

TEST(a_step_that_fails_half_way_leaves_no_trace)
{
    scene *s = cloth();
    prc_force_def force[2] = {s->def.forces[0], {.force = {1e300, 0, 0}, .from = 2.6 * H, .until = 1}};
    s->def.forces = force;
    s->def.force_count = 2;
    s->pin[1].from = 2.2 * H; /* takes hold in the first half of the step that fails */
    CHECK(scene_start(s) && scene_step(s) && scene_step(s));
    size_t size, after;
    char *before = saved(s->sim, &size);
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_STATE);
    CHECK_TEXT(s->error.message, "not finite");
    CHECK_TEXT(s->report.stop, "not finite");
    CHECK(s->report.retries > 1 && !s->report.converged);
    char *now = saved(s->sim, &after);
    CHECK(after == size && memcmp(before, now, size) == 0);
    free(before);
    free(now);
    scene_free(s);
}

static void runaway(void *context, double time, double *positions)
{
    const int *vertices = context;
    for (int k = 0; k < *vertices; k++)
        positions[3 * k + 1] = time > 2.5 * H ? NAN : 0.016;
}

/* Also what had been told to move before the failure was found. */
TEST(an_obstacle_that_is_nowhere_leaves_no_trace)
{
    prc_obstacle_def obstacle;
    prc_mesh plate;
    scene *s = press(&obstacle, &plate);
    obstacle.animate = runaway;
    obstacle.animate_context = &plate.vertex_count;
    CHECK(scene_start(s) && scene_step(s) && scene_step(s));
    size_t size, after;
    char *before = saved(s->sim, &size);
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_STATE);
    CHECK_TEXT(s->error.message, "obstacles[0]");
    char *now = saved(s->sim, &after);
    CHECK(after == size && memcmp(before, now, size) == 0);
    free(before);
    free(now);
    scene_free(s);
    prc_mesh_release(&plate);
}

/* Sheets thrown at each other and at a collider that comes towards them, with far too few iterations: whatever is
 * accepted, in parts or not, converged or not, is safe. */
TEST(parts_of_steps_keep_the_guarantee)
{
    scene *s = scene_new();
    s->def.solver.max_iterations = 20;
    s->def.contact.friction = 0.3;
    lay_sheet(s, 6, 0.3, 20, 0.01)->velocity[1] = 2;
    lay_sheet(s, 6, 0.3, 50, 0.02)->velocity[1] = -10;
    prc_collider_def *sphere = add_collider(s, PRC_SHAPE_SPHERE);
    sphere->radius = 0.1;
    sphere->center[1] = -0.11;
    sphere->motion.velocity[1] = 5;
    CHECK(scene_start(s));
    int parts = 0;
    for (int k = 0; k < 12; k++) {
        CHECK(scene_step(s) && scene_safe(s));
        parts += s->report.substeps > 1;
    }
    printf("    %d steps in parts, %d not converged\n", parts, s->unconverged);
    CHECK(parts > 3 && s->unconverged > 0 && s->unconverged < 12);
    scene_free(s);
}

TEST_MAIN()
