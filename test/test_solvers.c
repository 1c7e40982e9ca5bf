/* test/test_solvers.c — the solvers of the step: same minimiser, honest reports, guards, precision, threads, memory.
 *
 * The scene of most tests is an irregular cloth that hangs from two corners, at rest but stretched and wavy.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "base/memory.h"

#include <percale/percale.h>
#include <stdlib.h>

static const prc_method iterative[] = {PRC_METHOD_JACOBI, PRC_METHOD_CHEBYSHEV, PRC_METHOD_ANDERSON, PRC_METHOD_NCG,
                                       PRC_METHOD_SISSM};
#define ITERATIVE_COUNT ((int)(sizeof iterative / sizeof iterative[0]))
static const char *const iterative_name[] = {"jacobi", "chebyshev", "anderson", "ncg", "sissm"};

/* ---- scene ---- */

typedef struct cloth {
    prc_mesh rest, now;
    int corners[2];
    prc_body_def body;
    prc_pin_def pin;
    prc_sim_def def;
} cloth;

/* 0 to 1, the same on every machine. */
static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

static void cloth_stretch(cloth *c)
{
    for (int i = 0; i < c->rest.vertex_count; i++) {
        const double *from = c->rest.positions + 3 * i;
        double *to = c->now.positions + 3 * i, x = from[0] + 0.5, y = from[1] + 0.5;
        to[0] = 1.03 * x;
        to[1] = 1.02 * y + 0.01 * sin(6 * x);
        to[2] = 0.02 * sin(3 * x) * sin(3 * y);
    }
}

/* Moves every free coordinate by up to `amplitude`. */
static void cloth_perturb(cloth *c, double amplitude)
{
    unsigned state = 7;
    for (int k = 0; k < 3 * c->rest.vertex_count; k++) {
        double shift = amplitude * (2 * noise(&state) - 1);
        if (k / 3 != c->corners[0] && k / 3 != c->corners[1])
            c->now.positions[k] += shift;
    }
}

static bool cloth_create(cloth *c, int cells, double step)
{
    prc_grid_def grid = prc_grid_def_default();
    memset(c, 0, sizeof *c);
    grid.size[0] = grid.size[1] = 1;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_IRREGULAR;
    grid.jitter = 0.3;
    if (prc_mesh_grid(&c->rest, &grid, NULL) != PRC_OK || prc_mesh_copy(&c->now, &c->rest, NULL) != PRC_OK)
        return false;
    for (int i = 0; i < c->rest.vertex_count; i++) {
        const double *x = c->rest.positions + 3 * i;
        if (x[1] > 0.5 - 1e-9 && fabs(x[0]) > 0.5 - 1e-9)
            c->corners[x[0] > 0] = i;
    }
    cloth_stretch(c);
    c->body = prc_body_def_default();
    c->body.mesh = &c->now;
    c->body.rest_mesh = &c->rest;
    c->body.material.bending = 1e-4;
    c->pin = prc_pin_def_default();
    c->pin.vertices = c->corners;
    c->pin.vertex_count = 2;
    c->def = prc_sim_def_default();
    c->def.bodies = &c->body;
    c->def.body_count = 1;
    c->def.pins = &c->pin;
    c->def.pin_count = 1;
    c->def.time.step = step;
    c->def.threads = 1;
    c->def.solver.max_iterations = 20000;
    c->def.solver.max_substeps = 1;                           /* what one solve does */
    c->def.solver.preconditioner = PRC_PRECONDITIONER_JACOBI; /* of newton: the reference is the simplest one */
    return true;
}

static void cloth_release(cloth *c)
{
    prc_mesh_release(&c->rest);
    prc_mesh_release(&c->now);
}

/* ---- what a run gives ---- */

typedef struct trace {
    int calls;
    int last_iteration;
    bool in_order;
    double energy, largest_rise; /* of the objective, from one iteration to the next */
    double first_energy;
} trace;

static void note(void *context, int iteration, int inner, double energy, double residual, double seconds)
{
    trace *t = context;
    (void)inner, (void)residual, (void)seconds;
    if (t->calls == 0) {
        t->in_order = iteration == 0;
        t->first_energy = energy;
    } else {
        t->in_order = t->in_order && iteration == t->last_iteration + 1;
        t->largest_rise = fmax(t->largest_rise, energy - t->energy);
    }
    t->last_iteration = iteration;
    t->energy = energy;
    t->calls++;
}

typedef struct outcome {
    prc_result result;
    prc_step_report report;
    trace trace;
    double *positions;
} outcome;

