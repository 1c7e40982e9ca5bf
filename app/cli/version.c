/* app/cli/version.c — `percale --version`: the version, its build, the kernels that this machine can run, and its GPU.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "backend/backend.h"
#include "backend/device.h"
#include "cli.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "an unknown compiler"
#endif

/* Which OpenMP, by the date of its specification. */
#if defined(_OPENMP)
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define THREADS "OpenMP " TEXT(_OPENMP)
#else
#define THREADS "no threads"
#endif

#if defined(NDEBUG)
#define ASSERTIONS ""
#else
#define ASSERTIONS ", with assertions"
#endif

void prc_cli_version(void)
{
    printf("percale %s\n", prc_version());
    printf("  build     %s, %s%s\n", COMPILER, THREADS, ASSERTIONS);
    printf("  kernels  ");
    for (int k = 0; prc_backend_at(PRC_PRECISION_DOUBLE, k); k++)
        printf(" %s%s", k ? "" : "* ", prc_backend_at(PRC_PRECISION_DOUBLE, k)->name);
    printf(" (*: used on this machine)\n");
    prc_device_info gpu;
    prc_error error;
    if (prc_device_find(PRC_BACKEND_CUDA, &gpu, &error))
        printf("  gpu       %s\n", error.message);
    else
        printf("  gpu       %s: compute capability %d.%d, %d multiprocessors, %.0f GB; CUDA %d.%d, driver for %d.%d\n",
               gpu.name, gpu.major, gpu.minor, gpu.processors, (double)gpu.memory * 1e-9, gpu.runtime / 1000,
               gpu.runtime % 1000 / 10, gpu.driver / 1000, gpu.driver % 1000 / 10);
}
