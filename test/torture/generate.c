/* torture/generate.c — a small random scene from a seed: its settings, what is in it, and where everything stands.
 * SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_VERTICES 200 /* of all bodies */
#define MOST_BODIES 5
#define PI 3.14159265358979323846

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

dice plan_dice(const plan *p, const char *part, int number)
{
    return dice_of(p->seed, part, number, p->without);
}

thing *plan_add(plan *p, const char *list, const char *name)
{
    thing *t = &p->things[p->thing_count++];
    node *items = node_get(p->root, list);
    *t = (thing){.item = node_table(items ? items : node_list(p->root, list), ""), .kind = ""};
    snprintf(t->name, sizeof t->name, "%s", name);
    if (*name)
        node_word(t->item, "name", name);
    return t;
}

/* --- settings --- */

static void put_time(plan *p)
{
    dice d = plan_dice(p, "time", 0);
    p->cell = dice_draw(&d, "cell");
    p->step = node_rounded(dice_draw(&d, "time_step"), 2);
    p->steps = (int)dice_draw(&d, "steps");
    p->duration = p->steps * p->step;
    node_count(p->root, "percale", 1);
    node *time = node_table(p->root, "time");
    node_number(time, "step", p->step);
    node_number(time, "duration", 0)->number = node_rounded(p->duration, 8);
}

static void put_gravity(plan *p)
{
    dice d = plan_dice(p, "gravity", 0);
    const char *kind = dice_choose(&d, "gravity");
    double g[3] = {0};
    if (is(kind, "any")) {
        const double size = dice_draw(&d, "gravity") * p->cell / (p->step * p->step);
        dice_direction(&d, g);
        for (int c = 0; c < 3; c++)
            g[c] *= size;
    }
    if (!is(kind, "earth"))
        node_numbers(p->root, "gravity", 3, g);
}

/* The projection is slow, and runs on the CPU alone. */
static void put_solver(plan *p)
{
    dice d = plan_dice(p, "solver", 0);
    node *solver = node_table(p->root, "solver");
    const char *preconditioner = dice_choose(&d, "preconditioner");
    node *backend = node_word(p->root, "backend", dice_choose(&d, "backend"));
    node_count(solver, "max_iterations", dice_whole(&d, 1, p->projection ? 4 : 20));
    node_count(solver, "max_substeps", p->projection ? 1 : 1 << (int)(3 * dice_unit(&d) * dice_unit(&d)));
    node_count(solver, "max_inner", dice_whole(&d, 5, 80)); /* claims hold however badly a step converges */
    if (dice_unit(&d) < 0.2)
        node_number(solver, "tolerance", dice_draw(&d, "tolerance"));
    if (!is(preconditioner, "auto"))
        node_word(solver, "preconditioner", preconditioner);
    node_word(solver, "unconverged", "go_on");
    node_word(p->root, "precision", dice_choose(&d, "precision"));
#ifdef PRC_HAVE_DEVICE_ON_HOST
    const bool on_cpu = p->projection;
#else
    const bool on_cpu = true;
#endif
    if (on_cpu)
        snprintf(backend->word, sizeof backend->word, "cpu");
}

static void put_air(plan *p)
{
    dice d = plan_dice(p, "air", 0);
    if (!dice_chance(&d, "air"))
        return;
    node *air = node_table(p->root, "air");
    double wind[3];
    const double speed = draw_speed(p, &d);
    dice_direction(&d, wind);
    for (int c = 0; c < 3; c++)
        wind[c] *= speed;
    node_number(air, "density", dice_draw(&d, "air"));
    node_numbers(air, "wind", 3, wind);
    if (dice_unit(&d) < 0.5) {
        node *gusts = node_table(air, "gusts");
        node_number(gusts, "strength", speed);
        node_number(gusts, "period", p->duration * dice_between(&d, 0.1, 2));
        node_number(gusts, "length", dice_unit(&d) < 0.5 ? 0 : 5 * p->cell);
    }
}

/* Returns contact.start. */
static const char *put_contact(plan *p)
{
    dice d = plan_dice(p, "contact", 0);
    p->contact = dice_chance(&d, "contact");
    const char *start = dice_choose(&d, "start"), *method = dice_choose(&d, "method");
    p->projection = is(method, "projection") && p->contact;
    p->thickness = node_rounded(p->cell * dice_draw(&d, "thickness"), 3);
    p->friction = dice_chance(&d, "friction") && !p->projection;
    if (!p->contact)
        return start;
    node *contact = node_table(p->root, "contact");
    node_word(contact, "enabled", "true");
    if (p->projection)
        node_word(contact, "method", method);
    node_number(contact, "thickness", p->thickness);
    if (dice_unit(&d) < 0.5)
        node_number(contact, "d_hat", p->thickness * dice_draw(&d, "d_hat"));
    if (p->friction) {
        node_number(contact, "friction", dice_draw(&d, "friction"));
        node_number(contact, "eps_v", dice_draw(&d, "eps_v"));
        if (dice_chance(&d, "lag"))
            node_count(contact, "friction_lag", dice_whole(&d, 1, 3));
    }
    if (dice_chance(&d, "own_stiffness"))
        node_number(contact, "stiffness", dice_draw(&d, "barrier_stiffness"));
    if (p->friction && dice_chance(&d, "pairs")) {
        node *pair = node_table(node_list(contact, "pairs"), "");
        node_counts(pair, "bodies", 2, (const int[2]){0, 0});
        node_number(pair, "friction", dice_draw(&d, "friction"));
    }
    node_word(contact, "start", start);
    return start;
}

