/* base/hash.h — 64-bit hashes of bytes: to detect differences, not to prevent forgery.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_BASE_HASH_H
#define PRC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define PRC_HASH_START 0xcbf29ce484222325u

/* Goes on from `hash` over `size` bytes; any change of one bit of them changes the result. */
uint64_t prc_hash(uint64_t hash, const void *data, size_t size);

#endif
