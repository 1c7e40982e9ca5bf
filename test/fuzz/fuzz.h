/* test/fuzz/fuzz.h — what the fuzz targets share: bytes as a file, memory within bounds, a mesh looked through.
 *
 * A target is one function of libFuzzer, called with any bytes; it may answer with an error but must not crash, hang,
 * leak or ask for much memory. Readers take paths, so bytes become a file in memory.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_FUZZ_H
#define PRC_FUZZ_H

#define _GNU_SOURCE /* memfd_create */
#include <math.h>
#include <percale/percale.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise that was not kept ends the program, where the fuzzer sees it. */
#define FUZZ_CHECK(condition)                                                                                          \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* Puts the bytes into a file in memory; its path stays good until the next call. */
static inline const char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[40];
    static int file = -1;
    if (file < 0) {
        file = memfd_create("fuzz", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    }
    FUZZ_CHECK(file >= 0 && !ftruncate(file, 0) && pwrite(file, data, size, 0) == (ssize_t)size);
    return path;
}

/* ---- memory within bounds: a machine that has little, so that failures of memory are met as well ---- */

typedef struct fuzz_block {
    size_t size;
    size_t unused; /* keeps what follows aligned */
} fuzz_block;

static size_t fuzz_used, fuzz_most;

static inline void *fuzz_allocate(size_t size, void *context)
{
    (void)context;
    if (size > fuzz_most - fuzz_used)
        return NULL;
    fuzz_block *block = malloc(sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    fuzz_used += size;
    return block + 1;
}

static inline void fuzz_release(void *memory, void *context)
{
    (void)context;
    fuzz_block *block = (fuzz_block *)memory - 1;
    fuzz_used -= block->size;
    free(block);
}

/* The library gets `megabytes` from here on, and must have given back everything when fuzz_end is called. */
static inline void fuzz_begin(size_t megabytes)
{
    fuzz_most = megabytes << 20;
    prc_set_allocator((prc_allocator){fuzz_allocate, fuzz_release, NULL});
}

static inline void fuzz_end(void)
{
    FUZZ_CHECK(fuzz_used == 0);
    prc_set_allocator((prc_allocator){NULL, NULL, NULL});
}

/* ---- meshes ---- */

/* What a reader has accepted must be safe to use. */
static inline void fuzz_look_at_mesh(const prc_mesh *mesh)
{
    FUZZ_CHECK(mesh->vertex_count >= 0 && mesh->triangle_count >= 0);
    for (long k = 0; k < 3L * mesh->triangle_count; k++)
        FUZZ_CHECK(mesh->triangles[k] >= 0 && mesh->triangles[k] < mesh->vertex_count);
    double sum = 0;
    for (long k = 0; k < 3L * mesh->vertex_count; k++)
        sum += mesh->positions[k];
    for (long k = 0; mesh->texture && k < 2L * mesh->vertex_count; k++)
        sum += mesh->texture[k];
    for (int g = 0; g < mesh->group_count; g++) {
        FUZZ_CHECK(mesh->groups[g].name && mesh->groups[g].vertex_count >= 0);
        for (int k = 0; k < mesh->groups[g].vertex_count; k++)
            FUZZ_CHECK(mesh->groups[g].vertices[k] >= 0 && mesh->groups[g].vertices[k] < mesh->vertex_count);
    }
    for (int p = 0; p < mesh->property_count; p++) {
        FUZZ_CHECK(mesh->properties[p].name);
        for (int i = 0; i < mesh->vertex_count; i++)
            sum += mesh->properties[p].values[i];
    }
    for (int s = 0; s < mesh->stitch_count; s++) {
        const prc_mesh_stitch *stitch = &mesh->stitches[s];
        FUZZ_CHECK(stitch->vertex >= 0 && stitch->vertex < mesh->vertex_count);
        for (int e = 0; e < 2; e++)
            FUZZ_CHECK(stitch->edge[e] >= 0 && stitch->edge[e] < mesh->vertex_count);
    }
    static volatile double sink;
    sink = sum;
    (void)sink;
}

/* Bytes as a mesh file of that name: read, mended, checked. A failure leaves a message and an empty mesh. */
static inline int fuzz_mesh(const char *name, const uint8_t *data, size_t size)
{
    prc_mesh mesh;
    prc_mesh_report report = {0};
    prc_error error = {0};
    char *text = malloc(size + 1);
    FUZZ_CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    fuzz_begin(64);
    const prc_mesh_source source = {.path = name,
                                    .data = text,
                                    .size = size,
                                    .split_texture = size % 2,
                                    .report = &report,
                                    .points = size % 3 == 0};
    if (!prc_mesh_parse(&mesh, &source, &error)) {
        fuzz_look_at_mesh(&mesh);
        const bool good = !prc_mesh_mend(&mesh, &report, &error);
        fuzz_look_at_mesh(&mesh);
        FUZZ_CHECK(good || error.message[0]);
        prc_mesh_check(&mesh, NULL);
        prc_mesh_release(&mesh);
    } else {
        FUZZ_CHECK(error.message[0] && !mesh.positions && !mesh.triangles);
    }
    fuzz_end();
    free(text);
    return 0;
}

#endif
