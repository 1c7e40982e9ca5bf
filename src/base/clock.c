/* base/clock.c — see clock.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

double prc_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
