/* scene/follow.c — pins that follow the vertices of an animation: a prc_pin_def's animate callback.
 *
 * A pinned vertex moves by the displacement of its animation vertex since the pin took hold, so it keeps its offset;
 * the offset does not rotate with the surface. The nearest animation vertex depends on the positions of the cloth when
 * the pin took hold, which the callback receives: it is found in the first call, and again if these positions change.
 * So nothing has to be saved with a state. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/vertex_cache.h"
#include "mesh/mend.h"
#include "scene/instances.h"

/* A vertex of the animation when the pin takes hold. */
typedef struct candidate {
    double at[3];
    int vertex;
} candidate;

typedef struct follower {
    prc_vertex_cache cache;
    const prc_place_spec *place;
    prc_instance_pose pose;
    double from; /* when the pin takes hold, s */
    int count;
    int *vertices; /* of the animation, for each vertex of the pin */
    /* by: nearest */
    candidate *candidates; /* all of the animation, by x; NULL otherwise */
    double *found_for;     /* the anchors that `vertices` belongs to, once found */
    bool found;
} follower;

/* From the animation's file to the scene: a point, or the difference of two. */
static void put_in_place(const follower *f, double x[3], bool is_point)
{
    static const double nowhere[3] = {0, 0, 0};
    const prc_place_spec *place = f->place;
    prc_mesh mesh = {.vertex_count = 1, .positions = x};
    prc_mesh_transform(&mesh, place->rotate.axis, place->rotate.degrees, place->scale,
                       is_point ? place->translate : nowhere);
    if (is_point)
        prc_instance_move(&f->pose, x);
    else
        prc_instance_turn(&f->pose, x);
}

static int compare_x(const void *a, const void *b)
{
    const candidate *p = a, *q = b;
    if (p->at[0] != q->at[0])
        return p->at[0] < q->at[0] ? -1 : 1;
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

/* The nearest vertex; of several, that of the smallest number. Looks to both sides of x, until x alone is too far. */
static int nearest(const follower *f, const double x[3])
{
    const int n = f->cache.vertex_count;
    int low = 0, best = f->candidates[0].vertex;
    for (int high = n; low < high;) {
        const int middle = low + (high - low) / 2;
        if (f->candidates[middle].at[0] < x[0])
            low = middle + 1;
        else
            high = middle;
    }
    double smallest = INFINITY;
    for (int side = -1; side <= 1; side += 2)
        for (int k = side < 0 ? low - 1 : low; k >= 0 && k < n; k += side) {
            const candidate *c = &f->candidates[k];
            const double d[3] = {c->at[0] - x[0], c->at[1] - x[1], c->at[2] - x[2]};
            if (d[0] * d[0] > smallest)
                break;
            const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < smallest || (square == smallest && c->vertex < best)) {
                smallest = square;
                best = c->vertex;
            }
        }
    return best;
}

static void find(follower *f, const double *anchors)
{
    const size_t size = 3 * (size_t)f->count * sizeof *anchors;
    if (f->found && memcmp(f->found_for, anchors, size) == 0)
        return;
    memcpy(f->found_for, anchors, size);
    for (int k = 0; k < f->count; k++)
        f->vertices[k] = nearest(f, anchors + 3 * (size_t)k);
    f->found = true;
}

static void follow(void *context, double time, double *positions)
{
    follower *f = context;
    if (f->candidates)
        find(f, positions);
    for (int k = 0; k < f->count; k++) {
        double now[3], then[3];
        prc_vertex_cache_sample_one(&f->cache, f->vertices[k], time, now);
        prc_vertex_cache_sample_one(&f->cache, f->vertices[k], f->from, then);
        for (int c = 0; c < 3; c++)
            now[c] -= then[c];
        put_in_place(f, now, false);
        for (int c = 0; c < 3; c++)
            positions[3 * (size_t)k + (size_t)c] += now[c];
    }
}

