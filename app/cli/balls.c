/* app/cli/balls.c — see balls.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "balls.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "colliders.h"
#include "quantity.h"

double *prc_cli_radii(const double *radius, int vertex_count, const int *shapes, int shape_count, int *count)
{
    double *radii = PRC_NEW(double, vertex_count);
    *count = 0;
    for (int i = 0; radii && i < vertex_count; i++)
        radii[i] = radius[i] > 0 && isfinite(radius[i]) ? radius[i] : 0;
    for (long k = 0; radii && k < 3L * shape_count; k++)
        radii[shapes[k]] = 0;
    for (int i = 0; radii && i < vertex_count; i++)
        *count += radii[i] > 0;
    return radii;
}

static void tell_other(const prc_check_overlap *o, const prc_cli_vertex v[3], int collider, char *text, size_t size)
{
    const int numbers[3] = {v[0].number, v[1].number, v[2].number};
    const char *of = v[0].part[0] ? " of " : "";
    char item[PRC_CLI_ITEM];
    if (o->with == PRC_CHECK_COLLIDER)
        snprintf(text, size, "colliders[%d]", collider);
    else if (o->with == PRC_CHECK_BALL)
        snprintf(text, size, "particle %d%s%s", v[0].number, of, v[0].part);
    else
        snprintf(text, size, "%s%s%s", prc_cli_tell_item(numbers, item), of, v[0].part);
}

const char *prc_cli_tell_overlap(const prc_check_overlap *o, const prc_cli_vertex *ball, const prc_cli_vertex others[3],
                                 int collider, char text[PRC_CLI_OVERLAP])
{
    char other[160], depth[PRC_QUANTITY];
    tell_other(o, others, collider, other, sizeof other);
    snprintf(text, PRC_CLI_OVERLAP, "particle %d%s%s and %s are %s nearer than allowed at (%.6g, %.6g, %.6g)",
             ball->number, ball->part[0] ? " of " : "", ball->part, other, prc_quantity_length(o->depth, depth),
             o->point[0], o->point[1], o->point[2]);
    return text;
}
