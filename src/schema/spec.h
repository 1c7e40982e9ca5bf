/* schema/spec.h — a scene as its file describes it, before meshes are made and vertices are selected.
 *
 * Each struct is one table of the scene language (schema.inl lists their keys). Where a table is also a public def, the
 * def is the first member: an offset into the def is then an offset into the whole, and one list of keys serves both.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_SPEC_H
#define PRC_SCENE_SPEC_H

#include <percale/percale.h>

/* Keys of a table: bit k stands for the key that is k-th in the schema. schema.c asserts that no table has more. */
typedef uint64_t prc_key_set;
#define PRC_MOST_KEYS 64

/* Which keys of a table the file gave and where the table stands in the file. */
typedef struct prc_scene_mark {
    prc_key_set given;
    int line, column; /* from 1; 0 where the table is absent */
    int origin;       /* −1: the scene file; −1−k: a file that it includes; k: override number k */
    bool broken;      /* something in the table was wrong, and has been reported */
} prc_scene_mark;

typedef struct prc_strip_spec {
    double length, width; /* along x and y, m */
    int cells[2];
    prc_grid_pattern pattern;
    double jitter;
    int seed;
} prc_strip_spec;

typedef struct prc_disc_spec {
    double radius;
    int rings;
} prc_disc_spec;

typedef struct prc_cylinder_spec {
    double radius, height;
    int cells[2]; /* around, along */
} prc_cylinder_spec;

typedef struct prc_cone_spec {
    double radius, radius_top, height;
    int cells[2]; /* around, along */
} prc_cone_spec;

typedef struct prc_torus_spec {
    double radius, tube;
    int cells[2]; /* around, across */
} prc_torus_spec;

typedef struct prc_sphere_spec {
    double radius;
    int subdivisions;
} prc_sphere_spec;

/* Exactly one shape, file or memory is given; `vertices`, `split_texture` and `mend` may stand beside `file`. */
typedef struct prc_mesh_spec {
    prc_grid_def grid;
    prc_strip_spec strip;
    prc_disc_spec disc;
    prc_cylinder_spec cylinder;
    prc_cone_spec cone;
    prc_sphere_spec sphere;
    prc_torus_spec torus;
    prc_ribbon_def ribbon;
    prc_lattice_def lattice;
    prc_packing_def packing;
    char *file;      /* relative to the scene file */
    char *memory;    /* name of a prc_scene_memory */
    int vertices[2]; /* of the file: the first, and how many; {0, 0} for all */
    bool split_texture, mend;
    prc_scene_mark mark;
} prc_mesh_spec;

/* Points, alone or joined to lines; owned. */
typedef struct prc_points_spec {
    int point_count, line_count;
    double *points;  /* 3 each, m */
    int *line_start; /* line_count + 1; NULL where there are no lines */
} prc_points_spec;

typedef prc_rotate_def prc_rotate_spec;

typedef struct prc_place_spec {
    double translate[3];
    prc_rotate_spec rotate;
    double scale;
    prc_scene_mark mark;
} prc_place_spec;

typedef struct prc_spin_spec {
    double axis[3];
    double degrees_per_second;
    double center[3];
    prc_scene_mark mark;
} prc_spin_spec;

typedef struct prc_box_spec {
    double min[3], max[3];
} prc_box_spec;

typedef struct prc_ball_spec {
    double center[3], radius;
} prc_ball_spec;

typedef struct prc_side_spec {
    double point[3], normal[3];
} prc_side_spec;

typedef struct prc_property_spec {
    char *name;
    double above, below;
    prc_scene_mark mark;
} prc_property_spec;

typedef enum prc_channel {
    PRC_CHANNEL_RED,
    PRC_CHANNEL_GREEN,
    PRC_CHANNEL_BLUE,
    PRC_CHANNEL_ALPHA,
    PRC_CHANNEL_GRAY,
} prc_channel;

typedef struct prc_map_spec {
    char *file; /* relative to the scene file */
    prc_channel channel;
    double above, below;
    double from[2], to[2]; /* texture coordinates of two corners of the image */
    prc_scene_mark mark;
} prc_map_spec;

/* The vertices for which every given condition holds. */
typedef struct prc_select_spec {
    bool all, boundary;
    int *corners;
    int corner_count;
    int *vertices;
    int vertex_count;
    int range[2]; /* the first, and how many */
    int *loops;
    int loop_count;
    double loop_nearest[3];
    prc_box_spec box;
    prc_ball_spec sphere;
    prc_side_spec side;
    double nearest[3];
    int count; /* of the nearest */
    char *group;
    prc_property_spec property;
    prc_map_spec map;
    struct prc_select_spec *any, *every, *except;
    int any_count, every_count, except_count;
    prc_scene_mark mark;
} prc_select_spec;

