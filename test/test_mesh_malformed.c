/* test/test_mesh_malformed.c — a table of malformed mesh files with the exact message that each gives.
 * SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700

#include "harness.h"

#include "base/memory.h"
#include "io/mesh_file.h"

#include <percale/percale.h>

typedef struct malformed {
    const char *name, *text, *message;
    size_t size; /* where the text holds zero bytes */
} malformed;

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
#define PLY "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
#define STL "solid\nfacet normal 0 0 1\nouter loop\n"
#define MSH2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define MSH2_NODES MSH2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
#define MSH4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define VTK "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\n"
#define VTK_POINTS VTK "POINTS 3 float\n0 0 0 1 0 0 0 1 0\n"
#define EIGHTY "binary.........................................................................."
#define BSTL                                                                                                           \
    EIGHTY "\2\0\0\0"                                                                                                  \
           "0123456789"
#define TEN "\0\0\0\0\0\0\0\0\0\0"
#define BSTL_NAN                                                                                                       \
    EIGHTY "\1\0\0\0" TEN "\0\0"                                                                                       \
           "\0\0\xc0\x7f" TEN TEN TEN "\0\0\0\0"
#define BPLY                                                                                                           \
    "ply\nformat binary_big_endian 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\n"   \
    "element face 1\nproperty list uchar uchar vertex_indices\nend_header\n" TEN TEN "\0\0\0\0\3\0\1\2"
#define BMSH                                                                                                           \
    "$MeshFormat\n2.2 1 8\n\1\0\0\0\n$EndMeshFormat\n$Nodes\n1\n\1\0\0\0\0\0\0\0\0\0\xf0\x7f" TEN TEN "$EndNodes\n"

