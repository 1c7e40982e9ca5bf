/* collider/shell.c — see shell.h.
 *
 * A point is inside if its winding number is not zero: the number of triangles through which a line from the point
 * along x leaves, minus those through which it enters. Sides are decided in exact arithmetic, and a line that meets an
 * edge or a vertex is shifted by less than any number, as in sdf_build.c. So parts that intersect each other form one
 * collider. SPDX-License-Identifier: Apache-2.0 */
#include "collider/shell.h"

#include "base/error.h"
#include "base/memory.h"
#include "check/predicates.h"
#include "kernel/distance.h"

#include <math.h>
#include <string.h>

/* --- making --- */

/* Copies the triangles, and the vertices that they have in the order in which they come. */
static bool copy_used(prc_mesh *shell, const prc_mesh *mesh)
{
    int *number = PRC_NEW(int, mesh->vertex_count); /* 1 + new number of a vertex, 0 for none */
    shell->positions = PRC_NEW(double, 3 * (size_t)mesh->vertex_count);
    shell->triangles = PRC_NEW(int, 3 * (size_t)mesh->triangle_count);
    const bool room = number && shell->positions && shell->triangles;
    shell->triangle_count = room ? mesh->triangle_count : 0;
    for (size_t k = 0; room && k < 3 * (size_t)mesh->triangle_count; k++) {
        const int v = mesh->triangles[k];
        if (!number[v]) {
            memcpy(shell->positions + 3 * (size_t)shell->vertex_count, mesh->positions + 3 * (size_t)v,
                   3 * sizeof(double));
            number[v] = ++shell->vertex_count;
        }
        shell->triangles[k] = number[v] - 1;
    }
    prc_free(number);
    return room;
}

prc_result prc_shell_make(prc_mesh *shell, const prc_mesh *mesh, const prc_sdf *field, prc_error *error)
{
    memset(shell, 0, sizeof *shell);
    if (!mesh) {
        const prc_result result = prc_sdf_surface(shell, field, error);
        if (result != PRC_OK)
            return result;
        if (shell->triangle_count == 0)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "field: no grid node is inside, so it has no surface; build it with more cells");
    } else if (!copy_used(shell, mesh)) {
        return PRC_FAIL_MEMORY(error);
    }
    for (int k = 0; k < 3 * shell->vertex_count; k++)
        shell->positions[k] -= field->middle[k % 3];
    return PRC_OK;
}

/* --- asking --- */

static void corners_of(const prc_mesh *shell, int t, const double *corner[3])
{
    for (int p = 0; p < 3; p++)
        corner[p] = shell->positions + 3 * (size_t)shell->triangles[3 * (size_t)t + (size_t)p];
}

/* Side of p of the line a b, seen along x; on it, that of p moved by (e, e²) in y and z, e → 0. */
static int side_of(const double *a, const double *b, const double p[3])
{
    const int exact = prc_exact_orient2d(a, b, p, 0);
    if (exact != 0)
        return exact;
    return a[2] != b[2] ? (b[2] < a[2] ? 1 : -1) : (b[1] > a[1]) - (b[1] < a[1]);
}

/* Whether a line along x through p misses the box of a triangle, or has passed it. */
static bool misses(const double *const corner[3], const double p[3])
{
    const double *a = corner[0], *b = corner[1], *c = corner[2];
    for (int k = 1; k < 3; k++)
        if ((a[k] < p[k] && b[k] < p[k] && c[k] < p[k]) || (a[k] > p[k] && b[k] > p[k] && c[k] > p[k]))
            return true;
    return a[0] < p[0] && b[0] < p[0] && c[0] < p[0];
}

static bool winds_about(const prc_mesh *shell, const double p[3])
{
    int winding = 0;
    for (int t = 0; t < shell->triangle_count; t++) {
        const double *corner[3];
        corners_of(shell, t, corner);
        if (misses(corner, p))
            continue;
        const int s = side_of(corner[0], corner[1], p);
        if (s == 0 || side_of(corner[1], corner[2], p) != s || side_of(corner[2], corner[0], p) != s)
            continue;
        const int ahead = prc_exact_orient3d(corner[0], corner[1], corner[2], p) * s;
        if (ahead == 0)
            return true;
        winding += ahead > 0 ? s : 0;
    }
    return winding > 0;
}

/* What the field says of a point of the own frame. */
static double field_at(const prc_sdf *field, const double q[3])
{
    const double x[3] = {q[0] + field->middle[0], q[1] + field->middle[1], q[2] + field->middle[2]};
    return prc_sdf_at(field, x, NULL);
}

bool prc_shell_contains(const prc_mesh *shell, const prc_sdf *field, const double q[3], double doubt)
{
    const double phi = field_at(field, q);
    return fabs(phi) > doubt ? phi < 0 : winds_about(shell, q);
}

double prc_shell_distance(const prc_mesh *shell, const prc_sdf *field, const double q[3], double doubt, double most)
{
    if (fabs(field_at(field, q)) > doubt + most)
        return most;
    for (int t = 0; t < shell->triangle_count; t++) {
        const double *corner[3];
        double x[4][3], square = 0;
        corners_of(shell, t, corner);
        memcpy(x[0], q, sizeof x[0]);
        for (int p = 0; p < 3; p++)
            memcpy(x[p + 1], corner[p], sizeof x[p + 1]);
        for (int c = 0; c < 3; c++) { /* of its box */
            const double low = fmin(x[1][c], fmin(x[2][c], x[3][c])), high = fmax(x[1][c], fmax(x[2][c], x[3][c]));
            const double out = fmax(0, fmax(low - q[c], q[c] - high));
            square += out * out;
        }
        if (square < most * most)
            most = fmin(most, prc_distance_point_triangle((const double(*)[3])x).distance);
    }
    return most;
}
