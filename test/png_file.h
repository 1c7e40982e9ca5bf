/* test/png_file.h — writes small PNG files without libpng: 8 bits, stored without compression.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef PRC_TEST_PNG_FILE_H
#define PRC_TEST_PNG_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Everything of the file, kept so that tests can spoil it. */
typedef struct png_file {
    unsigned char bytes[70000];
    size_t size;
} png_file;

static inline void png_bytes(png_file *f, const void *data, size_t size)
{
    if (size)
        memcpy(f->bytes + f->size, data, size);
    f->size += size;
}

static inline void png_number(png_file *f, uint32_t value)
{
    const unsigned char bytes[4] = {(unsigned char)(value >> 24), (unsigned char)(value >> 16),
                                    (unsigned char)(value >> 8), (unsigned char)value};
    png_bytes(f, bytes, 4);
}

static inline uint32_t png_crc(const unsigned char *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t k = 0; k < size; k++) {
        crc ^= data[k];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xEDB88320u ^ (crc >> 1) : crc >> 1;
    }
    return crc ^ 0xFFFFFFFFu;
}

static inline void png_chunk(png_file *f, const char *name, const unsigned char *data, size_t size)
{
    png_number(f, (uint32_t)size);
    const size_t start = f->size;
    png_bytes(f, name, 4);
    png_bytes(f, data, size);
    png_number(f, png_crc(f->bytes + start, size + 4));
}

/* `channels` 1: grey, 3: colours, 4: and alpha; less than 65,000 bytes in all. */
static inline void png_make(png_file *f, int width, int height, int channels, const unsigned char *pixels)
{
    static unsigned char data[66000];
    const size_t row = (size_t)width * (size_t)channels, size = (row + 1) * (size_t)height;
    uint32_t a = 1, b = 0;
    f->size = 0;
    png_bytes(f, "\x89PNG\r\n\x1a\n", 8);
    unsigned char head[13] = {0,
                              0,
                              (unsigned char)(width >> 8),
                              (unsigned char)width,
                              0,
                              0,
                              (unsigned char)(height >> 8),
                              (unsigned char)height,
                              8,
                              (unsigned char)(channels == 1   ? 0
                                              : channels == 3 ? 2
                                                              : 6)};
    png_chunk(f, "IHDR", head, sizeof head);
    const unsigned char open[7] = {0x78,
                                   0x01,
                                   1,
                                   (unsigned char)size,
                                   (unsigned char)(size >> 8),
                                   (unsigned char)~size,
                                   (unsigned char)(~size >> 8)};
    memcpy(data, open, sizeof open);
    for (int y = 0; y < height; y++) {
        unsigned char *line = data + 7 + (size_t)y * (row + 1);
        line[0] = 0;
        memcpy(line + 1, pixels + (size_t)y * row, row);
    }
    for (size_t k = 0; k < size; k++) {
        a = (a + data[7 + k]) % 65521;
        b = (b + a) % 65521;
    }
    const unsigned char sum[4] = {(unsigned char)(b >> 8), (unsigned char)b, (unsigned char)(a >> 8), (unsigned char)a};
    memcpy(data + 7 + size, sum, 4);
    png_chunk(f, "IDAT", data, size + 11);
    png_chunk(f, "IEND", NULL, 0);
}

static inline int png_save(const png_file *f, const char *path)
{
    FILE *file = fopen(path, "wb");
    const int good = file && fwrite(f->bytes, 1, f->size, file) == f->size;
    return file && fclose(file) == 0 && good;
}

#endif
