/* io/colliders.c — see colliders.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/colliders.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "io/ply.h"

#define MOST_COLLIDERS 1000000 /* what a file may claim */

static const struct {
    const char *name;
    prc_shape_kind kind;
    int sizes;
} kinds[] = {{"plane", PRC_SHAPE_PLANE, 0},       {"sphere", PRC_SHAPE_SPHERE, 1}, {"capsule", PRC_SHAPE_CAPSULE, 2},
             {"cylinder", PRC_SHAPE_CYLINDER, 2}, {"box", PRC_SHAPE_BOX, 3},       {"cone", PRC_SHAPE_CONE, 3},
             {"mesh", PRC_SHAPE_MESH, 0}};
#define KINDS ((int)(sizeof kinds / sizeof *kinds))

/* ---- names and lines ---- */

void prc_collider_mesh_name(int number, char name[PRC_COLLIDER_MESH])
{
    snprintf(name, PRC_COLLIDER_MESH, "collider_%02d.ply", number);
}

bool prc_collider_is_mesh_name(const char *name)
{
    const size_t digits = strncmp(name, "collider_", 9) ? 0 : strspn(name + 9, "0123456789");
    return digits >= 2 && digits <= 9 && !strcmp(name + 9 + digits, ".ply");
}

/* The sizes of a collider, as a scene has them. */
static void sizes_of(const prc_check_collider *s, double sizes[3])
{
    sizes[0] = s->kind == PRC_SHAPE_BOX ? 2 * s->half_size[0] : s->radius;
    sizes[1] = s->kind == PRC_SHAPE_BOX    ? 2 * s->half_size[1]
               : s->kind == PRC_SHAPE_CONE ? s->radius_top
                                           : 2 * s->half_length;
    sizes[2] = s->kind == PRC_SHAPE_BOX ? 2 * s->half_size[2] : 2 * s->half_length;
}

static void take_sizes(prc_check_collider *s, const double sizes[3])
{
    s->radius = sizes[0];
    s->radius_top = s->kind == PRC_SHAPE_CONE ? sizes[1] : 0;
    s->half_length = (s->kind == PRC_SHAPE_CONE ? sizes[2] : sizes[1]) / 2;
    for (int c = 0; c < 3; c++)
        s->half_size[c] = sizes[c] / 2;
}

static char *put_number(char *at, const char *end, double value)
{
    const int written = snprintf(at, (size_t)(end - at), " %.17g", value);
    for (char *c = at; *c; c++) /* whatever the locale */
        *c = *c == ',' ? '.' : *c;
    return at + written;
}

void prc_collider_tell(char line[PRC_COLLIDER_LINE], int number, const prc_check_collider *collider)
{
    char name[PRC_COLLIDER_MESH], *at = line;
    const char *const end = line + PRC_COLLIDER_LINE;
    double sizes[3] = {0, 0, 0};
    int k = 0;
    while (kinds[k].kind != collider->kind)
        k++;
    at += snprintf(at, PRC_COLLIDER_LINE, "collider %d %s", number, kinds[k].name);
    sizes_of(collider, sizes);
    for (int c = 0; c < 3 && c < kinds[k].sizes; c++)
        at = put_number(at, end, sizes[c]);
    prc_collider_mesh_name(number, name);
    at += snprintf(at, (size_t)(end - at), "%s%s pose", collider->kind == PRC_SHAPE_MESH ? " " : "",
                   collider->kind == PRC_SHAPE_MESH ? name : "");
    for (int c = 0; c < 9; c++)
        at = put_number(at, end, collider->turn[c / 3][c % 3]);
    for (int c = 0; c < 3; c++)
        at = put_number(at, end, collider->shift[c]);
}

/* ---- reading ---- */

typedef struct reader {
    prc_colliders *colliders;
    const char *path;
    int line, capacity;
    prc_error *error;
} reader;

static prc_result fail_here(const reader *r, const char *what)
{
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s:%d: %s", r->path, r->line, what);
}

