/* test_pressure.c — pressure inside closed bodies: forces, volumes, balloons against Laplace's law, pillows, errors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "contact_scene.h"
#include "step/evaluate.h"
#include "step/forces.h"
#include "step/frame.h"

#define RADIUS 0.5

/* A sphere of A3 rubber (500 N/m) in the void of space, that comes to rest soon. */
static scene *ball_scene(int subdivisions, prc_pressure_def *pressure)
{
    static const int first[1] = {0};
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.gravity[1] = 0;
    s->def.time.step = 0.01;
    s->def.solver.tolerance = 1e-8;
    prc_mesh_sphere(&s->mesh[0], RADIUS, subdivisions, &s->error);
    s->def.body_count = 1;
    s->body[0].material.mass_damping = 20;
    *pressure = prc_pressure_def_default();
    pressure->bodies = first;
    pressure->body_count = 1;
    s->def.pressures = pressure;
    s->def.pressure_count = 1;
    return s;
}

static bool run(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!scene_step(s))
            return false;
    return s->unconverged == 0;
}

static double mean_radius(scene *s)
{
    const double *x = prc_sim_positions(s->sim);
    const int count = prc_sim_vertex_count(s->sim);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += sqrt(x[3 * i] * x[3 * i] + x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]) / count;
    return sum;
}

/* Pressure that holds a sphere of A3 at a stretch: 2 P(l) / (l² R), P = 500 (l³ − l^-3)/3. */
static double laplace(double l)
{
    return 2 * 500 * (l * l * l - 1 / (l * l * l)) / 3 / (l * l * RADIUS);
}

/* The stretch at which a sphere is in balance with a constant pressure, or with a gas of that pressure at the start. */
static double balance(double over, double outside, double exponent)
{
    double low = 1, high = 3;
    while (high - low > 1e-12) {
        const double l = (low + high) / 2;
        const double inside = outside > 0 ? (outside + over) * pow(l, -3 * exponent) - outside : over;
        if (inside > laplace(l))
            low = l;
        else
            high = l;
    }
    return low;
}

TEST(a_balloon_grows_as_laplace_says)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(3, &pressure);
    pressure.over = 400;
    CHECK(scene_start(s) && run(s, 200));
    CHECK_NEAR(mean_radius(s) / RADIUS, balance(400, 0, 0), 3e-3);
    scene_free(s);
}

TEST(a_gas_and_its_skin_find_their_balance)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(3, &pressure);
    double volume, inside;
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.over = 1000;
    pressure.outside = 2000;
    pressure.exponent = 1.4;
    CHECK(scene_start(s));
    prc_sim_pressure(s->sim, 0, &volume, &inside);
    const double start = volume;
    CHECK_NEAR(inside, 1000, 1e-9);
    CHECK(run(s, 200));
    const double l = balance(1000, 2000, 1.4);
    CHECK(l > 1.05);
    CHECK_NEAR(mean_radius(s) / RADIUS, l, 3e-3);
    prc_sim_pressure(s->sim, 0, &volume, &inside);
    CHECK_NEAR(inside, 3000 * pow(start / volume, 1.4) - 2000, 1e-9);
    CHECK_NEAR(inside, laplace(l), 0.02 * laplace(l));
    scene_free(s);
}

TEST(the_volume_of_a_sphere_is_that_of_its_triangles)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(2, &pressure);
    double volume, sum = 0;
    for (int b = 0; b < 3; b++) /* somewhere else: the volume does not care */
        for (int i = 0; i < s->mesh[0].vertex_count; i++)
            s->mesh[0].positions[3 * i + b] += 10 * b;
    for (int t = 0; t < s->mesh[0].triangle_count; t++) {
        const double *x[3];
        for (int k = 0; k < 3; k++)
            x[k] = s->mesh[0].positions + 3 * s->mesh[0].triangles[3 * t + k];
        for (int c = 0; c < 3; c++)
            sum += x[0][c] * (x[1][(c + 1) % 3] * x[2][(c + 2) % 3] - x[1][(c + 2) % 3] * x[2][(c + 1) % 3]) / 6;
    }
    CHECK(scene_start(s));
    prc_sim_pressure(s->sim, 0, &volume, NULL);
    CHECK_NEAR(volume, sum, 1e-10);
    CHECK_NEAR(volume, 4.0 / 3 * acos(-1.0) * 0.125, 0.04);
    scene_free(s);
}

