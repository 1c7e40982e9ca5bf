/* backend/backend.c — which kernels this machine can run. The CPU kernels are compiled once per precision and
 * instruction set; all of them give the same bits.
 * SPDX-License-Identifier: Apache-2.0 */
#include "backend/backend.h"

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

const prc_backend *prc_backend_choose(prc_precision precision)
{
    return prc_backend_at(precision, 0);
}
