/* io/gltf.c — reads the static meshes of a glTF 2.0 file (.gltf, .glb).
 *
 * All meshes of the scene, transformed by the matrices of their nodes, become one mesh; names of nodes, or else of
 * their meshes, and of materials become groups. glTF splits vertices wherever normals or texture coordinates differ,
 * and cloth would come apart there: vertices of a node at exactly the same position are merged, unless split_texture is
 * set. Texture coordinates are flipped, so that v points up as in other formats. Triangles, strips and fans are read;
 * lines and points are skipped. Leaves out animations, morph targets and skeletons, which a note mentions, and
 * compression. SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/gltf_file.h"
#include "io/groups.h"
#include "io/scan.h"
#include "mesh/mend.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_PRIMITIVES 1000000 /* in all nodes together */
enum { UBYTE = 5121, USHORT = 5123, UINT = 5125, FLOAT = 5126 };
enum { TRIANGLES = 4, STRIP, FAN };

/* A primitive: which accessors, and what of it. */
typedef struct primitive {
    int positions, texture, indices, mode, material; /* −1: none */
} primitive;

typedef struct mesh_range {
    int first, count; /* of the primitives */
} mesh_range;

typedef struct reader {
    prc_gltf gltf;
    const char *path;
    prc_error *error;
    bool split;
    primitive *primitives;
    int primitive_count, primitive_capacity;
    mesh_range *meshes;
    int mesh_count;
    /* what has been read */
    double *positions, *texture; /* per vertex; texture of those that have none is 0 */
    int *joined;                 /* per vertex: the first in its place */
    int vertex_count, vertex_capacity;
    bool untextured; /* some vertices have no texture coordinates */
    prc_faces faces;
    prc_groups groups;
    long long primitives_done, joined_count;
    int skipped, skinned, torn, first_torn;
    bool morphed;
} reader;

/* ---- primitives ---- */

static prc_result check_accessor(const reader *r, const char *where, int accessor, int components, const char *what)
{
    const prc_gltf_array *a = &r->gltf.accessors[accessor].base;
    if (a->components == components && a->data)
        return PRC_OK;
    return prc_fail(r->error, PRC_ERROR_INPUT, "%s: %s: accessors[%d] is used for %s; expected %d number%s each%s",
                    r->path, where, accessor, what, components, components == 1 ? "" : "s",
                    a->data ? "" : " and a bufferView: it has none");
}

static prc_result read_primitive(reader *r, const prc_json_value *value, const char *where)
{
    const prc_gltf *g = &r->gltf;
    const prc_json_value *attributes = prc_json_find(&g->tree, value, "attributes");
    const prc_json_value *materials = prc_gltf_list(g, "materials");
    primitive p = {-1, -1, -1, -1, -1};
    prc_result result = prc_gltf_index(g, attributes, where, "POSITION", g->accessor_count, &p.positions);
    if (!result)
        result = prc_gltf_index(g, attributes, where, "TEXCOORD_0", g->accessor_count, &p.texture);
    if (!result)
        result = prc_gltf_index(g, value, where, "indices", g->accessor_count, &p.indices);
    if (!result)
        result = prc_gltf_index(g, value, where, "material", materials ? materials->count : 0, &p.material);
    if (!result)
        result = prc_gltf_index(g, value, where, "mode", FAN + 1, &p.mode);
    p.mode = p.mode < 0 ? TRIANGLES : p.mode;
    if (!result && p.positions >= 0 && p.mode >= TRIANGLES)
        result = check_accessor(r, where, p.positions, 3, "positions");
    if (!result && p.texture >= 0 && p.mode >= TRIANGLES) {
        result = check_accessor(r, where, p.texture, 2, "texture coordinates");
        if (!result && p.positions >= 0 && g->accessors[p.texture].base.count != g->accessors[p.positions].base.count)
            result = prc_fail(r->error, PRC_ERROR_INPUT,
                              "%s: %s: %llu texture coordinates for %llu vertices; expected one each", r->path, where,
                              (unsigned long long)g->accessors[p.texture].base.count,
                              (unsigned long long)g->accessors[p.positions].base.count);
    }
    if (!result && p.indices >= 0 && p.mode >= TRIANGLES) {
        const int kind = g->accessors[p.indices].base.kind;
        result = check_accessor(r, where, p.indices, 1, "indices");
        if (!result && kind != UBYTE && kind != USHORT && kind != UINT)
            result = prc_fail(r->error, PRC_ERROR_INPUT,
                              "%s: %s: accessors[%d] is used for indices; expected componentType 5121, 5123 or 5125",
                              r->path, where, p.indices);
    }
    r->morphed |= prc_json_find(&g->tree, value, "targets") != NULL;
    r->primitives[r->primitive_count++] = p;
    return result;
}

