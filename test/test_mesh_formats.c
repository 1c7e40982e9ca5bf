/* test/test_mesh_formats.c — OBJ with groups, seams and polygons; STL, MSH and VTK in every variant; writing and
 * reading back; files that are damaged or cut off. SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"
#include "limited_memory.h"
#include "mesh_files.h"

#include "base/memory.h"
#include "io/file.h"
#include "io/mesh_file.h"

static prc_error error;

static prc_result read_text(prc_mesh *mesh, const char *name, const char *text)
{
    error = (prc_error){0};
    return prc_mesh_read(mesh, put_bytes(name, text, strlen(text)), &error);
}

static prc_result read_bytes(prc_mesh *mesh, const char *name, const bytes *b)
{
    error = (prc_error){0};
    return prc_mesh_read(mesh, put_bytes(name, b->data, b->size), &error);
}

#define CHECK_READ(result) CHECK_TEXT((result) == PRC_OK ? "read" : error.message, "read")

/* ---- polygons ---- */

/* Twice the signed area of the triangles in the x–y plane, and whether all of them are positive. */
static double flat_area(const prc_mesh *mesh, bool *positive)
{
    double sum = 0;
    *positive = true;
    for (int t = 0; t < mesh->triangle_count; t++) {
        const double *a = mesh->positions + 3 * mesh->triangles[3 * t],
                     *b = mesh->positions + 3 * mesh->triangles[3 * t + 1],
                     *c = mesh->positions + 3 * mesh->triangles[3 * t + 2];
        const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        *positive = *positive && area > 0;
        sum += area;
    }
    return sum;
}

TEST(concave_polygons_are_cut_inside_and_without_overlap)
{
    static const struct {
        const char *text;
        double area; /* doubled */
        int triangles;
    } shapes[] = {
        {"v 0 0 0\nv 2 2 0\nv 0 1 0\nv -2 2 0\nf 1 2 3 4\n", 4, 2},                       /* an arrow head */
        {"v 0 0 0\nv 3 0 0\nv 3 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6\n", 10, 4}, /* an L */
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nf 1 2 3 4 5\n", 8, 3},             /* a corner on a side */
        {"v 0 0 0\nv 4 0 0\nv 4 4 0\nv 3 4 0\nv 3 1 0\nv 1 1 0\nv 1 4 0\nv 0 4 0\nf 1 2 3 4 5 6 7 8\n", 20,
         6}, /* a U */
        {"v 0 0 0\nv 3 0 0\nv 3 3 0\nv 0 3 0\nv 1 1 0\nv 1 2 0\nv 2 2 0\nv 2 1 0\n"
         "f 1 2 3 4 1 5 6 7 8 5\n",
         16, 8}, /* a frame, cut from its outside to its hole */
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        prc_mesh mesh;
        bool positive;
        CHECK_READ(read_text(&mesh, "p.obj", shapes[k].text));
        CHECK_NEAR(flat_area(&mesh, &positive), shapes[k].area, 1e-12);
        CHECK(positive && mesh.triangle_count == shapes[k].triangles);
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        prc_mesh_release(&mesh);
    }
}

TEST(a_star_of_a_thousand_corners_is_cut_and_one_of_more_is_refused)
{
    static char text[100000];
    for (int corners = 1000; corners <= 2000; corners += 1000) {
        int size = 0;
        for (int k = 0; k < corners; k++) {
            const double angle = 6.283185307179586 * k / corners, r = k % 2 ? 1 : 0.9;
            size += sprintf(text + size, "v %.9f %.9f 0\n", r * cos(angle), r * sin(angle));
        }
        size += sprintf(text + size, "f");
        for (int k = 0; k < corners; k++)
            size += sprintf(text + size, " %d", k + 1);
        prc_mesh mesh;
        bool positive;
        const prc_result result = read_text(&mesh, "star.obj", text);
        if (corners == 1000) {
            CHECK_READ(result);
            CHECK_NEAR(flat_area(&mesh, &positive), 1000 * 0.9 * sin(6.283185307179586 / 1000), 1e-6);
            CHECK(positive);
        } else {
            CHECK(result == PRC_ERROR_INPUT);
            CHECK_TEXT(error.message, "face 0 has 2000 corners and is not convex; such faces may have at most 1024");
        }
        prc_mesh_release(&mesh);
    }
}

/* A polygon that crosses itself has no good cut; it must not hang or lose triangles. */
TEST(polygons_that_cross_themselves_or_have_no_area_get_their_triangles)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "p.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\nf 1 1 1 1 1\n"));
    CHECK(mesh.triangle_count == 5);
    prc_mesh_release(&mesh);
}

