/* test/one_device.h — the device that a test program is built for: that on the host, or a GPU.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_ONE_DEVICE_H
#define PRC_TEST_ONE_DEVICE_H

#include "backend/device.h"

#ifdef PRC_DEVICE_ON_HOST
#define KIND PRC_BACKEND_DEVICE_ON_HOST
#else
#define KIND PRC_BACKEND_CUDA
#endif

/* A device for one test, or the reason why there is none. */
#define DEVICE(d)                                                                                                      \
    prc_error d##_error;                                                                                               \
    prc_device_info d##_info;                                                                                          \
    if (prc_device_find(KIND, &d##_info, &d##_error))                                                                  \
        SKIP(d##_error.message);                                                                                       \
    prc_device *d = (prc_device *)prc_device_create(KIND, &d##_error);                                                 \
    CHECK(d)

#endif
