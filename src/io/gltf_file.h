/* io/gltf_file.h — the numbers of a glTF 2.0 file: its JSON text, buffers, views and accessors.
 *
 * Follows the specification of Khronos (ISO/IEC 12113:2022), sections 3.6 and 4. Buffers may be the binary chunk of a
 * GLB file, base64 in a data: URI, or files beside the glTF file or below its folder. All ranges that accessors refer
 * to are checked when the file is opened. Sparse accessors are read. Leaves out accessors without a view, which are all
 * zeros, and compressing extensions. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_GLTF_FILE_H
#define PRC_IO_GLTF_FILE_H

#include "io/json_read.h"
#include "io/mesh_file.h"

typedef struct prc_gltf_buffer {
    const unsigned char *data;
    uint64_t size;
    void *own; /* to be freed, or NULL */
} prc_gltf_buffer;

typedef struct prc_gltf_view {
    const unsigned char *data;
    uint64_t size;
    int stride; /* 0: as long as an element */
} prc_gltf_view;

/* Numbers in a view, one element after the other. */
typedef struct prc_gltf_array {
    const unsigned char *data; /* of the first element; NULL: there is none */
    uint64_t count;
    int kind, components, stride; /* kind: 5120 to 5126, as glTF says */
    bool normalized;
} prc_gltf_array;

typedef struct prc_gltf_accessor {
    prc_gltf_array base;
    prc_gltf_array sparse_indices, sparse_values; /* what replaces some elements of it */
} prc_gltf_accessor;

typedef struct prc_gltf {
    const char *path;
    prc_error *error;
    prc_json_tree tree;
    const prc_json_value *root;
    const unsigned char *chunk; /* the binary one of a GLB file, or NULL */
    uint64_t chunk_size;
    prc_gltf_buffer *buffers;
    prc_gltf_view *views;
    prc_gltf_accessor *accessors;
    int buffer_count, view_count, accessor_count;
    uint64_t loaded; /* bytes of buffers that are not in the file itself */
} prc_gltf;

/* Reads everything but the numbers. To be closed in any case. */
prc_result prc_gltf_open(prc_gltf *gltf, const prc_mesh_source *source, prc_error *error);
void prc_gltf_close(prc_gltf *gltf);

/* The array of this name in the document; NULL where there is none. What is no array is refused on opening. */
const prc_json_value *prc_gltf_list(const prc_gltf *gltf, const char *key);
/* A whole number 0 to count − 1 under this key of an object; −1 where there is none. `where` names the object:
 * "meshes[3]". */
prc_result prc_gltf_index(const prc_gltf *gltf, const prc_json_value *object, const char *where, const char *key,
                          int count, int *index);
/* As many numbers as wanted; *found says whether they are there. */
prc_result prc_gltf_numbers(const prc_gltf *gltf, const prc_json_value *object, const char *where, const char *key,
                            int count, double *numbers, bool *found);

/* The numbers of an accessor, as reals (integers that are normalized become 0 to 1 or −1 to 1), or as indices. `to` has
 * room for them all. What is not finite, or is no index, is refused. */
prc_result prc_gltf_read_reals(const prc_gltf *gltf, int accessor, double *to);
prc_result prc_gltf_read_indices(const prc_gltf *gltf, int accessor, uint32_t *to);

#endif
