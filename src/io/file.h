/* io/file.h — files that are read completely, and written completely or not at all.
 *
 * A prc_file is written under a temporary name beside its target and takes the target's name in one step when it is
 * committed: a reader, a crash or a full disk never leaves a half-written file under the target's name. Write errors
 * are kept until the commit, so that writers need not test every call. Numbers are printed with a decimal point in
 * every locale. prc_file_stream is for direct output: standard output, logs. Leaves out random access.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_FILE_H
#define PRC_IO_FILE_H

#include <percale/base.h>

#include <stdio.h>

typedef struct prc_file prc_file;

/* Starts writing `path`; NULL and a message when it cannot. An existing target must be a regular file. */
prc_file *prc_file_open(const char *path, prc_error *error);
/* Writes into an open stream, which stays the caller's; `name` is used in messages. Its commit flushes. */
prc_file *prc_file_stream(FILE *stream, const char *name, prc_error *error);
void prc_file_flush(prc_file *file);
void prc_file_write(prc_file *file, const void *data, size_t size);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void prc_file_printf(prc_file *file, const char *format, ...);
/* Each ends the writing and releases the file: with the target replaced, or (abandon, or a commit that fails) with the
 * target as it was and no temporary file left. Abandoning NULL does nothing. */
prc_result prc_file_commit(prc_file *file, prc_error *error);
void prc_file_abandon(prc_file *file);

/* "path: what: the reason of errno `failure`"; where the disk is full, also how much is free and what to do. Returns
 * PRC_ERROR_IO. */
prc_result prc_file_fail(prc_error *error, const char *path, const char *what, int failure);

/* Reads a whole file into memory that the caller frees with prc_free; a zero byte follows the last. */
prc_result prc_file_read(const char *path, char **data, size_t *size, prc_error *error);
/* The same, for files of at most `most` bytes; larger ones are refused before anything is allocated. */
prc_result prc_file_read_most(const char *path, unsigned long long most, char **data, size_t *size, prc_error *error);
/* The first bytes of a regular file, at most size − 1, as text with a zero after it; returns how many there are, 0
 * where it cannot be read. */
size_t prc_file_peek(const char *path, char *head, size_t size);

#endif
