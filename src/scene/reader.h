/* scene/reader.h — shared by the parts of the scene reader: error list, table reader, builder.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_READER_H
#define PRC_SCENE_READER_H

#include "scene/log.h"
#include "scene/scene.h"
#include "scene/tree.h"
#include "schema/schema.h"
#include "schema/spec.h"

#define PRC_PATH_SIZE 200

/* --- include.c --- */
/* Reads a scene file, if it is not too large. */
prc_result prc_scene_load(const char *path, char **text, size_t *size, prc_error *error);
/* Reads the files that a tree includes and lays it over them; returns what comes of it. `source` is the tree's own. */
prc_node *prc_scene_include(const prc_scene_log *log, prc_tree *tree, prc_node *root, int source);

/* Reads the tree into *spec, which must hold defaults. What is wrong goes to the log, and marks its table as broken. */
void prc_scene_read_tree(const prc_scene_log *log, const prc_node *root, prc_scene_spec *spec);

/* --- finish.c --- */
/* A table whose keys have been read. */
typedef struct prc_read_table {
    const prc_scene_log *log;
    prc_key_set given, inherited; /* keys, and of a material those that its body gave */
    const prc_node *node;
    const char *path;
    bool clean; /* nothing in it was wrong so far */
} prc_read_table;

/* Looks at its keys together: reports, and derives what follows from others. `object` is its struct. */
void prc_scene_finish_table(const prc_read_table *table, prc_table_id id, void *object);

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
    prc_mesh *collider_meshes;    /* one per collider; instances have that of the first */
    prc_material_def **materials; /* per body */
    int **vertex_materials;       /* per body */
    double **velocities;          /* per body */
    int (*corners)[4];            /* per body: of a grid or strip, else −1 */
    prc_spring_def *springs;
    prc_pressure_def *pressures; /* whose lists of bodies are the scene's too */
    prc_obstacle_def *obstacles;
    prc_mesh *obstacle_meshes;
    int **segments; /* per obstacle */
    prc_scene_animation *animations;
    prc_scene_spec written; /* the lists as the file has them, while those of spec hold a copy for each instance */
    bool expanded;          /* whether that is so */
    void **owned;           /* names and lists of instances */
    int owned_count;
    char **notes;
    int note_count;
};

/* Makes meshes, selections and defs from scene->spec, as far as it is sound. Errors go to the log. */
void prc_scene_build(const prc_scene_log *log, prc_scene *scene);
/* Adds an error at the key that a path such as "bodies[0].mesh.file" leads to, or as near to it as the file goes. */
void prc_scene_report_key(const prc_scene_log *log, prc_result code, const char *path, const char *message);

/* Memory that is freed with the scene; NULL where it is NULL or cannot be kept, then it is freed already. */
void *prc_scene_own(prc_scene *scene, void *memory);

/* --- meshes.c --- */
/* A file that the scene names: found from where the scene is, not from where the program runs. False: too long. */
bool prc_scene_file(const prc_scene_log *log, const char *file, char *path, size_t size);
/* What the program gave under a name; NULL and an error where it is not there. */
const prc_scene_memory *prc_scene_find_memory(const prc_scene_log *log, const char *name, bool is_mesh,
                                              prc_error *error);
bool prc_scene_mesh_given(const prc_mesh_spec *spec, const char *key);
/* `any`: whether it may hold what is no membrane, as of particles and obstacles; it is not mended then. Notes of the
 * reader become the scene's. `report` may be NULL. */
prc_result prc_scene_make_mesh(const prc_scene_log *log, prc_scene *scene, const prc_mesh_spec *spec, bool any,
                               prc_mesh *mesh, prc_mesh_report *report, prc_error *error);

/* --- obstacles.c --- */
void prc_scene_build_obstacles(const prc_scene_log *log, prc_scene *scene);
void prc_scene_release_obstacles(prc_scene *scene);

/* --- follow.c --- */
/* Makes the pin, which has its vertices and times, follow an animation that is moved along with the instance. */
struct prc_instance_pose;
prc_result prc_scene_follow_create(const prc_scene_log *log, const prc_follow_spec *spec,
                                   const struct prc_instance_pose *pose, const prc_mesh *mesh, prc_pin_def *pin,
                                   prc_error *error);
void prc_scene_follow_destroy(prc_pin_def *pin); /* where there is one */

/* --- forces.c: springs, seams and pressures, when all bodies and obstacles are there --- */
void prc_scene_build_forces(const prc_scene_log *log, prc_scene *scene);

/* A mesh with what selections need to know of it. */
typedef struct prc_select_context {
    const prc_scene_log *log;
    const prc_mesh *mesh;     /* placed */
    const prc_mesh *rest;     /* the same vertices, not placed, but scaled */
    double scale;             /* of the place, and so of the texture coordinates */
    const int *corners;       /* 4 vertices of a grid or strip, or NULL */
    char path[PRC_PATH_SIZE]; /* of the selection */
} prc_select_context;

/* The vertices selected, in increasing order; owned by the caller. NULL and an error in the log where there are none.
 */
int *prc_scene_select(const prc_select_context *context, const prc_select_spec *spec, int *count);

/* --- select_map.c --- */
/* The value of an image, 0 to 1, for every vertex, into `values`. */
prc_result prc_scene_sample_map(const prc_select_context *context, const prc_map_spec *map, double *values,
                                prc_error *error);

#endif
