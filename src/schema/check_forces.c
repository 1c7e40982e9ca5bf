/* schema/check_forces.c — what the ranges of springs do not say: indices, and which solvers can have them.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "schema/schema.h"

#define WHERE_SIZE 160

static prc_result check_end(const prc_sim_def *def, const prc_spring_end *end, const char *where, prc_error *error)
{
    const int bodies = def->body_count + def->obstacle_count;
    for (int c = 0; c < 3; c++)
        if (end->body < 0 && !isfinite(end->point[c]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s.point: is not finite", where);
    if (end->body < 0)
        return PRC_OK;
    if (end->body >= bodies)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.body: %d is not allowed; there are bodies 0 to %d", where,
                        end->body, bodies - 1);
    if (!(end->at >= 0 && end->at <= 1))
        return prc_fail(error, PRC_ERROR_INPUT, "%s.at: %.10g is not allowed; expected a number from 0 to 1", where,
                        end->at);
    const prc_mesh *mesh =
        end->body < def->body_count ? def->bodies[end->body].mesh : def->obstacles[end->body - def->body_count].mesh;
    for (int k = end->at == 1; k < 1 + (end->at > 0); k++)
        if (end->vertex[k] < 0 || end->vertex[k] >= mesh->vertex_count)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex: %d is not allowed; body %d has vertices 0 to %d", where,
                            end->vertex[k], end->body, mesh->vertex_count - 1);
    if (end->at > 0 && end->at < 1 && end->vertex[0] == end->vertex[1])
        return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex: %d twice; an edge has two vertices", where, end->vertex[0]);
    return PRC_OK;
}

static prc_result check_spring(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_spring_def *spring = &def->springs[index];
    char where[WHERE_SIZE], end[WHERE_SIZE];
    snprintf(where, sizeof where, "springs[%d]", index);
    if (prc_schema_check(PRC_TABLE_spring, spring, where, error))
        return PRC_ERROR_INPUT;
    if (spring->until < spring->from)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: until %.10g s lies before from %.10g s", where, spring->until,
                        spring->from);
    snprintf(end, sizeof end, "%.100s.tie", where);
    if (check_end(def, &spring->tie, end, error))
        return PRC_ERROR_INPUT;
    snprintf(end, sizeof end, "%.100s.to", where);
    return check_end(def, &spring->to, end, error);
}

prc_result prc_schema_check_forces(const prc_sim_def *def, prc_error *error)
{
    for (int k = 0; k < def->spring_count; k++)
        if (check_spring(def, k, error))
            return PRC_ERROR_INPUT;
    if (def->spring_count > 0 && def->solver.method == PRC_METHOD_SISSM)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "springs: solver.method sissm knows the bonds of cloth only; take newton, ncg or another");
    return PRC_OK;
}
