/* app/cli/colliders.h — the colliders of a simulation in the form of the checker.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_COLLIDERS_H
#define PRC_CLI_COLLIDERS_H

#include <percale/percale.h>

#include "check/collider.h"

#define PRC_CLI_POSE 12 /* numbers of a pose: a matrix by rows, a shift */

/* A collider at a pose as prc_cli_poses noted it; false: it has none. The mesh stays that of the def. */
bool prc_cli_collider_posed(const prc_collider_def *def, const double pose[PRC_CLI_POSE], prc_check_collider *collider);
/* Where colliders are, PRC_CLI_POSE numbers each; NaN for those that have no place. */
void prc_cli_poses(const prc_collider_def *defs, int count, const prc_sim *sim, double *poses);
/* The lines of a frame that say so (io/colliders.h); the caller frees it with prc_free; NULL when out of memory.
 * Without meshes, nothing is said of colliders that are some: for frames that have no folder with the meshes in it. */
char *prc_cli_colliders_tell(const prc_collider_def *defs, int count, const double *poses, bool with_meshes);

#define PRC_CLI_ITEM 60
/* "triangle 7 8 15", "edge 7 8", "vertex 7": as many as differ. */
const char *prc_cli_tell_item(const int vertices[3], char text[PRC_CLI_ITEM]);
/* "is 4.1 mm inside", "is pierced by", "is too close to tell apart from". */
const char *prc_cli_tell_inside(const prc_check_meeting *meeting, char text[PRC_CLI_ITEM]);

#endif
