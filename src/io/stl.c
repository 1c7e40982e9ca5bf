/* io/stl.c — reads STL, ASCII and binary.
 *
 * STL lists triangles by the positions of their corners: corners at exactly the same position become one vertex,
 * numbered in the order of first appearance. Names of solids become groups. A file whose size matches its binary
 * triangle count is binary, even if it begins with `solid`, as some do. Leaves out normals, which follow from the
 * corners, and the attributes of binary files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/groups.h"
#include "io/mesh_file.h"
#include "io/scan.h"

#include <stdio.h>
#include <string.h>

#define HEADER 84
#define FACET 50

typedef struct reader {
    prc_scan scan;
    double *positions;
    int vertex_count, vertex_capacity;
    int *table; /* open addressing by position: vertex + 1, or 0 */
    size_t table_size;
    prc_faces faces;
    prc_groups groups;
    int group; /* of the solid; −1 where it has no name */
} reader;

/* ---- welding ---- */

static int *find_slot(const reader *r, const double x[3])
{
    for (size_t at = (size_t)(prc_hash(PRC_HASH_START, x, 3 * sizeof *x) % r->table_size);;
         at = (at + 1) % r->table_size) {
        int *slot = &r->table[at];
        if (!*slot || memcmp(r->positions + 3 * (size_t)(*slot - 1), x, 3 * sizeof *x) == 0)
            return slot;
    }
}

static prc_result make_room(reader *r)
{
    if (r->vertex_count < r->vertex_capacity)
        return PRC_OK;
    prc_result result = prc_scan_vertices(&r->scan, r->vertex_count + 1LL);
    if (result)
        return result;
    const size_t capacity = r->vertex_capacity ? 2 * (size_t)r->vertex_capacity : 1024;
    double *positions = prc_grow(r->positions, 3 * (size_t)r->vertex_count, 3 * capacity, sizeof *positions);
    if (!positions)
        return PRC_FAIL_MEMORY(r->scan.error);
    r->positions = positions;
    int *table = PRC_NEW(int, 2 * capacity);
    if (!table)
        return PRC_FAIL_MEMORY(r->scan.error);
    prc_free(r->table);
    r->table = table;
    r->table_size = 2 * capacity;
    r->vertex_capacity = (int)capacity;
    for (int i = 0; i < r->vertex_count; i++)
        *find_slot(r, r->positions + 3 * (size_t)i) = i + 1;
    return PRC_OK;
}

static prc_result add_corner(reader *r, double x[3])
{
    prc_result result = make_room(r);
    if (result)
        return result;
    for (int k = 0; k < 3; k++)
        x[k] += 0.0; /* −0 is the same place as 0 */
    int *slot = find_slot(r, x);
    if (!*slot) {
        memcpy(r->positions + 3 * (size_t)r->vertex_count, x, 3 * sizeof *x);
        *slot = ++r->vertex_count;
    }
    const int vertex = *slot - 1;
    if (r->group >= 0)
        result = prc_groups_add(&r->groups, r->group, vertex, r->scan.error);
    return result ? result : prc_faces_corner(&r->faces, vertex, 0);
}

/* ---- ASCII ---- */

static prc_result expect(reader *r, const char *word)
{
    char expected[40];
    if (prc_scan_accept(&r->scan, word))
        return PRC_OK;
    snprintf(expected, sizeof expected, "'%s'", word);
    return prc_scan_unexpected(&r->scan, expected);
}

static prc_result read_facet(reader *r)
{
    double skipped;
    prc_result result = expect(r, "normal");
    for (int k = 0; k < 3 && !result; k++) /* some programs write a normal that is not a number */
        if (!prc_scan_accept(&r->scan, "nan") && !prc_scan_accept(&r->scan, "-nan"))
            result = prc_scan_number(&r->scan, &skipped, "a number (facet normal x y z)");
    if (!result)
        result = expect(r, "outer");
    if (!result)
        result = expect(r, "loop");
    for (int c = 0; c < 3 && !result; c++) {
        double x[3];
        result = expect(r, "vertex");
        for (int k = 0; k < 3 && !result; k++)
            result = prc_scan_number(&r->scan, &x[k], "a finite number (vertex x y z)");
        if (!result)
            result = add_corner(r, x);
    }
    if (!result)
        result = expect(r, "endloop");
    if (!result)
        result = expect(r, "endfacet");
    return result ? result : prc_faces_end(&r->faces);
}

