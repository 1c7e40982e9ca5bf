/* app/cli/frames.c — see frames.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "colliders.h"
#include "io/colliders.h"
#include "io/ply.h"

#define SERIES "frames.vtkhdf"

/* Values per vertex, and what they are called in VTKHDF: a vector by one name, others by one name each. */
static const struct {
    int components;
    const char *names[2];
} parts[PRC_FRAME_PARTS] = {{3, {NULL}},
                            {3, {"velocity"}},
                            {2, {"stretch_max", "stretch_min"}},
                            {2, {"stress_max", "stress_min"}},
                            {2, {"curvature_mean", "curvature_gauss"}},
                            {1, {"energy"}},
                            {1, {"pressure"}},
                            {1, {"gap"}},
                            {1, {"residual"}}};

prc_frame_layout prc_frame_layout_of(const prc_output_def *def, int vertex_count, int collider_count)
{
    const bool wanted[PRC_FRAME_PARTS] = {true,        true,          true,     def->stress,  def->curvature,
                                          def->energy, def->pressure, def->gap, def->residual};
    prc_frame_layout layout = {.count = 2};
    for (int p = 0; p < PRC_FRAME_PARTS; p++)
        if (wanted[p]) {
            layout.offset[p] = layout.count;
            layout.count += (size_t)parts[p].components * (size_t)vertex_count;
        }
    layout.poses = layout.count;
    layout.count += (size_t)collider_count * PRC_CLI_POSE;
    return layout;
}

static const double *part_of(const prc_frames *frames, const double *block, prc_frame_part part)
{
    return frames->layout.offset[part] ? block + frames->layout.offset[part] : NULL;
}

/* ---- names ---- */

/* "body_00_shirt.pc2", "obstacle_01.pc2": numbers keep them apart, names are for people. */
static void name_part(const prc_frames *frames, int part, const char *ending, char name[96])
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-";
    const bool obstacle = part >= frames->surface.body_count;
    const char *own = frames->surface.parts[part].name;
    char word[42] = "";
    if (own && own[0]) {
        snprintf(word, sizeof word, "_%.40s", own);
        for (char *c = word; *c; c++)
            *c = strchr(plain, *c) ? *c : '_';
    }
    snprintf(name, 96, "%s_%02d%s.%s", obstacle ? "obstacle" : "body",
             obstacle ? part - frames->surface.body_count : part, word, ending);
}

/* The number in a name that begins with `start` and goes on with `fewest` digits or more; −1: it does not. `rest` is
 * what follows. */
static long number_in(const char *name, const char *start, size_t fewest, const char **rest)
{
    const size_t length = strlen(start);
    const size_t digits = strncmp(name, start, length) ? 0 : strspn(name + length, "0123456789");
    *rest = name + length + digits;
    return digits >= fewest ? strtol(name + length, NULL, 10) : -1;
}

bool prc_frames_is_numbered(const char *name, int first)
{
    const char *rest;
    const long number = number_in(name, "frame_", 5, &rest);
    return number >= first && (!strcmp(rest, ".ply") || !strcmp(rest, ".obj"));
}

bool prc_frames_is_series(const char *name)
{
    const char *rest, *ending = strrchr(name, '.');
    if (!strcmp(name, SERIES) || !strcmp(name, SERIES ".tmp") || prc_collider_is_mesh_name(name))
        return true;
    return (number_in(name, "body_", 2, &rest) >= 0 || number_in(name, "obstacle_", 2, &rest) >= 0) && ending &&
           (*rest == '_' || rest == ending) && (!strcmp(ending, ".pc2") || !strcmp(ending, ".obj"));
}

static void path_to(const prc_frames *frames, const char *name, char path[PRC_CLI_PATH + 100])
{
    snprintf(path, PRC_CLI_PATH + 100, "%s/%s", frames->folder, name);
}

int prc_frames_list(const prc_frames *frames, int count, prc_frames_kind kinds[PRC_FRAMES_KINDS])
{
    static const struct {
        prc_format format;
        const char *name;
    } formats[] = {
        {PRC_FORMAT_PLY, "ply"}, {PRC_FORMAT_OBJ, "obj"}, {PRC_FORMAT_VTKHDF, "vtkhdf"}, {PRC_FORMAT_PC2, "pc2"}};
    int found = 0;
    for (size_t f = 0; count && f < sizeof formats / sizeof *formats; f++) {
        if (!(frames->def.formats & (int)formats[f].format))
            continue;
        prc_frames_kind *kind = &kinds[found++];
        kind->format = formats[f].name;
        if (formats[f].format == PRC_FORMAT_VTKHDF) {
            snprintf(kind->first, sizeof kind->first, SERIES);
            snprintf(kind->last, sizeof kind->last, SERIES);
        } else if (formats[f].format == PRC_FORMAT_PC2) {
            name_part(frames, 0, "pc2", kind->first);
            name_part(frames, frames->surface.part_count - 1, "pc2", kind->last);
        } else {
            snprintf(kind->first, sizeof kind->first, "frame_%05d.%s", 0, kind->format);
            snprintf(kind->last, sizeof kind->last, "frame_%05d.%s", count - 1, kind->format);
        }
    }
    return found;
}

