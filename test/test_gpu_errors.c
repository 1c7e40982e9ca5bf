/* test/test_gpu_errors.c — what goes wrong on a real GPU: a clear message, and the last good state, from which the CPU
 * goes on.
 *
 *     test_gpu_errors [part of a name]
 *     test_gpu_errors --child NAME       one fault, in this process: its status is 0 if all was as it should be
 *
 * A fault may leave a process without its GPU for good, so each happens in a process of its own. What a lost device
 * does at every launch of a step is shown with the device on the host (test_adopt.c); here is what the driver says.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "backend/device.h"
#include "contact_scene.h"
#include "gpu_faults.h"
#include "harness.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *self;

#ifdef PRC_HAVE_CUDA

/* --- in the process that fails --- */

#define SMALL 20 /* cells of a side: the host has the state of every step */
#define LARGE 60 /* … that of a while ago */

/* Layers of so many vertices a side, the upper one thrown on the lower: contacts come after the first step. */
static scene *make_layers(int cells, prc_backend_kind kind)
{
    scene *s = scene_new();
    add_plane(s, 0);
    lay_sheet(s, cells, 0.01 * cells, 0, 0.004);
    lay_sheet(s, cells, 0.01 * cells, 10, 0.014)->velocity[1] = -1;
    s->def.backend = kind;
    s->def.threads = 0;
    if (cells <= SMALL) /* coarse levels are more than the host has of each step */
        s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    return s;
}

static bool says(const scene *s, prc_result code, const char *what, const char *advice)
{
    printf("    %s\n", s->error.message);
    return s->error.code == code && strstr(s->error.message, what) && strstr(s->error.message, advice);
}

/* The state goes to a file, and the CPU goes on from there. */
static bool cpu_goes_on(scene *s, int cells)
{
    char path[] = "/tmp/percale-state-XXXXXX";
    const int descriptor = mkstemp(path);
    const size_t size = prc_sim_saved_size(s->sim);
    void *bytes = malloc(size), *again = malloc(size);
    prc_sim_save(s->sim, bytes);
    bool good = descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size && fsync(descriptor) == 0 &&
                lseek(descriptor, 0, SEEK_SET) == 0 && read(descriptor, again, size) == (ssize_t)size;
    close(descriptor);
    unlink(path);
    scene *other = make_layers(cells, PRC_BACKEND_CPU);
    good = good && scene_start(other) && prc_sim_restore(other->sim, again, size, &other->error) == PRC_OK &&
           prc_sim_time(other->sim) == prc_sim_time(s->sim) && scene_safe(other) && scene_step(other) &&
           scene_safe(other);
    scene_free(other);
    free(bytes);
    free(again);
    return good;
}

#define FEW 4          /* steps before something goes wrong, and until it shows */
#define PAST (2 * FEW) /* states */

/* The state is one that it had, to the bit as a twin had it; where every one is kept, the last. */
static bool is_of_the_past(scene *s, double *const past[PAST])
{
    const bool kept = prc_sim_vertex_count(s->sim) < 3000;
    const int k = (int)lround(prc_sim_time(s->sim) / s->def.time.step);
    return k >= (kept ? FEW : 1) && k < PAST &&
           !memcmp(past[k], prc_sim_positions(s->sim), 3 * (size_t)prc_sim_vertex_count(s->sim) * sizeof(double));
}

/* Steps of a twin to whom nothing happens, and the first of them of `s`. */
static bool prepare(scene *s, int cells, double *past[PAST])
{
    scene *twin = make_layers(cells, PRC_BACKEND_CUDA);
    bool good = scene_start(twin) && scene_start(s);
    const size_t bytes = good ? 3 * (size_t)prc_sim_vertex_count(s->sim) * sizeof(double) : 0;
    for (int k = 0; k < PAST && good; k++) {
        past[k] = malloc(bytes);
        memcpy(past[k], prc_sim_positions(twin->sim), bytes);
        good = scene_step(twin) && (k >= FEW || scene_step(s));
    }
    scene_free(twin);
    return good;
}

/* Steps until one fails, FEW more at most. */
static bool fails_soon(scene *s)
{
    for (int k = 0; k < FEW; k++)
        if (prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK)
            return !s->report.converged;
    printf("    nothing failed\n");
    return false;
}

static bool ends_well(scene *s, int cells, double *past[PAST])
{
    bool good = is_of_the_past(s, past) && cpu_goes_on(s, cells);
    good = good && prc_sim_step(s->sim, NULL, &s->error) != PRC_OK; /* a device that failed stays so */
    for (int k = 0; k < PAST; k++)
        free(past[k]);
    scene_free(s);
    return good;
}

static bool lost_by(int cells, void (*fault)(void), const char *what, const char *advice)
{
    double *past[PAST] = {NULL};
    scene *s = make_layers(cells, PRC_BACKEND_CUDA);
    bool good = prepare(s, cells, past);
    if (good)
        fault();
    good = good && fails_soon(s) && says(s, PRC_ERROR_DEVICE, what, advice);
    return good && ends_well(s, cells, past);
}