/* --- places --- */

/* How far the turned box of a thing reaches along a direction, from its center. */
static double reach(const thing *t, const double along[3])
{
    const double angle = t->degrees * PI / 180, c = cos(angle), s = sin(angle);
    const double *a = t->axis, length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2}, n[3], turned = 0;
        for (int i = 0; i < 3; i++)
            n[i] = length > 0 ? a[i] / length : 0;
        const double dot = n[k];
        const double cross[3] = {n[1] * e[2] - n[2] * e[1], n[2] * e[0] - n[0] * e[2], n[0] * e[1] - n[1] * e[0]};
        for (int i = 0; i < 3; i++)
            turned += along[i] * (e[i] * c + cross[i] * s + n[i] * dot * (1 - c));
        sum += fabs(turned) * t->half[k];
    }
    return sum;
}

/* Sheets lie across the axis of the stack, exactly, nearly, or not at all. */
static void turn_thing(const plan *p, dice *d, thing *t)
{
    const char *how = dice_choose(d, "turn");
    const bool sheet = t->half[2] == 0;
    double axis[3];
    dice_direction(d, axis);
    const double quarter = p->up == 1 ? -90 : 90; /* from the x–y plane */
    for (int c = 0; c < 3; c++)
        t->axis[c] = c == (p->up == 1 ? 0 : 1);
    t->degrees = sheet ? quarter : 0;
    if (is(how, "any")) {
        memcpy(t->axis, axis, sizeof axis);
        t->degrees = dice_between(d, -180, 180);
    } else if (is(how, "nearly")) {
        for (int c = 0; c < 3; c++)
            t->axis[c] += 0.1 * axis[c];
        t->degrees += dice_between(d, -10, 10);
    }
    t->degrees = node_rounded(t->degrees, 3);
    for (int c = 0; c < 3; c++)
        t->axis[c] = node_rounded(t->axis[c], 3);
}

/* A gap between neighbours, m. */
static double draw_gap(const plan *p, dice *d, const char *start, bool bad)
{
    if (!p->contact)
        return p->cell * dice_draw(d, "overlap");
    if (bad || (is(start, "exempt") && dice_unit(d) < 0.6))
        return p->cell * dice_draw(d, "overlap");
    return p->thickness * dice_draw(d, is(start, "push_apart") ? "small_gap" : "gap");
}

/* In a random order, each beside the one before. */
static void place_in_line(plan *p, dice *d, const char *start, bool bad)
{
    int order[MOST_THINGS];
    const double along[3] = {p->up == 0, p->up == 1, p->up == 2};
    const double width = 3 * p->cell;
    const bool exact = dice_chance(d, "degenerate");
    double at = 0;
    for (int k = 0; k < p->thing_count; k++)
        order[k] = k;
    for (int k = p->thing_count - 1; k > 0; k--) {
        const int other = dice_whole(d, 0, k), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
    }
    for (int k = 0; k < p->thing_count; k++) {
        thing *t = &p->things[order[k]];
        if (t->plane)
            continue;
        const double extent = reach(t, along);
        for (int c = 0; c < 3; c++)
            t->center[c] = exact ? 0 : width * dice_between(d, -1, 1);
        t->center[p->up] = at + extent;
        at += 2 * extent + draw_gap(p, d, start, bad);
    }
    for (int k = 0; k < p->thing_count; k++)
        p->things[k].center[p->up] -= at / 2;
}

static void place_in_heap(plan *p, dice *d)
{
    const double width = 3 * p->cell;
    for (int k = 0; k < p->thing_count; k++)
        for (int c = 0; c < 3; c++)
            p->things[k].center[c] = width * dice_between(d, -1, 1);
}

/* A plane beside all bodies. */
static void place_plane(plan *p, dice *d, thing *plane, double gap)
{
    double axis[3], least = INFINITY;
    dice_direction(d, axis);
    if (dice_unit(d) < 0.7)
        for (int c = 0; c < 3; c++)
            axis[c] = c == p->up;
    if (dice_unit(d) < 0.3)
        for (int c = 0; c < 3; c++)
            axis[c] = -axis[c];
    for (int k = 0; k < p->thing_count; k++) {
        const thing *t = &p->things[k];
        double height = -reach(t, axis);
        for (int c = 0; c < 3; c++)
            height += axis[c] * t->center[c];
        if (!t->plane && t->body)
            least = fmin(least, height);
    }
    for (int c = 0; c < 3; c++)
        plane->center[c] = axis[c] * (least - gap);
    node_numbers(plane->item, "axis", 3, axis);
}

