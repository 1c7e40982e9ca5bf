/* backend/backend.c — which kernels this machine can run, and which a scene gets. The CPU kernels are compiled once per
 * precision and instruction set; all of them give the same bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"

#include "backend/device.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* From this many vertices on a GPU is taken: a large one gains from 500 on, 4 times here (docs/performance.md). */
#define DEVICE_FROM 2000

extern const prc_backend prc_backend_cpu_float_baseline, prc_backend_cpu_double_baseline;

#if (defined(__x86_64__) || defined(__i386__)) && !defined(PRC_BASELINE_KERNELS)
extern const prc_backend prc_backend_cpu_float_avx2, prc_backend_cpu_double_avx2;
extern const prc_backend prc_backend_cpu_float_avx512, prc_backend_cpu_double_avx512;

static const prc_backend *const tables[2][3] = {
    {&prc_backend_cpu_float_avx512, &prc_backend_cpu_float_avx2, &prc_backend_cpu_float_baseline},
    {&prc_backend_cpu_double_avx512, &prc_backend_cpu_double_avx2, &prc_backend_cpu_double_baseline},
};

/* Index of the first table that runs here. */
static int first_table(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        return 0;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return 1;
    return 2;
}
#define TABLE_COUNT 3
#else
static const prc_backend *const tables[2][1] = {{&prc_backend_cpu_float_baseline}, {&prc_backend_cpu_double_baseline}};

static int first_table(void)
{
    return 0;
}
#define TABLE_COUNT 1
#endif

const prc_backend *prc_backend_at(prc_precision precision, int index)
{
    int k = first_table() + index;
    return k < TABLE_COUNT ? tables[precision == PRC_PRECISION_DOUBLE][k] : NULL;
}

#ifdef PRC_HAVE_CUDA
extern const prc_backend prc_backend_cuda_float, prc_backend_cuda_double;
#endif
#ifdef PRC_HAVE_DEVICE_ON_HOST
extern const prc_backend prc_backend_on_host_float, prc_backend_on_host_double;
#endif

const prc_backend *prc_backend_choose(prc_backend_kind kind, prc_precision precision)
{
    switch (kind) {
    case PRC_BACKEND_CPU:
        return prc_backend_at(precision, 0);
#ifdef PRC_HAVE_CUDA
    case PRC_BACKEND_CUDA:
        return precision == PRC_PRECISION_DOUBLE ? &prc_backend_cuda_double : &prc_backend_cuda_float;
#endif
#ifdef PRC_HAVE_DEVICE_ON_HOST
    case PRC_BACKEND_DEVICE_ON_HOST:
        return precision == PRC_PRECISION_DOUBLE ? &prc_backend_on_host_double : &prc_backend_on_host_float;
#endif
    default:
        return NULL;
    }
}

/* What AUTO stands for, by the environment: for programs that do not ask, and for tests. */
static prc_result asked_outside(prc_backend_kind *kind, prc_error *error)
{
    static const char *const names[] = {"auto", "cpu", "cuda", "device_on_host"};
    const char *value = getenv("PERCALE_BACKEND");
    *kind = PRC_BACKEND_AUTO;
    if (!value || !*value)
        return PRC_OK;
    for (int k = 0; k < 4; k++)
        if (!strcmp(value, names[k])) {
            *kind = (prc_backend_kind)k;
            return PRC_OK;
        }
    return prc_fail(error, PRC_ERROR_INPUT,
                    "the environment variable PERCALE_BACKEND is '%s'; expected one of auto, cpu, cuda, device_on_host",
                    value);
}

prc_result prc_backend_resolve(prc_backend_kind wanted, int vertex_count, prc_backend_kind *kind, prc_error *error)
{
    prc_device_info info;
    *kind = wanted;
    if (wanted == PRC_BACKEND_AUTO && asked_outside(kind, error) != PRC_OK)
        return PRC_ERROR_INPUT;
    if (*kind == PRC_BACKEND_AUTO) {
        const bool gains = vertex_count >= DEVICE_FROM && prc_device_find(PRC_BACKEND_CUDA, &info, NULL) == PRC_OK;
        *kind = gains ? PRC_BACKEND_CUDA : PRC_BACKEND_CPU;
        return PRC_OK;
    }
    return *kind == PRC_BACKEND_CPU ? PRC_OK : prc_device_find(*kind, &info, error);
}
