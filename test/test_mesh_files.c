/* test/test_mesh_files.c — reading OBJ and PLY, writing PLY, and files that are written whole or not at all.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"

#include "test_folder.h"

#include "io/file.h"
#include "io/ply.h"

#include "base/memory.h"

#include <dirent.h>
#include <locale.h>
#include <percale/percale.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files of this program ---- */

static const char *put_text(const char *name, const char *text)
{
    return put_bytes(name, text, strlen(text));
}

static bool has_triangles(const prc_mesh *mesh, int count, const int *expected)
{
    return mesh->triangle_count == count && memcmp(mesh->triangles, expected, 3 * sizeof(int) * (size_t)count) == 0;
}

/* ---- OBJ ---- */

TEST(obj_cuts_polygons_into_fans_and_ignores_what_it_does_not_know)
{
    prc_mesh mesh;
    prc_error error;
    const char *path = put_text("a.obj", "# a comment\nmtllib x.mtl\no thing\ng panel # one\n"
                                         "v 0 0 0\nv 1 0 0 1.0\n  v 1 1 0 0.5 0.5 0.5\nv\t0 1 -2.5e-1\nv -1 .5 0\n"
                                         "vn 0 0 1\ns off\nusemtl m\nseam 1 2\nstitch 0 1 2 0.5\n"
                                         "f 1 2 3 4 5 # five\n\nl 1 2\n");
    CHECK(prc_mesh_read(&mesh, path, &error) == PRC_OK);
    CHECK(mesh.vertex_count == 5 && mesh.positions[11] == -0.25 && mesh.positions[12] == -1 && !mesh.texture);
    CHECK(has_triangles(&mesh, 3, (int[]){0, 1, 2, 0, 2, 3, 0, 3, 4}));
    CHECK(prc_mesh_check(&mesh, &error) == PRC_OK);
    prc_mesh_release(&mesh);
}

TEST(obj_understands_every_form_of_corner_and_windows_line_ends)
{
    prc_mesh mesh;
    const char *path =
        put_text("b.OBJ", "\xef\xbb\xbfv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nv 1 1 0\r\nvt 0 0\r\nvn 0 0 1\r\n"
                          "f 1//1 2//1 3//1\r\nf -3/1/1 -1/1/-1 -2/-1/1\r\nv 2 2 2\r\nf 2/1 5/1 -2");
    CHECK(prc_mesh_read(&mesh, path, NULL) == PRC_OK);
    CHECK(mesh.vertex_count == 5 && mesh.positions[14] == 2);
    CHECK(has_triangles(&mesh, 3, (int[]){0, 1, 2, 1, 3, 2, 1, 4, 3}));
    CHECK(!mesh.texture);
    prc_mesh_release(&mesh);
}

TEST(obj_faces_may_come_before_their_vertices)
{
    prc_mesh mesh;
    CHECK(prc_mesh_read(&mesh, put_text("c.obj", "f 3 1 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"), NULL) == PRC_OK);
    CHECK(has_triangles(&mesh, 1, (int[]){2, 0, 1}) && mesh.vertex_count == 3);
    prc_mesh_release(&mesh);
}

#define OBJ_SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvt 2 0\nvt 2 3\nvt 0 3\n"

TEST(obj_texture_is_kept_where_every_vertex_has_one)
{
    prc_mesh mesh;
    CHECK(prc_mesh_read(&mesh, put_text("d.obj", OBJ_SQUARE "f 1/4 2/3 3/2\nf 1/4 3/2 4/1\n"), NULL) == PRC_OK);
    CHECK(mesh.texture);
    CHECK(memcmp(mesh.texture, (double[]){0, 3, 2, 3, 2, 0, 0, 0}, 8 * sizeof(double)) == 0);
    prc_mesh_release(&mesh);
    /* A second coordinate of the same value is the same coordinate; one number alone means v = 0. */
    CHECK(prc_mesh_read(&mesh, put_text("d.obj", OBJ_SQUARE "vt 0\nf 1/1 2/2 3/3\nf 1/5 3/3 4/4\n"), NULL) == PRC_OK);
    CHECK(mesh.texture && mesh.texture[0] == 0 && mesh.texture[7] == 3);
    prc_mesh_release(&mesh);
}

