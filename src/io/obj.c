/* io/obj.c — reads Wavefront OBJ: v, vt, f, g, o, usemtl, and the seams of sewing patterns.
 *
 * One pass counts the v and vt lines, so that a face may refer to vertices that follow it and is still refused on its
 * own line; a second reads. Groups (g), objects (o) and materials (usemtl) are all groups of vertices to percale: those
 * of the faces that follow. `seam` begins a seam, `stitch a b c t` is one of its stitches: vertex a belongs at t on the
 * edge from b to c, vertices counted from 0 (faces count from 1). A vertex with several texture coordinates lies on a
 * texture seam: it stays one vertex and the texture is dropped, or, with the option to split, becomes one vertex for
 * each. Points (p) only mark a file without faces as intended: a frame of particles. Leaves out normals, free-form
 * geometry and lines (l), and skips unknown keywords.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/groups.h"
#include "io/mesh_file.h"
#include "io/scan.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define NO_TEXTURE (-1)
#define NO_CORNER (-2)
#define MOST_NAMES 32 /* groups that a face is in at the same time */
#define CORNER "a face corner (v, v/vt, v//vn or v/vt/vn)"
#define STITCH                                                                                                         \
    "a stitch: a vertex and the two vertices of an edge, numbered from 0, and the position on the edge, 0 to 1"

/* The groups of the faces from `first_face` on. */
typedef struct state {
    int first_face;
    int first_name, name_count; /* in the list of all states' groups */
} state;

typedef struct reader {
    prc_scan scan;
    int vertex_total, texture_total; /* in the whole file */
    int vertex_count, texture_count; /* so far: what negative indices count back from */
    double *positions;               /* 3 per v */
    double *textures;                /* 2 per vt */
    bool points;                     /* vertices alone will do */
    prc_faces faces;                 /* second: the vt of the corner */
    prc_groups groups;
    int g_names[MOST_NAMES], g_count, o_name, material; /* in force; −1 for none */
    state *states;
    int state_count, state_capacity;
    int *state_names;
    int name_count, name_capacity;
    prc_mesh_stitch *stitches;
    int stitch_count, stitch_capacity, seam;
    bool has_points;
} reader;

/* ---- vertices ---- */

static prc_result read_vertex(reader *r)
{
    double *x = r->positions + 3 * (size_t)r->vertex_count++;
    prc_result result = PRC_OK;
    for (int k = 0; k < 3 && !result; k++)
        result = prc_scan_number(&r->scan, &x[k], "a finite number (v x y z)");
    return result;
}

static prc_result read_texture(reader *r)
{
    double *u = r->textures + 2 * (size_t)r->texture_count++;
    prc_result result = prc_scan_number(&r->scan, &u[0], "a finite number (vt u v)");
    if (!result && prc_scan_skip(&r->scan))
        result = prc_scan_number(&r->scan, &u[1], "a finite number (vt u v)");
    return result;
}

/* ---- faces ---- */

static int word_length(const char *word)
{
    return (int)strcspn(word, " \t\r\v\f\n");
}

static prc_result fail_corner(reader *r, const char *word)
{
    r->scan.at = word;
    return prc_scan_unexpected(&r->scan, CORNER);
}

/* Reads an index at *at and makes it count from 0. */
static prc_result read_index(reader *r, const char **at, const char *word, const char *what, int so_far, int total,
                             int *index)
{
    const char *digits = **at == '-' ? *at + 1 : *at;
    if (*digits < '0' || *digits > '9')
        return fail_corner(r, word);
    char *end;
    long value = strtol(*at, &end, 10);
    if (value == 0 || value > total || value < -(long)so_far) {
        const int length = word_length(word) < PRC_SCAN_FOUND ? word_length(word) : PRC_SCAN_FOUND;
        if (!total)
            return prc_scan_fail(&r->scan, "found '%.*s': there is no %s %ld; the file has none", length, word, what,
                                 value);
        return prc_scan_fail(&r->scan, "found '%.*s': there is no %s %ld; expected 1 to %d or -1 to -%d", length, word,
                             what, value, total, so_far);
    }
    *index = (int)(value > 0 ? value - 1 : so_far + value);
    *at = end;
    return PRC_OK;
}

