/* app/draw/playback.c — see playback.h.
 *
 * The checkpoint of a run contains the path of its scene and the changes by --set; without one, the report does. It may
 * be from another version of percale, because the scene is drawn, not resumed.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "playback.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "io/checkpoint.h"
#include "io/file.h"
#include "io/numbered.h"
#include "scene/scene.h"

#define PATH_SIZE 1100
#define HEAD 600 /* bytes of a file in which its time is looked for */

typedef struct entry {
    char *path;
    int number;
} entry;

struct prc_playback {
    entry *entries;
    int count, capacity;
    prc_scene *scene;
    const prc_sim_def *def;
    char note[700];
    double rate;
};

static const char *const endings[] = {".ply", ".obj", ".vtk", ".stl", ".msh"};

/* ---- finding the files ---- */

/* "walk_0012.obj" → the length of "walk_", 12 and the rank of ".obj"; false for what is no numbered mesh. */
static bool take_apart(const char *name, size_t *stem, int *number, size_t *ending)
{
    const char *dot = strrchr(name, '.');
    if (!dot)
        return false;
    for (*ending = 0; *ending < sizeof endings / sizeof *endings; ++*ending)
        if (!strcasecmp(dot, endings[*ending]))
            break;
    const char *digits = dot;
    while (digits > name && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    *stem = (size_t)(digits - name);
    if (*ending == sizeof endings / sizeof *endings || digits == dot || dot - digits > 9)
        return false;
    if ((*stem == 5 && !strncmp(name, "body_", 5)) || (*stem == 9 && !strncmp(name, "obstacle_", 9)) ||
        (*stem == 9 && !strncmp(name, "collider_", 9)))
        return false; /* the mesh of a PC2 file, or of a collider, not a frame */
    *number = (int)strtol(digits, NULL, 10);
    return true;
}

static prc_result add_entry(prc_playback *p, const char *folder, const char *name, int number, prc_error *error)
{
    if (p->count == p->capacity) {
        const int capacity = p->capacity ? 2 * p->capacity : 64;
        entry *grown = prc_grow(p->entries, (size_t)p->count, (size_t)capacity, sizeof *grown);
        if (!grown)
            return PRC_FAIL_MEMORY(error);
        p->entries = grown;
        p->capacity = capacity;
    }
    char path[PATH_SIZE];
    if ((size_t)snprintf(path, sizeof path, "%s%s%s", folder, folder[0] ? "/" : "", name) >= sizeof path)
        return prc_fail(error, PRC_ERROR_INPUT, "%s/%s: the name is too long", folder, name);
    char *kept = prc_string_copy(path);
    if (!kept)
        return PRC_FAIL_MEMORY(error);
    p->entries[p->count++] = (entry){kept, number};
    return PRC_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return x->number != y->number ? (x->number > y->number) - (x->number < y->number) : strcmp(x->path, y->path);
}

/* Several kinds may be in one folder: those that a run calls frame_ come first, then those whose first file comes first
 * in the order of endings and names. */
static bool is_better(const char *name, size_t stem, size_t ending, const char *best, size_t best_stem,
                      size_t best_ending)
{
    const bool frame = stem == 6 && !strncmp(name, "frame_", 6);
    const bool best_frame = best_stem == 6 && !strncmp(best, "frame_", 6);
    if (frame != best_frame)
        return frame;
    if (ending != best_ending)
        return ending < best_ending;
    return strncmp(name, best, stem < best_stem ? best_stem : stem) < 0;
}

static void choose_kind(DIR *directory, char best[256], size_t *stem, size_t *ending)
{
    best[0] = '\0';
    for (struct dirent *found; (found = readdir(directory));) {
        size_t own_stem, own_ending;
        int number;
        if (take_apart(found->d_name, &own_stem, &number, &own_ending) &&
            (!best[0] || is_better(found->d_name, own_stem, own_ending, best, *stem, *ending))) {
            snprintf(best, 256, "%s", found->d_name);
            *stem = own_stem;
            *ending = own_ending;
        }
    }
}

static prc_result find_in_folder(prc_playback *p, const char *folder, prc_error *error)
{
    char best[256];
    size_t stem = 0, ending = 0;
    prc_result result = PRC_OK;
    DIR *directory = opendir(folder);
    if (!directory)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", folder, strerror(errno));
    choose_kind(directory, best, &stem, &ending);
    rewinddir(directory);
    for (struct dirent *found; best[0] && !result && (found = readdir(directory));) {
        size_t own_stem, own_ending;
        int number;
        if (take_apart(found->d_name, &own_stem, &number, &own_ending) && own_stem == stem && own_ending == ending &&
            !strncmp(found->d_name, best, stem))
            result = add_entry(p, folder, found->d_name, number, error);
    }
    closedir(directory);
    if (p->count)
        qsort(p->entries, (size_t)p->count, sizeof *p->entries, compare_entries);
    return result;
}

static prc_result refuse_folder(const char *folder, prc_error *error)
{
    char path[PATH_SIZE];
    struct stat status;
    snprintf(path, sizeof path, "%s/frames.vtkhdf", folder);
    const bool other = !stat(path, &status);
    snprintf(path, sizeof path, "%s/%s", folder, PRC_CHECKPOINT_NAME);
    if (other)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s: its frames are in frames.vtkhdf, which percale cannot draw; run it with --formats ply,vtkhdf", folder);
    if (!stat(path, &status))
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: this run has written no PLY or OBJ frames; run it with --formats ply", folder);
    return prc_fail(error, PRC_ERROR_INPUT,
                    "%s: is not the folder of a run and has no numbered meshes (frame_00000.ply, walk_0001.obj …); "
                    "'percale run SCENE -o FOLDER' writes one",
                    folder);
}

static prc_result find_numbered(prc_playback *p, const prc_numbered *pattern, prc_error *error)
{
    int first, end;
    char path[PATH_SIZE];
    prc_result result = PRC_OK;
    prc_numbered_find(pattern, &first, &end);
    if (first == end)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: there is no such file with number 0 or 1", pattern->text);
    for (int n = first; n < end && !result; n++)
        if (prc_numbered_path(pattern, n, path, sizeof path))
            result = add_entry(p, "", path, n, error);
    return result;
}

/* ---- the scene ---- */

/* The value of "scene" in report.json, as the report writes it: one key per line. */
static bool scene_in_report(const char *folder, char scene[PATH_SIZE])
{
    char path[PATH_SIZE], *text;
    size_t size, length = 0;
    snprintf(path, sizeof path, "%s/report.json", folder);
    if (prc_file_read_most(path, 10000000, &text, &size, NULL))
        return false;
    const char *value = strstr(text, "\"scene\": \"");
    for (value = value ? value + 10 : ""; *value && *value != '"' && length + 1 < PATH_SIZE; value++) {
        value += *value == '\\' && value[1];
        scene[length++] = *value;
    }
    scene[length] = '\0';
    prc_free(text);
    return length > 0;
}

static void read_scene(prc_playback *p, const char *path, const char *const *overrides, int count)
{
    prc_scene_errors *errors = PRC_NEW(prc_scene_errors, 1);
    if (!errors)
        return;
    p->scene = prc_scene_read(path, overrides, count, errors);
    if (p->scene)
        p->def = prc_scene_sim_def(p->scene);
    else
        snprintf(p->note, sizeof p->note,
                 "the scene of this run cannot be read, so colliders and camera are unknown; give its path with "
                 "--scene FILE (%.500s)",
                 errors->items[0].message);
    prc_free(errors);
}

static void find_scene(prc_playback *p, const char *folder, const char *named)
{
    static const char *const names[] = {PRC_CHECKPOINT_NAME, PRC_CHECKPOINT_PREVIOUS};
    char path[PATH_SIZE];
    for (int k = 0; k < 2; k++) {
        prc_checkpoint checkpoint;
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, names[k]) >= sizeof path ||
            prc_checkpoint_read(path, &checkpoint, NULL))
            continue;
        read_scene(p, named ? named : checkpoint.scene, checkpoint.overrides, checkpoint.override_count);
        prc_checkpoint_release(&checkpoint);
        return;
    }
    if (named)
        read_scene(p, named, NULL, 0);
    else if (scene_in_report(folder, path))
        read_scene(p, path, NULL, 0);
}

