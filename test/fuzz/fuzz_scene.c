/* test/fuzz/fuzz_scene.c — scene files, and what they lead to.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_read_scene((const char *)data, size, NULL, 0, true);
    return 0;
}
