/* backend/cuda/detect.cu — see detect.h: the search, and the lists in order.
 * SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h: a thread looks at one pair at a time */

#include "backend/cuda/detect.h"

#include "kernel/filter.h"

#include <limits.h>
#include <math.h>

PRC_DEVICE_BEGIN

#define ROWS_FIRST 16
#define ROWS_MOST 64
#define CROWD_FIRST 4096
#define COLUMN_MOST (1 << 30)
#define CROWD_MOST (COLUMN_MOST - 1) /* hits of crowded queries: an int counts them and those in columns together */
#define TESTED_CHUNK 1024
#define WRITE_THREADS (2 * PRC_DECIDE_THREADS)
#define FLOCK (PRC_WARP / 2)                /* queries that a warp takes together: half a warp, see open_inner */
#define STACK (PRC_WARP * PRC_TREE_LEVELS)  /* nodes that wait: PRC_TREE_TOP / PRC_WARP, and 31 of every level */
#define QUEUE (PRC_WARP + FLOCK * PRC_WARP) /* candidates that wait: less than a warp, and all of a node */
#define CANDIDATE(at, query) ((unsigned)(at)*PRC_WARP + (unsigned)(query)) /* of at most COLUMN_MOST / ROWS_FIRST */

/* --- what is made once --- */

prc_result prc_device_detector_create(prc_device *d, prc_device_detector *detector, const prc_surface *surface,
                                      prc_error *error)
{
    *detector = prc_device_detector();
    const size_t queries = (size_t)surface->vertex_count + (size_t)surface->edge_count;
    if (queries > COLUMN_MOST / ROWS_FIRST || (size_t)surface->triangle_count > COLUMN_MOST / ROWS_FIRST)
        return prc_fail(error, PRC_ERROR_MEMORY, "%zu vertices and edges are too many for contact on a device",
                        queries);
    detector->queries = (int)queries;
    detector->rows = ROWS_FIRST;
    if (!prc_device_trees_create(d, &detector->trees, surface) || !prc_reserve(d, &detector->hits, queries) ||
        !prc_reserve(d, &detector->tested, queries) || !prc_reserve(d, &detector->kept, queries) ||
        !prc_reserve(d, &detector->start, queries + 1) || !prc_reserve(d, &detector->crowd, CROWD_FIRST) ||
        !prc_reserve(d, &detector->counts, 1))
        return prc_device_status(d, error);
    return PRC_OK;
}

void prc_device_detector_release(prc_device *d, prc_device_detector *detector)
{
    prc_device_trees_release(d, &detector->trees);
    prc_release(d, &detector->column);
    prc_release(d, &detector->hits);
    prc_release(d, &detector->tested);
    prc_release(d, &detector->kept);
    prc_release(d, &detector->start);
    prc_release(d, &detector->list);
    prc_release(d, &detector->crowd);
    prc_release(d, &detector->counts);
    prc_release(d, &detector->part);
    *detector = prc_device_detector();
}

void prc_device_pairs_release(prc_device *d, prc_device_pairs *pairs)
{
    prc_release(d, &pairs->point_triangle);
    prc_release(d, &pairs->edge_edge);
    *pairs = prc_device_pairs();
}

/* --- the search --- */

/* What a warp looks for, together: queries that follow each other in the order of their tree. */
struct flock {
    prc_tree_box box[FLOCK]; /* with their radii; tag: only partners with a number from here on, and what it meets */
    int v[2][FLOCK];         /* vertices; a point's twice */
    int count[FLOCK];        /* hits */
    int place[FLOCK];        /* where in `crowd` the hits go, of crowded ones */
    int listed;              /* where in `list` those of the others go */
    unsigned node[STACK], some[STACK]; /* nodes to open, each for some of the queries: a bit each */
    unsigned candidate[QUEUE]; /* primitives in the order of the tree, each with one of the queries: CANDIDATE */
};

/* What all lanes know of a search. */
struct course {
    int first;    /* query of the flock */
    bool crowded; /* hits go to `crowd`, not to columns */
    int queued;   /* candidates */
    int depth;    /* of the stack */
    int tested;   /* candidates that the filter has seen */
    float far;    /* see prc_filter_swept */
};

