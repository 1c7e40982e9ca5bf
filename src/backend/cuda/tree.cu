/* backend/cuda/tree.cu — see tree.h: the order of the primitives, and the fit of the boxes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/cuda/tree.h"

#include "kernel/hilbert.h"
#include "kernel/near.h"

#include <math.h>
#include <string.h>

PRC_DEVICE_BEGIN

#define SLACK_LIMIT 1.5 /* build when the boxes are this much slacker than after the last build */
#define MEASURED 8      /* updates after which the slack is looked at */
#define KEY_BITS 15     /* of each coordinate: 32768 cells along the longest side */
#define PARTS 4096      /* threads that share the search for the smallest and largest coordinates … */
#define PARTS_LEFT 64   /* … and the next round of it */

/* --- what is made once --- */

/* Sizes of the levels of a tree; returns its boxes, with those that pad each level to a multiple of the width. */
static size_t lay_out(prc_tree_view *view, int count, int arity)
{
    long boxes = 0, size = count;
    *view = prc_tree_view();
    view->count = count;
    view->arity = arity;
    for (int level = 0;; level++) {
        const long padded = (size + PRC_TREE_WIDTH - 1) / PRC_TREE_WIDTH * PRC_TREE_WIDTH;
        view->start[level] = (int)boxes;
        view->size[level] = (int)size;
        view->top = level;
        boxes += padded > 0 ? padded : PRC_TREE_WIDTH;
        if (size <= PRC_TREE_TOP)
            return (size_t)boxes;
        size = padded / PRC_TREE_WIDTH;
    }
}

static PRC_DEVICE prc_tree_box empty_box()
{
    prc_tree_box box;
    box.low = {NAN, NAN, NAN, 0};
    box.high = {NAN, NAN, NAN, 0};
    return box;
}

static bool make_tree(prc_device *d, prc_device_trees *t, int which, int count, int arity)
{
    const size_t boxes = lay_out(&t->view[which], count, arity);
    if (!prc_reserve(d, &t->leaf[which], (size_t)count) || !prc_reserve(d, &t->box[which], boxes))
        return false;
    t->view[which].leaf = t->leaf[which].data;
    t->view[which].box = t->box[which].data;
    prc_tree_box *box = t->box[which].data;
    prc_each(d, "tree empty", (long)boxes, [=] PRC_DEVICE(int i) { box[i] = empty_box(); });
    return true;
}

bool prc_device_trees_create(prc_device *d, prc_device_trees *t, const prc_surface *s)
{
    *t = prc_device_trees();
    const size_t n = (size_t)s->vertex_count, triangles = (size_t)s->triangle_count, edges = (size_t)s->edge_count;
    t->vertex_count = s->vertex_count;
    t->triangle_count = s->triangle_count;
    t->edge_count = s->edge_count;
    t->wants_build = true;
    for (int i = 0; i < s->vertex_count; i++)
        t->free_count += prc_motion_is_free(s->motion[i]);
    if (!make_tree(d, t, 0, s->triangle_count, 3) || !make_tree(d, t, 1, s->edge_count, 2) ||
        !prc_reserve(d, &t->triangle_of, 3 * triangles) || !prc_reserve(d, &t->edge_of, 2 * edges) ||
        !prc_reserve(d, &t->motion, n) || !prc_reserve(d, &t->point, n) || !prc_reserve(d, &t->bound, n) ||
        !prc_reserve(d, &t->local, n) || !prc_reserve(d, &t->frame, 1))
        return false;
    prc_copy_in(d, t->triangle_of.data, s->triangle, sizeof(int) * 3 * triangles);
    prc_copy_in(d, t->edge_of.data, s->edge, sizeof(int) * 2 * edges);
    prc_copy_in(d, t->motion.data, s->motion, n);
    return !prc_device_failed(d);
}

