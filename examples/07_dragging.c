/* 07 — changing a simulation while it runs: a corner is dragged over a ball and released, and gravity is reversed.
 *
 * New here: contact, colliders, grabs and live settings (percale/live.h). A grab is a spring from a point of the cloth
 * to a fixed place, with a limited force. Like any force it cannot overcome contact: the cloth is never pulled through
 * the ball. SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <stdio.h>

/* Mean height of all vertices, m. */
static double height_of(prc_sim *sim)
{
    const double *x = prc_sim_positions(sim);
    const int count = prc_sim_vertex_count(sim);
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += x[3 * i + 1];
    return sum / count;
}

int main(void)
{
    prc_error error = {0};
    prc_mesh mesh = {0};
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.4;
    grid.cells[0] = grid.cells[1] = 14;
    prc_mesh_grid(&mesh, &grid, &error);
    prc_mesh_transform(&mesh, (const double[3]){1, 0, 0}, -90, 1, (const double[3]){0.05, 0.11, 0.02}); /* horizontal */

    prc_body_def body = prc_body_def_default();
    body.mesh = &mesh;
    prc_collider_def colliders[2] = {prc_collider_def_default(), prc_collider_def_default()};
    colliders[0].shape = PRC_SHAPE_SPHERE;
    colliders[0].radius = 0.1;
    colliders[1].shape = PRC_SHAPE_PLANE; /* the floor */
    colliders[1].center[1] = -0.1;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body;
    def.body_count = 1;
    def.colliders = colliders;
    def.collider_count = 2;
    def.contact.enabled = true;
    def.contact.thickness = 4e-3;
    def.contact.friction = 0.3;
    def.time.step = 5e-3;
    prc_sim *sim = prc_sim_create(&def, &error);

    /* Grabs the first vertex, a corner, and drags it to the other side; the straight path goes through the ball. */
    prc_grab_def grab = prc_grab_def_default();
    int held = -1;
    double force = 0, strongest = 0;
    prc_step_report report = {0};
    grab.limit = 0.5;
    for (int c = 0; c < 3; c++)
        grab.target[c] = mesh.positions[c];
    prc_sim_grab(sim, &grab, &held, &error);
    for (int step = 0; step < 80 && error.code == PRC_OK; step++) {
        const double t = step / 60.0 < 1 ? step / 60.0 : 1;
        for (int c = 0; c < 3; c++)
            grab.target[c] = (1 - 2 * t) * mesh.positions[c] * (c != 1) + (c == 1) * 0.02;
        prc_sim_grab_move(sim, held, grab.target, &error);
        prc_sim_step(sim, &report, &error);
        prc_sim_grab_read(sim, held, NULL, &force);
        strongest = force > strongest ? force : strongest;
    }
    printf("pulled with at most %.2f N; %d contacts, smallest gap %.2f mm\n", strongest, report.active_contacts,
           1e3 * report.smallest_gap);

    /* Releases the corner and reverses gravity. */
    prc_sim_grab_end(sim, held);
    prc_sim_set_gravity(sim, (const double[3]){0, 3, 0}, &error);
    const double before = height_of(sim);
    for (int step = 0; step < 60 && error.code == PRC_OK; step++)
        prc_sim_step(sim, &report, &error);
    if (error.code != PRC_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const double risen = height_of(sim) - before;
    printf("with gravity upwards the cloth has risen by %.0f mm\n", 1e3 * risen);

    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return strongest <= 0.5000001 && risen > 0.05 ? 0 : 1;
}
