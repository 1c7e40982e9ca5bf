/* app/view/source.c — see source.h: what passes between the window and the thread.
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
    return code ? prc_fail(error, PRC_ERROR_STATE, "no thread could be started: %s", strerror(code)) : PRC_OK;
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
        free(s->shots[k].contacts);
    }
    free(s->triangles);
    free(s->parts);
    free(s->colliders);
    free(s->times);
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
        const int code = wait < 0 ? pthread_cond_wait(&s->changed, &s->lock)
                                  : pthread_cond_timedwait(&s->changed, &s->lock, &until);
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

/* ---- ranges ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that all but two in a hundred are below: a few that stand out do not take the colours from the rest. */
static double most_of(const prc_view_shot *shot, int count, double middle, double *work)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (isfinite(shot->values[i]) && shot->values[i] != middle)
            work[kept++] = fabs(shot->values[i] - middle);
    if (kept == 0)
        return 0;
    qsort(work, (size_t)kept, sizeof *work, compare);
    return work[(int)(0.98 * (kept - 1))];
}

void prc_view_find_range(prc_view_shot *shot, int count, double *work, const double before[2])
{
    static const double least[PRC_VIEW_COLOURS] = {1, 2e-3, 0.5, 1, 1e-3, 1e-6, 1e-6};
    const bool about = shot->colour == PRC_VIEW_STRETCH || shot->colour == PRC_VIEW_CURVATURE;
    const double middle = shot->colour == PRC_VIEW_STRETCH ? 1 : 0;
    double most = fmax(most_of(shot, count, middle, work), least[shot->colour]);
    const double was = before[1] - middle;
    if (was > most) /* what fades does so slowly: colours that jump say nothing */
        most = fmax(most, 0.98 * was);
    shot->range[0] = about ? middle - most : 0;
    shot->range[1] = middle + most;
}
