/* scene/reader.c — reads a tree into the structs of spec.h, driven by the schema list.
 *
 * Tables are read here, single values in values.c; checks that involve several keys of a table are in finish.c. Every
 * error is reported with its place and reading continues, so that all errors are reported at once.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/keys_file.h"
#include "scene/names.h"
#include "scene/values.h"
#include "schema/schema.h"

typedef prc_reader reader;

static void read_table(reader *r, prc_table_id id, const prc_node *node, char *object, const char *path);

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
        prc_reader_report_type(r, key, node, path);
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
        prc_reader_report_type(r, key, node, path);
        return;
    }
    for (int i = 0; i < node->count; i++)
        prc_schema_default(key->table, object + key->offset + (size_t)i * prc_schema_table(key->table)->size, false);
    prc_reader_set_count(key, object, node->count);
    read_items(r, key, node, object + key->offset, path);
}

/* The keys of a motion from the file that a scalar names. */
static void read_list_file(const reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    char file[1024];
    prc_pose_key *keys = NULL;
    int count = 0;
    prc_error error;
    char *name = prc_reader_copy_name(r, node, true);
    prc_result result = !name ? PRC_FAIL_MEMORY(&error)
                        : prc_scene_file(r->log, name, file, sizeof file)
                            ? prc_keys_read(file, &keys, &count, &error)
                            : prc_fail(&error, PRC_ERROR_INPUT, "the path of the file is too long");
    prc_free(name);
    if (result)
        prc_scene_report(r->log, result, node->origin, node->line, node->column, path, "%s", error.message);
    void *list = keys;
    memcpy(object + key->offset, &list, sizeof list);
    prc_reader_set_count(key, object, count);
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
    prc_reader_set_count(key, object, 1);
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
        prc_reader_report_type(r, key, node, path);
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
    prc_reader_set_count(key, object, node->count);
    prc_key_set outer = r->inherited;
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
        if (prc_read_number(r, key, node, path, &value))
            prc_reader_store(key, field, 0, value);
        break;
    case PRC_KEY_VECTOR:
    case PRC_KEY_INTS:
        prc_read_numbers(r, key, node, field, key->count, key->count, path);
        break;
    case PRC_KEY_BODIES:
        prc_read_bodies(r, key, node, field, path);
        break;
    case PRC_KEY_BODY:
        count = prc_reader_find_body(r, node, path);
        memcpy(field, &count, sizeof count);
        break;
    case PRC_KEY_BODYLIST:
        prc_read_body_list(r, key, node, object, path);
        break;
    case PRC_KEY_REALS:
        count = prc_read_numbers(r, key, node, field, 1, key->count, path);
        prc_reader_set_count(key, object, count > 0 ? count : 0);
        break;
    case PRC_KEY_PAIRS:
        prc_read_pairs(r, key, node, object, path);
        break;
    case PRC_KEY_INT_LIST:
        prc_read_int_list(r, key, node, object, path);
        break;
    case PRC_KEY_POINTS:
        prc_read_points(r, key, node, (prc_points_spec *)(void *)field, path);
        break;
    case PRC_KEY_LINES:
        prc_read_lines(r, key, node, (prc_points_spec *)(void *)field, path);
        break;
    case PRC_KEY_SYMBOLS:
        if (node->kind != PRC_NODE_MAP)
            prc_reader_report_type(r, key, node, path);
        memcpy(field, &r->variables->count, sizeof(int));
        break;
    case PRC_KEY_INCLUDE: /* taken out of the tree when it is done; one that is left came too late */
        REPORT(r, node, path, "cannot be set here; write it into the scene file");
        break;
    case PRC_KEY_BOOL:
        prc_read_bool(r, key, node, field, path);
        break;
    case PRC_KEY_ENUM:
        prc_read_name(r, key, node, field, path);
        break;
    case PRC_KEY_NAMES:
        prc_read_names(r, key, node, field, path);
        break;
    case PRC_KEY_TEXT:
        prc_read_text(r, key, node, field, path);
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
            prc_read_name(r, key, node, field, path);
        break;
    }
}

/* Keys are read in the order of the schema, whatever the order in the file. */
static void read_table(reader *r, prc_table_id id, const prc_node *node, char *object, const char *path)
{
    const prc_table *table = prc_schema_table(id);
    const int before = prc_reader_trouble(r);
    prc_key_set given = 0;
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
        given |= (prc_key_set)1 << k;
        read_key(r, key, child, object, at);
    }
    if (id == PRC_TABLE_material)
        r->material_given = given;
    const prc_read_table read = {r->log, given, r->inherited, node, path, prc_reader_trouble(r) == before};
    prc_scene_finish_table(&read, id, object);
    if (table->mark_offset != PRC_NO_MARK) {
        prc_scene_mark mark = {given, node->line, node->column, node->origin, prc_reader_trouble(r) != before};
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
