/* io/colliders.h — the colliders of a frame: comment lines at the head of a PLY or OBJ file.
 *
 *     colliders 2
 *     collider 0 box 0.6 0.02 0.4 pose 1 0 0 0 1 0 0 0 1 0 0.5 0
 *     collider 1 mesh collider_01.ply pose ...
 *
 * `colliders` gives the number of colliders in the scene, and is in every frame of a run, even if there are none; a
 * collider without a line has no known pose. Sizes are those of the scene: sphere radius; capsule and cylinder radius
 * length; cone radius radius_top length; box the three sides; plane none; mesh a PLY file in the folder of the frame.
 * The pose is a rotation matrix by rows, and a shift, from the frame of the collider (y along its axis, origin at its
 * center; for a mesh, that of its file) to the world. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_COLLIDERS_H
#define PRC_IO_COLLIDERS_H

#include <percale/live.h>
#include <percale/mesh.h>

#include "check/collider.h"

#define PRC_COLLIDER_LINE 560 /* of a line, with its end */
#define PRC_COLLIDER_MESH 32  /* of the name of a mesh file */

/* "collider_01.ply". */
void prc_collider_mesh_name(int number, char name[PRC_COLLIDER_MESH]);
/* Whether a name is that of such a file. */
bool prc_collider_is_mesh_name(const char *name);

/* The line of a collider, without its end, in as many digits as a double needs. */
void prc_collider_tell(char line[PRC_COLLIDER_LINE], int number, const prc_check_collider *collider);

typedef struct prc_collider_mesh {
    char *path;
    prc_mesh mesh;
} prc_collider_mesh;

/* What a file says. Zeroed before first use, released at the end; one that is read into again keeps its meshes. */
typedef struct prc_colliders {
    bool without_meshes; /* set by the caller: poses are enough, meshes are not read */
    int told;            /* how many there are; −1: the file does not say */
    int count;
    prc_check_collider *colliders; /* those with a pose; meshes are kept here */
    int *numbers;                  /* of each, as in the scene */
    prc_collider_mesh *meshes;
    int mesh_count;
} prc_colliders;

/* Reads the head of any file, in the calling thread's locale. A line that makes no sense is refused, by its number;
 * then nothing is told. */
prc_result prc_colliders_read(prc_colliders *colliders, const char *path, prc_error *error);
void prc_colliders_release(prc_colliders *colliders);

/* ---- collider_pose.c ---- */

/* The sizes of a collider, and its mesh, which stays that of the def. */
void prc_collider_measure(const prc_collider_def *def, prc_check_collider *collider);
/* Collider k of the sim, whose def is given, where it is now; false: it has no place (without contact nothing keeps
 * it), or it is a field without its mesh. */
bool prc_collider_now(const prc_collider_def *def, const prc_sim *sim, int k, prc_check_collider *collider);

#endif
