/* mesh/loops.h — the boundary of a mesh, as loops of edges.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MESH_LOOPS_H
#define PRC_MESH_LOOPS_H

#include <percale/mesh.h>

typedef struct prc_mesh_loops {
    int count;
    int *loop_of;   /* per vertex: its loop, −1 inside */
    double *length; /* per loop, m */
} prc_mesh_loops;

/* Finds the boundary loops: the longest is number 0. Of loops that are equally long, to a millionth, the one with the
 * smallest vertex number comes first. Failure leaves *loops zeroed. */
prc_result prc_mesh_loops_find(const prc_mesh *mesh, prc_mesh_loops *loops, prc_error *error);
void prc_mesh_loops_release(prc_mesh_loops *loops);

#endif
