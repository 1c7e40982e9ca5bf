/* test_material.c — the laws through prc_material_evaluate: derivatives, rest state, collapse, formulas, special cases
 * that must coincide, and what is refused. SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "typical_material.h"

#include <percale/percale.h>

#include <string.h>

/* P and Ψ of a def that is known to be good; NaN otherwise, so that every comparison fails. */
static double stress_of(const prc_material_def *def, double l1, double l2, int which)
{
    double stress[2];
    return prc_material_evaluate(def, l1, l2, NULL, stress, NULL) == PRC_OK ? stress[which] : NAN;
}

static double energy_of(const prc_material_def *def, double l1, double l2)
{
    double energy;
    return prc_material_evaluate(def, l1, l2, &energy, NULL, NULL) == PRC_OK ? energy : NAN;
}

TEST(every_model_has_neither_stress_nor_energy_at_rest)
{
    for (int m = 0; m < PRC_MODEL_COUNT; m++) {
        prc_material_def def = typical((prc_material_model)m);
        CHECK_NEAR(energy_of(&def, 1, 1), 0, 1e-12);
        CHECK_NEAR(stress_of(&def, 1, 1, 0), 0, 1e-10);
        CHECK_NEAR(stress_of(&def, 1, 1, 1), 0, 1e-10);
    }
}

TEST(stress_is_the_slope_of_the_energy_in_every_model)
{
    static const double values[] = {0.02, 0.2, 0.5, 0.9, 1, 1.3, 1.8};
    for (int m = 0; m < PRC_MODEL_COUNT; m++) {
        prc_material_def def = typical((prc_material_model)m);
        for (int a = 0; a < 7; a++)
            for (int b = 0; b < 7; b++) {
                double l1 = values[a], l2 = values[b], h = 1e-6 * l1;
                double slope = (energy_of(&def, l1 + h, l2) - energy_of(&def, l1 - h, l2)) / (2 * h);
                double stress = stress_of(&def, l1, l2, 0);
                /* Rounding of the energy over the interval sets what a difference can see. */
                double seen = 1e-6 * fabs(stress) + 1e-5 + 4e-16 * fabs(energy_of(&def, l1, l2)) / h;
                CHECK_NEAR(slope, stress, seen);
            }
    }
}

TEST(laws_do_not_care_which_stretch_comes_first)
{
    for (int m = 0; m < PRC_MODEL_COUNT; m++) {
        prc_material_def def = typical((prc_material_model)m);
        if (m == PRC_MODEL_ORTHOTROPIC)
            continue;
        CHECK_NEAR(energy_of(&def, 1.3, 0.8), energy_of(&def, 0.8, 1.3), 1e-10);
        CHECK_NEAR(stress_of(&def, 1.3, 0.8, 0), stress_of(&def, 0.8, 1.3, 1), 1e-10);
    }
}

TEST(every_model_is_finite_and_pushes_back_when_collapsed)
{
    for (int m = 0; m < PRC_MODEL_COUNT; m++) {
        prc_material_def def = typical((prc_material_model)m);
        for (double l = 0.3; l > 1e-3; l *= 0.7) {
            CHECK(isfinite(energy_of(&def, l, 1)) && isfinite(energy_of(&def, l, l)));
            CHECK(isfinite(stress_of(&def, l, l, 0)));
            CHECK(stress_of(&def, l, 1, 0) < 0);
        }
    }
}

TEST(stress_has_no_jump_where_the_parabola_takes_over)
{
    for (int m = 0; m < PRC_MODEL_COUNT; m++) {
        prc_material_def def = typical((prc_material_model)m);
        double above = stress_of(&def, 0.3 + 1e-10, 1, 0), below = stress_of(&def, 0.3 - 1e-10, 1, 0);
        CHECK_NEAR(above, below, 1e-6 * fabs(above));
    }
}

TEST(a3_is_the_printed_formula)
{
    prc_material_def def = typical(PRC_MODEL_A3);
    for (double l = 0.5; l < 2; l += 0.1)
        CHECK_NEAR(stress_of(&def, l, 1, 0), 300 * (l * l * l - 1 / (l * l * l)) / 3, 1e-9);
}

TEST(b1_is_linear)
{
    prc_material_def def = typical(PRC_MODEL_B1);
    for (double l = 0.1; l < 3; l += 0.3)
        CHECK_NEAR(stress_of(&def, l, 1.7, 0), 2 * 300 * (l - 1), 1e-10);
}

