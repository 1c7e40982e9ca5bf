/* scene/values.c — values of a scene, one function per kind of key: numbers and expressions, lists, words, names of
 * bodies and files. Tables are in reader.c. SPDX-License-Identifier: Apache-2.0 */
#include "scene/values.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/names.h"
#include "scene/suggest.h"

int prc_reader_trouble(const prc_reader *r)
{
    return r->log->errors->count + r->variables->silent;
}

void prc_reader_report_type(const prc_reader *r, const prc_key *key, const prc_node *node, const char *path)
{
    char text[80], expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    REPORT(r, node, path, "found %s; expected %s", prc_node_found(node, text), expected);
}

static bool is_whole(const prc_key *key)
{
    return key->type == PRC_KEY_INT || key->type == PRC_KEY_INTS || key->type == PRC_KEY_INT_LIST;
}

bool prc_read_number(const prc_reader *r, const prc_key *key, const prc_node *node, const char *path, double *value)
{
    const bool plain = prc_node_number(node, value);
    if (plain && prc_schema_allows(key, *value) && (!is_whole(key) || *value == floor(*value)))
        return true;
    char expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    if (node->kind != PRC_NODE_SCALAR && node->kind != PRC_NODE_BROKEN) {
        prc_reader_report_type(r, key, node, path);
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

void prc_reader_store(const prc_key *key, char *field, int index, double value)
{
    int whole = (int)(is_whole(key) ? value : 0);
    if (is_whole(key))
        memcpy(field + (size_t)index * sizeof whole, &whole, sizeof whole);
    else
        memcpy(field + (size_t)index * sizeof value, &value, sizeof value);
}

int prc_read_numbers(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, int fewest, int most,
                     const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count < fewest || node->count > most) {
        prc_reader_report_type(r, key, node, path);
        return -1;
    }
    int index = 0;
    bool good = true;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        double value;
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        if (prc_read_number(r, key, child, item, &value))
            prc_reader_store(key, field, index, value);
        else
            good = false;
    }
    return good ? index : -1;
}

void prc_reader_set_count(const prc_key *key, char *object, int count)
{
    memcpy(object + key->count_offset, &count, sizeof count);
}

void prc_read_pairs(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count < 2 || node->count > key->count) {
        prc_reader_report_type(r, key, node, path);
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
            prc_read_numbers(r, key, child, pair, 2, 2, item);
    }
    prc_reader_set_count(key, object, index);
}

void prc_read_int_list(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        prc_reader_report_type(r, key, node, path);
        return;
    }
    int *values = PRC_NEW(int, node->count);
    if (!values) {
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
        return;
    }
    int count = prc_read_numbers(r, key, node, (char *)values, 1, INT_MAX, path);
    memcpy(object + key->offset, &values, sizeof values);
    prc_reader_set_count(key, object, count > 0 ? count : 0);
}

bool prc_read_points(const prc_reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to,
                     const char *path)
{
    if (node->kind != PRC_NODE_LIST) {
        prc_reader_report_type(r, key, node, path);
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
            good = prc_read_numbers(r, key, child, point, 3, 3, item) == 3 && good;
        }
    }
    return good;
}

void prc_read_lines(const prc_reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to,
                    const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        prc_reader_report_type(r, key, node, path);
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
        if (prc_read_points(r, key, child, to, item) && child->count < 2)
            REPORT(r, child, item, "found %d points; a line needs at least 2", child->count);
        to->line_start[++to->line_count] = to->point_count;
    }
}

int prc_reader_find_body(const prc_reader *r, const prc_node *node, const char *path)
{
    return prc_scene_find_body(r->variables, r->root, node, path);
}

void prc_read_bodies(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count != key->count) {
        prc_reader_report_type(r, key, node, path);
        return;
    }
    int index = 0;
    for (const prc_node *child = node->first; child; child = child->next, index++) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, "%.180s[%d]", path, index);
        const int body = prc_reader_find_body(r, child, item);
        memcpy(field + (size_t)index * sizeof body, &body, sizeof body);
    }
}

void prc_read_body_list(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path)
{
    if (node->kind != PRC_NODE_LIST || node->count == 0) {
        prc_reader_report_type(r, key, node, path);
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
        bodies[index] = prc_reader_find_body(r, child, item);
    }
    memcpy(object + key->offset, &bodies, sizeof bodies);
    prc_reader_set_count(key, object, index);
}

void prc_read_bool(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
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
        prc_reader_report_type(r, key, node, path);
    else
        memcpy(field, &value, sizeof value);
}

/* Which of the names a node is; −1 after an error. */
static int find_name(const prc_reader *r, const prc_key *key, const prc_node *node, const char *path)
{
    if (node->kind != PRC_NODE_SCALAR) {
        prc_reader_report_type(r, key, node, path);
        return -1;
    }
    for (int n = 0; key->names[n]; n++)
        if (!strcmp(key->names[n], node->text))
            return n;
    char expected[300];
    prc_schema_expected(key, expected, sizeof expected);
    const char *near = prc_suggest(node->text, key->names);
    REPORT(r, node, path, "'%.50s' is unknown; expected %s%s%s%s", node->text, expected, near ? "; did you mean '" : "",
           near ? near : "", near ? "'?" : "");
    return -1;
}

void prc_read_name(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    const int n = find_name(r, key, node, path);
    if (n >= 0)
        memcpy(field, &n, sizeof n);
}

void prc_read_names(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    int bits = 0, index = 0;
    const prc_node *first = node->kind == PRC_NODE_LIST ? node->first : node;
    for (const prc_node *child = first; child; child = node->kind == PRC_NODE_LIST ? child->next : NULL, index++) {
        char item[PRC_PATH_SIZE];
        snprintf(item, sizeof item, node->kind == PRC_NODE_LIST ? "%.180s[%d]" : "%.180s", path, index);
        const int n = find_name(r, key, child, item);
        if (n < 0)
            continue;
        if (bits >> n & 1)
            REPORT(r, child, item, "'%s' is given twice", child->text);
        bits |= 1 << n;
    }
    memcpy(field, &bits, sizeof bits);
}

char *prc_reader_copy_name(const prc_reader *r, const prc_node *node, bool is_path)
{
    const bool inside = is_path && node->origin < -1 && node->text[0] != '/';
    const char *folder = inside ? r->log->sources->items[-1 - node->origin].folder : "";
    const size_t size = strlen(folder) + strlen(node->text) + 1;
    char *copy = prc_alloc(size, 1);
    if (copy)
        snprintf(copy, size, "%s%s", folder, node->text);
    return copy;
}

void prc_read_text(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path)
{
    if (node->kind != PRC_NODE_SCALAR || !node->text[0]) {
        prc_reader_report_type(r, key, node, path);
        return;
    }
    char *copy = prc_reader_copy_name(r, node, key->is_path);
    if (!copy)
        prc_scene_report(r->log, PRC_ERROR_MEMORY, node->origin, node->line, node->column, path, "out of memory");
    memcpy(field, &copy, sizeof copy);
}
