/* bench/alone/main.c — `percale bench` by itself, for machines without what the program needs to read scenes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } verbs[] = {{"elastic", prc_bench_elastic}, {"contact", prc_bench_contact}, {"gpu", prc_bench_gpu}};
    for (size_t k = 0; argc > 1 && k < sizeof verbs / sizeof *verbs; k++)
        if (!strcmp(argv[1], verbs[k].name))
            return verbs[k].run(argc - 1, argv + 1);
    fputs("percale_bench elastic|contact|gpu [options]    as `percale bench`; --help tells more\n", stderr);
    return 2;
}
