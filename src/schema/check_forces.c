/* schema/check_forces.c — checks of springs and pressures beyond their ranges: indices, and which solvers support them.
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
        return prc_fail(error, PRC_ERROR_INPUT, "%s.vertex: %d is given twice; an edge has two different vertices",
                        where, end->vertex[0]);
    return PRC_OK;
}

static bool has_kind(const prc_sim_def *def, const prc_spring_end *end, prc_body_kind kind)
{
    return end->body >= 0 && end->body < def->body_count && def->bodies[end->body].kind == kind;
}

static prc_result check_particles(const prc_sim_def *def, const prc_spring_def *spring, const char *where,
                                  prc_error *error)
{
    const prc_spring_end *tie = &spring->tie, *to = &spring->to;
    if (!has_kind(def, tie, PRC_BODY_PARTICLES) && !has_kind(def, to, PRC_BODY_PARTICLES))
        return PRC_OK;
    if (spring->seam)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.seam: particles cannot be sewn; expected a spring", where);
    if (spring->stiffness == 0 && !has_kind(def, tie, PRC_BODY_MEMBRANE) && !has_kind(def, to, PRC_BODY_MEMBRANE))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.stiffness: 0 takes that of the cloth at its ends, and there are only particles; expected a "
                        "stiffness in N/m",
                        where);
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
        return prc_fail(error, PRC_ERROR_INPUT, "%s: until %.10g s is before from %.10g s", where, spring->until,
                        spring->from);
    snprintf(end, sizeof end, "%.100s.tie", where);
    if (check_end(def, &spring->tie, end, error))
        return PRC_ERROR_INPUT;
    snprintf(end, sizeof end, "%.100s.to", where);
    if (check_end(def, &spring->to, end, error))
        return PRC_ERROR_INPUT;
    return check_particles(def, spring, where, error);
}

static prc_result check_pressure(const prc_sim_def *def, int index, prc_error *error)
{
    const prc_pressure_def *pressure = &def->pressures[index];
    const prc_method method = def->solver.method;
    char where[WHERE_SIZE];
    snprintf(where, sizeof where, "pressures[%d]", index);
    if (prc_schema_check(PRC_TABLE_pressure, pressure, where, error))
        return PRC_ERROR_INPUT;
    if (pressure->until < pressure->from)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: until %.10g s is before from %.10g s", where, pressure->until,
                        pressure->from);
    if (pressure->body_count < 1 || !pressure->bodies)
        return prc_fail(error, PRC_ERROR_INPUT, "%s.bodies: none given; expected at least one", where);
    for (int k = 0; k < pressure->body_count; k++) {
        if (pressure->bodies[k] < 0 || pressure->bodies[k] >= def->body_count)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.bodies[%d]: %d is not allowed; there are bodies 0 to %d", where,
                            k, pressure->bodies[k], def->body_count - 1);
        if (def->bodies[pressure->bodies[k]].kind != PRC_BODY_MEMBRANE)
            return prc_fail(error, PRC_ERROR_INPUT, "%s.bodies: %d is a body of particles, which enclose no volume",
                            where, pressure->bodies[k]);
        for (int q = 0; q < k; q++)
            if (pressure->bodies[q] == pressure->bodies[k])
                return prc_fail(error, PRC_ERROR_INPUT, "%s.bodies: %d twice", where, pressure->bodies[k]);
    }
    if (pressure->kind == PRC_PRESSURE_GAS && !(pressure->outside + pressure->over > 0))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.over: %.10g Pa is not allowed; outside + over must be positive, and outside is %.10g Pa",
                        where, pressure->over, pressure->outside);
    if (method == PRC_METHOD_SISSM)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: solver.method sissm supports elasticity of cloth only; use newton, ncg or another", where);
    if (pressure->kind == PRC_PRESSURE_GAS && method != PRC_METHOD_NEWTON && method != PRC_METHOD_NCG)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s.kind: gas couples all vertices of a body, which solver.method jacobi, chebyshev and "
                        "anderson do not support; use newton or ncg",
                        where);
    return PRC_OK;
}

prc_result prc_schema_check_forces(const prc_sim_def *def, prc_error *error)
{
    for (int k = 0; k < def->spring_count; k++)
        if (check_spring(def, k, error))
            return PRC_ERROR_INPUT;
    for (int k = 0; k < def->pressure_count; k++)
        if (check_pressure(def, k, error))
            return PRC_ERROR_INPUT;
    if (def->spring_count > 0 && def->solver.method == PRC_METHOD_SISSM)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "springs: solver.method sissm supports elasticity of cloth only; use newton, ncg or another");
    return PRC_OK;
}
