/* check/balls.c — see balls.h.
 *
 * Each ball asks a hierarchy of the other balls and one of the shapes, whose boxes are as much larger as the balls and
 * surfaces are thick, for those that it may overlap, or that may be nearer to it than the nearest so far. Convex
 * colliders are asked one by one; of one that is a mesh, its triangles are shapes without thickness, and whether a
 * centre is inside is what collider.c says. Threads ask for balls in a row, and what they find is put together in
 * order. SPDX-License-Identifier: Apache-2.0 */
#include "check/balls.h"

#include "base/error.h"
#include "base/memory.h"
#include "check/check.h"
#include "check/convex.h"
#include "check/distance.h"
#include "check/tree.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUN 4096 /* balls in a row that one thread asks for, so that results do not depend on threads */

prc_check_balls_options prc_check_balls_options_default(void)
{
    return (prc_check_balls_options){.share = PRC_CHECK_HARD_SHARE, .most_listed = 10};
}

/* Points, edges and triangles that have a thickness: balls, shapes, or the surface of a mesh. */
typedef struct things {
    prc_check_ball_meets with;
    int count, other; /* other: number of the collider */
    const double *positions;
    const int *vertices; /* 3 each */
    double *half;        /* of the thickness, each */
    prc_check_box *boxes;
    unsigned char *kin; /* 1: an obstacle's */
    double *inside;     /* of a mesh, per ball: how deep its centre is inside; negative: it is not */
    prc_check_tree tree;
} things;

typedef struct checker {
    const double *positions, *radii;
    int vertex_count, ball_count;
    int *balls; /* 3 times the vertex of each, as an item */
    const int *shapes;
    int shape_count;
    const prc_check_collider *colliders;
    int collider_count;
    prc_check_balls_options how;
    things *surfaces; /* balls, shapes, then meshes of colliders */
    int surface_count;
    double *posed; /* vertices of all meshes */
    prc_check_collider_result inside;
    /* of a run: what asks, and what was found */
    const things *asked;
    int asking;
    double reach, gap; /* m², of the query at hand; smallest distance less thickness so far, m */
    size_t capacity;
    bool out_of_memory;
    prc_check_balls_result *result;
} checker;

/* ---- taking the input ---- */

static prc_result check_input(const checker *c, prc_error *error)
{
    const double *thickness = c->how.thickness;
    for (int i = 0; i < c->vertex_count; i++) {
        if (!(c->radii[i] <= PRC_CHECK_LARGEST))
            return prc_fail(error, PRC_ERROR_INPUT, "vertex %d: found the radius %g; expected a finite length", i,
                            c->radii[i]);
        if (thickness && !(thickness[i] >= 0 && thickness[i] <= PRC_CHECK_LARGEST))
            return prc_fail(error, PRC_ERROR_INPUT, "vertex %d: found the thickness %g; expected a finite length", i,
                            thickness[i]);
    }
    for (size_t i = 0; i < 3 * (size_t)c->shape_count; i++)
        if (c->shapes[i] < 0 || c->shapes[i] >= c->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "triangle %zu: found vertex %d; vertices run from 0 to %d", i / 3,
                            c->shapes[i], c->vertex_count - 1);
    return PRC_OK;
}

static prc_result list_balls(checker *c, prc_error *error)
{
    for (int i = 0; i < c->vertex_count; i++)
        c->ball_count += c->radii[i] > 0;
    c->balls = PRC_NEW(int, 3 * (size_t)c->ball_count);
    if (!c->balls)
        return PRC_FAIL_MEMORY(error);
    int *at = c->balls;
    for (int i = 0; i < c->vertex_count; i++)
        for (int k = 0; k < 3 && c->radii[i] > 0; k++)
            *at++ = i;
    c->result->balls = c->ball_count;
    return PRC_OK;
}

static double half_of(const checker *c, const things *t, const int *vertices)
{
    if (t->with == PRC_CHECK_BALL)
        return c->radii[vertices[0]];
    return t->with == PRC_CHECK_SHAPE && c->how.thickness ? c->how.thickness[vertices[0]] / 2 : 0;
}

