/* io/ply.c — reads PLY meshes (ASCII and binary in both byte orders) and writes binary frames.
 *
 * Follows G. Turk, "The PLY Polygon File Format" (1994): a header of elements and their properties, then the rows of
 * each element in turn. Every property is read as a double, which holds all of PLY's integers exactly. Vertex
 * properties that percale does not use itself become properties of the mesh; other elements are skipped. Counts are
 * checked against the remaining bytes before anything is allocated, so that a damaged file costs no memory. ASCII rows
 * take one line each, as the format says. Leaves out triangle strips. SPDX-License-Identifier: Apache-2.0 */
#include "io/ply.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/scan.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 32
#define MAX_PROPERTIES 512 /* of all elements together */
#define NAME_SIZE 64
#define FOUND 40 /* at most so many bytes of a faulty word are quoted */

typedef enum ply_type { NO_TYPE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } ply_type;
typedef enum ply_format { NO_FORMAT, ASCII, LITTLE_ENDIAN_BINARY, BIG_ENDIAN_BINARY } ply_format;

/* What a property means to the reader. */
typedef enum ply_role {
    SKIPPED,
    POSITION_X,
    POSITION_Y,
    POSITION_Z,
    TEXTURE_U,
    TEXTURE_V,
    FACE_CORNERS,
    OBSTACLE,
    EDGE_FIRST,
    EDGE_SECOND
} ply_role;

typedef struct ply_property {
    char name[NAME_SIZE];
    int number; /* of the mesh's properties; −1 for none */
    ply_type type;
    ply_type count_type; /* of a list; NO_TYPE for a plain number */
    ply_role role;
} ply_property;

typedef struct ply_element {
    char name[NAME_SIZE];
    long long count;
    int first_property, property_count;
} ply_element;

/* What will do where there are no faces. */
typedef enum without_faces { NOTHING_WILL_DO, RADII_WILL_DO, POINTS_WILL_DO } without_faces;

typedef struct reader {
    const char *path;
    prc_error *error;
    const char *begin, *at, *end;
    int line; /* in the header and in ASCII data */
    ply_format format;
    int element_count, property_count;
    ply_element elements[MAX_ELEMENTS];
    ply_property properties[MAX_PROPERTIES];
    const ply_element *element; /* the one being read, and its row */
    long long row;
    bool textured;
    without_faces bare;
    prc_mesh mesh;
    prc_faces faces;
    prc_ply_extra extra;
    int part_capacity;
} reader;

/* ---- messages ---- */

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static prc_result
fail_here(reader *r, const char *format, ...)
{
    char what[300], where[48] = "", row[NAME_SIZE + 32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!r->element || r->format == ASCII)
        snprintf(where, sizeof where, ":%d", r->line);
    else
        snprintf(where, sizeof where, ": byte %lld", (long long)(r->at - r->begin));
    if (r->element)
        snprintf(row, sizeof row, "%s %lld: ", r->element->name, r->row);
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s%s: %s%s", r->path, where, row, what);
}

static int quoted_length(const char *at, const char *end)
{
    int length = 0;
    while (at + length < end && length < FOUND && (unsigned char)at[length] > ' ' && (unsigned char)at[length] < 127)
        length++;
    return length;
}

/* ---- header ---- */

