/* io/numbered.c — see numbered.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/numbered.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 1100

bool prc_numbered_read(prc_numbered *p, const char *text)
{
    const char *percent = strchr(text, '%'), *at = percent ? percent + 1 : text;
    p->text = text;
    p->before = percent ? (int)(percent - text) : 0;
    p->digits = 1;
    if (percent && *at == '0' && isdigit((unsigned char)at[1]) && !isdigit((unsigned char)at[2])) {
        p->digits = at[1] - '0';
        at += 2;
    }
    p->after = *at ? at + 1 : at;
    return percent && *at == 'd' && !strchr(p->after, '%');
}

bool prc_numbered_path(const prc_numbered *p, int number, char *path, size_t size)
{
    return snprintf(path, size, "%.*s%0*d%s", p->before, p->text, p->digits, number, p->after) < (int)size;
}

static bool exists(const prc_numbered *p, int number)
{
    struct stat info;
    char path[PATH_SIZE];
    return prc_numbered_path(p, number, path, sizeof path) && stat(path, &info) == 0;
}

void prc_numbered_find(const prc_numbered *p, int *first, int *end)
{
    *first = *end = exists(p, 0) ? 0 : 1;
    while (*end < INT_MAX && exists(p, *end))
        ++*end;
}
