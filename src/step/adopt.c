/* step/adopt.c — a simulation on a device, and the host's copy of its state.
 *
 * A simulation is made on the host, whole; to move is to copy every array once and to look there from then on. What the
 * host needs of the state (getters, checkpoints, pins that take hold) it reads from its own arrays, the mirrors. Of
 * small scenes they are brought up to date after every step, in arrays that are swapped in only when all has arrived:
 * when the device is lost in a step, they hold the state before it, as a step that fails has to leave it. Of large
 * ones, and where mirrors are not all that a step changes, a copy of the whole state is kept now and then, and put
 * back.
 *
 * What a new start needs (prc_sim_set_state with contact) is done on the host: prc_sim_visit_host.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/forces.h"
#include "step/place.h"
#include "step/sim.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const enum prc_field state_fields[] = {PRC_FIELD_position, PRC_FIELD_velocity, PRC_FIELD_position_before,
                                              PRC_FIELD_velocity_before};
#define STATE_FIELDS 4
#define KEEP_ALWAYS 3000 /* vertices: up to so many the state of every step is kept on the host */
#define KEEP_SECONDS 1.0 /* … and else that of this long ago, at most */
#define NOW 2            /* the first ones: positions and velocities of now */

static bool is_on_device(const prc_sim *sim)
{
    return sim->view.device != NULL;
}

static size_t field_size(const prc_sim *sim, enum prc_field field)
{
    return prc_view_field_size(&sim->model.view, field, sim->model.host->real_size);
}

/* --- places --- */

static prc_site site_now(const prc_sim *sim)
{
    return (prc_site){.backend = sim->model.backend,
                      .view = sim->view,
                      .applied = sim->applied,
                      .contact_work = sim->contact_work,
                      .history = sim->history,
                      .contact = sim->contact.table};
}

/* The switches of the view stay. */
static void enter(prc_sim *sim, const prc_site *site)
{
    sim->model.backend = site->backend;
    memcpy(sim->view.field, site->view.field, sizeof sim->view.field);
    sim->view.slot = site->view.slot;
    sim->view.device = site->view.device;
    sim->applied = site->applied;
    sim->contact_work = site->contact_work;
    sim->history = site->history;
    sim->contact.table = site->contact;
    sim->contact.found_ahead = false;
}

prc_site prc_sim_visit_host(prc_sim *sim)
{
    const prc_site back = site_now(sim);
    if (is_on_device(sim)) {
        memcpy(sim->adopted.host.view.field, sim->model.view.field, sizeof sim->model.view.field);
        enter(sim, &sim->adopted.host);
    }
    return back;
}

void prc_sim_visit_end(prc_sim *sim, const prc_site *back)
{
    if (back->backend != sim->model.backend)
        enter(sim, back);
}

/* --- moving in --- */

/* Memory of the device, zero, that is given back with the rest. */
static void *device_memory(prc_sim *sim, prc_site *site, size_t bytes)
{
    prc_adopted *adopted = &sim->adopted;
    void **owned =
        prc_grow(adopted->owned, (size_t)adopted->owned_count, (size_t)adopted->owned_count + 1, sizeof *owned);
    if (!owned)
        return NULL;
    adopted->owned = owned;
    void *memory = site->backend->allocate(&site->view, bytes > 0 ? bytes : 1);
    if (memory)
        owned[adopted->owned_count++] = memory;
    return memory;
}

/* … with what the host has at `from`. Leaves *copy NULL when there is no room. */
static bool device_copy(prc_sim *sim, prc_site *site, const void *from, size_t bytes, void **copy)
{
    *copy = device_memory(sim, site, bytes);
    if (*copy && bytes > 0)
        site->backend->put(&site->view, *copy, from, bytes);
    return *copy != NULL;
}

static bool copy_fields(prc_sim *sim, prc_site *site)
{
    void *const *host = sim->model.view.field;
    for (int k = 0; k < PRC_FIELD_COUNT; k++) {
        const enum prc_field field = (enum prc_field)k;
        if (field == PRC_FIELD_bond_f && host[field] == host[PRC_FIELD_bond_b])
            site->view.field[field] = site->view.field[PRC_FIELD_bond_b];
        else if (prc_view_field_size(&site->view, field, sim->model.host->real_size) != field_size(sim, field)) {
            site->view.field[field] = /* made there */
                device_memory(sim, site, prc_view_field_size(&site->view, field, sim->model.host->real_size));
            if (!site->view.field[field])
                return false;
        } else if (!device_copy(sim, site, host[field], field_size(sim, field), &site->view.field[field]))
            return false;
    }
    site->view.slot = device_memory(sim, site, PRC_SLOT_COUNT * sizeof(double));
    if (site->view.slot)
        site->backend->run(&site->view, PRC_STAGE_thin);
    return site->view.slot != NULL;
}

