/* contact/detect.c — see detect.h.
 *
 * The search (search.inl) runs over chunks of queries, in parallel; then the pairs are sorted by their primitives'
 * numbers, so that their order owes nothing to the trees, whose shape depends on the past.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/detect.h"

#include "base/error.h"
#include "base/memory.h"
#include "contact/search.h"
#include "kernel/near.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <omp.h>
#include <string.h>

/* --- what is made once --- */

static int largest(int a, int b)
{
    return a > b ? a : b;
}

static int chunks(const prc_bvh *bvh)
{
    return (prc_bvh_leaf_count(bvh) + PRC_SEARCH_GROUPS - 1) / PRC_SEARCH_GROUPS;
}

prc_result prc_detector_create(prc_detector *d, const prc_surface *surface, prc_error *error)
{
    *d = (prc_detector){.surface = surface};
    const int most = largest(surface->vertex_count, largest(surface->triangle_count, surface->edge_count));
    const int *triangles = (const int *)surface->triangle, *edges = (const int *)surface->edge;
    prc_result result = prc_bvh_create(&d->point, NULL, 1, surface->vertex_count, error);
    if (!result)
        result = prc_bvh_create(&d->triangle, triangles, 3, surface->triangle_count, error);
    if (!result)
        result = prc_bvh_create(&d->edge, edges, 2, surface->edge_count, error);
    if (result)
        return result;
    d->chunk_count[PRC_POINT_TRIANGLE] = chunks(&d->point);
    d->chunk_count[PRC_EDGE_EDGE] = chunks(&d->edge);
    d->bound = PRC_NEW(prc_bound, surface->vertex_count);
    d->local = prc_alloc((size_t)surface->vertex_count, sizeof *d->local);
    d->key = PRC_NEW(prc_bvh_key, most);
    d->found = PRC_NEW(prc_found, d->chunk_count[0] + d->chunk_count[1]);
    d->start[PRC_POINT_TRIANGLE] = PRC_NEW(int, surface->vertex_count);
    d->start[PRC_EDGE_EDGE] = PRC_NEW(int, surface->edge_count);
    if (!d->bound || !d->local || !d->key || !d->found || !d->start[0] || !d->start[1])
        return PRC_FAIL_MEMORY(error);
    for (int byte = 0; byte < 256; byte++)
        for (int k = 0; k < 8; k++)
            if (byte >> k & 1)
                d->places[byte][d->place_count[byte]++] = (unsigned char)k;
    return PRC_OK;
}

void prc_detector_release(prc_detector *d)
{
    for (int i = 0; d->found && i < d->chunk_count[0] + d->chunk_count[1]; i++)
        prc_free(d->found[i].pair);
    prc_bvh_release(&d->point);
    prc_bvh_release(&d->triangle);
    prc_bvh_release(&d->edge);
    prc_free(d->bound);
    prc_free(d->local);
    prc_free(d->key);
    prc_free(d->found);
    prc_free(d->start[0]);
    prc_free(d->start[1]);
    prc_free(d->partner);
    prc_free(d->leaves);
    *d = (prc_detector){0};
}

void prc_pair_list_release(prc_pair_list *pairs)
{
    prc_free(pairs->point_triangle.v);
    prc_free(pairs->edge_edge.v);
    *pairs = (prc_pair_list){0};
}

/* --- the order of the pairs --- */

static void sift_down(int *a, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && a[child + 1] > a[child])
            child++;
        if (a[root] >= a[child])
            return;
        const int t = a[root];
        a[root] = a[child];
        a[child] = t;
    }
}

#define FEW 16

/* Each goes to the place that the number of smaller ones says; no two are equal. Nothing to branch on. */
static void sort_few(int *a, int count)
{
    int value[FEW], place[FEW] = {0};
    for (int i = 0; i < FEW; i++)
        value[i] = i < count ? a[i] : INT_MAX;
    for (int k = 0; k < count; k++)
        for (int i = 0; i < FEW; i++)
            place[i] += value[i] > value[k];
    for (int i = 0; i < count; i++)
        a[place[i]] = value[i];
}

/* Few is the rule; else by heap: without memory and without bad cases. */
static void sort(int *a, int count)
{
    if (count <= FEW) {
        sort_few(a, count);
        return;
    }
    for (int i = count / 2 - 1; i >= 0; i--)
        sift_down(a, i, count);
    for (int end = count - 1; end > 0; end--) {
        const int t = a[0];
        a[0] = a[end];
        a[end] = t;
        sift_down(a, 0, end);
    }
}

/* Counts the pairs of each first primitive in [begin, end). Every thread reads all pairs and keeps to its own range:
 * cheaper than atomic counters unless there are very many threads. */
