/* app/draw/parts.h — shared by the files of app/draw: the drawing, its items, its programs.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_PARTS_H
#define PRC_DRAW_PARTS_H

#include <epoxy/gl.h>

#include "draw.h"

/* One vertex on the device. */
typedef struct prc_draw_vertex {
    float position[3], normal[3], value, colour[3];
} prc_draw_vertex;

typedef struct prc_draw_item {
    prc_draw_item_def def; /* its arrays are the item's own */
    GLuint vertex_array, vertices, indices, line_indices, edge_array;
    int *triangles;  /* 3 per triangle */
    int *first, *of; /* triangles of each vertex, for normals: of[first[v]] … of[first[v + 1] − 1] */
    float *colours;
    prc_draw_vertex *staged;
    prc_draw_vertex *curved; /* what is on the device where it is smooth, or NULL */
    int curved_count;
    int corner_count; /* of the triangles on the device */
    int staged_count; /* vertices on the device: one per corner where edges are sharp */
    int edge_count;   /* of triangles, each once */
    int mark_count;   /* vertices of an item without triangles */
    bool placed;      /* has been moved */
    bool valued;      /* shows values */
    bool plane;       /* a plane with a soft edge */
    float model[16];  /* pose */
    double box[2][3]; /* of the positions, before the pose */
    double spread;    /* plane: radius of what is seen of it, m */
} prc_draw_item;

/* A vertex of what is laid on top. */
typedef struct prc_overlay_vertex {
    float place[2], at[2]; /* pixels; texture, or from the middle of the rectangle */
    float half[2], corner; /* of the rectangle */
    float kind;            /* 0 rectangle, 1 letter, 2 colour map */
    float colour[4];
} prc_overlay_vertex;

#define PRC_GLYPHS 1024
typedef struct prc_glyph {
    unsigned letter;
    int size;                /* pixels; 0: free */
    short x, y, width, rows; /* in the atlas */
    short left, top;
    float advance;
} prc_glyph;

typedef struct prc_font prc_font;

typedef enum prc_draw_program {
    PRC_PROGRAM_SURFACE,
    PRC_PROGRAM_SHADOW,
    PRC_PROGRAM_GROUND,
    PRC_PROGRAM_CAST,
    PRC_PROGRAM_LINES,
    PRC_PROGRAM_POINTS,
    PRC_PROGRAM_ADD,
    PRC_PROGRAM_FINISH,
    PRC_PROGRAM_OVERLAY,
    PRC_PROGRAMS
} prc_draw_program;

typedef struct prc_target {
    GLuint framebuffer, colour, depth;
} prc_target;

struct prc_draw {
    int width, height, shadow_size;
    char warning[300], renderer[200];
    GLuint programs[PRC_PROGRAMS];
    prc_target scene, sum, own; /* one pass; all passes; the picture */
    prc_target shadows[2];      /* of the lamp and of the sky */
    GLuint maps, empty_array;   /* the colour maps; a vertex array without attributes */
    prc_draw_item *items;
    int item_count, item_capacity;
    prc_draw_view view;
    int passes;
    double middle[3], radius; /* of what light is fitted to */
    /* What is laid on top. */
    GLuint overlay_array, overlay_buffer, atlas;
    prc_overlay_vertex *overlay;
    int overlay_count, overlay_capacity;
    prc_font *font;
};

/* ---- shaders.c ---- */
prc_result prc_draw_compile(prc_draw *draw, prc_error *error);

/* ---- items.c ---- */
void prc_draw_item_release(prc_draw_item *item);
/* Draws the triangles of the item with the program in use, whose place of `model` is given. */
void prc_draw_item_triangles(const prc_draw_item *item);
void prc_draw_item_edges(const prc_draw_item *item);

/* ---- smooth.c ---- */
/* The small triangles of all patches, for the caller to free; NULL when out of memory. */
int *prc_smooth_triangles(const prc_draw_item *item, size_t *count);
/* The vertex that lies `step` of def.smooth parts along the edge from a corner to the next of its triangle. */
int prc_smooth_on_edge(const prc_draw_item *item, int corner, int step);
bool prc_smooth_fill(prc_draw_item *item); /* from `staged`; false: out of memory */

/* ---- overlay.c ---- */
prc_result prc_overlay_begin(prc_draw *draw, const char *font, prc_error *error);
void prc_overlay_end(prc_draw *draw);
void prc_overlay_show(prc_draw *draw);

/* ---- font.c: FreeType ---- */
/* NULL where there is none; `why` says so. */
prc_font *prc_font_open(const char *path, char why[300]);
void prc_font_close(prc_font *font);
/* The letter in that size, drawn into the atlas texture when first asked for; NULL where there is no room or no font.
 */
const prc_glyph *prc_font_glyph(prc_font *font, GLuint atlas, unsigned letter, int size);
#define PRC_ATLAS_SIZE 1024

#endif
