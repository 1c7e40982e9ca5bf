/* test/test_soak.c — many steps of a small scene that never comes to rest: memory stays where it is, and so does the
 * guarantee.
 *
 * Iterations are few, so that steps are given up and taken in parts now and then. PRC_SOAK_STEPS sets the
 * number of steps (tools/soak.sh: 20,000). SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "harness.h"

#include "base/memory.h"

#include <limits.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#define SHORT_STEPS 600
#define WARM_SHARE 5              /* one part in so many is warm-up: lists grow to their size */
#define MOST_GROWTH (256L * 1024) /* bytes of resident memory, all of the run after that */

static int step_count(void)
{
    const char *text = getenv("PRC_SOAK_STEPS");
    const int steps = text ? (int)strtol(text, NULL, 10) : SHORT_STEPS;
    return steps > 10 ? steps : 10;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1 /* keeps what was freed, and looks for leaks itself */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* Resident memory in bytes; 0 where the system does not say, or it would say nothing. */
static long resident(void)
{
    if (SANITIZED)
        return 0;
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    long kilobytes = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "VmRSS:", 6) == 0)
            kilobytes = strtol(line + 6, NULL, 10);
    if (file)
        fclose(file);
    return 1024 * kilobytes;
}

/* From now on what is freed goes back to the system at once: what an allocator keeps for later is no leak, and depends
 * on the order and size of all that was ever allocated. */
static void give_back_at_once(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4096);
    mallopt(M_TRIM_THRESHOLD, 0);
    mallopt(M_TOP_PAD, 0);
#endif
}

/* A ball comes up under a cloth that hangs by its rim, and goes down again, twice a second; another cloth lies on the
 * first. */
static scene *trampoline(int steps)
{
    scene *s = scene_new();
    s->def.contact.friction = 0.4;
    s->def.solver.max_iterations = 9;
    lay_sheet(s, 7, 0.3, 20, 0.004)->material.damping = 1e-3;
    lay_sheet(s, 5, 0.15, 50, 0.009)->material.damping = 1e-3;
    prc_pin_def *pin = add_pin(s, 0, -1);
    for (int k = pin->vertex_count = 0; k < s->mesh[0].vertex_count; k++)
        if (k % 8 == 0 || k % 8 == 7 || k < 8 || k >= 56)
            s->held[0][pin->vertex_count++] = k;
    const int count = (int)(steps * s->def.time.step * 4) + 2;
    prc_pose_key *keys = calloc((size_t)count, sizeof *keys);
    for (int k = 0; k < count; k++)
        keys[k] = (prc_pose_key){
            .time = 0.25 * k, .translate = {0, k % 2 ? 0.05 : 0, 0}, .degrees = 90.0 * k, .axis = {0, 1, 0}};
    prc_collider_def *ball = add_collider(s, PRC_SHAPE_SPHERE);
    ball->radius = 0.07;
    ball->center[1] = -0.08;
    ball->motion.keys = keys;
    ball->motion.key_count = count;
    ball->motion.ease = PRC_EASE_SMOOTH;
    return s;
}

static void end(scene *s)
{
    free((void *)s->collider[0].motion.keys);
    scene_free(s);
}

/* Saves the simulation, and goes on with a new one. */
static bool move_on(scene *s)
{
    const size_t size = prc_sim_saved_size(s->sim);
    char *bytes = malloc(size);
    prc_sim_save(s->sim, bytes);
    prc_sim_destroy(s->sim);
    s->sim = prc_sim_create(&s->def, &s->error);
    const bool fine = s->sim && prc_sim_restore(s->sim, bytes, size, &s->error) == PRC_OK;
    free(bytes);
    return fine;
}

TEST(memory_and_guarantee_last)
{
    const int steps = step_count(), warm = steps / WARM_SHARE;
    scene *s = trampoline(steps);
    long before = 0, parts = 0, touching = 0, most = 0;
    size_t allocations = 0;
    CHECK(scene_start(s));
    for (int k = 0; k < steps; k++) {
        const size_t count = prc_alloc_count();
        CHECK(scene_step(s));
        allocations += k > warm ? prc_alloc_count() - count : 0; /* the checker's do not count */
        parts += s->report.substeps > 1;
        touching += s->report.active_contacts > 0;
        if (k == warm)
            before = resident();
        if (k % 50 == 0)
            CHECK(scene_safe(s));
        most = resident() > most ? resident() : most;
    }
    const long growth = resident() - before;
    printf("    %d steps, %ld with contact, %ld in parts, %d not converged; resident memory %.2f MiB after %d steps, "
           "%+.2f MiB at the end, "
           "at most %.2f; %zu allocations in steps since then\n",
           steps, touching, parts, s->unconverged, (double)before / 1048576, warm, (double)growth / 1048576,
           (double)most / 1048576, allocations);
    CHECK(touching > steps - 50 && parts > 0);
    CHECK(allocations == 0);
    CHECK(growth <= MOST_GROWTH);
    end(s);
}

TEST(saving_and_making_anew_leaves_no_memory_behind)
{
    give_back_at_once();
    scene *s = trampoline(40);
    CHECK(scene_start(s));
    /* The least of ten rounds: allocators keep more at one time than at another. */
    long before = LONG_MAX, after = LONG_MAX;
    for (int k = 0; k < 40; k++) {
        CHECK(scene_step(s) && move_on(s));
        long *least = k < 10 ? NULL : k < 20 ? &before : k >= 30 ? &after : NULL;
        if (least)
            *least = resident() < *least ? resident() : *least;
    }
    CHECK(after - before <= MOST_GROWTH);
    end(s);
}

TEST_MAIN()
