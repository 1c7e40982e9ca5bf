/* scene/names.h — resolves names in a scene: bodies and their instances, and misspelt keys.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_NAMES_H
#define PRC_SCENE_NAMES_H

#include "scene/variables.h"
#include "schema/schema.h"

/* What stands in the file, for "found …". */
const char *prc_node_found(const prc_node *node, char text[80]);

/* The number, instances counted, of the body that a node names, or says; −1 after an error. */
int prc_scene_find_body(prc_variables *variables, const prc_node *root, const prc_node *node, const char *path);

/* Says that the table has no such key, and which may be meant. */
void prc_scene_report_unknown(const prc_scene_log *log, const prc_table *table, const prc_node *node, const char *path);
/* Whether a key that is missing is there under a name that is nearly its own, which has been reported. */
bool prc_scene_is_misspelt(const prc_table *table, const prc_node *node, const char *key);

#endif