static prc_result read_mesh(reader *r, const prc_json_value *value, int m)
{
    const prc_json_value *list = prc_json_find(&r->gltf.tree, value, "primitives");
    char where[60];
    if (!list || list->kind != PRC_JSON_ARRAY)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: meshes[%d].primitives: expected a list", r->path, m);
    r->meshes[m] = (mesh_range){r->primitive_count, list->count};
    if (r->primitive_count + list->count > r->primitive_capacity) {
        const int capacity = 2 * (r->primitive_count + list->count);
        primitive *grown = prc_grow(r->primitives, (size_t)r->primitive_count, (size_t)capacity, sizeof *r->primitives);
        if (!grown)
            return PRC_FAIL_MEMORY(r->error);
        r->primitives = grown;
        r->primitive_capacity = capacity;
    }
    prc_result result = PRC_OK;
    for (int k = 0; k < list->count && !result; k++) {
        snprintf(where, sizeof where, "meshes[%d].primitives[%d]", m, k);
        result = read_primitive(r, prc_json_member(&r->gltf.tree, list, k), where);
    }
    return result;
}

static prc_result read_meshes(reader *r)
{
    const prc_json_value *list = prc_gltf_list(&r->gltf, "meshes");
    r->mesh_count = list ? list->count : 0;
    r->meshes = PRC_NEW(mesh_range, r->mesh_count);
    if (!r->meshes)
        return PRC_FAIL_MEMORY(r->error);
    prc_result result = PRC_OK;
    for (int m = 0; m < r->mesh_count && !result; m++)
        result = read_mesh(r, prc_json_member(&r->gltf.tree, list, m), m);
    return result;
}

/* ---- vertices ---- */

static prc_result make_room(reader *r, uint64_t more)
{
    const uint64_t wanted = (uint64_t)r->vertex_count + more;
    if (wanted > PRC_MOST_READ_VERTICES)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: more than %d vertices", r->path, PRC_MOST_READ_VERTICES);
    if (wanted <= (uint64_t)r->vertex_capacity)
        return PRC_OK;
    const size_t now = (size_t)r->vertex_count, capacity = (size_t)wanted + (size_t)wanted / 2;
    double *positions = prc_grow(r->positions, 3 * now, 3 * capacity, sizeof *positions);
    r->positions = positions ? positions : r->positions;
    double *texture = prc_grow(r->texture, 2 * now, 2 * capacity, sizeof *texture);
    r->texture = texture ? texture : r->texture;
    int *joined = prc_grow(r->joined, now, capacity, sizeof *joined);
    r->joined = joined ? joined : r->joined;
    if (!positions || !texture || !joined)
        return PRC_FAIL_MEMORY(r->error);
    r->vertex_capacity = (int)capacity;
    return PRC_OK;
}

/* Columns of a matrix come one after the other. */
static void move_point(const double m[16], double x[3])
{
    const double from[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < 3; k++)
        x[k] = m[k] * from[0] + m[4 + k] * from[1] + m[8 + k] * from[2] + m[12 + k];
}

static prc_result read_vertices(reader *r, const primitive *p, const double matrix[16])
{
    const uint64_t count = r->gltf.accessors[p->positions].base.count;
    prc_result result = make_room(r, count);
    if (result)
        return result;
    double *x = r->positions + 3 * (size_t)r->vertex_count, *uv = r->texture + 2 * (size_t)r->vertex_count;
    result = prc_gltf_read_reals(&r->gltf, p->positions, x);
    if (!result && p->texture >= 0)
        result = prc_gltf_read_reals(&r->gltf, p->texture, uv);
    r->untextured |= p->texture < 0;
    for (uint64_t i = 0; i < count && !result; i++) {
        move_point(matrix, x + 3 * i);
        for (int k = 0; k < 3; k++)
            if (!isfinite(x[3 * i + (uint64_t)k]))
                result = prc_fail(r->error, PRC_ERROR_INPUT,
                                  "%s: a node transformation makes a vertex position infinite", r->path);
        uv[2 * i + 1] = 1 - uv[2 * i + 1];
        r->joined[(size_t)r->vertex_count + i] = r->vertex_count + (int)i;
    }
    r->vertex_count += result ? 0 : (int)count;
    return result;
}