static PRC_DEVICE float largest_of(float size, const prc_quad4 &a)
{
    return fmaxf(size, fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z))));
}

static PRC_DEVICE prc_wide3 point_of(const prc_quad4 &a)
{
    const prc_wide3 p = {a.x, a.y, a.z};
    return p;
}

/* The vector between about the closest points of a pair, no shorter than that between these. */
template <int side_a> static PRC_DEVICE prc_wide3 between(const prc_wide3 at[4])
{
    return side_a == 1 ? prc_filter_from_triangle(at[0], at + 1) : prc_filter_from_edge(at, at + 2);
}

/* By how much closer a pair must come than the radii say, m, at least: see prc_detect_rest. v: its four vertices. */
template <int side_a> static PRC_DEVICE float judge_rest(const prc_detect_rest &rest, const int v[4])
{
    if (!rest.at || (rest.body && rest.body[v[0]] != rest.body[v[3]]))
        return 0;
    float size = 0, half = 0;
    prc_wide3 at[4];
    PRC_UNROLL
    for (int k = 0; k < 4; k++) {
        const prc_quad4 x = rest.at[v[k]];
        at[k] = point_of(x);
        size = largest_of(size, x);
        half = x.w;
    }
    const prc_wide3 r = between<side_a>(at);
    const float distance = sqrtf(prc_wide3_dot(r, r)) * 1.000002f + (size * PRC_FILTER_DOUBT + PRC_FILTER_LEAST);
    return fmaxf(2 * half * 0.999998f - distance, 0);
}

template <int side_a> static PRC_DEVICE prc_verdict judge_distance(const prc_wide3 at[4], float reach, float doubt)
{
    return side_a == 1 ? prc_filter_point_triangle(at[0], at + 1, reach, doubt)
                       : prc_filter_edge_edge(at, at + 2, reach, doubt);
}

template <int side_a> static PRC_DEVICE prc_verdict judge_still(const prc_detect_view &j, const int v[4])
{
    float reach[2] = {0, 0}, size = 0;
    prc_wide3 at[4];
    PRC_UNROLL
    for (int k = 0; k < 4; k++) {
        const prc_quad4 x = j.local[v[k]];
        at[k] = point_of(x);
        reach[k >= side_a] = fmaxf(reach[k >= side_a], x.w);
        size = largest_of(size, x);
    }
    const float both = reach[0] + reach[1], doubt = size * PRC_FILTER_DOUBT + PRC_FILTER_LEAST;
    const prc_verdict verdict = judge_distance<side_a>(at, both, doubt);
    if (verdict.farther || !j.rest.at)
        return verdict;
    return judge_distance<side_a>(at, both - judge_rest<side_a>(j.rest, v), doubt);
}

/* Whether the plane between the closest points at the start is seen to keep a pair apart all the way. */
template <int side_a>
static PRC_DEVICE bool stays_apart(const prc_detect_view &j, const int v[4], const prc_wide3 from[4],
                                   const prc_wide3 by[4], float size, float far)
{
    const float reach = (float)j.separation * 1.000001f - judge_rest<side_a>(j.rest, v);
    const float doubt = size * PRC_FILTER_DOUBT + (far + PRC_FILTER_LEAST);
    const prc_wide3 r =
        side_a == 1 ? prc_filter_from_triangle(from[0], from + 1) : prc_filter_from_edge(from, from + 2);
    return prc_filter_parts(r, from, by, side_a, reach, doubt);
}

template <int side_a> static PRC_DEVICE prc_verdict judge_swept(const prc_detect_view &j, const int v[4], float far)
{
    prc_wide x[3][4], p[3][4];
    prc_wide3 from[4], by[4];
    float size = 0;
    PRC_UNROLL
    for (int i = 0; i < 4; i++) {
        const prc_quad4 at = j.local[v[i]], way = j.way[v[i]];
        from[i] = point_of(at);
        by[i] = point_of(way);
        x[0][i] = at.x;
        x[1][i] = at.y;
        x[2][i] = at.z;
        p[0][i] = way.x;
        p[1][i] = way.y;
        p[2][i] = way.z;
        size = largest_of(largest_of(size, at), way);
    }
    prc_verdict verdict = prc_filter_swept(x, p, side_a, (float)j.separation, size, far);
    if (!verdict.farther && j.rest.at)
        verdict.farther = stays_apart<side_a>(j, v, from, by, size, far);
    return verdict;
}

