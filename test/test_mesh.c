/* test/test_mesh.c — generators, topology, transforms and the mesh check.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "limited_memory.h"
#include "mesh_measures.h"

#include "base/memory.h"
#include "mesh/topology.h"

#include <limits.h>
#include <percale/percale.h>
#include <stdlib.h>

static prc_grid_def grid_def(int nx, int ny, prc_grid_pattern pattern)
{
    prc_grid_def def = prc_grid_def_default();
    def.cells[0] = nx;
    def.cells[1] = ny;
    def.pattern = pattern;
    return def;
}

/* ---- generators ---- */

TEST(grid_def_has_the_documented_defaults)
{
    prc_grid_def def = prc_grid_def_default();
    CHECK(def.size[0] == 1 && def.size[1] == 1 && def.cells[0] == 50 && def.cells[1] == 50);
    CHECK(def.pattern == PRC_GRID_REGULAR && def.jitter == 0.25 && def.seed == 1);
}

TEST(every_grid_is_a_disc_of_the_right_area_that_faces_up)
{
    const prc_grid_pattern patterns[3] = {PRC_GRID_REGULAR, PRC_GRID_ALTERNATING, PRC_GRID_IRREGULAR};
    for (int p = 0; p < 3; p++) {
        prc_grid_def def = grid_def(7, 5, patterns[p]);
        def.size[0] = 2;
        def.size[1] = 0.75;
        prc_mesh mesh;
        prc_error error;
        CHECK(prc_mesh_grid(&mesh, &def, &error) == PRC_OK);
        CHECK(mesh.vertex_count == 48 && mesh.triangle_count == 70 && !mesh.texture);
        CHECK(euler_characteristic(&mesh) == 1);
        CHECK_NEAR(area(&mesh), 1.5, 1e-14);
        CHECK_NEAR(smallest_upward(&mesh), 1, 0);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        prc_mesh_release(&mesh);
    }
}

TEST(grid_vertices_run_row_by_row_from_the_lower_corner)
{
    prc_grid_def def = grid_def(4, 2, PRC_GRID_REGULAR);
    def.size[0] = 4;
    def.size[1] = 2;
    prc_mesh mesh;
    CHECK(prc_mesh_grid(&mesh, &def, NULL) == PRC_OK);
    for (int j = 0; j <= 2; j++)
        for (int i = 0; i <= 4; i++) {
            const double *x = mesh.positions + 3 * (j * 5 + i);
            CHECK(x[0] == i - 2 && x[1] == j - 1 && x[2] == 0);
        }
    prc_mesh_release(&mesh);
}

/* The direction of the diagonal of cell (i, j): +1 rising, -1 falling, found by looking for the edge itself. */
static int diagonal_of(const prc_mesh *mesh, int nx, int i, int j)
{
    int v00 = j * (nx + 1) + i, v10 = v00 + 1, v01 = v00 + nx + 1, v11 = v01 + 1;
    for (int k = 0; k < 3 * mesh->triangle_count; k++) {
        int a = mesh->triangles[k], b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        if ((a == v00 && b == v11) || (a == v11 && b == v00))
            return 1;
        if ((a == v10 && b == v01) || (a == v01 && b == v10))
            return -1;
    }
    return 0;
}

TEST(regular_diagonals_agree_and_alternating_ones_alternate)
{
    for (int alternating = 0; alternating < 2; alternating++) {
        prc_grid_def def = grid_def(5, 4, alternating ? PRC_GRID_ALTERNATING : PRC_GRID_REGULAR);
        prc_mesh mesh;
        CHECK(prc_mesh_grid(&mesh, &def, NULL) == PRC_OK);
        for (int j = 0; j < 4; j++)
            for (int i = 0; i < 5; i++)
                CHECK(diagonal_of(&mesh, 5, i, j) == (alternating && (i + j) % 2 ? -1 : 1));
        prc_mesh_release(&mesh);
    }
}

/* The largest determinant of the in-circle test over all vertices next to each triangle across an edge, in units of
 * the fourth power of the cell. */
