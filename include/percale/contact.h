/* percale/contact.h — contact between surfaces, and with obstacles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_CONTACT_H
#define PERCALE_CONTACT_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What to do with a start that intersects, or is closer than the thickness allows. */
typedef enum prc_start {
    PRC_START_REFUSE,     /* nothing is simulated; the message says what is wrong, prc_start_examine all of it */
    PRC_START_PUSH_APART, /* gaps that are too small are opened before the first step; crossings are refused */
    PRC_START_EXEMPT,     /* and pairs that cross are left out of the guarantee until they have come apart */
} prc_start;

/* From a start that does not intersect, no two surfaces ever do in an accepted state: every move is checked before it
 * is made. Solids (prc_collider_def) keep out vertices only, so an edge may cut a sharp corner of one. */
typedef struct prc_contact_def {
    bool enabled;
    double thickness; /* surfaces stay this far apart, m; scaled down where the mesh is finer than that */
    double d_hat;     /* contact forces act below thickness + d_hat, m; 0: a third of the thickness */
    double friction;  /* Coulomb's coefficient between surfaces, and with colliders that have none of their own */
    double eps_v;     /* speed below which friction holds, m/s */
    double stiffness; /* of the barrier, N/m; 0: from mass, elasticity and step */
    prc_start start;  /* what to do with a bad start */
} prc_contact_def;

typedef enum prc_shape_kind {
    PRC_SHAPE_PLANE,    /* through `center`, solid on the side opposite to `axis` */
    PRC_SHAPE_SPHERE,   /* center, radius */
    PRC_SHAPE_CAPSULE,  /* a segment of `length` along `axis` about `center`, rounded with `radius` */
    PRC_SHAPE_CYLINDER, /* radius, length along axis, flat ends */
    PRC_SHAPE_BOX,      /* size along x, y, z */
} prc_shape_kind;

/* A solid that cloth cannot enter. It moves as told, whatever pushes against it. */
typedef struct prc_collider_def {
    prc_shape_kind shape;
    double center[3]; /* at time 0, m */
    double axis[3];
    double radius, length; /* m */
    double size[3];        /* m */
    double velocity[3];    /* m/s */
    double friction;       /* negative: that of contact.friction */
    double from, until;    /* when it moves, s */
} prc_collider_def;

prc_collider_def prc_collider_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
