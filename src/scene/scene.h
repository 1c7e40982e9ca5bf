/* scene/scene.h — scene files: from YAML text to a prc_sim_def, or to a list of errors that a person can act on.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_SCENE_H
#define PRC_SCENE_SCENE_H

#include <percale/percale.h>

#define PRC_SCENE_ERRORS 50

typedef struct prc_scene_errors {
    prc_result code; /* of the first: PRC_ERROR_INPUT, PRC_ERROR_IO or PRC_ERROR_MEMORY */
    int count;       /* found, of which at most PRC_SCENE_ERRORS are kept, in the order of the files */
    struct {
        int file; /* 0: the scene file; k: the k-th file it includes; −1: an override */
        int line, column;
        char message[1024]; /* "cloth.yaml:5:12: bodies[0].material.density: -1 is not allowed; expected …" */
        char source[420];   /* the line of the file, or the part about the place; "" where there is none */
        int caret;          /* characters of `source` before the place */
    } items[PRC_SCENE_ERRORS];
    char bad_mesh[1024]; /* the first mesh file that cannot be simulated, which prc_mesh_examine can tell more about */
    prc_mesh_file_def bad_mesh_def; /* how it was read */
} prc_scene_errors;

/* Everything a scene file describes; owns all memory its def points to. */
typedef struct prc_scene prc_scene;

/* Reads a scene. `overrides` are "key.path=value" texts that are laid over the file, lists by index:
 * "bodies[0].material.stretch=900". NULL and at least one error on failure. */
prc_scene *prc_scene_read(const char *path, const char *const *overrides, int count, prc_scene_errors *errors);
/* The same for text in memory; `path` is used in messages and for the files that the scene names. */
prc_scene *prc_scene_parse(const char *text, size_t size, const char *path, const char *const *overrides, int count,
                           prc_scene_errors *errors);
/* What a program gives to a scene in place of files; a scene names it with the key `memory`. */
typedef struct prc_scene_memory {
    const char *name;
    const prc_mesh *mesh; /* of `mesh: {memory: name}`: a copy is taken; or NULL */
    /* Of `follow` or `animation`: the animate and animate_context of each pin or obstacle that names it; or NULL. */
    void (*animate)(void *context, double time, double *positions);
    void *context;
} prc_scene_memory;

/* The same with things in memory, which need not outlive the call. */
prc_scene *prc_scene_parse_with(const char *text, size_t size, const char *path, const char *const *overrides,
                                int count, const prc_scene_memory *memory, int memory_count, prc_scene_errors *errors);
void prc_scene_destroy(prc_scene *scene);

/* Valid as long as the scene. */
const prc_sim_def *prc_scene_sim_def(const prc_scene *scene);

/* What was noticed or mended on the way: "shirt.obj: 3 isolated vertices removed". */
int prc_scene_note_count(const prc_scene *scene);
const char *prc_scene_note(const prc_scene *scene, int index);

#endif
