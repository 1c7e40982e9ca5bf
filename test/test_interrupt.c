/* test/test_interrupt.c — steps that their caller stops, at every moment he is asked: nothing is left of them.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

/* --- the caller --- */

/* Wants a step to stop when he is asked for the `at`th time. */
typedef struct caller {
    int asked, at;
} caller;

static bool wants_to_stop(void *context)
{
    caller *c = context;
    return ++c->asked == c->at;
}

/* --- scenes --- */

/* A cloth that turns about two corners; coarse levels are wanted. */
static scene *cloth(prc_method method)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.solver.method = method;
    s->def.solver.preconditioner =
        method == PRC_METHOD_NEWTON ? PRC_PRECONDITIONER_MULTILEVEL : PRC_PRECONDITIONER_AUTO;
    add_sheet(s, 12, 0.5, along_x, 30, 0, 0, 0)->velocity[2] = 2;
    add_pin(s, 0, 0.09)->from = 6e-3; /* takes hold in the second step: coarse matrices are made anew */
    return s;
}

/* Two sheets fall onto a ball that comes to meet them. */
static scene *layers(void)
{
    scene *s = scene_new();
    s->def.contact.friction = 0.3;
    lay_sheet(s, 4, 0.3, 10, 0.008)->velocity[1] = -3;
    lay_sheet(s, 4, 0.3, 40, 0.014)->velocity[1] = -3;
    prc_collider_def *sphere = add_collider(s, PRC_SHAPE_SPHERE);
    sphere->radius = 0.1;
    sphere->center[1] = -0.1;
    sphere->motion.velocity[1] = 1;
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

static bool is_saved(prc_sim *sim, const char *bytes, size_t size)
{
    size_t now_size;
    char *now = saved(sim, &now_size);
    const bool same = now_size == size && memcmp(now, bytes, size) == 0;
    free(now);
    return same;
}

/* Stops the next step at every question; then takes it, without a question asked. */
static bool stop_everywhere(scene *s, caller *c)
{
    size_t size;
    char *bytes = saved(s->sim, &size);
    const double time = prc_sim_time(s->sim);
    int stopped = 0;
    bool kept = true;
    prc_result result = PRC_ERROR_STOPPED;
    while (kept && result == PRC_ERROR_STOPPED) {
        *c = (caller){.at = stopped + 1};
        result = prc_sim_step(s->sim, &s->report, &s->error);
        if (result != PRC_ERROR_STOPPED)
            break;
        stopped++;
        kept = prc_sim_time(s->sim) == time && is_saved(s->sim, bytes, size) && !strcmp(s->report.stop, "stopped") &&
               !s->report.converged && strstr(s->error.message, "the state before the step is kept");
    }
    if (result != PRC_OK || !kept || stopped < 2)
        printf("    %d questions, then result %d (%s)%s\n", stopped, result, s->error.message,
               kept ? "" : "; something is left of the last one");
    free(bytes);
    return result == PRC_OK && kept && stopped >= 2;
}

/* Whether a simulation whose every step is stopped wherever that can be goes as one that is not. */
static bool leaves_nothing(scene *s, int steps)
{
    caller c = {0};
    size_t size;
    if (!scene_start(s) || prc_sim_set_interrupt(s->sim, wants_to_stop, &c, &s->error))
        return false;
    prc_sim *other = prc_sim_create(&s->def, &s->error);
    bool same = other != NULL;
    for (int k = 0; same && k < steps; k++)
        same = stop_everywhere(s, &c) && prc_sim_step(other, NULL, &s->error) == PRC_OK;
    char *bytes = same ? saved(other, &size) : NULL;
    same = same && is_saved(s->sim, bytes, size);
    free(bytes);
    prc_sim_destroy(other);
    return same;
}

/* --- claims --- */

TEST(a_step_that_is_stopped_leaves_nothing)
{
    static const prc_method methods[] = {PRC_METHOD_NEWTON, PRC_METHOD_NCG, PRC_METHOD_ANDERSON, PRC_METHOD_SISSM};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        scene *s = cloth(methods[k]);
        scene_hurry(s, 20);
        CHECK(leaves_nothing(s, 3));
        scene_free(s);
    }
}

TEST(a_step_with_contact_that_is_stopped_leaves_nothing)
{
    scene *s = layers();
    CHECK(leaves_nothing(s, 3));
    scene_free(s);
}

