/* model/rest.h — the rest shape of every ring: tangent plane, weights, curvature fit.
 * docs/theory.md, section 2. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_REST_H
#define PRC_MODEL_REST_H

#include <percale/sim.h>

#include "mesh/topology.h"
#include "model/law.h"

/* One value (or several) per ring neighbour, in the order of the topology. */
typedef struct prc_rest_shape {
    double *area;      /* per vertex, m² */
    double *q;         /* per vertex, 1/m² */
    double *curvature; /* 3 per vertex: K z⁰ */
    double *x;         /* 2 per bond */
    double *b;         /* 2 per bond: gradient weights */
    double *f;         /* 2 per bond: force weights */
    double *k;         /* 3 per bond: curvature fit times sqrt(a D) */
} prc_rest_shape;

/* `positions`: 3 per vertex of the rest shape. `law_of` gives the material of each vertex. Failure leaves *rest zeroed.
 */
prc_result prc_rest_build(prc_rest_shape *rest, const prc_topology *topology, const prc_mesh *mesh,
                          const double *positions, const prc_law *laws, const int *law_of,
                          prc_discretisation discretisation, prc_error *error);
/* The curvature fit of one ring (theory.md, Eq. 2.4): `hessian` gets 3 rows (11, 12, 22) per neighbour, and their sum
 * times the heights over the tangent plane is the Hessian of the surface. x, b: 2 per neighbour. */
void prc_rest_hessian(int size, const double *x, const double *b, double *hessian);
void prc_rest_release(prc_rest_shape *rest);

#endif
