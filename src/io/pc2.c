/* io/pc2.c — see pc2.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/pc2.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEADER 32
static const char magic[12] = "POINTCACHE2";

static uint32_t get_uint32(const char *at)
{
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++)
        bits |= (uint32_t)(unsigned char)at[k] << (8 * k);
    return bits;
}

static void put_uint32(prc_file *file, uint32_t bits)
{
    unsigned char bytes[4];
    for (int k = 0; k < 4; k++)
        bytes[k] = (unsigned char)(bits >> (8 * k));
    prc_file_write(file, bytes, 4);
}

static prc_result check_header(const char *path, const char *data, size_t size, prc_error *error)
{
    if (size < HEADER || memcmp(data, magic, sizeof magic) != 0)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: this is not a PC2 file; expected 'POINTCACHE2' at its start",
                        path);
    const uint32_t version = get_uint32(data + 12), points = get_uint32(data + 16), samples = get_uint32(data + 28);
    if (version != 1)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: found version %u; expected 1", path, version);
    if (points == 0 || samples == 0 || points > INT_MAX / 3 || samples > INT_MAX)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: the header says %u points and %u samples; expected at least one of each", path, points,
                        samples);
    /* As a division: the product may not fit. */
    if ((size - HEADER) / 12 / points != samples || (size - HEADER) % (12 * (size_t)points) != 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: %zu bytes follow the header, which says %u samples of %u points, 12 bytes each; the file "
                        "is truncated or damaged",
                        path, size - HEADER, samples, points);
    return PRC_OK;
}

static prc_result take_samples(const char *path, const char *data, float *positions, size_t count, size_t points,
                               prc_error *error)
{
    for (size_t k = 0; k < count; k++) {
        const uint32_t bits = get_uint32(data + HEADER + 4 * k);
        memcpy(&positions[k], &bits, sizeof bits);
        if (!isfinite(positions[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s: sample %zu: point %zu is not finite", path, k / (3 * points),
                            k / 3 % points);
    }
    return PRC_OK;
}

prc_result prc_pc2_read(const char *path, float **positions, int *point_count, int *sample_count, prc_error *error)
{
    char *data;
    size_t size;
    *positions = NULL;
    *point_count = *sample_count = 0;
    prc_result result = prc_file_read(path, &data, &size, error);
    if (result)
        return result;
    result = check_header(path, data, size, error);
    if (!result) {
        const size_t points = get_uint32(data + 16), count = (size - HEADER) / 4;
        *positions = PRC_NEW(float, count);
        result = *positions ? take_samples(path, data, *positions, count, points, error) : PRC_FAIL_MEMORY(error);
        *point_count = (int)points;
        *sample_count = (int)get_uint32(data + 28);
    }
    prc_free(data);
    if (result) {
        prc_free(*positions);
        *positions = NULL;
    }
    return result;
}

prc_result prc_pc2_write(const char *path, const float *positions, int point_count, int sample_count, prc_error *error)
{
    prc_file *file = prc_file_open(path, error);
    if (!file)
        return PRC_ERROR_IO;
    const float start = 0, rate = 1;
    uint32_t bits;
    prc_file_write(file, magic, sizeof magic);
    put_uint32(file, 1);
    put_uint32(file, (uint32_t)point_count);
    memcpy(&bits, &start, sizeof bits);
    put_uint32(file, bits);
    memcpy(&bits, &rate, sizeof bits);
    put_uint32(file, bits);
    put_uint32(file, (uint32_t)sample_count);
    for (size_t k = 0; k < 3 * (size_t)point_count * (size_t)sample_count; k++) {
        memcpy(&bits, &positions[k], sizeof bits);
        put_uint32(file, bits);
    }
    return prc_file_commit(file, error);
}