/* The test of the CPU's trees, which for sweeps is a part of what is found: boxes without their radii. */
static PRC_DEVICE bool boxes_near(const prc_tree_box &a, const prc_tree_box &b)
{
    const prc_wide3 a_low = {a.low.x, a.low.y, a.low.z}, a_high = {a.high.x, a.high.y, a.high.z};
    const prc_wide3 b_low = {b.low.x, b.low.y, b.low.z}, b_high = {b.high.x, b.high.y, b.high.z};
    return prc_filter_boxes(a_low, a_high, -a.low.w, b_low, b_high, -b.low.w);
}

/* Judges one candidate and keeps it unless it is surely too far. In which order does not matter. */
template <bool swept, int side_a>
static PRC_DEVICE void judge(const prc_detect_view &j, flock &f, const course &c, int candidate)
{
    const int q = (int)(f.candidate[candidate] % PRC_WARP);
    const unsigned at = f.candidate[candidate] / PRC_WARP;
    const prc_tree_leaf leaf = j.tree[side_a - 1].leaf[at];
    if (swept && !boxes_near(side_a == 1 ? j.bound[f.v[0][q]] : j.tree[1].box[c.first + q - j.points],
                             j.tree[side_a - 1].box[at]))
        return;
    int v[4];
    v[0] = f.v[0][q];
    v[1] = side_a == 1 ? leaf.v[0] : f.v[1][q];
    v[2] = side_a == 1 ? leaf.v[1] : leaf.v[0];
    v[3] = side_a == 1 ? leaf.v[2] : leaf.v[1];
    const prc_verdict verdict = swept ? judge_swept<side_a>(j, v, c.far) : judge_still<side_a>(j, v);
    if (verdict.farther)
        return;
    const int partner = leaf.tag >> 2, entry = verdict.closer ? partner : ~partner;
    const int k = prc_atomic_add(&f.count[q], 1);
    if (c.crowded) {
        const prc_crowded hit = {c.first + q, entry};
        j.crowd[f.place[q] + k] = hit;
    } else if (k < j.rows) {
        j.column[(size_t)(c.first + q) * (size_t)j.rows + (size_t)k] = entry;
    }
}

/* The last `count` candidates, a lane each. */
template <bool swept, int side_a>
static PRC_DEVICE void judge_some(const prc_detect_view &j, const prc_warp &warp, flock &f, course &c, int count)
{
    c.queued -= count;
    c.tested += count;
    warp.each([&](int lane) {
        if (lane < count)
            judge<swept, side_a>(j, f, c, c.queued + lane);
    });
}

/* Whether the numbers and the motion of a box suit a query's. */
static PRC_DEVICE bool suits(int tag, int query_tag)
{
    return ((tag | PRC_MEETS_ALL) >= (query_tag | PRC_MEETS_ALL)) &
           (((tag | query_tag) & PRC_MEETS_ALL) == PRC_MEETS_ALL);
}

static PRC_DEVICE bool overlap(const prc_tree_box &a, const prc_tree_box &b)
{
    return (a.low.x <= b.high.x) & (a.low.y <= b.high.y) & (a.low.z <= b.high.z) & (a.high.x >= b.low.x) &
           (a.high.y >= b.low.y) & (a.high.z >= b.low.z);
}

/* Whether a primitive with vertices v has one of the query's, a and b. */
template <int side_a> static PRC_DEVICE bool shares(const int v[3], int a, int b)
{
    return (v[0] == a) | (v[1] == a) | (side_a == 1 ? v[2] == a : (v[0] == b) | (v[1] == b));
}

