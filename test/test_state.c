/* test/test_state.c — a simulation that is saved and restored takes the steps that it would have taken, to the last
 * bit; what is not a saved state of the same simulation is refused.
 *
 * Each scene is run straight, and again in parts, each part by a simulation of its own that restores what the one
 * before saved. SPDX-License-Identifier: Apache-2.0 */
#include "contact_scene.h"
#include "forces_scene.h"
#include "harness.h"

#include "base/hash.h"
#include "base/memory.h"

#define STEPS 12

/* --- scenes --- */

/* A cloth without contact that has all else: pins that come and go, a force, a spring, air, gusts, damping. */
static scene *cloth(int cells)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    prc_body_def *body = add_sheet(s, cells, 1, along_x, 20, 0, 0, 0);
    body->material.damping = 1e-3;
    body->material.mass_damping = 0.1;
    prc_pin_def *first = add_pin(s, 0, 0.15);
    first->until = 6.5 * s->def.time.step;
    prc_pin_def *second = add_pin(s, 0, 0.165);
    second->from = 3.5 * s->def.time.step;
    second->motion.degrees_per_second = 300;
    second->motion.velocity[0] = 0.5;
    second->motion.axis[1] = 1;
    static const prc_force_def force = {.force = {0.3, 0, 0.2}, .from = 0.01, .until = 0.03};
    s->def.forces = &force;
    s->def.force_count = 1;
    pull_and_blow(s, 0.006);
    return s;
}

/* Two sheets that fall on each other and on a sphere that turns and rises. */
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

/* --- running --- */

static bool same_report(const prc_step_report *a, const prc_step_report *b)
{
    return a->time == b->time && a->substeps == b->substeps && a->retries == b->retries &&
           a->converged == b->converged && a->stop == b->stop && a->residual == b->residual &&
           a->decrement == b->decrement && a->iterations == b->iterations &&
           a->inner_iterations == b->inner_iterations && a->halvings == b->halvings &&
           a->energy_elastic == b->energy_elastic && a->energy_kinetic == b->energy_kinetic &&
           a->energy_potential == b->energy_potential && a->largest_stretch == b->largest_stretch &&
           a->smallest_stretch == b->smallest_stretch && a->contact_pairs == b->contact_pairs &&
           a->active_contacts == b->active_contacts && a->detections == b->detections && a->cuts == b->cuts &&
           a->smallest_gap == b->smallest_gap && a->largest_lag == b->largest_lag && a->lag_body == b->lag_body &&
           a->lag_vertex == b->lag_vertex && a->lag_collider == b->lag_collider && a->exempt_pairs == b->exempt_pairs &&
           a->exempt_crossings == b->exempt_crossings && memcmp(a->momentum, b->momentum, sizeof a->momentum) == 0 &&
           memcmp(a->angular_momentum, b->angular_momentum, sizeof a->angular_momentum) == 0;
}

static bool same_state(prc_sim *a, prc_sim *b)
{
    const size_t vertices = (size_t)prc_sim_vertex_count(a), bytes = 3 * sizeof(double) * vertices;
    return prc_sim_time(a) == prc_sim_time(b) && memcmp(prc_sim_positions(a), prc_sim_positions(b), bytes) == 0 &&
           memcmp(prc_sim_velocities(a), prc_sim_velocities(b), bytes) == 0 &&
           memcmp(prc_sim_contact_pressure(a), prc_sim_contact_pressure(b), bytes / 3) == 0 &&
           memcmp(prc_sim_contact_gap(a), prc_sim_contact_gap(b), bytes / 3) == 0;
}

