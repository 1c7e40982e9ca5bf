/* check/collider.h — verifies that surfaces stay out of colliders, with code that the solver does not use.
 *
 * Whole triangles are tested, not only their corners, so a rod much thinner than the triangles is found too. Distances
 * to colliders are implemented independently here; see check.h for what the checker may include.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_COLLIDER_H
#define PRC_CHECK_COLLIDER_H

#include <percale/contact.h>

/* A collider where it is. Its own frame has y along the axis and the origin in the middle; a plane is collider below y
 * = 0.
 */
typedef struct prc_check_collider {
    prc_shape_kind kind;
    double radius, radius_top, half_length, half_size[3]; /* m; of a cone, `radius` is at −half_length */
    double turn[3][3], shift[3];                          /* own frame to the world: x = turn q + shift */
    const double *mesh_positions;                         /* PRC_SHAPE_MESH: closed, in the own frame */
    int mesh_vertex_count;
    const int *mesh_triangles;
    int mesh_triangle_count;
} prc_check_collider;

typedef struct prc_check_collider_options {
    const bool *obstacle; /* per vertex, or NULL. A primitive whose vertices are all obstacles' is left out */
    double rounding;      /* of the positions, relative: 0 for doubles, 2^-24 where they were floats */
    bool skip_distances;
    int most_listed; /* meetings that are described; all are counted */
    int threads;     /* 0: one. The result does not depend on it */
} prc_check_collider_options;

/* 10 meetings listed, no obstacles, no rounding, distances measured. */
prc_check_collider_options prc_check_collider_options_default(void);

/* A triangle, edge or point and a collider. */
typedef struct prc_check_meeting {
    int collider, item; /* item: of the triangles given */
    int vertices[3];    /* of the item */
    double depth;    /* of the deepest point found, m, within 1 % or a few thousand tries; 0: of a mesh, only pierced */
    double point[3]; /* that point, in the world, m; where nothing else is known, the middle of the item */
    bool undecided;  /* neither was proved */
} prc_check_meeting;

typedef struct prc_check_collider_result {
    long long pairs;        /* item–collider pairs whose boxes meet, or may be nearer than others */
    long long meetings;     /* of them, those that have a point inside, and those that are undecided */
    long long undecided;    /* closer than anything that could be proved */
    long long *of_collider; /* meetings of each collider */
    int listed_count;
    prc_check_meeting *listed; /* the deepest first, then in order of colliders and items */
    /* The smallest distance of what does not meet, within 0.1 % or a few hundred tries, never below the true one. */
    bool nearest_found;
    prc_check_meeting nearest; /* depth: minus the distance */
} prc_check_collider_result;

/* Tests every triangle against every collider. One that repeats a vertex stands for an edge, one that names one vertex
 * three times for a point. It meets a collider if a point of it is deeper inside than rounding reaches (64 ε of the
 * size of coordinates and collider, and the rounding of positions); those for which neither this nor the opposite could
 * be proved count as well. Meshes: if it has a point in common with the surface, exactly, or is inside. On failure
 * *result is zeroed; else it is released with prc_check_collider_result_release. */
prc_result prc_check_colliders(const double *positions, int vertex_count, const int *triangles, int triangle_count,
                               const prc_check_collider *colliders, int collider_count,
                               const prc_check_collider_options *options, prc_check_collider_result *result,
                               prc_error *error);
void prc_check_collider_result_release(prc_check_collider_result *result);

#endif
