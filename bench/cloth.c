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
        def.threads = cloth->threads;
        def.solver.method = cloth->method;
        def.solver.tolerance = cloth->tolerance;
        def.solver.max_iterations = cloth->max_iterations;
        sim = prc_sim_create(&def, error);
    }
    prc_mesh_release(&mesh);
    prc_mesh_release(&rest);
    return sim;
}
