/* kernel/law.h — a material as the kernels see it: a kind and a row of numbers.
 * model/law.c turns a prc_material_def into such a row; kernel/material.h evaluates it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_LAW_H
#define PRC_KERNEL_LAW_H

/* Below this principal stretch, energies that would blow up are continued as parabolas. */
#define PRC_STRETCH_FLOOR 0.3

enum prc_law_kind {
    PRC_LAW_A3,    /* modulus[0] = s0 */
    PRC_LAW_BASES, /* modulus[k], exponent[k] = n of A_n or −n of B_n */
    PRC_LAW_STVK,  /* modulus[0] = plane-stress Lamé parameter, [1] = shear modulus; so for the next two */
    PRC_LAW_COROTATED,
    PRC_LAW_NEO_HOOKEAN_2D,
    PRC_LAW_MOONEY,      /* modulus[0..1]; the incompressible neo-Hookean law has modulus[1] = 0 */
    PRC_LAW_YEOH,        /* modulus[0..2] */
    PRC_LAW_FUNG,        /* modulus[0], exponent[0] */
    PRC_LAW_OGDEN,       /* modulus[k], exponent[k] */
    PRC_LAW_TABLE,       /* the table */
    PRC_LAW_ORTHOTROPIC, /* the linear tangent alone */
};

#define PRC_LAW_TERMS 4
#define PRC_LAW_KNOTS 129

/* Where things are in the row. */
enum prc_law_slot {
    PRC_LAW_MODULUS = 0,
    PRC_LAW_EXPONENT = 4,
    PRC_LAW_LINEAR = 8,       /* c11, c22, c12, c66 of the linear law at rest, warp first */
    PRC_LAW_DAMPING = 12,     /* s */
    PRC_LAW_SCALE = 13,       /* s0 or the like: the size of the modulus at rest, for floors */
    PRC_LAW_TABLE_START = 16, /* first, step, then value, slope, integral per knot */
    PRC_LAW_SIZE = 16 + 2 + 3 * PRC_LAW_KNOTS + 3,
};

#endif
