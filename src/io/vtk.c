/* io/vtk.c — reads legacy VTK, ASCII and binary, of POLYDATA and UNSTRUCTURED_GRID ("VTK File Formats", vtk.org).
 *
 * Triangles, quadrilaterals, pixels, polygons and strips are read, with only the corners of quadratic ones; other cells
 * are skipped and counted in a note. Cells come as lists (versions up to 5.0) or as offsets and connectivity (5.1).
 * Point data of one component become properties of the mesh, TEXTURE_COORDINATES its texture. Binary numbers are big
 * endian. Leaves out the data of cells, vectors and tensors, and structured grids.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/mesh_file.h"
#include "io/scan.h"
#include "mesh/mend.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_PROPERTIES 512
#define TYPES "a type of numbers: float, double, int, long …"

typedef enum vtk_kind { NO_KIND, BIT, SIGNED, UNSIGNED, REAL } vtk_kind;

typedef struct vtk_type {
    vtk_kind kind;
    int size; /* in bytes; 0 for bits */
} vtk_type;

typedef struct reader {
    prc_scan scan;
    prc_mesh *mesh;
    prc_mesh_report *report;
    bool binary, grid; /* grid: UNSTRUCTURED_GRID */
    double version;
    bool points; /* vertices alone will do */
    prc_faces faces;
    long long *cells, cell_size; /* of a grid, until the types come */
    long long *offsets, offset_count;
    long long cell_count;
    long long data_count; /* of POINT_DATA or CELL_DATA, and whether it is of points */
    bool of_points;
    long long skipped, curved;
} reader;

/* ---- numbers ---- */

static vtk_type type_of(const char *name)
{
    static const struct {
        const char *name;
        vtk_type type;
    } names[] = {{"bit", {BIT, 0}},
                 {"char", {SIGNED, 1}},
                 {"signed_char", {SIGNED, 1}},
                 {"unsigned_char", {UNSIGNED, 1}},
                 {"short", {SIGNED, 2}},
                 {"unsigned_short", {UNSIGNED, 2}},
                 {"int", {SIGNED, 4}},
                 {"unsigned_int", {UNSIGNED, 4}},
                 {"long", {SIGNED, 8}},
                 {"unsigned_long", {UNSIGNED, 8}},
                 {"vtkidtype", {SIGNED, 4}}, /* legacy files hold these as int */
                 {"vtktypeint32", {SIGNED, 4}},
                 {"vtktypeint64", {SIGNED, 8}},
                 {"vtktypeuint64", {UNSIGNED, 8}},
                 {"float", {REAL, 4}},
                 {"double", {REAL, 8}}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcasecmp(name, names[k].name))
            return names[k].type;
    return (vtk_type){NO_KIND, 0};
}

static prc_result get_type(reader *r, vtk_type *type)
{
    char name[PRC_SCAN_WORD];
    prc_scan_skip(&r->scan);
    prc_scan before = r->scan;
    *type = type_of(prc_scan_word(&r->scan, name));
    return type->kind == NO_KIND ? prc_scan_unexpected(&before, TYPES) : PRC_OK;
}

static prc_result get_count(reader *r, long long *count, const char *expected)
{
    return prc_scan_whole(&r->scan, 0, LLONG_MAX, count, expected);
}

/* What `count` numbers take at least; refused where the file cannot hold them. */
static prc_result check_room(const reader *r, vtk_type type, long long count, const char *what)
{
    if (r->binary && type.kind == BIT)
        return prc_scan_room(&r->scan, count / 8, 1, what);
    return prc_scan_room(&r->scan, count, r->binary ? (size_t)type.size : 2, what);
}

static prc_result get_value(reader *r, vtk_type type, double *value)
{
    if (!r->binary)
        return prc_scan_any_number(&r->scan, value, "a number");
    if (r->scan.end - r->scan.at < type.size)
        return prc_scan_fail(&r->scan, "the file ends; expected more numbers");
    const uint64_t bits = prc_scan_bits(r->scan.at, type.size, true);
    const uint32_t low = (uint32_t)bits;
    const int unused = 64 - 8 * type.size;
    float single;
    r->scan.at += type.size;
    if (type.kind == REAL && type.size == 8)
        memcpy(value, &bits, sizeof *value);
    else if (type.kind == REAL)
        memcpy(&single, &low, sizeof single), *value = (double)single;
    else if (type.kind == SIGNED)
        *value = (double)((int64_t)(bits << unused) >> unused);
    else
        *value = (double)bits;
    return PRC_OK;
}

