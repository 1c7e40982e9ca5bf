/* kernel/view.h — what a stage can see: plain pointers and numbers.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_VIEW_H
#define PRC_KERNEL_VIEW_H

#include <percale/sim.h>

#include "kernel/law.h"
#include "kernel/portable.h"

/* Vertices that lie side by side in the bond arrays. Fixed, so that the layout does not depend on the machine. */
#define PRC_BLOCK 16

enum prc_field {
#define PRC_FIELD(name, type, shape, components, meaning) PRC_FIELD_##name,
#include "kernel/fields.inl"
#undef PRC_FIELD
    PRC_FIELD_COUNT
};

#define PRC_VIEW_ARGUMENTS 5

#define PRC_NOTABLE                                                                                                    \
    0.01 /* part of what was left of its way that something prescribed must make to count as moving on */

/* Numbers that stay where the fields are: sums and single results, for later stages to read without the host. */
enum prc_slot {
    PRC_SLOT_DECREASE,   /* of a linear solve: −gradient · correction */
    PRC_SLOT_INNER,      /* … and its iterations */
    PRC_SLOT_SLOPE,      /* contact model: slope of elasticity and inertia along the correction at its start, */
    PRC_SLOT_CURVATURE,  /* … what it grows by to the end, */
    PRC_SLOT_PART,       /* … the part of the correction that is taken, */
    PRC_SLOT_SURPRISE,   /* … and the slope left at its whole, as a share of that at the start */
    PRC_SLOT_LONGEST,    /* square of the longest free move, m² */
    PRC_SLOT_SLOPE_FROM, /* slope at the start of a move */
    PRC_SLOT_SLOPE_TO,   /* … and at its end */
    PRC_SLOT_UNBALANCED, /* … and Σ gradient² / mass there, N²/kg */
    PRC_SLOT_WAY,        /* … and Σ of squares of the ways that things prescribed still have to go, m² */
    PRC_SLOT_ADVANCED,   /* … and how many of those that had one have made a notable part of it */
    PRC_SLOT_ACTIVE,     /* … and on a device how many contacts are felt there */
    PRC_SLOT_LAG,        /* square of the largest way that something prescribed still has to go, m² */
    PRC_SLOT_RETURN,     /* what a device hands back for the sums of a backend */
    PRC_SLOT_LEFT,       /* conjugate gradients on a device: residual times preconditioned residual, */
    PRC_SLOT_ENOUGH,     /* … below which they end, */
    PRC_SLOT_ALPHA,      /* … the step along their direction, */
    PRC_SLOT_BETA,       /* … how much of it the next one keeps, */
    PRC_SLOT_GOES_ON,    /* … and whether there is a next one */
    PRC_SLOT_GAP,        /* on a device: minus the smallest gap of a step, m */
    PRC_SLOT_ENERGY,     /* elastic energy at the end of a step, J */
    PRC_SLOT_FREE,       /* first of those for one caller alone */
    PRC_SLOT_COUNT = PRC_SLOT_FREE + 32
};

typedef struct prc_view {
    int vertex_count;  /* without padding */
    int elastic_count; /* of these, those of bodies: the others are obstacles */
    int ring_count;    /* … and of those the first, of membranes: the others are particles */
    int shown_count;   /* … and those without surfaces of colliders, which come last */
    int padded_count;  /* multiple of PRC_BLOCK */
    int block_count;
    int bond_count; /* with padding: rows × PRC_BLOCK */
    int law_count;
    int common_law; /* enum prc_law_kind of all materials, or -1 where they are of several */
    int threads;

    /* switches of the current stage */
    int linearise;    /* the elastic stage also writes rotation, normal, tangent */
    int want_stretch; /* … and stretch */
    int has_damping;
    int has_air;
    int diagonal_kind; /* enum prc_diagonal */

    double inverse_h; /* 1/h, 1/s */
    prc_air_def air;

    void *field[PRC_FIELD_COUNT];
    void *argument[PRC_VIEW_ARGUMENTS]; /* vertex fields that a stage reads or writes: see kernel/stages.inl */
    double number[PRC_VIEW_ARGUMENTS];
    double *slot; /* enum prc_slot */
    void *device; /* what the backend keeps for itself; NULL on the CPU */
} prc_view;

/* DOUBLE and INT fields by their names: double *prc_field_position(view). REAL ones have no type but in a backend. */
#define PRC_FIELD_OF_REAL(name)
#define PRC_FIELD_OF_DOUBLE(name)                                                                                      \
    PRC_FUNCTION double *prc_field_##name(const prc_view *view)                                                        \
    {                                                                                                                  \
        return (double *)view->field[PRC_FIELD_##name];                                                                \
    }
#define PRC_FIELD_OF_INT(name)                                                                                         \
    PRC_FUNCTION int *prc_field_##name(const prc_view *view)                                                           \
    {                                                                                                                  \
        return (int *)view->field[PRC_FIELD_##name];                                                                   \
    }
#define PRC_FIELD(name, type, shape, components, meaning) PRC_FIELD_OF_##type(name)
#include "kernel/fields.inl"
#undef PRC_FIELD

enum prc_diagonal {
    PRC_DIAGONAL_EXACT,    /* the blocks of the Gauss–Newton matrix */
    PRC_DIAGONAL_MAJORANT, /* blocks whose double bounds the whole matrix from above */
};

#endif
