/* torture/hands.c — see hands.h. SPDX-License-Identifier: Apache-2.0 */
#include "hands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dice.h"

void hands_begin(hands *h, uint64_t seed, const prc_sim_def *def)
{
    memset(h, 0, sizeof *h);
    h->seed = seed;
    h->def = *def;
    if (def->body_count > MOST_HELD || def->collider_count > MOST_HELD || def->pin_count > MOST_HELD)
        h->seed = 0;
    if (!h->seed)
        return;
    if (def->body_count)
        memcpy(h->bodies, def->bodies, sizeof *h->bodies * (size_t)def->body_count);
    if (def->collider_count)
        memcpy(h->colliders, def->colliders, sizeof *h->colliders * (size_t)def->collider_count);
    if (def->pin_count)
        memcpy(h->pins, def->pins, sizeof *h->pins * (size_t)def->pin_count);
    h->def.bodies = h->bodies;
    h->def.colliders = h->colliders;
    h->def.pins = h->pins;
}

/* What is asked for. */
typedef struct act {
    hands *h;
    prc_sim **sim;
    dice dice;
    double size; /* of the scene, m */
    bool *anew;
    prc_error *error;
} act;

/* Half of the box around everything, m. */
static double size_of(prc_sim *sim)
{
    const double *x = prc_sim_positions(sim);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    for (int k = 0; k < 3 * prc_sim_vertex_count(sim); k++) {
        low[k % 3] = fmin(low[k % 3], x[k]);
        high[k % 3] = fmax(high[k % 3], x[k]);
    }
    for (int c = 0; c < 3; c++)
        square += (high[c] - low[c]) * (high[c] - low[c]);
    return 0.5 * sqrt(square);
}

/* Any length up to the size of the scene, short ones as often as long ones. */
static double draw_length(act *a)
{
    return a->size * pow(10, dice_between(&a->dice, -3, 0));
}

static void draw_vector(act *a, double length, double v[3])
{
    dice_direction(&a->dice, v);
    for (int c = 0; c < 3; c++)
        v[c] *= length;
}

static prc_pose_key draw_pose(act *a)
{
    prc_pose_key pose = {.axis = {0, 1, 0}};
    draw_vector(a, draw_length(a), pose.translate);
    dice_direction(&a->dice, pose.axis);
    if (dice_unit(&a->dice) < 0.5)
        pose.degrees = dice_between(&a->dice, -180, 180);
    return pose;
}

/* --- acts --- */

static prc_result move_collider(act *a)
{
    const prc_pose_key pose = draw_pose(a);
    const int count = a->h->def.collider_count;
    return count ? prc_sim_move_collider(*a->sim, dice_whole(&a->dice, 0, count - 1),
                                         dice_unit(&a->dice) < 0.2 ? NULL : &pose, a->error)
                 : PRC_OK;
}

static prc_result move_obstacle(act *a)
{
    const prc_pose_key pose = draw_pose(a);
    const int count = a->h->def.obstacle_count;
    return count ? prc_sim_move_obstacle(*a->sim, dice_whole(&a->dice, 0, count - 1),
                                         dice_unit(&a->dice) < 0.2 ? NULL : &pose, a->error)
                 : PRC_OK;
}

static prc_result turn_gravity(act *a)
{
    double gravity[3];
    draw_vector(a, pow(10, dice_between(&a->dice, -1, 3)), gravity);
    return prc_sim_set_gravity(*a->sim, gravity, a->error);
}

static prc_result change_step(act *a)
{
    return prc_sim_set_step(*a->sim, prc_sim_step_length(*a->sim) * pow(2, dice_between(&a->dice, -3, 3)), a->error);
}

static prc_result change_friction(act *a)
{
    return prc_sim_set_friction(*a->sim, dice_whole(&a->dice, -1, a->h->def.body_count - 1), dice_unit(&a->dice),
                                a->error);
}

static prc_result pull(act *a)
{
    prc_grab_def grab = prc_grab_def_default();
    int held;
    grab.body = dice_whole(&a->dice, 0, a->h->def.body_count - 1);
    grab.vertex[0] = dice_whole(&a->dice, 0, prc_sim_body_vertex_count(*a->sim, grab.body) - 1);
    draw_vector(a, draw_length(a), grab.target);
    const double *x = prc_sim_positions(*a->sim) + 3 * (prc_sim_body_first_vertex(*a->sim, grab.body) + grab.vertex[0]);
    for (int c = 0; c < 3; c++)
        grab.target[c] += x[c];
    return prc_sim_grab(*a->sim, &grab, &held, a->error);
}

