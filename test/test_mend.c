/* test/test_mend.c — what is mended in a mesh, what is not, how it is told and how it is shown.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"
#include "limited_memory.h"
#include "mesh_files.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/problems.h"
#include "mesh/mend.h"

static prc_error error;
static prc_mesh_report report;

static prc_result load(prc_mesh *mesh, const char *text, bool mend)
{
    const prc_mesh_file_def def = {.mend = mend};
    error = (prc_error){0};
    return prc_mesh_load(mesh, put_bytes("m.obj", text, strlen(text)), &def, &report, &error);
}

#define CHECK_LOADED(text, mend) CHECK_TEXT(load(&mesh, text, mend) == PRC_OK ? "read" : error.message, "read")

/* Two triangles between four corners; the rest of a test is added. */
#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"

TEST(a_sound_mesh_is_left_alone)
{
    prc_mesh mesh;
    CHECK_LOADED(SQUARE, true);
    CHECK(report.note_count == 0 && !mesh.numbers && has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    prc_mesh_release(&mesh);
}

TEST(triangles_that_repeat_a_vertex_and_duplicates_are_removed)
{
    prc_mesh mesh;
    CHECK_LOADED(SQUARE "f 1 1 2\nf 3 1 2\nf 3 4 3\nf 2 3 1\n", true);
    CHECK(has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    CHECK(report.note_count == 2 && !strcmp(report.notes[0], "2 triangles that name a vertex twice removed"));
    CHECK(!strcmp(report.notes[1], "2 duplicate triangles removed"));
    prc_mesh_release(&mesh);
}

/* Which of the two sides is meant cannot be known. */
TEST(a_triangle_with_its_back_is_no_exact_duplicate)
{
    prc_mesh mesh;
    CHECK_LOADED(SQUARE "f 1 3 2\n", true);
    CHECK(mesh.triangle_count == 3 && report.note_count == 0);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "triangle 2 has the same vertices as triangle 0");
    prc_mesh_release(&mesh);
}

TEST(the_minority_of_each_component_is_turned_over)
{
    prc_mesh mesh;
    /* Three triangles of which the first faces down, and two of which the second does: a tie goes to the first. */
    CHECK_LOADED("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nf 1 3 2\nf 1 3 4\nf 2 5 3\n"
                 "v 9 0 0\nv 10 0 0\nv 10 1 0\nv 9 1 0\nf 6 7 8\nf 6 9 8\n",
                 true);
    CHECK(has_triangles(&mesh, 5, (int[]){0, 1, 2, 0, 2, 3, 1, 4, 2, 5, 6, 7, 5, 7, 8}));
    CHECK(report.note_count == 1);
    CHECK(!strcmp(report.notes[0], "2 of 5 triangles flipped, to face as most of their neighbours do"));
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

TEST(a_sphere_with_turned_triangles_faces_one_way_again)
{
    prc_mesh mesh, before;
    CHECK(prc_mesh_sphere(&before, 1, 3, &error) == PRC_OK && prc_mesh_copy(&mesh, &before, &error) == PRC_OK);
    for (int t = 0; t < mesh.triangle_count; t += 3) {
        const int swap = mesh.triangles[3 * t];
        mesh.triangles[3 * t] = mesh.triangles[3 * t + 1];
        mesh.triangles[3 * t + 1] = swap;
    }
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK(prc_mesh_mend(&mesh, NULL, &error) == PRC_OK && prc_mesh_check(&mesh, &error) == PRC_OK);
    double volume = 0;
    for (int t = 0; t < mesh.triangle_count; t++) {
        const double *a = mesh.positions + 3 * mesh.triangles[3 * t],
                     *b = mesh.positions + 3 * mesh.triangles[3 * t + 1],
                     *c = mesh.positions + 3 * mesh.triangles[3 * t + 2];
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0])) /
                  6;
    }
    CHECK_NEAR(volume, 4.18879, 0.06);
    prc_mesh_release(&mesh);
    prc_mesh_release(&before);
}

/* A strip of five quadrilaterals whose ends are joined with a half turn. */
TEST(a_moebius_strip_is_refused_and_not_turned)
{
    char text[2000] = "";
    int size = 0;
    for (int i = 0; i < 5; i++)
        for (int side = -1; side <= 1; side += 2) {
            const double a = 6.283185307179586 * i / 5, r = 1 + 0.3 * side * cos(a / 2);
            size += sprintf(text + size, "v %g %g %g\n", r * cos(a), r * sin(a), 0.3 * side * sin(a / 2));
        }
    for (int i = 0; i < 5; i++) {
        const int a = 2 * i + 1, b = a + 1, c = i < 4 ? a + 2 : 2, d = i < 4 ? a + 3 : 1;
        size += sprintf(text + size, "f %d %d %d\nf %d %d %d\n", a, c, b, b, c, d);
    }
    prc_mesh mesh;
    CHECK_LOADED(text, true);
    CHECK(report.note_count == 0);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "face opposite sides (1 such edges in total)");
    prc_mesh_release(&mesh);
}

