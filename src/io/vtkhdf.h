/* io/vtkhdf.h — a time series of one mesh as a VTKHDF file, which ParaView opens.
 *
 * VTKHDF 2.0, an UnstructuredGrid with Steps: the cells are stored once, every frame adds positions and fields. The
 * file is readable at any time, even if the writer is killed: frames are written first, then their description to a
 * place that the valid description does not use, then, in one write, the first 192 bytes of the file, which switch from
 * one description to the next. At their end is a note for this writer only: where frames are, to continue later. Little
 * endian only; big-endian machines are refused. Leaves out reading and compression.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_VTKHDF_H
#define PRC_IO_VTKHDF_H

#include <percale/base.h>

#define PRC_VTKHDF_FIELDS 14

/* Values per point of every frame. */
typedef struct prc_vtkhdf_field {
    const char *name; /* outlives the writer */
    int components;
    int stride; /* from vertex to vertex in the values that are given; 0: as many as there are components */
} prc_vtkhdf_field;

/* What does not change; read by prc_vtkhdf_open only, but for the names. */
typedef struct prc_vtkhdf_def {
    int vertex_count, triangle_count, edge_count;
    const int *triangles; /* 3 vertices each */
    const int *edges;     /* 2 each; a vertex of neither is a cell of its own */
    const int *body;      /* per vertex: point and cell data `body` */
    const bool *obstacle; /* per vertex: point data `obstacle`; NULL: there are none */
    prc_vtkhdf_field fields[PRC_VTKHDF_FIELDS];
    int field_count;
    bool is_double; /* positions and fields are kept in double precision */
} prc_vtkhdf_def;

typedef struct prc_vtkhdf prc_vtkhdf;

/* Starts a file (frames < 0), which appears with its first frame and takes the place of an older one; or goes on with
 * one, after its first `frames` frames: later ones are forgotten. NULL and a message when it cannot. */
prc_vtkhdf *prc_vtkhdf_open(const char *path, const prc_vtkhdf_def *def, int frames, prc_error *error);
/* Adds a frame; `positions` has 3 values per vertex, values[f] those of field f. A frame that fails
 * leaves the file with those before it. The first frame can be read at once, later ones after a while or a flush. */
prc_result prc_vtkhdf_add(prc_vtkhdf *file, double time, const double *positions, const double *const *values,
                          prc_error *error);
/* Frames that can be read, whatever happens now. */
int prc_vtkhdf_described(const prc_vtkhdf *file);
/* Makes all frames readable, and has the system store them. */
prc_result prc_vtkhdf_flush(prc_vtkhdf *file, prc_error *error);
/* Flushes and releases the file; closing NULL does nothing. */
prc_result prc_vtkhdf_close(prc_vtkhdf *file, prc_error *error);

#endif
