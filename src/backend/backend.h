/* backend/backend.h — the table through which the solver reaches its arrays.
 *
 * A backend runs stages (kernel/stages.inl) over all their items, and offers what is not a map over items: sums,
 * copies, and the sparse products of the coarse levels. The solver never looks into a REAL field itself, so the same
 * solver drives both precisions, on the CPU and on devices. Sums are taken in double in an order that does not depend
 * on the number of threads. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_BACKEND_H
#define PRC_BACKEND_BACKEND_H

#include <percale/sim.h>

#include "kernel/cell.h"
#include "kernel/row.h"
#include "kernel/spring.h"
#include "kernel/view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum prc_stage {
#define PRC_STAGE(name, items, meaning) PRC_STAGE_##name,
#include "kernel/stages.inl"
#undef PRC_STAGE
    PRC_STAGE_COUNT
};

/* Numbers that a ring keeps of each coarse function it touches: own weight, slope (2), curvature (3). */
#define PRC_SEEN 6

/* A sparse matrix of scalars that acts on 3-vectors, rows in blocks of PRC_BLOCK side by side, short rows filled with
 * zero weights. `weight` is REAL. */
typedef struct prc_sparse {
    int row_count, padded_count, column_stride; /* stride between the components of what it is applied to */
    int *row_start;                             /* per block, and one more; in units of PRC_BLOCK entries */
    int *column;
    void *weight;
} prc_sparse;

/* Coarse levels there are at most. */
#define PRC_LEVELS 12

/* One coarse level of the preconditioner; model/hierarchy.h builds it. All vectors have 3 components, `padded_count`
 * apart. */
typedef struct prc_level {
    int node_count, padded_count;
    prc_sparse restriction;  /* P^T: from the finer level to this one */
    prc_sparse prolongation; /* P: from this level to the finer one */
    int *row_start, *column; /* block pattern of the coarse matrix, CSR, sorted, diagonal included */
    int *diagonal;           /* where the diagonal block of each row is */
    int *position;           /* work space of the assembly: node_count per thread */
    double *block;           /* 9 per entry, row-major */
    void *inverse;           /* REAL, 6 × padded_count: inverse of the diagonal blocks (all but the coarsest level) */
    void *b, *x;             /* REAL vectors */
} prc_level;

/* Contacts or springs. */
typedef struct prc_active_set {
    int count;
    prc_active *rows;
    double (*force)[3]; /* work space, one per row */
    int *of_start, *of; /* CSR: rows of each vertex, entry = 4 row + place */
    void *device;       /* the same as the backend has it; NULL on the CPU */
} prc_active_set;

/* Volumes under pressure as the solver sees them: the energy of each depends on its volume V alone. */
typedef struct prc_cells {
    int count;
    int *start, *vertex; /* CSR: vertices of each, internal, every one once */
    double (*slope)[3];  /* per entry: dV/dx, m² */
    double *force;       /* per cell: dE/dV, Pa */
    double *stiffness;   /* per cell: d²E/dV² ≥ 0, Pa/m³ */
    void *device;        /* the same as the backend has it; NULL on the CPU */
} prc_cells;

/* Cells on a device: pointers are to there, but for those that are said to be the host's. */
typedef struct prc_cells_there {
    const int *start, *triangle_start;  /* the host's, per cell and one more: its entries, and its triangles */
    const int *vertex;                  /* per entry */
    const int *triangles;               /* 3 per triangle: indices into the cell's vertices */
    const int *fan_start, *fan;         /* of cell c: from start[c] + c and 3 triangle_start[c] on */
    double *y, *slope;                  /* 3 per entry: positions against the first vertex, m; and dV/dx, m² */
    double *summand;                    /* work space, one per entry */
    double *volume;                     /* per cell, m³; and work space of products */
    double *force, *stiffness, *energy; /* per cell: dE/dV, d²E/dV², E */
} prc_cells_there;

