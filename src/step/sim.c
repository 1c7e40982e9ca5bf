/* step/sim.c — making, reading and ending a simulation: the public functions of percale/sim.h apart from the step.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"
#include "step/forces.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/place.h"
#include "step/shells.h"
#include "step/start.h"
#include "step/state.h"

#include "backend/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "collider/sdf.h"
#include "schema/schema.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static prc_result create_loads(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    sim->loads = PRC_NEW(prc_load_case, def->force_count);
    if (!sim->loads)
        return PRC_FAIL_MEMORY(error);
    for (int f = 0; f < def->force_count; f++) {
        const prc_force_def *from = &def->forces[f];
        const prc_body *body = &sim->model.bodies[from->body];
        prc_load_case *load = &sim->loads[sim->load_count++];
        load->vertex_count = from->vertices ? from->vertex_count : body->vertex_count;
        load->vertices = PRC_NEW(int, load->vertex_count);
        if (!load->vertices)
            return PRC_FAIL_MEMORY(error);
        for (int k = 0; k < load->vertex_count; k++) {
            load->vertices[k] = sim->model.internal_of[body->first_vertex + (from->vertices ? from->vertices[k] : k)];
            load->area += sim->model.area[load->vertices[k]];
        }
        memcpy(load->force, from->force, sizeof load->force);
        load->from = from->from;
        load->until = from->until;
    }
    return PRC_OK;
}

/* The field of a collider that is a mesh: the one given, or made now. */
static prc_result create_field(prc_sim *sim, const prc_sim_def *def, int index, prc_error *error)
{
    const prc_collider_def *from = &def->colliders[index];
    const double *half = from->field ? from->field->half_size : NULL;
    const double longest_side = half         ? 2 * fmax(half[0], fmax(half[1], half[2]))
                                : from->mesh ? prc_sdf_longest_side(from->mesh)
                                             : 0;
    const double margin = prc_sdf_margin(def, longest_side);
    prc_error why;
    sim->fields[index] = from->field
                             ? prc_sdf_copy(from->field, &why)
                             : prc_sdf_build_thin(from->mesh, from->resolution, margin, sim->view.threads, &why);
    if (!sim->fields[index])
        return prc_fail(error, why.code, "colliders[%d].%.450s", index, why.message);
    if (prc_sdf_band(sim->fields[index]) < margin / 2)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "colliders[%d].field: covers %.4g m from its surface, but contact needs %.4g m; build it with "
                        "a larger margin",
                        index, prc_sdf_band(sim->fields[index]), margin / 2);
    return PRC_OK;
}

/* The sim's own copies of the colliders and of what they point to. */
static prc_result create_colliders(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    sim->colliders = PRC_NEW(prc_collider_def, def->collider_count);
    sim->fields = PRC_NEW(prc_sdf *, def->collider_count);
    sim->collider_hand = PRC_NEW(prc_hand, def->collider_count);
    if (!sim->colliders || !sim->fields || !sim->collider_hand)
        return PRC_FAIL_MEMORY(error);
    for (int s = 0; s < def->collider_count; s++) {
        prc_collider_def *collider = &sim->colliders[s];
        prc_pose_key *keys = PRC_NEW(prc_pose_key, def->colliders[s].motion.key_count);
        if (!keys)
            return PRC_FAIL_MEMORY(error);
        *collider = def->colliders[s];
        collider->mesh = NULL;
        collider->field = NULL;
        if (collider->motion.key_count > 0)
            memcpy(keys, collider->motion.keys, sizeof *keys * (size_t)collider->motion.key_count);
        collider->motion.keys = keys;
        sim->collider_hand[s].own = collider->motion;
        sim->collider_count++;
        prc_result result = collider->shape == PRC_SHAPE_MESH ? create_field(sim, def, s, error) : PRC_OK;
        if (result != PRC_OK)
            return result;
    }
    return PRC_OK;
}

/* Who moves each vertex. Where two pins have the same one, the last that holds says; one that does not hold for good
 * may move what another holds. */