static prc_result prepare(const checker *c, things *t, prc_error *error)
{
    t->half = PRC_NEW(double, t->count);
    t->boxes = PRC_NEW(prc_check_box, t->count);
    t->kin = PRC_NEW(unsigned char, t->count);
    if (!t->half || !t->boxes || !t->kin)
        return PRC_FAIL_MEMORY(error);
    const bool *obstacle = t->with == PRC_CHECK_COLLIDER ? NULL : c->how.obstacle;
    for (int i = 0; i < t->count; i++) {
        const int *v = t->vertices + 3 * (size_t)i;
        t->half[i] = half_of(c, t, v);
        const double wider = t->half[i] * fmax(c->how.share, 1); /* what overlaps is within reach_of then */
        t->boxes[i] = prc_check_box_around(t->positions, v, 3);
        t->kin[i] = obstacle && obstacle[v[0]] && obstacle[v[1]] && obstacle[v[2]];
        for (int k = 0; k < 3; k++) {
            t->boxes[i].low[k] -= wider;
            t->boxes[i].high[k] += wider;
        }
    }
    return prc_check_tree_build(&t->tree, t->boxes, t->kin, t->count, c->how.threads, error);
}

/* The surface of a collider where it is. */
static void pose(const prc_check_collider *s, double *to)
{
    for (size_t i = 0; i < (size_t)s->mesh_vertex_count; i++)
        for (size_t k = 0; k < 3; k++) {
            const double *q = s->mesh_positions + 3 * i;
            to[3 * i + k] = s->turn[k][0] * q[0] + s->turn[k][1] * q[1] + s->turn[k][2] * q[2] + s->shift[k];
        }
}

static prc_result take_inside(const checker *c, things *surface, prc_error *error)
{
    surface->inside = PRC_NEW(double, c->ball_count);
    if (!surface->inside)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < c->ball_count; i++)
        surface->inside[i] = -1;
    for (int k = 0; k < c->inside.listed_count; k++)
        if (c->inside.listed[k].collider == surface->other)
            surface->inside[c->inside.listed[k].item] = c->inside.listed[k].depth;
    return PRC_OK;
}

static prc_result gather(checker *c, prc_error *error)
{
    size_t vertices = 0;
    for (int k = 0; k < c->collider_count; k++)
        vertices += c->colliders[k].kind == PRC_SHAPE_MESH ? (size_t)c->colliders[k].mesh_vertex_count : 0;
    c->surfaces = PRC_NEW(things, 2 + (size_t)c->collider_count);
    c->posed = PRC_NEW(double, 3 * vertices);
    if (!c->surfaces || !c->posed)
        return PRC_FAIL_MEMORY(error);
    c->surfaces[c->surface_count++] =
        (things){.with = PRC_CHECK_BALL, .count = c->ball_count, .positions = c->positions, .vertices = c->balls};
    c->surfaces[c->surface_count++] =
        (things){.with = PRC_CHECK_SHAPE, .count = c->shape_count, .positions = c->positions, .vertices = c->shapes};
    double *to = c->posed;
    for (int k = 0; k < c->collider_count; k++) {
        const prc_check_collider *s = &c->colliders[k];
        if (s->kind != PRC_SHAPE_MESH)
            continue;
        pose(s, to);
        c->surfaces[c->surface_count++] = (things){.with = PRC_CHECK_COLLIDER,
                                                   .count = s->mesh_triangle_count,
                                                   .other = k,
                                                   .positions = to,
                                                   .vertices = s->mesh_triangles};
        to += 3 * (size_t)s->mesh_vertex_count;
    }
    prc_result result = PRC_OK;
    for (int k = 0; k < c->surface_count && !result; k++)
        result = prepare(c, &c->surfaces[k], error);
    for (int k = 2; k < c->surface_count && !result; k++)
        result = take_inside(c, &c->surfaces[k], error);
    return result;
}

