/* check/tree.c — see tree.h. Leaves out surface-area costs and refitting: the checker builds once per frame, and its
 * speed is not critical.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/tree.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define LEAF_ITEMS 4
#define MOST_DEPTH 64    /* halving 2^31 items ends well before */
#define MANY_ITEMS 20000 /* are worth a thread of their own */

/* An item by its centre along the axis of the split. */
typedef struct entry {
    double key;
    int item;
} entry;

typedef struct builder {
    prc_check_tree *tree;
    entry *entries;
} builder;

prc_check_box prc_check_box_around(const double *positions, const int *points, int count)
{
    prc_check_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double x = positions[3 * (size_t)points[i] + (size_t)k];
            box.low[k] = fmin(box.low[k], x);
            box.high[k] = fmax(box.high[k], x);
        }
    return box;
}

/* Squared distance of two boxes. */
static double distance_of_boxes(const prc_check_box *a, const prc_check_box *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
        sum += gap * gap;
    }
    return sum;
}

/* ---- building ---- */

/* Items break ties, so that the order does not depend on the way there. */
static bool comes_before(entry a, entry b)
{
    return a.key < b.key || (a.key == b.key && a.item < b.item);
}

static void swap_entries(entry *a, entry *b)
{
    entry kept = *a;
    *a = *b;
    *b = kept;
}

/* Hoare's selection: afterwards entries[0 … middle) come before entries[middle …). */
static void select_median(entry *entries, int count, int middle)
{
    int low = 0, high = count - 1;
    while (low < high) {
        entry pivot = entries[low + (high - low) / 2];
        int i = low, j = high;
        while (i <= j) {
            while (comes_before(entries[i], pivot))
                i++;
            while (comes_before(pivot, entries[j]))
                j--;
            if (i <= j)
                swap_entries(&entries[i++], &entries[j--]);
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static void bound_items(const builder *b, prc_check_node *node, int first, int count)
{
    node->box = b->tree->boxes[b->entries[first].item];
    node->kin = b->tree->kin[b->entries[first].item];
    for (int i = first; i < first + count; i++) {
        const prc_check_box *box = &b->tree->boxes[b->entries[i].item];
        node->kin = node->kin == b->tree->kin[b->entries[i].item] ? node->kin : 0;
        for (int k = 0; k < 3; k++) {
            node->box.low[k] = fmin(node->box.low[k], box->low[k]);
            node->box.high[k] = fmax(node->box.high[k], box->high[k]);
        }
    }
}

static int longest_axis(const prc_check_box *box)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis])
            axis = k;
    return axis;
}

static void build_node(builder *b, int at, int first, int count)
{
    prc_check_node *node = &b->tree->nodes[at];
    bound_items(b, node, first, count);
    if (count <= LEAF_ITEMS) {
        node->first = first;
        node->count = count;
        return;
    }
    int axis = longest_axis(&node->box), half = count / 2;
    for (int i = first; i < first + count; i++) {
        const prc_check_box *box = &b->tree->boxes[b->entries[i].item];
        b->entries[i].key = 0.5 * box->low[axis] + 0.5 * box->high[axis];
    }
    select_median(b->entries + first, count, half);
    node->right = at + half; /* the first child and all below it are fewer nodes than items: leaves hold two or more */
#pragma omp task if (count > MANY_ITEMS)
    build_node(b, at + 1, first, half);
    build_node(b, node->right, first + half, count - half);
#pragma omp taskwait
}

prc_result prc_check_tree_build(prc_check_tree *tree, const prc_check_box *boxes, const unsigned char *kin, int count,
                                int threads, prc_error *error)
{
    *tree = (prc_check_tree){.item_count = count, .boxes = boxes, .kin = kin};
    tree->nodes = PRC_NEW(prc_check_node, count);
    tree->items = PRC_NEW(int, count);
    builder b = {tree, PRC_NEW(entry, count)};
    if (!tree->nodes || !tree->items || !b.entries) {
        prc_free(b.entries);
        prc_check_tree_release(tree);
        return PRC_FAIL_MEMORY(error);
    }
    for (int i = 0; i < count; i++)
        b.entries[i].item = i;
    if (count) {
#pragma omp parallel num_threads(threads) if (count > MANY_ITEMS)
#pragma omp single
        build_node(&b, 0, 0, count);
    }
    for (int i = 0; i < count; i++)
        tree->items[i] = b.entries[i].item;
    prc_free(b.entries);
    return PRC_OK;
}

void prc_check_tree_release(prc_check_tree *tree)
{
    prc_free(tree->nodes);
    prc_free(tree->items);
    *tree = (prc_check_tree){0};
}

/* ---- asking ---- */

void prc_check_tree_query(const prc_check_tree *tree, const prc_check_box *box, unsigned char skip, const double *reach,
                          prc_check_visit *visit, void *context)
{
    int stack[MOST_DEPTH], depth = 0;
    if (tree->item_count)
        stack[depth++] = 0;
    while (depth) {
        int at = stack[--depth];
        const prc_check_node *node = &tree->nodes[at];
        if ((skip && node->kin == skip) || distance_of_boxes(&node->box, box) > *reach)
            continue;
        if (node->right) {
            stack[depth++] = node->right;
            stack[depth++] = at + 1;
            continue;
        }
        for (int i = node->first; i < node->first + node->count; i++) {
            int item = tree->items[i];
            if (!(skip && tree->kin[item] == skip) && distance_of_boxes(&tree->boxes[item], box) <= *reach)
                visit(context, item);
        }
    }
}