static ply_type type_of(const char *name)
{
    static const struct {
        const char *name;
        ply_type type;
    } names[] = {{"char", INT8},     {"int8", INT8},       {"uchar", UINT8},    {"uint8", UINT8},
                 {"short", INT16},   {"int16", INT16},     {"ushort", UINT16},  {"uint16", UINT16},
                 {"int", INT32},     {"int32", INT32},     {"uint", UINT32},    {"uint32", UINT32},
                 {"float", FLOAT32}, {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(name, names[k].name) == 0)
            return names[k].type;
    return NO_TYPE;
}

static int size_of(ply_type type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

static ply_role role_of(const char *element, const char *property, bool list)
{
    static const struct {
        const char *element, *property;
        bool list;
        ply_role role;
    } roles[] = {{"vertex", "x", false, POSITION_X},
                 {"vertex", "y", false, POSITION_Y},
                 {"vertex", "z", false, POSITION_Z},
                 {"vertex", "u", false, TEXTURE_U},
                 {"vertex", "v", false, TEXTURE_V},
                 {"vertex", "s", false, TEXTURE_U},
                 {"vertex", "t", false, TEXTURE_V},
                 {"vertex", "texture_u", false, TEXTURE_U},
                 {"vertex", "texture_v", false, TEXTURE_V},
                 {"face", "vertex_indices", true, FACE_CORNERS},
                 {"face", "vertex_index", true, FACE_CORNERS},
                 {"vertex", "obstacle", false, OBSTACLE},
                 {"edge", "vertex1", false, EDGE_FIRST},
                 {"edge", "vertex2", false, EDGE_SECOND}};
    for (size_t k = 0; k < sizeof roles / sizeof *roles; k++)
        if (roles[k].list == list && strcmp(element, roles[k].element) == 0 && strcmp(property, roles[k].property) == 0)
            return roles[k].role;
    return SKIPPED;
}

/* Copies the next header line without its ending; false at the end of the file or where it is too long. */
static bool next_header_line(reader *r, char *line, size_t capacity)
{
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (!newline)
        return false;
    size_t length = (size_t)(newline - r->at);
    r->line++;
    if (length > 0 && newline[-1] == '\r')
        length--;
    bool comment = length >= 7 && (memcmp(r->at, "comment", 7) == 0 || memcmp(r->at, "obj_info", 7) == 0);
    if (length >= capacity && !comment)
        return false;
    if (length >= capacity)
        length = capacity - 1;
    memcpy(line, r->at, length);
    line[length] = '\0';
    r->at = newline + 1;
    return true;
}

static prc_result read_format(reader *r, const char *line)
{
    char name[NAME_SIZE] = "", version[NAME_SIZE] = "";
    sscanf(line, "format %63s %63s", name, version);
    if (strcmp(name, "ascii") == 0)
        r->format = ASCII;
    else if (strcmp(name, "binary_little_endian") == 0)
        r->format = LITTLE_ENDIAN_BINARY;
    else if (strcmp(name, "binary_big_endian") == 0)
        r->format = BIG_ENDIAN_BINARY;
    else
        return fail_here(r, "found format '%s'; expected ascii, binary_little_endian or binary_big_endian", name);
    if (strcmp(version, "1.0") != 0)
        return fail_here(r, "found format version '%s'; expected 1.0", version);
    return PRC_OK;
}

static prc_result read_element(reader *r, const char *line)
{
    if (r->element_count == MAX_ELEMENTS)
        return fail_here(r, "more than %d elements", MAX_ELEMENTS);
    ply_element *element = &r->elements[r->element_count];
    char count[NAME_SIZE] = "";
    if (sscanf(line, "element %63s %63s", element->name, count) != 2 || strspn(count, "0123456789") != strlen(count))
        return fail_here(r, "found '%.60s'; expected 'element name count'", line);
    element->count = strtoll(count, NULL, 10); /* beyond its range it is the largest, which no file holds */
    element->first_property = r->property_count;
    element->property_count = 0;
    for (int k = 0; k < r->element_count; k++)
        if (strcmp(r->elements[k].name, element->name) == 0)
            return fail_here(r, "element '%s' is declared twice", element->name);
    r->element_count++;
    return PRC_OK;
}

static bool is_integer(ply_type type)
{
    return type != NO_TYPE && type != FLOAT32 && type != FLOAT64;
}

static prc_result read_property(reader *r, const char *line)
{
    if (!r->element_count)
        return fail_here(r, "a property is declared before the first element");
    if (r->property_count == MAX_PROPERTIES)
        return fail_here(r, "more than %d properties", MAX_PROPERTIES);
    ply_element *element = &r->elements[r->element_count - 1];
    char type[NAME_SIZE] = "", name[NAME_SIZE] = "", count_type[NAME_SIZE] = "";
    bool list = sscanf(line, "property list %63s %63s %63s", count_type, type, name) == 3;
    if (!list && sscanf(line, "property %63s %63s", type, name) != 2)
        return fail_here(r, "found '%.60s'; expected 'property type name' or 'property list type type name'", line);
    ply_property property = {.number = -1,
                             .type = type_of(type),
                             .count_type = list ? type_of(count_type) : NO_TYPE,
                             .role = role_of(element->name, name, list)};
    memcpy(property.name, name, sizeof property.name);
    if (property.type == NO_TYPE)
        return fail_here(r, "found property type '%s'; expected char, uchar, short, ushort, int, uint, float or double",
                         type);
    if (list && !is_integer(property.count_type))
        return fail_here(r, "found '%s' as the type of a list's length; expected an integer type", count_type);
    r->properties[r->property_count++] = property;
    element->property_count++;
    return PRC_OK;
}

/* "part body 121 my sheet", "part particles 500", "part obstacle 3": whose vertices come next. */
static prc_result read_part(reader *r, const char *line)
{
    char kind[16] = "";
    int count = 0, after = 0;
    if (sscanf(line, "comment part %15s %9d%n", kind, &count, &after) != 2 || count < 0 ||
        (strcmp(kind, "body") != 0 && strcmp(kind, "particles") != 0 && strcmp(kind, "obstacle") != 0))
        return PRC_OK;
    if (r->extra.part_count == r->part_capacity) {
        const int capacity = r->part_capacity ? 2 * r->part_capacity : 16;
        prc_ply_part *grown =
            prc_grow(r->extra.parts, (size_t)r->extra.part_count, (size_t)capacity, sizeof *r->extra.parts);
        if (!grown)
            return PRC_FAIL_MEMORY(r->error);
        r->extra.parts = grown;
        r->part_capacity = capacity;
    }
    prc_ply_part *part = &r->extra.parts[r->extra.part_count++];
    *part = (prc_ply_part){.vertex_count = count, .obstacle = kind[0] == 'o', .particles = kind[0] == 'p'};
    snprintf(part->name, sizeof part->name, "%s", line[after] ? line + after + 1 : "");
    return PRC_OK;
}

/* "thickness 2 0.001": of a part that was told before. */
static void read_thickness(reader *r, const char *line)
{
    int part = 0, after = 0;
    if (sscanf(line, "comment thickness %9d%n", &part, &after) != 1 || part < 0 || part >= r->extra.part_count)
        return;
    const double thickness = strtod(line + after, NULL);
    if (thickness > 0 && isfinite(thickness))
        r->extra.parts[part].thickness = thickness;
}

/* What runs say about their frames; other comments mean nothing here. */
static prc_result read_comment(reader *r, const char *line)
{
    if (strncmp(line, "comment thickness ", 18) == 0)
        read_thickness(r, line);
    static const char time[] = "comment percale, time ";
    if (strncmp(line, time, sizeof time - 1) == 0)
        r->extra.time = strtod(line + sizeof time - 1, NULL);
    return strncmp(line, "comment part ", 13) == 0 ? read_part(r, line) : PRC_OK;
}

static prc_result read_header_line(reader *r, const char *line)
{
    char keyword[NAME_SIZE] = "";
    sscanf(line, "%63s", keyword);
    if (strcmp(keyword, "comment") == 0)
        return read_comment(r, line);
    if (strcmp(keyword, "format") == 0)
        return read_format(r, line);
    if (strcmp(keyword, "element") == 0)
        return read_element(r, line);
    if (strcmp(keyword, "property") == 0)
        return read_property(r, line);
    if (!*keyword || strcmp(keyword, "obj_info") == 0)
        return PRC_OK;
    return fail_here(r, "found '%s'; expected format, element, property, comment, obj_info or end_header", keyword);
}

static bool has_role(const reader *r, ply_role role)
{
    for (int k = 0; k < r->property_count; k++)
        if (r->properties[k].role == role)
            return true;
    return false;
}

static prc_result read_header(reader *r)
{
    char line[512];
    if (!next_header_line(r, line, sizeof line) || strcmp(line, "ply") != 0) {
        r->line = 1;
        return fail_here(r, "this is not a PLY file; expected 'ply' as its first line");
    }
    for (;;) {
        if (!next_header_line(r, line, sizeof line))
            return fail_here(r, "the header ends after this line; expected end_header");
        if (strncmp(line, "end_header", 10) == 0)
            break;
        prc_result result = read_header_line(r, line);
        if (result)
            return result;
    }
    if (r->format == NO_FORMAT)
        return fail_here(r, "the header has no format line");
    if (!has_role(r, POSITION_X) || !has_role(r, POSITION_Y) || !has_role(r, POSITION_Z))
        return fail_here(r, "the header has no element 'vertex' with the properties x, y and z");
    if (!has_role(r, FACE_CORNERS) && r->bare != POINTS_WILL_DO)
        return fail_here(r, "the header has no element 'face' with a property list vertex_indices");
    r->textured = has_role(r, TEXTURE_U) && has_role(r, TEXTURE_V);
    return PRC_OK;
}

/* ---- values ---- */

static prc_result cut_off(reader *r)
{
    return fail_here(r, "the file ends here; the header says %lld rows", r->element->count);
}

static prc_result read_ascii(reader *r, double *value)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    if (r->at == r->end)
        return cut_off(r);
    if (*r->at == '\n')
        return fail_here(r, "the line ends; expected a number for each of its properties");
    char *end;
    *value = strtod(r->at, &end);
    if (end == r->at || !strchr(" \t\r\n", *end))
        return fail_here(r, "found '%.*s'; expected a number", quoted_length(r->at, r->end), r->at);
    r->at = end;
    return PRC_OK;
}

static double decode(ply_type type, uint64_t bits)
{
    float single;
    double wide;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case INT8:
        return (int8_t)bits;
    case INT16:
        return (int16_t)bits;
    case INT32:
        return (int32_t)bits;
    case FLOAT32:
        memcpy(&single, &low, sizeof single);
        return (double)single;
    case FLOAT64:
        memcpy(&wide, &bits, sizeof wide);
        return wide;
    default:
        return (double)bits;
    }
}

