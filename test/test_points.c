/* test/test_points.c — points for bodies of particles: lattices and random packings.
 * SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "limited_memory.h"

#include <percale/percale.h>

#include "base/hash.h"

/* Of any two points, by looking at all pairs. */
static double least_distance(const prc_mesh *mesh)
{
    double least = INFINITY;
    for (int i = 0; i < mesh->vertex_count; i++)
        for (int k = 0; k < i; k++) {
            double square = 0;
            for (int c = 0; c < 3; c++)
                square += pow(mesh->positions[3 * i + c] - mesh->positions[3 * k + c], 2);
            least = fmin(least, sqrt(square));
        }
    return least;
}

static void find_bounds(const prc_mesh *mesh, double low[3], double high[3])
{
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int i = 0; i < mesh->vertex_count; i++) {
            low[c] = fmin(low[c], mesh->positions[3 * i + c]);
            high[c] = fmax(high[c], mesh->positions[3 * i + c]);
        }
    }
}

static uint64_t hash_of(const prc_mesh *mesh)
{
    return prc_hash(PRC_HASH_START, mesh->positions, 3 * sizeof(double) * (size_t)mesh->vertex_count);
}

static prc_lattice_def lattice(int x, int y, int z, double spacing)
{
    prc_lattice_def def = prc_lattice_def_default();
    def.count[0] = x;
    def.count[1] = y;
    def.count[2] = z;
    def.spacing = spacing;
    return def;
}

TEST(a_cubic_lattice_is_centred_and_numbered_along_x_then_y_then_z)
{
    prc_mesh mesh;
    prc_error error;
    prc_lattice_def def = lattice(4, 3, 2, 0.5);
    CHECK(prc_mesh_lattice(&mesh, &def, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 24 && mesh.triangle_count == 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++) {
                const double *x = mesh.positions + 3 * (i + 4 * (j + 3 * k));
                CHECK_NEAR(x[0], 0.5 * i - 0.75, 1e-15);
                CHECK_NEAR(x[1], 0.5 * j - 0.5, 1e-15);
                CHECK_NEAR(x[2], 0.5 * k - 0.25, 1e-15);
            }
    prc_mesh_release(&mesh);
}

/* In the middle of a close packing every ball touches twelve others, and the layers fill 74 % of space. */
TEST(a_hexagonal_lattice_is_a_closest_packing)
{
    prc_mesh mesh;
    prc_error error;
    prc_lattice_def def = lattice(7, 7, 7, 0.1);
    def.pattern = PRC_LATTICE_HEXAGONAL;
    CHECK(prc_mesh_lattice(&mesh, &def, &error) == PRC_OK);
    CHECK_NEAR(least_distance(&mesh), 0.1, 1e-14);
    const double *middle = mesh.positions + 3 * (3 + 7 * (3 + 7 * 3));
    int touching = 0;
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double *x = mesh.positions + 3 * i;
        const double d = sqrt(pow(x[0] - middle[0], 2) + pow(x[1] - middle[1], 2) + pow(x[2] - middle[2], 2));
        touching += d > 0 && d < 0.1 + 1e-12;
    }
    CHECK(touching == 12);
    double low[3], high[3];
    find_bounds(&mesh, low, high);
    for (int c = 0; c < 3; c++)
        CHECK_NEAR(low[c] + high[c], 0, 1e-15);
    CHECK_NEAR(high[1] - low[1], 6 * 0.1 * sqrt(2.0 / 3), 1e-14); /* layers across y */
    prc_mesh_release(&mesh);
}

TEST(jitter_leaves_the_distance_it_promises)
{
    prc_mesh mesh, again;
    prc_error error;
    for (int pattern = 0; pattern < 2; pattern++) {
        prc_lattice_def def = lattice(8, 8, 8, 0.2);
        def.pattern = (prc_lattice_pattern)pattern;
        def.jitter = 0.2;
        CHECK(prc_mesh_lattice(&mesh, &def, &error) == PRC_OK);
        CHECK(prc_mesh_lattice(&again, &def, &error) == PRC_OK);
        CHECK(hash_of(&mesh) == hash_of(&again));
        CHECK(least_distance(&mesh) >= 0.2 * (1 - 2 * 0.2) && least_distance(&mesh) < 0.19);
        prc_mesh_release(&again);
        def.seed = 2;
        CHECK(prc_mesh_lattice(&again, &def, &error) == PRC_OK);
        CHECK(hash_of(&mesh) != hash_of(&again));
        prc_mesh_release(&again);
        prc_mesh_release(&mesh);
    }
}

