/* io/triangles.h — a growing list of triangles, for readers of files that do not say how many they hold.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_TRIANGLES_H
#define PRC_IO_TRIANGLES_H

#include "base/error.h"
#include "base/memory.h"

#include <limits.h>

typedef struct prc_triangles {
    int count, capacity;
    int *corners; /* 3 per triangle; freed with prc_free */
} prc_triangles;

/* Appends a triangle; `path` is for the message. */
static inline prc_result prc_triangles_add(prc_triangles *list, int a, int b, int c, const char *path, prc_error *error)
{
    if (list->count == list->capacity) {
        if (list->capacity > INT_MAX / 6)
            return prc_fail(error, PRC_ERROR_INPUT, "%s: more triangles than percale can number", path);
        int capacity = list->capacity ? 2 * list->capacity : 1024;
        int *grown = (int *)prc_grow(list->corners, 3 * (size_t)list->capacity, 3 * (size_t)capacity, sizeof(int));
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        list->corners = grown;
        list->capacity = capacity;
    }
    int *corner = list->corners + 3 * (size_t)list->count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = c;
    return PRC_OK;
}

#endif
