/* backend/cuda/solids.h — the solids as they lie on the device, and moving them on.
 *
 * Poses are made on the host, where the motions are; the device has copies, which prc_device_solids_send keeps true.
 * The fields of meshes stay there from the start. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_SOLIDS_H
#define PRC_CUDA_SOLIDS_H

#include "backend/cuda/device.h"
#include "kernel/contact.h"

PRC_DEVICE_BEGIN

/* How far a solid that is under way may go: asked of the device, and answered. */
typedef struct prc_solid_way {
    int solid;
    double done;    /* share of the step that it has gone */
    uint64_t share; /* … and may go to: bits of a double that is not negative, so that they have the same order */
} prc_solid_way;

/* Starts as zeros; released with prc_device_solids_release, also after a failure. */
typedef struct prc_device_solids {
    int count;
    prc_solid *sent;      /* on the host: what the device has */
    prc_solid_way *asked; /* work space on the host, one per solid */
    prc_buffer<prc_solid> solids;
    prc_buffer<prc_sdf> fields; /* of solids that are meshes; others have gaps there */
    prc_buffer<float> values;
    prc_buffer<prc_solid_way> ways;
} prc_device_solids;

/* Device copies of solids and their fields. */
prc_result prc_device_solids_create(prc_device *d, prc_device_solids *s, const prc_solid *solids, int count,
                                    prc_error *error);
void prc_device_solids_release(prc_device *d, prc_device_solids *s);

/* Brings the poses to the device where they have changed: cheap enough to be called before every use. */
void prc_device_solids_send(prc_device *d, prc_device_solids *s, const prc_solid *solids);

/* prc_contact_move_solids. Waits only where a solid is under way. `solids` and `done` are the host's, y the device's;
 * after an error of the device no solid moves. */
bool prc_device_solids_move(prc_device *d, prc_device_solids *s, const prc_contact_view *view, prc_solid *solids,
                            double *done, const double *y);

PRC_DEVICE_END

#endif