typedef struct prc_start_velocity_spec {
    prc_select_spec select;
    double velocity[3];
    prc_spin_spec spin;
    prc_scene_mark mark;
} prc_start_velocity_spec;

typedef struct prc_instance_turn_spec {
    double axis[3];
    double degrees;
    double center[3];
} prc_instance_turn_spec;

/* The same thing `count` times. */
typedef struct prc_instances_spec {
    int count;
    double offset[3];
    prc_instance_turn_spec rotate;
    prc_scene_mark mark;
    /* Of the copy that this is part of, when copies have been made: */
    int written; /* which item of the file's list it is a copy of */
    int number;  /* which copy */
} prc_instances_spec;

typedef struct prc_group_spec {
    prc_select_spec select;
    prc_material_def material;
} prc_group_spec;

typedef enum prc_follow_by { PRC_FOLLOW_NUMBER, PRC_FOLLOW_NEAREST } prc_follow_by;

/* One of file, pattern and memory is given. */
typedef struct prc_follow_spec {
    char *file, *pattern; /* relative to the scene file */
    char *memory;         /* name of a prc_scene_memory */
    double frames_per_second, start;
    prc_place_spec place;
    prc_follow_by by;
    int *vertices; /* of the animation */
    int vertex_count;
    prc_scene_mark mark;
} prc_follow_spec;

typedef struct prc_pin_spec {
    prc_pin_def def;
    int motion; /* 0: fixed, where it is not a table */
    prc_select_spec select;
    prc_follow_spec follow;
} prc_pin_spec;

typedef struct prc_force_spec {
    prc_force_def def;
    prc_select_spec select;
} prc_force_spec;

typedef struct prc_pressure_spec {
    prc_pressure_def def;
    int *with;
    int with_count;
    prc_scene_mark mark;
} prc_pressure_spec;

typedef struct prc_body_spec {
    prc_body_def def;
    prc_mesh_spec shape;
    prc_mesh_spec rest_shape; /* where `rest` is a table */
    prc_place_spec place;
    prc_spin_spec spin;
    prc_group_spec *groups;
    int group_count;
    prc_pin_spec *pins;
    int pin_count;
    prc_force_spec *forces;
    int force_count;
    prc_pressure_spec pressure;
    prc_start_velocity_spec *velocities;
    int velocity_count;
    prc_instances_spec instances;
    prc_scene_mark mark;
} prc_body_spec;

/* One of file, pattern and memory is given. */
typedef struct prc_animation_spec {
    char *file, *pattern; /* relative to the scene file */
    char *memory;         /* name of a prc_scene_memory */
    double frames_per_second, start;
    prc_scene_mark mark;
} prc_animation_spec;

/* At least one of mesh, points and polylines is given. */
typedef struct prc_obstacle_spec {
    prc_obstacle_def def;
    prc_mesh_spec shape;
    prc_points_spec points, polylines;
    prc_place_spec place;
    prc_animation_spec animation;
    prc_instances_spec instances;
    prc_scene_mark mark;
} prc_obstacle_spec;

typedef struct prc_collider_spec {
    prc_collider_def def;
    prc_mesh_spec shape;
    prc_place_spec place;
    prc_instances_spec instances;
    prc_scene_mark mark;
} prc_collider_spec;

/* Points that springs or stitches begin or end at. */
typedef struct prc_end_spec {
    int body; /* −1: not given */
    int vertex, edge[2];
    double at;
    int *vertices;
    int vertex_count;
    prc_select_spec select;
    double point[3];
    prc_scene_mark mark;
} prc_end_spec;

typedef struct prc_spring_spec {
    prc_spring_def def;
    prc_end_spec tie, to;
    prc_scene_mark mark;
} prc_spring_spec;

typedef struct prc_seam_spec {
    prc_spring_def def;
    int stitches; /* −1: not given */
    prc_end_spec tie, to;
    prc_scene_mark mark;
} prc_seam_spec;

typedef struct prc_scene_spec {
    prc_sim_def def;
    int percale;
    int include, variables; /* how many were given */
    prc_collider_spec *colliders;
    int collider_count;
    prc_obstacle_spec *obstacles;
    int obstacle_count;
    prc_body_spec *bodies;
    int body_count;
    prc_spring_spec *springs;
    int spring_count;
    prc_seam_spec *seams;
    int seam_count;
} prc_scene_spec;

#endif
