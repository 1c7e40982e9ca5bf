/* step/state.c — all that later steps depend on, as bytes: saving and restoring a simulation in memory.
 *
 * One walk over the state serves for measuring, writing, examining and reading, so that these cannot differ. In it is
 * what changes from step to step and is not made anew at the beginning of each: time; positions and velocities, now and
 * one step ago; pins; coarse matrices, which are those of some earlier step, and the counts that decide when they are
 * made again; of contact the stiffnesses as adapted, poses of colliders and obstacles, and what is exempt. Pairs,
 * planes and forces of contact, the history of Anderson's method and all work space are those of one step. What is
 * constant is not in it; a fingerprint of that is, so that bytes of another simulation are refused.
 *
 *   header    magic, byte order, version, fingerprint, size, checksum of what follows
 *   state     in the order of `walk`, numbers as the machine has them
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/state.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/place.h"
#include "step/shells.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define BYTE_ORDER_MARK 0x01020304u
#define BYTE_ORDER_OTHER 0x04030201u
#define FORMAT_VERSION 3u

typedef struct state_header {
    char magic[8];
    uint32_t byte_order, version;
    uint64_t fingerprint, size, checksum;
} state_header;

static const char magic[8] = {'p', 'r', 'c', 's', 't', 'a', 't', 'e'};

enum mode {
    MEASURE, /* count bytes */
    WRITE,
    EXAMINE, /* what READ would, but leaves the simulation alone */
    READ,
};

/* Where a walk is. `bytes` may have any alignment. */
typedef struct walker {
    enum mode mode;
    char *to;          /* WRITE */
    const char *from;  /* EXAMINE, READ */
    size_t at, size;   /* … whose size is known */
    const char *wrong; /* EXAMINE: what is wrong first, or NULL */
} walker;

static void fault(walker *w, const char *what)
{
    if (!w->wrong)
        w->wrong = what;
}

static void carry(walker *w, void *data, size_t size)
{
    if (size == 0) /* then `data` may be NULL */
        return;
    if (w->mode >= EXAMINE && size > w->size - w->at) {
        fault(w, "they are truncated");
        w->at = w->size;
        return;
    }
    if (w->mode == WRITE)
        memcpy(w->to + w->at, data, size);
    else if (w->mode == READ)
        memcpy(data, w->from + w->at, size);
    w->at += size;
}

/* A number that says what follows: known also to a walk that leaves the simulation alone. */
static int carry_count(walker *w, int count)
{
    int stored = count;
    if (w->mode >= EXAMINE) {
        stored = 0;
        if (sizeof stored <= w->size - w->at)
            memcpy(&stored, w->from + w->at, sizeof stored);
    }
    carry(w, &count, sizeof count);
    return stored;
}

static void carry_finite(walker *w, double *values, size_t count)
{
    const size_t there = w->mode == EXAMINE ? (w->size - w->at) / sizeof *values : 0;
    for (size_t k = 0; k < count && k < there; k++) {
        double value;
        memcpy(&value, w->from + w->at + k * sizeof value, sizeof value);
        if (!isfinite(value))
            fault(w, "a number is not finite");
    }
    carry(w, values, count * sizeof *values);
}

/* A field of doubles without its padding. */
static void carry_field(walker *w, prc_sim *sim, enum prc_field field)
{
    double *values = sim->model.view.field[field];
    for (long c = 0; c < 3; c++)
        carry_finite(w, values + c * sim->view.padded_count, (size_t)sim->model.vertex_count);
}

static void carry_pins(walker *w, prc_sim *sim)
{
    for (int p = 0; p < sim->pin_count; p++) {
        prc_pin *pin = &sim->pins[p];
        const bool holds = carry_count(w, pin->holds) != 0;
        if (w->mode == READ)
            pin->holds = holds;
        carry_finite(w, pin->anchor, 3 * (size_t)pin->vertex_count);
    }
}

