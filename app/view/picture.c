/* app/view/picture.c — the scene of the window as items of the drawing, and how many passes a picture gets.
 *
 * While things move, a picture has as many passes as fit into a frame; when all is still, passes are added until the
 * picture is as good as that of `percale render`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "window.h"

#define BUDGET_MS 9.0  /* of a frame of 16.7 for passes */
#define MOST_PASSES 8  /* of a moving picture */
#define STILL_PASSES 48
#define STILL_SHOWN 8   /* fewer are not shown */
#define STILL_AFTER 0.3 /* s without a change */
#define SLOW_MS 22.0 /* a pass that takes longer is taken without shadows while things move */
#define FORCE_SHARE 0.06 /* the strongest contact force is drawn so long, of the extent */

static const double marked[3] = {0.83, 0.16, 0.10}, held[3] = {0.10, 0.10, 0.12}, bound[3] = {0.10, 0.42, 0.62};

static int add_marks(prc_window *w, bool points, const double colour[3], double size, prc_error *error)
{
    const int no_line[2] = {0, 1};
    const prc_draw_item_def def = {.vertex_count = 2,
                                   .points = points,
                                   .lines = points ? NULL : no_line,
                                   .line_count = points ? 0 : 1,
                                   .colour = {colour[0], colour[1], colour[2]},
                                   .radius = size,
                                   .width = size,
                                   .unlit = true,
                                   .unbounded = true,
                                   .hidden = true,
                                   .front = true};
    return prc_draw_add(w->draw, &def, error);
}

static prc_result add_parts(prc_window *w, prc_error *error)
{
    const prc_view_source *s = w->source;
    for (int p = 0; p < s->part_count; p++) {
        const prc_view_part *part = &s->parts[p];
        int *triangles = malloc(3 * sizeof *triangles * (size_t)(part->triangle_count + 1));
        if (!triangles)
            return PRC_FAIL_MEMORY(error);
        for (int k = 0; k < 3 * part->triangle_count; k++)
            triangles[k] = s->triangles[3 * part->first_triangle + k] - part->first_vertex;
        prc_draw_item_def def = {.vertex_count = part->vertex_count,
                                 .triangle_count = part->triangle_count,
                                 .triangles = triangles,
                                 .solid = part->obstacle};
        if (part->obstacle)
            def.colour[0] = def.colour[1] = def.colour[2] = 0.68;
        else
            prc_palette_colour(p, def.colour);
        if (part->triangle_count == 0) { /* points of an obstacle */
            def.points = true;
            def.radius = 2e-3 * w->extent;
        }
        w->parts[p] = prc_draw_add(w->draw, &def, error);
        free(triangles);
        if (w->parts[p] < 0)
            return error->code;
    }
    return PRC_OK;
}

/* The plane that is the floor is the drawing's ground. */
static bool is_floor(const prc_window *w, const prc_collider_def *def)
{
    const double *up = w->picture.up, *n = def->axis, length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return def->shape == PRC_SHAPE_PLANE && def->rotate.degrees == 0 &&
           (n[0] * up[0] + n[1] * up[1] + n[2] * up[2]) / length > 0.9999;
}

static prc_result add_solids(prc_window *w, prc_error *error)
{
    const prc_view_source *s = w->source;
    bool floor = false;
    for (int k = 0; k < s->collider_count; k++) {
        const prc_collider_def *def = &s->colliders[k];
        w->solids[k] = -1;
        if (!floor && is_floor(w, def)) {
            floor = true;
            w->picture.ground_height = 0;
            for (int c = 0; c < 3; c++)
                w->picture.ground_height += def->center[c] * w->picture.up[c];
            continue;
        }
        w->solids[k] = prc_draw_add_solid(w->draw, def, 1.5 * w->extent, error);
        if (w->solids[k] < 0 && def->shape != PRC_SHAPE_MESH)
            return error->code;
    }
    if (!floor) { /* somewhere for the shadows: below everything */
        double low = INFINITY;
        for (int i = 0; i < s->vertex_count; i++) {
            const double *x = w->shot->positions + 3L * i;
            low = fmin(low, x[0] * w->picture.up[0] + x[1] * w->picture.up[1] + x[2] * w->picture.up[2]);
        }
        w->picture.ground_height = low - 0.35 * w->extent;
    }
    return PRC_OK;
}

