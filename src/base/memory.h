/* base/memory.h — memory from the user's allocator, zeroed and aligned for streaming.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_MEMORY_H
#define PRC_BASE_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PRC_ALIGNMENT 64 /* a cache line, and the widest vector */

/* Zeroed, aligned to PRC_ALIGNMENT; NULL when out of memory or when count·size overflows. count may be 0. */
void *prc_alloc(size_t count, size_t size);
void *prc_grow(void *memory, size_t old_count, size_t new_count, size_t size); /* moves; NULL leaves `memory` alone */
void prc_free(void *memory);
char *prc_string_copy(const char *text);

#define PRC_NEW(type, count) ((type *)prc_alloc((size_t)(count), sizeof(type)))

/* Allocations made so far by the library; a step must not change it. */
size_t prc_alloc_count(void);

#ifdef __cplusplus
}
#endif
#endif