/* Past `count` numbers that do not matter. */
static prc_result skip_values(reader *r, vtk_type type, long long count)
{
    prc_result result = check_room(r, type, count, "numbers");
    if (result)
        return result;
    if (r->binary)
        return prc_scan_pass(&r->scan,
                             type.kind == BIT ? ((uint64_t)count + 7) / 8 : (uint64_t)count * (uint64_t)type.size);
    double skipped;
    for (long long k = 0; k < count && !result; k++)
        result = get_value(r, type, &skipped);
    return result;
}

/* `count` whole numbers, on the lines that follow. */
static prc_result get_indices(reader *r, vtk_type type, long long count, long long **list, const char *what)
{
    prc_scan_next_line(&r->scan);
    if (type.kind != SIGNED && type.kind != UNSIGNED)
        return prc_scan_fail(&r->scan, "%s of this type; expected whole numbers", what);
    prc_result result = check_room(r, type, count, what);
    if (result)
        return result;
    *list = PRC_NEW(long long, count);
    if (!*list)
        return PRC_FAIL_MEMORY(r->scan.error);
    for (long long k = 0; k < count && !result; k++) {
        double value = 0;
        if (!r->binary)
            result = prc_scan_whole(&r->scan, LLONG_MIN, LLONG_MAX, &(*list)[k], "a whole number");
        else if (!(result = get_value(r, type, &value)))
            (*list)[k] = fabs(value) < 9e15 ? (long long)value : -1;
    }
    return result;
}

/* ---- points and cells ---- */

static prc_result read_points(reader *r)
{
    long long count;
    vtk_type type = {NO_KIND, 0};
    prc_result result = get_count(r, &count, "the number of points");
    if (!result)
        result = get_type(r, &type);
    if (!result && r->mesh->positions)
        result = prc_scan_fail(&r->scan, "found POINTS a second time; expected one list");
    if (!result && type.kind == BIT)
        result = prc_scan_fail(&r->scan, "found points as bits; expected float or double");
    if (!result)
        result = prc_scan_vertices(&r->scan, count);
    if (!result)
        prc_scan_next_line(&r->scan);
    if (!result)
        result = check_room(r, type, 3 * count, "coordinates");
    if (result)
        return result;
    r->mesh->positions = PRC_NEW(double, 3 * (size_t)count);
    if (!r->mesh->positions)
        return PRC_FAIL_MEMORY(r->scan.error);
    r->mesh->vertex_count = (int)count;
    for (long long k = 0; k < 3 * count && !result; k++) {
        double *x = &r->mesh->positions[k];
        result = get_value(r, type, x);
        if (!result && !isfinite(*x))
            result = prc_scan_fail(&r->scan, "point %lld has a coordinate %g; expected a finite number", k / 3, *x);
    }
    return result;
}

static prc_result add_corner(reader *r, long long vertex)
{
    if (vertex < 0 || vertex >= r->mesh->vertex_count)
        return prc_scan_fail(&r->scan, "a cell uses point %lld; expected 0 to %d", vertex, r->mesh->vertex_count - 1);
    return prc_faces_corner(&r->faces, (int)vertex, 0);
}

static prc_result add_polygon(reader *r, const long long *points, long long count)
{
    if (count < 3)
        return prc_scan_fail(&r->scan, "found a polygon with %lld corners; expected at least 3", count);
    prc_result result = PRC_OK;
    for (long long k = 0; k < count && !result; k++)
        result = add_corner(r, points[k]);
    return result ? result : prc_faces_end(&r->faces);
}

