/* contact/bvh.c — see bvh.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/bvh.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>

#define SLACK_LIMIT 1.5 /* rebuild when the boxes are this much slacker than after the last build */
#define MANY 4096       /* nodes that are worth a team of threads */

/* Unlike fminf and fmaxf these become single instructions; there are no NaNs here. */
static float lower(float a, float b)
{
    return a < b ? a : b;
}

static float higher(float a, float b)
{
    return a > b ? a : b;
}

prc_result prc_bvh_create(prc_bvh *bvh, const int *vertices, int arity, int count, prc_error *error)
{
    *bvh = (prc_bvh){.vertices = vertices, .arity = arity, .count = count};
    int width = count, node_count = 0;
    do {
        width = width / PRC_WIDE + (width % PRC_WIDE != 0);
        node_count += width;
        bvh->level_start[++bvh->level_count] = node_count;
    } while (width > 1 || bvh->level_count < 2);
    bvh->node = PRC_NEW(prc_boxes, node_count);
    bvh->meets[0] = PRC_NEW(unsigned char, node_count);
    bvh->meets[1] = PRC_NEW(unsigned char, node_count);
    bvh->leaf = PRC_NEW(prc_leaf, bvh->level_start[1]);
    return bvh->node && bvh->meets[0] && bvh->meets[1] && bvh->leaf ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_bvh_release(prc_bvh *bvh)
{
    prc_free(bvh->node);
    prc_free(bvh->meets[0]);
    prc_free(bvh->meets[1]);
    prc_free(bvh->leaf);
    *bvh = (prc_bvh){0};
}

/* --- the order --- */

static void swap_keys(prc_bvh_key *a, prc_bvh_key *b)
{
    prc_bvh_key t = *a;
    *a = *b;
    *b = t;
}

/* Reorders key[begin, end) so that none before `middle` exceeds any from there on. Quickselect; pivots from a
 * congruential sequence, so that no arrangement of the input is slow but by chance. */
static void select_middle(prc_bvh_key *key, int begin, int end, int middle, int axis)
{
    uint32_t state = 12345;
    while (end - begin > 1) {
        state = state * 1664525u + 1013904223u;
        const float pivot = key[begin + (int)((uint64_t)state * (uint32_t)(end - begin) >> 32)].centre[axis];
        int i = begin, j = end - 1;
        while (i <= j) {
            while (key[i].centre[axis] < pivot)
                i++;
            while (key[j].centre[axis] > pivot)
                j--;
            if (i <= j)
                swap_keys(&key[i++], &key[j--]);
        }
        if (middle <= j)
            end = j + 1;
        else if (middle >= i)
            begin = i;
        else
            return;
    }
}

static int longest_axis(const prc_bvh_key *key, int begin, int end)
{
    int axis = 0;
    float longest = -1;
    for (int c = 0; c < 3; c++) {
        float low = key[begin].centre[c], high = low;
        for (int i = begin + 1; i < end; i++) {
            low = lower(low, key[i].centre[c]);
            high = higher(high, key[i].centre[c]);
        }
        if (high - low > longest) {
            longest = high - low;
            axis = c;
        }
    }
    return axis;
}

/* Orders key[begin, end): halves of whole units of `unit` primitives, then within the units. A unit is what one slot
 * of the level at hand holds, so that the splits fall where the implicit tree has its nodes. */
static void order_keys(prc_bvh_key *key, int begin, int end, long unit)
{
    while (unit > 1 && end - begin <= unit)
        unit /= PRC_WIDE;
    if (unit < PRC_WIDE) /* one node of level 0: the order within does not matter */
        return;
    const long units = (end - begin + unit - 1) / unit;
    const int middle = begin + (int)(units / 2 * unit);
    select_middle(key, begin, end, middle, longest_axis(key, begin, end));
    order_keys(key, begin, middle, unit);
    order_keys(key, middle, end, unit);
}

static const int *primitive_vertices(const prc_bvh *bvh, const int *primitive)
{
    return bvh->vertices ? bvh->vertices + (long)bvh->arity * *primitive : primitive;
}

static void make_keys(const prc_bvh *bvh, const prc_bound *bound, prc_bvh_key *key)
{
    for (int i = 0; i < bvh->count; i++) {
        const int *v = primitive_vertices(bvh, &i);
        key[i].primitive = i;
        for (int c = 0; c < 3; c++) {
            float low = bound[v[0]].low[c], high = bound[v[0]].high[c];
            for (int k = 1; k < bvh->arity; k++) {
                low = lower(low, bound[v[k]].low[c]);
                high = higher(high, bound[v[k]].high[c]);
            }
            key[i].centre[c] = 0.5f * low + 0.5f * high;
        }
    }
}

static void fill_leaves(prc_bvh *bvh, const prc_bvh_key *key, const unsigned char *motion)
{
    for (int n = 0; n < prc_bvh_leaf_count(bvh); n++) {
        prc_leaf *leaf = &bvh->leaf[n];
        bvh->meets[0][n] = bvh->meets[1][n] = 0;
        for (int k = 0; k < PRC_WIDE; k++) {
            const int i = n * PRC_WIDE + k;
            leaf->primitive[k] = i < bvh->count ? key[i].primitive : -1;
            for (int c = 0; c < 3; c++)
                leaf->vertex[c][k] = -1;
            for (int c = 0; c < bvh->arity && i < bvh->count; c++) {
                leaf->vertex[c][k] = primitive_vertices(bvh, &key[i].primitive)[c];
                const int meets = prc_motion_meets(motion[leaf->vertex[c][k]]);
                for (int b = 0; b < 2; b++)
                    bvh->meets[b][n] |= (unsigned char)((meets >> b & 1) << k);
            }
        }
    }
    for (int level = 1; level < bvh->level_count; level++) {
        const int first = bvh->level_start[level], below = bvh->level_start[level - 1];
        for (int n = first; n < bvh->level_start[level + 1]; n++) {
            bvh->meets[0][n] = bvh->meets[1][n] = 0;
            for (int k = 0; k < PRC_WIDE; k++) {
                const int child = below + (n - first) * PRC_WIDE + k;
                for (int b = 0; b < 2 && child < first; b++)
                    bvh->meets[b][n] |= (unsigned char)((bvh->meets[b][child] != 0) << k);
            }
        }
    }
}

static void build(prc_bvh *bvh, const prc_bound *bound, const unsigned char *motion, prc_bvh_key *key)
{
    long unit = 1;
    while (unit < bvh->count)
        unit *= PRC_WIDE;
    make_keys(bvh, bound, key);
    order_keys(key, 0, bvh->count, unit);
    fill_leaves(bvh, key, motion);
    bvh->builds++;
}

/* --- the boxes --- */

static void set_slot(prc_boxes *boxes, int k, prc_quad low, prc_quad high)
{
    for (int c = 0; c < 3; c++) {
        boxes->low[c][k] = low[c];
        boxes->high[c][k] = high[c];
    }
    boxes->radius[k] = -low[3];
}

static prc_quad quad_min(prc_quad a, prc_quad b)
{
    typedef int32_t bits __attribute__((vector_size(16)));
    const bits m = a < b;
    return (prc_quad)((m & (bits)a) | (~m & (bits)b));
}

static prc_quad quad_max(prc_quad a, prc_quad b)
{
    return -quad_min(-a, -b);
}

static const prc_quad empty_low = {INFINITY, INFINITY, INFINITY, 0}, empty_high = {-INFINITY, -INFINITY, -INFINITY, 0};

static void fit_leaf(prc_bvh *bvh, int n, const prc_bound *bound)
{
    for (int k = 0; k < PRC_WIDE; k++) {
        prc_quad low = empty_low, high = empty_high;
        for (int c = 0; c < bvh->arity && bvh->leaf[n].primitive[k] >= 0; c++) {
            const prc_bound *b = &bound[bvh->leaf[n].vertex[c][k]];
            low = quad_min(low, *(const prc_quad *)b->low);
            high = quad_max(high, *(const prc_quad *)b->high);
        }
        set_slot(&bvh->node[n], k, low, high);
    }
}

static void fit_inner(prc_bvh *bvh, int n, int first_child, int child_end)
{
    for (int k = 0; k < PRC_WIDE; k++) {
        prc_quad low = empty_low, high = empty_high;
        if (first_child + k < child_end) {
            const prc_boxes *child = &bvh->node[first_child + k];
            for (int j = 0; j < PRC_WIDE; j++) {
                const prc_quad l = {child->low[0][j], child->low[1][j], child->low[2][j], -child->radius[j]};
                const prc_quad h = {child->high[0][j], child->high[1][j], child->high[2][j], 0};
                low = quad_min(low, l);
                high = quad_max(high, h);
            }
        }
        set_slot(&bvh->node[n], k, low, high);
    }
}

static void refit(prc_bvh *bvh, const prc_bound *bound, int threads)
{
    const int leaf_count = prc_bvh_leaf_count(bvh);
#pragma omp parallel for schedule(static) num_threads(threads) if (leaf_count > MANY)
    for (int n = 0; n < leaf_count; n++)
        fit_leaf(bvh, n, bound);
    for (int level = 1; level < bvh->level_count; level++) {
        const int first = bvh->level_start[level], end = bvh->level_start[level + 1];
        const int below = bvh->level_start[level - 1];
#pragma omp parallel for schedule(static) num_threads(threads) if (end - first > MANY)
        for (int n = first; n < end; n++)
            fit_inner(bvh, n, below + (n - first) * PRC_WIDE, first);
    }
}

/* Half the surface of the boxes in nodes [begin, end). */
static double box_area(const prc_bvh *bvh, int begin, int end)
{
    double area = 0;
    for (int n = begin; n < end; n++) {
        const prc_boxes *b = &bvh->node[n];
        for (int k = 0; k < PRC_WIDE; k++) {
            const float x = higher(b->high[0][k] - b->low[0][k], 0); /* empty boxes: 0 */
            const float y = higher(b->high[1][k] - b->low[1][k], 0);
            const float z = higher(b->high[2][k] - b->low[2][k], 0);
            area += (double)(x * y + y * z + z * x);
        }
    }
    return area;
}

/* How much larger the boxes of the nodes of level 0 are than those of their primitives. Relative, so that neither
 * stretching nor sweeping counts as decay. */
static double measure_slack(const prc_bvh *bvh)
{
    const double primitives = box_area(bvh, 0, bvh->level_start[1]);
    const double nodes = box_area(bvh, bvh->level_start[1], bvh->level_start[2]);
    return bvh->arity > 1 && primitives > 0 ? nodes / primitives : 0;
}

bool prc_bvh_update(prc_bvh *bvh, const prc_bound *bound, const unsigned char *motion, bool rebuild,
                    prc_bvh_key *scratch, int threads)
{
    bool built = false;
    for (;;) {
        if (rebuild || bvh->builds == 0) {
            build(bvh, bound, motion, scratch);
            built = true;
        }
        refit(bvh, bound, threads);
        const double slack = measure_slack(bvh);
        if (built)
            bvh->slack_built = slack;
        rebuild = slack > SLACK_LIMIT * bvh->slack_built;
        if (!rebuild)
            return built;
    }
}

/* --- the search --- */

int prc_bvh_search(const prc_bvh *bvh, const prc_query *q, int first_leaf, int missing, int *leaves)
{
    struct {
        int level, node;
    } stack[PRC_WIDE * PRC_BVH_LEVELS];
    int depth = 0, found = 0;
    if (bvh->count == 0)
        return 0;
    stack[depth].level = bvh->level_count - 1;
    stack[depth++].node = bvh->level_start[bvh->level_count] - 1;
    while (depth > 0) {
        const int level = stack[--depth].level, node = stack[depth].node;
        if (level == 0) {
            leaves[found++] = node;
            continue;
        }
        unsigned near = prc_bvh_near(&bvh->node[node], q) & prc_bvh_meeting(bvh, node, missing);
        /* Of the children, number `place` of their level and on, those that end before first_leaf are left out. */
        const int place = (node - bvh->level_start[level]) * PRC_WIDE;
        const int skipped = (first_leaf >> 3 * (level - 1)) - place;
        if (skipped > 0)
            near = near >> skipped << skipped;
        const int child = bvh->level_start[level - 1] + place;
        for (; near; near &= near - 1) {
            stack[depth].level = level - 1;
            stack[depth++].node = child + __builtin_ctz(near);
        }
    }
    return found;
}