static prc_result read_value(reader *r, ply_type type, double *value)
{
    if (r->format == ASCII)
        return read_ascii(r, value);
    int size = size_of(type);
    if (r->end - r->at < size)
        return cut_off(r);
    uint64_t bits = 0;
    for (int k = 0; k < size; k++) {
        int place = r->format == LITTLE_ENDIAN_BINARY ? k : size - 1 - k;
        bits |= (uint64_t)(unsigned char)r->at[k] << (8 * place);
    }
    r->at += size;
    *value = decode(type, bits);
    return PRC_OK;
}

/* ---- rows ---- */

static prc_result read_list(reader *r, const ply_property *property)
{
    double length = 0, value = 0;
    prc_result result = read_value(r, property->count_type, &length);
    if (result)
        return result;
    if (!(length >= 0 && length <= UINT32_MAX) || length != floor(length))
        return fail_here(r, "found %g as the length of a list", length);
    bool face = property->role == FACE_CORNERS;
    if (face && length < 3)
        return fail_here(r, "found a face with %.0f corners; expected at least 3", length);
    for (long long k = 0; k < (long long)length && !result; k++) {
        result = read_value(r, property->type, &value);
        if (result || !face)
            continue;
        /* Faces may come before vertices: then the index is checked at the end. */
        double limit = r->mesh.vertex_count ? r->mesh.vertex_count : INT_MAX;
        if (!(value >= 0 && value < limit) || value != floor(value))
            return fail_here(r, "found vertex index %.10g; expected a whole number from 0 to %.0f", value, limit - 1);
        result = prc_faces_corner(&r->faces, (int)value, 0);
    }
    return face && !result ? prc_faces_end(&r->faces) : result;
}

