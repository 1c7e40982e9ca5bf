/* step/live.c — settings that change between steps, things moved by hand, and grabs: percale/live.h.
 *
 * Most of it is a number of sim->def that the next step reads. What was made from such a number when the simulation was
 * (stiffness of the barrier, tolerance, coarse matrices) is made again. Materials are in too many arrays for that: for
 * them prc_sim_remake makes a simulation anew, which takes over the state.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/forces.h"
#include "step/frame.h"
#include "step/place.h"
#include "step/sim.h"
#include "step/start.h"
#include "step/state.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static bool all_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* --- settings --- */

/* What contact keeps on the host goes to the device; before it is changed it has to be there. */
static prc_result send_contact(prc_sim *sim, prc_error *error)
{
    if (sim->contact.table)
        sim->contact.table->send(&sim->contact);
    return prc_sim_status(sim, error);
}

/* After gravity or time.step have changed. */
static prc_result settle_settings(prc_sim *sim, prc_error *error)
{
    sim->def.solver.tolerance = prc_sim_choose_tolerance(sim);
    sim->coarse.ready = false;
    prc_step_aim(sim);
    if (!sim->contact.model)
        return PRC_OK;
    prc_sim_fetch(sim);
    prc_contact_restiffen(&sim->contact, &sim->def);
    return send_contact(sim, error);
}

prc_result prc_sim_set_gravity(prc_sim *sim, const double gravity[3], prc_error *error)
{
    if (prc_need(gravity, "gravity", error))
        return PRC_ERROR_INPUT;
    if (!all_finite(gravity, 3))
        return prc_fail(error, PRC_ERROR_INPUT, "gravity: [%g, %g, %g] is not finite", gravity[0], gravity[1],
                        gravity[2]);
    memcpy(sim->def.gravity, gravity, sizeof sim->def.gravity);
    return settle_settings(sim, error);
}

prc_result prc_sim_set_air(prc_sim *sim, const prc_air_def *air, prc_error *error)
{
    if (prc_need(air, "air", error))
        return PRC_ERROR_INPUT;
    const double strength[5] = {air->density, air->drag, air->gusts.strength, air->gusts.period, air->gusts.length};
    bool sound = all_finite(strength, 5) && all_finite(air->wind, 3);
    for (int k = 0; k < 5; k++)
        sound = sound && strength[k] >= 0;
    if (!sound || (air->gusts.strength > 0 && !(air->gusts.period > 0)))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "air: density %g, drag %g, wind [%g, %g, %g], gusts of %g m/s in %g s over %g m: expected "
                        "finite numbers, only the wind may be negative, and gusts need a period",
                        air->density, air->drag, air->wind[0], air->wind[1], air->wind[2], air->gusts.strength,
                        air->gusts.period, air->gusts.length);
    sim->def.air = *air;
    return PRC_OK;
}

prc_result prc_sim_set_wind(prc_sim *sim, const double wind[3], prc_error *error)
{
    prc_air_def air = sim->def.air;
    if (prc_need(wind, "air.wind", error))
        return PRC_ERROR_INPUT;
    memcpy(air.wind, wind, sizeof air.wind);
    return prc_sim_set_air(sim, &air, error);
}

prc_result prc_sim_set_step(prc_sim *sim, double step, prc_error *error)
{
    if (!(step > 0) || !isfinite(step))
        return prc_fail(error, PRC_ERROR_INPUT, "time.step: %g s; expected more than 0", step);
    sim->def.time.step = step;
    return settle_settings(sim, error);
}

static prc_result need_contact(const prc_sim *sim, const char *what, prc_error *error)
{
    return sim->contact.model ? PRC_OK
                              : prc_fail(error, PRC_ERROR_INPUT, "%s needs contact; set contact.enabled: true", what);
}

static prc_result settle_friction(prc_sim *sim, prc_error *error)
{
    sim->def.solver.tolerance = prc_sim_choose_tolerance(sim);
    return send_contact(sim, error);
}

