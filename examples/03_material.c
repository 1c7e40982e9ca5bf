/* 03 — materials: a table of stress against stretch, without a simulation.
 *
 * New here: prc_material_evaluate, which gives energy and nominal stress at two principal stretches. The sheet is
 * pulled in one direction while the other is held (l2 = 1). All have Young's modulus 500 N/m at rest and differ at
 * large stretches. SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <math.h>
#include <stdio.h>

/* Stress is the derivative of the energy for every material; worth checking with your own parameters. */
static bool slope_is_stress(const prc_material_def *material, double stretch)
{
    const double d = 1e-5;
    double above, below, energy, stress[2], unused[2];
    if (prc_material_evaluate(material, stretch + d, 1, &above, unused, NULL) != PRC_OK ||
        prc_material_evaluate(material, stretch - d, 1, &below, unused, NULL) != PRC_OK ||
        prc_material_evaluate(material, stretch, 1, &energy, stress, NULL) != PRC_OK)
        return false;
    return fabs((above - below) / (2 * d) - stress[0]) < 1e-4 * (1 + fabs(stress[0]));
}

int main(void)
{
    const prc_material_model models[] = {PRC_MODEL_A3, PRC_MODEL_B1, PRC_MODEL_COROTATED, PRC_MODEL_STVK,
                                         PRC_MODEL_NEO_HOOKEAN};
    const int count = sizeof models / sizeof *models;

    printf("nominal stress in N/m\nstretch");
    for (int k = 0; k < count; k++)
        printf(" %14s", prc_material_model_name(models[k]));
    for (int row = 0; row <= 7; row++) {
        double stretch = 0.8 + 0.1 * row;
        printf("\n%7.2f", stretch);
        for (int k = 0; k < count; k++) {
            prc_material_def material = prc_material_def_default();
            material.model = models[k];
            /* A3 and B1 take a factor that is half of Young's modulus; the others take the modulus itself. */
            material.stretch = models[k] == PRC_MODEL_A3 || models[k] == PRC_MODEL_B1 ? 250 : 500;
            prc_error error = {0};
            double energy, stress[2];
            if (prc_material_evaluate(&material, stretch, 1, &energy, stress, &error) != PRC_OK) {
                fprintf(stderr, "%s\n", error.message);
                return 1;
            }
            printf(" %14.3f", stress[0]);
            if (!slope_is_stress(&material, stretch) || (row == 2 && fabs(stress[0]) > 1e-9))
                return 1;
        }
    }
    printf("\n");
    return 0;
}
