/* test/revolve.h — closed meshes of revolution, for colliders that are not convex. For C and C++.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_REVOLVE_H
#define PRC_TEST_REVOLVE_H

#include <percale/mesh.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Turns a closed outline of `count` points (r, y), r > 0, about the y axis. The outline has to run counter-clockwise in
 * the (r, y) plane, for triangles that face outwards. The caller frees positions and triangles. */
static inline prc_mesh revolve(const double (*outline)[2], int count, int around)
{
    prc_mesh mesh;
    memset(&mesh, 0, sizeof mesh);
    mesh.vertex_count = count * around;
    mesh.triangle_count = 2 * count * around;
    mesh.positions = (double *)calloc((size_t)mesh.vertex_count, 3 * sizeof(double));
    mesh.triangles = (int *)calloc((size_t)mesh.triangle_count, 3 * sizeof(int));
    for (int a = 0; a < around; a++)
        for (int k = 0; k < count; k++) {
            const double angle = 2 * 3.14159265358979323846 * a / around;
            double *x = mesh.positions + 3 * (a * count + k);
            x[0] = outline[k][0] * cos(angle);
            x[1] = outline[k][1];
            x[2] = outline[k][0] * sin(angle);
            const int here = a * count + k, up = a * count + (k + 1) % count, next = (a + 1) % around * count + k,
                      both = (a + 1) % around * count + (k + 1) % count;
            const int six[6] = {here, up, both, here, both, next};
            for (int c = 0; c < 6; c++)
                mesh.triangles[6 * (a * count + k) + c] = six[c];
        }
    return mesh;
}

/* A bowl: the part of a shell between radii 0.4 and 0.5 below y = 0, closed at the rim; hollow, so not convex. */
static inline prc_mesh make_bowl(int around)
{
    enum { ARC = 24 };
    const double quarter = 3.14159265358979323846 / 2;
    double outline[2 * ARC][2];
    for (int k = 0; k < ARC; k++) {
        const double angle = 0.02 + (quarter - 0.02) * k / (ARC - 1); /* from the bottom up */
        outline[k][0] = 0.5 * sin(angle);
        outline[k][1] = -0.5 * cos(angle);
        outline[2 * ARC - 1 - k][0] = 0.4 * sin(angle);
        outline[2 * ARC - 1 - k][1] = -0.4 * cos(angle);
    }
    return revolve((const double(*)[2])outline, 2 * ARC, around);
}

static inline void free_revolved(prc_mesh *mesh)
{
    free(mesh->positions);
    free(mesh->triangles);
}

#endif
