/* app/draw/balls.h — many balls of any size as one item of the drawing.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_BALLS_H
#define PRC_DRAW_BALLS_H

#include "draw.h"

typedef struct prc_balls {
    int item;                   /* −1: there is none */
    int *vertices, count;       /* the vertices that are centres */
    double *radii;              /* of each, m */
    double *unit;               /* a ball of radius 1, 3 per corner */
    int corner_count;           /* of one ball */
    double *positions, *values; /* of all corners of all balls */
} prc_balls;

/* Adds an item of `count` balls, zeroed before: `vertices` are their centres in what prc_balls_move is given, `colours`
 * 3 for each. What is given is copied. Released also after a failure; releasing leaves the item to the drawing. */
prc_result prc_balls_add(prc_draw *draw, prc_balls *balls, const int *vertices, const double *radii,
                         const float *colours, int count, prc_error *error);
/* 3 numbers per vertex, and a value per vertex for the colour, or NULL. */
prc_result prc_balls_move(prc_draw *draw, prc_balls *balls, const double *positions, const double *values,
                          prc_error *error);
void prc_balls_release(prc_balls *balls);

#endif
