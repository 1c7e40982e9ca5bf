/* app/cli/parts.h — the bodies and obstacles of a frame, in the order of animation files: one after the other.
 *
 * A frame of a run tells the body of each vertex. Otherwise, vertices marked as obstacles form one obstacle, and groups
 * of a mesh are bodies if they are contiguous ranges of vertices that share no triangle; if not, the mesh is one body.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_PARTS_H
#define PRC_CLI_PARTS_H

#include "io/obj_write.h"
#include "source.h"

typedef struct prc_parts {
    prc_obj_part *items; /* names and textures belong to the frame */
    int count, body_count;
    int *triangles, *edges; /* by part */
} prc_parts;

/* The frame must outlive the parts. */
prc_result prc_parts_find(prc_parts *parts, const prc_source_frame *frame, prc_error *error);
void prc_parts_release(prc_parts *parts);

#endif
