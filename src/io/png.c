/* io/png.c — see png.h.
 *
 * The values are those that a painting program shows: 16 bits become 8, palettes and grey become colours, and what the
 * file says about gamma is left to libpng. It is the scene reader's file, not the library's, which needs no libpng.
 * SPDX-License-Identifier: Apache-2.0 */
#include "io/png.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/file.h"

#ifdef PRC_HAVE_PNG

#include <png.h>
#include <string.h>

#define MOST_PACKED 1100 /* no byte of a zlib stream makes more than 1032 */

static prc_result decode(png_image *png, const char *path, const char *data, size_t size, prc_image *image,
                         prc_error *error)
{
    if (!png_image_begin_read_from_memory(png, data, size))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: is not a good PNG file: %s", path, png->message);
    const double pixels = (double)png->width * png->height;
    if (pixels > PRC_IMAGE_PIXELS)
        return prc_fail(error, PRC_ERROR_INPUT, "%s: has %u × %u pixels; at most %d million are read", path, png->width,
                        png->height, PRC_IMAGE_PIXELS / 1000000);
    if (pixels / 8 > MOST_PACKED * (double)size) /* before memory for them is taken */
        return prc_fail(error, PRC_ERROR_INPUT, "%s: announces %u × %u pixels, which %zu bytes cannot hold", path,
                        png->width, png->height, size);
    png->format = PNG_FORMAT_RGBA;
    png->flags |= PNG_IMAGE_FLAG_16BIT_sRGB; /* as other depths, not linear */
    image->width = (int)png->width;
    image->height = (int)png->height;
    image->pixels = PRC_NEW(unsigned char, 4 * (size_t)png->width * png->height);
    if (!image->pixels)
        return PRC_FAIL_MEMORY(error);
    if (!png_image_finish_read(png, NULL, image->pixels, 0, NULL))
        return prc_fail(error, PRC_ERROR_INPUT, "%s: is not a good PNG file: %s", path, png->message);
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
