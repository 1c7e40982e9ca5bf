/* test/test_contact_law.c — the barrier and the friction law against differences; solids against sampled surfaces.
 * Definitions that contact cannot serve are refused. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "collider/shape.h"
#include "kernel/barrier.h"

#include <percale/percale.h>

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* --- the law --- */

TEST(barrier_derivatives_are_those_of_its_energy)
{
    const double d = 1e-3, e = 1e-8;
    for (double g = -0.5 * d; g < 1.2 * d; g += 0.0137 * d) {
        const prc_barrier b = prc_barrier_at(g, d), more = prc_barrier_at(g + e, d), less = prc_barrier_at(g - e, d);
        const double scale = fabs(b.curvature) + 1;
        CHECK_NEAR((more.energy - less.energy) / (2 * e), b.slope, 1e-5 * scale * d);
        CHECK_NEAR((more.slope - less.slope) / (2 * e), b.curvature, 1e-3 * scale);
    }
}

TEST(barrier_is_c2_at_d_hat_and_where_the_parabola_begins)
{
    const double d = 1e-3, joints[2] = {d, PRC_BARRIER_FLOOR * d};
    for (int k = 0; k < 2; k++) {
        const prc_barrier a = prc_barrier_at(joints[k] * (1 - 1e-9), d), b = prc_barrier_at(joints[k] * (1 + 1e-9), d);
        const double scale = b.curvature + 1;
        CHECK_NEAR(a.energy, b.energy, 1e-7 * scale * d * d);
        CHECK_NEAR(a.slope, b.slope, 1e-7 * scale * d);
        CHECK_NEAR(a.curvature, b.curvature, 1e-7 * scale);
    }
    CHECK(prc_barrier_at(d, d).energy == 0 && prc_barrier_at(2 * d, d).slope == 0);
}

TEST(barrier_is_finite_convex_and_repels_at_and_below_no_gap)
{
    const double d = 1e-3;
    double energy = -1;
    for (double g = 0.9 * d; g > -10 * d; g -= 0.1 * d) {
        const prc_barrier b = prc_barrier_at(g, d);
        CHECK(isfinite(b.energy) && isfinite(b.slope) && isfinite(b.curvature));
        CHECK(b.slope < 0 && b.curvature > 0 && b.energy > energy);
        energy = b.energy;
    }
}

TEST(friction_slope_is_continuous_at_eps_and_one_beyond)
{
    const double eps = 1e-5, e = 1e-10;
    for (double u = 0.01 * eps; u < 3 * eps; u += 0.0173 * eps) {
        const prc_friction f = prc_friction_at(u, eps), more = prc_friction_at(u + e, eps),
                           less = prc_friction_at(u - e, eps);
        CHECK_NEAR((more.potential - less.potential) / (2 * e), f.secant * u, 1e-4);
        CHECK_NEAR((more.secant * (u + e) - less.secant * (u - e)) / (2 * e), f.tangent, 1e-4 / eps);
        CHECK(f.secant * u <= 1 + 1e-12 && (u < eps || fabs(f.secant * u - 1) < 1e-12));
    }
    const prc_friction below = prc_friction_at(eps * (1 - 1e-9), eps), above = prc_friction_at(eps, eps);
    CHECK_NEAR(below.potential, above.potential, 1e-8 * eps);
    CHECK_NEAR(below.secant * eps, above.secant * eps, 1e-8);
    CHECK_NEAR(below.tangent * eps, above.tangent * eps, 1e-8);
}

/* --- solids --- */

static prc_solid make_solid(prc_shape_kind shape)
{
    prc_collider_def def = prc_collider_def_default();
    def.shape = shape;
    def.center[0] = 0.3;
    def.center[1] = -0.2;
    def.center[2] = 0.1;
    def.axis[0] = 1;
    def.axis[1] = 2;
    def.axis[2] = -0.5;
    def.radius = 0.4;
    def.length = 0.9;
    def.size[0] = 0.5;
    def.size[1] = 0.9;
    def.size[2] = 1.3;
    return prc_solid_at(&def, 0, 0, 0);
}

/* Two unit vectors across the axis. */
static void across(const prc_solid *s, double e[2][3])
{
    const double help[3] = {0, 0, 1}, *a = s->axis;
    double length = 0;
    for (int c = 0; c < 3; c++)
        e[0][c] = a[(c + 1) % 3] * help[(c + 2) % 3] - a[(c + 2) % 3] * help[(c + 1) % 3];
    length = sqrt(dot(e[0], e[0]));
    for (int c = 0; c < 3; c++)
        e[0][c] /= length;
    for (int c = 0; c < 3; c++)
        e[1][c] = a[(c + 1) % 3] * e[0][(c + 2) % 3] - a[(c + 2) % 3] * e[0][(c + 1) % 3];
}

