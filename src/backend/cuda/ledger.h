/* backend/cuda/ledger.h — what a device keeps of its own doings, on a GPU and on the host alike: the first error,
 * counts, times by name.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BACKEND_CUDA_LEDGER_H
#define PRC_BACKEND_CUDA_LEDGER_H

#include "backend/cuda/device.h"

#include "base/memory.h"

#include <string.h>

PRC_DEVICE_BEGIN

#define PRC_LEDGER_NAMES 256

struct prc_ledger {
    prc_error error;  /* the first; code PRC_OK for none */
    bool can_forgive; /* the error has left the device whole */
    const char *last; /* what was launched last, for messages */
    long fail_after;  /* launches; 0: never */
    prc_device_counts counts;
    bool profiling;
    int name_count;
    prc_device_time times[PRC_LEDGER_NAMES];
};

/* A launch under that name; false where a test wants the device to be lost now. */
static inline bool prc_ledger_launch(prc_ledger *ledger, const char *name)
{
    ledger->counts.launches++;
    ledger->last = name;
    if (ledger->fail_after == 0 || --ledger->fail_after > 0)
        return true;
    prc_fail(&ledger->error, PRC_ERROR_DEVICE, "the device was lost in '%s', as a test asked for", name);
    return false;
}

/* Out of memory for a parcel: the error is told, and the device goes on without it. */
static inline void prc_parcel_refused(prc_device *d, prc_error *error)
{
    prc_device_status(d, error);
    prc_device_forgive(d);
}

/* Entry of a name, made where there is none; the last one takes what does not fit. */
static inline int prc_ledger_entry(prc_ledger *ledger, const char *name)
{
    for (int k = 0; k < ledger->name_count; k++)
        if (ledger->times[k].name == name || !strcmp(ledger->times[k].name, name))
            return k;
    if (ledger->name_count == PRC_LEDGER_NAMES)
        return PRC_LEDGER_NAMES - 1;
    prc_device_time none = {name, 0, 0};
    ledger->times[ledger->name_count] = none;
    return ledger->name_count++;
}

static inline void prc_ledger_add(prc_ledger *ledger, int entry, double seconds)
{
    ledger->times[entry].calls++;
    ledger->times[entry].seconds += seconds;
}

/* The k-th longest. */
static inline bool prc_ledger_at(prc_ledger *ledger, int k, prc_device_time *time)
{
    if (k < 0 || k >= ledger->name_count)
        return false;
    prc_device_time *times = ledger->times;
    for (int i = 1; i < ledger->name_count; i++) {
        const prc_device_time moving = times[i];
        int j = i;
        for (; j > 0 && times[j - 1].seconds < moving.seconds; j--)
            times[j] = times[j - 1];
        times[j] = moving;
    }
    *time = times[k];
    return true;
}

PRC_DEVICE_END

#endif
