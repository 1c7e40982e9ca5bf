/* base/memory.c — see memory.h. Every block carries the pointer the allocator gave, so that any allocator can be
 * aligned. SPDX-License-Identifier: Apache-2.0 */
#include "base/memory.h"

#include <percale/base.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Where a sanitizer watches, it is told where the caller's part of a block ends; else the room left by the alignment
 * would hide accesses behind the end. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(WATCHED)
#include <sanitizer/asan_interface.h>
#define HIDE(from, size) ASAN_POISON_MEMORY_REGION(from, size)
#define SHOW(from, size) ASAN_UNPOISON_MEMORY_REGION(from, size)
#else
#define HIDE(from, size) ((void)0)
#define SHOW(from, size) ((void)0)
#endif

/* What stands before the caller's part. */
typedef struct header {
    char *raw;    /* as the allocator gave it */
    size_t bytes; /* of the whole block */
} header;

/* Zero: of a large block the system gives pages that are, when they are first touched; so what is reserved and never
 * used costs nothing. */
static void *default_allocate(size_t size, void *context)
{
    (void)context;
    return calloc(size, 1);
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
    const size_t extra = PRC_ALIGNMENT + sizeof(header);
    if (size && count > (SIZE_MAX - extra) / size)
        return NULL;
    size_t bytes = count * size;
    char *raw = allocator.allocate(bytes + extra, allocator.context);
    if (!raw)
        return NULL;
    atomic_fetch_add(&allocations, 1);
    uintptr_t start = ((uintptr_t)raw + sizeof(header) + PRC_ALIGNMENT - 1) / PRC_ALIGNMENT * PRC_ALIGNMENT;
    char *memory = raw + (start - (uintptr_t)raw);
    const header head = {raw, bytes + extra};
    memcpy(memory - sizeof head, &head, sizeof head);
    if (allocator.allocate != default_allocate)
        memset(memory, 0, bytes);
    HIDE(memory + bytes, (size_t)(raw + bytes + extra - (memory + bytes)));
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
    header head;
    memcpy(&head, (char *)memory - sizeof head, sizeof head);
    SHOW(head.raw, head.bytes);
    allocator.release(head.raw, allocator.context);
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
