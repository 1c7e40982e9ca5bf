/* app/cli/machine.h — the machine of a run, for reports.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_MACHINE_H
#define PRC_CLI_MACHINE_H

typedef struct prc_machine {
    char processor[120]; /* "Intel(R) Xeon(R) …", or the architecture where that is not told */
    char system[160];    /* kernel and its release, and the distribution where it says what it is */
    int processors;      /* that this program may use */
    double memory;       /* bytes; 0: unknown */
} prc_machine;

prc_machine prc_machine_find(void);

#endif