/* ---- opening ---- */

static prc_result find(prc_playback *p, const char *path, const char *scene, prc_error *error)
{
    struct stat status;
    prc_numbered pattern;
    prc_result result;
    const bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) {
        result = find_in_folder(p, path, error);
        if (!result && !p->count)
            return refuse_folder(path, error);
        if (!result)
            find_scene(p, path, scene);
        return result;
    }
    if (exists)
        result = add_entry(p, "", path, 0, error);
    else if (prc_numbered_read(&pattern, path))
        result = find_numbered(p, &pattern, error);
    else
        return prc_fail(error, PRC_ERROR_IO, "%s: %s", path, strerror(errno));
    if (!result && scene)
        read_scene(p, scene, NULL, 0);
    return result;
}

prc_playback *prc_playback_open(const char *path, const char *scene, prc_error *error)
{
    prc_playback *p = PRC_NEW(prc_playback, 1);
    if (!p) {
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    if (find(p, path, scene, error)) {
        prc_playback_close(p);
        return NULL;
    }
    if (p->count > 1) {
        const double way = prc_playback_time(p, p->count - 1) - prc_playback_time(p, 0);
        p->rate = way > 0 ? (p->count - 1) / way : 0;
    }
    if (p->def && !(p->rate > 0))
        p->rate = p->def->time.frames_per_second;
    return p;
}

void prc_playback_close(prc_playback *p)
{
    if (!p)
        return;
    for (int k = 0; k < p->count; k++)
        prc_free(p->entries[k].path);
    prc_free(p->entries);
    prc_scene_destroy(p->scene);
    prc_free(p);
}

int prc_playback_count(const prc_playback *p)
{
    return p->count;
}

int prc_playback_number(const prc_playback *p, int k)
{
    return p->entries[k].number;
}

const char *prc_playback_file(const prc_playback *p, int k)
{
    return p->entries[k].path;
}

const prc_sim_def *prc_playback_def(const prc_playback *p)
{
    return p->def;
}

const char *prc_playback_note(const prc_playback *p)
{
    return p->note;
}

double prc_playback_rate(const prc_playback *p)
{
    return p->rate;
}

/* ---- frames ---- */

double prc_playback_time(const prc_playback *p, int k)
{
    static const char mark[] = "percale, time ";
    char head[HEAD + 1];
    prc_file_peek(p->entries[k].path, head, sizeof head);
    const char *found = strstr(head, mark);
    if (found)
        return strtod(found + sizeof mark - 1, NULL);
    return p->rate > 0 ? p->entries[k].number / p->rate : 0;
}

prc_result prc_playback_read(const prc_playback *p, int k, prc_playback_frame *frame, prc_error *error)
{
    const char *path = p->entries[k].path, *dot = strrchr(path, '.');
    memset(frame, 0, sizeof *frame);
    const prc_result result = dot && !strcasecmp(dot, ".ply")
                                  ? prc_ply_read_frame(&frame->mesh, &frame->extra, path, error)
                                  : prc_mesh_read(&frame->mesh, path, error);
    if (result)
        return result;
    frame->time = prc_playback_time(p, k);
    frame->colliders.without_meshes = true;
    (void)prc_colliders_read(&frame->colliders, path, NULL); /* without them, motions say where colliders are */
    return PRC_OK;
}

void prc_playback_frame_release(prc_playback_frame *frame)
{
    prc_mesh_release(&frame->mesh);
    prc_ply_extra_release(&frame->extra);
    prc_colliders_release(&frame->colliders);
    memset(frame, 0, sizeof *frame);
}
