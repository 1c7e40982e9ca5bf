/* backend/cuda/extend.cu — contacts of a few vertices found anew, and added to those that there are, on the device.
 *
 *   left    which vertices leave; where each is anchored then, in single precision        1 kernel over vertices
 *   anchors, stars   their new anchors; boxes around their primitives                     2 kernels, small
 *   near    all points, edges and triangles, a warp for 32 neighbours, against the stars  1 kernel over primitives
 *   pairs, fresh   the pairs in what that found whose boxes meet; which of them, in
 *           double precision, are contacts that are not in the list                      2 kernels
 *   read    how many                                                                      1 wait
 *   order, make, sort, lists, move   the contacts behind the others; the lists of vertices  5 kernels, or with sorts
 *
 * kernel/contact_extend.h says why that is enough. There is no search in trees: their boxes are those of the last
 * detection, which may have been a swept one, and to fit them takes longer than to look at all primitives. Where there
 * is no room for something, all pairs are found anew. SPDX-License-Identifier: Apache-2.0 */
#define PRC_LANE 1 /* of kernel/wide.h, which the CPU's part of the contact set includes */

#include "backend/cuda/contact.h"

#include "base/clock.h"
#include "kernel/contact_extend.h"

#include <limits.h>
#include <math.h>

PRC_DEVICE_BEGIN

#define MOST_MATCHES (1 << 21)
#define MOST_FRESH (1 << 17)
#define FEW 2048       /* contacts to be added: up to here counting who comes before is faster than sorting, */
#define FEW_KEYS 16384 /* … and up to here where each is one number */
#define MATCH_LANES 8  /* threads that share the primitives of a star */
#define FRESH_THREADS 65536

enum prc_extend_counts {
    COUNT_LEFT,
    COUNT_SOON,
    COUNT_MATCHES,
    COUNT_PAIRS,
    COUNT_FRESH,
    COUNT_MISSING,
    COUNT_FAR,
    COUNT_COUNT
};

/* What kernels see. */
struct extend_view {
    prc_contact_view view;
    int triangles, edges;
    int most, most_matches, most_pairs, most_fresh; /* that there is room for */
    int stars;                                      /* … in whole warps */
    const prc_tree_leaf *triangle_leaf, *edge_leaf; /* in the order of their trees */
    const int *point_order;                         /* 4 number + meets */
    const int *triangle, *edge;                     /* vertices by number */
    const int *triangle_start, *triangle_of, *edge_start, *edge_of;
    prc_quad4 *place;
    int *left;
    prc_tree_box *star;
    prc_extend_match *match;
    prc_fresh *pair, *fresh;
    uint64_t *key;
    int *counts;
};

/* --- what is made once --- */

/* The next `count` integers of a block, from the host. */
static const int *take(prc_device *d, int **next, const int *from, size_t count)
{
    int *at = *next;
    *next += count;
    prc_copy_in(d, at, from, count * sizeof *at);
    return at;
}

bool prc_device_extension_create(prc_device *d, prc_device_extension *x, const prc_surface *s)
{
    const size_t n = (size_t)s->vertex_count, triangles = 3 * (size_t)s->triangle_count,
                 edges = 2 * (size_t)s->edge_count, most = (size_t)prc_extend_most(s->vertex_count);
    const size_t matches = n < MOST_MATCHES / 16 ? 16 * n + 65536 : MOST_MATCHES;
    const size_t fresh = n < 2 * MOST_FRESH ? n / 2 + 4 * FEW : MOST_FRESH;
    if (!prc_reserve(d, &x->of_vertices, 2 * (n + 1) + triangles + edges) || !prc_reserve(d, &x->place, n + 1) ||
        !prc_reserve(d, &x->left, 2 * most) || !prc_reserve(d, &x->star, 2 * (most + PRC_WARP)) ||
        !prc_reserve(d, &x->match, matches) || !prc_reserve(d, &x->pair, matches) ||
        !prc_reserve(d, &x->fresh, fresh) || !prc_reserve(d, &x->key, fresh) || !prc_reserve(d, &x->order, fresh) ||
        !prc_reserve(d, &x->vertex, 4 * fresh + 4 * FEW) || !prc_reserve(d, &x->entry, 4 * fresh + 4 * FEW) ||
        !prc_reserve(d, &x->at, 4 * fresh) || !prc_reserve(d, &x->lists.start, n + 1) ||
        !prc_reserve(d, &x->counts, COUNT_COUNT))
        return false;
    x->few_keys = FEW_KEYS;
    int *next = x->of_vertices.data;
    x->triangle_start = take(d, &next, s->triangle_start, n + 1);
    x->triangle_of = take(d, &next, s->triangle_of, triangles);
    x->edge_start = take(d, &next, s->edge_start, n + 1);
    x->edge_of = take(d, &next, s->edge_of, edges);
    return !prc_device_failed(d);
}