static void scale(double *value, double factor)
{
    *value *= factor;
}

/* Another def: a material, the thickness, the size of a collider, a pin that stops. */
static prc_result remake(act *a)
{
    hands *h = a->h;
    const hands before = *h;
    const double factor = pow(2, dice_between(&a->dice, -1, 1));
    const int kind = dice_whole(&a->dice, 0, 3);
    if (kind == 0)
        scale(&h->bodies[dice_whole(&a->dice, 0, h->def.body_count - 1)].material.stretch, factor * factor);
    else if (kind == 1)
        scale(&h->def.contact.thickness, factor);
    else if (kind == 2 && h->def.collider_count) {
        prc_collider_def *c = &h->colliders[dice_whole(&a->dice, 0, h->def.collider_count - 1)];
        double *sizes[] = {&c->radius, &c->radius_top, &c->length, &c->size[0], &c->size[1], &c->size[2]};
        for (int k = 0; k < 6; k++)
            scale(sizes[k], factor);
    } else if (kind == 3 && h->def.pin_count)
        h->pins[dice_whole(&a->dice, 0, h->def.pin_count - 1)].motion = prc_pin_def_default().motion;
    const prc_result result = prc_sim_remake(a->sim, &h->def, a->error);
    if (result == PRC_OK)
        *a->anew = true;
    else
        *h = before; /* its pointers are those into *h */
    return result;
}

/* Where everything is, but for one body or obstacle that is shifted, as seldom as not. */
static prc_result set_state(act *a)
{
    const int n = prc_sim_vertex_count(*a->sim), parts = a->h->def.body_count + a->h->def.obstacle_count,
              part = dice_whole(&a->dice, 0, parts - 1);
    const size_t bytes = sizeof(double) * 3 * (size_t)n;
    const int first = prc_sim_body_first_vertex(*a->sim, part), count = prc_sim_body_vertex_count(*a->sim, part);
    double *x = malloc(bytes), shift[3];
    if (!x)
        return PRC_OK;
    memcpy(x, prc_sim_positions(*a->sim), bytes);
    draw_vector(a, dice_unit(&a->dice) < 0.5 ? 0 : draw_length(a), shift);
    for (int k = 3 * first; k < 3 * (first + count); k++)
        x[k] += shift[k % 3];
    const prc_result result = prc_sim_set_state(*a->sim, x, NULL, a->error);
    free(x);
    if (result == PRC_OK)
        *a->anew = true;
    return result;
}

static prc_result save_and_restore(act *a)
{
    const size_t size = prc_sim_saved_size(*a->sim);
    void *bytes = malloc(size);
    if (!bytes)
        return PRC_OK;
    prc_sim_save(*a->sim, bytes);
    const prc_result result = prc_sim_restore(*a->sim, bytes, size, a->error);
    free(bytes);
    return result;
}

static prc_result (*const acts[])(act *a) = {move_collider, move_collider, move_obstacle,   turn_gravity,
                                             change_step,   pull,          change_friction, remake,
                                             remake,        set_state,     set_state,       save_and_restore};

#define ACTS ((int)(sizeof acts / sizeof *acts))
#define SHARE 0.4 /* of steps before which something is done */

prc_result hands_act(hands *h, int step, prc_sim **sim, bool *anew, prc_error *error)
{
    act a = {.h = h, .sim = sim, .anew = anew, .error = error};
    *anew = false;
    if (!h->seed)
        return PRC_OK;
    a.dice = dice_of(h->seed, "act", step, NULL);
    if (dice_unit(&a.dice) >= SHARE)
        return PRC_OK;
    a.size = size_of(*sim);
    for (int k = dice_whole(&a.dice, 1, 2); k > 0; k--) {
        const prc_result result = acts[dice_whole(&a.dice, 0, ACTS - 1)](&a);
        if (result != PRC_OK && result != PRC_ERROR_INPUT)
            return result;
    }
    return PRC_OK;
}
