/* scene/expression.h — arithmetic in scene values: "size / 2", "max(n, 3) * sin(30)".
 *
 * Numbers, names, + - * / % ^ with the usual precedence (^ binds strongest and from the right: -2^2 is -4), brackets
 * and the functions of expression.c. a % b has the sign of b. Angles are degrees, as everywhere in scenes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_SCENE_EXPRESSION_H
#define PRC_SCENE_EXPRESSION_H

#include <percale/base.h>

#define PRC_EXPRESSION_LENGTH 1000 /* longest, bytes */
#define PRC_EXPRESSION_DEPTH 32    /* deepest nesting of brackets, signs and powers */
#define PRC_EXPRESSION_NAME 40     /* longest name */

typedef enum prc_name_state {
    PRC_NAME_UNKNOWN,
    PRC_NAME_KNOWN,
    PRC_NAME_BROKEN, /* known, but without a value; said elsewhere */
} prc_name_state;

/* What names stand for. */
typedef struct prc_names {
    prc_name_state (*find)(void *context, const char *name, double *value);
    void *context;
} prc_names;

typedef struct prc_expression_error {
    int at;                            /* where, in bytes from the start */
    bool said;                         /* a name without a value that has been reported: nothing to add */
    char unknown[PRC_EXPRESSION_NAME]; /* the name, where that is what is wrong; else "" */
    char message[160];
} prc_expression_error;

/* False and *error filled where the text has no finite value. */
bool prc_expression_evaluate(const char *text, const prc_names *names, double *value, prc_expression_error *error);

/* Letters, digits and '_', a digit not first, and short enough. */
bool prc_expression_is_name(const char *text);
/* Names that expressions know already: functions and pi. NULL ends the list. */
extern const char *const prc_expression_words[];

#endif
