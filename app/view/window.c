/* app/view/window.c — the window: opening it, the loop of sixty pictures per second, closing it.
 *
 * The loop never waits for the solver: it shows the newest shot.
 * SPDX-License-Identifier: Apache-2.0 */
#include "window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define PERIOD (1 / 60.0)
#define LOG_PERIOD 0.25 /* s */
#define RESTS 0.1       /* s */

/* ---- opening ---- */

static prc_result fail_glfw(prc_error *error)
{
    const char *why = NULL;
    const int code = glfwGetError(&why);
    if (code == GLFW_VERSION_UNAVAILABLE || code == GLFW_API_UNAVAILABLE || code == GLFW_FORMAT_UNAVAILABLE)
        return prc_fail(error, PRC_ERROR_DEVICE,
                        "the window needs OpenGL 3.3, which this display does not support (%s); "
                        "LIBGL_ALWAYS_SOFTWARE=1 selects the software renderer, and 'percale render' needs no display",
                        why ? why : "no reason given");
    return prc_fail(error, PRC_ERROR_DEVICE,
                    "cannot open a window (%s); without a display, use 'percale render' for pictures and movies, or "
                    "'xvfb-run percale view …' for a virtual display",
                    why ? why : "no display");
}

static prc_result open_window(prc_window *w, prc_error *error)
{
    if (!glfwInit())
        return fail_glfw(error);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    char title[300];
    snprintf(title, sizeof title, "%.250s – percale", w->options->title);
    w->handle = glfwCreateWindow(w->options->width, w->options->height, title, NULL, NULL);
    if (!w->handle)
        return fail_glfw(error);
    glfwMakeContextCurrent(w->handle);
    glfwSwapInterval(0); /* the loop keeps the time itself: a screen that is off would stop it */
    int across, down;
    glfwGetFramebufferSize(w->handle, &w->width, &w->height);
    glfwGetWindowSize(w->handle, &across, &down);
    w->ratio = across > 0 ? (double)w->width / across : 1;
    w->scale = prc_panel_scale(w);
    const prc_draw_options options = {.width = w->width, .height = w->height};
    w->draw = prc_draw_create(&options, error);
    return w->draw ? PRC_OK : error->code;
}

static void close_window(prc_window *w)
{
    if (w->recorder.on)
        prc_recorder_toggle(w);
    prc_show_destroy(w->show);
    prc_draw_destroy(w->draw);
    if (w->handle)
        glfwDestroyWindow(w->handle);
    glfwTerminate();
    if (w->log && w->log != stdout)
        fclose(w->log);
    free(w->marks);
}

/* ---- the log for programs ---- */

void prc_window_log(prc_window *w, const char *event)
{
    const prc_view_shot *s = w->shot;
    if (!w->log || !s)
        return;
    const prc_render_field *field = prc_view_field(s->colour);
    fprintf(w->log,
            "{\"event\":\"%s\",\"clock\":%.3f,\"frames\":%ld,\"fps\":%.1f,\"time\":%.9g,\"steps\":%d,\"paused\":%s,"
            "\"step_seconds\":%.4f,\"gravity\":[%.9g,%.9g,%.9g],\"contacts\":%d,\"frame\":%d,\"colour\":\"%s\"",
            event, prc_view_seconds(), w->frames, w->fps, s->time, s->steps, w->wishes.paused ? "true" : "false",
            s->seconds, w->wishes.gravity[0], w->wishes.gravity[1], w->wishes.gravity[2], s->report.active_contacts,
            s->frame, field ? field->name : "body");
    if (s->holds)
        fprintf(w->log, ",\"held\":[%.9g,%.9g,%.9g],\"target\":[%.9g,%.9g,%.9g],\"force\":%.4g", s->held[0], s->held[1],
                s->held[2], s->target[0], s->target[1], s->target[2], s->force);
    if (w->source->collider_count > 0)
        fprintf(w->log, ",\"collider\":[%.9g,%.9g,%.9g]", s->shifts[0][0], s->shifts[0][1], s->shifts[0][2]);
    fprintf(w->log, "}\n");
    fflush(w->log);
}

/* ---- the loop ---- */

/* Frames go on with the clock. */
static void play(prc_window *w)
{
    const double now = prc_view_seconds();
    if (w->source->live || w->wishes.paused || w->drag == PRC_DRAG_TIME) {
        w->played = now;
        return;
    }
    const int last = w->source->frame_count - 1, at = (int)w->wishes.frame;
    const double *times = w->source->times;
    const double period = at < last ? times[at + 1] - times[at] : 0;
    if (at >= last) {
        w->wishes.paused = true;
        prc_view_source_wish(w->source, &w->wishes);
    } else if ((now - w->played) * w->speed >= period) {
        w->played = now;
        w->wishes.frame = at + 1;
        prc_view_source_wish(w->source, &w->wishes);
    }
}

