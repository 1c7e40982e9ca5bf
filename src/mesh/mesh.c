/* mesh/mesh.c — a mesh as a whole: copying, releasing, placing. Making, checking and reading have files of their own.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/mesh.h>

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

prc_result prc_mesh_copy(prc_mesh *mesh, const prc_mesh *from, prc_error *error)
{
    const prc_mesh source = *from; /* so that a mesh may be copied onto itself */
    *mesh = (prc_mesh){0};
    if (source.vertex_count < 0 || source.triangle_count < 0 || (source.vertex_count && !source.positions) ||
        (source.triangle_count && !source.triangles))
        return prc_fail(error, PRC_ERROR_INPUT, "mesh with %d vertices and %d triangles: negative counts or no arrays",
                        source.vertex_count, source.triangle_count);

    size_t vertices = (size_t)source.vertex_count, triangles = (size_t)source.triangle_count;
    prc_mesh copy = {source.vertex_count, source.triangle_count, NULL, NULL, NULL};
    copy.positions = PRC_NEW(double, 3 * vertices);
    copy.triangles = PRC_NEW(int, 3 * triangles);
    copy.texture = source.texture ? PRC_NEW(double, 2 * vertices) : NULL;
    if (!copy.positions || !copy.triangles || (source.texture && !copy.texture)) {
        prc_mesh_release(&copy);
        return PRC_FAIL_MEMORY(error);
    }
    if (vertices)
        memcpy(copy.positions, source.positions, 3 * vertices * sizeof(double));
    if (triangles)
        memcpy(copy.triangles, source.triangles, 3 * triangles * sizeof(int));
    if (vertices && copy.texture)
        memcpy(copy.texture, source.texture, 2 * vertices * sizeof(double));
    *mesh = copy;
    return PRC_OK;
}

void prc_mesh_release(prc_mesh *mesh)
{
    prc_free(mesh->positions);
    prc_free(mesh->triangles);
    prc_free(mesh->texture);
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
