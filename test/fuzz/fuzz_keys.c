/* test/fuzz/fuzz_keys.c — the reader of keys of a motion, CSV files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include "base/memory.h"
#include "io/keys_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    prc_pose_key *keys;
    int count;
    prc_error error = {0};
    fuzz_begin(64);
    if (!prc_keys_read(fuzz_file(data, size), &keys, &count, &error)) {
        FUZZ_CHECK(count > 0);
        for (int k = 0; k < count; k++)
            FUZZ_CHECK(isfinite(keys[k].time) && isfinite(keys[k].degrees) && isfinite(keys[k].translate[2]) &&
                       (!k || keys[k].time > keys[k - 1].time));
        prc_free(keys);
    } else {
        FUZZ_CHECK(error.message[0] && !keys);
    }
    fuzz_end();
    return 0;
}