static double worst_in_circle(const prc_mesh *mesh, double cell)
{
    prc_topology topology;
    if (prc_topology_build(&topology, mesh, NULL))
        return INFINITY;
    double worst = -INFINITY;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int c = 0; c < 3; c++)
            for (int k = topology.ring_start[mesh->triangles[3 * t + c]];
                 k < topology.ring_start[mesh->triangles[3 * t + c] + 1]; k++) {
                const double *d = mesh->positions + 3 * topology.ring[k];
                double m[3][3];
                bool corner = false;
                for (int r = 0; r < 3; r++) {
                    corner = corner || mesh->triangles[3 * t + r] == topology.ring[k];
                    const double *p = mesh->positions + 3 * mesh->triangles[3 * t + r];
                    m[r][0] = (p[0] - d[0]) / cell;
                    m[r][1] = (p[1] - d[1]) / cell;
                    m[r][2] = m[r][0] * m[r][0] + m[r][1] * m[r][1];
                }
                double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                                     m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                                     m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
                if (!corner)
                    worst = fmax(worst, determinant);
            }
    prc_topology_release(&topology);
    return worst;
}

TEST(irregular_grids_are_delaunay_and_positive_up_to_the_largest_jitter)
{
    for (int seed = 1; seed <= 20; seed++) {
        prc_grid_def def = grid_def(30, 30, PRC_GRID_IRREGULAR);
        def.jitter = 0.45;
        def.seed = seed;
        prc_mesh mesh;
        prc_error error;
        CHECK(prc_mesh_grid(&mesh, &def, &error) == PRC_OK);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        CHECK_NEAR(smallest_upward(&mesh), 1, 0);
        CHECK_NEAR(area(&mesh), 1, 1e-12);
        CHECK(worst_in_circle(&mesh, 1.0 / 30) < 1e-9);
        prc_mesh_release(&mesh);
    }
}

TEST(the_in_circle_measure_of_these_tests_notices_a_flipped_edge)
{
    double positions[12] = {0, 0, 0, 2, 0, 0, 2.5, 1, 0, 0.4, 1, 0}; /* the better diagonal is 1-3 */
    int triangles[6] = {0, 1, 2, 0, 2, 3};
    prc_mesh mesh = {.vertex_count = 4, .triangle_count = 2, .positions = positions, .triangles = triangles};
    CHECK(worst_in_circle(&mesh, 1) > 0.1);
}

TEST(irregular_grids_with_slender_cells_are_delaunay)
{
    prc_grid_def def = grid_def(8, 60, PRC_GRID_IRREGULAR);
    def.jitter = 0.4;
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_grid(&mesh, &def, &error) == PRC_OK);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    CHECK_NEAR(smallest_upward(&mesh), 1, 0);
    CHECK(worst_in_circle(&mesh, 1.0 / 8) < 1e-9);
    prc_mesh_release(&mesh);
}

TEST(irregular_grids_move_inner_vertices_within_the_jitter_and_no_others)
{
    prc_grid_def def = grid_def(20, 10, PRC_GRID_IRREGULAR);
    prc_mesh regular, irregular;
    CHECK(prc_mesh_grid(&irregular, &def, NULL) == PRC_OK);
    def.pattern = PRC_GRID_REGULAR;
    CHECK(prc_mesh_grid(&regular, &def, NULL) == PRC_OK);
    double largest[2] = {0, 0};
    for (int j = 0; j <= 10; j++)
        for (int i = 0; i <= 20; i++)
            for (int k = 0; k < 2; k++) {
                int at = 3 * (j * 21 + i) + k;
                double moved = fabs(irregular.positions[at] - regular.positions[at]) * def.cells[k];
                CHECK((i > 0 && i < 20 && j > 0 && j < 10) || moved == 0);
                largest[k] = fmax(largest[k], moved);
            }
    CHECK(largest[0] <= 0.25 && largest[0] > 0.2 && largest[1] <= 0.25 && largest[1] > 0.2);
    prc_mesh_release(&regular);
    prc_mesh_release(&irregular);
}

static bool same_mesh(const prc_mesh *a, const prc_mesh *b)
{
    return a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->positions, b->positions, 3 * sizeof(double) * (size_t)a->vertex_count) == 0 &&
           memcmp(a->triangles, b->triangles, 3 * sizeof(int) * (size_t)a->triangle_count) == 0;
}

TEST(the_same_seed_gives_the_same_mesh_and_another_seed_another)
{
    prc_grid_def def = grid_def(25, 25, PRC_GRID_IRREGULAR);
    prc_mesh first, again, other;
    CHECK(prc_mesh_grid(&first, &def, NULL) == PRC_OK);
    CHECK(prc_mesh_grid(&again, &def, NULL) == PRC_OK);
    def.seed = -7;
    CHECK(prc_mesh_grid(&other, &def, NULL) == PRC_OK);
    CHECK(same_mesh(&first, &again));
    CHECK(!same_mesh(&first, &other));
    prc_mesh_release(&first);
    prc_mesh_release(&again);
    prc_mesh_release(&other);
}

