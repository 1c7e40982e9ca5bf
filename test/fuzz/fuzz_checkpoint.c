/* test/fuzz/fuzz_checkpoint.c — the reader of checkpoints. The first byte says whether size and checksum are put right,
 * without which nothing behind the header would be reached.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "io/checkpoint.h"

static size_t length(const char *text)
{
    FUZZ_CHECK(text != NULL);
    return strlen(text);
}

/* Every byte that is pointed to can be read. */
static size_t look_through(const prc_checkpoint *c)
{
    size_t sum = length(c->version) + length(c->scene) + length(c->settings) + length(c->folder) + length(c->report) +
                 length(c->trace) + length(c->spare_folder) + length(c->steps_rows) + length(c->trace_rows);
    for (int k = 0; k < c->override_count; k++)
        sum += length(c->overrides[k]);
    for (size_t k = 0; k < c->state_size; k++)
        sum += ((const unsigned char *)c->state)[k];
    for (size_t k = 0; k < c->totals_size; k++)
        sum += ((const unsigned char *)c->totals)[k];
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prc_checkpoint checkpoint;
    prc_error error = {0};
    static volatile size_t sink;
    if (!size)
        return 0;
    const size_t file_size = size - 1;
    uint8_t *file = malloc(size);
    FUZZ_CHECK(file != NULL);
    memcpy(file, data + 1, file_size);
    if ((data[0] & 1) && file_size >= 40) {
        const unsigned long long bytes = file_size;
        memcpy(file + 16, &bytes, 8);
        const unsigned long long crc = prc_crc64(0, file, file_size - 8);
        memcpy(file + file_size - 8, &crc, 8);
    }
    fuzz_begin(64);
    if (!prc_checkpoint_read(fuzz_file(file, file_size), &checkpoint, &error)) {
        sink = look_through(&checkpoint);
        prc_checkpoint_release(&checkpoint);
    } else {
        FUZZ_CHECK(error.message[0] && !checkpoint.file);
    }
    fuzz_end();
    (void)sink;
    free(file);
    return 0;
}
