/* app/cli/parts.c — see parts.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* As the frame says. Bodies come first, in any case. */
static bool take_told(prc_parts *parts, const prc_ply_extra *extra)
{
    if (!extra->part_count)
        return false;
    for (int p = 0; p < extra->part_count; p++) {
        const prc_ply_part *part = &extra->parts[p];
        if (!part->obstacle && parts->body_count < p)
            return false;
        parts->items[p] = (prc_obj_part){.name = part->name, .vertex_count = part->vertex_count};
        parts->body_count += !part->obstacle;
    }
    parts->count = extra->part_count;
    return true;
}

/* Vertices that are no obstacles, then those that are. */
static bool take_marked(prc_parts *parts, const prc_mesh *mesh, const bool *obstacle)
{
    int bodies = 0;
    while (obstacle && bodies < mesh->vertex_count && !obstacle[bodies])
        bodies++;
    for (int i = bodies; obstacle && i < mesh->vertex_count; i++)
        if (!obstacle[i])
            return false;
    if (!obstacle || !bodies || bodies == mesh->vertex_count)
        return false;
    parts->items[0] = (prc_obj_part){.vertex_count = bodies};
    parts->items[1] = (prc_obj_part){.vertex_count = mesh->vertex_count - bodies};
    parts->count = 2;
    parts->body_count = 1;
    return true;
}

/* Groups one after the other, the largest where several begin at the same vertex. */
static bool take_groups(prc_parts *parts, const prc_mesh *mesh)
{
    for (int first = 0; first < mesh->vertex_count;) {
        const prc_mesh_group *best = NULL;
        for (int g = 0; g < mesh->group_count; g++) {
            const prc_mesh_group *group = &mesh->groups[g];
            const bool run = group->vertex_count && group->vertices[0] == first &&
                             group->vertices[group->vertex_count - 1] == first + group->vertex_count - 1;
            if (run && (!best || group->vertex_count > best->vertex_count))
                best = group;
        }
        if (!best || parts->count == mesh->group_count)
            return false;
        parts->items[parts->count++] = (prc_obj_part){.name = best->name, .vertex_count = best->vertex_count};
        first += best->vertex_count;
    }
    parts->body_count = parts->count;
    return parts->count > 0;
}

static void take_all(prc_parts *parts, const prc_mesh *mesh)
{
    parts->items[0] = (prc_obj_part){.vertex_count = mesh->vertex_count};
    parts->count = parts->body_count = 1;
}

/* Counts the shapes of `size` corners of each part, and puts them in the order of parts; false where one is in two. */
static bool sort(prc_parts *parts, const int *owner, const int *shapes, int count, int size, int *sorted, int *at)
{
    memset(at, 0, ((size_t)parts->count + 1) * sizeof *at);
    for (size_t k = 0; k < (size_t)count; k++) {
        const int *v = shapes + (size_t)size * k;
        for (int c = 1; c < size; c++)
            if (owner[v[c]] != owner[v[0]])
                return false;
        at[owner[v[0]] + 1]++;
    }
    for (int p = 0; p < parts->count; p++) {
        *(size == 3 ? &parts->items[p].triangle_count : &parts->items[p].edge_count) = at[p + 1];
        at[p + 1] += at[p];
    }
    for (size_t k = 0; k < (size_t)count; k++) {
        const int *v = shapes + (size_t)size * k;
        memcpy(sorted + (size_t)size * (size_t)at[owner[v[0]]]++, v, (size_t)size * sizeof *v);
    }
    return true;
}

static bool sort_all(prc_parts *parts, const prc_source_frame *frame, int *owner, int *at)
{
    const prc_mesh *mesh = &frame->mesh;
    int vertex = 0;
    for (int p = 0; p < parts->count; p++) {
        const double radius = frame->extra.radius && vertex < mesh->vertex_count ? frame->extra.radius[vertex] : 0;
        parts->items[p].texture = mesh->texture ? mesh->texture + 2L * vertex : NULL;
        for (int i = 0; i < parts->items[p].vertex_count; i++)
            owner[vertex++] = p;
        parts->items[p].radius = radius > 0 ? radius : 0; /* of its triangles and edges, if any, below */
    }
    const bool sorted = sort(parts, owner, mesh->triangles, mesh->triangle_count, 3, parts->triangles, at) &&
                        sort(parts, owner, frame->extra.edges, frame->extra.edge_count, 2, parts->edges, at);
    for (int p = 0; p < parts->count; p++)
        if (parts->items[p].triangle_count || parts->items[p].edge_count)
            parts->items[p].radius = 0;
    return sorted;
}

prc_result prc_parts_find(prc_parts *parts, const prc_source_frame *frame, prc_error *error)
{
    const prc_mesh *mesh = &frame->mesh;
    const int told = frame->extra.part_count, most = (told > mesh->group_count ? told : mesh->group_count) + 2;
    int *owner = PRC_NEW(int, mesh->vertex_count), *at = PRC_NEW(int, most + 1);
    *parts = (prc_parts){.items = PRC_NEW(prc_obj_part, most),
                         .triangles = PRC_NEW(int, 3 * (size_t)mesh->triangle_count),
                         .edges = PRC_NEW(int, 2 * (size_t)frame->extra.edge_count)};
    const bool good = owner && at && parts->items && parts->triangles && parts->edges;
    for (int way = 0; good && way < 4; way++) {
        parts->count = parts->body_count = 0;
        const bool found = way == 0   ? take_told(parts, &frame->extra)
                           : way == 1 ? take_marked(parts, mesh, frame->extra.obstacle)
                           : way == 2 ? take_groups(parts, mesh)
                                      : true;
        if (way == 3)
            take_all(parts, mesh);
        if (found && sort_all(parts, frame, owner, at))
            break;
    }
    prc_free(owner);
    prc_free(at);
    if (good)
        return PRC_OK;
    prc_parts_release(parts);
    return PRC_FAIL_MEMORY(error);
}

void prc_parts_release(prc_parts *parts)
{
    prc_free(parts->items);
    prc_free(parts->triangles);
    prc_free(parts->edges);
    *parts = (prc_parts){0};
}