TEST(obj_texture_is_dropped_where_it_is_missing_or_torn)
{
    const char *const faces[] = {"f 1/1 2/2 3/3\nf 1/2 3/3 4/4\n", "f 1/1 2/2 3/3\nf 1 3 4\n",
                                 "f 1/1 2/2 3/3\nf 1/1 3/3 4\n"};
    for (int k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text, "%s%s", OBJ_SQUARE, faces[k]);
        prc_mesh mesh;
        CHECK(prc_mesh_read(&mesh, put_text("e.obj", text), NULL) == PRC_OK);
        CHECK(!mesh.texture);
        prc_mesh_release(&mesh);
    }
}

typedef struct bad_file {
    const char *text, *message;
} bad_file;

#define OBJ_CORNERS "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static const bad_file bad_objs[] = {
    {"", "found 0 vertices and 0 faces; expected a mesh in v and f lines"},
    {OBJ_CORNERS, "found 3 vertices and 0 faces"},
    {"v 0 0\n", "bad.obj:1: the line ends; expected a finite number (v x y z)"},
    {"v\n", "bad.obj:1: the line ends; expected a finite number (v x y z)"},
    {"\nv 0 zero 0\n", "bad.obj:2: found 'zero'; expected a finite number (v x y z)"},
    {"v 0 0 1.5x\n", "bad.obj:1: found '1.5x'; expected"},
    {"v 0 nan 0\n", "bad.obj:1: found 'nan'; expected a finite number"},
    {"v 0 1e999 0\n", "bad.obj:1: found '1e999'; expected a finite number"},
    {"v 0 0 # 0\n", "bad.obj:1: the line ends"},
    {"vt\r\n", "bad.obj:1: the line ends; expected a finite number (vt u v)"},
    {"vt 0 u\n", "bad.obj:1: found 'u'; expected a finite number (vt u v)"},
    {OBJ_CORNERS "f 1 2\n", "bad.obj:4: found a face with 2 corners; expected at least 3"},
    {OBJ_CORNERS "f\n", "bad.obj:4: found a face with 0 corners"},
    {OBJ_CORNERS "f 1 2 4\n", "bad.obj:4: found '4': there is no vertex 4; expected 1 to 3 or -1 to -3"},
    {OBJ_CORNERS "f 0 1 2\n", "bad.obj:4: found '0': there is no vertex 0"},
    {OBJ_CORNERS "f 1 2 -4\n", "bad.obj:4: found '-4': there is no vertex -4"},
    {OBJ_CORNERS "f 1 2 99999999999999999999\n", "bad.obj:4: found '99999999999999999999': there is no vertex"},
    {OBJ_CORNERS "f 1/1 2/1 3/1\n", "bad.obj:4: found '1/1': there is no texture coordinate 1"},
    {OBJ_CORNERS "f a b c\n", "bad.obj:4: found 'a'; expected a face corner (v, v/vt, v//vn or v/vt/vn)"},
    {OBJ_CORNERS "f 1 2 3.5\n", "bad.obj:4: found '3.5'; expected a face corner"},
    {OBJ_CORNERS "f 1/ 2/ 3/\n", "bad.obj:4: found '1/'; expected a face corner"},
    {OBJ_CORNERS "f 1//1/1 2 3\n", "bad.obj:4: found '1//1/1'; expected a face corner"},
    {OBJ_CORNERS "f - 2 3\n", "bad.obj:4: found '-'; expected a face corner"},
};

static const char *read_message(const char *name, const char *text, size_t size)
{
    static prc_error error;
    prc_mesh mesh;
    error = (prc_error){0};
    prc_result result = prc_mesh_read(&mesh, put_bytes(name, text, size), &error);
    bool zeroed = !mesh.positions && !mesh.triangles && !mesh.texture && !mesh.vertex_count && !mesh.triangle_count;
    prc_mesh_release(&mesh);
    if (result != PRC_ERROR_INPUT || error.code != result)
        return "not refused";
    return zeroed ? error.message : "not zeroed";
}

TEST(malformed_obj_files_are_refused_with_line_and_reason)
{
    for (size_t k = 0; k < sizeof bad_objs / sizeof *bad_objs; k++)
        CHECK_TEXT(read_message("bad.obj", bad_objs[k].text, strlen(bad_objs[k].text)), bad_objs[k].message);
}

/* ---- PLY ---- */