/* Every other triangle of a strip runs backwards. */
static prc_result add_strip(reader *r, const long long *points, long long count)
{
    if (count < 3)
        return prc_scan_fail(&r->scan, "found a strip of %lld points; expected at least 3", count);
    prc_result result = PRC_OK;
    for (long long k = 0; k + 2 < count && !result; k++) {
        const long long v[3] = {points[k], points[k + 1 + k % 2], points[k + 2 - k % 2]};
        result = add_polygon(r, v, 3);
    }
    return result;
}

/* A cell of a grid, by its type. */
static prc_result add_cell(reader *r, long long type, const long long *points, long long count)
{
    static const struct {
        int type, points, corners;
    } plain[] = {{5, 3, 3}, {9, 4, 4}, {22, 6, 3}, {23, 8, 4}, {28, 9, 4}, {34, 7, 3}};
    if (type == 7)
        return add_polygon(r, points, count);
    if (type == 6)
        return add_strip(r, points, count);
    if (type == 8 && count == 4)
        return add_polygon(r, (long long[]){points[0], points[1], points[3], points[2]}, 4);
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (type == plain[k].type) {
            if (count != plain[k].points)
                return prc_scan_fail(&r->scan, "found a cell of type %lld with %lld points; expected %d", type, count,
                                     plain[k].points);
            r->curved += plain[k].points > plain[k].corners;
            return add_polygon(r, points, plain[k].corners);
        }
    r->skipped++;
    return PRC_OK;
}

static void release_cells(reader *r)
{
    prc_free(r->cells);
    prc_free(r->offsets);
    r->cells = r->offsets = NULL;
}

/* Reads a list of cells as both versions have it: afterwards cell c is points[offsets[c]] to points[offsets[c + 1]]. */
static prc_result read_cells(reader *r)
{
    long long count, size;
    release_cells(r); /* a second list takes the place of the first */
    prc_result result = get_count(r, &count, "the number of cells");
    if (!result)
        result = get_count(r, &size, "the size of the list of cells");
    if (result)
        return result;
    prc_scan probe = r->scan;
    prc_scan_next_line(&probe);
    if (r->version >= 5 && prc_scan_accept(&probe, "OFFSETS")) {
        vtk_type type = {NO_KIND, 0};
        r->scan = probe;
        result = get_type(r, &type);
        if (!result)
            result = get_indices(r, type, count, &r->offsets, "offsets");
        if (!result && !prc_scan_accept(&r->scan, "CONNECTIVITY"))
            result = prc_scan_unexpected(&r->scan, "'CONNECTIVITY'");
        if (!result)
            result = get_type(r, &type);
        if (!result)
            result = get_indices(r, type, size, &r->cells, "points of cells");
        r->offset_count = count;
        r->cell_count = count ? count - 1 : 0;
    } else if (count > size) { /* each has a number at least: how many points it has */
        result = prc_scan_fail(&r->scan, "%lld cells in a list of %lld numbers; expected no more cells than numbers",
                               count, size);
    } else {
        result = get_indices(r, (vtk_type){SIGNED, 4}, size, &r->cells, "numbers of cells");
        r->cell_count = count;
    }
    r->cell_size = size;
    return result;
}

/* The points of the next cell; *at moves along in a list of the old kind. */
static prc_result next_cell(const reader *r, long long cell, long long *at, const long long **points, long long *count)
{
    long long begin, end;
    if (r->offsets) {
        begin = r->offsets[cell];
        end = r->offsets[cell + 1];
    } else {
        begin = *at + 1;
        end = *at < r->cell_size && r->cells[*at] >= 0 && r->cells[*at] <= r->cell_size ? begin + r->cells[*at] : -1;
    }
    if (begin < 0 || end < begin || end > r->cell_size)
        return prc_scan_fail(&r->scan, "cell %lld exceeds the list of %lld numbers", cell, r->cell_size);
    *at = end;
    *points = r->cells + begin;
    *count = end - begin;
    return PRC_OK;
}

static prc_result read_polygons(reader *r, bool strips)
{
    prc_result result = read_cells(r);
    long long at = 0;
    for (long long c = 0; c < r->cell_count && !result; c++) {
        const long long *points = NULL;
        long long count = 0;
        result = next_cell(r, c, &at, &points, &count);
        if (!result)
            result = strips ? add_strip(r, points, count) : add_polygon(r, points, count);
    }
    release_cells(r);
    return result;
}