void prc_device_extension_release(prc_device *d, prc_device_extension *x)
{
    prc_release(d, &x->of_vertices);
    prc_release(d, &x->place);
    prc_release(d, &x->left);
    prc_release(d, &x->star);
    prc_release(d, &x->match);
    prc_release(d, &x->pair);
    prc_release(d, &x->fresh);
    prc_release(d, &x->key);
    prc_release(d, &x->order);
    prc_release(d, &x->vertex);
    prc_release(d, &x->entry);
    prc_release(d, &x->at);
    prc_device_index_release(d, &x->lists);
    prc_release(d, &x->counts);
}

static extend_view see(prc_device_contacts *c)
{
    prc_device_extension *x = &c->extension;
    const prc_device_trees *t = &c->detector.trees;
    extend_view j;
    j.view = c->view;
    j.triangles = t->triangle_count;
    j.edges = t->edge_count;
    j.most = prc_extend_most(c->view.vertex_count);
    j.stars = (j.most + PRC_WARP - 1) / PRC_WARP * PRC_WARP;
    j.most_matches = (int)x->match.capacity;
    j.most_pairs = (int)x->pair.capacity;
    j.most_fresh = (int)x->fresh.capacity;
    j.triangle_leaf = t->view[0].leaf;
    j.edge_leaf = t->view[1].leaf;
    j.point_order = t->point.data;
    j.triangle = t->triangle_of.data;
    j.edge = t->edge_of.data;
    j.triangle_start = x->triangle_start;
    j.triangle_of = x->triangle_of;
    j.edge_start = x->edge_start;
    j.edge_of = x->edge_of;
    j.place = x->place.data;
    j.left = x->left.data;
    j.star = x->star.data;
    j.match = x->match.data;
    j.pair = x->pair.data;
    j.fresh = x->fresh.data;
    j.key = x->key.data;
    j.counts = x->counts.data;
    return j;
}

/* --- boxes --- */

/* Rounded by less than `box_around` and the factor here make up for. */
static PRC_DEVICE prc_quad4 place_at(const prc_contact_view &view, int i)
{
    prc_quad4 place;
    place.x = (float)view.anchor[i];
    place.y = (float)view.anchor[view.stride + i];
    place.z = (float)view.anchor[2 * (long)view.stride + i];
    place.w = (float)(view.radius[i] * 1.000002);
    return place;
}

/* So far that single precision may not have its box. */
static PRC_DEVICE bool is_far(const prc_quad4 &place)
{
    return !(fmaxf(fmaxf(fabsf(place.x), fabsf(place.y)), fmaxf(fabsf(place.z), place.w)) < 1e30f);
}

static PRC_DEVICE prc_tree_box box_of_nothing()
{
    prc_tree_box box;
    box.low = {INFINITY, INFINITY, INFINITY, 0};
    box.high = {-INFINITY, -INFINITY, -INFINITY, 0};
    return box;
}

/* … w of `low`: the largest radius. */
static PRC_DEVICE void join(prc_tree_box *box, const prc_quad4 &place)
{
    box->low.x = fminf(box->low.x, place.x);
    box->low.y = fminf(box->low.y, place.y);
    box->low.z = fminf(box->low.z, place.z);
    box->low.w = fmaxf(box->low.w, place.w);
    box->high.x = fmaxf(box->high.x, place.x);
    box->high.y = fmaxf(box->high.y, place.y);
    box->high.z = fmaxf(box->high.z, place.z);
}

