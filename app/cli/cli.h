/* app/cli/cli.h — the verbs of the program percale, and what they share.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_H
#define PRC_CLI_H

#include <percale/percale.h>

#include "scene/scene.h"

typedef enum prc_exit {
    PRC_EXIT_OK = 0,
    PRC_EXIT_INPUT = 1,     /* a scene, mesh or value that makes no sense */
    PRC_EXIT_USAGE = 2,     /* options that make no sense */
    PRC_EXIT_WRITE = 3,     /* a file could not be written */
    PRC_EXIT_STEP = 4,      /* a step could not be completed, or did not converge */
    PRC_EXIT_VIOLATION = 5, /* surfaces intersect, says the checker */
    PRC_EXIT_WALL = 6,      /* stopped by --max-wall; can be resumed */
    PRC_EXIT_SIGNAL = 128   /* + the number: 130 Ctrl-C, 143 SIGTERM, after everything was written; can be resumed */
} prc_exit;

/* argv[0] is the verb. Each returns the exit status of the program. */
int prc_cli_run(int argc, char **argv);
int prc_cli_resume(int argc, char **argv);
int prc_cli_info(int argc, char **argv);
int prc_cli_schema(int argc, char **argv);
void prc_cli_json_schema(void); /* a part of the verb schema */
int prc_cli_bench(int argc, char **argv);
int prc_cli_check(int argc, char **argv);

void prc_cli_version(void);

/* Prints "percale <verb>: message" and where help is; returns PRC_EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int prc_cli_usage(const char *verb, const char *format, ...);

/* Prints every error of a scene to stderr; returns PRC_EXIT_INPUT. */
int prc_cli_scene_errors(const prc_scene_errors *errors);

double prc_cli_seconds(void); /* wall clock, from an arbitrary start */

#endif
