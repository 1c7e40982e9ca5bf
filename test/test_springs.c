/* test_springs.c — springs, ropes and seams: forces, energies, solvers, errors, and seams that close with contact.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "contact_scene.h"
#include "step/evaluate.h"
#include "step/forces.h"
#include "step/frame.h"

/* Sheets of 0.2 m, 4 cells across, without contact and gravity; tight tolerance. */
static scene *free_scene(int sheets)
{
    scene *s = scene_new();
    s->def.contact.enabled = false;
    s->def.gravity[1] = 0;
    s->def.solver.tolerance = 1e-10;
    s->def.solver.inner_tolerance = 0.01;
    s->def.solver.max_iterations = 100000;
    for (int b = 0; b < sheets; b++)
        add_sheet(s, 4, 0.2, along_y, 0, 0, 0.3 * b, 0);
    return s;
}

static prc_spring_def spring(int tie_body, int tie, int to_body, int to)
{
    prc_spring_def def = prc_spring_def_default();
    def.tie = (prc_spring_end){.body = tie_body, .vertex = {tie, tie}};
    def.to = (prc_spring_end){.body = to_body, .vertex = {to, to}};
    return def;
}

static void use(scene *s, const prc_spring_def *springs, int count)
{
    s->def.springs = springs;
    s->def.spring_count = count;
}

static bool run(scene *s, int steps)
{
    for (int k = 0; k < steps; k++)
        if (!scene_step(s))
            return false;
    return true;
}

/* Four springs straight up from the corners of a sheet. */
static void hang(scene *s, prc_spring_def springs[4])
{
    static const int corner[4] = {0, 4, 20, 24};
    for (int k = 0; k < 4; k++) {
        springs[k] = spring(0, corner[k], -1, 0);
        memcpy(springs[k].to.point, s->mesh[0].positions + 3 * corner[k], 3 * sizeof(double));
        springs[k].to.point[1] += 0.1;
    }
    use(s, springs, 4);
}

TEST(a_weight_on_springs_hangs_as_deep_as_hooke_says)
{
    scene *s = free_scene(1);
    prc_spring_def springs[4];
    hang(s, springs);
    s->def.gravity[1] = -9.81;
    s->body[0].material.mass_damping = 40;
    s->body[0].material.bending = 10;
    s->body[0].material.stretch = 1e5;
    for (int k = 0; k < 4; k++)
        springs[k].stiffness = 5;
    CHECK(scene_start(s) && run(s, 500) && s->unconverged == 0);
    double distance, tension, weight = 0.04 * 0.2 * 9.81;
    for (int k = 0; k < 4; k++) {
        prc_sim_spring(s->sim, k, &distance, &tension);
        CHECK_NEAR(distance, 0.1 + weight / 4 / 5, 1e-6);
        CHECK_NEAR(tension, weight / 4, 1e-5);
    }
    CHECK_NEAR(s->report.energy_springs, 4 * 0.5 * 5 * pow(weight / 4 / 5, 2), 1e-7);
    scene_free(s);
}

TEST(a_weight_on_springs_swings_with_the_right_period)
{
    scene *s = free_scene(1);
    prc_spring_def springs[4];
    hang(s, springs);
    s->def.time.integrator = PRC_INTEGRATOR_BDF2;
    s->def.time.step = 1e-3;
    for (int k = 0; k < 4; k++)
        springs[k].stiffness = 0.2;
    s->body[0].material.bending = 10;
    s->body[0].material.stretch = 1e5;
    s->body[0].velocity[1] = 0.05;
    CHECK(scene_start(s));
    double before = 1, crossed = 0;
    for (int k = 0; k < 1000 && crossed == 0; k++) { /* back at rest length, downwards: half a period */
        CHECK(scene_step(s));
        const double y = mean_of(s, prc_sim_positions(s->sim), 0, 1);
        if (k > 10 && y <= 0)
            crossed = 1e-3 * (k + 1 - y / (y - before));
        before = y;
    }
    CHECK_NEAR(crossed, acos(-1.0) * sqrt(0.04 * 0.2 / 0.8), 2e-3 * crossed);
    scene_free(s);
}

