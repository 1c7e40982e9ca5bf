/* percale/contact.h — contact between surfaces, and with obstacles.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_CONTACT_H
#define PERCALE_CONTACT_H

#include <percale/motion.h>
#include <percale/sdf.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum prc_contact_method {
    PRC_CONTACT_BARRIER,    /* a barrier and friction in the same iteration as elasticity: the default */
    PRC_CONTACT_PROJECTION, /* the local step of the projective peridynamics paper, without friction: for comparison */
} prc_contact_method;

/* Friction between two bodies, in place of the mean of theirs. */
typedef struct prc_contact_pair_def {
    int bodies[2];
    double friction;
} prc_contact_pair_def;

/* What to do with a start that intersects, or is closer than the thickness allows. Pairs without a free vertex (parts
 * pinned for good, against each other or against obstacles) are an exception to all three: nobody could open them, so
 * they are exempt for good and counted (prc_start_outcome.prescribed_pairs). */
typedef enum prc_start {
    PRC_START_REFUSE,     /* no simulation is built; the message says what is wrong, prc_start_examine all of it */
    PRC_START_PUSH_APART, /* gaps that are too small are opened before the first step; crossings are refused */
    PRC_START_EXEMPT,     /* and pairs that cross are left out of the guarantee until they have come apart */
} prc_start;

/* From a start that does not intersect, nothing ever does in an accepted state, converged or not: no two surfaces, and
 * no surface and collider (prc_collider_def), whatever their sizes. Every move is checked before it is made. Left out
 * are only obstacles and colliders among themselves, which may pass through each other, and what a bad start exempts
 * (prc_start). Surfaces are held apart by about the thickness, and never come nearer than 0.8 of it. */
typedef struct prc_contact_def {
    bool enabled;
    prc_contact_method method;
    double thickness; /* surfaces are held about this far apart, m; scaled down where the mesh is finer than that */
    double d_hat;     /* contact forces act below thickness + d_hat, m; 0: a third of the thickness */
    double friction;  /* Coulomb's coefficient of bodies that have none of their own */
    double eps_v;     /* speed below which friction holds, m/s */
    double stiffness; /* of the barrier, N/m; 0: from mass, elasticity and step */
    int friction_lag; /* 0: friction follows every iteration; n: frozen over a solve, and n solves a step */
    const prc_contact_pair_def *pairs;
    int pair_count;
    prc_start start; /* what to do with a bad start */
} prc_contact_def;

typedef enum prc_shape_kind {
    PRC_SHAPE_PLANE,    /* through `center`, collider on the side opposite to `axis` */
    PRC_SHAPE_SPHERE,   /* center, radius */
    PRC_SHAPE_CAPSULE,  /* a segment of `length` along `axis` about `center`, rounded with `radius` */
    PRC_SHAPE_CYLINDER, /* radius, length along axis, flat ends */
    PRC_SHAPE_BOX,      /* size along x, y, z */
    PRC_SHAPE_CONE, /* length along axis, `center` half way up it: radius at the base, radius_top at the other end */
    PRC_SHAPE_MESH, /* a closed mesh about `center`, or where a field is; need not be convex */
} prc_shape_kind;

/* A collider that cloth cannot enter. It moves as told, whatever pushes against it; it waits where cloth is caught. In
 * one step it takes the shortest way to its next pose: less than half a turn. */
typedef struct prc_collider_def {
    prc_shape_kind shape;
    double center[3]; /* at time 0, m */
    double axis[3];
    double radius, length; /* m */
    double radius_top;     /* cone, m */
    double size[3];        /* m */
    prc_rotate_def rotate; /* about `center`, at time 0 */
    const prc_mesh *mesh;  /* mesh: positions against `center`; NULL: the surface where the field is zero */
    int resolution;        /* mesh: cells of its field along the longest side */
    const prc_sdf *field;  /* mesh: its field, where that has been built already, in place of resolution; or NULL */
    double friction;       /* negative: that of the body that touches it */
    prc_motion_def motion;
} prc_collider_def;

/* The defaults of the table `collider` in docs/scene.md; `shape` and its sizes are to be set. */
prc_collider_def prc_collider_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
