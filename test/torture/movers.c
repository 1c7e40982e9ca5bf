/* torture/movers.c — colliders and obstacles, and how they move. SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

/* --- motions --- */

double draw_speed(const plan *p, dice *d)
{
    return dice_draw(d, p->fast ? "fast_speed" : "speed") * p->cell / p->step;
}

void put_turn(node *owner, const char *key, const thing *t)
{
    if (t->degrees == 0)
        return;
    node *turn = node_table(owner, key);
    node_numbers(turn, "axis", 3, t->axis);
    node_number(turn, "degrees", t->degrees);
}

static void draw_velocity(const plan *p, dice *d, const thing *t, double v[3])
{
    const double speed = draw_speed(p, d);
    dice_direction(d, v);
    if (dice_unit(d) < 0.6) { /* towards the others */
        v[0] = v[1] = v[2] = 0;
        v[p->up] = t->above ? -1 : 1;
    }
    for (int c = 0; c < 3; c++)
        v[c] *= speed;
}

static void put_rotation(plan *p, dice *d, node *motion, const thing *t, bool speed, bool screw)
{
    node *rotation = node_table(motion, "rotation");
    double axis[3], center[3];
    dice_direction(d, axis);
    for (int c = 0; c < 3; c++)
        center[c] = t->center[c] + (dice_unit(d) < 0.2 ? p->cell * dice_between(d, -3, 3) : 0);
    node_numbers(rotation, "axis", 3, axis);
    node_numbers(rotation, "center", 3, center);
    if (speed)
        node_number(rotation, "degrees_per_second", dice_draw(d, p->fast ? "fast_turning" : "turning") / p->step);
    if (screw)
        node_number(rotation, "pitch", p->cell * dice_between(d, -5, 5));
}

/* The first pose is where it stands, so that starts stay what they are. */
static void put_keys(plan *p, dice *d, node *motion, const thing *t)
{
    put_rotation(p, d, motion, t, false, false);
    node *keys = node_list(motion, "keys");
    double time = 0, velocity[3];
    for (int k = dice_whole(d, 1, 3); k >= 0; k--) {
        node *key = node_table(keys, "");
        node_number(key, "time", time);
        if (time > 0) {
            draw_velocity(p, d, t, velocity);
            for (int c = 0; c < 3; c++)
                velocity[c] *= dice_between(d, 0.2, 1) * p->duration;
            node_numbers(key, "translate", 3, velocity);
        }
        if (time > 0 && dice_unit(d) < 0.5) {
            node *turn = node_table(key, "rotate");
            double axis[3];
            dice_direction(d, axis);
            node_numbers(turn, "axis", 3, axis);
            node_number(turn, "degrees", dice_draw(d, "turning") * p->steps);
        }
        time += p->duration * dice_between(d, 0.1, 0.9);
    }
    if (dice_unit(d) < 0.5)
        node_word(motion, "ease", "smooth");
}

void put_motion(plan *p, dice *d, node *owner, const thing *t)
{
    const char *kind = dice_choose(d, "motion");
    if (!p->moving || is(kind, "rest"))
        return;
    node *motion = node_table(owner, "motion");
    if (is(kind, "velocity")) {
        double velocity[3];
        draw_velocity(p, d, t, velocity);
        node_numbers(motion, "velocity", 3, velocity);
    } else if (is(kind, "turning") || is(kind, "screw"))
        put_rotation(p, d, motion, t, true, is(kind, "screw"));
    else
        put_keys(p, d, motion, t);
    if (!is(kind, "keys") && dice_chance(d, "timed")) {
        const double from = dice_between(d, -0.2, 0.7) * p->duration;
        node_number(motion, "from", from);
        node_number(motion, "until", from + dice_between(d, 0.1, 0.7) * p->duration);
    }
}

/* --- colliders --- */

