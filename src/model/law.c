/* model/law.c — see law.h. Physical parameters (Young's modulus, Poisson's ratio, thickness) become the coefficients of
 * the model; docs/theory.md, section 3, has the table.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/law.h"

#define PRC_REAL_FLOAT 0
#define PRC_LANES 1
#include "kernel/membrane.h"

#include "base/error.h"
#include "schema/schema.h"

#include <math.h>
#include <string.h>

static bool is_basis(prc_material_model model)
{
    return model <= PRC_MODEL_B6;
}

/* The exponent slot of a basis: n of A_n, −n of B_n. */
static double basis_order(prc_material_model model)
{
    return model <= PRC_MODEL_A6 ? model - PRC_MODEL_A1 + 1 : -(double)(model - PRC_MODEL_B1 + 1);
}

/* Slopes of the monotone cubic through (x, y): harmonic means of the neighbouring secants (Fritsch and Butland). */
static void monotone_slopes(int count, const double (*points)[2], double *slope)
{
    for (int k = 0; k < count; k++) {
        double left = k > 0 ? (points[k][1] - points[k - 1][1]) / (points[k][0] - points[k - 1][0]) : 0;
        double right = k + 1 < count ? (points[k + 1][1] - points[k][1]) / (points[k + 1][0] - points[k][0]) : 0;
        if (k == 0)
            slope[k] = right;
        else if (k == count - 1)
            slope[k] = left;
        else
            slope[k] = left > 0 && right > 0 ? 2 * left * right / (left + right) : 0;
    }
}

/* Value and slope of the monotone cubic at s, linear beyond the ends. */
static void curve_at(int count, const double (*points)[2], const double *slope, double s, double *value, double *rate)
{
    int k = 0;
    while (k < count - 2 && s > points[k + 1][0])
        k++;
    double h = points[k + 1][0] - points[k][0], t = (s - points[k][0]) / h;
    double inside = t < 0 ? 0 : t > 1 ? 1 : t;
    double p0 = points[k][1], p1 = points[k + 1][1], m0 = slope[k] * h, m1 = slope[k + 1] * h;
    double c2 = 3 * (p1 - p0) - 2 * m0 - m1, c3 = 2 * (p0 - p1) + m0 + m1;
    *rate = (m0 + inside * (2 * c2 + inside * 3 * c3)) / h;
    *value = p0 + inside * (m0 + inside * (c2 + inside * c3)) + (t - inside) * h * *rate;
}

/* Resamples the curve on a uniform grid that has the rest state (1, 0) as a knot, and integrates it from there. */
static void make_table(double *table, const prc_material_def *def)
{
    double slope[PRC_CURVE_POINTS] = {0};
    const int count = def->curve_count;
    monotone_slopes(count, def->curve, slope);
    double low = def->curve[0][0], high = def->curve[count - 1][0];
    double step = (high - low) / (PRC_LAW_KNOTS - 1);
    int rest = (int)lround((1 - low) / step);
    double first = 1 - rest * step;
    table[0] = first;
    table[1] = step;
    double *knot = table + 2;
    for (int k = 0; k < PRC_LAW_KNOTS; k++)
        curve_at(count, def->curve, slope, first + k * step, &knot[3 * k], &knot[3 * k + 1]);
    knot[2] = 0;
    for (int k = 1; k < PRC_LAW_KNOTS; k++) { /* exact integral of a Hermite piece */
        const double *a = knot + 3 * (k - 1), *b = knot + 3 * k;
        knot[3 * k + 2] = a[2] + step * (a[0] + b[0]) / 2 + step * step * (a[1] - b[1]) / 12;
    }
    double at_rest = knot[3 * rest + 2];
    for (int k = 0; k < PRC_LAW_KNOTS; k++)
        knot[3 * k + 2] -= at_rest;
}

static void make_terms(prc_law *law, const prc_material_def *def, double young)
{
    double *modulus = law->row + PRC_LAW_MODULUS, *exponent = law->row + PRC_LAW_EXPONENT;
    if (is_basis(def->model)) {
        law->kind = def->model == PRC_MODEL_A3 ? PRC_LAW_A3 : PRC_LAW_BASES;
        modulus[0] = def->stretch > 0 ? def->stretch : young / 2;
        exponent[0] = basis_order(def->model);
        return;
    }
    law->kind = PRC_LAW_BASES;
    for (int k = 0; k < def->term_count; k++) {
        modulus[k] = def->terms[k].stretch;
        exponent[k] = basis_order(def->terms[k].model);
    }
}