/* Numbers with blanks before them; false where there are fewer, or not finite ones. */
static bool take_numbers(const char **at, double *numbers, int count)
{
    for (int k = 0; k < count; k++) {
        char *end;
        numbers[k] = strtod(*at, &end);
        if (end == *at || !isfinite(numbers[k]))
            return false;
        *at = end;
    }
    return true;
}

/* The path of a file beside the frame. */
static char *path_beside(const reader *r, const char *name)
{
    const char *slash = strrchr(r->path, '/');
    const size_t folder = slash ? (size_t)(slash + 1 - r->path) : 0;
    char *path = prc_alloc(folder + strlen(name) + 1, 1);
    if (path) {
        memcpy(path, r->path, folder);
        memcpy(path + folder, name, strlen(name) + 1);
    }
    return path;
}

/* Read once; NULL with an error where it cannot be. Takes the path over. */
static const prc_mesh *find_mesh(reader *r, char *path)
{
    prc_colliders *s = r->colliders;
    for (int k = 0; k < s->mesh_count; k++)
        if (!strcmp(s->meshes[k].path, path)) {
            prc_free(path);
            return &s->meshes[k].mesh;
        }
    const size_t count = (size_t)s->mesh_count;
    prc_collider_mesh made = {.path = path}, *grown = prc_grow(s->meshes, count, count + 1, sizeof *grown);
    s->meshes = grown ? grown : s->meshes;
    prc_ply_extra extra;
    if (!grown || prc_ply_read_frame(&made.mesh, &extra, path, r->error)) {
        prc_free(path);
        if (!grown)
            PRC_FAIL_MEMORY(r->error);
        return NULL;
    }
    prc_ply_extra_release(&extra);
    s->meshes[s->mesh_count] = made;
    return &s->meshes[s->mesh_count++].mesh;
}

static prc_result add_collider(reader *r, int number, const prc_check_collider *collider)
{
    prc_colliders *s = r->colliders;
    if (s->count == r->capacity) {
        const size_t old = (size_t)r->capacity, wanted = old ? 2 * old : 8;
        prc_check_collider *colliders = prc_grow(s->colliders, old, wanted, sizeof *colliders);
        s->colliders = colliders ? colliders : s->colliders;
        int *numbers = colliders ? prc_grow(s->numbers, old, wanted, sizeof *numbers) : NULL;
        if (!numbers)
            return PRC_FAIL_MEMORY(r->error);
        s->numbers = numbers;
        r->capacity = (int)wanted;
    }
    s->numbers[s->count] = number;
    s->colliders[s->count++] = *collider;
    return PRC_OK;
}

static prc_result take_mesh(reader *r, const char *name, prc_check_collider *collider)
{
    if (!prc_collider_is_mesh_name(name))
        return fail_here(r, "found a mesh with an unexpected name; expected collider_00.ply or similar");
    char *path = r->colliders->without_meshes ? NULL : path_beside(r, name);
    if (r->colliders->without_meshes)
        return PRC_OK;
    if (!path)
        return PRC_FAIL_MEMORY(r->error);
    const prc_mesh *mesh = find_mesh(r, path);
    if (!mesh)
        return r->error ? r->error->code : PRC_ERROR_IO;
    collider->mesh_positions = mesh->positions;
    collider->mesh_vertex_count = mesh->vertex_count;
    collider->mesh_triangles = mesh->triangles;
    collider->mesh_triangle_count = mesh->triangle_count;
    return PRC_OK;
}