#define PLY_VERTEX "property float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "property list uchar int vertex_indices\n"
#define PLY_HEADER "ply\nformat ascii 1.0\nelement vertex 3\n" PLY_VERTEX "element face 1\n" PLY_FACE "end_header\n"
#define PLY_DATA "0 0 0\n1 0 0\n0 1 0\n"

TEST(ascii_ply_is_read_past_unknown_properties_and_elements)
{
    prc_mesh mesh;
    prc_error error;
    const char *path = put_text("a.ply", "ply\r\nformat ascii 1.0\r\ncomment made by hand\r\nobj_info x\r\n"
                                         "element camera 2\r\nproperty list int float view\r\nproperty int id\r\n"
                                         "element nothing 5\r\n"
                                         "element vertex 4\r\nproperty uchar red\r\nproperty double z\r\n"
                                         "property double y\r\nproperty double x\r\nproperty float s\r\n"
                                         "property list uchar int near\r\nproperty float t\r\n"
                                         "element face 1\r\nproperty int flag\r\n"
                                         "property list uchar uint vertex_index\r\nend_header\r\n"
                                         "2 0.5 0.25 7\r\n0 8\r\n\r\n"
                                         "255 0.3 -0.2 0.1 0.5 2 9 9 0.75\r\n0 0 0 1 1 0 0\r\n0 0 1 1 1 1 5 0\r\n"
                                         "0 0 1 0 0 0 1e0\r\n"
                                         "3 4 0 1 2 3");
    CHECK_TEXT(prc_mesh_read(&mesh, path, &error) == PRC_OK ? "read" : error.message, "read");
    CHECK(mesh.vertex_count == 4 && mesh.positions[0] == 0.1 && mesh.positions[1] == -0.2 && mesh.positions[2] == 0.3);
    CHECK(has_triangles(&mesh, 2, (int[]){0, 1, 2, 0, 2, 3}));
    CHECK(mesh.texture && mesh.texture[0] == 0.5 && mesh.texture[1] == 0.75 && mesh.texture[7] == 1);
    prc_mesh_release(&mesh);
}

/* A binary file in the making. */
typedef struct bytes {
    unsigned char data[2000];
    size_t size;
    bool big;
} bytes;

static void put_number(bytes *b, const void *value, size_t size)
{
    const uint16_t probe = 1;
    unsigned char raw[8], first;
    memcpy(raw, value, size);
    memcpy(&first, &probe, 1);
    bool machine_is_big = first == 0;
    for (size_t k = 0; k < size; k++)
        b->data[b->size++] = raw[b->big == machine_is_big ? k : size - 1 - k];
}

static void put_header(bytes *b, const char *rest)
{
    b->size += (size_t)sprintf((char *)b->data + b->size, "ply\nformat binary_%s_endian 1.0\n%send_header\n",
                               b->big ? "big" : "little", rest);
}

/* A vertex of every type, faces first, and a list to skip; positions are (-1, 2, 300), (-100, 0, 70000), (5, 1, 0). */
static bytes every_type(bool big)
{
    bytes b = {.big = big};
    put_header(&b, "element face 2\nproperty list ushort uint vertex_indices\nproperty list int short extra\n"
                   "element vertex 3\nproperty char x\nproperty ushort skipped\nproperty float32 y\n"
                   "property uint32 z\nproperty double u\nproperty int16 v\n");
    const uint16_t corners = 3;
    const uint32_t faces[2][3] = {{0, 1, 2}, {2, 1, 0}};
    for (int32_t f = 0; f < 2; f++) {
        put_number(&b, &corners, 2);
        for (int k = 0; k < 3; k++)
            put_number(&b, &faces[f][k], 4);
        put_number(&b, &f, 4); /* no extra, then one */
        if (f)
            put_number(&b, &(int16_t){-3}, 2);
    }
    const int8_t x[3] = {-1, -100, 5};
    const float y[3] = {2, 0, 1};
    const uint32_t z[3] = {300, 70000, 4000000000u};
    const double u[3] = {0.125, -1e-3, 7};
    const int16_t v[3] = {-300, 300, 0};
    for (int i = 0; i < 3; i++) {
        put_number(&b, &x[i], 1);
        put_number(&b, &corners, 2);
        put_number(&b, &y[i], 4);
        put_number(&b, &z[i], 4);
        put_number(&b, &u[i], 8);
        put_number(&b, &v[i], 2);
    }
    return b;
}

