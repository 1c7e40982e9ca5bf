/* evidence/chapter_strip.c — strips that hang: heavy cantilevers, the end-loaded cantilever of Sze et al. (2004), the
 * catenary.
 *
 * The clamp is made by symmetry: a strip of twice the length, held along its middle line and loaded alike on both
 * sides, has no slope there, whatever the discretisation. A user clamps two rows of vertices instead; then the clamp
 * acts half a cell beyond the first row, and one row of the table shows that this holds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct strip {
    double length, width; /* of one half */
    int along, across;    /* cells of one half */
    prc_grid_pattern pattern;
    prc_discretisation discretisation;
    prc_material_def material;
    double weight; /* N/m², downwards */
    double end;    /* N, downwards, at each end */
    double first_step;
} strip;

/* Mean x and z of the vertices at each of the along + 1 stations of the right half, at rest under load. */
static void strip_shape(const strip *s, double *x, double *z)
{
    prc_mesh mesh = ev_grid(2 * s->length, s->width, 2 * s->along, s->across, s->pattern, 4);
    prc_body_def body = prc_body_def_default();
    prc_pin_def pin = prc_pin_def_default();
    prc_force_def forces[2] = {prc_force_def_default(), prc_force_def_default()};
    const double cell = s->length / s->along;
    int *middle = ev_column(&mesh, 0, 1e-9, &pin.vertex_count), *ends[2];
    body.mesh = &mesh;
    body.material = s->material;
    body.discretisation = s->discretisation;
    pin.vertices = middle;
    prc_sim_def scene = ev_sim_def(&body);
    scene.gravity[2] = -s->weight / s->material.density;
    scene.pins = &pin;
    scene.pin_count = 1;
    for (int k = 0; k < 2; k++) {
        ends[k] = ev_column(&mesh, k ? s->length : -s->length, 1e-9, &forces[k].vertex_count);
        forces[k].vertices = ends[k];
        forces[k].force[2] = -s->end;
    }
    scene.forces = forces;
    scene.force_count = s->end > 0 ? 2 : 0;
    double *y = EV_NEW(double, 3 * mesh.vertex_count);
    int *count = EV_NEW(int, s->along + 1);
    memcpy(y, mesh.positions, sizeof(double) * 3 * (size_t)mesh.vertex_count);
    ev_relax(&scene, y, s->first_step, 1e-9 * s->length);
    for (int k = 0; k <= s->along; k++)
        x[k] = z[k] = 0;
    for (int i = 0; i < mesh.vertex_count; i++) {
        double at = mesh.positions[3 * i] / cell;
        int k = (int)lround(at);
        if (k < 0 || fabs(at - k) > 1e-6)
            continue;
        x[k] += y[3 * i];
        z[k] += y[3 * i + 2];
        count[k]++;
    }
    for (int k = 0; k <= s->along; k++) {
        x[k] /= count[k];
        z[k] /= count[k];
    }
    free(y);
    free(count);
    free(middle);
    free(ends[0]);
    free(ends[1]);
    prc_mesh_release(&mesh);
}

#define STATIONS 40

/* A strip of length 1 and bending stiffness 1 N·m that hardly stretches (below 0.2 % at the largest load). */
static strip heavy_strip(double load)
{
    strip s = {
        .length = 1, .width = 0.1, .along = STATIONS, .across = 4, .pattern = PRC_GRID_REGULAR, .first_step = 0.02};
    s.material = prc_material_def_default();
    s.material.stretch = 1e4;
    s.material.bending = 1;
    s.material.poisson = 0;
    s.material.density = 1;
    s.weight = load;
    return s;
}

static double shape_error(const double *x, const double *z, const double *ax, const double *az, int count)
{
    double worst = 0;
    for (int k = 0; k <= count; k++)
        worst = fmax(worst, hypot(x[k] - ax[k], z[k] - az[k]));
    return worst;
}