/* ---- triangles ---- */

/* A mirror turns triangles over, and with them the side that is in front. */
static prc_result add_triangle(reader *r, const uint32_t v[3], bool mirrored, int first)
{
    if (r->faces.count == PRC_MOST_READ_TRIANGLES)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: more than %d triangles", r->path, PRC_MOST_READ_TRIANGLES);
    return prc_faces_triangle(&r->faces, first + (int)v[0], first + (int)v[mirrored ? 2 : 1],
                              first + (int)v[mirrored ? 1 : 2]);
}

static prc_result add_triangles(reader *r, const primitive *p, const uint32_t *v, uint64_t count, bool mirrored,
                                int first)
{
    prc_result result = PRC_OK;
    if (p->mode == TRIANGLES && count % 3)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: found %llu corners of triangles; expected three each", r->path,
                        (unsigned long long)count);
    const uint64_t triangles = p->mode == TRIANGLES ? count / 3 : count < 3 ? 0 : count - 2;
    for (uint64_t t = 0; t < triangles && !result; t++) {
        uint32_t corners[3];
        for (uint64_t c = 0; c < 3; c++) {
            const uint64_t odd = p->mode == STRIP && t % 2 ? (c == 0 ? 1 : c == 1 ? 0 : 2) : c;
            const uint64_t at = p->mode == TRIANGLES ? 3 * t + c : p->mode == STRIP ? t + odd : c ? t + c : 0;
            corners[c] = v ? v[at] : (uint32_t)at;
        }
        /* Strips join their parts by triangles that name a vertex twice. */
        if (p->mode == STRIP && (corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0]))
            continue;
        result = add_triangle(r, corners, mirrored, first);
    }
    return result;
}

static prc_result read_triangles(reader *r, const primitive *p, bool mirrored, int first)
{
    const uint64_t vertices = r->gltf.accessors[p->positions].base.count;
    if (p->indices < 0)
        return add_triangles(r, p, NULL, vertices, mirrored, first);
    const uint64_t count = r->gltf.accessors[p->indices].base.count;
    uint32_t *indices = PRC_NEW(uint32_t, count);
    if (!indices)
        return PRC_FAIL_MEMORY(r->error);
    prc_result result = prc_gltf_read_indices(&r->gltf, p->indices, indices);
    for (uint64_t k = 0; k < count && !result; k++)
        if (indices[k] >= vertices)
            result = prc_fail(r->error, PRC_ERROR_INPUT,
                              "%s: accessors[%d]: a triangle uses vertex %u, but vertices run from 0 to %llu", r->path,
                              p->indices, indices[k], (unsigned long long)vertices - 1);
    if (!result)
        result = add_triangles(r, p, indices, count, mirrored, first);
    prc_free(indices);
    return result;
}

static prc_result add_group(reader *r, const char *name, int first)
{
    const int group = prc_groups_find(&r->groups, name, strlen(name), r->path, r->error);
    if (group < 0)
        return r->error->code;
    prc_result result = PRC_OK;
    for (int i = first; i < r->vertex_count && !result; i++)
        result = prc_groups_add(&r->groups, group, i, r->error);
    return result;
}

/* ---- vertices in the same place ---- */