TEST(binary_ply_of_every_type_is_read_in_both_byte_orders)
{
    for (int big = 0; big < 2; big++) {
        bytes b = every_type(big);
        prc_mesh mesh;
        prc_error error;
        prc_result result = prc_mesh_read(&mesh, put_bytes("b.ply", b.data, b.size), &error);
        CHECK_TEXT(result == PRC_OK ? "read" : error.message, "read");
        CHECK(mesh.vertex_count == 3 && has_triangles(&mesh, 2, (int[]){0, 1, 2, 2, 1, 0}));
        const double positions[9] = {-1, 2, 300, -100, 0, 70000, 5, 1, 4e9};
        const double texture[6] = {0.125, -300, -1e-3, 300, 7, 0};
        CHECK(memcmp(mesh.positions, positions, sizeof positions) == 0);
        CHECK(mesh.texture && memcmp(mesh.texture, texture, sizeof texture) == 0);
        prc_mesh_release(&mesh);
    }
}

static const bad_file bad_plys[] = {
    {"", "bad.ply:1: this is not a PLY file; expected 'ply' as its first line"},
    {"plx\nformat ascii 1.0\n", "bad.ply:1: this is not a PLY file"},
    {"ply\nformat ascii 1.0\nelement vertex 3\n", "bad.ply:3: the header ends after this line"},
    {"ply\nformat text 1.0\nend_header\n", "bad.ply:2: found format 'text'; expected ascii, binary_little_endian"},
    {"ply\nformat ascii 2.0\nend_header\n", "bad.ply:2: found format version '2.0'; expected 1.0"},
    {"ply\nelement vertex 3\n" PLY_VERTEX "end_header\n", "the header has no format line"},
    {"ply\nformat ascii 1.0\nelement vertex\nend_header\n",
     "bad.ply:3: found 'element vertex'; expected 'element name"},
    {"ply\nformat ascii 1.0\nelement vertex -3\nend_header\n", "bad.ply:3: found 'element vertex -3'"},
    {"ply\nformat ascii 1.0\nelement a 1\nelement a 1\nend_header\n", "bad.ply:4: element 'a' is declared twice"},
    {"ply\nformat ascii 1.0\nproperty float x\nend_header\n",
     "bad.ply:3: a property is declared before the first element"},
    {"ply\nformat ascii 1.0\nelement vertex 1\nproperty half x\nend_header\n", "bad.ply:4: found property type 'half'"},
    {"ply\nformat ascii 1.0\nelement vertex 1\nproperty float\nend_header\n", "bad.ply:4: found 'property float'"},
    {"ply\nformat ascii 1.0\nelement face 1\nproperty list float int vertex_indices\nend_header\n",
     "bad.ply:4: found 'float' as the type of a list's length; expected an integer type"},
    {"ply\nformat ascii 1.0\nmaterial shiny\nend_header\n", "bad.ply:3: found 'material'; expected format, element"},
    {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nend_header\n",
     "no element 'vertex' with the properties x, y and z"},
    {"ply\nformat ascii 1.0\nelement vertex 3\n" PLY_VERTEX "end_header\n" PLY_DATA,
     "no element 'face' with a property list vertex_indices"},
    {"ply\nformat ascii 1.0\nelement vertex 3\n" PLY_VERTEX "element face 0\n" PLY_FACE "end_header\n" PLY_DATA,
     "bad.ply: found 3 vertices and 0 faces; expected a mesh"},
    {"ply\nformat ascii 1.0\nelement vertex 50000000\n" PLY_VERTEX "element face 1\n" PLY_FACE "end_header\n0 0 0\n",
     "the header says 50000000 rows, more than the rest of the file can contain"},
    {"ply\nformat binary_big_endian 1.0\nelement vertex 3\n" PLY_VERTEX "element face 99999999999999999999\n" PLY_FACE
     "end_header\n123456789012345678901234567890123456",
     "face 0: the header says 9223372036854775807 rows, more than"},
    {PLY_HEADER PLY_DATA "3 0 1\n", "bad.ply:13: face 0: the"},
    {PLY_HEADER "0 0 0\n\n1 0\n0 1 0\n3 0 1 2\n", "bad.ply:12: vertex 1: the line ends; expected a number"},
    {PLY_HEADER "0 0 0\n1 0 0 5\n0 1 0\n3 0 1 2\n", "bad.ply:11: vertex 1: found '5' after the last property"},
    {PLY_HEADER "0 0 0\n1 0 up\n0 1 0\n3 0 1 2\n", "bad.ply:11: vertex 1: found 'up'; expected a number"},
    {PLY_HEADER "0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n", "bad.ply:11: vertex 1: found inf; expected a finite number"},
    {PLY_HEADER PLY_DATA "3 0 1 3\n", "bad.ply:13: face 0: found vertex index 3; expected a whole number from 0 to 2"},
    {PLY_HEADER PLY_DATA "3 0 1 -1\n", "face 0: found vertex index -1; expected"},
    {PLY_HEADER PLY_DATA "3 0 1 1.5\n", "face 0: found vertex index 1.5; expected"},
    {PLY_HEADER PLY_DATA "2 0 1 2 0\n", "face 0: found a face with 2 corners; expected at least 3"},
    {PLY_HEADER PLY_DATA "-1 0 1 2\n", "face 0: found -1 as the length of a list"},
    {PLY_HEADER PLY_DATA "4000000000 0 1 2\n", "bad.ply:13: face 0: the line ends"},
    {"ply\nformat ascii 1.0\nelement face 1\n" PLY_FACE "element vertex 3\n" PLY_VERTEX
     "end_header\n3 0 1 9\n" PLY_DATA,
     "bad.ply: a face uses vertex 9, but vertices run from 0 to 2"},
};

