/* scene/reader.c — a tree into the structs of spec.h, led by the schema list.
 *
 * One function per kind of key; what concerns several keys of a table at once is in finish_table. Every error is
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
#include "scene/suggest.h"
#include "scene/variables.h"
#include "schema/schema.h"

#define MOST_VERTICES 20e6

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

/* What stands in the file, for "found …". */
static const char *found(const prc_node *node, char text[80])
{
    switch (node->kind) {
    case PRC_NODE_NULL:
        return "nothing";
    case PRC_NODE_LIST:
        snprintf(text, 80, "a list of %d", node->count);
        return text;
    case PRC_NODE_MAP:
        return "a table";
    case PRC_NODE_BROKEN:
        return "a mistake";
    default:
        snprintf(text, 80, node->quoted ? "the text \"%.50s\"" : "'%.50s'", node->text);
        return text;
    }
}

static void report_type(const reader *r, const prc_key *key, const prc_node *node, const char *path)
{
    char text[80], expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    REPORT(r, node, path, "found %s; expected %s", found(node, text), expected);
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
            REPORT(r, child, item, "found %s; expected a point [x, y, z]", found(child, text));
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

/* The bodies of a scene in the order of their numbers are those of these lists, one after the other. */
static const char *const body_lists[] = {"bodies", "obstacles", NULL};

/* How many bodies an item of these lists stands for: its instances. What is wrong with them is said where they are
 * read.
 */
static int count_instances(const reader *r, const prc_node *body)
{
    const prc_node *instances = body->kind == PRC_NODE_MAP ? prc_node_find(body, "instances") : NULL;
    const prc_node *count = instances && instances->kind == PRC_NODE_MAP ? prc_node_find(instances, "count") : NULL;
    double value = 0;
    prc_scene_errors *aside = count && !prc_node_number(count, &value) ? PRC_NEW(prc_scene_errors, 1) : NULL;
    if (aside) {
        prc_scene_log quiet = *r->log;
        const prc_scene_log *log = r->variables->log;
        quiet.errors = aside;
        r->variables->log = &quiet;
        if (!prc_variables_evaluate(r->variables, count, "", "", &value))
            value = 0;
        r->variables->log = log;
        prc_free(aside);
    }
    return value >= 1 && value <= 1e6 ? (int)round(value) : 1;
}

/* Whether a text is the name of a body, or of one of its instances, name_0 and so on; then *instance says which. */
static bool is_called(const char *text, const char *name, bool instances, int count, int *instance)
{
    const size_t length = strlen(name);
    *instance = 0;
    if (!instances)
        return !strcmp(text, name);
    if (strncmp(text, name, length) != 0 || text[length] != '_' || !text[length + 1])
        return false;
    char *end, again[20];
    long number = strtol(text + length + 1, &end, 10);
    if (*end || number < 0 || number >= count)
        return false;
    *instance = (int)number;
    snprintf(again, sizeof again, "%ld", number);
    return !strcmp(again, text + length + 1);
}

/* The number of the body that a node names, or says; −1 after an error. */
static int find_body(const reader *r, const prc_node *node, const char *path)
{
    const char *names[101] = {NULL}; /* for the suggestion; a hundred are enough for that */
    char text[80], hint[160] = "";
    int count = 0, known = 0;
    double value;
    for (int list = 0; body_lists[list]; list++) {
        const prc_node *bodies = prc_node_find(r->root, body_lists[list]);
        for (const prc_node *body = bodies ? bodies->first : NULL; body; body = body->next) {
            const prc_node *name = body->kind == PRC_NODE_MAP ? prc_node_find(body, "name") : NULL;
            const bool several = body->kind == PRC_NODE_MAP && prc_node_find(body, "instances");
            const int instances = count_instances(r, body), first = count;
            int instance;
            count += instances;
            if (!name || name->kind != PRC_NODE_SCALAR || node->kind != PRC_NODE_SCALAR)
                continue;
            if (is_called(node->text, name->text, several, instances, &instance))
                return first + instance;
            if (several && !strcmp(name->text, node->text))
                snprintf(hint, sizeof hint, "; its instances are %.40s_0 to %.40s_%d", name->text, name->text,
                         instances - 1);
            if (known < 100)
                names[known++] = name->text;
        }
    }
    if (prc_node_number(node, &value) && value >= 0 && value < count && value == floor(value))
        return (int)value;
    const char *near = node->kind == PRC_NODE_SCALAR && !hint[0] ? prc_suggest(node->text, names) : NULL;
    if (near)
        snprintf(hint, sizeof hint, "; did you mean '%.60s'?", near);
    REPORT(r, node, path, "%s is not a body; expected a name of one, or a number from 0 to %d%s", found(node, text),
           count - 1, hint);
    return -1;
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

static void read_text(const reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_SCALAR || !node->text[0]) {
        report_type(r, key, node, path);
        return;
    }
    /* What a file names stands beside it; later on all names are relative to the scene file. */
    const bool inside = key->is_path && node->origin < -1 && node->text[0] != '/';
    const char *folder = inside ? r->log->sources->items[-1 - node->origin].folder : "";
    const size_t size = strlen(folder) + strlen(node->text) + 1;
    char *copy = prc_alloc(size, 1);
    if (copy)
        snprintf(copy, size, "%s%s", folder, node->text);
    else
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
    memcpy(field, &copy, sizeof copy);
}

/* ---- tables ---- */

static void read_subtable(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (key->table == PRC_TABLE_select && node->kind == PRC_NODE_SCALAR && !strcmp(node->text, "all")) {
        prc_select_spec *select = (prc_select_spec *)(object + key->table_offset);
        select->all = true;
        select->mark = (prc_scene_mark){1, node->line, node->column, node->origin, false};
        return;
    }
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
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        if (child->kind != PRC_NODE_MAP)
            REPORT(r, child, item, "found %s; expected a table of %s keys", found(child, text),
                   prc_schema_table(key->table)->name);
        else
            read_table(r, key->table, child, items + (size_t)index * prc_schema_table(key->table)->size, item);
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

static void read_list(reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    size_t size = prc_schema_table(key->table)->size;
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

/* "material.density", where a table below this one has the key; else NULL. */
static const char *find_below(const prc_table *table, const char *key, char text[80])
{
    for (int k = 0; k < table->key_count; k++)
        if (table->keys[k].type == PRC_KEY_TABLE && prc_schema_find(prc_schema_table(table->keys[k].table), key) >= 0) {
            snprintf(text, 80, "%s.%.40s", table->keys[k].name, key);
            return text;
        }
    return NULL;
}

static const char *nearest_key(const prc_table *table, const char *word)
{
    const char *names[33] = {NULL};
    for (int k = 0; k < table->key_count; k++)
        names[k] = table->keys[k].name;
    return prc_suggest(word, names);
}

static void report_unknown(const reader *r, const prc_table *table, const prc_node *node, const char *path)
{
    char list[400] = "", below[80];
    for (int k = 0; k < table->key_count; k++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", k ? ", " : "", table->keys[k].name);
    }
    const char *near = nearest_key(table, node->key);
    if (!near)
        near = find_below(table, node->key, below);
    if (near)
        prc_scene_report(r->log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "unknown key; did you mean '%s'?", near);
    else
        prc_scene_report(r->log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "unknown key; expected one of %s", list);
}

/* Whether a key that is missing is there under a name that is nearly its own, which has been reported. */
static bool is_misspelt(const prc_table *table, const prc_node *node, const char *key)
{
    for (const prc_node *child = node->first; child; child = child->next) {
        const char *near = prc_schema_find(table, child->key) < 0 ? nearest_key(table, child->key) : NULL;
        if (near && !strcmp(near, key))
            return true;
    }
    return false;
}

/* ---- what concerns several keys ---- */

#define GIVEN(given, id, name) ((given) >> prc_schema_find(prc_schema_table(PRC_TABLE_##id), name) & 1u)

static void finish_mesh(const reader *r, uint32_t given, const prc_node *node, const char *path)
{
    static const char *const beside[] = {"vertices", "split_texture", "mend"};
    int shapes = node->count;
    const char *last = NULL;
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++)
        if (GIVEN(given, mesh, beside[k])) {
            shapes--;
            last = beside[k];
        }
    if (shapes != 1)
        REPORT(
            r, node, path,
            "%d shapes given; expected exactly one of grid, strip, disc, cylinder, cone, sphere, torus, ribbon, file",
            shapes);
    else if (last && !GIVEN(given, mesh, "file"))
        REPORT(r, node, path, "%s belongs to file; take it away, or name a file", last);
}

static void finish_cells(const reader *r, const int cells[2], const prc_node *node, const char *path)
{
    double vertices = ((double)cells[0] + 1) * ((double)cells[1] + 1);
    if (vertices > MOST_VERTICES)
        REPORT(r, node, path, "%d × %d cells make %.3g million vertices; at most 20 million are possible", cells[0],
               cells[1], vertices / 1e6);
}

static void finish_axis(const reader *r, const double axis[3], const prc_node *node, const char *path)
{
    if (axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        REPORT(r, node, path, "the axis [0, 0, 0] has no direction");
}

static void finish_span(const reader *r, double from, double until, const prc_node *node, const char *path)
{
    if (until < from)
        REPORT(r, node, path, "until %.10g s lies before from %.10g s", until, from);
}

static void finish_box(const reader *r, const prc_box_spec *box, const prc_node *node, const char *path)
{
    for (int c = 0; c < 3; c++)
        if (box->min[c] > box->max[c])
            REPORT(r, node, path, "min %.10g is larger than max %.10g along %c", box->min[c], box->max[c], "xyz"[c]);
}

/* Young's modulus and thickness, where given, take the place of the default stretch and bending. */
static void finish_material(const reader *r, prc_material_def *def, uint32_t given, const prc_node *node,
                            const char *path, bool clean)
{
    bool changed = GIVEN(given, material, "young") || GIVEN(given, material, "thickness");
    uint32_t all = given | r->inherited;
    if (changed && def->young > 0 && def->thickness > 0) {
        if (!GIVEN(all, material, "stretch"))
            def->stretch = 0;
        if (!GIVEN(all, material, "bending"))
            def->bending = -1;
    }
    prc_error error;
    if (clean && prc_schema_check_material(def, path, &error))
        REPORT(r, node, "", "%s", error.message);
}

static void finish_motion(const reader *r, prc_pin_def *pin, uint32_t given, const prc_node *node, const char *path)
{
    if (GIVEN(given, motion, "rotation"))
        pin->motion = PRC_MOTION_ROTATION;
    else if (GIVEN(given, motion, "velocity"))
        pin->motion = PRC_MOTION_VELOCITY;
    else
        REPORT(r, node, path, "an empty table; expected velocity, rotation or both");
}

static void finish_obstacle(const reader *r, const prc_obstacle_spec *o, uint32_t given, const prc_node *node,
                            const char *path, bool clean)
{
    if (clean && !GIVEN(given, obstacle, "mesh") && o->points.point_count == 0 && o->polylines.point_count == 0)
        REPORT(r, node, path, "nothing to collide with; expected mesh, points or polylines");
}

static void finish_animation(const reader *r, uint32_t given, const prc_node *node, const char *path)
{
    if (GIVEN(given, animation, "file") == GIVEN(given, animation, "pattern"))
        REPORT(r, node, path, "expected one of file and pattern");
}

static void finish_end(const reader *r, uint32_t given, const prc_node *node, const char *path)
{
    static const char *const keys[] = {"vertex", "edge", "vertices", "select", "point"};
    const prc_table *table = prc_schema_table(PRC_TABLE_end);
    int count = 0;
    for (int k = 0; k < 5; k++)
        count += (int)(given >> prc_schema_find(table, keys[k]) & 1u);
    if (count != 1)
        REPORT(r, node, path, "%d of vertex, edge, vertices, select and point given; expected exactly one", count);
    else if (GIVEN(given, end, "at") && !GIVEN(given, end, "edge"))
        REPORT(r, node, path, "at belongs to edge; take it away, or name an edge");
    else if (GIVEN(given, end, "body") && GIVEN(given, end, "point"))
        REPORT(r, node, path, "a point is a fixed place and belongs to no body; take body away, or name a vertex");
}

static void finish_seam(const reader *r, uint32_t given, const prc_node *node, const char *path)
{
    const bool file = GIVEN(given, seam, "stitches"), tie = GIVEN(given, seam, "tie"), to = GIVEN(given, seam, "to");
    if (file ? tie || to : !tie || !to)
        REPORT(r, node, path, "expected either stitches, or tie and to");
}

static void finish_table(const reader *r, prc_table_id id, char *object, uint32_t given, const prc_node *node,
                         const char *path, bool clean)
{
    switch (id) {
    case PRC_TABLE_mesh:
        finish_mesh(r, given, node, path);
        break;
    case PRC_TABLE_grid:
        finish_cells(r, ((prc_grid_def *)object)->cells, node, path);
        break;
    case PRC_TABLE_strip:
        finish_cells(r, ((prc_strip_spec *)object)->cells, node, path);
        break;
    case PRC_TABLE_cylinder:
        finish_cells(r, ((prc_cylinder_spec *)object)->cells, node, path);
        break;
    case PRC_TABLE_cone:
        finish_cells(r, ((prc_cone_spec *)object)->cells, node, path);
        break;
    case PRC_TABLE_torus:
        finish_cells(r, ((prc_torus_spec *)object)->cells, node, path);
        break;
    case PRC_TABLE_ribbon:
        finish_cells(r, ((prc_ribbon_def *)object)->cells, node, path);
        break;
    case PRC_TABLE_instance_turn:
        finish_axis(r, ((prc_instance_turn_spec *)object)->axis, node, path);
        break;
    case PRC_TABLE_rotate:
        finish_axis(r, ((prc_rotate_spec *)object)->axis, node, path);
        break;
    case PRC_TABLE_spin:
        finish_axis(r, ((prc_spin_spec *)object)->axis, node, path);
        break;
    case PRC_TABLE_rotation:
        finish_axis(r, ((prc_pin_def *)object)->axis, node, path);
        break;
    case PRC_TABLE_obstacle:
        finish_obstacle(r, (prc_obstacle_spec *)object, given, node, path, clean);
        break;
    case PRC_TABLE_animation:
        finish_animation(r, given, node, path);
        break;
    case PRC_TABLE_box:
        finish_box(r, (prc_box_spec *)object, node, path);
        break;
    case PRC_TABLE_material:
        finish_material(r, (prc_material_def *)object, given, node, path, clean);
        break;
    case PRC_TABLE_motion:
        finish_motion(r, (prc_pin_def *)object, given, node, path);
        break;
    case PRC_TABLE_pin:
        finish_span(r, ((prc_pin_def *)object)->from, ((prc_pin_def *)object)->until, node, path);
        break;
    case PRC_TABLE_spring:
        finish_span(r, ((prc_spring_def *)object)->from, ((prc_spring_def *)object)->until, node, path);
        break;
    case PRC_TABLE_seam:
        finish_span(r, ((prc_spring_def *)object)->from, ((prc_spring_def *)object)->until, node, path);
        finish_seam(r, given, node, path);
        break;
    case PRC_TABLE_end:
        finish_end(r, given, node, path);
        break;
    case PRC_TABLE_force:
        finish_span(r, ((prc_force_def *)object)->from, ((prc_force_def *)object)->until, node, path);
        break;
    default:
        break;
    }
}

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
            report_unknown(r, table, child, at);
        }
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        const prc_node *child = prc_node_find(node, key->name);
        char at[PRC_PATH_SIZE];
        snprintf(at, sizeof at, "%.140s%s%s", path, path[0] ? "." : "", key->name);
        if (!child && key->required && !is_misspelt(table, node, key->name)) {
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
    finish_table(r, id, object, given, node, path, trouble(r) == before);
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
        REPORT(&r, root, "", "found %s; expected a scene, which begins with 'percale: 1'", found(root, text));
    } else {
        prc_variables_read(r.variables, log, prc_node_find(root, "variables"));
        read_table(&r, PRC_TABLE_scene, root, (char *)spec, "");
    }
    prc_free(r.variables);
}