static void outcome_release(outcome *o)
{
    free(o->positions);
}

/* One step from the start of the cloth. */
static outcome solve(const cloth *c, prc_method method, double tolerance)
{
    outcome o;
    memset(&o, 0, sizeof o);
    o.result = PRC_ERROR_STATE;
    prc_sim_def def = c->def;
    def.solver.method = method;
    def.solver.tolerance = tolerance;
    prc_sim *sim = prc_sim_create(&def, NULL);
    if (!sim)
        return o;
    prc_sim_set_trace(sim, note, &o.trace);
    o.result = prc_sim_step(sim, &o.report, NULL);
    size_t count = 3 * (size_t)prc_sim_vertex_count(sim);
    o.positions = malloc(count * sizeof(double));
    if (o.positions)
        memcpy(o.positions, prc_sim_positions(sim), count * sizeof(double));
    prc_sim_destroy(sim);
    return o;
}

static double distance(const cloth *c, const outcome *a, const outcome *b)
{
    double most = 0;
    if (!a->positions || !b->positions)
        return INFINITY;
    for (int k = 0; k < 3 * c->rest.vertex_count; k++) {
        double d = fabs(a->positions[k] - b->positions[k]);
        most = d <= most ? most : d; /* keeps a NaN */
    }
    return most;
}

/* Says which solver a failed check belongs to. */
static void about(int k)
{
    if (prc_test_failed)
        printf("    solver: %s\n", iterative_name[k]);
}

/* ---- tests ---- */

static void check_same_minimiser(const cloth *c, const outcome *newton, int k)
{
    outcome o = solve(c, iterative[k], 1e-9);
    double apart = distance(c, &o, newton);
    outcome_release(&o);
    CHECK(o.result == PRC_OK);
    CHECK(o.report.converged);
    CHECK_TEXT(o.report.stop, "converged");
    CHECK(o.report.residual < 1e-9);
    CHECK(o.report.decrement == o.report.residual);
    CHECK_NEAR(apart, 0, 1e-7);
    CHECK_NEAR(o.report.energy_elastic / newton->report.energy_elastic, 1, 1e-7);
}

static void check_all_reach_newton(double step)
{
    cloth c;
    CHECK(cloth_create(&c, 12, step));
    outcome newton = solve(&c, PRC_METHOD_NEWTON, 1e-10);
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        check_same_minimiser(&c, &newton, k);
        about(k);
    }
    outcome_release(&newton);
    cloth_release(&c);
}

TEST(all_solvers_reach_the_minimiser_of_newton_at_1_ms)
{
    check_all_reach_newton(1e-3);
}

TEST(all_solvers_reach_the_minimiser_of_newton_at_10_ms)
{
    check_all_reach_newton(1e-2);
}

TEST(all_solvers_reach_the_minimiser_of_newton_with_damping_and_wind)
{
    cloth c;
    CHECK(cloth_create(&c, 10, 4e-3));
    c.body.material.damping = 1e-3;
    c.body.material.mass_damping = 0.5;
    c.def.air.density = 1.2;
    c.def.air.drag = 1;
    c.def.air.wind[2] = 8;
    outcome newton = solve(&c, PRC_METHOD_NEWTON, 1e-10);
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        check_same_minimiser(&c, &newton, k);
        about(k);
    }
    outcome_release(&newton);
    cloth_release(&c);
}

/* The solver report must describe the accepted state, not the last trial. */
TEST(elastic_energy_of_the_report_is_that_of_the_final_positions)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-2));
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++)
        for (int cap = 1; cap <= 40; cap += 13) {
            c.def.solver.max_iterations = cap;
            outcome o = solve(&c, iterative[k], 1e-9);
            prc_sim *sim = prc_sim_create(&c.def, NULL);
            double energy = 0;
            if (sim && o.positions)
                prc_sim_elastic(sim, o.positions, &energy, NULL, NULL);
            prc_sim_destroy(sim);
            outcome_release(&o);
            if (!(fabs(energy - o.report.energy_elastic) <= 1e-9 * energy)) {
                printf("    %g is reported, %g found\n", o.report.energy_elastic, energy);
                prc_test_failed = true;
                about(k);
                break;
            }
        }
    cloth_release(&c);
}

static void check_cap(const cloth *c, int k)
{
    outcome o = solve(c, iterative[k], 1e-9);
    outcome_release(&o);
    CHECK(o.result == PRC_OK);
    CHECK(!o.report.converged);
    CHECK_TEXT(o.report.stop, "max_iterations");
    CHECK(o.report.iterations == 3);
    CHECK(o.report.residual > 1e-9 && isfinite(o.report.residual));
    CHECK(o.trace.calls == 4); /* once before the first iteration, once after each */
    CHECK(o.trace.in_order);
}

