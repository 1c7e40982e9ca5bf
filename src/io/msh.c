/* io/msh.c — reads Gmsh MSH 2.2 and 4.1, ASCII and binary (gmsh.info, "MSH file format").
 *
 * Triangles and quadrilaterals are read, with only their corners if they are of higher order. Physical groups of any
 * dimension become groups of vertices, by name or as surface_5, line_3, point_1. Lines and points are used for groups
 * only; solids are skipped. A note lists what was skipped. Vertices are numbered in the order of the file, from 0: node
 * tags may have gaps. Leaves out periodic and partitioned meshes, and data.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "base/memory.h"
#include "io/faces.h"
#include "io/groups.h"
#include "io/mesh_file.h"
#include "io/scan.h"
#include "mesh/mend.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NODES 128   /* of one element */
#define MOST_TAGS 1000   /* of one element */
#define MOST_PHYSICAL 16 /* physical groups of one entity */

/* A physical group, or an entity with its physical groups. */
typedef struct entity {
    long long key;    /* dimension and tag */
    int group;        /* or −1 */
    int first, count; /* entity: its groups in `physical` */
} entity;

typedef struct entities {
    entity *items;
    int count, capacity;
} entities;

typedef struct node_tag {
    long long tag;
    int vertex;
} node_tag;

typedef struct reader {
    prc_scan scan;
    prc_mesh *mesh;
    prc_mesh_report *report;
    bool binary, old; /* old: 2.2 */
    bool points;      /* vertices alone will do */
    prc_faces faces;
    prc_groups groups;
    entities physical_names, entities; /* sorted by key once read */
    int *physical;                     /* groups of the entities */
    int physical_count, physical_capacity;
    node_tag *tags;               /* sorted */
    bool has_nodes, plain_tags;   /* plain: 1, 2, 3 … */
    long long skipped[4], curved; /* elements by dimension; of higher order */
} reader;

/* Types of elements: dimension, nodes, corners. */
static const struct {
    unsigned char dimension, nodes, corners;
} types[] = {
    [1] = {1, 2, 2},   [2] = {2, 3, 3},   [3] = {2, 4, 4},   [4] = {3, 4, 4},   [5] = {3, 8, 8},   [6] = {3, 6, 6},
    [7] = {3, 5, 5},   [8] = {1, 3, 2},   [9] = {2, 6, 3},   [10] = {2, 9, 4},  [11] = {3, 10, 4}, [12] = {3, 27, 8},
    [13] = {3, 18, 6}, [14] = {3, 14, 5}, [15] = {0, 1, 1},  [16] = {2, 8, 4},  [17] = {3, 20, 8}, [18] = {3, 15, 6},
    [19] = {3, 13, 5}, [20] = {2, 9, 3},  [21] = {2, 10, 3}, [22] = {2, 12, 3}, [23] = {2, 15, 3}, [24] = {2, 15, 3},
    [25] = {2, 21, 3}, [26] = {1, 4, 2},  [27] = {1, 5, 2},  [28] = {1, 6, 2},  [29] = {3, 20, 4}, [30] = {3, 35, 4},
    [31] = {3, 56, 4}, [92] = {3, 64, 8}, [93] = {3, 125, 8}};

/* ---- numbers, in text or bytes ---- */

static prc_result get_int(reader *r, long long low, long long high, long long *value, const char *expected)
{
    if (!r->binary)
        return prc_scan_whole(&r->scan, low, high, value, expected);
    int32_t number = 0;
    prc_result result = prc_scan_int32(&r->scan, &number);
    *value = number;
    if (!result && (*value < low || *value > high))
        result = prc_scan_fail(&r->scan, "found %d; expected %s", number, expected);
    return result;
}

/* Counts and tags of version 4. */
static prc_result get_size(reader *r, long long *value, const char *expected)
{
    if (!r->binary)
        return prc_scan_whole(&r->scan, 0, LLONG_MAX, value, expected);
    uint64_t number = 0;
    prc_result result = prc_scan_uint64(&r->scan, &number);
    *value = (long long)number;
    if (!result && *value < 0)
        result = prc_scan_fail(&r->scan, "found %llu; expected %s", (unsigned long long)number, expected);
    return result;
}

