/* constraint/obstacle.h — prescribed positions of the vertices of obstacles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONSTRAINT_OBSTACLE_H
#define PRC_CONSTRAINT_OBSTACLE_H

#include <percale/sim.h>

#include "kernel/pose.h"

typedef struct prc_obstacle {
    int vertex_count;
    double *shape; /* 3 per vertex: before the motion, m */
    void (*animate)(void *context, double time, double *positions);
    void *context;
    prc_motion_def motion;
    prc_pose_key *keys; /* of the motion */
} prc_obstacle;

/* Copies what it needs of the def, apart from what the animation reads. */
prc_result prc_obstacle_create(prc_obstacle *obstacle, const prc_obstacle_def *def, prc_error *error);
void prc_obstacle_release(prc_obstacle *obstacle);

/* Where the vertices have to be at `time`, given the pose of then, 3 numbers each; false where some of them are not
 * finite. */
bool prc_obstacle_target(prc_obstacle *obstacle, double time, const prc_pose *pose, double *target);

#endif