/* The inverses that the preconditioner applies; what they were made of is made anew together with them. */
static void carry_coarse(walker *w, prc_sim *sim)
{
    prc_hierarchy *h = &sim->hierarchy;
    const size_t real = sim->model.backend->real_size;
    const int ready = carry_count(w, sim->coarse.ready);
    if (w->mode == EXAMINE && (ready != 0 && (ready != 1 || h->level_count == 0)))
        fault(w, "coarse levels do not match");
    if (w->wrong)
        return;
    if (w->mode == READ)
        sim->coarse.ready = ready != 0;
    carry(w, &sim->coarse.usual, sizeof sim->coarse.usual);
    carry(w, &sim->coarse.excess, sizeof sim->coarse.excess);
    if (!ready)
        return;
    carry(w, sim->pinned, (size_t)sim->model.vertex_count);
    for (int l = 0; l + 1 < h->level_count; l++)
        carry(w, h->level[l].inverse, 6 * real * (size_t)h->level[l].padded_count);
    const size_t rows = 3 * (size_t)h->level[h->level_count - 1].node_count;
    carry(w, h->dense_inverse, rows * real * (size_t)h->dense_leading);
    if (w->mode == READ)
        prc_hierarchy_see(h, &sim->model, sim->pinned);
}

static bool is_sound(const prc_sim *sim, const prc_exempt_pair *pair)
{
    const int most = sim->model.vertex_count;
    bool sound = pair->side_a >= 0 && pair->side_a <= 3;
    for (int k = 0; sound && k < prc_exempt_vertices(pair); k++)
        sound = pair->v[k] >= 0 && pair->v[k] < most;
    if (sound && (pair->side_a == 0 || pair->side_a == 3)) {
        const int collider = pair->v[pair->side_a == 0 ? 1 : 3], shell = -1 - collider;
        const bool is_shell = pair->side_a == 0 && collider < 0 && shell < sim->model.body_count;
        sound =
            collider < sim->contact.collider_count && (collider >= 0 || (is_shell && prc_shell_of_body(sim, shell)));
    }
    return sound;
}

/* Reading fills `exempt`, which takes the place of the set when nothing can fail any more. */
static bool carry_exempt(walker *w, prc_sim *sim, prc_exempt_set *exempt)
{
    prc_exempt_set *set = &sim->contact.exempt;
    const int count = carry_count(w, set->count);
    if (w->mode < EXAMINE) {
        carry(w, set->pairs, (size_t)count * sizeof *set->pairs);
        return true;
    }
    if (count < 0)
        fault(w, "a count is negative");
    for (int k = 0; k < count && !w->wrong; k++) {
        prc_exempt_pair pair = {.side_a = 0};
        const size_t at = w->at;
        carry(w, &pair, sizeof pair);
        if (w->wrong)
            break;
        memcpy(&pair, w->from + at, sizeof pair);
        if (!is_sound(sim, &pair))
            fault(w, "an exempt pair refers to a vertex or collider that does not exist");
        else if (w->mode == READ && !(pair.side_a > 0 ? prc_exempt_add(exempt, pair.v, pair.side_a)
                                                      : prc_exempt_add_collider(exempt, pair.v[0], pair.v[1])))
            return false;
    }
    return true;
}

static void carry_contact(walker *w, prc_sim *sim)
{
    prc_contact_set *set = &sim->contact;
    const size_t vertices = (size_t)sim->model.vertex_count;
    carry(w, set->adapted, vertices * sizeof(double)); /* infinite for obstacles */
    carry(w, set->pressure, vertices * sizeof(double));
    carry(w, set->gap, vertices * sizeof(double));
    for (int s = 0; s < set->collider_count; s++) {
        prc_collider *collider = &set->colliders[s];
        carry_finite(w, &collider->now.turn[0][0], 9);
        carry_finite(w, collider->now.shift, 3);
        carry_finite(w, collider->move, 3); /* of the last step: the first search of the next one reckons with them */
        carry_finite(w, collider->spin, 3);
    }
}

/* Where obstacles are that wait as a whole; of all there is as much. */
static void carry_rigids(walker *w, prc_rigids *rigids)
{
    for (int k = 0; k < rigids->count; k++) {
        prc_rigid *r = &rigids->of[k];
        const bool whole = carry_count(w, r->whole) != 0;
        if (w->mode == READ)
            r->whole = whole && r->shaped;
        carry_finite(w, &r->now.turn[0][0], 9);
        carry_finite(w, r->now.shift, 3);
    }
}

