/* io/clip_glb.c — a clip as binary glTF 2.0 (Khronos, 2017; ISO/IEC 12113): what browsers play.
 *
 * Each part is a mesh in a node. The first frame is its base, every other frame a morph target: the displacement of
 * each vertex, and of its normal. An animation sets the weight of one target after the other to 1, linear in between,
 * so that the motion is linear from frame to frame. A part that never moves has no targets. Edges become lines, and
 * parts with neither triangles nor edges become points. Colours only distinguish parts. The format is limited to 4 GB,
 * and its positions are single precision: base plus displacement equals the frame up to one rounding. Leaves out
 * textures, compression, and all other vertex data of percale. SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/clip_formats.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NO_TARGET = 0, ARRAY_BUFFER = 34962, ELEMENT_ARRAY_BUFFER = 34963, UINT = 5125, FLOAT = 5126 };

/* A run of numbers in the binary chunk: an accessor with a view of its own, of the same index. */
typedef struct block {
    uint64_t offset, count;
    int components, kind, target;
    bool bounded;
    float low[3], high[3];
} block;

typedef struct part_blocks {
    int positions, normals, texture, triangles, edges; /* −1: none */
    int targets;                                       /* the first of the targets; −1 */
} part_blocks;

typedef struct writer {
    const prc_clip *clip;
    prc_file *file; /* that is being written: the JSON text, then the target */
    prc_error *error;
    block *blocks;
    int count, capacity;
    uint64_t size; /* of the binary chunk */
    part_blocks *parts;
    int times, weights; /* blocks; −1 */
    float *now, *normals, *normals_before;
} writer;

/* ---- what goes where ---- */

static int add_block(writer *w, uint64_t count, int components, int kind, int target, bool bounded)
{
    if (w->count == w->capacity)
        return -1; /* cannot be: the capacity was counted */
    w->blocks[w->count] = (block){w->size, count, components, kind, target, bounded, {0}, {0}};
    w->size += 4 * count * (uint64_t)components;
    return w->count++;
}

static bool has_normals(const writer *w, int p)
{
    return !w->clip->def.no_normals && w->clip->def.parts[p].triangle_count;
}

static void plan_part(writer *w, int p)
{
    const prc_obj_part *part = &w->clip->def.parts[p];
    const uint64_t vertices = (uint64_t)part->vertex_count;
    const bool normals = has_normals(w, p);
    part_blocks *b = &w->parts[p];
    *b = (part_blocks){-1, -1, -1, -1, -1, -1};
    if (!vertices)
        return;
    b->positions = add_block(w, vertices, 3, FLOAT, ARRAY_BUFFER, true);
    if (normals)
        b->normals = add_block(w, vertices, 3, FLOAT, ARRAY_BUFFER, false);
    if (part->texture)
        b->texture = add_block(w, vertices, 2, FLOAT, ARRAY_BUFFER, false);
    if (part->triangle_count)
        b->triangles = add_block(w, 3 * (uint64_t)part->triangle_count, 1, UINT, ELEMENT_ARRAY_BUFFER, false);
    if (part->edge_count)
        b->edges = add_block(w, 2 * (uint64_t)part->edge_count, 1, UINT, ELEMENT_ARRAY_BUFFER, false);
    if (!w->clip->moves[p])
        return;
    b->targets = w->count;
    for (int f = 1; f < w->clip->def.frame_count; f++) {
        add_block(w, vertices, 3, FLOAT, ARRAY_BUFFER, true);
        if (normals)
            add_block(w, vertices, 3, FLOAT, ARRAY_BUFFER, false);
    }
}

static bool moves_at_all(const prc_clip *clip)
{
    for (int p = 0; p < clip->def.part_count; p++)
        if (clip->moves[p])
            return true;
    return false;
}

