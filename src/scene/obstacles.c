/* scene/obstacles.c — builds the defs of obstacles: meshes, needles, points, animations.
 *
 * An obstacle becomes one mesh, in this order: the vertices of its mesh, its points, the points of its polylines.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/vertex_cache.h"
#include "mesh/mend.h"
#include "scene/instances.h"
#include "scene/reader.h"

struct prc_scene_animation {
    prc_vertex_cache cache;
    const prc_place_spec *place;
    prc_instance_pose pose;
};

static void report(const prc_scene_log *log, const prc_obstacle_spec *spec, const char *key, const prc_error *error)
{
    char path[PRC_PATH_SIZE];
    snprintf(path, sizeof path, "obstacles[%d]%s%s", spec->instances.written, key[0] ? "." : "", key);
    prc_scene_report_key(log, error->code, path, error->message);
}

static void put_in_place(prc_mesh *mesh, const prc_place_spec *place)
{
    prc_mesh_transform(mesh, place->rotate.axis, place->rotate.degrees, place->scale, place->translate);
}

static void play(void *context, double time, double *positions)
{
    const prc_scene_animation *animation = context;
    prc_mesh mesh = {.vertex_count = animation->cache.vertex_count, .positions = positions};
    prc_vertex_cache_sample(&animation->cache, time, positions);
    put_in_place(&mesh, animation->place);
    prc_instance_move_mesh(&animation->pose, &mesh);
}

/* Appends the points to the mesh. */
static bool add_points(prc_mesh *mesh, const prc_points_spec *points)
{
    const size_t before = 3 * (size_t)mesh->vertex_count, added = 3 * (size_t)points->point_count;
    double *positions = prc_grow(mesh->positions, before, before + added, sizeof *positions);
    if (!positions)
        return false;
    if (added)
        memcpy(positions + before, points->points, added * sizeof *positions);
    mesh->positions = positions;
    mesh->vertex_count += points->point_count;
    if (added)
        prc_mesh_forget(mesh); /* what it has of fewer vertices, and is of no use */
    return true;
}

/* The edges of the polylines, whose first point is vertex `first`; NULL when out of memory. */
static int *join_lines(const prc_points_spec *lines, int first, int *count)
{
    int *segments = PRC_NEW(int, 2 * (size_t)lines->point_count);
    *count = 0;
    for (int l = 0; segments && l < lines->line_count; l++)
        for (int p = lines->line_start[l]; p + 1 < lines->line_start[l + 1]; p++) {
            segments[2 * *count] = first + p;
            segments[2 * *count + 1] = first + p + 1;
            ++*count;
        }
    return segments;
}

/* The vertices of an obstacle, or of the first of its instances, in their place. */
static prc_result make_first(const prc_scene_log *log, prc_scene *scene, const prc_obstacle_spec *spec, prc_mesh *mesh,
                             prc_error *error)
{
    prc_result result = PRC_OK;
    if (spec->shape.mark.line > 0)
        result = prc_scene_make_mesh(log, scene, &spec->shape, true, mesh, NULL, error);
    if (result)
        return result;
    const double total = (double)mesh->vertex_count + spec->points.point_count + spec->polylines.point_count;
    if (total * spec->instances.count > PRC_MOST_READ_VERTICES)
        return prc_fail(error, PRC_ERROR_INPUT, "more than " PRC_MOST_READ_TEXT " vertices");
    if (!add_points(mesh, &spec->points) || !add_points(mesh, &spec->polylines))
        return PRC_FAIL_MEMORY(error);
    put_in_place(mesh, &spec->place);
    return PRC_OK;
}

static prc_result build_shape(const prc_scene_log *log, prc_scene *scene, int index, prc_error *error)
{
    const prc_obstacle_spec *spec = &scene->spec.obstacles[index];
    prc_obstacle_def *def = &scene->obstacles[index];
    prc_mesh *mesh = &scene->obstacle_meshes[index];
    prc_result result = PRC_OK;
    const int number = spec->instances.number;
    if (number)
        result = prc_mesh_copy(mesh, &scene->obstacle_meshes[index - number], error);
    else
        result = make_first(log, scene, spec, mesh, error);
    if (result)
        return result;
    const int first = mesh->vertex_count - spec->polylines.point_count;
    scene->segments[index] = join_lines(&spec->polylines, first, &def->segment_count);
    if (!scene->segments[index])
        return PRC_FAIL_MEMORY(error);
    prc_instance_pose pose;
    prc_instance_pose_make(&pose, &spec->instances);
    prc_instance_move_mesh(&pose, mesh);
    if (!prc_instance_move_motion(&pose, scene, &def->motion))
        return PRC_FAIL_MEMORY(error);
    def->mesh = mesh;
    def->segments = scene->segments[index];
    return PRC_OK;
}

