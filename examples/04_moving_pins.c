/* 04 — moving pins: one edge of a cloth is fixed, the opposite one rotates and is then released.
 *
 * New here: a prescribed rotation and a release time. At the end of every step, pinned vertices are exactly at
 * their prescribed positions.
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

    int left[64] = {0}, right[64] = {0}, left_count = 0, right_count = 0;
    for (int i = 0; i < mesh.vertex_count; i++) {
        if (mesh.positions[3 * i] < -0.499 && left_count < 64)
            left[left_count++] = i;
        if (mesh.positions[3 * i] > 0.499 && right_count < 64)
            right[right_count++] = i;
    }
    prc_pin_def pins[2] = {prc_pin_def_default(), prc_pin_def_default()};
    pins[0].vertices = left;
    pins[0].vertex_count = left_count;
    pins[1].vertices = right;
    pins[1].vertex_count = right_count;
    pins[1].motion.axis[0] = 1, pins[1].motion.axis[1] = 0; /* about x, through the origin */
    pins[1].motion.degrees_per_second = 180;
    pins[1].until = 0.5; /* a quarter turn, then free */

    prc_sim_def def = prc_sim_def_default();
    def.bodies = &body, def.body_count = 1;
    def.pins = pins, def.pin_count = 2;
    def.time.step = 0.005;
    prc_sim *sim = prc_sim_create(&def, &error);

    int end = right[0]; /* a vertex of the rotating edge, at (½, y0, 0) */
    double y0 = mesh.positions[3 * end + 1], off = 1, far = 0;
    prc_step_report report;
    for (int step = 1; step <= 160 && error.code == PRC_OK; step++) {
        prc_sim_step(sim, &report, &error);
        if (error.code != PRC_OK)
            break;
        const double *x = prc_sim_positions(sim) + 3 * end;
        if (step % 20 == 0)
            printf("%.2f s: (%6.3f %6.3f %6.3f)\n", report.time, x[0], x[1], x[2]);
        double angle = 3.14159265358979323846 * report.time;
        far = hypot(x[1] - y0 * cos(angle), x[2] - y0 * sin(angle)); /* from where the rotation would put it */
        if (step == 50)
            off = far;
    }
    if (error.code != PRC_OK)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("off by %.1g m while held, by %.2f m when let go\n", off, far);

    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    return error.code == PRC_OK && off < 1e-9 && far > 0.01 ? 0 : 1;
}
