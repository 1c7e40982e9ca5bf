/* io/ply.h — PLY, the polygon file format of Stanford: reading meshes, writing frames.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_PLY_H
#define PRC_IO_PLY_H

#include <percale/mesh.h>

/* A run of vertices that is a body or an obstacle. */
typedef struct prc_ply_part {
    char name[64]; /* as the scene calls it, cut to fit; "" for none */
    int vertex_count;
    bool obstacle, particles;
    double
        thickness; /* with contact, m; of a comment "thickness PART …"; 0: not told, as in scenes without particles */
} prc_ply_part;

/* What a frame says besides its mesh; released with prc_ply_extra_release. */
typedef struct prc_ply_extra {
    bool *obstacle; /* per vertex: the property `obstacle` is not 0; NULL where there is none */
    int *edges;     /* the element `edge`, properties vertex1 and vertex2: 2 vertices each */
    int edge_count;
    double time; /* of the comment "percale, time … s"; NaN where there is none */
    prc_ply_part
        *parts; /* of comments "part body|particles|obstacle N name", where they cover all vertices; else NULL */
    int part_count;
    const double
        *radius; /* per vertex: the property `radius` of the mesh, to which it belongs; NULL where there is none.
                  * Above 0 the vertex is the centre of a ball, unless it is part of a triangle or an edge */
} prc_ply_extra;

/* As prc_mesh_read, for a PLY file: texture coordinates are the vertex properties u v, s t or texture_u texture_v,
 * other numbers of vertices become properties. One whose vertices have the property `radius` needs no faces. Numbers
 * are read in the calling thread's locale. Failure leaves both zeroed. */
prc_result prc_ply_read_frame(prc_mesh *mesh, prc_ply_extra *extra, const char *path, prc_error *error);
void prc_ply_extra_release(prc_ply_extra *extra);
/* The property `radius` of a mesh; NULL where there is none. */
const double *prc_ply_radius(const prc_mesh *mesh);
/* The time of a frame, from its header alone: s, or NaN where it says none or cannot be read. */
double prc_ply_peek_time(const char *path);

/* What one frame shows. */
typedef struct prc_ply_frame {
    int vertex_count;
    int triangle_count;
    const double *positions;  /* 3 per vertex, m */
    const int *triangles;     /* 3 per triangle */
    const double *velocities; /* 3 per vertex, m/s, or NULL: vx vy vz */
    const double *stretches;  /* 2 per vertex, or NULL: stretch_max stretch_min */
    const char *comment;      /* or NULL; each of its lines becomes a comment line */
    const double *pressures;  /* 1 per vertex, Pa, or NULL: pressure */
    const double *gaps;       /* 1 per vertex, m, or NULL: gap */
    const double *residuals;  /* 1 per vertex, m/s, or NULL: residual */
    const bool *obstacle;     /* per vertex, or NULL: obstacle */
    const int *edges;         /* 2 per edge that is no side of a triangle: vertex1 vertex2 */
    int edge_count;
    const double *stresses;   /* 2 per vertex, N/m, or NULL: stress_max stress_min */
    const double *curvatures; /* 2 per vertex, 1/m and 1/m², or NULL: curvature_mean curvature_gauss */
    const double *energies;   /* 1 per vertex, J/m², or NULL: energy */
    const double *radii;      /* 1 per vertex, m, 0 for what is no particle, or NULL: radius */
    bool is_double;           /* numbers are kept in double precision; else they become single */
} prc_ply_frame;

/* Writes a binary little-endian file, whole or not at all. */
prc_result prc_ply_write(const char *path, const prc_ply_frame *frame, prc_error *error);

#endif