static void count_pairs(const prc_search *j, int begin, int end)
{
    memset(j->start + begin, 0, sizeof(int) * (size_t)(end - begin));
    for (int c = 0; c < j->chunk_count; c++)
        for (int i = 0; i < j->found[c].count; i++) {
            const int first = j->found[c].pair[i][0];
            if (first >= begin && first < end)
                j->start[first]++;
        }
}

/* Sorts the second primitives of those pairs to their places and writes the vertices of the pairs. */
static void place_pairs(const prc_search *j, int begin, int end, prc_pairs *pairs)
{
    int *partner = j->d->partner, k = begin < end ? j->start[begin] : 0;
    for (int c = 0; c < j->chunk_count; c++)
        for (int i = 0; i < j->found[c].count; i++) {
            const int *pair = j->found[c].pair[i];
            if (pair[0] >= begin && pair[0] < end)
                partner[j->start[pair[0]]++] = pair[1]; /* in the end where the next one started */
        }
    for (int first = begin; first < end; first++) {
        sort(partner + k, j->start[first] - k);
        for (; k < j->start[first]; k++)
            prc_search_vertices(j, first, partner[k], pairs->v[k]);
    }
}

/* Room for `count` pairs, here and in the caller's list. Sizes follow from the count alone. */
static bool grow_lists(prc_detector *d, prc_pairs *pairs, long count)
{
    const long capacity = count + count / 2 < INT_MAX ? count + count / 2 : INT_MAX;
    if (count > d->partner_capacity) {
        prc_free(d->partner);
        d->partner = PRC_NEW(int, capacity);
        d->partner_capacity = d->partner ? (int)capacity : 0;
    }
    if (count > pairs->capacity) {
        prc_free(pairs->v);
        pairs->v = prc_alloc((size_t)capacity, sizeof *pairs->v);
        pairs->capacity = pairs->v ? (int)capacity : 0;
    }
    return count <= d->partner_capacity && count <= pairs->capacity;
}

static prc_result sort_pairs(const prc_search *j, int threads, prc_pairs *pairs, prc_error *error)
{
    const long n = j->query->count;
    long count = 0;
    for (int c = 0; c < j->chunk_count; c++)
        count += j->found[c].count;
    if (count > INT_MAX)
        return prc_fail(error, PRC_ERROR_MEMORY,
                        "%ld contact pairs are too many; use a smaller contact.thickness or d_hat", count);
    if (!grow_lists(j->d, pairs, count))
        return PRC_FAIL_MEMORY(error);
    if (count == 0)
        return PRC_OK;
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        count_pairs(j, (int)(n * t / threads), (int)(n * (t + 1) / threads));
    for (int i = 0, sum = 0; i < n; i++) {
        const int own = j->start[i];
        j->start[i] = sum;
        sum += own;
    }
#pragma omp parallel for schedule(static, 1) num_threads(threads)
    for (int t = 0; t < threads; t++)
        place_pairs(j, (int)(n * t / threads), (int)(n * (t + 1) / threads), pairs);
    pairs->count = (int)count;
    return PRC_OK;
}

/* --- both together --- */

/* The fastest code that this machine runs; all of them find the same. */
static prc_search_function *choose_search(void)
{
#ifdef PRC_SEARCH_AVX2
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
        return prc_search_chunk_avx2;
#endif
    return prc_search_chunk_baseline;
}

/* What a search can find in any tree. */
static int most_leaves(const prc_detector *d)
{
    return largest(prc_bvh_leaf_count(&d->point),
                   largest(prc_bvh_leaf_count(&d->triangle), prc_bvh_leaf_count(&d->edge)));
}

/* Only the thread that called may ask. */
static bool is_interrupted(const prc_detector *d)
{
    return omp_get_thread_num() == 0 ? prc_interrupt_ask_often(d->interrupt) : prc_interrupt_came(d->interrupt);
}

static prc_result run_search(const prc_search *j, int threads, prc_pairs *pairs, prc_error *error)
{
    const int room = most_leaves(j->d);
    prc_search_function *const search = choose_search();
    long candidate_count = 0, exact = 0;
    int failures = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : candidate_count, exact, failures)
    for (int chunk = 0; chunk < j->chunk_count; chunk++) {
        if (is_interrupted(j->d))
            continue;
        int *leaves = j->d->leaves + (size_t)room * (size_t)omp_get_thread_num();
        failures += !search(j, chunk, &j->found[chunk], leaves, &candidate_count, &exact);
    }
    j->d->candidates += candidate_count;
    j->d->exact += exact;
    if (prc_interrupt_came(j->d->interrupt))
        return prc_interrupt_fail(error);
    return failures ? PRC_FAIL_MEMORY(error) : sort_pairs(j, threads, pairs, error);
}

static bool grow_leaves(prc_detector *d, int threads)
{
    if (threads <= d->threads)
        return true;
    const int room = most_leaves(d);
    prc_free(d->leaves);
    d->leaves = PRC_NEW(int, (size_t)room *(size_t)threads);
    d->threads = d->leaves ? threads : 0;
    return d->leaves != NULL;
}

