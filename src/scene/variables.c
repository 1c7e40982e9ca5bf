/* scene/variables.c — see variables.h. Variables may be in any order: each is evaluated when it is first used.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/variables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "scene/suggest.h"
#include "scene/units.h"

bool prc_node_number(const prc_node *node, double *value)
{
    if (node->kind != PRC_NODE_SCALAR || node->quoted)
        return false;
    const char *text = node->text;
    double sign = text[0] == '-' ? -1 : 1;
    if (!strcmp(text + (text[0] == '-' || text[0] == '+'), ".inf")) {
        *value = sign * INFINITY;
        return true;
    }
    /* Digits first: strtod would also take "nan" and "infinity". */
    if (!text[strspn(text, "+-.")] || !strchr("0123456789", text[strspn(text, "+-.")]))
        return false;
    char *end;
    *value = strtod(text, &end);
    return *end == '\0';
}

/* The column of a byte of a node's text, where the file has the text as it is; else that of the node. */
static int column_at(const prc_scene_log *log, const prc_node *node, int at)
{
    size_t left = 0;
    int column = node->column + (node->quoted ? 1 : 0);
    const char *line = prc_scene_source_at(log, node->origin, node->line, column, &left);
    if (!line || (size_t)at > left || memcmp(line, node->text, (size_t)at) != 0)
        return node->column;
    for (int i = 0; i < at; i++)
        column += ((unsigned char)node->text[i] & 0xC0) != 0x80;
    return column;
}

/* A variable that is nearly called so, or with `words` a function. */
static const char *suggest(const prc_variables *variables, const char *word, bool words)
{
    static const char *const none[] = {NULL};
    const char **names = PRC_NEW(const char *, variables->count + 1);
    for (int v = 0; names && v < variables->count; v++)
        names[v] = variables->items[v].node->key;
    const char *near = prc_suggest(word, names ? names : none);
    prc_free(names);
    return near || !words ? near : prc_suggest(word, prc_expression_words);
}

static void report_cycle(const prc_variables *variables, int wanted)
{
    const prc_node *node = variables->items[variables->busy[variables->busy_count - 1]].node;
    char chain[200] = "", path[80];
    bool started = false;
    for (int k = 0; k < variables->busy_count; k++) {
        started = started || variables->busy[k] == wanted;
        size_t used = strlen(chain);
        if (started)
            snprintf(chain + used, sizeof chain - used, "%.40s → ", variables->items[variables->busy[k]].node->key);
    }
    snprintf(path, sizeof path, "variables.%.60s", node->key);
    prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path,
                     "depends on itself: %s%.40s", chain, variables->items[wanted].node->key);
}

static prc_name_state find(void *context, const char *name, double *value);

static void work_out(prc_variables *variables, int v)
{
    prc_variable *variable = &variables->items[v];
    char path[80];
    snprintf(path, sizeof path, "variables.%.60s", variable->node->key);
    variable->state = PRC_VARIABLE_BUSY;
    variables->busy[variables->busy_count++] = v;
    bool good =
        prc_variables_evaluate(variables, variable->node, path, "a finite number or an expression", &variable->value);
    variables->busy_count--;
    if (good && !isfinite(variable->value)) {
        prc_scene_report(variables->log, PRC_ERROR_INPUT, variable->node->origin, variable->node->line,
                         variable->node->column, path, "%.50s is not finite; expected a finite number",
                         variable->node->text);
        good = false;
    }
    variable->state = good ? PRC_VARIABLE_GOOD : PRC_VARIABLE_BAD;
}

static prc_name_state find(void *context, const char *name, double *value)
{
    prc_variables *variables = context;
    int v = 0;
    while (v < variables->count && strcmp(variables->items[v].node->key, name) != 0)
        v++;
    if (v == variables->count)
        return PRC_NAME_UNKNOWN;
    prc_variable *variable = &variables->items[v];
    if (variable->state == PRC_VARIABLE_BUSY) {
        report_cycle(variables, v);
        return PRC_NAME_BROKEN;
    }
    if (variable->state == PRC_VARIABLE_NEW && variables->busy_count == PRC_VARIABLES_DEEP) {
        const prc_node *node = variables->items[variables->busy[0]].node;
        prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, "variables",
                         "a chain of more than %d variables that use each other; put those first that others need",
                         PRC_VARIABLES_DEEP);
        variable->state = PRC_VARIABLE_BAD;
    }
    if (variable->state == PRC_VARIABLE_NEW)
        work_out(variables, v);
    *value = variable->value;
    return variable->state == PRC_VARIABLE_GOOD ? PRC_NAME_KNOWN : PRC_NAME_BROKEN;
}