/* Lanes are the primitives of a node, one query after the other meets them all. */
template <int side_a>
static PRC_DEVICE void open_leaves(const prc_tree_view &tree, const prc_warp &warp, flock &f, course &c, int node,
                                   unsigned some)
{
    const int first = PRC_TREE_WIDTH * node;
    prc_per_lane<prc_tree_box> box;
    prc_per_lane<prc_tree_leaf> leaf;
    warp.each([&](int lane) {
        const int at = first + lane < tree.count ? first + lane : first;
        leaf[lane] = tree.leaf[at];
        box[lane] = prc_tree_inflate(tree.box[first + lane]); /* level 0 comes first */
    });
    for (; some; some &= some - 1) {
        const int q = prc_lowest_bit(some);
        const prc_tree_box mine = f.box[q];
        const unsigned met = warp.ballot([&](int lane) {
            return (int)overlap(box[lane], mine) & (int)suits(box[lane].high.tag, mine.high.tag) &
                   !shares<side_a>(leaf[lane].v, f.v[0][q], f.v[1][q]);
        });
        if (!met)
            continue;
        warp.each([&](int lane) {
            if (met >> lane & 1)
                f.candidate[c.queued + prc_bit_count(met & ((1u << lane) - 1))] = CANDIDATE(first + lane, q);
        });
        c.queued += prc_bit_count(met);
    }
}

/* Entries of the stack. */
#define NODE(level, node) ((unsigned)(level) << 27 | (unsigned)(node))
#define NODE_LEVEL(entry) ((int)((entry) >> 27))
#define NODE_NUMBER(entry) ((int)((entry)&0x7ffffffu))
#define LINE 128 /* bytes that are asked for together */

/* One more node to open, for some queries. */
static PRC_DEVICE void push(const prc_warp &warp, flock &f, course &c, unsigned node, unsigned some)
{
    if (!some)
        return;
    warp.each([&](int lane) {
        if (lane == 0) {
            f.node[c.depth] = node;
            f.some[c.depth] = some;
        }
    });
    c.depth++;
}

/* Lanes are the boxes of a node, which meet the box around all queries; for those that do, two at a time, lanes are the
 * queries. */
static PRC_DEVICE void open_inner(const prc_tree_view &tree, const prc_warp &warp, flock &f, course &c,
                                  const prc_tree_box &around, int level, int node, unsigned some)
{
    const int first = PRC_TREE_WIDTH * node;
    const prc_tree_box *box = tree.box + tree.start[level] + first;
    unsigned near = warp.ballot([&](int lane) { return overlap(box[lane], around); });
    while (near) {
        const int one = prc_lowest_bit(near);
        near &= near - 1;
        const int other = near ? prc_lowest_bit(near) : -1;
        near &= near - 1; /* of 0, 0 */
        const unsigned met = warp.ballot([&](int lane) {
            const prc_tree_box mine = f.box[lane % FLOCK], theirs = box[lane < FLOCK || other < 0 ? one : other];
            return (int)overlap(theirs, mine) & (int)suits(theirs.high.tag, mine.high.tag);
        });
        push(warp, f, c, NODE(level - 1, first + one), met & some);
        push(warp, f, c, NODE(level - 1, first + other), other < 0 ? 0 : met >> FLOCK & some);
    }
}

/* The box around those of some queries, with their radii. */
static PRC_DEVICE prc_tree_box around_all(const prc_warp &warp, const flock &f, unsigned some)
{
    prc_per_lane<float> side[6];
    warp.each([&](int lane) {
        const prc_tree_box own = f.box[lane % FLOCK];
        const bool counts = some >> lane & 1;
        side[0][lane] = counts ? own.low.x : NAN;
        side[1][lane] = counts ? own.low.y : NAN;
        side[2][lane] = counts ? own.low.z : NAN;
        side[3][lane] = counts ? -own.high.x : NAN;
        side[4][lane] = counts ? -own.high.y : NAN;
        side[5][lane] = counts ? -own.high.z : NAN;
    });
    prc_tree_box box;
    box.low = {warp.least(side[0]), warp.least(side[1]), warp.least(side[2]), 0};
    box.high = {-warp.least(side[3]), -warp.least(side[4]), -warp.least(side[5]), 0};
    return box;
}

