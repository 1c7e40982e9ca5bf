/* app/draw/playback.h — input for pictures: the frames of a run, numbered meshes, or one mesh; and the scene of the
 * run, for its colliders and camera.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_DRAW_PLAYBACK_H
#define PRC_DRAW_PLAYBACK_H

#include <percale/percale.h>

#include "io/colliders.h"
#include "io/ply.h"

typedef struct prc_playback prc_playback;

/* One frame; released with prc_playback_frame_release. */
typedef struct prc_playback_frame {
    prc_mesh mesh;           /* its properties are the fields */
    prc_ply_extra extra;     /* obstacles, and edges that belong to no triangle */
    double time;             /* s */
    prc_colliders colliders; /* where it says that they are, without their meshes */
} prc_playback_frame;

/* `path` is the folder of a run, any folder with numbered meshes, a pattern (walk_%04d.obj) or a mesh file. `scene` is
 * the scene of the run where it is not where it was, or NULL. A scene that cannot be read is no failure: see
 * prc_playback_note. NULL and a message on failure. */
prc_playback *prc_playback_open(const char *path, const char *scene, prc_error *error);
void prc_playback_close(prc_playback *playback);

int prc_playback_count(const prc_playback *playback);
int prc_playback_number(const prc_playback *playback, int k); /* that frame k has in its name */
const char *prc_playback_file(const prc_playback *playback, int k);
/* NULL where there is no scene. */
const prc_sim_def *prc_playback_def(const prc_playback *playback);
/* Why there is no scene where one was expected, one line; "" where all is well. */
const char *prc_playback_note(const prc_playback *playback);
double prc_playback_rate(const prc_playback *playback); /* frames per second of simulated time; 0: not known */
/* The time of frame k, from the first lines of its file; s. */
double prc_playback_time(const prc_playback *playback, int k);
/* Zeroed after a failure. */
prc_result prc_playback_read(const prc_playback *playback, int k, prc_playback_frame *frame, prc_error *error);
void prc_playback_frame_release(prc_playback_frame *frame);

#endif
