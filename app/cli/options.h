/* app/cli/options.h — the command-line options of `percale run` and `percale resume`.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_CLI_OPTIONS_H
#define PRC_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

typedef struct prc_run_options {
    const char *verb;                   /* "run" or "resume" */
    const char *what;                   /* the scene, or the folder to resume */
    const char *scene;                  /* resume: where the scene is now, or NULL */
    const char *folder;                 /* of the output; NULL: not given */
    const char *report, *trace, *spare; /* or NULL */
    double until;                       /* simulated time, s; infinite: not given */
    double max_wall;                    /* s; infinite: not given */
    const char *log;                    /* where the log for programs goes, "-" for standard output; or NULL */
    double interval;                    /* between lines of progress, s; 0: not given */
    bool quiet, verbose, verify;
    bool overwrite;   /* a run in the folder that could be resumed */
    char **overrides; /* of keys of the scene, owned texts */
    int override_count;
} prc_run_options;

/* argv[0] is the verb. Returns an exit status; release also after a failure. */
int prc_run_options_read(prc_run_options *options, int argc, char **argv);
void prc_run_options_release(prc_run_options *options);

/* The key of the scene that an option of a verb stands for, "" for --set; NULL: none. Of those of a run `resume` has
 * what changes no results, but for another backend their last bits, and `info` what a step costs. */
const char *prc_run_option_key(const char *verb, const char *name);
/* "key=value", or the value where the key is ""; the caller frees it. NULL when out of memory. */
char *prc_run_option_override(const char *key, const char *value);

/* Where that goes which is for people: not where the log goes. */
FILE *prc_run_options_stream(const prc_run_options *options);

/* "2h30m", "90s", "1.5h", "90" → seconds; negative for what is none. Units are d, h, m and s. */
double prc_cli_duration(const char *text);

#endif