static void make_orthotropic(prc_law *law, const prc_material_def *def)
{
    double *c = law->row + PRC_LAW_LINEAR;
    double across = def->poisson * def->stretch_weft / def->stretch_warp; /* ν21 */
    double scale = 1 - def->poisson * across;
    law->kind = PRC_LAW_ORTHOTROPIC;
    c[0] = def->stretch_warp / scale;
    c[1] = def->stretch_weft / scale;
    c[2] = across * def->stretch_warp / scale;
    c[3] = def->shear;
}

static void make_elastic(prc_law *law, const prc_material_def *def, double young)
{
    double *modulus = law->row + PRC_LAW_MODULUS, *exponent = law->row + PRC_LAW_EXPONENT;
    double y = def->stretch > 0 ? def->stretch : young;
    switch (def->model) {
    case PRC_MODEL_STVK:
    case PRC_MODEL_COROTATED:
    case PRC_MODEL_NEO_HOOKEAN_2D:
        law->kind = def->model == PRC_MODEL_STVK        ? PRC_LAW_STVK
                    : def->model == PRC_MODEL_COROTATED ? PRC_LAW_COROTATED
                                                        : PRC_LAW_NEO_HOOKEAN_2D;
        modulus[0] = y * def->poisson / (1 - def->poisson * def->poisson);
        modulus[1] = y / (2 * (1 + def->poisson));
        break;
    case PRC_MODEL_NEO_HOOKEAN:
        law->kind = PRC_LAW_MOONEY;
        modulus[0] = y / 6;
        break;
    case PRC_MODEL_FUNG:
        law->kind = PRC_LAW_FUNG;
        modulus[0] = y / 3;
        exponent[0] = def->exponents[0];
        break;
    case PRC_MODEL_MOONEY_RIVLIN:
    case PRC_MODEL_YEOH:
    case PRC_MODEL_OGDEN:
        law->kind = def->model == PRC_MODEL_YEOH    ? PRC_LAW_YEOH
                    : def->model == PRC_MODEL_OGDEN ? PRC_LAW_OGDEN
                                                    : PRC_LAW_MOONEY;
        for (int k = 0; k < def->coefficient_count; k++)
            modulus[k] = def->coefficients[k];
        for (int k = 0; k < def->exponent_count; k++)
            exponent[k] = def->exponents[k];
        break;
    case PRC_MODEL_ORTHOTROPIC:
        make_orthotropic(law, def);
        break;
    case PRC_MODEL_CURVE:
        law->kind = PRC_LAW_TABLE;
        make_table(law->row + PRC_LAW_TABLE_START, def);
        break;
    default:
        make_terms(law, def, young);
    }
}

void prc_law_make(prc_law *law, const prc_material_def *def)
{
    memset(law, 0, sizeof *law);
    double young = def->young * def->thickness;
    make_elastic(law, def, young);
    double *c = law->row + PRC_LAW_LINEAR;
    if (law->kind != PRC_LAW_ORTHOTROPIC) {
        prc_stress rest = prc_material_stress(law->kind, law->row, 1, 1);
        c[0] = c[1] = rest.h11;
        c[2] = rest.h12;
        c[3] = (rest.h11 - rest.h12) / 2;
    }
    law->row[PRC_LAW_SCALE] = (c[0] < c[1] ? c[0] : c[1]) / 2;
    law->row[PRC_LAW_DAMPING] = def->damping;
    law->density = def->density;
    law->poisson = def->poisson;
    law->bending = def->bending >= 0
                       ? def->bending
                       : young * def->thickness * def->thickness / (12 * (1 - def->poisson * def->poisson));
    law->stabilisation = def->stabilisation * law->row[PRC_LAW_SCALE];
    law->mass_damping = def->mass_damping;
    memcpy(law->warp, def->warp, sizeof law->warp);
}

prc_result prc_material_evaluate(const prc_material_def *def, double l1, double l2, double *energy, double stress[2],
                                 prc_error *error)
{
    prc_result result = prc_schema_check_material(def, "material", error);
    if (result != PRC_OK)
        return result;
    if (!(l1 > 0) || !(l2 > 0) || !isfinite(l1) || !isfinite(l2))
        return prc_fail(error, PRC_ERROR_INPUT, "stretches %g, %g: both must be positive and finite", l1, l2);
    prc_law law;
    prc_law_make(&law, def);
    prc_mat32 f = {{l1, 0, 0}, {0, l2, 0}};
    prc_deformation deformation = prc_deformation_of(f);
    int row = 0;
    prc_response out = prc_respond(&row, law.kind, 0, &law.kind, law.row, &deformation, 0);
    if (energy)
        *energy = out.energy;
    if (stress) {
        stress[0] = l1 * out.stress.xx;
        stress[1] = l2 * out.stress.yy;
    }
    return PRC_OK;
}
