/* app/cli/source.c — see source.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "source.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"

#define RATE 25 /* frames per second of what does not say, as in scenes */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

static int compare_ints(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* ---- finding frames ---- */

/* The number in frame_00012.ply, or −1. */
static int frame_number(const char *name, const char *ending)
{
    if (strncmp(name, "frame_", 6) != 0)
        return -1;
    const size_t digits = strspn(name + 6, "0123456789");
    return digits >= 5 && digits <= 9 && !strcmp(name + 6 + digits, ending) ? atoi(name + 6) : -1;
}

static prc_result add_number(prc_source *s, int number, int *capacity, prc_error *error)
{
    if (number < s->def.first || number > s->def.last)
        return PRC_OK;
    if (!s->numbers || s->count == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        int *grown = prc_grow(s->numbers, (size_t)s->count, (size_t)*capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        s->numbers = grown;
    }
    s->numbers[s->count++] = number;
    return PRC_OK;
}

static prc_result find_frames(prc_source *s, const char *ending, prc_error *error)
{
    DIR *directory = opendir(s->def.path);
    int capacity = 0;
    prc_result result = PRC_OK;
    if (!directory)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", s->def.path, strerror(errno));
    s->ending = ending;
    for (struct dirent *entry; !result && (entry = readdir(directory));) {
        const int number = frame_number(entry->d_name, ending);
        if (number >= 0)
            result = add_number(s, number, &capacity, error);
    }
    closedir(directory);
    if (s->count)
        qsort(s->numbers, (size_t)s->count, sizeof *s->numbers, compare_ints);
    return result;
}

static prc_result find_numbered(prc_source *s, int first, int end, prc_error *error)
{
    int capacity = 0;
    prc_result result = PRC_OK;
    for (int n = first; n < end && !result; n++)
        result = add_number(s, n, &capacity, error);
    return result;
}

/* A vertex cache has positions only: --mesh says what they belong to. */
static prc_result open_cache(prc_source *s, prc_error *error)
{
    const prc_mesh_file_def *file = &s->def.file;
    const char *path = s->def.path;
    if (!s->def.mesh)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has no triangles; give its mesh with --mesh FILE", path);
    prc_result result = prc_vertex_cache_open(&s->cache, path, error);
    if (!result)
        result = prc_mesh_read(&s->still, s->def.mesh, error);
    if (!result && s->still.vertex_count != s->cache.vertex_count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s has %d vertices, but %s has %d; they must be the same", path,
                          s->cache.vertex_count, s->def.mesh, s->still.vertex_count);
    if (!result && (file->mend || file->split_texture || file->vertices[1]))
        result = prc_fail(error, PRC_ERROR_INPUT,
                          "%s: a vertex cache needs the vertices of its mesh unchanged; convert the mesh first, and do "
                          "not use --mend, --split-texture or --vertices",
                          path);
    return result ? result : find_numbered(s, 0, s->cache.frame_count, error);
}

/* Each so many-th of the frames that were found. */
static void thin(prc_source *s)
{
    int kept = 0;
    const int every = s->def.every > 0 ? s->def.every : 1;
    for (int k = 0; k < s->count; k += every)
        s->numbers[kept++] = s->numbers[k];
    s->count = kept;
}

static prc_result find(prc_source *s, prc_error *error)
{
    struct stat status;
    const char *path = s->def.path;
    int first, end;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        s->kind = PRC_SOURCE_FOLDER;
        prc_result result = find_frames(s, ".ply", error);
        return result || s->count ? result : find_frames(s, ".obj", error);
    }
    if (prc_numbered_read(&s->pattern, path)) {
        s->kind = PRC_SOURCE_NUMBERED;
        prc_numbered_find(&s->pattern, &first, &end);
        return find_numbered(s, first, end, error);
    }
    s->kind = ends_in(path, ".pc2") || ends_in(path, ".mdd") ? PRC_SOURCE_CACHE : PRC_SOURCE_MESH;
    if (s->kind == PRC_SOURCE_CACHE)
        return open_cache(s, error);
    s->def.first = 0; /* one mesh is its only frame, whatever it is called */
    return find_numbered(s, 0, 1, error);
}

prc_result prc_source_open(prc_source *s, const prc_source_def *def, prc_error *error)
{
    *s = (prc_source){.def = *def};
    prc_result result = find(s, error);
    if (!result && !s->count)
        result = prc_fail(error, PRC_ERROR_INPUT, "%s: has no frames%s", def->path,
                          def->first > 0 || def->last < INT_MAX ? " in this range"
                          : s->kind == PRC_SOURCE_FOLDER
                              ? "; expected frame_00000.ply and so on, which a run writes unless --formats excludes ply"
                              : "");
    if (result)
        prc_source_release(s);
    else
        thin(s);
    return result;
}

void prc_source_release(prc_source *s)
{
    prc_mesh_release(&s->still);
    prc_vertex_cache_release(&s->cache);
    prc_free(s->numbers);
    *s = (prc_source){0};
}

/* ---- one frame ---- */

static bool name_frame(const prc_source *s, int k, char path[PRC_SOURCE_PATH])
{
    if (s->kind == PRC_SOURCE_NUMBERED)
        return prc_numbered_path(&s->pattern, s->numbers[k], path, PRC_SOURCE_PATH);
    if (s->kind == PRC_SOURCE_FOLDER)
        return snprintf(path, PRC_SOURCE_PATH, "%s/frame_%05d%s", s->def.path, s->numbers[k], s->ending) <
               PRC_SOURCE_PATH;
    return snprintf(path, PRC_SOURCE_PATH, "%s", s->def.path) < PRC_SOURCE_PATH;
}

static prc_result copy_points(const prc_source *s, int number, prc_mesh *mesh, prc_error *error)
{
    prc_result result = prc_mesh_copy(mesh, &s->still, error);
    const size_t count = 3 * (size_t)s->still.vertex_count;
    for (size_t k = 0; k < count && !result; k++)
        mesh->positions[k] = (double)s->cache.positions[(size_t)number * count + k];
    return result;
}

prc_result prc_source_read(const prc_source *s, int k, prc_source_frame *frame, prc_error *error)
{
    const prc_mesh_file_def *file = &s->def.file;
    *frame = (prc_source_frame){.extra.time = NAN};
    if (!name_frame(s, k, frame->path))
        return prc_fail(error, PRC_ERROR_INPUT, "a frame name is too long");
    if (s->kind == PRC_SOURCE_CACHE)
        return copy_points(s, s->numbers[k], &frame->mesh, error);
    if (ends_in(frame->path, ".ply") && !file->mend && !file->vertices[0] && !file->vertices[1])
        return prc_ply_read_frame(&frame->mesh, &frame->extra, frame->path, error);
    return prc_mesh_load(&frame->mesh, frame->path, file, &frame->report, error);
}

void prc_source_frame_release(prc_source_frame *frame)
{
    prc_mesh_release(&frame->mesh);
    prc_ply_extra_release(&frame->extra);
}

/* ---- times ---- */

/* Frames per second, by the first two; whole where it all but is. */
static double find_rate(const prc_source *s, const double *times)
{
    const double rate = s->count > 1 ? (s->numbers[1] - s->numbers[0]) / (times[1] - times[0]) : RATE;
    return fabs(rate - round(rate)) < 1e-3 && rate > 0.5 ? round(rate) : rate;
}

/* The times that PLY frames tell; false where one does not, or goes back. */
static bool read_times(const prc_source *s, double *times)
{
    char path[PRC_SOURCE_PATH];
    if (s->kind != PRC_SOURCE_FOLDER && s->kind != PRC_SOURCE_NUMBERED)
        return false;
    for (int k = 0; k < s->count; k++) {
        if (!name_frame(s, k, path) || !ends_in(path, ".ply"))
            return false;
        times[k] = prc_ply_peek_time(path);
        if (!isfinite(times[k]) || (k && times[k] <= times[k - 1]))
            return false;
    }
    return true;
}

void prc_source_times(const prc_source *s, double *times, double *rate)
{
    if (!(s->def.rate > 0) && read_times(s, times)) {
        *rate = find_rate(s, times);
        return;
    }
    *rate = s->def.rate > 0 ? s->def.rate : RATE;
    for (int k = 0; k < s->count; k++)
        times[k] = (s->numbers[k] - s->numbers[0]) / *rate;
}
