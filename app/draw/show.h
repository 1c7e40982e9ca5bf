/* app/draw/show.h — draws a whole scene: cloth in the colours of its bodies, obstacles, needles and colliders; and
 * finds the ground and a good camera. For frames from files and for running simulations.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_SHOW_H
#define PRC_DRAW_SHOW_H

#include "draw.h"
#include "io/colliders.h"

typedef struct prc_show prc_show;

/* What all frames share: vertices of bodies and, after them, of obstacles. */
typedef struct prc_show_def {
    int vertex_count, triangle_count, edge_count;
    const int *triangles;   /* 3 vertices each */
    const int *edges;       /* that belong to no triangle: needles; 2 vertices each, or NULL */
    const bool *obstacle;   /* per vertex, or NULL: none is */
    int smooth;             /* as of prc_draw_item_def, for the cloth */
    const prc_sim_def *sim; /* bodies, colliders, gravity, camera; or NULL. Must live as long as the show */
} prc_show_def;

/* Adds its items to the drawing. NULL and a message on failure. */
prc_show *prc_show_create(prc_draw *draw, const prc_show_def *def, prc_error *error);
void prc_show_destroy(prc_show *show);

/* Everything as it is at `time`: 3 numbers per vertex, and a value per vertex of cloth for its colour, or NULL.
 * Colliders go where their motion puts them. */
prc_result prc_show_move(prc_show *show, const double *positions, const double *values, double time, prc_error *error);
/* Another place for a collider than its motion gives; until the next move. */
void prc_show_place_collider(prc_show *show, int collider, const double turn[3][3], const double shift[3]);
/* The colliders where a frame says that they are; those that it does not tell stay where their motion puts them. */
void prc_show_place_told(prc_show *show, const prc_colliders *colliders);
/* The number of its item in the drawing; −1 where it is the ground. */
int prc_show_collider_item(const prc_show *show, int collider);

/* What has been seen: called after moves that a camera or the ground is to be fitted to, as often as wanted. */
void prc_show_look(prc_show *show);
/* Sets what the scene knows or what was seen gives: up, ground, camera. `angles`: from where to look, around (0 along
 * the least extent of what was seen) and above the horizon, degrees; NULL: the scene's camera where it has one, else
 * some that suit. */
prc_result prc_show_aim(const prc_show *show, const double *angles, double aspect, double margin, prc_draw_view *view,
                        prc_error *error);

#endif