static void scatter(prc_sim *sim, enum prc_field field, double size, unsigned seed)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *values = calloc(n, sizeof *values);
    for (size_t k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        values[k] = k % (size_t)sim->view.padded_count < (size_t)sim->view.vertex_count
                        ? size * ((double)(seed >> 8) / 8388608.0 - 1)
                        : 0;
    }
    sim->model.backend->upload(&sim->view, sim->view.field[field], values, n);
    free(values);
}

static void gradient_at(prc_sim *sim, enum prc_field u, enum prc_field to)
{
    prc_combine(sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, to);
    prc_forces_gradient(sim, u, to);
}

/* dE/dV of the first volume, wherever the simulation is, Pa. */
static double force_now(prc_sim *sim)
{
    const prc_cells_there *there = sim->cells.rows.device;
    double force;
    prc_get(sim, &force, there ? there->force : sim->cells.rows.force, sizeof force);
    return force;
}

/* Forces against energies, and the kept part of the stiffness against the change of pressure alone. */
static bool consistent(scene *s)
{
    const double e = 1e-5;
    double energy[2], along[2];
    prc_step_begin(s->sim);
    scatter(s->sim, PRC_FIELD_u, 1e-2, 1);
    scatter(s->sim, PRC_FIELD_direction, 1, 2);
    for (int k = 0; k < 2; k++) {
        prc_combine(s->sim, 1, PRC_FIELD_u, k ? e : -e, PRC_FIELD_direction, PRC_FIELD_trial);
        gradient_at(s->sim, PRC_FIELD_trial, PRC_FIELD_trial_gradient);
        energy[k] = prc_forces_energy(s->sim);
        along[k] = force_now(s->sim);
    }
    gradient_at(s->sim, PRC_FIELD_u, PRC_FIELD_gradient);
    const double slope = prc_inner(s->sim, PRC_FIELD_gradient, PRC_FIELD_direction);
    prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_product);
    prc_forces_product(s->sim, PRC_FIELD_direction, PRC_FIELD_product);
    const double curvature = prc_inner(s->sim, PRC_FIELD_direction, PRC_FIELD_product);
    const double change = (along[1] - along[0]) / (2 * e) * slope / force_now(s->sim);
    const double measured = (energy[1] - energy[0]) / (2 * e);
    const bool good = fabs(slope) > 1 && fabs(slope - measured) < 1e-5 * fabs(slope) &&
                      fabs(curvature - change) <= 1e-4 * fabs(curvature);
    if (!good)
        printf("    slope %.10g, measured %.10g; curvature %.10g, measured %.10g\n", slope, measured, curvature,
               change);
    return good;
}

TEST(forces_of_pressure_are_the_slope_of_its_energy)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(2, &pressure);
    pressure.over = 400;
    CHECK(scene_start(s) && consistent(s));
    for (int k = 0; k < 2; k++) {
        prc_sim_destroy(s->sim);
        pressure.kind = PRC_PRESSURE_GAS;
        pressure.exponent = k ? 1.4 : 1;
        pressure.outside = 1000;
        CHECK(scene_start(s) && consistent(s));
    }
    scene_free(s);
}

TEST(pressure_neither_pushes_nor_turns_a_body)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(2, &pressure);
    pressure.over = 1e5;
    CHECK(scene_start(s));
    prc_step_begin(s->sim);
    scatter(s->sim, PRC_FIELD_u, 5e-2, 3);
    gradient_at(s->sim, PRC_FIELD_u, PRC_FIELD_gradient);
    const long n = s->sim->view.padded_count;
    const double *g = s->sim->view.field[PRC_FIELD_gradient], *u = s->sim->view.field[PRC_FIELD_u];
    const double *x = s->sim->view.field[PRC_FIELD_position];
    double force[3] = {0}, torque[3] = {0}, size = 0;
    for (long i = 0; i < s->sim->view.vertex_count; i++)
        for (int c = 0; c < 3; c++) {
            const long p = (c + 1) % 3 * n + i, q = (c + 2) % 3 * n + i;
            force[c] += g[c * n + i];
            torque[c] += (x[p] + u[p]) * g[q] - (x[q] + u[q]) * g[p];
            size += fabs(g[c * n + i]);
        }
    CHECK(size > 1e4);
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(force[c], 0, 1e-13 * size);
        CHECK_NEAR(torque[c], 0, 1e-13 * size);
    }
    scene_free(s);
}

