/* test/test_contact_law.c — the barrier and the friction law against differences. Definitions that contact cannot serve
 * are refused. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#include "kernel/barrier.h"

#include <percale/percale.h>

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