/* A sheet that is tied in all ways there are, out of its rest position. */
static void tangle(scene *s, prc_spring_def springs[6])
{
    springs[0] = spring(0, 3, 1, 20);
    springs[0].length = 0.1;
    springs[1] = spring(0, 7, 1, 9);
    springs[1].tie = (prc_spring_end){.body = 0, .vertex = {7, 8}, .at = 0.3};
    springs[1].to = (prc_spring_end){.body = 1, .vertex = {9, 14}, .at = 0.9};
    springs[1].length = 0;
    springs[2] = spring(0, 24, -1, 0);
    springs[2].to.point[2] = 1;
    springs[2].rope = true;
    springs[2].length = 0.5;
    springs[3] = spring(1, 0, 1, 24);
    springs[3].length = 0.2; /* pulls: the diagonal is 0.28 */
    springs[4] = spring(0, 12, 1, 12);
    springs[4].length = 0.2;
    springs[4].damping = 3;
    springs[5] = spring(0, 0, -1, 0);
    springs[5].rope = true;
    springs[5].length = 2; /* slack */
    springs[5].stiffness = 1e6;
    use(s, springs, 6);
}

/* Fills a field with small reproducible numbers. */
static void scatter(prc_sim *sim, enum prc_field field, double size, unsigned seed)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *values = calloc(n, sizeof *values);
    for (size_t k = 0; k < n; k++) {
        seed = seed * 1664525u + 1013904223u;
        values[k] = size * ((double)(seed >> 8) / 8388608.0 - 1);
    }
    sim->model.backend->upload(&sim->view, sim->view.field[field], values, n);
    free(values);
}

TEST(forces_of_springs_are_the_slope_of_their_energy)
{
    scene *s = free_scene(2);
    prc_spring_def springs[6];
    tangle(s, springs);
    CHECK(scene_start(s));
    prc_step_begin(s->sim);
    scatter(s->sim, PRC_FIELD_u, 1e-2, 1);
    scatter(s->sim, PRC_FIELD_direction, 1, 2);
    double energy[2];
    const double e = 1e-5;
    for (int k = 0; k < 2; k++) {
        prc_combine(s->sim, 1, PRC_FIELD_u, k ? e : -e, PRC_FIELD_direction, PRC_FIELD_trial);
        prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_trial_gradient);
        prc_forces_gradient(s->sim, PRC_FIELD_trial, PRC_FIELD_trial_gradient);
        energy[k] = prc_forces_energy(s->sim);
    }
    prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_gradient);
    prc_forces_gradient(s->sim, PRC_FIELD_u, PRC_FIELD_gradient);
    const double slope = prc_inner(s->sim, PRC_FIELD_gradient, PRC_FIELD_direction);
    CHECK(fabs(slope) > 1);
    CHECK_NEAR(slope, (energy[1] - energy[0]) / (2 * e), 1e-6 * fabs(slope));
    scene_free(s);
}

TEST(stiffness_of_taut_springs_is_the_slope_of_their_forces)
{
    scene *s = free_scene(2);
    prc_spring_def springs[6];
    tangle(s, springs);
    CHECK(scene_start(s));
    prc_step_begin(s->sim);
    scatter(s->sim, PRC_FIELD_u, 1e-2, 1);
    scatter(s->sim, PRC_FIELD_direction, 1, 2);
    const double e = 1e-6;
    for (int k = 0; k < 2; k++) {
        const enum prc_field to = k ? PRC_FIELD_residual : PRC_FIELD_preconditioned;
        prc_combine(s->sim, 1, PRC_FIELD_u, k ? e : -e, PRC_FIELD_direction, PRC_FIELD_trial);
        prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, to);
        prc_forces_gradient(s->sim, PRC_FIELD_trial, to);
    }
    prc_combine(s->sim, 0.5 / e, PRC_FIELD_residual, -0.5 / e, PRC_FIELD_preconditioned, PRC_FIELD_residual);
    prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_gradient);
    prc_forces_gradient(s->sim, PRC_FIELD_u, PRC_FIELD_gradient);
    prc_combine(s->sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_product);
    prc_forces_product(s->sim, PRC_FIELD_direction, PRC_FIELD_product);
    const double whole = sqrt(prc_inner(s->sim, PRC_FIELD_product, PRC_FIELD_product));
    prc_combine(s->sim, 1, PRC_FIELD_product, -1, PRC_FIELD_residual, PRC_FIELD_residual);
    CHECK(whole > 10);
    CHECK(sqrt(prc_inner(s->sim, PRC_FIELD_residual, PRC_FIELD_residual)) < 1e-6 * whole);
    scene_free(s);
}