TEST(a_cap_on_iterations_is_reported_as_such)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-2));
    c.def.solver.max_iterations = 3;
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        check_cap(&c, k);
        about(k);
    }
    cloth_release(&c);
}

static void check_stall(const cloth *c, int k)
{
    outcome o = solve(c, iterative[k], 1e-30);
    outcome_release(&o);
    CHECK(o.result == PRC_OK);
    CHECK(!o.report.converged);
    CHECK_TEXT(o.report.stop, "stalled");
    CHECK(o.report.residual < 1e-9);
}

TEST(a_tolerance_below_rounding_ends_as_stalled)
{
    cloth c;
    CHECK(cloth_create(&c, 8, 1e-3));
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        check_stall(&c, k);
        about(k);
    }
    cloth_release(&c);
}

TEST(jacobi_lowers_the_objective_in_every_iteration)
{
    for (int hard = 0; hard < 2; hard++) {
        cloth c;
        CHECK(cloth_create(&c, 12, 1e-2));
        if (hard)
            cloth_perturb(&c, 0.5 / 12);
        c.def.solver.max_iterations = 1000;
        outcome o = solve(&c, PRC_METHOD_JACOBI, 1e-6);
        outcome_release(&o);
        cloth_release(&c);
        CHECK(o.trace.calls > 100);
        CHECK(o.trace.energy < 0.9 * o.trace.first_energy);
        CHECK(o.trace.largest_rise <= 1e-12 * o.trace.first_energy);
    }
}

static void check_violent(const cloth *c, int k)
{
    outcome o = solve(c, iterative[k], 1e-3);
    double apart = distance(c, &o, &o); /* NaN where a position is */
    outcome_release(&o);
    CHECK(o.result == PRC_OK);
    CHECK(apart == 0);
    CHECK(isfinite(o.report.residual));
    CHECK(o.trace.energy < o.trace.first_energy);
}

TEST(a_violently_perturbed_start_stays_finite)
{
    for (int variant = 0; variant < 4 && !prc_test_failed; variant++) {
        cloth c;
        CHECK(cloth_create(&c, 12, variant & 1 ? 1e-2 : 1e-3));
        c.def.precision = variant & 2 ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        c.def.solver.max_iterations = 300;
        c.def.solver.inner_sweeps = 1 + 4 * (variant & 1);
        cloth_perturb(&c, 0.5 / 12);
        for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
            check_violent(&c, k);
            about(k);
        }
        cloth_release(&c);
    }
}

/* 1e-3 m/s is what single precision reaches with a step of 1 ms: the rounding of the forces is of that order. */
TEST(single_precision_reaches_1e_3_metres_per_second)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-3));
    outcome newton = solve(&c, PRC_METHOD_NEWTON, 1e-10);
    c.def.precision = PRC_PRECISION_SINGLE;
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        outcome o = solve(&c, iterative[k], 1e-3);
        double apart = distance(&c, &o, &newton);
        outcome_release(&o);
        if (!o.report.converged || !(apart < 1e-5)) {
            printf("    %s: %s, residual %g m/s, %g m from newton\n", iterative_name[k], o.report.stop,
                   o.report.residual, apart);
            prc_test_failed = true;
        }
    }
    outcome_release(&newton);
    cloth_release(&c);
}

TEST(sissm_with_one_sweep_takes_as_many_iterations_as_jacobi)
{
    for (int slow = 0; slow < 2; slow++) {
        cloth c;
        CHECK(cloth_create(&c, 12, slow ? 1e-2 : 1e-3));
        outcome jacobi = solve(&c, PRC_METHOD_JACOBI, 1e-6), sissm = solve(&c, PRC_METHOD_SISSM, 1e-6);
        outcome_release(&jacobi);
        outcome_release(&sissm);
        cloth_release(&c);
        CHECK(jacobi.report.converged && sissm.report.converged);
        CHECK_NEAR(sissm.report.iterations, jacobi.report.iterations, 0.05 * jacobi.report.iterations);
        CHECK(sissm.report.inner_iterations == sissm.report.iterations);
    }
}

/* Where mass dominates one sweep is all but exact. The step length E/(−∂E·d), which halves the exact step of a
 * quadratic, would take a factor of two per iteration here. */
