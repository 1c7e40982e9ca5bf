/* app/view/pick.c — finds the item under the mouse: cloth and obstacles by their triangles, colliders by marching along
 * the ray with bounds of the distance. Planes are not picked: they are floors and walls, which a click beside other
 * items would hit.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "window.h"

#define MARCH 200

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Where a ray meets a triangle: distance along it and weights of the corners; false for nowhere. After Möller and
 * Trumbore. */
static bool meets(const double origin[3], const double direction[3], const double *const x[3], double *along,
                  double weight[3])
{
    double u[3], v[3], from[3], p[3], q[3];
    for (int c = 0; c < 3; c++) {
        u[c] = x[1][c] - x[0][c];
        v[c] = x[2][c] - x[0][c];
        from[c] = origin[c] - x[0][c];
    }
    cross(direction, v, p);
    const double volume = dot(u, p);
    if (volume == 0)
        return false;
    cross(from, u, q);
    weight[1] = dot(from, p) / volume;
    weight[2] = dot(direction, q) / volume;
    weight[0] = 1 - weight[1] - weight[2];
    *along = dot(v, q) / volume;
    return weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0 && *along > 0;
}

/* The nearest triangle of the parts that are obstacles, or of those that are not; −1 for none. */
static int nearest_triangle(const prc_window *w, bool obstacles, const double origin[3], const double direction[3],
                            double *nearest, double weight[3], int *part)
{
    const prc_view_source *s = w->source;
    int found = -1;
    for (int p = 0; p < s->part_count; p++) {
        if (s->parts[p].obstacle != obstacles)
            continue;
        for (int t = s->parts[p].first_triangle; t < s->parts[p].first_triangle + s->parts[p].triangle_count; t++) {
            const int *v = s->triangles + 3L * t;
            const double *const x[3] = {w->shot->positions + 3L * v[0], w->shot->positions + 3L * v[1],
                                        w->shot->positions + 3L * v[2]};
            double along, share[3];
            if (!meets(origin, direction, x, &along, share) || along >= *nearest)
                continue;
            *nearest = along;
            memcpy(weight, share, sizeof share);
            *part = p;
            found = t;
        }
    }
    return found;
}

/* At most how far a point in the collider's own frame (middle at the origin, y along its axis) is from it. */
static double distance_to(const prc_collider_def *def, const double q[3])
{
    const double around = hypot(q[0], q[2]), half = def->length / 2, beyond = fmax(fabs(q[1]) - half, 0);
    switch (def->shape) {
    case PRC_SHAPE_SPHERE:
        return hypot(around, q[1]) - def->radius;
    case PRC_SHAPE_CAPSULE:
        return hypot(around, beyond) - def->radius;
    case PRC_SHAPE_CYLINDER:
    case PRC_SHAPE_CONE:
        return fmax(around - fmax(def->radius, def->radius_top), fabs(q[1]) - half);
    case PRC_SHAPE_BOX:
        return fmax(fmax(fabs(q[0]) - def->size[0] / 2, fabs(q[1]) - def->size[1] / 2), fabs(q[2]) - def->size[2] / 2);
    default:
        return INFINITY;
    }
}

/* Into the collider's own frame: first back to where its def puts it, then into that. */
static void to_own_frame(const prc_window *w, int k, const double x[3], double q[3])
{
    const double *turn = w->shot->turns[k], *shift = w->shot->shifts[k];
    const double d[3] = {x[0] - shift[0], x[1] - shift[1], x[2] - shift[2]};
    double put[3], own[3][3], middle[3];
    for (int c = 0; c < 3; c++)
        put[c] = turn[c] * d[0] + turn[3 + c] * d[1] + turn[6 + c] * d[2];
    prc_collider_def still = w->source->def->colliders[k];
    memset(&still.motion, 0, sizeof still.motion);
    prc_draw_collider_pose(&still, 0, own, middle);
    for (int c = 0; c < 3; c++)
        q[c] = own[0][c] * (put[0] - middle[0]) + own[1][c] * (put[1] - middle[1]) + own[2][c] * (put[2] - middle[2]);
}

