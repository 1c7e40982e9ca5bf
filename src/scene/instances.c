/* scene/instances.c — see instances.h. Copies are shallow: they share the texts and lists of the original.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/instances.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define MOST_ITEMS 100000 /* of each list, instances counted */

/* ---- copies ---- */

void *prc_scene_own(prc_scene *scene, void *memory)
{
    if (!memory)
        return NULL;
    const size_t count = (size_t)scene->owned_count;
    if ((count & (count - 1)) == 0) { /* 0 or a power of two: full */
        void **owned = prc_grow(scene->owned, count, count ? 2 * count : 1, sizeof *owned);
        if (!owned) {
            prc_free(memory);
            return NULL;
        }
        scene->owned = owned;
    }
    scene->owned[scene->owned_count++] = memory;
    return memory;
}

static int instance_count(const prc_instances_spec *instances)
{
    return instances->mark.line > 0 && !instances->mark.broken ? instances->count : 1;
}

/* Copies `count` items of one list; each has its instances at `offset`. NULL after an error. */
static void *expand(const prc_scene_log *log, const char *list, const void *items, size_t size, int *count,
                    size_t offset)
{
    const char *from = items;
    int total = 0;
    for (int i = 0; i < *count; i++) {
        const prc_instances_spec *instances = (const void *)(from + (size_t)i * size + offset);
        total += instance_count(instances);
        if (total > MOST_ITEMS) {
            char path[PRC_PATH_SIZE];
            snprintf(path, sizeof path, "%s[%d].instances", list, i);
            prc_scene_report(log, PRC_ERROR_INPUT, instances->mark.origin, instances->mark.line, instances->mark.column,
                             path, "more than %d %s, including instances", MOST_ITEMS, list);
            return NULL;
        }
    }
    char *to = prc_alloc((size_t)total, size), *next = to;
    if (!to)
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
    for (int i = 0; to && i < *count; i++) {
        const char *item = from + (size_t)i * size;
        const int copies = instance_count((const void *)(item + offset));
        for (int k = 0; k < copies; k++, next += size) {
            memcpy(next, item, size);
            prc_instances_spec *instances = (void *)(next + offset);
            instances->written = i;
            instances->number = k;
            instances->count = copies;
        }
    }
    *count = total;
    return to;
}

/* "name_3"; a thing without instances keeps its name. */
static bool rename_instance(prc_scene *scene, const prc_instances_spec *instances, const char **name)
{
    if (!*name || instances->mark.line == 0)
        return true;
    const size_t size = strlen(*name) + 16;
    char *text = prc_scene_own(scene, prc_alloc(size, 1));
    if (text)
        snprintf(text, size, "%s_%d", *name, instances->number);
    *name = text;
    return text != NULL;
}

bool prc_scene_expand(const prc_scene_log *log, prc_scene *scene)
{
    prc_scene_spec *spec = &scene->spec, copies = *spec;
    copies.bodies = expand(log, "bodies", spec->bodies, sizeof *spec->bodies, &copies.body_count,
                           offsetof(prc_body_spec, instances));
    copies.obstacles = expand(log, "obstacles", spec->obstacles, sizeof *spec->obstacles, &copies.obstacle_count,
                              offsetof(prc_obstacle_spec, instances));
    copies.colliders = expand(log, "colliders", spec->colliders, sizeof *spec->colliders, &copies.collider_count,
                              offsetof(prc_collider_spec, instances));
    if (!copies.bodies || !copies.obstacles || !copies.colliders) {
        prc_free(copies.bodies);
        prc_free(copies.obstacles);
        prc_free(copies.colliders);
        return false;
    }
    scene->written = *spec;
    scene->expanded = true;
    *spec = copies;
    bool named = true;
    for (int i = 0; i < spec->body_count; i++)
        named = named && rename_instance(scene, &spec->bodies[i].instances, &spec->bodies[i].def.name);
    for (int i = 0; i < spec->obstacle_count; i++)
        named = named && rename_instance(scene, &spec->obstacles[i].instances, &spec->obstacles[i].def.name);
    if (!named)
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
    return named;
}

