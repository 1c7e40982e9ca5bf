/* 02 — pins: a cloth that hangs from its upper edge, and how far its own weight stretches it.
 *
 * New here: pins, a longer time step, and reading positions back. The answer can be computed by hand: the tension at a
 * height y above the hem is density·g·y, so the hem sinks by density·g·L²/(2Y). The default material has Y = 2·stretch.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    prc_error error = {0};
    prc_mesh mesh = {0};
    prc_grid_def grid = prc_grid_def_default(); /* in the x–y plane, so it is already vertical */
    prc_mesh_grid(&mesh, &grid, &error);

    /* A pin is a list of vertices; a pin without motion holds them in place. */
    int top[64], top_count = 0, bottom = 0;
    for (int i = 0; i < mesh.vertex_count; i++) {
        double y = mesh.positions[3 * i + 1];
        if (y > 0.499 && top_count < 64)
            top[top_count++] = i;
        if (y < mesh.positions[3 * bottom + 1])
            bottom = i;
    }
    prc_pin_def pin = prc_pin_def_default();
    pin.vertices = top;
    pin.vertex_count = top_count;

    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.pins = &pin;
    def.pin_count = 1;
    def.time.step = 0.01; /* implicit: ten times the default is still stable, and comes to rest sooner */
    def.solver.tolerance = 1e-6;
    prc_sim *sim = prc_sim_create(&def, &error);

    prc_step_report report;
    for (int step = 0; step < 100 && error.code == PRC_OK; step++)
        prc_sim_step(sim, &report, &error);
    if (error.code != PRC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    double sag = mesh.positions[3 * bottom + 1] - prc_sim_positions(sim)[3 * bottom + 1];
    double by_hand = body.material.density * 9.81 / (2 * 2 * body.material.stretch);
    printf("the hem has sunk by %.4f mm; by hand %.4f mm\n", 1e3 * sag, 1e3 * by_hand);
    double moved = fabs(prc_sim_positions(sim)[3 * top[0] + 1] - mesh.positions[3 * top[0] + 1]);

    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return moved == 0 && fabs(sag / by_hand - 1) < 0.02 ? 0 : 1;
}