/* The box with the radius on all sides, and what positions were rounded by. */
static PRC_DEVICE prc_tree_box box_around(prc_tree_box box)
{
    const float by = box.low.w, share = 1.0f / (1 << 21);
    box.low.x -= by + fabsf(box.low.x) * share;
    box.low.y -= by + fabsf(box.low.y) * share;
    box.low.z -= by + fabsf(box.low.z) * share;
    box.high.x += by + fabsf(box.high.x) * share;
    box.high.y += by + fabsf(box.high.y) * share;
    box.high.z += by + fabsf(box.high.z) * share;
    return box;
}

static PRC_DEVICE prc_tree_box box_of(const extend_view &j, const int *v, int count)
{
    prc_tree_box box = box_of_nothing();
    for (int k = 0; k < count; k++)
        join(&box, j.place[v[k]]);
    return box_around(box);
}

static PRC_DEVICE bool meet(const prc_tree_box &a, const prc_tree_box &b)
{
    return (a.low.x <= b.high.x) & (a.low.y <= b.high.y) & (a.low.z <= b.high.z) & (a.high.x >= b.low.x) &
           (a.high.y >= b.low.y) & (a.high.z >= b.low.z);
}

/* --- what is near --- */

/* Lists the vertices from `first` on that are in `some`, a bit each. */
static PRC_DEVICE void list_some(const prc_warp &warp, int &place, int first, unsigned some, int *count, int *list,
                                 int most)
{
    if (!some)
        return;
    warp.each([&](int lane) {
        if (lane == 0)
            place = prc_atomic_add(count, prc_bit_count(some));
    });
    warp.each([&](int lane) {
        const int k = place + prc_bit_count(some & ((1u << lane) - 1));
        if ((some >> lane & 1) && k < most)
            list[k] = first + lane;
    });
}

/* What leaves, and what soon will; and where all are anchored now. */
static void find_left(prc_device *d, const extend_view &seen, const double *y, const double *p)
{
    const extend_view j = seen;
    const int n = j.view.vertex_count;
    prc_fill(d, j.counts, 0, COUNT_COUNT * sizeof(int));
    prc_each_warp<int>(d, "extend: left", (n + PRC_WARP - 1) / PRC_WARP,
                       [=] PRC_DEVICE(const prc_warp &warp, int &place, int w) {
                           const int first = PRC_WARP * w;
                           prc_per_lane<int> leaving;
                           warp.each([&](int lane) {
                               const int i = first + lane;
                               leaving[lane] = i < n ? prc_contact_leaving(&j.view, i, y, p) : 0;
                               if (i >= n)
                                   return;
                               j.view.marked[i] = leaving[lane] == 2;
                               j.place[i] = place_at(j.view, i);
                               if (is_far(j.place[i]))
                                   prc_atomic_or(&j.counts[COUNT_FAR], 1);
                           });
                           const unsigned left = warp.ballot([&](int lane) { return leaving[lane] == 2; });
                           const unsigned soon = warp.ballot([&](int lane) { return leaving[lane] == 1; });
                           list_some(warp, place, first, left, &j.counts[COUNT_LEFT], j.left, j.most);
                           list_some(warp, place, first, soon, &j.counts[COUNT_SOON], j.left + j.most, j.most);
                       });
}

/* How many count as having left; none where those that do are too many. */
static PRC_DEVICE int left_count(const extend_view &j)
{
    const int left = j.counts[COUNT_LEFT], soon = j.counts[COUNT_SOON];
    return left > j.most ? 0 : soon > j.most - left ? left : left + soon;
}

/* The k-th of them. */
static PRC_DEVICE int left_at(const extend_view &j, int k)
{
    const int left = j.counts[COUNT_LEFT];
    return k < left ? j.left[k] : j.left[j.most + k - left];
}

