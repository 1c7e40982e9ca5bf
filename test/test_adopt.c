/* test/test_adopt.c — a simulation that moves to a device takes the steps that it takes on the CPU, and can be read,
 * saved, set and restored there; a device that fails leaves the last state. The device is the one on the host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "forces_scene.h"
#include "harness.h"
#include "step/parcel.h"
#include "step/place.h"

#include "backend/device.h"

#include <omp.h>

#ifdef PRC_HAVE_DEVICE_ON_HOST

#define STEPS 8

/* --- scenes --- */

/* A cloth without contact that has all else: pins that come and go, a force, a spring, air, gusts, damping. */
static scene *cloth(void)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    prc_body_def *body = add_sheet(s, 12, 1, along_x, 20, 0, 0, 0);
    body->material.damping = 1e-3;
    body->material.mass_damping = 0.1;
    prc_pin_def *first = add_pin(s, 0, 0.15);
    first->until = 5.5 * s->def.time.step;
    prc_pin_def *second = add_pin(s, 0, 0.165);
    second->from = 2.5 * s->def.time.step;
    second->motion.degrees_per_second = 300;
    second->motion.velocity[0] = 0.5;
    second->motion.axis[1] = 1;
    static const prc_force_def force = {.force = {0.3, 0, 0.2}, .from = 0.01, .until = 0.02};
    s->def.forces = &force;
    s->def.force_count = 1;
    pull_and_blow(s, 0.006);
    return s;
}

/* Its linear systems are long: where they stop depends on the last bit, so they are to go far. */
static scene *ball(void)
{
    scene *s = ball_under(500);
    s->def.solver.tolerance = 1e-10;
    return s;
}

/* Two sheets that fall on each other and on a sphere that turns and rises. Where iterations stop, states differ by what
 * the tolerance leaves: 4e-7 m in a step. */
static scene *layers(void)
{
    scene *s = scene_new();
    s->def.contact.friction = 0.4;
    lay_sheet(s, 6, 0.3, 20, 0.01)->velocity[1] = -1;
    lay_sheet(s, 6, 0.3, 50, 0.02)->velocity[1] = -2;
    prc_collider_def *sphere = add_collider(s, PRC_SHAPE_SPHERE);
    sphere->radius = 0.1;
    sphere->center[1] = -0.095;
    sphere->motion.velocity[1] = 0.4;
    sphere->motion.axis[1] = 1;
    sphere->motion.degrees_per_second = 200;
    add_plane(s, -0.05);
    return s;
}

typedef scene *(*scene_maker)(void);

static scene *start(scene_maker make, prc_backend_kind kind, prc_precision precision)
{
    scene *s = make();
    omp_set_num_threads(1); /* the device's loops are short here: waking threads would take most of the time */
    s->def.backend = kind;
    s->def.precision = precision;
    if (!scene_start(s))
        printf("    %s\n", s->error.message);
    return s;
}