/* A ball of gas, pulled apart at its caps; returns volume / volume at the start. */
static double pulled(double outside, int *iterations, double *longer)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(3, &pressure);
    prc_force_def forces[2] = {prc_force_def_default(), prc_force_def_default()};
    int caps[2][400], count[2] = {0, 0};
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        const double y = s->mesh[0].positions[3 * i + 1];
        if (fabs(y) > 0.4 && count[y > 0] < 400)
            caps[y > 0][count[y > 0]++] = i;
    }
    for (int k = 0; k < 2; k++) {
        forces[k].vertices = caps[k];
        forces[k].vertex_count = count[k];
        forces[k].force[1] = k ? 50 : -50;
    }
    s->def.forces = forces;
    s->def.force_count = 2;
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.over = 0;
    pressure.outside = outside;
    double volume = 0, start = 1;
    *iterations = 0;
    *longer = 0;
    s->def.solver.tolerance = 1e-5;
    if (scene_start(s)) {
        prc_sim_pressure(s->sim, 0, &start, NULL);
        for (int k = 0; k < 60 && run(s, 1); k++)
            *iterations += s->report.iterations;
        prc_sim_pressure(s->sim, 0, &volume, NULL);
        const double *x = prc_sim_positions(s->sim);
        *longer = x[3 * caps[1][0] + 1] - x[3 * caps[0][0] + 1] - s->mesh[0].positions[3 * caps[1][0] + 1] +
                  s->mesh[0].positions[3 * caps[0][0] + 1];
    }
    const bool good = s->unconverged == 0;
    scene_free(s);
    return good ? volume / start : NAN;
}

TEST(stiff_gas_keeps_its_volume_and_costs_few_iterations)
{
    int soft_iterations, iterations;
    double soft_longer, longer;
    const double soft = pulled(1e-3, &soft_iterations, &soft_longer), stiff = pulled(101325, &iterations, &longer);
    CHECK(soft_longer > 0.05 && longer > 0.05);
    CHECK(soft < 0.9);
    CHECK_NEAR(stiff, 1, 1e-3);
    CHECK(iterations <= 2 * soft_iterations);
}

static bool end_of_balloon(prc_method method, prc_pressure_kind kind, prc_precision precision, double *radius)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(1, &pressure);
    pressure.kind = kind;
    pressure.over = 300;
    pressure.outside = 1000;
    s->def.solver.method = method;
    s->def.solver.max_iterations = 100000;
    s->def.precision = precision;
    s->def.solver.tolerance = precision == PRC_PRECISION_SINGLE ? 1e-4 : 1e-7;
    const bool good = scene_start(s) && run(s, 20);
    if (good)
        *radius = mean_radius(s);
    scene_free(s);
    return good;
}

TEST(every_solver_that_takes_pressure_finds_the_same_balloon)
{
    static const prc_method methods[] = {PRC_METHOD_NCG, PRC_METHOD_ANDERSON, PRC_METHOD_CHEBYSHEV, PRC_METHOD_JACOBI};
    double newton, other;
    CHECK(end_of_balloon(PRC_METHOD_NEWTON, PRC_PRESSURE_CONSTANT, PRC_PRECISION_DOUBLE, &newton));
    CHECK(newton > 1.05 * RADIUS);
    for (int k = 0; k < 4; k++) {
        CHECK(end_of_balloon(methods[k], PRC_PRESSURE_CONSTANT, PRC_PRECISION_DOUBLE, &other));
        CHECK_NEAR(other, newton, 1e-7);
    }
    CHECK(end_of_balloon(PRC_METHOD_NEWTON, PRC_PRESSURE_CONSTANT, PRC_PRECISION_SINGLE, &other));
    CHECK_NEAR(other, newton, 1e-5);
    CHECK(end_of_balloon(PRC_METHOD_NEWTON, PRC_PRESSURE_GAS, PRC_PRECISION_DOUBLE, &newton));
    CHECK(end_of_balloon(PRC_METHOD_NCG, PRC_PRESSURE_GAS, PRC_PRECISION_DOUBLE, &other));
    CHECK_NEAR(other, newton, 1e-7);
    CHECK(end_of_balloon(PRC_METHOD_NEWTON, PRC_PRESSURE_GAS, PRC_PRECISION_SINGLE, &other));
    CHECK_NEAR(other, newton, 1e-5);
}

