/* mesh/mesh.c — operations on whole meshes: copying, releasing, transforming. Generating, checking and reading are in
 * other files.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/mesh.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "mesh/mend.h"

#include <math.h>
#include <string.h>

/* A copy of `count` items, in *to; false: out of memory. */
static bool copy_items(void **to, const void *from, size_t count, size_t size)
{
    *to = from ? prc_alloc(count, size) : NULL;
    if (*to && count)
        memcpy(*to, from, count * size);
    return *to || !from;
}

static bool copy_groups(prc_mesh *copy, const prc_mesh *from)
{
    copy->groups = from->group_count ? PRC_NEW(prc_mesh_group, from->group_count) : NULL;
    bool good = copy->groups || !from->group_count;
    for (int g = 0; good && g < from->group_count; g++) {
        prc_mesh_group *to = &copy->groups[copy->group_count++];
        *to = (prc_mesh_group){.vertex_count = from->groups[g].vertex_count};
        good = copy_items((void **)&to->name, from->groups[g].name, strlen(from->groups[g].name) + 1, 1) &&
               copy_items((void **)&to->vertices, from->groups[g].vertices, (size_t)to->vertex_count, sizeof(int));
    }
    return good;
}

static bool copy_properties(prc_mesh *copy, const prc_mesh *from)
{
    copy->properties = from->property_count ? PRC_NEW(prc_mesh_property, from->property_count) : NULL;
    bool good = copy->properties || !from->property_count;
    for (int p = 0; good && p < from->property_count; p++) {
        prc_mesh_property *to = &copy->properties[copy->property_count++];
        *to = (prc_mesh_property){0};
        good = copy_items((void **)&to->name, from->properties[p].name, strlen(from->properties[p].name) + 1, 1) &&
               copy_items((void **)&to->values, from->properties[p].values, (size_t)from->vertex_count, sizeof(double));
    }
    return good;
}

prc_result prc_mesh_fits(const prc_mesh *mesh, prc_error *error)
{
    if (mesh->vertex_count <= PRC_MOST_VERTICES && mesh->triangle_count <= PRC_MOST_TRIANGLES)
        return PRC_OK;
    return prc_fail(error, PRC_ERROR_INPUT, "mesh: %d vertices and %d triangles are too many; expected " PRC_MOST_TEXT,
                    mesh->vertex_count, mesh->triangle_count);
}

prc_result prc_mesh_copy(prc_mesh *mesh, const prc_mesh *from, prc_error *error)
{
    const prc_mesh source = *from; /* so that a mesh may be copied onto itself */
    *mesh = (prc_mesh){0};
    if (source.vertex_count < 0 || source.triangle_count < 0 || (source.vertex_count && !source.positions) ||
        (source.triangle_count && !source.triangles))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "mesh with %d vertices and %d triangles: counts are negative or arrays are missing",
                        source.vertex_count, source.triangle_count);
    if (prc_mesh_fits(&source, error))
        return PRC_ERROR_INPUT;

    const size_t vertices = (size_t)source.vertex_count, triangles = (size_t)source.triangle_count;
    prc_mesh copy = {.vertex_count = source.vertex_count,
                     .triangle_count = source.triangle_count,
                     .stitch_count = source.stitch_count};
    if (!copy_items((void **)&copy.positions, source.positions, 3 * vertices, sizeof(double)) ||
        !copy_items((void **)&copy.triangles, source.triangles, 3 * triangles, sizeof(int)) ||
        !copy_items((void **)&copy.texture, source.texture, 2 * vertices, sizeof(double)) ||
        !copy_items((void **)&copy.numbers, source.numbers, vertices, sizeof(int)) ||
        !copy_items((void **)&copy.stitches, source.stitches, (size_t)source.stitch_count, sizeof *source.stitches) ||
        !copy_groups(&copy, &source) || !copy_properties(&copy, &source)) {
        prc_mesh_release(&copy);
        return PRC_FAIL_MEMORY(error);
    }
    *mesh = copy;
    return PRC_OK;
}

void prc_mesh_forget(prc_mesh *mesh)
{
    prc_free(mesh->texture);
    prc_free(mesh->numbers);
    for (int p = 0; p < mesh->property_count; p++) {
        prc_free(mesh->properties[p].name);
        prc_free(mesh->properties[p].values);
    }
    prc_free(mesh->properties);
    mesh->texture = NULL;
    mesh->numbers = NULL;
    mesh->properties = NULL;
    mesh->property_count = 0;
}

void prc_mesh_release(prc_mesh *mesh)
{
    prc_mesh_forget(mesh);
    prc_free(mesh->positions);
    prc_free(mesh->triangles);
    for (int g = 0; g < mesh->group_count; g++) {
        prc_free(mesh->groups[g].name);
        prc_free(mesh->groups[g].vertices);
    }
    prc_free(mesh->groups);
    prc_free(mesh->stitches);
    *mesh = (prc_mesh){0};
}

/* Quarter turns are exact, so that a grid laid flat by 90 degrees has the same height everywhere. */
static void turn(double degrees, double *cosine, double *sine)
{
    static const double quarter[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double within = fmod(degrees, 360.0);
    if (within < 0)
        within += 360.0;
    double quarters = within / 90.0;
    if (quarters == floor(quarters) && quarters >= 0 && quarters <= 4) {
        *cosine = quarter[(int)quarters % 4][0];
        *sine = quarter[(int)quarters % 4][1];
        return;
    }
    double radians = within * (acos(-1.0) / 180.0);
    *cosine = cos(radians);
    *sine = sin(radians);
}

/* Rotation matrix by Rodrigues' formula; a zero axis turns nothing. */
static void rotation_matrix(const double axis[3], double degrees, double R[3][3])
{
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double c = 1, s = 0, n[3] = {0, 0, 0};
    if (length > 0) {
        turn(degrees, &c, &s);
        for (int k = 0; k < 3; k++)
            n[k] = axis[k] / length;
    }
    const double cross[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = (i == j ? c : 0) + s * cross[i][j] + (1 - c) * n[i] * n[j];
}

void prc_mesh_transform(prc_mesh *mesh, const double axis[3], double degrees, double scale, const double translate[3])
{
    double R[3][3];
    rotation_matrix(axis, degrees, R);
    for (int i = 0; i < mesh->vertex_count; i++) {
        double *x = mesh->positions + 3 * (size_t)i;
        const double from[3] = {x[0], x[1], x[2]};
        for (int k = 0; k < 3; k++)
            x[k] = scale * (R[k][0] * from[0] + R[k][1] * from[1] + R[k][2] * from[2]) + translate[k];
    }
}
