/* scene/reader.h — between the parts of the scene reader: error list, table reader, builder.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_READER_H
#define PRC_SCENE_READER_H

#include "scene/scene.h"
#include "scene/tree.h"
#include "schema/spec.h"

#define PRC_PATH_SIZE 200

/* Where messages go, and what they call the file. */
typedef struct prc_scene_log {
    prc_scene_errors *errors;
    const char *path;
    const char *const *overrides;
} prc_scene_log;

/* Adds an error. origin, line and column as in prc_node; `key` may be "". */
#if defined(__GNUC__)
__attribute__((format(printf, 7, 8)))
#endif
void prc_scene_report(const prc_scene_log *log, prc_result code, int origin, int line, int column, const char *key,
                      const char *format, ...);

/* Reads the tree into *spec, which must hold defaults. Returns the number of errors added to the log. */
int prc_scene_read_tree(const prc_scene_log *log, const prc_node *root, prc_scene_spec *spec);

/* What an animated obstacle plays: a prc_obstacle_def's animate_context. */
typedef struct prc_scene_animation prc_scene_animation;

struct prc_scene {
    prc_scene_spec spec;
    prc_sim_def def;
    prc_mesh *meshes; /* per body: the placed mesh, then the rest mesh */
    prc_body_def *bodies;
    prc_pin_def *pins;
    prc_force_def *forces;
    prc_collider_def *colliders;  /* whose fields are the scene's, their lists the spec's */
    prc_material_def **materials; /* per body */
    int **vertex_materials;       /* per body */
    double **velocities;          /* per body */
    int (*corners)[4]; /* per body: of a grid or strip, else −1 */
    prc_spring_def *springs;
    prc_pressure_def *pressures; /* whose lists of bodies are the scene's too */
    prc_obstacle_def *obstacles;
    prc_mesh *obstacle_meshes;
    int **segments; /* per obstacle */
    prc_scene_animation *animations;
};

/* Makes meshes, selections and defs from scene->spec. Errors go to the log. */
void prc_scene_build(const prc_scene_log *log, prc_scene *scene);

/* --- builder.c, for obstacles too --- */
/* A file that the scene names: found from where the scene is, not from where the program runs. False: too long. */
bool prc_scene_file(const prc_scene_log *log, const char *file, char *path, size_t size);
/* `any`: whether a mesh file may hold triangles that cannot be simulated. */
prc_result prc_scene_make_mesh(const prc_scene_log *log, const prc_mesh_spec *spec, bool any, prc_mesh *mesh,
                               prc_error *error);

/* --- obstacles.c --- */
void prc_scene_build_obstacles(const prc_scene_log *log, prc_scene *scene);
void prc_scene_release_obstacles(prc_scene *scene);

/* --- forces.c: springs, seams and pressures, when all bodies and obstacles are there --- */
void prc_scene_build_forces(const prc_scene_log *log, prc_scene *scene);

/* A mesh with what selections need to know of it. */
typedef struct prc_select_context {
    const prc_scene_log *log;
    const prc_mesh *mesh;     /* placed */
    const int *corners;       /* 4 vertices of a grid or strip, or NULL */
    char path[PRC_PATH_SIZE]; /* of the selection */
} prc_select_context;

/* The vertices selected, in increasing order; owned by the caller. NULL and an error in the log where there are none.
 */
int *prc_scene_select(const prc_select_context *context, const prc_select_spec *spec, int *count);

#endif