TEST(malformed_ply_files_are_refused_with_place_and_reason)
{
    for (size_t k = 0; k < sizeof bad_plys / sizeof *bad_plys; k++)
        CHECK_TEXT(read_message("bad.ply", bad_plys[k].text, strlen(bad_plys[k].text)), bad_plys[k].message);
}

TEST(headers_beyond_the_readers_limits_are_refused)
{
    char text[40000];
    int size = sprintf(text, "ply\nformat ascii 1.0\n");
    for (int k = 0; k < 40; k++)
        size += sprintf(text + size, "element e%d 1\n", k);
    CHECK_TEXT(read_message("bad.ply", text, (size_t)size), "more than 32 elements");
    size = sprintf(text, "ply\nformat ascii 1.0\nelement vertex 1\n");
    for (int k = 0; k < 600; k++)
        size += sprintf(text + size, "property float p%d\n", k);
    CHECK_TEXT(read_message("bad.ply", text, (size_t)size), "more than 512 properties");
    memset(text, 'x', sizeof text);
    memcpy(text, "ply\n", 4);
    CHECK_TEXT(read_message("bad.ply", text, sizeof text), "the header ends");
    text[5000] = '\n';
    CHECK_TEXT(read_message("bad.ply", text, sizeof text), "the header ends");
}

TEST(a_ply_file_cut_off_anywhere_is_refused)
{
    bytes b = every_type(false);
    for (size_t size = 0; size < b.size; size++)
        CHECK(strcmp(read_message("bad.ply", (const char *)b.data, size), "not refused") != 0);
}

/* Whatever a byte becomes, the reader answers: with a mesh or with a message. */
TEST(damaged_files_never_break_the_readers)
{
    bytes b = every_type(true);
    const char *obj = OBJ_SQUARE "f 1/1 2/2 3/3\nf -4//1 -2 -1/4/7\n";
    size_t length = strlen(obj);
    for (unsigned round = 0; round < 3000; round++) {
        bool ply = round % 2;
        unsigned char text[2000];
        size_t size = ply ? b.size : length;
        memcpy(text, ply ? (const void *)b.data : obj, size);
        uint32_t hash = round * 2654435761u;
        for (int k = 0; k < 3; k++, hash = hash * 1664525u + 1013904223u)
            text[(hash >> 8) % size] = (unsigned char)(hash >> 24);
        prc_mesh mesh;
        prc_error error = {0};
        prc_result result = prc_mesh_read(&mesh, put_bytes(ply ? "x.ply" : "x.obj", text, size), &error);
        CHECK(result == PRC_OK || (result == PRC_ERROR_INPUT && error.message[0] && !mesh.positions));
        for (int k = 0; k < 3 * mesh.triangle_count; k++)
            CHECK(mesh.triangles[k] >= 0 && mesh.triangles[k] < mesh.vertex_count);
        prc_mesh_release(&mesh);
    }
}

