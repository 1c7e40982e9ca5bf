/* test/fuzz/fuzz_png.c — the reader of PNG images. The first byte says whether the checksums of their parts are put
 * right, without which no change gets past libpng.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "io/png.h"

static uint32_t crc32_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t k = 0; k < size; k++) {
        crc ^= data[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

/* A chunk is its length, name, data and checksum. */
static void mend(uint8_t *file, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        const size_t length =
            (size_t)file[at] << 24 | (size_t)file[at + 1] << 16 | (size_t)file[at + 2] << 8 | file[at + 3];
        if (length > size - at - 12)
            return;
        const uint32_t crc = crc32_of(file + at + 4, length + 4);
        for (int k = 0; k < 4; k++)
            file[at + 8 + length + (size_t)k] = (uint8_t)(crc >> (24 - 8 * k));
        at += 12 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prc_image image;
    prc_error error = {0};
    if (!size)
        return 0;
    uint8_t *file = malloc(size);
    FUZZ_CHECK(file != NULL);
    memcpy(file, data + 1, size - 1);
    if (data[0] & 1)
        mend(file, size - 1);
    fuzz_begin(16);
    if (!prc_png_read(fuzz_file(file, size - 1), &image, &error)) {
        static volatile unsigned sink;
        unsigned sum = 0;
        FUZZ_CHECK(image.width > 0 && image.height > 0);
        for (size_t k = 0; k < 4 * (size_t)image.width * (size_t)image.height; k++)
            sum += image.pixels[k];
        sink = sum;
        (void)sink;
        prc_image_release(&image);
    } else {
        FUZZ_CHECK(error.message[0] && !image.pixels);
    }
    fuzz_end();
    free(file);
    return 0;
}
