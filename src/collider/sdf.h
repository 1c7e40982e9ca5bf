/* collider/sdf.h — builds distance fields. Their data are in kernel/sdf.h, the public interface in percale/sdf.h.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_COLLIDER_SDF_H
#define PRC_COLLIDER_SDF_H

#include <percale/sim.h>

#include "kernel/sdf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a field is known by: the same mesh, resolution and margin give the same key. */
uint64_t prc_sdf_key(const prc_mesh *mesh, int resolution, double margin);
/* The margin that the field of a collider needs, for the thickest body; half of its longest side at most, for nothing
 * is deeper inside, and what is farther outside is told by its surface. */
double prc_sdf_margin(const prc_sim_def *def, double longest_side);
double prc_sdf_longest_side(const prc_mesh *mesh);
/* The grid without its values, which are zero; checks that mesh and grid make sense. */
prc_sdf *prc_sdf_lay_out(const prc_mesh *mesh, int resolution, double margin, prc_error *error);
/* The bound of the gradient, from the values. */
void prc_sdf_measure(prc_sdf *field);
size_t prc_sdf_node_count(const prc_sdf *field);
/* PRC_ERROR_INPUT and why where a mesh is not closed, or encloses nothing. */
prc_result prc_sdf_check_mesh(const prc_mesh *mesh, prc_error *error);
/* As prc_sdf_build, but a mesh that is so thin that no node is inside has a field too. */
prc_sdf *prc_sdf_build_thin(const prc_mesh *mesh, int resolution, double margin, int threads, prc_error *error);
/* Where the field is zero: a closed mesh, oriented outwards, of vertices at which it is; empty where no node is inside.
 * Released with prc_mesh_release; failure leaves it empty. */
prc_result prc_sdf_surface(prc_mesh *mesh, const prc_sdf *field, prc_error *error);

/* As FNV-1a, 64 bits, but of words of 4 bytes. */
uint64_t prc_sdf_hash(uint64_t hash, const void *data, size_t size);
#define PRC_SDF_HASH 0xcbf29ce484222325u

#ifdef __cplusplus
}
#endif

#endif
