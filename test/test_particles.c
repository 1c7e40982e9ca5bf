/* test/test_particles.c — bodies of particles: balls that fall, collide with each other and with everything else. Every
 * state is judged by distances that are computed here, all against all.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <percale/percale.h>

#include "check/distance.h"

#include <stdlib.h>

#define RADIUS 5e-3
#define HARD 0.8  /* share of the distance that nothing ever passes */
#define SURE 1e-9 /* relative, for what is computed here */

/* --- scenes: a body of grains, perhaps a sheet, perhaps a collider, perhaps points or needles --- */

typedef struct scene {
    prc_mesh grains, sheet, shape;
    prc_body_def body[2];
    prc_collider_def collider[2];
    prc_obstacle_def obstacle;
    prc_pin_def pin;
    prc_sim_def def;
    prc_sim *sim;
    prc_step_report report;
    prc_error error;
    int unconverged;
} scene;

static scene *scene_new(void)
{
    scene *s = calloc(1, sizeof *s);
    for (int k = 0; k < 2; k++) {
        s->body[k] = prc_body_def_default();
        s->collider[k] = prc_collider_def_default();
    }
    s->body[0].kind = PRC_BODY_PARTICLES;
    s->body[0].mesh = &s->grains;
    s->body[0].particle = (prc_particle_def){RADIUS, 2500};
    s->body[1].mesh = &s->sheet;
    s->obstacle = prc_obstacle_def_default();
    s->obstacle.mesh = &s->shape;
    s->pin = prc_pin_def_default();
    s->def = prc_sim_def_default();
    s->def.bodies = s->body;
    s->def.body_count = 1;
    s->def.colliders = s->collider;
    s->def.obstacles = &s->obstacle;
    s->def.pins = &s->pin;
    s->def.threads = 1;
    s->def.time.step = 2e-3;
    s->def.contact.enabled = true;
    s->def.contact.thickness = 2e-3;
    return s;
}

static void scene_free(scene *s)
{
    prc_sim_destroy(s->sim);
    free(s->grains.positions);
    prc_mesh_release(&s->sheet);
    free(s);
}

/* nx × ny × nz grains, apart by `spacing`, the lowest one at `height`; askew, so that nothing stands exactly on top. */
static void pile(scene *s, int nx, int ny, int nz, double spacing, double height)
{
    double *x = malloc(3 * sizeof *x * (size_t)(nx * ny * nz));
    int n = 0;
    for (int j = 0; j < ny; j++)
        for (int i = 0; i < nx; i++)
            for (int k = 0; k < nz; k++, n++) {
                x[3 * n] = (i - 0.5 * (nx - 1)) * spacing + 0.13 * spacing * (j % 3);
                x[3 * n + 1] = height + j * spacing;
                x[3 * n + 2] = (k - 0.5 * (nz - 1)) * spacing + 0.11 * spacing * (j % 2);
            }
    s->grains.positions = x;
    s->grains.vertex_count = n;
}

static void add_floor(scene *s)
{
    s->collider[s->def.collider_count++].shape = PRC_SHAPE_PLANE;
}

/* A square sheet in the x–z plane, held at its rim. */
static void add_sheet(scene *s, int cells, double size, double height)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = size;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_ALTERNATING;
    prc_mesh_grid(&s->sheet, &grid, NULL);
    prc_mesh_transform(&s->sheet, (double[3]){1, 0, 0}, -90, 1, (double[3]){0, height, 0});
    s->def.body_count = 2;
}

static bool scene_start(scene *s)
{
    s->sim = prc_sim_create(&s->def, &s->error);
    if (!s->sim)
        printf("    %s\n", s->error.message);
    return s->sim != NULL;
}

static double distance(const double *a, const double *b)
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* The smallest distance of two particles, in diameters; and of a particle and the sheet, over its own distance. */
static double closest(scene *s)
{
    const double *x = prc_sim_positions(s->sim);
    const int n = s->grains.vertex_count;
    const double *sheet = x + 3L * n, apart = RADIUS + s->def.contact.thickness / 2;
    double least = INFINITY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++)
            least = fmin(least, distance(x + 3 * i, x + 3 * j) / (2 * RADIUS));
        for (int t = 0; s->def.body_count > 1 && t < s->sheet.triangle_count; t++) {
            const int *v = s->sheet.triangles + 3 * t;
            double a[3], b[3];
            const double square = prc_check_distance_point_triangle(x + 3 * i, sheet + 3 * v[0], sheet + 3 * v[1],
                                                                    sheet + 3 * v[2], a, b);
            least = fmin(least, sqrt(square) / apart);
        }
    }
    return least;
}

