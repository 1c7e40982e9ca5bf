/* torture/bodies.c — meshes, materials, pins and forces of bodies. SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static bool is(const char *a, const char *b)
{
    return !strcmp(a, b);
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

static int at_least(int a, int b)
{
    return a > b ? a : b;
}

/* --- meshes --- */

/* Two numbers of cells with (first + more[0]) (second + more[1]) at most `most`. */
static void draw_cells(dice *d, int most, const int least[2], const int more[2], int cells[2])
{
    const int first = dice_whole(d, least[0], at_least(least[0], at_most(12, most / (least[1] + more[1]) - more[0])));
    const int second = at_most(12, most / (first + more[0]) - more[1]);
    cells[0] = first;
    cells[1] = dice_whole(d, least[1], at_least(least[1], second));
}

static void set_half(thing *t, double x, double y, double z)
{
    t->half[0] = x;
    t->half[1] = y;
    t->half[2] = z;
}

static void put_pattern(dice *d, node *table)
{
    const char *pattern = dice_choose(d, "pattern");
    node_word(table, "pattern", pattern);
    if (is(pattern, "irregular")) {
        node_number(table, "jitter", dice_between(d, 0, 0.45));
        node_count(table, "seed", dice_whole(d, 0, 999));
    }
}

static void put_sheet(dice *d, node *table, bool strip, double cell, int most, thing *t)
{
    int cells[2];
    draw_cells(d, most, (const int[2]){1, 1}, (const int[2]){1, 1}, cells);
    const double slender = dice_chance(d, "slender") ? dice_draw(d, "slender") : 1;
    const double size[2] = {node_rounded(cells[0] * cell, 3), node_rounded(cells[1] * cell * slender, 3)};
    if (strip) {
        node_number(table, "length", size[0]);
        node_number(table, "width", size[1]);
    } else
        node_numbers(table, "size", 2, size);
    node_counts(table, "cells", 2, cells);
    put_pattern(d, table);
    t->vertices = (cells[0] + 1) * (cells[1] + 1);
    set_half(t, size[0] / 2, size[1] / 2, 0);
}

static void put_disc(dice *d, node *table, double cell, int most, thing *t)
{
    int rings = dice_whole(d, 1, 6);
    while (rings > 1 && 1 + 3 * rings * (rings + 1) > most)
        rings--;
    const double radius = node_rounded(rings * cell, 3);
    node_number(table, "radius", radius);
    node_count(table, "rings", rings);
    t->vertices = 1 + 3 * rings * (rings + 1);
    set_half(t, radius, radius, 0);
}

/* A cylinder, or a cone. */
static void put_tube(dice *d, node *table, bool cone, double cell, int most, thing *t)
{
    int cells[2];
    draw_cells(d, most, (const int[2]){3, 1}, (const int[2]){0, 1}, cells);
    const double radius = node_rounded(cells[0] * cell / (2 * PI), 3), height = node_rounded(cells[1] * cell, 3);
    const double top = cone ? radius * dice_between(d, 0.1, 1) : radius;
    node_number(table, "radius", radius);
    if (cone)
        node_number(table, "radius_top", top);
    node_number(table, "height", height);
    node_counts(table, "cells", 2, cells);
    t->vertices = cells[0] * (cells[1] + 1);
    set_half(t, radius, height / 2, radius);
}

static void put_ball(dice *d, node *table, double cell, int most, thing *t)
{
    const int most_subdivisions = most >= 162 ? 2 : most >= 42 ? 1 : 0;
    const int subdivisions = dice_whole(d, 0, most_subdivisions);
    const double radius = node_rounded(0.95 * cell * (1 << subdivisions), 3);
    node_number(table, "radius", radius);
    node_count(table, "subdivisions", subdivisions);
    t->vertices = 2 + 10 * (1 << 2 * subdivisions);
    t->closed = true;
    set_half(t, radius, radius, radius);
}

static void put_torus(dice *d, node *table, double cell, int most, thing *t)
{
    int cells[2];
    draw_cells(d, most, (const int[2]){5, 3}, (const int[2]){0, 0}, cells);
    const double radius = node_rounded(cells[0] * cell / (2 * PI), 3);
    const double tube = node_rounded(fmin(cells[1] * cell / (2 * PI), dice_between(d, 0.2, 0.8) * radius), 3);
    node_number(table, "radius", radius);
    node_number(table, "tube", tube);
    node_counts(table, "cells", 2, cells);
    t->vertices = cells[0] * cells[1];
    t->closed = true;
    set_half(t, radius + tube, tube, radius + tube);
}