static bool is_inside(const prc_packing_def *def, const double *x)
{
    if (def->shape == PRC_PACKING_BOX)
        return fabs(x[0]) <= def->size[0] / 2 && fabs(x[1]) <= def->size[1] / 2 && fabs(x[2]) <= def->size[2] / 2;
    if (def->shape == PRC_PACKING_SPHERE)
        return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) <= def->radius * (1 + 1e-15);
    return hypot(x[0], x[2]) <= def->radius * (1 + 1e-15) && fabs(x[1]) <= def->length / 2;
}

static double volume_of(const prc_packing_def *def)
{
    const double pi = acos(-1);
    return def->shape == PRC_PACKING_BOX      ? def->size[0] * def->size[1] * def->size[2]
           : def->shape == PRC_PACKING_SPHERE ? 4.0 / 3 * pi * pow(def->radius, 3)
                                              : pi * pow(def->radius, 2) * def->length;
}

/* Random sequential addition of balls ends at 38.4 % of the volume (Zhang and Torquato 2013); at a boundary that only
 * the middles keep to there is room for more. */
TEST(packings_are_full_without_overlap_and_inside_their_shape)
{
    for (int shape = 0; shape < 3; shape++) {
        prc_mesh mesh, again;
        prc_error error;
        prc_packing_def def = prc_packing_def_default();
        def.shape = (prc_packing_shape)shape;
        def.size[0] = 0.3;
        def.radius = 0.08;
        def.spacing = 0.0105;
        CHECK(prc_mesh_packing(&mesh, &def, &error) == PRC_OK);
        CHECK(least_distance(&mesh) >= def.spacing * (1 - 1e-12));
        for (int i = 0; i < mesh.vertex_count; i++)
            CHECK(is_inside(&def, mesh.positions + 3 * i));
        const double filled = mesh.vertex_count * acos(-1) / 6 * pow(def.spacing, 3) / volume_of(&def);
        CHECK(filled > 0.38 && filled < 0.55);
        CHECK(prc_mesh_packing(&again, &def, &error) == PRC_OK);
        CHECK(hash_of(&mesh) == hash_of(&again));
        prc_mesh_release(&mesh);
        prc_mesh_release(&again);
    }
}

