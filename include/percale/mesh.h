/* percale/mesh.h — triangle meshes: making, reading, checking.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_MESH_H
#define PERCALE_MESH_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A named part of a mesh: a group, object or material of an OBJ file, a physical group of a MSH file. */
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

/* A stitch of a sewing pattern: a vertex that belongs at a point of an edge, edge[0] + at (edge[1] − edge[0]). */
typedef struct prc_mesh_stitch {
    int vertex, edge[2];
    double at;
    int seam; /* number of the seam that it is part of, from 0 */
} prc_mesh_stitch;

/* A triangle mesh. A mesh that a percale function fills is released with prc_mesh_release; a caller may
 * also point the arrays at memory of their own and never release it here. */
typedef struct prc_mesh {
    int vertex_count;
    int triangle_count;
    double *positions; /* 3 per vertex, m */
    int *triangles;    /* 3 vertex indices per triangle, counter-clockwise seen from the front */
    double *texture;   /* 2 per vertex, m, or NULL: a flat pattern that may serve as the rest shape */
    /* What a file says besides; all may be absent. */
    prc_mesh_group *groups;
    int group_count;
    prc_mesh_property *properties;
    int property_count;
    prc_mesh_stitch *stitches;
    int stitch_count;
} prc_mesh;

typedef enum prc_grid_pattern {
    PRC_GRID_REGULAR,     /* every cell cut along the same diagonal */
    PRC_GRID_ALTERNATING, /* diagonals alternate like a chess board */
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

prc_grid_def prc_grid_def_default(void);

/* Each fills *mesh and returns PRC_OK, or leaves it zeroed and says why. Corner numbers of a grid as scene
 * files use them: 0 (-x,-y), 1 (+x,-y), 2 (+x,+y), 3 (-x,+y). */
prc_result prc_mesh_grid(prc_mesh *mesh, const prc_grid_def *def, prc_error *error);
/* A disc of `radius` m in the x–y plane, `rings` rings of near-equilateral triangles, normal +z. */
prc_result prc_mesh_disc(prc_mesh *mesh, double radius, int rings, prc_error *error);
/* An open cylinder about the y axis, centred at the origin, normals outwards. */
prc_result prc_mesh_cylinder(prc_mesh *mesh, double radius, double height, int around, int along, prc_error *error);
/* The same with `radius` m at its lower end and `radius_top` at its upper one, both above 0: a funnel, a skirt. */
prc_result prc_mesh_cone(prc_mesh *mesh, double radius, double radius_top, double height, int around, int along,
                         prc_error *error);
/* A closed sphere: an icosahedron with `subdivisions` 0..8 (20·4^s triangles), normals outwards. */
prc_result prc_mesh_sphere(prc_mesh *mesh, double radius, int subdivisions, prc_error *error);

/* Copies everything into a mesh that percale owns. */
prc_result prc_mesh_copy(prc_mesh *mesh, const prc_mesh *from, prc_error *error);
void prc_mesh_release(prc_mesh *mesh);

/* Checks that the mesh can be simulated: finite positions, indices in range, no degenerate or duplicate
 * triangle, every edge in at most two triangles with consistent orientation, no vertex without a
 * triangle or pinched between two fans. The message names the first offender and counts the rest. */
prc_result prc_mesh_check(const prc_mesh *mesh, prc_error *error);

/* Wavefront OBJ (polygons are cut into fans) and PLY (ASCII, binary in both byte orders), chosen by the ending. */
prc_result prc_mesh_read(prc_mesh *mesh, const char *path, prc_error *error);

/* Rotation by `degrees` about `axis` through the origin, then scaling, then translation, of every vertex. */
void prc_mesh_transform(prc_mesh *mesh, const double axis[3], double degrees, double scale, const double translate[3]);

#ifdef __cplusplus
}
#endif
#endif