static const malformed table[] = {
    {"a.obj", "", "a.obj: found 0 vertices and 0 faces; expected a mesh in v and f lines", 0},
    {"a.obj", V3, "a.obj: found 3 vertices and 0 faces; expected a mesh in v and f lines", 0},
    {"a.obj", "v 0 0\n", "a.obj:1: the line ends; expected a finite number (v x y z)", 0},
    {"a.obj", "\nv 0 zero 0\n", "a.obj:2: found 'zero'; expected a finite number (v x y z)", 0},
    {"a.obj", "v 0 nan 0\n", "a.obj:1: found 'nan'; expected a finite number (v x y z)", 0},
    {"a.obj", "v 0 1e999 0\n", "a.obj:1: found '1e999'; expected a finite number (v x y z)", 0},
    {"a.obj", "vt 0 u\n", "a.obj:1: found 'u'; expected a finite number (vt u v)", 0},
    {"a.obj", V3 "f 1 2\n", "a.obj:4: found a face with 2 corners; expected at least 3", 0},
    {"a.obj", V3 "f 1 2 4\n", "a.obj:4: found '4': there is no vertex 4; expected 1 to 3 or -1 to -3", 0},
    {"a.obj", V3 "f 1 2 -4\n", "a.obj:4: found '-4': there is no vertex -4; expected 1 to 3 or -1 to -3", 0},
    {"a.obj", V3 "f 0 1 2\n", "a.obj:4: found '0': there is no vertex 0; expected 1 to 3 or -1 to -3", 0},
    {"a.obj", V3 "f 1/1 2/1 3/1\n", "a.obj:4: found '1/1': there is no texture coordinate 1; the file has none", 0},
    {"a.obj", V3 "f 1 2 3.5\n", "a.obj:4: found '3.5'; expected a face corner (v, v/vt, v//vn or v/vt/vn)", 0},
    {"a.obj", V3 "f 1 2 3\nstitch 0 1 3 0.5\n",
     "a.obj:5: found '3'; expected a stitch: a vertex and the two vertices of an edge, numbered from 0, and the "
     "position on the edge, 0 to 1",
     0},
    {"a.obj", V3 "f 1 2 3\nstitch 0 1 2 1.5\n",
     "a.obj:5: found '1.5'; expected a stitch: a vertex and the two vertices of an edge, numbered from 0, and the "
     "position on the edge, 0 to 1",
     0},
    {"a.obj", V3 "f 1 2 3\nstitch 0 1\n",
     "a.obj:5: the line ends; expected a stitch: a vertex and the two vertices of an edge, numbered from 0, and the "
     "position on the edge, 0 to 1",
     0},
    {"a.obj", V3 "g 1 2 3 4 5 6 7 8 9 0 a b c d e f g h i j k l m n o p q r s t u v w x\nf 1 2 3\n",
     "a.obj:4: found more than 32 group names on one line", 0},
    {"a.obj", "ply\nformat ascii 1.0\n",
     "a.obj: found 0 vertices and 0 faces; expected a mesh in v and f lines; the content looks like PLY", 0},
    {"a.step", "ISO-10303-21;\n",
     "a.step: unknown file type; expected a mesh file ending in .obj, .ply, .stl, .msh, .vtk, .glb or .gltf", 0},
    {"a.txt", "solid x\n",
     "a.txt: unknown file type; expected a mesh file ending in .obj, .ply, .stl, .msh, .vtk, .glb or .gltf; the "
     "content looks like STL, which should end in .stl",
     0},
    {"a.ply", "", "a.ply:1: this is not a PLY file; expected 'ply' as its first line", 0},
    {"a.ply", "ply\nformat text 1.0\n",
     "a.ply:2: found format 'text'; expected ascii, binary_little_endian or binary_big_endian", 0},
    {"a.ply", PLY, "a.ply:6: the header ends after this line; expected end_header", 0},
    {"a.ply", PLY "end_header\n", "a.ply:7: the header has no element 'face' with a property list vertex_indices", 0},
    {"a.ply",
     "ply\nformat ascii 1.0\nelement vertex 90000000\nproperty float x\nproperty float y\nproperty float z\n" PLY_FACE
     "0 0 0\n",
     "a.ply:10: vertex 0: the header says 90000000 rows, more than the rest of the file can contain", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0\n0 1 0\n3 0 1 2\n",
     "a.ply:11: vertex 1: the line ends; expected a number for each of its properties", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0 up\n0 1 0\n3 0 1 2\n", "a.ply:11: vertex 1: found 'up'; expected a number", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0 inf\n0 1 0\n3 0 1 2\n",
     "a.ply:11: vertex 1: found inf; expected a finite number", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n",
     "a.ply:13: face 0: found vertex index 3; expected a whole number from 0 to 2", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0 0\n0 1 0\n2 0 1\n",
     "a.ply:13: face 0: found a face with 2 corners; expected at least 3", 0},
    {"a.ply", PLY PLY_FACE "0 0 0\n1 0 0\n0 1 0\n",
     "a.ply:12: face 0: the header says 1 rows, more than the rest of the file can contain", 0},
    {"a.stl", "", "a.stl: this is not an STL file; expected 'solid', or at least 84 bytes of a binary file", 0},
    {"a.stl", "solid\nendsolid\n", "a.stl: found no triangles; expected a mesh", 0},
    {"a.stl", "solid\nfacet 0 0 1\n", "a.stl:2: found '0'; expected 'normal'", 0},
    {"a.stl", STL "vertex 0 0\n", "a.stl:5: the file ends; expected a finite number (vertex x y z)", 0},
    {"a.stl", STL "vertex 0 0 0\nvertex 1 0 inf\n", "a.stl:5: found 'inf'; expected a finite number (vertex x y z)", 0},
    {"a.stl", STL "vertex 0 0 0\nvertex 1 0 0\nendloop\n", "a.stl:6: found 'endloop'; expected 'vertex'", 0},
    {"a.stl", "solid\nend\n", "a.stl:2: found 'end'; expected 'facet' or 'endsolid'", 0},
    {"a.stl", "solid\nendsolid\nfacet\n", "a.stl:3: found 'facet'; expected 'solid' or the end of the file", 0},
    {"a.msh", "", "a.msh:1: this is not an MSH file; expected '$MeshFormat' as its first line", 0},
    {"a.msh", "$Nodes\n", "a.msh:1: this is not an MSH file; expected '$MeshFormat' as its first line", 0},
    {"a.msh", "$MeshFormat\n4 0 8\n$EndMeshFormat\n",
     "a.msh:2: found version 4; expected 2.2 or 4.1 (gmsh -format msh41 writes it)", 0},
    {"a.msh", "$MeshFormat\n2.2 0 4\n$EndMeshFormat\n", "a.msh:2: found '4'; expected 8, the size of a number", 0},
    {"a.msh", "$MeshFormat\n2.2 1 8\nABCD\n$EndMeshFormat\n",
     "a.msh: byte 24: found 1145258561; expected the number 1 in either byte order", 0},
    {"a.msh", MSH2, "a.msh: found 0 nodes, no triangle or quadrilateral and 0 solids; expected a surface mesh", 0},
    {"a.msh", MSH2 "$Nodes\n5000000\n1 0 0 0\n",
     "a.msh:5: 5000000 nodes are declared, more than the rest of the file can contain", 0},
    {"a.msh", MSH2 "$Nodes\n1\n1 0 0\n$EndNodes\n",
     "a.msh:7: found '$EndNodes'; expected a finite number (a node's x y z)", 0},
    {"a.msh", MSH2 "$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n", "a.msh:7: node 1 is duplicated; expected different tags",
     0},
    {"a.msh", MSH2 "$Elements\n0\n", "a.msh:5: found $Elements before $Nodes; expected nodes first", 0},
    {"a.msh", MSH2_NODES MSH2_NODES, "a.msh:14: found a second section $Nodes; expected one", 0},
    {"a.msh", MSH2_NODES "$Elements\n1\n1 2 0 1 2 4\n$EndElements\n",
     "a.msh:12: an element uses node 4, which does not exist", 0},
    {"a.msh", MSH2_NODES "$Elements\n1\n1 99 0 1 2 3\n$EndElements\n", "a.msh:12: found unknown element type 99", 0},
    {"a.msh", MSH2_NODES "$Elements\n2\n1 2 0 1 2 3\n$EndElements\n",
     "a.msh:13: found '$EndElements'; expected the number of an element", 0},
    {"a.msh", MSH2_NODES "$Elements\n1\n1 2 0 1 2 3\n", "a.msh:13: the file ends; expected '$EndElements'", 0},
    {"a.msh", MSH2_NODES "$Data\n1 2 3\n", "a.msh:11: the file ends; expected '$EndData'", 0},
    {"a.msh", MSH2_NODES "$PhysicalNames\n1\n2 1 front\n$EndPhysicalNames\n",
     "a.msh:12: found 'front'; expected a name in quotes", 0},
    {"a.msh", MSH4 "$Nodes\n1 2 1 2\n2 1 0 3\n1 2 3\n",
     "a.msh:6: found a block of 3 nodes after 0 others; expected 2 in total", 0},
    {"a.msh", MSH4 "$Nodes\n1 2 1 2\n2 1 0 1\n1\n0 0 0\n$EndNodes\n", "a.msh:8: the blocks contain 1 nodes; expected 2",
     0},
    {"a.vtk", "vtk\n", "a.vtk:1: this is not a legacy VTK file; expected '# vtk DataFile Version' as its first words",
     0},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nTEXT\n", "a.vtk:3: found 'TEXT'; expected ASCII or BINARY", 0},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET STRUCTURED_POINTS\n",
     "a.vtk:4: found 'STRUCTURED_POINTS'; expected POLYDATA or UNSTRUCTURED_GRID", 0},
    {"a.vtk", VTK, "a.vtk: found 0 points, no polygon and 0 other cells; expected a surface mesh", 0},
    {"a.vtk", VTK "POINTS 7000000 float\n0 0 0\n",
     "a.vtk:6: 21000000 coordinates are declared, more than the rest of the file can contain", 0},
    {"a.vtk", VTK "POINTS 300000000 float\n0 0 0\n", "a.vtk: 300000000 vertices; expected at most 20000000", 0},
    {"a.vtk", VTK "POINTS 1 half\n", "a.vtk:5: found 'half'; expected a type of numbers: float, double, int, long …",
     0},
    {"a.vtk", VTK "POINTS 1 float\n0 nan 0\n", "a.vtk:6: point 0 has a coordinate nan; expected a finite number", 0},
    {"a.vtk", VTK_POINTS "POLYGONS 1 4\n3 0 1 3\n", "a.vtk:8: a cell uses point 3; expected 0 to 2", 0},
    {"a.vtk", VTK_POINTS "LINES 99999999999999999999 0\nLINES 1 0\n",
     "a.vtk:7: 9223372036854775807 cells in a list of 0 numbers; expected no more cells than numbers", 0},
    {"a.vtk", VTK_POINTS "POLYGONS 1 4\n9 0 1 2\n", "a.vtk:8: cell 0 exceeds the list of 4 numbers", 0},
    {"a.vtk", VTK_POINTS "POLYGONS 1 3\n2 0 1\n", "a.vtk:8: found a polygon with 2 corners; expected at least 3", 0},
    {"a.vtk", VTK_POINTS "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 2\n",
     "a.vtk:9: data of 2 points; expected 3, the number of points", 0},
    {"a.vtk", VTK_POINTS "POLYGONS 1 4\n3 0 1 2\nPOINT_DATA 3\nSCALARS a float\nLOOKUP_TABLE default\n1 2\n",
     "a.vtk:12: 3 numbers are declared, more than the rest of the file can contain", 0},
    {"a.vtk", VTK_POINTS "CELL_TYPES 1\n5\n", "a.vtk:7: found 1 types of cells after 0 cells; expected one for each",
     0},
    {"a.vtk", VTK_POINTS "SPHERES 1\n",
     "a.vtk:7: found 'SPHERES'; expected a keyword of the format: POINTS, POLYGONS, CELLS, POINT_DATA …", 0},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nBINARY\nDATASET POLYDATA\nPOINTS 3 double\n1234567890",
     "a.vtk: byte 69: 9 coordinates are declared, more than the rest of the file can contain", 0},
    {"b.stl", BSTL,
     "b.stl: byte 80: found a count of 2 triangles, which take 184 bytes, in a file of 94; it is truncated, damaged, "
     "or not an STL file",
     sizeof BSTL - 1},
    {"b.stl", BSTL_NAN, "b.stl: byte 96: found nan; expected a finite number", sizeof BSTL_NAN - 1},
    {"b.ply", BPLY, "b.ply: byte 198: face 0: found vertex index 1; expected a whole number from 0 to 0",
     sizeof BPLY - 1},
    {"b.msh", BMSH, "b.msh: byte 53: found inf; expected a finite number", sizeof BMSH - 1},
};

