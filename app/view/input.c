/* app/view/input.c — keys and mouse.
 *
 * A dragged item stays at the depth at which it was grabbed: the mouse moves it across the picture, the wheel along the
 * line of sight. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "window.h"

#define DEGREES_PER_PIXEL 0.35
#define ZOOM 0.9             /* per notch of the wheel */
#define NEARER 0.03          /* of the distance, per notch, of what is dragged */
#define TWICE 0.35           /* s between two clicks that belong together */
#define HAND_TRIANGLES 50000 /* more are not searched at every move of the mouse */

void prc_window_send(prc_window *w)
{
    prc_view_source_wish(w->source, &w->wishes);
}

void prc_window_notice(prc_window *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(w->notice, sizeof w->notice, format, arguments);
    va_end(arguments);
    w->noticed = prc_view_seconds();
}

/* ---- actions ---- */

static void choose_frame(prc_window *w, double frame)
{
    const double last = w->source->frame_count - 1;
    w->wishes.frame = fmin(fmax(frame, 0), fmax(last, 0));
    prc_window_send(w);
}

static void step(prc_window *w, int way)
{
    if (!w->wishes.paused)
        prc_window_act(w, PRC_ACTION_PAUSE);
    if (!w->source->live)
        choose_frame(w, way > 0 ? floor(w->wishes.frame) + 1 : ceil(w->wishes.frame) - 1);
    else if (way > 0) {
        w->wishes.steps++;
        prc_window_send(w);
    }
}

static void reset(prc_window *w)
{
    if (!w->source->live) {
        choose_frame(w, 0);
        return;
    }
    w->wishes.resets++;
    w->wishes.grabbing = false;
    memset(w->wishes.moved, 0, sizeof w->wishes.moved);
    memset(w->wishes.translate, 0, sizeof w->wishes.translate);
    w->drag = w->drag == PRC_DRAG_CLOTH || w->drag == PRC_DRAG_THING ? PRC_DRAG_NONE : w->drag;
    prc_window_send(w);
}

static void set_defaults(prc_window *w)
{
    prc_view_wishes *to = &w->wishes;
    const prc_view_wishes *from = &w->defaults;
    memcpy(to->gravity, from->gravity, sizeof to->gravity);
    memcpy(to->wind, from->wind, sizeof to->wind);
    to->step = from->step;
    to->friction = w->has_contact && to->friction >= 0 ? w->scene_friction : from->friction;
    to->stretch = from->stretch;
    to->bending = from->bending;
    to->density = from->density;
    prc_window_send(w);
    prc_window_notice(w, "settings of the scene");
}

static void save(prc_window *w)
{
    if (!w->source->live) {
        prc_window_notice(w, "the frames are already stored in the folder of the run");
        return;
    }
    snprintf(w->wishes.save, sizeof w->wishes.save, "%.1000s/state_%03d.ply", w->options->folder, ++w->states);
    w->wishes.saves++;
    prc_window_send(w);
    prc_window_notice(w, "state: %s", w->wishes.save);
}

static bool is_shown(const prc_window *w, prc_view_colour colour)
{
    return w->source->shows[colour];
}

static void turn_colour(prc_window *w, int way)
{
    int colour = (int)w->wishes.colour;
    do
        colour = (colour + way + PRC_VIEW_COLOURS) % PRC_VIEW_COLOURS;
    while (!is_shown(w, (prc_view_colour)colour));
    w->wishes.colour = (prc_view_colour)colour;
    prc_window_send(w);
}

static void toggle(prc_window *w, bool *what, bool is_wish)
{
    *what = !*what;
    w->stale = true;
    if (is_wish)
        prc_window_send(w);
}

static void pause_or_run(prc_window *w)
{
    toggle(w, &w->wishes.paused, true);
    w->played = prc_view_seconds();
    if (!w->source->live && !w->wishes.paused && w->wishes.frame >= w->source->frame_count - 1)
        choose_frame(w, 0); /* from the start again */
}