TEST(isolated_vertices_go_and_the_others_keep_their_numbers)
{
    prc_mesh mesh;
    CHECK_LOADED("v 7 7 7\nv 0 0 0\nv 1 0 0\nv 8 8 8\nv 1 1 0\nv 9 9 9\nvt 0 0\nvt 1 0\nvt 1 1\ng a\nf 2/1 3/2 5/3\n"
                 "stitch 1 2 4 0.5\nstitch 1 2 3 0.5\n",
                 true);
    CHECK(mesh.vertex_count == 3 && has_triangles(&mesh, 1, (int[]){0, 1, 2}));
    CHECK(mesh.positions[3] == 1 && mesh.texture && mesh.texture[5] == 1);
    CHECK(mesh.numbers && mesh.numbers[0] == 1 && mesh.numbers[1] == 2 && mesh.numbers[2] == 4);
    CHECK(prc_mesh_find(&mesh, 4) == 2 && prc_mesh_find(&mesh, 3) == -1 && prc_mesh_find(&mesh, 0) == -1 &&
          prc_mesh_find(&mesh, 1000) == -1);
    CHECK(group_is(&mesh, "a", 3, (int[]){0, 1, 2}));
    CHECK(mesh.stitch_count == 1 && mesh.stitches[0].vertex == 0 && mesh.stitches[0].edge[1] == 2);
    CHECK(report.note_count == 2 && !strcmp(report.notes[0], "3 isolated vertices removed"));
    CHECK(!strcmp(report.notes[1], "1 stitch of isolated vertices removed"));
    prc_mesh copy;
    CHECK(prc_mesh_copy(&copy, &mesh, &error) == PRC_OK && copy.numbers && copy.numbers[2] == 4);
    prc_mesh_release(&copy);
    prc_mesh_release(&mesh);
}

TEST(a_check_names_vertices_by_their_numbers_in_the_file)
{
    prc_mesh mesh;
    CHECK_LOADED("v 7 7 7\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 -1\nf 2 3 4\nf 3 2 5\nf 2 3 6\n", true);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message,
               "edge 1-2 is shared by 3 triangles; at most 2 are allowed (1 such edges in total); at (0.5, 0, 0)");
    prc_mesh_release(&mesh);
}

TEST(a_check_tells_the_first_places_and_what_is_wrong_besides)
{
    prc_mesh mesh;
    CHECK_LOADED("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 0 5 0\nv 1 5 0\nv 2 5 0\nv 3 5 0\nv 9 9 9\nv 9 9 8\n"
                 "f 1 2 3\nf 2 3 4\nf 5 6 7\nf 6 7 8\n",
                 false);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
    CHECK(!strcmp(
        error.message,
        "mesh: triangle 0 (vertices 0, 1, 2) is degenerate: it has zero area (4 in total); at (1, 0, 0), 1-2-3 "
        "at (2, 0, 0), 4-5-6 at (1, 5, 0) …; besides 2 edges with inconsistent orientation, 2 isolated vertices"));
    prc_mesh_problems problems;
    CHECK(prc_mesh_examine(&mesh, &problems, &error) == PRC_OK);
    CHECK(problems.count == 8 && problems.counts[PRC_FAULT_FLAT] == 4 && problems.counts[PRC_FAULT_ISOLATED] == 2);
    CHECK(problems.items[7].kind == PRC_FAULT_ISOLATED && problems.items[7].vertices[0] == 9);
    prc_mesh_problems_release(&problems);
    prc_mesh_release(&mesh);
}

TEST(what_needs_a_decision_is_not_mended)
{
    static const char *const texts[] = {
        "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",                               /* no area */
        SQUARE "v 1 0 1\nf 3 1 5\n",                                          /* three at an edge */
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv -1 0 0\nv -1 -1 0\nf 1 2 3\nf 1 4 5\n", /* pinched */
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 1 2\nf 1 2 2\n",                      /* nothing left */
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        prc_mesh mesh;
        CHECK_LOADED(texts[k], true);
        CHECK(report.note_count == 0 && !mesh.numbers);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_ERROR_INPUT);
        prc_mesh_release(&mesh);
    }
}