static void elastica_rows(void)
{
    static const double known[3][3] = {{1, 0.12347, 0.99125}, {3, 0.33965, 0.93151}, {30, 0.87309, 0.34276}};
    double x[STATIONS + 1], z[STATIONS + 1];
    for (int k = 0; k < 3; k++) {
        char claim[120];
        ev_answer_elastica(known[k][0], 0, STATIONS, x, z);
        snprintf(claim, sizeof claim, "the answer itself: elastica by shooting, G = %g, tip drop against the table",
                 known[k][0]);
        ev_row(claim, known[k][1], -z[STATIONS], -z[STATIONS] - known[k][1], 2e-5);
        snprintf(claim, sizeof claim, "the answer itself: elastica by shooting, G = %g, tip reach against the table",
                 known[k][0]);
        ev_row(claim, known[k][2], x[STATIONS], x[STATIONS] - known[k][2], 2e-5);
    }
}

/* As a user clamps: the first two columns of vertices held. The clamp then acts half a cell beyond the first, so a
 * strip of 41 cells has a free length of 40.5 cells, here 1. */
static void clamp_row(void)
{
    const double cell = 1 / 40.5;
    double ax[82], az[82], worst = 0, drop = 0;
    strip s = heavy_strip(3);
    prc_mesh mesh = ev_grid(41 * cell, s.width, 41, 4, PRC_GRID_REGULAR, 1);
    prc_body_def body = prc_body_def_default();
    prc_pin_def pin = prc_pin_def_default();
    int *held = ev_column(&mesh, -20 * cell, 0.6 * cell, &pin.vertex_count);
    body.mesh = &mesh;
    body.material = s.material;
    pin.vertices = held;
    prc_sim_def scene = ev_sim_def(&body);
    scene.gravity[2] = -s.weight / s.material.density;
    scene.pins = &pin;
    scene.pin_count = 1;
    double *y = EV_NEW(double, 3 * mesh.vertex_count);
    memcpy(y, mesh.positions, sizeof(double) * 3 * (size_t)mesh.vertex_count);
    ev_relax(&scene, y, s.first_step, 1e-9);
    ev_answer_elastica(3, 0, 81, ax, az);
    for (int i = 0; i < mesh.vertex_count; i++) {
        int k = (int)lround(mesh.positions[3 * i] / cell + 20.5); /* column, 0 to 41 */
        double x = y[3 * i] + 20 * cell, z = y[3 * i + 2];
        if (k < 1)
            continue;
        worst = fmax(worst, hypot(x - ax[2 * k - 1], z - az[2 * k - 1]));
        drop = fmax(drop, -z);
    }
    ev_row("heavy cantilever, G = 3, two columns held, clamp half a cell in: tip drop (worst / L)", -az[81], drop,
           worst, 0.01);
    free(y);
    free(held);
    prc_mesh_release(&mesh);
}

void ev_chapter_cantilever(void)
{
    static const double loads[] = {1, 3, 30};
    static const char *const names[] = {"regular", "alternating", "irregular"};
    double x[3][STATIONS + 1], z[3][STATIONS + 1], ax[3][STATIONS + 1], az[3][STATIONS + 1];
    char claim[120];
    elastica_rows();
    clamp_row();
    for (int irregular = 0; irregular < (ev_quick ? 1 : 2); irregular++) {
        for (int k = 0; k < 3; k++) {
            strip s = heavy_strip(loads[k]);
            s.pattern = irregular ? PRC_GRID_IRREGULAR : PRC_GRID_REGULAR;
            strip_shape(&s, x[k], z[k]);
            ev_answer_elastica(loads[k], 0, STATIONS, ax[k], az[k]);
            snprintf(claim, sizeof claim, "heavy cantilever, G = %g, %s: tip drop (worst of 41 points / L)", loads[k],
                     names[s.pattern]);
            ev_row(claim, -az[k][STATIONS], -z[k][STATIONS], shape_error(x[k], z[k], ax[k], az[k], STATIONS), 0.01);
        }
        FILE *plot = ev_plot_open(irregular ? "cantilever_irregular.dat" : "cantilever.dat",
                                  "x z measured, x z elastica, for G = 1, 3, 30");
        for (int i = 0; plot && i <= STATIONS; i++) {
            for (int k = 0; k < 3; k++)
                fprintf(plot, "%.6f %.6f %.6f %.6f ", x[k][i], z[k][i], ax[k][i], az[k][i]);
            fprintf(plot, "\n");
        }
        ev_plot_close(plot);
    }
}

