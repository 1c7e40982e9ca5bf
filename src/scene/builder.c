/* scene/builder.c — builds meshes, vertex lists and the defs of a simulation from a scene description.
 *
 * The rest shape is the mesh before it is placed; only the scale of a placement applies to it. Directions in the rest
 * shape (warp) are therefore those of the mesh as it was made or read. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "collider/sdf.h"
#include "io/sdf_file.h"
#include "scene/instances.h"
#include "scene/reader.h"
#include "schema/schema.h"

#define BALL_ROOM 1.0125 /* distance of balls where none is given, over that from which contact pushes */

typedef struct builder {
    const prc_scene_log *log;
    prc_scene *scene;
    int body;
    int corners[4];
    bool has_corners;
    long long vertex_total;
    bool good;            /* whether the last first instance was built */
    prc_mesh_report read; /* about the mesh of the last first instance */
} builder;

/* The body that this one is an instance of; itself where it is the first. */
static int first_instance(const builder *b)
{
    return b->body - b->scene->spec.bodies[b->body].instances.number;
}

void prc_scene_report_key(const prc_scene_log *log, prc_result code, const char *path, const char *message)
{
    const prc_node *node = prc_tree_nearest(log->tree, path, strlen(path));
    if (strncmp(message, "mesh: ", 6) == 0 && strstr(path, ".mesh")) /* those who check meshes call every one so */
        message += 6;
    prc_scene_report(log, code, node->origin, node->line, node->column, path, "%s", message);
}

static void report(const builder *b, prc_result code, const char *key, const char *message)
{
    char path[PRC_PATH_SIZE];
    snprintf(path, sizeof path, "bodies[%d]%s%s", b->scene->spec.bodies[b->body].instances.written, key[0] ? "." : "",
             key);
    prc_scene_report_key(b->log, code, path, message);
}

static void report_memory(const builder *b)
{
    report(b, PRC_ERROR_MEMORY, "", "out of memory");
}

/* ---- meshes ---- */

