/* kernel/portable.h — how functions of kernel headers are declared, so that CPU and device compile the same ones.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_KERNEL_PORTABLE_H
#define PRC_KERNEL_PORTABLE_H

/* PRC_INLINE: small ones, always inlined. PRC_FUNCTION: large ones, where the compiler may decide. PRC_CALLED: large
 * and rare ones, which would cost a kernel registers that it needs all the time. */
#ifdef __CUDACC__
#define PRC_CALLED static __host__ __device__ __noinline__ __attribute__((unused))
#define PRC_INLINE static __host__ __device__ __forceinline__
#define PRC_FUNCTION static __host__ __device__ inline
#else
#define PRC_INLINE static inline __attribute__((always_inline))
#define PRC_FUNCTION static inline
#define PRC_CALLED static inline
#endif

/* Before a loop of constant length over an array. A GPU has arrays in registers only where every place is known when
 * the code is compiled; others go to memory. PRC_ROLLED: it is to stay a loop. */
#ifdef __CUDA_ARCH__
#define PRC_UNROLL _Pragma("unroll")
#define PRC_ROLLED _Pragma("unroll 1")
#else
#define PRC_UNROLL
#define PRC_ROLLED
#endif

#endif
