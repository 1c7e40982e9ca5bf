/* app/view/panel.c — controls on top of the picture: sliders, buttons, the status line, the time line, the list of
 * keys. The drawn and the clickable area of a control come from the same function.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "window.h"

#define MARGIN 14.0
#define WIDTH 250.0
#define ROW 38.0  /* of a slider */
#define LINE 24.0 /* of a switch */
#define TEXT 13.0
#define SMALL 11.5
#define BAR 30.0 /* the status line */
#define NOTICE_SECONDS 5.0
#define NEEDED 580.0 /* height that the whole panel needs */

static const double paper[4] = {1, 1, 1, 0.86}, ink[4] = {0.13, 0.14, 0.17, 1}, pale[4] = {0.42, 0.44, 0.48, 1},
                    rail[4] = {0.80, 0.81, 0.84, 1}, blue[4] = {0.16, 0.42, 0.68, 1}, red[4] = {0.74, 0.15, 0.10, 1},
                    white[4] = {1, 1, 1, 1}, button[4] = {0.90, 0.91, 0.93, 1}, dark[4] = {0.11, 0.12, 0.15, 0.90};

typedef struct box {
    double x, y, width, height;
} box;

static bool inside(const prc_window *w, box b)
{
    return w->mouse[0] >= b.x && w->mouse[0] < b.x + b.width && w->mouse[1] >= b.y && w->mouse[1] < b.y + b.height;
}

static void fill(const prc_window *w, box b, const double colour[4], double corner)
{
    prc_draw_rectangle(w->draw, b.x, b.y, b.width, b.height, colour, corner * w->scale);
}

static double write_text(const prc_window *w, double x, double y, double size, prc_draw_align align,
                         const double colour[4], const char *text)
{
    return prc_draw_text(w->draw, x, y, size * w->scale, align, colour, text);
}

/* ---- sliders ---- */

/* What a slider shows; `log`: equal ways are equal factors. */
typedef struct slider_def {
    const char *name, *unit;
    double low, high;
    bool log;
    int digits;
} slider_def;

static slider_def slider_of(const prc_window *w, prc_slider k)
{
    static const slider_def defs[PRC_SLIDERS] = {[PRC_SLIDER_GRAVITY] = {"Gravity", " m/s²", 0, 25, false, 2},
                                                 [PRC_SLIDER_WIND_X] = {"Wind along x", " m/s", -12, 12, false, 1},
                                                 [PRC_SLIDER_WIND_Z] = {"Wind along z", " m/s", -12, 12, false, 1},
                                                 [PRC_SLIDER_FRICTION] = {"Friction", "", 0, 1.5, false, 2},
                                                 [PRC_SLIDER_STRETCH] = {"Stretch stiffness", " ×", 0.05, 20, true, 2},
                                                 [PRC_SLIDER_BENDING] = {"Bending stiffness", " ×", 0.01, 100, true, 2},
                                                 [PRC_SLIDER_DENSITY] = {"Weight", " ×", 0.2, 5, true, 2},
                                                 [PRC_SLIDER_STEP] = {"Time step", " ms", 0, 0, true, 2}};
    slider_def def = defs[k];
    if (k == PRC_SLIDER_STEP) {
        def.low = 250 * w->defaults.step;
        def.high = 4e3 * w->defaults.step;
    }
    return def;
}

static double value_of(const prc_window *w, const prc_view_wishes *from, prc_slider k)
{
    const double *g = from->gravity;
    switch (k) {
    case PRC_SLIDER_GRAVITY:
        return sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    case PRC_SLIDER_WIND_X:
        return from->wind[0];
    case PRC_SLIDER_WIND_Z:
        return from->wind[2];
    case PRC_SLIDER_FRICTION:
        return from->friction >= 0 ? from->friction : w->scene_friction;
    case PRC_SLIDER_STRETCH:
        return from->stretch;
    case PRC_SLIDER_BENDING:
        return from->bending;
    case PRC_SLIDER_DENSITY:
        return from->density;
    default:
        return 1e3 * from->step;
    }
}

