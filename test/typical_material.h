/* test/typical_material.h — a material of every model, with numbers that matter.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_TYPICAL_MATERIAL_H
#define PRC_TEST_TYPICAL_MATERIAL_H

#include <percale/percale.h>

#include <string.h>

static prc_material_def typical(prc_material_model model)
{
    static const double curve[5][2] = {{0.5, -400}, {0.8, -100}, {1, 0}, {1.2, 90}, {1.6, 500}};
    prc_material_def def = prc_material_def_default();
    def.model = model;
    def.stretch = 300;
    def.poisson = 0.25;
    def.term_count = 2;
    def.terms[0] = (prc_material_term){PRC_MODEL_A2, 100};
    def.terms[1] = (prc_material_term){PRC_MODEL_B3, 50};
    def.coefficient_count = model == PRC_MODEL_MOONEY_RIVLIN ? 2 : 3;
    def.coefficients[0] = 60;
    def.coefficients[1] = model == PRC_MODEL_OGDEN ? -15 : 15;
    def.coefficients[2] = 2;
    def.exponent_count = model == PRC_MODEL_FUNG ? 1 : 3;
    def.exponents[0] = model == PRC_MODEL_FUNG ? 0.8 : 1.8;
    def.exponents[1] = -1.5;
    def.exponents[2] = 3;
    def.stretch_warp = 400;
    def.stretch_weft = 200;
    def.shear = 90;
    def.curve_count = 5;
    memcpy(def.curve, curve, sizeof curve);
    return def;
}

#endif
