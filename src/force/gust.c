/* force/gust.c — the velocity of the air, for users of the library.
 * SPDX-License-Identifier: Apache-2.0 */
#include "kernel/air.h"

void prc_air_velocity(const prc_air_def *air, const double x[3], double time, double velocity[3])
{
    prc_air_flow(air, x, time, velocity);
}
