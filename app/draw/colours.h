/* app/draw/colours.h — colour maps and the palette of bodies, made in a perceptual space. Needs no OpenGL.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_COLOURS_H
#define PRC_DRAW_COLOURS_H

/* Both are even: equal steps of a value look equally different, also without red or green. */
typedef enum prc_map {
    PRC_MAP_SEQUENTIAL, /* from dark blue by green to light yellow: from little to much */
    PRC_MAP_DIVERGING,  /* from blue by light grey to orange: about a middle that means something */
    PRC_MAPS
} prc_map;

#define PRC_MAP_SIZE 256

/* sRGB, 0 to 1. `at` is from 0 to 1, and beyond stays at the end. */
void prc_map_colour(prc_map map, double at, double colour[3]);

/* The colour of body number `body`; goes round after the last. */
void prc_palette_colour(int body, double colour[3]);
/* The other side of a cloth of that colour: paler. */
void prc_palette_back(const double colour[3], double back[3]);

/* How bright a value of sRGB is, as light. */
double prc_colour_linear(double value);
/* Oklab, and sRGB: for colours that are to differ by a known amount. */
void prc_colour_from_oklab(const double lab[3], double colour[3]); /* cut off where it is out of reach */
void prc_colour_to_oklab(const double colour[3], double lab[3]);

#endif
