/* test/fuzz/fuzz_state.c — a simulation that is given any bytes as its state, and then takes a step. The first byte
 * says whether size and checksum are put right. SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/hash.h"

#define HEADER 40 /* bytes before the state; the last 16 of them are its size and checksum */

static prc_sim *make(void)
{
    static prc_mesh mesh;
    static const int corner[1] = {0};
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 2;
    if (!mesh.positions)
        FUZZ_CHECK(!prc_mesh_grid(&mesh, &grid, NULL));
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_pin_def pin = prc_pin_def_default();
    pin.vertices = corner;
    pin.vertex_count = 1;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.pins = &pin;
    def.pin_count = 1;
    def.contact.enabled = true;
    def.solver.max_iterations = 3;
    def.solver.max_inner = 20;
    def.threads = 1;
    prc_sim *sim = prc_sim_create(&def, NULL);
    FUZZ_CHECK(sim != NULL);
    return sim;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static prc_sim *sim;
    static uint8_t *good;
    static size_t saved;
    prc_error error = {0};
    prc_step_report report;
    if (!sim) {
        sim = make();
        saved = prc_sim_saved_size(sim);
        good = malloc(saved);
        FUZZ_CHECK(good != NULL);
        prc_sim_save(sim, good);
    }
    if (size < 3)
        return 0;
    const size_t from = (data[1] | (size_t)data[2] << 8) % saved, count = size - 3, end = from + count;
    const size_t length = (data[0] & 2) || end > saved ? end : saved;
    uint8_t *bytes = malloc(saved + size);
    FUZZ_CHECK(bytes && !prc_sim_restore(sim, good, saved, &error));
    memcpy(bytes, good, saved);
    memcpy(bytes + from, data + 3, count);
    if ((data[0] & 1) && length >= HEADER) {
        const uint64_t ends[2] = {length, prc_hash(PRC_HASH_START, bytes + HEADER, length - HEADER)};
        memcpy(bytes + HEADER - 16, ends, 16);
    }
    if (prc_sim_restore(sim, bytes, length, &error))
        FUZZ_CHECK(error.message[0]);
    if (prc_sim_step(sim, &report, &error))
        FUZZ_CHECK(error.message[0]);
    for (int k = 0; k < 3 * prc_sim_vertex_count(sim); k++)
        FUZZ_CHECK(isfinite(prc_sim_positions(sim)[k]));
    free(bytes);
    return 0;
}
