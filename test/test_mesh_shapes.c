/* test/test_mesh_shapes.c — tori and ribbons: closed or open, their area, which way they face.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "mesh_measures.h"

#include <percale/percale.h>

TEST(tori_are_closed_face_outwards_and_approach_their_area)
{
    double previous = 1;
    for (int n = 8; n <= 64; n *= 2) {
        prc_mesh mesh;
        prc_error error;
        CHECK(prc_mesh_torus(&mesh, 2, 0.5, 2 * n, n, &error) == PRC_OK);
        CHECK(mesh.vertex_count == 2 * n * n && mesh.triangle_count == 4 * n * n);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK && euler_characteristic(&mesh) == 0);
        double volume = 0;
        for (int t = 0; t < mesh.triangle_count; t++) {
            double normal[3], centre[3] = {0, 0, 0}, tube[3];
            triangle_normal(&mesh, t, normal);
            for (int k = 0; k < 9; k++)
                centre[k % 3] += mesh.positions[3 * mesh.triangles[3 * t + k / 3] + k % 3] / 3;
            const double away = hypot(centre[0], centre[2]);
            for (int k = 0; k < 3; k++) {
                tube[k] = centre[k] - (k == 1 ? 0 : 2 * centre[k] / away);
                volume += normal[k] * centre[k] / 3;
            }
            CHECK(normal[0] * tube[0] + normal[1] * tube[1] + normal[2] * tube[2] > 0);
        }
        CHECK(volume > 0.8 * 2 * pi * pi * 2 * 0.25 && volume < 2 * pi * pi * 2 * 0.25);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const double *x = mesh.positions + 3 * i;
            CHECK_NEAR(hypot(hypot(x[0], x[2]) - 2, x[1]), 0.5, 1e-14);
        }
        const double missing = 1 - area(&mesh) / (4 * pi * pi * 2 * 0.5);
        CHECK(missing > 0 && missing < (n > 8 ? previous / 3 : 0.2));
        previous = missing;
        prc_mesh_release(&mesh);
    }
}

TEST(ribbons_lie_on_their_cylinder_unstretched)
{
    prc_mesh mesh;
    prc_error error;
    for (int left = 0; left < 2; left++) {
        prc_ribbon_def def = {.radius = 0.3, .pitch = left ? -0.2 : 0.2, .turns = 2.5, .width = 0.1, .cells = {400, 4}};
        CHECK(prc_mesh_ribbon(&mesh, &def, &error) == PRC_OK);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK && euler_characteristic(&mesh) == 1);
        const double length = hypot(2 * pi * 0.3 * 2.5, 0.5);
        CHECK_NEAR(area(&mesh), length * 0.1, 1e-4 * length * 0.1);
        CHECK(smallest_outward(&mesh, true) > 0.999);
        for (int i = 0; i < mesh.vertex_count; i++)
            CHECK_NEAR(hypot(mesh.positions[3 * i], mesh.positions[3 * i + 2]), 0.3, 1e-14);
        /* Distances in the pattern are those along the surface: of neighbours nearly those in space. */
        for (int t = 0; t < mesh.triangle_count; t++)
            for (int k = 0; k < 3; k++) {
                const int a = mesh.triangles[3 * t + k], b = mesh.triangles[3 * t + (k + 1) % 3];
                const double *x = mesh.positions + 3 * a, *y = mesh.positions + 3 * b;
                const double flat =
                    hypot(mesh.texture[2 * a] - mesh.texture[2 * b], mesh.texture[2 * a + 1] - mesh.texture[2 * b + 1]);
                CHECK_NEAR(sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                                (x[2] - y[2]) * (x[2] - y[2])) /
                               flat,
                           1, 1e-3);
            }
        /* It climbs as it turns, from +z towards +x, unless it is wound to the left: seen at its middle. */
        const double *middle = mesh.positions + 3 * (2 * 401 + 200), *next = middle + 3;
        CHECK(fabs(middle[0]) < 1e-12 && middle[2] > 0 && next[0] > 0 && (next[1] > 0) == !left);
        prc_mesh_release(&mesh);
    }
}

TEST(straight_ribbons_are_flat_or_twisted_about_their_middle)
{
    prc_mesh mesh;
    prc_error error;
    prc_ribbon_def def = {.radius = 0, .pitch = 2, .turns = 1.5, .width = 0.2, .cells = {60, 2}};
    CHECK(prc_mesh_ribbon(&mesh, &def, &error) == PRC_OK);
    CHECK_NEAR(area(&mesh), 0.6, 1e-12);
    CHECK(smallest_upward(&mesh) > 0.999999);
    CHECK_NEAR(mesh.positions[1], -1.5, 1e-15);
    prc_mesh_release(&mesh);
    def.twist = 180;
    CHECK(prc_mesh_ribbon(&mesh, &def, &error) == PRC_OK);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK && euler_characteristic(&mesh) == 1);
    for (int i = 0; i <= 60; i++) {
        CHECK_NEAR(hypot(mesh.positions[3 * i], mesh.positions[3 * i + 2]), 0.1, 1e-15);
        CHECK_NEAR(hypot(mesh.positions[3 * (61 + i)], mesh.positions[3 * (61 + i) + 2]), 0, 1e-15);
    }
    CHECK_NEAR(mesh.positions[2], -mesh.positions[3 * 60 + 2], 1e-15); /* the ends are half a turn apart */
    prc_mesh_release(&mesh);
    def = prc_ribbon_def_default();
    def.twist = 90;
    CHECK(prc_mesh_ribbon(&mesh, &def, &error) == PRC_OK && prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

TEST(tori_and_ribbons_that_make_no_sense_are_refused)
{
    static const struct {
        prc_ribbon_def def;
        const char *message;
    } ribbons[] = {
        {{-1, 1, 1, 1, 0, {4, 4}}, "ribbon: radius is -1; it must be 0 or positive"},
        {{1, NAN, 1, 1, 0, {4, 4}}, "ribbon: pitch is nan and twist 0; they must be finite"},
        {{1, 1, 0, 1, 0, {4, 4}}, "ribbon: turns is 0; it must be positive"},
        {{1, 1, 1, 0, 0, {4, 4}}, "ribbon: width is 0; it must be positive"},
        {{0, 0, 1, 1, 0, {4, 4}}, "ribbon: radius and pitch are both 0, so it has no length"},
        {{1, 1, 1, 1, 0, {0, 4}}, "ribbon: cells[0] is 0; at least 1 is needed"},
        {{1, 1, 1, 1, 0, {100000, 100000}}, "are too many"},
    };
    prc_mesh mesh;
    prc_error error;
    for (size_t k = 0; k < sizeof ribbons / sizeof *ribbons; k++) {
        CHECK(prc_mesh_ribbon(&mesh, &ribbons[k].def, &error) == PRC_ERROR_INPUT && !mesh.positions);
        CHECK_TEXT(error.message, ribbons[k].message);
    }
    CHECK(prc_mesh_torus(&mesh, 1, 1, 8, 8, &error) == PRC_ERROR_INPUT && !mesh.positions);
    CHECK_TEXT(error.message, "torus: tube is 1 and radius 1; tube must be smaller than radius");
    CHECK(prc_mesh_torus(&mesh, 1, 0.1, 2, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "torus: around is 2; at least 3 is needed");
    CHECK(prc_mesh_torus(&mesh, 1, -0.1, 8, 8, &error) == PRC_ERROR_INPUT);
}

TEST_MAIN()