TEST(a_disc_fills_its_polygon_with_triangles_of_like_size)
{
    const int rings = 12;
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_disc(&mesh, 0.5, rings, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 1 + 3 * rings * (rings + 1) && mesh.triangle_count == 6 * rings * rings);
    CHECK(euler_characteristic(&mesh) == 1);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    CHECK_NEAR(smallest_upward(&mesh), 1, 0);
    double polygon = 0.5 * 0.5 * 0.5 * 6 * rings * sin(2 * pi / (6 * rings)); /* the outermost ring */
    CHECK_NEAR(area(&mesh), polygon, 1e-13);
    /* The rings turn against each other by a whole step at the six seams, where angles reach 43 degrees. */
    for (int k = 0; k < 3 * mesh.triangle_count; k++) {
        int t = k / 3;
        const double *o = mesh.positions + 3 * mesh.triangles[k],
                     *p = mesh.positions + 3 * mesh.triangles[3 * t + (k + 1) % 3],
                     *q = mesh.positions + 3 * mesh.triangles[3 * t + (k + 2) % 3];
        double length = hypot(p[0] - o[0], p[1] - o[1]) * rings / 0.5;
        CHECK(length > 0.95 && length < 1.46);
        double angle = atan2(q[1] - o[1], q[0] - o[0]) - atan2(p[1] - o[1], p[0] - o[0]);
        angle = remainder(angle, 2 * pi) * 180 / pi;
        CHECK(angle > 42 && angle < 93);
    }
    prc_mesh_release(&mesh);
}

TEST(a_cylinder_is_an_open_tube_that_faces_outwards)
{
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_cylinder(&mesh, 0.3, 2, 24, 10, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 24 * 11 && mesh.triangle_count == 2 * 24 * 10);
    CHECK(euler_characteristic(&mesh) == 0);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    CHECK(smallest_outward(&mesh, true) > 0.99);
    CHECK_NEAR(area(&mesh), 2 * 24 * 2 * 0.3 * sin(pi / 24), 1e-12);
    double lowest = 1, highest = -1;
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double *x = mesh.positions + 3 * i;
        CHECK_NEAR(hypot(x[0], x[2]), 0.3, 1e-15);
        lowest = fmin(lowest, x[1]);
        highest = fmax(highest, x[1]);
    }
    CHECK(lowest == -1 && highest == 1);
    prc_mesh_release(&mesh);
    CHECK(prc_mesh_cylinder(&mesh, 1, 1, 3, 1, &error) == PRC_OK);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

TEST(a_cone_is_a_tube_of_two_radii)
{
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_cone(&mesh, 0.1, 0.4, 0.4, 30, 6, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 30 * 7 && mesh.triangle_count == 2 * 30 * 6);
    CHECK(euler_characteristic(&mesh) == 0);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double *x = mesh.positions + 3 * i;
        CHECK_NEAR(hypot(x[0], x[2]), 0.1 + 0.75 * (x[1] + 0.2), 1e-15);
    }
    CHECK(mesh.positions[1] == -0.2 && mesh.positions[3 * 30 * 6 + 1] == 0.2);
    prc_mesh_release(&mesh);
    /* The wall of slope 0.3 in 0.4 looks outwards and down: cosine to the radius is 0.8. */
    CHECK(prc_mesh_cone(&mesh, 0.1, 0.4, 0.4, 300, 6, &error) == PRC_OK);
    CHECK_NEAR(smallest_outward(&mesh, true), 0.8, 1e-3);
    prc_mesh_release(&mesh);
}

TEST(a_sphere_is_closed_and_faces_outwards_and_its_area_converges)
{
    double previous = 1;
    for (int s = 0; s <= 5; s++) {
        prc_mesh mesh;
        prc_error error;
        CHECK(prc_mesh_sphere(&mesh, 2, s, &error) == PRC_OK);
        CHECK(mesh.triangle_count == 20 << (2 * s));
        CHECK(euler_characteristic(&mesh) == 2);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        CHECK(smallest_outward(&mesh, false) > 0.95);
        for (int i = 0; i < mesh.vertex_count; i++) {
            const double *x = mesh.positions + 3 * i;
            CHECK_NEAR(sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), 2, 1e-14);
        }
        double missing = 1 - area(&mesh) / (16 * pi);
        CHECK(missing > 0 && missing < (s ? previous / 3 : 0.3)); /* second order: 4 in the limit */
        previous = missing;
        prc_mesh_release(&mesh);
    }
}