/* Numbers are those of the body's file: an animation was made from the same one. */
static prc_result follow_numbers(const prc_follow_spec *spec, const prc_mesh *mesh, const prc_pin_def *pin, follower *f,
                                 prc_error *error)
{
    const int last = f->cache.vertex_count - 1;
    if (spec->vertices && spec->vertex_count != 1 && spec->vertex_count != f->count)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "vertices: %d given; expected one for each of the %d pinned vertices, or a single one",
                        spec->vertex_count, f->count);
    for (int k = 0; k < f->count; k++) {
        f->vertices[k] =
            spec->vertices ? spec->vertices[spec->vertex_count == 1 ? 0 : k] : prc_mesh_number(mesh, pin->vertices[k]);
        if (f->vertices[k] > last && spec->vertices)
            return prc_fail(error, PRC_ERROR_INPUT, "vertices: there is no vertex %d; the animation has 0 to %d",
                            f->vertices[k], last);
        if (f->vertices[k] > last)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "vertex %d is pinned, but the animation has vertices 0 to %d; expected an animation of the "
                            "same vertices, or by: nearest, or vertices",
                            f->vertices[k], last);
    }
    return PRC_OK;
}

static prc_result follow_nearest(follower *f, prc_error *error)
{
    const int n = f->cache.vertex_count;
    if (n < 1)
        return prc_fail(error, PRC_ERROR_INPUT, "the animation has no vertices");
    f->candidates = PRC_NEW(candidate, n);
    f->found_for = PRC_NEW(double, 3 * (size_t)f->count);
    if (!f->candidates || !f->found_for)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < n; k++) {
        candidate *c = &f->candidates[k];
        c->vertex = k;
        prc_vertex_cache_sample_one(&f->cache, k, f->from, c->at);
        put_in_place(f, c->at, true);
        if (!isfinite(c->at[0] + c->at[1] + c->at[2]))
            return prc_fail(error, PRC_ERROR_INPUT, "vertex %d of the animation is not finite at %g s", k, f->from);
    }
    qsort(f->candidates, (size_t)n, sizeof *f->candidates, compare_x);
    return PRC_OK;
}

prc_result prc_scene_follow_create(const prc_scene_log *log, const prc_follow_spec *spec,
                                   const struct prc_instance_pose *pose, const prc_mesh *mesh, prc_pin_def *pin,
                                   prc_error *error)
{
    char path[1024];
    if (spec->memory) {
        const prc_scene_memory *memory = prc_scene_find_memory(log, spec->memory, false, error);
        pin->animate = memory ? memory->animate : NULL;
        pin->animate_context = memory ? memory->context : NULL;
        return memory ? PRC_OK : PRC_ERROR_INPUT;
    }
    if (!prc_scene_file(log, spec->file ? spec->file : spec->pattern, path, sizeof path))
        return prc_fail(error, PRC_ERROR_INPUT, "the path of the animation is too long");
    follower *f = PRC_NEW(follower, 1);
    if (!f)
        return PRC_FAIL_MEMORY(error);
    pin->animate = follow; /* from here on the pin owns it */
    pin->animate_context = f;
    f->place = &spec->place;
    f->pose = *pose;
    f->from = fmax(pin->from, 0);
    f->count = pin->vertex_count;
    f->vertices = PRC_NEW(int, f->count);
    if (!f->vertices)
        return PRC_FAIL_MEMORY(error);
    prc_result result = prc_vertex_cache_open(&f->cache, path, error);
    if (result)
        return result;
    f->cache.frames_per_second = spec->frames_per_second;
    f->cache.start = spec->start;
    return spec->by == PRC_FOLLOW_NEAREST ? follow_nearest(f, error) : follow_numbers(spec, mesh, pin, f, error);
}

void prc_scene_follow_destroy(prc_pin_def *pin)
{
    follower *f = pin->animate_context;
    if (!f || pin->animate != follow) /* that of a prc_scene_memory is the program's */
        return;
    prc_vertex_cache_release(&f->cache);
    prc_free(f->vertices);
    prc_free(f->candidates);
    prc_free(f->found_for);
    prc_free(f);
    pin->animate = NULL;
    pin->animate_context = NULL;
}