static prc_result read_row(reader *r)
{
    const ply_property *property = r->properties + r->element->first_property;
    for (int k = 0; k < r->element->property_count; k++, property++) {
        double value = 0;
        prc_result result = property->count_type ? read_list(r, property) : read_value(r, property->type, &value);
        if (result)
            return result;
        if (property->role != SKIPPED && property->role != FACE_CORNERS && !isfinite(value))
            return fail_here(r, "found %g; expected a finite number", value);
        if (property->number >= 0)
            r->mesh.properties[property->number].values[r->row] = value;
        if (property->role >= POSITION_X && property->role <= POSITION_Z)
            r->mesh.positions[3 * r->row + (property->role - POSITION_X)] = value;
        else if (r->textured && (property->role == TEXTURE_U || property->role == TEXTURE_V))
            r->mesh.texture[2 * r->row + (property->role - TEXTURE_U)] = value;
        else if (property->role == OBSTACLE)
            r->extra.obstacle[r->row] = value != 0;
        else if (property->role == EDGE_FIRST || property->role == EDGE_SECOND) {
            if (!(value >= 0 && value <= INT_MAX) || value != floor(value))
                return fail_here(r, "found %.10g; expected the number of a vertex", value);
            r->extra.edges[2 * r->row + (property->role - EDGE_FIRST)] = (int)value;
        }
    }
    return PRC_OK;
}