static void move_anchors(prc_device *d, const extend_view &seen, const double *y, const double *p)
{
    const extend_view j = seen;
    prc_each(d, "extend: anchors", j.most, [=] PRC_DEVICE(int k) {
        if (k >= left_count(j))
            return;
        const int i = left_at(j, k);
        prc_contact_anchor(&j.view, i, y, p);
        j.place[i] = place_at(j.view, i);
        j.view.marked[i] = 1;
        if (is_far(j.place[i]))
            prc_atomic_or(&j.counts[COUNT_FAR], 1);
    });
}

static void make_stars(prc_device *d, const extend_view &seen)
{
    const extend_view j = seen;
    prc_each(d, "extend: stars", j.stars, [=] PRC_DEVICE(int k) {
        prc_tree_box star = box_of_nothing(), point = star;
        if (k < left_count(j)) {
            const int i = left_at(j, k);
            join(&point, j.place[i]);
            star = point;
            for (int e = j.edge_start[i]; e < j.edge_start[i + 1]; e++) {
                const int *end = j.edge + 2 * (size_t)j.edge_of[e];
                join(&star, j.place[end[0] == i ? end[1] : end[0]]);
            }
            star = box_around(star);
            point = box_around(point);
        }
        j.star[k] = star;
        j.star[j.stars + k] = point;
    });
}

/* The box around those of all lanes. */
static PRC_DEVICE prc_tree_box around_all(const prc_warp &warp, const prc_per_lane<prc_tree_box> &box)
{
    prc_per_lane<float> side[6];
    warp.each([&](int lane) {
        side[0][lane] = box[lane].low.x;
        side[1][lane] = box[lane].low.y;
        side[2][lane] = box[lane].low.z;
        side[3][lane] = -box[lane].high.x;
        side[4][lane] = -box[lane].high.y;
        side[5][lane] = -box[lane].high.z;
    });
    prc_tree_box whole;
    whole.low = {warp.least(side[0]), warp.least(side[1]), warp.least(side[2]), 0};
    whole.high = {-warp.least(side[3]), -warp.least(side[4]), -warp.least(side[5]), 0};
    return whole;
}

/* Box of the primitive at a place in the order of its tree: of points, triangles or edges. */
static PRC_DEVICE prc_tree_box box_of_item(const extend_view &j, int kind, int at)
{
    if (kind == 0) {
        const int i = j.point_order[at] >> 2;
        return box_of(j, &i, 1);
    }
    const prc_tree_leaf leaf = kind == 1 ? j.triangle_leaf[at] : j.edge_leaf[at];
    return kind == 1 ? box_of(j, leaf.v, 3) : box_of(j, leaf.v, 2);
}

/* The 32 primitives of a kind from `first` on, of `size`; before all of them are `before` items. */
static PRC_DEVICE void look_near(const extend_view &j, const prc_warp &warp, int &place, int kind, int first, int size,
                                 int before)
{
    const int count = left_count(j);
    prc_per_lane<prc_tree_box> box;
    warp.each(
        [&](int lane) { box[lane] = first + lane < size ? box_of_item(j, kind, first + lane) : box_of_nothing(); });
    const prc_tree_box around = around_all(warp, box), *star = j.star + (kind == 1 ? j.stars : 0);
    for (int base = 0; base < count; base += PRC_WARP) {
        unsigned near = warp.ballot([&](int lane) { return meet(star[base + lane], around); });
        for (; near; near &= near - 1) {
            const int s = base + prc_lowest_bit(near);
            const prc_tree_box theirs = star[s];
            const unsigned met = warp.ballot([&](int lane) { return meet(box[lane], theirs); });
            if (!met)
                continue;
            warp.each([&](int lane) {
                if (lane == 0)
                    place = prc_atomic_add(&j.counts[COUNT_MATCHES], prc_bit_count(met));
            });
            if (place > j.most_matches) /* all is in vain then, and the count must not overflow */
                return;
            warp.each([&](int lane) {
                const int k = place + prc_bit_count(met & ((1u << lane) - 1));
                const prc_extend_match match = {s, before + first + lane};
                if ((met >> lane & 1) && k < j.most_matches)
                    j.match[k] = match;
            });
        }
    }
}

