/* io/collider_pose.c — the colliders of a simulation in the form of the checker; see colliders.h.
 *
 * The place of a collider is computed from its def independently here, so that the checker need not trust the frames of
 * the solver: from the sim it takes only the motion of each collider from there. SPDX-License-Identifier: Apache-2.0 */
#include "io/colliders.h"

#include <math.h>
#include <string.h>

#define RADIANS (3.14159265358979323846 / 180)

static bool has_axis(prc_shape_kind kind)
{
    return kind != PRC_SHAPE_BOX && kind != PRC_SHAPE_MESH;
}

static double length_of(const double a[3])
{
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* A turn by an angle about a unit vector, by the formula of Rodrigues, applied to a vector. */
static void turn_vector(const double axis[3], double angle, const double v[3], double out[3])
{
    const double along = axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2];
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, b = (c + 2) % 3;
        out[c] =
            v[c] * cos(angle) + (axis[a] * v[b] - axis[b] * v[a]) * sin(angle) + axis[c] * along * (1 - cos(angle));
    }
}

/* Three columns at right angles, the second along `axis`. */
static void frame_along(const double axis[3], double columns[3][3])
{
    const double length = length_of(axis);
    int least = 0;
    for (int c = 0; c < 3; c++) {
        columns[1][c] = axis[c] / length;
        least = fabs(columns[1][c]) < fabs(columns[1][least]) ? c : least;
    }
    double across[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        across[c] = (c == least) - columns[1][least] * columns[1][c];
    const double size = length_of(across);
    for (int c = 0; c < 3; c++)
        columns[0][c] = across[c] / size;
    for (int c = 0; c < 3; c++) {
        const int a = (c + 1) % 3, b = (c + 2) % 3;
        columns[2][c] = columns[0][a] * columns[1][b] - columns[0][b] * columns[1][a];
    }
}

/* Where the def puts it, without its motion. */
static void place(const prc_collider_def *def, prc_check_collider *s)
{
    double columns[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, unit[3] = {0, 0, 0}, turned[3];
    const double length = length_of(def->rotate.axis);
    if (has_axis(def->shape))
        frame_along(def->axis, columns);
    for (int k = 0; k < 3; k++) {
        memcpy(turned, columns[k], sizeof turned);
        for (int c = 0; c < 3 && length > 0; c++)
            unit[c] = def->rotate.axis[c] / length;
        if (def->rotate.degrees != 0 && length > 0)
            turn_vector(unit, def->rotate.degrees * RADIANS, columns[k], turned);
        for (int c = 0; c < 3; c++)
            s->turn[c][k] = turned[c];
        s->shift[k] = def->center[k];
    }
}

void prc_collider_measure(const prc_collider_def *def, prc_check_collider *s)
{
    *s = (prc_check_collider){.kind = def->shape,
                              .radius = def->radius,
                              .radius_top = def->radius_top,
                              .half_length = def->length / 2,
                              .half_size = {def->size[0] / 2, def->size[1] / 2, def->size[2] / 2}};
    if (!def->mesh)
        return;
    s->mesh_positions = def->mesh->positions;
    s->mesh_vertex_count = def->mesh->vertex_count;
    s->mesh_triangles = def->mesh->triangles;
    s->mesh_triangle_count = def->mesh->triangle_count;
}

static bool is_known(const prc_collider_def *def)
{
    return def->shape != PRC_SHAPE_MESH || def->mesh;
}

bool prc_collider_now(const prc_collider_def *def, const prc_sim *sim, int k, prc_check_collider *s)
{
    if (k >= prc_sim_collider_count(sim) || !is_known(def))
        return false;
    double turn[9], shift[3];
    prc_check_collider rest;
    prc_collider_measure(def, &rest);
    place(def, &rest);
    prc_sim_collider_pose(sim, k, turn, shift);
    *s = rest;
    for (int i = 0; i < 3; i++) {
        for (int c = 0; c < 3; c++)
            s->turn[i][c] =
                turn[3 * i] * rest.turn[0][c] + turn[3 * i + 1] * rest.turn[1][c] + turn[3 * i + 2] * rest.turn[2][c];
        s->shift[i] =
            turn[3 * i] * rest.shift[0] + turn[3 * i + 1] * rest.shift[1] + turn[3 * i + 2] * rest.shift[2] + shift[i];
    }
    return true;
}
