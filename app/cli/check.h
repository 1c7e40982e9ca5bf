/* app/cli/check.h — shared by the files of `percale check`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_CHECK_H
#define PRC_CLI_CHECK_H

#include <percale/percale.h>

#include "check/check.h"
#include "check/collider.h"
#include "io/colliders.h"
#include "io/ply.h"

#define PRC_CHECK_PATH 1100
#define PRC_CHECK_SHOWN 3 /* crossings, and meetings with colliders, of a frame that are described */

typedef struct prc_check_range {
    int first, last;
} prc_check_range;

/* A frame, and what was found in it. */
typedef struct prc_checked {
    const char *name;
    prc_mesh *mesh;
    const prc_ply_extra *extra;
    int *shapes, shape_count; /* see shapes.h: triangles first, then edges, then points */
    int loose;                /* vertices that belong to nothing and are not looked at */
    const prc_colliders *colliders;
    prc_check_result surfaces;
    prc_check_collider_result entered;
} prc_checked;

typedef struct prc_check_job {
    const char *path, *pairs;
    prc_check_range frames, obstacles;
    bool quiet;
    prc_colliders colliders;
    /* what was found */
    int checked, bad_frames, crossing_frames, entered_frames;
    long long tested, crossings, meetings;
    char first_bad[PRC_CHECK_PATH], nearest_frame[PRC_CHECK_PATH], near_frame[PRC_CHECK_PATH];
    prc_check_nearest nearest;
    bool has_near;
    prc_check_meeting near;             /* the item that is nearest to a collider; the number of that as in the scene */
    char deepest[PRC_CHECK_PATH + 300]; /* where something is deepest inside a collider, in words */
    double depth;
    /* what was not looked at */
    int without_poses; /* frames that do not say where colliders are */
    char first_without[PRC_CHECK_PATH];
    int unknown_colliders; /* the most in a frame that have no pose in it */
    int loose;             /* vertices that belong to nothing */
} prc_check_job;

/* ---- check_tell.c ---- */

void prc_check_tell_frame(const prc_check_job *job, const prc_checked *frame);
void prc_check_tell_summary(const prc_check_job *job);
/* "triangle 7 8 15 of 'cloth' is 4.1 mm inside colliders[0] at (0, 1, 2)". */
void prc_check_tell_meeting(const prc_checked *frame, const prc_check_meeting *meeting, char *text, size_t size);

/* ---- check_pairs.c ---- */

/* Writes the triangles of a frame that cross others or meet colliders; takes them from its mesh. */
prc_result prc_check_write_offenders(const char *path, prc_checked *frame, prc_error *error);

#endif