static void count_frame(prc_window *w)
{
    const double now = prc_view_seconds();
    w->frames++;
    w->fps_frames++;
    if (now - w->fps_since < 0.5)
        return;
    w->fps = (double)w->fps_frames / (now - w->fps_since);
    w->fps_since = now;
    w->fps_frames = 0;
}

static void draw_frame(prc_window *w)
{
    bool fresh;
    w->shot = prc_view_source_newest(w->source, &fresh);
    if (fresh) {
        prc_window_show_shot(w);
        if (strcmp(w->said, w->shot->message) != 0 && w->shot->message[0])
            prc_window_notice(w, "%s", w->shot->message);
        memcpy(w->said, w->shot->message, sizeof w->said);
    }
    /* A slow renderer takes the processors from the solver: it shows what is the same as before less often. */
    const bool rests = w->plain && !w->stale && !w->touched && prc_view_seconds() - w->presented < RESTS;
    if (rests || !prc_window_draw(w))
        return;
    w->touched = false;
    w->presented = prc_view_seconds();
    if (w->screenshot_due)
        prc_window_screenshot(w);
    w->screenshot_due = false;
    prc_recorder_take(w);
    prc_panel_lay(w);
    prc_draw_finish(w->draw, 0);
    glfwSwapBuffers(w->handle);
    count_frame(w);
}

static void loop(prc_window *w)
{
    double next = prc_view_seconds(), logged = 0;
    w->fps_since = next;
    while (!w->quit && !glfwWindowShouldClose(w->handle)) {
        play(w);
        draw_frame(w);
        if (prc_view_seconds() - logged > LOG_PERIOD) {
            prc_window_log(w, "frame");
            logged = prc_view_seconds();
        }
        next = fmax(next + PERIOD, prc_view_seconds() - PERIOD); /* what is late is not caught up with */
        do
            glfwWaitEventsTimeout(fmax(next - prc_view_seconds(), 1e-4));
        while (prc_view_seconds() < next - 1e-3 && !w->quit && !glfwWindowShouldClose(w->handle));
    }
}

/* ---- both kinds ---- */

static prc_result show(prc_window *w, prc_error *error)
{
    bool fresh;
    w->shot = prc_view_source_newest(w->source, &fresh);
    w->contact_lines = w->contact_points = w->bound_lines = w->held_point = w->held_line = -1;
    w->speed = 1;
    w->panel = true;
    w->picture = prc_draw_view_default();
    prc_result result = open_window(w, error);
    if (result == PRC_OK)
        result = prc_window_make_items(w, error);
    if (result == PRC_OK && w->options->log &&
        !(w->log = strcmp(w->options->log, "-") != 0 ? fopen(w->options->log, "w") : stdout))
        result = prc_fail(error, PRC_ERROR_IO, "%s cannot be written", w->options->log);
    if (result == PRC_OK) {
        prc_window_show_shot(w);
        prc_window_fit(w);
        prc_window_listen(w);
        if (prc_draw_warning(w->draw)[0])
            prc_window_notice(w, "%s", prc_draw_warning(w->draw));
        loop(w);
        prc_window_log(w, "end");
    }
    close_window(w);
    return result;
}

prc_result prc_view_scene(const prc_sim_def *def, const prc_view_options *options, prc_error *error)
{
    prc_window *w = calloc(1, sizeof *w);
    if (!w)
        return PRC_FAIL_MEMORY(error);
    const double *g = def->gravity, length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    w->options = options;
    w->defaults = (prc_view_wishes){
        .paused = options->paused, .step = def->time.step, .friction = -1, .stretch = 1, .bending = 1, .density = 1};
    for (int c = 0; c < 3; c++)
        w->gravity_direction[c] = length > 0 ? g[c] / length : -(c == 1);
    memcpy(w->defaults.gravity, def->gravity, sizeof def->gravity);
    memcpy(w->defaults.wind, def->air.wind, sizeof def->air.wind);
    w->wishes = w->defaults;
    w->has_contact = def->contact.enabled;
    w->scene_friction = def->contact.friction;
    w->source = prc_view_live_create(def, &w->wishes, error);
    const prc_result result = w->source ? show(w, error) : error->code;
    prc_view_source_destroy(w->source);
    free(w);
    return result;
}

prc_result prc_view_run(const char *path, const char *scene, const prc_view_options *options, prc_error *error)
{
    prc_window *w = calloc(1, sizeof *w);
    if (!w)
        return PRC_FAIL_MEMORY(error);
    w->options = options;
    w->wishes = w->defaults = (prc_view_wishes){.paused = options->paused, .step = 1};
    prc_playback *playback = prc_playback_open(path, scene, error);
    w->source = playback ? prc_view_played_create(playback, &w->wishes, error) : NULL;
    if (playback)
        prc_window_notice(w, "%s", prc_playback_note(playback));
    const prc_result result = w->source ? show(w, error) : error->code;
    prc_view_source_destroy(w->source);
    prc_playback_close(playback);
    free(w);
    return result;
}
