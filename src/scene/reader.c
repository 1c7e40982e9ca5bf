/* scene/reader.c — a tree into the structs of spec.h, led by the schema list.
 *
 * One function per kind of key; what concerns several keys of a table at once is in finish.c. Every error is
 * reported with its place and reading goes on, so that a person sees all of them at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/reader.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/keys_file.h"
#include "scene/names.h"
#include "scene/suggest.h"
#include "scene/variables.h"
#include "schema/schema.h"

typedef struct reader {
    const prc_scene_log *log;
    prc_variables *variables;
    const prc_node *root;    /* the whole scene */
    uint32_t material_given; /* keys of the material read last */
    uint32_t inherited;      /* material keys that the body gave, while its groups are read */
} reader;

static void read_table(reader *r, prc_table_id id, const prc_node *node, char *object, const char *path);

/* ---- reporting ---- */

/* Grows with everything that is wrong, said here or elsewhere. */
static int trouble(const reader *r)
{
    return r->log->errors->count + r->variables->silent;
}

#define REPORT(r, node, path, ...)                                                                                     \
    prc_scene_report((r)->log, PRC_ERROR_INPUT, (node)->origin, (node)->line, (node)->column, (path), __VA_ARGS__)

static void report_type(const reader *r, const prc_key *key, const prc_node *node, const char *path)
{
    char text[80], expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    REPORT(r, node, path, "found %s; expected %s", prc_node_found(node, text), expected);
}

/* ---- values ---- */

static bool is_whole(const prc_key *key)
{
    return key->type == PRC_KEY_INT || key->type == PRC_KEY_INTS || key->type == PRC_KEY_INT_LIST;
}

/* A number or an expression. A whole number may be missed by rounding where it is worked out: n * 0.1. */
static bool read_number(const reader *r, const prc_key *key, const prc_node *node, const char *path, double *value)
{
    const bool plain = prc_node_number(node, value);
    if (plain && prc_schema_allows(key, *value) && (!is_whole(key) || *value == floor(*value)))
        return true;
    char expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    if (node->kind != PRC_NODE_SCALAR && node->kind != PRC_NODE_BROKEN) {
        report_type(r, key, node, path);
        return false;
    }
    if (!plain && !prc_variables_evaluate(r->variables, node, path, expected, value))
        return false;
    const double nearest = round(*value);
    if (!plain && is_whole(key) && fabs(*value - nearest) <= 1e-9 * fabs(nearest))
        *value = nearest;
    if (!plain && prc_schema_allows(key, *value) && (!is_whole(key) || *value == nearest))
        return true;
    if (plain)
        REPORT(r, node, path, "%.50s is not allowed; expected %s", node->text, expected);
    else
        REPORT(r, node, path, "'%.50s' is %.10g, which is not allowed; expected %s", node->text, *value, expected);
    return false;
}

static void store(const prc_key *key, char *field, int index, double value)
{
    int whole = (int)(is_whole(key) ? value : 0);
    if (is_whole(key))
        memcpy(field + (size_t)index * sizeof whole, &whole, sizeof whole);
    else
        memcpy(field + (size_t)index * sizeof value, &value, sizeof value);
}

/* A list of `fewest` to `most` numbers. Returns how many were stored, −1 after an error. */
static int read_numbers(const reader *r, const prc_key *key, const prc_node *node, char *field, int fewest, int most,
                        const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count < fewest || node->count > most) {
        report_type(r, key, node, path);
        return -1;
    }
    int index = 0;
    bool good = true;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        double value;
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        if (read_number(r, key, child, item, &value))
            store(key, field, index, value);
        else
            good = false;
    }
    return good ? index : -1;
}

static void set_count(const prc_key *key, char *object, int count)
{
    memcpy(object + key->count_offset, &count, sizeof count);
}

static void read_pairs(const reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count < 2 || node->count > key->count) {
        report_type(r, key, node, path);
        return;
    }
    int index = 0;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        char *pair = object + key->offset + (size_t)index * 2 * sizeof(double);
        if (child->kind != PRC_NODE_LIST || child->count != 2)
            REPORT(r, child, item, "expected a pair [stretch, stress]");
        else
            read_numbers(r, key, child, pair, 2, 2, item);
    }
    set_count(key, object, index);
}

static void read_int_list(const reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        report_type(r, key, node, path);
        return;
    }
    int *values = PRC_NEW(int, node->count);
    if (!values) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    int count = read_numbers(r, key, node, (char *)values, 1, INT_MAX, path);
    memcpy(object + key->offset, &values, sizeof values);
    set_count(key, object, count > 0 ? count : 0);
}

