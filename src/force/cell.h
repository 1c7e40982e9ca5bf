/* force/cell.h — volumes that bodies enclose, and the pressure inside. docs/theory.md, section 11.3.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FORCE_CELL_H
#define PRC_FORCE_CELL_H

#include "force/closed.h"
#include "kernel/cell.h"

typedef struct prc_cell {
    prc_pressure_def def; /* without its list of bodies; volume is never 0 for a gas */
    prc_closed surface;   /* triangles of it: indices into the cell's list of vertices */
    int *fan_start, *fan; /* CSR: triangles of each of these vertices, entry = 3 triangle + corner */
    prc_cell_law law;     /* of the step in progress */
    double energy;        /* of the last evaluation, J */
} prc_cell;

typedef struct prc_cell_set {
    int count;
    prc_cell *cells;
    prc_cells rows;      /* as of the last evaluation */
    double *positions;   /* work space, 3 per entry of rows.vertex */
    double *moves;       /* work space, 3 × stride: displacements */
    int *triangle_start; /* per cell and one more: where its triangles begin on a device */
    int threads;
} prc_cell_set;

prc_result prc_cells_create(prc_cell_set *set, const prc_sim_def *def, const prc_model *model, int threads,
                            prc_error *error);
void prc_cells_release(prc_cell_set *set);
/* What is inside in a step that ends at the time `end`. */
void prc_cell_begin(prc_cell *cell, double end, double step);
/* Slopes, pressures and stiffnesses at x + moves (3 × stride). */
void prc_cells_evaluate(prc_cell_set *set, const double *x, const double *moves, int stride);
/* Volume of cell c at x, m³; slopes are left as they are. */
double prc_cell_volume(const prc_cell_set *set, int c, const double *x, int stride);
/* Pressure (Pa), and energy against that at time 0's volume (J), of a volume in the step that was begun last. */
double prc_cell_pressure(const prc_cell *cell, double volume, double *energy, double *stiffness);

#endif
