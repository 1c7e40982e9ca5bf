/* torture/forces.c — springs and seams between the things of a scene. SPDX-License-Identifier: Apache-2.0 */
#include "generate.h"

#include <string.h>

static void put_end(plan *p, dice *d, node *spring, const char *key)
{
    const char *kind = dice_choose(d, "spring_end");
    const thing *t = &p->things[dice_whole(d, 0, p->body_count - 1)];
    node *end = node_table(spring, key);
    for (int k = p->body_count; k < p->thing_count && !strcmp(kind, "obstacle") && !strcmp(key, "to"); k++)
        if (p->things[k].name[0] == 'o')
            t = &p->things[k];
    if (!strcmp(kind, "point") && strcmp(key, "to") == 0) {
        double place[3];
        dice_direction(d, place);
        for (int c = 0; c < 3; c++)
            place[c] = t->center[c] + 3 * p->cell * place[c];
        node_numbers(end, "point", 3, place);
        return;
    }
    node_word(end, "body", t->name);
    const int half = t->vertices / 2, first = strcmp(key, "to") ? 0 : half; /* no vertex is tied to itself */
    if (!strcmp(kind, "edge") && half > 2 && !t->particles) {
        const int vertex = first + dice_whole(d, 0, half - 2);
        node_counts(end, "edge", 2, (const int[2]){vertex, vertex + 1});
        node_number(end, "at", dice_unit(d));
    } else
        node_count(end, "vertex", half ? first + dice_whole(d, 0, half - 1) : 0);
}

static void put_spring(plan *p, dice *d)
{
    node *list = node_get(p->root, "springs");
    node *spring = node_table(list ? list : node_list(p->root, "springs"), "");
    put_end(p, d, spring, "tie");
    put_end(p, d, spring, "to");
    node_number(spring, "stiffness", p->things[0].stretch * dice_draw(d, "spring"));
    if (dice_unit(d) < 0.6)
        node_number(spring, "length", p->cell * dice_between(d, 0, 3));
    if (dice_unit(d) < 0.3)
        node_word(spring, "rope", "true");
    if (dice_unit(d) < 0.3)
        node_number(spring, "damping", p->things[0].density * p->cell * p->cell / p->step);
    if (dice_unit(d) < 0.3)
        node_number(spring, "close_time", p->duration * dice_unit(d));
}

/* Vertices of two bodies, or of one, in order. */
static void put_seam(plan *p, dice *d)
{
    node *seam = node_table(node_list(p->root, "seams"), "");
    const int stitches = dice_whole(d, 1, 4);
    for (int side = 0; side < 2; side++) {
        const thing *t = &p->things[p->body_count > 1 ? side : 0];
        node *end = node_table(seam, side ? "to" : "tie");
        node *list;
        node_word(end, "body", t->name);
        list = node_list(end, "vertices");
        for (int k = 0; k < stitches; k++)
            node_count(list, "", (side ? t->vertices - 1 - k : k));
    }
    node_number(seam, "close_time", p->duration * dice_between(d, 0, 1));
    if (dice_unit(d) < 0.5)
        node_number(seam, "stiffness", p->things[0].stretch * dice_draw(d, "spring"));
}

void put_springs(plan *p)
{
    dice d = plan_dice(p, "springs", 0);
    if (dice_chance(&d, "springs"))
        for (int k = dice_whole(&d, 1, 3); k > 0; k--)
            put_spring(p, &d);
    d = plan_dice(p, "seams", 0);
    if (dice_chance(&d, "seams") && !p->things[0].particles && !(p->body_count > 1 && p->things[1].particles))
        put_seam(p, &d);
}
