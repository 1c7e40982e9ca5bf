/* test/fuzz/fuzz_ply.c — the reader of PLY files.
 * SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_mesh("fuzz.ply", data, size);
}
