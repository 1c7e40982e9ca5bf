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
#define CROWD_BLOCK 1024
#define CROWD_BLOCKS_MOST                                                                                              \
    (1 << 20) /* of CROWD_BLOCK: a thousand million hits of crowded queries, and as many others                        \
               */
#define COLUMN_MOST (1 << 30)
#define TESTED_CHUNK 1024

#ifdef __CUDACC__
#define PRC_UNROLL _Pragma("unroll")
#else
#define PRC_UNROLL
#endif

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

/* What one thread looks for. */
struct query {
    prc_tree_box box;   /* with its radius */
    prc_tree_box swept; /* without: of a sweep */
    int v[2];           /* a point's twice */
    int number;
    int least;          /* only partners with a tag from here on: two edges meet once */
    int moves;          /* whether it has a free vertex */
    prc_quad4 local[2]; /* its vertices, and their displacements */
    prc_quad4 way[2];
    float far;  /* see prc_filter_swept */
    float size; /* largest coordinate of these */
};

/* Where it puts what it finds. */
struct catch_all {
    int *column; /* the query's, `stride` apart and `room` of them; or NULL */
    size_t stride;
    prc_crowded *crowd;
    int room, query, count, tested;
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

template <bool swept, int side_a> static PRC_DEVICE query make_query(const prc_detect_view &j, int i)
{
    query q;
    if (side_a == 1) {
        const int tag = j.point[i];
        q.number = q.v[0] = q.v[1] = tag >> 1;
        q.least = 0;
        q.moves = tag & 1;
        q.box = prc_tree_inflate(j.bound[q.number]);
    } else {
        const prc_tree_leaf leaf = j.tree[1].leaf[i - j.points];
        q.v[0] = leaf.v[0];
        q.v[1] = leaf.v[1];
        q.number = leaf.tag >> 1;
        q.least = 2 * (q.number + 1);
        q.moves = leaf.tag & 1;
        q.box = j.tree[1].box[i - j.points];
    }
    q.size = 0;
    for (int k = 0; k < side_a; k++) {
        q.local[k] = j.local[q.v[k]];
        q.size = largest_of(q.size, q.local[k]);
        if (swept) {
            q.way[k] = j.way[q.v[k]];
            q.size = largest_of(q.size, q.way[k]);
        }
    }
    if (swept) {
        q.swept = j.bound[q.v[0]];
        prc_tree_join(&q.swept, j.bound[q.v[1]]);
        double far = 0;
        for (int c = 0; c < 3; c++)
            far = prc_near_higher(far, fabs(j.frame->origin[c]) + fabs(j.frame->mean[c]));
        q.far = (float)(32 * DBL_EPSILON * far);
    }
    return q;
}

template <int side_a> static PRC_DEVICE prc_verdict judge_still(const query &q, const prc_quad4 b[])
{
    float reach_a = 0, reach_b = 0, size = q.size;
    prc_wide3 mine[2], other[3];
    for (int k = 0; k < side_a; k++) {
        mine[k] = point_of(q.local[k]);
        reach_a = fmaxf(reach_a, q.local[k].w);
    }
    for (int k = 0; k < 4 - side_a; k++) {
        other[k] = point_of(b[k]);
        reach_b = fmaxf(reach_b, b[k].w);
        size = largest_of(size, b[k]);
    }
    const float reach = reach_a + reach_b, doubt = size * PRC_FILTER_DOUBT + PRC_FILTER_LEAST;
    return side_a == 1 ? prc_filter_point_triangle(mine[0], other, reach, doubt)
                       : prc_filter_edge_edge(mine, other, reach, doubt);
}

template <int side_a>
static PRC_DEVICE prc_verdict judge_swept(const prc_detect_view &j, const query &q, const prc_quad4 b[],
                                          const prc_quad4 way[])
{
    prc_wide x[3][4], p[3][4];
    float size = q.size;
    for (int i = 0; i < 4; i++) {
        const prc_quad4 at = i < side_a ? q.local[i % side_a] : b[(i - side_a) & 3];
        const prc_quad4 by = i < side_a ? q.way[i % side_a] : way[(i - side_a) & 3];
        x[0][i] = at.x;
        x[1][i] = at.y;
        x[2][i] = at.z;
        p[0][i] = by.x;
        p[1][i] = by.y;
        p[2][i] = by.z;
        size = largest_of(largest_of(size, at), by);
    }
    return prc_filter_swept(x, p, side_a, (float)j.separation, size, q.far);
}

/* Whether side B, of which the vertices are v, has a vertex of the query's. */
template <int side_a> static PRC_DEVICE bool shares(const query &q, const int v[3])
{
    bool same = false;
    for (int k = 0; k < 4 - side_a; k++)
        same = same || v[k] == q.v[0] || v[k] == q.v[1];
    return same;
}

/* The test of the CPU's trees, which is a part of what it finds: boxes in the frame of the mean displacement. */
template <int side_a> static PRC_DEVICE bool swept_boxes_near(const prc_detect_view &j, const query &q, const int v[3])
{
    const prc_tree_box mine = q.swept;
    prc_tree_box other = j.bound[v[0]];
    for (int k = 1; k < 4 - side_a; k++)
        prc_tree_join(&other, j.bound[v[k]]);
    const prc_wide3 low = {mine.low.x, mine.low.y, mine.low.z}, high = {mine.high.x, mine.high.y, mine.high.z};
    const prc_wide3 other_low = {other.low.x, other.low.y, other.low.z};
    const prc_wide3 other_high = {other.high.x, other.high.y, other.high.z};
    return prc_filter_boxes(low, high, -mine.low.w, other_low, other_high, -other.low.w);
}

/* Primitive `at` in the order of the tree: whether it makes a pair with the query. */
template <bool swept, int side_a>
static PRC_DEVICE void visit(const prc_detect_view &j, const query &q, int at, catch_all *out)
{
    const prc_tree_leaf leaf = j.tree[side_a - 1].leaf[at];
    if (shares<side_a>(q, leaf.v) || (swept && !swept_boxes_near<side_a>(j, q, leaf.v)))
        return;
    prc_quad4 b[4], way[4];
    for (int k = 0; k < 4 - side_a; k++) {
        b[k] = j.local[leaf.v[k]];
        if (swept)
            way[k] = j.way[leaf.v[k]];
    }
    const prc_verdict verdict = swept ? judge_swept<side_a>(j, q, b, way) : judge_still<side_a>(q, b);
    out->tested++;
    if (verdict.farther)
        return;
    const int partner = leaf.tag >> 1, entry = verdict.closer ? partner : ~partner;
    if (out->count < out->room && out->crowd) {
        const prc_crowded hit = {out->query, entry};
        out->crowd[out->count] = hit;
    } else if (out->count < out->room) {
        out->column[(size_t)out->count * out->stride] = entry;
    }
    out->count++;
}

/* Entries of the stack: a node of a level, with the top bit set, or a primitive. */
#define NODE(level, node) (0x80000000u | (unsigned)(level) << 27 | (unsigned)(node))

#define NOTHING 0x7fffffffu

/* All whose boxes meet the query's. Nodes are opened until a primitive is next, so that threads that go together spend
 * their time in the same loop. What comes next is kept at hand, the rest on the stack. */
template <bool swept, int side_a>
static PRC_DEVICE void search_tree(const prc_detect_view &j, const query &q, catch_all *out)
{
    const prc_tree_view &tree = j.tree[side_a - 1];
    unsigned stack[(PRC_TREE_WIDTH - 1) * (PRC_TREE_LEVELS + 1) + 1];
    unsigned next = NODE(tree.top, 0);
    int depth = 0;
    stack[depth++] = NOTHING;
    while (next != NOTHING) {
        while (next >> 31) {
            const int level = (int)(next >> 27 & 15), first = PRC_TREE_WIDTH * (int)(next & 0x7ffffffu);
            const unsigned child = level > 0 ? NODE(level - 1, first) : (unsigned)first;
            const prc_tree_box *box = tree.box + tree.start[level] + first;
            next = NOTHING;
            PRC_UNROLL
            for (int k = 0; k < PRC_TREE_WIDTH; k++) {
                const prc_quad4 low = box[k].low;
                const prc_quad_tag high = box[k].high;
                if (low.x <= q.box.high.x && low.y <= q.box.high.y && low.z <= q.box.high.z && high.x >= q.box.low.x &&
                    high.y >= q.box.low.y && high.z >= q.box.low.z && high.tag >= q.least &&
                    ((high.tag | q.moves) & 1)) {
                    if (next != NOTHING)
                        stack[depth++] = next;
                    next = child + (unsigned)k;
                }
            }
            if (next == NOTHING)
                next = stack[--depth];
        }
        if (next != NOTHING) {
            visit<swept, side_a>(j, q, (int)next, out);
            next = stack[--depth];
        }
    }
}

/* Room for all hits of a crowded query; −1 where there is none. */
static PRC_DEVICE int claim_crowd(const prc_detect_view &j, int count)
{
    /* Once there are too many nobody adds any more, so that nothing overflows. */
    if (prc_atomic_add(&j.counts->crowd_blocks, 0) > CROWD_BLOCKS_MOST ||
        prc_atomic_add(&j.counts->crowd_blocks, count / CROWD_BLOCK + 1) > CROWD_BLOCKS_MOST)
        return -1;
    const int base = prc_atomic_add(&j.counts->crowd, count);
    return base <= j.crowd_room - count ? base : -1;
}

template <bool swept, int side_a> static PRC_DEVICE void search_query(const prc_detect_view &j, int i)
{
    const query q = make_query<swept, side_a>(j, i);
    catch_all out;
    out.column = j.column + i;
    out.stride = (size_t)j.queries;
    out.crowd = NULL;
    out.room = j.rows;
    out.query = i;
    out.count = out.tested = 0;
    int hits = 0, tested = 0;
    for (int pass = 0; pass < 2; pass++) {
        search_tree<swept, side_a>(j, q, &out);
        if (pass == 0) {
            hits = out.count;
            tested = out.tested;
            if (hits <= j.rows)
                break;
            /* Too many for the column: once more, to a place of its own, which the column then begins with. */
            const int base = claim_crowd(j, hits);
            *out.column = base;
            if (base < 0)
                break;
            out.crowd = j.crowd + base;
            out.room = hits;
            out.count = 0;
        }
    }
    j.hits[i] = hits;
    j.tested[i] = tested;
    j.kept[(side_a == 1 ? 0 : j.points) + q.number] = 0; /* crowded ones are counted up from here */
}

template <bool swept> static void search_all(prc_device *d, const char *name, const prc_detect_view &view)
{
    const prc_detect_view j = view;
    prc_each(d, name, j.queries, [=] PRC_DEVICE(int i) {
        if (i < j.points)
            search_query<swept, 1>(j, i);
        else
            search_query<swept, 2>(j, i);
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
    j->hits = detector->hits.data;
    j->tested = detector->tested.data;
    j->kept = detector->kept.data;
    j->start = detector->start.data;
    j->counts = detector->counts.data;
    return PRC_OK;
}

prc_result prc_detect_search(prc_device *d, prc_device_detector *detector, prc_detect_view *view, prc_error *error)
{
    if (!prc_reserve(d, &detector->column, (size_t)detector->queries * (size_t)detector->rows))
        return prc_device_status(d, error);
    view->rows = detector->rows;
    view->crowd_room = (int)detector->crowd.capacity;
    view->column = detector->column.data;
    view->crowd = detector->crowd.data;
    prc_fill(d, detector->counts.data, 0, sizeof(prc_detect_counts));
    if (view->p)
        search_all<true>(d, "detect search swept", *view);
    else
        search_all<false>(d, "detect search", *view);
    return PRC_OK;
}

/* --- the lists --- */

#define FEW 16

struct write_view {
    prc_device_pair *list[2];
    int room[2];
};

/* Each pair goes to the place that the number of smaller partners says; no two are equal. */
static PRC_DEVICE void write_query(const prc_detect_view &j, prc_device_pair *list, int q, int number, int side_a)
{
    const int hits = j.hits[q];
    const int *column = j.column + q;
    const size_t stride = (size_t)j.queries;
    if (hits > j.rows)
        return;
    if (hits <= FEW) {
        int value[FEW];
        PRC_UNROLL
        for (int k = 0; k < FEW; k++)
            value[k] = k < hits ? column[(size_t)k * stride] : INT_MAX;
        PRC_UNROLL
        for (int k = 0; k < FEW; k++) {
            int place = 0;
            PRC_UNROLL
            for (int i = 0; i < FEW; i++)
                place += value[i] < value[k];
            if (k < hits)
                list[place] = prc_detect_vertices(j, side_a, number, value[k]);
        }
        return;
    }
    for (int k = 0; k < hits; k++) {
        const int partner = column[(size_t)k * stride];
        int place = 0;
        for (int i = 0; i < hits; i++)
            place += column[(size_t)i * stride] < partner;
        list[place] = prc_detect_vertices(j, side_a, number, partner);
    }
}

/* The same for one hit of a crowded query. What has not passed is −1 and smaller than all. */
static PRC_DEVICE void write_crowded(const prc_detect_view &j, prc_device_pair *list, const prc_crowded &hit,
                                     int number, int side_a)
{
    const int base = j.column[hit.query], hits = j.hits[hit.query];
    int place = 0;
    for (int i = base; i < base + hits; i++) {
        const int other = j.crowd[i].partner;
        place += other >= 0 && other < hit.partner;
    }
    list[place] = prc_detect_vertices(j, side_a, number, hit.partner);
}

/* Item i: query i, or a hit of a crowded one. Nothing is written where not everything has room. */
static PRC_DEVICE void write_item(const prc_detect_view &j, const write_view &w, int i)
{
    const int triangles = j.start[j.points], edges = j.start[j.queries] - triangles;
    if (i == 0) {
        j.counts->point_triangle = triangles;
        j.counts->edge_edge = edges;
        for (int k = 0; k < 4; k++)
            j.counts->area[k / 2][k % 2] = j.frame->area[k / 2][k % 2];
    }
    if (triangles > w.room[0] || edges > w.room[1] || j.counts->crowd > j.crowd_room)
        return;
    prc_crowded hit = {i, 0};
    if (i >= j.queries) {
        if (i - j.queries >= j.counts->crowd)
            return;
        hit = j.crowd[i - j.queries];
        if (hit.partner < 0)
            return;
    }
    int side_a;
    const int number = prc_detect_number(j, hit.query, &side_a);
    prc_device_pair *list =
        side_a == 1 ? w.list[0] + j.start[number] : w.list[1] + (j.start[j.points + number] - triangles);
    if (i < j.queries)
        write_query(j, list, i, number, side_a);
    else
        write_crowded(j, list, hit, number, side_a);
}

static void write_lists(prc_device *d, const prc_detect_view *view, const prc_device_pairs *pairs)
{
    const prc_detect_view j = *view;
    write_view w;
    w.list[0] = pairs->point_triangle.data;
    w.list[1] = pairs->edge_edge.data;
    w.room[0] = (int)(pairs->point_triangle.capacity < INT_MAX ? pairs->point_triangle.capacity : INT_MAX);
    w.room[1] = (int)(pairs->edge_edge.capacity < INT_MAX ? pairs->edge_edge.capacity : INT_MAX);
    prc_each(d, "detect write", (long)j.queries + j.crowd_room, [=] PRC_DEVICE(int i) { write_item(j, w, i); });
}

/* Room for the hits of crowded queries, as many as there were; where they are many, longer columns next time. */
static prc_result grow_crowd(prc_device *d, prc_device_detector *detector, const prc_detect_counts *counts, bool *again,
                             prc_error *error)
{
    if (counts->crowd_blocks > CROWD_BLOCKS_MOST)
        return prc_fail(error, PRC_ERROR_MEMORY, "more than %d pairs are too many; use smaller contact distances",
                        CROWD_BLOCKS_MOST * CROWD_BLOCK);
    *again = (size_t)counts->crowd > detector->crowd.capacity;
    if (counts->crowd > detector->queries / 2 && detector->rows < ROWS_MOST &&
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
    PRC_DEVICE bool operator()(const int *, int) const
    {
        return true;
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