/* What there is always as much of. */
static void walk_fixed(walker *w, prc_sim *sim)
{
    carry_finite(w, &sim->time, 1);
    const bool history = carry_count(w, sim->has_history) != 0;
    if (w->mode == READ)
        sim->has_history = history;
    carry_finite(w, &sim->step_before, 1);
    carry_field(w, sim, PRC_FIELD_position);
    carry_field(w, sim, PRC_FIELD_velocity);
    carry_field(w, sim, PRC_FIELD_position_before);
    carry_field(w, sim, PRC_FIELD_velocity_before);
    carry_pins(w, sim);
    carry(w, &sim->start.moved_vertices, sizeof sim->start.moved_vertices);
    carry(w, &sim->start.largest_move, sizeof sim->start.largest_move);
    carry(w, &sim->start.exempt_pairs, sizeof sim->start.exempt_pairs);
    carry(w, &sim->start.exempt_crossings, sizeof sim->start.exempt_crossings);
    carry(w, &sim->start.prescribed_pairs, sizeof sim->start.prescribed_pairs);
    if (sim->contact.model) {
        carry_contact(w, sim);
        carry_rigids(w, &sim->contact.rigids);
    }
}

/* False when out of memory, which only reading can be; nothing has been changed then. */
static bool walk(walker *w, prc_sim *sim)
{
    prc_exempt_set exempt = {0};
    if (!carry_exempt(w, sim, &exempt)) {
        prc_exempt_release(&exempt);
        return false;
    }
    if (w->mode == READ) {
        prc_exempt_release(&sim->contact.exempt);
        sim->contact.exempt = exempt;
    }
    walk_fixed(w, sim);
    carry_coarse(w, sim);
    if (w->mode == EXAMINE && !w->wrong && w->at != w->size)
        fault(w, "there are too many of them");
    return true;
}

size_t prc_sim_saved_size(const prc_sim *sim)
{
    walker w = {.mode = MEASURE};
    walk(&w, (prc_sim *)sim); /* measuring writes nowhere */
    return sizeof(state_header) + w.at;
}

void prc_sim_save(prc_sim *sim, void *bytes)
{
    prc_sim_fetch(sim);
    walker w = {.mode = WRITE, .to = (char *)bytes + sizeof(state_header)};
    walk(&w, sim);
    state_header header = {.byte_order = BYTE_ORDER_MARK,
                           .version = FORMAT_VERSION,
                           .fingerprint = sim->fingerprint,
                           .size = sizeof header + w.at,
                           .checksum = prc_hash(PRC_HASH_START, w.to, w.at)};
    memcpy(header.magic, magic, sizeof magic);
    memcpy(bytes, &header, sizeof header);
}

static prc_result refuse(prc_error *error, const char *what)
{
    return prc_fail(error, PRC_ERROR_INPUT, "saved state: %s; the simulation is unchanged", what);
}

static prc_result check_header(const prc_sim *sim, const void *bytes, size_t size, prc_error *error)
{
    state_header header;
    if (size < sizeof header)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "saved state: %zu bytes, fewer than the %zu of a header; it is truncated, or not a saved state",
                        size, sizeof header);
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0)
        return refuse(error, "the bytes are not a saved state");
    if (header.byte_order == BYTE_ORDER_OTHER)
        return refuse(error, "it was written on a machine with the other byte order, and can only be read there");
    if (header.byte_order != BYTE_ORDER_MARK)
        return refuse(error, "its header is damaged (byte order)");
    if (header.version != FORMAT_VERSION)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "saved state: version %u of the format, but this percale reads version %u; use the version that wrote it",
            (unsigned)header.version, FORMAT_VERSION);
    if (header.fingerprint != sim->fingerprint)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "saved state: it belongs to another simulation (fingerprint %016llx, expected %016llx): mesh, "
                        "material, solver, contact or time.step differ; restore it into the same simulation",
                        (unsigned long long)header.fingerprint, (unsigned long long)sim->fingerprint);
    if (header.size != size)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "saved state: %zu bytes, but it had %llu when it was written; it is truncated, or bytes were added", size,
            (unsigned long long)header.size);
    if (header.checksum != prc_hash(PRC_HASH_START, (const char *)bytes + sizeof header, size - sizeof header))
        return refuse(error, "its checksum does not match: it has been changed since it was written");
    return PRC_OK;
}

prc_result prc_sim_restore(prc_sim *sim, const void *bytes, size_t size, prc_error *error)
{
    prc_result result = prc_need(bytes, "saved state", error);
    if (result == PRC_OK)
        result = check_header(sim, bytes, size, error);
    if (result != PRC_OK)
        return result;
    walker w = {.from = (const char *)bytes + sizeof(state_header), .size = size - sizeof(state_header)};
    w.mode = EXAMINE;
    walk(&w, sim);
    if (w.wrong)
        return prc_fail(error, PRC_ERROR_INPUT, "saved state: its contents are invalid: %s", w.wrong);
    w.mode = READ;
    w.at = 0;
    if (!walk(&w, sim))
        return PRC_FAIL_MEMORY(error);
    sim->residual_known = false;
    prc_sim_send(sim);
    if (sim->coarse.ready)
        prc_multilevel_send(sim);
    prc_step_aim(sim);
    return PRC_OK;
}