static double largest_difference(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

/* How far apart two simulations are, m. */
static double apart(scene *a, scene *b)
{
    return largest_difference(prc_sim_positions(a->sim), prc_sim_positions(b->sim), 3 * prc_sim_vertex_count(a->sim));
}

static bool run(scene *s, int steps)
{
    bool good = s->sim != NULL;
    for (int k = 0; k < steps && good; k++)
        good = scene_step(s);
    if (!good)
        printf("    %s\n", s->error.message);
    return good;
}

static bool close_to(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static bool same_account(const prc_step_report *a, const prc_step_report *b, double tolerance)
{
    bool same = a->converged == b->converged && a->time == b->time;
    for (int c = 0; c < 3; c++)
        same = same && close_to(a->momentum[c], b->momentum[c], tolerance) &&
               close_to(a->angular_momentum[c], b->angular_momentum[c], tolerance);
    return same && close_to(a->energy_kinetic, b->energy_kinetic, tolerance) &&
           close_to(a->energy_potential, b->energy_potential, tolerance) &&
           close_to(a->energy_elastic, b->energy_elastic, tolerance) &&
           close_to(a->energy_springs, b->energy_springs, tolerance) &&
           close_to(a->energy_pressure, b->energy_pressure, tolerance) &&
           close_to(a->largest_speed, b->largest_speed, tolerance) &&
           close_to(a->largest_stretch, b->largest_stretch, tolerance) &&
           close_to(a->smallest_stretch, b->smallest_stretch, tolerance);
}

static bool agree(scene_maker make, prc_precision precision, double tolerance)
{
    scene *cpu = start(make, PRC_BACKEND_CPU, precision), *device = start(make, PRC_BACKEND_DEVICE_ON_HOST, precision);
    bool good = device->sim && strstr(prc_sim_backend(device->sim), "device on the host");
    for (int k = 0; k < STEPS && good; k++)
        good = run(cpu, 1) && run(device, 1) && same_account(&device->report, &cpu->report, 10 * tolerance);
    const double distance = good ? apart(cpu, device) : INFINITY;
    printf("    %.2g m apart\n", distance);
    scene_free(cpu);
    scene_free(device);
    return distance <= tolerance;
}

TEST(a_cloth_with_all_forces_takes_the_same_steps_on_a_device)
{
    CHECK(agree(cloth, PRC_PRECISION_DOUBLE, 1e-9));
    CHECK(agree(cloth, PRC_PRECISION_SINGLE, 1e-5));
}

TEST(coarse_levels_do_the_same_on_a_device)
{
    CHECK(agree(banner, PRC_PRECISION_DOUBLE, 1e-9));
    CHECK(agree(banner, PRC_PRECISION_SINGLE, 1e-5));
}

TEST(pressure_does_the_same_on_a_device)
{
    CHECK(agree(ball, PRC_PRECISION_DOUBLE, 1e-9));
}

TEST(contact_does_the_same_on_a_device)
{
    CHECK(agree(layers, PRC_PRECISION_DOUBLE, 1e-5));
}

/* --- state --- */

static void *save(scene *s, size_t *size)
{
    *size = prc_sim_saved_size(s->sim);
    void *bytes = malloc(*size);
    prc_sim_save(s->sim, bytes);
    return bytes;
}

static bool goes_on_elsewhere(scene_maker make, prc_backend_kind from, prc_backend_kind to, double tolerance)
{
    scene *a = start(make, from, PRC_PRECISION_DOUBLE), *b = start(make, to, PRC_PRECISION_DOUBLE);
    size_t size = 0;
    bool good = run(a, 4);
    void *bytes = good ? save(a, &size) : NULL;
    good = good && prc_sim_fingerprint(a->sim) == prc_sim_fingerprint(b->sim) &&
           prc_sim_restore(b->sim, bytes, size, &b->error) == PRC_OK && apart(a, b) == 0;
    good = good && run(a, 4) && run(b, 4) && apart(a, b) <= tolerance;
    free(bytes);
    scene_free(a);
    scene_free(b);
    return good;
}

TEST(a_run_is_saved_on_one_backend_and_goes_on_on_another)
{
    const prc_backend_kind cpu = PRC_BACKEND_CPU, device = PRC_BACKEND_DEVICE_ON_HOST;
    CHECK(goes_on_elsewhere(cloth, cpu, device, 1e-9) && goes_on_elsewhere(cloth, device, cpu, 1e-9));
    CHECK(goes_on_elsewhere(cloth, device, device, 0));
    CHECK(goes_on_elsewhere(banner, device, device, 0) && goes_on_elsewhere(banner, cpu, device, 1e-9));
    CHECK(goes_on_elsewhere(layers, device, device, 0) && goes_on_elsewhere(layers, device, cpu, 1e-5));
}

TEST(what_is_read_of_a_state_is_what_the_cpu_reads)
{
    scene *cpu = start(layers, PRC_BACKEND_CPU, PRC_PRECISION_DOUBLE);
    scene *device = start(layers, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE);
    CHECK(run(cpu, 6) && run(device, 6));
    const int n = prc_sim_vertex_count(cpu->sim);
    CHECK(largest_difference(prc_sim_velocities(cpu->sim), prc_sim_velocities(device->sim), 3 * n) < 1e-2);
    CHECK(largest_difference(prc_sim_stretches(cpu->sim), prc_sim_stretches(device->sim), 2 * n) < 1e-4);
    CHECK(largest_difference(prc_sim_contact_gap(cpu->sim), prc_sim_contact_gap(device->sim), n) < 1e-5);
    const double *pressure = prc_sim_contact_pressure(device->sim), *stress = prc_sim_stresses(device->sim);
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, pressure[i]);
    CHECK(most > 0 && stress && prc_sim_curvatures(device->sim) && prc_sim_energy_densities(device->sim));
    CHECK(run(cpu, 1) && run(device, 1) && apart(cpu, device) < 1e-5); /* reading left no trace */
    scene_free(cpu);
    scene_free(device);
}

/* Two sheets and a plane, all within reach. */
static scene *close_by(void)
{
    scene *s = scene_new();
    lay_sheet(s, 6, 0.3, 20, 2e-3);
    lay_sheet(s, 6, 0.3, 50, 2e-3 + 3.5e-3);
    add_plane(s, 0);
    return s;
}

TEST(a_start_has_the_pressures_and_gaps_that_it_has_on_the_cpu_and_no_lists_on_the_host)
{
    scene *cpu = start(close_by, PRC_BACKEND_CPU, PRC_PRECISION_DOUBLE);
    scene *device = start(close_by, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE);
    CHECK(cpu->sim && device->sim);
    const size_t n = (size_t)prc_sim_vertex_count(cpu->sim);
    const double *pressure = prc_sim_contact_pressure(cpu->sim);
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, pressure[i]);
    CHECK(most > 0 && memcmp(pressure, prc_sim_contact_pressure(device->sim), n * sizeof(double)) == 0);
    CHECK(memcmp(prc_sim_contact_gap(cpu->sim), prc_sim_contact_gap(device->sim), n * sizeof(double)) == 0);
    CHECK(cpu->sim->contact.contacts && !device->sim->contact.contacts && !device->sim->contact.found.edge_edge.v);
    CHECK(device->sim->contact.contact_count == cpu->sim->contact.contact_count);
    scene_free(cpu);
    scene_free(device);
}

