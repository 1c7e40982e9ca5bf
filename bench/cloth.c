/* bench/cloth.c — see cloth.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cloth.h"

prc_bench_cloth prc_bench_cloth_default(void)
{
    return (prc_bench_cloth){
        .cells = 50,
        .step = 1e-3,
        .stretch = 1,
        .precision = PRC_PRECISION_DOUBLE,
        .method = PRC_METHOD_NEWTON,
        .backend = PRC_BACKEND_CPU,
        .threads = 0,
        .tolerance = 1e-4,
        .max_iterations = 200,
    };
}

prc_sim *prc_bench_cloth_create(const prc_bench_cloth *cloth, prc_error *error)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = cloth->cells;
    grid.pattern = PRC_GRID_IRREGULAR;
    prc_mesh rest, mesh = {0};
    if (prc_mesh_grid(&rest, &grid, error) != PRC_OK)
        return NULL;
    prc_sim *sim = NULL;
    if (prc_mesh_copy(&mesh, &rest, error) == PRC_OK) {
        prc_mesh_transform(&mesh, (const double[]){1, 0, 0}, 90, 1, (const double[]){0, 1.6, 0});
        for (int i = 0; i < mesh.vertex_count; i++)
            mesh.positions[3 * i] *= cloth->stretch;
        prc_body_def body = prc_body_def_default();
        body.mesh = &mesh;
        body.rest_mesh = &rest;
        const int corners[2] = {0, cloth->cells};
        prc_pin_def pin = prc_pin_def_default();
        pin.vertices = corners;
        pin.vertex_count = 2;
        prc_sim_def def = prc_sim_def_default();
        def.bodies = &body;
        def.body_count = 1;
        def.pins = &pin;
        def.pin_count = 1;
        def.time.step = cloth->step;
        def.precision = cloth->precision;
        def.backend = cloth->backend;
        def.threads = cloth->threads;
        def.solver.method = cloth->method;
        def.solver.tolerance = cloth->tolerance;
        def.solver.max_iterations = cloth->max_iterations;
        def.solver.max_substeps = 1; /* what one solve costs */
        sim = prc_sim_create(&def, error);
    }
    prc_mesh_release(&mesh);
    prc_mesh_release(&rest);
    return sim;
}

prc_bench_drape prc_bench_drape_default(void)
{
    return (prc_bench_drape){
        .vertices = 50,
        .layers = 1,
        .size = 1,
        .radius = 0.25,
        .thickness = 2e-3,
        .gap = 5e-3,
        .speed = 0,
        .step = 1.0 / 240,
        .threads = 1,
        .max_iterations = 100,
        .contact = true,
    };
}

/* Layer k: its rest shape, flat in the plane of the floor, and where it starts. */
static prc_result layer(const prc_bench_drape *drape, int k, prc_mesh *mesh, prc_body_def *body, prc_error *error)
{
    prc_grid_def grid = prc_grid_def_default();
    grid.cells[0] = grid.cells[1] = drape->vertices - 1;
    grid.size[0] = grid.size[1] = drape->size;
    grid.pattern = PRC_GRID_IRREGULAR;
    grid.seed = k + 1;
    prc_result result = prc_mesh_grid(mesh, &grid, error);
    if (result != PRC_OK)
        return result;
    const double height = drape->radius + (k + 1) * drape->gap;
    prc_mesh_transform(mesh, (const double[]){1, 0, 0}, -90, 1, (const double[]){0.03, height, 0.02});
    *body = prc_body_def_default();
    body->mesh = mesh;
    body->velocity[1] = -drape->speed;
    return PRC_OK;
}

prc_sim *prc_bench_drape_create(const prc_bench_drape *drape, prc_error *error)
{
    prc_mesh meshes[PRC_BENCH_LAYERS] = {{0}};
    prc_body_def bodies[PRC_BENCH_LAYERS];
    prc_result result = PRC_OK;
    int made = 0;
    for (; made < drape->layers && result == PRC_OK; made++)
        result = layer(drape, made, &meshes[made], &bodies[made], error);
    prc_collider_def ball = prc_collider_def_default();
    ball.shape = PRC_SHAPE_SPHERE;
    ball.radius = drape->radius;
    prc_pin_def pin = prc_pin_def_default();
    pin.vertices = drape->held;
    pin.vertex_count = drape->held_count;
    prc_sim_def def = prc_sim_def_default();
    def.bodies = bodies;
    def.body_count = drape->layers;
    def.pins = &pin;
    def.pin_count = drape->held != NULL;
    def.colliders = &ball;
    def.collider_count = drape->contact;
    def.contact.enabled = drape->contact;
    def.contact.thickness = drape->thickness;
    def.contact.friction = 0.3;
    def.time.step = drape->step;
    def.threads = drape->threads;
    def.solver.max_iterations = drape->max_iterations;
    def.solver.max_substeps = 1;
    prc_sim *sim = result == PRC_OK ? prc_sim_create(&def, error) : NULL;
    for (int k = 0; k < made; k++)
        prc_mesh_release(&meshes[k]);
    return sim;
}