/* Joins the vertices of a node from `first` on: each knows the first in its place. */
static prc_result join_vertices(reader *r, int first)
{
    const size_t count = (size_t)(r->vertex_count - first), size = 2 * count + 1;
    int *table = PRC_NEW(int, size); /* vertex − first + 1, or 0 */
    if (!table)
        return PRC_FAIL_MEMORY(r->error);
    for (int i = first; i < r->vertex_count; i++) {
        double *x = r->positions + 3 * (size_t)i;
        for (int k = 0; k < 3; k++)
            x[k] += 0.0; /* −0 is the same place as 0 */
        size_t at = (size_t)(prc_hash(PRC_HASH_START, x, 3 * sizeof *x) % size);
        while (table[at] && memcmp(r->positions + 3 * (size_t)(first + table[at] - 1), x, 3 * sizeof *x) != 0)
            at = (at + 1) % size;
        if (!table[at]) {
            table[at] = i - first + 1;
            continue;
        }
        const int same = first + table[at] - 1;
        r->joined[i] = same;
        r->joined_count++;
        if (memcmp(r->texture + 2 * (size_t)i, r->texture + 2 * (size_t)same, 2 * sizeof(double)) != 0 && !r->torn++)
            r->first_torn = same;
    }
    prc_free(table);
    return PRC_OK;
}

/* Vertices that are left move up; triangles and groups follow. */
static void close_ranks(reader *r)
{
    int kept = 0;
    for (int i = 0; i < r->vertex_count; i++) {
        if (r->joined[i] != i) {
            r->joined[i] = r->joined[r->joined[i]]; /* its first has its new number already */
            continue;
        }
        memmove(r->positions + 3 * (size_t)kept, r->positions + 3 * (size_t)i, 3 * sizeof(double));
        memmove(r->texture + 2 * (size_t)kept, r->texture + 2 * (size_t)i, 2 * sizeof(double));
        if (r->torn && r->first_torn == i)
            r->first_torn = kept;
        r->joined[i] = kept++;
    }
    r->vertex_count = kept;
    for (int k = 0; k < r->faces.corner_count; k++)
        r->faces.corners[k] = r->joined[r->faces.corners[k]];
    for (long long k = 0; k < r->groups.member_count; k++)
        r->groups.members[k][1] = r->joined[r->groups.members[k][1]];
}

/* ---- nodes ---- */

static const char *name_of(const reader *r, const prc_json_value *value)
{
    const prc_json_value *name = prc_json_find(&r->gltf.tree, value, "name");
    return name && name->kind == PRC_JSON_TEXT ? name->text : "";
}

static const char *material_name(const reader *r, int material)
{
    return material < 0 ? ""
                        : name_of(r, prc_json_member(&r->gltf.tree, prc_gltf_list(&r->gltf, "materials"), material));
}

/* A mesh where a node puts it. */
static prc_result place_mesh(reader *r, int m, const char *name, const double matrix[16])
{
    const double *a = matrix, *b = matrix + 4, *c = matrix + 8;
    const bool mirrored =
        a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1]) <
        0;
    const int begin = r->vertex_count;
    prc_result result = PRC_OK;
    for (int k = 0; k < r->meshes[m].count && !result; k++) {
        const primitive *p = &r->primitives[r->meshes[m].first + k];
        const int first = r->vertex_count;
        if (++r->primitives_done > MOST_PRIMITIVES)
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s: more than %d primitives in all nodes", r->path,
                            MOST_PRIMITIVES);
        if (p->mode < TRIANGLES || p->positions < 0) {
            r->skipped++;
            continue;
        }
        result = read_vertices(r, p, matrix);
        if (!result)
            result = read_triangles(r, p, mirrored, first);
        if (!result && material_name(r, p->material)[0])
            result = add_group(r, material_name(r, p->material), first);
    }
    if (!name[0])
        name = name_of(r, prc_json_member(&r->gltf.tree, prc_gltf_list(&r->gltf, "meshes"), m));
    if (!result && name[0] && r->vertex_count > begin)
        result = add_group(r, name, begin);
    return result || r->split ? result : join_vertices(r, begin);
}

static void multiply(const double a[16], const double b[16], double product[16])
{
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0;
            for (int k = 0; k < 4; k++)
                sum += a[4 * k + row] * b[4 * column + k];
            product[4 * column + row] = sum;
        }
}

/* Scale, then rotation (a quaternion x y z w), then translation. */
static void compose(const double t[3], const double q[4], const double s[3], double m[16])
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), n = length > 0 ? length : 1;
    const double x = q[0] / n, y = q[1] / n, z = q[2] / n, w = length > 0 ? q[3] / n : 1;
    const double rotation[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                                2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                                2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int column = 0; column < 3; column++) {
        for (int row = 0; row < 3; row++)
            m[4 * column + row] = s[column] * rotation[3 * column + row];
        m[4 * column + 3] = 0;
        m[12 + column] = t[column];
    }
    m[15] = 1;
}

