/* app/cli/machine.c — see machine.h. POSIX, and files of Linux if they exist.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "machine.h"

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The text after `key` and the signs between in the first line of a file that begins with it; "" where there is none.
 */
static void find_line(const char *path, const char *key, char *text, size_t size)
{
    char line[300];
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *start = line + strlen(key);
        start += strspn(start, " \t:=\"");
        snprintf(text, size, "%.*s", (int)strcspn(start, "\"\r\n"), start);
    }
    if (file)
        fclose(file);
}

prc_machine prc_machine_find(void)
{
    prc_machine machine = {.processors = omp_get_num_procs()};
    struct utsname system;
    char distribution[80];
    const bool named = uname(&system) >= 0;
    find_line("/proc/cpuinfo", "model name", machine.processor, sizeof machine.processor);
    if (!machine.processor[0] && named)
        snprintf(machine.processor, sizeof machine.processor, "%.100s", system.machine);
    find_line("/etc/os-release", "PRETTY_NAME", distribution, sizeof distribution);
    if (named)
        snprintf(machine.system, sizeof machine.system, "%.20s %.50s%s%.60s", system.sysname, system.release,
                 distribution[0] ? ", " : "", distribution);
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    machine.memory = pages > 0 && page > 0 ? (double)pages * (double)page : 0;
#endif
    return machine;
}
