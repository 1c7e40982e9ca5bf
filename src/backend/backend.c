/* backend/backend.c — which kernels this machine can run, and which a scene gets. The CPU kernels are compiled once per
 * precision and instruction set; all of them give the same bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"

#include "backend/device.h"

/* Below this many vertices a GPU gains nothing: its launches take longer than the CPU's loops. */
#define DEVICE_FROM 5000

extern const prc_backend prc_backend_cpu_float_baseline, prc_backend_cpu_double_baseline;

#if (defined(__x86_64__) || defined(__i386__)) && !defined(PRC_BASELINE_ONLY)
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

prc_result prc_backend_resolve(prc_backend_kind wanted, int vertex_count, prc_backend_kind *kind, prc_error *error)
{
    prc_device_info info;
    *kind = wanted;
    if (wanted == PRC_BACKEND_AUTO) {
        const bool gains = vertex_count >= DEVICE_FROM && prc_device_find(PRC_BACKEND_CUDA, &info, NULL) == PRC_OK;
        *kind = gains ? PRC_BACKEND_CUDA : PRC_BACKEND_CPU;
        return PRC_OK;
    }
    return wanted == PRC_BACKEND_CPU ? PRC_OK : prc_device_find(wanted, &info, error);
}
