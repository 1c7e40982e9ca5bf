/* mesh/part.c — see part.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "mesh/part.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static bool inside(int vertex, int first, int count)
{
    return vertex >= first && vertex - first < count;
}

/* A range that cuts a triangle is a mistake. */
static prc_result keep_triangles(prc_mesh *mesh, int first, int count, prc_error *error)
{
    int kept = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        int corners[3], within = 0;
        for (int k = 0; k < 3; k++) {
            const int vertex = mesh->triangles[3 * (size_t)t + (size_t)k];
            within += inside(vertex, first, count);
            corners[k] = vertex - first;
        }
        if (within == 1 || within == 2)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "triangle %d has corners inside and outside of the %d vertices from number %d on; expected "
                            "vertices that are joined to each other only",
                            t, count, first);
        if (within == 3)
            memcpy(mesh->triangles + 3 * (size_t)kept++, corners, sizeof corners);
    }
    mesh->triangle_count = kept;
    return PRC_OK;
}

static void keep_groups(prc_mesh *mesh, int first, int count)
{
    int kept = 0;
    for (int g = 0; g < mesh->group_count; g++) {
        prc_mesh_group group = mesh->groups[g];
        int vertices = 0;
        for (int k = 0; k < group.vertex_count; k++)
            if (inside(group.vertices[k], first, count))
                group.vertices[vertices++] = group.vertices[k] - first;
        group.vertex_count = vertices;
        if (vertices) {
            mesh->groups[kept++] = group;
        } else {
            prc_free(group.name);
            prc_free(group.vertices);
        }
    }
    mesh->group_count = kept;
}

static void keep_stitches(prc_mesh *mesh, int first, int count)
{
    int kept = 0;
    for (int s = 0; s < mesh->stitch_count; s++) {
        prc_mesh_stitch stitch = mesh->stitches[s];
        if (!inside(stitch.vertex, first, count) || !inside(stitch.edge[0], first, count) ||
            !inside(stitch.edge[1], first, count))
            continue;
        stitch.vertex -= first;
        stitch.edge[0] -= first;
        stitch.edge[1] -= first;
        mesh->stitches[kept++] = stitch;
    }
    mesh->stitch_count = kept;
}

prc_result prc_mesh_keep(prc_mesh *mesh, int first, int count, prc_error *error)
{
    if (first < 0 || count < 1 || first >= mesh->vertex_count || count > mesh->vertex_count - first)
        return prc_fail(error, PRC_ERROR_INPUT, "%d vertices from number %d on; the file has %d", count, first,
                        mesh->vertex_count);
    prc_result result = keep_triangles(mesh, first, count, error);
    if (result)
        return result;
    keep_groups(mesh, first, count);
    keep_stitches(mesh, first, count);
    memmove(mesh->positions, mesh->positions + 3 * (size_t)first, 3 * (size_t)count * sizeof(double));
    if (mesh->texture)
        memmove(mesh->texture, mesh->texture + 2 * (size_t)first, 2 * (size_t)count * sizeof(double));
    for (int p = 0; p < mesh->property_count; p++)
        memmove(mesh->properties[p].values, mesh->properties[p].values + first, (size_t)count * sizeof(double));
    mesh->vertex_count = count;
    return PRC_OK;
}