static void measure(prc_window *w)
{
    double low[3], high[3], square = 0;
    for (int c = 0; c < 3; c++) {
        low[c] = INFINITY;
        high[c] = -INFINITY;
        for (int i = 0; i < w->source->vertex_count; i++) {
            low[c] = fmin(low[c], w->shot->positions[3L * i + c]);
            high[c] = fmax(high[c], w->shot->positions[3L * i + c]);
        }
        square += low[c] <= high[c] ? (high[c] - low[c]) * (high[c] - low[c]) : 0;
    }
    w->extent = fmax(sqrt(square), 1e-3);
}

prc_result prc_window_make_items(prc_window *w, prc_error *error)
{
    w->parts = calloc((size_t)w->source->part_count + 1, sizeof *w->parts);
    w->solids = calloc((size_t)w->source->collider_count + 1, sizeof *w->solids);
    if (!w->parts || !w->solids)
        return PRC_FAIL_MEMORY(error);
    measure(w);
    prc_result result = add_parts(w, error);
    if (result == PRC_OK)
        result = add_solids(w, error);
    if (result != PRC_OK)
        return result;
    w->contact_points = add_marks(w, true, marked, 2.2e-3 * w->extent, error);
    w->contact_lines = add_marks(w, false, marked, 2, error);
    w->bound_lines = add_marks(w, false, bound, 1.2, error);
    w->held_line = add_marks(w, false, held, 2.5, error);
    w->held_point = add_marks(w, true, held, 6e-3 * w->extent, error);
    return w->held_point < 0 || w->held_line < 0 || w->bound_lines < 0 || w->contact_lines < 0 || w->contact_points < 0
               ? error->code
               : PRC_OK;
}

/* ---- a shot ---- */

/* The collider where it is, in the frame in which it is drawn. */
static void pose_solid(const prc_window *w, int k)
{
    const double *turn = w->shot->turns[k], *shift = w->shot->shifts[k];
    double own[3][3], middle[3], now[3][3], place[3];
    prc_collider_def still = w->source->colliders[k];
    memset(&still.motion, 0, sizeof still.motion);
    prc_draw_solid_pose(&still, 0, own, middle);
    for (int i = 0; i < 3; i++) {
        place[i] = shift[i];
        for (int j = 0; j < 3; j++) {
            place[i] += turn[3 * i + j] * middle[j];
            now[i][j] = turn[3 * i] * own[0][j] + turn[3 * i + 1] * own[1][j] + turn[3 * i + 2] * own[2][j];
        }
    }
    prc_draw_pose(w->draw, w->solids[k], (const double(*)[3])now, place);
}

static double *reserve_marks(prc_window *w, size_t count)
{
    if (count > w->mark_room) {
        double *marks = realloc(w->marks, 2 * count * sizeof *marks);
        if (!marks)
            return NULL;
        w->marks = marks;
        w->mark_room = 2 * count;
    }
    return w->marks;
}

static void show_contacts(prc_window *w)
{
    const int count = w->shot->contact_count;
    double *marks = reserve_marks(w, 6 * (size_t)count + 6);
    const bool shown = w->wishes.contacts && count > 0 && marks;
    prc_draw_hide(w->draw, w->contact_lines, !shown);
    prc_draw_hide(w->draw, w->contact_points, !shown);
    if (!shown)
        return;
    for (int k = 0; k < count; k++)
        memcpy(marks + 3L * k, w->shot->contacts + 6L * k, 3 * sizeof *marks);
    (void)prc_draw_set_marks(w->draw, w->contact_points, count, marks, NULL);
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) {
            marks[6L * k + c] = w->shot->contacts[6L * k + c];
            marks[6L * k + 3 + c] =
                w->shot->contacts[6L * k + c] + FORCE_SHARE * w->extent * w->shot->contacts[6L * k + 3 + c];
        }
    (void)prc_draw_set_marks(w->draw, w->contact_lines, 2 * count, marks, NULL);
}

/* The ball of each vertex as an octahedron. */
static void show_bounds(prc_window *w)
{
    static const int edge[12][2] = {{0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2}, {1, 3},
                                    {1, 4}, {1, 5}, {2, 4}, {2, 5}, {3, 4}, {3, 5}};
    const int count = w->source->vertex_count;
    double *marks = w->shot->has_bounds ? reserve_marks(w, 72 * (size_t)count) : NULL;
    const bool shown = w->wishes.bounds && marks;
    int made = 0;
    prc_draw_hide(w->draw, w->bound_lines, !shown);
    for (int i = 0; shown && i < count; i++) {
        if (!isfinite(w->shot->bounds[i]))
            continue;
        for (int e = 0; e < 24; e++) {
            const int corner = edge[e / 2][e % 2];
            double *x = marks + 3L * made++;
            memcpy(x, w->shot->positions + 3L * i, 3 * sizeof *x);
            x[corner / 2] += (corner % 2 ? -1 : 1) * w->shot->bounds[i];
        }
    }
    if (shown)
        (void)prc_draw_set_marks(w->draw, w->bound_lines, made, marks, NULL);
}

