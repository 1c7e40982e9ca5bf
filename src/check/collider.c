/* check/collider.c — see collider.h.
 *
 * For each collider, all items are tested in parallel, and results are merged in order. There is no hierarchy over the
 * items: the box of each item is compared with that of the collider, which takes nanoseconds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check/collider.h"

#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "check/items.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

prc_check_collider_options prc_check_collider_options_default(void)
{
    return (prc_check_collider_options){.most_listed = 10};
}

/* ---- taking the input ---- */

static prc_result check_input(const double *positions, int vertex_count, const int *triangles, int triangle_count,
                              prc_error *error)
{
    if (vertex_count < 0 || triangle_count < 0 || (vertex_count && !positions) || (triangle_count && !triangles))
        return prc_fail(error, PRC_ERROR_INPUT, "found %d vertices and %d triangles; expected arrays of these sizes",
                        vertex_count, triangle_count);
    for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
        if (!(fabs(positions[i]) <= PRC_CHECK_LARGEST))
            return prc_fail(error, PRC_ERROR_INPUT, "vertex %zu: found the coordinate %g; expected a finite length",
                            i / 3, positions[i]);
    for (size_t i = 0; i < 3 * (size_t)triangle_count; i++)
        if (triangles[i] < 0 || triangles[i] >= vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %zu: found vertex %d; vertices run from 0 to %d", i / 3,
                            triangles[i], vertex_count - 1);
    return PRC_OK;
}

static bool is_length(double x)
{
    return x >= 0 && x <= PRC_CHECK_LARGEST;
}

static bool is_mesh(const prc_check_collider *s)
{
    bool good = s->mesh_vertex_count > 0 && s->mesh_triangle_count > 0 && s->mesh_positions && s->mesh_triangles;
    for (size_t i = 0; good && i < 3 * (size_t)s->mesh_vertex_count; i++)
        good = fabs(s->mesh_positions[i]) <= PRC_CHECK_LARGEST;
    for (size_t i = 0; good && i < 3 * (size_t)s->mesh_triangle_count; i++)
        good = s->mesh_triangles[i] >= 0 && s->mesh_triangles[i] < s->mesh_vertex_count;
    return good;
}

static bool is_collider(const prc_check_collider *s)
{
    const bool radius = is_length(s->radius), length = is_length(s->half_length);
    switch (s->kind) {
    case PRC_SHAPE_PLANE:
        return true;
    case PRC_SHAPE_SPHERE:
        return radius;
    case PRC_SHAPE_CAPSULE:
    case PRC_SHAPE_CYLINDER:
        return radius && length;
    case PRC_SHAPE_CONE:
        return radius && length && is_length(s->radius_top);
    case PRC_SHAPE_BOX:
        return is_length(s->half_size[0]) && is_length(s->half_size[1]) && is_length(s->half_size[2]);
    case PRC_SHAPE_MESH:
        return is_mesh(s);
    }
    return false;
}

static bool is_pose(const prc_check_collider *s)
{
    for (int i = 0; i < 3; i++) {
        if (!(fabs(s->shift[i]) <= PRC_CHECK_LARGEST))
            return false;
        for (int k = 0; k < 3; k++) {
            double product = 0;
            for (int c = 0; c < 3; c++)
                product += s->turn[i][c] * s->turn[k][c];
            if (!(fabs(product - (i == k)) <= 1e-9))
                return false;
        }
    }
    return true;
}

static prc_result check_colliders(const prc_check_collider *colliders, int count, prc_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!is_collider(&colliders[i]))
            return prc_fail(error, PRC_ERROR_INPUT, "collider %d: found invalid sizes or an invalid mesh", i);
        if (!is_pose(&colliders[i]))
            return prc_fail(error, PRC_ERROR_INPUT, "collider %d: found a pose that is not a rotation and a shift", i);
    }
    return PRC_OK;
}

static prc_result prepare(prc_check_items *items, const bool *obstacle, prc_error *error)
{
    items->skipped = PRC_NEW(bool, items->count);
    items->boxes = PRC_NEW(prc_check_box, items->count);
    items->looked = PRC_NEW(bool, items->count);
    items->verdict = PRC_NEW(prc_check_verdict, items->count);
    items->least = PRC_NEW(double, items->count);
    items->points = PRC_NEW(double, 3 * (size_t)items->count);
    if (!items->skipped || !items->boxes || !items->looked || !items->verdict || !items->least || !items->points)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < items->count; i++) {
        const int *v = items->vertices + 3 * (size_t)i;
        items->skipped[i] = obstacle && obstacle[v[0]] && obstacle[v[1]] && obstacle[v[2]];
        items->boxes[i] = prc_check_box_around(items->positions, v, 3);
    }
    return PRC_OK;
}