TEST(sissm_does_not_halve_the_exact_step_of_a_falling_cloth)
{
    cloth c;
    CHECK(cloth_create(&c, 8, 1e-5));
    c.def.pin_count = 0;
    c.body.mesh = &c.rest;
    outcome o = solve(&c, PRC_METHOD_SISSM, 1e-11);
    outcome_release(&o);
    cloth_release(&c);
    CHECK(o.report.converged);
    CHECK(o.report.iterations >= 1 && o.report.iterations <= 3);
    CHECK_NEAR(o.report.momentum[1] + o.report.momentum[2], -9.81 * 1e-5 * 0.2, 1e-8); /* 0.2 kg */
}

TEST(more_sissm_sweeps_take_fewer_outer_iterations)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-2));
    int before = 1000000;
    for (int sweeps = 1; sweeps <= 8; sweeps *= 2) {
        c.def.solver.inner_sweeps = sweeps;
        outcome o = solve(&c, PRC_METHOD_SISSM, 1e-4);
        outcome_release(&o);
        CHECK(o.report.converged);
        CHECK(o.report.iterations < 0.8 * before);
        CHECK(o.report.inner_iterations == sweeps * o.report.iterations);
        CHECK(o.report.halvings == 0);
        before = o.report.iterations;
    }
    cloth_release(&c);
}

TEST(acceleration_needs_far_fewer_iterations_than_jacobi)
{
    cloth c;
    CHECK(cloth_create(&c, 20, 1e-2));
    int needed[ITERATIVE_COUNT];
    for (int k = 0; k < ITERATIVE_COUNT; k++) {
        outcome o = solve(&c, iterative[k], 1e-3);
        outcome_release(&o);
        CHECK(o.report.converged);
        needed[k] = o.report.iterations;
    }
    cloth_release(&c);
    CHECK(needed[1] < needed[0] / 5);  /* chebyshev */
    CHECK(needed[2] < needed[0] / 5);  /* anderson */
    CHECK(needed[3] < needed[0] / 10); /* ncg */
}

TEST(anderson_works_with_the_smallest_and_the_largest_window)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-2));
    int needed[2];
    for (int k = 0; k < 2; k++) {
        c.def.solver.anderson_window = k ? 20 : 1;
        outcome o = solve(&c, PRC_METHOD_ANDERSON, 1e-8);
        outcome_release(&o);
        CHECK(o.report.converged);
        needed[k] = o.report.iterations;
    }
    cloth_release(&c);
    CHECK(needed[1] < needed[0]);
}

static void check_threads(const cloth *c, int k)
{
    cloth two = *c;
    two.def.threads = 2;
    outcome a = solve(c, iterative[k], 1e-9), b = solve(&two, iterative[k], 1e-9);
    double apart = distance(c, &a, &b);
    outcome_release(&a);
    outcome_release(&b);
    CHECK(apart == 0);
    CHECK(a.report.residual == b.report.residual);
    CHECK(a.report.iterations == b.report.iterations && a.report.halvings == b.report.halvings);
    CHECK(a.trace.energy == b.trace.energy);
}

TEST(one_and_two_threads_give_the_same_bits)
{
    for (int single = 0; single < 2 && !prc_test_failed; single++) {
        cloth c;
        CHECK(cloth_create(&c, 65, 1e-3));
        CHECK(c.rest.vertex_count > 4000);
        c.def.precision = single ? PRC_PRECISION_SINGLE : PRC_PRECISION_DOUBLE;
        c.def.solver.max_iterations = single ? 5 : 40; /* the diagonal is kept only after the first 32 */
        c.def.solver.inner_sweeps = 2;
        for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
            check_threads(&c, k);
            about(k);
        }
        cloth_release(&c);
    }
}

TEST(no_solver_allocates_in_a_step)
{
    cloth c;
    CHECK(cloth_create(&c, 12, 1e-2));
    c.def.solver.max_iterations = 30;
    c.def.solver.inner_sweeps = 3;
    for (int k = 0; k < ITERATIVE_COUNT && !prc_test_failed; k++) {
        c.def.solver.method = iterative[k];
        prc_sim *sim = prc_sim_create(&c.def, NULL);
        CHECK(sim != NULL);
        size_t before = prc_alloc_count();
        bool ok = true;
        for (int step = 0; step < 3; step++)
            ok = ok && prc_sim_step(sim, NULL, NULL) == PRC_OK;
        size_t after = prc_alloc_count();
        prc_sim_destroy(sim);
        CHECK(ok);
        CHECK(after == before);
    }
    cloth_release(&c);
}

TEST_MAIN()