/* What the assembly of the first coarse level needs. */
typedef struct prc_assembly {
    int *touch_start, *touch_column; /* CSR: coarse functions that each ring sees */
    int *seen_start;                 /* per ring: its first group of PRC_BLOCK functions in `seen` */
    void *seen;                      /* REAL: per group PRC_SEEN × PRC_BLOCK */
    int *reach_start, *reach;        /* CSR: rings that each coarse function reaches */
    int *reach_slot;                 /* … and which of the ring's functions it is */
    void *tangent;                   /* work space, tangent_size per vertex */
    void *row;                       /* work space, REAL: PRC_BLOCK × longest_row per thread */
    int longest_row;
} prc_assembly;

/* H correction = −gradient to be solved by preconditioned conjugate gradients: step/linear.c. */
typedef struct prc_linear_job {
    void *gradient;
    bool renew;   /* first gradient = model_gradient and the forces of contacts, */
    bool goes_on; /* … where the model has gone slot[PART] of the last correction, with its product in field product */
    double accuracy;               /* of the preconditioned residual, relative to the first */
    double enough;                 /* … or its square below this, (m/s)² kg */
    int most;                      /* iterations */
    const prc_active_set *rows[2]; /* contacts and springs; NULL for none */
    const prc_level *level;        /* coarse levels, where they are to be used */
    int level_count;
    const void *dense_inverse;
    int dense_leading;
    double *step; /* slopes of the contact model are wanted: the correction in double; NULL: they are not */
    int phases;   /* on a device: 1 as kernels one after the other, −1 all in one, 0 whichever is faster */
} prc_linear_job;

