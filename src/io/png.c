/* io/png.c — see png.h.
 *
 * The values are those that a painting program shows: 16 bits become 8, palettes and grey become colours, and gamma is
 * handled by libpng. This file belongs to the scene reader, not to the core library, which does not need libpng.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/png.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#ifdef PRC_HAVE_PNG

#include <png.h>
#include <string.h>

#define MOST_PACKED 1100 /* no byte of a zlib stream makes more than 1032 */

/* libpng takes memory for what a chunk says it holds before it looks whether the file goes on that long. */
static prc_result check_chunks(const char *path, const char *data, size_t size, prc_error *error)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t at = 8; at + 12 <= size;) { /* length, type, what it holds, checksum */
        const size_t length =
            (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | (size_t)bytes[at + 3];
        if (length > size - at - 12)
            return prc_fail(
                error, PRC_ERROR_INPUT,
                "%s: is not a valid PNG file: the chunk at byte %zu should have %zu bytes, but only %zu are left", path,
                at, length, size - at - 12);
        at += 12 + length;
    }
    return PRC_OK;
}

static prc_result decode(png_image *png, const char *path, const char *data, size_t size, prc_image *image,
                         prc_error *error)
{
    if (!png_image_begin_read_from_memory(png, data, size))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: is not a valid PNG file: %s", path, png->message);
    const double pixels = (double)png->width * png->height;
    if (pixels > PRC_IMAGE_PIXELS)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has %u × %u pixels; at most %d million are supported", path,
                        png->width, png->height, PRC_IMAGE_PIXELS / 1000000);
    if (pixels / 8 > MOST_PACKED * (double)size) /* before memory for them is taken */
        return prc_fail(error, PRC_ERROR_INPUT, "%s: should have %u × %u pixels, which do not fit in %zu bytes", path,
                        png->width, png->height, size);
    png->format = PNG_FORMAT_RGBA;
    png->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* as other depths, not linear */
    image->width = (int)png->width;
    image->height = (int)png->height;
    image->pixels = PRC_NEW(unsigned char, 4 * (size_t)png->width * png->height);
    if (!image->pixels)
        return PRC_FAIL_MEMORY(error);
    if (!png_image_finish_read(png, NULL, image->pixels, 0, NULL))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: is not a valid PNG file: %s", path, png->message);
    return PRC_OK;
}

prc_result prc_png_read(const char *path, prc_image *image, prc_error *error)
{
    char *data;
    size_t size;
    *image = (prc_image){0};
    prc_result result = prc_file_read(path, &data, &size, error);
    if (result)
        return result;
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    result = check_chunks(path, data, size, error);
    if (!result)
        result = decode(&png, path, data, size, image, error);
    png_image_free(&png);
    prc_free(data);
    if (result)
        prc_image_release(image);
    return result;
}

#else

prc_result prc_png_read(const char *path, prc_image *image, prc_error *error)
{
    *image = (prc_image){0};
    return prc_fail(error, PRC_ERROR_INPUT,
                    "%s: cannot be read: percale was built without libpng; install libpng-dev and build again", path);
}

#endif

void prc_image_release(prc_image *image)
{
    prc_free(image->pixels);
    *image = (prc_image){0};
}