/* ---- OBJ ---- */

TEST(obj_groups_objects_and_materials_are_groups_of_vertices)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "g.obj",
                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 2 2 0\nf 1 2 3\ng front cloth\nusemtl red silk \n"
                         "f 2 4 3\no shirt\ng cloth # a comment\nl 1 2\nf 4 5 3\ng\nusemtl\no\nf 1 3 5\n"));
    CHECK(mesh.group_count == 4);
    CHECK(group_is(&mesh, "front", 3, (int[]){1, 2, 3}));
    CHECK(group_is(&mesh, "cloth", 4, (int[]){1, 2, 3, 4}));
    CHECK(group_is(&mesh, "red silk", 4, (int[]){1, 2, 3, 4}));
    CHECK(group_is(&mesh, "shirt", 3, (int[]){2, 3, 4}));
    prc_mesh_release(&mesh);
}

TEST(names_of_groups_end_at_a_zero_byte)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl a\0bcd\nf 1 2 3\nusemtl a\0b\nf 3 2 1\nusemtl a\n";
    prc_mesh mesh;
    CHECK_READ(prc_mesh_read(&mesh, put_bytes("z.obj", text, sizeof text - 1), &error));
    CHECK(mesh.group_count == 1 && group_is(&mesh, "a", 3, (int[]){0, 1, 2}));
    prc_mesh_release(&mesh);
}

TEST(obj_lines_may_be_continued_and_are_still_counted)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "c.obj", "v 0 0 \\\n 0\nv 1 0 0\nv 0 1 0\nf 1 \\\r\n 2 \\\n 3\n"));
    CHECK(has_triangles(&mesh, 1, (int[]){0, 1, 2}));
    prc_mesh_release(&mesh);
    CHECK(read_text(&mesh, "c.obj", "v 0 0 \\\n 0\nv 1 0 0\nv 0 x 0\n") == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "c.obj:4: found 'x'");
}

TEST(obj_stitches_count_vertices_from_zero)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "s.obj",
                         "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
                         "seam 1\nstitch 0 1 3 0.25\nseam 2\nstitch 3 0 1 1\nstitch 2 0 1 0\n"));
    CHECK(mesh.stitch_count == 3);
    CHECK(mesh.stitches[0].vertex == 0 && mesh.stitches[0].edge[0] == 1 && mesh.stitches[0].edge[1] == 3);
    CHECK(mesh.stitches[0].at == 0.25 && mesh.stitches[0].seam == 0 && mesh.stitches[2].seam == 1);
    prc_mesh_release(&mesh);
}

#define CUBE_STRIP                                                                                                     \
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nvt 5 0\nvt 5 1\n"                             \
    "g a\nf 1/1 2/2 3/3\ng b\nf 1/5 3/3 4/6\nf 1/5 4/6 3/3\n"

TEST(texture_seams_are_noticed_and_split_when_asked)
{
    prc_mesh mesh;
    prc_mesh_report report;
    prc_mesh_file_def def = {.split_texture = false};
    const char *path = put_bytes("t.obj", CUBE_STRIP, strlen(CUBE_STRIP));
    CHECK_READ(prc_mesh_load(&mesh, path, &def, &report, &error));
    CHECK(!mesh.texture && !mesh.numbers && mesh.vertex_count == 4);
    CHECK(report.torn_vertices == 1 && report.first_torn == 0);
    prc_mesh_release(&mesh);

    def.split_texture = true;
    CHECK_READ(prc_mesh_load(&mesh, path, &def, &report, &error));
    CHECK(mesh.vertex_count == 5 && mesh.texture && mesh.numbers && !report.torn_vertices);
    CHECK(mesh.numbers[3] == 3 && mesh.numbers[4] == 0);
    CHECK(mesh.texture[0] == 0 && mesh.texture[8] == 5 && mesh.texture[9] == 0);
    CHECK(memcmp(mesh.positions, mesh.positions + 12, 3 * sizeof(double)) == 0);
    CHECK(has_triangles(&mesh, 3, (int[]){0, 1, 2, 4, 2, 3, 4, 3, 2}));
    CHECK(group_is(&mesh, "b", 3, (int[]){2, 3, 4}));
    prc_mesh_release(&mesh);
}

/* ---- PLY ---- */