typedef struct prc_backend {
    const char *name;
    prc_precision precision;
    size_t real_size;

    void (*run)(const prc_view *view, enum prc_stage stage);

    /* Σ weight_i a_i·b_i over 3-vector fields; weight NULL for 1. */
    double (*dot)(const prc_view *view, const void *a, const void *b, const void *weight);
    /* Σ a_i over a scalar field. */
    double (*sum)(const prc_view *view, const void *a);
    /* max |a_i| over a 3-vector field; NaN if any is not finite. */
    double (*largest)(const prc_view *view, const void *a);

    /* Numbers in double on the host, to and from the working precision; the second waits. */
    void (*upload)(const prc_view *view, void *real, const double *from, size_t count);
    void (*download)(const prc_view *view, double *to, const void *real, size_t count);

    /* The same over DOUBLE columns, padded_count each and side by side: the results go to slots [slot, slot + count).
     * The largest of a column is NaN if any entry is. */
    void (*sum_columns)(const prc_view *view, const double *columns, int count, int slot);
    void (*largest_columns)(const prc_view *view, const double *columns, int count, int slot);
    /* The sum of a scalar field, left in a slot. */
    void (*sum_to_slot)(const prc_view *view, const void *a, int slot);
    /* A stage and sum_columns (widen, slopes, census) or largest_columns (add_part, move_squares, lag) of its first
     * columns at once; NULL on the CPU. */
    void (*run_columns)(const prc_view *view, enum prc_stage stage, int count, int slot);
    /* Slots [slot, slot + count) as they are when everything before is done: waits. */
    void (*read)(const prc_view *view, int slot, int count, double *out);

    /* What is NULL on the CPU, where fields are plain memory. */
    void *(*allocate)(const prc_view *view, size_t bytes); /* zero; NULL when out of memory */
    void (*release)(const prc_view *view, void *memory);
    void (*put)(const prc_view *view, void *to, const void *host, size_t bytes); /* the host's may be reused at once */
    void (*get)(const prc_view *view, void *host, const void *from, size_t bytes); /* waits */
    /* The same without waiting: it is there after `status`; after a failure perhaps not. Faster with memory that is
     * pinned, until it is unpinned. */
    void (*get_later)(const prc_view *view, void *host, const void *from, size_t bytes);
    void (*pin)(const prc_view *view, void *host, size_t bytes);
    void (*unpin)(const prc_view *view, void *host);
    void (*copy)(const prc_view *view, void *to, const void *from, size_t bytes);
    /* to[c × padded_count + index[k]] = values[3 k + c], all on the host but `to`, a DOUBLE field of 3 components. */
    void (*put_some)(const prc_view *view, double *to, const int *index, const double *values, int count);
    /* The first failure since the start, if any: from then on all operations do nothing. */
    prc_result (*status)(const prc_view *view, prc_error *error);

    /* What is NULL on the CPU: stages that follow each other for every vertex, at once. After elastic at u: gradient
     * into `in`, and contact_gradient from there to `out`. */
    void (*gradient_with_contact)(const prc_view *view, const prc_active_set *set, const void *u, void *in, void *out);

    /* The whole linear solve without the host, contact_inverse included; NULL where step/linear.c drives it. Leaves
     * PRC_SLOT_DECREASE and PRC_SLOT_INNER, and with job->step what find_slopes there does. */
    void (*solve_linear)(const prc_view *view, const prc_linear_job *job);

    /* y = S x, or y += S x. `y_stride` is between the components of y. */
    void (*sparse)(const prc_view *view, const prc_sparse *s, const void *x, void *y, int y_stride, bool add);
    /* x_l = inverse b_l on a level. */
    void (*level_smooth)(const prc_view *view, const prc_level *level);
    /* z = inverse r + free P x: the finest level of the preconditioner in one pass. */
    void (*level_finish)(const prc_view *view, const prc_sparse *prolongation, const void *x, const void *r, void *z);
    /* block of the first coarse level = P^T H P at the last linearisation, ring by ring. */
    void (*level_assemble)(const prc_view *view, const prc_level *level, const prc_assembly *assembly);
    size_t tangent_size; /* bytes per vertex that it needs at assembly->tangent */
    /* out = in + the forces of contacts; adds their product with `in` to `out`; adds their blocks to own_d; or leaves
     * own_d, and inverse is that of own_d with their blocks. */
    void (*contact_gradient)(const prc_view *view, const prc_active_set *set, const void *in, void *out);
    void (*contact_product)(const prc_view *view, const prc_active_set *set, const void *in, void *out);
    void (*contact_diagonal)(const prc_view *view, const prc_active_set *set);
    void (*contact_inverse)(const prc_view *view, const prc_active_set *set);
    /* spans[r] = Σ w in of every row; NULL on a device, which has spring_evaluate. */
    void (*row_spans)(const prc_view *view, const prc_active_set *set, const void *in, double (*spans)[3]);

    /* Adds force × slope to a gradient; stiffness × slope (slope · in) to `out`; stiffness × slope slope^T to own_d. */
    void (*cell_gradient)(const prc_view *view, const prc_cells *cells, void *gradient);
    void (*cell_product)(const prc_view *view, const prc_cells *cells, const void *in, void *out);
    void (*cell_diagonal)(const prc_view *view, const prc_cells *cells);

    /* What is NULL on the CPU, where src/force does it: springs and cells of a step without the host. Springs, and what
     * is in `rows` and `cells`, are the device's; `u` NULL for none. */
    void (*spring_begin)(const prc_view *view, const prc_active_set *rows, prc_spring *springs, double end,
                         double step);
    void (*spring_evaluate)(const prc_view *view, const prc_active_set *rows, prc_spring *springs, const void *u,
                            double step);
    void (*cell_evaluate)(const prc_view *view, const prc_cells *cells, int cell, const prc_cell_law *law,
                          const void *u);

    /* Inverse of a symmetric positive definite matrix in place, dense, `size` rows. */
    void (*dense_invert)(const prc_view *view, void *matrix, int size);
    /* x = A b on a level: dense, row component·node_count + node, column component·padded_count + node, REAL. */
    void (*dense)(const prc_view *view, const void *matrix, int leading, const prc_level *level);
} prc_backend;

/* Which kind a simulation of so many vertices gets: AUTO becomes CUDA where there is a device that the library can use
 * and the scene is large enough to gain by it, else CPU; or what PERCALE_BACKEND in the environment says. Asked for by
 * name, a device that is not there is an error. */
prc_result prc_backend_resolve(prc_backend_kind wanted, int vertex_count, prc_backend_kind *kind, prc_error *error);

/* The kernels of a kind (not AUTO) and precision: on the CPU the fastest that this machine can run. NULL where the
 * library has none of that kind. */
const prc_backend *prc_backend_choose(prc_backend_kind kind, prc_precision precision);

/* All that this machine's CPU can run, for tests; NULL past the last. */
const prc_backend *prc_backend_at(prc_precision precision, int index);

#ifdef __cplusplus
}
#endif
#endif