TEST(a_step_in_parts_that_is_stopped_leaves_nothing)
{
    scene *s = layers();
    s->def.solver.max_iterations = 3; /* too few for the whole */
    s->def.solver.max_substeps = 4;
    CHECK(leaves_nothing(s, 2));
    CHECK(s->report.retries > 0);
    scene_free(s);
}

TEST(a_step_by_projection_that_is_stopped_leaves_nothing)
{
    scene *s = layers();
    s->def.contact.method = PRC_CONTACT_PROJECTION;
    s->def.contact.friction = 0;
    s->def.solver.max_iterations = 5;
    s->def.solver.max_substeps = 1;
    s->def.backend = PRC_BACKEND_CPU;
    CHECK(leaves_nothing(s, 2));
    scene_free(s);
}

/* … of which two questions are those before a linear solve; within it there is one every twentieth of a second. */
static bool wants_to_stop_soon(void *context)
{
    caller *c = context;
    return ++c->asked > 4;
}

TEST(a_long_linear_solve_can_be_stopped)
{
    scene *s = scene_new();
    caller c = {0};
    add_sheet(s, 80, 0.5, along_x, 30, 0, 0, 0);
    add_pin(s, 0, 0.09);
    s->def.contact.enabled = false;
    s->def.backend = PRC_BACKEND_CPU; /* a device waits for the end of it */
    s->def.precision = PRC_PRECISION_DOUBLE;
    s->def.time.step = 1;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    s->def.solver.inner_tolerance = s->def.solver.tolerance = 1e-300;
    s->def.solver.max_inner = 1000000;
    CHECK(scene_start(s));
    CHECK(!prc_sim_set_interrupt(s->sim, wants_to_stop_soon, &c, &s->error));
    const double start = prc_seconds();
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_STOPPED);
    CHECK(s->report.iterations == 0 && s->report.inner_iterations > 0 && prc_seconds() - start < 5);
    scene_free(s);
}

static bool always(void *context)
{
    ++*(int *)context;
    return true;
}

TEST(between_steps_nobody_is_asked)
{
    scene *s = layers();
    int asked = 0, count;
    const prc_contact_point *points;
    CHECK(scene_start(s));
    for (int k = 0; k < 3; k++)
        CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK);
    CHECK(!prc_sim_set_interrupt(s->sim, always, &asked, &s->error));
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_STOPPED && asked == 1);
    CHECK(prc_sim_contacts(s->sim, &points, &count, &s->error) == PRC_OK && count > 0);
    CHECK(prc_sim_safe_bounds(s->sim) != NULL && asked == 1);
    CHECK(!prc_sim_set_interrupt(s->sim, NULL, NULL, &s->error));
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK && asked == 1);
    scene_free(s);
}

TEST(a_simulation_that_is_remade_still_asks)
{
    scene *s = layers();
    int asked = 0;
    CHECK(scene_start(s));
    CHECK(!prc_sim_set_interrupt(s->sim, always, &asked, &s->error));
    CHECK(!prc_sim_remake(&s->sim, &s->def, &s->error));
    CHECK(prc_sim_step(s->sim, NULL, &s->error) == PRC_ERROR_STOPPED && asked == 1);
    scene_free(s);
}

/* Sheets that are too close are pushed apart, which takes rounds; stopped, the state is the old one. */
TEST(a_start_that_is_stopped_leaves_the_state_before)
{
    scene *s = layers();
    int asked = 0;
    size_t size;
    s->def.contact.start = PRC_START_PUSH_APART;
    CHECK(scene_start(s));
    const int count = prc_sim_vertex_count(s->sim), first = prc_sim_body_first_vertex(s->sim, 1);
    double *near = malloc(3 * sizeof *near * (size_t)count);
    memcpy(near, prc_sim_positions(s->sim), 3 * sizeof *near * (size_t)count);
    for (int i = first; i < count; i++)
        near[3 * i + 1] -= 5e-3;
    char *bytes = saved(s->sim, &size);
    CHECK(!prc_sim_set_interrupt(s->sim, always, &asked, &s->error));
    CHECK(prc_sim_set_state(s->sim, near, NULL, &s->error) == PRC_ERROR_STOPPED && asked == 1);
    CHECK(is_saved(s->sim, bytes, size));
    CHECK(!prc_sim_set_interrupt(s->sim, NULL, NULL, &s->error));
    CHECK(prc_sim_set_state(s->sim, near, NULL, &s->error) == PRC_OK);
    free(bytes);
    free(near);
    scene_free(s);
}

TEST_MAIN()
