/* model/obstacles.h — obstacles as vertices, triangles and edges of the model.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_OBSTACLES_H
#define PRC_MODEL_OBSTACLES_H

#include "model/model.h"

/* Adds the triangles and segments of the obstacles to the counts of the model; returns how many vertices they have. */
long prc_obstacles_count(prc_model *model, const prc_sim_def *def);
/* Fills in bodies, positions, triangles (from `corner` on) and segments of the obstacles. */
void prc_obstacles_fill(prc_model *model, const prc_sim_def *def, int *corner);

#endif