static void put_box(dice *d, const plan *p, thing *t, double size)
{
    double sides[3] = {size, size, size};
    for (int c = 0; c < 3; c++) {
        sides[c] = node_rounded(fmin(size * (dice_unit(d) < 0.5 ? 1 : dice_draw(d, "shape")), 200 * p->cell), 3);
        t->half[c] = sides[c] / 2;
    }
    node_numbers(t->item, "size", 3, sides);
}

static void put_revolved(dice *d, const plan *p, thing *t, double size)
{
    const double length = node_rounded(fmin(size * dice_draw(d, "shape"), 200 * p->cell), 3);
    const double top = dice_unit(d) < 0.5 ? 0 : node_rounded(size * dice_between(d, 0.01, 1.5), 3);
    node_number(t->item, "radius", size);
    node_number(t->item, "length", length);
    if (is(t->kind, "cone"))
        node_number(t->item, "radius_top", top);
    const double widest = is(t->kind, "cone") ? fmax(size, top) : size;
    t->half[0] = t->half[2] = widest;
    t->half[1] = length / 2 + (is(t->kind, "capsule") ? size : 0);
}

/* A plane has no box: it is put beside all others when they are placed. */
void make_collider(plan *p, int number)
{
    dice d = plan_dice(p, "collider", number);
    thing *t = plan_add(p, "colliders", "");
    const double size = node_rounded(p->cell * dice_draw(&d, "size"), 3);
    t->kind = dice_choose(&d, "collider");
    t->plane = is(t->kind, "plane");
    node_word(t->item, "shape", t->kind);
    if (is(t->kind, "sphere")) {
        node_number(t->item, "radius", size);
        t->half[0] = t->half[1] = t->half[2] = size;
    } else if (is(t->kind, "box"))
        put_box(&d, p, t, size);
    else if (is(t->kind, "mesh")) {
        put_mesh(&d, t->item, dice_choose(&d, "collider_mesh"), size / 2, 60, t);
        node_count(t->item, "resolution", dice_whole(&d, 4, 24));
    } else if (!t->plane)
        put_revolved(&d, p, t, size);
    if (p->friction && dice_chance(&d, "own_friction"))
        node_number(t->item, "friction", dice_draw(&d, "friction"));
}

/* --- obstacles --- */

static void put_points(dice *d, node *list, int count, const thing *t)
{
    for (int k = 0; k < count; k++) {
        double x[3];
        for (int c = 0; c < 3; c++)
            x[c] = node_rounded(t->half[c] * dice_between(d, -1, 1), 3);
        node_numbers(list, "", 3, x);
    }
}

void make_obstacle(plan *p, int number)
{
    dice d = plan_dice(p, "obstacle", number);
    char name[8];
    snprintf(name, sizeof name, "o%d", number);
    thing *t = plan_add(p, "obstacles", name);
    const double size = node_rounded(p->cell * dice_draw(&d, "size"), 3);
    t->kind = dice_choose(&d, "obstacle");
    for (int c = 0; c < 3; c++) /* flat, thin or neither */
        t->half[c] = dice_unit(&d) < 0.3 ? 0 : size * dice_between(&d, 0.1, 1);
    if (is(t->kind, "surface")) {
        const int most = dice_whole(&d, 6, 40);
        put_mesh(&d, t->item, dice_choose(&d, "surface"), size / sqrt(most), most, t);
    } else if (is(t->kind, "needles")) {
        node *lines = node_list(t->item, "polylines");
        for (int k = dice_whole(&d, 1, 3); k > 0; k--)
            put_points(&d, node_list(lines, ""), dice_whole(&d, 2, 5), t);
    } else
        put_points(&d, node_list(t->item, "points"), dice_whole(&d, 1, 6), t);
    node_table(t->item, "place");
    if (dice_chance(&d, "own_thickness"))
        node_number(t->item, "contact_thickness", p->thickness * dice_between(&d, 0.2, 1));
    if (p->friction && dice_chance(&d, "own_friction"))
        node_number(t->item, "friction", dice_draw(&d, "friction"));
}