TEST(a_sum_is_the_sum_of_its_terms)
{
    prc_material_def sum = typical(PRC_MODEL_SUM), a = typical(PRC_MODEL_A2), b = typical(PRC_MODEL_B3);
    a.stretch = 100;
    b.stretch = 50;
    CHECK_NEAR(stress_of(&sum, 1.4, 0.8, 0), stress_of(&a, 1.4, 0.8, 0) + stress_of(&b, 1.4, 0.8, 0), 1e-10);
    CHECK_NEAR(energy_of(&sum, 1.4, 0.8), energy_of(&a, 1.4, 0.8) + energy_of(&b, 1.4, 0.8), 1e-10);
}

TEST(rubber_models_meet_in_the_neo_hookean_law)
{
    prc_material_def law = typical(PRC_MODEL_NEO_HOOKEAN), yeoh = typical(PRC_MODEL_YEOH);
    prc_material_def mooney = typical(PRC_MODEL_MOONEY_RIVLIN), ogden = typical(PRC_MODEL_OGDEN);
    prc_material_def fung = typical(PRC_MODEL_FUNG);
    yeoh.coefficient_count = 1;
    yeoh.coefficients[0] = 50; /* G/2, G = 300/3 */
    mooney.coefficients[0] = 50;
    mooney.coefficients[1] = 0;
    ogden.coefficient_count = ogden.exponent_count = 1;
    ogden.coefficients[0] = 100;
    ogden.exponents[0] = 2;
    fung.exponents[0] = 1e-9;
    for (double l = 0.6; l < 2; l += 0.2) {
        double stress = stress_of(&law, l, 0.9, 0);
        CHECK_NEAR(stress_of(&yeoh, l, 0.9, 0), stress, 1e-10);
        CHECK_NEAR(stress_of(&mooney, l, 0.9, 0), stress, 1e-10);
        CHECK_NEAR(stress_of(&ogden, l, 0.9, 0), stress, 1e-9);
        CHECK_NEAR(stress_of(&fung, l, 0.9, 0), stress, 1e-4);
    }
}

TEST(orthotropic_with_equal_moduli_is_st_venant_kirchhoff)
{
    prc_material_def one = typical(PRC_MODEL_STVK), two = typical(PRC_MODEL_ORTHOTROPIC);
    two.stretch_warp = two.stretch_weft = one.stretch;
    two.shear = one.stretch / (2 * (1 + one.poisson));
    CHECK_NEAR(stress_of(&two, 1.3, 0.9, 0), stress_of(&one, 1.3, 0.9, 0), 1e-10);
    CHECK_NEAR(stress_of(&two, 1.3, 0.9, 1), stress_of(&one, 1.3, 0.9, 1), 1e-10);
    CHECK_NEAR(energy_of(&two, 1.3, 0.9), energy_of(&one, 1.3, 0.9), 1e-10);
}

/* Small uniaxial pull with the free stretch found by bisection: stress / strain. */
static double young_at_rest(const prc_material_def *def)
{
    double low = 0.99, high = 1.01, l = 1 + 1e-6;
    for (int k = 0; k < 60; k++) {
        double middle = (low + high) / 2;
        if (stress_of(def, l, middle, 1) > 0)
            high = middle;
        else
            low = middle;
    }
    return stress_of(def, l, low, 0) / 1e-6;
}

TEST(stretch_is_young_s_modulus_of_the_models_that_say_so)
{
    static const prc_material_model models[] = {PRC_MODEL_STVK, PRC_MODEL_COROTATED, PRC_MODEL_NEO_HOOKEAN_2D,
                                                PRC_MODEL_NEO_HOOKEAN, PRC_MODEL_FUNG};
    for (int k = 0; k < 5; k++) {
        prc_material_def def = typical(models[k]);
        CHECK_NEAR(young_at_rest(&def), 300, 0.01);
    }
}

TEST(young_and_thickness_stand_in_for_stretch)
{
    for (int m = PRC_MODEL_STVK; m <= PRC_MODEL_NEO_HOOKEAN; m++) {
        prc_material_def direct = typical((prc_material_model)m), derived = direct;
        derived.stretch = 0;
        derived.young = 3e5;
        derived.thickness = 1e-3;
        CHECK_NEAR(stress_of(&derived, 1.2, 0.9, 0), stress_of(&direct, 1.2, 0.9, 0), 1e-10);
    }
}