static void tell_motions(const prc_sim *sim, unsigned char *motion)
{
    for (int i = 0; i < sim->model.vertex_count; i++)
        motion[i] = i < sim->model.elastic_count ? PRC_MOTION_FREE : PRC_MOTION_OBSTACLE;
    for (int p = 0; p < sim->pin_count; p++) {
        const prc_pin *pin = &sim->pins[p];
        const bool for_good = prc_pin_is_for_good(&pin->def), rests = for_good && prc_pin_rests(&pin->def);
        for (int k = 0; k < pin->vertex_count; k++) {
            unsigned char *own = &motion[pin->vertices[k]];
            if (for_good)
                *own = rests ? PRC_MOTION_RESTS : PRC_MOTION_PINNED;
            else if (*own == PRC_MOTION_RESTS)
                *own = PRC_MOTION_PINNED;
        }
    }
}

static prc_result create_contact(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    const size_t n = (size_t)sim->view.padded_count;
    double *work = PRC_NEW(double, prc_contact_vectors_size(n));
    if (work)
        sim->contact_work = prc_contact_vectors_at(work, n);
    sim->obstacle = PRC_NEW(bool, sim->model.vertex_count);
    sim->colliders_before = PRC_NEW(prc_collider, def->collider_count);
    if (!work || !sim->obstacle || !sim->colliders_before)
        return PRC_FAIL_MEMORY(error);
    tell_motions(sim, sim->pinned_now);
    for (int i = 0; i < sim->model.vertex_count; i++)
        sim->obstacle[i] = sim->pinned_now[i] == PRC_MOTION_OBSTACLE;
    prc_result result = prc_contact_create(&sim->contact, def, &sim->model, sim->pinned_now, sim->view.threads, error);
    for (int o = 0; result == PRC_OK && o < sim->obstacle_count; o++) {
        const prc_obstacle *obstacle = &sim->obstacles[o];
        const prc_pose pose = prc_obstacle_pose(sim, o, 0);
        if (!obstacle->animate)
            prc_rigids_shape(&sim->contact.rigids, &sim->model, o, obstacle->shape, &pose);
    }
    for (int s = 0; result == PRC_OK && s < sim->contact.collider_count; s++)
        sim->contact.colliders[s] = prc_collider_at(&sim->colliders[s], sim->fields[s], 0, -1);
    return result == PRC_OK ? prc_contact_choose_faces(&sim->contact, error) : result;
}

static prc_result create_obstacles(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    const prc_model *m = &sim->model;
    const size_t vertices = (size_t)(m->vertex_count - m->elastic_count);
    sim->obstacles = PRC_NEW(prc_obstacle, def->obstacle_count);
    sim->obstacle_hand = PRC_NEW(prc_hand, def->obstacle_count);
    sim->obstacle_target = PRC_NEW(double, 3 * vertices);
    if (!sim->obstacles || !sim->obstacle_hand || !sim->obstacle_target)
        return PRC_FAIL_MEMORY(error);
    for (int o = 0; o < def->obstacle_count; o++) {
        sim->obstacle_count++;
        prc_result result = prc_obstacle_create(&sim->obstacles[o], &def->obstacles[o], error);
        if (result != PRC_OK)
            return result;
        sim->obstacle_hand[o].own = sim->obstacles[o].motion;
    }
    prc_result result = prc_obstacles_aim(sim, 0, error);
    memcpy(m->position + 3L * m->elastic_count, sim->obstacle_target, 3 * vertices * sizeof(double));
    return result;
}

prc_result prc_obstacles_aim(prc_sim *sim, double time, prc_error *error)
{
    double *target = sim->obstacle_target;
    for (int o = 0; o < sim->obstacle_count; o++) {
        const prc_pose pose = prc_obstacle_pose(sim, o, time);
        const prc_shell *shell = prc_shell_of_body(sim, sim->model.body_count - sim->model.obstacle_count + o);
        if (!prc_obstacle_target(&sim->obstacles[o], time, &pose, target))
            return prc_fail(error, PRC_ERROR_STATE,
                            "%s[%d]: at %g s its animation or motion gives positions that are not finite",
                            shell ? "colliders" : "obstacles", shell ? shell->collider : o, time);
        target += 3L * sim->obstacles[o].vertex_count;
    }
    return PRC_OK;
}