TEST(ply_numbers_of_vertices_become_properties)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "p.ply",
                         "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n"
                         "property float y\nproperty float z\nproperty uchar red\n"
                         "property double weight\nproperty uchar obstacle\n"
                         "property list uchar int near\nelement face 1\n"
                         "property list uchar int vertex_indices\nproperty int flag\nend_header\n"
                         "0 0 0 255 0.5 0 0\n1 0 0 0 nan 1 1 7\n0 1 0 1 -2.5 1 0\n3 0 1 2 9\n"));
    CHECK(mesh.property_count == 3);
    const double *weight = property_of(&mesh, "weight"), *red = property_of(&mesh, "red");
    CHECK(weight && weight[0] == 0.5 && isnan(weight[1]) && weight[2] == -2.5);
    CHECK(red && red[0] == 255 && red[2] == 1);
    CHECK(property_of(&mesh, "obstacle")[1] == 1 && !property_of(&mesh, "near") && !property_of(&mesh, "flag"));
    prc_mesh_release(&mesh);
}

/* ---- STL ---- */

#define STL_SQUARE                                                                                                     \
    "solid flat sheet\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 1 1 0\n"         \
    "  endloop\n endfacet\n facet normal nan -nan 1\n  outer loop\n   vertex -0 0 0\n   vertex 1 1 0\n"                \
    "   vertex 0 1 0\n  endloop\n endfacet\nendsolid flat sheet\n"

TEST(ascii_stl_is_welded_by_place)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "a.stl", STL_SQUARE "SOLID\nendsolid\n"));
    CHECK(mesh.vertex_count == 4 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    CHECK(mesh.group_count == 1 && group_is(&mesh, "flat sheet", 4, (int[]){0, 1, 2, 3}));
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

static bytes binary_stl(const char *header)
{
    static const double corners[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}, {1, 1, 0}, {0, 1, 0.25}};
    bytes b = {.order = LITTLE};
    memcpy(b.data, header, strlen(header));
    b.size = 80;
    put_int(&b, 2);
    for (int t = 0; t < 2; t++) {
        for (int k = 0; k < 3; k++)
            put_single(&b, k == 2);
        for (int k = 0; k < 9; k++)
            put_single(&b, corners[3 * t + k / 3][k % 3]);
        put_raw(&b, &(uint16_t){7}, 2);
    }
    return b;
}