prc_result prc_sim_set_friction(prc_sim *sim, int body, double friction, prc_error *error)
{
    prc_contact_bodies *bodies = &sim->contact.bodies;
    prc_result result = need_contact(sim, "friction", error);
    if (result != PRC_OK)
        return result;
    if (body < -1 || body >= prc_sim_body_count(sim))
        return prc_fail(error, PRC_ERROR_INPUT, "friction: body %d; there are %d bodies and obstacles; −1 means all",
                        body, prc_sim_body_count(sim));
    if (!(friction >= 0) || !isfinite(friction))
        return prc_fail(error, PRC_ERROR_INPUT, "friction: %g; expected 0 or more", friction);
    prc_sim_fetch(sim);
    for (int b = 0; b < bodies->count; b++)
        if (body == b || (body < 0 && !bodies->own_friction[b]))
            bodies->friction[b] = friction;
    if (body >= 0)
        bodies->own_friction[body] = true;
    else
        sim->def.contact.friction = friction;
    return settle_friction(sim, error);
}

static prc_result find_collider(const prc_sim *sim, int collider, prc_error *error)
{
    prc_result result = need_contact(sim, "a collider", error);
    if (result == PRC_OK && (collider < 0 || collider >= sim->collider_count))
        result = prc_fail(error, PRC_ERROR_INPUT, "colliders[%d]: there are %d", collider, sim->collider_count);
    return result;
}

prc_result prc_sim_set_collider_friction(prc_sim *sim, int collider, double friction, prc_error *error)
{
    prc_result result = find_collider(sim, collider, error);
    if (result != PRC_OK)
        return result;
    if (!isfinite(friction))
        return prc_fail(error, PRC_ERROR_INPUT, "colliders[%d].friction: %g; expected a finite number", collider,
                        friction);
    prc_sim_fetch(sim);
    sim->contact.colliders[collider].friction = friction < 0 ? -1 : friction;
    for (int k = 0; k < sim->shell_count; k++)
        if (sim->shells[k].collider == collider)
            sim->contact.bodies.friction[sim->shells[k].body] = prc_shell_friction(friction);
    return settle_friction(sim, error);
}

void prc_sim_gravity(const prc_sim *sim, double gravity[3])
{
    memcpy(gravity, sim->def.gravity, sizeof sim->def.gravity);
}

prc_air_def prc_sim_air(const prc_sim *sim)
{
    return sim->def.air;
}

double prc_sim_step_length(const prc_sim *sim)
{
    return sim->def.time.step;
}

double prc_sim_friction(const prc_sim *sim, int body)
{
    const prc_contact_bodies *bodies = &sim->contact.bodies;
    return sim->contact.model && body >= 0 && body < bodies->count ? bodies->friction[body] : 0;
}

/* --- by hand --- */

static prc_result check_pose(const prc_pose_key *pose, prc_error *error)
{
    const double *axis = pose->axis;
    if (!all_finite(pose->translate, 3) || !all_finite(axis, 3) || !isfinite(pose->degrees))
        return prc_fail(error, PRC_ERROR_INPUT, "a pose is not finite");
    if (pose->degrees != 0 && !(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2] > 0))
        return prc_fail(error, PRC_ERROR_INPUT, "a pose rotates by %g degrees, but its axis is zero", pose->degrees);
    return PRC_OK;
}

/* The motion that is in force; a pose stays where it is in the hand. */
static prc_motion_def take_in_hand(prc_hand *hand, const prc_pose_key *pose, const double center[3])
{
    prc_motion_def motion = hand->own;
    hand->holds = pose != NULL;
    if (!pose)
        return motion;
    hand->pose = *pose;
    memset(&motion, 0, sizeof motion);
    memcpy(motion.center, center, sizeof motion.center);
    motion.keys = &hand->pose;
    motion.key_count = 1;
    return motion;
}

static void hold_collider(prc_sim *sim, int s, const prc_pose_key *pose)
{
    prc_collider_def *collider = &sim->colliders[s];
    collider->motion = take_in_hand(&sim->collider_hand[s], pose, collider->center);
}

