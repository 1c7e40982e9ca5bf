/* model/rings.h — the rings of all bodies that have any, as a graph and as fields.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_RINGS_H
#define PRC_MODEL_RINGS_H

#include "model/kind.h"

/* Fills m->graph and the internal order of the vertices, caller_of and internal_of; false when out of memory. */
bool prc_rings_join(prc_model *m, const prc_part *parts);
/* Sizes of the view, its memory, and all fields of bonds. */
prc_result prc_rings_fill(prc_model *m, prc_error *error);
/* What a unit move of one vertex of ring i does: squared residuals, squared curvature. The vertex is the end of bond
 * `mover`, or i itself where that is negative. */
void prc_ring_unit_move(const prc_graph *g, int i, int mover, double *ss, double *kk);

#endif
