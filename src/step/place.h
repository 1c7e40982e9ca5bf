/* step/place.h — where a simulation runs, and what the host has of it: place.c, adopt.c.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_PLACE_H
#define PRC_STEP_PLACE_H

#include "step/sim.h"

/* Settles sim->kind; an error where what was asked for is not there. */
prc_result prc_place_choose(prc_sim *sim, const prc_sim_def *def, prc_error *error);
/* Moves a whole simulation to its device, if it has one. */
prc_result prc_place_move(prc_sim *sim, prc_error *error);

/* --- adopt.c: where the simulation runs on a device; else nothing is to be done --- */

/* Takes a simulation that is whole on the host over to a device: fields, coarse levels, contact, springs, volumes. From
 * then on `backend` does its operations, and `contact` those of its contact set. */
prc_result prc_sim_adopt(prc_sim *sim, const prc_backend *backend, const prc_contact_table *contact, void *device,
                         prc_error *error);
/* Gives back all it has there, before the device is destroyed. */
void prc_sim_leave(prc_sim *sim);
/* For what only the host can do: the simulation is there until visit_end, with the state of the mirrors. */
prc_site prc_sim_visit_host(prc_sim *sim);
void prc_sim_visit_end(prc_sim *sim, const prc_site *back);
/* Memory at a site, zero or a copy of the host's `from`, until the simulation leaves it; NULL when there is none. */
void *prc_site_memory(prc_sim *sim, prc_site *site, const void *from, size_t bytes);
/* The first error of the device. Waits for its work. */
prc_result prc_sim_status(const prc_sim *sim, prc_error *error);
/* The state has changed where the simulation runs. */
void prc_sim_changed(prc_sim *sim);
/* Brings it to the host: model.view then holds positions and velocities, now and before, and contact its own. */
void prc_sim_fetch(const prc_sim *sim);
/* The same after a step (`whole`: taken in one part). An error of the device leaves the mirrors at the state before. */
prc_result prc_sim_keep(prc_sim *sim, bool whole, prc_error *error);
/* Before a step: a copy of the state, where none is kept yet and the step may spoil what the host has. */
void prc_sim_keep_first(prc_sim *sim);
/* After the device has failed: the state that was kept last. */
void prc_sim_fall_back(prc_sim *sim);
/* Makes sure that the host holds the state, before it is saved. Where the device has failed meanwhile, with the steps
 * since the state that was kept last: the error, and the simulation is at that state. */
prc_result prc_sim_hold(prc_sim *sim, prc_error *error);
/* The time of the state that is left if the device fails now. */
double prc_sim_held_time(const prc_sim *sim);
/* … and back, after the host changed it. */
void prc_sim_send(prc_sim *sim);
void prc_sim_send_field(prc_sim *sim, enum prc_field field);
/* The host's fields with the switches of the simulation, to run stages of model.host on. */
prc_view prc_sim_host_view(const prc_sim *sim);

#endif
