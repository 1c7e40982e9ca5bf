/* test/backend_scenes.h — four small scenes that between them use most of a backend: air and damping, a collider with
 * friction, moving pins and self-contact, layers on a floor.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_BACKEND_SCENES_H
#define PRC_TEST_BACKEND_SCENES_H

#include "contact_scene.h"

enum { FLAG, BALL, TWIST, LAYERS, SCENES };
__attribute__((unused)) static const char *const scene_names[] = {"flag", "ball", "twist", "layers"};

/* A flag in the wind, held at its mast. */
static inline void make_flag(scene *s, int part)
{
    const double size = 0.5 / part;
    prc_body_def *flag = add_sheet(s, 16 / part, size, along_x, 90, 0, 1, 0);
    flag->material.damping = 1e-4;
    add_pin(s, 0, 1 + 0.4 * size);
    s->def.air.density = 1.2;
    s->def.air.drag = 1;
    s->def.air.wind[2] = 4;
    s->def.air.wind[0] = 1;
    s->def.contact.enabled = false;
}

/* Cloth that falls over a ball, with friction. */
static inline void make_ball(scene *s, int part)
{
    const double radius = 0.1 / part;
    lay_sheet(s, 12 / part, 0.4 / part, 20, radius + 0.01);
    add_collider(s, PRC_SHAPE_SPHERE)->radius = radius;
    s->def.contact.friction = 0.3;
}

/* A strip whose ends are turned against each other until it touches itself. */
static inline void make_twist(scene *s, int part)
{
    add_sheet(s, 10 / part, 0.3 / part, along_x, 90, 0, 0, 0);
    const prc_mesh *mesh = &s->mesh[0];
    const double top = 0.15 / part - 0.001;
    for (int end = 0; end < 2; end++) {
        prc_pin_def *pin = add_pin(s, 0, -1);
        int *held = s->held[end], count = 0;
        for (int i = 0; i < mesh->vertex_count; i++)
            if (end ? mesh->positions[3 * i + 1] > top : mesh->positions[3 * i + 1] < -top)
                held[count++] = i;
        pin->vertex_count = count;
        pin->motion.axis[0] = pin->motion.axis[2] = 0;
        pin->motion.axis[1] = 1;
        pin->motion.degrees_per_second = end ? 250 : -250;
        pin->motion.velocity[1] = end ? -0.1 : 0.1;
    }
    s->def.contact.friction = 0.2;
}

/* Three layers, askew, thrown on the floor. */
static inline void make_layers(scene *s, int part)
{
    add_plane(s, 0);
    for (int k = 0; k < 3; k++)
        lay_sheet(s, 9 / part, 0.3 / part, 25.0 * k, 0.006 + 0.006 * k)->velocity[1] = -1;
    s->def.contact.friction = 0.3;
}

/* The same cloth, but each sheet a `part` as long and wide. */
static inline scene *make_scene_part(int which, int part, prc_backend_kind kind, prc_precision precision)
{
    static void (*const make[])(scene *, int) = {make_flag, make_ball, make_twist, make_layers};
    scene *s = scene_new();
    make[which](s, part);
    s->def.backend = kind;
    s->def.precision = precision;
    s->def.threads = 1;
    return s;
}

static inline scene *make_scene(int which, prc_backend_kind kind, prc_precision precision)
{
    return make_scene_part(which, 1, kind, precision);
}

#endif