/* Which vertices are whose, a line each, for those who read frames: "part body 121 my sheet". Particles come no nearer
 * to a surface than its thickness allows: where there are some, it is told as well. */
static char *tell_parts(const prc_frame_surface *surface)
{
    const size_t most = 96; /* of a line; names are cut to 63 bytes */
    char *text = prc_alloc(2 * (size_t)surface->part_count + 1, most), *at = text;
    for (int p = 0; text && p < surface->part_count; p++) {
        const prc_obj_part *part = &surface->parts[p];
        const bool named = part->name && part->name[0];
        const char *kind = p >= surface->body_count ? "obstacle" : part->radius > 0 ? "particles" : "body";
        char *name = at + snprintf(at, most, "\npart %s %d%s", kind, part->vertex_count, named ? " " : "");
        at = name + (named ? snprintf(name, 64, "%s", part->name) : 0);
        if (named && strlen(part->name) > 63) /* cut, and not inside a character */
            for (at = name + 63; at > name && ((unsigned char)part->name[at - name] & 0xc0) == 0x80;)
                *--at = '\0';
        for (char *c = name; c < at; c++)
            *c = (unsigned char)*c < ' ' ? '_' : *c;
    }
    for (int p = 0; text && surface->thickness && p < surface->part_count; p++)
        if (surface->thickness[p] > 0)
            at += snprintf(at, most, "\nthickness %d %.17g", p, surface->thickness[p]);
    return text;
}

/* The time, the parts, and where the colliders are: a line each. */
static char *tell_all(const prc_frames *frames, const double *block, bool with_parts)
{
    const char *told = with_parts ? frames->told : "";
    char *colliders = prc_cli_colliders_tell(frames->surface.colliders, frames->surface.collider_count,
                                             block + frames->layout.poses, true);
    const size_t size = 60 + strlen(told) + (colliders ? strlen(colliders) : 0);
    char *text = colliders ? prc_alloc(size, 1) : NULL;
    if (text)
        snprintf(text, size, "percale, time %.9g s%s\n%s", block[1], told, colliders);
    prc_free(colliders);
    return text;
}

/* ---- opening and closing ---- */

/* The meshes of colliders, which the frames name. */
static prc_result write_colliders(const prc_frames *frames, prc_error *error)
{
    const prc_frame_surface *s = &frames->surface;
    prc_result result = PRC_OK;
    for (int k = 0; k < s->collider_count && !result; k++) {
        const prc_mesh *mesh = s->colliders[k].shape == PRC_SHAPE_MESH ? s->colliders[k].mesh : NULL;
        char name[PRC_COLLIDER_MESH], path[PRC_CLI_PATH + 100];
        if (!mesh)
            continue;
        prc_collider_mesh_name(k, name);
        path_to(frames, name, path);
        const prc_ply_frame frame = {.vertex_count = mesh->vertex_count,
                                     .triangle_count = mesh->triangle_count,
                                     .positions = mesh->positions,
                                     .triangles = mesh->triangles,
                                     .is_double = true,
                                     .comment = "percale: a collider that frames name"};
        result = prc_ply_write(path, &frame, error);
    }
    return result;
}

static prc_result open_vtkhdf(prc_frames *frames, prc_error *error)
{
    const prc_frame_surface *s = &frames->surface;
    prc_vtkhdf_def def = {.vertex_count = s->vertex_count,
                          .triangle_count = s->triangle_count,
                          .edge_count = s->edge_count,
                          .triangles = s->triangles,
                          .edges = s->edges,
                          .body = s->body,
                          .obstacle = s->obstacle,
                          .radius = s->radius,
                          .is_double = frames->def.precision == PRC_PRECISION_DOUBLE};
    for (int p = PRC_FRAME_VELOCITIES; p < PRC_FRAME_PARTS; p++)
        for (int k = 0; k < 2 && frames->layout.offset[p] && parts[p].names[k]; k++)
            def.fields[def.field_count++] =
                (prc_vtkhdf_field){parts[p].names[k], parts[p].components == 3 ? 3 : 1, parts[p].components};
    char path[PRC_CLI_PATH + 100];
    path_to(frames, SERIES, path);
    frames->vtkhdf = prc_vtkhdf_open(path, &def, frames->written, error);
    return frames->vtkhdf ? PRC_OK : PRC_ERROR_IO;
}