/* Appends the points of a list, each [x, y, z]; false after an error. */
static bool read_points(const reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to,
                        const char *path)
{
    if (node->kind != PRC_NODE_LIST) {
        report_type(r, key, node, path);
        return false;
    }
    double *points =
        prc_grow(to->points, 3 * (size_t)to->point_count, 3 * (size_t)(to->point_count + node->count), sizeof *points);
    if (!points) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return false;
    }
    to->points = points;
    int index = 0;
    bool good = true;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE], text[80];
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        char *point = (char *)(to->points + 3L * to->point_count++);
        if (child->kind != PRC_NODE_LIST || child->count != 3) {
            REPORT(r, child, item, "found %s; expected a point [x, y, z]", prc_node_found(child, text));
            good = false;
        } else {
            good = read_numbers(r, key, child, point, 3, 3, item) == 3 && good;
        }
    }
    return good;
}

static void read_lines(const reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        report_type(r, key, node, path);
        return;
    }
    to->line_start = PRC_NEW(int, node->count + 1);
    if (!to->line_start) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    for (const prc_node *child = node->first; child; child = child->next) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, "%.180s[%d]", path, to->line_count);
        if (read_points(r, key, child, to, item) && child->count < 2)
            REPORT(r, child, item, "found %d points; a line needs at least 2", child->count);
        to->line_start[++to->line_count] = to->point_count;
    }
}

static int find_body(const reader *r, const prc_node *node, const char *path)
{
    return prc_scene_find_body(r->variables, r->root, node, path);
}

static void read_bodies(const reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count != key->count) {
        report_type(r, key, node, path);
        return;
    }
    int index = 0;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        const int body = find_body(r, child, item);
        memcpy(field + (size_t)index * sizeof body, &body, sizeof body);
    }
}

static void read_body_list(const reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        report_type(r, key, node, path);
        return;
    }
    int *bodies = PRC_NEW(int, node->count), index = 0;
    if (!bodies) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        bodies[index] = find_body(r, child, item);
    }
    memcpy(object + key->offset, &bodies, sizeof bodies);
    set_count(key, object, index);
}

static void read_bool(const reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    bool plain = node->kind == PRC_NODE_SCALAR && !node->quoted;
    bool value = plain && !strcmp(node->text, "true");
    static const char *const other[][2] = {{"yes", "true"}, {"on", "true"},   {"True", "true"},   {"TRUE", "true"},
                                           {"no", "false"}, {"off", "false"}, {"False", "false"}, {"FALSE", "false"}};
    const char *meant = NULL;
    for (size_t k = 0; plain && k < sizeof other / sizeof *other; k++)
        if (!strcmp(node->text, other[k][0]))
            meant = other[k][1];
    if (meant)
        REPORT(r, node, path, "found '%s'; expected true or false; did you mean '%s'?", node->text, meant);
    else if (!value && !(plain && !strcmp(node->text, "false")))
        report_type(r, key, node, path);
    else
        memcpy(field, &value, sizeof value);
}

static void read_name(const reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_SCALAR) {
        report_type(r, key, node, path);
        return;
    }
    for (int n = 0; key->names[n]; n++)
        if (!strcmp(key->names[n], node->text)) {
            memcpy(field, &n, sizeof n);
            return;
        }
    char expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    const char *near = prc_suggest(node->text, key->names);
    REPORT(r, node, path, "'%.50s' is not known; expected %s%s%s%s", node->text, expected,
           near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* What a file names stands beside it; later on all names are relative to the scene file. */
static char *copy_name(const reader *r, const prc_node *node, bool is_path)
{
    const bool inside = is_path && node->origin < -1 && node->text[0] != '/';
    const char *folder = inside ? r->log->sources->items[-1 - node->origin].folder : "";
    const size_t size = strlen(folder) + strlen(node->text) + 1;
    char *copy = prc_alloc(size, 1);
    if (copy)
        snprintf(copy, size, "%s%s", folder, node->text);
    return copy;
}

static void read_text(const reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_SCALAR || !node->text[0]) {
        report_type(r, key, node, path);
        return;
    }
    char *copy = copy_name(r, node, key->is_path);
    if (!copy)
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
    memcpy(field, &copy, sizeof copy);
}

/* ---- tables ---- */

/* The word `all` may stand for a selection. */
static bool read_all(prc_table_id id, const prc_node *node, void *object)
{
    if (id != PRC_TABLE_select || node->kind != PRC_NODE_SCALAR || strcmp(node->text, "all") != 0)
        return false;
    prc_select_spec *select = object;
    select->all = true;
    select->mark = (prc_scene_mark){1, node->line, node->column, node->origin, false};
    return true;
}

