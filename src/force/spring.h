/* force/spring.h — springs between vertices, points of edges and fixed places; stitches of seams.
 *
 * A spring is a row of a prc_active_set, as a contact is: a force and a stiffness between two sides of up to four
 * vertices. So the backend's functions for rows serve both. docs/theory.md, section 11.1.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FORCE_SPRING_H
#define PRC_FORCE_SPRING_H

#include <percale/live.h>

#include "kernel/spring.h"
#include "model/model.h"

/* Constant but for the rows and what is said to be of the step; no part of the state. */
typedef struct prc_spring_set {
    int count;
    int own; /* … of the def; what follows is room for grabs, once there has been one */
    prc_spring *springs;
    prc_active_set rows; /* as of the last evaluation */
    double (*span)[3];   /* work space, one per row */
    prc_spring *device;  /* the same on a device, where there is one; those of the host then know of no step */
} prc_spring_set;

prc_result prc_springs_create(prc_spring_set *set, const prc_sim_def *def, const prc_model *model, prc_error *error);
void prc_springs_release(prc_spring_set *set);

/* Room for `more` springs after those of the def, that do nothing yet. Failure leaves the set as it was. Where there is
 * a device, it has to be given the set anew. */
prc_result prc_springs_make_room(prc_spring_set *set, int more, const prc_model *model, prc_error *error);
/* Spring k as the grab says, or nothing where that is NULL. */
void prc_springs_put(prc_spring_set *set, int k, const prc_grab_def *grab, const prc_model *model);

/* The step from positions x (3 × stride) to the time `end`, `step` long. */
void prc_springs_begin(prc_spring_set *set, const double *x, int stride, double end, double step);
/* Rows at the spans base + `span`: what the displacement adds to them. */
void prc_springs_evaluate(prc_spring_set *set, double step);
/* Vector from `tie` to `to` of spring k at positions x. */
void prc_spring_span(const prc_spring_set *set, int k, const double *x, int stride, double span[3]);
/* Rest length at a time; and tension at a length, N, damping left out. */
double prc_spring_rest(const prc_spring *spring, double time);
double prc_spring_tension(const prc_spring *spring, double length, double rest);

#endif