#define ROWS (sizeof table / sizeof *table)

static const char *message_of(const malformed *row)
{
    static prc_error error;
    static prc_mesh_report report;
    const size_t size = row->size ? row->size : strlen(row->text);
    char *copy = prc_alloc(size + 1, 1);
    prc_mesh mesh;
    error = (prc_error){0};
    memcpy(copy, row->text, size);
    const prc_result result =
        prc_mesh_parse(&mesh, &(prc_mesh_source){row->name, copy, size, false, &report, false}, &error);
    prc_free(copy);
    prc_mesh_release(&mesh);
    return result == PRC_ERROR_INPUT ? error.message : "not refused";
}

TEST(each_malformed_mesh_file_gives_its_exact_message)
{
    int wrong = 0;
    for (size_t k = 0; k < ROWS; k++) {
        const char *found = message_of(&table[k]);
        if (strcmp(found, table[k].message) != 0) {
            printf("    row %zu:\n      expected %s\n      found    %s\n", k, table[k].message, found);
            wrong++;
        }
    }
    CHECK(wrong == 0);
}

/* ---- what fuzzing has found ---- */

static prc_result parse(prc_mesh *mesh, const char *name, const char *text, size_t size, prc_error *error)
{
    static prc_mesh_report report;
    char *copy = prc_alloc(size + 1, 1);
    memcpy(copy, text, size);
    const prc_result result = prc_mesh_parse(mesh, &(prc_mesh_source){name, copy, size, false, &report, false}, error);
    prc_free(copy);
    return result;
}

