/* contact/rigid.h — obstacles that wait as a whole: kernel/rigid.h, for all of a contact set.
 *
 * Between steps the host knows where they are, wherever steps are computed. In a step: aim each; ask for moves and
 * perhaps shorten them; the safe moves of contact/move.c keep them whole; accept what has been tried; settle at the
 * end. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CONTACT_RIGID_H
#define PRC_CONTACT_RIGID_H

#include "kernel/rigid.h"
#include "model/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_contact_set prc_contact_set;

typedef struct prc_rigids {
    prc_rigid *of; /* one per obstacle, in their order */
    int count;
    int first_body; /* that of the first */
    double *own;    /* 3 per vertex of all obstacles: its point in the own frame, m */
    bool move;      /* some of them moves in this step */
} prc_rigids;

/* All vertex by vertex, until they are given a shape. */
prc_result prc_rigids_create(prc_rigids *rigids, const prc_model *model, prc_error *error);
void prc_rigids_release(prc_rigids *rigids);
/* Obstacle k waits as a whole from now on: its points (3 numbers per vertex, m) are moved by poses alone, and are now
 * where `pose` has them. */
void prc_rigids_shape(prc_rigids *rigids, const prc_model *model, int k, const double *points, const prc_pose *pose);
/* The pose of the own frame when a motion has its points. */
prc_pose prc_rigid_from_motion(const prc_rigid *r, const prc_pose *motion);
/* After positions were set: where they are then. Those that are no images of their points wait vertex by vertex. */
void prc_rigids_find(prc_rigids *rigids, const prc_model *model, const double *x, int stride);

/* Notes where they are before a step, and puts them back there. */
void prc_contact_rigids_mark(prc_contact_set *set);
void prc_contact_rigids_give_up(prc_contact_set *set);
/* Begins a step for obstacle k, at the end of which its motion should have it at a pose. Tries all of its way. */
void prc_contact_rigid_aim(prc_contact_set *set, int k, const prc_pose *motion);
/* Tries as much of the rest of their ways as takes no vertex farther than `longest` (m), from y: fills their part of
 * the moves p. */
void prc_contact_rigids_ask(prc_contact_set *set, double longest, const double *y, double *p);
/* Tries a part, or all, of what they were asked for last. */
void prc_contact_rigids_ask_less(prc_contact_set *set, double part, const double *y, double *p);
/* What was tried has been done. */
void prc_contact_rigids_accept(prc_contact_set *set);
/* The step is accepted. */
void prc_contact_rigids_settle(prc_contact_set *set);
/* Keeps how far they have come, on the CPU, and goes back there. */
void prc_contact_rigids_keep(prc_contact_set *set);
void prc_contact_rigids_go_back(prc_contact_set *set);

/* For contact/move.c, on the CPU. Those of which a vertex is marked become static, as a whole. */
void prc_contact_rigids_hold(prc_contact_set *set, const double *y, const double *p, double *out);
/* In a prediction: the parts `next` of their ways that a round leaves vertices become the least of each. */
void prc_contact_rigids_hold_back(prc_contact_set *set, double *next);

#ifdef __cplusplus
}
#endif

#endif