/* Makes a new sim of the scene, with as many threads, that goes on where the old one is. */
static prc_sim *moved(scene *s, prc_sim *old, int threads)
{
    const size_t size = prc_sim_saved_size(old);
    char *bytes = malloc(size + 1); /* an odd address: nothing may depend on alignment */
    prc_sim_def def = s->def;
    def.threads = threads;
    prc_sim_save(old, bytes + 1);
    prc_sim_destroy(old);
    prc_sim *sim = prc_sim_create(&def, &s->error);
    if (!sim || prc_sim_restore(sim, bytes + 1, size, &s->error) != PRC_OK) {
        printf("    %s\n", s->error.message);
        prc_sim_destroy(sim);
        sim = NULL;
    }
    free(bytes);
    return sim;
}

/* Runs a scene straight, and in parts: after step k where bit k of `parts` is set. Says at which step they differ. */
static bool goes_on_as_if(scene *s, int steps, unsigned parts)
{
    bool same = true;
    prc_sim *other = prc_sim_create(&s->def, &s->error);
    if (!other || !scene_start(s)) {
        printf("    %s\n", s->error.message);
        return false;
    }
    for (int k = 0; k < steps && same; k++) {
        prc_step_report report;
        if (parts >> k & 1)
            other = moved(s, other, 1 + (k % 4 == 2));
        same = other && scene_step(s) && prc_sim_step(other, &report, &s->error) == PRC_OK &&
               same_report(&s->report, &report) && same_state(s->sim, other);
        if (!same)
            printf("    differs after step %d\n", k + 1);
    }
    prc_sim_destroy(other);
    scene_free(s);
    return same;
}

/* At the start, between pins and forces that come and go, twice in a row. */
#define PARTS 0x0b5u

/* --- what goes on --- */

TEST(every_solver_goes_on_to_the_bit)
{
    for (int method = PRC_METHOD_NEWTON; method <= PRC_METHOD_SISSM; method++)
        for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++)
            for (int integrator = PRC_INTEGRATOR_EULER; integrator <= PRC_INTEGRATOR_BDF2; integrator++) {
                scene *s = cloth(10);
                s->def.solver.method = (prc_method)method;
                s->def.spring_count = method != PRC_METHOD_SISSM; /* which knows none */
                s->def.precision = (prc_precision)precision;
                s->def.time.integrator = (prc_integrator)integrator;
                CHECK(goes_on_as_if(s, STEPS, PARTS));
            }
}

TEST(coarse_matrices_of_an_earlier_step_go_on_to_the_bit)
{
    const int last = TEST_SANITIZED ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
    for (int precision = PRC_PRECISION_SINGLE; precision <= last; precision++) {
        scene *s = cloth(30);
        s->def.precision = (prc_precision)precision;
        s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
        s->def.time.step = 1e-2;
        s->pin[0].until = 0.065;
        s->pin[1].from = 0.035;
        CHECK(scene_start(s) && scene_step(s) && scene_step(s));
        CHECK(s->sim->coarse.ready && s->sim->hierarchy.level_count > 0);
        prc_sim_destroy(s->sim);
        CHECK(goes_on_as_if(s, STEPS, 0x7b6u));
    }
}

TEST(pressure_goes_on_to_the_bit)
{
    CHECK(goes_on_as_if(ball_under(3000), STEPS, PARTS));
}

TEST(contact_goes_on_to_the_bit)
{
    CHECK(goes_on_as_if(layers(), 20, 0x410a5u));
}

TEST(contact_in_single_precision_goes_on_to_the_bit)
{
    scene *s = layers();
    s->def.precision = PRC_PRECISION_SINGLE;
    CHECK(goes_on_as_if(s, 20, 0x410a5u));
}

TEST(contact_with_lagged_friction_goes_on_to_the_bit)
{
    scene *s = layers();
    s->def.contact.friction_lag = 2;
    CHECK(goes_on_as_if(s, 20, 0x410a5u));
}

TEST(contact_by_projection_goes_on_to_the_bit)
{
    scene *s = layers();
    s->def.contact.method = PRC_CONTACT_PROJECTION;
    s->def.contact.friction = 0;
    s->def.solver.max_iterations = 2; /* converged or not is no matter here */
    s->def.solver.max_substeps = 1;
    CHECK(goes_on_as_if(s, STEPS, PARTS));
}

