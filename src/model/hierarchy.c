/* model/hierarchy.c — see hierarchy.h.
 *
 * A level is a Poisson-disk subset of the finer one: nodes are visited in hashed order, and one is taken if it is
 * farther than `sep` from all taken so far, along edges. Each taken node carries the bump (1 − (d/R)²)², R = 1.6 sep,
 * and the bumps are normalised to sum to 1. Lengths are counted in local edge lengths, so graded meshes coarsen evenly.
 * Smooth overlap is what makes few levels enough; piecewise constant aggregates were far too stiff.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/hierarchy.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SEPARATION 3.3  /* of the first level in edge lengths, and from level to level */
#define SUPPORT 1.6     /* radius of a bump in separations */
#define SMALLEST 1e-4   /* weights below this are dropped */
#define DENSE_SIZE 30.0 /* unknowns of the coarsest level, at most this times the cube root of the vertex count */

/* --- shortest paths along edges, up to a radius --- */

typedef struct path_heap_entry {
    double distance;
    int vertex;
} path_heap_entry;

typedef struct path_finder {
    const prc_graph *graph;
    const double *length; /* per bond, in local edge lengths */
    double *distance;
    int *stamp, now;
    path_heap_entry *heap;
    int *found;
    int found_count;
} path_finder;

static void heap_push(path_heap_entry *heap, int *count, path_heap_entry entry)
{
    int k = (*count)++;
    for (; k > 0 && heap[(k - 1) / 2].distance > entry.distance; k = (k - 1) / 2)
        heap[k] = heap[(k - 1) / 2];
    heap[k] = entry;
}

static path_heap_entry heap_pop(path_heap_entry *heap, int *count)
{
    path_heap_entry top = heap[0], last = heap[--*count];
    int k = 0;
    for (;;) {
        int child = 2 * k + 1;
        if (child >= *count)
            break;
        if (child + 1 < *count && heap[child + 1].distance < heap[child].distance)
            child++;
        if (heap[child].distance >= last.distance)
            break;
        heap[k] = heap[child];
        k = child;
    }
    heap[k] = last;
    return top;
}

/* All vertices within `radius` of `source`: found[], with distance[]. */
static void path_find(path_finder *p, int source, double radius)
{
    int count = 0;
    p->now++;
    p->found_count = 0;
    p->distance[source] = 0;
    p->stamp[source] = p->now;
    heap_push(p->heap, &count, (path_heap_entry){0, source});
    while (count > 0) {
        path_heap_entry at = heap_pop(p->heap, &count);
        if (at.distance > p->distance[at.vertex])
            continue;
        p->found[p->found_count++] = at.vertex;
        for (int e = p->graph->ring_start[at.vertex]; e < p->graph->ring_start[at.vertex + 1]; e++) {
            const int j = p->graph->ring[e];
            const double d = at.distance + p->length[e];
            if (d > radius || (p->stamp[j] == p->now && d >= p->distance[j]))
                continue;
            p->stamp[j] = p->now;
            p->distance[j] = d;
            heap_push(p->heap, &count, (path_heap_entry){d, j});
        }
    }
}

static double *local_lengths(const prc_graph *g, int vertex_count)
{
    double *mean = PRC_NEW(double, vertex_count), *length = PRC_NEW(double, g->ring_start[vertex_count]);
    if (mean && length) {
        for (int i = 0; i < vertex_count; i++) {
            for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++)
                mean[i] += g->length[e];
            mean[i] /= g->ring_start[i + 1] - g->ring_start[i];
        }
        for (int i = 0; i < vertex_count; i++)
            for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++)
                length[e] = 2 * g->length[e] / (mean[i] + mean[g->ring[e]]);
    } else {
        prc_free(length);
        length = NULL;
    }
    prc_free(mean);
    return length;
}