TEST(any_number_of_threads_gives_the_same_bits_with_pressure)
{
    double *x[2];
    size_t bytes = 0;
    for (int k = 0; k < 2; k++) {
        prc_pressure_def pressure;
        scene *s = ball_scene(5, &pressure);
        pressure.kind = PRC_PRESSURE_GAS;
        pressure.over = 300;
        s->def.threads = k ? 3 : 1;
        s->def.solver.tolerance = 1e-4;
        CHECK(scene_start(s) && run(s, 2));
        bytes = 3 * sizeof(double) * (size_t)s->mesh[0].vertex_count;
        x[k] = malloc(bytes);
        memcpy(x[k], prc_sim_positions(s->sim), bytes);
        scene_free(s);
    }
    const bool same = memcmp(x[0], x[1], bytes) == 0;
    free(x[0]);
    free(x[1]);
    CHECK(same);
}

TEST(pressure_begins_grows_and_ends_when_it_should)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(1, &pressure);
    double now;
    pressure.over = 100;
    pressure.from = 0.1;
    pressure.ramp = 0.2;
    pressure.until = 0.4;
    CHECK(scene_start(s) && run(s, 10));
    CHECK_NEAR(mean_radius(s), RADIUS, 1e-9);
    CHECK(run(s, 10));
    prc_sim_pressure(s->sim, 0, NULL, &now);
    CHECK_NEAR(now, 50, 1e-6);
    CHECK(run(s, 10));
    prc_sim_pressure(s->sim, 0, NULL, &now);
    CHECK_NEAR(now, 100, 1e-6);
    CHECK(run(s, 11));
    prc_sim_pressure(s->sim, 0, NULL, &now);
    CHECK_NEAR(now, 0, 0);
    scene_free(s);
}

/* --- pillows: two sheets, sewn along their boundaries --- */

/* Level sheets, `gap` apart, fronts outwards; stitches go to `springs`. */
static int pillow(scene *s, int cells, double gap, prc_spring_def *springs)
{
    int count = 0;
    add_sheet(s, cells, 0.3, along_x, 0, 0, gap, 0);
    add_sheet(s, cells, 0.3, along_x, 180, 0, 0, 0);
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        const double *a = s->mesh[0].positions + 3 * i;
        if (fabs(fabs(a[0]) - 0.15) > 1e-9 && fabs(fabs(a[2]) - 0.15) > 1e-9)
            continue;
        for (int j = 0; j < s->mesh[1].vertex_count; j++) {
            const double *b = s->mesh[1].positions + 3 * j;
            if (hypot(a[0] - b[0], a[2] - b[2]) > 1e-9)
                continue;
            springs[count] = prc_spring_def_default();
            springs[count].tie = (prc_spring_end){.body = 0, .vertex = {i, i}};
            springs[count].to = (prc_spring_end){.body = 1, .vertex = {j, j}};
            springs[count].seam = true;
            springs[count++].stiffness = 0;
        }
    }
    s->def.springs = springs;
    s->def.spring_count = count;
    return count;
}

TEST(seams_close_the_volume_of_a_pillow)
{
    static const int both[2] = {0, 1};
    scene *s = scene_new();
    prc_spring_def springs[100];
    prc_pressure_def pressure = prc_pressure_def_default();
    double volume;
    CHECK(pillow(s, 4, 0.02, springs) == 16);
    pressure.bodies = both;
    pressure.body_count = 2;
    s->def.pressures = &pressure;
    s->def.pressure_count = 1;
    CHECK(scene_start(s));
    prc_sim_pressure(s->sim, 0, &volume, NULL);
    CHECK_NEAR(volume, 0.3 * 0.3 * 0.02, 1e-12);
    scene_free(s);
}