TEST(a_bad_start_is_refused_as_on_the_cpu)
{
    for (int bad = 0; bad < 3; bad++) { /* too close to each other, to the plane, crossing */
        char message[2][sizeof(prc_error)];
        for (int k = 0; k < 2; k++) {
            scene *s = scene_new();
            lay_sheet(s, 6, 0.3, 20, bad == 1 ? 1e-3 : 0.1);
            lay_sheet(s, 6, 0.3, 50, bad == 0 ? 0.1 + 2e-3 : bad == 2 ? 0.1 : 0.2);
            add_plane(s, 0);
            s->def.backend = k ? PRC_BACKEND_DEVICE_ON_HOST : PRC_BACKEND_CPU;
            CHECK(!prc_sim_create(&s->def, &s->error) && s->error.code == PRC_ERROR_INPUT);
            snprintf(message[k], sizeof message[k], "%s", s->error.message);
            scene_free(s);
        }
        CHECK(strcmp(message[0], message[1]) == 0);
    }
}

TEST(a_state_that_is_set_is_treated_as_on_the_cpu)
{
    scene *s[2] = {start(layers, PRC_BACKEND_CPU, PRC_PRECISION_DOUBLE),
                   start(layers, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE)};
    CHECK(s[0]->sim && s[1]->sim);
    const int n = prc_sim_vertex_count(s[0]->sim);
    double *x = malloc(3 * (size_t)n * sizeof *x);
    CHECK(run(s[0], 2) && run(s[1], 2));
    memcpy(x, prc_sim_positions(s[0]->sim), 3 * (size_t)n * sizeof *x);
    for (int i = 0; i < n; i++)
        x[3 * i + 1] += 0.01;
    for (int k = 0; k < 2; k++)
        CHECK(prc_sim_set_state(s[k]->sim, x, NULL, &s[k]->error) == PRC_OK);
    CHECK(apart(s[0], s[1]) == 0);
    CHECK(run(s[0], 3) && run(s[1], 3) && apart(s[0], s[1]) < 1e-5);
    memcpy(x, prc_sim_positions(s[1]->sim), 3 * (size_t)n * sizeof *x);
    x[1] -= 0.5; /* far through the plane */
    CHECK(prc_sim_set_state(s[1]->sim, x, NULL, &s[1]->error) != PRC_OK);
    CHECK(apart(s[0], s[1]) < 1e-5 && run(s[0], 1) && run(s[1], 1) && apart(s[0], s[1]) < 1e-5);
    free(x);
    scene_free(s[0]);
    scene_free(s[1]);
}

/* So few iterations that some steps do not converge. */
static scene *hasty(void)
{
    scene *s = cloth();
    s->def.solver.max_iterations = 3;
    return s;
}

TEST(a_step_in_parts_is_the_same_on_a_device)
{
    scene *s[2] = {start(hasty, PRC_BACKEND_CPU, PRC_PRECISION_DOUBLE),
                   start(hasty, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE)};
    int parts[2] = {0, 0};
    for (int step = 0; step < STEPS; step++)
        for (int k = 0; k < 2; k++) {
            CHECK(run(s[k], 1));
            parts[k] += s[k]->report.substeps;
        }
    CHECK(parts[0] > STEPS && parts[0] == parts[1]);
    CHECK(apart(s[0], s[1]) < 1e-9);
    scene_free(s[0]);
    scene_free(s[1]);
}

