/* scene/tree.h — a scene file as a tree of nodes with their source positions.
 *
 * The reader works on this tree and not on the YAML library, so that overrides from the command line can be applied to
 * the file and still be named in messages, and so that aliases are bounded: each is copied, and the size of the tree is
 * limited. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_TREE_H
#define PRC_SCENE_TREE_H

#include <percale/base.h>

#include "scene/log.h"

#define PRC_TREE_NODES 1000000 /* most nodes of a scene, aliases expanded */
#define PRC_TREE_DEPTH 64      /* deepest nesting */

typedef enum prc_node_kind {
    PRC_NODE_NULL,
    PRC_NODE_SCALAR,
    PRC_NODE_LIST,
    PRC_NODE_MAP,
    PRC_NODE_BROKEN, /* something stood here that has been reported already */
} prc_node_kind;

typedef struct prc_node {
    prc_node_kind kind;
    bool quoted;      /* a scalar in quotes is text, never a number */
    int origin;       /* as in log.h: −1 the scene file, −1−k a file it includes, k an override */
    int line, column; /* from 1 */
    char *text;       /* of a scalar */
    char *key;        /* where the parent is a map */
    int key_line, key_column;
    struct prc_node *first, *last, *next; /* children, and the next of them */
    int count;
    int height; /* levels below this node */
} prc_node;

typedef struct prc_tree {
    prc_node *root;
    int node_count;
    struct prc_tree_block *blocks;
} prc_tree;

/* A new node, or NULL when out of memory or when the tree is too large. */
prc_node *prc_tree_node(prc_tree *tree, prc_node_kind kind, int origin, int line, int column);
char *prc_tree_text(prc_tree *tree, const char *text, size_t length);
/* A deep copy; NULL as above. */
prc_node *prc_tree_copy(prc_tree *tree, const prc_node *node);
void prc_node_append(prc_node *parent, prc_node *child);
/* Overwrites a node in place, keeping its name and its place among its siblings. */
void prc_node_become(prc_node *node, const prc_node *value);
prc_node *prc_node_find(const prc_node *map, const char *key);
void prc_tree_release(prc_tree *tree);

/* Puts `value` at a path such as "bodies[0].material.stretch" or "bodies.0.material.stretch", making tables on the way.
 */
prc_result prc_tree_override(prc_tree *tree, const char *path, size_t length, prc_node *value, prc_error *error);

/* The node at a path as above, or the nearest one above it that exists; never NULL. */
const prc_node *prc_tree_nearest(const prc_tree *tree, const char *path, size_t length);

/* Reads YAML text into a subtree; NULL after an error that ends the reading. Mistakes that do not (a duplicate key, an
 * alias without an anchor) are reported too, and what stands there is left out. */
prc_node *prc_yaml_read(const prc_scene_log *log, prc_tree *tree, const char *text, size_t size, int origin);

#endif
