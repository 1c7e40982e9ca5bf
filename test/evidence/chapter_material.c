/* evidence/chapter_material.c — the materials alone: energy, stress, rest state, collapse, and stresses of whole
 * sheets. SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"
#include "evidence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int ev_material_count(void)
{
    return PRC_MODEL_COUNT;
}

prc_material_def ev_material(int index)
{
    /* Spaced so that the resampled table has these points as knots; then it is the curve itself. */
    static const double curve[5][2] = {{0.36, -400}, {0.8, -100}, {1, 0}, {1.2, 90}, {1.64, 500}};
    prc_material_def def = prc_material_def_default();
    def.model = (prc_material_model)index;
    def.stretch = 500;
    def.poisson = 0.3;
    def.bending = 0;
    def.term_count = 2;
    def.terms[0] = (prc_material_term){PRC_MODEL_A1, 200};
    def.terms[1] = (prc_material_term){PRC_MODEL_B2, 100};
    def.coefficient_count = def.model == PRC_MODEL_MOONEY_RIVLIN ? 2 : 3;
    def.coefficients[0] = 100;
    def.coefficients[1] = def.model == PRC_MODEL_OGDEN ? -30 : 30;
    def.coefficients[2] = 5;
    def.exponent_count = def.model == PRC_MODEL_FUNG ? 1 : 3;
    def.exponents[0] = def.model == PRC_MODEL_FUNG ? 1.5 : 2;
    def.exponents[1] = -2;
    def.exponents[2] = 4.5;
    def.stretch_warp = 600;
    def.stretch_weft = 300;
    def.shear = 150;
    def.curve_count = 5;
    memcpy(def.curve, curve, sizeof curve);
    return def;
}

static void evaluate(const prc_material_def *def, double l1, double l2, double *energy, double stress[2])
{
    prc_error error;
    if (prc_material_evaluate(def, l1, l2, energy, stress, &error) != PRC_OK) {
        fprintf(stderr, "percale: %s\n", error.message);
        exit(2);
    }
}

/* Largest |dΨ/dl − P| over a net of stretches, relative to the largest stress there. */
static double energy_slope_error(const prc_material_def *def, double low, double high)
{
    double worst = 0, scale = 0;
    for (int i = 0; i <= 12; i++)
        for (int j = 0; j <= 12; j++) {
            double l[2] = {low + (high - low) * i / 12, low + (high - low) * j / 12}, stress[2], plus, minus, rest[2];
            evaluate(def, l[0], l[1], NULL, stress);
            for (int a = 0; a < 2; a++) {
                double h = 1e-6 * l[a], at[2] = {l[0], l[1]};
                at[a] = l[a] + h;
                evaluate(def, at[0], at[1], &plus, rest);
                at[a] = l[a] - h;
                evaluate(def, at[0], at[1], &minus, rest);
                worst = fmax(worst, fabs((plus - minus) / (2 * h) - stress[a]));
                scale = fmax(scale, fabs(stress[a]));
            }
        }
    return worst / scale;
}

/* The jump of the stress across the floor of the stretches, and whether everything down to 1e-3 is finite. */
static double collapse_jump(const prc_material_def *def, bool *finite)
{
    double above[2], below[2], energy, stress[2];
    evaluate(def, 0.3 + 1e-9, 1, NULL, above);
    evaluate(def, 0.3 - 1e-9, 1, NULL, below);
    *finite = true;
    for (double l = 0.3; l >= 1e-3; l /= 1.3)
        for (int both = 0; both < 2; both++) {
            evaluate(def, l, both ? l : 1, &energy, stress);
            *finite &= isfinite(energy) && isfinite(stress[0]) && isfinite(stress[1]) &&
                       energy < 1e30; /* holds in single precision too */
        }
    return fabs(above[0] - below[0]) / fabs(above[0]);
}