/* VERTICES and LINES of POLYDATA. */
static prc_result skip_cells(reader *r)
{
    prc_result result = read_cells(r);
    r->skipped += r->cell_count;
    release_cells(r);
    return result;
}

static prc_result read_types(reader *r)
{
    long long count, *types = NULL, at = 0;
    prc_result result = get_count(r, &count, "the number of types of cells");
    if (!result && (!r->cells || count != r->cell_count))
        result = prc_scan_fail(&r->scan, "found %lld types of cells after %lld cells; expected one for each", count,
                               r->cells ? r->cell_count : 0);
    if (!result)
        result = get_indices(r, (vtk_type){SIGNED, 4}, count, &types, "types of cells");
    for (long long c = 0; c < r->cell_count && !result; c++) {
        const long long *points = NULL;
        long long points_count = 0;
        result = next_cell(r, c, &at, &points, &points_count);
        if (!result)
            result = add_cell(r, types[c], points, points_count);
    }
    prc_free(types);
    release_cells(r);
    return result;
}

/* ---- data ---- */

/* One number per point, under this name. */
static prc_result read_property(reader *r, const char *name, vtk_type type)
{
    prc_mesh *mesh = r->mesh;
    prc_result result = check_room(r, type, r->data_count, "numbers");
    if (result)
        return result;
    if (mesh->property_count == MOST_PROPERTIES)
        return prc_scan_fail(&r->scan, "more than %d arrays of point data", MOST_PROPERTIES);
    if (!mesh->properties)
        mesh->properties = PRC_NEW(prc_mesh_property, MOST_PROPERTIES);
    if (!mesh->properties)
        return PRC_FAIL_MEMORY(r->scan.error);
    prc_mesh_property *to = &mesh->properties[mesh->property_count++];
    to->name = prc_string_copy(name);
    to->values = PRC_NEW(double, mesh->vertex_count);
    if (!to->name || !to->values)
        return PRC_FAIL_MEMORY(r->scan.error);
    for (int i = 0; i < mesh->vertex_count && !result; i++)
        result = get_value(r, type, &to->values[i]);
    return result;
}

/* An array of `components` numbers for each of `count` things. */
static prc_result read_array(reader *r, const char *name, vtk_type type, long long components, long long count)
{
    const bool kept = r->of_points && components == 1 && count == r->mesh->vertex_count && type.kind != BIT;
    if (components > INT_MAX || (components && count > LLONG_MAX / components))
        return prc_scan_fail(&r->scan, "%lld times %lld numbers are more than a file can contain", components, count);
    return kept ? read_property(r, name, type) : skip_values(r, type, components * count);
}

static prc_result read_scalars(reader *r)
{
    char name[PRC_SCAN_WORD], table[PRC_SCAN_WORD];
    long long components = 1;
    vtk_type type = {NO_KIND, 0};
    prc_scan_word(&r->scan, name);
    prc_result result = get_type(r, &type);
    r->scan.one_line = true;
    if (!result && prc_scan_skip(&r->scan))
        result = prc_scan_whole(&r->scan, 1, 4, &components, "the number of components, 1 to 4");
    r->scan.one_line = false;
    if (result)
        return result;
    prc_scan_next_line(&r->scan);
    prc_scan probe = r->scan;
    if (prc_scan_accept(&probe, "LOOKUP_TABLE")) {
        r->scan = probe;
        prc_scan_word(&r->scan, table);
        prc_scan_next_line(&r->scan);
    }
    return read_array(r, name, type, components, r->data_count);
}