/* One corner: v, v/vt, v//vn or v/vt/vn. The normal's index is skipped unread. */
static prc_result read_corner(reader *r)
{
    const char *word = r->scan.at, *at = word;
    int vertex = 0, texture = NO_TEXTURE;
    prc_result result = read_index(r, &at, word, "vertex", r->vertex_count, r->vertex_total, &vertex);
    if (!result && *at == '/') {
        at++;
        if (*at != '/')
            result = read_index(r, &at, word, "texture coordinate", r->texture_count, r->texture_total, &texture);
        if (!result && *at == '/')
            at += 1 + strspn(at + 1, "-0123456789");
    }
    if (result)
        return result;
    if (at < r->scan.end && !strchr(" \t\r\v\f\n", *at))
        return fail_corner(r, word);
    r->scan.at = at;
    return prc_faces_corner(&r->faces, vertex, texture);
}

static prc_result read_face(reader *r)
{
    const int before = r->faces.corner_count;
    while (prc_scan_skip(&r->scan)) {
        prc_result result = read_corner(r);
        if (result)
            return result;
    }
    const int count = r->faces.corner_count - before;
    if (count < 3)
        return prc_scan_fail(&r->scan, "found a face with %d corners; expected at least 3", count);
    return prc_faces_end(&r->faces);
}

/* ---- groups ---- */

static prc_result add_state(reader *r)
{
    const int names = r->g_count + (r->o_name >= 0) + (r->material >= 0);
    if (r->state_count == r->state_capacity) {
        const int capacity = r->state_capacity ? 2 * r->state_capacity : 16;
        state *grown = prc_grow(r->states, (size_t)r->state_count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->scan.error);
        r->states = grown;
        r->state_capacity = capacity;
    }
    if (r->name_count + names > r->name_capacity) {
        const int capacity = 2 * (r->name_capacity + names);
        int *grown = prc_grow(r->state_names, (size_t)r->name_count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->scan.error);
        r->state_names = grown;
        r->name_capacity = capacity;
    }
    if (r->name_count > INT_MAX / 8)
        return prc_scan_fail(&r->scan, "too many group changes");
    r->states[r->state_count++] = (state){r->faces.count, r->name_count, names};
    for (int k = 0; k < r->g_count; k++)
        r->state_names[r->name_count++] = r->g_names[k];
    if (r->o_name >= 0)
        r->state_names[r->name_count++] = r->o_name;
    if (r->material >= 0)
        r->state_names[r->name_count++] = r->material;
    return PRC_OK;
}

/* Names of groups are words; those of objects and materials are the rest of the line. */
static prc_result read_groups(reader *r)
{
    r->g_count = 0;
    while (prc_scan_skip(&r->scan)) {
        const char *word = r->scan.at;
        const size_t length = (size_t)word_length(word);
        if (!length)
            return prc_scan_unexpected(&r->scan, "the name of a group");
        if (r->g_count == MOST_NAMES)
            return prc_scan_fail(&r->scan, "found more than %d group names on one line", MOST_NAMES);
        const int group = prc_groups_find(&r->groups, word, length, r->scan.path, r->scan.error);
        if (group < 0)
            return r->scan.error->code;
        r->g_names[r->g_count++] = group;
        r->scan.at += length;
    }
    return add_state(r);
}

static prc_result read_name(reader *r, int *group)
{
    size_t length;
    const char *name = prc_scan_rest(&r->scan, &length);
    *group = -1;
    if (length) {
        *group = prc_groups_find(&r->groups, name, length, r->scan.path, r->scan.error);
        if (*group < 0)
            return r->scan.error->code;
    }
    return add_state(r);
}

/* ---- stitches ---- */

static prc_result read_stitch(reader *r)
{
    long long v[3];
    double at = 0;
    prc_result result = PRC_OK;
    for (int k = 0; k < 3 && !result; k++)
        result = prc_scan_whole(&r->scan, 0, r->vertex_total - 1, &v[k], STITCH);
    prc_scan_skip(&r->scan);
    prc_scan number = r->scan;
    if (!result)
        result = prc_scan_number(&r->scan, &at, STITCH);
    if (!result && !(at >= 0 && at <= 1))
        result = prc_scan_unexpected(&number, STITCH);
    if (result)
        return result;
    if (r->stitch_count == r->stitch_capacity) {
        const int capacity = r->stitch_capacity ? 2 * r->stitch_capacity : 256;
        prc_mesh_stitch *grown = prc_grow(r->stitches, (size_t)r->stitch_count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->scan.error);
        r->stitches = grown;
        r->stitch_capacity = capacity;
    }
    r->stitches[r->stitch_count++] =
        (prc_mesh_stitch){(int)v[0], {(int)v[1], (int)v[2]}, at, r->seam < 0 ? 0 : r->seam};
    return PRC_OK;
}

