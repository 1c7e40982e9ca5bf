/* torture/hands.h — what a caller does between two steps: everything that percale/live.h allows, and states that are
 * set. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_HANDS_H
#define PRC_TORTURE_HANDS_H

#include <percale/percale.h>

#include <stdbool.h>
#include <stdint.h>

#define MOST_HELD 16 /* bodies, colliders, pins of a scene whose numbers are changed */

/* The def as it has become, with memory of its own for what is changed. */
typedef struct hands {
    uint64_t seed; /* 0: nothing is ever done */
    prc_sim_def def;
    prc_body_def bodies[MOST_HELD];
    prc_collider_def colliders[MOST_HELD];
    prc_pin_def pins[MOST_HELD];
} hands;

/* The same seed does the same to the same simulation. The def's meshes and keys are used as they are. */
void hands_begin(hands *h, uint64_t seed, const prc_sim_def *def);

/* Before a step. Refusals are fine, whatever else fails is told (PRC_OK: nothing). *anew: the state or what is in it
 * has been replaced, so that what was known of the one before does not hold any more. */
prc_result hands_act(hands *h, int step, prc_sim **sim, bool *anew, prc_error *error);

#endif
