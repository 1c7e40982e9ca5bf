/* test/test_engine.c — the inside of the engine: layout of the bonds, coarse levels, dense inverse, memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "harness.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/sim.h"

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

/* A cloth hung from two corners; `wave` bends it at the start. */
static prc_sim *make_cloth(int cells, prc_precision precision, double stabilisation, double step, prc_error *error)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_IRREGULAR;
    prc_mesh rest, mesh = {0};
    if (prc_mesh_grid(&rest, &grid, error) != PRC_OK)
        return NULL;
    prc_sim *sim = NULL;
    if (prc_mesh_copy(&mesh, &rest, error) == PRC_OK) {
        for (int i = 0; i < mesh.vertex_count; i++) {
            double *x = mesh.positions + 3 * i;
            x[2] = 0.05 * sin(6 * x[0] + 4 * x[1]);
            x[0] *= 1.08;
        }
        prc_body_def body = prc_body_def_default();
        body.mesh = &mesh;
        body.rest_mesh = &rest;
        body.material.stabilisation = stabilisation;
        body.material.damping = 1e-3;
        const int corners[2] = {0, cells};
        prc_pin_def pin = prc_pin_def_default();
        pin.vertices = corners;
        pin.vertex_count = 2;
        prc_sim_def def = prc_sim_def_default();
        def.bodies = &body;
        def.body_count = 1;
        def.pins = &pin;
        def.pin_count = 1;
        def.time.step = step;
        def.precision = precision;
        def.solver.preconditioner = PRC_PRECONDITIONER_MULTILEVEL;
        sim = prc_sim_create(&def, error);
    }
    prc_mesh_release(&mesh);
    prc_mesh_release(&rest);
    return sim;
}

/* Linearised at the first guess of a step, with fresh coarse matrices. */
static prc_sim *make_linearised(int cells, double stabilisation)
{
    prc_sim *sim = make_cloth(cells, PRC_PRECISION_DOUBLE, stabilisation, 1e-2, NULL);
    if (!sim)
        return NULL;
    prc_step_begin(sim);
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    prc_diagonal(sim, PRC_DIAGONAL_EXACT);
    prc_multilevel_refresh(sim);
    return sim;
}

static void fill_noise(prc_sim *sim, enum prc_field field, unsigned seed)
{
    const size_t n = (size_t)sim->view.padded_count;
    double *x = sim->view.field[field], *free = sim->view.field[PRC_FIELD_free];
    for (size_t k = 0; k < 3 * n; k++)
        x[k] = noise(&seed) * free[k % n];
}

TEST(reversing_a_bond_twice_gives_it_back)
{
    prc_sim *sim = make_linearised(12, 0.05);
    CHECK(sim);
    const prc_view *v = &sim->view;
    const int *reverse = v->field[PRC_FIELD_bond_reverse], *vertex = v->field[PRC_FIELD_bond_vertex];
    for (int e = 0; e < v->bond_count; e++) {
        CHECK(reverse[reverse[e]] == e);
        CHECK(vertex[e] >= 0 && vertex[e] < v->padded_count);
    }
    prc_sim_destroy(sim);
}

TEST(the_internal_order_is_a_permutation_and_pads_little)
{
    prc_sim *sim = make_linearised(60, 0.05);
    CHECK(sim);
    for (int i = 0; i < sim->model.vertex_count; i++)
        CHECK(sim->model.internal_of[sim->model.caller_of[i]] == i);
    const double real_bonds = sim->model.graph.ring_start[sim->model.vertex_count];
    CHECK(sim->view.bond_count < 1.1 * real_bonds);
    prc_sim_destroy(sim);
}

TEST(coarse_functions_sum_to_one_at_every_vertex)
{
    prc_sim *sim = make_linearised(40, 0.05);
    CHECK(sim && sim->hierarchy.level_count >= 1);
    for (int l = 0; l < sim->hierarchy.level_count; l++) {
        const prc_rows *p = &sim->hierarchy.prolongation[l];
        for (int r = 0; r < p->count; r++) {
            double sum = 0;
            for (int k = p->start[r]; k < p->start[r + 1]; k++)
                sum += p->weight[k];
            CHECK_NEAR(sum, 1, 1e-12);
        }
    }
    prc_sim_destroy(sim);
}