static void read_subtable(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (read_all(key->table, node, object + key->table_offset))
        return;
    if (node->kind != PRC_NODE_MAP)
        report_type(r, key, node, path);
    else
        read_table(r, key->table, node, object + key->table_offset, path);
}

static void read_items(reader *r, const prc_key *key, const prc_node *node, char *items, const char *path)
{
    int index = 0;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE], text[80];
        char *object = items + (size_t)index * prc_schema_table(key->table)->size;
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        if (read_all(key->table, child, object))
            continue;
        if (child->kind != PRC_NODE_MAP)
            REPORT(r, child, item, "found %s; expected a table of %s keys", prc_node_found(child, text),
                   prc_schema_table(key->table)->name);
        else
            read_table(r, key->table, child, object, item);
    }
}

static void read_array(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count < 1 || node->count > key->count) {
        report_type(r, key, node, path);
        return;
    }
    for (int i = 0; i < node->count; i++)
        prc_schema_default(key->table, object + key->offset + (size_t)i * prc_schema_table(key->table)->size, false);
    set_count(key, object, node->count);
    read_items(r, key, node, object + key->offset, path);
}

/* The keys of a motion from the file that a scalar names. */
static void read_list_file(const reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    char file[1024];
    prc_pose_key *keys = NULL;
    int count = 0;
    prc_error error;
    char *name = copy_name(r, node, true);
    prc_result result = !name ? PRC_FAIL_MEMORY(&error)
                        : prc_scene_file(r->log, name, file, sizeof file)
                            ? prc_keys_read(file, &keys, &count, &error)
                            : prc_fail(&error, PRC_ERROR_INPUT, "the path of the file is too long");
    prc_free(name);
    if (result)
        prc_scene_report(r->log, result, node->origin, node->line, node->column, path, "%s", error.message);
    const void *owned = keys;
    memcpy(object + key->offset, &owned, sizeof owned);
    set_count(key, object, count);
}

/* One table in place of a list of them. */
static void read_list_of_one(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    char *item = prc_alloc(1, prc_schema_table(key->table)->size);
    if (!item) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    prc_schema_default(key->table, item, false);
    memcpy(object + key->offset, &item, sizeof item);
    set_count(key, object, 1);
    if (!read_all(key->table, node, item))
        read_table(r, key->table, node, item, path);
}

static bool stands_for_one(const prc_key *key, const prc_node *node)
{
    prc_select_spec none;
    return key->also == PRC_ALSO_ONE && (node->kind == PRC_NODE_MAP || read_all(key->table, node, &none));
}

static void read_list(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    size_t size = prc_schema_table(key->table)->size;
    if (key->also == PRC_ALSO_FILE && node->kind == PRC_NODE_SCALAR && node->text[0]) {
        read_list_file(r, key, node, object, path);
        return;
    }
    if (stands_for_one(key, node)) {
        read_list_of_one(r, key, node, object, path);
        return;
    }
    if (node->kind != PRC_NODE_LIST || (node->count == 0 && key->required)) {
        report_type(r, key, node, path);
        return;
    }
    char *items = prc_alloc((size_t)node->count, size);
    if (!items) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    for (int i = 0; i < node->count; i++) {
        prc_schema_default(key->table, items + (size_t)i * size, false);
        /* A group starts from the material of its body, which stands before it in the schema and so is read already. */
        if (key->table == PRC_TABLE_group)
            ((prc_group_spec *)items)[i].material = ((prc_body_spec *)object)->def.material;
    }
    memcpy(object + key->offset, &items, sizeof items);
    set_count(key, object, node->count);
    uint32_t outer = r->inherited;
    r->inherited = key->table == PRC_TABLE_group ? r->material_given : 0;
    read_items(r, key, node, items, path);
    r->inherited = outer;
}

