/* mesh/part.h — a part of a mesh.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_PART_H
#define PRC_MESH_PART_H

#include <percale/mesh.h>

/* Keeps `count` vertices from number `first` on, with their triangles and all that the mesh says of them: groups
 * without vertices and stitches to vertices elsewhere go. Refused where a triangle would be cut; the mesh is to be
 * released then. */
prc_result prc_mesh_keep(prc_mesh *mesh, int first, int count, prc_error *error);

#endif