TEST(binary_stl_is_told_by_its_size_even_where_it_says_solid)
{
    static const char *const headers[] = {"made by hand", "solid of another kind"};
    for (int k = 0; k < 2; k++) {
        bytes b = binary_stl(headers[k]);
        prc_mesh mesh;
        CHECK_READ(read_bytes(&mesh, "b.stl", &b));
        CHECK(mesh.vertex_count == 4 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
        CHECK(mesh.positions[11] == 0.25 && mesh.group_count == 0);
        prc_mesh_release(&mesh);
    }
}

/* ---- MSH ---- */

static const double msh_nodes[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {0.5, 0.5, 9}};

static void end_line(bytes *b)
{
    if (b->order == AS_TEXT)
        put_words(b, "\n");
}

static void put_format(bytes *b, const char *version)
{
    const byte_order order = b->order;
    put_words(b, "$MeshFormat\n%s %d 8\n", version, order != AS_TEXT);
    if (order != AS_TEXT) {
        put_int(b, 1);
        put_words(b, "\n");
    }
    put_words(b, "$EndMeshFormat\n$PhysicalNames\n2\n2 5 \"front panel\"\n1 3 \"hem\"\n$EndPhysicalNames\n"
                 "$Comments\n$ anything\n$EndComments\n");
}

/* A quadrilateral (group 5), a triangle of no group, one of group 6, a line of group 3, a tetrahedron; node 60 lies
 * alone, and tags have gaps. */
static bytes msh_old(byte_order order)
{
    static const int elements[5][8] = {
        {3, 5, 10, 20, 30, 40}, {2, 0, 20, 50, 30}, {2, 6, 10, 30, 50}, {1, 3, 20, 50}, {4, 5, 10, 20, 30, 60}};
    static const int nodes[] = {0, 2, 3, 4, 4};
    bytes b = {.order = order};
    put_format(&b, "2.2");
    put_words(&b, "$Nodes\n6\n");
    for (int i = 0; i < 6; i++) {
        put_int(&b, 10 * (i + 1));
        for (int k = 0; k < 3; k++)
            put_real(&b, msh_nodes[i][k]);
        end_line(&b);
    }
    put_words(&b, "\n$EndNodes\n$Elements\n5\n");
    for (int e = 0; e < 5; e++) {
        const int type = elements[e][0];
        if (order == AS_TEXT) {
            put_words(&b, "%d %d 2 ", e + 1, type);
        } else {
            put_int(&b, type);
            put_int(&b, 1);
            put_int(&b, 2);
            put_int(&b, e + 1);
        }
        put_int(&b, elements[e][1]);
        put_int(&b, 77); /* the elementary entity */
        for (int k = 0; k < nodes[type]; k++)
            put_int(&b, elements[e][2 + k]);
        end_line(&b);
    }
    put_words(&b, "\n$EndElements\n");
    return b;
}

static void put_entity(bytes *b, int tag, int reals, int physical, int bounds)
{
    put_int(b, tag);
    for (int k = 0; k < reals; k++)
        put_real(b, 0.5 * k);
    put_wide(b, physical ? 1 : 0);
    if (physical)
        put_int(b, physical);
    if (reals == 6)
        put_wide(b, bounds);
    for (int k = 0; reals == 6 && k < bounds; k++)
        put_int(b, k);
    end_line(b);
}

static void put_elements(bytes *b, int dimension, int entity, int type, int count, int nodes, const int *tags)
{
    put_int(b, dimension);
    put_int(b, entity);
    put_int(b, type);
    put_wide(b, count);
    for (int e = 0; e < count; e++) {
        put_wide(b, 100 + e);
        for (int k = 0; k < nodes; k++)
            put_wide(b, tags[e * nodes + k]);
        end_line(b);
    }
}

static bytes msh_new(byte_order order)
{
    bytes b = {.order = order};
    put_format(&b, "4.1");
    put_words(&b, "$Entities\n");
    for (int d = 0; d < 4; d++)
        put_wide(&b, (int[]){1, 1, 3, 0}[d]);
    put_entity(&b, 1, 3, 0, 0);
    put_entity(&b, 1, 6, 3, 2);
    put_entity(&b, 1, 6, 5, 1);
    put_entity(&b, 2, 6, 0, 1);
    put_entity(&b, 3, 6, -6, 0);
    put_words(&b, "\n$EndEntities\n$Nodes\n");
    for (int k = 0; k < 4; k++)
        put_wide(&b, (int[]){2, 6, 10, 60}[k]);
    for (int block = 0; block < 2; block++) {
        const int first = block ? 4 : 0, last = block ? 6 : 4;
        put_int(&b, block ? 1 : 2);
        put_int(&b, 1);
        put_int(&b, block); /* the second has parameters */
        put_wide(&b, last - first);
        for (int i = first; i < last; i++)
            put_wide(&b, 10 * (i + 1));
        for (int i = first; i < last; i++) {
            for (int k = 0; k < 3; k++)
                put_real(&b, msh_nodes[i][k]);
            if (block)
                put_real(&b, 0.125);
            end_line(&b);
        }
    }
    put_words(&b, "\n$EndNodes\n$Elements\n");
    for (int k = 0; k < 4; k++)
        put_wide(&b, (int[]){5, 5, 1, 5}[k]);
    put_elements(&b, 2, 1, 3, 1, 4, (int[]){10, 20, 30, 40});
    put_elements(&b, 2, 2, 2, 1, 3, (int[]){20, 50, 30});
    put_elements(&b, 2, 3, 2, 1, 3, (int[]){10, 30, 50});
    put_elements(&b, 1, 1, 1, 1, 2, (int[]){20, 50});
    put_elements(&b, 3, 1, 4, 1, 4, (int[]){10, 20, 30, 60});
    put_words(&b, "\n$EndElements\n");
    return b;
}

TEST(msh_of_both_versions_is_read_as_text_and_in_both_byte_orders)
{
    for (int version = 0; version < 2; version++)
        for (byte_order order = AS_TEXT; order <= BIG; order++) {
            bytes b = version ? msh_new(order) : msh_old(order);
            prc_mesh mesh;
            prc_mesh_report report;
            const prc_mesh_file_def def = {.mend = false};
            CHECK_READ(prc_mesh_load(&mesh, put_bytes("m.msh", b.data, b.size), &def, &report, &error));
            CHECK(mesh.vertex_count == 6 && memcmp(mesh.positions, msh_nodes, sizeof msh_nodes) == 0);
            CHECK(has_triangles(&mesh, 4, (int[]){0, 1, 2, 0, 2, 3, 1, 4, 2, 0, 2, 4}));
            CHECK(mesh.group_count == 3 && group_is(&mesh, "front panel", 4, (int[]){0, 1, 2, 3}));
            CHECK(group_is(&mesh, "hem", 2, (int[]){1, 4}) && group_is(&mesh, "surface_6", 3, (int[]){0, 2, 4}));
            CHECK(report.note_count == 2);
            CHECK_TEXT(report.notes[0], "1 lines skipped");
            CHECK_TEXT(report.notes[1], "1 solids skipped");
            prc_mesh_release(&mesh);
        }
}

TEST(msh_faces_of_higher_order_keep_their_corners)
{
    prc_mesh mesh;
    CHECK_READ(read_text(&mesh, "h.msh",
                         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 .5 0 0\n"
                         "5 .5 .5 0\n6 0 .5 0\n$EndNodes\n$Elements\n1\n1 9 2 0 1 1 2 3 4 5 6\n$EndElements\n"));
    CHECK(has_triangles(&mesh, 1, (int[]){0, 1, 2}) && mesh.vertex_count == 6);
    prc_mesh_release(&mesh);
}

/* ---- VTK ---- */

static const double vtk_points[6][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0.5}};

