/* kernel/motion.h — who moves a vertex, and which of those who are moved are kept apart.
 *
 * A pair is looked at unless nothing could come of it: obstacles may intersect each other, and what rests for good
 * cannot. So every primitive carries two bits, and a pair is looked at if its sides together have both. A pair of which
 * no vertex moves freely divides moves like any other, but it does not push: nothing could give way. What is prescribed
 * therefore waits for its like where what is free between them still has room, unless they were nearer from the
 * beginning. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_MOTION_H
#define PRC_KERNEL_MOTION_H

#include "kernel/portable.h"

#include <stdbool.h>

typedef enum prc_motion {
    PRC_MOTION_OBSTACLE, /* prescribed, and may intersect its like */
    PRC_MOTION_FREE,     /* simulated; pinned at times, perhaps */
    PRC_MOTION_PINNED, /* pinned for good, and moved; may wait alone, so that what is pinned together may come apart */
    PRC_MOTION_RESTS,  /* pinned for good, and never moved */
    PRC_MOTION_KINDS,
} prc_motion;

/* A bit beside the kind: prescribed, of a body that was near to something prescribed from the beginning. */
#define PRC_MOTION_NEAR PRC_MOTION_KINDS

#define PRC_MEETS_OBSTACLES 1
#define PRC_MEETS_RESTING 2
#define PRC_MEETS_ALL 3

/* The bits of a vertex; those of a primitive or a pair are all of its vertices'. */
PRC_INLINE int prc_motion_meets(unsigned char motion)
{
    const int kind = motion % PRC_MOTION_KINDS;
    return kind == PRC_MOTION_OBSTACLE ? PRC_MEETS_RESTING
           : kind == PRC_MOTION_RESTS  ? PRC_MEETS_OBSTACLES
                                       : PRC_MEETS_ALL;
}

PRC_INLINE bool prc_motion_is_free(unsigned char motion)
{
    return motion == PRC_MOTION_FREE;
}

/* Whether no vertex of a pair moves freely. */
PRC_INLINE bool prc_motion_is_prescribed(const unsigned char *motion, const int v[4])
{
    return !prc_motion_is_free(motion[v[0]]) && !prc_motion_is_free(motion[v[1]]) &&
           !prc_motion_is_free(motion[v[2]]) && !prc_motion_is_free(motion[v[3]]);
}

PRC_INLINE bool prc_motion_is_near(const unsigned char *motion, const int v[4])
{
    return ((motion[v[0]] | motion[v[1]] | motion[v[2]] | motion[v[3]]) & PRC_MOTION_NEAR) != 0;
}

#endif