/* In ASCII, blank lines may stand before a row, and nothing may follow it on its line. */
static prc_result read_ascii_row(reader *r)
{
    while (r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at)
        r->line += *r->at++ == '\n';
    prc_result result = read_row(r);
    if (result)
        return result;
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r'))
        r->at++;
    if (r->at < r->end && *r->at != '\n')
        return fail_here(r, "found '%.*s' after the last property; expected the end of the line",
                         quoted_length(r->at, r->end), r->at);
    return PRC_OK;
}

/* The fewest bytes that the element's rows can take. */
static double smallest_size(const reader *r, const ply_element *element)
{
    double bytes = 0;
    for (int k = 0; k < element->property_count; k++) {
        const ply_property *property = r->properties + element->first_property + k;
        int binary = size_of(property->count_type ? property->count_type : property->type);
        int corners = property->role == FACE_CORNERS ? 3 : 0; /* shorter faces are refused */
        bytes += r->format == ASCII ? 2 + 2 * corners : binary + corners * size_of(property->type);
    }
    return bytes * (double)element->count - (r->format == ASCII); /* the last may lack its newline */
}

/* Numbers of vertices without a meaning here, and whether it is an obstacle's, which selections may ask for. */
static bool reserve_properties(reader *r, const ply_element *element)
{
    ply_property *property = r->properties + element->first_property;
    r->mesh.properties = PRC_NEW(prc_mesh_property, element->property_count);
    if (!r->mesh.properties)
        return false;
    for (int k = 0; k < element->property_count; k++, property++) {
        if (property->count_type || (property->role != SKIPPED && property->role != OBSTACLE))
            continue;
        property->number = r->mesh.property_count++;
        prc_mesh_property *to = &r->mesh.properties[property->number];
        to->name = prc_string_copy(property->name);
        to->values = PRC_NEW(double, element->count);
        if (!to->name || !to->values)
            return false;
    }
    return true;
}

static prc_result reserve_vertices(reader *r, const ply_element *element)
{
    if (element->count > PRC_MOST_READ_VERTICES)
        return fail_here(r, "%lld vertices; expected at most %d", element->count, PRC_MOST_READ_VERTICES);
    r->mesh.vertex_count = (int)element->count;
    r->mesh.positions = PRC_NEW(double, 3 * element->count);
    r->mesh.texture = r->textured ? PRC_NEW(double, 2 * element->count) : NULL;
    r->extra.obstacle = has_role(r, OBSTACLE) ? PRC_NEW(bool, element->count) : NULL;
    if (!r->mesh.positions || (r->textured && !r->mesh.texture) || (has_role(r, OBSTACLE) && !r->extra.obstacle) ||
        !reserve_properties(r, element))
        return PRC_FAIL_MEMORY(r->error);
    return PRC_OK;
}

static prc_result read_element_rows(reader *r, const ply_element *element)
{
    r->element = element;
    r->row = 0;
    if (!element->property_count || !element->count)
        return PRC_OK;
    if (smallest_size(r, element) > (double)(r->end - r->at) || element->count > INT_MAX / 3)
        return fail_here(r, "the header says %lld rows, more than the rest of the file can contain", element->count);
    if (strcmp(element->name, "vertex") == 0) {
        prc_result result = reserve_vertices(r, element);
        if (result)
            return result;
    }
    if (strcmp(element->name, "edge") == 0) {
        r->extra.edge_count = has_role(r, EDGE_FIRST) && has_role(r, EDGE_SECOND) ? (int)element->count : 0;
        r->extra.edges = PRC_NEW(int, 2 * element->count);
        if (!r->extra.edges)
            return PRC_FAIL_MEMORY(r->error);
    }
    for (; r->row < element->count; r->row++) {
        prc_result result = r->format == ASCII ? read_ascii_row(r) : read_row(r);
        if (result)
            return result;
    }
    return PRC_OK;
}

const double *prc_ply_radius(const prc_mesh *mesh)
{
    for (int p = 0; p < mesh->property_count; p++)
        if (strcmp(mesh->properties[p].name, "radius") == 0)
            return mesh->properties[p].values;
    return NULL;
}

