/* io/mdd.c — see mdd.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/mdd.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEADER 8

static uint32_t get_uint32(const char *at)
{
    uint32_t bits = 0;
    for (int k = 0; k < 4; k++)
        bits = bits << 8 | (unsigned char)at[k];
    return bits;
}

static prc_result check_header(const char *path, const char *data, size_t size, prc_error *error)
{
    if (size < HEADER)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: %zu bytes; an MDD file has at least %d", path, size, HEADER);
    const uint32_t frames = get_uint32(data), points = get_uint32(data + 4);
    if (points == 0 || frames == 0 || points > INT_MAX / 3 || frames > INT_MAX)
        return prc_fail(
            error, PRC_ERROR_INPUT,
            "%s: the header says %u frames of %u points; expected at least one of each; is this an MDD file?", path,
            frames, points);
    /* As a division: the product may not fit. Each frame has a time, and 12 bytes per point. */
    const size_t frame = 4 + 12 * (size_t)points;
    if ((size - HEADER) / frame != frames || (size - HEADER) % frame != 0)
        return prc_fail(error, PRC_ERROR_INPUT,
                        "%s: %zu bytes follow the header, which says %u frames of %u points, %zu bytes each; the file "
                        "is truncated, damaged, or not an MDD file",
                        path, size - HEADER, frames, points, frame);
    return PRC_OK;
}

static prc_result take_frames(const char *path, const char *at, float *positions, size_t count, size_t points,
                              prc_error *error)
{
    for (size_t k = 0; k < count; k++) {
        const uint32_t bits = get_uint32(at + 4 * k);
        memcpy(&positions[k], &bits, sizeof bits);
        if (!isfinite(positions[k]))
            return prc_fail(error, PRC_ERROR_INPUT, "%s: frame %zu: point %zu is not finite", path, k / (3 * points),
                            k / 3 % points);
    }
    return PRC_OK;
}

prc_result prc_mdd_read(const char *path, float **positions, int *point_count, int *sample_count, prc_error *error)
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
        const size_t frames = get_uint32(data), points = get_uint32(data + 4), count = 3 * points * frames;
        *positions = PRC_NEW(float, count);
        result = *positions ? take_frames(path, data + HEADER + 4 * frames, *positions, count, points, error)
                            : PRC_FAIL_MEMORY(error);
        *point_count = (int)points;
        *sample_count = (int)frames;
    }
    prc_free(data);
    if (result) {
        prc_free(*positions);
        *positions = NULL;
        *point_count = *sample_count = 0;
    }
    return result;
}
