/* torture/judge.h — what has to hold for every state, by code that the solver does not use.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_JUDGE_H
#define PRC_TORTURE_JUDGE_H

#include "run.h"

#include <percale/percale.h>

typedef struct judge {
    const prc_sim_def *def;
    int vertex_count;
    int *shapes, shape_count; /* triangles of all bodies and obstacles, needles and points among them as the checker
                                 wants them */
    double *radii,
        *thickness;   /* per vertex, m: of particles, 0 for others; of surfaces; NULL: there are no particles */
    bool *prescribed; /* vertices of obstacles; of pins for good too, unless these are judged as well */
    int *winding;     /* at the start: per closed surface and vertex, how often it goes around it; or NULL */
} judge;

/* `prescribed`: pins among themselves and against obstacles are judged as all else. False when out of memory. */
bool judge_open(judge *j, const prc_sim_def *def, prc_sim *sim, bool prescribed);
void judge_close(judge *j);

/* The state is finite and nothing in it crosses but what is exempt. False: `found` says what is wrong. */
bool judge_state(const judge *j, prc_sim *sim, const prc_step_report *report, outcome *found);
/* Nothing got into or out of a closed surface since judge_open, in between the states that were judged. */
bool judge_sides(const judge *j, prc_sim *sim, outcome *found);

#endif