static prc_result check_indices(reader *r)
{
    const prc_mesh *mesh = &r->mesh;
    const bool enough =
        r->faces.count || r->bare == POINTS_WILL_DO || (r->bare == RADII_WILL_DO && prc_ply_radius(mesh));
    if (!mesh->vertex_count || !enough)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: found %d vertices and %d faces; expected a mesh", r->path,
                        mesh->vertex_count, r->faces.count);
    for (int k = 0; k < r->faces.corner_count; k++)
        if (r->faces.corners[k] >= mesh->vertex_count)
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s: a face uses vertex %d, but vertices run from 0 to %d",
                            r->path, r->faces.corners[k], mesh->vertex_count - 1);
    for (size_t k = 0; k < 2 * (size_t)r->extra.edge_count; k++)
        if (r->extra.edges[k] >= mesh->vertex_count)
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s: an edge uses vertex %d, but vertices run from 0 to %d",
                            r->path, r->extra.edges[k], mesh->vertex_count - 1);
    return PRC_OK;
}

/* Parts that are not the vertices of the file, as after other programs have changed it, are forgotten. */
static void check_parts(reader *r)
{
    long long vertices = 0;
    for (int p = 0; p < r->extra.part_count; p++)
        vertices += r->extra.parts[p].vertex_count;
    if (vertices == r->mesh.vertex_count)
        return;
    prc_free(r->extra.parts);
    r->extra.parts = NULL;
    r->extra.part_count = 0;
}

static prc_result read_all(reader *r)
{
    prc_result result = read_header(r);
    r->line++; /* the data start on the line after the header */
    for (int k = 0; k < r->element_count && !result; k++)
        result = read_element_rows(r, &r->elements[k]);
    if (!result)
        result = check_indices(r);
    if (!result)
        result = prc_faces_cut(&r->faces, &r->mesh);
    prc_faces_release(&r->faces);
    check_parts(r);
    return result;
}

void prc_ply_extra_release(prc_ply_extra *extra)
{
    prc_free(extra->obstacle);
    prc_free(extra->edges);
    prc_free(extra->parts);
    *extra = (prc_ply_extra){0};
}

static prc_result parse(prc_mesh *mesh, prc_ply_extra *extra, const char *path, const char *data, size_t size,
                        without_faces bare, prc_error *error)
{
    reader *r = PRC_NEW(reader, 1);
    if (!r)
        return PRC_FAIL_MEMORY(error);
    r->path = path;
    r->error = error;
    r->begin = r->at = data;
    r->end = data + size;
    r->faces = (prc_faces){.path = path, .error = error};
    r->extra.time = NAN;
    r->bare = bare;
    prc_result result = read_all(r);
    *mesh = r->mesh;
    *extra = r->extra;
    extra->radius = prc_ply_radius(mesh);
    prc_free(r);
    return result;
}

prc_result prc_ply_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    prc_ply_extra extra = {0};
    const without_faces bare = source->points ? POINTS_WILL_DO : NOTHING_WILL_DO;
    prc_result result = parse(mesh, &extra, source->path, source->data, source->size, bare, error);
    prc_ply_extra_release(&extra);
    return result;
}

prc_result prc_ply_read_frame(prc_mesh *mesh, prc_ply_extra *extra, const char *path, prc_error *error)
{
    *mesh = (prc_mesh){0};
    *extra = (prc_ply_extra){0};
    char *data;
    size_t size;
    prc_result result = prc_file_read(path, &data, &size, error);
    if (result)
        return result;
    result = parse(mesh, extra, path, data, size, RADII_WILL_DO, error);
    if (result) {
        prc_mesh_release(mesh);
        prc_ply_extra_release(extra);
    }
    prc_free(data);
    return result;
}

