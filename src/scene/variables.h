/* scene/variables.h — the variables of a scene, and numbers written as expressions of them.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_VARIABLES_H
#define PRC_SCENE_VARIABLES_H

#include "scene/expression.h"
#include "scene/tree.h"

#define PRC_VARIABLES 1000
#define PRC_VARIABLES_DEEP 60 /* longest chain of variables that are made of ones further down */

typedef struct prc_variable {
    const prc_node *node;
    double value;
    enum { PRC_VARIABLE_NEW, PRC_VARIABLE_BUSY, PRC_VARIABLE_GOOD, PRC_VARIABLE_BAD } state;
} prc_variable;

typedef struct prc_variables {
    const prc_scene_log *log;
    int count;
    prc_variable items[PRC_VARIABLES];
    int busy[PRC_VARIABLES_DEEP]; /* those being worked out, each wanted by the one before it */
    int busy_count;
    int silent; /* values that could not be had for a reason that was reported elsewhere */
} prc_variables;

/* Works out every variable of the table `node` (NULL: none). What is wrong is reported. */
void prc_variables_read(prc_variables *variables, const prc_scene_log *log, const prc_node *node);

/* A plain number in the text of a node: 3, -1e-3, .inf. */
bool prc_node_number(const prc_node *node, double *value);

/* The value of a number or an expression; false after an error, which is reported, with `expected` at its end unless
 * that is NULL. */
bool prc_variables_evaluate(prc_variables *variables, const prc_node *node, const char *path, const char *expected,
                            double *value);
/* The same without a word. */
bool prc_variables_try(prc_variables *variables, const prc_node *node, double *value);

#endif
