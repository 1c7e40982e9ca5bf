/* scene/log.h — messages about a scene: the files it was read from, and the list of errors.
 *
 * A place is an origin with a line and a column. Origins: −1 the scene file, −1−k the k-th file that it includes, k ≥ 0
 * override number k of the command line. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_LOG_H
#define PRC_SCENE_LOG_H

#include "scene/scene.h"

#define PRC_SCENE_FILES 100                /* most files of a scene, each inclusion counted */
#define PRC_SCENE_BYTES ((size_t)64 << 20) /* largest file */

typedef struct prc_scene_source {
    char *path;   /* as messages name it */
    char *folder; /* "" for the folder of the scene file, else what leads from there to this file's, with a '/' */
    char *text;
    size_t size;
    int parent; /* the source that includes it; −1 for the scene file */
} prc_scene_source;

typedef struct prc_scene_sources {
    int count;
    prc_scene_source items[PRC_SCENE_FILES];
} prc_scene_sources;

typedef struct prc_scene_log {
    prc_scene_errors *errors;
    const char *path; /* of the scene file */
    const char *const *overrides;
    prc_scene_sources *sources;
    const struct prc_tree *tree; /* where keys stand, once that is known; else NULL */
    const prc_scene_memory *memory;
    int memory_count;
} prc_scene_log;

/* Adds an error; `key` may be "", line 0 where there is no place in the file. */
#if defined(__GNUC__)
__attribute__((format(printf, 7, 8)))
#endif
void prc_scene_report(const prc_scene_log *log, prc_result code, int origin, int line, int column, const char *key,
                      const char *format, ...);

/* The text of the file of an origin from a place on, with what is left of its line; NULL where there is none. */
const char *prc_scene_source_at(const prc_scene_log *log, int origin, int line, int column, size_t *left);

/* A source with copies of path and text; its number, or −1 when out of memory or when there are too many. */
int prc_scene_source_add(prc_scene_sources *sources, const char *path, const char *folder, const char *text,
                         size_t size, int parent);
void prc_scene_sources_release(prc_scene_sources *sources);

#endif