/* Which centres are inside of colliders, for those that are meshes; tells as well which colliders and positions make no
 * sense. */
static prc_result ask_inside(checker *c, prc_error *error)
{
    prc_check_collider_options how = prc_check_collider_options_default();
    how.obstacle = c->how.obstacle;
    how.rounding = c->how.rounding;
    how.skip_distances = true;
    how.most_listed = INT_MAX;
    how.threads = c->how.threads;
    return prc_check_colliders(c->positions, c->vertex_count, c->balls, c->ball_count, c->colliders, c->collider_count,
                               &how, &c->inside, error);
}

/* ---- a pair ---- */

static double largest_of(const double *x)
{
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

/* What rounding may amount to; `size`: of coordinates besides those of the ball, m. */
static double rounding_of(const checker *c, const double *x, double thickness, double size)
{
    return 64 * DBL_EPSILON * (largest_of(x) + thickness + size) +
           c->how.rounding * (4 * (largest_of(x) + thickness) + thickness);
}

/* prc_grow, from any thread: the user's allocator need not be safe for them. */
static void *grow(checker *c, void *memory, size_t old_count, size_t new_count, size_t size)
{
    void *grown;
#pragma omp critical(prc_check_memory)
    grown = prc_grow(memory, old_count, new_count, size);
    c->out_of_memory = !grown;
    return grown;
}

static void list_overlap(checker *c, const prc_check_overlap *found)
{
    prc_check_balls_result *r = c->result;
    if ((size_t)r->listed_count == c->capacity) {
        const size_t wanted = c->capacity ? 2 * c->capacity : 64;
        prc_check_overlap *grown = grow(c, r->listed, c->capacity, wanted, sizeof *grown);
        if (!grown)
            return;
        r->listed = grown;
        c->capacity = wanted;
    }
    r->listed[r->listed_count++] = *found;
}

/* Takes a pair that has been measured: it overlaps, may be the nearest, or is neither. */
static void judge(checker *c, prc_check_overlap *found, double error)
{
    prc_check_balls_result *r = c->result;
    const double gap = found->distance - found->thickness;
    found->depth = c->how.share * found->thickness - found->distance;
    if (found->depth > error) {
        r->overlaps++;
        list_overlap(c, found);
    } else if (!c->how.skip_distances && gap < c->gap) {
        c->gap = gap;
        r->nearest = *found;
        r->nearest_found = true;
    }
}

/* Squared: up to here a ball has to look, whatever the boxes contain. */
static double reach_of(const checker *c, double radius)
{
    const double wanted = fmax(c->how.share * radius, c->how.skip_distances ? 0 : radius + c->gap);
    return wanted * wanted;
}

static void visit(void *context, int item)
{
    checker *c = context;
    const things *t = c->asked;
    const int ball = c->balls[3 * (size_t)c->asking], *v = t->vertices + 3 * (size_t)item;
    const bool own = t->with != PRC_CHECK_COLLIDER && (v[0] == ball || v[1] == ball || v[2] == ball);
    if (own || (t->with == PRC_CHECK_BALL && v[0] < ball)) /* the first of two balls asks */
        return;
    const double *x = c->positions + 3 * (size_t)ball, *corner[3];
    prc_check_overlap found = {.with = t->with, .ball = ball, .vertices = {v[0], v[1], v[2]}};
    double on_ball[3];
    for (int k = 0; k < 3; k++)
        corner[k] = t->positions + 3 * (size_t)v[k];
    found.other = t->with == PRC_CHECK_BALL ? v[0] : t->with == PRC_CHECK_SHAPE ? item : t->other;
    found.thickness = c->radii[ball] + t->half[item];
    found.distance = sqrt(prc_check_distance_point_triangle(x, corner[0], corner[1], corner[2], on_ball, found.point));
    c->result->pairs++;
    judge(c, &found, rounding_of(c, x, found.thickness, 0));
    c->reach = reach_of(c, c->radii[ball]);
}

/* A convex collider: the distance of the centre. */
static void meet_convex(checker *c, int collider)
{
    const prc_check_collider *s = &c->colliders[collider];
    const int ball = c->balls[3 * (size_t)c->asking];
    const double *x = c->positions + 3 * (size_t)ball;
    double q[3], gradient[3], half[3], extent = 0;
    for (int k = 0; k < 3; k++)
        q[k] = s->turn[0][k] * (x[0] - s->shift[0]) + s->turn[1][k] * (x[1] - s->shift[1]) +
               s->turn[2][k] * (x[2] - s->shift[2]);
    prc_check_overlap found = {.with = PRC_CHECK_COLLIDER,
                               .ball = ball,
                               .other = collider,
                               .vertices = {ball, ball, ball},
                               .distance = prc_check_collider_distance(s, q, gradient),
                               .thickness = c->radii[ball]};
    prc_check_collider_half_box(s, half);
    for (int k = 0; k < 3 && s->kind != PRC_SHAPE_PLANE; k++)
        extent = hypot(extent, half[k]);
    for (int k = 0; k < 3; k++) {
        found.point[k] = s->shift[k];
        for (int a = 0; a < 3; a++)
            found.point[k] += s->turn[k][a] * (q[a] - found.distance * gradient[a]);
    }
    c->result->pairs++;
    judge(c, &found, rounding_of(c, x, found.thickness, largest_of(s->shift) + extent));
}

/* Of all triangles of a mesh that are too near, the nearest; a centre inside is as deep as it is inside. */
static void meet_mesh(checker *c, const things *surface, const prc_check_box *box)
{
    const int ball = c->balls[3 * (size_t)c->asking], before = c->result->listed_count;
    const double *x = c->positions + 3 * (size_t)ball;
    prc_check_overlap *listed;
    if (surface->inside[c->asking] >= 0) {
        prc_check_overlap found = {.with = PRC_CHECK_COLLIDER,
                                   .ball = ball,
                                   .other = surface->other,
                                   .vertices = {ball, ball, ball},
                                   .distance = -surface->inside[c->asking],
                                   .thickness = c->radii[ball],
                                   .point = {x[0], x[1], x[2]}};
        c->result->pairs++;
        judge(c, &found, 0);
        return;
    }
    prc_check_tree_query(&surface->tree, box, 0, &c->reach, visit, c);
    listed = c->result->listed + before;
    const int found = c->result->listed_count - before;
    for (int k = 1; k < found; k++)
        if (listed[k].depth > listed[0].depth)
            listed[0] = listed[k];
    if (found > 1 && !c->out_of_memory) {
        c->result->overlaps -= found - 1;
        c->result->listed_count = before + 1;
    }
}

static void ask(checker *c)
{
    const int ball = c->balls[3 * (size_t)c->asking], first = 0;
    const bool obstacle = c->how.obstacle && c->how.obstacle[ball];
    const prc_check_box box = prc_check_box_around(c->positions + 3 * (size_t)ball, &first, 1);
    for (int k = 0; k < c->surface_count && !c->out_of_memory; k++) {
        c->asked = &c->surfaces[k];
        c->reach = reach_of(c, c->radii[ball]);
        if (c->asked->with != PRC_CHECK_COLLIDER)
            prc_check_tree_query(&c->asked->tree, &box, obstacle, &c->reach, visit, c);
        else if (!obstacle)
            meet_mesh(c, c->asked, &box);
    }
    for (int k = 0; k < c->collider_count && !obstacle && !c->out_of_memory; k++)
        if (c->colliders[k].kind != PRC_SHAPE_MESH)
            meet_convex(c, k);
}

/* ---- all of them ---- */

/* What the balls from `first` on overlap, into a checker of their own. */
static void ask_run(const checker *c, int first, checker *part, prc_check_balls_result *result)
{
    *part = *c;
    *result = (prc_check_balls_result){0};
    part->result = result;
    for (part->asking = first; part->asking < first + RUN && part->asking < c->ball_count && !part->out_of_memory;
         part->asking++)
        ask(part);
}

/* Adds what a run found; runs come in order. */
static void take_run(checker *c, checker *part)
{
    const prc_check_balls_result *found = part->result;
    prc_check_balls_result *r = c->result;
    c->out_of_memory = c->out_of_memory || part->out_of_memory;
    r->pairs += found->pairs;
    r->overlaps += found->overlaps;
    if (found->nearest_found && part->gap < c->gap) {
        c->gap = part->gap;
        r->nearest = found->nearest;
        r->nearest_found = true;
    }
    for (int i = 0; i < found->listed_count && !c->out_of_memory; i++)
        list_overlap(c, &found->listed[i]);
#pragma omp critical(prc_check_memory)
    prc_free(found->listed);
}

static void find_overlaps(checker *c)
{
    const int runs = (c->ball_count + RUN - 1) / RUN;
    const checker empty = *c; /* that has found nothing yet */
#pragma omp parallel for schedule(dynamic, 1) ordered num_threads(c->how.threads)
    for (int run = 0; run < runs; run++) {
        checker part;
        prc_check_balls_result result;
        ask_run(&empty, run * RUN, &part, &result);
#pragma omp ordered
        take_run(c, &part);
    }
}

static int compare_overlaps(const void *a, const void *b)
{
    const prc_check_overlap *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth > y->depth ? -1 : 1;
    if (x->ball != y->ball)
        return x->ball - y->ball;
    return x->with != y->with ? (int)x->with - (int)y->with : x->other - y->other;
}

static prc_result check_all(checker *c, prc_error *error)
{
    prc_result result = check_input(c, error);
    if (!result)
        result = list_balls(c, error);
    if (!result)
        result = ask_inside(c, error);
    if (!result)
        result = gather(c, error);
    if (result)
        return result;
    find_overlaps(c);
    if (c->out_of_memory)
        return PRC_FAIL_MEMORY(error);
    if (c->result->listed_count)
        qsort(c->result->listed, (size_t)c->result->listed_count, sizeof *c->result->listed, compare_overlaps);
    if (c->result->listed_count > c->how.most_listed)
        c->result->listed_count = c->how.most_listed;
    return PRC_OK;
}

static void release(checker *c)
{
    for (int k = 0; k < c->surface_count; k++) {
        prc_check_tree_release(&c->surfaces[k].tree);
        prc_free(c->surfaces[k].half);
        prc_free(c->surfaces[k].boxes);
        prc_free(c->surfaces[k].kin);
        prc_free(c->surfaces[k].inside);
    }
    prc_free(c->surfaces);
    prc_free(c->posed);
    prc_free(c->balls);
    prc_check_collider_result_release(&c->inside);
}

prc_result prc_check_balls(const double *positions, const double *radii, int vertex_count, const int *shapes,
                           int shape_count, const prc_check_collider *colliders, int collider_count,
                           const prc_check_balls_options *options, prc_check_balls_result *result, prc_error *error)
{
    *result = (prc_check_balls_result){0};
    if (vertex_count < 0 || shape_count < 0 || collider_count < 0 || (vertex_count && (!positions || !radii)) ||
        (shape_count && !shapes) || (collider_count && !colliders))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "found %d vertices, %d triangles and %d colliders; expected arrays of as "
                        "many",
                        vertex_count, shape_count, collider_count);
    checker c = {.positions = positions,
                 .radii = radii,
                 .vertex_count = vertex_count,
                 .shapes = shapes,
                 .shape_count = shape_count,
                 .colliders = colliders,
                 .collider_count = collider_count,
                 .how = *options,
                 .gap = INFINITY,
                 .result = result};
    c.how.threads = options->threads > 0 ? options->threads : 1;
    const prc_result code = check_all(&c, error);
    if (code)
        prc_check_balls_result_release(result);
    release(&c);
    return code;
}

void prc_check_balls_result_release(prc_check_balls_result *result)
{
    prc_free(result->listed);
    *result = (prc_check_balls_result){0};
}
