/* test/test_lost_step.c — a device that is lost at any launch of a step leaves a state that there was, bit for bit: of
 * large scenes, whose state comes to the host now and then only, and of small ones where more than positions and
 * velocities belongs to it. SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

#include "backend/device.h"
#include "step/place.h"
#include "step/sim.h"

#ifdef PRC_HAVE_DEVICE_ON_HOST

#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_BEFORE 3

enum { LEFT_GOOD, LEFT_BAD, NOT_LOST };

typedef struct state {
    size_t size;
    void *bytes;
} state;

static state save(scene *s)
{
    state now = {prc_sim_saved_size(s->sim), NULL};
    now.bytes = malloc(now.size);
    prc_sim_save(s->sim, now.bytes);
    return now;
}

/* More than 3000 vertices that fall on a floor. */
static scene *large(void)
{
    scene *s = scene_new();
    lay_sheet(s, 56, 0.6, 20, 0.02)->velocity[1] = -2;
    add_plane(s, 0);
    s->def.precision = PRC_PRECISION_SINGLE;
    scene_hurry(s, 4);
    return s;
}

/* … with steps that do not converge, and are taken in halves. */
static scene *large_in_parts(void)
{
    scene *s = large();
    s->def.solver.max_iterations = 2;
    s->def.solver.max_substeps = 2;
    s->def.solver.tolerance = 1e-7;
    return s;
}

/* Pairs that cross at the start are exempt until they part, in every step some. */
static scene *crossed(void)
{
    scene *s = scene_new();
    lay_sheet(s, 8, 0.3, 20, 0.0);
    add_sheet(s, 8, 0.3, along_x, 30, 0, 0.06, 0)->velocity[1] = 2;
    s->def.contact.start = PRC_START_EXEMPT;
    s->def.gravity[1] = 0;
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    return s;
}

/* In a process of its own: what the step leaves when the device is lost at so many launches. */
static int lose(scene *s, long launches, const state *past, int before)
{
    prc_device_fail_after(s->sim->device, launches);
    if (prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK)
        return NOT_LOST;
    const bool held = prc_sim_hold(s->sim, NULL) == PRC_OK;
    const int at = (int)lround(prc_sim_time(s->sim) / s->def.time.step);
    if (!held || at > before)
        return LEFT_BAD;
    const state left = save(s);
    return left.size == past[at].size && !memcmp(left.bytes, past[at].bytes, left.size) ? LEFT_GOOD : LEFT_BAD;
}

/* Loses it at every `stride`-th launch of the step after `before` others; returns how often, or −1 if once that left no
 * state that there was. */
static int sweep(scene *(*make)(void), int before, long stride)
{
    scene *s = make();
    state past[MOST_BEFORE + 1];
    s->def.backend = PRC_BACKEND_DEVICE_ON_HOST;
    s->def.threads = 1;
    omp_set_num_threads(1); /* processes that are forked have no others */
    if (!scene_start(s))
        return -1;
    for (int k = 0; k <= before; k++) {
        if (k > 0 && prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK)
            return -1;
        past[k] = save(s);
    }
    int losses = 0, status = LEFT_GOOD;
    for (long launches = 1; status == LEFT_GOOD; launches += stride) {
        fflush(stdout);
        const pid_t child = fork();
        if (child == 0)
            _exit(lose(s, launches, past, before));
        if (child < 0 || waitpid(child, &status, 0) != child)
            return -1;
        status = WIFEXITED(status) ? WEXITSTATUS(status) : LEFT_BAD;
        losses += status != NOT_LOST;
        if (status == LEFT_BAD)
            printf("    launch %ld of step %d\n", launches, before + 1);
    }
    for (int k = 0; k <= before; k++)
        free(past[k].bytes);
    scene_free(s);
    return status == NOT_LOST ? losses : -1;
}

TEST(a_large_state_outlives_a_device_that_is_lost_in_its_first_step)
{
    CHECK(sweep(large, 0, 9) > 5);
}

TEST(a_large_state_outlives_a_device_that_is_lost_later)
{
    PLAIN_BUILD_ONLY("a later step has the launches of the first");
    CHECK(sweep(large, 3, 71) > 2);
}

TEST(a_large_state_outlives_a_device_that_is_lost_in_a_step_of_several_parts)
{
    CHECK(sweep(large_in_parts, 1, 7) > 10);
}

TEST(exempt_pairs_are_those_of_the_state_that_a_lost_device_leaves)
{
    CHECK(sweep(crossed, 0, 9) > 10);
}

/* They are made anew when solves take longer than usual, and what is usual belongs to the state. */
TEST(what_is_known_of_coarse_levels_is_that_of_the_state_that_a_lost_device_leaves)
{
    CHECK(sweep(banner, 3, 9) > 3);
}

#else

TEST(a_large_state_outlives_a_device_that_is_lost_in_its_first_step)
{
    SKIP("the library was built without the device on the host");
}

#endif

TEST_MAIN()