/* --- failure --- */

/* Without coarse levels, which a step that is given up may have made. */
static scene *plain_layers(void)
{
    scene *s = layers();
    s->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI;
    return s;
}

/* Whether a simulation whose device is lost after so many launches of its fifth step is still at the end of the
 * fourth. *lost: it was lost at all. */
static bool survives(scene_maker make, long launches, bool *lost)
{
    scene *s = start(make, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE);
    scene *other = start(make, PRC_BACKEND_CPU, PRC_PRECISION_DOUBLE);
    bool good = run(s, 4);
    size_t size, size_after;
    void *before = save(s, &size), *after = NULL;
    prc_device_fail_after(s->sim->device, launches);
    *lost = prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK;
    if (*lost) {
        after = save(s, &size_after);
        good = good && s->error.code == PRC_ERROR_DEVICE && strstr(s->error.message, "lost") && !s->report.converged;
        good = good && size == size_after && memcmp(before, after, size) == 0;
        good = good && prc_sim_step(s->sim, NULL, &s->error) == PRC_ERROR_DEVICE;
        good = good && prc_sim_restore(other->sim, after, size, &other->error) == PRC_OK && run(other, 1);
    }
    if (!good)
        printf("    after %ld launches: %s\n", launches, s->error.message);
    free(before);
    free(after);
    scene_free(s);
    scene_free(other);
    return good;
}

TEST(a_device_that_is_lost_leaves_the_state_before_the_step)
{
    static const scene_maker scenes[] = {cloth, hasty, plain_layers};
    for (int k = TEST_SANITIZED ? 2 : 0; k < 3; k++) {
        bool lost = true;
        int tries = 0;
        for (long launches = 1; lost; launches += 1 + launches / 2, tries++)
            CHECK(survives(scenes[k], launches, &lost));
        CHECK(tries > 5);
    }
}

/* One that has arrived stays good; one that is under way when the device is lost says so. */
TEST(a_parcel_is_lost_with_its_device_or_not_at_all)
{
    scene *s = start(cloth, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_DOUBLE);
    const size_t n = (size_t)prc_sim_vertex_count(s->sim);
    double *x = malloc(8 * n * sizeof *x), *before = malloc(3 * n * sizeof *before);
    prc_parcel *first = prc_parcel_create(s->sim, &s->error), *second = prc_parcel_create(s->sim, &s->error);
    CHECK(first && second && run(s, 2));
    memcpy(before, prc_sim_positions(s->sim), 3 * n * sizeof *before);
    prc_parcel_pack(first);
    CHECK(run(s, 1));
    prc_parcel_pack(second);
    prc_device_fail_after(s->sim->device, 1);
    CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_ERROR_DEVICE);
    CHECK(prc_parcel_open(first, x, x + 3 * n, x + 6 * n, &s->error) == PRC_OK);
    CHECK(!memcmp(x, before, 3 * n * sizeof *x));
    CHECK(prc_parcel_open(second, x, x + 3 * n, x + 6 * n, &s->error) == PRC_ERROR_DEVICE);
    CHECK_TEXT(s->error.message, "lost before its data were copied out");
    prc_parcel_pack(second); /* nor later */
    CHECK(prc_parcel_open(second, x, x + 3 * n, x + 6 * n, &s->error) == PRC_ERROR_DEVICE);
    prc_parcel_destroy(first);
    prc_parcel_destroy(second);
    free(x);
    free(before);
    scene_free(s);
}

/* An allocator that fails at the n-th call, and from then on if it is dry, and counts what is out. */
typedef struct fragile {
    long calls, fail_at, held;
    bool dry;
} fragile;

static void *fragile_allocate(size_t size, void *context)
{
    fragile *f = context;
    if (f->calls++ == f->fail_at || f->dry)
        return NULL;
    f->held++;
    return malloc(size);
}

static void fragile_release(void *memory, void *context)
{
    ((fragile *)context)->held--;
    free(memory);
}

/* Everything that a device can have, and small. */
static scene *handful(void)
{
    scene *s = scene_new();
    lay_sheet(s, 3, 0.1, 20, 0.05);
    s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
    add_collider(s, PRC_SHAPE_SPHERE)->radius = 0.03;
    pull_and_blow(s, 0);
    return s;
}