/* x = the coarse vector of level l, spread to the mesh (field direction), pinned vertices at rest. */
static void spread(prc_sim *sim, int l)
{
    prc_hierarchy *h = &sim->hierarchy;
    const prc_backend *backend = sim->model.backend;
    for (int k = l; k > 0; k--)
        backend->sparse(&sim->view, &h->level[k].prolongation, h->level[k].x, h->level[k - 1].x,
                        h->level[k - 1].padded_count, false);
    backend->sparse(&sim->view, &h->level[0].prolongation, h->level[0].x, sim->view.field[PRC_FIELD_direction],
                    sim->view.padded_count, false);
    double *x = sim->view.field[PRC_FIELD_direction], *free = sim->view.field[PRC_FIELD_free];
    for (int k = 0; k < 3 * sim->view.padded_count; k++)
        x[k] *= free[k % sim->view.padded_count];
}

TEST(coarse_matrices_are_the_fine_matrix_seen_through_the_coarse_functions)
{
    prc_sim *sim = make_linearised(100, 0); /* the coarse levels leave the stabilisation out */
    CHECK(sim && sim->hierarchy.level_count >= 2);
    for (int l = 0; l < sim->hierarchy.level_count; l++) {
        const prc_level *level = &sim->hierarchy.level[l];
        const int stride = level->padded_count;
        double *x = level->x, coarse = 0;
        unsigned seed = 7;
        for (int i = 0; i < level->node_count; i++)
            for (int c = 0; c < 3; c++)
                x[c * stride + i] = noise(&seed);
        for (int r = 0; r < level->node_count; r++)
            for (int k = level->row_start[r]; k < level->row_start[r + 1]; k++)
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++)
                        coarse +=
                            x[a * stride + r] * level->block[9 * k + 3 * a + b] * x[b * stride + level->column[k]];
        spread(sim, l);
        prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
        const double fine = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_product);
        CHECK_NEAR(coarse / fine, 1, 1e-10);
    }
    prc_sim_destroy(sim);
}

TEST(the_coarsest_matrix_is_inverted)
{
    prc_sim *sim = make_linearised(40, 0.05);
    CHECK(sim);
    const prc_hierarchy *h = &sim->hierarchy;
    const prc_level *level = &h->level[h->level_count - 1];
    const int stride = level->padded_count;
    double *b = level->b, *x = level->x;
    unsigned seed = 3;
    for (int k = 0; k < 3 * stride; k++)
        b[k] = k % stride < level->node_count ? noise(&seed) : 0;
    sim->model.backend->dense(&sim->view, h->dense_inverse, h->dense_leading, level);
    for (int r = 0; r < level->node_count; r++)
        for (int a = 0; a < 3; a++) {
            double back = 0;
            for (int k = level->row_start[r]; k < level->row_start[r + 1]; k++)
                for (int c = 0; c < 3; c++)
                    back += level->block[9 * k + 3 * a + c] * x[c * stride + level->column[k]];
            CHECK_NEAR(back, b[a * stride + r], 1e-9);
        }
    prc_sim_destroy(sim);
}

TEST(the_preconditioner_is_symmetric_and_positive)
{
    prc_sim *sim = make_linearised(40, 0.05);
    CHECK(sim);
    fill_noise(sim, PRC_FIELD_residual, 5);
    fill_noise(sim, PRC_FIELD_direction, 9);
    prc_multilevel_apply(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    const double ab = prc_inner(sim, PRC_FIELD_direction, PRC_FIELD_preconditioned);
    CHECK(prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned) > 0);
    prc_multilevel_apply(sim, PRC_FIELD_direction, PRC_FIELD_preconditioned);
    const double ba = prc_inner(sim, PRC_FIELD_residual, PRC_FIELD_preconditioned);
    CHECK_NEAR(ab / ba, 1, 1e-9);
    prc_sim_destroy(sim);
}