/* Wound up to three times, its windings beside each other. */
static void put_ribbon(dice *d, node *table, double cell, int most, thing *t)
{
    const int across = dice_whole(d, 1, 2), along = dice_whole(d, 6, at_least(6, at_most(60, most / (across + 1) - 1)));
    const double width = across * cell, turns = dice_between(d, 0.3, 3);
    const double pitch = width * dice_between(d, 1.3, 3);
    const double radius = sqrt(fmax(pow(along * cell / turns, 2) - pitch * pitch, 0)) / (2 * PI);
    node_number(table, "radius", radius);
    node_number(table, "pitch", pitch);
    node_number(table, "turns", turns);
    node_number(table, "width", width);
    node_counts(table, "cells", 2, (const int[2]){along, across});
    if (dice_unit(d) < 0.3)
        node_number(table, "twist", dice_between(d, -90, 90));
    t->vertices = (along + 1) * (across + 1);
    set_half(t, radius + width / 2, (pitch * turns + 2 * width) / 2, radius + width / 2);
}

void put_mesh(dice *d, node *owner, const char *kind, double cell, int most, thing *t)
{
    node *table = node_table(node_table(owner, "mesh"), kind);
    if (is(kind, "grid") || is(kind, "strip"))
        put_sheet(d, table, is(kind, "strip"), cell, most, t);
    else if (is(kind, "disc"))
        put_disc(d, table, cell, most, t);
    else if (is(kind, "cylinder") || is(kind, "cone"))
        put_tube(d, table, is(kind, "cone"), cell, most, t);
    else if (is(kind, "sphere"))
        put_ball(d, table, cell, most, t);
    else if (is(kind, "torus"))
        put_torus(d, table, cell, most, t);
    else
        put_ribbon(d, table, cell, most, t);
}

/* --- materials --- */

static void put_special(dice *d, node *m, const char *model, double stretch)
{
    const double some[2] = {stretch * dice_between(d, 0, 0.5), stretch * dice_between(d, 0.05, 0.5)};
    if (is(model, "sum"))
        for (int k = dice_whole(d, 1, 4); k > 0; k--) {
            static const char *const bases[] = {"a1", "a2", "a3", "a4", "a5", "a6", "b1", "b2", "b3", "b4", "b5", "b6"};
            node *terms = node_get(m, "terms");
            node *term = node_table(terms ? terms : node_list(m, "terms"), "");
            node_word(term, "model", bases[dice_whole(d, 0, 11)]);
            node_number(term, "stretch", stretch * dice_between(d, 0.1, 1));
        }
    else if (is(model, "mooney_rivlin"))
        node_numbers(m, "coefficients", 2, some);
    else if (is(model, "yeoh"))
        node_numbers(m, "coefficients", 3, (const double[3]){some[1], 0.1 * some[0], 0.01 * some[0]});
    else if (is(model, "ogden")) {
        node_numbers(m, "coefficients", 2, (const double[2]){some[1], -0.1 * some[0]});
        node_numbers(m, "exponents", 2, (const double[2]){dice_between(d, 1, 4), dice_between(d, -3, -1)});
    } else if (is(model, "fung"))
        node_numbers(m, "exponents", 1, (const double[1]){dice_between(d, 0.1, 5)});
    else if (is(model, "orthotropic")) {
        double warp[3];
        dice_direction(d, warp);
        node_number(m, "stretch_warp", stretch);
        node_number(m, "stretch_weft", stretch * dice_between(d, 0.01, 1));
        node_number(m, "shear", stretch * dice_between(d, 0.01, 1));
        node_numbers(m, "warp", 3, warp);
    } else if (is(model, "curve")) {
        node *curve = node_list(m, "curve");
        const double points[4][2] = {{0.5, -0.3 * stretch}, {1, 0}, {1.2, 0.1 * stretch}, {1.5, stretch}};
        for (int k = 0; k < 4; k++)
            node_numbers(curve, "", 2, points[k]);
    }
}

static void put_material(dice *d, node *owner, thing *t)
{
    node *m = node_table(owner, "material");
    const char *model = dice_choose(d, "model");
    t->stretch = dice_draw(d, "stretch");
    t->density = dice_draw(d, "density");
    node_word(m, "model", model);
    node_number(m, "stretch", t->stretch);
    put_special(d, m, model, t->stretch);
    node_number(m, "density", t->density);
    node_number(m, "bending", dice_unit(d) < 0.2 ? 0 : dice_draw(d, "bending"));
    node_number(m, "poisson", dice_draw(d, "poisson"));
    if (dice_unit(d) < 0.3)
        node_number(m, "damping", dice_draw(d, "damping"));
    if (dice_unit(d) < 0.2)
        node_number(m, "mass_damping", dice_draw(d, "mass_damping"));
    if (dice_unit(d) < 0.3)
        node_number(m, "stabilisation", dice_draw(d, "stabilisation"));
}