TEST(every_failed_allocation_on_the_way_to_a_device_is_reported_and_leaks_nothing)
{
    scene *s = handful();
    fragile f = {.fail_at = -1};
    omp_set_num_threads(1);
    s->def.backend = PRC_BACKEND_CPU;
    prc_set_allocator((prc_allocator){fragile_allocate, fragile_release, &f});
    s->sim = prc_sim_create(&s->def, &s->error);
    const long of_cpu = f.calls;
    prc_sim_destroy(s->sim);
    s->def.backend = PRC_BACKEND_DEVICE_ON_HOST;
    f.calls = 0;
    s->sim = prc_sim_create(&s->def, &s->error);
    const long all = f.calls;
    bool good = s->sim && prc_sim_step(s->sim, NULL, &s->error) == PRC_OK;
    prc_sim_destroy(s->sim);
    good = good && f.held == 0 && all > of_cpu + 50;
    for (long k = of_cpu - 5; good && k < all; k++) {
        f = (fragile){.fail_at = k};
        s->error = (prc_error){0};
        s->sim = prc_sim_create(&s->def, &s->error);
        good = s->sim == NULL && f.held == 0 && s->error.code == PRC_ERROR_MEMORY;
        if (!good)
            printf("    allocation %ld of %ld: held %ld, \"%s\"\n", k, all, f.held, s->error.message);
        prc_sim_destroy(s->sim);
    }
    prc_set_allocator((prc_allocator){0});
    s->sim = NULL;
    CHECK(good);
    scene_free(s);
}

/* More vertices than those of which every step is kept on the host; thrown on a floor, so that contacts come and want
 * memory. */
static scene *large(void)
{
    scene *s = scene_new();
    lay_sheet(s, 56, 0.6, 20, 0.02)->velocity[1] = -2;
    add_plane(s, 0);
    return s;
}

/* The state that is left is one of its past, as a twin has it to whom nothing happens. Nobody asks for a state before:
 * the host has only what was kept. */
static bool has_past(scene *s)
{
    scene *twin = start(large, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_SINGLE);
    const int steps = (int)lround(prc_sim_time(s->sim) / s->def.time.step);
    const bool same = run(twin, steps) && !memcmp(prc_sim_positions(twin->sim), prc_sim_positions(s->sim),
                                                  3 * (size_t)prc_sim_vertex_count(s->sim) * sizeof(double));
    scene_free(twin);
    return same;
}

static bool large_state_is_left(fragile *f, prc_result expected)
{
    scene *s = start(large, PRC_BACKEND_DEVICE_ON_HOST, PRC_PRECISION_SINGLE);
    prc_result result = PRC_OK;
    int steps = 0;
    for (; result == PRC_OK && steps < 8; steps++) {
        f->dry = expected == PRC_ERROR_MEMORY && steps > 1;
        if (expected == PRC_ERROR_DEVICE && steps == 3)
            prc_device_fail_after(s->sim->device, 40);
        result = prc_sim_step(s->sim, &s->report, &s->error);
    }
    f->dry = false;
    const double held = prc_sim_time(s->sim);
    bool good = result == expected && held > 0 && prc_sim_held_time(s->sim) == held;
    good = good && prc_sim_hold(s->sim, &s->error) == PRC_OK && has_past(s);
    scene *other = start(large, PRC_BACKEND_CPU, PRC_PRECISION_SINGLE);
    size_t size;
    void *state = save(s, &size);
    good =
        good && prc_sim_restore(other->sim, state, size, &other->error) == PRC_OK && run(other, 2) && scene_safe(other);
    if (!good)
        printf("    %s; %d steps, now at %g s\n", s->error.message, steps, held);
    free(state);
    scene_free(s);
    scene_free(other);
    return good;
}

TEST(a_large_state_is_left_where_the_device_is_lost_or_out_of_memory)
{
    fragile f = {.fail_at = -1};
    prc_set_allocator((prc_allocator){fragile_allocate, fragile_release, &f});
    const bool lost = large_state_is_left(&f, PRC_ERROR_DEVICE), dry = large_state_is_left(&f, PRC_ERROR_MEMORY);
    prc_set_allocator((prc_allocator){0});
    CHECK(lost && dry && f.held == 0);
}

TEST(what_runs_on_the_cpu_alone_says_so)
{
    scene *s = layers();
    s->def.backend = PRC_BACKEND_DEVICE_ON_HOST;
    s->def.contact.method = PRC_CONTACT_PROJECTION;
    s->def.contact.friction = 0;
    CHECK(!scene_start(s) && strstr(s->error.message, "projection"));
    s->def.backend = PRC_BACKEND_AUTO;
    CHECK(scene_start(s));
    scene_free(s);
}

#else

TEST(there_is_no_device_here_to_move_to)
{
    SKIP("built without a device on the host");
}

#endif

TEST_MAIN()
