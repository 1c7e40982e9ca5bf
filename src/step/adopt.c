/* step/adopt.c — a simulation on a device, and the host's copy of its state.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/sim.h"

static bool is_on_device(const prc_sim *sim)
{
    return sim->model.backend != sim->model.host;
}

void prc_sim_changed(prc_sim *sim)
{
    sim->stale = is_on_device(sim);
}

void prc_sim_fetch(const prc_sim *sim)
{
    (void)sim;
}

void prc_sim_send(prc_sim *sim)
{
    sim->stale = false;
}

void prc_sim_send_field(prc_sim *sim, enum prc_field field)
{
    const prc_model *m = &sim->model;
    if (is_on_device(sim))
        prc_put(sim, sim->view.field[field], m->view.field[field],
                prc_view_field_size(&m->view, field, m->host->real_size));
}

prc_view prc_sim_host_view(const prc_sim *sim)
{
    prc_view v = sim->model.view;
    v.threads = sim->view.threads;
    v.has_damping = sim->view.has_damping;
    v.inverse_h = sim->view.inverse_h;
    return v;
}