/* Steps, each judged. */
static bool run_apart(scene *s, int steps)
{
    for (int k = 0; k < steps; k++) {
        if (prc_sim_step(s->sim, &s->report, &s->error) != PRC_OK) {
            printf("    step %d: %s\n", k, s->error.message);
            return false;
        }
        s->unconverged += !s->report.converged;
        const double least = closest(s);
        if (!(least > HARD * (1 - SURE))) {
            printf("    step %d: nearer than allowed: %.6g of the thickness\n", k, least);
            return false;
        }
    }
    return true;
}

/* --- claims --- */

TEST(a_particle_weighs_what_its_ball_does_and_falls_freely)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    pile(s, 1, 1, 1, 0.1, 1);
    CHECK(scene_start(s));
    CHECK_NEAR(prc_sim_masses(s->sim)[0], 4.0 / 3 * 3.14159265358979 * 2500 * RADIUS * RADIUS * RADIUS, 1e-15);
    for (int k = 0; k < 100; k++)
        CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK && s->report.converged);
    /* implicit Euler: v = g t, x = 1 − g h² n (n + 1) / 2 */
    CHECK_NEAR(prc_sim_velocities(s->sim)[1], -9.81 * 0.2, 1e-12);
    CHECK_NEAR(prc_sim_positions(s->sim)[1], 1 - 9.81 * 4e-6 * 100 * 101 / 2, 1e-12);
    CHECK_NEAR(prc_sim_stretches(s->sim)[0], 1, 0);
    scene_free(s);
}

TEST(a_ball_in_the_wind_takes_on_its_speed)
{
    scene *s = scene_new();
    pile(s, 1, 1, 1, 0.1, 1);
    memset(s->def.gravity, 0, sizeof s->def.gravity);
    s->body[0].particle.density = 1;
    s->def.air.density = 1.2;
    s->def.air.drag = 0.5;
    s->def.air.wind[2] = 3;
    s->def.time.step = 1e-4;
    CHECK(scene_start(s));
    double w = 3; /* dw/dt = −c w², c = ½ ρ C a / m */
    const double mass = prc_sim_masses(s->sim)[0], c = 0.5 * 1.2 * 0.5 * 3.14159265358979 * RADIUS * RADIUS / mass;
    for (int k = 0; k < 200; k++)
        CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK && s->report.converged);
    w = 3 / (1 + 3 * c * 0.02);
    CHECK_NEAR(prc_sim_velocities(s->sim)[2], 3 - w, 2e-3 * (3 - w));
    CHECK_NEAR(prc_sim_velocities(s->sim)[0], 0, 1e-12);
    scene_free(s);
}

TEST(two_particles_that_collide_keep_their_momentum)
{
    scene *s = scene_new();
    double velocity[6] = {1, 0, 0, -0.5, 0, 0};
    pile(s, 2, 1, 1, 3 * RADIUS, 0);
    s->grains.positions[4] += 0.4 * RADIUS; /* off centre */
    s->body[0].vertex_velocity = velocity;
    memset(s->def.gravity, 0, sizeof s->def.gravity);
    s->def.solver.tolerance = 1e-12;
    s->def.time.step = 5e-4;
    CHECK(scene_start(s));
    const double mass = prc_sim_masses(s->sim)[0];
    CHECK(run_apart(s, 60));
    const double *v = prc_sim_velocities(s->sim);
    CHECK(v[0] < v[3]); /* they have parted */
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(mass * (v[c] + v[3 + c]), c == 0 ? mass * 0.5 : 0, 1e-12 * mass);
    CHECK(fabs(v[1]) > 1e-3); /* it was off centre */
    scene_free(s);
}

TEST(a_pile_of_grains_comes_to_rest_on_a_floor_with_its_weight)
{
    scene *s = scene_new();
    pile(s, 3, 4, 3, 2.1 * RADIUS, 1.2 * RADIUS);
    add_floor(s);
    s->def.contact.friction = 0.4;
    CHECK(scene_start(s));
    CHECK(run_apart(s, 150));
    const double *x = prc_sim_positions(s->sim);
    for (int i = 0; i < s->grains.vertex_count; i++)
        CHECK(x[3 * i + 1] > HARD * RADIUS * (1 - SURE));
    CHECK(s->unconverged == 0);
    scene_free(s);
}

TEST(grains_stay_on_a_sheet_and_none_gets_through)
{
    scene *s = scene_new();
    pile(s, 3, 3, 3, 2.2 * RADIUS, 0.012);
    add_sheet(s, 6, 0.12, 0);
    int held[200], count = 0;
    for (int i = 0; i < s->sheet.vertex_count; i++)
        if (fabs(s->sheet.positions[3 * i]) > 0.0599 || fabs(s->sheet.positions[3 * i + 2]) > 0.0599)
            held[count++] = i;
    s->pin.body = 1;
    s->pin.vertices = held;
    s->pin.vertex_count = count;
    s->def.pin_count = 1;
    s->body[0].velocity[1] = -3;
    s->def.contact.friction = 0.3;
    CHECK(scene_start(s));
    CHECK(run_apart(s, 100));
    const double *x = prc_sim_positions(s->sim);
    for (int i = 0; i < s->grains.vertex_count; i++)
        CHECK(x[3 * i + 1] > -0.05 || fabs(x[3 * i]) > 0.06 || fabs(x[3 * i + 2]) > 0.06);
    scene_free(s);
}