static bool path_finder_create(path_finder *p, const prc_model *m)
{
    const size_t n = (size_t)m->vertex_count, bonds = (size_t)m->graph.ring_start[m->vertex_count];
    memset(p, 0, sizeof *p);
    p->graph = &m->graph;
    p->length = local_lengths(&m->graph, m->ring_count);
    p->distance = PRC_NEW(double, n);
    p->stamp = PRC_NEW(int, n);
    p->heap = PRC_NEW(path_heap_entry, bonds + n);
    p->found = PRC_NEW(int, n);
    return p->length && p->distance && p->stamp && p->heap && p->found;
}

static void path_finder_release(path_finder *p)
{
    prc_free((void *)p->length);
    prc_free(p->distance);
    prc_free(p->stamp);
    prc_free(p->heap);
    prc_free(p->found);
}

/* --- sparse rows --- */

static void rows_release(prc_rows *rows)
{
    prc_free(rows->start);
    prc_free(rows->column);
    prc_free(rows->weight);
    memset(rows, 0, sizeof *rows);
}

static bool rows_transpose(prc_rows *out, const prc_rows *in, int column_count)
{
    const int entries = in->start[in->count];
    out->count = column_count;
    out->start = PRC_NEW(int, column_count + 1);
    out->column = PRC_NEW(int, entries);
    out->weight = in->weight ? PRC_NEW(double, entries) : NULL;
    int *fill = PRC_NEW(int, column_count);
    if (!in->column || !out->start || !out->column || (in->weight && !out->weight) || !fill) {
        prc_free(fill);
        return false;
    }
    for (int k = 0; k < entries; k++)
        out->start[in->column[k] + 1]++;
    for (int c = 0; c < column_count; c++) {
        out->start[c + 1] += out->start[c];
        fill[c] = out->start[c];
    }
    for (int r = 0; r < in->count; r++)
        for (int k = in->start[r]; k < in->start[r + 1]; k++) {
            const int at = fill[in->column[k]]++;
            out->column[at] = r;
            if (out->weight)
                out->weight[at] = in->weight[k];
        }
    prc_free(fill);
    return true;
}

/* Appends to a growing list of columns. */
typedef struct column_list {
    int *column;
    double *weight;
    size_t count, capacity;
    bool weighted;
} column_list;

static bool list_grow(column_list *list)
{
    const size_t larger = list->capacity ? 2 * list->capacity : 1024;
    int *columns = prc_grow(list->column, list->count, larger, sizeof(int));
    if (!columns)
        return false;
    list->column = columns;
    if (list->weighted) {
        double *weights = prc_grow(list->weight, list->count, larger, sizeof(double));
        if (!weights)
            return false;
        list->weight = weights;
    }
    list->capacity = larger;
    return true;
}

static bool list_push(column_list *list, int column, double weight)
{
    if (list->count == list->capacity && !list_grow(list))
        return false;
    list->column[list->count] = column;
    if (list->weighted)
        list->weight[list->count] = weight;
    list->count++;
    return true;
}

static void rows_adopt(prc_rows *rows, int count, int *start, column_list *list)
{
    rows->count = count;
    rows->start = start;
    rows->column = list->column;
    rows->weight = list->weight;
}

/* Pattern of the product A B: row r sees the columns of B of all columns of A's row r. With `also_own`, B's row r too.
 */
static bool rows_multiply(prc_rows *out, const prc_rows *a, const prc_rows *b, int column_count, bool also_own)
{
    column_list list = {0};
    int *mark = PRC_NEW(int, column_count), *start = PRC_NEW(int, a->count + 1);
    bool ok = mark && start && list_grow(&list); /* a list is never NULL, even when it is empty */
    for (int r = 0; ok && r < a->count; r++) {
        for (int k = also_own ? a->start[r] - 1 : a->start[r]; ok && k < a->start[r + 1]; k++) {
            const int via = k < a->start[r] ? r : a->column[k];
            for (int q = b->start[via]; ok && q < b->start[via + 1]; q++)
                if (mark[b->column[q]] != r + 1) {
                    mark[b->column[q]] = r + 1;
                    ok = list_push(&list, b->column[q], 0);
                }
        }
        if (ok)
            start[r + 1] = (int)list.count;
    }
    prc_free(mark);
    rows_adopt(out, a->count, start, &list);
    return ok;
}

