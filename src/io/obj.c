/* io/obj.c — reads Wavefront OBJ: v, vt and f (polygons are cut into fans), positive and negative indices.
 *
 * One pass counts the v and vt lines, so that a face may refer to vertices that follow it and is still refused on its
 * own line; a second reads. Leaves out normals, free-form geometry, lines continued with a backslash, and every keyword
 * it does not know (g, o, s, usemtl, ...), which is skipped.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/obj.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/triangles.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FOUND 40 /* at most so many bytes of a faulty word are quoted */

#define TEXTURE_UNSEEN (-1)

typedef struct reader {
    const char *path;
    prc_error *error;
    int line;
    int vertex_total, texture_total; /* in the whole file */
    int vertex_count, texture_count; /* so far: what negative indices count back from */
    double *positions;               /* 3 per v */
    double *textures;                /* 2 per vt */
    prc_triangles triangles;
    int *texture_of;   /* per v: its vt, or TEXTURE_UNSEEN */
    bool texture_lost; /* some corner has no vt, or some vertex two different ones */
} reader;

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r')
        at++;
    return at;
}

static int word_length(const char *at)
{
    int length = 0;
    while (at[length] && !strchr(" \t\r", at[length]) && length < FOUND)
        length++;
    return length;
}

/* The text after `keyword` where the line starts with it, else NULL. */
static const char *after_keyword(const char *line, const char *keyword)
{
    line = skip_blanks(line);
    size_t length = strlen(keyword);
    if (strncmp(line, keyword, length) != 0 || !strchr(" \t\r", line[length]))
        return NULL;
    return line + length; /* strchr also finds the terminator: a bare keyword */
}

static prc_result fail_at(reader *r, const char *at, const char *expected)
{
    at = skip_blanks(at);
    if (!*at)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: the line ends; expected %s", r->path, r->line, expected);
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: found '%.*s'; expected %s", r->path, r->line, word_length(at),
                    at, expected);
}

static prc_result read_number(reader *r, const char **at, double *value, const char *expected)
{
    const char *begin = skip_blanks(*at);
    char *end;
    *value = strtod(begin, &end);
    if (!*begin || end == begin || !strchr(" \t\r", *end) || !isfinite(*value))
        return fail_at(r, begin, expected);
    *at = end;
    return PRC_OK;
}

static prc_result read_vertex(reader *r, const char *at)
{
    double *x = r->positions + 3 * (size_t)r->vertex_count++;
    for (int k = 0; k < 3; k++) {
        prc_result result = read_number(r, &at, &x[k], "a finite number (v x y z)");
        if (result)
            return result;
    }
    return PRC_OK;
}

static prc_result read_texture(reader *r, const char *at)
{
    double *u = r->textures + 2 * (size_t)r->texture_count++;
    prc_result result = read_number(r, &at, &u[0], "a finite number (vt u v)");
    if (!result && *skip_blanks(at))
        result = read_number(r, &at, &u[1], "a finite number (vt u v)");
    return result;
}

/* Reads an index at *at and makes it count from 0. */
static prc_result read_index(reader *r, const char **at, const char *word, const char *what, int so_far, int total,
                             int *index)
{
    const char *digits = **at == '-' ? *at + 1 : *at;
    if (*digits < '0' || *digits > '9')
        return fail_at(r, word, "a face corner (v, v/vt, v//vn or v/vt/vn)");
    char *end;
    long value = strtol(*at, &end, 10);
    if (value == 0 || value > total || value < -(long)so_far)
        return prc_fail(r->error, PRC_ERROR_INPUT,
                        "%s:%d: found '%.*s': there is no %s %ld; expected 1 to %d or -1 to -%d", r->path, r->line,
                        word_length(word), word, what, value, total, so_far);
    *index = (int)(value > 0 ? value - 1 : so_far + value);
    *at = end;
    return PRC_OK;
}

static bool same_texture(const reader *r, int a, int b)
{
    if (a == b)
        return true;
    if (a >= r->texture_count || b >= r->texture_count)
        return false; /* not read yet, so nothing is known of its value */
    const double *u = r->textures + 2 * (size_t)a, *v = r->textures + 2 * (size_t)b;
    return u[0] == v[0] && u[1] == v[1];
}

/* A vertex keeps its texture coordinate as long as every corner agrees in value; the index may differ. */
static void note_texture(reader *r, int vertex, int texture)
{
    int *known = &r->texture_of[vertex];
    if (*known == TEXTURE_UNSEEN)
        *known = texture;
    if (texture < 0 || !same_texture(r, *known, texture))
        r->texture_lost = true;
}

/* One corner: v, v/vt, v//vn or v/vt/vn. The normal's index is skipped unread. */
static prc_result read_corner(reader *r, const char **at, int *vertex)
{
    const char *word = *at;
    int texture = -1;
    prc_result result = read_index(r, at, word, "vertex", r->vertex_count, r->vertex_total, vertex);
    if (!result && **at == '/') {
        ++*at;
        if (**at != '/')
            result = read_index(r, at, word, "texture coordinate", r->texture_count, r->texture_total, &texture);
        if (!result && **at == '/')
            *at += 1 + strspn(*at + 1, "-0123456789");
    }
    if (result)
        return result;
    if (!strchr(" \t\r", **at))
        return fail_at(r, word, "a face corner (v, v/vt, v//vn or v/vt/vn)");
    note_texture(r, *vertex, texture);
    return PRC_OK;
}

