/* step/accept.c — takes the displacement over into the state, and describes the state.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/place.h"
#include "step/sim.h"

#include <string.h>

void prc_step_accept(prc_sim *sim)
{
    prc_view *v = &sim->view;
    const bool contact = sim->def.contact.enabled;
    const bool first = sim->time == sim->whole_start; /* the step before is a whole one, whatever parts this one has */
    const bool last = sim->end == sim->whole_start + sim->def.time.step;
    v->number[0] = sim->step;
    v->number[1] = sim->length;
    v->number[2] = sim->second_order;
    v->number[3] = first;
    prc_run(sim, PRC_STAGE_accept, contact ? sim->contact_work.positions : NULL, NULL, NULL, NULL);
    /* Once in a step, however many parts it has: doubled in each, stiffnesses would soon be out of all proportion. */
    if (contact && last && sim->def.contact.method == PRC_CONTACT_BARRIER)
        prc_contact_adapt(&sim->contact);
    sim->time = sim->end;
    sim->has_history = true;
    prc_sim_changed(sim);
    sim->residual_known = true;
}

void prc_step_mark(prc_sim *sim)
{
    for (int p = 0; p < sim->pin_count; p++)
        sim->pins[p].held = sim->pins[p].holds;
    prc_contact_rigids_mark(&sim->contact);
    if (sim->contact.collider_count > 0)
        memcpy(sim->colliders_before, sim->contact.colliders,
               (size_t)sim->contact.collider_count * sizeof *sim->colliders_before);
}

void prc_step_give_up(prc_sim *sim)
{
    for (int p = 0; p < sim->pin_count; p++) {
        prc_pin *pin = &sim->pins[p];
        if (pin->holds && !pin->held) /* it takes hold anew */
            memset(pin->anchor, 0, 3 * (size_t)pin->vertex_count * sizeof *pin->anchor);
        pin->holds = pin->held;
    }
    prc_contact_rigids_give_up(&sim->contact);
    if (sim->contact.collider_count > 0)
        memcpy(sim->contact.colliders, sim->colliders_before,
               (size_t)sim->contact.collider_count * sizeof *sim->colliders_before);
}

void prc_report_state(prc_sim *sim)
{
    enum { SUMS = 8, LARGEST = 3, BEFORE = PRC_SLOT_FREE - PRC_SLOT_GAP }; /* columns of the stage, and what is told */
    prc_step_report *r = &sim->report;
    const prc_view *v = &sim->view;
    const prc_backend *backend = sim->model.backend;
    const double *column = prc_field_column(v);
    double told[BEFORE + SUMS + LARGEST], *found = told + BEFORE;
    prc_run_sums(sim, PRC_STAGE_census, SUMS, PRC_SLOT_FREE);
    backend->largest_columns(v, column + (long)SUMS * v->padded_count, LARGEST, PRC_SLOT_FREE + SUMS);
    backend->read(v, PRC_SLOT_GAP, BEFORE + SUMS + LARGEST, told);
    if (sim->tells_later) {
        r->energy_elastic = told[PRC_SLOT_ENERGY - PRC_SLOT_GAP];
        if (sim->contact.table)
            r->smallest_gap = sim->contact.smallest_gap = -told[0];
        sim->tells_later = false;
    }
    for (int c = 0; c < 3; c++) {
        r->momentum[c] = found[c];
        r->angular_momentum[c] = found[3 + c];
    }
    r->energy_kinetic = found[6];
    r->energy_potential = found[7];
    r->largest_speed = found[8];
    r->largest_stretch = sim->model.ring_count > 0 ? found[9] : 1;
    r->smallest_stretch = sim->model.ring_count > 0 ? -found[10] : 1;
    r->time = sim->time;
}
