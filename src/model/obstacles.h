/* model/obstacles.h — obstacles as vertices, triangles and edges of the model.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_OBSTACLES_H
#define PRC_MODEL_OBSTACLES_H

#include "model/model.h"

/* A shell is the surface of a collider that is a mesh (collider/shell.h). It goes with the obstacles, after all others,
 * and is marked by a thickness that no def of a caller has: its own is 0. */
#define PRC_SHELL_THICKNESS (-1.0)

static inline bool prc_obstacle_is_shell(const prc_obstacle_def *obstacle)
{
    return obstacle->contact_thickness < 0;
}

/* Adds the triangles and segments of the obstacles to the counts of the model; returns how many vertices they have. */
long prc_obstacles_count(prc_model *model, const prc_sim_def *def);
/* Counts the shells among them; returns how many vertices they have. */
long prc_shells_count(prc_model *model, const prc_sim_def *def);
/* Fills in bodies, positions, triangles (from `corner` on) and segments of the obstacles. */
void prc_obstacles_fill(prc_model *model, const prc_sim_def *def, int *corner);

#endif
