/* app/view/record.c — screenshots and movies of the window: a movie by ffmpeg where that is installed, else pictures.
 * The panel is not in them: they show the scene, and the legend where there is one.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "window.h"

#define FRAMES_PER_SECOND 30

/* The picture as it is, into pixels of the caller. */
static void read_picture(prc_window *w, unsigned char *pixels)
{
    const char *unit, *name = prc_view_colour_name(w->shot->colour, &unit);
    if (w->shot->colour != PRC_VIEW_BODY)
        prc_draw_legend(w->draw, name, unit, w->picture.map, w->picture.range);
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

static bool has_ffmpeg(void)
{
    return system("command -v ffmpeg >/dev/null 2>&1") == 0; /* NOLINT(cert-env33-c): no part of it is from outside */
}

/* The path goes through the environment: no shell ever reads it as a command. */
static FILE *open_movie(const prc_recorder *r)
{
    char command[400];
    setenv("PERCALE_MOVIE", r->path, 1);
    snprintf(command, sizeof command,
             "exec ffmpeg -loglevel error -y -f rawvideo -pix_fmt rgb24 -s %dx%d -r %d -i - -vf "
             "'crop=trunc(iw/2)*2:trunc(ih/2)*2' -pix_fmt yuv420p -movflags +faststart \"$PERCALE_MOVIE\"",
             r->width, r->height, FRAMES_PER_SECOND);
    return popen(command, "w"); /* NOLINT(cert-env33-c) */
}

static void begin(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    *r = (prc_recorder){.width = w->width, .height = w->height, .next = prc_view_seconds()};
    r->pixels = malloc(3 * (size_t)r->width * (size_t)r->height);
    if (!r->pixels)
        return;
    const bool movie = has_ffmpeg();
    free_name(w, "movie", movie ? ".mp4" : "", &w->recordings, r->path);
    signal(SIGPIPE, SIG_IGN);
    r->pipe = movie ? open_movie(r) : NULL;
    r->on = r->pipe || mkdir(r->path, 0777) == 0;
    if (!r->on) {
        prc_window_notice(w, "%s cannot be written; see --output", r->path);
        free(r->pixels);
        r->pixels = NULL;
    } else if (movie)
        prc_window_notice(w, "recording %s; V ends it", r->path);
    else
        prc_window_notice(w, "recording pictures into %s (a movie needs ffmpeg); V ends it", r->path);
}

static void end(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    const int status = r->pipe ? pclose(r->pipe) : 0;
    if (status)
        prc_window_notice(w, "ffmpeg could not write %s", r->path);
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

/* As many pictures as the clock asks for: a movie is as long as what was seen. */
void prc_recorder_take(prc_window *w)
{
    prc_recorder *r = &w->recorder;
    char path[1200];
    if (!r->on || prc_view_seconds() < r->next)
        return;
    if (w->width != r->width || w->height != r->height) {
        end(w);
        prc_window_notice(w, "the window has another size: the recording has ended");
        return;
    }
    read_picture(w, r->pixels);
    while (r->next <= prc_view_seconds()) {
        const size_t size = 3 * (size_t)r->width * (size_t)r->height;
        bool written;
        if (r->pipe)
            written = fwrite(r->pixels, 1, size, r->pipe) == size;
        else {
            snprintf(path, sizeof path, "%s/%05d.png", r->path, r->count);
            written = prc_draw_write_png(path, r->pixels, r->width, r->height, NULL) == PRC_OK;
        }
        if (!written) {
            end(w);
            return;
        }
        r->count++;
        r->next += 1.0 / FRAMES_PER_SECOND;
    }
}