static prc_result read_texture(reader *r)
{
    char name[PRC_SCAN_WORD];
    long long dimension;
    vtk_type type = {NO_KIND, 0};
    prc_mesh *mesh = r->mesh;
    prc_scan_word(&r->scan, name);
    prc_result result = prc_scan_whole(&r->scan, 1, 3, &dimension, "the dimension of texture coordinates, 1 to 3");
    if (!result)
        result = get_type(r, &type);
    if (result)
        return result;
    prc_scan_next_line(&r->scan);
    if (!r->of_points || dimension < 2 || mesh->texture || type.kind == BIT)
        return skip_values(r, type, dimension * r->data_count);
    result = check_room(r, type, dimension * r->data_count, "texture coordinates");
    if (result)
        return result;
    mesh->texture = PRC_NEW(double, 2 * (size_t)mesh->vertex_count);
    if (!mesh->texture)
        return PRC_FAIL_MEMORY(r->scan.error);
    for (long long k = 0; k < dimension * mesh->vertex_count && !result; k++) {
        double value = 0;
        result = get_value(r, type, &value);
        if (!result && !isfinite(value))
            result = prc_scan_fail(&r->scan, "point %lld has a texture coordinate %g; expected a finite number",
                                   k / dimension, value);
        if (k % dimension < 2)
            mesh->texture[2 * (k / dimension) + k % dimension] = value;
    }
    return result;
}

/* VECTORS, NORMALS, TENSORS: so many numbers each. */
static prc_result skip_vectors(reader *r, int components)
{
    char name[PRC_SCAN_WORD];
    vtk_type type = {NO_KIND, 0};
    prc_scan_word(&r->scan, name);
    prc_result result = get_type(r, &type);
    if (result)
        return result;
    prc_scan_next_line(&r->scan);
    return read_array(r, name, type, components, r->data_count);
}

/* COLOR_SCALARS and LOOKUP_TABLE: bytes in binary files, fractions in text. */
static prc_result skip_colours(reader *r, bool table)
{
    char name[PRC_SCAN_WORD];
    long long count;
    prc_scan_word(&r->scan, name);
    prc_result result = get_count(r, &count, table ? "the size of the table" : "the number of components");
    if (result)
        return result;
    prc_scan_next_line(&r->scan);
    return read_array(r, name, (vtk_type){UNSIGNED, 1}, table ? 4 : count, table ? count : r->data_count);
}

/* METADATA goes on to an empty line. */
static void skip_metadata(reader *r)
{
    r->scan.one_line = true;
    while (prc_scan_next_line(&r->scan) && prc_scan_skip(&r->scan))
        ;
    r->scan.one_line = false;
}

static prc_result read_field(reader *r)
{
    char name[PRC_SCAN_WORD];
    long long arrays, components, count;
    vtk_type type = {NO_KIND, 0};
    prc_scan_word(&r->scan, name);
    prc_result result = get_count(r, &arrays, "the number of arrays of the field");
    for (long long k = 0; k < arrays && !result; k++) {
        prc_scan_word(&r->scan, name);
        if (!strcasecmp(name, "METADATA")) {
            skip_metadata(r);
            k--;
            continue;
        }
        result = get_count(r, &components, "the number of components");
        if (!result)
            result = get_count(r, &count, "the number of tuples");
        if (!result && prc_scan_accept(&r->scan, "string"))
            result = prc_scan_fail(&r->scan, "found an array of strings; expected numbers");
        if (!result)
            result = get_type(r, &type);
        if (result)
            return result;
        prc_scan_next_line(&r->scan);
        result = read_array(r, name, type, components, count);
    }
    return result;
}

static prc_result begin_data(reader *r, bool of_points)
{
    prc_result result = prc_scan_whole(&r->scan, 0, INT_MAX, &r->data_count,
                                       of_points ? "the number of points" : "the number of cells");
    r->of_points = of_points;
    if (!result && of_points && r->data_count != r->mesh->vertex_count)
        result = prc_scan_fail(&r->scan, "data of %lld points; expected %d, the number of points", r->data_count,
                               r->mesh->vertex_count);
    return result;
}

/* ---- the file ---- */