static void meet_mesh(const prc_window *w, int k, const double origin[3], const double direction[3], double *nearest,
                      int *found)
{
    const prc_mesh *mesh = w->source->def->colliders[k].mesh;
    double from[3], ahead[3], to[3];
    for (int c = 0; c < 3; c++)
        ahead[c] = origin[c] + direction[c];
    to_own_frame(w, k, origin, from);
    to_own_frame(w, k, ahead, to);
    for (int c = 0; c < 3; c++)
        to[c] -= from[c];
    for (int t = 0; mesh && t < mesh->triangle_count; t++) {
        const int *v = mesh->triangles + 3L * t;
        const double *const x[3] = {mesh->positions + 3L * v[0], mesh->positions + 3L * v[1],
                                    mesh->positions + 3L * v[2]};
        double along, weight[3];
        if (meets(from, to, x, &along, weight) && along < *nearest) {
            *nearest = along;
            *found = k;
        }
    }
}

static void meet_collider(const prc_window *w, int k, const double origin[3], const double direction[3],
                          double *nearest, int *found)
{
    double along = 0;
    for (int n = 0; n < MARCH && along < *nearest; n++) {
        double x[3], q[3];
        for (int c = 0; c < 3; c++)
            x[c] = origin[c] + along * direction[c];
        to_own_frame(w, k, x, q);
        const double distance = distance_to(&w->source->def->colliders[k], q);
        if (distance < 1e-4 * w->extent) {
            *nearest = along;
            *found = k;
            return;
        }
        along += distance;
    }
}

static void ray(const prc_window *w, double origin[3], double direction[3])
{
    prc_camera_ray(&w->picture.camera, w->width, w->height, w->mouse[0], w->mouse[1], origin, direction);
}

static void point_at(const double origin[3], const double direction[3], double along, double point[3])
{
    for (int c = 0; c < 3; c++)
        point[c] = origin[c] + along * direction[c];
}

/* Colliders first, up to `nearest`; then obstacles, which are counted after them. */
static int nearest_thing(const prc_window *w, const double origin[3], const double direction[3], double *nearest)
{
    int found = -1, part = 0;
    double weight[3];
    for (int k = 0; k < w->source->collider_count; k++) {
        if (w->source->def->colliders[k].shape == PRC_SHAPE_MESH)
            meet_mesh(w, k, origin, direction, nearest, &found);
        else
            meet_collider(w, k, origin, direction, nearest, &found);
    }
    if (nearest_triangle(w, true, origin, direction, nearest, weight, &part) < 0)
        return found;
    int obstacle = 0;
    for (int p = 0; p < part; p++)
        obstacle += w->source->parts[p].obstacle;
    return w->source->collider_count + obstacle;
}

bool prc_pick_cloth(const prc_window *w, prc_grab_def *grab, double point[3])
{
    double origin[3], direction[3], nearest = INFINITY, weight[3];
    int part = 0;
    ray(w, origin, direction);
    const int t = nearest_triangle(w, false, origin, direction, &nearest, weight, &part);
    double before = nearest;
    if (t < 0 || nearest_thing(w, origin, direction, &before) >= 0) /* what is behind something is not touched */
        return false;
    *grab = prc_grab_def_default();
    grab->body = part;
    for (int p = 0; p < 3; p++) {
        grab->vertex[p] = w->source->triangles[3L * t + p] - w->source->parts[part].first_vertex;
        grab->weight[p] = weight[p];
    }
    point_at(origin, direction, nearest, point);
    return true;
}

int prc_pick_thing(const prc_window *w, double point[3])
{
    double origin[3], direction[3], nearest = INFINITY;
    ray(w, origin, direction);
    const int thing = nearest_thing(w, origin, direction, &nearest); /* also through cloth that lies on it */
    if (thing >= 0)
        point_at(origin, direction, nearest, point);
    return thing;
}
