/* model/law.h — converts a material def to the coefficients of the kernels.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_MODEL_LAW_H
#define PRC_MODEL_LAW_H

#include <percale/material.h>

#include "kernel/law.h"

typedef struct prc_law {
    int kind; /* enum prc_law_kind */
    double row[PRC_LAW_SIZE];
    double density;       /* kg/m² */
    double bending;       /* N·m */
    double poisson;       /* of bending */
    double stabilisation; /* N/m */
    double warp[3];
    double mass_damping; /* 1/s */
} prc_law;

/* Expects a def that passed prc_schema_check_material. */
void prc_law_make(prc_law *law, const prc_material_def *def);

#endif