/* Corners by position, before the mesh is placed: 0 (-x,-y), 1 (+x,-y), 2 (+x,+y), 3 (-x,+y). */
static void find_corners(builder *b, const prc_mesh_spec *spec, const prc_mesh *mesh)
{
    static const double side[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    double size[2] = {spec->grid.size[0], spec->grid.size[1]};
    b->has_corners = prc_scene_mesh_given(spec, "grid") || prc_scene_mesh_given(spec, "strip");
    if (prc_scene_mesh_given(spec, "strip")) {
        size[0] = spec->strip.length;
        size[1] = spec->strip.width;
    }
    for (int k = 0; b->has_corners && k < 4; k++) {
        double farthest = -INFINITY;
        for (int i = 0; i < mesh->vertex_count; i++) {
            const double *x = mesh->positions + 3 * (size_t)i;
            double d = side[k][0] * x[0] / size[0] + side[k][1] * x[1] / size[1];
            if (d > farthest) {
                farthest = d;
                b->corners[k] = i;
            }
        }
    }
}

static void scale_texture(prc_mesh *mesh, double scale)
{
    for (int i = 0; mesh->texture && i < 2 * mesh->vertex_count; i++)
        mesh->texture[i] *= scale;
}

/* The shape, with a spacing of points where it has none. Nearer to each other, balls would be blown apart by the
 * barrier in the first step. They are placed when the mesh is scaled already. */
static prc_mesh_spec with_spacing(const builder *b, const prc_body_spec *spec)
{
    prc_mesh_spec shape = spec->shape;
    const double width = 2 * spec->def.particle.radius;
    const double room =
        BALL_ROOM * (width + prc_schema_d_hat(&b->scene->def.contact, PRC_BODY_PARTICLES, width)) / spec->place.scale;
    if (spec->def.kind == PRC_BODY_PARTICLES && shape.lattice.spacing == 0)
        shape.lattice.spacing = room / (1 - 2 * shape.lattice.jitter);
    if (spec->def.kind == PRC_BODY_PARTICLES && shape.packing.spacing == 0)
        shape.packing.spacing = room;
    return shape;
}

/* meshes[0] becomes the placed mesh, meshes[1] its rest shape. */
static bool build_meshes(builder *b, const prc_body_spec *spec, prc_mesh meshes[2])
{
    static const double nowhere[3] = {0, 0, 0};
    const prc_place_spec *place = &spec->place;
    const prc_mesh_spec shape = with_spacing(b, spec);
    const bool any = spec->def.kind == PRC_BODY_PARTICLES;
    prc_error error;
    prc_result result = prc_scene_make_mesh(b->log, b->scene, &shape, any, &meshes[0], &b->read, &error);
    if (result) {
        report(b, result, spec->shape.file ? "mesh.file" : "mesh", error.message);
        return false;
    }
    b->vertex_total += (long long)meshes[0].vertex_count * spec->instances.count;
    if (b->vertex_total > PRC_MOST_READ_VERTICES) {
        report(b, PRC_ERROR_INPUT, spec->instances.mark.line ? "instances" : "mesh",
               "the bodies have more than " PRC_MOST_READ_TEXT " vertices together");
        return false;
    }
    find_corners(b, &spec->shape, &meshes[0]);
    for (int k = 0; k < 4; k++)
        b->scene->corners[b->body][k] = b->has_corners ? b->corners[k] : -1;
    bool own_rest = spec->rest_shape.mark.line > 0;
    result = own_rest ? prc_scene_make_mesh(b->log, b->scene, &spec->rest_shape, false, &meshes[1], NULL, &error)
                      : prc_mesh_copy(&meshes[1], &meshes[0], &error);
    if (result) {
        report(b, result, spec->rest_shape.file ? "rest.file" : "rest", error.message);
        return false;
    }
    prc_mesh_transform(&meshes[0], place->rotate.axis, place->rotate.degrees, place->scale, place->translate);
    prc_mesh_transform(&meshes[1], place->rotate.axis, 0, place->scale, nowhere);
    scale_texture(&meshes[0], place->scale);
    return true;
}

/* An instance has the meshes of the first, and stands elsewhere. */
static bool copy_meshes(const builder *b, const prc_body_spec *spec, prc_mesh meshes[2])
{
    const prc_mesh *first = &b->scene->meshes[2 * first_instance(b)];
    prc_instance_pose pose;
    prc_error error;
    if (prc_mesh_copy(&meshes[0], &first[0], &error) || prc_mesh_copy(&meshes[1], &first[1], &error)) {
        report_memory(b);
        return false;
    }
    memcpy(b->scene->corners[b->body], b->scene->corners[first_instance(b)], sizeof *b->scene->corners);
    prc_instance_pose_make(&pose, &spec->instances);
    prc_instance_move_mesh(&pose, &meshes[0]);
    return true;
}

static bool check_rest(const builder *b, const prc_body_spec *spec, const prc_mesh meshes[2])
{
    const prc_mesh *mesh = &meshes[0], *rest = &meshes[1];
    char message[300];
    if (spec->def.kind == PRC_BODY_PARTICLES)
        return true;
    if (spec->def.rest == PRC_REST_TEXTURE && !mesh->texture && b->read.torn_vertices) {
        snprintf(message, sizeof message,
                 "texture, but %d vertices of the mesh file have several texture coordinates (the first is vertex %d); "
                 "mesh: {split_texture: true} cuts the mesh open along these seams",
                 b->read.torn_vertices, b->read.first_torn);
        report(b, PRC_ERROR_INPUT, "rest", message);
        return false;
    }
    if (spec->def.rest == PRC_REST_TEXTURE && !mesh->texture) {
        report(b, PRC_ERROR_INPUT, "rest",
               "texture, but the mesh has no texture coordinates; expected a mesh file with one per vertex");
        return false;
    }
    bool same = rest->vertex_count == mesh->vertex_count && rest->triangle_count == mesh->triangle_count &&
                (mesh->triangle_count == 0 ||
                 !memcmp(rest->triangles, mesh->triangles, 3 * (size_t)mesh->triangle_count * sizeof(int)));
    if (same)
        return true;
    snprintf(message, sizeof message,
             "the rest shape (%d vertices, %d triangles) and the mesh (%d, %d) must have the same triangles in the "
             "same order",
             rest->vertex_count, rest->triangle_count, mesh->vertex_count, mesh->triangle_count);
    report(b, PRC_ERROR_INPUT, "rest", message);
    return false;
}

/* ---- vertices ---- */

/* Of an instance the vertices that the first has: boxes and points move along. What could not be read selects nothing.
 */
static int *select_vertices(const builder *b, const prc_select_spec *select, const char *list, int index, int *count)
{
    const prc_mesh *meshes = &b->scene->meshes[2 * first_instance(b)];
    prc_select_context context = {.log = b->log, .mesh = &meshes[0], .rest = &meshes[1]};
    context.scale = b->scene->spec.bodies[b->body].place.scale;
    *count = 0;
    if (select->mark.broken || select->mark.line == 0)
        return NULL;
    context.corners = b->has_corners ? b->corners : NULL;
    snprintf(context.path, sizeof context.path, "bodies[%d].%s[%d].select",
             b->scene->spec.bodies[b->body].instances.written, list, index);
    return prc_scene_select(&context, select, count);
}

static void build_groups(const builder *b, const prc_body_spec *spec, prc_body_def *def)
{
    if (!spec->group_count)
        return;
    prc_material_def *materials = PRC_NEW(prc_material_def, spec->group_count);
    int *vertex_material = PRC_NEW(int, def->mesh->vertex_count);
    b->scene->materials[b->body] = materials;
    b->scene->vertex_materials[b->body] = vertex_material;
    if (!materials || !vertex_material) {
        report_memory(b);
        return;
    }
    for (int g = 0; g < spec->group_count; g++) {
        int count;
        int *vertices = select_vertices(b, &spec->groups[g].select, "groups", g, &count);
        materials[g] = spec->groups[g].material;
        for (int i = 0; vertices && i < count; i++)
            vertex_material[vertices[i]] = g + 1;
        prc_free(vertices);
    }
    def->materials = materials;
    def->material_count = spec->group_count;
    def->vertex_material = vertex_material;
}

/* Adds a rotation at time 0 to the vertices of a list, or to all: v = w × (x − center). */
static void add_spin(const prc_mesh *mesh, const prc_spin_spec *spin, const int *vertices, int count, double *velocity)
{
    const double *a = spin->axis;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double speed = spin->degrees_per_second * acos(-1.0) / 180 / length;
    for (int k = 0; spin->degrees_per_second != 0 && k < count; k++) {
        const int i = vertices ? vertices[k] : k;
        const double *x = mesh->positions + 3 * (size_t)i;
        double r[3] = {x[0] - spin->center[0], x[1] - spin->center[1], x[2] - spin->center[2]};
        for (int c = 0; c < 3; c++)
            velocity[3 * (size_t)i + (size_t)c] +=
                speed * (a[(c + 1) % 3] * r[(c + 2) % 3] - a[(c + 2) % 3] * r[(c + 1) % 3]);
    }
}

/* The velocities at time 0 that differ from vertex to vertex. */
static void build_velocities(const builder *b, const prc_body_spec *spec, prc_body_def *def)
{
    const prc_mesh *mesh = &b->scene->meshes[2 * first_instance(b)];
    const int n = mesh->vertex_count;
    prc_instance_pose pose;
    prc_instance_pose_make(&pose, &spec->instances);
    prc_instance_turn(&pose, def->velocity);
    if (spec->spin.degrees_per_second == 0 && !spec->velocity_count)
        return;
    double *velocity = PRC_NEW(double, 3 * (size_t)n);
    b->scene->velocities[b->body] = velocity;
    if (!velocity) {
        report_memory(b);
        return;
    }
    add_spin(mesh, &spec->spin, NULL, n, velocity);
    for (int g = 0; g < spec->velocity_count; g++) {
        const prc_start_velocity_spec *group = &spec->velocities[g];
        int count;
        int *vertices = select_vertices(b, &group->select, "velocities", g, &count);
        for (int k = 0; vertices && k < 3 * count; k++)
            velocity[3 * (size_t)vertices[k / 3] + (size_t)(k % 3)] += group->velocity[k % 3];
        if (vertices)
            add_spin(mesh, &group->spin, vertices, count, velocity);
        prc_free(vertices);
    }
    for (int i = 0; i < n; i++)
        prc_instance_turn(&pose, velocity + 3 * (size_t)i);
    def->vertex_velocity = velocity;
}

static void build_pins(const builder *b, const prc_body_spec *spec)
{
    prc_sim_def *def = &b->scene->def;
    prc_instance_pose pose;
    prc_instance_pose_make(&pose, &spec->instances);
    for (int p = 0; p < spec->pin_count; p++) {
        prc_pin_def *pin = &b->scene->pins[def->pin_count++];
        *pin = spec->pins[p].def;
        pin->body = b->body;
        pin->vertices = select_vertices(b, &spec->pins[p].select, "pins", p, &pin->vertex_count);
        const prc_follow_spec *follow = &spec->pins[p].follow;
        prc_error error;
        if (!prc_instance_move_motion(&pose, b->scene, &pin->motion))
            report_memory(b);
        if (!pin->vertices || follow->mark.line == 0 || follow->mark.broken)
            continue;
        prc_result result = prc_scene_follow_create(b->log, follow, &pose, &b->scene->meshes[2 * b->body], pin, &error);
        if (result) {
            char key[40];
            snprintf(key, sizeof key, "pins[%d].follow", p);
            report(b, result, key, error.message);
        }
    }
}

static void build_forces(const builder *b, const prc_body_spec *spec)
{
    prc_sim_def *def = &b->scene->def;
    prc_instance_pose pose;
    prc_instance_pose_make(&pose, &spec->instances);
    for (int f = 0; f < spec->force_count; f++) {
        prc_force_def *force = &b->scene->forces[def->force_count++];
        *force = spec->forces[f].def;
        force->body = b->body;
        prc_instance_turn(&pose, force->force);
        if (spec->forces[f].select.mark.line > 0)
            force->vertices = select_vertices(b, &spec->forces[f].select, "forces", f, &force->vertex_count);
    }
}

/* ---- colliders ---- */

/* A mesh and its field. */
static prc_result define_collider(const builder *b, const prc_collider_spec *spec, prc_mesh *mesh,
                                  prc_collider_def *def, prc_error *error)
{
    const prc_place_spec *place = &spec->place;
    const prc_result result = prc_scene_make_mesh(b->log, b->scene, &spec->shape, false, mesh, NULL, error);
    if (result)
        return result;
    prc_mesh_transform(mesh, place->rotate.axis, place->rotate.degrees, place->scale, place->translate);
    def->mesh = mesh;
    if (!b->scene->def.contact.enabled)
        return PRC_OK;
    const double margin = prc_sdf_margin(&b->scene->def, prc_sdf_longest_side(mesh));
    def->field = prc_sdf_cached(mesh, spec->def.resolution, margin, b->scene->def.threads, error);
    return def->field ? PRC_OK : error->code;
}

static prc_result place_collider(prc_scene *scene, const prc_collider_spec *spec, prc_collider_def *def,
                                 prc_error *error)
{
    prc_instance_pose pose;
    prc_instance_pose_make(&pose, &spec->instances);
    prc_instance_move(&pose, def->center);
    prc_instance_turn_rotation(&pose, &def->rotate);
    return prc_instance_move_motion(&pose, scene, &def->motion) ? PRC_OK : PRC_FAIL_MEMORY(error);
}

static void build_collider(const builder *b, int index)
{
    const prc_collider_spec *spec = &b->scene->spec.colliders[index];
    prc_collider_def *def = &b->scene->colliders[index];
    const bool is_mesh = spec->def.shape == PRC_SHAPE_MESH, has_mesh = spec->shape.mark.line > 0;
    prc_error error;
    prc_result result = PRC_OK;
    *def = spec->def;
    if (spec->mark.broken || spec->mark.line == 0 || (spec->instances.number && b->log->errors->count))
        return;
    if (spec->instances.number) {
        def->mesh = b->scene->colliders[index - spec->instances.number].mesh;
        def->field = b->scene->colliders[index - spec->instances.number].field;
    } else if (is_mesh != has_mesh)
        result =
            prc_fail(&error, PRC_ERROR_INPUT,
                     is_mesh ? "mesh: missing; shape mesh needs a closed mesh" : "mesh: given, but shape is not mesh");
    else if (is_mesh)
        result = define_collider(b, spec, &b->scene->collider_meshes[index], def, &error);
    if (!result)
        result = place_collider(b->scene, spec, def, &error);
    if (result) {
        char path[PRC_PATH_SIZE];
        const bool in_file = spec->shape.file && is_mesh == has_mesh;
        snprintf(path, sizeof path, "colliders[%d].mesh%s", spec->instances.written, in_file ? ".file" : "");
        prc_scene_report_key(b->log, result, path, error.message);
    }
}

/* ---- the scene ---- */

/* Whether the mesh of a body can be made; its materials and pins may still be wrong. */
static bool is_sound(const prc_body_spec *spec)
{
    return spec->shape.mark.line > 0 && !spec->shape.mark.broken && !spec->place.mark.broken &&
           !spec->rest_shape.mark.broken && !spec->instances.mark.broken;
}

static void build_body(builder *b)
{
    prc_scene *scene = b->scene;
    const prc_body_spec *spec = &scene->spec.bodies[b->body];
    prc_mesh *meshes = &scene->meshes[2 * b->body];
    if (spec->instances.number && (!b->good || b->log->errors->count))
        return;
    if (!spec->instances.number)
        b->good = is_sound(spec) && build_meshes(b, spec, meshes) && check_rest(b, spec, meshes);
    if (!b->good || (spec->instances.number && !copy_meshes(b, spec, meshes)))
        return;
    prc_body_def *def = &scene->bodies[b->body];
    *def = spec->def;
    def->mesh = &meshes[0];
    def->rest_mesh = &meshes[1];
    build_groups(b, spec, def);
    build_velocities(b, spec, def);
    build_pins(b, spec);
    build_forces(b, spec);
}

static bool reserve(prc_scene *scene)
{
    const prc_scene_spec *spec = &scene->spec;
    size_t bodies = (size_t)spec->body_count, pins = 0, forces = 0;
    for (size_t i = 0; i < bodies; i++) {
        pins += (size_t)spec->bodies[i].pin_count;
        forces += (size_t)spec->bodies[i].force_count;
    }
    scene->meshes = PRC_NEW(prc_mesh, 2 * bodies);
    scene->bodies = PRC_NEW(prc_body_def, bodies);
    scene->materials = PRC_NEW(prc_material_def *, bodies);
    scene->vertex_materials = PRC_NEW(int *, bodies);
    scene->velocities = PRC_NEW(double *, bodies);
    scene->corners = prc_alloc(bodies, sizeof *scene->corners);
    scene->pins = PRC_NEW(prc_pin_def, pins);
    scene->forces = PRC_NEW(prc_force_def, forces);
    scene->colliders = PRC_NEW(prc_collider_def, spec->collider_count);
    scene->collider_meshes = PRC_NEW(prc_mesh, spec->collider_count);
    return scene->colliders && scene->collider_meshes && scene->meshes && scene->bodies && scene->materials &&
           scene->vertex_materials && scene->velocities && scene->corners && scene->pins && scene->forces;
}

/* What the check of a def finds has no place in a file; the key that begins its message leads to one. Numbers of bodies
 * and the like count instances there, and not in the file. */
static void report_check(const builder *b, const char *message)
{
    const prc_scene_spec *spec = &b->scene->spec;
    const char *rest = message;
    char text[500], list[16] = "";
    int index = -1, length = 0, written = -1;
    if (sscanf(message, "%15[a-z][%d]%n", list, &index, &length) == 2 && length > 0 && index >= 0) {
        if (!strcmp(list, "bodies") && index < spec->body_count)
            written = spec->bodies[index].instances.written;
        else if (!strcmp(list, "obstacles") && index < spec->obstacle_count)
            written = spec->obstacles[index].instances.written;
        else if (!strcmp(list, "colliders") && index < spec->collider_count)
            written = spec->colliders[index].instances.written;
    }
    if (written >= 0)
        rest += length;
    else
        list[0] = '\0';
    if (list[0])
        snprintf(text, sizeof text, "%s[%d]%.450s", list, written, rest);
    else
        snprintf(text, sizeof text, "%s", rest);
    const prc_node *node = prc_tree_nearest(b->log->tree, text, strcspn(text, ":"));
    prc_scene_report(b->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, "", "%s", text);
}

static bool reserve_for(const prc_scene_log *log, prc_scene *scene)
{
    if (!prc_scene_expand(log, scene))
        return false;
    if (reserve(scene))
        return true;
    prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
    return false;
}

void prc_scene_build(const prc_scene_log *log, prc_scene *scene)
{
    if (!reserve_for(log, scene))
        return;
    scene->def = scene->spec.def;
    scene->def.cookie = PRC_SIM_COOKIE;
    builder b = {.log = log, .scene = scene};
    for (b.body = 0; b.body < scene->spec.body_count; b.body++)
        build_body(&b);
    scene->def.bodies = scene->bodies;
    scene->def.body_count = scene->spec.body_count;
    scene->def.pins = scene->pins;
    scene->def.forces = scene->forces;
    for (int k = 0; k < scene->spec.collider_count; k++)
        build_collider(&b, k);
    scene->def.colliders = scene->colliders;
    scene->def.collider_count = scene->spec.collider_count;
    prc_scene_build_obstacles(log, scene);
    if (!log->errors->count)
        prc_scene_build_forces(log, scene);
    prc_error error;
    if (!log->errors->count && prc_schema_check_sim(&scene->def, &error))
        report_check(&b, error.message);
}
