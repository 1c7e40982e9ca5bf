/* 06 — two bodies, a stiff band in one of them, a force on the other, and both precisions side by side.
 *
 * New here: materials for groups of vertices, forces, several bodies, and the choice of precision at run time. Bodies
 * share one vertex list; prc_sim_body_first_vertex says where each begins.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <math.h>
#include <stdio.h>

enum { CELLS = 12, VERTICES = (CELLS + 1) * (CELLS + 1) };

/* Runs the scene and copies the final positions of both bodies. */
static bool simulate(const prc_sim_def *scene, prc_precision precision, double positions[2 * VERTICES * 3])
{
    prc_error error = {0};
    prc_step_report report;
    prc_sim_def def = *scene;
    def.precision = precision;
    prc_sim *sim = prc_sim_create(&def, &error);
    for (int step = 0; step < 50 && error.code == PRC_OK; step++)
        prc_sim_step(sim, &report, &error);
    if (error.code == PRC_OK) {
        for (int i = 0; i < 2 * VERTICES * 3; i++)
            positions[i] = prc_sim_positions(sim)[i];
        printf("%-20s body 1 begins at vertex %d\n", prc_sim_backend(sim), prc_sim_body_first_vertex(sim, 1));
    } else {
        fprintf(stderr, "%s\n", error.message);
    }
    prc_sim_destroy(sim);
    return error.code == PRC_OK;
}

int main(void)
{
    prc_mesh mesh = {0};
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = CELLS;
    if (prc_mesh_grid(&mesh, &grid, NULL) != PRC_OK)
        return 1;

    /* Both hang from the upper edge. In body 0 the lower half is ten times as stiff. */
    int top[CELLS + 1], top_count = 0, group[VERTICES];
    for (int i = 0; i < VERTICES; i++) {
        if (mesh.positions[3 * i + 1] > 0.499)
            top[top_count++] = i;
        group[i] = mesh.positions[3 * i + 1] < 0 ? 1 : 0;
    }
    prc_material_def stiff = prc_material_def_default();
    stiff.stretch *= 10;
    prc_body_def bodies[2] = {prc_body_def_default(), prc_body_def_default()};
    bodies[0].mesh = bodies[1].mesh = &mesh; /* in the same place: contact is off */
    bodies[0].materials = &stiff, bodies[0].material_count = 1, bodies[0].vertex_material = group;

    prc_pin_def pins[2] = {prc_pin_def_default(), prc_pin_def_default()};
    prc_force_def force = prc_force_def_default();
    for (int k = 0; k < 2; k++)
        pins[k].body = k, pins[k].vertices = top, pins[k].vertex_count = top_count;
    force.body = 1;
    force.force[2] = 1; /* N, on the whole body */

    prc_sim_def scene = prc_sim_def_default();
    scene.time.step = 0.01;
    scene.bodies = bodies, scene.body_count = 2;
    scene.pins = pins, scene.pin_count = 2;
    scene.forces = &force, scene.force_count = 1;

    static double in_single[2 * VERTICES * 3], in_double[2 * VERTICES * 3];
    if (!simulate(&scene, PRC_PRECISION_SINGLE, in_single) || !simulate(&scene, PRC_PRECISION_DOUBLE, in_double))
        return 1;
    double difference = 0, swing[2] = {0, 0};
    for (int i = 0; i < 2 * VERTICES; i++) {
        for (int c = 0; c < 3; c++)
            difference = fmax(difference, fabs(in_single[3 * i + c] - in_double[3 * i + c]));
        swing[i / VERTICES] = fmax(swing[i / VERTICES], in_double[3 * i + 2]);
    }
    printf("swing %.3f m without and %.3f m with the force; single and double differ by %.1e m\n", swing[0], swing[1],
           difference);
    prc_mesh_release(&mesh);
    return swing[0] < 1e-6 && swing[1] > 0.05 && difference < 1e-3 ? 0 : 1;
}