static void release(prc_check_items *items)
{
    prc_free(items->skipped);
    prc_free(items->boxes);
    prc_free(items->looked);
    prc_free(items->verdict);
    prc_free(items->least);
    prc_free(items->points);
}

/* ---- convex colliders ---- */

typedef struct collider_box {
    prc_check_box world;
    double extent; /* m: no point of the collider is farther from its middle; of a plane 0 */
} collider_box;

static collider_box box_of(const prc_check_collider *s)
{
    double half[3];
    collider_box box = {.extent = 0};
    prc_check_collider_half_box(s, half);
    for (int c = 0; c < 3; c++) {
        double reach = INFINITY;
        if (s->kind != PRC_SHAPE_PLANE) {
            reach = (fabs(s->turn[c][0]) * half[0] + fabs(s->turn[c][1]) * half[1] + fabs(s->turn[c][2]) * half[2]);
            box.extent = hypot(box.extent, half[c]);
        }
        box.world.low[c] = s->shift[c] - reach;
        box.world.high[c] = s->shift[c] + reach;
    }
    return box;
}

static double distance_of_boxes(const prc_check_box *a, const prc_check_box *b)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        const double gap = fmax(fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]), 0);
        sum += gap * gap;
    }
    return sqrt(sum);
}

static double largest_coordinate(const prc_check_box *box)
{
    double largest = 0;
    for (int k = 0; k < 3; k++)
        largest = fmax(largest, fmax(fabs(box->low[k]), fabs(box->high[k])));
    return largest;
}

static double rounding_of(const prc_check_items *items, int item, const prc_check_collider *s, const collider_box *box)
{
    const double largest = largest_coordinate(&items->boxes[item]);
    const double shift = fmax(fabs(s->shift[0]), fmax(fabs(s->shift[1]), fabs(s->shift[2])));
    return 64 * DBL_EPSILON * (largest + shift + box->extent) + 2 * items->rounding * largest;
}

static void judge_convex(prc_check_items *items, int item, const prc_check_collider *s, double error, double reach)
{
    double corner[3][3];
    for (int k = 0; k < 3; k++) {
        const double *x = items->positions + 3 * (size_t)items->vertices[3 * (size_t)item + (size_t)k];
        for (int c = 0; c < 3; c++)
            corner[k][c] = s->turn[0][c] * (x[0] - s->shift[0]) + s->turn[1][c] * (x[1] - s->shift[1]) +
                           s->turn[2][c] * (x[2] - s->shift[2]);
    }
    const prc_check_judgement j = prc_check_convex(s, (const double(*)[3])corner, error, reach);
    items->verdict[item] = j.verdict;
    items->least[item] = j.least;
    for (int c = 0; c < 3; c++)
        items->points[3 * (size_t)item + (size_t)c] =
            s->turn[c][0] * j.point[0] + s->turn[c][1] * j.point[1] + s->turn[c][2] * j.point[2] + s->shift[c];
}

static void judge_run(prc_check_items *items, int first, const prc_check_collider *s, const collider_box *box)
{
    double reach = items->skip_distances ? 0 : INFINITY;
    for (int i = first; i < first + PRC_CHECK_ITEM_RUN && i < items->count; i++) {
        const double error = rounding_of(items, i, s, box);
        items->verdict[i] = PRC_CHECK_APART;
        items->least[i] = INFINITY;
        items->looked[i] = !items->skipped[i] && !(distance_of_boxes(&items->boxes[i], &box->world) > reach + error);
        if (!items->looked[i])
            continue;
        judge_convex(items, i, s, error, reach);
        if (items->verdict[i] == PRC_CHECK_APART)
            reach = fmin(reach, fmax(items->least[i], 0));
    }
}

static void meet_convex(prc_check_items *items, const prc_check_collider *s)
{
    const collider_box box = box_of(s);
#pragma omp parallel for schedule(dynamic, 1) num_threads(items->threads)
    for (int first = 0; first < items->count; first += PRC_CHECK_ITEM_RUN)
        judge_run(items, first, s, &box);
}

