/* io/mesh_write.c — writes meshes: OBJ, PLY, STL and legacy VTK.
 *
 * Data that a format does not support are left out (mesh.h lists what each supports). Text has 17 digits, and PLY and
 * VTK are in double precision, so that numbers are restored bitwise; STL has single precision only.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <percale/mesh.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"
#include "mesh/mend.h"

#include <math.h>
#include <string.h>
#include <strings.h>

typedef prc_result mesh_writer(const prc_mesh *mesh, prc_file *file, prc_error *error);

/* ---- bytes ---- */

static void put(prc_file *file, uint64_t bits, int size, bool big)
{
    unsigned char bytes[8];
    for (int k = 0; k < size; k++)
        bytes[k] = (unsigned char)(bits >> (8 * (big ? size - 1 - k : k)));
    prc_file_write(file, bytes, (size_t)size);
}

static void put_double(prc_file *file, double value, bool big)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(file, bits, 8, big);
}

static void put_float(prc_file *file, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(file, bits, 4, false);
}

/* A name as these formats can hold it: without blanks. */
static void put_name(prc_file *file, const char *name)
{
    for (; *name; name++)
        prc_file_printf(file, "%c", (unsigned char)*name > ' ' ? *name : '_');
}

/* ---- OBJ ---- */

/* The groups of a triangle are those that hold all its corners. */
typedef struct membership {
    const prc_mesh *mesh;
    unsigned char *inside; /* of the group at hand, per vertex */
    int *last;             /* per triangle: its last group so far, or −1 */
    int *link;             /* per entry: the one before it */
    int *group;            /* per entry */
    int count, capacity;
} membership;

static bool add_entry(membership *m, int triangle, int group)
{
    if (m->count == m->capacity) {
        const int capacity = m->capacity ? 2 * m->capacity : 1024;
        int *link = prc_grow(m->link, (size_t)m->count, (size_t)capacity, sizeof *link);
        if (!link)
            return false;
        m->link = link;
        int *groups = prc_grow(m->group, (size_t)m->count, (size_t)capacity, sizeof *groups);
        if (!groups)
            return false;
        m->group = groups;
        m->capacity = capacity;
    }
    m->link[m->count] = m->last[triangle];
    m->group[m->count] = group;
    m->last[triangle] = m->count++;
    return true;
}

/* From the last group to the first, so that the lists run from the first to the last. */
static bool find_memberships(membership *m)
{
    const prc_mesh *mesh = m->mesh;
    for (int t = 0; t < mesh->triangle_count; t++)
        m->last[t] = -1;
    for (int g = mesh->group_count - 1; g >= 0; g--) {
        const prc_mesh_group *group = &mesh->groups[g];
        for (int k = 0; k < group->vertex_count; k++)
            m->inside[group->vertices[k]] = 1;
        for (int t = 0; t < mesh->triangle_count; t++) {
            const int *v = mesh->triangles + 3 * (size_t)t;
            if (m->inside[v[0]] && m->inside[v[1]] && m->inside[v[2]] && !add_entry(m, t, g))
                return false;
        }
        for (int k = 0; k < group->vertex_count; k++)
            m->inside[group->vertices[k]] = 0;
    }
    return true;
}

static bool same_groups(const membership *m, int a, int b)
{
    int i = m->last[a], j = m->last[b];
    while (i >= 0 && j >= 0 && m->group[i] == m->group[j]) {
        i = m->link[i];
        j = m->link[j];
    }
    return i < 0 && j < 0;
}

static void put_faces(prc_file *file, const membership *m)
{
    const prc_mesh *mesh = m->mesh;
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (mesh->group_count && (t ? !same_groups(m, t - 1, t) : m->last[t] >= 0)) {
            prc_file_printf(file, "g");
            for (int k = m->last[t]; k >= 0; k = m->link[k]) {
                prc_file_printf(file, " ");
                put_name(file, mesh->groups[m->group[k]].name);
            }
            prc_file_printf(file, "\n");
        }
        prc_file_printf(file, "f");
        for (int k = 0; k < 3; k++) {
            const int v = mesh->triangles[3 * (size_t)t + (size_t)k] + 1;
            if (mesh->texture)
                prc_file_printf(file, " %d/%d", v, v);
            else
                prc_file_printf(file, " %d", v);
        }
        prc_file_printf(file, "\n");
    }
}

static void put_stitches(prc_file *file, const prc_mesh *mesh)
{
    for (int s = 0; s < mesh->stitch_count; s++) {
        const prc_mesh_stitch *stitch = &mesh->stitches[s];
        int count = 0;
        while (s + count < mesh->stitch_count && stitch[count].seam == stitch->seam)
            count++;
        if (!s || stitch[-1].seam != stitch->seam)
            prc_file_printf(file, "seam %d\n", count);
        prc_file_printf(file, "stitch %d %d %d %.17g\n", stitch->vertex, stitch->edge[0], stitch->edge[1], stitch->at);
    }
}

static prc_result write_obj(const prc_mesh *mesh, prc_file *file, prc_error *error)
{
    membership m = {.mesh = mesh};
    m.inside = PRC_NEW(unsigned char, mesh->vertex_count);
    m.last = PRC_NEW(int, mesh->triangle_count);
    const bool good = m.inside && m.last && find_memberships(&m);
    if (good) {
        for (size_t i = 0; i < (size_t)mesh->vertex_count; i++)
            prc_file_printf(file, "v %.17g %.17g %.17g\n", mesh->positions[3 * i], mesh->positions[3 * i + 1],
                            mesh->positions[3 * i + 2]);
        for (size_t i = 0; mesh->texture && i < (size_t)mesh->vertex_count; i++)
            prc_file_printf(file, "vt %.17g %.17g\n", mesh->texture[2 * i], mesh->texture[2 * i + 1]);
        put_faces(file, &m);
        put_stitches(file, mesh);
    }
    prc_free(m.inside);
    prc_free(m.last);
    prc_free(m.link);
    prc_free(m.group);
    return good ? PRC_OK : PRC_FAIL_MEMORY(error);
}

