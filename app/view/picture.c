/* app/view/picture.c — the scene of the window as items of the drawing, and the number of passes of a picture.
 *
 * During motion, a picture has as many passes as fit into a frame; when everything is still, passes are added until the
 * picture is as good as that of `percale render`.
 * SPDX-License-Identifier: Apache-2.0 */
#include <epoxy/gl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "window.h"

#define BUDGET_MS 9.0 /* of a frame of 16.7 for passes */
#define MOST_PASSES 8 /* of a moving picture */
#define STILL_PASSES 48
#define STILL_SHOWN 8    /* fewer are not shown */
#define STILL_AFTER 0.3  /* s without a change */
#define SLOW_MS 22.0     /* a pass that takes longer is taken without shadows while things move */
#define FORCE_SHARE 0.06 /* the strongest contact force is drawn so long, of the extent */

static const double marked[3] = {0.83, 0.16, 0.10}, held[3] = {0.10, 0.10, 0.12}, bound[3] = {0.10, 0.42, 0.62};

static int add_marks(prc_window *w, bool points, bool front, const double colour[3], double size, prc_error *error)
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
                                   .front = front};
    return prc_draw_add(w->draw, &def, error);
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

/* Whether the ground that is drawn is there: a collider stands for it. */
static bool has_floor(const prc_window *w)
{
    const prc_sim_def *def = w->source->def;
    for (int k = 0; def && k < def->collider_count; k++)
        if (def->colliders[k].shape == PRC_SHAPE_PLANE && prc_show_collider_item(w->show, k) < 0)
            return true;
    return false;
}

prc_result prc_window_make_items(prc_window *w, prc_error *error)
{
    const prc_view_source *s = w->source;
    const prc_show_def def = {.vertex_count = s->vertex_count,
                              .triangle_count = s->triangle_count,
                              .edge_count = s->edge_count,
                              .triangles = s->triangles,
                              .edges = s->edges,
                              .obstacle = s->obstacle,
                              .sim = s->def};
    measure(w);
    w->show = prc_show_create(w->draw, &def, error);
    if (!w->show)
        return error->code;
    w->contact_points = add_marks(w, true, true, marked, 2.2e-3 * w->extent, error);
    w->contact_lines = add_marks(w, false, true, marked, 2, error);
    w->bound_lines = add_marks(w, false, false, bound, 1.2, error);
    w->held_line = add_marks(w, false, true, held, 2.5, error);
    w->held_point = add_marks(w, true, true, held, 6e-3 * w->extent, error);
    return w->held_point < 0 || w->held_line < 0 || w->bound_lines < 0 || w->contact_lines < 0 || w->contact_points < 0
               ? error->code
               : PRC_OK;
}

/* ---- a shot ---- */

/* The collider where it is, in the frame in which it is drawn. */
static void pose_collider(const prc_window *w, int k)
{
    const double *turn = w->shot->turns[k], *shift = w->shot->shifts[k];
    double own[3][3], middle[3], now[3][3], place[3];
    prc_collider_def still = w->source->def->colliders[k];
    memset(&still.motion, 0, sizeof still.motion);
    prc_draw_collider_pose(&still, 0, own, middle);
    for (int i = 0; i < 3; i++) {
        place[i] = shift[i];
        for (int j = 0; j < 3; j++) {
            place[i] += turn[3 * i + j] * middle[j];
            now[i][j] = turn[3 * i] * own[0][j] + turn[3 * i + 1] * own[1][j] + turn[3 * i + 2] * own[2][j];
        }
    }
    prc_show_place_collider(w->show, k, (const double(*)[3])now, place);
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
    const prc_render_field *field = prc_view_field(shot->colour);
    prc_error error;
    if (prc_show_move(w->show, shot->positions, field ? shot->values : NULL, shot->time, &error))
        prc_window_notice(w, "not drawn: %s", error.message);
    for (int k = 0; w->source->live && k < w->source->collider_count; k++)
        pose_collider(w, k);
    if (!w->source->live)
        prc_show_place_told(w->show, &shot->colliders);
    show_contacts(w);
    show_bounds(w);
    show_grab(w);
    if (field)
        w->picture.map = field->map;
    memcpy(w->picture.range, shot->range, sizeof shot->range);
    w->stale = true;
}

void prc_window_fit(prc_window *w)
{
    /* What the panel covers is no place for the scene. */
    const double covered = w->panel ? fmin(0.5, PRC_PANEL_WIDTH * w->scale / w->width) : 0;
    const double aspect = (double)w->width / w->height;
    for (int k = 0; k < w->source->ahead_count; k++) {
        const double *positions = w->source->ahead + 3L * w->source->vertex_count * k;
        (void)prc_show_move(w->show, positions, NULL, w->shot->time, NULL);
        prc_show_look(w->show);
    }
    if (w->source->ahead_count > 0)
        prc_window_show_shot(w);
    prc_show_look(w->show);
    prc_error error = {0};
    if (prc_show_aim(w->show, NULL, aspect * (1 - covered), 0.08, &w->picture, &error) != PRC_OK)
        return;                           /* out of memory: the camera stays where it is */
    if (w->source->live && !has_floor(w)) /* what falls is not to pass through it at once */
        w->picture.ground_height -= 0.35 * w->extent;
    const prc_camera_def *own = w->source->def ? &w->source->def->camera : NULL;
    if (!own || memcmp(own->eye, own->target, sizeof own->eye) == 0)      /* that of a scene is as it says */
        prc_camera_pan(&w->picture.camera, -covered / 2 * aspect, -0.02); /* above the status line */
    w->stale = true;
}

/* ---- passes ---- */

static void draw_moving(prc_window *w)
{
    prc_draw_view view = w->picture;
    int passes = (int)(BUDGET_MS / fmax(w->pass_ms, 0.1));
    passes = passes < 1 ? 1 : passes > MOST_PASSES ? MOST_PASSES : passes;
    view.cast = view.shadows; /* the floor is seen by what falls on it, also where there are no maps */
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