/* ---- putting together ---- */

typedef struct gathering {
    prc_check_collider_result *result;
    size_t capacity;
} gathering;

static bool list_meeting(gathering *g, const prc_check_meeting *meeting)
{
    prc_check_collider_result *r = g->result;
    if ((size_t)r->listed_count == g->capacity) {
        const size_t wanted = g->capacity ? 2 * g->capacity : 64;
        prc_check_meeting *grown = prc_grow(r->listed, g->capacity, wanted, sizeof *grown);
        if (!grown)
            return false;
        r->listed = grown;
        g->capacity = wanted;
    }
    r->listed[r->listed_count++] = *meeting;
    return true;
}

static prc_result gather(gathering *g, const prc_check_items *items, int collider, prc_error *error)
{
    prc_check_collider_result *r = g->result;
    for (int i = 0; i < items->count; i++) {
        if (!items->looked[i])
            continue;
        r->pairs++;
        prc_check_meeting m = {.collider = collider, .item = i, .depth = -items->least[i]};
        memcpy(m.vertices, items->vertices + 3 * (size_t)i, sizeof m.vertices);
        memcpy(m.point, items->points + 3 * (size_t)i, sizeof m.point);
        m.undecided = items->verdict[i] == PRC_CHECK_UNDECIDED;
        if (items->verdict[i] == PRC_CHECK_APART) {
            if (isfinite(m.depth) && (!r->nearest_found || m.depth > r->nearest.depth))
                r->nearest = m;
            r->nearest_found = r->nearest_found || isfinite(m.depth);
            continue;
        }
        r->meetings++;
        r->undecided += m.undecided;
        r->of_collider[collider]++;
        m.depth = fmax(m.depth, 0);
        if (!list_meeting(g, &m))
            return PRC_FAIL_MEMORY(error);
    }
    return PRC_OK;
}

static int compare_meetings(const void *a, const void *b)
{
    const prc_check_meeting *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    return x->collider != y->collider ? x->collider - y->collider : x->item - y->item;
}

static prc_result judge_all(prc_check_items *items, const prc_check_collider *colliders, int collider_count,
                            prc_check_collider_result *result, prc_error *error)
{
    gathering g = {.result = result};
    result->of_collider = PRC_NEW(long long, collider_count);
    if (!result->of_collider)
        return PRC_FAIL_MEMORY(error);
    prc_result code = PRC_OK;
    for (int k = 0; k < collider_count && !code; k++) {
        if (colliders[k].kind == PRC_SHAPE_MESH)
            code = prc_check_items_meet_mesh(items, &colliders[k], error);
        else
            meet_convex(items, &colliders[k]);
        if (!code)
            code = gather(&g, items, k, error);
    }
    if (result->listed_count)
        qsort(result->listed, (size_t)result->listed_count, sizeof *result->listed, compare_meetings);
    return code;
}

prc_result prc_check_colliders(const double *positions, int vertex_count, const int *triangles, int triangle_count,
                               const prc_check_collider *colliders, int collider_count,
                               const prc_check_collider_options *options, prc_check_collider_result *result,
                               prc_error *error)
{
    *result = (prc_check_collider_result){0};
    prc_check_items items = {.positions = positions,
                             .vertex_count = vertex_count,
                             .count = triangle_count,
                             .threads = options->threads > 0 ? options->threads : 1,
                             .vertices = triangles,
                             .rounding = options->rounding,
                             .skip_distances = options->skip_distances};
    prc_result code = check_input(positions, vertex_count, triangles, triangle_count, error);
    if (!code)
        code = check_colliders(colliders, collider_count, error);
    if (!code)
        code = prepare(&items, options->obstacle, error);
    if (!code)
        code = judge_all(&items, colliders, collider_count, result, error);
    release(&items);
    if (code)
        prc_check_collider_result_release(result);
    else if (result->listed_count > options->most_listed)
        result->listed_count = options->most_listed;
    if (!code && options->skip_distances)
        result->nearest_found = false;
    return code;
}

void prc_check_collider_result_release(prc_check_collider_result *result)
{
    prc_free(result->of_collider);
    prc_free(result->listed);
    *result = (prc_check_collider_result){0};
}