static void read_key(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    char *field = object + key->offset;
    double value;
    int count;
    if (node->kind == PRC_NODE_BROKEN) {
        r->variables->silent++;
        return;
    }
    switch (key->type) {
    case PRC_KEY_REAL:
    case PRC_KEY_INT:
        if (read_number(r, key, node, path, &value))
            store(key, field, 0, value);
        break;
    case PRC_KEY_VECTOR:
    case PRC_KEY_INTS:
        read_numbers(r, key, node, field, key->count, key->count, path);
        break;
    case PRC_KEY_BODIES:
        read_bodies(r, key, node, field, path);
        break;
    case PRC_KEY_BODY:
        count = find_body(r, node, path);
        memcpy(field, &count, sizeof count);
        break;
    case PRC_KEY_BODYLIST:
        read_body_list(r, key, node, object, path);
        break;
    case PRC_KEY_REALS:
        count = read_numbers(r, key, node, field, 1, key->count, path);
        set_count(key, object, count > 0 ? count : 0);
        break;
    case PRC_KEY_PAIRS:
        read_pairs(r, key, node, object, path);
        break;
    case PRC_KEY_INT_LIST:
        read_int_list(r, key, node, object, path);
        break;
    case PRC_KEY_POINTS:
        read_points(r, key, node, (prc_points_spec *)(void *)field, path);
        break;
    case PRC_KEY_LINES:
        read_lines(r, key, node, (prc_points_spec *)(void *)field, path);
        break;
    case PRC_KEY_SYMBOLS:
        if (node->kind != PRC_NODE_MAP)
            report_type(r, key, node, path);
        memcpy(field, &r->variables->count, sizeof(int));
        break;
    case PRC_KEY_INCLUDE: /* taken out of the tree when it is done; one that is left came too late */
        REPORT(r, node, path, "cannot be set; write it into the scene file");
        break;
    case PRC_KEY_BOOL:
        read_bool(r, key, node, field, path);
        break;
    case PRC_KEY_ENUM:
        read_name(r, key, node, field, path);
        break;
    case PRC_KEY_TEXT:
        read_text(r, key, node, field, path);
        break;
    case PRC_KEY_TABLE:
        read_subtable(r, key, node, object, path);
        break;
    case PRC_KEY_ARRAY:
        read_array(r, key, node, object, path);
        break;
    case PRC_KEY_LIST:
        read_list(r, key, node, object, path);
        break;
    case PRC_KEY_VARIANT:
        if (node->kind == PRC_NODE_MAP)
            read_table(r, key->table, node, object + key->table_offset, path);
        else
            read_name(r, key, node, field, path);
        break;
    }
}

/* ---- all of it ---- */

/* Keys are read in the order of the schema, whatever the order in the file. */
static void read_table(reader *r, prc_table_id id, const prc_node *node, char *object, const char *path)
{
    const prc_table *table = prc_schema_table(id);
    const int before = trouble(r);
    uint32_t given = 0;
    if (id == PRC_TABLE_body)
        r->material_given = 0;
    for (const prc_node *child = node->first; child; child = child->next)
        if (prc_schema_find(table, child->key) < 0) {
            char at[PRC_PATH_SIZE];
            snprintf(at, sizeof at, "%.120s%s%.60s", path, path[0] ? "." : "", child->key);
            prc_scene_report_unknown(r->log, table, child, at);
        }
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        const prc_node *child = prc_node_find(node, key->name);
        char at[PRC_PATH_SIZE];
        snprintf(at, sizeof at, "%.140s%s%s", path, path[0] ? "." : "", key->name);
        if (!child && key->required && !prc_scene_is_misspelt(table, node, key->name)) {
            char expected[300];
            prc_schema_expected(key, expected, sizeof expected);
            REPORT(r, node, at, "missing; expected %s", expected);
        }
        if (!child)
            continue;
        given |= 1u << k;
        read_key(r, key, child, object, at);
    }
    if (id == PRC_TABLE_material)
        r->material_given = given;
    const prc_read_table read = {r->log, given, r->inherited, node, path, trouble(r) == before};
    prc_scene_finish_table(&read, id, object);
    if (table->mark_offset != PRC_NO_MARK) {
        prc_scene_mark mark = {given, node->line, node->column, node->origin, trouble(r) != before};
        memcpy(object + table->mark_offset, &mark, sizeof mark);
    }
}

void prc_scene_read_tree(const prc_scene_log *log, const prc_node *root, prc_scene_spec *spec)
{
    reader r = {.log = log, .root = root, .variables = PRC_NEW(prc_variables, 1)};
    char text[80];
    if (!r.variables) {
        prc_scene_report(log, PRC_ERROR_MEMORY, -1, 0, 0, "", "out of memory");
        return;
    }
    if (root->kind == PRC_NODE_NULL) {
        REPORT(&r, root, "", "the file is empty; expected a scene, which begins with 'percale: 1'");
    } else if (root->kind != PRC_NODE_MAP) {
        REPORT(&r, root, "", "found %s; expected a scene, which begins with 'percale: 1'", prc_node_found(root, text));
    } else {
        prc_variables_read(r.variables, log, prc_node_find(root, "variables"));
        read_table(&r, PRC_TABLE_scene, root, (char *)spec, "");
    }
    prc_free(r.variables);
}
