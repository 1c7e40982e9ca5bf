/* scene/tree.c — see tree.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "scene/tree.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define BLOCK_SIZE 65536

typedef struct prc_tree_block {
    struct prc_tree_block *next;
    size_t used, size;
} prc_tree_block;

static void *take(prc_tree *tree, size_t size)
{
    size = (size + 15) / 16 * 16;
    prc_tree_block *block = tree->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        block = prc_alloc(sizeof *block + room, 1);
        if (!block)
            return NULL;
        block->size = room;
        block->next = tree->blocks;
        tree->blocks = block;
    }
    char *memory = (char *)(block + 1) + block->used;
    block->used += size;
    return memory;
}

prc_node *prc_tree_node(prc_tree *tree, prc_node_kind kind, int origin, int line, int column)
{
    if (tree->node_count >= PRC_TREE_NODES)
        return NULL;
    prc_node *node = take(tree, sizeof *node);
    if (!node)
        return NULL;
    tree->node_count++;
    *node = (prc_node){.kind = kind, .origin = origin, .line = line, .column = column};
    return node;
}

char *prc_tree_text(prc_tree *tree, const char *text, size_t length)
{
    char *copy = take(tree, length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

void prc_node_append(prc_node *parent, prc_node *child)
{
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    if (parent->height <= child->height)
        parent->height = child->height + 1;
}

/* Texts are shared: they are never changed. The depth is bounded by PRC_TREE_DEPTH of what is copied. */
prc_node *prc_tree_copy(prc_tree *tree, const prc_node *node)
{
    prc_node *copy = prc_tree_node(tree, node->kind, node->origin, node->line, node->column);
    if (!copy)
        return NULL;
    copy->quoted = node->quoted;
    copy->text = node->text;
    copy->key = node->key;
    copy->key_line = node->key_line;
    copy->key_column = node->key_column;
    for (const prc_node *child = node->first; child; child = child->next) {
        prc_node *twin = prc_tree_copy(tree, child);
        if (!twin)
            return NULL;
        prc_node_append(copy, twin);
    }
    return copy;
}

prc_node *prc_node_find(const prc_node *map, const char *key)
{
    for (prc_node *child = map->first; child; child = child->next)
        if (child->key && strcmp(child->key, key) == 0)
            return child;
    return NULL;
}

void prc_tree_release(prc_tree *tree)
{
    for (prc_tree_block *block = tree->blocks, *next; block; block = next) {
        next = block->next;
        prc_free(block);
    }
    *tree = (prc_tree){0};
}

/* ---- overrides ---- */

/* Cuts the next part off a path: a key, or the digits of an index. Empty at the end, and for a path that is not one. */
static size_t next_part(const char **path, const char *end, const char **part)
{
    const char *p = *path;
    while (p < end && (*p == '.' || *p == '[' || *p == ']'))
        p++;
    *part = p;
    while (p < end && *p != '.' && *p != '[' && *p != ']')
        p++;
    *path = p;
    return (size_t)(p - *part);
}

static bool is_index(const char *part, size_t length, int *index)
{
    *index = 0;
    for (size_t i = 0; i < length; i++) {
        if (part[i] < '0' || part[i] > '9' || *index > 100000000)
            return false;
        *index = 10 * *index + (part[i] - '0');
    }
    return length > 0;
}

const prc_node *prc_tree_nearest(const prc_tree *tree, const char *path, size_t length)
{
    const char *end = path + length, *part;
    const prc_node *node = tree->root;
    for (size_t size = next_part(&path, end, &part); size; size = next_part(&path, end, &part)) {
        const prc_node *child = node->first;
        int index = 0;
        bool numbered = node->kind == PRC_NODE_LIST && is_index(part, size, &index);
        for (; child; child = child->next) {
            bool named = child->key && strlen(child->key) == size && !memcmp(child->key, part, size);
            if (numbered ? index-- == 0 : named)
                break;
        }
        if (!child)
            break;
        node = child;
    }
    return node;
}

void prc_node_become(prc_node *node, const prc_node *value)
{
    prc_node kept = *node;
    *node = *value;
    node->key = kept.key;
    node->key_line = kept.key_line;
    node->key_column = kept.key_column;
    node->next = kept.next;
}

static prc_result enter_list(const prc_node *list, const char *part, size_t length, prc_node **child, prc_error *error)
{
    int index;
    if (!is_index(part, length, &index))
        return prc_fail(error, PRC_ERROR_INPUT, "'%.*s' is not an index, but the value is a list", (int)length, part);
    if (index >= list->count)
        return prc_fail(error, PRC_ERROR_INPUT, "index %d is out of range; the list has %d items (the first is 0)",
                        index, list->count);
    *child = list->first;
    for (; index > 0; index--)
        *child = (*child)->next;
    return PRC_OK;
}

static prc_result enter_map(prc_tree *tree, prc_node *map, const char *part, size_t length, int origin,
                            prc_node **child, prc_error *error)
{
    char *key = prc_tree_text(tree, part, length);
    if (!key)
        return PRC_FAIL_MEMORY(error);
    /* A word such as `motion: fixed` may be replaced by a table; a missing table is made. */
    if (map->kind != PRC_NODE_MAP) {
        prc_node table = {.kind = PRC_NODE_MAP, .origin = origin, .line = 1, .column = 1};
        prc_node_become(map, &table);
    }
    *child = prc_node_find(map, key);
    if (*child)
        return PRC_OK;
    *child = prc_tree_node(tree, PRC_NODE_NULL, origin, 1, 1);
    if (!*child)
        return PRC_FAIL_MEMORY(error);
    (*child)->key = key;
    (*child)->key_line = (*child)->key_column = 1;
    prc_node_append(map, *child);
    return PRC_OK;
}

/* Keys with dots between them, each perhaps with indices in brackets; nothing is empty. */
static bool is_path(const char *path, size_t length)
{
    const char *at = path, *end = path + length;
    while (at < end) {
        const char *key = at;
        while (at < end && !strchr(".[]", *at))
            at++;
        if (at == key)
            return false;
        while (at < end && *at == '[') {
            const char *index = ++at;
            while (at < end && *at >= '0' && *at <= '9')
                at++;
            if (at == index || at == end || *at++ != ']')
                return false;
        }
        if (at < end && (*at++ != '.' || at == end))
            return false;
    }
    return length > 0;
}

prc_result prc_tree_override(prc_tree *tree, const char *path, size_t length, prc_node *value, prc_error *error)
{
    const char *start = path, *end = path + length, *part;
    prc_node *node = tree->root;
    size_t size = next_part(&path, end, &part);
    if (!size)
        return prc_fail(error, PRC_ERROR_INPUT, "no key before '='; expected key.path=value");
    if (!is_path(start, length))
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "'%.*s' has an empty or unclosed part; expected a path like time.step or bodies[0].material.stretch",
            length < 100 ? (int)length : 100, start);
    for (int depth = 0; size; size = next_part(&path, end, &part), depth++) {
        if (depth >= PRC_TREE_DEPTH)
            return prc_fail(error, PRC_ERROR_INPUT, "the path is too deep");
        prc_result result = node->kind == PRC_NODE_LIST
                                ? enter_list(node, part, size, &node, error)
                                : enter_map(tree, node, part, size, value->origin, &node, error);
        if (result)
            return result;
    }
    prc_node_become(node, value);
    return PRC_OK;
}