/* Asks for the boxes of the node that is on top of the stack, and for the primitives, if these are what it has: a warp
 * has little else to do while it waits for them. A lane per line of 128 bytes. */
static PRC_DEVICE void ask_for_next(const prc_tree_view &tree, const prc_warp &warp, const flock &f, const course &c)
{
    if (c.depth == 0)
        return;
    const int level = NODE_LEVEL(f.node[c.depth - 1]), first = PRC_TREE_WIDTH * NODE_NUMBER(f.node[c.depth - 1]);
    const int boxes = PRC_TREE_WIDTH * (int)sizeof(prc_tree_box) / LINE, per_line = LINE / (int)sizeof(prc_tree_leaf);
    const int left = tree.count - first, leaves = level > 0 ? 0 : left < PRC_TREE_WIDTH ? left : PRC_TREE_WIDTH;
    const prc_tree_box *box = tree.box + tree.start[level] + first;
    warp.each([&](int lane) {
        if (lane < boxes)
            prc_prefetch((const char *)box + LINE * lane);
        else if (per_line * (lane - boxes) < leaves)
            prc_prefetch(tree.leaf + first + per_line * (lane - boxes));
    });
}

/* All hits of some of the queries. */
template <bool swept, int side_a>
static PRC_DEVICE void search_tree(const prc_detect_view &j, const prc_warp &warp, flock &f, course &c, unsigned some)
{
    const prc_tree_view &tree = j.tree[side_a - 1];
    const prc_tree_box around = around_all(warp, f, some);
    const int roots = (tree.size[tree.top] + PRC_TREE_WIDTH - 1) / PRC_TREE_WIDTH;
    warp.each([&](int lane) {
        if (lane < roots) {
            f.node[lane] = NODE(tree.top, lane);
            f.some[lane] = some;
        }
    });
    c.queued = 0;
    c.depth = roots;
    while (c.depth > 0) {
        c.depth--;
        const int level = NODE_LEVEL(f.node[c.depth]), node = NODE_NUMBER(f.node[c.depth]);
        const unsigned for_some = f.some[c.depth];
        ask_for_next(tree, warp, f, c);
        warp.sync();
        if (level > 0)
            open_inner(tree, warp, f, c, around, level, node, for_some);
        else
            open_leaves<side_a>(tree, warp, f, c, node, for_some);
        while (c.queued >= PRC_WARP)
            judge_some<swept, side_a>(j, warp, f, c, PRC_WARP);
    }
    judge_some<swept, side_a>(j, warp, f, c, c.queued);
}

/* Query i, the flock's lane-th. */
template <int side_a> static PRC_DEVICE void make_query(const prc_detect_view &j, flock &f, int lane, int i)
{
    f.count[lane] = 0;
    if (side_a == 1) {
        const int tag = j.point[i], number = tag >> 2;
        f.v[0][lane] = f.v[1][lane] = number;
        f.box[lane] = prc_tree_inflate(j.bound[number]);
        f.box[lane].high.tag = tag & PRC_MEETS_ALL;
    } else {
        const prc_tree_leaf leaf = j.tree[1].leaf[i - j.points];
        f.v[0][lane] = leaf.v[0];
        f.v[1][lane] = leaf.v[1];
        f.box[lane] = prc_tree_inflate(j.tree[1].box[i - j.points]);
        f.box[lane].high.tag = leaf.tag + 4; /* two edges meet once */
    }
}

/* Room for all hits of a crowded query; −1 where there is none. */
static PRC_DEVICE int claim_crowd(const prc_detect_view &j, int count)
{
    const uint64_t base = prc_atomic_add(&j.counts->crowd, (uint64_t)count);
    return base + (uint64_t)count <= (uint64_t)j.crowd_room ? (int)base : -1;
}

static PRC_DEVICE float rounding_far_off(const prc_tree_frame *frame)
{
    double far = 0;
    for (int k = 0; k < 3; k++)
        far = prc_near_higher(far, fabs(frame->origin[k]) + fabs(frame->mean[k]));
    return (float)(32 * DBL_EPSILON * far);
}

