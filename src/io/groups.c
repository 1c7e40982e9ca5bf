/* io/groups.c — see groups.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/groups.h"

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. */
static uint32_t hash_name(const char *name, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t k = 0; k < length; k++)
        hash = (hash ^ (unsigned char)name[k]) * 16777619u;
    return hash;
}

/* The place of the name in the table: its own, or the free one where it belongs. */
static int *find_slot(const prc_groups *g, const char *name, size_t length)
{
    const uint32_t mask = (uint32_t)g->table_size - 1;
    for (uint32_t at = hash_name(name, length) & mask;; at = (at + 1) & mask) {
        int *slot = &g->table[at];
        if (!*slot || (strlen(g->names[*slot - 1]) == length && memcmp(g->names[*slot - 1], name, length) == 0))
            return slot;
    }
}

/* Keeps the table at most half full. */
static bool make_room(prc_groups *g)
{
    if (g->count < g->capacity)
        return true;
    const int capacity = g->capacity ? 2 * g->capacity : 16;
    char **names = prc_grow(g->names, (size_t)g->count, (size_t)capacity, sizeof *names);
    if (!names)
        return false;
    g->names = names;
    int *table = PRC_NEW(int, 2 * (size_t)capacity);
    if (!table)
        return false;
    prc_free(g->table);
    g->table = table;
    g->table_size = 2 * capacity;
    g->capacity = capacity;
    for (int k = 0; k < g->count; k++)
        *find_slot(g, g->names[k], strlen(g->names[k])) = k + 1;
    return true;
}

int prc_groups_find(prc_groups *g, const char *name, size_t length, const char *path, prc_error *error)
{
    const char *zero = memchr(name, '\0', length); /* a name ends there, or the table would not know it again */
    length = zero ? (size_t)(zero - name) : length;
    if (g->table_size) {
        const int *slot = find_slot(g, name, length);
        if (*slot)
            return *slot - 1;
    }
    if (g->count == PRC_MOST_GROUPS) {
        prc_fail(error, PRC_ERROR_INPUT, "%s: more than %d groups", path, PRC_MOST_GROUPS);
        return -1;
    }
    char *copy = make_room(g) ? prc_alloc(length + 1, 1) : NULL;
    if (!copy) {
        PRC_FAIL_MEMORY(error);
        return -1;
    }
    memcpy(copy, name, length);
    *find_slot(g, name, length) = g->count + 1;
    g->names[g->count] = copy;
    return g->count++;
}

prc_result prc_groups_add(prc_groups *g, int group, int vertex, prc_error *error)
{
    if (g->member_count == g->member_capacity) {
        const long long capacity = g->member_capacity ? 2 * g->member_capacity : 1024;
        void *grown = prc_grow(g->members, (size_t)g->member_count, (size_t)capacity, sizeof *g->members);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        g->members = grown;
        g->member_capacity = capacity;
    }
    g->members[g->member_count][0] = group;
    g->members[g->member_count++][1] = vertex;
    return PRC_OK;
}

static int compare_members(const void *left, const void *right)
{
    const int *a = left, *b = right;
    const int k = a[0] == b[0];
    return (a[k] > b[k]) - (a[k] < b[k]);
}

/* From sorted members to lists. */
static prc_result fill(prc_groups *g, prc_mesh *mesh, prc_error *error)
{
    mesh->groups = PRC_NEW(prc_mesh_group, g->count);
    if (!mesh->groups)
        return PRC_FAIL_MEMORY(error);
    for (long long k = 0, next; k < g->member_count; k = next) {
        const int group = g->members[k][0];
        int count = 1;
        for (next = k + 1; next < g->member_count && g->members[next][0] == group; next++)
            count += g->members[next][1] != g->members[next - 1][1];
        prc_mesh_group *to = &mesh->groups[mesh->group_count];
        to->vertices = PRC_NEW(int, count);
        if (!to->vertices)
            return PRC_FAIL_MEMORY(error);
        for (long long m = k; m < next; m++)
            if (m == k || g->members[m][1] != g->members[m - 1][1])
                to->vertices[to->vertex_count++] = g->members[m][1];
        to->name = g->names[group];
        g->names[group] = NULL;
        mesh->group_count++;
    }
    return PRC_OK;
}

prc_result prc_groups_finish(prc_groups *g, prc_mesh *mesh, prc_error *error)
{
    if (!g->member_count)
        return PRC_OK;
    qsort(g->members, (size_t)g->member_count, sizeof *g->members, compare_members);
    return fill(g, mesh, error);
}

void prc_groups_release(prc_groups *g)
{
    for (int k = 0; k < g->count; k++)
        prc_free(g->names[k]);
    prc_free(g->names);
    prc_free(g->table);
    prc_free(g->members);
    *g = (prc_groups){0};
}
