/* scene/meshes.c — the meshes of a scene: generated, or read from a file.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "scene/reader.h"
#include "schema/schema.h"

bool prc_scene_file(const prc_scene_log *log, const char *file, char *path, size_t size)
{
    const char *slash = strrchr(log->path, '/');
    int folder = file[0] == '/' || !slash ? 0 : (int)(slash - log->path) + 1;
    return snprintf(path, size, "%.*s%s", folder, log->path, file) < (int)size;
}

/* ---- notes ---- */

/* The same file may be used more than once; it is told once. */
static bool is_known(const prc_scene *scene, const char *note)
{
    for (int k = 0; k < scene->note_count; k++)
        if (!strcmp(scene->notes[k], note))
            return true;
    return false;
}

static prc_result take_notes(prc_scene *scene, const char *path, const prc_mesh_report *report, prc_error *error)
{
    for (int k = 0; k < report->note_count; k++) {
        char text[1400];
        snprintf(text, sizeof text, "%s: %s", path, report->notes[k]);
        if (is_known(scene, text))
            continue;
        const size_t count = (size_t)scene->note_count;
        char *note = prc_string_copy(text), **notes = prc_grow(scene->notes, count, count + 1, sizeof *notes);
        if (notes)
            scene->notes = notes;
        if (!note || !notes) {
            prc_free(note);
            return PRC_FAIL_MEMORY(error);
        }
        scene->notes[scene->note_count++] = note;
    }
    return PRC_OK;
}

int prc_scene_note_count(const prc_scene *scene)
{
    return scene->note_count;
}

const char *prc_scene_note(const prc_scene *scene, int index)
{
    return scene->notes[index];
}

/* ---- making ---- */

bool prc_scene_mesh_given(const prc_mesh_spec *spec, const char *key)
{
    return spec->mark.given >> prc_schema_find(prc_schema_table(PRC_TABLE_mesh), key) & 1u;
}

/* The check, with the name of the file in its message. */
static prc_result check(const prc_mesh *mesh, const char *path, prc_error *error)
{
    prc_error found = {0};
    const prc_result result = prc_mesh_check(mesh, &found);
    const char *what = !strncmp(found.message, "mesh: ", 6) ? found.message + 6 : found.message;
    return result == PRC_OK ? PRC_OK : prc_fail(error, result, "%s: %s", path, what);
}

const prc_scene_memory *prc_scene_find_memory(const prc_scene_log *log, const char *name, bool is_mesh,
                                              prc_error *error)
{
    for (int k = 0; k < log->memory_count; k++)
        if (!strcmp(log->memory[k].name, name) && (is_mesh ? (bool)log->memory[k].mesh : (bool)log->memory[k].animate))
            return &log->memory[k];
    prc_fail(error, PRC_ERROR_INPUT, "memory: the program that reads the scene provides no %s '%.100s'",
             is_mesh ? "mesh" : "motion", name);
    return NULL;
}

/* What every mesh has to keep to, also one that is not simulated; readers of files see to it themselves. */
static prc_result check_numbers(const prc_mesh *from, prc_error *error)
{
    for (size_t k = 0; k < 3 * (size_t)from->triangle_count; k++)
        if (from->triangles[k] < 0 || from->triangles[k] >= from->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %d names vertex %d; there are 0 to %d", (int)(k / 3),
                            from->triangles[k], from->vertex_count - 1);
    for (size_t k = 0; k < 3 * (size_t)from->vertex_count; k++)
        if (!isfinite(from->positions[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "the position of vertex %d is not finite", (int)(k / 3));
    return PRC_OK;
}

static prc_result copy_memory(const prc_scene_log *log, const prc_mesh_spec *spec, bool any, prc_mesh *mesh,
                              prc_error *error)
{
    const prc_scene_memory *memory = prc_scene_find_memory(log, spec->memory, true, error);
    if (!memory)
        return PRC_ERROR_INPUT;
    const prc_result result = any ? check_numbers(memory->mesh, error) : prc_mesh_check(memory->mesh, error);
    return result ? result : prc_mesh_copy(mesh, memory->mesh, error);
}

static prc_result read_file(const prc_scene_log *log, prc_scene *scene, const prc_mesh_spec *spec, bool any,
                            prc_mesh *mesh, prc_mesh_report *report, prc_error *error)
{
    char path[1024];
    prc_mesh_file_def def = {.vertices = {spec->vertices[0], spec->vertices[1]},
                             .split_texture = spec->split_texture,
                             .mend = spec->mend && !any,
                             .points = any};
    if (!prc_scene_file(log, spec->file, path, sizeof path))
        return prc_fail(error, PRC_ERROR_INPUT, "the path of the mesh file is too long");
    prc_result result = prc_mesh_load(mesh, path, &def, report, error);
    if (result)
        return result;
    result = take_notes(scene, path, report, error);
    if (!result && !any) {
        result = check(mesh, path, error);
        if (result == PRC_ERROR_INPUT && !log->errors->bad_mesh[0]) {
            memcpy(log->errors->bad_mesh, path, sizeof path);
            log->errors->bad_mesh_def = def;
        }
    }
    if (result)
        prc_mesh_release(mesh);
    return result;
}

prc_result prc_scene_make_mesh(const prc_scene_log *log, prc_scene *scene, const prc_mesh_spec *spec, bool any,
                               prc_mesh *mesh, prc_mesh_report *report, prc_error *error)
{
    prc_mesh_report unread = {0};
    report = report ? report : &unread;
    *report = (prc_mesh_report){0};
    if (prc_scene_mesh_given(spec, "grid"))
        return prc_mesh_grid(mesh, &spec->grid, error);
    if (prc_scene_mesh_given(spec, "strip")) {
        const prc_strip_spec *strip = &spec->strip;
        prc_grid_def grid = {{strip->length, strip->width},
                             {strip->cells[0], strip->cells[1]},
                             strip->pattern,
                             strip->jitter,
                             strip->seed};
        return prc_mesh_grid(mesh, &grid, error);
    }
    if (prc_scene_mesh_given(spec, "disc"))
        return prc_mesh_disc(mesh, spec->disc.radius, spec->disc.rings, error);
    if (prc_scene_mesh_given(spec, "cylinder"))
        return prc_mesh_cylinder(mesh, spec->cylinder.radius, spec->cylinder.height, spec->cylinder.cells[0],
                                 spec->cylinder.cells[1], error);
    if (prc_scene_mesh_given(spec, "cone"))
        return prc_mesh_cone(mesh, spec->cone.radius, spec->cone.radius_top, spec->cone.height, spec->cone.cells[0],
                             spec->cone.cells[1], error);
    if (prc_scene_mesh_given(spec, "sphere"))
        return prc_mesh_sphere(mesh, spec->sphere.radius, spec->sphere.subdivisions, error);
    if (prc_scene_mesh_given(spec, "torus"))
        return prc_mesh_torus(mesh, spec->torus.radius, spec->torus.tube, spec->torus.cells[0], spec->torus.cells[1],
                              error);
    if (prc_scene_mesh_given(spec, "ribbon"))
        return prc_mesh_ribbon(mesh, &spec->ribbon, error);
    if (prc_scene_mesh_given(spec, "lattice"))
        return prc_mesh_lattice(mesh, &spec->lattice, error);
    if (prc_scene_mesh_given(spec, "packing"))
        return prc_mesh_packing(mesh, &spec->packing, error);
    if (spec->memory)
        return copy_memory(log, spec, any, mesh, error);
    return read_file(log, scene, spec, any, mesh, report, error);
}