static prc_result read_matrix(const reader *r, const prc_json_value *node, const char *where, double m[16])
{
    double t[3] = {0}, q[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    bool found;
    prc_result result = prc_gltf_numbers(&r->gltf, node, where, "matrix", 16, m, &found);
    if (result || found)
        return result;
    result = prc_gltf_numbers(&r->gltf, node, where, "translation", 3, t, &found);
    if (!result)
        result = prc_gltf_numbers(&r->gltf, node, where, "rotation", 4, q, &found);
    if (!result)
        result = prc_gltf_numbers(&r->gltf, node, where, "scale", 3, s, &found);
    compose(t, q, s, m);
    return result;
}

/* The tree of nodes, and where it was entered so far. */
typedef struct walk {
    const prc_json_value *nodes;
    double (*matrices)[16]; /* per node: from it to the world */
    bool *seen;
    int *stack, depth;
} walk;

static prc_result push(const reader *r, walk *w, const prc_json_value *list, const char *where, int parent)
{
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    if (list && list->kind != PRC_JSON_ARRAY)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: %s: expected a list of nodes", r->path, where);
    for (int k = list ? list->count - 1 : -1; k >= 0; k--) { /* the first comes out first */
        const prc_json_value *value = prc_json_member(&r->gltf.tree, list, k);
        const double number = value->kind == PRC_JSON_NUMBER ? value->number : -1;
        if (!w->nodes || !(number >= 0 && number < w->nodes->count) || number != floor(number))
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s: %s: expected node numbers, 0 to %d", r->path, where,
                            w->nodes ? w->nodes->count - 1 : -1);
        const int node = (int)number;
        if (w->seen[node])
            return prc_fail(r->error, PRC_ERROR_INPUT, "%s: %s: node %d is in the tree twice", r->path, where, node);
        w->seen[node] = true;
        memcpy(w->matrices[node], parent < 0 ? identity : w->matrices[parent], sizeof identity);
        w->stack[w->depth++] = node;
    }
    return PRC_OK;
}

static prc_result visit(reader *r, walk *w, int n)
{
    const prc_json_value *node = prc_json_member(&r->gltf.tree, w->nodes, n);
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    double own[16], world[16];
    char where[40];
    int mesh;
    snprintf(where, sizeof where, "nodes[%d]", n);
    prc_result result = read_matrix(r, node, where, own);
    if (!result)
        result = prc_gltf_index(&r->gltf, node, where, "mesh", r->mesh_count, &mesh);
    if (result)
        return result;
    multiply(w->matrices[n], own, world);
    memcpy(w->matrices[n], world, sizeof world);
    /* A skeleton moves its mesh, and the node does not. */
    const bool skinned = prc_json_find(&r->gltf.tree, node, "skin") != NULL;
    if (mesh >= 0) {
        r->skinned += skinned;
        result = place_mesh(r, mesh, name_of(r, node), skinned ? identity : world);
    }
    return result ? result : push(r, w, prc_json_find(&r->gltf.tree, node, "children"), where, n);
}

/* Nodes that are no children of others, where there is no scene. */
static prc_result push_roots(const reader *r, walk *w)
{
    bool *child = PRC_NEW(bool, w->nodes->count);
    if (!child)
        return PRC_FAIL_MEMORY(r->error);
    for (int n = 0; n < w->nodes->count; n++) {
        const prc_json_value *children =
            prc_json_find(&r->gltf.tree, prc_json_member(&r->gltf.tree, w->nodes, n), "children");
        for (int k = 0; children && children->kind == PRC_JSON_ARRAY && k < children->count; k++) {
            const prc_json_value *value = prc_json_member(&r->gltf.tree, children, k);
            if (value->kind == PRC_JSON_NUMBER && value->number >= 0 && value->number < w->nodes->count)
                child[(int)value->number] = true;
        }
    }
    for (int n = w->nodes->count - 1; n >= 0; n--)
        if (!child[n]) {
            w->seen[n] = true;
            for (int k = 0; k < 4; k++)
                w->matrices[n][5 * k] = 1;
            w->stack[w->depth++] = n;
        }
    prc_free(child);
    return PRC_OK;
}