/* The bits are the same with every compiler. */
TEST(packings_are_the_same_on_every_machine)
{
    prc_mesh mesh;
    prc_error error;
    prc_packing_def def = prc_packing_def_default();
    def.shape = PRC_PACKING_CYLINDER;
    def.spacing = 0.01;
    def.count = 200;
    CHECK(prc_mesh_packing(&mesh, &def, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 200);
    CHECK(hash_of(&mesh) == 0x90853f020ada3e91u);
    prc_mesh_release(&mesh);
}

/* Few points in much room, for which a grid of the size of the points would not fit into memory, and which must not
 * gather in a corner. */
TEST(few_points_are_spread_over_all_of_the_shape)
{
    prc_mesh mesh;
    prc_error error;
    prc_packing_def def = prc_packing_def_default();
    def.size[0] = def.size[1] = def.size[2] = 100;
    def.spacing = 1e-3;
    def.count = 4000;
    CHECK(prc_mesh_packing(&mesh, &def, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 4000);
    int octant[8] = {0};
    for (int i = 0; i < 4000; i++) {
        const double *x = mesh.positions + 3 * i;
        octant[(x[0] > 0) + 2 * (x[1] > 0) + 4 * (x[2] > 0)]++;
    }
    for (int k = 0; k < 8; k++)
        CHECK(octant[k] > 400 && octant[k] < 600);
    prc_mesh_release(&mesh);
}

TEST(neighbours_in_a_packing_have_near_numbers)
{
    prc_mesh mesh;
    prc_error error;
    prc_packing_def def = prc_packing_def_default();
    def.spacing = 0.004;
    CHECK(prc_mesh_packing(&mesh, &def, &error) == PRC_OK);
    double way = 0;
    for (int i = 1; i < mesh.vertex_count; i++) {
        const double *a = mesh.positions + 3 * i - 3, *b = a + 3;
        way += sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    }
    CHECK(mesh.vertex_count > 10000 && way / mesh.vertex_count < 2 * def.spacing);
    prc_mesh_release(&mesh);
}

static bool refuses_packing(prc_packing_def def, const char *part)
{
    prc_mesh mesh;
    prc_error error = {0};
    const bool refused = prc_mesh_packing(&mesh, &def, &error) == PRC_ERROR_INPUT && !mesh.positions;
    if (!refused || !strstr(error.message, part))
        printf("    \"%s\" does not contain \"%s\"\n", error.message, part);
    return refused && strstr(error.message, part);
}

TEST(packings_that_cannot_be_are_refused)
{
    prc_packing_def def = prc_packing_def_default();
    CHECK(refuses_packing(def, "packing: spacing is 0; it must be positive"));
    def.spacing = 0.01;
    def.count = 10000;
    CHECK(refuses_packing(def, " of 10000 points fit at a spacing of 0.01 m; expected a lower count or spacing"));
    def.count = -1;
    CHECK(refuses_packing(def, "packing: count is -1"));
    def.count = 0;
    def.spacing = 1e-6;
    CHECK(refuses_packing(def, "packing: as many as fit would be more than 20 million points"));
    def.spacing = 0.01;
    def.size[1] = 0;
    CHECK(refuses_packing(def, "packing: size[1] is 0"));
    def.shape = PRC_PACKING_CYLINDER;
    def.length = -1;
    CHECK(refuses_packing(def, "packing: length is -1"));
    def.radius = NAN;
    CHECK(refuses_packing(def, "packing: radius is nan"));
    def.shape = (prc_packing_shape)7;
    CHECK(refuses_packing(def, "packing: shape 7 is unknown"));
}

static bool refuses_lattice(prc_lattice_def def, const char *part)
{
    prc_mesh mesh;
    prc_error error = {0};
    const bool refused = prc_mesh_lattice(&mesh, &def, &error) == PRC_ERROR_INPUT && !mesh.positions;
    if (!refused || !strstr(error.message, part))
        printf("    \"%s\" does not contain \"%s\"\n", error.message, part);
    return refused && strstr(error.message, part);
}

TEST(lattices_that_cannot_be_are_refused)
{
    CHECK(refuses_lattice(prc_lattice_def_default(), "lattice: spacing is 0"));
    CHECK(refuses_lattice(lattice(2, 0, 2, 1), "lattice: count[1] is 0; at least 1 is needed"));
    CHECK(refuses_lattice(lattice(100000, 100000, 100000, 1), "lattice: 1000000000000000 points are more than"));
    prc_lattice_def def = lattice(2, 2, 2, 1);
    def.jitter = 0.5;
    CHECK(refuses_lattice(def, "lattice: jitter is 0.5; it must be from 0 to 0.45"));
    def.jitter = 0;
    def.pattern = (prc_lattice_pattern)9;
    CHECK(refuses_lattice(def, "lattice: pattern 9 is unknown"));
}

TEST(points_without_memory_are_refused_and_leave_nothing)
{
    int failures = 0;
    prc_result result = PRC_ERROR_MEMORY;
    prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
    for (int limit = 0; limit < 200 && result; limit++) {
        prc_mesh mesh = {0};
        prc_error error;
        prc_packing_def packing = prc_packing_def_default();
        prc_lattice_def def = lattice(3, 3, 3, 1);
        packing.spacing = 0.02;
        allocations_left = limit;
        result = prc_mesh_lattice(&mesh, &def, &error);
        CHECK((result == PRC_ERROR_MEMORY && !mesh.positions) || (!result && mesh.positions));
        prc_mesh_release(&mesh);
        if (!result)
            result = prc_mesh_packing(&mesh, &packing, &error);
        CHECK((result == PRC_ERROR_MEMORY && !mesh.positions) || (!result && mesh.positions));
        prc_mesh_release(&mesh);
        failures += result != PRC_OK;
    }
    prc_set_allocator((prc_allocator){0});
    CHECK(!result && failures > 10);
}

TEST(meshes_of_points_can_be_copied_and_moved)
{
    prc_mesh mesh, copy;
    prc_error error;
    const prc_lattice_def def = lattice(2, 1, 1, 1);
    CHECK(prc_mesh_lattice(&mesh, &def, &error) == PRC_OK);
    CHECK(prc_mesh_copy(&copy, &mesh, &error) == PRC_OK && copy.vertex_count == 2);
    prc_mesh_transform(&copy, (const double[3]){0, 0, 1}, 90, 2, (const double[3]){1, 0, 0});
    CHECK_NEAR(copy.positions[3], 1, 1e-15);
    CHECK_NEAR(copy.positions[4], 1, 1e-15);
    prc_mesh_release(&copy);
    prc_mesh_release(&mesh);
}

TEST(a_hundred_thousand_points_take_about_a_second)
{
    prc_mesh mesh;
    prc_error error;
    prc_packing_def def = prc_packing_def_default();
    def.spacing = 0.0020;
    const clock_t start = clock();
    CHECK(prc_mesh_packing(&mesh, &def, &error) == PRC_OK);
    const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("    %d points in %.2f s\n", mesh.vertex_count, seconds);
    CHECK(mesh.vertex_count > 90000 && seconds < (TEST_SANITIZED ? 100 : 10));
    prc_mesh_release(&mesh);
}

TEST_MAIN()
