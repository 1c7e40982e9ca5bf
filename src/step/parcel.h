/* step/parcel.h — what every frame holds of a state (positions, velocities, stretches), taken out of a simulation that
 * goes on.
 *
 *     prc_parcel_pack(parcel);                        between two steps
 *     prc_sim_step(sim, …);                           what was packed is on its way meanwhile
 *     prc_parcel_open(parcel, x, v, stretches, …);    in any thread: the state as it was
 *
 * On a device packing waits for nothing: the state is copied within the device, and goes to the host beside the next
 * step (backend/device.h). Putting it into the caller's order is also left to the thread that opens it. Stretches are
 * those of prc_sim_stretches, to the bit. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_PARCEL_H
#define PRC_STEP_PARCEL_H

#include <percale/sim.h>

typedef struct prc_parcel prc_parcel;

prc_parcel *prc_parcel_create(prc_sim *sim, prc_error *error); /* NULL when out of memory */
void prc_parcel_destroy(prc_parcel *parcel);                   /* before the simulation; may be NULL */

/* Takes the state as it is. A parcel may be packed again when it has been opened. */
void prc_parcel_pack(prc_parcel *parcel);
/* 3, 3 and 2 numbers per vertex in the caller's order. Waits for what was packed to arrive. An error of the device that
 * kept it leaves nothing of use there. */
prc_result prc_parcel_open(const prc_parcel *parcel, double *positions, double *velocities, double *stretches,
                           prc_error *error);

#endif
