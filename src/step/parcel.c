/* step/parcel.c — see parcel.h. A parcel holds fields as they lie where the simulation runs: internal order, stretches
 * in the working precision. SPDX-License-Identifier: Apache-2.0 */
#include "step/parcel.h"

#include "backend/device.h"
#include "base/error.h"
#include "base/memory.h"
#include "step/evaluate.h"
#include "step/sim.h"

#include <string.h>

static const enum prc_field packed_fields[] = {PRC_FIELD_position, PRC_FIELD_velocity, PRC_FIELD_stretch};
#define PACKED_FIELDS 3

struct prc_parcel {
    prc_sim *sim;
    size_t start[PACKED_FIELDS + 1]; /* of each field, bytes; and the end */
    void *on_device;                 /* the parcel there, or NULL: */
    char *here;                      /* … on the CPU, or where a device has no room for it */
};

prc_parcel *prc_parcel_create(prc_sim *sim, prc_error *error)
{
    prc_parcel *p = PRC_NEW(prc_parcel, 1);
    if (!p) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    p->sim = sim;
    for (int k = 0; k < PACKED_FIELDS; k++)
        p->start[k + 1] =
            p->start[k] + prc_view_field_size(&sim->model.view, packed_fields[k], sim->model.host->real_size);
    if (sim->view.device)
        p->on_device = prc_device_parcel_create(sim->view.device, p->start[PACKED_FIELDS], NULL);
    if (!p->on_device && !(p->here = PRC_NEW(char, p->start[PACKED_FIELDS]))) {
        prc_free(p);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    return p;
}

void prc_parcel_destroy(prc_parcel *p)
{
    if (!p)
        return;
    prc_device_parcel_destroy(p->on_device);
    prc_free(p->here);
    prc_free(p);
}

/* Where no steps are, the stages of prc_sim_evaluate_at may run on a device as on the host: a step makes all of their
 * results anew. The tangent is left out. */
static void stretch_on_device(prc_sim *sim)
{
    const prc_backend *backend = sim->model.backend;
    prc_combine(sim, 0, PRC_FIELD_u, 0, PRC_FIELD_u, PRC_FIELD_trial);
    prc_view v = sim->view;
    v.has_damping = v.linearise = 0;
    v.want_stretch = 1;
    v.argument[0] = v.field[PRC_FIELD_trial];
    v.argument[1] = v.field[PRC_FIELD_trial_gradient];
    backend->run(&v, PRC_STAGE_bonds_begin);
    backend->run(&v, PRC_STAGE_elastic);
}

void prc_parcel_pack(prc_parcel *p)
{
    prc_sim *sim = p->sim;
    if (p->on_device) {
        stretch_on_device(sim);
        for (int k = 0; k < PACKED_FIELDS; k++)
            prc_device_parcel_put(p->on_device, p->start[k], sim->view.field[packed_fields[k]],
                                  p->start[k + 1] - p->start[k]);
        prc_device_parcel_send(p->on_device);
        return;
    }
    prc_sim_evaluate_at(sim, NULL); /* fetches */
    for (int k = 0; k < PACKED_FIELDS; k++)
        memcpy(p->here + p->start[k], sim->model.view.field[packed_fields[k]], p->start[k + 1] - p->start[k]);
}

/* In the caller's order; particles and obstacles are not stretched. */
static void unpack_stretches(const prc_sim *sim, const void *from, double *to)
{
    const bool single = sim->model.host->real_size == sizeof(float);
    const size_t n = (size_t)sim->view.padded_count;
    for (size_t i = 0; i < (size_t)sim->model.shown_count; i++)
        for (size_t c = 0; c < 2; c++) {
            const size_t at = c * n + i;
            double *const stretch = &to[2 * (size_t)sim->model.caller_of[i] + c];
            *stretch = i >= (size_t)sim->model.ring_count ? 1
                       : single                           ? (double)((const float *)from)[at]
                                                          : ((const double *)from)[at];
        }
}

prc_result prc_parcel_open(const prc_parcel *p, double *positions, double *velocities, double *stretches,
                           prc_error *error)
{
    const char *bytes = p->on_device ? prc_device_parcel_open(p->on_device, error) : p->here;
    if (!bytes)
        return PRC_ERROR_DEVICE;
    const void *at_end = bytes + p->start[0], *speeds = bytes + p->start[1];
    prc_sim_to_caller(p->sim, at_end, 3, positions);
    prc_sim_to_caller(p->sim, speeds, 3, velocities);
    unpack_stretches(p->sim, bytes + p->start[2], stretches);
    return PRC_OK;
}
