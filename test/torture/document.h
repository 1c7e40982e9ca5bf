/* torture/document.h — a scene as a tree of tables, lists, numbers and words that is printed as YAML: what generate.c
 * grows, and shrink.c cuts. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_DOCUMENT_H
#define PRC_TORTURE_DOCUMENT_H

#include <stdbool.h>

typedef enum node_kind { NODE_NUMBER, NODE_WORD, NODE_TABLE, NODE_LIST } node_kind;

typedef struct node node;
struct node {
    node_kind kind;
    char key[32]; /* in a table; "" in a list */
    double number;
    char word[32];
    node **items; /* of a table or list */
    int count;
};

node *node_new(node_kind kind, const char *key);
node *node_copy(const node *from);
void node_free(node *n);

/* Into a table under a key, or into a list with the key "". Each returns the new node. */
node *node_table(node *in, const char *key);
node *node_list(node *in, const char *key);
node *node_number(node *in, const char *key, double value); /* rounded to 3 digits */
node *node_count(node *in, const char *key, int value);     /* as it is */
node *node_word(node *in, const char *key, const char *word);
node *node_numbers(node *in, const char *key, int count, const double *values);
node *node_counts(node *in, const char *key, int count, const int *values);

/* The item of a table with this key, or NULL. */
node *node_get(const node *in, const char *key);
/* Number `index` of the tree, parents before children, from the root, which is 0; NULL behind the last one. Its parent
 * and place there, where these are not NULL. */
node *node_at(node *root, int index, node **parent, int *place);
void node_remove(node *parent, int place);

/* The value with so many digits. */
double node_rounded(double value, int digits);
/* YAML; the caller frees. */
char *node_text(const node *root);

#endif
