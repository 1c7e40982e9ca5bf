/* evidence/answers.h — answers computed without the engine: formulas, shooting, Ritz' method.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_EVIDENCE_ANSWERS_H
#define PRC_EVIDENCE_ANSWERS_H

#include <percale/material.h>

/* Nominal principal stresses (N/m) at principal stretches, from the formula of the model. */
void ev_answer_stress(const prc_material_def *def, double l1, double l2, double stress[2]);
/* The second principal stretch of a strip that is pulled to l1 with free edges: stress[1] = 0. */
double ev_answer_free_stretch(const prc_material_def *def, double l1);

/* An inextensible strip of length 1 and bending stiffness 1, clamped level at s = 0, with a dead load: `weight` per
 * length, `end` at the tip, both downwards. Fills x, z (z ≤ 0) at `count` + 1 equidistant points. */
void ev_answer_elastica(double weight, double end, int count, double *x, double *z);

/* Sag of an inextensible string of length 1 across `span`. */
double ev_answer_catenary(double span);

/* The lowest `count` nonzero eigenvalues ω² of a free square plate, side, stiffness and mass 1 (Ritz' method with
 * products of Legendre polynomials). */
void ev_answer_plate(double poisson, int count, double *eigenvalues);

/* The lowest `count` eigenvalues of a symmetric matrix (destroyed), row-major n × n, by Householder tridiagonalisation
 * and Sturm bisection. */
void ev_eigenvalues(int n, double *matrix, int count, double *eigenvalues);

#endif
