/* app/cli/errors.c — prints the errors of a scene: each with its line of the file and a caret below.
 *
 * Terminals get colours unless NO_COLOR is set; files and pipes get the same text without colours.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli.h"

static void print_source(const char *source, int line, int caret, bool colours)
{
    char margin[16];
    int width = snprintf(margin, sizeof margin, "%5d", line);
    fprintf(stderr, "%s | %s\n", margin, source);
    fprintf(stderr, "%*s | %*s%s^%s\n", width, "", caret, "", colours ? "\033[1;31m" : "", colours ? "\033[0m" : "");
}

int prc_cli_scene_errors(const prc_scene_errors *errors)
{
    const char *no_color = getenv("NO_COLOR");
    const bool colours = isatty(STDERR_FILENO) && !(no_color && no_color[0]);
    const int kept = errors->count < PRC_SCENE_ERRORS ? errors->count : PRC_SCENE_ERRORS;
    for (int k = 0; k < kept; k++) {
        fprintf(stderr, "%s%s%s\n", colours ? "\033[1m" : "", errors->items[k].message, colours ? "\033[0m" : "");
        if (errors->items[k].source[0])
            print_source(errors->items[k].source, errors->items[k].line, errors->items[k].caret, colours);
    }
    if (errors->count > kept)
        fprintf(stderr, "… and %d more\n", errors->count - kept);
    if (errors->code == PRC_ERROR_INPUT)
        fprintf(stderr, "percale: %d error%s; 'percale schema' lists every key\n", errors->count,
                errors->count == 1 ? "" : "s");
    return PRC_EXIT_INPUT;
}
