/* test/mesh_files.h — files of every format in the making.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_MESH_FILES_H
#define PRC_TEST_MESH_FILES_H

#include <percale/percale.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_folder.h"

/* A file as text, or as bytes of either order. */
typedef enum byte_order { AS_TEXT, LITTLE, BIG } byte_order;

typedef struct bytes {
    unsigned char data[6000];
    size_t size;
    byte_order order;
} bytes;

static void put_raw(bytes *b, const void *value, size_t size)
{
    const uint16_t probe = 1;
    unsigned char raw[8], first;
    memcpy(raw, value, size);
    memcpy(&first, &probe, 1);
    const bool machine_is_big = first == 0;
    for (size_t k = 0; k < size; k++)
        b->data[b->size++] = raw[(b->order == BIG) == machine_is_big ? k : size - 1 - k];
}

__attribute__((format(printf, 2, 3))) static inline void put_words(bytes *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    b->size += (size_t)vsnprintf((char *)b->data + b->size, sizeof b->data - b->size, format, arguments);
    va_end(arguments);
}

static inline void put_int(bytes *b, int value)
{
    const int32_t number = value;
    if (b->order == AS_TEXT)
        put_words(b, "%d ", value);
    else
        put_raw(b, &number, 4);
}

static inline void put_wide(bytes *b, long long value)
{
    const int64_t number = value;
    if (b->order == AS_TEXT)
        put_words(b, "%lld ", value);
    else
        put_raw(b, &number, 8);
}

static inline void put_real(bytes *b, double value)
{
    if (b->order == AS_TEXT)
        put_words(b, "%.17g ", value);
    else
        put_raw(b, &value, 8);
}

static inline void put_single(bytes *b, double value)
{
    const float number = (float)value;
    if (b->order == AS_TEXT)
        put_words(b, "%.9g ", value);
    else
        put_raw(b, &number, 4);
}

static inline bool has_triangles(const prc_mesh *mesh, int count, const int *expected)
{
    return mesh->triangle_count == count && memcmp(mesh->triangles, expected, 3 * sizeof(int) * (size_t)count) == 0;
}

static inline const prc_mesh_group *group_of(const prc_mesh *mesh, const char *name)
{
    for (int g = 0; g < mesh->group_count; g++)
        if (!strcmp(mesh->groups[g].name, name))
            return &mesh->groups[g];
    return NULL;
}

static inline bool group_is(const prc_mesh *mesh, const char *name, int count, const int *vertices)
{
    const prc_mesh_group *group = group_of(mesh, name);
    return group && group->vertex_count == count && memcmp(group->vertices, vertices, sizeof(int) * (size_t)count) == 0;
}

static inline const double *property_of(const prc_mesh *mesh, const char *name)
{
    for (int p = 0; p < mesh->property_count; p++)
        if (!strcmp(mesh->properties[p].name, name))
            return mesh->properties[p].values;
    return NULL;
}

#endif
