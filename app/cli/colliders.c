/* app/cli/colliders.c — see colliders.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "colliders.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/colliders.h"
#include "quantity.h"

bool prc_cli_collider_posed(const prc_collider_def *def, const double pose[PRC_CLI_POSE], prc_check_collider *s)
{
    if (isnan(pose[0]))
        return false;
    prc_collider_measure(def, s);
    memcpy(s->turn, pose, sizeof s->turn);
    memcpy(s->shift, pose + 9, sizeof s->shift);
    return true;
}

void prc_cli_poses(const prc_collider_def *defs, int count, const prc_sim *sim, double *poses)
{
    for (int k = 0; k < count; k++) {
        double *pose = poses + (long)PRC_CLI_POSE * k;
        prc_check_collider s;
        if (prc_collider_now(&defs[k], sim, k, &s)) {
            memcpy(pose, s.turn, sizeof s.turn);
            memcpy(pose + 9, s.shift, sizeof s.shift);
        } else {
            for (int c = 0; c < PRC_CLI_POSE; c++)
                pose[c] = NAN;
        }
    }
}

char *prc_cli_colliders_tell(const prc_collider_def *defs, int count, const double *poses, bool with_meshes)
{
    const size_t size = 40 + (size_t)count * PRC_COLLIDER_LINE;
    char *text = prc_alloc(size, 1), line[PRC_COLLIDER_LINE];
    char *at = text ? text + snprintf(text, size, "colliders %d", count) : NULL;
    for (int k = 0; text && k < count; k++) {
        prc_check_collider collider;
        if (!prc_cli_collider_posed(&defs[k], poses + (long)PRC_CLI_POSE * k, &collider) ||
            (defs[k].shape == PRC_SHAPE_MESH && !with_meshes))
            continue;
        prc_collider_tell(line, k, &collider);
        at += snprintf(at, size - (size_t)(at - text), "\n%s", line);
    }
    return text;
}

const char *prc_cli_tell_item(const int v[3], char text[PRC_CLI_ITEM])
{
    if (v[0] == v[1] && v[1] == v[2])
        snprintf(text, PRC_CLI_ITEM, "vertex %d", v[0]);
    else if (v[0] == v[1] || v[1] == v[2] || v[0] == v[2])
        snprintf(text, PRC_CLI_ITEM, "edge %d %d", v[0], v[0] == v[1] ? v[2] : v[1]);
    else
        snprintf(text, PRC_CLI_ITEM, "triangle %d %d %d", v[0], v[1], v[2]);
    return text;
}

const char *prc_cli_tell_inside(const prc_check_meeting *m, char text[PRC_CLI_ITEM])
{
    char depth[PRC_QUANTITY];
    if (m->undecided)
        snprintf(text, PRC_CLI_ITEM, "is too close to tell apart from");
    else if (m->depth > 0)
        snprintf(text, PRC_CLI_ITEM, "is %s inside", prc_quantity_length(m->depth, depth));
    else
        snprintf(text, PRC_CLI_ITEM, "is pierced by");
    return text;
}
