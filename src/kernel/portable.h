/* kernel/portable.h — what a function of src/kernel is declared with, so that C, C++ and CUDA take it alike.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_PORTABLE_H
#define PRC_KERNEL_PORTABLE_H

#ifdef __CUDACC__
#define PRC_INLINE static __host__ __device__ inline
#else
#define PRC_INLINE static inline __attribute__((always_inline))
#endif

#endif
