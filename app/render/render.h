/* app/render/render.h — shared by the files of `percale render`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_RENDER_H
#define PRC_RENDER_H

#include <stdio.h>

#include "cli.h"
#include "playback.h"
#include "show.h"

typedef enum prc_render_kind {
    PRC_RENDER_PICTURE,
    PRC_RENDER_PICTURES,
    PRC_RENDER_SHEET,
    PRC_RENDER_MOVIE
} prc_render_kind;

/* A field by which cloth is coloured. */
typedef struct prc_render_field {
    const char *name;       /* on the command line */
    const char *properties; /* of frames: the value, or the components of a vector, with spaces between them */
    const char *title, *unit;
    prc_map map;
    const char *option; /* of `percale run --fields`, that writes it; NULL: every run does */
    bool from_zero;     /* the range begins at 0 */
    bool symmetric;     /* the range is as wide below 0 as above */
} prc_render_field;

typedef struct prc_render_options {
    const char *in, *out, *scene, *colour;
    prc_render_kind kind;
    int width, height; /* of a picture, or of one in a sheet; 0: not given */
    int columns, rows; /* of a sheet; 0: not given */
    int frame;         /* number, −1: last, −2: not given */
    double time;       /* s; NAN: not given */
    int first, last, every;
    double rate;     /* pictures per second; 0: not given */
    double range[2]; /* NAN: not given */
    double camera[7];
    int camera_count; /* numbers of it: 0, 2, 6 or 7 */
    double background[3];
    bool has_background;
    int passes;
    bool wireframe, grid, no_ground, no_legend, no_shadows, quiet, label, smooth;
} prc_render_options;

/* options.c: an exit status. */
int prc_render_options_read(prc_render_options *options, int argc, char **argv);
bool prc_render_ends_in(const char *path, const char *ending);

/* ---- fields.c ---- */

/* NULL where the name is "body". Unknown names stand for a property of that name; `own` is room for it. */
const prc_render_field *prc_render_field_find(const char *name, prc_render_field *own);
/* Fills `values`, one per vertex; PRC_ERROR_INPUT, with what to do, where the frame does not have it. */
prc_result prc_render_field_values(const prc_render_field *field, const prc_playback_frame *frame, const char *file,
                                   double *values, prc_error *error);
/* The range of values that were collected, by what the field asks for; never empty. */
void prc_render_field_range(const prc_render_field *field, double *values, long count, double range[2]);

/* ---- movie.c: frames into ffmpeg ---- */

typedef struct prc_movie prc_movie;

/* Starts ffmpeg; a file that takes its name when it is closed. NULL and a message, with what to install, on failure. */
prc_movie *prc_movie_open(const char *path, int width, int height, double rate, prc_error *error);
prc_result prc_movie_add(prc_movie *movie, const unsigned char *pixels, prc_error *error);
/* Releases it; the file is there, or nothing is. */
prc_result prc_movie_close(prc_movie *movie, prc_error *error);
void prc_movie_abandon(prc_movie *movie);

/* ---- bar.c: progress ---- */

typedef struct prc_bar {
    FILE *stream; /* NULL: says nothing */
    bool terminal;
    double started, shown;
} prc_bar;

prc_bar prc_bar_begin(bool quiet);
void prc_bar_show(prc_bar *bar, int done, int count);
void prc_bar_end(prc_bar *bar);

#endif