TEST(springs_between_bodies_leave_momentum_alone)
{
    scene *s = free_scene(2);
    prc_spring_def springs[3];
    springs[0] = spring(0, 3, 1, 20);
    springs[0].length = 0.1;
    springs[1] = spring(0, 7, 1, 9);
    springs[1].tie = (prc_spring_end){.body = 0, .vertex = {7, 8}, .at = 0.3};
    springs[1].to = (prc_spring_end){.body = 1, .vertex = {9, 14}, .at = 0.9};
    springs[1].length = 0;
    springs[2] = spring(0, 12, 1, 12);
    springs[2].length = 0.1;
    springs[2].damping = 3;
    use(s, springs, 3);
    s->body[0].velocity[0] = 1;
    CHECK(scene_start(s) && scene_step(s));
    const prc_step_report first = s->report;
    CHECK(run(s, 30) && s->unconverged == 0);
    CHECK(s->report.energy_springs < 0.9 * first.energy_springs); /* something has happened */
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(s->report.momentum[c], first.momentum[c], 1e-8);
    scene_free(s);
}

/* Positions of 2 sheets in a tangle after some steps, in `x`. */
static bool solved(prc_method method, prc_precision precision, double *x)
{
    scene *s = free_scene(2);
    prc_spring_def springs[6];
    tangle(s, springs);
    for (int k = 0; k < 5; k++)
        springs[k].stiffness = 10;
    s->def.solver.method = method;
    s->def.precision = precision;
    s->def.solver.tolerance = precision == PRC_PRECISION_DOUBLE ? 1e-7 : 1e-4;
    s->def.gravity[1] = -9.81;
    const bool good = scene_start(s) && run(s, 10) && s->unconverged == 0;
    if (good)
        memcpy(x, prc_sim_positions(s->sim), 150 * sizeof *x);
    scene_free(s);
    return good;
}