static bool copy_sparse(prc_sim *sim, prc_site *site, const prc_sparse *from, prc_sparse *to)
{
    const size_t blocks = (size_t)(from->padded_count / PRC_BLOCK),
                 entries = (size_t)from->row_start[blocks] * PRC_BLOCK;
    void *row_start = NULL, *column = NULL;
    *to = *from;
    const bool ok = device_copy(sim, site, from->row_start, (blocks + 1) * sizeof(int), &row_start) &&
                    device_copy(sim, site, from->column, entries * sizeof(int), &column) &&
                    device_copy(sim, site, from->weight, entries * sim->model.host->real_size, &to->weight);
    to->row_start = row_start;
    to->column = column;
    return ok;
}

/* What applying the levels needs; they are set up on the host. */
static bool copy_levels(prc_sim *sim, prc_site *site)
{
    const prc_hierarchy *h = &sim->hierarchy;
    const size_t real = sim->model.host->real_size;
    for (int l = 0; l < h->level_count; l++) {
        const prc_level *from = &h->level[l];
        prc_level *to = &sim->adopted.level[l];
        const size_t vector = 3 * real * (size_t)from->padded_count;
        *to = (prc_level){.node_count = from->node_count, .padded_count = from->padded_count};
        to->b = device_memory(sim, site, vector);
        to->x = device_memory(sim, site, vector);
        if (!to->b || !to->x || !copy_sparse(sim, site, &from->restriction, &to->restriction) ||
            !copy_sparse(sim, site, &from->prolongation, &to->prolongation) ||
            !device_copy(sim, site, from->inverse, 2 * vector, &to->inverse))
            return false;
    }
    site->applied = sim->applied;
    site->applied.level = sim->adopted.level;
    if (h->level_count == 0)
        return true;
    const size_t rows = 3 * (size_t)h->level[h->level_count - 1].node_count;
    return device_copy(sim, site, h->dense_inverse, rows * real * (size_t)h->dense_leading,
                       &site->applied.dense_inverse);
}

static bool make_work(prc_sim *sim, prc_site *site)
{
    const size_t n = (size_t)sim->view.padded_count;
    if (sim->contact_work.memory) {
        double *memory = device_memory(sim, site, prc_contact_vectors_size(n) * sizeof *memory);
        if (!memory)
            return false;
        site->contact_work = prc_contact_vectors_at(memory, n);
    }
    if (sim->history) {
        const size_t vectors = 2 * ((size_t)sim->def.solver.anderson_window + 1);
        site->history = device_memory(sim, site, 3 * n * vectors * sim->model.host->real_size);
    }
    return !sim->history || site->history;
}

/* What the host has of a state, in arrays that spare ones can take the place of: positions and velocities of now, and
 * what contact keeps. */
static double *mirror(const prc_sim *sim, int k)
{
    double *const of_contact[] = {sim->contact.adapted, sim->contact.pressure, sim->contact.gap};
    return k < NOW ? (double *)sim->model.view.field[state_fields[k]] : of_contact[k - NOW];
}

static void swap_mirror(prc_sim *sim, int k)
{
    double **const of_contact[PRC_MIRRORS - NOW] = {&sim->contact.adapted, &sim->contact.pressure, &sim->contact.gap};
    double *const old = mirror(sim, k), **const spare = &sim->adopted.spare[k];
    if (k < NOW)
        sim->model.view.field[state_fields[k]] = *spare;
    else
        *of_contact[k - NOW] = *spare;
    *spare = old;
}

static int mirror_count(const prc_sim *sim)
{
    return sim->contact.model ? PRC_MIRRORS : NOW;
}

static size_t mirror_size(const prc_sim *sim, int k)
{
    return (size_t)(k < NOW ? 3 : 1) * (size_t)sim->view.padded_count * sizeof(double);
}

