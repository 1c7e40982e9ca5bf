/* base/hash.c — see hash.h.
 *
 * Words of 8 bytes, each mixed in by a multiplication and a shift, both invertible: two inputs that differ in one word
 * can only collide through a later one. SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

uint64_t prc_hash(uint64_t hash, const void *data, size_t size)
{
    const char *at = data;
    for (; size >= sizeof(uint64_t); size -= sizeof(uint64_t), at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = mix(hash, word);
    }
    if (size > 0) { /* never 8 bytes of zeros: the length is in the last one */
        unsigned char last[sizeof(uint64_t)] = {0};
        uint64_t word;
        memcpy(last, at, size);
        last[7] = (unsigned char)size;
        memcpy(&word, last, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}