TEST(contact_with_coarse_levels_goes_on_to_the_bit)
{
    scene *s = scene_new();
    s->def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
    s->def.contact.friction = 0.3;
    lay_sheet(s, 24, 0.5, 20, 0.02)->velocity[1] = -1;
    prc_collider_def *sphere = add_collider(s, PRC_SHAPE_SPHERE);
    sphere->radius = 0.2;
    sphere->center[1] = -0.2;
    CHECK(goes_on_as_if(s, STEPS, PARTS));
}

/* A plate comes down on a sheet that lies on the ground, and gets stuck there: it lags. */
TEST(what_lags_goes_on_to_the_bit)
{
    scene *s = scene_new();
    s->def.solver.max_iterations = 10;
    s->def.solver.max_substeps = 2;
    lay_sheet(s, 4, 0.2, 10, 0.004);
    add_plane(s, 0);
    prc_mesh plate;
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.15;
    grid.cells[0] = grid.cells[1] = 3;
    CHECK(prc_mesh_grid(&plate, &grid, &s->error) == PRC_OK);
    prc_mesh_transform(&plate, along_x, -90, 1, (const double[3]){0, 0.02, 0});
    prc_obstacle_def obstacle = prc_obstacle_def_default();
    obstacle.mesh = &plate;
    obstacle.motion.velocity[1] = -1;
    obstacle.friction = 0.3;
    s->def.obstacles = &obstacle;
    s->def.obstacle_count = 1;
    prc_collider_def *press = add_collider(s, PRC_SHAPE_BOX);
    press->size[0] = press->size[2] = 0.02;
    press->size[1] = 0.02;
    press->center[0] = 0.09;
    press->center[1] = 0.03;
    press->motion.velocity[1] = -1;
    scene straight = *s;
    CHECK((straight.sim = prc_sim_create(&s->def, &s->error)) != NULL);
    bool lagged = false;
    for (int k = 0; k < 10; k++) {
        CHECK(prc_sim_step(straight.sim, &straight.report, &s->error) == PRC_OK);
        lagged = lagged || straight.report.largest_lag > 0;
    }
    prc_sim_destroy(straight.sim);
    CHECK(lagged);
    CHECK(goes_on_as_if(s, 10, 0x3f1u));
    prc_mesh_release(&plate);
}

TEST(exempt_pairs_go_on_to_the_bit)
{
    scene *s = scene_new();
    s->def.solver.max_iterations = 10;
    s->def.solver.max_substeps = 2;
    s->def.contact.start = PRC_START_EXEMPT;
    lay_sheet(s, 6, 0.3, 10, 0.05);
    add_sheet(s, 6, 0.3, along_x, 15, 0, 0.06, 0);
    add_plane(s, 0);
    CHECK(scene_start(s) && scene_step(s) && s->report.exempt_pairs > 0);
    prc_sim_destroy(s->sim);
    CHECK(goes_on_as_if(s, STEPS, 0xfffu));
}

TEST(saving_changes_nothing)
{
    scene *s = layers(), *other = layers();
    CHECK(scene_start(s) && scene_start(other));
    for (int k = 0; k < STEPS; k++) {
        const size_t allocations = prc_alloc_count(), size = prc_sim_saved_size(s->sim);
        char *bytes = malloc(size), *again = malloc(size);
        prc_sim_save(s->sim, bytes);
        prc_sim_save(s->sim, again);
        CHECK(memcmp(bytes, again, size) == 0);
        free(bytes);
        free(again);
        CHECK(prc_alloc_count() == allocations);
        CHECK(scene_step(s) && scene_step(other));
        CHECK(same_report(&s->report, &other->report) && same_state(s->sim, other->sim));
    }
    scene_free(s);
    scene_free(other);
}

