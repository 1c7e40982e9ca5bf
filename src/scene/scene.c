/* scene/scene.c — reading a scene: file to tree, overrides, tree to spec, spec to defs.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "scene/scene.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "scene/reader.h"
#include "schema/schema.h"

static bool apply_override(const prc_scene_log *log, prc_tree *tree, int index)
{
    const char *text = log->overrides[index], *equals = strchr(text, '=');
    prc_error error;
    prc_node *value;
    int line = 0, column = 0;
    prc_result result;
    if (!equals) {
        result = prc_fail(&error, PRC_ERROR_INPUT, "no '='; expected key.path=value");
    } else {
        result = prc_yaml_read(tree, equals + 1, strlen(equals + 1), index, &value, &line, &column, &error);
        if (!result && !value)
            value = prc_tree_node(tree, PRC_NODE_NULL, index, 1, 1);
        if (!result)
            result =
                value ? prc_tree_override(tree, text, (size_t)(equals - text), value, &error) : PRC_FAIL_MEMORY(&error);
    }
    if (result)
        prc_scene_report(log, result, index, 1, 1, "", "%s", error.message);
    return !result;
}

static bool read_tree(const prc_scene_log *log, prc_tree *tree, const char *text, size_t size, int count)
{
    prc_error error;
    int line = 0, column = 0;
    prc_result result = prc_yaml_read(tree, text, size, -1, &tree->root, &line, &column, &error);
    if (!result && !tree->root && !(tree->root = prc_tree_node(tree, PRC_NODE_NULL, -1, 1, 1)))
        result = PRC_FAIL_MEMORY(&error);
    if (result) {
        prc_scene_report(log, result, -1, line, column, "", "%s", error.message);
        return false;
    }
    bool good = true;
    for (int k = 0; k < count; k++)
        good &= apply_override(log, tree, k);
    return good;
}

static prc_scene *read_scene(const prc_scene_log *log, const char *text, size_t size, int count)
{
    prc_tree tree = {0};
    prc_scene *scene = PRC_NEW(prc_scene, 1);
    if (!scene) {
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
        return NULL;
    }
    prc_schema_default(PRC_TABLE_scene, &scene->spec, false);
    if (read_tree(log, &tree, text, size, count) && !prc_scene_read_tree(log, tree.root, &scene->spec))
        prc_scene_build(log, scene);
    prc_tree_release(&tree);
    if (!log->errors->count)
        return scene;
    prc_scene_destroy(scene);
    return NULL;
}

prc_scene *prc_scene_parse(const char *text, size_t size, const char *path, const char *const *overrides, int count,
                           prc_scene_errors *errors)
{
    *errors = (prc_scene_errors){0};
    prc_scene_log log = {errors, path, overrides};
    /* Numbers have decimal points in every locale. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    prc_scene *scene = read_scene(&log, text, size, count);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    return scene;
}

prc_scene *prc_scene_read(const char *path, const char *const *overrides, int count, prc_scene_errors *errors)
{
    char *text = NULL;
    size_t size = 0;
    prc_error error;
    *errors = (prc_scene_errors){0};
    prc_result result = prc_file_read(path, &text, &size, &error);
    if (result) {
        errors->code = result;
        errors->count = 1;
        snprintf(errors->items[0].message, sizeof errors->items[0].message, "%s", error.message);
        return NULL;
    }
    prc_scene *scene = prc_scene_parse(text, size, path, overrides, count, errors);
    prc_free(text);
    return scene;
}

void prc_scene_destroy(prc_scene *scene)
{
    if (!scene)
        return;
    for (int i = 0; i < scene->spec.body_count; i++) {
        if (scene->meshes)
            prc_mesh_release(&scene->meshes[2 * i]), prc_mesh_release(&scene->meshes[2 * i + 1]);
        if (scene->materials)
            prc_free(scene->materials[i]);
        if (scene->vertex_materials)
            prc_free(scene->vertex_materials[i]);
        if (scene->velocities)
            prc_free(scene->velocities[i]);
    }
    prc_scene_release_obstacles(scene);
    for (int p = 0; p < scene->def.pin_count; p++)
        prc_free((void *)scene->pins[p].vertices);
    for (int f = 0; f < scene->def.force_count; f++)
        prc_free((void *)scene->forces[f].vertices);
    for (int k = 0; scene->colliders && k < scene->spec.collider_count; k++)
        prc_sdf_destroy((prc_sdf *)scene->colliders[k].field);
    prc_free(scene->colliders);
    prc_free(scene->corners);
    prc_free(scene->springs);
    for (int k = 0; k < scene->def.pressure_count; k++)
        prc_free((void *)scene->pressures[k].bodies);
    prc_free(scene->pressures);
    prc_free(scene->meshes);
    prc_free(scene->bodies);
    prc_free(scene->materials);
    prc_free(scene->vertex_materials);
    prc_free(scene->velocities);
    prc_free(scene->pins);
    prc_free(scene->forces);
    prc_schema_release(PRC_TABLE_scene, &scene->spec);
    prc_free(scene);
}

const prc_sim_def *prc_scene_sim_def(const prc_scene *scene)
{
    return &scene->def;
}
