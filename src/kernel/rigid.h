/* kernel/rigid.h — obstacles that wait as a whole: where they are, and how much of their way they have made.
 *
 * In a step such an obstacle goes from a pose to another one, its middle straight, its frame about a fixed axis, both
 * in proportion to a share. Its vertices are the images of its own points, always, so it keeps its shape to the last
 * digits. From one share to another its vertices go straight, each for itself: that is no rigid motion, but one that
 * crosses nothing is enough, and both of its ends are rigid. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_RIGID_H
#define PRC_KERNEL_RIGID_H

#include "kernel/pose.h"
#include "kernel/small.h"

#include <stdbool.h>
#include <stdint.h>

/* Plain data: a device has copies of it. */
typedef struct prc_rigid {
    int first, count;         /* its vertices */
    bool shaped;              /* it has a shape of its own: is not animated */
    bool whole;               /* … and waits as a whole; else vertex by vertex, and the rest means nothing */
    double middle[3], radius; /* of its points, m: its own frame has its origin there */
    prc_pose now;             /* own frame to the world, as of the last step that was accepted */
    prc_pose before;          /* … and when the step in progress began: it may be given up */
    prc_pose from, to;        /* of the step in progress */
    double move[3], spin[3];  /* … from one to the other: of the middle, m; axis × radians */
    double share, trial;      /* of that way, where it is and where it is about to go */
    double asked;             /* … and where it was to go before anything was in the way */
    double kept;              /* the share to go back to: prc_contact_rigids_keep */
    prc_pose at;              /* the pose of the trial */

    /* work space of a move or a prediction */
    uint64_t least;     /* bits of a number that is not negative: the part that all its vertices may go */
    int marked, failed; /* some vertex has to stay on its side (2: it yields for now); some does not, at the trial */
    int held;           /* it is static */
    int yields;         /* how often it has gone less far before that */
} prc_rigid;

/* One that something objects to goes less far a few times, together with what it pushes: as a static one it would go
 * next to nowhere, for want of room at a single vertex. */
#define PRC_RIGID_YIELDS 4
#define PRC_RIGID_YIELD 0.75

#define PRC_RIGID_HALVINGS 6 /* of the way of one that is static, where the straight parts do not fit its turn */

/* The pose when a share of the way is made. */
PRC_FUNCTION prc_pose prc_rigid_pose(const prc_rigid *r, double share)
{
    if (share >= 1)
        return r->to;
    prc_pose pose = r->from;
    double turned[3][3];
    const double part[3] = {share * r->spin[0], share * r->spin[1], share * r->spin[2]};
    for (int c = 0; c < 3; c++)
        pose.shift[c] += share * r->move[c];
    if (prc_dot3(part, part) > 0) {
        prc_rotation_matrix(part, turned);
        prc_rotation_multiply((const double(*)[3])turned, r->from.turn, pose.turn);
    }
    return pose;
}

/* Where it is about to go, from now on. */
PRC_INLINE void prc_rigid_try(prc_rigid *r, double share)
{
    r->trial = share;
    r->at = prc_rigid_pose(r, share);
}

PRC_INLINE bool prc_rigid_moves(const prc_rigid *r)
{
    return r->whole && r->trial != r->share;
}

/* Tries to make the rest of its way, of which no point goes farther than `longest` (m). */
PRC_FUNCTION void prc_rigid_ask(prc_rigid *r, double longest)
{
    const double way = sqrt(prc_dot3(r->move, r->move)) + sqrt(prc_dot3(r->spin, r->spin)) * r->radius;
    const double left = (1 - r->share) * way;
    if (r->whole)
        prc_rigid_try(r, left > longest ? r->share + longest / way : 1);
    r->asked = r->trial;
    r->yields = 0;
}

/* … or a part of what it tried so. */
PRC_FUNCTION void prc_rigid_ask_less(prc_rigid *r, double part)
{
    r->asked = r->share + part * (r->asked - r->share);
    r->yields = 0;
    if (r->whole)
        prc_rigid_try(r, r->asked);
}

/* A part of what it tries now. */
PRC_FUNCTION void prc_rigid_shorten(prc_rigid *r, double part)
{
    if (prc_rigid_moves(r))
        prc_rigid_try(r, r->share + part * (r->trial - r->share));
}

#endif
