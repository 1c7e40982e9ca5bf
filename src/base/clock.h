/* base/clock.h — the wall clock, for the times in reports.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_CLOCK_H
#define PRC_BASE_CLOCK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Seconds from an arbitrary start; costs some 20 ns. */
double prc_seconds(void);

#ifdef __cplusplus
}
#endif
#endif
