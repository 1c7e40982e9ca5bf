/* step/contacts.c — which contacts a state has, and how far its vertices may move: for people, between steps.
 *
 * Found on the host, wherever the simulation runs, by the same search and formulas as in a step. A step finds all of it
 * anew when it begins, so looking changes nothing. SPDX-License-Identifier: Apache-2.0 */
#include "step/place.h"
#include "step/shells.h"
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"
#include "kernel/contact_response.h"

#include <math.h>
#include <string.h>

/* What a search counts: that of the last step stays in the set. */
typedef struct tallies {
    int contact_count, pair_count, active_count, detections, lagged_count;
    double smallest_gap, seconds_broad, seconds_bounds, seconds_forces, friction_eps;
} tallies;

static tallies read_tallies(const prc_contact_set *set)
{
    return (tallies){.contact_count = set->contact_count,
                     .pair_count = set->pair_count,
                     .active_count = set->active.count,
                     .detections = set->detections,
                     .lagged_count = set->lagged_count,
                     .smallest_gap = set->smallest_gap,
                     .seconds_broad = set->seconds_broad,
                     .seconds_bounds = set->seconds_bounds,
                     .seconds_forces = set->seconds_forces,
                     .friction_eps = set->friction_eps};
}

static void write_tallies(prc_contact_set *set, const tallies *t)
{
    set->contact_count = t->contact_count;
    set->pair_count = t->pair_count;
    set->active.count = t->active_count;
    set->detections = t->detections;
    set->lagged_count = t->lagged_count;
    set->smallest_gap = t->smallest_gap;
    set->seconds_broad = t->seconds_broad;
    set->seconds_bounds = t->seconds_bounds;
    set->seconds_forces = t->seconds_forces;
    set->friction_eps = t->friction_eps;
}

/* The contacts of the state, in the host's set, with balls for a move like the last one. */
static prc_result search(prc_sim *sim, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const prc_view *v = &sim->model.view;
    const double *x = prc_field_position(v), *before = prc_field_position_before(v);
    const size_t n = 3 * (size_t)sim->view.padded_count;
    double *move = sim->work.columns;
    for (size_t k = 0; k < n; k++) {
        move[k] = x[k] - before[k];
        set->anchor[k] = x[k]; /* where a step had it, nobody knows on a device */
    }
    set->lagged_count = 0;
    return prc_contact_detect(set, x, move, error);
}

/* --- points --- */

static void describe(const prc_sim *sim, const prc_contact *k, const prc_active *row, prc_contact_point *to)
{
    const prc_model *m = &sim->model;
    const double *x = prc_field_position(&m->view);
    bool swapped; /* what is not the collider is side A */
    memset(to, 0, sizeof *to);
    to->gap = prc_contact_bound(k) - k->xi;
    to->collider = prc_contact_collider(sim, k, &swapped);
    const int first = swapped ? k->side_a : 0, count = swapped ? k->count - k->side_a : k->side_a;
    const double sign = swapped ? -1 : 1;
    to->a_count = count;
    to->b_count = to->collider >= 0 ? 0 : k->count - count;
    to->body[0] = m->body_of[k->v[first]];
    to->body[1] = to->collider >= 0 ? -1 : m->body_of[k->v[3]];
    for (int p = 0; p < to->a_count + to->b_count; p++)
        to->vertices[p] = m->caller_of[k->v[first + p]];
    for (int c = 0; c < 3; c++) {
        to->normal[c] = sign * k->n[c];
        to->force[c] = -sign * row->f[c]; /* f is the gradient */
        for (int p = first; p < first + count; p++)
            to->point[c] += sign * k->w[p] * x[(long)c * sim->view.padded_count + k->v[p]];
    }
}

static prc_result list_contacts(prc_sim *sim, int *count, prc_error *error)
{
    prc_contact_set *set = &sim->contact;
    const prc_view *v = &sim->model.view;
    prc_result result = search(sim, error);
    if (result != PRC_OK)
        return result;
    prc_contact_forces(set, prc_field_position(v), prc_field_position_before(v), sim->step_before);
    if (set->active.count > sim->out.contact_capacity) {
        const int room = set->active.count + set->active.count / 2;
        prc_contact_point *points = PRC_NEW(prc_contact_point, room);
        if (!points)
            return PRC_FAIL_MEMORY(error);
        prc_free(sim->out.contacts);
        sim->out.contacts = points;
        sim->out.contact_capacity = room;
    }
    const prc_contact_view view = prc_contact_see(set);
    *count = 0;
    for (int k = 0, row = 0; k < set->contact_count; k++) {
        if (!prc_contact_is_felt(&view, k))
            continue;
        if (!prc_contact_rocks(&set->contacts[k])) {
            describe(sim, &set->contacts[k], &set->active.rows[row], &sim->out.contacts[*count]);
            ++*count;
        }
        row++; /* they are in this order */
    }
    return PRC_OK;
}

prc_result prc_sim_contacts(prc_sim *sim, const prc_contact_point **points, int *count, prc_error *error)
{
    if (prc_need(points, "points", error) || prc_need(count, "count", error))
        return PRC_ERROR_INPUT;
    *points = NULL;
    *count = 0;
    if (!sim->contact.model)
        return PRC_OK;
    prc_sim_fetch(sim);
    const prc_site back = prc_sim_visit_host(sim);
    const tallies before = read_tallies(&sim->contact);
    const prc_result result = list_contacts(sim, count, error);
    write_tallies(&sim->contact, &before);
    prc_sim_visit_end(sim, &back);
    *points = sim->out.contacts;
    return result;
}

/* --- bounds --- */

const double *prc_sim_safe_bounds(prc_sim *sim)
{
    const int vertices = sim->model.vertex_count;
    if (!sim->out.bounds)
        sim->out.bounds = PRC_NEW(double, vertices);
    if (!sim->out.bounds)
        return NULL;
    for (int i = 0; i < vertices; i++)
        sim->out.bounds[i] = INFINITY;
    if (!sim->contact.model)
        return sim->out.bounds;
    prc_sim_fetch(sim);
    const prc_site back = prc_sim_visit_host(sim);
    const tallies before = read_tallies(&sim->contact);
    const prc_contact_set *set = &sim->contact;
    const bool found = search(sim, NULL) == PRC_OK;
    for (int i = 0; found && i < vertices; i++) {
        double *bound = &sim->out.bounds[sim->model.caller_of[i]];
        *bound = set->ball[i];
        for (int e = set->of_start[i]; e < set->of_start[i + 1]; e++)
            *bound = fmin(*bound, set->contacts[set->of[e] / 4].margin[set->of[e] % 4]);
    }
    write_tallies(&sim->contact, &before);
    prc_sim_visit_end(sim, &back);
    return found ? sim->out.bounds : NULL;
}
