/* step/place.c — where a simulation is computed: it is made on the CPU, and moves to a device at the end if it is to
 * run there.
 *
 * The kind is settled first, so that a GPU that is not there is an error before anything is built.
 * SPDX-License-Identifier: Apache-2.0 */
#include "step/place.h"
#include "step/sim.h"

#include "backend/device.h"
#include "base/error.h"

#include <stdio.h>

#ifdef PRC_HAVE_CUDA
extern const prc_contact_table prc_contact_cuda;
#endif
#ifdef PRC_HAVE_DEVICE_ON_HOST
extern const prc_contact_table prc_contact_on_host;
#endif

static const prc_contact_table *contact_table(prc_backend_kind kind)
{
    switch (kind) {
#ifdef PRC_HAVE_CUDA
    case PRC_BACKEND_CUDA:
        return &prc_contact_cuda;
#endif
#ifdef PRC_HAVE_DEVICE_ON_HOST
    case PRC_BACKEND_DEVICE_ON_HOST:
        return &prc_contact_on_host;
#endif
    default:
        return NULL;
    }
}

/* What looks into vectors on the host, and so stays there. */
static bool host_only(const prc_sim_def *def)
{
    return def->contact.enabled && def->contact.method == PRC_CONTACT_PROJECTION;
}

prc_result prc_place_choose(prc_sim *sim, const prc_sim_def *def, prc_error *error)
{
    const prc_backend_kind wanted = def->backend;
    int vertices = 0;
    for (int b = 0; b < def->body_count; b++)
        vertices += def->bodies[b].mesh->vertex_count;
    if (host_only(def)) {
        sim->kind = PRC_BACKEND_CPU;
        if (wanted == PRC_BACKEND_CUDA || wanted == PRC_BACKEND_DEVICE_ON_HOST)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "backend: contact.method: projection runs on the CPU only; use backend: cpu, or "
                            "contact.method: barrier");
        return PRC_OK;
    }
    return prc_backend_resolve(wanted, vertices, &sim->kind, error);
}

static void name_place(prc_sim *sim)
{
    prc_device_info info;
    const char *kernels = sim->model.backend->name;
    if (sim->kind == PRC_BACKEND_CUDA && prc_device_find(sim->kind, &info, NULL) == PRC_OK)
        snprintf(sim->place, sizeof sim->place, "%s, %s", kernels, info.name);
    else
        snprintf(sim->place, sizeof sim->place, "%s", kernels);
}

prc_result prc_place_move(prc_sim *sim, prc_error *error)
{
    prc_result result = PRC_OK;
    if (sim->kind != PRC_BACKEND_CPU) {
        sim->device = prc_device_create(sim->kind, error);
        result = sim->device ? prc_sim_adopt(sim, prc_backend_choose(sim->kind, sim->def.precision),
                                             contact_table(sim->kind), sim->device, error)
                             : PRC_ERROR_DEVICE;
    }
    name_place(sim);
    return result;
}