static prc_result read_collider(reader *r, const char *line)
{
    char kind[16], name[PRC_COLLIDER_MESH];
    int number, after = 0, k = 0;
    double numbers[12], sizes[3] = {0, 0, 0};
    prc_check_collider collider = {0};
    if (sscanf(line, "collider %9d %15s%n", &number, kind, &after) != 2 || number < 0 || number >= r->colliders->told)
        return fail_here(r, "found no valid collider number; expected 0 to the number of colliders minus 1");
    while (k < KINDS && strcmp(kinds[k].name, kind) != 0)
        k++;
    if (k == KINDS)
        return fail_here(r, "found a collider of unknown kind");
    const char *at = line + after;
    collider.kind = kinds[k].kind;
    prc_result result = PRC_OK;
    if (collider.kind == PRC_SHAPE_MESH) {
        if (sscanf(at, " %31s%n", name, &after) != 1)
            return fail_here(r, "found no mesh name");
        at += after;
        result = take_mesh(r, name, &collider);
    }
    if (result)
        return result;
    after = 0;
    if (!take_numbers(&at, sizes, kinds[k].sizes) || (sscanf(at, " pose%n", &after), !after))
        return fail_here(r, "found no collider sizes, or no pose after them");
    at += after;
    if (!take_numbers(&at, numbers, 12) || at[strspn(at, " \t\r")])
        return fail_here(r, "found no pose; expected twelve numbers, and nothing after them");
    take_sizes(&collider, sizes);
    memcpy(collider.turn, numbers, sizeof collider.turn);
    memcpy(collider.shift, numbers + 9, sizeof collider.shift);
    return add_collider(r, number, &collider);
}

/* Comments of other programs may begin with these words, too: what does not begin with a number of colliders is not
 * ours.
 */
static prc_result read_line(reader *r, const char *line)
{
    int told, after = 0;
    if (!strncmp(line, "collider ", 9) && r->colliders->told >= 0)
        return read_collider(r, line);
    if (sscanf(line, "colliders %9d %n", &told, &after) != 1 || !after || line[after] || told < 0 ||
        told > MOST_COLLIDERS)
        return PRC_OK;
    if (r->colliders->told >= 0)
        return fail_here(r, "found a second number of colliders");
    r->colliders->told = told;
    return PRC_OK;
}

/* One line of a stream, cut where it is too long; false at the end. */
static bool next_line(FILE *stream, char *line, size_t size)
{
    size_t length = 0;
    int c = getc(stream);
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(stream))
        if (length + 1 < size)
            line[length++] = (char)c;
    line[length] = '\0';
    return true;
}

/* Comments stand at the head: before end_header, or before the first line that is none. */
static prc_result read_head(reader *r, FILE *stream)
{
    char line[PRC_COLLIDER_LINE + 20];
    prc_result result = PRC_OK;
    bool ply = false;
    for (r->line = 1; !result && next_line(stream, line, sizeof line); r->line++) {
        ply = ply || (r->line == 1 && !strncmp(line, "ply", 3));
        const char *start = ply ? "comment " : "# ";
        if (ply ? !strncmp(line, "end_header", 10) : line[0] != '#')
            break;
        if (!strncmp(line, start, strlen(start)))
            result = read_line(r, line + strlen(start));
    }
    return result;
}

prc_result prc_colliders_read(prc_colliders *colliders, const char *path, prc_error *error)
{
    FILE *stream = fopen(path, "rb");
    reader r = {.colliders = colliders, .path = path, .error = error};
    prc_free(colliders->colliders);
    prc_free(colliders->numbers);
    colliders->colliders = NULL;
    colliders->numbers = NULL;
    colliders->count = 0;
    colliders->told = -1;
    if (!stream)
        return prc_file_fail(error, path, "cannot be read", errno);
    prc_result result = read_head(&r, stream);
    fclose(stream);
    if (result) {
        colliders->count = 0;
        colliders->told = -1;
    }
    return result;
}

void prc_colliders_release(prc_colliders *colliders)
{
    for (int k = 0; k < colliders->mesh_count; k++) {
        prc_free(colliders->meshes[k].path);
        prc_mesh_release(&colliders->meshes[k].mesh);
    }
    prc_free(colliders->meshes);
    prc_free(colliders->colliders);
    prc_free(colliders->numbers);
    *colliders = (prc_colliders){0};
}