TEST(a_simulation_can_go_back_to_its_own_past)
{
    scene *s = layers();
    CHECK(scene_start(s) && scene_run_safely(s, 5));
    const size_t size = prc_sim_saved_size(s->sim);
    char *bytes = malloc(size);
    prc_sim_save(s->sim, bytes);
    CHECK(scene_run_safely(s, 8));
    const prc_step_report there = s->report;
    CHECK(prc_sim_restore(s->sim, bytes, size, &s->error) == PRC_OK);
    CHECK_NEAR(prc_sim_time(s->sim), 5 * s->def.time.step, 1e-12);
    CHECK(scene_run_safely(s, 8));
    CHECK(same_report(&there, &s->report));
    free(bytes);
    scene_free(s);
}

/* --- what is refused --- */

TEST(the_fingerprint_is_of_what_steps_depend_on)
{
    scene *s = layers();
    CHECK(scene_start(s));
    const unsigned long long fingerprint = prc_sim_fingerprint(s->sim);
    s->def.threads = 2;
    s->def.time.duration = 77;
    s->def.time.frames_per_second = 3;
    s->def.output.pressure = true;
    s->body[0].name = "other";
    prc_sim_destroy(s->sim);
    CHECK(scene_start(s) && prc_sim_fingerprint(s->sim) == fingerprint);
    double *const changes[] = {&s->def.time.step,         &s->def.gravity[0],      &s->body[1].material.density,
                               &s->def.contact.thickness, &s->body[0].friction,    &s->collider[0].motion.velocity[2],
                               &s->collider[0].radius,    &s->mesh[0].positions[4]};
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        const double before = *changes[k];
        *changes[k] = before == 0 ? 1e-4 : before < 0 ? 0.3 : before * 1.001;
        prc_sim_destroy(s->sim);
        CHECK(scene_start(s) && prc_sim_fingerprint(s->sim) != fingerprint);
        *changes[k] = before;
    }
    scene_free(s);
}

typedef struct saved {
    scene *scene;
    char *bytes;
    size_t size;
} saved;

static saved save_some(void)
{
    saved made = {.scene = layers()};
    if (scene_start(made.scene) && scene_run_safely(made.scene, 3)) {
        made.size = prc_sim_saved_size(made.scene->sim);
        made.bytes = malloc(made.size);
        prc_sim_save(made.scene->sim, made.bytes);
    }
    return made;
}

static void forget(saved *s)
{
    free(s->bytes);
    scene_free(s->scene);
}

/* Refused with a message, and the state is what it was. The bytes are given in a block of their very size, so that a
 * sanitizer sees any look beyond. */
static bool refuses(saved *s, const char *bytes, size_t size, const char *because)
{
    prc_sim *sim = s->scene->sim;
    prc_error *error = &s->scene->error;
    char *block = malloc(size ? size : 1), *after = calloc(s->size, 1);
    memcpy(block, bytes, size);
    error->message[0] = 0;
    const prc_result result = prc_sim_restore(sim, block, size, error);
    free(block);
    bool same = prc_sim_saved_size(sim) == s->size;
    if (same)
        prc_sim_save(sim, after);
    same = same && memcmp(after, s->bytes, s->size) == 0;
    free(after);
    const bool refused = result == PRC_ERROR_INPUT && strstr(error->message, because);
    if (!same || !refused)
        printf("    %s; %s\n", same ? "state kept" : "STATE CHANGED", error->message);
    return same && refused;
}

TEST(bytes_that_are_cut_off_are_refused)
{
    saved s = save_some();
    CHECK(s.bytes);
    for (size_t size = 0; size < s.size; size += size < 100 ? 1 : 997)
        CHECK(refuses(&s, s.bytes, size, "truncated"));
    CHECK(refuses(&s, s.bytes, s.size - 1, "truncated"));
    forget(&s);
}

TEST(any_changed_byte_is_refused)
{
    saved s = save_some();
    CHECK(s.bytes);
    for (size_t at = 0; at < s.size; at += at < 100 ? 1 : 131) {
        s.bytes[at] ^= 0x20;
        char *wrong = malloc(s.size);
        memcpy(wrong, s.bytes, s.size);
        s.bytes[at] ^= 0x20;
        CHECK(refuses(&s, wrong, s.size, "saved state"));
        free(wrong);
    }
    forget(&s);
}