static void find_near(prc_device *d, const extend_view &seen)
{
    const extend_view j = seen;
    const int points = j.view.vertex_count, of_points = (points + PRC_WARP - 1) / PRC_WARP;
    const int of_triangles = (j.triangles + PRC_WARP - 1) / PRC_WARP, of_edges = (j.edges + PRC_WARP - 1) / PRC_WARP;
    prc_each_warp<int>(d, "extend: near", (long)of_points + of_triangles + of_edges,
                       [=] PRC_DEVICE(const prc_warp &warp, int &place, int i) {
                           if (i < of_points)
                               look_near(j, warp, place, 0, PRC_WARP * i, points, 0);
                           else if (i < of_points + of_triangles)
                               look_near(j, warp, place, 1, PRC_WARP * (i - of_points), j.triangles, points);
                           else
                               look_near(j, warp, place, 2, PRC_WARP * (i - of_points - of_triangles), j.edges,
                                         points + j.triangles);
                       });
}

/* --- what is fresh --- */

/* Notes a pair whose boxes meet. False where there is no room: all is in vain then, and the count must not overflow. */
static PRC_DEVICE bool note_pair(const extend_view &j, const prc_fresh &pair)
{
    if (!meet(box_of(j, pair.v, pair.side_a), box_of(j, pair.v + pair.side_a, 4 - pair.side_a)))
        return true;
    const int k = prc_atomic_add(&j.counts[COUNT_PAIRS], 1);
    if (k < j.most_pairs)
        j.pair[k] = pair;
    return k < j.most_pairs;
}

/* A point, and the triangles of a vertex that left. */
static PRC_DEVICE bool pair_point(const extend_view &j, prc_fresh &pair, int point, int lane)
{
    if (j.view.marked[point])
        return true;
    for (int e = j.triangle_start[pair.vertex] + lane; e < j.triangle_start[pair.vertex + 1]; e += MATCH_LANES) {
        const int triangle = j.triangle_of[e];
        const int *corner = j.triangle + 3 * (size_t)triangle;
        if (prc_extend_owner(j.view.marked, corner, 3) == pair.vertex &&
            prc_extend_point(&j.view, point, triangle, corner, &pair) && !note_pair(j, pair))
            return false;
    }
    return true;
}

/* An edge, and those of a vertex that left. */
static PRC_DEVICE bool pair_edge(const extend_view &j, prc_fresh &pair, const prc_tree_leaf &leaf, int lane)
{
    for (int e = j.edge_start[pair.vertex] + lane; e < j.edge_start[pair.vertex + 1]; e += MATCH_LANES) {
        const int edge = j.edge_of[e];
        const int *end = j.edge + 2 * (size_t)edge;
        if (prc_extend_owner(j.view.marked, end, 2) == pair.vertex &&
            prc_extend_edge(&j.view, j.view.marked, edge, end, leaf.tag >> 2, leaf.v, &pair) && !note_pair(j, pair))
            return false;
    }
    return true;
}

static PRC_DEVICE bool pair_match(const extend_view &j, const prc_extend_match &match, int lane)
{
    const int points = j.view.vertex_count;
    prc_fresh pair;
    pair.vertex = left_at(j, match.star);
    if (match.item < points)
        return pair_point(j, pair, j.point_order[match.item] >> 2, lane);
    if (match.item >= points + j.triangles)
        return pair_edge(j, pair, j.edge_leaf[match.item - points - j.triangles], lane);
    const prc_tree_leaf leaf = j.triangle_leaf[match.item - points];
    return lane > 0 || !prc_extend_point(&j.view, pair.vertex, leaf.tag >> 2, leaf.v, &pair) || note_pair(j, pair);
}

static void find_pairs(prc_device *d, const extend_view &seen)
{
    const extend_view j = seen;
    prc_each(d, "extend: pairs", FRESH_THREADS, [=] PRC_DEVICE(int i) {
        const int matches = j.counts[COUNT_MATCHES];
        bool room = matches <= j.most_matches;
        for (int e = i; room && e < MATCH_LANES * matches; e += FRESH_THREADS)
            room = pair_match(j, j.match[e / MATCH_LANES], e % MATCH_LANES);
    });
}

