/* test/fuzz/fuzz_colliders.c — the reader of colliders at the head of frames, and the checker with what it gives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "io/colliders.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5};
    static const int triangle[3] = {0, 1, 2};
    prc_colliders colliders = {0};
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_colliders_read(&colliders, fuzz_file(data, size), &error)) {
        const prc_check_collider_options how = prc_check_collider_options_default();
        prc_check_collider_result result;
        FUZZ_CHECK(colliders.told >= -1 && (colliders.count == 0 || colliders.told > 0));
        for (int k = 0; k < colliders.count; k++)
            FUZZ_CHECK(colliders.numbers[k] >= 0 && colliders.numbers[k] < colliders.told);
        if (!prc_check_colliders(x, 3, triangle, 1, colliders.colliders, colliders.count, &how, &result, &error))
            prc_check_collider_result_release(&result);
    } else {
        FUZZ_CHECK(error.message[0] && colliders.told == -1 && colliders.count == 0);
    }
    prc_colliders_release(&colliders);
    fuzz_end();
    return 0;
}
