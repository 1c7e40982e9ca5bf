/* app/cli/main.c — the program percale: finds the verb and hands over.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "help.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help; /* NULL: the verb prints its own */
} verbs[] = {
    {"run", prc_cli_run, prc_help_run},       {"info", prc_cli_info, prc_help_info},
    {"check", prc_cli_check, prc_help_check}, {"schema", prc_cli_schema, prc_help_schema},
    {"bench", prc_cli_bench, NULL},
};

#define VERBS (sizeof verbs / sizeof *verbs)

static bool asks_help(const char *word)
{
    return !strcmp(word, "--help") || !strcmp(word, "-h");
}

static int run_verb(size_t v, int argc, char **argv)
{
    for (int i = 1; verbs[v].help && i < argc; i++)
        if (asks_help(argv[i])) {
            fputs(verbs[v].help, stdout);
            return PRC_EXIT_OK;
        }
    return verbs[v].run(argc, argv);
}

static int help(const char *verb)
{
    for (size_t v = 0; verb && v < VERBS; v++)
        if (!strcmp(verb, verbs[v].name)) {
            char option[] = "--help", *arguments[] = {(char *)verb, option, NULL};
            return run_verb(v, 2, arguments);
        }
    fputs(prc_help_general, stdout);
    return PRC_EXIT_OK;
}

int prc_cli_usage(const char *verb, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "percale%s%s: ", verb[0] ? " " : "", verb);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'percale help%s%s'.\n", verb[0] ? " " : "", verb);
    return PRC_EXIT_USAGE;
}

int prc_cli_scene_errors(const prc_scene_errors *errors)
{
    int kept = errors->count < PRC_SCENE_ERRORS ? errors->count : PRC_SCENE_ERRORS;
    for (int k = 0; k < kept; k++)
        fprintf(stderr, "%s\n", errors->items[k].message);
    if (errors->count > kept)
        fprintf(stderr, "… and %d more\n", errors->count - kept);
    if (errors->code == PRC_ERROR_INPUT)
        fprintf(stderr, "percale: %d error%s; 'percale schema' lists every key\n", errors->count,
                errors->count == 1 ? "" : "s");
    return PRC_EXIT_INPUT;
}

double prc_cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Threads that spin while they wait cost many times their worth where other programs want the processors. OpenMP reads
 * its wishes before main starts, so the program starts itself once more with them set, unless the user has set them. */
static void start_waiting_passively(char **argv)
{
    if (getenv("OMP_WAIT_POLICY"))
        return;
    setenv("OMP_WAIT_POLICY", "passive", 1);
    setenv("GOMP_SPINCOUNT", "20000", 0); /* a stage is over soon: a short wait awake, then sleep */
    setenv("KMP_BLOCKTIME", "0", 0);
    execv("/proc/self/exe", argv); /* where this fails, threads spin: slower, not wrong */
}

int main(int argc, char **argv)
{
    start_waiting_passively(argv);
    if (argc < 2) {
        fputs(prc_help_general, stderr);
        return PRC_EXIT_USAGE;
    }
    if (asks_help(argv[1]) || !strcmp(argv[1], "help"))
        return help(argc > 2 ? argv[2] : NULL);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
        prc_cli_version();
        return PRC_EXIT_OK;
    }
    for (size_t v = 0; v < VERBS; v++)
        if (!strcmp(argv[1], verbs[v].name))
            return run_verb(v, argc - 1, argv + 1);
    return prc_cli_usage("", "'%s' is not known; expected run, info, check, schema, bench or help", argv[1]);
}