void prc_device_trees_release(prc_device *d, prc_device_trees *t)
{
    prc_release(d, &t->triangle_of);
    prc_release(d, &t->edge_of);
    prc_release(d, &t->motion);
    prc_release(d, &t->point);
    for (int which = 0; which < 2; which++) {
        prc_release(d, &t->leaf[which]);
        prc_release(d, &t->box[which]);
    }
    prc_release(d, &t->bound);
    prc_release(d, &t->local);
    prc_release(d, &t->way);
    prc_release(d, &t->key);
    prc_release(d, &t->value);
    prc_release(d, &t->part);
    prc_release(d, &t->frame);
    *t = prc_device_trees();
}

/* --- the order --- */

/* All that a build sees: points, triangles and edges in one row of items. */
struct build_view {
    int points, triangles, edges, stride;
    const double *x;
    const int *triangle_of, *edge_of;
    double *part;
    prc_tree_frame *frame;
    uint64_t *key;
    int *value;
};

/* The vertices of an item; returns how many. `number`: of the item among its kind. */
static PRC_DEVICE int item_vertices(const build_view &b, int item, int v[3], int *kind, int *number)
{
    *kind = (item >= b.points) + (item >= b.points + b.triangles);
    *number = item - (*kind > 0 ? b.points : 0) - (*kind > 1 ? b.triangles : 0);
    const int arity = *kind == 0 ? 1 : *kind == 1 ? 3 : 2;
    const int *of = *kind == 1 ? b.triangle_of : b.edge_of;
    for (int k = 0; k < arity; k++)
        v[k] = *kind == 0 ? *number : of[(size_t)arity * (size_t)*number + (size_t)k];
    return arity;
}

/* Smallest and largest coordinates of every PARTS-th vertex. */
static PRC_DEVICE void find_part(const build_view &b, int t)
{
    double *low = b.part + (size_t)6 * (size_t)t, *high = low + 3;
    for (int c = 0; c < 3; c++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int i = t; i < b.points; i += PARTS) {
            const double a = b.x[(size_t)c * (size_t)b.stride + (size_t)i];
            least = prc_near_lower(least, a);
            most = prc_near_higher(most, a);
        }
        low[c] = least;
        high[c] = most;
    }
}

/* Part t becomes that of parts t, t + step, t + 2 step, … below `count`. */
static PRC_DEVICE void join_parts(double *part, int t, int step, int count)
{
    double *own = part + (size_t)6 * (size_t)t;
    for (int k = t + step; k < count; k += step) {
        const double *other = part + (size_t)6 * (size_t)k;
        for (int c = 0; c < 3; c++) {
            own[c] = prc_near_lower(own[c], other[c]);
            own[3 + c] = prc_near_higher(own[3 + c], other[3 + c]);
        }
    }
}

static PRC_DEVICE void set_frame(const build_view &b)
{
    double longest = 0;
    for (int c = 0; c < 3; c++) {
        const double low = b.part[c], high = b.part[3 + c];
        b.frame->low[c] = low;
        b.frame->origin[c] = 0.5 * low + 0.5 * high;
        longest = prc_near_higher(longest, 0.5 * high - 0.5 * low);
    }
    const double cells = 0.5 * ((1 << KEY_BITS) - 1) / longest;
    b.frame->cells_per_metre = longest > 0 && cells < DBL_MAX ? cells : 0;
}

/* The cell of an item's middle along the curve, after its kind. */
static PRC_DEVICE void set_key(const build_view &b, int item)
{
    int v[3], kind, number;
    uint32_t cell[3];
    const int arity = item_vertices(b, item, v, &kind, &number);
    for (int c = 0; c < 3; c++) {
        const double *x = b.x + (size_t)c * (size_t)b.stride;
        double low = x[v[0]], high = low;
        for (int k = 1; k < arity; k++) {
            low = prc_near_lower(low, x[v[k]]);
            high = prc_near_higher(high, x[v[k]]);
        }
        const double at = (0.5 * low + 0.5 * high - b.frame->low[c]) * b.frame->cells_per_metre;
        cell[c] = at > 0 ? (uint32_t)prc_near_lower(at, (1 << KEY_BITS) - 1) : 0;
    }
    b.key[item] = (uint64_t)kind << 3 * KEY_BITS | prc_hilbert_place(cell[0], cell[1], cell[2], KEY_BITS);
    b.value[item] = number;
}

