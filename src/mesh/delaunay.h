/* mesh/delaunay.h — makes a flat triangulation Delaunay by flipping edges.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_DELAUNAY_H
#define PRC_MESH_DELAUNAY_H

#include <percale/mesh.h>

/* Flips inner edges until every one is locally Delaunay (to 1e-12 in the sine of the sum of the opposite angles).
 * Expects a manifold mesh of counter-clockwise triangles in the x–y plane; z is ignored. Keeps vertices and boundary.
 * Every triangle stays counter-clockwise. Failure (memory only) leaves the mesh as it was. */
prc_result prc_mesh_flip_to_delaunay(prc_mesh *mesh, prc_error *error);

#endif
