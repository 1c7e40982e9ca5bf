/* io/obj.h — Wavefront OBJ.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_OBJ_H
#define PRC_IO_OBJ_H

#include <percale/mesh.h>

/* Fills *mesh or leaves it zeroed. Texture coordinates are kept where every vertex has one and the same in all of its
 * corners; otherwise mesh->texture is NULL. Numbers are read in the calling thread's locale, see prc_mesh_read. */
prc_result prc_obj_read(prc_mesh *mesh, const char *path, prc_error *error);

#endif