static PRC_DEVICE void make_keys(const build_view &b, const prc_grid &grid)
{
    grid.each(PARTS, [&](int t) { find_part(b, t); });
    grid.sync();
    grid.each(PARTS_LEFT, [&](int t) { join_parts(b.part, t, PARTS_LEFT, PARTS); });
    grid.sync();
    if (grid.first()) {
        join_parts(b.part, 0, 1, PARTS_LEFT);
        set_frame(b);
    }
    grid.sync();
    grid.each((long)b.points + b.triangles + b.edges, [&](int i) { set_key(b, i); });
}

static bool build(prc_device *d, prc_device_trees *t, const double *x, int stride)
{
    const size_t items = (size_t)t->vertex_count + (size_t)t->triangle_count + (size_t)t->edge_count;
    if (!prc_reserve(d, &t->key, items) || !prc_reserve(d, &t->value, items) || !prc_reserve(d, &t->part, 6 * PARTS))
        return false;
    build_view b;
    b.points = t->vertex_count;
    b.triangles = t->triangle_count;
    b.edges = t->edge_count;
    b.stride = stride;
    b.x = x;
    b.triangle_of = t->triangle_of.data;
    b.edge_of = t->edge_of.data;
    b.part = t->part.data;
    b.frame = t->frame.data;
    b.key = t->key.data;
    b.value = t->value.data;
    prc_together(
        d, "tree keys", [=] PRC_DEVICE(const prc_grid &grid) { make_keys(b, grid); }, (long)items);
    prc_sort(d, b.key, b.value, (int)items, 3 * KEY_BITS + 2);

    const unsigned char *motion = t->motion.data;
    int *point = t->point.data;
    prc_tree_leaf *triangle = t->leaf[0].data, *edge = t->leaf[1].data;
    prc_each(d, "tree leaves", (long)items, [=] PRC_DEVICE(int place) {
        const int kind = (place >= b.points) + (place >= b.points + b.triangles);
        const int first = (kind > 0 ? b.points : 0) + (kind > 1 ? b.triangles : 0);
        prc_tree_leaf leaf = {{-1, -1, -1}, 0};
        int same_kind, number, meets = 0;
        const int arity = item_vertices(b, first + b.value[place], leaf.v, &same_kind, &number);
        for (int k = 0; k < arity; k++)
            meets |= prc_motion_meets(motion[leaf.v[k]]);
        leaf.tag = 4 * number + meets;
        if (kind == 0)
            point[place] = leaf.tag;
        else
            (kind == 1 ? triangle : edge)[place - first] = leaf;
    });
    if (prc_device_failed(d))
        return false;
    t->builds++;
    t->wants_build = false;
    t->was_built = true;
    return true;
}

/* --- the boxes --- */

struct fit_view {
    int points, free_count, stride;
    const double *x, *p, *radius;
    double separation;
    const unsigned char *motion;
    prc_tree_box *bound;
    prc_quad4 *local, *way;
    prc_tree_frame *frame;
    prc_tree_view tree[2];
    int measures;
};