/* What is about the simulation or the frames; false for anything else. */
static bool act_on_source(prc_window *w, prc_action action)
{
    switch (action) {
    case PRC_ACTION_PAUSE:
        pause_or_run(w);
        return true;
    case PRC_ACTION_STEP:
    case PRC_ACTION_BACK:
        step(w, action == PRC_ACTION_STEP ? 1 : -1);
        return true;
    case PRC_ACTION_RESET:
        reset(w);
        return true;
    case PRC_ACTION_DEFAULTS:
        set_defaults(w);
        return true;
    case PRC_ACTION_FAST:
        toggle(w, &w->wishes.fast, true);
        return true;
    case PRC_ACTION_COLOUR:
    case PRC_ACTION_COLOUR_BACK:
        turn_colour(w, action == PRC_ACTION_COLOUR ? 1 : -1);
        return true;
    case PRC_ACTION_CONTACTS:
        toggle(w, &w->wishes.contacts, true);
        return true;
    case PRC_ACTION_BOUNDS:
        toggle(w, &w->wishes.bounds, true);
        return true;
    case PRC_ACTION_SAVE:
        save(w);
        return true;
    case PRC_ACTION_FIRST:
    case PRC_ACTION_LAST:
        choose_frame(w, action == PRC_ACTION_FIRST ? 0 : w->source->frame_count - 1);
        return true;
    default:
        return false;
    }
}

void prc_window_act(prc_window *w, prc_action action)
{
    if (act_on_source(w, action))
        return;
    switch (action) {
    case PRC_ACTION_WIREFRAME:
        toggle(w, &w->picture.wireframe, false);
        break;
    case PRC_ACTION_SHADOWS:
        w->plain = false;
        toggle(w, &w->picture.shadows, false);
        break;
    case PRC_ACTION_GRID:
        toggle(w, &w->picture.grid, false);
        break;
    case PRC_ACTION_FIT:
        prc_window_fit(w);
        break;
    case PRC_ACTION_SCREENSHOT:
        w->screenshot_due = true;
        break;
    case PRC_ACTION_RECORD:
        prc_recorder_toggle(w);
        break;
    case PRC_ACTION_HELP:
        w->help = !w->help;
        break;
    case PRC_ACTION_PANEL:
        w->panel = !w->panel;
        break;
    default:
        w->quit = true;
    }
}

/* ---- keys ---- */

static void on_key(GLFWwindow *handle, int key, int code, int action, int mods)
{
    static const struct {
        int key;
        prc_action action;
        bool repeats;
    } keys[] = {{GLFW_KEY_SPACE, PRC_ACTION_PAUSE, false}, {GLFW_KEY_N, PRC_ACTION_STEP, true},
                {GLFW_KEY_RIGHT, PRC_ACTION_STEP, true},   {GLFW_KEY_LEFT, PRC_ACTION_BACK, true},
                {GLFW_KEY_R, PRC_ACTION_RESET, false},     {GLFW_KEY_D, PRC_ACTION_DEFAULTS, false},
                {GLFW_KEY_T, PRC_ACTION_FAST, false},      {GLFW_KEY_W, PRC_ACTION_WIREFRAME, false},
                {GLFW_KEY_K, PRC_ACTION_CONTACTS, false},  {GLFW_KEY_B, PRC_ACTION_BOUNDS, false},
                {GLFW_KEY_L, PRC_ACTION_SHADOWS, false},   {GLFW_KEY_G, PRC_ACTION_GRID, false},
                {GLFW_KEY_F, PRC_ACTION_FIT, false},       {GLFW_KEY_P, PRC_ACTION_SCREENSHOT, false},
                {GLFW_KEY_V, PRC_ACTION_RECORD, false},    {GLFW_KEY_S, PRC_ACTION_SAVE, false},
                {GLFW_KEY_H, PRC_ACTION_HELP, false},      {GLFW_KEY_F1, PRC_ACTION_HELP, false},
                {GLFW_KEY_TAB, PRC_ACTION_PANEL, false},   {GLFW_KEY_HOME, PRC_ACTION_FIRST, false},
                {GLFW_KEY_END, PRC_ACTION_LAST, false},    {GLFW_KEY_Q, PRC_ACTION_QUIT, false},
                {GLFW_KEY_ESCAPE, PRC_ACTION_QUIT, false}};
    prc_window *w = glfwGetWindowUserPointer(handle);
    (void)code;
    w->touched = true;
    if (action == GLFW_RELEASE)
        return;
    if (key == GLFW_KEY_ESCAPE && w->help) { /* closes what is open first */
        w->help = false;
        return;
    }
    if (key == GLFW_KEY_C && action == GLFW_PRESS)
        prc_window_act(w, mods & GLFW_MOD_SHIFT ? PRC_ACTION_COLOUR_BACK : PRC_ACTION_COLOUR);
    if (key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD || key == GLFW_KEY_MINUS || key == GLFW_KEY_KP_SUBTRACT) {
        const bool up = key == GLFW_KEY_EQUAL || key == GLFW_KEY_KP_ADD;
        w->speed = fmin(16, fmax(1 / 16.0, w->speed * (up ? 2 : 0.5)));
        prc_window_notice(w, "%g × real time", w->speed);
    }
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (keys[k].key == key && (action == GLFW_PRESS || keys[k].repeats))
            prc_window_act(w, keys[k].action);
    prc_window_log(w, "key");
}