static prc_result walk_nodes(reader *r, walk *w)
{
    const prc_json_value *scenes = prc_gltf_list(&r->gltf, "scenes");
    int scene;
    prc_result result = prc_gltf_index(&r->gltf, r->gltf.root, "the file", "scene", scenes ? scenes->count : 0, &scene);
    if (result)
        return result;
    scene = scene < 0 && scenes && scenes->count ? 0 : scene;
    if (scene >= 0)
        result = push(r, w, prc_json_find(&r->gltf.tree, prc_json_member(&r->gltf.tree, scenes, scene), "nodes"),
                      "scenes.nodes", -1);
    else if (w->nodes)
        result = push_roots(r, w);
    while (w->depth && !result)
        result = visit(r, w, w->stack[--w->depth]);
    return result;
}

/* All meshes of the scene; of a file without nodes, the meshes as they are. */
static prc_result read_scene(reader *r)
{
    static const double identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    walk w = {.nodes = prc_gltf_list(&r->gltf, "nodes")};
    const size_t count = w.nodes ? (size_t)w.nodes->count : 0;
    prc_result result = PRC_OK;
    if (!count) {
        for (int m = 0; m < r->mesh_count && !result; m++)
            result = place_mesh(r, m, "", identity);
        return result;
    }
    w.matrices = prc_alloc(count, sizeof *w.matrices);
    w.seen = PRC_NEW(bool, count);
    w.stack = PRC_NEW(int, count);
    result = w.matrices && w.seen && w.stack ? walk_nodes(r, &w) : PRC_FAIL_MEMORY(r->error);
    prc_free(w.matrices);
    prc_free(w.seen);
    prc_free(w.stack);
    return result;
}

/* ---- the file ---- */

static void note_all(const reader *r, prc_mesh_report *report)
{
    const prc_json_value *animations = prc_gltf_list(&r->gltf, "animations");
    if (r->joined_count)
        prc_mesh_note(report, "%lld vertices merged with others at the same position", r->joined_count);
    if (r->skipped)
        prc_mesh_note(report, "%d primitives of lines or points skipped", r->skipped);
    if (r->skinned)
        prc_mesh_note(report, "%d meshes with a skeleton: read in their rest pose, without it", r->skinned);
    if (animations || r->morphed)
        prc_mesh_note(report, "animation ignored: only the static mesh is read");
}

/* Hands over what was read. */
static prc_result finish(reader *r, prc_mesh *mesh, prc_mesh_report *report)
{
    if (!r->faces.count)
        return prc_fail(r->error, PRC_ERROR_INPUT, "%s: found no triangles; expected a mesh", r->path);
    if (r->joined_count)
        close_ranks(r);
    mesh->positions = r->positions;
    mesh->vertex_count = r->vertex_count;
    r->positions = NULL;
    if (!r->untextured && r->torn) {
        report->torn_vertices = r->torn;
        report->first_torn = r->first_torn;
    } else if (!r->untextured) {
        mesh->texture = r->texture;
        r->texture = NULL;
    }
    note_all(r, report);
    prc_result result = prc_faces_cut(&r->faces, mesh);
    return result ? result : prc_groups_finish(&r->groups, mesh, r->error);
}

prc_result prc_gltf_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    reader *r = PRC_NEW(reader, 1);
    if (!r)
        return PRC_FAIL_MEMORY(error);
    r->path = source->path;
    r->error = error;
    r->split = source->split_texture;
    r->faces = (prc_faces){.path = source->path, .error = error};
    prc_result result = prc_gltf_open(&r->gltf, source, error);
    if (!result)
        result = read_meshes(r);
    if (!result)
        result = read_scene(r);
    if (!result)
        result = finish(r, mesh, source->report);
    prc_gltf_close(&r->gltf);
    prc_free(r->primitives);
    prc_free(r->meshes);
    prc_free(r->positions);
    prc_free(r->texture);
    prc_free(r->joined);
    prc_faces_release(&r->faces);
    prc_groups_release(&r->groups);
    prc_free(r);
    return result;
}
