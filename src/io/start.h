/* io/start.h — shows intersections and small gaps of a start in a coloured PLY file.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_START_H
#define PRC_IO_START_H

#include <percale/sim.h>

/* Writes the primitives of a report on `def` with a colour per vertex, whole or not at all. Crossings: the triangle
 * red, the edge yellow. Pairs that are too close: triangles orange, an edge as an orange triangle to the closest point
 * of the other. Vertices too close to a collider: the triangles around them blue. The way between closest points is a
 * line. */
prc_result prc_start_write(const char *path, const prc_start_report *report, const prc_sim_def *def, prc_error *error);

#endif
