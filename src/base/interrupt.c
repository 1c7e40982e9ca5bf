/* base/interrupt.c — see interrupt.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/interrupt.h"

#include "base/clock.h"
#include "base/error.h"

/* Seconds between two questions. The answer may take some time: that of a Python program waits for its other threads.
 */
#define OFTEN 0.05

void prc_interrupt_begin(prc_interrupt *interrupt)
{
    interrupt->came = 0;
}

bool prc_interrupt_came(const prc_interrupt *interrupt)
{
    int came = 0;
    if (interrupt) {
#pragma omp atomic read
        came = interrupt->came;
    }
    return came != 0;
}

bool prc_interrupt_ask(prc_interrupt *interrupt)
{
    if (!interrupt || !interrupt->wanted || prc_interrupt_came(interrupt))
        return prc_interrupt_came(interrupt);
    const int came = interrupt->wanted(interrupt->context);
    interrupt->asked = prc_seconds();
#pragma omp atomic write
    interrupt->came = came;
    return came;
}

bool prc_interrupt_ask_often(prc_interrupt *interrupt)
{
    if (!interrupt || !interrupt->wanted || prc_seconds() - interrupt->asked < OFTEN)
        return prc_interrupt_came(interrupt);
    return prc_interrupt_ask(interrupt);
}

prc_result prc_interrupt_fail(prc_error *error)
{
    return prc_fail(error, PRC_ERROR_STOPPED, "stopped by the caller; the state before the step is kept");
}
