/* constraint/pin.h — vertices with prescribed positions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONSTRAINT_PIN_H
#define PRC_CONSTRAINT_PIN_H

#include <percale/sim.h>

#include "model/model.h"

typedef struct prc_pin {
    prc_pin_def def;    /* without its vertex list */
    prc_pose_key *keys; /* of its motion */
    int vertex_count;
    int *vertices;  /* internal */
    double *anchor; /* 3 per vertex: where it was when the pin took hold, m */
    bool holds;
    bool held;      /* before the step in progress, which may be given up */
    double *target; /* 3 per vertex: where it has to be at the end of the step, m; follows from the others */
} prc_pin;

prc_result prc_pin_create(prc_pin *pin, const prc_pin_def *def, const prc_model *model, prc_error *error);
void prc_pin_release(prc_pin *pin);

/* Whether it never lets go. */
bool prc_pin_is_for_good(const prc_pin_def *def);
/* Whether it never moves what it holds. */
bool prc_pin_rests(const prc_pin_def *def);

/* One that holds and rests holds its vertices where they are now (SoA, `stride` apart): something else than the pin has
 * put them there, and what rests is not looked at on a way back. */
void prc_pin_stay(prc_pin *pin, const double *position, int stride);
/* Whether a step makes the pin hold that does not yet: prc_pin_aim will want positions then. */
bool prc_pin_takes_hold(const prc_pin *pin, double start, double end);
/* Whether the pin holds at time `end` of a step, and where its vertices have to be then; takes hold from `position`
 * (SoA, `stride` apart) where it did not hold before. False where a target is not finite. */
bool prc_pin_aim(prc_pin *pin, double start, double end, const double *position, int stride);

#endif
