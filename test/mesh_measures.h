/* test/mesh_measures.h — area, orientation and topology of meshes, independent of the library's own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_MESH_MEASURES_H
#define PRC_TEST_MESH_MEASURES_H

#include <math.h>
#include <percale/percale.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static inline void triangle_normal(const prc_mesh *mesh, int t, double n[3])
{
    const double *x[3];
    for (int c = 0; c < 3; c++)
        x[c] = mesh->positions + 3 * mesh->triangles[3 * t + c];
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = x[1][k] - x[0][k];
        b[k] = x[2][k] - x[0][k];
    }
    n[0] = 0.5 * (a[1] * b[2] - a[2] * b[1]);
    n[1] = 0.5 * (a[2] * b[0] - a[0] * b[2]);
    n[2] = 0.5 * (a[0] * b[1] - a[1] * b[0]);
}

static inline double area(const prc_mesh *mesh)
{
    double sum = 0, n[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        triangle_normal(mesh, t, n);
        sum += sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return sum;
}

static inline int compare_edges(const void *left, const void *right)
{
    const int *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* Vertices - edges + triangles. */
static inline int euler_characteristic(const prc_mesh *mesh)
{
    int count = 3 * mesh->triangle_count, different = 0;
    int(*edges)[2] = malloc((size_t)count * sizeof *edges);
    for (int k = 0; k < count; k++) {
        int a = mesh->triangles[k], b = mesh->triangles[k % 3 == 2 ? k - 2 : k + 1];
        edges[k][0] = a < b ? a : b;
        edges[k][1] = a < b ? b : a;
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int k = 0; k < count; k++)
        different += k == 0 || compare_edges(edges[k - 1], edges[k]) != 0;
    free(edges);
    return mesh->vertex_count - different + mesh->triangle_count;
}

/* The smallest z of any normal, per area of the triangle. */
static inline double smallest_upward(const prc_mesh *mesh)
{
    double smallest = 1, n[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        triangle_normal(mesh, t, n);
        smallest = fmin(smallest, n[2] / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]));
    }
    return smallest;
}

/* The smallest scalar product of a unit normal with the unit direction from the axis (or from the origin). */
static inline double smallest_outward(const prc_mesh *mesh, bool about_y)
{
    double smallest = 1, n[3];
    for (int t = 0; t < mesh->triangle_count; t++) {
        triangle_normal(mesh, t, n);
        double centre[3] = {0, 0, 0};
        for (int k = 0; k < 9; k++)
            centre[k % 3] += mesh->positions[3 * mesh->triangles[3 * t + k / 3] + k % 3] / 3;
        if (about_y)
            centre[1] = 0;
        double along = n[0] * centre[0] + n[1] * centre[1] + n[2] * centre[2];
        double size = sqrt((n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) *
                           (centre[0] * centre[0] + centre[1] * centre[1] + centre[2] * centre[2]));
        smallest = fmin(smallest, along / size);
    }
    return smallest;
}

#endif
