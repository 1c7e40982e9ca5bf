/* test/gpu_faults.h — what can go wrong on a GPU, on purpose: for test_gpu_errors.c, in a process of its own.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_GPU_FAULTS_H
#define PRC_TEST_GPU_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes the GPU's memory but for `leave` bytes, until it is given back. */
bool gpu_take_memory(size_t leave);
void gpu_give_memory(void);

/* A launch that the GPU refuses: more threads in a block than there can be. The error is left for whoever asks next. */
void gpu_launch_too_many(void);

/* After so many microseconds a kernel writes where there is no memory: nothing can be done with the GPU after that, as
 * when it is lost. Does not wait. */
bool gpu_write_astray(int after);

#ifdef __cplusplus
}
#endif
#endif
