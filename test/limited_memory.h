/* test/limited_memory.h — an allocator that fails after some allocations, for claims about what happens then:
 *
 *     allocations_left = limit;
 *     prc_set_allocator((prc_allocator){limited_allocate, plain_release, NULL});
 *     ...
 *     prc_set_allocator((prc_allocator){0});
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_LIMITED_MEMORY_H
#define PRC_TEST_LIMITED_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

static int allocations_left; /* before the next one fails */

static void *limited_allocate(size_t size, void *context)
{
    (void)context;
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void plain_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

#endif
