/* test/test_device_memory.c — code for devices and code for the host keep to their own memory.
 *
 * On a GPU a kernel that follows a pointer of the host fails, and so does the host with one of the device. Where the
 * CPU stands in for the GPU both would work. So here the library has all its memory from one range of pages, which is
 * out of reach during launches, while the memory of the device is in reach only then (prc_device_on_host_guard):
 * whoever mixes them up falls, and the launch that was last begun is named. The stack is in reach of both: a launch
 * that follows a pointer to a local variable is not found. SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "backend/device.h"
#include "backend_scenes.h"
#include "harness.h"
#include "step/parcel.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Address space, not memory. */
#define RANGE ((size_t)8 << 30)

static char *range;
static size_t used, live;

/* What is released is not used again before all of it is. */
static void *take(size_t size, void *context)
{
    (void)context;
    const size_t place = (used + 63) / 64 * 64;
    if (!range || size > RANGE - place)
        return NULL;
    used = place + size;
    live++;
    return range + place;
}

static void give_back(void *memory, void *context)
{
    (void)context;
    if (!memory || --live > 0)
        return;
    madvise(range, used, MADV_DONTNEED);
    used = 0;
}

static void fell(int number)
{
    static const char text[] = "    a launch reached for the host's memory, or the host for the device's\n"
                               "0 passed, 1 failed, 0 skipped\n";
    (void)number;
    if (write(1, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(1);
}

static bool scene_keeps_apart(int which, int steps)
{
    bool good = true;
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++) {
        scene *s = make_scene(which, PRC_BACKEND_DEVICE_ON_HOST, (prc_precision)precision);
        good &= scene_start(s);
        for (int k = 0; good && k < steps; k++)
            good = scene_step(s);
        scene_free(s);
    }
    return good;
}

#define NEED_DEVICE()                                                                                                  \
    do {                                                                                                               \
        prc_device_info info_;                                                                                         \
        prc_error error_;                                                                                              \
        if (prc_device_find(PRC_BACKEND_DEVICE_ON_HOST, &info_, &error_))                                              \
            SKIP(error_.message);                                                                                      \
    } while (0)

TEST(a_flag_keeps_host_and_device_apart)
{
    NEED_DEVICE();
    CHECK(scene_keeps_apart(FLAG, 5));
}

TEST(a_ball_keeps_host_and_device_apart)
{
    NEED_DEVICE();
    CHECK(scene_keeps_apart(BALL, 8));
}

TEST(a_twist_keeps_host_and_device_apart)
{
    NEED_DEVICE();
    CHECK(scene_keeps_apart(TWIST, 5));
}

TEST(layers_keep_host_and_device_apart)
{
    NEED_DEVICE();
    CHECK(scene_keeps_apart(LAYERS, TEST_SANITIZED ? 2 : 8));
}

/* All that may be changed between steps, and looked into: percale/live.h. */
static bool change_all(scene *s)
{
    const double gravity[3] = {0, -5, 1}, wind[3] = {1, 0, 0}, target[3] = {0.1, 0.2, 0};
    const prc_pose_key pose = {.translate = {0, 0.005, 0}};
    const prc_contact_point *points;
    prc_grab_def grab = prc_grab_def_default();
    int held = -1, count;
    bool good = prc_sim_set_gravity(s->sim, gravity, &s->error) == PRC_OK &&
                prc_sim_set_wind(s->sim, wind, &s->error) == PRC_OK &&
                prc_sim_set_step(s->sim, 3e-3, &s->error) == PRC_OK &&
                prc_sim_set_friction(s->sim, -1, 0.2, &s->error) == PRC_OK &&
                prc_sim_set_collider_friction(s->sim, 0, 0.1, &s->error) == PRC_OK &&
                prc_sim_move_collider(s->sim, 0, &pose, &s->error) == PRC_OK && scene_step(s);
    good = good && prc_sim_grab(s->sim, &grab, &held, &s->error) == PRC_OK && scene_step(s) &&
           prc_sim_grab_move(s->sim, held, target, &s->error) == PRC_OK && scene_step(s) &&
           prc_sim_grab_read(s->sim, held, NULL, NULL);
    good = good && prc_sim_contacts(s->sim, &points, &count, &s->error) == PRC_OK && prc_sim_safe_bounds(s->sim);
    s->body[0].material.density *= 2;
    good = good && prc_sim_remake(&s->sim, &s->def, &s->error) == PRC_OK && scene_step(s);
    prc_sim_grab_end(s->sim, held);
    return good && scene_step(s);
}

TEST(changes_between_steps_keep_host_and_device_apart)
{
    NEED_DEVICE();
    scene *s = make_scene(BALL, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_SINGLE);
    scene_hurry(s, 8);
    CHECK(scene_start(s) && scene_step(s));
    CHECK(change_all(s));
    scene_free(s);
}

TEST(a_parcel_keeps_host_and_device_apart)
{
    NEED_DEVICE();
    scene *s = make_scene(BALL, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_SINGLE);
    static double x[3 * 400], v[3 * 400], stretches[2 * 400];
    CHECK(scene_start(s) && scene_step(s) && prc_sim_vertex_count(s->sim) < 400);
    prc_parcel *parcel = prc_parcel_create(s->sim, &s->error);
    CHECK(parcel);
    for (int k = 0; k < 2; k++) { /* it arrives with a step, and without */
        prc_parcel_pack(parcel);
        CHECK(k == 1 || scene_step(s));
        CHECK(prc_parcel_open(parcel, x, v, stretches, &s->error) == PRC_OK);
    }
    CHECK(!memcmp(x, prc_sim_positions(s->sim), 3 * (size_t)prc_sim_vertex_count(s->sim) * sizeof(double)));
    prc_parcel_destroy(parcel);
    scene_free(s);
}

int main(int argc, char **argv)
{
    void *pages = mmap(NULL, RANGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    range = pages == MAP_FAILED ? NULL : pages;
    prc_set_allocator((prc_allocator){take, give_back, NULL});
    prc_device_on_host_guard(range, RANGE);
    signal(SIGSEGV, fell);
    return prc_test_main(argc, argv);
}
