/* torture/document.c — see document.h. SPDX-License-Identifier: Apache-2.0 */
#include "document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 3 /* of the numbers of a scene: enough for chance, few enough to read */

node *node_new(node_kind kind, const char *key)
{
    node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->kind = kind;
    snprintf(n->key, sizeof n->key, "%s", key);
    return n;
}

static node *put(node *in, node *item)
{
    node **items =
        realloc(in->items, (size_t)(in->count + 1) * sizeof(node *)); /* NOLINT(bugprone-sizeof-expression): pointers */
    if (!items)
        abort();
    in->items = items;
    in->items[in->count++] = item;
    return item;
}

node *node_copy(const node *from)
{
    node *n = node_new(from->kind, from->key);
    n->number = from->number;
    memcpy(n->word, from->word, sizeof n->word);
    for (int k = 0; k < from->count; k++)
        put(n, node_copy(from->items[k]));
    return n;
}

void node_free(node *n)
{
    for (int k = 0; n && k < n->count; k++)
        node_free(n->items[k]);
    if (n)
        free(n->items);
    free(n);
}

/* --- growing --- */

double node_rounded(double value, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*g", digits, value);
    const double rounded = strtod(text, NULL);
    return rounded == 0 ? 0 : rounded; /* no −0 */
}

node *node_table(node *in, const char *key)
{
    return put(in, node_new(NODE_TABLE, key));
}

node *node_list(node *in, const char *key)
{
    return put(in, node_new(NODE_LIST, key));
}

node *node_number(node *in, const char *key, double value)
{
    node *n = put(in, node_new(NODE_NUMBER, key));
    n->number = node_rounded(value, DIGITS);
    return n;
}

node *node_count(node *in, const char *key, int value)
{
    node *n = put(in, node_new(NODE_NUMBER, key));
    n->number = value;
    return n;
}

node *node_word(node *in, const char *key, const char *word)
{
    node *n = put(in, node_new(NODE_WORD, key));
    snprintf(n->word, sizeof n->word, "%s", word);
    return n;
}

node *node_numbers(node *in, const char *key, int count, const double *values)
{
    node *list = node_list(in, key);
    for (int k = 0; k < count; k++)
        node_number(list, "", values[k]);
    return list;
}

node *node_counts(node *in, const char *key, int count, const int *values)
{
    node *list = node_list(in, key);
    for (int k = 0; k < count; k++)
        node_count(list, "", values[k]);
    return list;
}

/* --- finding and cutting --- */

node *node_get(const node *in, const char *key)
{
    for (int k = 0; in && k < in->count; k++)
        if (!strcmp(in->items[k]->key, key))
            return in->items[k];
    return NULL;
}

/* Counts *index down; the node where it reaches 0. */
static node *walk(node *n, int *index, node **parent, int *place)
{
    if ((*index)-- == 0)
        return n;
    for (int k = 0; k < n->count; k++) {
        const bool here = *index == 0;
        node *found = walk(n->items[k], index, parent, place);
        if (found && here) {
            *parent = n;
            *place = k;
        }
        if (found)
            return found;
    }
    return NULL;
}

node *node_at(node *root, int index, node **parent, int *place)
{
    node *ignored_parent = NULL;
    int ignored_place = 0;
    return walk(root, &index, parent ? parent : &ignored_parent, place ? place : &ignored_place);
}

void node_remove(node *parent, int place)
{
    node_free(parent->items[place]);
    parent->count--;
    memmove(parent->items + place, parent->items + place + 1,
            (size_t)(parent->count - place) * sizeof(node *)); /* NOLINT(bugprone-sizeof-expression): pointers */
}

/* --- printing --- */

static void print_flow(const node *n, FILE *file)
{
    if (n->kind == NODE_NUMBER)
        fprintf(file, "%.12g", n->number);
    else if (n->kind == NODE_WORD)
        fprintf(file, "%s", n->word);
    else {
        const bool table = n->kind == NODE_TABLE;
        fputs(table ? "{" : "[", file);
        for (int k = 0; k < n->count; k++) {
            fprintf(file, "%s%s%s", k ? ", " : "", n->items[k]->key, table ? ": " : "");
            print_flow(n->items[k], file);
        }
        fputs(table ? "}" : "]", file);
    }
}

/* An item of bodies, colliders and the like: a line per key. */
static void print_item(const node *n, FILE *file)
{
    for (int k = 0; k < n->count; k++) {
        fprintf(file, "%s%s: ", k ? "    " : "  - ", n->items[k]->key);
        print_flow(n->items[k], file);
        fputs("\n", file);
    }
}

char *node_text(const node *root)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        abort();
    for (int k = 0; k < root->count; k++) {
        const node *n = root->items[k];
        const bool in_lines = n->kind == NODE_LIST && n->count > 0 && n->items[0]->kind == NODE_TABLE;
        fprintf(file, "%s:%s", n->key, in_lines ? "\n" : " ");
        for (int i = 0; in_lines && i < n->count; i++)
            print_item(n->items[i], file);
        if (!in_lines) {
            print_flow(n, file);
            fputs("\n", file);
        }
    }
    fclose(file);
    return text;
}
