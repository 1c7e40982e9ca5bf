/* 05 — wind, and what each step reports: a flag on a pole.
 *
 * New here: air, and the step report. A step that reaches an iteration limit still moves the cloth, but reports it:
 * `converged` is false and `stop` gives the reason. Programs that depend on accuracy should check after every step.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <stdio.h>

int main(void)
{
    prc_error error = {0};
    prc_mesh mesh = {0};
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = 1.5;
    grid.cells[0] = 30;
    grid.pattern = PRC_GRID_IRREGULAR; /* no preferred direction for folds */
    prc_mesh_grid(&mesh, &grid, &error);
    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;

    int pole[64], pole_count = 0;
    for (int i = 0; i < mesh.vertex_count; i++)
        if (mesh.positions[3 * i] < -0.749 && pole_count < 64)
            pole[pole_count++] = i;
    prc_pin_def pin = prc_pin_def_default();
    pin.vertices = pole;
    pin.vertex_count = pole_count;

    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body, def.body_count = 1;
    def.pins = &pin, def.pin_count = 1;
    def.time.step = 1.0 / 240;
    def.air.density = 1.2; /* kg/m³ */
    def.air.wind[2] = 4;   /* m/s, across the flag */
    prc_sim *sim = prc_sim_create(&def, &error);

    int not_converged = 0;
    printf("  time  iterations  residual m/s  kinetic J  elastic J  largest stretch\n");
    for (int step = 1; step <= 120 && error.code == PRC_OK; step++) {
        prc_step_report r;
        if (prc_sim_step(sim, &r, &error) != PRC_OK)
            break;
        not_converged += !r.converged;
        if (step % 24 == 0)
            printf("%6.2f %11d %13.1e %10.4f %10.4f %16.4f\n", r.time, r.iterations, r.residual, r.energy_kinetic,
                   r.energy_elastic, r.largest_stretch);
    }
    if (error.code != PRC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    double drift = 0; /* how far the wind has carried the cloth, on average */
    for (int i = 0; i < mesh.vertex_count; i++)
        drift += prc_sim_positions(sim)[3 * i + 2] / mesh.vertex_count;
    printf("carried %.2f m downwind; %d steps not converged; kernels: %s\n", drift, not_converged,
           prc_sim_backend(sim));

    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return drift > 0.1 && not_converged == 0 ? 0 : 1;
}
