/* io/obj_write.h — frames as Wavefront OBJ.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_OBJ_WRITE_H
#define PRC_IO_OBJ_WRITE_H

#include <percale/base.h>

/* A run of vertices with the faces and edges that follow it, under a name. */
typedef struct prc_obj_part {
    const char *name; /* or NULL */
    int vertex_count, triangle_count, edge_count;
    const double *texture; /* 2 per vertex, or NULL */
    double radius;         /* m; above 0 every vertex is the centre of a ball: particles */
} prc_obj_part;

typedef struct prc_obj_frame {
    const prc_obj_part *parts; /* one after the other */
    int part_count;
    const double *positions; /* 3 per vertex, m */
    const int *triangles;    /* 3 vertices each, numbered over all parts */
    const int *edges;        /* 2 each */
    const char *comment;     /* or NULL; each of its lines becomes a comment line */
    bool is_double;          /* numbers with all digits of a double, not of a float */
} prc_obj_frame;

/* Writes the file, whole or not at all. */
prc_result prc_obj_write_frame(const char *path, const prc_obj_frame *frame, prc_error *error);

#endif