static PRC_DEVICE void add(const extend_view &j, const prc_fresh &fresh)
{
    const int k = prc_atomic_add(&j.counts[COUNT_FRESH], 1);
    if (k >= 0 && k < j.most_fresh) {
        j.fresh[k] = fresh;
        j.key[k] = fresh.key;
    }
}

static PRC_DEVICE void look_at_collider(const extend_view &j, int vertex, int collider)
{
    const prc_fresh fresh = {prc_fresh_key(0, collider, vertex), {vertex, collider, -1, -1}, 0, vertex};
    if (vertex >= j.view.elastic_count || !prc_collider_is_fresh(&j.view, &fresh))
        return;
    prc_atomic_add(&j.counts[COUNT_MISSING], 3);
    add(j, fresh);
}

/* The triangles of a vertex that left and a collider; the first of those that left shows them. */
static PRC_DEVICE void look_at_faces(const extend_view &j, int vertex, int collider)
{
    const bool none = j.view.colliders[collider].faces == PRC_FACES_NONE;
    for (int e = j.triangle_start[vertex + none]; e < j.triangle_start[vertex + 1]; e++) {
        const int triangle = j.triangle_of[e], *corner = j.view.triangles[triangle];
        if (triangle >= j.view.triangle_count || prc_extend_owner(j.view.marked, corner, 3) != vertex)
            continue; /* an edge or a point in place of a triangle, or somebody else's */
        const int contacts = prc_face_contacts(&j.view, corner, collider);
        for (int which = 0; which < contacts; which++) {
            prc_fresh fresh;
            fresh.vertex = vertex;
            prc_extend_face(&fresh, triangle, corner, collider, which);
            if (!prc_face_is_fresh(&j.view, &fresh))
                continue;
            prc_atomic_add(&j.counts[COUNT_MISSING], 1);
            add(j, fresh);
        }
    }
}

static void find_fresh(prc_device *d, const extend_view &seen)
{
    const extend_view j = seen;
    prc_each<4>(d, "extend: fresh", FRESH_THREADS, [=] PRC_DEVICE(int i) {
        const int left = left_count(j), pairs = j.counts[COUNT_PAIRS];
        for (int e = i; e < pairs && pairs <= j.most_pairs; e += FRESH_THREADS)
            if (prc_pair_is_fresh(&j.view, &j.pair[e]))
                add(j, j.pair[e]);
        for (long e = i; e < (long)left * j.view.collider_count; e += FRESH_THREADS) {
            look_at_collider(j, left_at(j, (int)(e % left)), (int)(e / left));
            look_at_faces(j, left_at(j, (int)(e % left)), (int)(e / left));
        }
    });
}

/* --- behind the others --- */

#define OWN 4 /* keys that a warp compares with all at once */

/* order[k]: which of the contacts to be added is the k-th by its key. */
static void sort_fresh(prc_device_contacts *c, int count)
{
    const prc_device_extension *x = &c->extension;
    uint64_t *key = x->key.data;
    int *order = x->order.data, bits = 1;
    if (count <= x->few_keys) {
        prc_each_warp<int>(c->device, "extend: order", (count + OWN - 1) / OWN,
                           [=] PRC_DEVICE(const prc_warp &warp, int &, int w) {
                               prc_per_lane<int> before[OWN];
                               uint64_t own[OWN];
                               PRC_UNROLL
                               for (int q = 0; q < OWN; q++)
                                   own[q] = key[OWN * w + q < count ? OWN * w + q : count - 1];
                               warp.each([&](int lane) {
                                   int less[OWN] = {0, 0, 0, 0};
                                   for (int k = lane; k < count; k += PRC_WARP) {
                                       const uint64_t other = key[k];
                                       PRC_UNROLL
                                       for (int q = 0; q < OWN; q++)
                                           less[q] += other < own[q];
                                   }
                                   PRC_UNROLL
                                   for (int q = 0; q < OWN; q++)
                                       before[q][lane] = less[q];
                               });
                               PRC_UNROLL
                               for (int q = 0; q < OWN; q++) {
                                   const int place = warp.scan(before[q]);
                                   if (OWN * w + q < count)
                                       order[place] = OWN * w + q;
                               }
                           });
        return;
    }
    const prc_device_trees *t = &c->detector.trees;
    while (bits < 31 && (t->vertex_count >> bits || (3L * t->triangle_count) >> bits || t->edge_count >> bits ||
                         c->view.collider_count >> bits))
        bits++;
    const int field = bits;
    prc_each(c->device, "extend: keys", count, [=] PRC_DEVICE(int i) {
        key[i] = prc_fresh_pack(key[i], field);
        order[i] = i;
    });
    prc_sort(c->device, key, order, count, 2 * field + 2);
}

