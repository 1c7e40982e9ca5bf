/* app/draw/image.c — pictures as PNG files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"
#include "draw.h"

#ifdef PRC_HAVE_PNG

#include <png.h>

#include "base/memory.h"
#include "io/file.h"

prc_result prc_draw_write_png(const char *path, const unsigned char *pixels, int width, int height, prc_error *error)
{
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    prc_file *file = prc_file_open(path, error);
    unsigned char *bytes = file ? PRC_NEW(unsigned char, size) : NULL;
    prc_result result = PRC_OK;
    if (!file)
        return PRC_ERROR_IO;
    if (!bytes)
        result = PRC_FAIL_MEMORY(error);
    else if (!png_image_write_to_memory(&png, bytes, &size, 0, pixels, 0, NULL))
        result = prc_fail(error, PRC_ERROR_IO, "%s: cannot be created: %s", path, png.message);
    if (result) {
        prc_file_abandon(file);
    } else {
        prc_file_write(file, bytes, size);
        result = prc_file_commit(file, error);
    }
    prc_free(bytes);
    return result;
}

#else

prc_result prc_draw_write_png(const char *path, const unsigned char *pixels, int width, int height, prc_error *error)
{
    (void)pixels;
    (void)width;
    (void)height;
    return prc_fail(error, PRC_ERROR_IO,
                    "%s: this percale was built without libpng (on Debian: apt-get install libpng-dev, and build "
                    "again)",
                    path);
}

#endif