TEST(grains_meet_points_and_needles_of_obstacles)
{
    for (int needle = 0; needle < 2; needle++) {
        scene *s = scene_new();
        double at[6] = {-0.05, 0, 0.0004, 0.05, 0, 0.0003}, point[3] = {0.0002, 0, 0.0003};
        const int ends[2] = {0, 1};
        pile(s, 1, 1, 1, 1, 0.02);
        s->shape = (prc_mesh){.vertex_count = needle ? 2 : 1, .positions = needle ? at : point};
        s->obstacle.segments = needle ? ends : NULL;
        s->obstacle.segment_count = needle;
        s->def.obstacle_count = 1;
        s->body[0].velocity[1] = -2;
        CHECK(scene_start(s));
        double least = INFINITY;
        for (int k = 0; k < 40; k++) {
            CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK);
            const double *x = prc_sim_positions(s->sim);
            least = fmin(least, needle ? hypot(x[1], x[2] - 0.00035) : distance(x, point));
        }
        CHECK(least > HARD * (RADIUS + 1e-3) - 1e-4 * needle); /* the needle is a little oblique */
        CHECK(least < 2 * RADIUS);                             /* they met */
        scene_free(s);
    }
}

TEST(grains_stay_out_of_every_collider)
{
    static const prc_shape_kind shapes[] = {PRC_SHAPE_SPHERE, PRC_SHAPE_CAPSULE, PRC_SHAPE_CYLINDER, PRC_SHAPE_BOX,
                                            PRC_SHAPE_CONE};
    for (int k = 0; k < 5; k++) {
        scene *s = scene_new();
        pile(s, 2, 2, 2, 2.2 * RADIUS, 0.05);
        prc_collider_def *c = &s->collider[s->def.collider_count++];
        c->shape = shapes[k];
        c->radius = 0.02;
        c->radius_top = 0.01;
        c->length = 0.03;
        for (int a = 0; a < 3; a++)
            c->size[a] = 0.04;
        s->body[0].velocity[1] = -2;
        CHECK(scene_start(s));
        CHECK(run_apart(s, 60));
        scene_free(s);
    }
}

TEST(particles_give_the_same_bits_for_1_and_2_threads_and_after_a_saved_state)
{
    double *first = NULL;
    for (int run = 0; run < 3; run++) {
        scene *s = scene_new();
        pile(s, 4, 4, 4, 2.1 * RADIUS, 1.3 * RADIUS);
        add_floor(s);
        s->def.contact.friction = 0.3;
        s->def.threads = run == 1 ? 2 : 1;
        CHECK(scene_start(s));
        const size_t bytes = 3 * sizeof(double) * (size_t)s->grains.vertex_count;
        for (int k = 0; k < 20; k++) {
            if (run == 2 && k == 10) {
                const size_t size = prc_sim_saved_size(s->sim);
                void *saved = malloc(size);
                prc_sim_save(s->sim, saved);
                prc_sim_destroy(s->sim);
                CHECK(scene_start(s) && prc_sim_restore(s->sim, saved, size, &s->error) == PRC_OK);
                free(saved);
            }
            CHECK(prc_sim_step(s->sim, &s->report, &s->error) == PRC_OK);
        }
        if (!first)
            first = memcpy(malloc(bytes), prc_sim_positions(s->sim), bytes);
        CHECK(!memcmp(first, prc_sim_positions(s->sim), bytes));
        scene_free(s);
    }
    free(first);
}

TEST(wrong_particles_are_refused)
{
    scene *s = scene_new();
    pile(s, 1, 1, 1, 1, 0);
    s->body[0].particle.radius = 0;
    CHECK(!prc_sim_create(&s->def, &s->error) && strstr(s->error.message, "bodies[0].particle.radius"));
    s->body[0].particle.radius = RADIUS;
    s->body[0].contact_thickness = 1e-3;
    CHECK(!prc_sim_create(&s->def, &s->error) && strstr(s->error.message, "contact_thickness"));
    s->body[0].contact_thickness = 0;
    s->grains.vertex_count = 0;
    CHECK(!prc_sim_create(&s->def, &s->error) && strstr(s->error.message, "mesh"));
    s->grains.vertex_count = 1;
    free(s->grains.positions);
    pile(s, 2, 1, 1, 1.5 * RADIUS, 0);
    CHECK(!prc_sim_create(&s->def, &s->error) && strstr(s->error.message, "too close"));
    scene_free(s);
}

TEST_MAIN()
