/* app/render/options.c — the command line of `percale render`.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "io/numbered.h"
#include "render.h"

#define LARGEST 16384 /* pixels across */

bool prc_render_ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

/* "1280x720", "3x4". */
static bool read_pair(const char *text, int most, int *a, int *b)
{
    char *end;
    const long x = strtol(text, &end, 10);
    if (end == text || *end != 'x' || end[1] < '0' || end[1] > '9')
        return false;
    const long y = strtol(end + 1, &end, 10);
    *a = (int)x;
    *b = (int)y;
    return !*end && x > 0 && y > 0 && x <= most && y <= most;
}

/* Numbers with a separator between them; how many, or 0. */
static int read_numbers(const char *text, char separator, double *values, int most)
{
    for (int k = 0; k < most; k++) {
        char *end;
        values[k] = strtod(text, &end);
        if (end == text || !isfinite(values[k]))
            return 0;
        if (!*end)
            return k + 1;
        if (*end != separator)
            return 0;
        text = end + 1;
    }
    return 0;
}

static bool read_int(const char *text, int low, int *value)
{
    char *end;
    const long number = strtol(text, &end, 10);
    *value = (int)number;
    return end != text && !*end && number >= low && number < INT_MAX;
}

/* "a..b", "a.." or "..b". */
static bool read_frames(const char *text, int *first, int *last)
{
    const char *dots = strstr(text, "..");
    char *end = (char *)text;
    const long low = dots == text ? 0 : strtol(text, &end, 10);
    if (!dots || end != dots || low < 0 || low > INT_MAX)
        return false;
    const long high = dots[2] ? strtol(dots + 2, &end, 10) : INT_MAX;
    *first = (int)low;
    *last = high > INT_MAX ? INT_MAX : (int)high;
    return high >= low && (!dots[2] || !*end);
}

static bool read_quality(const char *text, int *passes)
{
    static const struct {
        const char *name;
        int passes;
    } names[] = {{"draft", 6}, {"normal", 24}, {"high", 96}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(text, names[k].name)) {
            *passes = names[k].passes;
            return true;
        }
    return read_int(text, 1, passes) && *passes <= 4096;
}

static bool read_colour(const char *text, double colour[3])
{
    char *end;
    if (!strcmp(text, "white"))
        text = "#ffffff";
    const long value = text[0] == '#' ? strtol(text + 1, &end, 16) : -1;
    if (text[0] != '#' || strlen(text) != 7 || *end || value < 0)
        return false;
    for (int c = 0; c < 3; c++)
        colour[c] = (double)(value >> (16 - 8 * c) & 255) / 255;
    return true;
}

static bool take_view(prc_render_options *o, const char *name, const char *value, bool *known)
{
    *known = true;
    if (!strcmp(name, "--size"))
        return read_pair(value, LARGEST, &o->width, &o->height);
    if (!strcmp(name, "--camera")) {
        o->camera_count = read_numbers(!strcmp(value, "auto") ? "27,19" : value, ',', o->camera, 7);
        return o->camera_count == 2 || o->camera_count == 6 ||
               (o->camera_count == 7 && o->camera[6] >= 1 && o->camera[6] <= 150);
    }
    if (!strcmp(name, "--range"))
        return read_numbers(value, ':', o->range, 2) == 2 && o->range[0] < o->range[1];
    if (!strcmp(name, "--quality"))
        return read_quality(value, &o->passes);
    if (!strcmp(name, "--background"))
        return o->has_background = read_colour(value, o->background);
    if (!strcmp(name, "--colour") || !strcmp(name, "--color")) {
        o->colour = value;
        return value[0] != '\0';
    }
    *known = false;
    return true;
}

/* An option with a value; false where the value makes no sense. */
static bool take_value(prc_render_options *o, const char *name, const char *value, bool *known)
{
    char *end;
    *known = true;
    if (!strcmp(name, "-o") || !strcmp(name, "--output")) {
        o->out = value;
        return value[0] != '\0';
    }
    if (!strcmp(name, "--scene")) {
        o->scene = value;
        return value[0] != '\0';
    }
    if (!strcmp(name, "--frame")) {
        o->frame = -1;
        return !strcmp(value, "last") || read_int(value, 0, &o->frame);
    }
    if (!strcmp(name, "--time")) {
        o->time = strtod(value, &end);
        return end != value && !*end && isfinite(o->time);
    }
    if (!strcmp(name, "--frames"))
        return read_frames(value, &o->first, &o->last);
    if (!strcmp(name, "--every"))
        return read_int(value, 1, &o->every);
    if (!strcmp(name, "--fps")) {
        o->rate = strtod(value, &end);
        return end != value && !*end && o->rate >= 0.1 && o->rate <= 1000;
    }
    if (!strcmp(name, "--sheet"))
        return read_pair(value, 100, &o->columns, &o->rows);
    return take_view(o, name, value, known);
}