static void hold_obstacle(prc_sim *sim, int o, const prc_pose_key *pose)
{
    prc_hand *hand = &sim->obstacle_hand[o];
    sim->obstacles[o].motion = take_in_hand(hand, pose, hand->own.center);
}

prc_result prc_sim_move_collider(prc_sim *sim, int collider, const prc_pose_key *pose, prc_error *error)
{
    prc_result result = find_collider(sim, collider, error);
    if (result == PRC_OK && pose)
        result = check_pose(pose, error);
    if (result == PRC_OK)
        hold_collider(sim, collider, pose);
    return result;
}

prc_result prc_sim_move_obstacle(prc_sim *sim, int obstacle, const prc_pose_key *pose, prc_error *error)
{
    const int obstacles = sim->obstacle_count - sim->shell_count;
    if (obstacle < 0 || obstacle >= obstacles)
        return prc_fail(error, PRC_ERROR_INPUT, "obstacles[%d]: there are %d", obstacle, obstacles);
    const prc_result result = pose ? check_pose(pose, error) : PRC_OK;
    if (result == PRC_OK)
        hold_obstacle(sim, obstacle, pose);
    return result;
}

int prc_sim_collider_count(const prc_sim *sim)
{
    return sim->collider_count;
}

void prc_sim_collider_pose(const prc_sim *sim, int collider, double turn[9], double shift[3])
{
    prc_collider_def put = sim->colliders[collider];
    memset(&put.motion, 0, sizeof put.motion);
    const prc_pose from = prc_collider_at(&put, sim->fields[collider], 0, -1).now,
                   *now = &sim->contact.colliders[collider].now;
    for (int i = 0; i < 3; i++) {
        shift[i] = now->shift[i];
        for (int j = 0; j < 3; j++) {
            turn[3 * i + j] = now->turn[i][0] * from.turn[j][0] + now->turn[i][1] * from.turn[j][1] +
                              now->turn[i][2] * from.turn[j][2];
            shift[i] -= turn[3 * i + j] * from.shift[j];
        }
    }
}

/* --- grabs --- */

prc_grab_def prc_grab_def_default(void)
{
    return (prc_grab_def){.weight = {1, 0, 0}};
}

static prc_result check_grab(const prc_sim *sim, const prc_grab_def *def, prc_error *error)
{
    const double numbers[9] = {def->weight[0], def->weight[1], def->weight[2], def->target[0], def->target[1],
                               def->target[2], def->stiffness, def->damping,   def->limit};
    const int bodies = sim->model.body_count - sim->model.obstacle_count;
    if (!all_finite(numbers, 9) || def->stiffness < 0 || def->damping < 0 || def->limit < 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "grab: expected finite numbers, and stiffness, damping and limit of 0 or more");
    if (def->body < 0 || def->body >= bodies)
        return prc_fail(error, PRC_ERROR_INPUT, "grab.body: %d; there are %d bodies, and only they can be grabbed",
                        def->body, bodies);
    const int vertices = sim->model.bodies[def->body].vertex_count;
    double sum = 0;
    for (int p = 0; p < 3; p++) {
        sum += def->weight[p];
        if (def->weight[p] != 0 && (def->vertex[p] < 0 || def->vertex[p] >= vertices))
            return prc_fail(error, PRC_ERROR_INPUT, "grab.vertex: %d; body %d has %d", def->vertex[p], def->body,
                            vertices);
        for (int q = 0; q < p; q++)
            if (def->weight[p] != 0 && def->weight[q] != 0 && def->vertex[p] == def->vertex[q])
                return prc_fail(error, PRC_ERROR_INPUT, "grab.vertex: %d is given twice; give it once, with one weight",
                                def->vertex[p]);
    }
    if (!(fabs(sum - 1) < 1e-6))
        return prc_fail(error, PRC_ERROR_INPUT, "grab.weight: adds up to %g; expected 1", sum);
    return PRC_OK;
}

