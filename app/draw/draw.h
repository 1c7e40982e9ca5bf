/* app/draw/draw.h — pictures of surfaces and colliders with OpenGL 3.3: for `percale render` without a display, and for
 * the window of `percale view`.
 *
 * Lighting: a picture is the mean of several passes. Each pass has its own position on a large lamp and direction of
 * the sky, with a shadow map each, and its own offset within the pixels; so shadows are soft, corners dark (they see
 * less sky) and edges smooth, without separate effects. More passes give a better picture of the same scene.
 *
 * Order of calls:
 *     context (headless only)  →  prc_draw_create  →  items (surfaces, colliders, lines, points)
 *     each picture: prc_draw_move …, prc_draw_begin, prc_draw_pass (as often as wanted), text and rectangles,
 *     prc_draw_finish; prc_draw_read where pixels are wanted.
 * Call all of them in the thread in which the GL context is current. Lengths are metres, colours are sRGB from 0 to 1,
 * pixels count from the upper left corner. Leaves out transparency, textures and creating windows.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_H
#define PRC_DRAW_H

#include <percale/percale.h>

#include "camera.h"
#include "colours.h"

/* ---- a context without a display ---- */

typedef struct prc_draw_context prc_draw_context;

/* EGL without a surface, with any driver: a GPU's, or Mesa's software renderer. Becomes current in this thread. NULL
 * and what to install where there is none. */
prc_draw_context *prc_draw_context_create(prc_error *error);
void prc_draw_context_destroy(prc_draw_context *context);

/* ---- the drawing ---- */

typedef struct prc_draw prc_draw;

typedef struct prc_draw_options {
    int width, height; /* pixels */
    int shadow_size;   /* of a shadow map, pixels across; 0: 1024 */
    const char *font;  /* a TrueType file; NULL: PERCALE_FONT of the environment, else one from the usual folders */
} prc_draw_options;

/* Needs a current GL 3.3 context. A missing font is no failure: text is left out, and prc_draw_warning says so. */
prc_draw *prc_draw_create(const prc_draw_options *options, prc_error *error);
void prc_draw_destroy(prc_draw *draw);
prc_result prc_draw_resize(prc_draw *draw, int width, int height, prc_error *error);
/* What could not be had and is done without, one line; "" for nothing. */
const char *prc_draw_warning(const prc_draw *draw);
/* Who draws: the renderer that GL names. */
const char *prc_draw_renderer(const prc_draw *draw);

/* ---- items ---- */

/* A set of triangles, or lines, or points. Items are numbered from 0 in the order in which they are added. */
typedef struct prc_draw_item_def {
    int vertex_count, triangle_count;
    const int *triangles; /* 3 per triangle, or NULL */
    const int *lines;     /* 2 vertices per line, or NULL; drawn with `width` */
    int line_count;
    bool points;          /* every vertex is a ball of `radius` */
    double colour[3];     /* of the front */
    double back[3];       /* of the other side; where all are 0, one that goes with `colour` */
    const float *colours; /* 3 per vertex in place of `colour`, or NULL */
    double radius;        /* of points, m */
    double width;         /* of lines, pixels at a picture of 1000 pixels height */
    bool rigid; /* sharp edges stay sharp (surfaces of cloth are smooth), and colours of values are not for it */
    int smooth; /* cloth: drawn as curved patches, each cut this often along its edges; 0: as flat triangles */
    bool unlit; /* shows its colour as it is, and casts no shadow: for marks */
    bool hidden;
    bool unbounded; /* part of no bounds: light and camera are not fitted to it */
    bool front;     /* is drawn over everything else: for marks that must be seen */
} prc_draw_item_def;

/* Nothing is drawn of an item before its first prc_draw_move. −1 on failure. What it points to is copied. */
int prc_draw_add(prc_draw *draw, const prc_draw_item_def *def, prc_error *error);
/* A collider, as a mesh of its own, where it is at time 0; to be moved with prc_draw_pose. A plane is drawn as far as
 * `spread` m from its center, fades there, and is seen from its free side only; what is larger is part of no bounds;
 * the one that is the floor is better left to prc_draw_view.ground. −1 on failure. */
int prc_draw_add_collider(prc_draw *draw, const prc_collider_def *def, double spread, prc_error *error);
/* Drops all items. */
void prc_draw_clear(prc_draw *draw);
int prc_draw_item_count(const prc_draw *draw);
/* Positions of all vertices, 3 per vertex; `values` are shown with the colour map of the view, one per vertex, or NULL:
 * the item has its own colours. Values that are not finite are grey. */
