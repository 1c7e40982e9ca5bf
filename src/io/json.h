/* io/json.h — writes JSON, indented for people or as one document per line.
 *
 * A writer over a prc_file that takes care of commas, indentation and escapes. `key` is the name inside an object, and
 * NULL inside an array and at the top. Leaves out reading. SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_JSON_H
#define PRC_IO_JSON_H

#include "io/file.h"

#define PRC_JSON_DEPTH 32

typedef struct prc_json {
    prc_file *file;
    bool line; /* the whole document in one line */
    int depth;
    char closing[PRC_JSON_DEPTH]; /* the bracket that ends each level */
    bool filled[PRC_JSON_DEPTH];  /* whether a comma is due */
} prc_json;

/* Begins the document, which is an object. */
prc_json prc_json_begin(prc_file *file);
prc_json prc_json_begin_line(prc_file *file);
void prc_json_object(prc_json *json, const char *key);
void prc_json_array(prc_json *json, const char *key);
/* Ends the innermost object or array; ending the outermost one ends the document. */
void prc_json_end(prc_json *json);
void prc_json_real(prc_json *json, const char *key, double value); /* null where it is not finite */
void prc_json_int(prc_json *json, const char *key, long long value);
void prc_json_bool(prc_json *json, const char *key, bool value);
void prc_json_text(prc_json *json, const char *key, const char *text); /* null for NULL */

#endif