static void write_astray_soon(void)
{
    if (!gpu_write_astray(500))
        printf("    the kernel that fails cannot be launched\n");
}

static bool child_lost_small(void)
{
    return lost_by(SMALL, write_astray_soon, "the GPU failed to", "continue from the last checkpoint");
}

static bool child_lost_large(void)
{
    return lost_by(LARGE, write_astray_soon, "the GPU failed to", "continue from the last checkpoint");
}

static bool child_refused(void)
{
    return lost_by(LARGE, gpu_launch_too_many, "the GPU could not launch a kernel (last launch: \"",
                   "use backend: cpu");
}

static bool child_memory_at_the_start(void)
{
    scene *s = make_layers(120, PRC_BACKEND_CUDA);
    bool good = gpu_take_memory((size_t)16 << 20) && !scene_start(s) &&
                says(s, PRC_ERROR_MEMORY, "the GPU is out of memory: ", "backend: cpu");
    gpu_give_memory();
    good = good && scene_start(s) && scene_step(s); /* nothing is left of it */
    scene_free(s);
    return good;
}

/* What is free goes between two steps; the next want more, for contacts. */
static bool child_memory_in_a_step(void)
{
    scene *s = make_layers(80, PRC_BACKEND_CUDA);
    bool good = scene_start(s) && scene_step(s) && gpu_take_memory(0) && fails_soon(s) &&
                says(s, PRC_ERROR_MEMORY, "the GPU is out of memory: ", "backend: cpu");
    gpu_give_memory();
    good = good && prc_sim_time(s->sim) > 0 && cpu_goes_on(s, 80);
    scene_free(s);
    return good;
}

static bool child_none(void)
{
    scene *s = make_layers(60, PRC_BACKEND_CUDA); /* enough for a GPU */
    bool good = !scene_start(s) && says(s, PRC_ERROR_DEVICE, "no GPU: ", "use backend: cpu");
    s->def.backend = PRC_BACKEND_AUTO;
    good = good && scene_start(s) && scene_step(s) && strstr(prc_sim_backend(s->sim), "cpu");
    scene_free(s);
    return good;
}

static int be_child(const char *name)
{
    static const struct {
        const char *name;
        bool (*run)(void);
    } children[] = {{"none", child_none},
                    {"lost_small", child_lost_small},
                    {"lost_large", child_lost_large},
                    {"refused", child_refused},
                    {"memory_at_the_start", child_memory_at_the_start},
                    {"memory_in_a_step", child_memory_in_a_step}};
    unsetenv("PERCALE_BACKEND");
    for (size_t k = 0; k < sizeof children / sizeof *children; k++)
        if (!strcmp(children[k].name, name))
            return children[k].run() ? 0 : 1;
    return 2;
}

#else

static int be_child(const char *name)
{
    (void)name;
    return 2;
}

#endif

/* --- in the process that watches --- */

/* Runs one of them; `before` is put before the command. */
static bool survives(const char *before, const char *name)
{
    char command[1200];
    fflush(stdout);
    snprintf(command, sizeof command, "%s '%s' --child %s", before, self, name);
    const int status = system(command);
    if (status != 0)
        printf("    %s: %s %d\n", name, WIFEXITED(status) ? "status" : "signal",
               WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    return status == 0;
}

#define NEED_GPU()                                                                                                     \
    do {                                                                                                               \
        prc_device_info info_;                                                                                         \
        prc_error error_;                                                                                              \
        if (prc_device_find(PRC_BACKEND_CUDA, &info_, &error_))                                                        \
            SKIP(error_.message);                                                                                      \
    } while (0)

/* Where there is no GPU anyway this shows the same. */
TEST(without_a_gpu_that_is_said_and_auto_takes_the_cpu)
{
    prc_error error;
    if (!prc_device_kind(PRC_BACKEND_CUDA, &error))
        SKIP(error.message);
    CHECK(survives("CUDA_VISIBLE_DEVICES=", "none"));
}

TEST(a_gpu_that_is_lost_leaves_the_state_before_the_step)
{
    NEED_GPU();
    CHECK(survives("", "lost_small"));
}

TEST(a_gpu_that_is_lost_leaves_a_large_state_of_a_while_ago)
{
    NEED_GPU();
    CHECK(survives("", "lost_large"));
}

TEST(a_launch_that_is_refused_leaves_the_last_state)
{
    NEED_GPU();
    CHECK(survives("", "refused"));
}

TEST(a_start_that_finds_no_memory_says_so_and_leaves_nothing_behind)
{
    NEED_GPU();
    CHECK(survives("", "memory_at_the_start"));
}

TEST(a_step_that_finds_no_memory_leaves_the_last_state)
{
    NEED_GPU();
    CHECK(survives("", "memory_in_a_step"));
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 3 && !strcmp(argv[1], "--child"))
        return be_child(argv[2]);
    return prc_test_main(argc, argv);
}
