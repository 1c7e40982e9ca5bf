/* bench/memory.c — the speed of memory that kernels are held against, and the bytes that they must move.
 *
 * Bytes are counted, not measured: every constant, input and output of a kernel once, and what it leaves for its second
 * half written and read. What caches save or waste is in the time. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "step/sim.h"

#define COPY_BYTES ((size_t)192 << 20)
#define DEVICE_BYTES ((size_t)1 << 30)
#define DEVICE_COPIES 20

/* Best of several copies that no cache holds, each thread its own share. */
double prc_bench_copy_bandwidth(int threads)
{
    char *from = malloc(COPY_BYTES), *to = malloc(COPY_BYTES);
    double best = INFINITY;
    for (int repeat = 0; from && to && repeat < 6; repeat++) {
        double start = prc_seconds();
#pragma omp parallel num_threads(threads)
        {
            const size_t share = COPY_BYTES / (size_t)threads, first = share * (size_t)omp_get_thread_num();
            if (repeat == 0)
                memset(from + first, 1, share);
            memcpy(to + first, from + first, share);
        }
        if (repeat > 0)
            best = fmin(best, prc_seconds() - start);
    }
    free(from);
    free(to);
    return 2.0 * (double)COPY_BYTES / best;
}

/* Bytes that must move for one gradient: every constant, input and output once, and bond_t written and read. */
double prc_bench_gradient_bytes(const prc_sim *sim)
{
    const double real = (double)sim->model.backend->real_size, bonds = sim->view.bond_count,
                 vertices = sim->view.padded_count;
    const double bond_reals = 3 + 2 + 2 + 3 + 2 * 3; /* bond_y, bond_b, bond_x, bond_k, bond_t twice */
    const double vertex_reals = 3 + 1 + 2 + 3 + 1 + 2 +
                                2 * 3                /* elastic: u, area, stabilise, curvature, energy, stretch, own */
                                + 3 + 3 + 1 + 1 + 3; /* gradient: u, target, weight, free, gradient */
    return bonds * (bond_reals * real + 2 * sizeof(int)) + vertices * (vertex_reals * real + sizeof(int));
}

/* What the gradient leaves for products: rotation, normal, tangent. */
double prc_bench_tangent_bytes(const prc_sim *sim)
{
    return sim->view.padded_count * (6 + 3 + 10 + 3.0) * (double)sim->model.backend->real_size;
}

double prc_bench_product_bytes(const prc_sim *sim)
{
    const double real = (double)sim->model.backend->real_size, bonds = sim->view.bond_count,
                 vertices = sim->view.padded_count;
    const double bond_reals = 2 + 2 + 3 + 2 * 3;
    const double vertex_reals = 3 + 3 + 6 + 10 + 3 + 2 + 2 * 3 + 3 + 1 + 1 + 3;
    return bonds * (bond_reals * real + 2 * sizeof(int)) + vertices * vertex_reals * real;
}

/* One iteration of conjugate gradients besides its product: direction, product and residual read, correction and
 * residual written and read, 3×3 blocks read, the preconditioned residual written and read, the direction written. */
double prc_bench_vector_bytes(const prc_sim *sim)
{
    const double vertex_reals = 3 + 3 + 2 * 3 + 2 * 3 + 6 + 2 * 3 + 3;
    return sim->view.padded_count * vertex_reals * (double)sim->model.backend->real_size;
}

double prc_bench_sim_copy_bandwidth(prc_sim *sim)
{
    const prc_backend *backend = sim->model.backend;
    if (!backend->allocate)
        return prc_bench_copy_bandwidth(sim->view.threads);
    double best = INFINITY, slot;
    void *from = backend->allocate(&sim->view, DEVICE_BYTES), *to = backend->allocate(&sim->view, DEVICE_BYTES);
    for (int repeat = 0; from && to && repeat < 4; repeat++) {
        backend->read(&sim->view, 0, 1, &slot);
        const double start = prc_seconds();
        for (int k = 0; k < DEVICE_COPIES; k++)
            backend->copy(&sim->view, to, from, DEVICE_BYTES);
        backend->read(&sim->view, 0, 1, &slot);
        best = repeat > 0 ? fmin(best, prc_seconds() - start) : best;
    }
    backend->release(&sim->view, from);
    backend->release(&sim->view, to);
    return 2.0 * DEVICE_COPIES * (double)DEVICE_BYTES / best;
}