TEST(a_curve_passes_through_its_points_and_rises_between)
{
    prc_material_def def = typical(PRC_MODEL_CURVE);
    for (int k = 0; k < def.curve_count; k++) {
        double size = fabs(def.curve[k][1]);
        CHECK_NEAR(stress_of(&def, def.curve[k][0], 1, 0), def.curve[k][1], 2e-3 * size + 1e-10);
    }
    for (double l = 0.4; l < 1.8; l += 0.01)
        CHECK(stress_of(&def, l + 0.01, 1, 0) > stress_of(&def, l, 1, 0));
}

TEST(a_straight_curve_is_a_straight_line)
{
    prc_material_def def = typical(PRC_MODEL_CURVE);
    static const double line[3][2] = {{0.7, -60}, {1, 0}, {1.9, 180}};
    def.curve_count = 3;
    memcpy(def.curve, line, sizeof line);
    for (double l = 0.2; l < 3; l += 0.1)
        CHECK_NEAR(stress_of(&def, l, 1, 0), 200 * (l - 1), 1e-8);
}

TEST(models_have_names_of_their_own)
{
    for (int a = 0; a < PRC_MODEL_COUNT; a++) {
        CHECK(prc_material_model_name((prc_material_model)a) != NULL);
        for (int b = 0; b < a; b++)
            CHECK(
                strcmp(prc_material_model_name((prc_material_model)a), prc_material_model_name((prc_material_model)b)));
    }
}

static bool refused(const prc_material_def *def, double l1, double l2, const char *part)
{
    prc_error error = {0};
    double energy;
    return prc_material_evaluate(def, l1, l2, &energy, NULL, &error) == PRC_ERROR_INPUT && strstr(error.message, part);
}

TEST(stretches_that_make_no_sense_are_refused)
{
    prc_material_def def = typical(PRC_MODEL_A3);
    CHECK(refused(&def, 0, 1, "positive"));
    CHECK(refused(&def, 1, -1, "positive"));
    CHECK(refused(&def, NAN, 1, "positive"));
    CHECK(refused(&def, 1, INFINITY, "positive"));
}

TEST(numbers_out_of_range_are_refused_by_name)
{
    prc_material_def def = typical(PRC_MODEL_STVK);
    def.poisson = 1;
    CHECK(refused(&def, 1, 1, "poisson"));
    def = typical(PRC_MODEL_STVK);
    def.density = 0;
    CHECK(refused(&def, 1, 1, "density"));
    def = typical(PRC_MODEL_STVK);
    def.damping = NAN;
    CHECK(refused(&def, 1, 1, "damping"));
    def = typical(PRC_MODEL_STVK);
    def.stretch = 0;
    CHECK(refused(&def, 1, 1, "stretch"));
    def.model = PRC_MODEL_COUNT;
    CHECK(refused(&def, 1, 1, "model"));
}

TEST(a_model_that_lacks_its_numbers_is_refused)
{
    prc_material_def def = typical(PRC_MODEL_SUM);
    def.term_count = 0;
    CHECK(refused(&def, 1, 1, "terms"));
    def = typical(PRC_MODEL_OGDEN);
    def.exponent_count = 2;
    CHECK(refused(&def, 1, 1, "exponent"));
    def = typical(PRC_MODEL_OGDEN);
    def.exponents[1] = 0;
    CHECK(refused(&def, 1, 1, "exponents"));
    def = typical(PRC_MODEL_MOONEY_RIVLIN);
    def.coefficient_count = 1;
    CHECK(refused(&def, 1, 1, "coefficients"));
    def = typical(PRC_MODEL_YEOH);
    def.coefficients[0] = -1;
    CHECK(refused(&def, 1, 1, "coefficient"));
    def = typical(PRC_MODEL_FUNG);
    def.exponents[0] = 0;
    CHECK(refused(&def, 1, 1, "fung"));
    def = typical(PRC_MODEL_ORTHOTROPIC);
    def.warp[0] = def.warp[1] = def.warp[2] = 0;
    CHECK(refused(&def, 1, 1, "warp"));
}

TEST(a_curve_must_rise_through_the_rest_state)
{
    prc_material_def def = typical(PRC_MODEL_CURVE);
    def.curve_count = 1;
    CHECK(refused(&def, 1, 1, "too few"));
    def = typical(PRC_MODEL_CURVE);
    def.curve[3][1] = -50;
    CHECK(refused(&def, 1, 1, "increase"));
    def = typical(PRC_MODEL_CURVE);
    def.curve[2][0] = 1.01;
    CHECK(refused(&def, 1, 1, "[1, 0]"));
}

TEST_MAIN()
