/* evidence/chapter_bending.c — bending energy of cylinders and vibrations of a free plate.
 * SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"
#include "evidence.h"

#include <math.h>
#include <stdlib.h>

static const char *const pattern_names[] = {"regular", "alternating", "irregular"};

/* Bends a unit sheet to radius R about a direction in its plane; energy of the vertices inside over D A / (2 R²).
 * The membrane is soft (1e-9 N/m) and edge vertices have no bending stiffness, so nothing else is measured. */
static double cylinder_ratio(prc_grid_pattern pattern, int cells, double degrees, double radius, double poisson)
{
    prc_mesh mesh = ev_grid(1, 1, cells, cells, pattern, 7);
    prc_body_def body = prc_body_def_default();
    prc_material_def edge;
    int *group = EV_NEW(int, mesh.vertex_count);
    double *y = EV_NEW(double, 3 * mesh.vertex_count), energy, area = 0;
    body.mesh = &mesh;
    body.material.stretch = 1e-9;
    body.material.bending = 1;
    body.material.poisson = poisson;
    body.material.density = 1;
    edge = body.material;
    edge.bending = 0;
    body.materials = &edge;
    body.material_count = 1;
    body.vertex_material = group;
    double c = cos(degrees * EV_PI / 180), s = sin(degrees * EV_PI / 180);
    for (int i = 0; i < mesh.vertex_count; i++) {
        const double *x = mesh.positions + 3 * i;
        double u = c * x[0] + s * x[1], w = -s * x[0] + c * x[1];
        double bent = radius * sin(u / radius);
        y[3 * i] = c * bent - s * w;
        y[3 * i + 1] = s * bent + c * w;
        y[3 * i + 2] = radius * cos(u / radius);
        group[i] = fabs(x[0]) > 0.5 - 1e-9 || fabs(x[1]) > 0.5 - 1e-9;
    }
    prc_sim_def scene = ev_sim_def(&body);
    prc_sim *sim = ev_sim(&scene);
    ev_energy(sim, y, &energy, NULL);
    const double *mass = prc_sim_masses(sim);
    for (int i = 0; i < mesh.vertex_count; i++)
        area += group[i] ? 0 : mass[i];
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    free(group);
    free(y);
    return energy / (area / (2 * radius * radius));
}

void ev_chapter_cylinder(void)
{
    static const double directions[] = {0, 30, 45, 60, 90, 135};
    FILE *plot =
        ev_plot_open("cylinder.dat", "direction, degrees; energy / (D A / 2 R^2): regular, alternating, irregular");
    for (int pattern = 0; pattern < 3; pattern++)
        for (size_t k = 0; k < sizeof directions / sizeof *directions; k++) {
            char claim[120];
            double ratio = cylinder_ratio((prc_grid_pattern)pattern, 40, directions[k], 0.5, 0.3);
            snprintf(claim, sizeof claim, "cylinder, %s mesh, axis turned by %g degrees: energy / (D A / 2 R^2)",
                     pattern_names[pattern], directions[k]);
            if (pattern == PRC_GRID_ALTERNATING)
                ev_row_note(claim, 1, ratio, ratio - 1);
            else
                ev_row(claim, 1, ratio, ratio - 1, 0.015);
        }
    for (int degrees = 0; plot && degrees <= 180; degrees += 5)
        fprintf(plot, "%d %.5f %.5f %.5f\n", degrees, cylinder_ratio(PRC_GRID_REGULAR, 40, degrees, 0.5, 0.3),
                cylinder_ratio(PRC_GRID_ALTERNATING, 40, degrees, 0.5, 0.3),
                cylinder_ratio(PRC_GRID_IRREGULAR, 40, degrees, 0.5, 0.3));
    ev_plot_close(plot);
}

#define MODES 5