/* Contacts from number `base` on, and their entries in the lists of vertices; places that one does not have belong to
 * nobody, past the last vertex. */
static void make_fresh(prc_device_contacts *c, const double *y, int base, int count)
{
    const prc_contact_view view = c->view;
    const prc_fresh *fresh = c->extension.fresh.data;
    const int *order = c->extension.order.data;
    uint32_t *vertex = c->extension.vertex.data;
    int *entry = c->extension.entry.data;
    prc_each(c->device, "extend: make", count, [=] PRC_DEVICE(int k) {
        prc_contact contact;
        prc_fresh_make(&view, &contact, &fresh[order[k]], y);
        prc_contact_close(&view, base + k, PRC_SLICE_ALL, &contact);
        if (view.far)
            view.far[base + k] = prc_contact_beyond(&contact);
        PRC_UNROLL
        for (int p = 0; p < 4; p++) {
            vertex[4 * k + p] =
                (uint32_t)(p < contact.count || contact.collider < 0 ? contact.v[p] : view.vertex_count);
            entry[4 * k + p] = 4 * (base + k) + p;
        }
    });
}

/* Their entries, in the order of vertices; each vertex's ascend. */
static void sort_entries(prc_device_contacts *c, int count, const uint32_t **sorted_vertex, const int **sorted_entry)
{
    prc_device_extension *x = &c->extension;
    uint32_t *vertex = x->vertex.data, *to_vertex = vertex + 4 * x->fresh.capacity;
    int *entry = x->entry.data, *to_entry = entry + 4 * x->fresh.capacity, bits = 1;
    *sorted_vertex = count <= FEW ? to_vertex : vertex;
    *sorted_entry = count <= FEW ? to_entry : entry;
    while (bits < 31 && c->view.vertex_count >> bits)
        bits++;
    if (count > FEW) {
        prc_sort(c->device, vertex, entry, 4 * count, bits);
        return;
    }
    prc_each_warp<int>(c->device, "extend: sort", 4L * count, [=] PRC_DEVICE(const prc_warp &warp, int &, int e) {
        const uint32_t own = vertex[e];
        prc_per_lane<int> before;
        warp.each([&](int lane) {
            before[lane] = 0;
            for (int k = lane; k < 4 * count; k += PRC_WARP)
                before[lane] += vertex[k] < own || (vertex[k] == own && k < e);
        });
        const int place = warp.scan(before);
        to_vertex[place] = own;
        to_entry[place] = entry[e];
    });
}

#define MOVE_CHUNK (8 * PRC_WARP)

/* f(i, how many of `among` ascending numbers come before i) for i from `from` on, before `to`: as comes_before(k, i)
 * says of the k-th. Most of the time that is the same for all of them. */
template <class B, class F>
static PRC_DEVICE void move_chunk(const prc_warp &warp, int from, int to, int among, B comes_before, F f)
{
    prc_per_lane<int> at_ends, least, most;
    warp.each([&](int lane) {
        const int end = lane == 0 ? from : to - 1;
        at_ends[lane] = lane > 1 ? 0 : prc_count_before(0, among, [&](int k) { return comes_before(k, end); });
    });
    warp.move(at_ends, least, [](int) { return 0; });
    warp.move(at_ends, most, [](int) { return 1; });
    warp.each([&](int lane) {
        for (int i = from + lane; i < to; i += PRC_WARP)
            f(i, prc_count_before(least[lane], most[lane], [&](int k) { return comes_before(k, i); }));
    });
}