TEST(messages_say_what_is_wrong_with_a_header)
{
    saved s = save_some();
    CHECK(s.bytes);
    char *wrong = malloc(s.size);
    const struct {
        size_t at, size;
        const char *because;
    } parts[] = {{0, 1, "not a saved state"},   {8, 4, "byte order"}, {12, 4, "version"},
                 {16, 8, "another simulation"}, {24, 8, "had"},       {32, 8, "checksum"}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        memcpy(wrong, s.bytes, s.size);
        for (size_t c = 0; c < parts[k].size; c++) /* turned round; the magic is 'p' → 'P' */
            wrong[parts[k].at + c] = k == 0 ? 'P' : s.bytes[parts[k].at + parts[k].size - 1 - c];
        CHECK(refuses(&s, wrong, s.size, parts[k].because));
    }
    free(wrong);
    forget(&s);
}

/* Bytes whose checksum is right, as a program that means harm would make them. */
TEST(nonsense_with_a_good_checksum_is_refused_or_harmless)
{
    saved s = save_some();
    CHECK(s.bytes);
    uint64_t random = 12345;
    char *wrong = malloc(s.size);
    int refused = 0;
    for (int k = 0; k < 300; k++) {
        memcpy(wrong, s.bytes, s.size);
        for (int c = 0; c < 8; c++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            const size_t at = 40 + (size_t)(random >> 16) % (k % 2 ? 64 : s.size - 40);
            wrong[at] = (char)(random >> 56);
        }
        const uint64_t checksum = prc_hash(PRC_HASH_START, wrong + 40, s.size - 40);
        memcpy(wrong + 32, &checksum, sizeof checksum);
        refused += prc_sim_restore(s.scene->sim, wrong, s.size, &s.scene->error) != PRC_OK;
    }
    CHECK(refused > 30); /* counts and numbers at the beginning; elsewhere one number is as good as another */
    CHECK(prc_sim_restore(s.scene->sim, s.bytes, s.size, &s.scene->error) == PRC_OK);
    CHECK(scene_run_safely(s.scene, 1));
    free(wrong);
    forget(&s);
}

TEST(exempt_pairs_that_do_not_exist_are_refused)
{
    scene *s = scene_new();
    s->def.contact.start = PRC_START_EXEMPT;
    lay_sheet(s, 6, 0.3, 10, 0.05);
    add_sheet(s, 6, 0.3, along_x, 15, 0, 0.06, 0);
    CHECK(scene_start(s));
    CHECK(s->sim->contact.exempt.count > 0);
    const size_t size = prc_sim_saved_size(s->sim);
    char *bytes = malloc(size);
    prc_sim_save(s->sim, bytes);
    const int far[] = {1000000, -1, 2147483647};
    for (size_t k = 0; k < 3; k++) {
        memcpy(bytes + 44, &far[k], sizeof far[k]); /* the first vertex of the first pair */
        const uint64_t checksum = prc_hash(PRC_HASH_START, bytes + 40, size - 40);
        memcpy(bytes + 32, &checksum, sizeof checksum);
        CHECK(prc_sim_restore(s->sim, bytes, size, &s->error) == PRC_ERROR_INPUT);
        CHECK_TEXT(s->error.message, "exempt pair");
        memcpy(bytes + 40, &far[k], sizeof far[k]); /* their number */
        const uint64_t other = prc_hash(PRC_HASH_START, bytes + 40, size - 40);
        memcpy(bytes + 32, &other, sizeof other);
        CHECK(prc_sim_restore(s->sim, bytes, size, &s->error) == PRC_ERROR_INPUT);
        prc_sim_save(s->sim, bytes);
    }
    free(bytes);
    scene_free(s);
}

TEST_MAIN()