/* Spare arrays for the mirrors; all that copies go to is pinned. */
static bool make_mirrors(prc_sim *sim, prc_site *site)
{
    for (int k = 0; k < mirror_count(sim); k++) {
        const size_t bytes = mirror_size(sim, k);
        if (!(sim->adopted.spare[k] = prc_alloc(bytes, 1)))
            return false;
        site->backend->pin(&site->view, sim->adopted.spare[k], bytes);
        site->backend->pin(&site->view, mirror(sim, k), bytes);
        if (k < NOW)
            site->backend->pin(&site->view, sim->model.view.field[state_fields[NOW + k]], bytes);
    }
    return true;
}

static void release_mirrors(prc_sim *sim)
{
    const prc_site *site = &sim->adopted.device;
    for (int k = 0; k < PRC_MIRRORS && sim->adopted.spare[k]; k++) {
        site->backend->unpin(&site->view, sim->adopted.spare[k]);
        site->backend->unpin(&site->view, mirror(sim, k));
        if (k < NOW)
            site->backend->unpin(&site->view, sim->model.view.field[state_fields[NOW + k]]);
        prc_free(sim->adopted.spare[k]);
    }
}

prc_result prc_sim_adopt(prc_sim *sim, const prc_backend *backend, const prc_contact_table *contact, void *device,
                         prc_error *error)
{
    prc_site site = {.backend = backend, .view = sim->view};
    site.view.device = device;
    sim->adopted.host = site_now(sim);
    const bool ok = copy_fields(sim, &site) && copy_levels(sim, &site) && make_work(sim, &site) &&
                    make_mirrors(sim, &site) && prc_forces_adopt(sim, &site);
    site.contact = sim->contact.model ? contact : NULL;
    sim->adopted.device = site;
    prc_result result = backend->status(&site.view, error);
    if (result == PRC_OK && !ok)
        result = PRC_FAIL_MEMORY(error);
    if (result == PRC_OK && sim->contact.model)
        result = contact->create(&sim->contact, device, error);
    if (result != PRC_OK)
        return result;
    sim->contact.told = site.view.slot;
    enter(sim, &site);
    sim->frame.known = false;
    return PRC_OK;
}

void *prc_site_memory(prc_sim *sim, prc_site *site, const void *from, size_t bytes)
{
    void *memory;
    if (!from)
        return device_memory(sim, site, bytes);
    return device_copy(sim, site, from, bytes, &memory) ? memory : NULL;
}

void prc_sim_leave(prc_sim *sim)
{
    prc_adopted *adopted = &sim->adopted;
    if (sim->contact.device) {
        sim->contact.table = adopted->device.contact;
        sim->contact.table->destroy(&sim->contact);
    }
    release_mirrors(sim);
    for (int k = 0; k < adopted->owned_count; k++)
        adopted->device.backend->release(&adopted->device.view, adopted->owned[k]);
    prc_free(adopted->owned);
    if (is_on_device(sim))
        enter(sim, &adopted->host);
    memset(adopted, 0, sizeof *adopted);
}

prc_result prc_sim_status(const prc_sim *sim, prc_error *error)
{
    return is_on_device(sim) ? sim->model.backend->status(&sim->view, error) : PRC_OK;
}

/* --- the mirrors --- */

void prc_sim_changed(prc_sim *sim)
{
    sim->stale = is_on_device(sim);
}

void prc_sim_fetch(const prc_sim *const_sim)
{
    prc_sim *sim = (prc_sim *)const_sim; /* mirrors are a cache */
    if (!sim->stale)
        return;
    for (int k = 0; k < STATE_FIELDS; k++)
        prc_get(sim, sim->model.view.field[state_fields[k]], sim->view.field[state_fields[k]],
                field_size(sim, state_fields[k]));
    if (sim->contact.table)
        sim->contact.table->fetch(&sim->contact);
    sim->stale = prc_sim_status(sim, NULL) != PRC_OK; /* waits; what a lost device gave is no state */
}

/* Whether the mirrors are all that a step changes: else a failed one would leave the rest as it has made it. */
static bool mirrors_suffice(const prc_sim *sim)
{
    return sim->model.vertex_count <= KEEP_ALWAYS && sim->hierarchy.level_count == 0 && sim->start.exempt_pairs == 0;
}

