/* mesh/mend.h — notes on meshes, and extraction of parts of meshes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_MEND_H
#define PRC_MESH_MEND_H

#include <percale/mesh.h>

/* Refuses a mesh that is larger than base/limits.h allows, before anything looks at its arrays. */
prc_result prc_mesh_fits(const prc_mesh *mesh, prc_error *error);

/* Adds a note; where there is no room, or `report` is NULL, it is lost. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void prc_mesh_note(prc_mesh_report *report, const char *format, ...);

/* Keeps the vertices with keep[i] ≥ 0 and gives them these numbers, which increase and leave none out; groups,
 * properties and stitches follow, stitches of what is gone go too. Triangles are left alone: the caller has seen to
 * them. `numbers` is not made; where the mesh has it, it follows. Returns the number of stitches that went. */
int prc_mesh_keep(prc_mesh *mesh, const int *keep);

/* Keeps `range[1]` vertices from number range[0] on, and their triangles; numbers begin anew at 0. */
prc_result prc_mesh_keep_range(prc_mesh *mesh, const int range[2], prc_error *error);

/* Releases all that is kept per vertex besides positions: texture, numbers, properties. */
void prc_mesh_forget(prc_mesh *mesh);

/* The number of a vertex in its file. */
static inline int prc_mesh_number(const prc_mesh *mesh, int vertex)
{
    return mesh->numbers ? mesh->numbers[vertex] : vertex;
}

/* The vertex that has this number in its file, the first where several do; −1 where there is none. Numbers are never
 * below the place of their first vertex. */
static inline int prc_mesh_find(const prc_mesh *mesh, int number)
{
    int i = number < mesh->vertex_count ? number : mesh->vertex_count - 1;
    if (!mesh->numbers)
        return i == number ? i : -1;
    while (i >= 0 && mesh->numbers[i] != number)
        i--;
    return i;
}

#endif