/* Updates the trees to `bound`. */
static prc_result prepare(prc_detector *d, int threads, prc_error *error)
{
    d->candidates = d->exact = 0;
    if (!grow_leaves(d, threads))
        return PRC_FAIL_MEMORY(error);
    const unsigned char *motion = d->surface->motion;
    const bool built = prc_bvh_update(&d->triangle, d->bound, motion, false, d->key, threads);
    prc_bvh_update(&d->point, d->bound, motion, built, d->key, threads);
    prc_bvh_update(&d->edge, d->bound, motion, false, d->key, threads);
    return PRC_OK;
}

/* The search for pairs of one kind, after `prepare`. */
static prc_search search_of_kind(prc_detector *d, prc_search j, int kind)
{
    const bool points = kind == PRC_POINT_TRIANGLE;
    j.d = d;
    j.kind = kind;
    j.query = points ? &d->point : &d->edge;
    j.target = points ? &d->triangle : &d->edge;
    j.found = d->found + (points ? 0 : d->chunk_count[PRC_POINT_TRIANGLE]);
    j.chunk_count = d->chunk_count[kind];
    j.start = d->start[kind];
    return j;
}

/* Runs both kinds. */
static prc_result run(prc_detector *d, prc_search j, int threads, prc_pair_list *pairs, prc_error *error)
{
    pairs->point_triangle.count = pairs->edge_edge.count = 0;
    prc_result result = prepare(d, threads, error);
    for (int kind = 0; kind < 2 && result == PRC_OK; kind++) {
        const prc_search of_kind = search_of_kind(d, j, kind);
        result = run_search(&of_kind, threads, kind == PRC_POINT_TRIANGLE ? &pairs->point_triangle : &pairs->edge_edge,
                            error);
    }
    return result;
}

/* --- pairs that nobody keeps --- */

/* False where that is enough. */
static bool show(const prc_search *j, const prc_found *found, prc_pair_visit *visit, void *context)
{
    for (int i = 0; i < found->count; i++) {
        int v[4];
        prc_search_vertices(j, found->pair[i][0], found->pair[i][1], v);
        if (!visit(context, v, j->kind == PRC_POINT_TRIANGLE ? 1 : 2))
            return false;
    }
    return true;
}

static prc_result show_all(const prc_search *j, int threads, prc_pair_visit *visit, void *context, prc_error *error)
{
    const int room = most_leaves(j->d);
    prc_search_function *const search = choose_search();
    prc_found *mine = PRC_NEW(prc_found, threads);
    if (!mine)
        return PRC_FAIL_MEMORY(error);
    long candidate_count = 0, exact = 0;
    int failures = 0, enough = 0;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : candidate_count, exact, failures)
    for (int chunk = 0; chunk < j->chunk_count; chunk++) {
        const int thread = omp_get_thread_num();
        int *leaves = j->d->leaves + (size_t)room * (size_t)thread;
        int over;
#pragma omp atomic read
        over = enough;
        if (over)
            continue;
        if (!search(j, chunk, &mine[thread], leaves, &candidate_count, &exact))
            failures++;
        else if (!show(j, &mine[thread], visit, context)) {
#pragma omp atomic write
            enough = 1;
        }
    }
    j->d->candidates += candidate_count;
    j->d->exact += exact;
    for (int t = 0; t < threads; t++)
        prc_free(mine[t].pair);
    prc_free(mine);
    return failures ? PRC_FAIL_MEMORY(error) : PRC_OK;
}

/* --- positions --- */

/* Origin and doubt of the single-precision positions. */
static void set_frame(prc_detector *d, const double *x, int stride)
{
    double half = 0;
    for (int c = 0; c < 3; c++) {
        const double *xc = x + (long)c * stride;
        double low = DBL_MAX, high = -DBL_MAX;
        for (int i = 0; i < d->surface->vertex_count; i++) {
            low = xc[i] < low ? xc[i] : low;
            high = xc[i] > high ? xc[i] : high;
        }
        d->origin[c] = 0.5 * low + 0.5 * high;
        half = fmax(half, 0.5 * high - 0.5 * low);
    }
    d->doubt = (float)(PRC_FILTER_DOUBT * half) + PRC_FILTER_LEAST;
}

/* Boxes of the vertices, each with its radius. */
static void bound_vertices(prc_detector *d, const double *x, int stride, const double *radius, int threads)
{
    const int count = d->surface->vertex_count;
    set_frame(d, x, stride);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            const double xc = x[(long)c * stride + i];
            prc_near_range(xc, xc, fabs(xc), &d->bound[i].low[c], &d->bound[i].high[c]);
            d->local[i][c] = (float)(xc - d->origin[c]);
        }
        d->local[i][3] = (float)radius[i];
        d->bound[i].low[3] = -(float)radius[i];
    }
}