/* --- selections --- */

static void put_some_vertices(dice *d, node *table, const thing *t)
{
    node *list = node_list(table, "vertices");
    for (int k = dice_whole(d, 1, 4), v = 0; k > 0 && v < t->vertices; k--) {
        v += dice_whole(d, 0, t->vertices / 4);
        if (v < t->vertices)
            node_count(list, "", v++);
    }
    if (!list->count)
        node_count(list, "", 0);
}

static void put_select(const plan *p, dice *d, node *owner, const thing *t)
{
    const char *how = dice_choose(d, "select");
    double place[3], normal[3];
    dice_direction(d, place);
    dice_direction(d, normal);
    for (int c = 0; c < 3; c++)
        place[c] = t->center[c] + place[c] * (t->half[0] + t->half[1]);
    const bool has_corners = is(t->kind, "grid") || is(t->kind, "strip");
    if (is(how, "all")) {
        node_word(owner, "select", "all");
        return;
    }
    node *table = node_table(owner, "select");
    if (is(how, "corners") && has_corners) {
        node *list = node_list(table, "corners");
        for (int k = dice_whole(d, 1, 15), corner = 0; corner < 4; corner++)
            if (k >> corner & 1)
                node_count(list, "", corner);
    } else if (is(how, "boundary") && !t->closed && !t->particles)
        node_word(table, "boundary", "true");
    else if (is(how, "side")) {
        node *side = node_table(table, "side");
        node_numbers(side, "point", 3, t->center);
        node_numbers(side, "normal", 3, normal);
    } else if (is(how, "vertices"))
        put_some_vertices(d, table, t);
    else {
        node_numbers(table, "nearest", 3, place);
        node_count(table, "count", dice_whole(d, 1, at_least(1, t->vertices / 3)));
    }
    (void)p;
}

/* --- bodies --- */

/* Another rest shape: the texture where there is one, or the same mesh of another size. */
static void put_rest(dice *d, const thing *t)
{
    if (is(t->kind, "ribbon")) {
        node_word(t->item, "rest", "texture");
        return;
    }
    const double strain = dice_draw(d, "strain");
    const node *from = node_get(t->item, "mesh")->items[0];
    node *to = node_table(node_table(t->item, "rest"), from->key);
    static const char *const lengths[] = {"size", "length", "width", "radius", "radius_top", "height", "tube"};
    for (int k = 0; k < from->count; k++) {
        const node *key = from->items[k];
        bool length = false;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            length |= is(key->key, lengths[i]);
        if (key->kind == NODE_WORD)
            node_word(to, key->key, key->word);
        else if (key->kind == NODE_NUMBER)
            node_number(to, key->key, length ? key->number / strain : key->number);
        else
            for (node *list = node_list(to, key->key); list->count < key->count;)
                node_number(list, "", key->items[list->count]->number / (length ? strain : 1));
    }
}

/* A block of balls, loose or nearly touching. */
static void make_particles(plan *p, dice *d, int most_vertices, thing *t)
{
    const double radius = node_rounded(p->cell * dice_draw(d, "radius"), 3);
    const double spacing = node_rounded(2 * radius * dice_between(d, 1.02, 2), 3);
    const int across = dice_whole(d, 1, 4), deep = dice_whole(d, 1, 3);
    const int count[3] = {across, at_least(1, at_most(6, most_vertices / (across * deep))), deep};
    node_word(t->item, "kind", "particles");
    node *lattice = node_table(node_table(t->item, "mesh"), "lattice");
    node_counts(lattice, "count", 3, count);
    node_number(lattice, "spacing", spacing);
    node *ball = node_table(t->item, "particle");
    node_number(ball, "radius", radius);
    node_number(ball, "density", dice_draw(d, "ball_density"));
    node_table(t->item, "place");
    t->particles = true;
    t->kind = "lattice";
    t->vertices = count[0] * count[1] * count[2];
    t->stretch = dice_draw(d, "stretch"); /* of springs */
    t->density = 1;
    set_half(t, 0.5 * (count[0] - 1) * spacing + radius, 0.5 * (count[1] - 1) * spacing + radius,
             0.5 * (count[2] - 1) * spacing + radius);
    if (p->contact && p->friction && dice_chance(d, "own_friction"))
        node_number(t->item, "friction", dice_draw(d, "friction"));
}

