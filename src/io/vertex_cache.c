/* io/vertex_cache.c — see vertex_cache.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/vertex_cache.h"

#include <percale/mesh.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/mdd.h"
#include "io/numbered.h"
#include "io/pc2.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define PATH_SIZE 1100
#define FRAMES_PER_SECOND 25

static prc_result add_frame(prc_vertex_cache *c, const char *path, int *capacity, prc_error *error)
{
    prc_mesh mesh;
    prc_result result = prc_mesh_read(&mesh, path, error);
    if (result)
        return result;
    if (c->frame_count == 0)
        c->vertex_count = mesh.vertex_count;
    const size_t numbers = 3 * (size_t)c->vertex_count, frames = (size_t)c->frame_count;
    if (mesh.vertex_count != c->vertex_count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: found %d vertices; the previous frames have %d", path,
                          mesh.vertex_count, c->vertex_count);
    if (!result && c->frame_count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 16;
        float *grown = prc_grow(c->positions, frames * numbers, (size_t)*capacity * numbers, sizeof *grown);
        if (grown)
            c->positions = grown;
        else
            result = PRC_FAIL_MEMORY(error);
    }
    for (size_t k = 0; !result && k < numbers; k++)
        c->positions[frames * numbers + k] = (float)mesh.positions[k];
    c->frame_count += !result;
    prc_mesh_release(&mesh);
    return result;
}

static prc_result read_sequence(prc_vertex_cache *c, const char *path, prc_error *error)
{
    prc_numbered p;
    char name[PATH_SIZE];
    int capacity = 0, number, end;
    if (!prc_numbered_read(&p, path))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: expected a .pc2 or .mdd file, or a name with one %%d or %%04d for numbered mesh files",
                        path);
    if (!prc_numbered_path(&p, 999999999, name, sizeof name))
        return prc_fail(error, PRC_ERROR_INPUT, "the name of the animation files is too long");
    prc_numbered_find(&p, &number, &end);
    prc_result result = PRC_OK;
    do { /* where there is none, the first is missed */
        prc_numbered_path(&p, number, name, sizeof name);
        result = add_frame(c, name, &capacity, error);
    } while (!result && ++number < end);
    return result;
}

prc_result prc_vertex_cache_open(prc_vertex_cache *c, const char *path, prc_error *error)
{
    *c = (prc_vertex_cache){.frames_per_second = FRAMES_PER_SECOND};
    const char *ending = strrchr(path, '.');
    prc_result result;
    if (ending && strcasecmp(ending, ".pc2") == 0)
        result = prc_pc2_read(path, &c->positions, &c->vertex_count, &c->frame_count, error);
    else if (ending && strcasecmp(ending, ".mdd") == 0)
        result = prc_mdd_read(path, &c->positions, &c->vertex_count, &c->frame_count, error);
    else
        result = read_sequence(c, path, error);
    if (result)
        prc_vertex_cache_release(c);
    return result;
}

void prc_vertex_cache_release(prc_vertex_cache *c)
{
    prc_free(c->positions);
    *c = (prc_vertex_cache){0};
}

static void sample(const prc_vertex_cache *c, double time, size_t first, size_t count, double *positions)
{
    const double last = c->frame_count - 1, wanted = (time - c->start) * c->frames_per_second;
    const double at = wanted > 0 ? (wanted < last ? wanted : last) : 0;
    const size_t numbers = 3 * (size_t)c->vertex_count, frame = (size_t)at;
    const double s = at - (double)frame;
    const float *a = c->positions + frame * numbers + 3 * first, *b = s > 0 ? a + numbers : a;
    for (size_t k = 0; k < 3 * count; k++)
        positions[k] = (double)a[k] + s * ((double)b[k] - (double)a[k]);
}

void prc_vertex_cache_sample(const prc_vertex_cache *c, double time, double *positions)
{
    sample(c, time, 0, (size_t)c->vertex_count, positions);
}

void prc_vertex_cache_sample_one(const prc_vertex_cache *c, int vertex, double time, double position[3])
{
    sample(c, time, (size_t)vertex, 1, position);
}