/* Lowest nonzero eigenvalues of the bending of a free unit plate of n × n vertices, from the engine's product. */
static void plate_eigenvalues(prc_grid_pattern pattern, int n, double *eigenvalues)
{
    prc_mesh mesh = ev_grid(1, 1, n - 1, n - 1, pattern, 2);
    prc_body_def body = prc_body_def_default();
    const int count = mesh.vertex_count;
    double *direction = EV_NEW(double, 3 * count), *product = EV_NEW(double, 3 * count);
    double *matrix = EV_NEW(double, (size_t)count *(size_t)count), all[MODES + 3];
    body.mesh = &mesh;
    body.material.bending = 1;
    body.material.density = 1;
    body.material.poisson = 0.3;
    prc_sim_def scene = ev_sim_def(&body);
    prc_sim *sim = ev_sim(&scene);
    const double *mass = prc_sim_masses(sim);
    for (int j = 0; j < count; j++) {
        direction[3 * j + 2] = 1;
        ev_product(sim, mesh.positions, direction, product);
        direction[3 * j + 2] = 0;
        for (int i = 0; i < count; i++)
            matrix[i * count + j] = product[3 * i + 2] / sqrt(mass[i] * mass[j]);
    }
    ev_eigenvalues(count, matrix, MODES + 3, all);
    for (int k = 0; k < MODES; k++)
        eigenvalues[k] = all[k + 3];
    prc_sim_destroy(sim);
    prc_mesh_release(&mesh);
    free(direction);
    free(product);
    free(matrix);
}

static double worst_of(const double *measured, const double *answer)
{
    double worst = 0;
    for (int k = 0; k < MODES; k++)
        worst = fmax(worst, fabs(measured[k] / answer[k] - 1));
    return worst;
}

/* n = 15. The eigenvalues are ω², as in the table that sets the bar, on the regular mesh of that table. The fourth and
 * fifth are one double eigenvalue, which the diagonals of the mesh split: its mean has the bar, the two halves are
 * noted. */
static void plate_rows(bool irregular, const double *measured, const double *answer)
{
    char claim[120];
    for (int k = 0; k < MODES; k++) {
        snprintf(claim, sizeof claim, "free plate, poisson 0.3, %s n = 15: eigenvalue %d (frequency squared)",
                 irregular ? "irregular" : "regular", k + 1);
        if (irregular || k >= 3)
            ev_row_note(claim, answer[k], measured[k], measured[k] / answer[k] - 1);
        else
            ev_row(claim, answer[k], measured[k], measured[k] / answer[k] - 1, 0.05);
    }
    const double mean = (measured[3] + measured[4]) / 2;
    snprintf(claim, sizeof claim, "free plate, poisson 0.3, %s n = 15: double eigenvalue 4, 5: mean",
             irregular ? "irregular" : "regular");
    if (irregular)
        ev_row_note(claim, answer[3], mean, mean / answer[3] - 1);
    else
        ev_row(claim, answer[3], mean, mean / answer[3] - 1, 0.05);
    for (int k = 0; k < MODES; k++) {
        snprintf(claim, sizeof claim, "free plate, poisson 0.3, %s n = 15: frequency %d",
                 irregular ? "irregular" : "regular", k + 1);
        ev_row(claim, sqrt(answer[k]), sqrt(measured[k]), sqrt(measured[k] / answer[k]) - 1, 0.05);
    }
}

void ev_chapter_plate(void)
{
    static const int sizes[] = {8, 15, 21, 29};
    static const double leissa[MODES] = {13.468, 19.596, 24.270, 34.801, 34.801};
    double answer[MODES], measured[MODES];
    char claim[120];
    ev_answer_plate(0.3, MODES, answer);
    for (int k = 0; k < MODES; k++) {
        snprintf(claim, sizeof claim, "the answer itself: free plate, frequency %d by Ritz' method against Leissa",
                 k + 1);
        ev_row(claim, leissa[k], sqrt(answer[k]), sqrt(answer[k]) / leissa[k] - 1, 1e-3);
    }
    FILE *plot = ev_plot_open("plate.dat", "n; five ratios measured / exact, regular; five, irregular");
    double before[2] = {INFINITY, INFINITY};
    for (int s = 0; s < (ev_quick ? 3 : 4); s++) {
        if (plot)
            fprintf(plot, "%d", sizes[s]);
        for (int irregular = 0; irregular < 2; irregular++) {
            plate_eigenvalues(irregular ? PRC_GRID_IRREGULAR : PRC_GRID_REGULAR, sizes[s], measured);
            double worst = worst_of(measured, answer);
            if (sizes[s] == 15)
                plate_rows(irregular, measured, answer);
            for (int k = 0; plot && k < MODES; k++)
                fprintf(plot, " %.5f", measured[k] / answer[k]);
            if (s) {
                snprintf(claim, sizeof claim, "free plate, %s: worst error at n = %d over that at n = %d",
                         irregular ? "irregular" : "regular", sizes[s], sizes[s - 1]);
                ev_row_between(claim, worst / before[irregular], 0, 0.95);
            }
            before[irregular] = worst;
        }
        if (plot)
            fprintf(plot, "\n");
    }
    ev_plot_close(plot);
}
