/* io/json_read.h — reads JSON (RFC 8259) into a tree of values.
 *
 * For files from other programs: depth and the number of values are limited, numbers are finite, text has no zero
 * bytes. Messages give the line. Numbers are read in the locale of the calling thread. Does not check that text is
 * valid UTF-8; of duplicate keys the first one counts. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_JSON_READ_H
#define PRC_IO_JSON_READ_H

#include <percale/base.h>

#include <stddef.h>

#define PRC_JSON_NESTING 64
#define PRC_JSON_VALUES 10000000

typedef enum prc_json_kind {
    PRC_JSON_NULL,
    PRC_JSON_BOOL,
    PRC_JSON_NUMBER,
    PRC_JSON_TEXT,
    PRC_JSON_ARRAY,
    PRC_JSON_OBJECT
} prc_json_kind;

typedef struct prc_json_value {
    prc_json_kind kind;
    const char *key;  /* in an object; else NULL */
    const char *text; /* of a text */
    double number;    /* of a number; 0 or 1 of a bool */
    int first, count; /* of an array or object: its members, in the tree's list of members */
} prc_json_value;

typedef struct prc_json_tree {
    prc_json_value *values; /* the first is the document */
    int *members;           /* numbers of values, container after container */
    int count, capacity, member_count, member_capacity;
} prc_json_tree;

/* `text` of `length` bytes is followed by a zero byte, and is changed; the tree points into it. Failure leaves the tree
 * empty. */
prc_result prc_json_read(prc_json_tree *tree, const char *path, char *text, size_t length, prc_error *error);
void prc_json_tree_release(prc_json_tree *tree);

/* Member k, which must be there. */
const prc_json_value *prc_json_member(const prc_json_tree *tree, const prc_json_value *value, int k);
/* The member of an object under this key; NULL where there is none, or it is null, or this is no object. */
const prc_json_value *prc_json_find(const prc_json_tree *tree, const prc_json_value *value, const char *key);

#endif