/* With more digits than other numbers, so that gaps stay. */
static void write_place(thing *t, int digits)
{
    for (int c = 0; c < 3; c++)
        t->center[c] = node_rounded(t->center[c], digits);
    node *place = node_get(t->item, "place");
    if (place) {
        node *list = node_numbers(place, "translate", 3, t->center);
        for (int c = 0; c < 3; c++)
            list->items[c]->number = t->center[c];
        put_turn(place, "rotate", t);
        return;
    }
    node *list = node_numbers(t->item, "center", 3, t->center);
    for (int c = 0; c < 3; c++)
        list->items[c]->number = t->center[c];
    if (!t->plane)
        put_turn(t->item, "rotate", t);
}

/* Far from the origin there are fewer digits for everything. */
static bool move_away(plan *p)
{
    dice d = plan_dice(p, "far", 0);
    double offset[3];
    if (!dice_chance(&d, "far"))
        return false;
    const double distance = p->cell * dice_draw(&d, "far");
    dice_direction(&d, offset);
    for (int k = 0; k < p->thing_count; k++)
        for (int c = 0; c < 3; c++)
            p->things[k].center[c] += node_rounded(distance * offset[c], 3);
    return true;
}

static void place_all(plan *p, const char *start)
{
    dice d = plan_dice(p, "layout", 0);
    const char *layout = dice_choose(&d, "layout");
    const bool bad = dice_chance(&d, "bad_start");
    const bool heap = is(layout, "heap") && (bad || !p->contact || is(start, "exempt"));
    p->up = is(layout, "row") ? 0 : 1;
    for (int k = 0; k < p->thing_count; k++) {
        dice own = plan_dice(p, "turn", k);
        if (!p->things[k].plane)
            turn_thing(p, &own, &p->things[k]);
    }
    if (heap)
        place_in_heap(p, &d);
    else
        place_in_line(p, &d, start, bad);
    for (int k = 0; k < p->thing_count; k++) {
        dice own = plan_dice(p, "plane", k);
        if (p->things[k].plane)
            place_plane(p, &own, &p->things[k], draw_gap(p, &own, start, bad));
    }
    for (int k = 0; k < p->thing_count; k++)
        p->things[k].above = p->things[k].center[p->up] > 0;
    const int digits = move_away(p) ? 11 : 6;
    for (int k = 0; k < p->thing_count; k++)
        write_place(&p->things[k], digits);
}

/* The same velocity for all, as on a fast train. */
static void add_common_speed(plan *p)
{
    dice d = plan_dice(p, "common", 0);
    double velocity[3];
    if (!dice_chance(&d, "common_speed"))
        return;
    const double speed = dice_draw(&d, "fast_speed") * p->cell / p->step;
    dice_direction(&d, velocity);
    for (int k = 0; k < p->thing_count; k++) {
        node *of = p->things[k].body ? p->things[k].item : node_get(p->things[k].item, "motion");
        node *old = node_get(of, "velocity");
        for (int c = 0; of && c < 3; c++)
            if (old)
                old->items[c]->number = node_rounded(old->items[c]->number + speed * velocity[c], 3);
        if (of && !old)
            node_numbers(of, "velocity", 3,
                         (const double[3]){speed * velocity[0], speed * velocity[1], speed * velocity[2]});
    }
}

node *generate(uint64_t seed, const char *without)
{
    plan p = {.seed = seed, .without = without, .root = node_new(NODE_TABLE, "")};
    put_time(&p);
    put_gravity(&p);
    dice d = plan_dice(&p, "scene", 0);
    p.moving = dice_chance(&d, "moving");
    p.fast = dice_chance(&d, "fast");
    p.prescribed = dice_chance(&d, "prescribed");
    const char *start = put_contact(&p);
    put_solver(&p);
    put_air(&p);
    p.body_count = dice_whole(&d, 1, MOST_BODIES);
    const int most = MOST_VERTICES / p.body_count;
    for (int k = 0; k < p.body_count; k++)
        make_body(&p, k, dice_whole(&d, 12, most));
    d = plan_dice(&p, "obstacles", 0);
    p.told = p.contact && dice_chance(&d, "obstacles");
    if (p.told)
        for (int k = dice_whole(&d, 1, 3); k > 0; k--)
            make_obstacle(&p, k);
    d = plan_dice(&p, "colliders", 0);
    if (dice_chance(&d, "colliders") && p.contact)
        for (int k = dice_whole(&d, 1, 3); k > 0; k--)
            make_collider(&p, k);
    place_all(&p, start);
    for (int k = 0; k < p.thing_count; k++) {
        dice own = plan_dice(&p, "motion", k);
        if (k < p.body_count)
            finish_body(&p, k);
        else
            put_motion(&p, &own, p.things[k].item, &p.things[k]);
    }
    add_common_speed(&p);
    put_springs(&p);
    return p.root;
}