/* Lists the hits of queries that are not crowded. */
static PRC_DEVICE void list_hits(const prc_detect_view &j, const prc_warp &warp, flock &f, const course &c, int count)
{
    prc_per_lane<int> hits, before;
    warp.each([&](int lane) {
        hits[lane] = lane < count && f.count[lane] <= j.rows ? f.count[lane] : 0;
        before[lane] = hits[lane];
    });
    const int total = warp.scan(before);
    if (total == 0)
        return;
    warp.each([&](int lane) {
        if (lane == 0)
            f.listed = prc_atomic_add(&j.counts->listed, total);
    });
    warp.each([&](int lane) {
        for (int k = 0; k < hits[lane]; k++)
            j.list[f.listed + before[lane] + k] = (c.first + lane) * j.rows + k;
    });
}

/* Notes the hits of all, of which some are crowded: too many for the column. Those claim a place, which the column then
 * begins with; returns those that got one. */
static PRC_DEVICE unsigned note_hits(const prc_detect_view &j, const prc_warp &warp, flock &f, const course &c,
                                     int count)
{
    return warp.ballot([&](int lane) {
        if (lane >= count)
            return false;
        int side_a;
        const int hits = f.count[lane], i = c.first + lane, number = prc_detect_number(j, i, &side_a);
        j.hits[i] = hits;
        j.kept[(side_a == 1 ? 0 : j.points) + number] = 0; /* crowded ones count up from here */
        j.tested[i] = lane == 0 ? c.tested : 0;
        if (hits <= j.rows)
            return false;
        f.count[lane] = 0;
        f.place[lane] = j.column[(size_t)i * (size_t)j.rows] = claim_crowd(j, hits);
        return f.place[lane] >= 0;
    });
}

/* Queries from c.first on, `count` of them; crowded ones look once more. */
template <bool swept, int side_a>
static PRC_DEVICE void search_flock(const prc_detect_view &j, const prc_warp &warp, flock &f, course &c, int count)
{
    c.far = swept ? rounding_far_off(j.frame) : 0;
    warp.each([&](int lane) {
        if (lane < FLOCK)
            make_query<side_a>(j, f, lane, c.first + (lane < count ? lane : 0));
    });
    unsigned some = ~0u >> (PRC_WARP - count);
    while (some) {
        search_tree<swept, side_a>(j, warp, f, c, some);
        if (!c.crowded)
            list_hits(j, warp, f, c, count);
        some = c.crowded ? 0 : note_hits(j, warp, f, c, count);
        warp.sync();
        c.crowded = true;
    }
}

template <bool swept> static void search_all(prc_device *d, const char *name, const prc_detect_view &view)
{
    const prc_detect_view j = view;
    const int of_points = (j.points + FLOCK - 1) / FLOCK, of_edges = (j.queries - j.points + FLOCK - 1) / FLOCK;
    prc_each_warp<flock>(d, name, (long)of_points + of_edges, [=] PRC_DEVICE(const prc_warp &warp, flock &f, int i) {
        course c = {0, false, 0, 0, 0, 0};
        c.first = i < of_points ? FLOCK * i : j.points + FLOCK * (i - of_points);
        const int left = (i < of_points ? j.points : j.queries) - c.first, count = left < FLOCK ? left : FLOCK;
        if (i < of_points)
            search_flock<swept, 1>(j, warp, f, c, count);
        else
            search_flock<swept, 2>(j, warp, f, c, count);
    });
}

prc_result prc_detect_begin(prc_device *d, prc_device_detector *detector, const double *x, const double *p, int stride,
                            const double *radius, double separation, prc_detect_view *j, prc_error *error)
{
    prc_device_trees *t = &detector->trees;
    if (!prc_device_trees_update(d, t, x, p, stride, radius, separation))
        return prc_device_status(d, error);
    j->tree[0] = t->view[0];
    j->tree[1] = t->view[1];
    j->points = t->vertex_count;
    j->queries = detector->queries;
    j->stride = stride;
    j->point = t->point.data;
    j->triangle_of = t->triangle_of.data;
    j->edge_of = t->edge_of.data;
    j->bound = t->bound.data;
    j->local = t->local.data;
    j->way = t->way.data;
    j->frame = t->frame.data;
    j->x = x;
    j->p = p;
    j->radius = radius;
    j->separation = separation;
    j->rest = detector->rest;
    j->hits = detector->hits.data;
    j->tested = detector->tested.data;
    j->kept = detector->kept.data;
    j->start = detector->start.data;
    j->counts = detector->counts.data;
    return PRC_OK;
}