prc_result prc_sim_grab(prc_sim *sim, const prc_grab_def *def, int *grab, prc_error *error)
{
    int slot = 0;
    if (prc_need(def, "grab", error) || prc_need(grab, "the number of the grab", error))
        return PRC_ERROR_INPUT;
    prc_result result = check_grab(sim, def, error);
    if (result != PRC_OK)
        return result;
    while (slot < PRC_GRABS && sim->grabbed[slot])
        slot++;
    if (slot == PRC_GRABS)
        return prc_fail(error, PRC_ERROR_INPUT, "%d grabs are active already; end one first", PRC_GRABS);
    result = prc_forces_grab(sim, slot, def, error);
    if (result != PRC_OK)
        return result;
    sim->grabbed[slot] = true;
    *grab = slot;
    return PRC_OK;
}

static bool is_grab(const prc_sim *sim, int grab)
{
    return grab >= 0 && grab < PRC_GRABS && sim->grabbed[grab];
}

prc_result prc_sim_grab_move(prc_sim *sim, int grab, const double target[3], prc_error *error)
{
    if (!is_grab(sim, grab))
        return prc_fail(error, PRC_ERROR_INPUT, "grab %d: there is no grab with this number", grab);
    if (prc_need(target, "the target of the grab", error))
        return PRC_ERROR_INPUT;
    if (!all_finite(target, 3))
        return prc_fail(error, PRC_ERROR_INPUT, "grab %d: its target is not finite", grab);
    prc_forces_grab_move(sim, grab, target);
    return prc_sim_status(sim, error);
}

void prc_sim_grab_end(prc_sim *sim, int grab)
{
    if (!is_grab(sim, grab))
        return;
    sim->grabbed[grab] = false;
    /* Without memory for the rows on a device it stays, and pulls no more: that needs none. */
    if (prc_forces_grab(sim, grab, NULL, NULL) != PRC_OK)
        prc_forces_grab_move(sim, grab, (const double[3]){0, 0, 0});
}

bool prc_sim_grab_read(prc_sim *sim, int grab, double point[3], double *force)
{
    if (!is_grab(sim, grab))
        return false;
    const int k = sim->springs.own + grab;
    const prc_active *row = &sim->springs.rows.rows[k];
    double distance;
    prc_sim_spring(sim, k, &distance, force);
    const double *x = prc_field_position(&sim->model.view);
    for (long c = 0; point && c < 3; c++) {
        point[c] = 0;
        for (int p = 0; p < row->count; p++)
            point[c] -= row->w[p] * x[c * sim->view.padded_count + row->v[p]];
    }
    return true;
}

/* --- another def --- */

/* Whether a state of one is a state of the other. */
static prc_result compare(const prc_sim *a, const prc_sim *b, prc_error *error)
{
    const prc_model *m = &a->model, *n = &b->model;
    const char *differs = NULL;
    if (m->vertex_count != n->vertex_count || m->body_count != n->body_count || m->elastic_count != n->elastic_count ||
        memcmp(m->caller_of, n->caller_of, (size_t)m->vertex_count * sizeof *m->caller_of) != 0)
        differs = "meshes";
    else if (!a->contact.model != !b->contact.model)
        differs = "contact.enabled";
    else if (a->collider_count != b->collider_count || a->obstacle_count != b->obstacle_count)
        differs = "colliders or obstacles";
    else if (a->springs.own != b->springs.own)
        differs = "springs";
    else if (a->pin_count != b->pin_count)
        differs = "pins";
    for (int p = 0; !differs && p < a->pin_count; p++)
        if (a->pins[p].vertex_count != b->pins[p].vertex_count ||
            memcmp(a->pins[p].vertices, b->pins[p].vertices, sizeof(int) * (size_t)a->pins[p].vertex_count) != 0)
            differs = "pins";
    if (differs)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s are not those of the running simulation: only numbers may differ; create a new simulation",
                        differs);
    return PRC_OK;
}

/* As it was in the old one, whose numbers may be others now. */
static void take_over_stiffness(prc_contact_set *to, const prc_contact_set *from)
{
    for (int i = 0; i < to->model->elastic_count; i++)
        to->adapted[i] = to->stiffness[i] * prc_contact_hardening(from, i);
}