/* ---- dragging ---- */

/* How far in front of the camera a point is; and the place under the mouse so far in front. */
static double depth_of(const prc_window *w, const double point[3])
{
    double pixel[2], depth = 0;
    prc_camera_project(&w->picture.camera, w->width, w->height, point, pixel, &depth);
    return depth;
}

static void under_mouse(const prc_window *w, double point[3])
{
    double origin[3], direction[3], right[3], up[3], back[3];
    prc_camera_ray(&w->picture.camera, w->width, w->height, w->mouse[0], w->mouse[1], origin, direction);
    prc_camera_axes(&w->picture.camera, right, up, back);
    const double along = -(direction[0] * back[0] + direction[1] * back[1] + direction[2] * back[2]);
    for (int c = 0; c < 3; c++)
        point[c] = origin[c] + direction[c] * w->depth / along;
}

static bool take_cloth(prc_window *w)
{
    double point[3];
    prc_grab_def grab;
    if (!w->source->live || !prc_pick_cloth(w, &grab, point))
        return false;
    w->drag = PRC_DRAG_CLOTH;
    w->depth = depth_of(w, point);
    memcpy(grab.target, point, sizeof point);
    w->wishes.grab = grab;
    w->wishes.grabs++;
    w->wishes.grabbing = true;
    prc_window_send(w);
    return true;
}

static bool take_thing(prc_window *w)
{
    double point[3];
    const int thing = w->source->live ? prc_pick_thing(w, point) : -1;
    if (thing < 0 || thing >= PRC_VIEW_THINGS)
        return false;
    w->drag = PRC_DRAG_THING;
    w->chosen = thing;
    w->depth = depth_of(w, point);
    if (!w->wishes.moved[thing] && thing < w->source->collider_count) { /* from where it is now, not from time 0 */
        const double *turn = w->shot->turns[thing], *center = w->source->def->colliders[thing].center;
        for (int c = 0; c < 3; c++)
            w->wishes.translate[thing][c] = w->shot->shifts[thing][c] + turn[3 * c] * center[0] +
                                            turn[3 * c + 1] * center[1] + turn[3 * c + 2] * center[2] - center[c];
    }
    for (int c = 0; c < 3; c++)
        w->offset[c] = w->wishes.translate[thing][c] - point[c];
    return true;
}

static void move_dragged(prc_window *w)
{
    double point[3];
    under_mouse(w, point);
    if (w->drag == PRC_DRAG_CLOTH) {
        memcpy(w->wishes.grab.target, point, sizeof point);
        prc_window_send(w);
    } else if (w->drag == PRC_DRAG_THING) {
        for (int c = 0; c < 3; c++)
            w->wishes.translate[w->chosen][c] = point[c] + w->offset[c];
        w->wishes.moved[w->chosen] = true;
        prc_window_send(w);
    }
}

static void let_go(prc_window *w)
{
    if (w->drag == PRC_DRAG_CLOTH) {
        w->wishes.grabbing = false;
        prc_window_send(w);
    }
    w->drag = PRC_DRAG_NONE;
}

/* ---- the mouse ---- */