prc_result prc_detect_search(prc_device *d, prc_device_detector *detector, prc_detect_view *view, prc_error *error)
{
    const size_t room = (size_t)detector->queries * (size_t)detector->rows;
    if (!prc_reserve(d, &detector->column, room) || !prc_reserve(d, &detector->list, room))
        return prc_device_status(d, error);
    view->rows = detector->rows;
    view->crowd_room = (int)(detector->crowd.capacity < INT_MAX ? detector->crowd.capacity : INT_MAX);
    view->column = detector->column.data;
    view->list = detector->list.data;
    view->crowd = detector->crowd.data;
    prc_fill(d, detector->counts.data, 0, sizeof(prc_detect_counts));
    if (view->p)
        search_all<true>(d, "detect search swept", *view);
    else
        search_all<false>(d, "detect search", *view);
    return PRC_OK;
}

/* --- the lists --- */

struct write_view {
    prc_device_pair *list[2];
    int room[2];
};

/* Where the list of a query's pairs starts. */
static PRC_DEVICE prc_device_pair *list_of(const prc_detect_view &j, const write_view &w, int number, int side_a)
{
    return side_a == 1 ? w.list[0] + j.start[number] : w.list[1] + (j.start[j.points + number] - j.start[j.points]);
}

/* The pair of hit e, if it is one. It goes where the number of the query's smaller partners says; no two are equal. */
static PRC_DEVICE void write_hit(const prc_detect_view &j, const write_view &w, int e)
{
    int query, side_a, place = 0;
    const int partner = *prc_detect_hit(j, e, &query);
    if (partner < 0)
        return;
    const int hits = j.hits[query];
    const int *column = j.column + (size_t)query * (size_t)j.rows;
    for (int k = 0; k < hits; k++) {
        const int other = hits <= j.rows ? column[k] : j.crowd[column[0] + k].partner;
        place += other >= 0 && other < partner;
    }
    const int number = prc_detect_number(j, query, &side_a);
    list_of(j, w, number, side_a)[place] = prc_detect_vertices(j, side_a, number, partner);
}

/* Whether all pairs have room; else nothing is written. */
static PRC_DEVICE bool have_room(const prc_detect_view &j, const write_view &w)
{
    const int triangles = j.start[j.points], edges = j.start[j.queries] - triangles;
    return triangles <= w.room[0] && edges <= w.room[1] && j.counts->crowd <= (uint64_t)j.crowd_room;
}

/* What the host wants to know. */
static PRC_DEVICE void write_counts(const prc_detect_view &j)
{
    j.counts->point_triangle = j.start[j.points];
    j.counts->edge_edge = j.start[j.queries] - j.start[j.points];
    for (int k = 0; k < 4; k++)
        j.counts->area[k / 2][k % 2] = j.frame->area[k / 2][k % 2];
}

static void write_lists(prc_device *d, const prc_detect_view *view, const prc_device_pairs *pairs)
{
    const prc_detect_view j = *view;
    write_view w;
    w.list[0] = pairs->point_triangle.data;
    w.list[1] = pairs->edge_edge.data;
    w.room[0] = (int)(pairs->point_triangle.capacity < INT_MAX ? pairs->point_triangle.capacity : INT_MAX);
    w.room[1] = (int)(pairs->edge_edge.capacity < INT_MAX ? pairs->edge_edge.capacity : INT_MAX);
    prc_each(d, "detect write", WRITE_THREADS, [=] PRC_DEVICE(int i) {
        if (i == 0)
            write_counts(j);
        const int hits = have_room(j, w) ? prc_detect_hits(j) : 0;
        for (long e = i; e < hits; e += WRITE_THREADS)
            write_hit(j, w, (int)e);
    });
}