static prc_result open_pc2(prc_frames *frames, prc_error *error)
{
    char name[96], path[PRC_CLI_PATH + 100];
    frames->pc2 = PRC_NEW(prc_pc2_series *, frames->surface.part_count);
    if (!frames->pc2)
        return PRC_FAIL_MEMORY(error);
    for (int p = 0; p < frames->surface.part_count; p++) {
        name_part(frames, p, "pc2", name);
        path_to(frames, name, path);
        frames->pc2[p] = prc_pc2_series_open(path, frames->surface.parts[p].vertex_count, frames->written, error);
        if (!frames->pc2[p])
            return PRC_ERROR_IO;
    }
    return PRC_OK;
}

prc_result prc_frames_open(prc_frames *frames, const char *folder, const prc_frame_surface *surface,
                           const prc_output_def *def, int written, prc_error *error)
{
    *frames = (prc_frames){.folder = folder,
                           .surface = *surface,
                           .def = *def,
                           .layout = prc_frame_layout_of(def, surface->vertex_count, surface->collider_count),
                           .written = written};
    frames->told = tell_parts(surface);
    prc_result result = frames->told ? PRC_OK : PRC_FAIL_MEMORY(error);
    if (!result && def->formats & (PRC_FORMAT_PLY | PRC_FORMAT_OBJ))
        result = write_colliders(frames, error);
    if (!result && def->formats & PRC_FORMAT_VTKHDF)
        result = open_vtkhdf(frames, error);
    if (!result && def->formats & PRC_FORMAT_PC2)
        result = open_pc2(frames, error);
    if (result)
        prc_frames_close(frames, NULL);
    return result;
}

prc_result prc_frames_flush(prc_frames *frames, prc_error *error)
{
    prc_result result = frames->vtkhdf && frames->written ? prc_vtkhdf_flush(frames->vtkhdf, error) : PRC_OK;
    for (int p = 0; frames->pc2 && p < frames->surface.part_count && !result; p++)
        result = prc_pc2_series_flush(frames->pc2[p], error);
    return result;
}

int prc_frames_safe(const prc_frames *frames)
{
    const int described = frames->vtkhdf ? prc_vtkhdf_described(frames->vtkhdf) : frames->written;
    return described < frames->written ? described : frames->written;
}

prc_result prc_frames_close(prc_frames *frames, prc_error *error)
{
    prc_result result = prc_vtkhdf_close(frames->vtkhdf, error);
    for (int p = 0; frames->pc2 && p < frames->surface.part_count; p++) {
        prc_result closed = prc_pc2_series_close(frames->pc2[p], result ? NULL : error);
        result = result ? result : closed;
    }
    prc_free(frames->pc2);
    prc_free(frames->told);
    frames->told = NULL;
    frames->pc2 = NULL;
    frames->vtkhdf = NULL;
    return result;
}

int prc_frames_missing(const prc_frames *frames, char names[120])
{
    static const struct {
        prc_format format;
        const char *ending;
    } formats[] = {{PRC_FORMAT_PLY, "ply"}, {PRC_FORMAT_OBJ, "obj"}};
    int missing = 0;
    names[0] = '\0';
    for (int k = 0; k < frames->written; k++)
        for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
            char name[40], path[PRC_CLI_PATH + 100];
            snprintf(name, sizeof name, "frame_%05d.%s", k, formats[f].ending);
            path_to(frames, name, path);
            if (!(frames->def.formats & (int)formats[f].format) || access(path, F_OK) == 0)
                continue;
            const size_t length = strlen(names);
            if (missing++ < 3)
                snprintf(names + length, 120 - length, "%s%s", length ? ", " : "", name);
        }
    const size_t length = strlen(names);
    if (missing > 3)
        snprintf(names + length, 120 - length, " …");
    return missing;
}

/* ---- writing ---- */

static prc_result write_ply(const prc_frames *frames, const double *block, prc_error *error)
{
    const prc_frame_surface *s = &frames->surface;
    char name[40], path[PRC_CLI_PATH + 100];
    char *comment = tell_all(frames, block, true);
    if (!comment)
        return PRC_FAIL_MEMORY(error);
    snprintf(name, sizeof name, "frame_%05d.ply", frames->written);
    path_to(frames, name, path);
    const prc_ply_frame frame = {.vertex_count = s->vertex_count,
                                 .triangle_count = s->triangle_count,
                                 .edge_count = s->edge_count,
                                 .triangles = s->triangles,
                                 .edges = s->edges,
                                 .obstacle = s->obstacle,
                                 .radii = s->radius,
                                 .positions = part_of(frames, block, PRC_FRAME_POSITIONS),
                                 .velocities = part_of(frames, block, PRC_FRAME_VELOCITIES),
                                 .stretches = part_of(frames, block, PRC_FRAME_STRETCHES),
                                 .stresses = part_of(frames, block, PRC_FRAME_STRESSES),
                                 .curvatures = part_of(frames, block, PRC_FRAME_CURVATURES),
                                 .energies = part_of(frames, block, PRC_FRAME_ENERGIES),
                                 .pressures = part_of(frames, block, PRC_FRAME_PRESSURES),
                                 .gaps = part_of(frames, block, PRC_FRAME_GAPS),
                                 .residuals = part_of(frames, block, PRC_FRAME_RESIDUALS),
                                 .is_double = frames->def.precision == PRC_PRECISION_DOUBLE,
                                 .comment = comment};
    prc_result result = prc_ply_write(path, &frame, error);
    prc_free(comment);
    return result;
}

