/* app/cli/cli.h — the verbs of the program percale, and their shared functions.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_H
#define PRC_CLI_H

#include <percale/percale.h>
#include <stdio.h>

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
int prc_cli_convert(int argc, char **argv);
int prc_cli_render(int argc, char **argv);
extern const char prc_render_help[];
int prc_cli_view(int argc, char **argv);
extern const char prc_view_help[];
int prc_cli_plot(int argc, char **argv);

void prc_cli_version(void);

/* Prints "percale <verb>: message" and where help is; returns PRC_EXIT_USAGE. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
int prc_cli_usage(const char *verb, const char *format, ...);

/* Prints every error of a scene to stderr; returns PRC_EXIT_INPUT. */
int prc_cli_scene_errors(const prc_scene_errors *errors);

/* What was mended in the mesh files of a scene, a line each. */
void prc_cli_print_notes(const prc_scene *scene, FILE *stream);

/* Writes a picture of what is wrong with a mesh file; see io/problems.h. */
prc_result prc_cli_show_problems(const char *mesh_path, const prc_mesh_file_def *def, const char *path,
                                 prc_error *error);
/* The same for the mesh file that made a scene fail, if one did: to problems.ply in the folder of a run that did not
 * begin, or to `file`. Where both are NULL, says how to get one. Prints what came of it to stderr. */
void prc_cli_mesh_problems(const prc_scene_errors *errors, const char *folder, const char *file);

double prc_cli_seconds(void); /* wall clock, from an arbitrary start */

#endif