/* Room for the hits of crowded queries, as many as there were; where they are many, longer columns next time. */
static prc_result grow_crowd(prc_device *d, prc_device_detector *detector, const prc_detect_counts *counts, bool *again,
                             prc_error *error)
{
    if (counts->crowd > CROWD_MOST)
        return prc_fail(error, PRC_ERROR_MEMORY,
                        "%llu contact pairs are too many; use a smaller contact.thickness or d_hat",
                        (unsigned long long)counts->crowd);
    *again = counts->crowd > detector->crowd.capacity;
    if (counts->crowd > (uint64_t)detector->queries / 2 && detector->rows < ROWS_MOST &&
        detector->queries <= COLUMN_MOST / (2 * detector->rows))
        detector->rows *= 2;
    if (*again && !prc_reserve(d, &detector->crowd, (size_t)counts->crowd))
        return prc_device_status(d, error);
    return PRC_OK;
}

prc_result prc_detect_finish(prc_device *d, prc_device_detector *detector, const prc_detect_view *j,
                             prc_device_pairs *pairs, bool *again, prc_error *error)
{
    prc_detect_counts counts = prc_detect_counts();
    *again = false;
    pairs->point_triangle_count = pairs->edge_edge_count = 0;
    if (detector->queries == 0)
        return PRC_OK;
    prc_scan(d, j->kept, j->start, detector->queries);
    write_lists(d, j, pairs);
    prc_copy_out(d, &counts, j->counts, sizeof counts);
    if (prc_device_failed(d))
        return prc_device_status(d, error);
    prc_result result = grow_crowd(d, detector, &counts, again, error);
    if (result != PRC_OK || *again)
        return result;
    prc_device_trees_note(&detector->trees, counts.area);

    /* Lists that were too small have stayed as they were. */
    const size_t triangles = (size_t)counts.point_triangle, edges = (size_t)counts.edge_edge;
    if (triangles > pairs->point_triangle.capacity || edges > pairs->edge_edge.capacity) {
        if (!prc_reserve(d, &pairs->point_triangle, triangles + triangles / 4) ||
            !prc_reserve(d, &pairs->edge_edge, edges + edges / 4))
            return prc_device_status(d, error);
        write_lists(d, j, pairs);
    }
    pairs->point_triangle_count = counts.point_triangle;
    pairs->edge_edge_count = counts.edge_edge;
    return prc_device_failed(d) ? prc_device_status(d, error) : PRC_OK;
}

/* --- both together --- */

struct keep_all {
    PRC_DEVICE bool operator()(const prc_detect_view &j, const int *v, int side_a, bool doubtful) const
    {
        return !doubtful || prc_detect_exactly(j, v, side_a);
    }
};

prc_result prc_device_detect(prc_device *d, prc_device_detector *detector, const double *x, int stride,
                             const double *radius, prc_device_pairs *pairs, prc_error *error)
{
    return prc_device_detect_each(d, detector, x, NULL, stride, radius, 0, keep_all(), pairs, error);
}

prc_result prc_device_detect_swept(prc_device *d, prc_device_detector *detector, const double *x, const double *p,
                                   int stride, double separation, prc_device_pairs *pairs, prc_error *error)
{
    return prc_device_detect_each(d, detector, x, p, stride, NULL, separation, keep_all(), pairs, error);
}

long prc_device_detector_candidates(prc_device *d, prc_device_detector *detector)
{
    const int queries = detector->queries, chunks = (queries + TESTED_CHUNK - 1) / TESTED_CHUNK;
    double total = 0;
    if (chunks == 0 || detector->trees.builds == 0 || !prc_reserve(d, &detector->part, (size_t)chunks + 1))
        return 0;
    double *part = detector->part.data;
    const int *tested = detector->tested.data;
    prc_each(d, "detect count", chunks, [=] PRC_DEVICE(int i) {
        double sum = 0;
        for (int k = i; k < queries; k += chunks)
            sum += tested[k];
        part[i] = sum;
    });
    prc_sum(d, part, chunks, chunks, 1, part + chunks);
    prc_copy_out(d, &total, part + chunks, sizeof total);
    return (long)total;
}

PRC_DEVICE_END