static int compare_int(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* Sorts the columns of every row of a pattern. */
static void rows_sort(const prc_rows *rows)
{
    for (int r = 0; rows->column && r < rows->count; r++)
        qsort(rows->column + rows->start[r], (size_t)(rows->start[r + 1] - rows->start[r]), sizeof(int), compare_int);
}

/* --- levels --- */

typedef struct hashed_node {
    uint32_t key;
    int node;
} hashed_node;

static int compare_hashed(const void *a, const void *b)
{
    const hashed_node *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

/* Chooses a subset of `vertices` with pairwise distance above `separation`; writes it to `chosen` and returns its size,
 * −1 without memory. */
static int choose_subset(path_finder *p, const int *vertices, int count, double separation, int vertex_count,
                         int *chosen)
{
    unsigned char *covered = PRC_NEW(unsigned char, vertex_count);
    hashed_node *order = PRC_NEW(hashed_node, count);
    int taken = covered && order ? 0 : -1;
    for (int k = 0; taken >= 0 && k < count; k++)
        order[k] = (hashed_node){((uint32_t)vertices[k] + 1) * 2654435761u, k};
    if (taken >= 0)
        qsort(order, (size_t)count, sizeof *order, compare_hashed);
    for (int k = 0; taken >= 0 && k < count; k++) {
        const int vertex = vertices[order[k].node];
        if (covered[vertex])
            continue;
        chosen[taken++] = vertex;
        path_find(p, vertex, separation);
        for (int f = 0; f < p->found_count; f++)
            covered[p->found[f]] = 1;
    }
    if (taken > 0) /* back to the order of the vertices: neighbours stay close in memory */
        qsort(chosen, (size_t)taken, sizeof *chosen, compare_int);
    prc_free(covered);
    prc_free(order);
    return taken;
}

/* Bumps of the chosen nodes over the finer level, normalised: the restriction. `node_of` maps vertices to finer nodes
 * or −1. */
static bool make_bumps(prc_rows *restriction, path_finder *p, const int *chosen, int taken, const int *node_of,
                       int finer_count, double radius)
{
    column_list list = {.weighted = true};
    int *start = PRC_NEW(int, taken + 1);
    double *sum = PRC_NEW(double, finer_count);
    bool ok = start && sum && list_grow(&list);
    for (int c = 0; ok && c < taken; c++) {
        path_find(p, chosen[c], radius);
        for (int f = 0; ok && f < p->found_count; f++) {
            const int node = node_of[p->found[f]];
            const double d = p->distance[p->found[f]] / radius, w = (1 - d * d) * (1 - d * d);
            if (node < 0 || w < SMALLEST)
                continue;
            sum[node] += w;
            ok = list_push(&list, node, w);
        }
        if (ok)
            start[c + 1] = (int)list.count;
    }
    for (size_t k = 0; ok && k < list.count; k++)
        list.weight[k] /= sum[list.column[k]];
    prc_free(sum);
    rows_adopt(restriction, taken, start, &list);
    return ok;
}

static int round_up(int count)
{
    return (count + PRC_BLOCK - 1) / PRC_BLOCK * PRC_BLOCK;
}

/* The blocked copy that the backend multiplies with. */
static bool sparse_create(prc_sparse *s, const prc_rows *rows, int column_stride, const prc_backend *backend)
{
    s->row_count = rows->count;
    s->padded_count = round_up(rows->count);
    s->column_stride = column_stride;
    const int blocks = s->padded_count / PRC_BLOCK;
    s->row_start = PRC_NEW(int, blocks + 1);
    if (!s->row_start)
        return false;
    for (int r = 0; r < rows->count; r++) {
        int size = rows->start[r + 1] - rows->start[r], *most = &s->row_start[r / PRC_BLOCK + 1];
        *most = size > *most ? size : *most;
    }
    for (int b = 0; b < blocks; b++)
        s->row_start[b + 1] += s->row_start[b];
    const size_t entries = (size_t)s->row_start[blocks] * PRC_BLOCK;
    double *weight = PRC_NEW(double, entries);
    s->column = PRC_NEW(int, entries);
    s->weight = prc_alloc(entries, backend->real_size);
    const bool ok = weight && s->column && s->weight;
    for (int r = 0; ok && r < rows->count; r++)
        for (int k = rows->start[r]; k < rows->start[r + 1]; k++) {
            const size_t at =
                (size_t)(s->row_start[r / PRC_BLOCK] + k - rows->start[r]) * PRC_BLOCK + (size_t)(r % PRC_BLOCK);
            s->column[at] = rows->column[k];
            weight[at] = rows->weight[k];
        }
    if (ok)
        backend->upload(NULL, s->weight, weight, entries);
    prc_free(weight);
    return ok;
}

static void sparse_release(prc_sparse *s)
{
    prc_free(s->row_start);
    prc_free(s->column);
    prc_free(s->weight);
}

/* Vectors, transfers and matrix pattern of level l, from the matrix pattern of the level before (NULL: the mesh). */
static bool level_create(prc_hierarchy *h, int l, const prc_model *m, int finer_stride)
{
    prc_level *level = &h->level[l];
    const prc_rows *restriction = &h->restriction[l], *prolongation = &h->prolongation[l];
    level->node_count = restriction->count;
    level->padded_count = round_up(restriction->count);
    prc_rows pattern = {0};
    bool ok;
    if (l == 0) {
        const prc_rows rings = {m->vertex_count, m->graph.ring_start, m->graph.ring, NULL};
        prc_rows touch = {0}, reach = {0};
        ok = rows_multiply(&touch, &rings, prolongation, level->node_count, true);
        if (ok)
            rows_sort(&touch);
        ok = ok && rows_transpose(&reach, &touch, level->node_count) &&
             rows_multiply(&pattern, &reach, &touch, level->node_count, false);
        h->assembly.touch_start = touch.start;
        h->assembly.touch_column = touch.column;
        h->assembly.reach_start = reach.start;
        h->assembly.reach = reach.column;
    } else {
        const prc_level *finer = &h->level[l - 1];
        const prc_rows matrix = {finer->node_count, finer->row_start, finer->column, NULL};
        ok = rows_multiply(&h->product[l], &matrix, prolongation, level->node_count, false) &&
             rows_multiply(&pattern, restriction, &h->product[l], level->node_count, false);
        if (ok)
            h->product_block[l] = PRC_NEW(double, 9 * (size_t)h->product[l].start[finer->node_count]);
        ok = ok && h->product_block[l];
    }
    level->row_start = pattern.start;
    level->column = pattern.column;
    if (!ok || !pattern.column)
        return false;
    level->diagonal = PRC_NEW(int, level->node_count);
    level->block = PRC_NEW(double, 9 * (size_t)pattern.start[level->node_count]);
    const size_t vector = 3 * (size_t)level->padded_count, real = m->host->real_size;
    level->inverse = prc_alloc(2 * vector, real);
    level->b = prc_alloc(vector, real);
    level->x = prc_alloc(vector, real);
    if (!level->diagonal || !level->block || !level->inverse || !level->b || !level->x)
        return false;
    rows_sort(&pattern);
    for (int r = 0; r < level->node_count; r++) {
        for (int k = level->row_start[r]; k < level->row_start[r + 1]; k++)
            if (level->column[k] == r)
                level->diagonal[r] = k;
    }
    return sparse_create(&level->restriction, restriction, finer_stride, m->host) &&
           sparse_create(&level->prolongation, prolongation, level->padded_count, m->host);
}

/* Adds one level below the last. `vertices` holds the nodes of the finer level and is replaced by those of the new one.
 */
static bool add_level(prc_hierarchy *h, const prc_model *m, path_finder *p, int *vertices, int *count,
                      double separation)
{
    const int l = h->level_count, finer_stride = l ? h->level[l - 1].padded_count : m->view.padded_count;
    int *chosen = PRC_NEW(int, *count), *node_of = PRC_NEW(int, m->vertex_count);
    bool ok = chosen && node_of;
    int taken = ok ? choose_subset(p, vertices, *count, separation, m->vertex_count, chosen) : -1;
    ok = taken > 0;
    for (int i = 0; ok && i < m->vertex_count; i++)
        node_of[i] = -1;
    for (int k = 0; ok && k < *count; k++)
        node_of[vertices[k]] = k;
    h->level_count++; /* from here on the level is there to be released */
    ok = ok && make_bumps(&h->restriction[l], p, chosen, taken, node_of, *count, SUPPORT * separation) &&
         rows_transpose(&h->prolongation[l], &h->restriction[l], l ? *count : m->vertex_count) &&
         level_create(h, l, m, finer_stride);
    if (ok) {
        memcpy(vertices, chosen, sizeof(int) * (size_t)taken);
        *count = taken;
    }
    prc_free(chosen);
    prc_free(node_of);
    return ok;
}

/* Work space of the assembly of level 0. */
static bool create_assembly(prc_assembly *as, const prc_level *level, const prc_model *m, size_t threads)
{
    const size_t real = m->host->real_size;
    as->seen_start = PRC_NEW(int, m->vertex_count + 1);
    if (!as->seen_start)
        return false;
    for (int i = 0; i < m->vertex_count; i++)
        as->seen_start[i + 1] =
            as->seen_start[i] + (as->touch_start[i + 1] - as->touch_start[i] + PRC_BLOCK - 1) / PRC_BLOCK;
    for (int c = 0; c < level->node_count; c++) {
        const int length = level->row_start[c + 1] - level->row_start[c];
        as->longest_row = length > as->longest_row ? length : as->longest_row;
    }
    int *fill = PRC_NEW(int, level->node_count);
    as->reach_slot = PRC_NEW(int, as->reach_start[level->node_count]);
    if (!fill || !as->reach_slot) {
        prc_free(fill);
        return false;
    }
    for (int i = 0; i < m->vertex_count; i++) /* the rings of a function are listed in increasing order */
        for (int k = as->touch_start[i]; k < as->touch_start[i + 1]; k++) {
            const int c = as->touch_column[k];
            as->reach_slot[as->reach_start[c] + fill[c]++] = k - as->touch_start[i];
        }
    prc_free(fill);
    as->seen = prc_alloc((size_t)as->seen_start[m->vertex_count] * PRC_SEEN * PRC_BLOCK, real);
    as->tangent = prc_alloc((size_t)m->vertex_count, m->host->tangent_size);
    as->row = prc_alloc(threads * PRC_BLOCK * (size_t)as->longest_row, real);
    return as->seen && as->tangent && as->row;
}

/* Work space of the set-up, and the coarsest matrix. */
static bool create_work(prc_hierarchy *h, const prc_model *m, size_t threads)
{
    for (int l = 0; l < h->level_count; l++) {
        h->level[l].position = PRC_NEW(int, threads *(size_t)h->level[l].node_count);
        if (!h->level[l].position)
            return false;
    }
    const prc_level *last = &h->level[h->level_count - 1];
    const size_t rows = 3 * (size_t)last->node_count;
    h->dense_leading = 3 * last->padded_count;
    h->dense = prc_alloc(rows * rows, m->host->real_size);
    h->dense_inverse = prc_alloc(rows * (size_t)h->dense_leading, m->host->real_size);
    return h->dense && h->dense_inverse && create_assembly(&h->assembly, &h->level[0], m, threads);
}

prc_result prc_hierarchy_build(prc_hierarchy *hierarchy, const prc_model *model, int threads, prc_error *error)
{
    memset(hierarchy, 0, sizeof *hierarchy);
    const double dense_size = DENSE_SIZE * cbrt(model->ring_count);
    if (3 * (double)model->ring_count <= dense_size)
        return PRC_OK;
    path_finder paths;
    int count = model->ring_count; /* no coarse function reaches a particle or an obstacle */
    int *vertices = PRC_NEW(int, count);
    bool ok = path_finder_create(&paths, model) && vertices;
    for (int i = 0; ok && i < count; i++)
        vertices[i] = i;
    for (double separation = SEPARATION; ok && 3 * count > dense_size && hierarchy->level_count < PRC_LEVELS;
         separation *= SEPARATION) {
        const int before = count;
        ok = add_level(hierarchy, model, &paths, vertices, &count, separation);
        if (count == before)
            break; /* every component is down to one node */
    }
    ok = ok && create_work(hierarchy, model, (size_t)threads);
    path_finder_release(&paths);
    prc_free(vertices);
    if (!ok) {
        prc_hierarchy_release(hierarchy);
        return PRC_FAIL_MEMORY(error);
    }
    return PRC_OK;
}

void prc_hierarchy_release(prc_hierarchy *h)
{
    for (int l = 0; l < h->level_count; l++) {
        prc_level *level = &h->level[l];
        sparse_release(&level->restriction);
        sparse_release(&level->prolongation);
        prc_free(level->row_start);
        prc_free(level->column);
        prc_free(level->diagonal);
        prc_free(level->position);
        prc_free(level->block);
        prc_free(level->inverse);
        prc_free(level->b);
        prc_free(level->x);
        rows_release(&h->prolongation[l]);
        rows_release(&h->restriction[l]);
        rows_release(&h->product[l]);
        prc_free(h->product_block[l]);
    }
    prc_free(h->assembly.touch_start);
    prc_free(h->assembly.touch_column);
    prc_free(h->assembly.seen_start);
    prc_free(h->assembly.seen);
    prc_free(h->assembly.reach_start);
    prc_free(h->assembly.reach);
    prc_free(h->assembly.reach_slot);
    prc_free(h->assembly.tangent);
    prc_free(h->assembly.row);
    prc_free(h->dense);
    prc_free(h->dense_inverse);
    memset(h, 0, sizeof *h);
}

/* Weight of coarse function `c` at a vertex, 0 where it does not reach or the vertex is pinned. */
static double weight_at(const prc_rows *prolongation, const unsigned char *pinned, int vertex, int c)
{
    if (pinned[vertex])
        return 0;
    for (int k = prolongation->start[vertex]; k < prolongation->start[vertex + 1]; k++)
        if (prolongation->column[k] == c)
            return prolongation->weight[k];
    return 0;
}

/* PRC_SEEN numbers: the function at the vertex itself, its slope (2), the curvature it makes (3). */
static void see_one(const prc_graph *g, const prc_rows *prolongation, const unsigned char *pinned, int i, int c,
                    double *seen)
{
    const double own = weight_at(prolongation, pinned, i, c);
    memset(seen, 0, sizeof(double) * PRC_SEEN);
    seen[0] = own;
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        const double d = weight_at(prolongation, pinned, g->ring[e], c) - own;
        seen[1] += d * g->f[2 * e];
        seen[2] += d * g->f[2 * e + 1];
    }
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        const double d = weight_at(prolongation, pinned, g->ring[e], c) - own;
        const double r = d - seen[1] * g->x[2 * e] - seen[2] * g->x[2 * e + 1];
        for (int k = 0; k < 3; k++)
            seen[3 + k] += g->k[3 * e + k] * r;
    }
}

void prc_hierarchy_see(prc_hierarchy *h, const prc_model *m, const unsigned char *pinned)
{
    const prc_assembly *as = &h->assembly;
    const size_t real = m->host->real_size;
    for (int i = 0; i < m->vertex_count; i++) {
        char *seen = (char *)as->seen + real * (size_t)as->seen_start[i] * PRC_SEEN * PRC_BLOCK;
        for (int k = 0; k < as->touch_start[i + 1] - as->touch_start[i]; k++) {
            double numbers[PRC_SEEN];
            see_one(&m->graph, &h->prolongation[0], pinned, i, as->touch_column[as->touch_start[i] + k], numbers);
            for (int q = 0; q < PRC_SEEN; q++)
                m->host->upload(&m->view,
                                seen + real * (size_t)((k / PRC_BLOCK * PRC_SEEN + q) * PRC_BLOCK + k % PRC_BLOCK),
                                &numbers[q], 1);
        }
    }
}
