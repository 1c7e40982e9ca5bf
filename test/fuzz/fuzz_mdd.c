/* test/fuzz/fuzz_mdd.c — the reader of MDD files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/memory.h"
#include "io/mdd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    float *positions;
    int points, samples;
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_mdd_read(fuzz_file(data, size), &positions, &points, &samples, &error)) {
        FUZZ_CHECK(points > 0 && samples > 0);
        for (size_t k = 0; k < 3 * (size_t)points * (size_t)samples; k++)
            FUZZ_CHECK(isfinite(positions[k]));
        prc_free(positions);
    } else {
        FUZZ_CHECK(error.message[0] && !positions && !points && !samples);
    }
    fuzz_end();
    return 0;
}
