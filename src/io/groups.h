/* io/groups.h — collects the named groups of a file: names are found by hashing, vertices sorted at the end.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_GROUPS_H
#define PRC_IO_GROUPS_H

#include <percale/mesh.h>

#define PRC_MOST_GROUPS 100000

typedef struct prc_groups {
    char **names;
    int count, capacity;
    int *table;        /* open addressing: number of a group + 1, or 0 */
    int table_size;    /* a power of 2 */
    int (*members)[2]; /* group, vertex */
    long long member_count, member_capacity;
} prc_groups;

/* The number of the group of this name, made where there is none; −1 and an error when out of memory or of numbers. */
int prc_groups_find(prc_groups *groups, const char *name, size_t length, const char *path, prc_error *error);
prc_result prc_groups_add(prc_groups *groups, int group, int vertex, prc_error *error);
/* Hands the groups that have vertices over to the mesh, vertices in increasing order and each once. */
prc_result prc_groups_finish(prc_groups *groups, prc_mesh *mesh, prc_error *error);
void prc_groups_release(prc_groups *groups);

#endif