static prc_result build_animation(const prc_scene_log *log, prc_scene *scene, int index, prc_error *error)
{
    const prc_obstacle_spec *spec = &scene->spec.obstacles[index];
    prc_scene_animation *animation = &scene->animations[index];
    const char *file = spec->animation.file ? spec->animation.file : spec->animation.pattern;
    char path[1024];
    if (spec->animation.mark.line == 0)
        return PRC_OK;
    if (spec->animation.memory) {
        const prc_scene_memory *memory = prc_scene_find_memory(log, spec->animation.memory, false, error);
        scene->obstacles[index].animate = memory ? memory->animate : NULL;
        scene->obstacles[index].animate_context = memory ? memory->context : NULL;
        return memory ? PRC_OK : PRC_ERROR_INPUT;
    }
    if (!prc_scene_file(log, file, path, sizeof path))
        return prc_fail(error, PRC_ERROR_INPUT, "the path of the animation is too long");
    prc_result result = prc_vertex_cache_open(&animation->cache, path, error);
    if (result)
        return result;
    const int vertices = scene->obstacle_meshes[index].vertex_count;
    if (animation->cache.vertex_count != vertices)
        return prc_fail(error, PRC_ERROR_INPUT, "%s has %d vertices per frame, the obstacle %d; they must be the same",
                        path, animation->cache.vertex_count, vertices);
    animation->cache.frames_per_second = spec->animation.frames_per_second;
    animation->cache.start = spec->animation.start;
    animation->place = &spec->place;
    prc_instance_pose_make(&animation->pose, &spec->instances);
    scene->obstacles[index].animate = play;
    scene->obstacles[index].animate_context = animation;
    return PRC_OK;
}

static void build_obstacle(const prc_scene_log *log, prc_scene *scene, int index)
{
    const prc_obstacle_spec *spec = &scene->spec.obstacles[index];
    prc_error error;
    scene->obstacles[index] = spec->def;
    if (spec->mark.broken || spec->mark.line == 0 || (spec->instances.number && log->errors->count))
        return;
    const bool has_mesh = spec->shape.mark.line > 0;
    if (build_shape(log, scene, index, &error))
        report(log, spec, spec->shape.file ? "mesh.file" : has_mesh ? "mesh" : "", &error);
    else if (build_animation(log, scene, index, &error))
        report(log, spec, "animation", &error);
}

void prc_scene_build_obstacles(const prc_scene_log *log, prc_scene *scene)
{
    const int count = scene->spec.obstacle_count;
    scene->obstacles = PRC_NEW(prc_obstacle_def, count);
    scene->obstacle_meshes = PRC_NEW(prc_mesh, count);
    scene->segments = PRC_NEW(int *, count);
    scene->animations = PRC_NEW(prc_scene_animation, count);
    if (!scene->obstacles || !scene->obstacle_meshes || !scene->segments || !scene->animations) {
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
        return;
    }
    for (int o = 0; o < count; o++)
        build_obstacle(log, scene, o);
    scene->def.obstacles = scene->obstacles;
    scene->def.obstacle_count = count;
}

void prc_scene_release_obstacles(prc_scene *scene)
{
    for (int o = 0; o < scene->spec.obstacle_count; o++) {
        if (scene->obstacle_meshes)
            prc_mesh_release(&scene->obstacle_meshes[o]);
        if (scene->segments)
            prc_free(scene->segments[o]);
        if (scene->animations)
            prc_vertex_cache_release(&scene->animations[o].cache);
    }
    prc_free(scene->obstacles);
    prc_free(scene->obstacle_meshes);
    prc_free(scene->segments);
    prc_free(scene->animations);
}
