/* test/fuzz/fuzz_solids.c — the reader of solids at the head of frames, and the checker with what it gives.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "io/solids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0.5};
    static const int triangle[3] = {0, 1, 2};
    prc_solids solids = {0};
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_solids_read(&solids, fuzz_file(data, size), &error)) {
        const prc_check_solid_options how = prc_check_solid_options_default();
        prc_check_solid_result result;
        FUZZ_CHECK(solids.told >= -1 && (solids.count == 0 || solids.told > 0));
        for (int k = 0; k < solids.count; k++)
            FUZZ_CHECK(solids.numbers[k] >= 0 && solids.numbers[k] < solids.told);
        if (!prc_check_solids(x, 3, triangle, 1, solids.solids, solids.count, &how, &result, &error))
            prc_check_solid_result_release(&result);
    } else {
        FUZZ_CHECK(error.message[0] && solids.told == -1 && solids.count == 0);
    }
    prc_solids_release(&solids);
    fuzz_end();
    return 0;
}