static prc_result read_face(reader *r, const char *at)
{
    int first = 0, last = 0, count = 0;
    for (at = skip_blanks(at); *at; at = skip_blanks(at)) {
        int vertex = 0;
        prc_result result = read_corner(r, &at, &vertex);
        if (!result && count >= 2)
            result = prc_triangles_add(&r->triangles, first, last, vertex, r->path, r->error);
        if (result)
            return result;
        if (!count++)
            first = vertex;
        last = vertex;
    }
    if (count < 3)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: found a face with %d corners; expected at least 3", r->path,
                        r->line, count);
    return PRC_OK;
}

/* Ends the line at its comment and at its newline, which is returned; NULL in the last line. */
static char *cut_line(char *line, char *end)
{
    char *newline = memchr(line, '\n', (size_t)(end - line));
    if (newline)
        *newline = '\0';
    line[strcspn(line, "#")] = '\0';
    return newline;
}

/* The counting pass puts every newline back, so that the reading pass sees the same lines. */
static void count_lines(char *text, size_t size, long long *vertices, long long *textures)
{
    *vertices = *textures = 0;
    for (char *line = text, *end = text + size; line < end;) {
        char *newline = cut_line(line, end);
        *vertices += after_keyword(line, "v") != NULL;
        *textures += after_keyword(line, "vt") != NULL;
        if (newline)
            *newline = '\n';
        line = newline ? newline + 1 : end;
    }
}

static prc_result reserve(reader *r, char *text, size_t size)
{
    long long vertices, textures;
    count_lines(text, size, &vertices, &textures);
    if (vertices > INT_MAX / 3 || textures > INT_MAX / 3)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: more vertices than percale can number", r->path);
    r->vertex_total = (int)vertices;
    r->texture_total = (int)textures;
    r->positions = PRC_NEW(double, 3 * (size_t)vertices);
    r->textures = PRC_NEW(double, 2 * (size_t)textures);
    r->texture_of = PRC_NEW(int, vertices);
    if (!r->positions || !r->textures || !r->texture_of)
        return PRC_FAIL_MEMORY(r->error);
    for (int i = 0; i < r->vertex_total; i++)
        r->texture_of[i] = TEXTURE_UNSEEN;
    return PRC_OK;
}

static prc_result read_lines(reader *r, char *text, size_t size)
{
    prc_result result = PRC_OK;
    for (char *line = text, *end = text + size; line < end && !result;) {
        const char *rest;
        char *newline = cut_line(line, end);
        r->line++;
        if ((rest = after_keyword(line, "v")))
            result = read_vertex(r, rest);
        else if ((rest = after_keyword(line, "vt")))
            result = read_texture(r, rest);
        else if ((rest = after_keyword(line, "f")))
            result = read_face(r, rest);
        line = newline ? newline + 1 : end;
    }
    if (!result && (!r->vertex_total || !r->triangles.count))
        return prc_fail(r->error, PRC_ERROR_INPUT,
                        "%s: found %d vertices and %d faces; expected a mesh in v and f lines", r->path,
                        r->vertex_total, r->triangles.count);
    return result;
}

static prc_result hand_over(reader *r, prc_mesh *mesh)
{
    bool textured = r->texture_total > 0 && !r->texture_lost;
    for (int i = 0; i < r->vertex_total && textured; i++)
        textured = r->texture_of[i] != TEXTURE_UNSEEN;
    if (textured) {
        mesh->texture = PRC_NEW(double, 2 * (size_t)r->vertex_total);
        if (!mesh->texture)
            return PRC_FAIL_MEMORY(r->error);
        for (size_t i = 0; i < (size_t)r->vertex_total; i++)
            memcpy(mesh->texture + 2 * i, r->textures + 2 * (size_t)r->texture_of[i], 2 * sizeof(double));
    }
    mesh->vertex_count = r->vertex_total;
    mesh->triangle_count = r->triangles.count;
    mesh->positions = r->positions;
    mesh->triangles = r->triangles.corners;
    r->positions = NULL;
    r->triangles.corners = NULL;
    return PRC_OK;
}

prc_result prc_obj_read(prc_mesh *mesh, const char *path, prc_error *error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* a byte-order mark, as some editors put first */
    *mesh = (prc_mesh){0};
    char *data;
    size_t size;
    prc_result result = prc_file_read(path, &data, &size, error);
    if (result)
        return result;
    size_t skip = size >= 3 && memcmp(data, mark, 3) == 0 ? 3 : 0;
    reader r = {.path = path, .error = error};
    result = reserve(&r, data + skip, size - skip);
    if (!result)
        result = read_lines(&r, data + skip, size - skip);
    if (!result)
        result = hand_over(&r, mesh);
    prc_free(r.positions);
    prc_free(r.textures);
    prc_free(r.triangles.corners);
    prc_free(r.texture_of);
    prc_free(data);
    return result;
}