void prc_scene_collapse(prc_scene *scene)
{
    if (!scene->expanded)
        return;
    prc_free(scene->spec.bodies);
    prc_free(scene->spec.obstacles);
    prc_free(scene->spec.colliders);
    scene->spec = scene->written;
    scene->expanded = false;
}

/* ---- poses ---- */

/* Rotation vectors to matrices: Rodrigues' formula. */
static void to_matrix(const prc_rotate_def *rotate, double m[3][3])
{
    const double *a = rotate->axis;
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), angle = rotate->degrees * acos(-1.0) / 180;
    const double c = cos(angle), s = sin(angle);
    const double u[3] = {a[0] / length, a[1] / length, a[2] / length};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = (i == j ? c : 0) + (1 - c) * u[i] * u[j];
    for (int i = 0; i < 3; i++) {
        m[(i + 1) % 3][i] += s * u[(i + 2) % 3];
        m[i][(i + 1) % 3] -= s * u[(i + 2) % 3];
    }
}

void prc_instance_pose_make(prc_instance_pose *pose, const prc_instances_spec *spec)
{
    pose->rotate.degrees = spec->number * spec->rotate.degrees;
    for (int c = 0; c < 3; c++) {
        pose->rotate.axis[c] = spec->rotate.axis[c];
        pose->center[c] = spec->rotate.center[c];
        pose->offset[c] = spec->number * spec->offset[c];
    }
    to_matrix(&pose->rotate, pose->turn);
}

void prc_instance_turn(const prc_instance_pose *pose, double direction[3])
{
    const double d[3] = {direction[0], direction[1], direction[2]};
    if (pose->rotate.degrees == 0) /* then no rounding */
        return;
    for (int i = 0; i < 3; i++)
        direction[i] = pose->turn[i][0] * d[0] + pose->turn[i][1] * d[1] + pose->turn[i][2] * d[2];
}

void prc_instance_move(const prc_instance_pose *pose, double point[3])
{
    if (pose->rotate.degrees != 0) {
        double arm[3] = {point[0] - pose->center[0], point[1] - pose->center[1], point[2] - pose->center[2]};
        prc_instance_turn(pose, arm);
        for (int c = 0; c < 3; c++)
            point[c] = pose->center[c] + arm[c];
    }
    for (int c = 0; c < 3; c++)
        point[c] += pose->offset[c];
}

void prc_instance_move_mesh(const prc_instance_pose *pose, prc_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        prc_instance_move(pose, mesh->positions + 3 * (size_t)i);
}

/* A quaternion, real part first. */
static void to_quaternion(const prc_rotate_def *rotate, double q[4])
{
    const double *a = rotate->axis;
    const double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), half = rotate->degrees * acos(-1.0) / 360;
    q[0] = cos(half);
    for (int c = 0; c < 3; c++)
        q[c + 1] = length > 0 ? sin(half) * a[c] / length : 0;
}

void prc_instance_turn_rotation(const prc_instance_pose *pose, prc_rotate_def *rotate)
{
    double p[4], q[4], r[4];
    if (pose->rotate.degrees == 0)
        return;
    to_quaternion(&pose->rotate, p);
    to_quaternion(rotate, q);
    r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3];
    for (int c = 0; c < 3; c++) {
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        r[c + 1] = p[0] * q[c + 1] + q[0] * p[c + 1] + p[d + 1] * q[e + 1] - p[e + 1] * q[d + 1];
    }
    const double length = sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    rotate->degrees = 2 * atan2(length, r[0]) * 180 / acos(-1.0);
    for (int c = 0; c < 3 && length > 0; c++)
        rotate->axis[c] = r[c + 1] / length;
}

bool prc_instance_move_motion(const prc_instance_pose *pose, prc_scene *scene, prc_motion_def *motion)
{
    prc_instance_turn(pose, motion->velocity);
    prc_instance_turn(pose, motion->axis);
    prc_instance_move(pose, motion->center);
    if (!motion->key_count)
        return true;
    prc_pose_key *keys = prc_scene_own(scene, PRC_NEW(prc_pose_key, motion->key_count));
    for (int k = 0; keys && k < motion->key_count; k++) {
        keys[k] = motion->keys[k];
        prc_instance_turn(pose, keys[k].translate);
        prc_instance_turn(pose, keys[k].axis);
    }
    motion->keys = keys;
    return keys != NULL;
}
