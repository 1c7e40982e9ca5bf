/* 01 — a falling cloth in ten lines: a mesh, a body, a simulation, and its steps.
 *
 * Everything uses defaults: one square metre of cloth, gravity along −y, steps of a millisecond.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <math.h>
#include <stdio.h>

int main(void)
{
    prc_error error = {0};
    prc_mesh mesh = {0};
    prc_grid_def grid = prc_grid_def_default();
    prc_mesh_grid(&mesh, &grid, &error);
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    prc_sim *sim = prc_sim_create(&def, &error);
    prc_step_report report;
    for (int step = 0; step < 500 && error.code == PRC_OK; step++)
        prc_sim_step(sim, &report, &error);

    /* If a call above failed, the reason is here. */
    if (error.code != PRC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    /* Half a second of free fall is g t²/2 = 1.226 m; implicit Euler adds g t step/2, which is 2.5 mm. */
    double height = prc_sim_positions(sim)[1] - mesh.positions[1];
    printf("after %.3f s the first vertex has fallen %.3f m\n", prc_sim_time(sim), -height);

    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return fabs(height + 1.226) < 0.005 ? 0 : 1;
}
