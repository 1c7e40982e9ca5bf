/* test/fuzz/serial/omp.h — what percale uses of OpenMP, for builds without it: fuzzing wants one thread and few
 * libraries.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SERIAL_OMP_H
#define PRC_SERIAL_OMP_H

static inline int omp_get_thread_num(void)
{
    return 0;
}

static inline int omp_get_num_procs(void)
{
    return 1;
}

#endif
