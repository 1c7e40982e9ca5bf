/* app/cli/balls.h — the particles of a frame or a run, as the checker takes them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_BALLS_H
#define PRC_CLI_BALLS_H

#include <percale/base.h>

#include "check/balls.h"

/* The radii of vertices that are particles: those that are in none of the shapes (shapes.h) and whose radius is a
 * length above 0; 0 for all others. NULL when out of memory; `count` says how many there are. */
double *prc_cli_radii(const double *radius, int vertex_count, const int *shapes, int shape_count, int *count);

/* A vertex in words: its number in the part, and the part. */
typedef struct prc_cli_vertex {
    int number;
    char part[90]; /* "bodies[0] 'sand'"; "" where parts are not known */
} prc_cli_vertex;

#define PRC_CLI_OVERLAP 500
/* "particle 12 of bodies[0] 'sand' and triangle 1 2 3 of bodies[1] are 120 µm nearer than allowed at (0, 1, 2)". `ball`
 * and `others` are the vertices of both sides; `collider`: the number of one in the scene. */
const char *prc_cli_tell_overlap(const prc_check_overlap *overlap, const prc_cli_vertex *ball,
                                 const prc_cli_vertex others[3], int collider, char text[PRC_CLI_OVERLAP]);

#endif
