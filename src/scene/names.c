/* scene/names.c — see names.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/suggest.h"

const char *prc_node_found(const prc_node *node, char text[80])
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

/* ---- bodies ---- */

/* The bodies of a scene in the order of their numbers are those of these lists, one after the other. */
static const char *const body_lists[] = {"bodies", "obstacles", NULL};

/* How many bodies an item of these lists stands for: its instances. What is wrong with them is said where they are
 * read.
 */
static int count_instances(prc_variables *variables, const prc_node *body)
{
    const prc_node *instances = body->kind == PRC_NODE_MAP ? prc_node_find(body, "instances") : NULL;
    const prc_node *count = instances && instances->kind == PRC_NODE_MAP ? prc_node_find(instances, "count") : NULL;
    double value = 0;
    if (count && !prc_node_number(count, &value) && !prc_variables_try(variables, count, &value))
        value = 0;
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

int prc_scene_find_body(prc_variables *variables, const prc_node *root, const prc_node *node, const char *path)
{
    const char *names[101] = {NULL}; /* for the suggestion; a hundred are enough for that */
    char text[80], hint[160] = "";
    int count = 0, known = 0;
    double value;
    for (int list = 0; body_lists[list]; list++) {
        const prc_node *bodies = prc_node_find(root, body_lists[list]);
        for (const prc_node *body = bodies ? bodies->first : NULL; body; body = body->next) {
            const prc_node *name = body->kind == PRC_NODE_MAP ? prc_node_find(body, "name") : NULL;
            const bool several = body->kind == PRC_NODE_MAP && prc_node_find(body, "instances");
            const int instances = count_instances(variables, body), first = count;
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
    prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path,
                     "%s is not a body; expected the name of a body, or a number from 0 to %d%s",
                     prc_node_found(node, text), count - 1, hint);
    return -1;
}

/* ---- keys ---- */

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

void prc_scene_report_unknown(const prc_scene_log *log, const prc_table *table, const prc_node *node, const char *path)
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
        prc_scene_report(log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "unknown key; did you mean '%s'?", near);
    else
        prc_scene_report(log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "unknown key; expected one of %s", list);
}

bool prc_scene_is_misspelt(const prc_table *table, const prc_node *node, const char *key)
{
    for (const prc_node *child = node->first; child; child = child->next) {
        const char *near = prc_schema_find(table, child->key) < 0 ? nearest_key(table, child->key) : NULL;
        if (near && !strcmp(near, key))
            return true;
    }
    return false;
}
