/* app/view/source.c — see source.h: data exchange between the window and the thread.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

double prc_view_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- making ---- */

static bool make_shot(const prc_view_source *s, prc_view_shot *shot)
{
    const size_t n = (size_t)s->vertex_count, colliders = (size_t)s->collider_count;
    shot->positions = calloc(3 * n + 1, sizeof(double));
    shot->values = calloc(n + 1, sizeof(double));
    shot->bounds = calloc(n + 1, sizeof(double));
    shot->turns = calloc(colliders + 1, sizeof *shot->turns);
    shot->shifts = calloc(colliders + 1, sizeof *shot->shifts);
    shot->report.time = -1;
    for (size_t k = 0; shot->turns && k < colliders; k++)
        shot->turns[k][0] = shot->turns[k][4] = shot->turns[k][8] = 1;
    return shot->positions && shot->values && shot->bounds && shot->turns && shot->shifts;
}

prc_result prc_view_source_begin(prc_view_source *s, const prc_view_wishes *wishes, prc_error *error)
{
    pthread_condattr_t attributes;
    s->wishes = *wishes;
    s->version = 1;
    s->ready = 1;
    s->front = 2;
    pthread_mutex_init(&s->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    bool enough = true;
    for (int k = 0; k < 3; k++)
        enough = make_shot(s, &s->shots[k]) && enough;
    return enough ? PRC_OK : PRC_FAIL_MEMORY(error);
}

static void *run(void *source)
{
    ((prc_view_source *)source)->work(source);
    return NULL;
}

prc_result prc_view_source_start(prc_view_source *s, prc_error *error)
{
    const int code = pthread_create(&s->thread, NULL, run, s);
    s->started = code == 0;
    return code ? prc_fail(error, PRC_ERROR_STATE, "cannot start a thread: %s", strerror(code)) : PRC_OK;
}

void prc_view_source_destroy(prc_view_source *s)
{
    if (!s)
        return;
    if (s->started) {
        prc_view_wishes wishes = s->wishes;
        wishes.quit = true;
        prc_view_source_wish(s, &wishes);
        pthread_join(s->thread, NULL);
    }
    if (s->release)
        s->release(s);
    if (s->version) {
        pthread_cond_destroy(&s->changed);
        pthread_mutex_destroy(&s->lock);
    }
    for (int k = 0; k < 3; k++) {
        free(s->shots[k].positions);
        free(s->shots[k].values);
        free(s->shots[k].bounds);
        free(s->shots[k].turns);
        free(s->shots[k].shifts);
        prc_colliders_release(&s->shots[k].colliders);
        free(s->shots[k].contacts);
    }
    free(s->triangles);
    free(s->parts);
    free(s->edges);
    free(s->obstacle);
    free(s->times);
    free(s->ahead);
    free(s);
}

/* ---- wishes ---- */

void prc_view_source_wish(prc_view_source *s, const prc_view_wishes *wishes)
{
    pthread_mutex_lock(&s->lock);
    s->wishes = *wishes;
    s->version++;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

bool prc_view_source_listen(prc_view_source *s, prc_view_wishes *wishes, long *seen, double wait)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    if (wait > 0) {
        const double end = (double)until.tv_nsec + 1e9 * fmod(wait, 1);
        until.tv_sec += (time_t)wait + (end >= 1e9);
        until.tv_nsec = (long)(end >= 1e9 ? end - 1e9 : end);
    }
    pthread_mutex_lock(&s->lock);
    while (s->version == *seen && wait != 0) {
        const int code =
            wait < 0 ? pthread_cond_wait(&s->changed, &s->lock) : pthread_cond_timedwait(&s->changed, &s->lock, &until);
        if (code == ETIMEDOUT)
            break;
    }
    const bool changed = s->version != *seen;
    *seen = s->version;
    *wishes = s->wishes;
    pthread_mutex_unlock(&s->lock);
    return changed;
}

/* ---- shots ---- */

prc_view_shot *prc_view_source_back(prc_view_source *s)
{
    return &s->shots[s->back];
}

void prc_view_source_publish(prc_view_source *s)
{
    pthread_mutex_lock(&s->lock);
    const int taken = s->ready;
    s->ready = s->back;
    s->back = taken;
    s->fresh = true;
    pthread_mutex_unlock(&s->lock);
}

const prc_view_shot *prc_view_source_newest(prc_view_source *s, bool *fresh)
{
    pthread_mutex_lock(&s->lock);
    *fresh = s->fresh;
    if (s->fresh) {
        const int seen = s->front;
        s->front = s->ready;
        s->ready = seen;
        s->fresh = false;
    }
    pthread_mutex_unlock(&s->lock);
    return &s->shots[s->front];
}

bool prc_view_shot_reserve(prc_view_shot *shot, int count)
{
    if (count <= shot->contact_capacity)
        return true;
    const int room = count + count / 2;
    double *contacts = realloc(shot->contacts, 6 * sizeof *contacts * (size_t)room);
    if (!contacts)
        return false;
    shot->contacts = contacts;
    shot->contact_capacity = room;
    return true;
}

/* ---- colours ---- */

const prc_render_field *prc_view_field(prc_view_colour colour)
{
    static const char *const names[PRC_VIEW_COLOURS] = {"body",     "stretch", "curvature", "pressure", "speed",
                                                        "residual", "stress",  "energy",    "gap",      "bound"};
    static const prc_render_field bound = {.name = "bound",
                                           .title = "safe bound",
                                           .unit = "m",
                                           .properties = "bound",
                                           .map = PRC_MAP_SEQUENTIAL,
                                           .from_zero = true};
    return colour == PRC_VIEW_BOUND ? &bound : prc_render_field_find(names[colour], NULL);
}

/* Nothing that is smaller than this has colours: it is rounding. */
static double least_range(prc_view_colour colour)
{
    static const double least[PRC_VIEW_COLOURS] = {1, 2e-3, 0.5, 1, 1e-3, 1e-6, 1e-3, 1e-6, 1e-6, 1e-6};
    return least[colour];
}

void prc_view_find_range(prc_view_shot *shot, int count, double *work, const double before[2])
{
    const prc_render_field *field = prc_view_field(shot->colour);
    double *range = shot->range;
    memcpy(work, shot->values, sizeof *work * (size_t)count);
    prc_render_field_range(field, work, count, range);
    if (before[0] != before[1]) { /* what fades does so slowly: colours that jump say nothing */
        range[0] = fmin(range[0], before[0] + 0.02 * (range[0] - before[0]));
        range[1] = fmax(range[1], before[1] + 0.02 * (range[1] - before[1]));
    }
    const double short_of = least_range(shot->colour) - (range[1] - range[0]);
    if (short_of > 0) {
        range[0] -= field->from_zero ? 0 : short_of / 2;
        range[1] += field->from_zero ? short_of : short_of / 2;
    }
}