static void on_button(GLFWwindow *handle, int button, int action, int mods)
{
    prc_window *w = glfwGetWindowUserPointer(handle);
    static double last = -1; /* of one mouse */
    w->touched = true;
    if (action == GLFW_RELEASE) {
        let_go(w);
        prc_window_log(w, "release");
        return;
    }
    const double now = prc_view_seconds();
    const bool twice = button == GLFW_MOUSE_BUTTON_LEFT && now - last < TWICE;
    last = button == GLFW_MOUSE_BUTTON_LEFT ? now : -1;
    let_go(w);
    if (w->help) {
        w->help = false;
        return;
    }
    if (!prc_panel_press(w, button, twice)) {
        const bool left = button == GLFW_MOUSE_BUTTON_LEFT;
        if (button == GLFW_MOUSE_BUTTON_MIDDLE || (left && (mods & GLFW_MOD_SHIFT)))
            w->drag = PRC_DRAG_PAN;
        else if (left && (mods & GLFW_MOD_CONTROL)) {
            if (!take_thing(w))
                prc_window_notice(w, "there is no collider or obstacle here to move");
        } else if (!left || !take_cloth(w))
            w->drag = PRC_DRAG_ORBIT;
    }
    prc_window_log(w, "press");
}

/* A hand over what can be dragged. */
static void show_hand(prc_window *w)
{
    double point[3];
    prc_grab_def grab;
    const bool control = glfwGetKey(w->handle, GLFW_KEY_LEFT_CONTROL) == GLFW_PRESS ||
                         glfwGetKey(w->handle, GLFW_KEY_RIGHT_CONTROL) == GLFW_PRESS;
    bool takes = w->source->live && !w->help && !prc_panel_has_mouse(w) && w->source->triangle_count < HAND_TRIANGLES;
    if (takes)
        takes = control ? prc_pick_thing(w, point) >= 0 : prc_pick_cloth(w, &grab, point);
    glfwSetCursor(w->handle, takes ? w->hand : NULL);
}

static void on_move(GLFWwindow *handle, double x, double y)
{
    prc_window *w = glfwGetWindowUserPointer(handle);
    const double to[2] = {x * w->ratio, y * w->ratio}, dx = to[0] - w->mouse[0], dy = to[1] - w->mouse[1];
    memcpy(w->mouse, to, sizeof to);
    w->touched = true;
    switch (w->drag) {
    case PRC_DRAG_ORBIT:
        prc_camera_orbit(&w->picture.camera, w->picture.up, -DEGREES_PER_PIXEL * dx / w->scale,
                         DEGREES_PER_PIXEL * dy / w->scale);
        w->stale = true;
        break;
    case PRC_DRAG_PAN:
        prc_camera_pan(&w->picture.camera, -dx / w->height, dy / w->height);
        w->stale = true;
        break;
    case PRC_DRAG_CLOTH:
    case PRC_DRAG_THING:
        move_dragged(w);
        break;
    case PRC_DRAG_NONE:
        show_hand(w);
        break;
    default:
        prc_panel_drag(w);
    }
}

static void on_scroll(GLFWwindow *handle, double x, double y)
{
    prc_window *w = glfwGetWindowUserPointer(handle);
    (void)x;
    if (w->drag == PRC_DRAG_CLOTH || w->drag == PRC_DRAG_THING) {
        w->depth *= pow(1 + NEARER, y);
        move_dragged(w);
    } else {
        prc_camera_zoom(&w->picture.camera, pow(ZOOM, y));
        w->stale = true;
    }
}

/* Pixels of the window, and those of the mouse, which screens with small pixels count otherwise. */
static void on_size(GLFWwindow *handle, int width, int height)
{
    prc_window *w = glfwGetWindowUserPointer(handle);
    prc_error error;
    int across, down;
    if (width < 1 || height < 1) /* is an icon now */
        return;
    glfwGetWindowSize(handle, &across, &down);
    w->ratio = across > 0 ? (double)width / across : 1;
    w->width = width;
    w->height = height;
    w->scale = prc_panel_scale(w);
    if (prc_draw_resize(w->draw, width, height, &error))
        prc_window_notice(w, "%s", error.message);
    w->stale = true;
}

static void on_refresh(GLFWwindow *handle)
{
    ((prc_window *)glfwGetWindowUserPointer(handle))->stale = true;
}

void prc_window_listen(prc_window *w)
{
    glfwSetWindowUserPointer(w->handle, w);
    w->hand = glfwCreateStandardCursor(GLFW_HAND_CURSOR);
    glfwSetKeyCallback(w->handle, on_key);
    glfwSetMouseButtonCallback(w->handle, on_button);
    glfwSetCursorPosCallback(w->handle, on_move);
    glfwSetScrollCallback(w->handle, on_scroll);
    glfwSetFramebufferSizeCallback(w->handle, on_size);
    glfwSetWindowRefreshCallback(w->handle, on_refresh);
}
