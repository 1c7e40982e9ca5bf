/* io/faces.h — polygons read from a file, and their triangulation.
 *
 * Convex polygons are cut into a fan from their first corner. Others, and those with corners on a straight line, are
 * cut ear by ear (G. Meisters 1975), the best-shaped ear first, in the plane of their mean normal (Newell's). A polygon
 * that crosses itself has no good triangulation; it gets the same number of triangles anyway.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_FACES_H
#define PRC_IO_FACES_H

#include <percale/mesh.h>

typedef struct prc_faces {
    const char *path; /* for messages */
    prc_error *error;
    int *corners; /* vertices, face after face */
    int *second;  /* a second number per corner, for those who want one */
    int corner_count, corner_capacity;
    int *ends; /* per face: where its corners end */
    int count, capacity;
} prc_faces;

/* Appends a corner to the face that is being read. */
prc_result prc_faces_corner(prc_faces *faces, int vertex, int second);
/* Ends the face, whose corners are at least 3. */
prc_result prc_faces_end(prc_faces *faces);
prc_result prc_faces_triangle(prc_faces *faces, int a, int b, int c);
void prc_faces_release(prc_faces *faces);

/* Sets the triangles of the mesh, whose positions are known and hold every corner. */
prc_result prc_faces_cut(const prc_faces *faces, prc_mesh *mesh);

#endif