static prc_result write_obj(const prc_frames *frames, const double *block, prc_error *error)
{
    char name[40], path[PRC_CLI_PATH + 100], *comment = tell_all(frames, block, false);
    if (!comment)
        return PRC_FAIL_MEMORY(error);
    snprintf(name, sizeof name, "frame_%05d.obj", frames->written);
    path_to(frames, name, path);
    const prc_obj_frame frame = {.parts = frames->surface.parts,
                                 .part_count = frames->surface.part_count,
                                 .positions = part_of(frames, block, PRC_FRAME_POSITIONS),
                                 .triangles = frames->surface.triangles,
                                 .edges = frames->surface.edges,
                                 .comment = comment,
                                 .is_double = frames->def.precision == PRC_PRECISION_DOUBLE};
    prc_result result = prc_obj_write_frame(path, &frame, error);
    prc_free(comment);
    return result;
}

/* Beside its positions a body needs a mesh to put them on: that of the first frame, alone. */
static prc_result write_base(const prc_frames *frames, int p, const double *positions, const int *triangles,
                             const int *edges, int first, prc_error *error)
{
    const prc_obj_part *part = &frames->surface.parts[p];
    char name[96], path[PRC_CLI_PATH + 100];
    const size_t corners = 3 * (size_t)part->triangle_count, ends = 2 * (size_t)part->edge_count;
    int *own = PRC_NEW(int, corners + ends);
    if (!own)
        return PRC_FAIL_MEMORY(error);
    for (size_t k = 0; k < corners; k++)
        own[k] = triangles[k] - first;
    for (size_t k = 0; k < ends; k++)
        own[corners + k] = edges[k] - first;
    const prc_obj_frame frame = {.parts = part,
                                 .part_count = 1,
                                 .positions = positions,
                                 .triangles = own,
                                 .edges = own + corners,
                                 .comment = "percale: the mesh that the PC2 file of this name moves"};
    name_part(frames, p, "obj", name);
    path_to(frames, name, path);
    prc_result result = prc_obj_write_frame(path, &frame, error);
    prc_free(own);
    return result;
}

static prc_result write_pc2(const prc_frames *frames, const double *block, prc_error *error)
{
    const double *positions = part_of(frames, block, PRC_FRAME_POSITIONS);
    const int *triangles = frames->surface.triangles, *edges = frames->surface.edges;
    int first = 0;
    prc_result result = PRC_OK;
    for (int p = 0; p < frames->surface.part_count && !result; p++) {
        const prc_obj_part *part = &frames->surface.parts[p];
        if (frames->written == 0)
            result = write_base(frames, p, positions + 3L * first, triangles, edges, first, error);
        if (!result)
            result = prc_pc2_series_add(frames->pc2[p], positions + 3L * first, error);
        first += part->vertex_count;
        triangles += 3L * part->triangle_count;
        edges += 2L * part->edge_count;
    }
    return result;
}

static prc_result write_vtkhdf(const prc_frames *frames, const double *block, prc_error *error)
{
    const double *values[PRC_VTKHDF_FIELDS];
    int count = 0;
    for (int p = PRC_FRAME_VELOCITIES; p < PRC_FRAME_PARTS; p++)
        for (int k = 0; k < 2 && frames->layout.offset[p] && parts[p].names[k]; k++)
            values[count++] = block + frames->layout.offset[p] + k;
    return prc_vtkhdf_add(frames->vtkhdf, block[1], part_of(frames, block, PRC_FRAME_POSITIONS), values, error);
}

prc_result prc_frames_write(prc_frames *frames, const double *block, prc_error *error)
{
    const int formats = frames->def.formats;
    prc_result result = formats & PRC_FORMAT_PLY ? write_ply(frames, block, error) : PRC_OK;
    if (!result && formats & PRC_FORMAT_OBJ)
        result = write_obj(frames, block, error);
    if (!result && formats & PRC_FORMAT_PC2)
        result = write_pc2(frames, block, error);
    if (!result && formats & PRC_FORMAT_VTKHDF)
        result = write_vtkhdf(frames, block, error);
    frames->written += !result;
    return result;
}
