/* force/gust.h — gusts of wind: a smooth random field of time and place. docs/theory.md, section 11.4.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FORCE_GUST_H
#define PRC_FORCE_GUST_H

#include <percale/sim.h>

/* Velocity of the gusts alone at a place and time, m/s. */
void prc_gust_at(const prc_air_def *air, const double x[3], double time, double velocity[3]);

#endif
