/* constraint/pin.c — see pin.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "constraint/pin.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

prc_result prc_pin_create(prc_pin *pin, const prc_pin_def *def, const prc_model *model, prc_error *error)
{
    pin->def = *def;
    pin->def.vertices = NULL;
    pin->vertex_count = def->vertex_count;
    pin->vertices = PRC_NEW(int, def->vertex_count);
    pin->anchor = PRC_NEW(double, 3 * (size_t)def->vertex_count);
    if (!pin->vertices || !pin->anchor)
        return PRC_FAIL_MEMORY(error);
    for (int k = 0; k < def->vertex_count; k++)
        pin->vertices[k] = model->internal_of[model->bodies[def->body].first_vertex + def->vertices[k]];
    return PRC_OK;
}

void prc_pin_release(prc_pin *pin)
{
    prc_free(pin->vertices);
    prc_free(pin->anchor);
}

bool prc_pin_is_for_good(const prc_pin_def *def)
{
    return def->from <= 0 && def->until >= 1e300;
}

bool prc_pin_update(prc_pin *pin, double start, double end, const double *position, int stride)
{
    const double slack = 1e-9 * (end - start); /* times are sums of steps */
    bool wanted = end > pin->def.from + slack && end <= pin->def.until + slack;
    if (wanted && !pin->holds)
        for (int k = 0; k < pin->vertex_count; k++)
            for (int c = 0; c < 3; c++)
                pin->anchor[3 * k + c] = position[(long)c * stride + pin->vertices[k]];
    pin->holds = wanted;
    return wanted;
}

/* Rotates r about the unit vector `axis` (Rodrigues). */
static void rotate(double r[3], const double axis[3], double angle)
{
    double c = cos(angle), s = sin(angle);
    double along = (1 - c) * (axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2]);
    double side[3] = {axis[1] * r[2] - axis[2] * r[1], axis[2] * r[0] - axis[0] * r[2],
                      axis[0] * r[1] - axis[1] * r[0]};
    for (int k = 0; k < 3; k++)
        r[k] = c * r[k] + s * side[k] + along * axis[k];
}

void prc_pin_target(const prc_pin *pin, int k, double time, double target[3])
{
    const prc_pin_def *def = &pin->def;
    const double elapsed = time - def->from;
    memcpy(target, pin->anchor + 3 * k, 3 * sizeof *target);
    if (def->motion == PRC_MOTION_FIXED)
        return;
    if (def->motion == PRC_MOTION_ROTATION) {
        double length = sqrt(def->axis[0] * def->axis[0] + def->axis[1] * def->axis[1] + def->axis[2] * def->axis[2]);
        double axis[3], arm[3];
        for (int c = 0; c < 3; c++) {
            axis[c] = def->axis[c] / length;
            arm[c] = target[c] - def->center[c];
        }
        rotate(arm, axis, def->degrees_per_second * elapsed * (3.14159265358979323846 / 180));
        for (int c = 0; c < 3; c++)
            target[c] = def->center[c] + arm[c];
    }
    for (int c = 0; c < 3; c++)
        target[c] += def->velocity[c] * elapsed;
}