double prc_ply_peek_time(const char *path)
{
    char head[1600];
    double time = NAN;
    prc_file_peek(path, head, sizeof head);
    const char *line = head;
    for (int k = 0; k < 8 && *line; k++) {
        if (sscanf(line, "comment percale, time %lf", &time) == 1)
            break;
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    return time;
}

/* ---- writing ---- */

static unsigned char *put_uint32(unsigned char *at, uint32_t bits)
{
    for (int k = 0; k < 4; k++)
        *at++ = (unsigned char)(bits >> (8 * k));
    return at;
}

static unsigned char *put_uint64(unsigned char *at, uint64_t bits)
{
    return put_uint32(put_uint32(at, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static unsigned char *put_reals(unsigned char *at, const double *values, int count, bool is_double)
{
    for (int k = 0; k < count; k++) {
        const float single = (float)values[k];
        uint64_t wide;
        uint32_t narrow;
        memcpy(&wide, &values[k], sizeof wide);
        memcpy(&narrow, &single, sizeof narrow);
        at = is_double ? put_uint64(at, wide) : put_uint32(at, narrow);
    }
    return at;
}

/* The values of a vertex, in the order of the file. */
#define COLUMNS 10
typedef struct column {
    const double *values; /* or NULL */
    int count;
    const char *names[3];
} column;

static void list_columns(const prc_ply_frame *frame, column columns[COLUMNS])
{
    const column all[COLUMNS] = {{frame->positions, 3, {"x", "y", "z"}},
                                 {frame->velocities, 3, {"vx", "vy", "vz"}},
                                 {frame->stretches, 2, {"stretch_max", "stretch_min"}},
                                 {frame->stresses, 2, {"stress_max", "stress_min"}},
                                 {frame->curvatures, 2, {"curvature_mean", "curvature_gauss"}},
                                 {frame->energies, 1, {"energy"}},
                                 {frame->pressures, 1, {"pressure"}},
                                 {frame->gaps, 1, {"gap"}},
                                 {frame->residuals, 1, {"residual"}},
                                 {frame->radii, 1, {"radius"}}};
    memcpy(columns, all, sizeof all);
}

static void write_header(prc_file *file, const prc_ply_frame *frame, const column columns[COLUMNS])
{
    prc_file_printf(file, "ply\nformat binary_little_endian 1.0\n");
    for (const char *line = frame->comment; line && *line;) {
        int length = (int)strcspn(line, "\r\n");
        if (length)
            prc_file_printf(file, "comment %.*s\n", length, line);
        line += length;
        line += strspn(line, "\r\n");
    }
    prc_file_printf(file, "element vertex %d\n", frame->vertex_count);
    for (int c = 0; c < COLUMNS; c++)
        for (int k = 0; k < columns[c].count && (columns[c].values || c == 0); k++)
            prc_file_printf(file, "property %s %s\n", frame->is_double ? "double" : "float", columns[c].names[k]);
    if (frame->obstacle)
        prc_file_printf(file, "property uchar obstacle\n");
    prc_file_printf(file, "element face %d\nproperty list uchar int vertex_indices\n", frame->triangle_count);
    if (frame->edge_count)
        prc_file_printf(file, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", frame->edge_count);
    prc_file_printf(file, "end_header\n");
}

prc_result prc_ply_write(const char *path, const prc_ply_frame *frame, prc_error *error)
{
    if (frame->vertex_count < 0 || frame->triangle_count < 0 || (frame->vertex_count && !frame->positions) ||
        (frame->triangle_count && !frame->triangles))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: a frame of %d vertices and %d triangles needs both arrays", path,
                        frame->vertex_count, frame->triangle_count);
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return error ? error->code : PRC_ERROR_IO;
    column columns[COLUMNS];
    list_columns(frame, columns);
    write_header(file, frame, columns);
    unsigned char row[16 * 8 + 1];
    for (size_t i = 0; i < (size_t)frame->vertex_count; i++) {
        unsigned char *at = row;
        for (int c = 0; c < COLUMNS; c++)
            if (columns[c].values)
                at =
                    put_reals(at, columns[c].values + (size_t)columns[c].count * i, columns[c].count, frame->is_double);
        if (frame->obstacle)
            *at++ = frame->obstacle[i];
        prc_file_write(file, row, (size_t)(at - row));
    }
    for (size_t t = 0; t < (size_t)frame->triangle_count; t++) {
        unsigned char *at = row;
        *at++ = 3;
        for (int k = 0; k < 3; k++)
            at = put_uint32(at, (uint32_t)frame->triangles[3 * t + (size_t)k]);
        prc_file_write(file, row, (size_t)(at - row));
    }
    for (size_t e = 0; e < (size_t)frame->edge_count; e++) {
        put_uint32(put_uint32(row, (uint32_t)frame->edges[2 * e]), (uint32_t)frame->edges[2 * e + 1]);
        prc_file_write(file, row, 8);
    }
    return prc_file_commit(file, error);
}
