/* backend/cuda/colliders.h — the colliders as they lie on the device, and moving them on.
 *
 * Poses are made on the host, where the motions are; the device has copies, which prc_device_colliders_send keeps true.
 * The fields of meshes stay there from the start. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CUDA_COLLIDERS_H
#define PRC_CUDA_COLLIDERS_H

#include "backend/cuda/device.h"
#include "kernel/contact.h"

PRC_DEVICE_BEGIN

/* How far a collider that is under way may go: asked of the device, and answered. */
typedef struct prc_collider_way {
    int collider;
    double done;    /* share of the step that it has gone */
    uint64_t share; /* … and may go to: bits of a double that is not negative, so that they have the same order */
} prc_collider_way;

/* Starts as zeros; released with prc_device_colliders_release, also after a failure. */
typedef struct prc_device_colliders {
    int count;
    prc_collider *sent;      /* on the host: what the device has */
    prc_collider_way *asked; /* work space on the host, one per collider */
    prc_buffer<prc_collider> colliders;
    prc_buffer<prc_sdf> fields; /* of colliders that are meshes; others have gaps there */
    prc_buffer<float> values;
    prc_buffer<prc_collider_way> ways;
} prc_device_colliders;

/* Device copies of colliders and their fields. */
prc_result prc_device_colliders_create(prc_device *d, prc_device_colliders *s, const prc_collider *colliders, int count,
                                       prc_error *error);
void prc_device_colliders_release(prc_device *d, prc_device_colliders *s);

/* Brings the poses to the device where they have changed: cheap enough to be called before every use. */
void prc_device_colliders_send(prc_device *d, prc_device_colliders *s, const prc_collider *colliders);

/* prc_contact_move_colliders. Waits only where a collider is under way. `colliders` and `done` are the host's, y the
 * device's; after an error of the device no collider moves. */
bool prc_device_colliders_move(prc_device *d, prc_device_colliders *s, const prc_contact_view *view,
                               prc_collider *colliders, double *done, const double *y);

PRC_DEVICE_END

#endif
