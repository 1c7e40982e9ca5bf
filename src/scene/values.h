/* scene/values.h — shared by reader.c and values.c: the state while a tree is read, and the kinds of values.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_VALUES_H
#define PRC_SCENE_VALUES_H

#include "scene/reader.h"
#include "scene/variables.h"
#include "schema/schema.h"

typedef struct prc_reader {
    const prc_scene_log *log;
    prc_variables *variables;
    const prc_node *root;       /* the whole scene */
    prc_key_set material_given; /* keys of the material read last */
    prc_key_set inherited;      /* material keys that the body gave, while its groups are read */
} prc_reader;

#define REPORT(r, node, path, ...)                                                                                     \
    prc_scene_report((r)->log, PRC_ERROR_INPUT, (node)->origin, (node)->line, (node)->column, (path), __VA_ARGS__)

/* Grows with everything that is wrong, said here or elsewhere. */
int prc_reader_trouble(const prc_reader *r);
void prc_reader_report_type(const prc_reader *r, const prc_key *key, const prc_node *node, const char *path);

/* --- each reads a node into the field of a key; what is wrong is reported, and the field stays as it was --- */
/* A number or an expression. A whole number may be missed by rounding where it is worked out: n * 0.1. */
bool prc_read_number(const prc_reader *r, const prc_key *key, const prc_node *node, const char *path, double *value);
void prc_reader_store(const prc_key *key, char *field, int index, double value);
void prc_reader_set_count(const prc_key *key, char *object, int count);
/* A list of `fewest` to `most` numbers. Returns how many were stored, −1 after an error. */
int prc_read_numbers(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, int fewest, int most,
                     const char *path);
void prc_read_pairs(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path);
void prc_read_int_list(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path);
/* Appends the points of a list, each [x, y, z]; false after an error. */
bool prc_read_points(const prc_reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to,
                     const char *path);
void prc_read_lines(const prc_reader *r, const prc_key *key, const prc_node *node, prc_points_spec *to,
                    const char *path);
int prc_reader_find_body(const prc_reader *r, const prc_node *node, const char *path);
void prc_read_bodies(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path);
void prc_read_body_list(const prc_reader *r, const prc_key *key, const prc_node *node, char *object, const char *path);
void prc_read_bool(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path);
void prc_read_name(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path);
/* A list of names, each at most once; a single name stands for a list of it. */
void prc_read_names(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path);
/* What a file names stands beside it; later on all names are relative to the scene file. */
char *prc_reader_copy_name(const prc_reader *r, const prc_node *node, bool is_path);
void prc_read_text(const prc_reader *r, const prc_key *key, const prc_node *node, char *field, const char *path);

#endif
