/* model/membrane.c — membranes: rings, rest shapes and materials of a triangle mesh.
 * SPDX-License-Identifier: Apache-2.0 */
#include "model/kind.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/rings.h"

#include <string.h>

/* Rest positions, 3 per vertex; the caller frees. */
static double *rest_positions(const prc_body_def *def)
{
    const int n = def->mesh->vertex_count;
    double *x = PRC_NEW(double, 3 * (size_t)n);
    if (!x)
        return NULL;
    for (int i = 0; i < n; i++) {
        if (def->rest == PRC_REST_TEXTURE) {
            x[3 * i] = def->mesh->texture[2 * i];
            x[3 * i + 1] = def->mesh->texture[2 * i + 1];
        } else {
            const prc_mesh *rest = def->rest_mesh ? def->rest_mesh : def->mesh;
            memcpy(x + 3 * i, rest->positions + 3 * i, 3 * sizeof *x);
        }
    }
    return x;
}

static prc_result check(const prc_body_def *def, prc_error *error)
{
    prc_result result = prc_mesh_check(def->mesh, error);
    if (result != PRC_OK)
        return result;
    if (def->rest == PRC_REST_TEXTURE && !def->mesh->texture)
        return prc_fail(error, PRC_ERROR_INPUT, "rest: texture needs a mesh with one texture coordinate per vertex");
    if (def->rest == PRC_REST_MESH && def->rest_mesh) {
        const prc_mesh *rest = def->rest_mesh;
        if (rest->vertex_count != def->mesh->vertex_count || rest->triangle_count != def->mesh->triangle_count ||
            memcmp(rest->triangles, def->mesh->triangles, sizeof(int) * 3 * (size_t)rest->triangle_count) != 0)
            return prc_fail(error, PRC_ERROR_INPUT,
                            "the rest mesh must have the same triangles as the mesh (%d and %d)", rest->triangle_count,
                            def->mesh->triangle_count);
        return prc_mesh_check(rest, error);
    }
    return PRC_OK;
}

static prc_result build(prc_part *p, const prc_body_def *def, const prc_law *laws, int first_law, prc_error *error)
{
    const prc_result result = prc_topology_build(&p->topology, def->mesh, error);
    if (result != PRC_OK)
        return result;
    p->rest_positions = rest_positions(def);
    p->law_of = PRC_NEW(int, def->mesh->vertex_count);
    if (!p->rest_positions || !p->law_of)
        return PRC_FAIL_MEMORY(error);
    for (int i = 0; i < def->mesh->vertex_count; i++)
        p->law_of[i] = first_law + (def->vertex_material ? def->vertex_material[i] : 0);
    return prc_rest_build(&p->rest, &p->topology, def->mesh, p->rest_positions, laws, p->law_of, def->discretisation,
                          error);
}

static double measure(const prc_model *m, const prc_part *part, const prc_body_def *def, int local, int i,
                      double *values)
{
    const prc_graph *g = &m->graph;
    const prc_rest_shape *rest = &part->rest;
    const prc_law *law = &m->laws[part->law_of[local]];
    const bool paper = def->discretisation == PRC_DISCRETISATION_PAPER;
    const double area = rest->area[local];
    values[PRC_VALUE_AREA] = area;
    values[PRC_VALUE_MASS] = area * law->density;
    values[PRC_VALUE_INVERSE_MASS] = 1 / values[PRC_VALUE_MASS];
    values[PRC_VALUE_RING_Q] = rest->q[local];
    /* The paper's force state resists non-affine motion with P+/λ, which is a third of s0 at rest, and in all
     * directions. */
    values[PRC_VALUE_STABILISE] = area * rest->q[local] * (paper ? law->row[PRC_LAW_SCALE] / 3 : law->stabilisation);
    values[PRC_VALUE_STABILISE_NORMAL] = paper ? 1 : 0;
    values[PRC_VALUE_CENTER_B0] = values[PRC_VALUE_CENTER_B1] = 0;
    for (int e = g->ring_start[i]; e < g->ring_start[i + 1]; e++) {
        values[PRC_VALUE_CENTER_B0] -= g->f[2 * e];
        values[PRC_VALUE_CENTER_B1] -= g->f[2 * e + 1];
    }
    prc_ring_unit_move(g, i, -1, &values[PRC_VALUE_CENTER_SS], &values[PRC_VALUE_CENTER_KK]);
    memcpy(values + PRC_VALUE_CURVATURE, rest->curvature + 3 * local, 3 * sizeof(double));
    values[PRC_VALUE_DAMPING] = law->row[PRC_LAW_DAMPING];
    return area;
}

const prc_kind prc_kind_membrane = {.has_rings = true, .check = check, .build = build, .measure = measure};