/* L = 10, b = 1, t = 0.1, E = 1.2e6, nu = 0; values of Abaqus S4R as printed. */
void ev_chapter_end_force(void)
{
    static const double known[2][3] = {{2, 1.604, 4.933}, {4, 3.286, 6.698}};
    for (int k = 0; k < 2; k++) {
        char claim[120];
        double x[STATIONS + 1], z[STATIONS + 1];
        strip s = {
            .length = 10, .width = 1, .along = STATIONS, .across = 4, .pattern = PRC_GRID_REGULAR, .first_step = 0.05};
        s.material = prc_material_def_default();
        s.material.model = PRC_MODEL_STVK;
        s.material.stretch = 0;
        s.material.young = 1.2e6;
        s.material.thickness = 0.1;
        s.material.bending = -1;
        s.material.poisson = 0;
        s.material.density = 1;
        s.end = known[k][0];
        strip_shape(&s, x, z);
        snprintf(claim, sizeof claim, "cantilever of Sze et al., end force %g: tip moves back", known[k][0]);
        ev_row(claim, known[k][1], 10 - x[STATIONS], (10 - x[STATIONS]) / known[k][1] - 1, 0.02);
        snprintf(claim, sizeof claim, "cantilever of Sze et al., end force %g: tip moves along the force", known[k][0]);
        ev_row(claim, known[k][2], -z[STATIONS], -z[STATIONS] / known[k][2] - 1, 0.02);
    }
}

void ev_chapter_catenary(void)
{
    const double span = 0.8, answer = ev_answer_catenary(span);
    prc_mesh mesh = ev_grid(1, 0.05, 40, 2, PRC_GRID_REGULAR, 1);
    prc_body_def body = prc_body_def_default();
    prc_pin_def pins[2] = {prc_pin_def_default(), prc_pin_def_default()};
    int *ends[2];
    body.mesh = &mesh;
    body.material.stretch = 1e4;
    body.material.density = 1;
    body.material.bending = 1e-5;
    prc_sim_def scene = ev_sim_def(&body);
    scene.gravity[2] = -9.81;
    for (int k = 0; k < 2; k++) {
        ends[k] = ev_column(&mesh, k ? 0.5 : -0.5, 1e-9, &pins[k].vertex_count);
        pins[k].vertices = ends[k];
    }
    scene.pins = pins;
    scene.pin_count = 2;
    double *y = EV_NEW(double, 3 * mesh.vertex_count), lowest = 0;
    for (int i = 0; i < mesh.vertex_count; i++) { /* start from a shallow arc between the supports */
        y[3 * i] = span * mesh.positions[3 * i];
        y[3 * i + 1] = mesh.positions[3 * i + 1];
        y[3 * i + 2] = -0.2 * cos(EV_PI * mesh.positions[3 * i]);
        if (fabs(mesh.positions[3 * i]) > 0.5 - 1e-9)
            y[3 * i + 2] = 0;
    }
    ev_relax(&scene, y, 0.02, 1e-9);
    for (int i = 0; i < mesh.vertex_count; i++)
        lowest = fmin(lowest, y[3 * i + 2]);
    ev_row("the answer itself: sag of a catenary, length 1, span 0.8, against the table", 0.26544, answer,
           answer - 0.26544, 1e-5);
    ev_row("catenary, length 1, span 0.8: sag", answer, -lowest, -lowest / answer - 1, 0.01);
    free(y);
    free(ends[0]);
    free(ends[1]);
    prc_mesh_release(&mesh);
}
