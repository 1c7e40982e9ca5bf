/* kernel/view.h — what a stage can see: plain pointers and numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_VIEW_H
#define PRC_KERNEL_VIEW_H

#include "kernel/law.h"

/* Vertices that lie side by side in the bond arrays. Fixed, so that the layout does not depend on the machine. */
#define PRC_BLOCK 16

enum prc_field {
#define PRC_FIELD(name, type, shape, components, meaning) PRC_FIELD_##name,
#include "kernel/fields.inl"
#undef PRC_FIELD
    PRC_FIELD_COUNT
};

#define PRC_VIEW_ARGUMENTS 4

typedef struct prc_view {
    int vertex_count; /* without padding */
    int padded_count; /* multiple of PRC_BLOCK */
    int block_count;
    int bond_count; /* with padding: rows × PRC_BLOCK */
    int law_count;
    int threads;

    /* switches of the current stage */
    int linearise;    /* the elastic stage also writes rotation, normal, tangent */
    int want_stretch; /* … and stretch */
    int has_damping;
    int has_air;
    int diagonal_kind; /* enum prc_diagonal */

    double inverse_h; /* 1/h, 1/s */

    void *field[PRC_FIELD_COUNT];
    void *argument[PRC_VIEW_ARGUMENTS]; /* VERTEX fields that a stage reads or writes: see kernel/stages.inl */
    double number[PRC_VIEW_ARGUMENTS];
} prc_view;

enum prc_diagonal {
    PRC_DIAGONAL_EXACT,    /* the blocks of the Gauss–Newton matrix */
    PRC_DIAGONAL_MAJORANT, /* blocks whose double bounds the whole matrix from above */
};

#endif
