/* io/problems.h — shows the problems of a mesh in a coloured PLY file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_PROBLEMS_H
#define PRC_IO_PROBLEMS_H

#include <percale/mesh.h>

/* Writes the mesh in grey and, with a colour per vertex, what prc_mesh_examine found: edges of more than two triangles
 * yellow, their triangles red; edges where sides change yellow, the triangles there orange; duplicates and triangles
 * without area magenta, the latter as lines; isolated vertices blue points; triangles at pinched vertices violet. Whole
 * or not at all. Expects numbers that are finite and indices in range. */
prc_result prc_problems_write(const char *path, const prc_mesh *mesh, const prc_mesh_problems *problems,
                              prc_error *error);

#endif