static prc_result read_solid(reader *r)
{
    size_t length;
    const char *name = prc_scan_rest(&r->scan, &length);
    r->group = -1;
    if (length) {
        r->group = prc_groups_find(&r->groups, name, length, r->scan.path, r->scan.error);
        if (r->group < 0)
            return r->scan.error->code;
    }
    prc_result result = PRC_OK;
    while (!result && prc_scan_accept(&r->scan, "facet"))
        result = read_facet(r);
    if (result)
        return result;
    if (!prc_scan_accept(&r->scan, "endsolid"))
        return prc_scan_unexpected(&r->scan, "'facet' or 'endsolid'");
    prc_scan_rest(&r->scan, &length);
    return PRC_OK;
}

static prc_result read_ascii(reader *r)
{
    prc_result result = PRC_OK;
    while (!result && prc_scan_accept(&r->scan, "solid"))
        result = read_solid(r);
    if (!result && prc_scan_skip(&r->scan))
        result = prc_scan_unexpected(&r->scan, "'solid' or the end of the file");
    return result;
}

/* ---- binary ---- */

static prc_result read_binary(reader *r, uint32_t count)
{
    r->scan.bytes = true;
    r->scan.at = r->scan.begin + HEADER;
    prc_result result = PRC_OK;
    for (uint32_t t = 0; t < count && !result; t++) {
        result = prc_scan_pass(&r->scan, 12); /* the normal */
        for (int c = 0; c < 3 && !result; c++) {
            double x[3];
            for (int k = 0; k < 3 && !result; k++)
                result = prc_scan_real(&r->scan, 4, &x[k]);
            if (!result)
                result = add_corner(r, x);
        }
        if (!result)
            result = prc_scan_pass(&r->scan, 2);
        if (!result)
            result = prc_faces_end(&r->faces);
    }
    return result;
}

static prc_result read_any(reader *r, size_t size)
{
    const uint32_t count = size >= HEADER ? (uint32_t)prc_scan_bits(r->scan.begin + 80, 4, false) : 0;
    if (size >= HEADER && (size - HEADER) / FACET == count && (size - HEADER) % FACET == 0)
        return read_binary(r, count);
    prc_scan probe = r->scan;
    if (prc_scan_accept(&probe, "solid"))
        return read_ascii(r);
    if (size < HEADER)
        return prc_fail(r->scan.error, PRC_ERROR_INPUT,
                        "%s: this is not an STL file; expected 'solid', or at least %d bytes of a binary file",
                        r->scan.path, HEADER);
    return prc_fail(r->scan.error, PRC_ERROR_INPUT,
                    "%s: byte 80: found a count of %u triangles, which take %llu bytes, in a file of %zu; it is "
                    "truncated, damaged, or not an STL file",
                    r->scan.path, count, (unsigned long long)HEADER + (unsigned long long)FACET * count, size);
}

prc_result prc_stl_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    reader r = {.group = -1};
    r.scan = prc_scan_begin(source->path, source->data, source->size, error);
    r.faces = (prc_faces){.path = source->path, .error = error};
    prc_result result = read_any(&r, source->size);
    if (!result && !r.faces.count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: found no triangles; expected a mesh", source->path);
    mesh->positions = r.positions;
    mesh->vertex_count = r.vertex_count;
    if (!result)
        result = prc_faces_cut(&r.faces, mesh);
    if (!result)
        result = prc_groups_finish(&r.groups, mesh, error);
    prc_free(r.table);
    prc_faces_release(&r.faces);
    prc_groups_release(&r.groups);
    return result;
}