TEST(the_exact_diagonal_is_that_of_the_product)
{
    prc_sim *sim = make_linearised(12, 0.05);
    CHECK(sim);
    const long n = sim->view.padded_count;
    double *p = sim->view.field[PRC_FIELD_direction], *q = sim->view.field[PRC_FIELD_product];
    const double *inverse = sim->view.field[PRC_FIELD_inverse], *free = sim->view.field[PRC_FIELD_free];
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int i = 0; i < sim->view.vertex_count; i += 7) {
        double block[3][3];
        for (int c = 0; c < 3; c++) {
            memset(p, 0, sizeof(double) * 3 * (size_t)n);
            p[c * n + i] = 1;
            prc_product(sim, PRC_FIELD_direction, PRC_FIELD_product);
            for (int a = 0; a < 3; a++)
                block[a][c] = q[a * n + i];
        }
        for (int a = 0; a < 3; a++)
            for (int c = 0; c < 3; c++) {
                double unit = 0;
                for (int k = 0; k < 3; k++)
                    unit += inverse[at[a][k] * n + i] * block[k][c];
                CHECK_NEAR(unit, a == c ? free[i] : 0, 1e-9);
            }
    }
    prc_sim_destroy(sim);
}

/* FNV-1a over the bytes of the positions. */
static unsigned long long position_hash(prc_sim *sim)
{
    const unsigned char *bytes = (const unsigned char *)prc_sim_positions(sim);
    unsigned long long hash = 14695981039346656037ull;
    for (size_t k = 0; k < sizeof(double) * 3 * (size_t)prc_sim_vertex_count(sim); k++)
        hash = (hash ^ bytes[k]) * 1099511628211ull;
    return hash;
}

TEST(every_instruction_set_and_any_number_of_threads_give_the_same_bits)
{
    for (int precision = 0; precision < 2; precision++) {
        unsigned long long first = 0;
        for (int k = 0; prc_backend_at((prc_precision)precision, k); k++)
            for (int threads = 1; threads <= 3; threads++) {
                prc_sim *sim = make_cloth(70, (prc_precision)precision, 0.05, 2e-3, NULL);
                CHECK(sim);
                sim->model.backend = prc_backend_at((prc_precision)precision, k);
                sim->view.threads = threads < sim->view.threads ? threads : sim->view.threads;
                for (int s = 0; s < 3; s++)
                    CHECK(prc_sim_step(sim, NULL, NULL) == PRC_OK);
                const unsigned long long hash = position_hash(sim);
                first = first ? first : hash;
                CHECK(hash == first);
                prc_sim_destroy(sim);
            }
    }
}

/* An allocator that fails at the n-th call and counts what is out. */
typedef struct fragile {
    long calls, fail_at, held;
} fragile;

static void *fragile_allocate(size_t size, void *context)
{
    fragile *f = context;
    if (f->calls++ == f->fail_at)
        return NULL;
    f->held++;
    return malloc(size);
}

static void fragile_release(void *memory, void *context)
{
    ((fragile *)context)->held--;
    free(memory);
}

TEST(every_failed_allocation_is_reported_and_leaks_nothing)
{
    fragile f = {.fail_at = -1};
    prc_set_allocator((prc_allocator){fragile_allocate, fragile_release, &f});
    prc_sim *sim = make_cloth(24, PRC_PRECISION_SINGLE, 0.05, 1e-2, NULL);
    const long all = f.calls;
    bool good = sim != NULL;
    prc_sim_destroy(sim);
    good = good && f.held == 0;
    for (long k = 0; good && k < all; k++) {
        f = (fragile){.fail_at = k};
        prc_error error = {0};
        sim = make_cloth(24, PRC_PRECISION_SINGLE, 0.05, 1e-2, &error);
        good = sim == NULL && f.held == 0 && error.code == PRC_ERROR_MEMORY;
        if (!good)
            printf("    allocation %ld of %ld: held %ld, \"%s\"\n", k, all, f.held, error.message);
        prc_sim_destroy(sim);
    }
    prc_set_allocator((prc_allocator){0});
    CHECK(good);
}

TEST_MAIN()
