/* model/kind.h — what each kind of body brings to the model: one table of functions per kind.
 *
 * A body becomes a part while the model is built. model.c goes through the parts and asks their kinds. After that the
 * engine goes by what vertices have: rings [0, ring_count), mass [0, elastic_count), a surface. Only contact asks for
 * the kind once more, for thickness (bodies.c) and rest shape (rest.c).
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_KIND_H
#define PRC_MODEL_KIND_H

#include "mesh/topology.h"
#include "model/model.h"
#include "model/rest.h"

/* One body while the model is built. */
typedef struct prc_part {
    prc_topology topology;  /* of bodies with rings; else empty */
    prc_rest_shape rest;    /* … the same */
    double *rest_positions; /* 3 per vertex */
    int *law_of;            /* per vertex: row of the material table */
} prc_part;

/* The constants of a vertex, in the order of the REAL fields of the same names. */
enum prc_vertex_value {
    PRC_VALUE_AREA, /* of the ring: 0 where there is none */
    PRC_VALUE_MASS,
    PRC_VALUE_INVERSE_MASS,
    PRC_VALUE_RING_Q,
    PRC_VALUE_STABILISE,
    PRC_VALUE_STABILISE_NORMAL,
    PRC_VALUE_CENTER_B0,
    PRC_VALUE_CENTER_B1,
    PRC_VALUE_CENTER_SS,
    PRC_VALUE_CENTER_KK,
    PRC_VALUE_CURVATURE,
    PRC_VALUE_DAMPING = PRC_VALUE_CURVATURE + 3,
    PRC_VALUES
};

typedef struct prc_kind {
    bool has_rings; /* its vertices have rings, and the triangles of its mesh are part of the surface */
    /* Whether the mesh will do; may be NULL. */
    prc_result (*check)(const prc_body_def *def, prc_error *error);
    /* Fills a part that is zeroed; `laws` has its materials from row first_law on. What is there after a failure is
     * released as if it were whole. */
    prc_result (*build)(prc_part *part, const prc_body_def *def, const prc_law *laws, int first_law, prc_error *error);
    /* Vertex `local` of the part, vertex i of the model: fills `values`, which are 0; returns the area (m²) that wind,
     * pressure and forces act on. */
    double (*measure)(const prc_model *model, const prc_part *part, const prc_body_def *def, int local, int i,
                      double *values);
} prc_kind;

extern const prc_kind prc_kind_membrane, prc_kind_particles;

/* That of a body that passed the schema's check. */
const prc_kind *prc_kind_of(const prc_body_def *def);
void prc_part_release(prc_part *part);

#endif
