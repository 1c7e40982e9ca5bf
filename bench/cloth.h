/* bench/cloth.h — the cloths that the benchmarks simulate.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BENCH_CLOTH_H
#define PRC_BENCH_CLOTH_H

#include <percale/percale.h>

/* An irregular square of 1 m with cells × cells cells, hung from two corners in the plane of the floor, A3 with s0 =
 * 500 N/m, 0.2 kg/m², D = 1e-5 N·m. */
typedef struct prc_bench_cloth {
    int cells;
    double step;    /* s */
    double stretch; /* factor by which it is pulled along x at the start; 1 for none */
    prc_precision precision;
    prc_method method;
    prc_backend_kind backend;
    int threads;
    double tolerance; /* m/s */
    int max_iterations;
} prc_bench_cloth;

prc_bench_cloth prc_bench_cloth_default(void);

/* NULL and a message on failure. */
prc_sim *prc_bench_cloth_create(const prc_bench_cloth *cloth, prc_error *error);

#define PRC_BENCH_LAYERS 10

/* Layers (at most PRC_BENCH_LAYERS) of the same material over a ball at the origin, thrown down at it; each layer an
 * irregular square of its own seed, a little off the middle. */
typedef struct prc_bench_drape {
    int vertices; /* along a side */
    int layers;
    double size, radius, thickness; /* of cloth, ball, contact, m */
    double gap;                     /* between ball and first layer, and between layers, m */
    double speed;                   /* m/s */
    double step;                    /* s */
    int threads, max_iterations;
    bool contact;    /* false: neither contact nor ball */
    const int *held; /* vertices of the first layer that are pinned, or NULL */
    int held_count;
} prc_bench_drape;

prc_bench_drape prc_bench_drape_default(void);

prc_sim *prc_bench_drape_create(const prc_bench_drape *drape, prc_error *error);

#endif
