/* torture/generate.h — a small random scene from a seed.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TORTURE_GENERATE_H
#define PRC_TORTURE_GENERATE_H

#include "dice.h"
#include "document.h"

/* The scene of a seed, without what has one of the names in `without` (weights.c). The caller frees. */
node *generate(uint64_t seed, const char *without);

/* --- between the files that do it --- */

#define MOST_THINGS 16

/* A body, obstacle or collider: where it is, and the box it fills. */
typedef struct thing {
    node *item;
    const char *kind; /* of its group in weights.c */
    char name[8];
    double half[3];   /* of its box along x, y, z, before it is turned, m */
    double axis[3];   /* of its turn … */
    double degrees;   /* … */
    double center[3]; /* m */
    int vertices;     /* of a body */
    bool closed, body, plane, particles;
    bool above;     /* the middle of the line in which things stand */
    double stretch; /* of a body, N/m */
    double density; /* … kg/m² */
} thing;

/* What all parts of a scene know of it. */
typedef struct plan {
    uint64_t seed;
    const char *without;
    node *root;
    double cell, step, duration, thickness; /* m, s, s, m */
    int steps;
    int up; /* the axis along which things stand beside each other */
    bool contact, projection, friction, moving, fast;
    bool prescribed; /* things that move as told may meet each other, not only what is free */
    bool told;       /* there is such a thing already */
    thing things[MOST_THINGS];
    int thing_count, body_count;
} plan;

dice plan_dice(const plan *p, const char *part, int number);
thing *plan_add(plan *p, const char *list, const char *name);

/* bodies.c: a mesh of about `most` vertices at the most, with cells of this size; tells the box and what it is. */
void put_mesh(dice *d, node *owner, const char *kind, double cell, int most, thing *t);
void make_body(plan *p, int number, int most_vertices);
void finish_body(plan *p, int number); /* what needs to know where it is: pins, velocities, forces */

/* movers.c */
void make_collider(plan *p, int number);
void make_obstacle(plan *p, int number);
void put_motion(plan *p, dice *d, node *owner, const thing *t);
void put_turn(node *owner, const char *key, const thing *t);
double draw_speed(const plan *p, dice *d); /* m/s */

/* forces.c */
void put_springs(plan *p);

#endif