/* What the host holds, as a copy. */
static void copy_state(prc_sim *sim)
{
    prc_saved_state *kept = &sim->kept;
    const size_t size = prc_sim_saved_size(sim);
    if (size != kept->size) { /* only exempt pairs change it */
        char *bytes = PRC_NEW(char, size);
        if (!bytes)
            return; /* the copy before serves */
        prc_free(kept->bytes);
        *kept = (prc_saved_state){.bytes = bytes, .size = size};
    }
    prc_sim_save(sim, kept->bytes);
    kept->at = prc_seconds();
    kept->time = sim->time;
}

/* Of a large state a copy is kept now and then: every step would wait for it. Failure leaves the copy before. */
static prc_result keep_copy(prc_sim *sim, prc_error *error)
{
    const prc_saved_state *kept = &sim->kept;
    if (kept->bytes && prc_seconds() - kept->at < KEEP_SECONDS)
        return PRC_OK;
    prc_sim_fetch(sim);
    const prc_result result = sim->model.backend->status(&sim->view, error);
    if (result == PRC_OK)
        copy_state(sim);
    return result;
}

void prc_sim_keep_first(prc_sim *sim)
{
    if (!is_on_device(sim) || sim->stale || sim->kept.bytes || mirrors_suffice(sim))
        return;
    copy_state(sim);
    sim->kept.at = -INFINITY; /* the step that follows is kept too */
}

void prc_sim_fall_back(prc_sim *sim)
{
    const prc_saved_state kept = sim->kept;
    sim->kept = (prc_saved_state){0};
    if (kept.bytes)
        prc_sim_restore(sim, kept.bytes, kept.size, NULL);
    prc_free(kept.bytes);
}

prc_result prc_sim_hold(prc_sim *sim, prc_error *error)
{
    if (!sim->stale)
        return PRC_OK;
    prc_sim_fetch(sim);
    const prc_result result = prc_sim_status(sim, error);
    if (result != PRC_OK)
        prc_sim_fall_back(sim);
    return result;
}

double prc_sim_held_time(const prc_sim *sim)
{
    return sim->kept.bytes ? sim->kept.time : sim->time;
}

prc_result prc_sim_keep(prc_sim *sim, bool whole, prc_error *error)
{
    const prc_backend *backend = sim->model.backend;
    if (!sim->stale)
        return PRC_OK;
    if (!mirrors_suffice(sim))
        return keep_copy(sim, error);
    if (!whole) {
        prc_sim_fetch(sim);
        return backend->status(&sim->view, error);
    }
    /* The state one step ago is what the mirrors hold; only that of now comes over. */
    for (int k = 0; k < mirror_count(sim); k++)
        swap_mirror(sim, k);
    for (int k = 0; k < NOW; k++)
        backend->get_later(&sim->view, mirror(sim, k), sim->view.field[state_fields[k]], mirror_size(sim, k));
    if (sim->contact.table)
        sim->contact.table->fetch(&sim->contact);
    sim->stale = false;
    const prc_result result = backend->status(&sim->view, error);
    for (int k = 0; result != PRC_OK && k < mirror_count(sim); k++)
        swap_mirror(sim, k);
    for (int k = 0; result == PRC_OK && k < NOW; k++) {
        void **before = &sim->model.view.field[state_fields[NOW + k]];
        double *const oldest = *before;
        *before = sim->adopted.spare[k];
        sim->adopted.spare[k] = oldest;
    }
    return result;
}

void prc_sim_send(prc_sim *sim)
{
    sim->stale = false;
    prc_free(sim->kept.bytes); /* of another past */
    sim->kept = (prc_saved_state){0};
    if (!is_on_device(sim))
        return;
    for (int k = 0; k < STATE_FIELDS; k++)
        prc_sim_send_field(sim, state_fields[k]);
    if (sim->contact.table)
        sim->contact.table->send(&sim->contact);
}

void prc_sim_send_field(prc_sim *sim, enum prc_field field)
{
    if (is_on_device(sim))
        prc_put(sim, sim->view.field[field], sim->model.view.field[field], field_size(sim, field));
}

prc_view prc_sim_host_view(const prc_sim *sim)
{
    prc_view v = sim->model.view;
    v.threads = sim->view.threads;
    v.has_damping = sim->view.has_damping;
    v.inverse_h = sim->view.inverse_h;
    return v;
}