static double largest_difference(const double *a, const double *b)
{
    double most = 0;
    for (int k = 0; k < 150; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

TEST(every_solver_that_takes_springs_finds_the_same_motion)
{
    static const prc_method methods[] = {PRC_METHOD_NCG, PRC_METHOD_ANDERSON, PRC_METHOD_CHEBYSHEV, PRC_METHOD_JACOBI};
    double newton[150], x[150];
    CHECK(solved(PRC_METHOD_NEWTON, PRC_PRECISION_DOUBLE, newton));
    for (int k = 0; k < 4; k++) {
        CHECK(solved(methods[k], PRC_PRECISION_DOUBLE, x));
        CHECK_NEAR(largest_difference(newton, x), 0, 1e-6);
    }
    CHECK(solved(PRC_METHOD_NEWTON, PRC_PRECISION_SINGLE, x));
    CHECK_NEAR(largest_difference(newton, x), 0, 1e-5);
}

TEST(springs_act_from_and_until_the_times_given)
{
    scene *s = free_scene(1);
    prc_spring_def springs[4];
    hang(s, springs);
    for (int k = 0; k < 4; k++) {
        springs[k].length = 0.05;
        springs[k].from = 0.02; /* 5 steps */
        springs[k].until = 0.04;
    }
    double speed[3];
    CHECK(scene_start(s) && run(s, 5));
    speed[0] = s->report.momentum[1] / (0.04 * 0.2);
    CHECK(run(s, 5));
    speed[1] = s->report.momentum[1] / (0.04 * 0.2);
    CHECK(run(s, 5));
    speed[2] = s->report.momentum[1] / (0.04 * 0.2);
    CHECK_NEAR(speed[0], 0, 1e-12);
    CHECK(speed[1] > 0.1);
    CHECK_NEAR(speed[2], speed[1], 1e-9);
    scene_free(s);
}

TEST(a_rope_does_not_push)
{
    scene *s = free_scene(1);
    prc_spring_def springs[4];
    hang(s, springs);
    for (int k = 0; k < 4; k++) {
        springs[k].length = 0.2;
        springs[k].rope = true;
    }
    CHECK(scene_start(s) && run(s, 3));
    CHECK_NEAR(mean_of(s, prc_sim_velocities(s->sim), 0, 1), 0, 1e-12);
    scene_free(s);
}

TEST(any_number_of_threads_gives_the_same_bits_with_springs)
{
    double *x[2];
    for (int k = 0; k < 2; k++) {
        scene *s = scene_new();
        s->def.contact.enabled = false;
        s->def.threads = k ? 3 : 1;
        add_sheet(s, 60, 1, along_y, 0, 0, 0, 0);
        prc_spring_def springs[50];
        for (int q = 0; q < 50; q++) {
            springs[q] = spring(0, 61 * q, 0, 61 * 60 - 37 * q);
            springs[q].length = 0.2;
        }
        use(s, springs, 50);
        scene_hurry(s, 25);
        CHECK(scene_start(s) && run(s, 3));
        x[k] = malloc(3 * 61 * 61 * sizeof(double));
        memcpy(x[k], prc_sim_positions(s->sim), 3 * 61 * 61 * sizeof(double));
        scene_free(s);
    }
    const bool same = memcmp(x[0], x[1], 3 * 61 * 61 * sizeof(double)) == 0;
    free(x[0]);
    free(x[1]);
    CHECK(same);
}

static unsigned long long fingerprint(scene *s)
{
    prc_sim *sim = prc_sim_create(&s->def, NULL);
    const unsigned long long print = sim ? prc_sim_fingerprint(sim) : 0;
    prc_sim_destroy(sim);
    return print;
}

TEST(another_spring_is_another_simulation)
{
    scene *s = free_scene(2);
    prc_spring_def def = spring(0, 3, 1, 20);
    use(s, &def, 1);
    const unsigned long long first = fingerprint(s);
    CHECK(first != 0 && first == fingerprint(s));
    def.to.vertex[0] = 19;
    CHECK(fingerprint(s) != first);
    def.to.vertex[0] = 20;
    def.seam = true;
    CHECK(fingerprint(s) != first);
    def.seam = false;
    def.stiffness *= 2;
    CHECK(fingerprint(s) != first);
    scene_free(s);
}

/* --- seams --- */

/* Two sheets side by side, 0.1 m apart, sewn along the edges that face each other. */
static prc_spring_def *side_by_side(scene *s, int cells)
{
    prc_spring_def *stitches = calloc((size_t)cells + 1, sizeof *stitches);
    add_sheet(s, cells, 0.2, along_y, 0, 0, 0, 0);
    add_sheet(s, cells, 0.2, along_y, 0, 0.3, 0.01, 0);
    int count = 0;
    for (int i = 0; i < s->mesh[0].vertex_count; i++) {
        const double *a = s->mesh[0].positions + 3 * i;
        for (int j = 0; fabs(a[0] - 0.1) < 1e-9 && j < s->mesh[1].vertex_count; j++) {
            const double *b = s->mesh[1].positions + 3 * j;
            if (fabs(b[0] - 0.2) > 1e-9 || fabs(b[2] - a[2]) > 1e-9)
                continue;
            stitches[count] = spring(0, i, 1, j);
            stitches[count].seam = true;
            stitches[count].length = -1;
            stitches[count].stiffness = 0;
            stitches[count++].close_time = 0.2;
        }
    }
    use(s, stitches, count);
    return stitches;
}

TEST(a_seam_closes_to_where_contact_begins_and_nothing_crosses)
{
    scene *s = scene_new();
    s->def.gravity[1] = 0;
    prc_spring_def *stitches = side_by_side(s, 5);
    CHECK(s->def.spring_count == 6 && scene_start(s));
    CHECK(scene_run_safely(s, 25));
    CHECK(s->report.largest_seam_gap > 0.03 && s->report.largest_seam_gap < 0.09); /* gently: half way at half time */
    CHECK(scene_run_safely(s, 75));
    double distance;
    for (int k = 0; k < 6; k++) {
        prc_sim_spring(s->sim, k, &distance, NULL);
        CHECK(distance > 3e-3 && distance < 3e-3 + 1e-3 + 2e-4); /* thickness, d_hat, and a little */
    }
    CHECK(s->report.largest_seam_gap < 2e-4);
    free(stitches);
    scene_free(s);
}

TEST(a_closed_seam_holds_a_hanging_sheet)
{
    scene *s = scene_new();
    prc_spring_def *stitches = side_by_side(s, 5);
    prc_pin_def *pin = add_pin(s, 0, -1); /* all of the first sheet */
    pin->until = 10;
    s->def.gravity[1] = -9.81;
    CHECK(scene_start(s) && scene_run_safely(s, 150));
    CHECK(s->report.largest_seam_gap < 2e-3);
    CHECK(mean_of(s, prc_sim_positions(s->sim), 1, 1) < -0.02); /* the second hangs from it */
    free(stitches);
    scene_free(s);
}

/* --- errors --- */

static bool refused(scene *s, const prc_spring_def *def, const char *part)
{
    use(s, def, 1);
    prc_error error = {0};
    prc_sim *sim = prc_sim_create(&s->def, &error);
    prc_sim_destroy(sim);
    if (!sim && strstr(error.message, part))
        return true;
    printf("    \"%s\" does not contain \"%s\"\n", error.message, part);
    return false;
}

TEST(springs_that_make_no_sense_are_refused_with_their_place)
{
    scene *s = free_scene(2);
    prc_spring_def def = spring(0, 3, 0, 3);
    CHECK(refused(s, &def, "springs[0]: both ends use vertex 3 of body 0"));
    def = spring(0, 3, -1, 0);
    def.tie.body = -1;
    CHECK(refused(s, &def, "springs[0]: both ends are fixed points"));
    def = spring(0, 25, 1, 3);
    CHECK(refused(s, &def, "springs[0].tie.vertex: 25 is not allowed; body 0 has vertices 0 to 24"));
    def = spring(0, 2, 5, 3);
    CHECK(refused(s, &def, "springs[0].to.body: 5 is not allowed; there are bodies 0 to 1"));
    def = spring(0, 2, 1, 3);
    def.to.at = 0.5;
    CHECK(refused(s, &def, "springs[0].to.vertex: 3 is given twice"));
    def.to.at = NAN;
    CHECK(refused(s, &def, "springs[0].to.at: nan is not allowed"));
    def = spring(0, 2, -1, 3);
    def.to.point[2] = INFINITY;
    CHECK(refused(s, &def, "springs[0].to.point: is not finite"));
    def = spring(0, 2, 1, 3);
    def.stiffness = -1;
    CHECK(refused(s, &def, "springs[0].stiffness: -1 is not allowed; expected a number >= 0 N/m"));
    def = spring(0, 2, 1, 3);
    def.until = -1;
    CHECK(refused(s, &def, "springs[0]: until -1 s is before from 0 s"));
    def = spring(0, 2, 1, 3);
    s->def.solver.method = PRC_METHOD_SISSM;
    CHECK(refused(s, &def, "springs: solver.method sissm"));
    scene_free(s);
}

TEST_MAIN()