static void set_value(prc_window *w, prc_slider k, double value)
{
    prc_view_wishes *to = &w->wishes;
    if (k == PRC_SLIDER_GRAVITY)
        for (int c = 0; c < 3; c++)
            to->gravity[c] = value * w->gravity_direction[c];
    else if (k == PRC_SLIDER_WIND_X || k == PRC_SLIDER_WIND_Z)
        to->wind[k == PRC_SLIDER_WIND_Z ? 2 : 0] = value;
    else if (k == PRC_SLIDER_FRICTION)
        to->friction = value;
    else if (k == PRC_SLIDER_STEP)
        to->step = 1e-3 * value;
    else
        *(k == PRC_SLIDER_STRETCH ? &to->stretch : k == PRC_SLIDER_BENDING ? &to->bending : &to->density) = value;
    prc_window_send(w);
}

static double to_share(const slider_def *def, double value)
{
    const double share =
        def->log ? log(value / def->low) / log(def->high / def->low) : (value - def->low) / (def->high - def->low);
    return fmin(1, fmax(0, share));
}

static double from_share(const slider_def *def, double share)
{
    share = fmin(1, fmax(0, share));
    return def->log ? def->low * pow(def->high / def->low, share) : def->low + share * (def->high - def->low);
}

/* ---- where things are ---- */

typedef struct press {
    prc_action action;
    const char *name;
    const char *key;
} press;

static const press switches[] = {{PRC_ACTION_COLOUR, "Colour", "C"},
                                 {PRC_ACTION_WIREFRAME, "Wireframe", "W"},
                                 {PRC_ACTION_CONTACTS, "Contact forces", "K"},
                                 {PRC_ACTION_BOUNDS, "Safe bounds", "B"},
                                 {PRC_ACTION_SHADOWS, "Shadows", "L"}};
#define SWITCHES (int)(sizeof switches / sizeof *switches)

static int slider_count(const prc_window *w)
{
    return w->source->live ? PRC_SLIDERS : 0;
}

static bool has_switch(const prc_window *w, int k)
{
    return w->source->live || (switches[k].action != PRC_ACTION_CONTACTS && switches[k].action != PRC_ACTION_BOUNDS);
}

static box scaled(const prc_window *w, double x, double y, double width, double height)
{
    return (box){x * w->scale, y * w->scale, width * w->scale, height * w->scale};
}

#define TOP (MARGIN + 50) /* below the title */

static box button_box(const prc_window *w, int k)
{
    const double width = (WIDTH - 20 - 2 * 6) / 3;
    return scaled(w, MARGIN + 10 + k * (width + 6), TOP, width, 26);
}

static double sliders_end(const prc_window *w)
{
    return TOP + 36 + ROW * slider_count(w) + (slider_count(w) ? 6 : 0);
}

/* The row of a slider: what can be pressed is more than the rail. */
static box slider_box(const prc_window *w, int k)
{
    return scaled(w, MARGIN + 10, TOP + 36 + ROW * k, WIDTH - 20, ROW);
}

static box switch_box(const prc_window *w, int k)
{
    int above = 0;
    for (int j = 0; j < k; j++)
        above += has_switch(w, j);
    return scaled(w, MARGIN + 10, sliders_end(w) + LINE * above, WIDTH - 20, LINE);
}

static box panel_box(const prc_window *w)
{
    int rows = 0;
    for (int k = 0; k < SWITCHES; k++)
        rows += has_switch(w, k);
    return scaled(w, MARGIN, MARGIN, WIDTH, sliders_end(w) + LINE * rows + 10 - MARGIN);
}

static box status_box(const prc_window *w)
{
    return (box){0, w->height - BAR * w->scale, w->width, BAR * w->scale};
}

/* The rail of the time line, and around it what can be pressed. */
static box time_box(const prc_window *w)
{
    const double side = 70 * w->scale;
    return (box){side, w->height - (BAR + 34) * w->scale, w->width - 2 * side, 28 * w->scale};
}

double prc_panel_scale(const prc_window *w)
{
    float across = 1, down = 1;
    glfwGetWindowContentScale(w->handle, &across, &down);
    const double usual = fmax(1, fmax(w->ratio, (double)across));
    return usual * fmin(1, fmax(0.6, w->height / (usual * NEEDED)));
}

/* ---- drawing ---- */

