/* contact/ccd.c — continuous collision detection of single pairs, for users.
 * SPDX-License-Identifier: Apache-2.0 */
#include <percale/ccd.h>
#include <stddef.h>

#include "kernel/accd.h"

/* A separation that is not a number stays so, and makes every answer yes. */
static double not_negative(double separation)
{
    return separation < 0 ? 0 : separation;
}

static bool answer(double safe, double *time)
{
    if (time)
        *time = safe;
    return safe < 1;
}

bool prc_ccd_point_triangle(const double start[4][3], const double end[4][3], double separation, double *time)
{
    return answer(prc_accd_point_triangle(start, end, not_negative(separation), PRC_ACCD_KEEP), time);
}

bool prc_ccd_edge_edge(const double start[4][3], const double end[4][3], double separation, double *time)
{
    return answer(prc_accd_edge_edge(start, end, not_negative(separation), PRC_ACCD_KEEP), time);
}
