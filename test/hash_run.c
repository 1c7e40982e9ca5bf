/* hash_run.c — short simulations and a 64-bit hash (FNV-1a) of the positions after each, one line per configuration.
 *
 *   hash_run [THREADS [STEPS]]
 *
 * Compilers, instruction sets and numbers of threads must all print the same lines. Only materials without
 * transcendental functions take part: the C library's exp and log may round differently from one machine to the next.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/percale.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct configuration {
    const char *name;
    prc_method method;
    prc_preconditioner preconditioner;
    prc_material_model model;
    prc_integrator integrator;
    bool air;
} configuration;

static const configuration configurations[] = {
    {"newton, jacobi, a3", PRC_METHOD_NEWTON, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_A3, PRC_INTEGRATOR_EULER, false},
    {"newton, multilevel, a3, air", PRC_METHOD_NEWTON, PRC_PRECONDITIONER_MULTILEVEL, PRC_MODEL_A3,
     PRC_INTEGRATOR_EULER, true},
    {"newton, multilevel, stvk, bdf2", PRC_METHOD_NEWTON, PRC_PRECONDITIONER_MULTILEVEL, PRC_MODEL_STVK,
     PRC_INTEGRATOR_BDF2, false},
    {"newton, auto, orthotropic", PRC_METHOD_NEWTON, PRC_PRECONDITIONER_AUTO, PRC_MODEL_ORTHOTROPIC,
     PRC_INTEGRATOR_EULER, false},
    {"newton, jacobi, neo_hookean", PRC_METHOD_NEWTON, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_NEO_HOOKEAN,
     PRC_INTEGRATOR_EULER, false},
    {"ncg, a2", PRC_METHOD_NCG, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_A2, PRC_INTEGRATOR_EULER, false},
    {"anderson, b2", PRC_METHOD_ANDERSON, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_B2, PRC_INTEGRATOR_EULER, false},
    {"chebyshev, corotated", PRC_METHOD_CHEBYSHEV, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_COROTATED, PRC_INTEGRATOR_EULER,
     false},
    {"jacobi, a3", PRC_METHOD_JACOBI, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_A3, PRC_INTEGRATOR_EULER, true},
    {"sissm, a3", PRC_METHOD_SISSM, PRC_PRECONDITIONER_JACOBI, PRC_MODEL_A3, PRC_INTEGRATOR_EULER, false},
};

static uint64_t hash(const double *values, size_t count)
{
    const unsigned char *bytes = (const unsigned char *)values;
    uint64_t h = 14695981039346656037u;
    for (size_t k = 0; k < count * sizeof *values; k++)
        h = (h ^ bytes[k]) * 1099511628211u;
    return h;
}

static prc_sim_def scene_of(const configuration *c, prc_body_def *body, prc_pin_def *pin, prc_precision precision)
{
    static const int corners[2] = {0, 64};
    body->material.model = c->model;
    body->material.bending = 1e-4;
    body->material.damping = 1e-4;
    body->velocity[2] = 0.5;
    pin->vertices = corners;
    pin->vertex_count = 2;
    prc_sim_def def = prc_sim_def_default();
    def.precision = precision;
    def.bodies = body;
    def.body_count = 1;
    def.pins = pin;
    def.pin_count = 1;
    def.gravity[2] = -3;
    def.time.step = 5e-3;
    def.time.integrator = c->integrator;
    def.solver.method = c->method;
    def.solver.preconditioner = c->preconditioner;
    def.solver.max_iterations = 30;
    def.air.density = c->air ? 1.2 : 0;
    def.air.wind[0] = 2;
    return def;
}

static int run(const configuration *c, const prc_mesh *mesh, prc_precision precision, int threads, int steps)
{
    prc_error error = {0};
    prc_body_def body = prc_body_def_default();
    prc_pin_def pin = prc_pin_def_default();
    body.mesh = mesh;
    prc_sim_def def = scene_of(c, &body, &pin, precision);
    def.threads = threads;
    prc_sim *sim = prc_sim_create(&def, &error);
    bool ok = sim != NULL;
    for (int step = 0; ok && step < steps; step++)
        ok = prc_sim_step(sim, NULL, &error) == PRC_OK;
    if (!ok) {
        fprintf(stderr, "%s: %s\n", c->name, error.message);
        prc_sim_destroy(sim);
        return 1;
    }
    printf("%016llx  %s, %s\n", (unsigned long long)hash(prc_sim_positions(sim), 3 * (size_t)mesh->vertex_count),
           precision == PRC_PRECISION_DOUBLE ? "double" : "single", c->name);
    prc_sim_destroy(sim);
    return 0;
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("OMP_NUM_THREADS");
    const int threads = argc > 1 ? atoi(argv[1]) : wanted ? atoi(wanted) : 0, steps = argc > 2 ? atoi(argv[2]) : 4;
    int failures = 0;
    prc_mesh mesh;
    prc_error error;
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = 64;
    grid.pattern = PRC_GRID_IRREGULAR;
    if (threads < 0 || steps < 1 || prc_mesh_grid(&mesh, &grid, &error) != PRC_OK) {
        fprintf(stderr, "usage: %s [THREADS [STEPS]]\n", argv[0]);
        return 2;
    }
    for (int precision = PRC_PRECISION_SINGLE; precision <= PRC_PRECISION_DOUBLE; precision++)
        for (size_t k = 0; k < sizeof configurations / sizeof *configurations; k++)
            failures += run(&configurations[k], &mesh, (prc_precision)precision, threads, steps);
    prc_mesh_release(&mesh);
    return failures > 0;
}
