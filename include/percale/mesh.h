/* percale/mesh.h — triangle meshes: generators, files, checks.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_MESH_H
#define PERCALE_MESH_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A named part of a mesh: a group, object or material of an OBJ file, a physical group of an MSH file. */
typedef struct prc_mesh_group {
    char *name;
    int *vertices; /* in increasing order */
    int vertex_count;
} prc_mesh_group;

/* A named number per vertex: a vertex property of a PLY file, a scalar of a VTK file. */
typedef struct prc_mesh_property {
    char *name;
    double *values; /* one per vertex */
} prc_mesh_property;

/* A stitch of a sewing pattern: joins a vertex to a point on an edge, edge[0] + at (edge[1] − edge[0]). */
typedef struct prc_mesh_stitch {
    int vertex, edge[2];
    double at;
    int seam; /* number of its seam, from 0 */
} prc_mesh_stitch;

/* A triangle mesh. Release a mesh filled by a percale function with prc_mesh_release. You may also point the arrays at
 * your own memory; then do not release it with prc_mesh_release. */
typedef struct prc_mesh {
    int vertex_count;
    int triangle_count;
    double *positions; /* 3 per vertex, m */
    int *triangles;    /* 3 vertex indices per triangle, counter-clockwise seen from the front */
    double *texture;   /* 2 per vertex, m, or NULL: a flat pattern that may serve as the rest shape */
    /* Further data from a file; all may be absent. */
    prc_mesh_group *groups;
    int group_count;
    prc_mesh_property *properties;
    int property_count;
    prc_mesh_stitch *stitches;
    int stitch_count;
    int *numbers; /* per vertex: its number in the file, from 0, if reading or mending renumbered vertices; else NULL */
} prc_mesh;

typedef enum prc_grid_pattern {
    PRC_GRID_REGULAR,     /* every cell cut along the same diagonal */
    PRC_GRID_ALTERNATING, /* diagonals alternate like a chessboard */
    PRC_GRID_IRREGULAR,   /* vertices moved at random (inside only), then Delaunay triangulated */
} prc_grid_pattern;

/* A rectangle in the x–y plane, centred at the origin, normal +z. */
typedef struct prc_grid_def {
    double size[2]; /* m */
    int cells[2];   /* quadrilaterals along x and y */
    prc_grid_pattern pattern;
    double jitter; /* irregular: largest displacement as a fraction of the cell, 0 to 0.45 */
    int seed;      /* irregular: the same seed gives the same mesh on every machine */
} prc_grid_def;

/* The defaults of the table `grid` in docs/scene.md. */
prc_grid_def prc_grid_def_default(void);

/* Each fills *mesh and returns PRC_OK, or leaves it zeroed and fills *error. Corner numbers of a grid as scene files
 * use them: 0 (-x,-y), 1 (+x,-y), 2 (+x,+y), 3 (-x,+y). */
prc_result prc_mesh_grid(prc_mesh *mesh, const prc_grid_def *def, prc_error *error);
/* A disc of `radius` m in the x–y plane, `rings` rings of near-equilateral triangles, normal +z. */
prc_result prc_mesh_disc(prc_mesh *mesh, double radius, int rings, prc_error *error);
/* An open cylinder about the y axis, centred at the origin, normals outwards. */
prc_result prc_mesh_cylinder(prc_mesh *mesh, double radius, double height, int around, int along, prc_error *error);
/* The same with `radius` m at its lower end and `radius_top` at its upper one, both above 0: a funnel, a skirt. */
prc_result prc_mesh_cone(prc_mesh *mesh, double radius, double radius_top, double height, int around, int along,
                         prc_error *error);
/* A closed torus about the y axis: the center of its tube is `radius` m from the axis, and the tube has the radius
 * `tube` m, which must be smaller. Normals outwards. */
prc_result prc_mesh_torus(prc_mesh *mesh, double radius, double tube, int around, int across, prc_error *error);
/* A closed sphere: an icosahedron with `subdivisions` 0..8 (20·4^s triangles), normals outwards. */
prc_result prc_mesh_sphere(prc_mesh *mesh, double radius, int subdivisions, prc_error *error);