/* ---- lines ---- */

/* Comments become blanks. A line that ends in a backslash goes on in the next: a vertical tab takes the place of its
 * newline, and is counted as a line later. */
static void prepare(char *text, size_t size)
{
    for (char *line = text, *end = text + size; line < end;) {
        char *newline = memchr(line, '\n', (size_t)(end - line)), *stop = newline ? newline : end;
        char *comment = memchr(line, '#', (size_t)(stop - line));
        if (comment) {
            memset(comment, ' ', (size_t)(stop - comment));
        } else if (newline) {
            char *last = newline;
            while (last > line && last[-1] == '\r')
                last--;
            if (last > line && last[-1] == '\\') {
                last[-1] = ' ';
                *newline = '\v';
            }
        }
        line = newline ? newline + 1 : end;
    }
}

static void count_lines(prc_scan scan, long long *vertices, long long *textures)
{
    *vertices = *textures = 0;
    do {
        if (prc_scan_accept(&scan, "v"))
            ++*vertices;
        else if (prc_scan_accept(&scan, "vt"))
            ++*textures;
    } while (prc_scan_next_line(&scan));
}

static prc_result reserve(reader *r)
{
    long long vertices, textures;
    count_lines(r->scan, &vertices, &textures);
    prc_result result = prc_scan_vertices(&r->scan, vertices);
    if (!result && textures > INT_MAX / 3)
        result = prc_scan_fail(&r->scan, "too many texture coordinates");
    if (result)
        return result;
    r->vertex_total = (int)vertices;
    r->texture_total = (int)textures;
    r->positions = PRC_NEW(double, 3 * (size_t)vertices);
    r->textures = PRC_NEW(double, 2 * (size_t)textures);
    return r->positions && r->textures ? PRC_OK : PRC_FAIL_MEMORY(r->scan.error);
}

static prc_result read_line(reader *r)
{
    prc_scan *s = &r->scan;
    if (prc_scan_accept(s, "v"))
        return read_vertex(r);
    if (prc_scan_accept(s, "vt"))
        return read_texture(r);
    if (prc_scan_accept(s, "f"))
        return read_face(r);
    if (prc_scan_accept(s, "g"))
        return read_groups(r);
    if (prc_scan_accept(s, "o"))
        return read_name(r, &r->o_name);
    if (prc_scan_accept(s, "usemtl"))
        return read_name(r, &r->material);
    if (prc_scan_accept(s, "stitch"))
        return read_stitch(r);
    if (prc_scan_accept(s, "p"))
        r->has_points = true;
    else
        r->seam += prc_scan_accept(s, "seam");
    return PRC_OK;
}

static prc_result read_lines(reader *r)
{
    prc_result result;
    do {
        const char *line = r->scan.at;
        result = read_line(r);
        for (const char *c = line; !result && c < r->scan.end && *c != '\n'; c++)
            r->scan.line += *c == '\v';
    } while (!result && prc_scan_next_line(&r->scan));
    if (!result && (!r->vertex_total || (!r->faces.count && !r->points && !r->has_points)))
        return prc_fail(r->scan.error, PRC_ERROR_INPUT,
                        "%s: found %d vertices and %d faces; expected a mesh in v and f lines", r->scan.path,
                        r->vertex_total, r->faces.count);
    return result;
}

/* ---- texture ---- */

/* Which texture coordinates a vertex has: a hash table over both. */
typedef struct pair {
    int vertex, texture; /* file's vertex + 1 (0: free), and the first vt of that value */
    int is;              /* the vertex of the mesh */
} pair;

typedef struct pairs {
    pair *slots;
    size_t size;
} pairs;

static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool same_texture(const reader *r, int a, int b)
{
    if (a == b || a < 0 || b < 0)
        return a == b;
    const double *u = r->textures + 2 * (size_t)a, *v = r->textures + 2 * (size_t)b;
    return u[0] == v[0] && u[1] == v[1];
}