static void material_rows(int index)
{
    char claim[120];
    prc_material_def def = ev_material(index);
    const char *name = prc_material_model_name(def.model);
    double rest[2], energy;
    bool finite;
    snprintf(claim, sizeof claim, "%s: dE/dl = P for stretches 0.35 to 2", name);
    double slope = energy_slope_error(&def, 0.35, 2);
    ev_row(claim, 0, slope, slope, 1e-7);
    evaluate(&def, 1, 1, &energy, rest);
    snprintf(claim, sizeof claim, "%s: no stress and no energy at rest (relative to its modulus)", name);
    double left = (fabs(rest[0]) + fabs(rest[1]) + fabs(energy)) / 500;
    ev_row(claim, 0, left, left, 1e-12);
    snprintf(claim, sizeof claim, "%s: dE/dl = P for stretches 0.01 to 0.3, below the floor", name);
    slope = energy_slope_error(&def, 0.01, 0.3);
    ev_row(claim, 0, slope, slope, 1e-7);
    snprintf(claim, sizeof claim, "%s: finite down to a stretch of 1e-3, stress continuous at the floor", name);
    double jump = collapse_jump(&def, &finite);
    ev_row(claim, 0, finite ? jump : INFINITY, finite ? jump : INFINITY, 1e-6);
}

void ev_chapter_material(void)
{
    for (int k = 0; k < ev_material_count(); k++)
        material_rows(k);
}

/* Stress of a whole irregular sheet at stretches l1, l2, from the forces on its vertices. */
static void sheet_stress(prc_sim *sim, const prc_mesh *mesh, double l1, double l2, double stress[2])
{
    double *x = EV_NEW(double, 3 * mesh->vertex_count), *g = EV_NEW(double, 3 * mesh->vertex_count);
    for (int i = 0; i < mesh->vertex_count; i++) {
        x[3 * i] = l1 * mesh->positions[3 * i];
        x[3 * i + 1] = l2 * mesh->positions[3 * i + 1];
    }
    ev_energy(sim, x, NULL, g);
    for (int axis = 0; axis < 2; axis++)
        stress[axis] = ev_virial(mesh->positions, g, mesh->vertex_count, axis, 1.0 * 0.6);
    free(x);
    free(g);
}

static const double uniaxial[] = {0.85, 0.95, 1.05, 1.1, 1.2, 1.3, 1.45, 1.6};

static void stress_rows(int index, const prc_mesh *mesh, FILE *plot)
{
    prc_material_def def = ev_material(index);
    prc_body_def body = prc_body_def_default();
    body.mesh = mesh;
    body.material = def;
    prc_sim_def scene = ev_sim_def(&body);
    prc_sim *sim = ev_sim(&scene);
    double worst[2] = {0, 0}, last[2] = {0, 0}, answer_last[2] = {0, 0};
    for (size_t k = 0; k < sizeof uniaxial / sizeof *uniaxial; k++)
        for (int biaxial = 0; biaxial < 2; biaxial++) {
            double l1 = uniaxial[k], l2 = biaxial ? l1 : ev_answer_free_stretch(&def, l1), answer[2], measured[2];
            ev_answer_stress(&def, l1, l2, answer);
            sheet_stress(sim, mesh, l1, l2, measured);
            double error = fmax(fabs(measured[0] - answer[0]), fabs(measured[1] - answer[1])) / fabs(answer[0]);
            worst[biaxial] = fmax(worst[biaxial], error);
            last[biaxial] = measured[0];
            answer_last[biaxial] = answer[0];
        }
    for (int biaxial = 0; biaxial < 2; biaxial++) {
        char claim[120];
        snprintf(claim, sizeof claim, "%s: %s stress of an irregular sheet, N/m at 1.6 (worst of 0.85 to 1.6)",
                 prc_material_model_name(def.model), biaxial ? "equibiaxial" : "uniaxial");
        ev_row(claim, answer_last[biaxial], last[biaxial], worst[biaxial], 1e-6);
    }
    if (plot) {
        fprintf(plot, "%s\"%s\"\n", index ? "\n\n" : "", prc_material_model_name(def.model));
        for (double l = 0.7; l < 1.605; l += 0.025) {
            double answer[2], measured[2], l2 = ev_answer_free_stretch(&def, l);
            ev_answer_stress(&def, l, l2, answer);
            sheet_stress(sim, mesh, l, l2, measured);
            fprintf(plot, "%.4f %.6f %.6f\n", l, measured[0], answer[0]);
        }
    }
    prc_sim_destroy(sim);
}

void ev_chapter_stress(void)
{
    prc_mesh mesh = ev_grid(1, 0.6, 10, 6, PRC_GRID_IRREGULAR, 3);
    FILE *plot = ev_plot_open("stress.dat", "uniaxial: stretch, measured N/m, formula N/m; one block per material");
    for (int k = 0; k < ev_material_count(); k++)
        stress_rows(k, &mesh, plot);
    ev_plot_close(plot);
    prc_mesh_release(&mesh);
}
