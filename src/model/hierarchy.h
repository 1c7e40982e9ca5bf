/* model/hierarchy.h — coarse levels for the preconditioner: smooth overlapping functions on subsets of the vertices.
 * docs/theory.md, section 6. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_HIERARCHY_H
#define PRC_MODEL_HIERARCHY_H

#include "model/model.h"

/* A sparse matrix by rows. */
typedef struct prc_rows {
    int count;
    int *start, *column;
    double *weight; /* NULL where only the pattern matters */
} prc_rows;

typedef struct prc_hierarchy {
    int level_count; /* coarse levels, 0 where there are none; level[0] is the one below the mesh */
    prc_level level[PRC_LEVELS];
    prc_rows prolongation[PRC_LEVELS]; /* rows: nodes of the finer level */
    prc_rows restriction[PRC_LEVELS];  /* its transpose */

    prc_assembly assembly; /* of level 0 */

    /* Levels ≥ 1: pattern and values (9 per entry) of A P with A of the level before. */
    prc_rows product[PRC_LEVELS];
    double *product_block[PRC_LEVELS];

    void *dense;         /* REAL, (3 node_count)² of the coarsest level: work space of the inversion */
    void *dense_inverse; /* REAL, as prc_backend.dense wants it */
    int dense_leading;
} prc_hierarchy;

/* Builds the levels from the rest shape alone: Poisson-disk subsets, Shepard weights. A mesh too small for one gets
 * none. */
prc_result prc_hierarchy_build(prc_hierarchy *hierarchy, const prc_model *model, int threads, prc_error *error);
void prc_hierarchy_release(prc_hierarchy *hierarchy);

/* What each ring sees of each coarse function when `pinned` vertices do not move: slope, curvature, own weight. Called
 * again whenever the pins change. */
void prc_hierarchy_see(prc_hierarchy *hierarchy, const prc_model *model, const unsigned char *pinned);

#endif
