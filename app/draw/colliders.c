/* app/draw/colliders.c — meshes of colliders, each in its own frame: its center at the origin, y along its axis, as in
 * src/kernel/shape.h.
 *
 * Round shapes are profiles revolved about y. They are finer than any cloth that lies on them, so that none of their
 * edges shows.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "collider/collider.h"
#include "parts.h"

#define AROUND 96
#define ARC 32 /* parts of half a circle, along a profile */
#define PI 3.14159265358979323846

/* A profile: radius and height, from the lower end to the upper one. */
typedef struct profile {
    double r[2 * ARC + 4], y[2 * ARC + 4];
    int count;
} profile;

static void add_point(profile *p, double r, double y)
{
    p->r[p->count] = r;
    p->y[p->count++] = y;
}

static profile profile_of(const prc_collider_def *def)
{
    profile p = {.count = 0};
    const double half = def->length / 2, r = def->radius;
    if (def->shape == PRC_SHAPE_CYLINDER || def->shape == PRC_SHAPE_CONE) {
        const double top = def->shape == PRC_SHAPE_CONE ? def->radius_top : r;
        add_point(&p, 0, -half);
        add_point(&p, r, -half);
        add_point(&p, top, half);
        if (top > 0)
            add_point(&p, 0, half);
        return p;
    }
    const double apart = def->shape == PRC_SHAPE_CAPSULE ? half : 0;
    for (int k = 0; k <= 2 * ARC; k++) {
        const double angle = PI * (k - ARC) / (2 * ARC);
        if (k == ARC && apart > 0)
            add_point(&p, r, -apart);
        add_point(&p, k % (2 * ARC) ? r * cos(angle) : 0, r * sin(angle) + (k < ARC ? -apart : apart));
    }
    return p;
}

static prc_result revolve(prc_mesh *mesh, const profile *p, prc_error *error)
{
    mesh->vertex_count = p->count * AROUND;
    mesh->positions = PRC_NEW(double, 3 * (size_t)mesh->vertex_count);
    mesh->triangles = PRC_NEW(int, 6 * (size_t)(p->count * AROUND));
    if (!mesh->positions || !mesh->triangles)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < p->count; i++)
        for (int k = 0; k < AROUND; k++) {
            double *x = mesh->positions + 3L * (i * AROUND + k);
            x[0] = p->r[i] * cos(2 * PI * k / AROUND);
            x[1] = p->y[i];
            x[2] = -p->r[i] * sin(2 * PI * k / AROUND);
        }
    for (int i = 0; i + 1 < p->count; i++)
        for (int k = 0; k < AROUND; k++) {
            const int next = (k + 1) % AROUND, a = i * AROUND + k, b = i * AROUND + next, c = a + AROUND,
                      d = b + AROUND, both[2][3] = {{a, b, d}, {a, d, c}};
            for (int t = 0; t < 2; t++) /* those at a pole have no area */
                if (p->r[t ? i + 1 : i] > 0)
                    memcpy(mesh->triangles + 3L * mesh->triangle_count++, both[t], sizeof both[t]);
        }
    return PRC_OK;
}

static prc_result make_box(prc_mesh *mesh, const double size[3], prc_error *error)
{
    mesh->vertex_count = 8;
    mesh->positions = PRC_NEW(double, 24);
    mesh->triangles = PRC_NEW(int, 36);
    if (!mesh->positions || !mesh->triangles)
        return PRC_FAIL_MEMORY(error);
    for (int v = 0; v < 8; v++)
        for (int c = 0; c < 3; c++)
            mesh->positions[3 * v + c] = (v >> c & 1 ? 0.5 : -0.5) * size[c];
    for (int f = 0; f < 6; f++) {
        const int axis = f / 2, side = f % 2, u = 1 << (axis + 1) % 3, v = 1 << (axis + 2) % 3, base = side << axis;
        const int quad[4] = {base, base + u, base + u + v, base + v};
        for (int t = 0; t < 2; t++) {
            int *to = mesh->triangles + 3L * mesh->triangle_count++;
            to[0] = quad[0];
            to[side ? 1 : 2] = quad[1 + t];
            to[side ? 2 : 1] = quad[2 + t];
        }
    }
    return PRC_OK;
}

/* One large square; the shader fades its edge. */
static prc_result make_plane(prc_mesh *mesh, double spread, prc_error *error)
{
    static const int triangles[6] = {0, 2, 1, 1, 2, 3};
    mesh->vertex_count = 4;
    mesh->triangle_count = 2;
    mesh->positions = PRC_NEW(double, 12);
    mesh->triangles = PRC_NEW(int, 6);
    if (!mesh->positions || !mesh->triangles)
        return PRC_FAIL_MEMORY(error);
    memcpy(mesh->triangles, triangles, sizeof triangles);
    for (int v = 0; v < 4; v++) {
        mesh->positions[3 * v] = v & 1 ? spread : -spread;
        mesh->positions[3 * v + 2] = v & 2 ? spread : -spread;
    }
    return PRC_OK;
}

static prc_result make_mesh(prc_mesh *mesh, const prc_collider_def *def, double spread, prc_error *error)
{
    const profile p = profile_of(def);
    switch (def->shape) {
    case PRC_SHAPE_PLANE:
        return make_plane(mesh, spread, error);
    case PRC_SHAPE_BOX:
        return make_box(mesh, def->size, error);
    case PRC_SHAPE_MESH:
        return def->mesh
                   ? prc_mesh_copy(mesh, def->mesh, error)
                   : prc_fail(error, PRC_ERROR_INPUT, "a collider with a distance field but no mesh is not drawn");
    default:
        return revolve(mesh, &p, error);
    }
}

int prc_draw_add_collider(prc_draw *draw, const prc_collider_def *def, double spread, prc_error *error)
{
    prc_mesh mesh = {0};
    int item = -1;
    if (!make_mesh(&mesh, def, spread, error)) {
        const prc_draw_item_def made = {.vertex_count = mesh.vertex_count,
                                        .triangle_count = mesh.triangle_count,
                                        .triangles = mesh.triangles,
                                        .colour = {0.70, 0.69, 0.67},
                                        .rigid = true};
        item = prc_draw_add(draw, &made, error);
    }
    if (item >= 0 && prc_draw_move(draw, item, mesh.positions, NULL, error))
        item = -1;
    if (item >= 0) {
        double turn[3][3], shift[3];
        draw->items[item].plane = def->shape == PRC_SHAPE_PLANE;
        draw->items[item].spread = spread;
        for (int c = 0; c < 3; c++)
            draw->items[item].def.unbounded |= draw->items[item].box[1][c] - draw->items[item].box[0][c] > spread;
        prc_draw_collider_pose(def, 0, turn, shift);
        prc_draw_pose(draw, item, (const double(*)[3])turn, shift);
    }
    prc_mesh_release(&mesh);
    return item;
}

void prc_draw_collider_pose(const prc_collider_def *def, double time, double turn[3][3], double shift[3])
{
    const prc_collider collider = prc_collider_at(def, NULL, time, 0);
    memcpy(turn, collider.now.turn, sizeof collider.now.turn);
    memcpy(shift, collider.now.shift, sizeof collider.now.shift);
}
