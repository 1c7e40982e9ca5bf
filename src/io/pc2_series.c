/* io/pc2_series.c — see pc2_series.h.
 * SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/pc2_series.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER 32
#define AT_POINTS 16
#define AT_SAMPLES 28

struct prc_pc2_series {
    char *path;
    int descriptor, point_count, samples;
    unsigned char *sample;
    size_t sample_size;
};

static unsigned char *put_uint32(unsigned char *at, uint32_t bits)
{
    for (int k = 0; k < 4; k++)
        *at++ = (unsigned char)(bits >> (8 * k));
    return at;
}

static uint32_t get_uint32(const unsigned char *at)
{
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++)
        bits |= (uint32_t)at[k] << (8 * k);
    return bits;
}

static prc_result write_at(const prc_pc2_series *series, const void *data, size_t size, off_t at, prc_error *error)
{
    const char *from = data;
    while (size) {
        const ssize_t written = pwrite(series->descriptor, from, size, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return prc_file_fail(error, series->path, "could not be written", written ? errno : ENOSPC);
        from += written;
        size -= (size_t)written;
        at += written;
    }
    return PRC_OK;
}

static prc_result write_header(const prc_pc2_series *series, prc_error *error)
{
    unsigned char header[HEADER] = "POINTCACHE2", *at = header + 12;
    at = put_uint32(at, 1);
    at = put_uint32(at, (uint32_t)series->point_count);
    at = put_uint32(at, 0);          /* start frame: 0 as a float */
    at = put_uint32(at, 0x3f800000); /* sample rate: 1 as a float */
    put_uint32(at, (uint32_t)series->samples);
    return write_at(series, header, sizeof header, 0, error);
}

static off_t end_of(const prc_pc2_series *series)
{
    return HEADER + (off_t)series->sample_size * series->samples;
}

/* Cuts the file back to the samples that are wanted. */
static prc_result go_on(prc_pc2_series *series, int samples, prc_error *error)
{
    unsigned char header[HEADER];
    struct stat status;
    const bool sound = pread(series->descriptor, header, HEADER, 0) == HEADER &&
                       fstat(series->descriptor, &status) == 0 && !memcmp(header, "POINTCACHE2", 12) &&
                       get_uint32(header + AT_POINTS) == (uint32_t)series->point_count;
    series->samples = samples;
    if (!sound || get_uint32(header + AT_SAMPLES) < (uint32_t)samples || status.st_size < end_of(series))
        return prc_fail(error, PRC_ERROR_IO,
                        "%s: cannot be continued: expected a PC2 file of %d points and at least %d samples",
                        series->path, series->point_count, samples);
    prc_result result = write_header(series, error);
    if (!result && ftruncate(series->descriptor, end_of(series)) != 0)
        result = prc_file_fail(error, series->path, "could not be truncated", errno);
    return result;
}

static void release(prc_pc2_series *series)
{
    if (series->descriptor >= 0)
        close(series->descriptor);
    prc_free(series->path);
    prc_free(series->sample);
    prc_free(series);
}

prc_pc2_series *prc_pc2_series_open(const char *path, int point_count, int samples, prc_error *error)
{
    prc_pc2_series *series = PRC_NEW(prc_pc2_series, 1);
    if (series) {
        series->descriptor = -1;
        series->point_count = point_count;
        series->sample_size = 12 * (size_t)point_count;
        series->path = prc_string_copy(path);
        series->sample = prc_alloc(series->sample_size, 1);
    }
    if (!series || !series->path || !series->sample) {
        if (series)
            release(series);
        PRC_FAIL_MEMORY(error);
        return NULL;
    }
    series->descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | (samples > 0 ? 0 : O_CREAT | O_TRUNC), 0666);
    prc_result result;
    if (series->descriptor < 0)
        result = prc_file_fail(error, path, samples > 0 ? "cannot be continued" : "cannot be written", errno);
    else
        result = samples > 0 ? go_on(series, samples, error) : write_header(series, error);
    if (!result)
        return series;
    release(series);
    return NULL;
}

prc_result prc_pc2_series_add(prc_pc2_series *series, const double *positions, prc_error *error)
{
    unsigned char *at = series->sample;
    for (size_t k = 0; k < 3 * (size_t)series->point_count; k++) {
        const float single = (float)positions[k];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        at = put_uint32(at, bits);
    }
    prc_result result = write_at(series, series->sample, series->sample_size, end_of(series), error);
    if (result)
        return result;
    series->samples++;
    return write_header(series, error);
}

prc_result prc_pc2_series_flush(prc_pc2_series *series, prc_error *error)
{
    return fsync(series->descriptor) == 0 ? PRC_OK : prc_file_fail(error, series->path, "could not be written", errno);
}

prc_result prc_pc2_series_close(prc_pc2_series *series, prc_error *error)
{
    if (!series)
        return PRC_OK;
    prc_result result = prc_pc2_series_flush(series, error);
    release(series);
    return result;
}