/* ---- PLY ---- */

static prc_result write_ply(const prc_mesh *mesh, prc_file *file, prc_error *error)
{
    (void)error;
    prc_file_printf(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", mesh->vertex_count);
    for (int k = 0; k < 3; k++)
        prc_file_printf(file, "property double %c\n", "xyz"[k]);
    if (mesh->texture)
        prc_file_printf(file, "property double u\nproperty double v\n");
    for (int p = 0; p < mesh->property_count; p++) {
        prc_file_printf(file, "property double ");
        put_name(file, mesh->properties[p].name);
        prc_file_printf(file, "\n");
    }
    prc_file_printf(file, "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                    mesh->triangle_count);
    for (size_t i = 0; i < (size_t)mesh->vertex_count; i++) {
        for (size_t k = 0; k < 3; k++)
            put_double(file, mesh->positions[3 * i + k], false);
        for (size_t k = 0; mesh->texture && k < 2; k++)
            put_double(file, mesh->texture[2 * i + k], false);
        for (int p = 0; p < mesh->property_count; p++)
            put_double(file, mesh->properties[p].values[i], false);
    }
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        if (k % 3 == 0)
            put(file, 3, 1, false);
        put(file, (uint32_t)mesh->triangles[k], 4, false);
    }
    return PRC_OK;
}

/* ---- STL ---- */

static void find_normal(const double *a, const double *b, const double *c, double n[3])
{
    double u[3], v[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++)
        n[k] = length > 0 ? n[k] / length : 0;
}

static prc_result write_stl(const prc_mesh *mesh, prc_file *file, prc_error *error)
{
    (void)error;
    static const char header[80] = "binary STL, percale"; /* must not begin with "solid" */
    prc_file_write(file, header, sizeof header);
    put(file, (uint32_t)mesh->triangle_count, 4, false);
    for (size_t t = 0; t < (size_t)mesh->triangle_count; t++) {
        const double *x[3];
        double n[3];
        for (size_t c = 0; c < 3; c++)
            x[c] = mesh->positions + 3 * (size_t)mesh->triangles[3 * t + c];
        find_normal(x[0], x[1], x[2], n);
        for (int k = 0; k < 3; k++)
            put_float(file, n[k]);
        for (int k = 0; k < 9; k++)
            put_float(file, x[k / 3][k % 3]);
        put(file, 0, 2, false);
    }
    return PRC_OK;
}

/* ---- VTK ---- */

static prc_result write_vtk(const prc_mesh *mesh, prc_file *file, prc_error *error)
{
    (void)error;
    prc_file_printf(file, "# vtk DataFile Version 3.0\npercale\nBINARY\nDATASET POLYDATA\nPOINTS %d double\n",
                    mesh->vertex_count);
    for (size_t k = 0; k < 3 * (size_t)mesh->vertex_count; k++)
        put_double(file, mesh->positions[k], true);
    prc_file_printf(file, "\nPOLYGONS %d %lld\n", mesh->triangle_count, 4LL * mesh->triangle_count);
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
        if (k % 3 == 0)
            put(file, 3, 4, true);
        put(file, (uint32_t)mesh->triangles[k], 4, true);
    }
    if (mesh->texture || mesh->property_count)
        prc_file_printf(file, "\nPOINT_DATA %d", mesh->vertex_count);
    if (mesh->texture) {
        prc_file_printf(file, "\nTEXTURE_COORDINATES texture 2 double\n");
        for (size_t k = 0; k < 2 * (size_t)mesh->vertex_count; k++)
            put_double(file, mesh->texture[k], true);
    }
    for (int p = 0; p < mesh->property_count; p++) {
        prc_file_printf(file, "\nSCALARS ");
        put_name(file, mesh->properties[p].name);
        prc_file_printf(file, " double 1\nLOOKUP_TABLE default\n");
        for (int i = 0; i < mesh->vertex_count; i++)
            put_double(file, mesh->properties[p].values[i], true);
    }
    prc_file_printf(file, "\n");
    return PRC_OK;
}

/* ---- choosing ---- */

static mesh_writer *find_writer(const char *path)
{
    static const struct {
        const char *ending;
        mesh_writer *write;
    } formats[] = {{".obj", write_obj}, {".ply", write_ply}, {".stl", write_stl}, {".vtk", write_vtk}};
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof formats / sizeof *formats; k++)
        if (strcasecmp(ending, formats[k].ending) == 0)
            return formats[k].write;
    return NULL;
}

static bool is_whole(const prc_mesh *mesh)
{
    if (mesh->vertex_count < 0 || mesh->triangle_count < 0 || (mesh->vertex_count && !mesh->positions) ||
        (mesh->triangle_count && !mesh->triangles) || prc_mesh_fits(mesh, NULL))
        return false;
    for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++)
        if (mesh->triangles[k] < 0 || mesh->triangles[k] >= mesh->vertex_count)
            return false;
    return true;
}

prc_result prc_mesh_write(const prc_mesh *mesh, const char *path, prc_error *error)
{
    mesh_writer *write = find_writer(path);
    if (!write)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: unknown file type; expected a name ending in .obj, .ply, .stl or .vtk", path);
    if (!is_whole(mesh))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: the mesh has no arrays, or triangles with vertices that do not exist", path);
    prc_error unheard = {0};
    error = error ? error : &unheard;
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return error->code;
    prc_result result = write(mesh, file, error);
    if (!result)
        return prc_file_commit(file, error);
    prc_file_abandon(file);
    return result;
}
