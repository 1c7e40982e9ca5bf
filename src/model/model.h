/* model/model.h — all data of a scene that do not change during a simulation.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_MODEL_H
#define PRC_MODEL_MODEL_H

#include <percale/sim.h>

#include "backend/backend.h"
#include "model/law.h"

typedef struct prc_body {
    int first_vertex, vertex_count; /* in the caller's order */
} prc_body;

/* Particles are vertices with mass and without bonds. Vertices of obstacles are vertices like others, after those of
 * the bodies and in the caller's order, with neither bonds nor area nor mass: rings and sums pass over them, contact
 * does not. */

/* Bonds in internal order as plain lists, in double: for set-up work that is not a stage. */
typedef struct prc_graph {
    int *ring_start, *ring;
    double *length;    /* rest length of the bond in the tangent plane, m */
    double *x, *b, *f; /* 2 per bond */
    double *k;         /* 3 per bond */
} prc_graph;

typedef struct prc_model {
    const prc_backend *backend; /* where the simulation runs */
    const prc_backend *host;    /* the CPU: for what is made and kept on the host */
    int vertex_count, body_count, law_count;
    int elastic_count;  /* vertices of bodies: [0, elastic_count) in both orders */
    int ring_count;     /* … of membranes: [0, ring_count) in internal order; particles, without rings, follow */
    int obstacle_count; /* the last ones of the bodies */
    int shell_count; /* the last ones of these: surfaces of colliders (model/obstacles.h), which callers do not see */
    int shown_count; /* vertices without theirs: [0, shown_count) in both orders */
    prc_body *bodies;
    prc_law *laws;
    int *caller_of;   /* internal → caller */
    int *internal_of; /* caller → internal */
    prc_graph graph;
    int *triangles; /* 3 each, internal */
    int triangle_count;
    int *segments; /* 2 each, internal: edges of obstacles that belong to no triangle */
    int segment_count;
    int *body_of;           /* internal */
    double *rest_positions; /* internal, 3 per vertex, each body in its own frame */

    /* internal order */
    double *area, *mass, *mass_damping;
    double *position, *velocity; /* at time 0, 3 per vertex, caller's order */
    double total_mass;
    bool has_damping;

    prc_view view; /* every array allocated; constants filled */
} prc_model;

#ifdef __cplusplus
extern "C" {
#endif

/* Expects a def that passed prc_schema_check_sim. */
prc_result prc_model_build(prc_model *model, const prc_sim_def *def, prc_error *error);
void prc_model_release(prc_model *model);

/* Whether only a device has it, in single precision (kernel/thin.h). */
bool prc_field_is_thin(enum prc_field field);
/* Bytes of a field, where the view is: on the host, or on a device. */
size_t prc_view_field_size(const prc_view *view, enum prc_field field, size_t real_size);

/* Memory on the host for all fields of a view whose sizes are set, zeroed. */
prc_result prc_view_allocate(prc_view *view, const prc_backend *backend, prc_error *error);

#ifdef __cplusplus
}
#endif

#endif