prc_result prc_detect(prc_detector *d, const double *x, int stride, const double *radius, int threads,
                      prc_pair_list *pairs, prc_error *error)
{
    bound_vertices(d, x, stride, radius, threads);
    const prc_search j = {.x = x, .radius = radius, .stride = stride};
    return run(d, j, threads, pairs, error);
}

prc_result prc_detect_each(prc_detector *d, const double *x, int stride, const double *radius, int threads,
                           prc_pair_visit *visit, void *context, prc_error *error)
{
    bound_vertices(d, x, stride, radius, threads);
    const prc_search j = {.x = x, .radius = radius, .stride = stride};
    prc_result result = prepare(d, threads, error);
    for (int kind = 0; kind < 2 && result == PRC_OK; kind++) {
        const prc_search of_kind = search_of_kind(d, j, kind);
        result = show_all(&of_kind, threads, visit, context, error);
    }
    return result;
}

/* --- around some vertices --- */

/* Shows what is near the box of a primitive with vertices v. */
static void show_near(const prc_detector *d, int vertex, const prc_bvh *tree, const int *v, int count, int own,
                      int *leaves, prc_near_visit *visit, void *context)
{
    prc_query box = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    int meets = 0;
    for (int k = 0; k < count; k++) {
        const prc_bound *bound = &d->bound[v[k]];
        for (int c = 0; c < 3; c++) {
            box.low[c] = bound->low[c] < box.low[c] ? bound->low[c] : box.low[c];
            box.high[c] = bound->high[c] > box.high[c] ? bound->high[c] : box.high[c];
        }
        box.radius = -bound->low[3] > box.radius ? -bound->low[3] : box.radius;
        meets |= prc_motion_meets(d->surface->motion[v[k]]);
    }
    const int leaf_count = prc_bvh_search(tree, &box, 0, PRC_MEETS_ALL & ~meets, leaves);
    for (int i = 0; i < leaf_count; i++)
        for (unsigned near = prc_bvh_near(&tree->node[leaves[i]], &box); near; near &= near - 1)
            visit(context, vertex, count, own, tree->leaf[leaves[i]].primitive[__builtin_ctz(near)]);
}

prc_result prc_detect_around(prc_detector *d, const double *x, int stride, const double *radius, int threads,
                             const int *vertices, int count, prc_near_visit *visit, void *context, prc_error *error)
{
    const prc_surface *s = d->surface;
    bound_vertices(d, x, stride, radius, threads);
    const prc_result result = prepare(d, threads, error);
    if (result != PRC_OK)
        return result;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int k = 0; k < count; k++) {
        int *leaves = d->leaves + (size_t)most_leaves(d) * (size_t)omp_get_thread_num();
        const int i = vertices[k];
        show_near(d, i, &d->triangle, &i, 1, i, leaves, visit, context);
        for (int e = s->triangle_start[i]; e < s->triangle_start[i + 1]; e++)
            show_near(d, i, &d->point, s->triangle[s->triangle_of[e]], 3, s->triangle_of[e], leaves, visit, context);
        for (int e = s->edge_start[i]; e < s->edge_start[i + 1]; e++)
            show_near(d, i, &d->edge, s->edge[s->edge_of[e]], 2, s->edge_of[e], leaves, visit, context);
    }
    return PRC_OK;
}

/* Mean displacement of the free vertices. */
static void mean_displacement(const prc_surface *s, const double *p, int stride, double mean[3])
{
    long free_count = 0;
    mean[0] = mean[1] = mean[2] = 0;
    for (int i = 0; i < s->vertex_count; i++) {
        const bool is_free = prc_motion_is_free(s->motion[i]);
        free_count += is_free;
        for (int c = 0; c < 3 && is_free; c++)
            mean[c] += p[(long)c * stride + i];
    }
    for (int c = 0; c < 3 && free_count; c++)
        mean[c] /= (double)free_count;
}

prc_result prc_detect_swept(prc_detector *d, const double *x, const double *p, int stride, double separation,
                            int threads, prc_pair_list *pairs, prc_error *error)
{
    const int count = d->surface->vertex_count;
    double mean[3];
    mean_displacement(d->surface, p, stride, mean);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) {
            const double from = x[(long)c * stride + i], pc = p[(long)c * stride + i];
            const double size = fabs(from) + fabs(pc) + fabs(mean[c]);
            prc_near_range(from, from + (pc - mean[c]), size, &d->bound[i].low[c], &d->bound[i].high[c]);
        }
        d->bound[i].low[3] = -(float)(0.5 * separation);
    }
    const prc_search j = {.x = x, .p = p, .stride = stride, .separation = separation};
    return run(d, j, threads, pairs, error);
}