static void show_grab(prc_window *w)
{
    const bool shown = w->shot->holds;
    double ends[6];
    prc_draw_hide(w->draw, w->held_point, !shown);
    prc_draw_hide(w->draw, w->held_line, !shown);
    if (!shown)
        return;
    memcpy(ends, w->shot->held, 3 * sizeof *ends);
    memcpy(ends + 3, w->shot->target, 3 * sizeof *ends);
    (void)prc_draw_set_marks(w->draw, w->held_point, 2, ends, NULL);
    (void)prc_draw_set_marks(w->draw, w->held_line, 2, ends, NULL);
}

void prc_window_show_shot(prc_window *w)
{
    const prc_view_shot *shot = w->shot;
    const prc_view_source *s = w->source;
    prc_error error;
    for (int p = 0; p < s->part_count; p++) {
        const prc_view_part *part = &s->parts[p];
        const double *values =
            shot->colour == PRC_VIEW_BODY || part->obstacle ? NULL : shot->values + part->first_vertex;
        if (prc_draw_move(w->draw, w->parts[p], shot->positions + 3L * part->first_vertex, values, &error))
            prc_window_notice(w, "not drawn: %s", error.message);
    }
    for (int k = 0; k < s->collider_count; k++)
        if (w->solids[k] >= 0)
            pose_solid(w, k);
    show_contacts(w);
    show_bounds(w);
    show_grab(w);
    const bool about = shot->colour == PRC_VIEW_STRETCH || shot->colour == PRC_VIEW_CURVATURE;
    w->picture.map = about ? PRC_MAP_DIVERGING : PRC_MAP_SEQUENTIAL;
    memcpy(w->picture.range, shot->range, sizeof shot->range);
    w->stale = true;
}

/* All bodies, and colliders that are about as large. */
void prc_window_fit(prc_window *w)
{
    const prc_box box = prc_draw_bounds(w->draw);
    double corners[24];
    if (!(box.low[0] <= box.high[0]))
        return;
    for (int k = 0; k < 8; k++)
        for (int c = 0; c < 3; c++)
            corners[3 * k + c] = k >> c & 1 ? box.high[c] : box.low[c];
    prc_camera_fit(&w->picture.camera, corners, 8, (double)w->width / w->height, 0.1);
    w->stale = true;
}

/* ---- passes ---- */

static void draw_moving(prc_window *w)
{
    prc_draw_view view = w->picture;
    int passes = (int)(BUDGET_MS / fmax(w->pass_ms, 0.1));
    passes = passes < 1 ? 1 : passes > MOST_PASSES ? MOST_PASSES : passes;
    view.shadows = view.shadows && !w->plain;
    view.passes = passes;
    const double start = prc_view_seconds();
    prc_draw_begin(w->draw, &view);
    prc_draw_pass(w->draw, passes);
    glFinish(); /* what it took is known then */
    w->pass_ms += 0.2 * (1e3 * (prc_view_seconds() - start) / passes - w->pass_ms);
    if (w->pass_ms > SLOW_MS && view.shadows)
        w->plain = true;
    w->moved = start;
    w->still = false;
}

/* Begun anew for the light of many passes, and shown from when there are a few. */
static bool draw_still(prc_window *w)
{
    if (!w->still) {
        prc_draw_view view = w->picture;
        view.passes = STILL_PASSES;
        prc_draw_begin(w->draw, &view);
        w->still = true;
    }
    const double start = prc_view_seconds();
    while (prc_draw_passes(w->draw) < STILL_PASSES && 1e3 * (prc_view_seconds() - start) < BUDGET_MS) {
        prc_draw_pass(w->draw, 1);
        glFinish();
    }
    return prc_draw_passes(w->draw) >= STILL_SHOWN;
}

bool prc_window_draw(prc_window *w)
{
    if (w->stale) {
        w->stale = false;
        draw_moving(w);
        return true;
    }
    return prc_view_seconds() - w->moved < STILL_AFTER ? true : draw_still(w);
}
