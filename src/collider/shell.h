/* collider/shell.h — the surface of a mesh collider, in the collider's own frame: what cloth collides with.
 *
 * Its vertices are appended to the model as those of an obstacle of thickness 0 (step/shells.c), so every face, edge
 * and corner of it keeps cloth out, however thin. The distance field only tells how far inside a point is, and the way
 * out. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_SHELL_H
#define PRC_COLLIDER_SHELL_H

#include "collider/sdf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The triangles of `mesh`, or where that is NULL the surface of the field; about the middle of the field, and without
 * vertices that no triangle has. Released with prc_mesh_release, also after a failure. */
prc_result prc_shell_make(prc_mesh *shell, const prc_mesh *mesh, const prc_sdf *field, prc_error *error);

/* Whether a point of the collider's own frame is inside, or on the surface: exact, but for points that the field shows
 * to be farther than `doubt` (m) from the surface. The field of the same mesh errs by less than a cell. */
bool prc_shell_contains(const prc_mesh *shell, const prc_sdf *field, const double q[3], double doubt);
/* Distance of such a point from the surface, m, as long as it is less than `most`: else `most`. */
double prc_shell_distance(const prc_mesh *shell, const prc_sdf *field, const double q[3], double doubt, double most);

#ifdef __cplusplus
}
#endif

#endif
