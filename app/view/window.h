/* app/view/window.h — shared by the files of the window of `percale view`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_VIEW_WINDOW_H
#define PRC_VIEW_WINDOW_H

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>

#include "show.h"
#include "source.h"
#include "view.h"

#define PRC_PANEL_WIDTH 278.0 /* with its margins, in units of letters */

typedef enum prc_drag {
    PRC_DRAG_NONE,
    PRC_DRAG_ORBIT,
    PRC_DRAG_PAN,
    PRC_DRAG_CLOTH,  /* a grab */
    PRC_DRAG_THING,  /* a collider or obstacle */
    PRC_DRAG_SLIDER, /* `chosen` */
    PRC_DRAG_TIME,   /* the time line */
    PRC_DRAG_PRESS,  /* a button: nothing more */
} prc_drag;

/* What the panel sets, in its order. */
typedef enum prc_slider {
    PRC_SLIDER_GRAVITY,
    PRC_SLIDER_WIND_X,
    PRC_SLIDER_WIND_Z,
    PRC_SLIDER_FRICTION,
    PRC_SLIDER_STRETCH,
    PRC_SLIDER_BENDING,
    PRC_SLIDER_DENSITY,
    PRC_SLIDER_STEP,
    PRC_SLIDERS
} prc_slider;

/* What can be pressed: by a key or in the panel. */
typedef enum prc_action {
    PRC_ACTION_PAUSE,
    PRC_ACTION_STEP,
    PRC_ACTION_BACK, /* a frame */
    PRC_ACTION_RESET,
    PRC_ACTION_DEFAULTS,
    PRC_ACTION_FAST,
    PRC_ACTION_COLOUR,
    PRC_ACTION_COLOUR_BACK,
    PRC_ACTION_WIREFRAME,
    PRC_ACTION_CONTACTS,
    PRC_ACTION_BOUNDS,
    PRC_ACTION_SHADOWS,
    PRC_ACTION_GRID,
    PRC_ACTION_FIT,
    PRC_ACTION_SCREENSHOT,
    PRC_ACTION_RECORD,
    PRC_ACTION_SAVE,
    PRC_ACTION_HELP,
    PRC_ACTION_PANEL,
    PRC_ACTION_FIRST,
    PRC_ACTION_LAST,
    PRC_ACTION_QUIT,
    PRC_ACTIONS
} prc_action;

typedef struct prc_recorder {
    prc_movie *movie; /* or NULL: pictures one by one */
    bool on;
    char path[1100];
    int width, height, count;
    double next;           /* when the next picture is due, s on the clock */
    unsigned char *pixels; /* width · height · 3 */
} prc_recorder;

typedef struct prc_window {
    GLFWwindow *handle;
    GLFWcursor *hand; /* or NULL */
    const prc_view_options *options;
    prc_draw *draw;
    prc_view_source *source;
    const prc_view_shot *shot;
    prc_view_wishes wishes, defaults;
    prc_draw_view picture;
    int width, height; /* of the picture, pixels */
    double scale;      /* pixels per unit of letters and panels */
    double ratio;      /* pixels per unit of the mouse */
    /* items of the drawing; −1 for none */
    prc_show *show;
    int contact_lines, contact_points, bound_lines, held_point, held_line;
    double *marks;    /* work space for lines */
    size_t mark_room; /* doubles */
    double extent;    /* of all, at the beginning, m */
    /* the mouse */
    double mouse[2];
    prc_drag drag;
    int chosen;       /* slider, or thing that is moved: collider, then obstacles */
    double depth;     /* of what is dragged, along the camera's direction, m */
    double offset[3]; /* from the place under the mouse to what is dragged, m */
    bool help, panel, quit;
    double gravity_direction[3];
    double scene_friction;
    bool has_contact;
    /* playback */
    double played; /* when the last frame was chosen, s on the clock */
    double speed;
    /* pace */
    bool stale;     /* the picture has to be begun anew */
    double pass_ms; /* of a pass, about */
    double moved;   /* when it was last begun, s on the clock */
    bool still;     /* many passes are under way */
    double fps;
    long frames; /* drawn */
    double fps_since;
    long fps_frames;
    double presented; /* when the window last changed, s on the clock */
    bool touched;     /* keys or mouse have done something since */
    bool plain;       /* without shadows while things move: the renderer is slow */
    char notice[600]; /* what was done; fades */
    char said[520];   /* by the last shot */
    double noticed;
    prc_recorder recorder;
    int screenshots, states, recordings;
    bool screenshot_due;
    FILE *log;
} prc_window;

/* ---- picture.c ---- */
prc_result prc_window_make_items(prc_window *w, prc_error *error);
void prc_window_show_shot(prc_window *w);
void prc_window_fit(prc_window *w);
/* Takes passes. False where the picture on the screen is better than what there is so far. */
bool prc_window_draw(prc_window *w);

/* ---- panel.c ---- */
void prc_panel_legend(prc_window *w);
/* Of letters: that of the screen, less where the window is too small for the panel. */
double prc_panel_scale(const prc_window *w);
void prc_panel_lay(prc_window *w);
/* Whether the mouse is on the panel or time line; begins a drag there, or presses. */
bool prc_panel_press(prc_window *w, int button, bool twice);
void prc_panel_drag(prc_window *w);
bool prc_panel_has_mouse(const prc_window *w);

/* ---- input.c ---- */
void prc_window_listen(prc_window *w);
void prc_window_act(prc_window *w, prc_action action);
void prc_window_send(prc_window *w); /* the wishes */
void prc_window_notice(prc_window *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- pick.c ---- */
/* The nearest point of cloth under the mouse: fills body, vertices and weights of the grab, and the point. */
bool prc_pick_cloth(const prc_window *w, prc_grab_def *grab, double point[3]);
/* The nearest collider or obstacle: number (obstacles after colliders), and the point; −1 for none. */
int prc_pick_thing(const prc_window *w, double point[3]);

/* ---- record.c ---- */
void prc_window_screenshot(prc_window *w);
void prc_recorder_toggle(prc_window *w);
void prc_recorder_take(prc_window *w);

/* ---- window.c ---- */
void prc_window_log(prc_window *w, const char *event);

#endif