static void draw_slider(prc_window *w, prc_slider k)
{
    const slider_def def = slider_of(w, k);
    const box b = slider_box(w, (int)k);
    const double value = value_of(w, &w->wishes, k), share = to_share(&def, value), y = b.y + 27 * w->scale;
    const bool changed = fabs(value - value_of(w, &w->defaults, k)) > 1e-9 * fabs(value);
    const bool has = k != PRC_SLIDER_FRICTION || w->has_contact;
    char text[60];
    snprintf(text, sizeof text, "%.*f%s", def.digits, value, def.unit);
    write_text(w, b.x, b.y + 15 * w->scale, TEXT, PRC_ALIGN_LEFT, has ? ink : pale, def.name);
    write_text(w, b.x + b.width, b.y + 15 * w->scale, TEXT, PRC_ALIGN_RIGHT, changed ? blue : pale,
               has ? text : "no contact");
    fill(w, (box){b.x, y - 2 * w->scale, b.width, 4 * w->scale}, rail, 2);
    if (!has)
        return;
    /* From nothing, or from what the scene has where that is a factor. */
    const double from = to_share(&def, def.log ? value_of(w, &w->defaults, k) : fmax(def.low, 0));
    const double start = fmin(from, share), end = fmax(from, share), r = 6.5 * w->scale;
    fill(w, (box){b.x + start * b.width, y - 2 * w->scale, (end - start) * b.width, 4 * w->scale}, blue, 2);
    fill(w, (box){b.x + share * b.width - r, y - r, 2 * r, 2 * r}, white, 7);
    fill(w, (box){b.x + share * b.width - 0.72 * r, y - 0.72 * r, 1.44 * r, 1.44 * r}, blue, 7);
}

static void draw_button(prc_window *w, int k, const char *text, bool on)
{
    const box b = button_box(w, k);
    fill(w, b, on ? blue : inside(w, b) ? rail : button, 5);
    write_text(w, b.x + b.width / 2, b.y + 17.5 * w->scale, TEXT, PRC_ALIGN_CENTRE, on ? white : ink, text);
}

static bool is_on(const prc_window *w, prc_action action)
{
    return action == PRC_ACTION_WIREFRAME  ? w->picture.wireframe
           : action == PRC_ACTION_CONTACTS ? w->wishes.contacts
           : action == PRC_ACTION_BOUNDS   ? w->wishes.bounds
                                           : w->picture.shadows;
}

static void draw_switch(prc_window *w, int k)
{
    const box b = switch_box(w, k);
    const bool choice = switches[k].action == PRC_ACTION_COLOUR, on = !choice && is_on(w, switches[k].action);
    const double y = b.y + 16 * w->scale, side = 13 * w->scale;
    if (choice) {
        const prc_render_field *field = prc_view_field(w->wishes.colour);
        char text[80];
        snprintf(text, sizeof text, "‹ %s ›", field ? field->title : "body");
        write_text(w, b.x, y, TEXT, PRC_ALIGN_LEFT, ink, switches[k].name);
        write_text(w, b.x + b.width - 22 * w->scale, y, TEXT, PRC_ALIGN_RIGHT, blue, text);
    } else {
        const box mark = {b.x, y - 11 * w->scale, side, side};
        fill(w, mark, on ? blue : rail, 3);
        if (on) {
            prc_draw_line(w->draw, mark.x + 0.22 * side, mark.y + 0.52 * side, mark.x + 0.43 * side,
                          mark.y + 0.74 * side, 1.8 * w->scale, white);
            prc_draw_line(w->draw, mark.x + 0.41 * side, mark.y + 0.74 * side, mark.x + 0.80 * side,
                          mark.y + 0.28 * side, 1.8 * w->scale, white);
        }
        write_text(w, b.x + 21 * w->scale, y, TEXT, PRC_ALIGN_LEFT, ink, switches[k].name);
    }
    write_text(w, b.x + b.width, y, SMALL, PRC_ALIGN_RIGHT, pale, switches[k].key);
}