static void take_over_hands(prc_sim *to, const prc_sim *from)
{
    for (int s = 0; s < to->collider_count; s++)
        if (from->collider_hand[s].holds)
            hold_collider(to, s, &from->collider_hand[s].pose);
    for (int o = 0; o < to->obstacle_count; o++)
        if (from->obstacle_hand[o].holds)
            hold_obstacle(to, o, &from->obstacle_hand[o].pose);
    to->trace = from->trace;
    to->trace_context = from->trace_context;
}

/* Springs that hands made, where they are. */
static prc_result take_over_grabs(prc_sim *to, const prc_sim *from, prc_error *error)
{
    for (int g = 0; g < PRC_GRABS; g++) {
        if (!from->grabbed[g])
            continue;
        const prc_spring *spring = &from->springs.springs[from->springs.own + g];
        const prc_active *row = &from->springs.rows.rows[from->springs.own + g];
        const int body = from->model.body_of[row->v[0]], first = from->model.bodies[body].first_vertex;
        prc_grab_def def = {.body = body,
                            .stiffness = spring->stiffness,
                            .damping = spring->damping,
                            .limit = spring->limit,
                            .target = {spring->anchor[0], spring->anchor[1], spring->anchor[2]}};
        for (int p = 0; p < row->count; p++) {
            def.vertex[p] = from->model.caller_of[row->v[p]] - first;
            def.weight[p] = -row->w[p];
        }
        const prc_result result = prc_forces_grab(to, g, &def, error);
        if (result != PRC_OK)
            return result;
        to->grabbed[g] = true;
    }
    return PRC_OK;
}

static bool same_shape(const prc_shape *a, const prc_shape *b)
{
    return a->kind == b->kind && a->radius == b->radius && a->radius_top == b->radius_top &&
           a->half_length == b->half_length && memcmp(a->half_size, b->half_size, sizeof a->half_size) == 0;
}

/* Whether contact keeps things as far apart as before: a state of the old one is safe in the new one then. */
static bool as_thick(const prc_contact_set *a, const prc_contact_set *b)
{
    const size_t n = (size_t)a->stride;
    for (int s = 0; s < a->collider_count; s++) /* surfaces of meshes are vertices */
        if (!same_shape(&a->colliders[s].shape, &b->colliders[s].shape))
            return false;
    return memcmp(a->half, b->half, n * sizeof *a->half) == 0 &&
           memcmp(a->half_d_hat, b->half_d_hat, n * sizeof *a->half_d_hat) == 0 &&
           memcmp(a->rest, b->rest, 3 * n * sizeof *a->rest) == 0;
}

prc_result prc_sim_remake(prc_sim **sim, const prc_sim_def *def, prc_error *error)
{
    if (prc_need(sim, "the simulation", error) || prc_need(*sim, "the simulation", error))
        return PRC_ERROR_INPUT;
    prc_sim *old = *sim, *made = prc_sim_create_untreated(def, error);
    if (!made)
        return error ? error->code : PRC_ERROR_INPUT;
    prc_result result = compare(old, made, error);
    if (result == PRC_OK)
        result = prc_sim_take_over(made, old, error);
    if (result == PRC_OK) {
        prc_sim_pins_stay(made);
        prc_step_aim(made);
        take_over_hands(made, old);
    }
    if (result == PRC_OK && made->contact.model) {
        take_over_stiffness(&made->contact, &old->contact);
        prc_contact_take_over_near(&made->contact, &old->contact);
        if (!as_thick(&made->contact, &old->contact))
            result = prc_start_settle(made, error);
    }
    if (result == PRC_OK)
        result = prc_place_move(made, error);
    if (result == PRC_OK)
        result = take_over_grabs(made, old, error);
    if (result == PRC_OK)
        result = prc_sim_set_interrupt(made, old->interrupt.wanted, old->interrupt.context, error);
    prc_sim_destroy(result == PRC_OK ? old : made);
    if (result == PRC_OK)
        *sim = made;
    return result;
}
