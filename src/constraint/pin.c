/* constraint/pin.c — see pin.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "constraint/pin.h"

#include "base/error.h"
#include "base/memory.h"
#include "constraint/motion.h"

#include <math.h>
#include <string.h>

prc_result prc_pin_create(prc_pin *pin, const prc_pin_def *def, const prc_model *model, prc_error *error)
{
    pin->def = *def;
    pin->def.vertices = NULL;
    const size_t keys = (size_t)def->motion.key_count;
    pin->vertex_count = def->vertex_count;
    pin->vertices = PRC_NEW(int, def->vertex_count);
    pin->anchor = PRC_NEW(double, 3 * (size_t)def->vertex_count);
    pin->target = PRC_NEW(double, 3 * (size_t)def->vertex_count);
    pin->def.motion.keys = pin->keys = PRC_NEW(prc_pose_key, keys);
    if (!pin->vertices || !pin->anchor || !pin->target || !pin->keys)
        return PRC_FAIL_MEMORY(error);
    if (keys)
        memcpy(pin->keys, def->motion.keys, keys * sizeof *pin->keys);
    for (int k = 0; k < def->vertex_count; k++)
        pin->vertices[k] = model->internal_of[model->bodies[def->body].first_vertex + def->vertices[k]];
    return PRC_OK;
}

void prc_pin_release(prc_pin *pin)
{
    prc_free(pin->vertices);
    prc_free(pin->anchor);
    prc_free(pin->target);
    prc_free(pin->keys);
}

bool prc_pin_is_for_good(const prc_pin_def *def)
{
    return def->from <= 0 && def->until >= 1e300;
}

bool prc_pin_rests(const prc_pin_def *def)
{
    const prc_motion_def *m = &def->motion;
    bool rests = !def->animate && m->degrees_per_second == 0;
    for (int c = 0; c < 3; c++)
        rests = rests && m->velocity[c] == 0;
    for (int k = 1; k < m->key_count && rests; k++) {
        rests = m->keys[k].degrees == m->keys[0].degrees;
        for (int c = 0; c < 3; c++)
            rests = rests && m->keys[k].translate[c] == m->keys[0].translate[c] &&
                    (m->keys[0].degrees == 0 || m->keys[k].axis[c] == m->keys[0].axis[c]);
    }
    return rests;
}

static bool is_wanted(const prc_pin_def *def, double start, double end)
{
    const double slack = 1e-9 * (end - start); /* times are sums of steps */
    return end > def->from + slack && end <= def->until + slack;
}

bool prc_pin_takes_hold(const prc_pin *pin, double start, double end)
{
    return !pin->holds && is_wanted(&pin->def, start, end);
}

static void take_anchors(prc_pin *pin, const double *position, int stride)
{
    for (int k = 0; k < pin->vertex_count; k++)
        for (int c = 0; c < 3; c++)
            pin->anchor[3 * k + c] = position[(long)c * stride + pin->vertices[k]];
}

void prc_pin_stay(prc_pin *pin, const double *position, int stride)
{
    if (pin->holds && prc_pin_rests(&pin->def))
        take_anchors(pin, position, stride);
}

bool prc_pin_aim(prc_pin *pin, double start, double end, const double *position, int stride)
{
    const prc_pin_def *def = &pin->def;
    const bool wanted = is_wanted(def, start, end);
    const size_t numbers = 3 * (size_t)pin->vertex_count;
    if (wanted && !pin->holds)
        take_anchors(pin, position, stride);
    pin->holds = wanted;
    if (!wanted)
        return true;
    memcpy(pin->target, pin->anchor, numbers * sizeof *pin->target);
    if (def->animate)
        def->animate(def->animate_context, end, pin->target);
    const prc_pose pose = prc_motion_pose_since(&def->motion, fmax(def->from, 0), end);
    bool finite = true;
    for (size_t k = 0; k < numbers; k += 3) {
        const double x[3] = {pin->target[k], pin->target[k + 1], pin->target[k + 2]};
        prc_pose_apply(&pose, x, pin->target + k);
        for (size_t c = 0; c < 3; c++)
            finite = finite && isfinite(pin->target[k + c]);
    }
    return finite;
}
