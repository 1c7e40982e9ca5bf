/* percale/contact.h — contact between surfaces, and with colliders.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_CONTACT_H
#define PERCALE_CONTACT_H

#include <percale/motion.h>
#include <percale/sdf.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum prc_contact_method {
    PRC_CONTACT_BARRIER,    /* barrier and friction, solved together with elasticity: the default */
    PRC_CONTACT_PROJECTION, /* the local step of the projective peridynamics paper, without friction: for comparison */
} prc_contact_method;

/* Friction coefficient of two bodies, in place of the mean of theirs. */
typedef struct prc_contact_pair_def {
    int bodies[2];
    double friction;
} prc_contact_pair_def;

/* What to do if surfaces intersect at the start, or are closer than the thickness allows. Pairs without a free vertex
 * (parts that are pinned for good, against each other or against obstacles) are an exception in all three cases:
 * nothing could open them, so they are exempt for good and counted (prc_start_outcome.prescribed_pairs). */
typedef enum prc_start {
    PRC_START_REFUSE,     /* fail with a message; prc_start_examine lists everything that is wrong */
    PRC_START_PUSH_APART, /* open gaps that are too small before the first step; refuse crossings */
    PRC_START_EXEMPT,     /* as push_apart, but leave crossing pairs out of the guarantee until they have come apart */
} prc_start;

/* Guarantee: if the start is free of intersections, so is every accepted state, converged or not. This holds between
 * surfaces, and between surfaces and colliders (prc_collider_def), whatever their sizes. Every move is checked before
 * it is made. Exceptions: obstacles and colliders may pass through each other, and a bad start may exempt pairs
 * (prc_start). Surfaces are held apart by about the thickness and never come nearer than 0.8 of it. */
typedef struct prc_contact_def {
    bool enabled;
    prc_contact_method method;
    double thickness; /* about the distance between surfaces, m; less between parts of a body closer at rest */
    double d_hat;     /* contact forces act below thickness + d_hat, m; 0: a third of the thickness, for
                       * particles a tenth of the radius */
    double friction;  /* Coulomb coefficient of bodies that have none of their own */
    double eps_v;     /* sliding speed below which contacts stick, m/s */
    double stiffness; /* of the barrier, N/m; 0: derived from mass, elasticity and step */
    int friction_lag; /* 0: normal forces of each iteration; n: frozen during a solve, n solves per step */
    const prc_contact_pair_def *pairs;
    int pair_count;
    prc_start start; /* treatment of intersections and small gaps at the start */
} prc_contact_def;

typedef enum prc_shape_kind {
    PRC_SHAPE_PLANE,    /* through `center`; the solid side is opposite to `axis` */
    PRC_SHAPE_SPHERE,   /* center, radius */
    PRC_SHAPE_CAPSULE,  /* a segment of `length` along `axis` about `center`, rounded with `radius` */
    PRC_SHAPE_CYLINDER, /* radius, length along axis, flat ends */
    PRC_SHAPE_BOX,      /* size along x, y, z */
    PRC_SHAPE_CONE,     /* length along axis, `center` at half of it; radius at the base, radius_top at the other end */
    PRC_SHAPE_MESH,     /* a closed mesh relative to `center`, or a distance field; need not be convex */
} prc_shape_kind;

/* A solid shape that cloth cannot enter. Its motion is prescribed: nothing can push it, but it waits where cloth is
 * caught. In one step it rotates by less than half a turn, the shortest way to its next pose. */
typedef struct prc_collider_def {
    prc_shape_kind shape;
    double center[3]; /* at time 0, m */
    double axis[3];
    double radius, length; /* m */
    double radius_top;     /* cone, m */
    double size[3];        /* m */
    prc_rotate_def rotate; /* about `center`, at time 0 */
    const prc_mesh *mesh;  /* mesh: positions relative to `center`; NULL: the surface where the field is zero */
    int resolution;        /* mesh: cells of its distance field along the longest side */
    const prc_sdf *field;  /* mesh: its distance field if already built, in place of resolution; or NULL */
    double friction;       /* negative: that of the body that touches it */
    prc_motion_def motion;
} prc_collider_def;

/* The defaults of the table `collider` in docs/scene.md; `shape` and its sizes must be set. */
prc_collider_def prc_collider_def_default(void);

#ifdef __cplusplus
}
#endif
#endif
