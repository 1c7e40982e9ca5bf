/* percale/material.h — the material of a membrane.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PERCALE_MATERIAL_H
#define PERCALE_MATERIAL_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRC_MATERIAL_TERMS 4 /* maximum number of terms of a sum and of an Ogden series */
#define PRC_CURVE_POINTS 64  /* maximum number of points of a tabulated curve */

/* Membrane energies per rest area as functions of the principal stretches l1, l2 (docs/theory.md, section 3).
 * Y stands for the two-dimensional Young's modulus, G for the two-dimensional shear modulus (both N/m). */
typedef enum prc_material_model {
    PRC_MODEL_A1, /* stretch·(A_n(l1) + A_n(l2)),  A_n' = (s^n − s^−n)/n : stiff in compression too */
    PRC_MODEL_A2,
    PRC_MODEL_A3, /* the default */
    PRC_MODEL_A4,
    PRC_MODEL_A5,
    PRC_MODEL_A6,
    PRC_MODEL_B1, /* stretch·(B_n(l1) + B_n(l2)),  B_n' = 2(s^n − 1)/n : B1 is linear */
    PRC_MODEL_B2,
    PRC_MODEL_B3,
    PRC_MODEL_B4,
    PRC_MODEL_B5,
    PRC_MODEL_B6,
    PRC_MODEL_SUM,            /* a sum of the above: `terms` */
    PRC_MODEL_STVK,           /* St. Venant–Kirchhoff, plane stress: stretch = Y, poisson */
    PRC_MODEL_COROTATED,      /* linear in the stretches, plane stress: stretch = Y, poisson */
    PRC_MODEL_NEO_HOOKEAN_2D, /* compressible in the plane: stretch = Y, poisson */
    PRC_MODEL_NEO_HOOKEAN,    /* incompressible rubber: G/2 (I1 − 3), stretch = Y = 3G */
    PRC_MODEL_MOONEY_RIVLIN,  /* incompressible: c1 (I1 − 3) + c2 (I2 − 3), coefficients[0..1] */
    PRC_MODEL_YEOH,           /* incompressible: Σ c_k (I1 − 3)^k, coefficients[0..2] */
    PRC_MODEL_OGDEN,          /* incompressible: Σ mu_k/alpha_k (l1^a + l2^a + l3^a − 3), coefficients, exponents */
    PRC_MODEL_FUNG,           /* incompressible: G/(2b) (exp(b (I1 − 3)) − 1), stretch = 3G, exponents[0] = b */
    PRC_MODEL_ORTHOTROPIC,    /* St. Venant–Kirchhoff with warp, weft and shear moduli */
    PRC_MODEL_CURVE,          /* nominal stress per principal stretch from a table: `curve` */
    PRC_MODEL_COUNT
} prc_material_model;

typedef struct prc_material_term {
    prc_material_model model; /* PRC_MODEL_A1 … PRC_MODEL_B6 */
    double stretch;           /* N/m */
} prc_material_term;

/* If `stretch` is 0, it is computed from young and thickness. If `bending` is negative, it is computed from young,
 * thickness and poisson: D = young·thickness³/(12 (1 − poisson²)). */
typedef struct prc_material_def {
    prc_material_model model;
    double stretch;   /* modulus of the model, N/m: the factor s0 of the bases A_n and B_n, Y of the others */
    double young;     /* Young's modulus, Pa; used if stretch is 0 or bending negative */
    double thickness; /* m; used with young */
    double poisson;   /* in bending, and in the plane for models that have it; −1 < poisson < 1 */
    double density;   /* kg/m² */
    double bending;   /* bending stiffness D, N·m */

    int term_count; /* of PRC_MODEL_SUM */
    prc_material_term terms[PRC_MATERIAL_TERMS];
    int coefficient_count; /* Mooney–Rivlin, Yeoh, Ogden, N/m */
    double coefficients[PRC_MATERIAL_TERMS];
    int exponent_count; /* Ogden (no unit), Fung */
    double exponents[PRC_MATERIAL_TERMS];
    double stretch_warp, stretch_weft; /* orthotropic: Y along and across `warp`, N/m */
    double shear;                      /* orthotropic: shear modulus, N/m */
    double warp[3];                    /* warp direction in the rest shape; projected onto the surface */
    int curve_count;
    double curve[PRC_CURVE_POINTS][2]; /* (stretch, nominal stress N/m), increasing in both, through (1, 0) */

    double damping;       /* stiffness-proportional, s: stress += damping × rate of the linear stress */
    double mass_damping;  /* mass-proportional, 1/s */
    double stabilisation; /* resistance to non-affine motion of a ring, as a fraction of the modulus */
} prc_material_def;

/* The defaults of the table `material` in docs/scene.md. */
prc_material_def prc_material_def_default(void);

/* Energy per rest area (J/m²) and nominal stresses (N/m) at principal stretches l1, l2, in double precision: the law
 * that the solver uses. For an orthotropic material l1 is along warp. Fails for an invalid def. */
prc_result prc_material_evaluate(const prc_material_def *def, double l1, double l2, double *energy, double stress[2],
                                 prc_error *error);

/* The name of a model in scene files: "a3", "neo_hookean". */
const char *prc_material_model_name(prc_material_model model);

#ifdef __cplusplus
}
#endif
#endif
