/* test/device_mirror.h — a small scene with all kinds of rings, and its fields once more on a device. For
 * test_device_stages.c. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_DEVICE_MIRROR_H
#define PRC_TEST_DEVICE_MIRROR_H

#include "harness.h"
#include "typical_material.h"

#include "backend/device.h"
#include "base/memory.h"
#include "step/evaluate.h"
#include "step/frame.h"
#include "step/linear.h"
#include "step/sim.h"

#include <stdlib.h>

extern const prc_backend prc_backend_on_host_float, prc_backend_on_host_double;
#ifdef PRC_HAVE_CUDA
extern const prc_backend prc_backend_cuda_float, prc_backend_cuda_double;
#endif

#define VECTORS 5

/* The fields of a sim on a device, and vectors in double beside them. */
typedef struct mirror {
    prc_sim *sim;
    const prc_backend *backend;
    prc_view view;
    void *device;
    bool exact;
    double *vector[VECTORS]; /* on the host */
    void *on_device[VECTORS];
} mirror;

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1;
}

/* ---- scene ---- */

static prc_material_def typical_damped(prc_material_model model)
{
    prc_material_def def = typical(model);
    def.damping = 1e-3;
    return def;
}

/* A fan about a vertex whose ring has 14 bonds: more than a device keeps in registers. */
static bool make_fan(prc_mesh *mesh)
{
    enum { spokes = 14 };
    mesh->vertex_count = spokes + 1;
    mesh->triangle_count = spokes;
    mesh->positions = PRC_NEW(double, 3 * (spokes + 1));
    mesh->triangles = PRC_NEW(int, 3 * spokes);
    for (int k = 0; mesh->positions && mesh->triangles && k < spokes; k++) {
        const double angle = 2 * 3.14159265358979 * k / spokes;
        mesh->positions[3 * (k + 1)] = 0.1 * cos(angle);
        mesh->positions[3 * (k + 1) + 1] = 0.1 * sin(angle);
        mesh->triangles[3 * k + 1] = 1 + k;
        mesh->triangles[3 * k + 2] = 1 + (k + 1) % spokes;
    }
    return mesh->positions && mesh->triangles;
}

/* Cloths of some models in turn, small ones so that blocks are mixed, and a fan. Pinned at a corner. */
static prc_sim *make_sim_of(prc_precision precision, int cells, bool multilevel, const prc_material_model *models,
                            int model_count)
{
    enum { bodies = PRC_MODEL_COUNT + 1 };
    prc_mesh mesh[2] = {{0}, {0}};
    prc_grid_def grid = prc_grid_def_default();
    grid.size[0] = grid.size[1] = 0.05 * cells;
    grid.cells[0] = grid.cells[1] = cells;
    grid.pattern = PRC_GRID_IRREGULAR;
    grid.jitter = 0.3;
    prc_body_def body[bodies];
    prc_sim *sim = NULL;
    if (prc_mesh_grid(&mesh[0], &grid, NULL) == PRC_OK && make_fan(&mesh[1])) {
        for (int b = 0; b < bodies; b++) {
            body[b] = prc_body_def_default();
            body[b].mesh = &mesh[b == PRC_MODEL_COUNT];
            body[b].material = typical_damped(models[b % model_count]);
        }
        const int corner = 0;
        prc_pin_def pin = prc_pin_def_default();
        pin.vertices = &corner;
        pin.vertex_count = 1;
        prc_sim_def def = prc_sim_def_default();
        def.bodies = body;
        def.body_count = bodies;
        def.pins = &pin;
        def.pin_count = 1;
        def.air.density = 1.2;
        def.air.wind[2] = 3;
        def.time.step = 1e-2;
        def.precision = precision;
        def.threads = 1;
        def.solver.max_inner = 500;
        def.solver.preconditioner = multilevel ? PRC_PRECONDITIONER_MULTILEVEL : PRC_PRECONDITIONER_JACOBI;
        prc_error error;
        sim = prc_sim_create(&def, &error);
        if (!sim)
            printf("    %s\n", error.message);
    }
    prc_mesh_release(&mesh[0]);
    prc_mesh_release(&mesh[1]);
    return sim;
}