bool prc_variables_evaluate(prc_variables *variables, const prc_node *node, const char *path, const char *expected,
                            double *value)
{
    prc_expression_error error;
    prc_names names = {find, variables};
    if (prc_node_number(node, value))
        return true;
    if (node->kind == PRC_NODE_BROKEN) {
        variables->silent++;
        return false;
    }
    if (node->kind != PRC_NODE_SCALAR) {
        prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path,
                         "found %s; expected %s",
                         node->kind == PRC_NODE_NULL   ? "nothing"
                         : node->kind == PRC_NODE_LIST ? "a list"
                                                       : "a table",
                         expected);
        return false;
    }
    if (prc_expression_evaluate(node->text, &names, value, &error))
        return true;
    if (error.said) {
        variables->silent++;
        return false;
    }
    double meant;
    if (prc_units_read(node->text, &meant)) {
        prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path,
                         "found '%.50s'; units are SI: write %.10g; expected %s", node->text, meant, expected);
        return false;
    }
    /* A single word, or something that does not even begin as an expression, need not be meant as one. */
    bool plain = !strcmp(error.unknown, node->text) || (error.at == 0 && !error.unknown[0]);
    bool longer = strlen(node->text) > 60;
    const char *near = error.unknown[0] ? suggest(variables, error.unknown, !plain) : NULL;
    char hint[80] = "";
    if (near)
        snprintf(hint, sizeof hint, "; did you mean '%.40s'?", near);
    if (plain && strlen(node->text) <= PRC_EXPRESSION_LENGTH)
        prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line, node->column, path,
                         "found %s%.50s%s%s; expected %s%s", node->quoted ? "the text \"" : "'", node->text,
                         node->quoted ? "\"" : "'",
                         variables->count && error.unknown[0] ? ", which is not a variable" : "", expected, hint);
    else
        prc_scene_report(variables->log, PRC_ERROR_INPUT, node->origin, node->line,
                         column_at(variables->log, node, error.at), path, "in '%.60s%s': %s; expected %s%s", node->text,
                         longer ? "…" : "", error.message, expected, hint);
    return false;
}

bool prc_variables_try(prc_variables *variables, const prc_node *node, double *value)
{
    prc_expression_error error;
    prc_names names = {find, variables};
    return prc_node_number(node, value) ||
           (node->kind == PRC_NODE_SCALAR && prc_expression_evaluate(node->text, &names, value, &error));
}

/* A name that can be used in an expression, and that means nothing else there. */
static bool check_name(const prc_scene_log *log, const prc_node *node)
{
    char path[80];
    bool taken = false;
    for (int w = 0; prc_expression_words[w]; w++)
        taken = taken || !strcmp(prc_expression_words[w], node->key);
    if (!taken && prc_expression_is_name(node->key))
        return true;
    snprintf(path, sizeof path, "variables.%.60s", node->key);
    if (taken)
        prc_scene_report(log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "'%s' is already a name in expressions; choose another name", node->key);
    else
        prc_scene_report(log, PRC_ERROR_INPUT, node->origin, node->key_line, node->key_column, path,
                         "not a valid name; expected letters, digits and _, a letter first, at most %d",
                         PRC_EXPRESSION_NAME - 1);
    return false;
}

void prc_variables_read(prc_variables *variables, const prc_scene_log *log, const prc_node *node)
{
    variables->log = log;
    variables->count = variables->busy_count = variables->silent = 0;
    if (!node || node->kind != PRC_NODE_MAP)
        return;
    for (const prc_node *child = node->first; child; child = child->next) {
        if (!check_name(log, child))
            continue;
        if (variables->count == PRC_VARIABLES) {
            prc_scene_report(log, PRC_ERROR_INPUT, child->origin, child->key_line, child->key_column, "variables",
                             "more than %d", PRC_VARIABLES);
            break;
        }
        variables->items[variables->count++] = (prc_variable){.node = child};
    }
    for (int v = 0; v < variables->count; v++)
        if (variables->items[v].state == PRC_VARIABLE_NEW)
            work_out(variables, v);
}
