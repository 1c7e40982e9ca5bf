/* base/memory.c — see memory.h. Every block carries the pointer the allocator gave, so that any allocator can be
 * aligned. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <percale/base.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void *default_allocate(size_t size, void *context)
{
    (void)context;
    return malloc(size);
}

static void default_release(void *memory, void *context)
{
    (void)context;
    free(memory);
}

static prc_allocator allocator = {default_allocate, default_release, NULL};
static atomic_size_t allocations;

void prc_set_allocator(prc_allocator wanted)
{
    if (!wanted.allocate || !wanted.release)
        wanted = (prc_allocator){default_allocate, default_release, NULL};
    allocator = wanted;
}

void *prc_alloc(size_t count, size_t size)
{
    const size_t extra = PRC_ALIGNMENT + sizeof(void *);
    if (size && count > (SIZE_MAX - extra) / size)
        return NULL;
    size_t bytes = count * size;
    char *raw = allocator.allocate(bytes + extra, allocator.context);
    if (!raw)
        return NULL;
    atomic_fetch_add(&allocations, 1);
    uintptr_t start = ((uintptr_t)raw + sizeof(void *) + PRC_ALIGNMENT - 1) / PRC_ALIGNMENT * PRC_ALIGNMENT;
    char *memory = raw + (start - (uintptr_t)raw);
    memcpy(memory - sizeof(void *), &raw, sizeof(void *));
    memset(memory, 0, bytes);
    return memory;
}

void *prc_grow(void *memory, size_t old_count, size_t new_count, size_t size)
{
    void *grown = prc_alloc(new_count, size);
    if (!grown)
        return NULL;
    if (memory)
        memcpy(grown, memory, (old_count < new_count ? old_count : new_count) * size);
    prc_free(memory);
    return grown;
}

void prc_free(void *memory)
{
    if (!memory)
        return;
    void *raw;
    memcpy(&raw, (char *)memory - sizeof(void *), sizeof(void *));
    allocator.release(raw, allocator.context);
}

char *prc_string_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = prc_alloc(size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

size_t prc_alloc_count(void)
{
    return atomic_load(&allocations);
}
