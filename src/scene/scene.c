/* scene/scene.c — reads a scene: from file to tree, overrides, from tree to spec, from spec to defs.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "scene/scene.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "scene/instances.h"
#include "scene/reader.h"
#include "schema/schema.h"

static void apply_override(const prc_scene_log *log, prc_tree *tree, int index)
{
    const char *text = log->overrides[index], *equals = strchr(text, '=');
    prc_error error;
    if (!equals) {
        prc_scene_report(log, PRC_ERROR_INPUT, index, 1, 1, "", "no '='; expected key.path=value");
        return;
    }
    prc_node *value = prc_yaml_read(log, tree, equals + 1, strlen(equals + 1), index);
    if (value && prc_tree_override(tree, text, (size_t)(equals - text), value, &error))
        prc_scene_report(log, error.code, index, 1, 1, "", "%s", error.message);
}

/* The tree of the file, over those it includes, under the overrides; false where there is none. */
static bool read_tree(const prc_scene_log *log, prc_tree *tree, int count)
{
    const prc_scene_source *file = &log->sources->items[0];
    tree->root = prc_yaml_read(log, tree, file->text, file->size, -1);
    if (!tree->root)
        return false;
    tree->root = prc_scene_include(log, tree, tree->root, 0);
    for (int k = 0; k < count; k++)
        apply_override(log, tree, k);
    return true;
}

static prc_scene *read_scene(prc_scene_log *log, const char *text, size_t size, int count)
{
    prc_tree tree = {0};
    prc_scene *scene = PRC_NEW(prc_scene, 1);
    if (!scene || prc_scene_source_add(log->sources, log->path, "", text, size, -1) < 0) {
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
        prc_free(scene);
        return NULL;
    }
    prc_schema_default(PRC_TABLE_scene, &scene->spec, false);
    if (read_tree(log, &tree, count)) {
        log->tree = &tree;
        prc_scene_read_tree(log, tree.root, &scene->spec);
        prc_scene_build(log, scene);
        log->tree = NULL;
    }
    prc_tree_release(&tree);
    if (!log->errors->count)
        return scene;
    prc_scene_destroy(scene);
    return NULL;
}

prc_scene *prc_scene_parse(const char *text, size_t size, const char *path, const char *const *overrides, int count,
                           prc_scene_errors *errors)
{
    return prc_scene_parse_with(text, size, path, overrides, count, NULL, 0, errors);
}

prc_scene *prc_scene_parse_with(const char *text, size_t size, const char *path, const char *const *overrides,
                                int count, const prc_scene_memory *memory, int memory_count, prc_scene_errors *errors)
{
    *errors = (prc_scene_errors){0};
    prc_scene_sources sources = {0};
    prc_scene_log log = {errors, path, overrides, &sources, NULL, memory, memory_count};
    /* Numbers have decimal points in every locale. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;
    prc_scene *scene = read_scene(&log, text, size, count);
    if (plain) {
        uselocale(before);
        freelocale(plain);
    }
    prc_scene_sources_release(&sources);
    return scene;
}

prc_scene *prc_scene_read(const char *path, const char *const *overrides, int count, prc_scene_errors *errors)
{
    char *text = NULL;
    size_t size = 0;
    prc_error error;
    *errors = (prc_scene_errors){0};
    prc_result result = prc_scene_load(path, &text, &size, &error);
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
    for (int p = 0; p < scene->def.pin_count; p++) {
        prc_free((void *)scene->pins[p].vertices);
        prc_scene_follow_destroy(&scene->pins[p]);
    }
    for (int f = 0; f < scene->def.force_count; f++)
        prc_free((void *)scene->forces[f].vertices);
    for (int k = 0; scene->colliders && k < scene->spec.collider_count; k++)
        if (scene->spec.colliders[k].instances.number == 0) /* the others share it */
            prc_sdf_destroy((prc_sdf *)scene->colliders[k].field);
    for (int k = 0; scene->collider_meshes && k < scene->spec.collider_count; k++)
        prc_mesh_release(&scene->collider_meshes[k]);
    prc_free(scene->collider_meshes);
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
    for (int k = 0; k < scene->owned_count; k++)
        prc_free(scene->owned[k]);
    prc_free(scene->owned);
    for (int k = 0; k < scene->note_count; k++)
        prc_free(scene->notes[k]);
    prc_free(scene->notes);
    prc_scene_collapse(scene);
    prc_schema_release(PRC_TABLE_scene, &scene->spec);
    prc_free(scene);
}

const prc_sim_def *prc_scene_sim_def(const prc_scene *scene)
{
    return &scene->def;
}