static bytes vtk_begin(byte_order order, const char *version, const char *dataset, bool single)
{
    bytes b = {.order = order};
    put_words(&b, "# vtk DataFile Version %s\na title\n%s\nDATASET %s\nPOINTS 6 %s\n", version,
              order == AS_TEXT ? "ASCII" : "BINARY", dataset, single ? "float" : "double");
    for (int k = 0; k < 18; k++)
        (single ? put_single : put_real)(&b, vtk_points[k / 3][k % 3]);
    put_words(&b, "\n");
    return b;
}

static void put_ints(bytes *b, int count, const int *values)
{
    for (int k = 0; k < count; k++)
        put_int(b, values[k]);
    put_words(b, "\n");
}

/* Data of cells, then of points: what is kept stands between what is not. */
static void put_data(bytes *b)
{
    put_words(b, "CELL_DATA 2\nSCALARS id int 1\nLOOKUP_TABLE default\n");
    put_ints(b, 2, (int[]){7, 8});
    put_words(b, "POINT_DATA 6\nVECTORS wind double\n");
    for (int k = 0; k < 18; k++)
        put_real(b, k);
    put_words(b, "\nMETADATA\nINFORMATION 0\n\nSCALARS weight float\nLOOKUP_TABLE default\n");
    for (int k = 0; k < 6; k++)
        put_single(b, 0.5 * k);
    put_words(b, "\nTEXTURE_COORDINATES uv 2 double\n");
    for (int k = 0; k < 12; k++)
        put_real(b, 0.25 * k);
    put_words(b, "\nFIELD more 2\nlevel 1 6 int\n");
    put_ints(b, 6, (int[]){-1, 2, 3, 4, 5, 6});
    put_words(b, "pairs 2 6 int\n");
    put_ints(b, 12, (int[]){0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

static bool has_vtk_data(const prc_mesh *mesh)
{
    const double *weight = property_of(mesh, "weight"), *level = property_of(mesh, "level");
    return mesh->property_count == 2 && weight && weight[5] == 2.5 && level && level[0] == -1 && level[5] == 6 &&
           mesh->texture && mesh->texture[11] == 2.75;
}

TEST(vtk_polydata_is_read_as_text_and_bytes)
{
    for (int k = 0; k < 4; k++) {
        bytes b = vtk_begin(k % 2 ? BIG : AS_TEXT, "3.0", "POLYDATA", k / 2);
        put_words(&b, "VERTICES 1 2\n");
        put_ints(&b, 2, (int[]){1, 0});
        put_words(&b, "POLYGONS 1 5\n");
        put_ints(&b, 5, (int[]){4, 0, 1, 2, 3});
        put_words(&b, "TRIANGLE_STRIPS 1 5\n");
        put_ints(&b, 5, (int[]){4, 1, 4, 2, 5});
        put_data(&b);
        prc_mesh mesh;
        CHECK_READ(read_bytes(&mesh, "a.vtk", &b));
        CHECK(mesh.vertex_count == 6 && memcmp(mesh.positions, vtk_points, sizeof vtk_points) == 0);
        CHECK(has_triangles(&mesh, 4, (int[]){0, 1, 2, 0, 2, 3, 1, 4, 2, 4, 5, 2}));
        CHECK(has_vtk_data(&mesh));
        CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
        prc_mesh_release(&mesh);
    }
}

TEST(vtk_grids_are_read_in_both_layouts)
{
    for (int k = 0; k < 4; k++) {
        bytes b = vtk_begin(k % 2 ? BIG : AS_TEXT, k / 2 ? "5.1" : "4.2", "UNSTRUCTURED_GRID", false);
        if (k / 2) {
            put_words(&b, "CELLS 4 9\nOFFSETS vtktypeint64\n");
            for (int n = 0; n < 4; n++)
                put_wide(&b, (int[]){0, 4, 7, 9}[n]);
            put_words(&b, "\nCONNECTIVITY vtktypeint64\n");
            for (int n = 0; n < 9; n++)
                put_wide(&b, (int[]){0, 1, 3, 2, 1, 4, 2, 0, 1}[n]);
            put_words(&b, "\n");
        } else {
            put_words(&b, "CELLS 3 12\n");
            put_ints(&b, 12, (int[]){4, 0, 1, 3, 2, 3, 1, 4, 2, 2, 0, 1});
        }
        put_words(&b, "CELL_TYPES 3\n");
        put_ints(&b, 3, (int[]){8, 5, 3}); /* a pixel, a triangle, a line */
        put_data(&b);
        prc_mesh mesh;
        prc_mesh_report report;
        const prc_mesh_file_def def = {.mend = false};
        CHECK_READ(prc_mesh_load(&mesh, put_bytes("g.vtk", b.data, b.size), &def, &report, &error));
        CHECK(has_triangles(&mesh, 3, (int[]){0, 1, 2, 0, 2, 3, 1, 4, 2}) && has_vtk_data(&mesh));
        CHECK(report.note_count == 1);
        CHECK_TEXT(report.notes[0], "1 cells that are not polygons skipped");
        prc_mesh_release(&mesh);
    }
}

/* ---- writing ---- */

static bool same_groups(const prc_mesh *a, const prc_mesh *b)
{
    bool same = a->group_count == b->group_count;
    for (int g = 0; g < a->group_count && same; g++)
        same = group_is(b, a->groups[g].name, a->groups[g].vertex_count, a->groups[g].vertices);
    return same;
}

static bool same_properties(const prc_mesh *a, const prc_mesh *b)
{
    bool same = a->property_count == b->property_count;
    for (int p = 0; p < a->property_count && same; p++) {
        const double *values = property_of(b, a->properties[p].name);
        same = values && !memcmp(values, a->properties[p].values, sizeof(double) * (size_t)a->vertex_count);
    }
    return same;
}

static bool same_stitches(const prc_mesh *a, const prc_mesh *b)
{
    bool same = a->stitch_count == b->stitch_count;
    for (int k = 0; k < a->stitch_count && same; k++) {
        const prc_mesh_stitch *p = &a->stitches[k], *q = &b->stitches[k];
        same = p->vertex == q->vertex && p->edge[0] == q->edge[0] && p->edge[1] == q->edge[1] && p->at == q->at &&
               p->seam == q->seam;
    }
    return same;
}

/* An L of two groups that overlap, with texture, a property and stitches. */
static prc_result make_rich(prc_mesh *mesh)
{
    prc_result result = read_text(
        mesh, "rich.obj",
        "v 0 0 0\nv 1 0 0.1\nv 1 1 0\nv 0 1 0.333333333333333333\nv 2 0 0\nvt 0 0\nvt .1 0\nvt 0.7 1\nvt 0 1\n"
        "vt 2 1e-9\ng all left\nf 1/1 2/2 3/3 4/4\ng all\nf 2/2 5/5 3/3\nseam 2\nstitch 0 1 2 0.1\n"
        "stitch 3 1 2 0.7\nseam 1\nstitch 4 0 3 1\n");
    mesh->properties = PRC_NEW(prc_mesh_property, 1);
    mesh->property_count = 1;
    mesh->properties[0].name = prc_string_copy("weight");
    mesh->properties[0].values = PRC_NEW(double, mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++)
        mesh->properties[0].values[i] = 1.0 / (i + 3);
    return result;
}

TEST(what_is_written_is_read_back_to_the_bit)
{
    static const struct {
        const char *name;
        bool texture, groups, properties, stitches;
    } formats[] = {
        {"w.obj", true, true, false, true}, {"w.ply", true, false, true, false}, {"w.vtk", true, false, true, false}};
    prc_mesh mesh, back;
    CHECK_READ(make_rich(&mesh));
    for (int k = 0; k < 3; k++) {
        CHECK(prc_mesh_write(&mesh, path_to(formats[k].name), &error) == PRC_OK);
        CHECK_READ(prc_mesh_read(&back, path_to(formats[k].name), &error));
        CHECK(back.vertex_count == 5 && has_triangles(&back, mesh.triangle_count, mesh.triangles));
        CHECK(memcmp(back.positions, mesh.positions, 15 * sizeof(double)) == 0);
        CHECK(!formats[k].texture || memcmp(back.texture, mesh.texture, 10 * sizeof(double)) == 0);
        CHECK(!formats[k].groups || same_groups(&mesh, &back));
        CHECK(!formats[k].properties || same_properties(&mesh, &back));
        CHECK(!formats[k].stitches || same_stitches(&mesh, &back));
        prc_mesh_release(&back);
    }
    prc_mesh_release(&mesh);
}

TEST(stl_is_read_back_in_single_precision_and_welded)
{
    prc_mesh mesh, back;
    CHECK(prc_mesh_sphere(&mesh, 0.7, 2, &error) == PRC_OK);
    CHECK(prc_mesh_write(&mesh, path_to("w.stl"), &error) == PRC_OK);
    CHECK_READ(prc_mesh_read(&back, path_to("w.stl"), &error));
    CHECK(back.vertex_count == mesh.vertex_count && back.triangle_count == mesh.triangle_count);
    for (int k = 0; k < 3 * back.triangle_count; k++)
        for (int c = 0; c < 3; c++)
            CHECK(back.positions[3 * back.triangles[k] + c] ==
                  (double)(float)mesh.positions[3 * mesh.triangles[k] + c]);
    CHECK(prc_mesh_check(&back, &error) == PRC_OK);
    prc_mesh_release(&back);
    prc_mesh_release(&mesh);
}

TEST(meshes_that_cannot_be_written_are_refused)
{
    prc_mesh mesh;
    CHECK(prc_mesh_sphere(&mesh, 1, 0, &error) == PRC_OK);
    CHECK(prc_mesh_write(&mesh, path_to("w.msh"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "a name ending in .obj, .ply, .stl or .vtk");
    CHECK(prc_mesh_write(&mesh, path_to("none/w.obj"), &error) == PRC_ERROR_IO);
    mesh.triangles[0] = 99;
    CHECK(prc_mesh_write(&mesh, path_to("w.obj"), NULL) == PRC_ERROR_INPUT);
    prc_mesh_release(&mesh);
}

/* ---- files that are damaged ---- */

typedef struct sample {
    const char *name;
    bytes file;
} sample;

static int make_samples(sample samples[12])
{
    static const char obj[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 2 0\nvt 2 3\ng a b\nf 1/1 2/2 3/3 4\n"
                              "o x\nf -4//1 -2 -1/1/7\nseam 1\nstitch 0 1 2 0.5\n";
    int count = 0;
    for (int order = AS_TEXT; order <= BIG; order++) {
        samples[count++] = (sample){"x.msh", msh_old((byte_order)order)};
        samples[count++] = (sample){"x.msh", msh_new((byte_order)order)};
    }
    for (int order = AS_TEXT; order <= BIG; order += BIG) {
        sample *s = &samples[count++];
        *s = (sample){"x.vtk", vtk_begin((byte_order)order, "3.0", "POLYDATA", true)};
        put_words(&s->file, "POLYGONS 1 5\n");
        put_ints(&s->file, 5, (int[]){4, 0, 1, 2, 3});
        put_data(&s->file);
    }
    samples[count++] = (sample){"x.stl", binary_stl("x")};
    samples[count].name = "x.stl";
    samples[count].file = (bytes){.size = 0};
    put_words(&samples[count++].file, "%s", STL_SQUARE);
    samples[count].name = "x.obj";
    samples[count].file = (bytes){.size = 0};
    put_words(&samples[count++].file, "%s", obj);
    return count;
}

/* Parses a copy of just this size, so that a sanitiser sees any byte too far. */
static prc_result parse(const char *name, const unsigned char *data, size_t size, prc_mesh *mesh)
{
    static prc_mesh_report report;
    char *copy = prc_alloc(size + 1, 1);
    report = (prc_mesh_report){0};
    error = (prc_error){0};
    memcpy(copy, data, size);
    const prc_mesh_source source = {name, copy, size, size % 2, &report, size % 3 == 0};
    const prc_result result = prc_mesh_parse(mesh, &source, &error);
    prc_free(copy);
    return result;
}

static bool answers(prc_result result, prc_mesh *mesh)
{
    bool good = result == PRC_OK || (result == PRC_ERROR_INPUT && error.message[0] && !mesh->positions &&
                                     !mesh->triangles && !mesh->groups && !mesh->properties && !mesh->stitches);
    for (int k = 0; mesh->triangles && k < 3 * mesh->triangle_count && good; k++)
        good = mesh->triangles[k] >= 0 && mesh->triangles[k] < mesh->vertex_count;
    prc_mesh_release(mesh);
    return good;
}

/* Whatever a byte becomes, and wherever the file ends, the reader answers: with a mesh or with a message. */
TEST(damaged_files_of_every_format_never_break_the_readers)
{
    static sample samples[12];
    const int count = make_samples(samples);
    for (int s = 0; s < count; s++) {
        const bytes *whole = &samples[s].file;
        prc_mesh mesh;
        CHECK_READ(parse(samples[s].name, whole->data, whole->size, &mesh));
        prc_mesh_release(&mesh);
        for (size_t size = 0; size < whole->size; size++)
            CHECK(answers(parse(samples[s].name, whole->data, size, &mesh), &mesh));
        for (unsigned round = 0; round < 3000; round++) {
            bytes b = *whole;
            uint32_t hash = (round + 1) * 2654435761u;
            for (int k = 0; k < 3; k++, hash = hash * 1664525u + 1013904223u)
                b.data[(hash >> 8) % b.size] =
                    k % 2 ? "0123456789-. \n"[(hash >> 20) % 14] : (unsigned char)(hash >> 24);
            CHECK(answers(parse(samples[s].name, b.data, b.size, &mesh), &mesh));
        }
    }
}

/* ---- out of memory ---- */

TEST(running_out_of_memory_is_reported_by_every_reader_and_writer)
{
    static sample samples[12];
    const int count = make_samples(samples);
    for (int s = 0; s < count; s++) {
        char path[500]; /* path_to forgets */
        snprintf(path, sizeof path, "%s", put_bytes(samples[s].name, samples[s].file.data, samples[s].file.size));
        int failures = 0;
        prc_result result = PRC_ERROR_MEMORY;
        for (int limit = 0; limit < 300 && result; limit++) {
            prc_mesh mesh = {0};
            prc_error found = {0};
            const prc_mesh_file_def def = {.split_texture = true, .mend = true};
            prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
            allocations_left = limit;
            result = prc_mesh_load(&mesh, path, &def, NULL, &found);
            if (!result)
                result = prc_mesh_write(&mesh, path_to("m.obj"), &found);
            failures += result == PRC_ERROR_MEMORY && found.code == PRC_ERROR_MEMORY;
            prc_mesh_release(&mesh);
            prc_set_allocator((prc_allocator){NULL, NULL, NULL});
            CHECK(result == PRC_OK || result == PRC_ERROR_MEMORY);
        }
        CHECK(result == PRC_OK && failures >= 8);
    }
}

/* ---- meshes made by others ---- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

/* Every edge that a stitch names is an edge of the mesh only if vertices are counted from 0. */
TEST(a_real_sewing_pattern_has_its_panels_and_seams)
{
    prc_mesh mesh, back;
    if (access(data_path("garments/dress_knife_stage.obj"), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    CHECK_READ(prc_mesh_read(&mesh, data_path("garments/dress_knife_stage.obj"), &error));
    CHECK(mesh.group_count == 14 && mesh.stitch_count == 851 && mesh.stitches[850].seam == 93);
    int members = 0, found = 0;
    for (int g = 0; g < 14; g++)
        members += mesh.groups[g].vertex_count;
    CHECK(members == 15656); /* no vertex is in two panels */
    for (int s = 0; s < mesh.stitch_count; s++) {
        const int *edge = mesh.stitches[s].edge;
        bool is_edge = false;
        for (int k = 0; k < 3 * mesh.triangle_count && !is_edge; k++) {
            const int a = mesh.triangles[k], b = mesh.triangles[k % 3 == 2 ? k - 2 : k + 1];
            is_edge = (a == edge[0] && b == edge[1]) || (a == edge[1] && b == edge[0]);
        }
        found += is_edge;
    }
    CHECK(found == 851);
    CHECK(prc_mesh_write(&mesh, path_to("dress.obj"), &error) == PRC_OK);
    CHECK_READ(prc_mesh_read(&back, path_to("dress.obj"), &error));
    CHECK(same_groups(&mesh, &back) && has_triangles(&back, mesh.triangle_count, mesh.triangles));
    CHECK(same_stitches(&mesh, &back));
    CHECK(!memcmp(back.positions, mesh.positions, 3 * sizeof(double) * 15656));
    prc_mesh_release(&mesh);
    prc_mesh_release(&back);
}

TEST_MAIN()
