/* check/tree.h — a bounding-volume hierarchy over the primitives of a frame, for the checker only.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CHECK_TREE_H
#define PRC_CHECK_TREE_H

#include <percale/base.h>

typedef struct prc_check_box {
    double low[3], high[3];
} prc_check_box;

typedef struct prc_check_node {
    prc_check_box box;
    int right;         /* the second child; the first follows its parent. 0 for a leaf */
    int first, count;  /* of the items of a leaf */
    unsigned char kin; /* of all items below, where it is the same for all; else 0 */
} prc_check_node;

typedef struct prc_check_tree {
    int item_count;
    prc_check_node *nodes; /* with gaps: a node over c items and all below it have c places, or one where c is 1 */
    int *items;            /* in the order of the leaves */
    const prc_check_box *boxes;
    const unsigned char *kin;
} prc_check_tree;

/* Splits at the median of the longest side. `boxes` and `kin` (one per item) stay the caller's and must outlive the
 * tree; a failed build leaves nothing to release. */
prc_result prc_check_tree_build(prc_check_tree *tree, const prc_check_box *boxes, const unsigned char *kin, int count,
                                int threads, prc_error *error);
void prc_check_tree_release(prc_check_tree *tree);

typedef void prc_check_visit(void *context, int item);

/* Visits, in a fixed order, the items whose box is within the root of *reach of `box` (m²; 0: touches it). *reach may
 * shrink meanwhile. Items of the kin `skip` are left out, unless it is 0. */
void prc_check_tree_query(const prc_check_tree *tree, const prc_check_box *box, unsigned char skip, const double *reach,
                          prc_check_visit *visit, void *context);

/* The smallest box around `count` points, given by their indices. */
prc_check_box prc_check_box_around(const double *positions, const int *points, int count);

#endif
