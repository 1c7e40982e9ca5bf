/* step/work.h — memory to work in, made once with a simulation, so that no step allocates. Who uses it takes a name;
 * how the names lie in memory is known to work.c alone. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_STEP_WORK_H
#define PRC_STEP_WORK_H

#include <percale/base.h>

#include <stddef.h>

/* What the largest of the solvers and getters need on the host. A vector is 3 × padded numbers, a scalar padded. */
typedef struct prc_work {
    double *memory;
    double *columns; /* 6 scalars: numbers on their way to fields or from them. Every function may write here. */

    /* What lasts over calls of other functions. These lie over each other: only one of them is in use at a time. */
    struct prc_objective_work {             /* evaluate.c */
        double *at, *target, *normal;       /* vectors */
        double *weight, *free, *air, *wind; /* scalars */
    } objective;
    struct prc_projection_work {   /* projection.c: between begin and finish */
        double *y, *push, *before; /* vectors */
        double *free, *rate;       /* scalars */
    } projection;
    struct prc_push_work { /* push.c: vectors */
        double *best, *of_round;
    } push;
    struct prc_residual_work { /* measure.c */
        double *gradient;      /* vector */
        double *inverse_mass;  /* scalar */
    } residual;
    double *followed; /* exempt.c: vector, where the vertices end */
} prc_work;

/* Vectors of a step with contact, where the simulation runs. */
typedef struct prc_contact_vectors {
    double *memory;
    double *positions;    /* of the iteration, and in the end those that are accepted */
    double *trial;        /* … that a move leads to; changes places with the positions when it is taken */
    double *moves;        /* that are to be made, of all vertices */
    double *guess;        /* where a step starts from */
    double *part_of_move; /* work space of contact_model.c */
} prc_contact_vectors;

/* For `padded` vertices. */
prc_result prc_work_create(prc_work *work, size_t padded, prc_error *error);
void prc_work_release(prc_work *work);
/* How many doubles it takes; and the names for so many at `memory`, which may be a device's. */
size_t prc_contact_vectors_size(size_t padded);
prc_contact_vectors prc_contact_vectors_at(double *memory, size_t padded);

#endif
