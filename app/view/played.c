/* app/view/played.c — the frames of a run as a source: reads the requested frame in its own thread, so that the window
 * does not wait for the disk. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source.h"

#define LOOKS 4 /* frames that the camera is fitted to */

typedef struct played {
    prc_playback *playback; /* of the caller */
    prc_view_wishes now;
    double *work;
    double range[2];
    prc_view_colour range_of;
    long shots;
} played;

static void take_values(played *p, const prc_view_source *s, const prc_playback_frame *frame, prc_view_shot *shot)
{
    const double none[2] = {0, 0};
    shot->colour = p->now.colour;
    const prc_render_field *field = prc_view_field(shot->colour);
    if (!field || prc_render_field_values(field, frame, "", shot->values, NULL)) {
        shot->colour = PRC_VIEW_BODY;
        return;
    }
    prc_view_find_range(shot, s->vertex_count, p->work, p->range_of == shot->colour ? p->range : none);
    memcpy(p->range, shot->range, sizeof p->range);
    p->range_of = shot->colour;
}

static void take_shot(played *p, prc_view_source *s)
{
    prc_view_shot *shot = prc_view_source_back(s);
    const int k = (int)fmin(fmax(p->now.frame, 0), s->frame_count - 1);
    prc_playback_frame frame;
    prc_error error;
    shot->number = ++p->shots;
    shot->frame = k;
    shot->time = s->times[k];
    shot->message[0] = '\0';
    if (prc_playback_read(p->playback, k, &frame, &error))
        snprintf(shot->message, sizeof shot->message, "%.500s", error.message);
    else if (frame.mesh.vertex_count != s->vertex_count)
        snprintf(shot->message, sizeof shot->message, "frame %d has %d vertices, but the first has %d", k,
                 frame.mesh.vertex_count, s->vertex_count);
    else {
        memcpy(shot->positions, frame.mesh.positions, 3 * sizeof(double) * (size_t)s->vertex_count);
        take_values(p, s, &frame, shot);
        prc_colliders_release(&shot->colliders);
        shot->colliders = frame.colliders;
        frame.colliders = (prc_colliders){0};
    }
    prc_playback_frame_release(&frame);
    prc_view_source_publish(s);
}

static void work(prc_view_source *s)
{
    played *p = s->own;
    prc_view_wishes w;
    long seen = 1; /* the first shot is there */
    for (;;) {
        (void)prc_view_source_listen(s, &w, &seen, -1);
        if (w.quit)
            return;
        const bool differs = w.frame != p->now.frame || w.colour != p->now.colour;
        p->now = w;
        if (differs)
            take_shot(p, s);
    }
}

static void release(prc_view_source *s)
{
    played *p = s->own;
    free(p->work);
    free(p);
}

/* What the first frame says of all. One part is enough: nothing is picked. */
static bool list_all(prc_view_source *s, played *p, const prc_playback_frame *frame)
{
    const prc_mesh *mesh = &frame->mesh;
    const size_t n = (size_t)mesh->vertex_count, triangles = 3 * (size_t)mesh->triangle_count,
                 edges = 2 * (size_t)frame->extra.edge_count;
    s->vertex_count = mesh->vertex_count;
    s->triangle_count = mesh->triangle_count;
    s->edge_count = frame->extra.edge_count;
    s->triangles = calloc(triangles + 1, sizeof *s->triangles);
    s->edges = calloc(edges + 1, sizeof *s->edges);
    s->obstacle = calloc(n + 1, sizeof *s->obstacle);
    s->times = calloc((size_t)s->frame_count + 1, sizeof *s->times);
    p->work = calloc(n + 1, sizeof *p->work);
    if (!s->triangles || !s->edges || !s->obstacle || !s->times || !p->work)
        return false;
    memcpy(s->triangles, mesh->triangles, triangles * sizeof *s->triangles);
    if (edges)
        memcpy(s->edges, frame->extra.edges, edges * sizeof *s->edges);
    if (frame->extra.obstacle)
        memcpy(s->obstacle, frame->extra.obstacle, n * sizeof *s->obstacle);
    for (int k = 0; k < s->frame_count; k++)
        s->times[k] = prc_playback_time(p->playback, k);
    for (int k = 0; k < PRC_VIEW_COLOURS; k++) {
        const prc_render_field *field = prc_view_field((prc_view_colour)k);
        s->shows[k] = !field || prc_render_field_values(field, frame, "", p->work, NULL) == PRC_OK;
    }
    return true;
}

/* A few frames from the first to the last. */
static void look_ahead(prc_view_source *s, const played *p)
{
    const size_t numbers = 3 * (size_t)s->vertex_count;
    s->ahead = calloc(LOOKS * numbers + 1, sizeof *s->ahead);
    for (int k = 0; s->ahead && k < LOOKS; k++) {
        prc_playback_frame frame;
        const int number = (int)((double)k / (LOOKS - 1) * (s->frame_count - 1));
        if (prc_playback_read(p->playback, number, &frame, NULL))
            continue;
        if (frame.mesh.vertex_count == s->vertex_count)
            memcpy(s->ahead + numbers * (size_t)s->ahead_count++, frame.mesh.positions, numbers * sizeof(double));
        prc_playback_frame_release(&frame);
    }
}

prc_view_source *prc_view_played_create(prc_playback *playback, const prc_view_wishes *wishes, prc_error *error)
{
    prc_view_source *s = calloc(1, sizeof *s);
    played *p = calloc(1, sizeof *p);
    prc_playback_frame frame;
    if (!s || !p) {
        free(s);
        free(p);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    *p = (played){.playback = playback, .now = *wishes};
    s->own = p;
    s->work = work;
    s->release = release;
    s->frame_count = prc_playback_count(playback);
    s->def = prc_playback_def(playback);
    prc_result result = prc_playback_read(playback, 0, &frame, error);
    if (result == PRC_OK) {
        result = list_all(s, p, &frame) ? prc_view_source_begin(s, wishes, error) : PRC_FAIL_MEMORY(error);
        prc_playback_frame_release(&frame);
    }
    if (result == PRC_OK) {
        look_ahead(s, p);
        take_shot(p, s);
        result = prc_view_source_start(s, error);
    }
    if (result == PRC_OK)
        return s;
    prc_view_source_destroy(s);
    return NULL;
}
