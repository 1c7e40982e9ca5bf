/* app/cli/check_pairs.c — writes the intersecting triangles found by `percale check` as a mesh.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "check.h"

static bool has_both(const int *triangle, const int *edge)
{
    int found = 0;
    for (int k = 0; k < 3; k++)
        found += triangle[k] == edge[0] || triangle[k] == edge[1];
    return found >= 2;
}

static bool crosses(const int *triangle, const prc_check_result *r, const bool *touched)
{
    if (!touched[triangle[0]] && !touched[triangle[1]] && !touched[triangle[2]])
        return false;
    for (int k = 0; k < r->listed_count; k++)
        if (!memcmp(triangle, r->listed[k].triangle, 3 * sizeof *triangle) || has_both(triangle, r->listed[k].edge))
            return true;
    return false;
}

/* Which triangles cross others, or meet a collider. */
static void find_offenders(const prc_checked *frame, bool *touched, bool *offends)
{
    const prc_check_result *r = &frame->surfaces;
    for (int k = 0; k < r->listed_count; k++) {
        for (int i = 0; i < 2; i++)
            touched[r->listed[k].edge[i]] = true;
        for (int i = 0; i < 3; i++)
            touched[r->listed[k].triangle[i]] = true;
    }
    for (int t = 0; t < frame->mesh->triangle_count; t++)
        offends[t] = crosses(frame->mesh->triangles + 3L * t, r, touched);
    for (int k = 0; k < frame->entered.listed_count; k++)
        if (frame->entered.listed[k].item < frame->mesh->triangle_count)
            offends[frame->entered.listed[k].item] = true;
}

/* Keeps those triangles of the mesh, and their vertices. */
static void keep_offenders(prc_mesh *mesh, const bool *offends, int *renumbered)
{
    int triangles = 0, vertices = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (offends[t])
            memmove(mesh->triangles + 3L * triangles++, mesh->triangles + 3L * t, 3 * sizeof(int));
    mesh->triangle_count = triangles;
    for (int i = 0; i < mesh->vertex_count; i++)
        renumbered[i] = -1;
    for (int i = 0; i < 3 * triangles; i++)
        renumbered[mesh->triangles[i]] = 0;
    for (int i = 0; i < mesh->vertex_count; i++)
        if (!renumbered[i]) {
            memmove(mesh->positions + 3L * vertices, mesh->positions + 3L * i, 3 * sizeof(double));
            renumbered[i] = vertices++;
        }
    mesh->vertex_count = vertices;
    for (int i = 0; i < 3 * triangles; i++)
        mesh->triangles[i] = renumbered[mesh->triangles[i]];
}

prc_result prc_check_write_offenders(const char *path, prc_checked *frame, prc_error *error)
{
    prc_mesh *mesh = frame->mesh;
    bool *touched = calloc((size_t)mesh->vertex_count + 1, sizeof *touched);
    bool *offends = calloc((size_t)mesh->triangle_count + 1, sizeof *offends);
    int *renumbered = malloc(((size_t)mesh->vertex_count + 1) * sizeof *renumbered);
    prc_result result = PRC_ERROR_MEMORY;
    if (touched && offends && renumbered) {
        find_offenders(frame, touched, offends);
        keep_offenders(mesh, offends, renumbered);
        prc_ply_frame written = {.vertex_count = mesh->vertex_count,
                                 .triangle_count = mesh->triangle_count,
                                 .positions = mesh->positions,
                                 .triangles = mesh->triangles,
                                 .comment = "triangles that intersect"};
        result = prc_ply_write(path, &written, error);
    } else {
        PRC_FAIL_MEMORY(error);
    }
    free(touched);
    free(offends);
    free(renumbered);
    return result;
}
