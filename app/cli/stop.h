/* app/cli/stop.h — stops a run early: Ctrl-C and SIGTERM.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_STOP_H
#define PRC_CLI_STOP_H

#include <stdbool.h>

/* From now on the first SIGINT or SIGTERM is kept for others to find; one that comes more than a second later ends the
 * program. Unless `quiet`, the first one is answered. */
void prc_stop_catch(bool quiet);
/* A file that may not grow (ulimit -f) is an error of writing, and does not end the program. */
void prc_stop_ignore_limits(void);
/* The signal that came, or 0. */
int prc_stop_signal(void);

#endif
