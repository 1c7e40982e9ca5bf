/* bench/gpu_frames.c — see gpu_frames.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "gpu_frames.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "step/parcel.h"

struct prc_gpu_frames {
    prc_sim *sim;
    prc_frames_how how;
    size_t vertices;
    double *positions, *velocities, *stretches; /* one array */
    prc_parcel *parcel;
    bool under_way;
};

prc_gpu_frames *prc_gpu_frames_create(prc_sim *sim, prc_frames_how how, prc_error *error)
{
    prc_gpu_frames *f = PRC_NEW(prc_gpu_frames, 1);
    if (!f) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    f->sim = sim;
    f->how = how;
    f->vertices = (size_t)prc_sim_vertex_count(sim);
    f->positions = PRC_NEW(double, 8 * f->vertices);
    f->velocities = f->positions + 3 * f->vertices;
    f->stretches = f->positions + 6 * f->vertices;
    f->parcel = f->positions ? prc_parcel_create(sim, error) : NULL;
    if (f->parcel)
        return f;
    PRC_FAIL_MEMORY(error);
    prc_gpu_frames_release(f);
    return NULL;
}

void prc_gpu_frames_release(prc_gpu_frames *f)
{
    if (!f)
        return;
    prc_parcel_destroy(f->parcel);
    prc_free(f->positions);
    prc_free(f);
}

void prc_gpu_frames_take(prc_gpu_frames *f)
{
    f->under_way = f->how == PRC_FRAMES_PACKED;
    if (f->under_way) {
        prc_parcel_pack(f->parcel);
        return;
    }
    memcpy(f->positions, prc_sim_positions(f->sim), 3 * f->vertices * sizeof(double));
    memcpy(f->velocities, prc_sim_velocities(f->sim), 3 * f->vertices * sizeof(double));
    memcpy(f->stretches, prc_sim_stretches(f->sim), 2 * f->vertices * sizeof(double));
}

prc_result prc_gpu_frames_open(prc_gpu_frames *f, prc_error *error)
{
    const bool under_way = f->under_way;
    f->under_way = false;
    return under_way ? prc_parcel_open(f->parcel, f->positions, f->velocities, f->stretches, error) : PRC_OK;
}