/* ---- choosing the reader ---- */

TEST(files_that_are_missing_or_of_another_kind_are_refused)
{
    prc_mesh mesh;
    prc_error error;
    CHECK(prc_mesh_read(&mesh, path_to("none.obj"), &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "none.obj: cannot be opened: No such file");
    CHECK(prc_mesh_read(&mesh, path_to("none.ply"), &error) == PRC_ERROR_IO);
    CHECK(prc_mesh_read(&mesh, put_text("shirt.off", "OFF\n"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(
        error.message,
        "shirt.off: unknown file type; expected a mesh file ending in .obj, .ply, .stl, .msh, .vtk, .glb or .gltf");
    CHECK(prc_mesh_read(&mesh, put_text("shirt", "# x\nv 0 0 0\n"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "; the content looks like OBJ, which should end in .obj");
    CHECK(prc_mesh_read(&mesh, put_text("shirt.obj", "ply\nformat ascii 1.0\n"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "expected a mesh in v and f lines; the content looks like PLY");
    CHECK(mkdir(path_to("folder.obj"), 0777) == 0);
    CHECK(prc_mesh_read(&mesh, path_to("folder.obj"), &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "folder.obj: cannot be");
    CHECK(rmdir(path_to("folder.obj")) == 0);
}

TEST(numbers_have_a_decimal_point_in_every_locale)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        SKIP("no locale with a decimal comma is installed");
    prc_mesh mesh;
    prc_result result = prc_mesh_read(&mesh, put_text("l.obj", "v 0.5 0 0\nv 1 0 0\nv 0 1.5 0\nf 1 2 3\n"), NULL);
    prc_file *file = prc_file_open(path_to("l.txt"), NULL);
    if (file) {
        prc_file_printf(file, "%.2f", 0.25);
        prc_file_commit(file, NULL);
    }
    setlocale(LC_NUMERIC, "C");
    CHECK(result == PRC_OK && mesh.positions[0] == 0.5 && mesh.positions[7] == 1.5);
    prc_mesh_release(&mesh);
    char *text;
    size_t size;
    CHECK(prc_file_read(path_to("l.txt"), &text, &size, NULL) == PRC_OK);
    CHECK_TEXT(text, "0.25");
    prc_free(text);
}

/* ---- writing ---- */

TEST(a_written_frame_reads_back_as_the_same_mesh)
{
    prc_mesh mesh, back;
    prc_error error;
    CHECK(prc_mesh_disc(&mesh, 0.5, 4, &error) == PRC_OK);
    prc_ply_frame frame = {.vertex_count = mesh.vertex_count,
                           .triangle_count = mesh.triangle_count,
                           .positions = mesh.positions,
                           .triangles = mesh.triangles};
    for (int kind = 0; kind < 16; kind++) {
        double *extra = calloc((size_t)mesh.vertex_count * 3, sizeof *extra);
        frame.velocities = kind & 1 ? extra : NULL;
        frame.stretches = kind & 2 ? extra : NULL;
        frame.pressures = kind & 4 ? extra : NULL;
        frame.gaps = kind & 8 ? extra : NULL;
        frame.comment = kind & 1 ? "time 0.5\n\nelement vertex 9\r\n" : NULL;
        prc_result result = prc_ply_write(path_to("w.ply"), &frame, &error);
        free(extra);
        CHECK(result == PRC_OK);
        CHECK(prc_mesh_read(&back, path_to("w.ply"), &error) == PRC_OK);
        CHECK(back.vertex_count == mesh.vertex_count && has_triangles(&back, mesh.triangle_count, mesh.triangles));
        for (int k = 0; k < 3 * mesh.vertex_count; k++)
            CHECK(back.positions[k] == (double)(float)mesh.positions[k]);
        prc_mesh_release(&back);
    }
    prc_mesh_release(&mesh);
}

TEST(a_written_frame_has_exactly_these_bytes)
{
    const double positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, velocities[9] = {1, 2, 3}, stretches[6] = {1.5, 0.5};
    const int triangles[3] = {0, 1, 2};
    prc_ply_frame frame = {.vertex_count = 3,
                           .triangle_count = 1,
                           .positions = positions,
                           .triangles = triangles,
                           .velocities = velocities,
                           .stretches = stretches,
                           .comment = "percale"};
    CHECK(prc_ply_write(path_to("bytes.ply"), &frame, NULL) == PRC_OK);
    const char header[] = "ply\nformat binary_little_endian 1.0\ncomment percale\nelement vertex 3\nproperty float x\n"
                          "property float y\nproperty float z\nproperty float vx\nproperty float vy\n"
                          "property float vz\nproperty float stretch_max\nproperty float stretch_min\n"
                          "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
    const unsigned char first[32] = {0, 0, 0, 0,    0, 0, 0,    0,    0, 0, 0,    0,    0, 0, 0x80, 0x3f,
                                     0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0xc0, 0x3f, 0, 0, 0,    0x3f};
    const unsigned char face[13] = {3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0};
    char *data;
    size_t size, head = sizeof header - 1;
    CHECK(prc_file_read(path_to("bytes.ply"), &data, &size, NULL) == PRC_OK);
    bool same = size == head + 3 * 32 + 13 && memcmp(data, header, head) == 0 && memcmp(data + head, first, 32) == 0 &&
                memcmp(data + head + 96, face, 13) == 0;
    prc_free(data);
    CHECK(same);
}

TEST(a_frame_without_arrays_is_refused)
{
    prc_error error;
    CHECK(prc_ply_write(path_to("no.ply"), &(prc_ply_frame){.vertex_count = 3}, &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "needs both arrays");
    CHECK(access(path_to("no.ply"), F_OK) != 0);
}

TEST(a_file_appears_under_its_name_only_when_it_is_committed)
{
    const char *path = put_text("whole.txt", "before");
    int files = count_files();
    prc_error error;
    prc_file *file = prc_file_open(path, &error);
    CHECK(file && count_files() == files + 1);
    prc_file_printf(file, "%s %d\n", "after", 7);
    prc_file_write(file, "end", 3);
    char *text;
    size_t size;
    CHECK(prc_file_read(path, &text, &size, NULL) == PRC_OK && strcmp(text, "before") == 0);
    prc_free(text);
    CHECK(prc_file_commit(file, &error) == PRC_OK && count_files() == files);
    CHECK(prc_file_read(path, &text, &size, NULL) == PRC_OK && strcmp(text, "after 7\nend") == 0 && size == 11);
    prc_free(text);
}

TEST(an_abandoned_file_leaves_the_old_one_and_no_trace)
{
    const char *path = put_text("kept.txt", "before");
    int files = count_files();
    prc_file *file = prc_file_open(path, NULL);
    CHECK(file);
    prc_file_printf(file, "after");
    prc_file_abandon(file);
    prc_file_abandon(NULL);
    char *text;
    size_t size;
    CHECK(prc_file_read(path, &text, &size, NULL) == PRC_OK && strcmp(text, "before") == 0);
    prc_free(text);
    CHECK(count_files() == files);
}

TEST(places_that_cannot_be_written_are_named)
{
    prc_error error;
    CHECK(!prc_file_open(path_to("none/x.txt"), &error));
    CHECK(error.code == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "none/x.txt: cannot be written: No such file or directory");
    CHECK(!prc_file_open(test_folder, &error));
    CHECK_TEXT(error.message, "it exists and is a directory");
    CHECK(!prc_file_open("/dev/null", &error));
    CHECK_TEXT(error.message, "/dev/null: cannot be written: it exists and is not a regular file");
    const double positions[9] = {0};
    prc_ply_frame frame = {.vertex_count = 3, .positions = positions};
    CHECK(prc_ply_write(path_to("none/x.ply"), &frame, &error) == PRC_ERROR_IO);
}

TEST(a_target_that_turned_into_a_folder_fails_the_commit_and_leaves_no_trace)
{
    prc_error error;
    prc_file *file = prc_file_open(path_to("turned"), &error);
    CHECK(file);
    int files = count_files();
    CHECK(mkdir(path_to("turned"), 0777) == 0);
    CHECK(prc_file_commit(file, &error) == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "turned: could not be written");
    CHECK(rmdir(path_to("turned")) == 0);
    CHECK(count_files() == files - 1);
}

TEST(a_disk_that_fills_up_fails_the_commit_and_keeps_the_old_file)
{
    const char *path = put_text("full.txt", "before");
    int files = count_files();
    struct rlimit before, small;
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 10000;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    prc_error error = {0};
    prc_file *file = prc_file_open(path, &error);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int k = 0; k < 2000 && file; k++)
        prc_file_write(file, "0123456789", 10);
    prc_result result = file ? prc_file_commit(file, &error) : PRC_OK;
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    CHECK(file && result == PRC_ERROR_IO);
    CHECK_TEXT(error.message, "full.txt: could not be written: File too large");
    CHECK(count_files() == files);
    char *text;
    size_t size;
    CHECK(prc_file_read(path, &text, &size, NULL) == PRC_OK && strcmp(text, "before") == 0);
    prc_free(text);
}

TEST(a_frame_tells_obstacles_and_edges)
{
    const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1};
    const int triangles[3] = {0, 1, 2}, edges[4] = {2, 3, 3, 0};
    const bool obstacle[4] = {false, false, true, true};
    prc_ply_frame frame = {.vertex_count = 4,
                           .triangle_count = 1,
                           .positions = positions,
                           .triangles = triangles,
                           .obstacle = obstacle,
                           .edges = edges,
                           .edge_count = 2};
    prc_mesh mesh;
    prc_ply_extra extra;
    CHECK(prc_ply_write(path_to("obstacle.ply"), &frame, NULL) == PRC_OK);
    CHECK(prc_ply_read_frame(&mesh, &extra, path_to("obstacle.ply"), NULL) == PRC_OK);
    CHECK(mesh.vertex_count == 4 && mesh.triangle_count == 1 && mesh.positions[11] == 1);
    CHECK(extra.obstacle && memcmp(extra.obstacle, obstacle, sizeof obstacle) == 0);
    CHECK(extra.edge_count == 2 && memcmp(extra.edges, edges, sizeof edges) == 0);
    prc_mesh_release(&mesh);
    prc_ply_extra_release(&extra);
    frame.obstacle = NULL;
    frame.edge_count = 0;
    CHECK(prc_ply_write(path_to("obstacle.ply"), &frame, NULL) == PRC_OK);
    CHECK(prc_ply_read_frame(&mesh, &extra, path_to("obstacle.ply"), NULL) == PRC_OK);
    CHECK(!extra.obstacle && extra.edge_count == 0);
    prc_mesh_release(&mesh);
    prc_ply_extra_release(&extra);
    const int wrong[4] = {2, 3, 4, 0};
    prc_error error;
    frame.edges = wrong;
    frame.edge_count = 2;
    CHECK(prc_ply_write(path_to("obstacle.ply"), &frame, NULL) == PRC_OK);
    CHECK(prc_ply_read_frame(&mesh, &extra, path_to("obstacle.ply"), &error) == PRC_ERROR_INPUT);
    CHECK_TEXT(error.message, "an edge uses vertex 4, but vertices run from 0 to 3");
    CHECK(!mesh.positions && !extra.edges);
}

/* ---- meshes made by others ---- */

static const char *data_path(const char *name)
{
    static char path[500];
    const char *data = getenv("PERCALE_TEST_DATA");
    snprintf(path, sizeof path, "%s/%s", data && *data ? data : "../shared/data", name);
    return path;
}

TEST(real_meshes_are_read_and_pass_the_check)
{
    static const struct {
        const char *name;
        int vertices, triangles;
        bool textured;
    } files[] = {{"garments/dress_knife_stage.obj", 15656, 29456, true},
                 {"garments/mannequin.obj", 12811, 25472, false},
                 {"table1/cloth_v2.obj", 14266, 28312, false},
                 {"table1/shootingCloth.obj", 27772, 54942, false},
                 {"table1/woman_v2.obj", 1794, 3584, false}};
    if (access(data_path(files[0].name), R_OK) != 0)
        SKIP("no test data; set PERCALE_TEST_DATA to the folder that holds it");
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        prc_mesh mesh;
        prc_error error;
        prc_result result = prc_mesh_read(&mesh, data_path(files[k].name), &error);
        CHECK_TEXT(result == PRC_OK ? "read" : error.message, "read");
        CHECK(mesh.vertex_count == files[k].vertices && mesh.triangle_count == files[k].triangles);
        CHECK((mesh.texture != NULL) == files[k].textured);
        result = prc_mesh_check(&mesh, &error);
        CHECK_TEXT(result == PRC_OK ? "sound" : error.message, "sound");
        prc_mesh_release(&mesh);
    }
}

TEST_MAIN()
