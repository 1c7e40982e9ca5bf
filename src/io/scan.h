/* io/scan.h — scans the text and bytes of a mesh file: words, numbers, blocks, and messages with positions.
 *
 * The text must be followed by a zero byte. Counts in files are never trusted: before a reader allocates memory for
 * `count` items, it calls prc_scan_room, which compares them with the remaining bytes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_SCAN_H
#define PRC_IO_SCAN_H

#include <percale/mesh.h>

#define PRC_SCAN_FOUND 40 /* at most so many bytes of a faulty word are quoted */
#define PRC_SCAN_WORD 64  /* room for a keyword */

typedef struct prc_scan {
    const char *path;
    prc_error *error;
    const char *begin, *at, *end;
    long long line; /* of `at`, from 1 */
    bool one_line;  /* words and numbers stay on the line */
    bool bytes;     /* messages name a byte in place of a line: after binary data nobody counts lines */
    bool big;       /* binary numbers have their highest byte first */
} prc_scan;

prc_scan prc_scan_begin(const char *path, const char *data, size_t size, prc_error *error);

/* Each fills the error with "path:line: " or "path: byte n: " and returns PRC_ERROR_INPUT. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
prc_result
prc_scan_fail(const prc_scan *s, const char *format, ...);
/* "found 'x'; expected …", or that the line or the file ends. */
prc_result prc_scan_unexpected(prc_scan *s, const char *expected);

/* Moves to the next word; false where the line (one_line) or the file ends first. */
bool prc_scan_skip(prc_scan *s);
/* Moves to the start of the next line; false at the end of the file. */
bool prc_scan_next_line(prc_scan *s);
/* Copies the next word, cut to fit, and moves past it; the empty word at the end. */
const char *prc_scan_word(prc_scan *s, char word[PRC_SCAN_WORD]);
/* Moves past the next word where it is this one, letters of either case. */
bool prc_scan_accept(prc_scan *s, const char *word);
/* Takes the rest of the line without blanks at its ends; not zero-terminated. */
const char *prc_scan_rest(prc_scan *s, size_t *length);

prc_result prc_scan_number(prc_scan *s, double *value, const char *expected); /* finite */
prc_result prc_scan_any_number(prc_scan *s, double *value, const char *expected);
prc_result prc_scan_whole(prc_scan *s, long long low, long long high, long long *value, const char *expected);

/* Refuses `count` items that take at least `bytes` each where the rest of the file cannot hold them, or where they are
 * more vertices than allowed. `what` in the plural. */
prc_result prc_scan_room(const prc_scan *s, long long count, size_t bytes, const char *what);
prc_result prc_scan_vertices(const prc_scan *s, long long count);

/* Binary numbers; what is missing at the end of the file is refused. */
prc_result prc_scan_int32(prc_scan *s, int32_t *value);
prc_result prc_scan_uint64(prc_scan *s, uint64_t *value);
prc_result prc_scan_real(prc_scan *s, int size, double *value); /* float or double; must be finite */
prc_result prc_scan_pass(prc_scan *s, uint64_t size);           /* past bytes that do not matter */

/* The number in `size` bytes. */
uint64_t prc_scan_bits(const char *at, int size, bool big);

#endif
