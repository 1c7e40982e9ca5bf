/* scene/instances.h — copies of bodies, obstacles and colliders.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_INSTANCES_H
#define PRC_SCENE_INSTANCES_H

#include "scene/reader.h"

/* Puts a copy for each instance into the lists of scene->spec, numbered in instances.written and instances.number; the
 * lists as in the file go to scene->written, which owns the data that copies share. False after an error. */
bool prc_scene_expand(const prc_scene_log *log, prc_scene *scene);
/* Undoes it: scene->spec has the original lists again. */
void prc_scene_collapse(prc_scene *scene);

/* The pose of an instance relative to the first: rotated about a center, then translated. */
typedef struct prc_instance_pose {
    double turn[3][3];
    double center[3], offset[3];
    prc_rotate_def rotate;
} prc_instance_pose;

void prc_instance_pose_make(prc_instance_pose *pose, const prc_instances_spec *spec);
void prc_instance_move(const prc_instance_pose *pose, double point[3]);
void prc_instance_turn(const prc_instance_pose *pose, double direction[3]);
void prc_instance_move_mesh(const prc_instance_pose *pose, prc_mesh *mesh);
/* Applies the rotation of the pose after the given one. */
void prc_instance_turn_rotation(const prc_instance_pose *pose, prc_rotate_def *rotate);
/* Keys are copied; false when out of memory. */
bool prc_instance_move_motion(const prc_instance_pose *pose, prc_scene *scene, prc_motion_def *motion);

#endif