/* A ribbon: a flat strip, as long as a helix about the y axis, wound along it. It lies unstretched on the cylinder of
 * the helix, its ends are cut at a right angle, and it is centred at the origin, normals outwards. Its texture
 * coordinates are the flat strip: with `rest: texture` the ribbon is straight at rest. */
typedef struct prc_ribbon_def {
    double radius; /* m; 0: a straight ribbon along y, of length pitch · turns, normal +z */
    double pitch;  /* rise per turn, m; negative: wound to the left. Windings overlap unless it exceeds the width */
    double turns;
    double width; /* m */
    double twist; /* rotation of the strip about its own center line from end to end, degrees; stretches the strip */
    int cells[2]; /* along and across */
} prc_ribbon_def;

/* The defaults of the table `ribbon` in docs/scene.md; and the mesh, with results as from prc_mesh_grid. */
prc_ribbon_def prc_ribbon_def_default(void);
prc_result prc_mesh_ribbon(prc_mesh *mesh, const prc_ribbon_def *def, prc_error *error);

/* ---- points, for bodies of particles ---- */

typedef enum prc_lattice_pattern {
    PRC_LATTICE_CUBIC,
    PRC_LATTICE_HEXAGONAL, /* close packed: hexagonal layers across y, every other one above the first */
} prc_lattice_pattern;

/* Points in rows, centred at the origin. Point (i, j, k), counted along x, y and z, is vertex i + nx (j + ny k). */
typedef struct prc_lattice_def {
    int count[3];   /* along x, y, z */
    double spacing; /* of neighbours, m */
    prc_lattice_pattern pattern;
    double jitter; /* largest displacement as a fraction of the spacing, 0 to 0.45: distances stay above 1 − 2 jitter */
    int seed;      /* of the jitter: the same seed gives the same points on every machine */
} prc_lattice_def;

typedef enum prc_packing_shape {
    PRC_PACKING_BOX,
    PRC_PACKING_SPHERE,
    PRC_PACKING_CYLINDER, /* about y */
} prc_packing_shape;

/* Points at random places in a shape that is centred at the origin, none nearer to another than the spacing. Neighbours
 * in space are near in number. */
typedef struct prc_packing_def {
    prc_packing_shape shape;
    double size[3]; /* box: lengths along x, y, z, m */
    double radius;  /* sphere, cylinder, m */
    double length;  /* cylinder, along y, m */
    int count;      /* how many; 0: as many as fit, when each place is taken at random and kept */
    double spacing; /* least distance of two, m */
    int seed;       /* the same seed gives the same points on every machine */
} prc_packing_def;

/* The defaults of the tables `lattice` and `packing` in docs/scene.md. They have no spacing, which the caller sets. */
prc_lattice_def prc_lattice_def_default(void);
prc_packing_def prc_packing_def_default(void);

/* Meshes without triangles. More points than fit are refused, with the number that does. */
prc_result prc_mesh_lattice(prc_mesh *mesh, const prc_lattice_def *def, prc_error *error);
prc_result prc_mesh_packing(prc_mesh *mesh, const prc_packing_def *def, prc_error *error);

/* Copies everything into a new mesh, released with prc_mesh_release. */
prc_result prc_mesh_copy(prc_mesh *mesh, const prc_mesh *from, prc_error *error);
void prc_mesh_release(prc_mesh *mesh);

/* ---- checking and mending ---- */

/* Checks that the mesh can be simulated: finite positions, indices in range, no degenerate or duplicate triangle, every
 * edge in at most two triangles with consistent orientation, no vertex without a triangle or shared by separate fans.
 * The message lists the first problems and counts the rest. */
prc_result prc_mesh_check(const prc_mesh *mesh, prc_error *error);

typedef enum prc_mesh_fault {
    PRC_FAULT_VALUE,     /* a vertex whose position or texture is not finite */
    PRC_FAULT_INDEX,     /* a triangle with a corner that does not exist */
    PRC_FAULT_REPEATED,  /* a triangle that names a vertex twice */
    PRC_FAULT_FLAT,      /* a triangle with zero area */
    PRC_FAULT_DUPLICATE, /* a triangle with the vertices of an earlier one */
    PRC_FAULT_CROWDED,   /* an edge shared by more than two triangles */
    PRC_FAULT_TURNED,    /* an edge whose two triangles face opposite sides */
    PRC_FAULT_ISOLATED,  /* a vertex without triangles */
    PRC_FAULT_PINCHED,   /* a vertex shared by separate fans of triangles */
    PRC_FAULT_KINDS
} prc_mesh_fault;