static PRC_DEVICE void fit_vertex(const fit_view &f, int i)
{
    float low[3], high[3], local[3], way[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        const size_t k = (size_t)c * (size_t)f.stride + (size_t)i;
        const double from = f.x[k], p = f.p ? f.p[k] : 0, mean = f.p ? f.frame->mean[c] : 0;
        prc_near_range(from, from + (p - mean), fabs(from) + fabs(p) + fabs(mean), &low[c], &high[c]);
        local[c] = (float)(from - f.frame->origin[c]);
        way[c] = (float)(p - mean);
    }
    const float radius = (float)(f.p ? 0.5 * f.separation : f.radius[i]);
    prc_tree_box box;
    box.low = {low[0], low[1], low[2], -radius};
    box.high = {high[0], high[1], high[2], prc_motion_meets(f.motion[i])};
    f.bound[i] = box;
    f.local[i] = {local[0], local[1], local[2], radius};
    if (f.p)
        f.way[i] = {way[0], way[1], way[2], 0};
}

/* Half the surface of a box; 0 of one that is not there. */
static PRC_DEVICE double box_area(const prc_tree_box &b)
{
    const double x = b.high.x - b.low.x, y = b.high.y - b.low.y, z = b.high.z - b.low.z;
    return b.high.x >= b.low.x ? x * y + y * z + z * x : 0;
}

/* The box around those of all lanes, for every lane. */
static PRC_DEVICE prc_tree_box join_lanes(const prc_warp &warp, prc_per_lane<prc_tree_box> &box)
{
    prc_tree_box whole;
    prc_per_lane<float> side[7];
    prc_per_lane<int> tag;
    warp.each([&](int lane) {
        const prc_tree_box &own = box[lane];
        side[0][lane] = own.low.x;
        side[1][lane] = own.low.y;
        side[2][lane] = own.low.z;
        side[3][lane] = own.low.w;
        side[4][lane] = -own.high.x;
        side[5][lane] = -own.high.y;
        side[6][lane] = -own.high.z;
        tag[lane] = own.high.tag;
    });
    whole.low = {warp.least(side[0]), warp.least(side[1]), warp.least(side[2]), warp.least(side[3])};
    whole.high = {-warp.least(side[4]), -warp.least(side[5]), -warp.least(side[6]), warp.largest(tag) & ~PRC_MEETS_ALL};
    whole.high.tag |= warp.ballot([&](int lane) { return tag[lane] & 1; }) != 0;
    whole.high.tag |= (warp.ballot([&](int lane) { return tag[lane] >> 1 & 1; }) != 0) << 1;
    return whole;
}

/* Boxes 32i to 32i + 31 of level 0, and box i of level 1. */
static PRC_DEVICE void fit_leaves(const fit_view &f, const prc_warp &warp, int which, int i, double area[2][2])
{
    const prc_tree_view &t = f.tree[which];
    prc_per_lane<prc_tree_box> box;
    warp.each([&](int lane) {
        const int at = PRC_TREE_WIDTH * i + lane;
        box[lane] = empty_box();
        if (at >= t.count)
            return;
        const prc_tree_leaf leaf = t.leaf[at];
        prc_tree_box own = f.bound[leaf.v[0]];
        prc_tree_join(&own, f.bound[leaf.v[1]]);
        if (t.arity == 3)
            prc_tree_join(&own, f.bound[leaf.v[2]]);
        own.high.tag = leaf.tag;
        t.box[at] = own;
        box[lane] = prc_tree_inflate(own);
        area[which][0] += f.measures ? box_area(box[lane]) : 0;
    });
    if (t.top == 0 && !f.measures)
        return;
    const prc_tree_box whole = join_lanes(warp, box);
    warp.each([&](int lane) {
        if (lane > 0)
            return;
        area[which][1] += f.measures ? box_area(whole) : 0;
        if (t.top > 0)
            t.box[t.start[1] + i] = whole;
    });
}

/* Box i of `level`, from the level below. */
static PRC_DEVICE void fit_inner(const prc_tree_view &t, const prc_warp &warp, int level, int i)
{
    prc_per_lane<prc_tree_box> box;
    warp.each([&](int lane) { box[lane] = t.box[t.start[level - 1] + PRC_TREE_WIDTH * i + lane]; });
    const prc_tree_box whole = join_lanes(warp, box);
    warp.each([&](int lane) {
        if (lane == 0)
            t.box[t.start[level] + i] = whole;
    });
}