static prc_result read_keyword(reader *r)
{
    static const struct {
        const char *name;
        int components;
    } vectors[] = {{"VECTORS", 3}, {"NORMALS", 3},    {"TENSORS6", 6},
                   {"TENSORS", 9}, {"GLOBAL_IDS", 1}, {"PEDIGREE_IDS", 1}};
    prc_scan *s = &r->scan;
    if (prc_scan_accept(s, "POINTS"))
        return read_points(r);
    if (prc_scan_accept(s, "POLYGONS"))
        return read_polygons(r, false);
    if (prc_scan_accept(s, "TRIANGLE_STRIPS"))
        return read_polygons(r, true);
    if (prc_scan_accept(s, "VERTICES") || prc_scan_accept(s, "LINES"))
        return skip_cells(r);
    if (prc_scan_accept(s, "CELLS")) {
        release_cells(r);
        return read_cells(r);
    }
    if (prc_scan_accept(s, "CELL_TYPES"))
        return read_types(r);
    if (prc_scan_accept(s, "POINT_DATA"))
        return begin_data(r, true);
    if (prc_scan_accept(s, "CELL_DATA"))
        return begin_data(r, false);
    if (prc_scan_accept(s, "SCALARS"))
        return read_scalars(r);
    if (prc_scan_accept(s, "TEXTURE_COORDINATES"))
        return read_texture(r);
    if (prc_scan_accept(s, "COLOR_SCALARS"))
        return skip_colours(r, false);
    if (prc_scan_accept(s, "LOOKUP_TABLE"))
        return skip_colours(r, true);
    if (prc_scan_accept(s, "FIELD"))
        return read_field(r);
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        if (prc_scan_accept(s, vectors[k].name))
            return skip_vectors(r, vectors[k].components);
    if (prc_scan_accept(s, "METADATA")) {
        skip_metadata(r);
        return PRC_OK;
    }
    return prc_scan_unexpected(s, "a keyword of the format: POINTS, POLYGONS, CELLS, POINT_DATA …");
}

static prc_result read_header(reader *r)
{
    static const char first[] = "# vtk DataFile Version";
    prc_scan *s = &r->scan;
    if ((size_t)(s->end - s->at) < sizeof first || strncasecmp(s->at, first, sizeof first - 1) != 0)
        return prc_scan_fail(s, "this is not a legacy VTK file; expected '%s' as its first words", first);
    s->at += sizeof first - 1;
    prc_result result = prc_scan_number(s, &r->version, "a version");
    if (result)
        return result;
    prc_scan_next_line(s);
    prc_scan_next_line(s); /* past the title */
    if (prc_scan_accept(s, "BINARY"))
        r->binary = s->bytes = s->big = true;
    else if (!prc_scan_accept(s, "ASCII"))
        return prc_scan_unexpected(s, "ASCII or BINARY");
    if (!prc_scan_accept(s, "DATASET"))
        return prc_scan_unexpected(s, "'DATASET'");
    r->grid = prc_scan_accept(s, "UNSTRUCTURED_GRID");
    if (!r->grid && !prc_scan_accept(s, "POLYDATA"))
        return prc_scan_unexpected(s, "POLYDATA or UNSTRUCTURED_GRID");
    return PRC_OK;
}

static prc_result read_all(reader *r)
{
    prc_result result = read_header(r);
    while (!result && prc_scan_skip(&r->scan))
        result = read_keyword(r);
    if (!result && !r->faces.count && !(r->points && r->mesh->vertex_count))
        result = prc_fail(r->scan.error, PRC_ERROR_INPUT,
                          "%s: found %d points, no polygon and %lld other cells; expected a surface mesh", r->scan.path,
                          r->mesh->vertex_count, r->skipped);
    if (!result && r->skipped)
        prc_mesh_note(r->report, "%lld cells that are not polygons skipped", r->skipped);
    if (!result && r->curved)
        prc_mesh_note(r->report, "%lld quadratic faces: only their corners are used", r->curved);
    return result;
}

prc_result prc_vtk_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    reader r = {.mesh = mesh, .report = source->report, .points = source->points};
    r.scan = prc_scan_begin(source->path, source->data, source->size, error);
    r.faces = (prc_faces){.path = source->path, .error = error};
    prc_result result = read_all(&r);
    if (!result)
        result = prc_faces_cut(&r.faces, mesh);
    release_cells(&r);
    prc_faces_release(&r.faces);
    return result;
}