/* Point of the surface: ring `turn` and place `t`, both 0 to 1, on part 0, 1 or 2 (first end, side, second end). */
static void surface_point(const prc_solid *s, int part, double turn, double t, double x[3])
{
    double e[2][3], along, from_axis;
    const double pi = 3.14159265358979323846, sign = part == 0 ? -1 : 1;
    across(s, e);
    if (s->shape == PRC_SHAPE_PLANE) {
        along = 0;
        from_axis = 4 * t;
    } else if (s->shape == PRC_SHAPE_SPHERE) {
        along = s->radius * cos(pi * t);
        from_axis = s->radius * sin(pi * t);
    } else if (part == 1) {
        along = (2 * t - 1) * s->half_length;
        from_axis = s->radius;
    } else {
        const bool round = s->shape == PRC_SHAPE_CAPSULE;
        along = sign * (s->half_length + (round ? s->radius * cos(pi / 2 * t) : 0));
        from_axis = round ? s->radius * sin(pi / 2 * t) : s->radius * t;
    }
    for (int c = 0; c < 3; c++)
        x[c] = s->center[c] + along * s->axis[c] +
               from_axis * (cos(2 * pi * turn) * e[0][c] + sin(2 * pi * turn) * e[1][c]);
}

/* Point of face 0 to 5 of a box. */
static void box_point(const prc_solid *s, int face, double u, double v, double x[3])
{
    const int c = face / 2, d = (c + 1) % 3, e = (c + 2) % 3;
    x[c] = s->center[c] + (face % 2 ? 1 : -1) * s->half_size[c];
    x[d] = s->center[d] + (2 * u - 1) * s->half_size[d];
    x[e] = s->center[e] + (2 * v - 1) * s->half_size[e];
}