static prc_result plan(writer *w)
{
    const prc_clip_def *def = &w->clip->def;
    const uint64_t frames = (uint64_t)def->frame_count;
    w->capacity = def->part_count * (5 + 2 * def->frame_count) + 2;
    w->blocks = PRC_NEW(block, w->capacity);
    w->parts = PRC_NEW(part_blocks, def->part_count);
    w->now = PRC_NEW(float, 3 * (size_t)w->clip->vertex_count);
    w->normals = PRC_NEW(float, 3 * (size_t)w->clip->vertex_count);
    w->normals_before = PRC_NEW(float, 3 * (size_t)w->clip->vertex_count);
    if (!w->blocks || !w->parts || !w->now || !w->normals || !w->normals_before)
        return PRC_FAIL_MEMORY(w->error);
    for (int p = 0; p < def->part_count; p++)
        plan_part(w, p);
    w->times = w->weights = -1;
    if (moves_at_all(w->clip)) {
        w->times = add_block(w, frames, 1, FLOAT, NO_TARGET, true);
        w->weights = add_block(w, frames * (frames - 1), 1, FLOAT, NO_TARGET, false);
    }
    return PRC_OK;
}

/* ---- the numbers ---- */

static void bound(block *b, const float *values)
{
    for (int k = 0; k < b->components; k++) {
        b->low[k] = INFINITY;
        b->high[k] = -INFINITY;
    }
    for (uint64_t i = 0; i < b->count; i++)
        for (int k = 0; k < b->components; k++) {
            const float value = values[i * (uint64_t)b->components + (uint64_t)k];
            b->low[k] = fminf(b->low[k], value);
            b->high[k] = fmaxf(b->high[k], value);
        }
}

/* Positions of a part in a frame, in w->now; as displacements after the first frame. */
static prc_result read_part(writer *w, int frame, int p)
{
    prc_result result = prc_clip_read(w->clip, frame, p, w->now, w->error);
    const float *before = w->clip->before + 3 * (size_t)w->clip->first[p];
    for (size_t k = 0; k < 3 * (size_t)w->clip->def.parts[p].vertex_count && frame && !result; k++)
        w->now[k] -= before[k];
    return result;
}

/* Viewers ask for bounds of all positions, before the numbers themselves. */
static prc_result find_bounds(writer *w)
{
    const prc_clip_def *def = &w->clip->def;
    prc_result result = PRC_OK;
    for (int p = 0; p < def->part_count && !result; p++)
        for (int f = 0; f < (w->clip->moves[p] ? def->frame_count : 1) && !result; f++) {
            const int b = f ? w->parts[p].targets + (f - 1) * (has_normals(w, p) ? 2 : 1) : w->parts[p].positions;
            result = b < 0 ? PRC_OK : read_part(w, f, p);
            if (b >= 0 && !result)
                bound(&w->blocks[b], w->now);
        }
    return result;
}

