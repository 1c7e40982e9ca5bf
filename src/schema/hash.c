/* schema/hash.c — a hash of all keys of a def, from the schema list: keys that are added later are included
 * automatically.
 *
 * Texts are left out, because names do not affect the simulation. SPDX-License-Identifier: Apache-2.0 */
#include "base/hash.h"
#include "schema/schema.h"

#include <string.h>

static int count_at(const prc_key *key, const char *def)
{
    int count;
    memcpy(&count, def + key->count_offset, sizeof count);
    return count;
}

static uint64_t hash_items(const prc_key *key, const char *items, int count, uint64_t hash)
{
    hash = prc_hash(hash, &count, sizeof count);
    for (int i = 0; i < count; i++)
        hash = prc_schema_hash(key->table, items + (size_t)i * prc_schema_table(key->table)->size, hash);
    return hash;
}

static uint64_t hash_key(const prc_key *key, const char *def, uint64_t hash)
{
    const char *field = def + key->offset, *items;
    const size_t most = (size_t)key->count;
    switch (key->type) {
    case PRC_KEY_REAL:
    case PRC_KEY_VECTOR:
        return prc_hash(hash, field, most * sizeof(double));
    case PRC_KEY_INT:
    case PRC_KEY_INTS:
    case PRC_KEY_BODIES:
    case PRC_KEY_ENUM:
    case PRC_KEY_NAMES:
    case PRC_KEY_VARIANT:
        return prc_hash(hash, field, most * sizeof(int));
    case PRC_KEY_BOOL:
        return prc_hash(hash, field, sizeof(bool));
    case PRC_KEY_REALS:
        return prc_hash(hash, field, (size_t)count_at(key, def) * sizeof(double));
    case PRC_KEY_PAIRS:
        return prc_hash(hash, field, 2 * (size_t)count_at(key, def) * sizeof(double));
    case PRC_KEY_ARRAY:
        return hash_items(key, field, count_at(key, def), hash);
    case PRC_KEY_LIST:
        memcpy(&items, field, sizeof items);
        return hash_items(key, items, count_at(key, def), hash);
    case PRC_KEY_INT_LIST:
        memcpy(&items, field, sizeof items);
        return prc_hash(hash, items, (size_t)count_at(key, def) * sizeof(int));
    default:
        return hash;
    }
}

uint64_t prc_schema_hash(prc_table_id id, const void *def, uint64_t hash)
{
    const prc_table *table = prc_schema_table(id);
    for (int k = 0; k < table->key_count; k++) {
        const prc_key *key = &table->keys[k];
        const bool nested = key->type == PRC_KEY_TABLE || key->type == PRC_KEY_VARIANT;
        if (key->offset < table->core_size)
            hash = hash_key(key, def, hash);
        if (nested && key->table_offset < table->core_size)
            hash = prc_schema_hash(key->table, (const char *)def + key->table_offset, hash);
    }
    return hash;
}