TEST(a_mesh_with_corners_that_do_not_exist_is_left_to_the_check)
{
    double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int triangles[6] = {0, 1, 2, 0, 1, -7};
    prc_mesh mesh = {.vertex_count = 3, .triangle_count = 2, .positions = positions, .triangles = triangles};
    CHECK(prc_mesh_mend(&mesh, &report, &error) == PRC_OK && mesh.triangle_count == 2);
    prc_mesh_problems problems;
    CHECK(prc_mesh_examine(&mesh, &problems, &error) == PRC_OK && problems.counts[PRC_FAULT_INDEX] == 1);
    CHECK(prc_problems_write(path_to("p.ply"), &mesh, &problems, &error) == PRC_ERROR_INPUT);
    prc_mesh_problems_release(&problems);
}

TEST(a_range_of_vertices_takes_its_groups_properties_and_stitches_along)
{
    prc_mesh mesh;
    const prc_mesh_file_def def = {.vertices = {3, 3}};
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\ng a\nf 1 2 3\ng b\nf 4 5 6\n"
                        "stitch 3 4 5 0\nstitch 0 4 5 0\n";
    CHECK(prc_mesh_load(&mesh, put_bytes("r.obj", text, strlen(text)), &def, &report, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 3 && has_triangles(&mesh, 1, (int[]){0, 1, 2}) && mesh.positions[0] == 5);
    CHECK(mesh.group_count == 1 && group_is(&mesh, "b", 3, (int[]){0, 1, 2}));
    CHECK(mesh.stitch_count == 1 && mesh.stitches[0].vertex == 0 && mesh.stitches[0].edge[0] == 1);
    prc_mesh_release(&mesh);
    const prc_mesh_file_def cut = {.vertices = {1, 4}}, beyond = {.vertices = {4, 3}};
    CHECK(prc_mesh_load(&mesh, path_to("r.obj"), &cut, &report, &error) == PRC_ERROR_INPUT && !mesh.positions);
    CHECK_TEXT(error.message, "triangle 0 has corners inside and outside the 4 vertices from number 1");
    CHECK(prc_mesh_load(&mesh, path_to("r.obj"), &beyond, &report, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "3 vertices from number 4; the file has 6");
}

TEST(the_picture_shows_every_kind_and_can_be_read)
{
    static const char *const texts[] = {
        SQUARE "v 1 0 1\nf 3 1 5\nv 8 8 8\n",                                 /* three triangles and an edge */
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv -1 0 0\nv -1 -1 0\nf 1 2 3\nf 1 4 5\n", /* two triangles */
        SQUARE "f 1 3 2\n",                                                   /* a triangle */
        "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 2 1 0\nf 1 2 3\nf 2 3 4\n",             /* two triangles and an edge */
    };
    static const int faces[] = {3 + 3, 2 + 2, 3 + 1, 2 + 2}, vertices[] = {6 + 9 + 2 + 1, 5 + 6, 4 + 3, 4 + 6 + 2};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        prc_mesh mesh, picture;
        prc_mesh_problems problems;
        CHECK_LOADED(texts[k], false);
        CHECK(prc_mesh_examine(&mesh, &problems, &error) == PRC_OK && problems.count > 0);
        CHECK(prc_problems_write(path_to("p.ply"), &mesh, &problems, &error) == PRC_OK);
        CHECK(prc_mesh_read(&picture, path_to("p.ply"), &error) == PRC_OK);
        CHECK(picture.triangle_count == faces[k] && picture.vertex_count == vertices[k]);
        CHECK(property_of(&picture, "red")[0] == 190);
        CHECK(prc_problems_write(path_to("none/p.ply"), &mesh, &problems, &error) == PRC_ERROR_IO);
        prc_mesh_problems_release(&problems);
        prc_mesh_release(&picture);
        prc_mesh_release(&mesh);
    }
}

/* ---- out of memory ---- */

/* All kinds to mend at once. What fails leaves the mesh as it was. */
TEST(mending_without_memory_changes_nothing)
{
    prc_mesh mesh;
    CHECK_LOADED(SQUARE "v 3 3 3\nf 1 1 2\nf 2 3 1\nv 2 0 0\nf 2 3 6\n", false);
    const int before = mesh.triangle_count;
    prc_result result = PRC_ERROR_MEMORY;
    int failures = 0;
    for (int limit = 0; limit < 50 && result; limit++, failures += result != PRC_OK) {
        prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
        allocations_left = limit;
        result = prc_mesh_mend(&mesh, &report, &error);
        prc_set_allocator((prc_allocator){NULL, NULL, NULL});
        CHECK(result == PRC_OK || (mesh.triangle_count == before && mesh.vertex_count == 6 && !mesh.numbers));
    }
    CHECK(result == PRC_OK && failures >= 5 && mesh.triangle_count == 3 && mesh.vertex_count == 5);
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

TEST_MAIN()