TEST(a_pillow_blows_up_and_nothing_crosses)
{
    static const int both[2] = {0, 1};
    scene *s = scene_new();
    prc_spring_def springs[100];
    prc_pressure_def pressure = prc_pressure_def_default();
    double volume, inside;
    pillow(s, 8, 4.5e-3, springs);
    pressure.bodies = both;
    pressure.body_count = 2;
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.volume = 5e-3;
    pressure.over = 3000;
    pressure.ramp = 0.1;
    s->def.pressures = &pressure;
    s->def.pressure_count = 1;
    s->def.gravity[1] = 0;
    CHECK(scene_start(s) && scene_run_safely(s, 60));
    prc_sim_pressure(s->sim, 0, &volume, &inside);
    CHECK_NEAR(volume, 5.1e-3, 0.2e-3);
    CHECK(inside > 20 && inside < 3000);
    CHECK(s->report.largest_seam_gap < 5e-3);
    CHECK(s->unconverged <= 3);
    scene_free(s);
}

/* --- errors --- */

static bool refused(const scene *s, const char *part)
{
    prc_error error = {0};
    prc_sim *sim = prc_sim_create(&s->def, &error);
    prc_sim_destroy(sim);
    if (!sim && strstr(error.message, part))
        return true;
    printf("    \"%s\" does not contain \"%s\"\n", error.message, part);
    return false;
}

TEST(a_body_that_is_open_is_refused_and_its_loop_named)
{
    prc_pressure_def pressure;
    scene *s = ball_scene(1, &pressure);
    s->mesh[0].triangle_count -= 1;
    s->body[0].name = "ball";
    CHECK(refused(s, "bodies[0].pressure: the surface is open along 3 edges, the first loop has 3 and passes vertex"));
    CHECK(refused(s, "of bodies[0] \"ball\""));
    scene_free(s);
    s = scene_new();
    prc_spring_def springs[100];
    static const int both[2] = {0, 1};
    pillow(s, 4, 0.02, springs);
    pressure.bodies = both;
    pressure.body_count = 2;
    s->def.pressures = &pressure;
    s->def.pressure_count = 1;
    s->def.spring_count = 13; /* three stitches are missing */
    CHECK(refused(s, "the surface is open along"));
    s->def.spring_count = 16;
    for (int t = 0; t < s->mesh[1].triangle_count; t++) { /* turned the wrong way */
        const int keep = s->mesh[1].triangles[3 * t];
        s->mesh[1].triangles[3 * t] = s->mesh[1].triangles[3 * t + 1];
        s->mesh[1].triangles[3 * t + 1] = keep;
    }
    CHECK(refused(s, "must all face outwards"));
    scene_free(s);
}

TEST(pressures_that_make_no_sense_are_refused)
{
    static const int wrong[2] = {0, 0};
    prc_pressure_def pressure;
    scene *s = ball_scene(1, &pressure);
    for (int t = 0; t < s->mesh[0].triangle_count; t++) {
        const int keep = s->mesh[0].triangles[3 * t];
        s->mesh[0].triangles[3 * t] = s->mesh[0].triangles[3 * t + 1];
        s->mesh[0].triangles[3 * t + 1] = keep;
    }
    CHECK(refused(s, "bodies[0].pressure: the bodies are inside out, with a volume of -0.4"));
    pressure.bodies = wrong;
    pressure.body_count = 2;
    CHECK(refused(s, "pressures[0].bodies: 0 twice"));
    pressure.body_count = 0;
    CHECK(refused(s, "pressures[0].bodies: none given"));
    pressure.body_count = 1;
    pressure.exponent = 0.5;
    CHECK(refused(s, "pressures[0].exponent: 0.5 is not allowed; expected a number >= 1"));
    pressure.exponent = 1;
    pressure.kind = PRC_PRESSURE_GAS;
    pressure.over = -2e5;
    CHECK(refused(s, "pressures[0].over: -200000 Pa is not allowed; outside + over must be positive, and outside is"));
    pressure.over = 0;
    s->def.solver.method = PRC_METHOD_JACOBI;
    CHECK(refused(s, "pressures[0].kind: gas couples all vertices"));
    s->def.solver.method = PRC_METHOD_SISSM;
    CHECK(refused(s, "pressures[0]: solver.method sissm"));
    scene_free(s);
}

TEST_MAIN()