static pair *find_pair(const reader *r, const pairs *p, int vertex, int texture)
{
    double u[2] = {0, 0};
    uint64_t bits[2];
    if (texture >= 0)
        for (int k = 0; k < 2; k++)
            u[k] = r->textures[2 * (size_t)texture + (size_t)k] + 0.0; /* −0 becomes 0, its equal */
    memcpy(bits, u, sizeof bits);
    size_t at = mix(mix(bits[0] + (uint64_t)vertex * 0x9e3779b97f4a7c15u) + bits[1]) % p->size;
    for (;; at = (at + 1) % p->size) {
        pair *slot = &p->slots[at];
        if (!slot->vertex || (slot->vertex == vertex + 1 && same_texture(r, slot->texture, texture)))
            return slot;
    }
}

/* What goes through the corners to find vertices of several textures. */
typedef struct texturing {
    pairs pairs;
    int *first; /* per vertex of the file: its first vt, or NO_CORNER */
    int *extra; /* per vertex of the mesh beyond the file's: the file's vertex, and its vt */
    int extra_count, extra_capacity;
    int torn, first_torn; /* vertices with several, counted once each */
} texturing;

static prc_result add_extra(texturing *t, int vertex, int texture, prc_error *error)
{
    if (t->extra_count == t->extra_capacity) {
        const int capacity = t->extra_capacity ? 2 * t->extra_capacity : 256;
        int *grown = prc_grow(t->extra, 2 * (size_t)t->extra_count, 2 * (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        t->extra = grown;
        t->extra_capacity = capacity;
    }
    t->extra[2 * (size_t)t->extra_count] = vertex;
    t->extra[2 * (size_t)t->extra_count++ + 1] = texture;
    return PRC_OK;
}

/* Every corner gets the vertex of its file's vertex and texture: the first pair keeps the number. */
static prc_result part_vertices(reader *r, texturing *t, bool split)
{
    bool *torn = PRC_NEW(bool, r->vertex_total);
    prc_result result = torn ? PRC_OK : PRC_FAIL_MEMORY(r->scan.error);
    for (int k = 0; k < r->faces.corner_count && !result; k++) {
        const int vertex = r->faces.corners[k], texture = r->faces.second[k];
        pair *slot = find_pair(r, &t->pairs, vertex, texture);
        if (!slot->vertex) {
            *slot = (pair){vertex + 1, texture, vertex};
            if (t->first[vertex] == NO_CORNER) {
                t->first[vertex] = texture;
            } else {
                t->first_torn = t->torn ? t->first_torn : vertex;
                t->torn += !torn[vertex];
                torn[vertex] = true;
                slot->is = r->vertex_total + t->extra_count;
                result = add_extra(t, vertex, texture, r->scan.error);
            }
        }
        if (split)
            r->faces.corners[k] = slot->is;
    }
    prc_free(torn);
    if (!split)
        t->extra_count = 0;
    return result;
}

/* Appends what was split off. */
static prc_result extend(reader *r, const texturing *t, prc_mesh *mesh)
{
    const size_t before = (size_t)r->vertex_total, count = before + (size_t)t->extra_count;
    prc_result result = prc_scan_vertices(&r->scan, (long long)count);
    if (result || !t->extra_count)
        return result;
    double *positions = prc_grow(r->positions, 3 * before, 3 * count, sizeof *positions);
    if (!positions)
        return PRC_FAIL_MEMORY(r->scan.error);
    r->positions = positions;
    mesh->numbers = PRC_NEW(int, count);
    if (!mesh->numbers)
        return PRC_FAIL_MEMORY(r->scan.error);
    for (size_t i = 0; i < count; i++) {
        const size_t from = i < before ? i : (size_t)t->extra[2 * (i - before)];
        mesh->numbers[i] = (int)from;
        if (i >= before)
            memcpy(positions + 3 * i, positions + 3 * from, 3 * sizeof(double));
    }
    mesh->vertex_count = (int)count;
    return PRC_OK;
}

static prc_result fill_texture(const reader *r, const texturing *t, prc_mesh *mesh)
{
    mesh->texture = PRC_NEW(double, 2 * (size_t)mesh->vertex_count);
    if (!mesh->texture)
        return PRC_FAIL_MEMORY(r->scan.error);
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        const size_t beyond = i - (size_t)r->vertex_total;
        const int texture = i < (size_t)r->vertex_total ? t->first[i] : t->extra[2 * beyond + 1];
        if (texture >= 0) /* else a vertex of no face, which cannot stay */
            memcpy(mesh->texture + 2 * i, r->textures + 2 * (size_t)texture, 2 * sizeof(double));
    }
    return PRC_OK;
}

static bool has_bare_corner(const prc_faces *faces)
{
    for (int k = 0; k < faces->corner_count; k++)
        if (faces->second[k] < 0)
            return true;
    return false;
}

/* A mesh with texture on some of its faces only is a mesh without. */
static prc_result put_texture(reader *r, const prc_mesh_source *source, prc_mesh *mesh)
{
    if (!r->texture_total || has_bare_corner(&r->faces))
        return PRC_OK;
    texturing t = {.pairs.size = 2 * (size_t)r->faces.corner_count + 1};
    t.pairs.slots = PRC_NEW(pair, t.pairs.size);
    t.first = PRC_NEW(int, r->vertex_total);
    prc_result result = t.pairs.slots && t.first ? PRC_OK : PRC_FAIL_MEMORY(r->scan.error);
    for (int i = 0; i < r->vertex_total && !result; i++)
        t.first[i] = NO_CORNER;
    if (!result)
        result = part_vertices(r, &t, source->split_texture);
    if (!result)
        result = extend(r, &t, mesh);
    if (!result && t.torn && !source->split_texture) {
        source->report->torn_vertices = t.torn;
        source->report->first_torn = t.first_torn;
    } else if (!result) {
        result = fill_texture(r, &t, mesh);
    }
    prc_free(t.pairs.slots);
    prc_free(t.first);
    prc_free(t.extra);
    return result;
}

/* ---- putting together ---- */

/* Every vertex joins the groups of its faces, once per stretch of faces with the same groups. */
static prc_result join_groups(reader *r, prc_mesh *mesh)
{
    int *seen = PRC_NEW(int, mesh->vertex_count); /* the last state that saw the vertex, + 1 */
    prc_result result = seen ? PRC_OK : PRC_FAIL_MEMORY(r->scan.error);
    for (int s = 0; s < r->state_count && !result; s++) {
        const state *at = &r->states[s];
        const int last = s + 1 < r->state_count ? r->states[s + 1].first_face : r->faces.count;
        const int begin = at->first_face ? r->faces.ends[at->first_face - 1] : 0;
        const int end = last > at->first_face ? r->faces.ends[last - 1] : begin;
        for (int k = begin; k < end && !result; k++) {
            const int vertex = r->faces.corners[k];
            if (seen[vertex] == s + 1)
                continue;
            seen[vertex] = s + 1;
            for (int n = 0; n < at->name_count && !result; n++)
                result = prc_groups_add(&r->groups, r->state_names[at->first_name + n], vertex, r->scan.error);
        }
    }
    prc_free(seen);
    return result ? result : prc_groups_finish(&r->groups, mesh, r->scan.error);
}

static prc_result put_together(reader *r, const prc_mesh_source *source, prc_mesh *mesh)
{
    mesh->vertex_count = r->vertex_total;
    prc_result result = put_texture(r, source, mesh);
    mesh->positions = r->positions;
    mesh->stitches = r->stitches;
    mesh->stitch_count = r->stitch_count;
    r->positions = NULL;
    r->stitches = NULL;
    if (!result)
        result = join_groups(r, mesh);
    return result ? result : prc_faces_cut(&r->faces, mesh);
}

prc_result prc_obj_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* a byte-order mark, as some editors put first */
    const size_t skip = source->size >= 3 && memcmp(source->data, mark, 3) == 0 ? 3 : 0;
    reader r = {.o_name = -1, .material = -1, .seam = -1, .points = source->points};
    r.scan = prc_scan_begin(source->path, source->data + skip, source->size - skip, error);
    r.scan.one_line = true;
    r.faces = (prc_faces){.path = source->path, .error = r.scan.error};
    prepare(source->data + skip, source->size - skip);
    prc_result result = reserve(&r);
    if (!result)
        result = read_lines(&r);
    if (!result)
        result = put_together(&r, source, mesh);
    prc_free(r.positions);
    prc_free(r.textures);
    prc_free(r.states);
    prc_free(r.state_names);
    prc_free(r.stitches);
    prc_faces_release(&r.faces);
    prc_groups_release(&r.groups);
    return result;
}