/* --- the beginning of a step, to go back to --- */

prc_result prc_snapshot_create(prc_sim *sim, prc_error *error)
{
    walker w = {.mode = MEASURE};
    walk_fixed(&w, sim);
    sim->snapshot.bytes = PRC_NEW(char, w.at);
    return sim->snapshot.bytes ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_snapshot_release(prc_snapshot *snapshot)
{
    prc_free(snapshot->bytes);
    prc_exempt_release(&snapshot->exempt);
}

prc_result prc_snapshot_take(prc_sim *sim, prc_error *error)
{
    prc_exempt_release(&sim->snapshot.exempt);
    if (!prc_exempt_copy(&sim->snapshot.exempt, &sim->contact.exempt))
        return PRC_FAIL_MEMORY(error);
    prc_sim_fetch(sim);
    if (sim->stale) /* what a lost device gave is no state */
        return prc_sim_status(sim, error);
    walker w = {.mode = WRITE, .to = sim->snapshot.bytes};
    walk_fixed(&w, sim);
    return PRC_OK;
}

void prc_snapshot_put_back(prc_sim *sim)
{
    const prc_exempt_set old = sim->contact.exempt;
    walker w = {.mode = READ, .from = sim->snapshot.bytes, .size = SIZE_MAX};
    sim->contact.exempt = sim->snapshot.exempt;
    sim->snapshot.exempt = old;
    walk_fixed(&w, sim);
    prc_sim_send(sim);
}

/* --- the coarse matrices of the beginning of a step --- */

prc_result prc_coarse_before_create(prc_sim *sim, prc_error *error)
{
    walker w = {.mode = MEASURE};
    const bool ready = sim->coarse.ready;
    if (sim->coarse_before.bytes || sim->hierarchy.level_count == 0)
        return PRC_OK;
    sim->coarse.ready = true; /* room for all that there will be */
    carry_coarse(&w, sim);
    sim->coarse.ready = ready;
    sim->coarse_before.bytes = PRC_NEW(char, w.at);
    return sim->coarse_before.bytes ? PRC_OK : PRC_FAIL_MEMORY(error);
}

void prc_coarse_before_begin(prc_sim *sim)
{
    sim->coarse_before.taken = false;
    sim->coarse_before.usual = sim->coarse.usual;
    sim->coarse_before.excess = sim->coarse.excess;
}

void prc_coarse_before_take(prc_sim *sim)
{
    prc_coarse_before *before = &sim->coarse_before;
    if (!before->bytes || before->taken)
        return;
    walker w = {.mode = WRITE, .to = before->bytes};
    carry_coarse(&w, sim);
    before->taken = true;
}

void prc_coarse_before_put_back(prc_sim *sim)
{
    const prc_coarse_before *before = &sim->coarse_before;
    if (!before->bytes)
        return;
    if (before->taken) {
        walker w = {.mode = READ, .from = before->bytes, .size = SIZE_MAX};
        carry_coarse(&w, sim);
        if (sim->coarse.ready)
            prc_multilevel_send(sim);
    }
    sim->coarse.usual = before->usual;
    sim->coarse.excess = before->excess;
}

prc_result prc_sim_take_over(prc_sim *sim, prc_sim *from, prc_error *error)
{
    prc_exempt_set exempt = {0};
    walker measure = {.mode = MEASURE}, write = {.mode = WRITE}, read = {.mode = READ};
    walk_fixed(&measure, from);
    write.to = PRC_NEW(char, measure.at);
    if (!write.to || !prc_exempt_copy(&exempt, &from->contact.exempt)) {
        prc_free(write.to);
        prc_exempt_release(&exempt);
        return PRC_FAIL_MEMORY(error);
    }
    prc_sim_fetch(from);
    if (from->stale) { /* what a lost device gave is no state */
        prc_free(write.to);
        prc_exempt_release(&exempt);
        return prc_sim_status(from, error);
    }
    walk_fixed(&write, from);
    read.from = write.to;
    read.size = measure.at;
    walk_fixed(&read, sim);
    prc_exempt_release(&sim->contact.exempt);
    sim->contact.exempt = exempt;
    prc_free(write.to);
    return PRC_OK;
}
