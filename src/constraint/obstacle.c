/* constraint/obstacle.c — see obstacle.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "constraint/obstacle.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

prc_result prc_obstacle_create(prc_obstacle *o, const prc_obstacle_def *def, prc_error *error)
{
    const size_t numbers = 3 * (size_t)def->mesh->vertex_count, keys = (size_t)def->motion.key_count;
    o->vertex_count = def->mesh->vertex_count;
    o->animate = def->animate;
    o->context = def->animate_context;
    o->motion = def->motion;
    o->shape = PRC_NEW(double, numbers);
    o->motion.keys = o->keys = PRC_NEW(prc_pose_key, keys);
    if (!o->shape || !o->keys)
        return PRC_FAIL_MEMORY(error);
    memcpy(o->shape, def->mesh->positions, numbers * sizeof *o->shape);
    if (keys)
        memcpy(o->keys, def->motion.keys, keys * sizeof *o->keys);
    return PRC_OK;
}

void prc_obstacle_release(prc_obstacle *o)
{
    prc_free(o->shape);
    prc_free(o->keys);
}

bool prc_obstacle_target(prc_obstacle *o, double time, const prc_pose *pose, double *target)
{
    if (o->animate)
        o->animate(o->context, time, o->shape);
    bool finite = true;
    for (long i = 0; i < o->vertex_count; i++) {
        prc_pose_apply(pose, o->shape + 3 * i, target + 3 * i);
        for (int c = 0; c < 3; c++)
            finite = finite && isfinite(target[3 * i + c]);
    }
    return finite;
}
