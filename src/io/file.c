/* io/file.c — see file.h. POSIX: exclusive creation, fsync, rename.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L

#include "io/file.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define NAME_ATTEMPTS 100

struct prc_file {
    FILE *stream;
    char *path, *temporary; /* temporary: NULL for a stream of the caller's */
    locale_t plain;         /* the C locale */
    int failure;            /* errno of the first write that failed */
};

/* Bytes that are free where `path` is, or would be; negative: unknown. */
static double free_bytes(const char *path)
{
    struct statvfs room;
    const char *slash = strrchr(path, '/');
    char folder[1024] = ".";
    if (slash && (size_t)(slash - path) < sizeof folder)
        snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return statvfs(folder, &room) == 0 ? (double)room.f_bavail * (double)room.f_frsize : -1;
}

prc_result prc_file_fail(prc_error *error, const char *path, const char *what, int failure)
{
    const double left = failure == ENOSPC || failure == EDQUOT ? free_bytes(path) : -1;
    if (left < 0)
        return prc_fail(error, PRC_ERROR_IO, "%s: %s: %s", path, what, strerror(failure));
    return prc_fail(error, PRC_ERROR_IO,
                    "%s: %s: %s (%.4g MB are free there); free some space, or write to another disk", path, what,
                    strerror(failure), left / 1e6);
}

static void release(prc_file *file)
{
    if (file->plain)
        freelocale(file->plain);
    prc_free(file->path);
    prc_free(file->temporary);
    prc_free(file);
}

/* Creates the temporary file. A name may be left over from a program that was killed: then the next one is tried. */
static int create_temporary(prc_file *file, size_t capacity)
{
    static atomic_uint serial;
    for (int attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
        snprintf(file->temporary, capacity, "%s.%ld-%u.tmp", file->path, (long)getpid(), atomic_fetch_add(&serial, 1));
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Opens the stream; returns 0 or an errno. */
static int start(prc_file *file, size_t capacity)
{
    int descriptor = create_temporary(file, capacity);
    if (descriptor < 0)
        return errno;
    file->stream = fdopen(descriptor, "wb");
    if (file->stream)
        return 0;
    int failure = errno;
    close(descriptor);
    unlink(file->temporary);
    return failure;
}

prc_file *prc_file_open(const char *path, prc_error *error)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
        prc_fail(error, PRC_ERROR_IO, "%s: cannot be written: it exists and is %s", path,
                 S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
        return NULL;
    }
    size_t capacity = strlen(path) + 48; /* room for two numbers and the ending */
    prc_file *file = PRC_NEW(prc_file, 1);
    if (file) {
        file->path = prc_string_copy(path);
        file->temporary = prc_alloc(capacity, 1);
        file->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    if (!file || !file->path || !file->temporary || !file->plain) {
        if (file)
            release(file);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    int failure = start(file, capacity);
    if (!failure)
        return file;
    prc_file_fail(error, path, "cannot be written", failure);
    release(file);
    return NULL;
}

prc_file *prc_file_stream(FILE *stream, const char *name, prc_error *error)
{
    prc_file *file = PRC_NEW(prc_file, 1);
    if (file) {
        file->stream = stream;
        file->path = prc_string_copy(name);
        file->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    }
    if (file && file->path && file->plain)
        return file;
    if (file)
        release(file);
    PRC_FAIL_MEMORY(error);
    return NULL;
}

static void note_failure(prc_file *file)
{
    if (!file->failure)
        file->failure = errno ? errno : EIO;
}

void prc_file_write(prc_file *file, const void *data, size_t size)
{
    errno = 0;
    if (size && fwrite(data, 1, size, file->stream) != size)
        note_failure(file);
}

void prc_file_printf(prc_file *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    locale_t before = uselocale(file->plain);
    errno = 0;
    if (vfprintf(file->stream, format, arguments) < 0)
        note_failure(file);
    uselocale(before);
    va_end(arguments);
}

void prc_file_flush(prc_file *file)
{
    errno = 0;
    if (fflush(file->stream) != 0 || ferror(file->stream))
        note_failure(file);
}

/* From the temporary name to the target's. */
static void take_place(prc_file *file)
{
    errno = 0;
    if (!file->failure && fsync(fileno(file->stream)) != 0)
        note_failure(file);
    if (fclose(file->stream) != 0)
        note_failure(file);
    if (!file->failure && rename(file->temporary, file->path) != 0)
        note_failure(file);
    if (file->failure)
        unlink(file->temporary);
}

prc_result prc_file_commit(prc_file *file, prc_error *error)
{
    prc_result result = PRC_OK;
    prc_file_flush(file);
    if (file->temporary)
        take_place(file);
    if (file->failure && file->temporary)
        result = prc_file_fail(error, file->path, "could not be written", file->failure);
    else if (file->failure) /* `path` is only a name: no disk to tell of */
        result = prc_fail(error, PRC_ERROR_IO, "%s: could not be written: %s", file->path, strerror(file->failure));
    release(file);
    return result;
}

void prc_file_abandon(prc_file *file)
{
    if (!file)
        return;
    if (file->temporary) {
        fclose(file->stream);
        unlink(file->temporary);
    }
    release(file);
}

/* Without waiting for anyone: a pipe without a writer would never be opened. What is no regular file is refused next.
 */
static FILE *open_to_read(const char *path)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *stream = descriptor < 0 ? NULL : fdopen(descriptor, "rb");
    if (!stream && descriptor >= 0)
        close(descriptor);
    return stream;
}

size_t prc_file_peek(const char *path, char *head, size_t size)
{
    struct stat status;
    FILE *stream = open_to_read(path);
    size_t read = 0;
    if (stream && fstat(fileno(stream), &status) == 0 && S_ISREG(status.st_mode))
        read = fread(head, 1, size - 1, stream);
    if (stream)
        fclose(stream);
    head[read] = '\0';
    return read;
}

static prc_result read_stream(FILE *stream, const char *path, unsigned long long most, char **data, size_t *size,
                              prc_error *error)
{
    struct stat status;
    if (fstat(fileno(stream), &status) != 0)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: it is not a regular file", path);
    if ((unsigned long long)status.st_size > most)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: %lld bytes; expected at most %llu", path,
                        (long long)status.st_size, most);
    size_t expected = (size_t)status.st_size;
    char *text = prc_alloc(expected + 1, 1);
    if (!text)
        return PRC_FAIL_MEMORY(error);
    errno = 0;
    *size = fread(text, 1, expected, stream);
    if (*size != expected) {
        prc_free(text);
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be read: %s", path,
                        errno ? strerror(errno) : "it has become shorter");
    }
    *data = text;
    return PRC_OK;
}

prc_result prc_file_read(const char *path, char **data, size_t *size, prc_error *error)
{
    return prc_file_read_most(path, SIZE_MAX - 1, data, size, error);
}

prc_result prc_file_read_most(const char *path, unsigned long long most, char **data, size_t *size, prc_error *error)
{
    *data = NULL;
    *size = 0;
    FILE *stream = open_to_read(path);
    if (!stream)
        return prc_fail(error, PRC_ERROR_IO, "%s: cannot be opened: %s", path, strerror(errno));
    prc_result result = read_stream(stream, path, most, data, size, error);
    fclose(stream);
    return result;
}
