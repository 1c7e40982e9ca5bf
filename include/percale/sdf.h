/* percale/sdf.h — signed distance fields of closed meshes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_SDF_H
#define PERCALE_SDF_H

#include <percale/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Signed distances to a closed mesh on a grid of cubes, interpolated between its nodes. For a collider with a mesh, the
 * mesh is the surface, and the field only says how deep inside cloth is at the start, and which way is out. For a
 * collider with a field alone, the surface is where the field is zero: within a fraction of a cell of the original
 * mesh, but corners are rounded, and parts thinner than a cell may be missing. The field covers a band on either side
 * of the surface; for a point outside the band it only says that the point is at least that far away. */
typedef struct prc_sdf prc_sdf;

/* Builds a field: `resolution` cells along the longest side of the mesh; a band of at least `margin` m and four cells.
 * The mesh must be closed, with triangles counter-clockwise seen from outside; it may intersect itself. Returns NULL
 * and a message on failure. `threads` 0: all processors; the result is bitwise the same for any number of threads. */
prc_sdf *prc_sdf_build(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error);
prc_sdf *prc_sdf_copy(const prc_sdf *field, prc_error *error);
void prc_sdf_destroy(prc_sdf *field);

/* Distance at a point, m (negative inside, limited to the band), and its gradient where not NULL. */
double prc_sdf_distance(const prc_sdf *field, const double x[3], double gradient[3]);
/* The width of the band on one side, m; and an upper bound of the length of the gradient outside the collider. */
double prc_sdf_band(const prc_sdf *field);
double prc_sdf_lipschitz(const prc_sdf *field);

/* Saves and loads a field, because building one can take long. Loading returns NULL and a message if the file is
 * damaged, comes from another version or kind of machine, or belongs to another mesh, resolution or margin. */
prc_result prc_sdf_save(const prc_sdf *field, const char *path, prc_error *error);
prc_sdf *prc_sdf_load(const char *path, const prc_mesh *mesh, int resolution, double margin, prc_error *error);

#ifdef __cplusplus
}
#endif
#endif