prc_result prc_draw_move(prc_draw *draw, int item, const double *positions, const double *values, prc_error *error);
/* Other lines or points in an item that has no triangles: `count` vertices, pairs of which are lines. */
prc_result prc_draw_set_marks(prc_draw *draw, int item, int count, const double *positions, prc_error *error);
/* Where a rigid item is: x → turn x + shift. */
void prc_draw_pose(prc_draw *draw, int item, const double turn[3][3], const double shift[3]);
/* Where a collider is at a time, for prc_draw_pose. */
void prc_draw_collider_pose(const prc_collider_def *def, double time, double turn[3][3], double shift[3]);
void prc_draw_hide(prc_draw *draw, int item, bool hidden);
void prc_draw_recolour(prc_draw *draw, int item, const double colour[3], const double back[3]);

typedef struct prc_box {
    double low[3], high[3];
} prc_box;

/* Of all that is shown, as it is now; low above high where there is nothing. */
prc_box prc_draw_bounds(const prc_draw *draw);

/* ---- a picture ---- */

typedef struct prc_draw_view {
    prc_camera camera;
    double up[3];         /* of the world: where the sky is */
    double light[3];      /* to the lamp, in the world; all 0: from above and left of the camera */
    double light_size;    /* radius of the lamp as an angle, degrees: larger is softer */
    double background[3]; /* the ground fades into it */
    bool ground;          /* a plane that shows shadows only */
    double ground_height; /* along `up`, m */
    bool grid;            /* lines on the ground, 1 m or a power of ten apart */
    bool wireframe;       /* edges of triangles */
    bool shadows;         /* false: faster, flatter */
    bool cast;            /* without shadows: what the lamp casts on the ground all the same, which costs little */
    prc_map map;          /* colours of values */
    double range[2];      /* of the values: the ends of the map */
    int passes;           /* that will be taken: spreads the samples evenly */
} prc_draw_view;

prc_draw_view prc_draw_view_default(void);

/* Begins a picture: forgets the passes of the last. */
void prc_draw_begin(prc_draw *draw, const prc_draw_view *view);
/* Takes `count` more passes; those after view.passes go on to improve the picture. */
void prc_draw_pass(prc_draw *draw, int count);
int prc_draw_passes(const prc_draw *draw); /* taken since begin */

/* ---- on top, in pixels ---- */

typedef enum prc_draw_align { PRC_ALIGN_LEFT, PRC_ALIGN_CENTRE, PRC_ALIGN_RIGHT } prc_draw_align;

/* These are collected and drawn in their order by the next prc_draw_finish. Colours have an opacity. */
void prc_draw_rectangle(prc_draw *draw, double x, double y, double width, double height, const double colour[4],
                        double corner);
/* From the colour of one end of the map to that of the other, upwards or to the right. */
void prc_draw_map(prc_draw *draw, double x, double y, double width, double height, prc_map map, bool upwards);
void prc_draw_line(prc_draw *draw, double x0, double y0, double x1, double y1, double width, const double colour[4]);
/* UTF-8; `y` is the base line. `size` is the height of the letters' square, pixels. Returns the width. */
double prc_draw_text(prc_draw *draw, double x, double y, double size, prc_draw_align align, const double colour[4],
                     const char *text);
double prc_draw_text_width(prc_draw *draw, double size, const char *text);

/* A legend: the colour map with ticks, a title and a unit ("" for none), along the right edge of the picture. `size` of
 * its letters in pixels; 0: one that suits the picture. Returns its width. */
double prc_draw_legend(prc_draw *draw, double size, const char *title, const char *unit, prc_map map,
                       const double range[2]);
/* Round values in a range: at most `most` of them, evenly apart; returns how many, and the digits after the point. */
int prc_draw_ticks(const double range[2], int most, double *ticks, int *digits);

/* ---- getting it out ---- */

#define PRC_DRAW_OWN (~0u)
/* Puts the mean of the passes and what was laid on top into a framebuffer: 0 is the window's, PRC_DRAW_OWN one that
 * prc_draw_read can read. What was laid on top is forgotten. */
void prc_draw_finish(prc_draw *draw, unsigned framebuffer);
/* Copies the picture that was finished into PRC_DRAW_OWN: width·height·3 bytes, rows from the top. */
void prc_draw_read(prc_draw *draw, unsigned char *pixels);

/* PNG, 8 bits per colour, whole or not at all. */
prc_result prc_draw_write_png(const char *path, const unsigned char *pixels, int width, int height, prc_error *error);

#endif