void make_body(plan *p, int number, int most_vertices)
{
    dice d = plan_dice(p, "body", number), balls = plan_dice(p, "particles", number);
    char name[8] = {(char)('a' + number), 0};
    thing *t = plan_add(p, "bodies", name);
    t->body = true;
    if (dice_chance(&balls, "particles") && !p->projection) {
        make_particles(p, &balls, most_vertices, t);
        return;
    }
    t->kind = dice_choose(&d, "body");
    put_mesh(&d, t->item, t->kind, p->cell, most_vertices, t);
    node_table(t->item, "place");
    const char *discretisation = dice_choose(&d, "discretisation");
    if (!is(discretisation, "averaged"))
        node_word(t->item, "discretisation", discretisation);
    if (dice_chance(&d, "strained"))
        put_rest(&d, t);
    put_material(&d, t->item, t);
    if (p->contact && dice_chance(&d, "own_thickness"))
        node_number(t->item, "contact_thickness", p->thickness * dice_between(&d, 0.2, 1));
    if (p->contact && p->friction && dice_chance(&d, "own_friction"))
        node_number(t->item, "friction", dice_draw(&d, "friction"));
}

static void put_velocity(plan *p, dice *d, const thing *t)
{
    double velocity[3], speed = draw_speed(p, d);
    dice_direction(d, velocity);
    for (int c = 0; c < 3; c++)
        velocity[c] *= 0.3 * speed;
    velocity[p->up] = t->above ? -speed : speed; /* towards the others */
    if (dice_chance(d, "velocities"))
        node_numbers(t->item, "velocity", 3, velocity);
    if (dice_chance(d, "spin")) {
        node *spin = node_table(t->item, "spin");
        double axis[3];
        dice_direction(d, axis);
        node_numbers(spin, "axis", 3, axis);
        node_numbers(spin, "center", 3, t->center);
        node_number(spin, "degrees_per_second", dice_draw(d, p->fast ? "fast_turning" : "turning") / p->step);
    }
}

static void put_times(const plan *p, dice *d, node *table)
{
    if (!dice_chance(d, "timed"))
        return;
    const double from = dice_between(d, -0.2, 0.7) * p->duration;
    node_number(table, "from", from);
    if (dice_unit(d) < 0.7)
        node_number(table, "until", from + dice_between(d, 0, 0.7) * p->duration);
}

static void put_pins(plan *p, dice *d, const thing *t)
{
    if (p->told && !p->prescribed)
        return;
    p->told = true;
    node *pins = node_list(t->item, "pins");
    for (int k = p->prescribed ? dice_whole(d, 1, 2) : 1; k > 0; k--) {
        node *pin = node_table(pins, "");
        put_select(p, d, pin, t);
        put_motion(p, d, pin, t);
        put_times(p, d, pin);
    }
}

static void put_forces(plan *p, dice *d, const thing *t)
{
    node *force = node_table(node_list(t->item, "forces"), "");
    double direction[3];
    const double area = 4 * p->cell * p->cell * t->vertices / 4, weight = 9.81 * t->density * area;
    const double size = weight * dice_draw(d, "force");
    dice_direction(d, direction);
    if (dice_unit(d) < 0.7)
        put_select(p, d, force, t);
    for (int c = 0; c < 3; c++)
        direction[c] *= size;
    node_numbers(force, "force", 3, direction);
    put_times(p, d, force);
}

static void put_pressure(plan *p, dice *d, const thing *t)
{
    node *pressure = node_table(t->item, "pressure");
    const char *kind = dice_choose(d, "pressure_kind");
    const double over = dice_draw(d, "pressure") * t->stretch / p->cell * (dice_unit(d) < 0.7 ? 1 : -1);
    node_word(pressure, "kind", kind);
    node_number(pressure, "over", is(kind, "gas") ? fmax(over, -9e4) : over);
    if (dice_unit(d) < 0.3)
        node_number(pressure, "ramp", p->duration * dice_unit(d));
    put_times(p, d, pressure);
}

static void put_groups(plan *p, dice *d, const thing *t)
{
    node *group = node_table(node_list(t->item, "groups"), "");
    put_select(p, d, group, t);
    node *material = node_table(group, "material");
    node_number(material, "density", dice_draw(d, "density"));
    node_number(material, "bending", dice_draw(d, "bending"));
}

void finish_body(plan *p, int number)
{
    const thing *t = &p->things[number];
    dice d = plan_dice(p, "pins", number);
    if (dice_chance(&d, "pins"))
        put_pins(p, &d, t);
    d = plan_dice(p, "velocity", number);
    put_velocity(p, &d, t);
    d = plan_dice(p, "forces", number);
    if (dice_chance(&d, "forces"))
        put_forces(p, &d, t);
    if (t->closed && dice_chance(&d, "pressure"))
        put_pressure(p, &d, t);
    if (dice_chance(&d, "groups") && !t->particles)
        put_groups(p, &d, t);
}