/* They go to the ends of the lists of their vertices; all other entries move by those that come before. */
static void extend_lists(prc_device_contacts *c, int count, int added)
{
    prc_device_extension *x = &c->extension;
    const uint32_t *vertex;
    const int *entry, *start = c->of_contacts.start.data, *of = c->of_contacts.of.data;
    int *new_start = x->lists.start.data, *new_of = x->lists.of.data, *at = x->at.data;
    const int entries = x->entries, starts = c->view.vertex_count + 1;
    const int of_entries = (entries + MOVE_CHUNK - 1) / MOVE_CHUNK, of_starts = (starts + MOVE_CHUNK - 1) / MOVE_CHUNK;
    sort_entries(c, count, &vertex, &entry);
    prc_each(c->device, "extend: lists", added, [=] PRC_DEVICE(int k) {
        at[k] = start[vertex[k] + 1];
        new_of[at[k] + k] = entry[k];
    });
    prc_each_warp<int>(
        c->device, "extend: move", (long)of_entries + of_starts, [=] PRC_DEVICE(const prc_warp &warp, int &, int w) {
            const bool moves_entries = w < of_entries;
            const int from = MOVE_CHUNK * (moves_entries ? w : w - of_entries), all = moves_entries ? entries : starts;
            const int to = from + MOVE_CHUNK < all ? from + MOVE_CHUNK : all;
            if (moves_entries)
                move_chunk(
                    warp, from, to, added, [=](int k, int e) { return at[k] <= e; },
                    [=](int e, int before) { new_of[e + before] = of[e]; });
            else
                move_chunk(
                    warp, from, to, added, [=](int k, int i) { return vertex[k] < (uint32_t)i; },
                    [=](int i, int before) { new_start[i] = start[i] + before; });
        });
}

static bool append(prc_contact_set *set, const double *y, int count, int missing)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device_extension *x = &c->extension;
    prc_device *d = c->device;
    const int base = set->contact_count, added = 4 * count - missing, entries = x->entries + added;
    if (!prc_reserve(d, &x->lists.of, (size_t)entries))
        return false;
    sort_fresh(c, count);
    make_fresh(c, y, base, count);
    extend_lists(c, count, added);
    const prc_buffer<int> start = c->of_contacts.start, of = c->of_contacts.of;
    c->of_contacts.start = x->lists.start;
    c->of_contacts.of = x->lists.of;
    x->lists.start = start;
    x->lists.of = of;
    x->entries = entries;
    c->view.of_start = c->of_contacts.start.data;
    c->view.of = c->of_contacts.of.data;
    set->contact_count = base + count;
    return prc_device_contacts_reserve_rows(set);
}

bool prc_device_contact_extend(prc_contact_set *set, const double *y, const double *p)
{
    prc_device_contacts *c = prc_device_contacts_of(set);
    prc_device *d = c->device;
    const double began = prc_seconds();
    int counts[COUNT_COUNT] = {0};
    if (c->detector.trees.builds == 0) /* … and primitives in no order */
        return false;
    prc_device_colliders_send(d, &c->colliders, set->colliders);
    const extend_view j = see(c);
    find_left(d, j, y, p);
    move_anchors(d, j, y, p);
    make_stars(d, j);
    find_near(d, j);
    find_pairs(d, j);
    find_fresh(d, j);
    prc_copy_out(d, counts, j.counts, sizeof counts);
    const double found = prc_seconds();
    set->seconds_broad += found - began;
    if (prc_device_failed(d) || counts[COUNT_FAR] || counts[COUNT_LEFT] > j.most ||
        counts[COUNT_MATCHES] > j.most_matches || counts[COUNT_PAIRS] > j.most_pairs ||
        (unsigned)counts[COUNT_FRESH] > (unsigned)j.most_fresh ||
        (long)set->contact_count + counts[COUNT_FRESH] > c->view.slice_stride ||
        (long)set->contact_count + counts[COUNT_FRESH] >= INT_MAX / 4 - MOVE_CHUNK) /* an int counts entries */
        return false;
    const bool added = counts[COUNT_FRESH] == 0 || append(set, y, counts[COUNT_FRESH], counts[COUNT_MISSING]);
    set->seconds_bounds += prc_seconds() - found;
    return added;
}

PRC_DEVICE_END