TEST(the_largest_sphere_has_the_announced_size)
{
    prc_mesh mesh;
    CHECK(prc_mesh_sphere(&mesh, 1, 8, NULL) == PRC_OK);
    CHECK(mesh.triangle_count == 1310720 && mesh.vertex_count == 655362);
    prc_mesh_release(&mesh);
}

/* ---- refused arguments ---- */

static const char *grid_message(prc_grid_def def)
{
    static prc_error error;
    prc_mesh mesh;
    memset(&mesh, 0xff, sizeof mesh);
    error = (prc_error){0};
    prc_result result = prc_mesh_grid(&mesh, &def, &error);
    if (result != PRC_ERROR_INPUT || error.code != result)
        return "not refused";
    return mesh.positions || mesh.triangles || mesh.texture || mesh.vertex_count ? "not zeroed" : error.message;
}

TEST(grids_refuse_arguments_that_make_no_sense)
{
    prc_grid_def def = grid_def(4, 4, PRC_GRID_REGULAR);
    def.size[0] = 0;
    CHECK_TEXT(grid_message(def), "size[0] is 0; it must be positive");
    def.size[0] = INFINITY;
    CHECK_TEXT(grid_message(def), "size[0] is inf");
    def.size[0] = 1;
    def.size[1] = NAN;
    CHECK_TEXT(grid_message(def), "size[1] is");
    CHECK_TEXT(grid_message(grid_def(0, 4, PRC_GRID_REGULAR)), "cells[0] is 0; at least 1");
    CHECK_TEXT(grid_message(grid_def(4, -3, PRC_GRID_REGULAR)), "cells[1] is -3; at least 1");
    CHECK_TEXT(grid_message(grid_def(50000, 50000, PRC_GRID_REGULAR)), "are too many");
    CHECK_TEXT(grid_message(grid_def(INT_MAX, INT_MAX, PRC_GRID_REGULAR)), "are too many");
    CHECK_TEXT(grid_message(grid_def(4, 4, (prc_grid_pattern)9)), "pattern 9 is unknown");
    def = grid_def(4, 4, PRC_GRID_IRREGULAR);
    def.jitter = 0.5;
    CHECK_TEXT(grid_message(def), "jitter is 0.5; it must be from 0 to 0.45");
    def.jitter = NAN;
    CHECK_TEXT(grid_message(def), "jitter is");
}