static PRC_DEVICE int nodes(const prc_tree_view &t)
{
    return (t.count + PRC_TREE_WIDTH - 1) / PRC_TREE_WIDTH;
}

/* Mean displacement of the free vertices, as prc_detect_swept takes it. */
static PRC_DEVICE void find_mean(const fit_view &f, const prc_grid &grid)
{
    double mine[3] = {0, 0, 0}, sum[3];
    grid.each(f.points, [&](int i) {
        for (int c = 0; c < 3 && prc_motion_is_free(f.motion[i]); c++)
            mine[c] += f.p[(size_t)c * (size_t)f.stride + (size_t)i];
    });
    grid.sum(mine, 3, sum);
    if (grid.first())
        for (int c = 0; c < 3; c++)
            f.frame->mean[c] = f.free_count ? sum[c] / f.free_count : 0;
    grid.sync();
}

/* Vertices, then level 0 and 1, then level by level: as many waits as that takes, in one kernel. */
static PRC_DEVICE void fit_all(const fit_view &f, const prc_grid &grid)
{
    double area[2][2] = {{0, 0}, {0, 0}}, total[4];
    if (f.p)
        find_mean(f, grid);
    grid.each(f.points, [&](int i) { fit_vertex(f, i); });
    grid.sync();
    const int first = nodes(f.tree[0]), second = nodes(f.tree[1]);
    grid.each_warp((long)first + second, [&](const prc_warp &warp, int i) {
        fit_leaves(f, warp, i >= first, i < first ? i : i - first, area);
    });
    for (int level = 2; level <= f.tree[0].top || level <= f.tree[1].top; level++) {
        grid.sync();
        const int a = level <= f.tree[0].top ? f.tree[0].size[level] : 0;
        const int b = level <= f.tree[1].top ? f.tree[1].size[level] : 0;
        grid.each_warp((long)a + b,
                       [&](const prc_warp &warp, int i) { fit_inner(f.tree[i >= a], warp, level, i < a ? i : i - a); });
    }
    if (!f.measures)
        return;
    grid.sum(area[0], 4, total);
    if (grid.first())
        for (int k = 0; k < 4; k++)
            f.frame->area[k / 2][k % 2] = total[k];
}

bool prc_device_trees_update(prc_device *d, prc_device_trees *t, const double *x, const double *p, int stride,
                             const double *radius, double separation)
{
    if (t->wants_build && !build(d, t, x, stride))
        return false;
    if (p && !prc_reserve(d, &t->way, (size_t)t->vertex_count))
        return false;
    fit_view f;
    f.points = t->vertex_count;
    f.free_count = t->free_count;
    f.stride = stride;
    f.x = x;
    f.p = p;
    f.radius = radius;
    f.separation = separation;
    f.motion = t->motion.data;
    f.bound = t->bound.data;
    f.local = t->local.data;
    f.way = t->way.data;
    f.frame = t->frame.data;
    f.tree[0] = t->view[0];
    f.tree[1] = t->view[1];
    f.measures = t->measures = t->was_built || ++t->updates % MEASURED == 0;
    prc_together(
        d, "tree fit", [=] PRC_DEVICE(const prc_grid &grid) { fit_all(f, grid); },
        ((long)t->triangle_count + t->edge_count) / 2);
    return !prc_device_failed(d);
}

void prc_device_trees_note(prc_device_trees *t, const double area[2][2])
{
    if (!t->measures)
        return;
    for (int which = 0; which < 2; which++) {
        const double slack = area[which][0] > 0 ? area[which][1] / area[which][0] : 0;
        if (t->was_built)
            t->slack_built[which] = slack;
        t->wants_build |= slack > SLACK_LIMIT * t->slack_built[which];
    }
    t->was_built = t->measures = false;
}

PRC_DEVICE_END
