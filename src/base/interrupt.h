/* base/interrupt.h — asks the caller whether to stop the step in progress, and remembers a yes for the rest of the
 * step.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_INTERRUPT_H
#define PRC_BASE_INTERRUPT_H

#include <percale/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct prc_interrupt {
    bool (*wanted)(void *context); /* the caller's; NULL: never */
    void *context;
    int came;     /* since prc_interrupt_begin */
    double asked; /* when the caller was asked last, by the clock, s */
} prc_interrupt;

/* From here on nothing is known of a wish. */
void prc_interrupt_begin(prc_interrupt *interrupt);
/* Asks the caller, unless he has said so already. From the thread that takes the step only, as the next one: what the
 * caller does may not bear another. `interrupt` may be NULL, here and below: then nobody ever wants it. */
bool prc_interrupt_ask(prc_interrupt *interrupt);
/* The same, but no more often than is of use: for loops whose rounds are short. */
bool prc_interrupt_ask_often(prc_interrupt *interrupt);
/* What is known. From any thread. */
bool prc_interrupt_came(const prc_interrupt *interrupt);
prc_result prc_interrupt_fail(prc_error *error);

#ifdef __cplusplus
}
#endif
#endif
