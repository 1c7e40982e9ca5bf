/* scene/instances.h — the same body, obstacle or collider several times.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_INSTANCES_H
#define PRC_SCENE_INSTANCES_H

#include "scene/reader.h"

/* Puts a copy for each instance into the lists of scene->spec, numbered in instances.written and instances.number; the
 * lists as the file wrote them go to scene->written, which owns what the copies share. False after an error. */
bool prc_scene_expand(const prc_scene_log *log, prc_scene *scene);
/* Undoes it: the lists are again those that own. */
void prc_scene_collapse(prc_scene *scene);

/* Where an instance is, against the first: turned about a center, then moved. */
typedef struct prc_instance_pose {
    double turn[3][3];
    double center[3], offset[3];
    prc_rotate_def rotate;
} prc_instance_pose;

void prc_instance_pose_make(prc_instance_pose *pose, const prc_instances_spec *spec);
void prc_instance_move(const prc_instance_pose *pose, double point[3]);
void prc_instance_turn(const prc_instance_pose *pose, double direction[3]);
void prc_instance_move_mesh(const prc_instance_pose *pose, prc_mesh *mesh);
/* A rotation, and this turn after it. */
void prc_instance_turn_rotation(const prc_instance_pose *pose, prc_rotate_def *rotate);
/* Keys are copied; false when out of memory. */
bool prc_instance_move_motion(const prc_instance_pose *pose, prc_scene *scene, prc_motion_def *motion);

#endif