TEST(names_of_groups_end_at_a_zero_byte)
{
    static const char text[] = V3 "o ab\0cd\nf 1 2 3\no ab\0xy\nf 1 3 2\no ab\nf 1 2 3\n";
    prc_mesh mesh;
    prc_error error;
    CHECK(!parse(&mesh, "a.obj", text, sizeof text - 1, &error));
    CHECK(mesh.group_count == 1 && strcmp(mesh.groups[0].name, "ab") == 0 && mesh.groups[0].vertex_count == 3);
    prc_mesh_release(&mesh);
}

TEST(a_second_list_of_cells_takes_the_place_of_the_first)
{
    static const char grid[] = "# vtk DataFile Version 5.1\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n"
                               "0 0 0 1 0 0 0 1 0\nCELLS 2 3\nOFFSETS vtktypeint64\n0 3\nCONNECTIVITY vtktypeint64\n"
                               "0 1 2\nCELLS 4 4\n3 0 2 1\nCELL_TYPES 4\n5 5 5 5\n";
    prc_mesh mesh;
    prc_error error;
    CHECK(parse(&mesh, "a.vtk", grid, sizeof grid - 1, &error) == PRC_ERROR_INPUT);
    CHECK(strstr(error.message, "cell 1 exceeds the list of 4 numbers"));
}

TEST(there_are_enough_of_them)
{
    CHECK(ROWS >= 60);
}

TEST_MAIN()