/* … of every model. */
static prc_sim *make_sim(prc_precision precision, int cells, bool multilevel)
{
    prc_material_model models[PRC_MODEL_COUNT];
    for (int k = 0; k < PRC_MODEL_COUNT; k++)
        models[k] = (prc_material_model)k;
    return make_sim_of(precision, cells, multilevel, models, PRC_MODEL_COUNT);
}

static void fill_field(const prc_sim *sim, enum prc_field field, double size, unsigned seed)
{
    const size_t n = 3 * (size_t)sim->view.padded_count;
    for (size_t k = 0; k < n; k++)
        sim->work.columns[k] = size * noise(&seed);
    sim->model.host->upload(&sim->view, sim->view.field[field], sim->work.columns, n);
}

/* At the first guess of a step, disturbed. */
static prc_sim *make_linearised(prc_precision precision, int cells, bool multilevel)
{
    prc_sim *sim = make_sim(precision, cells, multilevel);
    if (!sim)
        return NULL;
    prc_step_begin(sim);
    fill_field(sim, PRC_FIELD_u, 0.004, 5);
    prc_evaluate(sim, PRC_FIELD_u, PRC_FIELD_gradient, true);
    prc_diagonal(sim, PRC_DIAGONAL_EXACT);
    if (multilevel)
        prc_multilevel_refresh(sim);
    return sim;
}

/* ---- the mirror ---- */

static const prc_backend *table_of(prc_backend_kind kind, prc_precision precision)
{
#ifdef PRC_HAVE_CUDA
    if (kind == PRC_BACKEND_CUDA)
        return precision == PRC_PRECISION_SINGLE ? &prc_backend_cuda_float : &prc_backend_cuda_double;
#endif
    (void)kind;
    return precision == PRC_PRECISION_SINGLE ? &prc_backend_on_host_float : &prc_backend_on_host_double;
}

static size_t vector_size(const mirror *m)
{
    return 3 * sizeof(double) * (size_t)m->view.padded_count;
}

static void *copy_of(const mirror *m, const void *host, size_t bytes)
{
    void *memory = m->backend->allocate(&m->view, bytes);
    if (memory)
        m->backend->put(&m->view, memory, host, bytes);
    return memory;
}

/* A field of the host as it is to be on the device: bond_t has four numbers side by side for every bond there, 0 the
 * last. The caller frees it. */
static void *field_laid_out(const mirror *m, enum prc_field field)
{
    const size_t real = m->backend->real_size, bonds = (size_t)m->view.bond_count;
    const char *host = m->sim->view.field[field];
    char *copy = prc_alloc(prc_view_field_size(&m->view, field, real), 1);
    if (copy && field != PRC_FIELD_bond_t)
        memcpy(copy, host, prc_view_field_size(&m->view, field, real));
    for (size_t k = 0; copy && field == PRC_FIELD_bond_t && k < 3 * bonds; k++)
        memcpy(copy + real * (4 * (k % bonds) + k / bonds), host + real * k, real);
    return copy;
}

static void mirror_update(mirror *m)
{
    for (int k = 0; k < PRC_FIELD_COUNT; k++) {
        if (prc_field_is_thin((enum prc_field)k))
            continue;
        void *laid_out = field_laid_out(m, (enum prc_field)k);
        m->backend->put(&m->view, m->view.field[k], laid_out,
                        prc_view_field_size(&m->view, (enum prc_field)k, m->backend->real_size));
        prc_free(laid_out);
    }
    m->backend->run(&m->view, PRC_STAGE_thin);
    for (int k = 0; k < VECTORS; k++)
        m->backend->put(&m->view, m->on_device[k], m->vector[k], vector_size(m));
    m->backend->put(&m->view, m->view.slot, m->sim->view.slot, sizeof(double) * PRC_SLOT_COUNT);
}