prc_result prc_pins_aim(prc_sim *sim, double time, prc_error *error)
{
    const prc_view *v = &sim->model.view;
    for (int p = 0; p < sim->pin_count; p++) {
        if (prc_pin_takes_hold(&sim->pins[p], sim->time, time))
            prc_sim_fetch(sim);
        if (!prc_pin_aim(&sim->pins[p], sim->time, time, prc_field_position(v), v->padded_count))
            return prc_fail(error, PRC_ERROR_STATE,
                            "pins[%d]: at %g s its animation or motion gives positions that are not finite", p, time);
    }
    return PRC_OK;
}

static prc_result create_pins(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    sim->pins = PRC_NEW(prc_pin, def->pin_count);
    if (!sim->pins)
        return PRC_FAIL_MEMORY(error);
    for (int p = 0; p < def->pin_count; p++) {
        sim->pin_count++;
        prc_result result = prc_pin_create(&sim->pins[p], &def->pins[p], &sim->model, error);
        if (result != PRC_OK)
            return result;
    }
    return PRC_OK;
}

static prc_result create_work(prc_sim *sim, prc_error *error)
{
    const size_t n = (size_t)sim->view.padded_count, count = (size_t)sim->model.vertex_count;
    sim->pinned = PRC_NEW(unsigned char, count);
    sim->pinned_now = PRC_NEW(unsigned char, count);
    sim->out.positions = PRC_NEW(double, 3 * count);
    sim->out.velocities = PRC_NEW(double, 3 * count);
    sim->out.masses = PRC_NEW(double, count);
    sim->out.stretches = PRC_NEW(double, 2 * count);
    sim->out.pressures = PRC_NEW(double, count);
    sim->out.gaps = PRC_NEW(double, count);
    bool ok = prc_work_create(&sim->work, n, NULL) == PRC_OK && sim->pinned && sim->pinned_now && sim->out.positions &&
              sim->out.velocities && sim->out.masses && sim->out.stretches && sim->out.pressures && sim->out.gaps;
    if (ok && sim->def.solver.method == PRC_METHOD_ANDERSON) {
        size_t vectors = 2 * ((size_t)sim->def.solver.anderson_window + 1);
        sim->history = prc_alloc(3 * n * vectors, sim->model.backend->real_size);
        ok = sim->history != NULL;
    }
    return ok ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_sim_pins_stay(prc_sim *sim)
{
    const prc_view *v = &sim->model.view;
    for (int p = 0; p < sim->pin_count; p++)
        prc_pin_stay(&sim->pins[p], prc_field_position(v), v->padded_count);
}

static prc_result set_state(prc_sim *sim, const double *positions, const double *velocities, int count,
                            prc_error *error);

static void set_thread_count(prc_sim *sim, int threads)
{
    sim->view.threads = threads > 0 ? threads : omp_get_num_procs();
}

/* Where surfaces slide, an error of the speed is an error of what drives them: it must be small against that. */
double prc_sim_choose_tolerance(const prc_sim *sim)
{
    const prc_contact_bodies *bodies = &sim->contact.bodies;
    const double *g = sim->def.gravity, usual = 1e-4;
    if (sim->asked_tolerance > 0)
        return sim->asked_tolerance;
    bool friction = sim->def.contact.friction > 0;
    for (int b = 0; b < bodies->count; b++)
        friction |= bodies->friction[b] > 0;
    for (int p = 0; p < bodies->pair_count; p++)
        friction |= bodies->pairs[p].friction > 0;
    for (int s = 0; s < sim->contact.collider_count; s++)
        friction |= sim->contact.colliders[s].friction > 0;
    const double driven = 1e-3 * sim->def.time.step * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return sim->def.contact.enabled && friction && driven > 0 ? fmin(usual, driven) : usual;
}

static prc_result copy_names(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    sim->body_names = PRC_NEW(char *, def->body_count + def->obstacle_count);
    if (!sim->body_names)
        return PRC_FAIL_MEMORY(error);
    for (int b = 0; b < def->body_count + def->obstacle_count; b++) {
        const char *name = b < def->body_count ? def->bodies[b].name : def->obstacles[b - def->body_count].name;
        if (name && !(sim->body_names[b] = prc_string_copy(name)))
            return PRC_FAIL_MEMORY(error);
    }
    return PRC_OK;
}

prc_sim *prc_sim_create_untreated(const prc_sim_def *def, prc_error *error)
{
    if (prc_schema_check_sim(def, error) != PRC_OK)
        return NULL;
    prc_sim *sim = PRC_NEW(prc_sim, 1);
    if (!sim) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    sim->def = *def;
    sim->def.bodies = NULL;
    sim->def.pins = NULL;
    sim->def.forces = NULL;
    sim->def.springs = NULL;
    sim->def.pressures = NULL;
    sim->def.colliders = NULL;
    sim->def.obstacles = NULL;
    sim->asked_tolerance = def->solver.tolerance;
    sim->step_before = def->time.step;
    sim->def.contact.pairs = NULL;
    prc_result result = prc_place_choose(sim, def, error);
    set_thread_count(sim, def->threads);
    if (result == PRC_OK && def->contact.enabled)
        result = create_colliders(sim, def, error);
    prc_sim_def whole = *def; /* with the surfaces of colliders as obstacles */
    if (result == PRC_OK)
        result = prc_shells_create(sim, def, &whole, error);
    if (result == PRC_OK)
        result = prc_model_build(&sim->model, &whole, error);
    sim->view = sim->model.view;
    set_thread_count(sim, def->threads);
    if (result == PRC_OK)
        result = copy_names(sim, &whole, error);
    if (result == PRC_OK)
        result = create_work(sim, error);
    if (result == PRC_OK)
        result = create_loads(sim, def, error);
    if (result == PRC_OK)
        result = create_pins(sim, def, error);
    if (result == PRC_OK)
        result = create_obstacles(sim, &whole, error);
    if (result == PRC_OK)
        result = prc_frame_create(sim, error);
    if (result == PRC_OK)
        result = prc_forces_create(sim, &whole, error);
    if (result == PRC_OK)
        result = set_state(sim, sim->model.position, sim->model.velocity, sim->model.vertex_count, error);
    if (result == PRC_OK && def->contact.enabled)
        result = create_contact(sim, &whole, error);
    prc_free(sim->shell_defs);
    sim->shell_defs = NULL;
    sim->def.solver.tolerance = prc_sim_choose_tolerance(sim);
    if (result == PRC_OK && prc_multilevel_wanted(sim)) /* now, so that no step allocates */
        result = prc_hierarchy_build(&sim->hierarchy, &sim->model, sim->view.threads, error);
    sim->applied = (prc_applied_levels){sim->hierarchy.level, sim->hierarchy.level_count, sim->hierarchy.dense_inverse,
                                        sim->hierarchy.dense_leading};
    if (result == PRC_OK && def->solver.max_substeps > 1)
        result = prc_snapshot_create(sim, error);
    if (result != PRC_OK) {
        prc_sim_destroy(sim);
        return NULL;
    }
    prc_step_aim(sim);
    sim->fingerprint = prc_sim_def_fingerprint(sim, def);
    return sim;
}

prc_sim *prc_sim_create(const prc_sim_def *def, prc_error *error)
{
    prc_sim *sim = prc_sim_create_untreated(def, error);
    if (sim && ((def->contact.enabled && prc_start_settle(sim, error) != PRC_OK) || prc_place_move(sim, error) ||
                prc_start_measure(sim, error))) {
        prc_sim_destroy(sim);
        return NULL;
    }
    return sim;
}

void prc_sim_destroy(prc_sim *sim)
{
    if (!sim)
        return;
    prc_sim_leave(sim);
    for (int b = 0; sim->body_names && b < sim->model.body_count; b++)
        prc_free(sim->body_names[b]);
    prc_free(sim->body_names);
    for (int p = 0; p < sim->pin_count; p++)
        prc_pin_release(&sim->pins[p]);
    for (int f = 0; f < sim->load_count; f++)
        prc_free(sim->loads[f].vertices);
    prc_free(sim->pins);
    prc_free(sim->loads);
    prc_forces_release(sim);
    prc_hierarchy_release(&sim->hierarchy);
    prc_snapshot_release(&sim->snapshot);
    prc_free(sim->kept.bytes);
    prc_contact_release(&sim->contact);
    for (int s = 0; s < sim->collider_count; s++) {
        prc_free((void *)sim->collider_hand[s].own.keys);
        prc_sdf_destroy(sim->fields[s]);
    }
    prc_shells_release(sim);
    prc_free(sim->fields);
    prc_free(sim->colliders);
    prc_free(sim->collider_hand);
    prc_free(sim->obstacle_hand);
    for (int o = 0; o < sim->obstacle_count; o++)
        prc_obstacle_release(&sim->obstacles[o]);
    prc_free(sim->obstacles);
    prc_free(sim->obstacle_target);
    prc_free(sim->contact_work.memory);
    prc_free(sim->obstacle);
    prc_free(sim->colliders_before);
    prc_free(sim->history);
    prc_frame_release(&sim->frame);
    prc_work_release(&sim->work);
    prc_free(sim->pinned);
    prc_free(sim->pinned_now);
    prc_free(sim->out.positions);
    prc_free(sim->out.velocities);
    prc_free(sim->out.masses);
    prc_free(sim->out.stretches);
    prc_free(sim->out.pressures);
    prc_free(sim->out.gaps);
    prc_free(sim->out.areas);
    prc_free(sim->out.stresses);
    prc_free(sim->out.curvatures);
    prc_free(sim->out.energies);
    prc_free(sim->out.residuals);
    prc_free(sim->out.bounds);
    prc_free(sim->out.contacts);
    prc_free(sim->hessian);
    prc_free(sim->coarse_before.bytes);
    prc_model_release(&sim->model);
    prc_device_destroy(sim->device);
    prc_free(sim);
}

prc_result prc_sim_set_interrupt(prc_sim *sim, prc_interrupt_callback wanted, void *context, prc_error *error)
{
    const prc_result result = wanted ? prc_coarse_before_create(sim, error) : PRC_OK;
    if (result == PRC_OK)
        sim->interrupt = (prc_interrupt){.wanted = wanted, .context = context};
    return result;
}

void prc_sim_heed(prc_sim *sim, bool interrupt)
{
    prc_interrupt_begin(&sim->interrupt);
    sim->contact.interrupt = sim->contact.detector.interrupt = interrupt ? &sim->interrupt : NULL;
}

void prc_sim_set_trace(prc_sim *sim, prc_trace_callback callback, void *context)
{
    sim->trace = callback;
    sim->trace_context = context;
}

double prc_sim_tolerance(const prc_sim *sim)
{
    return sim->def.solver.tolerance;
}

double prc_sim_time(const prc_sim *sim)
{
    return sim->time;
}

int prc_sim_vertex_count(const prc_sim *sim)
{
    return sim->model.shown_count;
}

int prc_sim_body_count(const prc_sim *sim)
{
    return sim->model.body_count - sim->model.shell_count;
}

bool prc_sim_body_is_obstacle(const prc_sim *sim, int body)
{
    return body >= sim->model.body_count - sim->model.obstacle_count;
}

int prc_sim_body_first_vertex(const prc_sim *sim, int body)
{
    return sim->model.bodies[body].first_vertex;
}

int prc_sim_body_vertex_count(const prc_sim *sim, int body)
{
    return sim->model.bodies[body].vertex_count;
}

const char *prc_sim_backend(const prc_sim *sim)
{
    return sim->place;
}

void prc_sim_to_caller(const prc_sim *sim, const double *from, int components, double *to)
{
    for (int i = 0; i < sim->model.shown_count; i++)
        for (int c = 0; c < components; c++)
            to[components * sim->model.caller_of[i] + c] = from[(size_t)c * (size_t)sim->view.padded_count + (size_t)i];
}

/* And back, the first `count` vertices: with all, or without those of shells. */
static void from_caller(const prc_sim *sim, const double *from, int count, double *to)
{
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            to[(size_t)c * (size_t)sim->view.padded_count + (size_t)i] = from[3 * sim->model.caller_of[i] + c];
}

const double *prc_sim_positions(prc_sim *sim)
{
    prc_sim_fetch(sim);
    prc_sim_to_caller(sim, prc_field_position(&sim->model.view), 3, sim->out.positions);
    return sim->out.positions;
}

const double *prc_sim_velocities(prc_sim *sim)
{
    prc_sim_fetch(sim);
    prc_sim_to_caller(sim, prc_field_velocity(&sim->model.view), 3, sim->out.velocities);
    return sim->out.velocities;
}

const double *prc_sim_masses(prc_sim *sim)
{
    prc_sim_to_caller(sim, sim->model.mass, 1, sim->out.masses);
    return sim->out.masses;
}

const double *prc_sim_contact_pressure(prc_sim *sim)
{
    prc_sim_fetch(sim);
    if (sim->contact.model) /* else all zero, as allocated */
        prc_sim_to_caller(sim, sim->contact.pressure, 1, sim->out.pressures);
    return sim->out.pressures;
}

const double *prc_sim_contact_gap(prc_sim *sim)
{
    prc_sim_fetch(sim);
    for (int i = 0; i < sim->model.vertex_count; i++)
        sim->out.gaps[i] = INFINITY;
    if (sim->contact.model)
        prc_sim_to_caller(sim, sim->contact.gap, 1, sim->out.gaps);
    return sim->out.gaps;
}

static bool all_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

/* New positions, treated as a start is; refused ones leave the old. */
static prc_result set_positions(prc_sim *sim, const double *positions, int count, prc_error *error)
{
    double *x = prc_field_position(&sim->model.view);
    const size_t bytes = sizeof(double) * 3 * (size_t)sim->view.padded_count;
    if (!sim->contact.model) {
        from_caller(sim, positions, count, x);
        return PRC_OK;
    }
    const prc_site back = prc_sim_visit_host(sim);
    double *old = sim->contact_work.positions; /* which a start leaves alone */
    memcpy(old, x, bytes);
    from_caller(sim, positions, count, x);
    prc_sim_heed(sim, true);
    const prc_result result = prc_start_settle(sim, error);
    prc_sim_heed(sim, false);
    if (result != PRC_OK)
        memcpy(x, old, bytes);
    else
        prc_rigids_find(&sim->contact.rigids, &sim->model, x, sim->view.padded_count);
    prc_sim_visit_end(sim, &back);
    return result;
}

static prc_result set_state(prc_sim *sim, const double *positions, const double *velocities, int count,
                            prc_error *error)
{
    if ((positions && !all_finite(positions, 3 * count)) || (velocities && !all_finite(velocities, 3 * count)))
        return prc_fail(error, PRC_ERROR_INPUT, "a position or velocity is not finite; the state is unchanged");
    prc_sim_fetch(sim);
    if (positions) {
        const prc_result result = set_positions(sim, positions, count, error);
        if (result != PRC_OK)
            return result;
        prc_sim_pins_stay(sim);
    }
    const prc_view *v = &sim->model.view;
    const size_t bytes = sizeof(double) * 3 * (size_t)sim->view.padded_count;
    if (velocities)
        from_caller(sim, velocities, count, prc_field_velocity(v));
    memcpy(prc_field_position_before(v), prc_field_position(v), bytes);
    memcpy(prc_field_velocity_before(v), prc_field_velocity(v), bytes);
    sim->has_history = sim->residual_known = false;
    prc_sim_send(sim);
    return positions ? prc_start_measure(sim, error) : PRC_OK;
}

prc_result prc_sim_set_state(prc_sim *sim, const double *positions, const double *velocities, prc_error *error)
{
    return set_state(sim, positions, velocities, sim->model.shown_count, error);
}

prc_view prc_sim_evaluate_at(prc_sim *sim, const double *positions)
{
    const prc_backend *host = sim->model.host;
    prc_sim_fetch(sim);
    prc_view v = prc_sim_host_view(sim);
    double *x = prc_field_position(&v), *saved = sim->work.columns;
    const size_t n = 3 * (size_t)v.padded_count;
    if (positions) {
        memcpy(saved, x, n * sizeof *saved);
        from_caller(sim, positions, sim->model.shown_count, x);
    }
    host->run(&v, PRC_STAGE_bonds_begin);
    if (positions)
        memcpy(x, saved, n * sizeof *saved);
    memset(v.field[PRC_FIELD_trial], 0, n * host->real_size);
    v.has_damping = 0;
    v.linearise = 1;
    v.want_stretch = 1;
    v.argument[0] = v.field[PRC_FIELD_trial];
    v.argument[1] = v.field[PRC_FIELD_trial_gradient];
    host->run(&v, PRC_STAGE_elastic);
    return v;
}

void prc_sim_deliver(prc_sim *sim, enum prc_field field, int components, double *to)
{
    const prc_view *v = &sim->model.view;
    sim->model.host->download(v, sim->work.columns, v->field[field], (size_t)v->padded_count * (size_t)components);
    prc_sim_to_caller(sim, sim->work.columns, components, to);
}

const double *prc_sim_stretches(prc_sim *sim)
{
    prc_sim_evaluate_at(sim, NULL);
    prc_sim_deliver(sim, PRC_FIELD_stretch, 2, sim->out.stretches);
    for (int i = sim->model.ring_count; i < sim->model.vertex_count; i++)
        for (int c = 0; c < 2; c++)
            sim->out.stretches[2 * sim->model.caller_of[i] + c] = 1;
    return sim->out.stretches;
}

prc_result prc_sim_elastic(prc_sim *sim, const double *positions, double *energy, double *gradient, prc_error *error)
{
    if (prc_need(positions, "positions", error))
        return PRC_ERROR_INPUT;
    if (!all_finite(positions, 3 * sim->model.shown_count))
        return prc_fail(error, PRC_ERROR_INPUT, "a position is not finite");
    const prc_view v = prc_sim_evaluate_at(sim, positions);
    if (energy)
        *energy = sim->model.host->sum(&v, v.field[PRC_FIELD_energy]);
    if (gradient) {
        sim->model.host->run(&v, PRC_STAGE_elastic_gradient);
        prc_sim_deliver(sim, PRC_FIELD_trial_gradient, 3, gradient);
    }
    return PRC_OK;
}

prc_result prc_sim_elastic_product(prc_sim *sim, const double *positions, const double *direction, double *product,
                                   prc_error *error)
{
    if (prc_need(positions, "positions", error) || prc_need(direction, "direction", error) ||
        prc_need(product, "product", error))
        return PRC_ERROR_INPUT;
    if (!all_finite(positions, 3 * sim->model.shown_count) || !all_finite(direction, 3 * sim->model.shown_count))
        return prc_fail(error, PRC_ERROR_INPUT, "a position or direction is not finite");
    const prc_view v = prc_sim_evaluate_at(sim, positions);
    const size_t n = 3 * (size_t)v.padded_count;
    memset(sim->work.columns, 0, n * sizeof(double));
    from_caller(sim, direction, sim->model.shown_count, sim->work.columns);
    sim->model.host->upload(&v, v.field[PRC_FIELD_trial], sim->work.columns, n);
    sim->model.host->run(&v, PRC_STAGE_product_bonds);
    sim->model.host->run(&v, PRC_STAGE_elastic_product);
    prc_sim_deliver(sim, PRC_FIELD_trial_gradient, 3, product);
    return PRC_OK;
}
