/* evidence/chapter_discretisation.c — the default against the least-squares weights and against the projective
 * peridynamics paper's isotropic form, where they differ. (The patch test has the first such rows.)
 * SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"averaged", "least_squares", "paper"};

/* A sheet of A3, ends held at a stretch of 1.1, edges free: pull at the end over s0 (l^3 − l^−3)/3. */
static double pull_ratio(prc_discretisation discretisation, int n)
{
    const double stretch = 1.1, answer = 500 * (pow(stretch, 3) - pow(stretch, -3)) / 3;
    prc_mesh mesh = ev_grid(1, 0.5, n - 1, (n - 1) / 2, PRC_GRID_IRREGULAR, 1);
    prc_body_def body = prc_body_def_default();
    prc_pin_def pins[2] = {prc_pin_def_default(), prc_pin_def_default()};
    int *ends[2];
    body.mesh = &mesh;
    body.material.stretch = 500;
    body.material.bending = 1e-4;
    body.discretisation = discretisation;
    prc_sim_def scene = ev_sim_def(&body);
    scene.solver.max_iterations = 60;
    for (int k = 0; k < 2; k++) {
        ends[k] = ev_column(&mesh, k ? 0.5 : -0.5, 1e-9, &pins[k].vertex_count);
        pins[k].vertices = ends[k];
    }
    scene.pins = pins;
    scene.pin_count = 2;
    double *x = EV_NEW(double, 3 * mesh.vertex_count), *g = EV_NEW(double, 3 * mesh.vertex_count), pull = 0;
    memcpy(x, mesh.positions, sizeof(double) * 3 * (size_t)mesh.vertex_count);
    for (int i = 0; i < mesh.vertex_count; i++)
        x[3 * i] *= stretch;
    ev_relax(&scene, x, 5e-3, 1e-9);
    prc_sim *sim = ev_sim(&scene);
    ev_energy(sim, x, NULL, g);
    for (int k = 0; k < pins[1].vertex_count; k++)
        pull += g[3 * ends[1][k]];
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    free(x);
    free(g);
    free(ends[0]);
    free(ends[1]);
    return pull / 0.5 / answer;
}

/* Tip drop over that of the elastica (G = 3) of an irregular strip clamped by symmetry, for stiffer and stiffer
 * membranes. */
static double drop_ratio(prc_discretisation discretisation, double modulus, int cells, double answer)
{
    prc_mesh mesh = ev_grid(2, 0.25, 2 * cells, cells / 4, PRC_GRID_IRREGULAR, 1);
    prc_body_def body = prc_body_def_default();
    prc_pin_def pin = prc_pin_def_default();
    int *middle = ev_column(&mesh, 0, 1e-9, &pin.vertex_count), count;
    int *tip = ev_column(&mesh, 1, 1e-9, &count);
    body.mesh = &mesh;
    body.material.stretch = modulus;
    body.material.bending = 1;
    body.material.poisson = 0;
    body.material.density = 1;
    body.discretisation = discretisation;
    pin.vertices = middle;
    prc_sim_def scene = ev_sim_def(&body);
    scene.gravity[2] = -3;
    scene.pins = &pin;
    scene.pin_count = 1;
    scene.solver.max_iterations = 60;
    double *x = EV_NEW(double, 3 * mesh.vertex_count), drop = 0;
    memcpy(x, mesh.positions, sizeof(double) * 3 * (size_t)mesh.vertex_count);
    ev_relax(&scene, x, 0.02, 1e-9);
    for (int k = 0; k < count; k++)
        drop -= x[3 * tip[k] + 2] / count;
    free(x);
    free(middle);
    free(tip);
    prc_mesh_release(&mesh);
    return drop / answer;
}

static void pull_rows(FILE *plot)
{
    for (int n = 21; n <= 41; n += 20)
        for (int d = 0; d < 3; d++) {
            char claim[120];
            double ratio = pull_ratio((prc_discretisation)d, n);
            snprintf(claim, sizeof claim, "uniaxial pull, irregular n = %d, %s: stress / formula", n, names[d]);
            if (d == PRC_DISCRETISATION_AVERAGED)
                ev_row(claim, 1, ratio, ratio - 1, 1e-6);
            else
                ev_row_note(claim, 1, ratio, ratio - 1);
            if (plot)
                fprintf(plot, "pull_%d_%s %.6f\n", n, names[d], ratio);
        }
}

void ev_chapter_discretisation(void)
{
    static const double moduli[] = {1e3, 1e4, 1e5, 1e6};
    double x[11], z[11];
    FILE *plot = ev_plot_open("discretisation.dat", "name, measured / answer");
    pull_rows(plot);
    ev_plot_close(plot);
    ev_answer_elastica(3, 0, 10, x, z);
    plot = ev_plot_open("locking.dat", "modulus L^2/D; tip drop / elastica: averaged, least_squares, paper");
    for (int k = 0; k < (ev_quick ? 1 : 4); k++) {
        double ratio[3];
        for (int d = 0; d < 3; d++) {
            char claim[120];
            ratio[d] = drop_ratio((prc_discretisation)d, moduli[k], 20, -z[10]);
            snprintf(claim, sizeof claim,
                     "cantilever G = 3, irregular, 20 cells, modulus L^2/D = %.0e, %s: drop / answer", moduli[k],
                     names[d]);
            ev_row_note(claim, 1, ratio[d], ratio[d] - 1);
        }
        if (plot)
            fprintf(plot, "%.6g %.6f %.6f %.6f\n", moduli[k], ratio[0], ratio[1], ratio[2]);
    }
    ev_plot_close(plot);
}
