/* app/view/record.c — screenshots and movies of the window: a movie by ffmpeg if that is installed, else pictures. They
 * show the scene and the legend, but not the panel.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "window.h"

#define FRAMES_PER_SECOND 30
#define MOST_AT_ONCE 4 /* pictures that stand for one that took long */

/* The picture as it is, into pixels of the caller. */
static void read_picture(prc_window *w, unsigned char *pixels)
{
    prc_panel_legend(w);
    prc_draw_finish(w->draw, PRC_DRAW_OWN);
    prc_draw_read(w->draw, pixels);
}

/* A name that is free: nothing is overwritten. */
static void free_name(const prc_window *w, const char *kind, const char *ending, int *number, char path[1100])
{
    struct stat found;
    do
        snprintf(path, 1100, "%.1000s/%s_%03d%s", w->options->folder, kind, ++*number, ending);
    while (stat(path, &found) == 0);
}

void prc_window_screenshot(prc_window *w)
{
    char path[1100];
    prc_error error;
    unsigned char *pixels = malloc(3 * (size_t)w->width * (size_t)w->height);
    if (!pixels)
        return;
    free_name(w, "view", ".png", &w->screenshots, path);
    read_picture(w, pixels);
    if (prc_draw_write_png(path, pixels, w->width, w->height, &error))
        prc_window_notice(w, "%s", error.message);
    else
        prc_window_notice(w, "screenshot: %s", path);
    free(pixels);
}

static void begin(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    prc_error error;
    *r = (prc_recorder){.width = w->width & ~1, .height = w->height & ~1, .next = prc_view_seconds()};
    r->pixels = malloc(3 * (size_t)w->width * (size_t)w->height);
    if (!r->pixels)
        return;
    free_name(w, "movie", ".mp4", &w->recordings, r->path);
    r->movie = prc_movie_open(r->path, r->width, r->height, FRAMES_PER_SECOND, &error);
    if (!r->movie)
        r->path[strlen(r->path) - 4] = '\0';
    r->on = r->movie || mkdir(r->path, 0777) == 0;
    if (!r->on) {
        prc_window_notice(w, "%s cannot be written; see --output", r->path);
        free(r->pixels);
        r->pixels = NULL;
    } else if (r->movie)
        prc_window_notice(w, "recording %s; V ends it", r->path);
    else
        prc_window_notice(w, "recording pictures into %s instead of a movie: %s", r->path, error.message);
}

static void end(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    prc_error error;
    if (r->movie && prc_movie_close(r->movie, &error))
        prc_window_notice(w, "%s", error.message);
    else
        prc_window_notice(w, "%s: %d pictures", r->path, r->count);
    free(r->pixels);
    *r = (prc_recorder){.on = false};
}

void prc_recorder_toggle(prc_window *w)
{
    if (w->recorder.on)
        end(w);
    else
        begin(w);
    prc_window_log(w, "record");
}

/* Rows and columns that are one too many for a movie go. */
static void crop(const prc_window *w, prc_recorder *r)
{
    for (int y = 0; r->width != w->width && y < r->height; y++)
        memmove(r->pixels + 3 * (size_t)y * (size_t)r->width, r->pixels + 3 * (size_t)y * (size_t)w->width,
                3 * (size_t)r->width);
}

static prc_result add_picture(const prc_recorder *r, prc_error *error)
{
    char path[1200];
    if (r->movie)
        return prc_movie_add(r->movie, r->pixels, error);
    snprintf(path, sizeof path, "%s/%05d.png", r->path, r->count);
    return prc_draw_write_png(path, r->pixels, r->width, r->height, error);
}

/* As many pictures as the clock asks for, within reason: a movie is as long as what was seen. */
void prc_recorder_take(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    prc_error error;
    if (!r->on || prc_view_seconds() < r->next)
        return;
    if ((w->width & ~1) != r->width || (w->height & ~1) != r->height) {
        end(w);
        prc_window_notice(w, "the window was resized: the recording has ended");
        return;
    }
    read_picture(w, r->pixels);
    crop(w, r);
    const double now = prc_view_seconds();
    for (int k = 0; k < MOST_AT_ONCE && r->next <= now; k++) {
        if (add_picture(r, &error)) {
            end(w);
            prc_window_notice(w, "the recording has ended: %s", error.message);
            return;
        }
        r->count++;
        r->next += 1.0 / FRAMES_PER_SECOND;
    }
    if (r->next <= now) /* the machine is too slow: better a movie that is faster than a window that hangs */
        r->next = prc_view_seconds();
}