/* A title that is too long loses its beginning: the end of a path says more. */
static void draw_title(prc_window *w)
{
    const char *title = w->options->title, *shown = title;
    char text[200], under[260];
    const double room = (WIDTH - 20) * w->scale;
    snprintf(text, sizeof text, "%.190s", shown);
    while (prc_draw_text_width(w->draw, 15 * w->scale, text) > room && *shown) {
        do
            shown++;
        while ((*shown & 0xC0) == 0x80);
        snprintf(text, sizeof text, "…%.190s", shown);
    }
    snprintf(under, sizeof under, "%d vertices · %s", w->source->vertex_count,
             w->source->live ? w->source->place : "recorded");
    if (prc_draw_text_width(w->draw, SMALL * w->scale, under) > room)
        under[46] = '\0';
    write_text(w, (MARGIN + 10) * w->scale, (MARGIN + 22) * w->scale, 15, PRC_ALIGN_LEFT, ink, text);
    write_text(w, (MARGIN + 10) * w->scale, (MARGIN + 39) * w->scale, SMALL, PRC_ALIGN_LEFT, pale, under);
}

static void draw_panel(prc_window *w)
{
    fill(w, panel_box(w), paper, 8);
    draw_title(w);
    draw_button(w, 0, w->wishes.paused ? "Run" : "Pause", w->wishes.paused);
    draw_button(w, 1, "Step", false);
    draw_button(w, 2, w->source->live ? "Reset" : "To start", false);
    for (int k = 0; k < slider_count(w); k++)
        draw_slider(w, (prc_slider)k);
    for (int k = 0; k < SWITCHES; k++)
        if (has_switch(w, k))
            draw_switch(w, k);
}