typedef struct prc_mesh_problem {
    prc_mesh_fault kind;
    int triangle;    /* or −1 */
    int vertices[3]; /* of the triangle, the edge (the third is −1) or the vertex (two are) */
    int other;       /* duplicate: the earlier triangle; crowded: the number of triangles; else −1 */
} prc_mesh_problem;

/* All problems of a mesh; released with prc_mesh_problems_release. If a mesh has problems that make later checks
 * meaningless (such as corners that do not exist), those checks are skipped. */
typedef struct prc_mesh_problems {
    prc_mesh_problem *items;     /* sorted by kind, then in the order of the mesh */
    int count;                   /* number of items: at most 10000 of a kind */
    int counts[PRC_FAULT_KINDS]; /* number found of each kind */
} prc_mesh_problems;

/* Finds everything that prc_mesh_check would refuse. A bad mesh is not a failure of this function. */
prc_result prc_mesh_examine(const prc_mesh *mesh, prc_mesh_problems *problems, prc_error *error);
void prc_mesh_problems_release(prc_mesh_problems *problems);

/* Notes for the user about what was found and changed; the library itself never prints. Initialize with zeros. */
#define PRC_MESH_NOTES 12
typedef struct prc_mesh_report {
    int note_count;
    char notes[PRC_MESH_NOTES][160]; /* "3 isolated vertices removed" */
    int torn_vertices;               /* vertices with several texture coordinates; if any, mesh->texture is NULL */
    int first_torn;                  /* index of one of them */
} prc_mesh_report;

/* Repairs what has only one possible repair: removes triangles that name a vertex twice, duplicate triangles and
 * vertices without a triangle, and flips triangles that face the other way than most of their component, if it is
 * orientable. `numbers` keeps the original numbers of vertices that are renumbered. The report, which may be NULL, gets
 * a note for each kind of repair. Other problems remain for prc_mesh_check to refuse. On failure (out of memory) the
 * mesh is unchanged. */
prc_result prc_mesh_mend(prc_mesh *mesh, prc_mesh_report *report, prc_error *error);

/* ---- files ---- */

/* Reads a mesh without repairs: Wavefront OBJ, PLY, STL, Gmsh MSH 2.2 and 4.1, legacy VTK, glTF 2.0 (.gltf, .glb),
 * chosen by the file extension. Polygons are divided into triangles. Texture coordinates are kept if every vertex has
 * exactly one pair. */
prc_result prc_mesh_read(prc_mesh *mesh, const char *path, prc_error *error);

/* Processing of a mesh read from a file. */
typedef struct prc_mesh_file_def {
    int vertices[2];    /* range to keep: first vertex and count; {0, 0} keeps all */
    bool split_texture; /* OBJ, glTF: a vertex with several texture coordinates becomes several vertices */
    bool mend;          /* apply prc_mesh_mend */
    bool points;        /* accept a file with vertices and no triangles */
} prc_mesh_file_def;

prc_mesh_file_def prc_mesh_file_def_default(void); /* all vertices, not split, mended, with triangles */
/* Reads a mesh and processes it. `report` may be NULL. */
prc_result prc_mesh_load(prc_mesh *mesh, const char *path, const prc_mesh_file_def *def, prc_mesh_report *report,
                         prc_error *error);

/* Writes OBJ, PLY (binary, double precision), STL (binary, single precision) or legacy VTK (binary), chosen by the file
 * extension. The file is written completely or not at all. OBJ keeps texture, groups and stitches; PLY and VTK keep
 * texture and properties; STL keeps triangles only. */
prc_result prc_mesh_write(const prc_mesh *mesh, const char *path, prc_error *error);

/* Rotation by `degrees` about `axis` through the origin, then scaling, then translation, of every vertex. */
void prc_mesh_transform(prc_mesh *mesh, const double axis[3], double degrees, double scale, const double translate[3]);

#ifdef __cplusplus
}
#endif
#endif