TEST(other_shapes_refuse_arguments_that_make_no_sense)
{
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_disc(&mesh, -1, 3, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "disc: radius is -1");
    CHECK(prc_mesh_disc(&mesh, 1, 0, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "disc: rings is 0; at least 1");
    CHECK(prc_mesh_disc(&mesh, 1, INT_MAX, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "are too many");
    CHECK(prc_mesh_cylinder(&mesh, 1, NAN, 8, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cylinder: height is");
    CHECK(prc_mesh_cylinder(&mesh, 0, 1, 8, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cylinder: radius is 0");
    CHECK(prc_mesh_cylinder(&mesh, 1, 1, 2, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cylinder: around is 2; at least 3");
    CHECK(prc_mesh_cylinder(&mesh, 1, 1, 8, 0, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cylinder: along is 0");
    CHECK(prc_mesh_cylinder(&mesh, 1, 1, INT_MAX, INT_MAX, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "are too many");
    CHECK(prc_mesh_cone(&mesh, 0, 1, 1, 8, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cone: radius is 0");
    CHECK(prc_mesh_cone(&mesh, 1, 0, 1, 8, 8, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "cone: radius_top is 0");
    CHECK(prc_mesh_sphere(&mesh, 1, 9, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "sphere: subdivisions is 9; it must be from 0 to 8");
    CHECK(prc_mesh_sphere(&mesh, 1, -1, &error) == PRC_ERROR_INPUT);
    CHECK(prc_mesh_sphere(&mesh, INFINITY, 1, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "sphere: radius is inf");
}

/* ---- copy and transform ---- */

TEST(a_copy_is_equal_and_its_own)
{
    double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, texture[6] = {0, 0, 1, 0, 0, 1};
    int triangles[3] = {0, 1, 2};
    prc_mesh mesh = {.vertex_count = 3,
                     .triangle_count = 1,
                     .positions = positions,
                     .triangles = triangles,
                     .texture = texture},
             copy;
    CHECK(prc_mesh_copy(&copy, &mesh, NULL) == PRC_OK);
    CHECK(same_mesh(&mesh, &copy) && copy.positions != positions && copy.texture[5] == 1);
    positions[0] = 5;
    CHECK(copy.positions[0] == 0);
    prc_mesh_release(&copy);
    CHECK(!copy.positions && !copy.triangles && !copy.texture && copy.vertex_count == 0);
    mesh.texture = NULL;
    CHECK(prc_mesh_copy(&copy, &mesh, NULL) == PRC_OK && !copy.texture);
    prc_mesh_release(&copy);
    mesh.positions = NULL;
    prc_error error;
    CHECK(prc_mesh_copy(&copy, &mesh, &error) == PRC_ERROR_INPUT && !copy.triangles);
}

TEST(a_copy_has_groups_properties_and_stitches_of_its_own)
{
    double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, values[3] = {0.25, 0.5, 1};
    int triangles[3] = {0, 1, 2}, members[2] = {0, 2};
    char group_name[] = "hem", property_name[] = "weight";
    prc_mesh_group group = {group_name, members, 2};
    prc_mesh_property property = {property_name, values};
    prc_mesh_stitch stitch = {2, {0, 1}, 0.75, 3};
    prc_mesh copy, mesh = {.vertex_count = 3,
                           .triangle_count = 1,
                           .positions = positions,
                           .triangles = triangles,
                           .groups = &group,
                           .group_count = 1,
                           .properties = &property,
                           .property_count = 1,
                           .stitches = &stitch,
                           .stitch_count = 1};
    CHECK(prc_mesh_copy(&copy, &mesh, NULL) == PRC_OK);
    group_name[0] = property_name[0] = 'x';
    members[1] = 7;
    values[1] = stitch.at = 9;
    CHECK(copy.group_count == 1 && copy.property_count == 1 && copy.stitch_count == 1);
    CHECK_TEXT(copy.groups[0].name, "hem");
    CHECK(copy.groups[0].vertex_count == 2 && copy.groups[0].vertices[1] == 2);
    CHECK_TEXT(copy.properties[0].name, "weight");
    CHECK(copy.properties[0].values[1] == 0.5 && copy.stitches[0].at == 0.75 && copy.stitches[0].seam == 3);
    prc_mesh_release(&copy);
    CHECK(!copy.groups && !copy.properties && !copy.stitches && copy.group_count == 0);
}

TEST(transform_turns_then_scales_then_moves)
{
    double positions[6] = {1, 2, 3, 0.5, 0, 0};
    prc_mesh mesh = {.vertex_count = 2, .triangle_count = 0, .positions = positions};
    prc_mesh_transform(&mesh, (double[3]){0, 0, 2}, 90, 2, (double[3]){10, 20, 30});
    CHECK(positions[0] == 6 && positions[1] == 22 && positions[2] == 36);
    CHECK(positions[3] == 10 && positions[4] == 21 && positions[5] == 30);
    prc_mesh_transform(&mesh, (double[3]){0, 0, 0}, 77, 1, (double[3]){-10, -20, -30});
    CHECK(positions[0] == -4 && positions[1] == 2 && positions[2] == 6);
    double turned[3] = {1, 0, 0};
    mesh = (prc_mesh){.vertex_count = 1, .positions = turned};
    prc_mesh_transform(&mesh, (double[3]){1, 1, 1}, -120, 1, (double[3]){0, 0, 0}); /* x → z */
    CHECK_NEAR(turned[0], 0, 1e-15);
    CHECK_NEAR(turned[1], 0, 1e-15);
    CHECK_NEAR(turned[2], 1, 1e-15);
}

TEST(three_quarter_turns_in_either_direction_are_exact)
{
    const double cases[4][3] = {{270, 0, -1}, {-90, 0, -1}, {-180, -1, 0}, {720, 1, 0}};
    for (int k = 0; k < 4; k++) {
        double x[3] = {1, 0, 0};
        prc_mesh mesh = {.vertex_count = 1, .triangle_count = 0, .positions = x};
        prc_mesh_transform(&mesh, (double[3]){0, 0, 1}, cases[k][0], 1, (double[3]){0, 0, 0});
        CHECK(x[0] == cases[k][1] && x[1] == cases[k][2] && x[2] == 0);
    }
}

/* ---- topology ---- */

static bool has_triangle(const prc_mesh *mesh, int t, int a, int b, int c)
{
    const int *v = mesh->triangles + 3 * t;
    return (v[0] == a && v[1] == b && v[2] == c) || (v[1] == a && v[2] == b && v[0] == c) ||
           (v[2] == a && v[0] == b && v[1] == c);
}

static bool is_neighbour(const prc_topology *topology, int vertex, int other)
{
    int found = 0;
    for (int k = topology->ring_start[vertex]; k < topology->ring_start[vertex + 1]; k++)
        found += topology->ring[k] == other;
    return found == 1;
}

/* NULL where everything the header of topology.h promises holds. */
static const char *topology_fault(const prc_topology *topology, const prc_mesh *mesh)
{
    int corners = 0;
    for (int i = 0; i < mesh->vertex_count; i++) {
        const int *ring = topology->ring + topology->ring_start[i], *fan = topology->fan + topology->fan_start[i];
        int length = topology->ring_start[i + 1] - topology->ring_start[i];
        int count = topology->fan_start[i + 1] - topology->fan_start[i];
        corners += count;
        if (length != count + topology->boundary[i])
            return "ring and fan differ in length";
        for (int k = 0; k < count; k++)
            if (!has_triangle(mesh, fan[k], i, ring[k], ring[(k + 1) % length]))
                return "ring and fan disagree";
        for (int k = 0; k < length; k++) {
            if (!is_neighbour(topology, i, ring[k]) || !is_neighbour(topology, ring[k], i))
                return "neighbours are not mutual and single";
            if (!topology->boundary[i] && ring[k] < ring[0])
                return "a closed ring does not start at its smallest";
        }
    }
    return corners == 3 * mesh->triangle_count ? NULL : "triangles are missing";
}

TEST(rings_and_fans_run_together_around_every_vertex)
{
    prc_grid_def def = grid_def(13, 9, PRC_GRID_IRREGULAR);
    prc_mesh meshes[4];
    CHECK(prc_mesh_grid(&meshes[0], &def, NULL) == PRC_OK);
    CHECK(prc_mesh_disc(&meshes[1], 1, 5, NULL) == PRC_OK);
    CHECK(prc_mesh_cylinder(&meshes[2], 1, 1, 3, 2, NULL) == PRC_OK);
    CHECK(prc_mesh_sphere(&meshes[3], 1, 2, NULL) == PRC_OK);
    for (int m = 0; m < 4; m++) {
        prc_topology topology;
        prc_error error;
        CHECK(prc_topology_build(&topology, &meshes[m], &error) == PRC_OK);
        const char *fault = topology_fault(&topology, &meshes[m]);
        CHECK_TEXT(fault ? fault : "none", "none");
        prc_topology_release(&topology);
        CHECK(!topology.ring && !topology.fan_start);
        prc_mesh_release(&meshes[m]);
    }
}

TEST(boundary_flags_mark_the_rim_and_nothing_else)
{
    prc_grid_def def = grid_def(6, 4, PRC_GRID_IRREGULAR);
    prc_mesh mesh;
    prc_topology topology;
    CHECK(prc_mesh_grid(&mesh, &def, NULL) == PRC_OK);
    CHECK(prc_topology_build(&topology, &mesh, NULL) == PRC_OK);
    for (int j = 0; j <= 4; j++)
        for (int i = 0; i <= 6; i++)
            CHECK(topology.boundary[j * 7 + i] == (i == 0 || j == 0 || i == 6 || j == 4));
    prc_topology_release(&topology);
    prc_mesh_release(&mesh);

    CHECK(prc_mesh_sphere(&mesh, 1, 1, NULL) == PRC_OK);
    CHECK(prc_topology_build(&topology, &mesh, NULL) == PRC_OK);
    for (int i = 0; i < mesh.vertex_count; i++)
        CHECK(!topology.boundary[i]);
    prc_topology_release(&topology);
    prc_mesh_release(&mesh);
}

TEST(a_single_triangle_has_open_rings_in_its_own_order)
{
    double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int triangles[3] = {2, 0, 1};
    prc_mesh mesh = {.vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = triangles};
    prc_topology topology;
    CHECK(prc_topology_build(&topology, &mesh, NULL) == PRC_OK);
    const int expected[6] = {1, 2, 2, 0, 0, 1};
    CHECK(memcmp(topology.ring, expected, sizeof expected) == 0);
    CHECK(topology.ring_start[3] == 6 && topology.fan_start[3] == 3 && topology.boundary[1] == 1);
    prc_topology_release(&topology);
}

/* ---- meshes that are refused ---- */

typedef struct bad_mesh {
    const char *message; /* part of what prc_mesh_check says */
    int vertex_count, triangle_count;
    int triangles[12];
    bool topology_refuses;
} bad_mesh;

/* Vertex positions in general position: no three of them lie on a line. */
static const double spread[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0.5, 0, 0, 1.5, 1.2, 0, 1, 0, 1, 2, 1, 1.5, 1};

static const bad_mesh bad_meshes[] = {
    {"vertex 3, but vertices run from 0 to 2 (2 such corners in total)", 3, 2, {0, 1, 3, 0, 1, -1}, true},
    {"triangle 1 (vertices 2, 3, 2) is degenerate: it uses a vertex twice (1 in total)",
     4,
     2,
     {0, 1, 2, 2, 3, 2},
     true},
    {"triangle 1 has the same vertices as triangle 0 (1 duplicates", 3, 2, {0, 1, 2, 1, 2, 0}, true},
    {"triangle 2 has the same vertices as triangle 0 (2 duplicates", 4, 4, {0, 1, 2, 1, 3, 2, 2, 1, 0, 1, 2, 0}, true},
    {"edge 0-1 is shared by 3 triangles; at most 2 are allowed (1 such", 5, 3, {0, 1, 2, 1, 0, 3, 0, 1, 4}, true},
    {"edge 1-2 face opposite sides (1 such", 4, 2, {0, 1, 2, 1, 2, 3}, true},
    {"vertex 3 belongs to no triangle (2 in total", 5, 1, {0, 1, 2}, true},
    {"vertex 0 is shared by separate fans of triangles (1", 5, 2, {0, 1, 2, 0, 3, 4}, true},
    {"is empty (3 vertices, 0 triangles)", 3, 0, {0}, true},
    {"is empty (0 vertices, 0 triangles)", 0, 0, {0}, false},
    {"counts are negative (-1 vertices", -1, 1, {0, 1, 2}, true},
};

TEST(check_names_the_first_offender_and_counts_the_rest)
{
    for (size_t k = 0; k < sizeof bad_meshes / sizeof *bad_meshes; k++) {
        const bad_mesh *bad = &bad_meshes[k];
        prc_mesh mesh = {.vertex_count = bad->vertex_count,
                         .triangle_count = bad->triangle_count,
                         .positions = (double *)(size_t)spread,
                         .triangles = (int *)(size_t)bad->triangles};
        prc_error error = {0};
        CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT && error.code == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, bad->message);
    }
}

TEST(topology_refuses_what_it_cannot_order)
{
    for (size_t k = 0; k < sizeof bad_meshes / sizeof *bad_meshes; k++) {
        const bad_mesh *bad = &bad_meshes[k];
        if (!bad->topology_refuses)
            continue;
        prc_mesh mesh = {.vertex_count = bad->vertex_count,
                         .triangle_count = bad->triangle_count,
                         .positions = (double *)(size_t)spread,
                         .triangles = (int *)(size_t)bad->triangles};
        prc_topology topology;
        prc_error error = {0};
        CHECK(prc_topology_build(&topology, &mesh, &error) == PRC_ERROR_INPUT);
        CHECK(!topology.ring && !topology.boundary && error.message[0]);
    }
}

TEST(check_notices_a_closed_fan_beside_an_open_one_at_a_vertex)
{
    int triangles[12] = {0, 1, 2, 0, 2, 3, 0, 3, 1, 0, 4, 5};
    prc_mesh mesh = {
        .vertex_count = 6, .triangle_count = 4, .positions = (double *)(size_t)spread, .triangles = triangles};
    prc_error error;
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 0 is shared by");
    prc_topology topology;
    CHECK(prc_topology_build(&topology, &mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "around vertex 0");
}

TEST(check_refuses_numbers_that_are_not_finite)
{
    double positions[9] = {0, 0, 0, 1, NAN, 0, 0, 1, INFINITY}, texture[6] = {0, 0, 1, 0, 0, NAN};
    int triangles[3] = {0, 1, 2};
    prc_mesh mesh = {
        .vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = triangles, .texture = texture};
    prc_error error;
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 1 has a position that is not finite (2 in total)");
    positions[4] = positions[8] = 0;
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "vertex 2 has a texture coordinate that is not finite (1 in total)");
    mesh.texture = NULL;
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    CHECK(prc_mesh_check(&mesh, NULL) == PRC_OK);
    mesh.positions = NULL;
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "positions are missing");
}

TEST(check_measures_flatness_against_the_triangles_own_size)
{
    int triangles[3] = {0, 1, 2};
    for (double scale = 1e-200; scale < 1e201; scale *= 1e50) {
        double positions[9] = {0, 0, 0, scale, 0, 0, 0.5 * scale, 1e-11 * scale, 0};
        prc_mesh mesh = {.vertex_count = 3, .triangle_count = 1, .positions = positions, .triangles = triangles};
        prc_error error;
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        positions[7] = 1e-12 * scale;
        CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, "triangle 0 (vertices 0, 1, 2) is degenerate: it has zero area (1 in total)");
    }
    double same[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    CHECK(prc_mesh_check(&(prc_mesh){.vertex_count = 3, .triangle_count = 1, .positions = same, .triangles = triangles},
                         NULL) == PRC_ERROR_INPUT);
}

/* ---- out of memory ---- */

/* Runs the whole chain with `limit` allocations; what fails must say so and leave nothing behind. */
static prc_result chain(prc_mesh *grid, prc_mesh *sphere, prc_mesh *copy, prc_topology *topology, prc_error *error)
{
    prc_grid_def def = grid_def(3, 3, PRC_GRID_IRREGULAR);
    prc_result result = prc_mesh_grid(grid, &def, error);
    if (!result)
        result = prc_mesh_sphere(sphere, 1, 2, error);
    prc_mesh other = {0};
    const prc_ribbon_def ribbon = prc_ribbon_def_default();
    if (!result)
        result = prc_mesh_ribbon(&other, &ribbon, error);
    prc_mesh_release(&other);
    if (!result)
        result = prc_mesh_torus(&other, 1, 0.1, 5, 5, error);
    prc_mesh_release(&other);
    if (!result)
        result = prc_mesh_copy(copy, sphere, error);
    if (!result)
        result = prc_mesh_check(copy, error);
    if (!result)
        result = prc_topology_build(topology, copy, error);
    return result;
}

TEST(running_out_of_memory_is_reported_wherever_it_happens)
{
    int failures = 0;
    prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
    for (int limit = 0; limit < 100; limit++) {
        prc_mesh grid = {0}, sphere = {0}, copy = {0};
        prc_topology topology = {0};
        prc_error error = {0};
        allocations_left = limit;
        prc_result result = chain(&grid, &sphere, &copy, &topology, &error);
        failures += result == PRC_ERROR_MEMORY && error.code == PRC_ERROR_MEMORY;
        prc_mesh_release(&grid);
        prc_mesh_release(&sphere);
        prc_mesh_release(&copy);
        prc_topology_release(&topology);
        if (result == PRC_OK)
            break;
    }
    prc_set_allocator((prc_allocator){NULL, NULL, NULL});
    CHECK(failures >= 20 && failures < 100);
}

/* Before anything is allocated, and before the arrays are looked at, which are far shorter. */
TEST(counts_beyond_the_limit_are_refused_at_once)
{
    static double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static int triangles[3] = {0, 1, 2};
    const int counts[][2] = {{3, INT_MAX}, {INT_MAX, 1}, {INT_MAX, INT_MAX}, {3, 200000001}, {100000001, 1}};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        prc_mesh mesh = {.positions = positions, .triangles = triangles}, copy;
        prc_mesh_problems problems;
        prc_error error = {0};
        mesh.vertex_count = counts[k][0];
        mesh.triangle_count = counts[k][1];
        CHECK(prc_mesh_copy(&copy, &mesh, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, "are too many; expected at most 100 million vertices");
        CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
        CHECK_TEXT(error.message, "are too many");
        CHECK(prc_mesh_examine(&mesh, &problems, &error) == PRC_ERROR_INPUT);
        prc_mesh_mend(&mesh, NULL, &error);
        CHECK(prc_mesh_write(&mesh, "/nowhere/x.obj", &error) == PRC_ERROR_INPUT);
        CHECK(!prc_sdf_build(&mesh, 10, 0, 1, &error));
        prc_body_def body = prc_body_def_default();
        prc_obstacle_def obstacle = prc_obstacle_def_default();
        prc_sim_def def = prc_sim_def_default();
        body.mesh = &mesh;
        def.bodies = &body;
        def.body_count = 1;
        CHECK(!prc_sim_create(&def, &error));
        CHECK_TEXT(error.message, "are too many");
        prc_mesh good = {.positions = positions, .triangles = triangles, .vertex_count = 3, .triangle_count = 1};
        body.mesh = &good;
        obstacle.mesh = &mesh;
        def.obstacles = &obstacle;
        def.obstacle_count = 1;
        def.contact.enabled = true;
        CHECK(!prc_sim_create(&def, &error));
        CHECK_TEXT(error.message, "obstacles[0].mesh: ");
    }
}

TEST_MAIN()