static void append(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* `brief`: for windows that have no room for words. */
static void describe_live(const prc_window *w, bool brief, char *text, size_t size)
{
    const prc_view_shot *s = w->shot;
    const prc_step_report *r = &s->report;
    const char *apart = brief ? "  ·  " : "   ·   ";
    char more[200];
    snprintf(text, size, brief ? "%.0f fps%s%.2f s%s%.3g ms" : "%.0f fps%s%.3f s%sstep of %.3g ms", w->fps, apart,
             s->time, apart, 1e3 * s->step_length);
    if (r->time < 0)
        return;
    snprintf(more, sizeof more,
             brief ? " in %.1f ms%s%d it.%s%d contacts%s%.0e m/s"
                   : " in %.1f ms%s%d iterations%s%d contacts%sresidual %.1e m/s",
             1e3 * s->seconds, apart, r->iterations, apart, r->active_contacts, apart, r->residual);
    append(text, size, more);
    if (r->largest_lag > 0) {
        snprintf(more, sizeof more, "%slag %.3g mm", apart, 1e3 * r->largest_lag);
        append(text, size, more);
    }
}

static void draw_status(prc_window *w)
{
    const box b = status_box(w);
    const prc_step_report *r = &w->shot->report;
    const double y = b.y + 20 * w->scale, x = MARGIN * w->scale, room = b.width - 230 * w->scale;
    char text[400];
    fill(w, b, paper, 0);
    if (w->source->live) {
        describe_live(w, false, text, sizeof text);
        if (prc_draw_text_width(w->draw, TEXT * w->scale, text) > room)
            describe_live(w, true, text, sizeof text);
    } else
        snprintf(text, sizeof text, "%.0f fps   ·   frame %d of %d   ·   %.3f s", w->fps, w->shot->frame,
                 w->source->frame_count, w->shot->time);
    const double end = x + write_text(w, x, y, TEXT, PRC_ALIGN_LEFT, ink, text) + 20 * w->scale;
    if (w->source->live && r->time >= 0)
        write_text(w, end, y, TEXT, PRC_ALIGN_LEFT, r->converged ? pale : red,
                   r->converged ? "converged" : "not converged");
    const char *state = w->recorder.on     ? "● recording"
                        : w->shot->failed  ? "stopped"
                        : w->wishes.paused ? "paused"
                        : w->wishes.fast   ? "fast"
                                           : "H: keys";
    write_text(w, b.x + b.width - x, y, TEXT, PRC_ALIGN_RIGHT, w->recorder.on || w->shot->failed ? red : pale, state);
}

static void draw_time_line(prc_window *w)
{
    const box b = time_box(w);
    const int last = w->source->frame_count - 1;
    const double share = last > 0 ? w->wishes.frame / last : 0, y = b.y + b.height / 2, r = 8 * w->scale;
    char text[40];
    fill(w, (box){b.x - 60 * w->scale, b.y - 2 * w->scale, b.width + 120 * w->scale, b.height + 4 * w->scale}, paper,
         8);
    fill(w, (box){b.x, y - 2 * w->scale, b.width, 4 * w->scale}, rail, 2);
    fill(w, (box){b.x, y - 2 * w->scale, share * b.width, 4 * w->scale}, blue, 2);
    fill(w, (box){b.x + share * b.width - r, y - r, 2 * r, 2 * r}, white, 8);
    fill(w, (box){b.x + share * b.width - 0.75 * r, y - 0.75 * r, 1.5 * r, 1.5 * r}, blue, 8);
    snprintf(text, sizeof text, "%.2f s", w->shot->time);
    write_text(w, b.x - 12 * w->scale, y + 4.5 * w->scale, TEXT, PRC_ALIGN_RIGHT, ink, text);
    snprintf(text, sizeof text, "%.2f s", last >= 0 ? w->source->times[last] : 0);
    write_text(w, b.x + b.width + 12 * w->scale, y + 4.5 * w->scale, TEXT, PRC_ALIGN_LEFT, pale, text);
}

static void draw_notice(prc_window *w)
{
    const char *text = w->shot->failed ? w->shot->message : w->notice;
    if (!text[0] || (!w->shot->failed && prc_view_seconds() - w->noticed > NOTICE_SECONDS))
        return;
    const double most = w->width - 80 * w->scale, size = TEXT * w->scale;
    double width = prc_draw_text_width(w->draw, size, text);
    char cut[600];
    snprintf(cut, sizeof cut, "%s", text);
    for (size_t n = strlen(cut); width > most && n > 8; n -= 4, width = prc_draw_text_width(w->draw, size, cut))
        snprintf(cut + n - 4, 5, "…");
    const double x = (w->width - width) / 2, y = w->height - (BAR + (w->source->live ? 44 : 84)) * w->scale;
    fill(w, (box){x - 16 * w->scale, y, width + 32 * w->scale, 30 * w->scale}, dark, 8);
    write_text(w, x, y + 20 * w->scale, TEXT, PRC_ALIGN_LEFT, white, cut);
}

/* ---- help ---- */

static const char *const live_help[][2] = {{"Left drag on cloth", "drag it with a soft pin"},
                                           {"… and wheel", "zoom"},
                                           {"Ctrl + left drag", "move a collider or obstacle"},
                                           {"Left or right drag elsewhere", "rotate the camera"},
                                           {"Middle drag, Shift + left drag", "move the camera"},
                                           {"Wheel", "zoom"},
                                           {"Right click on a slider", "reset to the value of the scene"},
                                           {"Space", "pause, run"},
                                           {"N", "one step"},
                                           {"R", "restart at time 0, with the current settings"},
                                           {"D", "reset all settings to those of the scene"},
                                           {"T", "full speed, or real time at most"},
                                           {"C, Shift + C", "next, previous colours"},
                                           {"W, K, B, L, G", "wireframe, contacts, safe bounds, shadows, grid"},
                                           {"F", "fit the camera to the scene"},
                                           {"P", "screenshot (PNG)"},
                                           {"V", "start, stop recording a movie"},
                                           {"S", "save the state (PLY), for percale check"},
                                           {"Tab, H", "panel, this list"},
                                           {"Esc, Q", "quit"}};
static const char *const played_help[][2] = {{"Space", "play, pause"},
                                             {"Time line", "drag to any time"},
                                             {"← →, N", "previous, next frame"},
                                             {"Home, End", "first and last frame"},
                                             {"+ −", "faster, slower"},
                                             {"Left or right drag", "rotate the camera"},
                                             {"Middle drag, Shift + left drag", "move the camera"},
                                             {"Wheel", "zoom"},
                                             {"C, Shift + C", "next, previous colours"},
                                             {"W, L, G", "wireframe, shadows, grid"},
                                             {"F", "fit the camera to the scene"},
                                             {"P", "screenshot (PNG)"},
                                             {"V", "start, stop recording a movie"},
                                             {"Tab, H", "panel, this list"},
                                             {"Esc, Q", "quit"}};

static void draw_help(prc_window *w)
{
    const bool live = w->source->live;
    const char *const(*rows)[2] = live ? live_help : played_help;
    const int count =
        live ? (int)(sizeof live_help / sizeof *live_help) : (int)(sizeof played_help / sizeof *played_help);
    const double line = fmin(25, (w->height / w->scale - 110) / count), width = 620, height = line * count + 60;
    const double x = (w->width / w->scale - width) / 2, y = fmax(8, (w->height / w->scale - BAR - height) / 2);
    fill(w, scaled(w, x, y, width, height), dark, 10);
    write_text(w, (x + 24) * w->scale, (y + 32) * w->scale, 16, PRC_ALIGN_LEFT, white, "Keys and mouse");
    for (int k = 0; k < count; k++) {
        static const double soft[4] = {0.72, 0.80, 0.92, 1};
        const double at = (y + 58 + line * k) * w->scale;
        write_text(w, (x + 24) * w->scale, at, TEXT, PRC_ALIGN_LEFT, soft, rows[k][0]);
        write_text(w, (x + 250) * w->scale, at, TEXT, PRC_ALIGN_LEFT, white, rows[k][1]);
    }
}

void prc_panel_legend(prc_window *w)
{
    const prc_render_field *field = prc_view_field(w->shot->colour);
    if (field)
        (void)prc_draw_legend(w->draw, 15 * w->scale, field->title, field->unit, field->map, w->picture.range);
}

void prc_panel_lay(prc_window *w)
{
    prc_panel_legend(w);
    if (!w->source->live)
        draw_time_line(w);
    if (w->panel)
        draw_panel(w);
    draw_status(w);
    draw_notice(w);
    if (w->help)
        draw_help(w);
}

/* ---- the mouse ---- */

bool prc_panel_has_mouse(const prc_window *w)
{
    return (w->panel && inside(w, panel_box(w))) || inside(w, status_box(w)) ||
           (!w->source->live && inside(w, time_box(w)));
}

static void drag_slider(prc_window *w)
{
    const slider_def def = slider_of(w, (prc_slider)w->chosen);
    const box b = slider_box(w, w->chosen);
    double value = from_share(&def, (w->mouse[0] - b.x) / b.width);
    if (!def.log) /* what is shown is what is set */
        value = round(value * pow(10, def.digits)) / pow(10, def.digits);
    set_value(w, (prc_slider)w->chosen, value);
}

static void drag_time(prc_window *w)
{
    const box b = time_box(w);
    const int last = w->source->frame_count - 1;
    w->wishes.frame = round(fmin(1, fmax(0, (w->mouse[0] - b.x) / b.width)) * (last > 0 ? last : 0));
    prc_window_send(w);
}

void prc_panel_drag(prc_window *w)
{
    if (w->drag == PRC_DRAG_SLIDER)
        drag_slider(w);
    else if (w->drag == PRC_DRAG_TIME)
        drag_time(w);
}

static void press_slider(prc_window *w, int k, bool back)
{
    if (k == PRC_SLIDER_FRICTION && !w->has_contact)
        return;
    if (back) {
        set_value(w, (prc_slider)k, value_of(w, &w->defaults, (prc_slider)k));
        return;
    }
    w->drag = PRC_DRAG_SLIDER;
    w->chosen = k;
    drag_slider(w);
}

bool prc_panel_press(prc_window *w, int mouse_button, bool twice)
{
    static const prc_action buttons[3] = {PRC_ACTION_PAUSE, PRC_ACTION_STEP, PRC_ACTION_RESET};
    if (!prc_panel_has_mouse(w))
        return false;
    w->drag = PRC_DRAG_PRESS;
    const bool back = mouse_button == GLFW_MOUSE_BUTTON_RIGHT;
    for (int k = 0; w->panel && k < 3; k++)
        if (inside(w, button_box(w, k)))
            prc_window_act(w, buttons[k]);
    for (int k = 0; w->panel && k < slider_count(w); k++)
        if (inside(w, slider_box(w, k)))
            press_slider(w, k, back || twice);
    for (int k = 0; w->panel && k < SWITCHES; k++)
        if (has_switch(w, k) && inside(w, switch_box(w, k)))
            prc_window_act(w, switches[k].action == PRC_ACTION_COLOUR && back ? PRC_ACTION_COLOUR_BACK
                                                                              : switches[k].action);
    if (!w->source->live && inside(w, time_box(w))) {
        w->drag = PRC_DRAG_TIME;
        drag_time(w);
    }
    return true;
}