static double sampled_distance(const prc_solid *s, const double x[3])
{
    const int n = 160, parts = s->shape == PRC_SHAPE_BOX ? 6 : 3;
    double least = INFINITY;
    for (int part = 0; part < parts; part++)
        for (int i = 0; i <= n; i++)
            for (int k = 0; k <= n; k++) {
                double p[3];
                if (s->shape == PRC_SHAPE_BOX)
                    box_point(s, part, (double)i / n, (double)k / n, p);
                else
                    surface_point(s, part, (double)i / n, (double)k / n, p);
                const double d[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
                least = fmin(least, dot(d, d));
            }
    return sqrt(least);
}

TEST(solid_distances_are_those_of_sampled_surfaces)
{
    unsigned seed = 11;
    for (int shape = PRC_SHAPE_PLANE; shape <= PRC_SHAPE_BOX; shape++) {
        const prc_solid s = make_solid((prc_shape_kind)shape);
        int inside = 0;
        for (int k = 0; k < 24; k++) {
            double x[3], n[3];
            for (int c = 0; c < 3; c++)
                x[c] = s.center[c] + (k < 8 ? 0.25 : 1) * noise(&seed);
            const double measured = prc_solid_distance(&s, x, n), sampled = sampled_distance(&s, x);
            CHECK(fabs(measured) <= sampled + 1e-12);
            /* samples are within 0.03 of each other (plane: its rings), which shows less the farther away */
            CHECK_NEAR(fabs(measured), sampled, fmin(0.03, 0.03 * 0.03 / (fabs(measured) + 1e-9)) + 1e-9);
            inside += measured < 0;
        }
        CHECK(inside >= 4);
    }
}

TEST(solid_distances_are_negative_inside_only)
{
    for (int shape = PRC_SHAPE_PLANE; shape <= PRC_SHAPE_BOX; shape++) {
        const prc_solid s = make_solid((prc_shape_kind)shape);
        for (int part = 0; part < 3; part++)
            for (int k = 0; k < 60; k++) {
                double x[3], n[3], m[3];
                if (s.shape == PRC_SHAPE_BOX)
                    box_point(&s, part, 0.1 + 0.013 * k, 0.9 - 0.013 * k, x);
                else
                    surface_point(&s, part, k / 60.0, 0.05 + 0.015 * k, x);
                CHECK_NEAR(prc_solid_distance(&s, x, n), 0, 1e-12);
                for (int c = 0; c < 3; c++)
                    x[c] += 1e-3 * n[c];
                CHECK_NEAR(prc_solid_distance(&s, x, m), 1e-3, 1e-12);
                for (int c = 0; c < 3; c++)
                    x[c] -= 2e-3 * n[c];
                CHECK(prc_solid_distance(&s, x, m) < -0.9e-3);
            }
    }
}

TEST(solid_normals_are_unit_gradients)
{
    unsigned seed = 5;
    for (int shape = PRC_SHAPE_PLANE; shape <= PRC_SHAPE_BOX; shape++) {
        const prc_solid s = make_solid((prc_shape_kind)shape);
        for (int k = 0; k < 200; k++) {
            double x[3], n[3], m[3];
            for (int c = 0; c < 3; c++)
                x[c] = s.center[c] + noise(&seed);
            prc_solid_distance(&s, x, n);
            CHECK_NEAR(dot(n, n), 1, 1e-12);
            for (int c = 0; c < 3; c++) {
                const double at = x[c], e = 1e-7;
                x[c] = at + e;
                const double more = prc_solid_distance(&s, x, m);
                x[c] = at - e;
                CHECK_NEAR((more - prc_solid_distance(&s, x, m)) / (2 * e), n[c], 1e-5);
                x[c] = at;
            }
        }
    }
}

TEST(solid_distances_are_1_lipschitz)
{
    unsigned seed = 3;
    for (int shape = PRC_SHAPE_PLANE; shape <= PRC_SHAPE_BOX; shape++) {
        const prc_solid s = make_solid((prc_shape_kind)shape);
        for (int k = 0; k < 5000; k++) {
            double x[3], y[3], d[3], n[3];
            for (int c = 0; c < 3; c++) {
                x[c] = s.center[c] + 1.2 * noise(&seed);
                y[c] = x[c] + (k % 2 ? 1 : 0.02) * noise(&seed);
                d[c] = y[c] - x[c];
            }
            CHECK(fabs(prc_solid_distance(&s, x, n) - prc_solid_distance(&s, y, n)) <= sqrt(dot(d, d)) + 1e-12);
        }
    }
}

TEST(solids_move_between_from_and_until_only)
{
    prc_collider_def def = prc_collider_def_default();
    def.motion.velocity[0] = 2;
    def.motion.from = 1;
    def.motion.until = 1.5;
    const prc_solid before = prc_solid_at(&def, 0, 0.5, 0.3), during = prc_solid_at(&def, 0.9, 1.1, 0.3),
                    after = prc_solid_at(&def, 2, 3, 0.3);
    CHECK(before.center[0] == 0 && before.move[0] == 0 && after.move[0] == 0);
    CHECK_NEAR(during.center[0], 0.2, 1e-12);
    CHECK_NEAR(during.move[0], 0.2, 1e-12);
    CHECK_NEAR(after.center[0], 1, 1e-12);
    CHECK(before.friction == 0.3);
    def.friction = 0.1;
    CHECK(prc_solid_at(&def, 0, 1, 0.3).friction == 0.1);
}

/* --- refusals --- */

/* Why a definition was refused; "" if it was not. */
static const char *refusal(const prc_sim_def *def)
{
    static prc_error error;
    prc_sim *sim = prc_sim_create(def, &error);
    const bool refused = !sim && error.code == PRC_ERROR_INPUT;
    prc_sim_destroy(sim);
    return refused ? error.message : "";
}

TEST(what_contact_cannot_do_is_refused_with_a_message)
{
    prc_mesh mesh;
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 2;
    CHECK(prc_mesh_grid(&mesh, &grid, NULL) == PRC_OK);
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_collider_def plane = prc_collider_def_default();
    plane.shape = PRC_SHAPE_PLANE;
    plane.center[1] = -2;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.colliders = &plane;
    def.body_count = def.collider_count = 1;
    CHECK_TEXT(refusal(&def), "contact.enabled");
    def.contact.enabled = true;
    CHECK(refusal(&def)[0] == 0);
    for (int m = PRC_METHOD_NCG; m <= PRC_METHOD_SISSM; m++) {
        def.solver.method = (prc_method)m;
        CHECK_TEXT(refusal(&def), "newton");
    }
    def.solver.method = PRC_METHOD_NEWTON;
    def.time.integrator = PRC_INTEGRATOR_BDF2;
    CHECK_TEXT(refusal(&def), "euler");
    def.time.integrator = PRC_INTEGRATOR_EULER;
    def.contact.thickness = 0;
    CHECK_TEXT(refusal(&def), "thickness");
    def.contact.thickness = 2e-3;
    plane.axis[1] = 0;
    CHECK_TEXT(refusal(&def), "colliders[0].axis");
    plane.axis[1] = 1;
    plane.radius = -1;
    CHECK_TEXT(refusal(&def), "colliders[0].radius");
    prc_mesh_release(&mesh);
}

TEST_MAIN()
