/* io/mesh_read.c — reads a mesh file: chooses the reader by the file extension, and processes the mesh.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include <percale/mesh.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "mesh/mend.h"

#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *ending, *name;
    prc_mesh_reader *read;
} formats[] = {{".obj", "OBJ", prc_obj_parse},        {".ply", "PLY", prc_ply_parse},
               {".stl", "STL", prc_stl_parse},        {".msh", "Gmsh MSH", prc_msh_parse},
               {".vtk", "legacy VTK", prc_vtk_parse}, {".glb", "binary glTF", prc_gltf_parse},
               {".gltf", "glTF", prc_gltf_parse}};

#define FORMATS (sizeof formats / sizeof *formats)

static bool begins_with(const prc_mesh_source *source, const char *text)
{
    const size_t length = strlen(text);
    return source->size >= length && strncasecmp(source->data, text, length) == 0;
}

/* The format that the content looks like; FORMATS where it is not clear. */
static size_t guess(const prc_mesh_source *source)
{
    if (begins_with(source, "ply\n") || begins_with(source, "ply\r"))
        return 1;
    if (begins_with(source, "solid"))
        return 2;
    if (begins_with(source, "$MeshFormat"))
        return 3;
    if (begins_with(source, "# vtk DataFile"))
        return 4;
    if (begins_with(source, "glTF") || begins_with(source, "{"))
        return source->data[0] == '{' ? 6 : 5;
    for (const char *line = source->data, *end = line + source->size; line < end && line < source->data + 2000;) {
        if (!strncmp(line, "v ", 2) || !strncmp(line, "mtllib ", 7))
            return 0;
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline ? newline + 1 : end;
    }
    return FORMATS;
}

static size_t by_ending(const char *path)
{
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < FORMATS; k++)
        if (strcasecmp(ending, formats[k].ending) == 0)
            return k;
    return FORMATS;
}

static prc_result refuse_ending(const prc_mesh_source *source, prc_error *error)
{
    const size_t like = guess(source);
    if (like == FORMATS)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s: unknown file type; expected a mesh file ending in .obj, .ply, .stl, .msh, .vtk, .glb or .gltf",
            source->path);
    return prc_fail(error, PRC_ERROR_INPUT,
                    "%s: unknown file type; expected a mesh file ending in .obj, .ply, .stl, .msh, .vtk, .glb or "
                    ".gltf; the content looks like %s, which should end in %s",
                    source->path, formats[like].name, formats[like].ending);
}

/* A file that its reader refuses, and that looks like another format: both are said. */
static void add_guess(size_t like, size_t format, prc_error *error)
{
    const size_t length = strlen(error->message), left = sizeof error->message - length;
    if (like != FORMATS && formats[like].read != formats[format].read)
        snprintf(error->message + length, left, "; the content looks like %s", formats[like].name);
}

prc_result prc_mesh_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    prc_error unheard = {0};
    *mesh = (prc_mesh){0};
    error = error ? error : &unheard;
    const size_t format = by_ending(source->path), like = guess(source);
    if (format == FORMATS)
        return refuse_ending(source, error);

    /* Programs with a user interface often set a locale with decimal commas; mesh files always have points. */
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain)
        return PRC_FAIL_MEMORY(error);
    locale_t before = uselocale(plain);
    prc_result result = formats[format].read(mesh, source, error);
    uselocale(before);
    freelocale(plain);
    if (result)
        prc_mesh_release(mesh);
    if (result == PRC_ERROR_INPUT)
        add_guess(like, format, error);
    return result;
}

static prc_result read_file(prc_mesh *mesh, const char *path, const prc_mesh_file_def *def, prc_mesh_report *report,
                            prc_error *error)
{
    prc_mesh_report unread = {0};
    *mesh = (prc_mesh){0};
    prc_mesh_source source = {
        .path = path, .split_texture = def->split_texture, .points = def->points, .report = report ? report : &unread};
    *source.report = (prc_mesh_report){0};
    prc_result result = prc_file_read_most(path, PRC_MOST_MESH_BYTES, &source.data, &source.size, error);
    if (result)
        return result;
    result = prc_mesh_parse(mesh, &source, error);
    prc_free(source.data);
    return result;
}

prc_result prc_mesh_read(prc_mesh *mesh, const char *path, prc_error *error)
{
    const prc_mesh_file_def as_it_is = {.mend = false};
    return read_file(mesh, path, &as_it_is, NULL, error);
}

prc_mesh_file_def prc_mesh_file_def_default(void)
{
    return (prc_mesh_file_def){.mend = true};
}

prc_result prc_mesh_load(prc_mesh *mesh, const char *path, const prc_mesh_file_def *def, prc_mesh_report *report,
                         prc_error *error)
{
    prc_result result = read_file(mesh, path, def, report, error);
    if (!result && (def->vertices[0] || def->vertices[1]))
        result = prc_mesh_keep_range(mesh, def->vertices, error);
    if (!result && def->mend)
        result = prc_mesh_mend(mesh, report, error);
    if (result)
        prc_mesh_release(mesh);
    return result;
}
