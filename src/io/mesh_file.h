/* io/mesh_file.h — the readers of mesh files, one per format.
 *
 * Each takes a whole file in memory and fills *mesh, which must be zeroed; on failure, the caller, prc_mesh_parse,
 * releases it. Numbers are read in the locale of the calling thread, see there.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_MESH_FILE_H
#define PRC_IO_MESH_FILE_H

#include <percale/mesh.h>

#define PRC_MOST_MESH_BYTES (2ull << 30) /* of a mesh file, which is read as a whole */

typedef struct prc_mesh_source {
    const char *path; /* for messages; its ending says the format */
    char *data;       /* followed by a zero byte; readers may change it */
    size_t size;
    bool split_texture;
    prc_mesh_report *report; /* never NULL */
    bool points;             /* vertices alone will do */
} prc_mesh_source;

typedef prc_result prc_mesh_reader(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error);

prc_mesh_reader prc_obj_parse, prc_ply_parse, prc_stl_parse, prc_msh_parse, prc_vtk_parse, prc_gltf_parse;

/* Chooses the reader by the ending of source->path. Fills *mesh or leaves it zeroed. */
prc_result prc_mesh_parse(prc_mesh *mesh, const prc_mesh_source *source, prc_error *error);

#endif
