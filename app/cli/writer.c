/* app/cli/writer.c — see writer.h. A ring of buffers under one mutex; the buffers themselves are accessed without it,
 * each only by its current owner: the solver from take to hand, the thread after that.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "writer.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

struct prc_writer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    prc_frames *frames;
    double *blocks[PRC_WRITER_BUFFERS];
    prc_parcel *parcels[PRC_WRITER_BUFFERS];
    bool packed[PRC_WRITER_BUFFERS]; /* what the parcel holds belongs into the block, and is not there yet */
    int first, waiting;              /* the ring: those to be written */
    bool ending, failed;
    prc_error error; /* of the frame that failed */
    double seconds;
};

/* Makes block k of the ring whole. */
static prc_result unpack(prc_writer *w, int k, prc_error *error)
{
    if (!w->packed[k])
        return PRC_OK;
    const size_t *offset = w->frames->layout.offset;
    double *block = w->blocks[k];
    const prc_result result =
        prc_parcel_open(w->parcels[k], block + offset[PRC_FRAME_POSITIONS], block + offset[PRC_FRAME_VELOCITIES],
                        block + offset[PRC_FRAME_STRETCHES], error);
    w->packed[k] = result != PRC_OK;
    return result;
}

static void *work(void *context)
{
    prc_writer *w = context;
    pthread_mutex_lock(&w->lock);
    while (!w->failed) {
        while (!w->waiting && !w->ending)
            pthread_cond_wait(&w->changed, &w->lock);
        if (!w->waiting)
            break;
        const int k = w->first;
        pthread_mutex_unlock(&w->lock);
        prc_error error;
        const double start = prc_seconds();
        prc_result result = unpack(w, k, &error);
        if (!result)
            result = prc_frames_write(w->frames, w->blocks[k], &error);
        const double taken = prc_seconds() - start;
        pthread_mutex_lock(&w->lock);
        w->seconds += taken;
        if (result) {
            w->failed = true;
            w->error = error;
        } else {
            w->first = (w->first + 1) % PRC_WRITER_BUFFERS;
            w->waiting--;
        }
        pthread_cond_broadcast(&w->changed);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void release(prc_writer *w)
{
    for (int k = 0; k < PRC_WRITER_BUFFERS; k++) {
        prc_parcel_destroy(w->parcels[k]);
        prc_free(w->blocks[k]);
    }
    prc_free(w);
}

/* Signals are the main thread's: it has to wake up from what it waits for. */
static int start_thread(prc_writer *w)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

prc_writer *prc_writer_start(prc_frames *frames, prc_error *error)
{
    prc_writer *w = PRC_NEW(prc_writer, 1);
    bool good = w != NULL;
    for (int k = 0; good && k < PRC_WRITER_BUFFERS; k++)
        good = (w->blocks[k] = PRC_NEW(double, frames->layout.count)) != NULL;
    if (!good) {
        if (w)
            release(w);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    w->frames = frames;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    const int failure = start_thread(w);
    if (!failure)
        return w;
    prc_fail(error, PRC_ERROR_MEMORY, "cannot start a thread to write frames: %s", strerror(failure));
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    release(w);
    return NULL;
}

static prc_result tell(const prc_writer *w, prc_error *error)
{
    if (!w->failed)
        return PRC_OK;
    if (error)
        *error = w->error;
    return w->error.code;
}

/* The buffer that the solver may fill; under the lock. */
static int next(const prc_writer *w)
{
    return (w->first + w->waiting) % PRC_WRITER_BUFFERS;
}

double *prc_writer_take(prc_writer *w, prc_error *error)
{
    pthread_mutex_lock(&w->lock);
    while (w->waiting == PRC_WRITER_BUFFERS && !w->failed)
        pthread_cond_wait(&w->changed, &w->lock);
    const int k = tell(w, error) ? -1 : next(w);
    pthread_mutex_unlock(&w->lock);
    if (k < 0)
        return NULL;
    w->packed[k] = false;
    return w->blocks[k];
}

prc_parcel *prc_writer_parcel(prc_writer *w, prc_sim *sim, prc_error *error)
{
    pthread_mutex_lock(&w->lock);
    const int k = next(w);
    pthread_mutex_unlock(&w->lock);
    if (!w->parcels[k])
        w->parcels[k] = prc_parcel_create(sim, error);
    w->packed[k] = w->parcels[k] != NULL;
    return w->parcels[k];
}

void prc_writer_hand(prc_writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->waiting++;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

prc_result prc_writer_wait(prc_writer *w, prc_error *error)
{
    pthread_mutex_lock(&w->lock);
    while (w->waiting && !w->failed)
        pthread_cond_wait(&w->changed, &w->lock);
    const prc_result result = tell(w, error);
    pthread_mutex_unlock(&w->lock);
    return result;
}

prc_result prc_writer_check(prc_writer *w, prc_error *error)
{
    pthread_mutex_lock(&w->lock);
    const prc_result result = tell(w, error);
    pthread_mutex_unlock(&w->lock);
    return result;
}

int prc_writer_waiting(prc_writer *w)
{
    pthread_mutex_lock(&w->lock);
    const int waiting = w->waiting;
    pthread_mutex_unlock(&w->lock);
    return waiting;
}

const double *prc_writer_block(prc_writer *w, int k)
{
    const int at = (w->first + k) % PRC_WRITER_BUFFERS;
    return unpack(w, at, NULL) ? NULL : w->blocks[at];
}

double prc_writer_seconds(prc_writer *w)
{
    pthread_mutex_lock(&w->lock);
    const double seconds = w->seconds;
    pthread_mutex_unlock(&w->lock);
    return seconds;
}

prc_result prc_writer_stop(prc_writer *w, prc_error *error)
{
    if (!w)
        return PRC_OK;
    const prc_result result = prc_writer_wait(w, error);
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    release(w);
    return result;
}