static prc_result get_real(reader *r, double *value, const char *expected)
{
    return r->binary ? prc_scan_real(&r->scan, 8, value) : prc_scan_number(&r->scan, value, expected);
}

/* ---- entities ---- */

static long long key_of(long long dimension, long long tag)
{
    return dimension * (1LL << 40) + llabs(tag);
}

static prc_result add_entity(reader *r, entities *list, entity item)
{
    if (list->count == list->capacity) {
        const int capacity = list->capacity ? 2 * list->capacity : 64;
        entity *grown = prc_grow(list->items, (size_t)list->count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(r->scan.error);
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return PRC_OK;
}

static int compare_keys(const void *left, const void *right)
{
    const entity *a = left, *b = right;
    return (a->key > b->key) - (a->key < b->key);
}

static const entity *find_entity(const entities *list, long long key)
{
    const entity wanted = {.key = key};
    if (!list->count)
        return NULL;
    return bsearch(&wanted, list->items, (size_t)list->count, sizeof *list->items, compare_keys);
}

static void sort_entities(entities *list)
{
    if (list->count)
        qsort(list->items, (size_t)list->count, sizeof *list->items, compare_keys);
}

/* The group of a physical tag, by its name or by its number; −1 for tag 0, which is none. */
static prc_result find_group(reader *r, long long dimension, long long tag, int *group)
{
    static const char *const kinds[4] = {"point", "line", "surface", "volume"};
    const entity *named = find_entity(&r->physical_names, key_of(dimension, tag));
    *group = named ? named->group : -1;
    if (named || !tag || dimension < 0 || dimension > 3)
        return PRC_OK;
    char name[60];
    snprintf(name, sizeof name, "%s_%lld", kinds[dimension], llabs(tag));
    *group = prc_groups_find(&r->groups, name, strlen(name), r->scan.path, r->scan.error);
    return *group < 0 ? r->scan.error->code : PRC_OK;
}

/* dimension tag "name" */
static prc_result read_physical_names(reader *r)
{
    long long count, dimension, tag;
    prc_result result = prc_scan_whole(&r->scan, 0, INT_MAX, &count, "the number of physical names");
    for (long long k = 0; k < count && !result; k++) {
        result = prc_scan_whole(&r->scan, 0, 3, &dimension, "a dimension, 0 to 3");
        if (!result)
            result = prc_scan_whole(&r->scan, INT_MIN, INT_MAX, &tag, "the tag of a physical group");
        if (result)
            return result;
        size_t length;
        const char *name = prc_scan_rest(&r->scan, &length);
        if (length < 2 || name[0] != '"' || name[length - 1] != '"')
            return prc_scan_fail(&r->scan, "found '%.*s'; expected a name in quotes",
                                 (int)(length < PRC_SCAN_FOUND ? length : PRC_SCAN_FOUND), name);
        const int group = prc_groups_find(&r->groups, name + 1, length - 2, r->scan.path, r->scan.error);
        if (group < 0)
            return r->scan.error->code;
        result = add_entity(r, &r->physical_names, (entity){.key = key_of(dimension, tag), .group = group});
    }
    sort_entities(&r->physical_names);
    return result;
}

static prc_result read_entity(reader *r, int dimension)
{
    long long tag, tags, value;
    double skipped;
    prc_result result = get_int(r, INT_MIN, INT_MAX, &tag, "the tag of an entity");
    for (int k = 0; k < (dimension ? 6 : 3) && !result; k++)
        result = get_real(r, &skipped, "the bounds of an entity");
    if (!result)
        result = get_size(r, &tags, "the number of physical tags");
    if (!result && tags > MOST_PHYSICAL)
        result = prc_scan_fail(&r->scan, "found an entity with %lld physical tags; expected at most %d", tags,
                               MOST_PHYSICAL);
    if (result)
        return result;
    entity item = {.key = key_of(dimension, tag), .first = r->physical_count, .count = (int)tags};
    for (long long k = 0; k < tags && !result; k++) {
        int group = -1;
        result = get_int(r, INT_MIN, INT_MAX, &value, "a physical tag");
        if (!result)
            result = find_group(r, dimension, value, &group);
        if (!result && r->physical_count == r->physical_capacity) {
            const int capacity = r->physical_capacity ? 2 * r->physical_capacity : 64;
            int *grown = prc_grow(r->physical, (size_t)r->physical_count, (size_t)capacity, sizeof *grown);
            if (!grown)
                return PRC_FAIL_MEMORY(r->scan.error);
            r->physical = grown;
            r->physical_capacity = capacity;
        }
        if (!result)
            r->physical[r->physical_count++] = group;
    }
    long long bounds = 0;
    if (!result && dimension)
        result = get_size(r, &bounds, "the number of bounding entities");
    for (long long k = 0; k < bounds && !result; k++)
        result = get_int(r, INT_MIN, INT_MAX, &value, "the tag of a bounding entity");
    return result ? result : add_entity(r, &r->entities, item);
}

static prc_result read_entities(reader *r)
{
    long long counts[4];
    prc_result result = PRC_OK;
    for (int d = 0; d < 4 && !result; d++)
        result = get_size(r, &counts[d], "the number of entities");
    for (int d = 0; d < 4 && !result; d++)
        for (long long k = 0; k < counts[d] && !result; k++)
            result = read_entity(r, d);
    sort_entities(&r->entities);
    return result;
}

/* ---- nodes ---- */

static int compare_tags(const void *left, const void *right)
{
    const node_tag *a = left, *b = right;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

static prc_result reserve_nodes(reader *r, long long count, size_t bytes)
{
    if (r->has_nodes)
        return prc_scan_fail(&r->scan, "found a second section $Nodes; expected one");
    prc_result result = prc_scan_room(&r->scan, count, bytes, "nodes");
    if (!result)
        result = prc_scan_vertices(&r->scan, count);
    if (result)
        return result;
    r->mesh->positions = PRC_NEW(double, 3 * (size_t)count);
    r->tags = PRC_NEW(node_tag, count);
    r->has_nodes = true;
    return r->mesh->positions && r->tags ? PRC_OK : PRC_FAIL_MEMORY(r->scan.error);
}

static prc_result finish_nodes(reader *r)
{
    const int count = r->mesh->vertex_count;
    r->plain_tags = true;
    for (int i = 0; i < count; i++)
        r->plain_tags = r->plain_tags && r->tags[i].tag == i + 1LL;
    if (r->plain_tags || !count)
        return PRC_OK;
    qsort(r->tags, (size_t)count, sizeof *r->tags, compare_tags);
    for (int i = 1; i < count; i++)
        if (r->tags[i].tag == r->tags[i - 1].tag)
            return prc_scan_fail(&r->scan, "node %lld is duplicated; expected different tags", r->tags[i].tag);
    return PRC_OK;
}

static prc_result read_position(reader *r, int vertex)
{
    prc_result result = PRC_OK;
    for (int k = 0; k < 3 && !result; k++)
        result = get_real(r, &r->mesh->positions[3 * (size_t)vertex + (size_t)k], "a finite number (a node's x y z)");
    return result;
}

static prc_result read_nodes_old(reader *r)
{
    long long count, tag = 0;
    prc_result result = prc_scan_whole(&r->scan, 0, LLONG_MAX, &count, "the number of nodes");
    if (!result)
        result = reserve_nodes(r, count, r->binary ? 28 : 8);
    if (!result && r->binary)
        prc_scan_next_line(&r->scan);
    for (int i = 0; !result && i < count; i++) {
        result = get_int(r, INT_MIN, INT_MAX, &tag, "the number of a node");
        if (!result)
            result = read_position(r, i);
        r->tags[i] = (node_tag){tag, i};
        r->mesh->vertex_count = i + 1;
    }
    return result ? result : finish_nodes(r);
}

/* A block: the tags of its nodes, then their places, with parameters where the block says so. */
static prc_result read_node_block(reader *r, long long total)
{
    long long dimension, tag, parametric, count;
    prc_result result = get_int(r, 0, 3, &dimension, "the dimension of an entity, 0 to 3");
    if (!result)
        result = get_int(r, INT_MIN, INT_MAX, &tag, "the tag of an entity");
    if (!result)
        result = get_int(r, 0, 1, &parametric, "0, or 1 for nodes with parameters");
    if (!result)
        result = get_size(r, &count, "the number of nodes in the block");
    if (!result && count > total - r->mesh->vertex_count)
        result = prc_scan_fail(&r->scan, "found a block of %lld nodes after %d others; expected %lld in total", count,
                               r->mesh->vertex_count, total);
    if (result)
        return result;
    const int first = r->mesh->vertex_count, last = first + (int)count;
    for (int i = first; i < last && !result; i++) {
        result = get_size(r, &r->tags[i].tag, "the tag of a node");
        r->tags[i].vertex = i;
    }
    for (int i = first; i < last && !result; i++) {
        double skipped;
        result = read_position(r, i);
        for (int k = 0; parametric && k < dimension && !result; k++)
            result = get_real(r, &skipped, "a node's parameter");
    }
    r->mesh->vertex_count = last;
    return result;
}

static prc_result read_nodes(reader *r)
{
    long long blocks, count, lowest, highest;
    if (r->old)
        return read_nodes_old(r);
    prc_result result = get_size(r, &blocks, "the number of blocks of nodes");
    if (!result)
        result = get_size(r, &count, "the number of nodes");
    if (!result)
        result = get_size(r, &lowest, "the lowest tag");
    if (!result)
        result = get_size(r, &highest, "the highest tag");
    if (!result)
        result = reserve_nodes(r, count, r->binary ? 32 : 8);
    for (long long b = 0; !result && b < blocks; b++)
        result = read_node_block(r, count);
    if (!result && r->mesh->vertex_count != count)
        result = prc_scan_fail(&r->scan, "the blocks contain %d nodes; expected %lld", r->mesh->vertex_count, count);
    return result ? result : finish_nodes(r);
}

/* ---- elements ---- */

static prc_result find_vertex(reader *r, long long tag, int *vertex)
{
    const node_tag wanted = {tag, 0}, *found = NULL;
    const int count = r->mesh->vertex_count;
    if (r->plain_tags && tag >= 1 && tag <= count)
        found = &r->tags[tag - 1];
    else if (!r->plain_tags)
        found = bsearch(&wanted, r->tags, (size_t)count, sizeof wanted, compare_tags);
    if (!found)
        return prc_scan_fail(&r->scan, "an element uses node %lld, which does not exist", tag);
    *vertex = found->vertex;
    return PRC_OK;
}

/* What an element adds: a face, or members of groups. */
static prc_result add_element(reader *r, int type, const long long *nodes, const int *groups, int group_count)
{
    int vertices[8] = {0};
    prc_result result = PRC_OK;
    if (types[type].dimension == 3) {
        r->skipped[3]++;
        return PRC_OK;
    }
    for (int k = 0; k < types[type].corners && !result; k++) {
        result = find_vertex(r, nodes[k], &vertices[k]);
        for (int g = 0; g < group_count && !result; g++)
            if (groups[g] >= 0)
                result = prc_groups_add(&r->groups, groups[g], vertices[k], r->scan.error);
    }
    if (types[type].dimension < 2) {
        r->skipped[types[type].dimension]++;
        return result;
    }
    r->curved += types[type].nodes > types[type].corners;
    for (int k = 0; k < types[type].corners && !result; k++)
        result = prc_faces_corner(&r->faces, vertices[k], 0);
    return result ? result : prc_faces_end(&r->faces);
}

static prc_result check_type(const reader *r, long long type)
{
    if (type > 0 && type < (long long)(sizeof types / sizeof *types) && types[type].nodes)
        return PRC_OK;
    return prc_scan_fail(&r->scan, "found unknown element type %lld", type);
}

static prc_result read_element_nodes(reader *r, int type, long long *nodes)
{
    prc_result result = PRC_OK;
    for (int k = 0; k < types[type].nodes && !result; k++)
        result = r->old ? get_int(r, INT_MIN, INT_MAX, &nodes[k], "the number of a node")
                        : get_size(r, &nodes[k], "the tag of a node");
    return result;
}

/* Number, tags (the first is the physical group) and nodes, after the type and the number of tags. */
static prc_result read_element_old(reader *r, int type, long long tags)
{
    long long nodes[MOST_NODES] = {0}, value, physical = 0;
    int group = -1;
    prc_result result = PRC_OK;
    for (long long k = 0; k < tags && !result; k++) {
        result = get_int(r, INT_MIN, INT_MAX, &value, "the tag of an element");
        physical = k ? physical : value;
    }
    if (!result)
        result = read_element_nodes(r, type, nodes);
    if (!result)
        result = find_group(r, types[type].dimension, physical, &group);
    return result ? result : add_element(r, type, nodes, &group, 1);
}

static prc_result read_elements_old(reader *r)
{
    long long count = 0, number, type = 0, follow = 1, tags = 0;
    prc_result result = prc_scan_whole(&r->scan, 0, LLONG_MAX, &count, "the number of elements");
    if (r->binary)
        prc_scan_next_line(&r->scan);
    for (long long k = 0; k < count && !result; k += follow) {
        /* In bytes: type, how many follow, tags; then each with its number. In text the number comes first. */
        if (!r->binary)
            result = get_int(r, INT_MIN, INT_MAX, &number, "the number of an element");
        if (!result)
            result = get_int(r, INT_MIN, INT_MAX, &type, "the type of an element");
        if (!result)
            result = check_type(r, type);
        if (!result && r->binary)
            result = get_int(r, 1, INT_MAX, &follow, "how many elements follow");
        if (!result)
            result = get_int(r, 0, MOST_TAGS, &tags, "the number of tags of an element");
        for (long long e = 0; e < follow && !result; e++) {
            if (r->binary)
                result = get_int(r, INT_MIN, INT_MAX, &number, "the number of an element");
            if (!result)
                result = read_element_old(r, (int)type, tags);
        }
    }
    return result;
}

static prc_result read_element_block(reader *r)
{
    long long dimension = 0, tag = 0, type = 0, count = 0, number, nodes[MOST_NODES] = {0};
    prc_result result = get_int(r, 0, 3, &dimension, "the dimension of an entity, 0 to 3");
    if (!result)
        result = get_int(r, INT_MIN, INT_MAX, &tag, "the tag of an entity");
    if (!result)
        result = get_int(r, INT_MIN, INT_MAX, &type, "the type of elements");
    if (!result)
        result = check_type(r, type);
    if (!result)
        result = get_size(r, &count, "the number of elements in the block");
    if (result)
        return result;
    const entity *of = find_entity(&r->entities, key_of(dimension, tag));
    for (long long e = 0; e < count && !result; e++) {
        result = get_size(r, &number, "the tag of an element");
        if (!result)
            result = read_element_nodes(r, (int)type, nodes);
        if (!result)
            result =
                add_element(r, (int)type, nodes, of && of->count ? r->physical + of->first : NULL, of ? of->count : 0);
    }
    return result;
}

static prc_result read_elements(reader *r)
{
    long long blocks, skipped;
    if (!r->has_nodes)
        return prc_scan_fail(&r->scan, "found $Elements before $Nodes; expected nodes first");
    if (r->old)
        return read_elements_old(r);
    prc_result result = get_size(r, &blocks, "the number of blocks of elements");
    for (int k = 0; k < 3 && !result; k++)
        result = get_size(r, &skipped, "the number and the tags of elements");
    for (long long b = 0; !result && b < blocks; b++)
        result = read_element_block(r);
    return result;
}

/* ---- sections ---- */

static prc_result read_format(reader *r)
{
    double version;
    long long kind, size;
    int32_t one = 0;
    prc_result result = prc_scan_number(&r->scan, &version, "a version of the MSH format: 2.2 or 4.1");
    if (result)
        return result;
    if (!(version >= 2 && version < 3) && version != 4.1)
        return prc_scan_fail(&r->scan, "found version %g; expected 2.2 or 4.1 (gmsh -format msh41 writes it)", version);
    r->old = version < 3;
    result = prc_scan_whole(&r->scan, 0, 1, &kind, "0 for text or 1 for binary");
    if (!result)
        result = prc_scan_whole(&r->scan, 8, 8, &size, "8, the size of a number");
    if (result || !kind)
        return result;
    prc_scan_next_line(&r->scan);
    r->binary = r->scan.bytes = true;
    result = prc_scan_int32(&r->scan, &one);
    r->scan.big = one != 1;
    if (!result && one != 1 && one != 0x01000000)
        result = prc_scan_fail(&r->scan, "found %d; expected the number 1 in either byte order", one);
    return result;
}

/* Moves past the end of a section that is not read. */
static prc_result skip_section(reader *r, const char *end)
{
    const size_t length = strlen(end);
    for (const char *at = r->scan.at; (at = memchr(at, '$', (size_t)(r->scan.end - at))); at++)
        if ((size_t)(r->scan.end - at) >= length && memcmp(at, end, length) == 0) {
            for (; r->scan.at < at; r->scan.at++)
                r->scan.line += *r->scan.at == '\n';
            return PRC_OK;
        }
    r->scan.at = r->scan.end;
    return PRC_OK; /* and the end is missed there */
}

static prc_result read_section(reader *r)
{
    char name[PRC_SCAN_WORD], end[PRC_SCAN_WORD + 8], expected[PRC_SCAN_WORD + 16];
    prc_scan before = r->scan;
    prc_scan_word(&r->scan, name);
    if (name[0] != '$')
        return prc_scan_unexpected(&before, "a section: $ and its name");
    snprintf(end, sizeof end, "$End%s", name + 1);
    prc_scan_next_line(&r->scan);
    prc_result result;
    if (!strcmp(name, "$MeshFormat"))
        result = read_format(r);
    else if (!strcmp(name, "$PhysicalNames"))
        result = read_physical_names(r);
    else if (!strcmp(name, "$Entities"))
        result = read_entities(r);
    else if (!strcmp(name, "$Nodes"))
        result = read_nodes(r);
    else if (!strcmp(name, "$Elements"))
        result = read_elements(r);
    else
        result = skip_section(r, end);
    if (result || prc_scan_accept(&r->scan, end))
        return result;
    snprintf(expected, sizeof expected, "'%s'", end);
    return prc_scan_unexpected(&r->scan, expected);
}

static prc_result read_sections(reader *r)
{
    prc_scan probe = r->scan;
    if (!prc_scan_accept(&probe, "$MeshFormat"))
        return prc_scan_fail(&r->scan, "this is not an MSH file; expected '$MeshFormat' as its first line");
    prc_result result = PRC_OK;
    while (!result && prc_scan_skip(&r->scan))
        result = read_section(r);
    if (!result && !r->faces.count && !(r->points && r->mesh->vertex_count))
        result = prc_fail(r->scan.error, PRC_ERROR_INPUT,
                          "%s: found %d nodes, no triangle or quadrilateral and %lld solids; expected a surface mesh",
                          r->scan.path, r->mesh->vertex_count, r->skipped[3]);
    return result;
}

static void note_skipped(const reader *r)
{
    static const char *const kinds[4] = {"points", "lines", "", "solids"};
    for (int d = 0; d < 4; d++)
        if (r->skipped[d])
            prc_mesh_note(r->report, "%lld %s skipped", r->skipped[d], kinds[d]);
    if (r->curved)
        prc_mesh_note(r->report, "%lld faces of higher order: only their corners are used", r->curved);
}

prc_result prc_msh_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error)
{
    reader r = {.mesh = mesh, .report = source->report, .points = source->points};
    r.scan = prc_scan_begin(source->path, source->data, source->size, error);
    r.faces = (prc_faces){.path = source->path, .error = error};
    prc_result result = read_sections(&r);
    if (!result)
        result = prc_faces_cut(&r.faces, mesh);
    if (!result)
        result = prc_groups_finish(&r.groups, mesh, error);
    if (!result)
        note_skipped(&r);
    prc_faces_release(&r.faces);
    prc_groups_release(&r.groups);
    prc_free(r.physical_names.items);
    prc_free(r.entities.items);
    prc_free(r.physical);
    prc_free(r.tags);
    return result;
}
