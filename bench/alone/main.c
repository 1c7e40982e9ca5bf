/* bench/alone/main.c — `percale bench` by itself, for machines without what the program needs to read scenes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "cli.h"

#include <stdarg.h>
#include <stdio.h>

int prc_cli_usage(const char *verb, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "percale_%s: ", verb);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return PRC_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    return prc_cli_bench(argc, argv);
}