static bool mirror_create(mirror *m, prc_sim *sim, prc_backend_kind kind)
{
    memset(m, 0, sizeof *m);
    m->sim = sim;
    m->exact = kind == PRC_BACKEND_DEVICE_ON_HOST;
    m->view = sim->view;
    m->device = m->view.device = prc_device_create(kind, NULL);
    if (!m->device)
        return false;
    m->backend = table_of(kind, sim->model.host->precision);
    unsigned seed = 11;
    for (int k = 0; k < VECTORS; k++) {
        m->vector[k] = PRC_NEW(double, 3 * m->view.padded_count);
        for (int i = 0; i < 3 * m->view.padded_count; i++)
            m->vector[k][i] = noise(&seed);
        m->on_device[k] = m->backend->allocate(&m->view, vector_size(m));
    }
    for (int k = 0; k < PRC_FIELD_COUNT; k++)
        m->view.field[k] =
            m->backend->allocate(&m->view, prc_view_field_size(&m->view, (enum prc_field)k, m->backend->real_size));
    m->view.slot = m->backend->allocate(&m->view, sizeof(double) * PRC_SLOT_COUNT);
    mirror_update(m);
    return true;
}

static void mirror_destroy(mirror *m)
{
    for (int k = 0; m->device && k < PRC_FIELD_COUNT; k++)
        m->backend->release(&m->view, m->view.field[k]);
    for (int k = 0; m->device && k < VECTORS; k++) {
        m->backend->release(&m->view, m->on_device[k]);
        prc_free(m->vector[k]);
    }
    if (m->device)
        m->backend->release(&m->view, m->view.slot);
    prc_device_destroy(m->device);
    prc_sim_destroy(m->sim);
}

/* Largest difference of two arrays of REAL (or DOUBLE), relative to the largest entry; 0 if the bits are the same, 1e9
 * if they are not but should be. */
static double difference(const mirror *m, const void *host, const void *device, size_t bytes, bool single)
{
    char *got = prc_alloc(bytes, 1);
    double most = 0, apart = 0;
    m->backend->get(&m->view, got, device, bytes);
    if (memcmp(got, host, bytes) != 0) {
        const size_t count = bytes / (single ? sizeof(float) : sizeof(double));
        for (size_t k = 0; k < count; k++) {
            const double a = single ? (double)((const float *)host)[k] : ((const double *)host)[k];
            const double b = single ? (double)((const float *)got)[k] : ((const double *)got)[k];
            most = fmax(most, fabs(a));
            apart = fabs(a - b) <= apart ? apart : fabs(a - b);
        }
        apart = m->exact ? 1e9 : apart / most;
    }
    prc_free(got);
    return apart;
}

static double tolerance(const mirror *m)
{
    return m->backend->precision == PRC_PRECISION_SINGLE ? 2e-5 : 1e-12;
}

static const char *const field_names[] = {
#define PRC_FIELD(name, type, shape, components, meaning) #name,
#include "kernel/fields.inl"
#undef PRC_FIELD
};
enum kind { KIND_REAL, KIND_DOUBLE, KIND_INT };
static const enum kind field_kinds[] = {
#define PRC_FIELD(name, type, shape, components, meaning) KIND_##type,
#include "kernel/fields.inl"
#undef PRC_FIELD
};

/* Whether all fields and vectors agree; prints the first that do not. */
static bool mirror_agrees(const mirror *m, const char *after, bool bonds_too)
{
    const size_t real = m->backend->real_size;
    const bool single = m->backend->precision == PRC_PRECISION_SINGLE;
    for (int k = 0; k < PRC_FIELD_COUNT; k++) {
        if (k == PRC_FIELD_summand || (k == PRC_FIELD_bond_t && !bonds_too) || prc_field_is_thin((enum prc_field)k))
            continue;
        void *laid_out = field_laid_out(m, (enum prc_field)k);
        const double apart =
            difference(m, laid_out, m->view.field[k], prc_view_field_size(&m->view, (enum prc_field)k, real),
                       single && field_kinds[k] == KIND_REAL);
        prc_free(laid_out);
        if (!(apart <= tolerance(m))) {
            printf("    %s, %s after %s: apart by %g\n", m->backend->name, field_names[k], after, apart);
            return false;
        }
    }
    for (int k = 0; k < VECTORS; k++)
        if (!(difference(m, m->vector[k], m->on_device[k], vector_size(m), false) <= tolerance(m))) {
            printf("    %s, vector %d after %s\n", m->backend->name, k, after);
            return false;
        }
    return true;
}

#endif
