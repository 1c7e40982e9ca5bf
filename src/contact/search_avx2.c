/* contact/search_avx2.c — the search for pairs, for machines with AVX2. See search.inl.
 *
 * The instruction set is asked for here, not in the build, so that this file is built like any other. The system's
 * headers come first: what they define stays free of it. SPDX-License-Identifier: Apache-2.0 */
#if defined(__x86_64__) || defined(__i386__)

#include <float.h>
#include <immintrin.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC target("avx2")
#endif

#define PRC_LANE 8
#define PRC_SEARCH_NAME prc_search_chunk_avx2
#include "contact/search.inl"

#ifdef __clang__
#pragma clang attribute pop
#endif

#else
#include "contact/search.h" /* a file must declare something */
#endif
