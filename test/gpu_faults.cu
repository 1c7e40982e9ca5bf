/* test/gpu_faults.cu — see gpu_faults.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "gpu_faults.h"

#define MOST_BLOCKS 256
#define SMALLEST ((size_t)1 << 20)

static void *taken[MOST_BLOCKS];
static int taken_count;

bool gpu_take_memory(size_t leave)
{
    size_t unused = 0, total = 0;
    if (cudaMemGetInfo(&unused, &total) != cudaSuccess)
        return false;
    /* In ever smaller blocks: not all that is free can be had in one. */
    for (size_t bytes = unused; bytes >= SMALLEST && taken_count < MOST_BLOCKS;) {
        if (cudaMemGetInfo(&unused, &total) != cudaSuccess)
            return false;
        if (unused <= leave + SMALLEST)
            return true;
        if (bytes > unused - leave)
            bytes = unused - leave;
        if (cudaMalloc(&taken[taken_count], bytes) == cudaSuccess) {
            taken_count++;
        } else {
            cudaGetLastError();
            bytes /= 2;
        }
    }
    return taken_count > 0;
}

void gpu_give_memory(void)
{
    while (taken_count > 0)
        cudaFree(taken[--taken_count]);
    cudaGetLastError();
}

static __global__ void nothing()
{
}

void gpu_launch_too_many(void)
{
    nothing<<<1, 1 << 20>>>();
}

static __global__ void astray(int microseconds, int *where)
{
    for (int k = 0; k < microseconds; k++)
        __nanosleep(1000);
    *(volatile int *)where = 1;
}

bool gpu_write_astray(int after)
{
    cudaStream_t stream;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess)
        return false;
    astray<<<1, 1, 0, stream>>>(after, (int *)16);
    return cudaGetLastError() == cudaSuccess;
}
