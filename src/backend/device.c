/* backend/device.c — which kinds of device the library has. Every device, and every parcel, begins with a pointer to
 * its table. SPDX-License-Identifier: Apache-2.0 */
#include "backend/device.h"

#include "base/error.h"

#include <stdlib.h>

const prc_device_table *prc_device_kind(prc_backend_kind kind, prc_error *error)
{
    if (kind == PRC_BACKEND_CUDA) {
#ifdef PRC_HAVE_CUDA
        return &prc_device_cuda;
#else
        prc_fail(error, PRC_ERROR_DEVICE,
                 "this library was built without CUDA: build it with nvcc installed (-DPERCALE_CUDA=ON), or use "
                 "backend: cpu");
        return NULL;
#endif
    }
    if (kind == PRC_BACKEND_DEVICE_ON_HOST) {
#ifdef PRC_HAVE_DEVICE_ON_HOST
        return &prc_device_on_host;
#else
        prc_fail(
            error, PRC_ERROR_DEVICE,
            "device_on_host is for tests, but this library was built without tests (-DPRC_TESTS=ON); use backend: cpu");
        return NULL;
#endif
    }
    prc_fail(error, PRC_ERROR_DEVICE, "the CPU needs no device");
    return NULL;
}

prc_result prc_device_find(prc_backend_kind kind, prc_device_info *info, prc_error *error)
{
    const prc_device_table *table = prc_device_kind(kind, error);
    return table ? table->find(info, error) : PRC_ERROR_DEVICE;
}

void *prc_device_create(prc_backend_kind kind, prc_error *error)
{
    const prc_device_table *table = prc_device_kind(kind, error);
    const char *lose = getenv("PERCALE_LOSE_DEVICE");
    void *device = table ? table->create(error) : NULL;
    if (device && lose)
        table->fail_after(device, strtol(lose, NULL, 10));
    return device;
}

static const prc_device_table *table_of(void *device)
{
    return *(const prc_device_table **)device;
}

void prc_device_destroy(void *device)
{
    if (device)
        table_of(device)->destroy(device);
}

prc_result prc_device_check(void *device, prc_error *error)
{
    return table_of(device)->status(device, error);
}

void prc_device_profile(void *device, bool on)
{
    table_of(device)->profile(device, on);
}

bool prc_device_profile_next(void *device, int k, prc_device_time *time)
{
    return table_of(device)->profile_at(device, k, time);
}

void prc_device_fail_after(void *device, long launches)
{
    table_of(device)->fail_after(device, launches);
}

prc_device_counts prc_device_count(void *device)
{
    prc_device_counts counts;
    table_of(device)->count(device, &counts);
    return counts;
}

void *prc_device_parcel_create(void *device, size_t bytes, prc_error *error)
{
    return table_of(device)->parcel_create(device, bytes, error);
}

void prc_device_parcel_destroy(void *parcel)
{
    if (parcel)
        table_of(parcel)->parcel_destroy(parcel);
}

void prc_device_parcel_put(void *parcel, size_t at, const void *from, size_t bytes)
{
    table_of(parcel)->parcel_put(parcel, at, from, bytes);
}

void prc_device_parcel_send(void *parcel)
{
    table_of(parcel)->parcel_send(parcel);
}

const void *prc_device_parcel_open(void *parcel, prc_error *error)
{
    return table_of(parcel)->parcel_open(parcel, error);
}
