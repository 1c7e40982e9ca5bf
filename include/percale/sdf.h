/* percale/sdf.h — closed meshes as fields of signed distances.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_SDF_H
#define PERCALE_SDF_H

#include <percale/mesh.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Signed distances to a closed mesh on a grid of cubes, interpolated between its nodes. A collider that has a mesh is
 * that mesh, and its field says how deep inside cloth is at the start, and the way out. One that has a field alone is
 * where the field is negative: within a fraction of a cell of the mesh it was made of, but corners are rounded and
 * parts thinner than a cell may be lost. Beyond its band, the distance that the field covers on either side of the
 * surface, it says no more than that a point is at least that far away. */
typedef struct prc_sdf prc_sdf;

/* Builds a field: `resolution` cells along the longest side of the mesh; a band of at least `margin` m and four cells.
 * The mesh has to be closed, its triangles counter-clockwise seen from outside; it may intersect itself. NULL and a
 * message on failure. `threads` 0: all processors. The same bits for any number of them. */
prc_sdf *prc_sdf_build(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error);
prc_sdf *prc_sdf_copy(const prc_sdf *field, prc_error *error);
void prc_sdf_destroy(prc_sdf *field);

/* Distance at a point, m (negative inside, limited to the band), and its gradient where not NULL. */
double prc_sdf_distance(const prc_sdf *field, const double x[3], double gradient[3]);
/* The band, m; and a bound of the gradient's length outside of the collider. */
double prc_sdf_band(const prc_sdf *field);
double prc_sdf_lipschitz(const prc_sdf *field);

/* Files, for keeping a field that took long to build. A load gives NULL and a message where the file is damaged, of
 * another version or machine, or not of this mesh, resolution and margin. */
prc_result prc_sdf_save(const prc_sdf *field, const char *path, prc_error *error);
prc_sdf *prc_sdf_load(const char *path, const prc_mesh *mesh, int resolution, double margin, prc_error *error);

#ifdef __cplusplus
}
#endif
#endif