/* Mean normals of the triangles at each vertex, weighed by area; y where there are none. */
static void find_normals(const prc_clip *clip, int p, const int *triangles, const float *x, float *normals)
{
    const prc_obj_part *part = &clip->def.parts[p];
    const int first = clip->first[p];
    memset(normals, 0, 3 * sizeof *normals * (size_t)part->vertex_count);
    for (long t = 0; t < part->triangle_count; t++) {
        size_t v[3];
        float a[3], b[3];
        for (int k = 0; k < 3; k++)
            v[k] = 3 * (size_t)(triangles[3 * t + k] - first);
        for (int k = 0; k < 3; k++) {
            a[k] = x[v[1] + (size_t)k] - x[v[0] + (size_t)k];
            b[k] = x[v[2] + (size_t)k] - x[v[0] + (size_t)k];
        }
        for (size_t c = 0; c < 3; c++)
            for (size_t k = 0; k < 3; k++)
                normals[v[c] + k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
    for (size_t i = 0; i < (size_t)part->vertex_count; i++) {
        float *n = normals + 3 * i;
        const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const bool good = length > 0 && isfinite(length);
        for (int k = 0; k < 3; k++)
            n[k] = good ? n[k] / length : (float)(k == 1);
    }
}

static void put_indices(writer *w, const int *indices, size_t count, int first)
{
    for (size_t k = 0; k < count; k++)
        prc_clip_put32(w->file, (uint32_t)(indices[k] - first), false);
}

static void put_texture(writer *w, const prc_obj_part *part)
{
    for (long i = 0; i < part->vertex_count; i++) { /* glTF has v = 0 at the top */
        const float uv[2] = {(float)part->texture[2 * i], (float)(1 - part->texture[2 * i + 1])};
        prc_clip_put_floats(w->file, uv, 2, false);
    }
}

static prc_result put_targets(writer *w, int p, const int *triangles)
{
    const size_t count = 3 * (size_t)w->clip->def.parts[p].vertex_count;
    prc_result result = PRC_OK;
    for (int f = 1; f < w->clip->def.frame_count && !result; f++) {
        result = read_part(w, f, p);
        if (!result)
            prc_clip_put_floats(w->file, w->now, count, false);
        if (result || !has_normals(w, p))
            continue;
        result = prc_clip_read(w->clip, f, p, w->now, w->error);
        find_normals(w->clip, p, triangles, w->now, w->normals);
        for (size_t k = 0; k < count; k++)
            w->normals[k] -= w->normals_before[k];
        prc_clip_put_floats(w->file, w->normals, count, false);
    }
    return result;
}

/* In the order of the plan. */
static prc_result put_part(writer *w, int p, const int *triangles, const int *edges)
{
    const prc_obj_part *part = &w->clip->def.parts[p];
    const size_t count = 3 * (size_t)part->vertex_count;
    const int first = w->clip->first[p];
    prc_result result = read_part(w, 0, p);
    if (result || !count)
        return result;
    prc_clip_put_floats(w->file, w->now, count, false);
    if (has_normals(w, p)) {
        find_normals(w->clip, p, triangles, w->now, w->normals_before);
        prc_clip_put_floats(w->file, w->normals_before, count, false);
    }
    if (part->texture)
        put_texture(w, part);
    put_indices(w, triangles, 3 * (size_t)part->triangle_count, first);
    put_indices(w, edges, 2 * (size_t)part->edge_count, first);
    return w->clip->moves[p] ? put_targets(w, p, triangles) : PRC_OK;
}

static prc_result put_binary(writer *w)
{
    const prc_clip_def *def = &w->clip->def;
    const int *triangles = def->triangles, *edges = def->edges;
    prc_result result = PRC_OK;
    for (int p = 0; p < def->part_count && !result; p++) {
        result = put_part(w, p, triangles, edges);
        triangles += 3L * def->parts[p].triangle_count;
        edges += 2L * def->parts[p].edge_count;
    }
    if (w->times < 0 || result)
        return result;
    for (int f = 0; f < def->frame_count; f++) {
        const float time = (float)(def->times[f] - def->times[0]);
        prc_clip_put_floats(w->file, &time, 1, false);
    }
    for (int f = 0; f < def->frame_count; f++)
        for (int t = 1; t < def->frame_count; t++) {
            const float weight = t == f ? 1 : 0;
            prc_clip_put_floats(w->file, &weight, 1, false);
        }
    return result;
}

/* ---- the description ---- */

static void describe_blocks(const writer *w, prc_json *json)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3"};
    prc_json_array(json, "accessors");
    for (int b = 0; b < w->count; b++) {
        const block *at = &w->blocks[b];
        prc_json_object(json, NULL);
        prc_json_int(json, "bufferView", b);
        prc_json_int(json, "componentType", at->kind);
        prc_json_int(json, "count", (long long)at->count);
        prc_json_text(json, "type", types[at->components]);
        for (int side = 0; at->bounded && side < 2; side++) {
            prc_json_array(json, side ? "max" : "min");
            for (int k = 0; k < at->components; k++)
                prc_json_real(json, NULL, (double)(side ? at->high[k] : at->low[k]));
            prc_json_end(json);
        }
        prc_json_end(json);
    }
    prc_json_end(json);
    prc_json_array(json, "bufferViews");
    for (int b = 0; b < w->count; b++) {
        const block *at = &w->blocks[b];
        const uint64_t size = 4 * at->count * (uint64_t)at->components;
        prc_json_object(json, NULL);
        prc_json_int(json, "buffer", 0);
        prc_json_int(json, "byteOffset", (long long)at->offset);
        prc_json_int(json, "byteLength", (long long)size);
        if (at->target)
            prc_json_int(json, "target", at->target);
        prc_json_end(json);
    }
    prc_json_end(json);
}

/* Triangles, lines or points, with all targets: the primitives of a mesh must have as many. */
static void describe_primitive(const writer *w, prc_json *json, int p, int mode, int indices)
{
    enum { TRIANGLES = 4 };
    const part_blocks *b = &w->parts[p];
    const bool surface = mode == TRIANGLES, normals = surface && b->normals >= 0;
    const int stride = b->normals >= 0 ? 2 : 1;
    prc_json_object(json, NULL);
    prc_json_object(json, "attributes");
    prc_json_int(json, "POSITION", b->positions);
    if (normals)
        prc_json_int(json, "NORMAL", b->normals);
    if (surface && b->texture >= 0)
        prc_json_int(json, "TEXCOORD_0", b->texture);
    prc_json_end(json);
    if (indices >= 0)
        prc_json_int(json, "indices", indices);
    prc_json_int(json, "mode", mode);
    prc_json_int(json, "material", p);
    if (b->targets >= 0) {
        prc_json_array(json, "targets");
        for (int t = 0; t < w->clip->def.frame_count - 1; t++) {
            prc_json_object(json, NULL);
            prc_json_int(json, "POSITION", b->targets + t * stride);
            if (normals)
                prc_json_int(json, "NORMAL", b->targets + t * stride + 1);
            prc_json_end(json);
        }
        prc_json_end(json);
    }
    prc_json_end(json);
}

/* Names of targets are no part of the format, but all read them here. */
static void describe_names(const writer *w, prc_json *json)
{
    char name[40];
    prc_json_object(json, "extras");
    prc_json_array(json, "targetNames");
    for (int f = 1; f < w->clip->def.frame_count; f++) {
        snprintf(name, sizeof name, "%.9g s", w->clip->def.times[f]);
        prc_json_text(json, NULL, name);
    }
    prc_json_end(json);
    prc_json_end(json);
}

static void describe_meshes(const writer *w, prc_json *json)
{
    char name[PRC_CLIP_NAME];
    prc_json_array(json, "meshes");
    for (int p = 0; p < w->clip->def.part_count; p++) {
        const part_blocks *b = &w->parts[p];
        if (b->positions < 0)
            continue;
        prc_json_object(json, NULL);
        prc_clip_name(w->clip, p, name);
        prc_json_text(json, "name", name);
        prc_json_array(json, "primitives");
        if (b->triangles >= 0)
            describe_primitive(w, json, p, 4, b->triangles);
        if (b->edges >= 0)
            describe_primitive(w, json, p, 1, b->edges);
        if (b->triangles < 0 && b->edges < 0)
            describe_primitive(w, json, p, 0, -1);
        prc_json_end(json);
        if (b->targets >= 0)
            describe_names(w, json);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void describe_materials(const writer *w, prc_json *json)
{
    char name[PRC_CLIP_NAME];
    prc_json_array(json, "materials");
    for (int p = 0; p < w->clip->def.part_count; p++) {
        double colour[3];
        prc_clip_colour(w->clip, p, colour);
        prc_clip_name(w->clip, p, name);
        prc_json_object(json, NULL);
        prc_json_text(json, "name", name);
        prc_json_bool(json, "doubleSided", true);
        prc_json_object(json, "pbrMetallicRoughness");
        prc_json_array(json, "baseColorFactor");
        for (int k = 0; k < 4; k++)
            prc_json_real(json, NULL, k < 3 ? colour[k] : 1);
        prc_json_end(json);
        prc_json_real(json, "metallicFactor", 0);
        prc_json_real(json, "roughnessFactor", 0.85);
        prc_json_end(json);
        prc_json_end(json);
    }
    prc_json_end(json);
}

static void describe_nodes(const writer *w, prc_json *json)
{
    char name[PRC_CLIP_NAME];
    int nodes = 0;
    prc_json_array(json, "nodes");
    for (int p = 0; p < w->clip->def.part_count; p++)
        if (w->parts[p].positions >= 0) {
            prc_clip_name(w->clip, p, name);
            prc_json_object(json, NULL);
            prc_json_text(json, "name", name);
            prc_json_int(json, "mesh", nodes++);
            prc_json_end(json);
        }
    prc_json_end(json);
    prc_json_int(json, "scene", 0);
    prc_json_array(json, "scenes");
    prc_json_object(json, NULL);
    prc_json_array(json, "nodes");
    for (int n = 0; n < nodes; n++)
        prc_json_int(json, NULL, n);
    prc_json_end(json);
    prc_json_end(json);
    prc_json_end(json);
}

/* One sampler moves all parts: they share times and weights. */
static void describe_animation(const writer *w, prc_json *json)
{
    int node = -1;
    prc_json_array(json, "animations");
    prc_json_object(json, NULL);
    prc_json_text(json, "name", "simulation");
    prc_json_array(json, "samplers");
    prc_json_object(json, NULL);
    prc_json_int(json, "input", w->times);
    prc_json_int(json, "output", w->weights);
    prc_json_text(json, "interpolation", "LINEAR");
    prc_json_end(json);
    prc_json_end(json);
    prc_json_array(json, "channels");
    for (int p = 0; p < w->clip->def.part_count; p++) {
        node += w->parts[p].positions >= 0;
        if (w->parts[p].targets < 0)
            continue;
        prc_json_object(json, NULL);
        prc_json_int(json, "sampler", 0);
        prc_json_object(json, "target");
        prc_json_int(json, "node", node);
        prc_json_text(json, "path", "weights");
        prc_json_end(json);
        prc_json_end(json);
    }
    prc_json_end(json);
    prc_json_end(json);
    prc_json_end(json);
}

static void describe(const writer *w)
{
    prc_json json = prc_json_begin_line(w->file);
    prc_json_object(&json, "asset");
    prc_json_text(&json, "version", "2.0");
    prc_json_text(&json, "generator", "percale " PRC_VERSION);
    prc_json_end(&json);
    describe_nodes(w, &json);
    describe_meshes(w, &json);
    describe_materials(w, &json);
    if (w->times >= 0)
        describe_animation(w, &json);
    describe_blocks(w, &json);
    prc_json_array(&json, "buffers");
    prc_json_object(&json, NULL);
    prc_json_int(&json, "byteLength", (long long)w->size);
    prc_json_end(&json);
    prc_json_end(&json);
    prc_json_end(&json);
}

/* ---- the file ---- */

/* The text in memory: its length stands before it in the file. */
static prc_result make_text(writer *w, char **text, size_t *length)
{
    FILE *stream = open_memstream(text, length);
    if (!stream)
        return PRC_FAIL_MEMORY(w->error);
    w->file = prc_file_stream(stream, "the description of the file", w->error);
    prc_result result = w->file ? PRC_OK : PRC_ERROR_MEMORY;
    if (w->file) {
        describe(w);
        result = prc_file_commit(w->file, w->error);
    }
    if (fclose(stream) != 0 && !result)
        result = PRC_FAIL_MEMORY(w->error);
    return result;
}

static prc_result put_chunks(writer *w, prc_file *file, const char *text, size_t length)
{
    enum { HEADERS = 28 };
    const uint32_t padded = (uint32_t)(length + 3) / 4 * 4;
    const uint64_t total = HEADERS + (uint64_t)padded + w->size;
    if (total > UINT32_MAX)
        return prc_fail(w->error, PRC_ERROR_INPUT,
                        "%s: would take %.3g GB, but a GLB file is limited to 4.29; write fewer frames (--every N), or "
                        "leave out normals (--no-normals)",
                        w->clip->path, (double)total / 1e9);
    w->file = file;
    prc_file_write(file, "glTF", 4);
    prc_clip_put32(file, 2, false);
    prc_clip_put32(file, (uint32_t)total, false);
    prc_clip_put32(file, padded, false);
    prc_file_write(file, "JSON", 4);
    prc_file_write(file, text, length);
    prc_file_write(file, "   ", padded - length);
    prc_clip_put32(file, (uint32_t)w->size, false);
    prc_file_write(file, "BIN", 4); /* and its zero */
    return put_binary(w);
}

prc_result prc_clip_write_glb(const prc_clip *clip, prc_file *file, prc_error *error)
{
    writer w = {.clip = clip, .error = error};
    char *text = NULL;
    size_t length = 0;
    prc_result result = plan(&w);
    if (!result)
        result = find_bounds(&w);
    if (!result && w.times >= 0) {
        const float last = (float)(clip->def.times[clip->def.frame_count - 1] - clip->def.times[0]);
        w.blocks[w.times].high[0] = last;
    }
    if (!result)
        result = make_text(&w, &text, &length);
    if (!result)
        result = put_chunks(&w, file, text, length);
    free(text);
    prc_free(w.blocks);
    prc_free(w.parts);
    prc_free(w.now);
    prc_free(w.normals);
    prc_free(w.normals_before);
    return result;
}