static bool take_flag(prc_render_options *o, const char *name)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--wireframe", &o->wireframe}, {"--grid", &o->grid},    {"--no-ground", &o->no_ground},
                 {"--no-legend", &o->no_legend}, {"--quiet", &o->quiet},  {"--no-shadows", &o->no_shadows},
                 {"--label", &o->label},         {"--smooth", &o->smooth}};
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (!strcmp(name, flags[k].name)) {
            *flags[k].flag = true;
            return true;
        }
    return false;
}

static int take_all(prc_render_options *o, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        bool known = true;
        if (argv[i][0] != '-') {
            if (o->in)
                return prc_cli_usage("render", "unexpected argument '%s' after '%s'", argv[i], o->in);
            o->in = argv[i];
        } else if (!take_flag(o, argv[i])) {
            const char *value = i + 1 < argc ? argv[i + 1] : "";
            const bool good = take_value(o, argv[i], value, &known);
            if (!known)
                return prc_cli_usage("render", "unknown option '%s'", argv[i]);
            if (i + 1 == argc)
                return prc_cli_usage("render", "a value is missing after '%s'", argv[i]);
            if (!good)
                return prc_cli_usage("render", "%s: invalid value '%s'", argv[i], value);
            i++;
        }
    }
    return PRC_EXIT_OK;
}

/* What is to be made follows from the name of the file. */
static int find_kind(prc_render_options *o)
{
    prc_numbered pattern;
    const char *slash = strrchr(o->out, '/'), *name = slash ? slash + 1 : o->out;
    const bool numbered = prc_numbered_read(&pattern, o->out);
    if (prc_render_ends_in(o->out, ".mp4") || prc_render_ends_in(o->out, ".webm") || prc_render_ends_in(o->out, ".gif"))
        o->kind = PRC_RENDER_MOVIE;
    else if (!prc_render_ends_in(o->out, ".png"))
        return prc_cli_usage("render", "'%s': unknown file type; expected a name ending in .png, .mp4, .webm or .gif",
                             o->out);
    else if (o->columns || (!numbered && !strncmp(name, "sheet", 5)))
        o->kind = PRC_RENDER_SHEET;
    else
        o->kind = numbered ? PRC_RENDER_PICTURES : PRC_RENDER_PICTURE;
    if (o->kind != PRC_RENDER_SHEET && o->columns)
        return prc_cli_usage("render", "--sheet needs a .png file, but the output is '%s'", o->out);
    if (o->kind != PRC_RENDER_PICTURE && (o->frame != -2 || !isnan(o->time)))
        return prc_cli_usage("render", "--frame and --time are for one picture; use --frames A..B for '%s'", o->out);
    if (o->frame != -2 && !isnan(o->time))
        return prc_cli_usage("render", "--frame and --time cannot be combined");
    return PRC_EXIT_OK;
}

static void complete(prc_render_options *o)
{
    const bool movie = o->kind == PRC_RENDER_MOVIE, sheet = o->kind == PRC_RENDER_SHEET;
    const bool gif = movie && prc_render_ends_in(o->out, ".gif");
    if (sheet && !o->columns) {
        o->columns = 4;
        o->rows = 3;
    }
    if (!o->width) {
        o->width = gif ? 480 : sheet ? 400 : movie ? 800 : 1200;
        o->height = 3 * o->width / 4;
    }
    if (movie && !gif) { /* colours of two pixels across are stored as one */
        o->width += o->width % 2;
        o->height += o->height % 2;
    }
    if (!o->passes)
        o->passes = movie ? 10 : sheet ? 16 : 24;
}

int prc_render_options_read(prc_render_options *o, int argc, char **argv)
{
    *o = (prc_render_options){
        .frame = -2, .time = NAN, .last = INT_MAX, .every = 1, .range = {NAN, NAN}, .colour = "body"};
    int status = take_all(o, argc, argv);
    if (!status && !o->in)
        status = prc_cli_usage("render", "no input given; expected the folder of a run, or a mesh");
    if (!status && !o->out)
        status = prc_cli_usage("render", "-o FILE is missing: picture.png, sheet.png, movie.mp4 …");
    if (!status && o->out)
        status = find_kind(o);
    if (!status && o->out)
        complete(o);
    return status;
}
