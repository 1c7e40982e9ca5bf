/* io/png.h — PNG images, through libpng if percale was built with it.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_IO_PNG_H
#define PRC_IO_PNG_H

#include <percale/base.h>

#define PRC_IMAGE_PIXELS 67108864 /* at most so many are read: 8192² */

typedef struct prc_image {
    int width, height;
    unsigned char *pixels; /* 4 each: red, green, blue, alpha; row by row from the top */
} prc_image;

/* Failure leaves *image zeroed. */
prc_result prc_png_read(const char *path, prc_image *image, prc_error *error);
void prc_image_release(prc_image *image);

#endif
