/* io/numbered.h — names of numbered files: "kick_%04d.obj".
 *
 * The pattern is parsed here, so that no external text is used as a format string.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_NUMBERED_H
#define PRC_IO_NUMBERED_H

#include <stdbool.h>
#include <stddef.h>

typedef struct prc_numbered {
    const char *text;   /* the pattern, which must stay */
    int before, digits; /* bytes before the number; digits to fill with zeros */
    const char *after;
} prc_numbered;

/* Finds the one %d or %0Nd; false where there is none, or something else with %. */
bool prc_numbered_read(prc_numbered *pattern, const char *text);
/* The name with this number; false where it does not fit. */
bool prc_numbered_path(const prc_numbered *pattern, int number, char *path, size_t size);
/* The first number for which there is a file, 0 or 1, and the first beyond it for which there is none. No file: both
 * are 1. */
void prc_numbered_find(const prc_numbered *pattern, int *first, int *end);

#endif
