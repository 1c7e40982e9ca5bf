/* contact/bodies.c — see bodies.h. Pairs are a sorted list, not a table: bodies may be many, special pairs are few.
 * SPDX-License-Identifier: Apache-2.0 */
#include "contact/bodies.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/contact.h"
#include "model/obstacles.h"
#include "schema/schema.h"

#include <math.h>
#include <string.h>

/* A pair that is given twice has what the later one says. */
static void insert(prc_contact_bodies *b, prc_contact_pair_def pair)
{
    if (pair.bodies[0] > pair.bodies[1]) {
        const int swapped = pair.bodies[0];
        pair.bodies[0] = pair.bodies[1];
        pair.bodies[1] = swapped;
    }
    const int at = prc_body_pair_place(b->pairs, b->pair_count, pair.bodies[0], pair.bodies[1]);
    if (at == b->pair_count || prc_body_pair_compare(&b->pairs[at], pair.bodies[0], pair.bodies[1]) != 0) {
        memmove(b->pairs + at + 1, b->pairs + at, sizeof *b->pairs * (size_t)(b->pair_count - at));
        b->pair_count++;
    }
    b->pairs[at] = pair;
}

/* The surface of a collider adds no thickness to that of cloth, and pairs with it have the d_hat of cloth: its own has
 * to reach as far as that of any. */
static void add_shells(prc_contact_bodies *b, const prc_sim_def *def)
{
    for (int i = def->body_count; i < b->count; i++) {
        const prc_obstacle_def *shell = &def->obstacles[i - def->body_count];
        if (!prc_obstacle_is_shell(shell))
            continue;
        b->thickness[i] = 0;
        b->d_hat[i] = b->largest_d_hat;
        b->own_friction[i] = true;
        b->friction[i] = prc_shell_friction(shell->friction);
    }
}

prc_result prc_contact_bodies_create(prc_contact_bodies *b, const prc_sim_def *def, int count, prc_error *error)
{
    const prc_contact_def *contact = &def->contact;
    memset(b, 0, sizeof *b);
    b->count = count;
    b->thickness = PRC_NEW(double, count);
    b->d_hat = PRC_NEW(double, count);
    b->friction = PRC_NEW(double, count);
    b->own_friction = PRC_NEW(bool, count);
    b->pairs = PRC_NEW(prc_contact_pair_def, contact->pair_count + 1);
    if (!b->thickness || !b->d_hat || !b->friction || !b->own_friction || !b->pairs)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < count; i++) {
        const bool obstacle = i >= def->body_count;
        if (obstacle && prc_obstacle_is_shell(&def->obstacles[i - def->body_count]))
            continue;
        const double thickness = obstacle ? def->obstacles[i - def->body_count].contact_thickness
                                 : def->bodies[i].kind == PRC_BODY_PARTICLES ? 2 * def->bodies[i].particle.radius
                                                                             : def->bodies[i].contact_thickness;
        const double friction = obstacle ? def->obstacles[i - def->body_count].friction : def->bodies[i].friction;
        b->thickness[i] = thickness > 0 ? thickness : contact->thickness;
        b->d_hat[i] = prc_schema_d_hat(contact, obstacle ? PRC_BODY_MEMBRANE : def->bodies[i].kind, b->thickness[i]);
        b->own_friction[i] = friction >= 0;
        b->friction[i] = b->own_friction[i] ? friction : contact->friction;
        b->largest_thickness = fmax(b->largest_thickness, b->thickness[i]);
        b->largest_d_hat = fmax(b->largest_d_hat, b->d_hat[i]);
    }
    add_shells(b, def);
    for (int k = 0; k < contact->pair_count; k++)
        insert(b, contact->pairs[k]);
    return PRC_OK;
}

void prc_contact_bodies_release(prc_contact_bodies *b)
{
    prc_free(b->thickness);
    prc_free(b->d_hat);
    prc_free(b->friction);
    prc_free(b->own_friction);
    prc_free(b->pairs);
    memset(b, 0, sizeof *b);
}

double prc_contact_bodies_friction(const prc_contact_bodies *b, int i, int j)
{
    return prc_body_pair_friction(b->friction, b->pairs, b->pair_count, i, j);
}
